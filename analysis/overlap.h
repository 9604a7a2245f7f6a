/* Byte ranges in on-chip memory as far as the text determines them: where a tile begins, which
 * bytes it has, and whether two tiles overlap. */
#ifndef ANALYSIS_OVERLAP_H
#define ANALYSIS_OVERLAP_H

#include "ir/ir.h"

/* Whether two tiles share a byte. OVERLAP_MAYBE: only run time can decide. */
typedef enum Overlap { OVERLAP_NO, OVERLAP_MAYBE, OVERLAP_YES } Overlap;

/* The origin of a place. */
typedef enum BaseKind {
    BASE_BUFFER,    /* storage of pto.alloc_tile without an address */
    BASE_VALUE,     /* storage of an SSA result, new each time the statement runs */
    BASE_PARAMETER, /* a tile of the caller */
    BASE_ADDRESS,   /* byte 0 of the space */
    BASE_COMPUTED,  /* an address that the program computes as value `of` */
    BASE_BOUND,     /* an address that the statement `of` gets, as pto.tpop does */
    BASE_ANY        /* unknown */
} BaseKind;

/* A place where a tile may be. Its bytes are `lines` runs of `line` bytes, `pitch` apart; without
 * lines only the first byte is known, and that the last is below `end`. */
typedef struct Place {
    const void *of;     /* value or statement that defines the base */
    const Block *home;  /* block of that; NULL: outside of all loops */
    const Value *shift; /* moves the start by an unknown amount within [low, end); NULL: no shift */
    int64_t start;      /* first byte, relative to base and shift */
    int64_t line, lines;
    int64_t pitch;    /* 0: unknown, and so are windows of the tile */
    int64_t low, end; /* all bytes are in [low, end), relative to the base; INT64_MAX: unknown */
    uint8_t base;     /* BaseKind */
    uint8_t space;    /* Space */
    bool past;        /* base or shift may be from an earlier execution of its definition */
} Place;

/* Returns the place of a tile (for a multi tile, all slots) from byte `start` of a base on. */
Place place_of(const Type *type, BaseKind base, const void *of, int64_t start);
/* Returns the place of a window of a tile at (row, col). `type` has the extents and layout of the
 * window, and the pitch of the surrounding tile. Unless `known`, the offset is not constant and is
 * identified by `by`. */
Place place_window(const Place *p, const Type *type, int64_t row, int64_t col, bool known,
                   const Value *by);
/* Returns slot number `slot` of a multi tile whose slots have this type. */
Place place_slot(const Place *p, const Type *type, int64_t slot);
/* Returns slot `by`, which is not a constant. */
Place place_any_slot(const Place *p, const Type *type, const Value *by);
/* Returns the bytes from the first on, as another type. */
Place place_recast(const Place *p, const Type *type);
/* Replaces the base of `p` by the tile at `base`. */
Place place_within(const Place *p, const Place *base);
bool place_same(const Place *a, const Place *b);
/* True when the base or the shift may differ at the next execution. */
bool place_varies(const Place *p);

Overlap place_overlap(const Place *a, const Place *b);

#endif
