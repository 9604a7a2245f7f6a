/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles an emitted kernel with an entry that unpacks arguments, and calls it with registered
 * memory. */
#include "cli/run_report.h"
#include "runtime/ptort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the code ---- */

/* Checks that a library has each function that the program declares. */
static int find_externals(const Target *target) {
    ptoasm_external e;
    for (size_t i = 0; ptoasm_external_at(target->res, i, &e); i++) {
        if (links_symbol(&target->links, e.name) != NULL) continue;
        rejected_at(target->file, e.line, "%s is not defined in the program; %s", e.name,
                    LOADS_LIBRARIES ? "--link=FILE.so names a library that has it"
                                    : "a ptoasm that is not static has --link for its library");
        return NO_CODE;
    }
    return FINE;
}

int kernel_build(const Target *target, Code *code) {
    *code = (Code){0};
    size_t size;
    MemoryText whole;
    const char *emitted = ptoasm_result_text(target->res, &size);
    int rc = find_externals(target);
    if (rc != FINE) return rc;
    FILE *to = memory_open(&whole);
    if (to == NULL) return trouble("out of memory");
    fputs(emitted, to);
    entry_write(to, target->res, target->index, target->index + 1);
    if (!memory_close(to, &whole)) return trouble("out of memory");
    rc = code_build(whole.text, whole.size, target->cc, &target->links, code);
    memory_free(&whole);
    return rc;
}

/* ---- the call ---- */

/* Registers the buffers as the only memory that checked code may access. Without any region all
 * memory would be allowed, hence the empty one. */
static int register_buffers(const Code *code, const Argument *args, size_t n) {
    int err = code->region_add(NULL, 0);
    for (size_t i = 0; i < n && err == 0; i++)
        if (args[i].array.data != NULL)
            err = code->region_add(args[i].array.data, args[i].array.bytes);
    return err;
}

/* Messages of the runtime begin with file and line unless the launch itself failed. */
static int report(const Target *target, const char *why, int code) {
    if (code == PTRT_E_STOPPED) return REJECTED; /* by the receiver of tiles, which said why */
    size_t n = strlen(target->file);
    if (strncmp(why, target->file, n) == 0 && why[n] == ':') {
        char *end;
        const unsigned long line = strtoul(why + n + 1, &end, 10);
        const char *message = *end == ':' ? end + 2 : end;
        if (run_report_on())
            run_report_error(code == PTRT_E_DEADLOCK ? "deadlock" : "runtime", (uint32_t)line,
                             message);
        else
            put_run_message(stderr, target, (uint32_t)line, message);
        return REJECTED;
    }
    if (code == PTRT_E_NOMEM) return trouble("'%s': %s", target->file, why);
    if (*why != '\0') return rejected_at(target->file, target->kernel.line, "%s", why);
    return rejected_at(target->file, target->kernel.line, "@%s ended with code %d",
                       target->kernel.name, code);
}

int kernel_call(const Target *target, const Code *code, Argument *args) {
    if (target->ranks > 0) {
        const int failed = ranks_call(target, code, args);
        return failed == 0 ? FINE : report(target, code->error(), failed);
    }
    size_t n = target->kernel.params;
    void **pointers = calloc(n + 1, sizeof *pointers);
    if (pointers == NULL) return trouble("out of memory");
    for (size_t i = 0; i < n; i++)
        pointers[i] = argument_address(&args[i]);
    int err = register_buffers(code, args, n);
    int rc = err != 0 ? trouble("out of memory") : FINE;
    if (rc == FINE) err = code->entry((int64_t)target->index, target->blocks, pointers);
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

/* Writes all files under temporary names before renaming the first. */
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
