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
    return 0;
}
