/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of conversions, sums, and numbers of lanes. */
#include "verifier/rules/checks/checks.h"
#include "verifier/rules/words.h"

#include <string.h>

/* ---- conversions ---- */

/* What `part` names: nothing, one of two narrow lanes, or one of four. */
typedef enum Part { WHOLE, PAIR, QUARTER } Part;

typedef struct Conversion {
    uint8_t from, to;
    uint8_t modes; /* of rnd, by LANES_ROUND_*; 0: rnd is not given */
    bool saturates;
    uint8_t part; /* Part */
} Conversion;

static const Conversion table[] = {
#define VCVT(from, to, modes, saturates, part) {ELEM_##from, ELEM_##to, modes, saturates, part},
#include "verifier/rules/conversions.def"
#undef VCVT
};
enum { CONVERSIONS = sizeof table / sizeof *table };

/* A signed type is the one without a sign. */
static bool is_elem(const Type *t, unsigned elem) {
    const ElemInfo *is = &elem_infos[t->elem], *want = &elem_infos[elem];
    return t->elem == elem || (is->cls == 'S' && want->cls == 'I' && is->bytes == want->bytes);
}

static const Conversion *conversion_of(const Type *from, const Type *to) {
    for (unsigned i = 0; from != NULL && to != NULL && i < CONVERSIONS; i++)
        if (is_elem(from, table[i].from) && is_elem(to, table[i].to)) return &table[i];
    return NULL;
}

Answer check_conversion(const Case *c, const Rule *r) {
    const Type *from = case_type(c, r->b), *to = case_type(c, r->a);
    if (from == NULL || to == NULL || conversion_of(from, to) != NULL) return HOLDS;
    ElemSet set = 0;
    for (unsigned i = 0; i < CONVERSIONS; i++)
        if (is_elem(from, table[i].from)) set |= ELEM_BIT(table[i].to);
    fails(c, "%s lanes are not converted to %s", elem_infos[from->elem].text,
          elem_infos[to->elem].text);
    if (c->why != NULL && set != 0) {
        sb_puts(c->why, ", only to ");
        put_elem_set(c->why, set);
    }
    return false;
}

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

/* The values that an attribute of a conversion may have, as bits; 0: it is not given. */
static uint64_t allowed(const Conversion *v, const char *name) {
    static const uint8_t parts[] = {
        [WHOLE] = 0,
        [PAIR] = 1 << LANES_EVEN | 1 << LANES_ODD,
        [QUARTER] = 15 << LANES_P0,
    };
    return name[0] == 'r' ? v->modes : name[0] == 's' ? 3u * v->saturates : parts[v->part];
}

/* Writes why an attribute is not as the conversion wants it. */
static bool blame(const Case *c, const Conversion *v, const AttrInfo *info, const NamedAttr *a) {
    if (c->why == NULL) return false;
    const uint64_t set = allowed(v, info->name);
    if (a != NULL && a->span.len != 0 && c->at != NULL) *c->at = a->span;
    sb_printf(c->why, "from %s to %s ", elem_infos[v->from].text, elem_infos[v->to].text);
    if (set == 0) {
        sb_printf(c->why, "there is no %s", info->name);
        return false;
    }
    sb_printf(c->why, "%s is %s", info->name, a == NULL ? "needed: " : "");
    put_attr_values(c->why, info, set);
    if (a != NULL)
        sb_printf(c->why, ", found %s", enum_infos[info->family].values[a->value->i].text);
    return false;
}

Answer check_conversion_attrs(const Case *c, const Rule *r) {
    const Conversion *v = conversion_of(case_type(c, r->b), case_type(c, r->a));
    const Inst *inst = c->op->inst;
    for (int i = 0; v != NULL && i < inst->nattrs; i++) {
        const NamedAttr *a = op_attr(c->judge->ctx, c->op, i);
        const uint64_t set = allowed(v, inst->attrs[i].name);
        const bool fits =
            a == NULL ? set == 0 : a->value->kind == ATTR_ENUM && (set >> a->value->i & 1) != 0;
        if (!fits) return blame(c, v, &inst->attrs[i], a);
    }
    return HOLDS;
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
    const NamedAttr *a = op_attr_named(c->judge->ctx, c->op, "order");
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
