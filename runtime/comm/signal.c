/* SPDX-License-Identifier: Apache-2.0 */
/* signal.c - pto.comm.tnotify, twait and ttest: 32-bit signals in memory that any rank may
 * change. */
#include "comm/rank.h"

#include <sched.h>

/* The condition that a core waits for. */
typedef struct Signal {
    const ptrt_view *view;
    int32_t value;
    int cmp;
    int code; /* what the transport returned */
} Signal;

static bool compares(int32_t a, int cmp, int32_t b) {
    switch (cmp) {
    case PTRT_WAIT_EQ:
        return a == b;
    case PTRT_WAIT_NE:
        return a != b;
    case PTRT_WAIT_GT:
        return a > b;
    case PTRT_WAIT_GE:
        return a >= b;
    case PTRT_WAIT_LT:
        return a < b;
    default:
        return a <= b;
    }
}

static const int32_t *element(const ptrt_view *v, const int64_t *at) {
    uint64_t offset = 0;
    for (int d = 0; d < 5; d++)
        offset += (uint64_t)at[d] * (uint64_t)v->stride[d];
    return (const int32_t *)((uintptr_t)v->base + (uintptr_t)(offset * sizeof(int32_t)));
}

/* Moves `at` to the next element, the last dimension first. Returns false after the last one. */
static bool next(const ptrt_view *v, int64_t *at) {
    for (int d = 4; d >= 0; d--) {
        if (++at[d] < v->shape[d]) return true;
        at[d] = 0;
    }
    return false;
}

/* Whether all elements compare true, or the transport has failed. */
static bool holds(ptrt_core *core, void *arg, void *out) {
    Signal *s = arg;
    const ptrt_rank *rank = core->run->rank;
    int64_t at[5] = {0};
    (void)out;
    do {
        int32_t now;
        s->code = rank->transport->read(rank->self, element(s->view, at), &now);
        if (s->code != PTRT_OK) return true;
        if (!compares(now, s->cmp, s->value)) return false;
    } while (next(s->view, at));
    return true;
}

static int check_signal(ptrt_core *core, uint32_t line, const char *op, const ptrt_view *v) {
    int code = ptrt_comm_check(core, line, op, "signal", v);
    if (code != PTRT_OK) return code;
    if (ptrt_elem_size(v->elem) != sizeof(int32_t))
        return ptrt_fail(core, PTRT_E_TYPE, line, "%s: the elements of signal are not 32-bit", op);
    for (int d = 0; d < 5; d++)
        if (v->shape[d] == 0)
            return ptrt_fail(core, PTRT_E_BOUNDS, line, "%s: signal is empty", op);
    if ((uintptr_t)v->base % sizeof(int32_t) != 0)
        return ptrt_fail(core, PTRT_E_ALIGN, line, "%s: signal is not aligned", op);
    return PTRT_OK;
}

int ptrt_comm_notify(ptrt_core *core, uint32_t line, const ptrt_view *signal, int32_t value,
                     int op) {
    static const char name[] = "pto.comm.tnotify";
    const ptrt_rank *rank = core->run->rank;
    int code = check_signal(core, line, name, signal);
    if (code != PTRT_OK) return code;
    code = rank->transport->notify(rank->self, (int32_t *)(void *)signal->base, op, value);
    if (code != PTRT_OK) return ptrt_comm_failed(core, line, name, code);
    ptrt_grid_event(core->run);
    return PTRT_OK;
}

static int check_wait(ptrt_core *core, uint32_t line, const char *op, const ptrt_view *signal) {
    if (core->run->blocks > 1 && !core->run->live)
        return ptrt_fail(core, PTRT_E_ARG, line,
                         "%s: the kernel was not launched with all blocks live", op);
    return check_signal(core, line, op, signal);
}

int ptrt_comm_wait(ptrt_core *core, uint32_t line, const ptrt_view *signal, int32_t value,
                   int cmp) {
    static const char name[] = "pto.comm.twait";
    Signal s = {.view = signal, .value = value, .cmp = cmp};
    int code = check_wait(core, line, name, signal);
    if (code == PTRT_OK && !holds(core, &s, NULL))
        code = ptrt_wait(core, line, name, holds, &s, NULL);
    if (code != PTRT_OK) return code;
    return s.code == PTRT_OK ? PTRT_OK : ptrt_comm_failed(core, line, name, s.code);
}

/* Lets other cores and threads run after a false result, because the caller may poll. */
int ptrt_comm_test(ptrt_core *core, uint32_t line, const ptrt_view *signal, int32_t value, int cmp,
                   bool *out) {
    static const char name[] = "pto.comm.ttest";
    Signal s = {.view = signal, .value = value, .cmp = cmp};
    *out = false;
    int code = check_wait(core, line, name, signal);
    if (code != PTRT_OK) return code;
    bool done = holds(core, &s, NULL);
    if (s.code != PTRT_OK) return ptrt_comm_failed(core, line, name, s.code);
    *out = done;
    if (done) return PTRT_OK;
    ptrt_grid_event(core->run);
    sched_yield();
    return ptrt_yield(core, line);
}
