/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the places of type aliases in the text: types are single tokens, and the IR keeps no
 * position of an alias in one. */
#include "api/symbols.h"

#include "support/ascii.h"

#include <string.h>

static bool is_name_char(char c) {
    return ascii_is_letter(c) || (c >= '0' && c <= '9') || (c != '\0' && strchr("$._-", c) != NULL);
}

/* True for `//`, and for `#` before a blank, which PTO-AS has. */
static bool begins_comment(const Source *s, uint32_t at) {
    const char next = at + 1 < s->size ? s->data[at + 1] : '\n';
    return s->data[at] == '/'
               ? next == '/'
               : s->data[at] == '#' && strchr(" \t\r\n", next) != NULL && next != '\0';
}

/* Returns the end of the string, comment or single character at `at`. */
static uint32_t skip_text(const Source *s, uint32_t at) {
    if (s->data[at] == '"') {
        for (at++; at < s->size && s->data[at] != '"' && s->data[at] != '\n'; at++)
            if (s->data[at] == '\\' && at + 1 < s->size) at++;
        return at < s->size ? at + 1 : at;
    }
    if (begins_comment(s, at))
        while (at < s->size && s->data[at] != '\n')
            at++;
    else
        at++;
    return at;
}

/* Returns the next `!name` that begins in [*at, end), moving *at after it; empty when there is
 * none. */
static Span next_name(const Source *s, uint32_t *at, uint32_t end) {
    while (*at < end && s->data[*at] != '!')
        *at = skip_text(s, *at);
    Span name = {*at, 0};
    if (*at >= end) return name;
    for (++*at; *at < s->size && is_name_char(s->data[*at]);)
        ++*at;
    name.len = *at - name.off;
    return name;
}

static const AliasDef *alias_of(const Context *ctx, Span name) {
    if (name.len < 2) return NULL;
    const Atom atom = intern_find(&ctx->names, ctx->source->data + name.off + 1, name.len - 1);
    return atom != 0 ? alias_find(ctx, atom, true) : NULL;
}

bool type_alias_at(const Context *ctx, uint32_t off, Span *at, const AliasDef **alias) {
    const Source *s = ctx->source;
    const uint32_t end = off < s->size ? off + 1 : s->size;
    uint32_t from = off < s->size ? off : s->size;
    while (from > 0 && s->data[from - 1] != '\n')
        from--;
    do {
        *at = next_name(s, &from, end);
        if (at->len == 0) return false;
    } while (at->off + at->len < off);
    *alias = alias_of(ctx, *at);
    return *alias != NULL;
}

void type_alias_each(const Context *ctx, const AliasDef *alias, void (*fn)(void *arg, Span at),
                     void *arg) {
    Span name;
    for (uint32_t at = 0; (name = next_name(ctx->source, &at, ctx->source->size)).len > 0;)
        if (alias_of(ctx, name) == alias) fn(arg, name);
}
