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

static int64_t number_of(const Context *ctx, const Op *op, int attr) {
    const NamedAttr *a = op_attr(ctx, op, attr);
    return a != NULL && a->value->kind == ATTR_ENUM ? enum_number(a->value)
                                                    : op_attr_int(ctx, op, attr);
}

/* Adds the operand, or if it is absent the attribute. */
static void add_operand(SyncCall *call, const Context *ctx, const Op *op, OperandName operand,
                        const char *attr) {
    const Value *v = named_value(op, operand);
    int at = attr != NULL ? inst_attr(op->inst, attr, strlen(attr)) : -1;
    if (v != NULL)
        add(call, (LowerArg){.kind = LARG_VALUE, .value = v});
    else
        add_number(call, at >= 0 ? number_of(ctx, op, at) : 0);
}

static void add_pipe(SyncCall *call, const Context *ctx, const Op *op, const char *attr) {
    const NamedAttr *a = op_attr_named(ctx, op, attr);
    add_number(call, a != NULL ? pipe_number(a->value) : -1);
}

/* ---- inside a core ---- */

static SyncCall flag(const Context *ctx, const Op *op, const char *name, const char *src,
                     const char *dst) {
    SyncCall call = {.name = name};
    add_pipe(&call, ctx, op, src);
    add_pipe(&call, ctx, op, dst);
    add_operand(&call, ctx, op, OPERAND_event_id, "event_id");
    return call;
}

/* The `_dyn` spellings require an operand `buf_id`; the others have an attribute of that name, or
 * the operand `buf_id_dyn` in its place. */
static SyncCall token(const Context *ctx, const Op *op, const char *name) {
    SyncCall call = {.name = name};
    const bool required = inst_slot(op->inst, OPERAND_buf_id) >= 0;
    add_pipe(&call, ctx, op, "op_type");
    add_operand(&call, ctx, op, required ? OPERAND_buf_id : OPERAND_buf_id_dyn, "buf_id");
    return call;
}

/* ---- between cores ---- */

enum { OF_LAUNCH = 0, TO_OTHERS = 2 };

static SyncCall send(const Context *ctx, const Op *op, OperandName event, int64_t mode) {
    SyncCall call = {.name = "sync_set"};
    add_operand(&call, ctx, op, event, "event_id");
    add_number(&call, mode);
    return call;
}

static SyncCall take(const Context *ctx, const Op *op, const char *name, OperandName event) {
    SyncCall call = {.name = name};
    add_operand(&call, ctx, op, event, "event_id");
    return call;
}

static SyncCall barrier(const Context *ctx, const Op *op) {
    /* the numbers of aiv_only, aic_only and mix are those of the runtime */
    const NamedAttr *type = op_attr_named(ctx, op, "core_type");
    const Value *workspace = named_value(op, OPERAND_gm_workspace);
    SyncCall call = {.name = workspace != NULL ? "syncall_soft" : "syncall"};
    add_number(&call, type != NULL ? enum_number(type->value) : 0);
    if (workspace == NULL) return call;
    add(&call, (LowerArg){.kind = LARG_MEMORY, .value = workspace});
    add_operand(&call, ctx, op, OPERAND_used_cores, NULL);
    return call;
}

/* Without semaphores the signals of pto.sync.set serve inside a block too. */
static SyncCall in_block(const Context *ctx, const Op *op, Profile arch, bool sets) {
    if (profile_infos[arch].block_semaphores)
        return take(ctx, op, sets ? "set_intra_block" : "wait_intra_block", OPERAND_event_id_dyn);
    return sets ? send(ctx, op, OPERAND_event_id_dyn, TO_OTHERS)
                : take(ctx, op, "sync_wait", OPERAND_event_id_dyn);
}

/* ---- the table ---- */

typedef SyncCall (*SyncFn)(const Context *ctx, const Op *op, Profile arch);

#define SYNC_FN(name, ...)                                                                         \
    static SyncCall name(const Context *ctx, const Op *op, Profile arch) {                         \
        (void)arch;                                                                                \
        return __VA_ARGS__;                                                                        \
    }
SYNC_FN(set_flag, flag(ctx, op, "set_flag", "src_pipe", "dst_pipe"))
SYNC_FN(wait_flag, flag(ctx, op, "wait_flag", "src_pipe", "dst_pipe"))
SYNC_FN(record_event, flag(ctx, op, "set_flag", "src_op", "dst_op"))
SYNC_FN(wait_event, flag(ctx, op, "wait_flag", "src_op", "dst_op"))
SYNC_FN(get_buf, token(ctx, op, "get_buf"))
SYNC_FN(rls_buf, token(ctx, op, "rls_buf"))
SYNC_FN(sync_set, send(ctx, op, OPERAND_event_id_dyn,
                       op_attr_int(ctx, op, inst_attr(op->inst, "ffts_mode", 9))))
SYNC_FN(sync_wait, take(ctx, op, "sync_wait", OPERAND_event_id_dyn))
SYNC_FN(set_cross_block, send(ctx, op, OPERAND_event_id_dyn, OF_LAUNCH))
SYNC_FN(set_cross_core, send(ctx, op, OPERAND_event_id, TO_OTHERS))
SYNC_FN(wait_flag_dev, take(ctx, op, "sync_wait", OPERAND_event_id))
SYNC_FN(set_intra_block, in_block(ctx, op, arch, true))
SYNC_FN(wait_intra_block, in_block(ctx, op, arch, false))
SYNC_FN(syncall, barrier(ctx, op))

static const SyncFn sync_table[INST_COUNT] = {
    [INST_SET_FLAG] = set_flag,
    [INST_SET_FLAG_DYN] = set_flag,
    [INST_WAIT_FLAG] = wait_flag,
    [INST_WAIT_FLAG_DYN] = wait_flag,
    [INST_RECORD_EVENT] = record_event,
    [INST_WAIT_EVENT] = wait_event,
    [INST_GET_BUF] = get_buf,
    [INST_GET_BUF_DYN] = get_buf,
    [INST_RLS_BUF] = rls_buf,
    [INST_RLS_BUF_DYN] = rls_buf,
    [INST_SYNC_SET] = sync_set,
    [INST_SYNC_WAIT] = sync_wait,
    [INST_SET_CROSS_BLOCK] = set_cross_block,
    [INST_WAIT_CROSS_BLOCK] = sync_wait,
    [INST_SET_CROSS_CORE] = set_cross_core,
    [INST_WAIT_FLAG_DEV] = wait_flag_dev,
    [INST_SET_INTRA_BLOCK] = set_intra_block,
    [INST_WAIT_INTRA_BLOCK] = wait_intra_block,
    [INST_SYNCALL] = syncall,
};

bool lower_is_sync(const Inst *inst) {
    return sync_table[inst_id(inst)] != NULL;
}

const LowerCall *lower_sync(const Context *ctx, const Op *op, Profile arch, Arena *arena) {
    const SyncCall made = sync_table[inst_id(op->inst)](ctx, op, arch);
    LowerArg *args = ARENA_ARRAY(arena, LowerArg, MOST_ARGS);
    LowerCall *call = ARENA_NEW(arena, LowerCall);
    memcpy(args, made.args, sizeof made.args);
    *call = (LowerCall){.name = made.name, .args = args, .nargs = made.nargs};
    return call;
}
