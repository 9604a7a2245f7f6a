/* SPDX-License-Identifier: Apache-2.0 */
/* Logical vectors with a layout: the text must be what the vendor's assembler takes, not what it
 * has made of it. */
#include "verifier/structure/vector_code.h"

/* True for the form that the assignment of registers makes. */
static bool is_assigned(const Type *t) {
    return type_is_logical(t) && (t->layout != 0 || t->width != 0);
}

static void report_assigned(Verifier *v, Span at, const Type *t) {
    DiagList *list = &v->judge.ctx->diags;
    Diag *d =
        diag_add(list, DIAG_ASSIGNED_LAYOUT, at,
                 "%.*s has %s, which belongs to the form after "
                 "the assignment of registers",
                 TYPE_TEXT(&v->judge, t), t->layout != 0 ? "a layout" : "a fixed granularity");
    diag_note(list, d, "write !pto.vmi.%s, without a layout",
              t->kind == TY_LANES ? "vreg<LxT>" : "mask<Lxpred>");
}

/* What the search of a function found first. */
typedef struct Found {
    const Type *type; /* assigned; NULL: none */
    Span at;
} Found;

static void look_at_values(const Value *values, unsigned n, Span at, Found *f) {
    for (unsigned i = 0; i < n && f->type == NULL; i++)
        if (is_assigned(values[i].type)) {
            f->type = values[i].type;
            f->at = at;
        }
}

static void search_region(const Region *r, Found *f) {
    for (const Block *b = r->first; b != NULL && f->type == NULL; b = b->next)
        for (const Op *op = b->first; op != NULL && f->type == NULL; op = op->next) {
            look_at_values(op->results, op->nresults, op->name_span, f);
            for (unsigned i = 0; i < op->nregions; i++) {
                const Block *inner = op_regions(op)[i].first;
                if (inner != NULL) look_at_values(inner->args, inner->nargs, op->name_span, f);
                search_region(&op_regions(op)[i], f);
            }
        }
}

/* Returns the first assigned type of the signature, or NULL; *has: it has a logical one. */
static const Type *search_signature(const FuncData *data, bool *has) {
    if (data->type == NULL || data->type->kind != TY_FUNCTION) return NULL;
    for (uint32_t i = 0; i < data->type->ntypes; i++) {
        *has |= type_is_logical(data->type->types[i]);
        if (is_assigned(data->type->types[i])) return data->type->types[i];
    }
    return NULL;
}

bool check_layouts(Verifier *v, const Op *func, bool vectors) {
    const FuncData *data = func_data(func);
    bool has = false;
    Found f = {.type = search_signature(data, &has), .at = data->name_span};
    if (f.type == NULL && (has || vectors) && func->nregions > 0)
        search_region(&op_regions(func)[0], &f);
    if (f.type != NULL) report_assigned(v, f.at, f.type);
    return f.type == NULL;
}
