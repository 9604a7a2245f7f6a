/* Reads types. A type is one token of the grammar, and each distinct text is read once, by
 * recursive descent (CONTRIBUTING.md says why not by Bison). Tile types are in tile_reader.c. */
#include "parser/parse.h"
#include "parser/type_text.h"

#include <stdarg.h>
#include <stdio.h>

enum { MAX_TYPE_DEPTH = 64, MAX_RANK = 32, MAX_TYPES = 256 };

/* The cache entry of a text that was reported as wrong. */
static const Type unreadable = {.kind = TY_NONE};

/* ---- errors ---- */

static Span type_span(const TypeText *r, Piece at) {
    Span span = r->at;
    if (r->exact) {
        span.off += (uint32_t)(at.s - r->begin);
        span.len = at.e > at.s ? (uint32_t)(at.e - at.s) : 1;
    }
    return span;
}

Diag *type_error(TypeText *r, Piece at, const char *fmt, ...) {
    if (r->failed) return NULL;
    r->failed = true;
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return diag_add(&r->ctx->diags, DIAG_BAD_TYPE, type_span(r, at), "%s", text);
}

void type_suggest(TypeText *r, Diag *d, Piece wrong, const char *const *names) {
    unsigned n = 0;
    while (names[n] != NULL)
        n++;
    if (d == NULL) return;
    type_mean(r, d, wrong, near_word(wrong.s, (size_t)(wrong.e - wrong.s), names, n));
}

void type_mean(TypeText *r, Diag *d, Piece wrong, const char *meant) {
    if (d == NULL || meant == NULL) return;
    if (r->exact)
        diag_did_you_mean(&r->ctx->diags, d, type_span(r, wrong), meant);
    else
        diag_note(&r->ctx->diags, d, "did you mean '%s'?", meant);
}

/* ---- characters ---- */

void type_blanks(TypeText *r) {
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\r' || *r->p == '\n'))
        r->p++;
}

static Piece current_piece(const TypeText *r) {
    return (Piece){r->p, r->p < r->end ? r->p + 1 : r->p};
}

bool type_accept(TypeText *r, char c) {
    type_blanks(r);
    if (r->failed || r->p >= r->end || *r->p != c) return false;
    r->p++;
    return true;
}

bool type_expect(TypeText *r, char c) {
    if (type_accept(r, c)) return true;
    if (r->p < r->end)
        type_error(r, current_piece(r), "expected '%c' in a type, found '%c'", c, *r->p);
    else
        type_error(r, current_piece(r), "expected '%c' at the end of a type", c);
    return false;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '.' || c == '$' || c == '-';
}

static Piece type_word(TypeText *r) {
    type_blanks(r);
    Piece w = {r->p, r->p};
    while (w.e < r->end && is_word_char(*w.e))
        w.e++;
    r->p = w.e;
    return w;
}

bool type_number(TypeText *r, int64_t *out) {
    type_blanks(r);
    const char *s = r->p;
    uint64_t v = 0;
    bool fits = true;
    while (r->p < r->end && is_digit(*r->p)) {
        unsigned digit = (unsigned)(*r->p++ - '0');
        fits = fits && v <= ((uint64_t)INT64_MAX - digit) / 10;
        if (fits) v = v * 10 + digit;
    }
    if (r->p == s) {
        type_error(r, current_piece(r), "expected a number in a type");
        return false;
    }
    if (!fits) {
        type_error(r, (Piece){s, r->p}, "number in a type does not fit 64 bits");
        return false;
    }
    *out = (int64_t)v;
    return true;
}

bool type_dims(TypeText *r, int64_t *dims, uint32_t cap, uint32_t *rank) {
    *rank = 0;
    for (;;) {
        type_blanks(r);
        if (r->p >= r->end || (*r->p != '?' && *r->p != '-' && !is_digit(*r->p))) return true;
        const char *s = r->p;
        int64_t v = DYNAMIC;
        if (*r->p == '-') {
            type_error(r, current_piece(r), "an extent cannot be negative");
            return false;
        }
        if (*r->p == '?')
            r->p++;
        else if (!type_number(r, &v))
            return false;
        if (*rank == cap) {
            type_error(r, (Piece){s, r->p}, "more than %u extents", cap);
            return false;
        }
        dims[(*rank)++] = v;
        type_blanks(r);
        if (r->p >= r->end || *r->p != 'x') {
            type_error(r, current_piece(r), "expected 'x' after an extent");
            return false;
        }
        r->p++;
    }
}

bool type_fits(TypeText *r, Piece at, const int64_t *dims, uint32_t rank, unsigned bytes) {
    int64_t product = bytes != 0 ? bytes : 1;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] == DYNAMIC || dims[i] == 0) continue;
        if (product > INT64_MAX / dims[i]) {
            type_error(r, at, "the extents multiply to more than 64 bits");
            return false;
        }
        product *= dims[i];
    }
    return true;
}

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

static const Type *type_opaque(TypeText *r, Piece text, TypeKind kind) {
    Type proto = {.kind = (uint8_t)kind};
    if (starts_memref(text)) proto.elem_type = memref_element(r, text);
    if (proto.elem_type != NULL) proto.space = SPACE_GM;
    if (piece_is(text, "vector<4xi16>")) {
        proto.elem = ELEM_I16;
        proto.count = 4;
    }
    proto.text = intern_copy(&r->ctx->names, text.s, (size_t)(text.e - text.s));
    return type_intern(r->ctx->types, &proto);
}

/* Skips to after the `>` that closes the last `<`. The lexer has matched the brackets of a token,
 * but not those of a text passed to parse_type. */
static bool skip_brackets(TypeText *r) {
    const char *open = r->p - 1;
    for (unsigned depth = 1; r->p < r->end; r->p++) {
        char c = *r->p;
        if (depth > MAX_TYPE_DEPTH) {
            type_error(r, current_piece(r), "types are nested deeper than %d", MAX_TYPE_DEPTH);
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

static const Type *type_builtin(TypeText *r, Piece w) {
    if (piece_is(w, "pto.tile") || piece_is(w, "pto.tile_buf")) {
        if (!type_expect(r, '<')) return NULL;
        return type_tile(r, piece_is(w, "pto.tile") ? SPELL_TILE : SPELL_BUF, true);
    }
    if (is_container(w)) {
        if (!type_expect(r, '<') || !skip_brackets(r)) return NULL;
        return type_opaque(r, (Piece){w.s, r->p}, TY_OPAQUE);
    }
    const Type *t = type_from_word(r->ctx->types, w.s, (size_t)(w.e - w.s));
    if (t == NULL) {
        if (w.e == w.s) w = current_piece(r);
        Diag *d = type_error(r, w, "unknown type '" PIECE_FMT "'", PIECE_ARG(w));
        const char *meant = foreign_name(w);
        if (meant != NULL)
            type_mean(r, d, w, meant);
        else
            type_suggest(r, d, w, builtin_names);
    }
    return t;
}

const Type *type_element(TypeText *r) {
    type_blanks(r);
    const char *s = r->p;
    const Type *t = type_any(r);
    if (t == NULL || (t->kind == TY_SCALAR && t->alias == 0)) return t;
    if (t->kind == TY_SCALAR) /* an alias of an element: return the element itself */
        return t->elem == ELEM_ODD_INT ? t : type_scalar(r->ctx->types, (Elem)t->elem);
    type_error(r, (Piece){s, r->p}, "'" PIECE_FMT "' is not an element type",
               PIECE_ARG(((Piece){s, r->p})));
    return NULL;
}

/* ---- types of the pto dialect ---- */

static const Type *read_ptr(TypeText *r) {
    const Type *elem = type_element(r);
    if (elem == NULL) return NULL;
    Type proto = {.kind = TY_PTR, .elem = elem->elem, .space = SPACE_GM, .elem_type = elem};
    if (type_accept(r, ',')) {
        Piece w = type_word(r);
        Space space = space_from_text(w.s, (size_t)(w.e - w.s), false);
        if (space == SPACE_COUNT) {
            static const char *const names[] = {"gm",  "ub",   "mat",     "l1",    "left", "l0a",
                                                "l0b", "acc",  "l0c",     "right", "vec",  "bt",
                                                "fb",  "bias", "scaling", NULL};
            Diag *d = type_error(r, w, "unknown memory space '" PIECE_FMT "'", PIECE_ARG(w));
            type_suggest(r, d, w, names);
            return NULL;
        }
        proto.space = (uint8_t)space;
    }
    return type_expect(r, '>') ? type_intern(r->ctx->types, &proto) : NULL;
}

static const Type *read_dims_type(TypeText *r, TypeKind kind, bool deprecated) {
    int64_t dims[MAX_RANK];
    type_blanks(r);
    const char *s = r->p;
    Type proto = {.kind = (uint8_t)kind, .dims = dims, .deprecated_view = deprecated};
    if (!type_dims(r, dims, MAX_RANK, &proto.rank)) return NULL;
    const char *e = r->p;
    const Type *elem = type_element(r);
    if (elem == NULL) return NULL;
    /* A view may have more elements than fit 64 bits, an array may not, as it needs memory. */
    if (kind == TY_LOCAL_ARRAY &&
        !type_fits(r, (Piece){s, e}, dims, proto.rank, elem_infos[elem->elem].bytes))
        return NULL;
    if (kind == TY_LOCAL_ARRAY) {
        bool static_dims = proto.rank != 0;
        for (uint32_t i = 0; i < proto.rank; i++)
            static_dims = static_dims && dims[i] > 0; /* DYNAMIC is negative */
        if (!static_dims) {
            type_error(r, (Piece){s, e}, "a local array has positive, static extents");
            return NULL;
        }
        if (elem_infos[elem->elem].cls == 'L' || elem->elem == ELEM_INDEX) {
            type_error(r, (Piece){e, r->p}, "a local array holds integers or floats");
            return NULL;
        }
    }
    proto.elem = elem->elem;
    proto.elem_type = elem;
    return type_expect(r, '>') ? type_intern(r->ctx->types, &proto) : NULL;
}

static const Type *read_view(TypeText *r) {
    return read_dims_type(r, TY_TENSOR_VIEW, false);
}
static const Type *read_part_view(TypeText *r) {
    return read_dims_type(r, TY_PART_VIEW, false);
}
static const Type *read_tile_view(TypeText *r) {
    return read_dims_type(r, TY_PART_VIEW, true);
}
static const Type *read_local_array(TypeText *r) {
    return read_dims_type(r, TY_LOCAL_ARRAY, false);
}

static const Type *read_event_array(TypeText *r) {
    type_blanks(r);
    const char *s = r->p;
    int64_t n = 0;
    if (!type_number(r, &n)) return NULL;
    if (n <= 0 || n > INT32_MAX) {
        type_error(r, (Piece){s, r->p}, "an event array has at least one entry");
        return NULL;
    }
    Type proto = {.kind = TY_EVENT_ARRAY, .count = (uint32_t)n};
    return type_expect(r, '>') ? type_intern(r->ctx->types, &proto) : NULL;
}

static bool is_field(const Type *t) {
    if (t->kind == TY_STRUCT) return true;
    if (t->kind != TY_SCALAR) return false;
    char cls = elem_infos[t->elem].cls;
    return elem_infos[t->elem].bytes != 0 && cls != 'L' && t->elem != ELEM_TF32;
}

static const Type *read_struct(TypeText *r) {
    const Type *fields[MAX_TYPES];
    uint32_t n = 0;
    do {
        type_blanks(r);
        const char *s = r->p;
        const Type *t = type_any(r);
        if (t == NULL) return NULL;
        if (!is_field(t) || n == MAX_TYPES) {
            type_error(r, (Piece){s, r->p},
                       n == MAX_TYPES ? "too many fields" : "not a type of a struct field");
            return NULL;
        }
        fields[n++] = t;
    } while (type_accept(r, ','));
    if (types_are_long(r->ctx->types, fields, n)) {
        type_error(r, current_piece(r), "the structs in this one are too long");
        return NULL;
    }
    r->ctx->has_structs = true;
    Type proto = {.kind = TY_STRUCT, .ntypes = n, .types = fields};
    return type_expect(r, '>') ? type_intern(r->ctx->types, &proto) : NULL;
}

static const Type *read_tile(TypeText *r) {
    return type_tile(r, SPELL_TILE, false);
}
static const Type *read_tile_buf(TypeText *r) {
    return type_tile(r, SPELL_BUF, false);
}

static const struct {
    const char *name;
    const Type *(*read)(TypeText *r);
    uint8_t kind;
} dialect_types[] = {
#define TYPE_NAME(name, read, kind) {name, read, kind},
#include "parser/type_names.def"
#undef TYPE_NAME
};
enum { DIALECT_TYPES = sizeof dialect_types / sizeof dialect_types[0] };
static const char *const vector_names[] = {"vreg", "align", "mask", NULL};
/* Element types whose spelling begins with `!pto.`: ELEM_HIF8 and those after it. */
enum { DIALECT_ELEMS = ELEM_BF16X2 - ELEM_HIF8 + 1 };

/* Names the type that a misspelt name is nearest to. */
static void suggest_dialect(TypeText *r, Diag *d, Piece w) {
    const char *names[DIALECT_TYPES + DIALECT_ELEMS + 1] = {NULL};
    for (int i = 0; i < DIALECT_TYPES; i++)
        names[i] = dialect_types[i].name;
    for (int i = 0; i < DIALECT_ELEMS; i++)
        names[DIALECT_TYPES + i] = elem_infos[ELEM_HIF8 + i].text + strlen("!pto.");
    type_suggest(r, d, w, names);
}

const char *dialect_type(Context *ctx, const char *name, size_t n) {
    for (int i = 0; i < DIALECT_TYPES; i++)
        if (piece_is((Piece){name, name + n}, dialect_types[i].name))
            return arena_printf(&ctx->arena, "!pto.%s", dialect_types[i].name);
    return NULL;
}

static bool one_of(Piece w, const char *const *names) {
    for (; *names != NULL; names++)
        if (piece_is(w, *names)) return true;
    return false;
}

/* Reads a type of the dialect; `w` is the name after `!pto.`. */
static const Type *type_dialect(TypeText *r, const char *bang, Piece w) {
    size_t i = 0;
    while (i < DIALECT_TYPES && !piece_is(w, dialect_types[i].name))
        i++;
    const bool known = i < DIALECT_TYPES, text = known && dialect_types[i].kind == TY_OPAQUE;
    if (known && dialect_types[i].read != NULL)
        return type_expect(r, '<') ? dialect_types[i].read(r) : NULL;
    if (known && !text) {
        Type proto = {.kind = dialect_types[i].kind};
        return type_intern(r->ctx->types, &proto);
    }
    Piece full = {bang, w.e};
    for (int e = ELEM_HIF8; e < ELEM_HIF8 + DIALECT_ELEMS; e++)
        if (piece_is(full, elem_infos[e].text)) return type_scalar(r->ctx->types, (Elem)e);
    bool vector = one_of(w, vector_names) || (w.e - w.s > 4 && memcmp(w.s, "vmi.", 4) == 0);
    if (vector || text) {
        bool body = r->p < r->end && *r->p == '<';
        if (body) {
            r->p++;
            if (!skip_brackets(r)) return NULL;
        }
        /* A bare `!pto.mask` occurs only in templates. */
        bool opaque = !vector || (!body && piece_is(w, "mask"));
        return type_opaque(r, (Piece){bang, r->p}, opaque ? TY_OPAQUE : TY_VECTOR_LEVEL);
    }
    Diag *d = type_error(r, full, "unknown type '" PIECE_FMT "'", PIECE_ARG(full));
    suggest_dialect(r, d, w);
    return NULL;
}

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
    if (meant == NULL && a != NULL)
        meant = arena_printf(&r->ctx->arena, "!%.*s", (int)atom_len(names, a->name),
                             atom_text(names, a->name));
    type_mean(r, d, full, meant);
    return NULL;
}

/* ---- any type ---- */

static uint32_t read_list(TypeText *r, const Type **types, uint32_t cap) {
    uint32_t n = 0;
    if (type_accept(r, ')')) return 0;
    do {
        const Type *t = type_any(r);
        if (t == NULL) return n;
        if (n == cap) {
            type_error(r, current_piece(r), "more than %u types", cap);
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
        if (inputs == MAX_TYPES) type_error(r, current_piece(r), "more than %d types", MAX_TYPES);
        if (t == NULL) return NULL;
        types[inputs] = t;
    }
    if (!r->failed && types_are_long(r->ctx->types, types, inputs + results))
        type_error(r, current_piece(r), "the types in this one are too long");
    return r->failed ? NULL : type_function(r->ctx->types, types, inputs, types + inputs, results);
}

static const Type *any_inner(TypeText *r) {
    if (type_accept(r, '(')) return read_function(r);
    const char *bang = r->p;
    if (!type_accept(r, '!')) return type_builtin(r, type_word(r));
    Piece w = type_word(r);
    if (w.e - w.s > 4 && memcmp(w.s, "pto.", 4) == 0)
        return type_dialect(r, bang, (Piece){w.s + 4, w.e});
    if (memchr(w.s, '.', (size_t)(w.e - w.s)) == NULL && w.e != w.s)
        return type_of_alias(r, (Piece){bang, w.e});
    type_error(r, (Piece){bang, w.e}, "unknown type '" PIECE_FMT "'",
               PIECE_ARG(((Piece){bang, w.e})));
    return NULL;
}

const Type *type_any(TypeText *r) {
    if (r->failed) return NULL;
    if (r->depth == MAX_TYPE_DEPTH) {
        type_error(r, current_piece(r), "types are nested deeper than %d", MAX_TYPE_DEPTH);
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
    if (atom >= ctx->ntype_by_atom) {
        uint32_t cap = ctx->ntype_by_atom != 0 ? ctx->ntype_by_atom * 2 : 1024;
        while (cap <= atom)
            cap *= 2;
        const Type **grown = ARENA_ARRAY(&ctx->keep, const Type *, cap);
        if (ctx->ntype_by_atom != 0)
            memcpy(grown, ctx->type_by_atom, ctx->ntype_by_atom * sizeof *grown);
        ctx->type_by_atom = grown;
        ctx->ntype_by_atom = cap;
    }
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
