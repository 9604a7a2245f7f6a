/* stage.h - loops over neighbouring elements of two types, whose vectors are made by one
 * expression: what conversions are composed of. */
#ifndef PTORT_KERN_STAGE_H
#define PTORT_KERN_STAGE_H

#include "kern/narrow.h"

/* n elements; `how` as in ptrt_cvt_fn. In place where the elements are as large. */
typedef void (*stage)(void *d, const void *s, size_t n, unsigned how);

/* STEP elements of SS bytes at s become as many of DS bytes at d by EXPR, TIMES of that in a round.
 * The last ones of a row go through a buffer. */
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
/* For what costs hardly more than its loop. */
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
/* Clamped, and with PTRT_UNCLAMPED. */
#define CLAMPED(NAME, STEP, SS, DS, EXPR, UNCLAMPED)                                               \
    STAGE(NAME,                                                                                    \
          if (how & PTRT_UNCLAMPED) LOOP(STEP, SS, DS, UNCLAMPED) else LOOP(STEP, SS, DS, EXPR))

#endif
