/* SPDX-License-Identifier: Apache-2.0 */
/* map.c - drivers of elementwise kernels: map1, map2, maps. */
#include "drive/drive.h"

/* ---- one tile ---- */

static __attribute__((noinline, cold)) int map1_long(ptrt_core *core, uint32_t line, int kernel,
                                                     const ptrt_tile *a, const ptrt_tile *d) {
    ptrt_job job = {
        .kernel = kernel, .n = 2, .tile = {a, d}, .transposable = true, .call = ptrt_call_map1};
    return ptrt_job_start(core, line, &job, d->vrow, d->vcol);
}

/* The fast path for plain rows or columns that are not dense; also a single call of the body. */
static __attribute__((noinline)) int map1_rows(ptrt_core *core, uint32_t line, int kernel,
                                               const ptrt_tile *a, const ptrt_tile *d) {
    unsigned char *pa = ptrt_tile_at(a), *pd = ptrt_tile_at(d);
    unsigned along = ptrt_directions(d) & ptrt_directions(a);
    size_t rows = (size_t)d->vrow, cols = (size_t)d->vcol;
    bool go = (along != 0) & ((unsigned)kernel < PTRT_KERNELS) & (a->elem == d->elem) &
              ptrt_operand_fits(d) & ptrt_reaches(a, d->vrow, d->vcol) & ptrt_in_step(d, a) &
              (core->hook == NULL) & (rows != 0) & (cols != 0);
    ptrt_map1_fn body = go ? (ptrt_map1_fn)ptrt_body_one(core, kernel, d) : NULL;
    if (!body) return map1_long(core, line, kernel, a, d);
    if (along & 1)
        body(pd, pa, rows, cols, d->row.inner, a->row.inner);
    else
        body(pd, pa, cols, rows, d->col.inner, a->col.inner);
    return PTRT_OK;
}

int ptrt_map1(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *a, const ptrt_tile *d) {
    if (__builtin_expect(ptrt_alike(d, a) && ptrt_is_dense(d) && (unsigned)kernel < PTRT_KERNELS,
                         1)) {
        ptrt_map1_fn body = (ptrt_map1_fn)ptrt_body_one(core, kernel, d);
        if (__builtin_expect(body != NULL, 1)) {
            size_t n = (size_t)d->n;
            PTRT_FORGET(a);
            PTRT_FORGET(d);
            body(ptrt_tile_at(d), ptrt_tile_at(a), 1, n, (ptrdiff_t)n, (ptrdiff_t)n);
            return PTRT_OK;
        }
    }
    return map1_rows(core, line, kernel, a, d);
}

/* ---- two tiles ---- */

static __attribute__((noinline, cold)) int map2_long(ptrt_core *core, uint32_t line, int kernel,
                                                     const ptrt_tile *a, const ptrt_tile *b,
                                                     const ptrt_tile *d) {
    ptrt_job job = {
        .kernel = kernel, .n = 3, .tile = {a, b, d}, .transposable = true, .call = ptrt_call_map2};
    return ptrt_job_start(core, line, &job, d->vrow, d->vcol);
}

static __attribute__((noinline)) int map2_rows(ptrt_core *core, uint32_t line, int kernel,
                                               const ptrt_tile *a, const ptrt_tile *b,
                                               const ptrt_tile *d) {
    unsigned char *pa = ptrt_tile_at(a), *pb = ptrt_tile_at(b), *pd = ptrt_tile_at(d);
    unsigned along = ptrt_directions(d) & ptrt_directions(a) & ptrt_directions(b);
    size_t rows = (size_t)d->vrow, cols = (size_t)d->vcol;
    bool go = (along != 0) & ((unsigned)kernel < PTRT_KERNELS) & (a->elem == d->elem) &
              (b->elem == d->elem) & ptrt_operand_fits(d) & ptrt_reaches(a, d->vrow, d->vcol) &
              ptrt_reaches(b, d->vrow, d->vcol) & ptrt_in_step(d, a) & ptrt_in_step(d, b) &
              (core->hook == NULL) & (rows != 0) & (cols != 0);
    ptrt_map2_fn body = go ? (ptrt_map2_fn)ptrt_body_one(core, kernel, d) : NULL;
    if (!body) return map2_long(core, line, kernel, a, b, d);
    const ptrdiff_t by_row[] = {d->row.inner, a->row.inner, b->row.inner};
    const ptrdiff_t by_col[] = {d->col.inner, a->col.inner, b->col.inner};
    return along & 1 ? body(pd, pa, pb, rows, cols, by_row) : body(pd, pa, pb, cols, rows, by_col);
}

/* As ptrt_alike, but s need not be dense. */
static inline int is_like(const ptrt_tile *d, const ptrt_tile *s) {
    return s->key == d->key && s->key != 0 && ptrt_apart(d->at, s->at, d->bytes);
}

int ptrt_map2(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *a, const ptrt_tile *b,
              const ptrt_tile *d) {
    ptrt_map2_fn body = is_like(d, a) && is_like(d, b) && (unsigned)kernel < PTRT_KERNELS
                            ? (ptrt_map2_fn)ptrt_body_one(core, kernel, d)
                            : NULL;
    if (__builtin_expect(body == NULL, 0)) return map2_rows(core, line, kernel, a, b, d);
    PTRT_FORGET(a);
    PTRT_FORGET(b);
    PTRT_FORGET(d);
    return body(d->at, a->at, b->at, (size_t)d->lines, (size_t)d->length, d->ld);
}

/* ---- a tile and a scalar ---- */

static __attribute__((noinline, cold)) int maps_long(ptrt_core *core, uint32_t line, int kernel,
                                                     const ptrt_tile *a, const ptrt_bits *k,
                                                     const ptrt_tile *d) {
    ptrt_job job = {.kernel = kernel,
                    .n = 2,
                    .tile = {a, d},
                    .transposable = true,
                    .call = ptrt_call_maps,
                    .k = k};
    const int64_t rows = kernel == PTRT_TADDS ? ptrt_min64(a->vrow, d->vrow) : d->vrow;
    return ptrt_job_start(core, line, &job, rows, d->vcol);
}

static __attribute__((noinline)) int maps_rows(ptrt_core *core, uint32_t line, int kernel,
                                               const ptrt_tile *a, const ptrt_bits *k,
                                               const ptrt_tile *d) {
    unsigned char *pa = ptrt_tile_at(a), *pd = ptrt_tile_at(d);
    unsigned along = ptrt_directions(d) & ptrt_directions(a);
    size_t rows = (size_t)d->vrow, cols = (size_t)d->vcol;
    bool go = (along != 0) & ((unsigned)kernel < PTRT_KERNELS) & (a->elem == d->elem) &
              (a->vrow >= d->vrow) & ptrt_operand_fits(d) & ptrt_operand_fits(a) &
              ptrt_reaches(a, d->vrow, d->vcol) & ptrt_in_step(d, a) & (core->hook == NULL) &
              (rows != 0) & (cols != 0);
    ptrt_maps_fn body = go ? (ptrt_maps_fn)ptrt_body_one(core, kernel, d) : NULL;
    if (!body) return maps_long(core, line, kernel, a, k, d);
    if (along & 1)
        body(pd, pa, k, rows, cols, d->row.inner, a->row.inner, 0);
    else
        body(pd, pa, k, cols, rows, d->col.inner, a->col.inner, 0);
    return PTRT_OK;
}

static inline int maps(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *a,
                       const ptrt_bits *k, const ptrt_tile *d) {
    if (__builtin_expect(ptrt_alike(d, a) && ptrt_is_dense(d) && (unsigned)kernel < PTRT_KERNELS,
                         1)) {
        ptrt_maps_fn body = (ptrt_maps_fn)ptrt_body_one(core, kernel, d);
        if (__builtin_expect(body != NULL, 1)) {
            size_t n = (size_t)d->n;
            PTRT_FORGET(a);
            PTRT_FORGET(d);
            body(ptrt_tile_at(d), ptrt_tile_at(a), k, 1, n, (ptrdiff_t)n, (ptrdiff_t)n, 0);
            return PTRT_OK;
        }
    }
    return maps_rows(core, line, kernel, a, k, d);
}

/* For a type without scalars the bits stay 0; the kernel has no body for it either. */
int ptrt_maps_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src, int64_t scalar,
                const ptrt_tile *dst) {
    ptrt_bits k = {0};
    (void)ptrt_int_bits(dst->elem, scalar, &k);
    return maps(core, line, kernel, src, &k, dst);
}

int ptrt_maps_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src, double scalar,
                const ptrt_tile *dst) {
    ptrt_bits k = {0};
    (void)ptrt_float_bits(dst->elem, scalar, &k);
    return maps(core, line, kernel, src, &k, dst);
}
