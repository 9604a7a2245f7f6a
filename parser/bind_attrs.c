/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of statements: dictionaries, modifiers, and the conversion to what the row wants. */
#include "ir/epilogue.h"
#include "parser/bind_internal.h"
#include "parser/parse.h"
#include "support/ascii.h"
#include "support/near.h"

#include <string.h>

/* ---- enumerations ---- */

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
    const EnumInfo *e = &enum_infos[info->family];
    Diag *d =
        fail_part(c, NULL, DIAG_BAD_ATTRIBUTE, token_span(t), "unknown %s '%.*s'; known are %s",
                  e->spelling == ENUM_QUOTED ? info->name : e->name, shown_len(len), text,
                  words_listed(&ctx->arena, words, n));
    d->operand = info->name;
    Span at = token_span(t);
    const char *written = ctx->source->data + at.off;
    if (t->kind != TOK_WORD && (*written == '<' || *written == '"') && at.len == len + 2) {
        /* <V> or "V" */
        at.off++;
        at.len -= 2;
    }
    if (at.len == len && memcmp(ctx->source->data + at.off, text, len) == 0)
        diag_near_word(&ctx->diags, d, at, text, len, words, n);
}

/* Returns the index of the enumeration value with this number, as the generic form writes it; -1:
 * none. */
static int enum_value_of(const AttrInfo *info, const Attr *a) {
    const EnumInfo *e = &enum_infos[info->family];
    for (unsigned i = 0; a->kind == ATTR_INT && i < e->nvalues; i++)
        if (e->values[i].value == a->i) return (int)i;
    return -1;
}

/* Returns a value of the attribute's family as the text has it, in a dictionary or in place. */
static DIAG_COLD const char *enum_text(Arena *arena, const AttrInfo *info, int value,
                                       bool in_place) {
    const EnumInfo *e = &enum_infos[info->family];
    const char *word = e->values[value].text;
    if (info->type == AT_WORD) return word;
    if (in_place && e->spelling == ENUM_TOKEN) return arena_printf(arena, "\"%s\"", word);
    if (in_place && !info->full && e->spelling != ENUM_QUOTED)
        return arena_printf(arena, "<%s>", word);
    StrBuf out;
    sb_init(&out, arena);
    enum_put(&out, e, word);
    return sb_text(&out);
}

/* Returns the value that an attribute of another kind means: the word of a text or a symbol, or a
 * number; -1: none. */
static DIAG_COLD int meant_value(const Interner *names, const AttrInfo *info, const Attr *a) {
    if (a->kind == ATTR_INT) return enum_value_of(info, a);
    if (a->kind != ATTR_STRING && a->kind != ATTR_SYMBOL) return -1;
    return enum_value_find((EnumFamily)info->family, atom_text(names, a->text),
                           atom_len(names, a->text));
}

static bool is_word(const char *s, size_t n) {
    size_t i = 0;
    while (i < n &&
           (ascii_is_letter(s[i]) || s[i] == '_' || (i > 0 && (s[i] >= '0' && s[i] <= '9'))))
        i++;
    return n > 0 && i == n;
}

/* Returns how the value of an attribute is written that the text has as another kind, such as
 * `"RINT"` or `0`; NULL: not known. */
static DIAG_COLD const char *meant_text(Context *ctx, const AttrInfo *info, const Attr *a,
                                        bool in_place) {
    const bool text = a->kind == ATTR_STRING;
    const char *s = text ? atom_text(&ctx->names, a->text) : "";
    const size_t n = text ? atom_len(&ctx->names, a->text) : 0;
    switch ((AttrType)info->type) {
    case AT_ENUM:
    case AT_WORD: {
        const int value = meant_value(&ctx->names, info, a);
        return value >= 0 ? enum_text(&ctx->arena, info, value, in_place) : NULL;
    }
    case AT_BOOL:
        if (a->kind == ATTR_INT && (a->i == 0 || a->i == 1)) return a->i != 0 ? "true" : "false";
        return same_spelling(s, n, "true", 4)    ? "true"
               : same_spelling(s, n, "false", 5) ? "false"
                                                 : NULL;
    case AT_INT:
    case AT_I32:
        return n > 0 && n < 10 && strspn(s, "0123456789") >= n
                   ? arena_printf(&ctx->arena, "%.*s", (int)n, s)
                   : NULL;
    case AT_SYMBOL:
        return is_word(s, n) ? arena_printf(&ctx->arena, "@%.*s", (int)n, s) : NULL;
    default:
        return NULL;
    }
}

/* Reports a bare word where the enumeration has to be written out, or a word that it lacks. */
static DIAG_COLD void report_bare_word(Cursor *c, const AttrInfo *info, const Token *t) {
    Context *ctx = c->b->ctx;
    const char *text = atom_text(&ctx->names, t->atom);
    const size_t len = atom_len(&ctx->names, t->atom);
    const int value = enum_value_find((EnumFamily)info->family, text, len);
    if (value < 0) {
        report_enum(c, info, t);
        return;
    }
    const char *whole = enum_text(&ctx->arena, info, value, false);
    Diag *d = fail(c, DIAG_BAD_ATTRIBUTE, token_span(t), "found '%.*s' alone, expected '%s'",
                   shown_len(len), text, whole);
    d->operand = info->name;
    diag_edit(&ctx->diags, d, token_span(t), "%s", whole);
}

/* As enum_value_find(). Texts have few words, many times. */
static int value_of_word(Cursor *c, EnumFamily family, Atom word) {
    const Interner *names = &c->b->ctx->names;
    EnumWord *known = &c->b->enum_words[(word ^ (unsigned)family * 7) % ENUM_WORDS];
    if (known->word != word || known->family != family)
        *known = (EnumWord){
            word, (int16_t)enum_value_find(family, atom_text(names, word), atom_len(names, word)),
            (uint8_t)family};
    return known->value;
}

/* Makes an enumeration value from a bare word, a string, or `<text>`. */
static const Attr *enum_attr(Cursor *c, const AttrInfo *info, const Token *t) {
    Context *ctx = c->b->ctx;
    EnumFamily family;
    for (unsigned k = 0; (family = next_family(info, k)) != EF_NONE; k++) {
        const int v = value_of_word(c, family, t->atom);
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

/* ---- conversion ---- */

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

/* Extracts `fast` from `#arith.fastmath<fast>`; NULL for other attributes. */
static const Attr *cut_angle(Cursor *c, const Attr *a) {
    Context *ctx = c->b->ctx;
    if (a->kind != ATTR_OPAQUE) return NULL;
    const char *s = atom_text(&ctx->names, a->text);
    size_t n = atom_len(&ctx->names, a->text);
    const char *open = memchr(s, '<', n);
    const bool word = open == NULL && memchr(s, '(', n) == NULL; /* a bare word */
    if (!word && (n < 7 || memcmp(s, "#arith.", 7) != 0 || open == NULL || s[n - 1] != '>'))
        return NULL;
    Attr *out = ARENA_NEW(&ctx->arena, Attr);
    *out = *a;
    out->alias = 0;
    out->type = NULL;
    if (!word) out->text = intern(&ctx->names, open + 1, (size_t)(s + n - 1 - (open + 1)));
    return out;
}

static bool is_family(const AttrInfo *info, unsigned family) {
    EnumFamily known;
    for (unsigned k = 0; (known = next_family(info, k)) != EF_NONE; k++)
        if (known == family) return true;
    return false;
}

/* Returns the strings that an enumeration has, without other spellings of the same values. */
static DIAG_COLD const char *strings_listed(Arena *arena, EnumFamily family) {
    enum { MOST = 64 };
    const EnumInfo *e = &enum_infos[family];
    const char *words[MOST];
    unsigned n = 0;
    for (unsigned i = 0; i < e->nvalues && n < MOST; i++)
        if (enum_value_find(family, e->values[i].text, strlen(e->values[i].text)) == (int)i)
            words[n++] = e->values[i].text;
    return words_listed(arena, words, n);
}

static DIAG_COLD void report_kind(Cursor *c, const AttrInfo *info, const Attr *a, Span span,
                                  bool in_place) {
    Context *ctx = c->b->ctx;
    StrBuf found;
    sb_init(&found, &ctx->arena);
    attr_print(&found, &ctx->names, a);
    Diag *d = fail(c, DIAG_BAD_ATTRIBUTE, a->span.len != 0 ? a->span : span,
                   "attribute '%s': expected %s, found '%.80s'", info->name, attr_type_text(info),
                   sb_text(&found));
    d->operand = info->name;
    if ((info->type == AT_ENUM || info->type == AT_WORD) &&
        enum_infos[info->family].spelling == ENUM_QUOTED)
        diag_note(&ctx->diags, d, "known are %s",
                  strings_listed(&ctx->arena, (EnumFamily)info->family));
    const char *meant = a->span.len != 0 ? meant_text(ctx, info, a, in_place) : NULL;
    if (meant == NULL) return;
    diag_note(&ctx->diags, d, "it is written %s", meant);
    diag_edit(&ctx->diags, d, a->span, "%s", meant);
}

/* Returns the value of the attribute's own family with the same word as `a`; -1: none. */
static int listed_value(const AttrInfo *info, const Attr *a) {
    if (info->one_family && a->kind == ATTR_ENUM && is_family(info, a->family)) {
        const char *word = enum_infos[a->family].values[a->i].text;
        return enum_value_find((EnumFamily)info->family, word, strlen(word));
    }
    return info->int_bits != 0 ? enum_value_of(info, a) : -1;
}

/* Returns a value of an enumeration, which may be written as its number or be a string; NULL for
 * other attributes. */
static const Attr *coerce_enum(Cursor *c, const AttrInfo *info, const Attr *a) {
    const bool word = info->type == AT_WORD;
    int value = word ? enum_value_of(info, a) : listed_value(info, a);
    if (a->kind == ATTR_STRING && enum_infos[info->family].spelling == ENUM_QUOTED)
        value = meant_value(&c->b->ctx->names, info, a);
    if (value < 0) {
        bool fits = word ? a->family == info->family : is_family(info, a->family);
        return a->kind == ATTR_ENUM && fits ? a : NULL;
    }
    Attr *made = ARENA_NEW(&c->b->ctx->arena, Attr);
    *made = (Attr){.kind = ATTR_ENUM, .family = info->family, .i = value, .span = a->span};
    return made;
}

/* Checks an attribute value against the row and converts it; NULL after a diagnostic. */
static const Attr *coerce_attr(Cursor *c, const AttrInfo *info, const Attr *a, Span span,
                               bool in_place) {
    static const uint8_t kinds[] = {
        [AT_UNIT] = ATTR_UNIT, [AT_BOOL] = ATTR_BOOL,     [AT_INT] = ATTR_INT,
        [AT_I32] = ATTR_INT,   [AT_STRING] = ATTR_STRING, [AT_SYMBOL] = ATTR_SYMBOL,
        [AT_TYPE] = ATTR_TYPE};
    const Attr *made = a;
    bool ok = true;
    Epilogue epilogue;
    switch ((AttrType)info->type) {
    case AT_ANY:
        break;
    case AT_ANGLE:
        made = cut_angle(c, a);
        break;
    case AT_WORD:
    case AT_ENUM:
        made = coerce_enum(c, info, a);
        break;
    case AT_EPILOGUE:
        ok = epilogue_read(&c->b->ctx->names, a, &epilogue);
        break;
    case AT_INT_LIST:
        ok = a->kind == ATTR_ARRAY || a->kind == ATTR_DENSE;
        break;
    case AT_UNIT:
    case AT_BOOL:
    case AT_INT:
    case AT_I32:
    case AT_STRING:
    case AT_SYMBOL:
    case AT_TYPE:
        ok = a->kind == kinds[info->type];
        break;
    }
    if (ok && made != NULL) return made;
    report_kind(c, info, a, span, in_place);
    return NULL;
}

/* ---- reading ---- */

/* Returns true if `value` is a word of the enumeration of the attribute `known`. */
static bool is_its_value(const AttrInfo *known, const Attr *value) {
    return known->type == AT_ENUM && value->kind == ATTR_ENUM && value->family == known->family;
}

/* True when a key is the name of the enumeration of an attribute. */
static bool is_family_name(const Context *ctx, const AttrInfo *info, Atom key) {
    const char *name = info->type == AT_ENUM ? enum_infos[info->family].name : NULL;
    return name != NULL && atom_is(&ctx->names, key, name);
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
        diag_did_you_mean(&ctx->diags, d, span, known,
                          same_spelling(text, n, known, strlen(known)) ||
                              is_family_name(ctx, &op->inst->attrs[i], name));
        d->operand = known;
        return;
    }
}

void add_attr(Cursor *c, Op *op, Atom name, Span span, const Attr *value) {
    Context *ctx = c->b->ctx;
    if (value == NULL || c->failed) return;
    const AttrName id =
        attr_name_find(op->inst, atom_text(&ctx->names, name), atom_len(&ctx->names, name));
    const int known = inst_attr(op->inst, id);
    /* It is printed in the other form, which has the keys. */
    if ((op->inst->flags & IF_BARE_FORM) != 0 && known >= 0)
        name = intern(&ctx->names, attr_texts[id], strlen(attr_texts[id]));
    for (unsigned i = 0; i < op->nattrs; i++)
        if (op->attrs[i].name == name || (known >= 0 && op->attrs[i].id == id)) {
            Diag *d = diag_add(&ctx->diags, DIAG_DUPLICATE_ATTRIBUTE, span,
                               "attribute '%.*s' is given twice", (int)atom_len(&ctx->names, name),
                               atom_text(&ctx->names, name));
            diag_note_at(&ctx->diags, d, op->attrs[i].span, "first given here");
            return;
        }
    if (known < 0) report_misspelt(c, op, name, span, value);
    if (known >= 0) {
        value = coerce_attr(c, &op->inst->attrs[known], value, span, false);
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
    op->attrs[op->nattrs++] = (NamedAttr){name, span, (uint16_t)id, value};
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
    return coerce_attr(c, info, a, token_span(t), true);
}

/* Reports a word in place of a text, a symbol or a truth value; false: it may be what it should. */
static DIAG_COLD bool report_odd_word(Cursor *c, const AttrInfo *info) {
    Context *ctx = c->b->ctx;
    const Token *t = token_at(c->b, c->pos);
    const char *s = atom_text(&ctx->names, t->atom);
    const int n = (int)atom_len(&ctx->names, t->atom);
    const char *meant = NULL;
    if (info->type == AT_STRING)
        meant = arena_printf(&ctx->arena, "\"%.*s\"", n, s);
    else if (info->type == AT_SYMBOL)
        meant = arena_printf(&ctx->arena, "@%.*s", n, s);
    else if (info->type == AT_BOOL)
        meant = same_spelling(s, (size_t)n, "true", 4)    ? "true"
                : same_spelling(s, (size_t)n, "false", 5) ? "false"
                                                          : NULL;
    if (meant == NULL || ((size_t)n == strlen(meant) && memcmp(meant, s, (size_t)n) == 0))
        return false;
    Diag *d = fail(c, DIAG_BAD_ATTRIBUTE, token_span(t), "found '%.*s' alone, expected '%s'",
                   shown_len((size_t)n), s, meant);
    d->operand = info->name;
    diag_edit(&ctx->diags, d, token_span(t), "%s", meant);
    return true;
}

/* Reads the value of an attribute; `info` is NULL for an unknown one. */
static const Attr *read_dict_value(Cursor *c, const AttrInfo *info) {
    if (info != NULL && peek(c) == TOK_ANGLE) return read_in_place(c, info);
    if (info != NULL && info->type == AT_ENUM && peek(c) == TOK_WORD) {
        report_bare_word(c, info, token_at(c->b, c->pos));
        c->failed = true;
        return NULL;
    }
    if (info != NULL && peek(c) == TOK_WORD && report_odd_word(c, info)) return NULL;
    Diag *const *before = c->b->ctx->diags.last;
    const Attr *value = read_attr(c->b, &c->pos, c->end);
    c->failed |= value == NULL;
    if (value == NULL && *before != NULL && info != NULL) (*before)->operand = info->name;
    return value;
}

/* Returns the attribute whose values are those of an enumeration, which the key names instead of
 * the attribute, as in `round_mode = ..`; -1: none. */
static int attr_of_family(const Context *ctx, const Op *op, Atom key) {
    for (int i = 0; i < op->inst->nattrs; i++)
        if (is_family_name(ctx, &op->inst->attrs[i], key)) return i;
    return -1;
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
            int known = attr_named(ctx, op, key->atom);
            if (known < 0) known = attr_of_family(ctx, op, key->atom);
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
        int known = inst_attr_named(op->inst, name, n);
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
