/* Runs the statements of cases*.txt and the programs of programs*.txt, compares verdicts, and fails
 * when a named check function never refused one. (That the rows of the vocabulary fire, each for
 * each instruction, is what the mutator shows.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/verifier/run.h"
#include "verifier/rules.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **paths;
static int npaths;

enum { MAX_ROWS = 16384 };
static const RuleRow *fired[MAX_ROWS];
static unsigned nfired;

static void row_fired(void *user, InstId inst, const RuleRow *row) {
    (void)user;
    (void)inst;
    for (unsigned i = 0; i < nfired; i++)
        if (fired[i] == row) return;
    assert_true(nfired < MAX_ROWS);
    fired[nfired++] = row;
}

/* "a5/ptoas/level3" */
static VerifyOptions read_options(const char *s, size_t n) {
    VerifyOptions o = {.on_broken = row_fired};
    while (n > 0) {
        size_t len = 0;
        while (len < n && s[len] != '/' && s[len] != ' ')
            len++;
        Profile p;
        if (len == 5 && memcmp(s, "ptoas", 5) == 0)
            o.compat = true;
        else if (len == 6 && memcmp(s, "level", 5) == 0)
            o.level = s[5] - '0';
        else if (profile_from_text(s, len, &p))
            o.profiles |= PROFILE_BIT(p);
        s += len;
        n -= len;
        while (n > 0 && (*s == '/' || *s == ' ')) {
            s++;
            n--;
        }
    }
    return o;
}

typedef struct Text {
    char *data;
    size_t len, cap;
} Text;

static void add(Text *t, const char *s, size_t n) {
    if (t->len + n + 1 > t->cap) {
        t->cap = (t->len + n + 1) * 2;
        t->data = realloc(t->data, t->cap);
        assert_non_null(t->data);
    }
    memcpy(t->data + t->len, s, n);
    t->len += n;
    t->data[t->len] = '\0';
}

static void put(Text *t, const char *s) {
    add(t, s, strlen(s));
}

static bool verdict_is(const char *want, size_t n, const char *word) {
    return strlen(word) == n && memcmp(want, word, n) == 0;
}

/* What came out: `ok`, the id of the only error, or `warn ID` for one warning. */
static void describe(const CheckRun *run, char *out, size_t size) {
    const Diag *error = NULL, *warning = NULL;
    unsigned nerrors = 0, nwarnings = 0;
    for (const Diag *d = run->ctx.diags.first; d != NULL; d = d->next) {
        if (d->severity == SEV_ERROR) {
            error = d;
            nerrors++;
        } else if (d->severity == SEV_WARNING) {
            warning = d;
            nwarnings++;
        }
    }
    if (nerrors > 1)
        snprintf(out, size, "%u errors", nerrors);
    else if (error != NULL)
        snprintf(out, size, "%s", diag_infos[error->id].text);
    else if (nwarnings > 1)
        snprintf(out, size, "%u warnings", nwarnings);
    else if (warning != NULL)
        snprintf(out, size, "warn %s", diag_infos[warning->id].text);
    else
        snprintf(out, size, "ok");
}

/* One text against its verdict; false (and a report) when it differs. */
static bool judge_text(const char *where, const Text *text, const VerifyOptions *opt,
                       const char *want, size_t nwant) {
    CheckRun run;
    check_run(&run, where, text->data, text->len, opt);
    char got[96];
    describe(&run, got, sizeof got);
    bool same = verdict_is(want, nwant, got);
    if (!same) {
        fprintf(stderr, "%s: expected %.*s, got %s\n%s\n", where, (int)nwant, want, got,
                text->data);
        check_run_report(&run);
    }
    check_run_free(&run);
    return same;
}

static size_t trimmed(const char **s, size_t n) {
    while (n > 0 && isspace((unsigned char)**s)) {
        (*s)++;
        n--;
    }
    while (n > 0 && isspace((unsigned char)(*s)[n - 1]))
        n--;
    return n;
}

/* Splits a case line at its first three ` | ` into four trimmed fields. */
static bool split_case(const char *line, size_t n, const char *f[4], size_t len[4]) {
    for (int i = 0; i < 4; i++) {
        const char *bar = i < 3 ? memchr(line, '|', n) : line + n;
        if (bar == NULL) return false;
        f[i] = line;
        len[i] = trimmed(&f[i], (size_t)(bar - line));
        n -= (size_t)(bar - line) + (i < 3);
        line = bar + (i < 3);
    }
    return true;
}

/* Statements are separated by `; `. */
static void put_statements(Text *t, const char *s, size_t n) {
    while (n > 0) {
        const char *semi = memchr(s, ';', n);
        size_t len = semi != NULL ? (size_t)(semi - s) : n;
        put(t, "  ");
        add(t, s, len);
        put(t, "\n");
        s += len + (semi != NULL);
        n -= len + (semi != NULL);
    }
}

/* "cases_data.txt" of ".../cases_data.txt". */
static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void statements_of(const char *path) {
    size_t size;
    char *file = read_file(path, &size);
    assert_non_null(file);
    Text aliases = {0}, text = {0};
    put(&aliases, "");
    unsigned number = 0, ran = 0, wrong = 0;
    for (char *line = file; *line != '\0';) {
        size_t n = strcspn(line, "\n");
        const char *f[4];
        size_t len[4];
        number++;
        if (line[0] == '!') {
            add(&aliases, line, n);
            put(&aliases, "\n");
        } else if (n > 0 && line[0] != '#') {
            char where[64];
            snprintf(where, sizeof where, "%s:%u", base_name(path), number);
            if (!split_case(line, n, f, len)) fail_msg("%s: four fields are needed", where);
            text.len = 0;
            add(&text, aliases.data, aliases.len);
            put(&text, "func.func @f(");
            add(&text, f[2], len[2]);
            put(&text, ") {\n");
            put_statements(&text, f[3], len[3]);
            put(&text, "  return\n}\n");
            VerifyOptions opt = read_options(f[0], len[0]);
            wrong += !judge_text(where, &text, &opt, f[1], len[1]);
            ran++;
        }
        line += n + (line[n] == '\n');
    }
    free(file);
    free(aliases.data);
    free(text.data);
    printf("%s: %u statements\n", base_name(path), ran);
    assert_true(ran > 0);
    assert_int_equal(wrong, 0);
}

static void programs_of(const char *path) {
    size_t size;
    char *file = read_file(path, &size);
    assert_non_null(file);
    unsigned ran = 0, wrong = 0;
    char *at = strstr(file, "\n=== ");
    while (at != NULL) {
        at += 5;
        char *line = at;
        size_t n = strcspn(line, "\n");
        char *body = line + n + (line[n] == '\n');
        char *next = strncmp(body, "=== ", 4) == 0 ? body - 1 : strstr(body, "\n=== ");
        Text text = {0};
        add(&text, body, next == NULL ? strlen(body) : next < body ? 0 : (size_t)(next + 1 - body));
        const char *bar = memchr(line, '|', n);
        assert_non_null(bar);
        const char *want = bar + 1;
        size_t nwant = trimmed(&want, n - (size_t)(bar + 1 - line));
        VerifyOptions opt = read_options(line, (size_t)(bar - line));
        char where[64];
        snprintf(where, sizeof where, "%s, program %u", base_name(path), ++ran);
        wrong += !judge_text(where, &text, &opt, want, nwant);
        free(text.data);
        at = next;
    }
    free(file);
    printf("%s: %u programs\n", base_name(path), ran);
    assert_true(ran > 0);
    assert_int_equal(wrong, 0);
}

static void statements(void **state) {
    (void)state;
    for (int i = 0; i < npaths; i++)
        if (strncmp(base_name(paths[i]), "cases", 5) == 0) statements_of(paths[i]);
}

static void programs(void **state) {
    (void)state;
    for (int i = 0; i < npaths; i++)
        if (strncmp(base_name(paths[i]), "programs", 8) == 0) programs_of(paths[i]);
}

static bool check_fired(bool (*fn)(const Case *, const Rule *)) {
    for (unsigned k = 0; k < nfired; k++)
        if (fired[k]->fn == fn) return true;
    return false;
}

static void every_check_fires(void **state) {
    (void)state;
    unsigned silent = 0, total = 0;
    for (int id = 1; id < INST_COUNT; id++) {
        unsigned n;
        const RuleRow *rows = rule_rows((InstId)id, &n);
        for (unsigned i = 0; i < n; i++) {
            if (rows[i].cond != C_CHECK) continue;
            total++;
            if (check_fired(rows[i].fn)) continue;
            silent++;
            fprintf(stderr, "%s: the check of row %u (%s, %s) never fired\n", inst_table[id].name,
                    i, diag_infos[rows[i].id].text, rows[i].a);
        }
    }
    printf("%u rows with check functions\n", total);
    assert_int_equal(silent, 0);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: test_cases cases*.txt programs*.txt\n");
        return 2;
    }
    paths = argv + 1;
    npaths = argc - 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements),
        cmocka_unit_test(programs),
        cmocka_unit_test(every_check_fires),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
