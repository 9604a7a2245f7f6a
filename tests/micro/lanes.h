/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.h - the oracle of micro-instructions: every body of ptort_micro.def, for every element type
 * and every level of the machine, against a formula that shares no code with it.
 *
 * For every row BODY a file formula_<family>.c has one FORMULA(ID, ...); a row without one does not
 * link. The usual formula gives one lane:
 *
 *     static Num add(const Trial *t, const Num *x) {
 *         return is_real(t) ? real(x[0].f + x[1].f) : wrap_add(x[0].i, x[1].i);
 *     }
 *     FORMULA(VADD, .lane = add);
 *
 * x[k] is the lane of register k, or the scalar after the registers. The result is rounded to the
 * type of the lane; inactive lanes are 0. Instead of .lane:
 *     .code   the same, but gives the bits of the lane
 *     .bits   the same, from the bits of the lanes
 *     .real   the same in long double; the body may be .ulps away from it
 *     .merges with one of these: an inactive lane keeps its bits in register `merges` - 1
 *     .run    everything else: calls the body itself (CALL_BODY) and judges it with same_register()
 *             and the like.
 * A trial has noise, special or ordinary values in its registers and a mask of one of several
 * kinds: all lanes, the first ones, none, any bits. `--case=ID,E1,E2,LEVEL,N` runs one trial. */
#ifndef TESTS_MICRO_LANES_H
#define TESTS_MICRO_LANES_H

#include "codec.h"
#include "random.h"

#include "core/core.h"
#include "isa.h"
#include "ptort_micro.h"

enum { IN = 4, BYTES = 256, MEMORY = 4096 };

typedef struct Trial Trial;

typedef struct Formula {
    Num (*lane)(const Trial *t, const Num *x);
    uint64_t (*code)(const Trial *t, const Num *x);
    uint64_t (*bits)(const Trial *t, const uint64_t *x);
    long double (*real)(const Trial *t, const Num *x);
    double ulps;
    int merges;
    void (*run)(Trial *t);
} Formula;

struct Trial {
    const char *id, *level;
    int number;
    ptrt_body body;
    int e1, e2; /* element types; PTRT_ANY for what the row does not name */
    const Formula *formula;
    ptrt_core *core; /* has MEMORY bytes of vector memory, with noise */
    unsigned char *memory;
    Random random;
    ptrt_vreg in[IN]; /* lanes of e1, aligned to 64 */
    ptrt_mask mask;
    uint64_t scalar; /* bits of an element of e1 */
    bool failed;
};

#define FORMULA(id, ...) const Formula formula_##id = {__VA_ARGS__}

/* Calls the body of the trial as one of the shape: CALL_BODY(t, lanes1)(&out, &t->in[0], &t->mask).
 */
#define CALL_BODY(t, shape) ((ptrt_##shape##_fn)(t)->body)

static inline bool is_real(const Trial *t) {
    return elem_is_real(t->e1);
}
static inline Num real(double v) {
    return (Num){0, v};
}
static inline Num whole(int64_t v) {
    return (Num){v, 0};
}
static inline int64_t wrap_add(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}
static inline int64_t wrap_sub(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a - (uint64_t)b);
}
static inline int64_t wrap_mul(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* The bits and the value of a lane of `elem`, and whether a mask has it. */
uint64_t lane_get(const ptrt_vreg *r, int elem, unsigned i);
void lane_set(ptrt_vreg *r, int elem, unsigned i, uint64_t bits);
static inline Num lane_value(const ptrt_vreg *r, int elem, unsigned i) {
    return num_of(elem, lane_get(r, elem, i));
}
static inline unsigned lanes_of(int elem) {
    return BYTES / elem_bytes(elem);
}
bool mask_bit(const ptrt_mask *m, unsigned bit);
void mask_set(ptrt_mask *m, unsigned bit);
static inline bool lane_active(const Trial *t, unsigned i, unsigned width) {
    return mask_bit(&t->mask, i * width);
}

/* Fill a register with values of a type: noise, special values or ordinary ones, by the trial; a
 * mask; bytes. */
void draw_register(Trial *t, ptrt_vreg *r, int elem);
void draw_mask(Trial *t, ptrt_mask *m, unsigned width);
void draw_bytes(Trial *t, void *p, size_t n);

/* Judge results; the first difference fails the trial and is printed. NaN equals every NaN. */
void same_register(Trial *t, const char *what, int elem, const ptrt_vreg *got,
                   const ptrt_vreg *want);
void same_mask(Trial *t, const char *what, const ptrt_mask *got, const ptrt_mask *want);
void same_bytes(Trial *t, const char *what, const void *got, const void *want, size_t n);
void same_int(Trial *t, const char *what, int64_t got, int64_t want);

#endif
