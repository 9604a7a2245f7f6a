/* SPDX-License-Identifier: Apache-2.0 */
/* Named functions of the rules about arrays and structs on a core's stack. */
#include "verifier/rules/checks/checks.h"

/* ---- arrays ---- */

/* Returns the operands of the slot after the array: its indices. */
static const Operand *indices_of(const Case *c, const Rule *r, unsigned *n) {
    *n = slot_count(c->op, r->a + 1);
    return slot_operands(c->op, r->a + 1);
}

Answer check_array_rank(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    unsigned n;
    if (t == NULL || t->kind != TY_LOCAL_ARRAY) return HOLDS;
    indices_of(c, r, &n);
    return n == t->rank
               ? HOLDS
               : fails(c, "%u ind%s for an array of rank %u", n, n == 1 ? "ex" : "ices", t->rank);
}

Answer check_array_index(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    unsigned n;
    if (t == NULL || (t->kind != TY_LOCAL_ARRAY && t->kind != TY_EVENT_ARRAY)) return HOLDS;
    const Operand *o = indices_of(c, r, &n);
    Test inside = test_of(true);
    for (unsigned i = 0; i < n && (t->kind == TY_EVENT_ARRAY || i < t->rank); i++) {
        int64_t most = t->kind == TY_EVENT_ARRAY ? (int64_t)t->count : t->dims[i];
        if (o[i].value == NULL) continue;
        Num k = listed_num(c, r->a + 1, i);
        Test in = both(c, is_at_most(c, number(0), k), is_at_most(c, k, number(most - 1)));
        inside = both(c, inside, in);
        if (in.answer != FAILS) continue;
        if (c->at != NULL) *c->at = o[i].span;
        return fails(c, "index %u is %lld, expected 0 to %lld", i, (long long)k.n,
                     (long long)(most - 1));
    }
    return settle(c, inside);
}

/* ---- structs ---- */

/* Follows the path and returns the field it ends at; reports a wrong path through fails(). */
static const Type *field_at(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    const NamedAttr *path = op_attr_named(c->op, ATTR_path);
    if (t == NULL || t->kind != TY_STRUCT || path == NULL) return NULL;
    const Attr *list = path->value;
    if (list->n == 0) fails(c, "the path is empty");
    for (uint32_t i = 0; i < list->n; i++) {
        int64_t k = list->items[i]->kind == ATTR_INT ? list->items[i]->i : -1;
        if (t->kind != TY_STRUCT) {
            fails(c, "step %u of the path goes into %.*s, which has no fields", i,
                  TYPE_TEXT(c->judge, t));
            return NULL;
        }
        if (k < 0 || k >= (int64_t)t->ntypes) {
            fails(c, "step %u of the path is %lld, but there are %u fields", i, (long long)k,
                  t->ntypes);
            return NULL;
        }
        t = t->types[k];
    }
    if (list->n == 0) return NULL;
    if (t->kind != TY_STRUCT) return t;
    fails(c, "the path ends at a struct, expected a scalar");
    return NULL;
}

Answer check_struct_path(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    return answer(t == NULL || t->kind != TY_STRUCT || field_at(c, r) != NULL);
}

Answer check_struct_field(const Case *c, const Rule *r) {
    const Type *is = case_type(c, r->b);
    Case silent = *c;
    silent.why = NULL;
    const Type *field = field_at(&silent, r);
    return field == NULL || is == NULL || type_same(is, field)
               ? HOLDS
               : fails(c, "%s has type %.*s, but the field has %.*s", case_name(c, r->b),
                       TYPE_TEXT(c->judge, is), TYPE_TEXT(c->judge, field));
}
