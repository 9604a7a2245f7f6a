/* SPDX-License-Identifier: Apache-2.0 */
/* test_ub.c - vector instructions of a2a3 on the vector memory: which elements they reach, against
 * addresses from their formula, and what each computes. */
#include "../oracle/random.h"
#include "../runtime/on_core.h"

#include "ptort_micro.h"

#include <math.h>
#include <string.h>

enum { BYTES = 1 << 14, TRIALS = 200 };

typedef struct Trial {
    Random random;
    unsigned char memory[BYTES];
} Trial;

static unsigned char *vec_of(ptrt_core *core) {
    void *at = NULL;
    assert_int_equal(ptrt_space_at(core, 1, PTRT_VEC, 0, 0, 1, &at), PTRT_OK);
    return at;
}

/* ---- which elements ---- */

/* The byte of element i of repeat r. */
static int64_t place(int64_t at, int64_t block, int64_t repeat, int64_t r, int64_t i,
                     int64_t size) {
    const int64_t b = i * size / 32;
    return at + (r * repeat + b * block) * 32 + i * size % 32;
}

typedef struct Mask {
    uint64_t bits[2];
    bool counts;
} Mask;

static bool takes_part(const Mask *m, int64_t r, int64_t i, int64_t size) {
    if (m->counts) return r * (256 / size) + i < (int64_t)m->bits[0];
    return (m->bits[i / 64] >> (i % 64) & 1) != 0;
}

static int run_sums(ptrt_core *core, void *arg) {
    Trial *t = arg;
    for (int n = 0; n < TRIALS; n++) {
        Random *x = &t->random;
        const int64_t size = n % 2 == 0 ? 2 : 4, dst = 32 * random_below(x, 100);
        const int64_t a = 32 * random_below(x, 100), b = 32 * random_below(x, 100);
        int64_t s[6], repeat = random_below(x, 4);
        for (int i = 0; i < 6; i++)
            s[i] = random_below(x, 9);
        Mask m = {{random_bits(x), random_bits(x)}, random_below(x, 2) != 0};
        if (m.counts) m.bits[0] = (uint64_t)random_below(x, 300);
        for (int i = 0; i < BYTES; i++)
            t->memory[i] = (unsigned char)random_bits(x);
        memcpy(vec_of(core), t->memory, BYTES);
        ptrt_ub_set_mask(core, 1, (int64_t)m.bits[0], (int64_t)m.bits[1]);
        ptrt_ub_set_mask_mode(core, 1, m.counts);
        assert_int_equal(ptrt_ub_binary(core, 1, 0, size == 2 ? PTRT_I16 : PTRT_U32, dst, a, b,
                                        repeat, s[0], s[1], s[2], s[3], s[4], s[5]),
                         PTRT_OK);
        const int64_t all = m.counts ? 10 : repeat;
        for (int64_t r = 0; r < all; r++) {
            uint32_t sum[128] = {0};
            for (int64_t i = 0; i < 256 / size; i++) {
                uint32_t u = 0, v = 0;
                if (!takes_part(&m, r, i, size)) continue;
                memcpy(&u, t->memory + place(a, s[1], s[4], r, i, size), (size_t)size);
                memcpy(&v, t->memory + place(b, s[2], s[5], r, i, size), (size_t)size);
                sum[i] = u + v;
            }
            for (int64_t i = 0; i < 256 / size; i++)
                if (takes_part(&m, r, i, size))
                    memcpy(t->memory + place(dst, s[0], s[3], r, i, size), &sum[i], (size_t)size);
        }
        assert_memory_equal(vec_of(core), t->memory, BYTES);
    }
    return 0;
}

/* ---- what each computes ---- */

static float got(ptrt_core *core) {
    float x;
    memcpy(&x, vec_of(core) + 512, sizeof x);
    return x;
}
static int32_t got_int(ptrt_core *core) {
    int32_t x;
    memcpy(&x, vec_of(core) + 512, sizeof x);
    return x;
}

static void put(ptrt_core *core, float a, float b) {
    memcpy(vec_of(core), &a, sizeof a);
    memcpy(vec_of(core) + 256, &b, sizeof b);
}
static void put_ints(ptrt_core *core, int32_t a, int32_t b) {
    memcpy(vec_of(core), &a, sizeof a);
    memcpy(vec_of(core) + 256, &b, sizeof b);
}

static void two(ptrt_core *core, int op, int elem) {
    assert_int_equal(ptrt_ub_binary(core, 1, op, elem, 512, 0, 256, 1, 1, 1, 1, 8, 8, 8), PTRT_OK);
}
static void one(ptrt_core *core, int op, int elem) {
    assert_int_equal(ptrt_ub_unary(core, 1, op, elem, 512, 0, 1, 1, 1, 8, 8), PTRT_OK);
}
static void with(ptrt_core *core, int op, int elem, int64_t k) {
    assert_int_equal(ptrt_ub_scalar(core, 1, op, elem, 512, 0, k, 1, 1, 1, 8, 8), PTRT_OK);
}

static int run_each(ptrt_core *core, void *arg) {
    static const float sums[] = {-4, -8, -12, -3, 2, -6};
    static const int64_t half = 0x3F000000; /* 0.5 */
    (void)arg;
    put(core, -6, 2);
    for (int op = 0; op < 6; op++) {
        two(core, op, PTRT_F32);
        assert_true(got(core) == sums[op]);
    }
    two(core, 8, PTRT_F32);
    assert_true(got(core) == 0);
    one(core, 1, PTRT_F32);
    assert_true(got(core) == 6);
    one(core, 2, PTRT_F32);
    assert_true(got(core) == 0);
    with(core, 2, PTRT_F32, half);
    assert_true(got(core) == -3);
    with(core, 3, PTRT_F32, half);
    assert_true(got(core) == -5.5f);
    with(core, 4, PTRT_F32, half);
    assert_true(got(core) == 0.5f);
    with(core, 5, PTRT_F32, half);
    assert_true(got(core) == -6);
    put(core, 4, 0);
    one(core, 3, PTRT_F32);
    assert_true(fabsf(got(core) - expf(4)) < 1e-4f);
    one(core, 4, PTRT_F32);
    assert_true(fabsf(got(core) - logf(4)) < 1e-6f);
    one(core, 5, PTRT_F32);
    assert_true(got(core) == 2);
    one(core, 6, PTRT_F32);
    assert_true(got(core) == 0.5f);

    put_ints(core, -12, 10);
    two(core, 6, PTRT_I32);
    assert_int_equal(got_int(core), -12 & 10);
    two(core, 7, PTRT_I32);
    assert_int_equal(got_int(core), -12 | 10);
    one(core, 0, PTRT_I32);
    assert_int_equal(got_int(core), 11);
    with(core, 0, PTRT_I32, 3);
    assert_int_equal(got_int(core), -96);
    with(core, 1, PTRT_I32, 2);
    assert_int_equal(got_int(core), -3);
    with(core, 1, PTRT_U32, 28);
    assert_int_equal(got_int(core), 15);
    assert_int_equal(ptrt_ub_dup(core, 1, PTRT_I32, 512, -7, 1, 1, 8), PTRT_OK);
    assert_int_equal(got_int(core), -7);
    return 0;
}

static int run_outside(ptrt_core *core, void *arg) {
    (void)arg;
    return ptrt_ub_dup(core, 1, PTRT_I32, SPACE_BYTES - 224, 1, 1, 1, 8);
}

static int run_unaligned(ptrt_core *core, void *arg) {
    (void)arg;
    return ptrt_ub_unary(core, 1, 0, PTRT_I32, 0, 16, 1, 1, 1, 8, 8);
}

/* A block of which no element is active is not touched. */
static int run_beside(ptrt_core *core, void *arg) {
    (void)arg;
    ptrt_ub_set_mask(core, 1, 0xFF, 0);
    return ptrt_ub_dup(core, 1, PTRT_I32, SPACE_BYTES - 32, 1, 1, 1, 8);
}

/* ---- */

static void test_elements(void **state) {
    static Trial t = {.random = {11}};
    (void)state;
    assert_int_equal(on_core(run_sums, &t), 0);
}

static void test_each(void **state) {
    (void)state;
    assert_int_equal(on_core(run_each, NULL), 0);
}

static void test_bounds(void **state) {
    (void)state;
    assert_int_equal(on_core(run_outside, NULL), PTRT_E_BOUNDS);
    assert_int_equal(on_core(run_unaligned, NULL), PTRT_E_ALIGN);
    assert_int_equal(on_core(run_beside, NULL), PTRT_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_each),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
