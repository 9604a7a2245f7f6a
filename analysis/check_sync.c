/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the proof for each function, kind of core and profile, and words what it finds. */
#include "analysis/check_sync.h"
#include "analysis/freed.h"
#include "analysis/launch/launch.h"
#include "analysis/missing_free.h"
#include "analysis/redundant.h"
#include "ir/core.h"

/* A finding of some runs. */
typedef struct Found {
    struct Found *next;
    struct Found *same_op; /* another finding of the same later statement */
    Finding what;
    DiagId id;
    ProfileSet profiles;
    unsigned cores; /* 1 << Core of the runs */
} Found;

/* Which flags with a constant number a kind of core sets and waits for. */
typedef struct Flags {
    uint8_t set[PIPES][PIPES], waited[PIPES][PIPES]; /* 1 << event */
} Flags;

typedef struct Checker {
    Context *ctx;
    const SyncOptions *opt;
    CallGraph graph;
    CallNode *node; /* of the function that is proved */
    Found *found, **last;
    PtrMap by_op;      /* const Op *, the later one -> Found * */
    const Op *unknown; /* not understood, in some run */
    const char *why;
    ProfileSet unknown_profiles;
    Flags flags[3];       /* by Core */
    Redundant *redundant; /* NULL: not wanted */
    unsigned assumed;     /* ASSUMED_.. */
    uint32_t alone;       /* how much the proofs of each core report */
    bool tries;           /* only whether launches are proved is wanted */
    SourceIndex lines;    /* made for the first message that names a line */
} Checker;

/* ---- collecting ---- */

static const Op *carrying_loop(const Finding *f) {
    const Step *l = f->later->loop;
    while (l != NULL && l->depth != f->level)
        l = l->loop;
    return l != NULL ? l->op : NULL;
}

/* True when the later access is in another iteration of a loop around both. */
static bool is_carried(const Finding *f) {
    return f->level > 0 && carrying_loop(f) != NULL;
}

static bool same_phases(const Finding *a, const Finding *b) {
    const Step *x = a->earlier, *y = b->earlier;
    return a->later->phase == b->later->phase && (x == NULL || y == NULL || x->phase == y->phase);
}

static bool same_finding(const Found *f, const Finding *what, DiagId id) {
    const Finding *g = &f->what;
    const Op *x = g->earlier != NULL ? g->earlier->op : NULL;
    const Op *y = what->earlier != NULL ? what->earlier->op : NULL;
    return f->id == id && g->later->op == what->later->op && x == y && g->event == what->event &&
           is_carried(g) == is_carried(what) && same_phases(g, what);
}

static void collect(Checker *c, const Finding *what, DiagId id, Profile p, Core core) {
    void **at = ptrmap_at(&c->by_op, what->later->op);
    Found *f = *at;
    while (f != NULL && !same_finding(f, what, id))
        f = f->same_op;
    if (f == NULL) {
        f = ARENA_NEW(&c->ctx->arena, Found);
        f->what = *what;
        f->id = id;
        f->same_op = *at;
        *at = f;
        *c->last = f;
        c->last = &f->next;
    }
    f->profiles |= PROFILE_BIT(p);
    f->cores |= 1u << core;
}

static DiagId id_of(const Finding *f) {
    static const DiagId ids[] = {
        [FINDING_RACE] = DIAG_SYNC_RACE,       [FINDING_DEADLOCK] = DIAG_SYNC_DEADLOCK,
        [FINDING_REUSE] = DIAG_SYNC_REUSE,     [FINDING_LEAK] = DIAG_SYNC_LEAK,
        [FINDING_EARLY] = DIAG_SYNC_EARLY,     [FINDING_SIGNAL] = DIAG_SYNC_SIGNAL,
        [FINDING_TAKEN] = DIAG_BUFFER_RELEASE, [FINDING_KEPT] = DIAG_BUFFER_RELEASE};
    return f->maybe ? DIAG_SYNC_MAYBE : ids[f->kind];
}

static void note_unknown(Checker *c, const Op *op, const char *why, Profile p) {
    if (c->unknown == NULL) {
        c->unknown = op;
        c->why = why;
    }
    c->unknown_profiles |= PROFILE_BIT(p);
}

static bool has_pair(const Proof *proof, const Finding *f) {
    for (const Finding *g = proof->first; g != NULL; g = g->next)
        if (g->kind == f->kind && g->later->op == f->later->op && f->earlier != NULL &&
            g->earlier != NULL && g->earlier->op == f->earlier->op)
            return true;
    return false;
}

/* Collects the races under the documented order that are none under that of practice. */
static void prove_documented(Checker *c, Steps *steps, const Proof *practice, Profile p,
                             Core core) {
    Proof proof;
    prove_steps(&c->ctx->arena, steps->first, &steps->places, pipe_order_documented(p), false, NULL,
                &proof);
    if (proof.gave_up != NULL) note_unknown(c, NULL, proof.gave_up, p);
    for (const Finding *f = proof.first; f != NULL; f = f->next)
        if (f->kind == FINDING_RACE && !has_pair(practice, f))
            collect(c, f, f->maybe ? DIAG_SYNC_MAYBE : DIAG_SYNC_WEAK, p, core);
}

static void note_flags(Flags *flags, const Step *first) {
    for (const Step *s = first; s != NULL; s = s->next) {
        if (s->kind == STEP_SET && s->id.loop == NULL && !s->hidden)
            flags->set[s->pipe][s->to] |= (uint8_t)(1u << s->id.offset);
        if (s->kind == STEP_WAIT && s->id.loop == NULL && !s->hidden)
            flags->waited[s->pipe][s->to] |= (uint8_t)(1u << s->id.offset);
        note_flags(flags, s->body);
        note_flags(flags, s->other);
    }
}

/* True for a flag that is set again in a loop in which a wait before may never end: the path on
 * which it is set again may be one that stops there. */
static bool is_after_stop(const Proof *proof, const Finding *f) {
    if (f->kind != FINDING_REUSE || !f->on_some_path) return false;
    for (const Finding *g = proof->first; g != NULL; g = g->next) {
        if (g->kind != FINDING_DEADLOCK || !g->on_some_path) continue;
        for (const Step *l = f->later->loop; l != NULL; l = l->loop)
            if (g->later->loop == l) return true;
    }
    return false;
}

static void prove(Checker *c, Profile p, Core core) {
    Proof proof;
    Steps *steps = steps_known(&c->graph, c->node, p, core);
    if (steps->unplaced != NULL || steps->unknown != NULL) {
        const bool tile = steps->unplaced != NULL;
        note_unknown(c, tile ? steps->unplaced : steps->unknown, tile ? unplaced_tile : steps->why,
                     p);
        return;
    }
    note_flags(&c->flags[core], steps->first);
    PipeOrder order = pipe_order_practice(p);
    order.early = c->opt->strict;
    prove_steps(&c->ctx->arena, steps->first, &steps->places, order, true, NULL, &proof);
    c->assumed |= steps->assumed | proof.assumed;
    if (proof.gave_up != NULL) note_unknown(c, NULL, proof.gave_up, p);
    for (const Finding *f = proof.first; f != NULL; f = f->next)
        if (!is_after_stop(&proof, f)) collect(c, f, id_of(f), p, core);
    if (c->opt->strict) prove_documented(c, steps, &proof, p, core);
    if (c->redundant != NULL && c->found == NULL && c->why == NULL)
        redundant_find(c->redundant, c->ctx, steps, p);
}

/* ---- messages ---- */

static const char *verb(const Use *u) {
    return u->write ? "writes" : "reads";
}

/* Writes the bytes of a use. */
static const char *bytes_of(Checker *c, const Use *u) {
    const Place *p = u->places[0];
    Arena *a = &c->ctx->arena;
    if (place_is_memory(p)) {
        const Value *root = p->base == BASE_PARAMETER || p->base == BASE_BOUND ? p->of : NULL;
        if (root == NULL || root->name == 0) return "global memory";
        return arena_printf(a, "global memory of %%%.*s", (int)atom_len(&c->ctx->names, root->name),
                            atom_text(&c->ctx->names, root->name));
    }
    const char *space = p->space < SPACE_COUNT ? space_names[p->space] : "memory";
    if (!place_is_fixed(p) || p->end == INT64_MAX) return arena_printf(a, "%s", space);
    return arena_printf(a, "%s %lld..%lld", space, (long long)p->low, (long long)p->end - 1);
}

static uint32_t line_of(Checker *c, const Op *op) {
    if (c->lines.src == NULL) c->lines = source_index(&c->ctx->arena, c->ctx->source);
    return source_find(&c->lines, op->span.off).line;
}

static void note_remedy(Checker *c, Diag *d, const Finding *f) {
    const Step *i = f->earlier, *j = f->later;
    DiagList *list = &c->ctx->diags;
    if (i->pipe == j->pipe)
        diag_note(list, d, "a pto.barrier <%s> between them would order them", pipe_names[i->pipe]);
    else
        diag_note(list, d,
                  "pto.set_flag[<%s>, <%s>, ..] after line %u and its pto.wait_flag before line %u "
                  "would order them",
                  pipe_names[i->pipe], pipe_names[j->pipe], line_of(c, i->op), line_of(c, j->op));
}

static Diag *report_race(Checker *c, const Found *found) {
    const Finding *f = &found->what;
    const Step *i = f->earlier, *j = f->later;
    const Op *loop = f->level > 0 ? carrying_loop(f) : NULL;
    DiagList *list = &c->ctx->diags;
    const char *but = found->id == DIAG_SYNC_MAYBE  ? ", if they share bytes"
                      : found->id == DIAG_SYNC_WEAK ? ": only shipped kernels rely on their order"
                                                    : "";
    Diag *d = diag_add(list, found->id, j->op->name_span,
                       "%s %s %s on %s while %s%s may still %s it on %s%s", j->op->inst->name,
                       verb(f->later_use), bytes_of(c, f->later_use), pipe_names[j->pipe],
                       i->op->inst->name, loop != NULL ? " of an earlier iteration" : "",
                       f->earlier_use->write ? "write" : "read", pipe_names[i->pipe], but);
    diag_note_at(list, d, i->op->name_span, "%s %s %s", i->op->inst->name, verb(f->earlier_use),
                 bytes_of(c, f->earlier_use));
    if (loop != NULL)
        diag_note_at(list, d, loop->name_span, "nothing orders an iteration after the one before");
    note_remedy(c, d, f);
    return d;
}

static Diag *report_flag(Checker *c, const Found *found) {
    static const char *const texts[] = {[FINDING_REUSE] = "is set again before it is waited for",
                                        [FINDING_LEAK] = "is still set at the end of the kernel",
                                        [FINDING_EARLY] =
                                            "may be set again before the earlier wait has run"};
    const Finding *f = &found->what;
    const char *some = f->on_some_path ? " on some path" : "";
    const char *name = arena_printf(&c->ctx->arena, "EVENT_ID%u from %s to %s", f->event,
                                    pipe_names[f->from], pipe_names[f->to]);
    const char *text;
    if (found->id == DIAG_SYNC_SECTION)
        text = "is set in one kind of section and waited for in the other, which is another core";
    else if (f->kind == FINDING_DEADLOCK)
        text = arena_printf(&c->ctx->arena, "waits for ever%s: no set is left to wait for", some);
    else if (f->later->hidden)
        text = arena_printf(&c->ctx->arena, "%s still set%s where %s uses it inside",
                            f->kind == FINDING_EARLY ? "may be" : "is", some,
                            f->later->op->inst->name);
    else
        text = arena_printf(&c->ctx->arena, "%s%s", texts[f->kind], some);
    if (f->kind == FINDING_DEADLOCK && found->id != DIAG_SYNC_SECTION)
        return diag_add(&c->ctx->diags, found->id, f->later->op->name_span, "%s for %s %s",
                        f->later->op->inst->name, name, text);
    return diag_add(&c->ctx->diags, found->id, f->later->op->name_span, "%s %s", name, text);
}

static Diag *report_signal(Checker *c, const Found *found) {
    const Step *i = found->what.earlier, *j = found->what.later;
    DiagList *list = &c->ctx->diags;
    Diag *d = diag_add(list, found->id, j->op->name_span,
                       "%s may overtake what %s writes to global memory on %s", j->op->inst->name,
                       i->op->inst->name, pipe_names[i->pipe]);
    diag_note_at(list, d, i->op->name_span, "%s writes here", i->op->inst->name);
    diag_note(list, d, "pto.fence.barrier_all <gm> before line %u lets the signal wait for it",
              line_of(c, j->op));
    return d;
}

static Diag *report_buffer(Checker *c, const Found *found) {
    const Finding *f = &found->what;
    return diag_add(&c->ctx->diags, found->id, f->later->op->name_span, "buffer %u is %s by %s%s%s",
                    f->event, f->kind == FINDING_TAKEN ? "taken again" : "taken",
                    pipe_names[f->from],
                    f->kind == FINDING_TAKEN ? " before it is released" : " and never released",
                    f->on_some_path ? " on some path" : "");
}

static Diag *report_found(Checker *c, const Found *found) {
    switch ((FindingKind)found->what.kind) {
    case FINDING_RACE:
        return report_race(c, found);
    case FINDING_SIGNAL:
        return report_signal(c, found);
    case FINDING_TAKEN:
    case FINDING_KEPT:
        return report_buffer(c, found);
    default:
        return report_flag(c, found);
    }
}

static bool is_in(uint8_t flags[PIPES][PIPES], const Finding *f) {
    return (flags[f->from][f->to] >> f->event & 1) != 0;
}

/* Finds flags that one kind of core sets and only the other waits for. */
static void find_sections(Checker *c) {
    for (Found *f = c->found; f != NULL; f = f->next) {
        Flags *own = &c->flags[f->cores == 1u << CORE_CUBE ? CORE_CUBE : CORE_VECTOR];
        Flags *other = &c->flags[f->cores == 1u << CORE_CUBE ? CORE_VECTOR : CORE_CUBE];
        bool waits = f->what.kind == FINDING_DEADLOCK && !is_in(own->set, &f->what) &&
                     is_in(other->set, &f->what);
        bool sets = f->what.kind == FINDING_LEAK && !is_in(own->waited, &f->what) &&
                    is_in(other->waited, &f->what);
        if ((waits || sets) && f->cores != 1u << CORE_ANY) f->id = DIAG_SYNC_SECTION;
    }
}

/* Says for which of several profiles it holds. */
static void set_profiles(Checker *c, Diag *d, ProfileSet profiles) {
    StrBuf text;
    d->profiles = profiles == c->opt->profiles ? 0 : profiles;
    if ((c->opt->profiles & (c->opt->profiles - 1)) == 0) return;
    sb_init(&text, &c->ctx->arena);
    sb_printf(&text, "%s (", d->message);
    put_profiles(&text, profiles);
    sb_putc(&text, ')');
    d->message = sb_text(&text);
}

static void report_unknown(Checker *c, const Op *func) {
    DiagList *list = &c->ctx->diags;
    Span at = c->unknown != NULL ? c->unknown->name_span : func_data(func)->name_span;
    Diag *d = diag_add(list, DIAG_SYNC_MAYBE, at, "the order of the pipes is not proved: %s%s",
                       c->why, c->unknown != NULL ? " is not understood" : "");
    set_profiles(c, d, c->unknown_profiles);
}

static void report_needless(Checker *c, const Needless *x) {
    const Step *s = x->steps[0];
    DiagList *list = &c->ctx->diags;
    Diag *d;
    if (s->kind != STEP_SET && s->kind != STEP_WAIT)
        d = diag_add(list, DIAG_SYNC_REDUNDANT, s->op->name_span,
                     "%s orders nothing that is not ordered without it", s->op->inst->name);
    else if (s->id.loop != NULL)
        d = diag_add(list, DIAG_SYNC_REDUNDANT, s->op->name_span,
                     "the flags from %s to %s order nothing that is not ordered without them",
                     pipe_names[s->pipe], pipe_names[s->to]);
    else
        d = diag_add(list, DIAG_SYNC_REDUNDANT, s->op->name_span,
                     "EVENT_ID%lld from %s to %s orders nothing that is not ordered without it",
                     (long long)s->id.offset, pipe_names[s->pipe], pipe_names[s->to]);
    for (uint32_t i = 1; i < x->n; i++)
        diag_note_at(list, d, x->steps[i]->op->name_span, "together with this %s",
                     x->steps[i]->op->inst->name);
}

static void report_redundant(Checker *c) {
    PtrMap said = {.arena = &c->ctx->arena};
    for (const Needless *x = c->redundant->first; x != NULL; x = x->next) {
        void **known = ptrmap_at(&said, x->steps[0]->op);
        if (*known == NULL && is_redundant(c->redundant, x)) report_needless(c, x);
        *known = c->redundant;
    }
}

/* ---- functions that order nothing ---- */

static bool orders_nothing(Op *op, void *arg) {
    (void)arg;
    return (op->inst->flags & IF_SYNC) == 0 || op->inst->sync == SYNC_CORES;
}

/* Says how many races a function has whose text orders nothing: a list would name nearly all of
 * its statements. Takes them off the list, with what may be one; a single race stays. */
static void report_unordered(Checker *c, const CallNode *n) {
    const FuncData *f = func_data(n->func);
    Found **at = &c->found, *first = NULL;
    unsigned races = 0;
    ProfileSet profiles = 0;
    for (const Found *x = c->found; x != NULL; x = x->next)
        races += x->what.kind == FINDING_RACE && x->id != DIAG_SYNC_MAYBE;
    if (races < 2 || n->flags || !op_walk(n->func, orders_nothing, NULL)) return;
    while (*at != NULL) {
        Found *x = *at;
        if (x->what.kind != FINDING_RACE) {
            at = &x->next;
            continue;
        }
        if (first == NULL || x->id == DIAG_SYNC_RACE) first = x;
        profiles |= x->profiles;
        *at = x->next;
    }
    Diag *d =
        diag_add(&c->ctx->diags, first->id, f->name_span,
                 "the text of @%.*s orders no pipes, and %u pairs of its statements need it: "
                 "ptoasm fmt --insert-sync",
                 (int)atom_len(&c->ctx->names, f->name), atom_text(&c->ctx->names, f->name), races);
    set_profiles(c, d, profiles);
}

static void report(Checker *c, const CallNode *n) {
    const Op *func = n->func;
    if (c->redundant != NULL && c->found == NULL && c->why == NULL) report_redundant(c);
    find_sections(c);
    report_unordered(c, n);
    for (const Found *f = c->found; f != NULL; f = f->next) {
        Diag *d = report_found(c, f);
        set_profiles(c, d, f->profiles);
        if (op_function(f->what.later->op) != func)
            diag_note_at(&c->ctx->diags, d, func_data(func)->name_span,
                         "this function gets there by a call");
    }
    const bool micro = c->unknown != NULL && inst_is_micro(c->unknown->inst);
    if (c->why != NULL && (c->opt->all || !micro)) report_unknown(c, func);
}

/* ---- functions ---- */

static void add_row(Checker *c, const Op *func, SyncState state) {
    SyncRows *rows = c->opt->rows;
    if (rows == NULL) return;
    SyncRow *row = ARENA_NEW(&c->ctx->arena, SyncRow);
    *row = (SyncRow){.func = func, .state = state};
    row->across = callgraph_node(&c->graph, func)->across;
    if (state == SYNC_PROVED) {
        for (const Found *f = c->found; f != NULL; f = f->next)
            row->findings++;
        row->state = c->why != NULL ? SYNC_UNKNOWN : row->findings > 0 ? SYNC_FOUND : SYNC_PROVED;
        row->assumed = c->assumed;
        row->why = c->why;
        row->unknown = c->unknown;
    }
    *rows->last = row;
    rows->last = &row->next;
}

static void prove_on(void *arg, Core core) {
    Checker *c = arg;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((c->opt->profiles & PROFILE_BIT(p)) != 0 && profile_infos[p].chip)
            prove(c, (Profile)p, core);
}

static void check_function(Checker *c, CallNode *n) {
    Op *func = n->func;
    /* What is freed does not depend on flags. */
    if (n->frees) check_freed(c->ctx, func, c->opt->profiles);
    if (!n->root || !(n->flags || c->opt->all)) {
        add_row(c, func, n->root ? SYNC_UNJUDGED : SYNC_WHERE_CALLED);
        return;
    }
    c->node = n;
    c->assumed = 0;
    c->found = NULL;
    c->last = &c->found;
    c->by_op = (PtrMap){.arena = &c->ctx->arena};
    c->unknown = NULL;
    c->why = NULL;
    c->unknown_profiles = 0;
    memset(c->flags, 0, sizeof c->flags);
    Redundant redundant = {.last = &redundant.first, .needed = {.arena = &c->ctx->arena}};
    c->redundant = c->opt->redundant && redundant_applies(func) ? &redundant : NULL;
    callgraph_each_core(n, prove_on, c);
    n->unordered = c->found != NULL || c->why != NULL;
    add_row(c, func, SYNC_PROVED);
    report(c, n);
}

/* ---- between the cores ---- */

static const CoreLaunch *launch_of(const CoreLaunch *first, const Op *func) {
    for (const CoreLaunch *l = first; l != NULL; l = l->next)
        if ((l->cube != NULL && l->cube->func == func) ||
            (l->vector != NULL && l->vector->func == func))
            return l;
    return NULL;
}

/* True when the proof of a core has reported the same. */
static bool is_reported(const Checker *c, const LaunchFinding *f) {
    for (const Diag *d = c->ctx->diags.first; d != NULL; d = d->next)
        if (d->id == f->id && d->span.off >= f->op->span.off &&
            d->span.off < f->op->span.off + f->op->span.len)
            return true;
    return false;
}

/* Silence must not read as a proof. */
static void report_unproved(Checker *c, const CoreLaunch *l) {
    const CallNode *n = l->cube != NULL ? l->cube : l->vector;
    Diag *d = diag_add(&c->ctx->diags, DIAG_SYNC_MAYBE, func_data(n->func)->name_span,
                       "the order between cores is not proved: %s", l->why);
    if (l->at != NULL) diag_note_at(&c->ctx->diags, d, l->at->name_span, "this is meant");
}

/* ---- a free that is missing ---- */

static CoreLaunch *prove_all(Checker *c, Module *m);

/* A program that is tried. */
typedef struct Trial {
    const Checker *c;
    Module *m;
    const CoreLaunch *launch; /* that is not proved without the change */
} Trial;

static bool is_proved(const CoreLaunch *l) {
    return l != NULL && l->why == NULL && launch_findings(l) == 0;
}

/* True if the launch is proved now, and the proofs of each core report no more than before. */
static bool tries_well(void *arg) {
    const Trial *t = arg;
    Context *ctx = t->c->ctx;
    const DiagList before = ctx->diags;
    SyncOptions opt = *t->c->opt;
    opt.rows = NULL;
    opt.redundant = false;
    Checker trial = {.ctx = ctx, .opt = &opt, .tries = true};
    diag_init(&ctx->diags, &ctx->arena, 0);
    const CoreLaunch *all = prove_all(&trial, t->m);
    ctx->diags = before;
    const CallNode *n = t->launch->cube;
    return is_proved(launch_of(all, n->func)) && trial.alone <= t->c->alone;
}

/* Finds where the text lacks a free, for all findings of a launch that come from it. Where entries
 * are freed too early, one more is not what is missing. */
static MissingFree find_missing(Checker *c, Module *m, const CoreLaunch *l) {
    Trial t = {c, m, l};
    const Op *pop = NULL;
    for (const LaunchFinding *f = l->findings; f != NULL; f = f->next) {
        if (f->id == DIAG_SYNC_FREED) return (MissingFree){.text = NULL};
        if (f->kept != NULL && pop == NULL) pop = f->kept;
    }
    if (pop == NULL || l->cube == NULL) return (MissingFree){.text = NULL};
    return missing_free(c->ctx, pop, tries_well, &t);
}

static void report_launch(Checker *c, Module *m, const CoreLaunch *l) {
    const MissingFree missing = find_missing(c, m, l);
    for (const LaunchFinding *f = l->findings; f != NULL; f = f->next) {
        if (is_reported(c, f)) continue;
        Diag *d = f->mild ? diag_add_as(&c->ctx->diags, SEV_WARNING, f->id, f->op->name_span, "%s",
                                        f->text)
                          : diag_add(&c->ctx->diags, f->id, f->op->name_span, "%s", f->text);
        set_profiles(c, d, f->profiles);
        if (f->other != NULL) diag_note_at(&c->ctx->diags, d, f->other->name_span, "%s", f->note);
        if (f->kept != NULL && missing.text != NULL)
            diag_edit(&c->ctx->diags, d, missing.at, "%s", missing.text);
    }
    if (l->why != NULL && launch_findings(l) == 0) report_unproved(c, l);
}

static void report_launches(Checker *c, Module *m, const CoreLaunch *first) {
    for (const CoreLaunch *l = first; l != NULL; l = l->next)
        report_launch(c, m, l);
    for (SyncRow *r = c->opt->rows != NULL ? c->opt->rows->first : NULL; r != NULL; r = r->next)
        r->launch = launch_of(first, r->func);
}

/* ---- between the blocks ---- */

/* Returns the function that runs in the same blocks on the other kind of core. */
static const CallNode *runs_with(const SyncRow *r, const CallNode *n) {
    if (r->launch == NULL || r->launch->cube == r->launch->vector) return NULL;
    return r->launch->cube == n ? r->launch->vector : r->launch->cube;
}

static void judge_blocks(Checker *c, SyncRow *r) {
    const CallNode *n = callgraph_node(&c->graph, r->func);
    for (int p = 0; p < PROFILE_COUNT && n->root; p++) {
        const bool bad = r->blocks.state == BLOCKS_SHARED || r->blocks.state == BLOCKS_UNKNOWN;
        if ((c->opt->profiles & PROFILE_BIT(p)) == 0 || !profile_infos[p].chip || bad) continue;
        const ArenaMark mark = arena_mark(&c->ctx->step);
        r->blocks = blocks_judge(&c->ctx->step, &c->graph, n, runs_with(r, n), (Profile)p);
        arena_rewind(&c->ctx->step, mark);
    }
}

/* Proves each core, and what the cores of each launch do to each other, which is reported later. */
static CoreLaunch *prove_all(Checker *c, Module *m) {
    const SyncOptions *opt = c->opt;
    const LaunchOrder how = opt->waits ? LAUNCH_WAITS : opt->all ? LAUNCH_ALL : LAUNCH_FLAGS;
    const uint32_t before = c->ctx->diags.errors + c->ctx->diags.warnings;
    callgraph_init(&c->graph, &c->ctx->arena, c->ctx, m->root);
    for (CallNode *n = c->graph.first; n != NULL && !opt->waits; n = n->next)
        check_function(c, n);
    c->alone = c->ctx->diags.errors + c->ctx->diags.warnings - before;
    return opt->between ? launches_prove(m, &c->graph, opt->profiles, how, c->tries) : NULL;
}

bool check_sync(Module *m, const SyncOptions *opt) {
    Checker c = {.ctx = m->ctx, .opt = opt};
    uint32_t before = m->ctx->diags.errors;
    if (m->root == NULL || op_regions(m->root)[0].first == NULL) return true;
    report_launches(&c, m, prove_all(&c, m));
    for (SyncRow *r = opt->rows != NULL ? opt->rows->first : NULL; r != NULL; r = r->next)
        judge_blocks(&c, r);
    diag_sort(&m->ctx->diags);
    return m->ctx->diags.errors == before;
}
