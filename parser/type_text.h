/* SPDX-License-Identifier: Apache-2.0 */
/* A reader over the text of one type, shared by the readers of types. */
#ifndef PARSER_TYPE_TEXT_H
#define PARSER_TYPE_TEXT_H

#include "parser/bind.h"
#include "parser/piece.h"

typedef struct TypeText {
    Context *ctx;
    const char *begin, *p, *end;
    Span at;    /* position in the source */
    bool exact; /* text and source are identical, so spans inside are known */
    unsigned depth;
    bool failed; /* an error was reported */
} TypeText;

enum { MAX_TYPE_DEPTH = 64, MAX_TYPES = 256 };

/* Reports the first error of the text; returns NULL. */
Diag *type_error(TypeText *r, Piece at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds `did you mean 'meant'?` and a fix, a guess unless `same`; nothing when either is NULL. */
void type_mean(TypeText *r, Diag *d, Piece wrong, const char *meant, bool same);
/* Adds `did you mean` when one of the NULL-terminated names is similar. */
void type_suggest(TypeText *r, Diag *d, Piece wrong, const char *const *names);

/* The next character, for an error there. */
static inline Piece type_here(const TypeText *r) {
    return (Piece){r->p, r->p < r->end ? r->p + 1 : r->p};
}
void type_blanks(TypeText *r);
bool type_accept(TypeText *r, char c);
bool type_expect(TypeText *r, char c);
/* Takes the next word, which may be empty. */
Piece type_word(TypeText *r);
/* Skips to after the `>` that closes the last `<`. The lexer has matched the brackets of a token,
 * but not those of a text passed to parse_type. */
bool type_skip_brackets(TypeText *r);
/* Reads any type; NULL after a diagnostic. */
const Type *type_any(TypeText *r);
/* Reads a scalar type that can be an element. */
const Type *type_element(TypeText *r);
/* Reads what a pointer may point to: a scalar or a vector. */
const Type *type_pointee(TypeText *r);
/* Reads an unsigned decimal number; false after a diagnostic. */
bool type_number(TypeText *r, int64_t *out);
/* Reads the extents of `4x?x16x` before an element type; false after a diagnostic. */
bool type_dims(TypeText *r, int64_t *dims, uint32_t cap, uint32_t *rank);
/* Reports static extents whose size does not fit 63 bits; returns false then. */
bool type_fits(TypeText *r, Piece at, const int64_t *dims, uint32_t rank, unsigned bytes);

/* Makes a type that is kept as text. */
const Type *type_opaque(TypeText *r, Piece text, TypeKind kind);
/* Reads a type of the dialect; `w` is the name after `!pto.` (type_dialect.c). */
const Type *type_dialect(TypeText *r, const char *bang, Piece w);
/* Reads the body of a tile type after `<`, including the `>` (tile_reader.c). */
const Type *type_tile(TypeText *r, TileSpelling spelling, bool missing_bang);
const Type *type_multi_tile(TypeText *r);

/* Read the body of the type of a logical vector or its mask, including the `>` (type_lanes.c). */
const Type *type_lanes(TypeText *r);
const Type *type_lane_mask(TypeText *r);

#endif
