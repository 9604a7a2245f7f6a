/* For every (instruction, profile, rule) there is a legal program in which the rule counts, and one
 * that breaks just this rule, which `check` rejects by naming it. Both are found by the search that
 * the tables drive (mutate.c), or stand in the case files given. Profiles are those with rules of
 * their own. usage: test_mutator [-i INSTRUCTION] cases*.txt programs*.txt */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/verifier/casefile.h"
#include "tests/verifier/mutate.h"
#include "tests/verifier/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *only; /* for looking at one instruction */
static char **paths;
static int npaths;

static const Profile profiles[] = {PROFILE_A2A3, PROFILE_A5};
enum { PROFILES = 2 };

/* ---- what the case files show ---- */

/* By profile: instructions in accepted texts, and rows that refused (or warned of) a text. */
static bool seen_accepted[PROFILES][INST_COUNT];
static uint8_t *seen_broken[INST_COUNT]; /* by row: a bit per profile */

typedef struct Sight {
    const CheckRun *run;
    unsigned profiles;
} Sight;

static void note_broken(void *user, InstId inst, const RuleRow *row) {
    const Sight *s = user;
    unsigned n;
    const RuleRow *rows = rule_rows(inst, &n);
    if (row >= rows && row < rows + n) seen_broken[inst][row - rows] |= (uint8_t)s->profiles;
}

static bool note_accepted(Op *op, void *arg) {
    const Sight *s = arg;
    for (unsigned p = 0; p < PROFILES; p++)
        if ((s->profiles & 1u << p) != 0) seen_accepted[p][inst_id(op->inst)] = true;
    return true;
}

static void see_case(const CaseText *c, void *arg) {
    (void)arg;
    CheckRun run;
    Sight s = {&run, 0};
    VerifyOptions opt = c->options;
    for (unsigned p = 0; p < PROFILES; p++)
        if ((opt.profiles & PROFILE_BIT(profiles[p])) != 0) s.profiles |= 1u << p;
    opt.on_broken = note_broken;
    opt.user = &s;
    check_run(&run, c->where, c->text, c->size, &opt);
    if (check_run_accepted(&run)) op_walk(run.module->root, note_accepted, &s);
    check_run_free(&run);
}

static void see_cases(void) {
    for (int id = 1; id < INST_COUNT; id++) {
        unsigned n;
        rule_rows((InstId)id, &n);
        seen_broken[id] = calloc(n + 1, 1);
        assert_non_null(seen_broken[id]);
    }
    for (int i = 0; i < npaths; i++)
        each_case(paths[i], see_case, NULL);
}

/* ---- the triples ---- */

typedef struct Tally {
    unsigned triples, made, broken, from_cases, missing;
} Tally;

static void report(const Inst *inst, Profile p, const RuleRow *row, const char *what) {
    static const char *const when[] = {"always", "page", "vendor", "compat", "deprecated", "warn"};
    unsigned n;
    const RuleRow *rows = rule_rows(inst_id(inst), &n);
    printf("%s, %s, row %d [%s] %s, %s%s%s: %s\n", inst->name, profile_names[p], (int)(row - rows),
           diag_infos[row->id].text, when[row->when], row->a, row->guard != NULL ? " if " : "",
           row->guard != NULL ? row->guard : "", what);
}

static bool in_profile(const RuleRow *row, Profile p) {
    return (row->where & (p == PROFILE_A5 ? A5 : A2A3)) != 0;
}

/* Rows that say that there is no such instruction: it exists under another profile, or without
 * --compat, and is judged here. */
static bool try_absent(const Example *other, Profile p, const RuleRow *row) {
    Example e = *other;
    Verdict v;
    e.profile = p;
    e.compat = row->when == COMPAT;
    example_judge(&e, &v);
    return v.row == row && !v.accepted;
}

static void try_row(const Example *plain, const Example *elsewhere, unsigned p, const RuleRow *row,
                    Tally *t) {
    Example e;
    const Inst *inst = plain->inst;
    unsigned n;
    long at = row - rule_rows(inst_id(inst), &n);
    t->triples++;
    bool absent = row->cond == C_NOT_IN_PROFILE || row->cond == C_NOT_IN_PTOAS;
    if (absent && row->guard == NULL && elsewhere != NULL &&
        try_absent(elsewhere, profiles[p], row)) {
        t->made++;
        t->broken++;
        return;
    }
    bool case_broken = (seen_broken[inst_id(inst)][at] & 1u << p) != 0;
    bool base = plain->operands[0].kind != 0 && mutate_base(&e, plain, row);
    t->made += base;
    bool broken = base && !case_broken && mutate_break(&e, row);
    t->broken += broken;
    t->from_cases += case_broken;
    base |= seen_accepted[p][inst_id(inst)];
    if (base && (broken || case_broken)) return;
    t->missing++;
    report(inst, profiles[p], row, base ? "not broken" : "no legal program");
}

static void try_instruction(InstId id, Tally *t) {
    unsigned n;
    const Inst *inst = &inst_table[id];
    const RuleRow *rows = rule_rows(id, &n);
    Example plain[PROFILES];
    bool found[PROFILES];
    ExampleBench *bench = example_bench_new();
    for (unsigned p = 0; p < PROFILES && n > 0; p++) {
        found[p] = mutate_plain(&plain[p], inst, profiles[p], bench);
        if (found[p]) continue;
        memset(&plain[p], 0, sizeof plain[p]);
        plain[p].inst = inst;
        plain[p].profile = profiles[p];
        plain[p].bench = bench;
    }
    for (unsigned i = 0; i < n; i++)
        for (unsigned p = 0; p < PROFILES; p++)
            if (in_profile(&rows[i], profiles[p]))
                try_row(&plain[p],
                        found[p]    ? &plain[p]
                        : found[!p] ? &plain[!p]
                                    : NULL,
                        p, &rows[i], t);
    example_bench_free(bench);
}

static void every_rule_is_kept_and_broken(void **state) {
    (void)state;
    Tally t = {0, 0, 0, 0, 0};
    see_cases();
    for (int id = 1; id < INST_COUNT; id++)
        if (only == NULL || strcmp(only, inst_table[id].name) == 0) try_instruction((InstId)id, &t);
    printf("%u (instruction, profile, rule) triples: %u with a program made to keep the rule, %u "
           "with one "
           "made to break it, %u broken in a case file, %u missing\n",
           t.triples, t.made, t.broken, t.from_cases, t.missing);
    for (int id = 1; id < INST_COUNT; id++)
        free(seen_broken[id]);
    assert_int_equal(t.missing, 0);
}

int main(int argc, char **argv) {
    paths = argv + 1;
    npaths = argc - 1;
    if (argc > 2 && strcmp(argv[1], "-i") == 0) {
        only = argv[2];
        paths += 2;
        npaths -= 2;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rule_is_kept_and_broken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
