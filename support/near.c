/* Near words: what a misspelt one may mean. */
#include "support/near.h"

#include <string.h>

unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb, unsigned limit) {
    enum { LONGEST = 64 };
    size_t difference = na > nb ? na - nb : nb - na;
    if (na > LONGEST || nb > LONGEST || difference > limit) return limit + 1;
    unsigned row[LONGEST + 1];
    for (unsigned j = 0; j <= nb; j++)
        row[j] = j;
    for (unsigned i = 1; i <= na; i++) {
        unsigned diagonal = row[0], best = i;
        row[0] = i;
        for (unsigned j = 1; j <= nb; j++) {
            unsigned d = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < d) d = row[j] + 1;
            if (row[j - 1] + 1 < d) d = row[j - 1] + 1;
            row[j] = d;
            if (d < best) best = d;
        }
        if (best > limit) return limit + 1;
    }
    return row[nb] > limit ? limit + 1 : row[nb];
}

const char *near_word(const char *s, size_t n, const char *const *words, unsigned count) {
    const char *best = NULL;
    unsigned limit = n < 4 ? 1 : n < 7 ? 2 : 3, least = limit + 1;
    for (unsigned i = 0; i < count; i++) {
        unsigned d = edit_distance(s, n, words[i], strlen(words[i]), limit);
        if (d < least) {
            least = d;
            best = words[i];
        }
    }
    return best;
}

const char *words_listed(Arena *arena, const char *const *words, unsigned count) {
    StrBuf out;
    sb_init(&out, arena);
    for (unsigned i = 0; i < count; i++)
        sb_printf(&out, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", words[i]);
    return sb_text(&out);
}
