/* SPDX-License-Identifier: Apache-2.0 */
/* test_cube.c - micro-instructions of the cube core against what they mean for the elements of
 * matrices: whole products through all memories, and stores of the accumulator. */
#include "ptort_micro.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 80 * 80 };

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const int code_ = (call);                                                                  \
        if (code_ != 0) return code_;                                                              \
    } while (0)

/* ---- launches ---- */

static int64_t bytes_l1 = 524288;

static void run_on(ptrt_entry cube, ptrt_entry vector, uint32_t flags, int blocks, void *args) {
    const ptrt_kernel k = {.name = "test",
                           .file = "test.pto",
                           .cube = cube,
                           .vector = vector,
                           .flags = flags | PTRT_K_CHECKED,
                           .table = PTRT_TABLE,
                           .bytes = {[PTRT_MAT] = (uint64_t)bytes_l1,
                                     [PTRT_LEFT] = 69632,
                                     [PTRT_RIGHT] = 69632,
                                     [PTRT_ACC] = 262144,
                                     [PTRT_VEC] = 262144,
                                     [PTRT_BIAS] = 4096,
                                     [PTRT_SCALING] = 131072}};
    if (ptrt_launch(&k, blocks, args) != 0) fail_msg("%s", ptrt_error());
}

static int failure_of(ptrt_entry cube, void *args) {
    const ptrt_kernel k = {.cube = cube,
                           .table = PTRT_TABLE,
                           .bytes = {[PTRT_MAT] = 4096,
                                     [PTRT_LEFT] = 69632,
                                     [PTRT_RIGHT] = 69632,
                                     [PTRT_ACC] = 4096,
                                     [PTRT_SCALING] = 131072}};
    return ptrt_launch(&k, 1, args);
}

/* ---- numbers ---- */

static uint32_t seed = 1;
static int small(void) {
    seed = seed * 1664525u + 1013904223u;
    return (int)(seed >> 24) % 5 - 2;
}

/* Bits of -2 .. 2 in each type. */
typedef struct numbers {
    int elem, size;
    uint32_t bits[5];
} numbers;
static const numbers f16 = {PTRT_F16, 2, {0xC000, 0xBC00, 0, 0x3C00, 0x4000}};
static const numbers bf16 = {PTRT_BF16, 2, {0xC000, 0xBF80, 0, 0x3F80, 0x4000}};
static const numbers f32 = {PTRT_F32, 4, {0xC0000000, 0xBF800000, 0, 0x3F800000, 0x40000000}};
static const numbers e4m3 = {PTRT_F8E4M3FN, 1, {0xC0, 0xB8, 0, 0x38, 0x40}};
static const numbers e5m2 = {PTRT_F8E5M2, 1, {0xC0, 0xBC, 0, 0x3C, 0x40}};
static const numbers hif8 = {PTRT_HIF8, 1, {0x90, 0x88, 0, 0x08, 0x10}};
static const numbers i8 = {PTRT_I8, 1, {0xFE, 0xFF, 0, 1, 2}};
static const numbers e2m1 = {PTRT_F4E2M1X2, 0, {0xC, 0xA, 0, 0x2, 0x4}};

static void put(const numbers *n, unsigned char *at, int64_t i, int x) {
    const uint32_t bits = n->bits[x + 2];
    if (n->size > 0)
        memcpy(at + i * n->size, &bits, (size_t)n->size);
    else
        at[i / 2] = (unsigned char)((at[i / 2] & (i % 2 ? 0x0F : 0xF0)) | bits << (i % 2 ? 4 : 0));
}

static int64_t bytes_of(const numbers *n, int64_t count) {
    return n->size > 0 ? count * n->size : count / 2;
}

/* ---- products ---- */

typedef struct product {
    const numbers *a, *b;
    int64_t m, n, k;
    int mode; /* of ptrt_mad */
    bool left_by_columns, right_by_columns;
    bool vector_row; /* the left factor is one row */
    int left[MOST], right[MOST], acc[MOST], bias[80];
    int left_scale[MOST], right_scale[MOST]; /* exponents */
    unsigned char a_mem[MOST * 4], b_mem[MOST * 4], sa[8192], sb[8192];
    uint32_t bias_mem[1024], acc_mem[MOST], out[MOST];
} product;

static int64_t round_up(int64_t n, int64_t unit) {
    return (n + unit - 1) / unit * unit;
}

/* Loads a matrix of rows x cols numbers to L1, and from there to L0 where its rows, or its columns
 * if `transpose`, are lines. */
static int load(ptrt_core *core, const numbers *n, int space, const void *mem, int64_t l1,
                int64_t rows, int64_t cols, int64_t lines, int64_t depth, bool transpose) {
    const int64_t d = n->size > 0 ? cols : cols / 2;
    TRY(ptrt_load_fractals(core, 1, n->elem, mem, l1, 0, rows, d, bytes_of(n, cols), 0, 1, 1,
                           round_up(rows, 64), 0, 0));
    /* The columns in L1 are longer than loads of whole shapes expect. */
    const int64_t unit = n->size > 0 ? 32 / n->size : 64, whole = unit > 16 ? unit : 16;
    const int64_t down = transpose ? round_up(depth, whole) / 16 : (lines + 15) / 16;
    const int64_t across =
        transpose ? round_up(round_up(lines, whole), unit) / unit : (depth + unit - 1) / unit;
    return ptrt_load_l0_blocks(
        core, 1, space, n->elem, l1, 0, 0, 0, down, across, round_up(rows, 64) / 16,
        transpose ? round_up(lines, whole) / 16 : (lines + 15) / 16, transpose);
}

static int multiply(ptrt_core *core, void *arg) {
    product *p = arg;
    const bool mx = p->mode >= 3, ints = p->a->elem == PTRT_I8;
    const int out = ints ? PTRT_I32 : PTRT_F32;
    if (p->vector_row) {
        TRY(ptrt_copy_gm_l1(core, 1, p->a_mem, 0, round_up(bytes_of(p->a, p->k), 32), 1, 0, 0, 0,
                            NULL, NULL, NULL));
        TRY(ptrt_load_l0_blocks(core, 1, PTRT_LEFT, p->a->elem, 0, 0, 0, 0, 1, 1, 1, 1, 0));
    } else if (p->left_by_columns) {
        TRY(load(core, p->a, PTRT_LEFT, p->a_mem, 0, p->k, p->m, p->m, p->k, true));
    } else {
        TRY(load(core, p->a, PTRT_LEFT, p->a_mem, 0, p->m, p->k, p->m, p->k, false));
    }
    if (p->right_by_columns)
        TRY(load(core, p->b, PTRT_RIGHT, p->b_mem, 131072, p->n, p->k, p->n, p->k, false));
    else
        TRY(load(core, p->b, PTRT_RIGHT, p->b_mem, 131072, p->k, p->n, p->n, p->k, true));
    if (mx) {
        TRY(ptrt_copy_gm_l1(core, 1, p->sa, 262144, 4096, 1, 0, 0, 0, NULL, NULL, NULL));
        TRY(ptrt_copy_gm_l1(core, 1, p->sb, 270336, 4096, 1, 0, 0, 0, NULL, NULL, NULL));
        TRY(ptrt_load_scales(core, 1, PTRT_LEFT, 262144, 0, p->m, p->k, 0, 0));
        TRY(ptrt_load_scales(core, 1, PTRT_RIGHT, 270336, 0, p->n, p->k, 0, 0));
    }
    if (p->mode % 3 == 2) {
        TRY(ptrt_copy_gm_l1(core, 1, p->bias_mem, 300032, 512, 1, 0, 0, 0, NULL, NULL, NULL));
        TRY(ptrt_load_bias(core, 1, out, 300032, 64, 16, 1, 0, 0));
    }
    const numbers *a = p->a, *b = p->b;
    if (p->mode % 3 == 1) {
        TRY(ptrt_mad(core, 1, p->mode - 1, a->elem, b->elem, out, 0, 0, 1024, 0, p->m, p->n, p->k,
                     !p->vector_row, PTRT_ABSENT, PTRT_ABSENT));
    }
    TRY(ptrt_mad(core, 1, p->mode, a->elem, b->elem, out, 0, 0, 1024, 64, p->m, p->n, p->k,
                 !p->vector_row, PTRT_ABSENT, PTRT_ABSENT));
    return ptrt_store_l0c_gm(core, 1, out, out, 1024, p->out, p->m, p->n, (p->m + 15) / 16 * 16,
                             p->n, PTRT_ABSENT, PTRT_ABSENT, 0, PTRT_ABSENT, PTRT_ABSENT, 0,
                             PTRT_ABSENT, 0, 0, 0, 0, 0, 0, 0, PTRT_ABSENT, PTRT_ABSENT, 0);
}

static void fill(product *p) {
    const int64_t pairs = (p->k + 63) / 64;
    memset(p->sa, 127, sizeof p->sa);
    memset(p->sb, 127, sizeof p->sb);
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t k = 0; k < p->k; k++) {
            const int x = p->left[i * p->k + k] = small();
            put(p->a, p->a_mem, p->left_by_columns ? k * p->m + i : i * p->k + k, x);
            const int e = p->left_scale[i * p->k + k] =
                k % 32 == 0 ? small() : p->left_scale[i * p->k + k - 1];
            p->sa[(i / 16 * pairs + k / 64) * 32 + i % 16 * 2 + k / 32 % 2] =
                (unsigned char)(127 + e);
        }
    for (int64_t j = 0; j < p->n; j++) {
        p->bias[j] = small();
        const float f = (float)p->bias[j];
        if (p->a->elem == PTRT_I8)
            p->bias_mem[j] = (uint32_t)p->bias[j];
        else
            memcpy(&p->bias_mem[j], &f, 4);
        for (int64_t k = 0; k < p->k; k++) {
            const int x = p->right[k * p->n + j] = small();
            put(p->b, p->b_mem, p->right_by_columns ? j * p->k + k : k * p->n + j, x);
            const int e = p->right_scale[k * p->n + j] =
                k % 32 == 0 ? small() : p->right_scale[(k - 1) * p->n + j];
            p->sb[(j / 16 * pairs + k / 64) * 32 + j % 16 * 2 + k / 32 % 2] =
                (unsigned char)(127 + e);
        }
    }
}

static double expected(const product *p, int64_t i, int64_t j) {
    double s = 0;
    for (int64_t k = 0; k < p->k; k++) {
        double x = p->left[i * p->k + k] * p->right[k * p->n + j];
        if (p->mode >= 3) x = ldexp(x, p->left_scale[i * p->k + k] + p->right_scale[k * p->n + j]);
        s += x;
    }
    return s * (p->mode % 3 == 1 ? 2 : 1) + (p->mode % 3 == 2 ? p->bias[j] : 0);
}

static void try_product(product *p) {
    fill(p);
    run_on(multiply, NULL, 0, 1, p);
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            float f;
            memcpy(&f, &p->out[i * p->n + j], 4);
            const double x = p->a->elem == PTRT_I8 ? (double)(int32_t)p->out[i * p->n + j] : f;
            if (x != expected(p, i, j))
                fail_msg("types %d and %d, mode %d, %lld x %lld x %lld, %d%d: (%lld, %lld) is %g, "
                         "expected %g",
                         p->a->elem, p->b->elem, p->mode, (long long)p->m, (long long)p->n,
                         (long long)p->k, p->left_by_columns, p->right_by_columns, (long long)i,
                         (long long)j, x, expected(p, i, j));
        }
}

/* Whether the load of a transposed matrix writes no more blocks than the product reads. */
static bool may_transpose(const numbers *n, int64_t lines) {
    const int64_t unit = n->size == 0 ? 64 : n->size == 1 ? 32 : 16;
    return round_up(lines, unit) == round_up(lines, 16);
}

static void products(void **state) {
    static const numbers *const pairs[][2] = {{&f16, &f16},   {&bf16, &bf16}, {&f32, &f32},
                                              {&e4m3, &e4m3}, {&e4m3, &e5m2}, {&hif8, &hif8},
                                              {&i8, &i8},     {&e2m1, &e2m1}};
    static const int64_t shapes[][3] = {
        {16, 16, 64}, {2, 2, 2}, {33, 48, 66}, {17, 70, 10}, {64, 64, 34}};
    product *p = calloc(1, sizeof *p);
    (void)state;
    for (size_t t = 0; t < sizeof pairs / sizeof *pairs; t++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int mode = 0; mode < 6; mode++)
                for (int layout = 0; layout < 4; layout++) {
                    const bool is_fp4 = pairs[t][0]->size == 0;
                    const bool mx = is_fp4 || pairs[t][0]->elem == PTRT_F8E4M3FN;
                    if (mode >= 3 ? !mx : is_fp4) continue;
                    p->a = pairs[t][0];
                    p->b = pairs[t][1];
                    p->m = shapes[s][0];
                    p->n = shapes[s][1];
                    p->k = shapes[s][2];
                    p->mode = mode;
                    p->left_by_columns =
                        (layout & 1) != 0 && p->m % 2 == 0 && may_transpose(p->a, p->m);
                    p->right_by_columns = (layout & 2) != 0 || !may_transpose(p->b, p->n);
                    try_product(p);
                }
    free(p);
}

static void vector_times_matrix(void **state) {
    product *p = calloc(1, sizeof *p);
    (void)state;
    *p = (product){.a = &f16, .b = &f16, .m = 1, .n = 40, .k = 50, .vector_row = true};
    try_product(p);
    free(p);
}

/* Loads of whole shapes are the same blocks. */
static int load_shapes(ptrt_core *core, void *arg) {
    product *p = arg;
    TRY(ptrt_load_fractals(core, 1, PTRT_F16, p->a_mem, 0, 0, 40, 50, 100, 0, 1, 1, 48, 0, 0));
    TRY(ptrt_load_fractals(core, 1, PTRT_F16, p->b_mem, 65536, 0, 50, 64, 128, 0, 1, 1, 64, 0, 0));
    TRY(ptrt_load_l0(core, 1, PTRT_LEFT, PTRT_F16, 0, 0, 40, 50, 0, 0, 0));
    TRY(ptrt_load_l0(core, 1, PTRT_RIGHT, PTRT_F16, 65536, 0, 64, 50, 0, 0, 1));
    TRY(ptrt_mad(core, 1, 0, PTRT_F16, PTRT_F16, PTRT_F32, 0, 0, 0, 0, 40, 64, 50, 0, PTRT_ABSENT,
                 PTRT_ABSENT));
    return ptrt_store_l0c_gm(core, 1, PTRT_F32, PTRT_F32, 0, p->out, 40, 64, 48, 64, PTRT_ABSENT,
                             PTRT_ABSENT, 0, PTRT_ABSENT, PTRT_ABSENT, 0, PTRT_ABSENT, 0, 0, 0, 0,
                             0, 0, 0, PTRT_ABSENT, PTRT_ABSENT, 0);
}

static void shapes_and_blocks(void **state) {
    product *p = calloc(1, sizeof *p);
    (void)state;
    p->a = p->b = &f16;
    p->m = 40;
    p->n = 64;
    p->k = 50;
    fill(p);
    run_on(load_shapes, NULL, 0, 1, p);
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            float x;
            memcpy(&x, &p->out[i * p->n + j], 4);
            assert_true(x == expected(p, i, j));
        }
    free(p);
}

/* ---- what is not finite, and rounded factors ---- */

typedef struct one {
    float a, b, c[2];
    int sat, tf32;
} one;

/* 1 x 1 x 2: c = a * b + a * b. */
static int multiply_one(ptrt_core *core, void *arg) {
    one *o = arg;
    const float rows[2] = {o->a, o->a}, columns[2] = {o->b, o->b};
    TRY(ptrt_load_fractals(core, 1, PTRT_F32, rows, 0, 0, 1, 2, 8, 0, 1, 1, 16, 0, 0));
    TRY(ptrt_load_fractals(core, 1, PTRT_F32, columns, 4096, 0, 1, 2, 8, 0, 1, 1, 16, 0, 0));
    TRY(ptrt_load_l0(core, 1, PTRT_LEFT, PTRT_F32, 0, 0, 1, 2, 0, 0, 0));
    TRY(ptrt_load_l0(core, 1, PTRT_RIGHT, PTRT_F32, 4096, 0, 1, 2, 0, 0, 0));
    TRY(ptrt_mad(core, 1, 0, PTRT_F32, PTRT_F32, PTRT_F32, 0, 0, 0, 0, 1, 1, 2, 1, o->sat,
                 o->tf32));
    return ptrt_store_l0c_gm(core, 1, PTRT_F32, PTRT_F32, 0, o->c, 1, 1, 16, 1, PTRT_ABSENT,
                             PTRT_ABSENT, 0, PTRT_ABSENT, PTRT_ABSENT, 0, PTRT_ABSENT, 0, 0, 0, 0,
                             0, 0, 0, PTRT_ABSENT, PTRT_ABSENT, 0);
}

static float product_of(float a, float b, int sat, int tf32) {
    one o = {.a = a, .b = b, .sat = sat, .tf32 = tf32};
    run_on(multiply_one, NULL, 0, 1, &o);
    return o.c[0];
}

static void saturation_of_products(void **state) {
    const float most = 0x1.fffffep127f;
    (void)state;
    assert_true(product_of(INFINITY, 1, 0, PTRT_ABSENT) == most);
    assert_true(product_of(INFINITY, -1, 0, PTRT_ABSENT) == -most);
    assert_true(product_of(INFINITY, -1, PTRT_ABSENT, PTRT_ABSENT) == -INFINITY);
    assert_true(product_of(NAN, 3, 0, PTRT_ABSENT) == 0);
    assert_true(product_of(INFINITY, 0, 0, PTRT_ABSENT) == 0);
    assert_true(product_of(0x1p100f, 0x1p100f, 0, PTRT_ABSENT) == most);
    assert_true(product_of(INFINITY, 1, 1, PTRT_ABSENT) == INFINITY);
    assert_true(isnan(product_of(NAN, 3, 1, PTRT_ABSENT)));
    assert_true(product_of(0x1p100f, -0x1p100f, 1, PTRT_ABSENT) == -INFINITY);
}

static void rounded_factors(void **state) {
    (void)state;
    assert_true(product_of(0x1.001p0f, 1, 0, PTRT_ABSENT) == 0x1.001p1f);
    assert_true(product_of(0x1.002p0f, 1, 0, 0) == 0x1p1f); /* a tie, to even */
    assert_true(product_of(0x1.006p0f, 1, 0, 0) == 0x1.008p1f);
    assert_true(product_of(0x1.002p0f, 1, 0, 1) == 0x1.004p1f); /* away from zero */
    assert_true(product_of(0x1.001ffep0f, 1, 0, 1) == 0x1p1f);
    assert_true(product_of(1, 0x1.003p0f, 0, 0) == 0x1.004p1f);
}

/* ---- stores ---- */

enum { M = 37, N = 70, STRIDE = 48 };

typedef struct stored {
    float c[M * N];
    uint64_t words[128];
    float slopes[128];
    unsigned char out[M * N * 8];
    int to, quant, quant_elem, relu, clip_elem, layout, sat, type, op;
    uint64_t quant_bits, relu_bits, clip_bits;
} stored;

/* Fills the accumulator with c * 1. */
static int fill_acc(ptrt_core *core, const float *c) {
    static const float unit[16 * 16] = {
        [0] = 1,   [17] = 1,  [34] = 1,  [51] = 1,  [68] = 1,  [85] = 1,  [102] = 1, [119] = 1,
        [136] = 1, [153] = 1, [170] = 1, [187] = 1, [204] = 1, [221] = 1, [238] = 1, [255] = 1};
    TRY(ptrt_load_fractals(core, 1, PTRT_F32, unit, 0, 0, 16, 16, 64, 0, 1, 1, 16, 0, 0));
    TRY(ptrt_load_l0(core, 1, PTRT_RIGHT, PTRT_F32, 0, 0, 16, 16, 0, 0, 0));
    for (int64_t j = 0; j < N; j += 16) {
        const int64_t n = N - j < 16 ? N - j : 16;
        TRY(ptrt_load_fractals(core, 1, PTRT_F32, c + j, 4096, 0, M, n, N * 4, 0, 1, 1, STRIDE, 0,
                               0));
        TRY(ptrt_load_l0(core, 1, PTRT_LEFT, PTRT_F32, 4096, 0, M, n, 0, 0, 0));
        TRY(ptrt_mad(core, 1, 0, PTRT_F32, PTRT_F32, PTRT_F32, 0, 0, j / 16 * STRIDE * 64, 0, M, n,
                     n, 0, 1, PTRT_ABSENT));
    }
    return PTRT_OK;
}

static int store_gm(ptrt_core *core, void *arg) {
    stored *s = arg;
    TRY(fill_acc(core, s->c));
    TRY(ptrt_copy_gm_l1(core, 1, s->words, 65536, 1024, 1, 0, 0, 0, NULL, NULL, NULL));
    TRY(ptrt_load_factors(core, 1, 65536, 0, 16, 1, 0, 0));
    TRY(ptrt_copy_gm_l1(core, 1, s->slopes, 65536, 512, 1, 0, 0, 0, NULL, NULL, NULL));
    TRY(ptrt_load_factors(core, 1, 65536, 65600, 8, 1, 0, 0));
    return ptrt_store_l0c_gm(core, 1, PTRT_F32, s->to, 0, s->out, M, N, STRIDE,
                             s->layout == 1 ? M : N, s->quant, s->quant_elem, s->quant_bits,
                             s->relu, PTRT_F32, s->relu_bits, s->clip_elem, s->clip_bits, s->layout,
                             1, 0, 0, 0, 0, s->sat, s->type, s->op);
}

static float value(int i, int j) {
    if (i == 3 && j == 5) return 1e6f;
    if (i == 4 && j == 20) return -1e6f;
    return (float)(i * 7 - j * 3) * 0.25f;
}

static stored *make_stored(void) {
    stored *s = calloc(1, sizeof *s);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            s->c[i * N + j] = value(i, j);
    s->to = PTRT_F32;
    s->quant = s->quant_elem = s->relu = s->clip_elem = s->layout = s->sat = s->type = PTRT_ABSENT;
    return s;
}

static float f32_at(const stored *s, int i, int j) {
    float f;
    memcpy(&f, s->out + 4 * (s->layout == 1 ? j * M + i : i * N + j), 4);
    return f;
}

static float f16_at(const stored *s, int i, int j) {
    uint16_t h;
    memcpy(&h, s->out + 2 * (s->layout == 1 ? j * M + i : i * N + j), 2);
    const int e = h >> 10 & 31;
    const float m = (float)(h & 1023), sign = h >> 15 ? -1 : 1;
    if (e == 31) return m != 0 ? NAN : sign * INFINITY;
    return sign * (e == 0 ? ldexpf(m, -24) : ldexpf(1024 + m, e - 25));
}

static void stores_by_rows_and_columns(void **state) {
    (void)state;
    for (int layout = -1; layout < 2; layout++) {
        stored *s = make_stored();
        s->layout = layout;
        run_on(store_gm, NULL, 0, 1, s);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++)
                assert_true(f32_at(s, i, j) == value(i, j));
        free(s);
    }
}

static void scaled_stores(void **state) {
    enum { QF322F16_VEC = 32, QF322F16 = 33 };
    const uint32_t half = 0x3F000000;
    (void)state;
    for (int form = 0; form < 8; form++) {
        stored *s = make_stored();
        const bool vec = (form & 1) != 0, slopes = (form & 2) != 0, clips = (form & 4) != 0;
        s->to = PTRT_F16;
        s->quant = vec ? QF322F16_VEC : QF322F16;
        s->quant_elem = PTRT_F32;
        s->quant_bits = vec ? 0 : half;
        s->relu = slopes ? 3 : 2;
        s->relu_bits = slopes ? 65600 : 0x3E800000;
        s->layout = form % 2;
        if (clips) {
            s->clip_elem = PTRT_F16;
            s->clip_bits = 0x4200; /* 3 */
        }
        for (int j = 0; j < N; j++) {
            s->words[j] = j % 2 ? 0x3F800000 : half;
            s->slopes[j] = j % 3 ? 0.5f : 0;
        }
        run_on(store_gm, NULL, 0, 1, s);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                float x = value(i, j) * (vec && j % 2 ? 1 : 0.5f);
                if (x < 0) x *= slopes ? s->slopes[j] : 0.25f;
                x = x > 65504 ? 65504 : x < -65504 ? -65504 : x;
                if (clips && x > 3) x = 3;
                const float got = f16_at(s, i, j);
                if (fabsf(got - x) > fabsf(x) * 0x1p-11f)
                    fail_msg("form %d (%d, %d): %g, expected %g", form, i, j, got, x);
            }
        free(s);
    }
}

static void bytes(void **state) {
    enum { QF322B8_VEC = 24, QF322B8 = 25 };
    (void)state;
    for (int form = 0; form < 4; form++) {
        stored *s = make_stored();
        const bool vec = form % 2 != 0, relu = form / 2 != 0;
        s->to = PTRT_I8;
        s->quant = vec ? QF322B8_VEC : QF322B8;
        s->quant_elem = PTRT_BF16;
        s->quant_bits = vec ? 0 : 0x4000; /* 2 */
        s->relu = relu ? 1 : PTRT_ABSENT;
        for (int j = 0; j < N; j++)
            s->words[j] = 0x40000000 | UINT64_C(3) << 37 | UINT64_C(1) << 46;
        run_on(store_gm, NULL, 0, 1, s);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                float x = nearbyintf(value(i, j) * 2);
                x = x > 255 ? 255 : x < -256 ? -256 : x;
                x += vec ? 3 : 0;
                x = x > 127 ? 127 : x < (relu ? 0 : -128) ? (relu ? 0 : -128) : x;
                assert_int_equal((int8_t)s->out[i * N + j], (int)x);
            }
        free(s);
    }
}

/* Four rows, whose only column is in `c`. */
static int store_column(ptrt_core *core, void *arg) {
    stored *s = arg;
    static const float unit = 1;
    TRY(ptrt_load_fractals(core, 1, PTRT_F32, s->c, 0, 0, 4, 1, 4, 0, 1, 1, 16, 0, 0));
    TRY(ptrt_load_fractals(core, 1, PTRT_F32, &unit, 4096, 0, 1, 1, 4, 0, 1, 1, 16, 0, 0));
    TRY(ptrt_load_l0(core, 1, PTRT_LEFT, PTRT_F32, 0, 0, 4, 1, 0, 0, 0));
    TRY(ptrt_load_l0(core, 1, PTRT_RIGHT, PTRT_F32, 4096, 0, 1, 1, 0, 0, 0));
    TRY(ptrt_mad(core, 1, 0, PTRT_F32, PTRT_F32, PTRT_F32, 0, 0, 0, 0, 4, 1, 1, 0, 1, PTRT_ABSENT));
    return ptrt_store_l0c_gm(core, 1, PTRT_F32, s->to, 0, s->out, 4, 1, 16, N, s->quant, PTRT_F32,
                             0x3F800000, PTRT_ABSENT, PTRT_ABSENT, 0, PTRT_ABSENT, 0, 0, 0, 0, 0, 0,
                             0, s->sat, PTRT_ABSENT, 0);
}

static void open_stores(void **state) {
    (void)state;
    for (int sat = 0; sat < 3; sat++) {
        stored *s = make_stored();
        s->to = PTRT_F16;
        s->quant = 1;
        s->sat = sat;
        s->c[0] = INFINITY;
        s->c[1] = NAN;
        s->c[2] = -1e9f;
        s->c[3] = -2.25f;
        run_on(store_column, NULL, 0, 1, s);
        assert_true(f16_at(s, 0, 0) == (sat == 1 ? INFINITY : 65504));
        assert_true(sat == 0 ? f16_at(s, 1, 0) == 0 : isnan(f16_at(s, 1, 0)));
        assert_true(f16_at(s, 2, 0) == (sat == 1 ? -INFINITY : -65504));
        assert_true(f16_at(s, 3, 0) == -2.25f);
        free(s);
    }
}

static void open_bytes(void **state) {
    enum { QF322FP8 = 15 };
    static const float x[] = {INFINITY, NAN, -448, 464.5f};
    static const uint8_t e4m3_codes[3][4] = {
        {0x7E, 0, 0xFE, 0x7E}, {0x7F, 0x7F, 0xFE, 0x7F}, {0x7E, 0x7F, 0xFE, 0x7E}};
    (void)state;
    for (int sat = 0; sat < 3; sat++) {
        stored *s = make_stored();
        s->to = PTRT_F8E4M3FN;
        s->quant = QF322FP8;
        s->sat = sat;
        memcpy(s->c, x, sizeof x);
        run_on(store_column, NULL, 0, 1, s);
        for (int i = 0; i < 4; i++)
            assert_int_equal(s->out[i * N] & (i == 1 ? 0x7F : 0xFF), e4m3_codes[sat][i]);
        free(s);
    }
}

static void combining_stores(void **state) {
    (void)state;
    for (int op = 0; op < 3; op++) {
        stored *s = make_stored();
        float two = 2;
        for (int i = 0; i < M * N; i++)
            memcpy(s->out + 4 * i, &two, 4);
        s->type = 1;
        s->op = op;
        run_on(store_gm, NULL, 0, 1, s);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                const float x = value(i, j);
                assert_true(f32_at(s, i, j) == (op == 0   ? 2 + x
                                                : op == 1 ? fmaxf(2, x)
                                                          : fminf(2, x)));
            }
        free(s);
    }
}

/* ---- the memories of other cores ---- */

typedef struct shared {
    stored *s;
    int split;
    float ub[2][M * 96], l1[64];
} shared;

static int give_halves(ptrt_core *core, void *arg) {
    shared *x = arg;
    TRY(fill_acc(core, x->s->c));
    TRY(ptrt_store_l0c(core, 1, PTRT_VEC, 0, x->split, PTRT_F32, PTRT_F32, 0, 1024, 36, 64, STRIDE,
                       64, PTRT_ABSENT, PTRT_ABSENT, 0, PTRT_ABSENT, PTRT_ABSENT, 0, PTRT_ABSENT, 0,
                       0, 0, 0, 0, 0, 0, PTRT_ABSENT));
    TRY(ptrt_set_intra_block(core, 1, 1));
    TRY(ptrt_set_intra_block(core, 1, 17));
    /* Both vector cores answer with a block for L1, which goes back to the second one. */
    TRY(ptrt_wait_intra_block(core, 1, 2));
    TRY(ptrt_wait_intra_block(core, 1, 18));
    TRY(ptrt_copy_l1_ub(core, 1, 200000, 65536, 1, 2, 1, 0, 0, 0, NULL, NULL, NULL));
    return ptrt_set_intra_block(core, 1, 19);
}

static int take_half(ptrt_core *core, void *arg) {
    shared *x = arg;
    const int64_t sub = ptrt_subblock_idx(core);
    TRY(ptrt_wait_intra_block(core, 1, sub == 1 ? 17 : 1));
    TRY(ptrt_copy_ub_gm(core, 1, 1024, x->ub[sub], 64 * 36 * 4, 1, 0, 0, 0, NULL, NULL, NULL));
    TRY(ptrt_copy_ub_l1(core, 1, 1024 + sub * 256, 200000 + sub * 32, 1, 1, 0, 0));
    TRY(ptrt_set_intra_block(core, 1, 2));
    if (sub == 0) return PTRT_OK;
    TRY(ptrt_wait_intra_block(core, 1, 3));
    return ptrt_copy_ub_gm(core, 1, 65536, x->l1, 64, 1, 0, 0, 0, NULL, NULL, NULL);
}

static void cores_of_a_block(void **state) {
    (void)state;
    for (int split = 1; split <= 2; split++) {
        shared *x = calloc(1, sizeof *x);
        x->s = make_stored();
        x->split = split;
        run_on(give_halves, take_half, PTRT_K_WAITS, 1, x);
        for (int sub = 0; sub < 2; sub++)
            for (int i = 0; i < (split == 1 ? 18 : 36); i++)
                for (int j = 0; j < (split == 2 ? 32 : 64); j++)
                    assert_true(x->ub[sub][i * 64 + j] == value(i + (split == 1 ? 18 * sub : 0),
                                                                j + (split == 2 ? 32 * sub : 0)));
        for (int j = 0; j < 8; j++) {
            assert_true(x->l1[j] == value(0, j));
            assert_true(x->l1[8 + j] == x->ub[1][64 + j]);
        }
        free(x->s);
        free(x);
    }
}

/* ---- L1 ---- */

typedef struct filled {
    unsigned char in[4096];
    float l1[4096 / 4];
} filled;

static int fill_l1(ptrt_core *core, void *arg) {
    filled *f = arg;
    TRY(ptrt_fill_l1(core, 1, 64, 64, 0x12345678, 2, 1, 1, 16));
    TRY(ptrt_fill_l1(core, 1, 64, 320, 0x12345678, 1, 2, 0, 32));
    TRY(ptrt_set_l1_strides(core, 1, 0, 64 | INT64_C(32) << 40));
    TRY(ptrt_set_l1_strides(core, 1, 1, 256 | INT64_C(128) << 40));
    TRY(ptrt_set_l1_counts(core, 1, 3 | 2 << 21));
    TRY(ptrt_copy_gm_to_cbuf(core, 1, f->in, 1024, 16, 2, 8, 512));
    return ptrt_copy_l1_ub(core, 1, 0, 0, 0, 128, 1, 0, 0, 0, NULL, NULL, NULL);
}

static int show_l1(ptrt_core *core, void *arg) {
    filled *f = arg;
    TRY(fill_l1(core, arg));
    return ptrt_copy_ub_gm(core, 1, 0, f->l1, 4096, 1, 0, 0, 0, NULL, NULL, NULL);
}

static void patterns_and_raw_copies(void **state) {
    filled f;
    unsigned char expected_l1[4096] = {0};
    const unsigned char *got = (const unsigned char *)f.l1;
    (void)state;
    for (int i = 0; i < 4096; i++)
        f.in[i] = (unsigned char)(i * 31);
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < 32; i++)
            expected_l1[128 + r * 64 + i] = i % 2 ? 0x56 : 0x78;
    for (int i = 0; i < 64; i++)
        expected_l1[384 + i] = (unsigned char)(0x12345678u >> (8 * (i % 4)));
    for (int outer = 0; outer < 2; outer++)
        for (int inner = 0; inner < 3; inner++)
            for (int r = 0; r < 2; r++)
                for (int i = 0; i < 16; i++)
                    expected_l1[1024 + outer * 128 + inner * 32 + r * 512 + i] =
                        f.in[outer * 256 + inner * 64 + r * 8 + i];
    run_on(show_l1, NULL, 0, 1, &f);
    for (int i = 0; i < 4096; i++)
        if (got[i] != expected_l1[i])
            fail_msg("byte %d: %d, expected %d", i, got[i], expected_l1[i]);
}

static int frac_columns(ptrt_core *core, void *arg) {
    filled *f = arg;
    /* Two matrices of 5 x 20, by columns. */
    TRY(ptrt_load_fractals(core, 1, PTRT_F16, f->in, 0, 1, 5, 20, 10, 200, 2, 2, 12, 40, 0));
    TRY(ptrt_copy_l1_ub(core, 1, 0, 0, 0, 128, 1, 0, 0, 0, NULL, NULL, NULL));
    return ptrt_copy_ub_gm(core, 1, 0, f->l1, 4096, 1, 0, 0, 0, NULL, NULL, NULL);
}

static void fractals_of_columns(void **state) {
    filled f;
    uint16_t in[2048], got[2048];
    (void)state;
    for (int i = 0; i < 2048; i++)
        in[i] = (uint16_t)(i + 1);
    memcpy(f.in, in, sizeof in);
    run_on(frac_columns, NULL, 0, 1, &f);
    memcpy(got, f.l1, sizeof got);
    for (int g = 0; g < 2; g++)
        for (int i = 0; i < 5; i++)
            for (int d = 0; d < 32; d++) {
                const int at = (g * 40 + d / 16 * 12 + i * 2) * 16 + d % 16;
                assert_int_equal(got[at], d < 20 ? in[g * 100 + d * 5 + i] : 0);
            }
    assert_int_equal(got[16], 0);
}

/* ---- errors ---- */

static int far_block(ptrt_core *core, void *arg) {
    (void)arg;
    return ptrt_load_l0_blocks(core, 1, PTRT_LEFT, PTRT_F16, 4096, 0, 0, 0, 1, 1, 1, 1, 0);
}
static int scales_are_no_matrix(ptrt_core *core, void *arg) {
    (void)arg;
    return ptrt_load_l0_blocks(core, 1, PTRT_LEFT, PTRT_F16, 0, 65536, 0, 0, 1, 1, 1, 1, 0);
}
static int unaligned_block(ptrt_core *core, void *arg) {
    (void)arg;
    return ptrt_load_l0_blocks(core, 1, PTRT_LEFT, PTRT_F16, 0, 32, 0, 0, 1, 1, 1, 1, 0);
}
static int unaligned_factors(ptrt_core *core, void *arg) {
    (void)arg;
    uint32_t out = 0;
    return ptrt_store_l0c_gm(core, 1, PTRT_I32, PTRT_F16, 0, &out, 1, 1, 16, 1, 8, PTRT_I64, 32, -1,
                             PTRT_F32, 0, PTRT_ABSENT, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
static int unaligned_matrix(ptrt_core *core, void *arg) {
    (void)arg;
    return ptrt_mad(core, 1, 0, PTRT_F16, PTRT_F16, PTRT_F32, 32, 0, 0, 0, 16, 16, 16, 0, 0, -1);
}
static int no_such_product(ptrt_core *core, void *arg) {
    (void)arg;
    return ptrt_mad(core, 1, 0, PTRT_F16, PTRT_F32, PTRT_F32, 0, 0, 0, 0, 16, 16, 16, 0, 0, -1);
}
static int no_such_sum(ptrt_core *core, void *arg) {
    (void)arg;
    return ptrt_mad(core, 1, 3, PTRT_F8E5M2, PTRT_F8E5M2, PTRT_I32, 0, 0, 0, 0, 16, 16, 16, 0, 0,
                    -1);
}
static int negative_size(ptrt_core *core, void *arg) {
    (void)arg;
    return ptrt_load_l0(core, 1, PTRT_RIGHT, PTRT_F16, 0, 0, 16, -3, 0, 0, 0);
}
static int huge_size(ptrt_core *core, void *arg) {
    return ptrt_copy_gm_l1(core, 1, arg, 0, (INT64_C(1) << 40) + 1, 1, 0, 0, 0, NULL, NULL, NULL);
}
static const int64_t ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
static int loops_to_l1(ptrt_core *core, void *arg) {
    return ptrt_copy_gm_l1(core, 1, arg, 0, 32, 1, 0, 0, 9, ones, ones, ones);
}
static int loops_to_ub(ptrt_core *core, void *arg) {
    (void)arg;
    return ptrt_copy_l1_ub(core, 1, 0, 0, 0, 1, 1, 0, 0, 9, ones, ones, ones);
}
static int small_channels(ptrt_core *core, void *arg) {
    return ptrt_load_fractals(core, 1, PTRT_F16, arg, 0, 0, 1, 1, 2, 0, 1, 1, 16, 0, 1);
}
static int small_channels_raw(ptrt_core *core, void *arg) {
    return ptrt_copy_gm_to_cbuf_multi(core, 1, PTRT_F16, arg, 0, 1, 2, 1, 1, 0, 1);
}
static int bias_is_missing(ptrt_core *core, void *arg) {
    (void)arg;
    return ptrt_mad_raw(core, 1, 0, PTRT_F16, PTRT_F16, PTRT_F32, 0, 0, 0, 0, 0, INT64_C(1) << 62);
}
static int bias_of_mx_is_missing(ptrt_core *core, void *arg) {
    (void)arg;
    return ptrt_mad_raw(core, 1, 1, PTRT_F8E4M3FN, PTRT_F8E4M3FN, PTRT_F32, 0, 0, 0, 0, 0,
                        INT64_C(1) << 62);
}

/* A store of one element, whose only argument that matters is wrong. */
typedef struct wrong_store {
    int from, to, quant, relu, layout, sat, type, code;
    int64_t step, m;
    const char *text;
} wrong_store;

static int store_wrongly(ptrt_core *core, void *arg) {
    const wrong_store *w = arg;
    uint32_t out = 0;
    return ptrt_store_l0c_gm(core, 1, w->from, w->to, 0, &out, w->m, 1, 16, 1, w->quant, PTRT_F32,
                             0x3F800000, w->relu, PTRT_F32, 0x3F000000, PTRT_ABSENT, 0, w->layout,
                             w->step, 0, 0, 0, 0, w->sat, w->type, 0);
}

static int unknown_words(ptrt_core *core, void *arg) {
    uint32_t out = 0;
    return ptrt_store_l0c_gm_raw(core, 1, PTRT_F32, PTRT_F32, 0, &out, 0x10010,
                                 *(const int64_t *)arg);
}
static int unknown_words_on_chip(ptrt_core *core, void *arg) {
    return ptrt_store_l0c_raw(core, 1, PTRT_MAT, PTRT_F32, PTRT_F32, 0, 0, 0x10010,
                              *(const int64_t *)arg);
}

static void errors(void **state) {
    (void)state;
    assert_int_equal(failure_of(far_block, NULL), PTRT_E_BOUNDS);
    assert_int_equal(failure_of(scales_are_no_matrix, NULL), PTRT_E_BOUNDS);
    assert_int_equal(failure_of(unaligned_block, NULL), PTRT_E_ALIGN);
    assert_int_equal(failure_of(unaligned_factors, NULL), PTRT_E_ALIGN);
    assert_int_equal(failure_of(unaligned_matrix, NULL), PTRT_E_ALIGN);
    assert_int_equal(failure_of(no_such_product, NULL), PTRT_E_TYPE);
}

static void messages(void **state) {
    static const struct {
        ptrt_entry call;
        int code;
        const char *text;
    } wrong[] = {
        {no_such_product, PTRT_E_TYPE, "pto.mad: no product of f16 and f32 into f32"},
        {no_such_sum, PTRT_E_TYPE, "pto.mad_mx: no product of f8E5M2 and f8E5M2 into i32"},
        {bias_is_missing, PTRT_E_ARG, "pto.mad_bias: the word asks for a bias"},
        {bias_of_mx_is_missing, PTRT_E_ARG, "pto.mad_mx_bias: the word asks for a bias"},
        {negative_size, PTRT_E_ARG, "pto.mte_l1_l0b: a size of -3"},
        {huge_size, PTRT_E_ARG, "pto.mte_gm_l1: a size of 1099511627777"},
        {loops_to_l1, PTRT_E_ARG, "pto.mte_gm_l1: too many loops"},
        {loops_to_ub, PTRT_E_ARG, "pto.mte_l1_ub: too many loops"},
        {small_channels, PTRT_E_ARG, "pto.mte_gm_l1_frac: no meaning is known of small_c0"},
        {small_channels_raw, PTRT_E_ARG,
         "pto.copy_gm_to_cbuf_multi_dn2nz: no meaning is known of small_c0"},
    };
    unsigned char memory[64] = {0};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(failure_of(wrong[i].call, memory), wrong[i].code);
        if (strstr(ptrt_error(), wrong[i].text) == NULL)
            fail_msg("%s, expected %s", ptrt_error(), wrong[i].text);
    }
}

static void messages_of_stores(void **state) {
    enum { F322F16 = 1, NONE = PTRT_ABSENT };
    static const wrong_store wrong[] = {
        /* Without a conversion, and with one that does not exist. */
        {PTRT_F32, PTRT_F16, NONE, NONE, 0, NONE, NONE, PTRT_E_TYPE, 0, 1,
         "pto.mte_l0c_gm: no conversion of f32 to f16"},
        {PTRT_I32, PTRT_F32, NONE, NONE, 0, NONE, NONE, PTRT_E_TYPE, 0, 1,
         "no conversion of i32 to f32"},
        {PTRT_F32, PTRT_I64, F322F16, NONE, 0, NONE, NONE, PTRT_E_TYPE, 0, 1,
         "no conversion of f32 to i64"},
        {PTRT_F32, PTRT_HIF8, F322F16, NONE, 0, 1, NONE, PTRT_E_ARG, 0, 1,
         "no meaning is known of hif8 without saturation"},
        {PTRT_I32, PTRT_I32, NONE, 2, 0, NONE, NONE, PTRT_E_ARG, 0, 1, "a slope for integers"},
        {PTRT_F32, PTRT_F32, NONE, NONE, 1, NONE, NONE, PTRT_E_ARG, 2, 1,
         "no meaning is known of nz2dn(2)"},
        {PTRT_F32, PTRT_F32, NONE, NONE, 0, NONE, 2, PTRT_E_TYPE, 0, 1,
         "stores of f32 do not combine f16"},
        {PTRT_F32, PTRT_F32, NONE, NONE, 0, NONE, 7, PTRT_E_ARG, 0, 1,
         "type 7 and operation 0 of a store"},
        {PTRT_F32, PTRT_F32, NONE, NONE, 0, NONE, NONE, PTRT_E_ARG, 0, -1, "a size of -1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        wrong_store w = wrong[i];
        const int code = failure_of(store_wrongly, &w);
        if (code != w.code || strstr(ptrt_error(), w.text) == NULL)
            fail_msg("%d %s, expected %d %s", code, ptrt_error(), w.code, w.text);
    }
}

/* Bits of the second word: the conversion, the bound, relu. */
static void messages_of_raw_stores(void **state) {
    static const int bits[] = {29, 30, 31, 34, 38, 41, 42};
    (void)state;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        int64_t word = INT64_C(1) << bits[i];
        char text[128];
        snprintf(text, sizeof text, "_gm: no meaning is known of the words 0x10010 and %#llx",
                 (unsigned long long)word);
        assert_int_equal(failure_of(unknown_words, &word), PTRT_E_ARG);
        assert_non_null(strstr(ptrt_error(), text));
        assert_int_equal(failure_of(unknown_words_on_chip, &word), PTRT_E_ARG);
        assert_non_null(strstr(ptrt_error(), "pto.copy_matrix_cc_to_cbuf: no meaning"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(vector_times_matrix),
        cmocka_unit_test(shapes_and_blocks),
        cmocka_unit_test(saturation_of_products),
        cmocka_unit_test(rounded_factors),
        cmocka_unit_test(stores_by_rows_and_columns),
        cmocka_unit_test(scaled_stores),
        cmocka_unit_test(bytes),
        cmocka_unit_test(open_stores),
        cmocka_unit_test(open_bytes),
        cmocka_unit_test(combining_stores),
        cmocka_unit_test(cores_of_a_block),
        cmocka_unit_test(patterns_and_raw_copies),
        cmocka_unit_test(fractals_of_columns),
        cmocka_unit_test(errors),
        cmocka_unit_test(messages),
        cmocka_unit_test(messages_of_stores),
        cmocka_unit_test(messages_of_raw_stores),
    };
    return cmocka_run_group_tests_name("cube", tests, NULL, NULL);
}
