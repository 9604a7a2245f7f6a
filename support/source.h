/* SPDX-License-Identifier: Apache-2.0 */
/* A source buffer: bytes with a name. Positions are byte offsets; line and column are computed
 * only when a message is printed. */
#ifndef SUPPORT_SOURCE_H
#define SUPPORT_SOURCE_H

#include "support/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Byte range [off, off + len) of a source buffer. */
typedef struct Span {
    uint32_t off;
    uint32_t len;
} Span;

typedef struct Source {
    const char *name; /* as the user wrote it */
    const char *data; /* `size` bytes, followed by a NUL that is not part of the text */
    uint32_t size;    /* at most SOURCE_MAX */
} Source;

#define SOURCE_MAX ((uint32_t)0x7FFFFFFF) /* 2 GiB - 1: offsets and lengths fit 32 bits */

typedef struct SourcePos {
    uint32_t line;       /* from 1 */
    uint32_t column;     /* from 1, in code points (an invalid byte counts as one) */
    uint32_t line_start; /* byte offset of the line */
} SourcePos;

/* Known positions at regular distances, so that a lookup takes constant time anywhere in the text,
 * whatever the length of lines. */
typedef struct SourceIndex {
    const Source *src;
    struct SourceMark *marks;
} SourceIndex;

SourceIndex source_index(Arena *a, const Source *src);
SourcePos source_find(const SourceIndex *ix, uint32_t off);

/* Returns the line of an offset, given an offset `known_off` <= off of line `known_line`: linear
 * in the distance, for callers that go through a file in order. */
uint32_t source_line_from(const Source *src, uint32_t known_off, uint32_t known_line, uint32_t off);
/* Returns the length of the UTF-8 sequence at s (n bytes left); 1 for an invalid byte. */
size_t utf8_length(const char *s, size_t n);
/* False for a code point of this length that would disturb a message: a control character, a mark
 * that ends a line or changes the direction of the text, a byte that is not UTF-8. */
bool utf8_is_plain(const char *s, size_t len);

static inline Span span_join(Span a, Span b) {
    uint32_t end_a = a.off + a.len, end_b = b.off + b.len;
    uint32_t off = a.off < b.off ? a.off : b.off;
    return (Span){off, (end_a > end_b ? end_a : end_b) - off};
}

#endif
