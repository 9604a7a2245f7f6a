/* Which storage a tile value may lie in, and when a storage is needed: the analysis that buffer
 * reuse and memory planning share. It reads one function and changes nothing.
 *
 * Positions are numbers of the operations in pre-order; an operation with regions has a second
 * number, its end. A storage is needed in one closed interval of positions. */
#ifndef PASSES_LIVE_H
#define PASSES_LIVE_H

#include "ir/handover.h"
#include "support/ptrmap.h"

/* A region. All regions of one operation have the positions of the whole operation. */
typedef struct Scope {
    struct Scope *parent;  /* NULL: the function's body */
    struct Scope *sibling; /* another region of the same operation */
    const Region *region;
    uint32_t id, last_id; /* scopes inside have an id in between */
    uint32_t start, end;  /* positions of the owning operation and of its end */
    bool loop;   /* runs repeatedly: the body of a loop, or a region whose blocks branch back */
    bool blocks; /* more than one block */
    bool looped; /* in a loop, or one itself */
} Scope;

typedef struct Use {
    struct Use *next;
    Operand *operand;
    Op *op;
    Scope *scope;
    uint32_t pos;
} Use;

/* One tile value becomes another: handed on by a statement (ir/handover.h), or a result that takes
 * the tile of an operand. */
typedef struct Flow {
    struct Flow *next;        /* of the same source */
    struct Flow *next_source; /* of the same target */
    struct LiveValue *from, *to;
    Op *op;             /* that hands on; of HAND_NEXT the terminator; NULL: see share.c */
    const Scope *carry; /* loop that carries the handle, or NULL */
    const Operand *operand;
    HandKind kind;
} Flow;

typedef struct LiveValue {
    Value *value;
    const Scope *scope; /* where it is defined */
    uint32_t pos;       /* of the definition; 0 for an argument of a block */
    Use *uses;
    Flow *flows, *sources;
    struct Storage *storage; /* the storage that this value defines, or NULL */
    /* A result that takes the tile of this value; NULL: it does not. And the next one of the
     * function, and the next one that holds the same tile. */
    struct LiveValue *shares, *next_shared, *next_sharer;
    struct LiveValue *holder; /* where the chain of `shares` ends */
    bool alone;     /* no other value that is still needed holds the same tile; found once */
    uint32_t stamp; /* last search that came by */
    uint32_t end;   /* settled: last position that needs what this value may hold */
    bool settled;
    bool revalidated; /* a pto.set_validshape changes it */
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
    bool idle;     /* every use is a scratch operand that the profile ignores */
    LiveValue *lv; /* NULL for STORE_TMP */
    Op *op;        /* definition; for a bound argument NULL */
    Scope *scope;
    const Type *type;
    uint32_t pos;        /* of the definition */
    uint32_t start, end; /* start > end: never used */
    uint32_t serial;     /* number of the definition, as a printer would number values */
    int64_t addr;        /* STORE_FIXED */
} Storage;

/* Bytes that the text gives to a tile or a buffer, for as long as the function runs. */
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
    const Op *callee; /* for the planner to fill in; NULL when there is none */
    uint32_t pos;
} CallSite;

/* The place of a statement. */
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
    bool dynamic[SPACE_COUNT]; /* an address is computed at run time */
    uint32_t npositions, nscopes;
    LiveValue *shared; /* all that share, latest first */
    LiveValue **order; /* the values outside of loops; one comes before those it becomes */
    uint32_t norder, cap_order;
    uint32_t stamp;
    LiveValue **list; /* work list of searches, see live_push */
    uint32_t cap_list;
    /* const Block * -> number of the last search for a path that came by; const Region * -> its
     * branches are noted: const Block * -> where they come from */
    PtrMap visited, branches;
    uintptr_t paths;
    uint32_t path_steps;  /* blocks that these searches looked at */
    const Block **blocks; /* work list of those searches */
    uint32_t cap_blocks;
} Live;

/* Analyses a function with a body. */
Live *live_function(Arena *arena, Context *ctx, Profile profile, Op *func);
LiveValue *live_value(const Live *l, const Value *v);
/* Lets results take the tile of another value where they may (share.c); before there are intervals.
 */
void live_share(Live *l);
/* Element `n` of the work list; the elements below it are kept. */
void live_push(Live *l, uint32_t n, LiveValue *lv);
/* `from` becomes `to`. */
void live_add_flow(Live *l, LiveValue *from, LiveValue *to, const Flow *how);
/* True when `outer` is `inner` or encloses it. */
static inline bool scope_encloses(const Scope *outer, const Scope *inner) {
    return outer->id <= inner->id && inner->id <= outer->last_id;
}
/* The positions that a use in `scope` at `pos` means for something that lives in `home`: a use in a
 * nested region counts to the region's end, one in a nested loop for the whole loop. */
void live_lift(const Scope *scope, uint32_t pos, const Scope *home, uint32_t *lo, uint32_t *hi);
/* True when some path leads from after one statement to another that uses the value (paths.c); a
 * path ends where the value is defined anew, and leads back to the same statement in loops only. */
bool live_path(Live *l, const LiveValue *lv, const Spot *from, const Spot *to);
/* True when such a path leads to a use of the value. */
bool live_needed_after(Live *l, const LiveValue *lv, const Spot *at);
static inline Spot use_spot(const Use *u) {
    return (Spot){u->op, u->scope, u->pos};
}
/* Where a storage is written first. */
static inline Spot storage_spot(const Storage *s) {
    return (Spot){s->op, s->scope, s->pos};
}

/* The type of the scratch tile that an instruction needs and the text does not name (tmp.c); NULL
 * when it needs none. */
const Type *implicit_tmp_type(const Context *ctx, const Op *op, ImplicitTmp how);

#endif
