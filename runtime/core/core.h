/* SPDX-License-Identifier: Apache-2.0 */
/* core.h - inside libptort: cores, blocks and launches, the functions that runtime/core shares. */
#ifndef PTORT_CORE_H
#define PTORT_CORE_H

#include "core/fiber.h"
#include "core/memory.h"
#include "isa.h"
#include "ptort_emitted.h"
#include "ptort_observe.h"

#include <pthread.h>
#include <stdatomic.h>

#define PTRT_ERROR_SIZE 1024
#define PTRT_SIGNALS 32
#define PTRT_PIPES 16
#define PTRT_EVENTS 8
#define PTRT_TOKENS 32    /* per pipe, for pto.get_buf */
#define PTRT_FFTS 16      /* events of pto.sync.set and pto.sync.wait */
#define PTRT_ROUNDS 16    /* signals of one event between blocks that may be pending, plus one */
#define PTRT_FFTS_MODES 3 /* ffts_mode, see signals.c */
#define PTRT_KINDS 3      /* groups of cores in pto.syncall: vector, cube, both */
#define PTRT_PLACES 3     /* cores of a block: the cube core, vector core 0, vector core 1 */

/* A range of global memory that checked mode allows a launch to access. */
typedef struct ptrt_region {
    uintptr_t base;
    uint64_t bytes;
} ptrt_region;

/* State of a thread that calls ptrt_launch, kept between its launches. */
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
    struct ptrt_chains *chains;  /* plans of drive/chain.c; NULL: none yet */
    struct ptrt_rank *rank;      /* the rank this thread runs; NULL: rank 0 of 1 */
    struct san_session *session; /* the sanitizer; NULL: it is off */
} ptrt_thread;

typedef struct ptrt_rank ptrt_rank; /* comm/rank.h */

/* ---- a launch ---- */

/* Counts the signals of one event that need all cores of a kind: signal n is complete when every
 * core has sent its n-th. */
typedef struct ptrt_round {
    atomic_uint arrived[PTRT_ROUNDS]; /* cores that have sent signal n, at index n % PTRT_ROUNDS */
    atomic_uint complete;             /* number of complete signals */
} ptrt_round;

/* State of one call of ptrt_launch, shared by all threads that work on it. */
typedef struct ptrt_run {
    const ptrt_kernel *kernel;
    const ptrt_thread *owner; /* settings of the launching thread; read-only during the run */
    const ptrt_bodies *bodies;
    ptrt_rank *rank; /* the rank of the launching thread */
    void *args;
    int64_t blocks;
    int subblocks;
    size_t per_block; /* cores of a block */
    bool fibers;      /* cores run as fibers: one may wait for another, or needs a large stack */
    size_t stack;     /* bytes of the stack of a fiber */
    bool live; /* all blocks are in memory at once, as waits between blocks or ranks require */

    /* Memory of the launch: `slots` holds the blocks that exist at once, `cores` their cores,
     * `arrays` the on-chip memory of those cores. */
    ptrt_area *area;
    struct ptrt_block *slots;
    ptrt_core *cores;
    unsigned char *arrays;
    uint64_t core_bytes;              /* bytes of `arrays` that one core has */
    bool clear;                       /* zero the arrays when a block begins */
    uint32_t first_core, first_group; /* numbers of the first core and block for the sanitizer */

    atomic_llong next;    /* index of the first block that no thread has taken */
    int64_t share;        /* blocks taken at a time */
    atomic_int failed;    /* code of the first failure */
    pthread_mutex_t lock; /* guards `error`, `asleep`, `asleep_since`, `present` and `changed` */
    char error[PTRT_ERROR_SIZE];

    /* Used by pool.c, guarded by the pool's lock. */
    struct ptrt_run *next_run; /* next launch in the pool's list */
    int max_helpers;           /* largest number of helper threads */
    int joined;                /* helpers that have ever joined; gives each its number */
    int helpers;               /* helpers working on it now */

    /* Used by grid.c when `live` is set. */
    bool crowded; /* more threads than processors */
    pthread_cond_t changed;
    atomic_ullong event; /* incremented when a wait between blocks may be over */
    atomic_int asleep;   /* threads that sleep until `event` changes; written under the lock */
    unsigned long long asleep_since; /* the event that they have seen */
    int present;                     /* threads that own blocks of this launch */
    atomic_ullong arrivals[PTRT_KINDS];
    ptrt_round (*rounds)[PTRT_FFTS]; /* by kind of core, then event; NULL when not `live` */
} ptrt_run;

/* ---- a core ---- */

/* Tries to complete what a core waits for; returns true when it has. */
typedef bool (*ptrt_try_fn)(ptrt_core *core, void *arg, void *out);

enum ptrt_core_state {
    PTRT_CORE_NEW,
    PTRT_CORE_RUNS,
    PTRT_CORE_YIELDS, /* has called ptrt_yield and may go on */
    PTRT_CORE_WAITS,
    PTRT_CORE_DONE
};

/* What a core has sent and received. */
typedef struct ptrt_sync {
    uint32_t signals[PTRT_SIGNALS]; /* of pto.set_intra_block, received and not yet waited for */
    uint32_t sent[PTRT_FFTS_MODES][PTRT_FFTS]; /* by pto.sync.set, per mode and event */
    uint32_t taken[PTRT_FFTS];                 /* by pto.sync.wait */
    uint64_t arrived[PTRT_KINDS]; /* barriers of pto.syncall that this core has reached */
} ptrt_sync;

/* Like enum ptrt_hf32, for products of micro-instructions: to the upper 10 bits of the mantissa. */
enum { PTRT_TF32_EVEN = PTRT_HF32_AWAY + 1, PTRT_TF32_AWAY };

/* Flags and tokens of one core, for the checks of checked mode. */
typedef struct ptrt_pipe_state {
    uint8_t flags[PTRT_PIPES][PTRT_PIPES]; /* one bit per event */
    uint32_t tokens[PTRT_PIPES];           /* one bit per token */
} ptrt_pipe_state;

/* Two loops around the bursts of raw copies, the inner one first. */
typedef struct ptrt_copy_loops {
    int64_t count[2], src[2], dst[2]; /* strides in bytes */
} ptrt_copy_loops;

/* What micro-instructions set for later ones. */
typedef struct ptrt_registers {
    uint64_t ctrl;            /* bits 8:6 type of combining stores, 10:9 how they combine, and
                                 those of micro/cube.h */
    ptrt_copy_loops loops[3]; /* of copies to the vector memory, to global memory, to L1 */
    uint64_t pad;             /* bits of the padding of copies to the vector memory */
    uint64_t ub_mask[2];      /* of pto.ub: elements, or how many */
    bool ub_counts;           /* the latter */
    uint64_t nz_para;         /* groups and strides of copies to L1 that order by fractals */
    uint64_t pad1;            /* value that copies to L1 pad with */
    uint64_t loop3, channel, quant, alpha, clip, fpc; /* of stores of the accumulator */
} ptrt_registers;

struct ptrt_core {
    const ptrt_bodies *bodies;
    unsigned char *space[PTRT_SPACES];
    uint64_t space_size[PTRT_SPACES];
    unsigned char *vregs; /* the vector registers, aligned to 64 */
    ptrt_run *run;
    struct ptrt_block *block;
    int32_t sub;
    int place; /* index in the block: 0 the cube core, 1 and 2 the vector cores */
    bool cube;
    bool checked;
    uint8_t hf32;       /* how f32 factors are rounded: enum ptrt_hf32, or PTRT_TF32_.. */
    uint32_t ar;        /* the register AR: bytes that streams of squeezed registers have stored */
    uint32_t squeezed;  /* bytes that the last pto.vsqz has kept */
    uint16_t merged[4]; /* how many records of each list the last pto.vmrgsort4 took */
    ptrt_registers registers;
    ptrt_access_fn hook;
    void *hook_user;

    enum ptrt_core_state state;
    ptrt_fiber fiber;
    ptrt_stack *stack;
    ptrt_try_fn try_fn;
    void *try_arg, *try_out;
    int wait_code; /* what ptrt_wait returns */
    uint32_t wait_line;
    const char *wait_op;

    ptrt_sync sync;
    ptrt_pipe_state pipes;
    uint64_t clock;           /* of pto.get_clock64: how often it was read */
    struct ptrt_items *items; /* NULL: it has launched none */
    struct ptrt_watch *watch; /* of the sanitizer; NULL: it is off */
};

/* The cores of one block. All of them run on one thread, so what they share needs no lock. */
typedef struct ptrt_block {
    struct ptrt_block *next; /* in a list of grid.c */
    int64_t index;
    ptrt_core *cores;
    ptrt_fiber *home; /* the thread's fiber, which runs when no core can */
    size_t count;
    size_t left;          /* cores that have not finished */
    ptrt_core *last_core; /* the core that switched to `home` last */
    struct ptrt_fifo *fifos;
    struct ptrt_fifo *spare;   /* FIFOs of earlier blocks in this slot, for reuse */
    struct san_block *watched; /* of the sanitizer; NULL: it is off */
} ptrt_block;

/* thread.c */
ptrt_thread *ptrt_thread_get(void); /* NULL when memory is exhausted */
void ptrt_thread_set_error(ptrt_thread *thread, const char *text);
/* Returns scratch memory for one kernel call, aligned to 64 bytes. The next call on this thread
 * reuses it. NULL when memory is exhausted. */
void *ptrt_scratch(size_t bytes);

/* launch.c */
void ptrt_fail_silent(ptrt_core *core, int code);
/* Does one thread's share of a launch. `number` is 0 for the launching thread, else the helper's
 * number. */
void ptrt_run_work(ptrt_run *run, int number);
/* Takes the next blocks that no thread has taken: *first .. *end - 1. Returns false when none are
 * left. */
bool ptrt_blocks_take(ptrt_run *run, int64_t *first, int64_t *end);
/* Prepares block `index` in a slot whose cores already have their memory. */
ptrt_block *ptrt_block_begin(ptrt_run *run, size_t slot, int64_t index, ptrt_fiber *home);

/* pool.c */
/* Runs ptrt_run_work on this thread and on up to run->max_helpers others. */
void ptrt_pool_run(ptrt_run *run);
void ptrt_pool_stop(void);

/* sched.c */
static inline bool ptrt_stopped(const ptrt_core *core) {
    return atomic_load_explicit(&core->run->failed, memory_order_relaxed) != 0;
}
/* Waits until try_fn(core, arg, out) returns true and returns PTRT_OK, or the code with which the
 * wait failed. The caller has already tried once. */
int ptrt_wait(ptrt_core *core, uint32_t line, const char *op, ptrt_try_fn try_fn, void *arg,
              void *out);
ptrt_core *ptrt_peer(ptrt_core *core, bool cube, int sub); /* a core of the same block, or NULL */
/* Lets other cores run; for kernels that poll. PTRT_E_STOPPED when the launch has failed. */
int ptrt_yield(ptrt_core *core, uint32_t line);
void ptrt_block_run(ptrt_block *block); /* runs all cores to their end */
/* Runs cores in turn until all of them wait or have finished, or one yields. Returns false when
 * none could run. */
bool ptrt_block_advance(ptrt_block *block);
bool ptrt_block_yields(const ptrt_block *block); /* whether some core has yielded */
/* Fails a launch in which every core waits, with PTRT_E_DEADLOCK, or PTRT_E_STOPPED when another
 * rank has failed. */
void ptrt_report_waits(ptrt_block *blocks, size_t count, int code);

/* grid.c */
void ptrt_grid_work(ptrt_run *run);
void ptrt_grid_event(ptrt_run *run); /* wakes the threads that sleep in ptrt_grid_work */

/* fifo.c */
void ptrt_fifos_end(ptrt_block *block);  /* moves the block's FIFOs to its `spare` list */
void ptrt_fifos_free(ptrt_block *block); /* frees them and the spare ones */

/* Returns the number that a core itself has for a signal between it and its block's other cores. */
static inline int64_t ptrt_own_signal(const ptrt_core *core, int64_t id) {
    return !core->cube && core->sub == 1 && id >= 16 ? id - 16 : id;
}

static inline int64_t ptrt_min64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

#endif
