/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_both.c - the same ranks as threads and as processes of MPI. usage: ranks_both N CASE, or
 * under mpirun: ranks_both mpi CASE. Prints what the run ended with; rank 0 also prints the bytes
 * that the ranks left in each other's windows. */
#ifdef WITH_MPI
#include "ptort_mpi.h"
#endif
#include "ptort_emitted.h"
#include "ptort_transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 16, SIGNAL = 0, BOX = 64, BOX_BYTES = 1 << 10, SUMS = 1 << 15, STEPS = 20 };

static const char *which;

static int64_t base_of(const int64_t *context, int64_t rank) {
    return context[4 + rank];
}

static ptrt_view view_at(int64_t address, int elem, int64_t n) {
    ptrt_view v;
    const int64_t one = 1;
    ptrt_view_init(&v, (void *)(uintptr_t)address, elem, 1, &n, &one, PTRT_VIEW_ND);
    return v;
}

static ptrt_view signal_of(const int64_t *context, int64_t rank, int k) {
    return view_at(base_of(context, rank) + SIGNAL + 4 * k, PTRT_I32, 1);
}

/* ---- transfers ---- */

/* Adds of every type that memory adds up, by all ranks to rank 0. */
static const int added[] = {PTRT_I8,  PTRT_U8,  PTRT_I16,  PTRT_U16, PTRT_I32,
                            PTRT_U32, PTRT_F16, PTRT_BF16, PTRT_F32};

static int add_all(ptrt_core *core, const int64_t *context, int64_t me) {
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        static const unsigned char small[] = {1, 2, 3, 4, 5, 6, 7, 8};
        static const uint16_t f16[] = {0x3C00, 0x4000, 0x4200}, bf16[] = {0x3F80, 0x4000, 0x4040};
        static const float f32[] = {1, 2, 3};
        const void *from = added[i] == PTRT_F16    ? (const void *)f16
                           : added[i] == PTRT_BF16 ? (const void *)bf16
                           : added[i] == PTRT_F32  ? (const void *)f32
                                                   : (const void *)small;
        const int64_t n = added[i] == PTRT_I32 || added[i] == PTRT_U32 ? 2 : 3;
        for (int t = 0; t < STEPS; t++) {
            const ptrt_view src = view_at((int64_t)(uintptr_t)from, added[i], n);
            const ptrt_view dst =
                view_at(base_of(context, 0) + SUMS + 64 * (int64_t)i, added[i], n);
            const int code = ptrt_comm_put(core, 10, &dst, &src, 1);
            if (code != 0) return code;
        }
    }
    (void)me;
    return 0;
}

/* Each rank writes a box of its own into every window, and reads one back from the next rank. */
static int exchange(ptrt_core *core, const int64_t *context) {
    const int64_t me = ptrt_rank_idx(), ranks = ptrt_rank_num();
    unsigned char out[BOX_BYTES], back[BOX_BYTES];
    for (int i = 0; i < BOX_BYTES; i++)
        out[i] = (unsigned char)(i * 7 + (int)me * 31 + 1);
    const ptrt_view src = view_at((int64_t)(uintptr_t)out, PTRT_U8, BOX_BYTES);
    for (int64_t to = 0; to < ranks; to++) {
        const ptrt_view dst =
            view_at(base_of(context, to) + BOX + me * BOX_BYTES, PTRT_U8, BOX_BYTES);
        const ptrt_view signal = signal_of(context, to, 0);
        int code = ptrt_comm_put(core, 11, &dst, &src, 0);
        if (code == 0) code = ptrt_comm_notify(core, 12, &signal, 1, PTRT_NOTIFY_ADD);
        if (code != 0) return code;
    }
    int code = add_all(core, context, me);
    const ptrt_view first = signal_of(context, 0, 1), mine = signal_of(context, me, 0);
    if (code == 0) code = ptrt_comm_notify(core, 13, &first, 1, PTRT_NOTIFY_ADD);
    if (code == 0) code = ptrt_comm_wait(core, 14, &mine, (int32_t)ranks, PTRT_WAIT_EQ);
    if (code == 0 && me == 0) code = ptrt_comm_wait(core, 15, &first, (int32_t)ranks, PTRT_WAIT_GE);
    const int64_t next = (me + 1) % ranks;
    const ptrt_view theirs =
        view_at(base_of(context, next) + BOX + me * BOX_BYTES, PTRT_U8, BOX_BYTES);
    const ptrt_view here = view_at((int64_t)(uintptr_t)back, PTRT_U8, BOX_BYTES);
    if (code == 0) code = ptrt_comm_get(core, 16, &here, &theirs);
    return code != 0 ? code : memcmp(out, back, sizeof out) == 0 ? 0 : 90;
}

/* From one window of others to another. */
static int relay(ptrt_core *core, const int64_t *context) {
    const int64_t ranks = ptrt_rank_num();
    if (ptrt_rank_idx() != 0 || ranks < 3) return 0;
    const ptrt_view from = view_at(base_of(context, 1) + BOX, PTRT_U8, BOX_BYTES);
    const ptrt_view to = view_at(base_of(context, 2) + BOX + ranks * BOX_BYTES, PTRT_U8, BOX_BYTES);
    const ptrt_view back =
        view_at(base_of(context, 0) + BOX + ranks * BOX_BYTES, PTRT_U8, BOX_BYTES);
    const int code = ptrt_comm_put(core, 17, &to, &from, 0);
    return code == 0 ? ptrt_comm_get(core, 18, &back, &to) : code;
}

/* ---- bad programs ---- */

static int wait_for(ptrt_core *core, const int64_t *context, int32_t value) {
    const ptrt_view mine = signal_of(context, ptrt_rank_idx(), 0);
    return ptrt_comm_wait(core, 20, &mine, value, PTRT_WAIT_EQ);
}

/* Everybody is notified once and waits for two. */
static int mismatched(ptrt_core *core, const int64_t *context) {
    const int64_t next = (ptrt_rank_idx() + 1) % ptrt_rank_num();
    const ptrt_view signal = signal_of(context, next, 0);
    const int code = ptrt_comm_notify(core, 21, &signal, 1, PTRT_NOTIFY_ADD);
    return code == 0 ? wait_for(core, context, 2) : code;
}

/* A transfer that leaves the window of another rank. */
static int outside(ptrt_core *core, const int64_t *context) {
    static unsigned char data[128];
    const int64_t next = (ptrt_rank_idx() + 1) % ptrt_rank_num();
    const ptrt_view src = view_at((int64_t)(uintptr_t)data, PTRT_U8, sizeof data);
    const ptrt_view dst = view_at(base_of(context, next) + ROOM - 64, PTRT_U8, sizeof data);
    return ptrt_rank_idx() == 1 ? ptrt_comm_put(core, 22, &dst, &src, 0)
                                : wait_for(core, context, 1);
}

static int core_main(ptrt_core *core, void *arg) {
    const int64_t *context = arg;
    if (strcmp(which, "exchange") == 0) {
        const int code = exchange(core, context);
        return code == 0 ? relay(core, context) : code;
    }
    if (strcmp(which, "mismatch") == 0) return mismatched(core, context);
    if (strcmp(which, "outside") == 0) return outside(core, context);
    return wait_for(core, context, 1); /* early, fails */
}

/* ---- ranks ---- */

static void print_window(const int64_t *context) {
    const unsigned char *p = (const unsigned char *)(uintptr_t)base_of(context, 0);
    for (int i = 0; i < ROOM; i++)
        if (p[i] != 0) printf("%d:%02x\n", i, (unsigned)p[i]);
}

static int rank_main(int rank, void *arg) {
    const ptrt_kernel k = {.name = "k",
                           .file = "k.pto",
                           .vector = core_main,
                           .flags = PTRT_K_GRID_SYNC,
                           .subblocks = 1};
    const uint64_t bytes = strcmp(which, "room") == 0 && rank == 1 ? UINT64_C(1) << 60 : ROOM;
    int64_t *context;
    (void)arg;
    if (strcmp(which, "skip") == 0 && rank == 1) return 0;
    int code = ptrt_window_make(bytes, &context);
    if (code != 0) return code;
    if (strcmp(which, "early") == 0 && rank == 1) return 0;
    if (strcmp(which, "fails") == 0 && rank == 1) return 77;
    code = ptrt_launch(&k, 1, context);
    if (code == 0 && rank == 0) print_window(context);
    return code;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    alarm(60); /* a hang is a failure */
    which = argv[2];
#ifdef WITH_MPI
    const int code = strcmp(argv[1], "mpi") == 0 ? ptrt_run_mpi(rank_main, NULL)
                                                 : ptrt_run_ranks(atoi(argv[1]), rank_main, NULL);
#else
    const int code = ptrt_run_ranks(atoi(argv[1]), rank_main, NULL);
#endif
    if (code != 0) printf("code %d: %s\n", code, ptrt_error());
    return 0;
}
