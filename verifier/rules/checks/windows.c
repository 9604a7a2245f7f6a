/* SPDX-License-Identifier: Apache-2.0 */
/* Named functions about windows of tiles and of views of global memory. */
#include "verifier/rules/checks/checks.h"

#include "ir/infer.h"

#include <stdio.h>
#include <string.h>

/* ---- windows of a tile: slots source, offsets, valid_row, valid_col ---- */

enum { WINDOW_SOURCE, WINDOW_OFFSETS };

Answer check_window_sizes(const Case *c, const Rule *r) {
    (void)r;
    int64_t sizes[2];
    return window_sizes(c->op, sizes)
               ? HOLDS
               : fails(c, "sizes must be two positive numbers");
}

/* Returns the constant offset of a dimension; false when it is not a constant. */
static bool window_offset(const Case *c, int dim, int64_t *out) {
    return slot_count(c->op, WINDOW_OFFSETS) == 2 &&
           case_number(c, slot_operands(c->op, WINDOW_OFFSETS)[dim].value, out);
}

static void at_offset(const Case *c, int dim) {
    if (c->at != NULL) *c->at = slot_operands(c->op, WINDOW_OFFSETS)[dim].span;
}

Answer check_window_offsets(const Case *c, const Rule *r) {
    (void)r;
    for (int dim = 0; dim < 2; dim++) {
        int64_t o;
        if (!window_offset(c, dim, &o) || o >= 0) continue;
        at_offset(c, dim);
        return fails(c, "offset %d is %lld, which is negative", dim, (long long)o);
    }
    return HOLDS;
}

Answer check_window_shape(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    int64_t n[2];
    if (t == NULL || !window_sizes(c->op, n) ||
        (t->tile.rows == n[0] && t->tile.cols == n[1]))
        return HOLDS;
    return fails(c, "the window has %lldx%lld elements, %s %lldx%lld", (long long)n[0],
                 (long long)n[1], case_name(c, r->a), (long long)t->tile.rows,
                 (long long)t->tile.cols);
}

static void put_extent_word(char out[24], int64_t n) {
    if (n == DYNAMIC)
        memcpy(out, "?", 2);
    else
        snprintf(out, 24, "%lld", (long long)n);
}

Answer check_window_valid(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    int64_t sizes[2];
    if (t == NULL || !window_sizes(c->op, sizes)) return HOLDS;
    for (int dim = 0; dim < 2; dim++) {
        int64_t is = dim == 0 ? t->tile.vrow : t->tile.vcol;
        int64_t want = window_valid(c->op, dim, sizes[dim]);
        bool given = named_value(c->op, dim == 0 ? OPERAND_valid_row : OPERAND_valid_col) != NULL;
        if (is == want || (!given && is != DYNAMIC && is <= sizes[dim])) continue;
        char found[24], expected[24];
        put_extent_word(found, is);
        put_extent_word(expected, want);
        return fails(c, "%s says %s for its valid %s, expected %s", case_name(c, r->a), found,
                     dim == 0 ? "rows" : "columns", expected);
    }
    return HOLDS;
}

Answer check_window_box(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, WINDOW_SOURCE);
    int64_t box[2], sizes[2], o;
    (void)r;
    if (t == NULL || t->tile.slayout == SL_NONE_BOX) return HOLDS;
    if (!judged_box(t, &box[0], &box[1]))
        return fails(c, "elements of type %s have no inner box of fractal %u",
                     elem_infos[t->elem].text, t->tile.fractal);
    if (!window_sizes(c->op, sizes)) return HOLDS;
    for (int dim = 0; dim < 2; dim++) {
        if (sizes[dim] % box[dim] != 0)
            return fails(c, "size %d is %lld, expected a multiple of %lld, the inner box", dim,
                         (long long)sizes[dim], (long long)box[dim]);
        if (!window_offset(c, dim, &o) || o % box[dim] == 0) continue;
        at_offset(c, dim);
        return fails(c, "offset %d is %lld, expected a multiple of %lld, the inner box", dim,
                     (long long)o, (long long)box[dim]);
    }
    return HOLDS;
}

/* Returns a valid extent of the window; DYNAMIC if only run time knows it. */
static int64_t window_extent(const Case *c, int dim) {
    const Type *t = case_tile(c, c->op->inst->nslots);
    const int slot = inst_slot(c->op->inst, dim == 0 ? OPERAND_valid_row : OPERAND_valid_col);
    const Value *v = slot >= 0 ? slot_value(c->op, slot) : NULL;
    int64_t n = t == NULL ? DYNAMIC : dim == 0 ? t->tile.vrow : t->tile.vcol;
    if (n == DYNAMIC && v != NULL && !case_number(c, v, &n)) return DYNAMIC;
    return n;
}

/* The shape of a window may leave its source, the valid region may not. */
Answer check_window_bounds(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, WINDOW_SOURCE);
    const int64_t valid[] = {window_extent(c, 0), window_extent(c, 1)};
    int64_t o, end;
    (void)r;
    if (t == NULL || valid[0] == 0 || valid[1] == 0) return HOLDS;
    for (int dim = 0; dim < 2; dim++) {
        int64_t whole = dim == 0 ? t->tile.rows : t->tile.cols;
        if (!window_offset(c, dim, &o)) o = 0;
        if (valid[dim] == DYNAMIC || (!__builtin_add_overflow(o, valid[dim], &end) && end <= whole))
            continue;
        return fails(c, "the valid region of the window ends at %s %lld of %lld",
                     dim == 0 ? "row" : "column", (long long)end, (long long)whole);
    }
    return HOLDS;
}

/* An older rule: a window of a boxed tile has whole lines of boxes. */
Answer check_subset_lines(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, WINDOW_SOURCE);
    int64_t sizes[2], o;
    (void)r;
    if (t == NULL || t->tile.slayout == SL_NONE_BOX || !window_sizes(c->op, sizes))
        return HOLDS;
    int dim = tile_blayout(t, c->profile) == BL_COL_MAJOR ? 0 : 1;
    int64_t whole = dim == 0 ? t->tile.rows : t->tile.cols;
    if (sizes[dim] == whole && window_offset(c, dim, &o) && o == 0) return HOLDS;
    return fails(c, "a window of this boxed tile has all %lld %s, from 0 on", (long long)whole,
                 dim == 0 ? "rows" : "columns");
}

/* ---- windows of a view ---- */

Answer check_partition_rank(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    unsigned offsets = slot_count(c->op, 1), sizes = slot_count(c->op, 2);
    if (t == NULL || t->kind != TY_TENSOR_VIEW || (offsets == t->rank && sizes == t->rank))
        return HOLDS;
    return fails(c, "%u offsets and %u sizes for a view of rank %u", offsets, sizes, t->rank);
}

enum { VIEW_SOURCE, VIEW_OFFSETS, VIEW_SIZES, MOST_DIMS = 5 };

/* What is known of a window; DYNAMIC for the rest. */
typedef struct Window {
    int64_t offset[MOST_DIMS], size[MOST_DIMS];
} Window;

static int64_t known_number(const Case *c, const Operand *o) {
    int64_t n;
    return case_number(c, o->value, &n) ? n : DYNAMIC;
}

static void at_number(const Case *c, int slot, unsigned i) {
    if (c->at != NULL) *c->at = slot_operands(c->op, slot)[i].span;
}

/* Checks the numbers of one dimension; `result` is DYNAMIC if unknown. */
static Answer numbers_fit(const Case *c, const Window *w, unsigned i, int64_t result) {
    if (w->offset[i] != DYNAMIC && w->offset[i] < 0) {
        at_number(c, VIEW_OFFSETS, i);
        return fails(c, "offset %u is %lld, which is negative", i, (long long)w->offset[i]);
    }
    if (w->size[i] == DYNAMIC) return HOLDS;
    if (w->size[i] > 0 && (result == DYNAMIC || result == w->size[i])) return HOLDS;
    at_number(c, VIEW_SIZES, i);
    if (w->size[i] <= 0)
        return fails(c, "size %u is %lld, expected at least 1", i, (long long)w->size[i]);
    return fails(c, "size %u is %lld, but the result type says %lld", i, (long long)w->size[i],
                 (long long)result);
}

/* Computes where a window ends in dimension i at the earliest; 0 if its size is not known. */
static int64_t earliest_end(const Window *w, unsigned i) {
    int64_t end;
    if (w->size[i] == DYNAMIC) return 0;
    if (w->offset[i] == DYNAMIC) return w->size[i];
    return __builtin_add_overflow(w->offset[i], w->size[i], &end) ? INT64_MAX : end;
}

/* Whether memory continues from the end of dimension i, which has `whole` elements, with the next
 * element of dimension i - 1. */
static Answer continues(const Case *c, unsigned i, int64_t whole) {
    const Op *view = slot_value(c->op, VIEW_SOURCE)->def;
    int64_t step, outer, next;
    if (i == 0) return FAILS;
    if (view == NULL || !op_is(view, INST_MAKE_TENSOR_VIEW)) return UNKNOWN;
    const int slot = inst_slot(view->inst, OPERAND_strides);
    if (slot_count(view, slot) <= i) return UNKNOWN;
    const Operand *strides = slot_operands(view, slot);
    if (!case_number(c, strides[i].value, &step) || !case_number(c, strides[i - 1].value, &outer))
        return UNKNOWN;
    return !__builtin_mul_overflow(step, whole, &next) && next == outer ? HOLDS : FAILS;
}

static Answer leaves_view(const Case *c, const Type *view, const Window *w, unsigned i) {
    at_number(c, VIEW_SIZES, i);
    return fails(c, "dimension %u of the window ends at %lld, beyond the extent %lld of the view",
                 i, (long long)earliest_end(w, i), (long long)view->dims[i]);
}

/* By their types, windows lie within every dimension of their view. */
static Answer lies_in_type(const Case *c, const Type *view, const Window *w) {
    for (unsigned i = 0; i < view->rank; i++)
        if (view->dims[i] != DYNAMIC && earliest_end(w, i) > view->dims[i])
            return leaves_view(c, view, w, i);
    return HOLDS;
}

/* At run time a window consists of elements of its view: a dimension that ends beyond that of the
 * view continues in the one before it, where memory does. */
static Answer lies_in_memory(const Case *c, const Type *view, const Window *w) {
    int64_t carried = 0;
    unsigned left = 0; /* the dimension that the window left last */
    for (unsigned i = view->rank; i-- > 0;) {
        const int64_t whole = view->dims[i], own = earliest_end(w, i);
        int64_t end;
        if (__builtin_add_overflow(own, carried, &end)) end = INT64_MAX;
        carried = 0;
        if (whole == DYNAMIC || own == 0 || end <= whole) continue;
        if (own > whole) left = i;
        const Answer goes_on = whole > 0 ? continues(c, i, whole) : FAILS;
        if (goes_on != HOLDS) return goes_on == UNKNOWN ? HOLDS : leaves_view(c, view, w, left);
        carried = (end - 1) / whole;
    }
    return HOLDS;
}

Answer check_partition_bounds(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a), *p = case_type(c, c->op->inst->nslots);
    Window w;
    bool empty = false;
    if (t == NULL || t->kind != TY_TENSOR_VIEW || t->rank > MOST_DIMS ||
        slot_count(c->op, VIEW_OFFSETS) != t->rank || slot_count(c->op, VIEW_SIZES) != t->rank)
        return HOLDS;
    const Operand *offsets = slot_operands(c->op, VIEW_OFFSETS);
    const Operand *sizes = slot_operands(c->op, VIEW_SIZES);
    for (unsigned i = 0; i < t->rank; i++) {
        w.offset[i] = known_number(c, &offsets[i]);
        w.size[i] = known_number(c, &sizes[i]);
        empty |= w.size[i] == 0;
    }
    if (empty && case_at_run_time(c)) return HOLDS;
    const bool same = p != NULL && p->kind == TY_PART_VIEW && p->rank == t->rank;
    for (unsigned i = 0; i < t->rank; i++)
        if (numbers_fit(c, &w, i, same ? p->dims[i] : DYNAMIC) == FAILS) return FAILS;
    return case_at_run_time(c) ? lies_in_memory(c, t, &w) : lies_in_type(c, t, &w);
}
