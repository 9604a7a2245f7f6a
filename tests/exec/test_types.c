/* SPDX-License-Identifier: Apache-2.0 */
/* Emission promises nothing that the runtime refuses: for each instruction, profile and operand,
 * each element type that a legal program can give to the operand is given to it, and what is
 * emitted runs. EVERY: of so many choices one is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backends/c/emit.h"
#include "batch.h"

#include <stdio.h>

enum { TRIES = 60 };
static unsigned choices, taken;

/* Adds the example to the batch of its level if it is emitted. */
static void add_example(const Example *e, Batch batches[2]) {
    Opened o;
    Batch *b = &batches[e->placed];
    Given g;
    if (open_example(&o, e) && batch_emits(&o, b->profile, b->text.arena) &&
        find_numbers(&o, NULL, NULL, &g)) {
        batch_add(b, &o, &g, NULL);
        taken++;
    }
    close_example(&o);
}

/* Each element type of one operand. */
static void try_operand(const Example *first, int operand, Batch batches[2]) {
    for (int k = 0; k < ELEM_COUNT; k++) {
        if ((first->operands[operand].elems & ELEM_BIT(k)) == 0) continue;
        if (choices++ % EVERY != 0) continue;
        Example e = *first;
        e.operands[operand].elems = ELEM_BIT(k);
        e.max_tries = TRIES;
        if (example_find(&e)) add_example(&e, batches);
    }
}

static void try_instruction(const Inst *inst, Profile p, Batch batches[2]) {
    Example first, plain;
    ExampleBench *bench = example_bench_new();
    example_init(&first, inst, p, OPF_DPS);
    first.bench = bench;
    plain = first;
    if (example_has_form(inst, OPF_DPS) && example_find(&plain) && plain.text == NULL)
        for (int i = 0; i < inst->nslots; i++)
            if (plain.operands[i].count > 0 && plain.operands[i].kind == K_TILE)
                try_operand(&first, i, batches);
    example_bench_free(bench);
}

static void run_profile(Profile p) {
    Arena arena;
    Batch batches[2];
    unsigned failures = 0;
    choices = taken = 0;
    arena_init(&arena, NULL);
    for (int i = 0; i < 2; i++)
        batch_init(&batches[i], p, &arena);
    for (int id = 1; id < INST_COUNT; id++)
        if (inst_table[id].alias_of == INST_INVALID && !inst_is_micro(&inst_table[id]) &&
            emit_lowers(&inst_table[id]))
            try_instruction(&inst_table[id], p, batches);
    for (int i = 0; i < 2; i++) {
        if (batches[i].nruns > 0) failures += batch_run(&batches[i], true);
        batch_free(&batches[i]);
    }
    arena_free(&arena);
    printf("# %s: %u choices of an element type, %u programs ran, %u were refused\n",
           profile_names[p], choices, taken, failures);
    assert_true(taken > 0);
    assert_int_equal(failures, 0);
}

static void test_cpu(void **state) {
    (void)state;
    run_profile(PROFILE_CPU);
}

static void test_a2a3(void **state) {
    (void)state;
    run_profile(PROFILE_A2A3);
}

static void test_a5(void **state) {
    (void)state;
    run_profile(PROFILE_A5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cpu), cmocka_unit_test(test_a2a3),
                                       cmocka_unit_test(test_a5)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
