/* The condition that points to a named function. */
#include "verifier/conditions/condition.h"

static Answer judge_CHECK(const Case *c, const Rule *r) {
    return r->row->fn(c, r);
}

static void explain_CHECK(const Case *c, const Rule *r, StrBuf *out) {
    Case asked = *c;
    asked.why = out;
    (void)r->row->fn(&asked, r);
}

static void describe_CHECK(const InstRow *r, StrBuf *out) {
    static const struct {
        Answer (*fn)(const Case *, const Rule *);
        const char *demand;
    } checks[] = {
#define CHECK_FN(name, demand) {name, demand},
#include "verifier/rules/checks.def"
#undef CHECK_FN
    };
    put_subject(out, r->row);
    for (unsigned i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (checks[i].fn == r->row->fn) sb_puts(out, checks[i].demand);
}

const Condition cond_CHECK = {
    .id = DIAG_COUNT,
    .says_type = true,
    .no_reason = true,
    .topic = TOPIC_OTHER,
    .judge = judge_CHECK,
    .explain = explain_CHECK,
    .describe = describe_CHECK,
};
