/* core.h - inside libptort: a core, its block, the launch it belongs to, and operand checks. */
#ifndef PTORT_CORE_H
#define PTORT_CORE_H

#include "core/fiber.h"
#include "core/memory.h"
#include "isa.h"
#include "ptort.h"

#include <pthread.h>
#include <stdatomic.h>

#define PTRT_ERROR_SIZE 1024
#define PTRT_SIGNALS 32
#define PTRT_PIPES 16
#define PTRT_EVENTS 8
#define PTRT_TOKENS 32    /* of pto.get_buf */
#define PTRT_FFTS 16      /* events of pto.sync.set */
#define PTRT_ROUNDS 16    /* signals of one event between blocks that may be under way */
#define PTRT_FFTS_MODES 3 /* whom they reach: a kind in all blocks, one in the block, the block */
#define PTRT_KINDS 3      /* vector, cube, both: the groups of pto.syncall */
#define PTRT_PLACES 3     /* cores of a block: the cube core, vector core 0, vector core 1 */

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
    struct ptrt_run *run; /* the innermost launch whose cores this thread runs; NULL: none */
    void *scratch;
    size_t scratch_size;
    struct ptrt_rank *rank; /* that the thread runs; NULL: rank 0 of 1 */
} ptrt_thread;

typedef struct ptrt_rank ptrt_rank; /* comm/rank.h */

/* ---- a launch ---- */

/* Signals of one event that reach all cores of a kind, once each of them has signalled. */
typedef struct ptrt_round {
    atomic_uint arrived[PTRT_ROUNDS]; /* cores that have sent signal number n, by n modulo that */
    atomic_uint complete;             /* signals that all have sent */
} ptrt_round;

/* One call of ptrt_launch, shared by all threads that work on it. */
typedef struct ptrt_run {
    const ptrt_kernel *kernel;
    const ptrt_thread *owner; /* settings of the launching thread; read-only during the run */
    const ptrt_bodies *bodies;
    ptrt_rank *rank; /* that it belongs to */
    void *args;
    int64_t blocks;
    int subblocks;
    size_t per_block; /* cores */
    bool fibers;      /* cores may wait for each other; else each runs to its end */
    bool live;        /* all blocks at once, as barriers between them and other ranks need it */

    /* memory: `slots` blocks with their cores, then the arrays of those cores */
    ptrt_area *area;
    struct ptrt_block *slots;
    ptrt_core *cores;
    unsigned char *arrays;
    uint64_t core_bytes; /* arrays of one core */
    bool clear;          /* arrays are made zero for each block */

    atomic_llong next;    /* first block that nobody has taken */
    int64_t share;        /* blocks taken at a time */
    atomic_int failed;    /* code of the first failure */
    pthread_mutex_t lock; /* guards error, and what comes below it */
    char error[PTRT_ERROR_SIZE];

    /* threads: pool.c */
    struct ptrt_run *later; /* in the pool's list */
    int most;               /* helpers that it may have */
    int joined;             /* helpers that it has had; each gets a number of its own */
    int helpers;            /* that work on it now */

    /* all blocks at once: grid.c */
    pthread_cond_t changed;
    atomic_ullong event; /* grows when a wait between blocks may have come to its end */
    atomic_int asleep;   /* threads that wait for that */
    int present;         /* threads that have blocks */
    atomic_ullong arrivals[PTRT_KINDS];
    ptrt_round (*rounds)[PTRT_FFTS]; /* by kind; NULL where blocks do not signal each other */
} ptrt_run;

/* ---- a core ---- */

/* Tries to do what the core waits for; true when it is done. */
typedef bool (*ptrt_try_fn)(ptrt_core *core, void *arg, void *out);

enum ptrt_core_state {
    PTRT_CORE_NEW,
    PTRT_CORE_RUNS,
    PTRT_CORE_YIELDS, /* left for the others, may go on */
    PTRT_CORE_WAITS,
    PTRT_CORE_DONE
};

/* What a core has sent and taken. */
typedef struct ptrt_sync {
    uint32_t signals[PTRT_SIGNALS];            /* that have come and were not waited for */
    uint32_t sent[PTRT_FFTS_MODES][PTRT_FFTS]; /* by pto.sync.set */
    uint32_t taken[PTRT_FFTS];                 /* by pto.sync.wait */
    uint64_t arrived[PTRT_KINDS];              /* barriers this core has come to */
} ptrt_sync;

/* What checked mode remembers of the pipes of one core. */
typedef struct ptrt_books {
    uint8_t flags[PTRT_PIPES][PTRT_PIPES]; /* one bit an event */
    uint32_t tokens[PTRT_PIPES];           /* one bit a token */
} ptrt_books;

struct ptrt_core {
    const ptrt_bodies *bodies;
    unsigned char *space[PTRT_SPACES];
    uint64_t space_size[PTRT_SPACES];
    ptrt_run *run;
    struct ptrt_block *block;
    int32_t sub;
    int place; /* in the block: 0 the cube core, 1 and 2 the vector cores */
    bool cube;
    bool checked;
    uint8_t hf32; /* enum ptrt_hf32 */
    ptrt_access_fn hook;
    void *hook_user;

    enum ptrt_core_state state;
    ptrt_fiber fiber;
    ptrt_stack *stack;
    ptrt_try_fn try;
    void *try_arg, *try_out;
    int wait_code; /* what the wait ends with */
    uint32_t wait_line;
    const char *wait_op;

    ptrt_sync sync;
    ptrt_books books;
};

/* The cores of one block. One thread runs them in turn, so that what they share needs no lock. */
typedef struct ptrt_block {
    struct ptrt_block *next; /* in a list of grid.c */
    int64_t index;
    ptrt_core *cores;
    ptrt_fiber *home; /* where a core goes that finds no other one to run */
    size_t count;
    size_t left;     /* cores that have not ended */
    ptrt_core *turn; /* the core that came home last */
    struct ptrt_fifo *fifos;
    struct ptrt_fifo *spare; /* of blocks that this slot had before */
} ptrt_block;

/* thread.c */
ptrt_thread *ptrt_thread_get(void); /* NULL when memory is exhausted */
void ptrt_thread_set_error(ptrt_thread *thread, const char *text);
/* Memory for the inside of one kernel call, aligned to 64 bytes; kept for the next call of this
 * thread. NULL when memory is exhausted. */
void *ptrt_scratch(size_t bytes);

/* launch.c */
void ptrt_fail_silent(ptrt_core *core, int code); /* a code without a text, as a function that the
                                                     user linked may return it */
/* What each thread does that works on a launch; `number` is 0 for the one that called. */
void ptrt_run_work(ptrt_run *run, int number);
/* The next blocks that nobody has taken: *first .. *end - 1; false when there are none. */
bool ptrt_blocks_take(ptrt_run *run, int64_t *first, int64_t *end);
/* Block `index` begins in a slot, whose cores have their memory. */
ptrt_block *ptrt_block_begin(ptrt_run *run, size_t slot, int64_t index, ptrt_fiber *home);

/* pool.c */
void ptrt_pool_run(ptrt_run *run); /* ptrt_run_work on this thread and on up to run->most others */
void ptrt_pool_stop(void);

/* sched.c */
static inline bool ptrt_stopped(const ptrt_core *core) {
    return atomic_load_explicit(&core->run->failed, memory_order_relaxed) != 0;
}
/* Returns PTRT_OK when try(core, arg, out) has come true. The caller has tried once, in vain. */
int ptrt_wait(ptrt_core *core, uint32_t line, const char *op, ptrt_try_fn try, void *arg,
              void *out);
ptrt_core *ptrt_peer(ptrt_core *core, bool cube, int sub); /* of the same block, or NULL */
void ptrt_block_run(ptrt_block *block);                    /* to its end */
/* Runs cores in turn until all wait or have ended, or one yields; false when none could run. */
bool ptrt_block_advance(ptrt_block *block);
bool ptrt_block_yields(const ptrt_block *block); /* some core may go on at once */
/* Ends a launch in which every core waits: PTRT_E_DEADLOCK, or PTRT_E_STOPPED when another rank has
 * failed. */
void ptrt_report_waits(ptrt_block *blocks, size_t count, int code);

/* grid.c */
void ptrt_grid_work(ptrt_run *run);
void ptrt_grid_event(ptrt_run *run); /* a wait between blocks may have come to its end */

/* fifo.c */
void ptrt_fifos_end(ptrt_block *block);  /* the block has ended */
void ptrt_fifos_free(ptrt_block *block); /* the slot is given up */

/* check.c: the slow side of an operand check, always returns a code. */
int ptrt_bad_operand(ptrt_core *core, uint32_t line, const char *op, int name_len, const char *name,
                     const ptrt_tile *tile);

/* tile.c */
bool ptrt_type_ok(const ptrt_tile_type *type);
/* Works out key and n after place, layout or valid region changed; `watched`: every call is to take
 * the long way, where the access hook sees it. */
void ptrt_tile_settle(ptrt_tile *tile, bool watched);

/* On-chip addresses of tiles are multiples of it. */
#define PTRT_TILE_ALIGN 32

/* An operand's bytes lie in its memory and its valid region in its shape. */
static inline bool ptrt_operand_ok(const ptrt_tile *t) {
    return ((t->addr <= t->last) & ((uint64_t)t->vrow <= (uint64_t)t->rows) &
            ((uint64_t)t->vcol <= (uint64_t)t->cols)) != 0;
}

/* The order of the elements of a dense tile, out of its key: 0 for row after row. */
static inline unsigned ptrt_order(const ptrt_tile *t) {
    return (unsigned)(t->key >> 5) & 31;
}

static inline unsigned char *ptrt_tile_at(const ptrt_tile *t) {
    return t->at;
}

static inline int64_t ptrt_min64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

#endif
