/* SPDX-License-Identifier: Apache-2.0 */
/* formula_cvt.c - conversions: every pair of types, round mode, saturation and profile. The bits of
 * a result come from integers of 128 bits and from codec.c; nothing is rounded on the way. */
#define ORACLE_FAMILY "cvt"
#include "matrix.h"

#include <math.h>

DRIVER(cvt, "tdaaa", ptrt_cvt(HEAD, T(0), T(1), A(2), A(3), A(4)));

__extension__ typedef __int128 Wide;

static bool is_int(int elem) {
    return elem <= PTRT_U64;
}

/* ---- what the attributes ask for ---- */

/* Source, destination: saturation is off by default. */
static const uint8_t off_pairs[][2] = {{PTRT_F16, PTRT_U8},  {PTRT_F16, PTRT_I8},
                                       {PTRT_F16, PTRT_I16}, {PTRT_F32, PTRT_I16},
                                       {PTRT_I32, PTRT_I16}, {PTRT_I64, PTRT_I32}};

static bool clamps(const Case *c) {
    if (c->kernel == PTRT_TPACK) return false;
    int s = c->e1, d = c->e2;
    int64_t sat = c->arg[3].i, profile = c->arg[4].i;
    bool off_by_default = false;
    for (size_t i = 0; i < sizeof off_pairs / sizeof *off_pairs; i++)
        off_by_default = off_by_default || (off_pairs[i][0] == s && off_pairs[i][1] == d);
    if (is_int(s) && is_int(d) && elem_bytes(d) > elem_bytes(s)) return true;
    if (sat == PTRT_ABSENT) return !off_by_default;
    if (sat == 1) return profile == PTRT_FOR_A2A3 && !off_by_default;
    return true;
}

static Rounding rounding(const Case *c) {
    static const Rounding modes[] = {[1] = TO_EVEN, [2] = TO_AWAY, [3] = TO_FLOOR, [4] = TO_CEIL,
                                     [5] = TO_ZERO, [6] = TO_ODD,  [7] = TO_EVEN};
    int s = c->e1, d = c->e2;
    int64_t mode = c->kernel == PTRT_TPACK ? 0 : c->arg[2].i;
    bool odd = s == PTRT_F32 && d == PTRT_F16, one = s == PTRT_I32 && d == PTRT_F16;
    bool honoured = mode != 0 && (mode != 6 || odd) && (!one || mode == 7 || mode == 1);
    return honoured ? modes[mode] : !is_int(s) && is_int(d) ? TO_ZERO : TO_EVEN;
}

/* ---- to integers ---- */

static Wide least_of(int elem) {
    return elem_is_signed(elem) ? -((Wide)1 << (8 * elem_bytes(elem) - 1)) : 0;
}

static Wide most_of(int elem) {
    return ((Wide)1 << (8 * elem_bytes(elem) - elem_is_signed(elem))) - 1;
}

static Wide clamped(int elem, Wide v) {
    return v < least_of(elem) ? least_of(elem) : v > most_of(elem) ? most_of(elem) : v;
}

static uint64_t int_code(const Case *c, Wide v) {
    if (clamps(c)) v = clamped(c->e2, v);
    return code_of_int(c->e2, (int64_t)(uint64_t)v);
}

/* Types of 8 and 16 bits that are not clamped take the low bits of an i32. */
static uint64_t int_of_real(const Case *c, double x) {
    int d = c->e2;
    bool low = !clamps(c) && elem_bytes(d) < 4;
    uint64_t code = code_of_clamped(low ? PTRT_I32 : d, x, rounding(c));
    return low ? code_of_int(d, (int64_t)code) : code;
}

/* ---- to reals ---- */

/* An integer as a double that rounds to any type of fewer bits as the integer would: what 53 bits
 * have no room for is one sticky bit below them. */
static double sticky(Wide v) {
    Wide size = v < 0 ? -v : v;
    int drop = 0;
    while (size >> drop >= (Wide)1 << 52)
        drop++;
    Wide kept = size >> drop;
    bool rest = kept << drop != size;
    double x = ldexp((double)(int64_t)(2 * kept + rest), drop - 1);
    return v < 0 ? -x : x;
}

/* An integer of 64 bits as f64, by integer arithmetic. */
static double f64_of(Wide v, Rounding r) {
    Wide size = v < 0 ? -v : v;
    int drop = 0;
    while (size >> drop >= (Wide)1 << 53)
        drop++;
    Wide kept = size >> drop, rest = size - (kept << drop),
         half = drop > 0 ? (Wide)1 << (drop - 1) : 1;
    bool up = r == TO_EVEN    ? rest > half || (rest == half && kept % 2 != 0)
              : r == TO_AWAY  ? rest >= half
              : r == TO_FLOOR ? v < 0 && rest > 0
              : r == TO_CEIL  ? v > 0 && rest > 0
                              : false;
    if (drop == 0) up = false;
    double x = ldexp((double)(int64_t)(kept + up), drop);
    return v < 0 ? -x : x;
}

/* An explicit OFF is obeyed on cpu: fp8 destinations ignore it on a5. */
static bool is_open_fp8(const Case *c) {
    return c->kernel != PTRT_TPACK && c->arg[3].i == 1 && c->arg[4].i == PTRT_FOR_CPU;
}

static uint64_t real_code(const Case *c, double x) {
    int d = c->e2;
    bool fp8 = false;
#define IS_FP8(id, ...) fp8 |= d == PTRT_##id;
    PTRT_FLOATS_8(IS_FP8, )
    bool clamp =
        d == PTRT_HIF8 ? false : elem_lanes(d) > 1 || clamps(c) || (fp8 && !is_open_fp8(c));
    if (c->e1 == d) return code_of_real(d, real_to_integral(x, rounding(c)), TO_EVEN, false);
    if (elem_bytes(d) > elem_bytes(c->e1) && !is_int(c->e1)) clamp = false;
    return code_of_real(d, x, fp8 || d == PTRT_HIF8 ? TO_EVEN : rounding(c), clamp);
}

static uint64_t convert(const Case *c, const Num *x) {
    int s = c->e1, d = c->e2;
    if (!is_int(s)) return is_int(d) ? int_of_real(c, x[0].f) : real_code(c, x[0].f);
    Wide v = s == PTRT_U64 ? (Wide)(uint64_t)x[0].i : (Wide)x[0].i;
    if (is_int(d)) return int_code(c, v);
    if (d == PTRT_F64) return code_of_real(d, f64_of(v, rounding(c)), TO_EVEN, false);
    return real_code(c, sticky(v));
}

/* ---- pairs of 4 bits ---- */

static bool plan_cvt(Case *c) {
    Arg *s = &c->arg[0], *d = &c->arg[1];
    bool narrows = elem_lanes(c->e2) > 1;
    if (elem_lanes(c->e1) == 1 && !narrows) return true;
    Arg *plain = narrows ? s : d, *pairs = narrows ? d : s;
    const unsigned by_rows =
        1 << LAY_ND | 1 << LAY_ZZ | 1 << LAY_ZN | 1 << LAY_ZZ_32 | 1 << LAY_ND_PLUS;
    /* In column-major tiles two rows are a pair. */
    bool down = c->number % 3 == 0 && (pairs->layouts & ~by_rows) != 0;
    pairs->layouts &= down ? ~by_rows : by_rows;
    int64_t odd = narrows ? 0 : c->number / 3 % 2;
    if (down) {
        plain->rows = 2 * pairs->rows;
        plain->vrow = 2 * pairs->vrow - (pairs->vrow > 0 ? odd : 0);
        plain->cols = pairs->cols;
        plain->vcol = pairs->vcol;
    } else {
        plain->cols = 2 * pairs->cols;
        plain->vcol = 2 * pairs->vcol - (pairs->vcol > 0 ? odd : 0);
        plain->rows = pairs->rows;
        plain->vrow = pairs->vrow;
    }
    return true;
}

/* The half of a pair of which an element is made, or that is made of one. */
static void expect_pairs(Case *c) {
    const Arg *d = &c->arg[1];
    bool narrows = elem_lanes(c->e2) > 1;
    const Arg *pairs = narrows ? d : &c->arg[0];
    bool down = pairs->type.blayout == PTRT_COL_MAJOR;
    for (int64_t r = 0; r < d->vrow; r++) {
        for (int64_t k = 0; k < d->vcol; k++) {
            uint64_t bits = 0;
            if (!narrows) {
                int64_t at = down ? r : k;
                uint64_t pair = down ? get_bits(c, 0, r / 2, k) : get_bits(c, 0, r, k / 2);
                Num x = num_of(c->e1, lane_bits(c->e1, pair, (int)(at % 2)));
                put_bits(c, 1, r, k, real_code(c, x.f));
                continue;
            }
            for (int lane = 0; lane < 2; lane++) {
                Num x = down ? get(c, 0, 2 * r + lane, k) : get(c, 0, r, 2 * k + lane);
                bits = lane_put(c->e2, bits, lane, real_code(c, x.f));
            }
            put_bits(c, 1, r, k, bits);
        }
    }
}

static void expect_cvt(Case *c) {
    const Arg *d = &c->arg[1];
    if (elem_lanes(c->e1) > 1 || elem_lanes(c->e2) > 1) {
        expect_pairs(c);
        return;
    }
    for (int64_t r = 0; r < d->vrow; r++) {
        for (int64_t k = 0; k < d->vcol; k++) {
            Num x = get(c, 0, r, k);
            put_bits(c, 1, r, k, convert(c, &x));
        }
    }
}

FORMULA(TCVT, .code = convert, .expect = expect_cvt, .plan = plan_cvt,
        .ints = {[2] = INTS(0, 1, 2, 3, 4, 5, 6, 7),
                 [3] = INTS(PTRT_ABSENT, 0, 1),
                 [4] = INTS(PTRT_FOR_CPU, PTRT_FOR_A2A3, PTRT_FOR_A5)});

/* ---- to fewer bytes ---- */

DRIVER(shrink, "td", ptrt_shrink(HEAD, T(0), T(1)));

static bool packs_numbers(const Case *c) {
    return c->e1 < PTRT_TF32 && c->e2 < PTRT_TF32;
}

static bool plan_pack(Case *c) {
    c->exact = !packs_numbers(c);
    return true;
}

static void expect_pack(Case *c) {
    const Arg *d = &c->arg[1];
    const uint64_t low = (UINT64_C(1) << (8 * elem_bytes(c->e2))) - 1;
    for (int64_t r = 0; r < d->vrow; r++)
        for (int64_t k = 0; k < d->vcol; k++) {
            Num x = get(c, 0, r, k);
            put_bits(c, 1, r, k, packs_numbers(c) ? convert(c, &x) : get_bits(c, 0, r, k) & low);
        }
}

FORMULA(TPACK, .expect = expect_pack, .plan = plan_pack);
