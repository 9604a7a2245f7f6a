/* SPDX-License-Identifier: Apache-2.0 */
/* The text of an open document. Converts between positions of the protocol (line, character) and
 * byte offsets. */
#ifndef CLI_LSP_TEXT_H
#define CLI_LSP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Text {
    char *data; /* `size` bytes of UTF-8 and a NUL */
    size_t size, cap;
    size_t *starts; /* starts of the first `known` lines */
    size_t known, cap_starts;
    bool complete; /* all lines are known */
} Text;

typedef struct Position {
    size_t line, character; /* from 0 */
} Position;

/* Sets the whole text. False when it is larger than the library accepts. */
bool text_set(Text *t, const char *data, size_t size);
/* Replaces the bytes from `from` to `to`; false as above. */
bool text_replace(Text *t, size_t from, size_t to, const char *data, size_t size);
void text_free(Text *t);

/* Returns the byte offset of a position; a position after the end of its line or of the text means
 * that end. Characters are bytes with `utf8`, else UTF-16 units. */
size_t text_offset(Text *t, Position at, bool utf8);
Position text_position(Text *t, size_t offset, bool utf8);

#endif
