/* SPDX-License-Identifier: Apache-2.0 */
/* quant.c - bodies of quantisation: f32 to 8-bit integers and back with scale and offset per row,
 * and groups of 32 elements to fp8 or fp4 with a common exponent. */
#include "ptort_emitted.h"

#include "kern/stage.h"

/* clang-format off */

/* ---- scale and offset per row ---- */

#define QUANTISED(p) i32_to_pack(ld_f32(p) * by + more)
#define QUANT(E)                                                                                   \
    static void line_##E(unsigned char *d, const unsigned char *s, size_t n, v_f32 by, v_f32 more) { \
        LOOP(N_##E, 4, 1, st_##E(d, pack4_##E(QUANTISED(s), QUANTISED(s + VB), QUANTISED(s + 2 * VB),  \
                                              QUANTISED(s + 3 * VB))))                             \
    }                                                                                              \
    static void affine_quant_f32_##E(const ptrt_args *x) {                                         \
        const unsigned char *a = x->p[0];                                                          \
        const float *scale = x->p[1], *offset = x->p[2];                                           \
        unsigned char *d = x->p[3];                                                                \
        const size_t cols = x->cols;                                                               \
        const ptrdiff_t lda = 4 * x->ld[0], width = x->ld[1], ldd = x->ld[3];                      \
        for (size_t rows = x->rows; rows > 0; rows--, a += lda, scale += width, offset += width, d += ldd) \
            line_##E(d, a, cols, splat_of_f32(*scale), splat_of_f32(*offset));                     \
    }
QUANT(i8)
QUANT(u8)

/* The last scale and offset of a row serve all further columns. */
#define DEQUANT(E)                                                                                 \
    static void line_##E##_f32(unsigned char *d, const unsigned char *s, size_t n, v_f32 by, v_f32 less) { \
        LOOP(N_f32, S_##E, 4, st_f32(d, (__builtin_convertvector((v_i32)ld_wide_##E(s), v_f32) - less) * by)) \
    }                                                                                              \
    static void affine_dequant_##E##_f32(const ptrt_args *x) {                                     \
        const s_##E *a = x->p[0];                                                                  \
        const float *scale = x->p[1], *offset = x->p[2];                                           \
        s_f32 *d = x->p[3];                                                                        \
        const size_t cols = x->cols, last = (size_t)x->ld[1] - 1, few = last < cols ? last : cols; \
        const ptrdiff_t lda = x->ld[0], width = x->ld[1], ldd = x->ld[3];                          \
        for (size_t rows = x->rows; rows > 0; rows--, a += lda, scale += width, offset += width, d += ldd) { \
            for (size_t c = 0; c < few; c++)                                                       \
                d[c] = ((float)a[c] - offset[c]) * scale[c];                                       \
            line_##E##_f32((unsigned char *)(d + few), (const unsigned char *)(a + few), cols - few, \
                           splat_of_f32(scale[last]), splat_of_f32(offset[last]));                 \
        }                                                                                          \
    }
DEQUANT(i8)
DEQUANT(u8)
DEQUANT(i16)
DEQUANT(u16)

/* ---- groups of 32 ---- */

enum { GROUP = PTRT_MX_GROUP, BLOCK = 8 * GROUP };

CHEAP(as_f32, N_f32, 4, 4, st_f32(d, ld_f32(s)))
CHEAP(of_f16, N_f32, 2, 4, st_f32(d, ld_f16(s)))
CHEAP(of_bf16, N_f32, 2, 4, st_f32(d, ld_bf16(s)))

#define FP8(p) (v_i32)code_f8e4m3fn(ld_f32(p))
VECTORS(to_fp8, N_u8, 4, 1, st_u8(d, pack4_low8(FP8(s), FP8(s + VB), FP8(s + 2 * VB), FP8(s + 3 * VB))))
/* NaN becomes 7, without a sign. */
PTRT_INLINE v_i32 fp4_lanes(v_f32 x) {
    const v_u32 c = code_e2m1(x, PTRT_RINT), seven = splat_of_u32(7);
    const v_u32 code = SELECT(v_u32, (v_u32)(c > 7), seven, c) | sign_of_f32(x) >> 28;
    return (v_i32)SELECT(v_u32, (v_u32)(x == x), code, seven);
}
#define FP4(p) fp4_lanes(ld_f32(p))
VECTORS(fp4_codes, N_u8, 4, 1, st_u8(d, pack4_low8(FP4(s), FP4(s + VB), FP4(s + 2 * VB), FP4(s + 3 * VB))))
static void to_fp4(void *d, const void *s, size_t n, unsigned how) {
    uint8_t codes[BLOCK + 1];
    fp4_codes(codes, s, n, how);
    codes[n] = 0;
    join_pairs(d, codes, n);
}

/* Source and destination types. */
typedef struct kind {
    stage widen, narrow;
    size_t size;
    unsigned halves; /* codes per element of the destination */
    uint32_t cut;    /* bits of the maximum from which alg 0 takes the exponent */
    int drop;        /* exponent of the destination's largest value */
    float per_top;   /* reciprocal of the destination's largest value */
} kind;

/* Returns the bits of the largest magnitude; those of NaN are above all others. */
static uint32_t most_of(uint32_t most, const uint32_t *bits, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const uint32_t m = bits[i] & 0x7FFFFFFFu;
        most = most < m ? m : most;
    }
    return most;
}

static void find_maxima(const kind *k, const ptrt_args *x) {
    const ptrt_mx *how = x->how;
    const unsigned char *a = x->p[0];
    const size_t cols = x->cols;
    uint32_t bits[BLOCK], *most = how->max;
    for (size_t r = 0; r < x->rows; r++, a += x->ld[0] * (ptrdiff_t)k->size) {
        if (how->down && r % GROUP == 0) memset(most, 0, cols * sizeof *most);
        for (size_t c = 0; c < cols; c += BLOCK) {
            const size_t n = cols - c < BLOCK ? cols - c : BLOCK;
            k->widen(bits, a + c * k->size, n, 0);
            for (size_t i = 0; how->down && i < n; i++) {
                const uint32_t m = bits[i] & 0x7FFFFFFFu;
                most[c + i] = most[c + i] < m ? m : most[c + i];
            }
            for (size_t i = 0; !how->down && i < n; i += GROUP)
                *most++ = most_of(0, bits + i, GROUP);
        }
        if (how->down && r % GROUP == GROUP - 1) most += cols;
    }
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Computes the exponent of a group from its maximum, which is not NaN. */
static unsigned exponent_of(const kind *k, uint32_t most, bool nv) {
    if (!nv) {
        const int e = (int)(most >> 23) - k->drop;
        return e > 0 ? (unsigned)e : 0;
    }
    const float d = float_of(most) * k->per_top;
    uint32_t bits;
    memcpy(&bits, &d, sizeof bits);
    const uint32_t e = bits >> 23, rest = bits & 0x007FFFFFu;
    if (e == 255) return 254;
    /* Round up to the next power of two. */
    return e + (rest != 0 && e != 254 && (e != 0 || rest > 0x00400000u));
}

static void finish_groups(const kind *k, size_t groups, const ptrt_mx *how) {
    for (size_t g = 0; g < groups; g++) {
        if (how->max[g] > 0x7F800000u) {
            how->max[g] = 0x7FC00000u;
            how->exp[g] = 255;
            how->scale[g] = float_of(0x7FC00000u);
            continue;
        }
        if (!how->nv) how->max[g] &= k->cut;
        const unsigned e = exponent_of(k, how->max[g], how->nv);
        how->exp[g] = (uint8_t)e;
        how->scale[g] = float_of(e == 254 ? 0x00400000u : (254u - e) << 23);
    }
}

static void encode(const kind *k, const ptrt_args *args) {
    const ptrt_mx *how = args->how;
    const unsigned char *a = args->p[0];
    unsigned char *d = args->p[1];
    const size_t cols = args->cols;
    float x[BLOCK];
    const float *scale = how->scale;
    for (size_t r = 0; r < args->rows; r++, a += args->ld[0] * (ptrdiff_t)k->size, d += args->ld[1]) {
        for (size_t c = 0; c < cols; c += BLOCK) {
            const size_t n = cols - c < BLOCK ? cols - c : BLOCK;
            k->widen(x, a + c * k->size, n, 0);
            for (size_t i = 0; how->down && i < n; i++)
                x[i] *= scale[c + i];
            for (size_t i = 0; !how->down && i < n; i += GROUP, scale++)
                for (size_t j = 0; j < GROUP; j++)
                    x[i + j] *= *scale;
            k->narrow(d + c / k->halves, x, n, 0);
        }
        if (how->down && r % GROUP == GROUP - 1) scale += cols;
    }
}

#define MX(S, SIZE, WIDEN, D, ...)                                                                 \
    static void mx_groups_##S##_##D(const ptrt_args *x) {                                          \
        static const kind k = {WIDEN, to_##D, SIZE, __VA_ARGS__};                                  \
        find_maxima(&k, x);                                                                        \
        finish_groups(&k, x->rows * x->cols / GROUP, x->how);                                      \
        encode(&k, x);                                                                             \
    }
#define FROM(S, SIZE, WIDEN)                                                                       \
    MX(S, SIZE, WIDEN, fp8, 1, 0xFFFFFFFFu, 8, 1.0f / 448.0f)                                      \
    MX(S, SIZE, WIDEN, fp4, 2, 0xFFFF0000u, 2, 1.0f / 6.0f)
FROM(f32, 4, as_f32)
FROM(f16, 2, of_f16)
FROM(bf16, 2, of_bf16)
/* clang-format on */
#include "kern/family.h"
