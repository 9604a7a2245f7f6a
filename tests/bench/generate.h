/* SPDX-License-Identifier: Apache-2.0 */
/* Writes programs of a given size that resemble exported kernels: one loop nest a function,
 * addresses chosen, tile types in the long form, names with the history of their making.
 * Deterministic. */
#ifndef TESTS_BENCH_GENERATE_H
#define TESTS_BENCH_GENERATE_H

#include <stddef.h>
#include <stdint.h>

typedef struct Program {
    char *text; /* NUL-terminated; free it */
    size_t size;
    uint64_t statements;
} Program;

/* About `size` bytes (whole functions). text is NULL when memory runs out. */
Program generate_program(size_t size);

#endif
