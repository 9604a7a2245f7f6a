/* The proof: a forward walk that keeps, for each observer, which accesses may not have ended yet
 * from its point of view. Observers are the pipes, the flags that are set, and the buffers.
 *
 *   access on P     every observer gains it, but for P itself if P completes in order
 *   set P -> Q, e   the flag gets what P sees, without P's own accesses
 *   wait P -> Q, e  Q keeps what the flag sees too; of the scalar pipe: so does every pipe
 *   barrier         P drops its own accesses; for all pipes: all drop everything
 *   release P, b    the buffer keeps what P sees too, without P's own accesses
 *   get Q, b        Q keeps what the buffer sees too
 *   signal          no write of global memory may be left
 *   join            the union; of a flag, where it may be set
 *
 * A loop is walked until nothing changes, as a ring of copies that determine slots and events. An
 * access that a loop carries into a later iteration has the level of that loop; level 0 is the
 * current iteration. A wait is an access without bytes: while its pipe may not have reached it,
 * another set of the flag may come too early. */
#include "analysis/prover.h"

/* ---- sets and states ---- */

static uint64_t *seen_by(const Prover *p, const State *s, uint32_t observer) {
    return s->bits + (size_t)observer * p->words * p->levels;
}

static void keep_common(const Prover *p, uint64_t *set, const uint64_t *with) {
    for (size_t i = 0; i < set_words(p); i++)
        set[i] &= with[i];
}

/* Removes the instances of `mask`, at every level. */
static void drop_mask(const Prover *p, uint64_t *set, const uint64_t *mask) {
    for (uint32_t l = 0; l < p->levels; l++)
        for (uint32_t i = 0; i < p->words; i++)
            set[(size_t)l * p->words + i] &= ~mask[i];
}

static bool meets_mask(const Prover *p, const uint64_t *set, const uint64_t *mask) {
    for (uint32_t l = 0; l < p->levels; l++)
        for (uint32_t i = 0; i < p->words; i++)
            if ((set[(size_t)l * p->words + i] & mask[i]) != 0) return true;
    return false;
}

static State new_state(Prover *p) {
    if (p->nspare > 0) return p->spare[--p->nspare];
    p->state_words += state_words(p);
    if (p->state_words > MOST_STATE_WORDS) p->out->gave_up = "it needs too much memory";
    return (State){ARENA_ARRAY(p->arena, uint64_t, state_words(p)),
                   ARENA_ARRAY(p->arena, uint8_t, p->ncounts + 1)};
}

static void copy_state(const Prover *p, State to, State from) {
    memcpy(to.bits, from.bits, state_words(p) * sizeof *to.bits);
    memcpy(to.counts, from.counts, p->ncounts);
}

static void free_state(Prover *p, State s) {
    if (p->nspare < MOST_SPARE) p->spare[p->nspare++] = s;
}

/* Adds what `from` may hold; true if that is new. */
static bool join_state(const Prover *p, State to, State from) {
    uint64_t news = 0;
    for (size_t i = 0; i < state_words(p); i++) {
        news |= from.bits[i] & ~to.bits[i];
        to.bits[i] |= from.bits[i];
    }
    for (uint32_t i = 0; i < p->ncounts; i++) {
        news |= from.counts[i] & ~to.counts[i];
        to.counts[i] |= from.counts[i];
    }
    return news != 0;
}

/* ---- findings ---- */

static Finding *find(Prover *p, FindingKind kind, Step *later, const Step *earlier,
                     uint32_t level) {
    for (Finding *f = later->findings; f != NULL; f = f->sibling)
        if (f->kind == kind && f->earlier == earlier && (f->level == 0) == (level == 0))
            return NULL;
    if (p->out->n == MOST_FINDINGS) {
        p->out->gave_up = "it has more than 1000 findings";
        return NULL;
    }
    Finding *f = ARENA_NEW(p->arena, Finding);
    *f = (Finding){.kind = (uint8_t)kind, .later = later, .earlier = earlier, .level = level};
    f->sibling = later->findings;
    later->findings = f;
    *p->out->last = f;
    p->out->last = &f->next;
    p->out->n++;
    return f;
}

static void find_flag(Prover *p, FindingKind kind, Step *s, uint32_t copy, bool some) {
    Finding *f = find(p, kind, s, NULL, 0);
    if (f == NULL) return;
    f->from = s->pipe;
    f->to = s->to;
    f->event = (uint8_t)cycle_value(&s->id, s, copy);
    f->on_some_path = some;
}

/* ---- accesses ---- */

/* Notes a race of an instance; true if it is to be described. */
static bool is_told(Prover *p) {
    if (!p->first) return true;
    p->raced = true;
    p->out->gave_up = "it has a race";
    return false;
}

static void compare(Prover *p, uint32_t instance, Step *j, uint32_t cj, uint32_t level) {
    Step *i = p->of[instance];
    if (p->shared && level == p->other_call) level = ANOTHER_CALL;
    Meeting m = steps_meet(&p->order, i, instance - i->first, j, cj, level);
    if (m.overlap == OVERLAP_NO || !is_told(p)) return;
    Finding *f = find(p, FINDING_RACE, j, i, level);
    if (f == NULL) return;
    f->earlier_use = m.a;
    f->later_use = m.b;
    f->maybe = m.overlap == OVERLAP_MAYBE;
}

/* Compares an access with those that its pipe may see unfinished. */
static void check_access(Prover *p, const State *st, Step *j, uint32_t copy) {
    const uint64_t *seen = seen_by(p, st, j->pipe);
    for (uint32_t l = 0; l < p->levels; l++)
        for (uint32_t w = 0; w < p->words; w++) {
            uint64_t found = 0, open = seen[(size_t)l * p->words + w];
            for (uint32_t k = 0; open != 0 && k < j->nuses; k++) {
                uint32_t place = place_in(&j->uses[k], j, copy)->number;
                found |= open & p->writers[place][w];
                if (j->uses[k].write) found |= open & p->readers[place][w];
            }
            for (; found != 0 && p->out->gave_up == NULL; found &= found - 1)
                compare(p, w * 64 + (uint32_t)__builtin_ctzll(found), j, copy, l);
        }
}

/* ---- steps ---- */

static bool is_pipe(uint32_t observer) {
    return observer < PIPES;
}

/* Tells every observer of an access or wait. */
static void gain(const Prover *p, State *st, const Step *s, uint32_t copy) {
    bool issue = s->kind == STEP_WAIT && s->to == PIPE_S && p->order.issue;
    uint8_t pipe = s->kind == STEP_WAIT ? s->to : s->pipe;
    bool ordered = s->kind == STEP_WAIT || (p->order.ordered >> pipe & 1) != 0;
    for (uint32_t o = 0; o < p->observers; o++) {
        bool flag = !is_pipe(o) && o - PIPES < p->nflags;
        if ((o == pipe && ordered) || (is_pipe(o) && issue) ||
            (o == STORES && (!s->stores || s->pipe == PIPE_S)) ||
            (flag && (st->counts[o - PIPES] & ONE) == 0))
            continue;
        set_bit(seen_by(p, st, o), s->first + copy);
    }
}

static void step_set(Prover *p, State *st, Step *s, uint32_t copy) {
    int flag = flag_in(p, s, copy);
    uint64_t *seen = seen_by(p, st, s->pipe), *to = seen_by(p, st, PIPES + (uint32_t)flag);
    if (p->order.early && meets_mask(p, seen, p->waits[flag]))
        find_flag(p, FINDING_EARLY, s, copy, false);
    uint8_t count = st->counts[flag];
    if ((count & ONE) != 0) {
        find_flag(p, FINDING_REUSE, s, copy, (count & ZERO) != 0);
        for (uint32_t l = 0; l < p->levels; l++)
            for (uint32_t i = 0; i < p->words; i++) {
                size_t at = (size_t)l * p->words + i;
                to[at] |= seen[at] & ~p->own[s->pipe][i];
            }
    } else {
        memcpy(to, seen, set_words(p) * sizeof *to);
        drop_mask(p, to, p->own[s->pipe]);
    }
    st->counts[flag] = ONE;
    p->last_set[flag] = s;
}

static void step_wait(Prover *p, State *st, Step *s, uint32_t copy) {
    int flag = flag_in(p, s, copy);
    uint64_t *to = seen_by(p, st, PIPES + (uint32_t)flag);
    uint8_t count = st->counts[flag];
    if ((count & ZERO) != 0) find_flag(p, FINDING_DEADLOCK, s, copy, (count & ONE) != 0);
    if (count == ZERO) { /* nothing comes after this */
        memset(st->bits, 0, state_words(p) * sizeof *st->bits);
        memset(st->counts, 0, p->ncounts);
        return;
    }
    if (s->to == PIPE_S) keep_common(p, seen_by(p, st, STORES), to);
    if (s->to == PIPE_S && p->order.issue) {
        drop_mask(p, to, p->own[PIPE_S]);
        for (uint32_t o = 0; o < PIPES; o++)
            keep_common(p, seen_by(p, st, o), to);
    } else {
        keep_common(p, seen_by(p, st, s->to), to);
    }
    memset(to, 0, set_words(p) * sizeof *to);
    st->counts[flag] = ZERO;
    gain(p, st, s, copy);
}

/* Looks whether a flag is free that a statement may use inside. */
static void step_busy(Prover *p, const State *st, Step *s, uint32_t copy) {
    uint8_t count = st->counts[flag_in(p, s, copy)];
    if ((count & ONE) != 0) find_flag(p, FINDING_REUSE, s, copy, (count & ZERO) != 0);
}

static void step_buffer(Prover *p, State *st, Step *s, uint32_t copy) {
    int64_t id = cycle_value(&s->id, s, copy) % BUFFERS;
    uint64_t *seen = seen_by(p, st, s->pipe), *token = seen_by(p, st, (uint32_t)p->buffer[id]);
    const int16_t number = p->taken[s->pipe][id];
    uint8_t *count = &st->counts[number];
    if (s->kind == STEP_GET) {
        if ((*count & ONE) != 0) find_flag(p, FINDING_TAKEN, s, copy, (*count & ZERO) != 0);
        *count = ONE;
        p->last_set[number] = s;
        keep_common(p, seen, token);
        return;
    }
    *count = ZERO;
    keep_common(p, token, seen);
    drop_mask(p, token, p->own[s->pipe]);
}

/* Finds the writes of global memory that may arrive after the signal. */
static void step_signal(Prover *p, const State *st, Step *s) {
    const uint64_t *seen = seen_by(p, st, STORES);
    for (uint32_t l = 0; l < p->levels; l++)
        for (uint32_t w = 0; w < p->words; w++)
            for (uint64_t open = seen[(size_t)l * p->words + w]; open != 0; open &= open - 1)
                if (is_told(p))
                    find(p, FINDING_SIGNAL, s, p->of[w * 64 + (uint32_t)__builtin_ctzll(open)], l);
}

/* The pipes that move data into memory finish what they have, and the scalar pipe waits until it is
 * there. */
static void step_fence(Prover *p, State *st) {
    static const uint8_t pipes[] = {PIPE_MTE2, PIPE_MTE3, PIPE_FIX};
    for (unsigned i = 0; i < sizeof pipes; i++)
        drop_mask(p, seen_by(p, st, pipes[i]), p->own[pipes[i]]);
    memset(seen_by(p, st, STORES), 0, set_words(p) * sizeof(uint64_t));
}

/* True after a wait that never ends. */
static bool is_stuck(const Prover *p, const State *st) {
    return p->nflags > 0 && st->counts[0] == 0;
}

static void take_step(Prover *p, State *st, Step *s, uint32_t copy) {
    if (is_stuck(p, st)) return;
    switch (s->kind) {
    case STEP_ACCESS:
        check_access(p, st, s, copy);
        gain(p, st, s, copy);
        break;
    case STEP_SET:
        step_set(p, st, s, copy);
        break;
    case STEP_WAIT:
        step_wait(p, st, s, copy);
        break;
    case STEP_BUSY:
        step_busy(p, st, s, copy);
        break;
    case STEP_BARRIER:
        drop_mask(p, seen_by(p, st, s->pipe), p->own[s->pipe]);
        break;
    case STEP_SIGNAL:
        step_signal(p, st, s);
        break;
    case STEP_FENCE:
        step_fence(p, st);
        break;
    case STEP_BARRIER_ALL:
        memset(st->bits, 0, state_words(p) * sizeof *st->bits);
        break;
    default:
        step_buffer(p, st, s, copy);
        break;
    }
}

/* ---- control flow ---- */

static void walk(Prover *p, Step *first, State *st, uint32_t copy);

static void walk_branches(Prover *p, Step *s, State *st, uint32_t copy) {
    State other = new_state(p);
    copy_state(p, other, *st);
    walk(p, s->body, st, copy);
    walk(p, s->other, &other, copy);
    join_state(p, *st, other);
    free_state(p, other);
}

/* Moves what the body did in this iteration, and in earlier ones of loops inside, to the level of
 * the loop. */
static void age(const Prover *p, State *st, const Step *loop) {
    uint32_t from = loop->first, to = loop->first + loop->copies;
    for (uint32_t o = 0; from < to && o < p->observers; o++) {
        uint64_t *set = seen_by(p, st, o);
        for (uint32_t w = from / 64; w <= (to - 1) / 64; w++) {
            uint64_t in = ~(uint64_t)0, moved = 0;
            if (w == from / 64) in &= ~(uint64_t)0 << from % 64;
            if (w == (to - 1) / 64) in &= ~(uint64_t)0 >> (63 - (to - 1) % 64);
            for (uint32_t l = 0; l < p->levels; l++) {
                if (l != 0 && l < loop->depth) continue;
                moved |= set[(size_t)l * p->words + w] & in;
                set[(size_t)l * p->words + w] &= ~in;
            }
            set[(size_t)loop->depth * p->words + w] |= moved;
        }
    }
}

/* ---- calls ---- */

static bool same_state(const Prover *p, State a, State b) {
    return memcmp(a.bits, b.bits, state_words(p) * sizeof *a.bits) == 0 &&
           memcmp(a.counts, b.counts, p->ncounts) == 0;
}

/* Moves what a function did when it was called before, in the same iteration of the loops around
 * the call, to the level of such accesses. */
static void age_calls(const Prover *p, State *st, const Step *call) {
    for (uint32_t i = call->first; i < call->first + call->copies; i++)
        for (uint32_t o = 0; o < p->observers; o++) {
            uint64_t *set = seen_by(p, st, o), bit = (uint64_t)1 << i % 64, moved = 0;
            for (uint32_t l = 0; l < p->levels; l++) {
                if (l != 0 && l <= call->depth) continue;
                uint64_t *at = &set[(size_t)l * p->words + i / 64];
                moved |= *at & bit;
                *at &= ~bit;
            }
            set[(size_t)p->other_call * p->words + i / 64] |= moved;
        }
}

static void forget_loops(Prover *p, Step *s);

/* Walks a function with the steps of one call for all calls that share them. From the same state
 * it does the same. */
static void walk_shared(Prover *p, Step *call, State *st) {
    enum { MOST_REMEMBERED = 16 };
    unsigned n = 0;
    age_calls(p, st, call);
    for (const Memory *m = call->memory; m != NULL; m = m->next, n++) {
        if (!same_state(p, m->before, *st)) continue;
        copy_state(p, *st, m->after);
        return;
    }
    State before = new_state(p);
    copy_state(p, before, *st);
    for (Step *s = call->body; s != NULL; s = s->next)
        forget_loops(p, s);
    walk(p, call->body, st, 0);
    if (n == MOST_REMEMBERED || p->state_words > MOST_STATE_WORDS / 2 || p->out->gave_up != NULL) {
        free_state(p, before);
        return;
    }
    Memory *m = ARENA_NEW(p->arena, Memory);
    *m = (Memory){call->memory, before, new_state(p)};
    copy_state(p, m->after, *st);
    call->memory = m;
}

static void walk_call(Prover *p, Step *s, State *st, uint32_t copy) {
    Step *call = s->callee != NULL ? s->callee : s;
    if (call->shared)
        walk_shared(p, call, st);
    else
        walk(p, call->body, st, copy);
}

/* Joins a state into another, which may not have been reached yet. */
static bool reach(Prover *p, State *to, State from) {
    if (to->bits != NULL) return join_state(p, *to, from);
    *to = new_state(p);
    copy_state(p, *to, from);
    return true;
}

/* Walks the copies of the ring that changed. */
static bool walk_ring(Prover *p, Step *s, LoopState *loop, uint32_t copy, uint64_t *todo) {
    State st = new_state(p);
    bool exact = s->trips >= 0;
    uint32_t c = (uint32_t)__builtin_ctzll(*todo), next = (c + 1) % s->ring;
    *todo &= *todo - 1;
    copy_state(p, st, loop->heads[c]);
    walk(p, s->other, &st, copy * s->ring + c);
    if (s->other != NULL) reach(p, &loop->exit, st);
    walk(p, s->body, &st, copy * s->ring + c);
    if (s->other == NULL && (!exact || (s->trips - 1) % s->ring == c)) reach(p, &loop->exit, st);
    if (!exact || s->trips > s->ring || c != s->trips - 1) {
        age(p, &st, s);
        if (reach(p, &loop->heads[next], st)) *todo |= (uint64_t)1 << next;
    }
    free_state(p, st);
    return ++loop->visits <= MOST_VISITS * s->ring;
}

static void free_loop(Prover *p, const Step *s, const LoopState *loop) {
    uint32_t n = s->kind == STEP_GRAPH ? s->nblocks : s->ring;
    for (uint32_t i = 0; i < n; i++)
        if (loop->heads[i].bits != NULL) free_state(p, loop->heads[i]);
    if (loop->exit.bits != NULL) free_state(p, loop->exit);
}

static void walk_loop(Prover *p, Step *s, State *st, uint32_t copy) {
    LoopState *loop = &s->states[copy];
    uint64_t todo = 0;
    if (s->trips == 0) return;
    if (loop->heads == NULL) loop->heads = ARENA_ARRAY(p->arena, State, s->ring);
    if (reach(p, &loop->heads[0], *st)) todo = 1;
    if (s->trips < 0 && s->other == NULL) reach(p, &loop->exit, *st);
    while (todo != 0 && p->out->gave_up == NULL)
        if (!walk_ring(p, s, loop, copy, &todo)) p->out->gave_up = "its loops take too long";
    if (loop->exit.bits != NULL) copy_state(p, *st, loop->exit);
    if (s->loop == NULL) free_loop(p, s, loop); /* it is not walked again */
}

/* Joins a state into the blocks that come next. One that comes before in the text may be in a later
 * iteration. */
static void reach_blocks(Prover *p, const Step *graph, LoopState *g, const Step *from, State st,
                         uint32_t number, bool *todo) {
    for (uint32_t i = 0; i < from->nnext; i++) {
        uint32_t next = from->next_blocks[i];
        State passed = new_state(p);
        copy_state(p, passed, st);
        if (from != graph && next <= number) age(p, &passed, graph);
        todo[next] |= reach(p, &g->heads[next], passed);
        free_state(p, passed);
    }
    if (from->nnext == 0) reach(p, &g->exit, st);
}

static void walk_graph(Prover *p, Step *s, State *st, uint32_t copy) {
    LoopState *g = &s->states[copy];
    bool *todo = ARENA_ARRAY(p->arena, bool, s->nblocks);
    if (g->heads == NULL) g->heads = ARENA_ARRAY(p->arena, State, s->nblocks);
    reach_blocks(p, s, g, s, *st, 0, todo);
    for (uint32_t b = 0; b < s->nblocks && p->out->gave_up == NULL;) {
        if (!todo[b]) {
            b++;
            continue;
        }
        State now = new_state(p);
        todo[b] = false;
        copy_state(p, now, g->heads[b]);
        walk(p, s->blocks[b]->body, &now, copy);
        reach_blocks(p, s, g, s->blocks[b], now, b, todo);
        free_state(p, now);
        if (++g->visits > MOST_VISITS * s->nblocks) p->out->gave_up = "its loops take too long";
        b = 0;
    }
    if (g->exit.bits != NULL)
        copy_state(p, *st, g->exit);
    else
        memset(st->counts, 0, p->ncounts); /* it is never left */
    if (s->loop == NULL) free_loop(p, s, g);
}

static void walk(Prover *p, Step *first, State *st, uint32_t copy) {
    for (Step *s = first; s != NULL && p->out->gave_up == NULL; s = s->next) {
        if (s->kind == STEP_IF)
            walk_branches(p, s, st, copy);
        else if (s->kind == STEP_LOOP)
            walk_loop(p, s, st, copy);
        else if (s->kind == STEP_GRAPH)
            walk_graph(p, s, st, copy);
        else if (s->kind == STEP_CALL)
            walk_call(p, s, st, copy);
        else
            take_step(p, st, s, copy);
    }
}

/* ---- entry points ---- */

#define BIT(pipe) 1u << PIPE_##pipe
typedef struct PipeOrders {
    unsigned practice, documented;
} PipeOrders;
static const PipeOrders pipe_orders[PROFILE_COUNT] = {
#define PIPE_ORDER(profile, practice, documented) [PROFILE_##profile] = {practice, documented},
#include "analysis/pipe_order.def"
#undef PIPE_ORDER
};

PipeOrder pipe_order_practice(Profile p) {
    return (PipeOrder){pipe_orders[p].practice, true, true, false};
}

PipeOrder pipe_order_documented(Profile p) {
    return (PipeOrder){pipe_orders[p].documented, false, false, false};
}

/* Finds buffers that are not released. */
static void find_kept(Prover *p, const State *st) {
    for (unsigned n = 0; n < PIPES * BUFFERS; n++) {
        const int16_t i = (&p->taken[0][0])[n];
        Step *get = NULL;
        if (i < 0 || (st->counts[i] & ONE) == 0) continue;
        memcpy(&get, &p->last_set[i], sizeof get);
        Finding *f = find(p, FINDING_KEPT, get, NULL, n % BUFFERS);
        if (f == NULL) continue;
        f->from = get->pipe;
        f->event = (uint8_t)(n % BUFFERS);
        f->on_some_path = (st->counts[i] & ZERO) != 0;
    }
}

static void find_leaks(Prover *p, const State *st) {
    for (uint32_t i = 0; i < p->nflags; i++) {
        Step *set = NULL;
        if ((st->counts[i] & ONE) == 0 || p->last_set[i] == NULL) continue;
        for (uint32_t n = 0; n < PIPES * PIPES * EVENTS; n++) {
            if ((&p->flag[0][0][0])[n] != (int)i) continue;
            memcpy(&set, &p->last_set[i], sizeof set);
            Finding *f = find(p, FINDING_LEAK, set, NULL, n % EVENTS);
            if (f == NULL) continue;
            f->from = set->pipe;
            f->to = set->to;
            f->event = (uint8_t)(n % EVENTS);
            f->on_some_path = (st->counts[i] & ZERO) != 0;
        }
    }
}

void prove_steps(Arena *arena, Step *program, const WhereTable *t, PipeOrder order, bool entry,
                 Proof *out) {
    Prover *p = ARENA_NEW(arena, Prover);
    p->arena = arena;
    p->order = order;
    p->out = out;
    *out = (Proof){.last = &out->first};
    if (!prover_prepare(p, program, t)) {
        out->gave_up = "it is too large";
        return;
    }
    State st = new_state(p);
    memset(st.counts, ZERO, p->ncounts);
    walk(p, program, &st, 0);
    if (entry && out->gave_up == NULL) {
        find_leaks(p, &st);
        find_kept(p, &st);
    }
}

/* ---- a proof that is repeated ---- */

/* Frees what the loops of a step and of those inside remember. */
static void forget_loops(Prover *p, Step *s) {
    for (Step *in = s->body; in != NULL; in = in->next)
        forget_loops(p, in);
    for (Step *in = s->other; in != NULL; in = in->next)
        forget_loops(p, in);
    for (uint32_t c = 0; c < s->loops; c++) {
        if (s->states[c].heads != NULL && s->loop != NULL) free_loop(p, s, &s->states[c]);
        s->states[c] = (LoopState){.heads = NULL};
    }
}

static void walk_one(Prover *p, Step *s, State *st) {
    forget_loops(p, s);
    if (s->kind == STEP_IF)
        walk_branches(p, s, st, 0);
    else if (s->kind == STEP_LOOP)
        walk_loop(p, s, st, 0);
    else if (s->kind == STEP_GRAPH)
        walk_graph(p, s, st, 0);
    else if (s->kind == STEP_CALL)
        walk_call(p, s, st, 0);
    else
        take_step(p, st, s, 0);
}

Prover *prover_new(Arena *arena, Step *program, const WhereTable *t, PipeOrder order) {
    Prover *p = ARENA_NEW(arena, Prover);
    p->arena = arena;
    p->order = order;
    p->out = ARENA_NEW(arena, Proof);
    *p->out = (Proof){.last = &p->out->first};
    p->first = true;
    if (!prover_prepare(p, program, t)) return NULL;
    p->now = new_state(p);
    memset(p->now.counts, ZERO, p->ncounts);
    return p;
}

bool prover_holds(Prover *p, Step *from) {
    State st = new_state(p);
    copy_state(p, st, p->now);
    for (Step *s = from; s != NULL && p->out->gave_up == NULL; s = s->next)
        walk_one(p, s, &st);
    free_state(p, st);
    bool holds = p->out->gave_up == NULL;
    if (p->raced) p->out->gave_up = NULL;
    p->raced = false;
    return holds;
}

void prover_pass(Prover *p, Step *s) {
    walk_one(p, s, &p->now);
}
