/* SPDX-License-Identifier: Apache-2.0 */
/* cmp.c - drivers of masks: cmp and cmps make them by comparing, sel and sels select elements by
 * them. Each row of a mask starts at the first byte of that row in the tile; element c has bit c %
 * 8 of byte c / 8, whatever the mask's element type is. */
#include "drive/rows.h"

static inline bool is_mask(const ptrt_tile *m) {
    return m->elem <= PTRT_U32;
}

/* Returns log2 of the element size of a mask. */
static inline unsigned mask_log(const ptrt_tile *m) {
    _Static_assert(PTRT_I8 == 0 && PTRT_I16 == 2 && PTRT_I32 == 4,
                   "signed before unsigned, by size");
    return m->elem / 2u;
}

/* Returns how many elements of a mask's row hold `cols` bits. */
static inline int64_t mask_cols(const ptrt_tile *m, int64_t cols) {
    const unsigned bits = 3 + mask_log(m);
    return (cols + (INT64_C(1) << bits) - 1) >> bits;
}

/* Returns the bytes between rows of a mask. */
static inline ptrdiff_t mask_step(const ptrt_tile *m) {
    return (ptrdiff_t)(m->row.inner << mask_log(m));
}

/* Whether the rows are contiguous elements inside the tile's memory. */
static inline bool has_rows(const ptrt_tile *t) {
    return (t->row.outer | t->col.outer) == 0 && t->col.inner == 1 && t->addr <= t->last;
}

static bool shares_no_byte(const ptrt_tile *a, const ptrt_tile *b) {
    return !ptrt_tiles_meet(a, b);
}

/* Whether the tile is dense and row-major. */
static inline bool is_dense_rows(const ptrt_tile *t) {
    return ptrt_order(t) == 0 && ptrt_is_dense(t);
}

/* Whether m is a mask with a bit for each valid element of the dense tile t, and shares no byte
 * with it. */
static inline bool is_mask_of(const ptrt_tile *m, const ptrt_tile *t) {
    return has_rows(m) && is_mask(m) && ptrt_operand_fits(m) && m->rows >= t->vrow &&
           m->cols >= mask_cols(m, t->vcol) && shares_no_byte(m, t);
}

/* ---- comparisons ---- */

typedef struct comparison {
    const ptrt_tile *a, *b, *d;
    const ptrt_bits *k; /* scalar, when b is NULL */
    int mode;
} comparison;

static int check_cmp(ptrt_core *core, uint32_t line, int kernel, const comparison *x,
                     ptrt_body *body) {
    const ptrt_tile *const three[] = {x->a, x->b, x->d}, *const two[] = {x->a, x->d};
    const ptrt_tile *const *tiles = x->b ? three : two;
    const int n = x->b ? 3 : 2;
    int code = ptrt_check_tiles(core, line, kernel, tiles, x->b ? "rrw" : "rw");
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

/* Changes the distance of a mask's rows from elements to bytes. */
static void count_bytes(ptrdiff_t *ld, const ptrt_tile *mask) {
    *ld *= (ptrdiff_t)ptrt_elem_size(mask->elem);
}

static __attribute__((noinline, cold)) int cmp_long(ptrt_core *core, uint32_t line, int kernel,
                                                    const comparison *x) {
    ptrt_body body = NULL;
    int code = check_cmp(core, line, kernel, x, &body), mode = x->mode;
    const int64_t rows = x->a->vrow, cols = x->a->vcol;
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    ptrt_operand part[3] = {ptrt_source(x->a, rows, cols)};
    ptrt_args args;
    ptrt_args_init(&args, rows, cols, x->k, &mode);
    int n = 1;
    if (x->b) part[n++] = ptrt_source(x->b, rows, cols);
    part[n] = ptrt_operand_of(x->d, rows, mask_cols(x->d, cols), PTRT_UPDATED);
    code = ptrt_operands_open(core, line, kernel, n + 1, part, &args);
    count_bytes(&args.ld[n], x->d);
    if (code == PTRT_OK) ((ptrt_args_fn)body)(&args);
    return ptrt_operands_close(core, n + 1, part, code);
}

/* Checks mask and first source for the fast paths. Uses branches, not `&`: they are predicted, and
 * the body need not wait for the fields they test. */
static inline bool cmp_is_short(const ptrt_core *core, int kernel, const ptrt_tile *a,
                                const ptrt_tile *d, int mode) {
    return has_rows(a) && has_rows(d) && (unsigned)kernel < PTRT_KERNELS && is_mask(d) &&
           (unsigned)mode <= PTRT_CMP_GE && ptrt_operand_fits(a) && ptrt_operand_fits(d) &&
           d->rows >= a->vrow && d->cols >= mask_cols(d, a->vcol) && shares_no_byte(a, d) &&
           core->hook == NULL && a->vrow != 0 && a->vcol != 0;
}

/* The fast path for operands with plain rows that are not dense. */
static __attribute__((noinline)) int cmp_rows(ptrt_core *core, uint32_t line, int kernel,
                                              const ptrt_tile *a, const ptrt_tile *b,
                                              const ptrt_tile *d, int mode) {
    const bool go = cmp_is_short(core, kernel, a, d, mode) && has_rows(b) && a->elem == b->elem &&
                    ptrt_operand_fits(b) && b->rows >= a->vrow && b->cols >= a->vcol &&
                    shares_no_byte(b, d);
    ptrt_args_fn body = go ? (ptrt_args_fn)ptrt_body_one(core, kernel, a) : NULL;
    if (!body) return cmp_long(core, line, kernel, &(comparison){a, b, d, NULL, mode});
    ptrt_args x;
    ptrt_args_init(&x, a->vrow, a->vcol, NULL, &mode);
    ptrt_args_operand(&x, 0, a, a->row.inner);
    ptrt_args_operand(&x, 1, b, b->row.inner);
    ptrt_args_operand(&x, 2, d, mask_step(d));
    body(&x);
    return PTRT_OK;
}

int ptrt_cmp(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
             const ptrt_tile *src1, const ptrt_tile *dst, int mode) {
    const ptrt_tile *a = src0, *b = src1, *d = dst;
    if (a->key == b->key && is_dense_rows(a) && ptrt_is_dense(b) && is_mask_of(d, a) &&
        shares_no_byte(d, b) && (unsigned)mode <= PTRT_CMP_GE && (unsigned)kernel < PTRT_KERNELS) {
        ptrt_args_fn body = (ptrt_args_fn)ptrt_body_one(core, kernel, a);
        if (body) {
            ptrt_args x;
            ptrt_args_init(&x, a->vrow, a->vcol, NULL, &mode);
            ptrt_args_operand(&x, 0, a, a->vcol);
            ptrt_args_operand(&x, 1, b, a->vcol);
            ptrt_args_operand(&x, 2, d, mask_step(d));
            body(&x);
            return PTRT_OK;
        }
    }
    return cmp_rows(core, line, kernel, a, b, d, mode);
}

static int cmps(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *a, const ptrt_bits *k,
                const ptrt_tile *d, int mode) {
    const bool go = cmp_is_short(core, kernel, a, d, mode);
    ptrt_args_fn body = go ? (ptrt_args_fn)ptrt_body_one(core, kernel, a) : NULL;
    if (!body) return cmp_long(core, line, kernel, &(comparison){a, NULL, d, k, mode});
    ptrt_args x;
    ptrt_args_init(&x, a->vrow, a->vcol, k, &mode);
    ptrt_args_operand(&x, 0, a, a->row.inner);
    ptrt_args_operand(&x, 1, d, mask_step(d));
    body(&x);
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
    const ptrt_bits *k; /* scalar, when b is NULL */
} selection;

static int check_sel(ptrt_core *core, uint32_t line, int kernel, const selection *x,
                     ptrt_body *body) {
    const ptrt_tile *const four[] = {x->m, x->a, x->b, x->d}, *const three[] = {x->m, x->a, x->d};
    const ptrt_tile *const *tiles = x->b ? four : three;
    const int n = x->b ? 4 : 3;
    const int64_t rows = x->d->vrow, cols = x->d->vcol;
    int code = ptrt_check_tiles(core, line, kernel, tiles, x->b ? "rrrw" : "rrw");
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
    ptrt_body body = NULL;
    int code = check_sel(core, line, kernel, x, &body);
    const int64_t rows = x->d->vrow, cols = x->d->vcol;
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    const int d = x->b ? 3 : 2;
    ptrt_operand part[4] = {ptrt_source(x->m, rows, mask_cols(x->m, cols)),
                            ptrt_source_of(d, x->a, rows, cols)};
    ptrt_args args;
    ptrt_args_init(&args, rows, cols, x->k, NULL);
    if (x->b) part[2] = ptrt_source_of(d, x->b, rows, cols);
    part[d] = ptrt_operand_of(x->d, rows, cols, PTRT_TARGET);
    code = ptrt_operands_open(core, line, kernel, d + 1, part, &args);
    count_bytes(&args.ld[0], x->m);
    if (code == PTRT_OK) ((ptrt_args_fn)body)(&args);
    return ptrt_operands_close(core, d + 1, part, code);
}

static inline bool sel_is_short(const ptrt_core *core, int kernel, const ptrt_tile *m,
                                const ptrt_tile *a, const ptrt_tile *d) {
    return has_rows(m) && has_rows(a) && has_rows(d) && (unsigned)kernel < PTRT_KERNELS &&
           is_mask(m) && a->elem == d->elem && ptrt_operand_fits(m) && ptrt_operand_fits(a) &&
           ptrt_operand_fits(d) && m->rows >= d->vrow && m->cols >= mask_cols(m, d->vcol) &&
           a->rows >= d->vrow && a->cols >= d->vcol && shares_no_byte(m, d) && ptrt_in_step(d, a) &&
           core->hook == NULL && d->vrow != 0 && d->vcol != 0;
}

/* The fast path for operands with plain rows that are not dense. */
static __attribute__((noinline)) int sel_rows(ptrt_core *core, uint32_t line, int kernel,
                                              const ptrt_tile *m, const ptrt_tile *a,
                                              const ptrt_tile *b, const ptrt_tile *d) {
    const bool go = sel_is_short(core, kernel, m, a, d) && has_rows(b) && b->elem == d->elem &&
                    ptrt_operand_fits(b) && b->rows >= d->vrow && b->cols >= d->vcol &&
                    ptrt_in_step(d, b);
    ptrt_args_fn body = go ? (ptrt_args_fn)ptrt_body_one(core, kernel, d) : NULL;
    if (!body) return sel_long(core, line, kernel, &(selection){m, a, b, d, NULL});
    ptrt_args x;
    ptrt_args_init(&x, d->vrow, d->vcol, NULL, NULL);
    ptrt_args_operand(&x, 0, m, mask_step(m));
    ptrt_args_operand(&x, 1, a, a->row.inner);
    ptrt_args_operand(&x, 2, b, b->row.inner);
    ptrt_args_operand(&x, 3, d, d->row.inner);
    body(&x);
    return PTRT_OK;
}

int ptrt_sel(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *mask,
             const ptrt_tile *src0, const ptrt_tile *src1, const ptrt_tile *dst) {
    const ptrt_tile *m = mask, *a = src0, *b = src1, *d = dst;
    if (ptrt_alike(d, a) && ptrt_alike(d, b) && is_dense_rows(d) && is_mask_of(m, d) &&
        (unsigned)kernel < PTRT_KERNELS) {
        ptrt_args_fn body = (ptrt_args_fn)ptrt_body_one(core, kernel, d);
        if (body) {
            ptrt_args x;
            ptrt_args_init(&x, d->vrow, d->vcol, NULL, NULL);
            ptrt_args_operand(&x, 0, m, mask_step(m));
            ptrt_args_operand(&x, 1, a, d->vcol);
            ptrt_args_operand(&x, 2, b, d->vcol);
            ptrt_args_operand(&x, 3, d, d->vcol);
            body(&x);
            return PTRT_OK;
        }
    }
    return sel_rows(core, line, kernel, m, a, b, d);
}

static int sels(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *m, const ptrt_tile *a,
                const ptrt_bits *k, const ptrt_tile *d) {
    ptrt_args_fn body =
        sel_is_short(core, kernel, m, a, d) ? (ptrt_args_fn)ptrt_body_one(core, kernel, d) : NULL;
    if (!body) return sel_long(core, line, kernel, &(selection){m, a, NULL, d, k});
    ptrt_args x;
    ptrt_args_init(&x, d->vrow, d->vcol, k, NULL);
    ptrt_args_operand(&x, 0, m, mask_step(m));
    ptrt_args_operand(&x, 1, a, a->row.inner);
    ptrt_args_operand(&x, 2, d, d->row.inner);
    body(&x);
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
