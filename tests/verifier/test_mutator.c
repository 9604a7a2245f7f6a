/* SPDX-License-Identifier: Apache-2.0 */
/* For every (instruction, profile, rule) there is a legal program in which the rule counts, and one
 * that breaks just this rule, which `check` rejects by naming it. Both are found by the search that
 * the tables drive (mutate.c), or are in the case files given. The rows of cpu are those for
 * what neither hardware has. usage: test_mutator [-i INSTRUCTION | -p PART/PARTS] cases*.txt
 * programs*.txt */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/verifier/casefile.h"
#include "tests/verifier/mutate.h"
#include "tests/verifier/mutate_text.h"
#include "tests/verifier/run.h"
#include "verifier/rules/checks/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *only; /* for looking at one instruction */
static int part, parts = 1;
static char **paths;
static int npaths;

static const Profile profiles[] = {PROFILE_A2A3, PROFILE_A5, PROFILE_CPU};
enum { PROFILES = 3 };

/* ---- what the case files show ---- */

/* By profile: instructions in accepted texts, and rows that refused (or warned of) a text. */
static bool seen_accepted[PROFILES][INST_COUNT];
static uint8_t *seen_broken[INST_COUNT]; /* by row: a bit per profile */

/* Accepted texts with an instruction, to be changed. */
typedef struct Base {
    struct Base *next;
    char *text;
    size_t size;
    VerifyOptions opt;
} Base;
static Base *bases[PROFILES][INST_COUNT];
static unsigned nbases[PROFILES][INST_COUNT];
enum { MOST_BASES = 12 };

typedef struct Sight {
    CheckRun run;
    const CaseText *text;
    unsigned profile;
} Sight;

static void note_broken(void *user, InstId inst, const RuleRow *row) {
    const Sight *s = user;
    unsigned n;
    const RuleRow *rows = rule_rows(inst, &n);
    if (row >= rows && row < rows + n) seen_broken[inst][row - rows] |= (uint8_t)(1u << s->profile);
}

static void add_base(const Sight *s, InstId id) {
    Base *b = nbases[s->profile][id] < MOST_BASES ? calloc(1, sizeof *b) : NULL;
    if (b == NULL ||
        (bases[s->profile][id] != NULL && bases[s->profile][id]->size == s->text->size &&
         memcmp(bases[s->profile][id]->text, s->text->text, s->text->size) == 0)) {
        free(b);
        return;
    }
    *b = (Base){bases[s->profile][id],
                malloc(s->text->size + 1),
                s->text->size,
                {.level = s->text->options.level, .compat = s->text->options.compat}};
    assert_non_null(b->text);
    memcpy(b->text, s->text->text, s->text->size);
    b->text[b->size] = '\0';
    bases[s->profile][id] = b;
    nbases[s->profile][id]++;
}

static bool note_accepted(Op *op, void *arg) {
    const Sight *s = arg;
    seen_accepted[s->profile][inst_id(op->inst)] = true;
    add_base(s, inst_id(op->inst));
    return true;
}

/* Under every profile, whatever the case is about. */
static void see_case(const CaseText *c, void *arg) {
    (void)arg;
    for (unsigned p = 0; p < PROFILES; p++) {
        Sight s = {.text = c, .profile = p};
        VerifyOptions opt = c->options;
        opt.profiles = PROFILE_BIT(profiles[p]);
        opt.on_broken = note_broken;
        opt.user = &s;
        check_run(&s.run, c->where, c->text, c->size, &opt);
        if (check_run_accepted(&s.run)) op_walk(s.run.module->root, note_accepted, &s);
        check_run_free(&s.run);
    }
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

static void forget_cases(void) {
    for (int id = 1; id < INST_COUNT; id++) {
        free(seen_broken[id]);
        for (unsigned p = 0; p < PROFILES; p++)
            for (Base *b = bases[p][id], *next; b != NULL; b = next) {
                next = b->next;
                free(b->text);
                free(b);
            }
    }
}

/* ---- the triples ---- */

typedef struct Tally {
    unsigned triples, made, broken, from_cases, from_texts, missing;
} Tally;

static void report(const Inst *inst, Profile p, const RuleRow *row, const char *what) {
    static const char *const when[] = {"always",     "page", "vendor",  "compat",
                                       "deprecated", "warn", "library", "library warning"};
    unsigned n;
    const RuleRow *rows = rule_rows(inst_id(inst), &n);
    printf("%s, %s, row %d [%s] %s: %s\n", inst->name, profile_names[p], (int)(row - rows),
           diag_infos[row->id].text, when[row->when], what);
}

/* On cpu an instruction has rules of its own if some row says so; there is no vendor. */
static bool in_profile(const RuleRow *row, Profile p) {
    bool hardware = row_fn(row) == check_hardware;             /* it says what cpu does not have */
    if (row->when == SHOWN || row->when == KEPT) return false; /* not of programs */
    if (p != PROFILE_CPU) return (row->where & (p == PROFILE_A5 ? A5 : A2A3)) != 0 && !hardware;
    return hardware || ((row->where & CPU) != 0 && (row->when == BOTH || row->when == PAGE));
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

static bool is_broken(InstId id, unsigned row, unsigned p) {
    return (seen_broken[id][row] & 1u << p) != 0;
}

/* A program that keeps the row and one that breaks it, both made from the tables. */
static void try_row(const Example *plain, const Example *elsewhere, unsigned p, const RuleRow *row,
                    Tally *t) {
    Example e;
    const Inst *inst = plain->inst;
    InstId id = inst_id(inst);
    unsigned n;
    long at = row - rule_rows(id, &n);
    bool absent = row->cond == C_NOT_IN_PROFILE || row->cond == C_NOT_IN_PTOAS ||
                  row_fn(row) == check_hardware;
    if (absent && row->guard == 0 && elsewhere != NULL && try_absent(elsewhere, profiles[p], row)) {
        t->made++;
        t->broken++;
        seen_broken[id][at] |= (uint8_t)(1u << p);
        seen_accepted[p][id] = true; /* elsewhere */
        return;
    }
    if (seen_accepted[p][id] && is_broken(id, (unsigned)at, p)) return; /* case files have both */
    bool base = plain->operands[0].kind != 0 && mutate_base(&e, plain, row, row->when == COMPAT);
    t->made += base;
    seen_accepted[p][id] |= base;
    if (!base) e = *plain; /* in which the rule does not count yet */
    if (plain->operands[0].kind == 0 || is_broken(id, (unsigned)at, p)) return;
    /* what is a warning else is an error there */
    if (!mutate_break(&e, row) &&
        (row->when != VENDOR || !mutate_base(&e, plain, row, true) || !mutate_break(&e, row)))
        return;
    t->broken++;
    seen_broken[id][at] |= (uint8_t)(1u << p);
}

/* ---- changes of texts ---- */

typedef struct Rest {
    Sight sight; /* first: note_broken has it */
    InstId id;
    unsigned left;
} Rest;

static unsigned rows_left(InstId id, unsigned p) {
    unsigned n, left = 0;
    const RuleRow *rows = rule_rows(id, &n);
    for (unsigned i = 0; i < n; i++)
        left += in_profile(&rows[i], profiles[p]) && !is_broken(id, i, p);
    return left;
}

static bool nothing_left(void *user) {
    const Rest *r = user;
    return rows_left(r->id, r->sight.profile) == 0;
}

static void try_texts(const Example *plain, unsigned p, Tally *t) {
    InstId id = inst_id(plain->inst);
    Rest rest = {.sight = {.profile = p}, .id = id, .left = rows_left(id, p)};
    TextMutation m = {.inst = plain->inst, .enough = nothing_left, .user = &rest};
    const Base given = {bases[p][id],
                        (char *)(uintptr_t)plain->text,
                        plain->text != NULL ? strlen(plain->text) : 0,
                        {.level = 0}};
    for (const Base *b = plain->text != NULL ? &given : bases[p][id];
         b != NULL && !nothing_left(&rest); b = b->next)
        for (int compat = b->opt.compat; compat < 2; compat++) {
            m.opt = b->opt;
            m.opt.compat = compat;
            m.opt.profiles = PROFILE_BIT(profiles[p]);
            m.opt.on_broken = note_broken;
            m.opt.user = &rest;
            mutate_text(&m, b->text, b->size);
        }
    t->from_texts += rest.left - rows_left(id, p);
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
    for (unsigned p = 0; p < PROFILES && n > 0; p++) {
        for (unsigned i = 0; i < n; i++)
            t->from_cases += in_profile(&rows[i], profiles[p]) && is_broken(id, i, p);
        for (unsigned i = 0; i < n; i++)
            if (in_profile(&rows[i], profiles[p]))
                try_row(&plain[p],
                        found[p]   ? &plain[p]
                        : found[0] ? &plain[0]
                        : found[1] ? &plain[1]
                                   : NULL,
                        p, &rows[i], t);
        if (rows_left(id, p) > 0) try_texts(&plain[p], p, t);
        for (unsigned i = 0; i < n; i++) {
            if (!in_profile(&rows[i], profiles[p])) continue;
            t->triples++;
            if (seen_accepted[p][id] && is_broken(id, i, p)) continue;
            t->missing++;
            report(inst, profiles[p], &rows[i],
                   seen_accepted[p][id] ? "not broken" : "no legal program");
        }
    }
    example_bench_free(bench);
}

static void every_rule_is_kept_and_broken(void **state) {
    (void)state;
    Tally t = {0};
    see_cases();
    for (int id = 1; id < INST_COUNT; id++)
        if (inst_table[id].alias_of == INST_INVALID &&
            (only == NULL ? id % parts == part : strcmp(only, inst_table[id].name) == 0))
            try_instruction((InstId)id, &t);
    printf("%u (instruction, profile, rule) triples: %u with a program made to keep the rule, %u "
           "with one made to break it, %u broken in a case file, %u by changing a text, %u "
           "missing\n",
           t.triples, t.made, t.broken, t.from_cases, t.from_texts, t.missing);
    forget_cases();
    assert_int_equal(t.missing, 0);
}

int main(int argc, char **argv) {
    paths = argv + 1;
    npaths = argc - 1;
    if (argc > 2 && argv[1][0] == '-') {
        if (argv[1][1] == 'i')
            only = argv[2];
        else if (sscanf(argv[2], "%d/%d", &part, &parts) != 2 || parts < 1)
            return 2;
        paths += 2;
        npaths -= 2;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rule_is_kept_and_broken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
