/* SPDX-License-Identifier: Apache-2.0 */
/* Names of operations in other languages. */
#include "ir/foreign.h"
#include "support/near.h"
#include "support/packed.h"

#include <string.h>

enum {
    FOREIGN_NAMES = 0
#define FOREIGN(name, inst, also) +1
#define COMPOSED(name, formula, insts, sample)
#include "ir/foreign_names.def"
#undef COMPOSED
#undef FOREIGN
    ,
    COMPOSED_NAMES = 0
#define FOREIGN(name, inst, also)
#define COMPOSED(name, formula, insts, sample) +1
#include "ir/foreign_names.def"
#undef COMPOSED
#undef FOREIGN
};

Foreign foreign_at(unsigned i) {
    if (i >= FOREIGN_NAMES) return (Foreign){.name = NULL};
    return (Foreign){packed_text(&foreign_texts, 3 * i), packed_text(&foreign_texts, 3 * i + 1),
                     packed_text(&foreign_texts, 3 * i + 2)};
}

static Foreign find(const char *s, size_t n) {
    Foreign f;
    for (unsigned i = 0; (f = foreign_at(i)).name != NULL; i++)
        if (strlen(f.name) == n && memcmp(f.name, s, n) == 0) break;
    return f;
}

/* Skips the module of `torch.nn.functional.relu`. */
static const char *without_module(const char *s, size_t *n) {
    size_t from = *n;
    while (from > 0 && s[from - 1] != '.')
        from--;
    *n -= from;
    return s + from;
}

Foreign foreign_find(const char *s, size_t n) {
    s = without_module(s, &n);
    const Foreign found = find(s, n);
    /* Names of tile instructions begin with `t`, so authors write `treduce_sum`. */
    return found.name == NULL && n > 2 && *s == 't' ? find(s + 1, n - 1) : found;
}

Composed composed_at(unsigned i) {
    if (i >= COMPOSED_NAMES) return (Composed){.name = NULL};
    return (Composed){packed_text(&composed_texts, 4 * i), packed_text(&composed_texts, 4 * i + 1),
                      packed_text(&composed_texts, 4 * i + 2),
                      packed_text(&composed_texts, 4 * i + 3)};
}

Composed composed_find(const char *s, size_t n) {
    Composed c;
    s = without_module(s, &n);
    for (unsigned i = 0; (c = composed_at(i)).name != NULL; i++) {
        const size_t length = strlen(c.name);
        if (same_spelling(s, n, c.name, length) ||
            (*s == 't' && n > 0 && same_spelling(s + 1, n - 1, c.name, length)))
            break;
    }
    return c;
}
