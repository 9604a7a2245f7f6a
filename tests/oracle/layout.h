/* SPDX-License-Identifier: Apache-2.0 */
/* layout.h - where elements of tiles and views are, by the formulas of the language, not by
 * ptrt_axis. */
#ifndef TESTS_ORACLE_LAYOUT_H
#define TESTS_ORACLE_LAYOUT_H

#include "ptort.h"

/* Layouts of tiles that tests choose from. */
typedef enum Layout {
    LAY_ND,
    LAY_DN,
    LAY_NZ,
    LAY_ZN,
    LAY_ZZ,
    LAY_NN,
    LAY_NZ_1024, /* accumulators: boxes of 16 x 16 */
    LAY_ZZ_32,   /* left scales */
    LAY_NN_32,   /* right scales */
    LAY_ND_PLUS, /* row_plus_one: an element more a row, column or column of boxes */
    LAY_DN_PLUS,
    LAY_NZ_PLUS,
    LAYOUTS
} Layout;

enum {
    LAYS_ALL = (1 << LAYOUTS) - 1,
    LAYS_PLAIN = 1 << LAY_ND | 1 << LAY_DN,
};

const char *layout_text(Layout layout);
/* Sets the layout of a type whose elem, rows and cols are set; boxed layouts round rows and cols up
 * to what the layout can hold. */
void layout_set(ptrt_tile_type *type, Layout layout);

/* Offset of (r, c) in elements. */
int64_t layout_at(const ptrt_tile_type *type, int64_t r, int64_t c);
/* Bytes from element (0, 0) to the end of the last element. */
int64_t layout_bytes(const ptrt_tile_type *type);
/* Extents of the inner box; 1 x 1 without boxes. */
void layout_box(const ptrt_tile_type *type, int64_t *rows, int64_t *cols);

/* Offset of tile coordinate (r, c) of a view, in elements, and the extents that it offers. */
int64_t view_at(const ptrt_view *view, int64_t r, int64_t c);
void view_extents(const ptrt_view *view, int64_t *rows, int64_t *cols);

#endif
