/* SPDX-License-Identifier: Apache-2.0 */
/* mpi.c - ranks that are MPI processes (libptort-mpi). A rank's window is memory allocated by MPI;
 * another rank's window is a reserved address range without memory, from which transfers derive the
 * rank and the offset. The shared state is one word at rank 0, changed by compare-and-swap: the
 * counts that group.c keeps under a lock. */
#include "ptort_mpi.h"
#include "ptort_transport.h"

#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { MOST_RANKS = 4095, MOST_AT_ONCE = 1 << 30, BOUNCE = 1 << 16, TEXT = 512 };

typedef struct Window {
    struct Window *next;
    MPI_Win win;
    uint64_t bytes;
    void *base[]; /* address of each rank's window in this process */
} Window;

typedef struct Peer {
    int rank, count;
    uint64_t seen; /* value of the word's `event` at the last check of this rank's waits */
    MPI_Comm comm;
    MPI_Win control; /* has the shared word, at rank 0 */
    Window *windows;
    pthread_mutex_t lock; /* held during every MPI call; also guards `windows` */
} Peer;

/* ---- the shared word ---- */

typedef struct Word {
    uint64_t event; /* incremented when a wait may be over */
    int asleep, ended, meeting;
    bool met;    /* toggles when a meeting is complete */
    bool failed; /* some rank has ended with an error code */
    bool dead;   /* every rank that had not ended was waiting */
} Word;

enum { EVENT_BITS = 25, COUNT_BITS = 12 };

static uint64_t field(uint64_t *bits, int width) {
    const uint64_t v = *bits & ((UINT64_C(1) << width) - 1);
    *bits >>= width;
    return v;
}

static Word unpack(uint64_t bits) {
    Word w;
    w.event = field(&bits, EVENT_BITS);
    w.asleep = (int)field(&bits, COUNT_BITS);
    w.ended = (int)field(&bits, COUNT_BITS);
    w.meeting = (int)field(&bits, COUNT_BITS);
    w.met = field(&bits, 1);
    w.failed = field(&bits, 1);
    w.dead = field(&bits, 1);
    return w;
}

static uint64_t pack(const Word *w) {
    uint64_t bits = (uint64_t)w->dead << 2 | (uint64_t)w->failed << 1 | (uint64_t)w->met;
    bits = bits << COUNT_BITS | (uint64_t)w->meeting;
    bits = bits << COUNT_BITS | (uint64_t)w->ended;
    bits = bits << COUNT_BITS | (uint64_t)w->asleep;
    return bits << EVENT_BITS | (w->event & ((UINT64_C(1) << EVENT_BITS) - 1));
}

static uint64_t load(Peer *p) {
    uint64_t bits = 0, unused = 0;
    pthread_mutex_lock(&p->lock);
    MPI_Fetch_and_op(&unused, &bits, MPI_UINT64_T, 0, 0, MPI_NO_OP, p->control);
    MPI_Win_flush(0, p->control);
    pthread_mutex_unlock(&p->lock);
    return bits;
}

/* Replaces the word if it is still *old, and returns true; else sets *old to its present value. */
static bool swap(Peer *p, uint64_t *old, const Word *next) {
    const uint64_t wanted = *old, value = pack(next);
    pthread_mutex_lock(&p->lock);
    MPI_Compare_and_swap(&value, &wanted, old, MPI_UINT64_T, 0, 0, p->control);
    MPI_Win_flush(0, p->control);
    pthread_mutex_unlock(&p->lock);
    return *old == wanted;
}

static void new_event(Word *w) {
    w->event++;
    w->asleep = 0;
}

static int code_of(const Word *w) {
    return w->dead ? PTRT_E_DEADLOCK : w->failed ? PTRT_E_STOPPED : PTRT_OK;
}

static void find_deadlock(const Peer *p, Word *w) {
    if (w->asleep == 0 || w->asleep + w->ended < p->count) return;
    w->dead = true;
    new_event(w);
}

/* ---- waiting ---- */

/* Sleeps, longer in later iterations, because there may be more ranks than processors. */
static void pause_a_little(unsigned turn) {
    const long most = 500000, nanoseconds = turn < 8 ? 1000 : (long)turn * 2000;
    const struct timespec t = {0, nanoseconds < most ? nanoseconds : most};
    nanosleep(&t, NULL);
}

/* Waits until the event is no longer `seen`. new_event() resets `asleep` for all sleepers. */
static Word sleep_through(Peer *p, uint64_t seen) {
    uint64_t bits = load(p);
    Word w = unpack(bits);
    while (w.event == seen && code_of(&w) == PTRT_OK) {
        w.asleep++;
        find_deadlock(p, &w);
        if (swap(p, &bits, &w)) break;
        w = unpack(bits);
    }
    for (unsigned turn = 0; w.event == seen && code_of(&w) == PTRT_OK; turn++) {
        pause_a_little(turn);
        w = unpack(load(p));
    }
    return w;
}

/* Waits until all ranks have called it. Either all ranks return PTRT_OK, or none does. */
static int meet(Peer *p) {
    uint64_t bits = load(p);
    Word w = unpack(bits);
    const bool before = w.met;
    do {
        w = unpack(bits);
        if (code_of(&w) != PTRT_OK) return code_of(&w);
        if (++w.meeting == p->count) {
            w.meeting = 0;
            w.met = !w.met;
            new_event(&w);
        }
    } while (!swap(p, &bits, &w));
    while (w.met == before && code_of(&w) == PTRT_OK)
        w = sleep_through(p, w.event);
    return w.met != before ? PTRT_OK : code_of(&w);
}

static void post_event(Peer *p) {
    uint64_t bits = load(p);
    Word w;
    do {
        w = unpack(bits);
        new_event(&w);
    } while (!swap(p, &bits, &w));
}

/* Counts this rank as ended and waits until all have. Returns whether they ended in a deadlock. */
static bool end_together(Peer *p, int code) {
    uint64_t bits = load(p);
    Word w;
    do {
        w = unpack(bits);
        w.ended++;
        if (code != PTRT_OK) {
            w.failed = true;
            new_event(&w);
        }
        find_deadlock(p, &w);
    } while (!swap(p, &bits, &w));
    for (unsigned turn = 0; w.ended < p->count; turn++) {
        pause_a_little(turn);
        w = unpack(load(p));
    }
    return w.dead;
}

/* ---- addresses ---- */

/* Where an address points: memory of this process (`win` is MPI_WIN_NULL) or a rank's window. */
typedef struct Place {
    MPI_Win win;
    int rank;
    MPI_Aint offset;
    uint64_t left; /* bytes to the end of the window */
} Place;

static Place place_of(const Peer *p, const void *at) {
    const uintptr_t a = (uintptr_t)at;
    for (const Window *w = p->windows; w; w = w->next)
        for (int r = 0; r < p->count; r++) {
            const uintptr_t base = (uintptr_t)w->base[r];
            if (a >= base && a - base < w->bytes)
                return (Place){w->win, r, (MPI_Aint)(a - base), w->bytes - (a - base)};
        }
    return (Place){MPI_WIN_NULL, p->rank, 0, UINT64_MAX};
}

static bool is_here(const Peer *p, const Place *at) {
    return at->rank == p->rank;
}

/* ---- the transport; the helper functions are called with the lock held ---- */

static int put(const Place *to, const unsigned char *src, int n) {
    if (MPI_Put(src, n, MPI_BYTE, to->rank, to->offset, n, MPI_BYTE, to->win) != MPI_SUCCESS)
        return PTRT_E_BOUNDS;
    return MPI_Win_flush(to->rank, to->win) == MPI_SUCCESS ? PTRT_OK : PTRT_E_BOUNDS;
}

static int get(unsigned char *dst, const Place *from, int n) {
    if (MPI_Get(dst, n, MPI_BYTE, from->rank, from->offset, n, MPI_BYTE, from->win) != MPI_SUCCESS)
        return PTRT_E_BOUNDS;
    return MPI_Win_flush(from->rank, from->win) == MPI_SUCCESS ? PTRT_OK : PTRT_E_BOUNDS;
}

static int move(const Peer *p, const Place *to, unsigned char *d, const Place *from,
                const unsigned char *s, int n) {
    if (is_here(p, from)) return put(to, s, n);
    if (is_here(p, to)) return get(d, from, n);
    unsigned char *between = malloc((size_t)n);
    if (!between) return PTRT_E_NOMEM;
    int code = get(between, from, n);
    if (code == PTRT_OK) code = put(to, between, n);
    free(between);
    return code;
}

static int copy_some(Peer *p, unsigned char *d, const unsigned char *s, uint64_t bytes) {
    const Place to = place_of(p, d), from = place_of(p, s);
    if (bytes > to.left || bytes > from.left) return PTRT_E_BOUNDS;
    if (is_here(p, &to) && is_here(p, &from)) {
        memmove(d, s, (size_t)bytes);
        return PTRT_OK;
    }
    const uint64_t step = is_here(p, &to) || is_here(p, &from) ? MOST_AT_ONCE : BOUNCE;
    for (uint64_t i = 0; i < bytes; i += step) {
        const int n = (int)(bytes - i < step ? bytes - i : step);
        Place a = to, b = from;
        a.offset += (MPI_Aint)i;
        b.offset += (MPI_Aint)i;
        const int code = move(p, &a, d + i, &b, s + i, n);
        if (code != PTRT_OK) return code;
    }
    return PTRT_OK;
}

static int mpi_copy(void *self, void *dst, const void *src, uint64_t bytes) {
    Peer *p = self;
    pthread_mutex_lock(&p->lock);
    const int code = copy_some(p, dst, src, bytes);
    pthread_mutex_unlock(&p->lock);
    return code;
}

static MPI_Datatype type_of(int elem) {
    switch (elem) {
    case PTRT_I8:
        return MPI_INT8_T;
    case PTRT_U8:
        return MPI_UINT8_T;
    case PTRT_I16:
        return MPI_INT16_T;
    case PTRT_U16:
        return MPI_UINT16_T;
    case PTRT_I32:
        return MPI_INT32_T;
    case PTRT_U32:
        return MPI_UINT32_T;
    case PTRT_I64:
        return MPI_INT64_T;
    case PTRT_U64:
        return MPI_UINT64_T;
    case PTRT_F32:
        return MPI_FLOAT;
    case PTRT_F64:
        return MPI_DOUBLE;
    default:
        return MPI_DATATYPE_NULL;
    }
}

/* Adds an f16 or bf16, for which MPI has no type: replaces the 32-bit word around it by
 * compare-and-swap until no other rank has changed the word in between. */
static int add_half(const Place *to, ptrt_core *core, int elem, uint16_t value) {
    const MPI_Aint word = to->offset & ~(MPI_Aint)3;
    const int half = (int)(to->offset & 2) / 2;
    uint32_t old = 0, unused = 0;
    MPI_Fetch_and_op(&unused, &old, MPI_UINT32_T, to->rank, word, MPI_NO_OP, to->win);
    MPI_Win_flush(to->rank, to->win);
    for (;;) {
        uint16_t parts[2];
        uint32_t sum, was = 0;
        memcpy(parts, &old, sizeof parts);
        const int code = ptrt_memory_transport()->add(NULL, core, elem, &parts[half], &value, 1);
        if (code != PTRT_OK) return code;
        memcpy(&sum, parts, sizeof sum);
        MPI_Compare_and_swap(&sum, &old, &was, MPI_UINT32_T, to->rank, word, to->win);
        MPI_Win_flush(to->rank, to->win);
        if (was == old) return PTRT_OK;
        old = was;
    }
}

static int add_some(const Place *to, ptrt_core *core, int elem, const void *src, uint64_t n) {
    const MPI_Datatype type = type_of(elem);
    int size = 2;
    if (type == MPI_DATATYPE_NULL && elem != PTRT_F16 && elem != PTRT_BF16) return PTRT_E_TYPE;
    if (type != MPI_DATATYPE_NULL) MPI_Type_size(type, &size);
    if (n > to->left / (uint64_t)size || n > INT_MAX) return PTRT_E_BOUNDS;
    if (type == MPI_DATATYPE_NULL) {
        Place at = *to;
        for (uint64_t i = 0; i < n; i++, at.offset += 2) {
            const int code = add_half(&at, core, elem, ((const uint16_t *)src)[i]);
            if (code != PTRT_OK) return code;
        }
        return PTRT_OK;
    }
    const int code =
        MPI_Accumulate(src, (int)n, type, to->rank, to->offset, (int)n, type, MPI_SUM, to->win);
    if (code != MPI_SUCCESS) return PTRT_E_BOUNDS;
    return MPI_Win_flush(to->rank, to->win) == MPI_SUCCESS ? PTRT_OK : PTRT_E_BOUNDS;
}

/* Uses MPI for windows, even this rank's own: only then are updates atomic with respect to those of
 * other ranks. */
static int mpi_add(void *self, ptrt_core *core, int elem, void *dst, const void *src, uint64_t n) {
    Peer *p = self;
    pthread_mutex_lock(&p->lock);
    const Place to = place_of(p, dst);
    const int code = to.win == MPI_WIN_NULL
                         ? ptrt_memory_transport()->add(NULL, core, elem, dst, src, n)
                         : add_some(&to, core, elem, src, n);
    pthread_mutex_unlock(&p->lock);
    return code;
}

static int mpi_notify(void *self, int32_t *signal, int op, int32_t value) {
    Peer *p = self;
    int code = PTRT_OK;
    pthread_mutex_lock(&p->lock);
    const Place at = place_of(p, signal);
    if (at.win == MPI_WIN_NULL) {
        code = ptrt_memory_transport()->notify(NULL, signal, op, value);
    } else if (at.left < sizeof value) {
        code = PTRT_E_BOUNDS;
    } else {
        MPI_Accumulate(&value, 1, MPI_INT32_T, at.rank, at.offset, 1, MPI_INT32_T,
                       op == PTRT_NOTIFY_SET ? MPI_REPLACE : MPI_SUM, at.win);
        MPI_Win_flush(at.rank, at.win);
    }
    pthread_mutex_unlock(&p->lock);
    if (code == PTRT_OK) post_event(p);
    return code;
}

/* Also returns PTRT_E_STOPPED when another rank has failed, so that polling ends. */
static int mpi_read(void *self, const int32_t *signal, int32_t *value) {
    Peer *p = self;
    int code = PTRT_OK;
    pthread_mutex_lock(&p->lock);
    const Place at = place_of(p, signal);
    if (at.win == MPI_WIN_NULL) {
        code = ptrt_memory_transport()->read(NULL, signal, value);
    } else if (at.left < sizeof *value) {
        code = PTRT_E_BOUNDS;
    } else {
        const int32_t unused = 0;
        MPI_Fetch_and_op(&unused, value, MPI_INT32_T, at.rank, at.offset, MPI_NO_OP, at.win);
        MPI_Win_flush(at.rank, at.win);
        MPI_Win_sync(at.win);
    }
    pthread_mutex_unlock(&p->lock);
    if (code != PTRT_OK) return code;
    const Word w = unpack(load(p));
    return w.failed ? PTRT_E_STOPPED : PTRT_OK;
}

static int mpi_rest(void *self) {
    Peer *p = self;
    Word w = unpack(load(p));
    if (p->seen == w.event) w = sleep_through(p, w.event);
    p->seen = w.event;
    return code_of(&w);
}

/* ---- windows ---- */

/* Reserves address ranges, without memory, for the windows of other ranks. */
static bool reserve(Window *w, const Peer *p) {
    bool done = true;
    for (int r = 0; r < p->count; r++) {
        if (r == p->rank) continue;
        void *at = mmap(NULL, (size_t)w->bytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED) done = false;
        w->base[r] = at == MAP_FAILED ? NULL : at;
    }
    return done;
}

static void release(Window *w, const Peer *p) {
    for (int r = 0; r < p->count; r++)
        if (r != p->rank && w->base[r]) munmap(w->base[r], (size_t)w->bytes);
    free(w);
}

/* Whether memory for the window is available. Called before the ranks meet, because one rank that
 * fails afterwards would leave the others waiting. */
static bool there_is_room(uint64_t bytes) {
    if (bytes > (uint64_t)PTRDIFF_MAX) return false;
    void *memory = malloc((size_t)bytes);
    free(memory);
    return memory != NULL;
}

/* Allocates the window. All ranks call it together. */
static int make_window(Peer *p, Window *w) {
    void *base = NULL;
    const uint64_t mine[2] = {w->bytes, reserve(w, p)};
    uint64_t(*all)[2] = malloc((size_t)p->count * sizeof *all);
    uint64_t room = all != NULL, fits = 1;
    MPI_Allreduce(MPI_IN_PLACE, &room, 1, MPI_UINT64_T, MPI_MIN, p->comm);
    if (room) {
        MPI_Allgather(mine, 2, MPI_UINT64_T, all, 2, MPI_UINT64_T, p->comm);
        for (int r = 0; r < p->count; r++) {
            if (all[r][0] != w->bytes) fits = 0;
            if (!all[r][1]) room = 0;
        }
    }
    free(all);
    MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_UINT64_T, MPI_MIN, p->comm);
    if (!fits) return PTRT_E_ARG;
    if (!room) return PTRT_E_NOMEM;
    /* Rounded up to whole words: add_half() replaces the word around an element. */
    if (MPI_Win_allocate((MPI_Aint)((w->bytes + 3) & ~UINT64_C(3)), 1, MPI_INFO_NULL, p->comm,
                         &base, &w->win) != MPI_SUCCESS)
        return PTRT_E_NOMEM;
    memset(base, 0, (size_t)w->bytes);
    w->base[p->rank] = base;
    MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, w->win);
    MPI_Win_sync(w->win);
    MPI_Barrier(p->comm);
    return PTRT_OK;
}

static int mpi_window(void *self, uint64_t bytes, void **bases) {
    Peer *p = self;
    if (!there_is_room(bytes)) return PTRT_E_NOMEM;
    Window *w = calloc(1, sizeof *w + (size_t)p->count * sizeof w->base[0]);
    if (!w) return PTRT_E_NOMEM;
    w->bytes = bytes;
    int code = meet(p);
    if (code != PTRT_OK) {
        free(w);
        return code;
    }
    pthread_mutex_lock(&p->lock);
    code = make_window(p, w);
    if (code == PTRT_OK) {
        w->next = p->windows;
        p->windows = w;
        memcpy(bases, w->base, (size_t)p->count * sizeof *bases);
    }
    pthread_mutex_unlock(&p->lock);
    if (code != PTRT_OK) release(w, p);
    return code;
}

static void free_windows(Peer *p) {
    while (p->windows) {
        Window *w = p->windows;
        p->windows = w->next;
        MPI_Win_unlock_all(w->win);
        MPI_Win_free(&w->win);
        release(w, p);
    }
}

static const ptrt_transport over_mpi = {.copy = mpi_copy,
                                        .add = mpi_add,
                                        .notify = mpi_notify,
                                        .read = mpi_read,
                                        .rest = mpi_rest,
                                        .window = mpi_window};

/* ---- a run ---- */

/* Gives every rank the same code and error text. */
static int final_result(Peer *p, int code, bool dead) {
    char text[TEXT] = "";
    int *codes = malloc((size_t)p->count * sizeof *codes);
    if (!codes) MPI_Abort(p->comm, PTRT_E_NOMEM);
    MPI_Allgather(&code, 1, MPI_INT, codes, 1, MPI_INT, p->comm);
    const int first = ptrt_ranks_first_failed(codes, p->count);
    if (first >= 0) {
        if (first == p->rank) strncpy(text, ptrt_error(), sizeof text - 1);
        MPI_Bcast(text, sizeof text, MPI_CHAR, first, p->comm);
        code = ptrt_ranks_report(codes, p->count, dead, text);
    }
    free(codes);
    return code;
}

static int run(Peer *p, ptrt_rank_fn fn, void *arg) {
    void *base = NULL;
    const MPI_Aint bytes = p->rank == 0 ? (MPI_Aint)sizeof(uint64_t) : 0;
    if (MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, p->comm, &base, &p->control) != MPI_SUCCESS)
        return PTRT_E_NOMEM;
    if (p->rank == 0) memset(base, 0, sizeof(uint64_t));
    MPI_Win_lock_all(MPI_MODE_NOCHECK, p->control);
    MPI_Win_sync(p->control);
    MPI_Barrier(p->comm);
    int code = ptrt_run_rank(&over_mpi, p, p->rank, p->count, fn, arg);
    const bool dead = end_together(p, code);
    MPI_Barrier(p->comm);
    code = final_result(p, code, dead);
    free_windows(p);
    MPI_Win_unlock_all(p->control);
    MPI_Win_free(&p->control);
    return code;
}

static int run_all(ptrt_rank_fn fn, void *arg) {
    Peer p = {.seen = UINT64_MAX, .comm = MPI_COMM_NULL};
    if (MPI_Comm_dup(MPI_COMM_WORLD, &p.comm) != MPI_SUCCESS) return PTRT_E_NOMEM;
    MPI_Comm_rank(p.comm, &p.rank);
    MPI_Comm_size(p.comm, &p.count);
    int code = PTRT_E_ARG;
    if (p.count <= MOST_RANKS && pthread_mutex_init(&p.lock, NULL) == 0) {
        code = run(&p, fn, arg);
        pthread_mutex_destroy(&p.lock);
    }
    MPI_Comm_free(&p.comm);
    return code;
}

/* Disables the one-sided component `rdma` of Open MPI 4.1, which ends the process in a
 * compare-and-swap with itself. Does not override a choice of the user. */
static void choose_component(void) {
    setenv("OMPI_MCA_osc", "^rdma", 0);
}

int ptrt_run_mpi(ptrt_rank_fn fn, void *arg) {
    int begun = 0, provided = 0;
    MPI_Initialized(&begun);
    if (!begun) {
        choose_component();
        if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
            return PTRT_E_ARG;
    } else {
        MPI_Query_thread(&provided);
    }
    const int code = provided < MPI_THREAD_SERIALIZED ? PTRT_E_ARG : run_all(fn, arg);
    if (!begun) MPI_Finalize();
    return code;
}
