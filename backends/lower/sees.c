/* SPDX-License-Identifier: Apache-2.0 */
/* What the sanitizer is told of a statement: what it touches, and on which pipes. */
#include "analysis/effects.h"
#include "analysis/entries.h"
#include "backends/lower/passes.h"
#include "passes/show.h"

/* Whether the statement waits for or changes signals in memory. */
static bool is_signal(const Op *op) {
    return op_is(op, INST_TNOTIFY) || op_is(op, INST_TWAIT) || op_is(op, INST_TTEST);
}

static bool touches(const Op *op) {
    const Inst *i = op->inst;
    return inst_accesses(i) && (i->flags & IF_SYNC) == 0 && op->nregions == 0 &&
           !op_is(op, INST_CALL) && (i->rare->idle == NULL || i->rare->nforms > 0) &&
           !is_signal(op) && (!i->fifo || i->entry == ENTRY_PUSH) && show_name(op) == NULL;
}

static void find_accesses(const Effects *effects, const Op *op, LowerSees *to, Arena *arena) {
    to->n = op_accesses(effects, op, NULL, 0);
    Access *list = ARENA_ARRAY(arena, Access, to->n + 1);
    (void)op_accesses(effects, op, list, to->n);
    to->accesses = list;
    to->phases = effects_phases(effects, op);
    if (to->phases == NULL) return;
    bool *applies = ARENA_ARRAY(arena, bool, to->phases->nphases + 1u);
    for (uint8_t i = 0; i < to->phases->nphases; i++)
        applies[i] = phase_applies(op, &to->phases->phases[i]);
    to->applies = applies;
}

/* Returns the pipe that waits for an entry, fills or frees it, as the proof has it. */
static Pipe pipe_of_entry(const Effects *effects, FreedEntries *freed, const Op *op, Core on) {
    const Value *entry = entry_value(op);
    if (op->inst->entry == ENTRY_FREE) {
        const FreedPops pops = freed_pops(freed, op);
        entry = pops.n > 0 ? entry_value(pops.pops[0]) : NULL;
    }
    return entry == NULL ? effects_pipe(effects, op)
                         : entry_pipe(effects->ctx, op, entry, effects->profile, on).pipe;
}

const LowerSees *lower_sees(const Lower *l, const LowerOptions *opt, const LowerStmt *s,
                            const Op *op, Arena *arena) {
    const Effects effects = {.ctx = l->ctx, .profile = l->profile};
    const EntryUse use = (EntryUse)op->inst->entry;
    LowerSees *sees = ARENA_NEW(arena, LowerSees);
    *sees = (LowerSees){.pipe = op_pipe(op, l->profile), .transfers = op_transfers(op)};
    if (touches(op)) find_accesses(&effects, op, sees, arena);
    if (use == ENTRY_PUSH || use == ENTRY_ALLOC)
        sees->entry_pipe = effects_pipe(&effects, op);
    else if (use != ENTRY_NONE)
        sees->entry_pipe = pipe_of_entry(&effects, opt->sanitize, op, (Core)s->core);
    return sees;
}
