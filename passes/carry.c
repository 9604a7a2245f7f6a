/* Tiles that go round a loop: when a new value is computed while the old one is still needed, one
 * buffer is not enough. Two take turns: the loop carries, besides the tile, the buffer to write now
 * and the one to write next. */
#include "passes/dps.h"

#include <string.h>

/* The tiles besides the one that is meant to be the destination cannot be that: they lie in another
 * space. */
static bool accumulates_in_place(const Op *op, const char *only_slot) {
    const Inst *inst = op->inst;
    if (only_slot != NULL) return strcmp(only_slot, inst->in_place) == 0;
    int dst = inst_slot(inst, "dst");
    const Type *type = dst >= 0 ? tile_value_type(slot_value(op, dst)) : NULL;
    for (int i = 0; i < inst->nslots && type != NULL; i++) {
        const Value *v = slot_value(op, i);
        const Type *t = v != NULL && type_is_tile(v->type) ? tile_value_type(v) : NULL;
        bool meant = i == dst || strcmp(inst->slots[i].name, inst->in_place) == 0;
        if (t != NULL && !meant && t->tile.space == type->tile.space) return false;
    }
    return type != NULL;
}

bool dps_in_place(const Op *op, const char *only_slot) {
    const Inst *inst = op->inst;
    if (inst->in_place != NULL) return accumulates_in_place(op, only_slot);
    if (inst->family != FAM_ELEMENTWISE && inst->family != FAM_TILE_SCALAR) return false;
    int dst = -1;
    for (int i = 0; i < inst->nslots; i++)
        if (slot_is_result(&inst->slots[i])) dst = i;
    const Type *type = dst >= 0 ? tile_value_type(slot_value(op, dst)) : NULL;
    if (type == NULL) return false;
    for (int i = 0; i < inst->nslots; i++) {
        const Type *t = slot_value(op, i) != NULL ? tile_value_type(slot_value(op, i)) : NULL;
        if (t != NULL && !type_same(t, type)) return false;
    }
    for (const NoOverlap *pair = inst->no_overlap; pair != NULL && pair->a != NULL; pair++) {
        bool with_dst = strcmp(pair->a, inst->slots[dst].name) == 0 ||
                        strcmp(pair->b, inst->slots[dst].name) == 0;
        bool with_slot =
            only_slot == NULL || strcmp(pair->a, only_slot) == 0 || strcmp(pair->b, only_slot) == 0;
        if (with_dst && with_slot) return false;
    }
    return true;
}

static Buffer *refuse(Dps *d, const Storage *s, const char *why) {
    Atom name = s->lv->value->name;
    Diag *diag = diag_add(&d->ctx->diags, DIAG_CONVERSION, s->op->name_span,
                          "%%%.*s is computed while its value of the round before is still "
                          "needed, and no buffers can take turns here",
                          (int)atom_len(&d->ctx->names, name), atom_text(&d->ctx->names, name));
    diag_note(&d->ctx->diags, diag, "%s", why);
    d->ok = false;
    return NULL;
}

/* True when what `lv` holds may go round another time, or round a further loop. */
static bool goes_round(Live *l, LiveValue *lv) {
    uint32_t n = 0;
    lv->stamp = ++l->stamp;
    live_push(l, n++, lv, NULL);
    while (n > 0) {
        const LiveValue *at = l->carried[--n].lv;
        for (const Flow *f = at->flows; f != NULL; f = f->next) {
            if (f->carry != NULL) return true;
            if (f->to->stamp == l->stamp) continue;
            f->to->stamp = l->stamp;
            live_push(l, n++, f->to, NULL);
        }
    }
    return false;
}

/* The reason why two buffers do not do, or NULL. */
static const char *why_not(Dps *d, const Storage *s, const Scope *loop, Valid valid) {
    const Op *owner = loop->region->owner;
    if (!op_is(owner, INST_SCF_FOR) || loop->blocks)
        return "only the tiles of scf.for can take turns";
    if (s->scope != loop) return "it is computed in a region inside the loop";
    if (d->plan != NULL) return "its address is given";
    if (valid.row != NULL || valid.col != NULL) return "its valid region is known only at run time";
    for (const Flow *f = s->lv->flows; f != NULL; f = f->next) {
        if (f->carry != loop && !f->leaves) return "a view of it goes on";
        if (goes_round(d->live, f->to)) return "it is needed for more than one round";
    }
    return NULL;
}

Buffer *dps_rotate(Dps *d, const Storage *s, const Scope *loop, const Type *type, Valid valid) {
    const char *why = why_not(d, s, loop, valid);
    if (why != NULL) return refuse(d, s, why);
    Op *owner = loop->region->owner;
    const Value *like = s->lv->value;
    Value *first = dps_alloc(d, owner, type, valid, like, true, -1);
    Value *second = dps_alloc(d, owner, type, valid, like, true, -1);
    Value *now = dps_carry(d, owner, first, like);
    uint16_t now_at = now->index;
    Value *next = dps_carry(d, owner, second, like);
    now = &owner->regions[0].first->args[now_at];
    dps_set_yield(owner, now, next);
    dps_set_yield(owner, next, now);
    Buffer *b = ARENA_NEW(&d->scratch->step, Buffer);
    *b = (Buffer){.value = now, .type = type, .scope = loop, .last = s};
    return b;
}
