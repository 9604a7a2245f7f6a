/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a tile type: its items, and the keys with their values (tile_values.c). */
#ifndef PARSER_TILE_BODY_H
#define PARSER_TILE_BODY_H

#include "parser/type_text.h"

enum { MAX_ITEMS = 16 };

enum {
#define TILE_KEY(id, text, family) K_##id,
#include "parser/tile_keys.def"
#undef TILE_KEY
    K_END
};

extern const char *const tile_key_names[];

typedef struct Item {
    Piece whole, value;
    int key; /* K_*; -1 without a key */
} Item;

typedef struct Body {
    TypeText *r;
    TileSpelling spelling;
    Item items[MAX_ITEMS];
    unsigned n;
    Type proto;
    unsigned seen;     /* bit set of keys */
    Piece valid_at[2]; /* the texts of rows and cols, if written */
    Piece shape_at;
} Body;

static inline Piece unquote(Piece w) {
    if (w.e - w.s >= 2 && *w.s == '"' && w.e[-1] == '"') {
        w.s++;
        w.e--;
    }
    return w;
}

/* Sets the key of an item to its value; these return false after a diagnostic. */
bool tile_key_set(Body *b, const Item *item);
bool tile_loc(Body *b, Piece w);
/* Reads `16x64xf32`. */
bool tile_shape(Body *b, Piece w);

#endif
