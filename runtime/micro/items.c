/* SPDX-License-Identifier: Apache-2.0 */
/* items.c - what a work item asks about itself, and what the lanes of a warp compute together. */
#include "core/items.h"
#include "micro/value.h"

#include <stdlib.h>

/* ---- identities ---- */

static int32_t dim(const ptrt_core *core, int i) {
    return core->items && core->items->now ? core->items->dims[i] : 1;
}

/* The index in one dimension. */
static int32_t tid(const ptrt_core *core, int i) {
    int32_t n = ptrt_item_number(core);
    for (int k = 0; k < i; k++)
        n /= dim(core, k);
    return n % dim(core, i);
}

static uint32_t own_bit(const ptrt_core *core) {
    return UINT32_C(1) << ptrt_item_number(core) % PTRT_WARP;
}

#define IDENTITY(name, expr)                                                                       \
    void ptrt_##name(const ptrt_core *core, int32_t *out) {                                        \
        *out = (int32_t)(expr);                                                                    \
    }
IDENTITY(get_tid_x, tid(core, 0))
IDENTITY(get_tid_y, tid(core, 1))
IDENTITY(get_tid_z, tid(core, 2))
IDENTITY(get_block_dim_x, dim(core, 0))
IDENTITY(get_block_dim_y, dim(core, 1))
IDENTITY(get_block_dim_z, dim(core, 2))
IDENTITY(get_laneid, ptrt_item_number(core) % PTRT_WARP)
IDENTITY(get_lanemask_eq, own_bit(core))
IDENTITY(get_lanemask_lt, own_bit(core) - 1)
IDENTITY(get_lanemask_le, own_bit(core) - 1 + own_bit(core))
IDENTITY(get_lanemask_ge, ~(own_bit(core) - 1))
IDENTITY(get_lanemask_gt, ~(own_bit(core) - 1 + own_bit(core)))
IDENTITY(get_veccoreid, core->sub)

/* The clock counts its readings, so that every run of a program reads the same. */
void ptrt_get_clock64(ptrt_core *core, int64_t *out) {
    *out = (int64_t)core->clock++;
}

void ptrt_get_clock32(ptrt_core *core, int32_t *out) {
    int64_t all;
    ptrt_get_clock64(core, &all);
    *out = (int32_t)all;
}

void ptrt_no_grid(int32_t *out) {
    *out = 0;
}

/* ---- votes ---- */

static uint32_t ballot(const ptrt_item *warp, uint32_t lanes) {
    uint32_t found = 0;
    for (int i = 0; i < PTRT_WARP; i++)
        if ((lanes >> i & 1) != 0 && (warp[i].value & 1) != 0) found |= UINT32_C(1) << i;
    return found;
}

static void give_all(ptrt_item *warp, uint32_t lanes, uint64_t result) {
    for (int i = 0; i < PTRT_WARP; i++)
        if ((lanes >> i & 1) != 0) warp[i].result = result;
}

#define VOTE(name, T, expr)                                                                        \
    static void meet_##name(ptrt_item *warp, uint32_t lanes) {                                     \
        const uint32_t yes = ballot(warp, lanes);                                                  \
        give_all(warp, lanes, expr);                                                               \
    }                                                                                              \
    int ptrt_##name(ptrt_core *core, uint32_t line, T *out, uint64_t predicate) {                  \
        uint64_t result;                                                                           \
        const int code = ptrt_meet(core, line, meet_##name, predicate, 0, NULL, &result);          \
        if (code == PTRT_OK) *out = (T)result;                                                     \
        return code;                                                                               \
    }
VOTE(vote_all, bool, yes == lanes)
VOTE(vote_any, bool, yes != 0)
VOTE(vote_uni, bool, yes == lanes || yes == 0)
VOTE(vote_ballot, int32_t, yes)

/* ---- exchanges ---- */

typedef struct how_shuffle {
    int width;
} how_shuffle;

/* Gives each lane the value of lane FROM of its group: of its own, where it names none of the
 * group, or one that takes no part. */
#define SHUFFLE(name, FROM)                                                                        \
    static void meet_##name(ptrt_item *warp, uint32_t lanes) {                                     \
        for (int i = 0; i < PTRT_WARP; i++) {                                                      \
            if ((lanes >> i & 1) == 0) continue;                                                   \
            const int64_t width = ((const how_shuffle *)warp[i].how)->width;                       \
            const int64_t base = i / width * width, own = i - base, with = warp[i].with;           \
            (void)own;                                                                             \
            const int64_t from = FROM;                                                             \
            const bool inside = from >= 0 && from < width && (lanes >> (base + from) & 1) != 0;    \
            warp[i].result = warp[inside ? base + from : i].value;                                 \
        }                                                                                          \
    }                                                                                              \
    int ptrt_##name(ptrt_core *core, uint32_t line, void *out, uint64_t value, int elem,           \
                    int lanes, int64_t with, int width) {                                          \
        const how_shuffle how = {width == 16 ? 16 : PTRT_WARP};                                    \
        uint64_t result;                                                                           \
        const int code = ptrt_meet(core, line, meet_##name, value, with, &how, &result);           \
        if (code == PTRT_OK) value_store(out, result, value_bytes(elem, lanes));                   \
        return code;                                                                               \
    }
SHUFFLE(shuffle_idx, with)
SHUFFLE(shuffle_up, own - with)
SHUFFLE(shuffle_down, own + with)
SHUFFLE(shuffle_bfly, own ^ with)

/* ---- reductions ---- */

typedef struct how_redux {
    int elem, lanes;
    bool is_unsigned;
} how_redux;

/* Combines the values in the order of the lanes; a sum of floats is rounded after each addition. */
static void reduce(ptrt_item *warp, uint32_t lanes, value_op op) {
    uint64_t all = 0;
    bool first = true;
    for (int i = 0; i < PTRT_WARP; i++) {
        if ((lanes >> i & 1) == 0) continue;
        const how_redux *how = warp[i].how;
        all = first ? warp[i].value
                    : value_compute_all(op, how->elem, how->lanes, all, warp[i].value,
                                        how->is_unsigned);
        first = false;
    }
    give_all(warp, lanes, all);
}

#define REDUX(name, op)                                                                            \
    static void meet_##name(ptrt_item *warp, uint32_t lanes) {                                     \
        reduce(warp, lanes, op);                                                                   \
    }                                                                                              \
    int ptrt_##name(ptrt_core *core, uint32_t line, void *out, uint64_t value, int elem,           \
                    int lanes, int64_t signedness) {                                               \
        const how_redux how = {elem, lanes, signedness == 1};                                      \
        uint64_t result;                                                                           \
        const int code = ptrt_meet(core, line, meet_##name, value, 0, &how, &result);              \
        if (code == PTRT_OK) value_store(out, result, value_bytes(elem, lanes));                   \
        return code;                                                                               \
    }
REDUX(redux_add, VALUE_ADD)
REDUX(redux_max, VALUE_MAX)
REDUX(redux_min, VALUE_MIN)

/* ---- from launch to launch ---- */

/* Returns the first slot of the running work item. */
static uint32_t *kept(ptrt_core *core) {
    const size_t at = (size_t)ptrt_item_number(core) * PTRT_KEPT_WORDS;
    return core->items && core->items->kept ? core->items->kept + at : NULL;
}

int ptrt_keep(ptrt_core *core, uint32_t line, int slot, uint64_t value, int elem, int lanes) {
    enum { WORDS = PTRT_MOST_ITEMS * PTRT_KEPT_WORDS };
    if (core->items && !core->items->kept) core->items->kept = calloc(WORDS, sizeof(uint32_t));
    uint32_t *slots = kept(core);
    if (!slots) return ptrt_fail(core, PTRT_E_NOMEM, line, "out of memory for pto.keep");
    slots[slot] = (uint32_t)value;
    if (value_bytes(elem, lanes) == 8) slots[slot + 1] = (uint32_t)(value >> 32);
    return PTRT_OK;
}

/* What no launch of the block has kept is 0. Slots stay when a launch has other dimensions: they
 * belong to the number of the work item. */
int ptrt_resume(ptrt_core *core, uint32_t line, void *out, int slot, int elem, int lanes) {
    const uint32_t *slots = kept(core);
    const unsigned bytes = value_bytes(elem, lanes);
    uint64_t value = slots ? slots[slot] : 0;
    if (slots && bytes == 8) value |= (uint64_t)slots[slot + 1] << 32;
    value_store(out, value, bytes);
    (void)line;
    return PTRT_OK;
}
