/* SPDX-License-Identifier: Apache-2.0 */
/* test_items.c - work items: who they are, what lanes exchange, barriers, atomic updates, numbers
 * and their conversions, each against a reference of its own. */
#include "codec.h"
#include "ptort_micro.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;

static void expect(bool holds, const char *what, long long at) {
    if (holds) return;
    if (failures++ < 20) printf("failed: %s, at %lld: %s\n", what, at, ptrt_error());
}

static void expect_text(const char *text) {
    expect(strstr(ptrt_error(), text) != NULL, text, 0);
}

static uint64_t seed = 88172645463325252u;
static uint64_t random_bits(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* ---- launches ---- */

enum { MOST = 2048, COLUMNS = 24 };

/* What the work items of a test share. */
typedef struct Test {
    int (*item)(ptrt_core *core, const void *args);
    int together;
    int64_t x, y, z;
    int launches;
    int64_t stack;
    uint64_t in[MOST];
    int64_t out[COLUMNS][MOST];
    int32_t memory[64];
    uint32_t word;
} Test;

static int entry(ptrt_core *core, void *args) {
    Test *t = args;
    int err = ptrt_set_items(core, 7, t->z, t->y, t->x);
    for (int i = 0; i < t->launches && err == 0; i++) {
        t->word = (uint32_t)i;
        err = ptrt_run_items(core, 8, t->item, t, t->together, t->stack);
    }
    return err;
}

static int run(Test *t, int64_t blocks) {
    const ptrt_kernel kernel = {.name = "items",
                                .file = "items.pto",
                                .vector = entry,
                                .table = PTRT_TABLE,
                                .bytes = {[PTRT_VEC] = 4096}};
    if (t->launches == 0) t->launches = 1;
    return ptrt_launch(&kernel, blocks, t);
}

static Test *new_test(int (*item)(ptrt_core *, const void *), int together, int64_t x, int64_t y,
                      int64_t z) {
    Test *t = calloc(1, sizeof *t);
    if (t == NULL) exit(2);
    *t = (Test){.item = item, .together = together, .x = x, .y = y, .z = z};
    for (int i = 0; i < MOST; i++)
        t->in[i] = random_bits();
    return t;
}

static int number(ptrt_core *core) {
    int32_t x, y, z, dx, dy;
    ptrt_get_tid_x(core, &x);
    ptrt_get_tid_y(core, &y);
    ptrt_get_tid_z(core, &z);
    ptrt_get_block_dim_x(core, &dx);
    ptrt_get_block_dim_y(core, &dy);
    return (z * dy + y) * dx + x;
}

/* ---- identities ---- */

static int tell(ptrt_core *core, const void *args) {
    Test *t = (Test *)(uintptr_t)args;
    const int n = number(core);
    int32_t v[COLUMNS] = {0};
    ptrt_get_tid_x(core, &v[0]);
    ptrt_get_tid_y(core, &v[1]);
    ptrt_get_tid_z(core, &v[2]);
    ptrt_get_laneid(core, &v[3]);
    ptrt_get_lanemask_eq(core, &v[4]);
    ptrt_get_lanemask_lt(core, &v[5]);
    ptrt_get_lanemask_le(core, &v[6]);
    ptrt_get_lanemask_ge(core, &v[7]);
    ptrt_get_lanemask_gt(core, &v[8]);
    ptrt_get_block_dim_z(core, &v[9]);
    for (int i = 0; i < 10; i++)
        t->out[i][n] = v[i];
    t->out[10][n]++;
    return 0;
}

static void test_identities(int together) {
    Test *t = new_test(tell, together, 5, 7, 3);
    expect(run(t, 1) == 0, "identities", together);
    for (int n = 0; n < 105; n++) {
        const int lane = n % 32;
        uint32_t below = 0;
        for (int i = 0; i < lane; i++)
            below = below * 2 + 1;
        const uint32_t own = lane == 0 ? 1 : (below + 1);
        const int64_t want[] = {n % 5,
                                n / 5 % 7,
                                n / 35,
                                lane,
                                (int32_t)own,
                                (int32_t)below,
                                (int32_t)(below | own),
                                (int32_t)~below,
                                (int32_t) ~(below | own),
                                3,
                                1};
        for (int i = 0; i < 11; i++)
            expect(t->out[i][n] == want[i], "identity", n * 100 + i);
    }
    free(t);
}

/* ---- votes, shuffles, reductions ---- */

static const int widths[] = {16, 32};

static int exchange(ptrt_core *core, const void *args) {
    Test *t = (Test *)(uintptr_t)args;
    const int n = number(core);
    int err = 0, column = 0;
    bool yes;
    int32_t bits;
    err |= ptrt_vote_all(core, 1, &yes, t->in[n] & 1);
    t->out[column++][n] = yes;
    err |= ptrt_vote_any(core, 2, &yes, t->in[n] & 1);
    t->out[column++][n] = yes;
    err |= ptrt_vote_uni(core, 3, &yes, t->in[n] & 1);
    t->out[column++][n] = yes;
    err |= ptrt_vote_ballot(core, 4, &bits, t->in[n] & 1);
    t->out[column++][n] = (uint32_t)bits;
    const int64_t with = (int64_t)(t->in[n] >> 8 & 63) - 16;
    for (int w = 0; w < 2; w++) {
        const uint32_t line = 10 + 10 * (uint32_t)w;
        uint64_t got = 0;
        err |= ptrt_shuffle_idx(core, line, &got, t->in[n], PTRT_I64, 1, with, widths[w]);
        t->out[column++][n] = (int64_t)got;
        err |= ptrt_shuffle_up(core, line + 1, &got, t->in[n], PTRT_I64, 1, with, widths[w]);
        t->out[column++][n] = (int64_t)got;
        err |= ptrt_shuffle_down(core, line + 2, &got, t->in[n], PTRT_I64, 1, with, widths[w]);
        t->out[column++][n] = (int64_t)got;
        err |= ptrt_shuffle_bfly(core, line + 3, &got, t->in[n], PTRT_I64, 1, with & 31, widths[w]);
        t->out[column++][n] = (int64_t)got;
    }
    uint32_t word = 0;
    err |= ptrt_redux_add(core, 40, &word, (uint32_t)t->in[n], PTRT_I32, 1, -1);
    t->out[column++][n] = word;
    err |= ptrt_redux_max(core, 41, &word, (uint32_t)t->in[n], PTRT_I32, 1, 0);
    t->out[column++][n] = word;
    err |= ptrt_redux_min(core, 42, &word, (uint32_t)t->in[n], PTRT_I32, 1, 1);
    t->out[column++][n] = word;
    uint16_t half = 0;
    err |= ptrt_redux_add(core, 43, &half, code_of_real(PTRT_F16, n % 32, TO_EVEN, false), PTRT_F16,
                          1, -1);
    t->out[column++][n] = half;
    return err;
}

static int64_t shuffled(const Test *t, int n, int count, int from, int base, int width) {
    const int there = base + from;
    return (int64_t)t->in[from >= 0 && from < width && there < count ? there : n];
}

static void test_exchanges(int together, int count) {
    Test *t = new_test(exchange, together, count, 1, 1);
    for (int i = 32; i < 64; i++) /* a warp that agrees */
        t->in[i] |= 1;
    expect(run(t, 1) == 0, "exchanges", together);
    for (int n = 0; n < count; n++) {
        const int first = n / 32 * 32, end = first + 32 < count ? first + 32 : count;
        bool all = true, any = false;
        uint32_t bits = 0, sum = 0, least = UINT32_MAX;
        int32_t most = INT32_MIN;
        int lanes = 0;
        for (int i = first; i < end; i++) {
            const bool yes = (t->in[i] & 1) != 0;
            const uint32_t v = (uint32_t)t->in[i];
            all = all && yes;
            any = any || yes;
            if (yes) bits |= 1u << (i - first);
            sum += v;
            if (v < least) least = v;
            if ((int32_t)v > most) most = (int32_t)v;
            lanes += i % 32;
        }
        int column = 0;
        expect(t->out[column++][n] == all, "vote_all", n);
        expect(t->out[column++][n] == any, "vote_any", n);
        expect(t->out[column++][n] == (all || !any), "vote_uni", n);
        expect(t->out[column++][n] == bits, "vote_ballot", n);
        const int with = (int)(t->in[n] >> 8 & 63) - 16;
        for (int w = 0; w < 2; w++) {
            const int width = widths[w], base = n / width * width, own = n % width;
            const int from[] = {with, own - with, own + with, own ^ (with & 31)};
            for (int k = 0; k < 4; k++)
                expect(t->out[column++][n] == shuffled(t, n, count, from[k], base, width),
                       "shuffle", n * 10 + k);
        }
        expect(t->out[column++][n] == sum, "redux_add", n);
        expect(t->out[column++][n] == (uint32_t)most, "redux_max", n);
        expect(t->out[column++][n] == least, "redux_min", n);
        expect((uint64_t)t->out[column++][n] == code_of_real(PTRT_F16, lanes, TO_EVEN, false),
               "redux_add f16", n);
    }
    free(t);
}

/* Lanes of a branch and of loops of different lengths vote without the others. */
static int diverge(ptrt_core *core, const void *args) {
    Test *t = (Test *)(uintptr_t)args;
    const int n = number(core), lane = n % 32;
    int32_t bits = 0, all = 0;
    int err = 0;
    if (lane % 3 == 0) {
        err |= ptrt_vote_ballot(core, 20, &bits, 1);
        t->out[0][n] = (uint32_t)bits;
    } else if (lane % 3 == 1) {
        err |= ptrt_vote_ballot(core, 22, &bits, 1);
        t->out[0][n] = (uint32_t)bits;
    }
    for (int i = 0; i < lane / 8; i++) {
        err |= ptrt_vote_ballot(core, 25, &bits, 1);
        t->out[1 + i][n] = (uint32_t)bits;
    }
    err |= ptrt_vote_ballot(core, 30, &all, 1);
    t->out[8][n] = (uint32_t)all;
    return err;
}

static void test_divergence(void) {
    Test *t = new_test(diverge, PTRT_WARPS_TOGETHER, 64, 1, 1);
    expect(run(t, 1) == 0, "divergence", 0);
    for (int n = 0; n < 64; n++) {
        const int lane = n % 32;
        uint32_t same = 0;
        for (int i = lane % 3; i < 32 && lane % 3 < 2; i += 3)
            same |= 1u << i;
        expect(t->out[0][n] == same, "branch", n);
        for (int i = 0; i < 3; i++)
            expect(t->out[1 + i][n] == (lane / 8 > i ? UINT32_MAX << (i + 1) * 8 : 0), "loop", n);
        expect(t->out[8][n] == UINT32_MAX, "reunion", n);
    }
    free(t);
}

/* ---- barriers ---- */

static int mirror(ptrt_core *core, const void *args) {
    Test *t = (Test *)(uintptr_t)args;
    const int n = number(core), count = (int)t->x;
    int err = 0;
    for (int round = 0; round < 3 && err == 0; round++) {
        t->out[round][n] = n + round;
        err = ptrt_syncthreads(core, 50);
        if (err == 0) t->out[10 + round][n] = t->out[round][count - 1 - n];
        if (err == 0) err = ptrt_syncthreads(core, 52);
    }
    return err;
}

static void test_barriers(void) {
    Test *t = new_test(mirror, PTRT_ALL_TOGETHER, 2048, 1, 1);
    for (int count = 1; count <= 2048; count = count * 3 + 1) {
        t->x = count;
        expect(run(t, 1) == 0, "barrier", count);
        for (int n = 0; n < count; n++)
            for (int round = 0; round < 3; round++)
                expect(t->out[10 + round][n] == count - 1 - n + round, "mirror", n);
    }
    free(t);
}

static int leave_early(ptrt_core *core, const void *args) {
    (void)args;
    return number(core) < 40 ? ptrt_syncthreads(core, 77) : 0;
}

static int fail_late(ptrt_core *core, const void *args) {
    Test *t = (Test *)(uintptr_t)args;
    const int n = number(core);
    if (n == 50) return ptrt_fail(core, PTRT_E_ASSERT, 88, "item %d", n);
    const int err = ptrt_syncthreads(core, 87);
    t->out[0][n] = err;
    return err;
}

static void test_errors(void) {
    Test *t = new_test(leave_early, PTRT_ALL_TOGETHER, 64, 1, 1);
    expect(run(t, 1) == PTRT_E_DEADLOCK, "a barrier that some do not reach", 0);
    expect_text("items.pto:77: pto.syncthreads: 40 of 64 work items wait here, the others have "
                "ended");
    t->item = fail_late;
    expect(run(t, 1) == PTRT_E_ASSERT, "a work item that fails", 0);
    expect(t->out[0][3] == PTRT_E_STOPPED, "the others end", 0);
    t->x = 2049;
    expect(run(t, 1) == PTRT_E_ARG, "too many work items", 0);
    expect_text("items.pto:7: 2049 x 1 x 1 work items, expected 1 to 2048 in all");
    t->x = 64;
    t->y = 33;
    expect(run(t, 1) == PTRT_E_ARG, "too many work items in all", 0);
    expect_text("64 x 33 x 1 work items, expected 1 to 2048 in all");
    t->y = 1;
    t->x = 0;
    expect(run(t, 1) == PTRT_E_ARG, "no work items", 0);
    expect_text("0 x 1 x 1 work items, expected 1 to");
    t->x = 32;
    t->stack = INT64_C(1) << 40;
    expect(run(t, 1) == PTRT_E_NOMEM, "a stack that is too large", 0);
    t->stack = 1 << 20;
    t->item = mirror;
    expect(run(t, 1) == 0, "a large stack", 0);
    free(t);
}

static int launch_within(ptrt_core *core, const void *args) {
    return ptrt_run_items(core, 9, leave_early, args, PTRT_NONE_TOGETHER, 0);
}

static int launch_unprepared(ptrt_core *core, void *args) {
    const Test *t = args;
    return ptrt_run_items(core, 8, t->item, t, t->together, 0);
}

static void test_wrong_launches(void) {
    Test *t = new_test(launch_within, PTRT_NONE_TOGETHER, 3, 1, 1);
    const ptrt_kernel unprepared = {
        .name = "items", .file = "items.pto", .vector = launch_unprepared, .table = PTRT_TABLE};
    for (int together = 0; together < 3; together++) {
        t->together = together;
        expect(run(t, 1) == PTRT_E_ARG, "a launch in a launch", together);
        expect_text("items.pto:9: a work item launches work items");
        expect(ptrt_launch(&unprepared, 1, t) == PTRT_E_ARG, "no dimensions", together);
        expect_text("items.pto:8: a launch of work items before any pto.store_vfsimt_info");
    }
    free(t);
}

/* ---- slots ---- */

static int swap_kept(ptrt_core *core, const void *args) {
    Test *t = (Test *)(uintptr_t)args;
    const int n = number(core);
    uint32_t a = 1, b = 1;
    uint64_t wide = 1;
    int err = ptrt_resume(core, 1, &a, 0, PTRT_I32, 1) | ptrt_resume(core, 2, &b, 1, PTRT_I32, 1) |
              ptrt_resume(core, 3, &wide, 120, PTRT_I64, 1);
    if (t->word == 0) {
        t->out[0][n] = a == 0 && b == 0 && wide == 0;
        a = (uint32_t)n;
        b = (uint32_t)-n;
        wide = t->in[n];
    }
    t->out[1][n] = a;
    t->out[2][n] = b;
    t->out[3][n] = (int64_t)wide;
    err |= ptrt_keep(core, 4, 0, b, PTRT_I32, 1) | ptrt_keep(core, 5, 1, a, PTRT_I32, 1) |
           ptrt_keep(core, 6, 120, wide + 1, PTRT_I64, 1);
    return err;
}

static void test_slots(void) {
    Test *t = new_test(swap_kept, PTRT_NONE_TOGETHER, 1000, 2, 1);
    t->launches = 4;
    expect(run(t, 1) == 0, "slots", 0);
    for (int n = 0; n < 2000; n++) {
        expect(t->out[0][n] != 0, "slots begin with 0", n);
        expect(t->out[1][n] == (uint32_t)-n && t->out[2][n] == n, "slots of 32 bits", n);
        expect((uint64_t)t->out[3][n] == t->in[n] + 3, "slots of 64 bits", n);
    }
    free(t);
}

/* ---- memory ---- */

static int64_t gm(const void *p) {
    return (int64_t)(uintptr_t)p;
}

static int update(ptrt_core *core, const void *args) {
    Test *t = (Test *)(uintptr_t)args;
    const int n = number(core);
    const uint32_t v = (uint32_t)t->in[n];
    int32_t old;
    float f;
    int err = 0;
    err |= ptrt_atomic_add(core, 1, &old, PTRT_GM, gm(&t->memory[0]), v, PTRT_I32, 1, -1);
    err |= ptrt_atomic_sub(core, 2, &old, PTRT_GM, gm(&t->memory[1]), v, PTRT_I32, 1, -1);
    err |= ptrt_atomic_max(core, 3, &old, PTRT_GM, gm(&t->memory[2]), v, PTRT_I32, 1, 0);
    err |= ptrt_atomic_max(core, 4, &old, PTRT_GM, gm(&t->memory[3]), v, PTRT_I32, 1, 1);
    err |= ptrt_atomic_min(core, 5, &old, PTRT_GM, gm(&t->memory[4]), v, PTRT_I32, 1, -1);
    err |= ptrt_atomic_xor(core, 6, &old, PTRT_GM, gm(&t->memory[5]), v, PTRT_I32, 1, -1);
    err |= ptrt_atomic_or(core, 7, &old, PTRT_GM, gm(&t->memory[6]), v & 0x0FF0, PTRT_I32, 1, -1);
    err |=
        ptrt_atomic_and(core, 8, &old, PTRT_GM, gm(&t->memory[7]), ~(v & 0xF00F), PTRT_I32, 1, 1);
    err |= ptrt_atomic_add(core, 9, &f, PTRT_GM, gm(&t->memory[8]), ptrt_bits_of_f32(0.5f),
                           PTRT_F32, 1, -1);
    /* Both halves of a word, by way of compare and exchange. */
    for (;;) {
        uint32_t now = 0, was;
        err |= ptrt_read_value(core, 10, &now, PTRT_GM, gm(t->memory), 9, PTRT_I32, 1);
        err |= ptrt_atomic_cas(core, 11, &was, PTRT_GM, gm(&t->memory[9]), now, now + 0x10001,
                               PTRT_I32, 1, -1);
        if (was == now || err != 0) break;
    }
    uint32_t pair;
    err |= ptrt_atomic_add(core, 12, &pair, PTRT_GM, gm(&t->memory[10]), 0x40003C00u /* 1, 2 */,
                           PTRT_F16, 2, -1);
    /* The order of updates in one launch is that of the work items. */
    err |= ptrt_atomic_exch(core, 13, &old, PTRT_VEC, 64, (uint32_t)n, PTRT_I32, 1, -1);
    t->out[0][n] = old;
    return err;
}

static void test_atomics(int64_t blocks) {
    Test *t = new_test(update, PTRT_NONE_TOGETHER, 100, 1, 1);
    uint32_t sum = 0, parity = 0, any = 0, none = 0, most = 0;
    int32_t high = 0, low = 0;
    t->memory[7] = -1;
    for (int n = 0; n < 100; n++) {
        const uint32_t v = (uint32_t)t->in[n];
        sum += v * (uint32_t)blocks;
        parity ^= blocks % 2 != 0 ? v : 0;
        any |= v & 0x0FF0;
        none |= v & 0xF00F;
        if (v > most) most = v;
        if ((int32_t)v > high) high = (int32_t)v;
        if ((int32_t)v < low) low = (int32_t)v;
    }
    expect(run(t, blocks) == 0, "atomics", blocks);
    const uint32_t want[] = {sum, 0 - sum, (uint32_t)high, most, (uint32_t)low, parity, any, ~none};
    for (int i = 0; i < 8; i++)
        expect((uint32_t)t->memory[i] == want[i], "atomic", i);
    expect(ptrt_f32_of_bits((uint32_t)t->memory[8]) == 50.0f * (float)blocks, "atomic f32", 0);
    expect((uint32_t)t->memory[9] == (uint32_t)(100 * blocks) * 0x10001u, "atomic_cas", 0);
    /* 100 and 200 in f16, times the blocks; exact up to 2048 */
    expect((uint32_t)t->memory[10] ==
               (uint32_t)(code_of_real(PTRT_F16, 100.0 * (double)blocks, TO_EVEN, false) |
                          code_of_real(PTRT_F16, 200.0 * (double)blocks, TO_EVEN, false) << 16),
           "atomic_add of a vector", 0);
    for (int n = 1; n < 100; n++)
        expect(t->out[0][n] == n - 1, "atomic_exch", n);
    free(t);
}

static int reach(ptrt_core *core, const void *args) {
    Test *t = (Test *)(uintptr_t)args;
    uint64_t v = 0;
    const int64_t at = (int64_t)t->in[0];
    int err = ptrt_write_value(core, 21, 0x1122334455667788u, PTRT_VEC, at, 2, PTRT_F32, 2);
    if (err == 0) err = ptrt_read_value(core, 22, &v, PTRT_VEC, at + 16, 0, PTRT_I64, 1);
    t->out[0][0] = (int64_t)v;
    return err;
}

static void test_bounds(void) {
    static const struct {
        int64_t at;
        int code;
    } cases[] = {
        {0, 0},   {4096 - 24, 0},       {4096 - 23, PTRT_E_BOUNDS}, {3, 0},
        {-16, 0}, {-17, PTRT_E_BOUNDS}, {INT64_MAX, PTRT_E_BOUNDS}, {INT64_MIN, PTRT_E_BOUNDS}};
    Test *t = new_test(reach, PTRT_NONE_TOGETHER, 1, 1, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        t->in[0] = (uint64_t)cases[i].at;
        expect(run(t, 1) == cases[i].code, "bounds", cases[i].at);
        expect(cases[i].code != 0 || t->out[0][0] == 0x1122334455667788, "value", cases[i].at);
    }
    free(t);
}

/* ---- numbers ---- */

static double real_of(int elem, uint64_t bits) {
    return elem == PTRT_F32   ? (double)ptrt_f32_of_bits((uint32_t)bits)
           : elem == PTRT_F16 ? ptrt_extf_f16_f64((ptrt_f16)bits)
                              : ptrt_extf_bf16_f64((ptrt_bf16)bits);
}

static const int float_elems[] = {PTRT_F16, PTRT_BF16, PTRT_F32};

static uint64_t some_float(int elem) {
    static const double special[] = {0,     -0.0,    1,        -1,        0.5,       1.5,
                                     2.5,   -2.5,    INFINITY, NAN,       65504,     65520,
                                     -3e38, 0x1p-24, 0x1p-25,  -0x1p-149, 4194305.5, 447.9};
    const uint64_t r = random_bits();
    const unsigned width = elem == PTRT_F32 ? 32 : 16;
    switch (r % 3) {
    case 0:
        return random_bits() & (width == 32 ? UINT32_MAX : UINT16_MAX);
    case 1:
        return code_of_real(elem, special[r / 3 % (sizeof special / sizeof *special)], TO_EVEN,
                            false);
    default:
        return code_of_real(elem, ldexp((double)(int64_t)random_bits(), (int)(r / 3 % 40) - 80),
                            TO_EVEN, false);
    }
}

static bool is_near(int elem, uint64_t got, double want, double ulps) {
    const double g = real_of(elem, got);
    if (isnan(want)) return isnan(g);
    const uint64_t nearest = code_of_real(elem, want, TO_EVEN, false);
    if (nearest == got) return true;
    const int bits = elem == PTRT_F32 ? 23 : elem == PTRT_F16 ? 10 : 7;
    const double least = elem == PTRT_F16 ? 0x1p-24 : elem == PTRT_F32 ? 0x1p-149 : 0x1p-133;
    int e;
    frexp(want, &e);
    const double unit = fmax(ldexp(1, e - 1 - bits), least);
    return fabs(g - want) <= ulps * unit;
}

typedef int Math1(ptrt_core *, uint32_t, void *, uint64_t, int, int);

static void check_1(ptrt_core *core, const char *name, Math1 *fn, double (*of)(double), double ulps,
                    int elems) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3000 && (elems >> k & 1) != 0; i++) {
            const int elem = float_elems[k];
            const uint64_t x = some_float(elem), y = some_float(elem);
            const unsigned shift = elem == PTRT_F32 ? 32 : 16;
            uint64_t got = 0;
            const int err = fn(core, 1, &got, x | y << shift, elem, 2);
            const uint64_t mask = (UINT64_C(1) << shift) - 1;
            expect(err == 0 && is_near(elem, got & mask, of(real_of(elem, x)), ulps) &&
                       is_near(elem, got >> shift & mask, of(real_of(elem, y)), ulps),
                   name, (long long)(x | y << shift));
        }
}

static double own_rint(double x) {
    return isfinite(x) ? real_to_integral(x, TO_EVEN) : x;
}
static double own_round(double x) {
    return isfinite(x) ? real_to_integral(x, TO_AWAY) : x;
}

static void check_2(ptrt_core *core) {
    for (int i = 0; i < 20000; i++) {
        const int elem = float_elems[i % 3];
        const uint64_t x = some_float(elem), y = some_float(elem), z = some_float(elem);
        const double a = real_of(elem, x), b = real_of(elem, y), c = real_of(elem, z);
        uint64_t got = 0;
        ptrt_num_fmin(core, 1, &got, x, y, elem, 1);
        expect(is_near(elem, got, fmin(a, b), 0), "fmin", (long long)x);
        ptrt_num_fmax(core, 1, &got, x, y, elem, 1);
        expect(is_near(elem, got, fmax(a, b), 0), "fmax", (long long)x);
        ptrt_num_pow(core, 1, &got, x, y, elem, 1);
        expect(is_near(elem, got, pow(a, b), 1), "pow", (long long)(x | y << 32));
        ptrt_num_fma(core, 1, &got, x, y, z, elem, 1);
        if (elem == PTRT_F32) {
            const float want = fmaf((float)a, (float)b, (float)c);
            expect(is_near(elem, got, (double)want, 0), "fma f32", (long long)(x | y << 32));
        } else if (fabs(log2(fabs(a * b)) - log2(fabs(c))) < 20 || a * b == 0 || c == 0) {
            expect(is_near(elem, got, a * b + c, 0), "fma", (long long)(x | y << 16 | z << 32));
        }
    }
}

/* Arguments for which a reduction by a rounded pi fails. */
static void check_far_sines(ptrt_core *core) {
    for (int i = 0; i < 200000; i++) {
        const uint32_t x = (uint32_t)random_bits();
        const double v = (double)ptrt_f32_of_bits(x);
        uint64_t got = 0;
        ptrt_num_sin(core, 1, &got, x, PTRT_F32, 1);
        expect(is_near(PTRT_F32, got, sin(v), 0.51), "sin", x);
        ptrt_num_cos(core, 1, &got, x, PTRT_F32, 1);
        expect(is_near(PTRT_F32, got, cos(v), 0.51), "cos", x);
    }
}

static void check_integers(ptrt_core *core) {
    (void)core;
    for (int i = 0; i < 5000; i++) {
        const uint64_t x = random_bits() >> (i % 5 * 8), y = random_bits() >> (i % 3 * 16);
        int32_t word;
        int64_t wide;
        ptrt_mul_i32toi64(&wide, (uint32_t)x, (uint32_t)y, 0);
        expect(wide == (int64_t)(int32_t)x * (int32_t)y, "mul_i32toi64", i);
        ptrt_mul_i32toi64(&wide, (uint32_t)x, (uint32_t)y, 1);
        expect((uint64_t)wide == (x & UINT32_MAX) * (y & UINT32_MAX), "mul_i32toi64", i);
        ptrt_mulhi(&word, (uint32_t)x, (uint32_t)y, PTRT_I32, 1, 0);
        expect(word == (int32_t)(((int64_t)(int32_t)x * (int32_t)y) >> 32), "mulhi", i);
        __extension__ typedef __int128 Wide;
        __extension__ typedef unsigned __int128 UnsignedWide;
        ptrt_mulhi(&wide, x, y, PTRT_I64, 1, 0);
        expect(wide == (int64_t)(((Wide)(int64_t)x * (int64_t)y) >> 64), "mulhi i64", i);
        ptrt_mulhi(&wide, x, y, PTRT_I64, 1, 1);
        expect(wide == (int64_t)(((UnsignedWide)x * y) >> 64), "mulhi u64", i);
        uint8_t bytes[8];
        uint32_t want = 0;
        memcpy(bytes, &(uint64_t){(x << 32) | (y & UINT32_MAX)}, 8);
        for (int j = 0; j < 4; j++)
            want |= (uint32_t)bytes[x >> (4 * j + 32) & 7] << 8 * j;
        ptrt_prmt(&word, (uint32_t)x, (uint32_t)y, x >> 32 & UINT32_MAX);
        expect((uint32_t)word == want, "prmt", i);
    }
}

/* ---- conversions ---- */

enum { NEAREST = 1 << TO_EVEN, FIVE = 0x1F, SIX = 0x3F, AWAY = 1 << TO_AWAY };

static void check_to_float(ptrt_core *core, int from, int to, int modes) {
    for (int i = 0; i < 20000; i++) {
        const int mode = i % 6, sat = i / 6 % 2;
        if ((modes >> mode & 1) == 0) continue;
        const uint64_t x = some_float(from);
        const double v = real_of(from, x);
        uint64_t got = 0;
        const int err = ptrt_num_convert(core, 1, &got, x, from, 1, to, 1, mode, sat, -1);
        const uint64_t want = code_of_real(to, v, (Rounding)mode, sat == 0 && isfinite(v));
        expect(err == 0 && (got == want || (isnan(v) && isnan(real_of(to, got)))), "convert floats",
               (long long)(x | (uint64_t)mode << 32));
    }
}

static void check_to_small(ptrt_core *core, int from, int to, int lanes_elem, int modes) {
    for (int i = 0; i < 20000; i++) {
        const int mode = i % 6, sat = i / 6 % 2;
        if ((modes >> mode & 1) == 0) continue;
        const unsigned shift = from == PTRT_F32 ? 32 : 16;
        const uint64_t x = some_float(from), y = some_float(from);
        const double v = real_of(from, x), w = real_of(from, y);
        if (isnan(v) || isnan(w) || isinf(v) || isinf(w)) continue; /* as tiles have it */
        uint64_t got = 0;
        const int err = ptrt_num_convert(core, 1, &got, x | y << shift, from, 2, lanes_elem,
                                         lanes_elem == to ? 2 : 1, mode, sat, -1);
        const uint64_t want = code_of_real(to, v, (Rounding)mode, sat == 0) |
                              code_of_real(to, w, (Rounding)mode, sat == 0) << 8;
        expect(err == 0 && got == want, "convert to 8 bits", (long long)(x | y << shift));
    }
}

static void check_from_small(ptrt_core *core, int from, int from_elem, int to) {
    for (unsigned code = 0; code < 256; code++) {
        uint64_t got = 0;
        const unsigned other = code * 7 & 255, shift = to == PTRT_F32 ? 32 : 16;
        const int err = ptrt_num_convert(core, 1, &got, code | other << 8, from_elem,
                                         from_elem == from ? 2 : 1, to, 2, 0, 1, -1);
        const double a = num_of(from, code).f, b = num_of(from, other).f;
        const uint64_t mask = (UINT64_C(1) << shift) - 1;
        expect(err == 0 && is_near(to, got & mask, a, 0) && is_near(to, got >> shift & mask, b, 0),
               "convert from 8 bits", code);
    }
}

static void check_integer_conversions(ptrt_core *core) {
    for (int i = 0; i < 60000; i++) {
        const int mode = i % 5, is_unsigned = i / 5 % 2, wide = i / 10 % 2;
        const int elem = wide ? PTRT_F32 : float_elems[i / 20 % 3];
        const int integer = wide ? PTRT_I64 : PTRT_I32;
        const int meant = wide          ? is_unsigned ? PTRT_U64 : PTRT_I64
                          : is_unsigned ? PTRT_U32
                                        : PTRT_I32;
        const uint64_t x = some_float(elem);
        uint64_t got = 0;
        int err = ptrt_num_convert(core, 1, &got, x, elem, 1, integer, 1, mode, 0, is_unsigned);
        expect(err == 0 && got == code_of_clamped(meant, real_of(elem, x), (Rounding)mode),
               "float to integer", (long long)(x | (uint64_t)i << 32));
        /* From integers that a double holds. */
        uint64_t n = random_bits() >> (wide ? 11 + i % 40 : 32 + i % 20);
        if (!is_unsigned && i % 3 == 0) n = wide ? 0 - n : (uint32_t)(0 - n);
        const double v =
            is_unsigned || wide ? is_unsigned ? (double)n : (double)(int64_t)n : (double)(int32_t)n;
        got = 0;
        err =
            ptrt_num_convert(core, 1, &got, n, integer, 1, elem, 1, mode, i / 40 % 2, is_unsigned);
        expect(err == 0 && got == code_of_real(elem, v, (Rounding)mode, i / 40 % 2 == 0),
               "integer to float", (long long)n);
    }
}

static double own_absf(double x) {
    return fabs(x);
}

static int check_numbers(ptrt_core *core, const void *args) {
    (void)args;
    check_1(core, "absf", ptrt_num_absf, own_absf, 0, 7);
    check_1(core, "sqrt", ptrt_num_sqrt, sqrt, 0, 7);
    check_1(core, "exp", ptrt_num_exp, exp, 1, 7);
    check_1(core, "log", ptrt_num_log, log, 1, 7);
    check_1(core, "sin", ptrt_num_sin, sin, 0.51, 4);
    check_1(core, "cos", ptrt_num_cos, cos, 0.51, 4);
    check_1(core, "ceil", ptrt_num_ceil, ceil, 0, 7);
    check_1(core, "floor", ptrt_num_floor, floor, 0, 7);
    check_1(core, "rint", ptrt_num_rint, own_rint, 0, 7);
    check_1(core, "round", ptrt_num_round, own_round, 0, 7);
    check_2(core);
    check_far_sines(core);
    check_integers(core);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            check_to_float(core, float_elems[i], float_elems[k], i == 2 && k == 0 ? SIX : FIVE);
    check_to_small(core, PTRT_F32, PTRT_F8E4M3FN, PTRT_F8E4M3FN, NEAREST);
    check_to_small(core, PTRT_F32, PTRT_F8E5M2, PTRT_F8E5M2, NEAREST);
    check_to_small(core, PTRT_F32, PTRT_HIF8, PTRT_HIF8X2, AWAY);
    check_to_small(core, PTRT_F16, PTRT_HIF8, PTRT_HIF8X2, AWAY);
    for (int k = 0; k < 3; k += 2) {
        check_from_small(core, PTRT_F8E4M3FN, PTRT_F8E4M3FN, float_elems[k]);
        check_from_small(core, PTRT_F8E5M2, PTRT_F8E5M2, float_elems[k]);
        check_from_small(core, PTRT_HIF8, PTRT_HIF8X2, float_elems[k]);
    }
    check_integer_conversions(core);
    return 0;
}

static int compute_other(ptrt_core *core, const void *args) {
    Test *t = (Test *)(uintptr_t)args;
    return t->in[1] == 0 ? ptrt_num_sqrt(core, 3, &t->word, 1, (int)t->in[0], 1)
                         : ptrt_num_fmax(core, 3, &t->word, 1, 2, (int)t->in[0], 1);
}

static int convert_other(ptrt_core *core, const void *args) {
    Test *t = (Test *)(uintptr_t)args;
    return ptrt_num_convert(core, 3, &t->word, 1, (int)t->in[0], 1, (int)t->in[1], 1, 0, 0, -1);
}

/* Floats of 8 bits and integers have no arithmetic of floats, and some pairs no conversion. */
static void test_other_types(void) {
    static const int elems[] = {PTRT_F8E5M2, PTRT_I32};
    static const int pairs[][2] = {{PTRT_F32, PTRT_HIF8X2}, {PTRT_F32, PTRT_F8E8M0}};
    Test *t = new_test(compute_other, PTRT_NONE_TOGETHER, 1, 1, 1);
    for (int i = 0; i < 4; i++) {
        t->in[0] = (uint64_t)elems[i / 2];
        t->in[1] = (uint64_t)(i % 2);
        expect(run(t, 1) == PTRT_E_TYPE, "arithmetic of another type", i);
        expect_text(i % 2 ? "items.pto:3: pto.fmax: not computed for this type"
                          : "items.pto:3: pto.sqrt: not computed for this type");
    }
    t->item = convert_other;
    for (int i = 0; i < 2; i++) {
        t->in[0] = (uint64_t)pairs[i][0];
        t->in[1] = (uint64_t)pairs[i][1];
        expect(run(t, 1) == PTRT_E_TYPE, "conversion of another type", i);
        expect_text("items.pto:3: pto.convert: not computed for this type");
    }
    free(t);
}

int main(void) {
    for (int together = 0; together < 3; together++)
        test_identities(together);
    for (int together = 1; together < 3; together++)
        for (int count = 1; count < 200; count += 33)
            test_exchanges(together, count);
    test_divergence();
    test_barriers();
    test_errors();
    test_wrong_launches();
    test_slots();
    test_atomics(1);
    test_atomics(8);
    test_bounds();
    Test *t = new_test(check_numbers, PTRT_NONE_TOGETHER, 1, 1, 1);
    expect(run(t, 1) == 0, "numbers", 0);
    free(t);
    test_other_types();
    if (failures > 0) printf("%d failures\n", failures);
    return failures > 0;
}
