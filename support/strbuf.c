/* SPDX-License-Identifier: Apache-2.0 */
/* A growing text in an arena: the old block is abandoned when it doubles. */
#include "support/strbuf.h"
#include "support/format.h"
#include "support/source.h"

#include <stdio.h>
#include <string.h>

void sb_init(StrBuf *sb, Arena *arena) {
    *sb = (StrBuf){arena, NULL, 0, 0};
}

void sb_reserve(StrBuf *sb, size_t n) {
    if (sb->data != NULL && n < sb->cap - sb->len) return;
    size_t cap = sb->cap < 256 ? 256 : sb->cap * 2;
    while (cap - sb->len <= n)
        cap *= 2;
    char *data = arena_alloc(sb->arena, cap, 1);
    if (sb->len != 0) memcpy(data, sb->data, sb->len);
    data[sb->len] = '\0';
    sb->data = data;
    sb->cap = cap;
}

void sb_add(StrBuf *sb, const char *s, size_t n) {
    sb_reserve(sb, n);
    if (n != 0) memcpy(sb->data + sb->len, s, n);
    sb->len += n;
    sb->data[sb->len] = '\0';
}

void sb_insert(StrBuf *sb, size_t at, const char *s, size_t n) {
    sb_reserve(sb, n);
    memmove(sb->data + at + n, sb->data + at, sb->len + 1 - at);
    if (n != 0) memcpy(sb->data + at, s, n);
    sb->len += n;
}

void sb_puts(StrBuf *sb, const char *s) {
    sb_add(sb, s, strlen(s));
}

void sb_putc(StrBuf *sb, char c) {
    sb_add(sb, &c, 1);
}

void sb_pad(StrBuf *sb, char c, size_t n) {
    sb_reserve(sb, n);
    memset(sb->data + sb->len, c, n);
    sb->len += n;
    sb->data[sb->len] = '\0';
}

void sb_vprintf(StrBuf *sb, const char *fmt, va_list ap) {
    va_list again;
    va_copy(again, ap);
    char small[256];
    int n = text_format(small, sizeof small, fmt, ap);
    if (n >= 0 && (size_t)n < sizeof small) {
        sb_add(sb, small, (size_t)n);
    } else if (n >= 0) {
        sb_reserve(sb, (size_t)n + 1);
        vsnprintf(sb->data + sb->len, (size_t)n + 1, fmt, again);
        sb->len += (size_t)n;
    }
    va_end(again);
}

void sb_printf(StrBuf *sb, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(sb, fmt, ap);
    va_end(ap);
}

void sb_put_quoted(StrBuf *sb, const char *s, size_t n) {
    static const char hex[] = "0123456789ABCDEF";
    sb_putc(sb, '"');
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c == '"' || c == '\\') {
            sb_putc(sb, '\\');
            sb_putc(sb, (char)c);
        } else if (c == '\n') {
            sb_puts(sb, "\\n");
        } else if (c == '\t') {
            sb_puts(sb, "\\t");
        } else if (c < 0x20 || c == 0x7F) {
            sb_putc(sb, '\\');
            sb_putc(sb, hex[c >> 4]);
            sb_putc(sb, hex[c & 15]);
        } else {
            sb_putc(sb, (char)c);
        }
    }
    sb_putc(sb, '"');
}

void sb_put_plain(StrBuf *sb, const char *s, size_t n) {
    for (size_t i = 0, len; i < n; i += len) {
        len = utf8_length(s + i, n - i);
        if (utf8_is_plain(s + i, len)) {
            sb_add(sb, s + i, len);
            continue;
        }
        for (size_t k = 0; k < len; k++)
            sb_printf(sb, "\\%02X", (unsigned)(unsigned char)s[i + k]);
    }
}

const char *sb_text(StrBuf *sb) {
    if (sb->data == NULL) sb_reserve(sb, 0);
    return sb->data;
}
