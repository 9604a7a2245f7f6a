/* SPDX-License-Identifier: Apache-2.0 */
/* Tile instructions: the assignment of written operands to slots, and results. */
#include "ir/infer.h"
#include "parser/bind_internal.h"

#include <string.h>

bool slot_takes(const SlotInfo *s, const Operand *o) {
    /* A tile cannot be a literal. */
    return o->value == NULL ? s->kind != SLOT_TILE
                            : slot_accepts((SlotKind)s->kind, o->value->type);
}

static bool is_index_list(const SlotInfo *s) {
    return s->arity == ARITY_VAR && s->kind == SLOT_INDEX;
}

static bool in_group(const SlotInfo *s, SlotGroup g) {
    if (is_index_list(s)) return false;
    if (g == GROUP_SSA) return !slot_is_result(s);
    return slot_in_outs(s) == (g == GROUP_OUTS);
}

unsigned needed_from(const Inst *inst, int slot, SlotGroup g) {
    unsigned n = 0;
    for (int s = slot; s < inst->nslots; s++)
        n += in_group(&inst->slots[s], g) && inst->slots[s].arity == ARITY_ONE;
    return n;
}

int clause_slot(const Written *w, unsigned i) {
    for (unsigned k = 0; k < w->nclauses; k++)
        if (w->clauses[k].operand == i) return w->clauses[k].slot;
    return -1;
}

/* Counts the operands from `at` on that have no clause word. */
static unsigned plain_left(const Written *w, unsigned at) {
    unsigned left = w->n - at;
    for (unsigned k = 0; k < w->nclauses; k++)
        left -= w->clauses[k].operand >= at;
    return left;
}

/* True when an operand in ins/outs is identified only by its word. */
static bool needs_word(const SlotInfo *s, SlotGroup g) {
    return s->rare->clause != NULL && s->rare->clause[0] != ',' &&
           (g != GROUP_SSA || s->rare->trailing);
}

unsigned operand_range(const Inst *inst, SlotGroup g, unsigned *most) {
    *most = 0;
    for (int s = 0; s < inst->nslots; s++)
        *most += in_group(&inst->slots[s], g) && !needs_word(&inst->slots[s], g);
    return needed_from(inst, 0, g);
}

static void wrong_count(Cursor *c, const Op *op, SlotGroup g, const Written *w) {
    unsigned most, least = operand_range(op->inst, g, &most), found = w->n - w->nclauses;
    const char *where = g == GROUP_INS ? "ins" : g == GROUP_OUTS ? "outs" : "operands";
    const char *front = "";
    for (int s = 0; s < op->inst->nslots; s++) {
        const SlotInfo *info = &op->inst->slots[s];
        if (in_group(info, g) && needs_word(info, g))
            front = " in front of the types"; /* this group's operands follow */
    }
    if (least == most)
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s' takes %u in %s%s, found %u",
             op->inst->name, least, where, front, found);
    else
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s' takes %u to %u in %s%s, found %u",
             op->inst->name, least, most, where, front, found);
}

/* Assigns written operands to slots: first[s] and segs[s] are the first operand and the number for
 * slot s. */
static void assign_slots(Cursor *c, const Op *op, const Written *w, SlotGroup g, uint16_t *first,
                         uint16_t *segs) {
    unsigned at = 0;
    for (unsigned k = 0; k < w->nclauses; k++) {
        first[w->clauses[k].slot] = w->clauses[k].operand;
        segs[w->clauses[k].slot] = 1;
    }
    for (int s = 0; s < op->inst->nslots && !c->failed; s++) {
        const SlotInfo *info = &op->inst->slots[s];
        if (!in_group(info, g) || needs_word(info, g) || segs[s] != 0) continue;
        while (at < w->n && clause_slot(w, at) >= 0)
            at++;
        unsigned later = needed_from(op->inst, s + 1, g), take = 0;
        unsigned left = plain_left(w, at);
        if (info->arity == ARITY_ONE)
            take = 1;
        else if (info->arity == ARITY_OPT)
            take = left > later && slot_takes(info, &w->ops[at]);
        else
            while (take + later < left && clause_slot(w, at + take) < 0 &&
                   slot_takes(info, &w->ops[at + take]))
                take++;
        if (take > left) {
            wrong_count(c, op, g, w);
            return;
        }
        first[s] = (uint16_t)at;
        segs[s] = (uint16_t)take;
        at += take;
    }
    while (at < w->n && clause_slot(w, at) >= 0)
        at++;
    if (c->failed || at == w->n) return;
    /* The wrong kind of an optional operand explains more than a wrong count. */
    for (int s = 0; s < op->inst->nslots; s++) {
        const SlotInfo *info = &op->inst->slots[s];
        if (in_group(info, g) && !needs_word(info, g) && info->arity == ARITY_OPT && segs[s] == 0 &&
            w->ops[at].value != NULL) {
            check_slot(c, op, s, &w->ops[at]);
            if (c->failed || c->nwrong > 0) return;
        }
    }
    wrong_count(c, op, g, w);
}

/* Returns the type of a literal operand: the written one, else that of the slot or of the first
 * tile. */
static const Type *literal_type(Cursor *c, const Written *w, unsigned i, SlotKind kind) {
    Context *ctx = c->b->ctx;
    if (kind == SLOT_INDEX) return type_scalar(ctx->types, ELEM_INDEX);
    if (kind == SLOT_I64) return type_scalar(ctx->types, ELEM_I64);
    const bool types_of_indices = w->ntypes == w->n + w->nindices && i > w->indexed;
    const unsigned at = i + (types_of_indices ? w->nindices : 0);
    if ((w->ntypes > 1 || w->n == 1) && at < w->ntypes && w->types[at]->kind == TY_SCALAR)
        return w->types[at];
    for (unsigned k = 0; k < w->n; k++)
        if (w->ops[k].value != NULL && w->ops[k].value->type->kind == TY_TILE && kind != SLOT_INT)
            return w->ops[k].value->type->elem_type;
    return type_scalar(ctx->types, kind == SLOT_INT ? ELEM_I32 : ELEM_F32);
}

static void resolve_literals(Cursor *c, const Op *op, Written *w, const uint16_t *first,
                             const uint16_t *segs, SlotGroup g) {
    for (int s = 0; s < op->inst->nslots && !c->failed; s++) {
        if (!in_group(&op->inst->slots[s], g)) continue;
        for (unsigned i = first[s]; i < (unsigned)first[s] + segs[s]; i++) {
            if (w->literal[i] != 0)
                settle_literal(c, &w->ops[i], w->literal[i],
                               literal_type(c, w, i, (SlotKind)op->inst->slots[s].kind));
        }
    }
}

static void check_group(Cursor *c, const Op *op, const Written *w, const uint16_t *first,
                        const uint16_t *segs, SlotGroup g) {
    for (int s = 0; s < op->inst->nslots; s++)
        if (in_group(&op->inst->slots[s], g))
            for (unsigned i = first[s]; i < (unsigned)first[s] + segs[s]; i++)
                check_slot(c, op, s, &w->ops[i]);
}

/* Collects ins and outs (NULL in the SSA forms) in the order of slots. */
static void finish_operands(Cursor *c, Op *op, const Written *ins, const Written *outs,
                            const uint16_t *first, uint16_t *segs) {
    Operand few[WRITTEN_FEW * 2];
    unsigned total = ins->n + (outs != NULL ? outs->n + outs->nindices : 0) + ins->nindices;
    Operand *flat = total <= WRITTEN_FEW * 2 ? few : ARENA_ARRAY(&c->b->ctx->arena, Operand, total);
    unsigned n = 0;
    for (int s = 0; s < op->inst->nslots; s++) {
        const SlotInfo *info = &op->inst->slots[s];
        if (is_index_list(info)) {
            /* Indices follow their operand; in DPS its role tells whether they are in ins or outs.
             */
            const Written *w =
                outs != NULL && op->inst->slots[s - 1].role == ROLE_WRITE ? outs : ins;
            for (unsigned i = 0; i < w->nindices; i++)
                flat[n++] = w->indices[i];
            segs[s] = (uint16_t)w->nindices;
            continue;
        }
        const Written *w = outs != NULL && slot_in_outs(info) ? outs : ins;
        for (unsigned i = 0; i < segs[s]; i++)
            flat[n++] = w->ops[first[s] + i];
    }
    set_operands(c->b, op, flat, n, segs);
}

static void check_indices(Cursor *c, const Op *op, const Written *w) {
    if (w->nindices == 0 || c->failed) return;
    for (int s = 0; s < op->inst->nslots; s++)
        if (is_index_list(&op->inst->slots[s])) {
            for (unsigned i = 0; i < w->nindices; i++)
                check_slot(c, op, s, &w->indices[i]);
            return;
        }
    fail(c, DIAG_SYNTAX, w->ops[w->indexed].span, "'%s' takes no indexed operand", op->inst->name);
}

void spread_indices(Cursor *c, const Op *op, Written *w) {
    if (w->nindices == 0 || c->failed || w->nclauses != 0) return;
    for (int s = 0; s < op->inst->nslots; s++)
        if (is_index_list(&op->inst->slots[s])) return;
    unsigned n = w->nindices, at = w->indexed + 1;
    while (w->n + n > w->cap)
        written_grow(c, w);
    memmove(w->ops + at + n, w->ops + at, (w->n - at) * sizeof *w->ops);
    memmove(w->literal + at + n, w->literal + at, (w->n - at) * sizeof *w->literal);
    for (unsigned i = 0; i < n; i++) {
        w->ops[at + i] = w->indices[i];
        w->literal[at + i] = 0;
    }
    w->n += n;
    w->nindices = 0;
}

void place_operands(Cursor *c, Op *op, Written *ins, Written *outs) {
    uint16_t first[INST_MOST_OPERANDS] = {0}, segs[INST_MOST_OPERANDS] = {0};
    SlotGroup group = outs != NULL ? GROUP_INS : GROUP_SSA;
    if (!c->failed) assign_slots(c, op, ins, group, first, segs);
    if (!c->failed && outs != NULL) assign_slots(c, op, outs, GROUP_OUTS, first, segs);
    resolve_literals(c, op, ins, first, segs, group);
    check_group(c, op, ins, first, segs, group);
    if (outs != NULL) check_group(c, op, outs, first, segs, GROUP_OUTS);
    check_indices(c, op, ins);
    if (outs != NULL) check_indices(c, op, outs);
    if (!c->failed) finish_operands(c, op, ins, outs, first, segs);
}

/* ---- results ---- */

unsigned result_slots(const Inst *inst, unsigned *least) {
    unsigned n = 0, needed = 0;
    for (int s = 0; s < inst->nslots; s++)
        if (slot_is_result(&inst->slots[s])) {
            n++;
            needed += inst->slots[s].arity == ARITY_ONE;
        }
    if (least != NULL) *least = needed;
    return n;
}

void finish_results(Cursor *c, Op *op, const ResultNames *names, Signature *sig, unsigned first) {
    const Inst *inst = op->inst;
    bool optional = (inst->flags & IF_OPT_RESULT) != 0;
    if (c->failed || c->nwrong > 0) return;
    for (unsigned i = sig->nresults - first;
         !optional && i < inst->nresults && first + i < MOST_SIGNATURE_RESULTS; i++) {
        const Type *t = infer_result_type(c->b->ctx, op, (int)i);
        if (t == NULL) break;
        sig->results[first + i] = t;
        sig->result_spans[first + i] = op->name_span;
        sig->nresults++;
    }
    unsigned want = first + inst->nresults;
    if (sig->nresults != want && !(optional && sig->nresults == first)) {
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s' has %u result%s, the signature has %u",
             inst->name, want, want == 1 ? "" : "s", sig->nresults);
        return;
    }
    for (unsigned i = 0, slot = 0; i < sig->nresults; i++) {
        while (i < first && !slot_is_result(&inst->slots[slot]))
            slot++;
        SlotKind kind =
            (SlotKind)(i < first ? inst->slots[slot++].kind : inst->results[i - first].kind);
        if (slot_accepts(kind, sig->results[i])) continue;
        fail(c, DIAG_OPERAND_KIND, sig->result_spans[i],
             "'%s': the result must be %s, found '" TYPE_FMT "'", inst->name, slot_types[kind].text,
             TYPE_ARG(&c->b->ctx->names, sig->results[i]));
        return;
    }
    set_results(c, op, names, sig->results, sig->nresults);
}

void bind_tile(Cursor *c, Op *op, const ResultNames *names) {
    if (peek_word(c, "ins") || peek_word(c, "outs"))
        bind_dps(c, op, names);
    else
        bind_ssa(c, op, names);
}
