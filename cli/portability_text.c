/* SPDX-License-Identifier: Apache-2.0 */
/* The portability table as text. A function that all profiles accept is one line. In others, each
 * refused instruction is a row, and so is each run of instructions between two of them. */
#include "cli/portability.h"
#include "ir/profile.h"

#include <string.h>

enum { COLUMNS = PROFILE_COUNT, CELL = 80 };

/* A function that is printed, and the widths of its columns. */
typedef struct Printed {
    FILE *to;
    const TableFunction *f;
    int width[2 + COLUMNS]; /* line, instruction, then the profiles */
} Printed;

/* A line of the table; consecutive instructions that all profiles accept share one. */
typedef struct Line {
    size_t row; /* first row */
    size_t n;   /* number of rows */
    ptoasm_verdict v, last;
} Line;

static void put_names(FILE *to, uint32_t set) {
    int n = __builtin_popcount(set), k = 0;
    for (unsigned i = 0; i < COLUMNS; i++)
        if ((set & PROFILE_BIT(i)) != 0)
            fprintf(to, "%s%s", k++ == 0 ? "" : k == n ? " and " : ", ", profile_names[i]);
}

static bool all_accept(const TableFunction *f, const ptoasm_verdict *v) {
    return v->accepted == f->profiles;
}

/* Returns the line that begins with row `i`. */
static Line line_at(const TableFunction *f, size_t i) {
    Line line = {.row = i, .n = 1};
    ptoasm_verdict next;
    ptoasm_verdict_at(f->res, i, &line.v);
    line.last = line.v;
    if (line.v.kind != PTOASM_VERDICT_STATEMENT || !all_accept(f, &line.v)) return line;
    while (i + line.n < f->first + f->n && ptoasm_verdict_at(f->res, i + line.n, &next) &&
           next.kind == PTOASM_VERDICT_STATEMENT && all_accept(f, &next)) {
        line.last = next;
        line.n++;
    }
    return line;
}

/* Returns the text of a cell: source lines, instruction, or profile. */
static const char *cell(const TableFunction *f, const Line *line, unsigned column,
                        char text[CELL]) {
    const ptoasm_verdict *v = &line->v;
    if (column == 0) {
        if (v->kind != PTOASM_VERDICT_STATEMENT) return "";
        if (v->line == line->last.line)
            snprintf(text, CELL, "%u", v->line);
        else
            snprintf(text, CELL, "%u-%u", v->line, line->last.line);
        return text;
    }
    if (column == 1) {
        if (v->kind == PTOASM_VERDICT_MEMORY) return "on-chip memory";
        if (line->n == 1) return *v->instruction != '\0' ? v->instruction : "-";
        snprintf(text, CELL, "%zu instructions", line->n);
        return text;
    }
    uint32_t bit = PROFILE_BIT(column - 2);
    if ((v->judged & bit) == 0) return "-";
    if ((v->accepted & bit) != 0) return "yes";
    snprintf(text, CELL, "no [%s]", ptoasm_verdict_id(f->res, line->row, bit));
    return text;
}

static const char *title(unsigned column) {
    return column == 0 ? "line" : column == 1 ? "instruction" : profile_names[column - 2];
}

static bool is_asked(const TableFunction *f, unsigned column) {
    return column < 2 || (f->profiles & PROFILE_BIT(column - 2)) != 0;
}

static void measure(Printed *p) {
    const TableFunction *f = p->f;
    char text[CELL];
    for (unsigned c = 0; c < 2 + COLUMNS; c++)
        p->width[c] = (int)strlen(title(c));
    for (size_t i = f->first + 1; i < f->first + f->n;) {
        Line line = line_at(f, i);
        for (unsigned c = 0; c < 2 + COLUMNS; c++) {
            int n = (int)strlen(cell(f, &line, c, text));
            if (n > p->width[c]) p->width[c] = n;
        }
        i += line.n;
    }
}

/* Prints a line with two blanks between columns and none at the end. */
static void put_line(const Printed *p, const Line *line) {
    char text[CELL];
    int pad = 0;
    for (unsigned c = 0; c < 2 + COLUMNS; c++) {
        if (!is_asked(p->f, c)) continue;
        const char *s = line != NULL ? cell(p->f, line, c, text) : title(c);
        fprintf(p->to, "  %*s%*s", pad, "", c == 0 ? p->width[0] : 0, s);
        pad = c == 0 ? 0 : p->width[c] - (int)strlen(s);
    }
    fputc('\n', p->to);
}

static void put_lines(FILE *to, const TableFunction *f) {
    Printed p = {.to = to, .f = f};
    measure(&p);
    put_line(&p, NULL);
    for (size_t i = f->first + 1; i < f->first + f->n;) {
        Line line = line_at(f, i);
        put_line(&p, &line);
        i += line.n;
    }
}

/* Returns the profiles for which memory was not planned. */
static uint32_t memory_not_judged(const TableFunction *f) {
    ptoasm_verdict v;
    return table_memory(f, &v) ? f->profiles & ~v.judged : 0;
}

static void put_summary(FILE *to, const TableFunction *f) {
    size_t n = table_instructions(f);
    uint32_t open = memory_not_judged(f);
    fprintf(to, " (%zu instruction%s", n, n == 1 ? "" : "s");
    if (open != 0) {
        fputs("; on-chip memory not judged for ", to);
        put_names(to, open);
    }
    fputs(")\n", to);
}

static void put_function(FILE *to, const TableFunction *f) {
    const ptoasm_verdict *head = &f->head;
    uint32_t rejected = f->profiles & ~head->accepted;
    fprintf(to, "%s:%u: ", f->file, head->line);
    if (*head->function != '\0')
        fprintf(to, "@%s: ", head->function);
    else
        fputs("outside of functions: ", to);
    if (head->accepted != 0) {
        fputs("accepted by ", to);
        put_names(to, head->accepted);
    }
    if (rejected == 0) {
        put_summary(to, f);
    } else {
        fprintf(to, "%srejected by ", head->accepted != 0 ? ", " : "");
        put_names(to, rejected);
        fputc('\n', to);
        put_lines(to, f);
    }
    if (f->no_sync) fputs("  synchronisation: none in the text, relies on insertion\n", to);
}

static void put_incomplete(FILE *to, const char *file) {
    fprintf(to, "%s: the table may be incomplete: --max-errors was reached\n", file);
}

const TableFormat table_text = {"text", NULL, put_function, put_incomplete};
