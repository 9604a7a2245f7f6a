/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which allocations can become values (those that only tile instructions in the DPS form
 * access, as a whole, in structured control flow), and where their contents are needed. */
#include "analysis/effects.h"
#include "passes/dps.h"
#include "passes/ssa.h"

#include <string.h>

/* ---- what an instruction does with a buffer ---- */

static bool has_results(const Op *op) {
    for (int i = 0; i < op->inst->nslots; i++)
        if (slot_is_result(&op->inst->slots[i])) return true;
    return false;
}

bool ssa_writes(const Op *op) {
    return op->inst->form == FORM_TILE && has_results(op) && op_tile_results(op) == 0;
}

static void deny(Ssa *s, SsaBuffer *b, const Op *op, const char *why) {
    if (b->why != NULL) return;
    b->why = why;
    b->why_at = op;
    b->next_denied = s->denied;
    s->denied = b;
}

SsaBuffer *ssa_buffer(const Ssa *s, const Value *v) {
    SsaBuffer *b = ptrmap_get(&s->of_value, v);
    return b != NULL && b->why == NULL ? b : NULL;
}

static void add_access(Ssa *s, SsaBuffer *b, Op *op, bool writes) {
    if (b->last == NULL || b->last->op != op) {
        BufferUse *a = ARENA_NEW(s->arena, BufferUse);
        a->op = op;
        a->pos = s->positions;
        a->prev = b->last;
        if (b->last != NULL)
            b->last->next = a;
        else
            b->first = a;
        b->last = a;
    }
    b->last->writes |= writes;
    b->last->reads |= !writes;
}

/* True when a destination keeps a part of what is in it. */
static bool keeps_part(const Op *op, const SlotInfo *slot, const Type *t) {
    switch ((TouchedKind)slot_touched(op, slot)->kind) {
    case TOUCH_WINDOW:
    case TOUCH_ELEMENT:
        return true;
    case TOUCH_ROW:
        return t->tile.vrow != 1;
    case TOUCH_COLUMN:
        return t->tile.vcol != 1;
    default:
        return false;
    }
}

/* True when there may be contents in a buffer before a statement. */
static bool has_contents(const SsaBuffer *b, const Op *op) {
    return b->last != NULL || b->home != op->block;
}

static void note_slot(Ssa *s, Op *op, const SlotInfo *slot, Operand *o, bool blocks) {
    SsaBuffer *b = ptrmap_get(&s->of_value, o->value);
    if (b == NULL) return;
    if (op->inst->form != FORM_TILE || (op->inst->flags & IF_VIEW) != 0 ||
        op->inst->rare->idle != NULL)
        deny(s, b, op, "takes the storage, not the contents");
    else if (slot->role == ROLE_SCRATCH)
        deny(s, b, op, "uses it as scratch memory");
    else if (slot->role == ROLE_READWRITE || (slot->role == ROLE_WRITE && !slot_is_result(slot)))
        deny(s, b, op, "changes a part of it");
    else if (slot->role == ROLE_WRITE && has_contents(b, op) &&
             keeps_part(op, slot, b->value->type))
        deny(s, b, op, "changes a part of it");
    else if (blocks)
        deny(s, b, op, "uses it among blocks that branch");
    add_access(s, b, op, slot->role == ROLE_WRITE);
}

static void note_operands(Ssa *s, Op *op, bool blocks) {
    for (int i = 0; i < op->inst->nslots; i++) {
        unsigned n = slot_count(op, i);
        Operand *o = slot_operands(op, i);
        for (unsigned k = 0; k < n; k++)
            note_slot(s, op, &op->inst->slots[i], &o[k], blocks);
    }
    for (unsigned i = 0; i < op->nsuccs; i++)
        for (uint32_t k = 0; k < op_succs(op)[i].nargs; k++) {
            SsaBuffer *b = ptrmap_get(&s->of_value, op_succs(op)[i].args[k].value);
            if (b != NULL) deny(s, b, op, "takes the storage, not the contents");
        }
    /* Operands of calls and structured statements have no slots. */
    for (unsigned i = 0; op->inst->form == FORM_CUSTOM && i < op->noperands; i++) {
        SsaBuffer *b = ptrmap_get(&s->of_value, op->operands[i].value);
        if (b != NULL) deny(s, b, op, "takes the storage, not the contents");
    }
}

static void note_alloc(Ssa *s, Op *op) {
    if (!op_is(op, INST_ALLOC_TILE) || op->results[0].type->kind != TY_TILE) return;
    SsaBuffer *b = ARENA_NEW(s->arena, SsaBuffer);
    b->value = &op->results[0];
    b->alloc = op;
    b->home = op->block;
    if (named_value(op, OPERAND_addr) != NULL) deny(s, b, op, "gives it an address");
    *s->last = b;
    s->last = &b->next;
    *ptrmap_at(&s->of_value, b->value) = b;
}

static void note_blocks(Ssa *s, const Region *r, bool blocks);

static void note_op(Ssa *s, Op *op, bool blocks) {
    s->positions++;
    note_operands(s, op, blocks);
    note_alloc(s, op);
    if (op->nregions == 0) return;
    Inside *span = ARENA_NEW(s->arena, Inside);
    for (unsigned r = 0; r < op->nregions; r++)
        note_blocks(s, &op_regions(op)[r], blocks);
    span->end = s->positions;
    *ptrmap_at(&s->spans, op) = span;
    if (s->nstatements == s->cap_statements) {
        uint32_t cap = s->cap_statements * 2 + 16;
        Op **more = ARENA_ARRAY(s->arena, Op *, cap);
        if (s->nstatements > 0) memcpy(more, s->statements, s->nstatements * sizeof *more);
        s->statements = more;
        s->cap_statements = cap;
    }
    s->statements[s->nstatements++] = op;
}

static void note_blocks(Ssa *s, const Region *r, bool blocks) {
    blocks |= r->first != r->last;
    for (const Block *b = r->first; b != NULL; b = b->next)
        for (Op *op = b->first; op != NULL; op = op->next)
            note_op(s, op, blocks);
}

/* ---- home block ---- */

bool ssa_is_choice(const Op *op) {
    const RegionsInfo *r = op->inst->regions;
    return r != NULL && !op_loops(op) && (r->ends[0].to & TO_RESULTS) != 0;
}

/* True for a statement that can carry contents in and out. */
static bool is_structured(const Op *op) {
    return op_counts(op) || ssa_is_choice(op);
}

/* Sets the home block: all accesses may be in one region of a section or similar. */
static void find_home(const Ssa *s, SsaBuffer *b) {
    const Block *home = b->first->op->block;
    for (const Op *op = b->first->op; op->block != b->home;) {
        op = region_owner(op->block);
        const Inside *span = ptrmap_get(&s->spans, op);
        if (op->nregions != 1 || is_structured(op) || b->last->pos > span->end) home = op->block;
    }
    b->home = home;
}

static void deny_unstructured(Ssa *s, SsaBuffer *b) {
    for (const BufferUse *a = b->first; a != NULL && b->why == NULL; a = a->next)
        for (const Op *op = a->op; a->writes && op->block != b->home;) {
            op = region_owner(op->block);
            if (op == NULL || !is_structured(op)) {
                deny(s, b, a->op, "writes it in a region whose contents do not leave");
                break;
            }
        }
}

/* ---- when the contents are needed ---- */

/* Finds the statements with regions around the accesses of a buffer; accesses in one statement are
 * consecutive. */
static void find_places(Ssa *s, SsaBuffer *b) {
    SsaPlace *home = ARENA_NEW(s->arena, SsaPlace);
    home->open = true;
    for (BufferUse *a = b->first; a != NULL; a = a->next) {
        SsaPlace **to = &a->place;
        const Op *op = a->op;
        while (op->block != b->home) {
            op = region_owner(op->block);
            Inside *span = ptrmap_get(&s->spans, op);
            bool known = span->place != NULL && span->place->buffer == b;
            if (!known) {
                span->place = ARENA_NEW(s->arena, SsaPlace);
                span->place->op = op;
                span->place->buffer = b;
            }
            *to = span->place;
            to = &span->place->outer;
            if (known) break;
        }
        if (*to == NULL) *to = home;
    }
}

/* Handles the end of p->block: notes what its first access does to the contents. */
static void finish_block(SsaPlace *p) {
    if (p->block == NULL) return;
    p->read_within |= p->rest == READ_AGAIN;
    p->overwriting += p->rest == OVERWRITTEN;
}

/* Handles a part of `p` in `block` that precedes all parts seen so far; returns what happens after
 * it. */
static Fate look_before(SsaPlace *p, const Block *block, Fate part) {
    if (p->block != block) {
        finish_block(p);
        p->block = block;
        p->rest = THROUGH;
    }
    Fate after = p->rest;
    if (part != THROUGH) p->rest = part;
    return after;
}

/* Handles the end of a statement. A loop may run no iteration, and a branch may be missing. */
static void close_place(SsaPlace *p) {
    finish_block(p);
    bool all = p->overwriting == p->op->nregions && !op_loops(p->op);
    Fate fate = p->read_within ? READ_AGAIN : all ? OVERWRITTEN : THROUGH;
    p->after = look_before(p->outer, p->op->block, fate);
}

/* Computes the fates of all statements in one backward walk. */
static void find_fates(const SsaBuffer *b) {
    SsaPlace *at = NULL;
    for (const BufferUse *a = b->last; a != NULL; a = a->prev) {
        SsaPlace *around = a->place;
        while (!around->open) {
            around->open = true;
            around = around->outer;
        }
        for (; at != NULL && at != around; at = at->outer)
            close_place(at);
        at = a->place;
        look_before(at, a->op->block, a->reads ? READ_AGAIN : OVERWRITTEN);
    }
    for (; at->outer != NULL; at = at->outer)
        close_place(at);
}

bool ssa_read_in_body(const SsaPlace *p) {
    return op_counts(p->op) && p->read_within;
}

bool ssa_read_later(const SsaPlace *p) {
    for (; p->outer != NULL; p = p->outer) {
        if (p->after != THROUGH) return p->after == READ_AGAIN;
        if (p->outer->outer != NULL && ssa_read_in_body(p->outer)) return true;
    }
    return false;
}

/* ---- valid extents ---- */

typedef struct Extents {
    const Value *row, *col;
} Extents;

static const Value *alloc_extent(const SsaBuffer *b, OperandName name) {
    return named_value(b->alloc, name);
}

static bool extents_fit(const Type *t, Extents e) {
    return (t->tile.vrow != DYNAMIC || e.row != NULL) && (t->tile.vcol != DYNAMIC || e.col != NULL);
}

/* Returns the extents that SSA -> DPS would choose for a result of this type. */
static Extents extents_of_result(const Ssa *s, const Op *op, const Type *t) {
    Valid window = dps_valid_of_window(op);
    Extents e = {window.row, window.col};
    for (int i = 0; i < op->inst->nslots && !extents_fit(t, e); i++) {
        unsigned n = op->inst->slots[i].role == ROLE_WRITE ? 0 : slot_count(op, i);
        for (unsigned k = 0; k < n && !extents_fit(t, e); k++) {
            const Value *v = slot_operands(op, i)[k].value;
            const SsaBuffer *b = ptrmap_get(&s->of_value, v);
            const Type *u = v->type;
            if (u->kind != TY_TILE || u->tile.vrow != t->tile.vrow || u->tile.vcol != t->tile.vcol)
                continue;
            e = b == NULL ? (Extents){NULL, NULL}
                          : (Extents){alloc_extent(b, OPERAND_valid_row),
                                      alloc_extent(b, OPERAND_valid_col)};
        }
    }
    return e;
}

static bool extents_follow(const Ssa *s, const SsaBuffer *b, const Op *op) {
    const Type *t = b->value->type;
    if (t->tile.vrow != DYNAMIC && t->tile.vcol != DYNAMIC) return true;
    Extents e = extents_of_result(s, op, t);
    return (t->tile.vrow != DYNAMIC || e.row == alloc_extent(b, OPERAND_valid_row)) &&
           (t->tile.vcol != DYNAMIC || e.col == alloc_extent(b, OPERAND_valid_col));
}

/* ---- instructions that write ---- */

static const char other_destination[] = "has another destination that is not a value";

/* True when everything that the instruction writes becomes a result. */
static bool writes_values_only(const Ssa *s, const Op *op) {
    for (int i = 0; i < op->inst->nslots; i++) {
        const SlotInfo *slot = &op->inst->slots[i];
        if (!slot_is_result(slot)) continue;
        if (slot_count(op, i) != 1 || ssa_buffer(s, slot_value(op, i)) == NULL) return false;
    }
    return true;
}

static bool reads_itself(const BufferUse *a) {
    if (!a->reads || !a->writes) return false;
    return !dps_in_place(a->op, -1);
}

/* True for contents that a loop carries and that an instruction overwrites while it reads them:
 * converting back would need a second buffer. */
static bool is_carried_and_overwritten(const BufferUse *a) {
    if (!reads_itself(a)) return false;
    for (const SsaPlace *p = a->place; p->outer != NULL; p = p->outer)
        if (ssa_read_in_body(p)) return true;
    return false;
}

static void check_write(Ssa *s, SsaBuffer *b, const BufferUse *a) {
    if (!writes_values_only(s, a->op))
        deny(s, b, a->op, other_destination);
    else if (!extents_follow(s, b, a->op))
        deny(s, b, a->op, "has no operand that gives the valid region");
    else if (is_carried_and_overwritten(a))
        deny(s, b, a->op, "is carried by a loop and is overwritten by what is computed from it");
}

/* Denies buffers that an instruction writes together with a denied one. */
static void deny_others(Ssa *s) {
    for (SsaBuffer *b; (b = s->denied) != NULL;) {
        s->denied = b->next_denied;
        for (const BufferUse *a = b->first; a != NULL; a = a->next)
            for (int i = 0; a->writes && i < a->op->inst->nslots; i++) {
                const Value *v =
                    slot_is_result(&a->op->inst->slots[i]) ? slot_value(a->op, i) : NULL;
                SsaBuffer *other = v != NULL ? ssa_buffer(s, v) : NULL;
                if (other != NULL) deny(s, other, a->op, other_destination);
            }
    }
}

static void note_written(Ssa *s, SsaBuffer *b) {
    for (const BufferUse *a = b->first; a != NULL; a = a->next)
        for (const SsaPlace *p = a->place; a->writes && p->outer != NULL; p = p->outer) {
            Inside *span = ptrmap_get(&s->spans, p->op);
            if (span->written != NULL && span->written->buffer == b) break;
            Written *w = ARENA_NEW(s->arena, Written);
            *w = (Written){.next = span->written, .buffer = b, .place = p};
            span->written = w;
        }
}

/* The most values that a loop carries or a branch returns. */
enum { MOST_CARRIED = 250 };

static bool deny_excess(Ssa *s, const Op *op) {
    Inside *span = ptrmap_get(&s->spans, op);
    uint32_t n = op->nresults;
    for (const Written *w = span->written; w != NULL; w = w->next)
        n++;
    if (n <= MOST_CARRIED) return false;
    for (const Written *w = span->written; w != NULL; w = w->next)
        deny(s, w->buffer, op, "would carry too many values");
    return span->written != NULL;
}

/* Notes the buffers that statements with regions write. True when some were denied: then
 * everything must be checked again. */
static bool note_all(Ssa *s) {
    bool denied = false;
    for (SsaBuffer *b = s->buffers; b != NULL; b = b->next)
        if (b->why == NULL) note_written(s, b);
    for (uint32_t i = 0; i < s->nstatements; i++)
        denied |= deny_excess(s, s->statements[i]);
    return denied;
}

static void forget_written(Ssa *s) {
    for (uint32_t i = 0; i < s->nstatements; i++)
        ((Inside *)ptrmap_get(&s->spans, s->statements[i]))->written = NULL;
}

void ssa_find_buffers(Ssa *s, Op *func) {
    s->last = &s->buffers;
    note_op(s, func, false);
    for (SsaBuffer *b = s->buffers; b != NULL; b = b->next) {
        if (b->why != NULL || b->first == NULL) continue;
        find_home(s, b);
        deny_unstructured(s, b);
        if (b->why != NULL) continue;
        find_places(s, b);
        find_fates(b);
    }
    for (SsaBuffer *b = s->buffers; b != NULL; b = b->next)
        for (const BufferUse *a = b->first; a != NULL && b->why == NULL; a = a->next)
            if (a->writes) check_write(s, b, a);
    do {
        forget_written(s);
        deny_others(s);
    } while (note_all(s));
}
