/* SPDX-License-Identifier: Apache-2.0 */
/* group.c - ranks that are threads of this process, and so reach each other's memory directly. They
 * share a count of the ranks that wait, so that a deadlock is an error. */
#include "comm/rank.h"
#include "core/watch.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_RANKS 65536

typedef struct Group Group;

typedef struct Member {
    Group *group;
    int number;
    pthread_t thread;
    ptrt_rank *rank;         /* NULL before it has begun and after it has ended */
    unsigned long long seen; /* value of the group's `event` at the last check of its waits */
    void *window;            /* the newest window */
    void **windows;          /* all windows */
    size_t nwindows;
    int code;
    bool ended;
    char error[PTRT_ERROR_SIZE];
} Member;

struct Group {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const ptrt_thread *caller; /* its settings apply to all ranks */
    ptrt_rank_fn fn;
    void *arg;
    int count;
    enum { GATE_SHUT, GATE_OPEN, GATE_CANCELLED } gate;
    unsigned long long event; /* incremented when a wait may be over */
    int asleep, ended;        /* ranks that wait for the next event; ranks that have returned */
    int meeting;              /* ranks that have reached the current call of meet() */
    unsigned long long met;   /* number of completed meetings */
    bool failed;              /* some rank has ended with an error code */
    bool dead;                /* every rank that had not ended was waiting */
    Member members[];
};

/* ---- waiting; called with the lock held ---- */

static void new_event(Group *g) {
    g->event++;
    g->asleep = 0;
    pthread_cond_broadcast(&g->changed);
}

static int code_of(const Group *g) {
    return g->dead ? PTRT_E_DEADLOCK : g->failed ? PTRT_E_STOPPED : PTRT_OK;
}

static void find_deadlock(Group *g) {
    if (g->asleep == 0 || g->asleep + g->ended < g->count) return;
    g->dead = true;
    new_event(g);
}

/* Waits until the event is no longer `seen`. new_event() resets `asleep` for all sleepers. */
static void sleep_through(Group *g, unsigned long long seen) {
    if (g->event != seen || code_of(g) != PTRT_OK) return;
    g->asleep++;
    find_deadlock(g);
    while (g->event == seen)
        pthread_cond_wait(&g->changed, &g->lock);
}

/* Waits until all ranks have called it. */
static int meet(Group *g) {
    unsigned long long now = g->met;
    if (++g->meeting == g->count) {
        g->meeting = 0;
        g->met++;
        new_event(g);
    }
    while (g->met == now && code_of(g) == PTRT_OK)
        sleep_through(g, g->event);
    return g->met != now ? PTRT_OK : code_of(g);
}

/* ---- the transport ---- */

static int group_notify(void *self, int32_t *signal, int op, int32_t value) {
    Group *g = ((Member *)self)->group;
    ptrt_direct_notify(signal, op, value);
    pthread_mutex_lock(&g->lock);
    for (int i = 0; i < g->count; i++)
        if (g->members[i].rank) ptrt_rank_wake(g->members[i].rank);
    new_event(g);
    pthread_mutex_unlock(&g->lock);
    return PTRT_OK;
}

/* Also returns PTRT_E_STOPPED when another rank has failed, so that polling ends. */
static int group_read(void *self, const int32_t *signal, int32_t *value) {
    Group *g = ((Member *)self)->group;
    *value = ptrt_direct_read(signal);
    return __atomic_load_n(&g->failed, __ATOMIC_RELAXED) ? PTRT_E_STOPPED : PTRT_OK;
}

static int group_rest(void *self) {
    Member *m = self;
    Group *g = m->group;
    pthread_mutex_lock(&g->lock);
    if (m->seen == g->event) sleep_through(g, m->seen);
    m->seen = g->event;
    int code = code_of(g);
    pthread_mutex_unlock(&g->lock);
    return code;
}

static int keep_window(Member *m, void *window) {
    void **more = window ? realloc(m->windows, (m->nwindows + 1) * sizeof *more) : NULL;
    if (!more) {
        free(window);
        return PTRT_E_NOMEM;
    }
    m->windows = more;
    more[m->nwindows++] = m->window = window;
    return PTRT_OK;
}

/* A rank without memory ends with PTRT_E_NOMEM, which ends the meeting of the others. */
static int group_window(void *self, uint64_t bytes, void **bases) {
    Member *m = self;
    Group *g = m->group;
    if (bytes > SIZE_MAX) return PTRT_E_NOMEM;
    int code = keep_window(m, calloc(1, (size_t)bytes));
    if (code != PTRT_OK) return code;
    pthread_mutex_lock(&g->lock);
    code = meet(g);
    for (int i = 0; i < g->count; i++)
        bases[i] = g->members[i].window;
    if (code == PTRT_OK) code = meet(g); /* no rank replaces its window before all have read it */
    pthread_mutex_unlock(&g->lock);
    return code;
}

static const ptrt_transport threads = {.copy = ptrt_direct_copy,
                                       .add = ptrt_direct_add,
                                       .notify = group_notify,
                                       .read = group_read,
                                       .rest = group_rest,
                                       .window = group_window};

/* ---- a rank ---- */

static int copy_settings(const ptrt_thread *from, ptrt_thread *to) {
    for (size_t i = 0; i < from->region_count; i++) {
        int code = ptrt_region_add((void *)from->regions[i].base, from->regions[i].bytes);
        if (code != PTRT_OK) return code;
    }
    to->subblocks = from->subblocks;
    to->hook = from->hook;
    to->hook_user = from->hook_user;
    to->session = from->session;
    return PTRT_OK;
}

static int run_member(int rank, void *arg) {
    Member *m = arg;
    Group *g = m->group;
    pthread_mutex_lock(&g->lock);
    m->rank = ptrt_thread_get()->rank;
    pthread_mutex_unlock(&g->lock);
    int code = g->fn(rank, g->arg);
    pthread_mutex_lock(&g->lock);
    m->rank = NULL;
    pthread_mutex_unlock(&g->lock);
    return code;
}

static int begin(Member *m) {
    ptrt_thread *thread = ptrt_thread_get();
    int code = thread ? copy_settings(m->group->caller, thread) : PTRT_E_NOMEM;
    if (code != PTRT_OK) return code;
    code = ptrt_run_rank(&threads, m, m->number, m->group->count, run_member, m);
    if (code != PTRT_OK) memcpy(m->error, thread->error, sizeof m->error);
    return code;
}

static void *member_main(void *arg) {
    Member *m = arg;
    Group *g = m->group;
    pthread_mutex_lock(&g->lock);
    while (g->gate == GATE_SHUT)
        pthread_cond_wait(&g->changed, &g->lock);
    bool open = g->gate == GATE_OPEN;
    pthread_mutex_unlock(&g->lock);
    if (!open) return NULL;
    int code = begin(m);
    pthread_mutex_lock(&g->lock);
    m->code = code;
    m->ended = true;
    g->ended++;
    if (code != PTRT_OK) {
        __atomic_store_n(&g->failed, true, __ATOMIC_RELAXED);
        new_event(g);
    }
    find_deadlock(g);
    pthread_mutex_unlock(&g->lock);
    return NULL;
}

/* ---- the group ---- */

/* Returns the code of the first rank that failed by itself and sets the error text. */
static int final_result(const Group *g) {
    int *codes = malloc((size_t)g->count * sizeof *codes);
    if (!codes) return PTRT_E_NOMEM;
    for (int i = 0; i < g->count; i++)
        codes[i] = g->members[i].code;
    const int first = ptrt_ranks_first_failed(codes, g->count);
    const int code =
        first < 0 ? PTRT_OK : ptrt_ranks_report(codes, g->count, g->dead, g->members[first].error);
    free(codes);
    return code;
}

/* Starts the threads; none runs its function unless all could be started. */
static int run_group(Group *g, ptrt_thread *thread) {
    int started = 0;
    while (started < g->count) {
        Member *m = &g->members[started];
        *m = (Member){.group = g, .number = started, .seen = ~0ULL};
        if (pthread_create(&m->thread, NULL, member_main, m) != 0) break;
        started++;
    }
    pthread_mutex_lock(&g->lock);
    g->gate = started == g->count ? GATE_OPEN : GATE_CANCELLED;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
    for (int i = 0; i < started; i++)
        pthread_join(g->members[i].thread, NULL);
    if (started < g->count) {
        char text[80];
        snprintf(text, sizeof text, "out of memory or threads for %d ranks", g->count);
        ptrt_thread_set_error(thread, text);
        return PTRT_E_NOMEM;
    }
    int code = final_result(g);
    for (int i = 0; i < g->count; i++) {
        for (size_t k = 0; k < g->members[i].nwindows; k++)
            free(g->members[i].windows[k]);
        free(g->members[i].windows);
    }
    return code;
}

int ptrt_run_ranks(int ranks, ptrt_rank_fn fn, void *arg) {
    ptrt_thread *thread = ptrt_thread_get();
    if (!thread) return PTRT_E_NOMEM;
    if (ranks < 1 || ranks > MAX_RANKS || thread->rank || thread->run) {
        ptrt_thread_set_error(thread, "the number of ranks is out of range, or a rank asks for it");
        return PTRT_E_ARG;
    }
    Group *g = malloc(sizeof *g + (size_t)ranks * sizeof g->members[0]);
    if (!g) return PTRT_E_NOMEM;
    *g = (Group){.caller = thread, .fn = fn, .arg = arg, .count = ranks};
    if (pthread_mutex_init(&g->lock, NULL) != 0) {
        free(g);
        return PTRT_E_NOMEM;
    }
    int code = PTRT_E_NOMEM;
    if (pthread_cond_init(&g->changed, NULL) == 0) {
        ptrt_watch_ranks(thread, true);
        code = run_group(g, thread);
        ptrt_watch_ranks(thread, false);
        pthread_cond_destroy(&g->changed);
    }
    pthread_mutex_destroy(&g->lock);
    free(g);
    return code;
}
