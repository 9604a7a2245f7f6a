/* The statements of a function as backends print them, for one profile and plan: the calls of the
 * runtime with their arguments, the tiles that a statement binds, the checks that precede it. */
#ifndef BACKENDS_LOWER_BODY_H
#define BACKENDS_LOWER_BODY_H

#include "backends/lower/call.h"
#include "backends/lower/lower.h"

struct Residue;

typedef enum LowerExtentKind {
    EXTENT_NUMBER,  /* n */
    EXTENT_VALUE,   /* an integer operand */
    EXTENT_OF_TILE, /* that of the valid region of a tile */
    EXTENT_OF_VIEW, /* the same of a view's innermost dimensions */
    EXTENT_UNKNOWN
} LowerExtentKind;

/* An extent of a valid region. */
typedef struct LowerExtent {
    LowerExtentKind kind;
    int64_t n;
    const Value *value;
} LowerExtent;

/* A tile that gets its memory. */
typedef struct LowerBind {
    const Value *value; /* NULL: a scratch tile without a name */
    const Type *type;   /* NULL: not known */
    const Value *at;    /* the operand with the address; NULL: `addr` */
    int64_t addr;       /* byte offset in its space */
    LowerExtent rows, cols;
} LowerBind;

typedef struct LowerStmt {
    struct LowerStmt *next;
    const Op *op;
    Core core;             /* the kind of core that the code around names */
    const LowerCall *call; /* a kernel or synchronisation; NULL: neither */
    LowerBind *binds;      /* tiles that it defines and that no operand provides */
    unsigned nbinds;
    const LowerBind *scratch;     /* the scratch tile that the plan supplies, or NULL */
    const struct Residue *checks; /* rules that only run time decides, to be checked before it */
    struct LowerRegion *regions;  /* op->nregions */
} LowerStmt;

typedef struct LowerBlock {
    struct LowerBlock *next;
    const Block *block;
    LowerStmt *first;
} LowerBlock;

typedef struct LowerRegion {
    const Region *region;
    LowerBlock *first; /* NULL: it has no blocks */
} LowerRegion;

typedef struct LowerOptions {
    const Plan *plan; /* addresses of tiles that state none; NULL: all state one */
    bool calls;       /* also find calls of the runtime and the checks */
    bool compat;      /* check the conditions of the vendor's assembler 0.60 */
} LowerOptions;

/* Returns the statements of a function that has a body, allocated in `arena`. */
const LowerRegion *lower_function(const Lower *l, const LowerFunc *f, const LowerOptions *opt,
                                  Arena *arena);

#endif
