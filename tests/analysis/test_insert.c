/* SPDX-License-Identifier: Apache-2.0 */
/* Inserts flags and barriers into the programs of PTOASM_CORPUS that have none: the result is
 * proved, inserting again changes nothing, and without any one pair or barrier the proof finds a
 * race, but for MOST_NEEDLESS. Programs that the proof does not understand are refused; only so
 * many may be.
 *
 * Its folder sync/vendor holds real programs as the vendor's assembler synchronised them. Without
 * the vendor's flags and barriers they get others: not more than the vendor's where those are
 * proved by the documented order, too, and of all programs together fewer, also in inner loops. (In
 * some programs they are in inner loops where the vendor's are not.)
 *
 * Its folder sync holds generated programs; these too get other flags than their own.
 *
 * usage: test_insert STEP: takes every STEPth program. */
#include "common/checkrun.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PATH_SIZE = 2048, MOST_LINES = 20000, MOST_REFUSED = 14, MOST_NEEDLESS = 2 };

static unsigned step, turn, failures, programs, refused, deletions, needless;

static void fault(const char *path, const char *what) {
    printf("FAIL %s: %s\n", path, what);
    failures++;
}

static bool is_turn(void) {
    return turn++ % step == 0;
}

/* ---- texts ---- */

typedef struct Lines {
    char *text; /* with a NUL after each line */
    char *line[MOST_LINES];
    bool gone[MOST_LINES];
    unsigned n;
} Lines;

static void cut_lines(Lines *l, const char *text, size_t size) {
    char *rest = l->text = malloc(size + 1);
    if (rest == NULL) exit(2);
    memcpy(rest, text, size);
    rest[size] = '\0';
    for (l->n = 0; rest != NULL && *rest != '\0'; l->n++) {
        if (l->n == MOST_LINES) exit(2);
        l->gone[l->n] = false;
        l->line[l->n] = cut_field(&rest, '\n');
    }
}

/* The lines that are not gone, to be freed. */
static char *join_lines(const Lines *l, size_t *size) {
    char *text = NULL;
    FILE *to = open_memstream(&text, size);
    if (to == NULL) exit(2);
    for (unsigned i = 0; i < l->n; i++)
        if (!l->gone[i]) fprintf(to, "%s\n", l->line[i]);
    if (fclose(to) != 0) exit(2);
    return text;
}

/* What is behind a statement's name, if the line is such a statement; else NULL. */
static const char *operands(const char *line, const char *name) {
    line += strspn(line, " ");
    size_t n = strlen(name);
    bool is = strncmp(line, name, n) == 0 && strchr("[ ", line[n]) != NULL;
    return is ? line + n : NULL;
}

static bool is_flag(const char *line) {
    return operands(line, "pto.set_flag") != NULL || operands(line, "pto.wait_flag") != NULL ||
           operands(line, "pto.set_flag_dyn") != NULL ||
           operands(line, "pto.wait_flag_dyn") != NULL;
}

static bool is_barrier(const char *line) {
    return operands(line, "pto.barrier") != NULL;
}

/* ---- proofs ---- */

/* The number of races, also of those that only the documented order shows, and of flags that may be
 * set too early; -1 when something is wrong in another way. */
static int races(const char *path, const char *text, size_t size, uint32_t profile, bool strict) {
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    ptoasm_diagnostic d;
    ptoasm_sync_row row;
    int n = 0;
    opt.profiles = profile;
    opt.max_errors = 0;
    opt.level = 3;
    opt.sync = PTOASM_SYNC_ALL | PTOASM_SYNC_REPORT | (strict ? PTOASM_SYNC_STRICT : 0u);
    if (ptoasm_source_open(path, text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK) exit(2);
    ptoasm_check(src, &opt, &res);
    /* of each core: what cores do to each other does not become right by flags */
    for (size_t i = 0; res != NULL && ptoasm_sync_at(res, i, &row); i++)
        n += (int)row.findings + (row.state == PTOASM_SYNC_UNKNOWN);
    for (size_t i = 0; res != NULL && ptoasm_diagnostic_at(res, i, &d); i++)
        if (strncmp(d.id, "sync-", 5) != 0 && d.severity == PTOASM_SEVERITY_ERROR) n = -1;
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return n;
}

static char *insert(const char *path, const char *text, size_t size, uint32_t profile, size_t *n) {
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    opt.profiles = profile;
    opt.rewrite = PTOASM_REWRITE_ADDRESSES | PTOASM_REWRITE_SYNC;
    return text_formatted(path, text, size, &opt, PTOASM_FORM_KEEP, n);
}

/* ---- each fence is needed ---- */

static void try_deleted(const char *path, Lines *l, uint32_t profile, unsigned line, int before) {
    size_t size;
    char *text = join_lines(l, &size), what[64];
    int n = races(path, text, size, profile, true);
    free(text);
    deletions++;
    if (n > before || n < 0) return;
    snprintf(what, sizeof what, "line %u of the result is not needed", line + 1);
    printf("%s: %s\n", path, what);
    needless++;
}

/* The next line with a statement of these operands; ends the test when there is none. */
static unsigned find_flag(const Lines *l, unsigned from, const char *name, const char *flag) {
    for (unsigned i = from; i < l->n; i++) {
        const char *found = operands(l->line[i], name);
        if (found != NULL && strcmp(found, flag) == 0) return i;
    }
    exit(2);
}

enum { MOST_FENCE = 18 };

/* The number of characters of `[<PIPE_A>, <PIPE_B>, `. */
static size_t pipes_length(const char *flag) {
    const char *second = strchr(flag, ',');
    return second != NULL ? strcspn(second + 1, ",") + (size_t)(second - flag) + 3 : strlen(flag);
}

/* Adds the pair of slots that take turns, if a line begins one: further sets before the loop, the
 * wait and the set in it that name the slot, and the waits behind it. */
static unsigned find_turns(const Lines *l, unsigned line, unsigned last, unsigned lines[MOST_FENCE],
                           unsigned n) {
    const char *flag = operands(l->line[line], "pto.set_flag");
    size_t length = pipes_length(flag);
    unsigned before = n;
    for (unsigned i = line + 1; i < last; i++) {
        const char *set = operands(l->line[i], "pto.set_flag_dyn");
        const char *wait = operands(l->line[i], "pto.wait_flag_dyn");
        const char *found = set != NULL ? set : wait;
        if (found != NULL && strncmp(found, flag, length) == 0 && n < MOST_FENCE) lines[n++] = i;
    }
    if (n == before) return n;
    for (unsigned i = line + 1; i < lines[before] && n + 1 < MOST_FENCE; i++) {
        const char *head = operands(l->line[i], "pto.set_flag");
        if (head == NULL || strncmp(head, flag, length) != 0) continue;
        lines[n++] = i;
        lines[n++] = find_flag(l, i + 1, "pto.wait_flag", head);
    }
    return n;
}

/* Lists the lines of the pair that a line begins, or the barrier in it: a set and its wait or, of
 * a wait that is further inside, also the set of the next iteration and the last wait. */
static unsigned find_fence(const Lines *l, unsigned line, unsigned lines[MOST_FENCE]) {
    const char *flag = operands(l->line[line], "pto.set_flag");
    lines[0] = line;
    if (flag == NULL) return 1;
    lines[1] = find_flag(l, line + 1, "pto.wait_flag", flag);
    if (strspn(l->line[line], " ") == strspn(l->line[lines[1]], " "))
        return find_turns(l, line, lines[1], lines, 2);
    lines[2] = find_flag(l, lines[1] + 1, "pto.set_flag", flag);
    lines[3] = find_flag(l, lines[2] + 1, "pto.wait_flag", flag);
    return 4;
}

/* Takes away each pair of the result, and each barrier if the program had none. */
static void try_deletions(const char *path, const char *text, size_t size, uint32_t profile,
                          bool barriers) {
    static Lines l;
    static bool seen[MOST_LINES];
    int before = races(path, text, size, profile, true);
    cut_lines(&l, text, size);
    memset(seen, 0, sizeof seen);
    for (unsigned i = 0; i < l.n; i++) {
        bool set = operands(l.line[i], "pto.set_flag") != NULL;
        unsigned lines[MOST_FENCE];
        if (seen[i] || (!set && !(barriers && is_barrier(l.line[i])))) continue;
        unsigned n = find_fence(&l, i, lines);
        for (unsigned k = 0; k < n; k++)
            l.gone[lines[k]] = seen[lines[k]] = true;
        try_deleted(path, &l, profile, i, before);
        for (unsigned k = 0; k < n; k++)
            l.gone[lines[k]] = false;
    }
    free(l.text);
}

/* ---- programs ---- */

/* Inserts and checks the result, which is to be freed; NULL: refused. */
static char *try_program(const char *path, const char *text, size_t size, uint32_t profile,
                         size_t *n) {
    size_t again;
    char *result = insert(path, text, size, profile, n);
    programs++;
    refused += result == NULL;
    if (result == NULL) return NULL;
    if (races(path, result, *n, profile, false) != 0) fault(path, "the result is not proved");
    char *second = insert(path, result, *n, profile, &again);
    if (second == NULL || again != *n || memcmp(second, result, again) != 0)
        fault(path, "inserting again changes the result");
    free(second);
    return result;
}

static void try_corpus_program(const char *path, const char *text, size_t size, uint32_t profile) {
    ptoasm_options plain = PTOASM_OPTIONS_INIT;
    size_t n;
    plain.profiles = profile;
    if (!text_accepted(path, text, size, &plain, false)) return;
    char *result = try_program(path, text, size, profile, &n);
    if (result != NULL) try_deletions(path, result, n, profile, strstr(text, "barrier") == NULL);
    free(result);
}

static bool has_sync(const char *text) {
    static const char *const words[] = {"set_flag",   "wait_flag", "record_event",
                                        "wait_event", "get_buf",   "rls_buf"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(text, words[i]) != NULL) return true;
    return false;
}

static void try_row(const char *folder, char *line) {
    char *path = cut_field(&line, '\t'), *source = cut_field(&line, '\t');
    char *profiles = cut_field(&line, '\t'), *level = cut_field(&line, '\t');
    char *verdict = cut_field(&line, '\t'), file[PATH_SIZE];
    size_t size;
    if (source == NULL || level == NULL || verdict == NULL || strcmp(verdict, "accept") != 0)
        return;
    if (!is_turn()) return;
    if (snprintf(file, sizeof file, "%s/%s", folder, path) >= (int)sizeof file) exit(2);
    char *text = read_whole_file(file, &size);
    if (text == NULL) exit(2);
    if (!has_sync(text)) {
        if (strstr(profiles, "a2a3") != NULL)
            try_corpus_program(path, text, size, PTOASM_PROFILE_A2A3);
        if (strstr(profiles, "a5") != NULL) try_corpus_program(path, text, size, PTOASM_PROFILE_A5);
    }
    free(text);
}

static void try_corpus(const char *corpus) {
    char index[PATH_SIZE];
    size_t size;
    if (snprintf(index, sizeof index, "%s/INDEX.tsv", corpus) >= (int)sizeof index) exit(2);
    char *text = read_whole_file(index, &size), *rest = text;
    if (text == NULL) exit(2);
    for (char *line; (line = cut_field(&rest, '\n')) != NULL;)
        try_row(corpus, line);
    free(text);
    printf("%u programs, %u of them not understood, %u fences taken away\n", programs, refused,
           deletions);
    if (programs == 0 || refused > MOST_REFUSED) fault(corpus, "too many are not understood");
}

/* ---- against the vendor's ---- */

/* Fences of a text, and each times ten for every loop around it. */
typedef struct Weight {
    unsigned n, weight;
} Weight;

static Weight weigh(const Lines *l) {
    static unsigned factors[1000];
    unsigned depth = 0;
    Weight w = {0, 0};
    factors[0] = 1;
    for (unsigned i = 0; i < l->n; i++) {
        const char *s = l->line[i];
        size_t n = strlen(s);
        if (strchr("}", s[strspn(s, " ")]) != NULL && depth > 0) depth--;
        if (n > 0 && s[n - 1] == '{') {
            bool loop = strstr(s, "scf.for") != NULL || strstr(s, "scf.while") != NULL ||
                        strstr(s, "} do {") != NULL;
            if (++depth == 1000) exit(2);
            factors[depth] = factors[depth - 1] * (loop ? 10 : 1);
        }
        if (!is_flag(s) && !is_barrier(s)) continue;
        w.n++;
        w.weight += factors[depth];
    }
    return w;
}

static Weight ours_of_all, vendors_of_all;

/* The text without flags, barriers and buffers, to be freed. */
static char *bare_text(Lines *l, size_t *size) {
    for (unsigned i = 0; i < l->n; i++)
        l->gone[i] = is_flag(l->line[i]) || is_barrier(l->line[i]) ||
                     operands(l->line[i], "pto.get_buf") != NULL ||
                     operands(l->line[i], "pto.rls_buf") != NULL;
    return join_lines(l, size);
}

/* Programs in which ours take a pair more, which keeps a flag from being set too early: all events
 * are in use in the loop of the first; in the second the loop carries data between statements of
 * one branch, where the vendor's flag is, and ours comes after it. */
static bool takes_one_more(const char *name) {
    return strstr(name, "_exp_gate_up_act_pto.") != NULL ||
           strstr(name, "_qkv_rope_rows_pto.") != NULL;
}

/* `strict`: the vendor's result has no flag that may be set too early, and needs no order that only
 * shipped kernels rely on; ours never do. */
static void compare_with_vendor(const char *name, Lines *l, uint32_t profile, bool strict) {
    static Lines own;
    size_t size, n;
    Weight vendors = weigh(l), ours;
    char *bare = bare_text(l, &size);
    char *result = try_program(name, bare, size, profile, &n);
    if (result == NULL) {
        fault(name, "it is refused");
    } else {
        cut_lines(&own, result, n);
        ours = weigh(&own);
        free(own.text);
        ours_of_all.n += ours.n;
        ours_of_all.weight += ours.weight;
        vendors_of_all.n += vendors.n;
        vendors_of_all.weight += vendors.weight;
        if (strict && !takes_one_more(name) && ours.n > vendors.n) {
            printf("FAIL %s: %u fences that weigh %u, the vendor's %u weigh %u\n", name, ours.n,
                   ours.weight, vendors.n, vendors.weight);
            failures++;
        }
    }
    free(result);
    free(bare);
}

/* A program of the vendor: compared if its flags are proved. */
static void try_vendors(const char *name, const char *text, size_t size, uint32_t profile) {
    static Lines l;
    if (races(name, text, size, profile, false) != 0) return;
    cut_lines(&l, text, size);
    compare_with_vendor(name, &l, profile, races(name, text, size, profile, true) == 0);
    free(l.text);
}

/* A generated program, with other flags than its own. */
static void try_generated(const char *name, const char *text, size_t size, uint32_t profile) {
    static Lines l;
    size_t n;
    cut_lines(&l, text, size);
    char *bare = bare_text(&l, &size), *result = try_program(name, bare, size, profile, &n);
    if (result == NULL)
        fault(name, "it is refused");
    else
        try_deletions(name, result, n, profile, true);
    free(result);
    free(bare);
    free(l.text);
}

/* Tries the programs of a folder of the corpus. */
static void try_folder(const char *corpus, const char *name,
                       void (*run)(const char *name, const char *text, size_t size,
                                   uint32_t profile)) {
    char folder[PATH_SIZE], path[PATH_SIZE * 2];
    if (snprintf(folder, sizeof folder, "%s/%s", corpus, name) >= (int)sizeof folder) exit(2);
    DIR *d = opendir(folder);
    for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        const char *end = strrchr(e->d_name, '.');
        size_t size;
        if (end == NULL || strcmp(end, ".pto") != 0 || !is_turn()) continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path) exit(2);
        char *text = read_whole_file(path, &size);
        if (text == NULL) exit(2);
        bool a5 = strstr(e->d_name, ".a5.pto") != NULL || strstr(text, "get_buf") != NULL;
        run(e->d_name, text, size, a5 ? PTOASM_PROFILE_A5 : PTOASM_PROFILE_A2A3);
        free(text);
    }
    if (d == NULL || closedir(d) != 0) exit(2);
}

static void try_vendor(const char *corpus) {
    try_folder(corpus, "sync/vendor", try_vendors);
    printf("%u fences, the vendor's assembler has %u; weight %u, the vendor's %u\n", ours_of_all.n,
           vendors_of_all.n, ours_of_all.weight, vendors_of_all.weight);
    if (vendors_of_all.n == 0 || ours_of_all.n * 100 > vendors_of_all.n * 92)
        fault(corpus, "more than 92 % of the vendor's");
}

/* ---- a long function ---- */

/* Takes seconds at most, with thousands of fences. */
static void try_long(void) {
    enum { TILES = 64, STATEMENTS = 2000, MOST_SECONDS = 20 };
    char *text = NULL;
    size_t size, n;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL) exit(2);
    fputs("!t = !pto.tile_buf<vec, 8x8xf32>\n!v = !pto.partition_tensor_view<8x8xf32>\n"
          "func.func @k(%in: !v, %out: !v, %s: f32) {\n",
          to);
    for (int i = 0; i < TILES; i++)
        fprintf(to, "  %%t%d = pto.alloc_tile : !t\n", i);
    for (int i = 0; i < STATEMENTS; i++) {
        int a = i % TILES, b = (i * 7 + 1) % TILES;
        if (i % 3 == 0) fprintf(to, "  pto.tload ins(%%in : !v) outs(%%t%d : !t)\n", a);
        if (i % 3 == 1)
            fprintf(to, "  pto.tadds ins(%%t%d, %%s : !t, f32) outs(%%t%d : !t)\n", a, b);
        if (i % 3 == 2) fprintf(to, "  pto.tstore ins(%%t%d : !t) outs(%%out : !v)\n", b);
    }
    fputs("  return\n}\n", to);
    if (fclose(to) != 0) exit(2);
    clock_t start = clock();
    char *result = try_program("a long function", text, size, PTOASM_PROFILE_A2A3, &n);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%d statements: %.1f s\n", STATEMENTS, seconds);
    if (result == NULL) fault("a long function", "it is refused");
    if (seconds > MOST_SECONDS) fault("a long function", "it takes too long");
    free(result);
    free(text);
}

int main(int argc, char **argv) {
    const char *corpus = getenv("PTOASM_CORPUS");
    if (argc != 2 || (step = (unsigned)atoi(argv[1])) == 0) return 2;
    if (corpus == NULL) {
        puts("PTOASM_CORPUS is not set: skipped");
        return 77;
    }
    try_corpus(corpus);
    try_vendor(corpus);
    try_folder(corpus, "sync", try_generated);
    printf("%u programs, %u fences taken away, %u of them not needed\n", programs, deletions,
           needless);
    /* insertion asks by the documented order which sets are early, and `check` by that of shipped
     * kernels */
    if (needless > MOST_NEEDLESS) failures++;
    try_long();
    printf("%u failures\n", failures);
    return failures == 0 ? 0 : 1;
}
