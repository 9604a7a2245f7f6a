/* SPDX-License-Identifier: Apache-2.0 */
/* pack.h - packs the factors of matrix products: widens lines to f32 (i16 for integers) from any
 * element type and layout, and transposes 16 lines into a panel. Nothing else in a product depends
 * on the type. */
#ifndef PTORT_KERN_PACK_H
#define PTORT_KERN_PACK_H

#include "kern/hif8.h"
#include "kern/product.h"
#include "kern/vec.h"

/* ---- contiguous elements ---- */

/* Widens n elements at s to f32 at d. May overwrite up to a vector beyond them at d. */
typedef void (*ptrt_widen_fn)(void *d, const unsigned char *s, size_t n);

#define PTRT_WIDEN(E)                                                                              \
    PTRT_INLINE void widen_##E(void *dp, const unsigned char *s, size_t n) {                       \
        float *d = dp;                                                                             \
        size_t i = 0;                                                                              \
        for (; i + N_##E <= n; i += N_##E)                                                         \
            st_f32(d + i, ld_##E(s + i * S_##E));                                                  \
        if (i < n) st_f32(d + i, ldn_##E(s + i * S_##E, n - i));                                   \
    }
PTRT_WIDEN(f32)
PTRT_WIDEN(f16)
PTRT_WIDEN(bf16)

/* Widens 8-bit codes, a quarter of a register, to 16 bits. Compilers generate poor code for 4-byte
 * vectors. */
PTRT_INLINE h_u16 codes_u16(const uint8_t *s) {
#if VB == 64
    return (h_u16)_mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)s));
#elif VB == 32
    return (h_u16)_mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)(const void *)s));
#else
    h_u16 h;
    for (int i = 0; i < VB / 4; i++)
        h[i] = s[i];
    return h;
#endif
}

/* Shifts exponent and mantissa of a small float into an f16, and multiplies by a power of two to
 * correct the bias. Exact, also for subnormals. */
PTRT_INLINE v_f32 small_float(h_u16 code, int bits, int shift, float scale) {
    const uint16_t sign = (uint16_t)(1 << (bits - 1)), magnitude = (uint16_t)(sign - 1);
    const h_u16 h = (code & sign) << (16 - bits) | (code & magnitude) << shift;
    return f16_widen(h) * splat_of_f32(scale);
}

PTRT_INLINE v_f32 of_e5m2(h_u16 code) {
    return f16_widen(code << 8);
}
/* Exponent 15 is an ordinary one; 0x7F, which would be 480, is NaN. */
PTRT_INLINE v_f32 of_e4m3fn(h_u16 code) {
    const v_u32 v = AS(u32, small_float(code, 8, 7, 0x1p8f));
    return AS(f32, v | ((v_u32)((v & 0x7FFFFFFFu) == 0x43F00000u) & 0x7FC00000u));
}
PTRT_INLINE v_f32 of_e2m1(h_u16 code) {
    return small_float(code, 4, 9, 0x1p14f);
}
PTRT_INLINE v_f32 of_e1m2(h_u16 code) {
    return small_float(code, 4, 8, 0x1p14f);
}

#define PTRT_WIDEN_CODES(T)                                                                        \
    PTRT_INLINE void widen_##T(void *dp, const unsigned char *s, size_t n) {                       \
        float *d = dp;                                                                             \
        size_t i = 0;                                                                              \
        for (; i + N_f32 <= n; i += N_f32)                                                         \
            st_f32(d + i, of_##T(codes_u16(s + i)));                                               \
        if (i < n) {                                                                               \
            uint8_t last[N_f32] = {0};                                                             \
            copy_few(last, s + i, n - i, N_f32);                                                   \
            st_f32(d + i, of_##T(codes_u16(last)));                                                \
        }                                                                                          \
    }
PTRT_WIDEN_CODES(e5m2)
PTRT_WIDEN_CODES(e4m3fn)

PTRT_INLINE void widen_hif8(void *dp, const unsigned char *s, size_t n) {
    float *d = dp;
    for (size_t i = 0; i < n; i++) {
        const float v = ptrt_hif8_values[s[i] & 0x7F];
        d[i] = s[i] == 0x80 ? NAN : s[i] & 0x80 ? -v : v;
    }
}

/* Splits packed 4-bit pairs, low half first: 4 bytes become 8 codes. */
PTRT_INLINE void split_pairs(uint8_t *codes, const unsigned char *s, size_t n) {
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        uint32_t four;
        memcpy(&four, s + i, sizeof four);
        uint64_t x = four;
        x = (x | x << 16) & UINT64_C(0x0000FFFF0000FFFF);
        x = (x | x << 8) & UINT64_C(0x00FF00FF00FF00FF);
        x = (x | x << 4) & UINT64_C(0x0F0F0F0F0F0F0F0F);
        memcpy(codes + 2 * i, &x, sizeof x);
    }
    for (; i < n; i++) {
        codes[2 * i] = s[i] & 15;
        codes[2 * i + 1] = s[i] >> 4;
    }
}

#define PTRT_WIDEN_PAIRS(T)                                                                        \
    PTRT_INLINE void widen_##T(void *dp, const unsigned char *s, size_t n) {                       \
        enum { BYTES = 32 };                                                                       \
        float *d = dp;                                                                             \
        for (size_t i = 0; i < n; i += BYTES, d += 2 * BYTES) {                                    \
            uint8_t codes[2 * BYTES + N_f32] = {0};                                                \
            const size_t k = n - i < BYTES ? n - i : BYTES;                                        \
            split_pairs(codes, s + i, k);                                                          \
            for (size_t j = 0; j < 2 * k; j += N_f32)                                              \
                st_f32(d + j, of_##T(codes_u16(codes + j)));                                       \
        }                                                                                          \
    }
PTRT_WIDEN_PAIRS(e2m1)
PTRT_WIDEN_PAIRS(e1m2)

#if VB == 64
#define PTRT_WIDEN_BYTES(SIGN)                                                                     \
    for (; i + 32 <= n; i += 32)                                                                   \
        st_i16(d + i, (v_i16)_mm512_cvtep##SIGN##8_epi16(                                          \
                          _mm256_loadu_si256((const __m256i *)(const void *)(s + i))));
#elif VB == 32
#define PTRT_WIDEN_BYTES(SIGN)                                                                     \
    for (; i + 16 <= n; i += 16)                                                                   \
        st_i16(d + i, (v_i16)_mm256_cvtep##SIGN##8_epi16(                                          \
                          _mm_loadu_si128((const __m128i *)(const void *)(s + i))));
#else
#define PTRT_WIDEN_BYTES(SIGN)
#endif
#define PTRT_WIDEN_INT(T, SIGN, C)                                                                 \
    PTRT_INLINE void widen_##T(void *dp, const unsigned char *s, size_t n) {                       \
        int16_t *d = dp;                                                                           \
        size_t i = 0;                                                                              \
        PTRT_WIDEN_BYTES(SIGN)                                                                     \
        for (; i < n; i++)                                                                         \
            d[i] = (C)s[i];                                                                        \
    }
PTRT_WIDEN_INT(i8, i, int8_t)
PTRT_WIDEN_INT(u8, u, uint8_t)

/* ---- lines ---- */

/* How to pack a type. */
typedef struct ptrt_pack {
    /* Packs n lines of k elements; `ld` and `line` are distances in bytes. */
    void (*block)(unsigned char *d, size_t ld, const unsigned char *s, ptrdiff_t line,
                  const ptrt_axis *depth, size_t n, size_t k);
    unsigned size, wide;
} ptrt_pack;

/* Packs box by box in memory order: boxes are 32 bytes along k, and their lines are contiguous. */
#define PTRT_PACK(T, SIZE, WIDE)                                                                   \
    static void pack_block_##T(unsigned char *d, size_t ld, const unsigned char *s,                \
                               ptrdiff_t line, const ptrt_axis *depth, size_t n, size_t k) {       \
        enum { BOX = 32 / (SIZE) };                                                                \
        const size_t run = depth->outer == 0 ? k : (size_t)depth->box;                             \
        const ptrdiff_t step = (ptrdiff_t)depth->outer * (SIZE);                                   \
        for (; run == BOX && k >= BOX; k -= BOX, s += step, d += BOX * (WIDE))                     \
            for (size_t i = 0; i < n; i++)                                                         \
                widen_##T(d + i * ld, s + (ptrdiff_t)i * line, BOX);                               \
        while (k > 0) {                                                                            \
            const size_t some = k < run ? k : run;                                                 \
            for (size_t i = 0; i < n; i++)                                                         \
                widen_##T(d + i * ld, s + (ptrdiff_t)i * line, some);                              \
            k -= some;                                                                             \
            s += step;                                                                             \
            d += some * (WIDE);                                                                    \
        }                                                                                          \
    }                                                                                              \
    static const ptrt_pack pack_##T = {pack_block_##T, SIZE, WIDE};
PTRT_PACK(f32, 4, 4)
PTRT_PACK(f16, 2, 4)
PTRT_PACK(bf16, 2, 4)
PTRT_PACK(e4m3fn, 1, 4)
PTRT_PACK(e5m2, 1, 4)
PTRT_PACK(hif8, 1, 4)
PTRT_PACK(e2m1, 1, 8)
PTRT_PACK(e1m2, 1, 8)
PTRT_PACK(i8, 1, 2)
PTRT_PACK(u8, 1, 2)

/* Packs lines first .. first + n - 1 to d, `ld` words apart. The words beyond the last number, up
 * to a multiple of 16, become zero. */
static void pack_lines(const ptrt_pack *t, const ptrt_factor *f, size_t first, size_t n, size_t k,
                       float *d, size_t ld) {
    const size_t used = k * t->wide, all = (used + 63) / 64 * 64;
    const ptrdiff_t size = (ptrdiff_t)t->size;
    while (n > 0) {
        const int64_t run = ptrt_axis_run(&f->line, (int64_t)first);
        const size_t some = (int64_t)n < run ? n : (size_t)run;
        t->block((unsigned char *)d, ld * sizeof(float),
                 f->p + ptrt_axis_offset(&f->line, (int64_t)first) * size, f->line.inner * size,
                 &f->depth, some, k);
        for (size_t i = 0; used < all && i < some; i++)
            memset((unsigned char *)(d + i * ld) + used, 0, all - used);
        d += some * ld;
        first += some;
        n -= some;
    }
}

/* ---- panels ---- */

/* Transposes 16 lines, `ld` words apart, of a multiple of 4 words: d[p][j] = lines[j][p]. Works on
 * blocks of 4 x 4 words, two at once in wider registers. */
#define PTRT_SHUFFLE(T, a, b, ...) (T) __builtin_shufflevector(a, b, __VA_ARGS__)
typedef uint32_t p_u32 __attribute__((vector_size(16)));
#if VB >= 32
typedef uint32_t t_u32 __attribute__((vector_size(32)));
enum { TRANSPOSED = 8 };
PTRT_INLINE t_u32 transpose_load(const uint32_t *s, ptrdiff_t ld) {
    p_u32 low, high;
    memcpy(&low, s, sizeof low);
    memcpy(&high, s + 4 * ld, sizeof high);
    return PTRT_SHUFFLE(t_u32, low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
#define PTRT_LOW(a, b) PTRT_SHUFFLE(t_u32, a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define PTRT_HIGH(a, b) PTRT_SHUFFLE(t_u32, a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define PTRT_LOW2(a, b) PTRT_SHUFFLE(t_u32, a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define PTRT_HIGH2(a, b) PTRT_SHUFFLE(t_u32, a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#else
typedef p_u32 t_u32;
enum { TRANSPOSED = 4 };
PTRT_INLINE t_u32 transpose_load(const uint32_t *s, ptrdiff_t ld) {
    t_u32 v;
    (void)ld;
    memcpy(&v, s, sizeof v);
    return v;
}
#define PTRT_LOW(a, b) PTRT_SHUFFLE(t_u32, a, b, 0, 4, 1, 5)
#define PTRT_HIGH(a, b) PTRT_SHUFFLE(t_u32, a, b, 2, 6, 3, 7)
#define PTRT_LOW2(a, b) PTRT_SHUFFLE(t_u32, a, b, 0, 1, 4, 5)
#define PTRT_HIGH2(a, b) PTRT_SHUFFLE(t_u32, a, b, 2, 3, 6, 7)
#endif

/* Transposes four words of TRANSPOSED lines. Compilers would keep arrays in memory. */
PTRT_INLINE void transpose_block(uint32_t *d, const uint32_t *s, ptrdiff_t ld) {
    const t_u32 r0 = transpose_load(s, ld), r1 = transpose_load(s + ld, ld);
    const t_u32 r2 = transpose_load(s + 2 * ld, ld), r3 = transpose_load(s + 3 * ld, ld);
    const t_u32 a = PTRT_LOW(r0, r1), b = PTRT_LOW(r2, r3);
    const t_u32 c = PTRT_HIGH(r0, r1), e = PTRT_HIGH(r2, r3);
    const t_u32 o0 = PTRT_LOW2(a, b), o1 = PTRT_HIGH2(a, b);
    const t_u32 o2 = PTRT_LOW2(c, e), o3 = PTRT_HIGH2(c, e);
    memcpy(d, &o0, sizeof o0);
    memcpy(d + PTRT_PANEL, &o1, sizeof o1);
    memcpy(d + 2 * PTRT_PANEL, &o2, sizeof o2);
    memcpy(d + 3 * PTRT_PANEL, &o3, sizeof o3);
}

static void transpose_lines(float *dp, const float *lines, ptrdiff_t ld, size_t words) {
    uint32_t *d = (uint32_t *)dp;
    const uint32_t *s = (const uint32_t *)lines;
    for (size_t p = 0; p < words; p += 4)
        for (size_t j = 0; j < PTRT_PANEL; j += TRANSPOSED)
            transpose_block(d + p * PTRT_PANEL + j, s + (ptrdiff_t)j * ld + p, ld);
}

/* Makes the panel of lines j .. j + 15 directly from a factor of f32, if it consists of boxes that
 * are a multiple of four words along k. Returns false if it does not. */
static bool transpose_boxes(float *d, const ptrt_factor *f, size_t k, size_t j, size_t lines) {
    const size_t box = f->depth.outer == 0 ? k : (size_t)f->depth.box;
    if (lines < PTRT_PANEL || ptrt_axis_run(&f->line, (int64_t)j) < PTRT_PANEL || box % 4 != 0 ||
        k % 4 != 0)
        return false;
    const float *s = (const float *)(const void *)f->p + ptrt_axis_offset(&f->line, (int64_t)j);
    for (size_t p = 0; p < k; p += box, s += f->depth.outer, d += box * PTRT_PANEL)
        transpose_lines(d, s, (ptrdiff_t)f->line.inner, k - p < box ? k - p : box);
    return true;
}

#endif
