/* SPDX-License-Identifier: Apache-2.0 */
/* place.c - layouts, subviews and addresses of a case's tiles. */
#include "context.h"

/* ---- layouts and subviews ---- */

static Layout choose_layout(Case *c, const Arg *a) {
    int wish = c->ctx->digits.layout, left = 0;
    if (wish < LAYOUTS && a->layouts >> wish & 1) return (Layout)wish;
    for (int l = 0; l < LAYOUTS; l++)
        left += (int)(a->layouts >> l & 1);
    int64_t pick = random_below(&c->random, left);
    for (int l = 0; l < LAYOUTS; l++)
        if (a->layouts >> l & 1 && pick-- == 0) return (Layout)l;
    return LAY_ND;
}

static int64_t round_up(int64_t n, int64_t step) {
    return (n + step - 1) / step * step;
}

/* An offset into the parent: the start of a box. */
static int64_t window_start(Case *c, int64_t box) {
    return box * random_below(&c->random, box == 1 ? 6 : 3);
}

static void shape_tile(Case *c, Arg *a) {
    int64_t ir, ic;
    a->rows = round_up(a->rows, a->align_rows);
    a->cols = round_up(a->cols, a->align_cols);
    a->layout = choose_layout(c, a);
    a->row0 = a->col0 = 0;
    a->type = (ptrt_tile_type){.elem = (uint8_t)a->elem,
                               .space = (uint8_t)a->space,
                               .pad = a->pad,
                               .rows = a->rows,
                               .cols = a->cols};
    layout_set(&a->type, a->layout);
    if (a->no_window || random_below(&c->random, 4) != 0) {
        a->rows = a->type.rows;
        a->cols = a->type.cols;
        return;
    }
    layout_box(&a->type, &ir, &ic);
    a->row0 = window_start(c, ir);
    a->col0 = window_start(c, ic);
    a->type.rows = a->rows + a->row0 + random_below(&c->random, 3);
    a->type.cols = a->cols + a->col0 + random_below(&c->random, 3);
    layout_set(&a->type, a->layout);
}

/* ---- addresses ---- */

static bool place_apart(Case *c, Arg *a) {
    Memory *m = arg_memory(c, a);
    a->addr = a->start = round_up(m->used, 32) + 32 * random_below(&c->random, 4);
    a->bytes = layout_bytes(&a->type);
    m->used = a->start + a->bytes;
    return m->used <= m->size;
}

/* The same place, shape and layout. */
static void share(Arg *a, const Arg *like) {
    a->layout = like->layout;
    a->type = like->type;
    a->rows = like->rows;
    a->cols = like->cols;
    a->row0 = like->row0;
    a->col0 = like->col0;
    a->addr = a->start = like->addr;
    a->bytes = like->bytes;
}

static bool can_share(const Arg *a, const Arg *like) {
    return a->elem == like->elem && a->space == like->space && a->layouts >> like->layout & 1 &&
           a->vrow <= like->rows && a->vcol <= like->cols && a->pad == like->type.pad &&
           like->rows % a->align_rows == 0 && like->cols % a->align_cols == 0 &&
           (!a->keep_shape || (a->rows <= like->rows && a->cols <= like->cols));
}

/* The offset of a window of n elements somewhere in a parent of `all`. */
static int64_t slide(Case *c, int64_t all, int64_t n, int64_t box) {
    return random_below(&c->random, (all - n) / box + 1) * box;
}

static void move_window(Case *c, Arg *a) {
    int64_t ir, ic;
    layout_box(&a->type, &ir, &ic);
    if (!a->keep_shape) {
        a->rows = a->vrow > 0 ? a->vrow : 1;
        a->cols = a->vcol > 0 ? a->vcol : 1;
    }
    a->row0 = slide(c, a->type.rows, a->rows, ir);
    a->col0 = slide(c, a->type.cols, a->cols, ic);
}

static bool place_at(Case *c, Arg *a, int64_t addr) {
    Memory *m = arg_memory(c, a);
    a->addr = a->start = addr;
    a->bytes = layout_bytes(&a->type);
    if (m->used < addr + a->bytes) m->used = addr + a->bytes;
    return m->used <= m->size;
}

static int64_t shifted(Case *c, const Arg *source, int64_t bytes) {
    int64_t steps = source->bytes / 32 + 1;
    int64_t by = 32 * random_below(&c->random, steps < 8 ? steps : 8);
    bool back = random_below(&c->random, 2) && by < bytes && by <= source->addr;
    return back ? source->addr - by : source->addr + by;
}

/* The destination, relative to a source that is placed already. */
static bool place_over(Case *c, Arg *a, const Arg *source, int place) {
    if (a->space != source->space) return place_apart(c, a);
    switch (place) {
    case OTHER_LAYOUT:
        return place_at(c, a, source->addr);
    case SHIFTED:
        return place_at(c, a, shifted(c, source, layout_bytes(&a->type)));
    default:
        if (!can_share(a, source)) return place_apart(c, a);
        share(a, source);
        if (place == NEXT_WINDOW && !a->no_window) move_window(c, a);
        return true;
    }
}

/* ---- offsets ---- */

/* Every layout is a sum of a term for the row and one for the column (test_layout.c): tables of
 * both save the divisions for every element. */
static void tabulate_view(const Arg *a, int64_t rows, int64_t cols, int32_t *row, int32_t *col) {
    for (int64_t r = 0; r < rows; r++)
        row[r] = (int32_t)(a->size * view_at(&a->view, r, 0));
    for (int64_t k = 0; k < cols; k++)
        col[k] = (int32_t)(a->size * view_at(&a->view, 0, k));
}

/* From one box to the next it is always as far. */
static void tabulate_tile(const Arg *a, int32_t *row, int32_t *col) {
    const ptrt_tile_type *t = &a->type;
    const int64_t size = a->size, first = layout_at(t, a->row0, a->col0);
    int64_t ir, ic;
    layout_box(t, &ir, &ic);
    const int32_t down = (int32_t)(size * (layout_at(t, ir, 0) - layout_at(t, 0, 0)));
    const int32_t right = (int32_t)(size * (layout_at(t, 0, ic) - layout_at(t, 0, 0)));
    for (int64_t r = 0; r < a->rows; r++)
        row[r] = r < ir ? (int32_t)(size * layout_at(t, r + a->row0, a->col0)) : row[r - ir] + down;
    for (int64_t k = 0; k < a->cols; k++)
        col[k] = k < ic ? (int32_t)(size * (layout_at(t, a->row0, k + a->col0) - first))
                        : col[k - ic] + right;
}

static bool tabulate(Case *c, int k) {
    Arg *a = &c->arg[k];
    int32_t(*table)[OFFSETS] = c->ctx->offsets[k];
    int64_t rows = a->rows, cols = a->cols;
    if (is_view(a)) view_extents(&a->view, &rows, &cols);
    if (rows > OFFSETS || cols > OFFSETS) return false;
    if (is_view(a))
        tabulate_view(a, rows, cols, table[0], table[1]);
    else
        tabulate_tile(a, table[0], table[1]);
    a->row_at = table[0];
    a->col_at = table[1];
    a->old = arg_memory(c, a)->old + a->addr;
    a->want = arg_memory(c, a)->want + a->addr;
    return true;
}

/* ---- binding ---- */

static bool bind(Case *c, Arg *a) {
    ptrt_core *core = c->ctx->core;
    bool window =
        a->row0 != 0 || a->col0 != 0 || a->rows != a->type.rows || a->cols != a->type.cols;
    int64_t vrow = window ? a->type.rows : a->vrow, vcol = window ? a->type.cols : a->vcol;
    int code = ptrt_tile_bind(core, &a->type, a->addr, vrow, vcol, ORACLE_LINE, &a->tile);
    if (code == PTRT_OK && window)
        code = ptrt_tile_subview(core, ORACLE_LINE, &a->tile, a->row0, a->col0, a->rows, a->cols,
                                 a->vrow, a->vcol, &a->tile);
    /* Any tile takes the long way now and then. */
    if (random_below(&c->random, 6) == 0) a->tile.key = 0, a->tile.n = 0;
    return code == PTRT_OK;
}

static int find_source(Case *c, int *second) {
    int found[MAX_ARGS], n = 0;
    for (int k = 0; k < c->nargs; k++)
        if (is_tile(&c->arg[k]) && is_source(&c->arg[k]) && !c->arg[k].out) found[n++] = k;
    if (n == 0) return -1;
    int64_t first = random_below(&c->random, n);
    *second = found[(first + 1) % n];
    return found[first];
}

bool place_operands(Case *c) {
    int place = c->line->formula->apart ? c->ctx->digits.place % 2 : c->ctx->digits.place;
    int second = -1, source = find_source(c, &second);
    if (source < 0) place = APART;
    for (int s = 0; s < PTRT_SPACES; s++)
        c->ctx->memory[s].used = 0;
    for (int k = 0; k < c->nargs; k++) {
        Arg *a = &c->arg[k];
        if (is_tile(a)) shape_tile(c, a);
        if ((is_tile(a) && !a->out && !place_apart(c, a)) || (is_view(a) && !place_view(c, a)))
            return false;
    }
    if (place == SAME_SOURCES && second != source && can_share(&c->arg[second], &c->arg[source]))
        share(&c->arg[second], &c->arg[source]);
    for (int k = 0, over = place > SAME_SOURCES; k < c->nargs; k++) {
        Arg *a = &c->arg[k];
        if (!is_tile(a) || !a->out) continue;
        bool ok = over ? place_over(c, a, &c->arg[source], place) : place_apart(c, a);
        over = 0;
        if (!ok) return false;
    }
    for (int k = 0; k < c->nargs; k++) {
        if (is_tile(&c->arg[k]) && !bind(c, &c->arg[k])) return false;
        if ((is_tile(&c->arg[k]) || is_view(&c->arg[k])) && !tabulate(c, k)) return false;
    }
    return true;
}
