/* Legal operands for an instruction, found from the tables: the row says what operands there are,
 * the evaluator of the rules says what is wrong with a try, and the search changes that. Used for
 * the examples of `ptoasm explain` and by tests that need legal programs of every kind.
 *
 *     Example e;
 *     example_init(&e, inst, PROFILE_A5, OPF_DPS);
 *     e.operands[0].elems = ELEM_BIT(ELEM_F16);   // optional: narrow what may be chosen
 *     if (example_find(&e)) example_print(&e, &out);
 */
#ifndef EXPLAIN_EXAMPLE_H
#define EXPLAIN_EXAMPLE_H

#include "verifier/rules.h"

/* One operand or result: what was chosen, and the sets from which it may be chosen. The search
 * only ever narrows the sets. */
typedef struct ExampleOperand {
    uint8_t count;    /* operands of the slot; 0 = left out */
    bool fixed_count; /* the caller's count stays */
    bool frozen;      /* what is mended is another operand */
    bool own_type;    /* a result has the type chosen, not the one that follows from the operands */
    bool constant;    /* a scalar that is a constant, else a parameter of the function */
    uint8_t elem;     /* Elem */
    uint8_t space;    /* Space, of a tile or pointer */
    uint8_t layout;   /* one LAY_ bit; 0 = the layout that the type has without the keys */
    uint8_t pad, compact;
    uint8_t rank;                   /* of a view */
    uint16_t fractal;               /* 0 = left out */
    uint32_t kind;                  /* one K_ bit */
    uint8_t same_as;                /* 1 + the slot whose value is used here too; 0 = its own */
    int64_t addr;                   /* of a tile in a placed example: its byte address */
    int64_t value;                  /* of a constant */
    int64_t rows, cols, vrow, vcol; /* of a tile; valid extents may be DYNAMIC */
    int64_t dims[5];                /* of a view */

    uint64_t kinds; /* K_.. */
    ElemSet elems;
    uint16_t spaces;
    uint8_t layouts; /* 0 may be chosen when all are allowed */
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
    const char *text;                        /* a whole program, of statements that have regions or
                                                need others around them; NULL = made from operands */
    ExampleOperand operands[RULE_MAX_SLOTS]; /* slots, then results */
    ExampleAttr attrs[EXAMPLE_MAX_ATTRS];
    unsigned tries;             /* programs judged so far */
    unsigned max_tries;         /* 0 = a default */
    const RuleRow *broken;      /* without success: the rule that the best try breaks, or NULL */
    DiagId id;                  /* and its first diagnostic; DIAG_COUNT = none */
    bool warned;                /* success, but with a warning */
    bool aliases;               /* print types as `!operand` */
    bool compat;                /* judged as the vendor's assembler does */
    bool shown;                 /* keeps what examples keep that are shown */
    bool no_library;            /* need not keep what only the vendor's library demands */
    bool placed;                /* allocations carry an address: level 3 */
    bool given;                 /* tiles are parameters: nothing is said about their types alone */
    const RuleRow *wanted;      /* a verdict says whether the statement breaks it */
    struct ExampleBench *bench; /* where tries are judged quickly, or NULL */
} Example;

/* Whether the row has this form at all; a mere other spelling has none. */
bool example_has_form(const Inst *inst, OpForm form);
/* The first guess: f32 tiles in vec, optional operands left out. */
void example_init(Example *e, const Inst *inst, Profile profile, OpForm form);
/* Changes the choice until the verifier accepts the program; false when it never did. */
bool example_find(Example *e);
/* The whole program. */
void example_print(const Example *e, StrBuf *out);
/* The statement alone; nothing when it has regions. */
void example_print_statement(const Example *e, StrBuf *out);
/* The same with types named after their operands (`%src : !src`); `optional`: with every operand
 * that it may have, which need not be legal. */
void example_print_syntax(const Example *e, bool optional, StrBuf *out);
/* The text of an operand's type; results by their index after the slots. */
void example_print_type(const Example *e, int index, StrBuf *out);
/* Keeps what tries have in common, for many tries of an instruction under any profile: an Example
 * whose `bench` it is finds out faster. */
typedef struct ExampleBench ExampleBench;
ExampleBench *example_bench_new(void);
void example_bench_free(ExampleBench *b);
/* Judges the program as it is. */
bool example_accepted(Example *e);

#endif
