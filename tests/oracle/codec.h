/* SPDX-License-Identifier: Apache-2.0 */
/* codec.h - element types of the runtime as numbers: bits of an element <-> {int64, double}. Shares
 * no code with libptort: values are made by ldexp, roundings from floor and remainder. test_codec.c
 * holds every format to facts that do not come from here.
 *
 * A packed pair (f4e1m2x2, hif8x2, ...) has two lanes: lane 0 is in the low bits. Other types have
 * lane 0 only. Functions without a lane take or give the bits of one lane. */
#ifndef TESTS_ORACLE_CODEC_H
#define TESTS_ORACLE_CODEC_H

#include "ptort_emitted.h"

/* The value of an element: i of integer types (u64: its bits), f of the others. */
typedef struct Num {
    int64_t i;
    double f;
} Num;

typedef enum Rounding {
    TO_EVEN,
    TO_AWAY, /* ties away from zero */
    TO_FLOOR,
    TO_CEIL,
    TO_ZERO,
    TO_ODD /* inexact values to the neighbour with an odd code */
} Rounding;

uint32_t elem_bytes(int elem);
int elem_lanes(int elem);
const char *elem_text(int elem);
bool elem_is_real(int elem);
bool elem_is_signed(int elem); /* of integer types */

/* Bytes of an element, lowest first, on machines that store numbers so. */
static inline uint64_t bits_load(const unsigned char *p, uint32_t size) {
    uint64_t v = 0;
    switch (size) {
    case 1:
        return *p;
    case 2:
        memcpy(&v, p, 2);
        return v;
    case 4:
        memcpy(&v, p, 4);
        return v;
    default:
        memcpy(&v, p, 8);
        return v;
    }
}
static inline void bits_store(unsigned char *p, uint32_t size, uint64_t bits) {
    switch (size) {
    case 1:
        *p = (unsigned char)bits;
        break;
    case 2:
        memcpy(p, &bits, 2);
        break;
    case 4:
        memcpy(p, &bits, 4);
        break;
    default:
        memcpy(p, &bits, 8);
    }
}

/* The bits of one lane inside an element, and the element with that lane replaced. */
uint64_t lane_bits(int elem, uint64_t bits, int lane);
uint64_t lane_put(int elem, uint64_t bits, int lane, uint64_t code);

/* The value of a lane. */
Num num_of(int elem, uint64_t code);

/* The code of a value. Integers wrap to the width. Reals are rounded once: infinity and overflow
 * give the infinity of the type, its NaN where it has none, and the largest finite value where it
 * has neither or with `clamp`; directed roundings overflow as IEEE says. NaN gives the type's NaN,
 * 0 where it has none. Hif8 rounds TO_EVEN as TO_AWAY. */
uint64_t code_of_int(int elem, int64_t v);
uint64_t code_of_real(int elem, double v, Rounding r, bool clamp);
/* Integers wrapped, reals rounded to even without clamp. */
uint64_t code_of(int elem, Num v);

/* v rounded to an integer. */
double real_to_integral(double v, Rounding r);
/* An integer type's code of a real: rounded, NaN is 0, values outside the type clamped. */
uint64_t code_of_clamped(int elem, double v, Rounding r);

/* Smallest and largest value, infinite where the type has infinities. */
uint64_t code_min(int elem);
uint64_t code_max(int elem);
/* Largest finite value of a real type. */
double real_limit(int elem);

/* Any NaN in any lane. */
bool bits_have_nan(int elem, uint64_t bits);
/* Equal, or lane by lane equal or both NaN. */
bool bits_same(int elem, uint64_t a, uint64_t b);
/* Distance of a code from an exact value, in units of the value's last place; 0 when both are NaN,
 * or the same infinity, or the value overflows to the code. */
double ulps_between(int elem, uint64_t code, long double want);

/* a < b; false with a NaN. */
bool is_less(int elem, Num a, Num b);

/* v rounded once to a real type, as a number: f32 steps inside a formula. */
double real_in(int elem, double v);

#endif
