/* SPDX-License-Identifier: Apache-2.0 */
/* Finds two copies of micro-instructions in one block whose destinations share bytes of on-chip
 * memory although nothing reads those of the first in between: either an address or a length is
 * wrong, or the first copy is superfluous. Both ranges must be constant. A statement whose reads
 * are not known, such as a call, and one that another core may wait for, count as reads of
 * everything.
 */
#include "verifier/lints/copies.h"

#include "analysis/callgraph.h"

enum { MOST_ACCESSES = 16, MOST_WAITING = 32 };

/* Bytes that a copy wrote, and that nothing has read since. */
typedef struct Waiting {
    const Op *op;
    Place place;
} Waiting;

typedef struct Copies {
    Context *ctx;
    const Effects *effects;
    Numbers numbers;
    const Alias *alias;
    Waiting waiting[MOST_WAITING]; /* of the block at hand */
    unsigned n;
} Copies;

/* ---- what a statement does ---- */

/* True for a statement after which anything may have read on-chip memory. */
static bool may_read_all(const Op *op) {
    return op_is(op, INST_CALL) || op->inst->fifo || op_meets_cores(op) || op_transfers(op);
}

static void drop(Copies *c, unsigned i) {
    c->n--;
    memmove(&c->waiting[i], &c->waiting[i + 1], (c->n - i) * sizeof c->waiting[0]);
}

static void note_read(Copies *c, const Place *p) {
    for (unsigned i = c->n; i-- > 0;)
        if (place_overlap(&c->waiting[i].place, p) != OVERLAP_NO) drop(c, i);
}

/* ---- findings ---- */

static void report(const Copies *c, const Op *op, const Place *p, const Waiting *w) {
    DiagList *diags = &c->ctx->diags;
    Diag *d = diag_add(diags, DIAG_COPY_OVERLAP, op->name_span,
                       "%s: writes bytes %lld to %lld of %s over what %s has written and nothing "
                       "has read",
                       op->inst->name, (long long)p->low, (long long)p->end - 1,
                       pointer_space_names[p->space], w->op->inst->name);
    diag_note_at(diags, d, w->op->name_span, "it writes bytes %lld to %lld",
                 (long long)w->place.low, (long long)w->place.end - 1);
}

/* Takes the bytes that a copy writes; a copy over them is reported once. */
static void note_copy(Copies *c, const Op *op, const Place *p) {
    bool reported = false;
    if (!place_is_fixed(p) || p->end == INT64_MAX || p->space == SPACE_GM || p->rough) return;
    for (unsigned i = c->n; i-- > 0;) {
        if (place_overlap(&c->waiting[i].place, p) != OVERLAP_YES) continue;
        if (!reported) report(c, op, p, &c->waiting[i]);
        reported = true;
        drop(c, i);
    }
    if (c->n == MOST_WAITING) drop(c, 0);
    c->waiting[c->n++] = (Waiting){op, *p};
}

/* ---- the walk ---- */

/* True for the write of a copy: what it writes it does not read. */
static bool is_copied(const Op *op, const Access *a) {
    if (!a->write || a->read || !inst_is_micro(op->inst)) return false;
    return op->inst->family == FAM_COPY || a->pipe == PIPE_MTE1 || a->pipe == PIPE_MTE2 ||
           a->pipe == PIPE_MTE3 || a->pipe == PIPE_FIX;
}

static void note_access(Copies *c, const Op *op, const Access *a, bool reads) {
    const AliasSet at = alias_places(c->alias, op, a->value);
    if (!reads && at.n != 1) return;
    for (unsigned k = 0; k < at.n; k++) {
        const Place p = access_bytes(&c->numbers, op, a, at.places[k]);
        if (reads)
            note_read(c, &p);
        else
            note_copy(c, op, &p);
    }
}

static void note_accesses(Copies *c, const Op *op, bool reads) {
    Access list[MOST_ACCESSES];
    const size_t n = op_accesses(c->effects, op, list, MOST_ACCESSES);
    if (n > MOST_ACCESSES) c->n = 0;
    for (size_t i = 0; i < n && n <= MOST_ACCESSES; i++)
        if (list[i].value != NULL && (reads ? list[i].read : is_copied(op, &list[i])))
            note_access(c, op, &list[i], reads);
}

static bool see_reads(Op *op, void *arg) {
    Copies *c = arg;
    if (may_read_all(op)) c->n = 0;
    if (c->n > 0) note_accesses(c, op, true);
    return true;
}

static bool see_blocks(Op *owner, void *arg) {
    Copies *c = arg;
    for (unsigned r = 0; r < owner->nregions; r++)
        for (Block *b = op_regions(owner)[r].first; b != NULL; b = b->next) {
            c->n = 0;
            for (Op *op = b->first; op != NULL; op = op->next) {
                if (c->n > 0) op_walk(op, see_reads, c);
                note_accesses(c, op, false);
            }
        }
    return true;
}

static bool sees_copy(Op *op, void *arg) {
    (void)arg;
    return op->inst->family != FAM_COPY && op->inst->family != FAM_CUBE;
}

void lint_copies(Context *ctx, const Effects *effects, Op *func) {
    if (op_walk(func, sees_copy, NULL)) return; /* none */
    Copies c = {.ctx = ctx, .effects = effects, .numbers = numbers_in(&ctx->step)};
    c.alias = alias_memory(&c.numbers, ctx, func);
    op_walk(func, see_blocks, &c);
}
