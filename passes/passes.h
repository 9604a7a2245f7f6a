/* SPDX-License-Identifier: Apache-2.0 */
/* Passes over verified modules: SSA -> DPS, and memory planning.
 *
 * Both expect a module without errors (verify_module) and never run on another. The usual order
 * is passes_to_dps (nothing happens when no statement has tile results), then passes_plan. */
#ifndef PASSES_PASSES_H
#define PASSES_PASSES_H

#include "ir/plan.h"

/* ---- SSA -> DPS ---- */

/* Rewrites `m` in place so that every tile instruction is in the DPS form (op->form = OPF_DPS,
 * destinations are operands). Each former result gets a buffer: a pto.alloc_tile of its type
 * (spelt tile_buf) inserted before the instruction, or an earlier inserted one that is dead and
 * has the same type and valid operands. An instruction writes the buffer of an operand that dies
 * there only when it works element by element and no profile forbids the overlap, so the result is
 * as portable as the input. A buffer has the name of the first result that it holds. Dynamic valid
 * extents come from the operand with the same valid region (its allocation or pto.set_validshape),
 * or from the sizes of the loaded window. A tile result is a new value each time it is computed.
 * When an earlier one is still needed as the instruction runs again (a loop or blocks carry it),
 * the result gets buffers that take turns: one more than there are values that may hold an earlier
 * one. These values carry the number of their buffer along, and the instruction writes a buffer
 * that none of them holds. In manual mode (module_is_manual) inserted allocations carry `addr`,
 * planned for `profile` around the bound ranges, and no buffer is reused. The following are
 * [conversion] errors: valid extents that no operand gives, templates that no operand fills, tiles
 * that would have to take turns at an address of the text or as results of a call, and more than
 * 63 such tiles. After an error it returns false, and the module is unusable. */
bool passes_to_dps(Module *m, Profile profile);
/* True when the statement has a tile result that passes_to_dps would rewrite, or is a call with
 * one.
 */
bool passes_makes_ssa_tile(const Op *op);
/* True when some statement of the module does. */
bool passes_has_ssa_tiles(const Module *m);

/* Reports statements of the PTO-AS form that read a window of a pointer, a view or a memref by
 * indices, as [conversion] errors: the other forms have partition views only. True when there is
 * none. */
bool passes_have_no_as_windows(const Module *m);

/* ---- DPS -> SSA ---- */

/* Rewrites `m` in place so that tile instructions have results instead of destinations: the
 * contents of a pto.alloc_tile become values, which scf.for carries and scf.if returns where
 * needed. An allocation that nothing reads any more is removed, and its name goes to the first
 * value; further values are named after it. passes_to_dps converts the result back to an
 * equivalent program. Where this is impossible, the buffer stays, the instructions that write it
 * stay in the DPS form, and a [kept-buffer] warning says why: tiles with an address, parameters,
 * tiles that a view, a call, a branch or scratch memory uses, valid regions that no operand gives,
 * and tiles that a loop carries and an instruction that cannot work in place overwrites. */
void passes_to_ssa(Module *m, Profile profile);

/* ---- memory planning ---- */

typedef struct PlanOptions {
    Profile profile;
    /* In programs whose text gives addresses, scratch tiles are at the end of their space: the text
     * may compute addresses anywhere before. */
    bool scratch_last;
    bool *placed; /* set when some tile got an address; NULL: not wanted */
} PlanOptions;

/* Gives an address to every tile without one in the text: allocations, SSA results, tile results
 * of calls, implicit scratch tiles. Tiles bound in the text keep their ranges, and all others are
 * placed outside of these. Two tiles share bytes only when one is dead before the other is first
 * used; so operands of one instruction, its scratch tile included, never overlap. Callees are
 * planned first; tiles of the caller that are live across the call come after those of the callee.
 * The plan is allocated in the arena of m->ctx; without `out` nothing is kept. False when an error
 * was reported to m->ctx->diags. */
bool passes_plan(const Module *m, const PlanOptions *opt, Plan *out);

/* ---- addresses ---- */

/* Writes the addresses of a plan into the DPS form that was planned: `addr` of allocations,
 * allocations for implicit scratch tiles, the base of reserved buffers. The program is then of
 * level 3. Addresses that the text gives stay. */
void passes_write_plan(Module *m, const Plan *plan);

/* ---- vector scopes ---- */

/* Puts vector scopes around the vector code of a legal module that is in none. False after an
 * error: a number that a scope computes is needed after it, and a scope has no results. */
bool passes_write_scopes(Module *m);

/* ---- logical vectors ---- */

/* Replaces the instructions on logical vectors of a legal module by those on registers. A vector of
 * L lanes of w bits becomes ceil(L * w / 2048) registers in order, also where loops and branches
 * carry it; a mask becomes one for each register of the lanes that it is used with. False
 * after [conversion] errors, one for each statement that has no short form on registers; the module
 * is then unusable. */
bool passes_lower_logical(Module *m);

/* ---- synchronisation ---- */

/* Inserts the flags and barriers that the proof (analysis/hazards.h) finds missing into a legal
 * module of level 3, for a profile with pipes. Functions that have flags, events or buffers are
 * left as they are, and those in which the proof does not understand something. The caller proves
 * the result. */
void passes_insert_sync(Module *m, Profile profile);

#endif
