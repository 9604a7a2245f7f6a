/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the portability table, its output, and the functions in it. */
#include "cli/portability.h"
#include "support/ascii.h"

#include <string.h>

static const TableFormat *const formats[] = {&table_text, &table_markdown, &table_json};

/* ---- options ---- */

bool set_portability(Options *opt, const char *value) {
    for (unsigned i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(value, formats[i]->name) != 0) continue;
        opt->check.table = formats[i];
        return true;
    }
    return false;
}

bool set_portability_file(Options *opt, const char *value) {
    opt->check.table_file = value;
    return *value != '\0' && strcmp(value, "-") != 0;
}

int table_choose(Options *opt) {
    const bool asked = opt->check.table != NULL || opt->check.table_file != NULL;
    const bool several = (opt->judge.profiles & (opt->judge.profiles - 1)) != 0;
    const bool machine = opt->check.format != 0;
    const bool shared = asked && opt->check.table_file == NULL;
    if (shared && machine)
        return usage_error(&check_command, "--portability and --format both write to standard "
                                           "output; name a file with --portability-file");
    if (shared && opt->check.table != &table_text && (opt->judge.sync & PTOASM_SYNC_REPORT) != 0)
        return usage_error(&check_command, "--portability and --sync=report both write to standard "
                                           "output; name a file with --portability-file");
    if (asked && opt->judge.profiles == 0) opt->judge.profiles = PTOASM_PROFILE_ALL;
    opt->judge.verdicts = asked || (several && !machine);
    return -1;
}

/* ---- rows ---- */

size_t table_instructions(const TableFunction *f) {
    ptoasm_verdict v;
    return f->n - 1 - (size_t)table_memory(f, &v);
}

bool table_memory(const TableFunction *f, ptoasm_verdict *v) {
    return ptoasm_verdict_at(f->res, f->first + f->n - 1, v) && v->kind == PTOASM_VERDICT_MEMORY;
}

static bool reached_error_limit(const ptoasm_result *res) {
    ptoasm_diagnostic d;
    size_t n = ptoasm_diagnostic_count(res);
    return n > 0 && ptoasm_diagnostic_at(res, n - 1, &d) && strcmp(d.id, "too-many-errors") == 0;
}

/* True when there is a diagnostic with this id at the line of the function. */
static bool has_note(const ptoasm_result *res, uint32_t line, const char *id) {
    ptoasm_diagnostic d;
    for (size_t i = 0; ptoasm_diagnostic_at(res, i, &d); i++)
        if (d.place.line == line && strcmp(d.id, id) == 0) return true;
    return false;
}

/* ---- output ---- */

int table_open(Table *t, const Options *opt) {
    *t = (Table){.format = opt->check.table != NULL ? opt->check.table : &table_text,
                 .profiles = opt->judge.profiles,
                 .path = opt->check.table_file};
    if (!opt->judge.verdicts) return FINE;
    t->to = t->path != NULL ? memory_open(&t->text) : stdout;
    if (t->to == NULL) return trouble("out of memory");
    if (t->format->begin != NULL) t->format->begin(t->to, t->profiles);
    return FINE;
}

void table_add(Table *t, const ptoasm_result *res, const char *file) {
    if (t->to == NULL) return;
    size_t n = ptoasm_verdict_count(res), end;
    const bool complete = !reached_error_limit(res);
    for (size_t i = 0; i < n; i = end) {
        ptoasm_verdict v;
        TableFunction f = {
            .file = file, .res = res, .first = i, .profiles = t->profiles, .complete = complete};
        ptoasm_verdict_at(res, i, &f.head);
        for (end = i + 1; end < n && ptoasm_verdict_at(res, end, &v); end++)
            if (v.kind == PTOASM_VERDICT_FUNCTION) break;
        f.n = end - i;
        f.no_sync = has_note(res, f.head.line, "no-sync");
        t->format->function(t->to, &f);
    }
    if (!complete && t->format->incomplete != NULL) t->format->incomplete(t->to, file);
    if (t->path == NULL) fflush(t->to); /* the messages about the next file come after it */
}

int table_close(Table *t) {
    if (t->to == NULL || t->path == NULL) return FINE;
    if (!memory_close(t->to, &t->text)) return trouble("out of memory");
    int rc = output_file(t->path, t->text.text, t->text.size);
    memory_free(&t->text);
    return rc;
}
