/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates the column of the instruction table that says which elements are touched, on the tiles
 * of a run. */
#include "touched.h"

#include <string.h>

/* ---- extents ---- */

typedef struct Scene {
    const Statement *s;
    const ptrt_tile *tiles;
    unsigned self;
} Scene;

static int64_t valid(const Scene *x, unsigned part, bool cols) {
    const Part *p = &x->s->parts[part];
    if (!p->tile) return cols ? p->cols : p->rows;
    return cols ? x->tiles[part].vcol : x->tiles[part].vrow;
}

static unsigned part_in(const Scene *x, int slot) {
    for (unsigned i = 0; i < x->s->n; i++)
        if (x->s->parts[i].slot == slot) return i;
    return x->self; /* the operand was left out */
}

static int64_t extent(const Scene *x, const SlotSum *of, bool cols) {
    int64_t sum = 0;
    if (of->slot[0] == 0) return valid(x, x->self, cols);
    for (int i = 0; i < 2 && of->slot[i] != 0; i++)
        sum += valid(x, part_in(x, of->slot[i] - 1), cols != of->across[i]);
    return sum;
}

static int64_t number(const Statement *s, OperandName name) {
    const int i = inst_slot(s->inst, name);
    return i >= 0 ? s->numbers[i] : 0;
}

/* ---- elements ---- */

static void set_kind(const Scene *x, const Touched *t, Elements *e) {
    const int64_t rows = extent(x, &t->rows, false), cols = extent(x, &t->cols, true);
    e->rows = t->kind == TOUCH_ROW ? rows > 0 : rows;
    e->cols = t->kind == TOUCH_COLUMN ? cols > 0 : cols;
    e->bits = t->bits;
    if (t->kind == TOUCH_WINDOW) {
        e->row = number(x->s, OPERAND_indexRow);
        e->col = number(x->s, OPERAND_indexCol);
    }
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

Elements touched_elements(const Statement *s, unsigned i, const ptrt_tile *tiles,
                          unsigned char *buffer) {
    const Part *p = &s->parts[i];
    const Scene x = {s, tiles, i};
    const int64_t rows = p->tile ? tiles[i].rows : p->rows,
                  cols = p->tile ? tiles[i].cols : p->cols;
    Elements e = {.part = p,
                  .tile = p->tile ? &tiles[i] : NULL,
                  .base = p->tile ? tiles[i].at : buffer + p->at,
                  .size = p->tile ? ptrt_elem_size(tiles[i].elem) : p->size};
    switch ((TouchedKind)p->touched->kind) {
    case TOUCH_NONE:
        return e;
    case TOUCH_SHAPE:
        e.rows = rows;
        e.cols = cols;
        return e;
    case TOUCH_ELEMENT:
        e.base += (size_t)number(s, OPERAND_offset) * e.size;
        e.rows = e.cols = 1;
        return e;
    default:
        set_kind(&x, p->touched, &e);
        e.rows = least(e.rows, rows - e.row);
        if (e.bits == 0) e.cols = least(e.cols, cols - e.col);
        return e;
    }
}

static int64_t axis(const ptrt_axis *a, int64_t i) {
    return i / a->box * a->outer + i % a->box * a->inner;
}

Cell touched_cell(const Elements *e, int64_t k) {
    const int64_t r = e->row + k / e->cols, c = e->col + k % e->cols;
    const int64_t bit = (c - e->col) * e->bits;
    const int64_t col = e->bits == 0 ? c : e->col;
    const int64_t at = e->tile != NULL ? axis(&e->tile->row, r) + axis(&e->tile->col, col)
                                       : r * e->part->cols + col;
    unsigned char *p = e->base + at * (int64_t)e->size;
    if (e->bits == 0) return (Cell){p, e->size, 0xFF};
    if (e->bits >= 8) return (Cell){p + bit / 8, (size_t)e->bits / 8, 0xFF};
    return (Cell){p + bit / 8, 1, (unsigned char)(((1u << e->bits) - 1) << bit % 8)};
}
