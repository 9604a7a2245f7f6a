/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up the row of the runtime's kernel table for a statement. */
#include "backends/lower/kernel_table.h"

#include "passes/passes.h"

#include "runtime/ptort.h"

#include <string.h>

/* ---- the rows ---- */

const KernelRow *kernel_first(const Inst *inst) {
    const unsigned at = kernel_starts[inst_id(inst)];
    return at < kernel_starts[inst_id(inst) + 1] ? &kernel_table[at] : NULL;
}

const KernelRow *kernel_next(const Inst *inst, const KernelRow *row) {
    return row + 1 < kernel_table + kernel_starts[inst_id(inst) + 1] ? row + 1 : NULL;
}

/* ---- element types ---- */
int kernel_elem(int elem) {
    enum { PTRT_NONE = -1 };
    static const int8_t numbers[ELEM_COUNT] = {
        [ELEM_NONE] = PTRT_NONE,
#define ELEM(name, text, bytes, cls, c, suffix, runtime, cpp, ...) [ELEM_##name] = PTRT_##runtime,
#include "ir/elem.def"
#undef ELEM
    };
    return numbers[elem];
}

/* Returns the value of a slot, or of the result that a number after those of the slots names; NULL:
 * absent. */
static const Value *value_at(const Op *op, int at) {
    const int result = at - op->inst->nslots;
    if (result < 0) return at >= 0 ? slot_value(op, at) : NULL;
    return result < op->nresults ? &op->results[result] : NULL;
}

/* Returns the element type of a slot's operand; ELEM_NONE when it is absent or has none. */
static int slot_elem(const Op *op, int slot) {
    const Value *v = value_at(op, slot);
    const Type *t = v == NULL ? NULL : type_is_tile(v->type) ? tile_value_type(v) : v->type;
    if (t != NULL && t->kind != TY_SCALAR && t->elem_type != NULL) t = t->elem_type;
    return t != NULL && t->kind == TY_SCALAR ? t->elem : ELEM_NONE;
}

int64_t kernel_elem_size(const Op *op, int at) {
    const int elem = slot_elem(op, at);
    return elem == ELEM_INDEX ? 8 : elem_infos[elem].bytes;
}

int64_t kernel_lanes(const Op *op, int at) {
    const Value *v = value_at(op, at);
    return v != NULL ? v->type->count : 0;
}

int kernel_signed_as(int elem, KernelSign sign) {
    static const uint8_t types[][2] = {
        {ELEM_SI8, ELEM_UI8}, {ELEM_SI16, ELEM_UI16}, {ELEM_SI32, ELEM_UI32}};
    const unsigned width = elem_int_width((Elem)elem);
    if (sign == SIGN_WRITTEN || width < 8 || width > 32) return elem;
    if (sign == SIGN_NONE && elem_infos[elem].cls != 'I') return elem;
    return types[width / 16][sign != SIGN_SIGNED];
}

/* Returns the element type that selects code: that of the lanes of a pair. */
static int selecting(const KernelRow *row, const Op *op, int which) {
    int elem = slot_elem(op, row->elems[which]);
    elem = kernel_signed_as(elem, (KernelSign)row->signs[which]);
    return row->way == KERNEL_OVER && elem == ELEM_BF16X2 ? ELEM_BF16 : elem;
}

static int number_of(int elem) {
    return elem == ELEM_NONE ? -1 : kernel_elem(elem);
}

const KernelCond *kernel_type_demand(const KernelRow *row, unsigned k) {
    for (unsigned i = 0; i < row->nconds; i++) {
        const KernelCond *c = &kernel_conds[row->conds + i];
        if ((c->test == KTEST_TYPE || c->test == KTEST_SAME_TYPE) && k-- == 0) return c;
    }
    return NULL;
}

int kernel_slot_elem(const KernelRow *row, const Op *op, int which) {
    return row->elems[which] >= 0 ? selecting(row, op, which) : ELEM_NONE;
}

int kernel_elem_of(const Op *op, int at) {
    return slot_elem(op, at);
}

bool kernel_has_types(const KernelRow *row, const Op *op) {
    if (row->ntypes == 0) return true;
    const int e1 = row->elems[0] >= 0 ? number_of(selecting(row, op, 0)) : KERNEL_ANY_ELEM;
    const int e2 = row->elems[1] >= 0 ? number_of(selecting(row, op, 1)) : KERNEL_ANY_ELEM;
    const KernelTypes *types = kernel_types + row->types;
    for (unsigned i = 0; i < row->ntypes; i++)
        if (types[i].e1 == e1 && types[i].e2 == e2) return true;
    return false;
}

/* ---- conditions ---- */

static bool attr_is_word(const Context *ctx, const NamedAttr *a, const char *word) {
    if (a != NULL && a->value->kind == ATTR_ENUM)
        return strcmp(enum_infos[a->value->family].values[a->value->i].text, word) == 0;
    return a != NULL && a->value->kind == ATTR_STRING && atom_is(&ctx->names, a->value->text, word);
}

static bool is_in(const Op *op, const KernelCond *c) {
    const Value *v = slot_value(op, c->x);
    if (v != NULL && v->type->kind == TY_PTR)
        return (v->type->space == c->other) == (c->test == KTEST_IN_SPACE);
    const Type *t = v != NULL && type_is_tile(v->type) ? tile_value_type(v) : NULL;
    return t != NULL && (t->tile.space == c->other) == (c->test == KTEST_IN_SPACE);
}

static bool condition_holds(const Context *ctx, const Op *op, const KernelCond *c) {
    switch ((KernelTest)c->test) {
    case KTEST_PRESENT:
    case KTEST_ABSENT:
        return (slot_count(op, c->x) > 0) == (c->test == KTEST_PRESENT);
    case KTEST_IN_SPACE:
    case KTEST_OUTSIDE:
        return is_in(op, c);
    case KTEST_TYPE:
        return (c->elems & ELEM_BIT(slot_elem(op, c->x)) & ~ELEM_BIT(ELEM_NONE)) != 0;
    case KTEST_SAME_TYPE:
        return number_of(slot_elem(op, c->x)) == number_of(slot_elem(op, c->other));
    case KTEST_SCALAR:
        return slot_value(op, c->x) != NULL && slot_value(op, c->x)->type->kind == TY_SCALAR;
    case KTEST_MASK:
        return slot_value(op, c->x) != NULL && slot_value(op, c->x)->type->kind == TY_LANE_MASK;
    case KTEST_ATTR:
        return op_attr(op, c->x) != NULL;
    case KTEST_NO_ATTR:
        return op_attr(op, c->x) == NULL;
    case KTEST_ATTR_IS_WORD:
        return attr_is_word(ctx, op_attr(op, c->x), kernel_texts + c->word);
    }
    return false;
}

static bool when_holds(const KernelRow *row, const Context *ctx, const Op *op) {
    bool holds = true;
    for (unsigned i = 0; i < row->nconds; i++) {
        const KernelCond *c = &kernel_conds[row->conds + i];
        if (!c->alternative && !holds) return false;
        if (c->alternative && holds) continue;
        holds = condition_holds(ctx, op, c);
    }
    return holds;
}

/* ---- calls ---- */

/* Whether the call has an argument for every operand and attribute of the statement. */
static bool takes_all(const KernelRow *row, const Op *op) {
    const Inst *inst = op->inst;
    for (int s = 0; s < inst->nslots; s++)
        if ((row->slots >> s & 1) == 0 && slot_count(op, s) > 0) return false;
    for (int a = 0; a < inst->nattrs; a++) {
        const NamedAttr *attr = (row->attrs >> a & 1) == 0 ? op_attr(op, a) : NULL;
        if (attr != NULL &&
            (attr->value->kind == ATTR_STRING || attr->value->i != inst->attrs[a].dflt))
            return false;
    }
    return true;
}

const KernelRow *kernel_of(const Context *ctx, const Op *op) {
    for (const KernelRow *r = kernel_first(op->inst); r != NULL; r = kernel_next(op->inst, r))
        if (when_holds(r, ctx, op) && takes_all(r, op) &&
            (r->way != KERNEL_OVER || kernel_has_types(r, op)))
            return r;
    return NULL;
}
