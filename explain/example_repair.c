/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of operands and attributes that satisfy a row of the rule table. The functions return
 * false when nothing changed. */
#include "explain/example_impl.h"
#include "verifier/rules/checks/checks.h"
#include "verifier/rules/vocabulary.h"

#include <string.h>

static ElemSet elems_of_sizes(uint64_t sizes) {
    ElemSet set = 0;
    for (int e = 0; e < ELEM_COUNT; e++)
        if (((uint64_t)1 << elem_infos[e].bytes & sizes) != 0) set |= ELEM_BIT(e);
    return set;
}

/* Returns the scalar type for an element type: the signless integer for its signed and unsigned
 * twins. */
static Elem scalar_of(const ExampleOperand *o, Elem e) {
    static const Elem signless[] = {ELEM_I8, ELEM_I16, ELEM_I32, ELEM_I64};
    if ((ELEM_BIT(e) & o->elems) != 0) return e;
    for (unsigned i = 0; i < 4; i++)
        if (elem_is_int(e) && elem_int_width(e) == elem_int_width(signless[i])) return signless[i];
    return e;
}

/* Gives both one element type: that of b if a can have it, else that of a, else any. */
static bool equal_elems(ExampleOperand *a, ExampleOperand *b) {
    Elem from_b = kind_is_scalar(a->kind) ? scalar_of(a, (Elem)b->elem) : (Elem)b->elem;
    if ((ELEM_BIT(from_b) & a->elems) != 0 && a->elem != from_b) {
        a->elem = (uint8_t)from_b;
        return true;
    }
    if ((ELEM_BIT(a->elem) & b->elems) != 0 && b->elem != a->elem) {
        b->elem = a->elem;
        return true;
    }
    ElemSet both = a->elems & b->elems;
    if (both == 0) return false;
    bool changed = operand_narrow_elems(a, both);
    return operand_narrow_elems(b, both) || changed;
}

static bool set_dim(ExampleOperand *o, Dim d, int64_t v) {
    int64_t *const dims[] = {&o->rows, &o->cols, &o->vrow, &o->vcol};
    if (o->frozen || v < 0 || v > 1 << 20 || *dims[d] == v) return false;
    *dims[d] = v;
    if (d == DIM_ROWS && o->vrow != DYNAMIC) o->vrow = v;
    if (d == DIM_COLS && o->vcol != DYNAMIC) o->vcol = v;
    return true;
}

static int64_t get_dim(const ExampleOperand *o, Dim d) {
    const int64_t dims[] = {o->rows, o->cols, o->vrow, o->vcol};
    return dims[d];
}

static int64_t into_range(const RuleRow *row, int64_t v) {
    int64_t lo = row_args(row)->lo,
            unit = row_args(row)->multiple == 0 ? 1 : row_args(row)->multiple;
    if (v > row_args(row)->hi) v = row_args(row)->hi / unit * unit;
    if (v < lo) v = lo;
    v = example_round_up(v, unit);
    return v <= row_args(row)->hi ? v : row_args(row)->hi / unit * unit;
}

static bool relate(ExampleOperand *a, ExampleOperand *b, const RuleRow *row) {
    int64_t factor = row_args(row)->multiple == 0 ? 1 : row_args(row)->multiple,
            div = row_args(row)->div == 0 ? 1 : row_args(row)->div;
    if (a->frozen)
        return set_dim(b, (Dim)row->dim_b,
                       (get_dim(a, (Dim)row->dims) - row_args(row)->add) * div / factor);
    int64_t v = (get_dim(b, (Dim)row->dim_b) * factor + div - 1) / div + row_args(row)->add;
    return set_dim(a, (Dim)row->dims, v);
}

static bool fit_row(ExampleOperand *a, const RuleRow *row) {
    int64_t bytes = elem_infos[a->elem].bytes;
    if (bytes == 0) return false;
    int64_t want = example_round_up(a->cols * bytes, row_args(row)->lo);
    if (row_args(row)->hi != NO_LIMIT && want > row_args(row)->hi)
        want = row_args(row)->hi / row_args(row)->lo * row_args(row)->lo;
    return set_dim(a, DIM_COLS, want / bytes);
}

static bool equal_extents(ExampleOperand *a, ExampleOperand *b, unsigned dims, bool valid) {
    bool changed = false;
    if (a->frozen) {
        ExampleOperand *other = a;
        a = b;
        b = other;
    }
    if ((dims & VALID_ROWS) != 0)
        changed |= set_dim(a, valid ? DIM_VROW : DIM_ROWS, valid ? b->vrow : b->rows);
    if ((dims & VALID_COLS) != 0)
        changed |= set_dim(a, valid ? DIM_VCOL : DIM_COLS, valid ? b->vcol : b->cols);
    return changed;
}

static bool copy_type(ExampleOperand *a, const ExampleOperand *b) {
    ExampleOperand old = *a;
    if (kind_is_scalar(a->kind) && kind_is_scalar(b->kind))
        return (ELEM_BIT(b->elem) & a->elems) != 0 && a->elem != b->elem &&
               (a->elem = b->elem) != ELEM_NONE;
    *a = *b;
    a->count = old.count;
    a->fixed_count = old.fixed_count;
    return memcmp(&old, a, sizeof old) != 0;
}

/* Changes a view as little as possible: its last dimensions become the valid region. */
static bool fit_view(ExampleOperand *view, const ExampleOperand *tile) {
    if (view->frozen) return false;
    int64_t want[2] = {tile->vrow, tile->vcol};
    bool changed = false;
    for (unsigned i = 0; i < view->rank && i < 5; i++) {
        int64_t v = view->rank >= 2 && i + 2 >= view->rank ? want[i + 2 - view->rank]
                    : view->rank == 1                      ? want[0] * want[1]
                                                           : 1;
        changed |= view->dims[i] != v;
        view->dims[i] = v;
    }
    return changed;
}

/* Chooses the first pair of the list that both operands can have. */
static bool choose_pair(ExampleOperand *a, ExampleOperand *b, const RuleRow *row) {
    for (const uint8_t *p = row_list(row); p[0] != 0; p += 2) {
        if (row->cond == C_ELEM_PAIR && (ELEM_BIT(p[0]) & a->elems) &&
            (ELEM_BIT(p[1]) & b->elems)) {
            a->elem = p[0];
            b->elem = p[1];
            return true;
        }
        if (row->cond == C_LOCATION_PAIR && (1u << p[0] & a->spaces) && (1u << p[1] & b->spaces)) {
            a->space = p[0];
            b->space = p[1];
            return true;
        }
        if (row->cond == C_LAYOUT_PAIR && (p[0] & a->layouts) && (p[1] & b->layouts)) {
            a->layout = p[0] & a->layouts;
            b->layout = p[1] & b->layouts;
            return true;
        }
    }
    return false;
}

static bool fit_tmp(ExampleOperand *tmp, const ExampleOperand *b, const RuleRow *row) {
    int64_t factor = row_args(row)->multiple == 0 ? 1 : row_args(row)->multiple;
    int64_t want = b->rows * b->cols * elem_infos[b->elem].bytes * factor;
    if (row_b(row) < 0) want = row_args(row)->lo;
    int64_t have = tmp->rows * tmp->cols * elem_infos[tmp->elem].bytes;
    if (have <= 0 || have >= want) return false;
    return set_dim(tmp, DIM_ROWS, tmp->rows * ((want + have - 1) / have));
}

static bool set_view_extents(ExampleOperand *o, int64_t least) {
    bool changed = false;
    for (int i = 0; i < 5; i++)
        if (o->dims[i] < least) {
            o->dims[i] = least;
            changed = true;
        }
    return changed;
}

static bool set_small(uint8_t *field, uint64_t set) {
    unsigned v = (unsigned)__builtin_ctzll(set);
    if (set == 0 || *field == v) return false;
    *field = (uint8_t)v;
    return true;
}

static bool set_fractal(ExampleOperand *o, uint64_t set) {
    uint16_t want = (set & F512) != 0 ? 512 : (set & F1024) != 0 ? 1024 : 32;
    bool changed = o->fractal != want;
    o->fractal = want;
    return changed;
}

static bool repair_attr(Example *e, int i, const RuleRow *row) {
    if (i < 0 || i >= EXAMPLE_MAX_ATTRS || e->attrs[i].fixed) return false;
    ExampleAttr *a = &e->attrs[i], old = *a;
    switch ((CondId)row->cond) {
    case C_ATTR_CONFLICT:
        a->present = false;
        break;
    case C_ATTR_SET:
        *a = (ExampleAttr){.present = true,
                           .value = __builtin_ctzll(row_args(row)->set | 1ull << 63)};
        break;
    case C_ATTR_VALUE:
        *a = (ExampleAttr){.present = true, .value = row_args(row)->lo};
        break;
    default:
        a->present = true;
    }
    return a->present != old.present || a->value != old.value;
}

/* Satisfies rows about shapes, views, presence and constants. */
static bool repair_extent(ExampleOperand *a, ExampleOperand *b, const RuleRow *row) {
    const ExampleOperand old = *a;
    switch ((CondId)row->cond) {
    case C_VALID_MISMATCH:
        return equal_extents(a, b, row->dims, true);
    case C_SHAPE_MISMATCH:
        return equal_extents(a, b, row->dims, false);
    case C_VALID_RANGE:
    case C_SHAPE_RANGE:
        return set_dim(a, (Dim)row->dims, into_range(row, get_dim(a, (Dim)row->dims)));
    case C_ROW_BYTES:
        return fit_row(a, row);
    case C_VALID_RELATION:
    case C_SHAPE_RELATION:
        return relate(a, b, row);
    case C_ELEMENT_COUNT:
        return fit_view(b, a);
    case C_VIEW_EXTENT:
        return set_view_extents(a, row_args(row)->lo);
    case C_VIEW_RANK_RANGE:
        a->rank = (uint8_t)(row_args(row)->lo < 5 ? row_args(row)->lo : 5);
        return a->rank != old.rank;
    case C_TMP_CAPACITY:
        return fit_tmp(a, b, row);
    case C_OPERAND_REQUIRED:
        return operand_set_count(a, 1);
    case C_OPERAND_CONFLICT:
        return operand_set_count(a, 0);
    case C_COUNT_RANGE:
        return operand_set_count(a, (uint8_t)(row_args(row)->lo < 8 ? row_args(row)->lo : 8));
    case C_CONST_RANGE:
        a->value = into_range(row, a->value);
        return a->value != old.value;
    default:
        return false;
    }
}

/* Satisfies a row for one operand: what it says about types, then the rest. */
static bool repair_operand(Example *e, int i, const RuleRow *row) {
    ExampleOperand *a = &e->operands[i], none = *a;
    const int j = row_b(row);
    ExampleOperand *b = j >= 0 ? &e->operands[j] : &none;
    switch ((CondId)row->cond) {
    case C_OPERAND_KIND:
        return operand_narrow_kind(a, row_args(row)->set);
    case C_LOW_PRECISION:
        return operand_narrow_elems(a, ~E_LOW);
    case C_ELEM_TYPE:
        return operand_narrow_elems(a, row_args(row)->set);
    case C_ELEM_SIZE:
        return operand_narrow_elems(a, elems_of_sizes(row_args(row)->set));
    case C_ELEM_MISMATCH:
    case C_ELEM_SIZE_MISMATCH:
    case C_SCALAR_MISMATCH:
    case C_SCALAR_EXACT:
        return equal_elems(a, b);
    case C_ELEM_PAIR:
    case C_LOCATION_PAIR:
    case C_LAYOUT_PAIR:
        return choose_pair(a, b, row);
    case C_TYPE_MISMATCH:
        return copy_type(a, b);
    case C_MASK_WIDTH:
    case C_LANE_COUNT:
        return operand_narrow_elems(a, elems_of_sizes((uint64_t)1 << elem_infos[b->elem].bytes));
    case C_MASK_IS:
        return operand_narrow_elems(a, elems_of_sizes(row_args(row)->set));
    case C_LOCATION:
    case C_POINTER_SPACE:
        return operand_narrow_space(a, row_args(row)->set);
    case C_LAYOUT:
        return operand_narrow_layout(a, row_args(row)->set);
    case C_FRACTAL:
        return set_fractal(a, row_args(row)->set);
    case C_COMPACT_MODE:
        return set_small(&a->compact, row_args(row)->set);
    case C_PAD_VALUE:
        return set_small(&a->pad, row_args(row)->set);
    default:
        return repair_extent(a, b, row);
    }
}

/* Satisfies a relation of valid extents, or of physical ones where those are not static. */
static bool repair_logical(Example *e, const RuleRow *row) {
    RuleRow relation = *row;
    const int a = row_a(row), b = row_b(row);
    relation.cond = C_VALID_RELATION;
    if (a < 0 || b < 0) return false;
    if (get_dim(&e->operands[a], (Dim)row->dims) == DYNAMIC)
        relation.dims = row->dims == DIM_VROW ? DIM_ROWS : DIM_COLS;
    if (get_dim(&e->operands[b], (Dim)row->dim_b) == DYNAMIC)
        relation.dim_b = row->dim_b == DIM_VROW ? DIM_ROWS : DIM_COLS;
    return example_repair(e, &relation);
}

/* Changes every operand that the row names; false when nothing changed. */
bool example_repair(Example *e, const RuleRow *row) {
    if (row->cond == C_CHECK && row_fn(row) == check_logical_extent) return repair_logical(e, row);
    const bool attr = rule_about_attribute(row);
    bool changed = false;
    RowName name;
    for (const uint8_t *at = row_about(row); row_next(&at, &name);)
        if (attr)
            changed |= repair_attr(e, name.index, row);
        else if (name.index >= 0)
            changed |= repair_operand(e, name.index, row);
    example_settle(e);
    return changed;
}
