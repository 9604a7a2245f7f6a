/* SPDX-License-Identifier: Apache-2.0 */
/* Reads attributes that are one token: `#pto.layout<nd>`, `#pto<cmp eq>`, `#alias`, `array<i32: 1,
 * 2>`, and those that are kept as text. */
#include "parser/attr_text.h"
#include "ir/epilogue.h"
#include "parser/parse.h"
#include "parser/piece.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool starts_with(Piece w, const char *text) {
    size_t n = strlen(text);
    return (size_t)(w.e - w.s) >= n && memcmp(w.s, text, n) == 0;
}

/* Splits off the first word of *w. */
static Piece cut_word(Piece *w) {
    Piece word = {w->s, w->s};
    while (word.e < w->e && is_word_char(*word.e))
        word.e++;
    w->s = word.e;
    return word;
}

Attr *attr_new(Context *ctx, AttrKind kind, Span span) {
    Attr *a = ARENA_NEW(&ctx->arena, Attr);
    a->kind = (uint8_t)kind;
    a->span = span;
    return a;
}

static Span inside(const Token *tok, const char *base, Piece w) {
    return (Span){tok->off + (uint32_t)(w.s - base), w.e > w.s ? (uint32_t)(w.e - w.s) : 1};
}

static const Attr *opaque(Context *ctx, const Token *tok) {
    Attr *a = attr_new(ctx, ATTR_OPAQUE, (Span){tok->off, tok->len});
    a->text = tok->atom;
    return a;
}

static void suggest(Context *ctx, Diag *d, Piece wrong, const char *const *names, unsigned n) {
    diag_near_word(&ctx->diags, d, d->span, wrong.s, (size_t)(wrong.e - wrong.s), names, n);
}

/* ---- enumerations ---- */

static const Attr *enum_attr(Context *ctx, const Token *tok, const char *base, EnumFamily f,
                             Piece value) {
    const EnumInfo *info = &enum_infos[f];
    if (value.e - value.s >= 2 && *value.s == '"' && value.e[-1] == '"') {
        value.s++;
        value.e--;
    }
    int v = enum_value_find(f, value.s, (size_t)(value.e - value.s));
    if (v < 0 && f == EF_ADDRESS_SPACE) { /* ub, l1, l0a ... */
        Space space = space_from_text(value.s, (size_t)(value.e - value.s), false);
        if (space != SPACE_COUNT)
            v = enum_value_find(f, space_names[space], strlen(space_names[space]));
    }
    if (v < 0) {
        enum { MOST = 32 };
        const char *names[MOST];
        unsigned n = info->nvalues < MOST ? info->nvalues : MOST;
        for (unsigned i = 0; i < n; i++)
            names[i] = info->values[i].text;
        Diag *d = diag_add(&ctx->diags, DIAG_BAD_ATTRIBUTE, inside(tok, base, value),
                           "unknown %s '" PIECE_FMT "'; known are %s", info->name, PIECE_ARG(value),
                           words_listed(&ctx->arena, names, n));
        suggest(ctx, d, value, names, n);
        return NULL;
    }
    Attr *a = attr_new(ctx, ATTR_ENUM, (Span){tok->off, tok->len});
    a->family = (uint8_t)f;
    a->i = v;
    return a;
}

/* ---- attributes with keys ---- */

static bool is_number(Piece w) {
    for (const char *p = w.s; p < w.e; p++)
        if (*p < '0' || *p > '9') return false;
    return w.s < w.e;
}

static bool is_in(Piece w, const char *const *list) {
    for (; *list != NULL; list++)
        if (piece_is(w, *list)) return true;
    return false;
}

/* Checks `blayout=#pto.blayout<row_major>`, an enumeration named like the key. */
static bool check_config_value(Context *ctx, const Token *tok, const char *base, Piece key,
                               Piece value) {
    static const struct {
        const char *key;
        EnumFamily family;
    } known[] = {{"blayout", EF_BLAYOUT},
                 {"slayout", EF_SLAYOUT},
                 {"pad", EF_PAD_VALUE},
                 {"compact", EF_COMPACT_MODE}};
    if (piece_is(key, "s_fractal_size")) {
        if (is_number(value)) return true;
        diag_add(&ctx->diags, DIAG_BAD_ATTRIBUTE, inside(tok, base, value), "expected a number");
        return false;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (!piece_is(key, known[i].key)) continue;
        const char *open = memchr(value.s, '<', (size_t)(value.e - value.s));
        Piece inner = open != NULL ? piece_trim((Piece){open + 1, value.e - 1}) : value;
        if (starts_with(inner, enum_infos[known[i].family].name)) { /* #pto<blayout row_major> */
            cut_word(&inner);
            inner = piece_trim(inner);
        }
        return enum_attr(ctx, tok, base, known[i].family, inner) != NULL;
    }
    diag_add(&ctx->diags, DIAG_BAD_ATTRIBUTE, inside(tok, base, key), "unknown key '" PIECE_FMT "'",
             PIECE_ARG(key));
    return false;
}

static bool check_epilogue_value(Context *ctx, const Token *tok, const char *base, Piece key,
                                 Piece value) {
    const char *const *list = epilogue_words(key.s, (size_t)(key.e - key.s));
    if (list == NULL) {
        diag_add(&ctx->diags, DIAG_BAD_ATTRIBUTE, inside(tok, base, key),
                 "unknown key '" PIECE_FMT "'; known are layout, quant and relu", PIECE_ARG(key));
        return false;
    }
    if (is_in(value, list)) return true;
    unsigned n = 0;
    while (list[n] != NULL)
        n++;
    Diag *d = diag_add(&ctx->diags, DIAG_BAD_ATTRIBUTE, inside(tok, base, value),
                       "unknown " PIECE_FMT " '" PIECE_FMT "'; known are %s", PIECE_ARG(key),
                       PIECE_ARG(value), words_listed(&ctx->arena, list, n));
    suggest(ctx, d, value, list, n);
    return false;
}

typedef bool KeyCheck(Context *ctx, const Token *tok, const char *base, Piece key, Piece value);

/* Checks `key = value, ...`; the attribute is kept as text. */
static const Attr *keyed_attr(Context *ctx, const Token *tok, const char *base, Piece body,
                              KeyCheck *check) {
    while (body.s < body.e) {
        const char *p = body.s;
        unsigned depth = 0;
        for (; p < body.e && (depth != 0 || *p != ','); p++) {
            depth += *p == '<';
            depth -= *p == '>' && depth != 0;
        }
        const char *equal = memchr(body.s, '=', (size_t)(p - body.s));
        if (equal == NULL) {
            Piece entry = piece_trim((Piece){body.s, p});
            diag_add(&ctx->diags, DIAG_BAD_ATTRIBUTE, inside(tok, base, entry),
                     "expected key = value, found '" PIECE_FMT "'", PIECE_ARG(entry));
            return NULL;
        }
        if (!check(ctx, tok, base, piece_trim((Piece){body.s, equal}),
                   piece_trim((Piece){equal + 1, p})))
            return NULL;
        body.s = p < body.e ? p + 1 : p;
    }
    return opaque(ctx, tok);
}

/* ---- the pto dialect ---- */

/* True for attributes of the vector, cube and cache levels, which are kept as text. */
static bool is_kept(Piece name) {
    static const char *const prefixes[] = {
        "signedness", "membar",         "dsb_mem",    "dcci",
        "rounding",   "saturation",     "ld_l2cache", "st_l2cache",
        "l1cache",    "unit_flag_ctrl", "mad_",       "tf32_mode",
        "acc_store",  "quant_pre_mode", "cube_load",  NULL};
    for (unsigned i = 0; prefixes[i] != NULL; i++)
        if (starts_with(name, prefixes[i])) return true;
    return false;
}

static const Attr *pto_attr(Context *ctx, const Token *tok, const char *base, Piece name,
                            Piece body) {
    EnumFamily f = enum_family_find(name.s, (size_t)(name.e - name.s));
    if (f != EF_NONE) return enum_attr(ctx, tok, base, f, body);
    if (piece_is(name, "tile_buf_config"))
        return keyed_attr(ctx, tok, base, body, check_config_value);
    if (piece_is(name, "acc_push_epilogue"))
        return keyed_attr(ctx, tok, base, body, check_epilogue_value);
    /* #pto.op<TADD> names an instruction, which its statement looks up. */
    if (is_kept(name) || piece_is(name, "op")) return opaque(ctx, tok);
    const char *names[EF_COUNT];
    for (int i = 0; i < EF_COUNT; i++)
        names[i] = enum_infos[i].name;
    Diag *d = diag_add(&ctx->diags, DIAG_BAD_ATTRIBUTE, inside(tok, base, name),
                       "unknown attribute '" PIECE_FMT "'", PIECE_ARG(name));
    suggest(ctx, d, name, names, EF_COUNT);
    return NULL;
}

static const Attr *alias_attr(Context *ctx, const Token *tok, Piece name) {
    Atom atom = intern_find(&ctx->names, name.s, (size_t)(name.e - name.s));
    const AliasDef *d = alias_find(ctx, atom, false);
    if (d != NULL) {
        Attr *a = attr_new(ctx, ATTR_OPAQUE, (Span){0, 0});
        *a = *d->attr;
        a->alias = atom;
        a->span = (Span){tok->off, tok->len};
        return a;
    }
    Diag *diag = diag_add(&ctx->diags, DIAG_UNDEFINED_ALIAS, (Span){tok->off, tok->len},
                          "attribute alias '#" PIECE_FMT "' is not defined", PIECE_ARG(name));
    d = alias_near(ctx, name.s, (size_t)(name.e - name.s), false);
    if (d != NULL)
        diag_did_you_mean(&ctx->diags, diag, diag->span,
                          arena_printf(&ctx->arena, "#%.*s", (int)atom_len(&ctx->names, d->name),
                                       atom_text(&ctx->names, d->name)),
                          false);
    return NULL;
}

/* Reads the text after `#`. */
static const Attr *hash_attr(Context *ctx, const Token *tok, const char *base, Piece w) {
    const char *open = memchr(w.s, '<', (size_t)(w.e - w.s));
    Piece name = {w.s, open != NULL ? open : w.e};
    Piece body = open != NULL ? piece_trim((Piece){open + 1, w.e - 1}) : (Piece){w.e, w.e};
    if (open == NULL && memchr(w.s, '.', (size_t)(w.e - w.s)) == NULL)
        return alias_attr(ctx, tok, name);
    if (piece_is(name, "pto")) { /* #pto<NAME value>, #pto<NAME<value>> */
        Piece inner = cut_word(&body);
        body = piece_trim(body);
        if (body.s < body.e && *body.s == '<' && body.e[-1] == '>')
            body = piece_trim((Piece){body.s + 1, body.e - 1});
        return pto_attr(ctx, tok, base, inner, body);
    }
    if (starts_with(name, "pto."))
        return pto_attr(ctx, tok, base, (Piece){name.s + 4, name.e}, body);
    return opaque(ctx, tok);
}

/* ---- array<...> ---- */

static const Attr *array_item(Context *ctx, const Token *tok, const char *base, const Type *type,
                              Piece w) {
    bool negative = w.s < w.e && *w.s == '-';
    Piece digits = {negative ? w.s + 1 : w.s, w.e};
    Span span = inside(tok, base, w);
    if (piece_is(w, "true") || piece_is(w, "false")) {
        Attr *a = attr_new(ctx, ATTR_BOOL, span);
        a->i = piece_is(w, "true");
        return a;
    }
    bool is_float = memchr(digits.s, '.', (size_t)(digits.e - digits.s)) != NULL;
    NumberText number = {digits.s, (size_t)(digits.e - digits.s), is_float, negative};
    if (digits.s == digits.e || *digits.s < '0' || *digits.s > '9') {
        diag_add(&ctx->diags, DIAG_BAD_ATTRIBUTE, span, "expected a number, found '" PIECE_FMT "'",
                 PIECE_ARG(w));
        return NULL;
    }
    return attr_number(ctx, &number, type, span);
}

static const Attr *array_attr(Context *ctx, const Token *tok, const char *base, Piece body) {
    Piece word = cut_word(&body);
    const Type *type = type_from_word(ctx->types, word.s, (size_t)(word.e - word.s));
    if (type == NULL || type->kind != TY_SCALAR) {
        diag_add(&ctx->diags, DIAG_BAD_ATTRIBUTE, inside(tok, base, word),
                 "array<...> starts with an integer or float type");
        return NULL;
    }
    Attr *a = attr_new(ctx, ATTR_DENSE, (Span){tok->off, tok->len});
    a->type = type;
    body = piece_trim(body);
    if (body.s == body.e) return a;
    if (*body.s != ':') {
        diag_add(&ctx->diags, DIAG_BAD_ATTRIBUTE, inside(tok, base, body),
                 "expected ':' in array<...>");
        return NULL;
    }
    body.s++;
    uint32_t n = 1;
    for (const char *p = body.s; p < body.e; p++)
        n += *p == ',';
    const Attr **items = ARENA_ARRAY(&ctx->arena, const Attr *, n);
    for (uint32_t i = 0; i < n; i++) {
        const char *comma = memchr(body.s, ',', (size_t)(body.e - body.s));
        const char *e = comma != NULL ? comma : body.e;
        items[i] = array_item(ctx, tok, base, type, piece_trim((Piece){body.s, e}));
        if (items[i] == NULL) return NULL;
        body.s = e < body.e ? e + 1 : e;
    }
    a->n = n;
    a->items = items;
    return a;
}

const Attr *read_attr_token(Context *ctx, const Token *tok) {
    const char *base = atom_text(&ctx->names, tok->atom);
    Piece w = {base, base + atom_len(&ctx->names, tok->atom)};
    if (w.s < w.e && *w.s == '#') return hash_attr(ctx, tok, base, (Piece){w.s + 1, w.e});
    if (starts_with(w, "array<"))
        return array_attr(ctx, tok, base, piece_trim((Piece){w.s + 6, w.e - 1}));
    return opaque(ctx, tok);
}
