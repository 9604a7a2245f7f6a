/* SPDX-License-Identifier: Apache-2.0 */
/* Statements that order the pipes of a core or the cores of a launch, as calls of the runtime. */
#include "backends/lower/call.h"

#include "backends/lower/lower.h"
#include "ir/core.h"

#include <string.h>

/* ---- arguments ---- */

/* A call while its arguments are added. */
enum { MOST_ARGS = 4 };
typedef struct SyncCall {
    const char *name;
    LowerArg args[MOST_ARGS];
    unsigned nargs;
} SyncCall;

static void add(SyncCall *call, LowerArg arg) {
    call->args[call->nargs++] = arg;
}

static void add_number(SyncCall *call, int64_t n) {
    add(call, (LowerArg){.kind = LARG_NUMBER, .n = n});
}

static int64_t number_of(const Op *op, int attr) {
    const NamedAttr *a = op_attr(op, attr);
    return a != NULL && a->value->kind == ATTR_ENUM ? enum_number(a->value) : op_attr_int(op, attr);
}

/* Adds the operand, or if it is absent the attribute. */
static void add_operand(SyncCall *call, const Op *op, OperandName operand, AttrName attr) {
    const Value *v = named_value(op, operand);
    const int at = inst_attr(op->inst, attr);
    if (v != NULL)
        add(call, (LowerArg){.kind = LARG_VALUE, .value = v});
    else
        add_number(call, at >= 0 ? number_of(op, at) : 0);
}

static void add_pipe(SyncCall *call, const Op *op, AttrName attr) {
    const NamedAttr *a = op_attr_named(op, attr);
    add_number(call, a != NULL ? pipe_number(a->value) : -1);
}

/* ---- inside a core ---- */

static SyncCall flag(const Op *op, const char *name, AttrName src, AttrName dst) {
    SyncCall call = {.name = name};
    add_pipe(&call, op, src);
    add_pipe(&call, op, dst);
    add_operand(&call, op, OPERAND_event_id, ATTR_event_id);
    return call;
}

/* The `_dyn` spellings require an operand `buf_id`; the others have an attribute of that name, or
 * the operand `buf_id_dyn` in its place. */
static SyncCall token(const Op *op, const char *name) {
    SyncCall call = {.name = name};
    const bool required = inst_slot(op->inst, OPERAND_buf_id) >= 0;
    add_pipe(&call, op, ATTR_op_type);
    add_operand(&call, op, required ? OPERAND_buf_id : OPERAND_buf_id_dyn, ATTR_buf_id);
    return call;
}

/* ---- between cores ---- */

enum { OF_LAUNCH = 0, TO_OTHERS = 2 };

static SyncCall send(const Op *op, OperandName event, int64_t mode) {
    SyncCall call = {.name = "sync_set"};
    add_operand(&call, op, event, ATTR_event_id);
    add_number(&call, mode);
    return call;
}

static SyncCall take(const Op *op, const char *name, OperandName event) {
    SyncCall call = {.name = name};
    add_operand(&call, op, event, ATTR_event_id);
    return call;
}

static SyncCall barrier(const Op *op) {
    /* the numbers of aiv_only, aic_only and mix are those of the runtime */
    const NamedAttr *type = op_attr_named(op, ATTR_core_type);
    const Value *workspace = named_value(op, OPERAND_gm_workspace);
    SyncCall call = {.name = workspace != NULL ? "syncall_soft" : "syncall"};
    add_number(&call, type != NULL ? enum_number(type->value) : 0);
    if (workspace == NULL) return call;
    add(&call, (LowerArg){.kind = LARG_MEMORY, .value = workspace});
    add_operand(&call, op, OPERAND_used_cores, ATTR_NONE);
    return call;
}

/* Without semaphores the signals of pto.sync.set serve inside a block too. */
static SyncCall in_block(const Op *op, Profile arch, bool sets) {
    if (profile_infos[arch].block_semaphores)
        return take(op, sets ? "set_intra_block" : "wait_intra_block", OPERAND_event_id_dyn);
    return sets ? send(op, OPERAND_event_id_dyn, TO_OTHERS)
                : take(op, "sync_wait", OPERAND_event_id_dyn);
}

/* Older micro-instruction programs have the signals of vector core 1 in pto.sync.set and
 * pto.sync.wait, where they are those of one core. */
static bool look_for_core(Op *op, void *arg) {
    enum { OWN_SIGNALS = 16 };
    if (!op_is(op, INST_SYNC_SET) && !op_is(op, INST_SYNC_WAIT)) return true;
    const NamedAttr *a = op_attr_named(op, ATTR_event_id);
    bool *found = arg;
    *found = *found || (a != NULL && a->value->kind == ATTR_INT && a->value->i >= OWN_SIGNALS);
    return !*found;
}

static bool names_cores(const Op *op, Profile arch) {
    bool found = false;
    Op *func = op_function(op);
    if (profile_infos[arch].block_semaphores && func != NULL) op_walk(func, look_for_core, &found);
    return found;
}

static SyncCall sync_set(const Op *op, Profile arch) {
    if (names_cores(op, arch)) return in_block(op, arch, true);
    return send(op, OPERAND_event_id_dyn, op_attr_int(op, inst_attr(op->inst, ATTR_ffts_mode)));
}

static SyncCall sync_wait(const Op *op, Profile arch) {
    if (op_is(op, INST_SYNC_WAIT) && names_cores(op, arch)) return in_block(op, arch, false);
    return take(op, "sync_wait", OPERAND_event_id_dyn);
}

/* ---- the table ---- */

typedef SyncCall (*SyncFn)(const Op *op, Profile arch);

#define SYNC_FN(name, ...)                                                                         \
    static SyncCall name(const Op *op, Profile arch) {                                             \
        (void)arch;                                                                                \
        return __VA_ARGS__;                                                                        \
    }
SYNC_FN(set_flag, flag(op, "set_flag", ATTR_src_pipe, ATTR_dst_pipe))
SYNC_FN(wait_flag, flag(op, "wait_flag", ATTR_src_pipe, ATTR_dst_pipe))
SYNC_FN(record_event, flag(op, "set_flag", ATTR_src_op, ATTR_dst_op))
SYNC_FN(wait_event, flag(op, "wait_flag", ATTR_src_op, ATTR_dst_op))
SYNC_FN(get_buf, token(op, "get_buf"))
SYNC_FN(rls_buf, token(op, "rls_buf"))
SYNC_FN(set_cross_block, send(op, OPERAND_event_id_dyn, OF_LAUNCH))
SYNC_FN(set_cross_core, send(op, OPERAND_event_id, TO_OTHERS))
SYNC_FN(wait_flag_dev, take(op, "sync_wait", OPERAND_event_id))
SYNC_FN(set_intra_block, in_block(op, arch, true))
SYNC_FN(wait_intra_block, in_block(op, arch, false))
SYNC_FN(syncall, barrier(op))

static const struct {
    uint16_t inst;
    SyncFn fn;
} sync_table[] = {
    {INST_SET_FLAG, set_flag},
    {INST_SET_FLAG_DYN, set_flag},
    {INST_WAIT_FLAG, wait_flag},
    {INST_WAIT_FLAG_DYN, wait_flag},
    {INST_RECORD_EVENT, record_event},
    {INST_WAIT_EVENT, wait_event},
    {INST_GET_BUF, get_buf},
    {INST_GET_BUF_DYN, get_buf},
    {INST_RLS_BUF, rls_buf},
    {INST_RLS_BUF_DYN, rls_buf},
    {INST_SYNC_SET, sync_set},
    {INST_SYNC_WAIT, sync_wait},
    {INST_SET_CROSS_BLOCK, set_cross_block},
    {INST_WAIT_CROSS_BLOCK, sync_wait},
    {INST_SET_CROSS_CORE, set_cross_core},
    {INST_WAIT_FLAG_DEV, wait_flag_dev},
    {INST_SET_INTRA_BLOCK, set_intra_block},
    {INST_WAIT_INTRA_BLOCK, wait_intra_block},
    {INST_SYNCALL, syncall},
};

static SyncFn sync_fn(const Inst *inst) {
    for (unsigned i = 0; i < sizeof sync_table / sizeof sync_table[0]; i++)
        if (sync_table[i].inst == inst_id(inst)) return sync_table[i].fn;
    return NULL;
}

bool lower_is_sync(const Inst *inst) {
    return sync_fn(inst) != NULL;
}

const LowerCall *lower_sync(const Op *op, Profile arch, Arena *arena) {
    const SyncCall made = sync_fn(op->inst)(op, arch);
    LowerArg *args = ARENA_ARRAY(arena, LowerArg, MOST_ARGS);
    LowerCall *call = ARENA_NEW(arena, LowerCall);
    memcpy(args, made.args, sizeof made.args);
    *call = (LowerCall){.name = made.name, .args = args, .nargs = made.nargs};
    return call;
}
