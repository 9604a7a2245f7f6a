/* SPDX-License-Identifier: Apache-2.0 */
/* formula_part.c - operations on tiles of which parts are valid. */
#define ORACLE_FAMILY "part"
#include "matrix.h"

#include <math.h>

DRIVER(part, "ttd", ptrt_part(HEAD, T(0), T(1), T(2)));
DRIVER(partarg, "ttttdda", ptrt_partarg(HEAD, T(0), T(1), T(2), T(3), T(4), T(5), A(6)));

/* Sources whose valid regions are those of dst or end before them, by themselves. */
static bool plan_part(Case *c) {
    for (int k = 0; k < 2; k++) {
        Arg *a = &c->arg[k];
        if (random_below(&c->random, 2)) a->vrow = random_below(&c->random, c->vrow + 1);
        if (random_below(&c->random, 2)) a->vcol = random_below(&c->random, c->vcol + 1);
    }
    return true;
}

static bool is_valid(const Case *c, int k, int64_t r, int64_t col) {
    return r < c->arg[k].vrow && col < c->arg[k].vcol;
}

typedef Num (*OpFn)(const Case *c, Num a, Num b);

static void part(Case *c, OpFn op) {
    for (int64_t r = 0; r < c->arg[2].vrow; r++) {
        for (int64_t col = 0; col < c->arg[2].vcol; col++) {
            bool a = is_valid(c, 0, r, col), b = is_valid(c, 1, r, col);
            if (a && b)
                put(c, 2, r, col, op(c, get(c, 0, r, col), get(c, 1, r, col)));
            else
                put_bits(c, 2, r, col, a ? get_bits(c, 0, r, col) : b ? get_bits(c, 1, r, col) : 0);
        }
    }
}

/* f16 and bf16 are computed in f32. */
static Num rounded(const Case *c, double f) {
    return real(c->e1 == PTRT_F64 ? f : single(f));
}

static Num add(const Case *c, Num a, Num b) {
    return is_real(c) ? rounded(c, a.f + b.f) : wrap_add(a.i, b.i);
}
static Num mul(const Case *c, Num a, Num b) {
    return is_real(c) ? rounded(c, a.f * b.f) : wrap_mul(a.i, b.i);
}
static Num max(const Case *c, Num a, Num b) {
    return is_less(c->e1, a, b) ? b : a;
}
static Num min(const Case *c, Num a, Num b) {
    return is_less(c->e1, b, a) ? b : a;
}

#define PART(ID, OP)                                                                               \
    static void part_##OP(Case *c) {                                                               \
        part(c, OP);                                                                               \
    }                                                                                              \
    FORMULA(ID, .expect = part_##OP, .plan = plan_part)
PART(TPARTADD, add);
PART(TPARTMUL, mul);
PART(TPARTMAX, max);
PART(TPARTMIN, min);

/* ---- values and their indices ---- */

/* Both tiles of indices and their destination are of one type; the valid regions of indices do not
 * count. */
static bool plan_partarg(Case *c) {
    static const int types[] = {PTRT_I32, PTRT_U32, PTRT_I16, PTRT_U8, PTRT_I64};
    int index = types[random_below(&c->random, 5)];
    c->arg[2].elem = c->arg[3].elem = c->arg[5].elem = index;
    return plan_part(c);
}

/* With a NaN the comparison is false. */
static bool takes_first(const Case *c, Num a, Num b) {
    if (is_real(c) && (isnan(a.f) || isnan(b.f))) return false;
    return A(6) == PTRT_CMP_GE ? !is_less(c->e1, a, b) : !is_less(c->e1, b, a);
}

static void partarg(Case *c) {
    for (int64_t r = 0; r < c->arg[4].vrow; r++) {
        for (int64_t col = 0; col < c->arg[4].vcol; col++) {
            bool a = is_valid(c, 0, r, col), b = is_valid(c, 1, r, col);
            if (a && b) {
                a = takes_first(c, get(c, 0, r, col), get(c, 1, r, col));
                b = !a;
            }
            for (int i = 0; i < 2; i++)
                put_bits(c, 4 + i, r, col,
                         a   ? get_bits(c, 2 * i, r, col)
                         : b ? get_bits(c, 2 * i + 1, r, col)
                             : 0);
        }
    }
}
FORMULA(TPARTARGMAX, .expect = partarg, .plan = plan_partarg, .exact = true);
FORMULA(TPARTARGMIN, .expect = partarg, .plan = plan_partarg, .exact = true);
