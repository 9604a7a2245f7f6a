/* SPDX-License-Identifier: Apache-2.0 */
/* Logical masks as masks of registers. A mask is made where the text has it, again for each width
 * of lanes that it is used with, or converted from the width that it has. */
#include "passes/lower_vmi/lower.h"

#include "ir/dense.h"

#include <stdlib.h>
#include <string.h>

static unsigned held(unsigned bits) {
    return REGISTER_BITS / bits;
}

static LaneMask *note_mask(Lowering *l, const Value *value, Op *before) {
    LaneMask *m = ARENA_NEW(l->arena, LaneMask);
    *m = (LaneMask){.value = value, .before = before, .lanes = value->type->count};
    *ptrmap_at(&l->masks, value) = m;
    return m;
}

void vmi_set_mask(Lowering *l, const Value *result, unsigned bits, Value **at) {
    LaneMask *m = note_mask(l, result, l->op);
    m->at[bits / 16] = at;
    vmi_name_masks(l, m, at, registers_for(m->lanes, bits));
}

void vmi_set_argument(Lowering *l, const Value *value, Op *before, Value **at) {
    LaneMask *m = note_mask(l, value, before);
    m->at[0] = at;
    m->named = true;
}

/* Notes that a result of the statement is made by a function when it is needed. */
static bool made_later(Lowering *l, void (*make)(Lowering *l, LaneMask *m, unsigned bits)) {
    LaneMask *m = note_mask(l, l->op->results, l->op);
    m->make = make;
    m->op = l->op;
    return true;
}

/* ---- other widths ---- */

static Value *half(Lowering *l, InstId id, const char *part, Value *v, unsigned bits) {
    Value *r = LOWER(l, id, vmi_mask_type(l, bits), v);
    vmi_word(l, r->def, ATTR_part, EF_HALF, part);
    return r;
}

static Value *combined(Lowering *l, InstId id, Value *a, Value *b, unsigned bits) {
    return LOWER(l, id, a->type, a, b, vmi_full(l, bits));
}

/* From half the width: each mask becomes two. */
static void spread(Lowering *l, LaneMask *m, unsigned bits) {
    const uint32_t n = registers_for(m->lanes, bits);
    Value **at = vmi_room(l, n), **from = m->at[bits / 2 / 16];
    for (uint32_t k = 0; k < n; k++)
        at[k] = half(l, INST_PUNPACK, k % 2 == 0 ? "LOWER" : "HIGHER", from[k / 2], bits);
    m->at[bits / 16] = at;
}

/* From twice the width: two masks become one. */
static void gather(Lowering *l, LaneMask *m, unsigned bits) {
    const uint32_t n = registers_for(m->lanes, bits), wide = registers_for(m->lanes, 2 * bits);
    Value **at = vmi_room(l, n), **from = m->at[2 * bits / 16];
    for (uint32_t k = 0; k < n; k++) {
        at[k] = half(l, INST_PPACK, "LOWER", from[2 * k], bits);
        if (2 * k + 1 < wide)
            at[k] = combined(l, INST_POR, at[k],
                             half(l, INST_PPACK, "HIGHER", from[2 * k + 1], bits), bits);
    }
    m->at[bits / 16] = at;
}

/* Makes a mask for a width from one that it has, over the width between them. */
static void convert(Lowering *l, LaneMask *m, unsigned bits) {
    if (m->at[1] == NULL) (m->at[2] != NULL ? gather : spread)(l, m, 16);
    if (bits == 8) gather(l, m, 8);
    if (bits == 32) spread(l, m, 32);
}

Value **vmi_masks(Lowering *l, const Value *mask, unsigned bits) {
    LaneMask *m = ptrmap_get(&l->masks, mask);
    if (m == NULL) return NULL;
    if (m->at[bits / 16] != NULL) return m->at[bits / 16];
    Op *pos = l->pos;
    const Value *like = l->like;
    l->pos = m->before;
    l->like = mask;
    (m->make != NULL ? m->make : convert)(l, m, bits);
    l->pos = pos;
    l->like = like;
    vmi_name_masks(l, m, m->at[bits / 16], registers_for(m->lanes, bits));
    return m->at[bits / 16];
}

Value *vmi_mask_of(Lowering *l, const Value *mask, unsigned bits, uint32_t lanes, uint32_t k) {
    if (mask != NULL) return vmi_masks(l, mask, bits)[k];
    return vmi_prefix(l, bits, lanes_of(lanes, bits, k));
}

/* ---- the first lanes ---- */

static void first_lanes(Lowering *l, LaneMask *m, unsigned bits, uint32_t count) {
    const uint32_t n = registers_for(m->lanes, bits);
    if (count > m->lanes) count = m->lanes;
    Value **at = m->at[bits / 16] = vmi_room(l, n);
    for (uint32_t k = 0; k < n; k++)
        at[k] = vmi_prefix(l, bits, lanes_of(count, bits, k));
}

/* As many lanes as a number says, an i32 of at most all. */
static void counted_lanes(Lowering *l, LaneMask *m, unsigned bits, Value *count) {
    const uint32_t n = registers_for(m->lanes, bits);
    Value **at = m->at[bits / 16] = vmi_room(l, n);
    for (uint32_t k = 0; k < n; k++) {
        const Op *op = vmi_op(l, vmi_plt(bits), &count, 1,
                              (const Type *[]){vmi_mask_type(l, bits), count->type, NULL});
        at[k] = &op->results[0];
        count = &op->results[1];
    }
}

/* True if the text says so: a constant, or the larger of two numbers of which one is. */
static bool never_negative(const Value *v) {
    int64_t n;
    if (vmi_known(v, &n)) return n >= 0;
    return v->def != NULL && op_is(v->def, INST_MAXSI) &&
           ((vmi_known(v->def->operands[0].value, &n) && n >= 0) ||
            (vmi_known(v->def->operands[1].value, &n) && n >= 0));
}

/* The count as i32, from 0 to all lanes. */
static Value *clamped(Lowering *l, Value *count, uint32_t lanes) {
    const Elem e = (Elem)count->type->elem;
    int64_t n;
    if (vmi_known(count, &n))
        return vmi_constant(l, ELEM_I32, n < 0 ? 0 : n > lanes ? lanes : (uint32_t)n);
    if (!never_negative(count))
        count = LOWER(l, INST_MAXSI, count->type, count, vmi_constant(l, e, 0));
    count = LOWER(l, INST_MINSI, count->type, count, vmi_constant(l, e, lanes));
    return vmi_as(l, count, ELEM_I32);
}

static Value *count_of(Lowering *l, const Op *op) {
    return vmi_current(l, named_value(op, OPERAND_count));
}

static void make_counted(Lowering *l, LaneMask *m, unsigned bits) {
    Value *count = count_of(l, m->op);
    int64_t n;
    if (vmi_known(count, &n))
        first_lanes(l, m, bits, n < 0 ? 0 : n > m->lanes ? m->lanes : (uint32_t)n);
    else
        counted_lanes(l, m, bits, clamped(l, count, m->lanes));
}

bool vmi_count_mask(Lowering *l, const Row *row) {
    (void)row;
    return made_later(l, make_counted);
}

/* The count of pto.vmi.plt, and what is left. */
bool vmi_rest_mask(Lowering *l, const Row *row) {
    Value *count = vmi_slot(l, OPERAND_count);
    const Elem e = (Elem)count->type->elem;
    Value *lanes = vmi_constant(l, e, l->op->results[0].type->count);
    Value *left = LOWER(l, INST_MAXSI, count->type, count, lanes); /* first: no difference wraps */
    left = LOWER(l, INST_SUBI, count->type, left, lanes);
    left->name = l->op->results[1].name;
    *ptrmap_at(&l->moved, &l->op->results[1]) = left;
    return vmi_count_mask(l, row);
}

/* PAT_ALL or PAT_VLn. */
static void make_pattern(Lowering *l, LaneMask *m, unsigned bits) {
    const NamedAttr *a = op_attr_named(m->op, ATTR_pattern);
    const char *word = enum_infos[EF_PATTERN].values[a->value->i].text;
    const bool all = strcmp(word, "PAT_ALL") == 0;
    first_lanes(l, m, bits, all ? m->lanes : (uint32_t)strtoul(word + strlen("PAT_VL"), NULL, 10));
}

bool vmi_pattern_mask(Lowering *l, const Row *row) {
    (void)row;
    return made_later(l, make_pattern);
}

/* ---- the first lanes of each group ---- */

static void make_grouped(Lowering *l, LaneMask *m, unsigned bits) {
    const uint32_t size = (uint32_t)op_attr_named(m->op, ATTR_group_size)->value->i;
    if (bits == 8) { /* numbers of lanes do not fit 8 bits */
        vmi_masks(l, m->value, 16);
        gather(l, m, 8);
        return;
    }
    const Elem e = vmi_int(bits, 'U');
    Value *limit = vmi_as(l, clamped(l, count_of(l, m->op), size), vmi_int(bits, 'I'));
    const uint32_t n = registers_for(m->lanes, bits);
    Value **at = m->at[bits / 16] = vmi_room(l, n);
    for (uint32_t k = 0; k < n; k++) {
        Value *i = vmi_numbers(l, e, (int64_t)k * held(bits) % size);
        i = LOWER(l, INST_VAND, i->type, i, vmi_splat(l, e, size - 1), vmi_full(l, bits));
        at[k] = LOWER(l, INST_VCMPS, vmi_mask_type(l, bits), i, limit,
                      vmi_prefix(l, bits, lanes_of(m->lanes, bits, k)));
        vmi_word(l, at[k]->def, ATTR_cmp_mode, EF_LANE_COMPARISON, "lt");
    }
}

bool vmi_group_mask(Lowering *l, const Row *row) {
    (void)row;
    const int64_t size = vmi_number(l, ATTR_group_size, 0);
    if (size <= 0 || size > MOST_LANES || vmi_log2((uint32_t)size) < 0)
        return vmi_refuse(l, "groups of %lld lanes are not a power of two", (long long)size);
    return made_later(l, make_grouped);
}

/* ---- a mask that the text gives ---- */

/* Returns one byte for each lane; NULL: the value is no list of as many. */
static char *lanes_given(Lowering *l, const Op *op, uint32_t n) {
    const NamedAttr *a = op_attr_named(op, ATTR_value);
    char *lanes = ARENA_ARRAY(l->arena, char, n + 1);
    Dense d;
    Attr one;
    if (a == NULL || !dense_open(&d, &l->ctx->names, a->value) || !dense_has(&d, ELEM_I1, n))
        return NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (!dense_next(&d, ELEM_I1, &one)) return NULL;
        lanes[i] = (char)(one.i & 1);
    }
    return lanes;
}

/* Adds the lanes [from, to) of a register to a mask; NULL: none yet. */
static Value *with_run(Lowering *l, Value *mask, unsigned bits, uint32_t from, uint32_t to) {
    Value *run = vmi_range(l, bits, from, to);
    return mask == NULL ? run : combined(l, INST_POR, mask, run, bits);
}

static void make_given(Lowering *l, LaneMask *m, unsigned bits) {
    const char *lanes = lanes_given(l, m->op, m->lanes);
    const uint32_t n = registers_for(m->lanes, bits);
    Value **at = m->at[bits / 16] = vmi_room(l, n);
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t count = lanes_of(m->lanes, bits, k);
        const char *from = lanes + k * held(bits);
        for (uint32_t i = 0, end; i < count; i = end) {
            for (end = i + 1; end < count && from[end] == from[i];)
                end++;
            if (from[i]) at[k] = with_run(l, at[k], bits, i, end);
        }
        if (at[k] == NULL) at[k] = vmi_prefix(l, bits, 0);
    }
}

bool vmi_constant_mask(Lowering *l, const Row *row) {
    enum { MOST_RUNS = 16 };
    (void)row;
    const uint32_t n = l->op->results[0].type->count;
    const char *lanes = lanes_given(l, l->op, n);
    if (lanes == NULL) return vmi_refuse(l, "its value is no list of true and false");
    unsigned runs = 0;
    for (uint32_t i = 0; i < n; i++)
        runs += lanes[i] && (i == 0 || !lanes[i - 1]);
    if (runs > MOST_RUNS)
        return vmi_refuse(l, "its lanes are %u runs, and each takes a statement", runs);
    return made_later(l, make_given);
}

/* ---- logic ---- */

static void make_logic(Lowering *l, LaneMask *m, unsigned bits) {
    const uint32_t n = registers_for(m->lanes, bits);
    const InstId id = m->logic;
    Value **a = vmi_masks(l, m->op->operands[0].value, bits);
    Value **b = id == INST_PNOT ? NULL : vmi_masks(l, m->op->operands[1].value, bits);
    Value **at = m->at[bits / 16] = vmi_room(l, n);
    for (uint32_t k = 0; k < n; k++) {
        Value *of = vmi_prefix(l, bits, lanes_of(m->lanes, bits, k));
        at[k] =
            b == NULL ? LOWER(l, id, of->type, a[k], of) : LOWER(l, id, of->type, a[k], b[k], of);
    }
}

bool vmi_mask_logic(Lowering *l, const Row *row) {
    made_later(l, make_logic);
    LaneMask *m = ptrmap_get(&l->masks, l->op->results);
    m->logic = row->each != 0 ? (InstId)row->each : (InstId)row->to;
    return true;
}
