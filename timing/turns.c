/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules the events of cores. When a period of turns only moves the times on that later events
 * depend on, further periods do the same: one period then counts for all of them.
 *
 * Why that is exact: times come about by adding numbers and by taking the later one of two. Those
 * that a period moves on by the same amount are a group. If all times of a group are later, when
 * the period begins, than those of every slower group when it ends, no event waits for a slower
 * group, and each time comes from one of its own group. So each further period moves it on by the
 * same amount, and the groups only draw apart. */
#include "timing/schedule.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = MOST_PROBES + 2, MOST_GROUPS = 8 };
static const uint64_t MOST_EXECUTED = (uint64_t)1 << 28;
/* Beyond these, counts and the times that they multiply are not exact: 20 minutes of a chip. */
static const double MOST_CYCLES = (double)((uint64_t)1 << 41),
                    MOST_WEIGHT = (double)((uint64_t)1 << 52);
/* Without skipped turns longer times may come of what the user says something takes. */
static const double MOST_SAID = (double)((uint64_t)1 << 60);

/* A time that later events depend on. */
typedef struct Part {
    double at;
    Who who;
    const TimeNode *setter;
} Part;

/* All of them, and what else decides. */
typedef struct State {
    Part *parts;
    uint32_t n, cap;
    uint32_t *shape; /* lengths of queues, states of units */
    uint32_t nshape, capshape;
} State;

/* The turns that a core is in. */
typedef struct TurnLevel {
    uint32_t begin; /* the first event */
    uint32_t turns; /* number of EventTurns */
    uint64_t left;  /* turns to come, with the one that runs */
    bool crosses;   /* the other core takes part */
} TurnLevel;

typedef struct Position {
    uint32_t at; /* the next event */
    TurnLevel levels[MOST_DEPTH];
    unsigned n;
    bool turned;   /* it is at the end of a turn */
    bool received; /* it got a signal or an entry in this turn */
} Position;

/* What is known of the turns of a level of a core. */
typedef struct Watch {
    State state; /* when the turns left were `left` */
    bool set;
    uint64_t left, power;
    Position other; /* where the other core was */
    LogMark logs[TIMED_CORES];
    /* a period that counts for several, until so many turns are left */
    bool counts;
    uint64_t until, times, period;
    double before[TIMED_CORES]; /* what a turn counted for */
    unsigned other_level;       /* of the other core; MOST_DEPTH: none moves */
    uint64_t other_period;
    double *delta; /* of each part */
    bool *fixed;   /* its statement does not move */
    uint32_t nparts;
    LogMark begun[TIMED_CORES];
    LogShift shift;
} Watch;

typedef struct Scheduler {
    TimeRun *cores;
    unsigned n;
    Position at[TIMED_CORES];
    Watch watches[TIMED_CORES][MOST_DEPTH];
    State now;
    uint64_t executed;
    bool too_long;
} Scheduler;

/* ---- states ---- */

static void add_part(Scheduler *p, State *s, const Token *t) {
    if (s->n == s->cap) s->parts = ARENA_WIDEN(p->cores->arena, Part, s->parts, &s->cap, s->n, 64);
    s->parts[s->n++] = (Part){t->at, t->who, t->setter};
}

static void add_shape(Scheduler *p, State *s, uint32_t v) {
    if (s->nshape == s->capshape)
        s->shape = ARENA_WIDEN(p->cores->arena, uint32_t, s->shape, &s->capshape, s->nshape, 64);
    s->shape[s->nshape++] = v;
}

/* What is done with a time and its statement. */
typedef void PartFn(Scheduler *p, double *at, Who *who, const TimeNode *setter, void *arg);

static void each_token(Scheduler *p, Token *list, uint32_t n, PartFn *fn, void *arg) {
    for (uint32_t i = 0; i < n; i++)
        fn(p, &list[i].at, &list[i].who, list[i].setter, arg);
}

static void each_part_of(Scheduler *p, TimeRun *r, PartFn *fn, void *arg) {
    Schedule *s = r->s;
    Who none = -1;
    for (int i = 0; i < TIMED_PIPES; i++)
        fn(p, &s->free[i], &s->last[i], NULL, arg);
    fn(p, &s->now, &none, NULL, arg);
    for (unsigned i = 0; i < s->nused; i++)
        each_token(p, s->used[i]->list + s->used[i]->first, s->used[i]->n, fn, arg);
    each_token(p, s->buffers, TIMED_EVENTS, fn, arg);
}

/* Of one core, or of all with what is between them. */
static void each_part(Scheduler *p, int core, PartFn *fn, void *arg) {
    for (unsigned i = 0; i < p->n; i++)
        if (core < 0 || (int)i == core) each_part_of(p, &p->cores[i], fn, arg);
    const TimeShared *shared = p->cores->shared;
    for (uint32_t i = 0; core < 0 && i < shared->nchannels; i++) {
        TokenQueue *q = &shared->channels[i].queue;
        each_token(p, q->list + q->first, q->n, fn, arg);
    }
}

static void collect_part(Scheduler *p, double *at, Who *who, const TimeNode *setter, void *arg) {
    add_part(p, arg, &(Token){*at, *who, setter});
}

static void collect_shape(Scheduler *p, const TimeRun *r, State *s) {
    uint32_t busy = 0;
    for (int i = 0; i < TIMED_PIPES; i++)
        busy |= (uint32_t)(r->s->busy[i] > 0) << i;
    add_shape(p, s, busy);
    add_shape(p, s, (uint32_t)r->s->vector);
    for (unsigned i = 0; i < r->s->nused; i++)
        add_shape(p, s, r->s->used[i]->n);
}

static void take_state(Scheduler *p, int core, State *s) {
    s->n = s->nshape = 0;
    each_part(p, core, collect_part, s);
    for (unsigned i = 0; i < p->n; i++)
        if (core < 0 || (int)i == core) collect_shape(p, &p->cores[i], s);
    const TimeShared *shared = p->cores->shared;
    for (uint32_t i = 0; core < 0 && i < shared->nchannels; i++)
        add_shape(p, s, shared->channels[i].queue.n);
}

/* ---- periods ---- */

/* The times that a period moves on alike. */
typedef struct Group {
    double by, least, most; /* the earliest when it begins, the latest when it ends */
    int moves;              /* whether their statements move: -1: there are none */
} Group;

static Group *group_of(Group *list, unsigned *n, double by, double least, double most) {
    unsigned i = 0;
    while (i < *n && list[i].by != by)
        i++;
    if (i == MOST_GROUPS) return NULL;
    if (i == *n) list[(*n)++] = (Group){by, least, most, -1};
    if (least < list[i].least) list[i].least = least;
    if (most > list[i].most) list[i].most = most;
    return &list[i];
}

/* Whether the statement of a part is the one of a period ago, or the same one; all of a group move,
 * or none. */
static bool statement_moves(Group *g, Who was, Who is, const int64_t length[TIMED_CORES]) {
    if (was < 0 && is < 0) return true;
    if (was < 0 || is < 0 || was % TIMED_CORES != is % TIMED_CORES) return false;
    const Who by = length[is % TIMED_CORES] * TIMED_CORES;
    const int moves = by == 0 ? g->moves : is - was == by;
    if (by != 0 && !moves && is != was) return false;
    if (by == 0 && is != was) return false;
    if (g->moves >= 0 && moves >= 0 && g->moves != moves) return false;
    g->moves = moves;
    return true;
}

static bool groups_apart(const Group *list, unsigned n, double late) {
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < n; k++)
            if (list[k].by > list[i].by && !(list[k].least > list[i].most + late)) return false;
    return true;
}

/* Whether a period does nothing but move times on; notes by how much. */
static bool only_moves(Scheduler *p, Watch *w, const State *now) {
    const State *was = &w->state;
    Group list[MOST_GROUPS];
    unsigned n = 0;
    const Schedule *s = p->cores->s;
    const double late = s->flag > s->cross ? s->flag : s->cross;
    int64_t length[TIMED_CORES] = {0};
    if (was->n != now->n || was->nshape != now->nshape ||
        memcmp(was->shape, now->shape, now->nshape * sizeof *now->shape) != 0)
        return false;
    for (unsigned i = 0; i < p->n; i++)
        length[i] = log_length(&p->cores[i], &w->logs[i]);
    if (w->nparts < now->n) {
        w->delta = ARENA_ARRAY(p->cores->arena, double, now->cap);
        w->fixed = ARENA_ARRAY(p->cores->arena, bool, now->cap);
        w->nparts = now->cap;
    }
    for (uint32_t i = 0; i < now->n; i++) {
        const Part *a = &was->parts[i], *b = &now->parts[i];
        w->delta[i] = b->at - a->at;
        Group *g = group_of(list, &n, w->delta[i], a->at, b->at);
        if (g == NULL || b->at < a->at || a->setter != b->setter ||
            !statement_moves(g, a->who, b->who, length))
            return false;
        w->fixed[i] = a->who == b->who;
        /* what moves on in time has new statements */
        if (w->delta[i] > 0 && a->who >= 0 && w->fixed[i]) return false;
    }
    memcpy(w->shift.length, length, sizeof length);
    return groups_apart(list, n, late);
}

/* ---- counting a period for several ---- */

/* Where the other core is, compared with where it was a period ago: at the same place but for the
 * turns left of one level, `*level`. */
static bool other_repeats(const Scheduler *p, unsigned core, const Watch *w, unsigned *level,
                          uint64_t *period) {
    const Position *was = &w->other, *is = &p->at[1 - core];
    *level = MOST_DEPTH;
    *period = 0;
    if (was->at != is->at || was->n != is->n) return false;
    for (unsigned i = 0; i < is->n; i++) {
        if (was->levels[i].turns != is->levels[i].turns) return false;
        if (was->levels[i].left == is->levels[i].left) continue;
        if (*level != MOST_DEPTH || was->levels[i].left < is->levels[i].left) return false;
        *level = i;
        *period = was->levels[i].left - is->levels[i].left;
    }
    return was->turned == is->turned && was->received == is->received;
}

/* How many periods the other core can do before it leaves the turns that move. */
static uint64_t other_times(const Scheduler *p, unsigned core, const Watch *w) {
    const Position *is = &p->at[1 - core];
    if (w->other_level == MOST_DEPTH) return UINT64_MAX;
    const uint64_t left = is->levels[w->other_level].left;
    return left > 0 ? (left - 1) / w->other_period : 0;
}

/* The cores whose times turns of a core move: its own, or with joint turns all, -1. */
static bool concerns(int part, unsigned core) {
    return part < 0 || (unsigned)part == core;
}

/* A turn ends, and `left` remain. If the turns since the watch was set only moved times on, the
 * next period counts for all periods that are left. */
static void look_for_period(Scheduler *p, unsigned core, Watch *w, uint64_t left, int part) {
    w->period = w->left - left;
    w->times = left / w->period;
    w->other_level = MOST_DEPTH;
    if (part < 0 && p->n > 1) {
        if (!other_repeats(p, core, w, &w->other_level, &w->other_period)) return;
        const uint64_t others = other_times(p, core, w);
        if (others < w->times) w->times = others;
    }
    if (w->times < 2 || !only_moves(p, w, &p->now)) return;
    w->counts = true;
    w->until = left - w->period;
    for (unsigned i = 0; i < p->n; i++) {
        Schedule *s = p->cores[i].s;
        w->begun[i] = log_mark(&p->cores[i]);
        w->before[i] = s->weight;
        if (concerns(part, i)) s->weight *= (double)w->times;
        p->too_long |= s->weight > MOST_WEIGHT;
    }
}

typedef struct Move {
    const Watch *watch;
    uint32_t i;
} Move;

static void move_part(Scheduler *p, double *at, Who *who, const TimeNode *setter, void *arg) {
    Move *m = arg;
    const Watch *w = m->watch;
    const uint32_t i = m->i++;
    (void)p;
    (void)setter;
    *at += (double)(w->times - 1) * w->delta[i];
    if (*who >= 0 && !w->fixed[i])
        *who += (Who)(w->times - 1) * w->shift.length[*who % TIMED_CORES] * TIMED_CORES;
}

/* The period that counted for several has ended: goes on after the last of them. */
static void end_period(Scheduler *p, unsigned core, Watch *w, TurnLevel *level, int part) {
    uint32_t first = 0;
    w->counts = w->set = false;
    w->shift.anchor = ARENA_NEW(p->cores->arena, LogAnchor);
    for (unsigned i = 0; i < p->n; i++) {
        if (!concerns(part, i)) continue;
        p->cores[i].s->weight = w->before[i];
        /* the parts of a core begin with those of its pipes */
        log_repeat(&p->cores[i], &w->begun[i], w->times, &w->shift, &w->delta[first]);
        take_state(p, (int)i, &p->now);
        first += p->now.n;
    }
    Move m = {.watch = w};
    each_part(p, part, move_part, &m);
    for (unsigned i = 0; i < p->n; i++)
        p->too_long |= schedule_end(p->cores[i].s) > MOST_CYCLES;
    level->left -= (w->times - 1) * w->period;
    if (part < 0 && w->other_level != MOST_DEPTH)
        p->at[1 - core].levels[w->other_level].left -= (w->times - 1) * w->other_period;
}

static void forget_statement(Scheduler *p, double *at, Who *who, const TimeNode *setter,
                             void *arg) {
    (void)p;
    (void)at;
    (void)setter;
    (void)arg;
    *who = -1;
}

/* Goes on without logs when one is full. */
static void check_logs(Scheduler *p) {
    TimeShared *shared = p->cores->shared;
    bool full = false;
    for (unsigned i = 0; i < p->n; i++)
        full |= log_is_full(&p->cores[i]);
    if (!full || !shared->logs) return;
    shared->logs = false;
    each_part(p, -1, forget_statement, NULL);
    for (unsigned i = 0; i < p->n; i++)
        for (unsigned k = 0; k < MOST_DEPTH; k++)
            p->watches[i][k].set = false;
}

static void end_turn(Scheduler *p, unsigned core, int part) {
    Position *at = &p->at[core];
    TurnLevel *level = &at->levels[at->n - 1];
    Watch *w = &p->watches[core][at->n - 1];
    if (w->counts) {
        if (level->left == w->until) end_period(p, core, w, level, part);
        return;
    }
    check_logs(p);
    take_state(p, part, &p->now);
    if (w->set) look_for_period(p, core, w, level->left, part);
    if (w->counts || (w->set && w->left - level->left < w->power)) return;
    w->power = w->set ? 2 * w->power : 1;
    w->set = true;
    w->left = level->left;
    const State old = w->state;
    w->state = p->now;
    p->now = old;
    if (p->n > 1) w->other = p->at[1 - core];
    for (unsigned i = 0; i < p->n; i++)
        w->logs[i] = log_mark(&p->cores[i]);
}

/* ---- the cores ---- */

static void begin_turns(Scheduler *p, unsigned core, const TimeEvent *e) {
    Position *at = &p->at[core];
    const EventTurns *turns = &p->cores[core].events.turns[e->number];
    Watch *w = &p->watches[core][at->n];
    w->set = w->counts = false;
    at->at++;
    at->levels[at->n++] = (TurnLevel){at->at, e->number, turns->times, turns->crosses && p->n > 1};
}

/* Goes to the next turn, or on after the last one. */
static void leave_turn(Position *at) {
    const TurnLevel *level = &at->levels[at->n - 1];
    at->turned = at->received = false;
    if (level->left > 0) {
        at->at = level->begin;
    } else {
        at->n--;
        at->at++;
    }
}

/* Returns whether the core stops at the end of this turn: the first one, where its turns and those
 * of the other core go together; the other one where nothing in the turn waits for the first. */
static bool turn_ends(Scheduler *p, unsigned core) {
    Position *at = &p->at[core];
    TurnLevel *level = &at->levels[at->n - 1];
    level->left--;
    if (level->crosses) return core == 0 || !at->received;
    if (!p->cores->uncut) end_turn(p, core, (int)core);
    return false;
}

/* Runs a core until it waits, or until a turn ends; whether it did anything. */
static bool advance(Scheduler *p, unsigned core) {
    TimeRun *r = &p->cores[core];
    Position *at = &p->at[core];
    bool moved = at->turned;
    if (at->turned) leave_turn(at);
    for (; at->at < r->events.n && !p->too_long; moved = true) {
        const TimeEvent *e = event_at(&r->events, at->at);
        if (e->what == TIME_TURNS) {
            begin_turns(p, core, e);
        } else if (e->what == TIME_AGAIN) {
            at->turned = turn_ends(p, core);
            if (at->turned) return true;
            leave_turn(at);
        } else {
            if (++p->executed > MOST_EXECUTED || !schedule_event(r, e)) break;
            at->received |= e->what == TIME_RECEIVE;
            at->at++;
        }
    }
    return moved;
}

static bool stop(TimeRun *cores, const LowerStmt *where, const char *why) {
    cores->where = where != NULL ? where->span : (Span){0};
    snprintf(cores->why, sizeof cores->why, "%s", why);
    return false;
}

/* Says why not all events could happen. */
static bool find_waiting(const Scheduler *p) {
    if (p->too_long)
        return stop(p->cores, NULL,
                    "the program takes too long to be exact: more than 2^41 cycles");
    for (unsigned i = 0; i < p->n; i++) {
        const TimeRun *r = &p->cores[i];
        if (p->at[i].at == r->events.n) continue;
        const TimeEvent *e = event_at(&r->events, p->at[i].at);
        if (p->executed > MOST_EXECUTED)
            return stop(p->cores, e->node->stmt, "the program runs too many statements");
        p->cores->waits = true;
        return stop(p->cores, e->node->stmt,
                    e->what == TIME_RECEIVE
                        ? "the core waits here for ever: nothing that the other core does ends it"
                        : "the pipe waits here for ever: nothing before sets this flag");
    }
    return true;
}

static void count_scopes(TimeRun *r) {
    for (const ScopeRun *scope = r->scopes; scope != NULL; scope = scope->next)
        for (uint32_t i = 0; i < scope->n && scope->runs > 0; i++) {
            scope->list[i].node->count += (uint64_t)(scope->runs * scope->list[i].count);
            r->s->events += scope->runs * scope->list[i].count;
        }
}

bool time_schedule(TimeRun *cores, unsigned n) {
    TimeShared *shared = cores->shared;
    Scheduler *p = ARENA_NEW(cores->arena, Scheduler);
    p->cores = cores;
    p->n = n;
    cores->waits = false;
    for (unsigned i = 0; i < n; i++)
        schedule_reset(&cores[i]);
    for (uint32_t i = 0; i < shared->nchannels; i++) {
        Channel *c = &shared->channels[i];
        c->queue.first = c->queue.n = 0;
        for (int64_t k = 0; k < c->places; k++)
            queue_add(cores, &c->queue, (Token){.who = -1});
    }
    for (bool moved = true; moved && !p->too_long;) {
        moved = false;
        for (unsigned i = 0; i < n; i++)
            moved |= advance(p, i);
        if (p->at[0].turned && !cores->uncut) end_turn(p, 0, -1);
    }
    for (unsigned i = 0; i < n; i++)
        p->too_long |= !(schedule_end(cores[i].s) < MOST_SAID);
    for (unsigned i = 0; i < n && !p->too_long; i++)
        count_scopes(&cores[i]);
    shared->executed = p->executed;
    return find_waiting(p);
}
