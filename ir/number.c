/* Widths, casts and constants. */
#include "ir/number.h"

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

static bool extends_with_zeros(const Op *op) {
    return op_is(op, INST_EXTUI) || op_is(op, INST_INDEX_CASTUI);
}

bool number_is_cast(const Op *op) {
    return op_is(op, INST_INDEX_CAST) || op_is(op, INST_EXTSI) || op_is(op, INST_TRUNCI) ||
           extends_with_zeros(op);
}

int64_t number_cast(const Op *op, int64_t x) {
    const unsigned from = number_width(op->operands[0].value->type);
    x = extends_with_zeros(op) ? number_unsigned(x, from) : number_signed(x, from);
    return number_signed(x, number_width(op->results[0].type));
}

bool value_constant(const Value *v, int64_t *out) {
    enum { LONGEST_CHAIN = 16 }; /* limit for chains of casts, which keeps the search linear */
    const Op *casts[LONGEST_CHAIN];
    unsigned n = 0;
    while (v != NULL && v->def != NULL && number_is_cast(v->def) && n < LONGEST_CHAIN) {
        casts[n++] = v->def;
        v = v->def->operands[0].value;
    }
    const Op *op = v != NULL ? v->def : NULL;
    if (op == NULL || !op_is(op, INST_CONSTANT) || op->nattrs == 0) return false;
    const Attr *a = op->attrs[op->nattrs - 1].value;
    *out = a->i;
    if (a->kind != ATTR_INT && a->kind != ATTR_BOOL) return false;
    while (n > 0)
        *out = number_cast(casts[--n], *out);
    return true;
}
