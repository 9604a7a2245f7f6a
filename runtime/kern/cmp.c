/* SPDX-License-Identifier: Apache-2.0 */
/* cmp.c - bodies that compare elements into bit masks, and that select elements by such masks. */
#include "ptort_emitted.h"

#include "kern/kern.h"
#include "kern/mask.h"

#include <stdbool.h>

/* ---- comparisons ---- */

/* Bits of a lane of the comparison vectors. */
enum { B_u8 = 8, B_i8 = 8, B_u16 = 16, B_i16 = 16 };
enum { B_u32 = 32, B_i32 = 32, B_f32 = 32, B_f16 = 32, B_bf16 = 32 };

PTRT_INLINE uint64_t bits_of(int width, v_u8 v) {
    return width == 8 ? bits_8(v) : width == 16 ? bits_16((v_u16)v) : bits_32((v_u32)v);
}

/* Concatenates the bits of n masks. */
PTRT_INLINE uint64_t bits_of_all(int width, const v_u8 *m, int n) {
    uint64_t k = 0;
#if VB == 32
    if (n == 2 && width == 16) return bits_of_two((v_u16)m[0], (v_u16)m[1]);
    if (n == 4 && width == 32)
        return bits_of_four((v_u32)m[0], (v_u32)m[1], (v_u32)m[2], (v_u32)m[3]);
#endif
    for (int i = 0; i < n; i++)
        k |= bits_of(width, m[i]) << (i * 8 * VB / width);
    return k;
}

/* Greater is less with the operands exchanged. */
enum test { EQUAL, UNEQUAL, LESS, LESS_OR_EQUAL };
#define HOLDS(t, x, y)                                                                             \
    ((t) == EQUAL ? (x) == (y) : (t) == UNEQUAL ? (x) != (y) : (t) == LESS ? (x) < (y) : (x) <= (y))

/* A row of an operand. A scalar is a group of equal elements that is read for every group of the
 * row. */
typedef struct operand {
    const unsigned char *p;
    ptrdiff_t ld; /* bytes */
    size_t moves; /* 1, or 0 for a scalar: factor of the advance per group */
} operand;

/* clang-format off */

/* A row is processed in groups of G elements: one vector, or as many as fill the register from
 * which the mask bits are taken. The last group overlaps the one before it; the bits already
 * written are shifted out. */
#if VB == 32
#define GROUP(E) 32
#else
#define GROUP(E) (N_##E < 8 ? 8 : N_##E)
#endif
#define COMPARE_GROUP(E)                                                                           \
    enum { G_##E = GROUP(E) };                                                                     \
    PTRT_INLINE v_u8 holds_##E(c_##E x, c_##E y, enum test t) {                                    \
        return (v_u8)(HOLDS(t, x, y));                                                             \
    }                                                                                              \
    PTRT_INLINE uint64_t group_##E(const unsigned char *p, const unsigned char *q, enum test t) {  \
        v_u8 m[G_##E / N_##E];                                                                     \
        _Pragma("GCC unroll 8") for (int v = 0; v < G_##E / N_##E; v++) {                          \
            const int o = v * N_##E * S_##E;                                                       \
            m[v] = holds_##E(ld_##E(p + o), ld_##E(q + o), t);                                     \
        }                                                                                          \
        return bits_of_all(B_##E, m, G_##E / N_##E);                                               \
    }                                                                                              \
    /* Compares a row with fewer than G elements. */                                               \
    PTRT_INLINE uint64_t short_##E(operand a, operand b, enum test t, size_t few) {                \
        uint64_t k = 0;                                                                            \
        for (size_t v = 0; v < G_##E && v < few; v += N_##E) {                                     \
            const unsigned char *p = a.p + v * S_##E, *q = b.p + v * S_##E;                        \
            const size_t n = few - v;                                                              \
            const c_##E x = n < N_##E ? ldn_##E(p, n) : ld_##E(p);                                 \
            const c_##E y = n < N_##E ? ldn_##E(q, n) : ld_##E(q);                                 \
            k |= bits_of(B_##E, holds_##E(x, y, t)) << v;                                          \
        }                                                                                          \
        return k;                                                                                  \
    }
#define COMPARE(E)                                                                                 \
    COMPARE_GROUP(E)                                                                               \
    PTRT_INLINE void cmp_rows_##E(unsigned char *d, ptrdiff_t ldd, operand a, operand b,           \
                                  enum test t, size_t rows, size_t cols) {                         \
        const size_t i = a.moves * G_##E * S_##E, j = b.moves * G_##E * S_##E;                     \
        for (; rows > 0; rows--, d += ldd, a.p += a.ld, b.p += b.ld) {                             \
            const unsigned char *p = a.p, *q = b.p;                                                \
            size_t c = 0;                                                                          \
            for (; c + G_##E <= cols; c += G_##E, p += i, q += j) {                                \
                const uint64_t k = group_##E(p, q, t);                                             \
                memcpy(d + c / 8, &k, G_##E / 8);                                                  \
            }                                                                                      \
            const size_t left = cols - c, o = (cols - G_##E) * S_##E;                              \
            if (left == 0) continue;                                                               \
            uint64_t k = c > 0 ? group_##E(a.p + o * a.moves, b.p + o * b.moves, t) >> (G_##E - left) \
                               : short_##E(a, b, t, left);                                         \
            k &= (UINT64_C(1) << left) - 1;                                                        \
            copy_few(d + c / 8, &k, (left + 7) / 8, 16);                                           \
        }                                                                                          \
    }                                                                                              \
    PTRT_INLINE void cmp_any_##E(unsigned char *d, ptrdiff_t ldd, operand a, operand b,            \
                                 size_t rows, size_t cols, int mode) {                                            \
        const int greater = mode == PTRT_CMP_GT || mode == PTRT_CMP_GE;                                    \
        const operand x = greater ? b : a, y = greater ? a : b;                                    \
        if (mode == PTRT_CMP_EQ)                                                                       \
            cmp_rows_##E(d, ldd, x, y, EQUAL, rows, cols);                                         \
        else if (mode == PTRT_CMP_NE)                                                                  \
            cmp_rows_##E(d, ldd, x, y, UNEQUAL, rows, cols);                                       \
        else if (mode == PTRT_CMP_LT || mode == PTRT_CMP_GT)                                               \
            cmp_rows_##E(d, ldd, x, y, LESS, rows, cols);                                          \
        else                                                                                       \
            cmp_rows_##E(d, ldd, x, y, LESS_OR_EQUAL, rows, cols);                                 \
    }                                                                                              \
    static void cmp_test_##E(const ptrt_args *x) {                                                 \
        const operand a = {x->p[0], x->ld[0] * S_##E, 1}, b = {x->p[1], x->ld[1] * S_##E, 1};      \
        cmp_any_##E(x->p[2], x->ld[2], a, b, x->rows, x->cols, *(const int *)x->how);              \
    }                                                                                              \
    static void cmps_test_##E(const ptrt_args *x) {                                                \
        unsigned char same[G_##E * S_##E];                                                         \
        const operand a = {x->p[0], x->ld[0] * S_##E, 1}, b = {same, 0, 0};                        \
        for (size_t i = 0; i < G_##E; i++)                                                         \
            memcpy(same + i * S_##E, x->k, S_##E);                                                 \
        cmp_any_##E(x->p[1], x->ld[1], a, b, x->rows, x->cols, *(const int *)x->how);              \
    }
COMPARE(u8)
COMPARE(i8)
COMPARE(u16)
COMPARE(i16)
COMPARE(u32)
COMPARE(i32)
COMPARE(f16)
COMPARE(bf16)
COMPARE(f32)

/* ---- selections ---- */

/* Fast path for rows without gaps whose length is a multiple of 64: one run, except for the mask.
 * The 64 bits of a group are loaded once into a general register, because the loop is limited by
 * the number of loads and instructions. */
#if VB == 32
#define SELECT_HALF(E, word, B)                                                                    \
    {                                                                                              \
        const v_u32 bits = splat_of_u32(word);                                                     \
        _Pragma("GCC unroll 4") for (unsigned v = 0; v < 4; v++, c += N_##E)                       \
            st_##E(d + c * S_##E, pick_quarter(bits, v, ld_##E(a + c * S_##E), B));                \
    }
#define SELECT_RUN_32(E, B, SAME)                                                                  \
    if (cols % 64 == 0 && ldd == (ptrdiff_t)cols * S_##E && lda == ldd && (SAME)) {                \
        size_t c = 0;                                                                              \
        for (size_t end = cols; rows > 0; rows--, end += cols, m += ldm) {                         \
            for (const unsigned char *p = m; c != end; p += 8) {                                   \
                uint64_t k;                                                                        \
                memcpy(&k, p, sizeof k);                                                           \
                SELECT_HALF(E, (uint32_t)k, B)                                                     \
                SELECT_HALF(E, (uint32_t)(k >> 32), B)                                             \
            }                                                                                      \
        }                                                                                          \
        return;                                                                                    \
    }
#else
#define SELECT_RUN_32(E, B, SAME)
#endif
#define SELECT_RUN_8(E, B, SAME)
#define SELECT_RUN_16(E, B, SAME)
#define SELECT_RUN_64(E, B, SAME)

/* d = bit of m ? a : b, where B is the vector of b at column c. As in map.h, the last vector of a
 * row overlaps the one before it and is computed before anything is stored. */
#define SELECT_ROWS(E, BITS, B, B_FEW, SAME)                                                           \
    SELECT_RUN_##BITS(E, B, SAME)                                                                  \
    for (; rows > 0; rows--, d += ldd, m += ldm, a += lda, b += ldb) {                             \
        if (cols < N_##E) {                                                                        \
            uint64_t k = 0;                                                                        \
            copy_few(&k, m, (cols + 7) / 8, 16);                                                   \
            stn_##E(d, pick_##BITS(k, ldn_##E(a, cols), B_FEW), cols);                             \
            continue;                                                                              \
        }                                                                                          \
        size_t c = cols - N_##E;                                                                   \
        const bool over = cols % N_##E != 0;                                                       \
        c_##E last = {0};                                                                          \
        if (over) last = pick_##BITS(take_bits(m, c, N_##E), ld_##E(a + c * S_##E), B);            \
        for (c = 0; c + N_##E <= cols; c += N_##E)                                                 \
            st_##E(d + c * S_##E, pick_at_##BITS(m, c, ld_##E(a + c * S_##E), B));                 \
        if (over) st_##E(d + (cols - N_##E) * S_##E, last);                                        \
    }
#define SEL(E, BITS)                                                                               \
    static void sel_bits_##E(const ptrt_args *x) {                                                 \
        const unsigned char *m = x->p[0], *a = x->p[1], *b = x->p[2];                              \
        unsigned char *d = x->p[3];                                                                \
        const ptrdiff_t ldm = x->ld[0], lda = x->ld[1] * S_##E, ldb = x->ld[2] * S_##E, ldd = x->ld[3] * S_##E; \
        const size_t cols = x->cols;                                                               \
        size_t rows = x->rows;                                                                     \
        SELECT_ROWS(E, BITS, ld_##E(b + c * S_##E), ldn_##E(b, cols), ldb == ldd)                  \
    }                                                                                              \
    static void sels_bits_##E(const ptrt_args *x) {                                                \
        const unsigned char *m = x->p[0], *a = x->p[1], *b = x->k;                                 \
        unsigned char *d = x->p[2];                                                                \
        const c_##E y = splat_##E(b);                                                              \
        const ptrdiff_t ldm = x->ld[0], lda = x->ld[1] * S_##E, ldb = 0, ldd = x->ld[2] * S_##E;   \
        const size_t cols = x->cols;                                                               \
        size_t rows = x->rows;                                                                     \
        SELECT_ROWS(E, BITS, y, y, 1)                                                              \
    }
SEL(u8, 8)
SEL(u16, 16)
SEL(u32, 32)
SEL(u64, 64)
/* clang-format on */
#include "kern/family.h"
