/* SPDX-License-Identifier: Apache-2.0 */
/* Programs written by others: PTOASM_CORPUS names a folder with an INDEX.tsv of verdicts. Judged as
 * the vendor's assembler judges:
 *   - no accepted program gets a syntax diagnostic;
 *   - every accepted program whose instructions all have rows passes `check`; one with other
 *     instructions gets no diagnostic besides those about them;
 *   - what passes prints to a fixed point, in its own and in the generic form, and, without
 *     addresses, survives the conversion to SSA and back; where every instruction has a kernel it
 * emits C, and of every EVERY-th program that C compiles with the compilers given;
 *   - every rejected program is rejected by the rule that expected.tsv names for its condition (98
 *     in 100 verdicts at least), with no more errors than it has mistakes (mistakes.tsv lists those
 *     with several). What only a later pass of the vendor refuses counts as well, except for what
 *     belongs to the vendor's other backend: that is listed by name.
 * Judged as the project judges by itself, the accepted programs that are refused are those that
 * stricter.tsv lists, with the rule that refuses them, and no others. PAGE (docs/vendor.md) gives
 * the counts. usage: test_corpus FOLDER_OF_LISTS INCLUDE_FOLDER PAGE EVERY [COMPILER...]; a
 * compiler is one argument, words separated by blanks. */
#include "common/checkrun.h"
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATH_SIZE = 2048, MAX_WORDS = 16, BATCH = 64, FILE_SIZE = 64, MAX_LISTED = 400 };

typedef struct Row {
    char *path, *profiles, *levels, *verdict, *error;
} Row;

/* A line of a list: what it is about (a program; in expected.tsv the hash of a condition's text), a
 * word (the diagnostic; the number of mistakes), and a reason. */
typedef struct Listed {
    char *key, *word, *reason;
    bool seen;
} Listed;

typedef struct List {
    const char *file;
    char *text;
    Listed item[MAX_LISTED];
    int n;
} List;

typedef struct Counts {
    int accept_rows, accepted, failures;
    int reject_rows, rejected, right, backend, cascades;
    int printed, round_trips, emitted, compiled, no_kernel, stricter;
} Counts;

static Counts counts;
static List stricter, expected, mistakes;
static const char *corpus;
static bool verbose;

static int fault(const Row *row, const char *what, const char *detail) {
    printf("FAIL %s (%s, %s): %s%s\n", row->path, row->profiles, row->levels, what, detail);
    counts.failures++;
    return 1;
}

/* ---- judging ---- */

static bool is_syntax(const char *id) {
    return strcmp(id, "syntax") == 0 || strncmp(id, "bad-", 4) == 0;
}

/* What the errors of one judgement are about. */
typedef struct Verdict {
    bool accepted, syntax;
    int errors;
    char first[256]; /* the first error */
    char id[64];     /* its id */
    char ids[512];   /* of all errors, each between blanks */
} Verdict;

static Verdict judge(const char *name, const char *text, size_t size, const ptoasm_options *opt) {
    Verdict v = {0};
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    if (ptoasm_source_open(name, text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK) return v;
    v.accepted = ptoasm_check(src, opt, &res) == PTOASM_OK;
    ptoasm_diagnostic d;
    for (size_t i = 0; res != NULL && ptoasm_diagnostic_at(res, i, &d); i++) {
        if (d.severity != PTOASM_SEVERITY_ERROR) continue;
        v.syntax |= is_syntax(d.id);
        size_t used = strlen(v.ids);
        snprintf(v.ids + used, sizeof v.ids - used, "%s%s ", used == 0 ? " " : "", d.id);
        if (v.errors++ > 0) continue;
        snprintf(v.id, sizeof v.id, "%s", d.id);
        snprintf(v.first, sizeof v.first, "%u:%u: %s [%s]", d.place.line, d.place.column, d.message,
                 d.id);
    }
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return v;
}

/* fmt of fmt is fmt, and what is printed is accepted. */
static bool check_form(const Row *row, const char *text, size_t size, const ptoasm_options *opt,
                       enum ptoasm_form form) {
    size_t n = 0, n2 = 0;
    int before = counts.failures;
    char *first = text_formatted(row->path, text, size, opt, form, &n), *second = NULL;
    if (first != NULL) second = text_formatted(row->path, first, n, opt, form, &n2);
    const char *name = form == PTOASM_FORM_GENERIC ? "generic form" : "own form";
    if (second == NULL)
        fault(row, "is not printed, or not read again: ", name);
    else if (n != n2 || memcmp(first, second, n) != 0)
        fault(row, "is printed in two ways: ", name);
    else if (!text_accepted(row->path, first, n, opt, verbose))
        fault(row, "is not accepted as printed: ", name);
    free(first);
    free(second);
    return counts.failures == before;
}

static void check_printing(const Row *row, const char *text, size_t size,
                           const ptoasm_options *opt) {
    counts.printed += check_form(row, text, size, opt, PTOASM_FORM_KEEP) &&
                      check_form(row, text, size, opt, PTOASM_FORM_GENERIC);
}

/* DPS -> SSA -> DPS: both conversions succeed, and the verdict stays. Tiles with addresses (level
 * 3) stay as they are. The SSA form is the pages', which the vendor does not read. */
static void check_round_trip(const Row *row, const char *text, size_t size,
                             const ptoasm_options *compat) {
    ptoasm_options opt = *compat;
    opt.compat = false;
    opt.level = 0;
    if (compat->level == 3 || !text_accepted(row->path, text, size, &opt, false)) return;
    size_t n = 0, n2 = 0;
    int before = counts.failures;
    char *ssa = text_formatted(row->path, text, size, &opt, PTOASM_FORM_SSA, &n), *dps = NULL;
    if (ssa != NULL) dps = text_formatted(row->path, ssa, n, &opt, PTOASM_FORM_DPS, &n2);
    if (ssa == NULL)
        fault(row, "is not converted to SSA", "");
    else if (dps == NULL)
        fault(row, "is not converted from SSA back to DPS", "");
    else if (!text_accepted(row->path, dps, n2, compat, verbose))
        fault(row, "is not accepted after DPS -> SSA -> DPS", "");
    counts.round_trips += counts.failures == before;
    free(ssa);
    free(dps);
}

/* ---- emission ---- */

static char scratch[] = "/tmp/ptoasm-corpus-XXXXXX";
static char batch[BATCH][FILE_SIZE];
static int nbatch;
static char **compilers;
static int ncompilers, every;
static char include_option[PATH_SIZE];

static int spawn_wait(char *const argv[]) {
    pid_t pid;
    int status;
    if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) != 0) return -1;
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

/* Compiles files [from, to) of the batch with one compiler; false when it complains. */
static bool compile(const char *compiler, int from, int to) {
    char words[256], *argv[MAX_WORDS + BATCH + 4];
    int n = 0;
    snprintf(words, sizeof words, "%s", compiler);
    for (char *w = strtok(words, " "); w != NULL && n < MAX_WORDS; w = strtok(NULL, " "))
        argv[n++] = w;
    argv[n++] = include_option;
    for (int i = from; i < to; i++)
        argv[n++] = batch[i];
    argv[n] = NULL;
    return spawn_wait(argv) == 0;
}

static void flush_batch(void) {
    for (int c = 0; c < ncompilers; c++) {
        /* Not every compiler takes several files at once. */
        bool single = strncmp(compilers[c], "tcc", 3) == 0;
        for (int i = 0; i < nbatch; i += single ? 1 : nbatch)
            if (!compile(compilers[c], i, single ? i + 1 : nbatch)) {
                printf("FAIL emitted C does not compile with %s\n", compilers[c]);
                counts.failures++;
            }
    }
    counts.compiled += nbatch;
    for (int i = 0; i < nbatch; i++)
        remove(batch[i]);
    nbatch = 0;
}

static bool has_diagnostic(ptoasm_result *res, const char *id) {
    ptoasm_diagnostic d;
    for (size_t i = 0; res != NULL && ptoasm_diagnostic_at(res, i, &d); i++)
        if (strcmp(d.id, id) == 0) return true;
    return false;
}

static void add_to_batch(const Row *row, ptoasm_result *res) {
    size_t n;
    const char *c = ptoasm_result_text(res, &n);
    snprintf(batch[nbatch], FILE_SIZE, "%s/p%d.c", scratch, counts.emitted);
    FILE *f = fopen(batch[nbatch++], "w");
    if (f == NULL || fwrite(c, 1, n, f) != n || fclose(f) != 0)
        fault(row, "cannot write the emitted C", "");
    if (nbatch == BATCH) flush_batch();
}

static void check_emission(const Row *row, const char *text, size_t size,
                           const ptoasm_options *opt) {
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    if (ptoasm_source_open(row->path, text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK) return;
    if (ptoasm_emit(src, opt, NULL, &res) == PTOASM_OK) {
        if (counts.emitted++ % every == 0) add_to_batch(row, res);
    } else if (has_diagnostic(res, "no-kernel")) {
        counts.no_kernel++;
    } else {
        fault(row, "is not emitted: ", res != NULL ? ptoasm_diagnostics_text(res, 0, NULL) : "");
    }
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

/* ---- rows ---- */

static bool is_listed(List *list, const Row *row, const Verdict *v) {
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->item[i].key, row->path) == 0 && strcmp(list->item[i].word, v->id) == 0)
            return list->item[i].seen = true;
    return false;
}

/* Without --compat the program passes too, or it is listed with the rule that refuses it. */
static void check_own_verdict(const Row *row, const char *text, size_t size,
                              const ptoasm_options *compat) {
    ptoasm_options opt = *compat;
    opt.compat = false;
    Verdict v = judge(row->path, text, size, &opt);
    if (v.accepted) return;
    counts.stricter++;
    if (!is_listed(&stricter, row, &v))
        fault(row, "is refused without --compat=ptoas, and not listed: ", v.first);
}

static void check_accept(const Row *row, const Verdict *v, const char *text, size_t size,
                         const ptoasm_options *opt) {
    counts.accept_rows++;
    if (!v->accepted) {
        fault(row, v->syntax ? "syntax: " : "is rejected: ", v->first);
        return;
    }
    counts.accepted++;
    check_printing(row, text, size, opt);
    check_round_trip(row, text, size, opt);
    check_emission(row, text, size, opt);
    check_own_verdict(row, text, size, opt);
}

static Listed *find_key(List *list, const char *key) {
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->item[i].key, key) == 0) {
            list->item[i].seen = true;
            return &list->item[i];
        }
    return NULL;
}

/* FNV-1a, 64 bits. */
static uint64_t hash_of(const char *s) {
    uint64_t h = 0xcbf29ce484222325u;
    for (; *s != '\0'; s++)
        h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    return h;
}

/* A row says one condition; a program may have it, or others, several times. */
static void check_count(const Row *row, const Verdict *v) {
    const Listed *many = find_key(&mistakes, row->path);
    int most = many != NULL ? atoi(many->word) : 1;
    if (v->errors <= most) return;
    counts.cascades++;
    printf("FAIL %s (%s, %s): %d errors for %d mistakes:%s\n", row->path, row->profiles,
           row->levels, v->errors, most, v->ids);
    counts.failures++;
}

static void check_reject(const Row *row, const Verdict *v) {
    char key[32], wanted[96];
    snprintf(key, sizeof key, "%016llx", (unsigned long long)hash_of(row->error));
    const Listed *e = find_key(&expected, key);
    if (e == NULL) {
        fault(row, "no rule is named for its condition: ", row->error);
        return;
    }
    if (strcmp(e->word, "other-backend") == 0) {
        printf("not looked at: %s (%s)\n", row->path, e->reason);
        counts.backend++;
        return;
    }
    counts.reject_rows++;
    counts.rejected += v->errors > 0;
    snprintf(wanted, sizeof wanted, " %s ", e->word);
    if (strstr(v->ids, wanted) != NULL)
        counts.right++;
    else
        printf("%s %s (%s, %s): expected [%s], got %s\n",
               v->errors > 0 ? "other rule:" : "accepted:", row->path, row->profiles, row->levels,
               e->word, v->errors > 0 ? v->first : "no error");
    check_count(row, v);
}

static uint32_t profile_bit(const char *name) {
    return strncmp(name, "a5", 2) == 0     ? PTOASM_PROFILE_A5
           : strncmp(name, "a2a3", 4) == 0 ? PTOASM_PROFILE_A2A3
                                           : PTOASM_PROFILE_CPU;
}

/* One row under each of its profiles and levels. */
static void check_row(const Row *row) {
    char path[PATH_SIZE];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", corpus, row->path);
    char *text = read_whole_file(path, &size);
    if (text == NULL) {
        fault(row, "cannot be read", "");
        return;
    }
    for (const char *p = row->profiles; p != NULL; p = strchr(p, ',')) {
        p += *p == ',';
        for (const char *l = row->levels; l != NULL; l = strchr(l, ',')) {
            l += *l == ',';
            const ptoasm_options opt = {.size = sizeof opt,
                                        .profiles = profile_bit(p),
                                        .level = l[5] - '0',
                                        .compat = true};
            Verdict v = judge(row->path, text, size, &opt);
            if (strcmp(row->verdict, "accept") == 0)
                check_accept(row, &v, text, size, &opt);
            else
                check_reject(row, &v);
        }
    }
    free(text);
}

static int check_index(void) {
    char path[PATH_SIZE];
    size_t size;
    snprintf(path, sizeof path, "%s/INDEX.tsv", corpus);
    char *index = read_whole_file(path, &size), *rest = index;
    if (index == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        return 2;
    }
    cut_field(&rest, '\n');
    for (char *line; (line = cut_field(&rest, '\n')) != NULL;) {
        Row row = {.path = cut_field(&line, '\t')};
        cut_field(&line, '\t');
        row.profiles = cut_field(&line, '\t');
        row.levels = cut_field(&line, '\t');
        row.verdict = cut_field(&line, '\t');
        row.error = cut_field(&line, '\t');
        if (row.verdict != NULL) check_row(&row);
    }
    free(index);
    return 0;
}

/* Lines of two or three fields; `reasons`: the third is demanded. */
static void load_list(List *list, const char *folder, const char *name, bool reasons) {
    char path[PATH_SIZE];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *rest = list->text = read_whole_file(path, &size);
    list->file = name;
    for (char *line; (line = cut_field(&rest, '\n')) != NULL && list->n < MAX_LISTED;) {
        if (line[0] == '#' || line[0] == '\0') continue;
        Listed *item = &list->item[list->n++];
        item->key = cut_field(&line, '\t');
        item->word = cut_field(&line, '\t');
        item->reason = line;
        if (item->word != NULL && (!reasons || (line != NULL && line[0] != '\0'))) continue;
        printf("FAIL %s: %s has too few fields\n", name, item->key);
        counts.failures++;
        list->n--;
    }
}

/* A line that nothing needs is out of date. */
static void close_list(List *list) {
    for (int i = 0; i < list->n; i++)
        if (!list->item[i].seen) {
            printf("FAIL %s: nothing needs the line of %s\n", list->file, list->item[i].key);
            counts.failures++;
        }
    free(list->text);
}

static void print_summary(void) {
    printf("accepted there: %d verdicts\n", counts.accept_rows);
    printf("  accepted here:               %d\n", counts.accepted);
    printf("  printed to a fixed point:    %d\n", counts.printed);
    printf("  DPS -> SSA -> DPS:           %d\n", counts.round_trips);
    printf("  emitted, compiled:           %d, %d\n", counts.emitted, counts.compiled);
    printf("  without a kernel for some instruction: %d\n", counts.no_kernel);
    printf("  refused without --compat:    %d\n", counts.stricter);
    printf("rejected there: %d verdicts, and %d of the other backend\n", counts.reject_rows,
           counts.backend);
    printf("  rejected here:               %d\n", counts.rejected);
    printf("  by the rule expected:        %d\n", counts.right);
    printf("  with too many errors:        %d\n", counts.cascades);
    printf("failures: %d\n", counts.failures);
}

/* The page has the row of a table that these counts make. */
static void check_page(const char *path) {
    char row[512];
    size_t size;
    snprintf(
        row, sizeof row,
        "| verdicts, each for a program, a profile and a level of a test set | `--compat=ptoas` "
        "accepts %d of %d that PTOAS accepts, and rejects %d of %d that it rejects, %d for the "
        "same reason. Without the option ptoasm rejects %d that PTOAS accepts |\n",
        counts.accepted, counts.accept_rows, counts.rejected, counts.reject_rows, counts.right,
        counts.stricter);
    char *text = read_whole_file(path, &size);
    if (text == NULL || strstr(text, row) == NULL) {
        printf("FAIL %s does not say:\n%s", path, row);
        counts.failures++;
    }
    free(text);
}

int main(int argc, char **argv) {
    corpus = getenv("PTOASM_CORPUS");
    verbose = getenv("PTOASM_VERBOSE") != NULL;
    if (corpus == NULL) {
        puts("PTOASM_CORPUS is not set: skipped");
        return 77;
    }
    every = argc > 4 ? atoi(argv[4]) : 0;
    if (every < 1 || mkdtemp(scratch) == NULL) {
        fprintf(stderr, "usage: %s FOLDER_OF_LISTS INCLUDE_FOLDER PAGE EVERY [COMPILER...]\n",
                argv[0]);
        return 2;
    }
    snprintf(include_option, sizeof include_option, "-I%s", argv[2]);
    compilers = argv + 5;
    ncompilers = argc - 5;
    load_list(&stricter, argv[1], "stricter.tsv", true);
    load_list(&expected, argv[1], "expected.tsv", false);
    load_list(&mistakes, argv[1], "mistakes.tsv", true);
    int rc = check_index();
    if (nbatch > 0) flush_batch();
    rmdir(scratch);
    close_list(&stricter);
    close_list(&expected);
    close_list(&mistakes);
    check_page(argv[3]);
    print_summary();
    if (rc != 0) return rc;
    if (counts.right * 100 < counts.reject_rows * 98) {
        puts("FAIL fewer than 98 in 100 rejected programs are rejected by the rule expected");
        counts.failures++;
    }
    return counts.failures == 0 && counts.accepted > 0 ? 0 : 1;
}
