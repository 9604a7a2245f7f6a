/* SPDX-License-Identifier: Apache-2.0 */
/* chain.h - inside libptort: the plan of a chain, which chain_plan.c makes and chain.c runs. */
#ifndef PTORT_CHAIN_H
#define PTORT_CHAIN_H

#include "drive/drive.h"
#include "kern/chain.h"

enum { PTRT_CHAIN_OPERANDS = 3, PTRT_CHAIN_LANES = 48 };

/* A call of a body for each block. */
typedef struct ptrt_chain_job {
    ptrt_body body;
    unsigned char *at[PTRT_CHAIN_OPERANDS]; /* operands in the order of the call */
    ptrdiff_t next[PTRT_CHAIN_OPERANDS];    /* bytes from block to block */
    ptrdiff_t row[PTRT_CHAIN_OPERANDS];     /* bytes from row to row */
    ptrdiff_t ld[PTRT_CHAIN_OPERANDS]; /* elements from row to row, of the last operand first, then
                                          of the others, as ptrt_map2_fn wants them */
    size_t more;                       /* of a step about columns: elements after the last row */
    ptrt_bits k;
    unsigned how; /* of CVT: as the body wants it; of MAPS: 1 if the scalar is a float */
    uint8_t elem; /* of the first operand: enum ptrt_elem */
    uint8_t kind; /* enum ptrt_step_kind */
    uint8_t n;    /* operands */
    bool flat;    /* the rows of a block follow one another without gaps */
    bool column;  /* it computes on one element for each row */
    bool scratch; /* the last operand need not be in memory after the block */
    uint16_t kernel;
    uint8_t to; /* of CVT: the element type of the last operand */
    uint8_t number;
    uint8_t size[PTRT_CHAIN_OPERANDS]; /* bytes from column to column; 0: all use one element */
    uint8_t view[PTRT_CHAIN_OPERANDS]; /* the operand is this view, plus one; 0: it is none */
} ptrt_chain_job;

/* The bytes of a tile or window. */
typedef struct ptrt_chain_range {
    uintptr_t low, end;
    ptrdiff_t pitch; /* bytes from row to row */
    uint8_t role;    /* the letter of CHAINS; 0: not seen yet */
    uint8_t size;    /* bytes of an element */
    uint8_t elem;    /* of a window: enum ptrt_elem */
    bool written;
} ptrt_chain_range;

/* A step with its values in registers (kern/chain.h). */
typedef struct ptrt_chain_lane {
    ptrt_body fn;
    unsigned char *at;
    ptrdiff_t row, next; /* bytes from row to row, and from block to block */
    uint8_t view;
    bool memory; /* it loads or stores a vector for each in registers */
} ptrt_chain_lane;

/* Jobs that run one after the other for each block, or together, with steps. */
typedef struct ptrt_chain_unit {
    uint8_t job, n;
    uint8_t lane, nlanes; /* 0 steps: one job */
    uint8_t list;         /* its steps in the list of the plan, which `end` follows */
    bool flat;            /* so are all its jobs */
} ptrt_chain_unit;

/* What a chain does with its operands. It holds for as long as these have the same keys and
 * addresses, and windows the same shape: their memory may be another one each time. */
typedef struct ptrt_chain_plan {
    ptrt_step steps[PTRT_CHAIN_STEPS]; /* of the chain */
    uint32_t dead;
    uint8_t nsteps, ntiles, nviews; /* nsteps 0: there is no plan */
    unsigned char *scratch;         /* memory for tiles that need not be written */
    size_t scratch_bytes;
    int64_t rows, cols; /* the region */
    int64_t step;       /* rows of a block; in a flat chain elements */
    bool flat;          /* all tiles are one run of memory with elements in the same order */
    bool loads;         /* some tile is loaded */
    uint8_t shared;     /* windows that are the same memory as another one, bits 1 << i */
    uint8_t njobs, nunits, nlanes;
    uint64_t key[PTRT_CHAIN_TILES];
    ptrt_chain_range tiles[PTRT_CHAIN_TILES], views[PTRT_CHAIN_VIEWS];
    ptrt_chain_job jobs[PTRT_CHAIN_STEPS];
    ptrt_chain_unit units[PTRT_CHAIN_STEPS];
    ptrt_chain_lane lanes[PTRT_CHAIN_LANES];
    ptrt_lane list[PTRT_CHAIN_LANES + PTRT_CHAIN_STEPS]; /* of all units, at their first rows */
} ptrt_chain_plan;

/* The operands of a call. */
typedef struct ptrt_chain_call {
    ptrt_core *core;
    const ptrt_chain *chain;
    const ptrt_tile *const *tile;
    const ptrt_view *const *view;
} ptrt_chain_call;

/* The letters of CHAINS, by kind of step, and how many there are. */
typedef struct ptrt_chain_letters {
    char text[PTRT_CHAIN_OPERANDS + 1];
    uint8_t n;
} ptrt_chain_letters;
extern const ptrt_chain_letters ptrt_chain_letters_of[];

/* Makes the plan; false: the steps must run one by one. */
bool ptrt_chain_make(const ptrt_chain_call *c, ptrt_chain_plan *plan);
/* Finds the jobs that run together (chain_lanes.c). */
void ptrt_chain_group(const ptrt_lanes *lanes, ptrt_chain_plan *plan);
/* Sets the list of the steps. */
void ptrt_chain_list(ptrt_chain_plan *plan, const ptrt_chain_unit *unit);
/* Whether the plan holds for this call. Sets the memory of windows. */
bool ptrt_chain_holds(const ptrt_chain_call *c, ptrt_chain_plan *plan);

#endif
