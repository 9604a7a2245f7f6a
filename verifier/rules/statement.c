/* SPDX-License-Identifier: Apache-2.0 */
/* Accessors of a statement for the conditions: its operands, their types, constants and
 * attributes. */
#include "verifier/rules/case.h"

#include <stdarg.h>

/* ---- types ---- */

const Type *element_type(const Type *t) {
    return t->kind == TY_SCALAR || t->kind == TY_VECTOR ? t : t->elem_type;
}

bool same_element(const Type *a, const Type *b) {
    const Type *x = element_type(a), *y = element_type(b);
    return x == NULL || y == NULL || type_same(x, y);
}

uint8_t tile_layout(const Type *tile, Profile profile) {
    bool col = tile_blayout(tile, profile) == BL_COL_MAJOR;
    switch (tile->tile.slayout) {
    case SL_ROW_MAJOR:
        return col ? LAY_NZ : LAY_ZZ;
    case SL_COL_MAJOR:
        return col ? LAY_NN : LAY_ZN;
    default:
        return col ? LAY_DN : LAY_ND;
    }
}

int64_t tile_dim(const Type *tile, Dim d) {
    const int64_t dims[] = {tile->tile.rows, tile->tile.cols, tile->tile.vrow, tile->tile.vcol};
    return dims[d];
}

/* ---- types of parameters ---- */

static bool is_judged(const Judge *j) {
    return !j->opt->compat && !j->opt->no_library && !j->opt->fragment;
}

/* Whether one of the profiles that judge for `p` accepts the type. */
static bool is_accepted(const Type *t, Profile p) {
    if (!tile_is_boxed(t)) return false;
    for (int q = 0; q < PROFILE_COUNT; q++)
        if ((profile_judges(p) & PROFILE_BIT(q)) != 0 && tile_is_aligned(t, (Profile)q))
            return true;
    return false;
}

ProfileSet profiles_refusing_param(const Judge *j, const Type *t) {
    ProfileSet set = 0;
    if (t == NULL || t->kind != TY_TILE || !is_judged(j)) return 0;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((j->profiles & PROFILE_BIT(p)) != 0 && !is_accepted(t, (Profile)p))
            set |= PROFILE_BIT(p);
    return set;
}

/* ---- ranges and pairs of a row ---- */

bool in_range(const RuleRow *row, int64_t v) {
    return v == DYNAMIC || (v >= row_args(row)->lo && v <= row_args(row)->hi &&
                            (row_args(row)->multiple == 0 || v % row_args(row)->multiple == 0));
}

bool in_pairs(const uint8_t *list, unsigned a, unsigned b) {
    for (; list[0] != 0; list += 2)
        if (list[0] == a && list[1] == b) return true;
    return false;
}

/* ---- operands ---- */

const char *case_name(const Case *c, int index) {
    return inst_operand_text(c->op->inst, index);
}

Value *case_value(const Case *c, int index) {
    const Inst *inst = c->op->inst;
    return index < inst->nslots ? slot_value(c->op, index) : op_result(c->op, index - inst->nslots);
}

Span case_span(const Case *c, int index) {
    const Inst *inst = c->op->inst;
    if (index < 0 || index >= inst->nslots) return c->op->name_span;
    return slot_span(c->op, index);
}

bool constant_operand(const Case *c, int slot, int64_t *out) {
    if (slot < 0 || slot >= c->op->inst->nslots || slot_count(c->op, slot) == 0) return false;
    return number_written(slot_value(c->op, slot), out);
}

/* ---- attributes ---- */

/* Whether the row is about the attributes of this name. */
static bool is_about_attr(const Inst *inst, const RuleRow *row, AttrName attr) {
    RowName name;
    for (const uint8_t *at = row_about(row); row_next(&at, &name);)
        if ((name.index >= 0 ? inst_attr_name(inst, name.index) : name.attr) == attr) return true;
    return false;
}

const NamedAttr *rule_attr(const Case *c, const Rule *r) {
    if (r->a >= 0) return op_attr(c->op, r->a);
    for (unsigned i = 0; i < c->op->nattrs; i++)
        if (is_about_attr(c->op->inst, r->row, (AttrName)c->op->attrs[i].id))
            return &c->op->attrs[i];
    return NULL;
}

bool attr_value_of(const Op *op, int index, int64_t *out) {
    if (index < 0) return false;
    const NamedAttr *a = op_attr(op, index);
    const AttrInfo *info = &op->inst->attrs[index];
    *out = a != NULL ? a->value->i : info->dflt;
    if (a == NULL)
        return !info->required && (info->type == AT_ENUM || info->type == AT_BOOL ||
                                   info->type == AT_INT || info->type == AT_I32);
    return a->value->kind == ATTR_INT || a->value->kind == ATTR_ENUM || a->value->kind == ATTR_BOOL;
}

/* ---- reasons ---- */

Answer fails(const Case *c, const char *fmt, ...) {
    if (c->why == NULL) return FAILS;
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(c->why, fmt, ap);
    va_end(ap);
    return FAILS;
}
