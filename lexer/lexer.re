/* SPDX-License-Identifier: Apache-2.0 */
/* The scanner, input of re2c: it recognises tokens. What needs more context (classification,
 * bracket matching, strings) is in lexer.c and text.c. */
#include "lexer/lexer_impl.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { BATCH = 512 };

/* A batch may end after these: later tokens do not affect how earlier ones are classified. */
static const bool batch_end[TOK_COUNT] = {
    [TOK_RPAREN] = true,      [TOK_RBRACKET] = true, [TOK_RBRACE] = true, [TOK_REGION_OPEN] = true,
    [TOK_PROPS_CLOSE] = true, [TOK_COLON] = true,    [TOK_ARROW] = true,  [TOK_INT] = true,
    [TOK_FLOAT] = true,       [TOK_ERROR] = true,    [TOK_EOF] = true};

/* Returns the end of a run of name bytes; `dash`: including `-`. Tests 16 bytes at a time if
 * possible, as the end of a byte loop would be mispredicted for each name. */
static inline const unsigned char *name_end(const unsigned char *p, const unsigned char *end,
                                            bool dash) {
#ifdef __SSE2__
    while (end - p >= 16) {
        const __m128i c = _mm_loadu_si128((const __m128i *)(const void *)p);
        const __m128i letter = _mm_sub_epi8(_mm_or_si128(c, _mm_set1_epi8(32)), _mm_set1_epi8('a'));
        const __m128i digit = _mm_sub_epi8(c, _mm_set1_epi8('0'));
        __m128i is = _mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(25)), letter);
        is = _mm_or_si128(is, _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit));
        is = _mm_or_si128(is, _mm_cmpeq_epi8(c, _mm_set1_epi8('_')));
        is = _mm_or_si128(is, _mm_cmpeq_epi8(c, _mm_set1_epi8('.')));
        is = _mm_or_si128(is, _mm_cmpeq_epi8(c, _mm_set1_epi8('$')));
        if (dash) is = _mm_or_si128(is, _mm_cmpeq_epi8(c, _mm_set1_epi8('-')));
        const unsigned other = ~(unsigned)_mm_movemask_epi8(is) & 0xFFFFu;
        if (other != 0) return p + __builtin_ctz(other);
        p += 16;
    }
#endif
    while (lex_char_class[*p] == 1 || (dash && lex_char_class[*p] != 0))
        p++;
    return p;
}

/* Classifies a word as OP or WORD in the common cases; lex_word_kind does the others. */
static inline unsigned word_kind(Lexer *lx, uint8_t cls, const char *next) {
    if (lx->after_results && lx->prev == TOK_EQUAL) {
        lx->op_class = cls;
        return TOK_OP;
    }
    if ((cls & (WC_DOTTED | WC_INST)) == 0 && (lx->flags & (TF_LINE_START | TF_FRESH)) == 0)
        return TOK_WORD;
    return lex_word_kind(lx, cls, next);
}

/* True when the line may go on with a comment or location: those belong to the token before them,
 * and the parser must find them in its batch. */
static inline bool line_goes_on(const unsigned char *p) {
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    return *p == '/' || *p == '#' || *p == ';' || *p == 'l';
}

static inline bool is_digit(unsigned char c) {
    return (unsigned)(c - '0') < 10;
}
static inline bool is_name(unsigned char c) {
    return (unsigned)((c | 32) - 'a') < 26 || c == '_' || c == '$';
}

void lexer_fill(Lexer *lx) {
    const unsigned char *cur = (const unsigned char *)lx->cur;
    const unsigned char *const end = (const unsigned char *)lx->end;
    const char *const data = lx->ctx->source->data;
    TokenBuf *const buf = lx->buf;
    Interner *const names = &lx->ctx->names;
    uint32_t n = buf->count - buf->base; /* tokens in the buffer */
    const uint32_t stop = n + BATCH;
    uint32_t check = 0; /* tokens at which to look whether the buffer is full or the batch ends */
    uint32_t label = NO_TOKEN; /* SUCCESSOR whose parenthesis was closed last */

    if (lx->done) return;
    for (;;) {
        while (*cur == ' ') cur++;
        const unsigned char *s = cur, *mar;
        unsigned kind, number = 0, flags = lx->flags;
        Atom atom = 0;
        int error;

        /*!re2c
        re2c:define:YYCTYPE  = "unsigned char";
        re2c:define:YYCURSOR = cur;
        re2c:define:YYLIMIT  = end;
        re2c:define:YYMARKER = mar;
        re2c:yyfill:enable   = 0;
        re2c:eof             = 0;

        digit  = [0-9];
        letter = [A-Za-z];
        idfirst = [A-Za-z$._-];
        idch   = [A-Za-z0-9$._-];
        suffix = digit+ | idfirst idch*;

        [ \t\r]+ { continue; }
        "\n" {
            const unsigned char *line = cur, *p = cur;
            while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n') {
                if (*p == '\n') line = p + 1;
                p++;
            }
            /* Keeps a blank line unless it is at the start or end of the file. */
            if (line != cur && p != end && (buf->base + n != 0 || buf->ntrivia != 0))
                lex_add_trivia(lx, (const char *)cur, (const char *)cur, buf->base + n,
                               TRIVIA_BLANK);
            cur = p;
            lx->flags |= TF_LINE_START;
            continue;
        }
        "//" { goto comment; }
        "#" {
            if (cur == end || *cur == ' ' || *cur == '\t' || *cur == '\r' || *cur == '\n')
                goto comment;
            error = LEX_BAD_CHARACTER;
            goto failed;
        }
        ";" {
            if (lex_is_separator(lx, (const char *)cur)) {
                lx->flags |= TF_FRESH;
                continue;
            }
            goto comment;
        }

        "%" (digit+ | idfirst) {
            if (!is_digit(s[1])) {
                cur = name_end(cur, end, true);
                if (cur[-1] == '-' && *cur == '>') cur--;
            }
            const char *name = (const char *)s + 1;
            const size_t len = (size_t)(cur - s - 1);
            const uint32_t hash = text_hash(name, len);
            atom = intern_recent(names, name, len, hash);
            if (atom == 0)
                atom = lex_other_value(lx, buf->base + n, (OtherText){name, (uint32_t)len, hash});
            kind = TOK_VALUE;
            if (*cur == '#' || *cur == ':') goto value_number;
            if (is_digit(s[1]) && is_name(*cur)) goto bad_name;
            goto token;
        }
        letter | "_" {
            cur = name_end(cur, end, false);
            atom = intern(names, (const char *)s, (size_t)(cur - s));
            uint8_t cls = lex_word_class(lx, atom);
            if ((cls & WC_BRACKET) != 0 && *cur == '<') {
                kind = (cls & WC_IS_ATTR) != 0 ? TOK_ATTR : TOK_TYPE;
                goto bracketed;
            }
            if ((cls & WC_LOC) != 0 && *cur == '(') goto location;
            buf->count = buf->base + n;
            kind = word_kind(lx, cls, (const char *)cur);
            if (kind == TOK_EOF) { /* a PTO-AS label */
                cur++;
                continue;
            }
            goto token;
        }
        [!#] idfirst {
            kind = *s == '!' ? TOK_TYPE : TOK_ATTR;
            const LastText *last = lex_last_text(lx, (const char *)s);
            if (last != NULL) {
                atom = last->atom;
                cur = s + last->len;
                goto token;
            }
            cur = name_end(cur, end, true);
            if (*cur == '<') goto bracketed;
            if (kind == TOK_TYPE && lx->prev == TOK_VALUE) {
                const Token *t = &buf->tokens[n - 1];
                if (data + t->off + t->len == (const char *)s) { /* %tile!loc=vec */
                    cur = s + 1;
                    kind = TOK_BANG;
                    goto token;
                }
            }
            atom = intern(names, (const char *)s, (size_t)(cur - s));
            goto token;
        }
        "#" digit+ {
            kind = TOK_ATTR;
            if (*cur == '<') goto bracketed;
            atom = intern(names, (const char *)s, (size_t)(cur - s));
            goto token;
        }
        "^" suffix {
            atom = intern(names, (const char *)s + 1, (size_t)(cur - s - 1));
            kind = TOK_SUCCESSOR;
            goto token;
        }
        "@" {
            cur = (const unsigned char *)lex_symbol(lx, (const char *)s, &atom, &error);
            if (error >= 0) goto failed;
            kind = TOK_SYMBOL;
            goto token;
        }
        ["] {
            cur = (const unsigned char *)lex_string(lx, (const char *)s, &atom, &error);
            if (error >= 0) goto failed;
            kind = TOK_STRING;
            goto token;
        }
        digit+ {
            kind = TOK_INT;
            goto number;
        }
        "0x" [0-9A-Fa-f]+ {
            kind = TOK_INT;
            flags |= TF_FLOAT_HEX;
            goto number;
        }
        digit+ "." digit* ([eE] [+-]? digit+)? {
            kind = TOK_FLOAT;
            goto number;
        }
        ".arg" / [ \t] { kind = TOK_ARG; goto token; }
        ".const" / [ \t] { kind = TOK_CONST; goto token; }

        "(" {
            uint32_t opener = NO_TOKEN;
            kind = TOK_LPAREN;
            if (lx->prev == TOK_STRING && lx->nopen == 0) {
                buf->tokens[n - 1].kind = TOK_QUOTED_OP;
                lx->op_class = WC_REGION_OP;
            } else if (lx->prev == TOK_SUCCESSOR) {
                opener = buf->base + n - 1;
            }
            if (lx->nopen >= LEX_MAX_NESTING) goto too_deep;
            lex_push(lx, opener != NO_TOKEN ? NEST_LABEL : NEST_PAREN, opener);
            goto token;
        }
        ")" {
            label = lex_pop_paren(lx);
            kind = TOK_RPAREN;
            goto token;
        }
        "[" {
            if (lx->nopen >= LEX_MAX_NESTING) goto too_deep;
            lex_push(lx, NEST_BRACKET, NO_TOKEN);
            kind = TOK_LBRACKET;
            goto token;
        }
        "]" {
            lex_pop_bracket(lx);
            kind = TOK_RBRACKET;
            goto token;
        }
        "<<<" {
            if (lx->nopen >= LEX_MAX_NESTING) goto too_deep;
            lex_push(lx, NEST_BRACKET, NO_TOKEN);
            kind = TOK_LAUNCH_OPEN;
            goto token;
        }
        ">>>" {
            lex_pop_bracket(lx);
            kind = TOK_LAUNCH_CLOSE;
            goto token;
        }
        "{" {
            buf->count = buf->base + n;
            if (lex_is_dict(lx, (const char *)cur)) {
                if (lx->nopen >= LEX_MAX_NESTING) goto too_deep;
                lex_push(lx, NEST_DICT, NO_TOKEN);
                kind = TOK_DICT_OPEN;
                goto token;
            }
            if (lx->prev == TOK_LPAREN) {
                buf->tokens[n - 1].flags |= TF_REGIONS;
                lx->nest[lx->nnest - 1].kind = NEST_REGIONS;
            }
            lex_push(lx, NEST_REGION, NO_TOKEN);
            kind = TOK_REGION_OPEN;
            goto fresh;
        }
        "}" {
            unsigned closed = lex_pop_brace(lx);
            kind = TOK_RBRACE;
            if (closed == NEST_PROPS && *cur == '>') {
                cur++;
                kind = TOK_PROPS_CLOSE;
            }
            if (closed == NEST_REGION) goto fresh;
            goto token;
        }
        "<" {
            if (*cur == '{') {
                cur++;
                if (lx->nopen >= LEX_MAX_NESTING) goto too_deep;
                lex_push(lx, NEST_PROPS, NO_TOKEN);
                kind = TOK_PROPS_OPEN;
                goto token;
            }
            const char *e = lex_match_angle(lx, (const char *)cur);
            if (e == NULL) {
                error = LEX_OPEN_ANGLE;
                goto failed;
            }
            const char *a = (const char *)cur, *z = e - 1;
            while (a < z && (*a == ' ' || *a == '\t')) a++;
            while (a < z && (z[-1] == ' ' || z[-1] == '\t')) z--;
            atom = intern(names, a, (size_t)(z - a));
            cur = (const unsigned char *)e;
            kind = TOK_ANGLE;
            goto token;
        }
        ":" {
            kind = TOK_COLON;
            if (lx->prev == TOK_SUCCESSOR)
                label = buf->base + n - 1;
            else if (lx->prev != TOK_RPAREN)
                label = NO_TOKEN;
            if (label == NO_TOKEN || label < buf->base) goto token;
            Token *t = &buf->tokens[label - buf->base];
            t->kind = TOK_LABEL;
            if ((t->flags & TF_LINE_START) != 0) lex_reset(lx);
            goto fresh;
        }
        "=" {
            buf->count = buf->base + n;
            lx->after_results = lx->prev != TOK_WORD && lex_equal(lx, (const char *)cur);
            kind = TOK_EQUAL;
            goto token;
        }
        "," { kind = TOK_COMMA; goto token; }
        "->" { kind = TOK_ARROW; goto token; }
        "-" { kind = TOK_MINUS; goto token; }
        "+" { kind = TOK_PLUS; goto token; }
        "*" { kind = TOK_STAR; goto token; }
        "?" { kind = TOK_QUESTION; goto token; }

        $ {
            kind = TOK_EOF;
            lx->done = true;
            check = 0;
            s = end;
            cur = end;
            goto token;
        }
        * {
            error = *s == 0 ? LEX_NUL : LEX_BAD_CHARACTER;
            while (cur < end && (*cur >= 0x80 || *cur < 9)) cur++;
            goto failed;
        }
        */

    comment: {
        const unsigned char *e = memchr(s, '\n', (size_t)(end - s));
        if (e == NULL) e = end;
        cur = e;
        while (e > s && e[-1] == '\r') e--;
        bool trailing = (lx->flags & TF_LINE_START) == 0 && buf->base + n != 0;
        lex_note_allow(lx, (const char *)s, (const char *)e);
        lex_add_trivia(lx, (const char *)s, (const char *)e, buf->base + n,
                       trailing ? TRIVIA_TRAILING : TRIVIA_COMMENT);
        continue;
    }
    location: {
        const char *e = lex_match_loc(lx, (const char *)cur + 1);
        if (e == NULL) {
            error = LEX_OPEN_LOCATION;
            goto failed;
        }
        cur = (const unsigned char *)e;
        unsigned top = lex_top(lx);
        if (lx->prev != TOK_EQUAL && lx->prev != TOK_LBRACKET &&
            !(lx->prev == TOK_COMMA && top == NEST_BRACKET)) {
            lex_add_trivia(lx, (const char *)s, e, buf->base + n, TRIVIA_LOCATION);
            continue;
        }
        atom = intern(names, (const char *)s, (size_t)(cur - s));
        kind = TOK_ATTR;
        goto token;
    }
    bracketed: {
        const char *e = lex_bracketed(lx, (const char *)s, (const char *)cur + 1, &atom);
        if (e == NULL) {
            cur++;
            error = LEX_OPEN_ANGLE;
            goto failed;
        }
        cur = (const unsigned char *)e;
        goto token;
    }
    value_number: {
        if (!is_digit(cur[1])) goto token; /* `%x: T` */
        bool count = *cur == ':';
        for (cur++; is_digit(*cur); cur++)
            if (number <= UINT16_MAX) number = number * 10 + (unsigned)(*cur - '0');
        if (number > UINT16_MAX || (count && number == 0)) {
            error = LEX_BIG_NUMBER;
            goto failed;
        }
        flags |= count ? TF_COUNT : TF_PACK;
        goto token;
    }
    number:
        if (is_name(*cur)) {
            while (is_name(*cur) || is_digit(*cur)) cur++;
            error = LEX_BAD_NUMBER;
            goto failed;
        }
        goto token;
    bad_name:
        while (is_name(*cur) || is_digit(*cur)) cur++;
        error = LEX_BAD_NAME;
        goto failed;
    too_deep:
        error = LEX_NESTING;
    failed:
        kind = TOK_ERROR;
        number = (unsigned)error;
        atom = 0;
    token:
        lx->flags = 0;
        goto push;
    fresh:
        lx->flags = TF_FRESH;
    push:
        buf->tokens[n] = (Token){(uint8_t)kind, (uint8_t)flags, (uint16_t)number,
                                 (uint32_t)((const char *)s - data), (uint32_t)(cur - s), atom};
        lx->prev = (uint8_t)kind;
        n++;
        if (n < check) continue;
        if (n == lx->cap_tokens) lex_grow(lx, n);
        check = stop < lx->cap_tokens ? stop : lx->cap_tokens;
        if (n >= stop && batch_end[kind] && lx->open_labels == 0 &&
            (kind != TOK_RPAREN || label == NO_TOKEN) && !line_goes_on(cur))
            break;
        if (lx->done) break;
    }
    lx->cur = (const char *)cur;
    buf->count = buf->base + n;
    lex_intern_values(lx);
}
