/* kernels.c - the loops, compiled once per instruction-set level with PTRT_LEVEL = v2, v3, v4 or
 * base. */
#include "half.h"
#include "isa.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define STR_(a) #a
#define STR(a) STR_(a)

/* Operands are equal or disjoint, so iterations are independent: say so to the vectoriser. Rows are
 * short, and what unrolling leaves over costs: a vector of narrow elements is long enough. */
#if defined(__clang__)
#define LOOP(UNROLL) _Pragma("clang loop vectorize(assume_safety) interleave_count(2)")
#else
#define PRAGMA(X) _Pragma(#X)
#define LOOP(UNROLL) PRAGMA(GCC ivdep) PRAGMA(GCC unroll UNROLL)
#endif
#define LOOP_u8 LOOP(2)
#define LOOP_u16 LOOP(2)
#define LOOP_u32 LOOP(4)
#define LOOP_u64 LOOP(4)
#define LOOP_f32 LOOP(4)
#define LOOP_f64 LOOP(4)

#define ALIAS __attribute__((may_alias))
typedef uint8_t ALIAS u8;
typedef uint16_t ALIAS u16;
typedef uint32_t ALIAS u32;
typedef uint64_t ALIAS u64;
typedef float ALIAS f32;
typedef double ALIAS f64;

/* One row each; x and y are the operands of element i. */
#define ROW_PLAIN(T, EXPR, LOADY)                                                                  \
    LOOP_##T for (size_t i = 0; i < cols; i++) {                                                   \
        const T x = a[i], y = LOADY;                                                               \
        d[i] = (T)(EXPR);                                                                          \
    }

/* f16 and bf16: compute in f32, round once. */
#define ROW_HALF(FROM, TO, EXPR, LOADY, START)                                                     \
    LOOP_u16 for (size_t i = START; i < cols; i++) {                                               \
        const float x = FROM(a[i]), y = LOADY;                                                     \
        d[i] = TO(EXPR);                                                                           \
    }

#define BINARY(NAME, T, ROW)                                                                       \
    static void NAME(void *dp, const void *ap, const void *bp, size_t rows, size_t cols,           \
                     ptrdiff_t ldd, ptrdiff_t lda, ptrdiff_t ldb) {                                \
        T *d = dp;                                                                                 \
        const T *a = ap, *b = bp;                                                                  \
        if (ldd == (ptrdiff_t)cols && lda == ldd && ldb == ldd) {                                  \
            cols *= rows;                                                                          \
            rows = 1;                                                                              \
        }                                                                                          \
        for (; rows > 0; rows--) {                                                                 \
            ROW d += ldd;                                                                          \
            a += lda;                                                                              \
            b += ldb;                                                                              \
        }                                                                                          \
    }

#define SCALAR(NAME, T, SETUP, ROW)                                                                \
    static void NAME(void *dp, const void *ap, const void *kp, size_t rows, size_t cols,           \
                     ptrdiff_t ldd, ptrdiff_t lda) {                                               \
        T *d = dp;                                                                                 \
        const T *a = ap;                                                                           \
        SETUP;                                                                                     \
        if (ldd == (ptrdiff_t)cols && lda == ldd) {                                                \
            cols *= rows;                                                                          \
            rows = 1;                                                                              \
        }                                                                                          \
        for (; rows > 0; rows--) {                                                                 \
            ROW d += ldd;                                                                          \
            a += lda;                                                                              \
        }                                                                                          \
    }

#define BINARY_PLAIN(NAME, T, EXPR) BINARY(NAME, T, ROW_PLAIN(T, EXPR, b[i]))
#define SCALAR_PLAIN(NAME, T, EXPR)                                                                \
    SCALAR(NAME, T, const T k = *(const T *)kp, ROW_PLAIN(T, EXPR, k))

/* With the conversion instructions, eight elements at a time; the rest of the row bit by bit, with
 * the same results. OP is the vector operation. */
#if defined(__F16C__)
#define F16_HEAD(OP, LOADY8)                                                                       \
    size_t head = cols & ~(size_t)7;                                                               \
    for (size_t i = 0; i < head; i += 8) {                                                         \
        __m256 x8 = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(a + i)));      \
        __m256 y8 = LOADY8;                                                                        \
        _mm_storeu_si128((__m128i *)(void *)(d + i),                                               \
                         _mm256_cvtps_ph(OP(x8, y8), _MM_FROUND_TO_NEAREST_INT));                  \
    }
#define LOAD8(p) _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define ADD8(x, y) _mm256_add_ps(x, y)
#define MUL8(x, y) _mm256_mul_ps(x, y)
#define SPLAT8(k) _mm256_set1_ps(k)
#else
#define F16_HEAD(OP, LOADY8) size_t head = 0;
#endif

#define BINARY_F16(NAME, EXPR, OP)                                                                 \
    BINARY(NAME, u16,                                                                              \
           F16_HEAD(OP, LOAD8(b + i))                                                              \
               ROW_HALF(ptrt_f16_to_f32, ptrt_f32_to_f16, EXPR, ptrt_f16_to_f32(b[i]), head))
#define SCALAR_F16(NAME, EXPR, OP)                                                                 \
    SCALAR(NAME, u16, const float k = ptrt_f16_to_f32(*(const u16 *)kp),                           \
           F16_HEAD(OP, SPLAT8(k)) ROW_HALF(ptrt_f16_to_f32, ptrt_f32_to_f16, EXPR, k, head))
#define BINARY_BF16(NAME, EXPR)                                                                    \
    BINARY(NAME, u16, ROW_HALF(ptrt_bf16_to_f32, ptrt_f32_to_bf16, EXPR, ptrt_bf16_to_f32(b[i]), 0))
#define SCALAR_BF16(NAME, EXPR)                                                                    \
    SCALAR(NAME, u16, const float k = ptrt_bf16_to_f32(*(const u16 *)kp),                          \
           ROW_HALF(ptrt_bf16_to_f32, ptrt_f32_to_bf16, EXPR, k, 0))

/* clang-format off */
BINARY_PLAIN(add_8, u8, x + y)
BINARY_PLAIN(add_16, u16, x + y)
BINARY_PLAIN(add_32, u32, x + y)
BINARY_PLAIN(add_64, u64, x + y)
BINARY_F16(add_f16, x + y, ADD8)
BINARY_BF16(add_bf16, x + y)
BINARY_PLAIN(add_f32, f32, x + y)
BINARY_PLAIN(add_f64, f64, x + y)

/* 16-bit operands are widened unsigned: as ints their product could overflow. */
BINARY_PLAIN(mul_8, u8, x * y)
BINARY_PLAIN(mul_16, u16, (uint32_t)x * y)
BINARY_PLAIN(mul_32, u32, x * y)
BINARY_PLAIN(mul_64, u64, x * y)
BINARY_F16(mul_f16, x * y, MUL8)
BINARY_BF16(mul_bf16, x * y)
BINARY_PLAIN(mul_f32, f32, x * y)
BINARY_PLAIN(mul_f64, f64, x * y)

SCALAR_PLAIN(adds_8, u8, x + y)
SCALAR_PLAIN(adds_16, u16, x + y)
SCALAR_PLAIN(adds_32, u32, x + y)
SCALAR_PLAIN(adds_64, u64, x + y)
SCALAR_F16(adds_f16, x + y, ADD8)
SCALAR_BF16(adds_bf16, x + y)
SCALAR_PLAIN(adds_f32, f32, x + y)
SCALAR_PLAIN(adds_f64, f64, x + y)

SCALAR_PLAIN(ands_8, u8, x & y)
SCALAR_PLAIN(ands_16, u16, x & y)
SCALAR_PLAIN(ands_32, u32, x & y)
SCALAR_PLAIN(ands_64, u64, x & y)
SCALAR_PLAIN(xors_8, u8, x ^ y)
SCALAR_PLAIN(xors_16, u16, x ^ y)
SCALAR_PLAIN(xors_32, u32, x ^ y)
SCALAR_PLAIN(xors_64, u64, x ^ y)
/* clang-format on */

#define FILL(NAME, T)                                                                              \
    static void NAME(void *dp, const void *kp, size_t rows, size_t cols, ptrdiff_t ldd) {          \
        T *d = dp;                                                                                 \
        const T k = *(const T *)kp;                                                                \
        if (ldd == (ptrdiff_t)cols) {                                                              \
            cols *= rows;                                                                          \
            rows = 1;                                                                              \
        }                                                                                          \
        for (; rows > 0; rows--) {                                                                 \
            for (size_t i = 0; i < cols; i++)                                                      \
                d[i] = k;                                                                          \
            d += ldd;                                                                              \
        }                                                                                          \
    }
FILL(fill_8, u8)
FILL(fill_16, u16)
FILL(fill_32, u32)
FILL(fill_64, u64)

#define INTS(P) P##_8, P##_8, P##_16, P##_16, P##_32, P##_32, P##_64, P##_64
#define ALL(P) INTS(P), P##_f16, P##_bf16, P##_f32, P##_f64

extern const ptrt_ops CAT(ptrt_ops_, PTRT_LEVEL);
const ptrt_ops CAT(ptrt_ops_, PTRT_LEVEL) = {
    .name = STR(PTRT_LEVEL),
    .add = {ALL(add)},
    .mul = {ALL(mul)},
    .adds = {ALL(adds)},
    .ands = {INTS(ands)},
    .xors = {INTS(xors)},
    .fill = {fill_8, fill_16, fill_32, fill_64},
};
