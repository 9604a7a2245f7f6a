/* SPDX-License-Identifier: Apache-2.0 */
/* The loops and library functions of reference.h. */
#define _GNU_SOURCE
#include "reference.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Nothing that the loop reads or writes is known to be the same as the last time. */
#define AGAIN __asm__ volatile("" ::: "memory")
#define LOOP(name) void reference_##name(int64_t times, void *const *p, int64_t rows, int64_t cols)
#define EACH for (int64_t t = 0; t < times; t++)
#define OVER(i) for (int64_t i = 0; i < n; i++)

/* ---- elementwise ---- */

#define ADD(name, T)                                                                               \
    LOOP(name) {                                                                                   \
        const T *restrict a = p[0], *restrict b = p[1];                                            \
        T *restrict d = p[2];                                                                      \
        int64_t n = rows * cols;                                                                   \
        EACH {                                                                                     \
            OVER(i) d[i] = (T)(a[i] + b[i]);                                                       \
            AGAIN;                                                                                 \
        }                                                                                          \
    }
ADD(add_f32, float)
ADD(add_i32, uint32_t)
ADD(add_i16, uint16_t)
ADD(add_u8, uint8_t)

/* A call of the loop for each tile, and nothing around it. */
__attribute__((noinline)) static void body(float *restrict d, const float *restrict a,
                                           const float *restrict b, int64_t n) {
    OVER(i) d[i] = a[i] + b[i];
    AGAIN;
}

LOOP(body_f32) {
    EACH body(p[2], p[0], p[1], rows * cols);
}

LOOP(cmp_f32) {
    const float *restrict a = p[0], *restrict b = p[1];
    uint8_t *restrict d = p[2];
    int64_t n = rows * cols;
    EACH {
        OVER(i) d[i] = a[i] < b[i];
        AGAIN;
    }
}

/* By a mask in memory as wide as the elements: compilers make slower loops of bytes and bits. */
LOOP(select_f32) {
    static uint32_t mask[1 << 16];
    const uint32_t *restrict m = mask;
    const float *restrict a = p[0], *restrict b = p[1];
    float *restrict d = p[2];
    int64_t n = rows * cols;
    OVER(i) mask[i] = a[i] < b[i];
    EACH {
        OVER(i) d[i] = m[i] ? a[i] : b[i];
        AGAIN;
    }
}

LOOP(rsqrt_f32) {
    const float *restrict a = p[0];
    float *restrict d = p[1];
    int64_t n = rows * cols;
    EACH {
        OVER(i) d[i] = 1.0f / sqrtf(a[i]);
        AGAIN;
    }
}

LOOP(add_column_f32) {
    const float *restrict a = p[0], *restrict k = p[1];
    float *restrict d = p[2];
    EACH {
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < cols; c++)
                d[r * cols + c] = a[r * cols + c] + k[r];
        AGAIN;
    }
}

/* ---- memory ---- */

#define COPY(name, size)                                                                           \
    LOOP(name) {                                                                                   \
        EACH {                                                                                     \
            memcpy(p[1], p[0], (size_t)(rows * cols) * (size));                                    \
            AGAIN;                                                                                 \
        }                                                                                          \
    }
COPY(copy_32, 4)
COPY(copy_16, 2)
COPY(copy_8, 1)

LOOP(gather_f32) {
    const float *restrict a = p[0];
    const int32_t *restrict at = p[1];
    float *restrict d = p[2];
    int64_t n = rows * cols;
    EACH {
        OVER(i) d[i] = a[at[i]];
        AGAIN;
    }
}

LOOP(scatter_f32) {
    const float *restrict a = p[0];
    const int32_t *restrict at = p[1];
    float *restrict d = p[2];
    int64_t n = rows * cols;
    EACH {
        OVER(i) d[at[i]] = a[i];
        AGAIN;
    }
}

/* What is not written becomes 0. */
LOOP(scatter_cleared_f32) {
    const float *restrict a = p[0];
    const int32_t *restrict at = p[1];
    float *restrict d = p[2];
    int64_t n = rows * cols;
    EACH {
        memset(d, 0, (size_t)n * sizeof *d);
        AGAIN;
        OVER(i) d[at[i]] = a[i];
        AGAIN;
    }
}

/* ---- reductions ---- */

typedef float f32x8 __attribute__((vector_size(32)));

/* As fast as elements can be read: eight sums that do not wait for each other. */
LOOP(total_f32) {
    int64_t n = rows * cols / 8;
    const f32x8 *a = p[0];
    EACH {
        f32x8 s[8] = {0};
        for (int64_t i = 0; i + 8 <= n; i += 8)
            for (int k = 0; k < 8; k++)
                s[k] += a[i + k];
        f32x8 all = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
        memcpy(p[1], &all, sizeof all);
        AGAIN;
    }
}

/* The bytes of as many elements of 2 bytes and of one. */
LOOP(total_16) {
    reference_total_f32(times, p, rows, cols / 2);
}

LOOP(total_8) {
    reference_total_f32(times, p, rows, cols / 4);
}

LOOP(columns_total_f32) {
    reference_total_f32(times, p, rows, cols);
}

LOOP(columns_max_f32) {
    reference_total_f32(times, p, rows, cols);
}

/* ---- sorting ---- */

static int compare(const void *a, const void *b) {
    float x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x < y) - (x > y);
}

/* Value and place together, 32 at a time. */
LOOP(qsort_f32) {
    const float *a = p[0];
    struct {
        float v;
        uint32_t i;
    } *d = p[1];
    int64_t n = rows * cols;
    EACH {
        OVER(i) {
            d[i].v = a[i];
            d[i].i = (uint32_t)i;
        }
        for (int64_t i = 0; i + 32 <= n; i += 32)
            qsort(d + i, 32, sizeof *d, compare);
        AGAIN;
    }
}

/* ---- libraries ---- */

/* A function by name, in whatever type it is called with. */
static void find(const char *library, const char *name, void *function) {
    void *at = dlopen(library, RTLD_NOW);
    void *symbol = at != NULL ? dlsym(at, name) : NULL;
    memcpy(function, &symbol, sizeof symbol);
}

typedef f32x8 (*Vector1)(f32x8);
typedef f32x8 (*Vector2)(f32x8, f32x8);
typedef void (*Gemm)(int, int, int, int, int, int, float, const float *, int, const float *, int,
                     float, float *, int);

static void apply(Vector1 f, int64_t times, void *const *p, int64_t n) {
    const f32x8 *a = p[0];
    f32x8 *d = p[1];
    EACH {
        for (int64_t i = 0; i < n / 8; i++)
            d[i] = f(a[i]);
        AGAIN;
    }
}

LOOP(sleef_exp) {
    Vector1 f;
    find("libsleef.so.3", "Sleef_expf8_u10avx2", &f);
    apply(f, times, p, rows * cols);
}

LOOP(sleef_log) {
    Vector1 f;
    find("libsleef.so.3", "Sleef_cinz_logf8_u10avx", &f);
    apply(f, times, p, rows * cols);
}

LOOP(sleef_pow) {
    Vector2 f;
    const f32x8 *a = p[0], *b = p[1];
    f32x8 *d = p[2];
    find("libsleef.so.3", "Sleef_cinz_powf8_u10avx", &f);
    EACH {
        for (int64_t i = 0; i < rows * cols / 8; i++)
            d[i] = f(a[i], b[i]);
        AGAIN;
    }
}

/* rows x cols by cols x rows. */
LOOP(sgemm) {
    enum { ROW_MAJOR = 101, PLAIN = 111 };
    Gemm f;
    int m = (int)rows, k = (int)cols;
    find("libopenblas.so.0", "cblas_sgemm", &f);
    EACH f(ROW_MAJOR, PLAIN, PLAIN, m, m, k, 1, p[0], k, p[1], m, 0, p[2], m);
}

bool reference_has_sleef(void) {
    Vector1 f;
    find("libsleef.so.3", "Sleef_expf8_u10avx2", &f);
    return f != NULL;
}

bool reference_has_blas(void) {
    Gemm f;
    /* One thread, and the kernels of this level. */
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
    find("libopenblas.so.0", "cblas_sgemm", &f);
    return f != NULL;
}
