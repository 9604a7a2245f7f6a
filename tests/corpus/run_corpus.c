/* Runs programs written by others: PTOASM_CORPUS names a folder with an INDEX.tsv of verdicts.
 * Every accepted program is emitted, compiled, linked and run under checks, twice on the same data:
 * each of its kernels must end without an error, and with the same bytes; so must its SSA form,
 * when it names no addresses and converts. Data is random and as large as the views say; a number
 * is the first of a list with which the kernel ends without an error.
 *
 * usage: run_corpus LIST [PROGRAM]
 * LIST names the programs that do not run, each with the first word of what stands in the way and a
 * reason. A program that is missing there, or there without need, is a failure; so are more than
 * one in twenty. With PROGRAM, the end of a path, only such programs are run, and everything is
 * told. CC is the compiler. */
#define _GNU_SOURCE
#include "cli/run.h"
#include "common/checkrun.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 2048, SECONDS = 20, MOST_LISTED = 200 };
enum { DIFFERS = 3 }; /* beside FINE, REJECTED and TROUBLE: the SSA form does something else */

static bool verbose;

/* A line with this begins what a process says of a program that has another SSA form; the number of
 * kept buffers follows. */
static const char converted_mark[] = "converted, kept buffers ";

typedef struct Program {
    const char *path;
    ptoasm_source *src;
    ptoasm_result *res;
    Code code;
    bool built;
} Program;

/* ---- the code of all kernels of a program ---- */

/* Definitions of the functions that the program leaves to its caller: they do nothing, and what
 * they return is zero. `at` is behind `extern `, at a prototype whose parameters have no names but
 * for the core and the results. */
static void put_stub(FILE *to, const char *at) {
    const char *open = strchr(at, '('), *end = strchr(open, ')');
    char results[1024] = "";
    fprintf(to, "%.*s", (int)(open + 1 - at), at);
    for (unsigned i = 0; open < end; i++) {
        const char *word = open + 1;
        size_t n = strcspn(word, ",)");
        const char *result = memmem(word, n, "pto_r", 5);
        fprintf(to, "%s%.*s", i > 0 ? "," : "", (int)n, word);
        if (i > 0 && result == NULL) fprintf(to, " a%u", i);
        size_t used = strlen(results);
        if (result != NULL) {
            int name = (int)(word + n - result);
            snprintf(results + used, sizeof results - used, "    memset(%.*s, 0, sizeof *%.*s);\n",
                     name, result, name, result);
        }
        open = word + n;
    }
    fprintf(to, ") {\n%s    return 0;\n}\n", results);
}

static void put_stubs(FILE *to, const char *emitted) {
    static const char start[] = "\nextern ";
    for (const char *p = emitted; (p = strstr(p, start)) != NULL;) {
        p += sizeof start - 1;
        put_stub(to, p);
    }
}

static int build(ptoasm_result *res, Code *code) {
    char *text = NULL;
    size_t size = 0, n;
    const char *emitted = ptoasm_result_text(res, &n);
    FILE *to = open_memstream(&text, &size);
    if (to == NULL) return TROUBLE;
    fwrite(emitted, 1, n, to);
    put_stubs(to, emitted);
    entry_write(to, res, 0, ptoasm_kernel_count(res));
    fclose(to);
    int rc = code_build(text, size, NULL, NULL, code);
    free(text);
    return rc;
}

/* ---- arguments ---- */

/* What a run is tried with: the integers, and what integer arrays hold. */
typedef struct Attempt {
    const char *number, *indices;
} Attempt;

static const Attempt attempts[] = {
    {"32", "iota"},  {"32", "zeros"}, {"1", "iota"},    {"16", "iota"},   {"64", "iota"},
    {"128", "iota"}, {"8", "iota"},   {"1", "zeros"},   {"2", "iota"},    {"4", "iota"},
    {"256", "iota"}, {"512", "iota"}, {"1024", "iota"}, {"2048", "iota"}, {"0", "iota"},
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts, LARGE = 1 << 18, HUGE_ARRAY = 1 << 22 };

static bool is_integer(const ptoasm_param *p) {
    Elem e = elem_from_text(p->elem, strlen(p->elem));
    return e == ELEM_INDEX || elem_is_int(e);
}

/* Too large to be filled in time: its pages stay unmapped until something touches them. */
static bool is_huge(const ptoasm_buffer *views) {
    int64_t n = 1;
    for (uint32_t i = 0; views->known && i < views->rank; i++)
        if (__builtin_mul_overflow(n, views->shape[i], &n)) return true;
    return n > HUGE_ARRAY;
}

/* `:2x32`, where the type of a view leaves extents open. */
static void add_open_shape(const ptoasm_param *p, const Attempt *a, char *text, size_t size) {
    bool open = false;
    for (uint32_t i = 0; i < p->rank; i++)
        open |= p->shape[i] == PTOASM_EXTENT_ANY;
    for (uint32_t i = 0; i < p->rank && open; i++) {
        size_t n = strlen(text);
        char sep = i == 0 ? ':' : 'x';
        if (p->shape[i] == PTOASM_EXTENT_ANY)
            snprintf(text + n, size - n, "%c%s", sep, a->number);
        else
            snprintf(text + n, size - n, "%c%lld", sep, (long long)p->shape[i]);
    }
}

static int read_argument(const Target *target, size_t i, const Attempt *a,
                         const ptoasm_launch *launch, Argument *out) {
    Slot slot = {.target = target, .index = i, .launch = launch};
    char text[96];
    ptoasm_kernel_param(target->res, target->index, i, &slot.param);
    const ptoasm_param *p = &slot.param;
    if (p->kind == PTOASM_PARAM_SCALAR)
        return argument_read(&slot, is_integer(p) ? a->number : "1", out);
    ptoasm_buffer views;
    if (p->kind == PTOASM_PARAM_POINTER &&
        ptoasm_kernel_buffer(target->res, target->index, i, launch, &views) != PTOASM_OK)
        return TROUBLE;
    snprintf(text, sizeof text, "random:%zu", i + 1);
    if (is_integer(p)) snprintf(text, sizeof text, "%s", a->indices);
    if (p->kind == PTOASM_PARAM_POINTER && is_huge(&views)) snprintf(text, sizeof text, "zeros");
    if (p->kind == PTOASM_PARAM_POINTER && !views.known)
        snprintf(text + strlen(text), sizeof text - strlen(text), ":%d", LARGE);
    if (p->kind == PTOASM_PARAM_VIEW) add_open_shape(p, a, text, sizeof text);
    return argument_read(&slot, text, out);
}

/* Numbers first: the sizes of arrays may follow from them. */
static int read_arguments(const Target *target, const Attempt *a, Argument *args) {
    size_t n = target->kernel.params;
    bool *known = calloc(n + 1, sizeof *known);
    int64_t *values = calloc(n + 1, sizeof *values);
    ptoasm_launch launch = {sizeof launch, target->blocks, n, known, values};
    int rc = known != NULL && values != NULL ? FINE : TROUBLE;
    for (int pointers = 0; pointers < 2; pointers++)
        for (size_t i = 0; i < n && rc == FINE; i++) {
            ptoasm_param p;
            ptoasm_kernel_param(target->res, target->index, i, &p);
            if ((p.kind == PTOASM_PARAM_POINTER) != (pointers == 1)) continue;
            rc = read_argument(target, i, a, &launch, &args[i]);
            known[i] = pointers == 0;
            values[i] = (int64_t)args[i].bits;
        }
    free(known);
    free(values);
    return rc;
}

static uint64_t hash_bytes(uint64_t h, const unsigned char *p, size_t n) {
    for (; n >= sizeof h; p += sizeof h, n -= sizeof h) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        h = (h ^ word) * 0x9E3779B97F4A7C15u;
        h ^= h >> 32;
    }
    while (n-- > 0)
        h = (h ^ *p++) * 0x100000001b3u;
    return h;
}

static uint64_t digest(const Argument *args, size_t n) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        h = hash_bytes(h, args[i].array.data, args[i].array.data != NULL ? args[i].array.bytes : 0);
    return h;
}

/* ---- a kernel ---- */

static int call_once(const Target *target, const Code *code, const Attempt *a, uint64_t *result) {
    size_t n = target->kernel.params;
    Argument *args = calloc(n + 1, sizeof *args);
    if (args == NULL) return TROUBLE;
    int rc = read_arguments(target, a, args);
    if (rc == FINE) rc = kernel_call(target, code, args);
    if (rc == FINE) *result = digest(args, n);
    for (size_t i = 0; i < n; i++)
        argument_free(&args[i]);
    free(args);
    return rc;
}

/* Runs kernel `index` of a program twice on the same data; *number is the attempt that it runs
 * with. */
static int run_kernel(const Program *p, size_t index, int *number, uint64_t *result) {
    Target t = {.file = p->path, .res = p->res, .blocks = 1, .index = index};
    uint64_t again = 0;
    if (!ptoasm_kernel_at(t.res, index, &t.kernel)) return TROUBLE;
    for (int i = 0; i < ATTEMPTS; i++) {
        if (call_once(&t, &p->code, &attempts[i], result) != FINE) continue;
        *number = i;
        if (call_once(&t, &p->code, &attempts[i], &again) == FINE && *result == again) return FINE;
        fprintf(stderr, "two-results: @%s\n", t.kernel.name);
        return REJECTED;
    }
    fprintf(stderr, "refused: @%s\n", t.kernel.name);
    return REJECTED;
}

/* Runs the same kernel of the SSA form with what the program ran with. */
static int run_ssa(const Program *ssa, size_t index, int number, uint64_t wanted) {
    Target t = {.file = ssa->path, .res = ssa->res, .blocks = 1, .index = index};
    uint64_t result = 0;
    if (ssa->res == NULL) return FINE;
    if (ptoasm_kernel_at(t.res, index, &t.kernel) &&
        call_once(&t, &ssa->code, &attempts[number], &result) == FINE && result == wanted)
        return FINE;
    fprintf(stderr, "ssa-differs: @%s\n", t.kernel.name);
    return DIFFERS;
}

/* ---- a program ---- */

static void print_errors(ptoasm_result *res) {
    ptoasm_diagnostic d;
    for (size_t i = 0; res != NULL && ptoasm_diagnostic_at(res, i, &d); i++)
        if (d.severity == PTOASM_SEVERITY_ERROR)
            fprintf(stderr, "%s: %u: %s\n", d.id, d.place.line, d.message);
}

/* Emits and compiles. What stands in the way is told on standard error: a line `WORD: ...`, after
 * it or before it what is known besides. */
static int program_open(Program *p, const char *path, const char *text, size_t size,
                        const ptoasm_options *opt) {
    const ptoasm_emit_options emit = {.size = sizeof emit, .checked = true};
    *p = (Program){.path = path};
    if (ptoasm_source_open(path, text, size, PTOASM_SOURCE_BORROW, &p->src) != PTOASM_OK)
        return TROUBLE;
    if (ptoasm_emit(p->src, opt, &emit, &p->res) != PTOASM_OK) {
        print_errors(p->res);
        return REJECTED;
    }
    p->built = build(p->res, &p->code) == FINE;
    if (!p->built) fputs("not-compiled: the emitted C\n", stderr);
    return p->built ? FINE : REJECTED;
}

static void program_close(Program *p) {
    code_close(&p->code);
    ptoasm_result_free(p->res);
    ptoasm_source_close(p->src);
}

static bool has_addresses(const char *text) {
    return strstr(text, "addr =") != NULL || strstr(text, "addr=") != NULL ||
           strstr(text, "tassign") != NULL;
}

/* The program in the SSA form, closed where it has no other form. Tells how many buffers were kept.
 */
static int open_ssa(Program *ssa, const Program *p, const char *text, const ptoasm_options *opt,
                    ptoasm_result **printed) {
    ptoasm_diagnostic d;
    size_t size;
    int kept = 0;
    if (has_addresses(text)) return FINE;
    int rc = ptoasm_format(p->src, opt, PTOASM_FORM_SSA, printed);
    const char *converted = rc == PTOASM_OK ? ptoasm_result_text(*printed, &size) : NULL;
    for (size_t i = 0; *printed != NULL && ptoasm_diagnostic_at(*printed, i, &d); i++)
        kept += strcmp(d.id, "kept-buffer") == 0;
    if (converted == NULL || (size == strlen(text) && memcmp(converted, text, size) == 0))
        return FINE;
    fprintf(stderr, "%s%d\n", converted_mark, kept);
    if (program_open(ssa, p->path, converted, size, opt) == FINE) return FINE;
    fputs("ssa-refused: what was converted\n", stderr);
    return DIFFERS;
}

static int run_with(const char *path, const char *text, size_t size, const ptoasm_options *opt) {
    Program p, ssa = {0};
    ptoasm_result *printed = NULL;
    ptoasm_kernel k;
    int number;
    uint64_t result;
    int rc = program_open(&p, path, text, size, opt);
    for (size_t i = 0; rc == FINE && ptoasm_kernel_at(p.res, i, &k); i++) {
        rc = run_kernel(&p, i, &number, &result);
        if (rc == FINE && i == 0 && !opt->compat) rc = open_ssa(&ssa, &p, text, opt, &printed);
        if (rc == FINE) rc = run_ssa(&ssa, i, number, result);
    }
    program_close(&ssa);
    ptoasm_result_free(printed);
    program_close(&p);
    return rc;
}

/* By all rules and in both forms; what PTOAS alone accepts or runs, as it stands. */
static int run_program(const char *path, const char *text, size_t size, const ptoasm_options *opt) {
    ptoasm_options own = *opt;
    own.compat = false;
    int rc = run_with(path, text, size, &own);
    if (rc != REJECTED) return rc;
    fputs("\f\n", stderr);
    return run_with(path, text, size, opt);
}

/* ---- in a process of its own ---- */

/* The beginning of what a process said. Returns its exit status. */
static int listen(pid_t child, int from, char *said, size_t size) {
    size_t n = 0;
    ssize_t got;
    int status = 0;
    char rest[4096];
    while (n + 1 < size && (got = read(from, said + n, size - 1 - n)) > 0)
        n += (size_t)got;
    while (read(from, rest, sizeof rest) > 0)
        ;
    said[n] = '\0';
    close(from);
    waitpid(child, &status, 0);
    return status;
}

/* The first word with a colon at the start of a line. */
static void find_word(const char *said, char *word, size_t size) {
    snprintf(word, size, "silent");
    for (const char *s = said; s != NULL && *s != '\0'; s = strchr(s, '\n')) {
        s += *s == '\n';
        size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-");
        if (s[n] != ':' || n == 0 || n >= size || strncmp(s, "ptoasm", n) == 0) continue;
        snprintf(word, size, "%.*s", (int)n, s);
        return;
    }
}

/* Whether the program ran; if not, why, and the word for it. */
static bool ran(const char *path, const char *text, size_t size, const ptoasm_options *opt,
                char *word, size_t word_size, char *said, size_t said_size) {
    int ends[2];
    if (pipe(ends) != 0) exit(2);
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) exit(2);
    if (child == 0) {
        close(ends[0]);
        dup2(ends[1], STDERR_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        alarm(SECONDS);
        _exit(run_program(path, text, size, opt));
    }
    close(ends[1]);
    int status = listen(child, ends[0], said, said_size);
    char *second = strchr(said, '\f');
    if (second != NULL) memmove(said, second + 2, strlen(second + 2) + 1);
    find_word(said, word, word_size);
    if (WIFSIGNALED(status))
        snprintf(word, word_size, WTERMSIG(status) == SIGALRM ? "hangs" : "crashes");
    return WIFEXITED(status) && WEXITSTATUS(status) == FINE;
}

/* ---- the list ---- */

typedef struct Listed {
    char *path, *word;
    bool seen;
} Listed;
static Listed listed[MOST_LISTED];
static int nlisted;

static char *cut(char **rest, char sep) {
    char *field = *rest;
    if (field == NULL) return NULL;
    char *end = strchr(field, sep);
    if (end != NULL) *end++ = '\0';
    *rest = end;
    return field;
}

static void load_list(char *text) {
    char *rest = text;
    for (char *line; (line = cut(&rest, '\n')) != NULL;) {
        if (*line == '#' || *line == '\0') continue;
        if (nlisted == MOST_LISTED) exit(2);
        listed[nlisted].path = cut(&line, '\t');
        listed[nlisted].word = cut(&line, '\t');
        if (line == NULL || *line == '\0') {
            printf("FAIL %s: no reason\n", listed[nlisted].path);
            exit(1);
        }
        nlisted++;
    }
}

static Listed *find_listed(const char *path) {
    for (int i = 0; i < nlisted; i++)
        if (strcmp(listed[i].path, path) == 0) return &listed[i];
    return NULL;
}

/* ---- all of them ---- */

typedef struct Counts {
    int programs, ran, converted, kept, failures;
} Counts;

static void judge(const char *path, bool fine, const char *word, const char *said, Counts *c) {
    Listed *l = find_listed(path);
    c->programs++;
    c->ran += fine;
    const char *mark = strstr(said, converted_mark);
    c->converted += mark != NULL;
    c->kept += mark != NULL ? atoi(mark + strlen(converted_mark)) : 0;
    if (verbose) printf("%s\t%s\n%s", path, fine ? "ran" : word, said);
    if (l != NULL) l->seen = true;
    if (fine ? l == NULL : l != NULL && strcmp(l->word, word) == 0) return;
    c->failures++;
    if (fine)
        printf("FAIL %s runs, and is listed\n", path);
    else
        printf("FAIL %s\t%s%s\n%s", path, word, l != NULL ? ", listed with another word" : "",
               said);
}

static void run_row(const char *corpus, char *line, const char *only, Counts *c) {
    const char *path = cut(&line, '\t');
    cut(&line, '\t');
    const char *profile = cut(&line, '\t'), *level = cut(&line, '\t'), *verdict = cut(&line, '\t');
    if (verdict == NULL || strcmp(verdict, "accept") != 0) return;
    size_t n = strlen(path), m = only != NULL ? strlen(only) : 0;
    if (m > n || (only != NULL && strcmp(path + n - m, only) != 0)) return;
    const ptoasm_options opt = {.size = sizeof opt,
                                .profiles = strncmp(profile, "a5", 2) == 0     ? PTOASM_PROFILE_A5
                                            : strncmp(profile, "a2a3", 4) == 0 ? PTOASM_PROFILE_A2A3
                                                                               : PTOASM_PROFILE_CPU,
                                .level = level[5] - '0',
                                .compat = true};
    char file[PATH_SIZE], word[64], said[8192];
    size_t size;
    snprintf(file, sizeof file, "%s/%s", corpus, path);
    char *text = read_whole_file(file, &size);
    if (text == NULL) exit(2);
    bool fine = ran(path, text, size, &opt, word, sizeof word, said, sizeof said);
    judge(path, fine, word, said, c);
    free(text);
}

int main(int argc, char **argv) {
    const char *corpus = getenv("PTOASM_CORPUS");
    char path[PATH_SIZE];
    size_t size;
    Counts c = {0};
    if (argc < 2) return 2;
    if (corpus == NULL) {
        puts("PTOASM_CORPUS is not set: nobody's programs run");
        return 77;
    }
    const char *only = argc > 2 ? argv[2] : NULL;
    verbose = only != NULL;
    char *list = read_whole_file(argv[1], &size);
    snprintf(path, sizeof path, "%s/INDEX.tsv", corpus);
    char *index = read_whole_file(path, &size), *rest = index;
    if (list == NULL || index == NULL) return 2;
    load_list(list);
    cut(&rest, '\n');
    for (char *line; (line = cut(&rest, '\n')) != NULL;)
        run_row(corpus, line, only, &c);
    for (int i = 0; i < nlisted && only == NULL; i++)
        if (!listed[i].seen) {
            printf("FAIL %s is listed, and is no accepted program\n", listed[i].path);
            c.failures++;
        }
    printf("%d programs, %d ran, %d of them in the SSA form too (%d kept buffers), %d failures\n",
           c.programs, c.ran, c.converted, c.kept, c.failures);
    free(list);
    free(index);
    return c.failures > 0 || (only == NULL && nlisted * 20 > c.programs);
}
