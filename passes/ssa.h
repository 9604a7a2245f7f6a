/* Shared by the files of the DPS -> SSA conversion: ssa_buffers.c decides which allocations become
 * values and where their contents are needed, ssa.c changes the program. */
#ifndef PASSES_SSA_H
#define PASSES_SSA_H

#include "passes/passes.h"
#include "passes/ptrmap.h"
#include "passes/scratch.h"

/* An instruction that reads or writes a buffer, in the order of the text. */
typedef struct Access {
    struct Access *next;
    Op *op;
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
    Value *named;    /* the first value that stands for its contents */
    uint32_t serial; /* of the names made from its name */
    uint32_t stamp;  /* last list that it was put into */
    bool needed;     /* the allocation itself is read */
} SsaBuffer;

/* Buffers that an operation with regions writes inside. */
typedef struct Written {
    struct Written *next;
    SsaBuffer *buffer;
    Value *before; /* of a branch: the contents before it */
} Written;

/* An operation with regions. */
typedef struct Inside {
    uint32_t start, end; /* positions of itself and of the last operation inside */
    Written *written;
} Inside;

typedef struct Ssa {
    Context *ctx;
    Arena *arena; /* for the function at hand */
    Profile profile;
    SsaBuffer *buffers, **last;
    PtrMap of_value; /* const Value * -> SsaBuffer * */
    PtrMap spans;    /* const Op * -> Inside * */
    PtrMap replaced; /* Value * -> Value *: copies of results and arguments */
    uint32_t positions;
    Op **statements; /* those with regions */
    uint32_t nstatements, cap_statements;
} Ssa;

/* Finds the buffers of a function and says which of them stay. */
void ssa_find_buffers(Ssa *s, Op *func);
/* The buffer of a value that becomes values; NULL when the value is none. */
SsaBuffer *ssa_buffer(const Ssa *s, const Value *v);
/* True when the contents that a loop's body begins with are read in it. */
bool ssa_read_in_body(const Ssa *s, const SsaBuffer *b, const Op *loop);
/* True when the contents that `op` leaves behind are read later, in a further round included. */
bool ssa_live_behind(const Ssa *s, const SsaBuffer *b, const Op *op);
/* True when an instruction writes tiles and can have them as results. */
bool ssa_writes(const Op *op);

#endif
