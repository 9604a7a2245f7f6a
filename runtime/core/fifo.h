/* fifo.h - inside libptort: the bounded queue of slots that is one direction of a pipe. */
#ifndef PTORT_FIFO_H
#define PTORT_FIFO_H

#include "core/core.h"

/* What a producer put into a slot, for the check at the other end. */
typedef struct ptrt_fifo_note {
    int64_t rows, cols; /* of the whole entry */
    uint32_t line;
    uint8_t elem; /* enum ptrt_elem; PTRT_ELEMS: bytes that nothing is known of */
} ptrt_fifo_note;

/* The tile that a consumer was given last: the next one mostly differs in its address only. */
typedef struct ptrt_fifo_bound {
    ptrt_tile_type type;
    int64_t vrow, vcol;
    ptrt_tile tile;
} ptrt_fifo_bound;

/* Arrays are by place of the core: cube core, vector core 0, vector core 1. */
struct ptrt_fifo {
    struct ptrt_fifo *next;
    ptrt_fifo_desc desc;
    unsigned char *ring[PTRT_PLACES]; /* slots as a consumer sees them: one ring for all in global
                                         memory, one each in on-chip memory */
    bool on_chip;                     /* slots lie in the consumers' memory */
    unsigned char *own, *spill;       /* slots and a slot of the runtime's own, kept for reuse */
    size_t own_size, spill_size;
    ptrt_fifo_note *notes; /* two a slot: by vector core, where both produce */
    size_t notes_size;
    bool produces[PTRT_PLACES], consumes[PTRT_PLACES];
    uint64_t pushed[PTRT_PLACES]; /* entries made ready */
    uint64_t popped[PTRT_PLACES]; /* entries taken */
    uint64_t freed[PTRT_PLACES];  /* slots given back */
    uint64_t room[PTRT_PLACES];   /* pushes for which there is known to be a slot */
    uint64_t ready[PTRT_PLACES];  /* pops for which there is known to be an entry */
    int32_t push_slot[PTRT_PLACES], pop_slot[PTRT_PLACES];
    ptrt_fifo_bound bound[PTRT_PLACES]; /* no type has 0 rows: the first one is bound anew */
};

/* ptrt_fifo_open with slots in on-chip memory: ring[place] of every consumer; NULL: desc->ring. */
int ptrt_fifo_open_at(ptrt_core *core, uint32_t line, const ptrt_fifo_desc *desc,
                      unsigned char *const *ring, ptrt_fifo **out);

static inline unsigned char *ptrt_fifo_slot(const ptrt_fifo *f, int place, int32_t slot) {
    return f->ring[place] + (int64_t)slot * f->desc.slot_size;
}

/* The entry that a core pushes next, and the one it has popped last. */
static inline ptrt_fifo_note *ptrt_fifo_note_at(const ptrt_fifo *f, int32_t slot, int part) {
    return &f->notes[2 * slot + part];
}

/* At least `size` bytes beside the slots; NULL without memory. */
unsigned char *ptrt_fifo_spill(ptrt_fifo *f, int64_t size);

#endif
