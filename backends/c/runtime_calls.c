/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the runtime: tile instructions, which name a row of the kernel table, and statements
 * that order pipes or cores. Binds the tiles that they need. */
#include "backends/c/observe.h"
#include "backends/c/shadow.h"

#include <string.h>

/* ---- tiles ---- */

/* Returns an extent of a valid region; NULL when it is not known. */
static const char *extent_of(Emitter *e, const LowerExtent *x, bool rows) {
    switch (x->kind) {
    case EXTENT_NUMBER:
        return strf(e, "%lld", (long long)x->n);
    case EXTENT_VALUE:
        return val(e, x->value);
    case EXTENT_OF_TILE:
        return strf(e, "%s.%s", val(e, x->value), rows ? "vrow" : "vcol");
    case EXTENT_OF_VIEW:
        return strf(e, "ptrt_view_%s(&%s)", rows ? "rows" : "cols", val(e, x->value));
    case EXTENT_UNKNOWN:
        break;
    }
    return NULL;
}

bool emit_bind(Emitter *e, const LowerStmt *s, const LowerBind *b, const char *name,
               const char *unknown) {
    const char *type = tile_type_ref(e, b->type, s->span);
    const char *rows = extent_of(e, &b->rows, true), *cols = extent_of(e, &b->cols, false);
    if (rows == NULL) rows = unknown;
    if (cols == NULL) cols = unknown;
    if (type == NULL || rows == NULL || cols == NULL) return false;
    const char *at = b->at != NULL ? val(e, b->at) : strf(e, "%lld", (long long)b->addr);
    try_call(e, "ptrt_tile_bind(core, %s, %s, %s, %s, %u, &%s)", type, at, rows, cols,
             (unsigned)e->line, name);
    return true;
}

void bind_results(Emitter *e, const LowerStmt *s) {
    for (unsigned i = 0; i < s->nbinds; i++) {
        const LowerBind *b = &s->binds[i];
        declare(e, b->value);
        if (b->type == NULL || !emit_bind(e, s, b, val(e, b->value), NULL))
            cannot(e, s->span, "the valid region of the result is not known");
    }
}

/* Binds the scratch tile that the program leaves out and the plan provides. */
static const char *scratch_arg(Emitter *e, const LowerStmt *s) {
    const char *name = fresh(e, "pto_tmp");
    ln(e, "ptrt_tile %s;", name);
    emit_bind(e, s, s->scratch, name, NULL);
    return strf(e, "&%s", name);
}

/* ---- other arguments ---- */

static const char *no_form(Emitter *e, const LowerStmt *s, int slot) {
    const Value *v = stmt_value(s, slot);
    const char *name = s->inst->slots[slot].name;
    if (v != NULL)
        cannot(e, stmt_span(s, slot), "%s of type '" TYPE_FMT "' has no form in C", name,
               TYPE_ARG(&e->ctx->names, v->type));
    else
        cannot(e, stmt_span(s, slot), "operand %s of %s has no form in C", name, s->inst->name);
    return "0";
}

static const char *scalar_arg(Emitter *e, const LowerStmt *s, const LowerArg *arg) {
    const int from = arg->value->type->elem, to = arg->kind == LARG_FLOAT ? ELEM_F64 : ELEM_INDEX;
    const char *x = val(e, arg->value);
    if (arg->kind == LARG_FLOAT && from == ELEM_F32) return strf(e, "(double)%s", x);
    x = convert_scalar(e->arena, from, to, x);
    return x != NULL ? x : no_form(e, s, (int)arg->n);
}

static const char *memory_arg(Emitter *e, const LowerStmt *s, const Value *v) {
    if (type_is_view(v->type)) return strf(e, "%s.base", val(e, v));
    if (is_gm_pointer(v->type) || is_gm_memref(v->type)) return val(e, v);
    cannot(e, s->span, "memory of type '" TYPE_FMT "' has no form in C",
           TYPE_ARG(&e->ctx->names, v->type));
    return "NULL";
}

/* PTO-AS form: makes the window of a view from the indices to its end. */
static const char *window_arg(Emitter *e, const LowerStmt *s, const Value *view, int offsets) {
    unsigned n = stmt_count(s, offsets);
    const Operand *o = stmt_items(s, offsets);
    if (n != view->type->rank || n > 5) {
        cannot(e, s->span, "%u indices into a view of rank %u have no form in C", n,
               (unsigned)view->type->rank);
        return "NULL";
    }
    StrBuf at, size;
    sb_init(&at, e->arena);
    sb_init(&size, e->arena);
    for (unsigned i = 0; i < n; i++) {
        const char *x = val(e, o[i].value);
        sb_printf(&at, "%s%s", i > 0 ? ", " : "", x);
        sb_printf(&size, "%sptrt_subi_i64(%s.shape[%u], %s)", i > 0 ? ", " : "", val(e, view),
                  5 - n + i, x);
    }
    const char *name = local_entry(e, s)->name = fresh(e, "pto_window");
    ln(e, "ptrt_view %s;", name);
    try_call(e,
             "ptrt_view_part(core, %u, &%s, (const int64_t[]){%s}, (const int64_t[]){%s}, %u, &%s)",
             (unsigned)e->line, val(e, view), sb_text(&at), sb_text(&size), n, name);
    return strf(e, "&%s", name);
}

/* Returns a pointer as the runtime has it: a byte address in its space, or a C pointer. */
static const char *address_arg(Emitter *e, const LowerStmt *s, const Value *v) {
    if (is_gm_pointer(v->type) || is_gm_memref(v->type)) return val(e, v);
    if (v->type->kind != TY_PTR) {
        cannot(e, s->span, "'" TYPE_FMT "' has no address in C", TYPE_ARG(&e->ctx->names, v->type));
        return "0";
    }
    c_of(e)->pointed |= 1u << v->type->space;
    return val(e, v);
}

/* Returns the bits of a scalar or vector, zero-extended, or a byte address. */
static const char *bits_arg(Emitter *e, const LowerStmt *s, const Value *v) {
    if (vector_bits(v->type) != 0) return val(e, v);
    const int elem = v->type->kind == TY_SCALAR ? v->type->elem : ELEM_NONE;
    if (v->type->kind == TY_PTR) return strf(e, "(uint64_t)%s", address_arg(e, s, v));
    if (elem == ELEM_F32 || elem == ELEM_F64)
        return strf(e, "ptrt_bits_of_f%u(%s)", elem_infos[elem].bytes * 8u, val(e, v));
    if (elem == ELEM_NONE || elem_infos[elem].c == NULL) {
        cannot(e, s->span, "a scalar of type '" TYPE_FMT "' has no form in C",
               TYPE_ARG(&e->ctx->names, v->type));
        return "0";
    }
    const unsigned bytes = elem == ELEM_INDEX ? 8 : elem_infos[elem].bytes;
    return strf(e, "(uint%u_t)%s", bytes == 0 ? 8 : bytes * 8, val(e, v));
}

/* Returns the space of a pointer and its byte address, which is that of the host in global memory.
 */
static const char *placed_arg(Emitter *e, const LowerStmt *s, const Value *v) {
    const bool global = is_gm_pointer(v->type) || is_gm_memref(v->type);
    const char *at = address_arg(e, s, v);
    if (global) return strf(e, "PTRT_GM, (int64_t)(uintptr_t)%s", at);
    return strf(e, "%s, %s", v->type->kind == TY_PTR ? space_const(v->type->space) : "0", at);
}

/* Returns the element type of a scalar or vector, and how many elements it has. */
static const char *type_arg(Emitter *e, const LowerStmt *s, const Type *t) {
    const int elem = t->kind == TY_SCALAR || t->kind == TY_VECTOR ? t->elem : ELEM_NONE;
    const char *name = elem == ELEM_I1      ? "PTRT_U8"
                       : elem == ELEM_INDEX ? "PTRT_I64"
                                            : elem_const(elem);
    if (name == NULL || c_type(e->arena, t) == NULL) {
        cannot(e, s->span, "'" TYPE_FMT "' has no form in C", TYPE_ARG(&e->ctx->names, t));
        return "0, 0";
    }
    return strf(e, "%s, %u", name, t->kind == TY_VECTOR ? (unsigned)t->count : 1u);
}

/* Returns a number of bytes, which wraps. */
static const char *scaled_arg(Emitter *e, const LowerStmt *s, const LowerArg *arg) {
    const LowerArg count = {.kind = LARG_INT, .value = arg->value};
    const char *x = scalar_arg(e, s, &count);
    return arg->n == 1 ? x : strf(e, "(int64_t)((uint64_t)%s * %lld)", x, (long long)arg->n);
}

/* Returns an array of integers. */
static const char *list_arg(Emitter *e, const LowerArg *arg) {
    StrBuf out;
    if (arg->n == 0) return "NULL";
    sb_init(&out, e->arena);
    sb_puts(&out, "(const int64_t[]){");
    for (int64_t i = 0; i < arg->n; i++)
        sb_printf(&out, "%s%s", i > 0 ? ", " : "", val(e, arg->items[i].value));
    sb_puts(&out, "}");
    return sb_text(&out);
}

const char *place_address(Emitter *e, const Value *v) {
    return lower_register_span(v->type) > 1 ? strf(e, "%s.r", val(e, v))
                                            : strf(e, "&%s", val(e, v));
}

const char *arg_text(Emitter *e, const LowerStmt *s, const LowerArg *arg) {
    switch (arg->kind) {
    case LARG_NUMBER:
        return strf(e, "%lld", (long long)arg->n);
    case LARG_INT:
    case LARG_FLOAT:
        return scalar_arg(e, s, arg);
    case LARG_MEMORY:
        return memory_arg(e, s, arg->value);
    case LARG_VALUE:
        return val(e, arg->value);
    case LARG_COUNTS:
    case LARG_TILE:
    case LARG_VIEW:
        return strf(e, "&%s", val(e, arg->value));
    case LARG_WINDOW:
        return window_arg(e, s, arg->value, (int)arg->n);
    case LARG_SCRATCH:
        return scratch_arg(e, s);
    case LARG_NULL:
        return "NULL";
    case LARG_ABSENT:
        return "PTRT_ABSENT";
    case LARG_PROFILE:
        return profile_infos[e->opt->profile].runtime;
    case LARG_CORE:
        c_of(e)->uses_core = true;
        return strf(e, "core, %u", (unsigned)e->line);
    case LARG_PLACE:
        return arg->value != NULL ? place_address(e, arg->value) : "NULL";
    case LARG_ADDRESS:
        return address_arg(e, s, arg->value);
    case LARG_LIST:
        return list_arg(e, arg);
    case LARG_SCALED:
        return scaled_arg(e, s, arg);
    case LARG_BITS:
        return bits_arg(e, s, arg->value);
    case LARG_ELEM:
        return elem_const((Elem)arg->n);
    case LARG_SELF:
        c_of(e)->uses_core = true;
        return "core";
    case LARG_PLACED:
        return placed_arg(e, s, arg->value);
    case LARG_TYPE:
        return type_arg(e, s, arg->value->type);
    case LARG_BAD:
        break;
    }
    return no_form(e, s, (int)arg->n);
}

/* Returns the arguments of a call, of which some need lines before it. */
static const char **arg_texts(Emitter *e, const LowerStmt *s, const LowerCall *call) {
    const char **texts = ARENA_ARRAY(e->arena, const char *, call->nargs + 1);
    for (unsigned i = 0; i < call->nargs; i++)
        texts[i] = arg_text(e, s, &call->args[i]);
    return texts;
}

static const char *joined(Emitter *e, const char *const *texts, unsigned n) {
    StrBuf args;
    sb_init(&args, e->arena);
    for (unsigned i = 0; i < n; i++) {
        sb_puts(&args, ", ");
        sb_puts(&args, texts[i]);
    }
    return sb_text(&args);
}

const char *call_args(Emitter *e, const LowerStmt *s, const LowerCall *call) {
    return joined(e, arg_texts(e, s, call), call->nargs);
}

/* ---- micro-instructions ---- */

/* Returns the variable that holds the body of a call in the current function, which fetches it when
 * it begins. */
static const char *body_name(Emitter *e, const LowerCall *call) {
    const char *id = kernel_id(call->row);
    const char *e1 = "PTRT_ANY_ELEM", *e2 = e1;
    if (call->elems[0] != ELEM_NONE) e1 = elem_const(call->elems[0]);
    if (call->elems[1] != ELEM_NONE) e2 = elem_const(call->elems[1]);
    const char *fetch = strf(e, "ptrt_%s(core, %s, %s, %s)", kernel_driver(call->row), id, e1, e2);
    const char *key = strf(e, "%u %s", c_of(e)->section, fetch);
    Local *l = local_entry(
        e, atom_text(&c_of(e)->bodies, intern_copy(&c_of(e)->bodies, key, strlen(key))));
    if (l->name != NULL) return l->name;
    StrBuf stem;
    sb_init(&stem, e->arena);
    for (const char *c = id + strlen("PTRT_"); *c != '\0'; c++)
        sb_putc(&stem, *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c);
    for (int i = 0; i < 2 && call->elems[i] != ELEM_NONE; i++)
        sb_printf(&stem, "_%s",
                  name_mangle(e->arena, elem_infos[call->elems[i]].text,
                              strlen(elem_infos[call->elems[i]].text)));
    l->name = fresh(e, sb_text(&stem));
    sb_printf(&c_of(e)->top, "    const ptrt_%s_fn %s = %s;\n", kernel_driver(call->row), l->name,
              fetch);
    c_of(e)->uses_core = true;
    return l->name;
}

/* Emits the call of a micro-instruction: a body that the function has fetched, or a function. */
static void emit_direct(Emitter *e, const LowerStmt *s, const LowerCall *call) {
    if (s->lanes != NULL) {
        emit_checks(e, s);
        emit_lane_chain(e, s);
        return;
    }
    const bool has_body = call->row->way == KERNEL_BODY || call->row->way == KERNEL_OVER;
    const char *body = has_body ? body_name(e, call) : NULL;
    const bool over = call->row->way == KERNEL_OVER;
    const char *name = call->row->way == KERNEL_BODY ? body : strf(e, "ptrt_%s", call->name);
    for (unsigned i = 0; i < s->nresults; i++)
        declare(e, &s->results[i]);
    const char *args = call_args(e, s, call) + strlen(", ");
    if (over) args = strf(e, "%s, %s", body, args);
    emit_checks(e, s);
    c_of(e)->micro = true;
    c_of(e)->logical |= inst_is_logical(s->inst);
    if (call->fails)
        try_call(e, "%s(%s)", name, args);
    else
        ln(e, "%s(%s);", name, args);
    for (unsigned i = 0; i < s->nresults; i++)
        defined(e, &s->results[i]);
}

/* ---- statements ---- */

/* The same bytes by another name: a copy, unless they have one register. */
void emit_rename(Emitter *e, const LowerStmt *s) {
    const Value *from = s->args[0].value, *to = &s->results[0];
    const PtrMap *numbers = &c_of(e)->registers;
    if (ptrmap_get(numbers, from) != ptrmap_get(numbers, to)) {
        emit_kernel(e, s);
        return;
    }
    declare(e, to);
    defined(e, to);
}

void emit_kernel(Emitter *e, const LowerStmt *s) {
    const LowerCall *call = s->call;
    if (call == NULL) {
        no_kernel(e, s);
        return;
    }
    if (call->row->way != KERNEL_BY_ID) {
        emit_direct(e, s, call);
        return;
    }
    bind_results(e, s);
    if (s->chain != NULL) {
        emit_checks(e, s);
        emit_chain(e, s);
        return;
    }
    const char **texts = arg_texts(e, s, call);
    const char *args = joined(e, texts, call->nargs);
    emit_checks(e, s);
    if (e->opt->shadow) shadow_before(e, s, texts);
    try_call(e, "ptrt_%s(core, %u, %s%s)", call->name, (unsigned)e->line, kernel_id(call->row),
             args);
}

/* Statements that order pipes or cores. */
void emit_sync(Emitter *e, const LowerStmt *s) {
    const LowerCall *call = s->call;
    const char *args = call_args(e, s, call);
    if (!observe_sync(e, s, args))
        try_call(e, "ptrt_%s(core, %u%s)", call->name, (unsigned)e->line, args);
}
