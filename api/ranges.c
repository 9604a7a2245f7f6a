/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges of on-chip memory that micro-instructions touch through pointers, for the memory plan:
 * one for each pointer that pto.castptr makes of an address, as far as the bytes of accesses are
 * known before a run. */
#include "analysis/effects.h"
#include "analysis/live.h"
#include "analysis/number.h"
#include "api/internal.h"
#include "support/ptrmap.h"

#include <stdlib.h>

enum { MOST_ACCESSES = 16 };

typedef struct Collect {
    Effects effects;
    Numbers numbers;
    const Alias *alias;
    Arena *arena;
    PtrMap of; /* the value of pto.castptr -> MicroRange * */
    MicroRange *first, **last;
    const uint32_t *offs; /* of the positions of the function */
    uint32_t noffs;
} Collect;

/* Returns the pointer that an address was made from, or NULL. */
static const Value *root_of(const Value *v) {
    while (v->def != NULL && op_is(v->def, INST_ADDPTR))
        v = slot_value(v->def, 0);
    return v->def != NULL && op_is(v->def, INST_CASTPTR) ? v : NULL;
}

/* Returns the outermost loop around a statement that the pointer is made outside of, or NULL: what
 * its iterations touch is needed until it ends. */
static const Op *loop_of(const Op *op, const Value *root) {
    const Op *loop = NULL;
    for (; op->block != NULL && op->block != root->def->block; op = region_owner(op->block))
        if (op_loops(op)) loop = op;
    return op->block != NULL && op_loops(op) ? op : loop;
}

static uint32_t position_of(const Collect *c, uint32_t off) {
    uint32_t lo = 0, hi = c->noffs;
    while (lo + 1 < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (c->offs[mid] <= off)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

static MicroRange *range_of(Collect *c, const Value *root, uint8_t space, int64_t low,
                            int64_t end) {
    void **at = ptrmap_at(&c->of, root);
    MicroRange *r = *at;
    if (r != NULL) return r;
    *at = r = ARENA_NEW(c->arena, MicroRange);
    *r = (MicroRange){.pointer = root, .space = space, .low = low, .end = end, .from = UINT32_MAX};
    *c->last = r;
    c->last = &r->next;
    return r;
}

static void add(Collect *c, const Op *op, const Value *root, const Place *p) {
    if (p->base != BASE_ADDRESS || p->space <= SPACE_GM || p->space >= SPACE_COUNT ||
        p->low == INT64_MIN || p->end == INT64_MAX || p->end <= p->low)
        return;
    /* a bound that is no tighter than the memory */
    const int64_t size = profile_plan_capacity(c->effects.profile, (Space)p->space);
    const int64_t end = size > p->low && p->end > size ? size : p->end;
    MicroRange *r = range_of(c, root, p->space, p->low, end);
    const Op *loop = loop_of(op, root);
    const uint32_t from = position_of(c, (loop != NULL ? loop : op)->name_span.off);
    const uint32_t to =
        loop != NULL ? position_of(c, op_regions(loop)[loop->nregions - 1].close.off) : from;
    if (p->low < r->low) r->low = p->low;
    if (end > r->end) r->end = end;
    if (from < r->from) r->from = from;
    if (to > r->to) r->to = to;
}

static bool see(Op *op, void *arg) {
    Collect *c = arg;
    Access accesses[MOST_ACCESSES];
    if (!inst_is_micro(op->inst)) return true;
    const size_t n = op_accesses(&c->effects, op, accesses, MOST_ACCESSES);
    for (size_t i = 0; i < n && i < MOST_ACCESSES; i++) {
        const Value *root = accesses[i].value != NULL ? root_of(accesses[i].value) : NULL;
        if (root == NULL) continue;
        const AliasSet places = alias_places(c->alias, op, accesses[i].value);
        for (unsigned k = 0; k < places.n; k++) {
            const Place p = access_bytes(&c->numbers, op, &accesses[i], places.places[k]);
            add(c, op, root, &p);
        }
    }
    return true;
}

const MicroRange *micro_ranges(Context *ctx, Op *func, Profile profile, const uint32_t *offs,
                               uint32_t noffs) {
    Collect c = {.effects = {.ctx = ctx, .profile = profile},
                 .arena = &ctx->arena,
                 .of = {.arena = &ctx->arena},
                 .offs = offs,
                 .noffs = noffs};
    c.last = &c.first;
    c.numbers = numbers_in(&ctx->arena);
    c.alias = alias_memory(&c.numbers, ctx, func);
    op_walk(func, see, &c);
    return c.first;
}
