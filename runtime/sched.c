/* sched.c - runs the cores of a group on one thread: directly, or as fibers that yield at every
 * wait. A round without progress is a deadlock. */
#include "core.h"

#include <stdio.h>

static bool stopped(const ptrt_core *core) {
    return atomic_load(&core->run->failed) != 0;
}

static void core_body(void *arg) {
    ptrt_core *core = arg;
    const ptrt_kernel *k = core->run->kernel;
    core->state = PTRT_CORE_RUNS;
    core->result = (core->cube ? k->cube : k->vector)(core, core->run->args);
    if (core->result != 0 && !stopped(core)) ptrt_fail_silent(core, core->result);
    core->state = PTRT_CORE_DONE;
}

static size_t describe(char *text, size_t size, size_t at, const ptrt_core *core) {
    int n = snprintf(text + at, size - at, "%s block %lld %s core %d at line %lu (%s)",
                     at ? "," : "", (long long)core->block, core->cube ? "cube" : "vector",
                     (int)core->sub, (unsigned long)core->wait_line, core->wait_op);
    return n < 0 || at + (size_t)n >= size ? size - 1 : at + (size_t)n;
}

/* Every core that is left waits: name them all, each by its line. */
static void report_deadlock(ptrt_group *group) {
    char text[PTRT_ERROR_SIZE / 2] = "";
    size_t at = 0;
    ptrt_core *first = NULL;
    for (size_t i = 0; i < group->count; i++) {
        ptrt_core *core = &group->cores[i];
        if (core->state != PTRT_CORE_WAITS) continue;
        if (!first) first = core;
        at = describe(text, sizeof text, at, core);
    }
    ptrt_fail(first, PTRT_E_DEADLOCK, first->wait_line, "deadlock: every core waits:%s", text);
}

static bool can_run(const ptrt_core *core) {
    return core->state == PTRT_CORE_NEW || core->state == PTRT_CORE_RUNS ||
           (core->state == PTRT_CORE_WAITS &&
            (stopped(core) || core->ready(core, core->ready_arg)));
}

static void run_fibers(ptrt_group *group) {
    for (size_t left = group->count; left > 0;) {
        bool progress = false;
        for (size_t i = 0; i < group->count; i++) {
            ptrt_core *core = &group->cores[i];
            if (!can_run(core)) continue;
            progress = true;
            ptrt_fiber_enter(&core->fiber);
            if (core->state == PTRT_CORE_DONE) left--;
        }
        if (!progress) report_deadlock(group);
    }
}

void ptrt_group_run(ptrt_group *group) {
    if (!group->fibers) {
        for (size_t i = 0; i < group->count && !stopped(&group->cores[i]); i++)
            core_body(&group->cores[i]);
        return;
    }
    for (size_t i = 0; i < group->count; i++) {
        ptrt_core *core = &group->cores[i];
        if (!ptrt_fiber_init(&core->fiber, &group->home, core_body, core)) {
            ptrt_fail(core, PTRT_E_NOMEM, 0, "out of memory for a stack");
            return;
        }
    }
    run_fibers(group);
}

int ptrt_wait(ptrt_core *core, uint32_t line, const char *op, ptrt_ready_fn ready,
              const void *arg) {
    if (stopped(core)) return PTRT_E_STOPPED;
    if (ready(core, arg)) return PTRT_OK;
    core->wait_line = line;
    core->wait_op = op;
    if (!core->group->fibers)
        return ptrt_fail(core, PTRT_E_DEADLOCK, line,
                         "deadlock: %s waits, and no other core of this launch can run", op);
    core->ready = ready;
    core->ready_arg = arg;
    core->state = PTRT_CORE_WAITS;
    ptrt_fiber_leave(&core->fiber);
    core->state = PTRT_CORE_RUNS;
    return stopped(core) ? PTRT_E_STOPPED : PTRT_OK;
}

int ptrt_yield(ptrt_core *core, uint32_t line) {
    core->wait_line = line;
    if (core->group->fibers && !stopped(core)) ptrt_fiber_leave(&core->fiber);
    return stopped(core) ? PTRT_E_STOPPED : PTRT_OK;
}

ptrt_core *ptrt_peer(ptrt_core *core, bool cube, int sub) {
    ptrt_group *group = core->group;
    size_t first = (size_t)(core - group->cores) / group->per_block * group->per_block;
    for (size_t i = first; i < first + group->per_block; i++)
        if (group->cores[i].cube == cube && group->cores[i].sub == sub) return &group->cores[i];
    return NULL;
}
