/* SPDX-License-Identifier: Apache-2.0 */
/* Alias analysis of tiles and, where it is asked for, of memory, for the verifier, the passes and
 * the emitter.
 *
 * For each tile of a function it computes the places where the tile may be, through views,
 * arith.select, loops, branches, multi tiles, and pto.tassign; at most ALIAS_PLACES of them,
 * otherwise it may be anywhere. Takes time linear in the size of the function. */
#ifndef ANALYSIS_ALIAS_H
#define ANALYSIS_ALIAS_H

#include "analysis/place.h"
#include "ir/plan.h"

enum { ALIAS_PLACES = 8 };

/* The places of a tile; none if the statement is unreachable. */
typedef struct AliasSet {
    const Place *places;
    unsigned n;
} AliasSet;

typedef struct Alias Alias;

/* Analyses a function with a body. The result is allocated in the arena and valid until the
 * function changes. */
Alias *alias_function(Arena *arena, const Context *ctx, Op *func);
/* The same with the addresses of a plan for tiles that the text does not place; NULL: none. */
Alias *alias_planned(Arena *arena, const Context *ctx, Op *func, const Plan *plan);
/* The same, with numbers that may live longer. */
Alias *alias_numbered(Arena *arena, Numbers *numbers, const Context *ctx, Op *func);
/* The same for pointers and views, too, with the numbers of a program of several functions. */
Alias *alias_memory(Numbers *numbers, const Context *ctx, Op *func);
/* Returns the places of `v` where `op` uses or defines it. */
AliasSet alias_places(const Alias *a, const Op *op, const Value *v);
/* Tells whether two tiles may share a byte as operands or results of `op`. */
Overlap alias_overlap(const Alias *a, const Op *op, const Value *v, const Value *w);
Overlap alias_sets_overlap(AliasSet a, AliasSet b);
/* Returns the address that the text gives to alloc_tile, alloc_multi_tile or tassign. False when
 * it gives none, or one that is known only at run time. */
bool given_address(const Op *op, int64_t *address);

/* Calls `see` for each value that a loop carries, with the statement that passes it on, the
 * operand, and the argument of the next iteration. */
void alias_each_carried(const Alias *a,
                        void (*see)(void *arg, Op *op, const Value *from, Value *to), void *arg);

#endif
