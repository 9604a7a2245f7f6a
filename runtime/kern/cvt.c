/* SPDX-License-Identifier: Apache-2.0 */
/* cvt.c - conversions between element types. Each pair of types runs through one to three stages,
 * which are loops over contiguous elements: from the source to f32, i32 or f64; rounding there to
 * the values of the destination type; and to the destination, exactly or to nearest. So there is
 * one loop per type instead of one per pair, and the most frequent conversions (to and from f32, to
 * nearest) are a single stage without a buffer. */
#include "ptort_emitted.h"

#include "kern/bf16.h"
#include "kern/exact.h"
#include "kern/stage.h"

#include <math.h>

/* clang-format off */

/* ---- to f32 and to i32 ---- */

#define WIDEN(E, SS, EXPR) CHEAP(E##_f32, N_f32, SS, 4, st_f32(d, EXPR))
WIDEN(f16, 2, ld_f16(s))
WIDEN(bf16, 2, ld_bf16(s))
WIDEN(i8, 1, __builtin_convertvector(ld_wide_i8(s), v_f32))
WIDEN(u8, 1, __builtin_convertvector((v_i32)ld_wide_u8(s), v_f32))
WIDEN(i16, 2, __builtin_convertvector(ld_wide_i16(s), v_f32))
WIDEN(u16, 2, __builtin_convertvector((v_i32)ld_wide_u16(s), v_f32))
WIDEN(i32, 4, __builtin_convertvector(ld_i32(s), v_f32))
#define FORMAT_8(NAME, E, M, BIAS, SPECIAL, MOST, BEYOND, NAN_CODE, PAD, X) X(NAME)
#define FORMATS_8(X) PTRT_FORMATS_8(FORMAT_8, X)
#define FLOATS_8(X) FORMATS_8(X) X(hif8)
#define WIDEN_8(E) VECTORS(E##_f32, N_f32, 1, 4, st_f32(d, value_##E(ld_wide_u8(s))))
FLOATS_8(WIDEN_8)

#define WIDEN_INT(E, SS) CHEAP(E##_i32, N_i32, SS, 4, st_i32(d, (v_i32)ld_wide_##E(s)))
WIDEN_INT(i8, 1)
WIDEN_INT(u8, 1)
WIDEN_INT(i16, 2)
WIDEN_INT(u16, 2)

/* ---- from f32 and from i32 to integers ---- */

/* W is the number of source bytes that make a vector of 32-bit lanes. */
#define FOUR(LD, W) LD(s), LD(s + (W)), LD(s + 2 * (W)), LD(s + 3 * (W))
#define TWO(LD, W) LD(s), LD(s + (W))
#define TO_PACK(p) i32_to_pack(ld_f32(p))
#define TO_I32(p) i32_of_f32(ld_f32(p))
#define NARROW(S, SS, LD, LOW)                                                                     \
    CLAMPED(S##_i8, N_i8, SS, 1, st_i8(d, pack4_i8(FOUR(LD, SS * N_i32))), st_u8(d, pack4_low8(FOUR(LOW, SS * N_i32))))     \
    CLAMPED(S##_u8, N_u8, SS, 1, st_u8(d, pack4_u8(FOUR(LD, SS * N_i32))), st_u8(d, pack4_low8(FOUR(LOW, SS * N_i32))))     \
    CLAMPED(S##_i16, N_i16, SS, 2, st_i16(d, pack2_i16(TWO(LD, SS * N_i32))), st_u16(d, pack2_low16(TWO(LOW, SS * N_i32)))) \
    CLAMPED(S##_u16, N_u16, SS, 2, st_u16(d, pack2_u16(TWO(LD, SS * N_i32))), st_u16(d, pack2_low16(TWO(LOW, SS * N_i32))))
NARROW(f32, 4, TO_PACK, TO_I32)
NARROW(i32, 4, ld_i32, ld_i32)
#define F16_TO_PACK(p) i32_to_pack(ld_f16(p))
#define F16_TO_I32(p) i32_of_f32(ld_f16(p))
NARROW(f16, 2, F16_TO_PACK, F16_TO_I32)

CHEAP(f32_i32, N_f32, 4, 4, st_i32(d, i32_of_f32(ld_f32(s))))
/* Values from 2^31 on are converted after subtracting 2^31. */
PTRT_INLINE v_u32 u32_of_f32(v_f32 x) {
    const v_f32 from0 = larger_f32(nan_as_0(x), splat_of_f32(0));
    const v_u32 high = (v_u32)(from0 >= 0x1p31f), over = (v_u32)(from0 >= 0x1p32f);
    const v_f32 below = smaller_f32(from0 - AS(f32, AS(u32, splat_of_f32(0x1p31f)) & high),
                                splat_of_f32(2147483520.0f));
    return ((v_u32)nearest_i32(below) ^ (high & 0x80000000u)) | over;
}
VECTORS(f32_u32, N_f32, 4, 4, st_u32(d, u32_of_f32(ld_f32(s))))
CLAMPED(i32_u32, N_i32, 4, 4, st_i32(d, ld_i32(s) & ~(ld_i32(s) >> 31)), st_i32(d, ld_i32(s)))

/* ---- from f32 to floats ---- */

#define BF16(HOW) st_bf16_##HOW(d, ld_f32(s), ld_f32(s + VB), ld_f32(s + 2 * VB), ld_f32(s + 3 * VB));
CLAMPED(f32_bf16, 2 * N_u16, 4, 2, BF16(clamped), BF16(open))
/* Exact conversions. */
CHEAP(i8_f16, N_f32, 1, 2, st_f16(d, __builtin_convertvector(ld_wide_i8(s), v_f32)))
CHEAP(u8_f16, N_f32, 1, 2, st_f16(d, __builtin_convertvector((v_i32)ld_wide_u8(s), v_f32)))
CLAMPED(f32_f16, N_f32, 4, 2, st_half(d, f16_round(f16_clamp(ld_f32(s)))),
        st_half(d, f16_round(ld_f32(s))))

#define CODES(p, E) (v_i32)code_##E(ld_f32(p))
#define CODES_4(E) st_u8(d, pack4_low8(CODES(s, E), CODES(s + VB, E), CODES(s + 2 * VB, E), CODES(s + 3 * VB, E)))
#define TO_FORMAT_8(E) CLAMPED(f32_##E, N_u8, 4, 1, CODES_4(E), CODES_4(E##_open))
FORMATS_8(TO_FORMAT_8)
VECTORS(f32_hif8, N_u8, 4, 1, CODES_4(hif8))

/* ---- rounding to the values of the destination, in f32 ---- */

VECTORS(integral_f32, N_f32, 4, 4, st_f32(d, round_f32(ld_f32(s), how & 7)))
VECTORS(grid_f16, N_f32, 4, 4, st_f32(d, f16_grid(ld_f32(s), how & 7)))
VECTORS(grid_bf16, N_f32, 4, 4, st_f32(d, bf16_grid(ld_f32(s), how & 7)))

/* ---- stages of 32-bit and 64-bit types, element by element ---- */

#define EACH(NAME, S, D, EXPR)                                                                     \
    static void NAME(void *dp, const void *sp, size_t n, unsigned how) {                           \
        s_##D *d = dp;                                                                             \
        const s_##S *s = sp;                                                                       \
        const unsigned mode = how & 7;                                                             \
        const int open = (how & PTRT_UNCLAMPED) != 0;                                              \
        (void)mode, (void)open;                                                                    \
        for (size_t i = 0; i < n; i++) {                                                           \
            const __typeof__(s[0] + 0) x = s[i];                                                   \
            d[i] = (s_##D)(EXPR);                                                                           \
        }                                                                                          \
    }

/* Integer to integer. */
#define BELOW(x, top) ((x) > (top) ? (top) : (x))
EACH(i32_i64, i32, i64, x)
EACH(i32_u64, i32, u64, (uint64_t)(x < 0 ? 0 : x))
EACH(u32_u64, u32, u64, x)
EACH(u32_i32, u32, i32, (int32_t)(open ? x : BELOW(x, INT32_MAX)))
EACH(i64_i32, i64, i32, (int32_t)(open ? x : x < INT32_MIN ? INT32_MIN : BELOW(x, INT32_MAX)))
EACH(i64_u32, i64, u32, (uint32_t)(open ? x : x < 0 ? 0 : BELOW(x, UINT32_MAX)))
EACH(i64_u64, i64, u64, (uint64_t)(open || x > 0 ? x : 0))
EACH(u64_i32, u64, i32, (int32_t)(open ? x : BELOW(x, INT32_MAX)))
EACH(u64_u32, u64, u32, (uint32_t)(open ? x : BELOW(x, UINT32_MAX)))
EACH(u64_i64, u64, i64, (int64_t)(open ? x : BELOW(x, INT64_MAX)))

/* Float to integer, to nearest; NaN becomes 0. */
EACH(f32_i64, f32, i64, LANE_INT(x, int64_t, INT64_MIN, INT64_MAX, -0x1p63f, 0x1p63f, rintf))
EACH(f32_u64, f32, u64, LANE_INT(x, uint64_t, 0, UINT64_MAX, 0.0f, 0x1p64f, rintf))
EACH(f64_i32, f64, i32, LANE_INT(x, int32_t, INT32_MIN, INT32_MAX, -0x1p31, 0x1p31 - 0.5, rint))
EACH(f64_u32, f64, u32, LANE_INT(x, uint32_t, 0, UINT32_MAX, 0.0, 0x1p32 - 0.5, rint))
EACH(f64_i64, f64, i64, LANE_INT(x, int64_t, INT64_MIN, INT64_MAX, -0x1p63, 0x1p63, rint))
EACH(f64_u64, f64, u64, LANE_INT(x, uint64_t, 0, UINT64_MAX, 0.0, 0x1p64, rint))

/* To f32 and f64, to nearest or exactly. */
EACH(u32_f32, u32, f32, (float)x)
EACH(i64_f32, i64, f32, (float)x)
EACH(u64_f32, u64, f32, (float)x)
EACH(f32_f64, f32, f64, (double)x)
EACH(i32_f64, i32, f64, (double)x)
EACH(u32_f64, u32, f64, (double)x)
PTRT_INLINE float f32_of_f64(double x, int open) {
    const double top = 0x1.FFFFFEp127;
    return (float)(open || fabs(x) <= top || x != x ? x : copysign(top, x));
}
EACH(f64_f32, f64, f32, f32_of_f64(x, open))

/* ---- rounding to the values of the destination, in f64 ---- */

EACH(integral_f64, f64, f64, round_f64(x, mode))

EACH(grid_f32, f64, f64, f32_value(x, mode))

/* ---- rounding to odd: rounding the result again to at least two bits fewer equals rounding once
 * ---- */

EACH(i64_odd_f64, i64, f64, (double)ODD_WIDE(x, int64_t))
EACH(u64_odd_f64, u64, f64, (double)ODD_WIDE(x, uint64_t))

EACH(f64_odd, f64, f32, odd_f32(x))
EACH(i32_odd, i32, f32, odd_f32((double)x))
EACH(u32_odd, u32, f32, odd_f32((double)x))
EACH(i64_odd, i64, f32, odd_f32((double)ODD_WIDE(x, int64_t)))
EACH(u64_odd, u64, f32, odd_f32((double)ODD_WIDE(x, uint64_t)))

/* Converts an integer magnitude to f64 in any rounding mode. */
PTRT_INLINE double f64_of_magnitude(uint64_t m, int negative, unsigned mode) {
    double r = (double)m;
    if (m >> 53 != 0) {
        const int drop = 11 - __builtin_clzll(m);
        const uint64_t low = (UINT64_C(1) << drop) - 1;
        const uint64_t rest = m & low;
        const uint64_t up = up_by(m, low, negative, mode);
        r = (double)((m >> drop) + ((rest + up) >> drop)) * (double)(UINT64_C(1) << drop);
    }
    return negative ? -r : r;
}
EACH(i64_f64, i64, f64, f64_of_magnitude(x < 0 ? 0 - (uint64_t)x : (uint64_t)x, x < 0, mode))
EACH(u64_f64, u64, f64, f64_of_magnitude(x, 0, mode))

/* ---- the same type ---- */

#define SAME(E)                                                                                    \
    static void E##_same(void *d, const void *s, size_t n, unsigned how) {                         \
        (void)how;                                                                                 \
        memmove(d, s, n * S_##E);                                                                  \
    }
SAME(u8)
SAME(u16)
SAME(u32)
SAME(u64)

/* ---- pairs ---- */

enum { STAGES = 3, BLOCK = 256 };
typedef struct plan {
    uint8_t from, to;       /* bytes of an element */
    stage nearest[STAGES];  /* stages that round to nearest, ties to even */
    stage directed[STAGES]; /* stages for any other mode */
} plan;

/* Runs the stages over up to BLOCK elements. */
static void run_block(const stage *stages, unsigned char *d, const unsigned char *s, size_t n, unsigned how) {
    uint64_t buffers[2][BLOCK];
    const void *from = s;
    for (int k = 0; k < STAGES && stages[k]; k++) {
        void *to = k + 1 < STAGES && stages[k + 1] ? (void *)buffers[k & 1] : d;
        stages[k](to, from, n, how);
        from = to;
    }
}

static void run(const plan *p, const ptrt_args *x) {
    const unsigned how = *(const unsigned *)x->how;
    const stage *stages = (how & 7) == PTRT_RINT ? p->nearest : p->directed;
    const unsigned char *s = x->p[0];
    unsigned char *d = x->p[1];
    size_t rows = x->rows, cols = x->cols;
    if (x->ld[0] == (ptrdiff_t)cols && x->ld[1] == (ptrdiff_t)cols) cols *= rows, rows = 1;
    const ptrdiff_t lds = x->ld[0] * p->from, ldd = x->ld[1] * p->to;
    for (; rows > 0; rows--, s += lds, d += ldd) {
        if (!stages[1]) {
            stages[0](d, s, cols, how);
            continue;
        }
        for (size_t c = 0; c < cols; c += BLOCK)
            run_block(stages, d + c * p->to, s + c * p->from, cols - c < BLOCK ? cols - c : BLOCK, how);
    }
}

#define SIZE_8(E) S_##E = 1,
enum { FLOATS_8(SIZE_8) };
#define LIST(...) {__VA_ARGS__}
#define PAIR(S, D, NEAREST, DIRECTED)                                                              \
    static void cvt_pair_##S##_##D(const ptrt_args *x) {                                           \
        static const plan p = {S_##S, S_##D, NEAREST, DIRECTED};                                   \
        run(&p, x);                                                                                \
    }
/* Pairs for which the rounding mode makes no difference. */
#define EXACT(S, D, ...) PAIR(S, D, LIST(__VA_ARGS__), LIST(__VA_ARGS__))

/* From f32. */
#define FROM_F32_INT(D) PAIR(f32, D, LIST(f32_##D), LIST(integral_f32, f32_##D))
FROM_F32_INT(i8) FROM_F32_INT(u8) FROM_F32_INT(i16) FROM_F32_INT(u16)
FROM_F32_INT(i32) FROM_F32_INT(u32) FROM_F32_INT(i64) FROM_F32_INT(u64)
PAIR(f32, f16, LIST(f32_f16), LIST(grid_f16, f32_f16))
PAIR(f32, bf16, LIST(f32_bf16), LIST(grid_bf16, f32_bf16))
EXACT(f32, f32, integral_f32)
EXACT(f32, f64, f32_f64)
#define FROM_F32_8(D) EXACT(f32, D, f32_##D) EXACT(D, f32, D##_f32)
FLOATS_8(FROM_F32_8)

/* From f16 and bf16. */
#define FROM_HALF_INT(S, D) PAIR(S, D, LIST(S##_f32, f32_##D), LIST(S##_f32, integral_f32, f32_##D))
#define FROM_HALF(S)                                                                               \
    FROM_HALF_INT(S, i32) FROM_HALF_INT(S, u32) FROM_HALF_INT(S, i64) FROM_HALF_INT(S, u64)        \
    EXACT(S, f32, S##_f32) EXACT(S, f64, S##_f32, f32_f64)
FROM_HALF(f16)
#define FROM_F16_SHORT(D) PAIR(f16, D, LIST(f16_##D), LIST(f16_f32, integral_f32, f32_##D))
FROM_F16_SHORT(i8) FROM_F16_SHORT(u8) FROM_F16_SHORT(i16) FROM_F16_SHORT(u16)
FROM_HALF(bf16)
FROM_HALF_INT(bf16, i8) FROM_HALF_INT(bf16, u8) FROM_HALF_INT(bf16, i16) FROM_HALF_INT(bf16, u16)
EXACT(f16, f16, f16_f32, integral_f32, f32_f16)
EXACT(bf16, bf16, bf16_f32, integral_f32, f32_bf16)
PAIR(f16, bf16, LIST(f16_f32, f32_bf16), LIST(f16_f32, grid_bf16, f32_bf16))
PAIR(bf16, f16, LIST(bf16_f32, f32_f16), LIST(bf16_f32, grid_f16, f32_f16))
EXACT(f16, hif8, f16_f32, f32_hif8)

/* From 8-bit and 16-bit integers; by way of f32 unless the destination is an integer. */
#define FROM_SHORT(S, TWIN)                                                                        \
    PAIR(S, bf16, LIST(S##_f32, f32_bf16), LIST(S##_f32, grid_bf16, f32_bf16))                     \
    EXACT(S, f32, S##_f32) EXACT(S, f64, S##_f32, f32_f64) EXACT(S, S, TWIN##_same)                \
    EXACT(S, i32, S##_i32) EXACT(S, u32, S##_i32, i32_u32)                                         \
    EXACT(S, i64, S##_i32, i32_i64) EXACT(S, u64, S##_i32, i32_u64)
#define SHORT_TO(S, D) EXACT(S, D, S##_i32, i32_##D)
EXACT(i8, f16, i8_f16) EXACT(u8, f16, u8_f16)
PAIR(i16, f16, LIST(i16_f32, f32_f16), LIST(i16_f32, grid_f16, f32_f16))
PAIR(u16, f16, LIST(u16_f32, f32_f16), LIST(u16_f32, grid_f16, f32_f16))
FROM_SHORT(i8, u8) SHORT_TO(i8, u8) SHORT_TO(i8, i16) SHORT_TO(i8, u16)
FROM_SHORT(u8, u8) SHORT_TO(u8, i8) SHORT_TO(u8, i16) SHORT_TO(u8, u16)
FROM_SHORT(i16, u16) SHORT_TO(i16, i8) SHORT_TO(i16, u8) SHORT_TO(i16, u16)
FROM_SHORT(u16, u16) SHORT_TO(u16, i8) SHORT_TO(u16, u8) SHORT_TO(u16, i16)

/* From 32-bit and 64-bit integers, which f32 cannot represent exactly. */
#define FROM_LONG(S, WIDE, TWIN)                                                                   \
    PAIR(S, f16, LIST(S##_odd, f32_f16), LIST(S##_odd, grid_f16, f32_f16))                         \
    PAIR(S, bf16, LIST(S##_odd, f32_bf16), LIST(S##_odd, grid_bf16, f32_bf16))                     \
    PAIR(S, f32, LIST(S##_f32), LIST(WIDE, grid_f32, f64_f32))                                     \
    EXACT(S, f64, S##_f64) EXACT(S, S, TWIN##_same)
#define THROUGH_I32(S)                                                                             \
    EXACT(S, i8, S##_i32, i32_i8) EXACT(S, u8, S##_i32, i32_u8)                                    \
    EXACT(S, i16, S##_i32, i32_i16) EXACT(S, u16, S##_i32, i32_u16) EXACT(S, i32, S##_i32)
FROM_LONG(i32, i32_f64, u32)
EXACT(i32, i8, i32_i8) EXACT(i32, u8, i32_u8) EXACT(i32, i16, i32_i16) EXACT(i32, u16, i32_u16)
EXACT(i32, u32, i32_u32) EXACT(i32, i64, i32_i64) EXACT(i32, u64, i32_u64)
FROM_LONG(u32, u32_f64, u32) THROUGH_I32(u32)
EXACT(u32, i64, u32_u64) EXACT(u32, u64, u32_u64)
FROM_LONG(i64, i64_odd_f64, u64) THROUGH_I32(i64)
EXACT(i64, u32, i64_u32) EXACT(i64, u64, i64_u64)
FROM_LONG(u64, u64_odd_f64, u64) THROUGH_I32(u64)
EXACT(u64, u32, u64_u32) EXACT(u64, i64, u64_i64)

/* From f64. */
PAIR(f64, f16, LIST(f64_odd, f32_f16), LIST(f64_odd, grid_f16, f32_f16))
PAIR(f64, bf16, LIST(f64_odd, f32_bf16), LIST(f64_odd, grid_bf16, f32_bf16))
PAIR(f64, f32, LIST(f64_f32), LIST(grid_f32, f64_f32))
EXACT(f64, f64, integral_f64)
#define FROM_F64_SHORT(D) PAIR(f64, D, LIST(f64_i32, i32_##D), LIST(integral_f64, f64_i32, i32_##D))
#define FROM_F64_LONG(D) PAIR(f64, D, LIST(f64_##D), LIST(integral_f64, f64_##D))
FROM_F64_SHORT(i8) FROM_F64_SHORT(u8) FROM_F64_SHORT(i16) FROM_F64_SHORT(u16)
FROM_F64_LONG(i32) FROM_F64_LONG(u32) FROM_F64_LONG(i64) FROM_F64_LONG(u64)

/* ---- packed 4-bit pairs; columns count their halves ---- */

#define CODE_F4(E)                                                                                 \
    PTRT_INLINE v_i32 lanes_##E(const unsigned char *s, unsigned mode) {                           \
        const v_f32 x = ld_bf16(s);                                                                \
        const v_u32 c = code_##E(x, mode), top = splat_of_u32(7);                                  \
        const v_u32 code = SELECT(v_u32, (v_u32)(c > 7), top, c) | sign_of_f32(x) >> 28;           \
        return (v_i32)(code & (v_u32)(x == x));                                                    \
    }                                                                                              \
    static void codes_##E(void *dp, const void *sp, size_t n, unsigned how) {                      \
        unsigned char *d = dp;                                                                     \
        const unsigned char *s = sp;                                                               \
        enum { H = VB / 2 };                                                                       \
        const unsigned mode = how & 7;                                                             \
        LOOP(N_u8, 2, 1, st_u8(d, pack4_low8(lanes_##E(s, mode), lanes_##E(s + H, mode),           \
                                             lanes_##E(s + 2 * H, mode), lanes_##E(s + 3 * H, mode)))) \
    }
CODE_F4(e1m2)
CODE_F4(e2m1)

static void to_f4(stage codes, const ptrt_args *x) {
    const unsigned char *s = x->p[0];
    unsigned char *d = x->p[1];
    for (size_t r = 0; r < x->rows; r++, s += 2 * x->ld[0], d += x->ld[1]) {
        for (size_t c = 0; c < x->cols; c += BLOCK) {
            uint8_t code[BLOCK + 1];
            const size_t n = x->cols - c < BLOCK ? x->cols - c : BLOCK;
            codes(code, s + 2 * c, n, *(const unsigned *)x->how);
            code[n] = 0;
            join_pairs(d + c / 2, code, n);
        }
    }
}

static void of_f4(const uint16_t *values, const ptrt_args *x) {
    const unsigned char *s = x->p[0];
    s_u16 *d = x->p[1];
    const size_t cols = x->cols;
    for (size_t rows = x->rows; rows > 0; rows--, s += x->ld[0], d += x->ld[1])
        for (size_t c = 0; c < cols; c++)
            d[c] = values[s[c / 2] >> (c % 2 * 4) & 15];
}

static const uint16_t values_e1m2[16] = {
    0x0000, 0x3E80, 0x3F00, 0x3F40, 0x3F80, 0x3FA0, 0x3FC0, 0x3FE0,
    0x8000, 0xBE80, 0xBF00, 0xBF40, 0xBF80, 0xBFA0, 0xBFC0, 0xBFE0};
static const uint16_t values_e2m1[16] = {
    0x0000, 0x3F00, 0x3F80, 0x3FC0, 0x4000, 0x4040, 0x4080, 0x40C0,
    0x8000, 0xBF00, 0xBF80, 0xBFC0, 0xC000, 0xC040, 0xC080, 0xC0C0};
#define PAIR_F4(D, F)                                                                              \
    static void cvt_pair_bf16_##D(const ptrt_args *x) {                                            \
        to_f4(codes_##F, x);                                                                       \
    }                                                                                              \
    static void cvt_pair_##D##_bf16(const ptrt_args *x) {                                          \
        of_f4(values_##F, x);                                                                      \
    }
PAIR_F4(f4e1m2x2, e1m2)
PAIR_F4(f4e2m1x2, e2m1)
/* clang-format on */
#include "kern/family.h"
