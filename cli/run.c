/* ptoasm run: emits C, compiles it with the system's compiler, calls it with the arguments of the
 * command line, and writes the results. */
#include "cli/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which function ---- */

static void list_kernels(const ptoasm_result *res) {
    ptoasm_kernel k;
    for (size_t i = 0; ptoasm_kernel_at(res, i, &k); i++) {
        fprintf(stderr, "  @%s(", k.name);
        ptoasm_param p;
        for (size_t j = 0; ptoasm_kernel_param(res, i, j, &p); j++)
            fprintf(stderr, "%s%%%s: %s", j > 0 ? ", " : "", p.name, p.type);
        fputs(")\n", stderr);
    }
}

static int find_kernel(const ptoasm_result *res, const char *file, const Options *opt,
                       size_t *index) {
    size_t n = ptoasm_kernel_count(res);
    const char *want = opt->entry;
    if (want != NULL && *want == '@') want++;
    ptoasm_kernel k;
    for (*index = 0; want != NULL && ptoasm_kernel_at(res, *index, &k); ++*index)
        if (strcmp(k.name, want) == 0) return FINE;
    *index = 0;
    if (n == 0) return trouble("'%s' has no function that can be run", file);
    if (want == NULL && n == 1) return FINE;
    int rc = want != NULL ? trouble("'%s' has no function '%s' that can be run; it has", file, want)
                          : trouble("'%s' has several functions; --entry picks one of", file);
    list_kernels(res);
    return rc;
}

/* ---- the call ---- */

/* A growing text; `failed` when memory ran out. */
typedef struct Text {
    char *data;
    size_t len, cap;
    bool failed;
} Text;

static void add(Text *t, const char *s, size_t n) {
    if (t->failed || n == 0) return;
    if (t->cap - t->len < n) {
        size_t cap = t->cap * 2 + n;
        char *larger = realloc(t->data, cap);
        if (larger == NULL) {
            t->failed = true;
            return;
        }
        t->data = larger;
        t->cap = cap;
    }
    memcpy(t->data + t->len, s, n);
    t->len += n;
}

static void addf(Text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void addf(Text *t, const char *fmt, ...) {
    char line[512];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof line)
        t->failed = true;
    else
        add(t, line, (size_t)n);
}

/* Appends to the emitted code a function of one fixed type that unpacks the arguments, so that no
 * call has to be made up at run time. Names that start with ptrt_ are never those of a program. */
static void add_entry(Text *t, const ptoasm_result *res, size_t index, const ptoasm_kernel *k) {
    addf(t, "\nint ptrt_run_entry(int64_t blocks, void **args);\n"
            "const char *ptrt_run_error(void);\n\n"
            "int ptrt_run_entry(int64_t blocks, void **args) {\n"
            "    (void)args;\n    return ");
    add(t, k->grid, strlen(k->grid));
    addf(t, "(blocks");
    ptoasm_param p;
    for (size_t i = 0; ptoasm_kernel_param(res, index, i, &p); i++) {
        if (p.kind == PTOASM_POINTER)
            addf(t, ", args[%zu]", i);
        else
            addf(t, ", *(%s *)args[%zu]", p.c_type, i);
    }
    addf(t, ");\n}\n\nconst char *ptrt_run_error(void) {\n    return ptrt_error();\n}\n");
}

static int write_outputs(const Argument *args, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (args[i].out == NULL) continue;
        Output out;
        int rc = output_open(&out, args[i].out);
        if (rc != FINE) return rc;
        if (!npy_write(&out, &args[i].array)) {
            output_drop(&out);
            return TROUBLE;
        }
        rc = output_commit(&out);
        if (rc != FINE) return rc;
    }
    return FINE;
}

static int call(const Code *code, Argument *args, size_t n, int64_t blocks) {
    void **pointers = calloc(n + 1, sizeof *pointers);
    if (pointers == NULL) return trouble("out of memory");
    for (size_t i = 0; i < n; i++)
        pointers[i] = args[i].array.data != NULL ? (void *)args[i].array.data : &args[i].bits;
    int rc = code->entry(blocks, pointers);
    free(pointers);
    if (rc == 0) return write_outputs(args, n);
    const char *why = code->error();
    if (*why != '\0')
        fprintf(stderr, "%s\n", why);
    else
        trouble("the program ended with error %d", rc);
    return REJECTED;
}

static int compile_and_call(const ptoasm_result *res, size_t index, const ptoasm_kernel *k,
                            Argument *args, const Options *opt) {
    size_t size;
    const char *emitted = ptoasm_result_text(res, &size);
    Text text = {0};
    add(&text, emitted, size);
    add_entry(&text, res, index, k);
    Code code = {0};
    int rc = text.failed ? trouble("out of memory") : code_build(text.data, text.len, &code);
    free(text.data);
    if (rc == FINE) rc = call(&code, args, k->params, opt->grid);
    code_close(&code);
    return rc;
}

static int run_emitted(const ptoasm_result *res, const Options *opt) {
    size_t index;
    ptoasm_kernel k;
    int rc = find_kernel(res, opt->args[0], opt, &index);
    if (rc != FINE) return rc;
    ptoasm_kernel_at(res, index, &k);
    size_t given = (size_t)opt->nargs - 1;
    if (given != k.params) {
        rc = trouble("@%s takes %zu argument%s, %zu given:", k.name, k.params,
                     k.params == 1 ? "" : "s", given);
        list_kernels(res);
        return rc;
    }
    Argument *args = calloc(k.params + 1, sizeof *args);
    if (args == NULL) return trouble("out of memory");
    for (size_t i = 0; i < k.params && rc == FINE; i++) {
        ptoasm_param p;
        ptoasm_kernel_param(res, index, i, &p);
        rc = argument_read(opt->args[i + 1], &p, &args[i]);
    }
    if (rc == FINE) rc = compile_and_call(res, index, &k, args, opt);
    for (size_t i = 0; i < k.params; i++)
        argument_free(&args[i]);
    free(args);
    return rc;
}

static int run(Options *opt) {
    if (opt->nargs == 0) return usage_error(&run_command, "no file given");
    if (opt->judge.profiles == 0) opt->judge.profiles = PTOASM_CPU;
    Input in;
    ptoasm_source *src;
    int rc = input_open(opt->args[0], &in, &src);
    if (rc != FINE) return rc;
    const ptoasm_emit_options emit = {.size = sizeof emit};
    ptoasm_result *res;
    int status = ptoasm_emit(src, &opt->judge, &emit, &res);
    if (res == NULL) {
        rc = status_trouble(in.name, status);
    } else {
        print_diagnostics(res, opt);
        rc = status == PTOASM_OK ? run_emitted(res, opt) : REJECTED;
    }
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    input_free(&in);
    return rc;
}

static bool set_entry(Options *opt, const char *value) {
    opt->entry = value;
    return *value != '\0';
}

static bool set_grid(Options *opt, const char *value) {
    uint64_t n;
    if (!number_from_text(value, INT32_MAX, &n)) return false;
    opt->grid = (int64_t)n;
    return true;
}

static const OptionRow rows[] = {
    {"entry", 0, "NAME", "the function to run (default: the only one)", "a name", set_entry},
    {"grid", 0, "N", "run N blocks (default 1)", "a number from 0 to 2147483647", set_grid},
    {"profile", 0, "P", "run the program as profile P: cpu (default), a2a3 or a5",
     "cpu, a2a3 or a5", set_profile},
    OPTION_LEVEL,
    OPTION_COMMON,
};

const Command run_command = {
    .name = "run",
    .usage = "[OPTION]... FILE ARG...",
    .summary = "Runs a function of a program on this machine.",
    .details =
        "There is one ARG for each parameter, in order. For a pointer:\n"
        "  FILE.npy                 the array in the file\n"
        "  out=FILE.npy:TYPExSHAPE  zeros; written to the file when the run was fine\n"
        "  zeros:TYPExSHAPE         zeros\n"
        "  random:SEED:TYPExSHAPE   floats in [-1, 1), integers over their whole range\n"
        "TYPExSHAPE is such as f32x32x64. A .npy file has no bf16 and no type of 8 bits or\n"
        "less for floats: their bits are read and written as unsigned integers. For any other\n"
        "parameter ARG is a number. The C compiler is cc, or what CC says; PTOASM_RUNTIME\n"
        "names the folder of the runtime when it is not found beside this program.\n",
    .rows = rows,
    .examples = "  ptoasm run add.pto x.npy out=y.npy:f32x32x64 1.5\n"
                "  ptoasm run --entry=scale --grid=4 k.pto random:1:f16x64 out=y.npy:f16x64 64\n",
    .numbers = true,
    .run = run,
};
