/* SPDX-License-Identifier: Apache-2.0 */
/* Random argument lists for `ptoasm run`. Every list must end as a model of the kernel says: with
 * the right numbers, or with an exit code and a message; never with a crash and never with numbers
 * that nobody computed. A kernel is compiled once for all its lists.
 *
 * usage: fuzz_run PROGRAM-FOLDER... ; the lists are the same on every run, as many of them as fit
 * into the time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/run.h"

enum { MOST_LISTS = 20000, SECONDS = 1, MOST_PARAMS = 12, TEXT = 160 };

static uint64_t state;

static uint64_t next(void) {
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* lo .. hi */
static int64_t between(int64_t lo, int64_t hi) {
    return lo + (int64_t)(next() % (uint64_t)(hi - lo + 1));
}

static bool one_in(unsigned n) {
    return next() % n == 0;
}

/* ---- the programs ---- */

typedef struct List List;

typedef struct Program {
    const char *file, *entry;
    /* Gives the grid and the numbers of a list that may be right. */
    void (*choose)(List *l);
    /* Whether the kernel stays inside the arrays; `sure` is made false where either answer will do.
     */
    bool (*fits)(const List *l, const Argument *args, bool *sure);
    /* Whether `after` holds what the kernel computes; `before` are the arrays as they were. */
    bool (*right)(const List *l, const Argument *before, const Argument *after);
} Program;

struct List {
    const Program *program;
    Target target;
    ptoasm_param params[MOST_PARAMS];
    size_t n;
    char texts[MOST_PARAMS + 1][TEXT];
    const char *order[MOST_PARAMS + 1];
    size_t given;
    int64_t numbers[MOST_PARAMS];
    int wrong;    /* exit code that some argument has to lead to; 0 = none, -1 = any but 0 */
    bool garbage; /* some argument may be right or wrong */
};

static size_t count_of(const Argument *arg) {
    return arg->array.bytes / elem_infos[arg->array.elem].bytes;
}

static float f32_at(const Argument *arg, uint64_t i) {
    float f;
    memcpy(&f, arg->array.data + i * sizeof f, sizeof f);
    return f;
}

static bool same_float(float a, float b) {
    return a == b || (a != a && b != b);
}

/* reach: x, y, rows, cols, pitch, step, from, take, into */
static void choose_reach(List *l) {
    static const int64_t far[] = {INT64_MIN,        INT64_MAX,           (int64_t)1 << 61,
                                  (int64_t)1 << 62, -((int64_t)1 << 61), ((int64_t)1 << 62) - 1,
                                  (int64_t)1 << 32, -((int64_t)1 << 30), 1073741825};
    static const struct {
        int64_t lo, hi;
    } near[] = {{0, 0}, {0, 0}, {0, 16}, {0, 16}, {-3, 20}, {-1, 3}, {0, 40}, {0, 200}, {0, 250}};
    for (size_t i = 2; i < l->n; i++) {
        l->numbers[i] = between(near[i].lo, near[i].hi);
        if (one_in(25)) l->numbers[i] = between(-40, 300);
        if (one_in(25)) l->numbers[i] = far[next() % (sizeof far / sizeof far[0])];
    }
}

static uint64_t reach_at(const List *l, int64_t r, int64_t c) {
    const int64_t *v = l->numbers;
    return (uint64_t)v[6] + (uint64_t)r * (uint64_t)v[4] + (uint64_t)c * (uint64_t)v[5];
}

static bool inside(uint64_t i, const Argument *arg) {
    return i * 4 < arg->array.bytes && i * 4 + 4 <= arg->array.bytes;
}

static bool fits_reach(const List *l, const Argument *args, bool *sure) {
    const int64_t *v = l->numbers, limit = (int64_t)1 << 40;
    int64_t rows = v[2], cols = v[3];
    for (size_t i = 2; i < l->n; i++)
        if (v[i] > limit || v[i] < -limit) *sure = false;
    if (rows < 0 || cols < 0 || rows > 16 || cols > 16) return false;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            if (!inside(reach_at(l, r, c), &args[0]) || !inside((uint64_t)(r * cols + c), &args[1]))
                return false;
    return inside((uint64_t)v[7], &args[0]) && inside((uint64_t)v[8], &args[1]);
}

static bool right_reach(const List *l, const Argument *before, const Argument *after) {
    const int64_t *v = l->numbers;
    int64_t rows = v[2], cols = v[3];
    for (uint64_t i = 0; i < count_of(&after[1]); i++) {
        bool written = rows > 0 && cols > 0 && i < (uint64_t)(rows * cols);
        float want = written ? f32_at(&before[0], reach_at(l, (int64_t)i / cols, (int64_t)i % cols))
                             : f32_at(&before[1], i);
        if (i == (uint64_t)v[8]) want = f32_at(&before[0], (uint64_t)v[7]);
        if (!same_float(f32_at(&after[1], i), want)) return false;
    }
    return true;
}

/* scale_mask: x, y, scale; 32 rows of 64 columns a block */
enum { BLOCK = 32 * 64 };

static void choose_scale_mask(List *l) {
    l->target.blocks = one_in(20) ? INT32_MAX : between(0, 4);
    l->numbers[2] = between(-9, 9);
}

static bool fits_scale_mask(const List *l, const Argument *args, bool *sure) {
    (void)sure;
    size_t need = (size_t)l->target.blocks * BLOCK;
    return count_of(&args[0]) >= need && count_of(&args[1]) >= need;
}

static bool right_scale_mask(const List *l, const Argument *before, const Argument *after) {
    uint64_t need = (uint64_t)l->target.blocks * BLOCK;
    for (uint64_t i = 0; i < count_of(&after[1]); i++) {
        float want = f32_at(&before[1], i);
        if (i < need)
            want = f32_at(&before[0], i) * (float)l->numbers[2] *
                   (i % 64 <= i / 64 % 32 ? 1.0f : 0.0f);
        if (!same_float(f32_at(&after[1], i), want)) return false;
    }
    return true;
}

/* rows: x, y, n; n rows of 32 columns, at most 32 of them */
static void choose_rows(List *l) {
    l->numbers[2] = one_in(4) ? between(-3, 40) : between(0, 32);
}

static bool fits_rows(const List *l, const Argument *args, bool *sure) {
    (void)sure;
    int64_t n = l->numbers[2];
    return n >= 0 && n <= 32 && count_of(&args[0]) >= (size_t)n * 32 &&
           count_of(&args[1]) >= (size_t)n * 32;
}

static bool right_rows(const List *l, const Argument *before, const Argument *after) {
    for (uint64_t i = 0; i < count_of(&after[1]); i++)
        if (!same_float(f32_at(&after[1], i),
                        f32_at(&before[i < (uint64_t)l->numbers[2] * 32 ? 0 : 1], i)))
            return false;
    return true;
}

/* all, of scalars.pto: o, and numbers of every kind; o[0..3] = n, i8, i32, b */
static void choose_all(List *l) {
    for (size_t i = 1; i < l->n; i++) {
        const ptoasm_param *p = &l->params[i];
        unsigned width = elem_int_width(elem_from_text(p->elem, strlen(p->elem)));
        l->numbers[i] = width == 1 ? between(0, 1) : (int64_t)(next() >> (65 - width));
        if (p->elem[0] == 'i' && width > 1 && one_in(2)) l->numbers[i] = -l->numbers[i] - 1;
    }
}

static bool fits_all(const List *l, const Argument *args, bool *sure) {
    (void)l;
    (void)sure;
    return count_of(&args[0]) >= 4;
}

static bool right_all(const List *l, const Argument *before, const Argument *after) {
    const int64_t want[] = {l->numbers[1], l->numbers[2], l->numbers[4], l->numbers[5]};
    (void)before;
    return memcmp(after[0].array.data, want, sizeof want) == 0;
}

static const Program programs[] = {
    {"reach.pto", "reach", choose_reach, fits_reach, right_reach},
    {"scale_mask.pto", "scale_mask", choose_scale_mask, fits_scale_mask, right_scale_mask},
    {"rows.pto", "rows", choose_rows, fits_rows, right_rows},
    {"scalars.pto", "all", choose_all, fits_all, right_all},
};

/* ---- texts ---- */

static void wrong(List *l, int code) {
    l->wrong = l->wrong == 0 || l->wrong == code ? code : -1;
}

/* Files that are no arrays, or others. */
static const struct {
    const char *name, *header;
    size_t bytes;
    int code;
} files[] = {
    {"good.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (64, 64), }", 16384, 0},
    {"small.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 12, 0},
    {"one.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 4, 0},
    {"none.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 0, 7), }", 0, 0},
    {"half.npy", "{'descr': '<f2', 'fortran_order': False, 'shape': (64, 64), }", 8192, REJECTED},
    {"int.npy", "{'descr': '<i4', 'fortran_order': False, 'shape': (64, 64), }", 16384, REJECTED},
    {"columns.npy", "{'descr': '<f4', 'fortran_order': True, 'shape': (64, 64), }", 16384, TROUBLE},
    {"big.npy", "{'descr': '>f4', 'fortran_order': False, 'shape': (64, 64), }", 16384, TROUBLE},
    {"cut.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (64, 64), }", 16383, TROUBLE},
    {"more.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (64, 64), }", 16385, TROUBLE},
    {"lie.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", 64,
     TROUBLE},
    {"far.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,), }", 64,
     TROUBLE},
    {"key.npy", "{'descr': '<f4', 'shape': (64, 64), }", 16384, TROUBLE},
};

static void make_files(void) {
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        static const char zeros[16385];
        size_t n = strlen(files[i].header);
        FILE *f = fopen(files[i].name, "wb");
        assert_non_null(f);
        fprintf(f, "%cNUMPY%c%c%c%c%s", 0x93, 1, 0, (int)(n % 256), (int)(n / 256),
                files[i].header);
        fwrite(zeros, 1, files[i].bytes, f);
        assert_int_equal(fclose(f), 0);
    }
}

/* A number of elements, often just around what is needed. */
static int64_t size_near(void) {
    static const int64_t sizes[] = {0,   1,    3,    4,    32,   64,   255, 256,
                                    257, 1023, 1024, 2047, 2048, 4096, 8192};
    return sizes[next() % (sizeof sizes / sizeof sizes[0])] + (one_in(5) ? between(0, 2) : 0);
}

static void put_garbage(char *out) {
    static const char bytes[] = "zerosniotaadmf3x16:=>%.#@\xC3\n\t\\ 0123456789,'\"";
    size_t n = (size_t)between(1, 12);
    for (size_t i = 0; i < n; i++)
        out[i] = bytes[next() % (sizeof bytes - 1)];
    out[n] = '\0';
}

static void wrong_pointer(List *l, char *out) {
    static const struct {
        const char *text;
        int code;
    } texts[] = {{"zeros:f16x4", REJECTED},
                 {"ones:tf32", TROUBLE},
                 {"zeros:q7", TROUBLE},
                 {"iota:", TROUBLE},
                 {"zeros:f32x", TROUBLE},
                 {"zeros:4x", TROUBLE},
                 {"zeros:-4", TROUBLE},
                 {"random", TROUBLE},
                 {"random:", TROUBLE},
                 {"random:x:64", TROUBLE},
                 {"random:18446744073709551616", TROUBLE},
                 {"zeros:4294967296x4294967296x16", TROUBLE},
                 {"zeros:1000000000x1000000000", TROUBLE},
                 {"missing.npy", TROUBLE},
                 {"7", REJECTED},
                 {"-inf", REJECTED},
                 {"", -1},
                 {">", TROUBLE},
                 {"out=", TROUBLE},
                 {"zeros>y.npy:3x", TROUBLE},
                 {"good.npy>y.npy:64", TROUBLE},
                 {".", TROUBLE}};
    size_t k = next() % (sizeof texts / sizeof texts[0] + 4);
    if (k < sizeof texts / sizeof texts[0]) {
        snprintf(out, TEXT, "%s", texts[k].text);
        /* "" is an array as the views say it; a size, if they do not */
        if (*out == '\0') snprintf(out, TEXT, ":");
        wrong(l, *out == ':' ? TROUBLE : texts[k].code);
    } else {
        put_garbage(out);
        l->garbage = true;
    }
}

static void put_pointer(List *l, size_t i, char *out) {
    static const char *const sources[] = {"zeros", "ones", "iota", "random:5", ""};
    bool f32 = strcmp(l->params[i].elem, "f32") == 0;
    if (one_in(16)) {
        wrong_pointer(l, out);
        return;
    }
    if (f32 && one_in(6)) {
        size_t k = next() % (sizeof files / sizeof files[0]);
        snprintf(out, TEXT, one_in(3) ? "%s>%c.npy" : "%s", files[k].name, (char)('a' + i));
        if (files[k].code != 0) wrong(l, files[k].code);
        return;
    }
    const char *source = sources[next() % 5], *elem = one_in(2) ? l->params[i].elem : "";
    bool views = l->program->choose == choose_rows || l->program->choose == choose_scale_mask;
    char size[64];
    snprintf(size, sizeof size, ":%s%s%lld", elem, *elem != '\0' ? "x" : "",
             (long long)size_near());
    if (views && l->target.blocks < 8 && one_in(2)) *size = '\0';
    char file[8] = {'>', (char)('a' + i), '.', 'n', 'p', 'y', '\0'};
    if (*source == '\0' || one_in(8))
        snprintf(out, TEXT, "%s%s%s", source, file, size);
    else
        snprintf(out, TEXT, "%s%s", source, size);
}

static void put_number(List *l, size_t i, char *out) {
    static const char *const texts[] = {
        "",   "x",        "1x",   "1,5", "0x", "--1",  "1e",   "99999999999999999999999",
        " 1", "good.npy", "nanx", "+-3", "1 ", "0x1p", "true5"};
    static const char *const no_integers[] = {"1.5", "nan", "inf", "1e3", "-0.5"};
    bool integer = l->params[i].elem[0] != 'f';
    if (one_in(30)) {
        bool range = integer && one_in(2);
        snprintf(out, TEXT, "%s", range ? no_integers[next() % 5] : texts[next() % 15]);
        if (!integer && strcmp(out, "99999999999999999999999") == 0) snprintf(out, TEXT, "?");
        wrong(l, REJECTED);
    } else if (integer && l->numbers[i] >= 0 && one_in(4) && strcmp(l->params[i].elem, "i1") != 0) {
        snprintf(out, TEXT, "0x%llX", (unsigned long long)l->numbers[i]);
    } else {
        snprintf(out, TEXT, "%lld", (long long)l->numbers[i]);
    }
}

/* Gives some arguments a name and moves them; now and then leaves one out, adds one or names one
 * that does not exist. */
static void put_order(List *l) {
    const char *named[MOST_PARAMS];
    size_t nnamed = 0, n = 0;
    for (size_t i = 0; i < l->n; i++) {
        char text[TEXT];
        if (!one_in(4)) {
            l->order[n++] = l->texts[i];
            continue;
        }
        snprintf(text, sizeof text, "%s", l->texts[i]);
        snprintf(l->texts[i], TEXT, "%s%s=%.*s", one_in(2) ? "%" : "", l->params[i].name, TEXT - 40,
                 text);
        named[nnamed++] = l->texts[i];
    }
    while (nnamed > 0) {
        size_t at = next() % (n + 1);
        memmove(&l->order[at + 1], &l->order[at], (n - at) * sizeof l->order[0]);
        l->order[at] = named[--nnamed];
        n++;
    }
    l->given = n;
    if (!one_in(25)) return;
    l->wrong = -1;
    switch (next() % 3) {
    case 0:
        l->given--;
        break;
    case 1:
        l->order[l->given++] = "1";
        break;
    default:
        l->order[next() % l->given] = "nobody=1";
    }
}

static void make_list(List *l) {
    l->wrong = 0;
    l->garbage = false;
    l->target.blocks = 1;
    l->program->choose(l);
    for (size_t i = 0; i < l->n; i++)
        (l->params[i].kind == PTOASM_PARAM_POINTER ? put_pointer : put_number)(l, i, l->texts[i]);
    put_order(l);
}

/* ---- a run ---- */

static int messages, own; /* standard error during a run, and otherwise */

static void begin_messages(void) {
    fflush(stderr);
    assert_true(dup2(messages, STDERR_FILENO) >= 0);
}

static size_t end_messages(char *out, size_t size) {
    fflush(stderr);
    assert_true(dup2(own, STDERR_FILENO) >= 0);
    ssize_t n = pread(messages, out, size - 1, 0);
    out[n > 0 ? n : 0] = '\0';
    assert_int_equal(ftruncate(messages, 0), 0);
    lseek(messages, 0, SEEK_SET);
    return strlen(out);
}

static void fault(const List *l, const char *what, const char *said) {
    printf("# %s --grid=%lld", l->program->file, (long long)l->target.blocks);
    for (size_t i = 0; i < l->given; i++)
        printf(" '%s'", l->order[i]);
    printf("\n# said: %s", said);
    fail_msg("%s", what);
}

static void copy_arrays(const List *l, const Argument *args, Argument *copy) {
    for (size_t i = 0; i < l->n; i++) {
        copy[i].array = args[i].array;
        if (args[i].array.data == NULL) continue;
        copy[i].array.data = malloc(args[i].array.bytes + 1);
        assert_non_null(copy[i].array.data);
        memcpy(copy[i].array.data, args[i].array.data, args[i].array.bytes);
    }
}

/* Calls the kernel with arguments that were read. Returns what is wrong with the outcome, or NULL.
 */
static const char *judge_call(const List *l, const Code *code, Argument *args, int *rc) {
    Argument before[MOST_PARAMS] = {0};
    bool sure = true, fits = l->program->fits(l, args, &sure);
    copy_arrays(l, args, before);
    *rc = kernel_call(&l->target, code, args);
    const char *what = NULL;
    if (*rc == FINE && !fits)
        what = "the kernel left its arguments, and nobody said so";
    else if (*rc == FINE && !l->program->right(l, before, args))
        what = "wrong numbers";
    else if (*rc != FINE && *rc != REJECTED)
        what = "an exit code that is none of a run";
    else if (*rc != FINE && fits && sure)
        what = "a run that should be fine";
    if (*rc == FINE && one_in(20)) *rc = results_write(args, l->n);
    for (size_t i = 0; i < l->n; i++)
        free(before[i].array.data);
    return what;
}

static void run_list(const List *l, const Code *code) {
    Argument args[MOST_PARAMS] = {0};
    char said[4096];
    begin_messages();
    int rc = arguments_read(&l->target, l->order, l->given, args);
    const char *what = NULL;
    if (rc == FINE && l->wrong != 0)
        what = "a wrong argument is taken";
    else if (rc != FINE && l->wrong == 0 && !l->garbage)
        what = "a good list is refused";
    else if (l->wrong > 0 && rc != l->wrong && !l->garbage)
        what = "another exit code than expected";
    if (what == NULL && rc == FINE) what = judge_call(l, code, args, &rc);
    size_t n = end_messages(said, sizeof said);
    const char *file = l->target.file;
    if (what == NULL && (rc == FINE) != (n == 0))
        what = "a message without a reason, or no message";
    if (what == NULL && rc == REJECTED && strncmp(said, file, strlen(file)) != 0)
        what = "a message without its line";
    if (what != NULL) fault(l, what, said);
    for (size_t i = 0; i < l->n; i++)
        argument_free(&args[i]);
}

/* ---- all of them ---- */

static char **folders;

/* The folders were named from where the test was started. */
static void open_program(const char *name, Input *in, ptoasm_source **src) {
    char path[4096];
    for (char **f = folders; *f != NULL; f++) {
        snprintf(path, sizeof path, "%s/%s", *f, name);
        if (access(path, R_OK) != 0) continue;
        assert_int_equal(input_read(path, in), FINE);
        assert_int_equal(ptoasm_source_open(name, in->data, in->size, PTOASM_SOURCE_BORROW, src),
                         PTOASM_OK);
        return;
    }
    fail_msg("no %s", name);
}

static size_t kernel_index(const ptoasm_result *res, const char *name) {
    ptoasm_kernel k;
    for (size_t i = 0; ptoasm_kernel_at(res, i, &k); i++)
        if (strcmp(k.name, name) == 0) return i;
    fail_msg("no @%s", name);
    return 0;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void run_program(const Program *program) {
    static List l;
    Input in;
    ptoasm_source *src;
    ptoasm_options cpu = PTOASM_OPTIONS_INIT;
    const ptoasm_emit_options emit = {.size = sizeof emit, .checked = true};
    Code code = {0};
    cpu.profiles = PTOASM_PROFILE_CPU;
    memset(&l, 0, sizeof l);
    l.program = program;
    l.target.file = program->file;
    open_program(program->file, &in, &src);
    assert_int_equal(ptoasm_emit(src, &cpu, &emit, &l.target.res), PTOASM_OK);
    l.target.index = kernel_index(l.target.res, program->entry);
    assert_true(ptoasm_kernel_at(l.target.res, l.target.index, &l.target.kernel));
    while (ptoasm_kernel_param(l.target.res, l.target.index, l.n, &l.params[l.n]))
        l.n++;
    assert_int_equal(kernel_build(&l.target, &code), FINE);
    double end = now() + SECONDS;
    state = 1;
    int lists = 0, fine = 0;
    for (; lists < MOST_LISTS && now() < end; lists++) {
        make_list(&l);
        run_list(&l, &code);
        fine += l.wrong == 0;
    }
    print_message("# %s: %d lists, %d of them good\n", program->file, lists, fine);
    code_close(&code);
    ptoasm_result_free(l.target.res);
    ptoasm_source_close(src);
    input_free(&in);
}

static void all_programs(void **test) {
    (void)test;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        run_program(&programs[i]);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_programs)};
    char folder[] = "/tmp/ptoasm-lists-XXXXXX", command[64];
    if (argc < 2 || mkdtemp(folder) == NULL) return 2;
    folders = argv + 1;
    for (char **f = folders; *f != NULL; f++)
        if ((*f = realpath(*f, NULL)) == NULL) return 2;
    own = dup(STDERR_FILENO);
    if (chdir(folder) != 0) return 2;
    make_files();
    messages = open("messages", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (messages < 0 || own < 0) return 2;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (char **f = folders; *f != NULL; f++)
        free(*f);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? failed : 2;
}
