/* SPDX-License-Identifier: Apache-2.0 */
/* test_cores.c - what many cores share: threads, stacks and memory that outlive a launch, barriers
 * and signals between blocks, launches at once and inside each other. */
#include "codec.h"
#include "core/atomic.h"
#include "core/core.h"
#include "on_core.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifdef SANITIZED
enum { MANY = 300 };
#else
enum { MANY = 10000 };
#endif

static int launch(ptrt_entry cube, ptrt_entry vector, uint32_t flags, int64_t blocks, void *args) {
    ptrt_kernel kernel = {
        .name = "k", .file = "k.pto", .cube = cube, .vector = vector, .flags = flags};
    kernel.bytes[PTRT_VEC] = 8192;
    return ptrt_launch(&kernel, blocks, args);
}

static void with_threads(const char *n) {
    assert_int_equal(n ? setenv("PTORT_THREADS", n, 1) : unsetenv("PTORT_THREADS"), 0);
}

/* ---- barriers between blocks ---- */

typedef struct Meeting {
    int64_t blocks;
    int cores, rounds;
    atomic_int arrived[8]; /* by iteration */
    atomic_int early;
    int32_t counter[16];
} Meeting;

static int meet(ptrt_core *core, void *args) {
    Meeting *m = args;
    for (int r = 0; r < m->rounds; r++) {
        atomic_fetch_add(&m->arrived[r], 1);
        int code = ptrt_syncall(core, 10, PTRT_SYNC_MIX);
        if (code != 0) return code;
        if (atomic_load(&m->arrived[r]) != m->blocks * m->cores) atomic_fetch_add(&m->early, 1);
    }
    return 0;
}

static void test_many_blocks_meet(void **state) {
    (void)state;
    static const char *const threads[] = {"1", "2", "5"};
    for (int i = 0; i < 3; i++) {
        with_threads(threads[i]);
        Meeting m = {.blocks = MANY, .cores = 1, .rounds = 3};
        assert_int_equal(launch(NULL, meet, PTRT_K_GRID_SYNC, m.blocks, &m), 0);
        assert_int_equal(m.early, 0);
        Meeting n = {.blocks = 100, .cores = 3, .rounds = 8};
        assert_int_equal(launch(meet, meet, PTRT_K_GRID_SYNC, n.blocks, &n), 0);
        assert_int_equal(n.early, 0);
        assert_int_equal(n.arrived[7], 300);
    }
    with_threads(NULL);
}

static int meet_softly(ptrt_core *core, void *args) {
    Meeting *m = args;
    if (ptrt_block_idx(core) >= m->blocks) return 0;
    for (int r = 0; r < m->rounds; r++) {
        atomic_fetch_add(&m->arrived[r], 1);
        int used = m->cores == 0 ? 0 : (int)m->blocks;
        int code = ptrt_syncall_soft(core, 10, PTRT_SYNC_VECTORS, m->counter, used);
        if (code != 0) return code;
        if (atomic_load(&m->arrived[r]) != m->blocks) atomic_fetch_add(&m->early, 1);
    }
    return 0;
}

/* The counter in global memory has grown by the number of those that met, in every iteration. */
static void test_soft_barrier(void **state) {
    (void)state;
    with_threads("3");
    Meeting all = {.blocks = 40, .cores = 0, .rounds = 8};
    assert_int_equal(launch(NULL, meet_softly, PTRT_K_GRID_SYNC, 40, &all), 0);
    assert_int_equal(all.early, 0);
    assert_int_equal(all.counter[0], 320);
    Meeting some = {.blocks = 17, .cores = 1, .rounds = 8};
    assert_int_equal(launch(NULL, meet_softly, PTRT_K_GRID_SYNC, 40, &some), 0);
    assert_int_equal(some.early, 0);
    assert_int_equal(some.counter[0], 136);
    with_threads(NULL);
}

/* Block 3 has ended, block 5 waits elsewhere: the others never meet them. */
static int miss(ptrt_core *core, void *args) {
    (void)args;
    if (ptrt_block_idx(core) == 3) return 0;
    if (ptrt_block_idx(core) == 5) return ptrt_wait_intra_block(core, 20, 2);
    return ptrt_syncall(core, 30, PTRT_SYNC_VECTORS);
}

static void test_deadlock_between_blocks(void **state) {
    (void)state;
    static const char *const threads[] = {"1", "2", "4"};
    for (int i = 0; i < 3; i++) {
        with_threads(threads[i]);
        assert_int_equal(launch(NULL, miss, PTRT_K_GRID_SYNC, 64, NULL), PTRT_E_DEADLOCK);
        assert_string_equal(
            ptrt_error(),
            "k.pto:30: deadlock: every core that is left waits: block 0 vector core 0 at line 30 "
            "(pto.syncall) and 61 more there, block 5 vector core 0 at line 20 "
            "(pto.wait_intra_block); ended: "
            "block 3 vector core 0");
    }
    with_threads(NULL);
}

static int one_fails(ptrt_core *core, void *args) {
    atomic_int *stopped = args;
    if (ptrt_block_idx(core) == 50) return ptrt_fail(core, PTRT_E_ASSERT, 7, "no more");
    int code = ptrt_syncall(core, 8, PTRT_SYNC_VECTORS);
    if (code == PTRT_E_STOPPED) atomic_fetch_add(stopped, 1);
    return code;
}

static void test_failure_wakes_all(void **state) {
    (void)state;
    for (int i = 0; i < 20; i++) {
        with_threads(i % 2 ? "1" : "3");
        atomic_int stopped = 0;
        assert_int_equal(launch(NULL, one_fails, PTRT_K_GRID_SYNC, 200, &stopped), PTRT_E_ASSERT);
        assert_string_equal(ptrt_error(), "k.pto:7: no more");
        assert_true(i % 2 == 0 || stopped == 50);
    }
    with_threads(NULL);
}

/* ---- pto.sync.set, pto.sync.wait ---- */

typedef struct Signals {
    int mode;
    int64_t event;
    /* By parity of the iteration, block and place. Plain: the signals order them. */
    int32_t sent[2][32][3];
    atomic_int wrong;
    int rounds;
} Signals;

static int place(const ptrt_core *core) {
    return ptrt_core_is_cube(core) ? 0 : 1 + (int)ptrt_subblock_idx(core);
}

static void expect(Signals *s, int32_t got, int32_t least) {
    if (got < least) atomic_fetch_add(&s->wrong, 1);
}

static int send_and_wait(ptrt_core *core, void *args) {
    Signals *s = args;
    int64_t me = ptrt_block_idx(core);
    for (int32_t r = 1; r <= s->rounds; r++) {
        int32_t(*sent)[3] = s->sent[r % 2];
        sent[me][place(core)] = r;
        int code = ptrt_sync_set(core, 4, s->event, s->mode);
        if (code == 0) code = ptrt_sync_wait(core, 5, s->event);
        if (code != 0) return code;
        if (s->mode == 2 && ptrt_core_is_cube(core)) {
            expect(s, sent[me][1], r);
            expect(s, sent[me][2], r);
        } else if (s->mode == 2) {
            expect(s, sent[me][0], r);
        } else if (s->mode == 1 && !ptrt_core_is_cube(core)) {
            expect(s, sent[me][1], r);
            expect(s, sent[me][2], r);
        } else if (s->mode == 0) {
            for (int64_t b = 0; b < ptrt_block_num(core); b++)
                expect(s, sent[b][place(core)], r);
        }
    }
    return 0;
}

static void test_sync_modes(void **state) {
    (void)state;
    for (int mode = 0; mode <= 2; mode++) {
        for (int threads = 1; threads <= 3; threads += 2) {
            with_threads(threads == 1 ? "1" : "3");
            uint32_t flags = mode == 0 ? PTRT_K_GRID_SYNC : PTRT_K_WAITS;
            Signals s = {.mode = mode, .event = 15 - mode, .rounds = 40};
            assert_int_equal(launch(send_and_wait, send_and_wait, flags, 20, &s), 0);
            assert_int_equal(s.wrong, 0);
            Signals one = {.mode = mode, .event = mode, .rounds = 3};
            assert_int_equal(launch(send_and_wait, send_and_wait, flags, 1, &one), 0);
            assert_int_equal(one.wrong, 0);
        }
    }
    with_threads(NULL);
    Signals s = {.mode = 0, .event = 16};
    s.rounds = 1;
    assert_int_equal(launch(NULL, send_and_wait, PTRT_K_WAITS, 1, &s), PTRT_E_ARG);
    s.event = 0;
    assert_int_equal(launch(NULL, send_and_wait, PTRT_K_WAITS, 2, &s), PTRT_E_ARG);
    s.mode = 3;
    assert_int_equal(launch(NULL, send_and_wait, PTRT_K_WAITS, 1, &s), PTRT_E_ARG);
}

/* A vector core that has ended is not waited for; what it sent before counts. */
static int second_ends(ptrt_core *core, void *args) {
    int *rounds = args, code = 0;
    if (!ptrt_core_is_cube(core)) {
        int n = ptrt_subblock_idx(core) == 1 ? 1 : 4;
        for (int i = 0; i < n && code == 0; i++)
            code = ptrt_sync_set(core, 2, 3, 2);
        return code;
    }
    for (; code == 0; ++*rounds)
        code = ptrt_sync_wait(core, 9, 3);
    return code;
}

static void test_sync_with_ended_core(void **state) {
    (void)state;
    int rounds = -1;
    assert_int_equal(launch(second_ends, second_ends, PTRT_K_WAITS, 1, &rounds), PTRT_E_DEADLOCK);
    assert_int_equal(rounds, 4);
}

/* More signals than the four bits of a counter hold, while another block has sent none. */
static int run_ahead(ptrt_core *core, void *args) {
    (void)args;
    int code = 0;
    for (int i = 0; i < 20 && code == 0 && ptrt_block_idx(core) == 0; i++)
        code = ptrt_sync_set(core, 2, 3, 0);
    return code;
}

static void test_sync_overflow(void **state) {
    (void)state;
    assert_int_equal(launch(NULL, run_ahead, PTRT_K_GRID_SYNC, 2, NULL), PTRT_E_SYNC);
}

static int intra_block(ptrt_core *core, void *args) {
    int32_t *seen = args;
    int code = 0;
    for (int r = 0; r < 10 && code == 0; r++) {
        if (ptrt_core_is_cube(core)) {
            code = ptrt_set_intra_block(core, 1, r % 2 ? 7 : 23);
            if (code == 0) code = ptrt_wait_intra_block(core, 2, r % 2 ? 4 : 20);
        } else if (r % 2 != ptrt_subblock_idx(core)) {
            code = ptrt_wait_intra_block(core, 3, 7);
            seen[ptrt_subblock_idx(core)]++;
            if (code == 0) code = ptrt_set_intra_block(core, 4, 4);
        }
    }
    return code;
}

static int bad_intra(ptrt_core *core, void *args) {
    return ptrt_set_intra_block(core, 5, *(int64_t *)args);
}

static void test_intra_block(void **state) {
    (void)state;
    int32_t seen[2] = {0};
    assert_int_equal(launch(intra_block, intra_block, PTRT_K_WAITS, 1, seen), 0);
    assert_int_equal(seen[0], 5);
    assert_int_equal(seen[1], 5);
    int64_t id = 16;
    assert_int_equal(launch(NULL, bad_intra, PTRT_K_WAITS, 1, &id), PTRT_E_ARG);
    assert_int_equal(launch(bad_intra, NULL, PTRT_K_WAITS, 1, &id), 0);
    id = 32;
    assert_int_equal(launch(bad_intra, NULL, PTRT_K_WAITS, 1, &id), PTRT_E_ARG);
}

static int tokens(ptrt_core *core, void *args) {
    int wrong = *(int *)args, code = ptrt_get_buf(core, 1, 1, 31);
    if (code == 0) code = ptrt_get_buf(core, 2, 4, 31); /* another pipe may wait for it */
    if (code == 0 && wrong == 1) code = ptrt_get_buf(core, 3, 1, 31);
    if (code == 0) code = ptrt_rls_buf(core, 4, 1, 31);
    if (code == 0 && wrong == 2) code = ptrt_rls_buf(core, 5, 1, 31);
    if (code == 0 && wrong == 3) code = ptrt_rls_buf(core, 6, 1, 32);
    ptrt_fence(core);
    return code;
}

static void test_tokens(void **state) {
    (void)state;
    static const int codes[] = {0, PTRT_E_SYNC, PTRT_E_SYNC, PTRT_E_ARG};
    for (int wrong = 0; wrong <= 3; wrong++) {
        assert_int_equal(launch(NULL, tokens, PTRT_K_CHECKED, 1, &wrong), codes[wrong]);
        assert_int_equal(launch(NULL, tokens, 0, 1, &wrong), 0);
    }
}

/* ---- global memory that many change ---- */

enum { UPDATED = 3000 };
typedef struct Updates {
    int kernel;
    uint8_t elem;
    int64_t blocks;
    bool none;   /* the kernel has no body for the type */
    size_t skew; /* bytes by which elements are off their alignment */
    _Alignas(8) unsigned char memory[UPDATED * 8 + 8];
} Updates;

/* Block b adds 1 to all, or offers 1 + (i + b) mod blocks. */
static int update(ptrt_core *core, void *args) {
    Updates *u = args;
    unsigned char mine[UPDATED * 8];
    int64_t b = ptrt_block_idx(core);
    for (int i = 0; i < UPDATED; i++) {
        int x = u->kernel == PTRT_TADD ? 1 : 1 + (int)((i + b) % u->blocks);
        bits_store(mine + (size_t)i * elem_bytes(u->elem), elem_bytes(u->elem),
                   code_of(u->elem, (Num){x, (double)x}));
    }
    bool done = ptrt_gm_update(core, u->kernel, u->elem, u->memory + u->skew, mine, UPDATED);
    if (!done) u->none = true;
    return 0;
}

static void test_updates(void **state) {
    (void)state;
    static const uint8_t elems[] = {PTRT_I8,  PTRT_U8,  PTRT_I16,  PTRT_U16, PTRT_I32, PTRT_U32,
                                    PTRT_I64, PTRT_F16, PTRT_BF16, PTRT_F32, PTRT_F64};
    static const int kernels[] = {PTRT_TADD, PTRT_TMAX, PTRT_TMIN};
    static Updates u;
    with_threads("4");
    for (size_t e = 0; e < sizeof elems; e++)
        for (int k = 0; k < 3; k++) {
            uint32_t size = elem_bytes(elems[e]);
            u = (Updates){.kernel = kernels[k], .elem = elems[e], .blocks = 40, .skew = k == 1};
            int start = kernels[k] == PTRT_TMIN ? 100 : 0;
            int end = kernels[k] == PTRT_TMIN ? 1 : 40;
            for (uint32_t i = 0; i < UPDATED; i++)
                bits_store(u.memory + u.skew + i * size, size,
                           code_of(u.elem, (Num){start, (double)start}));
            assert_int_equal(launch(NULL, update, 0, u.blocks, &u), 0);
            assert_false(u.none);
            for (uint32_t i = 0; i < UPDATED; i++)
                assert_true(bits_load(u.memory + u.skew + i * size, size) ==
                            code_of(u.elem, (Num){end, (double)end}));
        }
    u = (Updates){.kernel = PTRT_TADD, .elem = PTRT_F8E4M3, .blocks = 1};
    assert_int_equal(launch(NULL, update, 0, 1, &u), 0);
    assert_true(u.none);
    with_threads(NULL);
}

/* ---- memory ---- */

static int dirty(ptrt_core *core, void *args) {
    atomic_int *found = args;
    void *p;
    int code = ptrt_space_at(core, 1, PTRT_VEC, 0, 0, 1, &p);
    if (code != 0) return code;
    for (int i = 0; i < 8192; i++)
        if (((unsigned char *)p)[i] != 0) atomic_fetch_add(found, 1);
    memset(p, 0xAB, 8192);
    return 0;
}

/* In checked mode every block finds its memory zero, whatever ran before. */
static void test_checked_memory_is_zero(void **state) {
    (void)state;
    static const uint32_t flags[] = {PTRT_K_CHECKED, PTRT_K_CHECKED | PTRT_K_WAITS,
                                     PTRT_K_CHECKED | PTRT_K_GRID_SYNC};
    for (int f = 0; f < 3; f++) {
        for (int64_t blocks = 1; blocks <= 33; blocks += 16) {
            atomic_int found = 0;
            assert_int_equal(launch(dirty, dirty, flags[f], blocks, &found), 0);
            assert_int_equal(found, 0);
        }
    }
}

#ifndef SANITIZED
static int eat_stack(ptrt_core *core, void *args) {
    volatile unsigned char page[2000];
    memset((void *)page, 1, sizeof page);
    return page[7] ? eat_stack(core, args) + page[9] : 0;
}

/* A stack that is too small ends the program and nothing else, after its pages were given back
 * too. */
static void test_stacks_are_guarded(void **state) {
    (void)state;
    Meeting m = {.blocks = 1000, .cores = 1, .rounds = 1};
    assert_int_equal(launch(NULL, meet, PTRT_K_GRID_SYNC, m.blocks, &m), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        _exit(launch(eat_stack, eat_stack, PTRT_K_WAITS, 1, NULL));
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

static int child_out_of_memory(void) {
    struct rlimit limit = {UINT64_C(2) << 30, UINT64_C(2) << 30};
    Meeting m = {.blocks = 1 << 16, .cores = 1, .rounds = 1};
    if (setrlimit(RLIMIT_AS, &limit) != 0) return 2;
    if (launch(NULL, meet, PTRT_K_GRID_SYNC, m.blocks, &m) != PTRT_E_NOMEM) return 3;
    if (strcmp(ptrt_error(), "out of memory for the on-chip memory of 65536 blocks at once") != 0)
        return 4;
    m.blocks = 100;
    return launch(NULL, meet, PTRT_K_GRID_SYNC, m.blocks, &m) == 0 && m.early == 0 ? 0 : 5;
}

static void test_out_of_memory(void **state) {
    (void)state;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) _exit(child_out_of_memory());
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* A child of fork comes after its parent's launches and has threads of its own. */
static void test_fork(void **state) {
    (void)state;
    with_threads("4");
    Meeting m = {.blocks = 64, .cores = 1, .rounds = 1};
    assert_int_equal(launch(NULL, meet, PTRT_K_GRID_SYNC, m.blocks, &m), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        Meeting n = {.blocks = 64, .cores = 3, .rounds = 2};
        int code = launch(meet, meet, PTRT_K_GRID_SYNC, n.blocks, &n);
        _exit(code == 0 && n.early == 0 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    with_threads(NULL);
}
#endif

static void test_too_many_blocks(void **state) {
    (void)state;
    assert_int_equal(launch(NULL, meet, PTRT_K_GRID_SYNC, INT64_C(1) << 40, NULL), PTRT_E_ARG);
    assert_int_equal(launch(NULL, meet, 0, (INT64_C(1) << 40) + 1, NULL), PTRT_E_ARG);
    assert_int_equal(launch(NULL, meet, 0, INT64_MIN, NULL), PTRT_E_ARG);
}

/* ---- the environment of floating point ---- */

typedef struct RoundingSeen {
    int seen[4];
    atomic_int wrong;
} RoundingSeen;

static int look_at_rounding(ptrt_core *core, void *args) {
    RoundingSeen *r = args;
    if (fegetround() != FE_TONEAREST) atomic_fetch_add(&r->wrong, 1);
    /* What one core sets is not seen by the others, and is still there when it goes on. */
    int mine = ptrt_core_is_cube(core) ? FE_UPWARD : FE_DOWNWARD;
    if (ptrt_subblock_idx(core) == 1) mine = FE_TONEAREST;
    fesetround(mine);
    for (int i = 0; i < 5; i++) {
        int code = ptrt_yield(core, 1);
        if (code != 0) return code;
        if (fegetround() != mine) atomic_fetch_add(&r->wrong, 1);
    }
    fesetround(FE_TONEAREST);
    return 0;
}

static void test_rounding(void **state) {
    (void)state;
    RoundingSeen r = {0};
    fesetround(FE_TOWARDZERO);
    int code = launch(look_at_rounding, look_at_rounding, PTRT_K_WAITS, 9, &r);
    int after = fegetround();
    fesetround(FE_TONEAREST);
    assert_int_equal(code, 0);
    assert_int_equal(after, FE_TOWARDZERO);
    assert_int_equal(r.wrong, 0);
}

/* ---- launches at once and inside each other ---- */

static void *many_launches(void *arg) {
    int *bad = arg;
    for (int i = 0; i < 12; i++) {
        Meeting m = {.blocks = 1 + i, .cores = 3, .rounds = 2};
        if (launch(meet, meet, PTRT_K_GRID_SYNC, m.blocks, &m) != 0 || m.early) ++*bad;
        Signals s = {.mode = 2, .rounds = 4};
        if (launch(send_and_wait, send_and_wait, PTRT_K_WAITS, 5, &s) != 0 || s.wrong) ++*bad;
        if (launch(NULL, miss, PTRT_K_GRID_SYNC, 8, NULL) != PTRT_E_DEADLOCK) ++*bad;
        if (!strstr(ptrt_error(), "block 5 vector core 0 at line 20")) ++*bad;
    }
    return NULL;
}

static void test_launches_at_once(void **state) {
    (void)state;
    pthread_t threads[4];
    int bad[5] = {0};
    with_threads("3");
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, many_launches, &bad[i]), 0);
    many_launches(&bad[4]);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(bad[i], 0);
    with_threads(NULL);
}

static int count_subblocks(ptrt_core *core, void *args) {
    if (ptrt_subblock_num(core) != 2) return PTRT_E_ASSERT;
    atomic_fetch_add((atomic_int *)args, 1);
    return 0;
}

/* The settings of the outer launch hold inside, on whatever thread the block runs. */
static int launch_inside(ptrt_core *core, void *args) {
    int code = ptrt_yield(core, 1);
    if (code == 0) code = launch(NULL, count_subblocks, 0, 3, args);
    Meeting m = {.blocks = 6, .cores = 2, .rounds = 2};
    if (code == 0) code = launch(NULL, meet, PTRT_K_GRID_SYNC, m.blocks, &m);
    if (code == 0) code = ptrt_syncall(core, 2, PTRT_SYNC_VECTORS);
    return code != 0 ? code : m.early ? PTRT_E_ASSERT : 0;
}

static void test_launches_inside(void **state) {
    (void)state;
    with_threads("3");
    assert_int_equal(ptrt_set_subblocks(2), 0);
    atomic_int count = 0;
    assert_int_equal(launch(NULL, launch_inside, PTRT_K_GRID_SYNC, 8, &count), 0);
    assert_int_equal(count, 8 * 2 * 3 * 2);
    assert_int_equal(ptrt_set_subblocks(0), 0);
    with_threads(NULL);
}

/* ---- stacks that the kernel asks for ---- */

enum { LARGE = 3 << 20 };

/* Fills its frame, lets the other cores do the same, and looks whether it is as it was. */
static int fill_frame(ptrt_core *core, void *args) {
    volatile unsigned char frame[LARGE];
    unsigned char mark = (unsigned char)(ptrt_block_idx(core) * 2 + ptrt_subblock_idx(core) + 1);
    atomic_int *sound = args;
    for (size_t i = 0; i < LARGE; i += 512)
        frame[i] = mark;
    int code = ptrt_yield(core, 1);
    if (code != 0) return code;
    for (size_t i = 0; i < LARGE; i += 512)
        if (frame[i] != mark) return PTRT_E_ASSERT;
    atomic_fetch_add(sound, 1);
    return 0;
}

static void test_large_stacks(void **state) {
    (void)state;
    static const uint32_t flags[] = {0, PTRT_K_WAITS, PTRT_K_GRID_SYNC};
    with_threads("3");
    assert_int_equal(ptrt_set_subblocks(2), 0);
    for (int i = 0; i < 3; i++)
        for (int64_t blocks = 1; blocks < 20; blocks += 9) {
            atomic_int sound = 0;
            ptrt_kernel kernel = {.name = "k", .vector = fill_frame, .stack = LARGE + 4096};
            kernel.flags = flags[i] | PTRT_K_STACK;
            assert_int_equal(ptrt_launch(&kernel, blocks, &sound), 0);
            assert_int_equal(sound, blocks * 2);
        }
    assert_int_equal(ptrt_set_subblocks(0), 0);
    with_threads(NULL);
}

static void test_stack_too_large(void **state) {
    (void)state;
    ptrt_kernel kernel = {.name = "deep", .vector = fill_frame, .flags = PTRT_K_STACK};
    kernel.stack = UINT64_MAX;
    assert_int_equal(ptrt_launch(&kernel, 1, NULL), PTRT_E_NOMEM);
    assert_string_equal(ptrt_error(),
                        "the kernel 'deep' needs 18446744073709551615 bytes on the stack of each "
                        "core, of 1073348608 that it can have");
    kernel.stack = (UINT64_C(1) << 30) - (384 << 10) + 1;
    assert_int_equal(ptrt_launch(&kernel, 1, NULL), PTRT_E_NOMEM);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_stacks),
        cmocka_unit_test(test_stack_too_large),
        cmocka_unit_test(test_many_blocks_meet),
        cmocka_unit_test(test_soft_barrier),
        cmocka_unit_test(test_deadlock_between_blocks),
        cmocka_unit_test(test_failure_wakes_all),
        cmocka_unit_test(test_sync_modes),
        cmocka_unit_test(test_sync_with_ended_core),
        cmocka_unit_test(test_sync_overflow),
        cmocka_unit_test(test_intra_block),
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_updates),
        cmocka_unit_test(test_checked_memory_is_zero),
        cmocka_unit_test(test_too_many_blocks),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_launches_at_once),
        cmocka_unit_test(test_launches_inside),
#ifndef SANITIZED
        cmocka_unit_test(test_stacks_are_guarded),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_fork),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
