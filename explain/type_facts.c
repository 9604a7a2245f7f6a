/* SPDX-License-Identifier: Apache-2.0 */
/* The element types, places and layouts that the rules allow for each operand, by profile, and
 * those that have code. */
#include "backends/c/emit.h"
#include "backends/cpp/calls.h"
#include "backends/lower/kernel_table.h"
#include "explain/example_impl.h"
#include "explain/facts.h"
#include "verifier/rules/words.h"

#include <string.h>

static const uint64_t every_space = ((uint64_t)1 << SPACE_COUNT) - 1;
static const uint64_t every_layout = LAY_ROW_MAJOR | LAY_COL_MAJOR;

/* Returns the element types of these sizes in bytes, given as bits. */
static ElemSet elems_of_sizes(uint64_t sizes) {
    ElemSet set = 0;
    for (int e = 1; e < ELEM_COUNT; e++)
        if (elem_infos[e].bytes != 0 && ((uint64_t)1 << elem_infos[e].bytes & sizes) != 0)
            set |= ELEM_BIT(e);
    return set;
}

static ElemSet tile_elems(void) {
    return elems_of_sizes(UINT64_MAX);
}

static void apply_row(TypeFact *t, const RuleRow *row) {
    bool narrows = row->cond == C_ELEM_TYPE || row->cond == C_LOW_PRECISION ||
                   row->cond == C_ELEM_SIZE || row->cond == C_LOCATION || row->cond == C_LAYOUT;
    if (!narrows || !row_is_about(row, t->slot)) return;
    if (row->guard != 0) {
        t->guarded = true;
        return;
    }
    if (row->cond == C_ELEM_TYPE) t->elems &= row_args(row)->set;
    if (row->cond == C_LOW_PRECISION) t->elems &= ~low_precision_elems();
    if (row->cond == C_ELEM_SIZE) t->elems &= elems_of_sizes(row_args(row)->set);
    if (row->cond == C_LOCATION) t->spaces &= row_args(row)->set;
    if (row->cond == C_LAYOUT) t->layouts &= row_args(row)->set;
}

/* Operands that must have the same element type share the restrictions of both. */
static void share_elems(TypeFact *list, unsigned n, const RuleRow *row) {
    if (row->guard != 0 || (row->cond != C_ELEM_MISMATCH && row->cond != C_TYPE_MISMATCH)) return;
    ElemSet both = tile_elems();
    for (unsigned i = 0; i < n; i++)
        if (row_is_about(row, list[i].slot) || row_b(row) == list[i].slot) both &= list[i].elems;
    for (unsigned i = 0; i < n; i++)
        if (row_is_about(row, list[i].slot) || row_b(row) == list[i].slot) list[i].elems = both;
}

static bool row_applies(const RuleRow *row, ProfileSet of) {
    return (row->where & of) != 0 &&
           (row->when == BOTH || row->when == PAGE || row->when == LIBRARY);
}

static TypeFact *find_fact(TypeFact *list, unsigned n, int slot) {
    for (unsigned i = 0; i < n; i++)
        if (list[i].slot == slot) return &list[i];
    return NULL;
}

/* Drops left and right sides of pairs that have no partner left. */
static void apply_pairs(TypeFact *list, unsigned n, const RuleRow *row) {
    if (row->guard != 0 || row->cond != C_ELEM_PAIR) return;
    TypeFact *a = find_fact(list, n, row_a(row)), *b = find_fact(list, n, row_b(row));
    ElemSet left = 0, right = 0;
    for (const uint8_t *p = row_list(row); p[0] != 0; p += 2) {
        if ((a != NULL && (a->elems & ELEM_BIT(p[0])) == 0) ||
            (b != NULL && (b->elems & ELEM_BIT(p[1])) == 0))
            continue;
        left |= ELEM_BIT(p[0]);
        right |= ELEM_BIT(p[1]);
    }
    if (a != NULL) a->elems &= left;
    if (b != NULL) b->elems &= right;
}

/* Computes the types of tile operands by the rows of one profile. */
static unsigned rows_types(const InstFacts *f, ProfileSet of, TypeFact *out) {
    unsigned nrows, n = 0;
    const Inst *inst = f->inst;
    const RuleRow *rows = rule_rows(inst_id(inst), &nrows);
    for (int i = 0; i < inst->nslots; i++)
        if ((slot_types[inst->slots[i].kind].kinds & (K_TILE | K_MULTI)) != 0)
            out[n++] = (TypeFact){
                inst->slots[i].name, of, tile_elems(), every_space, every_layout, false, i};
    for (unsigned i = 0; i < nrows; i++)
        for (unsigned k = 0; k < n && row_applies(&rows[i], of); k++)
            apply_row(&out[k], &rows[i]);
    for (unsigned pass = 0; pass < n; pass++) /* restrictions may pass through several operands */
        for (unsigned i = 0; i < nrows; i++)
            if (row_applies(&rows[i], of)) {
                share_elems(out, n, &rows[i]);
                apply_pairs(out, n, &rows[i]);
            }
    return n;
}

static bool same_types(const TypeFact *a, const TypeFact *b) {
    return a->elems == b->elems && a->spaces == b->spaces && a->layouts == b->layouts &&
           a->guarded == b->guarded;
}

static bool is_restricted(const TypeFact *t) {
    return t->elems != tile_elems() || t->spaces != every_space || t->layouts != every_layout;
}

const TypeFact *type_facts(const InstFacts *f, unsigned *n) {
    TypeFact by_profile[PROFILE_COUNT][INST_MOST_OPERANDS];
    TypeFact *list = ARENA_ARRAY(f->arena, TypeFact, PROFILE_COUNT * INST_MOST_OPERANDS);
    ProfileSet own = inst_profiles(inst_id(f->inst));
    unsigned operands = 0;
    *n = 0;
    for (int p = 0; p < PROFILE_COUNT; p++)
        operands = rows_types(f, PROFILE_BIT(p), by_profile[p]);
    for (unsigned i = 0; i < operands; i++) {
        unsigned first = *n;
        for (int p = 0; p < PROFILE_COUNT; p++) {
            const TypeFact *fact = &by_profile[p][i];
            bool merged = false;
            if ((own & PROFILE_BIT(p)) == 0 || always_refused(f->inst, PROFILE_BIT(p), (Profile)p))
                continue;
            for (unsigned k = first; k < *n && !merged; k++)
                if (same_types(&list[k], fact)) {
                    list[k].where |= PROFILE_BIT(p);
                    merged = true;
                }
            if (!merged && is_restricted(fact)) list[(*n)++] = *fact;
        }
    }
    return list;
}

/* Returns the types with code for some type of the second operand. */
static ElemSet elems_with_code(const Inst *inst) {
    ElemSet set = 0;
    for (const KernelRow *row = kernel_first(inst); row != NULL; row = kernel_next(inst, row))
        for (unsigned i = 0; i < row->ntypes; i++)
            for (int e = 0; e < ELEM_COUNT; e++)
                if (kernel_elem(e) == kernel_types[row->types + i].e1) set |= ELEM_BIT(e);
    return set;
}

/* True when some accepted program gives the operand this type; the facts ignore rules that apply
 * conditionally, so they may include more. */
static bool some_program_has(Arena *arena, const Inst *inst, int slot, int elem) {
    OpForm forms[4];
    Example e;
    if (slot < 0 || inst_forms(inst, forms) == 0) return true;
    for (int p = 0; p < PROFILE_COUNT; p++) {
        example_init(&e, inst, (Profile)p, forms[0]);
        e.operands[slot].elems = ELEM_BIT(elem);
        e.operands[slot].elem = (uint8_t)elem;
        e.starved = ARENA_NEW(arena, bool);
        bool found = example_find(&e);
        check_memory(&e, arena);
        if (found) return true;
    }
    return false;
}

CodeFact code_fact(const InstFacts *f) {
    CodeFact fact = {.emitted = emit_lowers(f->inst)};
    const KernelRow *row = kernel_first(f->inst);
    if (row == NULL) return fact;
    const ElemSet has = elems_with_code(f->inst);
    unsigned n;
    const TypeFact *types = type_facts(f, &n);
    for (unsigned i = 0; i < n; i++) {
        if (types[i].slot != row->elems[0]) continue;
        fact.operand = types[i].operand;
        fact.has |= types[i].elems & has;
        fact.lacks |= types[i].elems & ~has;
    }
    const int slot =
        fact.operand != NULL ? inst_slot_named(f->inst, fact.operand, strlen(fact.operand)) : -1;
    for (int e = 0; e < ELEM_COUNT; e++)
        if ((fact.lacks & ELEM_BIT(e)) && !some_program_has(f->arena, f->inst, slot, e))
            fact.lacks &= ~ELEM_BIT(e);
    return fact;
}

const char *device_call(const InstFacts *f, Profile p) {
    return (f->profiles & PROFILE_BIT(p)) != 0 ? call_shown(f->inst, p, f->arena) : NULL;
}

const char *demand_text(Arena *arena, const KernelCond *d) {
    const ElemSet others = tile_elems() & ~d->elems;
    if ((d->elems & tile_elems()) == d->elems) return elems_text(arena, d->elems);
    return arena_printf(arena, "any but %s", elems_text(arena, others));
}

const char *code_text(const InstFacts *f) {
    const CodeFact fact = code_fact(f);
    if (!fact.emitted)
        return f->inst->rare->unwritable != NULL
                   ? arena_printf(f->arena, "no: %s", f->inst->rare->unwritable)
                   : "no";
    StrBuf out;
    const KernelCond *d;
    sb_init(&out, f->arena);
    if (fact.lacks != 0)
        sb_printf(&out, "where %s has %s", fact.operand, elems_text(f->arena, fact.has));
    const KernelRow *row = kernel_first(f->inst);
    for (unsigned k = 0; row != NULL && (d = kernel_type_demand(row, k)) != NULL; k++) {
        const char *before = out.len == 0 ? "where " : d->alternative ? " or " : "; ";
        const char *x = f->inst->slots[d->x].name;
        if (d->test == KTEST_SAME_TYPE)
            sb_printf(&out, "%s%s and %s have one element type", before, x,
                      f->inst->slots[d->other].name);
        else
            sb_printf(&out, "%s%s has %s", before, x, demand_text(f->arena, d));
    }
    return out.len == 0 ? "yes" : sb_text(&out);
}

const char *elems_text(Arena *arena, ElemSet set) {
    StrBuf out;
    sb_init(&out, arena);
    if (set == tile_elems()) return "any";
    if (set == (tile_elems() & ~low_precision_elems())) return "any but fp8, hif8, fp4 and packed";
    put_elem_set_short(&out, set);
    return sb_text(&out);
}

const char *spaces_text(Arena *arena, uint64_t set) {
    StrBuf out;
    sb_init(&out, arena);
    if ((set & every_space) == every_space) return "any";
    put_names(&out, set, space_names, SPACE_COUNT);
    return sb_text(&out);
}

const char *layouts_text(Arena *arena, uint64_t set) {
    StrBuf out;
    sb_init(&out, arena);
    if ((set & every_layout) == every_layout) return "any";
    put_layouts(&out, set);
    return sb_text(&out);
}
