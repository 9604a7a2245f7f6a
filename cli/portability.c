/* The portability table of `ptoasm check` for several profiles. A function that all of them accept
 * is one line. In others, each refused instruction is a row, and so is each run of instructions
 * between two of them. */
#include "cli/cli.h"
#include "ir/profile.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = PROFILE_COUNT, CELL = 80 };

/* The `n` rows of one function, starting at `first`. */
typedef struct Function {
    const ptoasm_result *res;
    size_t first, n;
    uint32_t profiles;
    int width[2 + COLUMNS]; /* line, instruction, then the profiles */
} Function;

/* A line of the table; consecutive instructions that all profiles accept share one. */
typedef struct Line {
    size_t row; /* first row */
    size_t n;   /* number of rows */
    ptoasm_verdict v, last;
} Line;

static void put_names(uint32_t set) {
    int n = __builtin_popcount(set), k = 0;
    for (unsigned i = 0; i < COLUMNS; i++)
        if ((set & PROFILE_BIT(i)) != 0)
            printf("%s%s", k++ == 0 ? "" : k == n ? " and " : ", ", profile_names[i]);
}

static bool all_accept(const Function *f, const ptoasm_verdict *v) {
    return v->accepted == f->profiles;
}

/* Returns the line that begins with row `i`. */
static Line line_at(const Function *f, size_t i) {
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
static const char *cell(const Function *f, const Line *line, unsigned column, char text[CELL]) {
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

static bool is_asked(const Function *f, unsigned column) {
    return column < 2 || (f->profiles & PROFILE_BIT(column - 2)) != 0;
}

static void measure(Function *f) {
    char text[CELL];
    for (unsigned c = 0; c < 2 + COLUMNS; c++)
        f->width[c] = (int)strlen(title(c));
    for (size_t i = f->first + 1; i < f->first + f->n;) {
        Line line = line_at(f, i);
        for (unsigned c = 0; c < 2 + COLUMNS; c++) {
            int n = (int)strlen(cell(f, &line, c, text));
            if (n > f->width[c]) f->width[c] = n;
        }
        i += line.n;
    }
}

/* Prints a line with two blanks between columns and none at the end. */
static void put_line(const Function *f, const Line *line) {
    char text[CELL];
    int pad = 0;
    for (unsigned c = 0; c < 2 + COLUMNS; c++) {
        if (!is_asked(f, c)) continue;
        const char *s = line != NULL ? cell(f, line, c, text) : title(c);
        printf("  %*s%*s", pad, "", c == 0 ? f->width[0] : 0, s);
        pad = c == 0 ? 0 : f->width[c] - (int)strlen(s);
    }
    putchar('\n');
}

/* Returns the profiles for which memory was not planned. */
static uint32_t memory_not_judged(const Function *f) {
    ptoasm_verdict last;
    ptoasm_verdict_at(f->res, f->first + f->n - 1, &last);
    return last.kind == PTOASM_VERDICT_MEMORY ? f->profiles & ~last.judged : 0;
}

static void put_summary(const Function *f) {
    ptoasm_verdict last;
    ptoasm_verdict_at(f->res, f->first + f->n - 1, &last);
    size_t n = f->n - 1 - (last.kind == PTOASM_VERDICT_MEMORY);
    uint32_t open = memory_not_judged(f);
    printf(" (%zu instruction%s", n, n == 1 ? "" : "s");
    if (open != 0) {
        printf("; on-chip memory not judged for ");
        put_names(open);
    }
    puts(")");
}

static void put_function(Function *f, const char *file, const ptoasm_verdict *head) {
    printf("%s:%u: ", file, head->line);
    if (*head->function != '\0')
        printf("@%s: ", head->function);
    else
        printf("outside of functions: ");
    uint32_t rejected = f->profiles & ~head->accepted;
    if (head->accepted != 0) {
        printf("accepted by ");
        put_names(head->accepted);
    }
    if (rejected == 0) {
        put_summary(f);
        return;
    }
    printf("%srejected by ", head->accepted != 0 ? ", " : "");
    put_names(rejected);
    putchar('\n');
    measure(f);
    put_line(f, NULL);
    for (size_t i = f->first + 1; i < f->first + f->n;) {
        Line line = line_at(f, i);
        put_line(f, &line);
        i += line.n;
    }
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

void print_portability(const ptoasm_result *res, const char *file, uint32_t profiles) {
    size_t n = ptoasm_verdict_count(res), end;
    for (size_t i = 0; i < n; i = end) {
        ptoasm_verdict head, v;
        ptoasm_verdict_at(res, i, &head);
        for (end = i + 1; end < n && ptoasm_verdict_at(res, end, &v); end++)
            if (v.kind == PTOASM_VERDICT_FUNCTION) break;
        Function f = {.res = res, .first = i, .n = end - i, .profiles = profiles};
        put_function(&f, file, &head);
        if (has_note(res, head.line, "no-sync"))
            puts("  synchronisation: none in the text, relies on insertion");
    }
    if (reached_error_limit(res))
        printf("%s: the table may be incomplete: --max-errors was reached\n", file);
    fflush(stdout);
}
