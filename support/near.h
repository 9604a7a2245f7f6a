/* Near words: what a misspelt one may mean. */
#ifndef SUPPORT_NEAR_H
#define SUPPORT_NEAR_H

#include "support/strbuf.h"
#include <stddef.h>

/* The number of characters to change, add or remove; at most limit + 1. */
unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb, unsigned limit);
/* The nearest of `count` words, or NULL when none is near; short words must be nearer. */
const char *near_word(const char *s, size_t n, const char *const *words, unsigned count);
/* `a, b and c`. */
const char *words_listed(Arena *arena, const char *const *words, unsigned count);

#endif
