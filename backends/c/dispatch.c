/* The dispatch table: which function emits which instruction. An instruction that is not listed is
 * a call of the runtime (backends/lower/kernel_table.h) or has no lowering. */
#include "backends/c/comm.h"
#include "backends/c/emitter.h"
#include "backends/c/flow.h"
#include "backends/c/handles.h"
#include "backends/c/observe.h"
#include "backends/c/pipes.h"
#include "backends/c/scalar.h"
#include "backends/c/storage.h"
#include "backends/c/tiles.h"
#include "backends/lower/call.h"
#include "backends/lower/kernel_table.h"
#include "backends/text/flow.h"

#include <string.h>

static const EmitFn emit_table[INST_COUNT] = {
    [INST_RETURN] = emit_return,
    [INST_CALL] = emit_call,
    [INST_UNREALIZED_CAST] = emit_resign,

    [INST_CONSTANT] = emit_constant,
    [INST_ADDI] = emit_binary,
    [INST_SUBI] = emit_binary,
    [INST_MULI] = emit_binary,
    [INST_DIVSI] = emit_binary,
    [INST_DIVUI] = emit_binary,
    [INST_REMSI] = emit_binary,
    [INST_REMUI] = emit_binary,
    [INST_CEILDIVSI] = emit_binary,
    [INST_CEILDIVUI] = emit_binary,
    [INST_FLOORDIVSI] = emit_binary,
    [INST_ANDI] = emit_bitwise,
    [INST_ORI] = emit_bitwise,
    [INST_XORI] = emit_bitwise,
    [INST_SHLI] = emit_binary,
    [INST_SHRSI] = emit_binary,
    [INST_SHRUI] = emit_binary,
    [INST_MAXSI] = emit_binary,
    [INST_MINSI] = emit_binary,
    [INST_MAXUI] = emit_binary,
    [INST_MINUI] = emit_binary,
    [INST_ADDF] = emit_binary,
    [INST_SUBF] = emit_binary,
    [INST_MULF] = emit_binary,
    [INST_DIVF] = emit_binary,
    [INST_REMF] = emit_binary,
    [INST_MAXIMUMF] = emit_binary,
    [INST_MINIMUMF] = emit_binary,
    [INST_MAXNUMF] = emit_binary,
    [INST_MINNUMF] = emit_binary,
    [INST_NEGF] = emit_negf,
    [INST_CMPI] = emit_cmpi,
    [INST_CMPF] = emit_cmpf,
    [INST_SELECT] = emit_select,
    [INST_INDEX_CAST] = emit_cast_signed,
    [INST_INDEX_CASTUI] = emit_cast_unsigned,
    [INST_EXTSI] = emit_cast_signed,
    [INST_EXTUI] = emit_cast_unsigned,
    [INST_TRUNCI] = emit_cast_signed,
    [INST_EXTF] = emit_extf,
    [INST_TRUNCF] = emit_truncf,
    [INST_SITOFP] = emit_int_to_float,
    [INST_UITOFP] = emit_int_to_float,
    [INST_FPTOSI] = emit_float_to_int,
    [INST_FPTOUI] = emit_float_to_int,
    [INST_BITCAST_SCALAR] = emit_bitcast,
    [INST_ADDUI_EXTENDED] = emit_extended,
    [INST_MULSI_EXTENDED] = emit_extended,
    [INST_MULUI_EXTENDED] = emit_extended,

    [INST_SCF_FOR] = emit_for,
    [INST_SCF_IF] = emit_if,
    [INST_SCF_WHILE] = emit_while,
    [INST_SCF_EXECUTE_REGION] = emit_execute_region,
    [INST_SCF_INDEX_SWITCH] = emit_index_switch,
    [INST_SCF_YIELD] = emit_yield,
    [INST_SCF_CONDITION] = emit_condition,
    [INST_CF_BR] = emit_br,
    [INST_CF_COND_BR] = emit_cond_br,
    [INST_CF_SWITCH] = emit_switch,
    [INST_CF_ASSERT] = emit_assert,

    [INST_ALLOC_TILE] = emit_alloc_tile,
    [INST_SET_VALIDSHAPE] = emit_set_validshape,
    [INST_GET_VALIDSHAPE] = emit_valid_extents,
    [INST_TILE_VALID_ROWS] = emit_valid_extents,
    [INST_TILE_VALID_COLS] = emit_valid_extents,
    [INST_TASSIGN] = emit_tassign,
    [INST_MAKE_TENSOR_VIEW] = emit_make_view,
    [INST_PARTITION_VIEW] = emit_partition_view,
    [INST_GET_TENSOR_VIEW_DIM] = emit_view_dim,
    [INST_GET_TENSOR_VIEW_STRIDE] = emit_view_dim,
    [INST_SUBVIEW] = emit_subview,
    [INST_SUBSET] = emit_subset,
    [INST_TSUBVIEW] = emit_tile_window,
    [INST_BITCAST] = emit_recast,
    [INST_TRESHAPE] = emit_recast,
    [INST_TALIAS] = emit_recast,
    [INST_ALLOC_MULTI_TILE] = emit_alloc_tile,
    [INST_MULTI_TILE_GET] = emit_multi_tile_get,
    [INST_TGET_SCALE_ADDR] = emit_only_binding,
    [INST_TSETHF32MODE] = emit_product_mode,
    [INST_CASTPTR] = emit_cast_pointer,
    [INST_PTRTOINT] = emit_cast_pointer,
    [INST_INTTOPTR] = emit_cast_pointer,
    [INST_TILE_BUF_ADDR] = emit_tile_addr,
    [INST_TENSOR_VIEW_ADDR] = emit_view_addr,
    [INST_TGETVAL] = emit_get_element,
    [INST_TSETVAL] = emit_set_element,
    [INST_ADDPTR] = emit_addptr,
    [INST_LOAD_SCALAR] = emit_load_scalar,
    [INST_STORE_SCALAR] = emit_store_scalar,

    [INST_GET_BLOCK_IDX] = emit_launch_query,
    [INST_GET_BLOCK_NUM] = emit_launch_query,
    [INST_GET_SUBBLOCK_IDX] = emit_launch_query,
    [INST_GET_SUBBLOCK_NUM] = emit_launch_query,
    [INST_SECTION_CUBE] = emit_section,
    [INST_SECTION_VECTOR] = emit_section,

    [INST_DECLARE_EVENTID_ARRAY] = emit_declare_storage,
    [INST_EVENTID_ARRAY_GET] = emit_array_get,
    [INST_EVENTID_ARRAY_SET] = emit_array_set,
    [INST_DECLARE_LOCAL_ARRAY] = emit_declare_storage,
    [INST_LOCAL_ARRAY_GET] = emit_array_get,
    [INST_LOCAL_ARRAY_SET] = emit_array_set,
    [INST_DECLARE_STRUCT] = emit_declare_storage,
    [INST_STRUCT_GET] = emit_struct_get,
    [INST_STRUCT_SET] = emit_struct_set,
    [INST_TPRINT] = emit_tprint,
    [INST_PRINT] = emit_print,
    [INST_TRAP] = emit_trap,

    [INST_RESERVE_BUFFER] = emit_reserve_buffer,
    [INST_IMPORT_RESERVED_BUFFER] = emit_reserve_buffer,
    [INST_AIC_INITIALIZE_PIPE] = emit_initialize_pipe,
    [INST_AIV_INITIALIZE_PIPE] = emit_initialize_pipe,
    [INST_INITIALIZE_L2G2L_PIPE] = emit_initialize_pipe,
    [INST_INITIALIZE_L2L_PIPE] = emit_initialize_pipe,
    [INST_DECLARE_TILE] = emit_declare_tile,
    [INST_DECLARE_GLOBAL] = emit_declare_global,
    [INST_TALLOC_TO_AIV] = emit_talloc,
    [INST_TALLOC_TO_AIC] = emit_talloc,
    [INST_SET_QUANT_SCALAR] = emit_set_quant_scalar,
    [INST_SET_QUANT_VECTOR] = emit_set_quant_vector,
    [INST_TPUSH_TO_AIV] = emit_tpush,
    [INST_TPUSH_TO_AIC] = emit_tpush,
    [INST_TPOP_FROM_AIC] = emit_tpop,
    [INST_TPOP_FROM_AIV] = emit_tpop,
    [INST_TFREE_FROM_AIC] = emit_tfree,
    [INST_TFREE_FROM_AIV] = emit_tfree,
    [INST_TALLOC] = emit_talloc,
    [INST_TPUSH] = emit_tpush,
    [INST_TPOP] = emit_tpop,
    [INST_TFREE] = emit_tfree,

    [INST_TPUT] = emit_comm_transfer,
    [INST_TGET] = emit_comm_transfer,
    [INST_TNOTIFY] = emit_notify,
    [INST_TWAIT] = emit_wait,
    [INST_TTEST] = emit_test,
    [INST_TBROADCAST] = emit_collective,
    [INST_COMM_TGATHER] = emit_collective,
    [INST_COMM_TSCATTER] = emit_collective,
    [INST_TREDUCE] = emit_collective,
    [INST_BUILD_ASYNC_SESSION] = emit_async_handle,
    [INST_TPUT_ASYNC] = emit_async_transfer,
    [INST_TGET_ASYNC] = emit_async_transfer,
    [INST_WAIT_ASYNC_EVENT] = emit_async_done,
    [INST_TEST_ASYNC_EVENT] = emit_async_done,
    [INST_MAKE_PREFETCH_CONTEXT] = emit_async_handle,
    [INST_GET_PREFETCH_SESSION] = emit_async_handle,
    [INST_TPREFETCH_ASYNC] = emit_async_handle,
    [INST_TPREFETCH] = emit_only_binding,
    [INST_FENCE_BARRIER_ALL] = emit_fence,
    [INST_CMO_CACHEINVALID] = emit_fence,
};

bool emit_lowers(const Inst *inst) {
    if (inst->alias_of != NULL) inst = inst_find(inst->alias_of, strlen(inst->alias_of));
    /* Modules and functions have no emitter, but are lowered. */
    return inst->idle != NULL || lower_is_sync(inst) || emit_table[inst_id(inst)] != NULL ||
           kernel_first(inst) != NULL || (inst->flags & IF_ISOLATED) != 0;
}

void emit_op(Emitter *e, const Op *op) {
    EmitFn fn = emit_table[inst_id(op->inst)];
    const bool sync = lower_is_sync(op->inst);
    start_statement(e, op);
    observe_before(e, op);
    save_changed_tile(e, op);
    if (fn == NULL && !sync && op->inst->idle == NULL) {
        emit_kernel(e, op);
    } else {
        emit_checks(e);
        if (fn != NULL)
            fn(e, op);
        else if (sync)
            emit_sync(e, op);
    }
    observe_after(e, op);
}
