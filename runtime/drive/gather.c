/* gather.c - drivers that select elements of a tile: gather by index, gatherb by byte offset,
 * gathermask by a pattern, gathercmp by a comparison. */
#include "drive/indexed.h"

static const uint8_t roles[] = {PTRT_READ, PTRT_READ, PTRT_WRITE};

/* ---- by index ---- */

/* Returns the column of the first index of a row that is not below `limit`, or `cols`. */
static int64_t bad_column(const unsigned char *row, int64_t cols, enum ptrt_index kind,
                          uint32_t limit, int64_t *index) {
    int64_t c = 0;
    for (; c < cols; c++) {
        uint32_t wide;
        uint16_t half;
        if (kind == PTRT_INDEX_32) {
            memcpy(&wide, row + 4 * c, sizeof wide);
            *index = wide;
        } else {
            memcpy(&half, row + 2 * c, sizeof half);
            *index = kind == PTRT_INDEX_I16 ? (int16_t)half : half;
        }
        if (*index < 0 || *index >= (int64_t)limit) break;
    }
    return c;
}

int ptrt_check_indices(ptrt_core *core, uint32_t line, int kernel, const ptrt_rows *i, int64_t rows,
                       int64_t cols, enum ptrt_index kind, const char *of, uint32_t limit) {
    const int64_t step = i->ld * (kind == PTRT_INDEX_32 ? 4 : 2);
    int64_t index = 0;
    for (int64_t r = 0; core->checked && r < rows; r++)
        if (bad_column(i->p + r * step, cols, kind, limit, &index) < cols)
            return ptrt_fail(core, PTRT_E_BOUNDS, line, "%s: index %lld, but %s has %lu elements",
                             ptrt_op_name(kernel), (long long)index, of, (unsigned long)limit);
    return PTRT_OK;
}

static int check_gather(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *s,
                        const ptrt_tile *i, const ptrt_tile *d, ptrt_body *body) {
    const ptrt_tile *const tiles[] = {s, i, d};
    int code = ptrt_check_tiles(core, line, kernel, 3, tiles, roles);
    if (code != PTRT_OK) return code;
    *body = ptrt_body_one(core, kernel, d);
    if (!*body || s->elem != d->elem || ptrt_index_kind(i) < 0)
        return ptrt_no_body(core, line, kernel, 3, tiles);
    return ptrt_check_reach(core, line, kernel, 1, i, d->vrow, d->vcol);
}

int ptrt_gather(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                const ptrt_tile *indices, const ptrt_tile *dst) {
    ptrt_rows s = {0}, i = {0}, d = {0};
    ptrt_body body = NULL;
    const int64_t rows = dst->vrow, cols = dst->vcol;
    const enum ptrt_index kind = (enum ptrt_index)ptrt_index_kind(indices);
    const uint32_t limit = ptrt_index_limit(src, indices);
    int code = check_gather(core, line, kernel, src, indices, dst, &body);
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    code = ptrt_rows_read_flat(core, line, src, dst, &s);
    if (code == PTRT_OK) code = ptrt_rows_read(core, line, indices, rows, cols, dst, false, &i);
    if (code == PTRT_OK)
        code = ptrt_check_indices(core, line, kernel, &i, rows, cols, kind, "src", limit);
    if (code == PTRT_OK) code = ptrt_rows_write(core, line, dst, rows, cols, false, &d);
    if (code == PTRT_OK) {
        ((ptrt_gather_fn)body)(d.p, s.p, i.p, kind, limit, (size_t)rows, (size_t)cols, d.ld, i.ld);
        ptrt_rows_store(core, dst, rows, cols, &d);
    }
    ptrt_rows_free(&s);
    ptrt_rows_free(&i);
    ptrt_rows_free(&d);
    return code;
}

/* ---- by byte offset ---- */

enum { BLOCK = 32 };

/* The offsets of a row are the 32-bit numbers from the first byte of the row on, whatever the
 * tile's element type is. */
static int check_blocks(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *s,
                        const ptrt_tile *o, const ptrt_tile *d, int64_t *blocks) {
    const ptrt_tile *const tiles[] = {s, o, d};
    const int64_t per = 4, size = (int64_t)ptrt_elem_size(o->elem);
    int code = ptrt_check_tiles(core, line, kernel, 3, tiles, roles);
    if (code != PTRT_OK) return code;
    if (!ptrt_body_one(core, kernel, d) || size == 0)
        return ptrt_no_body(core, line, kernel, 3, tiles);
    *blocks = d->vcol * (int64_t)ptrt_elem_size(d->elem) / BLOCK;
    return ptrt_check_reach(core, line, kernel, 1, o, d->vrow, (*blocks * per + size - 1) / size);
}

/* Whether the block from byte offset `at` on lies in src. */
static bool has_block(const ptrt_tile *src, uint32_t at) {
    return at <= src->bytes && src->bytes - at >= BLOCK;
}

/* Reports, in checked mode, the first offset of a row whose block leaves src. */
static int check_offsets(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         const unsigned char *o, int64_t blocks) {
    for (int64_t b = 0; core->checked && b < blocks; b++) {
        uint32_t at;
        memcpy(&at, o + 4 * b, sizeof at);
        if (!has_block(src, at))
            return ptrt_fail(
                core, PTRT_E_BOUNDS, line, "%s: 32 bytes at offset %lu, but src has %llu bytes",
                ptrt_op_name(kernel), (unsigned long)at, (unsigned long long)src->bytes);
    }
    return PTRT_OK;
}

static void *copy_of(const ptrt_tile *t) {
    void *p = malloc(t->bytes);
    return p ? memcpy(p, ptrt_tile_at(t), t->bytes) : NULL;
}

static void copy_blocks(const ptrt_tile *src, const unsigned char *s, const unsigned char *o,
                        unsigned char *d, int64_t blocks) {
    for (int64_t b = 0; b < blocks; b++) {
        uint32_t at;
        memcpy(&at, o + 4 * b, sizeof at);
        if (has_block(src, at)) memcpy(d + BLOCK * b, s + at, BLOCK);
    }
}

int ptrt_gatherb(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                 const ptrt_tile *offsets, const ptrt_tile *dst) {
    ptrt_rows o = {0}, d = {0};
    const int64_t size = (int64_t)ptrt_elem_size(dst->elem),
                  osize = (int64_t)ptrt_elem_size(offsets->elem);
    const int64_t rows = dst->vrow;
    int64_t blocks = 0;
    void *copy = NULL;
    int code = check_blocks(core, line, kernel, src, offsets, dst, &blocks);
    if (code != PTRT_OK || rows == 0 || blocks == 0) return code;
    const unsigned char *s = ptrt_tile_at(src);
    if (ptrt_tiles_meet(src, dst)) {
        s = copy = copy_of(src);
        if (!copy) return ptrt_fail(core, PTRT_E_NOMEM, line, "no memory for a copy of src");
    }
    const int64_t ocols = (4 * blocks + osize - 1) / osize, dcols = BLOCK * blocks / size;
    code = ptrt_rows_read(core, line, offsets, rows, ocols, dst, false, &o);
    for (int64_t r = 0; code == PTRT_OK && r < rows; r++)
        code = check_offsets(core, line, kernel, src, o.p + r * o.ld * osize, blocks);
    if (code == PTRT_OK) code = ptrt_rows_write(core, line, dst, rows, dcols, true, &d);
    for (int64_t r = 0; code == PTRT_OK && r < rows; r++)
        copy_blocks(src, s, o.p + r * o.ld * osize, d.p + r * d.ld * size, blocks);
    if (code == PTRT_OK) ptrt_rows_store(core, dst, rows, dcols, &d);
    free(copy);
    ptrt_rows_free(&o);
    ptrt_rows_free(&d);
    return code;
}

/* ---- by pattern ---- */

/* Returns how far the source is read for n selected positions. */
static int64_t reach(int64_t n, size_t step, size_t at) {
    return n == 0 ? 0 : (n - 1) * (int64_t)step + (int64_t)at + 1;
}

static int check_mask(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *s,
                      const ptrt_tile *d, bool known, ptrt_body *body) {
    static const uint8_t two[] = {PTRT_READ, PTRT_WRITE};
    const ptrt_tile *const tiles[] = {s, d};
    int code = ptrt_check_tiles(core, line, kernel, 2, tiles, two);
    if (code != PTRT_OK) return code;
    *body = ptrt_body_one(core, kernel, d);
    if (!*body || ptrt_elem_size(s->elem) != ptrt_elem_size(d->elem))
        return ptrt_no_body(core, line, kernel, 2, tiles);
    if (!known)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: no such pattern", ptrt_op_name(kernel));
    return PTRT_OK;
}

int ptrt_gathermask(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                    const ptrt_tile *dst, int pattern, int axis) {
    ptrt_rows s = {0}, d = {0};
    ptrt_body body = NULL;
    size_t step = 1, at = 0;
    const bool known = ptrt_pattern(pattern, &step, &at);
    const int64_t rows = dst->vrow, cols = dst->vcol;
    int code = check_mask(core, line, kernel, src, dst, known, &body);
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    const int64_t srows = axis ? reach(rows, step, at) : rows;
    const int64_t scols = axis ? cols : reach(cols, step, at);
    const uint32_t size = ptrt_elem_size(dst->elem);
    code = ptrt_check_reach(core, line, kernel, 0, src, srows, scols);
    if (code == PTRT_OK) code = ptrt_rows_read(core, line, src, srows, scols, dst, false, &s);
    if (code == PTRT_OK) code = ptrt_rows_write(core, line, dst, rows, cols, false, &d);
    if (code == PTRT_OK) {
        const ptrdiff_t lds = axis ? s.ld * (ptrdiff_t)step : s.ld;
        const unsigned char *first = s.p + (axis ? (ptrdiff_t)at * s.ld : (ptrdiff_t)at) * size;
        ((ptrt_pick_fn)body)(d.p, first, (size_t)rows, (size_t)cols, d.ld, lds, axis ? 1 : step);
        ptrt_rows_store(core, dst, rows, cols, &d);
    }
    ptrt_rows_free(&s);
    ptrt_rows_free(&d);
    return code;
}

/* ---- by comparison ---- */

typedef struct search {
    const ptrt_tile *s, *d, *n;
    ptrt_bits k;
    int mode;
    uint32_t offset;
    bool a5;
} search;

static int check_search(ptrt_core *core, uint32_t line, int kernel, const search *x,
                        ptrt_body *body) {
    static const uint8_t out[] = {PTRT_READ, PTRT_WRITE, PTRT_WRITE};
    const ptrt_tile *const tiles[] = {x->s, x->d, x->n};
    int code = ptrt_check_tiles(core, line, kernel, 3, tiles, out);
    if (code != PTRT_OK) return code;
    *body = ptrt_body_one(core, kernel, x->s);
    if (!*body || (x->d->elem != PTRT_I32 && x->d->elem != PTRT_U32) || x->n->elem != x->d->elem)
        return ptrt_no_body(core, line, kernel, 3, tiles);
    if (x->mode != PTRT_CMP_EQ && x->mode != PTRT_CMP_GT)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: no comparison %d", ptrt_op_name(kernel),
                         x->mode);
    if (x->s->vrow > x->n->rows * x->n->cols)
        return ptrt_fail(core, PTRT_E_VALID, line,
                         "%s: cdst has %lld elements for %lld rows of src", ptrt_op_name(kernel),
                         (long long)(x->n->rows * x->n->cols), (long long)x->s->vrow);
    return ptrt_check_reach(core, line, kernel, 1, x->d, x->s->vrow, 0);
}

/* Searches all rows. On a5 the first number of a row is a multiple of the elements in 256 bytes,
 * and f32 is rounded before the comparison. */
static void find_all(const search *x, ptrt_where_fn find, const ptrt_rows *s, const ptrt_rows *d,
                     const ptrt_rows *n) {
    const int64_t size = (int64_t)ptrt_elem_size(x->s->elem), whole = 256 / size;
    const int64_t step = x->a5 ? (x->s->vcol + whole - 1) / whole * whole : x->s->cols;
    const bool rounded = x->a5 && x->s->elem == PTRT_F32;
    for (int64_t r = 0; r < x->s->vrow; r++) {
        const uint32_t first = x->offset + (uint32_t)(r * step);
        ((uint32_t *)(void *)n->p)[r] =
            find((uint32_t *)(void *)d->p + r * d->ld, s->p + r * s->ld * size, &x->k,
                 (size_t)x->s->vcol, (size_t)x->d->vcol, first, x->mode == PTRT_CMP_GT, rounded);
    }
}

static int gathercmp(ptrt_core *core, uint32_t line, int kernel, const search *x) {
    ptrt_rows s = {0}, also = {0}, d = {0}, n = {0};
    ptrt_body body = NULL;
    const int64_t rows = x->s->vrow, cols = x->s->vcol, wide = x->d->vcol;
    int code = check_search(core, line, kernel, x, &body);
    if (code != PTRT_OK || rows == 0) return code;
    code = ptrt_rows_read(core, line, x->s, rows, cols, x->d, false, &s);
    /* The source may overlap either destination. */
    if (code == PTRT_OK && !s.memory)
        code = ptrt_rows_read(core, line, x->s, rows, cols, x->n, false, &also);
    if (code == PTRT_OK) code = ptrt_rows_write(core, line, x->d, rows, wide, true, &d);
    if (code == PTRT_OK) code = ptrt_rows_write_flat(core, line, x->n, true, &n);
    if (code == PTRT_OK) {
        find_all(x, (ptrt_where_fn)body, s.memory ? &s : &also, &d, &n);
        ptrt_rows_store(core, x->d, rows, wide, &d);
        ptrt_rows_store(core, x->n, x->n->rows, x->n->cols, &n);
    }
    ptrt_rows_free(&s);
    ptrt_rows_free(&also);
    ptrt_rows_free(&d);
    ptrt_rows_free(&n);
    return code;
}

int ptrt_gathercmp_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                     int64_t value, const ptrt_tile *dst, const ptrt_tile *cdst, int mode,
                     int offset, int profile) {
    search x = {src, dst, cdst, {0}, mode, (uint32_t)offset, profile == PTRT_FOR_A5};
    (void)ptrt_int_bits(src->elem, value, &x.k);
    return gathercmp(core, line, kernel, &x);
}

int ptrt_gathercmp_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src, double value,
                     const ptrt_tile *dst, const ptrt_tile *cdst, int mode, int offset,
                     int profile) {
    search x = {src, dst, cdst, {0}, mode, (uint32_t)offset, profile == PTRT_FOR_A5};
    (void)ptrt_float_bits(src->elem, value, &x.k);
    return gathercmp(core, line, kernel, &x);
}
