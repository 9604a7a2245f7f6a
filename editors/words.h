/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words from the tables, for the grammars. */
#ifndef EDITORS_WORDS_H
#define EDITORS_WORDS_H

#include <stddef.h>
#include <stdio.h>

/* Sorted, each once. */
typedef struct Words {
    char **list; /* copies */
    size_t n, cap;
} Words;

typedef enum WordList {
    WORDS_INSTRUCTIONS, /* with their dialect, such as pto.tadds */
    WORDS_SHORT,        /* those of pto without it */
    WORDS_KEYS,         /* of attributes */
    WORDS_FAMILIES,     /* of enumerations */
    WORDS_VALUES,       /* of enumerations */
    WORDS_TYPES,        /* after !pto. */
    WORDS_ELEMENTS,     /* f32 */
    WORDS_TILE_KEYS,
    WORDS_SPACES,
    WORDS_CLAUSES, /* ins, outs, offsets */
    WORDS_COUNT
} WordList;

Words words_of(WordList list);
void words_free(Words *w);

void write_textmate(FILE *to);
void write_vim(FILE *to);

#endif
