/* sort.c - drivers of sorts: sort32 (tsort32). */
#include "drive/rows.h"

/* Bytes of a record: a value and its companion. */
enum { RECORD = 8 };

/* One row of companions belongs to every row of values. */
static int64_t companion_rows(const ptrt_tile *idx, int64_t rows) {
    return idx->rows == 1 ? ptrt_min64(rows, 1) : rows;
}

static int check_sort(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *s,
                      const ptrt_tile *i, const ptrt_tile *d, ptrt_body *body) {
    static const uint8_t roles[] = {PTRT_READ, PTRT_READ, PTRT_WRITE};
    const ptrt_tile *const tiles[] = {s, i, d};
    int code = ptrt_check_tiles(core, line, kernel, 3, tiles, roles);
    if (code != PTRT_OK) return code;
    *body = ptrt_body_one(core, kernel, s);
    if (!*body || d->elem != s->elem || (i->elem != PTRT_I32 && i->elem != PTRT_U32))
        return ptrt_no_body(core, line, kernel, 3, tiles);
    const int64_t wide = s->vcol * (int64_t)(RECORD / ptrt_elem_size(s->elem));
    code = ptrt_check_reach(core, line, kernel, 1, i, companion_rows(i, s->vrow), s->vcol);
    return code != PTRT_OK ? code : ptrt_check_reach(core, line, kernel, 2, d, s->vrow, wide);
}

int ptrt_sort32(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                const ptrt_tile *idx, const ptrt_tile *dst) {
    ptrt_rows s = {0}, i = {0}, d = {0};
    ptrt_body body = NULL;
    const int64_t rows = src->vrow, cols = src->vcol;
    int code = check_sort(core, line, kernel, src, idx, dst, &body);
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    const int64_t size = (int64_t)ptrt_elem_size(dst->elem), wide = cols * RECORD / size;
    code = ptrt_rows_read(core, line, src, rows, cols, dst, false, &s);
    if (code == PTRT_OK)
        code = ptrt_rows_read(core, line, idx, companion_rows(idx, rows), cols, dst, false, &i);
    if (code == PTRT_OK) code = ptrt_rows_write(core, line, dst, rows, wide, false, &d);
    if (code == PTRT_OK) {
        ((ptrt_sort32_fn)body)(d.p, s.p, i.p, (size_t)rows, (size_t)cols, d.ld * size, s.ld,
                               idx->rows == 1 ? 0 : i.ld);
        ptrt_rows_store(core, dst, rows, wide, &d);
    }
    ptrt_rows_free(&s);
    ptrt_rows_free(&i);
    ptrt_rows_free(&d);
    return code;
}
