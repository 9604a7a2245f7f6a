/* core.h - inside libptort: a core, its block, the launch it belongs to, and operand checks. */
#ifndef PTORT_CORE_H
#define PTORT_CORE_H

#include "fiber.h"
#include "isa.h"
#include "ptort.h"

#include <pthread.h>
#include <stdatomic.h>

#define PTRT_ERROR_SIZE 1024
#define PTRT_SIGNALS 32
#define PTRT_PIPES 16
#define PTRT_EVENTS 8
#define PTRT_CORE_KINDS 3 /* vector, cube, mixed: the groups of pto.syncall */

/* Global memory that checked mode may touch. */
typedef struct ptrt_region {
    uintptr_t base;
    uint64_t bytes;
} ptrt_region;

/* What a thread that launches keeps between launches. */
typedef struct ptrt_thread {
    char error[PTRT_ERROR_SIZE];
    ptrt_region *regions;
    size_t region_count;
    int subblocks; /* 0: default */
    ptrt_access_fn hook;
    void *hook_user;
    struct ptrt_worker *workers; /* memory of earlier launches, for reuse; NULL while in use */
} ptrt_thread;

/* One call of ptrt_launch, shared by all threads that work on it. */
typedef struct ptrt_run {
    const ptrt_kernel *kernel;
    const ptrt_thread *owner; /* settings of the launching thread; read-only during the run */
    const ptrt_ops *ops;
    void *args;
    int64_t blocks;
    int subblocks;
    atomic_llong next;    /* first block that nobody has taken */
    atomic_int failed;    /* code of the first failure */
    pthread_mutex_t lock; /* guards error */
    char error[PTRT_ERROR_SIZE];
} ptrt_run;

/* A wait: goes on when ready(core, arg) says so. */
typedef bool (*ptrt_ready_fn)(const ptrt_core *core, const void *arg);

enum ptrt_core_state { PTRT_CORE_NEW, PTRT_CORE_RUNS, PTRT_CORE_WAITS, PTRT_CORE_DONE };

struct ptrt_core {
    const ptrt_ops *ops;
    unsigned char *space[PTRT_SPACES];
    uint64_t space_size[PTRT_SPACES];
    ptrt_run *run;
    struct ptrt_group *group;
    int64_t block;
    int32_t sub;
    bool cube;
    bool checked;
    ptrt_access_fn hook;
    void *hook_user;

    enum ptrt_core_state state;
    ptrt_fiber fiber;
    ptrt_ready_fn ready;
    const void *ready_arg;
    uint32_t wait_line;
    const char *wait_op;
    int result;

    uint32_t signals[PTRT_SIGNALS];
    uint8_t flags[PTRT_PIPES][PTRT_PIPES]; /* one bit an event */
    uint64_t syncs[PTRT_CORE_KINDS];       /* barriers of each kind this core has arrived at */
};

/* The cores that one thread runs together: those of a block, or of all blocks of a launch. */
typedef struct ptrt_group {
    ptrt_core *cores;
    size_t count;
    size_t per_block;
    bool fibers; /* else each core runs to its end before the next starts */
    ptrt_context home;
    struct ptrt_fifo *fifos;
} ptrt_group;

/* Everything a thread needs to run groups of one kernel; memory is kept from block to block. */
typedef struct ptrt_worker {
    struct ptrt_worker *next;
    ptrt_run *run;
    ptrt_group group;
    ptrt_core *cores;
    size_t capacity;             /* cores allocated */
    uint64_t bytes[PTRT_SPACES]; /* size of the arrays of every core */
    unsigned char **arrays;      /* capacity * PTRT_SPACES allocations */
} ptrt_worker;

/* thread.c */
ptrt_thread *ptrt_thread_get(void); /* NULL when memory is exhausted */
void ptrt_thread_set_error(ptrt_thread *thread, const char *text);

/* launch.c: records a code without a text, as a function that the user linked may return it. */
void ptrt_fail_silent(ptrt_core *core, int code);

/* worker.c */
ptrt_worker *ptrt_worker_fit(ptrt_worker *worker, const ptrt_kernel *kernel, size_t cores);
void ptrt_workers_free(ptrt_worker *list);

/* sched.c */
void ptrt_group_run(ptrt_group *group);
int ptrt_wait(ptrt_core *core, uint32_t line, const char *op, ptrt_ready_fn ready, const void *arg);
ptrt_core *ptrt_peer(ptrt_core *core, bool cube, int sub); /* of the same block, or NULL */

/* fifo.c */
void ptrt_fifos_free(ptrt_group *group);

/* check.c: the slow side of an operand check, always returns a code. */
int ptrt_bad_operand(ptrt_core *core, uint32_t line, const char *op, const char *name,
                     const ptrt_tile *tile);
bool ptrt_tiles_overlap(const ptrt_tile *a, const ptrt_tile *b);

/* tile.c */
bool ptrt_type_ok(const ptrt_tile_type *type);

/* An operand's bytes lie in its memory and its valid region in its shape. */
static inline bool ptrt_operand_ok(const ptrt_tile *t) {
    return ((t->addr <= t->last) & ((uint64_t)t->vrow <= (uint64_t)t->rows) &
            ((uint64_t)t->vcol <= (uint64_t)t->cols)) != 0;
}

#ifdef PTRT_ACCESS_HOOK
#define PTRT_SEE(core, line, op, name, role, tile)                                                 \
    do {                                                                                           \
        if ((core)->hook) (core)->hook((core)->hook_user, core, line, op, name, role, tile);       \
    } while (0)
#else
#define PTRT_SEE(core, line, op, name, role, tile) ((void)0)
#endif

/* In a kernel: checks one operand, shows it to the hook, leaves with the code when it is bad. */
#define PTRT_OPERAND(core, line, op, name, role, tile)                                             \
    do {                                                                                           \
        if (__builtin_expect(!ptrt_operand_ok(tile), 0))                                           \
            return ptrt_bad_operand(core, line, op, name, tile);                                   \
        PTRT_SEE(core, line, op, name, role, tile);                                                \
    } while (0)

static inline unsigned char *ptrt_tile_at(const ptrt_tile *t) {
    return t->base + t->addr;
}

static inline int64_t ptrt_axis_at(const ptrt_axis *a, int64_t i) {
    return i / a->box * a->outer + i % a->box * a->inner;
}

static inline int64_t ptrt_min64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

#endif
