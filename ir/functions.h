/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves calls: which function of the module around it a statement calls. */
#ifndef IR_FUNCTIONS_H
#define IR_FUNCTIONS_H

#include "ir/ir.h"
#include "support/ptrmap.h"

/* The functions of modules by name. A module is entered when it is first asked for; functions that
 * are appended to it later are found, too. Starts as {.arena = ...}. */
typedef struct Functions {
    Arena *arena;
    PtrMap modules; /* const Op * -> table of names */
} Functions;

/* Returns the function with this name in a module itself, not in modules inside; NULL: none. Of
 * several, the first. Without an index (`f` is NULL) it searches the module. */
Op *functions_find(Functions *f, const Op *module, Atom name);
/* Returns the function that a func.call calls or a pto.simt_launch launches; NULL: none in the
 * module of its own function. */
Op *functions_callee(Functions *f, const Op *call);
/* The same; NULL also for a function without a body, and one with other parameters. */
Op *functions_body(Functions *f, const Op *call);
/* Whether a func.func is private, or public, as it is without a word. A nested one is neither. */
bool func_is_private(const Interner *names, const Op *func);
bool func_is_public(const Interner *names, const Op *func);
/* True for a func.func whose statements are there. */
bool function_has_body(const Op *op);
/* True if the parameters of one function, by its first block, begin those of the other: the
 * arguments that a launch gives to both belong together by position. Nothing says how those of
 * others do. */
bool functions_share_arguments(const Block *a, const Block *b);

#endif
