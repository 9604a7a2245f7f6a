/* SPDX-License-Identifier: Apache-2.0 */
/* test_locks.c - live blocks take no lock for a statement, few for a barrier, and yield the
 * processor where they have more threads than there are processors. The program has its own
 * pthread_mutex_lock and sched_yield, which count. */
#include <ptort_emitted.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* ---- counting ---- */

static atomic_long locks, yields;

static void next_function(const char *name, void *f) {
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(f, &symbol, sizeof symbol);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    int (*lock)(pthread_mutex_t *);
    next_function("pthread_mutex_lock", &lock);
    atomic_fetch_add(&locks, 1);
    return lock(mutex);
}

int sched_yield(void) {
    int (*yield)(void);
    next_function("sched_yield", &yield);
    atomic_fetch_add(&yields, 1);
    return yield();
}

/* ---- a launch ---- */

enum { BLOCKS = 8, ROWS = 16, COLS = 16, TILE = ROWS * COLS };

typedef struct Work {
    int barriers, statements; /* between two barriers */
} Work;

static float data[BLOCKS][TILE];

static int tile_at(ptrt_core *core, int64_t place, ptrt_tile *out) {
    static const ptrt_tile_type type = {PTRT_F32, PTRT_VEC, 0, 0, 512, 0, 0, ROWS, COLS};
    return ptrt_tile_bind(core, &type, place * TILE * 4, ROWS, COLS, 1, out);
}

static int some_statements(ptrt_core *core, const ptrt_tile *t, const ptrt_view *v) {
    int code = ptrt_load(core, 2, PTRT_TLOAD, v, &t[0]);
    if (code == PTRT_OK) code = ptrt_map2(core, 3, PTRT_TADD, &t[0], &t[0], &t[1]);
    if (code == PTRT_OK) code = ptrt_rowreduce(core, 4, PTRT_TROWMAX, &t[1], &t[2]);
    if (code == PTRT_OK) code = ptrt_store(core, 5, PTRT_TSTORE, &t[1], v);
    return code;
}

static int run(ptrt_core *core, void *args) {
    static const int64_t extent[] = {ROWS, COLS}, stride[] = {COLS, 1};
    const struct timespec some = {.tv_nsec = 2000000}; /* so that every thread gets a block */
    const Work *w = args;
    ptrt_tile t[3];
    ptrt_view v;
    nanosleep(&some, NULL);
    int code =
        ptrt_view_init(&v, data[ptrt_block_idx(core)], PTRT_F32, 2, extent, stride, PTRT_VIEW_ND);
    for (int i = 0; i < 3 && code == PTRT_OK; i++)
        code = tile_at(core, i, &t[i]);
    for (int b = 0; b < w->barriers && code == PTRT_OK; b++) {
        for (int s = 0; s < w->statements && code == PTRT_OK; s++)
            code = some_statements(core, t, &v);
        if (code == PTRT_OK) code = ptrt_syncall(core, 6, PTRT_SYNC_MIX);
    }
    return code;
}

static void launch(int threads, Work w) {
    static const ptrt_kernel k = {.name = "locks",
                                  .file = "test",
                                  .vector = run,
                                  .flags = PTRT_K_GRID_SYNC,
                                  .bytes = {[PTRT_VEC] = 3 * TILE * 4}};
    char text[16];
    snprintf(text, sizeof text, "%d", threads);
    assert_int_equal(setenv("PTORT_THREADS", text, 1), 0);
    atomic_store(&locks, 0);
    atomic_store(&yields, 0);
    assert_int_equal(ptrt_launch(&k, BLOCKS, &w), PTRT_OK);
}

static long locks_of(int threads, Work w) {
    launch(threads, w);
    return atomic_load(&locks);
}

/* ---- tests ---- */

/* On one thread the number of locks depends on nothing that the blocks do. */
static void test_one_thread(void **state) {
    (void)state;
    (void)locks_of(1, (Work){1, 1}); /* what only the first launch does */
    const long least = locks_of(1, (Work){1, 1});
    assert_int_equal(locks_of(1, (Work){1, 200}), least);
    assert_int_equal(locks_of(1, (Work){50, 10}), least);
}

/* A thread falls asleep once for a barrier, and is woken once. */
static void test_several_threads(void **state) {
    enum { THREADS = 4, BARRIERS = 20, START = 10 * THREADS };
    (void)state;
    assert_true(locks_of(THREADS, (Work){BARRIERS, 100}) <= START + 2 * THREADS * BARRIERS);
}

static int processors(void) {
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    return CPU_COUNT(&set);
}

static void test_yields(void **state) {
    const int n = processors();
    (void)state;
    launch(n < BLOCKS ? n : BLOCKS, (Work){50, 1});
    assert_int_equal(atomic_load(&yields), 0);
    if (n >= BLOCKS) return; /* there are no more threads than blocks */
    for (int i = 0; i < 100 && atomic_load(&yields) == 0; i++)
        launch(BLOCKS, (Work){50, 1});
    assert_true(atomic_load(&yields) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_thread),
                                       cmocka_unit_test(test_several_threads),
                                       cmocka_unit_test(test_yields)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
