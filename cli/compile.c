/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles emitted C by running a C compiler, without a shell, and loads the result. */
#include "cli/run.h"
#include "cli/scratch.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MAX_WORDS = 32 };

static volatile sig_atomic_t caught;
static void on_signal(int sig) {
    caught = sig;
}

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};
enum { NDEADLY = sizeof deadly / sizeof deadly[0] };

/* Runs a command and waits for it; returns 0 and its status, or the errno that kept it from
 * starting. A signal that would end this process first ends the command, so that the scratch
 * folder is removed, and is then raised again. */
static int run_command_line(char *const *words, int *status) {
    struct sigaction act = {0}, old[NDEADLY];
    act.sa_handler = on_signal;
    for (int i = 0; i < NDEADLY; i++)
        sigaction(deadly[i], &act, &old[i]);
    pid_t pid;
    int failed = posix_spawnp(&pid, words[0], NULL, NULL, words, environ);
    *status = 0;
    if (failed == 0) {
        while (waitpid(pid, status, 0) < 0 && errno == EINTR)
            if (caught != 0) kill(pid, caught);
    }
    for (int i = 0; i < NDEADLY; i++)
        sigaction(deadly[i], &old[i], NULL);
    return failed;
}

typedef struct Job {
    const Runtime *rt;
    char source[SCRATCH_FILE], library[SCRATCH_FILE];
} Job;

/* Runs the compiler; `cc` may hold several words, such as `ccache gcc`. Sets *missing when there
 * is no such program. */
static int compile(const Job *job, const char *cc, bool *missing) {
    static char o2[] = "-O2", shared[] = "-shared", fpic[] = "-fPIC", std[] = "-std=c11",
                out[] = "-o";
    char include[PATH_MAX + 8];
    snprintf(include, sizeof include, "-I%s", job->rt->include);
    char *copy = strdup(cc), *save = NULL;
    if (copy == NULL) return trouble("out of memory");
    char *words[MAX_WORDS];
    int n = 0, status;
    for (char *w = strtok_r(copy, " \t", &save); w != NULL && n < MAX_WORDS - 16;
         w = strtok_r(NULL, " \t", &save))
        words[n++] = w;
    char *const rest[] = {
        std, o2, shared, fpic, include, out, (char *)job->library, (char *)job->source, NULL};
    memcpy(words + n, rest, sizeof rest);
    int failed = run_command_line(words, &status), rc = FINE;
    *missing = failed == ENOENT;
    if (failed != 0)
        rc = *missing ? TROUBLE
                      : trouble("cannot start the C compiler '%s': %s", words[0], strerror(failed));
    else if (caught != 0)
        rc = trouble("interrupted");
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        rc = trouble("the C compiler '%s' failed", words[0]);
    free(copy);
    return rc;
}

/* Tries the requested compiler, else tcc, which is faster, else cc. */
static int compile_somehow(const Job *job, const char *cc) {
    static const char *const usual[] = {"tcc", "cc"};
    bool missing;
    int rc;
    if (cc != NULL) {
        rc = compile(job, cc, &missing);
        return missing ? trouble("cannot start the C compiler '%s': %s", cc, strerror(ENOENT)) : rc;
    }
    for (unsigned i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        rc = compile(job, usual[i], &missing);
        if (!missing) return rc;
    }
    return trouble("there is no C compiler 'tcc' or 'cc'; --cc names another");
}

static int compile_in(const char *folder, const Runtime *rt, const char *cc, const char *text,
                      size_t size, void **library) {
    Job job = {.rt = rt};
    snprintf(job.source, sizeof job.source, "%s/kernel.c", folder);
    snprintf(job.library, sizeof job.library, "%s/kernel.so", folder);
    int rc = output_file(job.source, text, size);
    if (rc == FINE) rc = compile_somehow(&job, cc);
    if (rc == FINE && (*library = dlopen(job.library, RTLD_NOW | RTLD_LOCAL)) == NULL)
        rc = trouble("cannot load the compiled program: %s", dlerror());
    return rc;
}

int compile_with(const Runtime *rt, const char *cc, const char *text, size_t size, void **library) {
    char folder[SCRATCH_PATH];
    if (scratch_make("cc", folder) != FINE) return TROUBLE;
    int rc = compile_in(folder, rt, cc, text, size, library);
    scratch_remove(folder);
    if (caught != 0) raise(caught);
    return rc;
}
