/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of the emitted program found, as diagnostics of its result. */
#include "api/internal.h"

#include "ir/target.h"
#include <stdlib.h>
#include <string.h>

/* Returns the first word of a line, or the one that a message begins with if it is there. */
static Span word_on_line(const Context *ctx, uint32_t line, const char *message) {
    const Source *src = ctx->source;
    const char *text = src->data, *end = text + src->size;
    for (uint32_t n = 1; n < line && text < end; n++) {
        const char *next = memchr(text, '\n', (size_t)(end - text));
        text = next != NULL ? next + 1 : end;
    }
    const char *last = memchr(text, '\n', (size_t)(end - text));
    if (last == NULL) last = end;
    const size_t length = strcspn(message, " :");
    for (const char *p = text; length > 0 && p + length <= last; p++)
        if (memcmp(p, message, length) == 0)
            return (Span){(uint32_t)(p - src->data), (uint32_t)length};
    while (text < last && (*text == ' ' || *text == '\t'))
        text++;
    const char *stop = text;
    while (stop < last && *stop != ' ' && *stop != '\r')
        stop++;
    return (Span){(uint32_t)(text - src->data), (uint32_t)(stop - text)};
}

bool ptoasm_result_unknown_chip(const ptoasm_result *res, char *text, size_t size) {
    size_t n = 0;
    const char *name = res->module != NULL ? module_unknown_chip(res->module, &n) : NULL;
    if (name == NULL || size == 0) return name != NULL;
    if (n >= size) n = size - 1;
    memcpy(text, name, n);
    text[n] = '\0';
    return true;
}

int ptoasm_set_findings(ptoasm_result *res, const ptoasm_finding *list, size_t n) {
    Context *ctx = res->ctx;
    if (setjmp(ctx->oom) != 0) return PTOASM_NOMEM;
    diag_init(&ctx->diags, &ctx->arena, 0);
    for (size_t i = 0; i < n; i++) {
        const DiagId id = diag_find(list[i].id);
        if (id == DIAG_COUNT) return PTOASM_ARGUMENT;
        Diag *d =
            diag_add_as(&ctx->diags, SEV_ERROR, id,
                        word_on_line(ctx, list[i].line, list[i].message), "%s", list[i].message);
        if (list[i].note != NULL)
            diag_note_at(&ctx->diags, d, word_on_line(ctx, list[i].note_line, list[i].note), "%s",
                         list[i].note);
    }
    diagnostics_collect(res);
    return PTOASM_OK;
}
