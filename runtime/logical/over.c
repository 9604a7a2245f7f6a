/* SPDX-License-Identifier: Apache-2.0 */
/* over.c - bodies of registers over logical vectors. */
#include "logical/logical.h"

#define ALL(word)                                                                                  \
    {                                                                                              \
        { word, word, word, word }                                                                 \
    }
const ptrt_mask lg_all[5] = {
    [1] = ALL(~UINT64_C(0)), [2] = ALL(0x5555555555555555), [4] = ALL(0x1111111111111111)};

/* Runs a statement for register k of all, with its mask at `m`. */
#define EACH_REGISTER(mask, ...)                                                                   \
    for (int64_t k = 0, n = lg_registers(lanes, width); k < n; k++) {                              \
        ptrt_mask bits;                                                                            \
        const ptrt_mask *m = lg_of_register(&bits, mask, k, width);                                \
        __VA_ARGS__;                                                                               \
    }

void ptrt_over_lanes1(ptrt_lanes1_fn body, int64_t lanes, int width, ptrt_vreg *out,
                      const ptrt_vreg *x, const ptrt_vreg *mask) {
    EACH_REGISTER(mask, body(&out[k], &x[k], m))
}

void ptrt_over_lanes2(ptrt_lanes2_fn body, int64_t lanes, int width, ptrt_vreg *out,
                      const ptrt_vreg *a, const ptrt_vreg *b, const ptrt_vreg *mask) {
    EACH_REGISTER(mask, body(&out[k], &a[k], &b[k], m))
}

void ptrt_over_lanes1s(ptrt_lanes1s_fn body, int64_t lanes, int width, ptrt_vreg *out,
                       const ptrt_vreg *x, uint64_t scalar, const ptrt_vreg *mask) {
    EACH_REGISTER(mask, body(&out[k], &x[k], scalar, m))
}

void ptrt_over_halves2(ptrt_halves2_fn body, int64_t lanes, int width, ptrt_vreg *low,
                       ptrt_vreg *high, const ptrt_vreg *a, const ptrt_vreg *b,
                       const ptrt_vreg *mask) {
    EACH_REGISTER(mask, body(&low[k], &high[k], &a[k], &b[k], m))
}

/* Bodies that merge: here inactive lanes are 0. */

void ptrt_over_lanes3(ptrt_lanes3_fn body, int64_t lanes, int width, ptrt_vreg *out,
                      const ptrt_vreg *a, const ptrt_vreg *b, const ptrt_vreg *c,
                      const ptrt_vreg *mask) {
    EACH_REGISTER(NULL, body(&out[k], &a[k], &b[k], &c[k], m))
    lg_zero(out, lanes, width, mask);
}

void ptrt_over_lanes2s(ptrt_lanes2s_fn body, int64_t lanes, int width, ptrt_vreg *out,
                       const ptrt_vreg *a, const ptrt_vreg *b, uint64_t scalar,
                       const ptrt_vreg *mask) {
    EACH_REGISTER(NULL, body(&out[k], &a[k], &b[k], scalar, m))
    lg_zero(out, lanes, width, mask);
}

/* ---- results that are masks ---- */

void ptrt_over_carry2(ptrt_carry2_fn body, int64_t lanes, int width, ptrt_vreg *out,
                      ptrt_vreg *carry, const ptrt_vreg *a, const ptrt_vreg *b,
                      const ptrt_vreg *mask) {
    EACH_REGISTER(mask, ptrt_mask c; body(&out[k], &c, &a[k], &b[k], m);
                  lg_to_lanes(carry, &c, k, width))
    lg_end(carry, lanes);
}

void ptrt_over_carry3(ptrt_carry3_fn body, int64_t lanes, int width, ptrt_vreg *out,
                      ptrt_vreg *carry, const ptrt_vreg *a, const ptrt_vreg *b,
                      const ptrt_vreg *carry_in, const ptrt_vreg *mask) {
    EACH_REGISTER(mask, ptrt_mask c, in;
                  body(&out[k], &c, &a[k], &b[k], lg_of_register(&in, carry_in, k, width), m);
                  lg_to_lanes(carry, &c, k, width))
    lg_end(carry, lanes);
}

void ptrt_over_compare2(ptrt_compare2_fn body, int64_t lanes, int width, ptrt_vreg *out,
                        const ptrt_vreg *a, const ptrt_vreg *b, const ptrt_vreg *seed, int cmp) {
    EACH_REGISTER(seed, ptrt_mask c; body(&c, &a[k], &b[k], m, cmp); lg_to_lanes(out, &c, k, width))
    lg_end(out, lanes);
}

void ptrt_over_compare1s(ptrt_compare1s_fn body, int64_t lanes, int width, ptrt_vreg *out,
                         const ptrt_vreg *a, uint64_t scalar, const ptrt_vreg *seed, int cmp) {
    EACH_REGISTER(seed, ptrt_mask c; body(&c, &a[k], scalar, m, cmp);
                  lg_to_lanes(out, &c, k, width))
    lg_end(out, lanes);
}

/* ---- lanes of different widths ----
 * A body takes a lane of the narrower type from, or puts it in, the lowest part of one as wide as
 * the other. */

#define WIDENED(to, from)                                                                          \
    static void widen_##from##_##to(ptrt_vreg *out, const void *x) {                               \
        uint##to##_t *d = (uint##to##_t *)out;                                                     \
        const uint##from##_t *s = x;                                                               \
        for (int i = 0; i < LG_REGISTER * 8 / to; i++)                                             \
            d[i] = s[i];                                                                           \
    }                                                                                              \
    static void narrow_##to##_##from(void *out, const ptrt_vreg *x) {                              \
        uint##from##_t *d = out;                                                                   \
        const uint##to##_t *s = (const uint##to##_t *)x;                                           \
        for (int i = 0; i < LG_REGISTER * 8 / to; i++)                                             \
            d[i] = (uint##from##_t)s[i];                                                           \
    }
WIDENED(16, 8)
WIDENED(32, 8)
WIDENED(32, 16)

/* Returns a register of lanes of `width` bytes that hold those of `from` bytes from x on. */
static const ptrt_vreg *widened(ptrt_vreg *held, const char *x, int from, int width) {
    if (from == width) return (const ptrt_vreg *)(const void *)x;
    if (width == 2)
        widen_8_16(held, x);
    else if (from == 1)
        widen_8_32(held, x);
    else
        widen_16_32(held, x);
    return held;
}

static void narrowed(char *out, const ptrt_vreg *x, int to, int width) {
    if (to == width)
        memcpy(out, x, sizeof *x);
    else if (width == 2)
        narrow_16_8(out, x);
    else if (to == 1)
        narrow_32_8(out, x);
    else
        narrow_32_16(out, x);
}

/* Returns the number of the part of wider lanes that narrower ones take. */
static int first_part(int narrow, int wide) {
    enum { EVEN = 0, P0 = 4 };
    return narrow == wide ? PTRT_ABSENT : wide == 2 * narrow ? EVEN : P0;
}

void ptrt_over_convert(ptrt_convert_fn body, int64_t lanes, int from, int to, ptrt_vreg *out,
                       const ptrt_vreg *x, int rounding, int saturation) {
    const int width = from > to ? from : to, part = first_part(from < to ? from : to, width);
    const int64_t step = LG_REGISTER / width;
    const int mode = rounding == PTRT_ABSENT ? 0 : rounding; /* to nearest, ties to even */
    const char *s = (const char *)x;
    char *d = (char *)out;
    for (int64_t i = 0; i < lanes; i += step) {
        ptrt_vreg held, result;
        body(&result, widened(&held, s + i * from, from, width), &lg_all[1], mode, saturation == 1,
             part);
        narrowed(d + i * to, &result, to, width);
    }
}

void ptrt_over_lanes2p(ptrt_lanes2p_fn body, int64_t lanes, int width, ptrt_vreg *out,
                       const ptrt_vreg *x, const ptrt_vreg *most, const ptrt_vreg *mask) {
    const int64_t step = LG_REGISTER / 4;
    for (int64_t i = 0; i < lanes; i += step) {
        ptrt_vreg a, b;
        const int64_t at = i * width;
        body(&out[i / step], widened(&a, (const char *)x + at, width, 4),
             widened(&b, (const char *)most + at, width, 4), &lg_all[1], first_part(width, 4));
    }
    lg_zero(out, lanes, 4, mask);
}

/* ---- inactive lanes ---- */

#define ZEROED(bits)                                                                               \
    static void zero_##bits(uint##bits##_t *d, int64_t lanes, const ptrt_vreg *mask) {             \
        for (int64_t i = 0; i < lanes; i++)                                                        \
            d[i] = lg_active(mask, i) ? d[i] : 0;                                                  \
    }
ZEROED(8)
ZEROED(16)
ZEROED(32)

void lg_zero(ptrt_vreg *out, int64_t lanes, int width, const ptrt_vreg *mask) {
    mask = lg_some(mask, lanes);
    if (mask == NULL) return;
    if (width == 1)
        zero_8((uint8_t *)out, lanes, mask);
    else if (width == 2)
        zero_16((uint16_t *)out, lanes, mask);
    else
        zero_32((uint32_t *)out, lanes, mask);
}
