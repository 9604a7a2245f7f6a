/* SPDX-License-Identifier: Apache-2.0 */
/* test_wakeup.c - a thread of live blocks that falls asleep after an event, and before those that
 * slept until it have been woken, is woken by the next one. The pause between the two is forced. */
#include "core/core.h"
#include "on_core.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* On a busy machine no thread may fall asleep in time, so that several launches are tried. */
enum { ROUNDS = 30, LAUNCHES = 100, PAUSE = 2000 /* microseconds */, PATIENCE = 60 /* seconds */ };

static atomic_int forced; /* pauses in which a thread fell asleep */

void pause_before_waking(ptrt_run *run);

static void sleep_us(long us) {
    const struct timespec some = {.tv_nsec = us * 1000};
    nanosleep(&some, NULL);
}

static unsigned long long asleep_since(ptrt_run *run) {
    pthread_mutex_lock(&run->lock);
    const unsigned long long since = run->asleep_since;
    pthread_mutex_unlock(&run->lock);
    return since;
}

/* Gives another thread, which has seen the event, the time to fall asleep. */
void pause_before_waking(ptrt_run *run) {
    const unsigned long long before = asleep_since(run);
    for (int i = 0; i < PAUSE / 20; i++) {
        sleep_us(20);
        if (asleep_since(run) == before) continue;
        atomic_fetch_add(&forced, 1);
        return;
    }
}

/* In each round one block sleeps, one is busy, and one causes the event: the last cube core. */
enum { CAUSE, BUSY, ASLEEP, BLOCKS };

static int role(const ptrt_core *core, int round) {
    return (int)((ptrt_block_idx(core) + round) % BLOCKS);
}

static int run_cube(ptrt_core *core, void *args) {
    (void)args;
    sleep_us(3000); /* so that every thread gets a block */
    for (int r = 0; r < ROUNDS; r++) {
        if (role(core, r) == CAUSE) sleep_us(200);
        int code = ptrt_syncall(core, 10, PTRT_SYNC_CUBES);
        if (code == 0) code = ptrt_syncall(core, 11, PTRT_SYNC_MIX);
        if (code != 0) return code;
    }
    return 0;
}

static int run_vector(ptrt_core *core, void *args) {
    atomic_int *rounds = args;
    for (int r = 0; r < ROUNDS; r++) {
        if (role(core, r) == BUSY) sleep_us(500);
        const int code = ptrt_syncall(core, 12, PTRT_SYNC_MIX);
        if (code != 0) return code;
        atomic_fetch_add(rounds, 1);
    }
    return 0;
}

static void test_woken_later(void **state) {
    (void)state;
    const ptrt_kernel kernel = {.name = "k",
                                .cube = run_cube,
                                .vector = run_vector,
                                .subblocks = 1,
                                .flags = PTRT_K_GRID_SYNC};
    alarm(PATIENCE); /* a thread that nobody wakes sleeps for ever */
    assert_int_equal(setenv("PTORT_THREADS", "3", 1), 0);
    for (int i = 0; i < LAUNCHES && forced == 0; i++) {
        atomic_int rounds = 0;
        assert_int_equal(ptrt_launch(&kernel, BLOCKS, &rounds), 0);
        assert_int_equal(rounds, BLOCKS * ROUNDS);
    }
    alarm(0);
    assert_true(forced > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_woken_later)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
