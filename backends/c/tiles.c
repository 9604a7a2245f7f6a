/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation and binding of tiles, views of global memory, pointers, launch queries. */
#include "backends/c/emitter.h"
#include "backends/c/observe.h"
#include "ir/number.h"

#include <string.h>

const char *extent_text(Emitter *e, int64_t extent, const char *dynamic) {
    return extent == DYNAMIC ? dynamic : strf(e, "%lld", (long long)extent);
}

static const char *slot_val(Emitter *e, const LowerStmt *s, int slot, const char *absent) {
    const Value *v = stmt_value(s, slot);
    return v != NULL ? val(e, v) : absent;
}

/* ---- tiles ---- */

void emit_alloc_tile(Emitter *e, const LowerStmt *s) {
    const LowerBind *b = s->binds;
    if (b == NULL) {
        cannot(e, s->span, "an allocation of '" TYPE_FMT "' has no form in C",
               TYPE_ARG(&e->ctx->names, s->results[0].type));
        return;
    }
    declare(e, b->value);
    emit_bind(e, s, b, val(e, b->value), "0");
}

void emit_set_validshape(Emitter *e, const LowerStmt *s) {
    try_call(e, "ptrt_tile_set_valid(core, %u, &%s, %s, %s)", (unsigned)e->line,
             slot_val(e, s, 0, ""), slot_val(e, s, 1, "0"), slot_val(e, s, 2, "0"));
}

/* pto.get_validshape, pto.tile_valid_rows, pto.tile_valid_cols */
void emit_valid_extents(Emitter *e, const LowerStmt *s) {
    const char *tile = val(e, stmt_value(s, 0));
    bool cols = stmt_is(s, INST_TILE_VALID_COLS);
    for (unsigned i = 0; i < s->nresults; i++)
        define(e, &s->results[i], "%s.%s", tile, cols || i > 0 ? "vcol" : "vrow");
}

void emit_tassign(Emitter *e, const LowerStmt *s) {
    const Value *tile = stmt_value(s, 0), *addr = stmt_value(s, 1);
    const char *where =
        addr != NULL ? val(e, addr) : strf(e, "%lld", (long long)stmt_attr_int(s, ATTR_tile_addr));
    const char *from = val(e, tile), *to = from;
    if (s->nresults > 0) {
        declare(e, &s->results[0]);
        to = val(e, &s->results[0]);
    }
    try_call(e, "ptrt_tile_assign(core, %u, &%s, %s, &%s)", (unsigned)e->line, from, where, to);
}

/* ---- views ---- */

static const char *layout_const(int64_t layout) {
    static const char *const names[] = {"PTRT_VIEW_ND", "PTRT_VIEW_DN", "PTRT_VIEW_NZ",
                                        "PTRT_VIEW_MX_A_ZZ", "PTRT_VIEW_MX_B_NN"};
    return names[layout];
}

/* Returns the operands of a list slot as `(const int64_t[]){a, b}`; static extents of `t` replace
 * operands. */
static const char *int_list(Emitter *e, const LowerStmt *s, int slot, const Type *t) {
    StrBuf sb;
    const Operand *o = stmt_items(s, slot);
    unsigned n = stmt_count(s, slot);
    if (n == 0) return "(const int64_t[]){0}";
    sb_init(&sb, e->arena);
    sb_puts(&sb, "(const int64_t[]){");
    for (unsigned i = 0; i < n; i++) {
        int64_t known;
        const char *x;
        if (t != NULL && t->rank == n && t->dims[i] != DYNAMIC &&
            !(number_written(o[i].value, &known) && known == t->dims[i]))
            x = strf(e, "%lld", (long long)t->dims[i]);
        else
            x = val(e, o[i].value);
        sb_printf(&sb, "%s%s", i > 0 ? ", " : "", x);
    }
    sb_puts(&sb, "}");
    return sb_text(&sb);
}

void emit_make_view(Emitter *e, const LowerStmt *s) {
    const Value *v = &s->results[0], *ptr = stmt_value(s, 0);
    const NamedAttr *layout = stmt_attr_named(s, ATTR_layout);
    const char *elem = v->type->kind == TY_TENSOR_VIEW ? elem_const(v->type->elem) : NULL;
    if (elem == NULL || !is_gm_pointer(ptr->type) || v->type->rank > 5) {
        cannot(e, s->span, "a view of type '" TYPE_FMT "' has no form in C",
               TYPE_ARG(&e->ctx->names, v->type));
        return;
    }
    int64_t kind = layout != NULL ? attr_choice(e, s, ATTR_layout, 5) : s->layout;
    if (kind < 0) return;
    declare(e, v);
    try_call(e, "ptrt_view_make(core, %u, %s, %s, %u, %s, %s, %s, &%s)", (unsigned)e->line,
             val(e, ptr), elem, (unsigned)v->type->rank, int_list(e, s, 1, v->type),
             int_list(e, s, 2, NULL), layout_const(kind), val(e, v));
}

void emit_partition_view(Emitter *e, const LowerStmt *s) {
    const Value *v = &s->results[0];
    declare(e, v);
    try_call(e, "ptrt_view_part(core, %u, &%s, %s, %s, %u, &%s)", (unsigned)e->line,
             val(e, stmt_value(s, 0)), int_list(e, s, 1, NULL), int_list(e, s, 2, v->type),
             (unsigned)v->type->rank, val(e, v));
}

/* pto.get_tensor_view_dim, pto.get_tensor_view_stride */
void emit_view_dim(Emitter *e, const LowerStmt *s) {
    const Value *v = &s->results[0];
    declare(e, v);
    try_call(e, "ptrt_view_%s(core, %u, &%s, %s, &%s)",
             stmt_is(s, INST_GET_TENSOR_VIEW_DIM) ? "dim" : "stride", (unsigned)e->line,
             val(e, stmt_value(s, 0)), val(e, stmt_value(s, 1)), val(e, v));
    defined(e, v);
}

/* ---- pointers ---- */

/* Returns the bytes of what a pointer points to; 0 after a diagnostic. */
static unsigned pointee(Emitter *e, const LowerStmt *s, const Value *ptr) {
    unsigned bytes = ptr->type->kind == TY_PTR ? pointee_bytes(ptr->type->elem_type) : 0;
    if (bytes == 0 || storage_suffix(ptr->type->elem_type->elem) == NULL) {
        cannot(e, s->span, "an access through '" TYPE_FMT "' has no form in C",
               TYPE_ARG(&e->ctx->names, ptr->type));
        return 0;
    }
    return bytes;
}

void emit_addptr(Emitter *e, const LowerStmt *s) {
    const Value *ptr = stmt_value(s, 0), *off = stmt_value(s, 1), *v = &s->results[0];
    unsigned bytes = pointee(e, s, ptr);
    if (bytes == 0) return;
    if (is_gm_pointer(ptr->type))
        define(e, v, "(%s)ptrt_addptr(%s, %s, %u)", c_type(e->arena, v->type), val(e, ptr),
               val(e, off), bytes);
    else
        define(e, v, "ptrt_addi_i64(%s, ptrt_muli_i64(%s, %u))", val(e, ptr), val(e, off), bytes);
}

/* The same for a single element that C reads or writes. */
static unsigned accessed_bytes(Emitter *e, const LowerStmt *s, const Value *ptr) {
    const unsigned bytes = pointee(e, s, ptr);
    if (bytes == 0 || ptr->type->elem_type->kind != TY_VECTOR) return bytes;
    cannot(e, s->span, "%s of a vector has no form in C", s->inst->name);
    return 0;
}

/* Emits the checks of an access and makes `*base` and `*index` name the element. */
static void locate(Emitter *e, const LowerStmt *s, const Value *ptr, const Value *off,
                   unsigned bytes, const char **base, const char **index) {
    *base = val(e, ptr);
    *index = val(e, off);
    if (!is_gm_pointer(ptr->type)) {
        const char *at = local_entry(e, s)->name = fresh(e, "pto_at");
        c_of(e)->pointed |= 1u << ptr->type->space;
        ln(e, "void *%s;", at);
        try_call(e, "ptrt_space_at(core, %u, %s, %s, %s, %u, &%s)", (unsigned)e->line,
                 space_const(ptr->type->space), *base, *index, bytes, at);
        *base = at;
        *index = "0";
    } else if (e->opt->checked) {
        try_call(e, "ptrt_check_gm(core, %u, \"%s\", %s, %s, %u)", (unsigned)e->line, s->inst->name,
                 *base, *index, bytes);
    }
}

void emit_load_scalar(Emitter *e, const LowerStmt *s) {
    const Value *ptr = stmt_value(s, 0), *v = &s->results[0];
    const char *base, *index;
    unsigned bytes = accessed_bytes(e, s, ptr);
    if (bytes == 0) return;
    locate(e, s, ptr, stmt_value(s, 1), bytes, &base, &index);
    define(e, v, "ptrt_load_%s(%s, %s)", storage_suffix(ptr->type->elem_type->elem), base, index);
}

void emit_store_scalar(Emitter *e, const LowerStmt *s) {
    const Value *value = stmt_value(s, 0), *ptr = stmt_value(s, 1);
    const char *base, *index;
    unsigned bytes = accessed_bytes(e, s, ptr);
    if (bytes == 0) return;
    locate(e, s, ptr, stmt_value(s, 2), bytes, &base, &index);
    ln(e, "ptrt_store_%s(%s, %s, %s);", storage_suffix(ptr->type->elem_type->elem), base, index,
       val(e, value));
}

/* ---- launch ---- */

/* Returns e.g. `ptrt_block_idx(core)` for pto.get_block_idx. */
const char *query_text(Emitter *e, const Inst *query) {
    return strf(e, "ptrt_%s(core)", query->name + strlen("pto.get_"));
}

void emit_launch_query(Emitter *e, const LowerStmt *s) {
    c_of(e)->uses_core = true;
    define(e, &s->results[0], "%s", query_text(e, s->inst));
}
