/* SPDX-License-Identifier: Apache-2.0 */
/* sums.c - drivers of elementwise operations with three inputs: map3, map2s, axpy. */
#include "drive/drive.h"

/* ---- three tiles ---- */

int ptrt_map3(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
              const ptrt_tile *src1, const ptrt_tile *src2, const ptrt_tile *dst) {
    if (ptrt_alike(dst, src0) && ptrt_alike(dst, src1) && ptrt_alike(dst, src2) &&
        ptrt_is_dense(dst) && (unsigned)kernel < PTRT_KERNELS) {
        ptrt_args_fn body = (ptrt_args_fn)ptrt_body_one(core, kernel, dst);
        if (body) {
            ptrt_args x;
            ptrt_args_init(&x, 1, dst->n, NULL, NULL);
            ptrt_args_operand(&x, 0, src0, 0);
            ptrt_args_operand(&x, 1, src1, 0);
            ptrt_args_operand(&x, 2, src2, 0);
            ptrt_args_operand(&x, 3, dst, 0);
            body(&x);
            return PTRT_OK;
        }
    }
    ptrt_job job = {
        .kernel = kernel, .n = 4, .tile = {src0, src1, src2, dst}, .transposable = true};
    return ptrt_job_start(core, line, &job, dst->vrow, dst->vcol);
}

/* ---- a scalar between two tiles ---- */

static int map2s(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *a, const ptrt_bits *k,
                 const ptrt_tile *b, const ptrt_tile *d) {
    if (ptrt_alike(d, a) && ptrt_alike(d, b) && ptrt_is_dense(d) &&
        (unsigned)kernel < PTRT_KERNELS) {
        ptrt_args_fn body = (ptrt_args_fn)ptrt_body_one(core, kernel, d);
        if (body) {
            ptrt_args x;
            ptrt_args_init(&x, 1, d->n, k, NULL);
            ptrt_args_operand(&x, 0, a, 0);
            ptrt_args_operand(&x, 1, b, 0);
            ptrt_args_operand(&x, 2, d, 0);
            body(&x);
            return PTRT_OK;
        }
    }
    ptrt_job job = {.kernel = kernel, .n = 3, .tile = {a, b, d}, .transposable = true, .k = k};
    return ptrt_job_start(core, line, &job, d->vrow, d->vcol);
}

int ptrt_map2s_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0, int64_t scalar,
                 const ptrt_tile *src1, const ptrt_tile *dst) {
    ptrt_bits k = {0};
    (void)ptrt_int_bits(dst->elem, scalar, &k);
    return map2s(core, line, kernel, src0, &k, src1, dst);
}

int ptrt_map2s_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0, double scalar,
                 const ptrt_tile *src1, const ptrt_tile *dst) {
    ptrt_bits k = {0};
    (void)ptrt_float_bits(dst->elem, scalar, &k);
    return map2s(core, line, kernel, src0, &k, src1, dst);
}

/* ---- adding a multiple of a tile ---- */

static int axpy(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                const ptrt_bits *k, const ptrt_tile *dst) {
    const ptrt_tile *const tiles[] = {src, dst};
    int code = ptrt_check_tiles(core, line, kernel, tiles, "rw");
    if (code != PTRT_OK) return code;
    ptrt_job job = {.kernel = kernel,
                    .n = 2,
                    .tile = {src, dst},
                    .transposable = true,
                    .updates = true,
                    .body = ptrt_body_of_pair(core->bodies, kernel, src->elem, dst->elem),
                    .k = k};
    if (!job.body) return ptrt_no_body(core, line, kernel, 2, tiles);
    return ptrt_job_start(core, line, &job, dst->vrow, dst->vcol);
}

int ptrt_axpy_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src, double scalar,
                const ptrt_tile *dst) {
    ptrt_bits k = {0};
    (void)ptrt_float_bits(src->elem, scalar, &k);
    return axpy(core, line, kernel, src, &k, dst);
}
