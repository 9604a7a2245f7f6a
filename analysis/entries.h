/* Finds the entry of a pipe between cores that a statement frees. */
#ifndef ANALYSIS_ENTRIES_H
#define ANALYSIS_ENTRIES_H

#include "ir/ir.h"

/* The pops of which a free may release the entry. */
typedef struct FreedPops {
    const Op **pops;
    uint32_t n;
} FreedPops;

/* Returns the tile or view that a pop binds, or that a free names; NULL when there is none. */
const Value *entry_value(const Op *op);
/* Returns the pop of the entry that a free releases, the oldest of its pipe. It is one if each
 * block frees what it pops, else any of the function's. */
FreedPops freed_pops(Arena *arena, const Context *ctx, const Op *op);

#endif
