/* SPDX-License-Identifier: Apache-2.0 */
/* --portability=markdown: one table for all files, with a row for each function and one for each
 * instruction in it that a profile refuses. */
#include "cli/portability.h"
#include "cli/report_values.h"
#include "ir/profile.h"

#include <stdlib.h>
#include <string.h>

/* Returns the length of the longest run of backticks. */
static int longest_ticks(const char *s) {
    int longest = 0, run = 0;
    for (; *s != '\0'; s++) {
        run = *s == '`' ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest;
}

static void put_ticks(FILE *to, int n) {
    while (n-- > 0)
        fputc('`', to);
}

/* Writes code in a cell. A bar would end the cell even there; control characters are shown as in
 * messages. */
static void put_code(FILE *to, const char *s, uint32_t line) {
    char *text = utf8_text(s, strlen(s), NULL);
    int ticks = longest_ticks(text);
    put_ticks(to, ticks + 1);
    if (ticks > 0) fputc(' ', to);
    for (char *p = text; *p != '\0'; p++) {
        char one[2] = {*p, '\0'};
        if (*p == '|')
            fputs("\\|", to);
        else
            (unsigned char)*p < ' ' ? put_plain(to, one) : (void)fputc(*p, to);
    }
    if (line > 0) fprintf(to, ":%u", line);
    if (ticks > 0) fputc(' ', to);
    put_ticks(to, ticks + 1);
    free(text);
}

static void put_cells(FILE *to, const TableFunction *f, size_t row, const ptoasm_verdict *v) {
    for (unsigned p = 0; p < PROFILE_COUNT; p++) {
        uint32_t bit = PROFILE_BIT(p);
        if ((f->profiles & bit) == 0) continue;
        const char *id = ptoasm_verdict_id(f->res, row, bit);
        fputs((v->judged & bit) == 0 ? " - |" : (v->accepted & bit) != 0 ? " yes |" : " no", to);
        if ((v->judged & ~v->accepted & bit) == 0) continue;
        if (id != NULL) fprintf(to, " [%s]", id);
        fputs(" |", to);
    }
    fputc('\n', to);
}

static void put_head_row(FILE *to, const TableFunction *f) {
    size_t n = table_instructions(f);
    fputs("| ", to);
    put_code(to, f->file, f->head.line);
    fputs(" | ", to);
    if (*f->head.function != '\0') {
        fputs("**function** ", to);
        put_code(to, f->head.function, 0);
    } else {
        fputs("outside of functions", to);
    }
    fprintf(to, " (%zu instruction%s%s%s) |", n, n == 1 ? "" : "s",
            f->no_sync ? "; relies on insertion of synchronisation" : "",
            f->complete ? "" : "; incomplete: --max-errors was reached");
    ptoasm_verdict head = f->head;
    head.judged = f->profiles;
    put_cells(to, f, f->first, &head);
}

static void put_function(FILE *to, const TableFunction *f) {
    put_head_row(to, f);
    for (size_t i = f->first + 1; i < f->first + f->n; i++) {
        ptoasm_verdict v;
        ptoasm_verdict_at(f->res, i, &v);
        if ((v.judged & ~v.accepted & f->profiles) == 0) continue;
        fputs("| ", to);
        put_code(to, f->file, v.line);
        fputs(" | ", to);
        if (v.kind == PTOASM_VERDICT_MEMORY)
            fputs("on-chip memory", to);
        else if (*v.instruction != '\0')
            put_code(to, v.instruction, 0);
        else
            fputc('-', to);
        fputs(" |", to);
        put_cells(to, f, i, &v);
    }
}

static void begin(FILE *to, uint32_t profiles) {
    fputs("| place | function or instruction |", to);
    for (unsigned p = 0; p < PROFILE_COUNT; p++)
        if ((profiles & PROFILE_BIT(p)) != 0) fprintf(to, " %s |", profile_names[p]);
    fputs("\n|---|---|", to);
    for (unsigned p = 0; p < PROFILE_COUNT; p++)
        if ((profiles & PROFILE_BIT(p)) != 0) fputs("---|", to);
    fputc('\n', to);
}

const TableFormat table_markdown = {"markdown", begin, put_function, NULL};
