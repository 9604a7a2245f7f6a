/* SPDX-License-Identifier: Apache-2.0 */
/* Chains: statements that the runtime runs together, block by block. */
#ifndef BACKENDS_LOWER_CHAINS_H
#define BACKENDS_LOWER_CHAINS_H

#include "backends/lower/body.h"

enum { CHAIN_STEPS = 16, CHAIN_TILES = 16, CHAIN_VIEWS = 4, CHAIN_OPERANDS = 3, CHAIN_HOW = 3 };

typedef struct LowerStep {
    const LowerStmt *stmt;
    const char *kind;           /* PTRT_STEP_.. without that */
    uint8_t at[CHAIN_OPERANDS]; /* tiles and views of the chain, in the order of the call */
    uint8_t number;             /* its scalar */
    uint8_t nhow;
    const LowerArg *how[CHAIN_HOW]; /* attributes */
    bool is_float;                  /* the scalar is one */
    bool column; /* its tiles have one element for each row of those of other steps */
} LowerStep;

/* Its statements stay where they are, and bind their results and check their rules there; the last
 * one calls the runtime for all. */
typedef struct LowerChain {
    const LowerStmt *last;
    LowerStep *steps;
    const Value **tiles, **views;
    const LowerArg **numbers;
    uint8_t nsteps, ntiles, nviews, nnumbers;
    uint32_t dead; /* tiles that nothing reads afterwards and that the chain writes before it reads
                      them: bits 1 << i */
} LowerChain;

#endif
