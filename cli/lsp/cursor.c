/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what the cursor is in from the characters before it, as an incomplete program can rarely
 * be parsed. */
#include "cli/lsp/cursor.h"

#include "support/ascii.h"
#include <stdbool.h>
#include <string.h>

enum { LINES_UP = 40, DEEPEST = 32 };

/* A range of the text. */
typedef struct Bit {
    const char *s;
    size_t n;
} Bit;

static bool is_word(char c) {
    return ascii_is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '.' ||
           c == '-';
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static bool bit_is(Bit b, const char *s) {
    return strlen(s) == b.n && memcmp(b.s, s, b.n) == 0;
}

static size_t word_start(const char *text, size_t at) {
    while (at > 0 && is_word(text[at - 1]))
        at--;
    return at;
}

static size_t skip_blanks(const char *text, size_t at, size_t end) {
    while (at < end && is_blank(text[at]))
        at++;
    return at;
}

/* ---- the statement ---- */

/* The first word of a line, after results such as `%a, %b:2 =` and a quote. */
typedef struct Head {
    size_t from, to;
    bool results; /* the line has `%a =` before it */
} Head;

static Head head_of(const char *text, size_t line, size_t end) {
    Head h = {.from = skip_blanks(text, line, end)};
    if (h.from < end && text[h.from] == '%') {
        size_t at = h.from;
        while (at < end &&
               (is_word(text[at]) || is_blank(text[at]) || strchr("%,:#", text[at]) != NULL))
            at++;
        if (at < end && text[at] == '=') {
            h.results = true;
            h.from = skip_blanks(text, at + 1, end);
        }
    }
    if (h.from < end && text[h.from] == '"') h.from++;
    for (h.to = h.from; h.to < end && is_word(text[h.to]);)
        h.to++;
    return h;
}

typedef struct Statement {
    size_t from; /* end of its name */
    const Inst *inst;
    bool in_name; /* the cursor is in the name */
} Statement;

static size_t line_before(const char *text, size_t at) {
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

/* Lines that begin with a clause, a bracket or an operand continue the statement above. */
static bool begins_statement(const char *text, const Head *h, size_t end, const Inst *inst) {
    if (inst != NULL || h->results) return true;
    if (h->to > h->from && memchr(text + h->from, '.', h->to - h->from) != NULL) return true;
    return h->from < end && strchr("!^}", text[h->from]) != NULL;
}

static Statement find_statement(const char *text, size_t offset) {
    size_t line = line_before(text, offset), end = offset;
    Statement none = {.from = line};
    for (unsigned i = 0; i < LINES_UP; i++) {
        Head h = head_of(text, line, end);
        const Inst *inst = inst_find(text + h.from, h.to - h.from);
        if (i == 0 && h.to == offset) return (Statement){h.from, NULL, true};
        if (begins_statement(text, &h, end, inst)) return (Statement){h.to, inst, false};
        if (line == 0) break;
        end = line - 1;
        line = line_before(text, end);
    }
    return none;
}

/* ---- brackets ---- */

typedef struct Open {
    char bracket;
    size_t at;
    size_t entry; /* after its last comma */
    unsigned commas;
} Open;

typedef struct Scan {
    Open open[DEEPEST];
    unsigned n;
    bool silent; /* the cursor is in a string or a comment */
} Scan;

static size_t skip_string(const char *text, size_t at, size_t end) {
    for (at++; at < end && text[at] != '"' && text[at] != '\n'; at++)
        if (text[at] == '\\') at++;
    return at;
}

static void scan_one(Scan *s, const char *text, size_t at) {
    char c = text[at];
    bool arrow = c == '>' && at > 0 && text[at - 1] == '-';
    if (strchr("<({[", c) != NULL && s->n < DEEPEST)
        s->open[s->n++] = (Open){c, at, at + 1, 0};
    else if (strchr(">)}]", c) != NULL && !arrow && s->n > 0)
        s->n--;
    else if (c == ',' && s->n > 0) {
        s->open[s->n - 1].entry = at + 1;
        s->open[s->n - 1].commas++;
    }
}

static Scan scan(const char *text, size_t from, size_t end) {
    Scan s = {.n = 0};
    for (size_t at = from; at < end && !s.silent; at++) {
        if (text[at] == '"') {
            at = skip_string(text, at, end);
            s.silent = at >= end;
        } else if (text[at] == '/' && at + 1 < end && text[at + 1] == '/') {
            while (at < end && text[at] != '\n')
                at++;
            s.silent = at >= end;
        } else if (text[at] != '\0') {
            scan_one(&s, text, at);
        }
    }
    return s;
}

bool cursor_in_code(const char *text, size_t offset) {
    return !scan(text, line_before(text, offset), offset).silent;
}

/* ---- in brackets ---- */

/* Returns the `key` of `key =` at the start of an entry; empty when there is none. */
static Bit entry_key(const char *text, size_t entry, size_t end) {
    size_t from = entry;
    while (from < end && (is_blank(text[from]) || text[from] == '\n'))
        from++;
    size_t to = from;
    while (to < end && is_word(text[to]))
        to++;
    size_t equal = skip_blanks(text, to, end);
    bool has = equal < end && text[equal] == '=';
    return (Bit){text + from, has ? to - from : 0};
}

static void find_in_dictionary(Cursor *c, const char *text, const Open *open) {
    Bit key = entry_key(text, open->entry, c->from);
    if (c->inst == NULL) return;
    if (key.n == 0) {
        c->kind = CURSOR_KEY;
        return;
    }
    int attr = inst_attr_named(c->inst, key.s, key.n);
    if (attr < 0) return;
    c->attr = &c->inst->attrs[attr];
    c->kind = CURSOR_KEY_VALUE;
}

/* Recognises an element type after the extents, as in `32x64x`. */
static bool after_extents(const char *text, Cursor *c, size_t offset) {
    size_t at = c->from, element = 0;
    while (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '?'))
        at--;
    while (at < offset && ((text[at] >= '0' && text[at] <= '9') || text[at] == '?')) {
        while (at < offset && ((text[at] >= '0' && text[at] <= '9') || text[at] == '?'))
            at++;
        if (at == offset || text[at] != 'x') break;
        element = ++at;
    }
    if (element == 0) return false;
    c->from = element;
    c->kind = CURSOR_ELEMENT;
    return true;
}

static EnumFamily key_family(Bit key) {
#define TILE_KEY(id, text, family)                                                                 \
    if (bit_is(key, text)) return family;
#include "parser/tile_keys.def"
#undef TILE_KEY
    return EF_NONE;
}

static void find_in_tile(Cursor *c, const char *text, const Open *open, size_t offset) {
    Bit key = entry_key(text, open->entry, c->from);
    if (after_extents(text, c, offset)) return;
    if (key.n == 0) {
        c->kind = CURSOR_TILE_ENTRY;
    } else if (bit_is(key, "dtype")) {
        c->kind = CURSOR_ELEMENT;
    } else if (bit_is(key, "loc")) {
        c->kind = CURSOR_SPACE;
    } else if ((c->family = key_family(key)) != EF_NONE) {
        c->kind = CURSOR_ENUM;
    }
}

static bool is_tile_type(Bit name) {
    return bit_is(name, "pto.tile") || bit_is(name, "pto.tile_buf") ||
           bit_is(name, "pto.multi_tile_buf");
}

static void find_in_enum(Cursor *c, const char *text, const Open *open, Bit name) {
    size_t entry = skip_blanks(text, open->at + 1, c->from), to = entry;
    while (to < c->from && is_word(text[to]))
        to++;
    if (name.n > 4) {
        c->family = enum_family_find(name.s + 4, name.n - 4);
    } else if (entry == c->from) {
        c->kind = CURSOR_FAMILY;
        return;
    } else {
        c->family = enum_family_find(text + entry, to - entry);
    }
    if (c->family != EF_NONE) c->kind = CURSOR_ENUM;
}

/* Classifies an angle bracket by the word before it. */
static void find_in_angle(Cursor *c, const char *text, const Open *open, size_t offset) {
    size_t from = word_start(text, open->at);
    Bit name = {text + from, open->at - from};
    char marker = from > 0 ? text[from - 1] : ' ';
    bool pto = name.n >= 3 && memcmp(name.s, "pto", 3) == 0;
    if (is_tile_type(name)) {
        find_in_tile(c, text, open, offset);
    } else if (marker == '#' && pto) {
        find_in_enum(c, text, open, name);
    } else if (bit_is(name, "pto.ptr") && open->entry > open->at + 1) {
        c->kind = CURSOR_SPACE;
    } else if (marker == '!' && pto) {
        if (!after_extents(text, c, offset)) c->kind = CURSOR_ELEMENT;
    } else if (name.n == 0 && c->inst != NULL) {
        c->kind = CURSOR_ENUMS;
    }
}

static CursorKind kind_of_marker(char c) {
    return c == '%'   ? CURSOR_VALUE
           : c == '@' ? CURSOR_FUNCTION
           : c == '!' ? CURSOR_TYPE
           : c == '#' ? CURSOR_ATTRIBUTE
                      : CURSOR_NOTHING;
}

/* Notes the list of operands that begins with the bracket. */
static void find_clause(Cursor *c, const char *text, const Open *open, size_t name_end) {
    size_t end = open->at;
    while (end > name_end && is_blank(text[end - 1]))
        end--;
    c->word = word_start(text, end);
    const Bit word = {text + c->word, end - c->word};
    c->clause = bit_is(word, "ins") ? CLAUSE_INS : bit_is(word, "outs") ? CLAUSE_OUTS : CLAUSE_NONE;
    c->operand = open->commas;
    c->name_end = name_end;
}

Cursor cursor_find(const char *text, size_t offset) {
    size_t from = word_start(text, offset);
    Statement at = find_statement(text, offset);
    Cursor c = {.kind = CURSOR_NOTHING, .from = from, .inst = at.inst, .family = EF_NONE};
    Scan s = scan(text, at.in_name ? at.from : at.from < from ? at.from : from, from);
    if (s.silent) return c;
    /* the name may be in a comment; the quote of "pto.tadds" does not open a string */
    size_t quote = from > 0 && text[from - 1] == '"' ? from - 1 : from;
    if (at.in_name && scan(text, line_before(text, offset), quote).silent) return c;
    char marker = from > 0 ? text[from - 1] : ' ';
    const Open *open = s.n > 0 ? &s.open[s.n - 1] : NULL;
    if (kind_of_marker(marker) != CURSOR_NOTHING) {
        c.kind = kind_of_marker(marker);
        c.from--;
        if (open != NULL && open->bracket == '(') find_clause(&c, text, open, at.from);
        return c;
    }
    if (at.in_name)
        c.kind = CURSOR_NAME;
    else if (open != NULL && open->bracket == '<')
        find_in_angle(&c, text, open, offset);
    else if (open != NULL && open->bracket == '{')
        find_in_dictionary(&c, text, open);
    else if (from == offset || text[from] < '0' || text[from] > '9')
        c.kind = open != NULL ? CURSOR_ELEMENT : CURSOR_CLAUSE;
    return c;
}

/* Counts the commas outside of brackets; *types becomes true after a colon, or a list in brackets:
 * no operand follows. */
static unsigned commas_at(const char *text, size_t from, size_t end, bool *types) {
    unsigned depth = 0, n = 0;
    for (size_t at = from; at < end; at++) {
        const char c = text[at];
        if (c == '"') at = skip_string(text, at, end);
        if (c == '(' && depth == 0) *types = true;
        if (strchr("([{", c) != NULL && c != '\0') depth++;
        if (strchr(")]}", c) != NULL && c != '\0' && depth > 0) depth--;
        if (c == ',' && depth == 0) n++;
        if (c == ':' && depth == 0) *types = true;
    }
    return n;
}

/* Returns the end of the last line with something on it, if the line at the offset has nothing. */
static size_t after_blank_lines(const char *text, size_t offset) {
    size_t line = line_before(text, offset);
    while (line > 0 && skip_blanks(text, line, offset) == offset) {
        offset = line - 1;
        line = line_before(text, offset);
    }
    return offset;
}

Cursor cursor_operand(const char *text, size_t offset) {
    const size_t end = after_blank_lines(text, offset);
    const Statement at = find_statement(text, end);
    Cursor c = {.inst = at.inst, .family = EF_NONE};
    const Scan s = scan(text, at.from, offset);
    const Open *open = s.n > 0 ? &s.open[s.n - 1] : NULL;
    bool types = false;
    if (at.in_name || s.silent || !cursor_in_code(text, offset)) c.inst = NULL;
    if (c.inst == NULL) return c;
    if (open == NULL) {
        c.operand = commas_at(text, at.from, offset, &types);
    } else if (open->bracket == '(') {
        find_clause(&c, text, open, at.from);
        commas_at(text, open->at + 1, offset, &types);
    }
    const bool list = open != NULL && c.clause == CLAUSE_NONE;
    if (types || list || (open == NULL && end != offset)) c.inst = NULL;
    return c;
}
