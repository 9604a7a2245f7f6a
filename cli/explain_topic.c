/* SPDX-License-Identifier: Apache-2.0 */
/* Topics of `ptoasm explain`: looks up names and formats Markdown for the terminal. */
#include "cli/topics.h"

#include "support/ascii.h"

#include <string.h>

/* ---- names ---- */

const char *topic_name(const Topic *t, unsigned n, Arena *arena) {
    const char *at = topic_text() + t->names, *end = at + t->names_length;
    for (; n > 0 && at < end; n--) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        at = comma != NULL ? comma + 2 : end;
    }
    const char *comma = at < end ? memchr(at, ',', (size_t)(end - at)) : NULL;
    return at < end ? arena_strndup(arena, at, (size_t)((comma != NULL ? comma : end) - at)) : NULL;
}

const char *topic_title(const Topic *t, Arena *arena) {
    return arena_strndup(arena, topic_text() + t->title, t->title_length);
}

static bool has_name(const Topic *t, const char *s, size_t n, Arena *arena) {
    const char *name;
    for (unsigned i = 0; (name = topic_name(t, i, arena)) != NULL; i++) {
        size_t k = 0;
        while (k < n && name[k] != '\0' && ascii_lower(s[k]) == ascii_lower(name[k]))
            k++;
        if (k == n && name[k] == '\0') return true;
    }
    return false;
}

const Topic *topic_find(const char *s, Arena *arena) {
    static const char dialect[] = "!pto.";
    if (strncmp(s, dialect, sizeof dialect - 1) == 0) s += sizeof dialect - 1;
    for (unsigned i = 0; i < topic_count; i++)
        if (has_name(&topics[i], s, strcspn(s, "<"), arena)) return &topics[i];
    return NULL;
}

/* ---- lines of a section ---- */

typedef struct Lines {
    const char *at, *end;
} Lines;

static Lines lines_of(const Topic *t) {
    return (Lines){topic_text() + t->body, topic_text() + t->body + t->body_length};
}

static bool starts(const Lines *l, const char *with) {
    size_t n = strlen(with);
    return (size_t)(l->end - l->at) >= n && strncmp(l->at, with, n) == 0;
}

static size_t line_length(const Lines *l) {
    const char *nl = memchr(l->at, '\n', (size_t)(l->end - l->at));
    return (size_t)((nl != NULL ? nl : l->end) - l->at);
}

static void next_line(Lines *l) {
    l->at += line_length(l);
    if (l->at < l->end) l->at++;
}

const char *topic_markdown(const Topic *t, Arena *arena) {
    StrBuf out;
    sb_init(&out, arena);
    for (Lines l = lines_of(t); l.at < l.end; next_line(&l)) {
        if (starts(&l, "<!--")) continue;
        if (starts(&l, "\n") && (out.len == 0 || out.data[out.len - 1] == '\n') &&
            (out.len < 2 || out.data[out.len - 2] == '\n'))
            continue; /* never two blank lines */
        sb_add(&out, l.at, line_length(&l));
        sb_putc(&out, '\n');
    }
    while (out.len > 1 && out.data[out.len - 2] == '\n')
        out.data[--out.len] = '\0';
    return sb_text(&out);
}

/* ---- for the terminal ---- */

/* Adds running text without the markup of links, bold face and drawings. */
static void add_plain(StrBuf *out, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const char *close = s[i] == '[' ? memchr(s + i, ']', n - i) : NULL;
        if (close != NULL && close + 1 < s + n && close[1] == '(') {
            add_plain(out, s + i + 1, (size_t)(close - s) - i - 1);
            const char *end = memchr(close, ')', (size_t)(s + n - close));
            i = end != NULL ? (size_t)(end - s) : n;
        } else if (s[i] == '*' && i + 1 < n && s[i + 1] == '*') {
            i++;
        } else {
            sb_putc(out, s[i]);
        }
    }
}

static bool continues_paragraph(const Lines *l) {
    return l->at < l->end && !starts(l, "\n") && !starts(l, "- ") && !starts(l, "|") &&
           !starts(l, "```") && !starts(l, "#") && !starts(l, "<!--") && !starts(l, "![");
}

/* Writes a paragraph, or a list entry with its continuation lines. */
static void put_paragraph(StrBuf *out, Lines *l, Arena *arena) {
    bool entry = starts(l, "- ");
    StrBuf text;
    sb_init(&text, arena);
    do {
        if (text.len > 0) sb_putc(&text, ' ');
        size_t blanks = strspn(l->at, " ");
        add_plain(&text, l->at + blanks, line_length(l) - blanks);
        next_line(l);
    } while (continues_paragraph(l));
    if (entry) {
        size_t from = out->len;
        put_wrapped(out, sb_text(&text) + 2, 4);
        out->data[from + 2] = '-';
    } else {
        put_wrapped(out, sb_text(&text), 2);
    }
}

static void put_fence(StrBuf *out, Lines *l) {
    for (next_line(l); l->at < l->end && !starts(l, "```"); next_line(l)) {
        if (!starts(l, "\n")) sb_puts(out, "    ");
        sb_add(out, l->at, line_length(l));
        sb_putc(out, '\n');
    }
    next_line(l);
}

enum { COLUMNS = 12, WIDEST = 60 };

/* Splits a table line into cells; a line of dashes has none. */
static unsigned cells_of(const Lines *l, const char *cells[COLUMNS], Arena *arena) {
    const char *at = l->at + 1, *end = l->at + line_length(l);
    unsigned n = 0;
    if (starts(l, "|---")) return 0;
    for (const char *bar; n < COLUMNS && (bar = memchr(at, '|', (size_t)(end - at))) != NULL;
         at = bar + 1) {
        StrBuf cell;
        sb_init(&cell, arena);
        const char *last = bar;
        for (; at < last && *at == ' ';)
            at++;
        for (; last > at && last[-1] == ' ';)
            last--;
        add_plain(&cell, at, (size_t)(last - at));
        cells[n++] = sb_text(&cell);
    }
    return n;
}

static void put_table(StrBuf *out, Lines *l, Arena *arena) {
    const char *cells[COLUMNS];
    size_t width[COLUMNS] = {0};
    for (Lines m = *l; m.at < m.end && starts(&m, "|"); next_line(&m)) {
        unsigned n = cells_of(&m, cells, arena);
        for (unsigned c = 0; c < n; c++)
            if (strlen(cells[c]) > width[c] && strlen(cells[c]) <= WIDEST)
                width[c] = strlen(cells[c]);
    }
    for (; l->at < l->end && starts(l, "|"); next_line(l)) {
        unsigned n = cells_of(l, cells, arena);
        size_t pad = 4;
        for (unsigned c = 0; c < n; c++) {
            size_t k = strlen(cells[c]);
            if (k > 0) {
                sb_pad(out, ' ', pad);
                sb_puts(out, cells[c]);
                pad = 0;
            }
            pad += (width[c] > k ? width[c] - k : 0) + 2;
        }
        if (n > 0) sb_putc(out, '\n');
    }
}

/* Writes the file name of a drawing, which is in the folder of the page. */
static void put_drawing(StrBuf *out, Lines *l) {
    const char *end = l->at + line_length(l), *from = memchr(l->at, '(', line_length(l));
    if (from != NULL && end[-1] == ')')
        sb_printf(out, "    docs/%.*s\n", (int)(end - from) - 2, from + 1);
    next_line(l);
}

/* Ends a paragraph with one blank line, but not at the start. */
static void put_gap(StrBuf *out) {
    if (out->len > 1 && out->data[out->len - 2] != '\n') sb_putc(out, '\n');
}

static void put_heading(StrBuf *out, Lines *l) {
    const char *s = l->at + strspn(l->at, "#") + 1;
    add_plain(out, s, line_length(l) - (size_t)(s - l->at));
    sb_putc(out, '\n');
    next_line(l);
}

void topic_print(StrBuf *out, const Topic *t, Arena *arena) {
    Lines l = lines_of(t);
    sb_printf(out, "%s\n", topic_title(t, arena));
    while (l.at < l.end) {
        if (starts(&l, "\n")) put_gap(out);
        if (starts(&l, "\n") || starts(&l, "<!--"))
            next_line(&l);
        else if (starts(&l, "!["))
            put_drawing(out, &l);
        else if (starts(&l, "#"))
            put_heading(out, &l);
        else if (starts(&l, "```"))
            put_fence(out, &l);
        else if (starts(&l, "|"))
            put_table(out, &l, arena);
        else
            put_paragraph(out, &l, arena);
    }
    put_gap(out);
    sb_printf(out, "  From docs/%s.\n", topic_pages[t->page]);
}
