/* SPDX-License-Identifier: Apache-2.0 */
/* Every rule that run time can decide, decided: for each instruction that has a kernel, each
 * profile and each of its rows, a legal example is found, its extents, addresses and scalars are
 * left to run time, and numbers are found with which all checks hold and with which this one is the
 * first that fails. All programs of a profile are emitted and compiled together. A run that fails
 * names the line and the rule. With a guard that only run time decides, there is a third run: the
 * guard is closed and the test after it does not hold. An instruction all of whose tiles have empty
 * regions succeeds.
 *
 * usage: test_residues [EVERY]: of every EVERY-th instruction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backends/c/emit.h"
#include "backends/lower/kernel_table.h"
#include "batch.h"
#include "tests/verifier/mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of one profile: programs without addresses, and those of level 3. */
static Batch batches[2];
static Profile profile;
static Arena arena;
static unsigned decided, wanted, reasons, emptied, unmet;
static int every = 1; /* instructions are taken */

/* ---- one program ---- */

static bool is_emitted(const Opened *o) {
    return batch_emits(o, profile, &arena);
}

static void add_run(const Opened *o, const Given *g, const Residue *broken) {
    batch_add(&batches[o->e.placed], o, g, broken);
}

/* ---- the rows of an instruction ---- */

static bool may_be_open(const RuleRow *row) {
    return row->cond == C_VALID_MISMATCH || row->cond == C_VALID_RANGE ||
           row->cond == C_VALID_RELATION || row->cond == C_CONST_RANGE ||
           row->cond == C_OPERAND_OVERLAP;
}

static bool counts(const RuleRow *row, Profile p) {
    bool where =
        (row->where & PROFILE_BIT(p)) != 0 || (p == PROFILE_CPU && (row->where & ALL) == ALL);
    return where && (row->when == BOTH || row->when == PAGE) &&
           (may_be_open(row) || row->cond == C_CHECK);
}

/* The test after an open guard: `guard or test`. */
static const Term *behind_guard(const Residue *r) {
    const RowGuard *g = row_guard(r->row);
    bool open = false;
    for (unsigned i = 0; i < g->n; i++)
        open |= guard_list(g)[i].kind == G_EMPTY;
    return open && r->test->kind == TERM_OR ? r->test->b : NULL;
}

/* Whether the two demand the same, so that one check serves both. */
static bool same_demand(const RuleRow *x, const RuleRow *y) {
    return x->cond == y->cond && x->dims == y->dims && x->rel == y->rel && x->dim_b == y->dim_b &&
           x->about == y->about && x->b == y->b && x->guard == y->guard && x->args == y->args;
}

/* The runs for a row of an opened example; false when it leaves nothing of this row. */
static bool add_runs(const Opened *o, const RuleRow *row) {
    const Residue *r = o->rest;
    Given g;
    while (r != NULL && !same_demand(r->row, row))
        r = r->next;
    if (r == NULL || !find_numbers(o, r, NULL, &g)) return false;
    if (!is_emitted(o)) return false;
    add_run(o, &g, r);
    if (!find_numbers(o, NULL, NULL, &g)) fail_msg("%s: never legal", o->e.inst->name);
    add_run(o, &g, NULL);
    if (behind_guard(r) != NULL && find_numbers(o, NULL, behind_guard(r), &g)) add_run(o, &g, NULL);
    return true;
}

/* ---- empty regions ---- */

/* Makes all regions that run time decides empty; false when there is none, or no tile is written.
 * `all`: no tile has another region. */
static bool make_empty(const Opened *o, Given *g, bool *all) {
    bool any = false, writes = false;
    *g = o->given;
    *all = true;
    for (int i = 0; i < o->e.inst->nslots; i++) {
        const ExampleOperand *x = &o->e.operands[i];
        if (x->count == 0) continue;
        *all &= x->kind != K_PART;
        if (x->kind != K_TILE) continue;
        writes |= o->e.inst->slots[i].role == ROLE_WRITE;
        *all &= x->vrow == DYNAMIC && x->vcol == DYNAMIC;
        any |= x->vrow == DYNAMIC || x->vcol == DYNAMIC;
        if (x->vrow == DYNAMIC) g->vrow[i] = 0;
        if (x->vcol == DYNAMIC) g->vcol[i] = 0;
    }
    return any && writes;
}

/* A statement about empty regions writes nothing and is no error; a tile with an extent of its own,
 * or a view, may still break a rule. */
static void try_empty(const Example *e) {
    Opened o;
    Given g;
    bool all;
    if (open_example(&o, e) && make_empty(&o, &g, &all) && is_emitted(&o)) {
        const Residue *r = o.rest;
        while (r != NULL && term_holds(&o, &g, r->test))
            r = r->next;
        if (r != NULL && all && r->row->cond != C_CONST_RANGE) {
            printf("# %s, %s: %s, empty regions do not matter\n", e->inst->name,
                   profile_names[profile], diag_infos[r->row->id].text);
            unmet++;
        }
        if (r == NULL) add_run(&o, &g, NULL);
        emptied += r == NULL;
    }
    close_example(&o);
}

/* A valid extent below the shape is never beyond such a range, and an empty region is legal. */
static bool is_always_kept(const RuleRow *row) {
    return row_is_not_empty(row) ||
           (row->cond == C_VALID_RANGE && row_args(row)->lo <= 0 && row_args(row)->multiple <= 1);
}

static bool try_example(const Example *e, const RuleRow *row) {
    Opened o;
    bool open = open_example(&o, e) && add_runs(&o, row);
    close_example(&o);
    return open;
}

/* A scratch tile in the text lets other operands have `?`. */
static bool add_scratch(Example *e) {
    bool any = false;
    for (int i = 0; i < e->inst->nslots; i++) {
        if (e->inst->slots[i].role != ROLE_SCRATCH || e->operands[i].count > 0) continue;
        e->operands[i].count = 1;
        e->operands[i].fixed_count = true;
        any = true;
    }
    return any && example_find(e);
}

/* Operands that an example leaves out need not be there for the others to overlap. */
static bool try_placed(const Example *plain, const RuleRow *row) {
    Example e = *plain;
    if (row->cond != C_OPERAND_OVERLAP) return false;
    mutate_place(&e);
    e.bench = NULL;
    return example_accepted(&e) && try_example(&e, row);
}

static bool try_row(const Example *plain, const RuleRow *row) {
    Example e;
    if (!mutate_base(&e, plain, row, false)) return false;
    return try_example(&e, row) || (add_scratch(&e) && try_example(&e, row));
}

/* The element types without which there is no kernel, where a legal program has them. */
static void take_kernel_types(Example *e) {
    const KernelRow *row = kernel_first(e->inst);
    const KernelCond *d;
    Example other;
    bool any = false;
    example_init(&other, e->inst, profile, (OpForm)e->form);
    other.bench = e->bench;
    other.no_library = e->no_library;
    other.shown = e->shown;
    for (unsigned k = 0; row != NULL && (d = kernel_type_demand(row, k)) != NULL; k++) {
        if (d->elem == ELEM_NONE || d->alternative) continue;
        other.operands[d->x].elems = ELEM_BIT(d->elem);
        other.operands[d->x].elem = d->elem;
        any = true;
    }
    if (any && example_find(&other)) *e = other;
}

/* A legal program that keeps what the vendor's library demands, too, which emission asks for. */
static bool find_strict(Example *e, const Inst *inst, ExampleBench *bench) {
    example_init(e, inst, profile, OPF_DPS);
    e->bench = bench;
    e->shown = true;
    if (!example_has_form(inst, OPF_DPS) || !example_find(e)) return false;
    take_kernel_types(e);
    return true;
}

/* Rows about extents that nothing is left of at run time, and why. */
enum { ON_A5 = PROFILE_BIT(PROFILE_A5), ON_CPU = PROFILE_BIT(PROFILE_CPU) };
#define STATIC_HERE "a5 demands static extents of all its tiles"
#define LESS "cpu accepts what keeps other rules, of its own or of one chip, and they demand less"
static const struct Closed {
    const char *inst;
    unsigned profiles, rows;
    const char *why;
} closed[] = {
    {"pto.tpack", ON_A5, 1, "the vendor's library does not have it, so it is not emitted"},
    {"pto.tquant.mx", ON_A5, 8, STATIC_HERE},
    {"pto.tquant.mx", ON_A5, 1, "no program with exp_zz is found that is legal besides"},
    {"pto.tquant.mx", ON_CPU, 7, LESS},
    {"pto.tadds", ON_CPU, 1, LESS},
    {"pto.tshls", ON_CPU, 2, LESS},
    {"pto.tshrs", ON_CPU, 2, LESS},
    {"pto.tsort32", ON_CPU, 1, LESS},
    {"pto.tdequant", ON_CPU, 1, LESS},
};
enum { CLOSED = sizeof closed / sizeof *closed };

/* All rows of an instruction that are not open, against those that have a reason. */
static void judge_closed(const Inst *inst, unsigned rows) {
    for (int i = 0; i < CLOSED; i++)
        if ((closed[i].profiles & PROFILE_BIT(profile)) != 0 &&
            strcmp(closed[i].inst, inst->name) == 0)
            reasons += closed[i].rows, rows -= closed[i].rows;
    if (rows != 0) {
        printf("# %s, %s: %d rows more are not open than have a reason\n", inst->name,
               profile_names[profile], (int)rows);
        unmet++;
    }
}

static void try_instruction(const Inst *inst) {
    unsigned n, not_open = 0;
    const RuleRow *rows = rule_rows(inst_id(inst), &n);
    ExampleBench *bench = example_bench_new();
    Example plain, strict;
    bool found = mutate_plain(&plain, inst, profile, bench);
    const bool is_strict = found && find_strict(&strict, inst, bench);
    if (found) take_kernel_types(&plain);
    if (found) try_empty(is_strict ? &strict : &plain);
    if (found)
        for (unsigned i = 0; i < n; i++) {
            if (!counts(&rows[i], profile)) continue;
            bool tried =
                try_row(&plain, &rows[i]) ||
                (is_strict && (try_row(&strict, &rows[i]) || try_placed(&strict, &rows[i])));
            decided += tried;
            if (!may_be_open(&rows[i]) || is_always_kept(&rows[i])) continue;
            wanted++;
            not_open += !tried;
            if (!tried)
                printf("# %s, %s, row %u: nothing left to run time (%s)\n", inst->name,
                       profile_names[profile], i, diag_infos[rows[i].id].text);
        }
    judge_closed(inst, not_open);
    example_bench_free(bench);
}

/* ---- running ---- */

static void run_profile(Profile p, unsigned least) {
    profile = p;
    decided = wanted = reasons = emptied = unmet = 0;
    arena_init(&arena, NULL);
    for (int i = 0; i < 2; i++)
        batch_init(&batches[i], p, &arena);
    for (int id = 1; id < INST_COUNT; id++)
        if (id % every == 0 && inst_table[id].alias_of == INST_INVALID &&
            !inst_is_micro(&inst_table[id]) && emit_lowers(&inst_table[id]))
            try_instruction(&inst_table[id]);
    printf("# %s: %u rows decided at run time in %u runs, %u of empty regions; of %u about extents "
           "%u have a reason to be closed\n",
           profile_names[p], decided, batches[0].nruns + batches[1].nruns, emptied, wanted,
           reasons);
    for (int i = 0; i < 2; i++) {
        unmet += batch_run(&batches[i], false);
        batch_free(&batches[i]);
    }
    arena_free(&arena);
    assert_true(decided * (unsigned)every >= least / (every > 1 ? 2 : 1)); /* or of a sample half */
    assert_int_equal(unmet, 0);
}

static void test_a2a3(void **state) {
    (void)state;
    run_profile(PROFILE_A2A3, 240);
}

static void test_a5(void **state) {
    (void)state;
    run_profile(PROFILE_A5, 275);
}

static void test_cpu(void **state) {
    (void)state;
    run_profile(PROFILE_CPU, 200);
}

int main(int argc, char **argv) {
    if (argc > 1) every = atoi(argv[1]);
    if (every < 1) return 2;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a2a3), cmocka_unit_test(test_a5),
                                       cmocka_unit_test(test_cpu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
