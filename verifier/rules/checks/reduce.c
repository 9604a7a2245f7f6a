/* SPDX-License-Identifier: Apache-2.0 */
/* Named functions of the rules of reductions, expansions and partial instructions
 * (rules/reduce.def): what scratch tiles must hold, and which of two sources has the shape of dst.
 */
#include "verifier/rules/checks/checks.h"

#include "ir/tmp.h"

/* tile_bytes() is negative for a tile beyond 64 bits: such a tile is large enough for any rule
 * here. */

static bool valid_written_alike(const Type *a, const Type *b) {
    return a->tile.vrow == b->tile.vrow && a->tile.vcol == b->tile.vcol;
}

static int slot_named(const Case *c, OperandName name) {
    return inst_slot(c->op->inst, name);
}

/* ---- scratch of index reductions (a2a3) ---- */

/* Returns the elements that one step handles: 256 bytes. */
static int64_t step_elements(const Type *src) {
    return 256 / elem_infos[src->elem].bytes;
}

/* Returns the columns for one value and two indices per step, each part in whole 32-byte blocks. */
static Num step_columns(const Case *c, int src) {
    const Type *t = c->types[src];
    int64_t block = 32 / elem_infos[t->elem].bytes;
    Num steps = num_ceil_div(c, tile_num(c, src, DIM_VCOL), step_elements(t));
    Num pairs = num_ceil_div(c, num_mul(c, steps, number(2)), block);
    return num_mul(c, num_add(c, pairs, num_ceil_div(c, steps, block)), number(block));
}

/* False when there is nothing to check: a type is unknown, or tmp has the valid region of src,
 * which suffices. */
static bool tmp_to_judge(const Case *c, const Rule *r, const Type **tmp, const Type **src) {
    *tmp = case_tile(c, r->a);
    *src = case_tile(c, r->b);
    return *tmp != NULL && *src != NULL && elem_infos[(*src)->elem].bytes != 0 &&
           !valid_written_alike(*tmp, *src);
}

static bool one_step(const Type *src) {
    return src->tile.vcol != DYNAMIC && src->tile.vcol <= step_elements(src);
}

Answer check_arg_tmp_layout(const Case *c, const Rule *r) {
    const Type *tmp, *src;
    if (!tmp_to_judge(c, r, &tmp, &src)) return HOLDS;
    uint8_t layout = tile_layout(tmp, c->profile);
    if (one_step(src))
        return (layout & LAY_PLAIN) != 0
                   ? HOLDS
                   : fails(c, "%s is boxed; for rows of up to 256 bytes it must be none_box",
                           case_name(c, r->a));
    return (layout & LAY_ROW_MAJOR) != 0
               ? HOLDS
               : fails(c, "%s is col_major; for rows of more than 256 bytes it must be row_major",
                       case_name(c, r->a));
}

static Test at_least(const Case *c, int slot, Dim d, Num wanted) {
    Num is = tile_num(c, slot, d);
    Test t = is_at_most(c, wanted, is);
    if (t.answer == FAILS)
        fails(c, "%s has %lld valid %s and needs %lld", case_name(c, slot), (long long)is.n,
              d == DIM_VROW ? "rows" : "columns", (long long)wanted.n);
    return t;
}

/* Stops at the first failure, whose reason is reported. */
static Test both_at_least(const Case *c, int slot, Num rows, Num cols) {
    Test t = at_least(c, slot, DIM_VROW, rows);
    return t.answer == FAILS ? t : both(c, t, at_least(c, slot, DIM_VCOL, cols));
}

/* tmp has a column of pairs, or two columns. */
static Test one_step_size(const Case *c, const Rule *r, const Type *tmp) {
    const TileInfo *t = &tmp->tile;
    Num rows = tile_num(c, r->b, DIM_VROW);
    if (tile_layout(tmp, c->profile) == LAY_ND) return both_at_least(c, r->a, rows, number(2));
    Test one = is_equal(c, tile_num(c, r->a, DIM_VCOL), number(1));
    if (t->cols != 1 || one.answer == FAILS)
        return test_of(fails(c, "%s is col_major and has %lld columns (valid: %s), expected 1",
                             case_name(c, r->a), (long long)t->cols, extent_word(t->vcol).text));
    return both(c, one, at_least(c, r->a, DIM_VROW, num_mul(c, rows, number(2))));
}

Answer check_arg_tmp_size(const Case *c, const Rule *r) {
    const Type *tmp, *src;
    if (!tmp_to_judge(c, r, &tmp, &src)) return HOLDS;
    if (one_step(src)) return settle(c, one_step_size(c, r, tmp));
    if (tmp->tile.rows != src->tile.rows)
        return fails(c, "%s has %lld rows and %s %lld; they must be equal", case_name(c, r->a),
                     (long long)tmp->tile.rows, case_name(c, r->b), (long long)src->tile.rows);
    return settle(c, both_at_least(c, r->a, tile_num(c, r->b, DIM_VROW), step_columns(c, r->b)));
}

Answer check_arg_tmp_width(const Case *c, const Rule *r) {
    const Type *tmp, *src;
    if (!tmp_to_judge(c, r, &tmp, &src)) return HOLDS;
    return settle(c, both_at_least(c, r->a, number(1), step_columns(c, r->b)));
}

/* ---- scratch of tcolsum ---- */

Answer check_half_tmp(const Case *c, const Rule *r) {
    const Type *tmp = case_tile(c, r->a), *src = case_tile(c, r->b);
    if (tmp == NULL || src == NULL || src->tile.vrow == DYNAMIC || src->tile.vcol == DYNAMIC)
        return HOLDS;
    int64_t is = tile_bytes(tmp, c->profile), wanted;
    if (__builtin_mul_overflow(ceil_div(src->tile.vrow, 2), src->tile.vcol, &wanted) ||
        __builtin_mul_overflow(wanted, (int64_t)elem_infos[src->elem].bytes, &wanted))
        wanted = INT64_MAX;
    return is < 0 || is >= wanted
               ? HOLDS
               : fails(c, "%s has %lld bytes and needs %lld for half the rows of %s",
                       case_name(c, r->a), (long long)is, (long long)wanted, case_name(c, r->b));
}

/* ---- one value per row ---- */

static bool row_major(const Case *c, const Type *t) {
    return (tile_layout(t, c->profile) & LAY_ROW_MAJOR) != 0;
}

/* Returns the valid columns of a tile with one value per row: 32 bytes when row_major, else one. */
static int64_t value_columns(const Case *c, const Type *t) {
    int64_t bytes = elem_infos[t->elem].bytes;
    return !row_major(c, t) ? 1 : bytes != 0 ? 32 / bytes : DYNAMIC;
}

static Test is_full(const Case *c, int slot, int dst) {
    return row_major(c, c->types[slot]) ? same_valid(c, slot, dst, VALID_BOTH) : test_of(false);
}

static Test has_value_columns(const Case *c, int slot) {
    int64_t n = value_columns(c, c->types[slot]);
    return n == DYNAMIC ? test_of(true) : is_equal(c, tile_num(c, slot, DIM_VCOL), number(n));
}

static Test is_row_value(const Case *c, int slot, int dst) {
    return both(c, same_valid(c, slot, dst, VALID_ROWS), has_value_columns(c, slot));
}

/* True when `full` has the shape of dst and `value` has one value for each row. */
static Test is_expanded(const Case *c, int full, int value, int dst) {
    return both(c, is_full(c, full, dst), is_row_value(c, value, dst));
}

Answer check_row_value(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    if (t == NULL) return HOLDS;
    Test test = has_value_columns(c, r->a);
    if (test.answer != FAILS) return settle(c, test);
    return fails(c, "%s is %s and has %lld valid columns, expected %lld", case_name(c, r->a),
                 row_major(c, t) ? "row_major" : "not row_major", (long long)t->tile.vcol,
                 (long long)value_columns(c, t));
}

static Test has_no_element(const Case *c, int slot) {
    return either(c, is_equal(c, tile_num(c, slot, DIM_VROW), number(0)),
                  is_equal(c, tile_num(c, slot, DIM_VCOL), number(0)));
}

Answer check_broadcast(const Case *c, const Rule *r) {
    if (case_tile(c, r->a) == NULL || case_tile(c, r->b) == NULL) return HOLDS;
    Test t = either(c, has_no_element(c, r->b), not_so(c, has_no_element(c, r->a)));
    if (t.answer != FAILS) return settle(c, t);
    const TileInfo *tile = &c->types[r->a]->tile;
    return fails(c, "%s is empty (%sx%s) and %s is not: there is no element to repeat",
                 case_name(c, r->a), extent_word(tile->vrow).text, extent_word(tile->vcol).text,
                 case_name(c, r->b));
}

static const char *major_word(const Case *c, const Type *t) {
    return row_major(c, t) ? "row_major" : "col_major";
}

/* Explains that one source has the shape of dst, but `slot` does not have one value per row. */
static Answer fails_as_value(const Case *c, int slot, const Type *dst) {
    const Type *t = case_tile(c, slot);
    if (c->at != NULL) *c->at = case_span(c, slot);
    return fails(c,
                 "%s is %s with the valid region %sx%s; as one value for each row of dst it is "
                 "expected to have %sx%s",
                 case_name(c, slot), major_word(c, t), extent_word(t->tile.vrow).text,
                 extent_word(t->tile.vcol).text, extent_word(dst->tile.vrow).text,
                 extent_word(value_columns(c, t)).text);
}

/* Finds the sources and the destination; false when a type is not known. */
static bool expand_slots(const Case *c, int *a, int *b, int *dst) {
    *a = slot_named(c, OPERAND_src0);
    *b = slot_named(c, OPERAND_src1);
    *dst = slot_named(c, OPERAND_dst);
    return case_tile(c, *a) != NULL && case_tile(c, *b) != NULL && case_tile(c, *dst) != NULL;
}

Answer check_row_expand(const Case *c, const Rule *r) {
    int src0, src1, to;
    (void)r;
    if (!expand_slots(c, &src0, &src1, &to)) return HOLDS;
    Test t = either(c, is_expanded(c, src0, src1, to), is_expanded(c, src1, src0, to));
    if (t.answer != FAILS) return settle(c, t);
    const Type *a = c->types[src0], *b = c->types[src1], *dst = c->types[to];
    if (is_full(c, src0, to).answer != FAILS) return fails_as_value(c, src1, dst);
    if (is_full(c, src1, to).answer != FAILS) return fails_as_value(c, src0, dst);
    return fails(c,
                 "neither src0 (%s, %sx%s) nor src1 (%s, %sx%s) is row_major with the valid region "
                 "of dst, which is %sx%s",
                 major_word(c, a), extent_word(a->tile.vrow).text, extent_word(a->tile.vcol).text,
                 major_word(c, b), extent_word(b->tile.vrow).text, extent_word(b->tile.vcol).text,
                 extent_word(dst->tile.vrow).text, extent_word(dst->tile.vcol).text);
}

/* True when the values are in one column. */
static Test is_column(const Case *c, int slot) {
    if (row_major(c, c->types[slot])) return test_of(false);
    return is_equal(c, tile_num(c, slot, DIM_VCOL), number(1));
}

/* The valid regions decide which source has one value per row: src1 when both could. */
static Test values_in_column(const Case *c, int *slot) {
    int src0, src1, dst;
    *slot = src1 = slot_named(c, OPERAND_src1);
    if (case_tile(c, src1) == NULL) return test_of(true);
    Test column = is_column(c, src1);
    if (op_is(c->op, INST_TROWEXPANDADD) || !expand_slots(c, &src0, &src1, &dst)) return column;
    Test first = is_expanded(c, src0, src1, dst), second = is_full(c, src1, dst);
    if (first.answer == FAILS && second.answer != FAILS) {
        *slot = src0;
        return is_column(c, src0);
    }
    if (column.answer == FAILS || first.answer != UNKNOWN) return column;
    return either(c, both(c, first, column), both(c, second, is_column(c, src0)));
}

Answer check_expand_tmp_mode(const Case *c, const Rule *r) {
    int slot;
    Test test = values_in_column(c, &slot);
    const Type *t = case_tile(c, slot);
    if (case_tile(c, r->a) == NULL || t == NULL) return HOLDS;
    if (test.answer != FAILS) return settle(c, test);
    if (row_major(c, t))
        return fails(c, "with %s the values of the rows, %s, must be col_major", case_name(c, r->a),
                     case_name(c, slot));
    return fails(c, "with %s the values of the rows, %s, must have 1 valid column, not %lld",
                 case_name(c, r->a), case_name(c, slot), (long long)t->tile.vcol);
}

/* Here the valid regions alone decide which source has the shape of dst. */
Answer check_expand_tmp_sources(const Case *c, const Rule *r) {
    int src0, src1, dst;
    if (case_tile(c, r->a) == NULL || !expand_slots(c, &src0, &src1, &dst)) return HOLDS;
    Test first = same_valid(c, src0, dst, VALID_BOTH),
         second = same_valid(c, src1, dst, VALID_BOTH);
    Test t = either(c, both(c, first, is_column(c, src1)), both(c, second, is_column(c, src0)));
    if (t.answer != FAILS) return settle(c, t);
    const TileInfo *to = &c->types[dst]->tile;
    if (first.answer == FAILS && second.answer == FAILS)
        return fails(c, "with %s one of src0 and src1 must have the valid region of dst, %sx%s",
                     case_name(c, r->a), extent_word(to->vrow).text, extent_word(to->vcol).text);
    const Type *values = c->types[first.answer != FAILS ? src1 : src0];
    return fails(c,
                 "with %s the values of the rows, %s, must be col_major with 1 valid column; it is "
                 "%s with %s",
                 case_name(c, r->a), first.answer != FAILS ? "src1" : "src0", major_word(c, values),
                 extent_word(values->tile.vcol).text);
}

Answer check_expand_tmp_size(const Case *c, const Rule *r) {
    const Type *tmp = case_tile(c, r->a), *dst = case_tile(c, r->b);
    if (tmp == NULL || dst == NULL) return HOLDS;
    int64_t rows = dst->tile.vrow, is = tile_bytes(tmp, c->profile);
    int64_t wanted = rows == DYNAMIC ? 8192 : rows >= 256 ? 7680 : 256 * ceil_div(rows, 8);
    return is < 0 || is >= wanted ? HOLDS
                                  : fails(c, "%s has %lld bytes and needs %lld for %s rows of %s",
                                          case_name(c, r->a), (long long)is, (long long)wanted,
                                          extent_word(rows).text, case_name(c, r->b));
}

/* ---- partial tiles ---- */

Answer check_part_full(const Case *c, const Rule *r) {
    int src0, src1, to;
    (void)r;
    if (!expand_slots(c, &src0, &src1, &to)) return HOLDS;
    Test t = either(c, same_valid(c, src0, to, VALID_BOTH), same_valid(c, src1, to, VALID_BOTH));
    if (t.answer != FAILS) return settle(c, t);
    const Type *a = c->types[src0], *b = c->types[src1], *dst = c->types[to];
    return fails(
        c,
        "the valid regions are %sx%s (src0), %sx%s (src1) and %sx%s (dst); one source must "
        "have that of dst",
        extent_word(a->tile.vrow).text, extent_word(a->tile.vcol).text,
        extent_word(b->tile.vrow).text, extent_word(b->tile.vcol).text,
        extent_word(dst->tile.vrow).text, extent_word(dst->tile.vcol).text);
}

Answer check_part_one_extent(const Case *c, const Rule *r) {
    static const uint8_t sources[] = {OPERAND_src0, OPERAND_src1};
    int to = slot_named(c, OPERAND_dst);
    const Type *dst = case_tile(c, to);
    Test all = test_of(true);
    (void)r;
    for (int i = 0; i < 2; i++) {
        int slot = slot_named(c, (OperandName)sources[i]);
        const Type *t = case_tile(c, slot);
        if (t == NULL || dst == NULL) continue;
        Test one =
            either(c, same_valid(c, slot, to, VALID_ROWS), same_valid(c, slot, to, VALID_COLS));
        all = both(c, all, one);
        if (one.answer != FAILS) continue;
        if (c->at != NULL) *c->at = case_span(c, slot);
        return fails(c,
                     "%s has the valid region %lldx%lld and dst %lldx%lld; rows or columns may be "
                     "fewer, not both",
                     case_name(c, slot), (long long)t->tile.vrow, (long long)t->tile.vcol,
                     (long long)dst->tile.vrow, (long long)dst->tile.vcol);
    }
    return settle(c, all);
}

Answer check_valid_alike(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL || valid_written_alike(a, b)) return HOLDS;
    return fails(
        c, "the valid region of %s is %sx%s and that of %s %sx%s; they must be written alike",
        case_name(c, r->a), extent_word(a->tile.vrow).text, extent_word(a->tile.vcol).text,
        case_name(c, r->b), extent_word(b->tile.vrow).text, extent_word(b->tile.vcol).text);
}
