/* SPDX-License-Identifier: Apache-2.0 */
/* Tries a free after the last use of each popped entry. The text gets one only if exactly one
 * place makes the program right. */
#include "analysis/missing_free.h"

#include "analysis/entries.h"
#include "analysis/freed.h"
#include "analysis/handover.h"

enum { MOST_POPS = 4 };

typedef struct Search {
    Context *ctx;
    const Op *like; /* a pop of the pipe */
    Op *pops[MOST_POPS];
    uint32_t n; /* of all pops, also beyond these */
} Search;

static bool see_pop(Op *op, void *arg) {
    Search *s = arg;
    if (op->inst->entry != ENTRY_POP || !same_pipe_side(op, s->like)) return true;
    if (s->n < MOST_POPS) s->pops[s->n] = op;
    s->n++;
    return true;
}

/* ---- the last use ---- */

typedef struct Uses {
    const Op *pop;
    const Value *entry;
    bool here;    /* in the statements that are looked at */
    bool outside; /* in a block around that of the pop, or with another entry */
    bool renamed; /* by another name than that of a view */
} Uses;

static bool is_of_entry(const Uses *u, const Operand *o) {
    return o->value != NULL && viewed_value(o->value) == u->entry;
}

static bool uses_entry(const Uses *u, const Op *op) {
    for (unsigned i = 0; i < op->noperands; i++)
        if (is_of_entry(u, &op->operands[i])) return true;
    for (unsigned i = 0; i < op->nsuccs; i++)
        for (uint32_t k = 0; k < op_succs(op)[i].nargs; k++)
            if (is_of_entry(u, &op_succs(op)[i].args[k])) return true;
    return false;
}

static bool see_use(Op *op, void *arg) {
    Uses *u = arg;
    u->here |= uses_entry(u, op);
    return !u->here;
}

/* A result of a branch or loop, a selected tile or a pointer may be the entry, too. */
static void see_name(void *arg, const Handover *h) {
    Uses *u = arg;
    u->renamed |= is_of_entry(u, h->from) && viewed_value(h->to) != u->entry;
}

static bool see_outside(Op *op, void *arg) {
    Uses *u = arg;
    const bool uses = uses_entry(u, op);
    u->outside |= uses && !block_is_inside(op->block, region_owner(u->pop->block));
    for (unsigned i = 0; i < op->nresults; i++)
        u->renamed |= uses && op->results[i].type->kind == TY_PTR;
    handover_each(op, see_name, u);
    return !u->outside && !u->renamed;
}

/* Returns the last statement of the pop's block that uses the entry; NULL where it is used
 * elsewhere or by other names, too. */
static Op *last_use(Op *pop) {
    Uses u = {.pop = pop, .entry = entry_value(pop)};
    Op *last = pop;
    if (u.entry == NULL) return pop;
    op_walk((Op *)op_function(pop), see_outside, &u);
    if (u.outside || u.renamed) return NULL;
    for (Op *op = pop->next; op != NULL; op = op->next) {
        if (op->inst->entry == ENTRY_POP && entry_value(op) == u.entry) break;
        u.here = false;
        op_walk(op, see_use, &u);
        if (u.here) last = op;
    }
    return (last->inst->flags & IF_TERMINATOR) != 0 ? NULL : last;
}

/* ---- the statement ---- */

static const Inst *free_of(const Op *pop) {
    const bool named = inst_slot(pop->inst, OPERAND_pipe_handle) >= 0;
    for (unsigned i = 0; i < INST_COUNT; i++) {
        const Inst *inst = &inst_table[i];
        if (inst->entry == ENTRY_FREE && inst->core == pop->inst->core &&
            (inst_slot(inst, OPERAND_pipe_handle) >= 0) == named)
            return inst;
    }
    return NULL;
}

static void add_operand(Op *op, OperandName slot, Value *v) {
    op->segs[inst_slot(op->inst, slot)] = 1;
    op->operands[op->noperands++] = (Operand){.value = v, .span = op->span};
}

/* Makes the free of what a pop takes; it names a view. */
static Op *new_free(Context *ctx, const Op *pop) {
    static const AttrName kept[] = {ATTR_id, ATTR_split};
    const Inst *inst = free_of(pop);
    const int pipe = inst_slot(pop->inst, OPERAND_pipe_handle);
    const Value *entry = entry_value(pop);
    if (inst == NULL) return NULL;
    Op *op = op_new(ctx, inst, (Span){.off = pop->span.off});
    op->form = pop->form;
    op->segs = ARENA_ARRAY(&ctx->arena, uint16_t, inst->nslots + 1u);
    op->operands = ARENA_ARRAY(&ctx->arena, Operand, 2);
    op->attrs = ARENA_ARRAY(&ctx->arena, NamedAttr, 2);
    if (entry != NULL && !type_is_tile(entry->type)) add_operand(op, OPERAND_entry, (Value *)entry);
    if (pipe >= 0) add_operand(op, OPERAND_pipe_handle, slot_value(pop, pipe));
    for (unsigned i = 0; i < sizeof kept / sizeof *kept; i++) {
        const NamedAttr *a = op_attr_named(pop, kept[i]);
        if (a != NULL) op->attrs[op->nattrs++] = *a;
    }
    return op;
}

/* ---- the text ---- */

/* Returns the end of a statement with its regions; 0 where it has no braces. */
static uint32_t end_of(const Op *op) {
    if (op->nregions == 0) return op->span.off + op->span.len;
    for (unsigned i = op->nregions; i > 0; i--) {
        const Span close = op_regions(op)[i - 1].close;
        if (close.len > 0) return close.off + close.len;
    }
    return 0;
}

/* Returns the end of the line on which a statement ends; 0 where more than a comment or a location
 * is there. */
static uint32_t line_end(const Context *ctx, const Op *op) {
    const char *text = ctx->source->data;
    uint32_t at = end_of(op);
    if (at == 0) return 0;
    while (text[at] == ' ' || text[at] == '\t')
        at++;
    const bool rest = strncmp(text + at, "//", 2) == 0 || strncmp(text + at, "loc(", 4) == 0;
    if (!rest && text[at] != '\n' && text[at] != '\r') return 0;
    while (at < ctx->source->size && text[at] != '\n' && text[at] != '\r')
        at++;
    return at;
}

static MissingFree text_of(Context *ctx, const Op *last, const Op *made) {
    const char *text = ctx->source->data;
    uint32_t from = last->span.off, to;
    StrBuf out;
    while (from > 0 && text[from - 1] != '\n')
        from--;
    for (to = from; text[to] == ' ' || text[to] == '\t';)
        to++;
    sb_init(&out, &ctx->arena);
    sb_printf(&out, "\n%.*s", (int)(to - from), text + from);
    op_print(&out, ctx, made, PRINT_KEEP);
    return (MissingFree){{.off = line_end(ctx, last)}, sb_text(&out)};
}

MissingFree missing_free(Context *ctx, const Op *pop, bool (*proves)(void *arg), void *arg) {
    Search s = {.ctx = ctx, .like = pop};
    MissingFree found = {.text = NULL};
    Op *places[MOST_POPS];
    uint32_t right = 0, n = 0;
    op_walk((Op *)op_function(pop), see_pop, &s);
    if (s.n > MOST_POPS) return found;
    for (uint32_t i = 0; i < s.n; i++) {
        Op *last = last_use(s.pops[i]), *made = last != NULL ? new_free(ctx, s.pops[i]) : NULL;
        uint32_t known = 0;
        while (known < n && places[known] != last)
            known++;
        if (made == NULL || known < n || line_end(ctx, last) == 0) continue;
        places[n++] = last;
        op_insert_after(last, made);
        const bool good = proves(arg);
        op_remove(made);
        if (good && right++ == 0) found = text_of(ctx, last, made);
    }
    return right == 1 ? found : (MissingFree){.text = NULL};
}
