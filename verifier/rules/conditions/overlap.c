/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions about storage that operands share. */
#include "verifier/rules/conditions/condition.h"

static Answer judge_DISTINCT_OPERANDS(const Case *c, const Rule *r) {
    const Value *a = case_value(c, r->a), *b = case_value(c, r->b);
    return answer(a == NULL || a != b);
}

static void explain_DISTINCT_OPERANDS(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s and %s are the same tile, but may not share storage", case_name(c, r->a),
              case_name(c, r->b));
}

static void describe_DISTINCT_OPERANDS(const InstRow *r, StrBuf *out) {
    put_both_operands(out, r);
    sb_puts(out, " are different tiles");
}

CONDITION(DISTINCT_OPERANDS, .id = DIAG_DISTINCT_OPERANDS, .kind = BY_VALUE, .topic = TOPIC_OTHER);

static Answer judge_OPERAND_OVERLAP(const Case *c, const Rule *r) {
    return settle(c, is_apart(c, r->a, r->b));
}

static void explain_OPERAND_OVERLAP(const Case *c, const Rule *r, StrBuf *out) {
    put_shared_storage(c, r->a, r->b, out);
}

static void describe_OPERAND_OVERLAP(const InstRow *r, StrBuf *out) {
    put_both_operands(out, r);
    sb_puts(out, " share no byte");
}

CONDITION(OPERAND_OVERLAP, .id = DIAG_OPERAND_OVERLAP, .kind = BY_VALUE, .no_reason = true,
          .topic = TOPIC_OTHER);
