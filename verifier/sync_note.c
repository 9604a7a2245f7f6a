/* Finds functions at level 3 that rely on inserted synchronisation. */
#include "verifier/lints.h"

typedef struct Used {
    Profile profile;
    unsigned pipes; /* 1 << Pipe */
    bool synchronised;
} Used;

/* Notes the pipe of a statement; scalar code needs no synchronisation. */
static bool note_op(Op *op, void *arg) {
    Used *u = arg;
    uint8_t pipe = op->inst->pipe[u->profile];
    u->synchronised |= (op->inst->flags & IF_SYNC) != 0;
    if (pipe >= PIPE_V && pipe <= PIPE_FIX) u->pipes |= 1u << pipe;
    return !u->synchronised;
}

bool relies_on_insertion(Op *func, Profile p) {
    Used u = {.profile = p};
    if (func_data(func)->forgotten) return func_data(func)->unsynced;
    if (!profile_infos[p].chip) return false;
    op_walk(func, note_op, &u);
    return !u.synchronised && (u.pipes & (u.pipes - 1)) != 0;
}

typedef struct Noting {
    DiagList *diags;
    ProfileSet profiles;
} Noting;

static bool note_function(Op *op, void *arg) {
    const Noting *n = arg;
    if (!op_is(op, INST_FUNC)) return true;
    for (int p = 0; p < PROFILE_COUNT; p++) {
        if ((n->profiles & PROFILE_BIT(p)) == 0 || !relies_on_insertion(op, (Profile)p)) continue;
        diag_add(n->diags, DIAG_NO_SYNC, func_data(op)->name_span,
                 "synchronisation: none in the text, relies on insertion");
        break;
    }
    return true;
}

void note_missing_sync(Module *m, ProfileSet profiles) {
    Noting n = {&m->ctx->diags, profiles};
    op_walk(m->root, note_function, &n);
}
