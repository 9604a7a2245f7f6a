/* SPDX-License-Identifier: Apache-2.0 */
/* C that computes statements a second time in f64: the runtime has what each kernel computes, and
 * the numbers beside memory; here is which statements it is told of. */
#include "backends/c/shadow.h"
#include "backends/c/operands.h"

/* Calls of a body, as of micro-instructions, write registers, whose numbers nothing keeps. */
static bool is_body_call(const LowerStmt *s) {
    return s->call != NULL && s->call->row != NULL && s->call->row->way != KERNEL_BY_ID;
}

static bool is_float_view(const Value *v) {
    return v != NULL && type_is_view(v->type) && v->type->elem_type != NULL &&
           elem_is_float((Elem)v->type->elem_type->elem);
}

static bool is_written(const Value *v) {
    return is_float_tile(v) || is_float_view(v);
}

/* Calls `see` for what a statement writes: tiles of floats, and views. */
static unsigned each_written(Emitter *e, const LowerStmt *s,
                             void (*see)(Emitter *e, const LowerStmt *s, const Value *v)) {
    unsigned n = 0;
    if ((s->inst->flags & (IF_ALLOC | IF_VIEW | IF_SYNC)) != 0) return 0;
    for (int slot = 0; slot < s->inst->nslots; slot++)
        for (unsigned i = 0; writes_slot(&s->inst->slots[slot]) && i < stmt_count(s, slot); i++) {
            const Value *v = item_value(s, slot, i);
            if (!is_written(v)) continue;
            if (see != NULL) see(e, s, v);
            n++;
        }
    for (unsigned i = 0; s->inst->entry == ENTRY_POP && i < s->nresults; i++) {
        if (!is_float_tile(&s->results[i])) continue;
        if (see != NULL) see(e, s, &s->results[i]);
        n++;
    }
    return n;
}

static void put_after(Emitter *e, const LowerStmt *s, const Value *v) {
    const char *tile = type_is_tile(v->type) ? strf(e, "&%s", val(e, v)) : "NULL";
    c_of(e)->uses_core = true;
    try_call(e, "ptrt_shadow_after(core, %u, \"%s\", %s, %s)", (unsigned)e->line, s->inst->name,
             quoted_name(e, v), tile);
}

/* A number of the call: how it is passed, and for an integer how it is computed with. */
static const char *shadow_arg(Emitter *e, const LowerArg *arg, const char *text) {
    switch (arg->kind) {
    case LARG_TILE:
    case LARG_VIEW:
    case LARG_WINDOW:
    case LARG_SCRATCH:
        return strf(e, "{%s, 0, 0}", text);
    case LARG_FLOAT:
        return strf(e, "{NULL, %s, 0}", text);
    case LARG_INT:
        return strf(e, "{NULL, (double)(%s), %s}", text, text);
    case LARG_NUMBER:
    case LARG_ABSENT:
        return strf(e, "{NULL, 0, %s}", text);
    default:
        return "{NULL, 0, 0}";
    }
}

void shadow_before(Emitter *e, const LowerStmt *s, const char *const *texts) {
    StrBuf args;
    if (each_written(e, s, NULL) == 0) return;
    sb_init(&args, e->arena);
    for (unsigned i = 0; i < s->call->nargs; i++)
        sb_printf(&args, "%s%s", i > 0 ? ", " : "", shadow_arg(e, &s->call->args[i], texts[i]));
    c_of(e)->uses_core = true;
    try_call(e, "ptrt_shadow_before(core, %u, %s, (const ptrt_shadow_arg[]){%s})",
             (unsigned)e->line, kernel_id(s->call->row), sb_text(&args));
}

void shadow_after(Emitter *e, const LowerStmt *s) {
    if (is_body_call(s)) {
        if (s->call->elems[0] == ELEM_NONE || !elem_is_float((Elem)s->call->elems[0])) return;
        c_of(e)->uses_core = true;
        try_call(e, "ptrt_shadow_after(core, %u, \"%s\", \"\", NULL)", (unsigned)e->line,
                 s->inst->name);
        return;
    }
    each_written(e, s, put_after);
}
