/* Named functions of the rules of elementwise instructions. */
#include "ir/tmp.h"
#include "verifier/rules.h"

/* ---- masks ---- */

/* A mask holds one bit per element, every row from its own first byte. */
Answer check_mask_extent(const Case *c, const Rule *r) {
    const Type *mask = case_tile(c, r->a), *t = case_tile(c, r->b);
    if (mask == NULL || t == NULL) return true;
    int64_t rows = t->tile.vrow, cols = t->tile.vcol, bytes;
    if (rows != DYNAMIC && mask->tile.rows < rows)
        return fails(c, "%s has %lld rows, needed are %lld for the valid rows of %s",
                     case_name(c, r->a), (long long)mask->tile.rows, (long long)rows,
                     case_name(c, r->b));
    if (cols == DYNAMIC ||
        __builtin_mul_overflow(mask->tile.cols, (int64_t)elem_infos[mask->elem].bytes, &bytes))
        return true;
    int64_t needed = cols / 8 + (cols % 8 != 0);
    if (bytes >= needed) return true;
    return fails(c, "a row of %s has %lld bytes, needed are %lld: a bit for each of %lld columns",
                 case_name(c, r->a), (long long)bytes, (long long)needed, (long long)cols);
}

/* ---- pto.tprelu ---- */

Answer check_predicate_bytes(const Case *c, const Rule *r) {
    const Type *tmp = case_tile(c, r->a), *dst = case_tile(c, r->b);
    int64_t needed;
    if (tmp == NULL || dst == NULL || dst->tile.vrow == DYNAMIC || dst->tile.vcol == DYNAMIC)
        return true;
    int64_t bytes = tile_bytes(tmp, c->profile), row = predicate_row_bytes(dst->tile.vcol);
    if (__builtin_mul_overflow(dst->tile.vrow + 1, row, &needed))
        return fails(c, "%s is too small for %lld rows of predicates", case_name(c, r->a),
                     (long long)dst->tile.vrow);
    if (bytes >= needed) return true;
    return fails(c, "%s has %lld bytes, needed are %lld: %lld per valid row of %s and one more",
                 case_name(c, r->a), (long long)bytes, (long long)needed, (long long)row,
                 case_name(c, r->b));
}

/* ---- pto.tcvt ---- */

/* Extents in elements: packed types hold two along the rows of memory. */
static void logical_extents(const Case *c, const Type *t, bool valid, int64_t out[2]) {
    out[0] = valid ? t->tile.vrow : t->tile.rows;
    out[1] = valid ? t->tile.vcol : t->tile.cols;
    if (t->elem != ELEM_F4E1M2X2 && t->elem != ELEM_F4E2M1X2) return;
    int64_t *packed = &out[tile_blayout(t, c->profile) == BL_ROW_MAJOR];
    if (*packed != DYNAMIC && __builtin_mul_overflow(*packed, 2, packed)) *packed = INT64_MAX;
}

static bool logical_match(const Case *c, const Rule *r, bool valid) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    int64_t x[2], y[2];
    if (a == NULL || b == NULL) return true;
    logical_extents(c, a, valid, x);
    logical_extents(c, b, valid, y);
    for (int i = 0; i < 2; i++)
        if (x[i] != y[i] && x[i] != DYNAMIC && y[i] != DYNAMIC)
            return fails(c, "%s has %lld %s%s and %s has %lld, counted in elements",
                         case_name(c, r->a), (long long)x[i], valid ? "valid " : "",
                         i == 0 ? "rows" : "columns", case_name(c, r->b), (long long)y[i]);
    return true;
}

static bool is_window(const Value *v) {
    return v != NULL && v->def != NULL && (v->def->inst->flags & IF_VIEW) != 0;
}

/* A window of another tile keeps that tile's row length: only its valid region counts. */
Answer check_convert_shape(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL || a == b) return true;
    return is_window(case_value(c, r->a)) || is_window(case_value(c, r->b)) ||
           logical_match(c, r, false);
}

Answer check_convert_valid(const Case *c, const Rule *r) {
    return logical_match(c, r, true);
}

static int64_t narrowing_bytes(const Case *c) {
    const Type *src = case_tile(c, inst_slot(c->op->inst, "src"));
    const Type *dst = case_tile(c, inst_slot(c->op->inst, "dst"));
    return src != NULL && dst != NULL ? narrowing_tmp_bytes(src, dst) : 0;
}

Answer check_narrowing_tmp(const Case *c, const Rule *r) {
    if (c->types[r->a] != NULL || narrowing_bytes(c) == 0) return true;
    return fails(c, "%s is missing: this conversion takes one unless it saturates",
                 case_name(c, r->a));
}

Answer check_narrowing_static(const Case *c, const Rule *r) {
    if (narrowing_bytes(c) != DYNAMIC) return true;
    return fails(c,
                 "the valid extents of %s are `?`, but the tmp of this conversion depends on them",
                 case_name(c, r->a));
}

Answer check_narrowing_bytes(const Case *c, const Rule *r) {
    const Type *tmp = case_tile(c, r->a);
    int64_t bytes = tmp != NULL ? tile_bytes(tmp, c->profile) : 0, needed = narrowing_bytes(c);
    if (tmp == NULL || needed == DYNAMIC || bytes >= needed) return true;
    return fails(c, "%s has %lld bytes, this conversion needs %lld", case_name(c, r->a),
                 (long long)bytes, (long long)needed);
}

/* ---- pto.trem ---- */

/* A row of dst, and beside it two words for every 64 elements. */
Answer check_remainder_tmp(const Case *c, const Rule *r) {
    const Type *tmp = case_tile(c, r->a), *dst = case_tile(c, r->b);
    if (tmp == NULL || dst == NULL || tmp->tile.vcol == DYNAMIC) return true;
    int64_t cols = dst->tile.cols, needed;
    if (__builtin_add_overflow(cols, 2 * ceil_div(cols, 64), &needed)) needed = INT64_MAX;
    return tmp->tile.vcol >= needed ||
           fails(c, "%s has %lld valid columns, needed are %lld for the %lld of %s",
                 case_name(c, r->a), (long long)tmp->tile.vcol, (long long)needed, (long long)cols,
                 case_name(c, r->b));
}
