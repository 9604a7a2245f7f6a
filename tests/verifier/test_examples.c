/* For every instruction, profile and form the search finds a program, and `check` accepts it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/ptoasm.h"
#include "explain/example.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_instruction_has_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
