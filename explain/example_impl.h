/* SPDX-License-Identifier: Apache-2.0 */
/* Shared declarations of the example search. */
#ifndef EXPLAIN_EXAMPLE_IMPL_H
#define EXPLAIN_EXAMPLE_IMPL_H

#include "explain/example.h"

/* The verifier's verdict on a candidate. */
typedef struct Verdict {
    InstId inst;
    bool read; /* the program could be read */
    bool accepted;
    bool warned;
    bool around;        /* another statement is illegal */
    const RuleRow *row; /* the first broken rule of the statement */
    const RuleRow *wanted;
    bool hit;  /* the statement breaks `wanted`, maybe among others; not set on the bench */
    DiagId id; /* the first error; DIAG_COUNT = none */
} Verdict;

/* Judges the rules of the statement, on the bench if there is one; what else the verifier checks
 * is left to example_judge_text. */
void example_judge(Example *e, Verdict *v);
/* Reads and verifies a program. */
void example_judge_text(Example *e, Verdict *v);
/* Returns false when the bench cannot tell. */
bool example_bench_judge(ExampleBench *b, const Example *e, Verdict *v);
/* Writes the program around a statement. */
void example_put_program(const Example *e, const char *statement, StrBuf *out);
/* Writes the statement in the generic form. */
void example_put_generic(const Example *e, StrBuf *out);
/* True when a slot, or an index after the slots, is a result in this form. */
bool example_is_result(const Example *e, int slot);
/* True when destinations are results. */
bool example_results(const Example *e);

/* ---- one operand (example_operand.c) ---- */
void operand_init(ExampleOperand *o, SlotKind kind);
bool kind_is_scalar(uint32_t kind);
/* Choose from a smaller set, if it is not empty; false when the choice stays. */
bool operand_narrow_elems(ExampleOperand *o, ElemSet set);
bool operand_narrow_space(ExampleOperand *o, uint64_t set);
bool operand_narrow_layout(ExampleOperand *o, uint64_t set);
bool operand_narrow_kind(ExampleOperand *o, uint64_t set);
/* Chooses from the operand's sets, which the caller may have narrowed. */
void operand_pick(ExampleOperand *o);
/* Sets how many operands the slot has; false when that is fixed or so already. */
bool operand_set_count(ExampleOperand *o, uint8_t count);
/* Puts the valid region of a tile inside the shape, which becomes whole blocks of 32 bytes or whole
 * inner boxes. */
void operand_settle(ExampleOperand *o);
int64_t example_round_up(int64_t n, int64_t unit);
/* Applies one of EXAMPLE_CHANGES single changes to an operand; false when it does not apply. `s`
 * is NULL for a result. */
enum {
    EXAMPLE_CHANGES = 160,
    EXAMPLE_AT_ELEM = 6, /* the first change of the element type, after those of the count */
    EXAMPLE_ELEMS = 28   /* number of element types that are tried */
};
bool example_change(const SlotInfo *s, ExampleOperand *o, int k);

/* ---- the whole statement (example.c, example_repair.c) ---- */
/* Makes shapes consistent: valid region inside, whole blocks and boxes. */
void example_settle(Example *e);
/* Changes operands to satisfy a broken row of the rule table; false when nothing changed. */
bool example_repair(Example *e, const RuleRow *row);
/* Returns how many values the search tries for an attribute's type. */
int example_attr_values(const AttrInfo *a);

#endif
