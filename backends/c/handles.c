/* SPDX-License-Identifier: Apache-2.0 */
/* Handles on existing storage: windows, casts, one of several tiles, pointers and addresses, single
 * elements of a tile. */
#include "backends/c/emitter.h"
#include "backends/c/observe.h"

#include <string.h>

static const Value *source(const LowerStmt *s) {
    return s->args[0].value;
}

static const char *number(Emitter *e, int64_t n) {
    return strf(e, "%lld", (long long)n);
}

/* ---- windows ---- */

/* Returns a valid extent of the result: the one in its type, else that of the operand, else
 * `otherwise`. */
static const char *result_extent(Emitter *e, const LowerStmt *s, bool rows, const char *otherwise) {
    const TileInfo *ti = &s->results[0].type->tile;
    const Value *v = stmt_named(s, rows ? OPERAND_valid_row : OPERAND_valid_col);
    int64_t n = rows ? ti->vrow : ti->vcol;
    /* A static extent in the type makes the operand unused. */
    return extent_text(e, n, v != NULL && n == DYNAMIC ? val(e, v) : otherwise);
}

static void put_subview(Emitter *e, const LowerStmt *s, const char *vrow, const char *vcol) {
    const TileInfo *ti = &s->results[0].type->tile;
    const Operand *at = stmt_items(s, inst_slot(s->inst, OPERAND_offsets));
    const char *from = val(e, source(s)), *row = val(e, at[0].value), *col = val(e, at[1].value);
    declare(e, &s->results[0]);
    try_call(e, "ptrt_tile_subview(core, %u, &%s, %s, %s, %lld, %lld, %s, %s, &%s)",
             (unsigned)e->line, from, row, col, (long long)ti->rows, (long long)ti->cols, vrow,
             vcol, val(e, &s->results[0]));
}

void emit_subview(Emitter *e, const LowerStmt *s) {
    const TileInfo *ti = &s->results[0].type->tile;
    put_subview(e, s, result_extent(e, s, true, number(e, ti->rows)),
                result_extent(e, s, false, number(e, ti->cols)));
}

void emit_subset(Emitter *e, const LowerStmt *s) {
    const TileInfo *ti = &s->results[0].type->tile;
    const Operand *at = stmt_items(s, inst_slot(s->inst, OPERAND_offsets));
    const char *from = val(e, source(s));
    const char *rows = strf(e, "ptrt_subset_valid(%s.vrow, %s, %lld)", from, val(e, at[0].value),
                            (long long)ti->rows);
    const char *cols = strf(e, "ptrt_subset_valid(%s.vcol, %s, %lld)", from, val(e, at[1].value),
                            (long long)ti->cols);
    put_subview(e, s, result_extent(e, s, true, rows), result_extent(e, s, false, cols));
}

/* Returns the destination: a result, or an operand. */
static const Value *destination(Emitter *e, const LowerStmt *s) {
    if (s->nresults > 0) {
        declare(e, &s->results[0]);
        return &s->results[0];
    }
    return stmt_named(s, OPERAND_dst);
}

/* Declares a result as a tile without memory, with the valid region of its type. */
static void declare_shape(Emitter *e, const LowerStmt *s, const Value *v) {
    const Type *t = tile_value_type(v);
    const char *type = tile_type_ref(e, t, s->span);
    if (type == NULL) return;
    const char *from = val(e, source(s));
    ln(e, "ptrt_tile_declare(%s, %s, %s, &%s);", type,
       extent_text(e, t->tile.vrow, strf(e, "%s.vrow", from)),
       extent_text(e, t->tile.vcol, strf(e, "%s.vcol", from)), val(e, v));
}

void emit_tile_window(Emitter *e, const LowerStmt *s) {
    const Value *dst = destination(e, s);
    const char *row = val(e, stmt_value(s, 1)), *col = val(e, stmt_value(s, 2));
    if (s->nresults > 0) declare_shape(e, s, dst);
    try_call(e, "ptrt_tile_window(core, %u, &%s, %s, %s, &%s)", (unsigned)e->line,
             val(e, source(s)), row, col, val(e, dst));
}

/* ---- other types ---- */

/* The extents for `?`: of the result those of the source, of an operand its own. */
static void put_recast(Emitter *e, const LowerStmt *s, const char *from, const char *type,
                       const Type *t, const char *to) {
    const Type *was = tile_value_type(source(s));
    const bool result = s->nresults > 0, turned = result && tile_is_turned(was, t);
    const char *own = result ? from : to;
    const char *rows = strf(e, turned ? "%s.vcol" : "%s.vrow", own);
    const char *cols = strf(e, turned ? "%s.vrow" : "%s.vcol", own);
    /* What does not fit, pto.set_validshape sets before the result is used. */
    if (result && !turned && t->tile.vrow == DYNAMIC && t->tile.vcol == DYNAMIC)
        rows = cols = "PTRT_ABSENT";
    try_call(e, "ptrt_tile_recast(core, %u, &%s, %s, %s, %s, &%s)", (unsigned)e->line, from, type,
             extent_text(e, t->tile.vrow, rows), extent_text(e, t->tile.vcol, cols), to);
}

/* pto.bitcast, pto.treshape, pto.talias. Copies if the destination has an address of its own. */
void emit_recast(Emitter *e, const LowerStmt *s) {
    const Value *dst = destination(e, s);
    const Type *t = tile_value_type(dst);
    const char *from = val(e, source(s)), *to = val(e, dst);
    if (s->nresults == 0 && s->rebinds != dst) {
        try_call(e, "ptrt_tile_copy(core, %u, &%s, &%s)", (unsigned)e->line, from, to);
        observe_copy(e, s, strf(e, "(&%s)", to));
        return;
    }
    const char *type = tile_type_ref(e, t, s->span);
    if (type == NULL) return;
    put_recast(e, s, from, type, t, to);
}

/* ---- one of several tiles ---- */

void emit_multi_tile_get(Emitter *e, const LowerStmt *s) {
    const Type *multi = source(s)->type;
    const char *from = val(e, source(s)), *slot = val(e, stmt_value(s, 1));
    declare(e, &s->results[0]);
    try_call(e, "ptrt_tile_slot(core, %u, &%s, %s, %u, %lld, &%s)", (unsigned)e->line, from, slot,
             (unsigned)multi->count, (long long)multi_tile_stride(multi, e->opt->profile),
             val(e, &s->results[0]));
}

/* ---- modes ---- */

/* pto.tsethf32mode */
void emit_product_mode(Emitter *e, const LowerStmt *s) {
    const NamedAttr *enable = stmt_attr_named(s, ATTR_enable);
    int64_t mode = stmt_attr_named(s, ATTR_mode) != NULL ? attr_choice(e, s, ATTR_mode, 8) : 2;
    bool even = mode == 1 || mode == 7; /* RINT, CAST_RINT */
    const char *text = enable != NULL && enable->value->i == 0 ? "OFF" : even ? "EVEN" : "AWAY";
    try_call(e, "ptrt_set_hf32(core, %u, PTRT_HF32_%s)", (unsigned)e->line, text);
}

/* ---- pointers and addresses ---- */

static bool is_address(const Type *t) {
    return is_gm_pointer(t) || is_gm_memref(t);
}

/* pto.castptr, pto.ptrtoint, pto.inttoptr. Pointers to global memory are pointers in C, all others
 * byte offsets. */
void emit_cast_pointer(Emitter *e, const LowerStmt *s) {
    const Value *from = source(s), *to = &s->results[0];
    const char *type = c_type(e->arena, to->type), *x = val(e, from);
    if (type == NULL || c_type(e->arena, from->type) == NULL || type_is_tile(from->type)) {
        cannot(e, s->name_span, "%s to '" TYPE_FMT "' has no form in C", s->inst->name,
               TYPE_ARG(&e->ctx->names, to->type));
        return;
    }
    if (is_address(from->type) == is_address(to->type))
        define(e, to, "(%s)%s", type, x);
    else if (is_address(from->type))
        define(e, to, "(%s)(uintptr_t)%s", type, x);
    else
        define(e, to, "(%s)(uintptr_t)(uint64_t)%s", type, x);
}

void emit_tile_addr(Emitter *e, const LowerStmt *s) {
    const Value *v = &s->results[0];
    if (v->type->kind != TY_PTR) {
        cannot(e, s->name_span, "%s to '" TYPE_FMT "' has no form in C", s->inst->name,
               TYPE_ARG(&e->ctx->names, v->type));
        return;
    }
    declare(e, v);
    try_call(e, "ptrt_tile_addr(core, %u, &%s, &%s)", (unsigned)e->line, val(e, source(s)),
             name_of(e, v));
    defined(e, v);
}

void emit_view_addr(Emitter *e, const LowerStmt *s) {
    const Value *v = &s->results[0];
    const char *type = c_type(e->arena, v->type);
    if (type == NULL || !is_address(v->type))
        cannot(e, s->name_span, "%s to '" TYPE_FMT "' has no form in C", s->inst->name,
               TYPE_ARG(&e->ctx->names, v->type));
    else
        define(e, v, "(%s)(void *)%s.base", type, val(e, source(s)));
}

/* ---- elements of a tile ---- */

/* Emits a pointer to the element and returns its name. */
static const char *element(Emitter *e, const LowerStmt *s, const Value *tile, const Value *offset) {
    const char *at = local_entry(e, s)->name = fresh(e, "pto_at");
    ln(e, "void *%s;", at);
    try_call(e, "ptrt_tile_elem(core, %u, \"%s\", &%s, %s, &%s)", (unsigned)e->line, s->inst->name,
             val(e, tile), val(e, offset), at);
    return at;
}

void emit_get_element(Emitter *e, const LowerStmt *s) {
    const Value *tile = source(s), *v = &s->results[0];
    const char *at = element(e, s, tile, stmt_value(s, 1));
    define(e, v, "ptrt_load_%s(%s, 0)", storage_suffix(v->type->elem), at);
}

void emit_set_element(Emitter *e, const LowerStmt *s) {
    const Value *tile = stmt_named(s, OPERAND_dst);
    const Value *offset = stmt_named(s, OPERAND_offset);
    const Value *v = stmt_named(s, OPERAND_val);
    const Type *t = tile_value_type(tile);
    const char *x = t == NULL || v->type->kind != TY_SCALAR
                        ? NULL
                        : convert_scalar(e->arena, v->type->elem, t->elem, val(e, v));
    if (x == NULL) {
        cannot(e, s->span, "a value of type '" TYPE_FMT "' has no form in C in this tile",
               TYPE_ARG(&e->ctx->names, v->type));
        return;
    }
    const char *at = element(e, s, tile, offset);
    ln(e, "ptrt_store_%s(%s, 0, %s);", storage_suffix(t->elem), at, x);
}
