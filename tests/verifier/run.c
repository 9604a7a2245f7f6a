/* SPDX-License-Identifier: Apache-2.0 */
/* One run of parser and verifier over a text in memory. */
#include "tests/verifier/run.h"
#include "parser/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check_run(CheckRun *run, const char *name, const char *data, size_t size,
               const VerifyOptions *opt) {
    memset(run, 0, sizeof *run);
    run->source = (Source){.name = name, .data = data, .size = (uint32_t)size};
    if (setjmp(run->ctx.oom) != 0) {
        run->oom = true;
        return;
    }
    context_init(&run->ctx, &run->source, 0);
    run->module = parse_module(&run->ctx);
    if (opt != NULL) verify_module(run->module, opt);
}

void check_run_free(CheckRun *run) {
    context_free(&run->ctx);
}

bool check_run_accepted(const CheckRun *run) {
    return !run->oom && run->ctx.diags.errors == 0;
}

void check_run_report(CheckRun *run) {
    if (setjmp(run->ctx.oom) != 0) return;
    StrBuf out;
    sb_init(&out, &run->ctx.arena);
    diag_print_all(&out, &run->source, &run->ctx.diags, &(DiagPrintOptions){.width = 120});
    fputs(sb_text(&out), stderr);
}

char *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (f == NULL) return NULL;
    char *data = NULL;
    size_t cap = 0, n = 0, got;
    do {
        cap = cap == 0 ? 65536 : cap * 2;
        char *bigger = realloc(data, cap + 1);
        if (bigger == NULL) break;
        data = bigger;
        got = fread(data + n, 1, cap - n, f);
        n += got;
    } while (n == cap);
    fclose(f);
    if (data != NULL) data[n] = '\0';
    *size = n;
    return data;
}
