/* cmp.c - comparisons into masks of bits, and selections by them. */
#include "ptort.h"

#include "kern/kern.h"
#include "kern/mask.h"

/* ---- comparisons ---- */

/* Bits of a lane of c_E. */
enum { B_u8 = 8, B_i8 = 8, B_u16 = 16, B_i16 = 16 };
enum { B_u32 = 32, B_i32 = 32, B_f32 = 32, B_f16 = 32, B_bf16 = 32 };

PTRT_INLINE uint64_t bits_of(int width, const void *m) {
    v_u8 v;
    memcpy(&v, m, sizeof v);
    return width == 8 ? bits_8(v) : width == 16 ? bits_16((v_u16)v) : bits_32((v_u32)v);
}

/* Greater is less with the operands exchanged. */
enum test { EQUAL, UNEQUAL, LESS, LESS_OR_EQUAL };
#define HOLDS(t, x, y)                                                                             \
    ((t) == EQUAL ? (x) == (y) : (t) == UNEQUAL ? (x) != (y) : (t) == LESS ? (x) < (y) : (x) <= (y))

/* An operand of a row. A scalar is a group of equal elements, read again and again. */
typedef struct operand {
    const unsigned char *p;
    ptrdiff_t ld; /* bytes */
    size_t moves; /* all ones, or 0: what of an offset in a row counts */
} operand;

/* clang-format off */

/* A row is cut into groups of G elements: one vector, or as many as fill a byte. The last group
 * overlaps the one before it, and the bits that are known already are shifted out. */
#define COMPARE(E)                                                                                   \
    enum { G_##E = N_##E < 8 ? 8 : N_##E };                                                        \
    PTRT_INLINE uint64_t group_##E(operand a, operand b, size_t at, enum test t, size_t few) {     \
        uint64_t k = 0;                                                                            \
        for (size_t v = 0; v < G_##E && v < few; v += N_##E) {                                     \
            const unsigned char *p = a.p + ((at + v) * S_##E & a.moves);                           \
            const unsigned char *q = b.p + ((at + v) * S_##E & b.moves);                           \
            const size_t n = few - v;                                                              \
            const c_##E x = n < N_##E ? ldn_##E(p, n) : ld_##E(p);                                 \
            const c_##E y = n < N_##E ? ldn_##E(q, n) : ld_##E(q);                                 \
            const __typeof__(x < y) m = HOLDS(t, x, y);                                            \
            k |= bits_of(B_##E, &m) << v;                                                          \
        }                                                                                          \
        return k;                                                                                  \
    }                                                                                              \
    PTRT_INLINE void cmp_rows_##E(unsigned char *d, ptrdiff_t ldd, operand a, operand b,           \
                                  enum test t, size_t rows, size_t cols) {                         \
        for (; rows > 0; rows--, d += ldd, a.p += a.ld, b.p += b.ld) {                             \
            size_t c = 0;                                                                          \
            for (; c + G_##E <= cols; c += G_##E) {                                                \
                const uint64_t k = group_##E(a, b, c, t, G_##E);                                   \
                memcpy(d + c / 8, &k, G_##E / 8);                                                  \
            }                                                                                      \
            const size_t left = cols - c;                                                          \
            if (left == 0) continue;                                                               \
            uint64_t k = c > 0 ? group_##E(a, b, cols - G_##E, t, G_##E) >> (G_##E - left)         \
                               : group_##E(a, b, 0, t, left);                                      \
            k &= (UINT64_C(1) << left) - 1;                                                        \
            copy_few(d + c / 8, &k, (left + 7) / 8, 16);                                           \
        }                                                                                          \
    }                                                                                              \
    static void cmp_any_##E(unsigned char *d, ptrdiff_t ldd, operand a, operand b, size_t rows,    \
                            size_t cols, int mode) {                                               \
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
    static void cmp_test_##E(void *d, const void *a, const void *b, size_t rows, size_t cols,      \
                             ptrdiff_t ldd, ptrdiff_t lda, ptrdiff_t ldb, int mode) {              \
        const operand x = {a, lda * S_##E, SIZE_MAX}, y = {b, ldb * S_##E, SIZE_MAX};              \
        cmp_any_##E(d, ldd, x, y, rows, cols, mode);                                               \
    }                                                                                              \
    static void cmps_test_##E(void *d, const void *a, const void *k, size_t rows, size_t cols,     \
                              ptrdiff_t ldd, ptrdiff_t lda, ptrdiff_t ldk, int mode) {             \
        unsigned char same[N_##E * S_##E];                                                         \
        const operand x = {a, lda * S_##E, SIZE_MAX}, y = {same, 0, 0};                            \
        (void)ldk;                                                                                 \
        for (size_t i = 0; i < N_##E; i++)                                                         \
            memcpy(same + i * S_##E, k, S_##E);                                                    \
        cmp_any_##E(d, ldd, x, y, rows, cols, mode);                                               \
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

/* d = bit of m ? a : b, where B is the vector of b at column c. As in map.h, the last vector
 * of a row overlaps the one before it and is computed before anything is stored. */
#define SELECT_ROWS(E, BITS, B, B_FEW)                                                             \
    for (; rows > 0; rows--, d += ldd, m += ldm, a += lda, b += ldb) {                             \
        if (cols < N_##E) {                                                                        \
            uint64_t k = 0;                                                                        \
            copy_few(&k, m, (cols + 7) / 8, 16);                                                   \
            stn_##E(d, pick_##BITS(k, ldn_##E(a, cols), B_FEW), cols);                             \
            continue;                                                                              \
        }                                                                                          \
        size_t c = cols - N_##E;                                                                   \
        const c_##E last =                                                                         \
            pick_##BITS(take_bits(m, c, N_##E), ld_##E(a + c * S_##E), B);                         \
        for (c = 0; c + N_##E < cols; c += N_##E)                                                  \
            st_##E(d + c * S_##E,                                                                  \
                   pick_##BITS(take_bits(m, c, N_##E), ld_##E(a + c * S_##E), B));                 \
        st_##E(d + (cols - N_##E) * S_##E, last);                                                  \
    }
#define SEL(E, BITS)                                                                               \
    static void sel_bits_##E(void *dp, const void *mp, const void *ap, const void *bp,             \
                             size_t rows, size_t cols, ptrdiff_t ldd, ptrdiff_t ldm,               \
                             ptrdiff_t lda, ptrdiff_t ldb) {                                       \
        unsigned char *d = dp;                                                                     \
        const unsigned char *m = mp, *a = ap, *b = bp;                                             \
        ldd *= S_##E, lda *= S_##E, ldb *= S_##E;                                                  \
        SELECT_ROWS(E, BITS, ld_##E(b + c * S_##E), ldn_##E(b, cols))                              \
    }                                                                                              \
    static void sels_bits_##E(void *dp, const void *mp, const void *ap, const void *kp,            \
                              size_t rows, size_t cols, ptrdiff_t ldd, ptrdiff_t ldm,              \
                              ptrdiff_t lda, ptrdiff_t ldk) {                                      \
        unsigned char *d = dp;                                                                     \
        const unsigned char *m = mp, *a = ap, *b = kp;                                             \
        const c_##E y = splat_##E(kp);                                                             \
        const ptrdiff_t ldb = 0;                                                                   \
        (void)ldk;                                                                                 \
        ldd *= S_##E, lda *= S_##E;                                                                \
        SELECT_ROWS(E, BITS, y, y)                                                                 \
    }
SEL(u8, 8)
SEL(u16, 16)
SEL(u32, 32)
SEL(u64, 64)

#define PTRT_SHAPE_cmp cmp
#define PTRT_SHAPE_cmps cmps
#define PTRT_SHAPE_partarg cmp
#define PTRT_SHAPE_sel sel
#define PTRT_SHAPE_sels sels
#define CMP(id, name, when, driver, args, elems, types, body)                                 \
    PTRT_TYPES_##types(PTRT_ROW, id, PTRT_SHAPE_##driver, body)
static const ptrt_body_row rows[] = {
#include "ptort_kernels.def"
};
/* clang-format on */
PTRT_BODIES(cmp)
