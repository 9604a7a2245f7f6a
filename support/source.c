/* Line and column of a byte offset. */
#include "support/source.h"

#include <string.h>

size_t utf8_length(const char *s, size_t n) {
    unsigned char c = (unsigned char)s[0];
    size_t want = c < 0x80                ? 1
                  : c >= 0xC2 && c < 0xE0 ? 2
                  : c >= 0xE0 && c < 0xF0 ? 3
                  : c >= 0xF0 && c < 0xF5 ? 4
                                          : 1;
    if (want > n)
        return 1;
    for (size_t i = 1; i < want; i++)
        if (((unsigned char)s[i] & 0xC0) != 0x80)
            return 1;
    return want;
}

uint32_t source_line_from(const Source *src, uint32_t known_off, uint32_t known_line, uint32_t off) {
    const char *p = src->data + known_off;
    const char *end = src->data + off;
    uint32_t line = known_line;
    while ((p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
        line++;
        p++;
    }
    return line;
}

SourcePos source_position(const Source *src, uint32_t off) {
    SourcePos pos = {1, 1, 0, src->size};
    if (off > src->size)
        off = src->size;
    pos.line = source_line_from(src, 0, 1, off);
    uint32_t start = off;
    while (start > 0 && src->data[start - 1] != '\n')
        start--;
    pos.line_start = start;
    const char *nl = memchr(src->data + off, '\n', src->size - off);
    if (nl != NULL)
        pos.line_end = (uint32_t)(nl - src->data);
    for (uint32_t i = start; i < off;) {
        i += (uint32_t)utf8_length(src->data + i, off - i);
        pos.column++;
    }
    return pos;
}
