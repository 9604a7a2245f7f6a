/* SPDX-License-Identifier: Apache-2.0 */
/* test_copies.c - copies between global memory and the vector memory, against loops over single
 * bytes; stores that combine; the registers of raw copies. */
#include "../oracle/random.h"
#include "../runtime/on_core.h"

#include "ptort_micro.h"

#include <stdio.h>
#include <string.h>

enum { BYTES = 1 << 14, TRIALS = 300, LOOPS = 3 };

typedef struct Memory {
    unsigned char gm[BYTES], vec[BYTES];
} Memory;

/* A copy of the text: bursts, loops, padding. Addresses are offsets. */
typedef struct Copy {
    int64_t src, dst, len, count, src_stride, dst_stride;
    int loops, pads, size;
    int64_t counts[LOOPS], src_strides[LOOPS], dst_strides[LOOPS];
    uint64_t pad;
    int64_t left, right;
} Copy;

typedef struct Trial {
    Random random;
    Memory now, want;
} Trial;

/* ---- the vector memory of the core ---- */

static unsigned char *vec_of(ptrt_core *core) {
    void *at = NULL;
    assert_int_equal(ptrt_space_at(core, 1, PTRT_VEC, 0, 0, 1, &at), PTRT_OK);
    return at;
}

static void draw_memory(Trial *t, ptrt_core *core) {
    for (int i = 0; i < BYTES; i++) {
        t->now.gm[i] = (unsigned char)random_bits(&t->random);
        t->now.vec[i] = (unsigned char)random_bits(&t->random);
    }
    memcpy(vec_of(core), t->now.vec, BYTES);
    t->want = t->now;
}

static void same_memory(const Trial *t, ptrt_core *core) {
    assert_memory_equal(vec_of(core), t->want.vec, BYTES);
    assert_memory_equal(t->now.gm, t->want.gm, BYTES);
}

/* ---- what a copy does ---- */

static unsigned char pad_byte(const Copy *c, int64_t i) {
    return (unsigned char)(c->pad >> (8 * (i % c->size)));
}

static void expect_load(Memory *m, const Copy *c, int64_t src, int64_t dst) {
    const int64_t left = c->pads ? c->left * c->size : 0, right = c->pads ? c->right * c->size : 0;
    int64_t end = left + c->len + right;
    while (c->pads && end % 32 != 0)
        end++;
    for (int64_t i = 0; i < end; i++)
        m->vec[dst + i] = i >= left && i < left + c->len ? m->gm[src + i - left] : pad_byte(c, i);
}

static void expect_store(Memory *m, const Copy *c, int64_t src, int64_t dst) {
    for (int64_t i = 0; i < c->len; i++)
        m->gm[dst + i] = m->vec[src + i];
}

/* Calls `burst` for each of them; the first loop is the innermost. */
static void expect_copy(Memory *m, const Copy *c,
                        void (*burst)(Memory *, const Copy *, int64_t, int64_t)) {
    int64_t n[LOOPS] = {1, 1, 1};
    for (int i = 0; i < c->loops; i++)
        n[i] = c->counts[i];
    for (int64_t k2 = 0; k2 < n[2]; k2++)
        for (int64_t k1 = 0; k1 < n[1]; k1++)
            for (int64_t k0 = 0; k0 < n[0]; k0++)
                for (int64_t r = 0; r < c->count; r++) {
                    const int64_t k[LOOPS] = {k0, k1, k2};
                    int64_t src = c->src + r * c->src_stride, dst = c->dst + r * c->dst_stride;
                    for (int i = 0; i < c->loops; i++) {
                        src += k[i] * c->src_strides[i];
                        dst += k[i] * c->dst_strides[i];
                    }
                    burst(m, c, src, dst);
                }
}

/* The side of the vector memory has multiples of 32. */
static Copy draw_copy(Trial *t, bool to_vec) {
    Random *r = &t->random;
    Copy c = {.src = random_below(r, 64) * (to_vec ? 1 : 32),
              .dst = random_below(r, 64) * (to_vec ? 32 : 1),
              .len = random_below(r, 100),
              .count = random_below(r, 4),
              .src_stride = random_below(r, 8) * (to_vec ? 13 : 32),
              .dst_stride = random_below(r, 8) * (to_vec ? 32 : 13),
              .loops = (int)random_below(r, LOOPS + 1),
              .pads = (int)random_below(r, 2),
              .size = 1 << random_below(r, 3),
              .pad = random_bits(r),
              .left = random_below(r, 20),
              .right = random_below(r, 20)};
    for (int i = 0; i < c.loops; i++) {
        c.counts[i] = random_below(r, 8) == 0 ? 0 : 1 + random_below(r, 3);
        c.src_strides[i] = random_below(r, 20) * (to_vec ? 17 : 32);
        c.dst_strides[i] = random_below(r, 20) * (to_vec ? 32 : 17);
    }
    return c;
}

static int load(ptrt_core *core, const Trial *t, const Copy *c) {
    return ptrt_copy_gm_ub(core, 1, t->now.gm + c->src, c->dst, c->len, c->count, c->src_stride,
                           c->dst_stride, c->loops, c->counts, c->src_strides, c->dst_strides,
                           c->pads, c->pad, c->left, c->right, c->size);
}

static int store(ptrt_core *core, Trial *t, const Copy *c) {
    return ptrt_copy_ub_gm(core, 1, c->src, t->now.gm + c->dst, c->len, c->count, c->src_stride,
                           c->dst_stride, c->loops, c->counts, c->src_strides, c->dst_strides);
}

static int run_loads(ptrt_core *core, void *arg) {
    Trial *t = arg;
    for (int i = 0; i < TRIALS; i++) {
        draw_memory(t, core);
        const Copy c = draw_copy(t, true);
        assert_int_equal(load(core, t, &c), PTRT_OK);
        expect_copy(&t->want, &c, expect_load);
        same_memory(t, core);
    }
    return 0;
}

static int run_stores(ptrt_core *core, void *arg) {
    Trial *t = arg;
    for (int i = 0; i < TRIALS; i++) {
        draw_memory(t, core);
        const Copy c = draw_copy(t, false);
        assert_int_equal(store(core, t, &c), PTRT_OK);
        expect_copy(&t->want, &c, expect_store);
        same_memory(t, core);
    }
    return 0;
}

/* Raw copies have two loops, from registers, which loops in the text set back to one iteration. */
static int run_raw(ptrt_core *core, void *arg) {
    Trial *t = arg;
    for (int i = 0; i < TRIALS; i++) {
        draw_memory(t, core);
        const int out = i % 2;
        Copy c = draw_copy(t, !out);
        if (c.loops < 2) continue;
        c.loops = 2;
        for (int k = 0; k < 2; k++)
            assert_int_equal(
                ptrt_set_copy_strides(core, 1, out, k, c.src_strides[k], c.dst_strides[k]), 0);
        ptrt_set_copy_counts(core, 1, out, c.counts[0], c.counts[1]);
        ptrt_set_copy_pad(core, 1, c.pad);
        for (int again = 0; again < 2; again++) {
            if (out)
                ptrt_copy_ubuf_to_gm(core, 1, c.src, t->now.gm + c.dst, c.len, c.count,
                                     c.src_stride, c.dst_stride);
            else
                ptrt_copy_gm_to_ubuf(core, 1, t->now.gm + c.src, c.dst, c.len, c.count,
                                     c.src_stride, c.dst_stride, c.pads, c.left, c.right, c.size);
            expect_copy(&t->want, &c, out ? expect_store : expect_load);
            same_memory(t, core);
            Copy none = c;
            none.count = 0;
            assert_int_equal(out ? store(core, t, &none) : load(core, t, &none), PTRT_OK);
            c.counts[0] = c.counts[1] = 1;
        }
    }
    return 0;
}

static int run_blocks(ptrt_core *core, void *arg) {
    Trial *t = arg;
    for (int i = 0; i < TRIALS; i++) {
        draw_memory(t, core);
        Copy c = {.src = 32 * random_below(&t->random, 200),
                  .dst = 32 * random_below(&t->random, 200),
                  .len = random_below(&t->random, 8),
                  .count = random_below(&t->random, 6)};
        const int64_t src_gap = random_below(&t->random, 4), dst_gap = random_below(&t->random, 4);
        assert_int_equal(ptrt_copy_ub_ub(core, 1, c.src, c.dst, c.len, c.count, src_gap, dst_gap),
                         PTRT_OK);
        for (int64_t r = 0; r < c.count; r++)
            memmove(t->want.vec + c.dst + r * (c.len + dst_gap) * 32,
                    t->want.vec + c.src + r * (c.len + src_gap) * 32, (size_t)c.len * 32);
        same_memory(t, core);
    }
    return 0;
}

/* ---- stores that combine ---- */

enum { ADD, MAX, MIN };

static int run_combined(ptrt_core *core, void *arg) {
    (void)arg;
    static const int32_t a[8] = {1, -5, 7, INT32_MAX, INT32_MIN, 0, 100, -1},
                         b[8] = {3, -9, 2, 1, -1, 0, -100, -1};
    for (int op = ADD; op <= MIN; op++) {
        int32_t gm[9];
        memcpy(gm, a, sizeof a);
        gm[8] = 42;
        memcpy(vec_of(core), b, sizeof b);
        ptrt_set_ctrl_field(core, 1, 6, 3, 4);
        ptrt_set_ctrl_field(core, 1, 9, 2, op);
        assert_int_equal(ptrt_copy_ub_gm(core, 1, 0, gm, sizeof b, 1, 0, 0, 0, NULL, NULL, NULL),
                         PTRT_OK);
        for (int i = 0; i < 8; i++)
            assert_int_equal(gm[i], op == ADD ? (int32_t)((uint32_t)a[i] + (uint32_t)b[i])
                                    : (a[i] < b[i]) == (op == MAX) ? b[i]
                                                                   : a[i]);
        assert_int_equal(gm[8], 42);
        ptrt_set_ctrl_field(core, 1, 6, 3, 0);
        assert_int_equal(ptrt_copy_ub_gm(core, 1, 0, gm, sizeof b, 1, 0, 0, 0, NULL, NULL, NULL),
                         PTRT_OK);
        assert_memory_equal(gm, b, sizeof b);
    }
    return 0;
}

/* One element of each type: 1.5 + 2 or 1 + 2. */
static int run_types(ptrt_core *core, void *arg) {
    (void)arg;
    static const struct {
        int size;
        uint32_t a, b, sum;
    } types[] = {{0, 0, 0, 0},
                 {4, 0x3FC00000, 0x40000000, 0x40600000},
                 {2, 0x3E00, 0x4000, 0x4300},
                 {2, 1, 2, 3},
                 {4, 1, 2, 3},
                 {1, 0x7F, 1, 0x80},
                 {2, 0x3FC0, 0x4000, 0x4060}};
    for (int type = 1; type <= 6; type++) {
        uint32_t gm = types[type].a;
        memcpy(vec_of(core), &types[type].b, sizeof gm);
        ptrt_set_ctrl(core, 1, (int64_t)type << 6);
        assert_int_equal(
            ptrt_copy_ub_gm(core, 1, 0, &gm, types[type].size, 1, 0, 0, 0, NULL, NULL, NULL), 0);
        assert_int_equal(gm, types[type].sum);
    }
    return 0;
}

/* ---- registers ---- */

static int run_ctrl(ptrt_core *core, void *arg) {
    (void)arg;
    int64_t ctrl = -1;
    assert_int_equal(ptrt_get_ctrl(core, 1, &ctrl), PTRT_OK);
    assert_int_equal(ctrl, 0);
    ptrt_set_bit(&ctrl, 5, 48, 1);
    assert_int_equal(ctrl, 5 | (int64_t)1 << 48);
    ptrt_set_bit(&ctrl, ctrl, 0, 0);
    ptrt_set_ctrl(core, 1, ctrl);
    ptrt_set_ctrl_field(core, 1, 6, 3, 5);
    ptrt_get_ctrl(core, 1, &ctrl);
    assert_int_equal(ctrl, 4 | 5 << 6 | (int64_t)1 << 48);
    return 0;
}

/* ---- what is refused ---- */

typedef struct Refused {
    Copy copy;
    bool to_vec;
    int64_t ctrl;
    int code;
    const char *text;
} Refused;

static int run_refused(ptrt_core *core, void *arg) {
    static Trial t;
    const Refused *x = arg;
    Copy c = x->copy;
    int64_t many[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    ptrt_set_ctrl(core, 1, x->ctrl);
    if (c.loops == 9) return ptrt_copy_ub_gm(core, 1, 0, t.now.gm, 1, 1, 0, 0, 9, many, many, many);
    return x->to_vec ? load(core, &t, &c) : store(core, &t, &c);
}

static int run_long_blocks(ptrt_core *core, void *arg) {
    (void)arg;
    return ptrt_copy_ub_ub(core, 1, 0, 0, -1, 1, 0, 0);
}

static void test_refused(void **state) {
    static const Refused list[] = {
        {{.dst = 16, .len = 32, .count = 1, .size = 4},
         true,
         0,
         PTRT_E_ALIGN,
         "pto.mte_gm_ub: address 16 in vec, which must be a multiple of 32"},
        {{.dst = SPACE_BYTES, .len = 32, .count = 1, .size = 4},
         true,
         0,
         PTRT_E_BOUNDS,
         "leave vec"},
        {{.dst = SPACE_BYTES - 32, .len = 32, .count = 1, .size = 4, .pads = 1, .right = 1},
         true,
         0,
         PTRT_E_BOUNDS,
         "leave vec"},
        {{.len = -1, .count = 1, .size = 4}, true, 0, PTRT_E_ARG, "bytes, padded by"},
        {{.len = 32, .count = 1, .size = 4, .pads = 1, .left = -1},
         true,
         0,
         PTRT_E_ARG,
         "bytes, padded by"},
        {{.loops = 9}, false, 0, PTRT_E_ARG, "loops, of at most"},
        {{.len = 32, .count = 1}, false, 7 << 6, PTRT_E_ARG, "of stores in the control register"},
        {{.len = 32, .count = 1}, false, 1 << 6 | 3 << 9, PTRT_E_ARG, "control register"},
        {{.len = 30, .count = 1},
         false,
         1 << 6,
         PTRT_E_ARG,
         "bytes, which are not whole elements of"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        Refused x = list[i];
        assert_int_equal(on_core(run_refused, &x), x.code);
        if (strstr(ptrt_error(), x.text) == NULL) fail_msg("%s", ptrt_error());
    }
    assert_int_equal(on_core(run_long_blocks, NULL), PTRT_E_ARG);
    assert_non_null(strstr(ptrt_error(), "bursts of"));
}

/* ---- */

static void run(int (*fn)(ptrt_core *, void *), uint64_t seed) {
    static Trial t;
    t.random = (Random){seed};
    assert_int_equal(on_core(fn, &t), 0);
}

static void test_loads(void **state) {
    (void)state;
    run(run_loads, 1);
}
static void test_stores(void **state) {
    (void)state;
    run(run_stores, 2);
}
static void test_raw(void **state) {
    (void)state;
    run(run_raw, 3);
}
static void test_blocks(void **state) {
    (void)state;
    run(run_blocks, 4);
}
static void test_combined(void **state) {
    (void)state;
    run(run_combined, 5);
    run(run_types, 6);
}
static void test_ctrl(void **state) {
    (void)state;
    run(run_ctrl, 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads),    cmocka_unit_test(test_stores),
        cmocka_unit_test(test_raw),      cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_combined), cmocka_unit_test(test_ctrl),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
