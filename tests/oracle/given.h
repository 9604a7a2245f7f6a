/* given.h - calls that are not the matrix's own: emitted functions whose operands a program states,
 * judged by the same formulas. */
#ifndef TESTS_ORACLE_GIVEN_H
#define TESTS_ORACLE_GIVEN_H

#include "matrix.h"

/* One argument of the line, as the program has it. */
typedef struct GivenArg {
    bool absent;
    ptrt_tile_type type; /* of a tile */
    int64_t vrow, vcol;  /* its valid region; -1: any, chosen from case to case */
    int rank;            /* of a view, dense and in row-major order */
    int64_t dims[5];
    int elem;        /* of a view or scalar */
    bool has_number; /* an attribute or integer that the program states */
    int64_t number;
} GivenArg;

typedef struct Given {
    const char *name; /* for messages */
    const Line *line;
    int e1, e2;
    GivenArg arg[MAX_ARGS];
    bool result; /* the destination is a value: what the formula does not write is unspecified */
    int (*call)(ptrt_core *core, const Case *c);
    const void *user; /* c->user, for `call` */
} Given;

/* Calls it `cases` times with different data; counts in *run. False when memory is exhausted. */
bool run_given(Run *run, const Given *given, int cases);

#endif
