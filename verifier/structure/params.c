/* Parameters whose tiles no pto.alloc_tile can make: rows (or columns) that are not whole blocks of
 * 32 bytes, or parts of boxes. */
#include "verifier/structure/params.h"

static bool is_judged(const Judge *j) {
    return !j->opt->compat && !j->opt->no_library && !j->opt->fragment;
}

/* Whether one of the profiles that judge for `p` accepts the type. */
static bool is_accepted(const Type *t, Profile p) {
    if (!tile_is_boxed(t)) return false;
    for (int q = 0; q < PROFILE_COUNT; q++)
        if ((profile_judges(p) & PROFILE_BIT(q)) != 0 && tile_is_aligned(t, (Profile)q))
            return true;
    return false;
}

/* Returns the judged profiles that refuse a parameter of this type. */
static ProfileSet refusing(const Judge *j, const Type *t) {
    ProfileSet set = 0;
    if (t == NULL || t->kind != TY_TILE || !is_judged(j)) return 0;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((j->profiles & PROFILE_BIT(p)) != 0 && !is_accepted(t, (Profile)p))
            set |= PROFILE_BIT(p);
    return set;
}

bool param_may_have(const Judge *j, const Type *t) {
    return refusing(j, t) == 0;
}

/* Reports the first parameter that has such a type. */
static void check_params(Verifier *v, const Op *func) {
    const FuncData *f = func_data(func);
    const Region *body = func->nregions > 0 ? &op_regions(func)[0] : NULL;
    const Block *entry = body != NULL ? body->first : NULL;
    if (f->type == NULL || f->type->kind != TY_FUNCTION) return;
    for (uint32_t i = 0; i < f->type->ninputs; i++) {
        const Type *t = f->type->types[i];
        ProfileSet set = refusing(&v->judge, t);
        if (set == 0) continue;
        DiagList *list = &v->judge.ctx->diags;
        Span at = f->name_span;
        if (entry != NULL && i < entry->nargs && entry->args[i].name != 0)
            at = (Span){entry->args[i].name_off, 1};
        bool boxes = !tile_is_boxed(t);
        Diag *d = diag_add(list, boxes ? DIAG_TILE_BOX : DIAG_TILE_ALIGN, at, "%s",
                           boxes ? misboxed_text(&v->judge, t)
                                 : misalignment_text(&v->judge, t, (Profile)__builtin_ctz(set)));
        if (set != v->judge.profiles) d->profiles = set;
        diag_note(
            list, d,
            "no pto.alloc_tile can make such a tile; --compat=ptoas judges without this rule");
        return;
    }
}

static void check_functions(Verifier *v, const Op *module) {
    for (unsigned r = 0; r < module->nregions; r++)
        for (const Block *b = op_regions(module)[r].first; b != NULL; b = b->next)
            for (const Op *op = b->first; op != NULL; op = op->next) {
                if (op_is(op, INST_FUNC)) check_params(v, op);
                if (op_is(op, INST_MODULE)) check_functions(v, op);
            }
}

void verify_params(Verifier *v) {
    check_functions(v, v->judge.root);
}
