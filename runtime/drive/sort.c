/* sort.c - drivers of sorts: sort32 (tsort32), merge and merge_blocks (tmrgsort). */
#include "drive/rows.h"

/* Bytes of a record: a value and the element of idx that belongs to it. */
enum { RECORD = 8 };

/* Returns the rows of idx that are needed: one serves all rows. */
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

static __attribute__((noinline)) int sort32_long(ptrt_core *core, uint32_t line, int kernel,
                                                 const ptrt_tile *src, const ptrt_tile *idx,
                                                 const ptrt_tile *dst) {
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

/* Whether the tile has plain rows and shares no byte with d. */
static inline bool is_beside(const ptrt_tile *t, const ptrt_tile *d) {
    return (ptrt_directions(t) & 1) != 0 && !ptrt_tiles_meet(t, d);
}

int ptrt_sort32(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                const ptrt_tile *idx, const ptrt_tile *dst) {
    const int64_t rows = src->vrow, cols = src->vcol;
    if (core->hook || (unsigned)kernel >= PTRT_KERNELS || rows <= 0 || cols <= 0 ||
        !ptrt_operand_fits(src) || !ptrt_operand_fits(idx) || !ptrt_operand_fits(dst) ||
        src->elem != dst->elem || (idx->elem != PTRT_U32 && idx->elem != PTRT_I32) ||
        idx->cols < cols || (idx->rows < rows && idx->rows != 1) || dst->rows < rows ||
        !is_beside(src, dst) || !is_beside(idx, dst) || (ptrt_directions(dst) & 1) == 0)
        return sort32_long(core, line, kernel, src, idx, dst);
    ptrt_sort32_fn body = (ptrt_sort32_fn)ptrt_body_one(core, kernel, src);
    const int64_t size = (int64_t)ptrt_elem_size(dst->elem);
    if (!body || dst->cols < cols * RECORD / size)
        return sort32_long(core, line, kernel, src, idx, dst);
    body(ptrt_tile_at(dst), ptrt_tile_at(src), ptrt_tile_at(idx), (size_t)rows, (size_t)cols,
         (ptrdiff_t)(dst->row.inner * size), (ptrdiff_t)src->row.inner,
         idx->rows == 1 ? 0 : (ptrdiff_t)idx->row.inner);
    return PTRT_OK;
}

/* ---- merging ---- */

/* Returns how many records that many elements hold. */
static int64_t records(const ptrt_tile *t, int64_t elements) {
    return elements / (RECORD / (int64_t)ptrt_elem_size(t->elem));
}

/* Gets n elements of row 0 of a list, which must not overlap the destination. */
static int read_list(ptrt_core *core, uint32_t line, const ptrt_tile *t, int64_t n,
                     const ptrt_tile *d, ptrt_rows *r) {
    return n == 0 ? PTRT_OK : ptrt_rows_read(core, line, t, 1, n, d, false, r);
}

static int check_lists(ptrt_core *core, uint32_t line, int kernel, int n,
                       const ptrt_tile *const *tiles, ptrt_body *body) {
    static const uint8_t roles[] = {PTRT_READ, PTRT_READ, PTRT_READ, PTRT_READ, PTRT_WRITE};
    const ptrt_tile *d = tiles[n - 1];
    int code = ptrt_check_tiles(core, line, kernel, n, tiles, n == 5 ? roles : roles + 3);
    if (code != PTRT_OK) return code;
    *body = ptrt_body_one(core, kernel, d);
    for (int i = 0; i < n - 1 && *body; i++)
        if (tiles[i] && tiles[i]->elem != d->elem) *body = NULL;
    return *body ? PTRT_OK : ptrt_no_body(core, line, kernel, n, tiles);
}

int ptrt_merge(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
               const ptrt_tile *src1, const ptrt_tile *src2, const ptrt_tile *src3,
               const ptrt_tile *dst, ptrt_i16x4 *executed, int exhausted) {
    const ptrt_tile *const tiles[] = {src0, src1, src2, src3, dst};
    ptrt_rows s[PTRT_LISTS] = {{0}}, d = {0};
    ptrt_list lists[PTRT_LISTS] = {{0}};
    size_t taken[PTRT_LISTS] = {0}, n = 0;
    ptrt_body body = NULL;
    int code = check_lists(core, line, kernel, 5, tiles, &body);
    if (code != PTRT_OK) return code;
    const int64_t room = dst->vrow > 0 ? dst->vcol : 0;
    for (; n < PTRT_LISTS && tiles[n] && code == PTRT_OK; n++) {
        const int64_t all = tiles[n]->vrow > 0 ? tiles[n]->vcol : 0;
        code = read_list(core, line, tiles[n], all, dst, &s[n]);
        lists[n] = (ptrt_list){s[n].p, (size_t)records(dst, all)};
    }
    if (code == PTRT_OK && room > 0) code = ptrt_rows_write(core, line, dst, 1, room, true, &d);
    if (code == PTRT_OK) {
        ((ptrt_merge_fn)body)(d.p, (size_t)records(dst, room), lists, n, exhausted != 0, taken);
        if (room > 0) ptrt_rows_store(core, dst, 1, room, &d);
        for (size_t k = 0; k < PTRT_LISTS && executed; k++)
            executed->at[k] = (int16_t)taken[k];
    }
    for (size_t k = 0; k < PTRT_LISTS; k++)
        ptrt_rows_free(&s[k]);
    ptrt_rows_free(&d);
    return code;
}

/* Merges every four blocks. */
static void merge_groups(ptrt_merge_fn body, unsigned char *d, const unsigned char *s,
                         int64_t groups, size_t block) {
    size_t taken[PTRT_LISTS];
    for (; groups > 0; groups--) {
        ptrt_list lists[PTRT_LISTS];
        for (size_t k = 0; k < PTRT_LISTS; k++)
            lists[k] = (ptrt_list){s + RECORD * block * k, block};
        body(d, PTRT_LISTS * block, lists, PTRT_LISTS, false, taken);
        s += RECORD * PTRT_LISTS * block;
        d += RECORD * PTRT_LISTS * block;
    }
}

int ptrt_merge_blocks(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                      int64_t length, const ptrt_tile *dst) {
    const ptrt_tile *const tiles[] = {src, dst};
    ptrt_rows s = {0}, d = {0};
    ptrt_body body = NULL;
    int code = check_lists(core, line, kernel, 2, tiles, &body);
    if (code != PTRT_OK) return code;
    const int64_t per = RECORD / (int64_t)ptrt_elem_size(dst->elem);
    const int64_t all = dst->vrow > 0 ? dst->vcol : 0;
    if (length <= 0 || length % per != 0 || length > all / PTRT_LISTS) return PTRT_OK;
    const int64_t groups = all / (PTRT_LISTS * length), n = groups * PTRT_LISTS * length;
    code = ptrt_check_reach(core, line, kernel, 0, src, 1, n);
    if (code == PTRT_OK) code = read_list(core, line, src, n, dst, &s);
    if (code == PTRT_OK) code = ptrt_rows_write(core, line, dst, 1, n, false, &d);
    if (code == PTRT_OK) {
        merge_groups((ptrt_merge_fn)body, d.p, s.p, groups, (size_t)(length / per));
        ptrt_rows_store(core, dst, 1, n, &d);
    }
    ptrt_rows_free(&s);
    ptrt_rows_free(&d);
    return code;
}
