/* SPDX-License-Identifier: Apache-2.0 */
/* Publishes diagnostics in the form of the protocol. */
#include "cli/lsp/lsp.h"
#include "cli/lsp/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEVERITY_ERROR = 1, SEVERITY_WARNING = 2, SEVERITY_INFORMATION = 3 };
enum { TAG_UNNECESSARY = 1, TAG_DEPRECATED = 2 };

static int severity_of(int severity) {
    return severity == PTOASM_SEVERITY_ERROR     ? SEVERITY_ERROR
           : severity == PTOASM_SEVERITY_WARNING ? SEVERITY_WARNING
                                                 : SEVERITY_INFORMATION;
}

static int tag_of(const char *id) {
    DiagId found = diag_find(id);
    return found == DIAG_DEPRECATED_SPELLING                       ? TAG_DEPRECATED
           : found == DIAG_UNUSED_TILE || found == DIAG_DEAD_STORE ? TAG_UNNECESSARY
                                                                   : 0;
}

static json_t *place_json(const Server *s, Document *d, const ptoasm_place *at) {
    return json_place(s, d, at->offset, (size_t)at->offset + at->length);
}

/* Returns the URI of a file that the author wrote, whose name is relative to the document's folder
 * or to the working directory; NULL when there is none. */
static char *uri_of_author(const Document *d, const char *name) {
    char *bases[2] = {d->path != NULL ? strdup(d->path) : NULL, working_folder()}, *uri = NULL;
    char *slash = bases[0] != NULL ? strrchr(bases[0], '/') : NULL;
    if (slash != NULL) *slash = '\0';
    for (unsigned i = 0; i < 2; i++) {
        char *path = bases[i] != NULL && uri == NULL ? path_absolute(bases[i], name) : NULL;
        if (path != NULL && access(path, R_OK) == 0) {
            char *escaped = uri_from_path(path);
            uri = must_alloc(strlen(escaped) + sizeof "file://");
            sprintf(uri, "file://%s", escaped);
            free(escaped);
        }
        free(path);
        free(bases[i]);
    }
    return uri;
}

static void put_source(StrBuf *message, const ptoasm_location *l) {
    sb_printf(message, "\n%s:%u:", l->file, l->line);
    if (l->column != 0) sb_printf(message, "%u:", l->column);
    sb_printf(message, " %s", l->message);
}

/* Adds the lines that a statement was generated from: related information, or lines of the message
 * where the file is not found. */
static void add_sources(const Server *s, const Document *d, ptoasm_result *res, uint32_t offset,
                        StrBuf *message, json_t *related) {
    ptoasm_location l;
    for (size_t i = 0; ptoasm_location_at(res, offset, i, &l); i++) {
        const json_int_t line = l.line - 1, column = l.column != 0 ? l.column - 1 : 0;
        char *uri = s->related ? uri_of_author(d, l.file) : NULL;
        if (uri != NULL)
            json_add(related,
                     packed("{s:{s:s, s:{s:{s:I, s:I}, s:{s:I, s:I}}}, s:o}", "location", "uri",
                            uri, "range", "start", "line", line, "character", column, "end", "line",
                            line, "character", column, "message", json_text(l.message)));
        else
            put_source(message, &l);
        free(uri);
    }
}

/* Adds notes with a position as related information, where the client supports it; the others
 * become lines of the message. */
static void add_notes(const Server *s, Document *d, ptoasm_result *res, size_t i, size_t notes,
                      StrBuf *message, json_t *related) {
    const char *text;
    ptoasm_place at;
    for (size_t n = 0; n < notes; n++) {
        ptoasm_diagnostic_note(res, i, n, &text, &at);
        if (at.line != 0 && s->related)
            json_add(related, packed("{s:{s:s, s:o}, s:o}", "location", "uri", d->uri, "range",
                                     place_json(s, d, &at), "message", json_text(text)));
        else if (at.line != 0)
            sb_printf(message, "\nline %u: %s", at.line, text);
        else
            sb_printf(message, "\n%s", text);
        if (at.line != 0) add_sources(s, d, res, at.offset, message, related);
    }
}

json_t *diagnostic_json(const Server *s, Document *d, ptoasm_result *res, size_t i) {
    ptoasm_diagnostic found;
    Arena arena;
    jmp_buf oom;
    StrBuf message;
    ptoasm_diagnostic_at(res, i, &found);
    memset(&arena, 0, sizeof arena);
    if (setjmp(oom) != 0) out_of_memory();
    arena_init(&arena, &oom);
    sb_init(&message, &arena);
    sb_puts(&message, found.message);
    json_t *related = json_array();
    if (found.source_line > 0) add_sources(s, d, res, found.place.offset, &message, related);
    add_notes(s, d, res, i, found.notes, &message, related);
    json_t *out = packed("{s:o, s:i, s:s, s:s, s:o}", "range", place_json(s, d, &found.place),
                         "severity", severity_of(found.severity), "code", found.id, "source",
                         "ptoasm", "message", json_bytes(sb_text(&message), message.len));
    arena_free(&arena);
    if (tag_of(found.id) != 0) json_put(out, "tags", packed("[i]", tag_of(found.id)));
    if (json_array_size(related) > 0)
        json_put(out, "relatedInformation", related);
    else
        json_decref(related);
    return out;
}

void diagnostics_publish(Server *s, Document *d) {
    ptoasm_result *res = document_check(d);
    json_t *list = json_array();
    for (size_t i = 0; i < ptoasm_diagnostic_count(res); i++)
        json_add(list, diagnostic_json(s, d, res, i));
    json_t *params = packed("{s:s, s:o}", "uri", d->uri, "diagnostics", list);
    if (d->has_version) json_put(params, "version", json_integer(d->version));
    send_notification(s, "textDocument/publishDiagnostics", params);
}
