/* SPDX-License-Identifier: Apache-2.0 */
/* For every instruction, profile and form the search finds a program, and `check` accepts it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/ptoasm.h"
#include "explain/facts.h"

#include <stdio.h>
#include <string.h>

static const char *const form_names[] = {
    [OPF_DPS] = "DPS", [OPF_SSA] = "SSA", [OPF_AS] = "PTO-AS", [OPF_GENERIC] = "generic"};

/* Parser, verifier and planner. */
static bool is_accepted(const Example *e, const char *text) {
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    opt.profiles = PROFILE_BIT(e->profile);
    assert_int_equal(
        ptoasm_source_open("example.pto", text, strlen(text), PTOASM_SOURCE_BORROW, &src),
        PTOASM_OK);
    bool accepted = ptoasm_check(src, &opt, &res) == PTOASM_OK;
    if (!accepted) {
        fprintf(stderr, "%s, %s, %s:\n%s", e->inst->name, profile_names[e->profile],
                form_names[e->form], text);
        fputs(ptoasm_diagnostics_text(res, 0, NULL), stderr);
    }
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return accepted;
}

static unsigned found, wrong;

static bool try_one(const Inst *inst, Profile profile, OpForm form) {
    Arena arena;
    jmp_buf oom;
    Example e;
    memset(&arena, 0, sizeof arena);
    example_init(&e, inst, profile, form);
    e.shown = true;
    if (!example_find(&e)) {
        bool absent = e.broken != NULL && e.broken->id == DIAG_NOT_IN_PROFILE;
        if (!absent)
            fprintf(stderr, "%s, %s, %s: no example (%s after %u tries)\n", inst->name,
                    profile_names[profile], form_names[form],
                    e.id < DIAG_COUNT ? diag_infos[e.id].text : "unreadable", e.tries);
        return absent;
    }
    found++;
    arena_init(&arena, &oom);
    assert_int_equal(setjmp(oom), 0);
    StrBuf text;
    sb_init(&text, &arena);
    example_print(&e, &text);
    wrong += !is_accepted(&e, sb_text(&text));
    arena_free(&arena);
    return true;
}

/* What the search does not find needs an entry in explain/examples.def. */
static void every_instruction_has_examples(void **state) {
    (void)state;
    unsigned missing = 0;
    for (int id = 1; id < INST_COUNT; id++)
        for (int p = 0; p < PROFILE_COUNT; p++)
            for (int f = OPF_DPS; f <= OPF_GENERIC; f++)
                if (example_has_form(&inst_table[id], (OpForm)f))
                    missing += !try_one(&inst_table[id], (Profile)p, (OpForm)f);
    printf("%u examples, %u not found, %u not accepted\n", found, missing, wrong);
    assert_int_equal(wrong, 0);
    assert_int_equal(missing, 0);
}

/* ---- statements with every optional operand ---- */

/* The statement can be read, and what is printed of it is the same. */
static bool is_read(const char *text, const char *statement) {
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    assert_int_equal(ptoasm_source_open("all.pto", text, strlen(text), PTOASM_SOURCE_BORROW, &src),
                     PTOASM_OK);
    bool fine = ptoasm_format(src, NULL, PTOASM_FORM_KEEP, &res) == PTOASM_OK;
    const char *printed = fine ? ptoasm_result_text(res, NULL) : "";
    fine = fine && strstr(text, statement) != NULL && strstr(printed, statement) != NULL;
    if (!fine) fprintf(stderr, "%s\n%s%s", statement, text, ptoasm_diagnostics_text(res, 0, NULL));
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return fine;
}

/* True when all optional operands are in the statement that the page of an instruction shows. */
static bool shows_all(const InstFacts *f, Arena *arena) {
    OpForm forms[4];
    assert_true(inst_forms(f->inst, forms) > 0);
    const char *all = syntax_text(f, forms[0], true);
    if (has_all_optional(&f->example) && !inst_has_clauses(f->inst)) {
        assert_null(all);
        all = syntax_text(f, forms[0], false);
    }
    assert_non_null(all);
    Example e = f->example;
    StrBuf text;
    sb_init(&text, arena);
    example_take_all(&e);
    e.form = forms[0];
    e.aliases = true;
    example_print(&e, &text);
    bool fine = is_read(sb_text(&text), inst_has_clauses(f->inst) ? "" : all);
    for (int i = 0; i < f->inst->nslots; i++)
        fine &= f->inst->slots[i].arity != ARITY_OPT ||
                strstr(all, arena_printf(arena, "%%%s", f->inst->slots[i].name)) != NULL;
    if (!fine) fprintf(stderr, "%s: %s\n", f->inst->name, all);
    return fine;
}

static bool page_shows_all(const Inst *inst) {
    Arena arena;
    jmp_buf oom;
    InstFacts f;
    memset(&arena, 0, sizeof arena);
    arena_init(&arena, &oom);
    assert_int_equal(setjmp(oom), 0);
    inst_facts(&f, inst, &arena);
    assert_true(f.has_example);
    bool fine = shows_all(&f, &arena);
    arena_free(&arena);
    return fine;
}

/* No page promises a statement that it does not show, and each can be read. */
static void optional_operands_are_shown(void **state) {
    (void)state;
    unsigned shown = 0, missing = 0;
    for (int id = 1; id < INST_COUNT; id++) {
        if (inst_table[id].alias_of != INST_INVALID || !has_optional(&inst_table[id])) continue;
        shown++;
        missing += !page_shows_all(&inst_table[id]);
    }
    printf("%u statements with every optional operand\n", shown);
    assert_true(shown > 60);
    assert_int_equal(missing, 0);
}

/* ---- defaults ---- */

/* True when the rule allows what the page calls the default of the attribute. */
static bool default_is_allowed(const Inst *inst, const RuleRow *row) {
    bool fine = true;
    RowName name;
    for (const uint8_t *at = row_about(row); row_next(&at, &name);) {
        const AttrInfo *a = name.index >= 0 ? &inst->attrs[name.index] : NULL;
        if (a == NULL || a->required || a->absent != 0) continue;
        fine = a->dflt >= row_args(row)->lo && a->dflt <= row_args(row)->hi;
        if (!fine)
            fprintf(stderr, "%s: %s has a default that a rule forbids\n", inst->name, a->name);
    }
    return fine;
}

static void defaults_are_allowed(void **state) {
    (void)state;
    unsigned compared = 0, wrong_defaults = 0;
    for (int id = 1; id < INST_COUNT; id++) {
        unsigned n;
        const RuleRow *rows = rule_rows((InstId)id, &n);
        for (unsigned i = 0; i < n; i++) {
            if (rows[i].cond != C_ATTR_VALUE) continue;
            compared++;
            wrong_defaults += !default_is_allowed(&inst_table[id], &rows[i]);
        }
    }
    assert_true(compared > 20);
    assert_int_equal(wrong_defaults, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(defaults_are_allowed),
                                       cmocka_unit_test(optional_operands_are_shown),
                                       cmocka_unit_test(every_instruction_has_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
