/* SPDX-License-Identifier: Apache-2.0 */
/* ptort_scalar.h - scalars of emitted code: access to elements, and the arithmetic of the arith
 * dialect with defined results. Part of ptort_emitted.h; also for programs that convert numbers as
 * emitted code does.
 *
 * iN is the signed C type of that width, whatever the instruction's signedness (N = 8, 16, 32, 64;
 * index is i64). Integer results wrap modulo 2^N, division by zero gives quotient 0 and remainder
 * x, MIN / -1 gives MIN and 0. Float functions are calls, not inline, so that no option of the
 * compiler of the emitted code fuses or reorders them; f16 and bf16 are computed in f32 and rounded
 * once to nearest even. */
#ifndef PTORT_SCALAR_H
#define PTORT_SCALAR_H

#include "ptort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Access (pto.load_scalar, pto.store_scalar, elements of a caller's tile, ...) ---- */

/* ptrt_load_<elem>(p, i) and ptrt_store_<elem>(p, i, v) access element i, which may be negative.
 * They copy bytes, so any alignment and any type of *p are legal. */
#define PTRT_FOR_INT(X)                                                                            \
    X(i8, int8_t)                                                                                  \
    X(u8, uint8_t)                                                                                 \
    X(i16, int16_t)                                                                                \
    X(u16, uint16_t)                                                                               \
    X(i32, int32_t)                                                                                \
    X(u32, uint32_t)                                                                               \
    X(i64, int64_t)                                                                                \
    X(u64, uint64_t)
#define PTRT_FOR_FLOAT(X)                                                                          \
    X(f16, ptrt_f16)                                                                               \
    X(bf16, ptrt_bf16)                                                                             \
    X(f32, float)                                                                                  \
    X(f64, double)
#define PTRT_FOR_ARITH(X) PTRT_FOR_INT(X) PTRT_FOR_FLOAT(X)

#define PTRT_DEF_ACCESS(E, T)                                                                      \
    static inline T ptrt_load_##E(const void *p, int64_t i) {                                      \
        T v;                                                                                       \
        memcpy(&v, (const unsigned char *)p + i * (int64_t)sizeof v, sizeof v);                    \
        return v;                                                                                  \
    }                                                                                              \
    static inline void ptrt_store_##E(void *p, int64_t i, T v) {                                   \
        memcpy((unsigned char *)p + i * (int64_t)sizeof v, &v, sizeof v);                          \
    }
PTRT_FOR_ARITH(PTRT_DEF_ACCESS)
#undef PTRT_DEF_ACCESS

/* pto.addptr on a global pointer: returns p + i * elem_size, in wrapping 64-bit arithmetic. */
static inline void *ptrt_addptr(const void *p, int64_t i, uint32_t elem_size) {
    return (void *)((uintptr_t)p + (uintptr_t)((uint64_t)i * elem_size));
}

/* ---- Integers: T is the signed type, U the unsigned one, N the width. ---- */

/* Functions of x and y: addi subi muli shli shrsi shrui divsi remsi ceildivsi floordivsi divui
 * remui ceildivui maxsi minsi maxui minui; shift amounts >= N give 0 (shrsi: the sign). Arithmetic
 * is done in uint64_t: narrower unsigned operands would promote to int and could overflow. */
#define PTRT_DEF_INT(E, T, U, N)                                                                   \
    static inline T ptrt_addi_##E(T x, T y) {                                                      \
        return (T)(U)((uint64_t)(U)x + (U)y);                                                      \
    }                                                                                              \
    static inline T ptrt_subi_##E(T x, T y) {                                                      \
        return (T)(U)((uint64_t)(U)x - (U)y);                                                      \
    }                                                                                              \
    static inline T ptrt_muli_##E(T x, T y) {                                                      \
        return (T)(U)((uint64_t)(U)x * (U)y);                                                      \
    }                                                                                              \
    static inline T ptrt_shli_##E(T x, T y) {                                                      \
        return (T)((U)y >= N ? (T)0 : (T)(U)((uint64_t)(U)x << (U)y));                             \
    }                                                                                              \
    static inline T ptrt_shrui_##E(T x, T y) {                                                     \
        return (T)((U)y >= N ? (T)0 : (T)(U)((U)x >> (U)y));                                       \
    }                                                                                              \
    static inline T ptrt_shrsi_##E(T x, T y) {                                                     \
        return (T)(x >> ((U)y >= N ? N - 1 : (U)y));                                               \
    }                                                                                              \
    static inline T ptrt_divsi_##E(T x, T y) {                                                     \
        return (T)(y == 0 ? (T)0 : y == -1 ? ptrt_subi_##E(0, x) : (T)(x / y));                    \
    }                                                                                              \
    static inline T ptrt_remsi_##E(T x, T y) {                                                     \
        return (T)(y == 0 ? x : y == -1 ? (T)0 : (T)(x % y));                                      \
    }                                                                                              \
    static inline T ptrt_ceildivsi_##E(T x, T y) {                                                 \
        T q = ptrt_divsi_##E(x, y);                                                                \
        return (T)(y != 0 && ptrt_remsi_##E(x, y) != 0 && (x < 0) == (y < 0) ? (T)(q + 1) : q);    \
    }                                                                                              \
    static inline T ptrt_floordivsi_##E(T x, T y) {                                                \
        T q = ptrt_divsi_##E(x, y);                                                                \
        return (T)(y != 0 && ptrt_remsi_##E(x, y) != 0 && (x < 0) != (y < 0) ? (T)(q - 1) : q);    \
    }                                                                                              \
    static inline T ptrt_divui_##E(T x, T y) {                                                     \
        return (T)(y == 0 ? (T)0 : (T)(U)((U)x / (U)y));                                           \
    }                                                                                              \
    static inline T ptrt_remui_##E(T x, T y) {                                                     \
        return (T)(y == 0 ? x : (T)(U)((U)x % (U)y));                                              \
    }                                                                                              \
    static inline T ptrt_ceildivui_##E(T x, T y) {                                                 \
        T q = ptrt_divui_##E(x, y);                                                                \
        return (T)(y != 0 && ptrt_remui_##E(x, y) != 0 ? ptrt_addi_##E(q, 1) : q);                 \
    }                                                                                              \
    static inline T ptrt_maxsi_##E(T x, T y) {                                                     \
        return (T)(x > y ? x : y);                                                                 \
    }                                                                                              \
    static inline T ptrt_minsi_##E(T x, T y) {                                                     \
        return (T)(x < y ? x : y);                                                                 \
    }                                                                                              \
    static inline T ptrt_maxui_##E(T x, T y) {                                                     \
        return (T)((U)x > (U)y ? x : y);                                                           \
    }                                                                                              \
    static inline T ptrt_minui_##E(T x, T y) {                                                     \
        return (T)((U)x < (U)y ? x : y);                                                           \
    }                                                                                              \
    /* arith.addui_extended: returns the sum, stores the carry. */                                 \
    static inline T ptrt_addui_extended_##E(T x, T y, bool *carry) {                               \
        T s = ptrt_addi_##E(x, y);                                                                 \
        *carry = (U)s < (U)x;                                                                      \
        return s;                                                                                  \
    }
/* arith.cmpi by predicate number (enum ptrt_cmpi). */
#define PTRT_DEF_CMPI(E, T, U)                                                                     \
    static inline bool ptrt_cmpi_##E(int pred, T x, T y) {                                         \
        switch (pred) {                                                                            \
        case 0:                                                                                    \
            return x == y;                                                                         \
        case 1:                                                                                    \
            return x != y;                                                                         \
        case 2:                                                                                    \
            return x < y;                                                                          \
        case 3:                                                                                    \
            return x <= y;                                                                         \
        case 4:                                                                                    \
            return x > y;                                                                          \
        case 5:                                                                                    \
            return x >= y;                                                                         \
        case 6:                                                                                    \
            return (U)x < (U)y;                                                                    \
        case 7:                                                                                    \
            return (U)x <= (U)y;                                                                   \
        case 8:                                                                                    \
            return (U)x > (U)y;                                                                    \
        default:                                                                                   \
            return (U)x >= (U)y;                                                                   \
        }                                                                                          \
    }
PTRT_DEF_INT(i8, int8_t, uint8_t, 8)
PTRT_DEF_CMPI(i8, int8_t, uint8_t)
PTRT_DEF_INT(i16, int16_t, uint16_t, 16)
PTRT_DEF_CMPI(i16, int16_t, uint16_t)
PTRT_DEF_INT(i32, int32_t, uint32_t, 32)
PTRT_DEF_CMPI(i32, int32_t, uint32_t)
PTRT_DEF_INT(i64, int64_t, uint64_t, 64)
PTRT_DEF_CMPI(i64, int64_t, uint64_t)
#undef PTRT_DEF_INT
#undef PTRT_DEF_CMPI

/* arith.mulsi_extended, mului_extended: return the low half and store the high half. */
#define PTRT_DEF_MULX(E, T, U, N)                                                                  \
    static inline T ptrt_mulsi_extended_##E(T x, T y, T *high) {                                   \
        int64_t p = (int64_t)x * y;                                                                \
        *high = (T)(p >> N);                                                                       \
        return (T)(U)(uint64_t)p;                                                                  \
    }                                                                                              \
    static inline T ptrt_mului_extended_##E(T x, T y, T *high) {                                   \
        uint64_t p = (uint64_t)(U)x * (U)y;                                                        \
        *high = (T)(U)(p >> N);                                                                    \
        return (T)(U)p;                                                                            \
    }
PTRT_DEF_MULX(i8, int8_t, uint8_t, 8)
PTRT_DEF_MULX(i16, int16_t, uint16_t, 16)
PTRT_DEF_MULX(i32, int32_t, uint32_t, 32)
#undef PTRT_DEF_MULX

static inline int64_t ptrt_mului_extended_i64(int64_t x, int64_t y, int64_t *high) {
    uint64_t a = (uint64_t)x, b = (uint64_t)y;
    uint64_t al = a & 0xFFFFFFFFu, ah = a >> 32, bl = b & 0xFFFFFFFFu, bh = b >> 32;
    uint64_t mid = ah * bl + ((al * bl) >> 32);
    uint64_t mid2 = al * bh + (mid & 0xFFFFFFFFu);
    *high = (int64_t)(ah * bh + (mid >> 32) + (mid2 >> 32));
    return (int64_t)(a * b);
}

static inline int64_t ptrt_mulsi_extended_i64(int64_t x, int64_t y, int64_t *high) {
    int64_t hi;
    int64_t lo = ptrt_mului_extended_i64(x, y, &hi);
    *high = (int64_t)((uint64_t)hi - (x < 0 ? (uint64_t)y : 0) - (y < 0 ? (uint64_t)x : 0));
    return lo;
}

enum ptrt_cmpi {
    PTRT_EQ,
    PTRT_NE,
    PTRT_SLT,
    PTRT_SLE,
    PTRT_SGT,
    PTRT_SGE,
    PTRT_ULT,
    PTRT_ULE,
    PTRT_UGT,
    PTRT_UGE
};

/* ---- Floats ---- */

enum ptrt_cmpf {
    PTRT_CMPF_FALSE,
    PTRT_CMPF_OEQ,
    PTRT_CMPF_OGT,
    PTRT_CMPF_OGE,
    PTRT_CMPF_OLT,
    PTRT_CMPF_OLE,
    PTRT_CMPF_ONE,
    PTRT_CMPF_ORD,
    PTRT_CMPF_UEQ,
    PTRT_CMPF_UGT,
    PTRT_CMPF_UGE,
    PTRT_CMPF_ULT,
    PTRT_CMPF_ULE,
    PTRT_CMPF_UNE,
    PTRT_CMPF_UNO,
    PTRT_CMPF_TRUE
};

/* Rounding mode of truncf. */
enum ptrt_rounding {
    PTRT_NEAREST_EVEN = 0,
    PTRT_DOWNWARD = 1,
    PTRT_UPWARD = 2,
    PTRT_TOWARD_ZERO = 3,
    PTRT_NEAREST_AWAY = 4
};

/* maximumf and minimumf: a NaN operand gives NaN, and -0 < +0. maxnumf and minnumf: one NaN gives
 * the other operand. remf: C fmod. sitofp and uitofp take the value extended to 64 bits and round
 * once. fptosi and fptoui truncate, saturate, and give 0 for NaN; the unsigned result is returned
 * as the bits of the signed type. */
#define PTRT_DECLARE(E, T)                                                                         \
    PTRT_API T ptrt_addf_##E(T x, T y);                                                            \
    PTRT_API T ptrt_subf_##E(T x, T y);                                                            \
    PTRT_API T ptrt_mulf_##E(T x, T y);                                                            \
    PTRT_API T ptrt_divf_##E(T x, T y);                                                            \
    PTRT_API T ptrt_remf_##E(T x, T y);                                                            \
    PTRT_API T ptrt_maximumf_##E(T x, T y);                                                        \
    PTRT_API T ptrt_minimumf_##E(T x, T y);                                                        \
    PTRT_API T ptrt_maxnumf_##E(T x, T y);                                                         \
    PTRT_API T ptrt_minnumf_##E(T x, T y);                                                         \
    PTRT_API T ptrt_negf_##E(T x);                                                                 \
    PTRT_API bool ptrt_cmpf_##E(int pred, T x, T y);                                               \
    PTRT_API T ptrt_sitofp_##E(int64_t x);                                                         \
    PTRT_API T ptrt_uitofp_##E(uint64_t x);                                                        \
    PTRT_API int8_t ptrt_fptosi_##E##_i8(T x);                                                     \
    PTRT_API int16_t ptrt_fptosi_##E##_i16(T x);                                                   \
    PTRT_API int32_t ptrt_fptosi_##E##_i32(T x);                                                   \
    PTRT_API int64_t ptrt_fptosi_##E##_i64(T x);                                                   \
    PTRT_API int8_t ptrt_fptoui_##E##_i8(T x);                                                     \
    PTRT_API int16_t ptrt_fptoui_##E##_i16(T x);                                                   \
    PTRT_API int32_t ptrt_fptoui_##E##_i32(T x);                                                   \
    PTRT_API int64_t ptrt_fptoui_##E##_i64(T x);
PTRT_FOR_FLOAT(PTRT_DECLARE)
#undef PTRT_DECLARE

/* ptrt_extf_<from>_<to>(x), ptrt_truncf_<from>_<to>(x, rounding): a NaN stays a NaN and becomes
 * quiet; finite values out of range become infinity, or the largest finite value in modes that
 * round towards it. */
PTRT_API float ptrt_extf_f16_f32(ptrt_f16 x);
PTRT_API double ptrt_extf_f16_f64(ptrt_f16 x);
PTRT_API float ptrt_extf_bf16_f32(ptrt_bf16 x);
PTRT_API double ptrt_extf_bf16_f64(ptrt_bf16 x);
PTRT_API double ptrt_extf_f32_f64(float x);
PTRT_API ptrt_f16 ptrt_truncf_f32_f16(float x, int rounding);
PTRT_API ptrt_bf16 ptrt_truncf_f32_bf16(float x, int rounding);
PTRT_API ptrt_f16 ptrt_truncf_f64_f16(double x, int rounding);
PTRT_API ptrt_bf16 ptrt_truncf_f64_bf16(double x, int rounding);
PTRT_API float ptrt_truncf_f64_f32(double x, int rounding);

/* arith.bitcast between f32/i32 and f64/i64, and float constants from their bits. f16 and bf16 need
 * none: their type is the bits. */
static inline float ptrt_f32_of_bits(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static inline uint32_t ptrt_bits_of_f32(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}
static inline double ptrt_f64_of_bits(uint64_t bits) {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}
static inline uint64_t ptrt_bits_of_f64(double d) {
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

#ifdef __cplusplus
}
#endif

#endif
