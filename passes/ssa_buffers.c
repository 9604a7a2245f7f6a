/* Which allocations can become values: those that only tile instructions in the DPS form read and
 * write as a whole, in structured control flow. And when the contents of one are needed. */
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

static void deny(SsaBuffer *b, const Op *op, const char *why) {
    if (b->why != NULL) return;
    b->why = why;
    b->why_at = op;
}

SsaBuffer *ssa_buffer(const Ssa *s, const Value *v) {
    SsaBuffer *b = ptrmap_get(&s->of_value, v);
    return b != NULL && b->why == NULL ? b : NULL;
}

static void add_access(Ssa *s, SsaBuffer *b, Op *op, bool writes) {
    if (b->last == NULL || b->last->op != op) {
        Access *a = ARENA_NEW(s->arena, Access);
        a->op = op;
        a->pos = s->positions;
        if (b->last != NULL)
            b->last->next = a;
        else
            b->first = a;
        b->last = a;
    }
    b->last->writes |= writes;
    b->last->reads |= !writes;
}

static void see_slot(Ssa *s, Op *op, const SlotInfo *slot, Operand *o, bool blocks) {
    SsaBuffer *b = ptrmap_get(&s->of_value, o->value);
    if (b == NULL) return;
    if (op->inst->form != FORM_TILE || (op->inst->flags & IF_VIEW) != 0)
        deny(b, op, "takes the storage, not the contents");
    else if (slot->role == ROLE_SCRATCH)
        deny(b, op, "uses it as scratch memory");
    else if (slot->role == ROLE_READWRITE || (slot->role == ROLE_WRITE && !slot_is_result(slot)))
        deny(b, op, "changes a part of it");
    else if (blocks)
        deny(b, op, "uses it among blocks that branch");
    add_access(s, b, op, slot->role == ROLE_WRITE);
}

static void see_operands(Ssa *s, Op *op, bool blocks) {
    for (int i = 0; i < op->inst->nslots; i++) {
        unsigned n = slot_count(op, i);
        Operand *o = slot_operands(op, i);
        for (unsigned k = 0; k < n; k++)
            see_slot(s, op, &op->inst->slots[i], &o[k], blocks);
    }
    for (unsigned i = 0; i < op->nsuccs; i++)
        for (uint32_t k = 0; k < op->succs[i].nargs; k++) {
            SsaBuffer *b = ptrmap_get(&s->of_value, op->succs[i].args[k].value);
            if (b != NULL) deny(b, op, "takes the storage, not the contents");
        }
    /* Operands without a slot: of calls and of structured statements. */
    for (unsigned i = 0; op->inst->form == FORM_CUSTOM && i < op->noperands; i++) {
        SsaBuffer *b = ptrmap_get(&s->of_value, op->operands[i].value);
        if (b != NULL) deny(b, op, "takes the storage, not the contents");
    }
}

static void see_alloc(Ssa *s, Op *op) {
    if (!op_is(op, INST_ALLOC_TILE) || op->results[0].type->kind != TY_TILE) return;
    SsaBuffer *b = ARENA_NEW(s->arena, SsaBuffer);
    b->value = &op->results[0];
    b->alloc = op;
    b->home = op->block;
    if (slot_value(op, inst_slot(op->inst, "addr")) != NULL) deny(b, op, "gives it an address");
    *s->last = b;
    s->last = &b->next;
    *ptrmap_at(&s->of_value, b->value) = b;
}

static void see_blocks(Ssa *s, const Region *r, bool blocks);

static void see_op(Ssa *s, Op *op, bool blocks) {
    s->positions++;
    see_operands(s, op, blocks);
    see_alloc(s, op);
    if (op->nregions == 0) return;
    Inside *span = ARENA_NEW(s->arena, Inside);
    span->start = s->positions;
    for (unsigned r = 0; r < op->nregions; r++)
        see_blocks(s, &op->regions[r], blocks);
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

static void see_blocks(Ssa *s, const Region *r, bool blocks) {
    blocks |= r->first != r->last;
    for (const Block *b = r->first; b != NULL; b = b->next)
        for (Op *op = b->first; op != NULL; op = op->next)
            see_op(s, op, blocks);
}

/* ---- where it lives ---- */

static bool is_structured(const Op *op) {
    return op_is(op, INST_SCF_FOR) || op_is(op, INST_SCF_IF);
}

/* The statement of `home` that `op` stands in; NULL when it stands elsewhere. */
static const Op *statement_in(const Block *home, const Op *op) {
    while (op != NULL && op->block != home)
        op = op->block != NULL ? region_owner(op->block) : NULL;
    return op;
}

/* All accesses may lie in one region of a section or the like: then that is where it lives. */
static void find_home(SsaBuffer *b) {
    for (;;) {
        const Op *first = statement_in(b->home, b->first->op);
        const Op *last = statement_in(b->home, b->last->op);
        if (first == NULL || first != last || first->nregions != 1 || is_structured(first)) return;
        b->home = first->regions[0].first;
    }
}

static void deny_across(SsaBuffer *b) {
    for (const Access *a = b->first; a != NULL && b->why == NULL; a = a->next)
        for (const Op *op = a->op; a->writes && op->block != b->home;) {
            op = region_owner(op->block);
            if (op == NULL || !is_structured(op)) {
                deny(b, a->op, "writes it in a region whose contents do not leave");
                break;
            }
        }
}

/* ---- valid extents ---- */

typedef struct Extents {
    const Value *row, *col;
} Extents;

static const Value *alloc_extent(const SsaBuffer *b, const char *name) {
    return slot_value(b->alloc, inst_slot(b->alloc->inst, name));
}

static bool extents_fit(const Type *t, Extents e) {
    return (t->tile.vrow != DYNAMIC || e.row != NULL) && (t->tile.vcol != DYNAMIC || e.col != NULL);
}

/* What SSA -> DPS would take for the extents of a result of this type. */
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
                          : (Extents){alloc_extent(b, "valid_row"), alloc_extent(b, "valid_col")};
        }
    }
    return e;
}

static bool extents_follow(const Ssa *s, const SsaBuffer *b, const Op *op) {
    const Type *t = b->value->type;
    if (t->tile.vrow != DYNAMIC && t->tile.vcol != DYNAMIC) return true;
    Extents e = extents_of_result(s, op, t);
    return (t->tile.vrow != DYNAMIC || e.row == alloc_extent(b, "valid_row")) &&
           (t->tile.vcol != DYNAMIC || e.col == alloc_extent(b, "valid_col"));
}

/* ---- instructions that write ---- */

/* Everything that it writes becomes a result, or nothing does. */
static bool writes_values_only(const Ssa *s, const Op *op) {
    for (int i = 0; i < op->inst->nslots; i++) {
        const SlotInfo *slot = &op->inst->slots[i];
        if (!slot_is_result(slot)) continue;
        if (slot_count(op, i) != 1 || ssa_buffer(s, slot_value(op, i)) == NULL) return false;
    }
    return true;
}

/* Returns whether a buffer was denied. */
static bool check_write(const Ssa *s, SsaBuffer *b, const Op *op) {
    if (!writes_values_only(s, op))
        deny(b, op, "has another destination that is no value");
    else if (!extents_follow(s, b, op))
        deny(b, op, "has no operand that gives the valid region");
    return b->why != NULL;
}

static bool reads_itself(const Access *a) {
    if (!a->reads || !a->writes) return false;
    return !dps_in_place(a->op, NULL);
}

/* A round trip through values would need a second buffer, which the program did not have. */
static bool goes_round_itself(const Ssa *s, const SsaBuffer *b, const Access *a) {
    if (!reads_itself(a)) return false;
    for (const Op *op = a->op; op->block != b->home;) {
        op = region_owner(op->block);
        if (op_is(op, INST_SCF_FOR) && ssa_read_in_body(s, b, op)) return true;
    }
    return false;
}

static bool deny_more(Ssa *s) {
    bool more = false;
    for (SsaBuffer *b = s->buffers; b != NULL; b = b->next)
        for (const Access *a = b->first; a != NULL && b->why == NULL; a = a->next) {
            if (!a->writes) continue;
            more |= check_write(s, b, a->op);
            if (b->why == NULL && goes_round_itself(s, b, a))
                deny(b, a->op, "goes round a loop and is overwritten by what is computed from it");
        }
    return more;
}

static void note_written(Ssa *s, SsaBuffer *b) {
    for (const Access *a = b->first; a != NULL; a = a->next)
        for (const Op *op = a->op; a->writes && op->block != b->home;) {
            op = region_owner(op->block);
            Inside *span = ptrmap_get(&s->spans, op);
            if (span->written != NULL && span->written->buffer == b) break;
            Written *w = ARENA_NEW(s->arena, Written);
            *w = (Written){.next = span->written, .buffer = b};
            span->written = w;
        }
}

/* A loop carries 250 values at most, a branch returns as many. */
enum { MOST_CARRIED = 250 };

static bool deny_crowd(Ssa *s, const Op *op) {
    Inside *span = ptrmap_get(&s->spans, op);
    uint32_t n = op->nresults;
    for (const Written *w = span->written; w != NULL; w = w->next)
        n++;
    if (n <= MOST_CARRIED) return false;
    for (const Written *w = span->written; w != NULL; w = w->next)
        deny(w->buffer, op, "would carry too many values");
    return span->written != NULL;
}

/* The buffers by the statements that they are written in. Returns whether some were denied: then
 * everything has to be looked at again. */
static bool note_all(Ssa *s) {
    bool denied = false;
    for (SsaBuffer *b = s->buffers; b != NULL; b = b->next)
        if (b->why == NULL) note_written(s, b);
    for (uint32_t i = 0; i < s->nstatements; i++)
        denied |= deny_crowd(s, s->statements[i]);
    return denied;
}

static void forget_written(Ssa *s) {
    for (uint32_t i = 0; i < s->nstatements; i++)
        ((Inside *)ptrmap_get(&s->spans, s->statements[i]))->written = NULL;
}

void ssa_find_buffers(Ssa *s, Op *func) {
    s->last = &s->buffers;
    see_op(s, func, false);
    for (SsaBuffer *b = s->buffers; b != NULL; b = b->next) {
        if (b->why != NULL || b->first == NULL) continue;
        find_home(b);
        deny_across(b);
    }
    do {
        forget_written(s);
        while (deny_more(s))
            ;
    } while (note_all(s));
}

/* ---- when the contents are needed ---- */

typedef enum Fate { THROUGH, READ_AGAIN, OVERWRITTEN } Fate;

static Fate fate_in_block(const Ssa *s, const Block *block, const Access *a, uint32_t end);

static const Access *skip_to(const Access *a, uint32_t pos) {
    while (a != NULL && a->pos <= pos)
        a = a->next;
    return a;
}

/* What a statement with regions does to contents that were there before; `a` is the first access in
 * it. A loop may run no round, and a branch may be missing. */
static Fate fate_in_statement(const Ssa *s, const Op *op, const Access *a) {
    const Inside *span = ptrmap_get(&s->spans, op);
    bool all = op->nregions > 0;
    for (unsigned r = 0; r < op->nregions; r++) {
        const Block *block = op->regions[r].first;
        Fate f = block == NULL ? THROUGH : fate_in_block(s, block, a, span->end);
        if (f == READ_AGAIN) return f;
        all &= f == OVERWRITTEN;
    }
    return all && !op_is(op, INST_SCF_FOR) ? OVERWRITTEN : THROUGH;
}

/* From `a` on, up to position `end`; accesses in other regions of the owner are passed over. */
static Fate fate_in_block(const Ssa *s, const Block *block, const Access *a, uint32_t end) {
    while (a != NULL && a->pos <= end) {
        const Op *op = statement_in(block, a->op);
        if (op == NULL) {
            a = a->next;
            continue;
        }
        if (op == a->op) return a->reads ? READ_AGAIN : OVERWRITTEN;
        Fate f = fate_in_statement(s, op, a);
        if (f != THROUGH) return f;
        a = skip_to(a, ((const Inside *)ptrmap_get(&s->spans, op))->end);
    }
    return THROUGH;
}

bool ssa_read_in_body(const Ssa *s, const SsaBuffer *b, const Op *loop) {
    const Inside *span = ptrmap_get(&s->spans, loop);
    return fate_in_block(s, loop->regions[0].first, skip_to(b->first, span->start), span->end) ==
           READ_AGAIN;
}

bool ssa_live_behind(const Ssa *s, const SsaBuffer *b, const Op *op) {
    for (;;) {
        const Inside *span = ptrmap_get(&s->spans, op), *outer;
        const Block *block = op->block;
        const Op *owner = region_owner(block);
        outer = ptrmap_get(&s->spans, owner);
        Fate f = fate_in_block(s, block, skip_to(b->first, span->end), outer->end);
        if (f != THROUGH || block == b->home) return f == READ_AGAIN;
        if (op_is(owner, INST_SCF_FOR) && ssa_read_in_body(s, b, owner)) return true;
        op = owner;
    }
}
