/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over a module and lowers its statements on logical vectors: those with a row in rows.def by
 * its shape; loops and branches carry registers instead. */
#include "passes/lower_vmi/lower.h"

#include <string.h>

#include "passes/passes.h"

enum {
    ROW_NONE,
#define ROW(id, shape, to, each, both, flags) ROW_##id,
#include "passes/lower_vmi/rows.def"
#undef ROW
    ROW_COUNT
};
_Static_assert(ROW_COUNT <= UINT8_MAX + 1, "the number of a row is a byte");
static const uint8_t row_of[INST_COUNT] = {
#define ROW(id, shape, to, each, both, flags) [INST_##id] = ROW_##id,
#include "passes/lower_vmi/rows.def"
#undef ROW
};
static const Row rows[ROW_COUNT] = {
#define INST_NO 0
#define ROW(id, shape, to, each, both, flags)                                                      \
    [ROW_##id] = {shape, INST_##to, INST_##each, INST_##both, flags},
#include "passes/lower_vmi/rows.def"
#undef ROW
#undef INST_NO
};

bool vmi_not_written(Lowering *l, const Row *row) {
    (void)row;
    return vmi_refuse(l, "registers have no short form of it");
}

/* ---- one statement ---- */

static void note_dead(Lowering *l, Op *op) {
    if (l->ndead == l->cap_dead) {
        l->cap_dead = l->cap_dead * 2 + 64;
        Op **more = ARENA_ARRAY(l->arena, Op *, l->cap_dead);
        if (l->ndead > 0) memcpy(more, l->dead, l->ndead * sizeof *more);
        l->dead = more;
    }
    l->dead[l->ndead++] = op;
}

/* Gives the comments of a statement to the first one that replaces it, or to the next one. */
static void move_comments(Lowering *l, Op *from, Op *to) {
    Trivia *t = op_trivia(from), *last = t;
    if (t == NULL || to == NULL) return;
    for (;; last = last->next) {
        if (to == from->next && last->kind == TRIVIA_TRAILING) last->kind = TRIVIA_COMMENT;
        if (last->next == NULL) break;
    }
    last->next = op_trivia(to);
    op_more(l->arena, to)->trivia = t;
    from->more->trivia = NULL;
}

/* True when each logical operand was lowered; if not, that was reported. */
static bool operands_lowered(Lowering *l, const Op *op) {
    for (unsigned i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i].value;
        if (value_is_lanes(v) && vmi_registers(l, v) == NULL) return false;
        if (value_is_lane_mask(v) && ptrmap_get(&l->masks, v) == NULL) return false;
    }
    return true;
}

static bool short_enough(Lowering *l, const Op *op) {
    for (unsigned i = 0; i < op->nresults; i++) {
        const Type *t = op->results[i].type;
        const unsigned bits = t->kind == TY_LANES ? type_bits(t) : 8;
        const uint32_t n = registers_for(t->count, bits);
        if (value_is_logical(&op->results[i]) && n > MOST_REGISTERS)
            return vmi_refuse(l, "its result would take %u registers, more than %d", (unsigned)n,
                              MOST_REGISTERS);
    }
    return true;
}

static void vmi_statement(Lowering *l, Op *op, const Row *row) {
    l->op = l->pos = op;
    l->like = op->nresults > 0 ? op->results : NULL;
    for (unsigned i = 0; l->like == NULL && i < op->noperands; i++)
        if (value_is_lanes(op->operands[i].value)) l->like = op->operands[i].value;
    Op *before = op->prev;
    if (!operands_lowered(l, op)) {
        if (!l->failed) vmi_refuse(l, "one of its operands is defined after it in the text");
        return;
    }
    if (!short_enough(l, op) || !row->lower(l, row)) return;
    vmi_name_made(l);
    Op *first = before != NULL ? before->next : op->block->first;
    move_comments(l, op, first != op ? first : op->next);
    note_dead(l, op);
}

/* ---- the others ---- */

static bool vmi_regions(Lowering *l, Op *op);

static bool vmi_other(Lowering *l, Op *op) {
    l->op = l->pos = op;
    if (vmi_passes_vectors(op))
        return vmi_refuse(
            l, "its parameters or results are vectors, and registers exist inside a "
               "vector scope only: it is not private, nothing calls it, or it has several blocks");
    if (!vmi_operands(l, op)) {
        if (!l->failed) vmi_refuse(l, "one of its operands is defined after it in the text");
        return false;
    }
    vmi_name_made(l);
    l->op = op;
    return vmi_results(l, op) && vmi_regions(l, op);
}

static void vmi_block(Lowering *l, Block *b) {
    for (Op *op = b->first, *next; op != NULL; op = next) {
        next = op->next;
        const Row *row = &rows[row_of[inst_id(op->inst)]];
        if (row->lower != NULL)
            vmi_statement(l, op, row);
        else
            vmi_other(l, op);
    }
}

static bool vmi_regions(Lowering *l, Op *op) {
    for (unsigned r = 0; r < op->nregions; r++)
        for (Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            if (!vmi_arguments(l, b)) return false;
    for (unsigned r = 0; r < op->nregions; r++)
        for (Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            vmi_block(l, b);
    return true;
}

bool passes_lower_logical(Module *m) {
    Arena *arena = &m->ctx->arena;
    Lowering l = {.ctx = m->ctx,
                  .arena = arena,
                  .registers = {.arena = arena},
                  .masks = {.arena = arena},
                  .moved = {.arena = arena},
                  .homes = {.arena = arena},
                  .computed = {.arena = arena}};
    if (m->root != NULL) vmi_inline_calls(&l, m);
    if (m->root != NULL) vmi_regions(&l, m->root);
    for (uint32_t i = 0; i < l.ndead; i++)
        op_remove(l.dead[i]);
    return !l.failed;
}
