/* SPDX-License-Identifier: Apache-2.0 */
/* Values of machine-readable reports. */
#include "cli/report_values.h"

#include "support/source.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void out_of_memory(void) {
    fputs("ptoasm: error: out of memory\n", stderr); /* trouble() may keep it for later */
    _Exit(TROUBLE);
}

void *must_alloc(size_t size) {
    void *p = malloc(size > 0 ? size : 1);
    if (p == NULL) out_of_memory();
    return p;
}

/* ---- text ---- */

/* utf8_length() counts code points for columns, and accepts overlong forms, surrogates and numbers
 * beyond U+10FFFF; these are rejected here. */
static bool is_valid(const unsigned char *s, size_t n) {
    if (n == 1) return s[0] < 0x80;
    if (n == 3) return !(s[0] == 0xE0 && s[1] < 0xA0) && !(s[0] == 0xED && s[1] > 0x9F);
    if (n == 4) return !(s[0] == 0xF0 && s[1] < 0x90) && !(s[0] == 0xF4 && s[1] > 0x8F);
    return true;
}

char *utf8_text(const char *s, size_t n, size_t *len) {
    if (n > SIZE_MAX / 3 - 1) out_of_memory();
    char *text = must_alloc(3 * n + 1), *to = text;
    for (size_t i = 0, step; i < n; i += step) {
        step = utf8_length(s + i, n - i);
        if (is_valid((const unsigned char *)s + i, step)) {
            memcpy(to, s + i, step);
            to += step;
        } else {
            memcpy(to, "\xEF\xBF\xBD", 3);
            to += 3;
        }
    }
    *to = '\0';
    if (len != NULL) *len = (size_t)(to - text);
    return text;
}

/* ---- names of files ---- */

bool is_no_file(const char *name) {
    return strcmp(name, "<stdin>") == 0;
}

/* Appends the parts of `s` to a normalised path; returns its new end. */
static char *add_parts(char *path, char *end, const char *s) {
    while (*s != '\0') {
        size_t n = strcspn(s, "/");
        if (n == 2 && memcmp(s, "..", 2) == 0) {
            while (end > path && *--end != '/') {
            }
        } else if (n > 0 && !(n == 1 && *s == '.')) {
            *end++ = '/';
            memcpy(end, s, n);
            end += n;
        }
        s += n + (s[n] == '/');
    }
    *end = '\0';
    return end;
}

char *path_absolute(const char *folder, const char *name) {
    char *path = must_alloc(strlen(folder) + strlen(name) + 3), *end = path;
    *path = '\0';
    if (name[0] != '/') end = add_parts(path, end, folder);
    add_parts(path, end, name);
    return path;
}

void put_html_bytes(FILE *to, const char *s, size_t n) {
    char *text = utf8_text(s, n, NULL);
    for (const char *p = text; *p != '\0'; p++) {
        const unsigned char c = (unsigned char)*p;
        if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\'')
            fprintf(to, "&#%u;", c);
        else if ((c < ' ' && c != '\n' && c != '\t') || c == 127)
            fputs("&#xFFFD;", to);
        else
            fputc(c, to);
    }
    free(text);
}

void put_html(FILE *to, const char *s) {
    put_html_bytes(to, s, strlen(s));
}

char *working_folder(void) {
    char folder[PATH_MAX];
    return path_absolute("/", getcwd(folder, sizeof folder) != NULL ? folder : "/");
}

const char *path_below(const char *folder, const char *path) {
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

char *uri_from_path(const char *path) {
    static const char digits[] = "0123456789ABCDEF";
    char *uri = must_alloc(3 * strlen(path) + 1), *to = uri;
    for (; *path != '\0'; path++) {
        unsigned char c = (unsigned char)*path;
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     strchr("-._~/", c) != NULL;
        if (plain) {
            *to++ = (char)c;
        } else {
            *to++ = '%';
            *to++ = digits[c >> 4];
            *to++ = digits[c & 15];
        }
    }
    *to = '\0';
    return uri;
}

/* ---- JSON ---- */

/* jansson ignores some of its own failures. */
void json_prepare(void) {
    json_set_alloc_funcs(must_alloc, free);
}

void json_put(json_t *object, const char *key, json_t *value) {
    if (json_object_set_new(object, key, value) != 0) out_of_memory();
}

void json_add(json_t *array, json_t *value) {
    if (json_array_append_new(array, value) != 0) out_of_memory();
}

json_t *json_bytes(const char *s, size_t n) {
    size_t len;
    char *text = utf8_text(s, n, &len);
    json_t *value = json_stringn(text, len);
    free(text);
    if (value == NULL) out_of_memory();
    return value;
}

json_t *json_text(const char *s) {
    return json_bytes(s, strlen(s));
}

const char *severity_name(int severity) {
    return severity == PTOASM_SEVERITY_ERROR     ? "error"
           : severity == PTOASM_SEVERITY_WARNING ? "warning"
                                                 : "note";
}
