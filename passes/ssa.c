/* SPDX-License-Identifier: Apache-2.0 */
/* DPS -> SSA: instructions get results instead of destinations. The contents of an allocation
 * become values: loops carry those that live across iterations, branches return those that are
 * needed later. Buffers that cannot become values stay, with a warning that says why. */
#include "passes/ssa.h"

#include <string.h>

/* ---- names ---- */

static Atom value_name(Ssa *s, SsaBuffer *b) {
    Interner *names = &s->ctx->names;
    const char *stem = name_stem(s->ctx, b->value->name, ""); /* ends with _ */
    b->serial = fresh_number(s->ctx, stem, b->serial + 1);
    const char *text = arena_printf(&s->ctx->arena, "%s%u", stem, b->serial);
    return intern(names, text, strlen(text));
}

static const Type *value_type(Ssa *s, const SsaBuffer *b) {
    return type_respell(s->ctx->types, b->value->type, SPELL_TILE);
}

static Value new_value(Ssa *s, SsaBuffer *b, Op *def) {
    return (Value){.type = value_type(s, b),
                   .name = value_name(s, b),
                   .name_off = b->value->name_off,
                   .def = def,
                   .npack = 1};
}

/* Returns the current contents: the last value, or the allocation itself. */
static Value *contents(SsaBuffer *b) {
    if (b->now != NULL) return b->now;
    b->needed = true;
    return b->value;
}

/* ---- instructions ---- */

/* Results have the order of the slots, followed by the instruction's own results. */
static void make_results(Ssa *s, Op *op) {
    const Inst *inst = op->inst;
    unsigned n = 0, k = 0;
    for (int i = 0; i < inst->nslots; i++)
        n += slot_is_result(&inst->slots[i]);
    Value *results = ARENA_ARRAY(&s->ctx->arena, Value, n + op->nresults);
    Operand *operands = ARENA_ARRAY(&s->ctx->arena, Operand, op->noperands);
    uint16_t *segs = ARENA_ARRAY(&s->ctx->arena, uint16_t, inst->nslots);
    unsigned r = 0;
    for (int i = 0; i < inst->nslots; i++) {
        unsigned count = slot_count(op, i);
        const Operand *from = slot_operands(op, i);
        if (slot_is_result(&inst->slots[i])) {
            SsaBuffer *b = ssa_buffer(s, from->value);
            results[r] = new_value(s, b, op);
            results[r].index = (uint16_t)r;
            b->now = &results[r++];
            if (b->named == NULL) b->named = b->now;
            continue;
        }
        segs[i] = (uint16_t)count;
        if (count > 0) memcpy(operands + k, from, count * sizeof *from);
        k += count;
    }
    for (unsigned i = 0; i < op->nresults; i++) {
        results[r + i] = op->results[i];
        results[r + i].index = (uint16_t)(r + i);
        *ptrmap_at(&s->replaced, &op->results[i]) = &results[r + i];
    }
    op->operands = operands;
    op->noperands = (uint16_t)k;
    op->segs = segs;
    op->results = results;
    op->nresults = (uint8_t)(r + op->nresults);
    op->form = OPF_SSA;
}

static bool is_converted(const Ssa *s, const Op *op) {
    if (!ssa_writes(op)) return false;
    for (int i = 0; i < op->inst->nslots; i++)
        if (slot_is_result(&op->inst->slots[i]) && ssa_buffer(s, slot_value(op, i)) == NULL)
            return false;
    return true;
}

static void convert_op(Ssa *s, Op *op) {
    for (int i = 0; i < op->inst->nslots; i++) {
        if (op->inst->slots[i].role == ROLE_WRITE) continue;
        unsigned n = slot_count(op, i);
        Operand *o = slot_operands(op, i);
        for (unsigned k = 0; k < n; k++) {
            SsaBuffer *b = ssa_buffer(s, o[k].value);
            if (b != NULL) o[k].value = contents(b);
        }
    }
    if (is_converted(s, op)) make_results(s, op);
}

/* ---- values carried by loops and branches ---- */

typedef struct Carry {
    SsaBuffer **buffers;
    uint32_t n;
} Carry;

static Value *longer_values(Ssa *s, Block *block, Value *list, uint32_t n, uint32_t more) {
    Value *copy = block_args_new(&s->ctx->arena, block, (size_t)n + more);
    for (uint32_t i = 0; i < n; i++) {
        copy[i] = list[i];
        *ptrmap_at(&s->replaced, &list[i]) = &copy[i];
    }
    return copy;
}

/* Inserts operands after the first `at` of the slot. */
static void add_operands(Ssa *s, Op *op, int slot, unsigned at, const Carry *c) {
    Operand *list = ARENA_ARRAY(&s->ctx->arena, Operand, (size_t)op->noperands + c->n);
    uint16_t *segs = ARENA_ARRAY(&s->ctx->arena, uint16_t, op->inst->nslots);
    for (int i = 0; i < op->inst->nslots; i++)
        segs[i] = (uint16_t)slot_count(op, i);
    segs[slot] = (uint16_t)(segs[slot] + c->n);
    if (at > 0) memcpy(list, op->operands, at * sizeof *list);
    for (uint32_t i = 0; i < c->n; i++)
        list[at + i] = (Operand){.value = contents(c->buffers[i]), .span = op->span};
    if (op->noperands > at)
        memcpy(list + at + c->n, op->operands + at, (op->noperands - at) * sizeof *list);
    op->operands = list;
    op->noperands = (uint16_t)(op->noperands + c->n);
    op->segs = segs;
}

static void add_results(Ssa *s, Op *op, const Carry *c) {
    op->results = longer_values(s, NULL, op->results, op->nresults, c->n);
    for (uint32_t i = 0; i < c->n; i++) {
        Value *v = &op->results[op->nresults];
        *v = new_value(s, c->buffers[i], op);
        v->index = op->nresults++;
        c->buffers[i]->now = v;
    }
}

static void convert_blocks(Ssa *s, const Region *r);

/* Finds the buffers written inside a statement whose contents flow in or out. */
static Carry find_carried(Ssa *s, const Op *op) {
    const Inside *span = ptrmap_get(&s->spans, op);
    Carry c = {NULL, 0};
    uint32_t n = 0;
    for (const Written *w = span->written; w != NULL; w = w->next)
        n++;
    c.buffers = ARENA_ARRAY(s->arena, SsaBuffer *, n + 1);
    for (const Written *w = span->written; w != NULL; w = w->next) {
        if (ssa_read_in_body(w->place) || ssa_read_later(w->place)) c.buffers[c.n++] = w->buffer;
    }
    /* The list has the last buffer first; results are in the order of the text. */
    for (uint32_t i = 0; i < c.n / 2; i++) {
        SsaBuffer *swap = c.buffers[i];
        c.buffers[i] = c.buffers[c.n - 1 - i];
        c.buffers[c.n - 1 - i] = swap;
    }
    return c;
}

static void convert_for(Ssa *s, Op *op) {
    Carry c = find_carried(s, op);
    Block *body = op_regions(op)[0].first;
    int slot = inst_slot(op->inst, OPERAND_init);
    if (c.n > 0) {
        add_operands(s, op, slot, op->noperands, &c);
        body->args = longer_values(s, body, body->args, body->nargs, c.n);
        for (uint32_t i = 0; i < c.n; i++) {
            Value *v = &body->args[body->nargs];
            *v = new_value(s, c.buffers[i], NULL);
            v->argument = true;
            v->index = (uint16_t)body->nargs++;
            c.buffers[i]->now = v;
        }
    }
    convert_blocks(s, &op_regions(op)[0]);
    if (c.n == 0) return;
    add_operands(s, body->last, 0, body->last->noperands, &c);
    add_results(s, op, &c);
}

static void end_branch(Ssa *s, Op *op, unsigned r, const Carry *c) {
    Region *region = &op_regions(op)[r];
    if (region->first == NULL) {
        region->owner = op;
        Op *yield = op_new(s->ctx, &inst_table[region_end(region)->by], op->span);
        yield->name_span = op->name_span;
        yield->segs = ARENA_ARRAY(&s->ctx->arena, uint16_t, 1);
        op_append(block_new(s->ctx, region), yield);
    }
    add_operands(s, region->first->last, 0, region->first->last->noperands, c);
}

/* Converts what runs one of its regions once. */
static void convert_choice(Ssa *s, Op *op) {
    Carry c = find_carried(s, op);
    Written *written = ((Inside *)ptrmap_get(&s->spans, op))->written;
    bool merges = c.n > 0;
    for (Written *w = written; w != NULL; w = w->next)
        w->before = w->buffer->now;
    for (unsigned r = 0; r < op->nregions; r++) {
        for (const Written *w = written; w != NULL; w = w->next)
            w->buffer->now = w->before;
        convert_blocks(s, &op_regions(op)[r]);
        if (merges) end_branch(s, op, r, &c);
    }
    if (merges) add_results(s, op, &c);
}

static void convert_blocks(Ssa *s, const Region *r) {
    for (Block *b = r->first; b != NULL; b = b->next)
        for (Op *op = b->first; op != NULL; op = op->next) {
            if (op_counts(op)) {
                convert_for(s, op);
            } else if (ssa_is_choice(op)) {
                convert_choice(s, op);
            } else if (op->nregions > 0) {
                for (unsigned i = 0; i < op->nregions; i++)
                    convert_blocks(s, &op_regions(op)[i]);
            } else if (op->inst->form == FORM_TILE) {
                convert_op(s, op);
            }
        }
}

/* ---- removing allocations ---- */

/* Moves comments of a removed statement to the next one. */
static void move_trivia(Arena *arena, Op *from) {
    Op *to = from->next;
    if (to == NULL || op_trivia(from) == NULL) return;
    Trivia *last = op_trivia(from);
    for (Trivia *t = op_trivia(from); t != NULL; t = t->next) {
        if (t->kind == TRIVIA_TRAILING) t->kind = TRIVIA_COMMENT;
        last = t;
    }
    if (last->kind == TRIVIA_BLANK && op_trivia(to) != NULL && op_trivia(to)->kind == TRIVIA_BLANK)
        last->next = op_trivia(to)->next;
    else
        last->next = op_trivia(to);
    op_more(arena, to)->trivia = op_trivia(from);
}

static void finish_buffer(Ssa *s, SsaBuffer *b) {
    if (b->why != NULL) {
        Atom name = b->value->name;
        diag_add(&s->ctx->diags, DIAG_KEPT_BUFFER, b->why_at->name_span,
                 "%%%.*s stays a buffer: %s %s", (int)atom_len(&s->ctx->names, name),
                 atom_text(&s->ctx->names, name), b->why_at->inst->name, b->why);
        return;
    }
    if (b->needed || b->first == NULL) return;
    if (b->named != NULL) b->named->name = b->value->name;
    move_trivia(&s->ctx->arena, b->alloc);
    op_remove(b->alloc);
}

static bool follow_copies(Op *op, void *arg) {
    const Ssa *s = arg;
    for (unsigned i = 0; i < op->noperands; i++)
        for (Value *to; (to = ptrmap_get(&s->replaced, op->operands[i].value)) != NULL;)
            op->operands[i].value = to;
    for (unsigned i = 0; i < op->nsuccs; i++)
        for (uint32_t k = 0; k < op_succs(op)[i].nargs; k++)
            for (Value *to; (to = ptrmap_get(&s->replaced, op_succs(op)[i].args[k].value)) != NULL;)
                op_succs(op)[i].args[k].value = to;
    return true;
}

/* ---- destinations that are not allocations ---- */

static bool report_kept(Op *op, void *arg) {
    Ssa *s = arg;
    if (!ssa_writes(op)) return true;
    for (int i = 0; i < op->inst->nslots; i++) {
        const Value *v = slot_is_result(&op->inst->slots[i]) ? slot_value(op, i) : NULL;
        if (v == NULL || ptrmap_get(&s->of_value, v) != NULL) continue;
        diag_add(&s->ctx->diags, DIAG_KEPT_BUFFER, op->name_span,
                 "%s keeps its destination %%%.*s: it is not an allocation of this function",
                 op->inst->name, (int)atom_len(&s->ctx->names, v->name),
                 atom_text(&s->ctx->names, v->name));
    }
    return true;
}

/* ---- functions ---- */

typedef struct Conversion {
    Module *module;
    Profile profile;
    Scratch *scratch;
} Conversion;

static bool convert_function(Op *func, void *arg) {
    Conversion *m = arg;
    if (!op_is(func, INST_FUNC) || !func_data(func)->has_body) return true;
    Arena *a = &m->scratch->step;
    Ssa s = {.ctx = m->module->ctx,
             .arena = a,
             .profile = m->profile,
             .of_value = {.arena = a},
             .spans = {.arena = a},
             .replaced = {.arena = a}};
    ssa_find_buffers(&s, func);
    op_walk(func, report_kept, &s);
    convert_blocks(&s, &op_regions(func)[0]);
    for (SsaBuffer *b = s.buffers; b != NULL; b = b->next)
        finish_buffer(&s, b);
    op_walk(func, follow_copies, &s);
    scratch_rewind(m->scratch);
    return true;
}

static void convert_module(Scratch *scratch, void *arg) {
    Conversion *m = arg;
    m->scratch = scratch;
    op_walk(m->module->root, convert_function, m);
}

void passes_to_ssa(Module *m, Profile profile) {
    Conversion arg = {.module = m, .profile = profile};
    scratch_run(m->ctx, convert_module, &arg);
}
