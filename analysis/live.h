/* SPDX-License-Identifier: Apache-2.0 */
/* Liveness of tile storage, for buffer reuse and memory planning: which storage a tile value may
 * refer to, and when each storage is needed. Reads one function without changing it. */
#ifndef ANALYSIS_LIVE_H
#define ANALYSIS_LIVE_H

#include "analysis/handover.h"
#include "support/ptrmap.h"

/* A region. All regions of one operation have the positions of the whole operation. */
typedef struct Scope {
    struct Scope *parent;  /* NULL: the function's body */
    struct Scope *sibling; /* another region of the same operation */
    const Region *region;
    uint32_t id, last_id; /* ids of nested scopes are in between */
    uint32_t start, end;  /* positions of the owning operation and of its end */
    bool loop;   /* runs repeatedly: the body of a loop, or a region whose blocks branch back */
    bool blocks; /* it has several blocks */
    bool looped; /* it is a loop or inside one */
} Scope;

typedef struct Use {
    struct Use *next;
    Operand *operand;
    Op *op;
    Scope *scope;
    uint32_t pos;
} Use;

/* A tile value flows into another: a statement passes it on (analysis/handover.h), or a result uses
 * the storage of an operand. */
typedef struct Flow {
    struct Flow *next;        /* of the same source */
    struct Flow *next_source; /* of the same target */
    struct LiveValue *from, *to;
    Op *op; /* statement that passes it on, for HAND_NEXT the terminator; NULL: see share.c */
    const Scope *carry; /* loop that carries the value, or NULL */
    const Operand *operand;
    HandKind kind;
} Flow;

typedef struct LiveValue {
    Value *value;
    const Scope *scope; /* scope of the definition */
    uint32_t pos;       /* of the definition; 0 for an argument of a block */
    Use *uses;
    Flow *flows, *sources;
    struct Storage *storage; /* the storage that this value defines, or NULL */
    /* The value whose storage this result uses, or NULL; then the next such value of the function,
     * and the next with the same storage. */
    struct LiveValue *shares, *next_shared, *next_sharer;
    struct LiveValue *holder; /* end of the chain of `shares` */
    bool alone;               /* known: no other value that is still needed has the same storage */
    uint32_t stamp;           /* last search that visited it */
    uint32_t end; /* if settled: last position that needs anything the value may flow to */
    bool settled;
    bool revalidated; /* a pto.set_validshape changes its valid region */
} LiveValue;

typedef enum StorageKind {
    STORE_ALLOC,  /* pto.alloc_tile without an address */
    STORE_RESULT, /* destination of an instruction in SSA form */
    STORE_CALL,   /* tile result of a call */
    STORE_TMP,    /* implicit scratch tile of `op` */
    STORE_FIXED   /* at a constant address of the text */
} StorageKind;

typedef struct Storage {
    uint8_t kind;  /* StorageKind */
    bool idle;     /* all uses are scratch operands that the profile ignores */
    LiveValue *lv; /* NULL for STORE_TMP */
    Op *op;        /* definition; NULL for a bound argument */
    Scope *scope;
    const Type *type;
    uint32_t pos;        /* of the definition */
    uint32_t start, end; /* start > end: never used */
    uint32_t serial;     /* number of the definition in printed text */
    int64_t addr;        /* STORE_FIXED */
} Storage;

/* An address range that the text gives to a tile or buffer for the whole function. */
typedef struct FixedRange {
    int64_t addr, bytes;
    uint8_t space;
} FixedRange;

/* A pto.reserve_buffer that the planner places. */
typedef struct ReserveSite {
    const Op *op;
    int64_t bytes;
    uint8_t space;
} ReserveSite;

typedef struct CallSite {
    Op *op;
    const Op *callee; /* set by the planner; NULL when unknown */
    uint32_t pos;
} CallSite;

/* The position of a statement. */
typedef struct Spot {
    const Op *op;
    const Scope *scope;
    uint32_t pos;
} Spot;

typedef struct Live {
    Arena *arena;
    const Context *ctx;
    Profile profile;
    PtrMap values; /* const Value * -> LiveValue * */
    Storage **storages;
    uint32_t nstorages, cap_storages;
    FixedRange *fixed;
    uint32_t nfixed, cap_fixed;
    CallSite *calls;
    uint32_t ncalls, cap_calls;
    ReserveSite *reserves; /* in the order of the text */
    uint32_t nreserves, cap_reserves;
    bool dynamic[SPACE_COUNT]; /* some address is computed at run time */
    int64_t library_scratch;   /* bytes at the start of vec that library calls use themselves */
    CallSite *users;           /* statements that use them */
    uint32_t nusers, cap_users;
    uint32_t npositions, nscopes;
    LiveValue *shared; /* all values that use another's storage, latest first */
    LiveValue **order; /* values outside of loops, each before those it flows into */
    uint32_t norder, cap_order;
    uint32_t stamp;
    LiveValue **list; /* work list of searches, see live_push */
    uint32_t cap_list;
    /* const Block * -> number of the last path search that visited it; const Region * -> its
     * branches are noted; const Block * -> its predecessors */
    PtrMap visited, branches;
    uintptr_t paths;
    uint32_t path_steps;  /* blocks visited by these searches */
    const Block **blocks; /* work list of these searches */
    uint32_t cap_blocks;
} Live;

/* Analyses a function with a body. */
Live *live_function(Arena *arena, Context *ctx, Profile profile, Op *func);
LiveValue *live_value(const Live *l, const Value *v);
/* Lets results use the storage of another value where possible (share.c), before intervals are
 * computed. */
void live_share(Live *l);
/* Sets element `n` of the work list, keeping those below it. */
void live_push(Live *l, uint32_t n, LiveValue *lv);
/* Adds a flow from `from` to `to`. */
void live_add_flow(Live *l, LiveValue *from, LiveValue *to, const Flow *how);
/* True when `outer` is `inner` or encloses it. */
static inline bool scope_encloses(const Scope *outer, const Scope *inner) {
    return outer->id <= inner->id && inner->id <= outer->last_id;
}
/* True when a path leads from after one statement to another that uses the value (paths.c). A path
 * ends where the value is redefined, and returns to the same statement only in loops. */
bool live_path(Live *l, const LiveValue *lv, const Spot *from, const Spot *to);
/* True when a path leads to a use of the value. */
bool live_needed_after(Live *l, const LiveValue *lv, const Spot *at);
static inline Spot use_spot(const Use *u) {
    return (Spot){u->op, u->scope, u->pos};
}
/* Returns the position where a storage is first written. */
static inline Spot storage_spot(const Storage *s) {
    return (Spot){s->op, s->scope, s->pos};
}

/* Returns the type of the scratch tile that an instruction needs and the text omits (tmp.c); NULL
 * when it needs none. */
const Type *implicit_tmp_type(const Context *ctx, const Op *op, ImplicitTmp how);

/* Sets (*offs)[pos] to the source offset of each position of a function with a body, and returns
 * the number of positions. Statements and ends of regions have positions. */
uint32_t live_positions(Arena *arena, const Op *func, uint32_t **offs);

#endif
