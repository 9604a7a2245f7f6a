/* SPDX-License-Identifier: Apache-2.0 */
/* make.c - logical vectors that are made of few values, and lanes in another order. */
#include "core/core.h"
#include "half.h"
#include "logical/logical.h"

void ptrt_logical_set(ptrt_vreg *out, const void *bytes, int64_t n) {
    memcpy(out, bytes, (size_t)n);
}

void ptrt_logical_copy(ptrt_vreg *out, int64_t lanes, int width, const ptrt_vreg *x) {
    memmove(out, x, (size_t)(lanes * width));
}

/* Runs a statement with T, the unsigned type of lanes of `width` bytes. */
#define BY_WIDTH(...)                                                                              \
    if (width == 1) {                                                                              \
        typedef uint8_t T;                                                                         \
        __VA_ARGS__;                                                                               \
    } else if (width == 2) {                                                                       \
        typedef uint16_t T;                                                                        \
        __VA_ARGS__;                                                                               \
    } else {                                                                                       \
        typedef uint32_t T;                                                                        \
        __VA_ARGS__;                                                                               \
    }

void ptrt_logical_fill(ptrt_vreg *out, int64_t lanes, int width, uint64_t bits) {
    BY_WIDTH(T *d = (T *)out; for (int64_t i = 0; i < lanes; i++) d[i] = (T)bits)
}

void ptrt_logical_spread(ptrt_vreg *out, int64_t lanes, int width, const ptrt_vreg *x,
                         int64_t groups) {
    const int64_t n = groups > 0 ? lanes / groups : lanes;
    /* from the last group, as the result may be the operand */
    BY_WIDTH(T *d = (T *)out; for (int64_t g = lanes / n - 1; g >= 0; g--) {
        const T one = ((const T *)x)[g];
        for (int64_t i = 0; i < n; i++)
            d[g * n + i] = one;
    })
}

/* ---- numbers that count ---- */

static float lane_of(int elem, uint64_t bits) {
    return elem == PTRT_F16    ? ptrt_f16_to_f32((uint16_t)bits)
           : elem == PTRT_BF16 ? ptrt_bf16_to_f32((uint16_t)bits)
                               : ptrt_half_float((uint32_t)bits);
}
static uint64_t bits_of(int elem, float x) {
    return elem == PTRT_F16    ? ptrt_f32_to_f16(x)
           : elem == PTRT_BF16 ? ptrt_f32_to_bf16(x)
                               : ptrt_half_bits(x);
}

void ptrt_logical_count(ptrt_vreg *out, int64_t lanes, int elem, uint64_t base, int64_t groups,
                        int down) {
    const int width = (int)ptrt_elem_size(elem);
    const bool is_float = elem == PTRT_F16 || elem == PTRT_BF16 || elem == PTRT_F32;
    const int64_t n = groups > 0 ? lanes / groups : lanes;
    for (int64_t i = 0; i < lanes; i++) {
        const int64_t by = down ? -(i % n) : i % n;
        const uint64_t bits =
            is_float ? bits_of(elem, lane_of(elem, base) + (float)by) : base + (uint64_t)by;
        memcpy((char *)out + i * width, &bits, (size_t)width);
    }
}

/* ---- lanes in another order ---- */

void ptrt_logical_pick(ptrt_vreg *out, int64_t lanes, int width, const ptrt_vreg *x,
                       int64_t source_lanes, const ptrt_vreg *index, int index_width) {
    for (int64_t i = 0; i < lanes; i++) {
        uint32_t at = 0;
        memcpy(&at, (const char *)index + i * index_width, (size_t)index_width);
        memcpy((char *)out + i * width, (const char *)x + (at % source_lanes) * width,
               (size_t)width);
    }
}

void ptrt_logical_shuffle(ptrt_vreg *out, int64_t lanes, int width, const ptrt_vreg *x,
                          int64_t source_lanes, const int64_t *index) {
    for (int64_t i = 0; i < lanes; i++)
        memcpy((char *)out + i * width,
               (const char *)x + (index[i] >= 0 ? index[i] % source_lanes : 0) * width,
               (size_t)width);
}

void ptrt_logical_zip(ptrt_vreg *low, ptrt_vreg *high, int64_t lanes, int width, const ptrt_vreg *a,
                      const ptrt_vreg *b, const ptrt_vreg *mask) {
    BY_WIDTH(for (int64_t i = 0; i < lanes; i++) {
        const int64_t k = lanes + i; /* of the lanes of both, in turn */
        ((T *)low)[i] = ((const T *)(i % 2 == 0 ? a : b))[i / 2];
        ((T *)high)[i] = ((const T *)(k % 2 == 0 ? a : b))[k / 2];
    })
    lg_zero(low, lanes, width, mask);
    lg_zero(high, lanes, width, mask);
}

void ptrt_logical_unzip(ptrt_vreg *low, ptrt_vreg *high, int64_t lanes, int width,
                        const ptrt_vreg *a, const ptrt_vreg *b, const ptrt_vreg *mask) {
    BY_WIDTH(for (int64_t i = 0; i < 2 * lanes; i++) {
        const T one = i < lanes ? ((const T *)a)[i] : ((const T *)b)[i - lanes];
        ((T *)(i % 2 == 0 ? low : high))[i / 2] = one;
    })
    lg_zero(low, lanes, width, mask);
    lg_zero(high, lanes, width, mask);
}

void ptrt_logical_split(ptrt_vreg *c0, ptrt_vreg *c1, ptrt_vreg *c2, ptrt_vreg *c3, int64_t lanes,
                        int width, const ptrt_vreg *x) {
    ptrt_vreg *const out[] = {c0, c1, c2, c3};
    int n = 0;
    while (n < 4 && out[n] != NULL)
        n++;
    for (int c = 0; c < n; c++)
        BY_WIDTH(for (int64_t i = 0; i < lanes; i++)((T *)out[c])[i] = ((const T *)x)[i * n + c])
}

void ptrt_logical_merge(ptrt_vreg *out, int64_t lanes, int width, const ptrt_vreg *c0,
                        const ptrt_vreg *c1, const ptrt_vreg *c2, const ptrt_vreg *c3) {
    const ptrt_vreg *const from[] = {c0, c1, c2, c3};
    int n = 0;
    while (n < 4 && from[n] != NULL)
        n++;
    for (int c = 0; c < n; c++)
        BY_WIDTH(for (int64_t i = 0; i < lanes / n; i++)((T *)out)[i * n + c] =
                     ((const T *)from[c])[i])
}

void ptrt_logical_pack(ptrt_vreg *out, int64_t lanes, int width, const ptrt_vreg *x,
                       const ptrt_vreg *mask) {
    int64_t n = 0;
    for (int64_t i = 0; i < lanes; i++)
        if (lg_active(mask, i))
            memmove((char *)out + n++ * width, (const char *)x + i * width, (size_t)width);
    memset((char *)out + n * width, 0, (size_t)((lanes - n) * width));
}

void ptrt_logical_rank(ptrt_vreg *out, int64_t lanes, int width, const ptrt_vreg *mask) {
    uint32_t n = 0;
    BY_WIDTH(for (int64_t i = 0; i < lanes; i++) {
        ((T *)out)[i] = (T)n;
        n += lg_active(mask, i);
    })
}

/* ---- integers of another width ---- */

static bool is_signed(int elem) {
    return elem == PTRT_I8 || elem == PTRT_I16 || elem == PTRT_I32;
}

static int64_t clamped(int64_t x, int elem) {
    const int bits = (int)ptrt_elem_size(elem) * 8 - is_signed(elem);
    const int64_t most = (INT64_C(1) << bits) - 1, least = is_signed(elem) ? -most - 1 : 0;
    return x < least ? least : x > most ? most : x;
}

static int64_t integer_at(const char *x, int elem) {
    const int bits = (int)ptrt_elem_size(elem) * 8;
    uint64_t v = 0;
    memcpy(&v, x, (size_t)bits / 8);
    return is_signed(elem) ? (int64_t)(v << (64 - bits)) >> (64 - bits) : (int64_t)v;
}

/* Goes from the last lane on where lanes become wider, as the result may be the operand. */
void ptrt_logical_integers(ptrt_vreg *out, int64_t lanes, int from, int to, const ptrt_vreg *x,
                           int saturation) {
    const int64_t a = (int64_t)ptrt_elem_size(from), b = (int64_t)ptrt_elem_size(to);
    for (int64_t k = 0; k < lanes; k++) {
        const int64_t i = b > a ? lanes - 1 - k : k;
        int64_t v = integer_at((const char *)x + i * a, from);
        if (saturation == 1) v = clamped(v, to);
        memcpy((char *)out + i * b, &v, (size_t)b);
    }
}

/* ---- histograms ---- */

void ptrt_logical_histogram(ptrt_vreg *out, int64_t bins, const ptrt_vreg *acc,
                            const ptrt_vreg *source, int64_t lanes, const ptrt_vreg *mask,
                            int cumulative) {
    uint16_t counts[256] = {0}, below = 0;
    for (int64_t i = 0; i < lanes; i++)
        counts[((const uint8_t *)source)[i]] += lg_active(mask, i);
    for (int64_t b = 0; b < bins && b < 256; b++) {
        below = (uint16_t)(below + counts[b]);
        ((uint16_t *)out)[b] =
            (uint16_t)(((const uint16_t *)acc)[b] + (cumulative ? below : counts[b]));
    }
}
