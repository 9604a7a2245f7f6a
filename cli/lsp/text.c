/* SPDX-License-Identifier: Apache-2.0 */
/* Text with lines. Line starts are found on demand, and forgotten after a change. */
#include "cli/lsp/text.h"

#include "cli/report_values.h"
#include "support/source.h"
#include <stdlib.h>
#include <string.h>

static void *must_realloc(void *p, size_t size) {
    void *grown = realloc(p, size);
    if (grown == NULL) out_of_memory();
    return grown;
}

/* ---- lines ---- */

static void add_start(Text *t, size_t at) {
    if (t->known == t->cap_starts) {
        t->cap_starts = t->cap_starts == 0 ? 1024 : 2 * t->cap_starts;
        t->starts = must_realloc(t->starts, t->cap_starts * sizeof *t->starts);
    }
    t->starts[t->known++] = at;
}

/* Finds one more line; the protocol allows \n, \r\n and \r as line ends. */
static bool next_line(Text *t) {
    if (t->complete) return false;
    if (t->known == 0) {
        add_start(t, 0);
        return true;
    }
    for (size_t i = t->starts[t->known - 1]; i < t->size; i++) {
        if (t->data[i] != '\n' && t->data[i] != '\r') continue;
        if (t->data[i] == '\r' && i + 1 < t->size && t->data[i + 1] == '\n') i++;
        add_start(t, i + 1);
        return true;
    }
    t->complete = true;
    return false;
}

/* Forgets the lines that begin at `from` or later, as a change may move them. */
static void forget_lines(Text *t, size_t from) {
    size_t low = 0, high = t->known;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (t->starts[mid] < from)
            low = mid + 1;
        else
            high = mid;
    }
    t->known = low;
    t->complete = false;
}

/* Returns the end of a known line, without its line end. */
static size_t line_end(Text *t, size_t line) {
    while (t->known <= line + 1 && next_line(t)) {
    }
    if (line + 1 >= t->known) return t->size;
    size_t end = t->starts[line + 1] - 1;
    return end > t->starts[line] && t->data[end] == '\n' && t->data[end - 1] == '\r' ? end - 1
                                                                                     : end;
}

/* ---- changes ---- */

bool text_replace(Text *t, size_t from, size_t to, const char *data, size_t size) {
    size_t kept = t->size - (to - from);
    if (size > SOURCE_MAX - kept) return false;
    if (kept + size + 1 > t->cap) {
        t->cap = kept + size + 1 + (kept + size) / 4;
        t->data = must_realloc(t->data, t->cap);
    }
    memmove(t->data + from + size, t->data + to, t->size - to);
    if (size > 0) memcpy(t->data + from, data, size);
    t->size = kept + size;
    t->data[t->size] = '\0';
    forget_lines(t, from);
    return true;
}

bool text_set(Text *t, const char *data, size_t size) {
    return text_replace(t, 0, t->size, data, size);
}

void text_free(Text *t) {
    free(t->data);
    free(t->starts);
    *t = (Text){.data = NULL};
}

/* ---- positions ---- */

static size_t units(size_t bytes, bool utf8) {
    return utf8 ? bytes : bytes == 4 ? 2 : 1;
}

size_t text_offset(Text *t, Position at, bool utf8) {
    while (t->known <= at.line && next_line(t)) {
    }
    if (at.line >= t->known) return t->size;
    size_t i = t->starts[at.line], end = line_end(t, at.line), seen = 0;
    while (i < end) {
        size_t n = utf8_length(t->data + i, end - i);
        seen += units(n, utf8);
        if (seen > at.character) break;
        i += n;
    }
    return i;
}

Position text_position(Text *t, size_t offset, bool utf8) {
    if (offset > t->size) offset = t->size;
    while ((t->known == 0 || t->starts[t->known - 1] <= offset) && next_line(t)) {
    }
    size_t low = 0, high = t->known;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (t->starts[mid] <= offset)
            low = mid + 1;
        else
            high = mid;
    }
    Position at = {.line = low - 1};
    size_t i = t->starts[at.line], end = line_end(t, at.line);
    if (offset < end) end = offset; /* an offset inside a line end counts as the end of the line */
    while (i < end) {
        size_t n = utf8_length(t->data + i, end - i);
        at.character += units(n, utf8);
        i += n;
    }
    return at;
}
