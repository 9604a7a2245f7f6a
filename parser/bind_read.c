/* Reads parts of statements: expected tokens, operands, types, dictionaries, results. */
#include "ir/epilogue.h"
#include "parser/bind_internal.h"
#include "parser/conversions.h"
#include "parser/parse.h"
#include "parser/type_places.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- expectations ---- */

Diag *fail(Cursor *c, DiagId id, Span span, const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    c->failed = true;
    return diag_add(&c->b->ctx->diags, id, span, "%s", text);
}

/* Reports an error about a part of the statement (an operand, or NULL), and reads on if the form
 * of the statement allows it. */
static Diag *fail_part(Cursor *c, const Operand *o, DiagId id, Span span, const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    Diag *d = diag_add(&c->b->ctx->diags, id, span, "%s", text);
    const bool reads_on = c->inst != NULL && c->inst->form != FORM_CUSTOM;
    if (!reads_on || c->nwrong == MOST_WRONG) {
        c->failed = true;
        return d;
    }
    if (c->wrong == NULL) c->wrong = ARENA_ARRAY(&c->b->ctx->arena, Wrong, MOST_WRONG);
    c->wrong[c->nwrong++] = (Wrong){.d = d, .operand = o != NULL ? *o : (Operand){NULL, {0, 0}}};
    return d;
}

/* Was an error about this operand of the statement reported, or the same kind of one about another
 * of its type? */
static bool is_wrong(const Cursor *c, const Operand *o) {
    for (unsigned i = 0; i < c->nwrong; i++) {
        const Wrong *w = &c->wrong[i];
        if (w->operand.value == NULL) continue;
        if (w->operand.span.off == o->span.off ||
            (w->d->id == DIAG_OPERAND_KIND && w->operand.value->type == o->value->type))
            return true;
    }
    return false;
}

void name_wrong_operands(const Cursor *c, const Op *op) {
    for (unsigned i = 0; i < c->nwrong; i++)
        for (unsigned k = 0; k < op->noperands; k++)
            if (c->wrong[i].operand.value != NULL && c->wrong[i].d->operand == NULL &&
                op->operands[k].span.off == c->wrong[i].operand.span.off)
                c->wrong[i].d->operand = op_operand_name(op, k);
}

static int shown_len(size_t n) {
    return n > 60 ? 60 : (int)n;
}

Diag *fail_expected(Cursor *c, const char *what) {
    if (c->failed) return NULL;
    if (c->pos >= c->end)
        return fail(c, DIAG_SYNTAX, cursor_span(c), "expected %s, found the end of the statement",
                    what);
    const Token *t = token_at(c->b, c->pos);
    return fail(c, DIAG_SYNTAX, token_span(t), "expected %s, found '%.*s'", what, shown_len(t->len),
                c->b->ctx->source->data + t->off);
}

bool expect(Cursor *c, TokenKind kind) {
    if (c->failed) return false;
    if (accept(c, kind)) return true;
    Diag *d = fail_expected(c, token_names[kind]);
    if (kind == TOK_COMMA && peek(c) == TOK_VALUE && d != NULL && c->pos > c->b->buf->base) {
        const Token *before = token_at(c->b, c->pos - 1);
        diag_edit(&c->b->ctx->diags, d, (Span){before->off + before->len, 0}, ",");
    }
    return false;
}

static bool atom_equals(const Context *ctx, Atom a, const char *word) {
    size_t n = strlen(word);
    return atom_len(&ctx->names, a) == n && memcmp(atom_text(&ctx->names, a), word, n) == 0;
}

bool peek_word(const Cursor *c, const char *word) {
    return peek(c) == TOK_WORD && atom_equals(c->b->ctx, token_at(c->b, c->pos)->atom, word);
}

bool accept_word(Cursor *c, const char *word) {
    if (!peek_word(c, word)) return false;
    c->pos++;
    return true;
}

bool expect_word(Cursor *c, const char *word) {
    if (c->failed || accept_word(c, word)) return !c->failed;
    char quoted[48];
    snprintf(quoted, sizeof quoted, "'%s'", word);
    fail_expected(c, quoted);
    return false;
}

/* Skips loc(...), which has no meaning. */
void skip_location(Cursor *c) {
    if (!peek_word(c, "loc") || peek_at(c, 1) != TOK_LPAREN) return;
    unsigned depth = 0;
    for (c->pos++; c->pos < c->end; c->pos++) {
        TokenKind k = peek(c);
        depth += k == TOK_LPAREN || k == TOK_LBRACKET;
        depth -= k == TOK_RPAREN || k == TOK_RBRACKET;
        if (depth == 0) {
            c->pos++;
            return;
        }
    }
}

void expect_end(Cursor *c) {
    if (c->failed || c->pos >= c->end) return;
    skip_location(c);
    if (!c->failed && c->pos < c->end) {
        const Token *t = token_at(c->b, c->pos);
        fail(c, DIAG_SYNTAX, token_span(t), "unexpected '%.*s'", shown_len(t->len),
             c->b->ctx->source->data + t->off);
    }
}

/* ---- operands ---- */

bool read_operand(Cursor *c, Operand *out) {
    if (c->failed || peek(c) != TOK_VALUE) {
        fail_expected(c, "a value");
        return false;
    }
    const Token *t = token_at(c->b, c->pos++);
    *out = (Operand){use_value(c->b, t), token_span(t)};
    if (peek(c) == TOK_BANG) { /* %t!loc=vec repeats a key of the type */
        c->pos++;
        if (!expect(c, TOK_WORD) || !expect(c, TOK_EQUAL)) return false;
        if (peek(c) != TOK_WORD && peek(c) != TOK_INT) fail_expected(c, "a property value");
        c->pos++;
    }
    return !c->failed;
}

bool at_literal(const Cursor *c) {
    TokenKind k = peek(c);
    return k == TOK_INT || k == TOK_FLOAT || (k == TOK_MINUS && peek_at(c, 1) != TOK_EOF);
}

static void note_literal(Binder *b, Value *v, const Attr *a) {
    if (b->nliterals == b->literals_cap) {
        uint32_t cap = b->literals_cap == 0 ? 64 : b->literals_cap * 2;
        Literal *grown = ARENA_ARRAY(&b->ctx->keep, Literal, cap);
        if (b->nliterals != 0) memcpy(grown, b->literals, b->nliterals * sizeof *grown);
        b->literals = grown;
        b->literals_cap = cap;
    }
    b->literals[b->nliterals++] = (Literal){v, a->kind == ATTR_INT && a->i >= 0 ? a->i : -1};
}

/* Inserts an arith.constant for a literal operand before the statement. */
Value *literal_operand(Cursor *c, const Type *type) {
    Binder *b = c->b;
    Context *ctx = b->ctx;
    uint32_t first = c->pos;
    Span span = token_span(token_at(b, first));
    const Attr *a = read_plain_number(b, &c->pos, c->end, type);
    if (a == NULL) {
        c->failed = true;
        return error_value(b, 0);
    }
    bool want_float = type_is_float(type);
    if ((want_float && a->kind != ATTR_FLOAT) || (!want_float && a->kind != ATTR_INT)) {
        fail(c, DIAG_BAD_NUMBER, span, "expected %s literal for type '" TYPE_FMT "'",
             want_float ? "a float (with a '.')" : "an integer", TYPE_ARG(&ctx->names, type));
        return error_value(b, 0);
    }
    Attr *typed = ARENA_NEW(&ctx->arena, Attr);
    *typed = *a;
    typed->type = type;
    Op *op = op_new(ctx, &inst_table[INST_CONSTANT], span);
    op->attrs = ARENA_ARRAY(&ctx->arena, NamedAttr, 1);
    op->attrs[0] = (NamedAttr){intern(&ctx->names, "value", 5), span, typed};
    op->nattrs = 1;
    op->form = OPF_AS; /* outside of functions it is printed as a .const line */
    op->nresults = 1;
    op->results = ARENA_ARRAY(&ctx->arena, Value, 1);
    op->results[0] = (Value){.type = type, .name_off = span.off, .def = op, .npack = 1};
    note_literal(b, &op->results[0], a);
    append_op(b, op);
    return &op->results[0];
}

/* ---- types ---- */

static const Type *short_pointer(Cursor *c, const Token *t) {
    Context *ctx = c->b->ctx;
    const char *inner = atom_text(&ctx->names, t->atom);
    const char *text =
        arena_printf(&ctx->arena, "!pto.ptr<%.*s>", (int)atom_len(&ctx->names, t->atom), inner);
    Token full = *t;
    full.kind = TOK_TYPE;
    full.atom = intern_copy(&ctx->names, text, strlen(text));
    return read_type_token(ctx, &full);
}

static const Type *read_function_type(Cursor *c) {
    enum { MOST = 512 };
    Context *ctx = c->b->ctx;
    const Type *types[MOST];
    unsigned n = read_type_list(c, types, NULL, MOST, true);
    if (!expect(c, TOK_ARROW)) return NULL;
    unsigned m = read_type_list(c, types + n, NULL, MOST - n, false);
    if (!c->failed && types_are_long(ctx->types, types, n + m))
        fail(c, DIAG_BAD_TYPE, cursor_span(c), "the types in this one are too long");
    return c->failed ? NULL : type_function(ctx->types, types, n, types + n, m);
}

const Type *read_type(Cursor *c) {
    if (c->failed) return NULL;
    const Type *type = NULL;
    const Token *t = c->pos < c->end ? token_at(c->b, c->pos) : NULL;
    switch (peek(c)) {
    case TOK_TYPE:
    case TOK_WORD:
        type = read_type_token(c->b->ctx, t);
        c->pos++;
        c->failed |= type == NULL;
        break;
    case TOK_ANGLE:
        type = short_pointer(c, t);
        c->pos++;
        c->failed |= type == NULL;
        break;
    case TOK_LPAREN:
        type = read_function_type(c);
        break;
    default:
        fail_expected(c, "a type");
        break;
    }
    return type;
}

unsigned read_type_list(Cursor *c, const Type **out, Span *spans, unsigned cap, bool parens) {
    unsigned n = 0;
    bool open = peek(c) == TOK_LPAREN;
    if (parens && !open) {
        fail_expected(c, "'('");
        return 0;
    }
    if (open) c->pos++;
    if (open && accept(c, TOK_RPAREN)) return 0;
    do {
        Span span = cursor_span(c);
        const Type *t = read_type(c);
        if (t == NULL) return n;
        if (n == cap) {
            fail(c, DIAG_OPERAND_COUNT, span, "more than %u types", cap);
            return n;
        }
        if (spans != NULL) spans[n] = span;
        out[n++] = t;
    } while (open && accept(c, TOK_COMMA));
    if (open) expect(c, TOK_RPAREN);
    return n;
}

/* ---- attributes ---- */

/* Returns true if `value` is a word of the enumeration of the attribute `known`. */
static bool is_its_value(const AttrInfo *known, const Attr *value) {
    return known->type == AT_ENUM && value->kind == ATTR_ENUM && value->family == known->family;
}

/* Unknown attributes are kept, as the vendor's assembler does, unless the key looks like a
 * misspelt attribute of the instruction, or the value belongs to one. */
static void report_misspelt(Cursor *c, const Op *op, Atom name, Span span, const Attr *value) {
    Context *ctx = c->b->ctx;
    const char *text = atom_text(&ctx->names, name);
    size_t n = atom_len(&ctx->names, name);
    if (memchr(text, '.', n) != NULL) return;
    for (int i = 0; i < op->inst->nattrs; i++) {
        const char *known = op->inst->attrs[i].name;
        if (edit_distance(text, n, known, strlen(known), 2) > 2 &&
            !is_its_value(&op->inst->attrs[i], value))
            continue;
        Diag *d = fail(c, DIAG_UNKNOWN_ATTRIBUTE, span, "'%s' has no attribute '%.*s'",
                       op->inst->name, (int)n, text);
        diag_did_you_mean(&ctx->diags, d, span, known);
        d->operand = known;
        return;
    }
}

/* Returns the index in the row of the i-th attribute of a statement; -1 for an unknown one. */
static int attr_index(const Context *ctx, const Op *op, unsigned i) {
    Atom name = op->attrs[i].name;
    return inst_attr(op->inst, atom_text(&ctx->names, name), atom_len(&ctx->names, name));
}

void add_attr(Cursor *c, Op *op, Atom name, Span span, const Attr *value) {
    Context *ctx = c->b->ctx;
    if (value == NULL || c->failed) return;
    int known = inst_attr(op->inst, atom_text(&ctx->names, name), atom_len(&ctx->names, name));
    if ((op->inst->flags & IF_BARE_FORM) !=
        0) { /* it is printed in the other form, which has the keys */
        const char *key = known >= 0 ? op->inst->attrs[known].name : NULL;
        if (key != NULL) name = intern(&ctx->names, key, strlen(key));
    }
    for (unsigned i = 0; i < op->nattrs; i++)
        if (op->attrs[i].name == name || (known >= 0 && attr_index(ctx, op, i) == known)) {
            Diag *d = diag_add(&ctx->diags, DIAG_DUPLICATE_ATTRIBUTE, span,
                               "attribute '%.*s' is given twice", (int)atom_len(&ctx->names, name),
                               atom_text(&ctx->names, name));
            diag_note_at(&ctx->diags, d, op->attrs[i].span, "first given here");
            return;
        }
    if (known < 0) report_misspelt(c, op, name, span, value);
    if (known >= 0) {
        value = coerce_attr(c, &op->inst->attrs[known], value, span);
        if (value == NULL) return;
    }
    enum { MOST = 1000 };
    if (op->nattrs == MOST) {
        fail(c, DIAG_OPERAND_COUNT, span, "more than %d attributes", MOST);
        return;
    }
    /* The array has room for 1, 2, 4, 8 ... entries, and grows when the count reaches a power of
     * two. */
    if ((op->nattrs & (op->nattrs - 1)) == 0) {
        NamedAttr *grown = arena_alloc(
            &ctx->arena, (op->nattrs == 0 ? 1 : op->nattrs * 2u) * sizeof(NamedAttr), 8);
        if (op->nattrs != 0) memcpy(grown, op->attrs, op->nattrs * sizeof *grown);
        op->attrs = grown;
    }
    op->attrs[op->nattrs++] = (NamedAttr){name, span, value};
}

/* Returns family `i` of an attribute; EF_NONE at the end. */
static EnumFamily next_family(const AttrInfo *info, unsigned i) {
    return i == 0               ? (EnumFamily)info->family
           : info->also != NULL ? (EnumFamily)info->also[i - 1]
                                : EF_NONE;
}

static DIAG_COLD void report_enum(Cursor *c, const AttrInfo *info, const Token *t) {
    Context *ctx = c->b->ctx;
    enum { MOST = 64 };
    const char *text = atom_text(&ctx->names, t->atom), *words[MOST];
    size_t len = atom_len(&ctx->names, t->atom);
    unsigned n = 0;
    EnumFamily family;
    for (unsigned k = 0; (family = next_family(info, k)) != EF_NONE; k++)
        for (unsigned i = 0; i < enum_infos[family].nvalues && n < MOST; i++)
            words[n++] = enum_infos[family].values[i].text;
    Diag *d = fail_part(c, NULL, DIAG_BAD_ATTRIBUTE, token_span(t),
                        "unknown %s '%.*s'; known are %s", enum_infos[info->family].name,
                        shown_len(len), text, words_listed(&ctx->arena, words, n));
    d->operand = info->name;
    Span at = token_span(t);
    const char *written = ctx->source->data + at.off;
    if (t->kind != TOK_WORD && (*written == '<' || *written == '"') && at.len == len + 2) {
        /* <V> or "V" */
        at.off++;
        at.len -= 2;
    }
    if (at.len == len && memcmp(ctx->source->data + at.off, text, len) == 0)
        diag_did_you_mean(&ctx->diags, d, at, near_word(text, len, words, n));
}

/* Reports a bare word where the enumeration has to be written out, or a word that it lacks. */
static DIAG_COLD void report_bare_word(Cursor *c, const AttrInfo *info, const Token *t) {
    Context *ctx = c->b->ctx;
    const EnumInfo *e = &enum_infos[info->family];
    const char *text = atom_text(&ctx->names, t->atom);
    const size_t len = atom_len(&ctx->names, t->atom);
    const int value = enum_value_find((EnumFamily)info->family, text, len);
    if (value < 0) {
        report_enum(c, info, t);
        return;
    }
    fail(c, DIAG_BAD_ATTRIBUTE, token_span(t), "found '%.*s' alone, expected '#pto%s%s%s%s>'",
         shown_len(len), text, e->angle ? "<" : ".", e->name, e->angle ? " " : "<",
         e->values[value].text);
}

/* Makes an enumeration value from a bare word, a string, or `<text>`. */
static const Attr *enum_attr(Cursor *c, const AttrInfo *info, const Token *t) {
    Context *ctx = c->b->ctx;
    EnumFamily family;
    for (unsigned k = 0; (family = next_family(info, k)) != EF_NONE; k++) {
        int v = enum_value_find(family, atom_text(&ctx->names, t->atom),
                                atom_len(&ctx->names, t->atom));
        if (v < 0) continue;
        Attr *a = ARENA_NEW(&ctx->arena, Attr);
        *a = (Attr){.kind = ATTR_ENUM, .family = (uint8_t)family, .i = v, .span = token_span(t)};
        return a;
    }
    report_enum(c, info, t);
    if (c->failed) return NULL;
    Attr *any = ARENA_NEW(&ctx->arena, Attr);
    *any = (Attr){.kind = ATTR_ENUM, .family = info->family, .span = token_span(t)};
    return any;
}

const Attr *read_in_place(Cursor *c, const AttrInfo *info) {
    Context *ctx = c->b->ctx;
    TokenKind k = peek(c);
    if (c->failed || c->pos >= c->end) {
        fail_expected(c, info->name);
        return NULL;
    }
    const Token *t = token_at(c->b, c->pos);
    if (info->type == AT_ANGLE) {
        if (!expect(c, TOK_ANGLE)) return NULL;
        Attr *a = ARENA_NEW(&ctx->arena, Attr);
        *a = (Attr){.kind = ATTR_OPAQUE, .text = t->atom, .span = token_span(t)};
        return a;
    }
    bool is_enum = info->type == AT_ENUM || info->type == AT_WORD;
    if (is_enum && (k == TOK_ANGLE || k == TOK_STRING || k == TOK_WORD)) {
        c->pos++;
        return enum_attr(c, info, t);
    }
    Diag *const *before = ctx->diags.last;
    const Attr *a = read_attr(c->b, &c->pos, c->end);
    if (a == NULL) {
        c->failed = true;
        if (*before != NULL) (*before)->operand = info->name;
        return NULL;
    }
    return coerce_attr(c, info, a, token_span(t));
}

/* Reads the value of an attribute; `info` is NULL for an unknown one. */
static const Attr *read_dict_value(Cursor *c, const AttrInfo *info) {
    if (info != NULL && peek(c) == TOK_ANGLE) return read_in_place(c, info);
    if (info != NULL && info->type == AT_ENUM && peek(c) == TOK_WORD) {
        report_bare_word(c, info, token_at(c->b, c->pos));
        c->failed = true;
        return NULL;
    }
    Diag *const *before = c->b->ctx->diags.last;
    const Attr *value = read_attr(c->b, &c->pos, c->end);
    c->failed |= value == NULL;
    if (value == NULL && *before != NULL && info != NULL) (*before)->operand = info->name;
    return value;
}

void read_dict(Cursor *c, Op *op) {
    Context *ctx = c->b->ctx;
    TokenKind close = peek(c) == TOK_PROPS_OPEN ? TOK_PROPS_CLOSE : TOK_RBRACE;
    static const Attr unit = {.kind = ATTR_UNIT};
    c->pos++;
    if (accept(c, close)) return;
    do {
        TokenKind k = peek(c);
        if (k != TOK_WORD && k != TOK_STRING && k != TOK_OP) {
            fail_expected(c, "an attribute name");
            return;
        }
        const Token *key = token_at(c->b, c->pos++);
        const Attr *value = &unit;
        if (accept(c, TOK_EQUAL)) {
            int known = inst_attr(op->inst, atom_text(&ctx->names, key->atom),
                                  atom_len(&ctx->names, key->atom));
            value = read_dict_value(c, known >= 0 ? &op->inst->attrs[known] : NULL);
        }
        add_attr(c, op, key->atom, token_span(key), value);
    } while (!c->failed && accept(c, TOK_COMMA));
    expect(c, close);
}

void read_modifiers(Cursor *c, Op *op) {
    Context *ctx = c->b->ctx;
    while (!c->failed && peek(c) == TOK_ATTR && peek_at(c, 1) == TOK_EQUAL) {
        const Token *key = token_at(c->b, c->pos);
        const char *name = atom_text(&ctx->names, key->atom) + 1; /* skips the # */
        size_t n = atom_len(&ctx->names, key->atom) - 1;
        int known = inst_attr(op->inst, name, n);
        c->pos += 2;
        if (known < 0) {
            fail(c, DIAG_UNKNOWN_ATTRIBUTE, token_span(key), "'%s' has no attribute '%.*s'",
                 op->inst->name, shown_len(n), name);
            return;
        }
        const AttrInfo *info = &op->inst->attrs[known];
        const Attr *value = read_in_place(c, info);
        add_attr(c, op, intern(&ctx->names, info->name, strlen(info->name)), token_span(key),
                 value);
    }
}

static const char *attr_type_text(const AttrInfo *info) {
    switch ((AttrType)info->type) {
    case AT_UNIT:
        return "no value";
    case AT_BOOL:
        return "true or false";
    case AT_INT:
    case AT_I32:
        return "an integer";
    case AT_STRING:
        return "a string";
    case AT_SYMBOL:
        return "a symbol";
    case AT_ENUM:
    case AT_WORD:
        return enum_infos[info->family].name;
    case AT_EPILOGUE:
        return "#pto.acc_push_epilogue<layout = .., quant = .., relu = ..>";
    case AT_INT_LIST:
        return "a list of integers";
    case AT_TYPE:
        return "a type";
    default:
        return "another value";
    }
}

/* Returns the index of the enumeration value with this number, as the generic form writes it; -1:
 * none. */
static int enum_value_of(const AttrInfo *info, const Attr *a) {
    const EnumInfo *e = &enum_infos[info->family];
    for (unsigned i = 0; a->kind == ATTR_INT && i < e->nvalues; i++)
        if (e->values[i].value == a->i) return (int)i;
    return -1;
}

/* Extracts `fast` from `#arith.fastmath<fast>`; false for other attributes. */
static bool cut_angle(Cursor *c, const Attr *a, Attr *out) {
    Context *ctx = c->b->ctx;
    if (a->kind != ATTR_OPAQUE) return false;
    const char *s = atom_text(&ctx->names, a->text);
    size_t n = atom_len(&ctx->names, a->text);
    *out = *a;
    out->alias = 0;
    out->type = NULL;
    if (memchr(s, '<', n) == NULL && memchr(s, '(', n) == NULL) return true; /* a bare word */
    const char *open = memchr(s, '<', n);
    if (n < 7 || memcmp(s, "#arith.", 7) != 0 || open == NULL || s[n - 1] != '>') return false;
    out->text = intern(&ctx->names, open + 1, (size_t)(s + n - 1 - (open + 1)));
    return true;
}

static const Attr *copy_attr(Cursor *c, const Attr *a) {
    Attr *copy = ARENA_NEW(&c->b->ctx->arena, Attr);
    *copy = *a;
    return copy;
}

static bool is_family(const AttrInfo *info, unsigned family) {
    EnumFamily known;
    for (unsigned k = 0; (known = next_family(info, k)) != EF_NONE; k++)
        if (known == family) return true;
    return false;
}

static DIAG_COLD void report_kind(Cursor *c, const AttrInfo *info, const Attr *a, Span span) {
    StrBuf found;
    sb_init(&found, &c->b->ctx->arena);
    attr_print(&found, &c->b->ctx->names, a);
    Diag *d = fail(c, DIAG_BAD_ATTRIBUTE, a->span.len != 0 ? a->span : span,
                   "attribute '%s': expected %s, found '%.80s'", info->name, attr_type_text(info),
                   sb_text(&found));
    d->operand = info->name;
}

/* Returns the value of the attribute's own family with the same word as `a`; -1: none. */
static int listed_value(const AttrInfo *info, const Attr *a) {
    if (info->one_family && a->kind == ATTR_ENUM && is_family(info, a->family)) {
        const char *word = enum_infos[a->family].values[a->i].text;
        return enum_value_find((EnumFamily)info->family, word, strlen(word));
    }
    return info->int_bits != 0 ? enum_value_of(info, a) : -1;
}

const Attr *coerce_attr(Cursor *c, const AttrInfo *info, const Attr *a, Span span) {
    bool ok = true;
    Attr made;
    Epilogue epilogue;
    int value;
    switch ((AttrType)info->type) {
    case AT_ANY:
        break;
    case AT_ANGLE:
        ok = cut_angle(c, a, &made);
        if (ok) return copy_attr(c, &made);
        break;
    case AT_UNIT:
        ok = a->kind == ATTR_UNIT;
        break;
    case AT_BOOL:
        ok = a->kind == ATTR_BOOL;
        break;
    case AT_INT:
    case AT_I32:
        ok = a->kind == ATTR_INT;
        break;
    case AT_STRING:
        ok = a->kind == ATTR_STRING;
        break;
    case AT_SYMBOL:
        ok = a->kind == ATTR_SYMBOL;
        break;
    case AT_WORD:
        value = enum_value_of(info, a);
        made = (Attr){.kind = ATTR_ENUM, .family = info->family, .i = value, .span = a->span};
        if (value >= 0) return copy_attr(c, &made);
        ok = a->kind == ATTR_ENUM && a->family == info->family;
        break;
    case AT_ENUM:
        value = listed_value(info, a);
        made = (Attr){.kind = ATTR_ENUM, .family = info->family, .i = value, .span = a->span};
        if (value >= 0) return copy_attr(c, &made);
        ok = a->kind == ATTR_ENUM && is_family(info, a->family);
        break;
    case AT_EPILOGUE:
        ok = epilogue_read(&c->b->ctx->names, a, &epilogue);
        break;
    case AT_INT_LIST:
        ok = a->kind == ATTR_ARRAY || a->kind == ATTR_DENSE;
        break;
    case AT_TYPE:
        ok = a->kind == ATTR_TYPE;
        break;
    }
    if (!ok) report_kind(c, info, a, span);
    return ok ? a : NULL;
}

/* ---- slots ---- */

/* Reports a literal where constants are not allowed. */
static bool is_stray_literal(Cursor *c, const Operand *o) {
    if (c->failed || o->value != NULL) return false;
    fail(c, DIAG_SYNTAX, o->span, "expected a value, found a literal");
    return true;
}

/* The one type that a slot takes; NULL when it takes several. */
static const Type *slot_only_type(Context *ctx, SlotKind kind) {
    if (kind == SLOT_INDEX) return type_scalar(ctx->types, ELEM_INDEX);
    return kind == SLOT_I64 ? type_scalar(ctx->types, ELEM_I64) : NULL;
}

/* Where the statement writes the type of the value; of length 0 when it does not. */
static Span own_type_place(const Context *ctx, const Op *op, const Operand *o) {
    Span place;
    const Type *written;
    bool found =
        operand_type_place(ctx, op, o, &place, &written) && type_same(written, o->value->type);
    return found ? place : (Span){0, 0};
}

/* Have all operands of the statement, read or not, one type? Not with `overflow<..>` and such,
 * which are of one instruction. */
static bool operands_alike(const Cursor *c, uint32_t start, const Type *type) {
    for (uint32_t i = c->end; i > c->b->buf->base && token_at(c->b, i - 1)->off > start; i--) {
        const Token *t = token_at(c->b, i - 1);
        const Value *v = t->kind == TOK_VALUE ? lookup_name(c->b, t->atom) : NULL;
        bool other = t->kind == TOK_VALUE && (v == NULL || !type_same(v->type, type));
        if (other || t->kind == TOK_ANGLE) return false;
    }
    return true;
}

/* An instruction for integers that got floats. */
static void offer_for_floats(Cursor *c, const Op *op, const Operand *o, Diag *d) {
    const char *names = op->inst->others;
    if (o->value->type->kind != TY_SCALAR || !type_is_float(o->value->type) ||
        op->form == OPF_GENERIC || !operands_alike(c, op->name_span.off, o->value->type))
        return;
    const Inst *other = next_other(&names);
    if (other != NULL) offer_instruction(c->b->ctx, d, op, other);
}

/* Does the instruction take a number there, or after optional operands that come before? */
static bool takes_number(const Inst *inst, int slot, const Type *number) {
    for (int s = slot; s < inst->nslots && (s == slot || slot > 0); s++)
        if (slot_accepts((SlotKind)inst->slots[s].kind, number)) return true;
    return false;
}

/* A number where a tile is due: the instruction that takes a number there. */
static void offer_for_number(Cursor *c, const Op *op, int slot, const Operand *o, Diag *d) {
    const char *names = op->inst->others;
    if (o->value->type->kind != TY_SCALAR || op->form == OPF_GENERIC) return;
    for (const Inst *other; (other = next_other(&names)) != NULL;)
        if (takes_number(other, slot, o->value->type)) {
            if (offer_instruction(c->b->ctx, d, op, other))
                diag_note(&c->b->ctx->diags, d, "did you mean '%s'?", other->name);
            return;
        }
}

static void write_at(Cursor *c, Diag *d, Span at, Span text) {
    const Context *ctx = c->b->ctx;
    diag_edit(&c->b->ctx->diags, d, at, "%.*s", (int)text.len, ctx->source->data + text.off);
}

/* Two operands of which each has the kind that the other needs: one error, whose fix exchanges
 * them. */
static void exchange(Cursor *c, const Op *op, const Operand *o, int slot, Diag *d) {
    Context *ctx = c->b->ctx;
    for (unsigned i = 0; i + 1 < c->nwrong; i++) {
        const Wrong *w = &c->wrong[i];
        if (w->d->id != DIAG_OPERAND_KIND || w->operand.value == NULL ||
            !slot_accepts((SlotKind)w->kind, o->value->type) ||
            !slot_accepts((SlotKind)op->inst->slots[slot].kind, w->operand.value->type))
            continue;
        const Span mine = own_type_place(ctx, op, o), its = own_type_place(ctx, op, &w->operand);
        w->d->edits = NULL;
        write_at(c, w->d, o->span, w->operand.span);
        write_at(c, w->d, w->operand.span, o->span);
        if (mine.len > 0 && its.len > 0) {
            write_at(c, w->d, mine, its);
            write_at(c, w->d, its, mine);
        }
        diag_merge(&ctx->diags, w->d, d, "exchanged with this operand?");
        return;
    }
}

void check_slot(Cursor *c, const Op *op, int slot, const Operand *o) {
    const SlotInfo *info = &op->inst->slots[slot];
    if (is_stray_literal(c, o)) return;
    forward_slot(c->b, o, (SlotKind)info->kind);
    const Type *only = slot_only_type(c->b->ctx, (SlotKind)info->kind);
    if (c->failed) return; /* the operand may have no value */
    if (is_error(o->value) && only != NULL) odd_constant_use(c->b, o->value, only);
    if (slot_accepts((SlotKind)info->kind, o->value->type) || is_wrong(c, o)) return;
    Diag *d = fail_part(c, o, DIAG_OPERAND_KIND, o->span,
                        "'%s': %s must be %s, found '" TYPE_FMT "'", op->inst->name, info->name,
                        slot_types[info->kind].text, TYPE_ARG(&c->b->ctx->names, o->value->type));
    d->operand = info->name;
    if (info->kind == SLOT_INT) offer_for_floats(c, op, o, d);
    if (info->kind == SLOT_TILE) offer_for_number(c, op, slot, o, d);
    if (only != NULL) mismatch_needed(c, o, only, own_type_place(c->b->ctx, op, o), d);
    if (c->nwrong == 0 || c->wrong[c->nwrong - 1].d != d) return;
    c->wrong[c->nwrong - 1].kind = info->kind;
    exchange(c, op, o, slot, d);
}

/* Does the value lack a cast to the written type, rather than the text the type of the value? */
static bool lacks_cast(const Cursor *c, const Value *v, const Type *written) {
    if (c->inst == NULL || c->start == UINT32_MAX || !is_castable(v->type, written)) return false;
    const bool arith = c->inst->family == FAM_ARITH;
    if (!type_is_index(v->type) && !type_is_index(written)) return arith && c->inst->nslots > 1;
    if (arith && c->inst->nslots == 1) return c->inst != &inst_table[INST_INDEX_CAST];
    return !arith || !operands_alike(c, c->start, v->type);
}

void check_other_type(Cursor *c, const Operand *o, const Type *written, Span span) {
    if (is_stray_literal(c, o)) return;
    forward_type(o, written);
    if (c->failed) return; /* the operand may have no value */
    if (is_error(o->value)) odd_constant_use(c->b, o->value, written);
    if (is_error(o->value) || type_compatible(o->value->type, written) || is_wrong(c, o)) return;
    const Interner *names = &c->b->ctx->names;
    const Value *v = o->value;
    bool literal = v->name == 0;              /* it has no name yet */
    bool unwritten = span.off == o->span.off; /* the text has no type there */
    Diag *d = fail_part(
        c, o, DIAG_TYPE_MISMATCH, span, "%s%.*s has type '" TYPE_FMT "', %s '" TYPE_FMT "'",
        literal ? "the literal" : "%", (int)atom_len(names, v->name), atom_text(names, v->name),
        TYPE_ARG(names, v->type), unwritten ? "expected" : "written as", TYPE_ARG(names, written));
    diag_note_at(&c->b->ctx->diags, d,
                 literal ? o->span : (Span){v->name_off, (uint32_t)atom_len(names, v->name) + 1},
                 literal ? "the literal" : "defined here");
    if (unwritten || lacks_cast(c, v, written)) {
        mismatch_needed(c, o, written, (Span){0, 0}, d);
        return;
    }
    StrBuf text;
    sb_init(&text, &c->b->ctx->arena);
    sb_printf(&text, TYPE_FMT, TYPE_ARG(names, o->value->type));
    diag_edit(&c->b->ctx->diags, d, span, "%s", sb_text(&text));
    mismatch_note(c->b, o->value, written, d);
}

void set_operands(Binder *b, Op *op, const Operand *flat, unsigned n, const uint16_t *segs) {
    op->noperands = (uint16_t)n;
    if (n != 0) {
        op->operands = arena_alloc(&b->ctx->arena, n * sizeof(Operand), 8);
        memcpy(op->operands, flat, n * sizeof(Operand));
    }
    bool plain = true;
    for (int s = 0; s < op->inst->nslots; s++)
        plain &= op->inst->slots[s].arity == ARITY_ONE;
    if (op->inst->form == FORM_TILE && (op->inst->flags & IF_OPT_RESULT) != 0)
        plain = false; /* the number of results does not determine the form */
    if (segs == NULL || plain) return;
    op->segs = ARENA_ARRAY(&b->ctx->arena, uint16_t, op->inst->nslots);
    memcpy(op->segs, segs, op->inst->nslots * sizeof *segs);
}

void set_results(Cursor *c, Op *op, const ResultNames *names, const Type *const *types,
                 unsigned n) {
    Binder *b = c->b;
    if (c->failed || c->nwrong > 0) return;
    if (names->count != n && names->count != 0) {
        fail(c, DIAG_OPERAND_COUNT, token_span(token_at(b, names->first)),
             "'%s' has %u result%s, the statement names %u", op->inst->name, n, n == 1 ? "" : "s",
             names->count);
        return;
    }
    if (n == 0) return;
    if (n > MOST_RESULTS) {
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "more than %d results", MOST_RESULTS);
        return;
    }
    op->results = ARENA_ARRAY(&b->ctx->arena, Value, n);
    op->nresults = (uint8_t)n;
    for (unsigned i = 0; i < n; i++)
        op->results[i] = (Value){.type = types[i], .def = op, .index = (uint16_t)i, .npack = 1};
    unsigned r = 0;
    for (uint32_t i = names->first; i <= names->last && names->count != 0; i += 2) {
        const Token *t = token_at(b, i);
        for (unsigned k = 0; k < t->number; k++, r++) {
            op->results[r].name = t->atom;
            op->results[r].name_off = t->off;
            op->results[r].pack = (uint8_t)k;
            op->results[r].npack = t->number;
        }
        define_value(b, &op->results[r - t->number], token_span(t));
    }
}
