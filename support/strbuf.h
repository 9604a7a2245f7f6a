/* SPDX-License-Identifier: Apache-2.0 */
/* A growing NUL-terminated text in an arena, for printers. */
#ifndef SUPPORT_STRBUF_H
#define SUPPORT_STRBUF_H

#include "support/arena.h"
#include <stdarg.h>
#include <stdbool.h>

typedef struct StrBuf {
    Arena *arena;
    char *data; /* NULL when empty */
    size_t len;
    size_t cap;
} StrBuf;

void sb_init(StrBuf *sb, Arena *arena);
/* Makes room for `n` more bytes and the NUL. */
void sb_reserve(StrBuf *sb, size_t n);
void sb_add(StrBuf *sb, const char *s, size_t n);
void sb_insert(StrBuf *sb, size_t at, const char *s, size_t n); /* `at` <= len */
void sb_puts(StrBuf *sb, const char *s);
void sb_putc(StrBuf *sb, char c);
void sb_pad(StrBuf *sb, char c, size_t n);
void sb_printf(StrBuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sb_vprintf(StrBuf *sb, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* Adds a string literal of the language: `"`, `\`, control and non-ASCII bytes are escaped. */
void sb_put_quoted(StrBuf *sb, const char *s, size_t n);
/* Returns the text, never NULL. */
/* Adds text for a message: what utf8_is_plain() denies becomes `\0A`, its bytes in hexadecimal. */
void sb_put_plain(StrBuf *sb, const char *s, size_t n);
const char *sb_text(StrBuf *sb);

#endif
