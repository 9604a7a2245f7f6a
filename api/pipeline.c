/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the interface: read, verify, convert and plan, print or emit. */
#include "analysis/check_sync.h"
#include "api/internal.h"
#include "backends/cpp/emit.h"
#include "lexer/locations.h"

#include "ir/target.h"
#include "passes/show.h"
#include "verifier/lints/lints.h"
#include "verifier/verify.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    PARTS_LEAST = 1 << 20
}; /* size in bytes from which a text is checked function by function */

/* One call. */
typedef struct Job {
    ptoasm_result *res;
    ptoasm_options opt;
    ptoasm_emit_options emit;
    enum ptoasm_form form;
    ProfileSet profiles; /* of opt; 0 = the module's */
    bool no_code;        /* emission failed although the program is legal */
    bool unchanged;      /* planning does not change the module */
    Verdicts *verdicts;  /* NULL: not wanted */
    Parts *parts;        /* NULL: the program is checked as a whole */
    bool again;          /* the parts were not enough: check the program as a whole */
    bool constants;      /* also judge by what constants decide */
    bool unordered;      /* the proof found errors, which comments may allow */
} Job;

/* The bits of the interface are those of a ProfileSet. */
#define PROFILE(id, ...)                                                                           \
    static_assert((int)PTOASM_PROFILE_##id == (int)PROFILE_BIT(PROFILE_##id),                      \
                  "enum ptoasm_profile");
#include "ir/profiles.def"
#undef PROFILE
static_assert((int)PTOASM_PROFILE_ALL == (int)PROFILES_ALL, "enum ptoasm_profile");

static Profile lowest_profile(ProfileSet set) {
    return (Profile)__builtin_ctz(set);
}

/* ---- verdicts ---- */

/* Also verifies what could be read of a text with errors, so that one run reports everything. */
static bool read_and_verify(Job *job) {
    ptoasm_result *res = job->res;
    if (job->profiles == 0) job->profiles = PROFILE_BIT(module_profile(res->module));
    const VerifyOptions opt = {.profiles = job->profiles,
                               .level = job->opt.level,
                               .compat = options_vendor(&job->opt),
                               .constants = job->constants,
                               .verdicts = job->verdicts != NULL ? &job->verdicts->rules : NULL};
    res->profiles = job->profiles;
    check_allow_comments(res->ctx);
    return verify_module(res->module, &opt) && res->module->bound_ok;
}

static bool types_known(Op *op, void *arg) {
    (void)arg;
    for (unsigned i = 0; i < op->nresults; i++)
        if (type_is_template(op->results[i].type) && tile_value_type(&op->results[i]) == NULL)
            return false;
    return true;
}

/* With `plan` == NULL, only checks that all tiles fit. */
static bool convert_and_plan(const Job *job, Module *m, Profile profile, Plan *plan) {
    return (job->unchanged || passes_to_dps(m, profile)) &&
           passes_plan(m, &(PlanOptions){.profile = profile, .scratch_last = job->opt.compat},
                       plan);
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
    }
}

/* Verifies and plans for one more profile. Keeps only diagnostics of the planner; those of the
 * verifier were reported before, or are the reason why the profile refuses the program. */
static bool judge_for(Job *job, Module *m, Profile profile) {
    const VerifyOptions opt = {.profiles = PROFILE_BIT(profile),
                               .level = job->opt.level,
                               .compat = options_vendor(&job->opt)};
    DiagList *diags = &m->ctx->diags;
    if (!verify_module(m, &opt)) return false;
    diag_init(diags, &m->ctx->arena, job->opt.max_errors);
    return convert_and_plan(job, m, profile, NULL);
}

/* Plans with the same module, which planning does not change. */
static bool plan_again(Job *job, Profile profile, Diag **since) {
    DiagList *list = &job->res->ctx->diags;
    const DiagList before = *list;
    diag_init(list, before.arena, job->opt.max_errors);
    bool good = judge_for(job, job->res->module, profile);
    const DiagList found = *list;
    *list = before;
    if (since != NULL) take_diagnostics(list, since, &found, profile);
    return good;
}

/* Reads the source once more and plans. Running out of memory ends the call. */
static bool plan_copy(Job *job, Profile profile, Diag **since) {
    ptoasm_result *res = job->res;
    Context *ctx = calloc(1, sizeof *ctx);
    if (ctx == NULL) longjmp(res->ctx->oom, 1);
    res->other = ctx; /* freed with the result when memory runs out */
    if (setjmp(ctx->oom) != 0) longjmp(res->ctx->oom, 1);
    context_init(ctx, res->ctx->source, job->opt.max_errors);
    Module *m = parse_module(ctx);
    bool good = m->bound_ok && judge_for(job, m, profile);
    if (since != NULL) take_diagnostics(&res->ctx->diags, since, &ctx->diags, profile);
    context_free(ctx);
    free(ctx);
    res->other = NULL;
    return good;
}

/* Plans for another profile; adds its diagnostics to the list after `since`, unless that is NULL.
 */
static bool plan_other(Job *job, Profile profile, Diag **since) {
    return (job->unchanged ? plan_again : plan_copy)(job, profile, since);
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

/* Checks for each profile in `able` (requested, and with all rules satisfied) that the tiles fit.
 * Only if the planner finds an error are other profiles tried, for the note that names the
 * profiles which accept the program. */
static bool plan_all(Job *job, ProfileSet able, Plan *plan) {
    ptoasm_result *res = job->res;
    DiagList *diags = &res->ctx->diags;
    Diag **since = diags->last;
    Profile first = lowest_profile(able);
    ProfileSet good = 0;
    /* Without an emitter and without results that need a buffer, conversion is not needed. */
    job->unchanged = plan == NULL && !passes_has_ssa_tiles(res->module);
    bool copy =
        res->own == NULL && !job->unchanged; /* the module is also used by the caller's program */
    if (copy ? plan_copy(job, first, since) : convert_and_plan(job, res->module, first, plan))
        good |= PROFILE_BIT(first);
    /* Conversion and other profiles need the whole program. */
    res->ctx->forgotten.missed |= !job->unchanged || good == 0;
    for (Diag *d = *since; d != NULL; d = d->next)
        d->profiles = PROFILE_BIT(first);
    for (int p = (int)first + 1; p < PROFILE_COUNT; p++)
        if ((able & PROFILE_BIT(p)) != 0 && plan_other(job, (Profile)p, since))
            good |= PROFILE_BIT(p);
    for (int p = 0; p < PROFILE_COUNT && (able & ~good) != 0; p++)
        if ((job->profiles & PROFILE_BIT(p)) == 0 && plan_other(job, (Profile)p, NULL))
            good |= PROFILE_BIT(p);
    if (job->verdicts != NULL) {
        job->verdicts->planned = able;
        verdicts_take_memory(job->verdicts, *since);
    }
    name_profiles(job, *since, good);
    return (job->profiles & ~good) == 0;
}

/* ---- the calls, under the memory handler ---- */

/* Returns the requested profiles without errors so far. */
static ProfileSet profiles_left(const Job *job) {
    const DiagList *list = &job->res->ctx->diags;
    ProfileSet left = job->profiles;
    if (!job->res->module->bound_ok || list->stopped) return 0;
    for (const Diag *d = list->first; d != NULL; d = d->next)
        if (d->severity == SEV_ERROR)
            left &= (ProfileSet) ~(d->profiles != 0 ? d->profiles : job->profiles);
    return left;
}

/* Proves the order of pipes. True when there is no error. */
static bool prove_module(Job *job, Module *m, ProfileSet profiles, bool planned) {
    SyncRows rows = {.last = &rows.first};
    ProfileSet chips = 0;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if (profile_infos[p].chip) chips |= (ProfileSet)(profiles & PROFILE_BIT(p));
    const bool report = (job->opt.sync & PTOASM_SYNC_REPORT) != 0 && chips != 0;
    const SyncOptions sync = {profiles, (job->opt.sync & PTOASM_SYNC_ALL) != 0,
                              (job->opt.sync & PTOASM_SYNC_STRICT) != 0, job->opt.lint,
                              report ? &rows : NULL};
    const bool good = check_sync(m, &sync);
    if (report) sync_collect(job->res, m, &rows, chips, planned);
    return good;
}

/* Proves a program without addresses as it is with those that are planned for a profile, in a copy.
 */
static void prove_planned(Job *job, Profile profile, Diag **since) {
    ptoasm_result *res = job->res;
    DiagList *diags = &res->ctx->diags;
    Plan plan = {.map = NULL};
    Context *ctx = calloc(1, sizeof *ctx);
    if (ctx == NULL) longjmp(res->ctx->oom, 1);
    res->other = ctx; /* freed with the result when memory runs out */
    if (setjmp(ctx->oom) != 0) longjmp(res->ctx->oom, 1);
    context_init(ctx, res->ctx->source, job->opt.max_errors);
    Module *m = parse_module(ctx);
    const VerifyOptions opt = {.profiles = PROFILE_BIT(profile), .level = job->opt.level};
    if (m->bound_ok && verify_module(m, &opt) && passes_to_dps(m, profile) &&
        passes_plan(m, &(PlanOptions){.profile = profile}, &plan)) {
        passes_write_plan(m, &plan);
        diag_init(&ctx->diags, &ctx->arena, job->opt.max_errors);
        job->unordered |= !prove_module(job, m, PROFILE_BIT(profile), true);
        take_diagnostics(diags, since, &ctx->diags, profile);
    }
    context_free(ctx);
    free(ctx);
    res->other = NULL;
}

static void prove_all_planned(Job *job) {
    DiagList *diags = &job->res->ctx->diags;
    Diag **since = diags->last;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if (profile_infos[p].chip && (job->profiles & PROFILE_BIT(p)) != 0)
            prove_planned(job, (Profile)p, since);
    name_profiles(job, *since, 0);
    diag_sort(diags);
}

/* Tiles of a template type, `!pto.tile<...>`, have no size, so there is nothing to plan. */
static bool check_program(Job *job) {
    job->constants = true;
    bool legal = read_and_verify(job);
    if (job->verdicts != NULL) {
        job->verdicts->profiles = job->profiles;
        verdicts_take_errors(job->res, job->verdicts);
    }
    /* before planning converts the module */
    if (legal && job->opt.lint)
        lint_module(job->res->module);
    else if (legal && !options_vendor(&job->opt))
        lint_unwritten(job->res->module);
    int level = job->opt.level != 0 ? job->opt.level : signs_level(job->res->module->signs);
    if (legal && level == 3 && !job->opt.compat) note_missing_sync(job->res->module, job->profiles);
    if (legal && level == 3 && !job->opt.compat)
        job->unordered = !prove_module(job, job->res->module, job->profiles, false);
    ProfileSet able = legal ? job->profiles : profiles_left(job);
    if (able == 0) return false;
    if (!op_walk(job->res->module->root, types_known, NULL)) return legal;
    if (!plan_all(job, able, NULL) || !legal) return false;
    if (level != 3 && job->opt.sync != 0 && !job->opt.compat) prove_all_planned(job);
    return true;
}

static bool do_check(Job *job) {
    Verdicts verdicts = {.n = 0};
    verdicts.rules.last = &verdicts.rules.first;
    if (job->opt.verdicts) job->verdicts = &verdicts;
    bool fine = check_program(job);
    if (job->verdicts != NULL) {
        drop_allowed(job->res->ctx, job->res->module);
        verdicts_take_sync(job->res, job->verdicts);
        verdicts_collect(job->res, job->verdicts);
    }
    job->verdicts = NULL;
    return fine;
}

/* Writes the planned addresses into the program. */
static bool write_addresses(Job *job) {
    ptoasm_result *res = job->res;
    Plan plan = {.map = NULL};
    if (!plan_all(job, job->profiles, &plan)) return false;
    passes_write_plan(res->module, &plan);
    return true;
}

/* Checks the rewritten program; what it warns of was said before. */
static bool verify_rewritten(Job *job) {
    DiagList *list = &job->res->ctx->diags;
    const DiagList before = *list;
    const VerifyOptions opt = {.profiles = job->profiles,
                               .level = module_level(job->res->module),
                               .compat = options_vendor(&job->opt)};
    diag_init(list, before.arena, job->opt.max_errors);
    if (verify_module(job->res->module, &opt)) {
        *list = before;
        return true;
    }
    for (Diag *d = list->first; d != NULL; d = d->next)
        if (d->severity == SEV_ERROR)
            diag_note(list, d, "with the planned addresses it is a program of level 3");
    return false;
}

static bool softly(const Job *job) {
    return (job->opt.sync & (PTOASM_SYNC_WARN | PTOASM_SYNC_SILENT)) != 0;
}

static void prove_order(Job *job, const SyncOptions *sync, const OrderedFunctions *left) {
    Module *m = job->res->module;
    if (softly(job))
        order_prove_softly(m, sync, left, (job->opt.sync & PTOASM_SYNC_SILENT) != 0);
    else
        check_sync(m, sync);
}

/* Inserts flags and barriers, and proves the result: what is not proved is an error here, unless a
 * comment allows it. */
static void write_sync(Job *job) {
    Module *m = job->res->module;
    DiagList *list = &m->ctx->diags;
    const SyncOptions sync = {.profiles = job->profiles, .all = true};
    if (!profile_infos[lowest_profile(job->profiles)].chip) return;
    const OrderedFunctions left = ordered_functions(m, lowest_profile(job->profiles));
    order_mark_others(m, &left);
    passes_insert_sync(m, lowest_profile(job->profiles));
    const OrderedFunctions none = {.n = 0};
    prove_order(job, &sync, &left);
    order_demand_proof(list, softly(job) ? &left : &none);
    job->unordered = list->errors > 0;
}

/* Proves what the text orders itself, if that was asked for; findings are warnings. */
static void warn_of_order(Job *job) {
    Module *m = job->res->module;
    const SyncOptions sync = {.profiles = job->profiles};
    if ((job->opt.sync & PTOASM_SYNC_WARN) == 0 || module_level(m) != 3 ||
        !profile_infos[lowest_profile(job->profiles)].chip)
        return;
    const OrderedFunctions all = ordered_functions(m, lowest_profile(job->profiles));
    prove_order(job, &sync, &all);
}

static bool rewrite_program(Job *job) {
    if (job->profiles != 0) job->profiles = PROFILE_BIT(lowest_profile(job->profiles));
    const bool inserts = (job->opt.rewrite & PTOASM_REWRITE_SYNC) != 0;
    if (!read_and_verify(job)) return false;
    if (!inserts) warn_of_order(job);
    if (!write_addresses(job)) return false;
    if (inserts) write_sync(job);
    return verify_rewritten(job);
}

static bool do_format(Job *job) {
    static const PrintForm forms[] = {[PTOASM_FORM_KEEP] = PRINT_KEEP,
                                      [PTOASM_FORM_DPS] = PRINT_DPS,
                                      [PTOASM_FORM_SSA] = PRINT_SSA,
                                      [PTOASM_FORM_AS] = PRINT_AS,
                                      [PTOASM_FORM_GENERIC] = PRINT_GENERIC};
    ptoasm_result *res = job->res;
    const bool keeps =
        (job->form == PTOASM_FORM_KEEP && job->opt.rewrite == 0) || job->form == PTOASM_FORM_AS;
    if (!keeps && res->module->bound_ok && !passes_have_no_as_windows(res->module)) return false;
    if (job->opt.rewrite != 0) {
        if (!rewrite_program(job)) return false;
    } else if (job->form == PTOASM_FORM_DPS) {
        /* conversion needs a legal program */
        if (!read_and_verify(job) || !passes_to_dps(res->module, lowest_profile(job->profiles)))
            return false;
    } else if (job->form == PTOASM_FORM_SSA) {
        if (!read_and_verify(job)) return false;
        passes_to_ssa(res->module, lowest_profile(job->profiles));
    } else if (!res->module->bound_ok) {
        return false;
    }
    module_print(&res->text, res->module, forms[job->form]);
    return res->has_text = true;
}

/* Inserts the statements that print values and hand out tiles. */
static bool add_prints(Job *job) {
    const size_t n = job->emit.prints != NULL ? job->emit.nprints : 0;
    const size_t m = job->emit.dumps != NULL ? job->emit.ndumps : 0;
    ShowWish *wishes = ARENA_ARRAY(&job->res->ctx->arena, ShowWish, n + m + 1);
    for (size_t i = 0; i < n; i++)
        wishes[i] = (ShowWish){.name = job->emit.prints[i].name,
                               .line = job->emit.prints[i].line,
                               .option = "--print"};
    for (size_t i = 0; i < m; i++) {
        const ptoasm_dump *d = &job->emit.dumps[i];
        wishes[n + i] = (ShowWish){.name = d->name,
                                   .line = d->line,
                                   .dump = true,
                                   .request = (int)i,
                                   .option = d->option != NULL ? d->option : "--dump"};
    }
    return passes_show(job->res->module, wishes, n + m);
}

static bool do_emit(Job *job) {
    ptoasm_result *res = job->res;
    if (job->profiles != 0) job->profiles = PROFILE_BIT(lowest_profile(job->profiles));
    Plan plan;
    bool legal = job->opt.rewrite != 0 ? rewrite_program(job) : read_and_verify(job);
    if (legal && job->opt.rewrite == 0) warn_of_order(job);
    if (!legal || !add_prints(job) || !plan_all(job, job->profiles, &plan)) return false;
    const Profile profile = lowest_profile(job->profiles);
    const EmitOptions opt = {
        .profile = profile,
        .compat = job->opt.compat,
        .comments = !job->emit.no_comments,
        .debug = job->emit.lines,
        .locations = job->emit.lines ? context_locations(res->ctx) : NULL,
        .checked = job->emit.checked,
        .embed = job->emit.embed,
        .sanitize = job->emit.sanitize,
        .sanitize_all = (job->opt.sync & PTOASM_SYNC_ALL) != 0,
        .header_name = job->emit.header_name,
        .inserter = (job->opt.sync & PTOASM_SYNC_SILENT) != 0 ? NULL
                    : (job->opt.sync & PTOASM_SYNC_WARN) != 0 ? "--enable-insert-sync"
                                                              : "--insert-sync",
        .plan = &plan,
        .lowered = lower_module(res->module, profile, &res->ctx->arena, &res->ctx->diags)};
    StrBuf *header = job->emit.header ? &res->header : NULL;
    DiagList *diags = &res->ctx->diags;
    job->no_code = job->emit.cpp ? !emit_cpp(res->module, &opt, &res->text, diags)
                                 : !emit_c(res->module, &opt, &res->text, header, diags);
    if (job->no_code) return false;
    if (job->emit.cpp) {
        if (job->emit.describe) functions_collect(res, &opt);
        return res->has_text = true;
    }
    kernels_collect(res, &opt);
    res->has_header = job->emit.header;
    return res->has_text = true;
}

static bool do_plan(Job *job) {
    if (job->profiles != 0) job->profiles = PROFILE_BIT(lowest_profile(job->profiles));
    Plan plan = {.map = NULL};
    if (!read_and_verify(job)) return false;
    bool fine = plan_all(job, job->profiles, &plan);
    if (plan.map != NULL) slots_collect(job->res, &plan, lowest_profile(job->profiles));
    return fine;
}

/* ---- arguments and memory handler ---- */

/* Sizes of the structs in version 0.2; members that were added later may be missing. */
enum {
    OPTIONS_LEAST = offsetof(ptoasm_options, lint) + sizeof(bool),
    EMIT_OPTIONS_LEAST = offsetof(ptoasm_emit_options, header_name) + sizeof(const char *)
};

bool options_take(ptoasm_options *to, const ptoasm_options *from) {
    static const ptoasm_options defaults = PTOASM_OPTIONS_INIT;
    if (!struct_take(to, sizeof *to, OPTIONS_LEAST, from != NULL ? from : &defaults)) return false;
    return to->level >= 0 && to->level <= 3 &&
           (to->profiles & ~(uint32_t)PTOASM_PROFILE_ALL) == 0 &&
           (to->vendor == 0 || to->vendor == 57 || to->vendor == 60) &&
           (to->rewrite & ~(uint32_t)(PTOASM_REWRITE_ADDRESSES | PTOASM_REWRITE_SYNC)) == 0;
}

Vendor options_vendor(const ptoasm_options *opt) {
    return !opt->compat ? VENDOR_NONE : opt->vendor == 57 ? VENDOR_057 : VENDOR_060;
}

/* The input of a call: a program of the caller, or a source that is read for this call. */
typedef struct Input {
    ptoasm_program *program;
    const ptoasm_source *src;
} Input;

/* True when a call changes the module, so that it must read its own: other forms need fresh names,
 * emission and planning convert. A check plans copies. */
static bool changes_module(const Job *job, bool (*work)(Job *)) {
    return work != do_check &&
           !(work == do_format && job->form == PTOASM_FORM_KEEP && job->opt.rewrite == 0);
}

static bool new_result(Job *job, Input in, bool (*work)(Job *)) {
    ptoasm_result *res = job->res = calloc(1, sizeof *res);
    if (res == NULL) return false;
    ptoasm_program *p = in.program;
    if (p == NULL || changes_module(job, work)) p = res->own = calloc(1, sizeof *p);
    if (p != NULL) res->ctx = &p->ctx;
    if (p == NULL) free(res);
    return p != NULL;
}

static void read_input(Job *job, Input in) {
    ptoasm_result *res = job->res;
    ptoasm_program *p = res->own != NULL ? res->own : in.program;
    if (job->parts != NULL)
        program_read_hooked(p, in.src, job->opt.max_errors, &job->parts->hook);
    else if (res->own != NULL)
        program_read(p, in.program != NULL ? in.program->source : in.src, job->opt.max_errors);
    else
        program_begin(p, job->opt.max_errors);
    res->module = p->module;
    res->index = p->lines;
}

static int run_job(Input in, const ptoasm_options *options, Job *job, bool (*work)(Job *),
                   ptoasm_result **out) {
    if (out == NULL) return PTOASM_ARGUMENT;
    *out = NULL;
    if ((in.program == NULL && in.src == NULL) || !options_take(&job->opt, options))
        return PTOASM_ARGUMENT;
    job->profiles = (ProfileSet)(job->opt.profiles & PTOASM_PROFILE_ALL);
    if (job->parts != NULL && !parts_begin(job->parts, &job->opt)) job->parts = NULL;
    if (!new_result(job, in, work)) return PTOASM_NOMEM;
    if (setjmp(job->res->ctx->oom) != 0) {
        ptoasm_result_free(job->res);
        return PTOASM_NOMEM;
    }
    read_input(job, in);
    sb_init(&job->res->text, &job->res->ctx->arena);
    sb_init(&job->res->header, &job->res->ctx->arena);
    job->again = job->parts != NULL && job->parts->stop;
    bool fine = !job->again && work(job);
    job->again |= job->parts != NULL && !parts_hold(job->parts, job->res->module, job->profiles);
    diagnostics_collect(job->res);
    fine &= !job->unordered || job->res->ctx->diags.errors == 0;
    *out = job->res;
    return fine ? PTOASM_OK : job->no_code ? PTOASM_NO_CODE : PTOASM_REJECTED;
}

static int check(Input in, const ptoasm_options *options, ptoasm_result **out) {
    Job job = {0};
    return run_job(in, options, &job, do_check, out);
}

/* Checks in parts, and again when reading shows that the assumed properties of the text were
 * wrong: at most once more for each. */
int check_in_parts(const ptoasm_source *src, const ptoasm_options *options, ptoasm_result **out) {
    Parts parts = {.stop = false};
    do {
        Job job = {.parts = &parts};
        int status = run_job((Input){.src = src}, options, &job, do_check, out);
        if (!job.again) return status;
        ptoasm_result_free(*out);
    } while (parts.stop && !parts.whole);
    return check((Input){.src = src}, options, out);
}

static int format(Input in, const ptoasm_options *options, enum ptoasm_form form,
                  ptoasm_result **out) {
    Job job = {.form = form};
    if (out != NULL) *out = NULL;
    if ((int)form < PTOASM_FORM_KEEP || (int)form > PTOASM_FORM_GENERIC) return PTOASM_ARGUMENT;
    ptoasm_options opt;
    bool tiles = form == PTOASM_FORM_SSA || form == PTOASM_FORM_AS;
    if (tiles && options_take(&opt, options) && opt.rewrite != 0) return PTOASM_ARGUMENT;
    return run_job(in, options, &job, do_format, out);
}

static int emit(Input in, const ptoasm_options *options, const ptoasm_emit_options *how,
                ptoasm_result **out) {
    Job job = {0};
    if (out != NULL) *out = NULL;
    if (how != NULL && !struct_take(&job.emit, sizeof job.emit, EMIT_OPTIONS_LEAST, how))
        return PTOASM_ARGUMENT;
    ptoasm_options opt;
    bool cpu = options_take(&opt, options) && (opt.profiles & PTOASM_PROFILE_CPU) != 0;
    if (!job.emit.cpp && (job.emit.embed || job.emit.describe)) return PTOASM_ARGUMENT;
    if (job.emit.cpp &&
        (cpu || job.emit.checked || job.emit.header || job.emit.nprints + job.emit.ndumps > 0))
        return PTOASM_ARGUMENT; /* only C for the CPU has these */
    return run_job(in, options, &job, do_emit, out);
}

int ptoasm_check(const ptoasm_source *src, const ptoasm_options *options, ptoasm_result **out) {
    if (src != NULL && src->text.size >= PARTS_LEAST) return check_in_parts(src, options, out);
    return check((Input){.src = src}, options, out);
}

int ptoasm_format(const ptoasm_source *src, const ptoasm_options *options, enum ptoasm_form form,
                  ptoasm_result **out) {
    return format((Input){.src = src}, options, form, out);
}

int ptoasm_emit(const ptoasm_source *src, const ptoasm_options *options,
                const ptoasm_emit_options *how, ptoasm_result **out) {
    return emit((Input){.src = src}, options, how, out);
}

int ptoasm_program_check(ptoasm_program *program, const ptoasm_options *options,
                         ptoasm_result **out) {
    return check((Input){.program = program}, options, out);
}

int ptoasm_program_format(ptoasm_program *program, const ptoasm_options *options,
                          enum ptoasm_form form, ptoasm_result **out) {
    return format((Input){.program = program}, options, form, out);
}

int ptoasm_program_emit(ptoasm_program *program, const ptoasm_options *options,
                        const ptoasm_emit_options *how, ptoasm_result **out) {
    return emit((Input){.program = program}, options, how, out);
}

int ptoasm_program_plan(ptoasm_program *program, const ptoasm_options *options,
                        ptoasm_result **out) {
    Job job = {0};
    return run_job((Input){.program = program}, options, &job, do_plan, out);
}
