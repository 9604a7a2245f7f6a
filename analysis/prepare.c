/* Prepares a proof: numbers the instances of steps, flags and buffers, and finds which instances
 * use places that may meet. */
#include "analysis/prover.h"

/* Numbers instances, and counts the flags and buffers that are used. */
static bool number_steps(Prover *p, Step *first, uint32_t copies) {
    for (Step *s = first; s != NULL; s = s->next) {
        s->first = p->n;
        s->findings = NULL;
        bool fits = true;
        if (s->kind == STEP_ACCESS || s->kind == STEP_WAIT) {
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

static void name_buffer(Prover *p, Step *s, uint32_t copy) {
    if (s->kind != STEP_GET && s->kind != STEP_RELEASE) return;
    int16_t *buffer = &p->buffer[cycle_value(&s->id, s, copy) % BUFFERS];
    if (*buffer < 0) *buffer = (int16_t)p->observers++;
    int16_t *taken = &p->taken[s->pipe][cycle_value(&s->id, s, copy) % BUFFERS];
    if (*taken < 0) *taken = (int16_t)p->ncounts++;
}

static void note_instance(Prover *p, Step *s, uint32_t copy) {
    if (s->kind != STEP_ACCESS && s->kind != STEP_WAIT) return;
    p->of[s->first + copy] = s;
    set_bit(p->own[s->kind == STEP_WAIT ? s->to : s->pipe], s->first + copy);
    if (s->kind == STEP_WAIT) set_bit(p->waits[flag_in(p, s, copy)], s->first + copy);
    for (uint32_t k = 0; k < s->nuses; k++) {
        uint32_t place = place_in(&s->uses[k], s, copy)->number;
        uint64_t **sets = s->uses[k].write ? p->writers : p->readers;
        if (sets[place] == NULL) sets[place] = new_set(p);
        set_bit(sets[place], s->first + copy);
    }
}

/* Replaces the users of each place by those of all places that it may meet. */
static void spread_places(Prover *p, const WhereTable *t) {
    uint64_t **readers = p->readers, **writers = p->writers;
    p->readers = ARENA_ARRAY(p->arena, uint64_t *, t->n);
    p->writers = ARENA_ARRAY(p->arena, uint64_t *, t->n);
    for (uint32_t i = 0; i < t->n; i++) {
        if (readers[i] == NULL && writers[i] == NULL) continue;
        p->readers[i] = new_set(p);
        p->writers[i] = new_set(p);
        for (uint32_t k = 0; k < t->n; k++) {
            if ((readers[k] == NULL && writers[k] == NULL) || !where_may_meet(t->all[i], t->all[k]))
                continue;
            for (uint32_t w = 0; w < p->words; w++) {
                if (readers[k] != NULL) p->readers[i][w] |= readers[k][w];
                if (writers[k] != NULL) p->writers[i][w] |= writers[k][w];
            }
        }
    }
}

bool prover_prepare(Prover *p, Step *program, const WhereTable *t) {
    p->levels = 1;
    memset(p->flag, -1, sizeof p->flag);
    memset(p->buffer, -1, sizeof p->buffer);
    memset(p->taken, -1, sizeof p->taken);
    if (!number_steps(p, program, 1)) return false;
    if (p->shared) p->other_call = p->levels++;
    each_step(p, program, 1, name_flag);
    p->observers = PIPES + p->nflags;
    p->ncounts = p->nflags;
    each_step(p, program, 1, name_buffer);
    p->words = p->n / 64 + 1;
    if (state_words(p) > MOST_STATE_WORDS / 16 || (uint64_t)t->n * p->words > MOST_WORDS)
        return false;
    for (int i = 0; i < PIPES; i++)
        p->own[i] = new_set(p);
    p->spare = ARENA_ARRAY(p->arena, State, MOST_SPARE);
    p->of = ARENA_ARRAY(p->arena, Step *, p->n + 1);
    p->last_set = ARENA_ARRAY(p->arena, const Step *, p->ncounts + 1);
    p->waits = ARENA_ARRAY(p->arena, uint64_t *, p->nflags + 1);
    for (uint32_t i = 0; i < p->nflags; i++)
        p->waits[i] = new_set(p);
    p->readers = ARENA_ARRAY(p->arena, uint64_t *, t->n + 1);
    p->writers = ARENA_ARRAY(p->arena, uint64_t *, t->n + 1);
    each_step(p, program, 1, note_instance);
    spread_places(p, t);
    return true;
}
