/* Check functions of reductions, expansions and partial instructions (rules/reduce.def): what their
 * scratch tiles must hold, and which of two sources is the full one. */
#include "ir/tmp.h"
#include "verifier/words.h"

/* tile_bytes() is negative for a tile beyond 64 bits: such a tile is large enough for any rule
 * here. */

static bool valid_fits(const Type *a, const Type *b) {
    return extents_fit(a->tile.vrow, b->tile.vrow) && extents_fit(a->tile.vcol, b->tile.vcol);
}

static bool valid_written_alike(const Type *a, const Type *b) {
    return a->tile.vrow == b->tile.vrow && a->tile.vcol == b->tile.vcol;
}

static const Type *tile_named(const Case *c, const char *slot) {
    return case_tile(c, inst_slot(c->op->inst, slot));
}

/* ---- scratch of index reductions (a2a3) ---- */

/* Elements of 256 bytes: a row of so many needs one step. */
static int64_t step_elements(const Type *src) {
    return 256 / elem_infos[src->elem].bytes;
}

/* Columns for one value per step and two indices, each part in whole 32-byte blocks. */
static int64_t step_columns(const Type *src) {
    int64_t block = 32 / elem_infos[src->elem].bytes;
    int64_t steps = ceil_div(src->tile.vcol, step_elements(src));
    return (ceil_div(2 * steps, block) + ceil_div(steps, block)) * block;
}

/* False when nothing can be asked of tmp: a type is unknown, or tmp is like src, which suffices. */
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
    if (!tmp_to_judge(c, r, &tmp, &src)) return true;
    uint8_t layout = tile_layout(tmp, c->profile);
    if (one_step(src))
        return (layout & LAY_PLAIN) != 0 ||
               fails(c, "%s is boxed; for rows of up to 256 bytes it must be none_box",
                     case_name(c, r->a));
    return (layout & LAY_ROW_MAJOR) != 0 ||
           fails(c, "%s is col_major; for rows of more than 256 bytes it must be row_major",
                 case_name(c, r->a));
}

static bool at_least(const Case *c, int slot, const char *what, int64_t is, int64_t wanted) {
    return is == DYNAMIC || wanted == DYNAMIC || is >= wanted ||
           fails(c, "%s has %lld valid %s, needed are %lld", case_name(c, slot), (long long)is,
                 what, (long long)wanted);
}

/* A column of pairs, or two columns. */
static bool one_step_size(const Case *c, const Rule *r, const Type *tmp, const Type *src) {
    const TileInfo *t = &tmp->tile;
    int64_t rows = src->tile.vrow;
    if (tile_layout(tmp, c->profile) == LAY_ND)
        return at_least(c, r->a, "rows", t->vrow, rows) && at_least(c, r->a, "columns", t->vcol, 2);
    if (t->cols != 1 || !extents_fit(t->vcol, 1))
        return fails(c, "%s is col_major and has %lld columns (valid: %s), expected 1",
                     case_name(c, r->a), (long long)t->cols, extent_word(t->vcol).text);
    int64_t pairs = DYNAMIC;
    if (rows != DYNAMIC && __builtin_mul_overflow(rows, 2, &pairs)) pairs = INT64_MAX;
    return at_least(c, r->a, "rows", t->vrow, pairs);
}

Answer check_arg_tmp_size(const Case *c, const Rule *r) {
    const Type *tmp, *src;
    if (!tmp_to_judge(c, r, &tmp, &src)) return true;
    if (one_step(src)) return one_step_size(c, r, tmp, src);
    if (tmp->tile.rows != src->tile.rows)
        return fails(c, "%s has %lld rows and %s %lld; they must be equal", case_name(c, r->a),
                     (long long)tmp->tile.rows, case_name(c, r->b), (long long)src->tile.rows);
    int64_t cols = src->tile.vcol == DYNAMIC ? DYNAMIC : step_columns(src);
    return at_least(c, r->a, "rows", tmp->tile.vrow, src->tile.vrow) &&
           at_least(c, r->a, "columns", tmp->tile.vcol, cols);
}

Answer check_arg_tmp_width(const Case *c, const Rule *r) {
    const Type *tmp, *src;
    if (!tmp_to_judge(c, r, &tmp, &src)) return true;
    int64_t cols = src->tile.vcol == DYNAMIC ? DYNAMIC : step_columns(src);
    return at_least(c, r->a, "rows", tmp->tile.vrow, 1) &&
           at_least(c, r->a, "columns", tmp->tile.vcol, cols);
}

/* ---- scratch of tcolsum ---- */

Answer check_half_tmp(const Case *c, const Rule *r) {
    const Type *tmp = case_tile(c, r->a), *src = case_tile(c, r->b);
    if (tmp == NULL || src == NULL || src->tile.vrow == DYNAMIC || src->tile.vcol == DYNAMIC)
        return true;
    int64_t is = tile_bytes(tmp, c->profile), wanted;
    if (__builtin_mul_overflow(ceil_div(src->tile.vrow, 2), src->tile.vcol, &wanted) ||
        __builtin_mul_overflow(wanted, (int64_t)elem_infos[src->elem].bytes, &wanted))
        wanted = INT64_MAX;
    return is < 0 || is >= wanted ||
           fails(c, "%s has %lld bytes, needed are %lld for half the rows of %s",
                 case_name(c, r->a), (long long)is, (long long)wanted, case_name(c, r->b));
}

/* ---- one value per row ---- */

static bool row_major(const Case *c, const Type *t) {
    return (tile_layout(t, c->profile) & LAY_ROW_MAJOR) != 0;
}

/* The valid columns that a tile of row values has: 32 bytes of them, or one. */
static int64_t value_columns(const Case *c, const Type *t) {
    int64_t bytes = elem_infos[t->elem].bytes;
    return !row_major(c, t) ? 1 : bytes != 0 ? 32 / bytes : DYNAMIC;
}

static bool is_full(const Case *c, const Type *t, const Type *dst) {
    return row_major(c, t) && valid_fits(t, dst);
}

static bool is_row_value(const Case *c, const Type *t, const Type *dst) {
    return extents_fit(t->tile.vrow, dst->tile.vrow) &&
           extents_fit(t->tile.vcol, value_columns(c, t));
}

Answer check_row_value(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    if (t == NULL || extents_fit(t->tile.vcol, value_columns(c, t))) return true;
    return fails(c, "%s is %s and has %lld valid columns, expected %lld", case_name(c, r->a),
                 row_major(c, t) ? "row_major" : "not row_major", (long long)t->tile.vcol,
                 (long long)value_columns(c, t));
}

static const char *major_word(const Case *c, const Type *t) {
    return row_major(c, t) ? "row_major" : "col_major";
}

/* The full source is there, but the other, `slot`, gives no value per row. */
static bool fails_as_value(const Case *c, const char *slot, const Type *dst) {
    const Type *t = tile_named(c, slot);
    if (c->at != NULL) *c->at = case_span(c, inst_slot(c->op->inst, slot));
    return fails(c,
                 "%s is %s with the valid region %sx%s; as one value for each row of dst it is "
                 "expected to have %sx%s",
                 slot, major_word(c, t), extent_word(t->tile.vrow).text,
                 extent_word(t->tile.vcol).text, extent_word(dst->tile.vrow).text,
                 extent_word(value_columns(c, t)).text);
}

Answer check_row_expand(const Case *c, const Rule *r) {
    const Type *a = tile_named(c, "src0"), *b = tile_named(c, "src1"), *dst = tile_named(c, "dst");
    (void)r;
    if (a == NULL || b == NULL || dst == NULL || (is_full(c, a, dst) && is_row_value(c, b, dst)) ||
        (is_full(c, b, dst) && is_row_value(c, a, dst)))
        return true;
    if (is_full(c, a, dst)) return fails_as_value(c, "src1", dst);
    if (is_full(c, b, dst)) return fails_as_value(c, "src0", dst);
    return fails(c,
                 "neither src0 (%s, %sx%s) nor src1 (%s, %sx%s) is row_major with the valid region "
                 "of dst, which is %sx%s",
                 major_word(c, a), extent_word(a->tile.vrow).text, extent_word(a->tile.vcol).text,
                 major_word(c, b), extent_word(b->tile.vrow).text, extent_word(b->tile.vcol).text,
                 extent_word(dst->tile.vrow).text, extent_word(dst->tile.vcol).text);
}

/* The source that gives the row values; the second one when both could. */
static int value_slot(const Case *c) {
    const Inst *inst = c->op->inst;
    int src0 = inst_slot(inst, "src0"), src1 = inst_slot(inst, "src1");
    const Type *a = case_tile(c, src0), *b = case_tile(c, src1), *dst = tile_named(c, "dst");
    if (inst_id(inst) == INST_TROWEXPANDADD || a == NULL || b == NULL || dst == NULL) return src1;
    bool first_full = is_full(c, a, dst) && is_row_value(c, b, dst);
    return !first_full && is_full(c, b, dst) ? src0 : src1;
}

Answer check_expand_tmp_mode(const Case *c, const Rule *r) {
    int slot = value_slot(c);
    const Type *t = case_tile(c, slot);
    if (case_tile(c, r->a) == NULL || t == NULL) return true;
    if (row_major(c, t))
        return fails(c, "with %s the values of the rows, %s, must be col_major", case_name(c, r->a),
                     case_name(c, slot));
    return extents_fit(t->tile.vcol, 1) ||
           fails(c, "with %s the values of the rows, %s, must have 1 valid column, not %lld",
                 case_name(c, r->a), case_name(c, slot), (long long)t->tile.vcol);
}

static bool is_one_column(const Case *c, const Type *t) {
    return !row_major(c, t) && extents_fit(t->tile.vcol, 1);
}

/* Which source is the full one, the valid regions alone say here. */
Answer check_expand_tmp_sources(const Case *c, const Rule *r) {
    const Type *a = tile_named(c, "src0"), *b = tile_named(c, "src1"), *dst = tile_named(c, "dst");
    if (case_tile(c, r->a) == NULL || a == NULL || b == NULL || dst == NULL) return true;
    bool first = valid_fits(a, dst), second = valid_fits(b, dst);
    if ((first && is_one_column(c, b)) || (second && is_one_column(c, a))) return true;
    if (!first && !second)
        return fails(c, "with %s one of src0 and src1 must have the valid region of dst, %sx%s",
                     case_name(c, r->a), extent_word(dst->tile.vrow).text,
                     extent_word(dst->tile.vcol).text);
    const Type *t = first ? b : a;
    return fails(c,
                 "with %s the values of the rows, %s, must be col_major with 1 valid column; it is "
                 "%s with %s",
                 case_name(c, r->a), first ? "src1" : "src0", major_word(c, t),
                 extent_word(t->tile.vcol).text);
}

Answer check_expand_tmp_size(const Case *c, const Rule *r) {
    const Type *tmp = case_tile(c, r->a), *dst = case_tile(c, r->b);
    if (tmp == NULL || dst == NULL) return true;
    int64_t rows = dst->tile.vrow, is = tile_bytes(tmp, c->profile);
    int64_t wanted = rows == DYNAMIC ? 8192 : rows >= 256 ? 7680 : 256 * ceil_div(rows, 8);
    return is < 0 || is >= wanted ||
           fails(c, "%s has %lld bytes, needed are %lld for %s rows of %s", case_name(c, r->a),
                 (long long)is, (long long)wanted, extent_word(rows).text, case_name(c, r->b));
}

/* ---- partial tiles ---- */

Answer check_part_full(const Case *c, const Rule *r) {
    const Type *a = tile_named(c, "src0"), *b = tile_named(c, "src1"), *dst = tile_named(c, "dst");
    (void)r;
    if (a == NULL || b == NULL || dst == NULL || valid_fits(a, dst) || valid_fits(b, dst))
        return true;
    return fails(
        c,
        "the valid regions are %sx%s (src0), %sx%s (src1) and %sx%s (dst); one source must "
        "have that of dst",
        extent_word(a->tile.vrow).text, extent_word(a->tile.vcol).text,
        extent_word(b->tile.vrow).text, extent_word(b->tile.vcol).text,
        extent_word(dst->tile.vrow).text, extent_word(dst->tile.vcol).text);
}

Answer check_part_one_extent(const Case *c, const Rule *r) {
    static const char *const sources[] = {"src0", "src1"};
    const Type *dst = tile_named(c, "dst");
    (void)r;
    for (int i = 0; i < 2; i++) {
        const Type *t = tile_named(c, sources[i]);
        if (t == NULL || dst == NULL || extents_fit(t->tile.vrow, dst->tile.vrow) ||
            extents_fit(t->tile.vcol, dst->tile.vcol))
            continue;
        if (c->at != NULL) *c->at = case_span(c, inst_slot(c->op->inst, sources[i]));
        return fails(c,
                     "%s has the valid region %lldx%lld and dst %lldx%lld; rows or columns may be "
                     "fewer, not both",
                     sources[i], (long long)t->tile.vrow, (long long)t->tile.vcol,
                     (long long)dst->tile.vrow, (long long)dst->tile.vcol);
    }
    return true;
}

Answer check_valid_alike(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL || valid_written_alike(a, b)) return true;
    return fails(
        c, "the valid region of %s is %sx%s and that of %s %sx%s; they must be written alike",
        case_name(c, r->a), extent_word(a->tile.vrow).text, extent_word(a->tile.vcol).text,
        case_name(c, r->b), extent_word(b->tile.vrow).text, extent_word(b->tile.vcol).text);
}
