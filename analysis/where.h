/* Bytes that a statement reads or writes: a tile on the chip, or a window of global memory at an
 * offset that is affine in the variables of the loops around it. */
#ifndef ANALYSIS_WHERE_H
#define ANALYSIS_WHERE_H

#include "analysis/alias.h"
#include "analysis/number.h"

enum { MOST_DIMS = 5, WHERE_CHAINS = 256 };

typedef struct Where {
    uint32_t number;
    bool global;
    bool unknown;     /* of global memory: a pointer that derives from no argument */
    bool slot;        /* slot of a multi tile that the index determines */
    Place tile;       /* on the chip */
    const Type *type; /* of the tile */
    bool computed;    /* the tile is `bytes` from the affine address `base` on */
    int64_t bytes;
    struct Where *chain;
    const Value *root; /* in global memory: the argument */
    bool coarse;       /* in global memory: anywhere behind the argument */
    bool whole;        /* an entry of a pipe between cores, which is memory of its own */
    bool bound;        /* a parameter of a called function: what is derived from it is coarse */
    bool flat;         /* longer than a dimension of its view: it continues in the one before */
    Affine base;       /* bytes */
    uint32_t dims;
    Affine offset[MOST_DIMS], size[MOST_DIMS]; /* elements */
    Affine stride[MOST_DIMS];                  /* bytes */
} Where;

/* The places of one function. */
typedef struct WhereTable {
    Arena *arena;
    const Context *ctx;
    const Alias *alias;
    Numbers numbers;
    PtrMap global; /* const Value * -> Where * */
    Where **all;
    Where *tiles[WHERE_CHAINS]; /* whole tiles, by their first byte */
    uint32_t n, cap;
} WhereTable;

/* The window of global memory behind a view or pointer. */
const Where *where_global(WhereTable *t, const Value *v);
/* Says that a parameter of a called function is an argument of the caller. */
void where_bind(WhereTable *t, const Value *parameter, const Where *argument);
/* The element of a pointer at an index. */
const Where *where_element(WhereTable *t, const Value *pointer, const Value *index);
/* A tile; of `bytes` if they are positive and fewer than those of its type. */
const Where *where_tile(WhereTable *t, Place p, const Type *type, int64_t bytes);

/* Tells whether two places share a byte. `common` is the number of loops around both; `level` is 0
 * for one iteration of all these, else the depth of the loop of which `b` is in a later iteration.
 */
Overlap where_meet(const Where *a, const Where *b, uint32_t common, uint32_t level);
/* The same for any iterations: OVERLAP_NO only when they never meet. */
bool where_may_meet(const Where *a, const Where *b);

#endif
