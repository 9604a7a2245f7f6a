/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that make a program smaller while it stays readable: what a reduction of a failing program
 * tries one after the other. Each changes a module that was just read; the caller prints it and
 * judges the text. Statements have numbers in pre-order, without the module itself. */
#ifndef PASSES_REDUCE_H
#define PASSES_REDUCE_H

#include "ir/ir.h"

/* Returns the number of statements. */
uint32_t reduce_count(const Module *m);

/* Removes the statements with the numbers from `from` to before `to`, and `also`, with their
 * regions and whatever uses their results; terminators stay, and return other values of the same
 * types. False when nothing was removed, or a terminator has no other value. */
bool reduce_remove(Module *m, uint32_t from, uint32_t to, uint32_t also);

/* A step on one statement; `way` counts from 0. */
typedef enum ReduceStep {
    REDUCE_UNWRAP,    /* runs region `way` once in place of the statement: the first iteration */
    REDUCE_BYPASS,    /* operand `way` takes the place of the result */
    REDUCE_CONSTANT,  /* the result is the constant 0, 1 or 16 */
    REDUCE_MERGE,     /* an earlier value of the same type takes its place: the nearest ones */
    REDUCE_ATTRIBUTE, /* attribute `way` is dropped */
    REDUCE_STEPS
} ReduceStep;

typedef struct ReduceTry {
    uint32_t number;
    unsigned way;
} ReduceTry;

/* Lists what reduce_step() can do, last statements first, in the arena of the module; returns the
 * number of entries. */
uint32_t reduce_tries(const Module *m, ReduceStep step, ReduceTry **out);
/* Does a step of reduce_tries() of the same text. */
void reduce_step(Module *m, ReduceStep step, ReduceTry at);

/* Makes an explicit module without a name the implicit one, without its attributes; false when it
 * is. */
bool reduce_module(Module *m);
/* Drops all comments, blank lines and locations; false when there is none. */
bool reduce_comments(Module *m);

#endif
