/* scatter.c - drivers that place elements in a tile: scatter by index, scattermask by a pattern. */
#include "drive/indexed.h"

/* ---- by index ---- */

static int check_scatter(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *s,
                         const ptrt_tile *i, const ptrt_tile *d, ptrt_body *body) {
    static const uint8_t roles[] = {PTRT_READ, PTRT_READ, PTRT_WRITE};
    const ptrt_tile *const tiles[] = {s, i, d};
    int code = ptrt_check_tiles(core, line, kernel, 3, tiles, roles);
    if (code != PTRT_OK) return code;
    *body = ptrt_body_one(core, kernel, d);
    if (!*body || s->elem != d->elem || ptrt_index_kind(i) < 0)
        return ptrt_no_body(core, line, kernel, 3, tiles);
    return ptrt_check_reach(core, line, kernel, 0, s, i->vrow, i->vcol);
}

/* 16-bit indices are unsigned, whatever their type says. */
static enum ptrt_index kind_of(const ptrt_tile *indexes) {
    return ptrt_index_kind(indexes) == PTRT_INDEX_32 ? PTRT_INDEX_32 : PTRT_INDEX_U16;
}

/* Zeroes dst and scatters. */
static void scatter(const ptrt_tile *src, const ptrt_tile *indexes, const ptrt_tile *dst,
                    ptrt_scatter_fn body, const ptrt_rows *s, const ptrt_rows *i,
                    const ptrt_rows *d) {
    const uint32_t size = ptrt_elem_size(src->elem);
    memset(d->p, 0, (size_t)(dst->rows * dst->cols) * size);
    body(d->p, s->p, i->p, kind_of(indexes), ptrt_index_limit(dst, indexes), (size_t)indexes->vrow,
         (size_t)indexes->vcol, s->ld, i->ld, false);
}

int ptrt_scatter(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                 const ptrt_tile *indexes, const ptrt_tile *dst) {
    ptrt_rows s = {0}, i = {0}, d = {0};
    ptrt_body body = NULL;
    const int64_t rows = indexes->vrow, cols = indexes->vcol;
    int code = check_scatter(core, line, kernel, src, indexes, dst, &body);
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    code = ptrt_rows_read(core, line, src, rows, cols, dst, false, &s);
    if (code == PTRT_OK) code = ptrt_rows_read(core, line, indexes, rows, cols, dst, false, &i);
    if (code == PTRT_OK)
        code = ptrt_check_indices(core, line, kernel, &i, rows, cols, kind_of(indexes), "dst",
                                  ptrt_index_limit(dst, indexes));
    if (code == PTRT_OK) code = ptrt_rows_write_flat(core, line, dst, false, &d);
    if (code == PTRT_OK) {
        scatter(src, indexes, dst, (ptrt_scatter_fn)body, &s, &i, &d);
        ptrt_rows_store(core, dst, dst->rows, dst->cols, &d);
    }
    ptrt_rows_free(&s);
    ptrt_rows_free(&i);
    ptrt_rows_free(&d);
    return code;
}

/* ---- by pattern ---- */

static int check_mask(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *s,
                      const ptrt_tile *d, bool known, ptrt_body *body) {
    static const uint8_t roles[] = {PTRT_READ, PTRT_WRITE};
    const ptrt_tile *const tiles[] = {s, d};
    int code = ptrt_check_tiles(core, line, kernel, 2, tiles, roles);
    if (code != PTRT_OK) return code;
    *body = ptrt_body_one(core, kernel, d);
    if (!*body || s->elem != d->elem) return ptrt_no_body(core, line, kernel, 2, tiles);
    if (!known)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: no such pattern", ptrt_op_name(kernel));
    return PTRT_OK;
}

/* Returns how many of n positions the pattern selects. */
static int64_t selected(int64_t n, size_t step, size_t at) {
    return (n - (int64_t)at + (int64_t)step - 1) / (int64_t)step;
}

/* Scatters whole rows: selected rows of dst take those of the source in order, the others become
 * 0. */
static void spread_rows(ptrt_spread_fn body, const ptrt_rows *d, const ptrt_rows *s, int64_t rows,
                        size_t cols, size_t step, size_t at, uint32_t size) {
    for (int64_t r = 0; r < rows; r++) {
        unsigned char *to = d->p + r * d->ld * size;
        if ((size_t)r % step == at)
            body(to, s->p + r / (int64_t)step * s->ld * size, 1, cols, 0, 0, 1, 0);
        else
            memset(to, 0, cols * size);
    }
}

int ptrt_scattermask(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                     const ptrt_tile *dst, int pattern, int axis) {
    ptrt_rows s = {0}, d = {0};
    ptrt_body body = NULL;
    size_t step = 1, at = 0;
    const bool known = ptrt_pattern(pattern, &step, &at);
    const int64_t rows = dst->vrow, cols = dst->vcol;
    int code = check_mask(core, line, kernel, src, dst, known, &body);
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    const int64_t srows = axis ? selected(rows, step, at) : rows;
    const int64_t scols = axis ? cols : selected(cols, step, at);
    code = ptrt_check_reach(core, line, kernel, 0, src, srows, scols);
    if (code == PTRT_OK) code = ptrt_rows_read(core, line, src, srows, scols, dst, false, &s);
    if (code == PTRT_OK) code = ptrt_rows_write(core, line, dst, rows, cols, false, &d);
    if (code == PTRT_OK) {
        if (axis)
            spread_rows((ptrt_spread_fn)body, &d, &s, rows, (size_t)cols, step, at,
                        ptrt_elem_size(dst->elem));
        else
            ((ptrt_spread_fn)body)(d.p, s.p, (size_t)rows, (size_t)cols, d.ld, s.ld, step, at);
        ptrt_rows_store(core, dst, rows, cols, &d);
    }
    ptrt_rows_free(&s);
    ptrt_rows_free(&d);
    return code;
}
