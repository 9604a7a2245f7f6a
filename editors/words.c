/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the language, collected from its tables. */
#include "editors/words.h"

#include "ir/insts.h"
#include "ir/type.h"
#include <stdlib.h>
#include <string.h>

static void add_part(Words *w, const char *word, size_t n) {
    if (w->n == w->cap) {
        w->cap = w->cap == 0 ? 256 : 2 * w->cap;
        char **grown = realloc(w->list, w->cap * sizeof *grown);
        if (grown == NULL) abort();
        w->list = grown;
    }
    w->list[w->n] = strndup(word, n);
    if (w->list[w->n++] == NULL) abort();
}

static void add(Words *w, const char *word) {
    add_part(w, word, strlen(word));
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort(Words *w) {
    size_t n = 0;
    if (w->n > 1) qsort(w->list, w->n, sizeof *w->list, by_text);
    for (size_t i = 0; i < w->n; i++) {
        if (n == 0 || strcmp(w->list[n - 1], w->list[i]) != 0)
            w->list[n++] = w->list[i];
        else
            free(w->list[i]);
    }
    w->n = n;
}

static void add_instructions(Words *w, bool shortened) {
    for (unsigned i = 1; i < INST_COUNT; i++) {
        const char *name = inst_table[i].name;
        bool pto = strncmp(name, "pto.", 4) == 0;
        if (shortened && pto) add(w, name + 4);
        if (!shortened) add(w, name);
    }
}

static void add_keys(Words *w) {
    for (unsigned i = 1; i < INST_COUNT; i++)
        for (unsigned a = 0; a < inst_table[i].nattrs; a++)
            add(w, inst_table[i].attrs[a].name);
}

/* A word of a format that is no slot, type, attribute or punctuation. */
static bool is_plain(const char *s, size_t n) {
    return n > 1 && strspn(s, "abcdefghijklmnopqrstuvwxyz_") >= n;
}

static void add_clauses(Words *w) {
#define WORD(text) add(w, text);
#include "lexer/words.def"
#undef WORD
    for (const char *const *word = format_words; *word != NULL; word++)
        if (is_plain(*word, strlen(*word))) add(w, *word);
    for (unsigned i = 1; i < INST_COUNT; i++) {
        for (unsigned s = 0; s < inst_table[i].nslots; s++) {
            const char *clause = inst_table[i].slots[s].rare->clause;
            if (clause != NULL && is_plain(clause, strlen(clause))) add(w, clause);
        }
    }
}

static bool is_element(const char *text) {
    for (int e = 1; e < ELEM_COUNT; e++)
        if (strcmp(elem_infos[e].text, text) == 0) return true;
    return false;
}

/* Values that are also element types, such as those of atomic stores, are shown as these. */
static void add_values(Words *w) {
    for (unsigned f = 0; f < EF_COUNT; f++)
        for (unsigned v = 0; v < enum_infos[f].nvalues; v++)
            if (!is_element(enum_infos[f].values[v].text)) add(w, enum_infos[f].values[v].text);
}

static void add_types(Words *w) {
#define TYPE_NAME(name, read, kind) add(w, name);
#include "parser/type_names.def"
#undef TYPE_NAME
    for (int e = 1; e < ELEM_COUNT; e++)
        if (elem_infos[e].text[0] == '!') add(w, elem_infos[e].text + strlen("!pto."));
}

static void add_elements(Words *w) {
    for (int e = 1; e < ELEM_COUNT; e++)
        if (elem_infos[e].text[0] != '\0' && elem_infos[e].text[0] != '!')
            add(w, elem_infos[e].text);
}

static void add_list(Words *w, WordList list) {
    switch (list) {
    case WORDS_INSTRUCTIONS:
    case WORDS_SHORT:
        add_instructions(w, list == WORDS_SHORT);
        return;
    case WORDS_KEYS:
        add_keys(w);
        return;
    case WORDS_FAMILIES:
        for (unsigned f = 0; f < EF_COUNT; f++)
            add(w, enum_infos[f].name);
        return;
    case WORDS_VALUES:
        add_values(w);
        return;
    case WORDS_TYPES:
        add_types(w);
        return;
    case WORDS_ELEMENTS:
        add_elements(w);
        return;
    case WORDS_TILE_KEYS:
#define TILE_KEY(id, text, family) add(w, text);
#include "parser/tile_keys.def"
#undef TILE_KEY
        return;
    case WORDS_SPACES:
        for (int s = SPACE_GM; s < SPACE_COUNT; s++)
            add(w, space_names[s]);
        return;
    case WORDS_CLAUSES:
        add_clauses(w);
        return;
    case WORDS_COUNT:
        return;
    }
}

Words words_of(WordList list) {
    Words w = {.n = 0};
    add_list(&w, list);
    sort(&w);
    return w;
}

void words_free(Words *w) {
    for (size_t i = 0; i < w->n; i++)
        free(w->list[i]);
    free(w->list);
    *w = (Words){.n = 0};
}
