/* SPDX-License-Identifier: Apache-2.0 */
/* ptort_sanitize.h - what code emitted with --sanitize calls. It says before or after each
 * statement what the statement touches, and calls these functions in the place of flags and tokens;
 * they do nothing while no sanitizer is on. Part of ptort_emitted.h; do not include it directly. */
#ifndef PTORT_SANITIZER_H
#define PTORT_SANITIZER_H

#ifdef __cplusplus
extern "C" {
#endif

/* The pipe of a statement. NONE: statements in the text order of their core. */
enum ptrt_pipe_id {
    PTRT_PIPE_NONE,
    PTRT_PIPE_S,
    PTRT_PIPE_V,
    PTRT_PIPE_M,
    PTRT_PIPE_MTE1,
    PTRT_PIPE_MTE2,
    PTRT_PIPE_MTE3,
    PTRT_PIPE_FIX
};

enum ptrt_site_flags {
    PTRT_SITE_SOME = 1,       /* only some of the elements, which depends on data */
    PTRT_SITE_STATIC = 2,     /* the valid region is constant */
    PTRT_SITE_LOAD = 4,       /* of pto.tload */
    PTRT_SITE_ATOMIC = 8,     /* updates that are atomic with respect to each other */
    PTRT_SITE_UNDEFINED = 16, /* the bytes have no defined contents afterwards */
    PTRT_SITE_PHASE = 32      /* a phase of the statement that has begun */
};

/* A statement, or an operand of one. */
typedef struct ptrt_site {
    const char *op;
    const char *operand; /* NULL: the statement */
    uint32_t line;
    uint8_t role;  /* enum ptrt_role */
    uint8_t pipe;  /* enum ptrt_pipe_id */
    uint8_t other; /* a pipe that it may run on instead; 0: none */
    uint8_t flags; /* enum ptrt_site_flags */
} ptrt_site;

/* A function that does not say what it does may have written any memory. */
PTRT_API void ptrt_see_foreign(ptrt_core *core);
/* Begins a statement, or a phase of one, after the call that does it. Its accesses follow, reads
 * before writes. Those of one statement are not compared with each other. */
PTRT_API void ptrt_see(ptrt_core *core, const ptrt_site *site);
/* rows x cols elements of a tile from (row, col) on, as far as the shape goes. */
PTRT_API void ptrt_see_tile(ptrt_core *core, const ptrt_site *site, const ptrt_tile *tile,
                            int64_t row, int64_t col, int64_t rows, int64_t cols);
/* The first rows x cols elements of a view, or all of it with PTRT_ABSENT. */
PTRT_API void ptrt_see_view(ptrt_core *core, const ptrt_site *site, const ptrt_view *view,
                            int64_t rows, int64_t cols);
/* Begins a micro-instruction, before the call that does it and that tells its accesses. */
PTRT_API void ptrt_see_micro(ptrt_core *core, const ptrt_site *site, const ptrt_site *reads,
                             const ptrt_site *writes);
/* A vector scope begins (1), which sees what earlier ones have stored, or ends (0). */
PTRT_API void ptrt_see_scope(ptrt_core *core, int begins);
/* pto.mem_bar of a kind, by its number in the language. */
PTRT_API void ptrt_see_mem_bar(ptrt_core *core, int kind);
PTRT_API void ptrt_see_bytes(ptrt_core *core, const ptrt_site *site, const void *at,
                             uint64_t bytes);

/* In the place of ptrt_set_flag and so on; pipes are numbered as in the language. */
PTRT_API int ptrt_see_set_flag(ptrt_core *core, const ptrt_site *site, int src_pipe, int dst_pipe,
                               int64_t event);
PTRT_API int ptrt_see_wait_flag(ptrt_core *core, const ptrt_site *site, int src_pipe, int dst_pipe,
                                int64_t event);
PTRT_API int ptrt_see_get_buf(ptrt_core *core, const ptrt_site *site, int pipe, int64_t token);
PTRT_API int ptrt_see_rls_buf(ptrt_core *core, const ptrt_site *site, int pipe, int64_t token);
/* The flags `events` (1 << number) that a statement of several phases sets on the pipe of the site
 * and waits for on its pipe `other`. Not `certain`: it may do without, so they order nothing. */
PTRT_API void ptrt_see_inside(ptrt_core *core, const ptrt_site *site, uint32_t events,
                              bool certain);
/* A barrier of the pipe of the site; without a pipe, of all. */
PTRT_API void ptrt_see_barrier(ptrt_core *core, const ptrt_site *site);

/* Before a pop or free (the role of the site is PTRT_READ or PTRT_WRITE), and after an allocation,
 * push, pop or free of a pipe. `entry` is the tile that a pop
 * binds, NULL for a view; a pop reads the slot and writes the tile. */
PTRT_API void ptrt_see_before_entry(ptrt_core *core, const ptrt_site *site, const ptrt_pipe *pipe);
PTRT_API void ptrt_see_alloc(ptrt_core *core, const ptrt_site *site, const ptrt_pipe *pipe);
PTRT_API void ptrt_see_push(ptrt_core *core, const ptrt_site *site, const ptrt_pipe *pipe);
PTRT_API void ptrt_see_pop(ptrt_core *core, const ptrt_site *site, const ptrt_site *reads,
                           const ptrt_pipe *pipe, const ptrt_tile *entry);
PTRT_API void ptrt_see_free(ptrt_core *core, const ptrt_site *site, const ptrt_pipe *pipe);

/* Before a statement that sends to other cores, and after one that waits for them. */
PTRT_API void ptrt_see_sync_set(ptrt_core *core, const ptrt_site *site, int64_t event, int mode);
PTRT_API void ptrt_see_sync_wait(ptrt_core *core, const ptrt_site *site, int64_t event);
PTRT_API void ptrt_see_set_intra_block(ptrt_core *core, const ptrt_site *site, int64_t id);
PTRT_API void ptrt_see_wait_intra_block(ptrt_core *core, const ptrt_site *site, int64_t id);
PTRT_API void ptrt_see_arrive(ptrt_core *core, const ptrt_site *site, int type);
PTRT_API void ptrt_see_meet(ptrt_core *core, const ptrt_site *site, int type);
PTRT_API void ptrt_see_notify(ptrt_core *core, const ptrt_site *site, const ptrt_view *signal);
PTRT_API void ptrt_see_noticed(ptrt_core *core, const ptrt_site *site, const ptrt_view *signal);

#ifdef __cplusplus
}
#endif

#endif
