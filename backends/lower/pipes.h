/* The pipes of a module: what each end is opened with, and which end a statement is about. */
#ifndef BACKENDS_LOWER_PIPES_H
#define BACKENDS_LOWER_PIPES_H

#include "ir/epilogue.h"
#include "ir/ir.h"

/* Directions of entries, and bits of dir_mask. */
enum { FROM_CUBE = 1, FROM_VECTOR = 2 };

/* One end of a pipe. */
typedef struct LowerPipe {
    const Op *init;         /* the statement that opens it */
    const Op *func;         /* that it is in */
    uint32_t index;         /* in LowerPipes.list */
    int32_t id;             /* one for both ends, and for no other pipe of the module */
    int32_t dirs;           /* FROM_.. bits */
    bool split;             /* the two vector cores share every entry */
    bool lowered;           /* a statement names the pipe by its value, not by its number */
    const Value *slots;     /* in global memory under this profile: a pointer or a view; or NULL */
    const Value *buffer[2]; /* addresses of the consumers' buffers, vector's and cube's, or NULL */
    int64_t number;         /* of the text, when it is not lowered */
    int64_t slot_num, slot_size;
    int64_t local_num; /* places in the consumer's buffer */
    int32_t consumers; /* vector cores that pop whole entries; 0: all */
    int32_t auto_free; /* directions in which this end pops and never frees */
    uint8_t popped, freed;
    bool converts; /* a push changes the elements: quantisation, relu */
    bool rectifies;
    uint8_t quant; /* QuantState: the words that a push takes */
    Elem elem;     /* what entries have; ELEM_NONE: what is pushed */
} LowerPipe;

typedef struct LowerPipes {
    struct PipeProgram *program; /* NULL: the module has no pipes */
    LowerPipe *list;             /* in the order of the text */
    uint32_t n;
    uint32_t *by_function; /* indices of list, by function and number of the pipe */
    uint32_t *root;        /* by end: the first end of the same pipe */
} LowerPipes;

LowerPipes lower_pipes(const Module *m, Profile profile, Arena *arena);
/* The end that a statement opens, pushes into, pops from, or frees; NULL: not known. */
const LowerPipe *lower_pipe_of(const LowerPipes *pipes, const Op *op);
/* The statement that reserves what pto.reserve_buffer or pto.import_reserved_buffer gives. */
const Op *lower_reserve_of(const LowerPipes *pipes, const Op *op);
/* The direction that a statement about entries goes: FROM_.., or 0: not known. */
int lower_direction(const Context *ctx, const Op *op);

#endif
