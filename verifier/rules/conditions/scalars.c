/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions about scalars: their types, and constants. */
#include "verifier/rules/conditions/condition.h"

/* A signless integer also fits its signed and unsigned twins, as there are no literals of those
 * types. */
static Answer judge_SCALAR_MISMATCH(const Case *c, const Rule *r) {
    const Type *s = case_type(c, r->a), *t = case_type(c, r->b);
    if (s == NULL || t == NULL || same_element(s, t)) return HOLDS;
    return answer(s->kind == TY_SCALAR && elem_infos[s->elem].cls == 'I' &&
                  elem_is_int((Elem)t->elem) &&
                  elem_int_width((Elem)s->elem) == elem_int_width((Elem)t->elem) &&
                  s->elem != ELEM_INDEX && s->elem != ELEM_ODD_INT && t->elem != ELEM_ODD_INT);
}

static void explain_SCALAR_MISMATCH(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has type %.*s, but the element type of %s is %.*s", case_name(c, r->a),
              TYPE_TEXT(c->judge, c->types[r->a]), case_name(c, r->b),
              ELEM_TEXT(c->judge, c->types[r->b]));
    if (r->row->when == WARN) sb_puts(out, "; it is converted");
}

static void describe_SCALAR_MISMATCH(const InstRow *r, StrBuf *out) {
    put_about(out, r);
    sb_printf(out, " %s the element type of %s; a signless integer fits its si and ui twins",
              row_names_several(r->row) ? "have" : "has", row_b_text(r));
}

CONDITION(SCALAR_MISMATCH, .id = DIAG_SCALAR_MISMATCH, .each = true, .says_type = true,
          .topic = TOPIC_ELEMENTS);

static Answer judge_SCALAR_EXACT(const Case *c, const Rule *r) {
    const Type *s = case_type(c, r->a), *t = case_type(c, r->b);
    return answer(s == NULL || t == NULL || same_element(s, t));
}

static void describe_SCALAR_EXACT(const InstRow *r, StrBuf *out) {
    put_about(out, r);
    sb_printf(out, " %s exactly the element type of %s", row_names_several(r->row) ? "have" : "has",
              row_b_text(r));
}

const Condition cond_SCALAR_EXACT = {
    .id = DIAG_SCALAR_MISMATCH,
    .each = true,
    .says_type = true,
    .topic = TOPIC_ELEMENTS,
    .fix =
        "Give the scalar the very element type: a signless integer does not stand for its signed "
        "or unsigned twin here.",
    .judge = judge_SCALAR_EXACT,
    .explain = explain_SCALAR_MISMATCH,
    .describe = describe_SCALAR_EXACT,
};

static Answer judge_CONST_RANGE(const Case *c, const Rule *r) {
    if (case_value(c, r->a) == NULL) return HOLDS;
    return settle(c, is_in_range(c, scalar_num(c, r->a), r->row));
}

static void explain_CONST_RANGE(const Case *c, const Rule *r, StrBuf *out) {
    int64_t v = 0;
    constant_operand(c, r->a, &v);
    sb_printf(out, "%s is %lld, expected ", case_name(c, r->a), (long long)v);
    put_range(out, r->row);
}

static void describe_CONST_RANGE(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    put_range(out, r->row);
}

CONDITION(CONST_RANGE, .id = DIAG_CONST_RANGE, .kind = BY_VALUE, .each = true,
          .topic = TOPIC_OTHER);
