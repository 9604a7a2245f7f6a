/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of values that the text gives for the lanes of a logical vector or mask: constants and
 * indices. */
#include "verifier/rules/checks/checks.h"

#include "ir/dense.h"

#include <string.h>

/* A `dense<..> : tensor<NxT>` of one dimension. */
typedef struct Lanes {
    Dense values;
    const char *elem; /* the element type of the tensor */
    size_t nelem;
    uint64_t count;
} Lanes;

/* Skips `name<` at p; NULL: something else is there. */
static const char *opened(const char *p, const char *e, const char *name) {
    const size_t n = strlen(name);
    return (size_t)(e - p) > n && memcmp(p, name, n) == 0 && p[n] == '<' ? p + n + 1 : NULL;
}

/* Reads the `NxT>` of a tensor or vector type, which ends the text. */
static bool read_shape(const char *p, const char *e, Lanes *d) {
    d->count = 0;
    const char *digits = p;
    for (; p < e && *p >= '0' && *p <= '9'; p++)
        if ((d->count = d->count * 10 + (uint64_t)(*p - '0')) > UINT32_MAX) return false;
    if (p == digits || p == e || *p != 'x' || e[-1] != '>') return false;
    d->elem = p + 1;
    d->nelem = (size_t)(e - 1 - d->elem);
    return true;
}

static bool read_lanes(const Interner *names, const Attr *a, Lanes *d) {
    if (a->type == NULL || !dense_open(&d->values, names, a)) return false;
    const char *type = atom_text(names, a->type->text),
               *end = type + atom_len(names, a->type->text);
    const char *shape = opened(type, end, "tensor");
    if (shape == NULL) shape = opened(type, end, "vector");
    return shape != NULL && read_shape(shape, end, d);
}

/* The elements are of the type, as all bytes of a string are. Those of 8-bit floats are not looked
 * into: no constant of them is known yet. */
static Answer are_elements(const Case *c, Dense d, Elem e) {
    Attr one;
    const bool known = elem_is_float(e) || elem_int_width(e) != 0;
    const uint32_t n = !known ? 0 : d.list ? d.n : 1;
    for (uint32_t i = 0; i < n; i++)
        if (!dense_next(&d, e, &one))
            return fails(c, "value %u is no %s", (unsigned)i, elem_infos[e].text);
    return HOLDS;
}

static Answer fits(const Case *c, const Rule *r, const Lanes *d) {
    const Type *t = case_type(c, r->a);
    const Interner *names = &c->judge->ctx->names;
    const bool mask = t->kind == TY_LANE_MASK;
    const char *elem = mask ? "i1" : atom_text(names, t->elem_type->text);
    const size_t n = mask ? 2 : atom_len(names, t->elem_type->text);
    if (d->nelem != n || memcmp(d->elem, elem, n) != 0)
        return fails(c, "the values are %.*s, expected %.*s", (int)d->nelem, d->elem, (int)n, elem);
    if (d->count != t->count)
        return fails(c, "%llu values, but %s has %u lanes", (unsigned long long)d->count,
                     case_name(c, r->a), t->count);
    const Elem e = mask ? ELEM_I1 : (Elem)t->elem;
    if (!dense_has(&d->values, e, t->count))
        return fails(c, "%u %s are listed, but %s has %u lanes", (unsigned)d->values.n,
                     d->values.raw ? "bytes" : "values", case_name(c, r->a), t->count);
    return are_elements(c, d->values, e);
}

Answer check_lane_values(const Case *c, const Rule *r) {
    const NamedAttr *a = op_attr_named(c->op, ATTR_value);
    const Type *t = case_type(c, r->a);
    if (a == NULL || t == NULL || !type_is_logical(t)) return HOLDS;
    const Interner *names = &c->judge->ctx->names;
    Lanes d;
    if (a->span.len != 0 && c->at != NULL && !c->judge->opt->compat) *c->at = a->span;
    if (!read_lanes(names, a->value, &d))
        return fails(c, "the value is not a list dense<..> : tensor<%ux%s>", t->count,
                     t->kind == TY_LANES ? elem_infos[t->elem].text : "i1");
    return fits(c, r, &d);
}

Answer check_lane_indices(const Case *c, const Rule *r) {
    const NamedAttr *a = op_attr_named(c->op, ATTR_indices);
    const Type *to = case_type(c, r->a), *from = case_type(c, r->b);
    if (a == NULL || to == NULL || from == NULL ||
        (a->value->kind != ATTR_DENSE && a->value->kind != ATTR_ARRAY))
        return HOLDS;
    if (a->value->n != to->count)
        return fails(c, "%u indices, but %s has %u lanes", a->value->n, case_name(c, r->a),
                     to->count);
    for (uint32_t i = 0; i < a->value->n; i++) {
        const Attr *item = a->value->items[i];
        if (item->kind == ATTR_INT && (item->i < 0 || item->i >= from->count))
            return fails(c, "index %lld of lane %u, but %s has %u lanes", (long long)item->i, i,
                         case_name(c, r->b), from->count);
    }
    return HOLDS;
}
