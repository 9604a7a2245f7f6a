/* SPDX-License-Identifier: Apache-2.0 */
/* What `explain` says about emission is what happens: its examples, in every profile and form, are
 * emitted exactly where it says so. For each instruction, each element type that the rules leave to
 * the operand that chooses the code is given to it in a legal program, and emission has C for it
 * exactly where the fact says so. The rest of a program that is not emitted
 * says which instruction has no kernel. And pairs of types that a profile accepts have code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/ptoasm.h"
#include "backends/c/emit.h"
#include "backends/lower/kernel_table.h"
#include "explain/facts.h"

#include <stdio.h>
#include <string.h>

/* Of the pairs of types so many are left out: a prime, so that each type has its turn. */
enum { PAIR_STEP = EVERY > 1 ? 41 : 5 };
static unsigned programs, pairs, wrong;
static ExampleBench *bench;

typedef enum Emission { EMITTED, NO_KERNEL, REFUSED } Emission;

/* REFUSED: for another reason, such as a type that C does not have. */
static Emission emit(const Example *e, Arena *arena) {
    StrBuf text;
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    ptoasm_emit_options how = {.size = sizeof how};
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    sb_init(&text, arena);
    example_print(e, &text);
    opt.profiles = PROFILE_BIT(e->profile);
    const char *t = sb_text(&text);
    assert_int_equal(ptoasm_source_open("e.pto", t, strlen(t), PTOASM_SOURCE_BORROW, &src), 0);
    const bool done = ptoasm_emit(src, &opt, &how, &res) == PTOASM_OK;
    const bool lacks = !done && strstr(ptoasm_diagnostics_text(res, 0, NULL), "[no-kernel]");
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    programs++;
    return done ? EMITTED : lacks ? NO_KERNEL : REFUSED;
}

static OpForm form_of(const Inst *inst) {
    OpForm forms[4];
    return inst_forms(inst, forms) > 0 ? forms[0] : OPF_DPS;
}

static void narrow(Example *e, int slot, int elem) {
    e->operands[slot].elems = ELEM_BIT(elem);
    e->operands[slot].elem = (uint8_t)elem;
}

/* Narrows what the kernel table demands; `slot`, if it is not -1, has type `elem`, and so has an
 * operand that must have the same. */
static void narrow_demands(Example *e, const KernelRow *row, int slot, int elem) {
    const KernelCond *d;
    for (unsigned k = 0; row != NULL && (d = kernel_type_demand(row, k)) != NULL; k++) {
        if (d->test == KTEST_SAME_TYPE && slot >= 0) {
            if (d->x == slot || d->other == slot) narrow(e, d->x == slot ? d->other : d->x, elem);
        } else if (d->elem != ELEM_NONE && !d->alternative) {
            narrow(e, d->x, d->elem);
        }
    }
}

/* A legal program in which `slot` has elements of type `elem` and `second`, where it is not -1, of
 * type `elem2`. */
static bool find(Example *e, const Inst *inst, int slot, int elem, int second, int elem2) {
    example_init(e, inst, PROFILE_CPU, form_of(inst));
    e->bench = bench;
    narrow_demands(e, kernel_first(inst), slot, elem);
    narrow(e, slot, elem);
    if (second >= 0) narrow(e, second, elem2);
    e->max_tries = 400;
    return example_find(e) && e->operands[slot].elem == elem;
}

/* With some type of the second operand that the table has beside this one. */
static Emission emit_with_any(const Inst *inst, int slot, int elem, Arena *arena) {
    Emission best = REFUSED;
    Example e;
    if (find(&e, inst, slot, elem, -1, 0)) best = emit(&e, arena);
    for (const KernelRow *row = kernel_first(inst); row != NULL; row = kernel_next(inst, row)) {
        const KernelTypes *types = kernel_types + row->types;
        const int second = row->elems[1];
        for (int e2 = 1; best != EMITTED && second >= 0 && e2 < ELEM_COUNT; e2++)
            for (unsigned i = 0; best != EMITTED && i < row->ntypes; i++)
                if (types[i].e1 == kernel_elem(elem) && types[i].e2 == kernel_elem(e2) &&
                    find(&e, inst, slot, elem, second, e2))
                    best = emit(&e, arena);
    }
    return best;
}

static void complain(const Inst *inst, int elem, const char *what) {
    printf("# %s, %s: %s\n", inst->name, elem_infos[elem].text, what);
    wrong++;
}

static void try_types(const InstFacts *f, const CodeFact *fact, Arena *arena) {
    const int slot = inst_slot_named(f->inst, fact->operand, strlen(fact->operand));
    for (int e = 1; e < ELEM_COUNT; e++) {
        if (!((fact->has | fact->lacks) & ELEM_BIT(e))) continue;
        const Emission a = emit_with_any(f->inst, slot, e, arena);
        if ((fact->lacks & ELEM_BIT(e)) && a == EMITTED)
            complain(f->inst, e, "emitted all the same");
        if ((fact->has & ELEM_BIT(e)) && a == NO_KERNEL) complain(f->inst, e, "not emitted");
    }
}

/* Pairs that a profile accepts and that have no code, for a reason. */
static bool has_no_meaning(const Inst *inst, Profile profile, int e1, int e2) {
    static const char *const chips_only[] = {"pto.tdequant", "pto.tmov.a2v", "pto.tmov.fp"};
    /* A copy of elements of different sizes: no page says what it makes of them. */
    if (strncmp(inst->name, "pto.tmov", 8) == 0 && elem_infos[e1].bytes != elem_infos[e2].bytes)
        return true;
    /* The pages of the chips list the types; cpu has no list, and the formula no other types. */
    for (unsigned i = 0; i < sizeof chips_only / sizeof *chips_only; i++)
        if (profile == PROFILE_CPU && strcmp(inst->name, chips_only[i]) == 0) return true;
    return false;
}

/* Whether a row names a second operand whose type has no code beside that of the first. */
static bool is_odd_pair(const Example *e) {
    const KernelRow *row = kernel_first(e->inst);
    return row != NULL && row->elems[1] >= 0 &&
           has_no_meaning(e->inst, e->profile, e->operands[row->elems[0]].elem,
                          e->operands[row->elems[1]].elem);
}

/* Whether the fact promises C for the program. */
static bool is_promised(const CodeFact *fact, const Example *e) {
    const int slot =
        fact->operand != NULL ? inst_slot_named(e->inst, fact->operand, strlen(fact->operand)) : -1;
    if (!fact->emitted) return false;
    return slot < 0 || (fact->lacks & ELEM_BIT(e->operands[slot].elem)) == 0;
}

static void try_example(const CodeFact *fact, const Example *e, Arena *arena) {
    if (is_odd_pair(e)) return; /* see pairs_are_emitted */
    const Emission a = emit(e, arena);
    const char *where =
        arena_printf(arena, "%s, %s", profile_names[e->profile], form_text(e->form));
    if (is_promised(fact, e) && a != EMITTED)
        complain(e->inst, 0, arena_printf(arena, "an example is not emitted (%s)", where));
    if (!is_promised(fact, e) && a == EMITTED)
        complain(e->inst, 0, arena_printf(arena, "an example is not refused (%s)", where));
}

/* The example that `explain` prints, and one for each profile and form. */
static void try_examples(const InstFacts *f, const CodeFact *fact, Arena *arena) {
    OpForm forms[4];
    const unsigned n = inst_forms(f->inst, forms);
    if (f->has_example) try_example(fact, &f->example, arena);
    for (unsigned i = 0; i < n * PROFILE_COUNT; i++) {
        Example e;
        example_init(&e, f->inst, (Profile)(i % PROFILE_COUNT), forms[i / PROFILE_COUNT]);
        e.bench = bench;
        e.shown = true;
        if (example_find(&e)) try_example(fact, &e, arena);
    }
    if (!fact->emitted && f->inst->rare->unwritable == NULL && !inst_is_micro(f->inst))
        complain(f->inst, 0, "without a reason");
}

/* Operands that must have certain types: with another one there is no kernel. */
static void try_demands(const InstFacts *f, Arena *arena) {
    const KernelCond *d;
    const KernelRow *row = kernel_first(f->inst);
    for (unsigned k = 0; row != NULL && (d = kernel_type_demand(row, k)) != NULL; k++) {
        Example e;
        if (d->elem == ELEM_NONE || d->alternative) continue;
        assert_true((d->elems & ELEM_BIT(ELEM_I8)) == 0);
        if (find(&e, f->inst, d->x, ELEM_I8, -1, 0) && emit(&e, arena) != NO_KERNEL)
            complain(f->inst, ELEM_I8, "emitted with a type that the table does not have");
    }
}

static void try_instruction(const Inst *inst) {
    Arena arena;
    jmp_buf oom;
    InstFacts f;
    memset(&arena, 0, sizeof arena);
    arena_init(&arena, &oom);
    assert_int_equal(setjmp(oom), 0);
    bench = example_bench_new();
    inst_facts(&f, inst, &arena);
    const CodeFact fact = code_fact(&f);
    try_examples(&f, &fact, &arena);
    if (fact.operand != NULL) try_types(&f, &fact, &arena);
    try_demands(&f, &arena);
    example_bench_free(bench);
    arena_free(&arena);
}

static void facts_are_what_happens(void **state) {
    (void)state;
    for (int id = 1; id < INST_COUNT; id += EVERY)
        if (inst_table[id].alias_of == INST_INVALID) try_instruction(&inst_table[id]);
    printf("# %u programs\n", programs);
    assert_int_equal(wrong, 0);
}

/* ---- pairs of types ---- */

static bool find_pair(Example *e, const Inst *inst, Profile profile, const KernelRow *row,
                      const int slots[2], int e1, int e2) {
    example_init(e, inst, profile, form_of(inst));
    e->bench = bench;
    narrow_demands(e, row, -1, ELEM_NONE);
    narrow(e, slots[0], e1);
    narrow(e, slots[1], e2);
    e->max_tries = 40;
    return example_find(e) && e->operands[slots[0]].elem == e1 && e->operands[slots[1]].elem == e2;
}

/* The first line of the table tells which operands choose the code. */
static void try_pairs(const Inst *inst, Profile profile, Arena *arena) {
    const KernelRow *row = kernel_first(inst);
    if (row == NULL || row->elems[1] < 0 || inst_is_micro(inst)) return;
    const int slots[2] = {row->elems[0], row->elems[1]};
    for (int i = 0; i < ELEM_COUNT * ELEM_COUNT; i += PAIR_STEP) {
        const int e1 = i / ELEM_COUNT, e2 = i % ELEM_COUNT;
        Example e;
        if (e1 == 0 || e2 == 0 || has_no_meaning(inst, profile, e1, e2) ||
            !find_pair(&e, inst, profile, row, slots, e1, e2))
            continue;
        pairs++;
        if (emit(&e, arena) == NO_KERNEL) complain(inst, e1, elem_infos[e2].text);
    }
}

static void try_profiles(const Inst *inst, Arena *arena) {
    for (int p = 0; p < PROFILE_COUNT; p++) {
        bench = example_bench_new();
        try_pairs(inst, (Profile)p, arena);
        example_bench_free(bench);
    }
}

static void try_all_pairs(const Inst *inst) {
    Arena arena;
    jmp_buf oom;
    memset(&arena, 0, sizeof arena);
    arena_init(&arena, &oom);
    assert_int_equal(setjmp(oom), 0);
    try_profiles(inst, &arena);
    arena_free(&arena);
}

static void pairs_are_emitted(void **state) {
    (void)state;
    wrong = pairs = 0;
    for (int id = 1; id < INST_COUNT; id++)
        if (inst_table[id].alias_of == INST_INVALID) try_all_pairs(&inst_table[id]);
    printf("# %u pairs\n", pairs);
    assert_true(pairs > 2000 / PAIR_STEP); /* fewer than in suite slow */
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(facts_are_what_happens),
                                       cmocka_unit_test(pairs_are_emitted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
