/* SPDX-License-Identifier: Apache-2.0 */
/* Breaking one rule at a time. The condition of a row says which change breaks it; what that breaks
 * besides is mended, as long as the rules say how, and where this leads nowhere every single change
 * of every operand and attribute is tried, and then pairs of them. */
#include "tests/verifier/mutate.h"

#include "verifier/rules/vocabulary.h"
#include <string.h>

static int operands_of(const Inst *inst) {
    return inst->nslots + inst->nresults;
}

/* ---- a legal program with open guards ---- */

void mutate_place(Example *e) {
    int64_t at = 0;
    e->placed = true;
    for (int i = 0; i < e->inst->nslots; i++) {
        ExampleOperand *o = &e->operands[i];
        o->addr = at;
        at += (o->rows * o->cols * 8 + 4095) / 4096 * 4096;
    }
}

static void fix_slot(ExampleOperand *o, uint8_t count) {
    o->count = count;
    o->fixed_count = true;
}

/* Gives an attribute one of the values of a set. */
static void fix_attr(Example *e, int attr, uint64_t set, unsigned choice) {
    const unsigned n = (unsigned)__builtin_popcountll(set);
    if (attr >= EXAMPLE_MAX_ATTRS) return;
    for (choice = n > 0 ? choice % n : 0; choice > 0; choice--)
        set &= set - 1;
    e->attrs[attr] =
        (ExampleAttr){.present = true, .fixed = true, .value = set != 0 ? __builtin_ctzll(set) : 0};
}

static void fix_set(ExampleOperand *o, GuardKind kind, uint64_t set) {
    fix_slot(o, 1);
    if (kind == G_SPACE) o->spaces &= (uint16_t)set;
    if (kind == G_ELEM) o->elems &= set;
    if (kind == G_LAYOUT) o->layouts &= (uint8_t)set;
    for (int s = 0; kind == G_SPACE && s < SPACE_COUNT; s++)
        if ((1u << s & o->spaces) != 0 && (1u << o->space & o->spaces) == 0) o->space = (uint8_t)s;
    for (int k = 0; kind == G_ELEM && k < ELEM_COUNT; k++)
        if ((ELEM_BIT(k) & o->elems) != 0 && (ELEM_BIT(o->elem) & o->elems) == 0)
            o->elem = (uint8_t)k;
    if (kind == G_LAYOUT && o->layouts != 0) o->layout = (uint8_t)(o->layouts & -o->layouts);
}

static void open_guard(Example *e, const Guard *g, unsigned choice) {
    switch ((GuardKind)g->kind) {
    case G_PRESENT:
    case G_ABSENT:
        fix_slot(&e->operands[g->index], g->kind != G_ABSENT);
        break;
    case G_ATTR:
    case G_NO_ATTR:
        if (g->index < EXAMPLE_MAX_ATTRS) {
            e->attrs[g->index].present = g->kind == G_ATTR;
            e->attrs[g->index].fixed = true;
        }
        break;
    case G_ATTR_IS:
        fix_attr(e, g->index, g->set, choice);
        break;
    case G_EMPTY: /* the search for a program finds extents */
        break;
    default:
        fix_set(&e->operands[g->index], (GuardKind)g->kind, g->set);
    }
}

static void open_guards(Example *e, const RuleRow *row, unsigned choice) {
    const RowGuard *g = row_guard(row);
    if (g->level == 3) mutate_place(e);
    for (unsigned i = 0; i < g->n; i++)
        open_guard(e, &guard_list(g)[i], choice);
}

/* What the row is about must be there. */
static void present(Example *e, const RuleRow *row, unsigned choice) {
    const bool absent = row->cond == C_OPERAND_CONFLICT || row->cond == C_ATTR_CONFLICT;
    const bool attrs = rule_about_attribute(row);
    const int b = row_b(row);
    RowName name;
    for (const uint8_t *at = row_about(row); !absent && row_next(&at, &name);)
        if (name.index >= 0 && !attrs && e->operands[name.index].count == 0)
            fix_slot(&e->operands[name.index], 1);
        else if (name.index >= 0 && attrs && name.index < EXAMPLE_MAX_ATTRS && choice > 0)
            e->attrs[name.index].present = true;
    if (b >= 0 && !absent && e->operands[b].count == 0) fix_slot(&e->operands[b], 1);
    if (row->cond == C_OPERAND_OVERLAP) mutate_place(e);
}

/* The plain example of an instruction serves most of its rows. */
static bool plain_serves(const Example *e, const RuleRow *row) {
    const int b = row_b(row);
    RowName name;
    if (row->guard != 0 || row->when == COMPAT || row->cond == C_OPERAND_OVERLAP) return false;
    for (const uint8_t *at = row_about(row); !rule_about_attribute(row) && row_next(&at, &name);)
        if (name.index >= 0 && e->operands[name.index].count == 0) return false;
    return b < 0 || e->operands[b].count != 0;
}

/* Rows of the library come before the wider ones that they narrow, which count without them. */
static bool of_library(const RuleRow *row) {
    return row->when == LIBRARY || row->when == LIBRARY_WARN;
}

/* Where bytes lie is known of a whole program only. */
static ExampleBench *bench_for(const Example *plain, const RuleRow *row) {
    return row->cond == C_OPERAND_OVERLAP ? NULL : plain->bench;
}

bool mutate_plain(Example *e, const Inst *inst, Profile profile, ExampleBench *bench) {
    for (int form = OPF_DPS; form <= OPF_GENERIC; form++) {
        if (!example_has_form(inst, (OpForm)form)) continue;
        example_init(e, inst, profile, (OpForm)form);
        e->bench = bench;
        e->no_library = true;
        if (example_find(e)) return true;
    }
    return false;
}

/* A single change by its number. */
static bool change_one(Example *e, uint32_t number) {
    int n = operands_of(e->inst), attrs = e->inst->nattrs;
    uint32_t operand_changes = (uint32_t)n * EXAMPLE_CHANGES;
    if (number < operand_changes) {
        int i = (int)(number / EXAMPLE_CHANGES);
        const SlotInfo *s = i < e->inst->nslots ? &e->inst->slots[i] : NULL;
        if (!example_change(s, &e->operands[i], (int)(number % EXAMPLE_CHANGES))) return false;
        example_settle(e);
        return true;
    }
    int a = (int)((number - operand_changes) / 12), v = (int)((number - operand_changes) % 12) - 1;
    if (a >= attrs || a >= EXAMPLE_MAX_ATTRS) return false;
    if (v >= example_attr_values(&e->inst->attrs[a]) && e->inst->attrs[a].type != AT_INT)
        return false;
    e->attrs[a] = (ExampleAttr){.present = v >= 0, .value = v < 0 ? 0 : v};
    return true;
}

static uint32_t changes_of(const Inst *inst) {
    return (uint32_t)operands_of(inst) * EXAMPLE_CHANGES + (uint32_t)inst->nattrs * 12;
}

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* The same search from other beginnings. */
static bool restart(Example *e, const Example *plain, const RuleRow *row, bool compat) {
    uint32_t seed = 1;
    for (unsigned k = 0; k < 24; k++) {
        Example first;
        example_init(&first, plain->inst, plain->profile, (OpForm)plain->form);
        first.bench = bench_for(plain, row);
        first.no_library = !of_library(row);
        first.compat = compat;
        open_guards(&first, row, k);
        present(&first, row, k);
        for (unsigned i = 0; i < 1 + k % 3; i++)
            change_one(&first, next_random(&seed) % (changes_of(plain->inst) + 1));
        first.max_tries = 600;
        *e = first;
        if (example_find(e)) return true;
    }
    return false;
}

bool mutate_base(Example *e, const Example *plain, const RuleRow *row, bool compat) {
    const Inst *inst = plain->inst;
    Profile profile = plain->profile;
    if (!compat && !of_library(row) && plain_serves(plain, row)) {
        *e = *plain;
        return true;
    }
    if (plain->text != NULL) return false;
    for (unsigned choice = 0; choice < 4; choice++)
        for (int form = OPF_DPS; form <= OPF_GENERIC; form++) {
            if (!example_has_form(inst, (OpForm)form)) continue;
            example_init(e, inst, profile, (OpForm)form);
            e->bench = bench_for(plain, row);
            e->no_library = plain->no_library && !of_library(row);
            e->shown = plain->shown;
            e->compat = compat;
            open_guards(e, row, choice);
            present(e, row, choice);
            e->max_tries = 1500;
            if (example_find(e) && !e->warned) return true;
        }
    return restart(e, plain, row, compat);
}

/* ---- breaking a row ---- */

static bool is_warning(const Example *e, const RuleRow *row) {
    return !e->compat && (row->when == VENDOR || row->when == DEPRECATED || row->when == WARN ||
                          row->when == LIBRARY_WARN);
}

/* Makes one part of a guard untrue. */
static bool close_guard(Example *e, Guard g) {
    static const uint8_t opposite[] = {[G_PRESENT] = G_ABSENT,
                                       [G_ABSENT] = G_PRESENT,
                                       [G_ATTR] = G_NO_ATTR,
                                       [G_NO_ATTR] = G_ATTR,
                                       [G_ATTR_IS] = G_ATTR_IS};
    const bool is_set = g.kind == G_SPACE || g.kind == G_ELEM || g.kind == G_LAYOUT ||
                        g.kind == G_EMPTY || g.kind == G_ATTR_IS;
    const Example before = *e;
    g.set = ~g.set;
    if (!is_set) g.kind = opposite[g.kind];
    open_guard(e, &g, 0);
    return memcmp(&before.operands, &e->operands, sizeof before.operands) != 0 ||
           memcmp(&before.attrs, &e->attrs, sizeof before.attrs) != 0;
}

static bool close_guards(Example *e, const RuleRow *row) {
    const RowGuard *g = row_guard(row);
    for (unsigned i = 0; i < g->n; i++)
        if (close_guard(e, guard_list(g)[i])) return true;
    return false;
}

/* More than the search of examples does: rows that need not count. */
static bool repair(Example *e, const RuleRow *row) {
    return example_repair(e, row) || close_guards(e, row);
}

/* Whether the row is the first that is broken now; mends what is broken before it, and everything
 * else if it is a warning. */
static bool first_broken(Example *e, const RuleRow *row, bool *around) {
    enum { MOST_MENDS = 12 };
    unsigned n;
    const RuleRow *rows = rule_rows(inst_id(e->inst), &n);
    bool all = is_warning(e, row);
    for (int i = 0; i < MOST_MENDS; i++) {
        Verdict v;
        example_judge(e, &v);
        *around |= v.around;
        if (v.row == row || (all && v.warned)) { /* on the bench: so say reader and verifier */
            e->wanted = row;
            example_judge_text(e, &v);
            return v.read && (all ? v.hit && v.accepted : v.row == row && !v.accepted);
        }
        bool before = v.row != NULL && (all || v.row < rows || v.row >= rows + n || v.row < row);
        if (!v.read || !before || !repair(e, v.row)) return false;
    }
    return false;
}

/* A tile that may not be allocated comes from outside, so that the rule is asked. */
static bool attempt(Example *e, const Example *changed, const RuleRow *row) {
    Example one = *changed;
    bool around = false;
    one.tries = e->tries;
    bool hit = first_broken(&one, row, &around);
    if (!hit && around && !one.given) {
        e->tries = one.tries;
        one = *changed;
        one.given = true;
        hit = first_broken(&one, row, &around);
    }
    e->tries = one.tries;
    if (hit) *e = one; /* frozen operands and all */
    return hit;
}

static bool break_elem(Example *e, int a, ElemSet bad, const RuleRow *row) {
    for (int k = 0; k < ELEM_COUNT; k++) {
        if ((ELEM_BIT(k) & bad) == 0) continue;
        Example one = *e;
        one.operands[a].elem = (uint8_t)k;
        one.operands[a].elems = ELEM_BIT(k);
        one.operands[a].own_type = true;
        example_settle(&one);
        if (attempt(e, &one, row)) return true;
    }
    return false;
}

static bool break_space(Example *e, int a, uint64_t bad, const RuleRow *row) {
    for (int k = SPACE_MAT; k < SPACE_COUNT; k++) {
        if (((uint64_t)1 << k & bad) == 0) continue;
        Example one = *e;
        one.operands[a].space = (uint8_t)k;
        one.operands[a].spaces = (uint16_t)(1u << k);
        if (attempt(e, &one, row)) return true;
    }
    return false;
}

static bool break_layout(Example *e, int a, uint64_t bad, const RuleRow *row) {
    for (int k = 0; k < 6; k++) {
        if ((1u << k & bad) == 0) continue;
        Example one = *e;
        one.operands[a].layout = (uint8_t)(1u << k);
        one.operands[a].layouts = (uint8_t)(1u << k);
        example_settle(&one);
        if (attempt(e, &one, row)) return true;
    }
    return false;
}

static int64_t *dim_of(ExampleOperand *o, int d) {
    int64_t *const dims[] = {&o->rows, &o->cols, &o->vrow, &o->vcol};
    return dims[d];
}

/* Other extents for one operand: one dimension, or a shape with its valid region. */
static bool break_shape(Example *e, int a, const RuleRow *row) {
    static const int64_t extents[] = {1,    2,    3,    4,    5,     7,     8,      12, 15,
                                      16,   17,   24,   31,   32,    33,    48,     64, 96,
                                      100,  128,  160,  192,  255,   256,   320,    0,  512,
                                      1024, 2048, 4096, 8192, 16384, 65536, DYNAMIC};
    for (unsigned k = 0; k < sizeof extents / sizeof extents[0]; k++)
        for (int d = 0; d < 8; d++) {
            Example one = *e;
            ExampleOperand *o = &one.operands[a];
            int64_t v = extents[k];
            bool physical = d == DIM_ROWS || d == DIM_COLS || d >= 4;
            if ((v == DYNAMIC || v == 0) && physical) continue;
            if (d < 4) *dim_of(o, d) = v;
            if (d >= 6) { /* with a valid extent that is not known */
                *dim_of(o, d - 6) = v;
                *dim_of(o, d - 4) = DYNAMIC;
            } else if (d >= 4) { /* with the valid extent, which fills it */
                *dim_of(o, d - 4) = v;
                *dim_of(o, d - 2) = v;
            } else if (d == DIM_VROW && v > o->rows) {
                o->rows = v;
            } else if (d == DIM_VCOL && v > o->cols) {
                o->cols = v;
            }
            if (o->vrow > o->rows) o->vrow = o->rows;
            if (o->vcol > o->cols) o->vcol = o->cols;
            Example bare = one; /* no whole blocks: a tile from outside */
            bare.given = true;
            bare.operands[a].frozen = true;
            example_settle(&one);
            o->frozen = true;
            if (attempt(e, &one, row) || (physical && attempt(e, &bare, row))) return true;
        }
    return false;
}

/* The same where the valid regions of all others, of the second operand, or none, are unknown. */
static bool break_extents(Example *e, int a, const RuleRow *row) {
    const int b = row_b(row);
    if (break_shape(e, a, row)) return true;
    for (int k = 0; k < 3; k++) {
        Example other = *e;
        for (int i = 0; i < operands_of(e->inst); i++) {
            ExampleOperand *o = &other.operands[i];
            if (i == a || (o->kind != K_TILE && o->kind != K_MULTI)) continue;
            if (k == 2 && o->vrow == DYNAMIC) o->vrow = o->rows;
            if (k == 2 && o->vcol == DYNAMIC) o->vcol = o->cols;
            if (k == 2 || (k == 1 && i != b)) continue;
            o->vrow = o->vcol = DYNAMIC;
            o->frozen = true;
        }
        if (!break_shape(&other, a, row)) continue;
        *e = other;
        return true;
    }
    return false;
}

/* Less than any tile that can be allocated has. */
static bool break_room(Example *e, int a, const RuleRow *row) {
    for (int64_t rows = 1; rows <= 2; rows++)
        for (int64_t cols = 1; cols <= 8; cols *= 2) {
            Example one = *e;
            ExampleOperand *o = &one.operands[a];
            o->rows = o->vrow = rows;
            o->cols = o->vcol = cols;
            o->frozen = true;
            one.given = true;
            if (attempt(e, &one, row)) return true;
        }
    return false;
}

static bool break_constant(Example *e, int a, const RuleRow *row) {
    const int64_t values[] = {(int64_t)row_args(row)->lo - 1,
                              (int64_t)row_args(row)->hi + 1,
                              (int64_t)row_args(row)->lo + 1,
                              -1,
                              3,
                              1 << 20};
    for (unsigned k = 0; k < sizeof values / sizeof values[0]; k++) {
        if ((k == 0 && row_args(row)->lo == INT32_MIN) || (k == 1 && row_args(row)->hi == NO_LIMIT))
            continue;
        Example one = *e;
        one.operands[a].constant = true;
        one.operands[a].value = values[k];
        if (attempt(e, &one, row)) return true;
    }
    return false;
}

static bool break_count(Example *e, int a, const RuleRow *row) {
    for (uint8_t k = 0; k < 9; k++) {
        Example one = *e;
        one.operands[a].count = k;
        one.operands[a].fixed_count = true;
        if (k != e->operands[a].count && attempt(e, &one, row)) return true;
    }
    return false;
}

static bool break_small(Example *e, int a, const RuleRow *row) {
    static const uint16_t fractals[] = {32, 512, 1024};
    for (int k = 0; k < 10; k++) {
        Example one = *e;
        if (k < 3)
            one.operands[a].fractal = fractals[k];
        else if (k < 7)
            one.operands[a].pad = (uint8_t)(k - 3);
        else
            one.operands[a].compact = (uint8_t)(k - 7);
        if (attempt(e, &one, row)) return true;
    }
    return false;
}

static bool break_view(Example *e, int a, const RuleRow *row) {
    static const int64_t extents[] = {0, 1, 8, 16, 24, 32, 48, 64, 1024, DYNAMIC};
    for (int rank = 0; rank <= 9; rank++)
        for (unsigned k = 0; k < sizeof extents / sizeof extents[0]; k++) {
            int64_t last = extents[k];
            Example one = *e;
            ExampleOperand *o = &one.operands[a];
            o->rank = (uint8_t)rank;
            for (int i = 0; i < 5; i++)
                o->dims[i] = i + 1 == rank ? last : i + 2 == rank ? 32 : 1;
            if (attempt(e, &one, row)) return true;
        }
    return false;
}

static bool break_share(Example *e, int a, int b, const RuleRow *row) {
    Example one = *e;
    if (b < 0 || a >= e->inst->nslots || b >= e->inst->nslots) return false;
    if (row->cond == C_OPERAND_OVERLAP)
        one.operands[a].addr = one.operands[b].addr;
    else
        one.operands[a].same_as = (uint8_t)(b + 1);
    if (attempt(e, &one, row)) return true;
    if (row->cond == C_OPERAND_OVERLAP) return false;
    uint8_t count = one.operands[a].count;
    one.operands[a] = e->operands[b]; /* of its type as well */
    one.operands[a].count = count;
    one.operands[a].same_as = (uint8_t)(b + 1);
    return attempt(e, &one, row);
}

/* Another number of lanes, or masks of another width, for one operand or result: as it is, and with
 * those of all others. */
static bool break_lanes(Example *e, int a, const RuleRow *row) {
    static const uint16_t lanes[] = {0, 1, 2, 32, 63, 100, 128, 256, 512};
    for (unsigned k = 0; k < sizeof lanes / sizeof lanes[0]; k++)
        for (unsigned bits = 0; bits <= 32; bits = bits == 0 ? 8 : bits * 2)
            for (int all = 0; all < 2; all++) {
                Example one = *e;
                for (int i = 0; i < operands_of(e->inst); i++)
                    if ((i == a || all) &&
                        (one.operands[i].kind == K_LANES || one.operands[i].kind == K_LANE_MASK)) {
                        one.operands[i].lanes = lanes[k];
                        one.operands[i].mask_bits = (uint8_t)bits;
                        one.operands[i].own_type = true;
                    }
                if (attempt(e, &one, row)) return true;
            }
    return false;
}

static bool break_operand(Example *e, int a, const RuleRow *row) {
    const bool lanes = e->operands[a].kind == K_LANES || e->operands[a].kind == K_LANE_MASK;
    if (lanes && break_lanes(e, a, row)) return true;
    const int b = row_b(row);
    switch ((CondId)row->cond) {
    case C_LOW_PRECISION:
        return break_elem(e, a, E_LOW, row);
    case C_ELEM_TYPE:
        return break_elem(e, a, ~row_args(row)->set, row);
    case C_ELEM_SIZE:
    case C_ELEM_MISMATCH:
    case C_ELEM_SIZE_MISMATCH:
    case C_ELEM_PAIR:
    case C_SCALAR_MISMATCH:
    case C_SCALAR_EXACT:
    case C_OPERAND_KIND:
    case C_TYPE_MISMATCH:
        return break_elem(e, a, ~(ElemSet)0, row) || (b >= 0 && break_elem(e, b, ~(ElemSet)0, row));
    case C_LOCATION:
    case C_POINTER_SPACE:
        return break_space(e, a, ~row_args(row)->set, row);
    case C_LOCATION_PAIR:
        return break_space(e, a, ~0ull, row) || break_space(e, b, ~0ull, row);
    case C_LAYOUT:
        return break_layout(e, a, ~row_args(row)->set, row);
    case C_LAYOUT_PAIR:
        return break_layout(e, a, ~0ull, row) || break_layout(e, b, ~0ull, row);
    case C_FRACTAL:
    case C_PAD_VALUE:
    case C_COMPACT_MODE:
        return break_small(e, a, row);
    case C_VALID_MISMATCH:
    case C_VALID_RANGE:
    case C_VALID_RELATION:
    case C_SHAPE_MISMATCH:
    case C_SHAPE_RANGE:
    case C_SHAPE_RELATION:
    case C_TMP_CAPACITY:
        if (row->cond == C_TMP_CAPACITY && break_room(e, a, row)) return true;
        return break_extents(e, a, row) || (b >= 0 && break_extents(e, b, row));
    case C_ELEMENT_COUNT:
        return break_extents(e, a, row) || (b >= 0 && break_view(e, b, row));
    case C_VIEW_EXTENT:
    case C_VIEW_RANK_RANGE:
        return break_view(e, a, row);
    case C_STATIC_EXTENTS:
        return break_extents(e, a, row) || break_view(e, a, row);
    case C_CONST_RANGE:
        return break_constant(e, a, row);
    case C_OPERAND_REQUIRED:
    case C_OPERAND_CONFLICT:
    case C_COUNT_RANGE:
        return break_count(e, a, row);
    case C_DISTINCT_OPERANDS:
    case C_OPERAND_OVERLAP:
        return break_share(e, a, b, row) || break_share(e, b, a, row);
    case C_CHECK:
        return break_elem(e, a, ~(ElemSet)0, row) || break_space(e, a, ~0ull, row) ||
               break_layout(e, a, ~0ull, row) || break_small(e, a, row) ||
               break_extents(e, a, row) || break_view(e, a, row);
    default:
        return false;
    }
}

static bool break_attr(Example *e, int a, const RuleRow *row) {
    const AttrInfo *info = &e->inst->attrs[a];
    const int64_t values[] = {(int64_t)row_args(row)->lo - 1,
                              (int64_t)row_args(row)->hi + 1,
                              (int64_t)row_args(row)->lo + 1,
                              0,
                              1,
                              2,
                              3,
                              5,
                              -1,
                              99};
    int n = info->type == AT_ENUM ? example_attr_values(info) : 10;
    for (int k = -1; k < n; k++) {
        Example one = *e;
        int64_t v = k < 0 ? 0 : info->type == AT_ENUM ? k : values[k];
        one.attrs[a] = (ExampleAttr){.present = k >= 0, .fixed = true, .value = v};
        if (attempt(e, &one, row)) return true;
    }
    return false;
}

static bool break_by_search(Example *e, const RuleRow *row) {
    uint32_t total = changes_of(e->inst), seed = 1;
    for (uint32_t k = 0; k < total; k++) {
        Example one = *e;
        if (change_one(&one, k) && attempt(e, &one, row)) return true;
    }
    for (int pair = 0; total > 0 && pair < 4000; pair++) {
        Example two = *e;
        uint32_t first = next_random(&seed) % total, second = next_random(&seed) % total;
        if (change_one(&two, first) && change_one(&two, second) && attempt(e, &two, row))
            return true;
    }
    return false;
}

bool mutate_break(Example *e, const RuleRow *row) {
    bool about_attribute = rule_about_attribute(row);
    const Example same = *e;
    if (e->text != NULL) return false;
    if (attempt(e, &same, row)) return true; /* a warning that all programs have */
    RowName name;
    for (const uint8_t *at = row_about(row); row_next(&at, &name);)
        if (name.index >= 0 &&
            (about_attribute ? name.index < EXAMPLE_MAX_ATTRS && break_attr(e, name.index, row)
                             : break_operand(e, name.index, row)))
            return true;
    return break_by_search(e, row);
}
