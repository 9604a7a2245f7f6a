/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of arrays as numbers, and the comparison of two arrays. */
#ifndef CLI_NUMBERS_H
#define CLI_NUMBERS_H

#include "cli/run.h"

/* Sets the format of a type with sign, exponent and mantissa; false for any other type. */
bool float_format(Elem e, FloatFormat *f);

/* True for a float type that .npy has no code for, and whose numbers f32 holds exactly: bf16, tf32
 * and the floats of 8 bits. */
bool elem_is_narrow(Elem e);
/* Makes an f32 array of the numbers of a narrow one. False when memory runs out. */
bool array_widen(const Array *a, Array *out);

/* What a comparison found. */
typedef struct Outcome {
    size_t elements, wrong;
    size_t first, worst; /* indices of elements that differ, if any do */
} Outcome;

/* Compares arrays of one shape. The types are the same, or `got` is f16 or narrow and `want` f32.
 * False when memory runs out. */
bool arrays_compare(const Array *got, const Array *want, const Tolerance *t, Outcome *out);

/* An element as text, and how far two are apart. */
enum { NUMBER_TEXT = 40 };
void element_text(const Array *a, size_t i, char out[NUMBER_TEXT]);
/* Sets the distance of two elements: absolute, and in numbers of the type of `got`. False when
 * they have none, as with a NaN. */
bool element_distance(const Array *got, const Array *want, size_t i, double *absolute,
                      uint64_t *steps);
/* True for types without fractions, whose steps are the distance. */
bool elem_has_steps(Elem e);
/* Sets the indices of element i, one for each dimension. */
void element_index(const Array *a, size_t i, size_t index[MAX_RANK]);

#endif
