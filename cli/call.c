/* Compiles an emitted kernel together with an entry that unpacks arguments, and calls it with
 * checked memory. */
#include "cli/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the code ---- */

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
static void add_entry(Text *t, const Target *target) {
    addf(t, "\nint ptrt_run_entry(int64_t blocks, void **args);\n\n"
            "int ptrt_run_entry(int64_t blocks, void **args) {\n"
            "    (void)args;\n    return ");
    add(t, target->kernel.grid, strlen(target->kernel.grid));
    addf(t, "(blocks");
    ptoasm_param p;
    for (size_t i = 0; ptoasm_kernel_param(target->res, target->index, i, &p); i++) {
        if (p.kind == PTOASM_PARAM_POINTER)
            addf(t, ", args[%zu]", i);
        else
            addf(t, ", *(%s *)args[%zu]", p.c_type, i);
    }
    addf(t, ");\n}\n");
}

int kernel_build(const Target *target, Code *code) {
    *code = (Code){0};
    size_t size;
    const char *emitted = ptoasm_result_text(target->res, &size);
    Text text = {0};
    add(&text, emitted, size);
    add_entry(&text, target);
    add(&text, "", 1);
    int rc = text.failed ? trouble("out of memory")
                         : code_build(text.data, text.len - 1, target->cc, code);
    free(text.data);
    return rc;
}

/* ---- the call ---- */

/* Checked code may touch the buffers and nothing else. The empty region says so where there are no
 * buffers: without any region all memory is allowed. */
static int register_buffers(const Code *code, const Argument *args, size_t n) {
    int err = code->region_add(NULL, 0);
    for (size_t i = 0; i < n && err == 0; i++)
        if (args[i].array.data != NULL)
            err = code->region_add(args[i].array.data, args[i].array.bytes);
    return err;
}

/* A message of the runtime begins with the file and the line, unless the launch itself failed. */
static int report(const Target *target, const char *why, int code) {
    size_t n = strlen(target->file);
    if (strncmp(why, target->file, n) == 0 && why[n] == ':') {
        fprintf(stderr, "%s\n", why);
        return REJECTED;
    }
    if (*why != '\0') return rejected_at(target->file, target->kernel.line, "%s", why);
    return rejected_at(target->file, target->kernel.line, "@%s ended with code %d",
                       target->kernel.name, code);
}

int kernel_call(const Target *target, const Code *code, Argument *args) {
    size_t n = target->kernel.params;
    void **pointers = calloc(n + 1, sizeof *pointers);
    if (pointers == NULL) return trouble("out of memory");
    for (size_t i = 0; i < n; i++)
        pointers[i] = args[i].array.data != NULL ? (void *)args[i].array.data : &args[i].bits;
    int err = register_buffers(code, args, n);
    int rc = err != 0 ? trouble("out of memory") : FINE;
    if (rc == FINE) err = code->entry(target->blocks, pointers);
    code->region_clear();
    free(pointers);
    if (rc == FINE && err != 0) rc = report(target, code->error(), err);
    return rc;
}

/* ---- results ---- */

static bool write_all(Output *outs, const Argument *args, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (args[i].out != NULL && !npy_write(&outs[i], &args[i].array)) return false;
    return true;
}

/* Everything is written under temporary names before the first file gets its own. */
int results_write(const Argument *args, size_t n) {
    Output *outs = calloc(n + 1, sizeof *outs);
    if (outs == NULL) return trouble("out of memory");
    int rc = FINE;
    size_t opened = 0;
    for (; opened < n && rc == FINE; opened++)
        if (args[opened].out != NULL) rc = output_open(&outs[opened], args[opened].out);
    if (rc == FINE && !write_all(outs, args, n)) rc = TROUBLE;
    for (size_t i = 0; i < opened && rc == FINE; i++)
        if (args[i].out != NULL) rc = output_commit(&outs[i]);
    for (size_t i = 0; i < opened; i++)
        if (args[i].out != NULL) output_drop(&outs[i]);
    free(outs);
    return rc;
}
