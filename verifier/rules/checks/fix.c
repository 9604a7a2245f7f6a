/* SPDX-License-Identifier: Apache-2.0 */
/* Named functions of the rules about the way out of the accumulator: its clauses. */
#include "verifier/rules/buffers.h"
#include "verifier/rules/checks/checks.h"
#include "verifier/rules/vocabulary.h"

#include <string.h>

static const ElemSet float_set = E_FLOATS_32;

static Elem elem_of(const Case *c, int slot) {
    return buffer_elem(c->judge->ctx, case_type(c, slot));
}

static bool is_in(Elem e, ElemSet set) {
    return (ELEM_BIT(e) & set) != 0;
}

/* Returns the word of an attribute; NULL: it is not there. */
static const char *word_of(const Case *c, AttrName name) {
    const NamedAttr *a = op_attr_named(c->op, name);
    if (a == NULL || a->value->kind != ATTR_ENUM) return NULL;
    return enum_infos[a->value->family].values[a->value->i].text;
}

/* What a quantisation converts: its source, and the elements it makes. */
typedef struct Quant {
    const char *name; /* without _vec and _scalar */
    bool from_int;
    bool to_int4;
    ElemSet to;
} Quant;

static const Quant quants[] = {
    {"f32_f16", false, false, E(F16)},
    {"f32_bf16", false, false, E(BF16)},
    {"qf322hif8_pre", false, false, E_F8 | E(HIF8)},
    {"qf322hif8_pre_hybrid", false, false, E_F8 | E(HIF8)},
    {"qf322fp8_pre", false, false, E_F8 | E(HIF8)},
    {"qf322f32_pre", false, false, E(F32)},
    {"qf162b8_pre", false, false, E_W8},
    {"qf322b8_pre", false, false, E_W8},
    {"qf162s4_pre", false, true, 0},
    {"qf322s4_pre", false, true, 0},
    {"qf322f16_pre", false, false, E(F16)},
    {"qf322bf16_pre", false, false, E(BF16)},
    {"deqs32_int", true, false, E_I32},
    {"req8", true, false, E_W8},
    {"deqf16", true, false, E(F16)},
    {"deqs16", true, false, E_I16},
    {"qf162s16_pre", true, false, E_I16},
    {"qs322bf16_pre", true, false, E(BF16)},
};

/* Returns the quantisation of a mode; NULL for no_convert, and for req4, which has no source. */
static const Quant *quant_named(const char *mode) {
    size_t n = strlen(mode);
    if (n > 4 && strcmp(mode + n - 4, "_vec") == 0)
        n -= 4;
    else if (n > 7 && strcmp(mode + n - 7, "_scalar") == 0)
        n -= 7;
    for (size_t i = 0; i < sizeof quants / sizeof quants[0]; i++)
        if (strlen(quants[i].name) == n && memcmp(quants[i].name, mode, n) == 0) return &quants[i];
    return NULL;
}

/* Returns the mode that converts; NULL: none does. */
static const char *quant_mode(const Case *c) {
    const char *mode = word_of(c, ATTR_pre_quant_mode);
    return mode != NULL && strcmp(mode, "no_convert") != 0 ? mode : NULL;
}

static bool is_vector(const char *mode) {
    const size_t n = strlen(mode);
    return n > 4 && strcmp(mode + n - 4, "_vec") == 0;
}

/* A vector of factors is in fb, a single one is a number. */
static Answer check_factor(const Case *c, int slot, const char *mode, bool vector) {
    const Type *t = case_type(c, slot);
    if (!vector)
        return (t->kind == TY_SCALAR && is_in((Elem)t->elem, float_set))
                   ? HOLDS
                   : fails(c, "%s has type %.*s, expected f16, bf16 or f32 (%s)",
                           case_name(c, slot), TYPE_TEXT(c->judge, t), mode);
    return (t->kind == TY_PTR && t->space == SPACE_SCALING && is_in((Elem)t->elem, float_set))
               ? HOLDS
               : fails(c, "%s has type %.*s, expected a pointer to f16, bf16 or f32 in fb (%s)",
                       case_name(c, slot), TYPE_TEXT(c->judge, t), mode);
}

Answer check_quant_factor(const Case *c, const Rule *r) {
    const char *mode = quant_mode(c);
    if (mode == NULL || case_type(c, r->a) == NULL) return HOLDS;
    return check_factor(c, r->a, mode, is_vector(mode));
}

Answer check_relu_factor(const Case *c, const Rule *r) {
    const char *mode = word_of(c, ATTR_pre_relu_mode);
    if (mode == NULL || case_type(c, r->a) == NULL) return HOLDS;
    const bool vector = strcmp(mode, "vector_relu") == 0;
    if (!vector && strcmp(mode, "scalar_relu") != 0) return HOLDS;
    return check_factor(c, r->a, mode, vector);
}

Answer check_quant_source(const Case *c, const Rule *r) {
    const char *mode = quant_mode(c);
    if (mode == NULL || case_type(c, r->a) == NULL) return HOLDS;
    return is_in(elem_of(c, r->a), E(F32) | E_I32)
               ? HOLDS
               : fails(c, "%s has type %.*s, expected elements f32 or i32 with pre_quant",
                       case_name(c, r->a), TYPE_TEXT(c->judge, case_type(c, r->a)));
}

Answer check_quant_pair(const Case *c, const Rule *r) {
    const char *mode = quant_mode(c);
    if (mode == NULL || case_type(c, r->a) == NULL || case_type(c, r->b) == NULL) return HOLDS;
    const Quant *q = quant_named(mode);
    const Type *to = case_type(c, r->b);
    const bool from = q != NULL && q->from_int == (elem_of(c, r->a) != ELEM_F32);
    const bool fits = from && (q->to_int4 ? buffer_is_int4(to) : is_in(elem_of(c, r->b), q->to));
    return fits ? HOLDS
                : fails(c, "%s does not convert %.*s to %.*s", mode,
                        TYPE_TEXT(c->judge, case_type(c, r->a)), TYPE_TEXT(c->judge, to));
}

/* The kinds of elements that a clip is for. */
static bool takes_clip(Elem e, const Type *t) {
    return buffer_is_int4(t) || is_in(e, E(F16) | E(UI8) | E_I8 | E_I16);
}

Answer check_clip_target(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    return t == NULL || takes_clip(elem_of(c, r->a), t)
               ? HOLDS
               : fails(
                     c,
                     "%s has type %.*s; a clip needs elements f16, ui8, or signed of 4, 8, 16 bits",
                     case_name(c, r->a), TYPE_TEXT(c->judge, t));
}

Answer check_clip_value(const Case *c, const Rule *r) {
    const Type *clip = case_type(c, r->a), *t = case_type(c, r->b);
    if (clip == NULL || t == NULL || !takes_clip(elem_of(c, r->b), t)) return HOLDS;
    const Elem to = elem_of(c, r->b), is = (Elem)clip->elem;
    if (to == ELEM_F16)
        return is == ELEM_F16 ? HOLDS
                              : fails(c, "%s has type %.*s, expected f16", case_name(c, r->a),
                                      TYPE_TEXT(c->judge, clip));
    if (to == ELEM_UI8)
        return is_in(is, E(UI16) | E(I16)) ? HOLDS
                                           : fails(c, "%s has type %.*s, expected ui16 or i16",
                                                   case_name(c, r->a), TYPE_TEXT(c->judge, clip));
    return buffer_is_int4(clip) || is_in(is, E_I8 | E_I16)
               ? HOLDS
               : fails(c, "%s has type %.*s, expected a signed integer of 4, 8 or 16 bits",
                       case_name(c, r->a), TYPE_TEXT(c->judge, clip));
}

/* Flags are kept per block of the plain order of columns. */
Answer check_flagged_column(const Case *c, const Rule *r) {
    int64_t n;
    if (case_type(c, r->a) == NULL || (constant_operand(c, r->a, &n) && n == 1)) return HOLDS;
    if (c->at != NULL) *c->at = c->op->name_span;
    return fails(c, "%s must be the constant 1 with unit_flag and nz2dn", case_name(c, r->a));
}

Answer check_split_channels(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    return t == NULL || elem_of(c, r->a) == ELEM_F32
               ? HOLDS
               : fails(c, "%s has type %.*s, expected elements f32 with nz2nz", case_name(c, r->a),
                       TYPE_TEXT(c->judge, t));
}
