/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm run --sanitize: switches the sanitizer of the runtime on, and prints what it found. */
#include "cli/run.h"
#include "cli/run_report.h"

#include "runtime/ptort_observe.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 20 };

/* The functions of the runtime. */
typedef struct Sanitizer {
    int (*start)(uint32_t flags);
    int (*memory)(const char *name, void *base, uint64_t bytes, bool defined);
    const ptrt_finding *(*findings)(size_t *count, bool *incomplete);
    void (*end)(void);
} Sanitizer;

static bool find(const Code *code, const char *name, void *function) {
    void *p = runtime_symbol(&code->runtime, name);
    memcpy(function, &p, sizeof p);
    return p != NULL;
}

static int sanitizer_of(const Code *code, Sanitizer *s) {
    if (find(code, "ptrt_sanitize", &s->start) && find(code, "ptrt_sanitize_memory", &s->memory) &&
        find(code, "ptrt_findings", &s->findings) && find(code, "ptrt_sanitize_end", &s->end))
        return FINE;
    return trouble("the runtime has no sanitizer");
}

/* Names the arguments of all ranks. */
static int name_memory(const Target *target, const Sanitizer *s, const Argument *args) {
    const size_t n = target->kernel.params;
    const size_t ranks = target->ranks > 0 ? target->ranks : 1;
    for (size_t i = 0; i < n * ranks; i++) {
        char name[160];
        ptoasm_param p;
        if (args[i].array.data == NULL ||
            !ptoasm_kernel_param(target->res, target->index, i % n, &p))
            continue;
        if (target->ranks > 0)
            snprintf(name, sizeof name, "%%%s of rank %zu", p.name, i / n);
        else
            snprintf(name, sizeof name, "%%%s", p.name);
        if (s->memory(name, args[i].array.data, args[i].array.bytes, !args[i].unwritten) != PTRT_OK)
            return trouble("out of memory");
    }
    return FINE;
}

int sanitize_start(const Target *target, const Code *code, const Argument *args, bool strict) {
    Sanitizer s;
    const int rc = sanitizer_of(code, &s);
    if (rc != FINE) return rc;
    if (s.start(strict ? PTRT_SANITIZE_STRICT : 0) != PTRT_OK) return trouble("out of memory");
    const int named = name_memory(target, &s, args);
    if (named != FINE) s.end();
    return named;
}

static int print_findings(const Target *target, const ptrt_finding *list, size_t n,
                          const Options *opt) {
    const size_t shown = n < MOST_SHOWN ? n : MOST_SHOWN;
    ptoasm_finding found[MOST_SHOWN] = {{0}};
    for (size_t i = 0; i < shown; i++)
        found[i] =
            (ptoasm_finding){list[i].id, list[i].text, list[i].note, list[i].line, list[i].other};
    const int status = ptoasm_set_findings(target->res, found, shown);
    if (status != PTOASM_OK) return trouble("%s", ptoasm_status_text(status));
    if (!run_report_on()) print_diagnostics(target->res, opt);
    if (n > shown) fprintf(stderr, "ptoasm: %zu more findings\n", n - shown);
    return n > 0 ? REJECTED : FINE;
}

void sanitize_drop(const Code *code) {
    Sanitizer s;
    if (sanitizer_of(code, &s) == FINE) s.end();
}

int sanitize_report(const Target *target, const Code *code, const Options *opt) {
    Sanitizer s;
    size_t n;
    bool incomplete;
    int rc = sanitizer_of(code, &s);
    if (rc != FINE) return rc;
    const ptrt_finding *list = s.findings(&n, &incomplete);
    rc = print_findings(target, list, n, opt);
    if (incomplete) rc = trouble("the sanitizer ran out of memory and has not seen everything");
    s.end();
    return rc;
}
