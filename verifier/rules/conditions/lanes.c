/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions about vector registers and logical vectors: how many lanes they have, and the masks of
 * these. About the values of single work items: scalars and short vectors. */
#include "verifier/rules/conditions/condition.h"

/* The bits of a lane; 0: the type is no register, or no mask governs its lanes. */
static unsigned lane_bits(const Type *t) {
    const Elem e = (Elem)t->elem;
    if ((t->kind != TY_VREG || elem_infos[e].cls == 'L') && t->kind != TY_LANES) return 0;
    const unsigned bits = elem_storage_bits(e);
    return bits == 8 || bits == 16 || bits == 32 ? bits : 0;
}

/* The bits of a lane that a mask is for; 0: the type is no mask, or fits all lanes. */
static unsigned mask_bits(const Type *t) {
    return t->kind == TY_MASK ? t->count : t->kind == TY_LANE_MASK ? t->width : 0;
}

static Answer judge_MASK_WIDTH(const Case *c, const Rule *r) {
    const Type *mask = case_type(c, r->a), *t = case_type(c, r->b);
    if (mask == NULL || t == NULL || mask_bits(mask) == 0 || lane_bits(t) == 0) return HOLDS;
    return answer(mask_bits(mask) == lane_bits(t));
}

static void explain_MASK_WIDTH(const Case *c, const Rule *r, StrBuf *out) {
    const Type *mask = c->types[r->a], *t = c->types[r->b];
    sb_printf(out, "%s has one bit for each %u bits, but lanes of %s have %u: expected %s<b%u>",
              case_name(c, r->a), mask_bits(mask), case_name(c, r->b), lane_bits(t),
              mask->kind == TY_MASK ? "!pto.mask" : "a mask", lane_bits(t));
}

static void describe_MASK_WIDTH(const InstRow *r, StrBuf *out) {
    put_about(out, r);
    sb_printf(out, " %s the granularity of the lanes of %s",
              row_names_several(r->row) ? "have" : "has", row_b_text(r));
}

const Condition cond_MASK_WIDTH = {
    .id = DIAG_MASK_WIDTH,
    .each = true,
    .says_type = true,
    .topic = TOPIC_ELEMENTS,
    .judge = judge_MASK_WIDTH,
    .explain = explain_MASK_WIDTH,
    .describe = describe_MASK_WIDTH,
};

static void put_masks(StrBuf *out, uint64_t set) {
    static const char *const names[] = {"", "!pto.mask<b8>", "!pto.mask<b16>", "",
                                        "!pto.mask<b32>"};
    put_names(out, set, names, 5);
}

static Answer judge_MASK_IS(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    return answer(t == NULL || t->kind != TY_MASK ||
                  ((uint64_t)1 << t->count / 8 & row_args(r->row)->set) != 0);
}

static void explain_MASK_IS(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has type !pto.mask<b%u>, expected ", case_name(c, r->a),
              c->types[r->a]->count);
    put_masks(out, row_args(r->row)->set);
}

static void describe_MASK_IS(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    put_masks(out, row_args(r->row)->set);
}

const Condition cond_MASK_IS = {
    .id = DIAG_MASK_WIDTH,
    .each = true,
    .says_type = true,
    .topic = TOPIC_ELEMENTS,
    .judge = judge_MASK_IS,
    .explain = explain_MASK_IS,
    .describe = describe_MASK_IS,
};

static bool has_lanes(const Type *t) {
    return t->kind == TY_VREG || type_is_logical(t);
}

static Answer judge_LANE_COUNT(const Case *c, const Rule *r) {
    const Type *a = case_type(c, r->a), *b = case_type(c, r->b);
    return answer(a == NULL || b == NULL || !has_lanes(a) || !has_lanes(b) || a->count == b->count);
}

static void explain_LANE_COUNT(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has %u lanes but %s has %u", case_name(c, r->a), c->types[r->a]->count,
              case_name(c, r->b), c->types[r->b]->count);
}

static void describe_LANE_COUNT(const InstRow *r, StrBuf *out) {
    put_both_operands(out, r);
    sb_puts(out, " have equally many lanes");
}

const Condition cond_LANE_COUNT = {
    .id = DIAG_LANE_COUNT,
    .each = true,
    .before_reason = "; they must have equally many",
    .topic = TOPIC_ELEMENTS,
    .judge = judge_LANE_COUNT,
    .explain = explain_LANE_COUNT,
    .describe = describe_LANE_COUNT,
};

static Answer judge_VALUE_TYPE(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    if (t == NULL) return HOLDS;
    if (t->kind == TY_SCALAR) return answer((row_args(r->row)->set & ELEM_BIT(t->elem)) != 0);
    return answer(t->kind == TY_VECTOR && t->count <= UINT8_MAX &&
                  in_pairs(row_list(r->row), t->elem, t->count));
}

static void put_value_types(StrBuf *out, const RuleRow *row) {
    unsigned left = 0;
    for (const uint8_t *p = row_list(row); p[0] != 0; p += 2)
        left++;
    for (int e = 1; e < ELEM_COUNT; e++)
        left += (row_args(row)->set >> e & 1) != 0;
    for (int e = 1; e < ELEM_COUNT; e++)
        if ((row_args(row)->set >> e & 1) != 0) {
            sb_puts(out, elem_infos[e].text);
            left--;
            sb_puts(out, left > 1 ? ", " : left == 1 ? " or " : "");
        }
    for (const uint8_t *p = row_list(row); p[0] != 0; p += 2) {
        sb_printf(out, "vector<%ux%s>", p[1], elem_infos[p[0]].text);
        left--;
        sb_puts(out, left > 1 ? ", " : left == 1 ? " or " : "");
    }
}

static void explain_VALUE_TYPE(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has type %.*s, expected ", case_name(c, r->a),
              TYPE_TEXT(c->judge, c->types[r->a]));
    put_value_types(out, r->row);
}

static void describe_VALUE_TYPE(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    put_value_types(out, r->row);
}

const Condition cond_VALUE_TYPE = {
    .id = DIAG_ELEM_TYPE,
    .each = true,
    .has_pairs = true,
    .says_type = true,
    .topic = TOPIC_ELEMENTS,
    .judge = judge_VALUE_TYPE,
    .explain = explain_VALUE_TYPE,
    .describe = describe_VALUE_TYPE,
};
