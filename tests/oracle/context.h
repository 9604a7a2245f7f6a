/* SPDX-License-Identifier: Apache-2.0 */
/* context.h - inside the oracle: memory of a run, and the steps of a case. */
#ifndef TESTS_ORACLE_CONTEXT_H
#define TESTS_ORACLE_CONTEXT_H

#include "matrix.h"

#include <stdio.h>

/* One memory: what the runtime sees, its contents before the call, what it must hold after. Between
 * cases mem and want are equal. */
typedef struct Memory {
    unsigned char *mem, *old, *want;
    int64_t size;
    int64_t used; /* by the operands of this case */
} Memory;

enum { POOL = 512, POOLS = 3, MODES = 4, OFFSETS = 2048, DRAWN = 1 << 14 };

/* What varies from case to case besides the random choices. */
typedef struct Digits {
    int layout; /* below LAYOUTS: of all tiles that may have it; else each its own */
    int shape, valid, mode;
    int place; /* enum Place */
} Digits;

/* Where the first destination lies, seen from a source. */
enum Place {
    APART,
    SAME_SOURCES, /* two sources are one tile, the destination is apart */
    IN_PLACE,     /* the source's memory and layout */
    OTHER_LAYOUT, /* its address, but a layout (and perhaps an element type) of its own */
    SHIFTED,      /* some bytes further on or back */
    NEXT_WINDOW,  /* another window of the source's parent */
    PLACES
};

typedef struct Context {
    ptrt_core *core;
    Run *run;
    const Pass *pass; /* in use */
    Digits digits;
    int32_t offsets[MAX_ARGS][2][OFFSETS]; /* of the rows and columns of each operand */
    Memory memory[PTRT_SPACES];            /* PTRT_GM: what views lie in */
    /* Data to draw from: special values, ordinary ones, small integers; per element type. */
    uint64_t pool[PTRT_ELEMS][POOLS][POOL];
    /* Drawn at random once: pieces of it become the operands' contents. By type and mode. */
    unsigned char drawn[PTRT_ELEMS][MODES][DRAWN];
} Context;

/* memory.c */
/* Copies of all memories, and the one that views lie in. False when memory is exhausted. */
bool memory_alloc(Context *ctx, const int64_t *bytes);
void memory_free(Context *ctx);
/* On the core: its memories, full of noise. */
bool memory_open(Context *ctx);
void make_noise(unsigned char *p, int64_t n, Random *r);

/* passes.c */
/* The levels of this machine, or the one that PTORT_ISA names; the first one in checked mode too.
 */
void passes_make(Passes *p);
/* "v2,v3" */
void passes_text(const Passes *p, char *text, size_t size);
/* The calls that follow are made so. */
void use_pass(Context *ctx, const Pass *pass);

/* samples.c */
void samples_make(Context *ctx);
/* Random contents of all operands, then of the sources by `mode` 0 .. 3, then .fill. */
void fill_operands(Case *c, int mode);
/* A value for a scalar of an element type; as a double it need not be exact. */
void fill_scalar(Case *c, int k);

/* lines.c: the arguments of a line; false (with a message) when table and driver disagree. */
bool line_args(Case *c);

/* views.c: memory for a view. */
bool place_view(Case *c, Arg *a);

/* place.c: layouts, subviews, addresses; binds the tiles. False: the case cannot be made. */
bool place_operands(Case *c);

/* build.c: a case before its operands are chosen. */
void start_case(Case *c, uint64_t salt);
/* Case `number` of a line; false when there is none. */
bool build_case(Case *c);
/* Cases over all codes of 8- and 16-bit types: how many, and the i-th. */
int exhaustive_cases(const Case *c);
bool build_exhaustive(Case *c, int i);

/* judge.c: all copies of the operands' memory are what the case starts with. */
void open_case(Case *c);
/* Expectation; then call and comparison in each pass. False, with a message, when anything differs.
 */
bool judge_case(Case *c);
/* After a call that had to be refused, or need not have been: no byte outside of the destinations
 * has changed; of all memories when `whole`, else of what operands use. */
bool judge_refusal(Case *c, const char *what, bool accepted, bool whole);

/* hostile.c */
void run_hostile(Case *c);

/* Where element (r, col) of an argument lies in its memory. */
static inline int64_t arg_at(const Arg *a, int64_t r, int64_t col) {
    return a->addr + a->row_at[r] + a->col_at[col];
}

static inline Memory *arg_memory(const Case *c, const Arg *a) {
    return &c->ctx->memory[a->space];
}

static inline bool is_tile(const Arg *a) {
    return strchr("trcsdRCu", a->letter) != NULL && !a->absent;
}
static inline bool is_view(const Arg *a) {
    return a->letter == 'v' || a->letter == 'w';
}
/* What the formula reads. */
static inline bool is_source(const Arg *a) {
    return strchr("trcuv", a->letter) != NULL && !a->absent;
}

#endif
