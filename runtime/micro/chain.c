/* SPDX-License-Identifier: Apache-2.0 */
/* chain.c - chains of statements on lanes of 32 bits: makes the list of steps of one when its
 * function begins, and runs it on the addresses of a call. */
#include "core/place.h"
#include "isa.h"
#include "kern/vchain.h"

#include <assert.h>

/* A step with an operand that each call provides. */
typedef struct change {
    uint8_t step, from; /* enum ptrt_link_from; PTRT_FROM_NOTHING: a mask */
    uint8_t number;     /* of those of the call; of PTRT_FROM_AGAIN, of another step */
} change;

struct ptrt_lane_chain {
    const ptrt_link *links;
    ptrt_chain_start_fn start;
    ptrt_vlink steps[PTRT_LINKS + 1];
    ptrt_mask masks[PTRT_CHAIN_MASKS];
    uint8_t nchanges;
    change changes[2 * PTRT_LINKS];
};
static_assert(sizeof(ptrt_lane_chain) <= PTRT_CHAIN_REGISTERS * sizeof(ptrt_vreg),
              "see ptort_micro.h");

static ptrt_body body_of(const ptrt_core *core, const ptrt_link *l) {
    return ptrt_micro_find(core->bodies, l->body, l->elem, PTRT_ANY_ELEM);
}

ptrt_lane_chain *ptrt_lane_chain_make(ptrt_core *core, const ptrt_link *links, int n, ptrt_vreg *r,
                                      ptrt_vreg *room) {
    ptrt_lane_chain *c = (ptrt_lane_chain *)(void *)room;
    c->links = links;
    c->start = (ptrt_chain_start_fn)ptrt_micro_find(core->bodies, PTRT_CHAIN_START, PTRT_ANY_ELEM,
                                                    PTRT_ANY_ELEM);
    c->nchanges = 0;
    uint8_t numbers = 0;
    for (int i = 0; i < n; i++) {
        const ptrt_link *l = &links[i];
        ptrt_vlink *s = &c->steps[i];
        *s = (ptrt_vlink){.fn = body_of(core, l), .how = l->how};
        if (l->from == PTRT_FROM_REGISTER)
            s->p = &r[l->reg];
        else if (l->from == PTRT_FROM_AGAIN)
            c->changes[c->nchanges++] = (change){(uint8_t)i, l->from, (uint8_t)l->reg};
        else if (l->from != PTRT_FROM_NOTHING)
            c->changes[c->nchanges++] = (change){(uint8_t)i, l->from, numbers++};
        if (l->mask == 1)
            c->changes[c->nchanges++] = (change){(uint8_t)i, PTRT_FROM_NOTHING, numbers++};
        else if (l->mask != 0)
            s->mask = &c->masks[l->mask - 2];
    }
    c->steps[n] = (ptrt_vlink){
        .fn = ptrt_micro_find(core->bodies, PTRT_CHAIN_END, PTRT_ANY_ELEM, PTRT_ANY_ELEM)};
    return c;
}

/* Returns the memory of an operand; NULL when the address is wrong. */
static const void *memory_of(const ptrt_core *core, unsigned from, int64_t at) {
    return from == PTRT_FROM_PLACE ? place_at(core, PTRT_VEC, at, sizeof(ptrt_vreg), 32)
                                   : place_at(core, PTRT_VEC, at, 4, 4);
}

static bool stores(const ptrt_link *l) {
    return l->body == PTRT_LEFT_VSTS || l->body == PTRT_LEFT_VSTS_B32 ||
           l->body == PTRT_LEFT_VSTS_AS;
}

/* Reports a wrong address: that of the first line. Steps are in another order than statements. */
static __attribute__((noinline, cold)) int fail(ptrt_core *core, const ptrt_lane_chain *c,
                                                const int64_t *numbers) {
    const ptrt_link *l = NULL;
    int64_t at = 0;
    for (unsigned i = 0; i < c->nchanges; i++) {
        const ptrt_link *other = &c->links[c->changes[i].step];
        const unsigned from = c->changes[i].from;
        if ((from != PTRT_FROM_PLACE && from != PTRT_FROM_WORD) ||
            memory_of(core, from, numbers[c->changes[i].number]) != NULL ||
            (l != NULL && l->line <= other->line))
            continue;
        l = other;
        at = numbers[c->changes[i].number];
    }
    const bool word = l->from == PTRT_FROM_WORD;
    return place_fail(core, l->line, stores(l) ? "pto.vsts" : "pto.vlds", PTRT_VEC, at,
                      word ? 4 : sizeof(ptrt_vreg), word ? 4 : 32);
}

int ptrt_lane_chain_run(ptrt_core *core, ptrt_lane_chain *c, const ptrt_mask *m,
                        const int64_t *numbers) {
    for (unsigned i = 0; i < c->nchanges; i++) {
        const change to = c->changes[i];
        ptrt_vlink *s = &c->steps[to.step];
        const int64_t *x = &numbers[to.number];
        if (to.from == PTRT_FROM_PLACE || to.from == PTRT_FROM_WORD) {
            s->p = memory_of(core, to.from, *x);
            if (s->p == NULL) return fail(core, c, numbers);
        } else if (to.from == PTRT_FROM_AGAIN) {
            s->p = c->steps[to.number].p;
        } else if (to.from == PTRT_FROM_BITS) {
            s->p = x;
        } else {
            s->mask = (ptrt_mask *)(intptr_t)*x;
        }
    }
    c->start(c->steps, m);
    return PTRT_OK;
}
