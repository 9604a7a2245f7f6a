/* SPDX-License-Identifier: Apache-2.0 */
/* sanitize.h - inside libptort: the state of the sanitizer.
 *
 * A lane is a pipe of a core of a block. The accesses of a lane are numbered; a clock says, for
 * each lane, up to which of them an observer knows to have ended. That is a prefix, because a flag,
 * a barrier or a signal tells of all earlier accesses of its pipe. Lane 0 of a core holds what runs
 * in the order of the text. */
#ifndef PTORT_SANITIZE_SANITIZE_H
#define PTORT_SANITIZE_SANITIZE_H

#include "core/core.h"

enum { SAN_PIPES = 8, SAN_LANES = PTRT_PLACES * SAN_PIPES, SAN_NO_LANE = 255 };

/* ---- clocks.c ---- */

/* What is known of the lanes of all cores of a session, by core number * SAN_PIPES + pipe. Does not
 * change once other threads can see it. */
typedef struct san_base {
    atomic_uint refs;
    uint32_t n;
    uint32_t at[];
} san_base;

typedef struct san_clock {
    uint32_t at[SAN_LANES]; /* lanes of the block */
    san_base *base;         /* of other blocks; NULL: nothing */
} san_clock;

san_base *san_base_new(uint32_t n); /* NULL: out of memory */
void san_base_drop(san_base *b);
static inline uint32_t san_base_at(const san_base *b, uint32_t lane) {
    return b && lane < b->n ? b->at[lane] : 0;
}
/* Adds what `from` knows. Returns false when memory is exhausted. */
bool san_clock_join(san_clock *to, const san_clock *from);
void san_clock_meet(san_clock *to, const san_clock *from); /* keeps what both know */
void san_clock_copy(san_clock *to, const san_clock *from);
void san_clock_drop(san_clock *c);

typedef struct san_flag {
    san_clock clock;
    const ptrt_site *set; /* NULL: it is not set */
} san_flag;

/* The order of a core's pipes. */
typedef struct san_pipes {
    san_clock seen[SAN_PIPES];    /* what each pipe knows to have ended */
    uint32_t at[SAN_PIPES];       /* accesses so far */
    uint32_t released[SAN_PIPES]; /* times that others have learnt of the pipe */
    uint32_t version[SAN_PIPES];  /* changes when `seen` does */
    uint8_t first;                /* lane of pipe 0 */
    uint32_t ordered;             /* bits of the pipes that complete in order */
    bool issue;                   /* a wait of the scalar pipe delays all that is issued later */
    san_flag *flags;              /* by source, destination, event; NULL: none yet */
    san_clock *tokens;
    bool *held; /* by pipe and token */
} san_pipes;

enum { SAN_FLAGS = SAN_PIPES * SAN_PIPES * PTRT_EVENTS };

void san_pipes_start(san_pipes *p, int place, uint32_t order);
void san_pipes_end(san_pipes *p);
/* Stores what a release by `pipe` tells; with SAN_ALL, of all pipes. */
enum { SAN_ALL = -1 };
void san_pipes_release(san_pipes *p, int pipe, san_clock *out);
/* Lets a pipe, or all of them, know what `clock` says. */
bool san_pipes_acquire(san_pipes *p, int pipe, const san_clock *clock);
void san_pipes_barrier(san_pipes *p, int pipe);
san_flag *san_pipes_flag(san_pipes *p, int from, int to, int event); /* NULL: out of memory */
/* Takes what a flag tells, and the flag is no longer set. */
bool san_pipes_wait(san_pipes *p, int to, san_flag *flag);
/* Whether the access number `at` of a lane has ended before an access of `pipe` starts. */
static inline bool san_pipes_knows(const san_pipes *p, int pipe, uint8_t lane, uint32_t at) {
    const int earlier = lane - p->first;
    if (lane == SAN_NO_LANE || at <= p->seen[pipe].at[lane]) return true;
    if (earlier < 0 || earlier >= SAN_PIPES) return false;
    return earlier == 0 || pipe == 0 || (earlier == pipe && (p->ordered >> pipe & 1) != 0);
}

/* ---- shadow.c ---- */

typedef struct san_entry {
    const ptrt_site *site; /* NULL: none */
    uint32_t at;           /* number of the access in its lane */
    uint8_t lane;
    bool writes;
} san_entry;

enum { SAN_UNWRITTEN, SAN_DEFINED, SAN_FREED };
enum { SAN_READERS = 4 };

typedef struct san_history {
    san_entry writer, reader[SAN_READERS];
    uint8_t state, readers;
} san_history;

/* Bytes with the same history, up to the next piece. With gaps it is rows: runs of `run` bytes,
 * `pitch` apart, and the bytes between them have a history of their own. */
typedef struct san_piece {
    uint16_t start, run, pitch; /* start: in its page */
    san_history h, *gaps;       /* gaps: NULL: none */
} san_piece;

enum { SAN_PAGE = 8192 };
typedef struct san_page {
    uint32_t n, cap, last; /* last: the piece that was found last */
    uint32_t gapped;       /* pieces with gaps */
    san_piece *pieces;
} san_page;

/* The on-chip memory of a block: that of its cores, one after the other. */
typedef struct san_shadow {
    uint64_t bytes;
    san_page *pages; /* bytes / SAN_PAGE, rounded up */
} san_shadow;

/* An access, and who is told what it meets. */
typedef struct san_access {
    const ptrt_site *site;
    bool read, write;
    bool compares, updates; /* looks at what was before, changes it */
    uint8_t state;          /* of written bytes afterwards */
    san_entry mine[2];      /* by pipe; the second has no site unless there is another pipe */
    /* Called for bytes that are read and not defined. `by` wrote or freed them. */
    void (*undefined)(void *user, uint64_t from, uint64_t bytes, int state, const san_entry *by);
    /* Called for an earlier access of the same bytes, if one of the two writes. */
    void (*meets)(void *user, uint64_t from, uint64_t bytes, const san_entry *earlier);
    void *user;
} san_access;

bool san_shadow_start(san_shadow *s, uint64_t bytes);
void san_shadow_end(san_shadow *s);
/* Returns false when memory is exhausted. */
bool san_shadow_access(san_shadow *s, uint64_t from, uint64_t bytes, const san_access *a);
/* The same for `rows` runs of bytes, `pitch` apart, which do not overlap. Of earlier accesses that
 * several runs meet alike, `meets` may hear for the first run alone. */
bool san_shadow_rows(san_shadow *s, uint64_t from, uint64_t bytes, uint32_t rows, uint64_t pitch,
                     const san_access *a);

/* ---- globals.c ---- */

/* An access to global memory: `rows` runs of `bytes` bytes, `pitch` apart. */
typedef struct san_record {
    const ptrt_site *site;
    uintptr_t at;
    uint64_t bytes;
    int64_t pitch;
    uint32_t rows;
    uint32_t number;    /* of the access in its lane; of the last, if several are one record */
    uint32_t released;  /* of the pipe, at that time */
    uint8_t pipe, role; /* enum ptrt_pipe_id, enum ptrt_role */
    const san_clock *seen[2]; /* by the pipe, in each model */
} san_record;

enum { SAN_MODELS = 2 }; /* the order of practice, and the documented one */

/* Copies of what a pipe has seen, for as long as it stays the same. */
typedef struct san_copies {
    san_clock **list;
    size_t n, cap;
    uint32_t version[SAN_PIPES]; /* plus one; 0: none */
    const san_clock *last[SAN_PIPES];
} san_copies;

/* Where an access runs. */
typedef struct san_place {
    int32_t rank, place; /* place: 0 the cube core, 1 and 2 the vector cores */
    int64_t block;
} san_place;

/* The accesses of a core, in the order of its text. */
typedef struct san_log {
    struct san_log *next;
    uint32_t core;  /* number in the session */
    uint32_t group; /* number of the block in the session */
    san_place place;
    uint32_t ordered[SAN_MODELS];
    int models;
    san_record *list;
    size_t n, cap;
    san_copies copies[SAN_MODELS];
} san_log;

/* Adds an access of the pipe `r->pipe`; fills in `released` and `seen`. Returns false when memory
 * is exhausted. */
bool san_log_add(san_log *log, const san_pipes *pipes, const san_record *r);
void san_log_free(san_log *log);

/* ---- findings.c ---- */

typedef struct san_finding {
    ptrt_finding f;
    char *text, *note;
    uint64_t at; /* for the choice among findings of the same lines */
} san_finding;

typedef struct san_memory {
    char *name;
    uintptr_t base;
    uint64_t bytes;
    bool defined;
} san_memory;

/* A point where cores of several blocks meet; or a signal in memory. */
typedef struct san_meeting {
    struct san_meeting *next;
    const void *of; /* a launch, or the address of a signal */
    int kind;
    uint64_t round;
    uint32_t left; /* cores that have not passed */
    san_base *base;
} san_meeting;

/* What ptrt_sanitize starts. Shared by the threads of its launches. */
typedef struct san_session {
    uint32_t flags;
    pthread_mutex_t lock; /* guards what follows */
    san_finding *list;
    size_t n, cap;
    ptrt_finding *sorted;
    bool incomplete;
    bool foreign; /* a function that does not say what it does was called */
    san_memory *memory;
    size_t nmemory;
    uint32_t cores, groups; /* numbers given */
    int running;            /* launches and groups of ranks */
    san_log *logs;
    san_meeting *meetings;
} san_session;

/* Whether a finding would be new, or takes the place of one of the same lines: that of the first
 * block and bytes is kept. */
bool san_wanted(san_session *s, const char *id, const ptrt_site *site, const ptrt_site *other,
                const san_place *place, uint64_t at);
/* Adds a finding. `text` and `note` (may be NULL) are copied. */
void san_report(san_session *s, const char *id, const ptrt_site *site, const ptrt_site *other,
                const san_place *place, uint64_t at, uint64_t bytes, const char *text,
                const char *note);
void san_incomplete(san_session *s);
const char *san_pipe_name(int pipe);
const char *san_verb(const ptrt_site *site, bool writes);
/* Writes "block 3, vector core 0 of rank 1". */
void san_put_place(const san_place *p, char *text, size_t size);
/* Writes which bytes of global memory they are, and returns their offset from its start: "bytes
 * 0..63 of %x". */
uint64_t san_put_memory(const san_session *s, uintptr_t at, uint64_t bytes, char *text,
                        size_t size);

/* ---- judge.c ---- */

/* Compares the accesses of all logs, and frees them. Does not depend on the order in which the
 * cores ran. */
void san_judge(san_session *s);

/* ---- watch.c ---- */

/* Entries of a FIFO that a consumer has and has not freed; and its clocks, by slot. */
typedef struct san_popped {
    const ptrt_site *site;
    uint64_t at, bytes; /* of the tile in the block, if bytes is not 0 */
    uintptr_t slot;
} san_popped;

typedef struct san_fifo {
    struct san_fifo *next;
    const struct ptrt_fifo *of;
    san_clock *ready, *free; /* by slot */
    struct {
        san_popped *list;
        size_t n, cap, first;
    } popped[PTRT_PLACES];
} san_fifo;

typedef struct san_queue {
    san_clock *list;
    size_t n, cap, taken;
} san_queue;

/* A slot in global memory that its consumer has freed. */
typedef struct san_freed {
    uintptr_t at;
    uint64_t bytes;
    const ptrt_site *site;
} san_freed;

/* Where a recent vector instruction wrote; see is_chain(). */
typedef struct san_span {
    uint64_t from, bytes;
    uint32_t number;
    bool longs; /* contiguous, constant, and of 16 repeats or more */
} san_span;

enum { SAN_SPANS = 64 };

/* A core that is watched. */
typedef struct ptrt_watch {
    san_session *session;
    struct san_block *block;
    san_place where;
    int models;
    bool waits_all; /* a wait for another core stops all pipes */
    san_pipes pipes[SAN_MODELS];
    san_log *log;
    uint32_t number, number2;             /* of the statement, on its pipe and on the other */
    uint32_t before[SAN_PIPES];           /* accesses of earlier statements */
    san_span written[SAN_SPANS], read[4]; /* on the vector pipe; by the statement */
    unsigned reads;
    san_queue signals[PTRT_SIGNALS];
    san_queue sent[2][PTRT_FFTS]; /* modes 1 and 2 */
    uint64_t met[PTRT_KINDS], sent_all[PTRT_FFTS], taken[PTRT_FFTS];
    san_freed *freed;
    size_t nfreed;
    struct san_scope *scope;   /* what the vector scope has stored; NULL: nothing yet */
    const ptrt_site *micro[2]; /* of the reads and writes of the micro-instruction that runs */
} ptrt_watch;

/* A read that is not yet noted: what its statement writes is compared with earlier reads first. */
typedef struct san_pending {
    uint64_t from, bytes, pitch;
    uint32_t rows;
    san_entry mine[2];
} san_pending;

typedef struct san_block {
    san_shadow shadow;
    unsigned char *base;
    uint64_t core_bytes;
    san_fifo *fifos;
    san_pending *pending;
    size_t npending, pending_cap;
    ptrt_watch cores[PTRT_PLACES]; /* by place */
} san_block;

/* Lists the runs of bytes of a part of a tile: `rows` at a time, `pitch` apart. */
typedef void (*san_run_fn)(void *user, const unsigned char *at, uint64_t bytes, uint32_t rows,
                           uint64_t pitch);
void san_tile_runs(const ptrt_tile *t, int64_t row, int64_t col, int64_t rows, int64_t cols,
                   san_run_fn fn, void *user);

/* micro.c */
void san_scope_end(ptrt_watch *w);

/* memory.c: what accesses do to the shadow and the log. */
void san_see_run(ptrt_core *core, const ptrt_site *site, const void *at, uint64_t bytes);
/* The same for bytes that are read only to be copied, which need not be defined. */
void san_see_copied(ptrt_core *core, const ptrt_site *site, const void *at, uint64_t bytes);
/* Notes the reads of the last statement. */
void san_note_reads(san_block *b, san_session *s);
/* The bytes of a popped tile after its slot was freed: on a5 the pipe that read the entry, which
 * frees it, writes them. */
void san_free(ptrt_core *core, const ptrt_site *site, int pipe, uint64_t from, uint64_t bytes);

#endif
