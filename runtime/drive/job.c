/* SPDX-License-Identifier: Apache-2.0 */
/* job.c - runs a body over tiles of any layout: in place, through buffers, or with copied
 * sources. */
#include "drive/drive.h"

#include <stdlib.h>

/* ---- access to an operand ---- */

/* Whether the operand does not advance with the columns of the job. */
static bool is_fixed_column(uint8_t extent) {
    return extent == PTRT_COLUMN || extent == PTRT_BLOCK;
}

/* Returns how many columns of operand k a job of `cols` columns uses. */
static int64_t width_of(const ptrt_job *job, int k, int64_t cols) {
    return job->extent[k] == PTRT_COLUMN  ? 1
           : job->extent[k] == PTRT_BLOCK ? job->tile[k]->vcol
                                          : cols;
}

/* Whether elements of a job's row are contiguous in operand k. */
static bool along_rows(const ptrt_job *job, int k) {
    return job->extent[k] == PTRT_COLUMN || job->tile[k]->col.inner == 1;
}

static bool along_cols(const ptrt_job *job, int k) {
    return job->tile[k]->row.inner == 1;
}

static void *element(const ptrt_tile *t, int64_t r, int64_t c) {
    int64_t at = ptrt_axis_offset(&t->row, r) + ptrt_axis_offset(&t->col, c);
    return ptrt_tile_at(t) + (uint64_t)at * ptrt_elem_size(t->elem);
}

/* Sets the address and row distance of operand k for a block at row r, column c. */
static void place(const ptrt_job *job, int k, int64_t r, int64_t c, ptrt_args *s) {
    const ptrt_tile *t = job->tile[k];
    uint8_t e = job->extent[k];
    s->p[k] = element(t, e == PTRT_ROW ? 0 : r, is_fixed_column(e) ? 0 : c);
    s->ld[k] = e == PTRT_ROW ? 0 : (ptrdiff_t)t->row.inner;
}

/* Runs the body on a block. In a transposable job, rows without gaps between them are passed as one
 * long row, which is faster. */
static void run_rows(const ptrt_job *job, ptrt_args *s, size_t rows, size_t cols) {
    s->k = job->k;
    s->how = job->how;
    bool dense = job->transposable;
    for (int k = 0; k < job->n; k++)
        dense = dense && s->ld[k] == (ptrdiff_t)cols;
    s->rows = dense ? 1 : rows;
    s->cols = dense ? rows * cols : cols;
    if (job->call)
        job->call(job->body, s);
    else
        ((ptrt_args_fn)job->body)(s);
}

/* ---- bodies with other signatures ---- */

void ptrt_call_map1(ptrt_body body, const ptrt_args *x) {
    ((ptrt_map1_fn)body)(x->p[1], x->p[0], x->rows, x->cols, x->ld[1], x->ld[0]);
}

void ptrt_call_map2(ptrt_body body, const ptrt_args *x) {
    (void)((ptrt_map2_fn)body)(x->p[2], x->p[0], x->p[1], x->rows, x->cols,
                               (const ptrdiff_t[]){x->ld[2], x->ld[0], x->ld[1]});
}

void ptrt_call_maps(ptrt_body body, const ptrt_args *x) {
    const int d = x->k ? 1 : 2;
    ((ptrt_maps_fn)body)(x->p[d], x->p[0], x->k ? x->k : x->p[1], x->rows, x->cols, x->ld[d],
                         x->ld[0], x->k ? 0 : x->ld[1]);
}

/* ---- blocks in place ---- */

/* Returns how many rows (or columns) from index i on have a constant stride in all operands. */
static int64_t common_run(const ptrt_job *job, int64_t i, int64_t left, bool rows) {
    for (int k = 0; k < job->n; k++) {
        if (rows ? job->extent[k] == PTRT_ROW : is_fixed_column(job->extent[k])) continue;
        const ptrt_axis *a = rows ? &job->tile[k]->row : &job->tile[k]->col;
        left = ptrt_min64(left, ptrt_axis_run(a, i));
    }
    return left;
}

static void run_direct(const ptrt_job *job, bool transposed) {
    int64_t nr, nc;
    for (int64_t r = 0; r < job->rows; r += nr) {
        nr = common_run(job, r, job->rows - r, true);
        for (int64_t c = 0; c < job->cols; c += nc) {
            ptrt_args s;
            nc = common_run(job, c, job->cols - c, false);
            for (int k = 0; k < job->n; k++) {
                place(job, k, r, c, &s);
                if (transposed) s.ld[k] = (ptrdiff_t)job->tile[k]->col.inner;
            }
            run_rows(job, &s, (size_t)(transposed ? nc : nr), (size_t)(transposed ? nr : nc));
        }
    }
}

/* ---- blocks through buffers ---- */

enum { STAGE_ROWS = 32, STAGE_COLS = 64, STAGE_BYTES = STAGE_ROWS * STAGE_COLS * 8 };

typedef struct stage {
    _Alignas(64) unsigned char bytes[PTRT_JOB_OPERANDS][STAGE_BYTES];
} stage;

/* Whether the block can be used in place: its rows are contiguous and no box ends inside it. */
static bool is_direct(const ptrt_job *job, int k, int64_t r, int64_t c, int64_t nr, int64_t nc) {
    const ptrt_tile *t = job->tile[k];
    uint8_t e = job->extent[k];
    return along_rows(job, k) && (e == PTRT_ROW || ptrt_axis_run(&t->row, r) >= nr) &&
           (is_fixed_column(e) || ptrt_axis_run(&t->col, c) >= nc);
}

/* Copies a block between operand k and its buffer. */
static void transfer(const ptrt_job *job, const ptrt_movers *m, int k, int64_t r, int64_t c,
                     int64_t nr, int64_t nc, void *buffer, bool out) {
    const ptrt_tile *t = job->tile[k];
    uint8_t e = job->extent[k];
    ptrt_grid tile = ptrt_grid_of_tile(t), block = ptrt_grid_rows(buffer, STAGE_COLS);
    ptrt_corner at = {e == PTRT_ROW ? 0 : r, is_fixed_column(e) ? 0 : c}, start = {0, 0};
    if (e == PTRT_ROW) nr = 1;
    nc = width_of(job, k, nc);
    unsigned log = ptrt_log_size(ptrt_elem_size(t->elem));
    if (out)
        ptrt_copy(m, &tile, at, &block, start, nr, nc, log);
    else
        ptrt_copy(m, &block, start, &tile, at, nr, nc, log);
}

static void run_block(const ptrt_job *job, const ptrt_movers *m, stage *buffers, int64_t r,
                      int64_t c, int64_t nr, int64_t nc) {
    ptrt_args s;
    bool staged[PTRT_JOB_OPERANDS];
    for (int k = 0; k < job->n; k++) {
        bool last = k == job->n - 1;
        staged[k] = !is_direct(job, k, r, c, nr, nc);
        place(job, k, r, c, &s);
        if (!staged[k]) continue;
        s.p[k] = buffers->bytes[k];
        s.ld[k] = job->extent[k] == PTRT_ROW ? 0 : STAGE_COLS;
        if (!last || job->updates) transfer(job, m, k, r, c, nr, nc, s.p[k], false);
    }
    run_rows(job, &s, (size_t)nr, (size_t)nc);
    int dst = job->n - 1;
    if (staged[dst]) transfer(job, m, dst, r, c, nr, nc, s.p[dst], true);
}

static __attribute__((noinline)) void run_staged(const ptrt_job *job, const ptrt_movers *m) {
    stage buffers;
    for (int64_t r = 0; r < job->rows; r += STAGE_ROWS)
        for (int64_t c = 0; c < job->cols; c += STAGE_COLS)
            run_block(job, m, &buffers, r, c, ptrt_min64(STAGE_ROWS, job->rows - r),
                      ptrt_min64(STAGE_COLS, job->cols - c));
}

/* Whether blocks in place are long enough to be faster than buffers. PTRT_BLOCK operands repeat
 * from column 0 on, so a job that has them must not be split inside a row. */
static bool in_long_runs(const ptrt_job *job, bool transposed) {
    const int64_t length = transposed ? job->rows : job->cols;
    const int64_t run = common_run(job, 0, length, transposed);
    bool whole = false;
    for (int k = 0; k < job->n; k++)
        whole = whole || job->extent[k] == PTRT_BLOCK;
    return run >= length || (run >= 16 && !whole);
}

static void run_job(const ptrt_job *job, const ptrt_movers *m) {
    bool rows = true, cols = job->transposable;
    for (int k = 0; k < job->n; k++) {
        rows = rows && along_rows(job, k);
        cols = cols && along_cols(job, k);
    }
    if (rows && in_long_runs(job, false))
        run_direct(job, false);
    else if (cols && in_long_runs(job, true))
        run_direct(job, true);
    else
        run_staged(job, m);
}

/* ---- sources that overlap the destination ---- */

/* Whether each element of the region has the same address in both tiles. */
static bool same_places(const ptrt_tile *a, const ptrt_tile *b) {
    return ptrt_tile_at(a) == ptrt_tile_at(b) && a->elem == b->elem &&
           a->row.inner == b->row.inner && a->col.inner == b->col.inner &&
           a->row.outer == b->row.outer && a->col.outer == b->col.outer &&
           (a->row.outer == 0 || a->row.box == b->row.box) &&
           (a->col.outer == 0 || a->col.box == b->col.box);
}

static bool must_copy(const ptrt_job *job, int k) {
    const ptrt_tile *d = job->tile[job->n - 1], *s = job->tile[k];
    uintptr_t d0 = (uintptr_t)ptrt_tile_at(d), s0 = (uintptr_t)ptrt_tile_at(s);
    if (d0 + d->bytes <= s0 || s0 + s->bytes <= d0) return false;
    if (job->extent[k] == PTRT_FULL && same_places(d, s)) return false;
    return ptrt_overlap(d, s);
}

/* Makes a row-major tile of rows x cols elements over `memory`, with the type of `like`. */
static void tile_over(ptrt_tile *t, void *memory, const ptrt_tile *like, int64_t rows,
                      int64_t cols) {
    *t = *like;
    t->at = t->base = memory;
    t->addr = 0;
    t->row = (ptrt_axis){1, 0, cols};
    t->col = (ptrt_axis){1, 0, 1};
    t->bytes = (uint64_t)(rows * cols) * ptrt_elem_size(like->elem);
}

int ptrt_job_run(ptrt_core *core, uint32_t line, ptrt_job *job) {
    ptrt_tile copies[PTRT_JOB_OPERANDS];
    void *memory[PTRT_JOB_OPERANDS];
    int used = 0, code = PTRT_OK;
    const ptrt_movers *m = core->bodies->movers;
    if (job->rows <= 0 || job->cols <= 0) return PTRT_OK;
    for (int k = 0; k < job->n - 1 && code == PTRT_OK; k++) {
        if (!must_copy(job, k)) continue;
        const ptrt_tile *s = job->tile[k];
        int64_t rows = job->extent[k] == PTRT_ROW ? 1 : job->rows;
        int64_t cols = width_of(job, k, job->cols);
        memory[used] = malloc((size_t)(rows * cols) * ptrt_elem_size(s->elem));
        if (!memory[used]) {
            code = ptrt_fail(core, PTRT_E_NOMEM, line, "no memory for operands that overlap");
            break;
        }
        ptrt_grid to = ptrt_grid_rows(memory[used], cols), from = ptrt_grid_of_tile(s);
        ptrt_copy(m, &to, (ptrt_corner){0, 0}, &from, (ptrt_corner){0, 0}, rows, cols,
                  ptrt_log_size(ptrt_elem_size(s->elem)));
        tile_over(&copies[used], memory[used], s, rows, cols);
        job->tile[k] = &copies[used++];
    }
    if (code == PTRT_OK) run_job(job, m);
    while (used > 0)
        free(memory[--used]);
    return code;
}

int ptrt_job_start(ptrt_core *core, uint32_t line, ptrt_job *job, int64_t rows, int64_t cols) {
    int code = PTRT_OK;
    if (!job->body) code = ptrt_find_body(core, line, job->kernel, job->n, job->tile, &job->body);
    for (int i = 0; i < job->n - 1 && code == PTRT_OK; i++)
        code = ptrt_check_reach(core, line, job->kernel, i, job->tile[i], rows, cols);
    job->rows = rows;
    job->cols = cols;
    return code != PTRT_OK ? code : ptrt_job_run(core, line, job);
}
