/* Lists what statements read and write, from the columns of the instruction table. */
#include "analysis/effects.h"

typedef struct Lister {
    const Effects *effects;
    const Op *op;
    Access *out;
    size_t n, cap;
    Pipe pipe, other;
} Lister;

static bool has_bytes(const Type *t) {
    switch ((TypeKind)t->kind) {
    case TY_TILE:
    case TY_MULTI_TILE:
    case TY_PTR:
    case TY_TENSOR_VIEW:
    case TY_PART_VIEW:
        return true;
    default:
        return false;
    }
}

/* On a5 most instructions ignore the scratch tile that they need on a2a3. */
static bool is_ignored(const Lister *l, const SlotInfo *slot) {
    const Inst *inst = l->op->inst;
    return slot->role == ROLE_SCRATCH && l->effects->profile == PROFILE_A5 &&
           inst->tmp[PROFILE_A5] == TMP_NONE && !inst->scratch_a5;
}

static bool is_scratch(const SlotInfo *slot, const Type *t) {
    return slot->role == ROLE_SCRATCH ||
           (slot->scratch_in_vec && t->kind == TY_TILE && t->tile.space == SPACE_VEC);
}

static void add(Lister *l, const SlotInfo *slot, const Value *v, Span span) {
    if (v == NULL || v->type == NULL || !has_bytes(v->type)) return;
    SlotRole role = slot != NULL ? (SlotRole)slot->role : ROLE_WRITE;
    Access a = {.value = v, .slot = slot, .span = span};
    a.scratch = slot != NULL && is_scratch(slot, v->type);
    a.read = !a.scratch && role != ROLE_WRITE;
    a.write = a.scratch || role != ROLE_READ;
    a.maybe = a.scratch || role == ROLE_READWRITE || (slot != NULL && slot->unread);
    a.pipe = (uint8_t)l->pipe;
    a.other = (uint8_t)l->other;
    if (l->n < l->cap) l->out[l->n] = a;
    l->n++;
}

static bool is_slot(const Op *op, const Value *result) {
    for (int s = 0; s < op->inst->nslots; s++)
        if (slot_value(op, s) == result) return true;
    return false;
}

size_t op_accesses(const Effects *e, const Op *op, Access *out, size_t cap) {
    Lister l = {.effects = e, .op = op, .out = out, .cap = cap};
    if ((op->inst->flags & IF_VIEW) != 0) return 0;
    l.pipe = op_pipe_by_tiles(e->ctx, op, e->profile, &l.other);
    for (int s = 0; s < op->inst->nslots; s++) {
        const SlotInfo *slot = &op->inst->slots[s];
        const Operand *list = slot_operands(op, s);
        unsigned n = slot_count(op, s);
        if (is_ignored(&l, slot)) continue;
        for (unsigned i = 0; i < n; i++)
            add(&l, slot, list[i].value, list[i].span);
        if (n == 0) add(&l, slot, slot_value(op, s), (Span){0, 0});
    }
    for (unsigned i = 0; i < op->nresults && (op->inst->flags & IF_ALLOC) == 0; i++)
        if (!is_slot(op, &op->results[i])) add(&l, NULL, &op->results[i], (Span){0, 0});
    return l.n;
}

Pipe effects_pipe(const Effects *e, const Op *op) {
    Pipe other;
    return op_pipe_by_tiles(e->ctx, op, e->profile, &other);
}

bool effects_has_phases(const Op *op) {
    return op->inst->transfer || op->inst->phases;
}
