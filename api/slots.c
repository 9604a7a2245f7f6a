/* Makes the public memory plan of a program. */
#include "analysis/live.h"
#include "api/internal.h"

#include <string.h>

typedef struct SlotList {
    ptoasm_result *res;
    const Plan *plan;
    Profile profile;
    const char *function;
    uint32_t *offs; /* of the positions of the function */
    uint32_t noffs;
    ptoasm_slot *slots; /* NULL while counting */
    size_t n;
} SlotList;

static uint32_t line_at(const SlotList *l, uint32_t pos) {
    return source_find(&l->res->index, l->offs[pos]).line;
}

static void add_slot(SlotList *l, const PlanSlot *slot, const char *name, const char *instruction,
                     uint32_t off) {
    if (slot == NULL) return;
    if (l->slots != NULL) {
        uint32_t last = slot->end < l->noffs ? slot->end : l->noffs - 1;
        bool used = slot->start <= last && l->noffs > 0;
        l->slots[l->n] = (ptoasm_slot){.function = l->function,
                                       .name = name,
                                       .instruction = instruction,
                                       .line = source_find(&l->res->index, off).line,
                                       .space = space_names[slot->space],
                                       .address = slot->addr,
                                       .bytes = slot->bytes,
                                       .bound = slot->bound,
                                       .capacity = profile_plan_capacity(l->profile, slot->space),
                                       .first = used ? slot->start : 1,
                                       .last = used ? last : 0,
                                       .first_line = used ? line_at(l, slot->start) : 0,
                                       .last_line = used ? line_at(l, last) : 0,
                                       .offset = off};
    }
    l->n++;
}

static const char *atom_string(const SlotList *l, Atom a) {
    const Interner *names = &l->res->ctx->names;
    return l->slots == NULL
               ? ""
               : arena_strndup(&l->res->ctx->arena, atom_text(names, a), atom_len(names, a));
}

static void add_value(SlotList *l, const Value *v, const char *instruction) {
    add_slot(l, plan_value(l->plan, v), atom_string(l, v->name), instruction, v->name_off);
}

static bool add_op(Op *op, void *arg) {
    SlotList *l = arg;
    if (op_is(op, INST_FUNC)) {
        l->function = atom_string(l, func_data(op)->name);
        l->noffs = 0;
        if (func_data(op)->has_body) l->noffs = live_positions(&l->res->ctx->arena, op, &l->offs);
    }
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (uint32_t i = 0; i < b->nargs; i++)
                add_value(l, &b->args[i], "");
    for (unsigned i = 0; i < op->nresults; i++)
        add_value(l, &op->results[i], op->inst->name);
    add_slot(l, plan_reserved_slot(l->plan, op), "", op->inst->name, op->name_span.off);
    const PlanTmp *tmp = plan_tmp(l->plan, op);
    if (tmp != NULL) add_slot(l, &tmp->slot, "", op->inst->name, op->name_span.off);
    return true;
}

void slots_collect(ptoasm_result *res, const Plan *plan, Profile profile) {
    SlotList l = {.res = res, .plan = plan, .profile = profile, .function = ""};
    if (res->index.src == NULL) res->index = source_index(&res->ctx->arena, res->ctx->source);
    op_walk(res->module->root, add_op, &l);
    res->nslots = l.n;
    l.slots = res->slots = ARENA_ARRAY(&res->ctx->arena, ptoasm_slot, l.n + 1);
    l.n = 0;
    op_walk(res->module->root, add_op, &l);
}

size_t ptoasm_slot_count(const ptoasm_result *res) {
    return res->nslots;
}

bool ptoasm_slot_get(const ptoasm_result *res, size_t i, ptoasm_slot *out, size_t size) {
    if (i >= res->nslots) return false;
    struct_give(out, size, &res->slots[i], sizeof res->slots[i]);
    return true;
}
