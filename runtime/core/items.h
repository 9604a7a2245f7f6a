/* SPDX-License-Identifier: Apache-2.0 */
/* items.h - inside libptort: the work items of a core. One runs at a time, on the core's thread.
 *
 * Where work items wait for each other each of them is a fiber. Those of a warp run in turn until
 * all of them have ended or wait. Then the lanes that wait at the first place of the text complete
 * it together, and go on; the others take no part in it. So lanes of a branch complete what is in
 * it before they meet the others behind it. When all lanes of all warps wait at pto.syncthreads
 * they go on; when some of them have ended instead, that is an error. */
#ifndef PTORT_ITEMS_H
#define PTORT_ITEMS_H

#include "core/core.h"
#include "ptort_micro.h"

enum {
    PTRT_WARP = 32,
    PTRT_MOST_ITEMS = 2048,
    PTRT_KEPT_WORDS = 124 /* slots of pto.keep, of 32 bits */
};

enum ptrt_item_state {
    PTRT_ITEM_RUNS, /* or may go on */
    PTRT_ITEM_MEETS,
    PTRT_ITEM_SYNCS,
    PTRT_ITEM_DONE
};

typedef struct ptrt_item ptrt_item;

/* Gives each lane of a warp whose bit is set its `result`. */
typedef void (*ptrt_meet_fn)(ptrt_item *warp, uint32_t lanes);

struct ptrt_item {
    int32_t number; /* in the launch, x fastest */
    enum ptrt_item_state state;
    int code; /* that it ended with, or that its wait ends with */
    ptrt_fiber fiber;
    ptrt_stack *stack;

    /* What it waits for. */
    uint32_t line;
    ptrt_meet_fn meet;
    uint64_t value;
    int64_t with;
    const void *how; /* the same for all lanes */
    uint64_t result;
};

typedef struct ptrt_items {
    int32_t dims[3]; /* x, y, z; 0 before the first pto.store_vfsimt_info */
    int32_t count;
    ptrt_item *now; /* the work item that runs; NULL: none */
    ptrt_fiber *home;
    ptrt_item_fn fn;
    const void *args;
    ptrt_core *core;
    ptrt_item *list;
    int32_t cap;    /* of the list, whose members have stacks */
    size_t stack;   /* bytes of each */
    uint32_t *kept; /* PTRT_KEPT_WORDS for each of PTRT_MOST_ITEMS; NULL: nothing was kept */
} ptrt_items;

/* Returns the number of the running work item, 0 outside of a launch. */
static inline int32_t ptrt_item_number(const ptrt_core *core) {
    return core->items && core->items->now ? core->items->now->number : 0;
}

/* Waits for the lanes of the warp that come to the same place, and stores what `meet` makes of
 * their values. Alone, the lane is the only one. */
int ptrt_meet(ptrt_core *core, uint32_t line, ptrt_meet_fn meet, uint64_t value, int64_t with,
              const void *how, uint64_t *result);

/* Forgets what earlier blocks have set and kept. */
void ptrt_items_reset(ptrt_core *core);
/* Frees the memory of work items. */
void ptrt_items_free(ptrt_core *core);

#endif
