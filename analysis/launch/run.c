/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the items of an attempt. A loop with an unknown trip count is run until no iteration leads
 * to a new configuration or adds to what is in flight; each iteration must end on all cores that
 * share the loop. */
#include "analysis/launch/flight.h"
#include "analysis/launch/statements.h"

/* States with different configurations. */
typedef struct Flights {
    Flight **all;
    uint32_t n, cap;
    bool hashed; /* their hashes are known */
} Flights;

static void grow(Attempt *a, Flights *to) {
    if (to->n < to->cap) return;
    const uint32_t cap = to->cap == 0 ? 4 : to->cap * 2;
    Flight **more = ARENA_ARRAY(a->arena, Flight *, cap);
    if (to->n > 0) memcpy(more, to->all, to->n * sizeof *more);
    to->all = more;
    to->cap = cap;
}

/* Adds a state, which is given away; returns where it is if that is new or holds more, else -1. */
static int merge(Attempt *a, Flights *to, Flight *f) {
    if (++a->merged > (a->block->brief ? FEW_MERGED : MOST_MERGED))
        attempt_fails(a, NULL, "so many configurations");
    if (to->n == 2 && !to->hashed) {
        to->all[0]->hash = flight_hash(a, to->all[0]);
        to->all[1]->hash = flight_hash(a, to->all[1]);
        to->hashed = true;
    }
    if (to->hashed) f->hash = flight_hash(a, f);
    for (uint32_t i = 0; i < to->n; i++) {
        if ((to->hashed && to->all[i]->hash != f->hash) || !flight_same(a, to->all[i], f)) continue;
        const bool news = flight_join(a, to->all[i], f);
        flight_free(a, f);
        return news ? (int)i : -1;
    }
    grow(a, to);
    to->all[to->n] = f;
    return (int)to->n++;
}

static Flights run_items(Attempt *a, const Item *first, Flights states);

static Flights run_segment(Attempt *a, const Item *item, Flights states) {
    Flights out = {.n = 0};
    for (uint32_t i = 0; i < states.n && !attempt_ended(a); i++) {
        Flight *f = states.all[i];
        for (unsigned c = 0; c < CORES; c++)
            for (const Statement *s = item->first[c]; s != NULL; s = s->next)
                fifo_push(a->arena, &f->rest[c], s);
        flight_settle(a, f);
        merge(a, &out, f);
    }
    return out;
}

/* ---- branches ---- */

static const Decision *decision_of(const Flight *f, const Term *t) {
    for (uint32_t i = 0; i < f->ndecisions; i++)
        if (f->decisions[i].term == t) return &f->decisions[i];
    return NULL;
}

static void decide(Attempt *a, Flight *f, const Term *t, bool yes) {
    if (f->ndecisions == f->cap_decisions)
        f->decisions =
            ARENA_WIDEN(a->arena, Decision, f->decisions, &f->cap_decisions, f->ndecisions, 8);
    f->decisions[f->ndecisions++] = (Decision){t, yes};
}

static void forget(Flight *f, const Term *t) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->ndecisions; i++)
        if (f->decisions[i].term != t) f->decisions[n++] = f->decisions[i];
    f->ndecisions = n;
}

/* Runs one side of a branch; the state is given away. */
static void run_choice(Attempt *a, const Item *item, Flight *f, bool yes, Flights *out) {
    Flights one = {.n = 0};
    merge(a, &one, f);
    const Flights done = run_items(a, yes ? item->body : item->other, one);
    for (uint32_t i = 0; i < done.n; i++) {
        if (item->once) forget(done.all[i], item->condition);
        merge(a, out, done.all[i]);
    }
}

/* Runs both sides, or that which is decided. */
static void run_choices(Attempt *a, const Item *item, Flight *f, Flights *out) {
    const Decision *known = decision_of(f, item->condition);
    if (known != NULL) {
        run_choice(a, item, f, known->yes, out);
        return;
    }
    f->guessed |= item->meets && (item->condition->unknown || item->condition->counts);
    Flight *other = flight_copy(a, f);
    decide(a, f, item->condition, true);
    decide(a, other, item->condition, false);
    run_choice(a, item, f, true, out);
    run_choice(a, item, other, false, out);
}

static Flights run_branch(Attempt *a, const Item *item, Flights states) {
    Flights out = {.n = 0};
    for (uint32_t i = 0; i < states.n && !attempt_ended(a); i++) {
        run_choices(a, item, states.all[i], &out);
        if (out.n > MOST_CONFIGS) attempt_fails(a, item->op, "so many configurations");
    }
    return out;
}

/* ---- loops ---- */

/* Forgets what was decided for one iteration. */
static void forget_decisions(Flight *f, const Item *loop) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->ndecisions; i++)
        if (f->decisions[i].term->depth < loop->depth) f->decisions[n++] = f->decisions[i];
    f->ndecisions = n;
}

/* Keeps the states in which the cores of a loop have ended what they had. Where free slots come
 * back in groups, only waits matter, not which iteration a statement belongs to: a core may lag.
 */
static Flights keep_ended(Attempt *a, const Item *loop, Flights states) {
    Flights out = {.n = 0};
    if (a->batch && loop->ring == 1) return states;
    for (uint32_t i = 0; i < states.n; i++) {
        if (flight_is_busy(states.all[i], loop->cores)) {
            a->blocked = true;
            if (a->blocked_in == NULL) a->blocked_in = loop;
            flight_free(a, states.all[i]);
        } else {
            merge(a, &out, states.all[i]);
        }
    }
    return out;
}

/* Forgets what was popped in an iteration, if nothing can name it later. */
static void forget_entries(const Attempt *a, Flight *f, const Item *loop) {
    for (uint32_t i = 0; i < a->block->nentries; i++)
        for (unsigned c = 0; c < CORES; c++) {
            if (loop->ops[c] == NULL ||
                !block_is_inside(value_home(a->block->bound[i]), loop->ops[c]))
                continue;
            f->bound[i * CORES + c] = ENTRY_UNBOUND;
            f->halves[i * CORES + c] = 0;
        }
}

/* Runs the body once; the state is given away. */
static Flights run_iteration(Attempt *a, const Item *loop, Flight *head) {
    Flights one = {.n = 0}, out = {.n = 0};
    merge(a, &one, head);
    const Flights done = run_items(a, loop->body, one);
    for (uint32_t i = 0; i < done.n && !attempt_ended(a); i++) {
        Flight *f = done.all[i];
        flight_age(a, f, loop);
        forget_decisions(f, loop);
        forget_entries(a, f, loop);
        f->phase[loop->number] = (f->phase[loop->number] + 1) % loop->ring;
        merge(a, &out, f);
    }
    return keep_ended(a, loop, out);
}

static void fail_crowded(Attempt *a, const Item *loop) {
    attempt_fails(a, loop->op, "a loop with so many configurations");
}

/* Runs what decides whether the body runs, if there is such a part. */
static Flights run_before(Attempt *a, const Item *loop, Flights states) {
    return loop->other != NULL ? run_items(a, loop->other, states) : states;
}

static Flights run_known(Attempt *a, const Item *loop, Flights states) {
    for (int64_t k = 0; k < loop->trips && !attempt_ended(a); k++) {
        Flights out = {.n = 0};
        if (++a->rounds > MOST_ROUNDS || states.n > MOST_CONFIGS) fail_crowded(a, loop);
        for (uint32_t i = 0; i < states.n && !attempt_ended(a); i++) {
            const Flights done = run_iteration(a, loop, states.all[i]);
            for (uint32_t j = 0; j < done.n; j++)
                merge(a, &out, done.all[j]);
        }
        states = out;
    }
    return states;
}

typedef struct Todo {
    uint32_t *list, n, cap;
    bool *queued; /* by state */
} Todo;

static void add_todo(Attempt *a, Todo *t, int state) {
    if (state < 0) return;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->list[i] == (uint32_t)state) return;
    if (t->n == t->cap) t->list = ARENA_WIDEN(a->arena, uint32_t, t->list, &t->cap, t->n, 8);
    t->list[t->n++] = (uint32_t)state;
}

static Flights run_unknown(Attempt *a, const Item *loop, Flights states) {
    Flights heads = {.n = 0};
    Todo todo = {NULL, 0, 0, NULL};
    for (uint32_t i = 0; i < states.n; i++)
        add_todo(a, &todo, merge(a, &heads, states.all[i]));
    while (todo.n > 0 && !attempt_ended(a)) {
        if (++a->rounds > MOST_ROUNDS || heads.n > MOST_CONFIGS) {
            fail_crowded(a, loop);
            break;
        }
        Flight *head = heads.all[todo.list[--todo.n]];
        Flights before = {.n = 0};
        merge(a, &before, flight_copy(a, head));
        before = run_before(a, loop, before);
        for (uint32_t i = 0; i < before.n && !attempt_ended(a); i++) {
            const Flights done = run_iteration(a, loop, before.all[i]);
            for (uint32_t j = 0; j < done.n; j++)
                add_todo(a, &todo, merge(a, &heads, done.all[j]));
        }
    }
    return run_before(a, loop, heads);
}

/* True if how often a loop has run decides what is in flight. */
static bool is_uneven(const Attempt *a, const Flights *states) {
    for (uint32_t i = 1; i < states->n; i++)
        if (memcmp(states->all[i]->ntokens, states->all[0]->ntokens,
                   a->nchannels * sizeof *states->all[0]->ntokens) != 0)
            return true;
    return false;
}

/* Notes that what is in flight depends on how often the loop ran. Where it depends on two loops,
 * they may always run equally often, so that only some of the states are possible. */
static void note_uneven(Flights *states) {
    for (uint32_t i = 0; i < states->n; i++) {
        Flight *f = states->all[i];
        f->guessed |= f->uneven;
        f->uneven = true;
    }
}

static Flights run_loop(Attempt *a, const Item *loop, Flights states) {
    states = keep_ended(a, loop, states);
    for (uint32_t i = 0; i < states.n; i++)
        states.all[i]->phase[loop->number] = 0;
    states = loop->trips >= 0 && loop->other == NULL ? run_known(a, loop, states)
                                                     : run_unknown(a, loop, states);
    if (loop->trips < 0 && is_uneven(a, &states)) note_uneven(&states);
    Flights out = {.n = 0};
    for (uint32_t i = 0; i < states.n && !attempt_ended(a); i++) {
        flight_age(a, states.all[i], loop);
        states.all[i]->phase[loop->number] = 0;
        merge(a, &out, states.all[i]);
    }
    return out;
}

static Flights run_items(Attempt *a, const Item *first, Flights states) {
    for (const Item *i = first; i != NULL && !attempt_ended(a); i = i->next) {
        if (i->kind == ITEM_SEGMENT)
            states = run_segment(a, i, states);
        else if (i->kind == ITEM_BRANCH)
            states = run_branch(a, i, states);
        else
            states = run_loop(a, i, states);
        if (states.n > MOST_CONFIGS) attempt_fails(a, i->op, "so many configurations");
    }
    return states;
}

/* ---- the end ---- */

/* Returns the cores, 1 << core, that should end a wait. */
static unsigned cores_awaited(const Channel *c) {
    const bool to_vector = c->queue != NULL && c->queue->to_vector;
    switch ((ChannelKind)c->kind) {
    case CHANNEL_ENTRY:
        return 1u << (to_vector ? ON_CUBE : c->core);
    case CHANNEL_SLOT:
        return 1u << (to_vector ? c->core : ON_CUBE);
    default:
        return 1u << c->from;
    }
}

typedef struct Blocked {
    const Micro *list[CORES * (PIPES + 1)];
    uint8_t core[CORES * (PIPES + 1)];
    unsigned n, cores; /* cores: 1 << core */
} Blocked;

static void add_blocked(Attempt *a, Blocked *b, const Micro *m, unsigned core) {
    if (m->kind != MICRO_WAIT && m->kind != MICRO_STOP) return;
    if (a->channels[m->channel].kind == CHANNEL_KNOWN) return;
    b->list[b->n] = m;
    b->core[b->n++] = (uint8_t)core;
    b->cores |= 1u << core;
}

/* Finds the waits at which cores stay. If all wait for one another, those for a slot are named. */
static void find_deadlock(Attempt *a, const Flight *f) {
    Blocked b = {.n = 0};
    bool any = false, slot = false;
    for (unsigned c = 0; c < CORES; c++)
        if (f->nnow[c] > 0) add_blocked(a, &b, f->now[c], c);
    for (unsigned q = 0; q < CORES * PIPES; q++)
        if (f->queue[q].n > 0) add_blocked(a, &b, fifo_first(&f->queue[q]), q / PIPES);
    for (unsigned i = 0; i < b.n; i++) {
        const Channel *c = &a->channels[b.list[i]->channel];
        any |= (cores_awaited(c) & b.cores & ~(1u << b.core[i])) == 0;
        slot |= c->kind == CHANNEL_SLOT;
    }
    for (unsigned i = 0; i < b.n; i++) {
        const Channel *c = &a->channels[b.list[i]->channel];
        const bool first = (cores_awaited(c) & b.cores & ~(1u << b.core[i])) == 0;
        Found *found = find_launch(a, FOUND_DEADLOCK, b.list[i]->of, NULL);
        found->maybe &= f->guessed;
        const bool follows = any ? !first : slot && c->kind != CHANNEL_SLOT;
        found->follows = follows && (found->channel == NULL || found->follows);
        found->channel = c;
    }
}

static const Statement *search_segment(const Item *item, const Channel *c) {
    for (unsigned core = 0; core < CORES; core++)
        for (const Statement *s = item->first[core]; s != NULL; s = s->next) {
            if (c->kind == CHANNEL_ENTRY && s->kind == DO_PUSH && s->queue == c->queue) return s;
            if (c->kind == CHANNEL_SLOT && s->kind == DO_POP && s->queue == c->queue) return s;
            if (c->kind == CHANNEL_EVENT && s->kind == DO_SIGNAL && s->core == c->from &&
                (c->last == NULL || s->step->op == c->last))
                return s;
        }
    return NULL;
}

const Statement *statement_of_channel(const Attempt *a, const Item *first, const Channel *c) {
    for (const Item *i = first; i != NULL; i = i->next) {
        const Statement *s =
            i->kind == ITEM_SEGMENT ? search_segment(i, c) : statement_of_channel(a, i->body, c);
        if (s == NULL && i->kind != ITEM_SEGMENT) s = statement_of_channel(a, i->other, c);
        if (s != NULL) return s;
    }
    return NULL;
}

static void find_left(Attempt *a, const Flight *f, const Channel *c, int64_t extra) {
    const Statement *s = statement_of_channel(a, a->first, c);
    if (s == NULL) return;
    const bool kept = c->kind == CHANNEL_SLOT && extra < 0;
    Found *found = find_launch(a, kept ? FOUND_KEPT : FOUND_LEFT, s, NULL);
    found->maybe &= f->guessed;
    found->channel = c;
    if (found->n == 0) found->n = extra;
}

/* At the end of a queue the vendor's library takes the free slots that are left. */
static void find_leftovers(Attempt *a, const Flight *f) {
    for (uint32_t i = 0; i < a->nchannels; i++) {
        const Channel *c = &a->channels[i];
        const int64_t extra = (int64_t)f->ntokens[i] - c->tokens;
        if (extra == 0) continue;
        if ((c->kind == CHANNEL_ENTRY || c->kind == CHANNEL_EVENT) ||
            (c->kind == CHANNEL_SLOT && !a->batch))
            find_left(a, f, c, extra);
    }
}

void attempt_run(Attempt *a) {
    unsigned cores = 0;
    for (unsigned c = 0; c < CORES; c++)
        cores |= (a->block->cores[c].there ? 1u : 0) << c;
    Flights states = {.n = 0};
    merge(a, &states, flight_begin(a));
    states = run_items(a, a->first, states);
    for (uint32_t i = 0; i < states.n && !attempt_ended(a); i++)
        if (flight_is_busy(states.all[i], cores))
            find_deadlock(a, states.all[i]);
        else
            find_leftovers(a, states.all[i]);
}
