/* SPDX-License-Identifier: Apache-2.0 */
/* matmul.c - bodies of matrix products. The left factor is packed row by row, the right one into
 * panels of 16 columns, both as f32. Element (i, j) is the chain s = fma(a, b, s) over ascending k,
 * from 0; the addend is added last. 8-bit integers are packed as 16 bits and summed in i32, which
 * is exact in any order. */
#include "ptort_emitted.h"

#include "kern/fused.h"
#include "kern/gemv.h"
#include "kern/kern.h"
#include "kern/pack.h"

#include <stdbool.h>

/* Rows computed at once: as many as have their 16 sums in registers. */
#if VB == 64
enum { ROWS = 12 };
#elif VB == 32
enum { ROWS = 6 };
#elif defined(__aarch64__)
enum { ROWS = 5 };
#else
enum { ROWS = 2 };
#endif

/* A strip of up to ROWS rows: d[i][j] = add[i][j] + the sum over words p of a[i][p] * b[p][j]. Rows
 * of a are `ld` words apart; each consists of runs of `box` words, `step` apart. */
typedef struct strip {
    float *d;
    const float *add; /* NULL: nothing is added */
    ptrdiff_t ldd, ldadd;
    const float *a;
    ptrdiff_t ld, step;
    size_t box;
    const float *b;
    size_t depth;
} strip;
typedef void (*micro_fn)(const strip *t);

/* One function for each number of rows. */
#if VB == 64
#define EACH_COUNT(X, ...)                                                                         \
    X(1, __VA_ARGS__)                                                                              \
    X(2, __VA_ARGS__)                                                                              \
    X(3, __VA_ARGS__)                                                                              \
    X(4, __VA_ARGS__)                                                                              \
    X(5, __VA_ARGS__)                                                                              \
    X(6, __VA_ARGS__)                                                                              \
    X(7, __VA_ARGS__)                                                                              \
    X(8, __VA_ARGS__)                                                                              \
    X(9, __VA_ARGS__)                                                                              \
    X(10, __VA_ARGS__)                                                                             \
    X(11, __VA_ARGS__)                                                                             \
    X(12, __VA_ARGS__)
#elif VB == 32
#define EACH_COUNT(X, ...)                                                                         \
    X(1, __VA_ARGS__)                                                                              \
    X(2, __VA_ARGS__) X(3, __VA_ARGS__) X(4, __VA_ARGS__) X(5, __VA_ARGS__) X(6, __VA_ARGS__)
#elif defined(__aarch64__)
#define EACH_COUNT(X, ...)                                                                         \
    X(1, __VA_ARGS__) X(2, __VA_ARGS__) X(3, __VA_ARGS__) X(4, __VA_ARGS__) X(5, __VA_ARGS__)
#else
#define EACH_COUNT(X, ...) X(1, __VA_ARGS__) X(2, __VA_ARGS__)
#endif

/* Broadcasts the word at p. Compilers turn a loop over lanes into single inserts. */
PTRT_INLINE v_u32 spread_u32(const float *p) {
    const uint32_t x = *(const s_u32 *)p;
#if VB == 64
    return (v_u32)_mm512_set1_epi32((int)x);
#elif VB == 32
    return (v_u32)_mm256_set1_epi32((int)x);
#elif defined(__x86_64__)
    return (v_u32)_mm_set1_epi32((int)x);
#else
    return (v_u32){x, x, x, x};
#endif
}
PTRT_INLINE v_f32 spread_f32(const float *p) {
    return AS(f32, spread_u32(p));
}

/* Computes COUNT x 16 sums in registers. E is the type of a lane, STEP one step of the chain. The
 * loops over rows and vectors are unrolled explicitly: otherwise compilers keep the sums in memory
 * during the loop over p. */
#define UNROLLED(i, n) _Pragma("GCC unroll 12") for (int i = 0; i < n; i++)
#define MICRO_BODY(E, COUNT, SPLAT, STEP)                                                          \
    enum { NV = PTRT_PANEL / N_##E };                                                              \
    const float *a = t->a, *b = t->b;                                                              \
    const ptrdiff_t ld = t->ld;                                                                    \
    v_##E sum[COUNT][NV];                                                                          \
    UNROLLED(i, COUNT) UNROLLED(v, NV) sum[i][v] = (v_##E){0};                                     \
    for (size_t left = t->depth; left > 0; a += t->step) {                                         \
        const size_t n = left < t->box ? left : t->box;                                            \
        left -= n;                                                                                 \
        _Pragma("GCC unroll 2") for (size_t p = 0; p < n; p++, b += PTRT_PANEL) {                  \
            v_##E y[NV];                                                                           \
            UNROLLED(v, NV) y[v] = ld_##E(b + v * N_##E);                                          \
            UNROLLED(i, COUNT) {                                                                   \
                const v_##E x = SPLAT(a + i * ld + p);                                             \
                UNROLLED(v, NV) sum[i][v] = STEP(sum[i][v], x, y[v]);                              \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    const float *add = t->add;                                                                     \
    float *d = t->d;                                                                               \
    const ptrdiff_t ldd = t->ldd, ldadd = t->ldadd;                                                \
    if (add) {                                                                                     \
        UNROLLED(i, COUNT)                                                                         \
        UNROLLED(v, NV) sum[i][v] = ld_##E(add + i * ldadd + v * N_##E) + sum[i][v];               \
    }                                                                                              \
    UNROLLED(i, COUNT) UNROLLED(v, NV) st_##E(d + i * ldd + v * N_##E, sum[i][v]);

#define MICRO(COUNT, NAME, E, SPLAT, STEP)                                                         \
    static void NAME##_##COUNT(const strip *t) {                                                   \
        MICRO_BODY(E, COUNT, SPLAT, STEP)                                                          \
    }
#define MICRO_AT(COUNT, NAME) NAME##_##COUNT,
#define MICROS(NAME, E, SPLAT, STEP)                                                               \
    EACH_COUNT(MICRO, NAME, E, SPLAT, STEP)                                                        \
    static const micro_fn NAME[ROWS] = {EACH_COUNT(MICRO_AT, NAME)};

/* ---- floats ---- */

PTRT_INLINE v_f32 step_f32(v_f32 s, v_f32 x, v_f32 y) {
#if HAS_FMA
    return fused_f32(x, y, s);
#else
    /* Correct only if f32 represents the product exactly, as for f16 and smaller floats. */
    return s + x * y;
#endif
}
MICROS(micro_f32, f32, spread_f32, step_f32)

/* ---- integers: two numbers in a word ---- */

PTRT_INLINE v_u32 step_i16(v_u32 s, v_u32 x, v_u32 y) {
#if VB == 64
    return s + (v_u32)_mm512_madd_epi16((__m512i)x, (__m512i)y);
#elif VB == 32
    return s + (v_u32)_mm256_madd_epi16((__m256i)x, (__m256i)y);
#elif defined(__x86_64__)
    return s + (v_u32)_mm_madd_epi16((__m128i)x, (__m128i)y);
#else
    const v_i32 low = (v_i32)(x << 16) >> 16, high = (v_i32)x >> 16;
    return s + (v_u32)(low * ((v_i32)(y << 16) >> 16)) + (v_u32)(high * ((v_i32)y >> 16));
#endif
}
MICROS(micro_i16, u32, spread_u32, step_i16)

/* ---- fma in double, for machines without fma and for products beyond the range of f32 ---- */

/* Computes (float)(s + x * y) with one rounding. s holds a float and x * y is exact. */
PTRT_INLINE v_f64 step_f64(v_f64 s, v_f64 x, v_f64 y) {
    typedef float f_f32 __attribute__((vector_size(VB / 2)));
    return __builtin_convertvector(__builtin_convertvector(odd_sum_f64(x * y, s), f_f32), v_f64);
}

/* Multiplies one row, a[p] * scale[p / 32], with the panel b. */
static void micro_wide(float *s, const float *a, const float *scale, const double *b,
                       size_t depth) {
    enum { NV = PTRT_PANEL / N_f64 };
    typedef float f_f32 __attribute__((vector_size(VB / 2)));
    v_f64 sum[NV];
    for (int v = 0; v < NV; v++)
        sum[v] = (v_f64){0};
    for (size_t p = 0; p < depth; p++, b += PTRT_PANEL) {
        const double by = scale ? (double)scale[p / PTRT_GROUP] : 1;
        const v_f64 x = splat_of_f64((double)a[p] * by);
        for (int v = 0; v < NV; v++)
            sum[v] = step_f64(sum[v], x, ld_f64(b + v * N_f64));
    }
    for (int v = 0; v < NV; v++) {
        const f_f32 f = __builtin_convertvector(sum[v], f_f32);
        memcpy(s + v * N_f64, &f, sizeof f);
    }
}

/* ---- results ---- */

static unsigned char *at(const ptrt_grid *g, size_t i, size_t j) {
    return g->p +
           4 * (ptrt_axis_offset(&g->row, (int64_t)i) + ptrt_axis_offset(&g->col, (int64_t)j));
}

/* Whether 16 columns of `rows` rows from (i, j) on are contiguous rows with a constant distance. */
static bool is_block(const ptrt_grid *g, size_t i, size_t j, size_t rows) {
    return g->col.inner == 1 && ptrt_axis_run(&g->col, (int64_t)j) >= PTRT_PANEL &&
           ptrt_axis_run(&g->row, (int64_t)i) >= (int64_t)rows;
}

/* Stores the sums of `count` rows from (i, j) on, adding p->sum. */
#define FINISH(E)                                                                                  \
    static void finish_##E(const ptrt_product *p, size_t i, size_t j, size_t count,                \
                           const float *s) {                                                       \
        const size_t cols = p->n - j < PTRT_PANEL ? p->n - j : PTRT_PANEL;                         \
        for (size_t r = 0; r < count; r++, i++, s += PTRT_PANEL) {                                 \
            for (size_t c = 0; c < cols; c++) {                                                    \
                s_##E x = ((const s_##E *)s)[c];                                                   \
                if (p->sum.p) x = *(const s_##E *)at(&p->sum, i, j + c) + x;                       \
                *(s_##E *)at(&p->d, i, j + c) = x;                                                 \
            }                                                                                      \
        }                                                                                          \
    }
FINISH(f32)
FINISH(u32)

/* ---- scales ---- */

/* Returns 2^(code - 127); code 255 is NaN. */
static float scale_of(uint8_t code) {
    const uint32_t bits = code == 255 ? 0x7FC00000u
                          : code == 0 ? 0x00400000u
                                      : (uint32_t)code << 23;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void load_scales(float *d, const ptrt_factor *f, size_t line, size_t groups) {
    const uint8_t *s = f->scale + ptrt_axis_offset(&f->scale_line, (int64_t)line);
    for (size_t g = 0; g < groups; g++)
        d[g] = scale_of(s[ptrt_axis_offset(&f->scale_group, (int64_t)g)]);
}

/* Whether a scaled number may exceed the range of f32; numbers are below 2^16. Underflow is
 * impossible: the last bit of the smallest number is 2^-16 * 2^-127. */
static bool scales_are_large(const ptrt_factor *f, size_t lines, size_t groups) {
    for (size_t i = 0; i < lines; i++)
        for (size_t g = 0; g < groups; g++) {
            const uint8_t code = f->scale[ptrt_axis_offset(&f->scale_line, (int64_t)i) +
                                          ptrt_axis_offset(&f->scale_group, (int64_t)g)];
            if (code > 127 + 111 && code != 255) return true;
        }
    return false;
}

static void scale_line(float *d, const float *scale, size_t depth) {
    for (size_t p = 0; p < depth; p++)
        d[p] *= scale[p / PTRT_GROUP];
}

/* ---- the product ---- */

typedef void (*finish_fn)(const ptrt_product *p, size_t i, size_t j, size_t count, const float *s);

/* How to compute a product. */
typedef struct engine {
    const ptrt_pack *a, *b;
    const micro_fn *micro; /* sums by f32 or i32 steps; NULL: in double */
    gemv_fn vector;        /* for products of one row, or NULL */
    finish_fn finish;
    size_t depth; /* words of a line */
    bool prescaled;
    bool in_place; /* the left factor needs no packing */
    ptrt_panels size;
    float *rows, *lines, *panel; /* packed left factor, 16 packed columns, the same as a panel */
    double *wide;                /* the panel in double */
    float *row_scales, *line_scales;
} engine;

static void open_engine(engine *e, const ptrt_product *p) {
    e->size = ptrt_product_panels(p->m, e->depth);
    e->wide = (double *)p->memory;
    e->rows = (float *)(e->wide + PTRT_PANEL * e->size.ld);
    e->lines = e->rows + e->size.rows * e->size.ld;
    e->panel = e->lines + PTRT_PANEL * e->size.ld;
    e->row_scales = e->panel + PTRT_PANEL * e->size.ld;
    e->line_scales = e->row_scales + e->size.rows * e->size.groups;
    e->prescaled = p->a.scale != NULL && e->micro != NULL &&
                   !scales_are_large(&p->a, p->m, e->size.groups) &&
                   !scales_are_large(&p->b, p->n, e->size.groups);
    if (p->a.scale != NULL && !e->prescaled) e->micro = NULL;
    e->in_place = e->a == &pack_f32 && e->micro != NULL && p->a.line.outer == 0;
}

/* Packs lines first .. first + n - 1 of a factor, and loads their scales. Multiplies by the scales
 * here if the results are in the range of f32. */
static void pack_factor(const engine *e, const ptrt_pack *t, const ptrt_factor *f, size_t k,
                        size_t first, size_t n, float *d, float *scales) {
    pack_lines(t, f, first, n, k, d, e->size.ld);
    for (size_t i = 0; f->scale && i < n; i++, d += e->size.ld, scales += e->size.groups) {
        load_scales(scales, f, first + i, e->size.groups);
        if (e->prescaled) scale_line(d, scales, e->depth);
    }
}

static void widen_panel(const engine *e, size_t cols, bool scaled) {
    for (size_t p = 0; p < e->depth; p++)
        for (size_t j = 0; j < PTRT_PANEL; j++) {
            const double by = scaled && j < cols
                                  ? (double)e->line_scales[j * e->size.groups + p / PTRT_GROUP]
                                  : 1;
            e->wide[p * PTRT_PANEL + j] = (double)e->panel[p * PTRT_PANEL + j] * by;
        }
}

static void pack_panel(const engine *e, const ptrt_product *p, size_t j) {
    const size_t cols = p->n - j < PTRT_PANEL ? p->n - j : PTRT_PANEL;
    const size_t words = (e->depth + 15) / 16 * 16;
    if (e->b == &pack_f32 && e->micro && transpose_boxes(e->panel, &p->b, p->k, j, cols)) return;
    pack_factor(e, e->b, &p->b, p->k, j, cols, e->lines, e->line_scales);
    for (size_t c = cols; c < PTRT_PANEL; c++)
        memset(e->lines + c * e->size.ld, 0, words * sizeof(float));
    transpose_lines(e->panel, e->lines, (ptrdiff_t)e->size.ld, words);
    if (!e->micro) widen_panel(e, cols, p->b.scale != NULL);
}

/* Sets the rows of the left factor from row `first` on: in place, or the packed ones. */
static void set_rows(const engine *e, const ptrt_product *p, size_t first, strip *t) {
    t->a = e->rows;
    t->ld = (ptrdiff_t)e->size.ld;
    if (!e->in_place) return;
    const ptrt_axis *k = &p->a.depth;
    t->a = (const float *)(const void *)p->a.p + (ptrdiff_t)first * p->a.line.inner;
    t->ld = p->a.line.inner;
    t->box = k->outer == 0 ? e->depth : (size_t)k->box;
    t->step = k->outer;
}

/* Sets the destination of a strip if 16 columns can be stored to d directly. Returns false if
 * not. */
static bool set_target(const ptrt_product *p, size_t first, size_t n, size_t j, strip *t) {
    if (p->n - j < PTRT_PANEL || !is_block(&p->d, first, j, n) ||
        (p->sum.p && !is_block(&p->sum, first, j, n)))
        return false;
    t->d = (float *)(void *)at(&p->d, first, j);
    t->ldd = p->d.row.inner;
    t->add = p->sum.p ? (const float *)(const void *)at(&p->sum, first, j) : NULL;
    t->ldadd = p->sum.row.inner;
    return true;
}

/* Returns how many of `left` rows to compute next. Full strips are the fastest; the last two share
 * the rest, because the sums of a short strip wait for each other. */
static size_t strip_rows(size_t left) {
    if (left >= 2 * ROWS || left == ROWS) return ROWS;
    return left > ROWS ? (left + 1) / 2 : left;
}

/* Multiplies rows first .. first + n - 1 with the panel of columns j .. j + 15. */
static void multiply(const engine *e, const ptrt_product *p, size_t first, size_t n, size_t j) {
    _Alignas(64) float s[ROWS * PTRT_PANEL];
    strip t = {.box = e->depth, .b = e->panel, .depth = e->depth, .d = s, .ldd = PTRT_PANEL};
    const bool direct = set_target(p, first, n, j, &t);
    set_rows(e, p, first, &t);
    for (size_t i = 0, count; i < n; i += count) {
        count = strip_rows(n - i);
        e->micro[count - 1](&t);
        if (direct) {
            t.d += (ptrdiff_t)count * t.ldd;
            if (t.add) t.add += (ptrdiff_t)count * t.ldadd;
        } else {
            e->finish(p, first + i, j, count, s);
        }
        t.a += (ptrdiff_t)count * t.ld;
    }
}

/* Multiplies in double, one row at a time. */
static void multiply_wide(const engine *e, const ptrt_product *p, size_t first, size_t n,
                          size_t j) {
    float s[PTRT_PANEL];
    for (size_t i = 0; i < n; i++) {
        micro_wide(s, e->rows + i * e->size.ld,
                   p->a.scale ? e->row_scales + i * e->size.groups : NULL, e->wide, e->depth);
        e->finish(p, first + i, j, 1, s);
    }
}

/* Stores 16 sums of a product of one row, adding p->sum. Uses vectors where d and sum are
 * contiguous. */
static void put_sums(const engine *e, const ptrt_product *p, size_t j, const float *s) {
    strip t;
    if (!set_target(p, 0, 1, j, &t)) {
        e->finish(p, 0, j, 1, s);
        return;
    }
    for (size_t c = 0; c < PTRT_PANEL; c += N_f32) {
        if (!t.add)
            st_f32(t.d + c, ld_f32(s + c));
        else if (e->finish == finish_f32)
            st_f32(t.d + c, ld_f32(t.add + c) + ld_f32(s + c));
        else
            st_u32(t.d + c, ld_u32(t.add + c) + ld_u32(s + c));
    }
}

/* Computes a product of one row. Returns false if the matrix has a layout that `vector` cannot
 * read. */
static bool run_vector(const engine *e, const ptrt_product *p) {
    _Alignas(64) float sum[PTRT_GEMV_COLUMNS];
    gemv_walk walk;
    if (!e->vector || p->m != 1 || p->a.scale || !gemv_fits(p, e->b->size, &walk)) return false;
    pack_factor(e, e->a, &p->a, p->k, 0, 1, e->rows, e->row_scales);
    for (size_t j = 0; j < p->n; j += PTRT_GEMV_COLUMNS) {
        const size_t n = p->n - j < PTRT_GEMV_COLUMNS ? p->n - j : PTRT_GEMV_COLUMNS;
        for (size_t c = 0; c < n; c += PTRT_PANEL)
            memset(sum + c, 0, PTRT_PANEL * sizeof *sum);
        gemv_columns(p, &walk, e->vector, e->rows, j, n, sum);
        for (size_t c = 0; c < n; c += PTRT_PANEL)
            put_sums(e, p, j + c, sum + c);
    }
    return true;
}

static void run(engine *e, const ptrt_product *p) {
    open_engine(e, p);
    if (run_vector(e, p)) return;
    for (size_t i = 0; i < p->m; i += e->size.rows) {
        const size_t n = p->m - i < e->size.rows ? p->m - i : e->size.rows;
        if (!e->in_place) pack_factor(e, e->a, &p->a, p->k, i, n, e->rows, e->row_scales);
        for (size_t j = 0; j < p->n; j += PTRT_PANEL) {
            pack_panel(e, p, j);
            if (e->micro)
                multiply(e, p, i, n, j);
            else
                multiply_wide(e, p, i, n, j);
        }
    }
}

/* ---- bodies ---- */

/* EXACT: f32 represents every product of two numbers exactly. */
#if HAS_GEMV
#define VECTOR(T) gemv_columns_##T
#else
#define VECTOR(T) NULL
#endif
#if HAS_GEMV_F16
#define VECTOR_F16(T) gemv_columns_##T
#else
#define VECTOR_F16(T) NULL
#endif
#if HAS_GEMV_F8
#define VECTOR_F8(T) gemv_columns_##T
#else
#define VECTOR_F8(T) NULL
#endif
#if HAS_GEMV_INT
#define VECTOR_INT(T) gemv_columns_##T
#else
#define VECTOR_INT(T) NULL
#endif
#define PRODUCT(SUFFIX, A, B, PER, EXACT, GEMV)                                                    \
    static void product_chain_##SUFFIX(const ptrt_args *x) {                                       \
        const ptrt_product *p = x->how;                                                            \
        engine e = {.a = &pack_##A,                                                                \
                    .b = &pack_##B,                                                                \
                    .micro = HAS_FMA || ((EXACT) && !p->a.scale) ? micro_f32 : NULL,               \
                    .finish = finish_f32,                                                          \
                    .vector = GEMV,                                                                \
                    .depth = p->k * (PER)};                                                        \
        run(&e, p);                                                                                \
    }
PRODUCT(f32, f32, f32, 1, false, VECTOR(f32))
PRODUCT(f16, f16, f16, 1, true, VECTOR_F16(f16))
PRODUCT(bf16, bf16, bf16, 1, false, VECTOR(bf16))
PRODUCT(hif8, hif8, hif8, 1, true, NULL)
PRODUCT(e4m3fn_e4m3fn, e4m3fn, e4m3fn, 1, true, VECTOR_F8(e4m3fn))
PRODUCT(e4m3fn_e5m2, e4m3fn, e5m2, 1, true, VECTOR_F8(e5m2))
PRODUCT(e5m2_e4m3fn, e5m2, e4m3fn, 1, true, VECTOR_F8(e4m3fn))
PRODUCT(e5m2_e5m2, e5m2, e5m2, 1, true, VECTOR_F8(e5m2))
PRODUCT(e1m2_e1m2, e1m2, e1m2, 2, true, NULL)
PRODUCT(e1m2_e2m1, e1m2, e2m1, 2, true, NULL)
PRODUCT(e2m1_e1m2, e2m1, e1m2, 2, true, NULL)
PRODUCT(e2m1_e2m1, e2m1, e2m1, 2, true, NULL)

#define PRODUCT_INT(SUFFIX, A, B)                                                                  \
    static void product_chain_##SUFFIX(const ptrt_args *x) {                                       \
        const ptrt_product *p = x->how;                                                            \
        engine e = {.a = &pack_##A,                                                                \
                    .b = &pack_##B,                                                                \
                    .micro = micro_i16,                                                            \
                    .finish = finish_u32,                                                          \
                    .vector = VECTOR_INT(B),                                                       \
                    .depth = (p->k + 1) / 2};                                                      \
        run(&e, p);                                                                                \
    }
PRODUCT_INT(i8, i8, i8)
PRODUCT_INT(u8, u8, u8)
PRODUCT_INT(i8_u8, i8, u8)
PRODUCT_INT(u8_i8, u8, i8)

#include "kern/family.h"
