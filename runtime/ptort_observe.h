/* SPDX-License-Identifier: Apache-2.0 */
/* ptort_observe.h - for tools that look into launches, as `ptoasm run` does: tiles that code
 * emitted with dumps hands out, accesses, the sanitizer. */
#ifndef PTORT_OBSERVE_H
#define PTORT_OBSERVE_H

#include "ptort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tiles ---- */

/* A tile after a statement. */
typedef struct ptrt_dump {
    const char *name; /* `%x` */
    uint32_t line;
    uint32_t request;                  /* the number of the ptoasm_dump that asked for it */
    int elem;                          /* enum ptrt_elem */
    const char *type, *space, *layout; /* such as "f32", "vec", "row_major/none_box" */
    int64_t shape[2], valid[2];
    int64_t block, blocks; /* of the launch */
    int place;             /* the core in its block: 0 the cube core, 1 and 2 vector cores */
    int rank, ranks;
    const ptrt_tile *tile;
} ptrt_dump;

/* Receives a tile, which is valid during the call. Another result than 0 ends the run with
 * PTRT_E_STOPPED; the receiver knows why. */
typedef int (*ptrt_dump_fn)(void *user, const ptrt_dump *dump);

/* Sets who receives the tiles of ptrt_dump_tile(), for all launches of the process; NULL: nobody.
 * With several threads all of them call it. */
PTRT_API void ptrt_dump_to(ptrt_dump_fn fn, void *user);
/* Copies all elements of the shape to `out`, row by row. */
PTRT_API void ptrt_dump_copy(const ptrt_dump *dump, void *out);
/* Limits what is printed and handed out to one block and one core (as ptrt_dump.place); -1: all. */
PTRT_API void ptrt_show_only(int64_t block, int place);

/* ---- Accesses ---- */

/* Called for every tile operand of every kernel call, before the kernel runs: operand `name` of
 * `op`, its role (enum ptrt_role), and the tile, which occupies bytes base+addr .. base+addr+bytes.
 */
typedef void (*ptrt_access_fn)(void *user, const ptrt_core *core, uint32_t line, const char *op,
                               const char *name, int role, const ptrt_tile *tile);

/* Sets the hook for later launches of the calling thread; NULL removes it. Returns false when
 * memory is exhausted. With several threads all of them call it. It is not called for tiles that a
 * caller passes, except in calls that take the slow path. */
PTRT_API bool ptrt_set_access_hook(ptrt_access_fn fn, void *user);

/* ---- Shadows in f64 ---- */

/* Code that was emitted for --shadow computes every followed statement a second time in f64, of
 * inputs that are themselves in f64, and compares. Relative errors are from 0 to 2; 1 is no correct
 * digit. One thread runs (PTORT_THREADS=1). */

/* Starts to watch, with nothing noted. */
PTRT_API void ptrt_shadow_start(void);

/* What a line of the program has done to the error. */
typedef struct ptrt_shadow_line {
    uint32_t line;
    const char *op; /* the instruction */
    uint64_t runs;  /* how often it has run */
    double worst;   /* the largest error of an element that it has written */
    /* The element at which the error has grown most: from that of the worst input, or one rounding
     * to the element type if that is larger. */
    const char *name; /* `%x` */
    int64_t row, col, block;
    int core; /* as ptrt_finding */
    double growth, before, after;
    double stored, reference; /* the element, and what it is in f64 */
} ptrt_shadow_line;

/* A line that no f64 form follows; later statements start from what it has stored. */
typedef struct ptrt_shadow_gap {
    uint32_t line;
    const char *op;
} ptrt_shadow_gap;

/* Return the lines by number. The arrays are valid until the next launch or ptrt_shadow_end, the
 * texts as long as the emitted code. */
PTRT_API const ptrt_shadow_line *ptrt_shadow_lines(size_t *count);
PTRT_API const ptrt_shadow_gap *ptrt_shadow_gaps(size_t *count);
/* Frees all. */
PTRT_API void ptrt_shadow_end(void);

/* ---- The sanitizer ---- */

/* The sanitizer watches code that was emitted with --sanitize: it finds reads of bytes that nothing
 * has written, accesses that nothing orders, and wrong use of flags and entries. */

enum ptrt_sanitize_flags {
    PTRT_SANITIZE_STRICT = 1 /* pipes keep the order that is documented, no more */
};

/* Switches the sanitizer on for later launches of the calling thread, and of the ranks that it
 * runs. On-chip memory then starts filled with bytes 0xFF, a NaN in all float types but hif8. With
 * ranks, which must be threads of this process, all of them are compared. PTRT_E_NOMEM; PTRT_E_ARG
 * in a launch or rank, or if it is on. */
PTRT_API int ptrt_sanitize(uint32_t flags);

/* Describes global memory, for messages: `name` is copied. Without `defined` it counts as not yet
 * written, and is filled with bytes 0xFF. Memory that is not described counts as written. */
PTRT_API int ptrt_sanitize_memory(const char *name, void *base, uint64_t bytes, bool defined);

/* What was found. `id` is a diagnostic of `ptoasm explain`. The same finding of the same lines is
 * reported once. */
typedef struct ptrt_finding {
    const char *id;
    const char *text; /* what the statement at `line` does */
    const char *note; /* what that at `other` does; NULL: there is no other */
    uint32_t line, other;
    int32_t rank;
    int64_t block;
    int32_t core; /* 0: the cube core, 1, 2: the vector cores */
    uint64_t bytes;
} ptrt_finding;

/* Returns what launches have found since ptrt_sanitize, by line. The array is valid until the next
 * launch or ptrt_sanitize_end. A launch that has run out of memory for its shadow reports nothing
 * more from then on, and sets *incomplete. */
PTRT_API const ptrt_finding *ptrt_findings(size_t *count, bool *incomplete);
/* Switches the sanitizer off and frees what it has found. */
PTRT_API void ptrt_sanitize_end(void);

#ifdef __cplusplus
}
#endif

#endif
