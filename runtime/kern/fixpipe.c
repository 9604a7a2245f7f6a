/* SPDX-License-Identifier: Apache-2.0 */
/* fixpipe.c - bodies that convert what leaves an accumulator: 32-bit elements copied or narrowed,
 * optionally scaled by a factor per column, and rectified. */
#include "ptort_emitted.h"

#include "kern/kern.h"
#include "kern/narrow.h"

/* ---- storing n results, which are the lanes of one vector of f32 or i32 ---- */

PTRT_INLINE void put_half(unsigned char *d, h_u16 h, size_t n) {
    if (n == N_f32)
        st_half(d, h);
    else
        copy_few(d, &h, n * 2, sizeof h);
}
PTRT_INLINE void put_codes(unsigned char *d, v_u32 codes, size_t n) {
    const v_i32 x = AS(i32, codes);
    const v_u8 q = pack4_low8(x, x, x, x);
    if (n == N_f32)
        st_q8(d, q);
    else
        copy_few(d, &q, n, N_f32);
}
#define PUT_WORDS(E)                                                                               \
    PTRT_INLINE void put_##E(unsigned char *d, v_##E v, size_t n) {                                \
        if (n == N_##E)                                                                            \
            st_##E(d, v);                                                                          \
        else                                                                                       \
            stn_##E(d, v, n);                                                                      \
    }
PUT_WORDS(f32)
PUT_WORDS(i32)
PUT_WORDS(u32)

PTRT_INLINE void put_f16(unsigned char *d, v_f32 v, size_t n) {
    put_half(d, f16_round(v), n);
}
PTRT_INLINE void put_bf16(unsigned char *d, v_f32 v, size_t n) {
    put_half(d, bf16_round(v), n);
}
PTRT_INLINE void put_i16(unsigned char *d, v_i32 v, size_t n) {
    const v_i16 q = pack2_i16(v, v);
    h_u16 h;
    memcpy(&h, &q, sizeof h);
    put_half(d, h, n);
}
PTRT_INLINE void put_b8(unsigned char *d, v_i32 v, size_t n) {
    put_codes(d, AS(u32, v), n);
}

/* ---- values ---- */

PTRT_INLINE v_f32 rectified(v_f32 x, const ptrt_fix *how) {
    return how->relu ? larger_f32(x, splat_of_f32(0)) : x;
}
PTRT_INLINE v_i32 rectified_i32(v_i32 x, const ptrt_fix *how) {
    return how->relu ? SELECT(v_i32, x > 0, x, (v_i32){0}) : x;
}

/* Multiply by the scales of the columns from c on. */
PTRT_INLINE v_f32 scaled_f32(v_f32 x, const ptrt_fix *how, size_t c) {
    return x * ld_f32(how->scale + c);
}
PTRT_INLINE v_f32 scaled_i32(v_i32 x, const ptrt_fix *how, size_t c) {
    return __builtin_convertvector(x, v_f32) * ld_f32(how->scale + c);
}

PTRT_INLINE v_f32 fit_f16(v_f32 x, const ptrt_fix *how) {
    const v_f32 r = f16_clamp(x);
    if (!how->has_infinity) return r;
    return SELECT(v_f32, (v_u32)(magnitude_f32(x) == __builtin_inff()), x, r);
}
PTRT_INLINE v_f32 fit_bf16(v_f32 x, const ptrt_fix *how) {
    return how->has_infinity ? x : bf16_clamp(x);
}
PTRT_INLINE v_f32 fit_f32(v_f32 x, const ptrt_fix *how) {
    (void)how;
    return clamp_f32(x, 0x1.fffffep127f);
}
/* Rounds to 9 bits before the offset is added. */
PTRT_INLINE v_i32 byte_of(v_f32 x, const ptrt_fix *how, size_t c) {
    const v_f32 cut = larger_f32(splat_of_f32(-256), smaller_f32(splat_of_f32(255), x));
    const v_f32 sum = rint_f32(cut) + ld_f32(how->offset + c);
    return nearest_i32(
        nan_as_0(larger_f32(ld_f32(how->low + c), smaller_f32(ld_f32(how->high + c), sum))));
}

/* ---- bodies ---- */

/* Defines a body: loads elements x of type S, which are columns c and on, and stores VALUE as D,
 * which has SIZE bytes. */
#define FIX(NAME, S, D, SIZE, VALUE)                                                               \
    static void fix_##NAME(const ptrt_args *args) {                                                \
        const ptrt_fix *how = args->how;                                                           \
        const unsigned char *a = args->p[0];                                                       \
        unsigned char *d = args->p[1];                                                             \
        const size_t cols = args->cols;                                                            \
        const ptrdiff_t lda = args->ld[0] * 4, ldd = args->ld[1] * SIZE;                           \
        (void)how;                                                                                 \
        for (size_t rows = args->rows; rows > 0; rows--, a += lda, d += ldd) {                     \
            size_t c = 0;                                                                          \
            for (; c + N_##S <= cols; c += N_##S) {                                                \
                const v_##S x = ld_##S(a + 4 * c);                                                 \
                put_##D(d + c * SIZE, VALUE, N_##S);                                               \
            }                                                                                      \
            if (c < cols) {                                                                        \
                const v_##S x = ldn_##S(a + 4 * c, cols - c);                                      \
                put_##D(d + c * SIZE, VALUE, cols - c);                                            \
            }                                                                                      \
        }                                                                                          \
    }

FIX(plain_i32, i32, i32, 4, rectified_i32(x, how))
FIX(plain_u32, u32, u32, 4, x)
FIX(plain_f32, f32, f32, 4, rectified(x, how))
FIX(plain_f32_f16, f32, f16, 2, rectified(x, how))
FIX(plain_f32_bf16, f32, bf16, 2, rectified(x, how))

/* 8-bit results are rectified by the lower bounds of the columns. */
FIX(quant_f32_b8, f32, b8, 1, byte_of(scaled_f32(x, how, c), how, c))
FIX(quant_i32_b8, i32, b8, 1, byte_of(scaled_i32(x, how, c), how, c))
FIX(quant_f32_f16, f32, f16, 2, rectified(fit_f16(scaled_f32(x, how, c), how), how))
FIX(quant_i32_f16, i32, f16, 2, rectified(fit_f16(scaled_i32(x, how, c), how), how))
FIX(quant_f32_bf16, f32, bf16, 2, rectified(fit_bf16(scaled_f32(x, how, c), how), how))
FIX(quant_i32_bf16, i32, bf16, 2, rectified(fit_bf16(scaled_i32(x, how, c), how), how))
FIX(quant_f32_f32, f32, f32, 4, rectified(fit_f32(scaled_f32(x, how, c), how), how))
FIX(quant_f32_e4m3fn, f32, codes, 1, code_f8e4m3fn(rectified(scaled_f32(x, how, c), how)))
FIX(quant_f32_e5m2, f32, codes, 1, code_f8e5m2(rectified(scaled_f32(x, how, c), how)))
FIX(quant_f32_hif8, f32, codes, 1,
    code_hif8(clamp_f32(rectified(scaled_f32(x, how, c), how), 0x1p15f)))
FIX(quant_i32_i16, i32, i16, 2, rectified_i32(x >> ld_i32(how->shift + c), how))

#include "kern/family.h"
