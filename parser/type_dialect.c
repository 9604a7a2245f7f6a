/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the types of the pto dialect, except tiles. */
#include "parser/type_text.h"

enum { MAX_RANK = 32 };

static const Type *read_ptr(TypeText *r) {
    const Type *elem = type_pointee(r);
    if (elem == NULL) return NULL;
    Type proto = {.kind = TY_PTR, .space = SPACE_GM, .elem_type = elem};
    if (elem->kind == TY_SCALAR) proto.elem = elem->elem;
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
        type_error(r, type_here(r), "the structs in this one are too long");
        return NULL;
    }
    r->ctx->has_structs = true;
    Type proto = {.kind = TY_STRUCT, .ntypes = n, .types = fields};
    return type_expect(r, '>') ? type_intern(r->ctx->types, &proto) : NULL;
}

/* Reads `64xf32`: a register has exactly VREG_BYTES bytes. */
static const Type *read_vreg(TypeText *r) {
    int64_t lanes[1];
    uint32_t rank = 0;
    type_blanks(r);
    const char *s = r->p;
    if (!type_dims(r, lanes, 1, &rank)) return NULL;
    const char *e = r->p;
    const Type *elem = type_element(r);
    if (elem == NULL) return NULL;
    const unsigned bits =
        elem->elem == ELEM_ODD_INT ? elem->width : elem_storage_bits((Elem)elem->elem);
    if (elem->kind != TY_SCALAR || bits == 0) {
        type_error(r, (Piece){e, r->p}, "a vector register holds integers or floats");
        return NULL;
    }
    if (rank != 1 || lanes[0] <= 0 || lanes[0] > VREG_BYTES * 8 ||
        lanes[0] * bits != VREG_BYTES * 8) {
        if (bits <= VREG_BYTES * 8 && VREG_BYTES * 8 % bits == 0)
            type_error(r, (Piece){s, r->p},
                       "a vector register of %.*s has %u lanes, %u bytes in all",
                       PIECE_ARG(((Piece){e, r->p})), VREG_BYTES * 8 / bits, VREG_BYTES);
        else
            type_error(r, (Piece){s, r->p}, "a vector register has %u bytes", VREG_BYTES);
        return NULL;
    }
    Type proto = {
        .kind = TY_VREG, .elem = elem->elem, .elem_type = elem, .count = (uint32_t)lanes[0]};
    return type_expect(r, '>') ? type_intern(r->ctx->types, &proto) : NULL;
}

static const Type *read_mask(TypeText *r) {
    static const char *const names[] = {"b8", "b16", "b32", NULL};
    const Piece w = type_word(r);
    for (unsigned i = 0; names[i] != NULL; i++)
        if (piece_is(w, names[i])) {
            Type proto = {.kind = TY_MASK, .count = 8u << i};
            return type_expect(r, '>') ? type_intern(r->ctx->types, &proto) : NULL;
        }
    Diag *d = type_error(r, w, "unknown granularity '" PIECE_FMT "'; known are b8, b16 and b32",
                         PIECE_ARG(w));
    type_suggest(r, d, w, names);
    return NULL;
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
/* The name of an element type whose spelling begins with `!pto.`; else NULL. */
static const char *dialect_elem(int e) {
    static const char prefix[] = "!pto.";
    const char *text = elem_infos[e].text;
    return strncmp(text, prefix, sizeof prefix - 1) == 0 ? text + sizeof prefix - 1 : NULL;
}

/* Names the type that a misspelt name is nearest to. */
static void suggest_dialect(TypeText *r, Diag *d, Piece w) {
    const char *names[DIALECT_TYPES + ELEM_COUNT + 1] = {NULL};
    unsigned n = 0;
    while (n < DIALECT_TYPES) {
        names[n] = dialect_types[n].name;
        n++;
    }
    for (int e = 1; e < ELEM_COUNT; e++)
        if (dialect_elem(e) != NULL) names[n++] = dialect_elem(e);
    type_suggest(r, d, w, names);
}

const char *dialect_type(Context *ctx, const char *name, size_t n) {
    for (int i = 0; i < DIALECT_TYPES; i++)
        if (piece_is((Piece){name, name + n}, dialect_types[i].name))
            return arena_printf(&ctx->arena, "!pto.%s", dialect_types[i].name);
    return NULL;
}

const Type *type_dialect(TypeText *r, const char *bang, Piece w) {
    size_t i = 0;
    while (i < DIALECT_TYPES && !piece_is(w, dialect_types[i].name))
        i++;
    const bool known = i < DIALECT_TYPES, text = known && dialect_types[i].kind == TY_OPAQUE;
    /* A bare `!pto.mask` occurs only in templates. */
    if (piece_is(w, "mask") && (r->p == r->end || *r->p != '<'))
        return type_opaque(r, (Piece){bang, r->p}, TY_OPAQUE);
    if (known && dialect_types[i].read != NULL)
        return type_expect(r, '<') ? dialect_types[i].read(r) : NULL;
    if (known && !text) {
        Type proto = {.kind = dialect_types[i].kind};
        return type_intern(r->ctx->types, &proto);
    }
    Piece full = {bang, w.e};
    for (int e = 1; e < ELEM_COUNT; e++)
        if (dialect_elem(e) != NULL && piece_is(full, elem_infos[e].text))
            return type_scalar(r->ctx->types, (Elem)e);
    if (text) {
        if (r->p < r->end && *r->p == '<') {
            r->p++;
            if (!type_skip_brackets(r)) return NULL;
        }
        return type_opaque(r, (Piece){bang, r->p}, TY_OPAQUE);
    }
    Diag *d = type_error(r, full, "unknown type '" PIECE_FMT "'", PIECE_ARG(full));
    suggest_dialect(r, d, w);
    return NULL;
}
