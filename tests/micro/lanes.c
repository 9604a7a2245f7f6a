/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.c - runs the trials of lanes.h: test_micro_lanes [--case=ID,E1,E2,LEVEL,N] [FAMILY]. */
#include "lanes.h"

#include "core/rank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRIALS = 64, MOST_SHOWN = 20 };

/* ---- lanes and masks ---- */

uint64_t lane_get(const ptrt_vreg *r, int elem, unsigned i) {
    const uint32_t n = elem_bytes(elem);
    return bits_load((const unsigned char *)r + i * n, n);
}

void lane_set(ptrt_vreg *r, int elem, unsigned i, uint64_t bits) {
    const uint32_t n = elem_bytes(elem);
    bits_store((unsigned char *)r + i * n, n, bits);
}

bool mask_bit(const ptrt_mask *m, unsigned bit) {
    return (m->bits[bit / 64] >> (bit % 64) & 1) != 0;
}

void mask_set(ptrt_mask *m, unsigned bit) {
    m->bits[bit / 64] |= UINT64_C(1) << (bit % 64);
}

/* ---- data ---- */

static uint64_t special(int elem, Random *r) {
    static const double reals[] = {
        0,       -0.0,     1,         -1,    (double)NAN, INFINITY,       -INFINITY,
        0x1p-14, 0x1p-126, -0x1p-149, 65504, -65520,      0x1.fffffep127, 1 + 0x1p-10,
        0.5,     -88.7,    127.5};
    static const int64_t ints[] = {0,  1,  -1,  2,    7,   8,     31,    32,
                                   63, 64, 127, -128, 255, 32767, -32768};
    if (elem_is_real(elem))
        return code_of_real(elem, reals[random_below(r, sizeof reals / sizeof *reals)], TO_EVEN,
                            false);
    const int64_t i = random_below(r, 2 + (int64_t)(sizeof ints / sizeof *ints));
    return i == 0 ? code_min(elem) : i == 1 ? code_max(elem) : code_of_int(elem, ints[i - 2]);
}

static uint64_t ordinary(int elem, Random *r) {
    if (!elem_is_real(elem)) return code_of_int(elem, random_below(r, 201) - 100);
    const double mantissa = (double)(random_bits(r) >> 11) + 0x1p52;
    const double v = ldexp(mantissa, (int)random_below(r, 7) - 56);
    return code_of_real(elem, random_below(r, 2) ? v : -v, TO_EVEN, true);
}

static uint64_t value(Trial *t, int elem) {
    Random *r = &t->random;
    switch (t->number % 3) {
    case 0:
        return ordinary(elem, r);
    case 1:
        return random_below(r, 4) == 0 ? random_bits(r) : special(elem, r);
    default:
        return random_bits(r);
    }
}

void draw_register(Trial *t, ptrt_vreg *r, int elem) {
    for (unsigned i = 0; i < lanes_of(elem); i++) {
        uint64_t bits = 0;
        for (int lane = 0; lane < elem_lanes(elem); lane++)
            bits = lane_put(elem, bits, lane, value(t, elem));
        lane_set(r, elem, i, bits);
    }
}

void draw_mask(Trial *t, ptrt_mask *m, unsigned width) {
    const int64_t kind = random_below(&t->random, 5), lanes = BYTES / width;
    const int64_t n = kind == 0 ? lanes : kind == 1 ? 0 : random_below(&t->random, lanes + 1);
    *m = (ptrt_mask){{0}};
    for (int64_t i = 0; i < lanes; i++)
        if (kind < 3 ? i < n : random_below(&t->random, 2) != 0) mask_set(m, (unsigned)i * width);
    /* Bits that govern no lane have no effect. */
    for (int i = 0; kind == 4 && i < 4; i++)
        m->bits[i] |= random_bits(&t->random) & ~(width == 1   ? ~UINT64_C(0)
                                                  : width == 2 ? UINT64_C(0x5555555555555555)
                                                  : width == 4 ? UINT64_C(0x1111111111111111)
                                                               : UINT64_C(0x0101010101010101));
}

void draw_bytes(Trial *t, void *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)p)[i] = (unsigned char)random_bits(&t->random);
}

/* ---- judging ---- */

static int shown;

static bool starts_failing(Trial *t, const char *what) {
    if (t->failed) return false;
    t->failed = true;
    if (shown++ >= MOST_SHOWN) return false;
    printf("FAILED --case=%s,%d,%d,%s,%d: %s", t->id, t->e1, t->e2, t->level, t->number, what);
    return true;
}

void same_register(Trial *t, const char *what, int elem, const ptrt_vreg *got,
                   const ptrt_vreg *want) {
    for (unsigned i = 0; i < lanes_of(elem); i++) {
        const uint64_t a = lane_get(got, elem, i), b = lane_get(want, elem, i);
        if (!bits_same(elem, a, b) && starts_failing(t, what))
            printf(" lane %u of %s: %#llx, expected %#llx (mask %d)\n", i, elem_text(elem),
                   (unsigned long long)a, (unsigned long long)b,
                   mask_bit(&t->mask, i * elem_bytes(elem)));
    }
}

void same_mask(Trial *t, const char *what, const ptrt_mask *got, const ptrt_mask *want) {
    for (unsigned i = 0; i < BYTES; i++)
        if (mask_bit(got, i) != mask_bit(want, i) && starts_failing(t, what))
            printf(" bit %u: %d\n", i, mask_bit(got, i));
}

void same_bytes(Trial *t, const char *what, const void *got, const void *want, size_t n) {
    const unsigned char *a = got, *b = want;
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i] && starts_failing(t, what))
            printf(" byte %zu: %#x, expected %#x\n", i, a[i], b[i]);
}

void same_int(Trial *t, const char *what, int64_t got, int64_t want) {
    if (got != want && starts_failing(t, what))
        printf(": %lld, expected %lld\n", (long long)got, (long long)want);
}

/* ---- formulas of one lane ---- */

/* Calls a body of one of the common shapes. Returns how many registers it reads. */
static int call_common(const Trial *t, const char *shape, ptrt_vreg *out) {
    const ptrt_vreg *a = t->in;
    if (strcmp(shape, "lanes1") == 0) {
        CALL_BODY(t, lanes1)(out, &a[0], &t->mask);
        return 1;
    }
    if (strcmp(shape, "lanes2") == 0) {
        CALL_BODY(t, lanes2)(out, &a[0], &a[1], &t->mask);
        return 2;
    }
    if (strcmp(shape, "lanes3") == 0) {
        CALL_BODY(t, lanes3)(out, &a[0], &a[1], &a[2], &t->mask);
        return 3;
    }
    if (strcmp(shape, "lanes1s") == 0) {
        CALL_BODY(t, lanes1s)(out, &a[0], t->scalar, &t->mask);
        return 1;
    }
    if (strcmp(shape, "splat") == 0) {
        CALL_BODY(t, splat)(out, t->scalar, &t->mask);
        return 0;
    }
    printf("FAILED %s: a formula of this shape needs .run\n", t->id);
    exit(1);
}

static void judge_real(Trial *t, unsigned lane, uint64_t got, long double want) {
    const double far = ulps_between(t->e1, got, want);
    if (far > t->formula->ulps && starts_failing(t, "result"))
        printf(" lane %u: %#llx, %g units from %Lg\n", lane, (unsigned long long)got, far, want);
}

static void judge_lanes(Trial *t, const char *shape) {
    _Alignas(64) ptrt_vreg out;
    ptrt_vreg want;
    const Formula *f = t->formula;
    draw_bytes(t, &out, sizeof out);
    const int n = call_common(t, shape, &out);
    const unsigned width = elem_bytes(t->e1);
    for (unsigned i = 0; i < lanes_of(t->e1); i++) {
        Num x[IN + 1];
        uint64_t codes[IN + 1];
        for (int k = 0; k < n; k++)
            codes[k] = lane_get(&t->in[k], t->e1, i);
        codes[n] = t->scalar;
        for (int k = 0; k <= n; k++)
            x[k] = num_of(t->e1, codes[k]);
        uint64_t bits = f->merges != 0 ? lane_get(&t->in[f->merges - 1], t->e1, i) : 0;
        if (lane_active(t, i, width)) {
            if (f->bits != NULL) {
                bits = f->bits(t, codes);
            } else if (f->real != NULL) {
                bits = lane_get(&out, t->e1, i);
                judge_real(t, i, bits, f->real(t, x));
            } else {
                bits = f->code != NULL ? f->code(t, x) : code_of(t->e1, f->lane(t, x));
            }
        }
        lane_set(&want, t->e1, i, bits);
    }
    same_register(t, "result", t->e1, &out, &want);
}

/* ---- trials ---- */

#define BODY(family, id, ...) extern const Formula formula_##id;
#include "ptort_micro.def"

static const struct {
    const char *family, *id, *shape;
    const Formula *formula;
} rows[] = {
#define BODY(family, id, name, when, shape, ...) {#family, #id, #shape, &formula_##id},
#include "ptort_micro.def"
};

static _Alignas(64) unsigned char memory[MEMORY];
static const char *only; /* ID,E1,E2,LEVEL,N */
static const char *only_family;

static bool is_wanted(const Trial *t) {
    char text[128];
    snprintf(text, sizeof text, "%s,%d,%d,%s,%d", t->id, t->e1, t->e2, t->level, t->number);
    return only == NULL || strcmp(only, text) == 0;
}

static bool run_trial(const ptrt_level *level, size_t row, const ptrt_body_row *body, int number,
                      ptrt_core *core) {
    _Alignas(64) Trial t = {.id = rows[row].id,
                            .level = level->name,
                            .number = number,
                            .body = body->body,
                            .e1 = body->e1,
                            .e2 = body->e2,
                            .formula = rows[row].formula,
                            .core = core,
                            .memory = memory,
                            .random = {(uint64_t)number * 7919 + (uint64_t)row}};
    if (!is_wanted(&t)) return true;
    const int elem = t.e1 == PTRT_ANY ? PTRT_U8 : t.e1;
    for (int i = 0; i < IN; i++)
        draw_register(&t, &t.in[i], elem);
    draw_mask(&t, &t.mask, elem_bytes(elem));
    draw_bytes(&t, memory, MEMORY);
    t.scalar = value(&t, elem) &
               (elem_bytes(elem) == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * elem_bytes(elem))) - 1);
    if (t.formula->run != NULL)
        t.formula->run(&t);
    else
        judge_lanes(&t, rows[row].shape);
    return !t.failed;
}

static int run_level(const ptrt_level *level, ptrt_core *core) {
    int failed = 0;
    for (size_t f = 0; f < level->nfamilies; f++)
        for (size_t i = 0; i < level->families[f]->n; i++) {
            const ptrt_body_row *body = &level->families[f]->rows[i];
            if (body->kernel < PTRT_KERNELS) continue;
            const size_t row = (size_t)(body->kernel - PTRT_KERNELS);
            if (row >= sizeof rows / sizeof *rows) continue; /* a step of chains */
            if (only_family != NULL && strcmp(rows[row].family, only_family) != 0) continue;
            bool fine = true;
            for (int n = 0; n < TRIALS; n++)
                fine &= run_trial(level, row, body, n, core);
            failed += !fine;
        }
    printf("%s: %d bodies failed\n", level->name, failed);
    return failed;
}

int main(int argc, char **argv) {
    static const char *const levels[] = {"base", "v2", "v3", "v4"};
    static const char case_flag[] = "--case=";
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], case_flag, sizeof case_flag - 1) == 0)
            only = argv[i] + sizeof case_flag - 1;
        else
            only_family = argv[i];
    int failed = 0, ran = 0;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        const ptrt_level *level = ptrt_level_find(levels[i]);
        if (level == NULL) continue;
        static ptrt_core core;
        /* bodies that fail record why */
        static ptrt_rank rank = {.count = 1};
        static const ptrt_kernel kernel = {.name = "trial"};
        static ptrt_run run = {.kernel = &kernel, .rank = &rank, .lock = PTHREAD_MUTEX_INITIALIZER};
        core.run = &run;
        core.space[PTRT_VEC] = memory;
        core.space_size[PTRT_VEC] = MEMORY;
        failed += run_level(level, &core);
        ran++;
    }
    return failed != 0 || ran == 0;
}
