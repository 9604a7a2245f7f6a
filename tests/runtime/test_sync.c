/* SPDX-License-Identifier: Apache-2.0 */
/* test_sync.c - fibers that meet through FIFOs, signals and barriers, and the report of a deadlock.
 */
#include "core/fifo.h"
#include "on_core.h"

#include <stdio.h>

typedef struct traffic {
    ptrt_fifo_desc desc;
    int entries;
    int64_t sum[3]; /* what each consumer read; cube at 0, vector core s at 1 + s */
    int64_t ahead;  /* most entries that were in flight */
    int64_t in_flight;
} traffic;

static int produce(ptrt_core *core, traffic *t) {
    ptrt_fifo *f;
    int code = ptrt_fifo_open(core, 10, &t->desc, &f);
    int s = (int)ptrt_subblock_idx(core);
    for (int i = 0; i < t->entries && code == 0; i++) {
        void *slot;
        code = ptrt_fifo_alloc(core, 11, f, &slot);
        if (code != 0) return code;
        /* With a split each vector core writes its half of the entry. */
        if (slot) ptrt_store_i64(slot, t->desc.split ? s : 0, (i + 1) * (s ? 1000 : 1));
        code = ptrt_fifo_push(core, 12, f);
        if (slot && s == 0 && ++t->in_flight > t->ahead) t->ahead = t->in_flight;
    }
    return code;
}

static int consume(ptrt_core *core, traffic *t) {
    ptrt_fifo *f;
    int code = ptrt_fifo_open(core, 20, &t->desc, &f);
    int64_t *sum = &t->sum[ptrt_core_is_cube(core) ? 0 : 1 + ptrt_subblock_idx(core)];
    for (int i = 0; i < t->entries && code == 0; i++) {
        void *slot;
        code = ptrt_fifo_pop(core, 21, f, &slot);
        if (code != 0) return code;
        /* Others run while the slot is held: it must not be written to. */
        int64_t before = ptrt_load_i64(slot, 0);
        code = ptrt_yield(core, 22);
        if (before != ptrt_load_i64(slot, 0)) return PTRT_E_ASSERT;
        *sum += before + ptrt_load_i64(slot, 1);
        if (ptrt_subblock_idx(core) == 0) t->in_flight--;
        if (code == 0) code = ptrt_fifo_free(core, 23, f);
    }
    return code;
}

static int c2v(ptrt_core *core, void *args) {
    return ptrt_core_is_cube(core) ? produce(core, args) : consume(core, args);
}

static int v2c(ptrt_core *core, void *args) {
    return ptrt_core_is_cube(core) ? consume(core, args) : produce(core, args);
}

static int run(int (*fn)(ptrt_core *, void *), int subblocks, int64_t blocks, void *args) {
    const ptrt_kernel kernel = {.name = "pipe",
                                .file = "pipe.pto",
                                .cube = fn,
                                .vector = fn,
                                .subblocks = subblocks,
                                .flags = PTRT_K_WAITS};
    return ptrt_launch(&kernel, blocks, args);
}

static traffic traffic_of(int dir, int split, int slots) {
    return (traffic){
        .desc = {.id = 3, .dir = dir, .split = split, .slot_num = slots, .slot_size = 16},
        .entries = 100};
}

#define SUM (100 * 101 / 2)

static void test_one_to_one(void **state) {
    (void)state;
    for (int slots = 1; slots <= 8; slots++) {
        traffic t = traffic_of(PTRT_C2V, 0, slots);
        assert_int_equal(run(c2v, 1, 1, &t), 0);
        assert_int_equal(t.sum[1], SUM);
        assert_int_equal(t.ahead, slots);
    }
    traffic t = traffic_of(PTRT_V2C, 0, 2);
    assert_int_equal(run(v2c, 1, 1, &t), 0);
    assert_int_equal(t.sum[0], SUM);
}

/* Split 0: both vector cores see every entry; only core 0 produces. */
static void test_unsplit_pair(void **state) {
    (void)state;
    traffic t = traffic_of(PTRT_C2V, 0, 3);
    assert_int_equal(run(c2v, 2, 1, &t), 0);
    assert_int_equal(t.sum[1], SUM);
    assert_int_equal(t.sum[2], SUM);
    traffic u = traffic_of(PTRT_V2C, 0, 3);
    assert_int_equal(run(v2c, 2, 1, &u), 0);
    assert_int_equal(u.sum[0], SUM);
}

/* Split: an entry is complete when both vector cores have pushed, a slot free when both have freed.
 */
static void test_split_pair(void **state) {
    (void)state;
    for (int split = 1; split <= 2; split++) {
        traffic t = traffic_of(PTRT_V2C, split, 2);
        assert_int_equal(run(v2c, 2, 1, &t), 0);
        assert_int_equal(t.sum[0], SUM * 1001);
        traffic u = traffic_of(PTRT_C2V, split, 2);
        assert_int_equal(run(c2v, 2, 1, &u), 0);
        assert_int_equal(u.sum[1], SUM);
        assert_int_equal(u.sum[2], SUM);
    }
}

/* The ring may be memory that the caller gives. */
static void test_own_ring(void **state) {
    (void)state;
    unsigned char ring[48] = {0};
    traffic t = traffic_of(PTRT_C2V, 0, 3);
    t.desc.ring = ring;
    assert_int_equal(run(c2v, 1, 1, &t), 0);
    assert_int_equal(t.sum[1], SUM);
    assert_int_equal(ptrt_load_i64(ring, 0), 100);
}

/* Without tfree a pop gives back the entry before. */
static int consume_only(ptrt_core *core, void *args) {
    traffic *t = args;
    if (ptrt_core_is_cube(core)) return produce(core, t);
    ptrt_fifo *f;
    int code = ptrt_fifo_open(core, 20, &t->desc, &f);
    for (int i = 0; i < t->entries && code == 0; i++) {
        void *slot;
        code = ptrt_fifo_pop(core, 21, f, &slot);
        if (code == 0) t->sum[1] += ptrt_load_i64(slot, 0);
    }
    return code;
}

static void test_auto_free(void **state) {
    (void)state;
    traffic t = traffic_of(PTRT_C2V, 0, 2);
    assert_int_equal(run(consume_only, 1, 1, &t), PTRT_E_DEADLOCK);
    traffic u = traffic_of(PTRT_C2V, 0, 2);
    u.desc.auto_free = 1;
    assert_int_equal(run(consume_only, 1, 1, &u), 0);
    assert_int_equal(u.sum[1], SUM);
}

static int misuse(ptrt_core *core, void *args) {
    traffic *t = args;
    if (!ptrt_core_is_cube(core)) return 0;
    ptrt_fifo *f;
    void *slot;
    int code = ptrt_fifo_open(core, 5, &t->desc, &f);
    if (code != 0) return code;
    return t->entries ? ptrt_fifo_free(core, 6, f) : ptrt_fifo_pop(core, 7, f, &slot);
}

static void test_misuse(void **state) {
    (void)state;
    traffic t = traffic_of(PTRT_V2C, 0, 2);
    assert_int_equal(run(misuse, 1, 1, &t), PTRT_E_BOUNDS);
    assert_string_equal(ptrt_error(), "pipe.pto:6: pto.tfree: pipe 3 has no entry in use");
    t = traffic_of(PTRT_C2V, 0, 2);
    t.entries = 0;
    assert_int_equal(run(misuse, 1, 1, &t), PTRT_E_ARG);
    t.desc.slot_num = 0;
    assert_int_equal(run(misuse, 1, 1, &t), PTRT_E_ARG);
}

/* ---- Deadlock ---- */

static int both_wait(ptrt_core *core, void *args) {
    traffic *t = args;
    ptrt_fifo *f;
    void *slot;
    if (ptrt_core_is_cube(core)) return ptrt_wait_intra_block(core, 77, 4);
    int code = ptrt_fifo_open(core, 98, &t->desc, &f);
    return code ? code : ptrt_fifo_pop(core, 99, f, &slot);
}

static void test_deadlock(void **state) {
    (void)state;
    traffic t = traffic_of(PTRT_C2V, 0, 2);
    assert_int_equal(run(both_wait, 1, 1, &t), PTRT_E_DEADLOCK);
    assert_string_equal(
        ptrt_error(),
        "pipe.pto:77: deadlock: every core waits: block 0 cube core 0 at line 77 "
        "(pto.wait_intra_block), block 0 vector core 0 at line 99 (pto.tpop: no entry)");
    /* With several blocks on several threads too; the first one reports. */
    assert_int_equal(run(both_wait, 2, 8, &t), PTRT_E_DEADLOCK);
}

static int lone_wait(ptrt_core *core, void *args) {
    (void)args;
    return ptrt_wait_intra_block(core, 12, 0);
}

static void test_wait_alone(void **state) {
    (void)state;
    const ptrt_kernel kernel = {.name = "w", .file = "w.pto", .vector = lone_wait};
    assert_int_equal(ptrt_launch(&kernel, 1, NULL), PTRT_E_DEADLOCK);
    assert_non_null(strstr(ptrt_error(), "w.pto:12: deadlock"));
}

/* A core that fails ends those that wait for it. */
static int one_fails(ptrt_core *core, void *args) {
    int *ended = args;
    if (ptrt_core_is_cube(core)) {
        int code = ptrt_yield(core, 2);
        return code ? code : ptrt_fail(core, PTRT_E_ASSERT, 3, "no");
    }
    int code = ptrt_wait_intra_block(core, 4, 1);
    *ended = code;
    return code;
}

static void test_failure_ends_waits(void **state) {
    (void)state;
    int ended = 0;
    assert_int_equal(run(one_fails, 1, 1, &ended), PTRT_E_ASSERT);
    assert_int_equal(ended, PTRT_E_STOPPED);
    assert_string_equal(ptrt_error(), "pipe.pto:3: no");
}

/* ---- Signals, barriers, flags ---- */

static int ping_pong(ptrt_core *core, void *args) {
    int64_t *count = args;
    int code = 0;
    for (int i = 0; i < 50 && code == 0; i++) {
        if (ptrt_core_is_cube(core)) {
            if (*count != 3 * i) return PTRT_E_ASSERT;
            (*count)++;
            /* Ids from 16 on are those of vector core 1. */
            for (int k = 0; k < 2 && code == 0; k++)
                code = ptrt_set_intra_block(core, 1, 7 + 16 * k);
            for (int k = 0; k < 2 && code == 0; k++)
                code = ptrt_wait_intra_block(core, 2, 8 + 16 * k);
        } else {
            code = ptrt_wait_intra_block(core, 3, 7);
            (*count)++;
            if (code == 0) code = ptrt_set_intra_block(core, 4, 8);
        }
    }
    return code;
}

static void test_signals(void **state) {
    (void)state;
    int64_t count = 0;
    assert_int_equal(run(ping_pong, 2, 1, &count), 0);
    assert_int_equal(count, 150);
}

typedef struct meeting {
    int32_t arrived[8];
    int bad;
    int64_t blocks;
} meeting;

static int meet(ptrt_core *core, void *args) {
    meeting *m = args;
    for (int32_t round = 1; round <= 5; round++) {
        m->arrived[ptrt_block_idx(core)] = round;
        int code = ptrt_syncall(core, 6, PTRT_SYNC_VECTORS);
        if (code != 0) return code;
        for (int64_t b = 0; b < m->blocks; b++)
            if (m->arrived[b] < round) m->bad++;
        code = ptrt_syncall(core, 7, PTRT_SYNC_MIX);
        if (code != 0) return code;
    }
    return 0;
}

static void test_syncall(void **state) {
    (void)state;
    ptrt_kernel kernel = {
        .name = "meet", .file = "meet.pto", .vector = meet, .flags = PTRT_K_GRID_SYNC};
    meeting m = {.blocks = 8};
    assert_int_equal(ptrt_launch(&kernel, 8, &m), 0);
    assert_int_equal(m.bad, 0);
    assert_int_equal(m.arrived[7], 5);
    kernel.flags = PTRT_K_WAITS;
    assert_int_equal(ptrt_launch(&kernel, 8, &m), PTRT_E_ARG);
}

static int flags(ptrt_core *core, void *args) {
    int wrong = *(int *)args, code = ptrt_set_flag(core, 1, 4, 1, 0);
    if (code == 0) code = ptrt_wait_flag(core, 2, 4, 1, 0);
    if (code == 0 && wrong == 1) code = ptrt_wait_flag(core, 3, 4, 1, 0);
    if (code == 0) code = ptrt_set_flag(core, 4, 4, 1, 0);
    if (code == 0 && wrong == 2) code = ptrt_set_flag(core, 5, 4, 1, 0);
    if (code == 0 && wrong == 3) code = ptrt_set_flag(core, 6, 99, 1, 0);
    return code;
}

static void test_flags(void **state) {
    (void)state;
    int wrong = 0;
    assert_int_equal(on_checked_core(flags, &wrong), 0);
    wrong = 1;
    assert_int_equal(on_checked_core(flags, &wrong), PTRT_E_SYNC);
    assert_string_equal(
        ptrt_error(), "test.pto:3: pto.wait_flag: event 0 from PIPE_MTE2 to PIPE_V was never set");
    wrong = 2;
    assert_int_equal(on_checked_core(flags, &wrong), PTRT_E_SYNC);
    wrong = 3;
    assert_int_equal(on_checked_core(flags, &wrong), PTRT_E_ARG);
    for (wrong = 0; wrong <= 3; wrong++)
        assert_int_equal(on_core(flags, &wrong), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_to_one),
        cmocka_unit_test(test_unsplit_pair),
        cmocka_unit_test(test_split_pair),
        cmocka_unit_test(test_own_ring),
        cmocka_unit_test(test_auto_free),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_wait_alone),
        cmocka_unit_test(test_failure_ends_waits),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_syncall),
        cmocka_unit_test(test_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
