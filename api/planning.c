/* SPDX-License-Identifier: Apache-2.0 */
/* Plans a program for several profiles, and proves the order of pipes. What changes the module
 * works on a copy, in an arena of its own. */
#include "analysis/check_sync.h"
#include "api/job.h"
#include "ir/clone.h"

/* ---- copies ---- */

/* What is put aside of a context while a copy is judged: the arena in ptoasm_result.aside, and
 * this. */
typedef struct Aside {
    DiagList diags;
    HeldValue *held;
} Aside;

/* Returns a copy of the module in an empty arena, with an empty list of diagnostics. */
static Module *copy_begin(Job *job, const Module *m, Aside *aside) {
    Context *ctx = job->res->ctx;
    *aside = (Aside){ctx->diags, ctx->held};
    arena_init(&job->res->aside, ctx->arena.oom);
    arenas_exchange(job->res);
    diag_init(&ctx->diags, &ctx->arena, job->opt.max_errors);
    return module_clone(m);
}

/* Puts back what was put aside; the copy lives until copy_end(). Returns its diagnostics. */
static DiagList copy_leave(Job *job, const Aside *aside) {
    Context *ctx = job->res->ctx;
    const DiagList found = ctx->diags;
    ctx->diags = aside->diags;
    ctx->held = aside->held;
    arenas_exchange(job->res);
    return found;
}

static void copy_end(Job *job) {
    arena_free(&job->res->aside);
}

/* Finds the same diagnostic for another profile, to merge both. */
static Diag *find_same(Diag *list, const Diag *d) {
    for (; list != NULL; list = list->next)
        if (list->id == d->id && list->span.off == d->span.off && list->span.len == d->span.len &&
            strcmp(list->message, d->message) == 0)
            return list;
    return NULL;
}

static void take_diagnostics(DiagList *to, Diag **since, const DiagList *from, Profile profile) {
    for (const Diag *d = from->first; d != NULL; d = d->next) {
        Diag *same = find_same(*since, d);
        if (same != NULL) {
            same->profiles |= PROFILE_BIT(profile);
            continue;
        }
        Diag *copy = diag_add_as(to, d->severity, d->id, d->span, "%s", d->message);
        copy->profiles = PROFILE_BIT(profile);
        for (const DiagNote *n = d->notes; n != NULL; n = n->next) {
            if (n->has_span)
                diag_note_at(to, copy, n->span, "%s", n->message);
            else
                diag_note(to, copy, "%s", n->message);
        }
        for (const DiagEdit *e = d->edits; e != NULL; e = e->next)
            diag_edit(to, copy, e->span, "%s", e->text);
    }
}

/* ---- planning ---- */

/* With `plan` == NULL, only checks that all tiles fit. */
static bool convert_and_plan(const Job *job, Module *m, bool convert, Profile profile, Plan *plan) {
    return (!convert || passes_to_dps(m, profile)) &&
           passes_plan(m, &(PlanOptions){.profile = profile, .scratch_last = job->opt.compat},
                       plan);
}

static bool is_legal(const Job *job, Module *m, Profile profile) {
    return verify_module(m, &(VerifyOptions){.profiles = PROFILE_BIT(profile),
                                             .level = job->opt.level,
                                             .compat = options_vendor(&job->opt)});
}

/* A program to plan for several profiles. */
typedef struct Planning {
    Job *job;
    const Module *module; /* as it was read */
    bool converts;        /* it has values that become buffers, so copies are planned */
    Profile first;        /* whose rules it satisfies */
} Planning;

/* Plans for a profile; adds its diagnostics to the list after `since`, unless that is NULL. Those
 * of the verifier were reported before, are the reason why the profile refuses the program, or were
 * hidden by those for another profile. */
static bool plan_for(const Planning *p, Profile profile, Diag **since) {
    Job *job = p->job;
    DiagList *list = &job->res->ctx->diags;
    Aside aside;
    Module *m = p->converts ? copy_begin(job, p->module, &aside) : job->res->module;
    if (!p->converts) {
        aside.diags = *list;
        diag_init(list, list->arena, job->opt.max_errors);
    }
    const bool legal = profile == p->first || is_legal(job, m, profile);
    if (legal) diag_init(list, list->arena, job->opt.max_errors);
    const bool good = legal && convert_and_plan(job, m, p->converts, profile, NULL);
    DiagList found = *list;
    if (p->converts)
        found = copy_leave(job, &aside);
    else
        *list = aside.diags;
    if (since != NULL) take_diagnostics(list, since, &found, profile);
    if (p->converts) copy_end(job);
    return good;
}

/* Adds the profiles to diagnostics of the planner, and the note that names the profiles which
 * accept the program. */
static void name_profiles(Job *job, Diag *since, ProfileSet good) {
    DiagList *list = &job->res->ctx->diags;
    bool several = (job->profiles & (job->profiles - 1)) != 0;
    for (Diag *d = since; d != NULL; d = d->next) {
        if (d->severity != SEV_ERROR || d->id == DIAG_TOO_MANY_ERRORS) continue;
        StrBuf text;
        sb_init(&text, list->arena);
        if (several) {
            sb_printf(&text, "%s (", d->message);
            put_profiles(&text, d->profiles);
            sb_putc(&text, ')');
            d->message = sb_text(&text);
        }
        if (good != 0) {
            sb_init(&text, list->arena);
            put_profiles(&text, good);
            diag_note(list, d, "accepted by the profile%s %s", (good & (good - 1)) != 0 ? "s" : "",
                      sb_text(&text));
        }
    }
}

/* Plans the module itself, which is the program of this call. */
static bool plan_itself(const Planning *p, Profile profile, Plan *plan, Diag *const *since) {
    const bool good = convert_and_plan(p->job, p->job->res->module, true, profile, plan);
    for (Diag *d = *since; d != NULL; d = d->next)
        d->profiles = PROFILE_BIT(profile);
    return good;
}

bool plan_all(Job *job, ProfileSet able, Plan *plan) {
    ptoasm_result *res = job->res;
    Diag **since = res->ctx->diags.last;
    const bool converts = passes_has_ssa_tiles(res->module);
    const Profile first = lowest_profile(able);
    const Planning p = {job, converts && plan != NULL ? module_clone(res->module) : res->module,
                        converts, first};
    ProfileSet good = 0;
    if (plan != NULL ? plan_itself(&p, first, plan, since) : plan_for(&p, first, since))
        good |= PROFILE_BIT(first);
    /* Conversion and other profiles need the whole program. */
    res->ctx->forgotten.missed |= converts || plan != NULL || good == 0;
    for (int q = (int)first + 1; q < PROFILE_COUNT; q++)
        if ((able & PROFILE_BIT(q)) != 0 && plan_for(&p, (Profile)q, since)) good |= PROFILE_BIT(q);
    for (int q = 0; q < PROFILE_COUNT && (able & ~good) != 0; q++)
        if ((job->profiles & PROFILE_BIT(q)) == 0 && plan_for(&p, (Profile)q, NULL))
            good |= PROFILE_BIT(q);
    if (job->verdicts != NULL) {
        job->verdicts->planned = able;
        verdicts_take_memory(job->verdicts, *since);
    }
    name_profiles(job, *since, good);
    return (job->profiles & ~good) == 0;
}

/* ---- the order of pipes ---- */

static bool is_reported(const Job *job) {
    return (job->opt.sync & PTOASM_SYNC_REPORT) != 0 && (job->profiles & profile_chips()) != 0;
}

/* `rows` gets what is to be reported about each function. */
static Outcome prove(const Job *job, Module *m, ProfileSet profiles, SyncRows *rows) {
    *rows = (SyncRows){.last = &rows->first};
    const SyncOptions sync = {profiles,
                              (job->opt.sync & PTOASM_SYNC_ALL) != 0,
                              (job->opt.sync & PTOASM_SYNC_STRICT) != 0,
                              job->opt.lint,
                              true,
                              false,
                              is_reported(job) ? rows : NULL};
    return check_sync(m, &sync) ? FINE : UNPROVED;
}

Outcome prove_module(Job *job) {
    SyncRows rows;
    Module *m = job->res->module;
    const Outcome out = prove(job, m, job->profiles, &rows);
    if (is_reported(job))
        sync_collect(job->res, m, &rows, (job->profiles & profile_chips()), false);
    return out;
}

Outcome judge_waits(Job *job) {
    const SyncOptions sync = {.profiles = job->profiles, .between = true, .waits = true};
    return check_sync(job->res->module, &sync) ? FINE : UNPROVED;
}

static Outcome prove_planned(Job *job, Profile profile, Diag **since) {
    Context *ctx = job->res->ctx;
    Plan plan = {.map = NULL};
    SyncRows rows;
    Outcome out = FINE;
    Aside aside;
    Module *m = copy_begin(job, job->res->module, &aside);
    const bool planned =
        passes_to_dps(m, profile) && passes_plan(m, &(PlanOptions){.profile = profile}, &plan);
    if (planned) {
        passes_write_plan(m, &plan);
        diag_init(&ctx->diags, &ctx->arena, job->opt.max_errors);
        out = prove(job, m, PROFILE_BIT(profile), &rows);
    }
    const DiagList found = copy_leave(job, &aside);
    if (planned) {
        if (is_reported(job)) sync_collect(job->res, m, &rows, PROFILE_BIT(profile), true);
        take_diagnostics(&ctx->diags, since, &found, profile);
    }
    copy_end(job);
    return out;
}

Outcome prove_all_planned(Job *job) {
    DiagList *diags = &job->res->ctx->diags;
    Diag **since = diags->last;
    const ProfileSet chips = (job->profiles & profile_chips());
    Outcome out = FINE;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((chips & PROFILE_BIT(p)) != 0 && prove_planned(job, (Profile)p, since) != FINE)
            out = UNPROVED;
    name_profiles(job, *since, 0);
    diag_sort(diags);
    return out;
}
