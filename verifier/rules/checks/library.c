/* SPDX-License-Identifier: Apache-2.0 */
/* Named functions for what the vendor's C++ library asserts when it compiles, and for how a tile
 * fits the window that it is loaded from or stored to. */
#include "verifier/rules/checks/checks.h"

/* ---- one tile ---- */

/* The library assumes the inner box of fractal 32 (2x16) and 1024 (16x16) for unboxed tiles too. */
Answer check_plain_fractal(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    enum { BOX = 16 };
    if (t == NULL || t->tile.slayout != SL_NONE_BOX || t->tile.fractal == 512) return HOLDS;
    if (t->tile.cols % BOX != 0)
        return fails(c, "a tile of fractal %u has %lld columns, expected a multiple of %d",
                     t->tile.fractal, (long long)t->tile.cols, BOX);
    if (t->tile.fractal == 32 || t->tile.space == SPACE_VEC || t->tile.rows == 1 ||
        t->tile.rows % BOX == 0)
        return HOLDS;
    return fails(c, "a tile of fractal 1024 has %lld rows, expected 1 or a multiple of %d",
                 (long long)t->tile.rows, BOX);
}

/* The vendor's assembler has no name for these element types. */
Answer check_named_element(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    return t == NULL || (t->elem != ELEM_HIF8X2 && t->elem != ELEM_BF16X2)
               ? HOLDS
               : fails(c, "the element type %s has no name in C++", elem_infos[t->elem].text);
}

/* Results of SSA statements are their own allocations, and are judged as such. */
Answer check_result_fractal(const Case *c, const Rule *r) {
    return op_tile_results(c->op) == 0 ? HOLDS : check_plain_fractal(c, r);
}

/* A box is 16x16 or, for 1-byte elements, 32 along the rows or columns it is stored by. */
Answer check_whole_fractals(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    if (t == NULL || t->tile.slayout == SL_NONE_BOX) return HOLDS;
    bool bytes = elem_infos[t->elem].bytes == 1, by_rows = t->tile.slayout == SL_ROW_MAJOR;
    int64_t rows = bytes && !by_rows ? 32 : 16, cols = bytes && by_rows ? 32 : 16;
    return (t->tile.rows % rows == 0 && t->tile.cols % cols == 0)
               ? HOLDS
               : fails(c, "%s is %lldx%lld, expected whole blocks of %lldx%lld", case_name(c, r->a),
                       (long long)t->tile.rows, (long long)t->tile.cols, (long long)rows,
                       (long long)cols);
}

/* ---- two tiles ---- */

Answer check_same_layout(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    return a == NULL || b == NULL || tile_layout(a, c->profile) == tile_layout(b, c->profile)
               ? HOLDS
               : fails(c, "%s and %s differ in blayout or slayout", case_name(c, r->a),
                       case_name(c, r->b));
}

/* A single row can be extracted from any row_major tile. */
Answer check_extract_layout(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    if (t == NULL || (tile_layout(t, c->profile) & (LAY_ZN | LAY_NZ)) != 0 ||
        (t->tile.rows == 1 && tile_blayout(t, c->profile) == BL_ROW_MAJOR))
        return HOLDS;
    return fails(c,
                 "%s must be row_major/col_major or col_major/row_major, or have one row and be "
                 "row_major",
                 case_name(c, r->a));
}

/* The whole of a, physical, fits into b at the index; one that is not constant counts as 0. */
Answer check_window_room(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    bool rows = r->row->dims == DIM_ROWS;
    int64_t at, end;
    if (a == NULL || b == NULL) return HOLDS;
    if (!constant_operand(c, inst_slot(c->op->inst, rows ? OPERAND_indexRow : OPERAND_indexCol),
                          &at))
        at = 0;
    int64_t size = tile_dim(a, (Dim)r->row->dims), most = tile_dim(b, (Dim)r->row->dims);
    if (at < 0 || (!__builtin_add_overflow(at, size, &end) && end <= most)) return HOLDS;
    return fails(c, "the %lld %s of %s from %lld on end beyond the %lld of %s", (long long)size,
                 rows ? "rows" : "columns", case_name(c, r->a), (long long)at, (long long)most,
                 case_name(c, r->b));
}

/* Returns the columns as the library counts them: 4-bit elements one by one. */
static int64_t single_columns(const Type *t) {
    bool packed = elem_is_fp4((Elem)t->elem);
    return packed && t->tile.cols <= INT64_MAX / 2 ? 2 * t->tile.cols : t->tile.cols;
}

Answer check_packed_shape(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL || a->elem == b->elem) return HOLDS;
    int64_t x = single_columns(a), y = single_columns(b);
    if (x == y || (r->row->rel == REL_GE && x > y)) return HOLDS;
    return fails(c, "%s has %lld columns and %s %lld, elements of 4 bits counted one by one",
                 case_name(c, r->a), (long long)x, case_name(c, r->b), (long long)y);
}

/* ---- a tile and a window ---- */

static const Type *window_type(const Case *c, int slot) {
    const Type *t = case_type(c, slot);
    return t != NULL && t->kind == TY_PART_VIEW && t->rank >= 1 ? t : NULL;
}

/* Returns the extent of the k-th dimension from the end; 1 when there are fewer. */
static int64_t extent_from_last(const Type *view, unsigned k) {
    return k < view->rank ? view->dims[view->rank - 1 - k] : 1;
}

/* DYNAMIC when a factor is, and on overflow. */
static int64_t product(int64_t a, int64_t b) {
    int64_t n;
    return a == DYNAMIC || b == DYNAMIC || __builtin_mul_overflow(a, b, &n) ? DYNAMIC : n;
}

/* Computes rows and columns of a window that is read as nd, dn or nz (types-and-syntax section 7).
 */
static void window_as(const Type *view, unsigned layout, int64_t *rows, int64_t *cols) {
    int64_t last = extent_from_last(view, 0), before = extent_from_last(view, 1), outer = 1;
    for (unsigned k = 2; k < view->rank; k++)
        outer = product(outer, extent_from_last(view, k));
    if (layout == LAY_NZ) { /* s2*s3 x s0*s1*s4 */
        *rows = product(extent_from_last(view, 2), before);
        *cols = product(product(extent_from_last(view, 4), extent_from_last(view, 3)), last);
    } else {
        *rows = layout == LAY_ND ? product(outer, before) : before;
        *cols = layout == LAY_ND ? last : product(outer, last);
    }
}

static bool reaches(int64_t has, int64_t needed) {
    return has == DYNAMIC || needed == DYNAMIC || has >= needed;
}

/* The valid region must fit the window as read in at least one layout. */
Answer check_window_covers(const Case *c, const Rule *r) {
    static const uint8_t layouts[] = {LAY_ND, LAY_DN, LAY_NZ};
    const Type *t = case_tile(c, r->a), *view = window_type(c, r->b);
    if (t == NULL || view == NULL || view->rank > 5) return HOLDS;
    /* scale factors are read in blocks */
    bool blocks = (tile_layout(t, c->profile) & (LAY_ZZ | LAY_NN | LAY_ZN)) != 0 && view->rank > 2;
    int64_t rows, cols;
    for (unsigned i = 0; i < (view->rank == 5 ? 3 : 2) && !blocks; i++) {
        window_as(view, layouts[i], &rows, &cols);
        if (reaches(rows, t->tile.vrow) && reaches(cols, t->tile.vcol)) return HOLDS;
    }
    window_as(view, LAY_ND, &rows, &cols);
    if (blocks && reaches(product(rows, cols), product(t->tile.vrow, t->tile.vcol))) return HOLDS;
    return fails(c, "the valid region of %s is %sx%s, the window %s has %sx%s", case_name(c, r->a),
                 extent_word(t->tile.vrow).text, extent_word(t->tile.vcol).text, case_name(c, r->b),
                 extent_word(rows).text, extent_word(cols).text);
}

/* The valid region of an unboxed tile must be the whole window. */
Answer check_window_exact(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a), *view = window_type(c, r->b);
    unsigned layout = t != NULL ? tile_layout(t, c->profile) : LAY_NZ;
    int64_t rows, cols;
    if (view == NULL || (layout & LAY_PLAIN) == 0 || view->rank > 5) return HOLDS;
    window_as(view, layout, &rows, &cols);
    return (extents_fit(t->tile.vrow, rows) && extents_fit(t->tile.vcol, cols))
               ? HOLDS
               : fails(
                     c,
                     "the valid region of %s is %sx%s, the window %s has %sx%s; they must be equal",
                     case_name(c, r->a), extent_word(t->tile.vrow).text,
                     extent_word(t->tile.vcol).text, case_name(c, r->b), extent_word(rows).text,
                     extent_word(cols).text);
}

/* Returns the layout attribute of a window's view; -1 when it is not known. */
static int written_layout(const Case *c, int slot) {
    const Value *v = case_value(c, slot);
    while (v != NULL && v->def != NULL && op_is(v->def, INST_PARTITION_VIEW))
        v = slot_value(v->def, 0);
    if (v == NULL || v->def == NULL || !op_is(v->def, INST_MAKE_TENSOR_VIEW)) return -1;
    const NamedAttr *a = op_attr_named(v->def, ATTR_layout);
    return a != NULL && a->value->kind == ATTR_ENUM ? enum_number(a->value) : -1;
}

/* True for the last extent of a window of whole blocks: 32 bytes, and the widths that some profiles
 * also store. */
static bool is_block_width(const Case *c, const Type *tile, int64_t n) {
    if (n == DYNAMIC) return false;
    unsigned bytes = elem_infos[tile->elem].bytes;
    if (bytes != 0 && n == 32 / bytes) return true;
    if (!op_is(c->op, INST_TSTORE) || !profile_infos[c->profile].wide_nz_stores) return false;
    bool packed = elem_is_fp4((Elem)tile->elem);
    bool word = bytes == 4 && tile->elem != ELEM_UI32;
    return (word && n == 16) || (packed && n == 64);
}

Answer check_nz_view(const Case *c, const Rule *r) {
    const Type *view = window_type(c, r->a), *t = case_tile(c, r->b);
    enum { NZ = 2 };
    if (view == NULL || t == NULL) return HOLDS;
    int layout = written_layout(c, r->a);
    if (layout >= 0 && layout != NZ)
        return fails(c, "%s is a window of a view with the layout %s; the tile has nz",
                     case_name(c, r->a), enum_infos[EF_LAYOUT].values[layout].text);
    if (view->rank == 5 && extent_from_last(view, 1) == 16 &&
        is_block_width(c, t, extent_from_last(view, 0)))
        return HOLDS;
    return fails(c, "%s must have five dimensions, the last two 16 and %u, to be nz as the tile is",
                 case_name(c, r->a),
                 elem_infos[t->elem].bytes != 0 ? 32u / elem_infos[t->elem].bytes : 32u);
}

/* ---- tables ---- */

/* True for a row of the table per index, which is also the library's default. */
static bool indexes_rows(const Case *c) {
    const NamedAttr *a = op_attr_named(c->op, ATTR_coalesce);
    return a == NULL || (a->value->kind == ATTR_ENUM && enum_number(a->value) == 0);
}

Answer check_index_line(const Case *c, const Rule *r) {
    const Type *idx = case_tile(c, r->a), *data = case_tile(c, r->b);
    if (idx == NULL || data == NULL || !indexes_rows(c)) return HOLDS;
    int64_t n = data->tile.vrow;
    bool row = extents_fit(idx->tile.vrow, 1) && extents_fit(idx->tile.vcol, n);
    bool column = extents_fit(idx->tile.vrow, n) && extents_fit(idx->tile.vcol, 1);
    if (row || (column && profile_infos[c->profile].column_indices)) return HOLDS;
    return fails(c, "the valid region of %s is %sx%s, expected 1x%s: one index per row of %s",
                 case_name(c, r->a), extent_word(idx->tile.vrow).text,
                 extent_word(idx->tile.vcol).text, extent_word(n).text, case_name(c, r->b));
}

Answer check_table_width(const Case *c, const Rule *r) {
    const Type *view = window_type(c, r->a), *data = case_tile(c, r->b);
    if (view == NULL || data == NULL || !indexes_rows(c) ||
        extents_fit(extent_from_last(view, 0), data->tile.vcol))
        return HOLDS;
    return fails(c, "a row of %s has %lld elements, expected the %lld valid columns of %s",
                 case_name(c, r->a), (long long)extent_from_last(view, 0),
                 (long long)data->tile.vcol, case_name(c, r->b));
}
