/* SPDX-License-Identifier: Apache-2.0 */
/* The table of conditions, and functions that need only a record. */
#include "verifier/rules/conditions/condition.h"

#include <string.h>

const Condition *const conditions[C_COUNT] = {
#define COND(name) &cond_##name,
#include "verifier/rules/conditions.def"
#undef COND
};

bool rule_about_attribute(const RuleRow *row) {
    return conditions[row->cond]->kind == BY_ATTRIBUTE;
}

bool cond_is_by_type(const RuleRow *row) {
    return row->cond == C_CHECK ? row->types_only : conditions[row->cond]->kind == BY_TYPE;
}

const char *row_hint(const RuleRow *row) {
    return row->cond == C_CHECK || conditions[row->cond]->has_pairs ? NULL : row_text(row->more);
}

const char *row_fix(const RuleRow *row) {
    const char *fix = conditions[row->cond]->fix;
    return fix != NULL ? fix : diag_doc((DiagId)row->id).fix;
}

/* Returns the guard that explains why the rule applies; `not empty` is not worth mentioning. */
static const char *reason_of(const RuleRow *row) {
    bool silent = conditions[row->cond]->no_reason || row_guard(row) == NULL ||
                  strstr(row_guard(row), ".!empty") != NULL;
    return silent ? NULL : row_guard(row);
}

void cond_explain(const Case *c, const Rule *r, StrBuf *out) {
    const Condition *cond = conditions[r->row->cond];
    cond->explain(c, r, out);
    const char *reason = reason_of(r->row);
    if (reason == NULL) return;
    if (cond->before_reason != NULL) sb_puts(out, cond->before_reason);
    put_guards(out, c->op->inst, reason);
}
