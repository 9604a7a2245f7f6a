/* SPDX-License-Identifier: Apache-2.0 */
/* Storage on a core's stack (arrays, records, event ids), and output. */
#include "backends/c/emitter.h"

#include <string.h>

/* ---- arrays and records ---- */

enum { MOST_BYTES = 128 << 10 }; /* for all functions of a module; a core's stack has 512 KiB */

/* The storage belongs to the whole function, so that a handle may leave the region. It is zeroed
 * each time the statement runs. */
void emit_declare_storage(Emitter *e, const LowerStmt *s) {
    const Value *v = &s->results[0];
    int64_t bytes = lower_storage_bytes(v->type);
    if (bytes <= 0 || bytes > MOST_BYTES - c_of(e)->storage) {
        cannot(e, s->span, "more than %d bytes of arrays and records have no form in C",
               MOST_BYTES);
        return;
    }
    c_of(e)->storage += bytes;
    const char *name = fresh(e, strf(e, "m_%s", name_of(e, v) + 2));
    sb_printf(&c_of(e)->top, "    int64_t %s[%lld];\n", name, (long long)(bytes + 7) / 8);
    define(e, v, "%s", name);
    ln(e, "memset(%s, 0, sizeof %s);", name, name);
}

/* Returns the suffix of loads and stores of an element; an i1 is a byte. */
static const char *cell_suffix(const Type *t) {
    return t->kind != TY_SCALAR ? NULL : t->elem == ELEM_I1 ? "u8" : storage_suffix(t->elem);
}

/* Reports an element type that C does not have. */
static const char *element_suffix(Emitter *e, const LowerStmt *s, const Type *t) {
    const char *suffix = cell_suffix(t);
    if (suffix == NULL)
        cannot(e, s->span, "an element of type '" TYPE_FMT "' has no form in C",
               TYPE_ARG(&e->ctx->names, t));
    return suffix;
}

static void put_get(Emitter *e, const LowerStmt *s, const char *suffix, const char *at) {
    const Value *v = &s->results[0];
    const char *from = val(e, s->args[0].value);
    define(e, v, v->type->elem == ELEM_I1 ? "ptrt_load_%s(%s, %s) != 0" : "ptrt_load_%s(%s, %s)",
           suffix, from, at);
}

static void put_set(Emitter *e, const LowerStmt *s, const char *suffix, const char *at) {
    const Value *v = stmt_named(s, OPERAND_value);
    const char *to = val(e, s->args[0].value);
    ln(e, "ptrt_store_%s(%s, %s, %s);", suffix, to, at, val(e, v));
}

/* Emits the checked index of an element and returns its name. */
static const char *array_index(Emitter *e, const LowerStmt *s) {
    const Type *t = s->args[0].value->type;
    bool events = t->kind == TY_EVENT_ARRAY;
    int slot = inst_slot(s->inst, events ? OPERAND_index : OPERAND_indices);
    unsigned n = stmt_count(s, slot);
    const Operand *o = stmt_items(s, slot);
    StrBuf extents, indices;
    sb_init(&extents, e->arena);
    sb_init(&indices, e->arena);
    for (unsigned i = 0; i < n; i++) {
        const char *sep = i > 0 ? ", " : "";
        sb_printf(&extents, "%s%lld", sep, events ? (long long)t->count : (long long)t->dims[i]);
        sb_printf(&indices, "%s%s", sep, val(e, o[i].value));
    }
    const char *at = fresh(e, "pto_at");
    ln(e, "int64_t %s;", at);
    try_call(e,
             "ptrt_array_index(core, %u, \"%s\", %u, (const int64_t[]){%s}, (const "
             "int64_t[]){%s}, &%s)",
             (unsigned)e->line, s->inst->name, n, sb_text(&extents), sb_text(&indices), at);
    return at;
}

static const char *array_suffix(Emitter *e, const LowerStmt *s) {
    const Type *t = s->args[0].value->type;
    return t->kind == TY_EVENT_ARRAY ? "i64" : element_suffix(e, s, t->elem_type);
}

void emit_array_get(Emitter *e, const LowerStmt *s) {
    const char *suffix = array_suffix(e, s);
    if (suffix != NULL) put_get(e, s, suffix, array_index(e, s));
}

void emit_array_set(Emitter *e, const LowerStmt *s) {
    const char *suffix = array_suffix(e, s);
    if (suffix != NULL) put_set(e, s, suffix, array_index(e, s));
}

/* Returns the index of a scalar in a record, where each has eight bytes. */
static const char *record_index(Emitter *e, const LowerStmt *s, const Type *scalar) {
    const NamedAttr *path = stmt_attr_named(s, ATTR_path);
    unsigned bytes = pointee_bytes(scalar);
    int64_t cell = lower_record_cell(s->args[0].value->type, path->value);
    return strf(e, "%lld", (long long)cell * (8 / (int)(bytes == 0 ? 1 : bytes)));
}

void emit_struct_get(Emitter *e, const LowerStmt *s) {
    const Type *t = s->results[0].type;
    const char *suffix = element_suffix(e, s, t);
    if (suffix != NULL) put_get(e, s, suffix, record_index(e, s, t));
}

void emit_struct_set(Emitter *e, const LowerStmt *s) {
    const Type *t = stmt_named(s, OPERAND_value)->type;
    const char *suffix = element_suffix(e, s, t);
    if (suffix != NULL) put_set(e, s, suffix, record_index(e, s, t));
}

/* ---- output ---- */

/* Returns a tile; one that is made of a register or mask, whose lanes are its columns. */
static const char *shown_tile(Emitter *e, const Value *v) {
    if (type_is_tile(v->type)) return val(e, v);
    const char *tile = fresh(e, "pto_shown"), *from = val(e, v);
    ln(e, "ptrt_tile %s;", tile);
    c_of(e)->micro = true;
    if (v->type->kind == TY_VREG) {
        try_call(e, "ptrt_show_register(core, %u, %s, &%s, &%s)", (unsigned)e->line,
                 elem_const(v->type->elem_type->elem), from, tile);
        return tile;
    }
    c_of(e)->logical |= type_is_logical(v->type);
    if (v->type->kind == TY_LANES) {
        try_call(e, "ptrt_show_lanes(core, %u, %s, %u, (ptrt_vreg *)&%s, &%s)", (unsigned)e->line,
                 elem_const(v->type->elem), (unsigned)v->type->count, from, tile);
        return tile;
    }
    const char *lanes = fresh(e, "pto_lanes");
    if (v->type->kind == TY_LANE_MASK) {
        ln(e, "unsigned char %s[%u];", lanes, (unsigned)v->type->count);
        try_call(e, "ptrt_show_lane_mask(core, %u, %u, (ptrt_vreg *)&%s, %s, &%s)",
                 (unsigned)e->line, (unsigned)v->type->count, from, lanes, tile);
        return tile;
    }
    ln(e, "unsigned char %s[256];", lanes);
    try_call(e, "ptrt_show_mask(core, %u, %u, &%s, %s, &%s)", (unsigned)e->line,
             (unsigned)v->type->count / 8, from, lanes, tile);
    return tile;
}

/* Emits the output of `ptoasm run --print` and --dump. */
static void emit_show(Emitter *e, const LowerStmt *s) {
    const Value *v = stmt_value(s, 0);
    const char *name = s->shown;
    StrBuf text;
    sb_init(&text, e->arena);
    put_c_string(&text, name, strlen(name));
    const int dump = s->dump;
    if (dump >= 0) {
        try_call(e, "ptrt_dump_tile(core, %u, %d, %s, &%s)", (unsigned)e->line, dump,
                 sb_text(&text), shown_tile(e, v));
        return;
    }
    if (v->type->kind != TY_SCALAR) {
        try_call(e, "ptrt_show_tile(core, %u, %s, &%s)", (unsigned)e->line, sb_text(&text),
                 shown_tile(e, v));
        return;
    }
    bool is_float = elem_is_float((Elem)v->type->elem);
    const char *x =
        convert_scalar(e->arena, v->type->elem, is_float ? ELEM_F64 : ELEM_I64, val(e, v));
    if (x != NULL)
        try_call(e, "ptrt_show_%c(core, %u, %s, %s)", is_float ? 'f' : 'i', (unsigned)e->line,
                 sb_text(&text), x);
    else
        cannot(e, s->span, "a number of type '" TYPE_FMT "' is not printed",
               TYPE_ARG(&e->ctx->names, v->type));
}

void emit_tprint(Emitter *e, const LowerStmt *s) {
    const Value *src = stmt_value(s, 0);
    if (s->shown != NULL) {
        emit_show(e, s);
        return;
    }
    const char *what = type_is_tile(src->type) ? "tile" : "view";
    int64_t format = attr_choice(e, s, ATTR_printFormat, 3);
    if (!type_is_tile(src->type) && !type_is_view(src->type)) {
        cannot(e, s->span, "'" TYPE_FMT "' has no form in C", TYPE_ARG(&e->ctx->names, src->type));
        return;
    }
    try_call(e, "ptrt_print_%s(core, %u, &%s, %d)", what, (unsigned)e->line, val(e, src),
             (int)format);
}

/* Whether the format prints exactly one number: printf would read missing arguments otherwise. */
static bool prints_one_number(const char *s, size_t n) {
    unsigned found = 0;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '\0') return false;
        if (s[i] != '%') continue;
        if (++i < n && s[i] == '%') continue;
        while (i < n && s[i] != '\0' && strchr("-+ #0123456789.hlLqjzt", s[i]) != NULL)
            i++;
        if (i == n || s[i] == '\0' || strchr("diouxXcfFeEgGaA", s[i]) == NULL) return false;
        found++;
    }
    return found == 1 || n == 0;
}

void emit_print(Emitter *e, const LowerStmt *s) {
    const Value *v = stmt_value(s, 0);
    const NamedAttr *a = stmt_attr_named(s, ATTR_format);
    const Interner *in = &e->ctx->names;
    const char *format = atom_text(in, a->value->text);
    size_t n = atom_len(in, a->value->text);
    int elem = v->type->kind == TY_SCALAR ? v->type->elem : ELEM_NONE;
    bool is_float = elem_is_float((Elem)elem);
    const char *x = elem == ELEM_NONE
                        ? NULL
                        : convert_scalar(e->arena, elem, is_float ? ELEM_F64 : ELEM_I64, val(e, v));
    if (x == NULL || !prints_one_number(format, n)) {
        cannot(e, s->span,
               x == NULL ? "a number of type '" TYPE_FMT "' is not printed"
                         : "the format does not print one number of type '" TYPE_FMT "'",
               TYPE_ARG(in, v->type));
        return;
    }
    StrBuf text;
    sb_init(&text, e->arena);
    put_c_string(&text, format, n);
    if (is_float)
        try_call(e, "ptrt_print_f(core, %u, %s, %s)", (unsigned)e->line, sb_text(&text), x);
    else
        try_call(e, "ptrt_print_i(core, %u, %s, %s, %u)", (unsigned)e->line, sb_text(&text), x,
                 elem_int_width((Elem)elem));
}

void emit_trap(Emitter *e, const LowerStmt *s) {
    c_of(e)->uses_core = true;
    ln(e, "return ptrt_fail(core, PTRT_E_TRAP, %u, \"%s\");", (unsigned)e->line, s->inst->name);
}
