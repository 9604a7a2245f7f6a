/* A reader over the text of one type, shared by type_reader.c and tile_reader.c. */
#ifndef PARSER_TYPE_TEXT_H
#define PARSER_TYPE_TEXT_H

#include "parser/bind.h"

typedef struct TypeText {
    Context *ctx;
    const char *begin, *p, *end;
    Span at;    /* position in the source */
    bool exact; /* text and source are identical, so spans inside are known */
    unsigned depth;
    bool failed; /* an error was reported */
} TypeText;

/* A piece of the text. */
typedef struct Piece {
    const char *s, *e;
} Piece;
#define PIECE_FMT "%.*s"
#define PIECE_ARG(piece) (int)((piece).e - (piece).s > 60 ? 60 : (piece).e - (piece).s), (piece).s

static inline bool piece_is(Piece piece, const char *text) {
    size_t n = strlen(text);
    return (size_t)(piece.e - piece.s) == n && memcmp(piece.s, text, n) == 0;
}

/* Reports the first error of the text; returns NULL. */
Diag *type_error(TypeText *r, Piece at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds `did you mean 'meant'?` and a fix; nothing when either is NULL. */
void type_mean(TypeText *r, Diag *d, Piece wrong, const char *meant);
/* Adds `did you mean` when one of the NULL-terminated names is similar. */
void type_suggest(TypeText *r, Diag *d, Piece wrong, const char *const *names);

void type_blanks(TypeText *r);
bool type_accept(TypeText *r, char c);
bool type_expect(TypeText *r, char c);
/* Reads any type; NULL after a diagnostic. */
const Type *type_any(TypeText *r);
/* Reads a scalar type that can be an element. */
const Type *type_element(TypeText *r);
/* Reads an unsigned decimal number; false after a diagnostic. */
bool type_number(TypeText *r, int64_t *out);
/* Reads the extents of `4x?x16x` before an element type; false after a diagnostic. */
bool type_dims(TypeText *r, int64_t *dims, uint32_t cap, uint32_t *rank);
/* Reports static extents whose size does not fit 63 bits; returns false then. */
bool type_fits(TypeText *r, Piece at, const int64_t *dims, uint32_t rank, unsigned bytes);

/* Reads the body of a tile type after `<`, including the `>` (tile_reader.c). */
const Type *type_tile(TypeText *r, TileSpelling spelling, bool missing_bang);
const Type *type_multi_tile(TypeText *r);

#endif
