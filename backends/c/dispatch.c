/* Which function emits which instruction: the one place. What is not listed is a call of the
 * runtime (Inst.kernel) or has no lowering. */
#include "backends/c/emitter.h"
#include "backends/c/flow.h"
#include "backends/c/scalar.h"
#include "backends/c/tiles.h"

const EmitFn emit_table[INST_COUNT] = {
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
    [INST_TASSIGN] = emit_tassign,
    [INST_MAKE_TENSOR_VIEW] = emit_make_view,
    [INST_PARTITION_VIEW] = emit_partition_view,
    [INST_GET_TENSOR_VIEW_DIM] = emit_view_dim,
    [INST_ADDPTR] = emit_addptr,
    [INST_LOAD_SCALAR] = emit_load_scalar,
    [INST_STORE_SCALAR] = emit_store_scalar,

    [INST_GET_BLOCK_IDX] = emit_launch_query,
    [INST_GET_BLOCK_NUM] = emit_launch_query,
    [INST_GET_SUBBLOCK_IDX] = emit_launch_query,
    [INST_GET_SUBBLOCK_NUM] = emit_launch_query,
    [INST_SET_FLAG] = emit_flag,
    [INST_WAIT_FLAG] = emit_flag,
    [INST_BARRIER] = emit_nothing,
    [INST_TSYNC] = emit_nothing,
};

bool emit_lowers(const Inst *inst) {
    /* Modules and functions are not statements of a body. */
    return emit_table[inst_id(inst)] != NULL || inst->kernel != NULL ||
           inst->family == FAM_BUILTIN || inst->family == FAM_FUNC;
}

void emit_op(Emitter *e, const Op *op) {
    EmitFn fn = emit_table[inst_id(op->inst)];
    start_statement(e, op);
    if (fn != NULL)
        fn(e, op);
    else if (op->inst->kernel != NULL)
        emit_kernel(e, op);
    else
        no_kernel(e, op);
}
