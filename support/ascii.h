/* SPDX-License-Identifier: Apache-2.0 */
/* Letters and case of ASCII. The functions of ctype.h and strings.h depend on the locale: in a
 * Turkish one `I` and `i` are different letters. */
#ifndef SUPPORT_ASCII_H
#define SUPPORT_ASCII_H

#include <stdbool.h>
#include <string.h>

static inline char ascii_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static inline bool ascii_is_letter(char c) {
    return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}

static inline bool ascii_is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* A character of identifiers in C. */
static inline bool ascii_is_word(char c) {
    return ascii_is_letter(c) || ascii_is_digit(c) || c == '_';
}

static inline bool ascii_is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* True when `n` bytes at `s` begin with `word`, ignoring case. */
static inline bool ascii_begins(const char *s, size_t n, const char *word) {
    for (; *word != '\0'; s++, n--, word++)
        if (n == 0 || ascii_lower(*s) != ascii_lower(*word)) return false;
    return true;
}

/* True when `n` bytes at `s` equal `word`, ignoring case. */
static inline bool ascii_same(const char *s, size_t n, const char *word) {
    return strlen(word) == n && ascii_begins(s, n, word);
}

#endif
