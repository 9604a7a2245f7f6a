/* SPDX-License-Identifier: Apache-2.0 */
/* window.c - maps the dimensions of a view to rows and columns by its layout, and cuts the window
 * into pieces with at most two strides per axis. */
#include "mem/window.h"

/* Returns the product of extents, at most INT64_MAX. */
static int64_t product(int64_t a, int64_t b) {
    if (a <= 0 || b <= 0) return 0;
    return a > INT64_MAX / b ? INT64_MAX : a * b;
}

/* Appends a digit. Replaces a last digit that is always 0, and merges digits that together have a
 * constant stride. */
static void add_digit(ptrt_digits *d, int64_t ext, int64_t step) {
    if (d->n > 0) {
        int last = d->n - 1;
        if (d->ext[last] == 1) {
            d->ext[last] = ext;
            d->step[last] = step;
            return;
        }
        if ((uint64_t)d->ext[last] * (uint64_t)d->step[last] == (uint64_t)step) {
            d->ext[last] = product(d->ext[last], ext);
            return;
        }
    }
    d->ext[d->n] = ext;
    d->step[d->n] = step;
    d->n++;
}

static void add_dim(ptrt_digits *d, const ptrt_view *v, int dim) {
    add_digit(d, v->shape[dim], v->stride[dim]);
}

static int64_t extent(const ptrt_digits *d) {
    int64_t n = 1;
    for (int i = 0; i < d->n; i++)
        n = product(n, d->ext[i]);
    return n;
}

void ptrt_window_of_view(const ptrt_view *v, ptrt_window *w) {
    ptrt_digits *row = &w->row, *col = &w->col;
    w->p = v->base;
    w->size = ptrt_elem_size(v->elem);
    row->n = col->n = 0;
    switch (v->layout) {
    case PTRT_VIEW_DN:
        add_dim(row, v, 3);
        add_dim(col, v, 4);
        add_dim(col, v, 2);
        add_dim(col, v, 1);
        add_dim(col, v, 0);
        break;
    case PTRT_VIEW_NZ:
        add_dim(row, v, 3);
        add_dim(row, v, 2);
        add_dim(col, v, 4);
        add_dim(col, v, 1);
        add_dim(col, v, 0);
        break;
    case PTRT_VIEW_MX_A_ZZ:
        add_digit(row, 16, v->stride[3]);
        add_dim(row, v, 1);
        add_digit(col, 2, v->stride[4]);
        add_dim(col, v, 2);
        break;
    case PTRT_VIEW_MX_B_NN:
        add_digit(row, 2, v->stride[4]);
        add_dim(row, v, 2);
        add_digit(col, 16, v->stride[3]);
        add_dim(col, v, 1);
        break;
    default:
        add_dim(row, v, 3);
        add_dim(row, v, 2);
        add_dim(row, v, 1);
        add_dim(row, v, 0);
        add_dim(col, v, 4);
    }
    w->rows = extent(row);
    w->cols = extent(col);
}

int64_t ptrt_view_rows(const ptrt_view *view) {
    ptrt_window w;
    ptrt_window_of_view(view, &w);
    return w.rows;
}

int64_t ptrt_view_cols(const ptrt_view *view) {
    ptrt_window w;
    ptrt_window_of_view(view, &w);
    return w.cols;
}

/* ---- pieces ---- */

/* Makes an axis from the first two digits; ptrt_window_pieces iterates over the others. */
static ptrt_axis axis_of(const ptrt_digits *d) {
    if (d->n == 1) return (ptrt_axis){1, 0, d->step[0]};
    return (ptrt_axis){d->ext[0], d->step[1], d->step[0]};
}

/* Returns how many indices the first two digits cover. */
static int64_t span_of(const ptrt_digits *d) {
    return d->n <= 2 ? INT64_MAX : product(d->ext[0], d->ext[1]);
}

/* Returns the offset that the digits from the third on add in the given chunk. */
static int64_t outer_offset(const ptrt_digits *d, int64_t chunk) {
    uint64_t offset = 0;
    for (int i = 2; i < d->n; i++) {
        int64_t digit = i == d->n - 1 ? chunk : chunk % d->ext[i];
        offset += (uint64_t)digit * (uint64_t)d->step[i];
        chunk /= d->ext[i];
    }
    return (int64_t)offset;
}

int ptrt_window_pieces(const ptrt_window *w, int64_t rows, int64_t cols, ptrt_piece_fn fn,
                       void *arg) {
    const int64_t row_span = span_of(&w->row), col_span = span_of(&w->col);
    ptrt_grid g = {.row = axis_of(&w->row), .col = axis_of(&w->col)};
    for (int64_t r = 0, i = 0; r < rows; i++) {
        int64_t nr = ptrt_min64(row_span, rows - r), at = outer_offset(&w->row, i);
        for (int64_t c = 0, j = 0; c < cols; j++) {
            int64_t nc = ptrt_min64(col_span, cols - c);
            g.p =
                (unsigned char *)((uintptr_t)w->p +
                                  ((uintptr_t)at + (uintptr_t)outer_offset(&w->col, j)) * w->size);
            int code = fn(arg, &g, (ptrt_corner){r, c}, nr, nc);
            if (code != PTRT_OK) return code;
            c += nc;
        }
        r += nr;
    }
    return PTRT_OK;
}
