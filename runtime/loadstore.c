/* loadstore.c - tload, tstore: a tile and a window of global memory. */
#include "move.h"
#include "view.h"
#include "walk.h"

/* Saturating product of extents that are not negative. */
static int64_t product(int64_t a, int64_t b) {
    if (a <= 0 || b <= 0) return 0;
    return a > INT64_MAX / b ? INT64_MAX : a * b;
}

/* Rows and columns of the window, by its layout. */
static void window_size(const ptrt_view *v, int64_t *rows, int64_t *cols) {
    const int64_t *s = v->shape;
    switch (v->layout) {
    case PTRT_VIEW_DN:
        *rows = s[3];
        *cols = product(product(s[0], s[1]), product(s[2], s[4]));
        break;
    case PTRT_VIEW_NZ:
        *rows = product(s[2], s[3]);
        *cols = product(product(s[0], s[1]), s[4]);
        break;
    case PTRT_VIEW_MX_A_ZZ:
        *rows = product(s[1], 16);
        *cols = product(s[2], 2);
        break;
    case PTRT_VIEW_MX_B_NN:
        *rows = product(s[2], 2);
        *cols = product(s[1], 16);
        break;
    default:
        *rows = product(product(s[0], s[1]), product(s[2], s[3]));
        *cols = s[4];
    }
}

/* Appends dimension d of the view as the next digit. */
static void digit(ptrt_map *m, const ptrt_view *v, int d) {
    ptrt_map_add(m, (uint64_t)v->shape[d], (uint64_t)v->stride[d]);
}

/* The last digit takes the rest of the index, whatever the extent says. */
static void rest(ptrt_map *m, const ptrt_view *v, int d) {
    ptrt_map_add(m, UINT64_MAX, (uint64_t)v->stride[d]);
}

static ptrt_side side_of_view(const ptrt_view *v) {
    ptrt_side side = {.p = v->base};
    ptrt_map *row = &side.row, *col = &side.col;
    switch (v->layout) {
    case PTRT_VIEW_DN:
        rest(row, v, 3);
        digit(col, v, 4);
        digit(col, v, 2);
        digit(col, v, 1);
        rest(col, v, 0);
        break;
    case PTRT_VIEW_NZ:
        digit(row, v, 3);
        rest(row, v, 2);
        digit(col, v, 4);
        digit(col, v, 1);
        rest(col, v, 0);
        break;
    case PTRT_VIEW_MX_A_ZZ:
        ptrt_map_add(row, 16, (uint64_t)v->stride[3]);
        rest(row, v, 1);
        ptrt_map_add(col, 2, (uint64_t)v->stride[4]);
        rest(col, v, 2);
        break;
    case PTRT_VIEW_MX_B_NN:
        ptrt_map_add(row, 2, (uint64_t)v->stride[4]);
        rest(row, v, 2);
        ptrt_map_add(col, 16, (uint64_t)v->stride[3]);
        rest(col, v, 1);
        break;
    default:
        digit(row, v, 3);
        digit(row, v, 2);
        digit(row, v, 1);
        rest(row, v, 0);
        rest(col, v, 4);
    }
    return side;
}

/* Every run that the transfer touches lies in one registered region. */
static bool window_allowed(const ptrt_core *core, const ptrt_side *s, int64_t rows, int64_t cols,
                           uint32_t size) {
    uint64_t count, step;
    for (uint64_t r = 0; r < (uint64_t)rows; r++) {
        uint64_t line = ptrt_map_at(&s->row, r, &count, &step), n;
        for (uint64_t c = 0; c < (uint64_t)cols; c += n) {
            uint64_t at = line + ptrt_map_at(&s->col, c, &count, &step);
            n = (uint64_t)cols - c < count ? (uint64_t)cols - c : count;
            uint64_t span = (n - 1) * step;
            bool down = (int64_t)span < 0;
            uintptr_t first = (uintptr_t)s->p + (at + (down ? span : 0)) * size;
            if (!ptrt_gm_allowed(core, first, ((down ? 0 - span : span) + 1) * size)) return false;
        }
    }
    return true;
}

/* What both directions ask before they touch memory. */
static int check_view(ptrt_core *core, uint32_t line, const char *op, const ptrt_view *v) {
    for (int d = 0; d < 5; d++) {
        if (v->shape[d] <= 0)
            return ptrt_fail(core, PTRT_E_BOUNDS, line, "%s: the view is empty", op);
    }
    if (!v->base) return ptrt_fail(core, PTRT_E_BOUNDS, line, "%s: the view has no memory", op);
    return PTRT_OK;
}

/* Checked mode: the transfer stays inside the window, and the window inside registered memory. */
static int check_transfer(ptrt_core *core, uint32_t line, const char *op, const ptrt_view *v,
                          const ptrt_side *side, const ptrt_tile *t) {
    if (!core->checked) return PTRT_OK;
    int64_t rows, cols;
    window_size(v, &rows, &cols);
    if (t->vrow > rows || t->vcol > cols)
        return ptrt_fail(core, PTRT_E_BOUNDS, line,
                         "%s: %lldx%lld valid elements, but the view has %lldx%lld", op,
                         (long long)t->vrow, (long long)t->vcol, (long long)rows, (long long)cols);
    if (!window_allowed(core, side, t->vrow, t->vcol, ptrt_elem_size(t->elem)))
        return ptrt_fail(core, PTRT_E_BOUNDS, line, "%s: the view reaches outside every buffer",
                         op);
    return PTRT_OK;
}

static int check_sizes(ptrt_core *core, uint32_t line, const char *op, const ptrt_view *v,
                       const ptrt_tile *t) {
    if (ptrt_elem_size(v->elem) == ptrt_elem_size(t->elem)) return PTRT_OK;
    return ptrt_fail(core, PTRT_E_TYPE, line, "%s: element sizes of view and tile differ", op);
}

int ptrt_tload(ptrt_core *core, uint32_t line, const ptrt_view *mem, const ptrt_tile *dst) {
    const char *op = "pto.tload";
    PTRT_OPERAND(core, line, op, "dst", PTRT_WRITE, dst);
    int code = check_sizes(core, line, op, mem, dst);
    if (code != PTRT_OK) return code;
    if (dst->vrow > 0 && dst->vcol > 0) {
        code = check_view(core, line, op, mem);
        if (code != PTRT_OK) return code;
        ptrt_side to = ptrt_side_of_tile(dst), from = side_of_view(mem);
        code = check_transfer(core, line, op, mem, &from, dst);
        if (code != PTRT_OK) return code;
        ptrt_copy(&to, &from, dst->vrow, dst->vcol, ptrt_elem_size(dst->elem));
    }
    if (dst->pad != PTRT_PAD_NULL) {
        ptrt_bits bits = ptrt_pad_bits(dst->elem, dst->pad);
        int64_t data_rows = dst->vcol > 0 ? dst->vrow : 0;
        ptrt_fill_region(core, dst, (ptrt_region2){0, data_rows, dst->vcol, dst->cols}, &bits);
        ptrt_fill_region(core, dst, (ptrt_region2){data_rows, dst->rows, 0, dst->cols}, &bits);
    }
    return PTRT_OK;
}

int ptrt_tstore(ptrt_core *core, uint32_t line, const ptrt_tile *src, const ptrt_view *mem) {
    const char *op = "pto.tstore";
    PTRT_OPERAND(core, line, op, "src", PTRT_READ, src);
    int code = check_sizes(core, line, op, mem, src);
    if (code != PTRT_OK || src->vrow == 0 || src->vcol == 0) return code;
    code = check_view(core, line, op, mem);
    if (code != PTRT_OK) return code;
    ptrt_side from = ptrt_side_of_tile(src), to = side_of_view(mem);
    code = check_transfer(core, line, op, mem, &to, src);
    if (code == PTRT_OK) ptrt_copy(&to, &from, src->vrow, src->vcol, ptrt_elem_size(src->elem));
    return code;
}
