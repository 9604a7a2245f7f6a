/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of samples/ and the plain loops that say what they compute. */
#ifndef TESTS_SAMPLES_KERNELS_H
#define TESTS_SAMPLES_KERNELS_H

#include "ptort.h"

enum { MAX_ARRAYS = 8, MAX_SCALARS = 4 };

/* A parameter that is an array. An input is filled with numbers of [low, high), integers if its
 * element type is one; a result has low = high. */
typedef struct Array {
    const char *name;
    int elem; /* PTRT_F32 ... */
    int64_t rows, cols;
    double low, high;
} Array;

/* A sample: samples/NAME/NAME_dps.pto and, unless dps_only, NAME_ssa.pto. `reference` gets the
 * arrays as numbers, in the order of the table, row-major, and fills the results. */
typedef struct Kernel {
    const char *name, *profile;
    int blocks;
    bool dps_only;
    Array arrays[MAX_ARRAYS];
    const char *scalars[MAX_SCALARS]; /* NAME=VALUE */
    double tolerance;                 /* relative to the largest of 1 and the wanted number */
    void (*reference)(double *const x[]);
} Kernel;

extern const Kernel kernels[];
extern const int kernel_count;

#endif
