/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - values of work items as their bits: the elements of vectors, and arithmetic that atomic
 * updates, reductions and the instructions themselves share. */
#ifndef PTORT_MICRO_VALUE_H
#define PTORT_MICRO_VALUE_H

#include "half.h"
#include "ptort_micro.h"

#include <math.h>

static inline unsigned value_bytes(int elem, int lanes) {
    return (unsigned)lanes * ptrt_elem_size(elem);
}

static inline uint64_t low_bits(uint64_t v, unsigned bytes) {
    return bytes < 8 ? v & ((UINT64_C(1) << bytes * 8) - 1) : v;
}

/* Element `i` of a value, which has elements of `bytes` bytes. */
static inline uint64_t value_lane(uint64_t v, int i, unsigned bytes) {
    return low_bits(v >> (unsigned)i * bytes * 8 % 64, bytes);
}

static inline uint64_t value_with(uint64_t v, int i, unsigned bytes, uint64_t x) {
    return v | low_bits(x, bytes) << (unsigned)i * bytes * 8 % 64;
}

static inline uint64_t value_load(const void *p, unsigned bytes) {
    uint64_t v = 0;
    uint16_t half;
    uint32_t word;
    switch (bytes) {
    case 1:
        return *(const unsigned char *)p;
    case 2:
        memcpy(&half, p, sizeof half);
        return half;
    case 4:
        memcpy(&word, p, sizeof word);
        return word;
    default:
        memcpy(&v, p, sizeof v);
        return v;
    }
}

static inline void value_store(void *p, uint64_t v, unsigned bytes) {
    const uint16_t half = (uint16_t)v;
    const uint32_t word = (uint32_t)v;
    switch (bytes) {
    case 1:
        *(unsigned char *)p = (unsigned char)v;
        break;
    case 2:
        memcpy(p, &half, sizeof half);
        break;
    case 4:
        memcpy(p, &word, sizeof word);
        break;
    default:
        memcpy(p, &v, sizeof v);
        break;
    }
}

static inline int64_t value_signed(uint64_t v, unsigned bytes) {
    const unsigned shift = 64 - bytes * 8;
    return (int64_t)(v << shift) >> shift;
}

/* ---- floats: f16, bf16 and f32 ---- */

static inline bool is_float_value(int elem) {
    return elem == PTRT_F16 || elem == PTRT_BF16 || elem == PTRT_F32;
}

static inline float float_of(int elem, uint64_t bits) {
    return elem == PTRT_F16    ? ptrt_f16_to_f32((uint16_t)bits)
           : elem == PTRT_BF16 ? ptrt_bf16_to_f32((uint16_t)bits)
                               : ptrt_f32_of_bits((uint32_t)bits);
}

/* Rounds to nearest even. Machines differ in the sign of the NaN that they make: it is positive. */
static inline uint64_t bits_of_float(int elem, float x) {
    if (isnan(x)) return elem == PTRT_F16 ? 0x7E00 : elem == PTRT_BF16 ? 0x7FC0 : 0x7FC00000;
    return elem == PTRT_F16    ? ptrt_f32_to_f16(x)
           : elem == PTRT_BF16 ? ptrt_f32_to_bf16(x)
                               : ptrt_bits_of_f32(x);
}

/* The operations that atomic updates, reductions, pto.fmin and pto.fmax have. */
typedef enum value_op {
    VALUE_ADD,
    VALUE_SUB,
    VALUE_MIN,
    VALUE_MAX,
    VALUE_SECOND,
    VALUE_AND,
    VALUE_OR,
    VALUE_XOR
} value_op;

/* Computes `x op y` on elements. Integers wrap. Of a NaN and a number the number is the minimum and
 * the maximum, and -0 is below +0. */
uint64_t value_compute(value_op op, int elem, uint64_t x, uint64_t y, bool is_unsigned);
/* The same on all elements of vectors. */
uint64_t value_compute_all(value_op op, int elem, int lanes, uint64_t x, uint64_t y,
                           bool is_unsigned);

#endif
