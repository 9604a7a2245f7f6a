/* SPDX-License-Identifier: Apache-2.0 */
/* The words of #pto.acc_push_epilogue, and parsing the attribute, which is stored as text. */
#include "ir/epilogue.h"

#include <string.h>

#define B ELEM_BIT_OF
#define ELEM_BIT_OF(e) ELEM_BIT(ELEM_##e)

const EpilogueLayoutInfo epilogue_layouts[EPI_LAYOUT_COUNT] = {
#define EPILOGUE_LAYOUT(id, text, bl, sl) {text, bl, sl},
#include "ir/epilogue.def"
#undef EPILOGUE_LAYOUT
};

const EpilogueQuantInfo epilogue_quants[EPI_QUANT_COUNT] = {
#define EPILOGUE_QUANT(id, text, state, where, from, to) {text, QUANT_##state, where, from, to},
#include "ir/epilogue.def"
#undef EPILOGUE_QUANT
};

#undef B
#undef ELEM_BIT_OF

static const char *const layout_words[] = {
#define EPILOGUE_LAYOUT(id, text, bl, sl) text,
#include "ir/epilogue.def"
#undef EPILOGUE_LAYOUT
    NULL};
static const char *const quant_words[] = {
#define EPILOGUE_QUANT(id, text, state, where, from, to) text,
#include "ir/epilogue.def"
#undef EPILOGUE_QUANT
    NULL};
static const char *const relu_words[] = {
#define EPILOGUE_RELU(id, text) text,
#include "ir/epilogue.def"
#undef EPILOGUE_RELU
    NULL};

static const struct {
    const char *key;
    const char *const *words;
} keys[] = {{"layout", layout_words}, {"quant", quant_words}, {"relu", relu_words}};
enum { KEYS = sizeof keys / sizeof keys[0] };

static int find_key(const char *s, size_t n) {
    for (int k = 0; k < KEYS; k++)
        if (strlen(keys[k].key) == n && memcmp(keys[k].key, s, n) == 0) return k;
    return -1;
}

const char *const *epilogue_words(const char *key, size_t n) {
    int k = find_key(key, n);
    return k < 0 ? NULL : keys[k].words;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Returns the next word in [s, end); NULL when there is none. */
static const char *next_word(const char *s, const char *end, size_t *n) {
    while (s < end && !is_word(*s))
        s++;
    const char *e = s;
    while (e < end && is_word(*e))
        e++;
    *n = (size_t)(e - s);
    return e > s ? s : NULL;
}

static int word_index(const char *const *words, const char *s, size_t n) {
    for (int i = 0; words[i] != NULL; i++)
        if (strlen(words[i]) == n && memcmp(words[i], s, n) == 0) return i;
    return -1;
}

bool epilogue_read(const Interner *names, const Attr *a, Epilogue *out) {
    static const char name[] = "acc_push_epilogue";
    if (a->kind != ATTR_OPAQUE) return false;
    const char *s = atom_text(names, a->text), *end = s + atom_len(names, a->text);
    size_t n;
    int found[KEYS] = {-1, -1, -1};
    s = next_word(s, end, &n); /* skips `pto` */
    s = s != NULL ? next_word(s + n, end, &n) : NULL;
    if (s == NULL || n != sizeof name - 1 || memcmp(s, name, n) != 0) return false;
    for (s = next_word(s + n, end, &n); s != NULL; s = next_word(s + n, end, &n)) {
        int key = find_key(s, n);
        s = key >= 0 ? next_word(s + n, end, &n) : NULL;
        if (s == NULL) return false;
        found[key] = word_index(keys[key].words, s, n);
    }
    for (int k = 0; k < KEYS; k++)
        if (found[k] < 0) return false;
    *out = (Epilogue){(uint8_t)found[0], (uint8_t)found[1], (uint8_t)found[2]};
    return true;
}
