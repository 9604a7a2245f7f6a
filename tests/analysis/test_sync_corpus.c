/* SPDX-License-Identifier: Apache-2.0 */
/* Proves the programs in the folder sync of PTOASM_CORPUS and compares what is found with its
 * verdicts.tsv: every race at its two lines, deadlock, reuse and leak, and nothing else. After a
 * deadlock or a reuse the races have no meaning. The rows `strict` are judged by the documented
 * order of a2a3 alone. At most one proved row in a hundred may have a finding that is not certain.
 */
#include "common/checkrun.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 2048, MOST_RACES = 1000, FIELDS = 5 };

/* Bits of the other findings. */
enum { DEADLOCK = 1, REUSE = 2, LEAK = 4, MAYBE = 8, OTHER = 16 };

typedef struct Race {
    unsigned earlier, later;
} Race;

typedef struct Verdict {
    Race races[MOST_RACES];
    unsigned n, kinds;
    unsigned unnamed; /* races of a function whose text orders nothing: only their number is told */
} Verdict;

static void join(char path[PATH_SIZE], const char *folder, const char *name) {
    int n = snprintf(path, PATH_SIZE, "%s/%s", folder, name);
    if (n < 0 || n >= PATH_SIZE) exit(2);
}

static unsigned failures, programs, maybes, proved;

static void add_race(Verdict *v, unsigned earlier, unsigned later) {
    for (unsigned i = 0; i < v->n; i++)
        if (v->races[i].earlier == earlier && v->races[i].later == later) return;
    if (v->n == MOST_RACES) exit(2);
    v->races[v->n++] = (Race){earlier, later};
}

static unsigned kind_of(const char *id) {
    static const struct {
        const char *id;
        unsigned kind;
    } kinds[] = {{"sync-deadlock", DEADLOCK}, {"sync-reuse", REUSE}, {"sync-leak", LEAK},
                 {"sync-maybe", MAYBE},       {"sync-early", 0},     {"no-sync", 0}};
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].id, id) == 0) return kinds[i].kind;
    return OTHER;
}

static void add_finding(Verdict *v, const ptoasm_result *res, size_t i,
                        const ptoasm_diagnostic *d) {
    const char *text;
    ptoasm_place earlier;
    bool race = strcmp(d->id, "sync-race") == 0 || strcmp(d->id, "sync-weak") == 0;
    if (!race && (strncmp(d->id, "sync-", 5) == 0 || d->severity == PTOASM_SEVERITY_ERROR))
        v->kinds |= kind_of(d->id);
    if (!race) return;
    if ((text = strstr(d->message, " orders no pipes, and ")) != NULL)
        v->unnamed += (unsigned)strtoul(text + strlen(" orders no pipes, and "), NULL, 10);
    else if (!ptoasm_diagnostic_note(res, i, 0, &text, &earlier))
        v->kinds |= OTHER;
    else
        add_race(v, earlier.line, d->place.line);
}

/* Checks a program; false when it cannot be read. */
static bool find(const char *path, uint32_t profile, uint32_t sync, Verdict *v) {
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    ptoasm_diagnostic d;
    size_t size;
    char *text = read_whole_file(path, &size);
    *v = (Verdict){.n = 0};
    if (text == NULL) return false;
    opt.profiles = profile;
    opt.max_errors = 0;
    opt.sync = sync;
    if (ptoasm_source_open(path, text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK) exit(2);
    ptoasm_check(src, &opt, &res);
    for (size_t i = 0; res != NULL && ptoasm_diagnostic_at(res, i, &d); i++)
        add_finding(v, res, i, &d);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    free(text);
    return true;
}

/* Reads the column of findings. */
static void read_verdict(char *text, Verdict *v) {
    *v = (Verdict){.n = 0};
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        unsigned earlier, later;
        if (sscanf(word, "race:%u:%u", &earlier, &later) == 2) add_race(v, earlier, later);
        if (strcmp(word, "deadlock") == 0) v->kinds |= DEADLOCK;
        if (strcmp(word, "reuse") == 0) v->kinds |= REUSE;
        if (strcmp(word, "leak") == 0) v->kinds |= LEAK;
    }
}

static bool same_races(const Verdict *a, Verdict *b) {
    unsigned n = b->n;
    if (a->unnamed > 0) return a->n == 0 && a->unnamed == n;
    for (unsigned i = 0; i < a->n; i++)
        add_race(b, a->races[i].earlier, a->races[i].later);
    return b->n == n && a->n == n;
}

static bool cut(char *line, char *fields[FIELDS]) {
    unsigned n = 0;
    for (char *s = line; s != NULL && n < FIELDS; n++) {
        fields[n] = s;
        if ((s = strchr(s, '\t')) != NULL) *s++ = '\0';
    }
    return n == FIELDS;
}

static void try_row(const char *folder, char *line) {
    static Verdict want, found;
    char *fields[FIELDS], path[PATH_SIZE];
    if (!cut(line, fields) || strcmp(fields[0], "file") == 0) return;
    join(path, folder, fields[0]);
    uint32_t profile = strcmp(fields[1], "a5") == 0 ? PTOASM_PROFILE_A5 : PTOASM_PROFILE_A2A3;
    bool strict = strcmp(fields[1], "strict") == 0;
    if (!find(path, profile, PTOASM_SYNC_ALL | (strict ? PTOASM_SYNC_STRICT : 0u), &found)) exit(2);
    read_verdict(fields[4], &want);
    bool is_proved = strcmp(fields[3], "proved") == 0;
    bool races = (want.kinds & (DEADLOCK | REUSE)) == 0;
    unsigned maybe = found.kinds & MAYBE;
    proved += is_proved;
    maybes += is_proved && maybe != 0;
    programs++;
    if ((found.kinds & ~maybe) == want.kinds && (!races || same_races(&found, &want))) return;
    printf("FAIL %s: %u races and kinds %u, expected %u and %u\n", fields[0], found.n, found.kinds,
           want.n, want.kinds);
    failures++;
}

int main(void) {
    const char *corpus = getenv("PTOASM_CORPUS");
    char folder[PATH_SIZE], path[PATH_SIZE];
    size_t size;
    if (corpus == NULL) {
        puts("PTOASM_CORPUS is not set: skipped");
        return 77;
    }
    join(folder, corpus, "sync");
    join(path, folder, "verdicts.tsv");
    char *text = read_whole_file(path, &size);
    if (text == NULL) return 2;
    for (char *line = text, *next; *line != '\0'; line = next) {
        size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        line[n] = '\0';
        try_row(folder, line);
    }
    free(text);
    printf("%u programs, %u of %u proved rows uncertain, %u failures\n", programs, maybes, proved,
           failures);
    return failures == 0 && programs > 0 && maybes * 100 <= proved ? 0 : 1;
}
