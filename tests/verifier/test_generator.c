/* SPDX-License-Identifier: Apache-2.0 */
/* Legal programs from the tables: for every instruction and profile, each element type and layout
 * that an operand can have by itself, in every form. What the search finds goes through the public
 * interface: `check` accepts it, `fmt` comes to rest, and the other of the DPS and SSA forms is
 * accepted or refused as one that does not exist. usage: test_generator [PART/PARTS [EVERY]]: every
 * EVERY-th choice is tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/ptoasm.h"
#include "explain/example.h"

#include <stdio.h>
#include <string.h>

static int part, parts = 1;
static unsigned every = 1;
static unsigned choices, found, texts, converted, unconverted, wrong;

/* ---- through the public interface ---- */

typedef struct Judged {
    const char *text;
    ptoasm_options opt;
} Judged;

static void complain(const char *what, const char *text, ptoasm_result *res) {
    fprintf(stderr, "%s:\n%s%s", what, text, ptoasm_diagnostics_text(res, 0, NULL));
    wrong++;
}

static ptoasm_source *source_of(const char *text) {
    ptoasm_source *src;
    assert_int_equal(
        ptoasm_source_open("example.pto", text, strlen(text), PTOASM_SOURCE_BORROW, &src),
        PTOASM_OK);
    return src;
}

static void check_text(const Judged *j, const char *text, const char *what) {
    ptoasm_source *src = source_of(text);
    ptoasm_result *res = NULL;
    if (ptoasm_check(src, &j->opt, &res) != PTOASM_OK) complain(what, text, res);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

/* Printing what was printed changes nothing. */
static void check_rest(const Judged *j) {
    ptoasm_source *src = source_of(j->text), *again = NULL;
    ptoasm_result *once = NULL, *twice = NULL;
    if (ptoasm_format(src, &j->opt, PTOASM_FORM_KEEP, &once) != PTOASM_OK) {
        complain("cannot be printed", j->text, once);
    } else {
        const char *text = ptoasm_result_text(once, NULL);
        again = source_of(text);
        if (ptoasm_format(again, &j->opt, PTOASM_FORM_KEEP, &twice) != PTOASM_OK ||
            strcmp(text, ptoasm_result_text(twice, NULL)) != 0)
            complain("printed differently again", text, twice);
    }
    ptoasm_result_free(twice);
    ptoasm_result_free(once);
    if (again != NULL) ptoasm_source_close(again);
    ptoasm_source_close(src);
}

static void check_converted(const Judged *j, enum ptoasm_form form) {
    ptoasm_source *src = source_of(j->text);
    ptoasm_result *res = NULL;
    if (ptoasm_format(src, &j->opt, form, &res) == PTOASM_OK) {
        check_text(j, ptoasm_result_text(res, NULL), "refused after conversion");
        converted++;
    } else if (strstr(ptoasm_diagnostics_text(res, 0, NULL), "[conversion]") != NULL) {
        unconverted++;
    } else {
        complain("not converted", j->text, res);
    }
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

static void check_example(const Example *e) {
    Arena arena;
    jmp_buf oom;
    memset(&arena, 0, sizeof arena);
    arena_init(&arena, &oom);
    assert_int_equal(setjmp(oom), 0);
    StrBuf text;
    sb_init(&text, &arena);
    example_print(e, &text);
    Judged j = {sb_text(&text), PTOASM_OPTIONS_INIT};
    j.opt.profiles = PROFILE_BIT(e->profile);
    texts++;
    check_text(&j, j.text, "refused");
    check_rest(&j);
    if (e->form == OPF_DPS && example_has_form(e->inst, OPF_SSA))
        check_converted(&j, PTOASM_FORM_SSA);
    if (e->form == OPF_SSA && example_has_form(e->inst, OPF_DPS))
        check_converted(&j, PTOASM_FORM_DPS);
    arena_free(&arena);
}

/* The form it was found in, and every other one in which the verifier takes it. */
static void check_forms(const Example *e) {
    found++;
    for (int f = OPF_DPS; f <= OPF_GENERIC; f++) {
        Example one = *e;
        if (!example_has_form(e->inst, (OpForm)f)) continue;
        one.form = (OpForm)f;
        if (one.form == e->form || (one.text == NULL && example_accepted(&one)))
            check_example(&one);
    }
}

/* ---- the choices ---- */

static bool find(Example *e, unsigned tries) {
    e->max_tries = tries;
    return example_find(e);
}

static void try_choices(const Example *first, const Example *plain, int operand) {
    const ExampleOperand *o = &first->operands[operand];
    bool tile = plain->operands[operand].kind == K_TILE;
    for (int k = 0; k < ELEM_COUNT + 6; k++) {
        Example e = *first;
        ExampleOperand *one = &e.operands[operand];
        if (k < ELEM_COUNT) {
            if ((o->elems & ELEM_BIT(k)) == 0) continue;
            one->elems = ELEM_BIT(k);
        } else {
            if (!tile) break;
            one->layouts = (uint8_t)(1u << (k - ELEM_COUNT));
        }
        if (choices++ % every == 0 && find(&e, 60)) check_forms(&e);
    }
}

static void try_instruction(const Inst *inst, Profile p, ExampleBench *bench) {
    for (int f = OPF_DPS; f <= OPF_GENERIC; f++) {
        if (!example_has_form(inst, (OpForm)f)) continue;
        Example first, plain;
        example_init(&first, inst, p, (OpForm)f);
        first.bench = bench;
        plain = first;
        if (!find(&plain, 0)) continue;
        check_forms(&plain);
        int n = inst->nslots + inst->nresults;
        for (int i = 0; i < n && plain.text == NULL; i++)
            if (plain.operands[i].count > 0) try_choices(&first, &plain, i);
        return;
    }
}

static void all_choices_give_accepted_programs(void **state) {
    (void)state;
    for (int id = 1; id < INST_COUNT; id++) {
        if (id % parts != part || inst_table[id].alias_of != INST_INVALID) continue;
        ExampleBench *bench = example_bench_new();
        for (int p = 0; p < PROFILE_COUNT; p++)
            try_instruction(&inst_table[id], (Profile)p, bench);
        example_bench_free(bench);
    }
    printf(
        "%u choices, %u with a legal program, %u programs in all forms, %u converted, %u without "
        "the other form, %u wrong\n",
        choices, found, texts, converted, unconverted, wrong);
    assert_int_equal(wrong, 0);
    assert_true(texts > 0);
}

int main(int argc, char **argv) {
    if (argc > 1 && (sscanf(argv[1], "%d/%d", &part, &parts) != 2 || parts < 1)) return 2;
    if (argc > 2 && (sscanf(argv[2], "%u", &every) != 1 || every < 1)) return 2;
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_choices_give_accepted_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
