/* SPDX-License-Identifier: Apache-2.0 */
/* Whole kernels as one loop of plain C each: what bench_whole compares with. */
#ifndef TESTS_BENCH_WHOLE_H
#define TESTS_BENCH_WHOLE_H

#include <stdint.h>

/* bf16 in and out, f32 inside. */
void plain_rmsnorm(const uint16_t *x, const uint16_t *gain, uint16_t *y, int64_t rows,
                   int64_t cols);
/* softmax(q k^T / 8) v of `rows` rows and `keys` keys with 64 columns: f16 in, f32 out. */
void plain_attention(const void *q, const void *k, const void *v, float *o, int64_t rows,
                     int64_t keys);

/* Kernels of bench_chains.c. */
void plain_chain(const float *a, const float *b, float *out, int64_t n);
void plain_silu(const uint16_t *x, uint16_t *y, int64_t n);
void plain_gelu(const float *x, float *y, int64_t n);
void plain_softmax(const float *x, float *y, int64_t rows, int64_t cols);
void plain_layernorm(const float *x, const float *gain, const float *bias, float *y, int64_t rows,
                     int64_t cols);

#endif
