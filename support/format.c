/* SPDX-License-Identifier: Apache-2.0 */
/* Formats with %s, %.*s, %c, %u, %d, %llu, %lld and %% for texts that fit; all others are the C
 * library's. */
#include "support/format.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DIGITS = 20 }; /* of a long long, with its sign */

typedef struct Reader {
    const char *fmt; /* what has not been read */
    va_list args;
    char number[MOST_DIGITS];
} Reader;

static const char *unsigned_text(Reader *r, unsigned long long n, bool negative, size_t *len) {
    char *end = r->number + MOST_DIGITS, *s = end;
    do {
        *--s = (char)('0' + n % 10);
        n /= 10;
    } while (n != 0);
    if (negative) *--s = '-';
    *len = (size_t)(end - s);
    return s;
}

static const char *signed_text(Reader *r, long long n, size_t *len) {
    return unsigned_text(r, n < 0 ? 0 - (unsigned long long)n : (unsigned long long)n, n < 0, len);
}

/* Reads the conversion at r->fmt and its argument; returns its text. NULL: it is another one. */
static const char *read_conversion(Reader *r, size_t *len) {
    const char *s = NULL, kind = r->fmt[1];
    if (kind == 's') {
        s = va_arg(r->args, const char *);
        if (s != NULL) *len = strlen(s);
    } else if (kind == 'u') {
        s = unsigned_text(r, va_arg(r->args, unsigned), false, len);
    } else if (kind == 'd') {
        s = signed_text(r, va_arg(r->args, int), len);
    } else if (strncmp(r->fmt, "%llu", 4) == 0) {
        s = unsigned_text(r, va_arg(r->args, unsigned long long), false, len);
        r->fmt += 2;
    } else if (strncmp(r->fmt, "%lld", 4) == 0) {
        s = signed_text(r, va_arg(r->args, long long), len);
        r->fmt += 2;
    } else if (kind == 'c' || kind == '%') {
        r->number[0] = kind == 'c' ? (char)va_arg(r->args, int) : '%';
        s = r->number;
        *len = 1;
    } else if (strncmp(r->fmt, "%.*s", 4) == 0) {
        const int most = va_arg(r->args, int);
        s = va_arg(r->args, const char *);
        const char *end = s != NULL && most >= 0 ? memchr(s, '\0', (size_t)most) : NULL;
        if (s != NULL) *len = end == NULL && most >= 0 ? (size_t)most : strlen(s);
        r->fmt += 2;
    }
    r->fmt += 2;
    return s;
}

/* Returns the length; -1: the text is too long, or the format has other conversions. */
static int format_plain(char *to, size_t size, Reader *r) {
    size_t n = 0;
    while (*r->fmt != '\0') {
        const char *s = r->fmt;
        size_t len;
        if (*s == '%') {
            s = read_conversion(r, &len);
            if (s == NULL) return -1;
        } else {
            while (*r->fmt != '\0' && *r->fmt != '%')
                r->fmt++;
            len = (size_t)(r->fmt - s);
        }
        if (n + len >= size) return -1;
        memcpy(to + n, s, len);
        n += len;
    }
    if (n >= size) return -1;
    to[n] = '\0';
    return (int)n;
}

int text_format(char *to, size_t size, const char *fmt, va_list ap) {
    Reader r = {.fmt = fmt};
    va_copy(r.args, ap);
    const int n = format_plain(to, size, &r);
    va_end(r.args);
    return n >= 0 ? n : vsnprintf(to, size, fmt, ap);
}
