/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of the text of a type or attribute. */
#ifndef PARSER_PIECE_H
#define PARSER_PIECE_H

#include <stdbool.h>
#include <string.h>

/* A piece [s, e) of a text. */
typedef struct Piece {
    const char *s, *e;
} Piece;
#define PIECE_FMT "%.*s"
#define PIECE_ARG(piece) (int)((piece).e - (piece).s > 60 ? 60 : (piece).e - (piece).s), (piece).s

static inline bool piece_is(Piece piece, const char *text) {
    size_t n = strlen(text);
    return (size_t)(piece.e - piece.s) == n && memcmp(piece.s, text, n) == 0;
}

static inline Piece piece_trim(Piece w) {
    while (w.s < w.e && (*w.s == ' ' || *w.s == '\t' || *w.s == '\r' || *w.s == '\n'))
        w.s++;
    while (w.s < w.e && (w.e[-1] == ' ' || w.e[-1] == '\t' || w.e[-1] == '\r' || w.e[-1] == '\n'))
        w.e--;
    return w;
}

static inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '.' || c == '$' || c == '-';
}

#endif
