/* SPDX-License-Identifier: Apache-2.0 */
/* Names of operations in other languages. */
#include "ir/foreign.h"
#include "support/near.h"

#include <string.h>

static const Foreign foreign_names[] = {
#define FOREIGN(name, inst, also) {name, inst, also},
#define COMPOSED(name, formula, insts, sample)
#include "ir/foreign_names.def"
#undef COMPOSED
#undef FOREIGN
};
enum { FOREIGN_NAMES = sizeof foreign_names / sizeof foreign_names[0] };

static const Composed composed_names[] = {
#define FOREIGN(name, inst, also)
#define COMPOSED(name, formula, insts, sample) {name, formula, insts, sample},
#include "ir/foreign_names.def"
#undef COMPOSED
#undef FOREIGN
};
enum { COMPOSED_NAMES = sizeof composed_names / sizeof composed_names[0] };

const Foreign *foreign_at(unsigned i) {
    return i < FOREIGN_NAMES ? &foreign_names[i] : NULL;
}

static const Foreign *find(const char *s, size_t n) {
    for (unsigned i = 0; i < FOREIGN_NAMES; i++)
        if (strlen(foreign_names[i].name) == n && memcmp(foreign_names[i].name, s, n) == 0)
            return &foreign_names[i];
    return NULL;
}

/* Skips the module of `torch.nn.functional.relu`. */
static const char *without_module(const char *s, size_t *n) {
    size_t from = *n;
    while (from > 0 && s[from - 1] != '.')
        from--;
    *n -= from;
    return s + from;
}

const Foreign *foreign_find(const char *s, size_t n) {
    s = without_module(s, &n);
    const Foreign *found = find(s, n);
    /* Names of tile instructions begin with `t`, so authors write `treduce_sum`. */
    if (found == NULL && n > 2 && *s == 't') found = find(s + 1, n - 1);
    return found;
}

const Composed *composed_at(unsigned i) {
    return i < COMPOSED_NAMES ? &composed_names[i] : NULL;
}

const Composed *composed_find(const char *s, size_t n) {
    s = without_module(s, &n);
    for (unsigned i = 0; i < COMPOSED_NAMES; i++) {
        const char *name = composed_names[i].name;
        const size_t length = strlen(name);
        if (same_spelling(s, n, name, length) ||
            (*s == 't' && n > 0 && same_spelling(s + 1, n - 1, name, length)))
            return &composed_names[i];
    }
    return NULL;
}
