/* What the files of the example search share. */
#ifndef EXPLAIN_EXAMPLE_IMPL_H
#define EXPLAIN_EXAMPLE_IMPL_H

#include "explain/example.h"

/* What the verifier says about a try. */
typedef struct Verdict {
    InstId inst;
    bool read; /* it could be read */
    bool accepted;
    bool warned;
    bool around;        /* something is wrong with another statement */
    const RuleRow *row; /* the first broken rule of the statement */
    const RuleRow *wanted;
    bool hit;  /* the statement breaks `wanted`, maybe besides others; not on the bench */
    DiagId id; /* the first error; DIAG_COUNT = none */
} Verdict;

/* On the bench when there is one: what else the verifier looks at besides the rules of the
 * statement is left to example_judge_text. */
void example_judge(Example *e, Verdict *v);
/* Reads and verifies a program. */
void example_judge_text(Example *e, Verdict *v);
/* False when the bench cannot tell. */
bool example_bench_judge(ExampleBench *b, const Example *e, Verdict *v);
/* The program around a statement. */
void example_put_program(const Example *e, const char *statement, StrBuf *out);
/* The statement in the generic form. */
void example_put_generic(const Example *e, StrBuf *out);
/* Whether a slot (or what comes after the slots) is a result here. */
bool example_is_result(const Example *e, int slot);
/* Destinations are results. */
bool example_results(const Example *e);

/* One of EXAMPLE_CHANGES single changes of an operand; false when it has no such change. `s` is
 * NULL for a result. */
enum { EXAMPLE_CHANGES = 160 };
bool example_change(const SlotInfo *s, ExampleOperand *o, int k);
/* Valid extents inside the shape, whole blocks and boxes. */
void example_settle(Example *e);
/* Changes the choice so that a broken row of the vocabulary holds; false when that is all there is.
 */
bool example_mend(Example *e, const RuleRow *row);
/* Index of a slot or, after the slots, of a result; -1 when there is none. */
int example_operand(const Inst *inst, const char *s, size_t n);
/* How many values an attribute's type offers. */
int example_attr_values(const AttrInfo *a);

#endif
