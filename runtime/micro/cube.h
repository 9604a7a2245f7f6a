/* SPDX-License-Identifier: Apache-2.0 */
/* cube.h - inside libptort: what micro-instructions of the cube core share. */
#ifndef PTORT_MICRO_CUBE_H
#define PTORT_MICRO_CUBE_H

#include "core/place.h"
#include "ptort_micro.h"

enum {
    BLOCK = 32,     /* bytes of a row of a fractal */
    FRACTAL = 512,  /* bytes of 16 rows */
    ACC_ROW = 64,   /* bytes of a row of a fractal of the accumulator */
    FACTOR_ROW = 64 /* bytes that loads of factors count by */
};

/* Bits of the control register. */
enum {
    CTRL_STORE_TYPE = 6, /* 3 bits: what stores to global memory combine, 0: they replace */
    CTRL_STORE_OP = 9,   /* 2 bits: how */
    CTRL_TF32 = 46,      /* raw products round f32 factors */
    CTRL_TF32_AWAY = 47,
    CTRL_OPEN = 48, /* stores of the accumulator keep infinities and NaN */
    CTRL_KEEP_NAN = 50
};

static inline unsigned ctrl_bits(const ptrt_core *core, int first, int n) {
    return (unsigned)(core->registers.ctrl >> first) & ((1u << n) - 1);
}

static inline int64_t up_to(int64_t n, int64_t unit) {
    return (n + unit - 1) / unit * unit;
}
static inline int64_t parts_of(int64_t n, int64_t unit) {
    return (n + unit - 1) / unit;
}

/* Returns the bytes of the left or right memory that hold matrices; their scales follow. */
static inline uint64_t matrix_bytes(const ptrt_core *core, int space) {
    return core->space_size[space] / (PTRT_BYTES_PER_SCALE + 1) * PTRT_BYTES_PER_SCALE;
}

/* Numbers that a block of 32 bytes has; two to a byte in pairs. */
static inline int64_t lanes_of(int elem) {
    if (elem == PTRT_F4E1M2X2 || elem == PTRT_F4E2M1X2) return 2 * (int64_t)BLOCK;
    return BLOCK / (int64_t)ptrt_elem_size(elem);
}
static inline bool is_pair(int elem) {
    return lanes_of(elem) > BLOCK;
}

/* Fails when one of the sizes is out of range: 0 .. 2^40, so that no sum of products overflows. */
int cube_check_sizes(ptrt_core *core, uint32_t line, const char *op, int n, const int64_t *sizes);
#define CHECK_SIZES(core, line, op, ...)                                                           \
    cube_check_sizes(core, line, op,                                                               \
                     (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),              \
                     (const int64_t[]){__VA_ARGS__})

/* A matrix in columns of rows of `row` bytes, of which the last column may use `last` only; columns
 * begin `pitch` bytes apart. */
typedef struct columns_of_rows {
    int64_t rows, columns, row, last, pitch;
} columns_of_rows;

/* Tells the sanitizer that the core reads or writes the matrix at p. */
void cube_touch(ptrt_core *core, const unsigned char *p, const columns_of_rows *m, bool writes);
/* Returns the bytes from the first to the last one of the matrix. */
int64_t cube_extent(const columns_of_rows *m);

#endif
