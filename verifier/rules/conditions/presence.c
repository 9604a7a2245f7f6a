/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions about the presence of operands, and of instructions in a profile. */
#include "verifier/rules/conditions/condition.h"

static Answer judge_OPERAND_REQUIRED(const Case *c, const Rule *r) {
    return answer(c->types[r->a] != NULL);
}

static void explain_OPERAND_REQUIRED(const Case *c, const Rule *r, StrBuf *out) {
    const bool tmp = r->row->id == DIAG_TMP_REQUIRED;
    sb_printf(out, tmp ? "requires explicit %s" : "%s is missing", case_name(c, r->a));
}

static void describe_OPERAND_REQUIRED(const InstRow *r, StrBuf *out) {
    put_about(out, r);
    sb_printf(out, " %s given", row_names_several(r->row) ? "are" : "is");
}

CONDITION(OPERAND_REQUIRED, .id = DIAG_OPERAND_REQUIRED, .before_reason = ", needed",
          .topic = TOPIC_OTHER);

static Answer judge_OPERAND_CONFLICT(const Case *c, const Rule *r) {
    return answer(c->types[r->a] == NULL);
}

static void explain_OPERAND_CONFLICT(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s is not allowed", case_name(c, r->a));
}

static void describe_OPERAND_CONFLICT(const InstRow *r, StrBuf *out) {
    put_about(out, r);
    sb_printf(out, " %s not given", row_names_several(r->row) ? "are" : "is");
}

CONDITION(OPERAND_CONFLICT, .id = DIAG_OPERAND_CONFLICT, .topic = TOPIC_OTHER);

static Answer judge_COUNT_RANGE(const Case *c, const Rule *r) {
    int64_t n = slot_count(c->op, r->a);
    return answer(n >= row_args(r->row)->lo && n <= row_args(r->row)->hi);
}

static void explain_COUNT_RANGE(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has %u operands, expected ", case_name(c, r->a), slot_count(c->op, r->a));
    put_range(out, r->row);
}

static void describe_COUNT_RANGE(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    sb_puts(out, "number of operands ");
    put_range(out, r->row);
}

CONDITION(COUNT_RANGE, .id = DIAG_OPERAND_COUNT, .kind = BY_VALUE, .topic = TOPIC_OTHER,
          .fix = "Pass as many operands as the message expects.");

static Answer judge_NOT_IN_PROFILE(const Case *c, const Rule *r) {
    (void)c;
    (void)r;
    return FAILS;
}

static void explain_NOT_IN_PROFILE(const Case *c, const Rule *r, StrBuf *out) {
    (void)r;
    sb_printf(out, "%s has no such instruction or form", profile_names[c->profile]);
}

static void describe_NOT_IN_PROFILE(const InstRow *r, StrBuf *out) {
    sb_puts(out, r->row->guard != 0 ? "this form does not exist here" : "does not exist here");
}

CONDITION(NOT_IN_PROFILE, .id = DIAG_NOT_IN_PROFILE, .each = true, .topic = TOPIC_OTHER);

static Answer judge_NOT_IN_PTOAS(const Case *c, const Rule *r) {
    (void)c;
    (void)r;
    return FAILS;
}

static void explain_NOT_IN_PTOAS(const Case *c, const Rule *r, StrBuf *out) {
    const Inst *inst = c->op->inst;
    if (r->row->when == DEPRECATED && inst->rare->replacement != NULL)
        sb_printf(out, "an older spelling; the newer one is %s", inst->rare->replacement);
    else
        sb_puts(out, "PTOAS 0.60 does not know this form");
}

static void describe_NOT_IN_PTOAS(const InstRow *r, StrBuf *out) {
    sb_puts(out, r->row->guard != 0 ? "the vendor's assembler does not read this form"
                                    : "the vendor's assembler does not know it");
}

CONDITION(NOT_IN_PTOAS, .id = DIAG_NOT_IN_PTOAS, .each = true, .no_reason = true,
          .topic = TOPIC_OTHER);
