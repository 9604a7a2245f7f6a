/* SPDX-License-Identifier: Apache-2.0 */
/* sched.c - runs the cores of a block in turn on one thread. Each is a fiber. A core that must wait
 * switches straight to the next core that can run, or to the thread's own stack when there is
 * none. */
#include "core/core.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- one core ---- */

static void run_entry(ptrt_core *core) {
    const ptrt_kernel *k = core->run->kernel;
    int code = (core->cube ? k->cube : k->vector)(core, core->run->args);
    if (code != 0 && !ptrt_stopped(core)) ptrt_fail_silent(core, code);
    core->state = PTRT_CORE_DONE;
    core->block->left--;
}

static ptrt_core *next_core(ptrt_block *block, ptrt_core *after);

static void fiber_main(void *arg) {
    ptrt_core *core = arg;
    ptrt_block *block = core->block;
    run_entry(core);
    ptrt_core *next = next_core(block, core);
    ptrt_fiber_exit(&core->fiber, next ? &next->fiber : block->home);
}

/* ---- choosing the next core ---- */

/* Makes `core` the running one if it can run. A wait is completed here, on behalf of the core, so
 * that ptrt_wait only has to return. */
static bool claim(ptrt_core *core, bool stopped) {
    if (core->state == PTRT_CORE_WAITS) {
        if (!stopped && !core->try_fn(core, core->try_arg, core->try_out)) return false;
        core->wait_code = stopped ? PTRT_E_STOPPED : PTRT_OK;
    } else if (core->state == PTRT_CORE_NEW && stopped) {
        core->state = PTRT_CORE_DONE;
        core->block->left--;
        return false;
    } else if (core->state == PTRT_CORE_NEW) {
        ptrt_fiber_make(&core->fiber, core->stack->low, core->stack->size, fiber_main, core);
    } else if (core->state != PTRT_CORE_YIELDS) {
        return false;
    }
    core->state = PTRT_CORE_RUNS;
    return true;
}

/* Returns the next core that can run, in order from the one after `after`; `after` itself comes
 * last. */
static ptrt_core *next_core(ptrt_block *block, ptrt_core *after) {
    bool stopped = ptrt_stopped(after);
    ptrt_core *core = after, *end = block->cores + block->count;
    do {
        if (++core == end) core = block->cores;
        if (claim(core, stopped)) return core;
    } while (core != after);
    return NULL;
}

static void go_home(ptrt_core *core) {
    core->block->last_core = core;
    ptrt_fiber_switch(&core->fiber, core->block->home);
}

int ptrt_wait(ptrt_core *core, uint32_t line, const char *op, ptrt_try_fn try_fn, void *arg,
              void *out) {
    ptrt_block *block = core->block;
    if (ptrt_stopped(core)) return PTRT_E_STOPPED;
    core->wait_line = line;
    core->wait_op = op;
    core->state = PTRT_CORE_WAITS;
    if (!core->run->fibers) {
        ptrt_report_waits(block, 1, PTRT_E_DEADLOCK);
        return PTRT_E_DEADLOCK;
    }
    core->try_fn = try_fn;
    core->try_arg = arg;
    core->try_out = out;
    ptrt_core *next = next_core(block, core);
    if (next != core) ptrt_fiber_switch(&core->fiber, next ? &next->fiber : block->home);
    return core->wait_code;
}

int ptrt_yield(ptrt_core *core, uint32_t line) {
    core->wait_line = line;
    if (core->run->fibers && !ptrt_stopped(core)) {
        core->state = PTRT_CORE_YIELDS;
        go_home(core);
    }
    return ptrt_stopped(core) ? PTRT_E_STOPPED : PTRT_OK;
}

/* ---- a block ---- */

bool ptrt_block_advance(ptrt_block *block) {
    ptrt_core *core = next_core(block, block->last_core);
    if (core) ptrt_fiber_switch(block->home, &core->fiber);
    return core != NULL;
}

bool ptrt_block_yields(const ptrt_block *block) {
    for (size_t i = 0; i < block->count; i++)
        if (block->cores[i].state == PTRT_CORE_YIELDS) return true;
    return false;
}

void ptrt_block_run(ptrt_block *block) {
    if (!block->home) {
        for (size_t i = 0; i < block->count && !ptrt_stopped(&block->cores[i]); i++)
            run_entry(&block->cores[i]);
        return;
    }
    while (block->left > 0)
        if (!ptrt_block_advance(block) && block->left > 0)
            ptrt_report_waits(block, 1, PTRT_E_DEADLOCK);
}

ptrt_core *ptrt_peer(ptrt_core *core, bool cube, int sub) {
    ptrt_block *block = core->block;
    for (size_t i = 0; i < block->count; i++)
        if (block->cores[i].cube == cube && block->cores[i].sub == sub) return &block->cores[i];
    return NULL;
}

/* ---- deadlock ---- */

enum { PLACES_NAMED = 8 };

/* Cores that wait at the same source line. */
typedef struct Place {
    ptrt_core *core; /* the first of them */
    size_t count;
} Place;

typedef struct Text {
    char s[PTRT_ERROR_SIZE - 128];
    size_t at;
} Text;

static void put(Text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(Text *t, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->s + t->at, sizeof t->s - t->at, fmt, ap);
    va_end(ap);
    t->at = n < 0 || t->at + (size_t)n >= sizeof t->s ? sizeof t->s - 1 : t->at + (size_t)n;
}

static void name_core(Text *t, const ptrt_core *core) {
    put(t, " block %lld %s core %d", (long long)core->block->index, core->cube ? "cube" : "vector",
        (int)core->sub);
}

static void add_place(Place *places, size_t *n, size_t *more, ptrt_core *core) {
    for (size_t i = 0; i < *n; i++) {
        const ptrt_core *c = places[i].core;
        if (c->wait_line == core->wait_line && c->cube == core->cube &&
            (*n == PLACES_NAMED || c->block != core->block)) {
            places[i].count++;
            return;
        }
    }
    if (*n < PLACES_NAMED)
        places[(*n)++] = (Place){core, 1};
    else
        ++*more;
}

/* Reports a deadlock. Names the waiting cores with their lines; cores of other blocks at a line
 * already named are only counted. Also names a core that has ended: it may be the one they wait
 * for. */
void ptrt_report_waits(ptrt_block *blocks, size_t count, int code) {
    Place places[PLACES_NAMED];
    Text text = {.at = 0};
    size_t n = 0, more = 0, ended = 0;
    const ptrt_core *gone = NULL;
    for (size_t b = 0; b < count; b++) {
        for (size_t i = 0; i < blocks[b].count; i++) {
            ptrt_core *core = &blocks[b].cores[i];
            if (core->state == PTRT_CORE_WAITS) add_place(places, &n, &more, core);
            if (core->state != PTRT_CORE_DONE) continue;
            if (!gone) gone = core;
            ended++;
        }
    }
    if (n == 0) return;
    for (size_t i = 0; i < n; i++) {
        put(&text, i > 0 ? "," : "");
        name_core(&text, places[i].core);
        put(&text, " at line %lu (%s)", (unsigned long)places[i].core->wait_line,
            places[i].core->wait_op);
        if (places[i].count > 1) put(&text, " and %zu more there", places[i].count - 1);
    }
    if (more > 0) put(&text, ", %zu more", more);
    if (gone) {
        put(&text, "; ended:");
        name_core(&text, gone);
        if (ended > 1) put(&text, " and %zu more", ended - 1);
    }
    ptrt_core *first = places[0].core;
    if (code == PTRT_E_DEADLOCK)
        ptrt_fail(first, code, first->wait_line, "deadlock: every core%s waits:%s",
                  gone ? " that is left" : "", text.s);
    else
        ptrt_fail(first, code, first->wait_line, "another rank has failed; waiting were:%s",
                  text.s);
}
