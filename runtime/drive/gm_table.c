/* SPDX-License-Identifier: Apache-2.0 */
/* gm_table.c - drivers of tables in global memory: mgather and mgather_view read rows or elements
 * by index, mscatter writes them. mscatter writes nothing when an index is an error. */
#include "core/atomic.h"
#include "drive/rows.h"
#include "mem/view.h"
#include "mem/window.h"

#include <stdlib.h>

/* What to do with an index beyond the table. */
enum beyond { TRAP, CLAMP, WRAP, DROP };

/* A table, how it is indexed, and the indices: one per element, or one per row of the data. */
typedef struct table {
    ptrt_core *core;
    uint32_t line;
    int kernel;
    const ptrt_view *view;
    ptrt_window w;
    enum beyond beyond;
    bool by_row, packed;
    uint64_t n; /* rows or elements of the table, the limit of indices */
    /* Valid extents of the data. */
    int64_t rows, cols;
    /* Operands of the body: data and table, and operand 1, the 32-bit indices: rows x cols, or for
     * rows of the table 1 x rows or, if `down`, rows x 1. */
    ptrt_operand part[3];
    ptrt_args args;
    ptrt_lookup how;
    bool down;
} table;

/* ---- the table ---- */

static int64_t offset_of(const ptrt_digits *d, uint64_t i) {
    uint64_t at = 0;
    for (int l = 0; l < d->n; l++) {
        const bool last = l + 1 == d->n || d->ext[l] <= 0;
        at += (last ? i : i % (uint64_t)d->ext[l]) * (uint64_t)d->step[l];
        if (last) break;
        i /= (uint64_t)d->ext[l];
    }
    return (int64_t)at;
}

/* Returns the address of element (r, c); c may be beyond the columns. */
static unsigned char *place(const table *t, uint64_t r, uint64_t c) {
    const uint64_t at = (uint64_t)offset_of(&t->w.row, r) + (uint64_t)offset_of(&t->w.col, c);
    return (unsigned char *)((uintptr_t)t->w.p + (uintptr_t)(at * t->w.size));
}

/* Whether the view's elements are contiguous, in row-major order. */
static bool is_packed(const ptrt_view *v) {
    int64_t step = 1;
    for (int i = 4; i >= 0; i--) {
        if (v->shape[i] != 1 && v->stride[i] != step) return false;
        if (__builtin_mul_overflow(step, v->shape[i], &step)) return false;
    }
    return true;
}

/* Whether, in checked mode, the whole table lies in one registered region. */
static bool is_allowed(const ptrt_core *core, const ptrt_view *v, uint32_t size) {
    int64_t low = 0, high = 0, span;
    if (!core->checked) return true;
    for (int i = 0; i < 5; i++) {
        if (v->shape[i] <= 0) return true;
        int64_t *end = v->stride[i] < 0 ? &low : &high;
        if (__builtin_mul_overflow(v->shape[i] - 1, v->stride[i], &span) ||
            __builtin_add_overflow(*end, span, end))
            return false;
    }
    if (high >= PTRDIFF_MAX / 2 / size || low <= -(PTRDIFF_MAX / 2 / size)) return false;
    return ptrt_gm_allowed(core, (uintptr_t)v->base + (uintptr_t)(low * (int64_t)size),
                           (uint64_t)(high - low + 1) * size);
}

static uint64_t product(uint64_t a, uint64_t b) {
    uint64_t p;
    return __builtin_mul_overflow(a, b, &p) ? UINT64_MAX : p;
}

static int open_table(table *t, const ptrt_tile *data, int profile) {
    const char *op = ptrt_op_name(t->kernel);
    const ptrt_view *v = t->view;
    ptrt_window_of_view(v, &t->w);
    if (t->w.size != ptrt_elem_size(data->elem) || v->elem != data->elem)
        return ptrt_fail(t->core, PTRT_E_TYPE, t->line,
                         "%s: element types of table and tile differ", op);
    if (!v->base)
        return ptrt_fail(t->core, PTRT_E_BOUNDS, t->line, "%s: the table has no memory", op);
    if (t->by_row && t->cols > t->w.cols)
        return ptrt_fail(t->core, PTRT_E_BOUNDS, t->line,
                         "%s: rows of %lld valid elements, but those of the table have %lld", op,
                         (long long)t->cols, (long long)t->w.cols);
    if (!is_allowed(t->core, v, t->w.size))
        return ptrt_fail(t->core, PTRT_E_BOUNDS, t->line,
                         "%s: the table reaches outside every buffer", op);
    const uint64_t rows = (uint64_t)t->w.rows, cols = (uint64_t)t->w.cols;
    const bool last_only = t->by_row && profile != PTRT_FOR_A2A3 && v->layout == PTRT_VIEW_ND;
    t->n = last_only   ? (rows > 0 && v->shape[3] > 0 ? (uint64_t)v->shape[3] : 0)
           : t->by_row ? rows
                       : product(rows, cols);
    t->packed = v->layout == PTRT_VIEW_ND && is_packed(v);
    return PTRT_OK;
}

/* ---- indices ---- */

/* Opens the operands. `data` is operand `at`, the table is the other one of 0 and 2; idx is NULL if
 * the indices are in global memory. */
static int open_operands(table *t, const ptrt_tile *data, int at, const ptrt_tile *idx) {
    int code = PTRT_OK;
    if (idx) {
        t->down = t->by_row && idx->vcol <= 1 && idx->vrow > 1 && idx->rows >= t->rows;
        ptrt_set_operand(&t->part[1], idx, t->by_row && !t->down ? 1 : t->rows,
                         t->down     ? 1
                         : t->by_row ? t->rows
                                     : t->cols,
                         PTRT_SOURCE, 0);
        code = ptrt_check_reach(t->core, t->line, t->kernel, at == 0, idx, t->part[1].rows,
                                t->part[1].cols);
    }
    if (code != PTRT_OK) return code;
    ptrt_set_operand(&t->part[at], data, t->rows, t->cols, at == 0 ? PTRT_SOURCE : PTRT_TARGET, 0);
    ptrt_args_init(&t->args, t->rows, t->cols, NULL, &t->how);
    code = ptrt_operands_open(t->core, t->line, t->kernel, 3, t->part, &t->args);
    t->args.p[2 - at] = t->w.p;
    t->how = (ptrt_lookup){
        .kind = PTRT_INDEX_32, .n = (uint32_t)t->n, .strict = at == 0 && t->beyond == TRAP};
    return code;
}

static uint32_t index_at(const table *t, int64_t r, int64_t c) {
    uint32_t i;
    const int64_t row = t->by_row && !t->down ? 0 : r, col = t->down ? 0 : t->by_row ? r : c;
    memcpy(&i, (unsigned char *)t->args.p[1] + (row * t->args.ld[1] + col) * (int64_t)sizeof i,
           sizeof i);
    return i;
}

/* Returns the row or element that index i selects, or UINT64_MAX for none. */
static uint64_t resolve(const table *t, uint32_t i) {
    if (i < t->n) return i;
    if (t->n == 0 || t->beyond == TRAP || t->beyond == DROP) return UINT64_MAX;
    return t->beyond == CLAMP ? t->n - 1 : i % t->n;
}

static int bad_index(const table *t, uint32_t i) {
    return ptrt_fail(t->core, PTRT_E_BOUNDS, t->line, "%s: index %lu, but the table has %llu %s",
                     ptrt_op_name(t->kernel), (unsigned long)i, (unsigned long long)t->n,
                     t->by_row ? "rows" : "elements");
}

/* Reports the first index that is out of range, if that is an error. */
static int check_indices(const table *t) {
    const int64_t cols = t->by_row ? 1 : t->cols;
    if (t->beyond == DROP || (t->beyond != TRAP && t->n > 0)) return PTRT_OK;
    for (int64_t r = 0; r < t->rows; r++)
        for (int64_t c = 0; c < cols; c++)
            if (index_at(t, r, c) >= t->n) return bad_index(t, index_at(t, r, c));
    return PTRT_OK;
}

/* Returns the address of the table's element for element (r, c) of the data, or NULL for none. */
static unsigned char *find(const table *t, int64_t r, int64_t c) {
    const uint64_t i = resolve(t, index_at(t, r, c));
    if (i == UINT64_MAX) return NULL;
    if (t->by_row) return place(t, i, (uint64_t)c);
    return place(t, i / (uint64_t)t->w.cols, i % (uint64_t)t->w.cols);
}

/* Whether a body can gather or scatter directly: the table is contiguous and its indices need no
 * change. */
static bool one_run(const table *t) {
    return !t->by_row && t->packed && t->n <= UINT32_MAX && t->n > 0 &&
           (t->beyond == TRAP || t->beyond == DROP);
}

/* Whether indices select rows; by default if they have one column. */
static bool is_by_row(int coalesce, int64_t cols) {
    return coalesce == PTRT_ABSENT ? cols <= 1 : coalesce == 0;
}

/* ---- reading ---- */

/* Copies one row of the table. A row with contiguous elements is one copy. */
static void gather_row(const table *t, unsigned char *d, int64_t r) {
    const size_t size = t->w.size;
    unsigned char *p = find(t, r, 0);
    if (!p) {
        memset(d, 0, (size_t)t->cols * size);
    } else if (t->view->layout == PTRT_VIEW_ND && t->view->stride[4] == 1) {
        memcpy(d, p, (size_t)t->cols * size);
    } else {
        for (int64_t c = 0; c < t->cols; c++)
            memcpy(d + (size_t)c * size, find(t, r, c), size);
    }
}

static void gather_elements(const table *t, unsigned char *d, int64_t r) {
    const size_t size = t->w.size;
    for (int64_t c = 0; c < t->cols; c++) {
        const unsigned char *p = find(t, r, c);
        if (p)
            memcpy(d + (size_t)c * size, p, size);
        else
            memset(d + (size_t)c * size, 0, size);
    }
}

/* Runs the body, or checks the indices and reads row by row. Needs opened operands. */
static int gather(table *t, ptrt_body body) {
    if (one_run(t)) {
        ((ptrt_args_fn)body)(&t->args);
        return t->how.all ? PTRT_OK : check_indices(t);
    }
    int code = check_indices(t);
    unsigned char *row = t->args.p[2];
    for (int64_t r = 0; r < t->rows && code == PTRT_OK; r++, row += t->args.ld[2] * t->w.size) {
        if (t->by_row)
            gather_row(t, row, r);
        else
            gather_elements(t, row, r);
    }
    return code;
}

static const enum beyond gather_words[] = {TRAP, CLAMP, WRAP, DROP};

static int start_gather(table *t, const ptrt_tile *idx, const ptrt_tile *dst, ptrt_body *body) {
    const ptrt_tile *const tiles[] = {idx, dst};
    const int first = idx ? 0 : 1;
    int code = ptrt_check_tiles(t->core, t->line, t->kernel, tiles + first, idx ? "rw" : "w");
    if (code != PTRT_OK) return code;
    *body = ptrt_body_one(t->core, t->kernel, dst);
    if (!*body || (idx && idx->elem != PTRT_I32 && idx->elem != PTRT_U32))
        return ptrt_no_body(t->core, t->line, t->kernel, 2 - first, tiles + first);
    t->rows = dst->vrow;
    t->cols = dst->vcol;
    return PTRT_OK;
}

int ptrt_mgather(ptrt_core *core, uint32_t line, int kernel, const ptrt_view *mem,
                 const ptrt_tile *idx, const ptrt_tile *dst, int coalesce, int oob, int profile) {
    table t = {.core = core, .line = line, .kernel = kernel, .view = mem};
    ptrt_body body = NULL;
    if (oob < 0 || oob > 3)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: no mode %d", ptrt_op_name(kernel), oob);
    t.beyond = gather_words[oob];
    t.by_row = is_by_row(coalesce, idx->vcol);
    int code = start_gather(&t, idx, dst, &body);
    if (code != PTRT_OK || t.rows == 0 || t.cols == 0) return code;
    code = open_table(&t, dst, profile);
    if (code == PTRT_OK) code = open_operands(&t, dst, 2, idx);
    if (code == PTRT_OK) code = gather(&t, body);
    return ptrt_operands_close(core, 3, t.part, code);
}

/* ---- indices in global memory ---- */

static int copy_piece(void *arg, const ptrt_grid *g, ptrt_corner at, int64_t rows, int64_t cols) {
    table *t = arg;
    const ptrt_grid to = ptrt_grid_rows(t->args.p[1], t->args.ld[1]);
    ptrt_copy(t->core->bodies->movers, &to, at, g, (ptrt_corner){0, 0}, rows, cols, 2);
    return PTRT_OK;
}

/* Copies the indices of a view. Indices of rows may be a row or a column of it. */
static int load_view(table *t, const ptrt_view *idx) {
    ptrt_window w;
    ptrt_window_of_view(idx, &w);
    t->down = t->by_row && w.cols == 1;
    const int64_t rows = !t->by_row || t->down ? t->rows : 1;
    const int64_t cols = !t->by_row ? t->cols : t->down ? 1 : t->rows;
    const char *op = ptrt_op_name(t->kernel);
    if (w.size != sizeof(uint32_t))
        return ptrt_fail(t->core, PTRT_E_TYPE, t->line, "%s: indices of 32 bits are needed", op);
    if (!idx->base || rows > w.rows || cols > w.cols)
        return ptrt_fail(t->core, PTRT_E_BOUNDS, t->line, "%s: %lldx%lld indices are needed", op,
                         (long long)rows, (long long)cols);
    if (!is_allowed(t->core, idx, w.size))
        return ptrt_fail(t->core, PTRT_E_BOUNDS, t->line,
                         "%s: the indices reach outside every buffer", op);
    void *memory = malloc((size_t)(rows * cols) * w.size);
    if (!memory) return ptrt_fail(t->core, PTRT_E_NOMEM, t->line, "no memory for the indices");
    t->part[1].memory = t->args.p[1] = memory;
    t->args.ld[1] = (ptrdiff_t)cols;
    return ptrt_window_pieces(&w, rows, cols, copy_piece, t);
}

int ptrt_mgather_view(ptrt_core *core, uint32_t line, int kernel, const ptrt_view *mem,
                      const ptrt_view *idx, const ptrt_tile *dst, int coalesce, int oob,
                      int profile) {
    table t = {.core = core, .line = line, .kernel = kernel, .view = mem};
    ptrt_body body = NULL;
    if (oob < 0 || oob > 3)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: no mode %d", ptrt_op_name(kernel), oob);
    t.beyond = gather_words[oob];
    t.by_row = is_by_row(coalesce, ptrt_view_cols(idx));
    int code = start_gather(&t, NULL, dst, &body);
    if (code != PTRT_OK || t.rows == 0 || t.cols == 0) return code;
    code = open_table(&t, dst, profile);
    if (code == PTRT_OK) code = open_operands(&t, dst, 2, NULL);
    if (code == PTRT_OK) code = load_view(&t, idx);
    if (code == PTRT_OK) code = gather(&t, body);
    return ptrt_operands_close(core, 3, t.part, code);
}

/* ---- writing ---- */

/* Writes k contiguous elements: replaces them, or combines them atomically. */
static void put(const table *t, int combine, unsigned char *p, const unsigned char *s, int64_t k,
                int elem) {
    if (combine == PTRT_NO_KERNEL)
        memcpy(p, s, (size_t)k * t->w.size);
    else
        (void)ptrt_gm_update(t->core, combine, elem, p, s, (size_t)k);
}

static void scatter_row(const table *t, int combine, const unsigned char *s, int64_t r, int elem) {
    const bool touch = t->by_row && t->view->layout == PTRT_VIEW_ND && t->view->stride[4] == 1;
    for (int64_t c = 0, k; c < t->cols; c += k) {
        unsigned char *p = find(t, r, c);
        k = touch ? t->cols : 1;
        if (p) put(t, combine, p, s + c * (int64_t)t->w.size, k, elem);
    }
}

static int scatter(table *t, ptrt_body body, int combine, int elem) {
    if (one_run(t) && combine == PTRT_NO_KERNEL) {
        ((ptrt_args_fn)body)(&t->args);
        return t->how.all ? PTRT_OK : check_indices(t);
    }
    int code = check_indices(t);
    const unsigned char *row = t->args.p[0];
    for (int64_t r = 0; r < t->rows && code == PTRT_OK; r++, row += t->args.ld[0] * t->w.size)
        scatter_row(t, combine, row, r, elem);
    return code;
}

static int check_mscatter(table *t, const ptrt_tile *src, const ptrt_tile *idx, int op, int oob,
                          ptrt_body *body) {
    const ptrt_tile *const tiles[] = {src, idx};
    int code = ptrt_check_tiles(t->core, t->line, t->kernel, tiles, "rr");
    if (code != PTRT_OK) return code;
    *body = ptrt_body_one(t->core, t->kernel, src);
    if (!*body || (idx->elem != PTRT_I32 && idx->elem != PTRT_U32))
        return ptrt_no_body(t->core, t->line, t->kernel, 2, tiles);
    if (op < 0 || op > 3 || oob < 0 || oob > 3)
        return ptrt_fail(t->core, PTRT_E_ARG, t->line, "%s: no mode %d or %d",
                         ptrt_op_name(t->kernel), op, oob);
    return PTRT_OK;
}

int ptrt_mscatter(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                  const ptrt_tile *idx, const ptrt_view *mem, int coalesce, int op, int oob,
                  int profile) {
    static const enum beyond words[] = {TRAP, DROP, CLAMP, WRAP};
    static const int ops[] = {PTRT_NO_KERNEL, PTRT_TADD, PTRT_TMAX, PTRT_TMIN};
    table t = {.core = core, .line = line, .kernel = kernel, .view = mem};
    ptrt_body body = NULL;
    int code = check_mscatter(&t, src, idx, op, oob, &body);
    if (code != PTRT_OK || src->vrow == 0 || src->vcol == 0) return code;
    t.beyond = words[oob];
    t.by_row = is_by_row(coalesce, idx->vcol);
    t.rows = src->vrow;
    t.cols = src->vcol;
    if (op != 0 && !core->bodies->one[ops[op]][src->elem])
        return ptrt_no_body(core, line, kernel, 1, &src);
    code = open_table(&t, src, profile);
    if (code == PTRT_OK) code = open_operands(&t, src, 0, idx);
    if (code == PTRT_OK) code = scatter(&t, body, ops[op], src->elem);
    return ptrt_operands_close(core, 3, t.part, code);
}
