/* Shared by the files of the SSA -> DPS conversion: dps.c decides which buffer a result gets,
 * turns.c treats tiles that are needed beside a later one, rewrite.c changes the program. */
#ifndef PASSES_DPS_H
#define PASSES_DPS_H

#include "passes/live.h"
#include "passes/passes.h"
#include "passes/scratch.h"

/* The valid extents of a tile where its type says `?`; else NULL. */
typedef struct Valid {
    Value *row, *col;
} Valid;

/* An inserted allocation, or a loop argument that is one of two. */
typedef struct Buffer {
    struct Buffer *next; /* in the list of idle buffers */
    Value *value;
    const Type *type; /* tile_buf */
    Valid valid;
    const Scope *scope;  /* where the allocation is */
    const Storage *last; /* what it holds now */
    bool shared;         /* may be reused */
} Buffer;

/* A position up to which a buffer holds a storage. */
typedef struct Ending {
    struct Ending *next;
    Buffer *buffer;
    const Storage *storage;
} Ending;

/* An allocation that has no address yet. */
typedef struct Inserted {
    struct Inserted *next;
    Op *op;
} Inserted;

enum { DPS_MOST_BUFFERS = 64 }; /* that take turns */

typedef struct Dps {
    Module *module;
    Context *ctx;
    Arena *arena;     /* of the program */
    Scratch *scratch; /* `step` holds what is known about the function at hand */
    Profile profile;
    bool manual;     /* some tile has an address in the text: inserted allocations get one too */
    Op *func;        /* the function at hand */
    Live *live;      /* of it */
    PtrMap buffers;  /* const Storage * -> Buffer * */
    PtrMap replaced; /* Value * -> Value *, followed until it ends */
    Ending **ends;   /* by the last position that needs the contents */
    uint32_t passed; /* positions of `ends` that have been looked at */
    Buffer **idle;   /* by scope: dead buffers that may be reused */
    Value *counts[DPS_MOST_BUFFERS + 1]; /* constants of the function, as needed */
    struct Inserted *inserted;           /* in manual mode: the allocations, latest first */
    bool ok;
} Dps;

/* dps.c */

/* The extents of the window that an instruction loads: the last two sizes of its view. */
Valid dps_valid_of_window(const Op *op);

/* rewrite.c */

/* A new allocation before `pos`, named after `like`; `fresh`: by a name that nothing else has. */
Value *dps_alloc(Dps *d, Op *pos, const Type *type, Valid valid, const Value *like, bool fresh);
/* Gives the inserted allocations their planned addresses. */
void dps_place(Dps *d, const Plan *plan);
/* A name that nothing in the file has: that of `like` with `suffix` and a number. */
Atom dps_fresh_name(Dps *d, const Value *like, const char *suffix);
/* Makes buffer `value` the destination in place of result `r`, a WRITE slot of `op`. */
void dps_replace(Dps *d, Value *result, Value *value);
/* Turns the instruction into the DPS form; its results have replacements. */
void dps_rewrite_op(Dps *d, Op *op);
/* Follows the replacements in all operands of a function, and gives tile values of control
 * statements the tile_buf spelling. */
void dps_finish(Dps *d, Op *func);
Value *dps_current(const Dps *d, Value *v);

/* A copy of a list of operands with one more. */
Operand *dps_longer_list(Dps *d, const Operand *list, unsigned n, Value *v, Span span);
/* One more operand in the last slot of a statement. */
void dps_add_operand(Dps *d, Op *op, int slot, Value *v);
/* One more argument or result, named after `like`; the others move, and are replaced. NULL: there
 * is no room. */
Value *dps_add_argument(Dps *d, Block *b, const Type *type, const Value *like);
Value *dps_add_result(Dps *d, Op *op, const Type *type, const Value *like);
/* The number of valid rows or columns of a tile, computed before `pos`. */
Value *dps_valid_extent(Dps *d, Op *pos, Value *tile, bool cols);
/* New statements before `pos`, named after `like`; without a suffix the name is that of `like`. */
Value *dps_select(Dps *d, Op *pos, Value *condition, Value *yes, Value *no, const Value *like,
                  const char *suffix);
Value *dps_equal(Dps *d, Op *pos, Value *a, Value *b, const Value *like);
Value *dps_or(Dps *d, Op *pos, Value *a, Value *b, const Value *like);
/* The constant n, at most DPS_MOST_BUFFERS, at the begin of the function. */
Value *dps_count(Dps *d, uint32_t n);

/* share.c */

/* True when the operands (`only_slot`: this one) of an instruction may lie exactly where its
 * destination lies: it works element by element, all its tiles have one type, and no profile
 * forbids it; or its row says so. */
bool dps_in_place(const Op *op, const char *only_slot);
/* True when that holds of each operand that the value is. */
bool dps_reads_in_place(const LiveValue *lv, const Op *op);

/* turns.c */

typedef enum TurnsAnswer { TURNS_NONE, TURNS_TAKEN, TURNS_REFUSED } TurnsAnswer;
/* When an earlier tile of a result may be needed as its instruction runs again: gives it, and those
 * that it meets, buffers that take turns, noted in Dps.buffers. TURNS_REFUSED: after a diagnostic.
 */
TurnsAnswer dps_take_turns(Dps *d, const Storage *s, const Type *type, Valid valid);

#endif
