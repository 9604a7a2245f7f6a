/* Bytes of on-chip memory as far as the text determines them: where a tile begins, which bytes it
 * has, and whether two of them meet. */
#ifndef IR_OVERLAP_H
#define IR_OVERLAP_H

#include "ir/ir.h"

/* May two tiles share a byte? OVERLAP_MAYBE: only run time can decide. */
typedef enum Overlap { OVERLAP_NO, OVERLAP_MAYBE, OVERLAP_YES } Overlap;

/* What a position counts from. */
typedef enum BaseKind {
    BASE_BUFFER,    /* a storage that planning places: pto.alloc_tile without an address */
    BASE_VALUE,     /* the same, another one each time that the statement runs: an SSA result */
    BASE_PARAMETER, /* a tile of the caller */
    BASE_ADDRESS,   /* byte 0 of the space */
    BASE_COMPUTED,  /* an address that the program computes: of the value `of` */
    BASE_BOUND,     /* an address that the statement `of` finds, such as pto.tpop */
    BASE_ANY        /* nothing is known */
} BaseKind;

/* Where a tile may lie. Its bytes are `lines` runs of `line` bytes, `pitch` apart; no lines: all
 * that is known is the first byte, and that the last lies below `end`. */
typedef struct Place {
    const void *of;     /* what the base belongs to: a value, or the statement that binds */
    const Block *home;  /* where that is; NULL: outside of all loops */
    const Value *shift; /* moves the start by an unknown amount within [low, end); NULL: 0 */
    int64_t start;      /* first byte, from the base and the shift */
    int64_t line, lines;
    int64_t pitch;    /* 0: not known, so that windows of the tile are not either */
    int64_t low, end; /* all bytes lie in [low, end), from the base; INT64_MAX: not known */
    uint8_t base;     /* BaseKind */
    uint8_t space;    /* Space */
    bool past;        /* maybe of an earlier execution of what makes the base or the shift */
} Place;

/* A tile of this type (a multi tile: all of its slots) from byte `start` of a base on. */
Place place_of(const Type *type, BaseKind base, const void *of, int64_t start);
/* The window of a tile at (row, col), with the extents and the layout of `type`, which has the
 * pitch of the tile around it. `known` false: the offset is not a constant, it is told apart by
 * `by`. */
Place place_window(const Place *p, const Type *type, int64_t row, int64_t col, bool known,
                   const Value *by);
/* Slot number `slot` of a multi tile whose slots have this type. */
Place place_slot(const Place *p, const Type *type, int64_t slot);
/* Slot number `by`, which is not a constant. */
Place place_any_slot(const Place *p, const Type *type, const Value *by);
/* The bytes from the first one on, read as another type. */
Place place_recast(const Place *p, const Type *type);
/* The same bytes of other tiles: of those at `base`, which takes the place of the base of `p`. */
Place place_within(const Place *p, const Place *base);
bool place_same(const Place *a, const Place *b);
/* True when the base, or the shift, may be another one the next time. */
bool place_varies(const Place *p);

Overlap place_overlap(const Place *a, const Place *b);

#endif
