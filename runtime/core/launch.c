/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c - ptrt_launch: checks a launch, lays out its memory, begins its blocks, keeps its first
 * error. */
#include "core/fpenv.h"
#include "core/items.h"
#include "core/rank.h"
#include "core/watch.h"
#include "ptort_micro.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_THREADS 256
#define PAGE 4096
#define SPACE_MAX (UINT64_C(1) << 32)       /* bytes; far above any chip */
#define STACK_MAX (UINT64_C(1) << 30)       /* bytes of a core's stack */
#define STACK_RUNTIME (UINT64_C(384) << 10) /* of it for the functions of the runtime */
#define WARM_MAX (UINT64_C(256) << 20)      /* bytes that an idle area may keep mapped */

/* ---- errors ---- */

static void record(ptrt_run *run, int code, const char *text) {
    int none = 0;
    pthread_mutex_lock(&run->lock);
    if (atomic_compare_exchange_strong(&run->failed, &none, code))
        snprintf(run->error, sizeof run->error, "%s", text);
    pthread_mutex_unlock(&run->lock);
    ptrt_grid_event(run);
}

int ptrt_fail(ptrt_core *core, int code, uint32_t line, const char *fmt, ...) {
    char text[PTRT_ERROR_SIZE];
    const char *file = core->run->kernel->file;
    int n = snprintf(text, sizeof text, "%s:%lu: ", file ? file : "<pto>", (unsigned long)line);
    size_t at = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    if (core->run->rank->count > 1 && at < sizeof text - 16)
        at += (size_t)snprintf(text + at, 16, "rank %d: ", core->run->rank->number);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text + at, sizeof text - at, fmt, ap);
    va_end(ap);
    record(core->run, code, text);
    return code;
}

void ptrt_fail_silent(ptrt_core *core, int code) {
    char text[PTRT_ERROR_SIZE];
    const ptrt_kernel *k = core->run->kernel;
    snprintf(text, sizeof text, "%s: kernel '%s' returned code %d", k->file ? k->file : "<pto>",
             k->name ? k->name : "", code);
    record(core->run, code, text);
}

/* ---- blocks ---- */

/* Sets up what stays the same for all blocks that this slot runs. */
static void slot_init(ptrt_run *run, size_t slot) {
    ptrt_block *block = &run->slots[slot];
    const ptrt_kernel *k = run->kernel;
    *block = (ptrt_block){.cores = &run->cores[slot * run->per_block], .count = run->per_block};
    for (size_t i = 0; i < run->per_block; i++) {
        ptrt_core *core = &block->cores[i];
        unsigned char *at = run->arrays + (slot * run->per_block + i) * run->core_bytes;
        bool cube = k->cube && i == 0;
        *core = (ptrt_core){.bodies = run->bodies,
                            .run = run,
                            .block = block,
                            .cube = cube,
                            .sub = cube ? 0 : (int32_t)i - (k->cube ? 1 : 0),
                            .checked = (k->flags & PTRT_K_CHECKED) != 0,
                            .hook = run->owner->hook,
                            .hook_user = run->owner->hook_user};
        core->place = cube ? 0 : 1 + core->sub;
        for (int s = 0; s < PTRT_SPACES; s++) {
            if (k->bytes[s] == 0) continue;
            core->space[s] = at;
            core->space_size[s] = k->bytes[s];
            at += (k->bytes[s] + PAGE - 1) / PAGE * PAGE;
        }
        core->vregs = at;
    }
}

ptrt_block *ptrt_block_begin(ptrt_run *run, size_t slot, int64_t index, ptrt_fiber *home) {
    ptrt_block *block = &run->slots[slot];
    block->index = index;
    block->home = home;
    block->left = block->count;
    block->last_core = &block->cores[block->count - 1];
    for (size_t i = 0; i < block->count; i++) {
        ptrt_core *core = &block->cores[i];
        core->state = PTRT_CORE_NEW;
        core->sync = (ptrt_sync){0};
        core->hf32 = PTRT_HF32_OFF;
        core->clock = 0;
        ptrt_items_reset(core);
        core->ar = core->squeezed = 0;
        core->registers =
            (ptrt_registers){.loops = {{.count = {1, 1}}, {.count = {1, 1}}, {.count = {1, 1}}},
                             .ub_mask = {UINT64_MAX, UINT64_MAX}};
        memset(core->merged, 0, sizeof core->merged);
        if (core->checked) core->pipes = (ptrt_pipe_state){0};
    }
    uint64_t bytes = block->count * run->core_bytes;
    if (run->clear) ptrt_area_clear(run->arrays + slot * bytes, bytes);
    if (run->owner->session) ptrt_watch_begin(block);
    return block;
}

bool ptrt_blocks_take(ptrt_run *run, int64_t *first, int64_t *end) {
    if (atomic_load(&run->failed) != 0 || atomic_load(&run->next) >= run->blocks) return false;
    *first = atomic_fetch_add(&run->next, run->share);
    *end = ptrt_min64(*first + run->share, run->blocks);
    return *first < run->blocks;
}

/* ---- work of one thread ---- */

/* Takes stacks for the cores of some slots. Returns false when there are none. */
static bool give_stacks(ptrt_run *run, size_t slot, size_t slots) {
    size_t n = slots * run->per_block;
    ptrt_stack *stack = ptrt_stacks_take(n, run->stack);
    if (!stack) return false;
    for (size_t i = 0; i < n; i++, stack = stack->next)
        run->cores[slot * run->per_block + i].stack = stack;
    return true;
}

static void take_stacks(ptrt_run *run, size_t slot, size_t slots) {
    ptrt_core *cores = &run->cores[slot * run->per_block];
    size_t n = slots * run->per_block;
    for (size_t i = 0; i < n; i++) {
        cores[i].stack->next = i + 1 < n ? cores[i + 1].stack : NULL;
        ptrt_fiber_drop(&cores[i].fiber);
    }
    ptrt_stacks_give(cores[0].stack);
}

static void free_slot(ptrt_block *block) {
    ptrt_fifos_free(block);
    for (size_t i = 0; i < block->count; i++)
        ptrt_items_free(&block->cores[i]);
}

static void work_in_turn(ptrt_run *run, size_t slot) {
    ptrt_fiber home;
    int64_t index, end;
    slot_init(run, slot);
    if (run->fibers) {
        ptrt_fiber_here(&home);
        if (!give_stacks(run, slot, 1)) {
            /* Without memory a helper returns; the launching thread must do the work or fail. */
            if (slot == 0)
                ptrt_fail(run->cores, PTRT_E_NOMEM, 0, "out of memory for stacks of %zu bytes",
                          run->stack);
            return;
        }
    }
    while (ptrt_blocks_take(run, &index, &end))
        for (; index < end && !ptrt_stopped(run->slots[slot].cores); index++) {
            ptrt_block *block = ptrt_block_begin(run, slot, index, run->fibers ? &home : NULL);
            ptrt_block_run(block);
            if (block->watched) ptrt_watch_end(block);
            ptrt_fifos_end(block);
        }
    free_slot(&run->slots[slot]);
    if (run->fibers) take_stacks(run, slot, 1);
}

void ptrt_run_work(ptrt_run *run, int number) {
    ptrt_thread *thread = ptrt_thread_get();
    if (!thread) return;
    ptrt_run *outer = thread->run;
    ptrt_fpenv env = ptrt_fpenv_get();
    thread->run = run;
    if (env != PTRT_FPENV_DEFAULT) ptrt_fpenv_set(PTRT_FPENV_DEFAULT);
    if (run->live)
        ptrt_grid_work(run);
    else
        work_in_turn(run, (size_t)number);
    if (env != PTRT_FPENV_DEFAULT) ptrt_fpenv_set(env);
    thread->run = outer;
}

/* ---- a launch ---- */

static int processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (int)n;
}

static int helpers_for(int64_t blocks) {
    if (blocks == 1) return 0;
    const char *wish = getenv("PTORT_THREADS");
    long n = wish ? strtol(wish, NULL, 10) : 0;
    if (n < 1) n = processors();
    if (n > MAX_THREADS) n = MAX_THREADS;
    return (int)ptrt_min64(n, blocks) - 1;
}

/* Sets the size of the stacks. Returns false when the kernel needs more than there may be. */
static bool set_stack(ptrt_run *run, ptrt_thread *thread) {
    const uint64_t most = STACK_MAX - STACK_RUNTIME, page = PAGE;
    const ptrt_kernel *k = run->kernel;
    run->stack = PTRT_STACK_SIZE;
    if ((k->flags & PTRT_K_STACK) == 0) return true;
    if (k->stack <= most) {
        uint64_t size = (k->stack + STACK_RUNTIME + page - 1) / page * page;
        if (size > PTRT_STACK_SIZE) run->stack = (size_t)size;
        return true;
    }
    char text[160];
    snprintf(text, sizeof text,
             "the kernel '%s' needs %llu bytes on the stack of each core, of %llu that it can have",
             k->name ? k->name : "", (unsigned long long)k->stack, (unsigned long long)most);
    ptrt_thread_set_error(thread, text);
    return false;
}

static int set_up(ptrt_run *run, ptrt_thread *thread) {
    const ptrt_kernel *k = run->kernel;
    int64_t blocks = run->blocks;
    if (k->table != 0 && k->table != PTRT_TABLE) {
        char text[120];
        snprintf(text, sizeof text,
                 "the code was compiled with the header of another libptort (kernel table %08lx, "
                 "not %08lx)",
                 (unsigned long)k->table, (unsigned long)PTRT_TABLE);
        ptrt_thread_set_error(thread, text);
        return PTRT_E_ARG;
    }
    if (!run->bodies) {
        ptrt_thread_set_error(thread, "this libptort was built without a level that runs on this "
                                      "processor");
        return PTRT_E_ARG;
    }
    /* A wait for another rank uses the same mechanism as a wait for another block. */
    bool ranks = blocks == 1 && run->rank->count > 1 && !thread->run;
    run->live = ranks || ((k->flags & PTRT_K_GRID_SYNC) != 0 && blocks > 1);
    if (blocks < 0 || blocks > INT64_C(1) << 40 || k->subblocks < 0 || k->subblocks > 2 ||
        (run->live && blocks > INT64_C(1) << 24)) {
        ptrt_thread_set_error(thread, "the number of blocks or sub-blocks is out of range");
        return PTRT_E_ARG;
    }
    int wish = run->owner->subblocks;
    run->subblocks = k->subblocks ? k->subblocks : wish ? wish : k->cube ? 2 : 1;
    run->per_block = (k->cube ? 1u : 0u) + (k->vector ? (size_t)run->subblocks : 0u);
    bool waits = (k->flags & (PTRT_K_WAITS | PTRT_K_GRID_SYNC)) != 0;
    if (!set_stack(run, thread)) return PTRT_E_NOMEM;
    run->fibers = run->live || (waits && run->per_block > 1) || (k->flags & PTRT_K_STACK) != 0;
    if (blocks == 0 || run->per_block == 0) return PTRT_OK;
    run->max_helpers = helpers_for(blocks);
    run->crowded = run->live && run->max_helpers >= processors();
    run->share = run->live ? 1 : blocks / ((run->max_helpers + 1) * 16);
    if (run->share < 1) run->share = 1;
    return PTRT_OK;
}

/* Returns the bytes of the vector registers of a core. */
static uint64_t register_bytes(const ptrt_kernel *k) {
    return (k->flags & PTRT_K_VREGS) != 0 ? (uint64_t)k->vregs * sizeof(ptrt_vreg) : 0;
}

/* Lays out the memory of a launch in one area. Returns false when it is too large or not to be
 * had. */
static bool get_area(ptrt_run *run, uint64_t slots) {
    uint64_t cores = slots * run->per_block;
    for (int s = 0; s < PTRT_SPACES; s++) {
        if (run->kernel->bytes[s] > SPACE_MAX) return false;
        run->core_bytes += (run->kernel->bytes[s] + PAGE - 1) / PAGE * PAGE;
    }
    run->core_bytes += (register_bytes(run->kernel) + PAGE - 1) / PAGE * PAGE;
    uint64_t blocks = (slots * sizeof(ptrt_block) + 63) / 64 * 64;
    uint64_t head = (blocks + cores * sizeof(ptrt_core) + PAGE - 1) / PAGE * PAGE;
    run->area = ptrt_area_take(head + cores * run->core_bytes);
    if (!run->area) return false;
    run->slots = (ptrt_block *)(void *)run->area->base;
    run->cores = (ptrt_core *)(void *)(run->area->base + blocks);
    run->arrays = run->area->base + head;
    return true;
}

/* Prepares all blocks of a live launch, so that one too large for the machine fails before any core
 * has run. */
static bool get_live(ptrt_run *run) {
    size_t slots = (size_t)run->blocks;
    for (size_t i = 0; i < slots; i++)
        slot_init(run, i);
    run->rounds = calloc(2, sizeof *run->rounds);
    return run->rounds && give_stacks(run, 0, slots);
}

static void give_back(ptrt_run *run) {
    if (!run->area) return;
    if (run->live) {
        for (size_t i = 0; run->cores[0].stack && i < (size_t)run->blocks; i++)
            free_slot(&run->slots[i]);
        if (run->cores[0].stack) take_stacks(run, 0, (size_t)run->blocks);
        free(run->rounds);
    }
    ptrt_area_give(run->area, run->live && run->area->size > WARM_MAX);
}

/* Checked mode zeroes the memory of every block, so that a program that reads what it has not
 * written behaves the same in every run. Fresh memory is zero already when each slot runs one
 * block. */
static void set_clearing(ptrt_run *run) {
    bool checked = (run->kernel->flags & PTRT_K_CHECKED) != 0 && run->core_bytes > 0;
    bool fresh = !run->area->used && (run->live || run->blocks == 1);
    run->clear = checked && !fresh;
}

static int run_all(ptrt_run *run, ptrt_thread *thread) {
    uint64_t slots = run->live ? (uint64_t)run->blocks : (uint64_t)run->max_helpers + 1;
    if (!get_area(run, slots) || (run->live && !get_live(run))) {
        char text[160];
        snprintf(text, sizeof text, "out of memory for the on-chip memory of %lld block%s at once",
                 (long long)slots, slots == 1 ? "" : "s");
        ptrt_thread_set_error(thread, text);
        give_back(run);
        return PTRT_E_NOMEM;
    }
    set_clearing(run);
    bool waits = run->live && !thread->run;
    if (waits) ptrt_rank_enter(run->rank, run);
    if (run->owner->session) ptrt_watch_launch(run);
    ptrt_pool_run(run);
    if (run->owner->session) ptrt_watch_landed(run);
    if (waits) ptrt_rank_leave(run->rank);
    give_back(run);
    int code = atomic_load(&run->failed);
    if (code != 0) ptrt_thread_set_error(thread, run->error);
    return code;
}

int ptrt_launch(const ptrt_kernel *kernel, int64_t blocks, void *args) {
    ptrt_thread *thread = ptrt_thread_get();
    if (!thread) return PTRT_E_NOMEM;
    /* A kernel that launches another one passes on the settings of the outer launch. */
    const ptrt_thread *owner = thread->run ? thread->run->owner : thread;
    ptrt_run run = {.kernel = kernel,
                    .owner = owner,
                    .bodies = ptrt_isa_bodies(),
                    .rank = owner->rank ? owner->rank : &ptrt_rank_alone,
                    .args = args,
                    .blocks = blocks};
    int code = set_up(&run, thread);
    if (code != PTRT_OK || blocks == 0 || run.per_block == 0) return code;
    if (pthread_mutex_init(&run.lock, NULL) != 0) return PTRT_E_NOMEM;
    if (pthread_cond_init(&run.changed, NULL) != 0) {
        pthread_mutex_destroy(&run.lock);
        return PTRT_E_NOMEM;
    }
    code = run_all(&run, thread);
    pthread_cond_destroy(&run.changed);
    pthread_mutex_destroy(&run.lock);
    return code;
}

/* ---- queries ---- */

int64_t ptrt_block_idx(const ptrt_core *core) {
    return core->block->index;
}

int64_t ptrt_block_num(const ptrt_core *core) {
    return core->run->blocks;
}

int64_t ptrt_subblock_idx(const ptrt_core *core) {
    return core->sub;
}

int64_t ptrt_subblock_num(const ptrt_core *core) {
    return core->run->subblocks;
}

bool ptrt_core_is_cube(const ptrt_core *core) {
    return core->cube;
}
