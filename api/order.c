/* Findings of the proof of synchronisation: which are warnings where a function is left as it is.
 */
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

void order_set_severity(DiagList *list, Diag *d, Severity severity) {
    list->errors -= d->severity == SEV_ERROR;
    list->warnings -= d->severity == SEV_WARNING;
    list->errors += severity == SEV_ERROR;
    list->warnings += severity == SEV_WARNING;
    d->severity = severity;
}

void order_soften(DiagList *list, const OrderedFunctions *left) {
    for (Diag *d = list->first; d != NULL; d = d->next)
        if (is_about_order(d) && d->severity == SEV_ERROR && is_in_one_of(left, d->span.off))
            order_set_severity(list, d, SEV_WARNING);
}
