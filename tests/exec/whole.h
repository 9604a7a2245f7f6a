/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of whole kernels: their forms, numbers to run them on. */
#ifndef TESTS_EXEC_WHOLE_H
#define TESTS_EXEC_WHOLE_H

#include "harness.h"

/* Both kinds of devices, tiles as buffers and as results, with and without checks. */
enum { FORMS = 4 };
extern const Form forms[FORMS];

/* Builds NAME.pto and stores the address of its function of the same name in *function. */
void open_kernel(Built *b, const char *name, const Form *form, void *function);
/* Global memory that the next launches may touch: with checks, nothing else. */
#define ALLOW(array) allow(array, sizeof array)
void allow(const void *p, size_t bytes);
/* Fails the test, with the runtime's message, unless a launch went well. */
void went_well(int code);
/* Ends what open_kernel and allow have begun. */
void close_kernel(Built *b);

/* Numbers in [-scale, scale), the same for the same seed. */
void fill_floats(float *x, size_t n, float scale, uint32_t seed);
/* Multiples of 1/32 in [-1, 1), which f16 has, with their bits. */
void fill_halves(float *x, uint16_t *bits, size_t n, uint32_t seed);
/* The same for bf16. */
void fill_brains(float *x, uint16_t *bits, size_t n, uint32_t seed);
/* Numbers in [0, n). */
void fill_numbers(int32_t *x, size_t count, uint32_t n, uint32_t seed);
float of_brain(uint16_t bits);
/* Fails the test unless |got - want| <= tolerance. */
void close_to(float got, float want, float tolerance);

#endif
