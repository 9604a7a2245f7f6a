/* SPDX-License-Identifier: Apache-2.0 */
/* Element types as the execution tests see them: bits in memory, and scalar arithmetic that shares
 * no code with the runtime. */
#ifndef TESTS_EXEC_ELEM_H
#define TESTS_EXEC_ELEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum Kind { K_INT, K_UINT, K_F16, K_BF16, K_F32 } Kind;

typedef struct ElemType {
    const char *text;   /* in a tile type */
    const char *scalar; /* of a scalar operand that goes with it */
    unsigned bytes;
    Kind kind;
} ElemType;

extern const ElemType all_types[]; /* ends with text NULL */
const ElemType *elem_named(const char *text);

uint32_t elem_get(const ElemType *t, const void *data, size_t i);
void elem_put(const ElemType *t, void *data, size_t i, uint32_t bits);
bool elem_is_nan(const ElemType *t, uint32_t bits);
/* The same bits, or both not a number. */
bool elem_equal(const ElemType *t, uint32_t a, uint32_t b);
/* a + b, rounded once to nearest even, or wrapped. */
uint32_t elem_add(const ElemType *t, uint32_t a, uint32_t b);
/* The bits of 1. */
uint32_t elem_one(const ElemType *t);
/* The bits of pad value 1 zero, 2 max, 3 min. */
uint32_t elem_pad(const ElemType *t, int pad);

/* A reproducible stream of 32-bit numbers. */
uint32_t next_random(uint64_t *state);
/* Fills n elements with random bits (special values of floats included). */
void fill_random(const ElemType *t, void *data, size_t n, uint64_t seed);

#endif
