/* What the files of the example search share. */
#ifndef VERIFIER_EXAMPLE_IMPL_H
#define VERIFIER_EXAMPLE_IMPL_H

#include "verifier/example.h"

/* What the verifier says about a try. */
typedef struct Verdict {
    InstId inst;
    bool read; /* it could be read */
    bool accepted;
    bool warned;
    bool around;        /* something is wrong with another statement */
    const RuleRow *row; /* the first broken rule of the statement */
    DiagId id;          /* the first error; DIAG_COUNT = none */
} Verdict;

void example_judge(Example *e, Verdict *v);
/* Destinations are results. */
bool example_results(const Example *e);

#endif
