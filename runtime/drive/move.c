/* SPDX-License-Identifier: Apache-2.0 */
/* move.c - drivers move (tmov, textract, tinsert) and transpose: copy elements from one tile to
 * another. */
#include "drive/rows.h"

#include <stdlib.h>

typedef struct window {
    ptrt_grid to, from;
    ptrt_corner to_at, from_at;
    int64_t rows, cols;
    unsigned log;
} window;

/* Copies the window, through a buffer when source and destination share bytes. */
static int copy_window(ptrt_core *core, uint32_t line, const window *w, bool shared) {
    const ptrt_movers *m = core->bodies->movers;
    if (!shared) {
        ptrt_copy(m, &w->to, w->to_at, &w->from, w->from_at, w->rows, w->cols, w->log);
        return PTRT_OK;
    }
    void *memory = malloc((size_t)(w->rows * w->cols) << w->log);
    if (!memory) return ptrt_fail(core, PTRT_E_NOMEM, line, "no memory for operands that overlap");
    const ptrt_grid between = ptrt_grid_rows(memory, w->cols);
    const ptrt_corner start = {0, 0};
    ptrt_copy(m, &between, start, &w->from, w->from_at, w->rows, w->cols, w->log);
    ptrt_copy(m, &w->to, w->to_at, &between, start, w->rows, w->cols, w->log);
    free(memory);
    return PTRT_OK;
}

static int check(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                 const ptrt_tile *dst, ptrt_body *body) {
    const ptrt_tile *const tiles[] = {src, dst};
    int code = ptrt_check_tiles(core, line, kernel, tiles, "rw");
    if (code != PTRT_OK) return code;
    *body = ptrt_body_of_pair(core->bodies, kernel, src->elem, dst->elem);
    return *body ? PTRT_OK : ptrt_no_body(core, line, kernel, 2, tiles);
}

int ptrt_check_inside(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *whole,
                      const char *name, int64_t row, int64_t col, int64_t rows, int64_t cols) {
    if (rows == 0 || cols == 0) return PTRT_OK;
    if (row >= 0 && col >= 0 && rows <= whole->rows && cols <= whole->cols &&
        row <= whole->rows - rows && col <= whole->cols - cols)
        return PTRT_OK;
    return ptrt_fail(core, PTRT_E_BOUNDS, line,
                     "%s: %lldx%lld elements at (%lld, %lld) leave the %lldx%lld shape of %s",
                     ptrt_op_name(kernel), (long long)rows, (long long)cols, (long long)row,
                     (long long)col, (long long)whole->rows, (long long)whole->cols, name);
}

int ptrt_move(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src, int64_t row,
              int64_t col, const ptrt_tile *dst) {
    ptrt_body body = NULL;
    int code = check(core, line, kernel, src, dst, &body);
    if (code != PTRT_OK) return code;
    bool insert = kernel == PTRT_TINSERT;
    const ptrt_tile *part = insert ? src : dst, *whole = insert ? dst : src;
    code = ptrt_check_inside(core, line, kernel, whole, insert ? "dst" : "src", row, col,
                             part->vrow, part->vcol);
    if (code != PTRT_OK || part->vrow == 0 || part->vcol == 0) return code;
    if (ptrt_elem_size(src->elem) != ptrt_elem_size(dst->elem)) {
        ptrt_job job = {.n = 2,
                        .tile = {src, dst},
                        .rows = part->vrow,
                        .cols = part->vcol,
                        .transposable = true,
                        .call = ptrt_call_map1,
                        .body = body};
        return ptrt_job_run(core, line, &job);
    }
    const ptrt_corner start = {0, 0}, at = {row, col};
    const window w = {.to = ptrt_grid_of_tile(dst),
                      .from = ptrt_grid_of_tile(src),
                      .to_at = insert ? at : start,
                      .from_at = insert ? start : at,
                      .rows = part->vrow,
                      .cols = part->vcol,
                      .log = ptrt_log_size(ptrt_elem_size(dst->elem))};
    return copy_window(core, line, &w, ptrt_tiles_meet(src, dst));
}

int ptrt_transpose(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                   const ptrt_tile *dst) {
    const ptrt_tile *const tiles[] = {src, dst};
    ptrt_body body;
    int code = ptrt_find_body(core, line, kernel, 2, tiles, &body);
    if (code != PTRT_OK) return code;
    code = ptrt_check_inside(core, line, kernel, dst, "dst", 0, 0, src->vcol, src->vrow);
    if (code != PTRT_OK || src->vrow == 0 || src->vcol == 0) return code;
    window w = {.to = ptrt_grid_of_tile(dst),
                .from = ptrt_grid_of_tile(src),
                .rows = src->vcol,
                .cols = src->vrow,
                .log = ptrt_log_size(ptrt_elem_size(dst->elem))};
    w.from.row = src->col;
    w.from.col = src->row;
    return copy_window(core, line, &w, ptrt_tiles_meet(src, dst));
}
