/* SPDX-License-Identifier: Apache-2.0 */
/* Programs whose rules only run time can decide: from a legal example, the same statement with `?`
 * extents, computed addresses and computed scalars, and numbers for them with which chosen checks
 * hold or fail. */
#ifndef TESTS_EXEC_OPEN_H
#define TESTS_EXEC_OPEN_H

#include "explain/example_impl.h"
#include "verifier/rules/residual.h"

/* The numbers that run time gives to the operands, by slot. */
typedef struct Given {
    int64_t vrow[INST_MOST_OPERANDS], vcol[INST_MOST_OPERANDS], addr[INST_MOST_OPERANDS],
        value[INST_MOST_OPERANDS];
} Given;

/* What is known of one statement. */
typedef struct Opened {
    Example e;                          /* tiles have `?` extents where they may */
    int64_t window[INST_MOST_OPERANDS]; /* where windows start in the buffer, in elements */
    Given given;                        /* the numbers of the example */
    Arena arena;                        /* of what follows; its own context */
    Context *ctx;
    const Op *op;
    const Residue *rest; /* what is left to run time, or NULL */
} Opened;

/* Opens a legal example in the form DPS or SSA; false when it cannot be read any more.
 * close_example() either way. */
bool open_example(Opened *o, const Example *legal);
void close_example(Opened *o);
/* A function `name(pointer to a buffer, 0)` with the statement on a line of its own; returns the
 * number of lines before it.
 */
unsigned put_function(const Opened *o, const Given *g, const char *name, StrBuf *out);
/* Whether a term is true with these numbers. */
bool term_holds(const Opened *o, const Given *g, const Term *t);
/* Numbers with which `broken` is the first residue that does not hold, or, NULL, all hold and
 * `aside` (when it is not NULL) does not. False when none are found. */
bool find_numbers(const Opened *o, const Residue *broken, const Term *aside, Given *out);

#endif
