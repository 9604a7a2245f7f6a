/* SPDX-License-Identifier: Apache-2.0 */
/* make.c - bodies that generate values: sequences, random words, histograms. */
#include "ptort_emitted.h"

#include "kern/kern.h"
#include "kern/vec.h"

/* ---- Philox-4x32 ---- */

enum { LANES = 64, WORDS = 4 };

/* Computes counter + l for LANES lanes l, as four vectors of words. */
static void spread_counter(const uint32_t *counter, uint32_t (*c)[LANES]) {
    for (uint32_t l = 0; l < LANES; l++) {
        const uint32_t w0 = counter[0] + l, carry0 = w0 < l;
        const uint32_t w1 = counter[1] + carry0, carry1 = w1 < carry0;
        const uint32_t w2 = counter[2] + carry1, carry2 = w2 < carry1;
        c[0][l] = w0;
        c[1][l] = w1;
        c[2][l] = w2;
        c[3][l] = counter[3] + carry2;
    }
}

static void philox_rounds(uint32_t (*c)[LANES], uint32_t k0, uint32_t k1, unsigned rounds) {
    for (; rounds > 0; rounds--, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        for (int l = 0; l < LANES; l++) {
            const uint64_t p = (uint64_t)c[0][l] * 0xD2511F53u;
            const uint64_t q = (uint64_t)c[2][l] * 0xCD9E8D57u;
            const uint32_t c1 = c[1][l], c3 = c[3][l];
            c[0][l] = (uint32_t)(q >> 32) ^ c1 ^ k0;
            c[1][l] = (uint32_t)q;
            c[2][l] = (uint32_t)(p >> 32) ^ c3 ^ k1;
            c[3][l] = (uint32_t)p;
        }
    }
}

static void advance(uint32_t *counter, uint32_t by) {
    for (int w = 0; w < WORDS && by != 0; w++) {
        counter[w] += by;
        by = counter[w] < by;
    }
}

/* The words of lane l go to columns 4 l .. 4 l + 3 of a chunk. */
static void random_philox_u32(const ptrt_args *x) {
    ptrt_philox *state = x->how;
    uint32_t c[WORDS][LANES], chunk[LANES * WORDS];
    const size_t cols = x->cols;
    s_u32 *d = x->p[0];
    for (size_t r = 0; r < x->rows; r++, d += x->ld[0]) {
        for (size_t at = 0; at < cols; at += LANES * WORDS) {
            const size_t left = cols - at, n = left < LANES * WORDS ? left : LANES * WORDS;
            spread_counter(state->counter, c);
            philox_rounds(c, state->key[0], state->key[1], state->rounds);
            for (int l = 0; l < LANES; l++)
                for (int w = 0; w < WORDS; w++)
                    chunk[WORDS * l + w] = c[w][l];
            memcpy(d + at, chunk, n * sizeof *chunk);
            advance(state->counter,
                    left > LANES * WORDS ? LANES : (uint32_t)((cols - 1) % LANES) + 1);
        }
    }
}

/* ---- histograms ---- */

enum { BINS = 256, TABLES = 4 };

/* clang-format off */

/* Counts neighbours in different tables, so that the updates of equal neighbours do not depend on
 * each other. */
#define HISTOGRAM(E)                                                                               \
    static void count_row_##E(uint32_t *d, const s_##E *s, size_t cols, unsigned shift,            \
                              uint32_t mask, uint32_t want) {                                      \
        uint32_t table[TABLES][BINS] = {{0}}, total = 0;                                           \
        for (size_t c = 0; c < cols; c++) {                                                        \
            const uint32_t x = s[c];                                                               \
            table[c % TABLES][x >> shift & 255] += (x & mask) == want;                             \
        }                                                                                          \
        for (int b = 0; b < BINS; b++) {                                                           \
            for (int t = 0; t < TABLES; t++)                                                       \
                total += table[t][b];                                                              \
            d[b] = total;                                                                          \
        }                                                                                          \
    }                                                                                              \
    static void histogram_count_##E(const ptrt_args *x) {                                          \
        const ptrt_bins *how = x->how;                                                             \
        const s_##E *s = x->p[0];                                                                  \
        uint32_t *d = x->p[2];                                                                     \
        for (size_t r = 0; r < x->rows; r++, s += x->ld[0], d += x->ld[2])                         \
            count_row_##E(d, s, x->cols, how->shift, how->filter[2 * r], how->filter[2 * r + 1]);  \
    }
HISTOGRAM(u16)
HISTOGRAM(u32)

#define SEQUENCE(E)                                                                                \
    static void sequence_count_##E(const ptrt_args *x) {                                           \
        const uint64_t start = *(const s_##E *)x->k, step = *(const int *)x->how ? UINT64_MAX : 1; \
        s_##E *d = x->p[0];                                                                        \
        const size_t cols = x->cols;                                                               \
        for (size_t c = 0; c < cols; c++)                                                          \
            d[c] = (s_##E)(start + step * c);                                                      \
    }
SEQUENCE(u16)
SEQUENCE(u32)
/* clang-format on */
#include "kern/family.h"
