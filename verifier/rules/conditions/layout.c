/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions about spaces, layouts, fractals and the keys of tile types. */
#include "verifier/rules/buffers.h"
#include "verifier/rules/conditions/condition.h"

static void put_one_space(StrBuf *out, uint64_t space) {
    sb_puts(out, space_names[space]);
}

static Answer judge_LOCATION(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    return answer(t == NULL || ((uint64_t)1 << t->tile.space & row_args(r->row)->set) != 0);
}

static void explain_LOCATION(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s is in %s, expected ", case_name(c, r->a),
              space_names[c->types[r->a]->tile.space]);
    put_names(out, row_args(r->row)->set, space_names, SPACE_COUNT);
}

static void describe_LOCATION(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    put_names(out, row_args(r->row)->set, space_names, SPACE_COUNT);
}

CONDITION(LOCATION, .id = DIAG_LOCATION, .each = true, .topic = TOPIC_LOCATIONS);

static Answer judge_LOCATION_PAIR(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    return answer(a == NULL || b == NULL ||
                  in_pairs(row_list(r->row), a->tile.space, b->tile.space));
}

static void explain_LOCATION_PAIR(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s is in %s and %s in %s; possible are ", case_name(c, r->a),
              space_names[c->types[r->a]->tile.space], case_name(c, r->b),
              space_names[c->types[r->b]->tile.space]);
    for (const uint8_t *p = row_list(r->row); p[0] != 0; p += 2)
        sb_printf(out, "%s%s to %s", p == row_list(r->row) ? "" : ", ", space_names[p[0]],
                  space_names[p[1]]);
}

static void describe_LOCATION_PAIR(const InstRow *r, StrBuf *out) {
    sb_printf(out, "%s to %s: ", row_a_text(r), row_b_text(r));
    put_pairs(out, row_list(r->row), put_one_space);
}

CONDITION(LOCATION_PAIR, .id = DIAG_LOCATION_PAIR, .each = true, .has_pairs = true,
          .topic = TOPIC_LOCATIONS);

static Answer judge_LAYOUT(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    return answer(t == NULL || (tile_layout(t, c->profile) & row_args(r->row)->set) != 0);
}

/* Columns of results are usual, and elementwise instructions take rows alone. */
static bool is_column_for_row(const Type *t, unsigned is, uint64_t set) {
    return t->tile.cols == 1 && is == LAY_DN && (set & LAY_ND) != 0;
}

static void explain_LAYOUT(const Case *c, const Rule *r, StrBuf *out) {
    const Type *t = c->types[r->a];
    unsigned is = tile_layout(t, c->profile);
    sb_printf(out, "%s has layout ", case_name(c, r->a));
    put_names(out, is, layout_names, 6);
    sb_puts(out, ", expected ");
    put_layouts(out, row_args(r->row)->set);
    if (is_column_for_row(t, is, row_args(r->row)->set))
        sb_printf(out, "; pto.treshape reads this column as a row of 1x%lld",
                  (long long)t->tile.rows);
}

static void describe_LAYOUT(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    put_layouts(out, row_args(r->row)->set);
}

CONDITION(LAYOUT, .id = DIAG_LAYOUT, .each = true, .topic = TOPIC_LAYOUTS);

static Answer judge_LAYOUT_PAIR(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    return answer(
        a == NULL || b == NULL ||
        in_pairs(row_list(r->row), tile_layout(a, c->profile), tile_layout(b, c->profile)));
}

static void explain_LAYOUT_PAIR(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has layout ", case_name(c, r->a));
    put_names(out, tile_layout(c->types[r->a], c->profile), layout_names, 6);
    sb_printf(out, " and %s ", case_name(c, r->b));
    put_names(out, tile_layout(c->types[r->b], c->profile), layout_names, 6);
    sb_puts(out, "; possible are ");
    for (const uint8_t *p = row_list(r->row); p[0] != 0; p += 2) {
        sb_puts(out, p == row_list(r->row) ? "" : ", ");
        put_names(out, p[0], layout_names, 6);
        sb_puts(out, " to ");
        put_names(out, p[1], layout_names, 6);
    }
}

static void describe_LAYOUT_PAIR(const InstRow *r, StrBuf *out) {
    sb_printf(out, "%s to %s: ", row_a_text(r), row_b_text(r));
    put_pairs(out, row_list(r->row), put_layouts);
}

CONDITION(LAYOUT_PAIR, .id = DIAG_LAYOUT_PAIR, .each = true, .has_pairs = true,
          .topic = TOPIC_LAYOUTS);

static unsigned fractal_bit(const Type *t) {
    return t->tile.fractal == 32 ? F32 : t->tile.fractal == 512 ? F512 : F1024;
}

static Answer judge_FRACTAL(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    return answer(t == NULL || (fractal_bit(t) & row_args(r->row)->set) != 0);
}

static void explain_FRACTAL(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "the fractal size of %s is %u, expected ", case_name(c, r->a),
              c->types[r->a]->tile.fractal);
    put_names(out, row_args(r->row)->set, fractal_names, 3);
}

static void describe_FRACTAL(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    sb_puts(out, "fractal ");
    put_names(out, row_args(r->row)->set, fractal_names, FRACTAL_NAMES);
}

CONDITION(FRACTAL, .id = DIAG_FRACTAL, .each = true, .topic = TOPIC_LAYOUTS);

static Answer judge_COMPACT_MODE(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    return answer(t == NULL || ((uint64_t)1 << t->tile.compact & row_args(r->row)->set) != 0);
}

static void explain_COMPACT_MODE(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "the compact mode of %s is %s, expected ", case_name(c, r->a),
              compact_names[c->types[r->a]->tile.compact]);
    put_names(out, row_args(r->row)->set, compact_names, 3);
}

static void describe_COMPACT_MODE(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    sb_puts(out, "compact ");
    put_names(out, row_args(r->row)->set, compact_names, COMPACT_NAMES);
}

CONDITION(COMPACT_MODE, .id = DIAG_COMPACT_MODE, .each = true, .topic = TOPIC_LAYOUTS);

static Answer judge_PAD_VALUE(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    return answer(t == NULL || ((uint64_t)1 << t->tile.pad & row_args(r->row)->set) != 0);
}

static void explain_PAD_VALUE(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "the pad value of %s is %s, expected ", case_name(c, r->a),
              pad_names[c->types[r->a]->tile.pad]);
    put_names(out, row_args(r->row)->set, pad_names, 4);
}

static void describe_PAD_VALUE(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    sb_puts(out, "pad ");
    put_names(out, row_args(r->row)->set, pad_names, PAD_NAMES);
}

CONDITION(PAD_VALUE, .id = DIAG_PAD_VALUE, .each = true, .topic = TOPIC_OTHER);

static Answer judge_POINTER_SPACE(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    const Space space = t != NULL ? buffer_space(c->judge->ctx, t) : SPACE_COUNT;
    return answer(space == SPACE_COUNT || ((uint64_t)1 << space & row_args(r->row)->set) != 0);
}

static void explain_POINTER_SPACE(const Case *c, const Rule *r, StrBuf *out) {
    const Type *t = c->types[r->a];
    const Space space = buffer_space(c->judge->ctx, t);
    if (t->kind != TY_PTR && space == SPACE_ZERO)
        sb_printf(out, "%s names no space, expected ", case_name(c, r->a));
    else
        sb_printf(out, "%s points into %s, expected ", case_name(c, r->a),
                  pointer_space_names[space]);
    put_names(out, row_args(r->row)->set, pointer_space_names, SPACE_COUNT);
}

static void describe_POINTER_SPACE(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    sb_puts(out, "points into ");
    put_names(out, row_args(r->row)->set, pointer_space_names, SPACE_COUNT);
}

CONDITION(POINTER_SPACE, .id = DIAG_POINTER_SPACE, .each = true, .topic = TOPIC_LOCATIONS);
