/* SPDX-License-Identifier: Apache-2.0 */
/* Finds functions at level 3 that rely on inserted synchronisation. */
#include "analysis/effects.h"
#include "verifier/lints/lints.h"

typedef struct Used {
    const Context *ctx;
    Profile profile;
    unsigned cube, vector; /* 1 << Pipe of each core */
    bool synchronised;
} Used;

/* True for flags, events and buffers. Barriers, fences and signals between cores are kept when
 * flags are inserted. */
static bool is_flag(const Op *op) {
    const SyncUse use = (SyncUse)op->inst->sync;
    return (op->inst->flags & IF_SYNC) != 0 && use != SYNC_BARRIER && use != SYNC_DRAIN &&
           use != SYNC_FENCE && use != SYNC_CORES;
}

/* Returns the pipes, as 1 << Pipe, on which a statement of the scalar pipe reads or writes tiles.
 */
static unsigned scalar_pipes(const Effects *e, const Op *op) {
    enum { MOST = 8 };
    Access found[MOST];
    const size_t n = op_accesses(e, op, found, MOST);
    unsigned pipes = 0;
    for (size_t i = 0; i < n && i < MOST; i++)
        if (found[i].value != NULL && found[i].value->type->kind == TY_TILE)
            pipes |= 1u << found[i].pipe;
    return pipes;
}

/* Notes the pipe of a statement. Scalar code needs no synchronisation, unless it touches tiles. */
static bool note_op(Op *op, void *arg) {
    Used *u = arg;
    u->synchronised |= is_flag(op);
    const Effects effects = {.ctx = u->ctx, .profile = u->profile};
    const Pipe pipe = effects_pipe(&effects, op);
    unsigned pipes = 0;
    if (pipe >= PIPE_V && pipe <= PIPE_FIX) pipes = 1u << pipe;
    if (pipe == PIPE_S && !u->synchronised) pipes = scalar_pipes(&effects, op);
    if (pipes == 0) return !u->synchronised;
    const Core core = op_core(op);
    if (core != CORE_VECTOR) u->cube |= pipes;
    if (core != CORE_CUBE) u->vector |= pipes;
    return !u->synchronised;
}

static bool are_several(unsigned pipes) {
    return (pipes & (pipes - 1)) != 0;
}

bool relies_on_insertion(const Context *ctx, Op *func, Profile p) {
    Used u = {.ctx = ctx, .profile = p};
    if (func_data(func)->forgotten) return func_data(func)->unsynced;
    if (!profile_infos[p].chip) return false;
    op_walk(func, note_op, &u);
    return !u.synchronised && (are_several(u.cube) || are_several(u.vector));
}

typedef struct Noting {
    Context *ctx;
    ProfileSet profiles;
} Noting;

static bool note_function(Op *op, void *arg) {
    const Noting *n = arg;
    if (!op_is(op, INST_FUNC)) return true;
    for (int p = 0; p < PROFILE_COUNT; p++) {
        if ((n->profiles & PROFILE_BIT(p)) == 0 || !relies_on_insertion(n->ctx, op, (Profile)p))
            continue;
        diag_add(&n->ctx->diags, DIAG_NO_SYNC, func_data(op)->name_span,
                 "synchronisation: none in the text, relies on insertion");
        break;
    }
    return true;
}

void note_missing_sync(Module *m, ProfileSet profiles) {
    Noting n = {m->ctx, profiles};
    op_walk(m->root, note_function, &n);
}
