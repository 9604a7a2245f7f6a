/* Evaluates index arithmetic of a launch, whose scalar parameters are known. */
#include "api/eval.h"

#include "analysis/number.h"
#include "backends/c/emit.h"
#include "ir/functions.h"

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

static bool eval_select(Eval *e, const EvalFrame *f, const Op *op, int64_t *out) {
    int64_t first;
    return eval_value(e, f, op->operands[0].value, &first) &&
           eval_value(e, f, op->operands[first != 0 ? 1 : 2].value, out);
}

static bool eval_result(Eval *e, const EvalFrame *f, const Op *op, int64_t *out) {
    int64_t x[2];
    if (value_constant(&op->results[0], out)) return true;
    if (op_is(op, INST_SELECT)) return eval_select(e, f, op, out);
    if (!number_is_arithmetic(op)) return eval_query(e, op->inst, out);
    for (unsigned i = 0; i < op->noperands; i++)
        if (!eval_value(e, f, op->operands[i].value, &x[i])) return false;
    return number_compute(op, x, out);
}

bool eval_value(Eval *e, const EvalFrame *f, const Value *v, int64_t *out) {
    unsigned width = number_width(v->type);
    bool known = false;
    if (width != 0 && e->steps > 0 && e->depth < EVAL_DEPTH) {
        e->steps--;
        e->depth++;
        known = v->def != NULL ? eval_result(e, f, v->def, out) : eval_argument(e, f, v, out);
        e->depth--;
    }
    if (known)
        *out = number_signed(*out, width);
    else if (e->unknown == NULL)
        e->unknown = v; /* the innermost value is the reason */
    return known;
}

const Op *eval_callee(const Eval *e, const Op *call) {
    const Op *found = functions_callee(NULL, e->module->ctx, call);
    return found != NULL && func_data(found)->has_body ? found : NULL;
}
