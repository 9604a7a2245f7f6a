/* SPDX-License-Identifier: Apache-2.0 */
/* micro_plain.c - what the functions of micro.pto compute, written by hand on arrays, with the
 * vectors of the runtime. */
#include "micro_plain.h"

#include "kern/exp.h"
#include "kern/mask.h"

enum { N = 1024, ROWS = 8, COLS = 128 };

void plain_add(float *ub, int n) {
    const float *restrict a = ub, *restrict b = ub + N;
    float *restrict out = ub + 2 * N;
    for (int i = 0; i < n; i++)
        out[i] = a[i] + b[i];
}

static uint16_t to_bf16(uint32_t bits) {
    const uint32_t size = bits & 0x7FFFFFFF;
    uint32_t r = size + 0x7FFF + (size >> 16 & 1);
    r = r > 0x7F7FFFFF ? 0x7F7F0000 : r;
    r = size > 0x7F800000 ? 0 : r | (bits & 0x80000000);
    return (uint16_t)(r >> 16);
}

void plain_convert(float *ub, int n) {
    const uint32_t *restrict in = (const uint32_t *)(const void *)ub;
    uint16_t *restrict out = (uint16_t *)(void *)(ub + 2 * N);
    (void)n;
    for (int c = 0; c < N; c += 128, in += 128, out += 128)
        for (int i = 0; i < 64; i++) {
            out[2 * i] = to_bf16(in[i]);
            out[2 * i + 1] = to_bf16(in[i + 64]);
        }
}

void plain_gather(float *ub, int n) {
    const float *restrict a = ub;
    const uint32_t *restrict at = (const uint32_t *)(const void *)(ub + N);
    float *restrict out = ub + 2 * N;
    for (int i = 0; i < n; i++)
        out[i] = a[at[i]];
}

static float sum_of(v_f32 x) {
    float s = 0;
    for (int i = 0; i < N_f32; i++)
        s += x[i];
    return s;
}

void plain_select(float *ub, int n) {
    const float *a = ub, *b = ub + N;
    for (int c = 0; c < N / 64; c++, a += 64, b += 64) {
        v_f32 s = {0};
        int i = 0, k = n - c * 64;
        k = k > 64 ? 64 : k;
        for (; i + N_f32 <= k; i += N_f32) {
            const v_f32 x = ld_f32(a + i), y = ld_f32(b + i);
            s += SELECT(v_f32, x < y, x, y);
        }
        float t = sum_of(s);
        for (; i < k; i++)
            t += a[i] < b[i] ? a[i] : b[i];
        ub[2 * N + c] = t;
    }
}

static float largest_of(v_f32 x) {
    float m = x[0];
    for (int i = 1; i < N_f32; i++)
        m = x[i] > m ? x[i] : m;
    return m;
}

/* `n` is a multiple of a vector. */
void plain_softmax(float *ub, int n) {
    float *out = ub + 2 * N, *maxima = ub + 5 * N, *sums = ub + 5 * N + 128;
    for (int r = 0; r < ROWS; r++) {
        const float *x = ub + r * COLS, old = ub[N + r];
        float *o = out + r * COLS;
        v_f32 m = splat_of_f32(old), s = {0};
        for (int c = 0; c < n; c += N_f32) {
            const v_f32 v = ld_f32(x + c);
            m = SELECT(v_f32, m < v, v, m);
        }
        const float largest = largest_of(m);
        const v_f32 all = splat_of_f32(largest);
        for (int c = 0; c < n; c += N_f32) {
            const v_f32 e = exp_f32(ld_f32(x + c) - all);
            s += e;
            st_f32(o + c, e);
        }
        const v_f32 ratio = exp_f32(splat_of_f32(old) - all);
        const float sum = sum_of(s) + ratio[0] * old;
        maxima[r] = largest;
        sums[r] = ratio[0] * old / sum;
        for (int c = 0; c < n; c += N_f32)
            st_f32(o + c, ld_f32(o + c) / splat_of_f32(sum));
    }
}
