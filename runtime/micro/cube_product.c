/* SPDX-License-Identifier: Apache-2.0 */
/* cube_product.c - matrix products of micro-instructions: the memories of the cube core as tiles,
 * which the drivers of tile products multiply, and saturation. */
#include "mem/copy.h"
#include "mem/number.h"
#include "mem/tile.h"
#include "micro/cube.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 16, LARGEST = 4095 }; /* an extent has 12 bits */

/* One of the mode's products: from 0, added to the accumulator, or to a bias; each also of mx. */
enum { FROM_ZERO, FROM_ACC, FROM_BIAS, OF_MX };

static const char *name_of(int mode) {
    static const char *const names[] = {"pto.mad",    "pto.mad_acc",    "pto.mad_bias",
                                        "pto.mad_mx", "pto.mad_mx_acc", "pto.mad_mx_bias"};
    return names[mode];
}

typedef struct product {
    ptrt_core *core;
    uint32_t line;
    const char *op;
    int mode;
    int elem[3]; /* of the factors and the result */
    int64_t at[3], bias, m, n, k;
    bool is_row;    /* the left factor is one contiguous row */
    bool saturates; /* infinities and NaN become numbers */
    uint8_t rounds; /* f32 factors: of core->hf32 */
} product;

enum { LEFT, RIGHT, SUM };

static const int spaces[] = {PTRT_LEFT, PTRT_RIGHT, PTRT_ACC};

/* ---- operands ---- */

/* Returns the extent along the depth in elements of the factors. */
static int64_t depth_of(const product *p) {
    return is_pair(p->elem[LEFT]) ? p->k / 2 : p->k;
}

/* Returns which bytes of its memory a matrix has. */
static columns_of_rows shape_of(const product *p, int which) {
    const int64_t lines = which == RIGHT ? p->n : p->m;
    const int64_t deep = which == SUM ? p->n : depth_of(p);
    const int64_t size = (int64_t)ptrt_elem_size(p->elem[which]);
    const int64_t row = which == SUM ? ACC_ROW : BLOCK, lanes = row / size;
    if (which == LEFT && p->is_row)
        return (columns_of_rows){1, deep > 0, deep * size, deep * size, 0};
    const int64_t columns = parts_of(deep, lanes);
    return (columns_of_rows){lines, columns, row, (deep - (columns - 1) * lanes) * size,
                             up_to(lines, ROWS) * row};
}

/* Makes the tile of a matrix, which may be in the caller's memory instead of its space. */
static int make_tile(const product *p, int which, unsigned char *copy, ptrt_tile *out) {
    const int64_t size = (int64_t)ptrt_elem_size(p->elem[which]);
    const int64_t lanes = which == SUM ? ROWS : BLOCK / size, deep = depth_of(p);
    ptrt_tile_type t = {.elem = (uint8_t)p->elem[which],
                        .space = (uint8_t)spaces[which],
                        .blayout = which == RIGHT ? PTRT_ROW_MAJOR : PTRT_COL_MAJOR,
                        .slayout = which == RIGHT ? PTRT_BOX_COL_MAJOR : PTRT_BOX_ROW_MAJOR,
                        .fractal = which == SUM ? 1024 : FRACTAL};
    const int64_t rows = which == RIGHT ? deep : p->m, cols = which == LEFT ? deep : p->n;
    t.rows = up_to(rows, which == RIGHT ? lanes : ROWS);
    t.cols = up_to(cols, which == LEFT ? lanes : ROWS);
    if (which == LEFT && p->is_row) {
        t.blayout = PTRT_ROW_MAJOR;
        t.slayout = PTRT_NONE_BOX;
        t.rows = 1;
        t.cols = deep;
    }
    if (copy == NULL) return ptrt_tile_bind(p->core, &t, p->at[which], rows, cols, p->line, out);
    t.space = PTRT_GM;
    return ptrt_tile_init(out, &t, copy, (uint64_t)(t.rows * t.cols * size), rows, cols);
}

/* Checks that a matrix is in its memory and tells the sanitizer. */
static int check(const product *p, int which) {
    const columns_of_rows shape = shape_of(p, which);
    const int space = spaces[which];
    const uint64_t bytes = (uint64_t)cube_extent(&shape);
    const uint64_t size = which == SUM ? p->core->space_size[space] : matrix_bytes(p->core, space);
    const unsigned char *at = place_at(p->core, space, p->at[which], bytes, FRACTAL);
    if (at == NULL || bytes > size || (uint64_t)p->at[which] > size - bytes)
        return place_fail(p->core, p->line, p->op, space, p->at[which], bytes, FRACTAL);
    if (!p->core->watch) return PTRT_OK;
    if (which != SUM || p->mode % OF_MX == FROM_ACC) cube_touch(p->core, at, &shape, false);
    if (which == SUM) cube_touch(p->core, at, &shape, true);
    return PTRT_OK;
}

static int bias_tile(const product *p, ptrt_tile *out) {
    const ptrt_tile_type t = {.elem = (uint8_t)p->elem[SUM],
                              .space = PTRT_BIAS,
                              .fractal = FRACTAL,
                              .rows = 1,
                              .cols = p->n};
    const uint64_t bytes = (uint64_t)p->n * 4;
    if (place_read(p->core, PTRT_BIAS, p->bias, bytes, BLOCK) == NULL)
        return place_fail(p->core, p->line, p->op, PTRT_BIAS, p->bias, bytes, BLOCK);
    return ptrt_tile_bind(p->core, &t, p->bias, 1, p->n, p->line, out);
}

/* The scales of a factor: pairs of groups of 16 rows or columns in 32 bytes. */
static int scale_tile(const product *p, int which, ptrt_tile *out) {
    const int64_t groups = parts_of(p->k, 32), pairs = parts_of(groups, 2);
    const int64_t lines = which == LEFT ? p->m : p->n, space = spaces[which];
    const int64_t first = (int64_t)matrix_bytes(p->core, (int)space);
    const int64_t at = first + p->at[which] / PTRT_BYTES_PER_SCALE;
    const bool left = which == LEFT;
    const ptrt_tile_type t = {.elem = PTRT_F8E8M0,
                              .space = (uint8_t)space,
                              .blayout = left ? PTRT_ROW_MAJOR : PTRT_COL_MAJOR,
                              .slayout = left ? PTRT_BOX_ROW_MAJOR : PTRT_BOX_COL_MAJOR,
                              .fractal = 32,
                              .rows = left ? up_to(lines, ROWS) : 2 * pairs,
                              .cols = left ? 2 * pairs : up_to(lines, ROWS)};
    const uint64_t bytes = (uint64_t)(up_to(lines, ROWS) * 2 * pairs);
    const unsigned char *s = place_at(p->core, (int)space, at, bytes, BLOCK);
    if (s == NULL) return place_fail(p->core, p->line, p->op, (int)space, at, bytes, BLOCK);
    for (int64_t i = 0; p->core->watch && i < lines; i++)
        for (int64_t g = 0; g < groups; g += 2)
            ptrt_touch(p->core, s + (i / ROWS * pairs + g / 2) * BLOCK + i % ROWS * 2,
                       groups - g > 1 ? 2 : 1, false);
    return ptrt_tile_bind(p->core, &t, at, left ? lines : groups, left ? groups : lines, p->line,
                          out);
}

/* ---- saturation ---- */

/* How elements that are not finite numbers look: bits `exponent` are all set. Of those, `infinity`
 * are infinities, 0 if the type has none. `one` is the lowest bit of the exponent. */
typedef struct special {
    uint32_t sign, exponent, one, infinity, most;
} special;

static special special_of(int elem) {
    switch (elem) {
    case PTRT_F32:
        return (special){0x80000000, 0x7F800000, 0x00800000, 0x7F800000, 0x7F7FFFFF};
    case PTRT_F16:
        return (special){0x8000, 0x7C00, 0x0400, 0x7C00, 0x7BFF};
    case PTRT_BF16:
        return (special){0x8000, 0x7F80, 0x0080, 0x7F80, 0x7F7F};
    case PTRT_F8E5M2:
        return (special){0x80, 0x7C, 0x04, 0x7C, 0x7B};
    case PTRT_F8E4M3:
    case PTRT_F8E4M3FN:
        return (special){0x80, 0x7F, 0x01, 0, 0};
    default:
        return (special){0};
    }
}

/* Returns the bits of an element with NaN as 0 and infinities as the largest number. */
static uint32_t finite_bits(const special *f, int elem, uint32_t x) {
    if (elem == PTRT_HIF8) return x == 0x80 ? 0 : (x & 0x7F) == 0x6F ? x - 1 : x;
    if ((x & f->exponent) != f->exponent || f->exponent == 0) return x;
    return f->infinity != 0 && (x & ~f->sign) == f->infinity ? (x & f->sign) | f->most : 0;
}

/* Whether some element of a run is special. Looks at eight bytes at a time: adding the lowest bit
 * of the exponent carries into the sign, where no other bit is left. */
static bool run_is_special(const special *f, int elem, const unsigned char *at, int64_t bytes) {
    const unsigned bits = 8 * ptrt_elem_size(elem);
    uint64_t lanes = 0, found = 0;
    if (elem == PTRT_HIF8) {
        for (int64_t i = 0; i < bytes; i++)
            found |= at[i] == 0x80 || (at[i] & 0x7F) == 0x6F;
        return found != 0;
    }
    for (unsigned i = 0; i < 64; i += bits)
        lanes |= UINT64_C(1) << i;
    const uint64_t exponents = lanes * f->exponent, ones = lanes * f->one;
    for (int64_t i = 0; i < bytes; i += 8) {
        uint64_t x = 0;
        memcpy(&x, at + i, bytes - i < 8 ? (size_t)(bytes - i) : 8);
        found |= (x & exponents) + ones;
    }
    return (found & (lanes * f->sign)) != 0;
}

/* Whether some element of a matrix is not a finite number. */
static bool is_special(const product *p, int which, const unsigned char *at) {
    const special f = special_of(p->elem[which]);
    const columns_of_rows s = shape_of(p, which);
    for (int64_t c = 0; c < s.columns; c++, at += s.pitch) {
        const bool whole = c < s.columns - 1 || s.last == s.row;
        const int64_t runs = whole ? 1 : s.rows;
        for (int64_t r = 0; r < runs; r++)
            if (run_is_special(&f, p->elem[which], at + r * s.row, whole ? s.rows * s.row : s.last))
                return true;
    }
    return false;
}

static void make_finite(int elem, unsigned char *at, int64_t bytes) {
    const size_t size = ptrt_elem_size(elem);
    const special f = special_of(elem);
    for (int64_t i = 0; i < bytes; i += (int64_t)size) {
        uint32_t x = 0;
        memcpy(&x, at + i, size);
        x = finite_bits(&f, elem, x);
        memcpy(at + i, &x, size);
    }
}

/* Makes a copy of a factor in which every element is a finite number; NULL: it is one already. */
static int finite_copy(const product *p, int which, unsigned char **copy) {
    const columns_of_rows s = shape_of(p, which);
    const unsigned char *at = p->core->space[spaces[which]] + p->at[which];
    if (!p->saturates || is_pair(p->elem[which]) || !is_special(p, which, at)) return PTRT_OK;
    const int64_t bytes = cube_extent(&s);
    *copy = aligned_alloc(ACC_ROW, (size_t)up_to(s.columns * s.pitch + s.rows * s.row, ACC_ROW));
    if (*copy == NULL)
        return ptrt_fail(p->core, PTRT_E_NOMEM, p->line, "no memory for a matrix product");
    memcpy(*copy, at, (size_t)bytes);
    make_finite(p->elem[which], *copy, bytes);
    return PTRT_OK;
}

static float clamped(float x) {
    const float most = 0x1.fffffep127f;
    return x > most ? most : x < -most ? -most : x == x ? x : 0;
}

static float factor_at(const ptrt_tile *t, int64_t r, int64_t c) {
    const int64_t i = ptrt_axis_offset(&t->row, r) + ptrt_axis_offset(&t->col, c);
    return (float)ptrt_real_at(t->elem, t->at + i * (int64_t)ptrt_elem_size(t->elem), 0);
}

/* Computes an element whose sum has left the range: every step stays inside it. */
static float clamped_sum(const product *p, const ptrt_tile *a, const ptrt_tile *b, int64_t i,
                         int64_t j) {
    float s = 0;
    for (int64_t k = 0; k < p->k; k++)
        s = clamped(fmaf(factor_at(a, i, k), factor_at(b, k, j), s));
    return s;
}

/* Replaces the results that are not finite. `before` holds the accumulator as it was, or is NULL.
 * The sums of mx are clamped as a whole. */
static void clamp_results(const product *p, const ptrt_tile *const *t, const ptrt_tile *bias,
                          const float *before) {
    const ptrt_tile *d = t[SUM];
    if (!is_special(p, SUM, d->at)) return;
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++) {
            float *x = (float *)(void *)d->at + ptrt_axis_offset(&d->row, i) +
                       ptrt_axis_offset(&d->col, j);
            if (*x - *x == 0) continue;
            if (p->mode >= OF_MX) {
                *x = clamped(*x);
                continue;
            }
            const float add = before != NULL ? before[x - (float *)(void *)d->at]
                              : bias != NULL ? ((const float *)(const void *)bias->at)[j]
                                             : 0;
            *x = clamped(clamped(add) + clamped_sum(p, t[LEFT], t[RIGHT], i, j));
        }
}

/* ---- the product ---- */

static int call(const product *p, const ptrt_tile *const *t, const ptrt_tile *bias) {
    static const int kernels[] = {PTRT_TMATMUL,    PTRT_TMATMUL_ACC,    PTRT_TMATMUL_BIAS,
                                  PTRT_TMATMUL_MX, PTRT_TMATMUL_MX_ACC, PTRT_TMATMUL_MX_BIAS};
    const ptrt_tile *sum = p->mode % OF_MX == FROM_ACC ? t[SUM] : NULL;
    ptrt_tile scales[2];
    if (p->mode < OF_MX) {
        const uint8_t before = p->core->hf32;
        p->core->hf32 = p->rounds;
        const int code =
            ptrt_matmul(p->core, p->line, kernels[p->mode], sum, t[LEFT], t[RIGHT], bias, t[SUM]);
        p->core->hf32 = before;
        return code;
    }
    for (int i = LEFT; i <= RIGHT; i++) {
        const int code = scale_tile(p, i, &scales[i]);
        if (code != 0) return code;
    }
    return ptrt_matmul_mx(p->core, p->line, kernels[p->mode], sum, t[LEFT], &scales[LEFT], t[RIGHT],
                          &scales[RIGHT], bias, t[SUM]);
}

/* Multiplies, and if results may leave the range, looks for those that have. */
static int multiply(const product *p, unsigned char *const *copies) {
    ptrt_tile tiles[3], bias;
    const ptrt_tile *const t[] = {&tiles[LEFT], &tiles[RIGHT], &tiles[SUM]};
    const ptrt_tile *add = p->mode % OF_MX == FROM_BIAS ? &bias : NULL;
    float *before = NULL;
    for (int i = LEFT; i <= SUM; i++) {
        const int code = make_tile(p, i, i == SUM ? NULL : copies[i], &tiles[i]);
        if (code != 0) return code;
    }
    if (add != NULL) {
        const int code = bias_tile(p, &bias);
        if (code != 0) return code;
    }
    if (p->saturates && p->mode == FROM_ACC) {
        before = malloc(tiles[SUM].bytes);
        if (before == NULL)
            return ptrt_fail(p->core, PTRT_E_NOMEM, p->line, "no memory for a matrix product");
        memcpy(before, tiles[SUM].at, tiles[SUM].bytes);
    }
    const int code = call(p, t, add);
    if (code == 0 && p->saturates) clamp_results(p, t, add, before);
    free(before);
    return code;
}

static int check_types(const product *p) {
    const int kernel = p->mode < OF_MX ? PTRT_TMATMUL : PTRT_TMATMUL_MX;
    const int sum = p->elem[LEFT] <= PTRT_U8 ? PTRT_I32 : PTRT_F32;
    if (p->elem[SUM] == sum &&
        ptrt_body_of_pair(p->core->bodies, kernel, p->elem[LEFT], p->elem[RIGHT]) != NULL)
        return PTRT_OK;
    return ptrt_fail(p->core, PTRT_E_TYPE, p->line, "%s: no product of %s and %s into %s", p->op,
                     ptrt_elem_name(p->elem[LEFT]), ptrt_elem_name(p->elem[RIGHT]),
                     ptrt_elem_name(p->elem[SUM]));
}

static int run(product *p) {
    unsigned char *copies[2] = {NULL, NULL};
    int code = check_types(p);
    if (code != 0) return code;
    if (p->m < 0 || p->n < 0 || p->k < 0 || p->m > LARGEST || p->n > LARGEST || p->k > LARGEST ||
        (is_pair(p->elem[LEFT]) && p->k % 2 != 0))
        return ptrt_fail(p->core, PTRT_E_ARG, p->line, "%s: a product of %lld x %lld x %lld", p->op,
                         (long long)p->m, (long long)p->n, (long long)p->k);
    if (p->m == 0 || p->n == 0 || p->k == 0) return PTRT_OK;
    p->saturates = p->saturates && p->elem[SUM] == PTRT_F32;
    for (int i = LEFT; i <= SUM && code == 0; i++)
        code = check(p, i);
    for (int i = LEFT; i <= RIGHT && code == 0; i++)
        code = finite_copy(p, i, &copies[i]);
    if (code == 0) code = multiply(p, copies);
    free(copies[LEFT]);
    free(copies[RIGHT]);
    return code;
}

/* Without a clause infinities and NaN stay, whatever the control register says: known results of
 * programs that leave the register at 0 need it. */
int ptrt_mad(ptrt_core *core, uint32_t line, int mode, int a_elem, int b_elem, int c_elem,
             int64_t a, int64_t b, int64_t c, int64_t bias, int64_t m, int64_t n, int64_t k,
             int keeps_matrix, int sat, int tf32) {
    product p = {.core = core,
                 .line = line,
                 .op = name_of(mode),
                 .mode = mode,
                 .elem = {a_elem, b_elem, c_elem},
                 .at = {a, b, c},
                 .bias = bias,
                 .m = m,
                 .n = n,
                 .k = k,
                 .is_row = m == 1 && !keeps_matrix,
                 .saturates = sat == 0,
                 .rounds = tf32 == PTRT_ABSENT ? PTRT_HF32_OFF
                           : tf32 == 0         ? PTRT_TF32_EVEN
                                               : PTRT_TF32_AWAY};
    return run(&p);
}

/* The word: m, k and n in 12 bits each, from bit 0, 12 and 24 on; bit 61 keeps the left factor a
 * matrix, 62 adds a bias, 63 begins from 0. */
int ptrt_mad_raw(ptrt_core *core, uint32_t line, int mx, int a_elem, int b_elem, int c_elem,
                 int64_t a, int64_t b, int64_t c, int has_bias, int64_t bias, int64_t config) {
    const uint64_t w = (uint64_t)config;
    const int from = w >> 63 != 0 ? FROM_ZERO : (w >> 62 & 1) != 0 ? FROM_BIAS : FROM_ACC;
    const int mode = from + (mx ? OF_MX : 0);
    const bool rounds = !mx && a_elem == PTRT_F32 && ctrl_bits(core, CTRL_TF32, 1) != 0;
    if (from == FROM_BIAS && !has_bias)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: the word asks for a bias", name_of(mode));
    return ptrt_mad(core, line, mode, a_elem, b_elem, c_elem, a, b, c, bias, w & 0xFFF,
                    w >> 24 & 0xFFF, w >> 12 & 0xFFF, (int)(w >> 61 & 1), PTRT_ABSENT,
                    rounds ? (int)ctrl_bits(core, CTRL_TF32_AWAY, 1) : PTRT_ABSENT);
}
