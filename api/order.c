/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of the proof of synchronisation: which are warnings where a function is left as it is.
 */
#include "analysis/check_sync.h"
#include "api/internal.h"

#include "verifier/lints/lints.h"

/* ---- functions ---- */

uint32_t function_end(const Op *func) {
    if (func->nregions == 0) return func->span.off + func->span.len;
    uint32_t close = op_regions(func)[0].close.off;
    return close != 0 ? close : UINT32_MAX;
}

typedef struct Collector {
    const Context *ctx;
    Profile profile;
    OrderedFunctions found;
} Collector;

static bool collect(Op *op, void *arg) {
    Collector *c = arg;
    if (!op_is(op, INST_FUNC) || !func_data(op)->has_body ||
        relies_on_insertion(c->ctx, op, c->profile))
        return true;
    if (c->found.list != NULL) c->found.list[c->found.n] = op;
    c->found.n++;
    return true;
}

OrderedFunctions ordered_functions(Module *m, Profile profile) {
    Collector c = {.ctx = m->ctx, .profile = profile};
    op_walk(m->root, collect, &c);
    c.found.list = ARENA_ARRAY(&m->ctx->arena, const Op *, c.found.n + 1);
    c.found.n = 0;
    op_walk(m->root, collect, &c);
    return c.found;
}

static bool mark(Op *op, void *arg) {
    const OrderedFunctions *left = arg;
    bool other = op_is(op, INST_FUNC);
    for (size_t i = 0; other && i < left->n; i++)
        other = left->list[i] != op;
    if (other) func_data(op)->ends_in_order = true;
    return true;
}

void order_mark_others(Module *m, const OrderedFunctions *left) {
    op_walk(m->root, mark, (void *)(uintptr_t)left);
}

/* ---- findings ---- */

static bool is_in_one_of(const OrderedFunctions *f, uint32_t off) {
    for (size_t i = 0; i < f->n; i++)
        if (off >= f->list[i]->span.off && off <= function_end(f->list[i])) return true;
    return false;
}

static bool is_about_order(const Diag *d) {
    return d->id >= DIAG_SYNC_RACE && d->id <= DIAG_SYNC_EARLY;
}

static void set_severity(DiagList *list, Diag *d, Severity severity) {
    list->errors -= d->severity == SEV_ERROR;
    list->warnings -= d->severity == SEV_WARNING;
    list->errors += severity == SEV_ERROR;
    list->warnings += severity == SEV_WARNING;
    d->severity = severity;
}

/* Whether a finding is about what the text orders itself, which inserted flags do not change. */
static bool is_of_text(const Diag *d, const OrderedFunctions *left) {
    return is_about_order(d) && (d->id == DIAG_SYNC_FREED || is_in_one_of(left, d->span.off));
}

void order_prove_softly(Module *m, const SyncOptions *opt, const OrderedFunctions *left,
                        bool silent) {
    DiagList *list = &m->ctx->diags;
    Diag **since = list->last;
    const uint32_t limit = list->max_errors;
    list->max_errors = 0;
    check_sync(m, opt);
    list->max_errors = limit;
    list->last = since;
    for (Diag *d = *since; d != NULL; d = d->next) {
        const bool soft = is_of_text(d, left);
        if (soft) set_severity(list, d, silent ? SEV_NOTE : SEV_WARNING);
        if (soft && silent) continue;
        *list->last = d;
        list->last = &d->next;
    }
    *list->last = NULL;
}

void order_demand_proof(DiagList *list, const OrderedFunctions *left) {
    for (Diag *d = list->first; d != NULL; d = d->next)
        if (d->id == DIAG_SYNC_MAYBE && d->severity == SEV_WARNING && !is_of_text(d, left))
            set_severity(list, d, SEV_ERROR);
}
