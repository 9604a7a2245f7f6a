/* SPDX-License-Identifier: Apache-2.0 */
/* For the test of what the instruction table says of accesses: the bytes of memory that a statement
 * is declared to touch, and runs of it with chosen contents. */
#ifndef TESTS_EXEC_TOUCHED_H
#define TESTS_EXEC_TOUCHED_H

#include "ir/ir.h"

#include <ptort.h>

enum { MOST_PARTS = 16, BUFFER = 1 << 16 };

/* A tile, or a window of the caller's buffer, that a statement has as an operand. */
typedef struct Part {
    int slot;
    unsigned nth; /* among the operands of the slot */
    bool tile;
    bool result;            /* seen only after the statement */
    const Touched *touched; /* NULL: it is not accessed */
    bool read, write;
    bool exact; /* all elements are touched */
    bool must;  /* each element has an effect on what is written */
    /* Of a window. */
    size_t at; /* bytes from the start of the buffer */
    int64_t rows, cols;
    uint32_t size;
} Part;

typedef struct Statement {
    const Inst *inst;
    unsigned n; /* parts */
    Part parts[MOST_PARTS];
    int64_t numbers[INST_MOST_OPERANDS]; /* of scalars, by slot */
} Statement;

/* The elements of a part, as the last run saw it. */
typedef struct Elements {
    const Part *part;
    const ptrt_tile *tile; /* NULL: a window */
    unsigned char *base;   /* of element (0,0) */
    int64_t row, col, rows, cols;
    int64_t bits; /* that a column takes of the row; 0: an element */
    uint32_t size;
} Elements;

/* The bytes of one element; of the last one only the bits in `mask` if it has no whole byte. */
typedef struct Cell {
    unsigned char *at;
    size_t n;
    unsigned char mask;
} Cell;

/* Finds what is touched of part `i`. `tiles` are those of the parts, `buffer` has the windows. */
Elements touched_elements(const Statement *s, unsigned i, const ptrt_tile *tiles,
                          unsigned char *buffer);
/* Returns element number k of rows * cols. */
Cell touched_cell(const Elements *e, int64_t k);

/* What a judged statement does that the table does not say, or NULL. */
typedef struct Finding {
    const char *wrong;
    char element[80];        /* which one, or empty */
    bool ran;                /* else there is nothing to say */
    bool effect[MOST_PARTS]; /* contents of the part had an effect */
} Finding;

typedef int (*Function)(void *, int64_t);

/* The statement's function calls this with each tile before it, and again after it. */
int touched_see(int part, const ptrt_tile *t);
/* Judges by running. Of each operand at most `most` elements are tried one by one; of memory, all
 * that a core has is looked at, or only what is near the operands. */
void touched_judge(const Statement *s, Function f, unsigned most, bool whole, Finding *v);

#endif
