/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles: declarations, addresses, valid regions, windows and other types of the same memory. */
#include "backends/cpp/emitter.h"

#include <string.h>

static const char *number(Emitter *e, int64_t n) {
    return strf(e, "%lld", (long long)n);
}

/* Stores the bytes from one row to the next and from one column to the next, at multiples of the
 * inner boxes. */
static void steps(const Type *t, Profile profile, int64_t *row, int64_t *col) {
    const TileInfo *ti = &t->tile;
    int64_t bytes = elem_infos[t->elem].bytes, box_rows, box_cols;
    bool columns = tile_blayout(t, profile) == BL_COL_MAJOR;
    int64_t pad = ti->compact == COMPACT_ROW_PLUS_ONE ? 1 : 0;
    if (tile_inner_box(t, &box_rows, &box_cols)) {
        *row = columns ? box_cols : ti->cols;
        *col = columns ? ti->rows + pad : box_rows;
    } else {
        *row = columns ? 1 : ti->cols + pad;
        *col = columns ? ti->rows + pad : 1;
    }
    *row *= bytes;
    *col *= bytes;
}

/* Returns the type of a window in C++: that of the result, with the shape of the source where the
 * distances of rows and columns would differ. */
static const Type *window_type(Emitter *e, const Type *from, const Type *to) {
    int64_t r0, c0, r1, c1;
    steps(from, e->opt->profile, &r0, &c0);
    steps(to, e->opt->profile, &r1, &c1);
    if (r0 == r1 && c0 == c1) return to;
    Type *t = ARENA_NEW(e->arena, Type);
    *t = *to;
    t->tile.rows = from->tile.rows;
    t->tile.cols = from->tile.cols;
    return t;
}

const Type *cpp_tile_type(Emitter *e, const Value *v) {
    const LowerStmt *maker = e->body != NULL ? lower_maker(e->body, v) : NULL;
    const Type *t = tile_value_type(v);
    if (t == NULL || maker == NULL || (maker->form != STMT_SUBVIEW && maker->form != STMT_SUBSET))
        return t;
    const Type *from = cpp_tile_type(e, maker->args[0].value);
    return from != NULL ? window_type(e, from, t) : t;
}

/* Whether an extent is one of run time in the C++ type. */
static bool is_open(int64_t extent) {
    return extent == DYNAMIC || extent == 0;
}

/* Returns an extent as an argument; two 4-bit elements are one byte of the language. */
static const char *extent(Emitter *e, const Type *t, bool rows, const char *text) {
    bool columns = tile_blayout(t, e->opt->profile) == BL_COL_MAJOR;
    return elem_is_fp4((Elem)t->elem) && rows == columns ? strf(e, "%s * 2", text) : text;
}

void cpp_declare_tile_as(Emitter *e, const Value *v, const char *rows, const char *cols) {
    const Type *t = cpp_tile_type(e, v);
    const char *type = cpp_tile(e, t);
    if (type == NULL) {
        cannot(e, (Span){v->name_off, 1}, "a tile of type '" TYPE_FMT "' has no form in C++",
               TYPE_ARG(&e->ctx->names, v->type));
        return;
    }
    const TileInfo *ti = &t->tile;
    const char *r = ti->vrow == DYNAMIC ? rows : number(e, ti->vrow);
    const char *c = ti->vcol == DYNAMIC ? cols : number(e, ti->vcol);
    if (is_open(ti->vrow) && r == NULL) r = number(e, ti->rows);
    if (is_open(ti->vcol) && c == NULL) c = number(e, ti->cols);
    bool open = is_open(ti->vrow) || is_open(ti->vcol);
    StrBuf args;
    sb_init(&args, e->arena);
    if (is_open(ti->vrow)) sb_puts(&args, extent(e, t, true, r));
    if (is_open(ti->vcol))
        sb_printf(&args, "%s%s", args.len > 0 ? ", " : "", extent(e, t, false, c));
    if (open)
        define(e, v, "%s(%s)", type, sb_text(&args));
    else
        declare(e, v);
}

/* The vendor's text has the address in a variable. */
static void assign(Emitter *e, const char *tile, const char *address) {
    if (!cpp_as_vendor(e)) {
        ln(e, "TASSIGN(%s, (uint64_t)%s);", tile, address);
        return;
    }
    const char *name = cpp_fresh(e, "address");
    ln(e, "uint64_t %s = (uint64_t)%s;", name, address);
    ln(e, "TASSIGN(%s, %s);", tile, name);
}

static void assign_value(Emitter *e, const Value *tile, const char *address) {
    cpp_put_name(e, tile);
    assign(e, val(e, tile), address);
}

/* Returns an address that is an operand. */
static const char *address_of(Emitter *e, const Value *v) {
    return v->type->kind == TY_PTR ? strf(e, "reinterpret_cast<uint64_t>(%s)", val(e, v))
                                   : val(e, v);
}

const char *cpp_scratch(Emitter *e, const LowerBind *tmp) {
    const char *type = cpp_tile(e, tmp->type);
    if (type == NULL) return NULL;
    const TileInfo *ti = &tmp->type->tile;
    const char *name = cpp_fresh(e, "tmp");
    StrBuf args;
    sb_init(&args, e->arena);
    if (is_open(ti->vrow)) sb_puts(&args, extent(e, tmp->type, true, number(e, ti->rows)));
    if (is_open(ti->vcol))
        sb_printf(&args, "%s%s", args.len > 0 ? ", " : "",
                  extent(e, tmp->type, false, number(e, ti->cols)));
    if (args.len > 0)
        ln(e, "%s %s = %s(%s);", type, name, type, sb_text(&args));
    else
        ln(e, "%s %s;", type, name);
    assign(e, name, number(e, tmp->addr));
    return name;
}

static const char *slot_text(Emitter *e, const LowerStmt *s, OperandName name) {
    const Value *v = stmt_named(s, name);
    return v != NULL ? val(e, v) : NULL;
}

void cpp_alloc_tile(Emitter *e, const LowerStmt *s) {
    const Value *v = &s->results[0];
    const LowerBind *b = s->binds;
    cpp_declare_tile_as(e, v, slot_text(e, s, OPERAND_valid_row),
                        slot_text(e, s, OPERAND_valid_col));
    if (b != NULL && b->at != NULL)
        assign_value(e, v, address_of(e, b->at));
    else
        assign_value(e, v, number(e, b != NULL ? b->addr : 0));
}

void cpp_declare_tile(Emitter *e, const LowerStmt *s) {
    cpp_declare_tile_as(e, &s->results[0], NULL, NULL);
}

void cpp_tassign(Emitter *e, const LowerStmt *s) {
    const Value *tile = stmt_value(s, 0), *addr = stmt_value(s, 1);
    const char *where =
        addr != NULL ? address_of(e, addr) : number(e, stmt_attr_int(s, ATTR_tile_addr));
    if (s->nresults > 0) {
        define(e, &s->results[0], "%s", val(e, tile));
        tile = &s->results[0];
    }
    assign(e, val(e, tile), where);
}

void cpp_set_valid(Emitter *e, const LowerStmt *s) {
    const Value *tile = stmt_value(s, 0);
    const Type *t = tile_value_type(tile);
    const char *name = val(e, tile);
    const char *rows = extent(e, t, true, val(e, stmt_value(s, 1)));
    const char *cols = extent(e, t, false, val(e, stmt_value(s, 2)));
    if (is_open(t->tile.vrow) && is_open(t->tile.vcol))
        ln(e, "%s.SetValidShape(%s, %s);", name, rows, cols);
    else if (is_open(t->tile.vrow))
        ln(e, "%s.SetValidRow(%s);", name, rows);
    else if (is_open(t->tile.vcol))
        ln(e, "%s.SetValidCol(%s);", name, cols);
}

/* pto.get_validshape, pto.tile_valid_rows, pto.tile_valid_cols */
void cpp_get_valid(Emitter *e, const LowerStmt *s) {
    const Value *tile = stmt_value(s, 0);
    bool columns = tile_blayout(tile_value_type(tile), e->opt->profile) == BL_COL_MAJOR;
    for (unsigned i = 0; i < s->nresults; i++) {
        bool col = stmt_is(s, INST_TILE_VALID_COLS) || i > 0;
        const char *half =
            elem_is_fp4((Elem)tile_value_type(tile)->elem) && col != columns ? " / 2" : "";
        define(e, &s->results[i], "%s.GetValid%s()%s", val(e, tile), col ? "Col" : "Row", half);
    }
}

/* ---- windows ---- */

/* pto.subview, pto.subset: a tile of the source's memory. */
void cpp_subview(Emitter *e, const LowerStmt *s) {
    const Value *v = &s->results[0], *src = s->args[0].value;
    const Type *from = cpp_tile_type(e, src), *to = tile_value_type(v);
    const Operand *at = stmt_items(s, inst_slot(s->inst, OPERAND_offsets));
    int64_t row_step, col_step;
    const char *type = cpp_type_of(e, v);
    if (from == NULL || to == NULL || type == NULL) {
        cannot(e, s->span, "a window of a tile of unknown type has no form in C++");
        return;
    }
    steps(from, e->opt->profile, &row_step, &col_step);
    const char *rows = slot_text(e, s, OPERAND_valid_row),
               *cols = slot_text(e, s, OPERAND_valid_col);
    cpp_declare_tile_as(e, v, rows, cols);
    ln(e, "TASSIGN(%s, reinterpret_cast<uint64_t>(%s.data()) + (uint64_t)(%s * %lld + %s * %lld));",
       name_of(e, v), val(e, src), val(e, at[0].value), (long long)row_step, val(e, at[1].value),
       (long long)col_step);
}

void cpp_window(Emitter *e, const LowerStmt *s) {
    const Value *dst = stmt_named(s, OPERAND_dst);
    if (s->nresults > 0) cpp_declare_tile_as(e, dst, NULL, NULL);
    ln(e, "TSUBVIEW(%s, %s, (uint16_t)%s, (uint16_t)%s);", val(e, dst), val(e, s->args[0].value),
       val(e, stmt_value(s, 1)), val(e, stmt_value(s, 2)));
}

/* pto.treshape, pto.bitcast. Extents of run time are those of the source; rows become columns where
 * a column is read as a row or the reverse. */
void cpp_reshape(Emitter *e, const LowerStmt *s) {
    const Value *src = s->args[0].value;
    const Value *dst = s->nresults > 0 ? &s->results[0] : stmt_named(s, OPERAND_dst);
    const char *from = val(e, src);
    const char *rows = strf(e, "%s.GetValidRow()", from);
    const char *cols = strf(e, "%s.GetValidCol()", from);
    const bool turned = tile_is_turned(tile_value_type(src), tile_value_type(dst));
    if (s->nresults == 0 && s->rebinds != dst) {
        cannot(
            e, s->name_span,
            "the destination has an address, so that the statement copies, and the library has "
            "no call that does: use the form with a result, or a destination without an address");
        return;
    }
    if (s->nresults > 0) cpp_declare_tile_as(e, dst, turned ? cols : rows, turned ? rows : cols);
    if (stmt_is(s, INST_TRESHAPE))
        ln(e, "TRESHAPE(%s, %s);", val(e, dst), from);
    else
        ln(e, "TASSIGN(%s, reinterpret_cast<uint64_t>(%s.data()));", val(e, dst), from);
}

/* ---- one of several tiles ---- */

/* The tiles need no object: pto.multi_tile_get makes one at the address of its slot. */
void cpp_alloc_multi(Emitter *e, const LowerStmt *s) {
    const Value *addr = stmt_value(s, 0);
    if (addr != NULL) (void)val(e, addr);
}

void cpp_multi_get(Emitter *e, const LowerStmt *s) {
    const Value *v = &s->results[0], *multi = s->args[0].value;
    const LowerStmt *alloc = lower_maker(e->body, multi);
    if (alloc == NULL || alloc->form != STMT_ALLOC_MULTI) {
        cannot(e, s->span, "tiles that are passed on as one value have no form in C++");
        return;
    }
    const LowerBind *b = alloc->binds;
    cpp_declare_tile_as(e, v, slot_text(e, alloc, OPERAND_valid_row),
                        slot_text(e, alloc, OPERAND_valid_col));
    const char *first = b->at != NULL ? address_of(e, b->at) : number(e, b->addr);
    const long long stride = (long long)multi_tile_stride(multi->type, e->opt->profile);
    assign_value(e, v, strf(e, "(%s + %s * %lld)", first, val(e, stmt_value(s, 1)), stride));
}

/* ---- moves ---- */

static bool is_column_tile(const Type *t, Profile profile) {
    return t != NULL && t->tile.space == SPACE_VEC && t->tile.slayout == SL_NONE_BOX &&
           tile_blayout(t, profile) == BL_COL_MAJOR;
}

/* Declares a row-major tile of the same memory, with rows and columns exchanged. */
static const char *turned(Emitter *e, const Value *v, const Type *t) {
    Type *type = ARENA_NEW(e->arena, Type);
    *type = *t;
    type->tile.rows = t->tile.cols;
    type->tile.cols = t->tile.rows;
    type->tile.vrow = t->tile.vcol;
    type->tile.vcol = t->tile.vrow;
    type->tile.blayout = BL_ROW_MAJOR;
    const char *text = cpp_tile(e, type), *from = val(e, v), *name = cpp_fresh(e, "rows");
    StrBuf args;
    sb_init(&args, e->arena);
    if (is_open(type->tile.vrow)) sb_printf(&args, "%s.GetValidCol()", from);
    if (is_open(type->tile.vcol))
        sb_printf(&args, "%s%s.GetValidRow()", args.len > 0 ? ", " : "", from);
    if (args.len > 0)
        ln(e, "%s %s = %s(%s);", text, name, text, sb_text(&args));
    else
        ln(e, "%s %s;", text, name);
    ln(e, "TRESHAPE(%s, %s);", name, from);
    return name;
}

/* Where the vector pipe moves rows, a tile of columns is moved as the rows that its memory is. */
void cpp_move(Emitter *e, const LowerStmt *s) {
    const Value *src = stmt_named(s, OPERAND_src);
    const Value *dst = stmt_named(s, OPERAND_dst);
    const Type *from = cpp_tile_type(e, src), *to = cpp_tile_type(e, dst);
    Profile p = e->opt->profile;
    bool columns = profile_infos[p].vector_moves_rows && s->nargs == 2 && is_column_tile(from, p) &&
                   is_column_tile(to, p) && cpp_tile(e, from) != NULL && cpp_tile(e, to) != NULL;
    if (!columns) {
        cpp_row(e, s);
        return;
    }
    const char *rows = turned(e, src, from), *target = turned(e, dst, to);
    ln(e, "TMOV(%s, %s);", target, rows);
}
