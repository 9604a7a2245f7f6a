/* SPDX-License-Identifier: Apache-2.0 */
/* Tile kernels through emitted C against references, in one run, on one thread, at level v3
 * (PTORT_ISA names another): a loop of one statement on tiles with dynamic valid regions, emitted,
 * compiled with `cc -O2` and run; the best of sixty times, each shorter than a turn on a busy
 * processor. usage: bench_tiles HEADERS LIBPTORT
 * [WORD]; the word chooses rows by their label. */
#include "bench.h"
#include "reference.h"

#include "api/ptoasm.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BEST_OF = 60, POINTERS = 4, BUFFER = 1 << 20, MOST = 200 };

typedef enum Library { ANY, SLEEF, BLAS } Library;

/* The statement of `loop` may use tiles that `setup` makes and the views %vN of rows x cols
 * elements at pointer N. */
typedef struct Row {
    const char *label;
    int rows, cols;
    const char *elems[POINTERS]; /* what the pointers point to, in order; the others are f32 */
    const char *types;           /* aliases */
    const char *setup, *loop;
    Reference reference;
    double least; /* reference time / time */
    Library needs;
    double work; /* of one iteration, in elements; 0 = rows x cols */
} Row;

#define TILE(name, type, r, c)                                                                     \
    "  %" name " = pto.alloc_tile valid_row = %" r " valid_col = %" c " : !" type "\n"
#define LOAD(name, type, view)                                                                     \
    "  pto.tload ins(%" view " : !pv" view ") outs(%" name " : !" type ")\n"
#define VEC(name, text) "!" name " = !pto.tile_buf<vec, " text ", valid=?x?>\n"

static const Row rows[] = {
#include "rows.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- the program ---- */

static const char *elem_of(const Row *r, int i) {
    return r->elems[i] != NULL ? r->elems[i] : "f32";
}

static void put_row(FILE *to, int at) {
    const Row *r = &rows[at];
    fprintf(to, "func.func @k%d(%%times: index, %%rows: index, %%cols: index", at);
    for (int i = 0; i < POINTERS; i++)
        fprintf(to, ", %%p%d: !pto.ptr<%s>", i, elem_of(r, i));
    fprintf(to, ") attributes {pto.entry} {\n"
                "  %%c0 = arith.constant 0 : index\n  %%c1 = arith.constant 1 : index\n"
                "  %%x = arith.constant 1.5 : f32\n");
    for (int i = 0; i < POINTERS; i++)
        fprintf(
            to,
            "  %%w%d = pto.make_tensor_view %%p%d, shape = [%%rows, %%cols], strides = [%%cols, "
            "%%c1] : !pto.tensor_view<?x?x%s>\n"
            "  %%v%d = pto.partition_view %%w%d, offsets = [%%c0, %%c0], sizes = [%%rows, %%cols] "
            ": !pto.tensor_view<?x?x%s> -> !pto.partition_tensor_view<?x?x%s>\n",
            i, i, elem_of(r, i), i, i, elem_of(r, i), elem_of(r, i));
    fprintf(to, "%s  scf.for %%i = %%c0 to %%times step %%c1 {\n%s  }\n  return\n}\n", r->setup,
            r->loop);
}

/* Types are aliases of a module: each row is one. */
static void put_module(FILE *to, int at) {
    const Row *r = &rows[at];
    for (int i = 0; i < POINTERS; i++)
        fprintf(to, "!pvv%d = !pto.partition_tensor_view<?x?x%s>\n", i, elem_of(r, i));
    fputs(r->types, to);
    put_row(to, at);
}

static void fatal(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

static char folder[] = "/tmp/ptoasm-bench-XXXXXX";

static void emit(int at) {
    char *text = NULL, path[64];
    size_t size = 0, n;
    FILE *to = open_memstream(&text, &size);
    put_module(to, at);
    fclose(to);
    ptoasm_source *src;
    ptoasm_result *res;
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    opt.profiles = PTOASM_PROFILE_CPU;
    if (ptoasm_source_open(rows[at].label, text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK)
        exit(2);
    if (ptoasm_emit(src, &opt, NULL, &res) != PTOASM_OK)
        fatal(rows[at].label, ptoasm_diagnostics_text(res, 0, NULL));
    snprintf(path, sizeof path, "%s/k%d.c", folder, at);
    to = fopen(path, "w");
    const char *c = ptoasm_result_text(res, &n);
    if (to == NULL || fwrite(c, 1, n, to) != n || fclose(to) != 0) fatal(path, "cannot be written");
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    free(text);
}

/* One library for all rows. */
static void *compile(const char *include, const char *runtime) {
    char command[4096], library[64];
    snprintf(library, sizeof library, "%s/k.so", folder);
    snprintf(command, sizeof command,
             "cc -std=c11 -O2 -shared -fPIC -I%s -o %s %s/k*.c %s "
             "-Wl,-rpath,$(dirname %s)",
             include, library, folder, runtime, runtime);
    if (system(command) != 0) fatal("cc", "failed");
    void *at = dlopen(library, RTLD_NOW);
    if (at == NULL) fatal(library, dlerror());
    return at;
}

/* ---- data ---- */

static uint32_t next(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static void fill(void *p, const char *elem) {
    for (size_t i = 0; i < BUFFER / 4; i++) {
        float f = 0.5f + (float)next() * 0x1p-31f;
        uint32_t word = next() & 1023; /* an index, if anything */
        if (strcmp(elem, "f32") == 0) memcpy(&word, &f, 4);
        if (strcmp(elem, "f16") == 0 || strcmp(elem, "bf16") == 0)
            word = 0x3C003C00u + (next() & 0x007F007Fu);
        /* Scales near 1, and numbers of which none is NaN. */
        if (strstr(elem, "f8E8M0") != NULL) word = 0x7C7C7C7Cu + (next() & 0x03030303u);
        if (strcmp(elem, "f8E4M3FN") == 0) word = next() & 0x77777777u;
        memcpy((char *)p + 4 * i, &word, 4);
    }
}

/* ---- time ---- */

typedef int (*Emitted)(int64_t times, int64_t rows, int64_t cols, void *, void *, void *, void *);

static double time_emitted(Emitted f, int64_t times, const Row *r, void **p) {
    double start = seconds_now();
    if (f(times, r->rows, r->cols, p[0], p[1], p[2], p[3]) != 0) fatal(r->label, "fails");
    return seconds_now() - start;
}

/* Of several, because one may be interrupted. */
static double least_time(Emitted f, int64_t times, const Row *r, void **p) {
    double least = time_emitted(f, times, r, p);
    for (int i = 0; i < 4; i++) {
        const double t = time_emitted(f, times, r, p);
        if (t < least) least = t;
    }
    return least;
}

/* The reference has its data as near together as tiles lie: the distance of arrays counts in a
 * cache. */
static double time_reference(int64_t times, const Row *r, void *const *p) {
    double start = seconds_now();
    r->reference(times, p, r->rows, r->cols);
    return seconds_now() - start;
}

static void place_together(const Row *r, void **p, void **near) {
    char *at = p[POINTERS];
    for (int i = 0; i < POINTERS; i++) {
        size_t size = (size_t)(r->rows * r->cols) * 4;
        const char *e = elem_of(r, i);
        if (strstr(e, "16") != NULL) size /= 2;
        if (strstr(e, "i8") != NULL || strstr(e, "f8") != NULL) size /= 4;
        memcpy(at, p[i], size);
        near[i] = at;
        at += size;
    }
}

static int measure(void *library, int at, void **p) {
    void *near[POINTERS];
    const Row *r = &rows[at];
    char name[16];
    void *symbol;
    Emitted f;
    if ((r->needs == SLEEF && !reference_has_sleef()) ||
        (r->needs == BLAS && !reference_has_blas())) {
        printf("%-40s SKIP: the library is not installed\n", r->label);
        return 0;
    }
    snprintf(name, sizeof name, "k%d", at);
    symbol = dlsym(library, name);
    memcpy(&f, &symbol, sizeof f);
    for (int i = 0; i < POINTERS; i++)
        fill(p[i], elem_of(r, i));
    place_together(r, p, near);
    int64_t times = 1;
    while (least_time(f, times, r, p) < 5e-4)
        times *= 2;
    double best = 1e9, other = 1e9;
    for (int i = 0; i < BEST_OF; i++) {
        double e = time_emitted(f, times, r, p), o = time_reference(times, r, near);
        if (e < best) best = e;
        if (o < other) other = o;
    }
    char label[120];
    snprintf(label, sizeof label, "%s: %.1f ns, reference %.1f", r->label,
             best / (double)times * 1e9, other / (double)times * 1e9);
    return figure(label, other / best, "", true, r->least);
}

static bool row_missed_again(char **argv, const char *label) {
    char arguments[900];
    snprintf(arguments, sizeof arguments, "'%s' '%s' '%s'", argv[1], argv[2], label);
    return missed_again(argv[0], arguments);
}

int main(int argc, char **argv) {
    const char *word = argc > 3 ? argv[3] : "";
    void *p[POINTERS + 1]; /* the last: room for all of them together */
    bool again[ROWS] = {false};
    int missed = 0;
    if (argc < 3) return 2;
    setenv("PTORT_ISA", "v3", 0);
    if (mkdtemp(folder) == NULL) return 2;
    for (int i = 0; i < ROWS; i++)
        if (strstr(rows[i].label, word) != NULL) emit(i);
    void *library = compile(argv[1], argv[2]);
    for (int i = 0; i <= POINTERS; i++)
        if (posix_memalign(&p[i], 4096, i < POINTERS ? BUFFER : POINTERS * BUFFER) != 0) return 2;
    for (int i = 0; i < ROWS; i++)
        if (strstr(rows[i].label, word) != NULL) again[i] = measure(library, i, p) != 0;
    for (int i = 0; i <= POINTERS; i++)
        free(p[i]);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0) return 2;
    for (int i = 0; i < ROWS; i++)
        missed += again[i] && row_missed_again(argv, rows[i].label);
    return missed > 0;
}
