/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of cores: which kind code is for, and which statements make cores wait for each other. */
#include "backends/lower/lower.h"

#include "ir/core.h"

/* ---- code for the first vector core only ---- */

typedef struct WholeEntries {
    const Context *ctx;
    bool some; /* a whole entry goes through a pipe */
    bool asks; /* the code queries which core it runs on */
} WholeEntries;

static bool look_for_entries(Op *op, void *arg) {
    WholeEntries *w = arg;
    int split = inst_attr(op->inst, ATTR_split);
    if (op->inst->fifo && split >= 0 && op_attr_int(op, split) == 0) w->some = true;
    if (op_is(op, INST_GET_SUBBLOCK_IDX) || op_is(op, INST_GET_SUBBLOCK_NUM)) w->asks = true;
    return !w->asks;
}

bool lower_first_core_only(const Context *ctx, const Op *op, Profile profile) {
    WholeEntries w = {ctx, false, false};
    if (!profile_infos[profile].whole_entry_to_first || op_given_core(op) != CORE_VECTOR)
        return false;
    op_walk((Op *)(uintptr_t)op, look_for_entries, &w);
    return w.some && !w.asks;
}

/* ---- waiting ---- */

/* Votes, shuffles and reductions. */
static bool is_of_warps(const Inst *inst) {
    switch (inst_id(inst)) {
    case INST_VOTE_ALL:
    case INST_VOTE_ANY:
    case INST_VOTE_UNI:
    case INST_VOTE_BALLOT:
    case INST_SHUFFLE_IDX:
    case INST_SHUFFLE_UP:
    case INST_SHUFFLE_DOWN:
    case INST_SHUFFLE_BFLY:
    case INST_REDUX_ADD:
    case INST_REDUX_MAX:
    case INST_REDUX_MIN:
        return true;
    default:
        return false;
    }
}

unsigned lower_needs(const Op *op) {
    const Inst *inst = op->inst;
    if (inst->fifo) return NEED_WAITS;
    if (op_is(op, INST_SYNCALL) || op_is(op, INST_SET_CROSS_BLOCK) ||
        op_is(op, INST_WAIT_CROSS_BLOCK) || op_is(op, INST_TWAIT) || op_is(op, INST_TTEST))
        return NEED_WAITS | NEED_GRID;
    if (op_is(op, INST_SYNC_SET) || op_is(op, INST_SYNC_WAIT)) {
        int mode = inst_attr(inst, ATTR_ffts_mode);
        bool blocks = mode >= 0 && op_attr_int(op, mode) == 0;
        return NEED_WAITS | (blocks ? NEED_GRID : 0);
    }
    if (op_is(op, INST_SET_INTRA_BLOCK) || op_is(op, INST_WAIT_INTRA_BLOCK) ||
        op_is(op, INST_SET_CROSS_CORE) || op_is(op, INST_WAIT_FLAG_DEV))
        return NEED_WAITS;
    if (op_is(op, INST_SYNCTHREADS)) return NEED_ITEMS;
    return is_of_warps(inst) ? NEED_LANES : 0;
}

typedef struct Needs {
    const Lower *l;
    unsigned found;
} Needs;

static bool see_needs(Op *op, void *arg) {
    Needs *n = arg;
    const LowerFunc *callee = lower_callee(n->l, op);
    n->found |= lower_needs(op) | (callee != NULL ? callee->needs : 0u);
    return true;
}

unsigned lower_needs_inside(const Lower *l, const Op *op) {
    Needs n = {l, 0};
    op_walk((Op *)(uintptr_t)op, see_needs, &n);
    return n.found;
}
