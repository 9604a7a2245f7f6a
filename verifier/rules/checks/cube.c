/* SPDX-License-Identifier: Apache-2.0 */
/* Named functions of the rules about copies and the cube unit. */
#include "verifier/rules/buffers.h"
#include "verifier/rules/checks/checks.h"
#include "verifier/rules/vocabulary.h"

static Elem elem_of(const Case *c, int slot) {
    return buffer_elem(c->judge->ctx, case_type(c, slot));
}

static bool is_in(Elem e, ElemSet set) {
    return (ELEM_BIT(e) & set) != 0;
}

/* ---- copies ---- */

Answer check_element_bytes(const Case *c, const Rule *r) {
    if (case_type(c, r->a) == NULL || case_type(c, r->b) == NULL) return HOLDS;
    const unsigned a = elem_infos[elem_of(c, r->a)].bytes, b = elem_infos[elem_of(c, r->b)].bytes;
    const int odd = a == 0 ? r->a : r->b;
    if (a == 0 || b == 0)
        return fails(c, "%s has type %.*s, whose elements have no size in bytes", case_name(c, odd),
                     TYPE_TEXT(c->judge, case_type(c, odd)));
    return a == b ? HOLDS
                  : fails(c, "%s has elements of %u bytes but %s has elements of %u",
                          case_name(c, r->a), a, case_name(c, r->b), b);
}

/* The generic form may give more counts than strides. */
Answer check_loop_groups(const Case *c, const Rule *r) {
    const unsigned n = slot_count(c->op, r->a), src = slot_count(c->op, r->a + 1),
                   dst = slot_count(c->op, r->a + 2);
    return (n == src && n == dst) ? HOLDS
                                  : fails(c,
                                          "%u counts, %u strides of src and %u strides of dst; "
                                          "each loop has one of each",
                                          n, src, dst);
}

Answer check_small_c0(const Case *c, const Rule *r) {
    int64_t small, d;
    if (!constant_operand(c, r->a, &small) || small == 0 || !constant_operand(c, r->b, &d))
        return HOLDS;
    return d <= 4 ? HOLDS
                  : fails(c, "%s is true but %s is %lld, expected at most 4", case_name(c, r->a),
                          case_name(c, r->b), (long long)d);
}

/* ---- loads: the shape of a matrix, or blocks ---- */

enum { SHAPE = 4, BLOCKS = 6 };

/* Counts the operands among `n` slots from `slot` on; *missing is the first slot without one. */
static unsigned given_of(const Case *c, int slot, int n, int *missing) {
    unsigned given = 0;
    for (int s = slot + n - 1; s >= slot; s--) {
        given += slot_count(c->op, s);
        if (slot_count(c->op, s) == 0) *missing = s;
    }
    return given;
}

/* An older spelling gives the first two operands of the shape; the parser reports it. */
static bool is_short(const Case *c, int slot) {
    int missing;
    return given_of(c, slot, SHAPE + BLOCKS, &missing) == 2 && slot_count(c->op, slot) == 1 &&
           slot_count(c->op, slot + 1) == 1;
}

Answer check_load_form(const Case *c, const Rule *r) {
    int missing = 0;
    const unsigned shape = given_of(c, r->a, SHAPE, &missing);
    if (shape == 0 || given_of(c, r->a + SHAPE, BLOCKS, &missing) == 0) return HOLDS;
    return fails(c, "operands of both forms, %s to %s and %s to %s", case_name(c, r->a),
                 case_name(c, r->a + SHAPE - 1), case_name(c, r->a + SHAPE),
                 case_name(c, r->a + SHAPE + BLOCKS - 1));
}

Answer check_load_operands(const Case *c, const Rule *r) {
    int missing = 0;
    if (is_short(c, r->a) && (c->op->form != OPF_GENERIC || !c->judge->opt->compat)) return HOLDS;
    const unsigned blocks = given_of(c, r->a + SHAPE, BLOCKS, &missing);
    if (blocks == BLOCKS) return HOLDS;
    const unsigned shape = blocks > 0 ? 0 : given_of(c, r->a, SHAPE, &missing);
    if (shape == SHAPE) return HOLDS;
    if (blocks == 0 && shape == 0)
        return fails(c, "neither %s to %s nor %s to %s are given", case_name(c, r->a),
                     case_name(c, r->a + SHAPE - 1), case_name(c, r->a + SHAPE),
                     case_name(c, r->a + SHAPE + BLOCKS - 1));
    return fails(c, "%s is missing", case_name(c, missing));
}

Answer check_not_packed4(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    return t == NULL || !is_in(elem_of(c, r->a), E_F4)
               ? HOLDS
               : fails(c, "%s has 4-bit elements, which '%s_s4' loads", case_name(c, r->a),
                       c->op->inst->name);
}

Answer check_bias_elements(const Case *c, const Rule *r) {
    if (case_type(c, r->a) == NULL || case_type(c, r->b) == NULL) return HOLDS;
    const Elem from = elem_of(c, r->a), to = elem_of(c, r->b);
    return (is_in(from, E_W32) && is_in(to, E_W32)) || (is_in(from, E_FLOATS_32) && to == ELEM_F32)
               ? HOLDS
               : fails(c,
                       "%s has elements %s and %s has %s; expected f32, f16 or bf16 to f32, or i32 "
                       "to "
                       "i32",
                       case_name(c, r->a), elem_infos[from].text, case_name(c, r->b),
                       elem_infos[to].text);
}
