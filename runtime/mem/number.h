/* SPDX-License-Identifier: Apache-2.0 */
/* number.h - inside libptort: reads single elements as numbers, for output. */
#ifndef PTORT_MEM_NUMBER_H
#define PTORT_MEM_NUMBER_H

#include "mem/elem.h"

/* Returns a number of the floating-point element at `p`. Lane 0 is in the low bits. */
double ptrt_real_at(int elem, const unsigned char *p, int lane);
/* Returns the integer element at `p`; for u64 its bits. */
int64_t ptrt_integer_at(int elem, const unsigned char *p);
/* Formats a number like snprintf, but always with a decimal point and without a sign for NaN.
 * `spec` is % with flags, width and precision. Returns the length. */
int ptrt_double_text(char *out, size_t size, const char *spec, char letter, double x);

#endif
