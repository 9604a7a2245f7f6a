/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a long text function by function, so that only one is in memory at a time. A function is
 * checked alone, in a module with the attributes of its own. If there is nothing to report and
 * nothing that concerns other functions, its body is forgotten. Other functions stay, and are
 * checked with the whole module. */
#include "api/internal.h"

#include "analysis/callgraph.h"
#include "analysis/check_sync.h"
#include "analysis/pipe_links.h"
#include "ir/target.h"
#include "support/ascii.h"
#include "verifier/lints/lints.h"
#include "verifier/lints/unwritten.h"
#include <string.h>

static bool part_read(void *user, Module *m, Op *func);

bool parts_begin(Parts *p, const ptoasm_options *opt) {
    const Parts before = *p;
    const ProfileSet profiles = (ProfileSet)(opt->profiles & PTOASM_PROFILE_ALL);
    if (opt->verdicts || opt->lint || opt->sync != 0 || (profiles & (profiles - 1)) != 0)
        return false;
    *p = (Parts){.opt = *opt,
                 .profiles = profiles,
                 .signs = before.signs,
                 .called_stay = before.called_stay};
    memcpy(p->called, before.called, sizeof p->called);
    p->hook = (FunctionHook){.read = part_read, .stop = &p->stop, .user = p};
    return true;
}

static bool same_signs(ModuleSigns a, ModuleSigns b) {
    return a.address == b.address && a.assign == b.assign && a.ssa == b.ssa;
}

bool parts_hold(const Parts *p, const Module *m, ProfileSet judged) {
    const Forgotten *gone = &m->ctx->forgotten;
    if (p->stop) return false;
    return gone->n == 0 ||
           (!gone->missed && same_signs(p->signs, m->signs) && judged == PROFILE_BIT(p->profile));
}

/* ---- effects on other functions ---- */

static bool has_symbol(const Attr *a) {
    bool has = a->kind == ATTR_SYMBOL;
    for (uint32_t i = 0; i < a->n && !has; i++)
        has = a->kind == ATTR_ARRAY  ? has_symbol(a->items[i])
              : a->kind == ATTR_DICT ? has_symbol(a->entries[i].value)
                                     : false;
    return has;
}

/* VerifyPart.find: finds a function of the open module. */
static Op *find_function(void *user, Atom name) {
    const Parts *p = user;
    Op *op = ptrmap_get(&p->functions, (const void *)(uintptr_t)name);
    return op != NULL && op->block == p->block ? op : NULL;
}

/* Enters the functions of the module that precede `func`. A name that occurs twice is ambiguous. */
static void enter_functions(Parts *p, Context *ctx, Op *func) {
    if (p->block != func->block) p->last = NULL;
    p->block = func->block;
    p->functions.arena = &ctx->keep;
    Op *op = p->last != NULL ? p->last->next : p->block->first;
    for (; op != func; op = op->next) {
        p->last = op;
        if (!op_is(op, INST_FUNC) || func_data(op)->name == 0) continue;
        p->whole |= find_function(p, func_data(op)->name) != NULL;
        *ptrmap_at(&p->functions, (const void *)(uintptr_t)func_data(op)->name) = op;
    }
}

typedef struct Look {
    Parts *parts;
    const Op *func;
    bool calls;  /* calls a function with a body */
    bool names;  /* ... or any other */
    bool orders; /* has flags or buffers */
    bool tiles;  /* has tiles, or calls a function that may have some */
} Look;

/* True when the callee is known and demands nothing of its callers, such as its flags. */
static bool is_local_call(Look *l, const Op *op) {
    if (op->nattrs != 1 || op->attrs[0].value->kind != ATTR_SYMBOL) return false;
    const Op *callee = find_function(l->parts, op->attrs[0].value->text);
    if (callee == NULL) return false;
    const FuncData *f = func_data(callee);
    l->names = true;
    l->calls |= f->has_body;
    return (f->forgotten && !f->orders) || !f->has_body;
}

/* True for a statement whose partner may be in another function. */
static bool has_partner(const Op *op) {
    return op_meets_cores(op) || op_is_about_pipes(op) || op_is(op, INST_RESERVE_BUFFER) ||
           op_is(op, INST_IMPORT_RESERVED_BUFFER);
}

/* True for a statement that concerns no other function: no pipe, reserved memory or symbol. */
static bool is_local(const Op *op, Look *l) {
    if (op_is(op, INST_CALL)) return is_local_call(l, op);
    if (op != l->func && (op_is(op, INST_FUNC) || op_is(op, INST_MODULE))) return false;
    l->orders |= op_orders_pipes(op);
    if (has_partner(op)) return false;
    for (unsigned i = 0; i < op->nattrs; i++)
        if (has_symbol(op->attrs[i].value)) return false;
    return true;
}

static bool types_are_known(const Op *op) {
    for (unsigned i = 0; i < op->nresults; i++)
        if (type_is_template(op->results[i].type)) return false;
    return true;
}

static bool has_tiles(const Op *op) {
    if (op->inst->form == FORM_TILE || op_is(op, INST_CALL)) return true;
    for (unsigned i = 0; i < op->nresults; i++)
        if (is_tile(&op->results[i])) return true;
    return false;
}

/* True for a statement that can be judged and planned with its function alone. */
static bool is_simple(Op *op, void *arg) {
    Look *look = arg;
    look->tiles = look->tiles || has_tiles(op);
    return is_local(op, arg) && types_are_known(op) && !passes_makes_ssa_tile(op);
}

/* True when the module is the only one around all functions, or directly in that of the file. */
static bool is_at_top(const Module *m, const Op *module) {
    return module == m->root ||
           (module->form != OPF_GENERIC && region_owner(module->block) == m->root);
}

/* ---- checking one function ---- */

/* Proves the order of pipes, if that is to be done. */
static bool is_ordered(const Parts *p, Module *m, Profile profile) {
    const SyncOptions sync = {.profiles = PROFILE_BIT(profile), .between = true};
    const int level = p->opt.level != 0 ? p->opt.level : signs_level(p->signs);
    return level != 3 || p->opt.compat || check_sync(m, &sync);
}

/* True when there is no error, no warning, and nothing that concerns other functions. */
static bool is_clean(Parts *p, Module *m, const Look *look, Op *func, Profile profile,
                     bool *placed) {
    const DiagList *said = &m->ctx->diags;
    VerifyPart part = {.find = find_function, .user = p};
    const VerifyOptions opt = {.profiles = PROFILE_BIT(profile),
                               .level = p->opt.level,
                               .compat = options_vendor(&p->opt),
                               .constants = true,
                               .part = &part};
    if (!verify_module(m, &opt) || said->first != NULL || part.shared) return false;
    if (look->orders && (!is_ordered(p, m, profile) || said->first != NULL)) return false;
    if (!look->tiles) return true; /* nothing to place */
    if (opt.compat == VENDOR_NONE && may_read_unwritten(m->ctx, func)) return false;
    return passes_plan(
               m,
               &(PlanOptions){.profile = profile, .placed = placed, .scratch_last = p->opt.compat},
               NULL) &&
           said->first == NULL;
}

/* Checks the function in its own module and restores everything. */
static bool judge_alone(Parts *p, Module *m, const Look *look, Op *func, Op *module) {
    Context *ctx = m->ctx;
    Op root = *module, *prev = func->prev;
    OpMore more = *module->more;
    Block *block = func->block, alone = {.first = func, .last = func};
    Region region = {.first = &alone, .last = &alone, .owner = &root};
    Module part = {.ctx = ctx, .signs = p->signs, .root = &root, .bound_ok = true};
    const DiagList before = ctx->diags;
    const Forgotten gone = ctx->forgotten;
    bool placed = false;
    arena_alloc(&ctx->step, 1, 1); /* keeps the first chunk when rewinding */
    const ArenaMark mark = arena_mark(&ctx->arena), step = arena_mark(&ctx->step);
    alone.region = more.regions = &region;
    root.more = &more;
    root.block = NULL;
    root.next = root.prev = func->prev = NULL;
    func->block = &alone;
    diag_init(&ctx->diags, before.arena, 1);
    ctx->forgotten = (Forgotten){.n = 0};
    Profile profile =
        p->profiles != 0 ? (Profile)__builtin_ctz(p->profiles) : module_profile(&part);
    bool clean =
        (gone.n == 0 || profile == p->profile) && is_clean(p, &part, look, func, profile, &placed);
    ctx->diags = before;
    ctx->forgotten = gone;
    func->block = block;
    func->prev = prev;
    arena_rewind(&ctx->step, step);
    arena_rewind(&ctx->arena, mark);
    if (!clean || (placed && look->calls)) return false;
    p->profile = profile;
    func_data(func)->unsynced = relies_on_insertion(ctx, func, profile);
    func_data(func)->placed = placed;
    func_data(func)->orders = look->orders;
    ctx->forgotten.placed |= placed;
    ctx->forgotten.calls |= look->calls;
    /* With calls between functions, addresses bound in one affect the placement of others. */
    ctx->forgotten.missed |= ctx->forgotten.placed && ctx->forgotten.calls && p->signs.address;
    return true;
}

/* True when the properties assumed of the whole text also hold for the forgotten functions. */
static bool signs_hold(Parts *p, const Module *m) {
    const ModuleSigns all = {.address = p->signs.address || m->signs.address,
                             .assign = p->signs.assign || m->signs.assign,
                             .ssa = p->signs.ssa || m->signs.ssa};
    p->stop = !same_signs(all, p->signs) && m->ctx->forgotten.n != 0;
    p->signs = all;
    return !p->stop;
}

/* ---- order across functions ---- */

static bool note_statement(Op *op, void *arg) {
    Parts *p = arg;
    p->ordered |= op_orders_pipes(op) || op_meets_cores(op);
    if (!op_is(op, INST_CALL) || op->nattrs != 1 || op->attrs[0].value->kind != ATTR_SYMBOL)
        return true;
    const void *name = (const void *)(uintptr_t)op->attrs[0].value->text;
    const Op *callee = find_function(p, op->attrs[0].value->text);
    p->lost |= callee != NULL && func_data(callee)->forgotten;
    *ptrmap_at(&p->called_by_kept, name) = (void *)(uintptr_t)name;
    return true;
}

/* Notes what a function does that stays or is forgotten. The order of pipes is proved with the
 * statements of called functions, which must be there. */
static void note_function(Parts *p, Context *ctx, Op *func, bool forgotten) {
    p->called_by_kept.arena = &ctx->keep;
    if (!forgotten)
        op_walk(func, note_statement, p);
    else
        p->lost |=
            ptrmap_get(&p->called_by_kept, (const void *)(uintptr_t)func_data(func)->name) != NULL;
    p->ordered |= forgotten && func_data(func)->orders;
    ctx->forgotten.missed |= p->ordered && p->lost && !p->opt.compat;
}

/* ---- functions that are called ---- */

/* True for a character of a symbol that is written without quotes. */
static bool is_symbol_char(char c) {
    return ascii_is_word(c) || c == '$' || c == '.';
}

/* True when the word before `at` says that a name is defined there. */
static bool is_definition(const char *text, const char *at) {
    static const char *const words[] = {"func", "private", "public", "nested"};
    while (at > text && at[-1] == ' ')
        at--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t n = strlen(words[i]);
        if ((size_t)(at - text) >= n && memcmp(at - n, words[i], n) == 0) return true;
    }
    return false;
}

static uint64_t *called_word(Parts *p, const char *name, size_t n, uint64_t *bit) {
    const uint32_t hash = text_hash(name, n);
    *bit = UINT64_C(1) << (hash & 63);
    return &p->called[(hash >> 6) % CALLED_WORDS];
}

/* Whatever names a function without defining it may call it. */
void parts_find_called(Parts *p, const char *text, size_t size) {
    const char *const end = text + size;
    for (const char *at = text; (at = memchr(at, '@', (size_t)(end - at))) != NULL;) {
        const bool defined = is_definition(text, at);
        const char *name = ++at;
        while (at < end && is_symbol_char(*at))
            at++;
        uint64_t bit;
        if (!defined) *called_word(p, name, (size_t)(at - name), &bit) |= bit;
    }
}

static bool may_be_called(Parts *p, const Context *ctx, const Op *func) {
    const Atom name = func_data(func)->name;
    uint64_t bit;
    return p->called_stay &&
           (*called_word(p, atom_text(&ctx->names, name), atom_len(&ctx->names, name), &bit) &
            bit) != 0;
}

/* FunctionHook.read: checks a function and says whether to forget it. */
static bool part_read(void *user, Module *m, Op *func) {
    enum { MOST_RUNS = UINT16_MAX / 2 }; /* tags of values are numbers of runs */
    Parts *p = user;
    Op *module = region_owner(func->block);
    Look look = {.parts = p, .func = func};
    if (!signs_hold(p, m)) return false;
    if (!is_at_top(m, module) || m->ctx->diags.errors != 0 || m->ctx->verifier_runs >= MOST_RUNS)
        return false;
    enter_functions(p, m->ctx, func);
    const bool done = !may_be_called(p, m->ctx, func) &&
                      op_attr_named(func, ATTR_pto_tileop_helper) == NULL &&
                      op_walk(func, is_simple, &look) && !(look.orders && look.names) &&
                      judge_alone(p, m, &look, func, module);
    note_function(p, m->ctx, func, done);
    /* Most often because of a function that is called: it can stay. */
    p->whole |= m->ctx->forgotten.missed && p->called_stay;
    p->called_stay |= m->ctx->forgotten.missed;
    p->stop = p->whole || m->ctx->forgotten.missed;
    return done;
}
