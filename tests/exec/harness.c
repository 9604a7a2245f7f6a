/* SPDX-License-Identifier: Apache-2.0 */
/* Builds and loads .pto programs for the execution tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness.h"
#include <dlfcn.h>
#include <ptort.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATH_SIZE = 1024, MAX_ARGS = 40 };

int run_program(char *const argv[]) {
    pid_t pid;
    int status;
    if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) != 0) return -1;
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

void text_add(Text *t, const char *fmt, ...) {
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    assert_true(n >= 0);
    if (t->len + (size_t)n + 1 > t->cap) {
        t->cap = (t->len + (size_t)n + 1) * 2;
        t->s = realloc(t->s, t->cap);
        assert_non_null(t->s);
    }
    vsnprintf(t->s + t->len, t->cap - t->len, fmt, again);
    va_end(again);
    t->len += (size_t)n;
}

void text_free(Text *t) {
    free(t->s);
    *t = (Text){0};
}

int line_of(const char *text, const char *part) {
    const char *at = strstr(text, part);
    if (at == NULL) return 0;
    int line = 1;
    for (const char *p = text; p < at; p++)
        line += *p == '\n';
    return line;
}

static const char *need_env(const char *name) {
    const char *value = getenv(name);
    if (value == NULL) fail_msg("the environment does not name %s", name);
    return value;
}

static void add_words(char **argv, int *n, char *words) {
    for (char *w = strtok(words, " "); w != NULL; w = strtok(NULL, " ")) {
        assert_true(*n < MAX_ARGS - 1);
        argv[(*n)++] = w;
    }
}

/* Compiles out.c in the folder of b and loads the result; false when it does not compile. */
static bool load_c(Built *b, const char *compiler) {
    char c[PATH_SIZE], so[PATH_SIZE], include[PATH_SIZE], words[256];
    snprintf(c, sizeof c, "%s/out.c", b->dir);
    snprintf(so, sizeof so, "%s/out.so", b->dir);
    snprintf(include, sizeof include, "-I%s", need_env("PTORT_INCLUDE"));
    snprintf(words, sizeof words, "%s", compiler);
    char *argv[MAX_ARGS];
    int n = 0;
    add_words(argv, &n, words);
    char *rest[] = {"-std=c11", "-shared", "-fPIC", include, c, "-o", so, NULL};
    for (int i = 0; i == 0 || rest[i - 1] != NULL; i++)
        argv[n++] = rest[i];
    if (run_program(argv) != 0) return false;
    b->library = dlopen(so, RTLD_NOW | RTLD_LOCAL);
    if (b->library == NULL) fail_msg("%s", dlerror());
    return true;
}

/* Emits and compiles `pto` (a path) into the folder of b, and loads the result. */
static void build_file(Built *b, const char *pto, const Form *form, const char *compiler) {
    char c[PATH_SIZE], option[64];
    snprintf(c, sizeof c, "%s/out.c", b->dir);
    snprintf(option, sizeof option, "--profile=%s", form->profile != NULL ? form->profile : "");
    char *emit[8] = {(char *)need_env("PTOASM"), "emit", (char *)pto, "-o", c};
    int n = 5;
    if (form->profile != NULL) emit[n++] = option;
    if (form->checked) emit[n++] = "--checked";
    if (run_program(emit) != 0) fail_msg("%s does not emit", pto);
    if (!load_c(b, compiler)) fail_msg("%s: the emitted C does not compile", pto);
}

static void make_dir(Built *b) {
    *b = (Built){.dir = "/tmp/ptoasm-exec-XXXXXX"};
    assert_non_null(mkdtemp(b->dir));
}

static const char usual_compiler[] = "cc -O1 -Wall -Wextra -Wpedantic -Werror";

void build_text_with(Built *b, const char *name, const char *text, const char *profile,
                     const char *compiler) {
    char pto[PATH_SIZE];
    make_dir(b);
    snprintf(pto, sizeof pto, "%s/%s.pto", b->dir, name);
    FILE *f = fopen(pto, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    build_file(b, pto, &(Form){.profile = profile}, compiler);
}

void build_c(Built *b, const char *text) {
    char c[PATH_SIZE];
    make_dir(b);
    snprintf(c, sizeof c, "%s/out.c", b->dir);
    FILE *f = fopen(c, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    if (!load_c(b, "tcc") && !load_c(b, "cc -O0")) fail_msg("the emitted C does not compile");
}

void build_text(Built *b, const char *name, const char *text, const char *profile) {
    build_text_with(b, name, text, profile, usual_compiler);
}

static void sample_path(char *out, const char *path) {
    snprintf(out, PATH_SIZE, "%s/%s", need_env("PTOASM_SAMPLES"), path);
}

void build_form(Built *b, const char *path, const Form *form) {
    char pto[PATH_SIZE], ssa[PATH_SIZE];
    make_dir(b);
    sample_path(pto, path);
    snprintf(ssa, sizeof ssa, "%s/%s", b->dir, strrchr(pto, '/') + 1);
    char *convert[] = {(char *)need_env("PTOASM"), "fmt", "--form=ssa", pto, "-o", ssa, NULL};
    if (form->ssa && run_program(convert) != 0) fail_msg("%s has no form with results", pto);
    build_file(b, form->ssa ? ssa : pto, form, usual_compiler);
}

void build_sample(Built *b, const char *path, const char *profile) {
    build_form(b, path, &(Form){.profile = profile});
}

char *read_sample(const char *path) {
    char full[PATH_SIZE];
    sample_path(full, path);
    FILE *f = fopen(full, "r");
    if (f == NULL) fail_msg("cannot read %s", full);
    Text t = {0};
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer - 1, f)) > 0;) {
        buffer[n] = '\0';
        text_add(&t, "%s", buffer);
    }
    fclose(f);
    return t.s;
}

void *built_function(const Built *b, const char *name) {
    void *f = dlsym(b->library, name);
    if (f == NULL) fail_msg("the library has no function %s", name);
    return f;
}

const char *last_error(void) {
    return ptrt_error();
}

void built_free(Built *b) {
    if (b->library != NULL) dlclose(b->library);
    char *rm[] = {"rm", "-rf", b->dir, NULL};
    run_program(rm);
    b->library = NULL;
}
