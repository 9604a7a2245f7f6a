/* SPDX-License-Identifier: Apache-2.0 */
/* Reads `loc(..)`: file positions, aliases, names, fused and call-site locations. Whatever is not
 * one of these says nothing. */
#include "support/location.h"

/* ---- the table ---- */

Locations *locations_new(Arena *arena, const Source *src) {
    Locations *l = ARENA_NEW(arena, Locations);
    l->arena = arena;
    l->src = src;
    interner_init_small(&l->names, arena);
    locations_statement(l);
    locations_mark(l, 0, 0);
    return l;
}

/* Returns room for one more element of an array. */
static void *more(Arena *a, void *array, uint32_t n, uint32_t *cap, size_t size) {
    if (n < *cap) return array;
    *cap = *cap != 0 ? *cap * 2 : 64;
    void *grown = arena_zalloc(a, *cap, size, 8);
    if (n != 0) memcpy(grown, array, n * size);
    return grown;
}

uint32_t locations_statement(Locations *l) {
    l->texts = more(l->arena, l->texts, l->ntexts, &l->cap_texts, sizeof *l->texts);
    return l->ntexts++;
}

void locations_mark(Locations *l, uint32_t from, uint32_t statement) {
    l->marks = more(l->arena, l->marks, l->nmarks, &l->cap_marks, sizeof *l->marks);
    l->marks[l->nmarks++] = (StatementMark){from, statement};
}

void locations_text(Locations *l, uint32_t statement, Span text) {
    if (statement != 0 && l->texts[statement].len == 0) l->texts[statement] = text;
}

void locations_alias(Locations *l, const char *name, size_t n, Span text) {
    const Atom atom = intern_copy(&l->names, name, n);
    if (atom >= l->naliases) {
        uint32_t cap = l->naliases != 0 ? l->naliases * 2 : 64;
        while (cap <= atom)
            cap *= 2;
        Span *grown = ARENA_ARRAY(l->arena, Span, cap);
        if (l->naliases != 0) memcpy(grown, l->aliases, l->naliases * sizeof *grown);
        l->aliases = grown;
        l->naliases = cap;
    }
    if (l->aliases[atom].len == 0) l->aliases[atom] = text;
}

static uint32_t statement_at(const Locations *l, uint32_t off) {
    uint32_t low = 0, high = l->nmarks;
    while (high - low > 1) {
        const uint32_t mid = low + (high - low) / 2;
        if (l->marks[mid].from <= off)
            low = mid;
        else
            high = mid;
    }
    return l->marks[low].statement;
}

/* ---- reading ---- */

/* The limits keep a text of aliases that refer to each other, or twice to the next, or of one long
 * location that many diagnostics have, from taking long. */
enum { MOST_DEPTH = 200, MOST_READ = 256, MOST_BYTES = 1 << 16 };

typedef struct Reader {
    const Locations *l;
    const char *p, *end;
    AuthorLine *lines;
    unsigned n, depth, read;
} Reader;

static bool read_location(Reader *r, const char *name, bool caller);

static void skip_blanks(Reader *r) {
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\r' || *r->p == '\n'))
        r->p++;
}

static bool accept(Reader *r, const char *text) {
    const size_t n = strlen(text);
    skip_blanks(r);
    if ((size_t)(r->end - r->p) < n || memcmp(r->p, text, n) != 0) return false;
    r->p += n;
    return true;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)(c | 32);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Copies the character at an escape; returns its length. */
static size_t unescape(const char *p, const char *end, char *to) {
    static const char letters[] = "n\nt\tr\r";
    if (end - p >= 3 && hex_digit(p[1]) >= 0 && hex_digit(p[2]) >= 0) {
        *to = (char)(hex_digit(p[1]) * 16 + hex_digit(p[2]));
        return 3;
    }
    const char *letter = strchr(letters, p[1]);
    *to = letter != NULL && p[1] != '\0' ? letter[1] : p[1];
    return 2;
}

/* Returns the quote that ends a string, whose first byte is `p`; NULL when there is none. */
static const char *string_end(const char *p, const char *end) {
    while (p < end && *p != '"')
        p += *p == '\\' && end - p >= 2 ? 2 : 1;
    return p < end ? p : NULL;
}

/* Reads a string; NULL when there is none. */
static const char *read_string(Reader *r) {
    if (r->p == r->end || *r->p != '"') return NULL;
    const char *p = r->p + 1, *end = string_end(p, r->end);
    size_t n = 0;
    if (end == NULL) return NULL;
    char *text = arena_alloc(r->l->arena, (size_t)(end - p) + 1, 1);
    while (p < end) {
        if (*p == '\\')
            p += unescape(p, end, text + n++);
        else
            text[n++] = *p++;
    }
    text[n] = '\0';
    r->p = end + 1;
    return text;
}

/* Reads `:12`; a number that is too large becomes 0. */
static bool read_number(Reader *r, uint32_t *out) {
    uint64_t v = 0;
    if (!accept(r, ":")) return false;
    skip_blanks(r);
    const char *start = r->p;
    for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++)
        if (v <= UINT32_MAX) v = v * 10 + (uint64_t)(*r->p - '0');
    *out = v <= INT32_MAX ? (uint32_t)v : 0;
    return r->p > start;
}

static bool is_known(const Reader *r, const AuthorLine *line) {
    for (unsigned i = 0; i < r->n; i++)
        if (r->lines[i].line == line->line && r->lines[i].column == line->column &&
            strcmp(r->lines[i].file, line->file) == 0)
            return true;
    return false;
}

/* Reads what follows the file of `"file":line:column`, also with the `to` of a range. */
static bool read_position(Reader *r, AuthorLine line) {
    uint32_t end;
    if (!read_number(r, &line.line)) return false;
    if (!read_number(r, &line.column)) line.column = 0;
    if (accept(r, "to")) {
        skip_blanks(r);
        if (r->p < r->end && *r->p != ':') /* the line of the end */
            while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
                r->p++;
        while (read_number(r, &end)) {
        }
    }
    if (line.file[0] == '\0' || line.line == 0) return true;
    if (r->n < MOST_AUTHOR_LINES && !is_known(r, &line)) r->lines[r->n++] = line;
    return true;
}

static bool read_named(Reader *r, const char *name, bool caller) {
    const char *text = read_string(r);
    if (text == NULL) return false;
    skip_blanks(r);
    if (r->p < r->end && *r->p == ':')
        return read_position(r, (AuthorLine){.file = text, .name = name, .caller = caller});
    if (!accept(r, "(")) return true; /* a name alone */
    return read_location(r, text[0] != '\0' ? text : name, caller) && accept(r, ")");
}

static bool read_callsite(Reader *r, const char *name, bool caller) {
    return accept(r, "(") && read_location(r, name, caller) && accept(r, "at") &&
           read_location(r, NULL, r->n > 0) && accept(r, ")");
}

/* Skips the attribute of `fused<..>`, which may hold strings and brackets. */
static bool skip_metadata(Reader *r) {
    unsigned open = 1;
    while (r->p < r->end && open > 0) {
        if (*r->p == '"') {
            if (read_string(r) == NULL) return false;
            continue;
        }
        open += *r->p == '<';
        open -= *r->p == '>' && r->p[-1] != '-';
        r->p++;
    }
    return open == 0;
}

static bool read_fused(Reader *r, const char *name, bool caller) {
    if (accept(r, "<") && !skip_metadata(r)) return false;
    if (!accept(r, "[")) return false;
    if (accept(r, "]")) return true;
    do {
        if (!read_location(r, name, caller)) return false;
    } while (accept(r, ","));
    return accept(r, "]");
}

static bool read_whole(Reader *r, Span text, const char *name, bool caller) {
    static const char head[] = "loc(";
    const Reader outer = *r;
    r->p = r->l->src->data + text.off + sizeof head - 1;
    r->end = r->l->src->data + text.off + text.len;
    const bool read =
        text.len > sizeof head && text.len <= MOST_BYTES && read_location(r, name, caller);
    r->p = outer.p;
    r->end = outer.end;
    return read;
}

/* An alias that is not defined, or defined by itself, says nothing. */
static bool read_alias(Reader *r, const char *name, bool caller) {
    const char *start = r->p;
    while (r->p < r->end && strchr(" \t\r\n,)]", *r->p) == NULL)
        r->p++;
    const Atom atom = intern_find(&r->l->names, start, (size_t)(r->p - start));
    if (atom == 0 || atom >= r->l->naliases || r->l->aliases[atom].len == 0) return true;
    read_whole(r, r->l->aliases[atom], name, caller);
    return true;
}

/* Reads a location without the word `loc`; false when it cannot be read. */
static bool read_location(Reader *r, const char *name, bool caller) {
    bool read = false;
    skip_blanks(r);
    if (r->p == r->end || r->depth == MOST_DEPTH || ++r->read > MOST_READ) return false;
    r->depth++;
    if (accept(r, "loc(")) /* as an alias may be written */
        read = read_location(r, name, caller) && accept(r, ")");
    else if (accept(r, "#"))
        read = read_alias(r, name, caller);
    else if (*r->p == '"')
        read = read_named(r, name, caller);
    else if (accept(r, "callsite"))
        read = read_callsite(r, name, caller);
    else if (accept(r, "fused"))
        read = read_fused(r, name, caller);
    else
        read = accept(r, "unknown") || accept(r, "?");
    r->depth--;
    return read;
}

unsigned locations_find(const Locations *l, uint32_t off, AuthorLine lines[MOST_AUTHOR_LINES]) {
    Reader r = {.l = l, .lines = lines};
    const Span text = l->texts[statement_at(l, off)];
    if (text.len != 0) read_whole(&r, text, NULL, false);
    return r.n;
}

bool locations_same(const Locations *l, uint32_t a, uint32_t b) {
    const Span one = l->texts[statement_at(l, a)], other = l->texts[statement_at(l, b)];
    return one.off == other.off && one.len == other.len;
}

const char *author_line_text(Arena *a, const AuthorLine *line) {
    const char *text = line->caller ? "called from here" : "generated from here";
    return line->name != NULL ? arena_printf(a, "%s ('%s')", text, line->name) : text;
}
