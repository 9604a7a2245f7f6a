/* SPDX-License-Identifier: Apache-2.0 */
/* What a statement about an entry of a pipe between cores does on its own core: which entry a free
 * releases, and which pipe waits for the other core or signals to it. */
#ifndef ANALYSIS_ENTRIES_H
#define ANALYSIS_ENTRIES_H

#include "ir/core.h"
#include "support/ptrmap.h"

/* The pops of which a free may release the entry. */
typedef struct FreedPops {
    const Op **pops;
    uint32_t n;
} FreedPops;

/* Returns the tile or view that a pop binds, or that a free names; NULL when there is none. */
const Value *entry_value(const Op *op);
/* Follows views to what they are views of. */
const Value *viewed_value(const Value *v);
/* What the frees of pipes release, found for all frees of a side of a pipe at once. */
typedef struct FreedEntries {
    Arena *arena;
    const Context *ctx;
    PtrMap by_free; /* const Op * of a free -> FreedPops * */
} FreedEntries;

/* Returns the pops whose entry a free may release: the one whose entry it names, else the oldest
 * that is not freed yet if each block frees what it pops, else all pops of the pipe in the
 * function. */
FreedPops freed_pops(FreedEntries *f, const Op *op);

/* The pipe on which a statement about an entry runs. */
typedef struct EntryPipe {
    Pipe pipe; /* PIPE_NONE: it does nothing on this core */
    /* It waits for a signal of the other core, or sends one when earlier work of the pipe has
     * ended: its own pipe has nothing to do with the bytes meanwhile. */
    bool signal;
} EntryPipe;

/* `entry`: of a free, one that it releases. `on`: the kind of core, where the statement does not
 * tell. */
EntryPipe entry_pipe(const Context *ctx, const Op *op, const Value *entry, Profile profile,
                     Core on);

#endif
