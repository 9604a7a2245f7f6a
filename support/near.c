/* Near words: what a misspelt one may mean. */
#include "support/near.h"

#include <stdbool.h>
#include <string.h>

/* Changed, added and left out characters count one each, two neighbours in the wrong order as well.
 */
unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb, unsigned limit) {
    enum { LONGEST = 64 };
    size_t difference = na > nb ? na - nb : nb - na;
    if (na > LONGEST || nb > LONGEST || difference > limit) return limit + 1;
    unsigned rows[3][LONGEST + 1] = {{0}}, least = 0; /* this row and the two above, in turns */
    for (unsigned j = 0; j <= nb; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= na; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        unsigned best = row[0] = i;
        for (unsigned j = 1; j <= nb; j++) {
            unsigned d = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < d) d = above[j] + 1;
            if (row[j - 1] + 1 < d) d = row[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < d) d = before[j - 2] + 1;
            row[j] = d;
            if (d < best) best = d;
        }
        if (best > limit && least > limit) return limit + 1;
        least = best;
    }
    unsigned d = rows[na % 3][nb];
    return d > limit ? limit + 1 : d;
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
