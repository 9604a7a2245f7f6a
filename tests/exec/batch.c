/* SPDX-License-Identifier: Apache-2.0 */
/* Emits, compiles and calls the functions of a batch. */
#include "batch.h"
#include "api/ptoasm.h"
#include "harness.h"
#include "verifier/rules/describe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <fcntl.h>
#include <ptort.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void batch_init(Batch *b, Profile p, Arena *arena) {
    *b = (Batch){.profile = p};
    sb_init(&b->text, arena);
}

void batch_free(Batch *b) {
    free(b->runs);
    b->runs = NULL;
}

static int emit_text(const char *text, Profile p, ptoasm_source **src, ptoasm_result **res) {
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    ptoasm_emit_options emit = {.size = sizeof emit};
    opt.profiles = PROFILE_BIT(p);
    assert_int_equal(ptoasm_source_open("batch.pto", text, strlen(text), PTOASM_SOURCE_BORROW, src),
                     PTOASM_OK);
    *res = NULL;
    return ptoasm_emit(*src, &opt, &emit, res);
}

bool batch_emits(const Opened *o, Profile p, Arena *arena) {
    StrBuf text;
    ptoasm_source *src;
    ptoasm_result *res;
    sb_init(&text, arena);
    put_function(o, &o->given, "example", &text);
    int status = emit_text(sb_text(&text), p, &src, &res);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return status == PTOASM_OK;
}

static Run *new_run(Batch *b) {
    if (b->nruns == b->cap) {
        b->cap = b->cap == 0 ? 256 : 2 * b->cap;
        b->runs = realloc(b->runs, b->cap * sizeof *b->runs);
        assert_non_null(b->runs);
    }
    return &b->runs[b->nruns++];
}

void batch_add(Batch *b, const Opened *o, const Given *g, const Residue *broken) {
    char name[32];
    size_t from = b->text.len;
    snprintf(name, sizeof name, "run%u", b->nruns);
    Run *run = new_run(b);
    *run = (Run){.inst = o->e.inst, .fails = broken != NULL};
    run->line = b->lines + put_function(o, g, name, &b->text) + 1;
    for (size_t i = from; i < b->text.len; i++)
        b->lines += b->text.data[i] == '\n';
    if (broken == NULL) return;
    StrBuf clause;
    sb_init(&clause, b->text.arena);
    rule_describe(broken->inst, broken->row, &clause);
    snprintf(run->says, sizeof run->says, ":%u: %s: must hold: %s", run->line, o->e.inst->name,
             sb_text(&clause));
}

/* Whether a legal function may end so: nobody sets the flag, or what the tiles hold is no index.
 * With `typed`, only missing code counts. */
static bool is_later(int code, bool typed) {
    return typed ? code != PTRT_E_TYPE
                 : code == PTRT_E_TYPE || code == PTRT_E_DEADLOCK || code == PTRT_E_BOUNDS;
}

/* Calls without what print statements write, which the reader of the test's output takes for its
 * own. */
static int call_quietly(int (*function)(void *, int64_t), void *buffer) {
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);
    assert_true(kept >= 0 && null >= 0 && dup2(null, STDOUT_FILENO) >= 0);
    close(null);
    const int code = function(buffer, 0);
    fflush(stdout);
    assert_true(dup2(kept, STDOUT_FILENO) >= 0);
    close(kept);
    return code;
}

static bool call(const Built *b, const Run *run, unsigned number, bool typed) {
    static uint64_t buffer[1 << 16];
    char name[32];
    int (*function)(void *, int64_t);
    snprintf(name, sizeof name, "run%u", number);
    void *symbol = built_function(b, name);
    memcpy(&function, &symbol, sizeof function);
    const int code = call_quietly(function, buffer);
    if (!run->fails && is_later(code, typed) && strstr(last_error(), "must hold") == NULL)
        return true;
    if (code == 0 ? !run->fails : run->fails && strstr(last_error(), run->says) != NULL)
        return true;
    printf("# %s, line %u, expected %s%s, got %s\n", run->inst->name, run->line,
           run->fails ? "an error with " : "success", run->says,
           code == 0 ? "success" : last_error());
    return false;
}

unsigned batch_run(Batch *batch, bool typed) {
    Built b;
    ptoasm_source *src;
    ptoasm_result *res;
    unsigned failures = 0;
    if (emit_text(sb_text(&batch->text), batch->profile, &src, &res) != PTOASM_OK)
        fail_msg("not emitted:\n%s", ptoasm_diagnostics_text(res, 0, NULL));
    build_c(&b, ptoasm_result_text(res, NULL));
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    for (unsigned i = 0; i < batch->nruns; i++)
        failures += !call(&b, &batch->runs[i], i, typed);
    built_free(&b);
    return failures;
}
