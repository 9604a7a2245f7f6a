/* SPDX-License-Identifier: Apache-2.0 */
/* What the tile kernels are measured against: the loops that one would write by hand, and functions
 * of well-known libraries where this machine has them. Compiled alone, with -O3 for x86-64-v3. Each
 * does its work `times` times on rows x cols dense elements at p[0], p[1] ..., the result last. */
#ifndef TESTS_BENCH_REFERENCE_H
#define TESTS_BENCH_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

typedef void (*Reference)(int64_t times, void *const *p, int64_t rows, int64_t cols);

/* clang-format off */
#define REFERENCES(X)                                                                              \
    X(add_f32) X(add_i32) X(add_i16) X(add_u8) X(body_f32) X(copy_32) X(copy_16) X(copy_8)         \
    X(total_f32) X(total_16) X(total_8) X(cmp_f32) X(select_f32) X(columns_max_f32)                \
    X(columns_total_f32) X(rsqrt_f32) X(add_column_f32) X(gather_f32) X(scatter_f32)               \
    X(scatter_cleared_f32) X(qsort_f32) X(sleef_exp) X(sleef_log) X(sleef_pow) X(sgemm)
/* clang-format on */
#define DECLARE(name)                                                                              \
    void reference_##name(int64_t times, void *const *p, int64_t rows, int64_t cols);
REFERENCES(DECLARE)
#undef DECLARE

/* Whether the libraries are there; without one its references are not to be called. */
bool reference_has_sleef(void);
bool reference_has_blas(void);

#endif
