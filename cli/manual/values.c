/* SPDX-License-Identifier: Apache-2.0 */
/* Extracts the values of an option from the text of its error message. */
#include "cli/manual/manual.h"

#include <string.h>

bool option_is_letter(const OptionRow *row) {
    return row->letter != 0 && row->name[1] == '\0';
}

/* Returns the length of the separator at `p`; 0 when there is none. */
static size_t separator(const char *p) {
    static const char *const texts[] = {", or ", ", ", " or ", " and "};
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strncmp(p, texts[i], strlen(texts[i])) == 0) return strlen(texts[i]);
    return 0;
}

static bool add_word(Values *v, const char *from, size_t n) {
    if (n == 0 || n >= VALUE_WORD || v->n == VALUE_WORDS || memchr(from, ' ', n) != NULL)
        return false;
    memcpy(v->words[v->n], from, n);
    v->words[v->n++][n] = '\0';
    return true;
}

Values option_values(const OptionRow *row) {
    static const char list[] = "a list of ";
    Values v = {VALUE_OTHER, 0, {""}};
    const char *p = option_text(row->expected), *from;
    if (p == NULL || row->value == NULL) return v;
    if (strcmp(p, "a file name") == 0) v.kind = VALUE_FILE;
    if (strcmp(p, "a folder name") == 0) v.kind = VALUE_FOLDER;
    if (v.kind != VALUE_OTHER) return v;
    if (strncmp(p, list, sizeof list - 1) == 0) p += sizeof list - 1;
    for (from = p;; p++) {
        size_t n = separator(p);
        if (n == 0 && *p != '\0') continue;
        if (!add_word(&v, from, (size_t)(p - from))) return (Values){VALUE_OTHER, 0, {""}};
        if (*p == '\0') break;
        from = p + n;
        p = from - 1;
    }
    v.kind = VALUE_ONE_OF;
    return v;
}
