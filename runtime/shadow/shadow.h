/* SPDX-License-Identifier: Apache-2.0 */
/* shadow.h - inside libptort: `ptoasm run --shadow=f64`. Beside elements of memory it keeps the
 * numbers that they would be if every statement computed in f64, and compares the two. One thread
 * runs at a time. */
#ifndef PTORT_SHADOW_H
#define PTORT_SHADOW_H

#include "core/core.h"
#include "mem/copy.h"

/* A number in f64, and the relative error of the element that has its place in memory. */
typedef struct ptrt_num {
    double x, err;
} ptrt_num;

/* Elements as rows: their numbers, and where a destination has them. */
typedef struct ptrt_nums {
    int64_t rows, cols;
    ptrt_num *at;
    unsigned char **to; /* of a destination */
    int elem;
} ptrt_nums;

/* ---- memory.c ---- */

/* Returns the number beside the element at `p`: the stored value itself if nothing has been noted,
 * or something that is not followed has changed the element. */
ptrt_num ptrt_shadow_get(int elem, const unsigned char *p);
/* Notes the number beside the element that is now at `p`; false: out of memory. */
bool ptrt_shadow_put(int elem, const unsigned char *p, double x);
/* Forgets the numbers of this many bytes. */
void ptrt_shadow_forget(const unsigned char *p, uint64_t bytes);
void ptrt_shadow_forget_all(void);
/* Whether elements of this type have a number. */
bool ptrt_shadow_has(int elem);
/* Returns |stored - x| divided by the larger of both, or by the smallest normal number of the type
 * if that is larger still: from 0 to 2, where 1 is no correct digit. */
double ptrt_shadow_error(int elem, double stored, double x);
/* The largest relative error of one rounding to the type. */
double ptrt_shadow_roundoff(int elem);

/* ---- report.c ---- */

/* Whether code of the launch keeps numbers. */
extern bool ptrt_shadow_on;
/* After elements were copied as they are, by a statement that is no kernel: the numbers follow. */
void ptrt_shadow_move(int elem, const ptrt_grid *to, ptrt_corner to_at, const ptrt_grid *from,
                      ptrt_corner from_at, int64_t rows, int64_t cols);
/* Says that the numbers beside what the statement has written are right. */
void ptrt_shadow_keep(void);

/* ---- apply.c ---- */

typedef enum ptrt_shadow_way {
    PTRT_SHADOW_NONE,   /* no row of ops.def computes it */
    PTRT_SHADOW_STORED, /* its results are exact as they are stored */
    PTRT_SHADOW_KEPT,   /* it was moved, with its numbers */
    PTRT_SHADOW_DONE,   /* `out` has what it computes */
    PTRT_SHADOW_NOMEM
} ptrt_shadow_way;

/* Computes a kernel in f64. The arrays of `out` are valid until the next call. */
ptrt_shadow_way ptrt_shadow_apply(ptrt_core *core, uint32_t line, int kernel,
                                  const ptrt_shadow_arg *args, ptrt_nums *out);
/* Frees what it keeps between calls. */
void ptrt_shadow_drop(void);

#endif
