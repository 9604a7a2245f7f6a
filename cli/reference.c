/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm run --reference: gives the arguments of a run to a command that computes what to expect.
 */
#include "cli/numbers.h"
#include "cli/report_values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the folder ---- */

static char *path_in(const Reference *r, const char *folder, const char *name) {
    const size_t size = strlen(r->folder) + strlen(folder) + strlen(name) + 8;
    char *path = must_alloc(size);
    snprintf(path, size, "%s/%s/%s.npy", r->folder, folder, name);
    return path;
}

static int folder_make(Reference *r) {
    static const char *const parts[] = {"in", "bits", "out"};
    char path[SCRATCH_FILE];
    if (scratch_make("run", r->folder) != FINE) return TROUBLE;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", r->folder, parts[i]);
        if (mkdir(path, 0700) != 0)
            return trouble("cannot make the folder '%s': %s", path, strerror(errno));
    }
    return FINE;
}

void reference_close(Reference *r) {
    scratch_remove(r->folder);
}

/* ---- arguments ---- */

static int write_array(const Reference *r, const char *folder, const char *name, const Array *a) {
    char *path = path_in(r, folder, name);
    Output out;
    int rc = output_open(&out, path);
    if (rc == FINE && !npy_write(&out, a)) rc = TROUBLE;
    if (rc == FINE) rc = output_commit(&out);
    output_drop(&out);
    free(path);
    return rc;
}

/* Writes the bits of the elements and their numbers, which are the same but for narrow floats. */
static int write_both(const Reference *r, const char *name, const Array *a) {
    Array wide = {0};
    const bool narrow = elem_is_narrow(a->elem);
    if (narrow && !array_widen(a, &wide)) return trouble("out of memory");
    int rc = write_array(r, "bits", name, a);
    if (rc == FINE) rc = write_array(r, "in", name, narrow ? &wide : a);
    array_free(&wide);
    return rc;
}

/* A number as JSON; as text when JSON has none for it. */
static json_t *number_json(const char *type, uint64_t bits) {
    char text[NUMBER_TEXT], *end;
    Elem elem = elem_from_text(type, strlen(type));
    if (elem == ELEM_NONE || elem == ELEM_INDEX) elem = ELEM_I64;
    Array one = {.elem = elem, .data = (unsigned char *)&bits};
    element_text(&one, 0, text);
    json_error_t ignored;
    json_t *number = json_loads(text, JSON_DECODE_ANY, &ignored);
    if (number != NULL && json_is_number(number)) return number;
    json_decref(number);
    const double v = strtod(text, &end);
    return *end == '\0' && isfinite(v) ? json_real(v) : json_text(text);
}

static int write_arguments(const Target *target, const Argument *args, const Reference *r) {
    char path[SCRATCH_FILE];
    ptoasm_param p;
    int rc = FINE;
    json_prepare();
    json_t *o = json_object();
    for (size_t i = 0; rc == FINE && ptoasm_kernel_param(target->res, target->index, i, &p); i++) {
        const bool array = args[i].array.data != NULL;
        if (array) rc = write_both(r, p.name, &args[i].array);
        json_put(o, p.name, array ? json_null() : number_json(p.elem, args[i].bits));
    }
    char *text = json_dumps(o, JSON_INDENT(1));
    if (text == NULL) out_of_memory();
    snprintf(path, sizeof path, "%s/args.json", r->folder);
    if (rc == FINE) rc = output_file(path, text, strlen(text));
    free(text);
    json_decref(o);
    return rc;
}

/* ---- the command ---- */

static int run_shell(const char *command) {
    int status;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    if (pid < 0) return trouble("--reference: cannot start a process: %s", strerror(errno));
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return trouble("--reference: %s", strerror(errno));
    if (WIFSIGNALED(status))
        return trouble("--reference: the command was ended by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return trouble("--reference: the command exits with %d", WEXITSTATUS(status));
    return FINE;
}

int reference_run(const Target *target, const Argument *args, const char *command, Reference *r) {
    int rc = folder_make(r);
    if (rc == FINE) rc = write_arguments(target, args, r);
    if (rc != FINE) return rc;
    char *line = braces_filled(command, r->folder);
    if (line == NULL) return trouble("out of memory");
    rc = run_shell(line);
    free(line);
    return rc;
}

int reference_fill(const Reference *r, char **texts, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char *filled = braces_filled(texts[i], r->folder);
        if (filled == NULL) return trouble("out of memory");
        free(texts[i]);
        texts[i] = filled;
    }
    return FINE;
}
