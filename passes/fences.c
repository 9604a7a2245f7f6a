/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the fences that order the steps of a function: pairs of a set and a wait, and barriers.
 *
 * The races that the proof finds are edges between two elements of one list of steps: the loops
 * and branches, in the innermost list that holds both, around the two accesses. An edge within an
 * iteration is an interval of that list; a pair inside it orders its ends, and one pair may be
 * inside many intervals. Of the edges between two pipes the one that ends first gets a pair: the
 * wait right before its end, the set after the last beginning of the edges with this end. An edge
 * that a loop carries into its next iteration gets a set after its beginning and the wait at the
 * end of the body; if its pipe has other work before in the next iteration, the wait is before the
 * end of the edge, and there is a set before the outermost loop and a wait after it; slots that
 * take turns have an event each. An edge to a later statement of the next iteration gets a pair in
 * its own iteration, but where slots take turns one that leaves the two to overlap. Between
 * accesses of one pipe, a barrier takes the place of a pair.
 *
 * Inner loops come first, pairs before barriers, short edges before long ones; after each list and
 * pair of pipes the proof tells what is left, as fences also order what is before and after them
 * on other pipes. At last each fence is taken away without which the proof still holds. */
#include "passes/fences.h"

#include "ir/core.h"

enum { MOST_ROUNDS = 2000 };

/* ---- fences ---- */

Step *new_step(Fences *f, StepKind kind, const Edge *e, const Step *near, bool after) {
    Step *s = ARENA_NEW(f->arena, Step);
    *s = (Step){.kind = (uint8_t)kind,
                .pipe = e->pipe,
                .to = e->to_pipe,
                .id = {.modulus = 1},
                .loop = near->loop,
                .after = after,
                .around = near->around,
                .second = near->second};
    s->depth = s->loop != NULL ? s->loop->depth : 0;
    return s;
}

void add_fence(Fences *f, Fence x) {
    if (f->n == f->cap) {
        Fence *more = ARENA_ARRAY(f->arena, Fence, f->cap * 2 + 16);
        if (f->n > 0) memcpy(more, f->list, f->n * sizeof *more);
        f->list = more;
        f->cap = f->cap * 2 + 16;
    }
    f->list[f->n++] = x;
}

static void add_barrier(Fences *f, StepKind kind, const Edge *e, Step *before, Step *after) {
    Step *s = new_step(f, kind, e, before != NULL ? before : after, before == NULL);
    if (before != NULL)
        put_between(f, s, before->prev, before);
    else
        put_after(f, s, after, true);
    add_fence(f, (Fence){.wait = s});
}

static bool is_in_section(const Step *s) {
    return op_is_section(region_owner(s->at->block));
}

/* Adds a pair between two elements; both ends are in one block. */
static void add_pair(Fences *f, const Edge *e, Step *a, Step *b) {
    const bool both_after = a->at->block != b->at->block && is_in_section(a);
    bool one = a->at->block == b->at->block;
    Taken t = {a->end, b->number, e->pipe, e->to_pipe, 0, {0}};
    if (!one) t.low = t.high = both_after ? a->end : b->number;
    int event = free_event(f, &t, f->n);
    if (event < 0 && one) { /* set and wait at once: no other pair is set there */
        one = false;
        t = (Taken){b->number, b->number, e->pipe, e->to_pipe, 0, {0}};
        event = free_event(f, &t, f->n);
    }
    if (event < 0) {
        add_barrier(f, STEP_BARRIER_ALL, e, b, NULL);
        return;
    }
    Step *set = new_step(f, STEP_SET, e, a, one || both_after);
    Step *wait = new_step(f, STEP_WAIT, e, a, both_after);
    set->id.offset = wait->id.offset = event;
    set->number = t.low;
    wait->number = t.high;
    if (both_after)
        put_after(f, wait, a, false);
    else
        put_between(f, wait, b->prev, b);
    if (one || both_after)
        put_after(f, set, a, false);
    else
        put_between(f, set, wait->prev, wait);
    add_fence(f, (Fence){.set = set, .wait = wait, .turns = 1});
}

/* Adds a pair from an element to the end of its list. */
static void add_pair_to_end(Fences *f, const Edge *e, Step *a) {
    Step *last = a;
    uint32_t end = a->end;
    for (Step *z = a->next; z != NULL; z = z->next) {
        if (z->at == NULL) continue;
        if (z->at->block == a->at->block) last = z;
        end = z->end;
    }
    last = last_of_statement(last);
    Taken t = {a->end, end + 1, e->pipe, e->to_pipe, 0, {0}};
    int event = free_event(f, &t, f->n);
    if (event < 0) {
        add_barrier(f, STEP_BARRIER_ALL, e, NULL, last);
        return;
    }
    Step *set = new_step(f, STEP_SET, e, a, true), *wait = new_step(f, STEP_WAIT, e, a, true);
    set->id.offset = wait->id.offset = event;
    set->number = t.low;
    wait->number = t.high;
    put_after(f, wait, last, true);
    put_after(f, set, a, false);
    add_fence(f, (Fence){.set = set, .wait = wait, .turns = 1});
}

static Step *outermost_loop(Step *inside) {
    Step *loop = NULL;
    for (Step *s = inside->around; s != NULL; s = s->around)
        if (s->kind == STEP_LOOP) loop = s;
    return loop;
}

/* Returns the number of the slot that a statement uses, if it uses slots of one number alone. */
static const Value *slot_of(const Op *op) {
    const Value *slot = NULL;
    for (unsigned i = 0; i < op->noperands; i++) {
        const Op *get = op->operands[i].value->def;
        if (get == NULL || !op_is(get, INST_MULTI_TILE_GET)) continue;
        const Value *v = get->operands[1].value;
        if (slot != NULL && slot != v) return NULL;
        slot = v;
    }
    return slot;
}

static bool same_cycle(const Cycle *a, const Cycle *b) {
    return a->loop == b->loop && a->scale == b->scale && a->offset == b->offset &&
           a->modulus == b->modulus && !a->table && !b->table;
}

/* Returns how many slots of one multi tile the ends of an edge use in turn, the same one in an
 * iteration; 1 when it is something else. An edge between two slots is tried once. */
static uint32_t turns_of(const Fences *f, const Edge *e, const Step *a, const Step *b) {
    if (e->use == NULL || a == b || a->kind != STEP_ACCESS || b->kind != STEP_ACCESS) return 1;
    const Cycle *c = &e->use->slot;
    if (c->loop != a->around || !same_cycle(c, &e->to_use->slot) || c->modulus > EVENTS ||
        (c->scale != 1 && c->scale != -1) || slot_of(b->at) == NULL)
        return 1;
    for (uint32_t i = 0; i < f->n; i++) {
        const Fence *x = &f->list[i];
        if (x->turns > 1 && x->set->pipe == e->pipe && x->set->to == e->to_pipe &&
            x->set->around == a->around)
            return 1;
    }
    return (uint32_t)c->modulus;
}

/* Adds a pair of which the wait, before an element, comes before the set, after another one, in
 * each iteration; with a set before the outermost loop and a wait after it. Tiles that take turns
 * have an event each. False when the events are not free that long. */
static bool add_pair_around(Fences *f, const Edge *e, Step *a, Step *b) {
    Step *loop = outermost_loop(a);
    Taken t = {loop->number, loop->end + 1, e->pipe, e->to_pipe, 0, {0}};
    int event = free_event(f, &t, f->n);
    bool one = a->at->block == b->at->block && region_owner(a->at->block) == a->around->at;
    if (!one || event < 0) return false;
    Fence x = {.turns = turns_of(f, e, a, b)};
    if ((t.events & ((1u << x.turns) - 1)) != 0) x.turns = 1;
    x.set = new_step(f, STEP_SET, e, a, true);
    x.wait = new_step(f, STEP_WAIT, e, b, false);
    x.set->id.offset = x.wait->id.offset = event;
    x.set->number = a->end;
    x.wait->number = b->number;
    if (x.turns > 1) {
        x.set->id = x.wait->id = e->use->slot;
        x.set->event = x.wait->event = slot_of(b->at);
    }
    put_after(f, x.set, a, false);
    put_between(f, x.wait, b->prev, b);
    for (uint32_t i = 0; i < x.turns; i++) {
        x.heads[i] = new_step(f, STEP_SET, e, loop, false);
        x.tails[i] = new_step(f, STEP_WAIT, e, loop, true);
        x.heads[i]->id.offset = x.tails[i]->id.offset = x.turns > 1 ? (int64_t)i : event;
        x.heads[i]->number = loop->number;
        x.tails[i]->number = loop->end + 1;
        put_between(f, x.heads[i], loop->prev, loop);
        put_after(f, x.tails[i], loop, true);
    }
    add_fence(f, x);
    return true;
}

/* True when the loop determines which slot of its tile an end of an edge uses. */
static bool is_in_turn(const Use *u, const Step *loop) {
    return u != NULL && u->slot.loop == loop;
}

/* Covers a carried edge between slots that take turns, from an element to one after it that uses
 * what the iteration before left: what prepares the next slot overlaps what uses this one. The wait
 * is before the first element, the set after it, as in add_pair_around(). A pair back, between that
 * wait and the element, keeps the flag from being set again before the wait. False when the edge is
 * something else. */
static bool add_pair_ahead(Fences *f, const Edge *e, Step *a, const Step *b) {
    const Edge back = {.pipe = e->to_pipe, .to_pipe = e->pipe};
    Taken t = {a->number, a->number, back.pipe, back.to_pipe, 0, {0}};
    if (a->kind != STEP_ACCESS || b->kind != STEP_ACCESS || !is_in_turn(e->use, a->around) ||
        !is_in_turn(e->to_use, a->around) || e->pipe == PIPE_S || e->to_pipe == PIPE_S)
        return false;
    const int event = free_event(f, &t, f->n);
    if (event < 0 || !add_pair_around(f, e, a, a)) return false;
    Step *set = new_step(f, STEP_SET, &back, a, false),
         *wait = new_step(f, STEP_WAIT, &back, a, false);
    set->id.offset = wait->id.offset = event;
    set->number = wait->number = a->number;
    put_between(f, set, a->prev, a);
    put_between(f, wait, set, a);
    add_fence(f, (Fence){.set = set, .wait = wait, .turns = 1, .for_set = f->list[f->n - 1].set});
    return true;
}

/* ---- the fences of a group of edges ---- */

/* Covers the edge that ends first, and takes it and the others that this covers off the group. */
static bool cover_first(Fences *f, Edges *e) {
    Step *to = e->list[0].to, *from = NULL;
    uint32_t n = 0;
    for (uint32_t i = 1; i < e->n; i++)
        if (e->list[i].to->place < to->place) to = e->list[i].to;
    const Edge kind = e->list[0];
    for (uint32_t i = 0; i < e->n; i++) {
        Step *x = e->list[i].from;
        if (e->list[i].to == to && (from == NULL || x->place > from->place)) from = x;
    }
    for (uint32_t i = 0; from != NULL && i < e->n; i++)
        if (e->list[i].from->place > from->place) e->list[n++] = e->list[i];
    e->n = n;
    if (from == NULL) return false;
    from = last_of_statement(from);
    to = first_of_statement(to);
    if (!is_own(from) || !is_own(to) || from->place >= to->place) return false;
    if (kind.pipe == kind.to_pipe)
        add_barrier(f, STEP_BARRIER, &kind, to, NULL);
    else
        add_pair(f, &kind, from, to);
    return true;
}

static bool uses_pipe(const Step *s, uint8_t pipe) {
    if (s->kind == STEP_ACCESS && s->pipe == pipe) return true;
    for (const Step *in = s->body; in != NULL; in = in->next)
        if (uses_pipe(in, pipe)) return true;
    for (const Step *in = s->other; in != NULL; in = in->next)
        if (uses_pipe(in, pipe)) return true;
    return false;
}

/* True when a pipe has nothing to do in an iteration before an element: it may wait at the end of
 * the iteration before. PIPE_S has always: it issues what the other pipes do. */
static bool is_first_of_pipe(const Step *s, uint8_t pipe) {
    for (const Step *p = s->prev; p != NULL; p = p->prev)
        if (p->at != NULL && (pipe == PIPE_S || uses_pipe(p, pipe))) return false;
    return true;
}

/* Covers those of the edges of a loop whose ends come first. */
static bool cover_next(Fences *f, Edges *e) {
    Step *from, *to;
    Edge kind = e->list[0];
    uint32_t n = 0;
    for (uint32_t i = 1; i < e->n; i++) {
        const Edge *x = &e->list[i];
        bool later = x->to == kind.to && x->from->place > kind.from->place;
        if (x->to->place < kind.to->place || later) kind = *x;
    }
    from = kind.from;
    to = kind.to;
    for (uint32_t i = 0; i < e->n; i++)
        if (e->list[i].from->place > from->place) e->list[n++] = e->list[i];
    e->n = n;
    from = last_of_statement(from);
    to = first_of_statement(to);
    if (!is_own(from) || !is_own(to)) return false;
    if (from->place < to->place) {
        if (!add_pair_ahead(f, &kind, from, to)) add_pair(f, &kind, from, to);
    } else if ((turns_of(f, &kind, from, to) == 1 && is_first_of_pipe(to, kind.to_pipe)) ||
               !add_pair_around(f, &kind, from, to)) {
        add_pair_to_end(f, &kind, from);
    }
    return true;
}

/* Covers edges that a loop carries into its next iteration, all with one fence. */
static bool cover_at_end(Fences *f, const Edges *e) {
    Step *from = e->list[0].from, *to = e->list[0].to;
    for (uint32_t i = 1; i < e->n; i++) {
        if (e->list[i].from->place > from->place) from = e->list[i].from;
        if (to != NULL && e->list[i].to != NULL && e->list[i].to->place < to->place)
            to = e->list[i].to;
        if (e->list[i].to == NULL) to = NULL;
    }
    from = last_of_statement(from);
    if (to != NULL) to = first_of_statement(to);
    if (!is_own(from)) return false;
    if (e->list[0].pipe != e->list[0].to_pipe)
        add_pair_to_end(f, &e->list[0], from);
    else
        add_barrier(f, STEP_BARRIER, &e->list[0], to, from);
    return true;
}

static bool cover_carried(Fences *f, Edges *e) {
    bool in_list = e->list[0].pipe != e->list[0].to_pipe;
    for (uint32_t i = 0; i < e->n; i++)
        in_list &= e->list[i].to != NULL;
    if (!in_list) return cover_at_end(f, e);
    while (e->n > 0)
        if (!cover_next(f, e)) return false;
    return true;
}

/* Covers an edge between blocks. */
static bool cover_here(Fences *f, const Edge *e) {
    Step *to = first_of_statement(e->to);
    Taken t = {to->number, to->number, e->pipe, e->to_pipe, 0, {0}};
    if (!is_own(to)) return false;
    int event = e->pipe != e->to_pipe ? free_event(f, &t, f->n) : -1;
    if (event < 0) {
        add_barrier(f, e->pipe == e->to_pipe ? STEP_BARRIER : STEP_BARRIER_ALL, e, to, NULL);
        return true;
    }
    Step *set = new_step(f, STEP_SET, e, to, false), *wait = new_step(f, STEP_WAIT, e, to, false);
    set->id.offset = wait->id.offset = event;
    set->number = wait->number = to->number;
    put_between(f, set, to->prev, to);
    put_between(f, wait, set, to);
    add_fence(f, (Fence){.set = set, .wait = wait, .turns = 1});
    return true;
}

static bool cover_group(Fences *f, Edges group) {
    if (group.list[0].here) return cover_here(f, &group.list[0]);
    if (group.list[0].carried) return cover_carried(f, &group);
    while (group.n > 0)
        if (!cover_first(f, &group)) return false;
    return true;
}

/* Covers the group that comes first, and those of the same kind in other lists. */
static bool cover_some(Fences *f, Edges *e) {
    while (e->n > 0) {
        Edges group = take_group(e);
        const Edge like = group.list[0];
        if (!cover_group(f, group)) return false;
        keep_similar(e, &like);
    }
    return true;
}

/* ---- the proof ---- */

void prove_fences(Fences *f, Proof *proof) {
    scratch_rewind(f->scratch);
    prove_steps(&f->scratch->step, f->steps->first, &f->steps->places, f->order, false, &f->in,
                proof);
}

static bool has_race(const Proof *proof) {
    for (const Finding *r = proof->first; r != NULL; r = r->next)
        if (r->kind == FINDING_RACE || r->kind == FINDING_SIGNAL) return true;
    return false;
}

/* Adds a fence before each signal that may overtake data; returns whether there was one. */
static bool cover_signals(Fences *f, const Proof *proof) {
    bool some = false;
    for (const Finding *r = proof->first; r != NULL; r = r->next) {
        Step *to;
        if (r->kind != FINDING_SIGNAL) continue;
        memcpy(&to, &r->later, sizeof to);
        while (!is_own(to))
            to = to->around;
        to = first_of_statement(to);
        if (to->prev != NULL && to->prev->fence) continue; /* it has one for another access */
        const bool vector = op_core_around(to->at) == CORE_VECTOR;
        const Edge e = {.pipe = PIPE_NONE};
        add_barrier(f, vector ? STEP_BARRIER_ALL : STEP_FENCE, &e, to, NULL);
        to->prev->fence = true;
        some = true;
    }
    return some;
}

static bool cover_all(Fences *f) {
    Proof proof;
    f->nhidden = 0;
    take_events(f, f->steps->first);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        prove_fences(f, &proof);
        if (round == 0) note_open_races(f, &proof);
        if (!has_race(&proof)) return proof.gave_up == NULL;
        index_steps(f);
        if (cover_signals(f, &proof)) continue;
        Edges edges = collect_edges(f, &proof);
        if (edges.n == 0 || !cover_some(f, &edges)) return false;
    }
    return false;
}

bool fences_find_part(Fences *f) {
    if (!cover_all(f)) return false;
    if (f->n == 0) return true;
    if (!shrink_fences(f)) return false;
    find_lost_overlap(f);
    number_events(f);
    return true;
}
