/* SPDX-License-Identifier: Apache-2.0 */
/* Computes integers from constants: one statement, and what leads to a value. */
#include "ir/number.h"

#include "runtime/ptort_scalar.h"
#include "support/number.h"

#include <string.h>

/* ---- widths ---- */

unsigned number_width(const Type *t) {
    return t->kind == TY_SCALAR ? elem_int_width((Elem)t->elem) : 0;
}

int64_t number_signed(int64_t v, unsigned width) {
    if (width >= 64 || width == 0) return v;
    const uint64_t sign = (uint64_t)1 << (width - 1), low = (uint64_t)v & ((sign << 1) - 1);
    return (int64_t)((low ^ sign) - sign);
}

int64_t number_unsigned(int64_t v, unsigned width) {
    if (width >= 64 || width == 0) return v;
    return (int64_t)((uint64_t)v & (((uint64_t)1 << width) - 1));
}

bool number_of_type(Elem e, const char *text, uint64_t *bits) {
    bool negative;
    uint64_t m;
    if (e == ELEM_I1) {
        const bool yes = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
        *bits = yes;
        return yes || strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
    }
    const unsigned width = elem_int_width(e);
    if (width == 0 || !number_read_integer(text, strlen(text), &negative, &m)) return false;
    const bool is_signed = elem_infos[e].cls == 'S' || e == ELEM_INDEX;
    uint64_t most = UINT64_MAX >> (64 - width), least = (uint64_t)1 << (width - 1);
    if (is_signed) most >>= 1;
    if (elem_infos[e].cls == 'U') least = 0;
    *bits = negative ? 0 - m : m;
    return m <= (negative ? least : most);
}

/* ---- one statement ---- */

static bool extends_with_zeros(const Inst *inst) {
    return inst == &inst_table[INST_EXTUI] || inst == &inst_table[INST_INDEX_CASTUI];
}

static bool is_cast(const Op *op) {
    return op_is(op, INST_INDEX_CAST) || op_is(op, INST_EXTSI) || op_is(op, INST_TRUNCI) ||
           extends_with_zeros(op->inst);
}

static int64_t cast(const NumberOp *o, int64_t x) {
    x = extends_with_zeros(o->inst) ? number_unsigned(x, o->from) : number_signed(x, o->from);
    return number_signed(x, o->to);
}

static int64_t bit_and(int64_t x, int64_t y) {
    return x & y;
}
static int64_t bit_or(int64_t x, int64_t y) {
    return x | y;
}
static int64_t bit_xor(int64_t x, int64_t y) {
    return x ^ y;
}

/* Operations in 64 bits on sign-extended (or, if specified, zero-extended) operands; cutting the
 * result to the width of the type gives the same as computing in that width. The functions are
 * those that emitted code calls. */
typedef struct Operation {
    InstId id;
    bool zero_x, zero_y, divides;
    int64_t (*apply)(int64_t x, int64_t y);
} Operation;

static const Operation operations[] = {
    {INST_ADDI, false, false, false, ptrt_addi_i64},
    {INST_SUBI, false, false, false, ptrt_subi_i64},
    {INST_MULI, false, false, false, ptrt_muli_i64},
    {INST_DIVSI, false, false, true, ptrt_divsi_i64},
    {INST_DIVUI, true, true, true, ptrt_divui_i64},
    {INST_CEILDIVSI, false, false, true, ptrt_ceildivsi_i64},
    {INST_CEILDIVUI, true, true, true, ptrt_ceildivui_i64},
    {INST_FLOORDIVSI, false, false, true, ptrt_floordivsi_i64},
    {INST_REMSI, false, false, true, ptrt_remsi_i64},
    {INST_REMUI, true, true, true, ptrt_remui_i64},
    {INST_MAXSI, false, false, false, ptrt_maxsi_i64},
    {INST_MAXUI, true, true, false, ptrt_maxui_i64},
    {INST_MINSI, false, false, false, ptrt_minsi_i64},
    {INST_MINUI, true, true, false, ptrt_minui_i64},
    {INST_SHLI, false, true, false, ptrt_shli_i64},
    {INST_SHRSI, false, true, false, ptrt_shrsi_i64},
    {INST_SHRUI, true, true, false, ptrt_shrui_i64},
    {INST_ANDI, false, false, false, bit_and},
    {INST_ORI, false, false, false, bit_or},
    {INST_XORI, false, false, false, bit_xor},
};

static const Operation *operation_of(const Inst *inst) {
    for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++)
        if (inst == &inst_table[operations[k].id]) return &operations[k];
    return NULL;
}

int number_predicate(const Op *cmpi) {
    for (unsigned i = 0; i < cmpi->nattrs; i++)
        if (cmpi->attrs[i].value->kind == ATTR_ENUM) return enum_number(cmpi->attrs[i].value);
    return 0;
}

static int64_t compare(const NumberOp *o, const int64_t *x) {
    const bool zero = o->predicate >= FIRST_UNSIGNED_PREDICATE;
    const bool yes = ptrt_cmpi_i64(o->predicate, zero ? number_unsigned(x[0], o->from) : x[0],
                                   zero ? number_unsigned(x[1], o->from) : x[1]);
    return yes ? -1 : 0; /* `true`, sign-extended */
}

bool number_is_arithmetic(const Op *op) {
    if (is_cast(op)) return op->noperands == 1;
    return op->noperands == 2 && (operation_of(op->inst) != NULL || op_is(op, INST_CMPI));
}

static bool apply(const NumberOp *o, const Operation *operation, const int64_t *x, int64_t *out) {
    if (operation->divides && number_unsigned(x[1], o->from) == 0) return false;
    *out = operation->apply(operation->zero_x ? number_unsigned(x[0], o->from) : x[0],
                            operation->zero_y ? number_unsigned(x[1], o->from) : x[1]);
    *out = number_signed(*out, o->to);
    return true;
}

NumberOp number_form(const Op *op) {
    NumberOp o = {.inst = op->inst, .kind = NUMBER_NONE};
    if (op->noperands == 0 || op->nresults == 0) return o;
    if (op->noperands == 3 && op_is(op, INST_SELECT))
        o.kind = NUMBER_SELECT;
    else if (op->noperands == 1 && is_cast(op))
        o.kind = NUMBER_CAST;
    else if (op->noperands == 2 && op_is(op, INST_CMPI))
        o.kind = NUMBER_COMPARE;
    else if (op->noperands == 2)
        o.kind = NUMBER_APPLY;
    if (o.kind == NUMBER_COMPARE) o.predicate = (uint8_t)number_predicate(op);
    o.from = (uint8_t)number_width(op->operands[0].value->type);
    o.to = (uint8_t)number_width(op->results[0].type);
    return o;
}

bool number_apply(const NumberOp *o, const int64_t *x, int64_t *out) {
    const Operation *operation;
    switch ((NumberKind)o->kind) {
    case NUMBER_CAST:
        *out = cast(o, x[0]);
        return true;
    case NUMBER_SELECT:
        *out = x[0] != 0 ? x[1] : x[2];
        return true;
    case NUMBER_COMPARE:
        *out = compare(o, x);
        return true;
    case NUMBER_APPLY:
        operation = operation_of(o->inst);
        return operation != NULL && apply(o, operation, x, out);
    case NUMBER_NONE:
        break;
    }
    return false;
}

bool number_divides(const NumberOp *o) {
    const Operation *operation = o->kind == NUMBER_APPLY ? operation_of(o->inst) : NULL;
    return operation != NULL && operation->divides;
}

bool number_compute(const Op *op, const int64_t *x, int64_t *out) {
    const NumberOp o = number_form(op);
    return number_apply(&o, x, out);
}

/* ---- values ---- */

static bool is_constant(const Op *op, int64_t *out) {
    if (!op_is(op, INST_CONSTANT) || op->nattrs == 0) return false;
    const Attr *a = op->attrs[op->nattrs - 1].value;
    if (a->kind != ATTR_INT && a->kind != ATTR_BOOL) return false;
    *out = a->i;
    return true;
}

static bool is_select(const Op *op) {
    return op_is(op, INST_SELECT) && op->noperands == 3;
}

typedef enum Outcome {
    UNKNOWN, /* the value cannot be computed */
    KNOWN,   /* its number is known */
    WAITS    /* for an operand of the statement on top of the stack */
} Outcome;

static Outcome unknown(Evaluation *e, const Value *v) {
    if (e->unknown == NULL) e->unknown = v;
    return UNKNOWN;
}

/* Looks at a value; a statement that is to be computed is put on the stack. */
static Outcome look_at(Evaluation *e, const Value *v, int64_t *out) {
    const Op *op = v != NULL ? v->def : NULL;
    if (op != NULL && is_constant(op, out)) {
        *out = number_signed(*out, number_width(v->type)); /* `true` is written as 1 */
        return KNOWN;
    }
    if (v == NULL || e->left == 0) return unknown(e, v);
    e->left--;
    if (op == NULL || !(is_select(op) || number_is_arithmetic(op)))
        return e->known != NULL && e->known(e->arg, v, out) ? KNOWN : unknown(e, v);
    if (e->used == e->size) return unknown(e, v);
    e->frames[e->used++] = (NumberFrame){.op = op};
    return WAITS;
}

/* Returns the operand that a statement waits for: of a select, the condition, then one other. */
static const Value *awaited(const NumberFrame *f) {
    const unsigned i = is_select(f->op) && f->nknown == 1 ? (f->x[0] != 0 ? 1 : 2) : f->nknown;
    return f->op->operands[i].value;
}

/* Gives the statement on top of the stack the number that it waits for; *n becomes its result. */
static Outcome pass_number(Evaluation *e, int64_t *n) {
    NumberFrame *f = &e->frames[e->used - 1];
    const bool result = is_select(f->op) && f->nknown == 1;
    f->x[f->nknown++] = *n;
    if (!result && f->nknown < (is_select(f->op) ? 2 : f->op->noperands)) return WAITS;
    e->used--;
    if (result || number_compute(f->op, f->x, n)) return KNOWN;
    return unknown(e, &f->op->results[0]);
}

/* The operand that it waits for is not known: a select may go on without its condition. */
static Outcome pass_unknown(Evaluation *e) {
    NumberFrame *f = &e->frames[e->used - 1];
    bool yes;
    if (is_select(f->op) && f->nknown == 0 && e->choose != NULL &&
        e->choose(e->arg, f->op->operands[0].value, &yes)) {
        f->x[f->nknown++] = yes;
        return WAITS;
    }
    e->used--;
    return UNKNOWN;
}

bool number_evaluate(Evaluation *e, const Value *v, int64_t *out) {
    const uint32_t base = e->used;
    int64_t n = 0;
    Outcome now = look_at(e, v, &n);
    while (e->used > base) {
        if (now == WAITS)
            now = look_at(e, awaited(&e->frames[e->used - 1]), &n);
        else
            now = now == KNOWN ? pass_number(e, &n) : pass_unknown(e);
    }
    if (now == KNOWN) *out = n;
    return now == KNOWN;
}

enum { MOST_STATEMENTS = 64 }; /* that a number depends on which nothing but the text gives */

bool number_known(const Value *v, int64_t *out) {
    NumberFrame frames[MOST_STATEMENTS];
    Evaluation e = {.left = MOST_STATEMENTS, .size = MOST_STATEMENTS, .frames = frames};
    return number_evaluate(&e, v, out);
}

bool number_written(const Value *v, int64_t *out) {
    int64_t n;
    const Value *from = v;
    for (int left = MOST_STATEMENTS; left > 0 && from != NULL && from->def != NULL; left--) {
        const Op *op = from->def;
        if (!is_cast(op) || op->noperands != 1) {
            if (!is_constant(op, &n) || (from != v && !number_known(v, &n))) return false;
            *out = n;
            return true;
        }
        from = op->operands[0].value;
    }
    return false;
}
