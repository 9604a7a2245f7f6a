/* SPDX-License-Identifier: Apache-2.0 */
/* The table of sample kernels, each with a plain loop in double that computes the same. */
#include "kernels.h"

#include <math.h>
#include <string.h>

enum { ROWS = 41, COLS = 128, HALF = COLS / 2 };

static void softmax(double *const x[]) {
    for (int i = 0; i < ROWS; i++) {
        const double *in = x[0] + i * COLS;
        double *out = x[1] + i * COLS, sum = 0;
        for (int j = 0; j < COLS; j++)
            sum += out[j] = exp(in[j]);
        for (int j = 0; j < COLS; j++)
            out[j] /= sum;
    }
}

static void gelu(double *const x[]) {
    for (int i = 0; i < ROWS * COLS; i++) {
        const double v = x[0][i];
        x[1][i] = 0.5 * v * (1 + tanh(sqrt(2 / acos(-1)) * (v + 0.044715 * v * v * v)));
    }
}

static void rotary(double *const x[]) {
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < HALF; j++) {
            const double a = x[0][i * COLS + j], b = x[0][i * COLS + HALF + j];
            const double cosine = x[1][i * HALF + j], sine = x[2][i * HALF + j];
            x[3][i * COLS + j] = a * cosine - b * sine;
            x[3][i * COLS + HALF + j] = b * cosine + a * sine;
        }
}

static void silu(double *const x[]) {
    for (int i = 0; i < ROWS * COLS; i++)
        x[1][i] = x[0][i] / (1 + exp(-x[0][i]));
}

/* ---- by index ---- */

enum { BEST = 16, TOPK_ROWS = 5 };

/* The largest, and of equal ones the first, again and again. */
static void topk(double *const x[]) {
    for (int i = 0; i < TOPK_ROWS; i++) {
        bool taken[COLS] = {false};
        for (int k = 0; k < BEST; k++) {
            int best = -1;
            for (int j = 0; j < COLS; j++)
                if (!taken[j] && (best < 0 || x[0][i * COLS + j] > x[0][i * COLS + best])) best = j;
            taken[best] = true;
            x[1][i * BEST + k] = x[0][i * COLS + best];
            x[2][i * BEST + k] = best;
        }
    }
}

enum { VOCABULARY = 37, WIDTH = 64 };

/* Some ids are those of no word: the last one's row. */
static void embedding(double *const x[]) {
    for (int i = 0; i < ROWS; i++) {
        const int id = (int)x[1][i] < VOCABULARY ? (int)x[1][i] : VOCABULARY - 1;
        for (int j = 0; j < WIDTH; j++)
            x[2][i * WIDTH + j] = x[0][id * WIDTH + j];
    }
}

enum { BINS = 256 };

static void histogram(double *const x[]) {
    for (int i = 0; i < ROWS; i++)
        for (int b = 0; b < BINS; b++) {
            x[1][i * BINS + b] = 0;
            for (int j = 0; j < COLS; j++)
                x[1][i * BINS + b] += (int)x[0][i * COLS + j] / 256 <= b;
        }
}

static void masked(double *const x[]) {
    for (int i = 0; i < ROWS; i++) {
        x[1][i] = 0;
        for (int j = 0; j < COLS; j++)
            x[1][i] += x[0][i * COLS + j] > 0.5 ? x[0][i * COLS + j] : 0;
    }
}

/* ---- products ---- */

/* d = a * b: m x k by k x n. */
static void product(double *d, const double *a, const double *b, int m, int n, int k) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int p = 0; p < k; p++)
                s += a[i * k + p] * b[p * n + j];
            d[i * n + j] = s;
        }
}

enum { GEMM_M = 150, GEMM_N = 200, GEMM_K = 330 };
static void gemm(double *const x[]) {
    product(x[2], x[0], x[1], GEMM_M, GEMM_N, GEMM_K);
}

enum { QK_ROWS = 32, QK_COLS = 48, QK_DEPTH = 64 };
static void qk(double *const x[]) {
    for (int i = 0; i < QK_ROWS; i++)
        for (int j = 0; j < QK_COLS; j++) {
            double s = 0;
            for (int p = 0; p < QK_DEPTH; p++)
                s += x[0][i * QK_DEPTH + p] * x[1][j * QK_DEPTH + p];
            x[2][i * QK_COLS + j] = s;
        }
}

/* The scale of a word has 10 bits of mantissa; the product is one of f32. */
enum { BYTES_ROWS = 64, BYTES_COLS = 96, BYTES_DEPTH = 128 };
static const double word_sign = 0x1p46;
static void quantised(double *const x[]) {
    product(x[3], x[0], x[1], BYTES_ROWS, BYTES_COLS, BYTES_DEPTH);
    for (int i = 0; i < BYTES_ROWS; i++)
        for (int j = 0; j < BYTES_COLS; j++) {
            const uint32_t word = (uint32_t)(x[2][j] - word_sign) & ~0x1FFFu;
            float scale;
            memcpy(&scale, &word, sizeof scale);
            const double r = nearbyint((double)((float)x[3][i * BYTES_COLS + j] * scale));
            x[3][i * BYTES_COLS + j] = r < 0 ? 0 : r > 127 ? 127 : r;
        }
}

enum { PIPE_ROWS = 32, PIPE_COLS = 48, PIPE_DEPTH = 64 };
static void dequantised(double *const x[]) {
    product(x[2], x[0], x[1], PIPE_ROWS, PIPE_COLS, PIPE_DEPTH);
    for (int i = 0; i < PIPE_ROWS * PIPE_COLS; i++)
        x[2][i] = fmax(0, x[2][i] / 16) + 1;
}

/* Groups of rows, each with weights of its own. */
enum { GROUPS = 6, GROUP_DEPTH = 64, GROUP_COLS = 48, GROUP_ROWS = GROUPS * 75 };
static void experts(double *const x[]) {
    int first = 0;
    for (int e = 0; e < GROUPS; e++) {
        const int n = (int)x[2][e];
        product(x[3] + first * GROUP_COLS, x[0] + first * GROUP_DEPTH,
                x[1] + e * GROUP_DEPTH * GROUP_COLS, n, GROUP_COLS, GROUP_DEPTH);
        first += n;
    }
}

static void layernorm(double *const x[]) {
    for (int i = 0; i < ROWS; i++) {
        const double *in = x[0] + i * COLS;
        double mean = 0, variance = 0;
        for (int j = 0; j < COLS; j++)
            mean += in[j] / COLS;
        for (int j = 0; j < COLS; j++)
            variance += (in[j] - mean) * (in[j] - mean) / COLS;
        for (int j = 0; j < COLS; j++)
            x[3][i * COLS + j] = (in[j] - mean) / sqrt(variance + 1e-5) * x[1][j] + x[2][j];
    }
}

enum { CHUNKS = 4, WIDE = CHUNKS * 256 };

static void rmsnorm(double *const x[]) {
    for (int i = 0; i < ROWS; i++) {
        const double *in = x[0] + i * WIDE;
        double mean = 0;
        for (int j = 0; j < WIDE; j++)
            mean += in[j] * in[j] / WIDE;
        for (int j = 0; j < WIDE; j++)
            x[2][i * WIDE + j] = in[j] / sqrt(mean + 1e-6) * x[1][j];
    }
}

enum { QUERIES = 64, KEYS = 192, DEPTH = 64 };

static double weight(const double *q, const double *k) {
    double sum = 0;
    for (int d = 0; d < DEPTH; d++)
        sum += q[d] * k[d];
    return exp(sum / 8);
}

static void flash_attention(double *const x[]) {
    for (int i = 0; i < QUERIES; i++) {
        double weights[KEYS], sum = 0;
        for (int j = 0; j < KEYS; j++)
            sum += weights[j] = weight(x[0] + i * DEPTH, x[1] + j * DEPTH);
        for (int d = 0; d < DEPTH; d++) {
            double *out = x[3] + i * DEPTH + d;
            for (int j = 0; j < KEYS; j++)
                *out += weights[j] / sum * x[2][j * DEPTH + d];
        }
    }
}

const Kernel kernels[] = {
    {.name = "rmsnorm",
     .blocks = 3,
     .arrays = {{"x", PTRT_BF16, ROWS, WIDE, -3, 3},
                {"gain", PTRT_BF16, 1, WIDE, -2, 2},
                {"y", PTRT_BF16, ROWS, WIDE, 0, 0}},
     .scalars = {"rows=41", "chunks=4"},
     .tolerance = 0x1p-8,
     .reference = rmsnorm},
    {.name = "flash_attention",
     .blocks = 2,
     .arrays = {{"q", PTRT_F16, QUERIES, DEPTH, -2, 2},
                {"k", PTRT_F16, KEYS, DEPTH, -2, 2},
                {"v", PTRT_F16, KEYS, DEPTH, -2, 2},
                {"o", PTRT_F32, QUERIES, DEPTH, 0, 0},
                {"slots", PTRT_F32, 2, 16384, 0, 1}},
     .scalars = {"blocks=2", "chunks=3"},
     .tolerance = 1e-3,
     .reference = flash_attention},
    {.name = "layernorm",
     .blocks = 3,
     .arrays = {{"x", PTRT_F32, ROWS, COLS, -3, 5},
                {"gain", PTRT_F32, 1, COLS, 0, 2},
                {"bias", PTRT_F32, 1, COLS, -1, 1},
                {"y", PTRT_F32, ROWS, COLS, 0, 0}},
     .scalars = {"rows=41"},
     .tolerance = 1e-5,
     .reference = layernorm},
    {.name = "qk",
     .blocks = 1,
     .arrays = {{"q", PTRT_F16, QK_ROWS, QK_DEPTH, -2, 2},
                {"k", PTRT_F16, QK_COLS, QK_DEPTH, -2, 2},
                {"s", PTRT_F32, QK_ROWS, QK_COLS, 0, 0}},
     .tolerance = 1e-5,
     .reference = qk},
    {.name = "gemm",
     .dps_only = true,
     .blocks = 4,
     .arrays = {{"a", PTRT_F16, GEMM_M, GEMM_K, -2, 2},
                {"b", PTRT_F16, GEMM_K, GEMM_N, -2, 2},
                {"c", PTRT_F32, GEMM_M, GEMM_N, 0, 0}},
     .scalars = {"m=150", "n=200", "k=330"},
     .tolerance = 1e-4,
     .reference = gemm},
    {.name = "quantised",
     .blocks = 2,
     .arrays = {{"x", PTRT_I8, BYTES_ROWS, BYTES_DEPTH, -128, 128},
                {"w", PTRT_I8, BYTES_DEPTH, BYTES_COLS, -20, 21},
                {"words", PTRT_U64, 1, BYTES_COLS, 0x1p46 + 0x3A000000, 0x1p46 + 0x3C000000},
                {"y", PTRT_I8, BYTES_ROWS, BYTES_COLS, 0, 0}},
     .scalars = {"rows=64"},
     .reference = quantised},
    {.name = "dequantised",
     .profile = "a5",
     .dps_only = true,
     .blocks = 1,
     .arrays = {{"x", PTRT_I8, PIPE_ROWS, PIPE_DEPTH, -128, 128},
                {"w", PTRT_I8, PIPE_DEPTH, PIPE_COLS, -20, 21},
                {"y", PTRT_F16, PIPE_ROWS, PIPE_COLS, 0, 0}},
     .tolerance = 0x1p-9,
     .reference = dequantised},
    {.name = "experts",
     .dps_only = true,
     .blocks = GROUPS,
     .arrays = {{"x", PTRT_BF16, GROUP_ROWS, GROUP_DEPTH, -2, 2},
                {"w", PTRT_BF16, GROUPS *GROUP_DEPTH, GROUP_COLS, -1, 1},
                {"counts", PTRT_I32, 1, GROUPS, 0, 76},
                {"y", PTRT_BF16, GROUP_ROWS, GROUP_COLS, 0, 0}},
     .scalars = {"rows=450", "experts=6"},
     .tolerance = 0x1p-8,
     .reference = experts},
    {.name = "silu",
     .profile = "a5",
     .blocks = 3,
     .arrays = {{"x", PTRT_BF16, ROWS, COLS, -20, 20}, {"y", PTRT_BF16, ROWS, COLS, 0, 0}},
     .scalars = {"rows=41"},
     .tolerance = 0x1p-8,
     .reference = silu},
    {.name = "softmax",
     .blocks = 3,
     .arrays = {{"x", PTRT_F32, ROWS, COLS, -9, 9}, {"y", PTRT_F32, ROWS, COLS, 0, 0}},
     .scalars = {"rows=41"},
     .tolerance = 1e-6,
     .reference = softmax},
    {.name = "gelu",
     .blocks = 3,
     .arrays = {{"x", PTRT_F32, ROWS, COLS, -5, 5}, {"y", PTRT_F32, ROWS, COLS, 0, 0}},
     .scalars = {"rows=41"},
     .tolerance = 1e-6,
     .reference = gelu},
    {.name = "rotary",
     .blocks = 3,
     .arrays = {{"x", PTRT_F32, ROWS, COLS, -2, 2},
                {"cos", PTRT_F32, ROWS, HALF, -1, 1},
                {"sin", PTRT_F32, ROWS, HALF, -1, 1},
                {"y", PTRT_F32, ROWS, COLS, 0, 0}},
     .scalars = {"rows=41"},
     .tolerance = 1e-6,
     .reference = rotary},
    {.name = "topk",
     .blocks = TOPK_ROWS,
     .arrays = {{"x", PTRT_F32, TOPK_ROWS, COLS, -9, 9},
                {"values", PTRT_F32, TOPK_ROWS, BEST, 0, 0},
                {"places", PTRT_U32, TOPK_ROWS, BEST, 0, 0}},
     .scalars = {"rows=5"},
     .reference = topk},
    {.name = "embedding",
     .blocks = 3,
     .arrays = {{"table", PTRT_F32, VOCABULARY, WIDTH, -2, 2},
                {"ids", PTRT_I32, 1, ROWS, 0, VOCABULARY + 3},
                {"y", PTRT_F32, ROWS, WIDTH, 0, 0}},
     .scalars = {"words=37", "n=41"},
     .reference = embedding},
    {.name = "histogram",
     .profile = "a5",
     .blocks = 2,
     .arrays = {{"x", PTRT_U16, ROWS, COLS, 0, 65536}, {"total", PTRT_U32, ROWS, BINS, 0, 0}},
     .scalars = {"rows=41"},
     .reference = histogram},
    {.name = "masked",
     .blocks = 3,
     .arrays = {{"x", PTRT_F32, ROWS, COLS, -2, 2}, {"y", PTRT_F32, ROWS, 1, 0, 0}},
     .scalars = {"least=0.5", "rows=41"},
     .tolerance = 1e-5,
     .reference = masked},
};
const int kernel_count = sizeof kernels / sizeof kernels[0];
