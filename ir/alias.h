/* Which tiles may share bytes: the one analysis that the verifier, the passes and the emitter ask.
 *
 * For each tile of a function: the places where it may lie, seen through views, arith.select, what
 * loops and branches hand on, multi tiles, and pto.tassign. At most ALIAS_PLACES of them: a tile
 * with more may lie anywhere. The time is linear in the size of the function. */
#ifndef IR_ALIAS_H
#define IR_ALIAS_H

#include "ir/overlap.h"

enum { ALIAS_PLACES = 8 };

/* No places: the statement is never reached. */
typedef struct AliasSet {
    const Place *places;
    unsigned n;
} AliasSet;

typedef struct Alias Alias;

/* Analyses a function with a body. The result lives in the arena and is good while the function
 * does not change. */
Alias *alias_function(Arena *arena, const Context *ctx, Op *func);
/* The places of `v` where `op` uses it, or makes it. */
AliasSet alias_places(const Alias *a, const Op *op, const Value *v);
/* May two tiles share a byte, as operands or results of `op`? */
Overlap alias_overlap(const Alias *a, const Op *op, const Value *v, const Value *w);
Overlap alias_sets_overlap(AliasSet a, AliasSet b);
/* A position that the text gives to a tile: of alloc_tile, alloc_multi_tile, tassign. False when it
 * gives none, or `address` is known only at run time. */
bool given_address(const Context *ctx, const Op *op, int64_t *address);

/* Calls `see` for each value that a loop carries: with the statement that hands it on, its
 * operand and the argument of the next iteration. */
void alias_each_carried(const Alias *a,
                        void (*see)(void *arg, Op *op, const Value *from, Value *to), void *arg);

#endif
