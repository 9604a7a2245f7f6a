/* SPDX-License-Identifier: Apache-2.0 */
/* Texts in memory through the public interface, for tests. */
#include "checkrun.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool text_accepted(const char *name, const char *text, size_t size, const ptoasm_options *options,
                   bool report) {
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    if (ptoasm_source_open(name, text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK) return false;
    bool accepted = ptoasm_check(src, options, &res) == PTOASM_OK;
    if (!accepted && report && res != NULL) fputs(ptoasm_diagnostics_text(res, 0, NULL), stderr);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return accepted;
}

char *text_formatted(const char *name, const char *text, size_t size, const ptoasm_options *options,
                     enum ptoasm_form form, size_t *out_size) {
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    char *copy = NULL;
    if (ptoasm_source_open(name, text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK) return NULL;
    if (ptoasm_format(src, options, form, &res) == PTOASM_OK) {
        const char *printed = ptoasm_result_text(res, out_size);
        copy = malloc(*out_size + 1);
        if (copy != NULL) memcpy(copy, printed, *out_size + 1);
    }
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return copy;
}

char *read_whole_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (f == NULL) return NULL;
    size_t cap = 1 << 16, n = 0;
    char *data = malloc(cap + 1);
    while (data != NULL) {
        n += fread(data + n, 1, cap - n, f);
        if (n < cap) break;
        cap *= 2;
        char *bigger = realloc(data, cap + 1);
        if (bigger == NULL) free(data);
        data = bigger;
    }
    fclose(f);
    if (data == NULL) return NULL;
    data[n] = '\0';
    *size = n;
    return data;
}

char *cut_field(char **rest, char sep) {
    char *field = *rest;
    if (field == NULL) return NULL;
    char *end = strchr(field, sep);
    if (end != NULL) *end++ = '\0';
    *rest = end;
    return field;
}
