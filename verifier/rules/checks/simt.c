/* SPDX-License-Identifier: Apache-2.0 */
/* Named functions of the rules about code of single work items, and of the values in it. */
#include "ir/core.h"
#include "verifier/rules/checks/checks.h"

#include <string.h>

/* ---- vectors ---- */

Answer check_integer_lanes(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    if (t == NULL || t->kind != TY_VECTOR || elem_infos[t->elem].cls == 'I') return HOLDS;
    return fails(c, "%s is a vector of %s, expected signless integers", case_name(c, r->a),
                 elem_infos[t->elem].text);
}

Answer check_float_lanes(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    if (t == NULL || t->kind != TY_VECTOR || !elem_is_int((Elem)t->elem)) return HOLDS;
    return fails(c, "%s is a vector of %s, expected floats", case_name(c, r->a),
                 elem_infos[t->elem].text);
}

/* Returns the bits of a scalar or vector; 0: of another type, or not known. */
static unsigned value_bits(const Type *t) {
    if (t->kind != TY_SCALAR && t->kind != TY_VECTOR) return 0;
    const Type *e = t->kind == TY_VECTOR ? t->elem_type : t;
    const unsigned bits = e->elem == ELEM_ODD_INT ? e->width : elem_storage_bits((Elem)e->elem);
    return t->kind == TY_VECTOR ? bits * t->count : bits;
}

Answer check_llvm_bitcast(const Case *c, const Rule *r) {
    const Type *a = case_type(c, r->a), *b = case_type(c, r->b);
    if (a == NULL || b == NULL || value_bits(a) == 0 || value_bits(b) == 0) return HOLDS;
    return value_bits(a) == value_bits(b)
               ? HOLDS
               : fails(c, "the result has %u bits, expected %u", value_bits(b), value_bits(a));
}

/* ---- places ---- */

Answer check_in_simt(const Case *c, const Rule *r) {
    (void)r;
    return op_simt_around(c->op) != NULL
               ? HOLDS
               : fails(c,
                       "it is neither in pto.section.simt nor in a function with pto.simt_entry");
}

Answer check_packed_place(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    return t == NULL || t->kind != TY_VECTOR ? HOLDS : check_in_simt(c, r);
}

Answer check_not_in_simt(const Case *c, const Rule *r) {
    (void)r;
    const Op *around = op_simt_around(c->op);
    return around == NULL ? HOLDS
                          : fails(c, "it is in %s",
                                  op_is(around, INST_FUNC) ? "a function with pto.simt_entry"
                                                           : "pto.section.simt");
}

Answer check_not_in_simt_entry(const Case *c, const Rule *r) {
    const Op *func = op_function(c->op);
    return func == NULL || op_attr_named(func, ATTR_pto_simt_entry) == NULL
               ? HOLDS
               : check_not_in_simt(c, r);
}

Answer check_in_entry(const Case *c, const Rule *r) {
    (void)r;
    const Op *func = op_function(c->op);
    return func == NULL || op_is_entry(func) ? HOLDS : fails(c, "it is not in an entry function");
}

/* ---- memory ---- */

Answer check_atomic_64(const Case *c, const Rule *r) {
    const Type *p = case_type(c, r->a), *t = case_type(c, r->b);
    return p == NULL || t == NULL || p->kind != TY_PTR || p->space != SPACE_VEC ||
                   t->kind != TY_SCALAR || t->elem != ELEM_I64
               ? HOLDS
               : fails(c, "an atomic operation of 64 bits is not possible in ub");
}

static void note_packed(PtrMap *used, const Operand *list, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (list[i].value != NULL && list[i].value->type->kind == TY_VECTOR)
            *ptrmap_at(used, list[i].value) = used;
}

static bool note_packed_uses(Op *op, void *used) {
    note_packed(used, op->operands, op->noperands);
    for (unsigned s = 0; s < op->nsuccs; s++)
        note_packed(used, op_succs(op)[s].args, op_succs(op)[s].nargs);
    return true;
}

/* True when something uses the vector; a function is searched once. */
static bool is_packed_used(Judge *j, Op *func, const Value *value) {
    if (j->packed_of != func) {
        j->packed_of = func;
        j->packed = (PtrMap){.arena = j->arena};
        op_walk(func, note_packed_uses, &j->packed);
    }
    return ptrmap_get(&j->packed, value) != NULL;
}

Answer check_packed_result(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    Op *func = op_function(c->op);
    if (t == NULL || t->kind != TY_VECTOR || func == NULL) return HOLDS;
    return !is_packed_used(c->judge, func, case_value(c, r->a))
               ? HOLDS
               : fails(c, "the old value of an atomic operation on a vector is used");
}

/* ---- conversions ---- */

typedef enum Side {
    SIDE_INT,
    SIDE_F16,
    SIDE_BF16,
    SIDE_F32,
    SIDE_F16X2,
    SIDE_BF16X2,
    SIDE_F32X2,
    SIDE_F8X2,
    SIDE_HIF8X2,
    SIDE_F4X2,
    SIDES
} Side;

static Side side_of(const Type *t) {
    const Elem e = (Elem)t->elem;
    const bool pair = t->kind == TY_VECTOR;
    if (t->kind != TY_SCALAR && !pair) return SIDES;
    if (e == ELEM_I32 || e == ELEM_I64) return pair ? SIDES : SIDE_INT;
    if (e == ELEM_F16) return pair ? SIDE_F16X2 : SIDE_F16;
    if (e == ELEM_BF16) return pair ? SIDE_BF16X2 : SIDE_BF16;
    if (e == ELEM_F32) return pair ? SIDE_F32X2 : SIDE_F32;
    if (pair) return SIDE_F8X2;
    return e == ELEM_HIF8X2 ? SIDE_HIF8X2 : elem_is_fp4(e) ? SIDE_F4X2 : SIDES;
}

/* Values of #pto.rounding, as a set. */
enum {
    ROUND_R = 1,
    ROUND_A = 2,
    ROUND_O = 32,
    ROUND_H = 64,
    ROUND_COMMON = 31, /* r a f c z */
};

static bool is_packed(Side s) {
    return s >= SIDE_F16X2;
}

/* Returns the roundings of a conversion; 0: there is none. */
static unsigned roundings(Side from, Side to) {
    if (from == SIDES || to == SIDES) return 0;
    if (from == SIDE_INT || to == SIDE_INT)
        return from != to && !is_packed(from) && !is_packed(to) ? ROUND_COMMON : 0;
    if (is_packed(from) != is_packed(to)) return 0;
    if ((from == SIDE_F32 && to == SIDE_F16) || (from == SIDE_F32X2 && to == SIDE_F16X2))
        return ROUND_COMMON | ROUND_O;
    if (from <= SIDE_F32X2 && to <= SIDE_F32X2) return ROUND_COMMON;
    if (to == SIDE_F8X2) return from == SIDE_F32X2 ? ROUND_R : 0;
    if (to == SIDE_HIF8X2) return from == SIDE_F32X2 || from == SIDE_F16X2 ? ROUND_A | ROUND_H : 0;
    if (from == SIDE_F8X2 || from == SIDE_HIF8X2)
        return to == SIDE_F32X2 || to == SIDE_F16X2 ? ROUND_COMMON : 0;
    return (from == SIDE_BF16X2 && to == SIDE_F4X2) || (from == SIDE_F4X2 && to == SIDE_BF16X2)
               ? ROUND_COMMON
               : 0;
}

/* Reads the sides of a conversion; false when a type is not known. */
static bool sides(const Case *c, const Rule *r, Side *from, Side *to) {
    const Type *a = case_type(c, r->a), *b = case_type(c, r->b);
    if (a == NULL || b == NULL) return false;
    *from = side_of(a);
    *to = side_of(b);
    return *from != SIDES && *to != SIDES;
}

Answer check_convert_types(const Case *c, const Rule *r) {
    Side from, to;
    if (!sides(c, r, &from, &to)) return HOLDS;
    const Type *a = case_type(c, r->a), *b = case_type(c, r->b);
    if (is_packed(from) != is_packed(to))
        return fails(c, "a scalar and a pair of numbers do not become each other");
    if (from == SIDE_INT && to == SIDE_INT) return fails(c, "both types are integers");
    if ((a->elem == ELEM_I64 && to != SIDE_F32) || (b->elem == ELEM_I64 && from != SIDE_F32))
        return fails(c, "i64 becomes f32 only, and is made of f32 only");
    return roundings(from, to) != 0 ? HOLDS
                                    : fails(c, "there is no conversion of %.*s to %.*s",
                                            TYPE_TEXT(c->judge, a), TYPE_TEXT(c->judge, b));
}

Answer check_convert_signs(const Case *c, const Rule *r) {
    Side from, to;
    const bool given = op_attr_named(c->op, ATTR_signedness) != NULL;
    if (!sides(c, r, &from, &to)) return HOLDS;
    if (from == SIDE_INT || to == SIDE_INT)
        return given
                   ? HOLDS
                   : fails(c, "signed or unsigned is missing, which says how the integer is read");
    return !given ? HOLDS : fails(c, "signed and unsigned are for integers only");
}

static int64_t word_of(const Case *c, AttrName name) {
    const NamedAttr *a = op_attr_named(c->op, name);
    return a != NULL && a->value->kind == ATTR_ENUM ? enum_number(a->value) : -1;
}

Answer check_convert_sat(const Case *c, const Rule *r) {
    Side from, to;
    enum { NOSAT = 1 };
    return !sides(c, r, &from, &to) || to != SIDE_INT || word_of(c, ATTR_saturation) != NOSAT
               ? HOLDS
               : fails(c, "a float becomes an integer with sat only");
}

Answer check_convert_round(const Case *c, const Rule *r) {
    Side from, to;
    const int64_t round = word_of(c, ATTR_rounding);
    if (!sides(c, r, &from, &to) || round < 0 || roundings(from, to) == 0) return HOLDS;
    const unsigned set = roundings(from, to);
    if ((set >> round & 1) != 0) return HOLDS;
    char words[32] = "";
    for (unsigned i = 0; i < enum_infos[EF_ROUNDING].nvalues; i++)
        if ((set >> i & 1) != 0) {
            strcat(words, words[0] != '\0' ? " " : "");
            strcat(words, enum_infos[EF_ROUNDING].values[i].text);
        }
    return fails(c, "round(%s), but this conversion has %s",
                 enum_infos[EF_ROUNDING].values[round].text, words);
}

/* ---- values from one launch to the next ---- */

Answer check_kept_type(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    if (t == NULL) return HOLDS;
    const bool fits =
        type_is_int(t) ? value_bits(t) <= 64
                       : t->kind == TY_SCALAR &&
                             (t->elem == ELEM_F16 || t->elem == ELEM_BF16 || t->elem == ELEM_F32);
    return fits
               ? HOLDS
               : fails(c,
                       "%s has type %.*s, expected an integer of at most 64 bits, f16, bf16 or f32",
                       case_name(c, r->a), TYPE_TEXT(c->judge, t));
}

/* Reads which slots a pto.keep or pto.resume takes. */
static bool slots_of(const Op *op, int64_t *first, int64_t *last) {
    const NamedAttr *a = op_attr_named(op, ATTR_slot);
    const Type *t = op->nresults > 0 ? op->results[0].type
                    : op->noperands > 0 && op->operands[0].value != NULL
                        ? op->operands[0].value->type
                        : NULL;
    if (a == NULL || a->value->kind != ATTR_INT || t == NULL) return false;
    *first = a->value->i;
    *last = *first + (value_bits(t) > 32);
    return true;
}

Answer check_slot_pair(const Case *c, const Rule *r) {
    int64_t first, last;
    enum { LAST_SLOT = 122 };
    (void)r;
    if (!slots_of(c->op, &first, &last) || first == last) return HOLDS;
    return (first % 2 == 0 && last <= LAST_SLOT)
               ? HOLDS
               : fails(c, "slot %lld for a value of 64 bits, expected an even one below %d",
                       (long long)first, LAST_SLOT);
}

/* Those before a statement in its group have been judged: looking back over more than there are
 * slots finds nothing new. */
Answer check_slots_apart(const Case *c, const Rule *r) {
    enum { MOST = 128 };
    int64_t first, last, f, l;
    (void)r;
    if (!slots_of(c->op, &first, &last)) return HOLDS;
    const Op *op = c->op->prev;
    for (int i = 0; op != NULL && i < MOST; op = op->prev, i++)
        if (op->inst == c->op->inst && slots_of(op, &f, &l) && f <= last && l >= first)
            return fails(c, "slot %lld is taken already", (long long)(f > first ? f : first));
    return HOLDS;
}

/* True when the statement is in the outer block of the code of work items. */
static bool is_outer(const Case *c) {
    const Op *around = op_simt_around(c->op);
    return around == NULL || region_owner(c->op->block) == around;
}

Answer check_resume_place(const Case *c, const Rule *r) {
    (void)r;
    const Op *op = c->op->prev;
    while (op != NULL && op_is(op, INST_CONSTANT))
        op = op->prev;
    return ((is_outer(c) && (op == NULL || op_is(op, INST_RESUME))))
               ? HOLDS
               : fails(c, "it is not among the first statements of the code, after constants");
}

Answer check_keep_place(const Case *c, const Rule *r) {
    (void)r;
    const Op *op = c->op->next;
    while (op != NULL && op_is(op, INST_SYNCTHREADS))
        op = op->next;
    return ((is_outer(c) && (op == NULL || op_is(op, INST_KEEP) || op_is(op, INST_RETURN))))
               ? HOLDS
               : fails(c, "it is not among the last statements of the code");
}
