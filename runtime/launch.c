/* launch.c - ptrt_launch: spreads the blocks of a kernel over threads, keeps the first error. */
#include "core.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_THREADS 256

static size_t cores_per_block(const ptrt_run *run) {
    return (run->kernel->cube ? 1u : 0u) + (run->kernel->vector ? (size_t)run->subblocks : 0u);
}

static void record(ptrt_run *run, int code, const char *text) {
    int none = 0;
    pthread_mutex_lock(&run->lock);
    if (atomic_compare_exchange_strong(&run->failed, &none, code))
        snprintf(run->error, sizeof run->error, "%s", text);
    pthread_mutex_unlock(&run->lock);
}

int ptrt_fail(ptrt_core *core, int code, uint32_t line, const char *fmt, ...) {
    char text[PTRT_ERROR_SIZE];
    const char *file = core->run->kernel->file;
    int n = snprintf(text, sizeof text, "%s:%lu: ", file ? file : "<pto>", (unsigned long)line);
    size_t at = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
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

/* State of a core at the start of a block; its memory and its stack stay. */
static void core_start(ptrt_run *run, ptrt_group *group, ptrt_core *core, int64_t block,
                       size_t place) {
    bool cube = run->kernel->cube && place == 0;
    core->ops = run->ops;
    core->run = run;
    core->group = group;
    core->block = block;
    core->cube = cube;
    core->sub = cube ? 0 : (int32_t)place - (run->kernel->cube ? 1 : 0);
    core->checked = (run->kernel->flags & PTRT_K_CHECKED) != 0;
    core->hook = run->owner->hook;
    core->hook_user = run->owner->hook_user;
    core->state = PTRT_CORE_NEW;
    core->ready = NULL;
    core->result = 0;
    memset(core->signals, 0, sizeof core->signals);
    memset(core->flags, 0, sizeof core->flags);
    memset(core->syncs, 0, sizeof core->syncs);
}

static void run_blocks(ptrt_run *run, ptrt_worker *w, int64_t first, int64_t count) {
    ptrt_group *group = &w->group;
    group->per_block = cores_per_block(run);
    group->count = group->per_block * (size_t)count;
    group->fibers = (run->kernel->flags & (PTRT_K_WAITS | PTRT_K_GRID_SYNC)) != 0;
    for (size_t i = 0; i < group->count; i++)
        core_start(run, group, &group->cores[i], first + (int64_t)(i / group->per_block),
                   i % group->per_block);
    ptrt_group_run(group);
    ptrt_fifos_free(group);
}

static void *take_blocks(void *arg) {
    ptrt_worker *w = arg;
    ptrt_run *run = w->run;
    while (atomic_load(&run->failed) == 0) {
        int64_t block = atomic_fetch_add(&run->next, 1);
        if (block >= run->blocks) break;
        run_blocks(run, w, block, 1);
    }
    return NULL;
}

static int64_t thread_count(int64_t blocks) {
    if (blocks == 1) return 1;
    const char *wish = getenv("PTORT_THREADS");
    long n = wish ? strtol(wish, NULL, 10) : 0;
    if (n < 1) n = sysconf(_SC_NPROCESSORS_ONLN);
    if (n < 1) n = 1;
    if (n > MAX_THREADS) n = MAX_THREADS;
    return ptrt_min64(n, blocks);
}

/* Each worker on a thread of its own, the last one on this thread. */
static void run_threads(ptrt_worker *workers) {
    pthread_t threads[MAX_THREADS];
    int64_t started = 0;
    ptrt_worker *w = workers;
    for (; w->next; w = w->next) {
        /* A thread that cannot be started is done without. */
        if (pthread_create(&threads[started], NULL, take_blocks, w) == 0) started++;
    }
    take_blocks(w);
    while (started > 0)
        pthread_join(threads[--started], NULL);
}

/* Moves up to `count` workers from the front of *cache to a new list, making what is missing. Fewer
 * than asked for will do, but not none. */
static ptrt_worker *get_workers(ptrt_run *run, ptrt_worker **cache, int64_t count, size_t cores) {
    ptrt_worker *list = NULL;
    for (int64_t i = 0; i < count; i++) {
        ptrt_worker *w = *cache;
        if (w) *cache = w->next;
        w = ptrt_worker_fit(w, run->kernel, cores);
        if (!w) break;
        w->run = run;
        w->next = list;
        list = w;
    }
    return list;
}

/* Puts the workers of a launch back in front of the unused ones. */
static void keep_workers(ptrt_thread *thread, ptrt_worker *list, ptrt_worker *unused) {
    ptrt_worker *last = list;
    while (last->next)
        last = last->next;
    last->next = unused;
    if (thread->workers)
        ptrt_workers_free(list);
    else
        thread->workers = list;
}

static int set_up(ptrt_run *run, ptrt_thread *thread, const ptrt_kernel *kernel, int64_t blocks) {
    bool grid = (kernel->flags & PTRT_K_GRID_SYNC) != 0;
    if (blocks < 0 || blocks > INT64_C(1) << 40 || kernel->subblocks < 0 || kernel->subblocks > 2 ||
        (grid && blocks > INT64_C(1) << 16)) {
        ptrt_thread_set_error(thread, "the number of blocks or sub-blocks is out of range");
        return PTRT_E_ARG;
    }
    run->subblocks = kernel->subblocks   ? kernel->subblocks
                     : thread->subblocks ? thread->subblocks
                     : kernel->cube      ? 2
                                         : 1;
    return PTRT_OK;
}

int ptrt_launch(const ptrt_kernel *kernel, int64_t blocks, void *args) {
    ptrt_thread *thread = ptrt_thread_get();
    if (!thread) return PTRT_E_NOMEM;
    ptrt_run run = {
        .kernel = kernel, .owner = thread, .ops = ptrt_isa_ops(), .args = args, .blocks = blocks};
    int code = set_up(&run, thread, kernel, blocks);
    if (code != PTRT_OK || blocks == 0 || cores_per_block(&run) == 0) return code;
    bool grid = (kernel->flags & PTRT_K_GRID_SYNC) != 0;
    size_t cores = cores_per_block(&run) * (grid ? (size_t)blocks : 1);

    /* A kernel that launches another one finds no workers here and gets its own. */
    ptrt_worker *cache = thread->workers;
    thread->workers = NULL;
    ptrt_worker *workers = get_workers(&run, &cache, grid ? 1 : thread_count(blocks), cores);
    if (!workers || pthread_mutex_init(&run.lock, NULL) != 0) {
        ptrt_workers_free(workers);
        ptrt_workers_free(cache);
        ptrt_thread_set_error(thread, "out of memory for on-chip memory");
        return PTRT_E_NOMEM;
    }
    if (grid)
        run_blocks(&run, workers, 0, blocks);
    else
        run_threads(workers);
    pthread_mutex_destroy(&run.lock);
    if (grid) {
        /* All blocks at once can be a lot of memory: not kept. */
        ptrt_workers_free(workers);
        ptrt_workers_free(cache);
    } else {
        keep_workers(thread, workers, cache);
    }
    code = atomic_load(&run.failed);
    if (code != 0) ptrt_thread_set_error(thread, run.error);
    return code;
}

int64_t ptrt_block_idx(const ptrt_core *core) {
    return core->block;
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

bool ptrt_core_is_checked(const ptrt_core *core) {
    return core->checked;
}
