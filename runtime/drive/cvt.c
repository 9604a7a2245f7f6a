/* SPDX-License-Identifier: Apache-2.0 */
/* cvt.c - drivers of conversions (tcvt, tpack): selects rounding and clamping for a pair of types
 * and a profile, and handles elements of different sizes. */
#include "drive/rows.h"

/* ---- meaning of the attributes for a pair of types ---- */

static bool is_float(int elem) {
    return ptrt_elem_is_real(elem);
}

static bool is_fp8(int elem) {
    switch (elem) {
#define IS_FP8(id, ...) case PTRT_##id:
        PTRT_FLOATS_8(IS_FP8, )
        return true;
    default:
        return false;
    }
}

static bool is_packed(int elem) {
    return elem == PTRT_F4E1M2X2 || elem == PTRT_F4E2M1X2;
}

/* Whether the pair is not clamped by default. On a2a3 no other pair supports saturation OFF. */
static bool is_open(int s, int d) {
    switch (s) {
    case PTRT_F16:
        return d == PTRT_U8 || d == PTRT_I8 || d == PTRT_I16;
    case PTRT_F32:
    case PTRT_I32:
        return d == PTRT_I16;
    case PTRT_I64:
        return d == PTRT_I32;
    default:
        return false;
    }
}

enum { NONE = 0, CAST_RINT = 7 };

/* Selects the rounding mode: only f32 to f16 supports ODD, and i32 to f16 supports only RINT. */
static unsigned mode_of(int s, int d, int rmode) {
    const bool odd = s == PTRT_F32 && d == PTRT_F16;
    if (rmode == CAST_RINT) return PTRT_RINT;
    if (rmode == NONE || (rmode == PTRT_ODD && !odd) || (s == PTRT_I32 && d == PTRT_F16))
        return is_float(s) && !is_float(d) ? PTRT_TRUNC : PTRT_RINT;
    return (unsigned)rmode;
}

enum { ON = 0, OFF = 1 };

/* Widening an integer always clamps; keeping the type never does. */
static bool is_unclamped(int s, int d, int sat, int profile) {
    if (s == d) return true;
    if (!is_float(s) && !is_float(d) && ptrt_elem_size(d) > ptrt_elem_size(s)) return false;
    if (sat == ON) return false;
    /* a5 always clamps to fp8. */
    if (is_fp8(d)) return sat == OFF && profile == PTRT_FOR_CPU;
    return is_open(s, d) || (sat == OFF && profile != PTRT_FOR_A2A3);
}

static unsigned how_of(int s, int d, int rmode, int sat, int profile) {
    return mode_of(s, d, rmode) | (is_unclamped(s, d, sat, profile) ? PTRT_UNCLAMPED : 0);
}

bool ptrt_cvt_how(int s, int d, int rmode, int sat, int profile, unsigned *how) {
    if (is_packed(s) || is_packed(d) || rmode < NONE || rmode > CAST_RINT ||
        (sat != ON && sat != OFF && sat != PTRT_ABSENT) || (unsigned)profile > PTRT_FOR_A5)
        return false;
    *how = how_of(s, d, rmode, sat, profile);
    return true;
}

/* ---- slow path ---- */

static int check(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *a, const ptrt_tile *d,
                 ptrt_body *body) {
    const ptrt_tile *const tiles[] = {a, d};
    const int code = ptrt_check_tiles(core, line, kernel, tiles, "rw");
    if (code != PTRT_OK) return code;
    *body = ptrt_body_of_pair(core->bodies, kernel, a->elem, d->elem);
    return *body ? PTRT_OK : ptrt_no_body(core, line, kernel, 2, tiles);
}

static int check_words(ptrt_core *core, uint32_t line, int kernel, int rmode, int sat,
                       int profile) {
    if (rmode < NONE || rmode > CAST_RINT)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: no round mode %d", ptrt_op_name(kernel),
                         rmode);
    if (sat != ON && sat != OFF && sat != PTRT_ABSENT)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: no saturation mode %d", ptrt_op_name(kernel),
                         sat);
    if (profile < PTRT_FOR_CPU || profile > PTRT_FOR_A5)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: no profile %d", ptrt_op_name(kernel),
                         profile);
    return PTRT_OK;
}

/* Exchanges rows and columns. */
static ptrt_tile transposed(const ptrt_tile *t) {
    ptrt_tile u = *t;
    u.row = t->col;
    u.col = t->row;
    u.rows = t->cols;
    u.cols = t->rows;
    u.vrow = t->vcol;
    u.vcol = t->vrow;
    return u;
}

/* Converts packed pairs: the other tile has two elements for each pair. */
static int cvt_packed(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *a,
                      const ptrt_tile *d, ptrt_body body, unsigned how) {
    const bool widens = is_packed(a->elem);
    const int64_t rows = d->vrow, halves = widens ? d->vcol : 2 * d->vcol;
    const int64_t pairs = (halves + 1) / 2, width = widens ? pairs : halves;
    int code = ptrt_check_reach(core, line, kernel, 0, a, rows, width);
    if (code != PTRT_OK || rows == 0 || halves == 0) return code;
    ptrt_operand part[] = {ptrt_source(a, rows, width),
                           ptrt_operand_of(d, rows, d->vcol, PTRT_TARGET)};
    ptrt_args args;
    ptrt_args_init(&args, rows, halves, NULL, &how);
    return ptrt_operands_run(core, line, kernel, 2, part, body, &args);
}

static __attribute__((noinline, cold)) int cvt_long(ptrt_core *core, uint32_t line, int kernel,
                                                    const ptrt_tile *a, const ptrt_tile *d,
                                                    int rmode, int sat, int profile) {
    unsigned how;
    ptrt_job job = {.kernel = kernel, .n = 2, .tile = {a, d}, .transposable = true, .how = &how};
    int code = check(core, line, kernel, a, d, &job.body);
    if (code == PTRT_OK) code = check_words(core, line, kernel, rmode, sat, profile);
    if (code != PTRT_OK) return code;
    how = how_of(a->elem, d->elem, rmode, sat, profile);
    if (is_packed(a->elem) || is_packed(d->elem)) {
        const bool down = (is_packed(a->elem) ? a : d)->blayout == PTRT_COL_MAJOR;
        const ptrt_tile ta = down ? transposed(a) : *a, td = down ? transposed(d) : *d;
        return cvt_packed(core, line, kernel, &ta, &td, job.body, how);
    }
    return ptrt_job_start(core, line, &job, d->vrow, d->vcol);
}

/* ---- fast path ---- */

enum { KEY_ELEM = 31 };

/* Whether both regions are dense with elements in the same order. The extents of a box depend on
 * the element size. */
static inline bool same_order(const ptrt_tile *a, const ptrt_tile *d) {
    return ((a->key ^ d->key) & ~(uint64_t)KEY_ELEM) == 0 && ptrt_is_dense(a) && ptrt_is_dense(d) &&
           (d->slayout == PTRT_NONE_BOX || ptrt_elem_size(a->elem) == ptrt_elem_size(d->elem));
}

/* Whether the body, going forward, writes no byte of the source before it is read. */
static inline bool reads_first(const ptrt_tile *a, const ptrt_tile *d) {
    const uintptr_t pa = (uintptr_t)ptrt_tile_at(a), pd = (uintptr_t)ptrt_tile_at(d);
    if (pa == pd) return ptrt_elem_size(d->elem) <= ptrt_elem_size(a->elem);
    return pa + a->bytes <= pd || pd + d->bytes <= pa;
}

int ptrt_cvt(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src, const ptrt_tile *dst,
             int rmode, int sat, int profile) {
    const ptrt_tile *a = src, *d = dst;
    if (same_order(a, d) && reads_first(a, d) && (unsigned)kernel < PTRT_KERNELS &&
        (unsigned)rmode <= CAST_RINT && (unsigned)sat + 1 <= OFF + 1 &&
        (unsigned)profile <= PTRT_FOR_A5 && !is_packed(a->elem) && !is_packed(d->elem)) {
        ptrt_args_fn body = (ptrt_args_fn)ptrt_body_of_pair(core->bodies, kernel, a->elem, d->elem);
        if (__builtin_expect(body != NULL, 1)) {
            unsigned how = how_of(a->elem, d->elem, rmode, sat, profile);
            ptrt_args x;
            ptrt_args_init(&x, 1, d->n, NULL, &how);
            ptrt_args_operand(&x, 0, a, 0);
            ptrt_args_operand(&x, 1, d, 0);
            body(&x);
            return PTRT_OK;
        }
    }
    return cvt_long(core, line, kernel, a, d, rmode, sat, profile);
}

/* ---- tpack ---- */

static bool is_number(int elem) {
    return elem <= PTRT_F64;
}

/* Arithmetic types are converted, without clamping. For other types the bits are treated as
 * integers, of which the low ones are kept. */
static unsigned pack_how(int s, int d) {
    return is_number(s) && is_number(d) ? how_of(s, d, NONE, OFF, PTRT_FOR_CPU)
                                        : (unsigned)(PTRT_RINT | PTRT_UNCLAMPED);
}

int ptrt_shrink(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                const ptrt_tile *dst) {
    unsigned how = pack_how(src->elem, dst->elem);
    ptrt_job job = {
        .kernel = kernel, .n = 2, .tile = {src, dst}, .transposable = true, .how = &how};
    int code = check(core, line, kernel, src, dst, &job.body);
    return code != PTRT_OK ? code : ptrt_job_start(core, line, &job, dst->vrow, dst->vcol);
}
