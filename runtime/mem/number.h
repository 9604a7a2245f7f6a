/* number.h - elements as numbers, one at a time: for output. */
#ifndef PTORT_MEM_NUMBER_H
#define PTORT_MEM_NUMBER_H

#include "ptort.h"

/* 2 for types of which an element is a pair, else 1. */
int ptrt_elem_lanes(int elem);
bool ptrt_elem_is_real(int elem);
/* A lane of the element at `p`: of the floating-point types. Lane 0 is in the low bits. */
double ptrt_real_at(int elem, const unsigned char *p, int lane);
/* The element at `p` of an integer type; of u64 its bits. */
int64_t ptrt_integer_at(int elem, const unsigned char *p);
/* Writes a number with digits and a point, whatever the locale has for it; as snprintf otherwise.
 * `spec` is % with flags, width and precision. A NaN has no sign. Returns the length. */
int ptrt_double_text(char *out, size_t size, const char *spec, char letter, double x);

#endif
