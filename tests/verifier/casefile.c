/* SPDX-License-Identifier: Apache-2.0 */
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

typedef struct Piece {
    const char *s;
    size_t n;
} Piece;

static Piece trimmed(const char *s, size_t n) {
    while (n > 0 && isspace((unsigned char)*s)) {
        s++;
        n--;
    }
    while (n > 0 && isspace((unsigned char)s[n - 1]))
        n--;
    return (Piece){s, n};
}

/* Splits a line at its first ` | ` into `count` trimmed fields. */
static bool split_line(const char *line, size_t n, Piece *f, int count) {
    for (int i = 0; i < count; i++) {
        const char *bar = i < count - 1 ? memchr(line, '|', n) : line + n;
        if (bar == NULL) return false;
        f[i] = trimmed(line, (size_t)(bar - line));
        n -= (size_t)(bar - line) + (i < count - 1);
        line = bar + (i < count - 1);
    }
    return true;
}

/* ---- names ---- */

/* The reading of one text. A mistake ends it. */
typedef struct Reader {
    const char *file;
    CaseFn *fn;
    void *arg;
    unsigned line, ran;
    Piece *names; /* of groups and statements, or of programs */
    size_t nnames, cap;
    char *mistake;
} Reader;

static bool refuse(Reader *r, const char *what) {
    snprintf(r->mistake, CASE_MISTAKE, "%s:%u: %s", r->file, r->line, what);
    return false;
}

/* Names are given once in a file, and none is empty. */
static bool add_name(Reader *r, Piece name) {
    if (name.n == 0) return refuse(r, "no name");
    for (size_t i = 0; i < r->nnames; i++)
        if (r->names[i].n == name.n && memcmp(r->names[i].s, name.s, name.n) == 0)
            return refuse(r, "the name, or the case itself, is already in this file");
    if (r->nnames == r->cap) {
        r->cap = r->cap * 2 + 64;
        r->names = realloc(r->names, r->cap * sizeof *r->names);
        assert_non_null(r->names);
    }
    r->names[r->nnames++] = name;
    return true;
}

/* `text` is the whole program, ended by a NUL. */
static void run_case(Reader *r, const Text *text, const Piece f[2], bool fragment, Piece name) {
    char where[64];
    snprintf(where, sizeof where, "%s:%u", r->file, r->line);
    CaseText c = {where,  text->data, text->len, read_options(f[0].s, f[0].n),
                  f[1].s, f[1].n,     name.s,    name.n};
    c.options.fragment = fragment;
    r->fn(&c, r->arg);
    r->ran++;
}

/* ---- statements ---- */

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

/* The name in `# ---- name ----`; false for another comment. */
static bool group_name(const char *line, size_t n, Piece *name) {
    if (n < 7 || memcmp(line, "# ----", 6) != 0) return false;
    for (line += 6, n -= 6; n > 0 && line[n - 1] == '-';)
        n--;
    *name = trimmed(line, n);
    return true;
}

/* A statement a line, wrapped in a function with the parameters of its line. */
static bool read_statements(Reader *r, const char *text, Text *aliases, Text *program) {
    Piece group = {NULL, 0};
    put(aliases, "");
    for (const char *line = text; *line != '\0';) {
        size_t n = strcspn(line, "\n");
        Piece f[4];
        r->line++;
        if (line[0] == '!') {
            add(aliases, line, n);
            put(aliases, "\n");
        } else if (group_name(line, n, &group)) {
            if (!add_name(r, group)) return false;
        } else if (n > 0 && line[0] != '#') {
            if (!split_line(line, n, f, 4)) return refuse(r, "four fields are needed");
            if (group.n == 0)
                return refuse(r, "no name: `# ---- name ----` is above the first case");
            if (!add_name(r, (Piece){line, n})) return false;
            program->len = 0;
            add(program, aliases->data, aliases->len);
            put(program, "func.func @f(");
            add(program, f[2].s, f[2].n);
            put(program, ") {\n");
            put_statements(program, f[3].s, f[3].n);
            put(program, "  return\n}\n");
            run_case(r, program, f, true, group);
        }
        line += n + (line[n] == '\n');
    }
    return true;
}

/* ---- programs ---- */

/* Programs between lines that start with `=== `. */
static bool read_programs(Reader *r, const char *text, Text *program) {
    Piece f[3];
    bool inside = false;
    unsigned next = 0;
    for (const char *line = text;;) {
        size_t n = strcspn(line, "\n");
        bool head = strncmp(line, "=== ", 4) == 0;
        next++;
        if (inside && (head || *line == '\0')) run_case(r, program, f, false, f[2]);
        if (*line == '\0') return true;
        size_t whole = n + (line[n] == '\n');
        if (head) {
            r->line = next;
            if (!split_line(line + 4, n - 4, f, 3) || memchr(f[2].s, '|', f[2].n) != NULL)
                return refuse(r, "three fields are needed, and the third is the name");
            if (!add_name(r, f[2])) return false;
            inside = true;
            program->len = 0;
            put(program, "");
        } else if (inside) {
            add(program, line, whole);
        }
        line += whole;
    }
}

bool read_cases(const char *path, const char *text, CaseFn *fn, void *arg, unsigned *ran,
                char mistake[CASE_MISTAKE]) {
    const char *slash = strrchr(path, '/');
    Reader r = {.file = slash != NULL ? slash + 1 : path, .fn = fn, .arg = arg, .mistake = mistake};
    Text aliases = {0}, program = {0};
    bool fine = strncmp(r.file, "cases", 5) == 0 ? read_statements(&r, text, &aliases, &program)
                                                 : read_programs(&r, text, &program);
    free(aliases.data);
    free(program.data);
    free(r.names);
    *ran = r.ran;
    return fine;
}

unsigned each_case(const char *path, CaseFn *fn, void *arg) {
    size_t size;
    unsigned ran;
    char mistake[CASE_MISTAKE], *text = read_file(path, &size);
    if (text == NULL) fail_msg("cannot read %s", path);
    bool fine = read_cases(path, text, fn, arg, &ran, mistake);
    free(text);
    if (!fine) fail_msg("%s", mistake);
    return ran;
}
