/* A reader over the text of one type, shared by type_reader.c and tile_reader.c. */
#ifndef PARSER_TYPE_TEXT_H
#define PARSER_TYPE_TEXT_H

#include "parser/bind.h"

typedef struct TypeText {
    Context *ctx;
    const char *begin, *p, *end;
    Span at;    /* where the text is in the source */
    bool exact; /* text and source agree byte for byte: spans inside are known */
    unsigned depth;
    bool failed; /* a diagnostic was given */
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

/* Reports the first error of the text; returns NULL always. */
Diag *type_error(TypeText *r, Piece at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds `did you mean 'meant'?` and the fix; nothing when either is NULL. */
void type_mean(TypeText *r, Diag *d, Piece wrong, const char *meant);
/* Adds `did you mean` when one of the names (ended by NULL) is near. */
void type_suggest(TypeText *r, Diag *d, Piece wrong, const char *const *names);

void type_blanks(TypeText *r);
bool type_accept(TypeText *r, char c);
bool type_expect(TypeText *r, char c);
Piece type_word(TypeText *r);
/* Any type; NULL after a diagnostic. */
const Type *type_any(TypeText *r);
/* A scalar type that can be an element. */
const Type *type_element(TypeText *r);
/* An unsigned decimal number; false after a diagnostic. */
bool type_number(TypeText *r, int64_t *out);
/* `4x?x16x`: extents before an element type; false after a diagnostic. */
bool type_dims(TypeText *r, int64_t *dims, uint32_t cap, uint32_t *rank);
/* False after a diagnostic when the bytes of static extents do not fit 63 bits. */
bool type_fits(TypeText *r, Piece at, const int64_t *dims, uint32_t rank, unsigned bytes);

/* The body of a tile type after its `<`, its `>` included (tile_reader.c). */
const Type *type_tile(TypeText *r, TileSpelling spelling, bool missing_bang);
const Type *type_multi_tile(TypeText *r);

#endif
