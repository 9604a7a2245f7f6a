/* Translates what statements read and write into steps: which bytes, in which phase, on which pipe.
 */
#include "analysis/effects.h"
#include "analysis/maker.h"

/* ---- what is read and written ---- */

static Use *add_use(Maker *m, Step *s, const Access *a) {
    if ((s->nuses & (s->nuses - 1)) == 0) { /* full: room doubles */
        Use *more = ARENA_ARRAY(m->arena, Use, s->nuses != 0 ? (size_t)s->nuses * 2 : 1);
        if (s->nuses > 0) memcpy(more, s->uses, s->nuses * sizeof *more);
        s->uses = more;
    }
    Use *u = &s->uses[s->nuses++];
    u->write = a->write;
    s->stores |= a->write && a->value != NULL && is_memory(a->value->type);
    u->scratch = a->scratch;
    u->slot.modulus = 1;
    return u;
}

static void use_place(Maker *m, Step *s, const Access *a, const Where *w, bool maybe) {
    Use *u = add_use(m, s, a);
    u->places = ARENA_ARRAY(m->arena, const Where *, 1);
    u->places[0] = w;
    u->maybe = maybe;
}

/* Uses the slot of a multi tile that a loop determines; false when it does not. */
static bool use_slot(Maker *m, Step *s, const Access *a, const Alias *alias, const Value *v) {
    const Op *get = v->def;
    Cycle c;
    if (get == NULL || !op_is(get, INST_MULTI_TILE_GET)) return false;
    AliasSet whole = alias_places(alias, get, get->operands[0].value);
    if (whole.n != 1 || whole.places[0].base != BASE_ADDRESS ||
        !read_cycle(m, get->operands[1].value, &c) || c.loop == NULL)
        return false;
    Use *u = add_use(m, s, a);
    u->slot = c;
    u->places = ARENA_ARRAY(m->arena, const Where *, (size_t)c.modulus);
    for (int64_t i = 0; i < c.modulus; i++)
        u->places[i] =
            where_tile(&m->out->places, place_slot(&whole.places[0], v->type, i), v->type, 0);
    return true;
}

/* Returns the bytes from the first to the last of a window that the vendor's assembler wrote as a
 * tile with the extents of the tile around it; 0 for other tiles. */
static int64_t window_bytes(const Maker *m, const Value *v) {
    const NamedAttr *a =
        v->def != NULL ? op_attr_named(m->ctx, v->def, "pto.view_semantics") : NULL;
    const TileInfo *t = &v->type->tile;
    if (a == NULL || v->type->kind != TY_TILE || t->vrow <= 0 || t->vcol <= 0) return 0;
    int64_t n = t->blayout == BL_COL_MAJOR ? (t->vcol - 1) * t->rows + t->vrow
                                           : (t->vrow - 1) * t->cols + t->vcol;
    return t->slayout == SL_NONE_BOX ? n * elem_infos[v->type->elem].bytes : 0;
}

/* Adds where a place of a called function may be, for this call. What the function computes may be
 * another address at the next call. */
static unsigned place_for_call(Maker *m, const Frame *f, const Place *p, const Value *v,
                               Place out[ALIAS_PLACES]) {
    const Value *parameter = p->base == BASE_PARAMETER ? p->of : NULL;
    out[0] = *p;
    if (p->base == BASE_ADDRESS && p->shift == NULL) return 1;
    if (p->base == BASE_BUFFER || p->base == BASE_VALUE) return 1;
    if (parameter == NULL || p->shift != NULL || value_block(parameter) != f->entry) {
        out[0] = place_of(v->type, BASE_ANY, NULL, 0);
        return 1;
    }
    AliasSet given = tile_places(m, f->around, f->call, f->call->operands[parameter->index].value);
    for (unsigned i = 0; i < given.n; i++)
        out[i] = place_within(p, &given.places[i]);
    return given.n;
}

AliasSet tile_places(Maker *m, const Frame *f, const Op *op, const Value *v) {
    AliasSet set = alias_places(f->alias, op, v);
    if (f->around == NULL) return set;
    Place *all = ARENA_ARRAY(m->arena, Place, ALIAS_PLACES);
    unsigned n = 0;
    for (unsigned i = 0; i < set.n; i++) {
        Place some[ALIAS_PLACES];
        unsigned more = place_for_call(m, f, &set.places[i], v, some);
        if (n + more > ALIAS_PLACES) {
            all[0] = place_of(v->type, BASE_ANY, NULL, 0);
            return (AliasSet){all, 1};
        }
        memcpy(&all[n], some, more * sizeof *all);
        n += more;
    }
    return (AliasSet){all, n};
}

static void use_tile(Maker *m, Step *s, const Access *a, const Value *v) {
    if (use_slot(m, s, a, m->frame->alias, v)) return;
    AliasSet set = tile_places(m, m->frame, s->op, v);
    for (unsigned i = 0; i < set.n; i++) {
        BaseKind base = (BaseKind)set.places[i].base;
        if (base == BASE_BUFFER || base == BASE_VALUE)
            not_understood(m, s->op, "a tile without an address");
        use_place(m, s, a, where_tile(&m->out->places, set.places[i], v->type, window_bytes(m, v)),
                  set.n > 1);
    }
}

bool is_memory(const Type *t) {
    return t->kind == TY_PTR || t->kind == TY_TENSOR_VIEW || t->kind == TY_PART_VIEW;
}

/* Uses a value; numbers have no bytes. */
static void use_value(Maker *m, Step *s, const Access *a, const Value *v) {
    const Op *op = s->op;
    if (type_is_tile(v->type) || v->type->kind == TY_MULTI_TILE)
        use_tile(m, s, a, v);
    else if (v->type->kind == TY_PTR && inst_slot(op->inst, "offset") >= 0)
        use_place(m, s, a,
                  where_element(&m->out->places, v, slot_value(op, inst_slot(op->inst, "offset"))),
                  false);
    else if (is_memory(v->type))
        use_place(m, s, a, where_global(&m->out->places, v), false);
}

/* Uses what the slots have; popped entries, which are results, come with their own pipe. */
static void use_slots(Maker *m, Step *s, const Access *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (list[i].slot != NULL) use_value(m, s, &list[i], list[i].value);
}

/* Writes the entry of a pop, from a pop or a free. */
static void write_entry(Maker *m, Step *s, const Op *pop, const Value *v, bool maybe) {
    static const Access entry = {.write = true};
    uint32_t first = s->nuses;
    if (v->def != pop && type_is_tile(v->type) && m->calls == 0) {
        /* the pop binds the tile anew; alias_places() knows the place that it had before */
        Place bound = place_of(v->type, BASE_BOUND, pop, 0);
        bound.home = pop->block;
        use_place(m, s, &entry, where_tile(&m->out->places, bound, v->type, 0), false);
    } else {
        use_value(m, s, &entry, v);
    }
    for (uint32_t i = first; maybe && i < s->nuses; i++)
        s->uses[i].maybe = true;
}

/* Adds the step of a statement about an entry; NULL when it does nothing. */
static Step *add_entry_step(Maker *m, const Op *op, const Value *entry) {
    EntryPipe on =
        entry_pipe(m->ctx, op, entry, m->profile, m->inner != CORE_ANY ? m->inner : m->core);
    Step *s = on.pipe != PIPE_NONE ? add_step(m, STEP_ACCESS, op, on.pipe) : NULL;
    if (s != NULL) s->signal = on.signal;
    return s;
}

/* Takes a free, which ends the reads of the entry. */
static void take_free(Maker *m, const Op *op) {
    const FreedPops freed = freed_pops(&m->freed, op);
    const Value *first = freed.n > 0 ? entry_value(freed.pops[0]) : NULL;
    if (first == NULL && profile_infos[m->profile].entries_on_chip)
        not_understood(m, op, "an entry of a pipe between cores");
    Step *s = first != NULL ? add_entry_step(m, op, first) : NULL;
    for (uint32_t i = 0; s != NULL && i < freed.n; i++)
        write_entry(m, s, freed.pops[i], entry_value(freed.pops[i]), freed.n > 1);
}

/* Takes a statement about an entry. */
static void take_entry(Maker *m, const Op *op) {
    static const Access read = {.read = true};
    const Value *v = entry_value(op);
    if (op->inst->entry == ENTRY_FREE) {
        take_free(m, op);
        return;
    }
    if (v == NULL) {
        not_understood(m, op, "an entry of a pipe between cores");
        return;
    }
    Step *s = add_entry_step(m, op, v);
    if (op->inst->entry == ENTRY_POP)
        write_entry(m, s, op, v, false);
    else
        use_value(m, s, &read, v);
}

/* Takes a statement once for each pipe that it may run on. */
static void take_slots(Maker *m, const Op *op, Pipe pipe) {
    const Effects effects = {.ctx = m->ctx, .profile = m->profile};
    size_t n = op_accesses(&effects, op, NULL, 0);
    Access *list = ARENA_ARRAY(m->arena, Access, n + 1);
    op_accesses(&effects, op, list, n);
    use_slots(m, add_step(m, STEP_ACCESS, op, pipe), list, n);
    if (n > 0 && list[0].other != PIPE_NONE)
        use_slots(m, add_step(m, STEP_ACCESS, op, (Pipe)list[0].other), list, n);
}

/* ---- statements of several phases ---- */

static void add_hidden(Maker *m, StepKind kind, const Op *op, const Phase *phase) {
    for (int e = 0; e < 8; e++) {
        if ((phase->events >> e & 1) == 0) continue;
        Step *s = add_step(m, kind, op, (Pipe)phase->pipe);
        s->to = phase->to;
        s->id = (Cycle){.modulus = 1, .offset = e};
        s->hidden = true;
    }
}

static void take_phase(Maker *m, const Op *op, const PhaseForm *form, uint8_t phase,
                       const Access *list, size_t n) {
    const Phase *p = &form->phases[phase];
    if (p->kind == PHASE_BARRIER) {
        add_step(m, p->pipe == PIPE_NONE ? STEP_BARRIER_ALL : STEP_BARRIER, op, (Pipe)p->pipe)
            ->hidden = true;
    } else if (p->kind == PHASE_FLAGS) {
        add_hidden(m, STEP_SET, op, p);
        add_hidden(m, STEP_WAIT, op, p);
    } else if (p->kind == PHASE_PERHAPS) {
        add_hidden(m, STEP_BUSY, op, p);
    } else {
        Step *s = add_step(m, STEP_ACCESS, op, (Pipe)p->pipe);
        s->phase = phase;
        for (size_t i = 0; i < n; i++)
            if (list[i].phase == phase) use_value(m, s, &list[i], list[i].value);
    }
}

static bool may_be_empty(const Type *t) {
    for (uint32_t i = 0; is_memory(t) && i < t->rank; i++)
        if (t->dims[i] == DYNAMIC) return true;
    return false;
}

/* True when only run time decides whether a statement does anything. */
static bool may_do_nothing(const Op *op, const PhaseForm *form) {
    int s = form->moves != NULL ? inst_slot(op->inst, form->moves) : -1;
    for (unsigned i = 0; s >= 0 && i < slot_count(op, s); i++)
        if (may_be_empty(slot_operands(op, s)[i].value->type)) return true;
    return false;
}

/* Takes the phases of a statement, with its flags between them. Those of a statement that may do
 * nothing are a branch, since its flags order nothing then. */
static void take_phases(Maker *m, const Op *op, const PhaseForm *form) {
    const Effects effects = {.ctx = m->ctx, .profile = m->profile};
    size_t n = op_accesses(&effects, op, NULL, 0);
    Access *list = ARENA_ARRAY(m->arena, Access, n + 1);
    Step **last = NULL;
    op_accesses(&effects, op, list, n);
    if ((op->inst->flags & IF_SIGNALS) != 0) add_step(m, STEP_SIGNAL, op, PIPE_S);
    if (may_do_nothing(op, form)) {
        Step *branch = add_step(m, STEP_IF, op, PIPE_NONE);
        last = m->last;
        m->last = &branch->body;
    }
    for (uint8_t i = 0; i < form->nphases; i++)
        if (phase_applies(op, &form->phases[i])) take_phase(m, op, form, i, list, n);
    if (last != NULL) m->last = last;
}

void take_access(Maker *m, const Op *op) {
    const Effects effects = {.ctx = m->ctx, .profile = m->profile};
    const PhaseForm *form = effects_phases(&effects, op);
    Pipe pipe = effects_pipe(&effects, op);
    if (form != NULL) {
        take_phases(m, op, form);
        return;
    }
    if (pipe < PIPE_S || pipe > PIPE_FIX) {
        if (op_transfers(op)) not_understood(m, op, "an asynchronous transfer");
        return;
    }
    if ((op->inst->flags & (IF_VIEW | IF_PURE | IF_ALLOC)) != 0) return;
    if (op->inst->entry != ENTRY_NONE)
        take_entry(m, op);
    else
        take_slots(m, op, pipe);
}
