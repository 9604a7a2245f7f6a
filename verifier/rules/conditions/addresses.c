/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions about addresses of on-chip memory that constants decide. */
#include "ir/number.h"
#include "verifier/rules/conditions/condition.h"

/* Where an access begins, in bytes. */
typedef struct Access {
    bool known;
    int64_t at;
} Access;

static int64_t pointee_bytes(const Type *ptr) {
    return elem_infos[ptr->elem].bytes;
}

/* Follows a pointer to the constant that it was cast from. */
static Access pointer_address(const Value *v) {
    enum { MOST_STEPS = 64 };
    Access a = {.known = false};
    for (unsigned i = 0; i < MOST_STEPS && v != NULL && v->def != NULL; i++) {
        const Op *op = v->def;
        int64_t n;
        if (op_is(op, INST_ADDPTR)) {
            if (!number_known(slot_value(op, 1), &n)) return a;
            if (__builtin_mul_overflow(n, pointee_bytes(v->type), &n) ||
                __builtin_add_overflow(a.at, n, &a.at))
                return a;
        } else if (!op_is(op, INST_CASTPTR)) {
            return a;
        } else if (slot_value(op, 0)->type->kind != TY_PTR) {
            a.known =
                number_known(slot_value(op, 0), &n) && !__builtin_add_overflow(a.at, n, &a.at);
            return a;
        }
        v = slot_value(op, 0);
    }
    return a;
}

/* An offset counts elements of the pointer, or units of `multiple` bytes; where the statement
 * returns the next address it counts afterwards. */
static Access access_of(const Case *c, const Rule *r) {
    const Value *v = case_value(c, r->a);
    if (v == NULL || v->type->kind != TY_PTR) return (Access){.known = false};
    Access a = pointer_address(v);
    const Inst *inst = c->op->inst;
    const bool after = inst->nresults > 0 && inst->results[inst->nresults - 1].optional &&
                       c->op->nresults == inst->nresults;
    if (r->b < 0 || after || !a.known) return a;
    const int32_t unit = row_args(r->row)->multiple;
    int64_t n;
    a.known = constant_operand(c, r->b, &n) &&
              !__builtin_mul_overflow(n, unit != 0 ? unit : pointee_bytes(v->type), &n) &&
              !__builtin_add_overflow(a.at, n, &a.at);
    return a;
}

/* The bytes of an element where a row says 0. */
static int64_t alignment(const Case *c, const Rule *r) {
    const int32_t lo = row_args(r->row)->lo;
    return lo != 0 ? lo : pointee_bytes(case_type(c, r->a));
}

static Answer judge_ACCESS_ALIGNMENT(const Case *c, const Rule *r) {
    const Access a = access_of(c, r);
    const int64_t unit = a.known ? alignment(c, r) : 0;
    return answer(unit <= 1 || a.at % unit == 0);
}

static void explain_ACCESS_ALIGNMENT(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "the access through %s begins at byte %lld, expected a multiple of %lld",
              case_name(c, r->a), (long long)access_of(c, r).at, (long long)alignment(c, r));
}

static void describe_ACCESS_ALIGNMENT(const InstRow *r, StrBuf *out) {
    const int32_t lo = row_args(r->row)->lo;
    sb_puts(out, "a constant address of ");
    put_about(out, r);
    sb_puts(out, " is a multiple of ");
    if (lo == 0)
        sb_puts(out, "the bytes of an element");
    else
        sb_printf(out, "%d", lo);
}

const Condition cond_ACCESS_ALIGNMENT = {
    .kind = BY_VALUE,
    .id = DIAG_ADDRESS_ALIGNMENT,
    .topic = TOPIC_OTHER,
    .judge = judge_ACCESS_ALIGNMENT,
    .explain = explain_ACCESS_ALIGNMENT,
    .describe = describe_ACCESS_ALIGNMENT,
};

static int64_t space_bytes(const Case *c, const Rule *r) {
    return profile_capacity(c->profile, case_type(c, r->a)->space);
}

static Answer judge_ACCESS_RANGE(const Case *c, const Rule *r) {
    const Access a = access_of(c, r);
    if (!a.known || space_bytes(c, r) <= 0) return HOLDS;
    return answer(a.at >= 0 && a.at <= space_bytes(c, r) - row_args(r->row)->hi);
}

static void explain_ACCESS_RANGE(const Case *c, const Rule *r, StrBuf *out) {
    const int64_t at = access_of(c, r).at;
    if (row_args(r->row)->hi == 1) {
        sb_printf(out, "the access through %s begins at byte %lld of a memory of %lld",
                  case_name(c, r->a), (long long)at, (long long)space_bytes(c, r));
        return;
    }
    sb_printf(out, "the access through %s is to the bytes from %lld to %lld of a memory of %lld",
              case_name(c, r->a), (long long)at, (long long)(at + row_args(r->row)->hi - 1),
              (long long)space_bytes(c, r));
}

static void describe_ACCESS_RANGE(const InstRow *r, StrBuf *out) {
    if (row_args(r->row)->hi == 1)
        sb_printf(out, "a constant address of %s is inside its memory", row_a_text(r));
    else
        sb_printf(out, "%d bytes from a constant address of %s on are inside its memory",
                  row_args(r->row)->hi, row_a_text(r));
}

const Condition cond_ACCESS_RANGE = {
    .kind = BY_VALUE,
    .id = DIAG_ADDRESS_RANGE,
    .topic = TOPIC_OTHER,
    .judge = judge_ACCESS_RANGE,
    .explain = explain_ACCESS_RANGE,
    .describe = describe_ACCESS_RANGE,
};
