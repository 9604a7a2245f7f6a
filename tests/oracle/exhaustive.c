/* SPDX-License-Identifier: Apache-2.0 */
/* exhaustive.c - kernels of one f32 operand on every value there is, against libm in double
 * precision: the largest error in units in the last place, and the same bits on every
 * instruction-set level. Takes a minute a kernel and level.
 *
 * usage: exhaustive [STEP]; with a step only every STEP-th value is tried. */
#include "isa.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Function {
    const char *name;
    int kernel;
    double (*exact)(double);
    double ulps; /* at most */
} Function;

static double reciprocal(double x) {
    return 1 / x;
}
static double reciprocal_root(double x) {
    return 1 / sqrt(x);
}

static const Function functions[] = {
    {"exp", PTRT_TEXP, exp, 1.0},
    {"log", PTRT_TLOG, log, 1.0},
    {"reciprocal", PTRT_TRECIP, reciprocal, 0.5},
    {"reciprocal root", PTRT_TRSQRT, reciprocal_root, 1.0},
    {"root", PTRT_TSQRT, sqrt, 0.5},
};

typedef struct Result {
    uint64_t digest;
    double worst;
    float at;
    long bad;
} Result;

/* Of a result that should be `want`; what is beyond the largest float rounds to infinity. */
static double error_of(float got, double want) {
    const double most =
        0x1.ffffffp127; /* halfway from the largest float to the next power of two */
    if (isnan(want)) return isnan(got) ? 0 : INFINITY;
    if (fabs(want) >= most) return isinf(got) && (got > 0) == (want > 0) ? 0 : INFINITY;
    if (isnan(got) || isinf(got)) return INFINITY;
    int e;
    frexp(want, &e);
    return fabs((double)got - want) / ldexp(1, (e < -125 ? -125 : e) - 24);
}

static void judge(const Function *f, const float *x, const float *y, size_t n, Result *r) {
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = 0x7FC00000;
        if (!isnan(y[i])) memcpy(&bits, &y[i], sizeof bits);
        r->digest = (r->digest ^ bits) * 0x100000001b3u;
        double error = error_of(y[i], f->exact(x[i]));
        r->bad += !(error <= f->ulps);
        if (error > r->worst) {
            r->worst = error;
            r->at = x[i];
        }
    }
}

static Result run(const Function *f, const char *level, uint64_t step) {
    enum { BLOCK = 4096 };
    static float x[BLOCK], y[BLOCK];
    Result r = {.digest = 0xcbf29ce484222325u};
    ptrt_map1_fn body = (ptrt_map1_fn)ptrt_kernel_find(f->kernel, PTRT_F32, PTRT_ANY, level);
    for (uint64_t first = 0; first < (uint64_t)1 << 32; first += BLOCK * step) {
        for (size_t i = 0; i < BLOCK; i++) {
            uint32_t bits = (uint32_t)(first + i * step);
            memcpy(&x[i], &bits, sizeof bits);
        }
        body(y, x, 1, BLOCK, BLOCK, BLOCK);
        judge(f, x, y, BLOCK, &r);
    }
    return r;
}

int main(int argc, char **argv) {
    static const char *const levels[] = {"v2", "v3", "v4", "base"};
    uint64_t step = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, digest = 0;
    int failures = 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && step > 0; i++) {
        const Function *f = &functions[i];
        bool first = true;
        for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
            if (ptrt_kernel_find(f->kernel, PTRT_F32, PTRT_ANY, levels[k]) == NULL) continue;
            Result r = run(f, levels[k], step);
            printf("%s %s: at most %.4f ULP, at %a; %ld above %g; digest %016llx\n", f->name,
                   levels[k], r.worst, (double)r.at, r.bad, f->ulps, (unsigned long long)r.digest);
            failures += r.bad > 0 || (!first && r.digest != digest);
            if (first) digest = r.digest;
            first = false;
        }
    }
    return failures > 0;
}
