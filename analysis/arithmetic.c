/* Integer arithmetic on known numbers. */
#include "analysis/number.h"

#include "runtime/ptort_scalar.h"

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
static const struct {
    InstId id;
    bool zero_x, zero_y, divides;
    int64_t (*apply)(int64_t x, int64_t y);
} operations[] = {
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

int number_predicate(const Op *cmpi) {
    for (unsigned i = 0; i < cmpi->nattrs; i++)
        if (cmpi->attrs[i].value->kind == ATTR_ENUM) return enum_number(cmpi->attrs[i].value);
    return 0;
}

static int64_t compare(const Op *op, const int64_t *x) {
    const unsigned width = number_width(op->operands[0].value->type);
    const int predicate = number_predicate(op);
    const bool zero = predicate >= FIRST_UNSIGNED_PREDICATE;
    const bool yes = ptrt_cmpi_i64(predicate, zero ? number_unsigned(x[0], width) : x[0],
                                   zero ? number_unsigned(x[1], width) : x[1]);
    return yes ? -1 : 0; /* `true`, sign-extended */
}

bool number_is_arithmetic(const Op *op) {
    if (number_is_cast(op)) return op->noperands == 1;
    if (op->noperands != 2) return false;
    for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++)
        if (op_is(op, operations[k].id)) return true;
    return op_is(op, INST_CMPI);
}

bool number_compute(const Op *op, const int64_t *x, int64_t *out) {
    if (op->noperands == 1 && number_is_cast(op)) {
        *out = number_cast(op, x[0]);
        return true;
    }
    if (op->noperands == 2 && op_is(op, INST_CMPI)) {
        *out = compare(op, x);
        return true;
    }
    if (op->noperands == 3 && op_is(op, INST_SELECT)) {
        *out = x[0] != 0 ? x[1] : x[2];
        return true;
    }
    for (size_t k = 0; k < sizeof operations / sizeof operations[0] && op->noperands == 2; k++) {
        if (!op_is(op, operations[k].id)) continue;
        const unsigned width = number_width(op->operands[0].value->type);
        if (operations[k].divides && number_unsigned(x[1], width) == 0) return false;
        *out = operations[k].apply(operations[k].zero_x ? number_unsigned(x[0], width) : x[0],
                                   operations[k].zero_y ? number_unsigned(x[1], width) : x[1]);
        *out = number_signed(*out, number_width(op->results[0].type));
        return true;
    }
    return false;
}

static bool know(const Value *v, int *steps, int64_t *out) {
    const Op *op = v->def;
    int64_t x[2];
    if (value_constant(v, out)) return true;
    if (op == NULL || (*steps)-- <= 0 || !number_is_arithmetic(op) || op_is(op, INST_CMPI))
        return false;
    for (unsigned i = 0; i < op->noperands; i++)
        if (!know(op->operands[i].value, steps, &x[i])) return false;
    return number_compute(op, x, out);
}

bool number_known(const Value *v, int64_t *out) {
    int steps = 64; /* the longest computation that is looked at */
    return know(v, &steps, out);
}
