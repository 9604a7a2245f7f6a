/* Evaluates index arithmetic with the functions that the emitted code calls, so that both handle
 * overflow and division alike. */
#include "api/eval.h"

#include "backends/c/emit.h"
#include "ir/functions.h"
#include "runtime/ptort_scalar.h"

/* ---- arithmetic ---- */

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
 * result to the width of the type gives the same as computing in that width. */
static const struct {
    InstId id;
    bool zero_x, zero_y;
    int64_t (*apply)(int64_t x, int64_t y);
} operations[] = {
    {INST_ADDI, false, false, ptrt_addi_i64},
    {INST_SUBI, false, false, ptrt_subi_i64},
    {INST_MULI, false, false, ptrt_muli_i64},
    {INST_DIVSI, false, false, ptrt_divsi_i64},
    {INST_DIVUI, true, true, ptrt_divui_i64},
    {INST_CEILDIVSI, false, false, ptrt_ceildivsi_i64},
    {INST_CEILDIVUI, true, true, ptrt_ceildivui_i64},
    {INST_FLOORDIVSI, false, false, ptrt_floordivsi_i64},
    {INST_REMSI, false, false, ptrt_remsi_i64},
    {INST_REMUI, true, true, ptrt_remui_i64},
    {INST_MAXSI, false, false, ptrt_maxsi_i64},
    {INST_MAXUI, true, true, ptrt_maxui_i64},
    {INST_MINSI, false, false, ptrt_minsi_i64},
    {INST_MINUI, true, true, ptrt_minui_i64},
    {INST_SHLI, false, true, ptrt_shli_i64},
    {INST_SHRSI, false, true, ptrt_shrsi_i64},
    {INST_SHRUI, true, true, ptrt_shrui_i64},
    {INST_ANDI, false, false, bit_and},
    {INST_ORI, false, false, bit_or},
    {INST_XORI, false, false, bit_xor},
};

/* Returns the bits of an integer type; 0 for others. */
static unsigned width_of(const Type *t) {
    return t->kind == TY_SCALAR ? elem_int_width((Elem)t->elem) : 0;
}

static int64_t sign_extended(int64_t v, unsigned width) {
    if (width >= 64) return v;
    uint64_t sign = (uint64_t)1 << (width - 1), low = (uint64_t)v & ((sign << 1) - 1);
    return (int64_t)((low ^ sign) - sign);
}

static int64_t zero_extended(int64_t v, unsigned width) {
    return width >= 64 ? v : (int64_t)((uint64_t)v & (((uint64_t)1 << width) - 1));
}

static bool eval_operation(Eval *e, const EvalFrame *f, const Op *op, size_t k, int64_t *out) {
    const Value *x = op->operands[0].value, *y = op->operands[1].value;
    unsigned width = width_of(x->type);
    int64_t a, b;
    if (!eval_value(e, f, x, &a) || !eval_value(e, f, y, &b)) return false;
    if (operations[k].zero_x) a = zero_extended(a, width);
    if (operations[k].zero_y) b = zero_extended(b, width);
    *out = operations[k].apply(a, b);
    return true;
}

static bool eval_compare(Eval *e, const EvalFrame *f, const Op *op, int64_t *out) {
    const NamedAttr *a = op_attr_named(e->module->ctx, op, "predicate");
    unsigned width = width_of(op->operands[0].value->type);
    int64_t x, y;
    if (a == NULL || a->value->kind != ATTR_ENUM || !eval_value(e, f, op->operands[0].value, &x) ||
        !eval_value(e, f, op->operands[1].value, &y))
        return false;
    int predicate = enum_number(a->value);
    if (predicate >= 6) { /* unsigned predicates */
        x = zero_extended(x, width);
        y = zero_extended(y, width);
    }
    *out = ptrt_cmpi_i64(predicate, x, y);
    return true;
}

static bool eval_select(Eval *e, const EvalFrame *f, const Op *op, int64_t *out) {
    int64_t first;
    return eval_value(e, f, op->operands[0].value, &first) &&
           eval_value(e, f, op->operands[first != 0 ? 1 : 2].value, out);
}

/* ---- values from the launch ---- */

/* Evaluates a launch query; queries that are not listed depend on the core. */
static bool eval_query(Eval *e, const Inst *query, int64_t *out) {
    if (query == &inst_table[INST_GET_BLOCK_NUM]) {
        *out = e->launch->blocks;
        return true;
    }
    if (query != &inst_table[INST_GET_BLOCK_IDX]) return false;
    e->block_asked = true;
    *out = e->block;
    return true;
}

/* Evaluates a parameter of the kernel. */
static bool eval_param(Eval *e, const EvalFrame *f, unsigned index, int64_t *out) {
    size_t k = e->scalar_of[index];
    if (k == EVAL_SUPPLIED)
        return eval_query(e, lower_param_query(e->module->ctx, f->func, index), out);
    if (k >= e->launch->params || !e->launch->known[k]) return false;
    *out = e->launch->values[k];
    return true;
}

static bool eval_argument(Eval *e, const EvalFrame *f, const Value *v, int64_t *out) {
    if (value_block(v) != op_regions(f->func)[0].first)
        return false; /* an argument of a loop or block */
    if (f->call == NULL) return eval_param(e, f, v->index, out);
    return v->index < f->call->noperands &&
           eval_value(e, f->up, f->call->operands[v->index].value, out);
}

/* ---- values ---- */

static bool eval_result(Eval *e, const EvalFrame *f, const Op *op, int64_t *out) {
    for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++)
        if (op_is(op, operations[k].id)) return eval_operation(e, f, op, k, out);
    if (op_is(op, INST_CONSTANT)) {
        const NamedAttr *a = op_attr_named(e->module->ctx, op, "value");
        if (a == NULL || (a->value->kind != ATTR_INT && a->value->kind != ATTR_BOOL)) return false;
        *out = a->value->i;
        return true;
    }
    if (op_is(op, INST_CMPI)) return eval_compare(e, f, op, out);
    if (op_is(op, INST_SELECT)) return eval_select(e, f, op, out);
    if (op_is(op, INST_INDEX_CASTUI) || op_is(op, INST_EXTUI)) {
        const Value *x = op->operands[0].value;
        if (!eval_value(e, f, x, out)) return false;
        *out = zero_extended(*out, width_of(x->type));
        return true;
    }
    if (op_is(op, INST_INDEX_CAST) || op_is(op, INST_EXTSI) || op_is(op, INST_TRUNCI))
        return eval_value(e, f, op->operands[0].value, out);
    return eval_query(e, op->inst, out);
}

bool eval_value(Eval *e, const EvalFrame *f, const Value *v, int64_t *out) {
    unsigned width = width_of(v->type);
    bool known = false;
    if (width != 0 && e->steps > 0 && e->depth < EVAL_DEPTH) {
        e->steps--;
        e->depth++;
        known = v->def != NULL ? eval_result(e, f, v->def, out) : eval_argument(e, f, v, out);
        e->depth--;
    }
    if (known)
        *out = sign_extended(*out, width);
    else if (e->unknown == NULL)
        e->unknown = v; /* the innermost value is the reason */
    return known;
}

const Op *eval_callee(const Eval *e, const Op *call) {
    const Op *found = functions_callee(NULL, e->module->ctx, call);
    return found != NULL && func_data(found)->has_body ? found : NULL;
}
