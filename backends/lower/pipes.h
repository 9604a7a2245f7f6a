/* SPDX-License-Identifier: Apache-2.0 */
/* The pipes of a module: the description of each end, and which end a statement uses. */
#ifndef BACKENDS_LOWER_PIPES_H
#define BACKENDS_LOWER_PIPES_H

#include "ir/epilogue.h"
#include "ir/ir.h"

/* Directions of entries, and bits of dir_mask. */
enum { FROM_CUBE = 1, FROM_VECTOR = 2 };

/* One end of a pipe. */
typedef struct LowerPipe {
    const Value *handle;    /* of the statement that opens it, or NULL */
    Span at;                /* of that statement, for messages */
    bool states_local;      /* it states local_num */
    const FuncData *func;   /* the function it is in */
    uint32_t index;         /* in LowerPipes.list */
    int32_t id;             /* the same for both ends, and unique in the module */
    int32_t dirs;           /* FROM_.. bits */
    bool used;              /* some statement is about its entries */
    bool split;             /* the two vector cores share every entry */
    bool lowered;           /* statements name the pipe by a value, not by a number */
    const Value *slots;     /* slots in global memory, if any: a pointer or a view */
    const Value *buffer[2]; /* addresses of the buffers in vec and mat, or NULL */
    int64_t number;         /* number in the program, unless lowered */
    int64_t slot_num, slot_size;
    int64_t local_num; /* places in a consumer's buffer */
    int32_t consumers; /* vector cores that pop whole entries; 0: all */
    int32_t auto_free; /* FROM_.. bits: directions in which it pops and never frees */
    uint8_t popped, freed;
    bool converts; /* a push converts: quantisation, relu */
    bool rectifies;
    uint8_t quant; /* QuantState: the quantisation words of a push */
    Elem elem;     /* element type that the consumer pops; ELEM_NONE: that of the pushed tile */
} LowerPipe;

typedef struct LowerPipes {
    struct PipeProgram *program; /* NULL: the module has no pipes */
    LowerPipe *list;             /* in the order of the text */
    uint32_t n;
    uint32_t *by_function; /* indices into list, sorted by function and number */
    uint32_t *root;        /* per end: the first end of the same pipe */
} LowerPipes;

/* Collects the pipes; the lists live in `arena`. */
LowerPipes lower_pipes(const Module *m, Profile profile, Arena *arena);
/* Returns the end that a statement opens, pushes to, pops from or frees; NULL when it is
 * unknown. */
const LowerPipe *lower_pipe_of(const LowerPipes *pipes, const Op *op);
/* Returns the statement that reserves the buffer of a pto.reserve_buffer or
 * pto.import_reserved_buffer. */
const Op *lower_reserve_of(const LowerPipes *pipes, const Op *op);

#endif
