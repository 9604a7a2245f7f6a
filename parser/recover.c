/* SPDX-License-Identifier: Apache-2.0 */
/* Syntax errors: messages, and where parsing continues. */
#include "parser/parser_impl.h"

#include <string.h>

/* ---- messages ---- */

/* Describes a token for a message, in quotes if it has a text. */
static const char *describe(Parser *p, const Token *t) {
    if (t->kind == TOK_EOF) return "end of file";
    const char *s = p->ctx->source->data + t->off;
    int n = t->len > 40 ? 40 : (int)t->len;
    return arena_printf(&p->ctx->arena, "'%.*s%s'", n, s, t->len > 40 ? "..." : "");
}

/* Returns the innermost open bracket before the offending token; NULL: none. */
static const Token *open_bracket(Parser *p) {
    uint32_t stack[LEX_MAX_NESTING + 1];
    unsigned n = 0;
    for (uint32_t i = p->keep; i < p->cur; i++) {
        unsigned kind = parser_token(p, i)->kind;
        if (kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_DICT_OPEN ||
            kind == TOK_PROPS_OPEN) {
            if (n <= LEX_MAX_NESTING) stack[n++] = i;
        } else if ((kind == TOK_RPAREN || kind == TOK_RBRACKET || kind == TOK_RBRACE ||
                    kind == TOK_PROPS_CLOSE) &&
                   n != 0) {
            n--;
        }
    }
    return n != 0 ? parser_token(p, stack[n - 1]) : NULL;
}

static const char *closer_of(unsigned kind) {
    return kind == TOK_LPAREN      ? ")"
           : kind == TOK_LBRACKET  ? "]"
           : kind == TOK_DICT_OPEN ? "}"
                                   : "}>";
}

static bool is_group_word(Parser *p, const Token *t) {
    const char *text = atom_text(&p->ctx->names, t->atom);
    size_t n = atom_len(&p->ctx->names, t->atom);
    return t->kind == TOK_WORD &&
           ((n == 3 && memcmp(text, "ins", 3) == 0) || (n == 4 && memcmp(text, "outs", 4) == 0));
}

/* Returns the token after which the bracket `open` should close: before the types of the statement
 * or the next list, as in `[%a, %b : T` and `[%a, %b, sizes = [`; ins(...) and outs(...) contain
 * types. */
static const Token *last_inside(Parser *p, const Token *open, const Token *prev) {
    unsigned depth = 0;
    bool first = open == parser_token(p, p->keep);
    bool group = !first && open->kind == TOK_LPAREN && is_group_word(p, open - 1);
    if (open->kind != TOK_LPAREN && open->kind != TOK_LBRACKET) return prev;
    for (const Token *t = open + 1; t < prev; t++) {
        bool list = open->kind == TOK_LBRACKET && t->kind == TOK_COMMA && t[1].kind == TOK_WORD;
        bool types = (t->kind == TOK_COLON && !group) || t->kind == TOK_ARROW;
        if (depth == 0 && (list || types || is_group_word(p, t)) && t > open + 1) return t - 1;
        if (t->kind == TOK_LPAREN || t->kind == TOK_LBRACKET) depth++;
        if ((t->kind == TOK_RPAREN || t->kind == TOK_RBRACKET) && depth > 0) depth--;
    }
    return prev;
}

static bool starts_value(Parser *p, const Token *t) {
    return t->kind != TOK_EOF && p->ctx->source->data[t->off] == '%';
}

/* Offers a missing closing bracket when the line ends too early or another group begins, and a
 * missing comma before a value. */
static void offer_character(Parser *p, Diag *d, const Token *open, const Token *prev,
                            const Token *t) {
    DiagList *list = &p->ctx->diags;
    if (t->kind == TOK_EOF || (t->flags & TF_LINE_START) != 0 || is_group_word(p, t)) {
        prev = last_inside(p, open, prev);
        diag_edit(list, d, (Span){prev->off + prev->len, 0}, "%s", closer_of(open->kind));
    } else if (starts_value(p, t)) {
        diag_edit(list, d, (Span){prev->off + prev->len, 0}, ",");
    }
}

/* Says what can follow `prev`; NULL when that depends on more than this token. */
static const char *expected_after(Parser *p, const Token *prev, const Token *open) {
    switch (prev->kind) {
    case TOK_COLON:
        return open != NULL && open->kind == TOK_LBRACKET ? "a type or a block" : "a type";
    case TOK_ARROW:
        return "a type";
    case TOK_EQUAL: {
        const Token *target = p->cur - p->keep >= 2 ? prev - 1 : NULL;
        if (target != NULL && target->kind == TOK_RESULT && (target->flags & TF_BINDING) == 0)
            return "an instruction";
        return target != NULL && target->kind == TOK_TYPE_ALIAS ? "a type" : "a value";
    }
    case TOK_COMMA:
        return open != NULL && open->kind == TOK_DICT_OPEN ? "a key" : "an operand";
    case TOK_MINUS:
        return "a number";
    case TOK_ARG:
    case TOK_CONST:
        return "a value name";
    case TOK_RESULT:
        return "'='";
    default:
        return NULL;
    }
}

static void report_statement(Parser *p, const Token *t, Span at) {
    DiagList *list = &p->ctx->diags;
    if (t->kind == TOK_RBRACE && p->depth == 0) {
        Diag *d = diag_add(list, DIAG_SYNTAX, at, "'}' without '{'");
        diag_edit(list, d, at, "%s", "");
        return;
    }
    if (p->tail) {
        diag_add(list, DIAG_SYNTAX, at, "unexpected %s after a region", describe(p, t));
        return;
    }
    Diag *d = diag_add(list, DIAG_SYNTAX, at, "expected a statement, found %s", describe(p, t));
    if (t->kind == TOK_WORD) suggest_instruction(p->ctx, d, t);
}

/* Notes the instruction of the statement in the diagnostics about its syntax. */
static void note_instruction(Parser *p, Diag *d) {
    const Context *ctx = p->ctx;
    const Inst *inst = NULL;
    for (uint32_t i = p->keep; i <= p->cur && inst == NULL; i++) {
        const Token *t = parser_token(p, i);
        if (t->kind == TOK_OP && t->atom < ctx->ninst_atoms) inst = ctx->inst_by_atom[t->atom];
    }
    for (; d != NULL && inst != NULL; d = d->next)
        d->inst = (uint16_t)inst_id(inst);
}

/* Reports `NAME<...>` where NAME is that of a type of the dialect, without `!pto.`. */
static bool report_bare_type(Parser *p, const Token *prev, const Token *t) {
    const char *text = p->ctx->source->data;
    if (prev->kind != TOK_WORD || text[t->off] != '<' || prev->off + prev->len != t->off)
        return false;
    const char *meant = dialect_type(p->ctx, text + prev->off, prev->len);
    if (meant == NULL) return false;
    const Span at = {prev->off, prev->len};
    Diag *d = diag_add(&p->ctx->diags, DIAG_SYNTAX, at, "%s is not a type", describe(p, prev));
    diag_did_you_mean(&p->ctx->diags, d, at, meant, true);
    return true;
}

static void report_syntax(Parser *p);

void parser_syntax_error(Parser *p) {
    Diag *const *before = p->ctx->diags.last;
    report_syntax(p);
    note_instruction(p, *before);
}

static void report_syntax(Parser *p) {
    DiagList *list = &p->ctx->diags;
    if (p->cur + 1 == p->buf.count && !p->lexer.done) parser_refill(p); /* reads the next token */
    const Token *t = parser_token(p, p->cur);
    Span at = {t->off, t->len};
    p->unread++;
    if (t->kind == TOK_EOF && p->missing_reported)
        return; /* a missing brace was already reported */
    if (t->kind == TOK_ERROR) {
        lexer_report(p->ctx, t);
        return;
    }
    /* A name that ends in an illegal character. */
    const Token *next = p->cur + 1 < p->buf.count ? parser_token(p, p->cur + 1) : NULL;
    if (next != NULL && next->kind == TOK_ERROR && next->off == t->off + t->len) {
        lexer_report(p->ctx, next);
        return;
    }
    if (t->kind == TOK_REGION_OPEN && p->depth >= PARSE_MAX_REGIONS) {
        diag_add(list, DIAG_NESTING, at, "regions are nested deeper than %d", PARSE_MAX_REGIONS);
        return;
    }
    if (p->cur == p->keep) {
        report_statement(p, t, at);
        return;
    }
    const Token *open = open_bracket(p), *prev = parser_token(p, p->cur - 1);
    if (report_bare_type(p, prev, t)) return;
    const char *expected = expected_after(p, prev, open);
    /* When a line ends too early, points at its end and not at the next statement. */
    const char *place = "before", *what = describe(p, t);
    if (t->kind == TOK_EOF || (t->flags & TF_LINE_START) != 0) {
        place = "after";
        what = describe(p, prev);
        at = (Span){prev->off, prev->len};
    }
    if (expected != NULL) {
        diag_add(list, DIAG_SYNTAX, at, "expected %s %s %s", expected, place, what);
    } else if (open != NULL) {
        Diag *d = diag_add(list, DIAG_SYNTAX, at, "expected ',' or '%s' %s %s",
                           closer_of(open->kind), place, what);
        offer_character(p, d, open, prev, t);
        if (t->kind == TOK_EOF || (t->flags & TF_LINE_START) != 0)
            diag_note_at(list, d, (Span){open->off, open->len}, "opened here");
    } else if (t->kind == TOK_RPAREN || t->kind == TOK_RBRACKET || t->kind == TOK_PROPS_CLOSE) {
        Diag *d = diag_add(list, DIAG_SYNTAX, at, "%s closes nothing", describe(p, t));
        diag_edit(list, d, at, "%s", "");
    } else {
        Diag *d =
            diag_add(list, DIAG_SYNTAX, at,
                     "unexpected %s; a ',' or a word may be missing before it", describe(p, t));
        if (starts_value(p, t)) diag_edit(list, d, (Span){prev->off + prev->len, 0}, ",");
    }
}

void parser_stack_full(Parser *p) {
    const Token *t = parser_token(p, p->cur);
    diag_add(&p->ctx->diags, DIAG_NESTING, (Span){t->off, t->len}, "nested too deeply");
}

void parser_missing_brace(Parser *p) {
    if (p->missing_reported) return;
    p->missing_reported = true;
    p->unread++;
    const Token *t = parser_token(p, p->cur);
    Diag *d = diag_add(&p->ctx->diags, DIAG_SYNTAX, (Span){t->off, t->len},
                       "'}' is missing at the end of the file");
    diag_note_at(&p->ctx->diags, d, (Span){p->open_at[p->depth - 1], 1}, "opened here");
    bool own_line = t->off == 0 || p->ctx->source->data[t->off - 1] == '\n';
    diag_edit(&p->ctx->diags, d, (Span){t->off, 0}, own_line ? "}\n" : "\n}\n");
}

/* ---- recovery ---- */

static bool starts_statement(const Token *t) {
    if ((t->flags & (TF_LINE_START | TF_FRESH)) == 0) return false;
    switch (t->kind) {
    case TOK_RESULT:
        return (t->flags & TF_BINDING) == 0;
    case TOK_OP:
    case TOK_QUOTED_OP:
    case TOK_LABEL:
    case TOK_TYPE_ALIAS:
    case TOK_ATTR_ALIAS:
    case TOK_ARG:
    case TOK_CONST:
        return true;
    default:
        return false;
    }
}

static void skip_up_to(Parser *p, uint32_t end) {
    if (end > p->keep) bind_skipped(p->binder, p->keep, end - 1);
    p->keep = end;
}

/* Returns token i; reads more if necessary, dropping the tokens that were skipped. */
static const Token *fetch_token(Parser *p, uint32_t i) {
    if (i == p->buf.count && !p->lexer.done) {
        skip_up_to(p, i);
        parser_refill(p);
    }
    return parser_token(p, i);
}

/* Counts the dictionaries that the broken statement has opened before the offending token. */
static unsigned open_dicts(Parser *p) {
    unsigned n = 0;
    for (uint32_t i = p->keep; i < p->cur; i++) {
        unsigned kind = parser_token(p, i)->kind;
        if (kind == TOK_DICT_OPEN || kind == TOK_PROPS_OPEN)
            n++;
        else if ((kind == TOK_RBRACE || kind == TOK_PROPS_CLOSE) && n != 0)
            n--;
    }
    return n;
}

/* True when the region that token i opens has statements on lines of their own. */
static bool opens_block(Parser *p, uint32_t i) {
    if (i + 1 == p->buf.count && !p->lexer.done) {
        skip_up_to(p, i);
        parser_refill(p);
    }
    const Token *t = parser_token(p, i + 1);
    return (t->flags & TF_LINE_START) != 0 && starts_statement(t);
}

/* Skips to the next token that can start a statement at the beginning of a line, to the brace that
 * closes the current region, or to the brace of a region that the broken statement opens. */
void parser_broken(Parser *p) {
    const uint32_t first = p->keep; /* skipping moves it */
    unsigned dicts = open_dicts(p), regions = 0;
    uint32_t i = p->cur;
    p->tail = false;
    for (;; i++) {
        const Token *t = fetch_token(p, i);
        if (t->kind == TOK_EOF) break;
        if (regions == 0 && i != first && starts_statement(t)) break;
        if (t->kind == TOK_DICT_OPEN || t->kind == TOK_PROPS_OPEN) {
            dicts++;
        } else if (t->kind == TOK_REGION_OPEN) {
            if (regions == 0 && p->depth < PARSE_MAX_REGIONS && opens_block(p, i)) {
                p->orphan = true;
                break;
            }
            regions++;
        } else if (t->kind == TOK_RBRACE || t->kind == TOK_PROPS_CLOSE) {
            if (dicts != 0)
                dicts--;
            else if (regions != 0)
                regions--;
            else if (p->depth != 0 && t->kind == TOK_RBRACE)
                break;
        }
    }
    skip_up_to(p, i);
    p->next = i;
}

void parser_tail_broken(Parser *p) {
    bind_region_done(p->binder);
    parser_broken(p);
}
