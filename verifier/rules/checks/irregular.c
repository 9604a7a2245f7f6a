/* SPDX-License-Identifier: Apache-2.0 */
/* Named functions of the rules of sorts, gathers, histograms and printing. */
#include "verifier/rules/checks/checks.h"

#include <string.h>

/* ---- generators and sorts ---- */

Answer check_tci_tmp(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a), *dst = case_tile(c, inst_slot(c->op->inst, OPERAND_dst));
    if (t == NULL || dst == NULL) return HOLDS;
    int64_t want = elem_infos[dst->elem].bytes == 2 ? 1792 : 768, has = tile_bytes(t, c->profile);
    return has < 0 || has >= want
               ? HOLDS
               : fails(c, "%s has %lld bytes and needs %lld for elements of type %s",
                       case_name(c, r->a), (long long)has, (long long)want,
                       elem_infos[dst->elem].text);
}

typedef struct ShapeChange {
    const Value *tile;
    bool found;
} ShapeChange;

static bool find_shape_change(Op *op, void *arg) {
    ShapeChange *s = arg;
    s->found |= op_is(op, INST_SET_VALIDSHAPE) && slot_value(op, 0) == s->tile;
    return !s->found;
}

/* Returns the valid columns that a tile of the type `valid=..x?` is allocated with, when they are
 * constant and no statement of the function changes them; else DYNAMIC. */
static int64_t allocated_columns(const Value *v) {
    int64_t n;
    if (v == NULL || v->def == NULL || !op_is(v->def, INST_ALLOC_TILE)) return DYNAMIC;
    const Value *cols = named_value(v->def, OPERAND_valid_col);
    if (cols == NULL || !number_written(cols, &n)) return DYNAMIC;
    Op *top = v->def;
    while (top->block != NULL && !op_is(top, INST_FUNC))
        top = region_owner(top->block);
    ShapeChange change = {v, false};
    op_walk(top, find_shape_change, &change);
    return change.found ? DYNAMIC : n;
}

/* The vendor's assembler looks at the type alone. */
Answer check_sort_tmp(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    int64_t n = t != NULL ? tile_dim(t, DIM_VCOL) : 0;
    if (n == DYNAMIC && !c->judge->opt->compat) n = allocated_columns(case_value(c, r->a));
    if (n == DYNAMIC)
        return fails(c,
                     "requires explicit tmp: the valid columns of %s are known at run time only, "
                     "and at level 3 none is planned",
                     case_name(c, r->a));
    return n % 32 == 0 ? HOLDS
                       : fails(c,
                               "requires explicit tmp: the %lld valid columns of %s are not a "
                               "multiple of 32, and "
                               "at level 3 none is planned",
                               (long long)n, case_name(c, r->a));
}

Answer check_merge_counts(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    static const char want[] = "vector<4xi16>";
    if (t == NULL || atom_is(&c->judge->ctx->names, t->text, want)) return HOLDS;
    return fails(c, "%s has type %.*s, expected %s", case_name(c, r->a), TYPE_TEXT(c->judge, t),
                 want);
}

Answer check_merge_tmp(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    int srcs = inst_slot(c->op->inst, OPERAND_srcs);
    const Operand *o = slot_operands(c->op, srcs);
    int64_t sum = 0;
    for (unsigned i = 0; i < slot_count(c->op, srcs); i++)
        if (o[i].value->type->kind != TY_TILE ||
            __builtin_add_overflow(sum, tile_dim(o[i].value->type, DIM_COLS), &sum))
            return HOLDS;
    return t == NULL || tile_dim(t, DIM_COLS) >= sum
               ? HOLDS
               : fails(c, "%s has %lld cols, the sources have %lld together", case_name(c, r->a),
                       (long long)tile_dim(t, DIM_COLS), (long long)sum);
}

/* The hardware merges four blocks at a time, and its repeat count has eight bits. */
Answer check_merge_blocks(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    int64_t len;
    if (t == NULL || !constant_operand(c, inst_slot(c->op->inst, OPERAND_blockLen), &len) ||
        len <= 0 || len > INT64_MAX / 4)
        return HOLDS;
    int64_t cols = tile_dim(t, DIM_COLS), times = cols / (4 * len);
    return (cols % (4 * len) == 0 && times <= 255)
               ? HOLDS
               : fails(c, "%s has %lld cols, expected 1 to 255 times four blocks of %lld",
                       case_name(c, r->a), (long long)cols, (long long)len);
}

/* ---- masks ---- */

/* Returns -1 when there is no axis, or it is neither "row" nor "col". */
static int mask_axis(const Case *c, const NamedAttr **at) {
    const NamedAttr *a = op_attr_named(c->op, ATTR_axis);
    *at = a;
    if (a == NULL || a->value->kind != ATTR_STRING) return -1;
    const Interner *names = &c->judge->ctx->names;
    const char *s = atom_text(names, a->value->text);
    size_t n = atom_len(names, a->value->text);
    if (n != 3) return -1;
    return memcmp(s, "row", 3) == 0 ? DIM_VCOL : memcmp(s, "col", 3) == 0 ? DIM_VROW : -1;
}

Answer check_mask_axis(const Case *c, const Rule *r) {
    const NamedAttr *a;
    (void)r;
    if (mask_axis(c, &a) >= 0 || a == NULL || a->value->kind != ATTR_STRING) return HOLDS;
    if (c->at != NULL && a->span.len != 0) *c->at = a->span;
    const Interner *names = &c->judge->ctx->names;
    size_t n = atom_len(names, a->value->text);
    return fails(c, "the axis is \"%.*s\", expected \"row\" or \"col\"", n < 40 ? (int)n : 40,
                 atom_text(names, a->value->text));
}

/* The wide tile (a) has 1, 2 or 4 times the extent of the narrow one (b) along the axis. */
Answer check_mask_extents(const Case *c, const Rule *r) {
    const Type *wide = case_tile(c, r->a), *narrow = case_tile(c, r->b);
    const NamedAttr *mask = op_attr_named(c->op, ATTR_maskPattern), *at;
    if (wide == NULL || narrow == NULL || mask == NULL || mask->value->kind != ATTR_ENUM)
        return HOLDS;
    int axis = mask_axis(c, &at);
    Dim along = axis < 0 ? DIM_VCOL : (Dim)axis, across = along == DIM_VCOL ? DIM_VROW : DIM_VCOL;
    int64_t factor = mask->value->i < 2 ? 2 : mask->value->i < 6 ? 4 : 1;
    Num n = tile_num(c, r->a, along), m = tile_num(c, r->b, along);
    Num k = tile_num(c, r->a, across), l = tile_num(c, r->b, across);
    Test equal = is_equal(c, k, l), times = is_equal(c, n, num_mul(c, m, number(factor)));
    static const char *const words[] = {"rows", "columns"};
    if (equal.answer == FAILS)
        return fails(c, "%s has %lld valid %s and %s %lld; across the mask they must be equal",
                     case_name(c, r->a), (long long)k.n, words[across == DIM_VCOL],
                     case_name(c, r->b), (long long)l.n);
    if (times.answer != FAILS) return settle(c, both(c, equal, times));
    return fails(c,
                 "%s has %lld valid %s and %s %lld; with the mask %s it must be %lld times as "
                 "many",
                 case_name(c, r->a), (long long)n.n, words[along == DIM_VCOL], case_name(c, r->b),
                 (long long)m.n, enum_infos[EF_MASK_PATTERN].values[mask->value->i].text,
                 (long long)factor);
}

/* ---- histogram ---- */

/* Returns which byte is counted: `byte`, else the one that `isMSB` selects, else 1. */
static int64_t histogram_byte(const Case *c) {
    const NamedAttr *byte = op_attr_named(c->op, ATTR_byte);
    const NamedAttr *msb = op_attr_named(c->op, ATTR_isMSB);
    if (byte != NULL && byte->value->kind == ATTR_INT) return byte->value->i;
    return msb != NULL && msb->value->kind == ATTR_BOOL ? msb->value->i != 0 : 1;
}

Answer check_histogram_byte(const Case *c, const Rule *r) {
    const NamedAttr *msb = op_attr_named(c->op, ATTR_isMSB);
    (void)r;
    if (msb == NULL || msb->value->kind != ATTR_BOOL) return HOLDS;
    int64_t byte = histogram_byte(c), says = msb->value->i != 0;
    if (byte == says) return HOLDS;
    if (c->at != NULL && msb->span.len != 0) *c->at = msb->span;
    return fails(c, "byte is %lld, but isMSB means byte %lld", (long long)byte, (long long)says);
}

Answer check_histogram_rows(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    int64_t want = 3 - histogram_byte(c);
    if (t == NULL) return HOLDS;
    int64_t rows = tile_dim(t, DIM_ROWS);
    Num valid = tile_num(c, r->a, DIM_VROW);
    Test fit = either(c, is_equal(c, valid, number(0)), is_equal(c, valid, number(want)));
    if (rows == want && fit.answer != FAILS) return settle(c, fit);
    return fails(c,
                 "%s has %lld rows, expected %lld, all or none of them valid: one for each byte "
                 "above byte %lld",
                 case_name(c, r->a), (long long)rows, (long long)want, (long long)(3 - want));
}

Answer check_histogram_bins(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    if (t == NULL) return HOLDS;
    Num n = tile_num(c, r->a, DIM_VCOL);
    Test fit = either(c, is_equal(c, n, number(0)), is_at_most(c, number(256), n));
    if (fit.answer != FAILS) return settle(c, fit);
    return fails(c,
                 "%s has %lld valid cols, expected none or at least 256: one for each value of "
                 "a byte",
                 case_name(c, r->a), (long long)n.n);
}

/* ---- printing ---- */

Answer check_print_layout(const Case *c, const Rule *r) {
    const Value *v = case_value(c, r->a);
    while (v != NULL && v->def != NULL && op_is(v->def, INST_PARTITION_VIEW))
        v = slot_value(v->def, 0);
    const NamedAttr *a = v != NULL && v->def != NULL && op_is(v->def, INST_MAKE_TENSOR_VIEW)
                             ? op_attr_named(v->def, ATTR_layout)
                             : NULL;
    if (a == NULL || a->value->kind != ATTR_ENUM || enum_number(a->value) == 0) return HOLDS;
    return fails(c, "%s is a window of a view with the layout %s, expected nd", case_name(c, r->a),
                 enum_infos[EF_LAYOUT].values[a->value->i].text);
}

Answer check_print_room(const Case *c, const Rule *r) {
    const Type *view = case_type(c, r->a), *tile = case_tile(c, r->b);
    int64_t want;
    if (view == NULL || tile == NULL || view->kind != TY_PART_VIEW ||
        __builtin_mul_overflow(tile_dim(tile, DIM_ROWS), tile_dim(tile, DIM_COLS), &want))
        return HOLDS;
    Num has = number(1);
    for (unsigned i = 0; i < view->rank; i++)
        has = num_mul(c, has, view_num(c, r->a, i));
    Test enough = is_at_most(c, number(want), has);
    if (enough.answer != FAILS) return settle(c, enough);
    return fails(c, "%s has %lld elements, the tile has %lld", case_name(c, r->a), (long long)has.n,
                 (long long)want);
}
