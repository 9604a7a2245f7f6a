/* SPDX-License-Identifier: Apache-2.0 */
/* fillpad.c - driver of tfillpad and its two variants: copies src and fills the rest with the pad
 * value. */
#include "drive/drive.h"

static int check(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                 const ptrt_tile *dst, int pad) {
    const ptrt_tile *const tiles[] = {src, dst};
    int code = ptrt_check_tiles(core, line, kernel, tiles, "rw");
    if (code != PTRT_OK) return code;
    const char *op = ptrt_op_name(kernel);
    if (!ptrt_body_one(core, kernel, dst) || ptrt_elem_size(src->elem) != ptrt_elem_size(dst->elem))
        return ptrt_no_body(core, line, kernel, 2, tiles);
    if (src->rows > dst->rows || src->cols > dst->cols)
        return ptrt_fail(
            core, PTRT_E_VALID, line, "%s: src (%lldx%lld) is larger than dst (%lldx%lld)", op,
            (long long)src->rows, (long long)src->cols, (long long)dst->rows, (long long)dst->cols);
    if (pad < PTRT_PAD_NULL || pad > PTRT_PAD_MIN)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: illegal pad value %d", op, pad);
    return PTRT_OK;
}

int ptrt_fillpad(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                 const ptrt_tile *dst, int pad) {
    if (pad == PTRT_ABSENT) pad = dst->pad;
    int code = check(core, line, kernel, src, dst, pad);
    if (code != PTRT_OK || dst->vrow == 0 || dst->vcol == 0) return code;
    int64_t cols = src->vcol, rows = cols > 0 ? src->vrow : 0;
    ptrt_job job = {.n = 2,
                    .tile = {src, dst},
                    .rows = rows,
                    .cols = cols,
                    .transposable = true,
                    .call = ptrt_call_map1,
                    .body = ptrt_body_one(core, kernel, dst)};
    code = ptrt_job_run(core, line, &job);
    if (code != PTRT_OK) return code;
    ptrt_bits bits = ptrt_pad_bits(dst->elem, pad);
    ptrt_fill_region(core, dst, (ptrt_region2){0, rows, cols, dst->cols}, &bits);
    ptrt_fill_region(core, dst, (ptrt_region2){rows, dst->rows, 0, dst->cols}, &bits);
    return PTRT_OK;
}
