/* SPDX-License-Identifier: Apache-2.0 */
/* items.c - launches of work items on a core. */
#include "core/items.h"

#include <stdlib.h>

/* Stacks are as far apart as makes them share the lines of a cache, so that of each lane begins
 * further down. */
enum { PAGE = 4096, SHIFT = 704 };
#define STACK_RUNTIME (INT64_C(384) << 10) /* of a stack for the functions of the runtime */
#define STACK_MOST (INT64_C(1) << 30)

static ptrt_items *items_of(ptrt_core *core) {
    if (!core->items) {
        core->items = calloc(1, sizeof *core->items);
        if (core->items) core->items->core = core;
    }
    return core->items;
}

/* Stacks stay with the core from launch to launch. */
static void drop_list(ptrt_items *items) {
    for (int32_t i = 0; i < items->cap; i++) {
        items->list[i].stack->next = i + 1 < items->cap ? items->list[i + 1].stack : NULL;
        ptrt_fiber_drop(&items->list[i].fiber);
    }
    if (items->cap > 0) ptrt_stacks_give(items->list[0].stack);
    free(items->list);
    items->list = NULL;
    items->cap = 0;
}

void ptrt_items_reset(ptrt_core *core) {
    ptrt_items *items = core->items;
    if (!items) return;
    free(items->kept);
    items->kept = NULL;
    items->count = 0;
}

void ptrt_items_free(ptrt_core *core) {
    if (!core->items) return;
    drop_list(core->items);
    free(core->items->kept);
    free(core->items);
    core->items = NULL;
}

static int no_memory(ptrt_core *core, uint32_t line) {
    return ptrt_fail(core, PTRT_E_NOMEM, line, "out of memory for work items");
}

int ptrt_set_items(ptrt_core *core, uint32_t line, int64_t z, int64_t y, int64_t x) {
    const int64_t dims[3] = {x, y, z};
    ptrt_items *items = items_of(core);
    int64_t count = 1;
    if (!items) return no_memory(core, line);
    for (int i = 0; i < 3; i++) {
        const bool fits = dims[i] >= 1 && dims[i] <= PTRT_MOST_ITEMS;
        count = fits ? count * dims[i] : 0;
    }
    if (count < 1 || count > PTRT_MOST_ITEMS)
        return ptrt_fail(core, PTRT_E_ARG, line,
                         "%lld x %lld x %lld work items, expected 1 to %d in all", (long long)x,
                         (long long)y, (long long)z, PTRT_MOST_ITEMS);
    for (int i = 0; i < 3; i++)
        items->dims[i] = (int32_t)dims[i];
    items->count = (int32_t)count;
    return PTRT_OK;
}

/* ---- one after the other ---- */

static int run_in_turn(ptrt_items *items) {
    ptrt_item item = {0};
    int code = PTRT_OK;
    items->now = &item;
    for (int32_t i = 0; i < items->count && code == PTRT_OK; i++) {
        item.number = i;
        code = items->fn(items->core, items->args);
    }
    items->now = NULL;
    return code;
}

/* ---- together ---- */

static void run_item(void *arg) {
    ptrt_items *items = arg;
    ptrt_item *self = items->now;
    self->code = items->fn(items->core, items->args);
    self->state = PTRT_ITEM_DONE;
    ptrt_fiber_exit(&self->fiber, items->home);
}

/* Lets a work item run until it waits or has ended. */
static void go_on(ptrt_items *items, ptrt_item *item) {
    items->now = item;
    ptrt_fiber_switch(items->home, &item->fiber);
    items->now = NULL;
}

static int wait_here(ptrt_items *items, ptrt_item *self, enum ptrt_item_state state) {
    self->state = state;
    ptrt_fiber_switch(&self->fiber, items->home);
    return self->code;
}

/* Ends the work items that wait: their calls return a code, with which they return in turn. */
static void stop(ptrt_items *items, ptrt_item *list, int32_t n) {
    for (int32_t i = 0; i < n; i++)
        while (list[i].state != PTRT_ITEM_DONE) {
            list[i].code = PTRT_E_STOPPED;
            go_on(items, &list[i]);
        }
}

/* Returns the lanes that wait at the first place of the text; 0: none waits for others of its warp.
 * Statements on the same line count as one place if they do the same. */
static uint32_t first_to_meet(const ptrt_item *warp, int32_t n) {
    const ptrt_item *first = NULL;
    uint32_t lanes = 0;
    for (int32_t i = 0; i < n; i++)
        if (warp[i].state == PTRT_ITEM_MEETS && (!first || warp[i].line < first->line))
            first = &warp[i];
    for (int32_t i = 0; first && i < n; i++)
        if (warp[i].state == PTRT_ITEM_MEETS && warp[i].line == first->line &&
            warp[i].meet == first->meet)
            lanes |= UINT32_C(1) << i;
    return lanes;
}

/* Lets all lanes go on that do not wait. Returns the code of the first one that has failed. */
static int run_lanes(ptrt_items *items, ptrt_item *warp, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        if (warp[i].state != PTRT_ITEM_RUNS) continue;
        go_on(items, &warp[i]);
        if (warp[i].state == PTRT_ITEM_DONE && warp[i].code != PTRT_OK) return warp[i].code;
    }
    return PTRT_OK;
}

/* Runs a warp until all lanes have ended or wait at pto.syncthreads. */
static int run_warp(ptrt_items *items, ptrt_item *warp, int32_t n) {
    for (;;) {
        const int code = run_lanes(items, warp, n);
        const uint32_t lanes = code == PTRT_OK ? first_to_meet(warp, n) : 0;
        if (lanes == 0) return code;
        warp[__builtin_ctz(lanes)].meet(warp, lanes);
        for (int32_t i = 0; i < n; i++)
            if ((lanes >> i & 1) != 0) warp[i].state = PTRT_ITEM_RUNS;
    }
}

/* Lets the work items go on that have met in pto.syncthreads. Stores whether there are any. */
static int release(ptrt_items *items, ptrt_item *list, int32_t n, bool *any) {
    int32_t here = 0;
    uint32_t line = UINT32_MAX;
    for (int32_t i = 0; i < n; i++) {
        if (list[i].state != PTRT_ITEM_SYNCS) continue;
        here++;
        if (list[i].line < line) line = list[i].line;
    }
    *any = here > 0;
    if (here > 0 && here < n)
        return ptrt_fail(items->core, PTRT_E_DEADLOCK, line,
                         "pto.syncthreads: %ld of %ld work items wait here, the others have ended",
                         (long)here, (long)n);
    for (int32_t i = 0; i < n; i++)
        if (list[i].state == PTRT_ITEM_SYNCS) list[i].state = PTRT_ITEM_RUNS;
    return PTRT_OK;
}

/* Runs `n` work items from number `first` on, which have stacks. */
static int run_group(ptrt_items *items, int32_t first, int32_t n) {
    ptrt_item *list = items->list;
    int code = PTRT_OK;
    for (int32_t i = 0; i < n; i++) {
        list[i].number = first + i;
        list[i].state = PTRT_ITEM_RUNS;
        list[i].code = PTRT_OK;
        const ptrt_stack *s = list[i].stack;
        ptrt_fiber_make(&list[i].fiber, s->low, s->size - (size_t)(i % PTRT_WARP) * SHIFT, run_item,
                        items);
    }
    for (bool any = true; any && code == PTRT_OK;) {
        for (int32_t w = 0; w < n && code == PTRT_OK; w += PTRT_WARP)
            code = run_warp(items, &list[w], n - w < PTRT_WARP ? n - w : PTRT_WARP);
        if (code == PTRT_OK) code = release(items, list, n, &any);
    }
    if (code != PTRT_OK) stop(items, list, n);
    return code;
}

/* Takes memory for n work items that run together. */
static bool prepare(ptrt_items *items, int32_t n, size_t stack) {
    if (items->cap >= n && items->stack >= stack) return true;
    drop_list(items);
    ptrt_item *list = calloc((size_t)n, sizeof *list);
    ptrt_stack *s = list ? ptrt_stacks_take((size_t)n, stack) : NULL;
    if (!s) {
        free(list);
        return false;
    }
    for (int32_t i = 0; i < n; i++, s = s->next)
        list[i].stack = s;
    items->list = list;
    items->cap = n;
    items->stack = stack;
    return true;
}

static size_t stack_bytes(int64_t need) {
    const int64_t all = need + STACK_RUNTIME + PTRT_WARP * SHIFT;
    const size_t size = (size_t)(all + PAGE - 1) / PAGE * PAGE;
    return size > PTRT_STACK_SIZE ? size : PTRT_STACK_SIZE;
}

static int run_together(ptrt_items *items, uint32_t line, int32_t group, int64_t stack) {
    ptrt_fiber home;
    int code = PTRT_OK;
    if (stack > STACK_MOST || !prepare(items, group, stack_bytes(stack)))
        return no_memory(items->core, line);
    ptrt_fiber_here(&home);
    items->home = &home;
    for (int32_t i = 0; i < items->count && code == PTRT_OK; i += group)
        code = run_group(items, i, items->count - i < group ? items->count - i : group);
    items->home = NULL;
    return code;
}

int ptrt_run_items(ptrt_core *core, uint32_t line, ptrt_item_fn fn, const void *args, int together,
                   int64_t stack) {
    ptrt_items *items = core->items;
    if (!items || items->count == 0)
        return ptrt_fail(core, PTRT_E_ARG, line,
                         "a launch of work items before any pto.store_vfsimt_info");
    if (items->now) return ptrt_fail(core, PTRT_E_ARG, line, "a work item launches work items");
    items->fn = fn;
    items->args = args;
    if (together == PTRT_NONE_TOGETHER) return run_in_turn(items);
    const int32_t group =
        together == PTRT_ALL_TOGETHER || items->count < PTRT_WARP ? items->count : PTRT_WARP;
    return run_together(items, line, group, stack);
}

/* ---- what they wait for ---- */

int ptrt_meet(ptrt_core *core, uint32_t line, ptrt_meet_fn meet, uint64_t value, int64_t with,
              const void *how, uint64_t *result) {
    ptrt_items *items = core->items;
    ptrt_item *self = items ? items->now : NULL;
    ptrt_item only = {.value = value, .with = with, .how = how};
    int code = PTRT_OK;
    if (!self || !self->stack) {
        meet(&only, 1);
        *result = only.result;
        return code;
    }
    self->line = line;
    self->meet = meet;
    self->value = value;
    self->with = with;
    self->how = how;
    code = wait_here(items, self, PTRT_ITEM_MEETS);
    *result = self->result;
    return code;
}

int ptrt_syncthreads(ptrt_core *core, uint32_t line) {
    ptrt_items *items = core->items;
    if (!items || !items->now || !items->now->stack) return PTRT_OK;
    items->now->line = line;
    return wait_here(items, items->now, PTRT_ITEM_SYNCS);
}
