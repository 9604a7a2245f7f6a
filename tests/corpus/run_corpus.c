/* SPDX-License-Identifier: Apache-2.0 */
/* Runs programs written by others: PTOASM_CORPUS names a folder with an INDEX.tsv of verdicts.
 * Every accepted program is emitted, compiled, linked and run under checks, twice on the same data:
 * each of its kernels must end without an error, and with the same bytes; so must its SSA form,
 * when it names no addresses and converts. Data is random and as large as the views say; a number
 * is the first of a list with which the kernel ends without an error.
 *
 * usage: run_corpus LIST [PROGRAM | --sample=N]
 * LIST names the programs that do not run, each with the first word of the reason and a
 * reason. A program that is missing there, or there without need, is a failure; so are more than
 * one in twenty. With PROGRAM, the end of a path, only such programs are run, and everything is
 * told. With a number, about as many are run, other ones every day. CC is the compiler.
 */
#define _GNU_SOURCE
#include "cli/run.h"
#include "common/checkrun.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 2048, SECONDS = 20, MOST_LISTED = 200 };
enum { DIFFERS = 3 }; /* beside FINE, REJECTED and TROUBLE: the SSA form does something else */

static bool verbose;

/* A line with this begins what a process says of a program that has another SSA form; the number of
 * kept buffers follows. */
static const char converted_mark[] = "converted, kept buffers ";

/* And with this, of one without functions that can be launched. */
static const char empty_mark[] = "no kernels\n";

typedef struct Program {
    const char *path;
    ptoasm_source *src;
    ptoasm_result *res;
    Code code;
    bool built;
} Program;

/* ---- the code of all kernels of a program ---- */

/* Definitions of the functions that the program leaves to its caller: they do nothing, and what
 * they return is zero. `at` is a prototype without its `extern `, in which only the core and the
 * results have names. */
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

/* What integer arrays hold. */
typedef enum Content { COUNTED, ZEROS, ONES, LARGER, CONTENTS } Content;

/* What a run is tried with. First all integers are the same; then, in kernels with several of them,
 * each is another one of a few, and so are the arrays, by a rule without pattern. */
typedef struct Attempt {
    const char *number;
    Content content;
} Attempt;

static const Attempt attempts[] = {
    {"32", COUNTED}, {"32", ZEROS},    {"1", COUNTED},    {"64", COUNTED}, {"128", COUNTED},
    {"8", COUNTED},  {"256", COUNTED}, {"1024", COUNTED}, {"0", COUNTED},  {"32768", COUNTED},
};
static const char *const mixture[] = {"0", "1", "2", "8", "16", "32", "256", "1024", "8192"};
enum { ALIKE = sizeof attempts / sizeof *attempts, MIXED = 40 };
enum {
    MIXTURE = sizeof mixture / sizeof *mixture,
    UNKNOWN_SIZE = 1 << 16,
    LARGE_ARRAY = 1 << 20,
    PAGE = 4096
};

static uint64_t scramble(uint64_t h) {
    h *= 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9u;
    return h ^ h >> 32;
}

static unsigned choose(int attempt, size_t param, unsigned n) {
    return (unsigned)(scramble((uint64_t)attempt << 32 | param) % n);
}

static const char *number_of(int attempt, size_t param) {
    if (attempt < ALIKE) return attempts[attempt].number;
    return mixture[choose(attempt, param, MIXTURE)];
}

static Content content_of(int attempt, size_t param) {
    if (attempt < ALIKE) return attempts[attempt].content;
    return (Content)choose(attempt, param, CONTENTS);
}

static bool is_integer(const ptoasm_param *p) {
    Elem e = elem_from_text(p->elem, strlen(p->elem));
    return e == ELEM_INDEX || elem_is_int(e);
}

/* Random numbers of each element type, and numbers that count, made once. */
enum { NOISE = 65521, COUNT = 65536 };
static Array noise[ELEM_COUNT], counted[ELEM_COUNT];

static void make_numbers(Array *a, Elem e, int64_t n) {
    *a = (Array){.elem = e, .rank = 1, .shape = {n}};
    if (!array_measure(a) || !array_allocate(a)) exit(2);
}

static void make_all_numbers(void) {
    for (int e = ELEM_NONE + 1; e < ELEM_COUNT; e++) {
        if (elem_infos[e].bytes == 0) continue;
        make_numbers(&noise[e], (Elem)e, NOISE);
        array_randomize(&noise[e], (uint64_t)e);
        make_numbers(&counted[e], (Elem)e, COUNT);
        array_count(&counted[e], 0, 1);
    }
}

/* Fills an array from the numbers of its type, again and again, beginning somewhere. */
static void fill_from(Array *a, const Array *from, size_t begin) {
    begin *= elem_infos[a->elem].bytes;
    for (size_t at = 0, n; at < a->bytes; at += n, begin = 0) {
        n = from->bytes - begin;
        if (n > a->bytes - at) n = a->bytes - at;
        memcpy(a->data + at, from->data + begin, n);
    }
}

/* Of large arrays only the beginning is filled: the rest is zero, in pages that stay unmapped until
 * something touches them. Here it begins; at the end without one. */
static unsigned char *sparse_part(const Array *a) {
    uintptr_t end = (uintptr_t)a->data + a->bytes;
    uintptr_t begin = ((uintptr_t)a->data + LARGE_ARRAY + PAGE - 1) / PAGE * PAGE;
    return begin < end ? a->data + (begin - (uintptr_t)a->data) : a->data + a->bytes;
}

static void fill(const Slot *slot, int attempt, const Array *whole) {
    Array begin = *whole;
    Content c = content_of(attempt, slot->index);
    unsigned char *sparse = sparse_part(whole);
    begin.bytes = (size_t)(sparse - whole->data);
    if (begin.bytes < whole->bytes) madvise(sparse, whole->bytes - begin.bytes, MADV_DONTNEED);
    if (!is_integer(&slot->param))
        fill_from(&begin, &noise[whole->elem], slot->index * 7919 % NOISE);
    else if (c == COUNTED)
        fill_from(&begin, &counted[whole->elem], 0);
    else if (c == ZEROS)
        memset(begin.data, 0, begin.bytes);
    else
        array_count(&begin, c == ONES ? 1 : 128, 0);
}

/* Few pages are taken faster than many. */
static void use_large_pages(const Array *a) {
    if (a->bytes >= LARGE_ARRAY) madvise(a->map, a->mapped, MADV_HUGEPAGE);
}

/* `:2x32`, where the type of a view leaves extents open. */
static void add_open_shape(const ptoasm_param *p, const char *number, char *text, size_t size) {
    bool open = false;
    for (uint32_t i = 0; i < p->rank; i++)
        open |= p->shape[i] == PTOASM_EXTENT_ANY;
    for (uint32_t i = 0; i < p->rank && open; i++) {
        size_t n = strlen(text);
        char sep = i == 0 ? ':' : 'x';
        if (p->shape[i] == PTOASM_EXTENT_ANY)
            snprintf(text + n, size - n, "%c%s", sep, number);
        else
            snprintf(text + n, size - n, "%c%lld", sep, (long long)p->shape[i]);
    }
}

static int read_scalar(const Slot *slot, int attempt, Argument *out) {
    bool integer = is_integer(&slot->param);
    return argument_read(slot, integer ? number_of(attempt, slot->index) : "1", out);
}

static int read_handle(const Slot *slot, int attempt, Argument *out) {
    char text[96] = "zeros";
    if (slot->param.kind == PTOASM_PARAM_VIEW)
        add_open_shape(&slot->param, number_of(attempt, slot->index), text, sizeof text);
    return argument_read(slot, text, out);
}

/* The array of a parameter before it that has the same name: those of the cube function and of the
 * vector function of a launch are then one. */
static bool share(const Slot *slot, Argument *args) {
    ptoasm_param other;
    for (size_t i = 0; i < slot->index; i++) {
        ptoasm_kernel_param(slot->target->res, slot->target->index, i, &other);
        if (other.kind != PTOASM_PARAM_POINTER || strcmp(other.name, slot->param.name) != 0 ||
            strcmp(other.elem, slot->param.elem) != 0)
            continue;
        args[slot->index] = args[i];
        args[slot->index].array.map = NULL; /* only the first one frees it */
        return true;
    }
    return false;
}

static int read_pointer(const Slot *slot, Argument *args) {
    ptoasm_buffer views;
    char text[32] = "zeros";
    if (share(slot, args)) return FINE;
    if (ptoasm_kernel_buffer(slot->target->res, slot->target->index, slot->index, slot->launch,
                             &views) != PTOASM_OK)
        return TROUBLE;
    if (!views.known) snprintf(text, sizeof text, "zeros:%d", UNKNOWN_SIZE);
    int rc = argument_read(slot, text, &args[slot->index]);
    if (rc == FINE) use_large_pages(&args[slot->index].array);
    return rc;
}

static int read_argument(const Slot *slot, int attempt, Argument *args) {
    switch (slot->param.kind) {
    case PTOASM_PARAM_SCALAR:
        return read_scalar(slot, attempt, &args[slot->index]);
    case PTOASM_PARAM_POINTER:
        return read_pointer(slot, args);
    default:
        return read_handle(slot, attempt, &args[slot->index]);
    }
}

/* Numbers first: the sizes of arrays may follow from them. */
static int read_arguments(const Target *target, int attempt, Argument *args) {
    size_t n = target->kernel.params;
    bool *known = calloc(n + 1, sizeof *known);
    int64_t *values = calloc(n + 1, sizeof *values);
    ptoasm_launch launch = {sizeof launch, target->blocks, n, known, values};
    int rc = known != NULL && values != NULL ? FINE : TROUBLE;
    for (int pointers = 0; pointers < 2; pointers++)
        for (size_t i = 0; i < n && rc == FINE; i++) {
            Slot slot = {.target = target, .index = i, .launch = &launch};
            ptoasm_kernel_param(target->res, target->index, i, &slot.param);
            if ((slot.param.kind == PTOASM_PARAM_POINTER) != (pointers == 1)) continue;
            rc = read_argument(&slot, attempt, args);
            known[i] = pointers == 0;
            values[i] = (int64_t)args[i].bits;
        }
    free(known);
    free(values);
    return rc;
}

static void fill_arguments(const Target *target, int attempt, Argument *args) {
    Slot slot = {.target = target};
    for (size_t i = 0; ptoasm_kernel_param(target->res, target->index, i, &slot.param); i++) {
        slot.index = i;
        if (args[i].array.map != NULL) fill(&slot, attempt, &args[i].array);
    }
}

static void free_arguments(Argument *args, size_t n) {
    for (size_t i = 0; i < n; i++)
        argument_free(&args[i]);
    memset(args, 0, n * sizeof *args);
}

/* Four words at a time, which do not wait for each other. */
static uint64_t hash_bytes(uint64_t h, const unsigned char *p, size_t n) {
    uint64_t lane[4] = {h, ~h, h + 1, h + 2}, word[4];
    for (; n >= sizeof word; p += sizeof word, n -= sizeof word) {
        memcpy(word, p, sizeof word);
        for (int i = 0; i < 4; i++) {
            lane[i] = (lane[i] ^ word[i]) * 0x9E3779B97F4A7C15u;
            lane[i] ^= lane[i] >> 32;
        }
    }
    for (int i = 0; i < 4; i++)
        h = scramble(h ^ lane[i]);
    while (n-- > 0)
        h = (h ^ *p++) * 0x100000001b3u;
    return h;
}

/* Pages that nothing touched count as much as pages of zeros: nothing. */
static uint64_t hash_pages(uint64_t h, unsigned char *from, size_t bytes) {
    static const unsigned char zeros[PAGE];
    unsigned char mapped[1024];
    for (size_t at = 0, n; at < bytes; at += n) {
        n = bytes - at < PAGE * sizeof mapped ? bytes - at : PAGE * sizeof mapped;
        if (mincore(from + at, n, mapped) != 0) exit(2);
        for (size_t page = 0; page < n; page += PAGE) {
            size_t size = n - page < PAGE ? n - page : PAGE;
            const unsigned char *p = from + at + page;
            if ((mapped[page / PAGE] & 1) == 0 || memcmp(p, zeros, size) == 0) continue;
            h = hash_bytes(h + at + page, p, size);
        }
    }
    return h;
}

static uint64_t digest(const Argument *args, size_t n) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) {
        const Array *a = &args[i].array;
        if (a->data == NULL) continue;
        unsigned char *sparse = sparse_part(a);
        size_t filled = (size_t)(sparse - a->data);
        h = hash_bytes(h, a->data, filled);
        h = hash_pages(h, sparse, a->bytes - filled);
    }
    return h;
}

/* Numbers and arrays of integers. */
static int count_choices(const Target *target) {
    ptoasm_param p;
    int n = 0;
    for (size_t i = 0; ptoasm_kernel_param(target->res, target->index, i, &p); i++)
        n += is_integer(&p);
    return n;
}

/* ---- a kernel ---- */

/* What a kernel of a program did. */
typedef struct Run {
    Argument *args;
    int attempt; /* the one that it ends with */
    uint64_t result;
} Run;

static int call_once(const Target *target, const Code *code, Run *run) {
    fill_arguments(target, run->attempt, run->args);
    int rc = kernel_call(target, code, run->args);
    if (rc == FINE) run->result = digest(run->args, target->kernel.params);
    return rc;
}

/* Takes back what was said: of many attempts, what the first ones say is enough. */
static void forget_since(off_t end) {
    if (ftruncate(STDERR_FILENO, end) != 0) exit(2);
}

/* Runs with one attempt after the other until the kernel ends without an error. */
static int find_attempt(const Target *t, const Code *code, Run *run) {
    off_t said = 0;
    int most = ALIKE + (count_choices(t) > 1 ? MIXED : 0);
    for (int i = 0; i < most; i++) {
        if (i > 1) forget_since(said);
        said = lseek(STDERR_FILENO, 0, SEEK_END);
        run->attempt = i;
        if (read_arguments(t, i, run->args) == FINE && call_once(t, code, run) == FINE) return FINE;
        free_arguments(run->args, t->kernel.params);
    }
    fprintf(stderr, "refused: @%s\n", t->kernel.name);
    return REJECTED;
}

/* Once more with the same data. */
static int run_again(const Target *t, const Code *code, Run *run) {
    uint64_t first = run->result;
    if (call_once(t, code, run) == FINE && run->result == first) return FINE;
    fprintf(stderr, "two-results: @%s\n", t->kernel.name);
    return REJECTED;
}

/* Runs the same kernel of the SSA form on the same data. */
static int run_ssa(const Program *ssa, size_t index, Run *run) {
    Target t = {.file = ssa->path, .res = ssa->res, .blocks = 1, .index = index};
    uint64_t wanted = run->result;
    if (ssa->res == NULL) return FINE;
    if (ptoasm_kernel_at(t.res, index, &t.kernel) && call_once(&t, &ssa->code, run) == FINE &&
        run->result == wanted)
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

/* Emits and compiles. A failure is reported on standard error: a line `WORD: ...`, after
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

/* Runs a kernel of a program twice, and once more where there is another form. */
static int run_kernel(const Program *p, const Program *ssa, size_t index) {
    Target t = {.file = p->path, .res = p->res, .blocks = 1, .index = index};
    if (!ptoasm_kernel_at(t.res, index, &t.kernel)) return TROUBLE;
    Run run = {.args = calloc(t.kernel.params + 1, sizeof *run.args)};
    int rc = run.args != NULL ? find_attempt(&t, &p->code, &run) : TROUBLE;
    if (rc == FINE) rc = run_again(&t, &p->code, &run);
    if (rc == FINE) rc = run_ssa(ssa, index, &run);
    if (run.args != NULL) free_arguments(run.args, t.kernel.params);
    free(run.args);
    return rc;
}

static int run_with(const char *path, const char *text, size_t size, const ptoasm_options *opt) {
    Program p, ssa = {0};
    ptoasm_result *printed = NULL;
    ptoasm_kernel k;
    int rc = program_open(&p, path, text, size, opt);
    bool empty = rc == FINE && !ptoasm_kernel_at(p.res, 0, &k);
    if (empty) fputs(empty_mark, stderr);
    if (rc == FINE && !empty && !opt->compat) rc = open_ssa(&ssa, &p, text, opt, &printed);
    for (size_t i = 0; rc == FINE && ptoasm_kernel_at(p.res, i, &k); i++)
        rc = run_kernel(&p, &ssa, i);
    program_close(&ssa);
    ptoasm_result_free(printed);
    program_close(&p);
    return rc;
}

/* By all rules and in both forms; what PTOAS alone accepts or runs, unchanged. */
static int run_program(const char *path, const char *text, size_t size, const ptoasm_options *opt) {
    ptoasm_options own = *opt;
    own.compat = false;
    int rc = run_with(path, text, size, &own);
    if (rc != REJECTED) return rc;
    fputs("\f\n", stderr);
    return run_with(path, text, size, opt);
}

/* ---- in a process of its own ---- */

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
    int status, file = memfd_create("said", 0);
    if (file < 0) exit(2);
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) exit(2);
    if (child == 0) {
        fcntl(file, F_SETFL, O_APPEND);
        dup2(file, STDERR_FILENO);
        dup2(file, STDOUT_FILENO);
        alarm(SECONDS);
        _exit(run_program(path, text, size, opt));
    }
    waitpid(child, &status, 0);
    ssize_t got = pread(file, said, said_size - 1, 0);
    said[got > 0 ? got : 0] = '\0';
    close(file);
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

static void load_list(char *text) {
    char *rest = text;
    for (char *line; (line = cut_field(&rest, '\n')) != NULL;) {
        if (*line == '#' || *line == '\0') continue;
        if (nlisted == MOST_LISTED) exit(2);
        listed[nlisted].path = cut_field(&line, '\t');
        listed[nlisted].word = cut_field(&line, '\t');
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
    unsigned accepted;
    int programs, ran, empty, converted, kept, failures;
} Counts;

static void judge(const char *path, bool fine, const char *word, const char *said, Counts *c) {
    Listed *l = find_listed(path);
    c->programs++;
    c->ran += fine;
    const char *mark = strstr(said, converted_mark);
    c->empty += fine && strstr(said, empty_mark) != NULL;
    c->converted += fine && mark != NULL;
    c->kept += fine && mark != NULL ? atoi(mark + strlen(converted_mark)) : 0;
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

/* Which programs are run: of those whose path ends so, if there is an end, every `step`-th. */
typedef struct Choice {
    const char *end;
    unsigned step, first;
} Choice;

/* `accepted` counts the accepted programs before. */
static bool chosen(const Choice *choice, const char *path, unsigned accepted) {
    size_t n = strlen(path), m = choice->end != NULL ? strlen(choice->end) : 0;
    if (m > n || (m > 0 && strcmp(path + n - m, choice->end) != 0)) return false;
    return accepted % choice->step == choice->first;
}

static unsigned count_accepted(const char *index) {
    unsigned n = 0;
    for (const char *p = index; (p = strstr(p, "\taccept\t")) != NULL; p++)
        n++;
    return n;
}

/* That many of all, always the same. */
static bool read_sample(const char *text, unsigned all, Choice *choice) {
    int n = atoi(text);
    if (n <= 0) return false;
    unsigned step = all / (unsigned)n;
    choice->step = step > 0 ? step : 1;
    choice->first = choice->step / 2;
    return true;
}

static void run_row(const char *corpus, char *line, const Choice *choice, Counts *c) {
    const char *path = cut_field(&line, '\t');
    cut_field(&line, '\t');
    const char *profile = cut_field(&line, '\t'), *level = cut_field(&line, '\t'),
               *verdict = cut_field(&line, '\t');
    if (verdict == NULL || strcmp(verdict, "accept") != 0) return;
    if (!chosen(choice, path, c->accepted++)) return;
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

/* What is listed must be an accepted program, and at most every twentieth is. */
static void judge_list(Counts *c) {
    for (int i = 0; i < nlisted; i++) {
        if (listed[i].seen) continue;
        printf("FAIL %s is listed, and is no accepted program\n", listed[i].path);
        c->failures++;
    }
    if (nlisted * 20 <= c->programs) return;
    printf("FAIL %d of %d programs are listed, more than one in twenty\n", nlisted, c->programs);
    c->failures++;
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
    static const char sample[] = "--sample=";
    Choice choice = {.step = 1};
    char *list = read_whole_file(argv[1], &size);
    snprintf(path, sizeof path, "%s/INDEX.tsv", corpus);
    char *index = read_whole_file(path, &size), *rest = index;
    if (list == NULL || index == NULL) return 2;
    if (argc > 2 && strncmp(argv[2], sample, sizeof sample - 1) != 0)
        choice.end = argv[2];
    else if (argc > 2 && !read_sample(argv[2] + sizeof sample - 1, count_accepted(index), &choice))
        return 2;
    verbose = choice.end != NULL;
    load_list(list);
    make_all_numbers();
    cut_field(&rest, '\n');
    for (char *line; (line = cut_field(&rest, '\n')) != NULL;)
        run_row(corpus, line, &choice, &c);
    if (argc == 2) judge_list(&c);
    printf("%d programs, %d ran (%d without kernels), %d of them in the SSA form too (%d kept "
           "buffers), "
           "%d failures\n",
           c.programs, c.ran, c.empty, c.converted, c.kept, c.failures);
    free(list);
    free(index);
    return c.failures > 0;
}
