/* Shared by the files of the DPS -> SSA conversion: ssa_buffers.c decides which allocations become
 * values and where their contents are needed, ssa.c changes the program. */
#ifndef PASSES_SSA_H
#define PASSES_SSA_H

#include "passes/passes.h"
#include "passes/scratch.h"
#include "support/ptrmap.h"

/* What happens to contents from some point on: nothing, or first a read or a write. */
typedef enum Fate { THROUGH, READ_AGAIN, OVERWRITTEN } Fate;

/* A statement with regions that a buffer is used in; the outermost one represents the block that
 * the buffer lives in. */
typedef struct Place {
    struct Place *outer; /* NULL: of the outermost one */
    const Op *op;
    struct SsaBuffer *buffer;
    bool read_within;   /* what holds at the begin of a region is read in it: of a loop, its body */
    Fate after;         /* of the contents after it, up to the end of its block */
    bool open;          /* while fates are found: this one is looked at, */
    const Block *block; /* in this block, */
    Fate rest;          /* after which part this happens */
    unsigned overwriting; /* its regions that overwrite the contents */
} Place;

/* An instruction that reads or writes a buffer, in the order of the text. */
typedef struct Access {
    struct Access *next, *prev;
    Op *op;
    Place *place;
    uint32_t pos; /* number of the operation in pre-order */
    bool reads, writes;
} Access;

/* An allocation whose contents may become values. */
typedef struct SsaBuffer {
    struct SsaBuffer *next; /* in the order of the text */
    Value *value;
    Op *alloc;
    const char *why; /* it stays a buffer: the reason, and the instruction that gives it */
    const Op *why_at;
    Access *first, *last;
    const Block *home; /* the innermost block that all accesses lie in, loops and branches aside */
    Value *now;      /* while the program is changed: its contents; NULL: those of the allocation */
    Value *named;    /* the first value that has its contents */
    uint32_t serial; /* of the names made from its name */
    struct SsaBuffer *next_denied;
    bool needed; /* the allocation itself is read */
} SsaBuffer;

/* Buffers that an operation with regions writes inside. */
typedef struct Written {
    struct Written *next;
    SsaBuffer *buffer;
    const Place *place;
    Value *before; /* of a branch: the contents before it */
} Written;

/* An operation with regions. */
typedef struct Inside {
    uint32_t end; /* position of the last operation inside */
    Written *written;
    Place *place; /* of the buffer looked at last */
} Inside;

typedef struct Ssa {
    Context *ctx;
    Arena *arena; /* for the function at hand */
    Profile profile;
    SsaBuffer *buffers, **last;
    SsaBuffer *denied; /* whose writers are to be looked at */
    PtrMap of_value;   /* const Value * -> SsaBuffer * */
    PtrMap spans;      /* const Op * -> Inside * */
    PtrMap replaced;   /* Value * -> Value *: copies of results and arguments */
    uint32_t positions;
    Op **statements; /* those with regions */
    uint32_t nstatements, cap_statements;
} Ssa;

/* Finds the buffers of a function and says which of them stay. */
void ssa_find_buffers(Ssa *s, Op *func);
/* The buffer of a value that becomes values; NULL when the value is none. */
SsaBuffer *ssa_buffer(const Ssa *s, const Value *v);
/* True for a loop when the contents that its body begins with are read in it. */
bool ssa_read_in_body(const Place *p);
/* True when the contents that a statement leaves are read later, in another iteration
 * included. */
bool ssa_read_later(const Place *p);
/* True when an instruction writes tiles and can have them as results. */
bool ssa_writes(const Op *op);

#endif
