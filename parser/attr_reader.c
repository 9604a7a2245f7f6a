/* SPDX-License-Identifier: Apache-2.0 */
/* Reads attribute values from tokens: numbers, strings, symbols, lists, dictionaries, types. The
 * lexer's limit on brackets bounds nesting. */
#include "parser/attr_text.h"
#include "parser/bind_internal.h"
#include "support/number.h"

#include <stdlib.h>

/* Parses an integer literal (decimal or 0x..., no sign); false when it exceeds 64 bits. */
static bool read_int_text(const char *s, size_t n, uint64_t *out) {
    uint64_t v = 0;
    bool hex = n > 2 && s[0] == '0' && s[1] == 'x';
    for (size_t i = hex ? 2 : 0; i < n; i++) {
        unsigned digit = s[i] <= '9' ? (unsigned)(s[i] - '0') : (unsigned)((s[i] | 32) - 'a') + 10;
        unsigned radix = hex ? 16 : 10;
        if (v > (UINT64_MAX - digit) / radix) return false;
        v = v * radix + digit;
    }
    *out = v;
    return true;
}

/* ---- numbers ---- */

static Diag *report_number(Context *ctx, const NumberText *number, const Type *type, Span span,
                           const char *why) {
    Diag *d =
        diag_add(&ctx->diags, DIAG_BAD_NUMBER, span, "'%s%.*s' %s", number->negative ? "-" : "",
                 (int)(number->n > 60 ? 60 : number->n), number->s, why);
    if (type != NULL)
        diag_note(&ctx->diags, d, "its type is '" TYPE_FMT "'", TYPE_ARG(&ctx->names, type));
    return d;
}

static const Attr *bad_number(Context *ctx, const NumberText *number, const Type *type, Span span,
                              const char *why) {
    report_number(ctx, number, type, span, why);
    return NULL;
}

/* Is the number all that the span has? */
static bool is_whole(const Context *ctx, const NumberText *number, Span span) {
    return span.len == number->n + number->negative &&
           memcmp(ctx->source->data + span.off + number->negative, number->s, number->n) == 0;
}

static unsigned float_bits(const Type *type) {
    return elem_infos[type->elem].bytes * 8u;
}

/* `1.0` of an integer type: the integer is offered. */
static const Attr *report_float(Context *ctx, const NumberText *number, const Type *type,
                                Span span) {
    double v;
    Diag *d = report_number(ctx, number, type, span, "is a float, its type is not");
    if (is_whole(ctx, number, span) && number_read(number->s, number->n, &v) && v <= INT32_MAX &&
        v == (double)(int64_t)v)
        diag_edit(&ctx->diags, d, span, "%s%lld", number->negative ? "-" : "", (long long)v);
    return NULL;
}

/* `1` of a float type: `1.0` is offered. */
static const Attr *report_integer(Context *ctx, const NumberText *number, const Type *type,
                                  Span span) {
    Diag *d = report_number(ctx, number, type, span, "is an integer; a float has a '.'");
    if (!is_whole(ctx, number, span)) return NULL;
    diag_edit(&ctx->diags, d, (Span){span.off + span.len, 0}, ".0");
    d->safe_fix = true;
    return NULL;
}

/* Keeps the text of a number that has several: fmt prints it as it is written. */
static void keep_text(Context *ctx, Attr *a, const NumberText *number) {
    char text[64] = "-";
    if (number->n + 1 > sizeof text) return;
    memcpy(text + 1, number->s, number->n);
    const bool negative = number->negative;
    a->text = intern_copy(&ctx->names, text + !negative, number->n + negative);
}

static const Attr *float_number(Context *ctx, const NumberText *number, const Type *type,
                                Span span) {
    if (type != NULL && elem_infos[type->elem].cls != 'F' && elem_infos[type->elem].cls != 'L')
        return report_float(ctx, number, type, span);
    bool hex = number->n > 1 && number->s[1] == 'x';
    double d;
    if (hex || !number_read(number->s, number->n, &d))
        return bad_number(ctx, number, NULL, span, "is not a number");
    Attr *a = attr_new(ctx, ATTR_FLOAT, span);
    a->d = number->negative ? -d : d;
    a->type = type;
    keep_text(ctx, a, number);
    return a;
}

/* Takes hexadecimal digits as the bits of a float. */
static const Attr *float_from_bits(Context *ctx, const NumberText *number, const Type *type,
                                   Span span, uint64_t v) {
    bool hex = number->n > 2 && number->s[1] == 'x';
    unsigned bits = float_bits(type);
    if (!hex) return report_integer(ctx, number, type, span);
    if (number->negative)
        return bad_number(ctx, number, type, span, "has a sign; float bits have none");
    if (bits < 64 && v >> bits != 0)
        return bad_number(ctx, number, type, span, "has more bits than its type");
    Attr *a = attr_new(ctx, ATTR_FLOAT, span);
    a->hex = true;
    a->i = (int64_t)v;
    a->type = type;
    keep_text(ctx, a, number);
    return a;
}

/* Signless integers may be -2^(n-1) .. 2^n - 1, as in the vendor's assembler. */
static bool int_fits(const NumberText *number, const Type *type, uint64_t v) {
    const uint64_t top = (uint64_t)1 << 63;
    bool hex = number->n > 2 && number->s[1] == 'x';
    if (type == NULL || type->elem == ELEM_INDEX)
        return number->negative ? v <= top : v < top || hex;
    unsigned width = type->elem == ELEM_ODD_INT ? type->width : elem_int_width((Elem)type->elem);
    char sign = type->elem == ELEM_ODD_INT ? type->sign : elem_infos[type->elem].cls;
    if (width == 0) return true;
    if (number->negative) {
        if (sign == 'U') return v == 0;
        return width > 64 || v <= (uint64_t)1 << (width - 1);
    }
    if (width >= 64) return sign != 'S' || v < top;
    return v < (uint64_t)1 << (sign == 'S' ? width - 1 : width);
}

const Attr *attr_number(Context *ctx, const NumberText *number, const Type *type, Span span) {
    bool scalar = type == NULL || type->kind == TY_SCALAR || type->kind == TY_DTYPE;
    uint64_t v = 0;
    if (!scalar) return bad_number(ctx, number, type, span, "has a type that is not numeric");
    if (number->is_float) return float_number(ctx, number, type, span);
    if (!read_int_text(number->s, number->n, &v))
        return bad_number(ctx, number, NULL, span, "does not fit 64 bits");
    if (type != NULL && (elem_infos[type->elem].cls == 'F' || elem_infos[type->elem].cls == 'L'))
        return float_from_bits(ctx, number, type, span, v);
    if (!int_fits(number, type, v))
        return bad_number(ctx, number, type, span, "does not fit its type");
    Attr *a = attr_new(ctx, ATTR_INT, span);
    a->i = (int64_t)(number->negative ? 0 - v : v);
    a->hex = number->n > 2 && number->s[1] == 'x';
    a->type = type;
    if (a->hex) keep_text(ctx, a, number);
    return a;
}

/* ---- tokens ---- */

static const Attr *failed(Cursor *c, const char *what) {
    fail_expected(c, what);
    return NULL;
}

static const Attr *read_value(Cursor *c);

/* Reads `: type`; NULL when it is absent. */
static const Type *type_suffix(Cursor *c) {
    return accept(c, TOK_COLON) ? read_type(c) : NULL;
}

/* Reads a number with an optional sign and, with `suffix`, its type. */
static const Attr *read_number(Cursor *c, bool suffix, const Type *type) {
    Context *ctx = c->b->ctx;
    uint32_t first = c->pos;
    bool negative = accept(c, TOK_MINUS);
    if (peek(c) != TOK_INT && peek(c) != TOK_FLOAT) return failed(c, "a number");
    const Token t = *token_at(c->b, c->pos++);
    NumberText number = {ctx->source->data + t.off, t.len, t.kind == TOK_FLOAT, negative};
    Span span = span_join(token_span(token_at(c->b, first)), token_span(&t));
    if (suffix) type = type_suffix(c);
    return c->failed ? NULL : attr_number(ctx, &number, type, span);
}

const Attr *read_plain_number(Binder *b, uint32_t *pos, uint32_t end, const Type *type) {
    Cursor c = {.b = b, .pos = *pos, .end = end, .start = UINT32_MAX};
    const Attr *a = read_number(&c, false, type);
    *pos = c.pos;
    return a;
}

static const Attr *text_attr(Cursor *c, AttrKind kind) {
    const Token *t = token_at(c->b, c->pos++);
    Attr *a = attr_new(c->b->ctx, kind, token_span(t));
    a->text = t->atom;
    if (kind == ATTR_STRING) a->type = type_suffix(c);
    return c->failed ? NULL : a;
}

/* Makes room for one more item of an array in the arena. */
static void *grow(Context *ctx, void *items, uint32_t n, size_t size) {
    if (n != 0 && (n < 4 || (n & (n - 1)) != 0)) return items;
    void *grown = arena_alloc(&ctx->arena, (n < 4 ? 4 : n * 2u) * size, 8);
    if (n != 0) memcpy(grown, items, n * size);
    return grown;
}

static const Attr *read_array(Cursor *c) {
    Context *ctx = c->b->ctx;
    const Token *open = token_at(c->b, c->pos++);
    Attr *a = attr_new(ctx, ATTR_ARRAY, token_span(open));
    const Attr **items = NULL;
    if (accept(c, TOK_RBRACKET)) return a;
    do {
        const Attr *item = read_value(c);
        if (item == NULL) return NULL;
        items = grow(ctx, items, a->n, sizeof *items);
        items[a->n++] = item;
    } while (accept(c, TOK_COMMA));
    if (!expect(c, TOK_RBRACKET)) return NULL;
    a->items = items;
    a->span = span_join(a->span, token_span(token_at(c->b, c->pos - 1)));
    return a;
}

static int by_name(const void *x, const void *y) {
    const NamedAttr *a = x, *b = y;
    if (a->name != b->name) return a->name < b->name ? -1 : 1;
    return a->span.off < b->span.off ? -1 : a->span.off > b->span.off;
}

static bool keys_differ(Cursor *c, const NamedAttr *entries, uint32_t n) {
    Context *ctx = c->b->ctx;
    NamedAttr *sorted = arena_alloc(&ctx->arena, (n + 1) * sizeof *sorted, 8);
    if (n != 0) memcpy(sorted, entries, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_name);
    for (uint32_t i = 1; i < n; i++) {
        if (sorted[i].name != sorted[i - 1].name) continue;
        Diag *d = fail(
            c, DIAG_DUPLICATE_ATTRIBUTE, sorted[i].span, "attribute '%.*s' is given twice",
            (int)atom_len(&ctx->names, sorted[i].name), atom_text(&ctx->names, sorted[i].name));
        diag_note_at(&ctx->diags, d, sorted[i - 1].span, "first given here");
        return false;
    }
    return true;
}

static const Attr *read_dictionary(Cursor *c) {
    static const Attr unit = {.kind = ATTR_UNIT};
    Context *ctx = c->b->ctx;
    Attr *a = attr_new(ctx, ATTR_DICT, token_span(token_at(c->b, c->pos++)));
    NamedAttr *entries = NULL;
    if (accept(c, TOK_RBRACE)) return a;
    do {
        if (peek(c) != TOK_WORD && peek(c) != TOK_STRING) return failed(c, "an attribute name");
        const Token key = *token_at(c->b, c->pos++);
        const Attr *value = accept(c, TOK_EQUAL) ? read_value(c) : &unit;
        if (value == NULL) return NULL;
        entries = grow(ctx, entries, a->n, sizeof *entries);
        entries[a->n++] = (NamedAttr){.name = key.atom, .span = token_span(&key), .value = value};
    } while (accept(c, TOK_COMMA));
    if (!expect(c, TOK_RBRACE) || !keys_differ(c, entries, a->n)) return NULL;
    a->entries = entries;
    a->span = span_join(a->span, token_span(token_at(c->b, c->pos - 1)));
    return a;
}

static const Attr *read_type_attr(Cursor *c) {
    Span span = token_span(token_at(c->b, c->pos));
    const Type *type = read_type(c);
    if (type == NULL) return NULL;
    Attr *a = attr_new(c->b->ctx, ATTR_TYPE, span);
    a->type = type;
    return a;
}

static const Attr *read_word(Cursor *c) {
    Context *ctx = c->b->ctx;
    const Token *t = token_at(c->b, c->pos);
    const char *s = atom_text(&ctx->names, t->atom);
    size_t n = atom_len(&ctx->names, t->atom);
    bool yes = n == 4 && memcmp(s, "true", 4) == 0;
    if (yes || (n == 5 && memcmp(s, "false", 5) == 0)) {
        Attr *a = attr_new(ctx, ATTR_BOOL, token_span(t));
        a->i = yes;
        c->pos++;
        return a;
    }
    if (n == 4 && memcmp(s, "unit", 4) == 0) {
        c->pos++;
        return attr_new(ctx, ATTR_UNIT, token_span(t));
    }
    if (type_from_word(ctx->types, s, n) != NULL) return read_type_attr(c);
    Diag *d = fail(c, DIAG_BAD_ATTRIBUTE, token_span(t), "'%.*s' is not an attribute value",
                   (int)(n > 60 ? 60 : n), s);
    diag_note(&ctx->diags, d, "a text is written in quotes, an enumeration as #pto.name<value>");
    return NULL;
}

static const Attr *read_hash(Cursor *c) {
    Context *ctx = c->b->ctx;
    const Token *t = token_at(c->b, c->pos++);
    const Attr *value = read_attr_token(ctx, t);
    if (value == NULL) {
        c->failed = true;
        return NULL;
    }
    const Type *type = value->kind == ATTR_OPAQUE ? type_suffix(c) : NULL; /* dense<..> : T */
    if (c->failed || type == NULL) return c->failed ? NULL : value;
    Attr *a = attr_new(ctx, ATTR_OPAQUE, value->span);
    *a = *value;
    a->type = type;
    return a;
}

static const Attr *read_value(Cursor *c) {
    if (c->failed) return NULL;
    switch (peek(c)) {
    case TOK_MINUS:
    case TOK_INT:
    case TOK_FLOAT:
        return read_number(c, true, NULL);
    case TOK_STRING:
        return text_attr(c, ATTR_STRING);
    case TOK_SYMBOL:
        return text_attr(c, ATTR_SYMBOL);
    case TOK_LBRACKET:
        return read_array(c);
    case TOK_DICT_OPEN:
        return read_dictionary(c);
    case TOK_TYPE:
    case TOK_LPAREN:
        return read_type_attr(c);
    case TOK_WORD:
        return read_word(c);
    case TOK_ATTR:
        return read_hash(c);
    case TOK_ANGLE: { /* the instruction determines the family */
        const Token *t = token_at(c->b, c->pos++);
        Attr *a = attr_new(c->b->ctx, ATTR_OPAQUE, token_span(t));
        a->text = intern(&c->b->ctx->names, c->b->ctx->source->data + t->off, t->len);
        return a;
    }
    default:
        return failed(c, "an attribute value");
    }
}

const Attr *read_attr(Binder *b, uint32_t *pos, uint32_t end) {
    Cursor c = {.b = b, .pos = *pos, .end = end, .start = UINT32_MAX};
    const Attr *a = read_value(&c);
    *pos = c.pos;
    return c.failed ? NULL : a;
}
