/* SPDX-License-Identifier: Apache-2.0 */
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

/* Notes a race of an instance, or an early set; true if it is to be described. */
static bool is_told(Prover *p) {
    if (!p->first) return true;
    p->raced = true;
    p->out->gave_up = "it has a race";
    return false;
}

static void compare(Prover *p, uint32_t instance, Step *j, uint32_t cj, uint32_t level) {
    Step *i = p->of[instance];
    if (p->shared && level == p->other_call) level = ANOTHER_CALL;
    Meeting m = steps_meet(&p->order, i, p->copy_of[instance], j, cj, level);
    p->out->assumed |= m.assumed;
    if (m.overlap == OVERLAP_NO || !is_told(p)) return;
    Finding *f = find(p, FINDING_RACE, j, i, level);
    if (f == NULL) return;
    f->carried_in = p->in != NULL && instance < p->in->n;
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
                uint32_t place = p->local[place_in(&j->uses[k], j, copy)->number];
                found |= open & p->writers[place][w];
                if (j->uses[k].write) found |= open & p->readers[place][w];
            }
            for (; found != 0 && p->out->gave_up == NULL; found &= found - 1)
                compare(p, w * 64 + (uint32_t)__builtin_ctzll(found), j, copy, l);
        }
}

/* ---- steps ---- */

/* Tells every observer of an access or wait. */
static void gain(const Prover *p, State *st, const Step *s, uint32_t copy) {
    if (s->kind == STEP_WAIT && !p->order.early) return;
    bool issue = s->kind == STEP_WAIT && s->to == PIPE_S && p->order.issue;
    uint8_t pipe = s->kind == STEP_WAIT ? s->to : s->pipe;
    bool ordered = s->kind == STEP_WAIT || (p->order.ordered >> pipe & 1) != 0;
    for (uint32_t o = 0; o < p->observers; o++) {
        bool flag = !is_pipe(o) && o - PIPES < p->nflags;
        if ((o == pipe && ordered) || (is_pipe(o) && issue) ||
            (o == STORES && (!s->stores || s->pipe == PIPE_S)) ||
            (is_pipe(o) && (p->used >> o & 1) == 0) || (flag && (st->counts[o - PIPES] & ONE) == 0))
            continue;
        set_bit(seen_by(p, st, o), s->first + copy);
    }
}

static void step_set(Prover *p, State *st, Step *s, uint32_t copy) {
    int flag = flag_in(p, s, copy);
    uint64_t *seen = seen_by(p, st, s->pipe), *to = seen_by(p, st, PIPES + (uint32_t)flag);
    if (p->order.early && meets_mask(p, seen, p->waits[flag]) && is_told(p))
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

void take_step(Prover *p, State *st, Step *s, uint32_t copy) {
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
    case STEP_CORES:
        break;
    case STEP_BARRIER_ALL:
        memset(st->bits, 0, state_words(p) * sizeof *st->bits);
        break;
    default:
        step_buffer(p, st, s, copy);
        break;
    }
}

/* ---- the end of the kernel ---- */

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

void find_leaks(Prover *p, const State *st) {
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
    find_kept(p, st);
}

/* ---- orders ---- */

PipeOrder pipe_order_practice(Profile p) {
    return (PipeOrder){profile_infos[p].in_order, true, true, false};
}

PipeOrder pipe_order_documented(Profile p) {
    return (PipeOrder){profile_infos[p].in_order_documented, false, false, false};
}
