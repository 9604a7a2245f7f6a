/* SPDX-License-Identifier: Apache-2.0 */
/* copy.c - copies of bursts between global memory and the vector memory of a core, and inside the
 * latter; stores that combine. */
#include "core/atomic.h"
#include "core/place.h"
#include "mem/elem.h"
#include "micro/bursts.h"
#include "micro/combine.h"
#include "ptort_micro.h"

enum { BLOCK = 32 };

/* ---- to the vector memory ---- */

typedef struct load {
    ptrt_core *core;
    uint32_t line;
    const char *op;
    int64_t len;
    bool pads;
    uint64_t pad;
    int64_t left, right; /* bytes */
    int64_t row;         /* bytes that a burst writes */
    int size;
} load;

/* Fills bytes `from` .. `to` of a row; the pattern begins with the row. */
static void fill(const load *l, unsigned char *row, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i++)
        row[i] = (unsigned char)(l->pad >> (8 * (i % l->size)));
}

static int load_burst(const load *l, int64_t dst, const char *src) {
    unsigned char *p = place_write(l->core, PTRT_VEC, dst, (uint64_t)l->row, BLOCK);
    if (p == NULL)
        return place_fail(l->core, l->line, l->op, PTRT_VEC, dst, (uint64_t)l->row, BLOCK);
    const int err = place_global(l->core, l->line, l->op, src, (uint64_t)l->len, false);
    if (err != 0) return err;
    fill(l, p, 0, l->left);
    memcpy(p + l->left, src, (size_t)l->len);
    fill(l, p, l->left + l->len, l->row);
    return PTRT_OK;
}

/* Sets how many bytes a burst writes: with padding, up to the next multiple of 32. */
static int measure(load *l, int64_t left, int64_t right) {
    const int64_t most = (int64_t)1 << 40;
    if (l->len < 0 || left < 0 || right < 0 || l->len > most || left > most || right > most)
        return ptrt_fail(l->core, PTRT_E_ARG, l->line,
                         "%s: a burst of %lld bytes, padded by %lld "
                         "and %lld elements",
                         l->op, (long long)l->len, (long long)left, (long long)right);
    l->row = l->len;
    if (!l->pads) return PTRT_OK;
    l->left = left * l->size;
    l->right = right * l->size;
    l->row = (l->left + l->len + l->right + BLOCK - 1) / BLOCK * BLOCK;
    return PTRT_OK;
}

static int load_all(const load *l, bursts *b, const char *src, int64_t dst) {
    int64_t from = 0, to = dst;
    if (!bursts_run(b)) return PTRT_OK;
    do {
        for (int64_t r = 0; r < b->count; r++) {
            const int err = load_burst(l, to + r * b->dst_stride, src + from + r * b->src_stride);
            if (err != 0) return err;
        }
    } while (bursts_next(b, &from, &to));
    return PTRT_OK;
}

/* Loops in the text leave the registers that raw copies use at one iteration. */
static int use_loops(ptrt_core *core, uint32_t line, const char *op, int out, int loops) {
    ptrt_copy_loops *l = &core->registers.loops[out];
    if (loops > MOST_LOOPS)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: %d loops, of at most %d", op, loops,
                         MOST_LOOPS);
    if (loops > 0) l->count[0] = l->count[1] = 1;
    return PTRT_OK;
}

int ptrt_copy_gm_ub(ptrt_core *core, uint32_t line, const void *src, int64_t dst, int64_t len,
                    int64_t count, int64_t src_stride, int64_t dst_stride, int loops,
                    const int64_t *counts, const int64_t *src_strides, const int64_t *dst_strides,
                    int pads, uint64_t pad, int64_t left, int64_t right, int size) {
    bursts b = {count, src_stride, dst_stride, loops, counts, src_strides, dst_strides, {0}};
    load l = {core, line, "pto.mte_gm_ub", len, pads != 0, pad, 0, 0, 0, size};
    int err = measure(&l, left, right);
    if (err == 0) err = use_loops(core, line, l.op, 0, loops);
    if (err != 0) return err;
    if (pads) core->registers.pad = pad;
    return load_all(&l, &b, src, dst);
}

int ptrt_copy_gm_to_ubuf(ptrt_core *core, uint32_t line, const void *src, int64_t dst, int64_t len,
                         int64_t count, int64_t src_stride, int64_t dst_stride, int64_t pads,
                         int64_t left, int64_t right, int size) {
    const ptrt_copy_loops *r = &core->registers.loops[0];
    bursts b = {count, src_stride, dst_stride, 2, r->count, r->src, r->dst, {0}};
    load l = {core, line, "pto.copy_gm_to_ubuf", len, (pads & 1) != 0, core->registers.pad, 0, 0,
              0,    size};
    const int err = measure(&l, left, right);
    return err != 0 ? err : load_all(&l, &b, src, dst);
}

/* ---- to global memory ---- */

typedef struct store {
    ptrt_core *core;
    uint32_t line;
    const char *op;
    int64_t len;
    int kernel, elem; /* how the store combines; kernel -1: it replaces */
} store;

/* Takes how stores combine from the control register. */
static int combine_as(store *s) {
    const unsigned type = s->core->registers.ctrl >> 6 & 7, op = s->core->registers.ctrl >> 9 & 3;
    if (!combination(type, op, &s->kernel, &s->elem))
        return ptrt_fail(s->core, PTRT_E_ARG, s->line,
                         "%s: type %u and operation %u of stores in the control register", s->op,
                         type, op);
    if (s->kernel >= 0 && s->len % (int64_t)ptrt_elem_size(s->elem) != 0)
        return ptrt_fail(s->core, PTRT_E_ARG, s->line,
                         "%s: bursts of %lld bytes, which are not whole elements of %s", s->op,
                         (long long)s->len, ptrt_elem_name(s->elem));
    return PTRT_OK;
}

static int store_burst(const store *s, char *dst, int64_t src) {
    const unsigned char *p = place_read(s->core, PTRT_VEC, src, (uint64_t)s->len, BLOCK);
    if (p == NULL)
        return place_fail(s->core, s->line, s->op, PTRT_VEC, src, (uint64_t)s->len, BLOCK);
    const int err = place_global(s->core, s->line, s->op, dst, (uint64_t)s->len, true);
    if (err != 0) return err;
    if (s->kernel < 0)
        memcpy(dst, p, (size_t)s->len);
    else /* all of these types have bodies */
        (void)ptrt_gm_update(s->core, s->kernel, s->elem, dst, p,
                             (size_t)s->len / ptrt_elem_size(s->elem));
    return PTRT_OK;
}

static int store_all(store *s, bursts *b, char *dst, int64_t src) {
    int64_t from = src, to = 0;
    const int err = combine_as(s);
    if (err != 0) return err;
    if (!bursts_run(b)) return PTRT_OK;
    do {
        for (int64_t r = 0; r < b->count; r++) {
            const int code = store_burst(s, dst + to + r * b->dst_stride, from + r * b->src_stride);
            if (code != 0) return code;
        }
    } while (bursts_next(b, &from, &to));
    return PTRT_OK;
}

int ptrt_copy_ub_gm(ptrt_core *core, uint32_t line, int64_t src, void *dst, int64_t len,
                    int64_t count, int64_t src_stride, int64_t dst_stride, int loops,
                    const int64_t *counts, const int64_t *src_strides, const int64_t *dst_strides) {
    bursts b = {count, src_stride, dst_stride, loops, counts, src_strides, dst_strides, {0}};
    store s = {core, line, "pto.mte_ub_gm", len, -1, 0};
    const int err = use_loops(core, line, s.op, 1, loops);
    return err != 0 ? err : store_all(&s, &b, dst, src);
}

int ptrt_copy_ubuf_to_gm(ptrt_core *core, uint32_t line, int64_t src, void *dst, int64_t len,
                         int64_t count, int64_t src_stride, int64_t dst_stride) {
    const ptrt_copy_loops *r = &core->registers.loops[1];
    bursts b = {count, src_stride, dst_stride, 2, r->count, r->src, r->dst, {0}};
    store s = {core, line, "pto.copy_ubuf_to_gm", len, -1, 0};
    return store_all(&s, &b, dst, src);
}

/* ---- inside the vector memory ---- */

int ptrt_copy_ub_ub(ptrt_core *core, uint32_t line, int64_t src, int64_t dst, int64_t len,
                    int64_t count, int64_t src_gap, int64_t dst_gap) {
    static const char op[] = "pto.mte_ub_ub";
    const uint64_t bytes = (uint64_t)len * BLOCK;
    if (len < 0 || len > INT32_MAX)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: bursts of %lld blocks", op, (long long)len);
    for (int64_t r = 0; r < count; r++) {
        const int64_t from = src + r * (len + src_gap) * BLOCK;
        const int64_t to = dst + r * (len + dst_gap) * BLOCK;
        const unsigned char *s = place_read(core, PTRT_VEC, from, bytes, BLOCK);
        if (s == NULL) return place_fail(core, line, op, PTRT_VEC, from, bytes, BLOCK);
        unsigned char *d = place_write(core, PTRT_VEC, to, bytes, BLOCK);
        if (d == NULL) return place_fail(core, line, op, PTRT_VEC, to, bytes, BLOCK);
        memmove(d, s, bytes);
    }
    return PTRT_OK;
}
