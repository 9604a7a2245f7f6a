/* Reading the case files of the verifier. */
#include "tests/verifier/casefile.h"
#include "tests/verifier/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "a5/ptoas/level3" */
static VerifyOptions read_options(const char *s, size_t n) {
    VerifyOptions o = {.profiles = 0};
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

/* A statement a line, wrapped in a function with the parameters of its line. */
static unsigned each_statement(const char *path, char *file, void (*fn)(const CaseText *, void *),
                               void *arg) {
    Text aliases = {0}, text = {0};
    put(&aliases, "");
    unsigned number = 0, ran = 0;
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
            CaseText c = {where, text.data, text.len, read_options(f[0], len[0]), f[1], len[1]};
            c.options.fragment = true;
            fn(&c, arg);
            ran++;
        }
        line += n + (line[n] == '\n');
    }
    free(aliases.data);
    free(text.data);
    return ran;
}

/* Programs between lines that start with `=== `. */
static unsigned each_program(const char *path, char *file, void (*fn)(const CaseText *, void *),
                             void *arg) {
    unsigned ran = 0;
    for (char *at = strstr(file, "\n=== "); at != NULL;) {
        char *line = at + 5;
        size_t n = strcspn(line, "\n");
        char *body = line + n + (line[n] == '\n');
        char *next = strncmp(body, "=== ", 4) == 0 ? body - 1 : strstr(body, "\n=== ");
        Text text = {0};
        add(&text, body, next == NULL ? strlen(body) : next < body ? 0 : (size_t)(next + 1 - body));
        const char *bar = memchr(line, '|', n);
        assert_non_null(bar);
        const char *want = bar + 1;
        size_t nwant = trimmed(&want, n - (size_t)(bar + 1 - line));
        char where[64];
        snprintf(where, sizeof where, "%s, program %u", base_name(path), ++ran);
        const CaseText c = {where, text.data, text.len, read_options(line, (size_t)(bar - line)),
                            want,  nwant};
        fn(&c, arg);
        free(text.data);
        at = next;
    }
    return ran;
}

unsigned each_case(const char *path, void (*fn)(const CaseText *c, void *arg), void *arg) {
    size_t size;
    char *file = read_file(path, &size);
    bool cases = strncmp(base_name(path), "cases", 5) == 0;
    if (file == NULL) fail_msg("cannot read %s", path);
    unsigned n = cases ? each_statement(path, file, fn, arg) : each_program(path, file, fn, arg);
    free(file);
    return n;
}
