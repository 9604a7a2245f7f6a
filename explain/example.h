/* SPDX-License-Identifier: Apache-2.0 */
/* Finds legal operands for an instruction from the tables: the instruction's row lists the
 * operands, the rules tell what is wrong with a candidate, and the search changes that. Used for
 * the examples of `ptoasm explain` and by tests that need legal programs of every kind. */
#ifndef EXPLAIN_EXAMPLE_H
#define EXPLAIN_EXAMPLE_H

#include "verifier/rules/case.h"

/* An operand or result: the choice, and the sets it may be chosen from, which the search only
 * narrows. */
typedef struct ExampleOperand {
    uint8_t count;    /* operands of the slot; 0 = left out */
    bool fixed_count; /* keep the caller's count */
    bool frozen;      /* do not change it to satisfy a rule */
    bool own_type; /* a result has the chosen type instead of the one that follows from the operands
                    */
    bool constant; /* the scalar is a constant, else a parameter of the function */
    uint8_t elem;  /* Elem */
    uint8_t space; /* Space, of a tile or pointer */
    uint8_t layout; /* one LAY_ bit; 0 = no layout keys in the type */
    uint8_t pad, compact;
    uint8_t rank;                   /* of a view */
    uint16_t lanes;                 /* of a logical vector or its mask; 0 = 64 */
    uint8_t mask_bits;              /* of a mask of lanes: 8, 16, 32; 0 = not said */
    uint16_t fractal;               /* 0 = not written */
    const char *text;               /* of a type kept as text; NULL = a memref */
    uint32_t kind;                  /* one K_ bit */
    uint8_t same_as;                /* 1 + the slot whose value it shares; 0 = none */
    int64_t addr;                   /* of a tile in a placed example: its byte address */
    int64_t value;                  /* of a constant */
    int64_t rows, cols, vrow, vcol; /* of a tile; valid extents may be DYNAMIC */
    int64_t dims[5];                /* of a view */

    uint64_t kinds; /* K_.. */
    ElemSet elems;
    uint16_t spaces;
    uint8_t layouts; /* 0 may be chosen if all are allowed */
} ExampleOperand;

typedef struct ExampleAttr {
    bool present, fixed;
    int64_t value; /* integer, 0 or 1 of a bool, index of an enum's value */
} ExampleAttr;

enum { EXAMPLE_MAX_ATTRS = 24 };

typedef struct Example {
    const Inst *inst;
    Profile profile;
    OpForm form;
    const char *text; /* a whole program, for statements that have regions or need others; NULL =
                         made from operands */
    ExampleOperand operands[INST_MOST_OPERANDS]; /* slots, then results */
    ExampleAttr attrs[EXAMPLE_MAX_ATTRS];
    unsigned tries;        /* candidates judged so far */
    unsigned max_tries;    /* 0 = a default */
    const RuleRow *broken; /* after failure: the rule that the best candidate breaks, or NULL */
    DiagId id;             /* and its first diagnostic; DIAG_COUNT = none */
    bool warned;           /* success with a warning */
    bool aliases;          /* print types as `!operand` */
    bool compat;           /* judge as the vendor's assembler does */
    bool shown;            /* satisfy the rules for examples in the documentation */
    bool no_library;       /* ignore the rules of the vendor's library */
    bool placed;           /* allocations have an address: level 3 */
    bool given;            /* tiles are parameters, so their types are not judged */
    const RuleRow *wanted; /* sets Verdict.hit when broken */
    struct ExampleBench *bench; /* judges candidates faster, or NULL */
    bool *starved;              /* set when memory ran out; or NULL */
} Example;

/* True when the instruction has this form; alternative spellings have none. */
bool example_has_form(const Inst *inst, OpForm form);
/* Sets the first guess: f32 tiles in vec, optional operands left out. */
void example_init(Example *e, const Inst *inst, Profile profile, OpForm form);
/* Changes the choice until the verifier accepts the program; false when it never did. */
bool example_find(Example *e);
/* Prints the whole program. */
void example_print(const Example *e, StrBuf *out);
/* The same with types named after their operands (`%src : !src`). */
void example_print_syntax(const Example *e, StrBuf *out);
/* Makes every operand present, which need not be legal. Of a given text the attributes stay. Of
 * clauses that exclude each other the first with an operand is taken. */
void example_take_all(Example *e);
/* True for a statement with clauses (clauses.c). */
bool inst_has_clauses(const Inst *inst);
/* Part of example_take_all(). */
void clauses_take_all(Example *e);
/* Prints the type of an operand; results have indices after the slots. */
void example_print_type(const Example *e, int index, StrBuf *out);
/* Shares work between many searches for an instruction, under any profile: set it as `bench`. */
typedef struct ExampleBench ExampleBench;
ExampleBench *example_bench_new(void);
void example_bench_free(ExampleBench *b);
/* Judges the program as it is. */
bool example_accepted(Example *e);

#endif
