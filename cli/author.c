/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of a run with the lines that the author wrote: the runtime knows the lines of the
 * program only. */
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>

uint32_t statement_on_line(const ptoasm_result *res, uint32_t line) {
    size_t size;
    const char *text = ptoasm_result_source(res, &size), *p = text, *end = text + size;
    for (; line > 1 && p != NULL; line--)
        if ((p = memchr(p, '\n', (size_t)(end - p))) != NULL) p++;
    if (p == NULL) return (uint32_t)size;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return (uint32_t)(p - text);
}

static void put_line(FILE *to, const ptoasm_location *l) {
    put_plain(to, l->file);
    fprintf(to, l->column != 0 ? ":%u:%u: " : ":%u: ", l->line, l->column);
}

static void put_notes(FILE *to, ptoasm_result *res, uint32_t line, size_t first, bool named) {
    ptoasm_location l;
    const uint32_t offset = statement_on_line(res, line);
    for (size_t i = first; ptoasm_location_at(res, offset, i, &l); i++) {
        put_line(to, &l);
        fputs("note: ", to);
        if (named) fprintf(to, "line %u: ", line);
        put_plain(to, l.message);
        fputc('\n', to);
    }
}

/* Adds notes for the other lines that a message names: `vector core 0 at line 30 (pto.tpop)`. */
static void put_named_lines(FILE *to, ptoasm_result *res, uint32_t line, const char *message) {
    static const char words[] = " at line ";
    enum { MOST = 8 };
    uint32_t seen[MOST] = {line}, n = 1;
    for (const char *p = message; (p = strstr(p, words)) != NULL && n < MOST;) {
        p += sizeof words - 1;
        const uint32_t named = (uint32_t)strtoul(p, NULL, 10);
        bool known = false;
        for (uint32_t i = 0; i < n; i++)
            known |= seen[i] == named;
        if (known) continue;
        seen[n++] = named;
        put_notes(to, res, named, 0, true);
    }
}

void put_run_message(FILE *to, const Target *target, uint32_t line, const char *message) {
    ptoasm_location l;
    const bool author =
        target->author_first &&
        ptoasm_location_at(target->res, statement_on_line(target->res, line), 0, &l);
    if (author)
        put_line(to, &l);
    else
        fprintf(to, "%s:%u: ", target->file, line);
    put_plain(to, message);
    fputc('\n', to);
    if (author) fprintf(to, "%s:%u: note: in this statement\n", target->file, line);
    put_notes(to, target->res, line, author, false);
    put_named_lines(to, target->res, line, message);
}
