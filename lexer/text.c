/* SPDX-License-Identifier: Apache-2.0 */
/* Bracket matching, strings, symbols, and the messages of the lexer. */
#include "lexer/lexer_impl.h"

enum { MAX_LOOKAHEAD = 64 * 1024, MAX_MATCH_DEPTH = 64, FIRST_SEEN = 4096, SHORT_TEXT = 1024 };

const char *lex_peek_far(const Lexer *lx, const char *p) {
    for (;;) {
        while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')
            p++;
        if (*p != '/' || p[1] != '/') return p;
        p = memchr(p, '\n', (size_t)(lx->end - p));
        if (p == NULL) return lx->end;
    }
}

/* Returns the position after the closing quote, or NULL; p points after the opening one. */
static const char *skip_string(const char *p, const char *end) {
    for (; p < end && *p != '\n'; p++) {
        if (*p == '"') return p + 1;
        if (*p == '\\' && p + 1 < end) p++;
    }
    return NULL;
}

/* Matches brackets of all kinds; p points after the one to be closed by `closer`. Stops at
 * characters that cannot be inside, so that an unclosed bracket costs little. */
static const char *match(const Lexer *lx, const char *p, char closer) {
    char stack[MAX_MATCH_DEPTH];
    unsigned depth = 1;
    const char *end = lx->end - p > MAX_LOOKAHEAD ? p + MAX_LOOKAHEAD : lx->end;
    stack[0] = closer;
    while (p < end) {
        char c = *p++, open;
        switch (c) {
        case '<':
            open = '>';
            break;
        case '(':
            open = ')';
            break;
        case '[':
            open = ']';
            break;
        case '{':
            open = '}';
            break;
        case '>':
            if (p[-2] == '-') continue; /* an arrow */
            /* fall through */
        case ')':
        case ']':
        case '}':
            if (c != stack[depth - 1]) return NULL;
            if (--depth == 0) return p;
            continue;
        case '"':
            p = skip_string(p, end);
            if (p == NULL) return NULL;
            continue;
        case '%':
        case '@':
        case '^':
        case '\0':
            return NULL;
        default:
            continue;
        }
        if (depth == MAX_MATCH_DEPTH) return NULL;
        stack[depth++] = open;
    }
    return NULL;
}

const char *lex_match_angle(const Lexer *lx, const char *p) {
    return match(lx, p, '>');
}

const char *lex_match_loc(const Lexer *lx, const char *p) {
    return match(lx, p, ')');
}

static bool was_seen(const Lexer *lx, Atom atom) {
    return atom < lx->ntype_seen && lx->type_seen[atom] != 0;
}

static void set_seen(Lexer *lx, Atom atom) {
    if (atom >= lx->ntype_seen) {
        uint32_t cap = lx->ntype_seen != 0 ? lx->ntype_seen : FIRST_SEEN;
        while (cap <= atom)
            cap *= 2;
        uint8_t *seen = arena_zalloc(lx->work, cap, 1, 1);
        if (lx->ntype_seen != 0) memcpy(seen, lx->type_seen, lx->ntype_seen);
        lx->type_seen = seen;
        lx->ntype_seen = cap;
    }
    lx->type_seen[atom] = 1;
}

static const char *bracketed(Lexer *lx, const char *s, const char *p, Atom *atom) {
    /* Nearly every text was seen before. Up to the first > it is either a known, complete text, or
     * it must be matched. */
    const char *e =
        memchr(p, '>', (size_t)(lx->end - p > MAX_LOOKAHEAD ? MAX_LOOKAHEAD : lx->end - p));
    if (e != NULL && e - s < SHORT_TEXT) {
        uint32_t len = (uint32_t)(e + 1 - s);
        LastText *last = &lx->last[len % LAST_TEXTS];
        if (last->len == len && text_equal(last->text, s, len)) {
            *atom = last->atom;
            return e + 1;
        }
        Atom a = intern_find(&lx->ctx->names, s, (size_t)(e + 1 - s));
        if (a != 0 && was_seen(lx, a)) {
            *last = (LastText){s, len, a};
            *atom = a;
            return e + 1;
        }
    }
    e = match(lx, p, '>');
    if (e == NULL) return NULL;
    *atom = intern(&lx->ctx->names, s, (size_t)(e - s));
    set_seen(lx, *atom);
    return e;
}

const char *lex_bracketed(Lexer *lx, const char *s, const char *p, Atom *atom) {
    const char *e = bracketed(lx, s, p, atom);
    if (e != NULL && lx->end - s >= 8 && e - s >= 8)
        lx->begun[last_text_place(s)] = (LastText){s, (uint32_t)(e - s), *atom};
    return e;
}

/* ---- strings and symbols ---- */

static int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* Resolves the escapes of [s, e); false when one is unknown. */
static bool unescape(Lexer *lx, const char *s, const char *e, Atom *atom) {
    char *text = arena_alloc(&lx->ctx->keep, (size_t)(e - s) + 1, 1), *t = text;
    while (s < e) {
        if (*s != '\\') {
            *t++ = *s++;
            continue;
        }
        s++;
        int hi = hex_value(s[0]), lo = hi >= 0 ? hex_value(s[1]) : -1;
        if (lo >= 0) {
            *t++ = (char)(hi * 16 + lo);
            s += 2;
        } else if (*s == 'n' || *s == 't') {
            *t++ = *s++ == 'n' ? '\n' : '\t';
        } else if (*s == '"' || *s == '\\') {
            *t++ = *s++;
        } else {
            return false;
        }
    }
    *t = '\0';
    *atom = intern(&lx->ctx->names, text, (size_t)(t - text));
    return true;
}

const char *lex_string(Lexer *lx, const char *s, Atom *atom, int *error) {
    const char *p = s + 1;
    bool escapes = false;
    *error = -1;
    for (;; p++) {
        if (*p == '"') break;
        if (*p == '\n' || p == lx->end) {
            *error = LEX_OPEN_STRING;
            return p;
        }
        if (*p == '\\' && p + 1 < lx->end && p[1] != '\n') {
            escapes = true;
            p++;
        }
    }
    if (!escapes)
        *atom = intern(&lx->ctx->names, s + 1, (size_t)(p - s - 1));
    else if (!unescape(lx, s + 1, p, atom))
        *error = LEX_BAD_ESCAPE;
    return p + 1;
}

static bool is_id_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_id_char(char c) {
    return is_id_start(c) || (c >= '0' && c <= '9') || c == '$' || c == '.';
}

const char *lex_symbol(Lexer *lx, const char *s, Atom *atom, int *error) {
    const char *p = s;
    bool nested = false;
    for (;;) { /* p points at an @ */
        *error = -1;
        p++;
        if (*p == '"') {
            p = lex_string(lx, p, atom, error);
            if (*error >= 0) return p;
        } else if (is_id_start(*p)) {
            while (is_id_char(*p))
                p++;
        } else {
            *error = LEX_BAD_NAME;
            while (is_id_char(*p))
                p++;
            return p;
        }
        if (p[0] != ':' || p[1] != ':' || p[2] != '@') break;
        nested = true;
        p += 2;
    }
    if (nested || s[1] != '"') *atom = intern(&lx->ctx->names, s + 1, (size_t)(p - s - 1));
    return p;
}

/* ---- messages ---- */

/* True when more `<` are open at once than a type may have. */
static bool is_deep(const char *s, const char *end) {
    unsigned depth = 0;
    for (; s < end && depth <= MAX_MATCH_DEPTH && *s != '%' && *s != '@' && *s != '^'; s++) {
        depth += *s == '<';
        if (*s == '>' && s[-1] != '-' && depth > 0 && --depth == 0) break;
    }
    return depth > MAX_MATCH_DEPTH;
}

enum { LONGEST_NUMBER = 48 };

/* A number as other languages write it, and the same in this one. */
typedef struct Spelling {
    const char *at; /* the next character to read */
    char text[2 * LONGEST_NUMBER];
    size_t n;
} Spelling;

static void copy_digits(Spelling *sp) {
    for (; (*sp->at >= '0' && *sp->at <= '9') || *sp->at == '_'; sp->at++)
        if (*sp->at != '_' && sp->n < LONGEST_NUMBER) sp->text[sp->n++] = *sp->at;
}

static void put_char(Spelling *sp, char c) {
    sp->text[sp->n++] = c;
}

/* Copies `e-5` when it is one. */
static bool copy_exponent(Spelling *sp) {
    const size_t n = sp->n;
    const char *s = sp->at;
    if (*s != 'e' && *s != 'E') return false;
    put_char(sp, *sp->at++);
    if (*sp->at == '+' || *sp->at == '-') put_char(sp, *sp->at++);
    const size_t before = sp->n;
    copy_digits(sp);
    if (sp->n > before) return true;
    sp->n = n;
    sp->at = s;
    return false;
}

/* Reads `1e-5`, `.5`, `1.5f`, `1_000`, `10L`: a float needs a point with a digit before it, and
 * neither separators nor suffixes exist. False when it is another thing. */
static bool respell(Spelling *sp) {
    copy_digits(sp);
    if (sp->n == 0) put_char(sp, '0');
    const size_t whole = sp->n;
    bool point = *sp->at == '.', exponent;
    put_char(sp, '.');
    if (point) sp->at++;
    const size_t fraction = sp->n;
    copy_digits(sp);
    if (sp->n == fraction) put_char(sp, '0');
    exponent = copy_exponent(sp);
    bool suffix = *sp->at == 'f' || *sp->at == 'F';
    if (suffix || (!point && !exponent && strspn(sp->at, "uUlL") > 0))
        sp->at += suffix ? 1 : strspn(sp->at, "uUlL");
    if (!point && !exponent && !suffix) sp->n = whole; /* an integer */
    return sp->n < LONGEST_NUMBER && !is_id_char(*sp->at);
}

static void report_number(DiagList *list, Span at, const char *s) {
    Spelling sp = {.at = s};
    if (!respell(&sp)) {
        diag_add(list, DIAG_BAD_NUMBER, at, "'%.*s' is not a number",
                 (int)(at.len > 40 ? 40 : at.len), s);
        return;
    }
    const int n = (int)(sp.at - s), meant = (int)sp.n;
    at.len = (uint32_t)n;
    const char *why =
        s[strspn(s, "0123456789")] == 'e' || s[strspn(s, "0123456789")] == 'E' || *s == '.'
            ? "a float has a point and digits after it"
            : "numbers have no separators and no suffixes";
    Diag *d = diag_add(list, DIAG_BAD_NUMBER, at, "'%.*s' is not a number: %s", n, s, why);
    diag_edit(list, d, at, "%.*s", meant, sp.text);
    diag_note(list, d, "write %.*s", meant, sp.text);
    d->safe_fix = true;
}

void lexer_report(Context *ctx, const Token *tok) {
    DiagList *list = &ctx->diags;
    Span at = {tok->off, tok->len};
    const char *s = ctx->source->data + tok->off;
    switch ((LexError)tok->number) {
    case LEX_BAD_CHARACTER: {
        if (*s == '%' &&
            (unsigned char)s[1] >= 0x80) { /* not a letter of a name (a NUL ends the text) */
            s++;
            at.off++;
        }
        at.len = (uint32_t)utf8_length(s, ctx->source->size - at.off);
        unsigned char c = (unsigned char)*s;
        if (tok->off == 0 && at.len == 3 && memcmp(s, "\xEF\xBB\xBF", 3) == 0) {
            Diag *d =
                diag_add(list, DIAG_BAD_CHARACTER, at, "the text begins with a byte order mark");
            diag_edit(list, d, at, "%s", "");
            d->safe_fix = true;
        } else if (c == '.' && s[1] >= '0' && s[1] <= '9') {
            report_number(list, at, s);
        } else if (c == '/' && s[1] == '*') {
            at.len = 2;
            diag_add(list, DIAG_BAD_CHARACTER, at, "'/*' does not begin a comment, '//' does");
        } else if (c >= 0x21 && c < 0x7F)
            diag_add(list, DIAG_BAD_CHARACTER, at, "unexpected character '%c'", c);
        else if (c >= 0x80 && at.len > 1)
            diag_add(list, DIAG_BAD_CHARACTER, at, "unexpected character '%.*s'", (int)at.len, s);
        else
            diag_add(list, DIAG_BAD_CHARACTER, at, "unexpected byte 0x%02X", c);
        return;
    }
    case LEX_NUL:
        at.len = 1;
        diag_add(list, DIAG_BAD_CHARACTER, at, "NUL byte in the text");
        return;
    case LEX_OPEN_STRING:
        diag_add(list, DIAG_BAD_STRING, at, "string is not closed on its line");
        return;
    case LEX_BAD_ESCAPE:
        diag_add(list, DIAG_BAD_STRING, at,
                 "unknown escape in string; known are \\n, \\t, \\\", \\\\ and two hex digits");
        return;
    case LEX_BAD_NUMBER:
        report_number(list, at, s);
        return;
    case LEX_BIG_NUMBER:
        diag_add(list, DIAG_BAD_NUMBER, at, "a result number must be between 1 and 65535");
        return;
    case LEX_BAD_NAME:
        diag_add(list, DIAG_BAD_CHARACTER, at, "'%.*s' is not a name",
                 (int)(tok->len > 40 ? 40 : tok->len), s);
        return;
    case LEX_OPEN_ANGLE:
        if (is_deep(s, ctx->source->data + ctx->source->size))
            diag_add(list, DIAG_NESTING, at, "types are nested deeper than %d", MAX_MATCH_DEPTH);
        else
            diag_add(list, DIAG_BAD_TYPE, at, "'<' is not closed");
        return;
    case LEX_OPEN_LOCATION:
        diag_add(list, DIAG_SYNTAX, at, "location is not closed");
        return;
    case LEX_NESTING:
        diag_add(list, DIAG_NESTING, at, "brackets are nested deeper than %d", LEX_MAX_NESTING);
        return;
    }
}
