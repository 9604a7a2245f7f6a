/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of conversions, sums, and numbers of lanes. */
#include "verifier/rules/checks/checks.h"

#include <string.h>

/* ---- masks ---- */

Answer check_conversion_mask(const Case *c, const Rule *r) {
    const Type *mask = case_type(c, r->a), *from = case_type(c, r->b);
    if (mask == NULL || from == NULL || mask->kind != TY_MASK || from->kind != TY_VREG)
        return HOLDS;
    const unsigned bits = elem_storage_bits((Elem)from->elem), want = bits < 32 ? bits : 32;
    return mask->count == want
               ? HOLDS
               : fails(c,
                       "%s has one bit for each %u bits, expected !pto.mask<b%u> for lanes of %s",
                       case_name(c, r->a), mask->count, want, elem_infos[from->elem].text);
}

/* ---- widths ---- */

/* Returns the type of a sum of lanes. */
static Elem sum_elem(Elem e) {
    switch (e) {
    case ELEM_I8:
        return ELEM_I16;
    case ELEM_SI8:
        return ELEM_SI16;
    case ELEM_UI8:
        return ELEM_UI16;
    case ELEM_I16:
        return ELEM_I32;
    case ELEM_SI16:
        return ELEM_SI32;
    case ELEM_UI16:
        return ELEM_UI32;
    default:
        return e;
    }
}

Answer check_sum_element(const Case *c, const Rule *r) {
    const Type *sum = case_type(c, r->a), *x = case_type(c, r->b);
    if (sum == NULL || x == NULL || sum->kind != TY_VREG || x->kind != TY_VREG) return HOLDS;
    const Elem want = sum_elem((Elem)x->elem);
    return sum->elem == want
               ? HOLDS
               : fails(c, "%s has elements of type %s, expected %s as %s has %s",
                       case_name(c, r->a), elem_infos[sum->elem].text, elem_infos[want].text,
                       case_name(c, r->b), elem_infos[x->elem].text);
}

Answer check_double_width(const Case *c, const Rule *r) {
    const Type *wide = case_type(c, r->a), *narrow = case_type(c, r->b);
    if (wide == NULL || narrow == NULL) return HOLDS;
    return elem_infos[wide->elem].bytes == 2 * elem_infos[narrow->elem].bytes
               ? HOLDS
               : fails(c, "lanes of %s (%s) do not have twice the width of those of %s (%s)",
                       case_name(c, r->a), elem_infos[wide->elem].text, case_name(c, r->b),
                       elem_infos[narrow->elem].text);
}

/* ---- others ---- */

Answer check_index_order(const Case *c, const Rule *r) {
    (void)r;
    const NamedAttr *a = op_attr_named(c->op, ATTR_order);
    if (a == NULL || a->value->kind != ATTR_STRING) return HOLDS;
    const Interner *names = &c->judge->ctx->names;
    const char *s = atom_text(names, a->value->text);
    const size_t n = atom_len(names, a->value->text);
    if (n == 0 || (n == 3 && memcmp(s, "ASC", 3) == 0) || (n == 4 && memcmp(s, "DESC", 4) == 0))
        return HOLDS;
    if (c->at != NULL && a->span.len != 0) *c->at = a->span;
    return fails(c, "unknown order \"%.*s\"; known are \"ASC\" and \"DESC\"",
                 (int)(n < 40 ? n : 40), s);
}
