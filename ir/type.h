/* SPDX-License-Identifier: Apache-2.0 */
/* Types of the language. Types are interned: types with the same text are the same pointer, and
 * types with the same meaning have the same `canon` pointer (`!pto.tile<16x16xf32>` and
 * `!pto.tile_buf<vec, 16x16xf32>`, key form and compact form). Compare with type_same(). */
#ifndef IR_TYPE_H
#define IR_TYPE_H

#include "ir/profile.h"
#include "support/arena.h"
#include "support/intern.h"
#include "support/strbuf.h"
#include <stdbool.h>

typedef enum Elem {
    ELEM_NONE,
#define ELEM(name, ...) ELEM_##name,
#include "ir/elem.def"
#undef ELEM
    ELEM_COUNT
} Elem;
/* Sets of element types, for rules. */
typedef uint64_t ElemSet;
#define ELEM_BIT(e) ((ElemSet)1 << (e))

/* What the largest exponent of a float encodes: numbers, infinity and NaN, or numbers and, in the
 * largest code, NaN. */
typedef enum FloatSpecial { SPECIAL_NONE, SPECIAL_INFINITE, SPECIAL_ONE_NAN } FloatSpecial;
/* A sign, exponent and mantissa; bits and bias. */
typedef struct FloatFormat {
    uint8_t exponent, mantissa; /* 0: no such type */
    uint8_t special;            /* FloatSpecial */
    bool real;                  /* each element is one number, in this format or another */
    int16_t bias;
} FloatFormat;

typedef struct ElemInfo {
    const char *text;
    uint8_t bytes;      /* storage bytes in a tile, 0 = none */
    char cls;           /* 'I' signless, 'S' signed, 'U' unsigned, 'F' float, 'L' low precision */
    const char *c;      /* C type of the emitted ABI, NULL = none */
    const char *suffix; /* of the runtime's scalar functions, NULL = none */
    const char *cpp;    /* C++ type of the vendor's library, NULL = none */
    FloatFormat format;
} ElemInfo;
extern const ElemInfo elem_infos[ELEM_COUNT];
/* Returns the bit width of an integer element (1, 8, 16, 32, 64; index 64); 0 for others. */
unsigned elem_int_width(Elem e);
/* Returns the type with this name, with or without the prefix of the dialect; ELEM_NONE: none. */
Elem elem_from_text(const char *s, size_t n);
static inline bool elem_is_float(Elem e) {
    return elem_infos[e].cls == 'F';
}
/* Returns the bits of an element in a vector register; 0: it cannot be in one. */
unsigned elem_storage_bits(Elem e);
/* True for a pair of floats of 4 bits. */
static inline bool elem_is_fp4(Elem e) {
    return e == ELEM_F4E1M2X2 || e == ELEM_F4E2M1X2;
}
static inline bool elem_is_int(Elem e) {
    return elem_infos[e].cls == 'I' || elem_infos[e].cls == 'S' || elem_infos[e].cls == 'U';
}

/* Memory spaces, with the integers of the language. */
typedef enum Space {
    SPACE_ZERO,
    SPACE_GM,
    SPACE_MAT,
    SPACE_LEFT,
    SPACE_RIGHT,
    SPACE_ACC,
    SPACE_VEC,
    SPACE_BIAS,
    SPACE_SCALING,
    SPACE_COUNT
} Space;
extern const char *const space_names[SPACE_COUNT];
/* As pointers name them: ub, l1 ... */
extern const char *const pointer_space_names[SPACE_COUNT];
/* Reads `vec`, `ub`, `l1` ...; SPACE_COUNT when unknown. With `tile` only names that tiles may
 * have. */
Space space_from_text(const char *s, size_t n, bool tile);

typedef enum BLayout { BL_AS_WRITTEN = -1, BL_ROW_MAJOR, BL_COL_MAJOR } BLayout;
typedef enum SLayout { SL_NONE_BOX, SL_ROW_MAJOR, SL_COL_MAJOR } SLayout;
typedef enum Pad { PAD_NULL, PAD_ZERO, PAD_MAX, PAD_MIN } Pad;
typedef enum Compact { COMPACT_NULL, COMPACT_NORMAL, COMPACT_ROW_PLUS_ONE } Compact;

typedef enum TypeKind {
    TY_SCALAR, /* elem; ODD_INT has `width` and `sign` */
    TY_NONE,
    TY_TILE,        /* tile */
    TY_MULTI_TILE,  /* tile = the slot, count */
    TY_TILE_ANY,    /* `!pto.tile<...>` with three dots: compatible with every tile */
    TY_DTYPE,       /* `dtype` in a template signature: any scalar */
    TY_PTR,         /* elem_type, space */
    TY_TENSOR_VIEW, /* dims, elem_type */
    TY_PART_VIEW,   /* dims, elem_type */
    TY_FUNCTION,    /* types[0..ninputs) -> types[ninputs..ntypes) */
    TY_TUPLE,       /* opaque list, only for diagnostics */
    TY_PIPE,
    TY_EVENT_ARRAY, /* count */
    TY_ASYNC_SESSION,
    TY_ASYNC_EVENT,
    TY_PREFETCH_CONTEXT,
    TY_LOCAL_ARRAY, /* dims, elem_type */
    TY_STRUCT,      /* types[0..ntypes) */
    TY_VREG,        /* count lanes of elem_type in a vector register */
    TY_MASK,        /* count bits for each lane: 8, 16 or 32 */
    TY_ALIGN,       /* the state of a stream of unaligned accesses */
    TY_VECTOR,      /* count elements of elem_type, a value of one work item: vector<2xf16> */
    TY_LANES,       /* a logical vector: count lanes of elem_type; layout */
    TY_LANE_MASK,   /* a mask of count lanes; width: 0 (pred), 8, 16 or 32; layout */
    TY_OPAQUE       /* memref, tensor, complex, !pto.event ...: kept as text */
} TypeKind;

/* The bytes of a vector register. */
enum { VREG_BYTES = 256 };
/* The lanes of a logical vector are at most as many. */
enum { MOST_LANES = 65536 };

#define DYNAMIC INT64_MIN /* a `?` extent */

typedef struct Type Type;

typedef struct TileInfo {
    int64_t rows, cols;   /* positive */
    int64_t vrow, vcol;   /* 0..rows, 0..cols, or DYNAMIC */
    uint8_t space;        /* Space */
    uint8_t blayout;      /* BLayout of the text; use tile_blayout() for a profile */
    uint8_t slayout;      /* SLayout */
    uint8_t pad;          /* Pad */
    uint8_t compact;      /* Compact */
    bool blayout_written; /* the text names a blayout */
    uint16_t fractal;     /* 32, 512, 1024 */
} TileInfo;

/* Spelling of a tile type, without effect on its meaning. */
typedef enum TileSpelling {
    SPELL_BUF, /* !pto.tile_buf<...> */
    SPELL_TILE /* !pto.tile<...> */
} TileSpelling;

struct Type {
    uint8_t kind;         /* TypeKind */
    uint8_t elem;         /* Elem of a scalar, or of the element type */
    uint8_t space;        /* Space of a pointer */
    uint8_t spelling;     /* TileSpelling */
    bool key_order_odd;   /* key form with an unusual order of keys */
    bool deprecated_view; /* spelt !pto.tile_view<...> */
    bool missing_bang;    /* spelt pto.tile<...> without the exclamation mark */
    char sign;            /* of an ODD_INT: 'I', 'S', 'U' */
    uint32_t width;       /* of an ODD_INT, a logical mask */
    uint32_t count; /* of a multi tile, event array, vector, vector register, mask, of lanes */
    uint32_t rank;  /* number of dims */
    uint32_t ninputs, ntypes;
    uint32_t kinds;        /* type_kinds() of an interned type; all bits for `none` */
    Atom text;             /* the canonical text, without aliases */
    Atom shown;            /* the text with the aliases of parts: of elements, fields, tiles */
    Atom alias;            /* the `!name` it was written as, or 0 */
    Atom layout;           /* of lanes: the text in `#pto.vmi.layout<..>`, or 0 */
    const Type *canon;     /* the representative of all types with the same meaning */
    const Type *elem_type; /* pointer, view, array, tile: element type; opaque: that of a memref of
                              contiguous elements in global memory */
    const int64_t *dims;   /* DYNAMIC for `?` */
    const Type *const *types; /* of a multi tile one, the slot's, or none */
    TileInfo tile;
};

/* All types of one context. */
typedef struct TypeTable TypeTable;
TypeTable *type_table_new(Arena *arena, Interner *names);

const Type *type_scalar(TypeTable *t, Elem e);
/* Interns a type. `proto` has every field but text, shown and canon; dims and types are copied. The
 * text of the result is the canonical print (types-and-syntax 5.2: compact tile form without
 * defaults). */
const Type *type_intern(TypeTable *t, const Type *proto);
const Type *type_function(TypeTable *t, const Type *const *inputs, uint32_t ninputs,
                          const Type *const *results, uint32_t nresults);
/* True when struct and function types among these are too long to be part of another: with aliases
 * each line of a program could double the length. */
bool types_are_long(const TypeTable *t, const Type *const *types, uint32_t n);
/* Returns the tile type with the other spelling (tile <-> tile_buf). It keeps its alias, whose
 * definition alias_respell() changes. */
const Type *type_respell(TypeTable *t, const Type *type, TileSpelling spelling);
/* Returns the type with an alias name (without marker): same canon, printed as `!name`. */
const Type *type_with_alias(TypeTable *t, const Type *type, Atom alias);
/* Returns a builtin type (`f32`, `i7`, `ui16`, `index`, `none`, `dtype`); NULL for other words. */
const Type *type_from_word(TypeTable *t, const char *s, size_t n);

static inline bool type_same(const Type *a, const Type *b) {
    return a->canon == b->canon;
}
/* True when the types are the same, or one is a template (`!pto.tile<...>`, `dtype`) that fits the
 * other. */
bool type_compatible(const Type *a, const Type *b);
/* True for a logical vector or mask. */
static inline bool type_is_logical(const Type *t) {
    return t->kind == TY_LANES || t->kind == TY_LANE_MASK;
}
static inline bool type_is_tile(const Type *t) {
    return t->kind == TY_TILE || t->kind == TY_TILE_ANY;
}
static inline bool type_is_template(const Type *t) {
    return t->kind == TY_TILE_ANY || t->kind == TY_DTYPE;
}
static inline bool type_is_int(const Type *t) { /* signless, signed or unsigned, not index */
    return t->kind == TY_SCALAR && t->elem != ELEM_INDEX && elem_is_int((Elem)t->elem);
}
static inline bool type_is_index(const Type *t) {
    return t->kind == TY_SCALAR && t->elem == ELEM_INDEX;
}
static inline bool type_is_float(const Type *t) {
    return t->kind == TY_SCALAR && elem_is_float((Elem)t->elem);
}
/* Returns the text of a type as it was written: its alias, or the text with those of its parts. */
static inline Atom type_written(const Type *t) {
    return t->alias != 0 ? t->alias : t->shown;
}
/* Prints that text, which has no NUL, with %.*s. */
#define TYPE_FMT "%.*s"
#define TYPE_ARG(ctx_names, type)                                                                  \
    (int)atom_len((ctx_names), type_written(type)), atom_text((ctx_names), type_written(type))

/* ---- layout of a tile type for a profile (types-and-syntax section 6) ---- */

/* Returns the blayout that determines addresses: for `left` tiles that of the profile (decision
 * 8). */
BLayout tile_blayout(const Type *type, Profile profile);
/* Returns the inner box of a boxed tile; false when the combination has none. */
bool tile_inner_box(const Type *type, int64_t *rows, int64_t *cols);
/* True if one tile type is a column or row and the other has its elements as a row or column. */
bool tile_is_turned(const Type *from, const Type *to);
/* Returns the bytes from one slot of a multi tile to the next; -1 as for tile_bytes(). */
int64_t multi_tile_stride(const Type *multi, Profile profile);
/* Returns the bytes of the physical tile (row_plus_one included), for a multi tile those of all
 * slots; -1 on overflow or without a byte size. */
int64_t tile_bytes(const Type *type, Profile profile);

#endif
