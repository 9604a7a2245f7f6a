/* Finds the fences that order the steps of a function: pairs of a set and a wait, and barriers.
 *
 * The races that the proof finds are edges between two elements of one list of steps: the loops
 * and branches, in the innermost list that holds both, around the two accesses. An edge within an
 * iteration is an interval of that list; a pair inside it orders its ends, and one pair may be
 * inside many intervals. Of the edges between two pipes the one that ends first gets a pair: the
 * wait right before its end, the set behind the last beginning of the edges with this end. An edge
 * that a loop carries into its next iteration gets a set behind its beginning and the wait at the
 * end of the body; if its pipe has other work before in the next iteration, the wait is before the
 * end of the edge, and there is a set before the outermost loop and a wait behind it; slots that
 * take turns have an event each. Between
 * accesses of one pipe, a barrier takes the place of a pair.
 *
 * Inner loops come first, pairs before barriers, short edges before long ones; after each list and
 * pair of pipes the proof tells what is left, as fences also order what is before and behind them
 * on other pipes. At last each fence is taken away for which the proof stays complete without. */
#include "analysis/insert.h"

#include <stdlib.h>

enum { MOST_ROUNDS = 2000 };

/* An edge in a list. `to` is NULL when the list does not hold its end. */
typedef struct Edge {
    Step *from, *to;
    uint8_t pipe, to_pipe;
    bool carried;
    bool here; /* between blocks of a graph: only the place before `to` is on every path */
    const Use *use, *to_use;
} Edge;

typedef struct Edges {
    Edge *list;
    uint32_t n;
} Edges;

/* ---- the tree of steps ---- */

/* Numbers the steps of a list and of those inside; returns the next number. */
static uint32_t index_list(Step *first, Step *around, bool second, uint32_t number) {
    uint32_t place = 0;
    Step *prev = NULL;
    for (Step *s = first; s != NULL; prev = s, s = s->next) {
        bool loop = s->kind == STEP_LOOP;
        s->prev = prev;
        s->around = around;
        s->second = second;
        s->nest = around != NULL ? around->nest + 1 : 0;
        s->place = place++;
        s->number = number++;
        number = index_list(loop ? s->other : s->body, s, loop, number);
        number = index_list(loop ? s->body : s->other, s, !loop, number);
        s->end = number - 1;
    }
    return number;
}

static void index_steps(Fences *f) {
    index_list(f->steps->first, NULL, false, 0);
}

static bool same_list(const Step *a, const Step *b) {
    return a->around == b->around && a->second == b->second;
}

static Step **list_head(Fences *f, Step *s) {
    if (s->around == NULL) return &f->steps->first;
    return s->second ? &s->around->other : &s->around->body;
}

static void unlink_step(Fences *f, Step *s) {
    *(s->prev != NULL ? &s->prev->next : list_head(f, s)) = s->next;
    if (s->next != NULL) s->next->prev = s->prev;
}

/* Undoes unlink_step(), if all that was unlinked later is linked again. */
static void link_again(Fences *f, Step *s) {
    *(s->prev != NULL ? &s->prev->next : list_head(f, s)) = s;
    if (s->next != NULL) s->next->prev = s;
}

/* Statements are inserted between two statements: not between steps of one, nor inside a function
 * that it calls. */
static bool is_own(const Step *s) {
    return s->around == NULL || s->around->at != s->at;
}

static bool same_statement(const Step *a, const Step *b) {
    return a != NULL && b != NULL && a->at != NULL && a->at == b->at;
}

static Step *last_of_statement(Step *s) {
    while (same_statement(s, s->next))
        s = s->next;
    return s;
}

static Step *first_of_statement(Step *s) {
    while (same_statement(s, s->prev))
        s = s->prev;
    return s;
}

/* ---- edges ---- */

/* Returns the loop that carries a race; NULL when none around both accesses does. */
static const Step *carrying_loop(const Finding *f) {
    const Step *loop = f->later->loop, *around = f->earlier->loop;
    while (f->level > 0 && loop != NULL && loop->depth != f->level)
        loop = loop->loop;
    while (around != NULL && around != loop)
        around = around->loop;
    return f->level > 0 ? around : NULL;
}

/* Lifts a step to the list of the block of a graph, or of the function, that holds it. */
static Step *in_block(Step *s) {
    while (s->around != NULL && s->around->kind != STEP_BLOCK)
        s = s->around;
    return s;
}

static Edge edge_here(const Finding *f, const Edge *like) {
    Edge e = *like;
    Step *to;
    memcpy(&to, &f->later, sizeof to);
    e.from = e.to = in_block(to);
    e.carried = false;
    e.here = true;
    return e;
}

/* Writes the edge of a race. */
static Edge edge_of(const Finding *f) {
    const Step *loop = carrying_loop(f);
    Edge e = {.pipe = f->earlier->pipe,
              .to_pipe = f->later->pipe,
              .carried = loop != NULL,
              .use = f->earlier_use,
              .to_use = f->later_use};
    Step *a, *b, *inner = NULL;
    memcpy(&a, &f->earlier, sizeof a);
    memcpy(&b, &f->later, sizeof b);
    if (loop != NULL) {
        while (a->around != loop)
            a = a->around;
        while (b->around != loop)
            b = b->around;
        if (loop->kind == STEP_GRAPH) return edge_here(f, &e);
        e.from = a;
        e.to = same_list(a, b) ? b : NULL;
        return e;
    }
    while (b->nest > a->nest)
        b = b->around;
    while (a->nest > b->nest || !same_list(a, b)) {
        inner = a;
        if (a->nest == b->nest) b = b->around;
        a = a->around;
    }
    if (a->kind == STEP_BLOCK) return edge_here(f, &e);
    /* from the condition of a scf.while to its body */
    if (a == b) return (Edge){.from = inner, .pipe = e.pipe, .to_pipe = e.to_pipe, .carried = true};
    e.from = a;
    e.to = b;
    return e;
}

static Edges collect_edges(Fences *f, const Proof *proof) {
    Edges out = {ARENA_ARRAY(&f->scratch->step, Edge, proof->n), 0};
    for (const Finding *r = proof->first; r != NULL; r = r->next)
        if (r->kind == FINDING_RACE) out.list[out.n++] = edge_of(r);
    return out;
}

/* True when `a` gets its fence before `b`. */
static bool comes_before(const Edge *a, const Edge *b) {
    bool x = a->pipe == a->to_pipe, y = b->pipe == b->to_pipe;
    if (a->here != b->here) return b->here;
    if (a->from->nest != b->from->nest) return a->from->nest > b->from->nest;
    if (x != y) return y;
    if (a->carried != b->carried) return b->carried;
    if (a->carried) return a->from->number < b->from->number;
    uint32_t m = a->to->number - a->from->number, n = b->to->number - b->from->number;
    return m != n ? m < n : a->to->number < b->to->number;
}

/* Takes the edges off whose lists and pipes are those of the one that comes first. */
static Edges take_group(Edges *e) {
    Edge *best = &e->list[0];
    for (uint32_t i = 1; i < e->n; i++)
        if (comes_before(&e->list[i], best)) best = &e->list[i];
    const Edge first = *best;
    Edges group = {e->list, 0};
    for (uint32_t i = 0; i < e->n; i++) {
        Edge x = e->list[i];
        if (x.pipe != first.pipe || x.to_pipe != first.to_pipe || x.carried != first.carried ||
            x.here != first.here || !same_list(x.from, first.from))
            continue;
        e->list[i] = e->list[group.n];
        e->list[group.n++] = x;
    }
    e->list += group.n;
    e->n -= group.n;
    return group;
}

/* Leaves the edges of other lists that are of the same kind as one. */
static void keep_similar(Edges *e, const Edge *like) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n; i++) {
        const Edge *x = &e->list[i];
        if (x->from->nest == like->from->nest && x->carried == like->carried &&
            x->here == like->here && (x->pipe == x->to_pipe) == (like->pipe == like->to_pipe) &&
            !same_list(x->from, like->from))
            e->list[n++] = *x;
    }
    e->n = n;
}

/* ---- events ---- */

/* Events that the numbers from `low` to `high` may not use: those of other pairs that are set
 * there, those that statements there use inside, and those of the program itself, wherever it uses
 * them. */
typedef struct Taken {
    uint32_t low, high;
    uint8_t pipe, to;
    unsigned events;
    uint32_t last[FENCE_EVENTS]; /* the latest number at which another pair has each event */
} Taken;

static bool is_inserted(const Step *s) {
    return s->at == NULL;
}

static void add_hidden(Fences *f, Step *s) {
    if (f->nhidden == f->hidden_cap) {
        Step **more = ARENA_ARRAY(f->arena, Step *, f->hidden_cap * 2 + 16);
        if (f->nhidden > 0) memcpy(more, f->hidden, f->nhidden * sizeof *more);
        f->hidden = more;
        f->hidden_cap = f->hidden_cap * 2 + 16;
    }
    f->hidden[f->nhidden++] = s;
}

/* Notes the events that the steps use already. */
static void take_events(Fences *f, Step *first) {
    for (Step *s = first; s != NULL; s = s->next) {
        if (s->hidden && (s->kind == STEP_SET || s->kind == STEP_BUSY))
            add_hidden(f, s);
        else if (s->hidden)
            continue;
        else if (s->kind == STEP_SET || s->kind == STEP_WAIT)
            f->taken[s->pipe][s->to] |=
                (uint8_t)(s->id.loop == NULL ? 1u << s->id.offset % FENCE_EVENTS : 0xff);
        take_events(f, s->body);
        take_events(f, s->other);
    }
}

static Step *start_of(const Fence *x) {
    return x->heads[0] != NULL ? x->heads[0] : x->set != NULL ? x->set : x->wait;
}

static const Step *end_of(const Fence *x) {
    return x->tails[0] != NULL ? x->tails[0] : x->wait;
}

/* Notes the events of other fences: of the first ones, and of all that take turns. */
static void note_events(const Fences *f, Taken *t, uint32_t fences) {
    t->events |= f->taken[t->pipe][t->to];
    for (uint32_t i = 0; i < f->nhidden; i++) {
        const Step *s = f->hidden[i];
        if (s->pipe == t->pipe && s->to == t->to && s->number > t->low && s->number < t->high)
            t->events |= 1u << s->id.offset;
    }
    for (uint32_t i = 0; i < f->n; i++) {
        const Fence *x = &f->list[i];
        if (x->set == NULL || x->set->pipe != t->pipe || x->set->to != t->to ||
            (i >= fences && x->turns == 1))
            continue;
        unsigned events = x->turns > 1 ? (1u << x->turns) - 1 : 1u << x->set->id.offset;
        for (int e = 0; e < FENCE_EVENTS; e++)
            if ((events >> e & 1) != 0 && end_of(x)->number > t->last[e])
                t->last[e] = end_of(x)->number;
        if (end_of(x)->number > t->low && start_of(x)->number < t->high) t->events |= events;
    }
}

/* Returns an event that is free, or -1; the one that was used longest ago, so that no flag is set
 * again before a slow pipe has waited for it. */
static int free_event(const Fences *f, Taken *t, uint32_t fences) {
    int best = -1;
    note_events(f, t, fences);
    for (int e = 0; e < FENCE_EVENTS; e++)
        if ((t->events >> e & 1) == 0 && (best < 0 || t->last[e] < t->last[best])) best = e;
    return best;
}

/* ---- fences ---- */

static Step *new_step(Fences *f, StepKind kind, const Edge *e, const Step *near, bool after) {
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

static void put_between(Fences *f, Step *s, Step *prev, Step *next) {
    s->prev = prev;
    s->next = next;
    link_again(f, s);
}

/* Puts a step behind a statement, before or after others that were inserted there. */
static void put_after(Fences *f, Step *s, Step *a, bool last) {
    while (last && a->next != NULL && is_inserted(a->next) && a->next->after)
        a = a->next;
    put_between(f, s, a, a->next);
}

static void add_fence(Fences *f, Fence x) {
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
    const Op *owner = region_owner(s->at->block);
    return op_is(owner, INST_SECTION_CUBE) || op_is(owner, INST_SECTION_VECTOR);
}

/* Adds a pair between two elements; both ends are in one block. */
static void add_pair(Fences *f, const Edge *e, Step *a, Step *b) {
    bool one = a->at->block == b->at->block, behind = !one && is_in_section(a);
    Taken t = {a->end, b->number, e->pipe, e->to_pipe, 0, {0}};
    if (!one) t.low = t.high = behind ? a->end : b->number;
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
    Step *set = new_step(f, STEP_SET, e, a, one || behind);
    Step *wait = new_step(f, STEP_WAIT, e, a, behind);
    set->id.offset = wait->id.offset = event;
    set->number = t.low;
    wait->number = t.high;
    if (behind)
        put_after(f, wait, a, false);
    else
        put_between(f, wait, b->prev, b);
    if (one || behind)
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
           a->modulus == b->modulus;
}

/* Returns how many slots of one multi tile the ends of an edge use in turn, the same one in an
 * iteration; 1 when it is something else. An edge between two slots is tried once. */
static uint32_t turns_of(const Fences *f, const Edge *e, const Step *a, const Step *b) {
    if (e->use == NULL || a->kind != STEP_ACCESS || b->kind != STEP_ACCESS) return 1;
    const Cycle *c = &e->use->slot;
    if (c->loop != a->around || !same_cycle(c, &e->to_use->slot) || c->modulus > FENCE_EVENTS ||
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

/* Adds a pair of which the wait, before an element, comes before the set, behind another one, in
 * each iteration; with a set before the outermost loop and a wait behind it. Tiles that take turns
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
    if (from->place < to->place)
        add_pair(f, &kind, from, to);
    else if ((turns_of(f, &kind, from, to) == 1 && is_first_of_pipe(to, kind.to_pipe)) ||
             !add_pair_around(f, &kind, from, to))
        add_pair_to_end(f, &kind, from);
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

static void prove(Fences *f, Proof *proof) {
    scratch_rewind(f->scratch);
    prove_steps(&f->scratch->step, f->steps->first, &f->steps->places, f->order, false, proof);
}

static bool has_race(const Proof *proof) {
    for (const Finding *r = proof->first; r != NULL; r = r->next)
        if (r->kind == FINDING_RACE) return true;
    return false;
}

static bool cover_all(Fences *f) {
    Proof proof;
    take_events(f, f->steps->first);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        prove(f, &proof);
        if (!has_race(&proof)) return proof.gave_up == NULL;
        index_steps(f);
        Edges edges = collect_edges(f, &proof);
        if (!cover_some(f, &edges)) return false;
    }
    return false;
}

enum { FENCE_STEPS = 2 + 2 * FENCE_EVENTS };

static void list_steps(const Fence *x, Step *steps[FENCE_STEPS]) {
    steps[0] = x->set;
    steps[1] = x->wait;
    for (int i = 0; i < FENCE_EVENTS; i++) {
        steps[2 + 2 * i] = x->heads[i];
        steps[3 + 2 * i] = x->tails[i];
    }
}

static bool is_among(const Step *s, Step *const steps[FENCE_STEPS]) {
    for (int i = 0; i < FENCE_STEPS; i++)
        if (steps[i] == s) return true;
    return false;
}

/* Tells whether no race begins at a step of the first list or behind it without a fence. */
static bool holds_without(Fences *f, Prover *p, const Fence *x, Step **from) {
    Step *steps[FENCE_STEPS], *s = *from;
    list_steps(x, steps);
    for (int i = 0; i < FENCE_STEPS; i++)
        if (steps[i] != NULL) unlink_step(f, steps[i]);
    while (s != NULL && is_among(s, steps))
        s = s->next;
    if (prover_holds(p, s)) {
        *from = s;
        return true;
    }
    for (int i = FENCE_STEPS; i-- > 0;)
        if (steps[i] != NULL) link_again(f, steps[i]);
    return false;
}

static Step *top_of(Step *s) {
    while (s->around != NULL)
        s = s->around;
    return s;
}

/* Fences by the step of the first list that holds them, and those of inner loops first. */
static int compare_fences(const void *a, const void *b) {
    const Step *x = ((const Fence *)a)->wait, *y = ((const Fence *)b)->wait;
    const Step *m = start_of(a), *n = start_of(b);
    while (m->around != NULL)
        m = m->around;
    while (n->around != NULL)
        n = n->around;
    if (m != n) return m->number < n->number ? -1 : 1;
    if (x->depth != y->depth) return x->depth > y->depth ? -1 : 1;
    return x->number > y->number ? -1 : 1;
}

/* Takes away fences that the others make needless, those inside loops or those outside. */
static bool shrink_some(Fences *f, bool loops) {
    scratch_rewind(f->scratch);
    Prover *p = prover_new(&f->scratch->step, f->steps->first, &f->steps->places, f->order);
    uint32_t n = 0, i = 0;
    if (p == NULL) return false;
    for (Step *s = f->steps->first; s != NULL;) {
        Step *from = s;
        for (; i < f->n && top_of(start_of(&f->list[i])) == s; i++) {
            const Fence x = f->list[i];
            bool wanted = (x.wait->depth > 0) == loops;
            if (!wanted || !holds_without(f, p, &x, &from)) f->list[n++] = x;
        }
        if (from == s) {
            prover_pass(p, s);
            s = s->next;
        } else {
            s = from; /* a fence itself is gone */
        }
    }
    f->n = n;
    return true;
}

static bool shrink(Fences *f) {
    index_steps(f);
    qsort(f->list, f->n, sizeof *f->list, compare_fences);
    return shrink_some(f, true) && shrink_some(f, false);
}

static int compare_starts(const void *a, const void *b) {
    uint32_t x = start_of(a)->number, y = start_of(b)->number;
    return (x > y) - (x < y);
}

/* Numbers the events again, in the order of the text. */
static void number_events(Fences *f) {
    index_steps(f);
    qsort(f->list, f->n, sizeof *f->list, compare_starts);
    for (uint32_t i = 0; i < f->n; i++) {
        const Fence *x = &f->list[i];
        if (x->set == NULL || x->turns > 1) continue;
        Taken t = {start_of(x)->number, end_of(x)->number, x->set->pipe, x->set->to, 0, {0}};
        Step *steps[FENCE_STEPS];
        int event = free_event(f, &t, i);
        list_steps(x, steps);
        for (int k = 0; k < FENCE_STEPS; k++)
            if (steps[k] != NULL && event >= 0) steps[k]->id.offset = event;
    }
}

bool fences_find(Fences *f) {
    if (!cover_all(f)) return false;
    if (f->n == 0) return true;
    if (!shrink(f)) return false;
    number_events(f);
    return true;
}
