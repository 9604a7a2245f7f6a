/* SPDX-License-Identifier: Apache-2.0 */
/* Finds words that a misspelt one may mean. */
#include "support/near.h"

#include "support/ascii.h"

#include <string.h>

/* Every edit costs EDIT_COST minus a bonus for likely mistakes: most for swapped neighbours, then
 * for a missing or doubled letter of a pair, then for any missing letter. */
enum { SWAPPED = 3, PAIR = 2, LEFT_OUT = 1, LONGEST = 64 };

/* True when the character at `i` equals one of its neighbours. */
static bool in_pair(const char *s, size_t n, size_t i) {
    return (i > 0 && s[i - 1] == s[i]) || (i + 1 < n && s[i + 1] == s[i]);
}

unsigned edit_cost(const char *a, size_t na, const char *b, size_t nb, unsigned limit) {
    size_t difference = na > nb ? na - nb : nb - na;
    unsigned most = limit * EDIT_COST;
    if (na > LONGEST || nb > LONGEST || difference > limit) return most + 1;
    unsigned added[LONGEST + 1];
    unsigned rows[3][LONGEST + 1] = {{0}},
                               least = 0; /* the current row and the two before, in rotation */
    for (unsigned j = 1; j <= nb; j++) {
        added[j] = EDIT_COST - (in_pair(b, nb, j - 1) ? PAIR : LEFT_OUT);
        rows[0][j] = rows[0][j - 1] + added[j];
    }
    for (unsigned i = 1; i <= na; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        unsigned removed = EDIT_COST - (in_pair(a, na, i - 1) ? PAIR : 0);
        unsigned best = row[0] = above[0] + removed;
        for (unsigned j = 1; j <= nb; j++) {
            unsigned d = above[j - 1] + (a[i - 1] != b[j - 1] ? EDIT_COST : 0);
            if (above[j] + removed < d) d = above[j] + removed;
            if (row[j - 1] + added[j] < d) d = row[j - 1] + added[j];
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + EDIT_COST - SWAPPED < d)
                d = before[j - 2] + EDIT_COST - SWAPPED;
            row[j] = d;
            if (d < best) best = d;
        }
        if (best > most && least > most) return most + 1;
        least = best;
    }
    unsigned d = rows[na % 3][nb];
    return d > most ? most + 1 : d;
}

unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb, unsigned limit) {
    return (edit_cost(a, na, b, nb, limit) + EDIT_COST - 1) / EDIT_COST;
}

/* True when a word is a prefix, `_` and the written one, as PIPE_V for V, or ends in the written
 * number. */
static bool ends_in(const char *word, const char *s, size_t n) {
    const size_t len = strlen(word);
    const bool number = strspn(s, "0123456789") >= n;
    return n > 0 && len >= n + 2 && (number || word[len - n - 1] == '_') &&
           memcmp(word + len - n, s, n) == 0;
}

/* Returns the only word that has the written one after a prefix; NULL when there is none or more
 * than one. */
static const char *word_with_prefix(const char *s, size_t n, const char *const *words,
                                    unsigned count) {
    const char *found = NULL;
    for (unsigned i = 0; i < count; i++) {
        if (!ends_in(words[i], s, n)) continue;
        if (found != NULL) return NULL;
        found = words[i];
    }
    return found;
}

const char *near_word(const char *s, size_t n, const char *const *words, unsigned count) {
    const char *best = NULL;
    for (unsigned i = 0; i < count; i++)
        if (same_spelling(s, n, words[i], strlen(words[i]))) return words[i];
    unsigned limit = n < 4 ? 1 : n < 7 ? 2 : 3, least = limit * EDIT_COST + 1;
    for (unsigned i = 0; i < count; i++) {
        unsigned d = edit_cost(s, n, words[i], strlen(words[i]), limit);
        if (d < least) {
            least = d;
            best = words[i];
        }
    }
    return best != NULL || n == 0 ? best : word_with_prefix(s, n, words, count);
}

static size_t skip_marks(const char *s, size_t n, size_t i) {
    while (i < n && (s[i] == '_' || s[i] == '-' || s[i] == '.'))
        i++;
    return i;
}

bool same_word(const char *s, size_t n, const char *word) {
    return same_spelling(s, n, word, strlen(word)) || ends_in(word, s, n);
}

bool same_spelling(const char *a, size_t na, const char *b, size_t nb) {
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        i = skip_marks(a, na, i);
        k = skip_marks(b, nb, k);
        if (i == na || k == nb) return i == na && k == nb;
        if (ascii_lower(a[i]) != ascii_lower(b[k])) return false;
    }
}

const char *words_listed(Arena *arena, const char *const *words, unsigned count) {
    StrBuf out;
    sb_init(&out, arena);
    for (unsigned i = 0; i < count; i++)
        sb_printf(&out, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", words[i]);
    return sb_text(&out);
}
