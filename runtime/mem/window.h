/* SPDX-License-Identifier: Apache-2.0 */
/* window.h - inside libptort: a view of global memory as a matrix of rows and columns. */
#ifndef PTORT_MEM_WINDOW_H
#define PTORT_MEM_WINDOW_H

#include "core/core.h"
#include "mem/copy.h"

/* An index as mixed-radix digits, least significant first. Its offset, in elements, is the sum of
 * digit[l] * step[l]; digit[l] < ext[l], except that the last digit is not limited. */
enum { PTRT_DIGITS = 5 };
typedef struct ptrt_digits {
    int n;
    int64_t ext[PTRT_DIGITS];
    int64_t step[PTRT_DIGITS];
} ptrt_digits;

typedef struct ptrt_window {
    unsigned char *p;
    uint32_t size;      /* bytes of an element */
    int64_t rows, cols; /* at most INT64_MAX */
    ptrt_digits row, col;
} ptrt_window;

/* Makes the window that the view's layout describes. */
void ptrt_window_of_view(const ptrt_view *view, ptrt_window *out);

/* Called for each piece: `at` is its corner in the window. */
typedef int (*ptrt_piece_fn)(void *arg, const ptrt_grid *piece, ptrt_corner at, int64_t rows,
                             int64_t cols);
/* Calls fn for pieces that together cover the first rows x cols elements. Stops at the first code
 * other than 0 and returns it. */
int ptrt_window_pieces(const ptrt_window *w, int64_t rows, int64_t cols, ptrt_piece_fn fn,
                       void *arg);

#endif
