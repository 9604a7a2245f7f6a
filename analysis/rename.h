/* SPDX-License-Identifier: Apache-2.0 */
/* Translates forms and places into other variables: those that all cores of a block, or all blocks
 * of a launch, have alike. What a caller translates itself are iterations of loops and values;
 * remainders and quotients of such are the same variable if what they are of is the same. */
#ifndef ANALYSIS_RENAME_H
#define ANALYSIS_RENAME_H

#include "analysis/place.h"

enum { NEVER_EQUAL = UINT16_MAX }; /* the depth of a variable that is one number only once */

typedef struct SharedVariable {
    struct SharedVariable *next; /* of the same key */
    Variable variable;
} SharedVariable;

/* The variables that were made. Starts as shared_variables(). */
typedef struct SharedVariables {
    Arena *arena;
    PtrMap by_key;
    uint32_t n;
    char forms[VAR_VALUE + 1]; /* their addresses are the keys of remainders and quotients */
} SharedVariables;

static inline SharedVariables shared_variables(Arena *arena) {
    return (SharedVariables){.arena = arena, .by_key = {.arena = arena}};
}

/* Returns the variable of a key with the interval of another one; it is one number in each
 * iteration of so many loops around. */
const Variable *shared_value(SharedVariables *t, const void *key, const Variable *like,
                             uint32_t depth);
/* Returns a variable that is equal to no other one. */
const Variable *lone_variable(SharedVariables *t, const Variable *like);
Affine affine_of(Arena *arena, const Variable *v);

/* A translation. */
typedef struct Renaming {
    SharedVariables *variables;
    /* Returns the form of a VAR_LOOP, VAR_VALUE or VAR_COMPUTED. */
    Affine (*leaf)(struct Renaming *r, const Variable *v);
    /* True for what is one number in all calls and iterations. NULL: nothing is. */
    bool (*fixed)(const struct Renaming *r, const Variable *v);
    void *arg;
    /* Variables as deep that are not fixed are of some iteration or call before; UINT32_MAX: none.
     */
    uint32_t fresh;
    bool failed; /* some form has too many terms, or too large numbers */
} Renaming;

Affine renamed_form(Renaming *r, const Affine *form);
/* Returns a place whose base is translated already; anywhere, if it fails. */
Place renamed_place(Renaming *r, const Place *p);

#endif
