/* SPDX-License-Identifier: Apache-2.0 */
/* Computes line and column of a byte offset. */
#include "support/source.h"

#include <string.h>

size_t utf8_length(const char *s, size_t n) {
    unsigned char c = (unsigned char)s[0];
    size_t want = c < 0x80                ? 1
                  : c >= 0xC2 && c < 0xE0 ? 2
                  : c >= 0xE0 && c < 0xF0 ? 3
                  : c >= 0xF0 && c < 0xF5 ? 4
                                          : 1;
    if (want > n) return 1;
    for (size_t i = 1; i < want; i++)
        if (((unsigned char)s[i] & 0xC0) != 0x80) return 1;
    return want;
}

uint32_t source_line_from(const Source *src, uint32_t known_off, uint32_t known_line,
                          uint32_t off) {
    const char *p = src->data + known_off;
    const char *end = src->data + off;
    uint32_t line = known_line;
    while ((p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
        line++;
        p++;
    }
    return line;
}

/* A known position between two code points. */
typedef struct SourceMark {
    uint32_t off;
    SourcePos pos;
} SourceMark;

enum { MARK_DISTANCE = 1024 };

static const SourceMark first_mark = {0, {1, 1, 0}};

/* Advances to the first end of a code point at or after `off`, but not beyond `limit`. */
static SourceMark go_on(const Source *src, SourceMark m, uint32_t off, uint32_t limit) {
    const char *nl = src->data + m.off, *end = src->data + off;
    while (nl < end && (nl = memchr(nl, '\n', (size_t)(end - nl))) != NULL) {
        m.off = (uint32_t)(++nl - src->data);
        m.pos = (SourcePos){m.pos.line + 1, 1, m.off};
    }
    while (m.off < off) {
        const char *s = src->data + m.off;
        m.off += (unsigned char)*s < 0x80 ? 1 : (uint32_t)utf8_length(s, limit - m.off);
        m.pos.column++;
    }
    return m;
}

SourceIndex source_index(Arena *a, const Source *src) {
    uint32_t n = src->size / MARK_DISTANCE + 1;
    SourceIndex ix = {.src = src, .marks = ARENA_ARRAY(a, SourceMark, n)};
    ix.marks[0] = first_mark;
    for (uint32_t i = 1; i < n; i++)
        ix.marks[i] = go_on(src, ix.marks[i - 1], i * MARK_DISTANCE, src->size);
    return ix;
}

SourcePos source_find(const SourceIndex *ix, uint32_t off) {
    if (off > ix->src->size) off = ix->src->size;
    uint32_t i = off / MARK_DISTANCE;
    if (ix->marks[i].off > off) i--; /* the mark may follow a code point that begins before `off` */
    return go_on(ix->src, ix->marks[i], off, off).pos;
}

bool utf8_is_plain(const char *s, size_t len) {
    const unsigned char c = (unsigned char)s[0];
    if (len == 1) return c >= 0x20 && c < 0x7F;
    const unsigned char d = (unsigned char)s[1], e = len == 3 ? (unsigned char)s[2] : 0;
    if (len == 2) return !(c == 0xC2 && d < 0xA0); /* U+0080 .. U+009F */
    if (c != 0xE2) return true;
    if (d == 0x80)
        return !((e >= 0x8E && e <= 0x8F) || (e >= 0xA8 && e <= 0xAE)); /* U+200E .. U+202E */
    return !(d == 0x81 && e >= 0xA6 && e <= 0xA9);                      /* U+2066 .. U+2069 */
}
