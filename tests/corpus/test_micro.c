/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of micro-instructions, or of logical vectors (LEVEL micro or vmi), written by others,
 * and single statements of them that were changed in one place: INDEX.tsv in the folder of the
 * level and mutants.tsv.gz in the folder micro of PTOASM_CORPUS, with the verdicts of the vendor's
 * assembler 0.60. Judged as it judges:
 *   - what it accepts passes, prints to a fixed point in its own and in the generic form, and is
 *     accepted as printed;
 *   - what its verifier refuses is refused, with the first message on its line;
 *   - what a later pass refuses is refused;
 *   - changed statements get the verdict of its verifier;
 * all but those of OTHER (what differs, a path or statement, reason), and no others. Judged as the
 * project judges by itself, the accepted programs that are refused are those of STRICTER (path, id,
 * reason), and no others. usage: test_micro LEVEL STRICTER OTHER */
#include "common/checkrun.h"
#include "corpus/mutants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 2048, MOST_LISTED = 200 };

typedef struct Row {
    char *path, *profile, *level, *verdict, *error, *kind, *where;
} Row;

/* How many there are, and how many are as they must be. */
typedef struct Share {
    const char *id, *what;
    long n, right;
} Share;

enum { ACCEPTED, REFUSED, REFUSED_LATER, LINES, STATEMENTS, SHARES };
static Share shares[SHARES] = {{"accepted", "accepted programs", 0, 0},
                               {"refused", "refused by the verifier", 0, 0},
                               {"later", "refused by a later pass", 0, 0},
                               {"line", "lines of the first message", 0, 0},
                               {"statement", "changed statements", 0, 0}};

typedef struct Listed {
    char *path, *id;
    bool seen;
} Listed;
static Listed listed[MOST_LISTED]; /* programs that are refused by default */
static Listed others[MOST_LISTED]; /* what is not as it must be; the id is that of the share */
static int nlisted, nothers, failures;
static const char *corpus, *folder;
static bool logical; /* the level of logical vectors */

typedef struct Verdict {
    bool accepted;
    unsigned line;
    char id[64], text[300];
} Verdict;

static Verdict judge(const char *name, const char *text, size_t size, const ptoasm_options *opt) {
    Verdict v = {0};
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    ptoasm_diagnostic d;
    if (ptoasm_source_open(name, text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK) return v;
    v.accepted = ptoasm_check(src, opt, &res) == PTOASM_OK;
    for (size_t i = 0; v.id[0] == '\0' && res != NULL && ptoasm_diagnostic_at(res, i, &d); i++) {
        if (d.severity != PTOASM_SEVERITY_ERROR) continue;
        v.line = (unsigned)d.place.line;
        snprintf(v.id, sizeof v.id, "%s", d.id);
        snprintf(v.text, sizeof v.text, "%u: %s [%s]", v.line, d.message, d.id);
    }
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return v;
}

/* Counts one; what is not right must be in the list. */
static void count(int share, const char *name, bool right) {
    shares[share].n++;
    shares[share].right += right;
    for (int i = 0; i < nothers; i++)
        if (!right && !others[i].seen && strcmp(others[i].path, name) == 0 &&
            strcmp(others[i].id, shares[share].id) == 0) {
            others[i].seen = true;
            return;
        }
    if (right) return;
    printf("FAIL %s\t%s: not in the list\n", shares[share].id, name);
    failures++;
}

/* ---- programs ---- */

/* fmt of fmt is fmt, and what is printed is accepted. */
static bool prints_once(const Row *row, const char *text, size_t size, const ptoasm_options *opt,
                        enum ptoasm_form form) {
    size_t n = 0, n2 = 0;
    char *first = text_formatted(row->path, text, size, opt, form, &n), *second = NULL;
    if (first != NULL) second = text_formatted(row->path, first, n, opt, form, &n2);
    const bool same = second != NULL && n == n2 && memcmp(first, second, n) == 0;
    const bool fine = same && text_accepted(row->path, first, n, opt, true);
    if (!fine)
        printf("%s: %s in the %s form\n", row->path,
               second == NULL ? "is not read again"
               : !same        ? "is printed in two ways"
                              : "is not accepted as printed",
               form == PTOASM_FORM_GENERIC ? "generic" : "own");
    free(first);
    free(second);
    return fine;
}

/* An accepted program that this project refuses by itself is in the list, with the id. */
static void judge_by_default(const Row *row, const char *text, size_t size,
                             const ptoasm_options *opt) {
    ptoasm_options own = *opt;
    own.compat = false;
    const Verdict v = judge(row->path, text, size, &own);
    for (int i = 0; i < nlisted; i++)
        if (!v.accepted && strcmp(listed[i].path, row->path) == 0 &&
            strcmp(v.id, listed[i].id) == 0) {
            listed[i].seen = true;
            return;
        }
    if (v.accepted) return;
    printf("FAIL %s (%s): refused by default, and not in the list: %s\n", row->path, row->profile,
           v.text);
    failures++;
}

static void check_accepted(const Row *row, const char *text, size_t size,
                           const ptoasm_options *opt) {
    const Verdict v = judge(row->path, text, size, opt);
    if (!v.accepted) printf("refused here: %s (%s): %s\n", row->path, row->profile, v.text);
    const bool fine = v.accepted && prints_once(row, text, size, opt, PTOASM_FORM_KEEP) &&
                      prints_once(row, text, size, opt, PTOASM_FORM_GENERIC);
    count(ACCEPTED, row->path, fine);
    judge_by_default(row, text, size, opt);
}

static void check_refused(const Row *row, const char *text, size_t size,
                          const ptoasm_options *opt) {
    const Verdict v = judge(row->path, text, size, opt);
    const bool later = strcmp(row->verdict, "reject-at-pass") == 0;
    if (v.accepted) printf("accepted here: %s (%s): %s\n", row->path, row->profile, row->error);
    count(later ? REFUSED_LATER : REFUSED, row->path, !v.accepted);
    if (v.accepted || later || row->where == NULL || strchr(row->where, ':') == NULL) return;
    const bool same = (unsigned)atoi(row->where) == v.line;
    count(LINES, row->path, same);
    if (!same) printf("line %s there: %s: %s\n", row->where, row->path, v.text);
}

static bool check_row(const Row *row) {
    char path[PATH_SIZE];
    size_t size;
    /* what only single passes of the vendor's take: with layouts */
    if (strcmp(row->kind, "vmi-internal") == 0 && strcmp(row->verdict, "accept") == 0) return true;
    snprintf(path, sizeof path, "%s/%s/%s", corpus, folder, row->path);
    char *text = read_whole_file(path, &size);
    if (text == NULL) return false;
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    opt.profiles = strcmp(row->profile, "a5") == 0 ? PTOASM_PROFILE_A5 : PTOASM_PROFILE_A2A3;
    opt.level = strcmp(row->level, "level3") == 0 ? 3 : 2;
    opt.compat = true;
    if (strcmp(row->verdict, "accept") == 0)
        check_accepted(row, text, size, &opt);
    else
        check_refused(row, text, size, &opt);
    free(text);
    return true;
}

static bool check_programs(void) {
    char path[PATH_SIZE];
    size_t size;
    snprintf(path, sizeof path, "%s/%s/INDEX.tsv", corpus, folder);
    char *index = read_whole_file(path, &size), *rest = index;
    bool fine = index != NULL;
    cut_field(&rest, '\n');
    for (char *line; fine && (line = cut_field(&rest, '\n')) != NULL;) {
        char *fields[10] = {NULL};
        for (unsigned i = 0; i < 10; i++)
            fields[i] = cut_field(&line, '\t');
        const Row row = {fields[0], fields[2], fields[3], fields[4],
                         fields[5], fields[7], fields[9]};
        fine = fields[4] == NULL || check_row(&row);
    }
    free(index);
    return fine;
}

/* ---- statements ---- */

static void check_statement(Mutant *m, void *arg) {
    (void)arg;
    if ((strncmp(m->instruction, "vmi.", 4) == 0) != logical) return;
    const ptoasm_options opt = mutant_options(m, true);
    const Verdict v = judge(m->instruction, m->text, m->size, &opt);
    const bool accepted = strcmp(m->verdict, "accept") == 0;
    /* found after the verifier there */
    if (logical && accepted &&
        (strcmp(v.id, "assigned-layout") == 0 || strcmp(v.id, "vector-scope") == 0))
        return;
    char name[256];
    snprintf(name, sizeof name, "%s (%s): %s", m->instruction, m->profile, m->change);
    count(STATEMENTS, name, accepted == v.accepted);
    if (accepted != v.accepted)
        printf("%s: %s (%s): %s: %s\n", accepted ? "refused here" : "accepted here", m->instruction,
               m->profile, m->change, accepted ? v.text : m->vendor);
}

/* ---- the lists ---- */

/* Reads lines of two fields and a reason: the path and the id, in this order or in the other. */
static bool load_list(const char *path, bool id_first, Listed *list, int *n, char **text) {
    size_t size;
    char *rest = *text = read_whole_file(path, &size);
    for (char *line; (line = cut_field(&rest, '\n')) != NULL && *n < MOST_LISTED;) {
        if (line[0] == '#' || line[0] == '\0') continue;
        char *first = cut_field(&line, '\t'), *second = cut_field(&line, '\t');
        if (second == NULL) return false;
        list[(*n)++] = (Listed){.path = id_first ? second : first, .id = id_first ? first : second};
    }
    return *text != NULL;
}

static void all_seen(const Listed *list, int n, const char *what) {
    for (int i = 0; i < n; i++)
        if (!list[i].seen) {
            printf("FAIL %s (%s) is listed, but %s\n", list[i].path, list[i].id, what);
            failures++;
        }
}

int main(int argc, char **argv) {
    corpus = getenv("PTOASM_CORPUS");
    if (corpus == NULL) {
        puts("PTOASM_CORPUS is not set: skipped");
        return 77;
    }
    char *texts[2] = {NULL, NULL};
    if (argc == 4) folder = argv[1];
    logical = argc == 4 && strcmp(folder, "vmi") == 0;
    if (argc != 4 || !load_list(argv[2], false, listed, &nlisted, &texts[0]) ||
        !load_list(argv[3], true, others, &nothers, &texts[1]) || !check_programs() ||
        !mutants_each("micro/", check_statement, NULL)) {
        fputs("a list cannot be read\n", stderr);
        return 2;
    }
    all_seen(listed, nlisted, "not refused by default with this id");
    all_seen(others, nothers, "as it must be");
    for (int i = 0; i < SHARES; i++) {
        const Share *s = &shares[i];
        printf("%s%s: %ld of %ld\n", s->n > 0 ? "" : "FAIL ", s->what, s->right, s->n);
        failures += s->n == 0;
    }
    free(texts[0]);
    free(texts[1]);
    return failures > 0;
}
