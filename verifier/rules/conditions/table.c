/* SPDX-License-Identifier: Apache-2.0 */
/* The table of conditions, and functions that need only a record. */
#include "verifier/rules/conditions/condition.h"

const Condition *const conditions[C_COUNT] = {
#define COND(name) &cond_##name,
#include "verifier/rules/conditions.def"
#undef COND
};

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

/* Returns the guard in words where it explains why the rule applies, else NULL; `not empty` is not
 * worth mentioning. */
static const char *reason_of(const RuleRow *row) {
    const RowGuard *g = row_guard(row);
    bool silent = conditions[row->cond]->no_reason;
    for (unsigned i = 0; i < g->n; i++)
        silent |= guard_list(g)[i].kind == G_EMPTY && guard_list(g)[i].set != GUARD_EMPTY;
    return silent ? NULL : row_text(g->text);
}

void cond_explain(const Case *c, const Rule *r, StrBuf *out) {
    const Condition *cond = conditions[r->row->cond];
    cond->explain(c, r, out);
    const char *reason = reason_of(r->row);
    if (reason == NULL) return;
    if (cond->before_reason != NULL) sb_puts(out, cond->before_reason);
    sb_puts(out, reason);
}
