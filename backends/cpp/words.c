/* SPDX-License-Identifier: Apache-2.0 */
/* The words of calls.def and the values of attributes, as C++. */
#include "backends/cpp/emitter.h"

/* ---- attributes ---- */

static const char *enumerator(Emitter *e, int family, int64_t i) {
    const CallEnum *list = &call_enums[family];
    return i >= 0 && i < list->n ? strf(e, "%s%s", call_texts + list->prefix,
                                        call_texts + call_enumerators[list->first + i])
                                 : NULL;
}

static const char *pipe_text(Emitter *e, const Attr *a) {
    static const char *const names[] = {"S",   "V",    "M",    "MTE1", "MTE2", "MTE3",
                                        "ALL", "MTE4", "MTE5", "V2",   "FIX"};
    int n = pipe_number(a);
    return n >= 0 && n < (int)(sizeof names / sizeof *names) ? strf(e, "PIPE_%s", names[n]) : NULL;
}

static const char *split_text(Emitter *e, int64_t split) {
    static const char *const names[] = {"NO_SPLIT", "UP_DOWN", "LEFT_RIGHT", "UP_DOWN_ODD",
                                        "LEFT_RIGHT_ODD"};
    return split >= 0 && split < 5 ? strf(e, "TileSplitAxis::TILE_%s", names[split]) : NULL;
}

static const char *string_text(Emitter *e, const Attr *a) {
    StrBuf sb;
    const Interner *in = &e->ctx->names;
    sb_init(&sb, e->arena);
    put_c_string(&sb, atom_text(in, a->text), atom_len(in, a->text));
    return sb_text(&sb);
}

static const char *axis_text(Emitter *e, const Attr *a) {
    const Interner *in = &e->ctx->names;
    bool row = atom_len(in, a->text) > 0 && (atom_text(in, a->text)[0] | 32) == 'r';
    return row ? "pto::ScatterAxis::SCATTER_ROW" : "pto::ScatterAxis::SCATTER_COL";
}

static const char *histogram_byte(Emitter *e, const LowerStmt *s) {
    const NamedAttr *msb = stmt_attr_named(s, ATTR_isMSB);
    int64_t byte = stmt_attr_named(s, ATTR_byte) != NULL || msb == NULL
                       ? stmt_attr_int(s, ATTR_byte)
                       : msb->value->i;
    return strf(e, "HistByte::BYTE_%lld", (long long)byte);
}

bool cpp_has_attr(const LowerStmt *s, int attr) {
    const NamedAttr *a = stmt_attr(s, attr);
    if (a == NULL) return false;
    if (a->value->kind == ATTR_BOOL) return a->value->i != 0;
    if (a->value->kind != ATTR_ENUM) return true;
    if (a->value->family == EF_MX_GROUP_AXIS) return a->value->i == 0;
    return !call_enums[a->value->family].optional || a->value->i != 0;
}

static const char *attr_text(Emitter *e, const LowerStmt *s, int attr) {
    const AttrInfo *info = &s->inst->attrs[attr];
    const NamedAttr *named = stmt_attr(s, attr);
    const Attr *a = named != NULL ? named->value : NULL;
    if (stmt_is(s, INST_THISTOGRAM)) return histogram_byte(e, s);
    if (inst_attr_name(s->inst, attr) == ATTR_split)
        return split_text(e, stmt_attr_number(s, attr));
    if (inst_attr_name(s->inst, attr) == ATTR_axis && a != NULL) return axis_text(e, a);
    if (a != NULL && a->kind == ATTR_STRING) return string_text(e, a);
    if (a != NULL && a->kind == ATTR_ENUM)
        return call_enums[a->family].n > 0 ? enumerator(e, a->family, a->i) : pipe_text(e, a);
    if (info->type == AT_ENUM)
        return enumerator(e, info->family, a != NULL && a->kind == ATTR_INT ? a->i : info->dflt);
    if (stmt_is(s, INST_TCI)) return stmt_attr_number(s, attr) != 0 ? "1" : "0";
    if (info->type == AT_BOOL) return stmt_attr_number(s, attr) != 0 ? "true" : "false";
    return strf(e, "%lld", (long long)stmt_attr_number(s, attr));
}

const char *cpp_attr(Emitter *e, const LowerStmt *s, int attr) {
    const char *text = attr_text(e, s, attr);
    if (text == NULL)
        cannot(e, s->span, "%s has no form in C++ with this %s", s->inst->name,
               s->inst->attrs[attr].name);
    return text;
}

/* ---- words ---- */

static const char *attr_named(Emitter *e, const LowerStmt *s, AttrName name, const char *absent) {
    int attr = inst_attr(s->inst, name);
    return attr >= 0 && stmt_attr(s, attr) != NULL ? cpp_attr(e, s, attr) : absent;
}

/* Returns an operand or, if it is absent, the attribute. */
static const char *either(Emitter *e, const LowerStmt *s, OperandName slot, AttrName attr,
                          const char *absent) {
    const Value *v = stmt_named(s, slot);
    return v != NULL ? val(e, v) : attr_named(e, s, attr, absent);
}

static const char *pipe_of_attr(Emitter *e, const LowerStmt *s, AttrName name) {
    const NamedAttr *a = stmt_attr_named(s, name);
    return a != NULL ? pipe_text(e, a->value) : NULL;
}

static const char *any_pipe(Emitter *e, const LowerStmt *s) {
    const char *text = pipe_of_attr(e, s, ATTR_pipe);
    return text != NULL ? text : pipe_of_attr(e, s, ATTR_op_type);
}

static const Type *tile_named(const LowerStmt *s, OperandName name) {
    const Value *v = stmt_named(s, name);
    return v != NULL && type_is_tile(v->type) ? tile_value_type(v) : NULL;
}

/* Whether indices are of elements: they have the shape of the tile then. */
static const char *coalesce(Emitter *e, const LowerStmt *s) {
    const char *written = attr_named(e, s, ATTR_coalesce, NULL);
    const Type *idx = tile_named(s, OPERAND_idx);
    const Type *tile = tile_named(s, stmt_is(s, INST_MGATHER) ? OPERAND_dst : OPERAND_src);
    if (written != NULL) return written;
    bool same = idx != NULL && tile != NULL && idx->tile.rows == tile->tile.rows &&
                idx->tile.cols == tile->tile.cols;
    return same ? "pto::Coalesce::Elem" : "pto::Coalesce::Row";
}

static const char *fill_mode(Emitter *e, const LowerStmt *s) {
    const Value *dst = stmt_named(s, OPERAND_dst), *src = stmt_named(s, OPERAND_src);
    const Plan *plan = e->opt->plan;
    const PlanSlot *d = plan != NULL ? plan_value(plan, dst) : NULL;
    const PlanSlot *f = plan != NULL ? plan_value(plan, src) : NULL;
    const Type *to = tile_named(s, OPERAND_dst), *from = tile_named(s, OPERAND_src);
    if (to != NULL && to->tile.space != SPACE_VEC) return ""; /* modes are for vec tiles only */
    if (dst == src || (d != NULL && f != NULL && d->addr == f->addr && d->space == f->space))
        return "pto::TFillPadMode::InPlace";
    if (to != NULL && from != NULL &&
        (to->tile.rows > from->tile.rows || to->tile.cols > from->tile.cols))
        return "pto::TFillPadMode::Expand";
    return "";
}

static const char *mx_algorithm(Emitter *e, const LowerStmt *s) {
    const NamedAttr *alg = stmt_attr_named(s, ATTR_quantScaleAlg);
    const NamedAttr *type = stmt_attr_named(s, ATTR_quant_type);
    bool nv = alg != NULL && alg->value->i == 1;
    bool fp4 = type != NULL && enum_number(type->value) == 3;
    return strf(e, "pto::MxQuantAlg::%sMx%s", nv ? "Nv" : "Ocp", fp4 ? "Fp4E2M1" : "Fp8E4M3");
}

static const char *fence(const LowerStmt *s) {
    Core core = (Core)s->core;
    return core == CORE_VECTOR
               ? "pipe_barrier(PIPE_ALL)"
               : "pipe_barrier(PIPE_MTE2); pipe_barrier(PIPE_MTE3); pipe_barrier(PIPE_FIX)";
}

/* A push that converts names the configuration of the fixpipe instead of the split. */
static const char *push_split(Emitter *e, const LowerStmt *s) {
    const LowerPipe *pipe = cpp_pipe_of(e, s);
    if (pipe != NULL && cpp_converts(e, pipe)) return cpp_pipe_config(e, pipe);
    return split_text(e, stmt_attr_int(s, ATTR_split));
}

static const char *pipe_word(Emitter *e, const LowerStmt *s, CallWord word) {
    const LowerPipe *pipe = cpp_pipe_of(e, s);
    if (pipe == NULL) return NULL;
    switch (word) {
    case CALL_WORD_pipeName:
        return cpp_pipe_name(e, pipe);
    case CALL_WORD_pipeType:
        return cpp_pipe_type(e, pipe);
    default:
        return cpp_elem((int)pipe->elem);
    }
}

static const char *scalar_type(Emitter *e, const LowerStmt *s) {
    const Value *v = stmt_named(s, OPERAND_S);
    (void)e;
    return v != NULL ? cpp_scalar(v->type) : NULL;
}

static const char *vec_tmp(const LowerStmt *s) {
    const Type *t = tile_named(s, OPERAND_fp);
    return t != NULL && t->tile.space == SPACE_VEC ? "1" : "";
}

/* In the vendor's text the elements of an array of event ids are of type event_t. */
static const char *dynamic_event(Emitter *e, const Value *v) {
    const LowerStmt *maker = lower_maker(e->body, v);
    const bool typed = cpp_as_vendor(e) && maker != NULL &&
                       stmt_is(maker, INST_EVENTID_ARRAY_GET) && !local_of(e, v)->hoisted;
    return typed ? val(e, v) : strf(e, "(event_t)%s", val(e, v));
}

static const char *scale(Emitter *e, const Value *v) {
    const bool is_float = v->type->kind == TY_SCALAR && v->type->elem == ELEM_F32;
    return is_float ? val(e, v) : strf(e, "(float)%s", val(e, v));
}

static const char *word_text(Emitter *e, const LowerStmt *s, CallWord word) {
    switch (word) {
    case CALL_WORD_atomic:
        return attr_named(e, s, ATTR_atomicType, "pto::AtomicType::AtomicNone");
    case CALL_WORD_relu:
        return attr_named(e, s, ATTR_reluPreMode, "ReluPreMode::NoRelu");
    case CALL_WORD_bufId:
        return either(e, s, OPERAND_buf_id_dyn, ATTR_buf_id, "0");
    case CALL_WORD_bufMode:
        return either(e, s, OPERAND_mode_dyn, ATTR_mode, "0");
    case CALL_WORD_channelGroup:
        return attr_named(e, s, ATTR_channel_group_idx, "UINT32_MAX");
    case CALL_WORD_coalesce:
        return coalesce(e, s);
    case CALL_WORD_srcPipe:
        return pipe_of_attr(e, s, ATTR_src_op);
    case CALL_WORD_dstPipe:
        return pipe_of_attr(e, s, ATTR_dst_op);
    case CALL_WORD_pipe:
        return any_pipe(e, s);
    case CALL_WORD_elem:
        return scalar_type(e, s);
    case CALL_WORD_dynEvent:
        return dynamic_event(e, stmt_named(s, OPERAND_event_id));
    case CALL_WORD_scale:
        return scale(e, stmt_named(s, OPERAND_scale));
    case CALL_WORD_eventId:
        return either(e, s, OPERAND_event_id_dyn, ATTR_event_id, "0");
    case CALL_WORD_fencePipes:
        return fence(s);
    case CALL_WORD_fftsMode: {
        int64_t mode = stmt_attr_int(s, ATTR_ffts_mode);
        return mode == 2 ? "FFTS_MODE_VAL" : strf(e, "%lld", (long long)mode);
    }
    case CALL_WORD_fillMode:
        return fill_mode(e, s);
    case CALL_WORD_quantAlg:
        return mx_algorithm(e, s);
    case CALL_WORD_quantMx:
        return attr_named(e, s, ATTR_quant_type, NULL);
    case CALL_WORD_storeMode:
        return attr_named(e, s, ATTR_storeMode, "pto::VecStoreMode::NZ");
    case CALL_WORD_usedCores:
        return either(e, s, OPERAND_used_cores, ATTR_NONE, "int32_t{0}");
    case CALL_WORD_split:
        return push_split(e, s);
    case CALL_WORD_pipeName:
    case CALL_WORD_pipeType:
    case CALL_WORD_entryElem:
        return pipe_word(e, s, word);
    case CALL_WORD_vecTmp:
        return vec_tmp(s);
    default:
        return NULL;
    }
}

const char *cpp_word(Emitter *e, const LowerStmt *s, CallWord word) {
    const char *text = word_text(e, s, word);
    if (text == NULL)
        cannot(e, s->span, "%s with these operands has no form in C++", s->inst->name);
    return text;
}
