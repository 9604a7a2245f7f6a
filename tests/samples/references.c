/* The table of sample kernels, each with a plain loop in double that computes the same. */
#include "kernels.h"

#include <math.h>

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

const Kernel kernels[] = {
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
};
const int kernel_count = sizeof kernels / sizeof kernels[0];
