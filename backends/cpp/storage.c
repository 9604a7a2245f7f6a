/* Arrays, records and arrays of event ids on a core's stack, and failures. */
#include "backends/cpp/emitter.h"

/* The storage is zeroed each time the statement runs; that of event ids zeroes itself. */
void cpp_declare_storage(Emitter *e, const Op *op) {
    const Value *v = &op->results[0];
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
        cannot(e, op->span, "storage of type '" TYPE_FMT "' has no form in C++",
               TYPE_ARG(&e->ctx->names, t));
    else
        ln(e, "%s %s%s%s;", type, name_of(e, v), sb_text(&extents),
           t->kind == TY_EVENT_ARRAY || cpp_as_vendor(e) ? "" : " = {}");
}

static const char *element(Emitter *e, const Op *op) {
    const Value *array = op->operands[0].value;
    int slot =
        inst_slot(op->inst, array->type->kind == TY_EVENT_ARRAY ? OPERAND_index : OPERAND_indices);
    StrBuf sb;
    sb_init(&sb, e->arena);
    sb_puts(&sb, val(e, array));
    for (unsigned i = 0; i < slot_count(op, slot); i++)
        sb_printf(&sb, "[%s]", val(e, slot_operands(op, slot)[i].value));
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

void cpp_array_access(Emitter *e, const Op *op) {
    const Value *array = op->operands[0].value;
    if (op->nresults > 0 && array->type->kind == TY_EVENT_ARRAY && cpp_as_vendor(e) &&
        !local_of(e, &op->results[0])->hoisted)
        read_event(e, &op->results[0], element(e, op));
    else if (op->nresults > 0)
        read_element(e, &op->results[0], element(e, op));
    else
        ln(e, "%s = %s;", element(e, op), val(e, named_value(op, OPERAND_value)));
}

void cpp_struct_access(Emitter *e, const Op *op) {
    const NamedAttr *path = op_attr_named(e->ctx, op, "path");
    StrBuf sb;
    sb_init(&sb, e->arena);
    sb_puts(&sb, val(e, op->operands[0].value));
    for (uint32_t i = 0; i < path->value->n; i++)
        sb_printf(&sb, ".f%lld", (long long)path->value->items[i]->i);
    if (op->nresults > 0)
        read_element(e, &op->results[0], sb_text(&sb));
    else
        ln(e, "%s = %s;", sb_text(&sb), val(e, named_value(op, OPERAND_value)));
}

void cpp_assert(Emitter *e, const Op *op) {
    ln(e, "if (!%s) trap();", val(e, op->operands[0].value));
}
