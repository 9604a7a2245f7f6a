/* SPDX-License-Identifier: Apache-2.0 */
/* Named functions of the pointer, view, allocation, load, store and layout instructions. */
#include "verifier/rules/checks/checks.h"

#include "ir/infer.h"

#include <stdio.h>
#include <string.h>

/* ---- two tiles in one storage ---- */

Answer check_same_space(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL || a->tile.space == b->tile.space) return HOLDS;
    return fails(c, "%s is in %s and %s in %s", case_name(c, r->a), space_names[a->tile.space],
                 case_name(c, r->b), space_names[b->tile.space]);
}

Answer check_same_config(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL) return HOLDS;
    const TileInfo *x = &a->tile, *y = &b->tile;
    bool lies = tile_blayout(a, c->profile) == tile_blayout(b, c->profile);
    const char *key = !lies                      ? "blayout"
                      : x->slayout != y->slayout ? "slayout"
                      : x->fractal != y->fractal ? "fractal"
                      : x->pad != y->pad         ? "pad"
                      : x->compact != y->compact ? "compact"
                                                 : NULL;
    return key == NULL
               ? HOLDS
               : fails(c, "%s and %s differ in %s", case_name(c, r->a), case_name(c, r->b), key);
}

Answer check_same_blayout(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    return a == NULL || b == NULL || tile_blayout(a, c->profile) == tile_blayout(b, c->profile)
               ? HOLDS
               : fails(c, "%s and %s differ in blayout", case_name(c, r->a), case_name(c, r->b));
}

Answer check_same_boxing(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL) return HOLDS;
    bool x = a->tile.slayout != SL_NONE_BOX, y = b->tile.slayout != SL_NONE_BOX;
    return x == y ? HOLDS
                  : fails(c, "%s is boxed, %s is not", case_name(c, x ? r->a : r->b),
                          case_name(c, x ? r->b : r->a));
}

/* Requires equally written types: `?` and a number differ. */
Answer check_identical_valid(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    return a == NULL || b == NULL || (a->tile.vrow == b->tile.vrow && a->tile.vcol == b->tile.vcol)
               ? HOLDS
               : fails(c, "%s and %s differ in their valid extents", case_name(c, r->a),
                       case_name(c, r->b));
}

/* Returns rows * cols in bytes; -1 for elements without a size and on overflow. */
static int64_t plain_bytes(const Type *t) {
    int64_t n;
    if (elem_infos[t->elem].bytes == 0 || __builtin_mul_overflow(t->tile.rows, t->tile.cols, &n) ||
        __builtin_mul_overflow(n, (int64_t)elem_infos[t->elem].bytes, &n))
        return -1;
    return n;
}

Answer check_same_bytes(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL) return HOLDS;
    int64_t x = plain_bytes(a), y = plain_bytes(b);
    return x < 0 || y < 0 || x == y ? HOLDS
                                    : fails(c, "%s has %lld bytes and %s %lld", case_name(c, r->a),
                                            (long long)x, case_name(c, r->b), (long long)y);
}

Answer check_no_more_bytes(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL) return HOLDS;
    int64_t x = plain_bytes(a), y = plain_bytes(b);
    return x < 0 || y < 0 || x <= y
               ? HOLDS
               : fails(c, "%s has %lld bytes, but %s only %lld", case_name(c, r->a), (long long)x,
                       case_name(c, r->b), (long long)y);
}

Answer check_other_element(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    return a == NULL || b == NULL || !same_element(a, b)
               ? HOLDS
               : fails(c,
                       "both tiles have element type %s; another shape or layout is pto.treshape",
                       elem_infos[a->elem].text);
}

Answer check_element_class(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL || elem_is_float((Elem)a->elem) == elem_is_float((Elem)b->elem))
        return HOLDS;
    return fails(c,
                 "%s has elements of type %s and %s of %s; the vendor's library refuses a change "
                 "between float and integer",
                 case_name(c, r->a), elem_infos[a->elem].text, case_name(c, r->b),
                 elem_infos[b->elem].text);
}

/* A tile of one line needs no stride. */
Answer check_same_stride(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL) return HOLDS;
    bool col = tile_blayout(a, c->profile) == BL_COL_MAJOR;
    int64_t lines = col ? a->tile.cols : a->tile.rows;
    int64_t x = col ? a->tile.rows : a->tile.cols, y = col ? b->tile.rows : b->tile.cols;
    return lines <= 1 || x == y
               ? HOLDS
               : fails(c, "a line of %s has %lld elements, one of %s %lld", case_name(c, r->a),
                       (long long)x, case_name(c, r->b), (long long)y);
}

/* ---- multi tile buffers ---- */

Answer check_slot_type(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a), *m = case_type(c, r->b);
    if (t == NULL || m == NULL || t->kind != TY_TILE || m->kind != TY_MULTI_TILE) return HOLDS;
    const TileInfo *x = &t->canon->tile, *y = &m->canon->tile;
    bool same = same_element(t, m) && x->rows == y->rows && x->cols == y->cols &&
                x->vrow == y->vrow && x->vcol == y->vcol && x->space == y->space &&
                x->blayout == y->blayout && x->slayout == y->slayout && x->pad == y->pad &&
                x->compact == y->compact && x->fractal == y->fractal;
    return same ? HOLDS
                : fails(c, "%s has type %.*s, which is not the slot type of %.*s",
                        case_name(c, r->a), TYPE_TEXT(c->judge, t), TYPE_TEXT(c->judge, m));
}

Answer check_slot_number(const Case *c, const Rule *r) {
    const Type *m = case_type(c, r->b);
    if (m == NULL || m->kind != TY_MULTI_TILE || case_value(c, r->a) == NULL) return HOLDS;
    Num k = scalar_num(c, r->a);
    Test inside = both(c, is_at_most(c, number(0), k), is_at_most(c, k, number(m->count - 1)));
    if (inside.answer != FAILS) return settle(c, inside);
    return fails(c, "slot is %lld, the buffer has the slots 0 to %u", (long long)k.n, m->count - 1);
}

/* ---- pointers ---- */

static bool is_integer(const Type *t) {
    return type_is_int(t) && t->elem != ELEM_INDEX;
}

/* A memref names its space only in its text. */
static bool memref_fits(const Case *c, const Type *memref, const Type *ptr) {
    static const char mark[] = "#pto.address_space<";
    const Interner *names = &c->judge->ctx->names;
    const char *s = atom_text(names, memref->text);
    const char *e = s + atom_len(names, memref->text);
    for (; (size_t)(e - s) > sizeof mark; s++) {
        if (memcmp(s, mark, sizeof mark - 1) != 0) continue;
        s += sizeof mark - 1;
        size_t n = 0;
        while (s + n < e && s[n] != '>')
            n++;
        Space space = space_from_text(s, n, true);
        return space == SPACE_COUNT || space == (Space)ptr->space;
    }
    return true;
}

Answer check_castptr(const Case *c, const Rule *r) {
    const Type *from = case_type(c, r->a), *to = case_type(c, r->b);
    if (from == NULL || to == NULL) return HOLDS;
    if (is_integer(to) && from->kind != TY_PTR)
        return fails(c, "only a pointer can become an integer");
    if (to->kind != TY_PTR) return HOLDS;
    if ((from->kind == TY_PTR && from->space != to->space) ||
        (from->kind == TY_OPAQUE && !memref_fits(c, from, to)))
        return fails(c, "a cast does not change the memory space");
    return HOLDS;
}

Answer check_pointer_space(const Case *c, const Rule *r) {
    const Type *p = case_type(c, r->a);
    const Type *t = case_tile(c, r->b);
    if (p == NULL || t == NULL || p->kind != TY_PTR || p->space == t->tile.space) return HOLDS;
    return fails(c, "%s points to %s, but %s is in %s", case_name(c, r->a), space_names[p->space],
                 case_name(c, r->b), space_names[t->tile.space]);
}

/* ---- tables in global memory ---- */

Answer check_plain_table(const Case *c, const Rule *r) {
    const Value *v = case_value(c, r->a);
    if (v != NULL && v->def != NULL && op_is(v->def, INST_PARTITION_VIEW))
        v = slot_value(v->def, 0);
    if (v == NULL || v->def == NULL || !op_is(v->def, INST_MAKE_TENSOR_VIEW)) return HOLDS;
    const NamedAttr *a = op_attr_named(v->def, ATTR_layout);
    return a == NULL || a->value->kind != ATTR_ENUM || enum_number(a->value) == 0
               ? HOLDS
               : fails(c, "the view of %s has another layout than nd", case_name(c, r->a));
}

static Test is_line(const Case *c, int slot, Dim d) {
    Num n = tile_num(c, slot, d);
    return both(c, is_at_most(c, number(0), n), is_at_most(c, n, number(1)));
}

/* True for one index per row of the data, in a row of a row_major tile or a column of a col_major
 * one. */
static Test indexes_rows(const Case *c, int idx, int data) {
    Num n = tile_num(c, data, DIM_VROW);
    bool row = tile_blayout(c->types[idx], c->profile) == BL_ROW_MAJOR;
    return both(c, is_line(c, idx, row ? DIM_VROW : DIM_VCOL),
                is_equal(c, tile_num(c, idx, row ? DIM_VCOL : DIM_VROW), n));
}

/* Without the attribute `coalesce`, a row_major column means one index per row. */
static Test indexes_rows_by_default(const Case *c, int idx, int data) {
    const Type *t = c->types[idx];
    bool column =
        tile_blayout(t, c->profile) == BL_ROW_MAJOR && (t->tile.vcol == 0 || t->tile.vcol == 1);
    return column ? same_valid(c, idx, data, VALID_ROWS) : test_of(false);
}

Answer check_table_index(const Case *c, const Rule *r) {
    const NamedAttr *a = op_attr_named(c->op, ATTR_coalesce);
    if (case_tile(c, r->a) == NULL || case_tile(c, r->b) == NULL) return HOLDS;
    bool by_row = a != NULL && a->value->kind == ATTR_ENUM && enum_number(a->value) == 0;
    Test t = by_row ? indexes_rows(c, r->a, r->b) : same_valid(c, r->a, r->b, VALID_BOTH);
    if (a == NULL) t = either(c, t, indexes_rows_by_default(c, r->a, r->b));
    if (t.answer != FAILS) return settle(c, t);
    if (a == NULL)
        return fails(c,
                     "without coalesce idx must have the valid region of %s, or be row_major with "
                     "its valid rows and one valid column",
                     case_name(c, r->b));
    if (by_row)
        return fails(c,
                     "idx must have one valid line with an index per row of %s: a row when it is "
                     "row_major, a column when it is col_major",
                     case_name(c, r->b));
    return fails(c, "idx and %s differ in their valid extents", case_name(c, r->b));
}

/* ---- the move to the ZZ layout: rows of dst in groups of 16, or src transposed ---- */

static bool along_rows(const Case *c) {
    const NamedAttr *a = op_attr_named(c->op, ATTR_grpAxis);
    return a == NULL || a->value->kind != ATTR_ENUM || a->value->i != 0;
}

static Num in_sixteens(const Case *c, Num n) {
    return num_mul(c, num_ceil_div(c, n, 16), number(16));
}

static Num valid_elements(const Case *c, int slot) {
    return num_mul(c, tile_num(c, slot, DIM_VROW), tile_num(c, slot, DIM_VCOL));
}

Answer check_zz_count(const Case *c, const Rule *r) {
    if (case_tile(c, r->a) == NULL || case_tile(c, r->b) == NULL) return HOLDS;
    Num x = valid_elements(c, r->a), y = valid_elements(c, r->b);
    Test equal = is_equal(c, x, y);
    if (equal.answer != FAILS) return settle(c, equal);
    return fails(c, "%s has %lld valid elements and %s %lld", case_name(c, r->a), (long long)x.n,
                 case_name(c, r->b), (long long)y.n);
}

static Test is_multiple(const Case *c, Num a, int64_t n) {
    return is_equal(c, num_rem(c, a, n), number(0));
}

Answer check_zz_extents(const Case *c, const Rule *r) {
    const Type *src = case_tile(c, r->b);
    if (case_tile(c, r->a) == NULL || src == NULL) return HOLDS;
    Num rows = tile_num(c, r->b, DIM_VROW), cols = tile_num(c, r->b, DIM_VCOL);
    Num to = tile_num(c, r->a, DIM_VCOL);
    Test compact = is_equal(c, number(src->tile.cols), cols);
    if (along_rows(c)) {
        Test pairs = is_multiple(c, to, 2);
        Test dense = either(c, compact, is_equal(c, rows, number(1)));
        if (pairs.answer == FAILS)
            return fails(c, "dst has %lld valid columns, expected an even number", (long long)to.n);
        if (dense.answer != FAILS) return settle(c, both(c, pairs, dense));
        return fails(c, "the valid rows of src do not follow one another without a gap");
    }
    Test pairs = both(c, is_at_most(c, number(2), rows), is_multiple(c, rows, 2));
    Test blocks = is_multiple(c, cols, 16);
    if (pairs.answer == FAILS)
        return fails(c, "src has %lld valid rows, expected an even number", (long long)rows.n);
    if (blocks.answer == FAILS)
        return fails(c, "src has %lld valid columns, expected a multiple of 16", (long long)cols.n);
    if (compact.answer != FAILS) return settle(c, both(c, pairs, both(c, blocks, compact)));
    return fails(c, "the valid rows of src do not follow one another without a gap");
}

Answer check_zz_room(const Case *c, const Rule *r) {
    const Type *dst = case_tile(c, r->a), *src = case_tile(c, r->b);
    if (dst == NULL || src == NULL) return HOLDS;
    Num need = along_rows(c) ? num_mul(c, in_sixteens(c, tile_num(c, r->a, DIM_VROW)),
                                       tile_num(c, r->a, DIM_VCOL))
                             : valid_elements(c, r->b);
    int64_t x = plain_bytes(dst), y = plain_bytes(src);
    Test enough = both(c, is_at_most(c, need, number(x < 0 ? INT64_MAX : x)),
                       is_at_most(c, need, number(y < 0 ? INT64_MAX : y)));
    if (enough.answer != FAILS) return settle(c, enough);
    return fails(c, "the move needs %lld bytes in src and dst, which have %lld and %lld",
                 (long long)need.n, (long long)y, (long long)x);
}

Answer check_zz_scratch(const Case *c, const Rule *r) {
    const Type *tmp = case_tile(c, r->a);
    if (tmp == NULL || case_tile(c, r->b) == NULL || !along_rows(c)) return HOLDS;
    Num blocks = num_ceil_div(c, tile_num(c, r->b, DIM_VROW), 16);
    Num need = num_add(c, num_mul(c, blocks, tile_num(c, r->b, DIM_VCOL)), number(64));
    int64_t has = plain_bytes(tmp);
    Test enough = is_at_most(c, need, number(has < 0 ? INT64_MAX : has));
    if (enough.answer != FAILS) return settle(c, enough);
    return fails(c, "the scratch tile has %lld bytes, expected at least %lld", (long long)has,
                 (long long)need.n);
}

/* ---- transposition ---- */

/* The hardware uses tmp only when it transposes whole blocks; otherwise any tmp will do. */
Answer check_trans_scratch(const Case *c, const Rule *r) {
    const Type *tmp = case_tile(c, r->a), *src = case_tile(c, r->b);
    const Type *dst = case_tile(c, inst_slot(c->op->inst, OPERAND_dst));
    if (tmp == NULL || src == NULL || dst == NULL) return HOLDS;
    int64_t bytes = elem_infos[src->elem].bytes, has = plain_bytes(tmp), need = 32;
    if (bytes == 0 || has < 0) return HOLDS;
    int64_t block = 32 / bytes;
    bool used = block > 0 && dst->tile.cols % (bytes == 1 ? 32 : 16) == 0 &&
                src->tile.cols % block == 0 && src->tile.cols / block <= 255;
    if (used) need = plain_bytes(src);
    return has >= need ? HOLDS
                       : fails(c, "tmp has %lld bytes, expected at least %lld", (long long)has,
                               (long long)need);
}

Answer check_major_align(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    if (t == NULL) return HOLDS;
    bool col = tile_blayout(t, c->profile) == BL_COL_MAJOR;
    int64_t bytes;
    if (!__builtin_mul_overflow(col ? t->tile.rows : t->tile.cols,
                                (int64_t)elem_infos[t->elem].bytes, &bytes) &&
        bytes % 32 == 0)
        return HOLDS;
    return fails(c, "a %s of %s is not a multiple of 32 bytes", col ? "column" : "row",
                 case_name(c, r->a));
}

/* ---- windows copied out of and into tiles ---- */

/* Checks that a window of `size` at the offset in slot r->a ends inside the tile of slot r->b.
 * Another rule reports negative offsets. */
static Answer window_ends(const Case *c, const Rule *r, Num size) {
    if (case_tile(c, r->b) == NULL || case_value(c, r->a) == NULL) return HOLDS;
    Num at = scalar_num(c, r->a), most = tile_num(c, r->b, (Dim)r->row->dims);
    if (at.known && at.n < 0) return HOLDS;
    Test inside = is_at_most(c, num_add(c, at, size), most);
    if (inside.answer != FAILS) return settle(c, inside);
    return fails(c, "%s is %lld: a window of %lld ends beyond the %lld of %s", case_name(c, r->a),
                 (long long)at.n, (long long)size.n, (long long)most.n, case_name(c, r->b));
}

Answer check_extract_end(const Case *c, const Rule *r) {
    int dst = inst_slot(c->op->inst, OPERAND_dst);
    return case_tile(c, dst) == NULL ? HOLDS
                                     : window_ends(c, r, tile_num(c, dst, (Dim)r->row->dims));
}

Answer check_insert_end(const Case *c, const Rule *r) {
    int src = inst_slot(c->op->inst, OPERAND_src);
    Dim d = r->row->dims == DIM_ROWS ? DIM_VROW : DIM_VCOL;
    return case_tile(c, src) == NULL ? HOLDS : window_ends(c, r, tile_num(c, src, d));
}

/* ---- concatenation and packing ---- */

/* Adds the valid columns of both sources; false when a type is not known. */
static bool concat_columns(const Case *c, Num *out) {
    int a = inst_slot(c->op->inst, OPERAND_src0), b = inst_slot(c->op->inst, OPERAND_src1);
    if (case_tile(c, a) == NULL || case_tile(c, b) == NULL) return false;
    *out = num_add(c, tile_num(c, a, DIM_VCOL), tile_num(c, b, DIM_VCOL));
    return true;
}

Answer check_concat_room(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    Num n;
    if (t == NULL || !concat_columns(c, &n)) return HOLDS;
    Test fit = is_at_most(c, n, number(t->tile.cols));
    if (fit.answer != FAILS) return settle(c, fit);
    return fails(c, "the sources have %lld valid columns together, %s has %lld columns",
                 (long long)n.n, case_name(c, r->a), (long long)t->tile.cols);
}

Answer check_concat_full(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    Num n;
    if (t == NULL || !concat_columns(c, &n)) return HOLDS;
    Test full = is_equal(c, tile_num(c, r->a, DIM_VCOL), n);
    if (full.answer != FAILS) return settle(c, full);
    return fails(c, "the sources have %lld valid columns together, %s has %lld", (long long)n.n,
                 case_name(c, r->a), (long long)t->tile.vcol);
}

Answer check_pack_pair(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL) return HOLDS;
    unsigned from = elem_infos[a->elem].bytes, to = elem_infos[b->elem].bytes;
    return (from == 4 && (to == 2 || to == 1)) || (from == 2 && to == 1)
               ? HOLDS
               : fails(c, "elements of %u bytes become %u; possible are 4 to 2, 4 to 1 and 2 to 1",
                       from, to);
}
