/* SPDX-License-Identifier: Apache-2.0 */
/* Lists what statements read and write, from the columns of the instruction table. */
#include "analysis/effects.h"
#include "analysis/reach.h"

#include <string.h>

typedef struct Lister {
    const Effects *effects;
    const Op *op;
    Access *out;
    size_t n, cap;
    Pipe pipe, other;
    uint8_t phase;
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

bool scratch_is_idle(const Inst *inst, Profile profile) {
    const ProfileInfo *p = &profile_infos[profile];
    if ((inst->idle_on & PROFILE_BIT(p->model)) != 0) return true;
    return !p->uses_scratch && inst_tmp(inst, profile) == TMP_NONE && !inst->transfer &&
           (inst->scratch_on & PROFILE_BIT(p->model)) == 0;
}

/* Whether the slot has a scratch tile that the profile leaves alone. */
static bool is_idle(const Lister *l, const SlotInfo *slot) {
    return slot->role == ROLE_SCRATCH && scratch_is_idle(l->op->inst, l->effects->profile);
}

static bool is_scratch(const SlotInfo *slot, const Type *t) {
    return slot->role == ROLE_SCRATCH ||
           (slot->rare->scratch_in_vec && t->kind == TY_TILE && t->tile.space == SPACE_VEC);
}

/* ---- what of an operand ---- */

static bool holds(const TouchedWay *w, const Op *op) {
    const Value *v = slot_value(op, w->given - 1);
    if (v == NULL || (w->space == SPACE_COUNT && !w->padded)) return v != NULL;
    const TileInfo *t = &v->type->tile;
    return v->type->kind == TY_TILE && (w->space == SPACE_COUNT || t->space == w->space) &&
           (!w->padded || t->pad != PAD_NULL);
}

const Touched *slot_touched(const Op *op, const SlotInfo *slot) {
    for (const TouchedWay *w = slot->rare->touched_ways; w != NULL && w->given != 0; w++)
        if (holds(w, op)) return &w->touched;
    return &slot->touched;
}

/* Whether an attribute says that new elements are combined with the old ones. */
static bool combines(const Op *op, AttrRef attr) {
    const NamedAttr *a = attr != 0 ? op_attr(op, attr - 1) : NULL;
    return a != NULL && a->value->kind == ATTR_ENUM &&
           enum_number(a->value) != op->inst->attrs[attr - 1].dflt;
}

/* ---- accesses ---- */

static const Touched any_elements = {.kind = TOUCH_SHAPE, .partly = true};

static void put(Lister *l, Access a) {
    if (l->n < l->cap) l->out[l->n] = a;
    l->n++;
}

/* Adds an operand, or a result that a slot describes. */
static void add(Lister *l, const SlotInfo *slot, const Value *v, Span span) {
    if (v == NULL || v->type == NULL || !has_bytes(v->type)) return;
    Access a = {.value = v,
                .slot = slot,
                .span = span,
                .touched = slot_touched(l->op, slot),
                .phase = l->phase};
    if (a.touched->kind == TOUCH_NONE) return;
    a.scratch = a.maybe = is_scratch(slot, v->type);
    if (a.scratch) a.touched = &any_elements;
    a.write = a.scratch || slot->role != ROLE_READ;
    a.read = !a.scratch && (slot->role == ROLE_READ || slot->role == ROLE_READWRITE ||
                            combines(l->op, slot->rare->combines));
    if (a.write && a.touched->kind == TOUCH_ELEMENT) a.read = false;
    a.pipe = (uint8_t)l->pipe;
    a.other = (uint8_t)l->other;
    put(l, a);
}

/* Adds an argument of a call: as read, as written, or both. */
static void add_argument(Lister *l, const Operand *o, ParamEffects p) {
    const Access a = {.value = o->value, .span = o->span, .touched = &any_elements};
    if (o->value == NULL || o->value->type == NULL || !has_bytes(o->value->type)) return;
    Access read = a, write = a;
    read.read = write.write = true;
    read.maybe = !p.needs;
    write.maybe = !p.fills;
    if (p.reads) put(l, read);
    if (p.writes) put(l, write);
}

static void add_arguments(Lister *l) {
    const Op *op = l->op;
    const CallSummary *s = l->effects->calls != NULL ? calls_summary(l->effects->calls, op) : NULL;
    for (uint32_t i = 0; i < op->noperands; i++)
        add_argument(l, &op->operands[i],
                     s != NULL ? s->params[i] : (ParamEffects){.reads = true, .writes = true});
}

/* Adds a popped entry, or what a call returns. */
static void add_result(Lister *l, const Value *v) {
    static const Touched all = {.kind = TOUCH_SHAPE};
    if (v->type == NULL || !has_bytes(v->type)) return;
    put(l, (Access){.value = v,
                    .touched = &all,
                    .write = true,
                    .pipe = (uint8_t)l->pipe,
                    .other = (uint8_t)l->other});
}

static void add_slot(Lister *l, const SlotInfo *slot) {
    int s = (int)(slot - l->op->inst->slots);
    const Operand *list = slot_operands(l->op, s);
    unsigned n = slot_count(l->op, s);
    for (unsigned i = 0; i < n; i++)
        add(l, slot, list[i].value, list[i].span);
    if (n == 0) add(l, slot, slot_value(l->op, s), (Span){0, 0});
}

/* Adds the scratch tile that the plan has for the statement. */
static void add_planned(Lister *l) {
    const Plan *plan = l->effects->plan;
    const PlanTmp *tmp = plan != NULL ? plan_tmp(plan, l->op) : NULL;
    if (tmp == NULL) return;
    put(l, (Access){.tmp = tmp,
                    .touched = &any_elements,
                    .write = true,
                    .maybe = true,
                    .scratch = true,
                    .phase = l->phase,
                    .pipe = (uint8_t)l->pipe,
                    .other = (uint8_t)l->other});
}

/* ---- phases ---- */

static bool is_listed(SlotList list, int slot) {
    while (list != NULL && *list != 0 && *list - 1 != slot)
        list++;
    return list != NULL && *list != 0;
}

/* Adds what a phase reads and writes. A scratch tile is no exception, but its contents before and
 * after the statement have no meaning. */
static void add_phase(Lister *l, const Phase *phase) {
    for (int s = 0; s < l->op->inst->nslots; s++) {
        const SlotInfo *slot = &l->op->inst->slots[s];
        const bool reads = is_listed(phase->reads, s);
        const bool writes = is_listed(phase->writes, s);
        size_t first = l->n;
        if (!reads && !writes) continue;
        add_slot(l, slot);
        if (slot->role == ROLE_SCRATCH && l->n == first) add_planned(l);
        for (size_t i = first; i < l->n && i < l->cap; i++) {
            l->out[i].read = reads || (writes && slot->rare->combines != 0 && l->out[i].read);
            l->out[i].write = writes;
        }
    }
}

static size_t list_phases(Lister *l, const PhaseForm *form) {
    for (uint8_t i = 0; i < form->nphases; i++) {
        if (form->phases[i].kind != PHASE_ACCESS) continue;
        l->phase = i;
        l->pipe = (Pipe)form->phases[i].pipe;
        add_phase(l, &form->phases[i]);
    }
    return l->n;
}

/* ---- statements ---- */

/* Whether a statement only computes numbers, or passes values on. */
static bool touches_nothing(const Op *op) {
    return !inst_accesses(op->inst) || op->nregions > 0;
}

size_t op_accesses(const Effects *e, const Op *op, Access *out, size_t cap) {
    Lister l = {.effects = e, .op = op, .out = out, .cap = cap};
    const PhaseForm *form = effects_phases(e, op);
    if (touches_nothing(op)) return 0;
    if (form != NULL) return list_phases(&l, form);
    l.pipe = op_pipe_by_tiles(op, e->profile, &l.other);
    if (op_is(op, INST_CALL)) add_arguments(&l);
    for (int s = 0; s < op->inst->nslots && !op_is(op, INST_CALL); s++)
        if (!is_idle(&l, &op->inst->slots[s])) add_slot(&l, &op->inst->slots[s]);
    if (!scratch_is_idle(op->inst, e->profile)) add_planned(&l);
    const bool fills = op->inst->entry == ENTRY_POP || op_is(op, INST_CALL);
    for (unsigned i = 0; i < op->nresults && fills; i++)
        add_result(&l, &op->results[i]);
    return l.n;
}

/* ---- bytes ---- */

/* Returns the most that an extent is for which the type of a tile says `?`: that of its
 * pto.alloc_tile and of the statements that change it. DYNAMIC when that is not known. */
static int64_t most_valid(Numbers *t, const Value *v, bool rows) {
    const Op *alloc = v->def;
    const Value *given = alloc != NULL && op_is(alloc, INST_ALLOC_TILE)
                             ? named_value(alloc, rows ? OPERAND_valid_row : OPERAND_valid_col)
                             : NULL;
    if (given == NULL || t->any_reshaped) return DYNAMIC;
    int64_t most = number_of(t, given)->hi;
    for (const Reshaping *r = ptrmap_get(&t->reshaped, v); r != NULL; r = r->next) {
        if (!op_is(r->op, INST_SET_VALIDSHAPE) || r->op->noperands != 3) return DYNAMIC;
        const int64_t now = number_of(t, r->op->operands[rows ? 1 : 2].value)->hi;
        if (now > most) most = now;
    }
    return most > 0 && most <= (rows ? v->type->tile.rows : v->type->tile.cols) ? most : DYNAMIC;
}

/* Returns an extent of the valid region of a tile, at most; DYNAMIC when only run time knows it. */
static int64_t valid_extent(Numbers *t, const Value *v, bool rows) {
    if (v->type->kind != TY_TILE) return DYNAMIC;
    const int64_t n = rows ? v->type->tile.vrow : v->type->tile.vcol;
    return n == DYNAMIC ? most_valid(t, v, rows) : n;
}

/* Returns the sum of extents, or the operand's own; DYNAMIC: not known. */
static int64_t touched_extent(Numbers *t, const Op *op, const Access *a, const SlotSum *of,
                              bool rows) {
    int64_t sum = 0;
    bool any = false;
    for (int i = 0; i < 2 && of->slot[i] != 0; i++) {
        const Value *v = slot_value(op, of->slot[i] - 1);
        if (v == NULL) continue;
        const int64_t x = valid_extent(t, v, rows != of->across[i]);
        if (x == DYNAMIC) return DYNAMIC;
        sum += x;
        any = true;
    }
    return any ? sum : valid_extent(t, a->value, rows);
}

static Place touched_region(Numbers *numbers, const Op *op, const Access *a, const Place *p) {
    const Touched *t = a->touched;
    const TileInfo *tile = &a->value->type->tile;
    if (t->kind == TOUCH_VALID && t->rows.slot[0] == 0 && t->cols.slot[0] == 0 && t->bits == 0 &&
        tile->vrow == tile->rows && tile->vcol == tile->cols)
        return *p;
    int64_t rows = touched_extent(numbers, op, a, &t->rows, true);
    int64_t cols = touched_extent(numbers, op, a, &t->cols, false);
    if (t->kind == TOUCH_ROW) rows = 1;
    if (t->kind == TOUCH_COLUMN) cols = 1;
    /* Others than loads may use whole tiles of boxes. */
    if (tile->slayout != SL_NONE_BOX && (op->inst->flags & IF_LOADS) == 0) return *p;
    if (rows == DYNAMIC || cols == DYNAMIC || (t->kind == TOUCH_VALID && access_pads(op->inst, a)))
        return *p;
    if (t->bits != 0) {
        const int64_t bytes = element_bytes(a->value->type);
        cols = ((cols * t->bits + 7) / 8 + bytes - 1) / bytes;
    }
    return place_part_of_tile(p, a->value->type, rows, cols);
}

Place access_bytes(Numbers *t, const Op *op, const Access *a, Place p) {
    const int offset = inst_slot(op->inst, OPERAND_offset);
    if (a->value == NULL || a->touched == NULL || p.base == BASE_ANY) return p;
    if (inst_is_micro(op->inst) && is_memory(a->value->type)) return reach_bytes(t, op, a, &p);
    switch ((TouchedKind)a->touched->kind) {
    case TOUCH_ELEMENT:
        return offset >= 0 && slot_value(op, offset) != NULL
                   ? place_element(t, &p, a->value->type, slot_value(op, offset))
                   : p;
    case TOUCH_VALID:
    case TOUCH_ROW:
    case TOUCH_COLUMN:
        return a->value->type->kind == TY_TILE ? touched_region(t, op, a, &p) : p;
    default:
        return p;
    }
}

AliasSet access_places(const Alias *alias, const Op *op, const Access *a, Place *room) {
    if (a->value != NULL) return alias_places(alias, op, a->value);
    *room = place_of(a->tmp->type, BASE_ADDRESS, NULL, a->tmp->slot.addr);
    return (AliasSet){room, 1};
}

bool op_transfers(const Op *op) {
    const Value *session = op->inst->transfer ? named_value(op, OPERAND_session) : NULL;
    return op->inst->transfer && (session == NULL || session->def == NULL ||
                                  !op_is(session->def, INST_GET_PREFETCH_SESSION));
}

Pipe effects_pipe(const Effects *e, const Op *op) {
    Pipe other;
    return op_pipe_by_tiles(op, e->profile, &other);
}
