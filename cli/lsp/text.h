/* The text of an open document and its positions: line and character as the protocol counts them,
 * bytes as the library does. */
#ifndef CLI_LSP_TEXT_H
#define CLI_LSP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Text {
    char *data; /* `size` bytes of UTF-8 and a NUL */
    size_t size, cap;
    size_t *starts; /* of the first `known` lines */
    size_t known, cap_starts;
    bool complete; /* these are all lines */
} Text;

typedef struct Position {
    size_t line, character; /* from 0 */
} Position;

/* Makes `size` bytes the whole text. False when it would be larger than the library takes. */
bool text_set(Text *t, const char *data, size_t size);
/* Replaces the bytes from `from` to `to`; likewise. */
bool text_replace(Text *t, size_t from, size_t to, const char *data, size_t size);
void text_free(Text *t);

/* The byte of a position; one after the end of its line or of the text means that end. Characters
 * are bytes with `utf8`, else UTF-16 units. */
size_t text_offset(Text *t, Position at, bool utf8);
Position text_position(Text *t, size_t offset, bool utf8);

#endif
