/* SPDX-License-Identifier: Apache-2.0 */
/* Statements: their emitters, and the calls that rows of calls.def describe. */
#include "backends/cpp/emitter.h"

#include <string.h>

/* ---- rows ---- */

/* A statement whose call is written. */
typedef struct Call {
    Emitter *e;
    const LowerStmt *s;
    const char *tmp, *tmp_type; /* the scratch tile that the plan supplies */
    bool names_result;
} Call;

static const Value *result_of(const LowerStmt *s, const CallToken *t) {
    return t->result != 0 ? stmt_result(s, t->result - 1) : NULL;
}

static bool has(const Call *call, const CallToken *t) {
    if (t->part == CALL_WORD) {
        const char *text = cpp_word(call->e, call->s, (CallWord)t->at);
        return text != NULL && *text != '\0';
    }
    const int slot = t->slot - 1;
    if (slot >= 0 && stmt_count(call->s, slot) > 0) return true;
    if (slot >= 0 && stmt_value(call->s, slot) != NULL) return true;
    if (slot >= 0 && call->s->inst->slots[slot].role == ROLE_SCRATCH && call->tmp != NULL)
        return true;
    return t->attr != 0 && cpp_has_attr(call->s, t->attr - 1);
}

static bool holds(const Call *call, const CallToken *when) {
    while (when->part != CALL_END && has(call, when))
        when++;
    return when->part == CALL_END;
}

static const CallRow *row_of(const Call *call) {
    unsigned n;
    const CallRow *rows = call_first(call->s->inst, &n);
    for (unsigned i = 0; i < n; i++)
        if ((rows[i].profiles & PROFILE_BIT(call->e->opt->profile)) != 0 &&
            holds(call, call_tokens + rows[i].when))
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
    const LowerStmt *s = call->s;
    if (stmt_is(s, INST_SYNCALL) && v->type->kind != TY_SCALAR) return workspace(e, v);
    if (stmt_is(s, INST_CMO_CACHEINVALID) || stmt_is(s, INST_MAKE_PREFETCH_CONTEXT) ||
        stmt_is(s, INST_SET_FFTS)) {
        const char *pointer = cpp_pointer(e, v);
        cpp_of(e)->uses_cache_line |= stmt_is(s, INST_CMO_CACHEINVALID);
        if (pointer != NULL)
            return strchr(pointer, ' ') == NULL ? pointer : strf(e, "(%s)", pointer);
    }
    if (cpp_is_view(v->type)) return cpp_view_arg(e, s, slot);
    if (cpp_type_of(e, v) == NULL && v->type->kind != TY_PIPE && v->type->kind != TY_EVENT_ARRAY)
        cannot(e, stmt_span(s, slot), "'" TYPE_FMT "' has no form in C++",
               TYPE_ARG(&e->ctx->names, v->type));
    return val(e, v);
}

/* Without a scratch tile a call gets a tile that it only names. */
static const char *any_tile(Call *call) {
    for (unsigned i = 0; i < call->s->nargs; i++)
        if (type_is_tile(call->s->args[i].value->type)) return val(call->e, call->s->args[i].value);
    return "nullptr";
}

static void put_slot(Call *call, StrBuf *out, int slot) {
    unsigned n = stmt_count(call->s, slot);
    const Operand *o = stmt_items(call->s, slot);
    if (n == 0) {
        const Value *v = stmt_value(call->s, slot);
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
    const LowerStmt *s = call->s;
    const int slot = t->slot - 1, attr = t->attr - 1;
    const Value *result = slot < 0 ? result_of(s, t) : NULL;
    if (slot >= 0 && (stmt_value(s, slot) != NULL || attr < 0)) {
        put_slot(call, out, slot);
    } else if (result != NULL) {
        call->names_result = true;
        sb_puts(out, val(e, result));
    } else if (attr >= 0) {
        const char *text = cpp_attr(e, s, attr);
        sb_puts(out, text != NULL ? in_variable(call, out, text) : "0");
    } else {
        sb_puts(out, "0");
    }
}

static void put_type_of(Call *call, StrBuf *out, const Value *v) {
    const char *type = cpp_type_of(call->e, v);
    if (type == NULL)
        cannot(call->e, call->s->span, "'" TYPE_FMT "' has no form in C++",
               TYPE_ARG(&call->e->ctx->names, v->type));
    sb_puts(out, type != NULL ? type : "int");
}

static void put_type(Call *call, StrBuf *out, const CallToken *t) {
    const int slot = t->slot - 1;
    const Value *v = slot >= 0 ? stmt_value(call->s, slot) : result_of(call->s, t);
    unsigned n = slot >= 0 ? stmt_count(call->s, slot) : 0;
    for (unsigned i = 0; i < n; i++) {
        if (i > 0) sb_puts(out, ", ");
        put_type_of(call, out, stmt_items(call->s, slot)[i].value);
    }
    if (n > 0) return;
    if (v != NULL)
        put_type_of(call, out, v);
    else
        sb_puts(out, call->tmp_type != NULL ? call->tmp_type
                                            : strf(call->e, "decltype(%s)", any_tile(call)));
}

/* Returns whether all names of an optional part are there. */
static bool part_holds(const Call *call, const CallToken *open) {
    for (const CallToken *t = open + 1; t < open + open->n; t++)
        if (t->part == CALL_OPEN)
            t += t->n;
        else if (t->part != CALL_TEXT && !has(call, t))
            return false;
    return true;
}

static void expand(Call *call, StrBuf *out, const CallToken *t) {
    for (; t->part != CALL_END; t++) {
        switch (t->part) {
        case CALL_OPEN:
            if (!part_holds(call, t)) t += t->n;
            break;
        case CALL_ARG:
            put_arg(call, out, t);
            break;
        case CALL_TYPE:
            put_type(call, out, t);
            break;
        case CALL_WORD: {
            const char *word = cpp_word(call->e, call->s, (CallWord)t->at);
            sb_puts(out, word != NULL ? in_variable(call, out, word) : "0");
            break;
        }
        case CALL_TEXT:
            sb_add(out, call_texts + t->at, t->n);
            break;
        default:
            break;
        }
    }
}

static void find_tmp(Call *call) {
    const LowerBind *tmp = call->s->scratch;
    if (tmp == NULL) return;
    call->tmp = cpp_scratch(call->e, tmp);
    call->tmp_type = cpp_tile(call->e, tmp->type);
}

static void not_on_device(Emitter *e, const LowerStmt *s, const char *why) {
    report_once(e, DIAG_NOT_ON_DEVICE, s->name_span,
                strf(e, "%s cannot be written in C++ for profile %s: %s", s->inst->name,
                     profile_names[e->opt->profile], why));
}

/* A statement that prints exists in the library for debugging only. */
static void guarded(Emitter *e, const char *text) {
    ln(e, "#if defined(_DEBUG) || defined(__CPU_SIM)");
    ln(e, "%s;", text);
    ln(e, "#endif");
}

void cpp_row(Emitter *e, const LowerStmt *s) {
    Call call = {.e = e, .s = s};
    unsigned n;
    if (call_first(s->inst, &n) == NULL) {
        if (s->inst->rare->idle == NULL) not_on_device(e, s, "the library has no call for it");
        return;
    }
    cpp_of(e)->uses_random |= stmt_is(s, INST_TRANDOM);
    find_tmp(&call);
    const CallRow *row = row_of(&call);
    if (row == NULL || row->none) {
        not_on_device(e, s,
                      row != NULL ? call_texts + row->text : "the library has no call for it");
        return;
    }
    StrBuf out;
    sb_init(&out, e->arena);
    expand(&call, &out, call_tokens + row->text);
    const char *text = with_message(e, sb_text(&out));
    if (stmt_is(s, INST_TPRINT)) {
        guarded(e, text);
    } else if (s->nresults > 0 && !call.names_result && s->ntiles == 0) {
        define(e, &s->results[0], "%s", text);
    } else {
        for (const char *end; (end = strstr(text, "; ")) != NULL; text = end + 2)
            ln(e, "%.*s;", (int)(end - text), text);
        ln(e, "%s;", text);
    }
}

/* ---- statements ---- */

static const EmitFn emitters[STMT_FORM_COUNT] = {
#define EMIT(form, fn) [STMT_##form] = fn,
#include "backends/cpp/emitters.def"
#undef EMIT
};

bool cpp_is_dead(Emitter *e, const LowerStmt *s) {
    CppEmitter *c = cpp_of(e);
    if (!c->again || (s->inst->flags & IF_PURE) == 0 || s->nresults == 0) return false;
    for (unsigned i = 0; i < s->nresults; i++) {
        const Local *l = ptrmap_get(&c->before, &s->results[i]);
        if (l != NULL && l->used) return false;
    }
    return true;
}

/* Statements of SSA form whose results no pass has turned into destinations. */
static void bind_results(Emitter *e, const LowerStmt *s) {
    for (unsigned i = 0; i < s->nbinds; i++) {
        const LowerBind *b = &s->binds[i];
        cpp_declare_tile_as(e, b->value, NULL, NULL);
        ln(e, "TASSIGN(%s, (uint64_t)%lld);", name_of(e, b->value), (long long)b->addr);
    }
}

void cpp_stmt(Emitter *e, const LowerStmt *s) {
    EmitFn fn = emitters[s->form];
    if (fn == NULL) fn = flow_emitter((StmtForm)s->form);
    if (cpp_is_dead(e, s)) return;
    if (cpp_as_vendor(e) && s->form == STMT_CONSTANT) return; /* at the start of the function */
    cpp_infer_section(e, s);
    if (s->form != STMT_RESTORE) start_statement(e, s->span);
    if (fn != NULL) {
        fn(e, s);
    } else {
        bind_results(e, s);
        cpp_row(e, s);
    }
}
