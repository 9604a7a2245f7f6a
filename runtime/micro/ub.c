/* SPDX-License-Identifier: Apache-2.0 */
/* ub.c - vector instructions of a2a3 on the vector memory: gathers the blocks of a repeat, calls
 * the body of the tile instruction that computes the same, and puts the active elements back. */
#include "core/place.h"
#include "mem/elem.h"
#include "ptort_micro.h"

enum { BLOCK = 32, BLOCKS = 8, REPEAT = BLOCK * BLOCKS, MOST_SIDES = 3 };

/* An operand: where it begins, and the strides of its blocks and repeats. */
typedef struct side {
    int64_t at, block, repeat;
} side;

/* An instruction: operands, the destination first. */
typedef struct work {
    ptrt_core *core;
    uint32_t line;
    int kernel, elem;
    unsigned size; /* bytes of an element */
    int nsides;
    side sides[MOST_SIDES];
    uint64_t scalar;
} work;

/* One repeat: which elements are active, and the blocks of the operands. */
typedef struct turn {
    uint64_t active[2];
    _Alignas(64) unsigned char bytes[MOST_SIDES][REPEAT];
} turn;

/* ---- masks ---- */

static bool is_active(const turn *t, unsigned i) {
    return (t->active[i / 64] >> (i % 64) & 1) != 0;
}

static uint64_t first_bits(int64_t n) {
    return n <= 0 ? 0 : n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static void set_active(const work *w, int64_t r, turn *t) {
    const ptrt_registers *g = &w->core->registers;
    const int64_t lanes = REPEAT / w->size, left = (int64_t)g->ub_mask[0] - r * lanes;
    t->active[0] = g->ub_counts ? first_bits(left) : g->ub_mask[0];
    t->active[1] = g->ub_counts ? first_bits(left - 64) : g->ub_mask[1];
}

/* In count mode the count says how many repeats there are. */
static int64_t repeats(const work *w, int64_t repeat) {
    const ptrt_registers *g = &w->core->registers;
    const int64_t lanes = REPEAT / w->size, count = (int64_t)g->ub_mask[0];
    if (!g->ub_counts) return repeat;
    return count <= 0 ? 0 : (count - 1) / lanes + 1;
}

/* Whether some element of a block is active. */
static bool touches(const work *w, const turn *t, unsigned block) {
    const unsigned lanes = BLOCK / w->size;
    for (unsigned i = 0; i < lanes; i++)
        if (is_active(t, block * lanes + i)) return true;
    return false;
}

/* ---- memory ---- */

static const char op_name[] = "pto.ub";

static int64_t block_at(const side *s, int64_t r, unsigned b) {
    return s->at + (int64_t)(((uint64_t)r * (uint64_t)s->repeat + b * (uint64_t)s->block) * BLOCK);
}

static int gather(const work *w, int k, int64_t r, turn *t) {
    for (unsigned b = 0; b < BLOCKS; b++) {
        unsigned char *to = t->bytes[k] + b * BLOCK;
        const int64_t at = block_at(&w->sides[k], r, b);
        if (!touches(w, t, b)) {
            memset(to, 0, BLOCK);
            continue;
        }
        const unsigned char *p = place_read(w->core, PTRT_VEC, at, BLOCK, BLOCK);
        if (p == NULL) return place_fail(w->core, w->line, op_name, PTRT_VEC, at, BLOCK, BLOCK);
        memcpy(to, p, BLOCK);
    }
    return PTRT_OK;
}

static int scatter(const work *w, int64_t r, const turn *t) {
    const unsigned lanes = BLOCK / w->size;
    for (unsigned b = 0; b < BLOCKS; b++) {
        if (!touches(w, t, b)) continue;
        const int64_t at = block_at(&w->sides[0], r, b);
        unsigned char *p = place_write(w->core, PTRT_VEC, at, BLOCK, BLOCK);
        if (p == NULL) return place_fail(w->core, w->line, op_name, PTRT_VEC, at, BLOCK, BLOCK);
        for (unsigned i = 0; i < lanes; i++)
            if (is_active(t, b * lanes + i))
                memcpy(p + i * w->size, t->bytes[0] + b * BLOCK + i * w->size, w->size);
    }
    return PTRT_OK;
}

/* ---- instructions ---- */

typedef void (*compute_fn)(const work *, turn *);

static ptrt_body body_of(const work *w) {
    return w->core->bodies->one[w->kernel][w->elem];
}
static void compute_2(const work *w, turn *t) {
    (void)((ptrt_map2_fn)body_of(w))(t->bytes[0], t->bytes[1], t->bytes[2], 1, REPEAT / w->size,
                                     ptrt_one_row);
}
static void compute_1(const work *w, turn *t) {
    ((ptrt_map1_fn)body_of(w))(t->bytes[0], t->bytes[1], 1, REPEAT / w->size, 0, 0);
}
static void compute_scalar(const work *w, turn *t) {
    ((ptrt_maps_fn)body_of(w))(t->bytes[0], t->bytes[1], &w->scalar, 1, REPEAT / w->size, 0, 0, 0);
}
static void compute_copies(const work *w, turn *t) {
    for (unsigned i = 0; i < REPEAT; i += w->size)
        memcpy(t->bytes[0] + i, &w->scalar, w->size);
}

static int run(work *w, int64_t repeat, compute_fn compute) {
    turn t;
    w->size = ptrt_elem_size(w->elem);
    const int64_t n = repeats(w, repeat);
    for (int64_t r = 0; r < n; r++) {
        int err = PTRT_OK;
        set_active(w, r, &t);
        for (int k = 1; k < w->nsides && err == PTRT_OK; k++)
            err = gather(w, k, r, &t);
        if (err != PTRT_OK) return err;
        compute(w, &t);
        err = scatter(w, r, &t);
        if (err != PTRT_OK) return err;
    }
    return PTRT_OK;
}

/* The kernels of tiles, in the order of the instructions. */
static const uint16_t binary[] = {PTRT_TADD, PTRT_TSUB, PTRT_TMUL, PTRT_TDIV,    PTRT_TMAX,
                                  PTRT_TMIN, PTRT_TAND, PTRT_TOR,  PTRT_TADDRELU};
static const uint16_t unary[] = {PTRT_TNOT, PTRT_TABS,  PTRT_TRELU, PTRT_TEXP,
                                 PTRT_TLOG, PTRT_TSQRT, PTRT_TRSQRT};
static const uint16_t scalar_ops[] = {PTRT_TSHLS, PTRT_TSHRS, PTRT_TMULS,
                                      PTRT_TADDS, PTRT_TMAXS, PTRT_TMINS};

int ptrt_ub_binary(ptrt_core *core, uint32_t line, int op, int elem, int64_t dst, int64_t src0,
                   int64_t src1, int64_t repeat, int64_t dst_block, int64_t src0_block,
                   int64_t src1_block, int64_t dst_repeat, int64_t src0_repeat,
                   int64_t src1_repeat) {
    work w = {.core = core,
              .line = line,
              .kernel = binary[op],
              .elem = elem,
              .nsides = 3,
              .sides = {{dst, dst_block, dst_repeat},
                        {src0, src0_block, src0_repeat},
                        {src1, src1_block, src1_repeat}}};
    return run(&w, repeat, compute_2);
}

int ptrt_ub_unary(ptrt_core *core, uint32_t line, int op, int elem, int64_t dst, int64_t src,
                  int64_t repeat, int64_t dst_block, int64_t src_block, int64_t dst_repeat,
                  int64_t src_repeat) {
    work w = {.core = core,
              .line = line,
              .kernel = unary[op],
              .elem = elem,
              .nsides = 2,
              .sides = {{dst, dst_block, dst_repeat}, {src, src_block, src_repeat}}};
    return run(&w, repeat, compute_1);
}

int ptrt_ub_scalar(ptrt_core *core, uint32_t line, int op, int elem, int64_t dst, int64_t src,
                   int64_t scalar, int64_t repeat, int64_t dst_block, int64_t src_block,
                   int64_t dst_repeat, int64_t src_repeat) {
    work w = {.core = core,
              .line = line,
              .kernel = scalar_ops[op],
              .elem = elem,
              .nsides = 2,
              .sides = {{dst, dst_block, dst_repeat}, {src, src_block, src_repeat}},
              .scalar = (uint64_t)scalar};
    return run(&w, repeat, compute_scalar);
}

int ptrt_ub_dup(ptrt_core *core, uint32_t line, int elem, int64_t dst, int64_t scalar,
                int64_t repeat, int64_t dst_block, int64_t dst_repeat) {
    work w = {.core = core,
              .line = line,
              .elem = elem,
              .nsides = 1,
              .sides = {{dst, dst_block, dst_repeat}},
              .scalar = (uint64_t)scalar};
    return run(&w, repeat, compute_copies);
}

/* ---- the mask ---- */

int ptrt_ub_set_mask(ptrt_core *core, uint32_t line, int64_t mask0, int64_t mask1) {
    (void)line;
    core->registers.ub_mask[0] = (uint64_t)mask0;
    core->registers.ub_mask[1] = (uint64_t)mask1;
    return PTRT_OK;
}

int ptrt_ub_set_mask_mode(ptrt_core *core, uint32_t line, int counts) {
    (void)line;
    core->registers.ub_counts = counts != 0;
    return PTRT_OK;
}
