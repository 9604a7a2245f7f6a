/* SPDX-License-Identifier: Apache-2.0 */
/* On which pipes a statement works, and what the sanitizer is told of it: what it touches. */
#include "analysis/effects.h"
#include "analysis/entries.h"
#include "backends/lower/passes.h"
#include "ir/core.h"
#include "ir/vector_code.h"
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

/* Returns which phases have what they need. */
static const bool *which_apply(const Op *op, const PhaseForm *form, Arena *arena) {
    bool *applies = form != NULL ? ARENA_ARRAY(arena, bool, form->nphases + 1u) : NULL;
    for (uint8_t i = 0; form != NULL && i < form->nphases; i++)
        applies[i] = phase_applies(op, &form->phases[i]);
    return applies;
}

static void find_accesses(const Effects *effects, const Op *op, LowerSees *to, Arena *arena) {
    to->n = op_accesses(effects, op, NULL, 0);
    Access *list = ARENA_ARRAY(arena, Access, to->n + 1);
    (void)op_accesses(effects, op, list, to->n);
    to->accesses = list;
    to->phases = effects_phases(effects, op);
    to->applies = which_apply(op, to->phases, arena);
}

const LowerWork *lower_work(const Lower *l, const Op *op, Arena *arena) {
    const Effects effects = {.ctx = l->ctx, .profile = l->profile};
    LowerWork *work = ARENA_NEW(arena, LowerWork);
    Pipe other;
    *work =
        (LowerWork){.pipe = op->inst->sync != SYNC_NONE ? op_pipe(op, l->profile)
                                                        : op_pipe_by_tiles(op, l->profile, &other),
                    .core = op_is_section(op) ? (Core)op->inst->core : op_core(op),
                    .phases = effects_phases(&effects, op),
                    .scope = op_is_vector_scope(op),
                    .vector = inst_is_micro(op->inst) && op_is_vector_code(op),
                    .number = number_form(op)};
    work->applies = which_apply(op, work->phases, arena);
    if (work->scope) work->pipe = PIPE_V;
    return work;
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
