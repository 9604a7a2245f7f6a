/* SPDX-License-Identifier: Apache-2.0 */
/* Driver of the verifier: options, levels, the walk over the program and the visibility of values.
 * The tag of a value is the number of the run while it is visible, and is reset where its region
 * ends; values of a function keep it, as no other function can name them. */
#include "ir/core.h"
#include "ir/target.h"
#include "verifier/fixes/corrections.h"
#include "verifier/judge.h"
#include "verifier/lints/acc_pitch.h"
#include "verifier/lints/loop_storage.h"
#include "verifier/lints/windows.h"
#include "verifier/pipes/pipes.h"
#include "verifier/rules/constants.h"
#include "verifier/structure/core_kinds.h"
#include "verifier/structure/params.h"
#include "verifier/structure/structs.h"
#include "verifier/structure/vector_code.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the module says about itself ---- */

static bool note_signs(Op *op, void *arg) {
    op_note_signs(arg, op);
    return true;
}

/* Looks at the module as it is now, possibly after passes. */
static ModuleSigns find_signs(const Module *m) {
    ModuleSigns s = {false, false, false};
    if (m->root != NULL) op_walk(m->root, note_signs, &s);
    return s;
}

int signs_level(ModuleSigns s) {
    return s.address ? 3 : s.ssa ? 1 : 2;
}

int module_level(const Module *m) {
    return signs_level(find_signs(m));
}

bool module_is_manual(const Module *m) {
    return find_signs(m).address;
}

/* ---- visibility of values ---- */

static void set_tags(Block *b, uint16_t tag) {
    for (uint32_t i = 0; i < b->nargs; i++)
        b->args[i].tag = tag;
}

static void hide_block(Block *b) {
    set_tags(b, 0);
    for (Op *op = b->first; op != NULL; op = op->next)
        for (unsigned i = 0; i < op->nresults; i++)
            op->results[i].tag = 0;
}

/* True when the value is defined by `op` or by a statement after it in the text. */
static bool is_defined_later(const Op *op, const Value *value) {
    return value != NULL && value->def != NULL && value->def->span.len != 0 &&
           value->def->span.off >= op->span.off;
}

static void report_use(Verifier *v, const Op *op, const Operand *o) {
    const Value *value = o->value;
    /* Values without a type and those of dropped statements were reported before. */
    if (value == NULL || value->type == NULL || value->type->kind == TY_NONE) return;
    if (value->def != NULL && value->def->block == NULL) return;
    Context *ctx = v->judge.ctx;
    bool early = is_defined_later(op, value) && value->def->block == op->block;
    Diag *d =
        diag_add(&ctx->diags, DIAG_DOMINANCE, o->span,
                 early ? "%%%.*s is used before its definition"
                       : "%%%.*s is used where it is not defined on every path",
                 (int)atom_len(&ctx->names, value->name), atom_text(&ctx->names, value->name));
    if (value->name != 0)
        diag_note_at(&ctx->diags, d,
                     (Span){value->name_off, (uint32_t)atom_len(&ctx->names, value->name) + 1},
                     "defined here");
}

/* Replaces an operand that is defined later by a value without a type, so that following operands
 * to their definitions always ends. Undone at the end of the run. */
static void hide_operand(Verifier *v, Operand *o) {
    const Type none = {.kind = TY_NONE};
    Context *ctx = v->judge.ctx;
    HiddenOperand *hidden = ARENA_NEW(&ctx->arena, HiddenOperand);
    *hidden = (HiddenOperand){v->hidden, o, o->value};
    v->hidden = hidden;
    Value *value = ARENA_NEW(&ctx->arena, Value);
    value->type = type_intern(ctx->types, &none);
    value->npack = 1;
    o->value = value;
}

/* In an unreachable block only the order of the text counts. False when an operand is defined
 * later. */
static bool check_list(Verifier *v, const Op *op, Operand *list, unsigned n, bool reachable) {
    bool good = true;
    for (unsigned i = 0; i < n; i++) {
        const Value *value = list[i].value;
        bool later = is_defined_later(op, value);
        if (reachable ? value != NULL && value->tag == v->run : !later) continue;
        report_use(v, op, &list[i]);
        if (!later) continue;
        hide_operand(v, &list[i]);
        good = false;
    }
    return good;
}

static bool check_uses(Verifier *v, Op *op, bool reachable) {
    bool good = check_list(v, op, op->operands, op->noperands, reachable);
    for (unsigned s = 0; s < op->nsuccs; s++)
        good &= check_list(v, op, op_succs(op)[s].args, op_succs(op)[s].nargs, reachable);
    return good;
}

/* ---- the walk ---- */

static void verify_region(Verifier *v, Region *r);

static bool names_core(const Op *op) {
    return op_is(op, INST_MODULE) || op_is(op, INST_FUNC) || op->inst->core != CORE_ANY;
}

/* Checks of a function as a whole; `errors`: how many errors there were before it. */
static void check_vectors(Verifier *v, const Op *func, uint32_t errors) {
    const bool good = v->judge.ctx->diags.errors == errors;
    if ((good && !check_layouts(v, func, v->vector_code)) || !v->vector_code) return;
    check_vector_scopes(v, func);
    check_align_chains(v, func);
}

static void verify_nested(Verifier *v, Op *op) {
    const uint32_t before = v->judge.ctx->diags.errors;
    Symbol *symbols = v->symbols;
    uint32_t nsymbols = v->nsymbols;
    const Op *func = v->func, *core_from = v->core_from;
    uint8_t core = v->core;
    Core given = names_core(op) ? op_given_core(op) : CORE_ANY;
    if (op_is(op, INST_MODULE)) collect_symbols(v, op);
    if (op_is(op, INST_FUNC)) {
        end_level_report(&v->judge); /* for statements outside of functions */
        v->func = op;
    }
    if (given != CORE_ANY) {
        v->core = (uint8_t)given;
        v->core_from = op;
    }
    for (unsigned i = 0; i < op->nregions; i++)
        verify_region(v, &op_regions(op)[i]);
    if (op_loops(op))
        for (unsigned i = 0; i < op->nresults; i++)
            v->judge.carries |= type_is_tile(op->results[i].type);
    if (op_is(op, INST_FUNC)) {
        if (v->judge.carries && !v->judge.partial) check_loop_storage(&v->judge, op);
        if (v->judge.multiplies && !v->judge.partial) check_acc_pitch(&v->judge, op);
        if (!v->judge.partial) check_vectors(v, op, before);
        note_function_core(v, op);
        v->vector_code = false;
        v->judge.carries = v->judge.multiplies = false;
    }
    if (op_is(op, INST_MODULE) && !v->judge.partial) check_container(v, op);
    if (op_is(op, INST_FUNC) || op == v->judge.root) end_level_report(&v->judge);
    v->symbols = symbols;
    v->nsymbols = nsymbols;
    v->func = func;
    v->core = core;
    v->core_from = core_from;
}

/* Reports uses of the result of pto.inttoptr other than access to single elements. */
static bool raw_pointer_use(Op *op, void *arg) {
    Verifier *v = arg;
    bool takes = op_is(op, INST_LOAD_SCALAR) || op_is(op, INST_STORE_SCALAR);
    for (unsigned i = 0; i < op->noperands && !takes; i++) {
        const Operand *o = &op->operands[i];
        if (o->value->def != NULL && op_is(o->value->def, INST_INTTOPTR))
            diag_add(&v->judge.ctx->diags, DIAG_VALUE_SOURCE, o->span,
                     "%s: a pointer made by pto.inttoptr is only for pto.load_scalar and "
                     "pto.store_scalar",
                     op->inst->name);
    }
    for (unsigned s = 0; s < op->nsuccs; s++)
        for (unsigned i = 0; i < op_succs(op)[s].nargs; i++) {
            const Value *value = op_succs(op)[s].args[i].value;
            if (value->def != NULL && op_is(value->def, INST_INTTOPTR))
                diag_add(&v->judge.ctx->diags, DIAG_VALUE_SOURCE, op_succs(op)[s].args[i].span,
                         "a pointer made by pto.inttoptr cannot be passed to a block");
        }
    return true;
}

static OpVerdict *add_verdict(const Verifier *v, const Op *op) {
    OpVerdictList *list = v->judge.opt->verdicts;
    OpVerdict *verdict = ARENA_NEW(&v->judge.ctx->arena, OpVerdict);
    verdict->func = op_is(op, INST_FUNC) ? op : v->func;
    verdict->inst = op->inst;
    verdict->span = op->span;
    *list->last = verdict;
    list->last = &verdict->next;
    list->n++;
    return verdict;
}

static void note_number(Verifier *v, const Op *op) {
    OpList *o = ARENA_NEW(v->judge.arena, OpList);
    *o = (OpList){v->numbers, op};
    v->numbers = o;
}

static void verify_op(Verifier *v, Op *op, bool reachable) {
    bool whole = op_is_whole(v, op);
    if (v->judge.opt->verdicts != NULL) v->judge.verdict = add_verdict(v, op);
    v->raw_pointers |= op_is(op, INST_INTTOPTR);
    v->judge.multiplies |= op->inst->family == FAM_MATRIX;
    v->vector_code |= inst_is_micro(op->inst);
    whole &= check_uses(v, op, reachable);
    if (whole) {
        uint32_t before = v->judge.ctx->diags.errors;
        verify_structure(v, op);
        judge_op(&v->judge, op);
        bool good = v->judge.ctx->diags.errors == before;
        if (good && (op_is(op, INST_TLOAD) || op_is(op, INST_TSTORE)) && !v->judge.partial)
            check_library_window(&v->judge, op);
        if (good && v->judge.opt->compat) check_left_of_target(v, op);
        if (good && v->judge.opt->constants && constants_matter(op)) note_number(v, op);
        if ((v->core != CORE_ANY || op->inst->fifo) && good) check_core(v, op);
        if (op_is_about_pipes(op)) {
            good = v->judge.ctx->diags.errors == before && v->kindless != v->func;
            note_pipe_op(v, op, good, reachable);
        }
    }
    if (op->nregions > 0) verify_nested(v, op);
    for (unsigned i = 0; i < op->nresults; i++)
        op->results[i].tag = v->run;
}

static void verify_block(Verifier *v, Block *b, bool reachable) {
    set_tags(b, v->run);
    for (Op *op = b->first; op != NULL; op = op->next)
        verify_op(v, op, reachable);
}

/* Visits blocks in dominator-tree order; leaving a subtree hides its values. */
static void verify_blocks(Verifier *v, Region *r) {
    Arena *a = &v->judge.ctx->arena;
    BlockOrder o = dominance_order(a, r);
    Block **path = ARENA_ARRAY(a, Block *, o.n);
    uint32_t *marks = ARENA_ARRAY(a, uint32_t, o.n); /* pipe notes end with their block */
    uint32_t depth = 0;
    for (uint32_t i = 0; i < o.n; i++) {
        bool reachable = o.depth[i] != UINT32_MAX;
        uint32_t want = reachable ? o.depth[i] : 0;
        while (depth > want) {
            hide_block(path[--depth]);
            close_pipe_notes(v, marks[depth]);
        }
        path[depth] = o.order[i];
        marks[depth++] = v->pipes.nopen;
        verify_block(v, o.order[i], reachable);
    }
    while (depth > 0)
        hide_block(path[--depth]);
}

static void verify_region(Verifier *v, Region *r) {
    if (r->first == NULL) return;
    uint32_t mark = v->pipes.nopen;
    bool brace_missing = v->brace_missing;
    v->brace_missing |= r->close.off != 0 && hole_between(v, r->close.off, r->close.off);
    verify_region_shape(v, r);
    if (r->first->next == NULL) {
        verify_block(v, r->first, true);
        if (r->owner == NULL || !op_is(r->owner, INST_FUNC)) hide_block(r->first);
    } else {
        verify_blocks(v, r);
    }
    close_pipe_notes(v, mark);
    v->brace_missing = brace_missing;
}

static int by_offset(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the positions of the parser's errors. */
static void find_holes(Verifier *v, const Module *m) {
    const DiagList *list = &m->ctx->diags;
    uint32_t *holes = ARENA_ARRAY(&m->ctx->arena, uint32_t, list->errors), n = 0;
    for (const Diag *d = list->first; d != NULL && n < list->errors; d = d->next)
        if (d->severity == SEV_ERROR) holes[n++] = d->span.off;
    qsort(holes, n, sizeof *holes, by_offset);
    v->holes = holes;
    v->nholes = n;
    v->lost_function = m->lost_function;
}

/* With --compat, spellings that the vendor refuses become errors, and remarks on those that it
 * accepts are dropped. */
static void judge_spellings(DiagList *list) {
    list->last = &list->first;
    for (Diag *d = list->first; d != NULL; d = d->next) {
        bool warning = d->severity == SEV_WARNING;
        if (warning && (d->id == DIAG_PTOAS_COMPAT || d->id == DIAG_DEPRECATED_SPELLING)) {
            d->severity = SEV_ERROR;
            list->errors++;
        }
        if (warning && d->severity == SEV_ERROR) list->warnings--;
        if (d->id == DIAG_IGNORED_TYPE) {
            list->warnings--;
            continue;
        }
        *list->last = d;
        list->last = &d->next;
    }
    *list->last = NULL;
}

/* ---- constants ---- */

/* Judges for the profiles under which there was no error. */
static void judge_constants(Verifier *v) {
    ProfileSet left = v->judge.profiles;
    if (v->judge.ctx->diags.stopped) return;
    for (const Diag *d = v->judge.ctx->diags.first; d != NULL; d = d->next)
        if (d->severity == SEV_ERROR) left &= (ProfileSet) ~(d->profiles != 0 ? d->profiles : left);
    if (left != 0) verify_constants(&v->judge, left, v->numbers);
}

/* ---- entry point ---- */

bool verify_module(Module *m, const VerifyOptions *opt) {
    Context *ctx = m->ctx;
    if (m->root == NULL) return ctx->diags.errors == 0;
    Verifier *v = ARENA_NEW(&ctx->arena, Verifier);
    const ModuleSigns signs = m->signs;
    uint32_t before = ctx->diags.errors;
    v->judge.ctx = ctx;
    v->judge.arena = &ctx->arena;
    if (++ctx->verifier_runs == 0) ctx->verifier_runs = 1;
    v->run = ctx->verifier_runs;
    v->judge.opt = opt;
    v->judge.root = m->root;
    v->judge.profiles = PROFILE_BIT(module_profile(m));
    if (opt->profiles != 0) v->judge.profiles = opt->profiles;
    v->judge.level = opt->level != 0 ? opt->level : signs_level(signs);
    v->judge.manual = signs.address;
    v->judge.has_tassign = signs.assign;
    v->judge.partial = !m->bound_ok;
    if (opt->part != NULL)
        v->judge.offers = MOST_OFFERS; /* the diagnostics of a part are discarded */
    if (!m->bound_ok) find_holes(v, m);
    if (opt->compat) judge_spellings(&ctx->diags);
    verify_structure(v, m->root);
    verify_nested(v, m->root);
    verify_calls(v);
    if (v->raw_pointers) op_walk(m->root, raw_pointer_use, v);
    verify_kernels(v);
    verify_params(v);
    verify_structs(v);
    verify_pipes(v);
    judge_late(&v->judge);
    if (opt->constants && !opt->compat && m->bound_ok) judge_constants(v);
    if (opt->part != NULL)
        opt->part->shared = v->pipes.n != 0 || v->judge.late != NULL || v->judge.needs.count != 0 ||
                            v->vectors_passed;
    for (const HiddenOperand *h = v->hidden; h != NULL; h = h->next)
        h->operand->value = h->value;
    diag_sort(&ctx->diags);
    return ctx->diags.errors == before;
}
