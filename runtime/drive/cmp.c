/* cmp.c - drivers of masks: cmp and cmps compare into one, sel and sels choose by one. Row r of a
 * mask starts at the first byte of its row r; element c has bit c % 8 of byte c / 8, whatever the
 * mask's element type is. */
#include "drive/rows.h"

/* Elements of a mask's row that hold `cols` bits. */
static int64_t mask_cols(const ptrt_tile *m, int64_t cols) {
    const int64_t bits = 8 * (int64_t)ptrt_elem_size(m->elem);
    return cols / bits + (cols % bits != 0);
}

static bool is_mask(const ptrt_tile *m) {
    return m->elem <= PTRT_U32;
}

static bool shares_no_byte(const ptrt_tile *a, const ptrt_tile *b) {
    return !ptrt_tiles_meet(a, b);
}

/* ---- comparisons ---- */

typedef struct comparison {
    const ptrt_tile *a, *b, *d;
    const ptrt_bits *k; /* in place of b */
    int mode;
} comparison;

static int check_cmp(ptrt_core *core, uint32_t line, int kernel, const comparison *x,
                     ptrt_body *body) {
    static const uint8_t roles[] = {PTRT_READ, PTRT_READ, PTRT_WRITE};
    const ptrt_tile *const three[] = {x->a, x->b, x->d}, *const two[] = {x->a, x->d};
    const ptrt_tile *const *tiles = x->b ? three : two;
    const int n = x->b ? 3 : 2;
    int code = ptrt_check_tiles(core, line, kernel, n, tiles, x->b ? roles : roles + 1);
    if (code != PTRT_OK) return code;
    *body = ptrt_body_one(core, kernel, x->a);
    if (!*body || !is_mask(x->d) || (x->b && x->b->elem != x->a->elem))
        return ptrt_no_body(core, line, kernel, n, tiles);
    if (x->mode < PTRT_CMP_EQ || x->mode > PTRT_CMP_GE)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: no comparison %d", ptrt_op_name(kernel),
                         x->mode);
    if (x->b) code = ptrt_check_reach(core, line, kernel, 1, x->b, x->a->vrow, x->a->vcol);
    if (code != PTRT_OK) return code;
    return ptrt_check_reach(core, line, kernel, n - 1, x->d, x->a->vrow,
                            mask_cols(x->d, x->a->vcol));
}

static __attribute__((noinline, cold)) int cmp_long(ptrt_core *core, uint32_t line, int kernel,
                                                    const comparison *x) {
    ptrt_rows a = {0}, b = {0}, d = {0};
    ptrt_body body = NULL;
    int code = check_cmp(core, line, kernel, x, &body);
    const int64_t rows = x->a->vrow, cols = x->a->vcol;
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    const int64_t wide = mask_cols(x->d, cols);
    code = ptrt_rows_read(core, line, x->a, rows, cols, x->d, false, &a);
    if (code == PTRT_OK && x->b)
        code = ptrt_rows_read(core, line, x->b, rows, cols, x->d, false, &b);
    if (code == PTRT_OK) code = ptrt_rows_write(core, line, x->d, rows, wide, true, &d);
    if (code == PTRT_OK) {
        ((ptrt_cmp_fn)body)(d.p, a.p, x->b ? b.p : (const void *)x->k, (size_t)rows, (size_t)cols,
                            d.ld * (ptrdiff_t)ptrt_elem_size(x->d->elem), a.ld, b.ld, x->mode);
        ptrt_rows_store(core, x->d, rows, wide, &d);
    }
    ptrt_rows_free(&a);
    ptrt_rows_free(&b);
    ptrt_rows_free(&d);
    return code;
}

/* What the short way asks of the mask and of the first source. */
static inline bool cmp_is_short(const ptrt_core *core, int kernel, const ptrt_tile *a,
                                const ptrt_tile *d, int mode) {
    return ((ptrt_directions(a) & ptrt_directions(d) & 1) != 0) &
           ((unsigned)kernel < PTRT_KERNELS) & is_mask(d) & ((unsigned)mode <= PTRT_CMP_GE) &
           ptrt_operand_fits(a) & ptrt_operand_fits(d) &
           ptrt_reaches(d, a->vrow, mask_cols(d, a->vcol)) & shares_no_byte(a, d) &
           (core->hook == NULL) & (a->vrow != 0) & (a->vcol != 0);
}

int ptrt_cmp(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
             const ptrt_tile *src1, const ptrt_tile *dst, int mode) {
    const ptrt_tile *a = src0, *b = src1, *d = dst;
    const bool go = cmp_is_short(core, kernel, a, d, mode) & ((ptrt_directions(b) & 1) != 0) &
                    (a->elem == b->elem) & ptrt_operand_fits(b) &
                    ptrt_reaches(b, a->vrow, a->vcol) & shares_no_byte(b, d);
    ptrt_cmp_fn body = go ? (ptrt_cmp_fn)ptrt_body_one(core, kernel, a) : NULL;
    if (!body) return cmp_long(core, line, kernel, &(comparison){a, b, d, NULL, mode});
    body(ptrt_tile_at(d), ptrt_tile_at(a), ptrt_tile_at(b), (size_t)a->vrow, (size_t)a->vcol,
         d->row.inner * (ptrdiff_t)ptrt_elem_size(d->elem), a->row.inner, b->row.inner, mode);
    return PTRT_OK;
}

static int cmps(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *a, const ptrt_bits *k,
                const ptrt_tile *d, int mode) {
    const bool go = cmp_is_short(core, kernel, a, d, mode);
    ptrt_cmp_fn body = go ? (ptrt_cmp_fn)ptrt_body_one(core, kernel, a) : NULL;
    if (!body) return cmp_long(core, line, kernel, &(comparison){a, NULL, d, k, mode});
    body(ptrt_tile_at(d), ptrt_tile_at(a), k, (size_t)a->vrow, (size_t)a->vcol,
         d->row.inner * (ptrdiff_t)ptrt_elem_size(d->elem), a->row.inner, 0, mode);
    return PTRT_OK;
}

int ptrt_cmps_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src, int64_t scalar,
                const ptrt_tile *dst, int mode) {
    ptrt_bits k = {0};
    (void)ptrt_int_bits(src->elem, scalar, &k);
    return cmps(core, line, kernel, src, &k, dst, mode);
}

int ptrt_cmps_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src, double scalar,
                const ptrt_tile *dst, int mode) {
    ptrt_bits k = {0};
    (void)ptrt_float_bits(src->elem, scalar, &k);
    return cmps(core, line, kernel, src, &k, dst, mode);
}

/* ---- selections ---- */

typedef struct selection {
    const ptrt_tile *m, *a, *b, *d;
    const ptrt_bits *k; /* in place of b */
} selection;

static int check_sel(ptrt_core *core, uint32_t line, int kernel, const selection *x,
                     ptrt_body *body) {
    static const uint8_t roles[] = {PTRT_READ, PTRT_READ, PTRT_READ, PTRT_WRITE};
    const ptrt_tile *const four[] = {x->m, x->a, x->b, x->d}, *const three[] = {x->m, x->a, x->d};
    const ptrt_tile *const *tiles = x->b ? four : three;
    const int n = x->b ? 4 : 3;
    const int64_t rows = x->d->vrow, cols = x->d->vcol;
    int code = ptrt_check_tiles(core, line, kernel, n, tiles, x->b ? roles : roles + 1);
    if (code != PTRT_OK) return code;
    *body = ptrt_body_one(core, kernel, x->d);
    if (!*body || !is_mask(x->m) || x->a->elem != x->d->elem || (x->b && x->b->elem != x->d->elem))
        return ptrt_no_body(core, line, kernel, n, tiles);
    code = ptrt_check_reach(core, line, kernel, 0, x->m, rows, mask_cols(x->m, cols));
    if (code == PTRT_OK) code = ptrt_check_reach(core, line, kernel, 1, x->a, rows, cols);
    if (code == PTRT_OK && x->b) code = ptrt_check_reach(core, line, kernel, 2, x->b, rows, cols);
    return code;
}

static __attribute__((noinline, cold)) int sel_long(ptrt_core *core, uint32_t line, int kernel,
                                                    const selection *x) {
    ptrt_rows m = {0}, a = {0}, b = {0}, d = {0};
    ptrt_body body = NULL;
    int code = check_sel(core, line, kernel, x, &body);
    const int64_t rows = x->d->vrow, cols = x->d->vcol;
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    code = ptrt_rows_read(core, line, x->m, rows, mask_cols(x->m, cols), x->d, false, &m);
    if (code == PTRT_OK) code = ptrt_rows_read(core, line, x->a, rows, cols, x->d, true, &a);
    if (code == PTRT_OK && x->b)
        code = ptrt_rows_read(core, line, x->b, rows, cols, x->d, true, &b);
    if (code == PTRT_OK) code = ptrt_rows_write(core, line, x->d, rows, cols, false, &d);
    if (code == PTRT_OK) {
        ((ptrt_sel_fn)body)(d.p, m.p, a.p, x->b ? b.p : (const void *)x->k, (size_t)rows,
                            (size_t)cols, d.ld, m.ld * (ptrdiff_t)ptrt_elem_size(x->m->elem), a.ld,
                            b.ld);
        ptrt_rows_store(core, x->d, rows, cols, &d);
    }
    ptrt_rows_free(&m);
    ptrt_rows_free(&a);
    ptrt_rows_free(&b);
    ptrt_rows_free(&d);
    return code;
}

static inline bool sel_is_short(const ptrt_core *core, int kernel, const ptrt_tile *m,
                                const ptrt_tile *a, const ptrt_tile *d) {
    return ((ptrt_directions(m) & ptrt_directions(a) & ptrt_directions(d) & 1) != 0) &
           ((unsigned)kernel < PTRT_KERNELS) & is_mask(m) & (a->elem == d->elem) &
           ptrt_operand_fits(m) & ptrt_operand_fits(a) & ptrt_operand_fits(d) &
           ptrt_reaches(m, d->vrow, mask_cols(m, d->vcol)) & ptrt_reaches(a, d->vrow, d->vcol) &
           shares_no_byte(m, d) & ptrt_in_step(d, a) & (core->hook == NULL) & (d->vrow != 0) &
           (d->vcol != 0);
}

int ptrt_sel(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *mask,
             const ptrt_tile *src0, const ptrt_tile *src1, const ptrt_tile *dst) {
    const ptrt_tile *m = mask, *a = src0, *b = src1, *d = dst;
    const bool go = sel_is_short(core, kernel, m, a, d) & ((ptrt_directions(b) & 1) != 0) &
                    (b->elem == d->elem) & ptrt_operand_fits(b) &
                    ptrt_reaches(b, d->vrow, d->vcol) & ptrt_in_step(d, b);
    ptrt_sel_fn body = go ? (ptrt_sel_fn)ptrt_body_one(core, kernel, d) : NULL;
    if (!body) return sel_long(core, line, kernel, &(selection){m, a, b, d, NULL});
    body(ptrt_tile_at(d), ptrt_tile_at(m), ptrt_tile_at(a), ptrt_tile_at(b), (size_t)d->vrow,
         (size_t)d->vcol, d->row.inner, m->row.inner * (ptrdiff_t)ptrt_elem_size(m->elem),
         a->row.inner, b->row.inner);
    return PTRT_OK;
}

static int sels(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *m, const ptrt_tile *a,
                const ptrt_bits *k, const ptrt_tile *d) {
    ptrt_sel_fn body =
        sel_is_short(core, kernel, m, a, d) ? (ptrt_sel_fn)ptrt_body_one(core, kernel, d) : NULL;
    if (!body) return sel_long(core, line, kernel, &(selection){m, a, NULL, d, k});
    body(ptrt_tile_at(d), ptrt_tile_at(m), ptrt_tile_at(a), k, (size_t)d->vrow, (size_t)d->vcol,
         d->row.inner, m->row.inner * (ptrdiff_t)ptrt_elem_size(m->elem), a->row.inner, 0);
    return PTRT_OK;
}

int ptrt_sels_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *mask,
                const ptrt_tile *src, int64_t scalar, const ptrt_tile *dst) {
    ptrt_bits k = {0};
    (void)ptrt_int_bits(dst->elem, scalar, &k);
    return sels(core, line, kernel, mask, src, &k, dst);
}

int ptrt_sels_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *mask,
                const ptrt_tile *src, double scalar, const ptrt_tile *dst) {
    ptrt_bits k = {0};
    (void)ptrt_float_bits(dst->elem, scalar, &k);
    return sels(core, line, kernel, mask, src, &k, dst);
}
