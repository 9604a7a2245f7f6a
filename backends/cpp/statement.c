/* Statements: the dispatch table, and the calls that rows of calls.def describe. */
#include "backends/cpp/emitter.h"
#include "backends/text/flow.h"

#include <string.h>

/* ---- rows ---- */

/* A statement whose call is written. */
typedef struct Call {
    Emitter *e;
    const Op *op;
    const char *tmp, *tmp_type; /* the scratch tile that the plan supplies */
    bool names_result;
} Call;

static const Value *result_of(const Op *op, const CallToken *t) {
    const int i = inst_result_named(op->inst, t->s, t->n);
    return i >= 0 ? op_result(op, i) : NULL;
}

static bool has(const Call *call, const CallToken *t) {
    if (t->part == CALL_WORD) {
        const char *text = cpp_word(call->e, call->op, (CallWord)call_word(t->s, t->n));
        return text != NULL && *text != '\0';
    }
    int slot = inst_slot_named(call->op->inst, t->s, t->n);
    if (slot >= 0 && slot_count(call->op, slot) > 0) return true;
    if (slot >= 0 && slot_value(call->op, slot) != NULL) return true;
    if (slot >= 0 && call->op->inst->slots[slot].role == ROLE_SCRATCH && call->tmp != NULL)
        return true;
    int attr = inst_attr(call->op->inst, t->s, t->n);
    return attr >= 0 && cpp_has_attr(call->e, call->op, attr);
}

static bool holds(const Call *call, const char *when) {
    while (*when != '\0') {
        CallToken t = {CALL_ARG, when, strcspn(when, " ")};
        const char *next = when + t.n;
        if (*when == '@') t = (CallToken){CALL_WORD, when + 1, t.n - 1};
        if (!has(call, &t)) return false;
        when = next + (*next == ' ');
    }
    return true;
}

static const CallRow *row_of(const Call *call) {
    unsigned n;
    const CallRow *rows = call_first(call->op->inst, &n);
    for (unsigned i = 0; i < n; i++)
        if ((rows[i].profiles & PROFILE_BIT(call->e->opt->profile)) != 0 &&
            holds(call, call_texts + rows[i].when))
            return &rows[i];
    return NULL;
}

/* SYNCALL counts arrivals in a GlobalTensor. */
static const char *workspace(Emitter *e, const Value *v) {
    static const char shape_type[] = "pto::Shape<1, 1, 1, 1, 16>";
    static const char stride_type[] = "pto::Stride<16, 16, 16, 16, 1>";
    const char *shape = cpp_fresh(e, "workspace_shape"), *stride = cpp_fresh(e, "workspace_stride");
    const char *name = cpp_fresh(e, "workspace");
    const char *base = cpp_is_view(v->type) ? cpp_view(e, v)->base : cpp_pointer(e, v);
    const char *type =
        strf(e, "GlobalTensor<int32_t, %s, %s, pto::Layout::ND>", shape_type, stride_type);
    ln(e, "%s %s = %s();", shape_type, shape, shape_type);
    ln(e, "%s %s = %s();", stride_type, stride, stride_type);
    ln(e, "%s %s = %s(%s, %s, %s);", type, name, type, base != NULL ? base : "nullptr", shape,
       stride);
    return name;
}

static const char *operand_text(Call *call, int slot, const Value *v) {
    Emitter *e = call->e;
    const Op *op = call->op;
    if (op_is(op, INST_SYNCALL) && v->type->kind != TY_SCALAR) return workspace(e, v);
    if (op_is(op, INST_CMO_CACHEINVALID) || op_is(op, INST_MAKE_PREFETCH_CONTEXT) ||
        op_is(op, INST_SET_FFTS)) {
        const char *pointer = cpp_pointer(e, v);
        cpp_of(e)->uses_cache_line |= op_is(op, INST_CMO_CACHEINVALID);
        if (pointer != NULL)
            return strchr(pointer, ' ') == NULL ? pointer : strf(e, "(%s)", pointer);
    }
    if (cpp_is_view(v->type)) return cpp_view_arg(e, op, slot);
    if (cpp_type_of(e, v) == NULL && v->type->kind != TY_PIPE && v->type->kind != TY_EVENT_ARRAY)
        cannot(e, slot_span(op, slot), "'" TYPE_FMT "' has no form in C++",
               TYPE_ARG(&e->ctx->names, v->type));
    return val(e, v);
}

/* Without a scratch tile a call gets a tile that it only names. */
static const char *any_tile(Call *call) {
    for (unsigned i = 0; i < call->op->noperands; i++)
        if (type_is_tile(call->op->operands[i].value->type))
            return val(call->e, call->op->operands[i].value);
    return "nullptr";
}

static void put_slot(Call *call, StrBuf *out, int slot) {
    unsigned n = slot_count(call->op, slot);
    const Operand *o = slot_operands(call->op, slot);
    if (n == 0) {
        const Value *v = slot_value(call->op, slot);
        if (v != NULL)
            sb_puts(out, val(call->e, v));
        else
            sb_puts(out, call->tmp != NULL ? call->tmp : any_tile(call));
        return;
    }
    for (unsigned i = 0; i < n; i++)
        sb_printf(out, "%s%s", i > 0 ? ", " : "", operand_text(call, slot, o[i].value));
}

const char *cpp_mode(Emitter *e, const char *enumerator) {
    const char *scope = strrchr(enumerator, ':');
    if (!cpp_as_vendor(e) || scope == NULL || strpbrk(enumerator, "<( ,") != NULL)
        return enumerator;
    const char *name = cpp_fresh(e, "mode");
    ln(e, "%.*s %s = %s;", (int)(scope - 1 - enumerator), enumerator, name, enumerator);
    return name;
}

/* The same for an argument of a call; one of a template has no variable. */
static const char *in_variable(Call *call, StrBuf *out, const char *word) {
    return strchr(sb_text(out), '(') != NULL ? cpp_mode(call->e, word) : word;
}

/* The vendor's text passes the message of a signal in a variable, too. */
static const char *with_message(Emitter *e, const char *text) {
    const char *message = cpp_as_vendor(e) ? strstr(text, ", getFFTSMsg(") : NULL;
    if (message == NULL) return text;
    const char *name = cpp_fresh(e, "message");
    ln(e, "uint16_t %s = %.*s;", name, (int)strlen(message) - 3, message + 2);
    return strf(e, "%.*s, %s)", (int)(message - text), text, name);
}

static void put_arg(Call *call, StrBuf *out, const CallToken *t) {
    Emitter *e = call->e;
    const Op *op = call->op;
    int slot = inst_slot_named(op->inst, t->s, t->n), attr = inst_attr(op->inst, t->s, t->n);
    const Value *result = slot < 0 ? result_of(op, t) : NULL;
    if (slot >= 0 && (slot_value(op, slot) != NULL || attr < 0)) {
        put_slot(call, out, slot);
    } else if (result != NULL) {
        call->names_result = true;
        sb_puts(out, val(e, result));
    } else if (attr >= 0) {
        const char *text = cpp_attr(e, op, attr);
        sb_puts(out, text != NULL ? in_variable(call, out, text) : "0");
    } else {
        sb_puts(out, "0");
    }
}

static void put_type_of(Call *call, StrBuf *out, const Value *v) {
    const char *type = cpp_type_of(call->e, v);
    if (type == NULL)
        cannot(call->e, call->op->span, "'" TYPE_FMT "' has no form in C++",
               TYPE_ARG(&call->e->ctx->names, v->type));
    sb_puts(out, type != NULL ? type : "int");
}

static void put_type(Call *call, StrBuf *out, const CallToken *t) {
    int slot = inst_slot_named(call->op->inst, t->s, t->n);
    const Value *v = slot >= 0 ? slot_value(call->op, slot) : result_of(call->op, t);
    unsigned n = slot >= 0 ? slot_count(call->op, slot) : 0;
    for (unsigned i = 0; i < n; i++) {
        if (i > 0) sb_puts(out, ", ");
        put_type_of(call, out, slot_operands(call->op, slot)[i].value);
    }
    if (n > 0) return;
    if (v != NULL)
        put_type_of(call, out, v);
    else
        sb_puts(out, call->tmp_type != NULL ? call->tmp_type
                                            : strf(call->e, "decltype(%s)", any_tile(call)));
}

/* Returns whether all names of an optional part are there; `text` is after its start. */
static bool part_holds(const Call *call, const char *text) {
    CallToken t;
    for (int depth = 1; depth > 0 && (t = call_next(&text)).part != CALL_END;) {
        if (t.part == CALL_OPEN)
            depth++;
        else if (t.part == CALL_CLOSE)
            depth--;
        else if (t.part != CALL_TEXT && depth == 1 && !has(call, &t))
            return false;
    }
    return true;
}

static const char *skip_part(const char *text) {
    CallToken t;
    for (int depth = 1; depth > 0 && (t = call_next(&text)).part != CALL_END;)
        depth += t.part == CALL_OPEN ? 1 : t.part == CALL_CLOSE ? -1 : 0;
    return text;
}

static void expand(Call *call, StrBuf *out, const char *text) {
    CallToken t;
    while ((t = call_next(&text)).part != CALL_END) {
        switch (t.part) {
        case CALL_OPEN:
            if (!part_holds(call, text)) text = skip_part(text);
            break;
        case CALL_ARG:
            put_arg(call, out, &t);
            break;
        case CALL_TYPE:
            put_type(call, out, &t);
            break;
        case CALL_WORD: {
            const char *word = cpp_word(call->e, call->op, (CallWord)call_word(t.s, t.n));
            sb_puts(out, word != NULL ? in_variable(call, out, word) : "0");
            break;
        }
        case CALL_TEXT:
            sb_add(out, t.s, t.n);
            break;
        default:
            break;
        }
    }
}

static void find_tmp(Call *call) {
    const LowerBind *tmp = call->e->stmt->scratch;
    if (tmp == NULL) return;
    call->tmp = cpp_scratch(call->e, tmp);
    call->tmp_type = cpp_tile(call->e, tmp->type);
}

static void not_on_device(Emitter *e, const Op *op, const char *why) {
    report_once(e, DIAG_NOT_ON_DEVICE, op->name_span,
                strf(e, "%s cannot be written in C++ for profile %s: %s", op->inst->name,
                     profile_names[e->opt->profile], why));
}

/* A statement that prints exists in the library for debugging only. */
static void guarded(Emitter *e, const char *text) {
    ln(e, "#if defined(_DEBUG) || defined(__CPU_SIM)");
    ln(e, "%s;", text);
    ln(e, "#endif");
}

void cpp_row(Emitter *e, const Op *op) {
    Call call = {.e = e, .op = op};
    unsigned n;
    if (call_first(op->inst, &n) == NULL) {
        if (op->inst->idle == NULL) not_on_device(e, op, "the library has no call for it");
        return;
    }
    cpp_of(e)->uses_random |= op_is(op, INST_TRANDOM);
    find_tmp(&call);
    const CallRow *row = row_of(&call);
    if (row == NULL || row->none) {
        not_on_device(e, op,
                      row != NULL ? call_texts + row->text : "the library has no call for it");
        return;
    }
    StrBuf out;
    sb_init(&out, e->arena);
    expand(&call, &out, call_texts + row->text);
    const char *text = with_message(e, sb_text(&out));
    if (op_is(op, INST_TPRINT)) {
        guarded(e, text);
    } else if (op->nresults > 0 && !call.names_result && op_tile_results(op) == 0) {
        define(e, &op->results[0], "%s", text);
    } else {
        for (const char *end; (end = strstr(text, "; ")) != NULL; text = end + 2)
            ln(e, "%.*s;", (int)(end - text), text);
        ln(e, "%s;", text);
    }
}

/* ---- the dispatch table ---- */

static const EmitFn table[INST_COUNT] = {
    [INST_RETURN] = cpp_return,
    [INST_CALL] = cpp_call,
    [INST_UNREALIZED_CAST] = cpp_cast,
    [INST_CONSTANT] = cpp_constant,
    [INST_ADDI] = cpp_binary,
    [INST_SUBI] = cpp_binary,
    [INST_MULI] = cpp_binary,
    [INST_DIVSI] = cpp_binary,
    [INST_DIVUI] = cpp_binary,
    [INST_REMSI] = cpp_binary,
    [INST_REMUI] = cpp_binary,
    [INST_CEILDIVSI] = cpp_binary,
    [INST_CEILDIVUI] = cpp_binary,
    [INST_FLOORDIVSI] = cpp_binary,
    [INST_ANDI] = cpp_binary,
    [INST_ORI] = cpp_binary,
    [INST_XORI] = cpp_binary,
    [INST_SHLI] = cpp_binary,
    [INST_SHRSI] = cpp_binary,
    [INST_SHRUI] = cpp_binary,
    [INST_MAXSI] = cpp_binary,
    [INST_MINSI] = cpp_binary,
    [INST_MAXUI] = cpp_binary,
    [INST_MINUI] = cpp_binary,
    [INST_ADDF] = cpp_binary,
    [INST_SUBF] = cpp_binary,
    [INST_MULF] = cpp_binary,
    [INST_DIVF] = cpp_binary,
    [INST_REMF] = cpp_binary,
    [INST_MAXIMUMF] = cpp_binary,
    [INST_MINIMUMF] = cpp_binary,
    [INST_MAXNUMF] = cpp_binary,
    [INST_MINNUMF] = cpp_binary,
    [INST_NEGF] = cpp_negf,
    [INST_CMPI] = cpp_cmpi,
    [INST_CMPF] = cpp_cmpf,
    [INST_SELECT] = cpp_select,
    [INST_INDEX_CAST] = cpp_cast,
    [INST_INDEX_CASTUI] = cpp_cast,
    [INST_EXTSI] = cpp_cast,
    [INST_EXTUI] = cpp_cast,
    [INST_TRUNCI] = cpp_cast,
    [INST_EXTF] = cpp_cast,
    [INST_TRUNCF] = cpp_cast,
    [INST_SITOFP] = cpp_cast,
    [INST_UITOFP] = cpp_cast,
    [INST_FPTOSI] = cpp_cast,
    [INST_FPTOUI] = cpp_cast,
    [INST_BITCAST_SCALAR] = cpp_bitcast,
    [INST_ADDUI_EXTENDED] = cpp_extended,
    [INST_MULSI_EXTENDED] = cpp_extended,
    [INST_MULUI_EXTENDED] = cpp_extended,

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
    [INST_CF_ASSERT] = cpp_assert,

    [INST_ALLOC_TILE] = cpp_alloc_tile,
    [INST_DECLARE_TILE] = cpp_declare_tile,
    [INST_SET_VALIDSHAPE] = cpp_set_valid,
    [INST_GET_VALIDSHAPE] = cpp_get_valid,
    [INST_TILE_VALID_ROWS] = cpp_get_valid,
    [INST_TILE_VALID_COLS] = cpp_get_valid,
    [INST_TASSIGN] = cpp_tassign,
    [INST_SUBVIEW] = cpp_subview,
    [INST_SUBSET] = cpp_subview,
    [INST_TSUBVIEW] = cpp_window,
    [INST_BITCAST] = cpp_reshape,
    [INST_TRESHAPE] = cpp_reshape,
    [INST_TMOV] = cpp_move,
    [INST_ALLOC_MULTI_TILE] = cpp_alloc_multi,
    [INST_MULTI_TILE_GET] = cpp_multi_get,

    [INST_MAKE_TENSOR_VIEW] = cpp_make_view,
    [INST_PARTITION_VIEW] = cpp_partition,
    [INST_GET_TENSOR_VIEW_DIM] = cpp_view_extent,
    [INST_GET_TENSOR_VIEW_STRIDE] = cpp_view_extent,
    [INST_DECLARE_GLOBAL] = cpp_declare_global,
    [INST_CASTPTR] = cpp_pointer_cast,
    [INST_PTRTOINT] = cpp_pointer_cast,
    [INST_INTTOPTR] = cpp_pointer_cast,
    [INST_TILE_BUF_ADDR] = cpp_pointer_cast,
    [INST_TENSOR_VIEW_ADDR] = cpp_pointer_cast,
    [INST_STORE_SCALAR] = cpp_store_scalar,

    [INST_SECTION_CUBE] = cpp_section,
    [INST_SECTION_VECTOR] = cpp_section,

    [INST_DECLARE_EVENTID_ARRAY] = cpp_declare_storage,
    [INST_EVENTID_ARRAY_GET] = cpp_array_access,
    [INST_EVENTID_ARRAY_SET] = cpp_array_access,
    [INST_DECLARE_LOCAL_ARRAY] = cpp_declare_storage,
    [INST_LOCAL_ARRAY_GET] = cpp_array_access,
    [INST_LOCAL_ARRAY_SET] = cpp_array_access,
    [INST_DECLARE_STRUCT] = cpp_declare_storage,
    [INST_STRUCT_GET] = cpp_struct_access,
    [INST_STRUCT_SET] = cpp_struct_access,

    [INST_RESERVE_BUFFER] = cpp_reserve,
    [INST_IMPORT_RESERVED_BUFFER] = cpp_reserve,
    [INST_AIC_INITIALIZE_PIPE] = cpp_open_pipe,
    [INST_AIV_INITIALIZE_PIPE] = cpp_open_pipe,
    [INST_INITIALIZE_L2G2L_PIPE] = cpp_open_pipe,
    [INST_INITIALIZE_L2L_PIPE] = cpp_open_pipe,
    [INST_TALLOC_TO_AIV] = cpp_alloc_entry,
    [INST_TALLOC_TO_AIC] = cpp_alloc_entry,
    [INST_SET_QUANT_SCALAR] = cpp_set_quant,
    [INST_SET_QUANT_VECTOR] = cpp_set_quant,
    [INST_TPUSH_TO_AIV] = cpp_push,
    [INST_TPUSH] = cpp_push,
    [INST_TPOP_FROM_AIC] = cpp_pop,
    [INST_TPOP_FROM_AIV] = cpp_pop,

    [INST_TBROADCAST] = cpp_collective,
    [INST_COMM_TGATHER] = cpp_collective,
    [INST_COMM_TSCATTER] = cpp_collective,
    [INST_TREDUCE] = cpp_collective,
    [INST_BUILD_ASYNC_SESSION] = cpp_async,
};

bool cpp_is_dead(Emitter *e, const Op *op) {
    CppEmitter *c = cpp_of(e);
    if (!c->again || (op->inst->flags & IF_PURE) == 0 || op->nresults == 0) return false;
    for (unsigned i = 0; i < op->nresults; i++) {
        const Local *l = ptrmap_get(&c->before, &op->results[i]);
        if (l != NULL && l->used) return false;
    }
    return true;
}

/* Statements of SSA form whose results no pass has turned into destinations. */
static void bind_results(Emitter *e) {
    for (unsigned i = 0; i < e->stmt->nbinds; i++) {
        const LowerBind *b = &e->stmt->binds[i];
        cpp_declare_tile_as(e, b->value, NULL, NULL);
        ln(e, "TASSIGN(%s, (uint64_t)%lld);", name_of(e, b->value), (long long)b->addr);
    }
}

void cpp_op(Emitter *e, const Op *op) {
    EmitFn fn = table[inst_id(op->inst)];
    if (cpp_is_dead(e, op)) return;
    if (cpp_as_vendor(e) && op_is(op, INST_CONSTANT)) return; /* at the start of the function */
    cpp_infer_section(e, op);
    start_statement(e, op);
    save_changed_tile(e, op);
    if (fn != NULL) {
        fn(e, op);
    } else {
        bind_results(e);
        cpp_row(e, op);
    }
}
