/* reference.h - a second opinion on the runtime: layouts and arithmetic straight from the formulas,
 * one element at a time, and a way to run test code on a core. */
#ifndef TESTS_RUNTIME_REFERENCE_H
#define TESTS_RUNTIME_REFERENCE_H

#include "ptort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define SPACE_BYTES 65536

/* Runs fn on one vector core with SPACE_BYTES in vec, mat and acc; returns what it returned. */
int on_core(int (*fn)(ptrt_core *, void *), void *arg);
int on_checked_core(int (*fn)(ptrt_core *, void *), void *arg);

/* Offset in elements of (r, c) by the layout table; R and C are the type's shape. */
int64_t ref_offset(const ptrt_tile_type *type, int64_t r, int64_t c);
uint32_t ref_size(int elem);

/* The element at p as bits, and back. */
uint64_t ref_get(const unsigned char *p, uint32_t size);
void ref_put(unsigned char *p, uint32_t size, uint64_t bits);

/* x op y on the bits of two elements: '+', '*', '&', '^'. */
uint64_t ref_op(int elem, char op, uint64_t x, uint64_t y);
bool ref_is_nan(int elem, uint64_t bits);

/* Bits of f16 and bf16 as a double, and the nearest even one of a double. */
double ref_half_value(int elem, uint64_t bits);
uint64_t ref_half_round(int elem, double x);

/* Equal, or both NaN. */
bool ref_same(int elem, uint64_t x, uint64_t y);

/* Bits of 0, 1 and of the pad values. */
uint64_t ref_number(int elem, int value);
uint64_t ref_pad(int elem, int pad);

/* A small random generator with a fixed start. */
uint32_t ref_random(uint32_t *state);
void ref_noise(unsigned char *p, size_t n, uint32_t *state);

/* Layouts worth testing for an element size: ND, DN, NZ, ZN, ZZ, NN, fractal 1024 and 32, an extra
 * element per line; `odd` shapes only without boxes. Returns how many; out holds up to 16. */
int ref_types(int elem, int space, ptrt_tile_type *out);

#endif
