/* SPDX-License-Identifier: Apache-2.0 */
/* Translates what statements read and write into steps: which bytes, in which phase, on which pipe.
 */
#include "analysis/carried.h"
#include "analysis/effects.h"
#include "analysis/maker.h"
#include "analysis/pipe_links.h"

/* ---- what is read and written ---- */

static Use *add_use(Maker *m, Step *s, const Access *a) {
    if ((s->nuses & (s->nuses - 1)) == 0) { /* full: room doubles */
        Use *more = ARENA_ARRAY(m->arena, Use, s->nuses != 0 ? (size_t)s->nuses * 2 : 1);
        if (s->nuses > 0) memcpy(more, s->uses, s->nuses * sizeof *more);
        s->uses = more;
    }
    Use *u = &s->uses[s->nuses++];
    u->write = a->write;
    u->value = a->value;
    s->stores |= a->write && a->value != NULL && is_memory(a->value->type);
    u->scratch = a->scratch;
    u->slot.modulus = 1;
    return u;
}

static void use_place(Maker *m, Step *s, const Access *a, const Place *p, bool maybe) {
    Use *u = add_use(m, s, a);
    u->places = ARENA_ARRAY(m->arena, const Place *, 1);
    u->places[0] = place_keep(&m->out->places, p);
    u->maybe = maybe;
}

/* True for the iterations of a loop that has as many as there are slots of a tile at most, if it
 * counts slots. How windows of memory differ in two iterations is known from their forms alone. */
static bool may_be_slots(const Place *p, const Variable *v) {
    enum { MOST_SLOTS = 8 };
    return v->kind != VAR_LOOP || (!place_is_memory(p) && v->hi < MOST_SLOTS);
}

/* Returns the variables of a start that the loop of `*loop` determines, with their period; 0: there
 * are none, the period is too long, or they are of an iteration before. */
static int64_t turns_of(Maker *m, const Place *p, const Variable **loop, Affine *part) {
    int64_t all = 1;
    *loop = NULL;
    *part = affine_constant(0);
    for (uint32_t i = 0; (p->fresh == UINT32_MAX || p->fresh == 0) && i < p->start.n; i++) {
        const Variable *from = *loop;
        const Affine one = {.n = 1, .assumed = p->start.assumed, .terms = &p->start.terms[i]};
        if (!may_be_slots(p, p->start.terms[i].variable)) continue;
        const int64_t n = affine_period(&one, 0, &from);
        if (n <= 1 || n > LONGEST_RING || all * n > LONGEST_RING * LONGEST_RING) continue;
        if (!affine_add(m->arena, part, &one, 1, part)) return 0;
        *loop = from;
        all = n > all && n % all == 0 ? n : all % n == 0 ? all : all * n;
    }
    return all > 1 && all <= LONGEST_RING ? all : 0;
}

/* Returns the slot that a start is a multiple of, if it is one remainder of the loop's variable. */
static bool is_slot(const Affine *part, Cycle *out) {
    const Variable *v = part->n == 1 ? part->terms[0].variable : NULL;
    if (v == NULL || v->kind != VAR_REST || v->lo != 0 || v->of.n != 1 ||
        v->of.terms[0].variable->kind != VAR_LOOP)
        return false;
    const int64_t by = v->by, scale = v->of.terms[0].by % by, offset = v->of.c % by;
    *out = (Cycle){.loop = out->loop,
                   .scale = scale < 0 ? scale + by : scale,
                   .offset = offset < 0 ? offset + by : offset,
                   .modulus = by};
    return true;
}

/* Uses a place that a loop determines, as a slot of a multi tile; false when it is none. */
static bool use_turns(Maker *m, Step *s, const Access *a, const Place *p, bool maybe) {
    const Variable *variable;
    Affine part;
    const int64_t n = turns_of(m, p, &variable, &part);
    Step *loop = n > 0 ? step_of_loop(m, variable->loop) : NULL;
    if (loop == NULL || !widen_ring(loop, n)) return false;
    Cycle c = {.loop = loop, .scale = 1, .modulus = n, .table = true};
    const bool slot = is_slot(&part, &c);
    Use *u = add_use(m, s, a);
    u->slot = c;
    u->maybe = maybe;
    u->places = ARENA_ARRAY(m->arena, const Place *, (size_t)c.modulus);
    m->out->assumed |= affine_assumed(&part);
    for (int64_t i = 0; i < c.modulus; i++) {
        const Affine at = affine_constant(slot ? part.terms[0].by * i : affine_at(&part, i));
        Place now = *p;
        if (!affine_add(m->arena, &p->start, &part, -1, &now.start) ||
            !affine_add(m->arena, &now.start, &at, 1, &now.start))
            now = *p;
        if (now.start.n == 0 && now.bytes != INT64_MAX) {
            now.low = now.start.c;
            now.end = now.low + now.bytes;
        }
        u->places[i] = place_keep(&m->out->places, &now);
    }
    return true;
}

/* Returns the bytes from the first to the last of a window that the vendor's assembler wrote as a
 * tile with the extents of the tile around it; 0 for other tiles. */
static int64_t window_bytes(const Value *v) {
    const NamedAttr *a = v->def != NULL ? op_attr_named(v->def, ATTR_pto_view_semantics) : NULL;
    const TileInfo *t = &v->type->tile;
    if (a == NULL || v->type->kind != TY_TILE || t->vrow <= 0 || t->vcol <= 0) return 0;
    int64_t n = t->blayout == BL_COL_MAJOR ? (t->vcol - 1) * t->rows + t->vrow
                                           : (t->vrow - 1) * t->cols + t->vcol;
    return t->slayout == SL_NONE_BOX ? n * elem_infos[v->type->elem].bytes : 0;
}

/* Adds where a place of a called function may be, for this call. What the function computes may be
 * another number at the next call. */
static unsigned place_for_call(Maker *m, const Frame *f, const Place *p, const Value *v,
                               Place out[ALIAS_PLACES]) {
    const Value *parameter = p->base == BASE_PARAMETER ? p->of : NULL;
    out[0] = *p;
    if (p->start.n != 0 || p->window != NULL) out[0].fresh = 0;
    if (p->base == BASE_ADDRESS || p->base == BASE_BUFFER || p->base == BASE_VALUE) return 1;
    if (place_is_memory(p) && p->base == BASE_BOUND) return 1;
    if (parameter == NULL || value_block(parameter) != f->entry) {
        out[0] = place_of(v->type, BASE_ANY, NULL, 0);
        return 1;
    }
    AliasSet given = places_of(m, f->around, f->call, f->call->operands[parameter->index].value);
    for (unsigned i = 0; i < given.n; i++)
        out[i] = place_within(&m->out->numbers, p, &given.places[i]);
    return given.n;
}

AliasSet places_of(Maker *m, const Frame *f, const Op *op, const Value *v) {
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

/* Returns what an access touches of a place that its operand may be. */
static Place touched_place(Maker *m, const Op *op, const Access *a, const Value *v, Place p) {
    const int64_t bytes = is_tile_type(v->type) ? window_bytes(v) : 0;
    if (is_tile_type(v->type)) p.type = v->type;
    if (bytes > 0 && bytes < p.bytes) {
        p.bytes = bytes;
        p.line = p.lines = p.pitch = 0;
        if (p.start.n == 0) p.end = p.low + bytes;
    }
    return a->touched != NULL ? access_bytes(&m->out->numbers, op, a, p) : p;
}

/* True when a tile that a loop carries is always one of these places: nothing moves it. */
static bool are_all(AliasSet set, const Place *first, uint32_t n) {
    for (unsigned i = 0; i < set.n; i++) {
        uint32_t k = 0;
        while (k < n && !place_same(&set.places[i], &first[k]))
            k++;
        if (k == n) return false;
    }
    return true;
}

/* Uses a tile that the iterations of a loop exchange for others; false when it is none. */
static bool use_exchanged(Maker *m, Step *s, const Access *a, const Value *v, AliasSet set) {
    const Value *first[CARRIED_TURNS];
    Place places[CARRIED_TURNS];
    const uint32_t n = is_tile_type(v->type) && set.n > 1 ? carried_exchange(v, first) : 0;
    Step *loop = n > 1 ? step_of_loop(m, carrying_for(v)) : NULL;
    for (uint32_t i = 0; i < n && loop != NULL; i++) {
        const AliasSet one = places_of(m, m->frame, loop->op, first[i]);
        if (one.n != 1 || one.places[0].base != BASE_ADDRESS || one.places[0].start.n != 0)
            return false;
        places[i] = one.places[0];
    }
    if (loop == NULL || !are_all(set, places, n) || !widen_ring(loop, n)) return false;
    Use *u = add_use(m, s, a);
    u->slot = (Cycle){.loop = loop, .scale = 1, .modulus = n, .table = true};
    u->places = ARENA_ARRAY(m->arena, const Place *, n);
    for (uint32_t i = 0; i < n; i++) {
        const Place p = touched_place(m, s->op, a, v, places[i]);
        u->places[i] = place_keep(&m->out->places, &p);
    }
    return true;
}

/* Notes a statement about a tile without an address; other cores have no part in it. */
static void unplaced(Maker *m, const Op *op) {
    if (!m->between)
        not_understood(m, op, unplaced_tile);
    else if (m->out->unplaced == NULL && m->out->unknown == NULL)
        m->out->unplaced = op;
}

/* Uses a value; numbers have no bytes. */
static void use_value(Maker *m, Step *s, const Access *a, const Value *v) {
    if (!is_tile_type(v->type) && !is_memory(v->type)) return;
    AliasSet set = places_of(m, m->frame, s->op, v);
    if (use_exchanged(m, s, a, v, set)) return;
    for (unsigned i = 0; i < set.n; i++) {
        const BaseKind base = (BaseKind)set.places[i].base;
        const Place p = touched_place(m, s->op, a, v, set.places[i]);
        if (base == BASE_BUFFER || base == BASE_VALUE) unplaced(m, s->op);
        if (!use_turns(m, s, a, &p, set.n > 1)) use_place(m, s, a, &p, set.n > 1);
    }
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
        bound.type = v->type;
        use_place(m, s, &entry, &bound, false);
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
    int s = form->moves - 1;
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

void take_slot_memory(Maker *m, const Op *op) {
    int64_t bytes;
    const Value *v = pipe_global_slots(op, &bytes);
    const AliasSet set = v != NULL ? places_of(m, m->frame, op, v) : (AliasSet){.n = 0};
    for (unsigned i = 0; i < set.n; i++) {
        SlotMemory *s = ARENA_NEW(m->arena, SlotMemory);
        Place p = set.places[i];
        if (v->type->kind == TY_PTR) p.bytes = bytes;
        *s = (SlotMemory){m->out->slots, op, place_keep(&m->out->places, &p)};
        m->out->slots = s;
    }
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
    if ((op->inst->flags & (IF_VIEW | IF_NO_ACCESS | IF_ALLOC)) != 0) return;
    if (op->inst->entry != ENTRY_NONE)
        take_entry(m, op);
    else
        take_slots(m, op, pipe);
}
