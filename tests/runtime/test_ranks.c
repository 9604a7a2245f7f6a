/* SPDX-License-Identifier: Apache-2.0 */
/* test_ranks.c - ranks as threads of one process: transfers between views of any strides, signals,
 * collectives, windows, and what happens when a rank fails, ends early or waits in vain. */
#include "codec.h"
#include "comm/rank.h"
#include "on_core.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- one core around a function ---- */

static int launch_blocks(int (*fn)(ptrt_core *, void *), void *arg, uint32_t flags,
                         int64_t blocks) {
    ptrt_kernel k = {.name = "k", .file = "k.pto", .vector = fn, .flags = flags, .subblocks = 1};
    return ptrt_launch(&k, blocks, arg);
}

static int launch(int (*fn)(ptrt_core *, void *), void *arg) {
    return launch_blocks(fn, arg, 0, 1);
}

static ptrt_view line_view(void *base, int elem, int64_t n) {
    ptrt_view v;
    const int64_t one = 1;
    assert_int_equal(ptrt_view_init(&v, base, elem, 1, &n, &one, PTRT_VIEW_ND), PTRT_OK);
    return v;
}

static ptrt_view matrix(void *base, int elem, int64_t rows, int64_t cols, int64_t row_step,
                        int64_t col_step) {
    ptrt_view v;
    const int64_t shape[] = {rows, cols}, stride[] = {row_step, col_step};
    assert_int_equal(ptrt_view_init(&v, base, elem, 2, shape, stride, PTRT_VIEW_ND), PTRT_OK);
    return v;
}

/* ---- transfers ---- */

typedef struct Copy {
    ptrt_view dst, src;
    int add;
    bool get;
} Copy;

static int run_copy(ptrt_core *core, void *args) {
    const Copy *c = args;
    return c->get ? ptrt_comm_get(core, 7, &c->dst, &c->src)
                  : ptrt_comm_put(core, 7, &c->dst, &c->src, c->add);
}

static uint64_t next_number(uint64_t *s) {
    *s = *s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *s >> 33;
}

/* A view of five dimensions whose elements lie in any order, some gaps between them, in `room`. */
static void any_view(uint64_t *seed, const int64_t *shape, int32_t *room, ptrt_view *out) {
    int order[5] = {0, 1, 2, 3, 4};
    int64_t stride[5], step = 1 + (int64_t)(next_number(seed) % 2), low = 0;
    for (int i = 4; i > 0; i--) {
        int j = (int)(next_number(seed) % (uint64_t)(i + 1)), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (int i = 0; i < 5; i++) {
        int d = order[i];
        bool back = next_number(seed) % 4 == 0;
        stride[d] = back ? -step : step;
        if (back) low += (shape[d] - 1) * step;
        step = step * shape[d] + (int64_t)(next_number(seed) % 2);
    }
    assert_int_equal(ptrt_view_init(out, room + low, PTRT_I32, 5, shape, stride, PTRT_VIEW_ND), 0);
}

static int32_t *at(const ptrt_view *v, const int64_t *i) {
    int64_t o = 0;
    for (int d = 0; d < 5; d++)
        o += i[d] * v->stride[d];
    return (int32_t *)(void *)v->base + o;
}

enum { ROOM = 8192 };

/* Copies and sums of views with any strides: every element, and no byte beside them. */
static void test_any_strides(void **state) {
    static int32_t from[ROOM], to[ROOM], want[ROOM];
    uint64_t seed = 1;
    (void)state;
    for (int n = 0; n < 3000; n++) {
        int64_t shape[5], i[5];
        for (int d = 0; d < 5; d++)
            shape[d] = 1 + (int64_t)(next_number(&seed) % 3);
        for (int k = 0; k < ROOM; k++) {
            from[k] = (int32_t)next_number(&seed);
            want[k] = to[k] = (int32_t)(next_number(&seed) | 0x40000000);
        }
        Copy c = {.add = n % 3 == 1, .get = n % 3 == 2};
        any_view(&seed, shape, from, &c.src);
        any_view(&seed, shape, to, &c.dst);
        for (i[0] = 0; i[0] < shape[0]; i[0]++)
            for (i[1] = 0; i[1] < shape[1]; i[1]++)
                for (i[2] = 0; i[2] < shape[2]; i[2]++)
                    for (i[3] = 0; i[3] < shape[3]; i[3]++)
                        for (i[4] = 0; i[4] < shape[4]; i[4]++) {
                            int32_t *w = want + (at(&c.dst, i) - to), s = *at(&c.src, i);
                            *w = c.add ? (int32_t)((uint32_t)*w + (uint32_t)s) : s;
                        }
        assert_int_equal(launch(run_copy, &c), 0);
        assert_memory_equal(to, want, sizeof to);
    }
}

static void test_transfer_refusals(void **state) {
    static float a[64], b[64];
    static uint8_t c[64];
    (void)state;
    Copy x = {.dst = matrix(a, PTRT_F32, 4, 8, 8, 1), .src = matrix(b, PTRT_F32, 4, 7, 8, 1)};
    assert_int_equal(launch(run_copy, &x), PTRT_E_BOUNDS);
    assert_string_equal(ptrt_error(),
                        "k.pto:7: pto.comm.tput: dimension 4 (columns) of 5 is 8 in dst and 7 in "
                        "src");
    x.src = matrix(c, PTRT_U8, 4, 8, 8, 1);
    assert_int_equal(launch(run_copy, &x), PTRT_E_TYPE);
    x.src = matrix(NULL, PTRT_F32, 4, 8, 8, 1);
    assert_int_equal(launch(run_copy, &x), PTRT_E_BOUNDS);
    x.src = matrix(b, PTRT_F32, -4, 8, 8, 1);
    assert_int_equal(launch(run_copy, &x), PTRT_E_VALID);
    x.dst = matrix(a, PTRT_HIF8, 4, 8, 8, 1);
    x.src = matrix(b, PTRT_HIF8, 4, 8, 8, 1);
    x.add = 1;
    assert_int_equal(launch(run_copy, &x), PTRT_E_TYPE);
    assert_string_equal(ptrt_error(),
                        "k.pto:7: pto.comm.tput: elements of this type cannot be added");
}

/* Checked mode: a view whose last element leaves the registered memory, whatever its strides. */
static void test_checked_transfers(void **state) {
    static float a[64], b[64];
    (void)state;
    assert_int_equal(ptrt_region_add(a, sizeof a), 0);
    assert_int_equal(ptrt_region_add(b, sizeof b), 0);
    static const struct {
        int64_t rows, cols, row_step, col_step, offset;
        int code;
    } cases[] = {{8, 8, 8, 1, 0, 0},
                 {8, 8, 1, 8, 0, 0},
                 {8, 8, 8, 1, 1, PTRT_E_BOUNDS},
                 {8, 8, -8, 1, 56, 0},
                 {8, 8, -8, 1, 55, PTRT_E_BOUNDS},
                 {0, 8, INT64_MAX, 1, 0, 0},
                 {2, 8, INT64_MAX, 1, 0, PTRT_E_BOUNDS},
                 {2, 2, INT64_MIN, INT64_MIN, 0, PTRT_E_BOUNDS},
                 {INT64_MAX, INT64_MAX, 1, 1, 0, PTRT_E_BOUNDS}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Copy c = {.dst = matrix(a, PTRT_F32, cases[i].rows, cases[i].cols, 8, 1),
                  .src = matrix(b + cases[i].offset, PTRT_F32, cases[i].rows, cases[i].cols,
                                cases[i].row_step, cases[i].col_step)};
        if (cases[i].rows > 8) c.dst = c.src;
        assert_int_equal(launch_blocks(run_copy, &c, PTRT_K_CHECKED, 1), cases[i].code);
    }
    ptrt_region_clear();
}

/* ---- collectives ---- */

typedef struct Collective {
    ptrt_view whole, member[4];
    const ptrt_view *group[4];
    int what, root, op; /* 0 broadcast, 1 gather, 2 scatter, 3 reduce */
} Collective;

static int run_collective(ptrt_core *core, void *args) {
    Collective *c = args;
    for (int i = 0; i < 4; i++)
        c->group[i] = &c->member[i];
    switch (c->what) {
    case 0:
        return ptrt_comm_broadcast(core, 9, &c->whole, 4, c->group);
    case 1:
        return ptrt_comm_gather(core, 9, &c->whole, 4, c->group);
    case 2:
        return ptrt_comm_scatter(core, 9, &c->whole, 4, c->group);
    default:
        return ptrt_comm_reduce(core, 9, &c->whole, 4, c->group, c->root, c->op);
    }
}

static void test_rows_go_round(void **state) {
    static int16_t whole[12 * 8], parts[4][3 * 8];
    (void)state;
    for (int i = 0; i < 12 * 8; i++)
        whole[i] = (int16_t)(i * 7);
    Collective c = {.whole = matrix(whole, PTRT_I16, 12, 8, 8, 1), .what = 2};
    for (int r = 0; r < 4; r++) /* every other member has its columns one below another */
        c.member[r] = matrix(parts[r], PTRT_I16, 3, 8, r % 2 ? 1 : 8, r % 2 ? 3 : 1);
    assert_int_equal(launch(run_collective, &c), 0);
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 8; j++)
                assert_int_equal(parts[r][r % 2 ? i + 3 * j : i * 8 + j],
                                 whole[(3 * r + i) * 8 + j]);
    static int16_t back[14 * 8];
    memset(back, 0x55, sizeof back);
    c.whole = matrix(back, PTRT_I16, 14, 8, 8, 1);
    c.what = 1;
    assert_int_equal(launch(run_collective, &c), 0);
    assert_memory_equal(back, whole, sizeof whole);
    for (int i = 12 * 8; i < 14 * 8; i++)
        assert_int_equal(back[i], 0x5555);
    c.what = 2; /* rows are left over */
    assert_int_equal(launch(run_collective, &c), PTRT_E_BOUNDS);
    assert_string_equal(ptrt_error(), "k.pto:9: pto.comm.tscatter: src has 14 rows, 4 members of "
                                      "3 have 12");
    c.what = 1;
    c.whole = matrix(back, PTRT_I16, 11, 8, 8, 1);
    assert_int_equal(launch(run_collective, &c), PTRT_E_BOUNDS);
    c.what = 0;
    c.whole = matrix(whole, PTRT_I16, 3, 8, 8, 1);
    assert_int_equal(launch(run_collective, &c), 0);
    for (int i = 0; i < 24; i++)
        assert_int_equal(parts[3][i % 8 * 3 + i / 8], whole[i]);
    c.member[2] = matrix(parts[2], PTRT_I16, 2, 8, 8, 1);
    assert_int_equal(launch(run_collective, &c), PTRT_E_BOUNDS);
}

/* The root's member comes first, and every step rounds: sums that tell the order. */
static void test_reduce_order(void **state) {
    static float m[4][2000], d[2000];
    (void)state;
    for (int i = 0; i < 2000; i++)
        for (int r = 0; r < 4; r++)
            m[r][i] = r == 2 ? 1e8F : r == 0 ? -1e8F : (float)(r + i % 5) * 0.75F;
    Collective c = {.whole = line_view(d, PTRT_F32, 2000), .what = 3, .root = 2};
    for (int r = 0; r < 4; r++)
        c.member[r] = line_view(m[r], PTRT_F32, 2000);
    for (c.root = 0; c.root < 4; c.root++) {
        assert_int_equal(launch(run_collective, &c), 0);
        for (int i = 0; i < 2000; i++) {
            volatile float s = m[c.root][i];
            for (int r = 0; r < 4; r++)
                if (r != c.root) s = s + m[r][i];
            assert_true(d[i] == s);
        }
    }
    c.root = 1;
    for (c.op = PTRT_REDUCE_MAX; c.op <= PTRT_REDUCE_MIN; c.op++) {
        assert_int_equal(launch(run_collective, &c), 0);
        assert_true(d[3] == (c.op == PTRT_REDUCE_MAX ? 1e8F : -1e8F));
    }
    c.op = 3;
    assert_int_equal(launch(run_collective, &c), PTRT_E_ARG);
    c.op = 0;
    c.root = 4;
    assert_int_equal(launch(run_collective, &c), PTRT_E_ARG);
}

/* Halves round after every step, as tadd does. */
static void test_reduce_halves(void **state) {
    static ptrt_f16 m[4][3], d[3];
    (void)state;
    for (int r = 0; r < 4; r++) {
        m[r][0] = ptrt_truncf_f32_f16(r == 0 ? 2048.0F : 1.0F, PTRT_NEAREST_EVEN);
        m[r][1] = ptrt_truncf_f32_f16(60000.0F, PTRT_NEAREST_EVEN);
        m[r][2] = ptrt_truncf_f32_f16(0.5F, PTRT_NEAREST_EVEN);
    }
    Collective c = {.whole = line_view(d, PTRT_F16, 3), .what = 3};
    for (int r = 0; r < 4; r++)
        c.member[r] = line_view(m[r], PTRT_F16, 3);
    assert_int_equal(launch(run_collective, &c), 0);
    assert_int_equal(d[0], ptrt_truncf_f32_f16(2048.0F, PTRT_NEAREST_EVEN));
    assert_int_equal(d[1], 0x7C00);
    assert_int_equal(d[2], ptrt_truncf_f32_f16(2.0F, PTRT_NEAREST_EVEN));
}

/* ---- signals ---- */

typedef struct Ring {
    int ranks, turns;
    int32_t (*signal)[2]; /* by rank: turns that have come; the sum of what was sent */
    int64_t *box;         /* by rank */
    int64_t blocks;
} Ring;

static int ring_core(ptrt_core *core, void *args) {
    Ring *r = args;
    int me = ptrt_rank_idx(), to = (me + 1) % r->ranks;
    ptrt_view mine = line_view(r->signal[me], PTRT_I32, 1);
    ptrt_view theirs = line_view(r->signal[to], PTRT_I32, 1);
    ptrt_view total = line_view(&r->signal[to][1], PTRT_I32, 1);
    for (int t = 1; t <= r->turns; t++) {
        int64_t token = 0;
        ptrt_view box = line_view(&r->box[to], PTRT_I64, 1), src = line_view(&token, PTRT_I64, 1);
        if (me != 0 || t > 1) {
            int code = ptrt_comm_wait(core, 20, &mine, me == 0 ? t - 1 : t, PTRT_WAIT_GE);
            if (code != 0) return code;
            token = r->box[me];
        }
        token++;
        int code = ptrt_comm_put(core, 21, &box, &src, 0);
        if (code == 0) code = ptrt_comm_notify(core, 22, &total, t, PTRT_NOTIFY_ADD);
        if (code == 0) code = ptrt_comm_notify(core, 23, &theirs, t, PTRT_NOTIFY_SET);
        if (code != 0) return code;
    }
    return 0;
}

static int ring_rank(int rank, void *arg) {
    assert_int_equal(rank, ptrt_rank_idx());
    assert_int_equal(((Ring *)arg)->ranks, ptrt_rank_num());
    return launch(ring_core, arg);
}

/* A token goes in a ring: what one rank writes before it notifies, the next one sees. */
static void test_ring(void **state) {
    (void)state;
    for (int ranks = 1; ranks <= 7; ranks += 2) {
        int32_t signal[8][2] = {{0}};
        int64_t box[8] = {0};
        Ring r = {.ranks = ranks, .turns = 200, .signal = signal, .box = box};
        assert_int_equal(ptrt_run_ranks(ranks, ring_rank, &r), 0);
        assert_int_equal(box[0], ranks * 200);
        for (int i = 0; i < ranks; i++) {
            assert_int_equal(signal[i][0], 200);
            assert_int_equal(signal[i][1], 201 * 100);
        }
    }
    assert_int_equal(ptrt_rank_idx(), 0);
    assert_int_equal(ptrt_rank_num(), 1);
}

static int many_core(ptrt_core *core, void *args) {
    Ring *r = args;
    int me = ptrt_rank_idx();
    int32_t all = (int32_t)(r->ranks * r->blocks);
    for (int to = 0; to < r->ranks; to++) {
        ptrt_view v = line_view(r->signal[to], PTRT_I32, 1);
        int code = ptrt_comm_notify(core, 30, &v, 1, PTRT_NOTIFY_ADD);
        if (code != 0) return code;
    }
    ptrt_view mine = line_view(r->signal[me], PTRT_I32, 1);
    if (ptrt_block_idx(core) % 2) return ptrt_comm_wait(core, 31, &mine, all, PTRT_WAIT_EQ);
    bool done = false;
    int code = 0;
    while (!done && code == 0)
        code = ptrt_comm_test(core, 32, &mine, all, PTRT_WAIT_EQ, &done);
    return code;
}

static int many_rank(int rank, void *arg) {
    (void)rank;
    return launch_blocks(many_core, arg, PTRT_K_GRID_SYNC, ((Ring *)arg)->blocks);
}

/* Blocks of all ranks wait, or ask, for blocks of all ranks. */
static void test_many_blocks(void **state) {
    (void)state;
    static const char *const threads[] = {"1", "2", "3"};
    for (int i = 0; i < 3; i++) {
        int32_t signal[4][2] = {{0}};
        Ring r = {.ranks = 4, .signal = signal, .blocks = 20};
        assert_int_equal(setenv("PTORT_THREADS", threads[i], 1), 0);
        assert_int_equal(ptrt_run_ranks(4, many_rank, &r), 0);
        assert_int_equal(signal[3][0], 80);
    }
    assert_int_equal(unsetenv("PTORT_THREADS"), 0);
    int32_t signal[1][2] = {{0}};
    Ring r = {.ranks = 1, .signal = signal, .blocks = 20};
    assert_int_equal(many_rank(0, &r), 0); /* without ptrt_run_ranks */
    assert_int_equal(launch_blocks(many_core, &r, 0, 20), PTRT_E_ARG);
}

typedef struct Compare {
    int32_t a[3], value;
    int cmp;
    bool got;
} Compare;

static int run_compare(ptrt_core *core, void *args) {
    Compare *c = args;
    ptrt_view v = line_view(c->a, PTRT_I32, 3);
    return ptrt_comm_test(core, 1, &v, c->value, c->cmp, &c->got);
}

static void test_comparisons(void **state) {
    static const int32_t values[] = {INT32_MIN, -1, 0, 1, INT32_MAX};
    (void)state;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            for (int cmp = 0; cmp < 6; cmp++) {
                int32_t a = values[i], b = values[j];
                Compare c = {.a = {a, a, a}, .value = b, .cmp = cmp};
                bool want[] = {a == b, a != b, a > b, a >= b, a < b, a <= b};
                assert_int_equal(launch(run_compare, &c), 0);
                assert_int_equal(c.got, want[cmp]);
            }
    Compare one = {.a = {1, 1, 0}, .value = 1, .cmp = PTRT_WAIT_EQ};
    assert_int_equal(launch(run_compare, &one), 0);
    assert_false(one.got); /* all elements count */
}

static int odd_signal(ptrt_core *core, void *args) {
    ptrt_view v = line_view((char *)args + 1, PTRT_I32, 1);
    return ptrt_comm_notify(core, 3, &v, 1, PTRT_NOTIFY_SET);
}

static int wait_alone(ptrt_core *core, void *args) {
    ptrt_view v = line_view(args, PTRT_I32, 1);
    return ptrt_comm_wait(core, 12, &v, 1, PTRT_WAIT_GE);
}

static void test_signal_refusals(void **state) {
    int32_t s[2] = {0};
    (void)state;
    assert_int_equal(launch(odd_signal, s), PTRT_E_ALIGN);
    assert_int_equal(launch(wait_alone, s), PTRT_E_DEADLOCK);
    assert_string_equal(ptrt_error(), "k.pto:12: deadlock: every core waits: block 0 vector core 0 "
                                      "at line 12 (pto.comm.twait)");
}

/* ---- ranks that do not do their part ---- */

typedef struct Trouble {
    int32_t signal[4];
    int fails;      /* this rank ends with 77; -1: none */
    int ends;       /* this rank does nothing; -1: none */
    bool polls;     /* the others ask instead of waiting */
    int64_t blocks; /* of a launch */
    int codes[4];
} Trouble;

static int trouble_core(ptrt_core *core, void *args) {
    Trouble *t = args;
    ptrt_view v = line_view(&t->signal[ptrt_rank_idx()], PTRT_I32, 1);
    bool done = false;
    int code = 0;
    if (!t->polls) return ptrt_comm_wait(core, 40, &v, 3, PTRT_WAIT_GE);
    while (!done && code == 0)
        code = ptrt_comm_test(core, 41, &v, 3, PTRT_WAIT_GE, &done);
    return code;
}

static int fail_core(ptrt_core *core, void *args) {
    (void)args;
    return ptrt_fail(core, 77, 50, "no");
}

static int trouble_rank(int rank, void *arg) {
    Trouble *t = arg;
    int code = rank == t->ends    ? 0
               : rank == t->fails ? launch(fail_core, t)
                                  : launch_blocks(trouble_core, t, PTRT_K_GRID_SYNC, t->blocks);
    t->codes[rank] = code;
    return code;
}

static void test_missing_notify(void **state) {
    (void)state;
    for (int blocks = 1; blocks <= 3; blocks += 2) {
        Trouble t = {.fails = -1, .ends = 1, .blocks = blocks};
        assert_int_equal(ptrt_run_ranks(4, trouble_rank, &t), PTRT_E_DEADLOCK);
        assert_non_null(strstr(ptrt_error(), "k.pto:40: rank 0: deadlock: every core waits:"));
        assert_non_null(strstr(ptrt_error(), " at line 40 (pto.comm.twait)"));
        assert_non_null(strstr(ptrt_error(), "; so do ranks 2, 3; ended: rank 1"));
        assert_int_equal(t.codes[3], PTRT_E_DEADLOCK);
    }
}

static void test_failing_rank(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        Trouble t = {.fails = 2, .ends = -1, .polls = i % 2 == 1, .blocks = i < 2 ? 1 : 5};
        assert_int_equal(ptrt_run_ranks(4, trouble_rank, &t), 77);
        assert_string_equal(ptrt_error(), "k.pto:50: rank 2: no");
        assert_int_equal(t.codes[0], PTRT_E_STOPPED);
        assert_int_equal(t.codes[3], PTRT_E_STOPPED);
    }
}

static int plain_code(int rank, void *arg) {
    return rank == *(int *)arg ? 5 : 0;
}

static void test_run_ranks_arguments(void **state) {
    int who = 1;
    (void)state;
    assert_int_equal(ptrt_run_ranks(0, plain_code, &who), PTRT_E_ARG);
    assert_int_equal(ptrt_run_ranks(-3, plain_code, &who), PTRT_E_ARG);
    assert_int_equal(ptrt_run_ranks(65537, plain_code, &who), PTRT_E_ARG);
    assert_int_equal(ptrt_run_ranks(2, plain_code, &who), 5);
    assert_string_equal(ptrt_error(), "rank 1 returned code 5");
    who = 9;
    assert_int_equal(ptrt_run_ranks(2, plain_code, &who), 0);
}

static int inner_ranks(int rank, void *arg) {
    (void)rank;
    return ptrt_run_ranks(2, plain_code, arg);
}

static int regions_core(ptrt_core *core, void *args) {
    return ptrt_check_gm(core, 1, "op", args, 0, 4);
}

static int regions_rank(int rank, void *arg) {
    (void)rank;
    return launch_blocks(regions_core, arg, PTRT_K_CHECKED, 1);
}

/* Ranks have the settings of the thread that started them, and start no ranks themselves. */
static void test_settings(void **state) {
    int32_t a[2] = {0}, who = 9;
    (void)state;
    assert_int_equal(ptrt_run_ranks(2, inner_ranks, &who), PTRT_E_ARG);
    assert_int_equal(ptrt_region_add(&a[0], 4), 0);
    assert_int_equal(ptrt_run_ranks(2, regions_rank, &a[0]), 0);
    assert_int_equal(ptrt_run_ranks(2, regions_rank, &a[1]), PTRT_E_BOUNDS);
    ptrt_region_clear();
}

/* ---- windows ---- */

typedef struct Windows {
    int skips; /* this rank makes none */
    int sum[4];
} Windows;

static int window_core(ptrt_core *core, void *args) {
    const int64_t *context = args;
    int me = ptrt_rank_idx(), n = ptrt_rank_num();
    int32_t *mine = (int32_t *)(uintptr_t)context[4 + me], value = me + 1;
    ptrt_view src = line_view(&value, PTRT_I32, 1);
    for (int r = 0; r < n; r++) {
        int32_t *theirs = (int32_t *)(uintptr_t)context[4 + r];
        ptrt_view box = line_view(theirs, PTRT_I32, 1), signal = line_view(theirs + 1, PTRT_I32, 1);
        int code = ptrt_comm_put(core, 60, &box, &src, 1);
        if (code == 0) code = ptrt_comm_notify(core, 61, &signal, 1, PTRT_NOTIFY_ADD);
        if (code != 0) return code;
    }
    ptrt_view signal = line_view(mine + 1, PTRT_I32, 1);
    return ptrt_comm_wait(core, 62, &signal, n, PTRT_WAIT_EQ);
}

static int window_rank(int rank, void *arg) {
    Windows *w = arg;
    int64_t *context, *second;
    if (rank == w->skips) return 0;
    int code = ptrt_window_make(8, &context);
    if (code == 0) code = ptrt_window_make(1 << 16, &second);
    if (code != 0) return code;
    int64_t ranks = ptrt_rank_num();
    if (context[2] != (ranks << 32 | rank) || context[3] != 8 || second[3] != 1 << 16) return 99;
    code = launch(window_core, context);
    if (code == 0) w->sum[rank] = *(int32_t *)(uintptr_t)context[4 + rank];
    return code;
}

static void test_windows(void **state) {
    int64_t *context;
    (void)state;
    Windows w = {.skips = -1};
    assert_int_equal(ptrt_run_ranks(4, window_rank, &w), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(w.sum[i], 1 + 2 + 3 + 4);
    w.skips = 2;
    assert_int_equal(ptrt_run_ranks(4, window_rank, &w), PTRT_E_DEADLOCK);
    assert_non_null(strstr(ptrt_error(), "not all ranks make this window; so do ranks 1, 3; ended: "
                                         "rank 2"));
    assert_int_equal(ptrt_window_make(8, &context), PTRT_E_ARG);
    assert_null(context);
}

int main(void) {
    alarm(250); /* a hang is a failure */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_strides),
        cmocka_unit_test(test_transfer_refusals),
        cmocka_unit_test(test_checked_transfers),
        cmocka_unit_test(test_rows_go_round),
        cmocka_unit_test(test_reduce_order),
        cmocka_unit_test(test_reduce_halves),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_signal_refusals),
        cmocka_unit_test(test_missing_notify),
        cmocka_unit_test(test_failing_rank),
        cmocka_unit_test(test_run_ranks_arguments),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
