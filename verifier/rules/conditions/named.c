/* SPDX-License-Identifier: Apache-2.0 */
/* The condition that points to a named function. */
#include "support/packed.h"
#include "verifier/rules/checks/checks.h"
#include "verifier/rules/conditions/condition.h"

static Answer judge_CHECK(const Case *c, const Rule *r) {
    return row_fn(r->row)(c, r);
}

static void explain_CHECK(const Case *c, const Rule *r, StrBuf *out) {
    Case asked = *c;
    asked.why = out;
    (void)row_fn(r->row)(&asked, r);
}

CheckFn *const check_fns[] = {
    NULL,
#define CHECK_FN(name, demand) name,
#include "verifier/rules/checks.def"
#undef CHECK_FN
};

static void describe_CHECK(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    sb_puts(out, packed_text(&demand_texts, r->row->more - 1U)); /* 0: no function */
}

CONDITION(CHECK, .id = DIAG_COUNT, .says_type = true, .no_reason = true, .topic = TOPIC_OTHER);
