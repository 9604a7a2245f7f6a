/* SPDX-License-Identifier: Apache-2.0 */
/* Sources, results and their texts: functions that need no pipeline. */
#include "api/internal.h"
#include "support/ascii.h"

#include <stdlib.h>
#include <string.h>

const char *ptoasm_version(void) {
    return PTOASM_VERSION;
}

const char *ptoasm_profile_name(unsigned index) {
    return index < PROFILE_COUNT ? profile_names[index] : NULL;
}

const char *ptoasm_profile_aliases(unsigned index) {
    return index < PROFILE_COUNT ? profile_infos[index].aliases : NULL;
}

uint32_t ptoasm_profiles_from_text(const char *text) {
    uint32_t set = 0;
    if (ascii_same(text, strlen(text), "all")) return PTOASM_PROFILE_ALL;
    for (;;) {
        const size_t n = strcspn(text, ",");
        Profile p;
        if (!profile_from_text(text, n, &p)) return 0;
        set |= PROFILE_BIT(p);
        if (text[n] == '\0') return set;
        text += n + 1;
    }
}

const char *ptoasm_status_text(int status) {
    switch (status) {
    case PTOASM_OK:
        return "no error";
    case PTOASM_REJECTED:
        return "the program has errors";
    case PTOASM_NOMEM:
        return "out of memory";
    case PTOASM_ARGUMENT:
        return "wrong argument";
    case PTOASM_TOO_LARGE:
        return "the text is 2 GiB or larger";
    case PTOASM_NO_CODE:
        return "the program is legal, but there is no C for it";
    default:
        return "unknown status";
    }
}

static char *copy_bytes(const char *s, size_t n) {
    char *copy = malloc(n + 1);
    if (copy == NULL) return NULL;
    if (n > 0) memcpy(copy, s, n);
    copy[n] = '\0';
    return copy;
}

int ptoasm_source_open(const char *name, const char *text, size_t size, uint32_t flags,
                       ptoasm_source **out) {
    if (out == NULL) return PTOASM_ARGUMENT;
    *out = NULL;
    bool borrow = (flags & PTOASM_SOURCE_BORROW) != 0;
    if (name == NULL || (text == NULL && (size > 0 || borrow)) ||
        (flags & ~PTOASM_SOURCE_BORROW) != 0)
        return PTOASM_ARGUMENT;
    if (size > SOURCE_MAX) return PTOASM_TOO_LARGE;
    ptoasm_source *src = calloc(1, sizeof *src);
    if (src == NULL) return PTOASM_NOMEM;
    src->name = copy_bytes(name, strlen(name));
    if (!borrow) src->copy = copy_bytes(text, size);
    if (src->name == NULL || (!borrow && src->copy == NULL)) {
        ptoasm_source_close(src);
        return PTOASM_NOMEM;
    }
    src->text =
        (Source){.name = src->name, .data = borrow ? text : src->copy, .size = (uint32_t)size};
    *out = src;
    return PTOASM_OK;
}

const char *ptoasm_source_name(const ptoasm_source *src) {
    return src->name;
}

const char *ptoasm_source_text(const ptoasm_source *src, size_t *size) {
    if (size != NULL) *size = src->text.size;
    return src->text.data;
}

void ptoasm_source_close(ptoasm_source *src) {
    if (src == NULL) return;
    free(src->name);
    free(src->copy);
    free(src);
}

void arenas_exchange(ptoasm_result *res) {
    const Arena aside = res->aside;
    res->aside = res->ctx->arena;
    res->ctx->arena = aside;
    res->exchanged = !res->exchanged;
}

void ptoasm_result_free(ptoasm_result *res) {
    if (res == NULL) return;
    if (res->exchanged) arenas_exchange(res);
    arena_free(&res->aside);
    program_free(res->own);
    free(res);
}

static const char *text_of(bool present, const StrBuf *text, size_t *size) {
    if (size != NULL) *size = present ? text->len : 0;
    if (!present) return NULL;
    return text->data != NULL ? text->data : "";
}

const char *ptoasm_result_text(const ptoasm_result *res, size_t *size) {
    return text_of(res->has_text, &res->text, size);
}

const char *ptoasm_result_header(const ptoasm_result *res, size_t *size) {
    return text_of(res->has_header, &res->header, size);
}

const char *ptoasm_result_source(const ptoasm_result *res, size_t *size) {
    if (size != NULL) *size = res->ctx->source->size;
    return res->ctx->source->data != NULL ? res->ctx->source->data : "";
}

uint32_t ptoasm_result_profiles(const ptoasm_result *res) {
    return res->profiles;
}
