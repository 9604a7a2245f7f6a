/* SPDX-License-Identifier: Apache-2.0 */
/* Open documents, with their cached analyses. */
#include "cli/lsp/lsp.h"

#include <stdlib.h>
#include <string.h>

static int hex(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Returns the path in `file:///path` or `file://localhost/path`; NULL for other URIs. */
static char *path_of_uri(const char *uri) {
    static const char scheme[] = "file://", host[] = "localhost";
    if (strncmp(uri, scheme, sizeof scheme - 1) != 0) return NULL;
    const char *s = uri + sizeof scheme - 1;
    if (strncmp(s, host, sizeof host - 1) == 0) s += sizeof host - 1;
    if (*s != '/') return NULL;
    char *path = must_alloc(strlen(s) + 1), *out = path;
    for (; *s != '\0'; s++) {
        bool encoded = *s == '%' && hex(s[1]) >= 0 && hex(s[2]) >= 0;
        int c = encoded ? hex(s[1]) << 4 | hex(s[2]) : *s;
        *out++ = (char)c;
        if (encoded) s += 2;
    }
    *out = '\0';
    return path;
}

Document *document_find(Server *s, const char *uri) {
    for (size_t i = 0; i < s->ndocs; i++)
        if (strcmp(s->docs[i]->uri, uri) == 0) return s->docs[i];
    return NULL;
}

Document *document_open(Server *s, const char *uri) {
    Document *d = document_find(s, uri);
    if (d != NULL) return d;
    if (s->ndocs == s->cap_docs) {
        s->cap_docs = s->cap_docs == 0 ? 8 : 2 * s->cap_docs;
        s->docs = realloc(s->docs, s->cap_docs * sizeof *s->docs);
        if (s->docs == NULL) out_of_memory();
    }
    d = must_alloc(sizeof *d);
    *d = (Document){.uri = strdup(uri), .path = path_of_uri(uri)};
    if (d->uri == NULL) out_of_memory();
    text_set(&d->text, "", 0);
    s->docs[s->ndocs++] = d;
    return d;
}

void document_close(Server *s, Document *d) {
    document_drop(d);
    text_free(&d->text);
    free(d->uri);
    free(d->path);
    for (size_t i = 0; i < s->ndocs; i++)
        if (s->docs[i] == d) s->docs[i] = s->docs[--s->ndocs];
    free(d);
}

void document_drop(Document *d) {
    ptoasm_result_free(d->check);
    ptoasm_result_free(d->verdicts);
    for (unsigned p = 0; p < PROFILE_COUNT; p++) {
        ptoasm_result_free(d->plan[p]);
        d->plan[p] = NULL;
    }
    json_decref(d->shadow);
    d->shadow = NULL;
    ptoasm_program_close(d->program);
    ptoasm_source_close(d->src);
    d->check = d->verdicts = NULL;
    d->program = NULL;
    d->src = NULL;
}

/* Any failure but running out of memory is a bug here. */
static void must(int status) {
    if (status == PTOASM_NOMEM) out_of_memory();
    if (status == PTOASM_ARGUMENT || status == PTOASM_TOO_LARGE) abort();
}

ptoasm_program *document_program(Document *d) {
    if (d->program != NULL) return d->program;
    must(ptoasm_source_open(d->path != NULL ? d->path : d->uri, d->text.data, d->text.size,
                            PTOASM_SOURCE_BORROW, &d->src));
    must(ptoasm_program_open(d->src, &d->project->opt.judge, &d->program));
    return d->program;
}

static int severity(const char *id, const void *warnings) {
    return warning_severity(id, warnings);
}

ptoasm_result *document_check(Document *d) {
    if (d->check != NULL) return d->check;
    const Project *p = d->project;
    must(ptoasm_program_check(document_program(d), &p->opt.judge, &d->check));
    if (p->known.n > 0) baseline_hide(&p->known, d->check, d->src);
    ptoasm_set_warning_severity(d->check, severity, &p->warnings);
    return d->check;
}

ptoasm_result *document_verdicts(Document *d) {
    if (d->verdicts != NULL) return d->verdicts;
    ptoasm_options judge = d->project->opt.judge;
    judge.profiles = PTOASM_PROFILE_ALL;
    judge.max_errors = 0;
    judge.verdicts = true;
    must(ptoasm_program_check(document_program(d), &judge, &d->verdicts));
    return d->verdicts;
}

ptoasm_result *document_plan(Document *d, Profile profile) {
    if (d->plan[profile] != NULL) return d->plan[profile];
    ptoasm_options judge = d->project->opt.judge;
    judge.profiles = PROFILE_BIT(profile);
    must(ptoasm_program_plan(document_program(d), &judge, &d->plan[profile]));
    return d->plan[profile];
}

ptoasm_place *document_places(Document *d, PlacesFn *fn, size_t offset, size_t *n) {
    ptoasm_program *program = document_program(d);
    *n = fn(program, (uint32_t)offset, NULL, 0);
    ptoasm_place *places = must_alloc(*n * sizeof *places);
    fn(program, (uint32_t)offset, places, *n);
    return places;
}
