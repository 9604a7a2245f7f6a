/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the statements that set up the ends of pipes. */
#include "analysis/pipe_links.h"

#include "analysis/place.h"

#include <stdlib.h>

int64_t pipe_attr(const Op *op, AttrName name, int64_t otherwise) {
    const NamedAttr *a = op_attr_named(op, name);
    if (a == NULL || (a->value->kind != ATTR_INT && a->value->kind != ATTR_BOOL)) return otherwise;
    return a->value->i;
}

bool pipe_is_opening(const Op *op) {
    return op_is(op, INST_AIC_INITIALIZE_PIPE) || op_is(op, INST_AIV_INITIALIZE_PIPE) ||
           op_is(op, INST_INITIALIZE_L2G2L_PIPE) || op_is(op, INST_INITIALIZE_L2L_PIPE);
}

static bool is_frontend(const Op *op) {
    return op_is(op, INST_AIC_INITIALIZE_PIPE) || op_is(op, INST_AIV_INITIALIZE_PIPE);
}

static int64_t number_of_slots(const Op *op) {
    const bool both = is_frontend(op) && pipe_attr(op, ATTR_dir_mask, 0) == (DIR_C2V | DIR_V2C);
    return pipe_attr(op, ATTR_slot_num, both ? 4 : 8);
}

const Value *pipe_global_slots(const Op *op, int64_t *bytes) {
    const int64_t queues = pipe_attr(op, ATTR_dir_mask, 0) == (DIR_C2V | DIR_V2C) ? 2 : 1;
    const Value *v = NULL;
    for (unsigned i = 0; pipe_is_opening(op) && i < op->noperands; i++)
        if (op->operands[i].value != NULL && is_memory(op->operands[i].value->type))
            v = op->operands[i].value;
    if (__builtin_mul_overflow(number_of_slots(op) * queues, pipe_attr(op, ATTR_slot_size, 0),
                               bytes))
        *bytes = INT64_MAX;
    return v;
}

Atom pipe_attr_text(const Op *op, AttrName name) {
    const NamedAttr *a = op_attr_named(op, name);
    return a != NULL ? a->value->text : 0;
}

static void read_frontend(PipeEnd *e, const Op *op) {
    e->cube = op_is(op, INST_AIC_INITIALIZE_PIPE);
    e->id = pipe_attr(op, ATTR_id, 0);
    e->slots = slot_type(op, 1);
    e->has_gm = e->slots != NULL || slot_count(op, 0) != 0;
    e->buffer[0] = (e->dir & DIR_C2V) != 0 ? slot_value(op, 2) : NULL;
    e->buffer[1] = (e->dir & DIR_V2C) != 0 ? slot_value(op, 3) : NULL;
    e->global = e->slots != NULL && e->buffer[0] == NULL && e->buffer[1] == NULL;
}

static void read_lowered(PipeEnd *e, const Op *op) {
    bool gm = op_is(op, INST_INITIALIZE_L2G2L_PIPE);
    const Value *local = slot_value(op, gm ? 1 : 0), *peer = slot_value(op, gm ? 2 : 1);
    const Type *slots = gm ? slot_type(op, 0) : NULL;
    e->lowered = true;
    e->id = -1;
    e->slots = slots != NULL && slots->kind == TY_TENSOR_VIEW ? slots : NULL;
    e->has_gm = gm;
    e->buffer[e->dir == DIR_V2C] = local;
    if (e->dir == 3) e->buffer[1] = peer;
    e->global = gm && local == NULL;
}

static void read_end(const PipeProgram *p, PipeEnd *e, uint32_t at) {
    const Op *op = p->notes[at].op;
    int64_t dir = pipe_attr(op, ATTR_dir_mask, 0);
    *e = (PipeEnd){.note = &p->notes[at], .at = at};
    e->dir = dir >= 1 && dir <= 3 ? (uint8_t)dir : 0;
    e->slot_size = pipe_attr(op, ATTR_slot_size, 0);
    e->slot_num = number_of_slots(op);
    e->flag_base = pipe_attr(op, ATTR_flag_base, -1);
    e->nosplit = (int8_t)pipe_attr(op, ATTR_nosplit, -1);
    e->peer_unknown = !p->notes[at].good || e->dir == 0;
    const NamedAttr *a = op_attr_named(op, ATTR_acc_push_epilogue);
    e->fixpipe = a != NULL && epilogue_read(&p->ctx->names, a->value, &e->epilogue);
    if (is_frontend(op))
        read_frontend(e, op);
    else
        read_lowered(e, op);
    e->local_slot_num = pipe_attr(op, ATTR_local_slot_num, e->slot_num);
}

static int by_op(const void *a, const void *b) {
    uintptr_t x = (uintptr_t)(*(PipeEnd *const *)a)->note->op;
    uintptr_t y = (uintptr_t)(*(PipeEnd *const *)b)->note->op;
    return (x > y) - (x < y);
}

PipeEnd *pipe_end_of(const PipeProgram *p, const Op *op) {
    const PipeNote note = {.op = op};
    const PipeEnd end = {.note = &note}, *key = &end;
    PipeEnd **found = p->nends > 0 ? bsearch(&key, p->by_op, p->nends, sizeof key, by_op) : NULL;
    return found != NULL ? *found : NULL;
}

void pipe_collect_ends(PipeProgram *p) {
    Arena *a = &p->ctx->arena;
    uint32_t n = 0, quants = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        n += pipe_is_opening(p->notes[i].op);
        quants += op_sets_quant(p->notes[i].op);
    }
    p->ends = ARENA_ARRAY(a, PipeEnd, n + 1);
    p->by_op = ARENA_ARRAY(a, PipeEnd *, n + 1);
    p->quants = ARENA_ARRAY(a, QuantNote, quants + 1);
    for (uint32_t i = 0; i < p->n; i++)
        if (pipe_is_opening(p->notes[i].op)) read_end(p, &p->ends[p->nends++], i);
    for (uint32_t i = 0; i < n; i++)
        p->by_op[i] = &p->ends[i];
    qsort(p->by_op, n, sizeof *p->by_op, by_op);
}
