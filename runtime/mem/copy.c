/* SPDX-License-Identifier: Apache-2.0 */
/* copy.c - copies elements between two layouts: splits the region into blocks in which both sides
 * have constant strides. A block is copied in runs where both sides have stride 1 in the same
 * direction, transposed where they have it in different ones, and copied one by one otherwise. */
#include "mem/copy.h"

#define UNALIGNED __attribute__((may_alias, aligned(1)))
typedef uint16_t UNALIGNED unaligned_u16;
typedef uint32_t UNALIGNED unaligned_u32;
typedef uint64_t UNALIGNED unaligned_u64;

/* A block of n x k elements; strides dn, dk, sn, sk count elements. */
typedef struct block {
    unsigned char *d;
    const unsigned char *s;
    int64_t n, k;
    int64_t dn, dk, sn, sk;
} block;

/* Hides how a distance was computed: an address would else be the sum of several, one after the
 * other. */
#define APART(x) __asm__("" : "+r"(x))

/* Copies k elements; strides count bytes. Strides of a view may have any value, so addresses wrap.
 * Several elements are loaded before any of them is stored. Where the destination is contiguous,
 * they are stored together, the first one in the low bits. */
#define DEFINE_LINE(NAME, T)                                                                       \
    static inline void NAME(uintptr_t d, uintptr_t s, int64_t k, uintptr_t dk, uintptr_t sk) {     \
        enum { BITS = 8 * sizeof(T), TOGETHER = 64 / BITS, FOUR = 4 };                             \
        uintptr_t several = TOGETHER * sk, d4 = FOUR * dk, s4 = FOUR * sk;                         \
        APART(several);                                                                            \
        APART(d4);                                                                                 \
        APART(s4);                                                                                 \
        for (; dk == sizeof(T) && TOGETHER > 1 && k >= TOGETHER; k -= TOGETHER, s += several) {    \
            uint64_t word = 0;                                                                     \
            _Pragma("GCC unroll 8") for (unsigned i = 0; i < TOGETHER; i++) word |=                \
                (uint64_t) * (const T *)(s + i * sk) << (i * BITS);                                \
            *(unaligned_u64 *)d = word;                                                            \
            d += sizeof word;                                                                      \
        }                                                                                          \
        for (; k >= FOUR; k -= FOUR, d += d4, s += s4) {                                           \
            const T e0 = *(const T *)s, e1 = *(const T *)(s + sk);                                 \
            const T e2 = *(const T *)(s + 2 * sk), e3 = *(const T *)(s + 3 * sk);                  \
            *(T *)d = e0, *(T *)(d + dk) = e1;                                                     \
            *(T *)(d + 2 * dk) = e2, *(T *)(d + 3 * dk) = e3;                                      \
        }                                                                                          \
        for (; k > 0; k--, d += dk, s += sk)                                                       \
            *(T *)d = *(const T *)s;                                                               \
    }
#define DEFINE_STRIDED(NAME, T)                                                                    \
    DEFINE_LINE(line_of_##NAME, T)                                                                 \
    static void NAME(const block *b) {                                                             \
        const uintptr_t dn = (uintptr_t)b->dn * sizeof(T), dk = (uintptr_t)b->dk * sizeof(T);      \
        const uintptr_t sn = (uintptr_t)b->sn * sizeof(T), sk = (uintptr_t)b->sk * sizeof(T);      \
        uintptr_t d = (uintptr_t)b->d, s = (uintptr_t)b->s;                                        \
        for (int64_t i = 0; i < b->n; i++, d += dn, s += sn)                                       \
            line_of_##NAME(d, s, b->k, dk, sk);                                                    \
    }
DEFINE_STRIDED(strided_1, unsigned char)
DEFINE_STRIDED(strided_2, unaligned_u16)
DEFINE_STRIDED(strided_4, unaligned_u32)
DEFINE_STRIDED(strided_8, unaligned_u64)

static void copy_strided(const block *b, unsigned log) {
    static void (*const fn[])(const block *) = {strided_1, strided_2, strided_4, strided_8};
    const block across = {b->d, b->s, b->k, b->n, b->dk, b->dn, b->sk, b->sn};
    fn[log](b->dn == 1 || b->k == 1 ? &across : b);
}

/* Returns the stride between lines, or 0 for a single line, whose stride may have any value. */
static ptrdiff_t step_of(int64_t lines, int64_t step) {
    return lines > 1 ? (ptrdiff_t)step : 0;
}

static void copy_block(const ptrt_movers *m, const block *b, unsigned log) {
    size_t n = (size_t)b->n, k = (size_t)b->k;
    ptrdiff_t dn = step_of(b->n, b->dn), sn = step_of(b->n, b->sn);
    ptrdiff_t dk = step_of(b->k, b->dk), sk = step_of(b->k, b->sk);
    if (b->dk == 1 && b->sk == 1)
        m->copy[log](b->d, b->s, n, k, dn, sn);
    else if (b->dn == 1 && b->sn == 1)
        m->copy[log](b->d, b->s, k, n, dk, sk);
    else if (b->dk == 1 && b->sn == 1)
        m->transpose[log](b->d, b->s, n, k, dn, sk);
    else if (b->dn == 1 && b->sk == 1)
        m->transpose[log](b->d, b->s, k, n, dk, sn);
    else
        copy_strided(b, log);
}

static int64_t least(int64_t a, int64_t b, int64_t c) {
    int64_t m = a < b ? a : b;
    return m < c ? m : c;
}

void ptrt_copy(const ptrt_movers *m, const ptrt_grid *to, ptrt_corner t, const ptrt_grid *from,
               ptrt_corner f, int64_t rows, int64_t cols, unsigned log) {
    block b = {
        .dn = to->row.inner, .dk = to->col.inner, .sn = from->row.inner, .sk = from->col.inner};
    for (int64_t r = 0; r < rows; r += b.n) {
        int64_t to_row = ptrt_axis_offset(&to->row, t.r + r);
        int64_t from_row = ptrt_axis_offset(&from->row, f.r + r);
        b.n = least(rows - r, ptrt_axis_run(&to->row, t.r + r), ptrt_axis_run(&from->row, f.r + r));
        for (int64_t c = 0; c < cols; c += b.k) {
            uint64_t d = (uint64_t)to_row + (uint64_t)ptrt_axis_offset(&to->col, t.c + c);
            uint64_t s = (uint64_t)from_row + (uint64_t)ptrt_axis_offset(&from->col, f.c + c);
            b.k = least(cols - c, ptrt_axis_run(&to->col, t.c + c),
                        ptrt_axis_run(&from->col, f.c + c));
            /* Strides of a view may have any value, so addresses wrap. */
            b.d = (unsigned char *)((uintptr_t)to->p + ((uintptr_t)d << log));
            b.s = (const unsigned char *)((uintptr_t)from->p + ((uintptr_t)s << log));
            copy_block(m, &b, log);
        }
    }
}
