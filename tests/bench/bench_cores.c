/* SPDX-License-Identifier: Apache-2.0 */
/* What cores cost: a push with its pops against two bare fiber switches, in one run; the first
 * launch of a process. */
#include "bench.h"
#include "core/fiber.h"
#include "core/fifo.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    TIMES = 15,
    SHORT_TIMES = 100, /* of what takes about a millisecond, less than a turn on a busy processor */
    ROUNDS = 20000,
    ENTRIES = 20000,
    ROWS = 8,
    COLS = 8,
    TILE_BYTES = ROWS * COLS * 4
};

/* In turns, so that a disturbance hits all of them. */
static void best_of(int times, int n, double (*const *once)(void), double *best) {
    for (int i = 0; i < times; i++)
        for (int k = 0; k < n; k++) {
            const double t = once[k]();
            if (i == 0 || t < best[k]) best[k] = t;
        }
}

/* ---- bare switches ---- */

typedef struct Pair {
    ptrt_fiber here, there;
} Pair;

static void back_and_forth(void *arg) {
    Pair *p = arg;
    for (;;)
        ptrt_fiber_switch(&p->there, &p->here);
}

/* Seconds of two switches: there and back. */
static double two_switches(void) {
    static _Alignas(64) unsigned char stack[1 << 16];
    static Pair p;
    ptrt_fiber_here(&p.here);
    ptrt_fiber_make(&p.there, stack, sizeof stack, back_and_forth, &p);
    double start = seconds_now();
    for (int i = 0; i < ROUNDS; i++)
        ptrt_fiber_switch(&p.here, &p.there);
    return (seconds_now() - start) / ROUNDS;
}

/* Two switches, and the bytes of a tile copied to where two cores take it. */
static double two_switches_and_copies(void) {
    static _Alignas(64) unsigned char stack[1 << 16];
    static _Alignas(64) unsigned char from[TILE_BYTES], to[2][TILE_BYTES];
    static Pair p;
    ptrt_fiber_here(&p.here);
    ptrt_fiber_make(&p.there, stack, sizeof stack, back_and_forth, &p);
    double start = seconds_now();
    for (int i = 0; i < ROUNDS; i++) {
        ptrt_fiber_switch(&p.here, &p.there);
        memcpy(to[0], from, TILE_BYTES);
        memcpy(to[1], from, TILE_BYTES);
        __asm__ volatile("" ::: "memory");
    }
    return (seconds_now() - start) / ROUNDS;
}

/* ---- a pipe from the cube core to two vector cores ---- */

static const ptrt_pipe_desc desc = {
    .id = 0, .dirs = PTRT_C2V, .slot_num = 8, .slot_size = ROWS * COLS * 4};
static float slots[8 * ROWS * COLS];
static bool in_global; /* where the slots lie */

static int push_all(ptrt_core *core, const ptrt_pipe *pipe) {
    static const ptrt_tile_type type = {PTRT_F32, PTRT_VEC, 0, 0, 512, 0, 0, ROWS, COLS};
    static float data[ROWS * COLS];
    ptrt_tile tile;
    int code = ptrt_tile_init(&tile, &type, data, sizeof data, ROWS, COLS);
    for (int i = 0; i < ENTRIES && code == 0; i++)
        code = ptrt_pipe_push(core, 1, pipe, &tile, 0, PTRT_ABSENT);
    return code;
}

static int pop_all(ptrt_core *core, const ptrt_pipe *pipe) {
    static const ptrt_tile_type type = {PTRT_F32, PTRT_VEC, 0, 0, 512, 0, 0, ROWS, COLS};
    ptrt_tile tile;
    int code = 0;
    for (int i = 0; i < ENTRIES && code == 0; i++) {
        code = ptrt_pipe_pop(core, 2, pipe, &type, ROWS, COLS, 0, PTRT_ABSENT, &tile);
        if (code == 0) code = ptrt_pipe_free(core, 3, pipe);
    }
    return code;
}

static int traffic(ptrt_core *core, void *args) {
    ptrt_pipe pipe;
    (void)args;
    int code = ptrt_pipe_open(core, 1, &desc, in_global ? slots : NULL, NULL, 0, 0, &pipe);
    if (code != 0) return code;
    return ptrt_core_is_cube(core) ? push_all(core, &pipe) : pop_all(core, &pipe);
}

/* The same without tiles: what the waiting and the turns cost. */
static int bare_traffic(ptrt_core *core, void *args) {
    static const ptrt_fifo_desc d = {.dir = PTRT_C2V, .slot_num = 8, .slot_size = 64};
    ptrt_fifo *f;
    void *slot;
    bool cube = ptrt_core_is_cube(core);
    (void)args;
    int code = ptrt_fifo_open(core, 1, &d, &f);
    for (int i = 0; i < ENTRIES && code == 0; i++) {
        code = cube ? ptrt_fifo_alloc(core, 1, f, &slot) : ptrt_fifo_pop(core, 2, f, &slot);
        if (code == 0) code = cube ? ptrt_fifo_push(core, 1, f) : ptrt_fifo_free(core, 3, f);
    }
    return code;
}

static void launch(const ptrt_kernel *k) {
    if (ptrt_launch(k, 1, NULL) == 0) return;
    fprintf(stderr, "%s\n", ptrt_error());
    exit(1);
}

/* Seconds of a push and the pops of both vector cores. */
static double run(ptrt_entry entry) {
    const ptrt_kernel k = {.name = "traffic",
                           .file = "bench",
                           .cube = entry,
                           .vector = entry,
                           .flags = PTRT_K_WAITS,
                           .bytes = {[PTRT_VEC] = 8 * ROWS * COLS * 4}};
    double start = seconds_now();
    launch(&k);
    return (seconds_now() - start) / ENTRIES;
}

static double push_and_pops(void) {
    in_global = false;
    return run(traffic);
}

static double push_and_pops_in_global(void) {
    in_global = true;
    return run(traffic);
}

static double bare_push_and_pops(void) {
    return run(bare_traffic);
}

static int nothing(ptrt_core *core, void *args) {
    (void)core;
    (void)args;
    return 0;
}

/* ---- ten thousand blocks at a barrier ---- */

enum { BLOCKS = 10000 };

static int barrier(ptrt_core *core, void *args) {
    (void)args;
    return ptrt_syncall(core, 1, PTRT_SYNC_MIX);
}

/* Seconds a block: all of them live at once, with 64 KiB on chip each, and meet. */
static double meeting(void) {
    static const ptrt_kernel k = {.name = "barrier",
                                  .file = "bench",
                                  .vector = barrier,
                                  .flags = PTRT_K_GRID_SYNC,
                                  .bytes = {[PTRT_VEC] = 64 << 10}};
    const double start = seconds_now();
    if (ptrt_launch(&k, BLOCKS, NULL) != 0) {
        fprintf(stderr, "%s\n", ptrt_error());
        exit(1);
    }
    return (seconds_now() - start) / BLOCKS;
}

/* Seconds of a page that the system gives when it is touched, and gets back. */
static double new_page(void) {
    enum { PAGE = 4096 };
    const double start = seconds_now();
    unsigned char *p = mmap(NULL, (size_t)BLOCKS * PAGE, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) exit(1);
    for (size_t i = 0; i < BLOCKS; i++)
        p[i * PAGE] = 1;
    munmap(p, (size_t)BLOCKS * PAGE);
    return (seconds_now() - start) / BLOCKS;
}

/* ---- a put of one rank to another ---- */

enum { PUT_BYTES = 1 << 20, PUTS = 400 };

static double put_seconds, copy_seconds;

static double seconds_of_copies(unsigned char *to, const unsigned char *from) {
    const double start = seconds_now();
    for (int i = 0; i < PUTS; i++) {
        memcpy(to, from, PUT_BYTES);
        __asm__ volatile("" ::: "memory");
    }
    return (seconds_now() - start) / PUTS;
}

static int put_core(ptrt_core *core, void *args) {
    const int64_t *context = args;
    unsigned char *own = (unsigned char *)(uintptr_t)context[4],
                  *other = (unsigned char *)(uintptr_t)context[5];
    const int64_t n = PUT_BYTES, one = 1;
    ptrt_view src, dst;
    int code = ptrt_view_init(&src, own, PTRT_U8, 1, &n, &one, PTRT_VIEW_ND);
    if (code == 0) code = ptrt_view_init(&dst, other, PTRT_U8, 1, &n, &one, PTRT_VIEW_ND);
    for (int t = 0; t < TIMES && code == 0; t++) {
        const double start = seconds_now();
        for (int i = 0; i < PUTS && code == 0; i++)
            code = ptrt_comm_put(core, 1, &dst, &src, 0);
        const double put = (seconds_now() - start) / PUTS;
        const double copy = seconds_of_copies(other, own);
        if (t == 0 || put < put_seconds) put_seconds = put;
        if (t == 0 || copy < copy_seconds) copy_seconds = copy;
    }
    return code;
}

static int put_rank(int rank, void *arg) {
    static const ptrt_kernel k = {.name = "put", .file = "bench", .vector = put_core};
    int64_t *context;
    (void)arg;
    const int code = ptrt_window_make(PUT_BYTES, &context);
    return code == 0 && rank == 0 ? ptrt_launch(&k, 1, context) : code;
}

int main(void) {
    static const ptrt_kernel empty = {.name = "nothing", .file = "bench", .vector = nothing};
    double start = seconds_now();
    launch(&empty);
    double first = seconds_now() - start;
    enum { SWITCHES, COPIES, FIFO, TILES, IN_GLOBAL, FIGURES };
    static double (*const once[FIGURES])(void) = {two_switches, two_switches_and_copies,
                                                  bare_push_and_pops, push_and_pops,
                                                  push_and_pops_in_global};
    static double (*const barriers[])(void) = {meeting, new_page};
    double best[FIGURES], met[2];
    best_of(SHORT_TIMES, FIGURES, once, best);
    best_of(TIMES, 2, barriers, met);
    int missed = figure("the first launch", first * 1e3, "ms", false, 4.28);
    missed += figure("a push with two pops, no tile / two bare switches",
                     best[FIFO] / best[SWITCHES], "times", false, 3);
    printf("10,000 live blocks at a barrier: %.3f us a block; a new page: %.3f us\n", met[0] * 1e6,
           met[1] * 1e6);
    /* A launch of this size gives its pages back, so each block touches a new one for its cores. */
    missed += figure("10,000 live blocks at a barrier, each / a new page", met[0] / met[1], "times",
                     false, 5);
    if (ptrt_run_ranks(2, put_rank, NULL) != 0) {
        fprintf(stderr, "%s\n", ptrt_error());
        return 1;
    }
    missed += figure("a put of 1 MiB to another rank", copy_seconds / put_seconds,
                     "of the rate of memcpy", true, 0.7);
    missed += figure("a push of an 8x8 f32 tile with two pops / switches, copies",
                     best[TILES] / best[COPIES], "times", false, 3);
    printf(
        "two bare switches %.1f ns, with two copies of 8x8 f32 %.1f ns; a push with two pops %.1f "
        "ns, of 8x8 f32 tiles %.1f ns, through global memory %.1f ns\n",
        best[SWITCHES] * 1e9, best[COPIES] * 1e9, best[FIFO] * 1e9, best[TILES] * 1e9,
        best[IN_GLOBAL] * 1e9);
    return missed > 0;
}
