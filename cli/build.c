/* Compiles emitted C with the system's compiler, without a shell, and loads it. */
#include "cli/run.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MAX_WORDS = 32 };

/* ---- where the runtime is ---- */

typedef struct Runtime {
    char include[PATH_MAX]; /* folder of ptort.h */
    char library[PATH_MAX]; /* folder of libptort.so */
} Runtime;

static bool has(const char *folder, const char *file) {
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s", folder, file);
    return n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0;
}

static bool join(char *out, const char *base, const char *rest) {
    int n = snprintf(out, PATH_MAX, "%s%s", base, rest);
    return n > 0 && n < PATH_MAX;
}

static bool try_place(Runtime *rt, const char *base, const char *include, const char *library) {
    return join(rt->include, base, include) && join(rt->library, base, library) &&
           has(rt->include, "ptort.h") && has(rt->library, "libptort.so");
}

/* PTOASM_RUNTIME decides: an installation, one folder, or a build tree, whose cli/ holds a copy of
 * the headers. Else the places relative to the program: those of a build tree and of an
 * installation. */
static int find_runtime(Runtime *rt) {
    const char *given = getenv("PTOASM_RUNTIME");
    if (given != NULL && *given != '\0') {
        if (try_place(rt, given, "/include", PTOASM_LIBDIR) ||
            try_place(rt, given, "/include", "/lib") || try_place(rt, given, "", "") ||
            try_place(rt, given, "/cli", "/runtime"))
            return FINE;
        return trouble("PTOASM_RUNTIME is '%s', where ptort.h and libptort.so are not", given);
    }
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        self[n] = '\0';
        *strrchr(self, '/') = '\0';
        if (try_place(rt, self, "", "/../runtime") ||
            try_place(rt, self, "/../include", "/.." PTOASM_LIBDIR))
            return FINE;
    }
    return trouble("the runtime (ptort.h, libptort.so) was not found beside this program; "
                   "set PTOASM_RUNTIME to its folder");
}

/* ---- the compiler ---- */

static volatile sig_atomic_t caught;
static void on_signal(int sig) {
    caught = sig;
}

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};
enum { NDEADLY = sizeof deadly / sizeof deadly[0] };

/* Runs a command and waits for it. While it runs, a signal that would end this process ends the
 * command instead, so that the scratch folder is removed; then the signal takes its course. */
static int run_command_line(char *const *words) {
    struct sigaction act = {0}, old[NDEADLY];
    act.sa_handler = on_signal;
    for (int i = 0; i < NDEADLY; i++)
        sigaction(deadly[i], &act, &old[i]);
    pid_t pid;
    int status = 0, failed = posix_spawnp(&pid, words[0], NULL, NULL, words, environ);
    if (failed == 0) {
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            if (caught != 0) kill(pid, caught);
    }
    for (int i = 0; i < NDEADLY; i++)
        sigaction(deadly[i], &old[i], NULL);
    if (failed != 0)
        return trouble("cannot start the C compiler '%s': %s", words[0], strerror(failed));
    if (caught != 0) return trouble("interrupted");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return trouble("the C compiler '%s' failed", words[0]);
    return FINE;
}

/* CC may hold several words, such as `ccache gcc`. */
static int compile(const Runtime *rt, const char *source, const char *library) {
    static char default_cc[] = "cc";
    static char o2[] = "-O2", shared[] = "-shared", fpic[] = "-fPIC", std[] = "-std=c11",
                out[] = "-o";
    char include[PATH_MAX + 8], rpath[PATH_MAX + 16], runtime[PATH_MAX + 16];
    snprintf(include, sizeof include, "-I%s", rt->include);
    snprintf(rpath, sizeof rpath, "-Wl,-rpath,%s", rt->library);
    snprintf(runtime, sizeof runtime, "%s/libptort.so", rt->library);
    const char *cc = getenv("CC");
    char *copy = strdup(cc != NULL ? cc : ""), *save = NULL;
    if (copy == NULL) return trouble("out of memory");
    char *words[MAX_WORDS];
    int n = 0;
    for (char *w = strtok_r(copy, " \t", &save); w != NULL && n < MAX_WORDS - 16;
         w = strtok_r(NULL, " \t", &save))
        words[n++] = w;
    if (n == 0) words[n++] = default_cc;
    char *const rest[] = {
        std, o2, shared, fpic, include, out, (char *)library, (char *)source, runtime, rpath, NULL};
    memcpy(words + n, rest, sizeof rest);
    int rc = run_command_line(words);
    free(copy);
    return rc;
}

/* ---- loading ---- */

/* Looks a function up in the program and in the runtime that it is linked with. ISO C has no
 * conversion from object to function pointers; POSIX promises that copying the bytes works. */
static bool find(Code *code, const char *name, void *function) {
    void *p = dlsym(code->library, name);
    if (p == NULL) trouble("the compiled program has no '%s'", name);
    memcpy(function, &p, sizeof p);
    return p != NULL;
}

static int load(const char *library, Code *code) {
    code->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (code->library == NULL) return trouble("cannot load the compiled program: %s", dlerror());
    bool found = find(code, "ptrt_run_entry", &code->entry) &&
                 find(code, "ptrt_error", &code->error) &&
                 find(code, "ptrt_region_add", &code->region_add) &&
                 find(code, "ptrt_region_clear", &code->region_clear);
    return found ? FINE : TROUBLE;
}

static int build_in(const char *folder, const char *text, size_t size, Code *code) {
    Runtime rt;
    char source[PATH_MAX], library[PATH_MAX];
    int rc = find_runtime(&rt);
    if (rc != FINE) return rc;
    if (!join(source, folder, "/kernel.c") || !join(library, folder, "/kernel.so"))
        return trouble("the name of the scratch folder is too long");
    rc = output_file(source, text, size);
    if (rc == FINE) rc = compile(&rt, source, library);
    if (rc == FINE) rc = load(library, code);
    unlink(source);
    unlink(library);
    return rc;
}

int code_build(const char *text, size_t size, Code *code) {
    *code = (Code){0};
    const char *tmp = getenv("TMPDIR");
    char folder[PATH_MAX];
    if (!join(folder, tmp != NULL && *tmp != '\0' ? tmp : "/tmp", "/ptoasm-XXXXXX"))
        return trouble("TMPDIR is too long");
    if (mkdtemp(folder) == NULL)
        return trouble("cannot make the scratch folder '%s': %s", folder, strerror(errno));
    int rc = build_in(folder, text, size, code);
    rmdir(folder);
    if (caught != 0) raise(caught);
    return rc;
}

void code_close(Code *code) {
    if (code->library != NULL) dlclose(code->library);
    *code = (Code){0};
}
