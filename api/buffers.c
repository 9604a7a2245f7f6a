/* SPDX-License-Identifier: Apache-2.0 */
/* Computes how much memory the views of a kernel need of its pointer parameters. */
#include "api/eval.h"
#include "api/internal.h"
#include "backends/lower/lower.h"

#include <string.h>

/* Limits, so that no program and no grid makes this slow. */
enum { RANK = PTOASM_MAX_RANK, MOST_CALLS = 64, MOST_WORK = 10000000 };

/* A view, with its base in elements of the parameter. */
typedef struct View {
    int64_t offset;
    uint32_t rank;
    int64_t extent[RANK], stride[RANK];
    uint32_t line;
} View;

typedef struct Search {
    ptoasm_result *res;
    Eval eval;
    const Value *param;
    ptoasm_buffer *out;
    int64_t needed; /* elements needed by all views so far */
    View view;      /* the view that reaches furthest */
    bool found;
    unsigned calls; /* calls followed for one block */
    uint32_t work;  /* statements visited */
} Search;

/* ---- failures ---- */

static bool give_up(Search *s, uint32_t line, const char *what, const Value *v) {
    Arena *arena = &s->res->ctx->arena;
    const Interner *names = &s->res->ctx->names;
    s->out->known = false;
    s->out->line = line;
    if (v == NULL || v->name == 0)
        s->out->reason = arena_printf(arena, "%s", what);
    else
        s->out->reason = arena_printf(arena, "%s on %%%.*s", what, (int)atom_len(names, v->name),
                                      atom_text(names, v->name));
    return false;
}

static bool ask(Search *s, const EvalFrame *f, const Value *v, int64_t *out) {
    s->eval.evaluation.left = EVAL_STEPS;
    s->eval.evaluation.unknown = NULL;
    return eval_value(&s->eval, f, v, out);
}

/* ---- from a view to its parameter ---- */

/* Follows a pointer to its parameter, adding up offsets. NULL after a failure. */
static const Value *trace(Search *s, const EvalFrame *f, const Value *ptr, View *view) {
    for (;;) {
        int64_t off;
        if (ptr->def != NULL && op_is(ptr->def, INST_ADDPTR)) {
            if (!ask(s, f, slot_value(ptr->def, 1), &off)) {
                give_up(s, view->line, "the place of the view depends", s->eval.evaluation.unknown);
                return NULL;
            }
            if (__builtin_add_overflow(view->offset, off, &view->offset)) break;
            ptr = slot_value(ptr->def, 0);
        } else if (value_block(ptr) == NULL || value_block(ptr) != op_regions(f->func)[0].first) {
            break;
        } else if (f->call == NULL) {
            return ptr;
        } else {
            ptr = f->call->operands[ptr->index].value;
            f = f->up;
        }
    }
    give_up(s, view->line, "the view's pointer depends", ptr);
    return NULL;
}

/* ---- one view ---- */

/* Reads the extents of a view; those of the type win, as in emitted code. Unknown ones are
 * PTOASM_EXTENT_ANY. */
static bool read_view(Search *s, const EvalFrame *f, const Op *op, View *view) {
    const Type *t = op->results[0].type;
    const Operand *shape = slot_operands(op, 1), *stride = slot_operands(op, 2);
    bool known = true;
    const Value *unknown = NULL;
    view->rank = t->rank;
    for (uint32_t i = 0; i < t->rank; i++) {
        view->extent[i] = t->dims[i];
        if (t->dims[i] == DYNAMIC && !ask(s, f, shape[i].value, &view->extent[i])) {
            view->extent[i] = PTOASM_EXTENT_ANY;
            known = false;
            if (unknown == NULL) unknown = s->eval.evaluation.unknown;
        }
        if (!ask(s, f, stride[i].value, &view->stride[i])) {
            known = false;
            if (unknown == NULL) unknown = s->eval.evaluation.unknown;
        }
    }
    if (known) return true;
    s->out->rank = view->rank;
    memcpy(s->out->shape, view->extent, sizeof view->extent);
    return give_up(s, view->line, "the view depends", unknown);
}

/* Computes the elements from the base to the end of a view; 0 when it is empty. False when it
 * begins before its base, or on overflow. */
static bool span_of(const View *v, int64_t *span) {
    int64_t last = 0, step;
    for (uint32_t i = 0; i < v->rank; i++) {
        if (v->extent[i] <= 0) {
            *span = 0;
            return true;
        }
        if (__builtin_mul_overflow(v->extent[i] - 1, v->stride[i], &step) || step < 0 ||
            __builtin_add_overflow(last, step, &last))
            return false;
    }
    return !__builtin_add_overflow(last, 1, span);
}

static bool take_view(Search *s, const EvalFrame *f, const Op *op) {
    View view = {.line = source_find(&s->res->index, op->span.off).line};
    int64_t span, end = 0;
    const Type *t = op->results[0].type;
    if (t->kind != TY_TENSOR_VIEW || t->rank > RANK) return true;
    const Value *from = trace(s, f, slot_value(op, 0), &view);
    if (from != s->param) return from != NULL;
    if (!read_view(s, f, op, &view)) return false;
    bool fine = span_of(&view, &span);
    if (fine && span > 0)
        fine = view.offset >= 0 && !__builtin_add_overflow(view.offset, span, &end);
    if (!fine)
        return give_up(s, view.line, "the view reaches before its pointer or beyond 64 bits", NULL);
    if (!s->found || end > s->needed) {
        s->needed = end;
        s->view = view;
    }
    return s->found = true;
}

/* ---- slots of pipes ---- */

/* Returns the pointer or view that has the slots of a pipe, or NULL. */
static const Value *slots_of(const Op *op) {
    static const uint8_t names[] = {OPERAND_gm_slot_buffer, OPERAND_gm_slot_tensor,
                                    OPERAND_gm_addr};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const Value *v = named_value(op, (OperandName)names[i]);
        if (v != NULL) return v;
    }
    return NULL;
}

static int64_t attr_number(const Op *op, AttrName name, int64_t otherwise) {
    const NamedAttr *a = op_attr_named(op, name);
    return a != NULL && a->value->kind == ATTR_INT ? a->value->i : otherwise;
}

/* Slots of a pipe are consecutive; those of the second direction follow those of the first. */
static bool take_slots(Search *s, const EvalFrame *f, const Op *op) {
    View view = {.line = source_find(&s->res->index, op->span.off).line, .rank = 1, .stride = {1}};
    const Value *v = slots_of(op);
    int64_t dirs = attr_number(op, ATTR_dir_mask, 1), bytes, end;
    int64_t number = attr_number(op, ATTR_slot_num, dirs == 3 ? 4 : 8);
    if (v != NULL && v->def != NULL && op_is(v->def, INST_MAKE_TENSOR_VIEW))
        v = slot_value(v->def, 0);
    bool pointer = v != NULL && (v->type->kind == TY_PTR || v->type->kind == TY_OPAQUE);
    unsigned size =
        pointer && v->type->elem_type != NULL ? elem_infos[v->type->elem_type->elem].bytes : 0;
    if (size == 0 || trace(s, f, v, &view) != s->param) return true;
    if (__builtin_mul_overflow(number, attr_number(op, ATTR_slot_size, 0), &bytes) ||
        __builtin_mul_overflow(bytes, dirs == 3 ? 2 : 1, &bytes) || bytes <= 0 || view.offset < 0 ||
        __builtin_add_overflow(view.offset, (bytes - 1) / size + 1, &end))
        return give_up(s, view.line, "the slots of the pipe reach beyond 64 bits", NULL);
    view.extent[0] = end - view.offset;
    if (!s->found || end > s->needed) {
        s->needed = end;
        s->view = view;
    }
    return s->found = true;
}

/* ---- all views ---- */

static bool take_region(Search *s, const EvalFrame *f, const Region *r);

static bool takes_pointers(const Op *call) {
    for (unsigned i = 0; i < call->noperands; i++)
        if (call->operands[i].value->type->kind == TY_PTR) return true;
    return false;
}

static bool take_call(Search *s, const EvalFrame *f, const Op *op) {
    const Op *callee = takes_pointers(op) ? eval_callee(op) : NULL;
    if (callee == NULL) return true;
    if (++s->calls > MOST_CALLS) return give_up(s, 0, "there are too many calls", NULL);
    const EvalFrame frame = {.up = f, .func = callee, .call = op};
    return take_region(s, &frame, &op_regions(callee)[0]);
}

static bool take_region(Search *s, const EvalFrame *f, const Region *r) {
    for (const Block *b = r->first; b != NULL; b = b->next)
        for (const Op *op = b->first; op != NULL; op = op->next) {
            if (++s->work > MOST_WORK)
                return give_up(s, s->view.line, "there are too many blocks and statements", NULL);
            if (op_is(op, INST_MAKE_TENSOR_VIEW) && !take_view(s, f, op)) return false;
            if (op->inst->fifo && slots_of(op) != NULL && !take_slots(s, f, op)) return false;
            if (op_is(op, INST_CALL) && !take_call(s, f, op)) return false;
            for (unsigned i = 0; i < op->nregions; i++)
                if (!take_region(s, f, &op_regions(op)[i])) return false;
        }
    return true;
}

/* Repeats the search for each block where a view depends on the block. */
static bool take_blocks(Search *s, const Op *func) {
    const EvalFrame frame = {.func = func};
    int64_t blocks = s->eval.launch->blocks;
    s->eval.block = 0;
    s->eval.block_asked = false;
    do {
        s->calls = 0;
        if (!take_region(s, &frame, &op_regions(func)[0])) return false;
    } while (s->eval.block_asked && ++s->eval.block < blocks);
    return true;
}

/* ---- from views to an array ---- */

static bool is_dense(const View *v) {
    int64_t step = 1;
    for (uint32_t i = v->rank; i-- > 0;) {
        if (v->extent[i] != 1 && v->stride[i] != step) return false;
        if (__builtin_mul_overflow(step, v->extent[i], &step)) return false;
    }
    return true;
}

/* Sorts the dimensions by decreasing stride, without those of extent 1. */
static uint32_t sorted_dims(const View *v, uint32_t *order) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < v->rank; i++) {
        if (v->extent[i] == 1) continue;
        uint32_t at = n++;
        for (; at > 0 && v->stride[order[at - 1]] < v->stride[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return n;
}

/* Makes the array whose rows are as long as the stride of the next outer dimension. False when the
 * view is not part of such an array. */
static bool padded_shape(const View *v, ptoasm_buffer *out) {
    uint32_t order[RANK], n = sorted_dims(v, order);
    if (n == 0) return false;
    int64_t shortest = v->stride[order[n - 1]];
    if (shortest <= 0 || n + (shortest > 1) > RANK) return false;
    out->rank = n;
    out->shape[0] = v->extent[order[0]];
    for (uint32_t i = 1; i < n; i++) {
        int64_t outer = v->stride[order[i - 1]], inner = v->stride[order[i]];
        if (outer % inner != 0 || outer / inner < v->extent[order[i]]) return false;
        out->shape[i] = outer / inner;
    }
    if (shortest > 1) out->shape[out->rank++] = shortest;
    return true;
}

/* Extends the outermost dimension until `needed` elements fit; false when the last row would be
 * incomplete and the view does not start with a row. */
static bool lengthen(ptoasm_buffer *out, const View *v, int64_t needed) {
    int64_t row = 1;
    for (uint32_t i = 1; i < out->rank; i++)
        if (__builtin_mul_overflow(row, out->shape[i], &row)) return false;
    if (row <= 0) return true;
    int64_t rows = needed / row + (needed % row != 0);
    if (rows <= out->shape[0]) return true;
    if (v->offset % row != 0 && needed % row != 0) return false;
    out->shape[0] = rows;
    return true;
}

static void set_shape(const Search *s, ptoasm_buffer *out) {
    const View *v = &s->view;
    out->known = true;
    out->needed = s->needed;
    out->line = v->line;
    out->rank = v->rank;
    memcpy(out->shape, v->extent, sizeof v->extent);
    bool empty = s->needed == 0;
    for (uint32_t i = 0; i < v->rank; i++)
        if (out->shape[i] < 0) out->shape[i] = 0;
    if (empty || ((is_dense(v) || padded_shape(v, out)) && lengthen(out, v, s->needed))) return;
    out->rank = 1;
    out->shape[0] = s->needed;
}

/* ---- entry points ---- */

/* Visits the views of one function of a launch; false after a failure. */
static bool take_function(Search *s, const Launch *k, const LowerFunc *f, const LaunchArg *args,
                          size_t p) {
    const Block *entry = op_regions(f->op)[0].first;
    size_t *scalar_of = ARENA_ARRAY(&s->res->ctx->arena, size_t, entry->nargs + 1);
    size_t *number = ARENA_ARRAY(&s->res->ctx->arena, size_t, k->nparams + 1), n = 0;
    for (unsigned i = 0; i < k->nparams; i++)
        number[i] = k->params[i].query != NULL ? EVAL_SUPPLIED : n++;
    s->param = NULL;
    for (uint32_t i = 0; i < entry->nargs; i++) {
        scalar_of[i] = args[i].query != NULL ? EVAL_SUPPLIED : number[args[i].param];
        if (scalar_of[i] == p) s->param = &entry->args[i];
    }
    s->eval.scalar_of = scalar_of;
    return s->param == NULL || take_blocks(s, f->op);
}

static void search(Search *s, size_t kernel, size_t p) {
    const Launch *k = s->res->kernels[kernel].launch;
    if (k->cube != NULL && !take_function(s, k, k->cube, k->cube_args, p)) return;
    if (k->vector != NULL && k->vector != k->cube &&
        !take_function(s, k, k->vector, k->vector_args, p))
        return;
    if (s->found || give_up(s, 0, "no view says it", NULL)) set_shape(s, s->out);
}

void function_buffer(ptoasm_result *res, const Op *func, uint32_t param, ptoasm_buffer *out) {
    static const ptoasm_launch one = {.blocks = 1};
    const Block *entry = op_regions(func)[0].first;
    size_t *scalar_of = ARENA_ARRAY(&res->ctx->arena, size_t, entry->nargs + 1);
    Search s = {.res = res,
                .eval = {.module = res->module, .launch = &one, .scalar_of = scalar_of},
                .param = &entry->args[param],
                .out = out};
    *out = (ptoasm_buffer){.reason = ""};
    for (uint32_t i = 0; i < entry->nargs; i++)
        scalar_of[i] = lower_param_query(res->ctx, func, i) != NULL ? EVAL_SUPPLIED : i;
    if (take_blocks(&s, func) && (s.found || give_up(&s, 0, "no view says it", NULL)))
        set_shape(&s, out);
}

/* Size of the struct in version 0.2. */
enum { LAUNCH_LEAST = offsetof(ptoasm_launch, values) + sizeof(const int64_t *) };

int ptoasm_buffer_get(ptoasm_result *res, size_t i, size_t p, const ptoasm_launch *launch,
                      ptoasm_buffer *out, size_t size) {
    ptoasm_launch known;
    ptoasm_buffer buffer = {.reason = ""};
    if (i >= res->nkernels || p >= res->nparams[i] ||
        res->params[i][p].kind != PTOASM_PARAM_POINTER ||
        !struct_take(&known, sizeof known, LAUNCH_LEAST, launch))
        return PTOASM_ARGUMENT;
    if (setjmp(res->ctx->oom) != 0) return PTOASM_NOMEM;
    Search s = {.res = res, .eval = {.module = res->module, .launch = &known}, .out = &buffer};
    search(&s, i, p);
    struct_give(out, size, &buffer, sizeof buffer);
    return PTOASM_OK;
}
