/* SPDX-License-Identifier: Apache-2.0 */
/* Line differences between two texts. */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include <stdbool.h>
#include <stddef.h>

/* Prints the changes from text `a` to text `b` on standard output like `diff -u`, or nothing when
 * they are equal. Both texts are called `name`. False: out of memory, and nothing was printed. */
bool diff_print(const char *name, const char *a, size_t a_size, const char *b, size_t b_size);
/* Calls `put` in order for each range of whole lines of `a`, its bytes from `from` to `to`, that
 * `size` bytes of `b` at `text` replace. False: out of memory. */
bool diff_changes(const char *a, size_t a_size, const char *b, size_t b_size,
                  void (*put)(void *arg, size_t from, size_t to, const char *text, size_t size),
                  void *arg);

#endif
