/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the interface: read, verify, convert and plan, print or emit. */
#include "analysis/check_sync.h"
#include "api/job.h"
#include "api/timing.h"
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

/* The bits of the interface are those of a ProfileSet. */
#define PROFILE(id, ...)                                                                           \
    static_assert((int)PTOASM_PROFILE_##id == (int)PROFILE_BIT(PROFILE_##id),                      \
                  "enum ptoasm_profile");
#include "ir/profiles.def"
#undef PROFILE
static_assert((int)PTOASM_PROFILE_ALL == (int)PROFILES_ALL, "enum ptoasm_profile");

/* ---- verdicts ---- */

/* Also verifies what could be read of a text with errors, so that one run reports everything. With
 * `constants`, also judges by what constants decide. */
static bool read_and_verify(Job *job, bool constants) {
    ptoasm_result *res = job->res;
    if (job->profiles == 0) job->profiles = PROFILE_BIT(module_profile(res->module));
    const VerifyOptions opt = {.profiles = job->profiles,
                               .level = job->opt.level,
                               .compat = options_vendor(&job->opt),
                               .constants = constants,
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

/* Tiles of a template type, `!pto.tile<...>`, have no size, so there is nothing to plan. */
static Outcome check_program(Job *job) {
    bool legal = read_and_verify(job, true);
    Outcome order = FINE;
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
    if (legal && level == 3 && !job->opt.compat) order = prove_module(job);
    ProfileSet able = legal ? job->profiles : profiles_left(job);
    if (able == 0) return REFUSED;
    if (!op_walk(job->res->module->root, types_known, NULL)) return legal ? order : REFUSED;
    if (!plan_all(job, able, NULL) || !legal) return REFUSED;
    if (level == 3 || job->opt.compat) return order;
    return job->opt.sync != 0 ? prove_all_planned(job) : judge_waits(job);
}

static Outcome do_check(Job *job) {
    Verdicts verdicts = {.n = 0};
    verdicts.rules.last = &verdicts.rules.first;
    if (job->opt.verdicts) job->verdicts = &verdicts;
    const Outcome out = check_program(job);
    if (job->verdicts != NULL) {
        drop_allowed(job->res->ctx, job->res->module);
        verdicts_take_sync(job->res, job->verdicts);
        verdicts_collect(job->res, job->verdicts);
    }
    job->verdicts = NULL;
    return out;
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
    const char *why = (job->opt.rewrite & PTOASM_REWRITE_MICRO) != 0
                          ? "that is said of the micro-instructions that it becomes"
                          : "with the planned addresses it is a program of level 3";
    for (Diag *d = list->first; d != NULL; d = d->next)
        if (d->severity == SEV_ERROR) diag_note(list, d, "%s", why);
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
static Outcome write_sync(Job *job) {
    Module *m = job->res->module;
    DiagList *list = &m->ctx->diags;
    const SyncOptions sync = {.profiles = job->profiles, .all = true};
    if (!profile_infos[lowest_profile(job->profiles)].chip) return FINE;
    const OrderedFunctions left = ordered_functions(m, lowest_profile(job->profiles));
    order_mark_others(m, &left);
    passes_insert_sync(m, lowest_profile(job->profiles));
    const OrderedFunctions none = {.n = 0};
    prove_order(job, &sync, &left);
    order_demand_proof(list, softly(job) ? &left : &none);
    return list->errors > 0 ? UNPROVED : FINE;
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

static Outcome rewrite_program(Job *job) {
    if (job->profiles != 0) job->profiles = PROFILE_BIT(lowest_profile(job->profiles));
    const bool inserts = (job->opt.rewrite & PTOASM_REWRITE_SYNC) != 0;
    if (!read_and_verify(job, false)) return REFUSED;
    if (!inserts) warn_of_order(job);
    if ((job->opt.rewrite & PTOASM_REWRITE_MICRO) != 0 && !passes_lower_logical(job->res->module))
        return REFUSED;
    if ((job->opt.rewrite & PTOASM_REWRITE_SCOPES) != 0 && !passes_write_scopes(job->res->module))
        return REFUSED;
    if ((job->opt.rewrite & PTOASM_REWRITE_ADDRESSES) != 0 && !write_addresses(job)) return REFUSED;
    const Outcome order = inserts ? write_sync(job) : FINE;
    return verify_rewritten(job) ? order : REFUSED;
}

static Outcome do_format(Job *job) {
    static const PrintForm forms[] = {[PTOASM_FORM_KEEP] = PRINT_KEEP,
                                      [PTOASM_FORM_DPS] = PRINT_DPS,
                                      [PTOASM_FORM_SSA] = PRINT_SSA,
                                      [PTOASM_FORM_AS] = PRINT_AS,
                                      [PTOASM_FORM_GENERIC] = PRINT_GENERIC};
    ptoasm_result *res = job->res;
    const bool keeps =
        (job->form == PTOASM_FORM_KEEP && job->opt.rewrite == 0) || job->form == PTOASM_FORM_AS;
    if (!keeps && res->module->bound_ok && !passes_have_no_as_windows(res->module)) return REFUSED;
    Outcome out = res->module->bound_ok ? FINE : REFUSED;
    if (job->opt.rewrite != 0) {
        out = rewrite_program(job);
    } else if (job->form == PTOASM_FORM_DPS || job->form == PTOASM_FORM_SSA) {
        /* conversion needs a legal program */
        if (!read_and_verify(job, false)) return REFUSED;
        const Profile profile = lowest_profile(job->profiles);
        if (job->form == PTOASM_FORM_SSA)
            passes_to_ssa(res->module, profile);
        else if (!passes_to_dps(res->module, profile))
            return REFUSED;
    }
    if (out == REFUSED) return out;
    module_print(&res->text, res->module, forms[job->form]);
    res->has_text = true;
    return out;
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

/* The program that is emitted, with its plan. */
static Outcome prepare_emission(Job *job, Plan *plan) {
    Outcome out = FINE;
    if (job->profiles != 0) job->profiles = PROFILE_BIT(lowest_profile(job->profiles));
    if (job->opt.rewrite != 0)
        out = rewrite_program(job);
    else if (read_and_verify(job, false))
        warn_of_order(job);
    else
        out = REFUSED;
    return out != REFUSED && add_prints(job) && plan_all(job, job->profiles, plan) ? out : REFUSED;
}

static Outcome do_emit(Job *job) {
    ptoasm_result *res = job->res;
    Plan plan;
    const Outcome out = prepare_emission(job, &plan);
    if (out == REFUSED) return out;
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
        .cover = job->emit.cover,
        .fuse = !job->emit.no_fuse,
        .trap = job->emit.trap,
        .shadow = job->emit.shadow,
        .sanitize_all = (job->opt.sync & PTOASM_SYNC_ALL) != 0,
        .header_name = job->emit.header_name,
        .inserter = (job->opt.sync & PTOASM_SYNC_SILENT) != 0 ? NULL
                    : (job->opt.sync & PTOASM_SYNC_WARN) != 0 ? "--enable-insert-sync"
                                                              : "--insert-sync",
        .plan = &plan,
        .lowered = lower_module(res->module, profile, &res->ctx->arena, &res->ctx->diags)};
    StrBuf *header = job->emit.header ? &res->header : NULL;
    DiagList *diags = &res->ctx->diags;
    if (!(job->emit.cpp ? emit_cpp(res->module, &opt, &res->text, diags)
                        : emit_c(res->module, &opt, &res->text, header, diags)))
        return NO_CODE;
    res->has_text = true;
    if (!job->emit.cpp) {
        kernels_collect(res, &opt);
        res->has_header = job->emit.header;
    } else if (job->emit.describe) {
        functions_collect(res, &opt);
    }
    return out;
}

static Outcome do_plan(Job *job) {
    if (job->profiles != 0) job->profiles = PROFILE_BIT(lowest_profile(job->profiles));
    Plan plan = {.map = NULL};
    if (!read_and_verify(job, false)) return REFUSED;
    const bool fine = plan_all(job, job->profiles, &plan);
    if (plan.map != NULL) slots_collect(job->res, &plan, lowest_profile(job->profiles));
    return fine ? FINE : REFUSED;
}

/* Times a program with the flags that it has, or with those that are inserted. */
static Outcome do_time(Job *job) {
    const Module *m = job->res->module;
    if (job->profiles != 0) job->profiles = PROFILE_BIT(lowest_profile(job->profiles));
    const Profile profile = job->profiles != 0 ? lowest_profile(job->profiles) : module_profile(m);
    if (!profile_infos[profile].chip) {
        job->timing->timing.why = "the profile cpu is no chip: there is nothing to time";
        return NO_CODE;
    }
    job->timing->timing.inserted =
        ordered_functions(job->res->module, profile).n == 0 || module_level(m) != 3;
    job->opt.rewrite = job->timing->timing.inserted ? PTOASM_REWRITE_SYNC : 0;
    if (module_level(m) != 3) job->opt.rewrite |= PTOASM_REWRITE_ADDRESSES;
    Outcome out = rewrite_program(job);
    if (out == UNPROVED) out = FINE; /* what is timed is what would run */
    if (out != FINE) return out;
    if (passes_has_ssa_tiles(job->res->module) && !passes_to_dps(job->res->module, profile))
        return REFUSED;
    return timing_of(job, job->timing) ? FINE : NO_CODE;
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
           (to->rewrite & ~(uint32_t)(PTOASM_REWRITE_ADDRESSES | PTOASM_REWRITE_SYNC |
                                      PTOASM_REWRITE_SCOPES | PTOASM_REWRITE_MICRO)) == 0;
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
static bool changes_module(const Job *job, Outcome (*work)(Job *)) {
    return work != do_check &&
           !(work == do_format && job->form == PTOASM_FORM_KEEP && job->opt.rewrite == 0);
}

static bool new_result(Job *job, Input in, Outcome (*work)(Job *)) {
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

static int run_job(Input in, const ptoasm_options *options, Job *job, Outcome (*work)(Job *),
                   ptoasm_result **result) {
    if (result == NULL) return PTOASM_ARGUMENT;
    *result = NULL;
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
    Parts *parts = job->parts;
    bool again = parts != NULL && parts->stop;
    Outcome out = again ? REFUSED : work(job);
    again |= parts != NULL && !parts_hold(parts, job->res->module, job->profiles);
    if (parts != NULL) parts->again = again;
    diagnostics_collect(job->res);
    if (out == UNPROVED && job->res->ctx->diags.errors == 0) out = FINE;
    *result = job->res;
    return out == FINE ? PTOASM_OK : out == NO_CODE ? PTOASM_NO_CODE : PTOASM_REJECTED;
}

static int check(Input in, const ptoasm_options *options, ptoasm_result **out) {
    Job job = {0};
    return run_job(in, options, &job, do_check, out);
}

/* Checks in parts, and again when reading shows that the assumed properties of the text were
 * wrong, or that functions must stay which others call: at most once more for each. */
int check_in_parts(const ptoasm_source *src, const ptoasm_options *options, ptoasm_result **out) {
    Parts parts = {.stop = false};
    do {
        Job job = {.parts = &parts};
        parts.again = false;
        int status = run_job((Input){.src = src}, options, &job, do_check, out);
        if (!parts.again) return status;
        ptoasm_result_free(*out);
        if (parts.called_stay) parts_find_called(&parts, src->text.data, src->text.size);
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

int program_time(ptoasm_program *program, const ptoasm_options *options, TimingCall *call,
                 ptoasm_result **out) {
    Job job = {.timing = call};
    return run_job((Input){.program = program}, options, &job, do_time, out);
}
