/* SPDX-License-Identifier: Apache-2.0 */
/* fifo.h - inside libptort: the bounded queue of slots that implements one direction of a pipe. */
#ifndef PTORT_FIFO_H
#define PTORT_FIFO_H

#include "core/core.h"

/* A FIFO is one direction of a pipe; a block has one for each id and direction. Both ends open it
 * with equal descriptions. Entry p lies in slot p % slot_num. A producer takes the next free slot
 * (alloc), fills it, and makes it ready (push). A consumer waits for an entry (pop), reads it, and
 * returns the slot (free). With split != 0 both vector cores take part: from vector to cube an
 * entry is ready when both have pushed; from cube to vector a slot is free when both have freed it.
 * With split = 0 only vector core 0 produces (calls of core 1 do nothing and store NULL in *slot),
 * and each of the first `consumers` vector cores gets every entry. PTRT_E_ARG for a call from the
 * wrong end or unequal descriptions, PTRT_E_BOUNDS for a push without a free slot or a free without
 * an entry in use. */
typedef struct ptrt_fifo_desc {
    int32_t id;
    int32_t dir;       /* enum ptrt_fifo_dir */
    int32_t split;     /* 0..4 */
    int32_t slot_num;  /* > 0 */
    int32_t consumers; /* split 0, cube to vector: vector cores that pop; 0: all */
    int32_t auto_free; /* 1: the program has no tfree for this pipe, so a pop frees the previous
                          entry */
    int64_t slot_size; /* bytes, > 0 */
    void *ring; /* slot_num * slot_size bytes that both ends can access; NULL: the runtime allocates
                   them for the block */
} ptrt_fifo_desc;

/* What a producer put into a slot; the consumer checks it. */
typedef struct ptrt_fifo_note {
    int64_t rows, cols; /* of the whole entry */
    uint32_t line;
    uint8_t elem; /* enum ptrt_elem; PTRT_ELEMS: unknown, pushed as a view */
} ptrt_fifo_note;

/* The tile of the last pop; the next one usually differs only in its address. */
typedef struct ptrt_fifo_bound {
    ptrt_tile_type type;
    int64_t vrow, vcol;
    ptrt_tile tile;
} ptrt_fifo_bound;

/* One direction of a pipe. Arrays are indexed by the core's place: cube core, vector core 0, vector
 * core 1. */
struct ptrt_fifo {
    struct ptrt_fifo *next;
    ptrt_fifo_desc desc;
    unsigned char *ring[PTRT_PLACES]; /* slots as each consumer sees them: the same ring for all in
                                         global memory, one ring each in on-chip memory */
    bool on_chip;                     /* slots lie in the consumers' memory */
    unsigned char *own, *spill;       /* allocated slots, and one more slot; kept for reuse */
    size_t own_size, spill_size;
    ptrt_fifo_note *notes; /* two per slot: one per vector core where both produce */
    size_t notes_size;
    bool produces[PTRT_PLACES], consumes[PTRT_PLACES];
    uint64_t pushed[PTRT_PLACES]; /* entries made ready */
    uint64_t popped[PTRT_PLACES]; /* entries taken */
    uint64_t freed[PTRT_PLACES];  /* slots given back */
    uint64_t room[PTRT_PLACES];   /* pushes known to have a free slot */
    uint64_t ready[PTRT_PLACES];  /* pops known to have an entry */
    int32_t push_slot[PTRT_PLACES], pop_slot[PTRT_PLACES];
    ptrt_fifo_bound bound[PTRT_PLACES]; /* rows 0, which no type has: not yet bound */
};

int ptrt_fifo_open(ptrt_core *core, uint32_t line, const ptrt_fifo_desc *desc, ptrt_fifo **out);
int ptrt_fifo_alloc(ptrt_core *core, uint32_t line, ptrt_fifo *fifo, void **slot);
int ptrt_fifo_push(ptrt_core *core, uint32_t line, ptrt_fifo *fifo);
int ptrt_fifo_pop(ptrt_core *core, uint32_t line, ptrt_fifo *fifo, void **slot);
int ptrt_fifo_free(ptrt_core *core, uint32_t line, ptrt_fifo *fifo);

/* Opens a FIFO with slots in on-chip memory: ring[place] for every consumer. NULL: as
 * ptrt_fifo_open. */
int ptrt_fifo_open_at(ptrt_core *core, uint32_t line, const ptrt_fifo_desc *desc,
                      unsigned char *const *ring, ptrt_fifo **out);

static inline unsigned char *ptrt_fifo_slot(const ptrt_fifo *f, int place, int32_t slot) {
    unsigned char *ring = f->ring[place];
    return ring != NULL ? ring + (int64_t)slot * f->desc.slot_size : NULL;
}

/* Returns the note of a slot; `part` is the vector core that produced it, or 0. */
static inline ptrt_fifo_note *ptrt_fifo_note_at(const ptrt_fifo *f, int32_t slot, int part) {
    return &f->notes[2 * slot + part];
}

/* Returns at least `size` bytes apart from the slots; NULL when memory is exhausted. */
unsigned char *ptrt_fifo_spill(ptrt_fifo *f, int64_t size);

#endif
