/* SPDX-License-Identifier: Apache-2.0 */
/* whole.c - the loops of whole.h. */
#include "whole.h"

#include <immintrin.h>
#include <math.h>
#include <string.h>

/* ---- rmsnorm ---- */

static float of_bf16(uint16_t h) {
    uint32_t bits = (uint32_t)h << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint16_t to_bf16(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (uint16_t)((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

void plain_rmsnorm(const uint16_t *restrict x, const uint16_t *restrict gain, uint16_t *restrict y,
                   int64_t rows, int64_t cols) {
    for (int64_t r = 0; r < rows; r++, x += cols, y += cols) {
        /* As many sums as a vector has lanes: one would be a chain of additions. */
        float part[32] = {0}, sum = 0;
        for (int64_t c = 0; c < cols; c += 32)
            for (int i = 0; i < 32; i++) {
                const float f = of_bf16(x[c + i]);
                part[i] += f * f;
            }
        for (int i = 0; i < 32; i++)
            sum += part[i];
        const float by = 1.0f / sqrtf(sum / (float)cols + 0.000001f);
        for (int64_t c = 0; c < cols; c++)
            y[c] = to_bf16(of_bf16(x[c]) * by * of_bf16(gain[c]));
    }
}

/* ---- chains: the loops that one would write, without vector functions ---- */

void plain_chain(const float *restrict a, const float *restrict b, float *restrict out, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const float c = a[i] + b[i], d = c * a[i], e = d - b[i];
        out[i] = e > c ? e : c;
    }
}

void plain_silu(const uint16_t *restrict x, uint16_t *restrict y, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const float f = of_bf16(x[i]);
        y[i] = to_bf16(f / (1 + expf(-f)));
    }
}

void plain_gelu(const float *restrict x, float *restrict y, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] / (1 + expf(-1.5957691216f * (x[i] * x[i] * 0.044715f + 1) * x[i]));
}

enum { LANES = 16 };

static float sum_of(const float *part) {
    float sum = 0;
    for (int i = 0; i < LANES; i++)
        sum += part[i];
    return sum;
}

void plain_softmax(const float *restrict x, float *restrict y, int64_t rows, int64_t cols) {
    for (int64_t r = 0; r < rows; r++, x += cols, y += cols) {
        float part[LANES], most;
        memcpy(part, x, sizeof part);
        for (int64_t c = LANES; c < cols; c += LANES)
            for (int i = 0; i < LANES; i++)
                part[i] = part[i] > x[c + i] ? part[i] : x[c + i];
        most = part[0];
        for (int i = 1; i < LANES; i++)
            most = most > part[i] ? most : part[i];
        for (int64_t c = 0; c < cols; c++)
            y[c] = expf(x[c] - most);
        memset(part, 0, sizeof part);
        for (int64_t c = 0; c < cols; c += LANES)
            for (int i = 0; i < LANES; i++)
                part[i] += y[c + i];
        const float all = sum_of(part);
        for (int64_t c = 0; c < cols; c++)
            y[c] /= all;
    }
}

void plain_layernorm(const float *restrict x, const float *restrict gain,
                     const float *restrict bias, float *restrict y, int64_t rows, int64_t cols) {
    for (int64_t r = 0; r < rows; r++, x += cols, y += cols) {
        float part[LANES] = {0};
        for (int64_t c = 0; c < cols; c += LANES)
            for (int i = 0; i < LANES; i++)
                part[i] += x[c + i];
        const float mean = sum_of(part) / (float)cols;
        memset(part, 0, sizeof part);
        for (int64_t c = 0; c < cols; c += LANES)
            for (int i = 0; i < LANES; i++) {
                const float d = x[c + i] - mean;
                part[i] += d * d;
            }
        const float by = sqrtf(sum_of(part) / (float)cols + 1e-5f);
        for (int64_t c = 0; c < cols; c++)
            y[c] = (x[c] - mean) / by * gain[c] + bias[c];
    }
}

/* ---- attention ---- */

enum { WIDTH = 64 };

/* C has no portable f16. */
static void of_f16(float *d, const void *s) {
    const __m128i *p = s;
    for (int i = 0; i < WIDTH / 8; i++)
        _mm256_storeu_ps(d + 8 * i, _mm256_cvtph_ps(_mm_loadu_si128(p + i)));
}

/* Key by key: a larger score scales what has been added so far. */
void plain_attention(const void *qp, const void *kp, const void *vp, float *restrict o,
                     int64_t rows, int64_t keys) {
    const uint16_t *restrict q = qp, *restrict k = kp, *restrict v = vp;
    for (int64_t r = 0; r < rows; r++, o += WIDTH) {
        float row[WIDTH], key[WIDTH], value[WIDTH], sum[WIDTH] = {0}, most = -INFINITY, all = 0;
        of_f16(row, q + r * WIDTH);
        for (int c = 0; c < WIDTH; c++)
            row[c] *= 0.125f;
        for (int64_t j = 0; j < keys; j++) {
            float part[16] = {0}, score = 0;
            of_f16(key, k + j * WIDTH);
            of_f16(value, v + j * WIDTH);
            for (int c = 0; c < WIDTH; c += 16)
                for (int i = 0; i < 16; i++)
                    part[i] += row[c + i] * key[c + i];
            for (int i = 0; i < 16; i++)
                score += part[i];
            if (score > most) {
                const float by = expf(most - score);
                all *= by;
                for (int c = 0; c < WIDTH; c++)
                    sum[c] *= by;
                most = score;
            }
            const float weight = expf(score - most);
            all += weight;
            for (int c = 0; c < WIDTH; c++)
                sum[c] += weight * value[c];
        }
        for (int c = 0; c < WIDTH; c++)
            o[c] = sum[c] / all;
    }
}
