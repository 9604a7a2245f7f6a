/* Near words: what a misspelt one may mean. */
#ifndef SUPPORT_NEAR_H
#define SUPPORT_NEAR_H

#include "support/strbuf.h"
#include <stddef.h>

/* What it takes to turn the written word `a` into `b`: at most EDIT_COST for each character that is
 * changed, added or removed and for two neighbours that change places, less for likelier mistakes.
 * More than limit * EDIT_COST when more than `limit` edits are needed. */
enum { EDIT_COST = 16 };
unsigned edit_cost(const char *a, size_t na, const char *b, size_t nb, unsigned limit);
/* The number of these edits; at most limit + 1. */
unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb, unsigned limit);
/* The nearest of `count` words, or NULL when none is near; short words must be nearer. */
const char *near_word(const char *s, size_t n, const char *const *words, unsigned count);
/* `a, b and c`. */
const char *words_listed(Arena *arena, const char *const *words, unsigned count);

#endif
