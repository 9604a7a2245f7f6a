/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters whose tiles no pto.alloc_tile can make: rows (or columns) that are not whole blocks of
 * 32 bytes, or parts of boxes. */
#include "verifier/structure/params.h"
#include "verifier/rules/case.h"

/* Reports the first parameter that has such a type. */
static void check_params(Verifier *v, const Op *func) {
    const FuncData *f = func_data(func);
    const Region *body = func->nregions > 0 ? &op_regions(func)[0] : NULL;
    const Block *entry = body != NULL ? body->first : NULL;
    if (f->type == NULL || f->type->kind != TY_FUNCTION) return;
    for (uint32_t i = 0; i < f->type->ninputs; i++) {
        const Type *t = f->type->types[i];
        ProfileSet set = profiles_refusing_param(&v->judge, t);
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
