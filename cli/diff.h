/* The difference of two texts, line by line. */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include <stdbool.h>
#include <stddef.h>

/* Prints how text `a` becomes text `b` on standard output, as `diff -u` does; nothing when they are
 * the same. Both texts are called `name`. False: out of memory, nothing was printed. */
bool diff_print(const char *name, const char *a, size_t a_size, const char *b, size_t b_size);
/* Calls `put` for each stretch of whole lines of `a`, its bytes from `from` to `to`, that `size`
 * bytes at `text` of `b` replace, in their order. False: out of memory. */
bool diff_changes(const char *a, size_t a_size, const char *b, size_t b_size,
                  void (*put)(void *arg, size_t from, size_t to, const char *text, size_t size),
                  void *arg);

#endif
