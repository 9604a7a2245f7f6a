/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c - the pool of helper threads, one for the process. Threads start when a launch first
 * needs them and sleep between launches. A launch never depends on them: the launching thread runs
 * every block that no helper has taken. */
#include "core/core.h"

#include <signal.h>

#define MAX_HELPERS 255

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work; /* wakes a helper: there may be a launch to help with */
    pthread_cond_t left; /* a helper has left a launch */
    ptrt_run *runs;      /* launches that helpers may join, oldest first */
    pthread_t threads[MAX_HELPERS];
    int count, idle;
    bool stop;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .left = PTHREAD_COND_INITIALIZER};

/* ---- helpers; called with the lock held ---- */

static bool wants_help(ptrt_run *run) {
    return run->joined < run->max_helpers && atomic_load(&run->next) < run->blocks &&
           atomic_load(&run->failed) == 0;
}

static ptrt_run *find_run(void) {
    ptrt_run *run = pool.runs;
    while (run && !wants_help(run))
        run = run->next_run;
    return run;
}

static void *help(void *arg);

/* Starts a helper with all signals blocked: they belong to the program's threads. */
static void start_helper(void) {
    sigset_t all, old;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &old) != 0) return;
    if (pthread_create(&pool.threads[pool.count], NULL, help, NULL) == 0) pool.count++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Wakes or starts one helper, which calls the next one: the launching thread pays for one only. */
static void call_helper(void) {
    ptrt_run *run = pool.stop ? NULL : find_run();
    if (!run) return;
    if (pool.idle > 0)
        pthread_cond_signal(&pool.work);
    else if (pool.count < run->max_helpers && pool.count < MAX_HELPERS)
        start_helper();
}

static void help_with(ptrt_run *run) {
    int number = ++run->joined;
    run->helpers++;
    call_helper();
    pthread_mutex_unlock(&pool.lock);
    ptrt_run_work(run, number);
    pthread_mutex_lock(&pool.lock);
    if (--run->helpers == 0) pthread_cond_broadcast(&pool.left);
}

static void *help(void *arg) {
    (void)arg;
    pthread_mutex_lock(&pool.lock);
    while (!pool.stop) {
        ptrt_run *run = find_run();
        if (run) {
            help_with(run);
            continue;
        }
        pool.idle++;
        pthread_cond_wait(&pool.work, &pool.lock);
        pool.idle--;
    }
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* ---- fork: the child has no helpers ---- */

static void before_fork(void) {
    pthread_mutex_lock(&pool.lock);
    ptrt_memory_lock();
}

static void after_fork(void) {
    ptrt_memory_unlock();
    pthread_mutex_unlock(&pool.lock);
}

static void after_fork_in_child(void) {
    after_fork();
    pool.work = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool.left = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool.runs = NULL;
    pool.count = pool.idle = 0;
}

static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

/* ---- launches ---- */

static void add_run(ptrt_run *run) {
    ptrt_run **at = &pool.runs;
    while (*at)
        at = &(*at)->next_run;
    *at = run;
}

static void remove_run(ptrt_run *run) {
    ptrt_run **at = &pool.runs;
    while (*at && *at != run)
        at = &(*at)->next_run;
    if (*at) *at = run->next_run;
}

void ptrt_pool_run(ptrt_run *run) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (run->max_helpers == 0) {
        ptrt_run_work(run, 0);
        return;
    }
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&pool.lock);
    add_run(run);
    call_helper();
    pthread_mutex_unlock(&pool.lock);
    ptrt_run_work(run, 0);
    pthread_mutex_lock(&pool.lock);
    remove_run(run);
    while (run->helpers > 0)
        pthread_cond_wait(&pool.left, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

/* Stops the helpers when the program ends or the library is unloaded. During a launch they cannot
 * be joined: the program is then exiting, which ends them. */
void ptrt_pool_stop(void) {
    pthread_mutex_lock(&pool.lock);
    bool busy = pool.runs != NULL;
    pool.stop = true;
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < pool.count && !busy; i++)
        pthread_join(pool.threads[i], NULL);
    if (!busy) pool.count = 0;
}
