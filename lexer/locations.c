/* SPDX-License-Identifier: Apache-2.0 */
/* Goes through the tokens once more, and keeps where statements begin and what `loc(..)` follows
 * them. */
#include "lexer/locations.h"
#include "lexer/lexer.h"

/* An open brace: what it is in. */
typedef struct Outer {
    uint32_t statement;
    uint32_t brackets; /* ( and [ that are open there */
    bool region;
} Outer;

typedef struct Finder {
    Locations *l;
    Context *ctx;
    TokenBuf buf;
    uint32_t statement;
    uint32_t brackets;
    bool named; /* the statement began with its results, or with .arg or .const */
    bool alias; /* it defines an alias */
    Span alias_name;
    Outer *outer;
    uint32_t nouter, cap_outer;
} Finder;

static void begin(Finder *f, uint32_t off) {
    f->statement = locations_statement(f->l);
    f->brackets = 0;
    f->named = f->alias = false;
    locations_mark(f->l, off, f->statement);
}

static void push(Finder *f, bool region) {
    if (f->nouter == f->cap_outer) {
        const uint32_t cap = f->cap_outer != 0 ? f->cap_outer * 2 : 64;
        Outer *grown = ARENA_ARRAY(&f->ctx->arena, Outer, cap);
        if (f->nouter != 0) memcpy(grown, f->outer, f->nouter * sizeof *grown);
        f->outer = grown;
        f->cap_outer = cap;
    }
    f->outer[f->nouter++] = (Outer){f->statement, f->brackets, region};
    if (region) f->brackets = 0;
}

static void pop(Finder *f, const Token *t) {
    if (f->nouter == 0) return;
    const Outer *outer = &f->outer[--f->nouter];
    f->brackets = outer->brackets;
    if (!outer->region) return;
    f->statement = outer->statement;
    f->named = f->alias = false;
    locations_mark(f->l, t->off, f->statement);
}

static bool starts_line(const Token *t) {
    return (t->flags & (TF_LINE_START | TF_FRESH)) != 0;
}

/* Follows brackets and braces. */
static void take_bracket(Finder *f, const Token *t) {
    switch (t->kind) {
    case TOK_LPAREN:
    case TOK_LBRACKET:
        f->brackets++;
        break;
    case TOK_RPAREN:
    case TOK_RBRACKET:
        f->brackets -= f->brackets > 0;
        break;
    case TOK_DICT_OPEN:
    case TOK_PROPS_OPEN:
    case TOK_REGION_OPEN:
        push(f, t->kind == TOK_REGION_OPEN);
        break;
    case TOK_RBRACE:
    case TOK_PROPS_CLOSE:
        pop(f, t);
        break;
    default:
        break;
    }
}

/* Keeps `#a = loc(..)`. */
static void take_alias(Finder *f, const Token *t) {
    static const char head[] = "loc(";
    const char *data = f->l->src->data;
    if (f->alias && t->len >= sizeof head && memcmp(data + t->off, head, sizeof head - 1) == 0)
        locations_alias(f->l, data + f->alias_name.off, f->alias_name.len, (Span){t->off, t->len});
    f->alias = false;
}

/* Begins a statement where one begins; `before` is the kind of the token before. */
static void take_token(Finder *f, const Token *t, unsigned before) {
    switch (t->kind) {
    case TOK_RESULT:
        if ((t->flags & TF_BINDING) != 0 || before == TOK_COMMA || f->brackets > 0) break;
        if (f->named && !starts_line(t)) break;
        begin(f, t->off);
        f->named = true;
        break;
    case TOK_ARG:
    case TOK_CONST:
        begin(f, t->off);
        f->named = true;
        break;
    case TOK_TYPE_ALIAS:
    case TOK_ATTR_ALIAS:
        begin(f, t->off);
        f->alias = t->kind == TOK_ATTR_ALIAS;
        f->alias_name = (Span){t->off + 1, t->len - 1};
        break;
    case TOK_OP:
    case TOK_QUOTED_OP:
        if (!f->named || starts_line(t)) begin(f, t->off);
        f->named = false;
        break;
    case TOK_LABEL:
        begin(f, t->off);
        break;
    case TOK_ATTR:
        take_alias(f, t);
        break;
    default:
        take_bracket(f, t);
        break;
    }
}

/* A location in brackets is that of the argument before it. */
static void take_location(Finder *f, Span text, uint32_t before) {
    if (f->brackets == 0) {
        locations_text(f->l, f->statement, text);
        return;
    }
    const TokenBuf *buf = &f->buf;
    while (before > buf->base && buf->tokens[before - 1 - buf->base].kind != TOK_VALUE)
        before--;
    if (before == buf->base) return;
    const uint32_t from = buf->tokens[before - 1 - buf->base].off, inside = f->statement;
    if (from < f->l->marks[f->l->nmarks - 1].from) return;
    const uint32_t argument = locations_statement(f->l);
    locations_mark(f->l, from, argument);
    locations_text(f->l, argument, text);
    locations_mark(f->l, text.off + text.len, inside);
}

static void take_batch(Finder *f, uint32_t from) {
    TokenBuf *buf = &f->buf;
    for (uint32_t i = from; i < buf->count; i++) {
        const Token *t = &buf->tokens[i - buf->base];
        for (; buf->ntaken < buf->ntrivia && buf->trivia[buf->ntaken].before <= i; buf->ntaken++)
            if (buf->trivia[buf->ntaken].kind == TRIVIA_LOCATION)
                take_location(f, buf->trivia[buf->ntaken].text, i);
        take_token(f, t, i > buf->base ? t[-1].kind : TOK_EOF);
    }
}

static void find_all(Locations *l, Context *ctx) {
    Finder *f = ARENA_NEW(&ctx->arena, Finder);
    Lexer *lx = ARENA_NEW(&ctx->arena, Lexer);
    f->l = l;
    f->ctx = ctx;
    lexer_init(lx, ctx, &ctx->arena, &f->buf);
    while (!lx->done) {
        const uint32_t from = f->buf.count;
        lexer_fill(lx);
        take_batch(f, from);
        /* The lexer looks at the token before, and an argument may be long. */
        const uint32_t keep = f->buf.count > 64 ? f->buf.count - 64 : 0;
        lexer_drop(lx, keep > f->buf.base ? keep : f->buf.base);
    }
}

/* True when the text may have a location. */
static bool has_location(const Source *src) {
    const char *p = src->data, *end = src->data + src->size;
    while ((p = memchr(p, '(', (size_t)(end - p))) != NULL) {
        if (p - src->data >= 3 && memcmp(p - 3, "loc", 3) == 0) return true;
        p++;
    }
    return false;
}

const Locations *context_locations(Context *ctx) {
    if (ctx->statement_locations != NULL) return ctx->statement_locations;
    Locations *l = locations_new(&ctx->keep, ctx->source);
    if (has_location(ctx->source)) {
        Context *scratch = ARENA_NEW(&ctx->keep, Context); /* names of its own */
        if (setjmp(scratch->oom) != 0) {
            context_free(scratch);
            longjmp(*ctx->keep.oom, 1);
        }
        context_init(scratch, ctx->source, 1);
        find_all(l, scratch);
        context_free(scratch);
    }
    return ctx->statement_locations = l;
}
