/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates index arithmetic of a launch, whose scalar parameters are known. */
#include "api/eval.h"

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

/* A value that no arithmetic defines, in a function. */
typedef struct Asked {
    Eval *eval;
    const EvalFrame *frame;
} Asked;

static bool eval_leaf(void *arg, const Value *v, int64_t *out) {
    const Asked *asked = arg;
    const unsigned width = number_width(v->type);
    if (width == 0 || !(v->def != NULL ? eval_query(asked->eval, v->def->inst, out)
                                       : eval_argument(asked->eval, asked->frame, v, out)))
        return false;
    *out = number_signed(*out, width);
    return true;
}

bool eval_value(Eval *e, const EvalFrame *f, const Value *v, int64_t *out) {
    Evaluation *in = &e->evaluation;
    const Evaluation outer = *in; /* of the caller, whose operand this is */
    Asked asked = {e, f};
    in->known = eval_leaf;
    in->arg = &asked;
    in->frames = e->frames;
    in->size = EVAL_DEPTH;
    const bool known = number_evaluate(in, v, out);
    in->arg = outer.arg;
    if (known) *out = number_signed(*out, number_width(v->type));
    return known;
}

const Op *eval_callee(const Op *call) {
    const Op *found = functions_callee(NULL, call);
    return found != NULL && func_data(found)->has_body ? found : NULL;
}
