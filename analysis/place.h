/* SPDX-License-Identifier: Apache-2.0 */
/* Places: bytes on a chip or in global memory, as far as they are known before a program runs.
 * Tiles and windows of them, slots, pointers, views, entries of pipes and scratch tiles are places.
 */
#ifndef ANALYSIS_PLACE_H
#define ANALYSIS_PLACE_H

#include "analysis/number.h"

/* Whether two places share a byte. OVERLAP_MAYBE: only run time can decide. */
typedef enum Overlap { OVERLAP_NO, OVERLAP_MAYBE, OVERLAP_YES } Overlap;

/* What the first byte of a place is counted from. */
typedef enum BaseKind {
    BASE_BUFFER,    /* storage of pto.alloc_tile without an address */
    BASE_VALUE,     /* storage of an SSA result, new each time the statement runs */
    BASE_PARAMETER, /* a tile of the caller, or what a pointer or view of it addresses */
    BASE_ADDRESS,   /* byte 0 of the space */
    BASE_BOUND,     /* an address that the statement `of` gets, as pto.tpop does */
    BASE_ANY        /* unknown */
} BaseKind;

/* A dimension of a window of a view: `size` elements from `offset` on, of `extent`. The stride is
 * in bytes, the others in elements. */
typedef struct ViewDim {
    Affine offset, size, extent, stride;
} ViewDim;

typedef struct ViewWindow {
    Affine base; /* first byte of the view */
    uint32_t n;
    int64_t element; /* bytes */
    bool flat;       /* longer than a dimension of its view: it continues in the one before */
    const ViewDim *dims;
} ViewWindow;

/* The bytes are `lines` runs of `line` bytes, `pitch` apart; without lines, all that is known is
 * that they are among `bytes` from the first on. */
typedef struct Place {
    const void *of;    /* value or statement that defines the base */
    const Block *home; /* block of that; NULL: outside of all loops */
    Affine start;      /* first byte, relative to the base */
    int64_t line, lines;
    int64_t pitch;    /* 0: unknown, and so are windows of the tile */
    int64_t bytes;    /* from the first to the last, gaps included; INT64_MAX: unknown */
    int64_t low, end; /* all bytes are in [low, end), relative to the base; INT64_MIN and INT64_MAX:
                         unknown */
    const ViewWindow *window; /* of a view; NULL: none, or not known */
    const Type *type;         /* of the tile or scratch tile that is used; else NULL */
    uint32_t fresh;  /* variables of `start` that are as deep are of some iteration before */
    uint32_t number; /* see place_keep() */
    uint8_t base;    /* BaseKind */
    uint8_t space;   /* Space; SPACE_COUNT: any on the chip */
    bool past;       /* the base may be from an earlier execution of its definition */
    bool rough;      /* there may be fewer runs, or shorter ones */
} Place;

/* ---- places of values ---- */

/* Returns the place of a tile (for a multi tile, all slots), a pointer or a view, from byte `start`
 * of a base on. */
Place place_of(const Type *type, BaseKind base, const void *of, int64_t start);
/* Returns the place of a tile or pointer at an address that an integer of the program is. */
Place place_at_address(Numbers *t, const Type *type, const Value *address);
/* Returns the place of a window of a tile at (row, col). `type` has the extents and layout of the
 * window, and the pitch of the surrounding tile. Where it is in the tile otherwise depends on
 * `by`, the window. */
Place place_window(Numbers *t, const Place *p, const Type *type, const Number *row,
                   const Number *col, const Value *by);
/* Returns a slot of a multi tile whose slots have this type; `by` is the value that has the slot.
 */
Place place_slot(Numbers *t, const Place *p, const Type *type, const Number *slot, const Value *by);
/* Returns the bytes from the first on, as another type. */
Place place_recast(const Place *p, const Type *type);
/* Returns somewhere in the base of a place, as `by` says. */
Place place_somewhere(Numbers *t, const Place *p, const Value *by);
/* What pto.make_tensor_view, pto.partition_view and pto.addptr make of a pointer or view. */
Place place_view(Numbers *t, const Place *pointer, const Op *op);
Place place_part(Numbers *t, const Place *view, const Op *op);
Place place_moved(Numbers *t, const Place *pointer, const Op *op);
/* Returns the element of a pointer or tile that an operand counts to. */
Place place_element(Numbers *t, const Place *p, const Type *type, const Value *index);
/* Returns `bytes` bytes from a pointer on, moved by `index` (NULL: 0) times `unit` bytes. */
Place place_run(Numbers *t, const Place *p, const Value *index, int64_t unit, int64_t bytes);
/* Returns `lines` runs of `line` bytes from a pointer on; or, with 0 lines, some among `bytes`
 * bytes (INT64_MAX: not known how many). `rough`: see Place. */
Place place_lines(const Place *p, int64_t lines, int64_t line, int64_t pitch, int64_t bytes,
                  bool rough);
/* Replaces the base of `p`, a parameter, by the place of the argument. */
Place place_within(Numbers *t, const Place *p, const Place *argument);
/* Returns the first `rows` x `cols` elements of a tile of this type. */
Place place_part_of_tile(const Place *p, const Type *type, int64_t rows, int64_t cols);

/* True for tiles and multi tiles. */
static inline bool is_tile_type(const Type *t) {
    return type_is_tile(t) || t->kind == TY_MULTI_TILE;
}
/* True for pointers and views. */
static inline bool is_memory(const Type *t) {
    return t->kind == TY_PTR || t->kind == TY_TENSOR_VIEW || t->kind == TY_PART_VIEW;
}
static inline bool place_is_memory(const Place *p) {
    return p->space == SPACE_GM;
}
/* True for a tile at a constant address. */
static inline bool place_is_fixed(const Place *p) {
    return p->base == BASE_ADDRESS && p->start.n == 0;
}
/* True when bytes between the runs do not belong to the place. */
static inline bool place_has_gaps(const Place *p) {
    return p->lines > 1 && p->pitch != p->line;
}
bool place_same(const Place *a, const Place *b);
int64_t element_bytes(const Type *type);

/* ---- numbered places ---- */

enum { PLACE_CHAINS = 1024 };

typedef struct Places {
    Arena *arena;
    Place **all;
    uint32_t n, cap;
    struct PlaceChain {
        struct PlaceChain *next;
        const Place *place;
    } * chains[PLACE_CHAINS];
} Places;

/* Returns the place as one of the table, which has it once. */
const Place *place_keep(Places *t, const Place *p);

/* ---- two places ---- */

/* When two places are used. */
typedef struct When {
    uint32_t common; /* loops around both */
    uint32_t level;  /* 0: in one iteration of all these, else the depth of the loop of which the
                        second is used in a later iteration */
    bool any;        /* in any iterations */
    bool entries;    /* entries of pipes are apart from tiles at addresses */
} When;

/* Tells whether two places share a byte; adds what a `no` relies on to `assumed`, unless it is
 * NULL. */
Overlap place_meet(const Place *a, const Place *b, const When *when, unsigned *assumed);
/* The same for operands of one statement. */
Overlap place_overlap(const Place *a, const Place *b);

#endif
