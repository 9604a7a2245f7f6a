/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar reference arithmetic: floats are decoded to double, where sums of two 16-bit floats are
 * exact or correctly rounded beyond their precision, and encoded with one rounding. */
#include "elem.h"
#include <math.h>
#include <string.h>

const ElemType all_types[] = {
    {"i8", "i8", 1, K_INT},     {"ui8", "i8", 1, K_UINT},    {"i16", "i16", 2, K_INT},
    {"ui16", "i16", 2, K_UINT}, {"i32", "i32", 4, K_INT},    {"ui32", "i32", 4, K_UINT},
    {"f16", "f16", 2, K_F16},   {"bf16", "bf16", 2, K_BF16}, {"f32", "f32", 4, K_F32},
    {NULL, NULL, 0, K_INT},
};

const ElemType *elem_named(const char *text) {
    const ElemType *t = all_types;
    while (t->text != NULL && strcmp(t->text, text) != 0)
        t++;
    return t;
}

uint32_t elem_get(const ElemType *t, const void *data, size_t i) {
    const unsigned char *p = (const unsigned char *)data + i * t->bytes;
    uint32_t bits = 0;
    for (unsigned k = 0; k < t->bytes; k++)
        bits |= (uint32_t)p[k] << (8 * k);
    return bits;
}

void elem_put(const ElemType *t, void *data, size_t i, uint32_t bits) {
    unsigned char *p = (unsigned char *)data + i * t->bytes;
    for (unsigned k = 0; k < t->bytes; k++)
        p[k] = (unsigned char)(bits >> (8 * k));
}

/* Exponent and fraction widths of a float kind. */
static int exponent_bits(Kind k) {
    return k == K_F16 ? 5 : 8;
}
static int fraction_bits(Kind k) {
    return k == K_F16 ? 10 : k == K_BF16 ? 7 : 23;
}

bool elem_is_nan(const ElemType *t, uint32_t bits) {
    if (t->kind < K_F16) return false;
    int f = fraction_bits(t->kind);
    uint32_t top = (1u << exponent_bits(t->kind)) - 1;
    return (bits >> f & top) == top && (bits & ((1u << f) - 1)) != 0;
}

bool elem_equal(const ElemType *t, uint32_t a, uint32_t b) {
    return a == b || (elem_is_nan(t, a) && elem_is_nan(t, b));
}

static double decode(Kind k, uint32_t bits) {
    int f = fraction_bits(k), e = exponent_bits(k), bias = (1 << (e - 1)) - 1;
    uint32_t fraction = bits & ((1u << f) - 1), exponent = bits >> f & ((1u << e) - 1);
    double sign = bits >> (f + e) & 1 ? -1.0 : 1.0;
    if (exponent == (1u << e) - 1) return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0) return sign * ldexp(fraction, 1 - bias - f);
    return sign * ldexp(fraction + (1u << f), (int)exponent - bias - f);
}

static uint32_t encode(Kind k, double v) {
    int f = fraction_bits(k), e = exponent_bits(k), bias = (1 << (e - 1)) - 1;
    uint32_t sign = signbit(v) ? 1u << (f + e) : 0, inf = ((1u << e) - 1) << f;
    if (isnan(v)) return inf | 1u << (f - 1);
    v = fabs(v);
    if (isinf(v)) return sign | inf;
    if (v == 0) return sign;
    int exponent;
    frexp(v, &exponent); /* v = 0.1xxx * 2^exponent */
    exponent--;
    if (exponent < 1 - bias) exponent = 1 - bias;
    /* The number of units in the last place, rounded to nearest even by the default mode. */
    double units = nearbyint(ldexp(v, f - exponent));
    uint64_t bits = (uint64_t)units;
    if (exponent > 1 - bias || bits >= 1u << f) bits += (uint64_t)(exponent + bias - 1) << f;
    return sign | (bits >= inf ? inf : (uint32_t)bits);
}

uint32_t elem_add(const ElemType *t, uint32_t a, uint32_t b) {
    if (t->kind >= K_F16) {
        if (t->kind == K_F32) {
            float x, y;
            memcpy(&x, &a, 4);
            memcpy(&y, &b, 4);
            x += y;
            memcpy(&a, &x, 4);
            return a;
        }
        return encode(t->kind, decode(t->kind, a) + decode(t->kind, b));
    }
    uint32_t mask = t->bytes == 4 ? UINT32_MAX : (1u << (8 * t->bytes)) - 1;
    return (a + b) & mask;
}

uint32_t elem_one(const ElemType *t) {
    return t->kind >= K_F16 ? encode(t->kind, 1.0) : 1;
}

uint32_t elem_pad(const ElemType *t, int pad) {
    unsigned bits = 8 * t->bytes;
    uint32_t ones = bits == 32 ? UINT32_MAX : (1u << bits) - 1, top = 1u << (bits - 1);
    if (pad == 1) return 0;
    if (t->kind >= K_F16) return encode(t->kind, pad == 2 ? (double)INFINITY : -(double)INFINITY);
    if (t->kind == K_UINT) return pad == 2 ? ones : 0;
    return pad == 2 ? ones ^ top : top;
}

uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

void fill_random(const ElemType *t, void *data, size_t n, uint64_t seed) {
    uint64_t state = seed;
    for (size_t i = 0; i < n; i++) {
        uint32_t r = next_random(&state);
        /* Every eighth float is any bit pattern, the others are of ordinary size. */
        if (t->kind >= K_F16 && r % 8 != 0)
            r = encode(t->kind, ((double)(r >> 8) - 8388608.0) / 65536.0);
        elem_put(t, data, i, r >> (t->kind < K_F16 ? 3 : 0));
    }
}
