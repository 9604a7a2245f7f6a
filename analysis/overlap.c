/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two places share a byte. A `no` is derived; what is not known is a `maybe`. */
#include "analysis/place.h"

/* ---- runs ---- */

/* True when `n` bytes from `at` on overlap the runs of `p`, which starts at `start`. */
static bool meets_run(const Place *p, int64_t start, int64_t at, int64_t n) {
    int64_t from = at - start, pitch = p->pitch > 0 ? p->pitch : 1;
    if (from + n <= 0) return false;
    int64_t first = from <= 0 ? 0 : from / pitch; /* the run at or before `at` */
    if (first >= p->lines) first = p->lines - 1;
    if (from < first * pitch + p->line && from + n > first * pitch) return true;
    return first + 1 < p->lines && from + n > (first + 1) * pitch;
}

/* Compares two lists of runs; undecided when both are long. */
static Overlap runs_meet(const Place *a, const Place *b, int64_t distance) {
    enum { MOST_RUNS = 4096 };
    int64_t runs = place_has_gaps(a) ? a->lines : 1,
            run = place_has_gaps(a) ? a->line : a->line * a->lines;
    if (runs > MOST_RUNS) return OVERLAP_MAYBE;
    for (int64_t i = 0; i < runs; i++)
        if (meets_run(b, distance, i * a->pitch, run)) return OVERLAP_YES;
    return OVERLAP_NO;
}

/* Compares places of which the second starts `distance` bytes after the first. */
static Overlap ranges_meet(const Place *a, const Place *b, int64_t distance) {
    if (distance < 0) return distance == INT64_MIN ? OVERLAP_NO : ranges_meet(b, a, -distance);
    if (distance == 0) return OVERLAP_YES; /* every place has a first byte */
    if (distance >= a->bytes) return OVERLAP_NO;
    if (a->lines > 0 && meets_run(a, 0, distance, 1)) return OVERLAP_YES;
    if (a->lines == 0 || b->lines == 0) return OVERLAP_MAYBE;
    return place_has_gaps(a) && !place_has_gaps(b) ? runs_meet(b, a, -distance)
                                                   : runs_meet(a, b, distance);
}

/* True when every byte of the possible range is used. */
static bool fills(const Place *p) {
    return p->lines > 0 && !place_has_gaps(p) && p->start.n == 0;
}

/* Compares places of one base by the ranges that they are in alone. */
static Overlap bounds_meet(const Place *a, const Place *b) {
    if (a->end <= b->low || b->end <= a->low) return OVERLAP_NO;
    const bool inside = (fills(a) && a->low <= b->low && b->end <= a->end) ||
                        (fills(b) && b->low <= a->low && a->end <= b->end);
    return inside ? OVERLAP_YES : OVERLAP_MAYBE;
}

/* ---- windows of one view ---- */

static Times times_of(const Place *a, const Place *b, const When *when) {
    return (Times){.equal = when->any          ? 0
                            : when->level == 0 ? when->common
                                               : when->level - 1,
                   .level = when->any ? 0 : when->level,
                   .fresh_a = a->fresh,
                   .fresh_b = b->fresh};
}

/* True for a dimension that steps over all others, whose own extent does not matter. */
static bool is_outermost(const ViewWindow *w, uint32_t dim) {
    int64_t stride, other;
    if (dim != 0) return false;
    if (!affine_is(&w->dims[0].stride, &stride)) return true; /* as is_apart() takes them */
    for (uint32_t i = 1; i < w->n; i++)
        if (!affine_is(&w->dims[i].stride, &other) || other >= stride) return false;
    return true;
}

static bool same_grid(const ViewWindow *a, const ViewWindow *b) {
    if (a == NULL || b == NULL || a->flat || b->flat || a->n != b->n || a->n == 0 ||
        a->element != b->element || !affine_same(&a->base, &b->base))
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (!affine_same(&a->dims[i].stride, &b->dims[i].stride) ||
            (!affine_same(&a->dims[i].extent, &b->dims[i].extent) && !is_outermost(a, i)))
            return false;
    return true;
}

/* True when nothing in the base, strides and extents differs from one time to the other. */
static bool is_fixed_form(const Affine *a, const Times *t) {
    for (uint32_t i = 0; i < a->n; i++) {
        const uint32_t depth = a->terms[i].variable->depth;
        if (depth > t->equal || depth >= t->fresh_a || depth >= t->fresh_b) return false;
    }
    return true;
}

static bool is_fixed_grid(const ViewWindow *w, const Times *t) {
    for (uint32_t i = 0; i < w->n; i++)
        if (!is_fixed_form(&w->dims[i].stride, t) || !is_fixed_form(&w->dims[i].extent, t))
            return false;
    return is_fixed_form(&w->base, t);
}

typedef enum Answer { ANSWER_NO, ANSWER_UNKNOWN, ANSWER_YES } Answer;

/* True when the text tells, as an interval, that a step along dimension `outer` may be shorter than
 * all of dimension `inner`: nothing is assumed against that. */
static bool may_fall_short(const ViewDim *outer, const ViewDim *inner) {
    int64_t shortest, longest, stride, least, most, all;
    affine_range(&outer->stride, &shortest, &longest);
    affine_range(&inner->extent, &least, &most);
    if (!affine_is(&inner->stride, &stride) || stride <= 0) return false;
    if (least > 0 && !__builtin_mul_overflow(least, stride, &all) && longest < all) return true;
    const bool told = shortest > INT32_MIN && longest < INT32_MAX && most < INT32_MAX;
    return told && !__builtin_mul_overflow(most, stride, &all) && shortest < all;
}

/* Whether a step along dimension `outer` is at least as long as all of dimension `inner`. */
static Answer compare_steps(const ViewDim *outer, const ViewDim *inner) {
    static const Times now = {UINT32_MAX, 0, UINT32_MAX, UINT32_MAX};
    int64_t step, stride, low, extent, all;
    affine_range(&inner->extent, &low, &extent);
    if (affine_is(&outer->stride, &step) && affine_is(&inner->stride, &stride)) {
        if (extent == INT64_MAX) return ANSWER_UNKNOWN;
        const bool fits = !__builtin_mul_overflow(extent, stride, &all) && step >= all;
        return fits ? ANSWER_YES : inner->extent.n == 0 ? ANSWER_NO : ANSWER_UNKNOWN;
    }
    const Affine zero = affine_constant(0);
    if (!affine_is(&inner->extent, &extent) || inner->stride.n > 1) {
        /* an extent of n elements of a constant stride: the outer stride has the same form */
        if (!affine_is(&inner->stride, &stride) || inner->extent.n != outer->stride.n)
            return ANSWER_UNKNOWN;
        for (uint32_t i = 0; i < outer->stride.n; i++)
            if (outer->stride.terms[i].variable != inner->extent.terms[i].variable ||
                __builtin_mul_overflow(inner->extent.terms[i].by, stride, &all) ||
                outer->stride.terms[i].by != all)
                return ANSWER_UNKNOWN;
        if (__builtin_mul_overflow(inner->extent.c, stride, &all)) return ANSWER_UNKNOWN;
        return outer->stride.c >= all ? ANSWER_YES : ANSWER_NO;
    }
    const Difference d = affine_difference(&outer->stride, &zero, &now);
    return affine_is(&inner->stride, &stride) && d.lo > 0 &&
                   d.lo / (stride > 0 ? stride : 1) >= extent
               ? ANSWER_YES
               : ANSWER_UNKNOWN;
}

static Answer reaches_over(const ViewDim *outer, const ViewDim *inner) {
    const Answer a = compare_steps(outer, inner);
    return a == ANSWER_UNKNOWN && may_fall_short(outer, inner) ? ANSWER_NO : a;
}

/* Whether different elements of the view are different bytes: each dimension, from the one of the
 * shortest stride on, steps over all of the one before. */
static Answer is_apart(const ViewWindow *w) {
    const ViewDim *order[8];
    uint32_t n = 0;
    Answer all = ANSWER_YES;
    for (uint32_t i = w->n; i-- > 0;) {
        int64_t extent, stride, other;
        if (affine_is(&w->dims[i].extent, &extent) && extent == 1) continue;
        if (n == sizeof order / sizeof *order) return ANSWER_UNKNOWN;
        uint32_t at = n++;
        const bool fixed = affine_is(&w->dims[i].stride, &stride);
        for (; at > 0 && fixed && affine_is(&order[at - 1]->stride, &other) && other > stride; at--)
            order[at] = order[at - 1];
        order[at] = &w->dims[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        int64_t stride;
        const Answer one = i > 0 ? reaches_over(order[i], order[i - 1])
                           : !affine_is(&order[0]->stride, &stride) ? ANSWER_UNKNOWN
                           : stride >= w->element                   ? ANSWER_YES
                                                                    : ANSWER_NO;
        if (one < all) all = one;
    }
    return all;
}

static int64_t most_of(const Affine *size) {
    int64_t low, high;
    affine_range(size, &low, &high);
    return high < 1 ? 1 : high;
}

/* Compares windows of one view dimension by dimension; `maybe` where that does not tell. */
static Overlap windows_meet(const Place *a, const Place *b, const Times *t, unsigned *assumed) {
    const ViewWindow *v = a->window, *w = b->window;
    if (!same_grid(v, w) || !is_fixed_grid(v, t)) return OVERLAP_MAYBE;
    const Answer apart = is_apart(v);
    if (apart == ANSWER_NO) return OVERLAP_MAYBE;
    bool equal = true;
    for (uint32_t i = 0; i < v->n; i++) {
        const ViewDim *x = &v->dims[i], *y = &w->dims[i];
        const Difference d = affine_difference(&x->offset, &y->offset, t);
        const int64_t n = most_of(&x->size), m = most_of(&y->size);
        if (!difference_may_be_in(&d, n == INT64_MAX ? INT64_MIN : -n, m)) {
            if (apart == ANSWER_UNKNOWN) *assumed |= ASSUMED_STRIDES;
            *assumed |= d.assumed | x->size.assumed | y->size.assumed;
            return OVERLAP_NO;
        }
        equal &= d.lo == d.hi && x->size.n == 0 && y->size.n == 0;
    }
    return equal ? OVERLAP_YES : OVERLAP_MAYBE;
}

/* ---- bases ---- */

static bool is_planned(const Place *p) {
    return p->base == BASE_BUFFER || p->base == BASE_VALUE;
}

/* Compares places of different bases. Planned storage is distinct from everything else. An entry of
 * a pipe between cores is in memory that the pipe reserves, and apart from entries that are bound
 * to other tiles. */
static Overlap bases_meet(const Place *a, const Place *b, const When *when, unsigned *assumed) {
    const bool entry = a->base == BASE_BOUND, other = b->base == BASE_BOUND;
    if (is_planned(a) || is_planned(b)) return OVERLAP_NO;
    if (place_is_memory(a)) {
        if (a->base == BASE_PARAMETER && b->base == BASE_PARAMETER) *assumed |= ASSUMED_ARGUMENTS;
        return OVERLAP_NO;
    }
    if (when->entries && entry && other) return OVERLAP_NO;
    if (when->entries && (entry || other) && (a->base == BASE_ADDRESS || b->base == BASE_ADDRESS))
        return OVERLAP_NO;
    return OVERLAP_MAYBE;
}

/* Whether the base of a place may be another one at each time. */
static bool base_varies(const Place *p) {
    return p->base == BASE_VALUE || p->base == BASE_BOUND;
}

/* Compares places of one base. */
static Overlap starts_meet(const Place *a, const Place *b, const Times *t, unsigned *assumed) {
    const Difference back = affine_difference(&a->start, &b->start, t);
    const int64_t before = a->bytes == INT64_MAX ? INT64_MIN : -a->bytes;
    if (!difference_may_be_in(&back, before, b->bytes)) {
        *assumed |= back.assumed;
        return OVERLAP_NO;
    }
    if (back.lo == back.hi && back.lo != INT64_MIN) return ranges_meet(a, b, -back.lo);
    return bounds_meet(a, b);
}

static Overlap meet(const Place *a, const Place *b, const When *when, unsigned *assumed) {
    unsigned some = 0;
    if (a->space != b->space) {
        if ((a->space != SPACE_COUNT && b->space != SPACE_COUNT) || place_is_memory(a) ||
            place_is_memory(b))
            return OVERLAP_NO;
    }
    if (a->base == BASE_ANY || b->base == BASE_ANY) return OVERLAP_MAYBE;
    if (a->base != b->base || a->of != b->of)
        return bases_meet(a, b, when, assumed != NULL ? assumed : &some);
    if (base_varies(a) && (when->any || when->level > 0 || a->past || b->past))
        return OVERLAP_MAYBE;
    if (a->start.n == 0 && b->start.n == 0 && a->window == NULL && b->window == NULL)
        return ranges_meet(a, b, b->start.c - a->start.c);
    const Times t = times_of(a, b, when);
    Overlap o = windows_meet(a, b, &t, &some);
    if (o == OVERLAP_MAYBE) {
        some = 0;
        o = starts_meet(a, b, &t, &some);
    }
    if (assumed != NULL && o == OVERLAP_NO) *assumed |= some;
    return o;
}

Overlap place_meet(const Place *a, const Place *b, const When *when, unsigned *assumed) {
    const Overlap o = meet(a, b, when, assumed);
    return o == OVERLAP_YES && (a->rough || b->rough) ? OVERLAP_MAYBE : o;
}

Overlap place_overlap(const Place *a, const Place *b) {
    static const When now = {.common = UINT32_MAX};
    return place_meet(a, b, &now, NULL);
}
