/* Passes over verified modules: SSA -> DPS, and memory planning.
 *
 * Both expect a module without errors (verify_module) and never run on another. The usual order
 * is passes_to_dps (nothing happens when no statement has tile results), then passes_plan. */
#ifndef PASSES_PASSES_H
#define PASSES_PASSES_H

#include "ir/ir.h"

/* ---- SSA -> DPS ---- */

/* Rewrites `m` in place so that every tile instruction is in the DPS form (op->form = OPF_DPS, its
 * destinations are operands). Each former result gets a buffer: a pto.alloc_tile of its type
 * (spelt tile_buf), inserted before the instruction, or an earlier inserted one that is dead by
 * then and equal in type and valid operands. An instruction writes the buffer of an operand that
 * dies there only when it works element by element and forbids no overlap of the two (under any
 * profile: the result is as portable as the input). The user's value names stay: a buffer has the
 * name of the first result that it holds. Dynamic valid extents come from the operand whose valid
 * region the result has (its allocation or pto.set_validshape), or from the sizes of the window
 * that is loaded.
 * A tile result is a value of its own each time that it is computed. Where an earlier one is still
 * needed when the instruction runs again (a loop carries it, or blocks do), the result gets
 * buffers that take turns: one more than values that may hold an earlier one. Those values carry
 * the number of their buffer along, and the instruction writes a buffer that none of them has.
 * In manual mode (module_is_manual) inserted allocations carry `addr`, planned for `profile`
 * around the bound ranges, and no buffer is reused.
 * What cannot be converted is a [conversion] error, of every function: valid extents that no
 * operand gives, templates that no operand fills; and tiles that would have to take turns at an
 * address of the text or as results of a call, or more than 63 at a time. False when an error was
 * reported to m->ctx->diags; the module is then half converted and of no further use. */
bool passes_to_dps(Module *m, Profile profile);
/* True when some statement has a tile result that passes_to_dps would rewrite, or look at: that of
 * a call. */
bool passes_has_ssa_tiles(const Module *m);

/* ---- DPS -> SSA ---- */

/* Rewrites `m` in place so that tile instructions have results where they had destinations: the
 * contents of a pto.alloc_tile become values, carried by scf.for and returned by scf.if where they
 * live on; an allocation that nothing reads as such goes away, and its name goes to the first
 * value. Values are named after it. passes_to_dps takes the program back to an equivalent one. What
 * cannot be a value stays a buffer, and the instructions that write it stay in the DPS form, with a
 * [kept-buffer] warning that says why: tiles with an address, parameters, tiles that a view, a
 * call, a branch or scratch memory uses, valid regions that no operand gives, tiles that are
 * carried by a loop and are overwritten by an instruction that cannot work in place. */
void passes_to_ssa(Module *m, Profile profile);

/* ---- memory planning ---- */

typedef struct PlanOptions {
    Profile profile;
    bool *placed; /* set when some tile got an address; NULL: not wanted */
} PlanOptions;

/* Where a tile lies. */
typedef struct PlanSlot {
    int64_t addr;  /* byte offset in its space */
    int64_t bytes; /* tile_bytes of its type for the profile */
    uint8_t space; /* Space */
    bool bound;    /* the text gave the address: constant `addr`, or a constant tassign */
    /* The positions of its function in which it is needed; start > end: none. */
    uint32_t start, end;
} PlanSlot;

/* An instruction's implicit scratch tile. Dynamic extents of its type's valid region are those of
 * the operand that ImplicitTmp names (one or two rows when it says so). */
typedef struct PlanTmp {
    PlanSlot slot;
    const Type *type;
} PlanTmp;

typedef struct PlanFunction {
    const Op *func;
    /* Bytes a core needs per space while it runs the function, the functions that it calls
     * included: the array sizes of a launch. With dynamic[space] an address is computed at run
     * time: the size is then at least profile_dynamic_reach(), and what was planned lies after
     * that. */
    int64_t bytes[SPACE_COUNT];
    bool dynamic[SPACE_COUNT];
} PlanFunction;

typedef struct PlanMap PlanMap;
typedef struct Plan {
    PlanMap *map;
    PlanFunction *functions; /* in the order of the text, declarations included */
    uint32_t nfunctions;
} Plan;

/* Gives an address to every tile that has none in the text: allocations, SSA results, tile results
 * of calls, implicit scratch tiles. Tiles bound in the text keep their ranges, and all others lie
 * outside of them. Two tiles share bytes only when one is dead before the other is first used; so
 * operands of one instruction, its scratch tile included, never overlap. What a function calls is
 * planned first; tiles of the caller that live across the call lie after it.
 * The plan lives in the arena of m->ctx; without `out` only the verdict is wanted, and nothing is
 * kept. False when an error was reported to m->ctx->diags. */
bool passes_plan(const Module *m, const PlanOptions *opt, Plan *out);

/* The slot of an alloc_tile result, a tassign result or a tile bound by tassign (argument
 * included), an SSA tile result, or a tile result of a call. NULL when its address is known only
 * at run time: `addr` or tassign with a value that is not constant, arguments without a binding,
 * results of scf operations and select (they carry a tile's address along). A tile that is
 * never used has address 0. A tile that several pto.tassign bind has the address of the first; a
 * later one moves it when it is executed. */
const PlanSlot *plan_value(const Plan *p, const Value *v);
/* The implicit scratch tile of an instruction; NULL when it has none for the profile. */
const PlanTmp *plan_tmp(const Plan *p, const Op *op);
/* The address of a pto.reserve_buffer that the text leaves to the planner; -1 for any other. */
int64_t plan_reserved(const Plan *p, const Op *op);
/* Its slot; NULL for any other statement. */
const PlanSlot *plan_reserved_slot(const Plan *p, const Op *op);
/* The places in the text of the positions of a function with a body: *offs[pos] for pos < the
 * number that is returned. Statements and the ends of regions have positions. */
uint32_t plan_positions(Arena *arena, const Op *func, uint32_t **offs);
const PlanFunction *plan_function(const Plan *p, const Op *func);

/* The type that passes and emission use for a tile value: its own, or, where the text leaves it to
 * a template (`!pto.tile<...>`), the one of the first tile operand of the defining instruction.
 * NULL when that is a template too. */
const Type *tile_value_type(const Value *v);

#endif
