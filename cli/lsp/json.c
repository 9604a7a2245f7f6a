/* SPDX-License-Identifier: Apache-2.0 */
/* JSON values of the protocol: reads parameters and makes results. */
#include "cli/lsp/lsp.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *request_fail(Failure *f, int code, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    f->code = code;
    vsnprintf(f->message, sizeof f->message, fmt, ap);
    va_end(ap);
    return NULL;
}

json_t *packed(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    json_t *value = json_vpack_ex(NULL, 0, fmt, ap);
    va_end(ap);
    if (value == NULL) out_of_memory();
    return value;
}

const char *string_at(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

/* ---- places ---- */

static json_t *json_position(const Server *s, Document *d, size_t offset) {
    Position at = text_position(&d->text, offset, s->utf8);
    return packed("{s:I, s:I}", "line", (json_int_t)at.line, "character", (json_int_t)at.character);
}

json_t *json_place(const Server *s, Document *d, size_t from, size_t to) {
    return packed("{s:o, s:o}", "start", json_position(s, d, from), "end", json_position(s, d, to));
}

static void write_position(const Server *s, Document *d, size_t offset, StrBuf *out) {
    Position at = text_position(&d->text, offset, s->utf8);
    sb_printf(out, "{\"line\":%zu,\"character\":%zu}", at.line, at.character);
}

void write_place(const Server *s, Document *d, size_t from, size_t to, StrBuf *out) {
    sb_puts(out, "{\"start\":");
    write_position(s, d, from, out);
    sb_puts(out, ",\"end\":");
    write_position(s, d, to, out);
    sb_putc(out, '}');
}

static bool is_plain(const char *text) {
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\') return false;
    return true;
}

void write_string(const char *text, StrBuf *out) {
    if (is_plain(text)) {
        sb_putc(out, '"');
        sb_puts(out, text);
        sb_putc(out, '"');
        return;
    }
    json_t *string = json_text(text);
    char *encoded = json_dumps(string, JSON_ENCODE_ANY);
    if (encoded == NULL) out_of_memory();
    sb_puts(out, encoded);
    free(encoded);
    json_decref(string);
}

static bool position_read(const Server *s, Document *d, const json_t *p, size_t *offset) {
    const json_t *line = json_object_get(p, "line"), *character = json_object_get(p, "character");
    if (!json_is_integer(line) || !json_is_integer(character) || json_integer_value(line) < 0 ||
        json_integer_value(character) < 0)
        return false;
    Position at = {(size_t)json_integer_value(line), (size_t)json_integer_value(character)};
    *offset = text_offset(&d->text, at, s->utf8);
    return true;
}

bool range_read(const Server *s, Document *d, const json_t *range, size_t *from, size_t *to) {
    return position_read(s, d, json_object_get(range, "start"), from) &&
           position_read(s, d, json_object_get(range, "end"), to) && *from <= *to;
}

Document *request_document(Server *s, const json_t *params, Failure *f) {
    const char *uri = string_at(json_object_get(params, "textDocument"), "uri");
    Document *d = uri != NULL ? document_find(s, uri) : NULL;
    if (uri == NULL) request_fail(f, ERROR_PARAMS, "textDocument.uri is missing");
    if (uri != NULL && d == NULL) request_fail(f, ERROR_PARAMS, "'%.200s' is not open", uri);
    return d;
}

bool listing_begin(Listing *l, Server *s, const json_t *params, Failure *f) {
    *l = (Listing){.s = s, .d = request_document(s, params, f)};
    if (l->d != NULL) l->list = json_array();
    return l->d != NULL;
}

bool request_place(Server *s, const json_t *params, Failure *f, Document **d, size_t *offset) {
    *d = request_document(s, params, f);
    if (*d == NULL) return false;
    if (position_read(s, *d, json_object_get(params, "position"), offset)) return true;
    request_fail(f, ERROR_PARAMS, "position is missing or invalid");
    return false;
}

/* ---- results ---- */

json_t *text_edit(const Server *s, Document *d, size_t from, size_t to, const char *text,
                  size_t n) {
    return packed("{s:o, s:o}", "range", json_place(s, d, from, to), "newText",
                  json_bytes(text, n));
}

json_t *workspace_edit(const Server *s, const Document *d, json_t *edits) {
    if (!s->versioned) return packed("{s:{s:o}}", "changes", d->uri, edits);
    json_t *version = d->has_version ? json_integer(d->version) : json_null();
    return packed("{s:[{s:{s:s, s:o}, s:o}]}", "documentChanges", "textDocument", "uri", d->uri,
                  "version", version, "edits", edits);
}

json_t *markup(const Server *s, const char *text) {
    return packed("{s:s, s:o}", "kind", s->markdown ? "markdown" : "plaintext", "value",
                  json_text(text));
}
