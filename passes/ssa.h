/* SPDX-License-Identifier: Apache-2.0 */
/* Shared declarations of DPS -> SSA: ssa_buffers.c decides which allocations become values and
 * where their contents are needed, ssa.c changes the program. */
#ifndef PASSES_SSA_H
#define PASSES_SSA_H

#include "passes/passes.h"
#include "passes/scratch.h"
#include "support/ptrmap.h"

/* What happens next to contents: nothing, a read, or a write. */
typedef enum Fate { THROUGH, READ_AGAIN, OVERWRITTEN } Fate;

/* A statement with regions in which a buffer is used; the outermost one represents the block where
 * the buffer lives. */
typedef struct SsaPlace {
    struct SsaPlace *outer; /* NULL: of the outermost one */
    const Op *op;
    struct SsaBuffer *buffer;
    bool read_within;   /* one of its regions (the body, for a loop) reads contents from before the
                           region */
    Fate after;         /* fate of the contents after it, up to the end of its block */
    bool open;          /* while fates are computed: it is being visited, */
    const Block *block; /* in this block; */
    Fate rest;          /* fate after the part seen last */
    unsigned overwriting; /* number of regions that overwrite the contents */
} SsaPlace;

/* An instruction that reads or writes a buffer. Accesses are in the order of the text. */
typedef struct BufferUse {
    struct BufferUse *next, *prev;
    Op *op;
    SsaPlace *place;
    uint32_t pos; /* number of the operation in pre-order */
    bool reads, writes;
} BufferUse;

/* An allocation whose contents may become values. */
typedef struct SsaBuffer {
    struct SsaBuffer *next; /* in the order of the text */
    Value *value;
    Op *alloc;
    const char *why; /* why it stays a buffer, and the instruction that causes it */
    const Op *why_at;
    BufferUse *first, *last;
    const Block
        *home;       /* innermost block that contains all accesses, apart from loops and branches */
    Value *now;      /* current contents while rewriting; NULL: those of the allocation */
    Value *named;    /* first value with its contents */
    uint32_t serial; /* for names derived from its name */
    struct SsaBuffer *next_denied;
    bool needed; /* the allocation itself is read */
} SsaBuffer;

/* Buffers that are written inside an operation with regions. */
typedef struct Written {
    struct Written *next;
    SsaBuffer *buffer;
    const SsaPlace *place;
    Value *before; /* for a branch: the contents before it */
} Written;

/* An operation with regions. */
typedef struct Inside {
    uint32_t end; /* position of the last operation inside */
    Written *written;
    SsaPlace *place; /* of the buffer visited last */
} Inside;

typedef struct Ssa {
    Context *ctx;
    Arena *arena; /* for the current function */
    Profile profile;
    SsaBuffer *buffers, **last;
    SsaBuffer *denied; /* denied buffers whose writers are still to be checked */
    PtrMap of_value;   /* const Value * -> SsaBuffer * */
    PtrMap spans;      /* const Op * -> Inside * */
    PtrMap replaced;   /* Value * -> Value *: copies of results and arguments */
    uint32_t positions;
    Op **statements; /* those with regions */
    uint32_t nstatements, cap_statements;
} Ssa;

/* Finds the buffers of a function and decides which of them stay. */
void ssa_find_buffers(Ssa *s, Op *func);
/* Returns the buffer of a value if it becomes values, else NULL. */
SsaBuffer *ssa_buffer(const Ssa *s, const Value *v);
/* True for a loop whose body reads contents from before it or from the previous iteration. */
bool ssa_read_in_body(const SsaPlace *p);
/* True when the contents after a statement are read later, possibly in another iteration. */
bool ssa_read_later(const SsaPlace *p);
/* True when an instruction writes tiles that can become results. */
bool ssa_writes(const Op *op);
/* True for a statement that runs one of its regions once, and can have results. */
bool ssa_is_choice(const Op *op);

#endif
