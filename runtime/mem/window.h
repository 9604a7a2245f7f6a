/* window.h - a view of global memory as rows and columns. */
#ifndef PTORT_MEM_WINDOW_H
#define PTORT_MEM_WINDOW_H

#include "core/core.h"
#include "mem/copy.h"

/* An index as mixed-radix digits, least significant first: offset = sum of digit[l] * step[l],
 * where digit[l] runs below ext[l] and the last digit takes what is left. Steps in elements. */
enum { PTRT_DIGITS = 5 };
typedef struct ptrt_digits {
    int n;
    int64_t ext[PTRT_DIGITS];
    int64_t step[PTRT_DIGITS];
} ptrt_digits;

typedef struct ptrt_window {
    unsigned char *p;
    uint32_t size;      /* bytes of an element */
    int64_t rows, cols; /* extents; saturated at INT64_MAX */
    ptrt_digits row, col;
} ptrt_window;

/* The window in the order of its layout. */
void ptrt_window_of_view(const ptrt_view *view, ptrt_window *out);

/* Calls fn for pieces that together make up rows x cols elements from the corner on, each a grid
 * with its place in the window. Stops at the first code other than 0 and returns it. */
typedef int (*ptrt_piece_fn)(void *arg, const ptrt_grid *piece, ptrt_corner at, int64_t rows,
                             int64_t cols);
int ptrt_window_pieces(const ptrt_window *w, int64_t rows, int64_t cols, ptrt_piece_fn fn,
                       void *arg);

#endif
