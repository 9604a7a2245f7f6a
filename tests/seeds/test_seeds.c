/* SPDX-License-Identifier: Apache-2.0 */
/* The five instruction pages, line by line. seeds.tsv says what answers each line; here it is
 * checked that every line of the pages is mapped, that what the map names exists, and that every
 * syntax line parses byte for byte. The parts that read the pages need PTOASM_SPEC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/checkrun.h"
#include "ir/insts.h"
#include "support/diag.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PAGES = 8, MAX_LINES = 400, MAX_ROWS = 1000, PATH_SIZE = 1024 };

typedef struct Page {
    char name[32]; /* without `pto.` */
    char *text;
    const char *lines[MAX_LINES + 1]; /* from 1 */
    bool mapped[MAX_LINES + 1];
    int nlines;
} Page;

typedef struct Row {
    const char *page, *category, *what, *answers;
    int line;
} Row;

static const char *root; /* of the source tree */
static Page pages[MAX_PAGES];
static int npages;
static Row rows[MAX_ROWS];
static int nrows;
static char *map_text;

/* ---- reading ---- */

static bool blank(const char *s) {
    return s[strspn(s, " \t\r")] == '\0';
}

/* Cuts a text into its lines, in place. */
static int split_lines(char *text, const char **lines, int max) {
    int n = 0;
    while (text != NULL && n < max) {
        char *end = strchr(text, '\n');
        if (end != NULL) *end++ = '\0';
        lines[++n] = text;
        text = end;
    }
    return n;
}

static int load_map(void **state) {
    (void)state;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/tests/seeds/seeds.tsv", root);
    size_t size;
    map_text = read_whole_file(path, &size);
    if (map_text == NULL) return 1;
    char *rest = map_text;
    for (char *line; (line = cut_field(&rest, '\n')) != NULL;) {
        if (line[0] == '#' || blank(line)) continue;
        Row row = {0};
        row.page = cut_field(&line, '\t');
        const char *number = cut_field(&line, '\t');
        row.category = cut_field(&line, '\t');
        row.what = cut_field(&line, '\t');
        row.answers = line;
        row.line = number != NULL ? atoi(number) : 0;
        if (row.answers == NULL || row.line <= 0 || nrows == MAX_ROWS) {
            fprintf(stderr, "seeds.tsv: bad row for %s:%s\n", row.page, number);
            return 1;
        }
        rows[nrows++] = row;
    }
    return 0;
}

static int free_all(void **state) {
    (void)state;
    free(map_text);
    for (int i = 0; i < npages; i++)
        free(pages[i].text);
    return 0;
}

/* Reads the pages that PTOASM_SPEC names, once. */
static void need_pages(void) {
    const char *spec = getenv("PTOASM_SPEC");
    assert_non_null(spec);
    if (npages > 0) return;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/seeds", spec);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        size_t n = strlen(e->d_name), size;
        if (n < 4 || strcmp(e->d_name + n - 4, ".txt") != 0) continue;
        assert_true(npages < MAX_PAGES);
        Page *page = &pages[npages++];
        snprintf(path, sizeof path, "%s/seeds/%s", spec, e->d_name);
        page->text = read_whole_file(path, &size);
        assert_non_null(page->text);
        page->nlines = split_lines(page->text, page->lines, MAX_LINES);
        assert_true(strncmp(page->lines[1], "pto.", 4) == 0);
        snprintf(page->name, sizeof page->name, "%s", page->lines[1] + 4);
    }
    closedir(dir);
    assert_int_equal(npages, 5);
}

static Page *find_page(const char *name) {
    for (int i = 0; i < npages; i++)
        if (strcmp(pages[i].name, name) == 0) return &pages[i];
    return NULL;
}

/* ---- every line is mapped ---- */

static int fault(const Row *row, const char *what, const char *detail) {
    print_error("seeds.tsv: %s:%d: %s%s\n", row->page, row->line, what, detail);
    return 1;
}

static int check_row_line(const Row *row) {
    Page *page = find_page(row->page);
    if (page == NULL) return fault(row, "no such page", "");
    if (row->line > page->nlines || blank(page->lines[row->line]))
        return fault(row, "no such line", "");
    if (page->mapped[row->line]) return fault(row, "mapped twice", "");
    page->mapped[row->line] = true;
    if (row->what[0] != '\0' && strstr(page->lines[row->line], row->what) != NULL)
        return fault(row, "repeats the page: ", row->what);
    return 0;
}

static void test_every_line_is_mapped(void **state) {
    (void)state;
    need_pages();
    int bad = 0;
    for (int i = 0; i < nrows; i++)
        bad += check_row_line(&rows[i]);
    for (int i = 0; i < npages; i++)
        for (int l = 1; l <= pages[i].nlines; l++)
            if (!blank(pages[i].lines[l]) && !pages[i].mapped[l]) {
                print_error("%s:%d: not mapped: %s\n", pages[i].name, l, pages[i].lines[l]);
                bad++;
            }
    assert_int_equal(bad, 0);
}

/* ---- what the map names exists ---- */

static char *read_in_tree(const char *path) {
    char full[2 * PATH_SIZE];
    size_t size;
    if (snprintf(full, sizeof full, "%s/%s", root, path) >= (int)sizeof full) return NULL;
    return read_whole_file(full, &size);
}

/* `FILE:CASE`: the file has a test function of that name and hands it to the runner. */
static int check_test_case(const Row *row, char *ref) {
    char *name = strrchr(ref, ':');
    if (name == NULL) return fault(row, "no test case named in ", ref);
    *name++ = '\0';
    char *text = read_in_tree(ref), define[256], list[256];
    if (text == NULL) return fault(row, "no such file: ", ref);
    snprintf(define, sizeof define, "void %s(void **", name);
    snprintf(list, sizeof list, "test(%s", name);
    bool ok = strstr(text, define) != NULL && strstr(text, list) != NULL;
    free(text);
    return ok ? 0 : fault(row, "no such test case: ", name);
}

/* `FILE#ANCHOR`: the file has a heading that gives this anchor. */
static int check_doc(const Row *row, char *ref) {
    char *anchor = strchr(ref, '#');
    if (anchor == NULL) return fault(row, "no anchor in ", ref);
    *anchor++ = '\0';
    char *text = read_in_tree(ref), *rest = text;
    if (text == NULL) return fault(row, "no such file: ", ref);
    bool found = false;
    for (char *line; !found && (line = cut_field(&rest, '\n')) != NULL;) {
        if (line[0] != '#') continue;
        char made[256];
        size_t n = 0;
        for (line += strspn(line, "# "); *line != '\0' && n + 1 < sizeof made; line++) {
            char c = *line;
            if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
            if (c == ' ') c = '-';
            if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_')
                made[n++] = c;
        }
        made[n] = '\0';
        found = strcmp(made, anchor) == 0;
    }
    free(text);
    return found ? 0 : fault(row, "no such anchor: ", anchor);
}

/* The expectation in the file beside a program. */
static char *read_expected(const char *program) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%.*sexpected", (int)(strlen(program) - 3), program);
    return read_in_tree(path);
}

/* `ID ACCEPTED REJECTED`: a diagnostic, a program without errors, and one that shows it. */
static int check_rule(const Row *row, char *ref) {
    const char *id = cut_field(&ref, ' '), *good = cut_field(&ref, ' '),
               *bad = cut_field(&ref, ' ');
    if (bad == NULL) return fault(row, "a rule needs an accepted and a rejected program: ", id);
    if (diag_find(id) == DIAG_COUNT) return fault(row, "no such diagnostic: ", id);
    char *program[2] = {read_in_tree(good), read_in_tree(bad)};
    char *expected[2] = {read_expected(good), read_expected(bad)};
    char tag[128];
    snprintf(tag, sizeof tag, "[%s]", id);
    int result = 0;
    if (program[0] == NULL || program[1] == NULL)
        result = fault(row, "no such program: ", program[0] == NULL ? good : bad);
    else if (expected[0] != NULL && strstr(expected[0], "error:") != NULL)
        result = fault(row, "is not accepted: ", good);
    else if (expected[1] == NULL || strstr(expected[1], tag) == NULL)
        result = fault(row, "does not show its rule: ", bad);
    for (int i = 0; i < 2; i++) {
        free(program[i]);
        free(expected[i]);
    }
    return result;
}

static int check_answer(const Row *row, char *answer) {
    char *rest = answer;
    const char *kind = cut_field(&rest, ':');
    if (rest == NULL) return fault(row, "no such kind of answer: ", kind);
    if (strcmp(kind, "rule") == 0) return check_rule(row, rest);
    if (strcmp(kind, "doc") == 0) return check_doc(row, rest);
    if (strcmp(kind, "none") == 0)
        return blank(rest) ? fault(row, "says not why there is nothing to check", "") : 0;
    if (strcmp(kind, "runtime-check") == 0 || strcmp(kind, "semantics") == 0 ||
        strcmp(kind, "parses") == 0)
        return check_test_case(row, rest);
    return fault(row, "no such kind of answer: ", kind);
}

static void test_every_answer_exists(void **state) {
    (void)state;
    int bad = 0;
    assert_true(nrows > 300);
    for (int i = 0; i < nrows; i++) {
        char answers[2048];
        assert_true(strlen(rows[i].answers) < sizeof answers);
        strcpy(answers, rows[i].answers);
        for (char *a = answers; a != NULL;) {
            char *next = strstr(a, "; ");
            /* A reason may have a semicolon of its own. */
            if (next != NULL && strncmp(a, "none:", 5) != 0) {
                *next = '\0';
                next += 2;
            } else {
                next = NULL;
            }
            bad += check_answer(&rows[i], a);
            a = next;
        }
    }
    assert_int_equal(bad, 0);
}

/* ---- every syntax line parses byte for byte ---- */

static bool uses(const char *line, const char *name) {
    const char *at = strstr(line, name);
    if (at == NULL) return false;
    char next = at[strlen(name)];
    return next == ' ' || next == ',' || next == ')' || next == '\0';
}

/* The parameters that a line of a page needs: a value and its type each, in `sep`-separated form.
 */
static void add_parameters(char *out, size_t size, const char *line, const char *head,
                           const char *colon, const char *sep) {
    static const char *const names[] = {"%src", "%src0", "%src1", "%dst", "%scalar"};
    const char *body = strstr(line, " = ");
    body = body != NULL ? body + 3 : line;
    const char *tile = strstr(line, "tile_buf") != NULL ? "!pto.tile_buf<...>" : "!pto.tile<...>";
    const char *scalar = strstr(line, ", f32") != NULL   ? "f32"
                         : strstr(line, ", i32") != NULL ? "i32"
                                                         : "dtype";
    bool first = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!uses(body, names[i])) continue;
        size_t n = strlen(out);
        snprintf(out + n, size - n, "%s%s%s%s%s", first ? "" : sep, head, names[i], colon,
                 strcmp(names[i], "%scalar") == 0 ? scalar : tile);
        first = false;
    }
}

/* One text is accepted under every profile, and printing it is a fixed point. */
static int check_text(const char *name, int line, const char *text) {
    const ptoasm_options opt = {.size = sizeof opt, .profiles = PTOASM_PROFILE_ALL};
    size_t n = 0, n2 = 0;
    char *first = NULL, *second = NULL;
    bool good = text_accepted(name, text, strlen(text), &opt, true);
    if (good) first = text_formatted(name, text, strlen(text), &opt, PTOASM_FORM_KEEP, &n);
    if (first != NULL) second = text_formatted(name, first, n, &opt, PTOASM_FORM_KEEP, &n2);
    good = second != NULL && n == n2 && memcmp(first, second, n) == 0 &&
           text_accepted(name, first, n, &opt, true);
    if (!good) print_error("%s:%d: not accepted, or printed in two ways:\n%s\n", name, line, text);
    free(first);
    free(second);
    return good ? 0 : 1;
}

/* A line at the top level after .arg lines, and in a function with these parameters. */
static int check_syntax_line(const char *page, int number, const char *line) {
    char text[2048] = "", params[1024] = "";
    add_parameters(text, sizeof text, line, ".arg ", " : ", "\n");
    size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, "%s%s\n", n > 0 ? "\n" : "", line);
    int bad = check_text(page, number, text);
    add_parameters(params, sizeof params, line, "", ": ", ", ");
    snprintf(text, sizeof text, "func.func @f(%s) {\n%s\nreturn\n}\n", params, line);
    return bad + check_text(page, number, text);
}

/* The lines of a listing, down to a blank line, as one program. */
static int check_listing(const Page *page, int first) {
    char text[4096] = "";
    const char *last = page->lines[first];
    int end = first;
    for (; end <= page->nlines && !blank(page->lines[end]); end++)
        if (page->lines[end][0] == '%') last = page->lines[end];
    add_parameters(text, sizeof text, last, ".arg ", " : ", "\n");
    for (int l = first; l < end; l++) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "\n%s", page->lines[l]);
    }
    return check_text(page->name, first, text);
}

static void test_syntax_lines(void **state) {
    (void)state;
    need_pages();
    int bad = 0, statements = 0, listings = 0;
    for (int i = 0; i < nrows; i++) {
        if (strstr(rows[i].answers, "parses:") == NULL) continue;
        const Page *page = find_page(rows[i].page);
        assert_non_null(page);
        const char *line = page->lines[rows[i].line];
        if (strcmp(rows[i].category, "name") == 0) {
            bad += inst_find(line, strlen(line)) == NULL;
            continue;
        }
        bad += check_syntax_line(page->name, rows[i].line, line);
        statements++;
        if (blank(page->lines[rows[i].line - 1])) {
            bad += check_listing(page, rows[i].line);
            listings++;
        }
    }
    print_message("# %d syntax lines and %d listings\n", statements, listings);
    assert_true(statements >= 60);
    assert_int_equal(bad, 0);
}

int main(int argc, char **argv) {
    bool read_pages = argc == 3 && strcmp(argv[2], "pages") == 0;
    if (!read_pages && (argc != 3 || strcmp(argv[2], "answers") != 0)) {
        fprintf(stderr, "usage: %s SOURCE_ROOT pages|answers\n", argv[0]);
        return 2;
    }
    root = argv[1];
    if (read_pages && getenv("PTOASM_SPEC") == NULL) {
        puts("PTOASM_SPEC is not set: the pages are not read");
        return 77;
    }
    const struct CMUnitTest answers[] = {
        cmocka_unit_test(test_every_answer_exists),
    };
    const struct CMUnitTest with_pages[] = {
        cmocka_unit_test(test_every_line_is_mapped),
        cmocka_unit_test(test_syntax_lines),
    };
    if (read_pages) return cmocka_run_group_tests(with_pages, load_map, free_all);
    return cmocka_run_group_tests(answers, load_map, free_all);
}
