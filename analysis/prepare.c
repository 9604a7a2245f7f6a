/* SPDX-License-Identifier: Apache-2.0 */
/* Prepares a proof: numbers the instances of steps, flags and buffers, and finds which instances
 * use places that may meet. */
#include "analysis/prover.h"

/* A wait is an instance only where it matters which have run. */
static bool has_instances(const Prover *p, const Step *s) {
    return s->kind == STEP_ACCESS || (s->kind == STEP_WAIT && p->order.early);
}

/* Numbers instances, and counts the flags and buffers that are used. */
static bool number_steps(Prover *p, Step *first, uint32_t copies) {
    for (Step *s = first; s != NULL; s = s->next) {
        s->first = p->n;
        s->findings = NULL;
        bool fits = true;
        if (has_instances(p, s)) {
            p->n += s->copies = copies;
            fits = p->n <= MOST_INSTANCES;
        } else if (s->kind == STEP_IF) {
            fits = number_steps(p, s->body, copies) && number_steps(p, s->other, copies);
        } else if (s->kind == STEP_BLOCK) {
            fits = number_steps(p, s->body, copies);
        } else if (s->kind == STEP_CALL) {
            s->memory = NULL;
            p->shared |= s->shared;
            fits = number_steps(p, s->body, s->shared ? 1 : copies);
            s->copies = p->n - s->first;
        } else if (s->kind == STEP_LOOP || s->kind == STEP_GRAPH) {
            s->states = ARENA_ARRAY(p->arena, LoopState, copies);
            s->loops = copies;
            if (s->depth >= p->levels) p->levels = s->depth + 1;
            fits = s->ring <= 16 && copies <= MOST_INSTANCES / s->ring &&
                   number_steps(p, s->other, copies * s->ring) &&
                   number_steps(p, s->body, copies * s->ring);
            s->copies = p->n - s->first;
        }
        if (!fits) return false;
    }
    return true;
}

typedef void OnStep(Prover *p, Step *s, uint32_t copy);

static void each_step(Prover *p, Step *first, uint32_t copies, OnStep *visit) {
    for (Step *s = first; s != NULL; s = s->next) {
        if (s->kind == STEP_IF || s->kind == STEP_GRAPH || s->kind == STEP_BLOCK) {
            each_step(p, s->body, copies, visit);
            each_step(p, s->other, copies, visit);
        } else if (s->kind == STEP_LOOP) {
            each_step(p, s->other, copies * s->ring, visit);
            each_step(p, s->body, copies * s->ring, visit);
        } else if (s->kind == STEP_CALL) {
            each_step(p, s->body, s->shared ? 1 : copies, visit);
        } else {
            for (uint32_t c = 0; c < copies; c++)
                visit(p, s, c);
        }
    }
}

static void name_flag(Prover *p, Step *s, uint32_t copy) {
    if (s->kind != STEP_SET && s->kind != STEP_WAIT && s->kind != STEP_BUSY) return;
    int16_t *flag = &p->flag[s->pipe][s->to][cycle_value(&s->id, s, copy) % EVENTS];
    if (*flag < 0) *flag = (int16_t)p->nflags++;
}

/* Notes the pipes that a step is about. */
static void note_pipes(Prover *p, Step *s, uint32_t copy) {
    (void)copy;
    if (s->kind == STEP_SIGNAL) p->used |= 1u << STORES;
    if (s->kind == STEP_SIGNAL || s->kind == STEP_BARRIER_ALL || s->kind == STEP_FENCE ||
        s->kind == STEP_CORES)
        return;
    p->used |= 1u << s->pipe;
    if (s->kind == STEP_SET || s->kind == STEP_WAIT) p->used |= 1u << s->to;
}

static void name_buffer(Prover *p, Step *s, uint32_t copy) {
    if (s->kind != STEP_GET && s->kind != STEP_RELEASE) return;
    int16_t *buffer = &p->buffer[cycle_value(&s->id, s, copy) % BUFFERS];
    if (*buffer < 0) *buffer = (int16_t)p->observers++;
    int16_t *taken = &p->taken[s->pipe][cycle_value(&s->id, s, copy) % BUFFERS];
    if (*taken < 0) *taken = (int16_t)p->ncounts++;
}

/* ---- places ---- */

/* Tiles at constant addresses with the same first and last byte are one place here. */
static bool is_fixed(const Place *p) {
    return place_is_fixed(p) && p->end != INT64_MAX;
}

static bool is_same_range(const Place *a, const Place *b) {
    return is_fixed(a) && is_fixed(b) && a->space == b->space && a->low == b->low &&
           a->end == b->end;
}

/* Returns the number of a place in the sets of readers and writers. */
static uint32_t note_place(Prover *p, const Place *place) {
    uint32_t *number = &p->local[place->number];
    uint32_t *chain = &p->chains[is_fixed(place) ? (uint64_t)place->low / 32 % PLACE_CHAINS : 0];
    if (*number != 0) return *number;
    for (uint32_t i = *chain; i != 0 && *number == 0; i = p->places[i].next)
        if (is_same_range(p->places[i].place, place)) *number = i;
    if (*number != 0) return *number;
    *number = ++p->nplaces;
    p->places[*number] = (ProverPlace){place, is_fixed(place) ? *chain : 0};
    if (is_fixed(place)) *chain = *number;
    return *number;
}

static bool may_meet(const Place *a, const Place *b, unsigned *assumed) {
    static const When ever = {.any = true, .entries = true};
    if (!is_fixed(a) || !is_fixed(b)) return place_meet(a, b, &ever, assumed) != OVERLAP_NO;
    return a->space == b->space && a->low < b->end && b->low < a->end;
}

static void add_instance(Prover *p, Step *s, uint32_t copy, uint32_t number) {
    p->of[number] = s;
    p->copy_of[number] = copy;
    set_bit(p->own[s->kind == STEP_WAIT ? s->to : s->pipe], number);
    if (s->kind == STEP_WAIT) set_bit(p->waits[flag_in(p, s, copy)], number);
    for (uint32_t k = 0; k < s->nuses; k++) {
        uint32_t place = p->local[place_in(&s->uses[k], s, copy)->number];
        uint64_t **sets = s->uses[k].write ? p->writers : p->readers;
        if (sets[place] == NULL) sets[place] = new_set(p);
        set_bit(sets[place], number);
    }
}

static void note_places_of(Prover *p, Step *s, uint32_t copy) {
    for (uint32_t k = 0; s->kind == STEP_ACCESS && k < s->nuses; k++)
        note_place(p, place_in(&s->uses[k], s, copy));
}

static void note_instance(Prover *p, Step *s, uint32_t copy) {
    if (has_instances(p, s)) add_instance(p, s, copy, s->first + copy);
}

/* Numbers what is carried in before all others. */
static void number_carried(Prover *p) {
    for (uint32_t i = 0; p->in != NULL && i < p->in->n; i++) {
        const uint32_t level = p->in->list[i].level;
        p->n++;
        p->shared |= level == ANOTHER_CALL;
        if (level != ANOTHER_CALL && level >= p->levels) p->levels = level + 1;
    }
}

void prover_begin(const Prover *p, State st) {
    memset(st.counts, ZERO, p->ncounts);
    for (uint32_t i = 0; p->in != NULL && i < p->in->n; i++) {
        const CarriedIn *c = &p->in->list[i];
        const uint32_t level = c->level == ANOTHER_CALL ? p->other_call : c->level;
        for (uint32_t o = 0; o < PIPES; o++)
            if ((c->seen_by & p->used) >> o & 1)
                set_bit(st.bits + ((size_t)o * p->levels + level) * p->words, i);
    }
}

static void add_set(const Prover *p, uint64_t *to, const uint64_t *from) {
    for (uint32_t w = 0; from != NULL && w < p->words; w++)
        to[w] |= from[w];
}

/* Replaces the users of each place by those of all places that it may meet, as far as one of them
 * writes. */
static void spread_places(Prover *p) {
    uint64_t **readers = p->readers, **writers = p->writers;
    p->readers = ARENA_ARRAY(p->arena, uint64_t *, p->nplaces + 1);
    p->writers = ARENA_ARRAY(p->arena, uint64_t *, p->nplaces + 1);
    for (uint32_t i = 1; i <= p->nplaces; i++) {
        p->readers[i] = new_set(p);
        p->writers[i] = new_set(p);
        for (uint32_t k = 1; k <= i; k++) {
            unsigned assumed = 0;
            if (writers[k] == NULL && writers[i] == NULL) continue;
            if (!may_meet(p->places[i].place, p->places[k].place, &assumed)) {
                p->out->assumed |= assumed;
                continue;
            }
            add_set(p, p->readers[i], readers[k]);
            add_set(p, p->writers[i], writers[k]);
            add_set(p, p->readers[k], readers[i]);
            add_set(p, p->writers[k], writers[i]);
        }
    }
}

/* Finds the places of all instances; false when there are too many for their sets. */
static bool note_places(Prover *p, Step *program, const Places *t) {
    p->local = ARENA_ARRAY(p->arena, uint32_t, t->n + 1);
    p->chains = ARENA_ARRAY(p->arena, uint32_t, PLACE_CHAINS);
    p->places = ARENA_ARRAY(p->arena, ProverPlace, t->n + 1);
    for (uint32_t i = 0; p->in != NULL && i < p->in->n; i++)
        note_places_of(p, p->in->list[i].step, p->in->list[i].copy);
    each_step(p, program, 1, note_places_of);
    return (uint64_t)p->nplaces * p->words <= MOST_WORDS;
}

bool prover_prepare(Prover *p, Step *program, const Places *t) {
    p->levels = 1;
    memset(p->flag, -1, sizeof p->flag);
    memset(p->buffer, -1, sizeof p->buffer);
    memset(p->taken, -1, sizeof p->taken);
    number_carried(p);
    if (!number_steps(p, program, 1)) return false;
    if (p->shared) p->other_call = p->levels++;
    each_step(p, program, 1, name_flag);
    each_step(p, program, 1, note_pipes);
    p->observers = PIPES + p->nflags;
    p->ncounts = p->nflags;
    each_step(p, program, 1, name_buffer);
    p->words = p->n / 64 + 1;
    if (state_words(p) > MOST_STATE_WORDS / 16 || !note_places(p, program, t)) return false;
    for (int i = 0; i < PIPES; i++)
        p->own[i] = new_set(p);
    p->spare = ARENA_ARRAY(p->arena, State, MOST_SPARE);
    p->of = ARENA_ARRAY(p->arena, Step *, p->n + 1);
    p->copy_of = ARENA_ARRAY(p->arena, uint32_t, p->n + 1);
    p->last_set = ARENA_ARRAY(p->arena, const Step *, p->ncounts + 1);
    p->waits = ARENA_ARRAY(p->arena, uint64_t *, p->nflags + 1);
    for (uint32_t i = 0; i < p->nflags; i++)
        p->waits[i] = new_set(p);
    p->readers = ARENA_ARRAY(p->arena, uint64_t *, p->nplaces + 1);
    p->writers = ARENA_ARRAY(p->arena, uint64_t *, p->nplaces + 1);
    for (uint32_t i = 0; p->in != NULL && i < p->in->n; i++)
        add_instance(p, p->in->list[i].step, p->in->list[i].copy, i);
    each_step(p, program, 1, note_instance);
    spread_places(p);
    return true;
}
