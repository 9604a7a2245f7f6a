/* SPDX-License-Identifier: Apache-2.0 */
/* Proves a launch: by pairing loops, else with the loops written out whose trip counts are known.
 * Where neither works, arguments and loads are given values one by one, which finds waits that
 * never end, and proves nothing. */
#include "analysis/launch/attempts.h"

#include "analysis/launch/flight.h"
#include "analysis/launch/pairs.h"
#include "analysis/launch/statements.h"

enum { MOST_WORDS_OF_SET = 32 };

void attempt_fails(Attempt *a, const Op *at, const char *why) {
    if (a->why != NULL) return;
    a->why = why;
    a->at = at;
}

/* ---- one attempt ---- */

static void each_statement(Attempt *a, const Item *first,
                           void (*run)(Attempt *a, const Statement *s)) {
    for (const Item *i = first; i != NULL; i = i->next) {
        for (unsigned c = 0; c < CORES; c++)
            for (const Statement *s = i->first[c]; s != NULL; s = s->next)
                run(a, s);
        each_statement(a, i->body, run);
        each_statement(a, i->other, run);
    }
}

static void use_buffer(Attempt *a, const Statement *s) {
    if (s->kind != DO_GET && s->kind != DO_RELEASE) return;
    for (uint32_t i = 0; i < 32; i++) {
        const bool used = s->step->id.loop != NULL || i == (uint64_t)s->step->id.offset % 32;
        if (used && a->buffers[s->core * 32u + i] == 0)
            a->buffers[s->core * 32u + i] = ++a->nbuffers;
    }
}

/* Numbers the pipes that are used, and makes the channels that tell them what a wait of their core
 * made known. */
static void prepare_pipes(Attempt *a) {
    for (unsigned c = 0; c < CORES; c++)
        for (unsigned p = 0; p < PIPES; p++) {
            if ((a->used[c] >> p & 1) == 0) continue;
            a->row[c * PIPES + p] = (uint8_t)a->npipes++;
            a->known[c][p] = channel_of(a, CHANNEL_KNOWN, c, p, 0, NULL);
        }
}

/* Counts what a statement may touch at different times: in a loop another slot each time. */
static void count_instances(Attempt *a, const Statement *s) {
    uint32_t n = s->queue != NULL ? s->queue->modulus : 1;
    if (s->queue == NULL && s->ntouches == 0) return;
    if (s->around == NULL) n = 1;
    for (uint32_t i = 0; i < s->ntouches && s->around != NULL; i++) {
        const Touch *t = &s->touches[i];
        const Queue *q = t->entry >= 0 ? a->queue_of[t->entry] : NULL;
        const int64_t places = t->entry < 0 && t->use->slot.loop != NULL ? t->use->slot.modulus : 1;
        const uint32_t times = q != NULL ? q->modulus : (uint32_t)places;
        if (times > n) n = times;
    }
    a->expected += n;
}

/* Makes sets large enough for what is expected. */
static void choose_words(Attempt *a) {
    each_statement(a, a->first, count_instances);
    while (a->words < MOST_WORDS_OF_SET && a->words * 64 < a->expected)
        a->words *= 2;
}

static void prepare_run(Attempt *a) {
    if (a->judged) choose_words(a);
    a->levels = a->deepest + 1;
    a->buffers = ARENA_ARRAY(a->arena, uint32_t, CORES * 32);
    for (unsigned c = 0; c < CORES; c++)
        a->used[c] |= 1u << PIPE_S;
    prepare_pipes(a);
    each_statement(a, a->first, statement_channels);
    each_statement(a, a->first, use_buffer);
    a->nrows = a->npipes + a->nbuffers;
    a->fixed = ARENA_ARRAY(a->arena, Fixed, a->nstatements + 1);
    const size_t n = (size_t)a->words * 64;
    a->instances = ARENA_ARRAY(a->arena, Instance *, n);
    a->rivals = ARENA_ARRAY(a->arena, uint64_t *, n);
    a->every = ARENA_ARRAY(a->arena, uint64_t, (size_t)a->words * a->levels);
    a->meets = ARENA_ARRAY(a->arena, uint8_t *, n);
    a->inside = ARENA_ARRAY(a->arena, uint64_t *, a->nloops);
    for (uint32_t i = 0; i < a->nloops; i++)
        a->inside[i] = ARENA_ARRAY(a->arena, uint64_t, a->words);
    for (unsigned i = 0; i < CORES * PIPES; i++)
        a->own[i] = ARENA_ARRAY(a->arena, uint64_t, a->words);
}

typedef struct Way {
    bool write_out, batch;
    bool fewer;
    bool whole;
    bool only_waits; /* accesses are not compared */
    const Input *inputs;
    uint32_t ninputs;
} Way;

static Attempt *try_with(const LaunchBlock *b, const Way *way, uint32_t words) {
    Arena *arena = b->arena;
    Attempt *a = ARENA_NEW(arena, Attempt);
    a->arena = arena;
    a->block = b;
    a->write_out = way->write_out;
    a->batch = way->batch;
    a->fewer = way->fewer;
    a->whole = way->whole;
    a->followed = b->ordered && !way->batch && !way->fewer;
    a->judged = a->followed && !way->only_waits;
    a->words = a->judged ? words : 0;
    a->last_found = &a->found;
    a->shared = shared_variables(arena);
    a->relevance = (PtrMap){.arena = arena};
    a->queue_of = ARENA_ARRAY(arena, const Queue *, b->nentries + 1);
    a->ninputs = way->ninputs;
    if (way->ninputs > 0) memcpy(a->inputs, way->inputs, way->ninputs * sizeof *a->inputs);
    pair_cores(a);
    if (a->why != NULL) return a;
    prepare_run(a);
    attempt_run(a);
    return a;
}

/* Makes an attempt with sets that are large enough. */
static Attempt *try_way(const LaunchBlock *b, const Way *way) {
    for (uint32_t words = 1;;) {
        const ArenaMark mark = arena_mark(b->arena);
        Attempt *a = try_with(b, way, words);
        if (!a->crowded) return a;
        words = (a->words > words ? a->words : words) * 2;
        if (words > MOST_WORDS_OF_SET) {
            attempt_fails(a, NULL, "it is too large");
            return a;
        }
        arena_rewind(b->arena, mark);
    }
}

/* ---- values that are tried ---- */

typedef struct Choice {
    Input inputs[MOST_INPUTS];
    int64_t values[8]; /* of arguments */
    uint32_t ninputs, nvalues, at[MOST_INPUTS];
} Choice;

static void add_value(Choice *c, int64_t value) {
    for (uint32_t i = 0; i < c->nvalues; i++)
        if (c->values[i] == value) return;
    if (c->nvalues < sizeof c->values / sizeof *c->values) c->values[c->nvalues++] = value;
}

static void choose_values(const Attempt *a, Choice *c) {
    uint32_t deep = 1;
    *c = (Choice){.ninputs = 0};
    for (const Queue *q = a->queues; q != NULL; q = q->next)
        if (q->slots > deep) deep = q->slots;
    for (int64_t i = 0; i <= 3; i++)
        add_value(c, i);
    add_value(c, deep + 1);
    add_value(c, 2 * (int64_t)deep + 1);
    if (a->nevents > 0) add_value(c, MOST_SIGNALS + 2);
    for (uint32_t i = 0; i < a->nneeded && c->ninputs < MOST_INPUTS; i++)
        c->inputs[c->ninputs++].term = a->needed[i];
}

static uint32_t values_of(const Choice *c, uint32_t input) {
    return c->inputs[input].term->kind == TERM_ARGUMENT ? c->nvalues : 5;
}

/* Goes on to the next values; false when all were tried. */
static bool next_choice(Choice *c) {
    for (uint32_t i = 0; i < c->ninputs; i++) {
        if (++c->at[i] < values_of(c, i)) return true;
        c->at[i] = 0;
    }
    return false;
}

static void set_inputs(Choice *c) {
    for (uint32_t i = 0; i < c->ninputs; i++) {
        const bool argument = c->inputs[i].term->kind == TERM_ARGUMENT;
        const uint32_t at = c->at[i];
        c->inputs[i].value = argument ? c->values[at] : at < 4 ? at : c->values[c->nvalues - 1];
    }
}

/* Keeps the terms of inputs apart from attempts, which are forgotten. */
static void keep_terms(const LaunchBlock *b, Choice *c) {
    for (uint32_t i = 0; i < c->ninputs; i++) {
        Term *t = ARENA_NEW(b->arena, Term);
        t->kind = c->inputs[i].term->kind;
        t->c = c->inputs[i].term->c;
        c->inputs[i].term = t;
    }
}

static bool has_deadlock(const Attempt *a) {
    for (const Found *f = a->found; f != NULL; f = f->next)
        if (f->kind == FOUND_DEADLOCK) return true;
    return false;
}

static void try_values(const LaunchBlock *b, const Attempt *failed, bool batch, CoreLaunch *out) {
    enum { MOST_STATEMENTS = 60000 };
    Choice c;
    uint32_t tried = 0, statements = 0;
    choose_values(failed, &c);
    keep_terms(b, &c);
    do {
        const ArenaMark mark = arena_mark(b->arena);
        set_inputs(&c);
        const Way way = {.write_out = true,
                         .batch = batch,
                         .only_waits = true,
                         .inputs = c.inputs,
                         .ninputs = c.ninputs};
        Attempt *a = try_way(b, &way);
        if (has_deadlock(a)) launch_report(a, true, out);
        statements += a->written;
        arena_rewind(b->arena, mark);
    } while (next_choice(&c) && ++tried < MOST_CHOICES && statements < MOST_STATEMENTS);
}

/* ---- all attempts ---- */

/* True when nothing is proved, whatever was found. */
static bool is_open(const Attempt *a) {
    return a->why != NULL || a->blocked || a->late_release || attempt_doubt(a) != NULL;
}

static void note_open(const Attempt *a, CoreLaunch *out) {
    const Found *doubt = attempt_doubt(a);
    if (out->why != NULL) return;
    if (a->why != NULL) {
        out->why = a->why;
        out->at = a->at;
    } else if (a->late_release) {
        out->why = "the order of its buffers";
    } else if (a->blocked) {
        out->why = "an iteration that does not end on all cores";
        out->at = a->blocked_in->op;
    } else {
        out->why = "the conditions on which this depends are not known to agree";
        out->at = doubt->of->step->op;
    }
}

static bool has_maybe(const Attempt *a) {
    for (const Found *f = a->found; f != NULL; f = f->next)
        if (f->maybe) return true;
    return false;
}

static bool has_race(const Attempt *a) {
    for (const Found *f = a->found; f != NULL; f = f->next)
        if (f->kind == FOUND_RACE) return true;
    return false;
}

/* Pairs loops, or else writes them out. Pairing takes all later iterations of an outer loop for
 * one, so a race that it finds may need a core to be further ahead than slots allow: loops that
 * are written out may prove that there is none. */
static Attempt *try_both(const LaunchBlock *b, Way way) {
    Attempt *a = try_way(b, &way);
    const bool open = is_open(a);
    if (!open && !has_race(a)) return a;
    way.write_out = true;
    Attempt *again = try_way(b, &way);
    if (!open) return is_open(again) || again->found != NULL ? a : again;
    return !is_open(again) || again->why == NULL ? again : a;
}

/* Tries to prove it, with free slots one by one or in groups. */
static bool prove_way(const LaunchBlock *b, bool batch, CoreLaunch *out, bool only_surely) {
    const ArenaMark mark = arena_mark(b->arena);
    const Attempt *a = try_both(b, (Way){.batch = batch});
    const bool open = is_open(a), known = !only_surely || !(open || has_maybe(a));
    if (known) {
        launch_report(a, batch, out);
        out->assumed |= a->assumed;
        out->loads |= a->loads;
    }
    if (known && open) {
        note_open(a, out);
        try_values(b, a, batch, out);
    }
    arena_rewind(b->arena, mark);
    return known;
}

/* True if some pipe returns free slots in groups. */
static bool has_groups(const LaunchBlock *b) {
    for (uint32_t i = 0; b->pipes != NULL && i < b->pipes->nends; i++)
        if (b->ours[i] && b->pipes->ends[i].slot_num > 1) return true;
    return false;
}

/* Tries to prove that all waits end, for slots one by one and in groups alike: with so few slots
 * one by one that a core never waits for less than with groups. This does not hold where an entry
 * is freed while a newer one is open, as the library counts groups by the newest one. Nor does it
 * tell how often an event is signalled before it is awaited, as all slots let a core run further
 * ahead: `alone` says that nothing else was tried. */
static bool prove_waits(const LaunchBlock *b, CoreLaunch *out, bool alone) {
    const ArenaMark mark = arena_mark(b->arena);
    const Attempt *a = try_both(b, (Way){.fewer = true, .whole = alone});
    bool known = !is_open(a) && (!alone || a->nevents == 0);
    for (const Found *f = a->found; f != NULL; f = f->next)
        known &= f->kind == FOUND_CREDIT && f->of->kind != DO_FREE;
    if (known) launch_report(a, false, out);
    if (known) out->loads |= a->loads;
    arena_rewind(b->arena, mark);
    return known;
}

/* Tells whether all waits end if a wait of a pipe stops its core; `at`: where not. */
static bool ends_in_order(const LaunchBlock *b, bool batch, const Op **at) {
    const ArenaMark mark = arena_mark(b->arena);
    const Attempt *a = try_both(b, (Way){.batch = batch, .whole = true});
    const bool ends = !is_open(a) && !has_deadlock(a);
    *at = a->why != NULL ? a->at : a->blocked ? a->blocked_in->op : NULL;
    for (const Found *f = a->found; f != NULL && *at == NULL; f = f->next)
        if (f->kind == FOUND_DEADLOCK) *at = f->of->step->op;
    arena_rewind(b->arena, mark);
    return ends;
}

/* Where accesses are not compared, the flags that the text lacks let pipes wait for one another. If
 * each statement waits for those before it, all waits have to end, too. */
static bool prove_in_order(const LaunchBlock *b, CoreLaunch *out, bool only_surely) {
    const Op *at;
    if (b->ordered || !b->info->entries_on_chip || out->why != NULL || launch_findings(out) > 0)
        return true;
    if (ends_in_order(b, false, &at) && (!has_groups(b) || ends_in_order(b, true, &at)))
        return true;
    if (only_surely) return false;
    out->why = "the order of pipes that waits depend on";
    out->at = at;
    return true;
}

bool launch_prove(const LaunchBlock *block, CoreLaunch *out, bool only_surely) {
    if (!block->ordered && prove_waits(block, out, true)) return true;
    if (!prove_way(block, false, out, only_surely)) return false;
    const bool groups = has_groups(block) && launch_findings(out) == 0;
    if (groups && block->ordered && prove_waits(block, out, false)) return true;
    if (groups && !prove_way(block, true, out, only_surely)) return false;
    return prove_in_order(block, out, only_surely);
}
