/* SPDX-License-Identifier: Apache-2.0 */
/* Code lenses: above a function the cases of the *.test.json files in its folder, to be run as
 * `ptoasm test` does, or with --shadow=f64, whose lines then have hints and hovers. A case runs the
 * file on disk. */
#include "cli/lsp/lsp.h"
#include "cli/lsp/settings.h"
#include "cli/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_SECONDS = 60, MOST_CASES = 20 /* shown at a function */ };
static const char run_name[] = "ptoasm.run";

json_t *lens_commands(void) {
    return packed("[s]", run_name);
}

/* ---- cases ---- */

static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return strndup(path, slash != NULL ? (size_t)(slash - path) + 1 : 0);
}

static bool is_cases(const char *name) {
    static const char ending[] = ".test.json";
    const size_t n = strlen(name);
    return n >= sizeof ending - 1 && strcmp(name + n - (sizeof ending - 1), ending) == 0;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the sorted paths of the files with cases in a folder; they are used up to the end of
 * `list`, whose cases point to them. */
static char **case_files(const char *folder, size_t *n) {
    char **files = NULL;
    DIR *dir = opendir(folder);
    *n = 0;
    for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
        if (!is_cases(e->d_name)) continue;
        char **grown = realloc(files, (*n + 1) * sizeof *files);
        if (grown == NULL) out_of_memory();
        files = grown;
        files[*n] = must_alloc(strlen(folder) + strlen(e->d_name) + 1);
        sprintf(files[(*n)++], "%s%s", folder, e->d_name);
    }
    if (dir != NULL) closedir(dir);
    if (*n > 0) qsort(files, *n, sizeof *files, by_name);
    return files;
}

typedef struct Beside {
    TestList list;
    char **files;
    size_t nfiles;
    char why[256]; /* a file that cannot be read says so; "": none */
} Beside;

/* Reads the cases beside a document. */
static Beside *beside_read(const Document *d) {
    Beside *b = must_alloc(sizeof *b);
    *b = (Beside){.nfiles = 0};
    if (d->path == NULL) return b;
    char *folder = folder_of(d->path);
    if (folder == NULL) out_of_memory();
    b->files = case_files(folder, &b->nfiles);
    free(folder);
    json_prepare();
    messages_keep(b->why, sizeof b->why);
    for (size_t i = 0; i < b->nfiles; i++)
        (void)tests_read(b->files[i], &b->list);
    messages_keep(NULL, 0);
    return b;
}

static void beside_free(Beside *b) {
    tests_free(&b->list);
    for (size_t i = 0; i < b->nfiles; i++)
        free(b->files[i]);
    free(b->files);
    free(b);
}

/* Whether a case runs the file of the document. */
static bool is_of(const TestCase *c, const Document *d) {
    char *folder = working_folder(), *base = path_absolute(folder, c->folder),
         *program = path_absolute(base, c->program), *own = path_absolute(folder, d->path);
    const bool same = strcmp(program, own) == 0;
    free(folder);
    free(base);
    free(program);
    free(own);
    return same;
}

/* Whether it runs the function of this name, which has an @. */
static bool runs(const TestCase *c, const char *name) {
    const char *want = c->function;
    if (want == NULL) return true;
    return strcmp(want[0] == '@' ? want + 1 : want, name + 1) == 0;
}

/* ---- lenses ---- */

static void add_lens(const Listing *l, const ptoasm_definition *def, const TestCase *c,
                     bool shadow) {
    char title[160];
    snprintf(title, sizeof title, "%s %.100s", shadow ? "errors of" : "run", c->name);
    json_add(l->list, packed("{s:o, s:{s:s, s:s, s:[s, s, s, b]}}", "range",
                             json_place(l->s, l->d, def->place.offset,
                                        (size_t)def->place.offset + def->place.length),
                             "command", "title", title, "command", run_name, "arguments", l->d->uri,
                             c->file, c->name, shadow));
}

/* A case that names no function runs the only one: it is shown at the first. */
static void add_lenses(const Listing *l, const Beside *b) {
    ptoasm_program *program = document_program(l->d);
    ptoasm_definition def;
    bool first = true;
    for (size_t i = 0; ptoasm_program_definition(program, i, &def); i++) {
        if (def.kind != PTOASM_SYMBOL_FUNCTION) continue;
        unsigned shown = 0;
        for (size_t k = 0; k < b->list.n && shown < MOST_CASES; k++) {
            const TestCase *c = &b->list.cases[k];
            if ((c->function == NULL && !first) || !runs(c, def.name) || !is_of(c, l->d)) continue;
            add_lens(l, &def, c, false);
            add_lens(l, &def, c, true);
            shown++;
        }
        first = false;
    }
}

json_t *answer_lenses(Server *s, const json_t *params, Failure *f) {
    Listing l;
    if (!listing_begin(&l, s, params, f)) return NULL;
    Beside *b = beside_read(l.d);
    add_lenses(&l, b);
    beside_free(b);
    return l.list;
}

/* ---- runs ---- */

/* Inserts a word after `run`. */
static void insert_word(TestCase *c, const char *word) {
    add_word(c, "%s", word);
    char *last = c->words[c->nwords - 1];
    memmove(&c->words[2], &c->words[1], (c->nwords - 2) * sizeof *c->words);
    c->words[1] = last;
}

static void keep_done(void *user, const TestCase *c) {
    (void)user;
    (void)c;
}

/* Returns an object that has the entries of a list by their lines, of several the first. */
static json_t *by_line(const json_t *list) {
    json_t *lines = json_object(), *one;
    size_t i;
    char line[24];
    json_array_foreach(list, i, one) {
        snprintf(line, sizeof line, "%" JSON_INTEGER_FORMAT,
                 json_integer_value(json_object_get(one, "line")));
        if (json_object_get(lines, line) == NULL) json_put(lines, line, json_incref(one));
    }
    return lines;
}

/* Takes what a run with --shadow has found. Returns a sentence about it. */
static void take_shadow(Document *d, const TestCase *c, char *text, size_t size) {
    json_error_t error;
    json_t *report = json_loads(c->output, 0, &error);
    json_t *shadow = json_object_get(report, "shadow");
    json_t *top = json_array_get(json_object_get(shadow, "lines"), 0);
    json_decref(d->shadow);
    d->shadow = NULL;
    if (json_is_object(shadow))
        d->shadow = packed("{s:o, s:o}", "lines", by_line(json_object_get(shadow, "lines")),
                           "not_followed", by_line(json_object_get(shadow, "not_followed")));
    if (d->shadow == NULL) {
        const char *why = string_at(json_object_get(report, "error"), "message");
        snprintf(text, size, "%.100s: no run%s%.300s", c->name, why != NULL ? ": " : "",
                 why != NULL ? why : "");
    } else if (top == NULL) {
        snprintf(text, size, "%.100s: no statement computes floats", c->name);
    } else {
        snprintf(text, size,
                 "%.100s: the relative error grows most in line %" JSON_INTEGER_FORMAT
                 ", %.3g times to %.2g",
                 c->name, json_integer_value(json_object_get(top, "line")),
                 json_number_value(json_object_get(top, "growth")),
                 json_number_value(json_object_get(top, "after")));
    }
    json_decref(report);
}

static void say_passed(const TestCase *c, char *text, size_t size) {
    if (c->passed)
        snprintf(text, size, "%.100s: passed", c->name);
    else
        snprintf(text, size, "%.100s: failed\n%.1500s", c->name, c->output);
}

static json_t *run_case(Server *s, Document *d, TestCase *c, bool shadow) {
    char text[2000];
    TestList one = {.cases = c, .n = 1};
    if (shadow) {
        insert_word(c, "--shadow=f64");
        insert_word(c, "--format=json");
        c->quiet = true;
    }
    if (c->seconds > MOST_SECONDS) c->seconds = MOST_SECONDS;
    if (tests_run(&one, 1, keep_done, NULL) != FINE) return json_null();
    if (shadow)
        take_shadow(d, c, text, sizeof text);
    else
        say_passed(c, text, sizeof text);
    show_message(s, !shadow && !c->passed ? MESSAGE_ERROR : MESSAGE_INFORMATION, text);
    if (shadow) hints_refresh(s);
    return json_text(text);
}

/* Whether the file on disk, which a run reads, has the text of the document. */
static bool is_saved(const Document *d) {
    Input in;
    char why[256];
    messages_keep(why, sizeof why);
    const int rc = input_read(d->path, &in);
    messages_keep(NULL, 0);
    if (rc != FINE) return false;
    const bool same = in.size == d->text.size && memcmp(in.data, d->text.data, in.size) == 0;
    input_free(&in);
    return same;
}

json_t *answer_command(Server *s, const json_t *params, Failure *f) {
    const json_t *args = json_object_get(params, "arguments");
    const char *command = string_at(params, "command"),
               *uri = json_string_value(json_array_get(args, 0)),
               *file = json_string_value(json_array_get(args, 1)),
               *name = json_string_value(json_array_get(args, 2));
    Document *d = uri != NULL ? document_find(s, uri) : NULL;
    if (command == NULL || strcmp(command, run_name) != 0)
        return request_fail(f, ERROR_PARAMS, "no command '%.100s'", command != NULL ? command : "");
    if (d == NULL || file == NULL || name == NULL)
        return request_fail(f, ERROR_PARAMS, "the arguments are not those of a lens");
    if (d->path == NULL || !is_saved(d))
        return request_fail(f, ERROR_FAILED, "the file on disk has another text: save it first");
    Beside *b = beside_read(d);
    json_t *result = NULL;
    for (size_t i = 0; i < b->list.n && result == NULL; i++) {
        TestCase *c = &b->list.cases[i];
        if (strcmp(c->file, file) == 0 && strcmp(c->name, name) == 0 && is_of(c, d))
            result = run_case(s, d, c, json_is_true(json_array_get(args, 3)));
    }
    if (result == NULL)
        request_fail(f, ERROR_FAILED, "'%.200s' has no case '%.100s'%s%.150s", file, name,
                     b->why[0] != '\0' ? ": " : "", b->why);
    beside_free(b);
    return result;
}

/* ---- what --shadow has found ---- */

static const json_t *entry_of_line(const Document *d, const char *kind, uint32_t line) {
    char key[24];
    snprintf(key, sizeof key, "%u", (unsigned)line);
    return json_object_get(json_object_get(d->shadow, kind), key);
}

const json_t *shadow_of_line(const Document *d, uint32_t line) {
    return entry_of_line(d, "lines", line);
}

bool shadow_is_gap(const Document *d, uint32_t line) {
    return entry_of_line(d, "not_followed", line) != NULL;
}
