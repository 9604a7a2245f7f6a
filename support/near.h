/* SPDX-License-Identifier: Apache-2.0 */
/* Finds words that a misspelt one may mean. */
#ifndef SUPPORT_NEAR_H
#define SUPPORT_NEAR_H

#include "support/strbuf.h"
#include <stdbool.h>
#include <stddef.h>

/* Returns the cost of turning the written word `a` into `b`: at most EDIT_COST for each character
 * that is changed, added or removed, and for swapped neighbours; less for likely mistakes. More
 * than limit * EDIT_COST when `limit` edits are not enough. */
enum { EDIT_COST = 16 };
unsigned edit_cost(const char *a, size_t na, const char *b, size_t nb, unsigned limit);
/* Returns the number of such edits; at most limit + 1. */
unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb, unsigned limit);
/* Returns the most similar of `count` words; short words must be more so. When none is similar, the
 * only one that ends in `_` and the word, as PIPE_V for V, or NULL. */
const char *near_word(const char *s, size_t n, const char *const *words, unsigned count);
/* True when two words differ only in case, `_`, `-` and `.`: one is a spelling of the other. */
bool same_spelling(const char *a, size_t na, const char *b, size_t nb);
/* True when the text is another spelling of the word, or lacks its prefix, as V for PIPE_V. */
bool same_word(const char *s, size_t n, const char *word);
/* Returns `a, b and c`. */
const char *words_listed(Arena *arena, const char *const *words, unsigned count);

#endif
