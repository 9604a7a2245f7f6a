/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions about extents: valid regions, physical shapes, views, the size of scratch tiles. */
#include "parser/conversions.h"
#include "verifier/rules/conditions/condition.h"

static void put_region(StrBuf *out, int64_t r, int64_t c) {
    sb_puts(out, extent_word(r).text);
    sb_putc(out, 'x');
    sb_puts(out, extent_word(c).text);
}

static Answer judge_VALID_MISMATCH(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL) return HOLDS;
    return settle(c, same_valid(c, r->a, r->b, r->row->dims));
}

/* Names the instructions that take one value for each row or column, which other languages
 * broadcast. */
static void put_expanding(const Case *c, const TileInfo *a, const TileInfo *b, StrBuf *out) {
    InstList others = c->op->inst->rare->others;
    const Inst *rows = next_inst(&others), *cols = next_inst(&others);
    if (rows == NULL || cols == NULL || rows->family != FAM_REDUCE || cols->family != FAM_REDUCE)
        return;
    if (a->vrow == b->vrow && (a->vcol == 1 || b->vcol == 1))
        sb_printf(out, "; %s takes one value for each row", rows->name);
    else if (a->vcol == b->vcol && (a->vrow == 1 || b->vrow == 1))
        sb_printf(out, "; %s takes one value for each column", cols->name);
}

static void explain_VALID_MISMATCH(const Case *c, const Rule *r, StrBuf *out) {
    const TileInfo *a = &c->types[r->a]->tile, *b = &c->types[r->b]->tile;
    sb_printf(out, "the valid region of %s is ", case_name(c, r->a));
    put_region(out, a->vrow, a->vcol);
    sb_printf(out, ", that of %s ", case_name(c, r->b));
    put_region(out, b->vrow, b->vcol);
    sb_puts(out, r->row->dims == VALID_ROWS   ? "; the rows must be equal"
                 : r->row->dims == VALID_COLS ? "; the columns must be equal"
                                              : "; they must be equal");
    put_expanding(c, a, b, out);
}

static const char *sides(const RuleRow *row) {
    return row->dims == VALID_ROWS ? "rows" : row->dims == VALID_COLS ? "columns" : "extents";
}

static void describe_VALID_MISMATCH(const InstRow *r, StrBuf *out) {
    put_both_operands(out, r);
    sb_printf(out, " have equal valid %s", sides(r->row));
}

CONDITION(VALID_MISMATCH, .id = DIAG_VALID_MISMATCH, .each = true, .topic = TOPIC_VALID);

static void explain_shapes(const Case *c, const Rule *r, StrBuf *out) {
    const TileInfo *a = &c->types[r->a]->tile, *b = &c->types[r->b]->tile;
    sb_printf(out, "%s is %lldx%lld", case_name(c, r->a), (long long)a->rows, (long long)a->cols);
    if (r->a != r->b)
        sb_printf(out, " and %s %lldx%lld", case_name(c, r->b), (long long)b->rows,
                  (long long)b->cols);
}

static Answer judge_SHAPE_MISMATCH(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL) return HOLDS;
    return answer(((r->row->dims & VALID_ROWS) == 0 || a->tile.rows == b->tile.rows) &&
                  ((r->row->dims & VALID_COLS) == 0 || a->tile.cols == b->tile.cols));
}

static void explain_SHAPE_MISMATCH(const Case *c, const Rule *r, StrBuf *out) {
    explain_shapes(c, r, out);
    sb_puts(out, "; the shapes must be equal");
}

static void describe_SHAPE_MISMATCH(const InstRow *r, StrBuf *out) {
    put_both_operands(out, r);
    sb_printf(out, " have equal physical %s", sides(r->row));
}

CONDITION(SHAPE_MISMATCH, .id = DIAG_SHAPE_MISMATCH, .each = true, .topic = TOPIC_SHAPES);

static Answer judge_VALID_RANGE(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    if (t == NULL) return HOLDS;
    return settle(c, is_in_range(c, tile_num(c, r->a, (Dim)r->row->dims), r->row));
}

static void explain_VALID_RANGE(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has %lld %s, expected ", case_name(c, r->a),
              (long long)tile_dim(c->types[r->a], (Dim)r->row->dims), dim_names[r->row->dims]);
    put_range(out, r->row);
}

static void describe_VALID_RANGE(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    sb_printf(out, "%s ", dim_names[r->row->dims]);
    put_range(out, r->row);
}

CONDITION(VALID_RANGE, .id = DIAG_VALID_RANGE, .each = true, .topic = TOPIC_VALID);

const Condition cond_SHAPE_RANGE = {
    .id = DIAG_SHAPE_RANGE,
    .each = true,
    .topic = TOPIC_SHAPES,
    .judge = judge_VALID_RANGE,
    .explain = explain_VALID_RANGE,
    .describe = describe_VALID_RANGE,
};

/* Returns the bytes of a row; -1 on overflow. */
static int64_t row_bytes(const Type *t) {
    int64_t n;
    return __builtin_mul_overflow(t->tile.cols, (int64_t)elem_infos[t->elem].bytes, &n) ? -1 : n;
}

static Answer judge_ROW_BYTES(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    if (t == NULL) return HOLDS;
    int64_t bytes = row_bytes(t);
    return answer(bytes >= 0 && bytes % row_args(r->row)->lo == 0 &&
                  (row_args(r->row)->hi == NO_LIMIT || bytes <= row_args(r->row)->hi));
}

static void put_bytes(const RuleRow *row, StrBuf *out) {
    sb_printf(out, "a multiple of %lld", (long long)row_args(row)->lo);
    if (row_args(row)->hi != NO_LIMIT)
        sb_printf(out, ", at most %lld", (long long)row_args(row)->hi);
}

static void explain_ROW_BYTES(const Case *c, const Rule *r, StrBuf *out) {
    const Type *t = c->types[r->a];
    sb_printf(out, "a row of %s has %lld bytes, expected ", case_name(c, r->a),
              (long long)row_bytes(t));
    put_bytes(r->row, out);
}

static void describe_ROW_BYTES(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    sb_puts(out, "bytes of a row are ");
    put_bytes(r->row, out);
}

CONDITION(ROW_BYTES, .id = DIAG_SHAPE_RANGE, .each = true, .topic = TOPIC_SHAPES);

/* Computes ceil(multiple * y / div) + add; false on overflow. */
static bool related_extent(const RuleRow *row, int64_t y, int64_t *out) {
    int64_t factor = row_args(row)->multiple == 0 ? 1 : row_args(row)->multiple,
            div = row_args(row)->div == 0 ? 1 : row_args(row)->div;
    if (__builtin_mul_overflow(y, factor, out) || __builtin_add_overflow(*out, div - 1, out))
        return false;
    return !__builtin_add_overflow(*out / div, row_args(row)->add, out);
}

static void put_relation(const Case *c, const Rule *r, StrBuf *out) {
    const RuleRow *row = r->row;
    int64_t wanted;
    sb_printf(out, "; %s of %s must be %s ", dim_names[row->dims], case_name(c, r->a),
              relation_names[row->rel]);
    if (row_args(row)->div > 1) sb_puts(out, "(rounded up) ");
    if (row_args(row)->multiple > 1)
        sb_printf(out, "%lld times ", (long long)row_args(row)->multiple);
    if (r->a == r->b)
        sb_printf(out, "its %s", dim_names[row->dim_b]);
    else
        sb_printf(out, "%s of %s", dim_names[row->dim_b], case_name(c, r->b));
    if (row_args(row)->div > 1) sb_printf(out, " / %lld", (long long)row_args(row)->div);
    if (row_args(row)->add != 0) sb_printf(out, " + %lld", (long long)row_args(row)->add);
    if ((row_args(row)->div > 1 || row_args(row)->multiple > 1 || row_args(row)->add != 0) &&
        related_extent(row, tile_dim(c->types[r->b], (Dim)row->dim_b), &wanted))
        sb_printf(out, ", which is %lld", (long long)wanted);
}

static Answer judge_SHAPE_RELATION(const Case *c, const Rule *r) {
    const RuleRow *row = r->row;
    if (case_tile(c, r->a) == NULL || case_tile(c, r->b) == NULL) return HOLDS;
    Num x = tile_num(c, r->a, (Dim)row->dims), y = tile_num(c, r->b, (Dim)row->dim_b);
    int64_t wanted;
    if (y.known)
        return related_extent(row, y.n, &wanted)
                   ? settle(c, is_related(c, x, (Relation)row->rel, number(wanted)))
                   : FAILS;
    if (row_args(row)->multiple > 1) y = num_mul(c, y, number(row_args(row)->multiple));
    if (row_args(row)->div > 1) y = num_ceil_div(c, y, row_args(row)->div);
    if (row_args(row)->add != 0) y = num_add(c, y, number(row_args(row)->add));
    return settle(c, is_related(c, x, (Relation)row->rel, y));
}

static void explain_SHAPE_RELATION(const Case *c, const Rule *r, StrBuf *out) {
    explain_shapes(c, r, out);
    put_relation(c, r, out);
}

static void describe_SHAPE_RELATION(const InstRow *r, StrBuf *out) {
    sb_printf(out, "%s of ", dim_names[r->row->dims]);
    put_about(out, r);
    sb_printf(out, " %s ", relation_names[r->row->rel]);
    if (row_args(r->row)->div > 1) sb_puts(out, "(rounded up) ");
    if (row_args(r->row)->multiple > 1)
        sb_printf(out, "%lld times ", (long long)row_args(r->row)->multiple);
    sb_printf(out, "%s of %s", dim_names[r->row->dim_b], row_b_text(r));
    if (row_args(r->row)->div > 1) sb_printf(out, " / %lld", (long long)row_args(r->row)->div);
    if (row_args(r->row)->add != 0) sb_printf(out, " + %lld", (long long)row_args(r->row)->add);
}

CONDITION(SHAPE_RELATION, .id = DIAG_SHAPE_RELATION, .each = true, .topic = TOPIC_SHAPES);

static void explain_VALID_RELATION(const Case *c, const Rule *r, StrBuf *out) {
    const int index[] = {r->a, r->b};
    for (int i = 0; i < (r->a == r->b ? 1 : 2); i++) {
        const TileInfo *t = &c->types[index[i]]->tile;
        sb_printf(out, i == 0 ? "%s is %lldx%lld with valid region " : ", %s %lldx%lld with ",
                  case_name(c, index[i]), (long long)t->rows, (long long)t->cols);
        put_region(out, t->vrow, t->vcol);
    }
    put_relation(c, r, out);
}

const Condition cond_VALID_RELATION = {
    .id = DIAG_VALID_RELATION,
    .each = true,
    .topic = TOPIC_VALID,
    .judge = judge_SHAPE_RELATION,
    .explain = explain_VALID_RELATION,
    .describe = describe_SHAPE_RELATION,
};

static Answer judge_STATIC_EXTENTS(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    return answer(t == NULL || (((r->row->dims & VALID_ROWS) == 0 || t->tile.vrow != DYNAMIC) &&
                                ((r->row->dims & VALID_COLS) == 0 || t->tile.vcol != DYNAMIC)));
}

static void explain_STATIC_EXTENTS(const Case *c, const Rule *r, StrBuf *out) {
    const TileInfo *t = &c->types[r->a]->tile;
    sb_printf(out, "the valid region of %s is ", case_name(c, r->a));
    put_region(out, t->vrow, t->vcol);
    sb_puts(out, "; it must be static");
}

static void describe_STATIC_EXTENTS(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    sb_printf(out, "valid %s not `?`", sides(r->row));
}

CONDITION(STATIC_EXTENTS, .id = DIAG_STATIC_EXTENTS, .each = true, .topic = TOPIC_VALID);

/* Multiplies static positive extents; false when one is not, or on overflow. */
static bool static_product(const int64_t *dims, unsigned n, int64_t *out) {
    *out = 1;
    for (unsigned i = 0; i < n; i++)
        if (dims[i] == DYNAMIC || dims[i] <= 0 || __builtin_mul_overflow(*out, dims[i], out))
            return false;
    return true;
}

static Answer judge_ELEMENT_COUNT(const Case *c, const Rule *r) {
    const Type *tile = case_tile(c, r->a), *view = case_type(c, r->b);
    int64_t n, m;
    if (tile == NULL || view == NULL || view->kind != TY_PART_VIEW) return HOLDS;
    const int64_t valid[] = {tile->tile.vrow, tile->tile.vcol};
    return answer(!static_product(valid, 2, &n) || !static_product(view->dims, view->rank, &m) ||
                  n == m);
}

static void explain_ELEMENT_COUNT(const Case *c, const Rule *r, StrBuf *out) {
    const Type *tile = c->types[r->a], *view = c->types[r->b];
    const int64_t valid[] = {tile->tile.vrow, tile->tile.vcol};
    int64_t n, m;
    static_product(valid, 2, &n);
    static_product(view->dims, view->rank, &m);
    sb_printf(out, "the valid region of %s has %lld elements and %s has %lld", case_name(c, r->a),
              (long long)n, case_name(c, r->b), (long long)m);
}

static void describe_ELEMENT_COUNT(const InstRow *r, StrBuf *out) {
    sb_printf(out, "the valid region of %s has as many elements as %s", row_a_text(r),
              row_b_text(r));
}

CONDITION(ELEMENT_COUNT, .id = DIAG_ELEMENT_COUNT, .each = true, .topic = TOPIC_SHAPES);

static Answer judge_VIEW_EXTENT(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    if (t == NULL || (t->kind != TY_PART_VIEW && t->kind != TY_TENSOR_VIEW)) return HOLDS;
    /* An extent known only at run time may be 0: then nothing is moved. */
    for (unsigned i = 0; i < t->rank; i++)
        if (t->dims[i] != DYNAMIC && t->dims[i] < row_args(r->row)->lo) return FAILS;
    return HOLDS;
}

static void explain_VIEW_EXTENT(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "an extent of %s is below %lld", case_name(c, r->a),
              (long long)row_args(r->row)->lo);
}

static void describe_VIEW_EXTENT(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    sb_printf(out, "every static extent is at least %lld", (long long)row_args(r->row)->lo);
}

CONDITION(VIEW_EXTENT, .id = DIAG_VIEW_EXTENT, .each = true, .topic = TOPIC_SHAPES);

static Answer judge_VIEW_RANK_RANGE(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    if (t == NULL || (t->kind != TY_PART_VIEW && t->kind != TY_TENSOR_VIEW)) return HOLDS;
    return answer((int64_t)t->rank >= row_args(r->row)->lo &&
                  (int64_t)t->rank <= row_args(r->row)->hi);
}

static void explain_VIEW_RANK_RANGE(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has %u dimensions, expected ", case_name(c, r->a), c->types[r->a]->rank);
    put_range(out, r->row);
}

static void describe_VIEW_RANK_RANGE(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    sb_puts(out, "rank ");
    put_range(out, r->row);
}

CONDITION(VIEW_RANK_RANGE, .id = DIAG_VIEW_RANK, .each = true, .topic = TOPIC_SHAPES,
          .fix =
              "Pass a view of the rank that the message expects: join dimensions, or add some of "
              "extent 1.");

/* Returns the bytes that a must have: `lo`, or `multiple` times those of b or of one of its
 * dimensions. */
static int64_t wanted_bytes(const Case *c, const Rule *r) {
    const Type *b = case_tile(c, r->b);
    if (r->b < 0) return row_args(r->row)->lo;
    if (b == NULL) return 0;
    int64_t factor = row_args(r->row)->multiple == 0 ? 1 : row_args(r->row)->multiple, bytes;
    bytes = r->row->dims == VALID_BOTH
                ? tile_bytes(b, c->profile)
                : tile_dim(b, (Dim)r->row->dim_b) * elem_infos[b->elem].bytes;
    return __builtin_mul_overflow(bytes, factor, &bytes) ? INT64_MAX : bytes;
}

static Answer judge_TMP_CAPACITY(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a);
    return answer(a == NULL || tile_bytes(a, c->profile) >= wanted_bytes(c, r));
}

static void explain_TMP_CAPACITY(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has %lld bytes, needed are %lld", case_name(c, r->a),
              (long long)tile_bytes(c->types[r->a], c->profile), (long long)wanted_bytes(c, r));
    if (r->b >= 0) sb_printf(out, " for %s", case_name(c, r->b));
}

static void describe_TMP_CAPACITY(const InstRow *r, StrBuf *out) {
    sb_printf(out, "%s has at least ", row_a_text(r));
    if (row_args(r->row)->multiple > 1)
        sb_printf(out, "%lld times ", (long long)row_args(r->row)->multiple);
    if (row_b(r->row) < 0)
        sb_printf(out, "%lld bytes", (long long)row_args(r->row)->lo);
    else if (r->row->dims == VALID_BOTH)
        sb_printf(out, "the bytes of %s", row_b_text(r));
    else
        sb_printf(out, "the bytes of one element for each of the %s of %s",
                  dim_names[r->row->dim_b], row_b_text(r));
}

CONDITION(TMP_CAPACITY, .id = DIAG_TMP_CAPACITY, .each = true, .topic = TOPIC_SHAPES);
