/* SPDX-License-Identifier: Apache-2.0 */
/* Judges errors of the kinds in seed_kinds.c: are they repaired in two rounds of edits, and does
 * the first diagnostic name what is wrong? */
#include "api/ptoasm.h"
#include "seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 200, MIN_REPAIRED = 90, MIN_NAMED = 95 };

typedef struct Score {
    unsigned n, once, twice, named, keyed;
} Score;

/* Does the first error of a text name what is wrong? *key: it has the name of an operand. */
static bool names_operand(const Seed *seed, bool *key) {
    const ptoasm_options opt = PTOASM_OPTIONS_INIT;
    ptoasm_source *src;
    ptoasm_result *res;
    ptoasm_diagnostic d = {.severity = PTOASM_SEVERITY_NOTE};
    if (ptoasm_source_open("seeded.pto", seed->text, strlen(seed->text), 0, &src) != PTOASM_OK ||
        ptoasm_check(src, &opt, &res) != PTOASM_REJECTED)
        exit(2);
    size_t i = 0;
    while (ptoasm_diagnostic_at(res, i, &d) && d.severity != PTOASM_SEVERITY_ERROR)
        i++;
    bool named = seed_named(seed, d.place.offset, d.place.length, d.operand);
    for (size_t n = 0; n < d.notes && !named; n++) {
        const char *message;
        ptoasm_place at;
        if (ptoasm_diagnostic_note(res, i, n, &message, &at) && at.line > 0)
            named = seed_named(seed, at.offset, at.length, NULL);
    }
    *key = d.operand != NULL;
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return named;
}

/* Is the text legal, with the tile instructions of the program? */
static bool is_repaired(const Seed *seed, const char *text) {
    static Program fixed;
    if (seed_judge(text, NULL) != PTOASM_OK) return false;
    bool alike = program_open(&fixed, text) && program_alike(&fixed, seed->program);
    program_close(&fixed);
    return alike;
}

static void show_fault(const Seed *seed, const SeedKind *kind, const char *what) {
    const ptoasm_options opt = PTOASM_OPTIONS_INIT;
    ptoasm_source *src;
    ptoasm_result *res;
    if (getenv("PTOASM_VERBOSE") == NULL) return;
    printf("---- %s: %s\n", what, kind->name);
    for (unsigned i = 0; i < seed->nchanges; i++) {
        const Change *c = &seed->changes[i];
        printf("  %.*s -> %s\n", (int)c->span.len, seed->program->source.data + c->span.off,
               c->text);
    }
    if (ptoasm_source_open("seeded.pto", seed->text, strlen(seed->text), 0, &src) != PTOASM_OK ||
        ptoasm_check(src, &opt, &res) != PTOASM_REJECTED)
        exit(2);
    printf("%s", ptoasm_diagnostics_text(res, 0, NULL));
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

/* Judges one error; false when the text is legal with it. */
static bool try_kind(Program *p, const SeedKind *kind, Score *score) {
    static Seed seed;
    char *first, *second;
    bool key;
    if (!seed_make(p, kind, &seed) || seed_judge(seed.text, NULL) != PTOASM_REJECTED) return false;
    seed_judge(seed.text, &first);
    bool once = is_repaired(&seed, first), named = names_operand(&seed, &key);
    seed_judge(first, &second);
    bool twice = once || is_repaired(&seed, second);
    *score = (Score){score->n + 1, score->once + once, score->twice + twice, score->named + named,
                     score->keyed + key};
    if (!twice) show_fault(&seed, kind, "not repaired");
    if (!named) show_fault(&seed, kind, "not named");
    free(first);
    free(second);
    return true;
}

static void put_score(const char *family, const char *name, Score s) {
    printf("%-10s %-32s %3u: %3u repaired at once, %3u in two rounds, %3u named, %3u with a key\n",
           family, name, s.n, s.once, s.twice, s.named, s.keyed);
}

static bool judge_kinds(Program *const *programs, unsigned nprograms, unsigned most) {
    Score all = {0};
    for (unsigned k = 0; k < seed_kind_count; k++) {
        Score score = {0};
        unsigned share = (most * (k + 1)) / seed_kind_count - (most * k) / seed_kind_count;
        for (unsigned tries = 0; score.n < share && tries < 4000; tries++)
            try_kind(programs[seed_pick(nprograms)], &seed_kinds[k], &score);
        put_score(seed_kinds[k].family, seed_kinds[k].name, score);
        all = (Score){all.n + score.n, all.once + score.once, all.twice + score.twice,
                      all.named + score.named, all.keyed + score.keyed};
    }
    put_score("all", "", all);
    if (all.n == most && 100 * all.twice >= MIN_REPAIRED * all.n &&
        100 * all.named >= MIN_NAMED * all.n)
        return true;
    printf("FAIL of %u errors %d %% must be repaired, and %d %% name what is wrong\n", most,
           MIN_REPAIRED, MIN_NAMED);
    return false;
}

bool judge_seeds(char *const *texts, unsigned ntexts) {
    static Program *programs[MOST_KERNELS];
    unsigned n = 0;
    for (unsigned i = 0; i < ntexts; i++) {
        Program *p = malloc(sizeof *p);
        if (p == NULL) exit(2);
        if (program_open(p, texts[i])) programs[n++] = p;
    }
    const char *most = getenv("PTOASM_SEEDS");
    bool fine = judge_kinds(programs, n, most != NULL ? (unsigned)atoi(most) : SEEDS);
    while (n > 0) {
        program_close(programs[--n]);
        free(programs[n]);
    }
    return fine;
}
