/* SPDX-License-Identifier: Apache-2.0 */
/* The column `regions` of the instruction table: how often the regions of a statement run, what
 * ends them, and where the values go that their ends name. Whoever treats statements with regions
 * reads it instead of asking for an instruction. The kind of core of a section is Inst.core; what
 * uses no value from outside has IF_ISOLATED. */
#ifndef IR_REGIONS_H
#define IR_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum RegionRuns {
    RUNS_CALLED, /* when it is called: a function */
    RUNS_TIMES,  /* its region, `times` times */
    RUNS_IF,     /* the first region if operand 0 is true, else the second, which may be missing */
    RUNS_CASES,  /* the region whose number in the attribute `cases` operand 0 is, else the last */
    /* Its region for each number from operand 0 on, in steps of operand 2, below operand 1; the
     * number is the first argument of the region. */
    RUNS_COUNTED,
    /* The first region, whose end decides whether to leave or to run the second one and start
     * again. */
    RUNS_WHILE,
    RUNS_COUNT
} RegionRuns;

/* Who gets values: bits. Arguments are those of the first block, after the number that a loop
 * counts. */
enum { TO_RESULTS = 1, TO_FIRST = 2, TO_SECOND = 4 };

typedef struct RegionEnd {
    uint16_t by;    /* InstId of the terminator; INST_INVALID: there is none */
    uint8_t to;     /* TO_.. bits: who gets its operands */
    uint8_t before; /* its operands that come before those: the condition of scf.condition */
} RegionEnd;

typedef struct RegionsInfo {
    uint8_t runs;      /* RegionRuns */
    uint8_t times;     /* RUNS_TIMES */
    uint8_t init;      /* TO_.. bits: who gets the operands of the slot `init`; 0: there is none */
    bool blocks;       /* a region may have several blocks, with branches between them */
    bool implied;      /* without results, the text may leave out the terminator */
    bool attrs_first;  /* the attributes are before the region, not after it */
    RegionEnd ends[2]; /* of the first region, and of the others */
} RegionsInfo;

/* `.regions = ..` for the rows: REGIONS(TIMES, .times = 1, ALL_END(INST_SCF_YIELD, TO_RESULTS)). */
#define REGIONS(how, ...)                                                                          \
    .regions = &(const RegionsInfo) {                                                              \
        .runs = RUNS_##how, __VA_ARGS__                                                            \
    }
#define ALL_END(inst, whom) .ends = {{.by = inst, .to = whom}, {.by = inst, .to = whom}}

#endif
