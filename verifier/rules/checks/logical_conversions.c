/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions of logical vectors: which pairs of element types have one, and with which attributes.
 * The older instructions each do one kind of them. */
#include "verifier/rules/checks/checks.h"

#include <string.h>

/* Kinds of conversions, each with the name of the instruction that does only it. */
typedef enum Kind {
    NO_CONVERSION,
    EXTF,
    TRUNCF,
    FPTOSI,
    FPTOUI,
    SITOFP,
    EXTSI,
    EXTUI,
    TRUNCI
} Kind;

static const char *const own_names[] = {"",       "extf",  "truncf", "fptosi", "fptoui",
                                        "sitofp", "extsi", "extui",  "trunci"};

static Kind kind_named(const char *name) {
    for (unsigned i = EXTF; i <= TRUNCI; i++)
        if (strcmp(name, own_names[i]) == 0) return (Kind)i;
    return NO_CONVERSION;
}

/* A float that is one number in each lane, of 8 bits or more. */
static bool is_number(unsigned e) {
    return elem_infos[e].format.real && e != ELEM_F64 && e != ELEM_TF32 && e != ELEM_F8E8M0;
}

static Kind float_to_float(unsigned from, unsigned to) {
    if (from == ELEM_BF16X2 && elem_is_fp4((Elem)to)) return TRUNCF;
    if (elem_is_fp4((Elem)from) && to == ELEM_BF16X2) return EXTF;
    if (!is_number(from) || !is_number(to)) return NO_CONVERSION;
    const unsigned x = elem_storage_bits((Elem)from), y = elem_storage_bits((Elem)to);
    if (x == y) return from == ELEM_BF16 && to == ELEM_F16 ? TRUNCF : NO_CONVERSION;
    return x < y ? EXTF : TRUNCF;
}

static Kind float_to_int(unsigned from, unsigned to) {
    const ElemInfo *t = &elem_infos[to];
    if (t->cls != 'S') return from == ELEM_F16 && t->bytes == 1 ? FPTOUI : NO_CONVERSION;
    if (to == ELEM_SI32)
        return from == ELEM_F32 || from == ELEM_F16 || from == ELEM_BF16 ? FPTOSI : NO_CONVERSION;
    if (to == ELEM_SI16) return from == ELEM_F32 || from == ELEM_F16 ? FPTOSI : NO_CONVERSION;
    return to == ELEM_SI8 && from == ELEM_F16 ? FPTOSI : NO_CONVERSION;
}

static Kind int_to_int(const ElemInfo *from, const ElemInfo *to) {
    if (from->bytes > to->bytes) return TRUNCI;
    if (from->bytes == to->bytes || (from->cls == 'S') != (to->cls == 'S')) return NO_CONVERSION;
    return from->cls == 'S' ? EXTSI : EXTUI;
}

static Kind kind_of(unsigned from, unsigned to) {
    const ElemInfo *f = &elem_infos[from], *t = &elem_infos[to];
    const bool from_int = elem_is_int((Elem)from), to_int = elem_is_int((Elem)to);
    if (from_int && to_int) return int_to_int(f, t);
    if (from_int)
        return f->cls == 'S' && (to == ELEM_F16 || to == ELEM_F32) ? SITOFP : NO_CONVERSION;
    return to_int ? float_to_int(from, to) : float_to_float(from, to);
}

static Kind conversion(const Case *c, const Rule *r, const Type **from, const Type **to) {
    *to = case_type(c, r->a);
    *from = case_type(c, r->b);
    if (*from == NULL || *to == NULL || (*from)->kind != TY_LANES || (*to)->kind != TY_LANES)
        return NO_CONVERSION;
    return kind_of((*from)->elem, (*to)->elem);
}

Answer check_lane_conversion(const Case *c, const Rule *r) {
    const Type *from, *to;
    const Kind kind = conversion(c, r, &from, &to);
    const Kind own = kind_named(strrchr(c->op->inst->name, '.') + 1);
    if (from == NULL || to == NULL) return HOLDS;
    if (kind == NO_CONVERSION)
        return fails(c, "no conversion of %s to %s%s", elem_infos[from->elem].text,
                     elem_infos[to->elem].text,
                     elem_infos[from->elem].cls == 'I' || elem_infos[to->elem].cls == 'I'
                         ? "; a signless integer is unsigned"
                         : "");
    return own == NO_CONVERSION || own == kind
               ? HOLDS
               : fails(c, "%s becomes %s by pto.vmi.%s", elem_infos[from->elem].text,
                       elem_infos[to->elem].text, own_names[kind]);
}

static bool saturates(Kind kind, unsigned from, unsigned to) {
    if (kind == TRUNCF) return !elem_is_fp4((Elem)to);
    if (kind == FPTOSI) return !(from == ELEM_F16 && to == ELEM_SI32);
    return kind == FPTOUI || kind == TRUNCI;
}

Answer check_lane_saturate(const Case *c, const Rule *r) {
    const Type *from, *to;
    const Kind kind = conversion(c, r, &from, &to);
    const NamedAttr *a = op_attr_named(c->op, ATTR_saturate);
    if (kind == NO_CONVERSION) return HOLDS;
    const char *x = elem_infos[from->elem].text, *y = elem_infos[to->elem].text;
    const bool wanted = saturates(kind, from->elem, to->elem);
    if (a != NULL && a->span.len != 0 && c->at != NULL) *c->at = a->span;
    if (wanted && a == NULL)
        return fails(c, "a conversion of %s to %s needs saturate: \"SAT\" or \"NOSAT\"", x, y);
    if (!wanted && a != NULL)
        return fails(c, "a conversion of %s to %s has no saturate: nothing is out of range", x, y);
    /* The vendor's verifier looks at it in pto.vmi.vcvt only. */
    const bool asks = op_is(c->op, INST_VMI_VCVT) || !c->judge->opt->compat;
    if (asks && from->elem == ELEM_SI32 && to->elem == ELEM_SI8 && a->value->kind == ATTR_ENUM &&
        enum_number(a->value) != 0)
        return fails(c, "a conversion of si32 to si8 does not saturate: expected \"NOSAT\"");
    return HOLDS;
}

Answer check_lane_rounding(const Case *c, const Rule *r) {
    const Type *from, *to;
    const Kind kind = conversion(c, r, &from, &to);
    const NamedAttr *a = op_attr_named(c->op, ATTR_rounding);
    if (kind == NO_CONVERSION || a == NULL || a->value->kind != ATTR_ENUM) return HOLDS;
    const bool narrow = kind == TRUNCF, whole = kind == FPTOSI || kind == FPTOUI;
    if (a->span.len != 0 && c->at != NULL) *c->at = a->span;
    if (!narrow && !whole)
        return fails(c, "a conversion of %s to %s does not round", elem_infos[from->elem].text,
                     elem_infos[to->elem].text);
    const char *modes = narrow && !elem_is_fp4((Elem)to->elem) ? "RAHZ" : "RAFCZ";
    const char *word = enum_infos[a->value->family].values[a->value->i].text;
    return strchr(modes, word[0]) != NULL
               ? HOLDS
               : fails(c, "a conversion of %s to %s rounds by one of %s, not by %s",
                       elem_infos[from->elem].text, elem_infos[to->elem].text,
                       modes[2] == 'H' ? "R, A, H or Z" : "R, A, F, C or Z", word);
}
