/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the programs that `ptoasm reduce` tries: by their diagnostics, and by running commands. */
#include "cli/reduce.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int search_open(Search *s, const char *name) {
    const char *base = strrchr(name, '/');
    base = base != NULL ? base + 1 : name;
    if (strcmp(base, "-") == 0 || strlen(base) > 24) base = "reduced.pto";
    if (scratch_make("reduce", s->folder) != FINE) return TROUBLE;
    snprintf(s->file, sizeof s->file, "%s/%s", s->folder, base);
    return FINE;
}

void search_close(Search *s) {
    scratch_remove(s->folder);
}

/* ---- running ---- */

/* In the child: starts the command with its output in a file. */
_Noreturn static void start(const Tested *t, const Search *s, const char *output) {
    char *words[1026];
    size_t n = 0;
    for (; t->words[n] != NULL && n < 1024; n++)
        words[n] = braces_filled(t->words[n], s->file);
    if (!t->named) words[n++] = braces_filled("{}", s->file);
    words[n] = NULL;
    const int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int null = open("/dev/null", O_RDWR);
    if (out < 0 || null < 0) _exit(126);
    dup2(null, 0);
    dup2(out, 1);
    dup2(null, 2);
    setenv("TMPDIR", s->folder, 1); /* what a command leaves that is ended is removed */
    alarm(s->seconds);              /* stays across execvp() */
    execvp(words[0], words);
    _exit(127);
}

/* Returns the exit code of a command, 128 and more after a signal; -1 after a message. */
static int run_tested(Search *s, const Tested *t, const char *output) {
    int status;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) start(t, s, output);
    if (pid < 0) {
        s->trouble = trouble("cannot start '%s': %s", t->words[0], strerror(errno));
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (code == 127) {
        s->trouble = trouble("cannot start '%s'", t->words[0]);
        return -1;
    }
    return code;
}

static bool same_contents(const char *a, const char *b) {
    FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
    bool same = f != NULL && g != NULL;
    for (int c = 0; same && c != EOF;)
        same = (c = getc(f)) == getc(g);
    if (f != NULL) fclose(f);
    if (g != NULL) fclose(g);
    return same;
}

static bool commands_show(Search *s) {
    char out[2][SCRATCH_FILE];
    for (int i = 0; i < 2; i++)
        snprintf(out[i], sizeof out[i], "%s/out.%d", s->folder, i + 1);
    const int code = run_tested(s, &s->command, out[0]);
    if (s->trouble != FINE) return false;
    if (s->other.words == NULL) return code == 0;
    const int other = run_tested(s, &s->other, out[1]);
    return s->trouble == FINE && (code != other || !same_contents(out[0], out[1]));
}

/* ---- judging ---- */

static bool has_id(const ptoasm_result *res, const char *id) {
    ptoasm_diagnostic d;
    for (size_t i = 0; ptoasm_diagnostic_at(res, i, &d); i++)
        if (strcmp(d.id, id) == 0) return true;
    return false;
}

bool search_judge(const ptoasm_source *src, const ptoasm_result *checked, void *search) {
    Search *s = search;
    if (s->trouble != FINE) return false;
    if (s->id != NULL && !has_id(checked, s->id)) return false;
    if (s->command.words == NULL) return true;
    size_t size;
    const char *text = ptoasm_source_text(src, &size);
    s->trouble = output_file(s->file, text, size);
    return s->trouble == FINE && commands_show(s);
}
