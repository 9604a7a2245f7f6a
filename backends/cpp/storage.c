/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays, records and arrays of event ids on a core's stack, and failures. */
#include "backends/cpp/emitter.h"

/* The storage is zeroed each time the statement runs; that of event ids zeroes itself. */
void cpp_declare_storage(Emitter *e, const LowerStmt *s) {
    const Value *v = &s->results[0];
    const Type *t = v->type;
    const char *type = t->kind == TY_LOCAL_ARRAY ? cpp_scalar(t->elem_type)
                       : t->kind == TY_STRUCT    ? cpp_struct(e, t)
                                                 : cpp_type(e, t);
    StrBuf extents;
    sb_init(&extents, e->arena);
    for (uint32_t i = 0; t->kind == TY_LOCAL_ARRAY && i < t->rank; i++)
        sb_printf(&extents, "[%lld]", (long long)t->dims[i]);
    cpp_of(e)->uses_event_array |= t->kind == TY_EVENT_ARRAY;
    if (type == NULL)
        cannot(e, s->span, "storage of type '" TYPE_FMT "' has no form in C++",
               TYPE_ARG(&e->ctx->names, t));
    else
        ln(e, "%s %s%s%s;", type, name_of(e, v), sb_text(&extents),
           t->kind == TY_EVENT_ARRAY || cpp_as_vendor(e) ? "" : " = {}");
}

static const char *element(Emitter *e, const LowerStmt *s) {
    const Value *array = s->args[0].value;
    int slot =
        inst_slot(s->inst, array->type->kind == TY_EVENT_ARRAY ? OPERAND_index : OPERAND_indices);
    StrBuf sb;
    sb_init(&sb, e->arena);
    sb_puts(&sb, val(e, array));
    for (unsigned i = 0; i < stmt_count(s, slot); i++)
        sb_printf(&sb, "[%s]", val(e, stmt_items(s, slot)[i].value));
    return sb_text(&sb);
}

/* The vendor's text declares a variable and then assigns to it. */
static void read_element(Emitter *e, const Value *v, const char *element) {
    if (!cpp_as_vendor(e)) {
        define(e, v, "%s", element);
        return;
    }
    declare(e, v);
    ln(e, "%s = %s;", name_of(e, v), element);
}

/* The vendor's text has event ids in variables of type event_t. */
static void read_event(Emitter *e, const Value *v, const char *element) {
    cpp_put_name(e, v);
    ln(e, "event_t %s = (event_t) %s;", name_of(e, v), element);
}

void cpp_array_access(Emitter *e, const LowerStmt *s) {
    const Value *array = s->args[0].value;
    if (s->nresults > 0 && array->type->kind == TY_EVENT_ARRAY && cpp_as_vendor(e) &&
        !local_of(e, &s->results[0])->hoisted)
        read_event(e, &s->results[0], element(e, s));
    else if (s->nresults > 0)
        read_element(e, &s->results[0], element(e, s));
    else
        ln(e, "%s = %s;", element(e, s), val(e, stmt_named(s, OPERAND_value)));
}

void cpp_struct_access(Emitter *e, const LowerStmt *s) {
    const NamedAttr *path = stmt_attr_named(s, ATTR_path);
    StrBuf sb;
    sb_init(&sb, e->arena);
    sb_puts(&sb, val(e, s->args[0].value));
    for (uint32_t i = 0; i < path->value->n; i++)
        sb_printf(&sb, ".f%lld", (long long)path->value->items[i]->i);
    if (s->nresults > 0)
        read_element(e, &s->results[0], sb_text(&sb));
    else
        ln(e, "%s = %s;", sb_text(&sb), val(e, stmt_named(s, OPERAND_value)));
}

void cpp_assert(Emitter *e, const LowerStmt *s) {
    ln(e, "if (!%s) trap();", val(e, s->args[0].value));
}
