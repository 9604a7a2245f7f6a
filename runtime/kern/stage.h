/* SPDX-License-Identifier: Apache-2.0 */
/* stage.h - macros for loops over contiguous elements of two types, given the expression for one
 * vector. Conversions are composed of them. */
#ifndef PTORT_KERN_STAGE_H
#define PTORT_KERN_STAGE_H

#include "kern/narrow.h"

/* Converts n elements; `how` as in ptrt_cvt_fn. d may be s if the elements have the same size. */
typedef void (*stage)(void *d, const void *s, size_t n, unsigned how);

/* Makes STEP elements of DS bytes at d from as many of SS bytes at s by EXPR, TIMES times per
 * iteration. The last elements of a row go through a buffer. */
#define ROUNDS(TIMES, STEP, SS, DS, EXPR)                                                          \
    for (; n >= (TIMES) * (STEP); n -= (TIMES) * (STEP)) {                                         \
        for (int k = 0; k < (TIMES); k++, s += (STEP) * (SS), d += (STEP) * (DS)) {                \
            EXPR;                                                                                  \
        }                                                                                          \
    }
#define LOOP(STEP, SS, DS, EXPR)                                                                   \
    {                                                                                              \
        ROUNDS(1, STEP, SS, DS, EXPR)                                                              \
        if (n > 0) {                                                                               \
            unsigned char sources[(STEP) * (SS)] = {0}, results[(STEP) * (DS)];                    \
            unsigned char *const end = d;                                                          \
            memcpy(sources, s, n *(SS));                                                           \
            s = sources;                                                                           \
            d = results;                                                                           \
            EXPR;                                                                                  \
            memcpy(end, results, n *(DS));                                                         \
        }                                                                                          \
    }
/* For expressions that cost hardly more than the loop. */
#define UNROLLED(STEP, SS, DS, EXPR)                                                               \
    { ROUNDS(4, STEP, SS, DS, EXPR) LOOP(STEP, SS, DS, EXPR) }
#define STAGE(NAME, BODY)                                                                          \
    static void NAME(void *dp, const void *sp, size_t n, unsigned how) {                           \
        unsigned char *d = dp;                                                                     \
        const unsigned char *s = sp;                                                               \
        (void)how;                                                                                 \
        BODY                                                                                       \
    }
#define VECTORS(NAME, STEP, SS, DS, EXPR) STAGE(NAME, LOOP(STEP, SS, DS, EXPR))
#define CHEAP(NAME, STEP, SS, DS, EXPR) STAGE(NAME, UNROLLED(STEP, SS, DS, EXPR))
/* With one expression for clamping and one for PTRT_UNCLAMPED. */
#define CLAMPED(NAME, STEP, SS, DS, EXPR, UNCLAMPED)                                               \
    STAGE(NAME,                                                                                    \
          if (how & PTRT_UNCLAMPED) LOOP(STEP, SS, DS, UNCLAMPED) else LOOP(STEP, SS, DS, EXPR))

#endif
