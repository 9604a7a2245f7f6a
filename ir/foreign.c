/* Names of operations in other languages. */
#include "ir/foreign.h"

#include <string.h>

static const Foreign foreign_names[] = {
#define FOREIGN(name, inst, also) {name, inst, also},
#define COMPOSED(name, parts) {name, NULL, parts},
#include "ir/foreign_names.def"
#undef FOREIGN
#undef COMPOSED
};
enum { FOREIGN_NAMES = sizeof foreign_names / sizeof foreign_names[0] };

const Foreign *foreign_at(unsigned i) {
    return i < FOREIGN_NAMES ? &foreign_names[i] : NULL;
}

static const Foreign *find(const char *s, size_t n) {
    for (unsigned i = 0; i < FOREIGN_NAMES; i++)
        if (strlen(foreign_names[i].name) == n && memcmp(foreign_names[i].name, s, n) == 0)
            return &foreign_names[i];
    return NULL;
}

const Foreign *foreign_find(const char *s, size_t n) {
    size_t from = n;
    while (from > 0 && s[from - 1] != '.') /* `torch.nn.functional.relu` */
        from--;
    const Foreign *found = find(s + from, n - from);
    /* Names of tile instructions begin with `t`, so authors write `treduce_sum`. */
    if (found == NULL && n - from > 2 && s[from] == 't') found = find(s + from + 1, n - from - 1);
    return found;
}
