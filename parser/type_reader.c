/* SPDX-License-Identifier: Apache-2.0 */
/* Reads types. A type is one token of the grammar, and each distinct text is read once, by
 * recursive descent (CONTRIBUTING.md says why not by Bison). Types of the dialect are in
 * type_dialect.c, tile types in tile_reader.c. */
#include "parser/parse.h"
#include "parser/type_text.h"

/* The cache entry of a text that was reported as wrong. */
static const Type unreadable = {.kind = TY_NONE};

/* ---- builtin types ---- */

static const char *const builtin_names[] = {"index", "i1",  "i8",  "i16",  "i32", "i64",   "f16",
                                            "bf16",  "f32", "f64", "none", "ui8", "dtype", NULL};

/* Names of these types in other languages. */
static const struct {
    const char *word, *meant;
} foreign_names[] = {
    {"float32", "f32"},   {"float16", "f16"},   {"float64", "f64"},   {"float", "f32"},
    {"double", "f64"},    {"half", "f16"},      {"bfloat16", "bf16"}, {"fp32", "f32"},
    {"fp16", "f16"},      {"int8", "i8"},       {"int16", "i16"},     {"int32", "i32"},
    {"int64", "i64"},     {"int8_t", "i8"},     {"int16_t", "i16"},   {"int32_t", "i32"},
    {"int64_t", "i64"},   {"int", "i32"},       {"bool", "i1"},       {"uint8", "ui8"},
    {"uint16", "ui16"},   {"uint32", "ui32"},   {"uint64", "ui64"},   {"uint8_t", "ui8"},
    {"uint16_t", "ui16"}, {"uint32_t", "ui32"}, {"uint64_t", "ui64"}, {"u8", "ui8"},
    {"u16", "ui16"},      {"u32", "ui32"},      {"u64", "ui64"},      {"s8", "si8"},
    {"s16", "si16"},      {"s32", "si32"},      {"s64", "si64"},      {"size_t", "index"}};

static const char *foreign_name(Piece w) {
    for (size_t i = 0; i < sizeof foreign_names / sizeof foreign_names[0]; i++)
        if (piece_is(w, foreign_names[i].word)) return foreign_names[i].meant;
    return NULL;
}

/* Returns the element type of `memref<4x8xf32, #pto.address_space<gm>>`, contiguous elements in
 * global memory; other memrefs have none. */
static const Type *memref_element(TypeText *r, Piece text) {
    static const char space[] = ", #pto.address_space<gm>>";
    const char *s = text.s + strlen("memref<"), *e;
    for (;;) {
        const char *digits = s;
        while (s < text.e && is_digit(*s))
            s++;
        if (s == digits || s == text.e || *s != 'x') {
            s = digits;
            break;
        }
        s++;
    }
    for (e = s; e < text.e && is_word_char(*e);)
        e++;
    if ((size_t)(text.e - e) != sizeof space - 1 || memcmp(e, space, sizeof space - 1) != 0)
        return NULL;
    const Type *t = type_from_word(r->ctx->types, s, (size_t)(e - s));
    return t != NULL && t->kind == TY_SCALAR ? t : NULL;
}

static bool starts_memref(Piece text) {
    return text.e - text.s > 7 && memcmp(text.s, "memref<", 7) == 0;
}

const Type *type_opaque(TypeText *r, Piece text, TypeKind kind) {
    Type proto = {.kind = (uint8_t)kind};
    if (starts_memref(text)) proto.elem_type = memref_element(r, text);
    if (proto.elem_type != NULL) proto.space = SPACE_GM;
    proto.text = intern_copy(&r->ctx->names, text.s, (size_t)(text.e - text.s));
    return type_intern(r->ctx->types, &proto);
}

bool type_skip_brackets(TypeText *r) {
    const char *open = r->p - 1;
    for (unsigned depth = 1; r->p < r->end; r->p++) {
        char c = *r->p;
        if (depth > MAX_TYPE_DEPTH) {
            type_error(r, type_here(r), "types are nested deeper than %d", MAX_TYPE_DEPTH);
            return false;
        }
        if (c == '"') {
            for (r->p++; r->p < r->end && *r->p != '"'; r->p++)
                if (*r->p == '\\' && r->p + 1 < r->end) r->p++;
            if (r->p >= r->end) break;
        }
        depth += c == '<';
        if (c == '>' && r->p[-1] != '-' && --depth == 0) {
            r->p++;
            return true;
        }
    }
    type_error(r, (Piece){open, open + 1}, "'<' is not closed");
    return false;
}

static bool is_container(Piece w) {
    return piece_is(w, "memref") || piece_is(w, "tensor") || piece_is(w, "vector") ||
           piece_is(w, "tuple") || piece_is(w, "complex");
}

/* Reads `2xf16>`. Vectors of another rank or of other elements are kept as text. */
static const Type *read_vector(TypeText *r, const char *begin) {
    const char *body = r->p;
    uint32_t n = 0;
    while (r->p < r->end && is_digit(*r->p) && n <= UINT16_MAX)
        n = n * 10 + (uint32_t)(*r->p++ - '0');
    if (n > 0 && n <= UINT16_MAX && r->p + 1 < r->end && *r->p == 'x' && !is_digit(r->p[1]) &&
        r->p[1] != '[' && r->p[1] != '?') {
        r->p++;
        const Type *elem = type_any(r);
        if (elem == NULL) return NULL;
        if (elem->kind == TY_SCALAR && type_accept(r, '>')) {
            Type proto = {.kind = TY_VECTOR, .elem = elem->elem, .elem_type = elem, .count = n};
            return type_intern(r->ctx->types, &proto);
        }
    }
    r->p = body;
    return type_skip_brackets(r) ? type_opaque(r, (Piece){begin, r->p}, TY_OPAQUE) : NULL;
}

static const Type *type_builtin(TypeText *r, Piece w) {
    if (piece_is(w, "pto.tile") || piece_is(w, "pto.tile_buf")) {
        if (!type_expect(r, '<')) return NULL;
        return type_tile(r, piece_is(w, "pto.tile") ? SPELL_TILE : SPELL_BUF, true);
    }
    if (is_container(w)) {
        if (!type_expect(r, '<')) return NULL;
        if (piece_is(w, "vector")) return read_vector(r, w.s);
        if (!type_skip_brackets(r)) return NULL;
        return type_opaque(r, (Piece){w.s, r->p}, TY_OPAQUE);
    }
    const Type *t = type_from_word(r->ctx->types, w.s, (size_t)(w.e - w.s));
    if (t == NULL) {
        if (w.e == w.s) w = type_here(r);
        Diag *d = type_error(r, w, "unknown type '" PIECE_FMT "'", PIECE_ARG(w));
        const char *meant = foreign_name(w);
        if (meant != NULL)
            type_mean(r, d, w, meant, true);
        else
            type_suggest(r, d, w, builtin_names);
    }
    return t;
}

static const Type *read_element(TypeText *r, TypeKind also) {
    type_blanks(r);
    const char *s = r->p;
    const Type *t = type_any(r);
    if (t == NULL || t->kind == TY_SCALAR || t->kind == also) return t;
    type_error(r, (Piece){s, r->p}, "'" PIECE_FMT "' is not an element type",
               PIECE_ARG(((Piece){s, r->p})));
    return NULL;
}

const Type *type_element(TypeText *r) {
    return read_element(r, TY_SCALAR);
}

const Type *type_pointee(TypeText *r) {
    return read_element(r, TY_VECTOR);
}

/* ---- any type ---- */

static const Type *type_of_alias(TypeText *r, Piece full) {
    const Interner *names = &r->ctx->names;
    Atom name = intern_find(names, full.s + 1, (size_t)(full.e - full.s - 1));
    const AliasDef *a = alias_find(r->ctx, name, true);
    if (a != NULL) return type_with_alias(r->ctx->types, a->type, name);
    if (r->failed) return NULL;
    r->failed = true;
    Span span = r->at;
    if (r->exact) {
        span.off += (uint32_t)(full.s - r->begin);
        span.len = (uint32_t)(full.e - full.s);
    }
    Diag *d = diag_add(&r->ctx->diags, DIAG_UNDEFINED_ALIAS, span,
                       "type alias '" PIECE_FMT "' is not defined", PIECE_ARG(full));
    a = alias_near(r->ctx, full.s + 1, (size_t)(full.e - full.s - 1), true);
    const char *meant = dialect_type(r->ctx, full.s + 1, (size_t)(full.e - full.s - 1));
    const bool same = meant != NULL;
    if (meant == NULL && a != NULL)
        meant = arena_printf(&r->ctx->arena, "!%.*s", (int)atom_len(names, a->name),
                             atom_text(names, a->name));
    type_mean(r, d, full, meant, same);
    return NULL;
}

static uint32_t read_list(TypeText *r, const Type **types, uint32_t cap) {
    uint32_t n = 0;
    if (type_accept(r, ')')) return 0;
    do {
        const Type *t = type_any(r);
        if (t == NULL) return n;
        if (n == cap) {
            type_error(r, type_here(r), "more than %u types", cap);
            return n;
        }
        types[n++] = t;
    } while (type_accept(r, ','));
    type_expect(r, ')');
    return n;
}

static const Type *read_function(TypeText *r) {
    const Type *types[MAX_TYPES];
    uint32_t inputs = read_list(r, types, MAX_TYPES), results = 1;
    if (r->failed || !type_expect(r, '-') || !type_expect(r, '>')) return NULL;
    if (type_accept(r, '(')) {
        results = read_list(r, types + inputs, MAX_TYPES - inputs);
    } else {
        const Type *t = inputs < MAX_TYPES ? type_any(r) : NULL;
        if (inputs == MAX_TYPES) type_error(r, type_here(r), "more than %d types", MAX_TYPES);
        if (t == NULL) return NULL;
        types[inputs] = t;
    }
    if (!r->failed && types_are_long(r->ctx->types, types, inputs + results))
        type_error(r, type_here(r), "the types in this one are too long");
    return r->failed ? NULL : type_function(r->ctx->types, types, inputs, types + inputs, results);
}

/* Reads `!llvm.ptr<6>`: kept as text. */
static const Type *read_llvm(TypeText *r, const char *bang) {
    if (r->p < r->end && *r->p == '<') {
        r->p++;
        if (!type_skip_brackets(r)) return NULL;
    }
    return type_opaque(r, (Piece){bang, r->p}, TY_OPAQUE);
}

static const Type *any_inner(TypeText *r) {
    if (type_accept(r, '(')) return read_function(r);
    const char *bang = r->p;
    if (!type_accept(r, '!')) return type_builtin(r, type_word(r));
    Piece w = type_word(r);
    if (w.e - w.s > 4 && memcmp(w.s, "pto.", 4) == 0)
        return type_dialect(r, bang, (Piece){w.s + 4, w.e});
    if (w.e - w.s > 5 && memcmp(w.s, "llvm.", 5) == 0) return read_llvm(r, bang);
    if (memchr(w.s, '.', (size_t)(w.e - w.s)) == NULL && w.e != w.s)
        return type_of_alias(r, (Piece){bang, w.e});
    type_error(r, (Piece){bang, w.e}, "unknown type '" PIECE_FMT "'",
               PIECE_ARG(((Piece){bang, w.e})));
    return NULL;
}

const Type *type_any(TypeText *r) {
    if (r->failed) return NULL;
    if (r->depth == MAX_TYPE_DEPTH) {
        type_error(r, type_here(r), "types are nested deeper than %d", MAX_TYPE_DEPTH);
        return NULL;
    }
    type_blanks(r);
    r->depth++;
    const Type *t = any_inner(r);
    r->depth--;
    return r->failed ? NULL : t;
}

static const Type *read_whole(TypeText *r) {
    const Type *t = type_any(r);
    type_blanks(r);
    if (t != NULL && r->p < r->end) {
        type_error(r, (Piece){r->p, r->end}, "unexpected '" PIECE_FMT "' after a type",
                   PIECE_ARG(((Piece){r->p, r->end})));
        return NULL;
    }
    return t;
}

/* ---- entry points ---- */

static const Type **cache_slot(Context *ctx, Atom atom) {
    if (atom >= ctx->ntype_by_atom)
        ctx->type_by_atom = ARENA_WIDEN(&ctx->keep, const Type *, ctx->type_by_atom,
                                        &ctx->ntype_by_atom, atom, 1024);
    return &ctx->type_by_atom[atom];
}

/* Warns once per distinct text about a spelling that is deprecated or that PTOAS refuses. */
static void remark_spelling(Context *ctx, const Type *t, Span at) {
    if (t->key_order_odd)
        diag_add(&ctx->diags, DIAG_PTOAS_COMPAT, at,
                 "PTOAS 0.60 refuses this: the keys of the type are in another order than loc, "
                 "dtype, rows, cols, v_row, v_col, blayout, slayout, fractal, pad, compact");
    if (t->deprecated_view)
        diag_add(&ctx->diags, DIAG_DEPRECATED_SPELLING, at,
                 "'!pto.tile_view' is an older name of '!pto.partition_tensor_view'");
    if (t->missing_bang) {
        Diag *d =
            diag_add(&ctx->diags, DIAG_DEPRECATED_SPELLING, at, "'pto.tile' is now '!pto.tile'");
        diag_edit(&ctx->diags, d, (Span){at.off, 0}, "!");
        d->safe_fix = true;
    }
}

/* Adds this occurrence of a type text that was reported before to the edits of that diagnostic. */
static DIAG_COLD void fix_again(Context *ctx, const Token *tok) {
    enum { MOST_LOOKED_AT = 100, MOST_EDITS = 200 };
    const char *text = ctx->source->data;
    Diag *d = ctx->diags.first;
    for (int i = 0; d != NULL && i < MOST_LOOKED_AT; i++, d = d->next)
        if (d->type.len == tok->len && memcmp(text + d->type.off, text + tok->off, tok->len) == 0)
            break;
    if (d == NULL || d->type.len != tok->len || ctx->diags.stopped) return;
    unsigned n = 0;
    for (const DiagEdit *e = d->edits; e != NULL; e = e->next)
        if (++n == MOST_EDITS) return;
    for (const DiagEdit *e = d->edits; e != NULL; e = e->next) {
        if (e->span.off < d->type.off || e->span.off > d->type.off + d->type.len) continue;
        const Span at = {tok->off + (e->span.off - d->type.off), e->span.len};
        diag_edit(&ctx->diags, d, at, "%s", e->text);
    }
}

const Type *read_type_token(Context *ctx, const Token *tok) {
    const Type *known = tok->atom < ctx->ntype_by_atom ? ctx->type_by_atom[tok->atom] : NULL;
    if (known == &unreadable) {
        fix_again(ctx, tok);
        return NULL;
    }
    if (known != NULL) return known;
    Diag *const *before = ctx->diags.last;
    const char *s = atom_text(&ctx->names, tok->atom);
    size_t n = atom_len(&ctx->names, tok->atom);
    TypeText r = {.ctx = ctx, .begin = s, .p = s, .end = s + n, .at = {tok->off, tok->len}};
    r.exact = n == tok->len;
    const Type *t = read_whole(&r);
    *cache_slot(ctx, tok->atom) = t != NULL ? t : &unreadable;
    if (t == NULL && *before != NULL) (*before)->type = (Span){tok->off, tok->len};
    if (t != NULL) remark_spelling(ctx, t, (Span){tok->off, tok->len});
    return t;
}

const Type *parse_type(Context *ctx, const char *text, size_t n) {
    const char *s = arena_strndup(&ctx->arena, text, n);
    TypeText r = {
        .ctx = ctx, .begin = s, .p = s, .end = s + n, .at = {0, (uint32_t)n}, .exact = true};
    return read_whole(&r);
}
