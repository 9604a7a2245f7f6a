/* SPDX-License-Identifier: Apache-2.0 */
/* The type table: interning by canonical text, and printing that text. */
#include "ir/type.h"
#include "ir/slot.h"

#include <stdio.h>
#include <string.h>

/* The columns of formats of 8-bit floats. */
enum {
#define COLUMNS(format, e, m, bias, special, ...)                                                  \
    E_##format = e, M_##format = m, BIAS_##format = bias, SPECIAL_##format = SPECIAL_##special,
    PTRT_FORMATS_8(COLUMNS, )
#undef COLUMNS
};
#define FLOAT_8(format)                                                                            \
    { E_##format, M_##format, SPECIAL_##format, true, BIAS_##format }
#define IEEE(e, m)                                                                                 \
    { e, m, SPECIAL_INFINITE, true, (1 << (e - 1)) - 1 }
#define OTHER_FLOAT                                                                                \
    { 0, 0, SPECIAL_NONE, true, 0 }
#define NO_FLOAT                                                                                   \
    { 0, 0, SPECIAL_NONE, false, 0 }

const ElemInfo elem_infos[ELEM_COUNT] = {
    [ELEM_NONE] = {"none", 0, '?', NULL, NULL, NULL, NO_FLOAT},
#define ELEM_CLASS_I 'I'
#define ELEM_CLASS_S 'S'
#define ELEM_CLASS_U 'U'
#define ELEM_CLASS_F 'F'
#define ELEM_CLASS_L 'L'
#define ELEM(name, text, bytes, cls, c, suffix, runtime, cpp, ...)                                 \
    [ELEM_##name] = {text, bytes, ELEM_CLASS_##cls, c, suffix, cpp, __VA_ARGS__},
#include "ir/elem.def"
#undef ELEM
};

const char *const space_names[SPACE_COUNT] = {"zero", "gm",  "mat",  "left",   "right",
                                              "acc",  "vec", "bias", "scaling"};

const char *const pointer_space_names[SPACE_COUNT] = {"zero", "gm", "l1", "l0a", "l0b",
                                                      "l0c",  "ub", "bt", "fb"};

struct TypeTable {
    Arena *arena;
    Interner *names;
    const Type **by_text; /* open addressing by atom of (shown text, alias), 0 = free */
    uint32_t mask, count;
    const Type *scalars[ELEM_COUNT];
};

unsigned elem_storage_bits(Elem e) {
    return e == ELEM_I1 ? 1 : elem_infos[e].bytes * 8u;
}

/* Returns the name of an element type without the dialect's prefix. */
static const char *short_name(const char *text) {
    static const char prefix[] = "!pto.";
    return text[0] == '!' ? text + sizeof prefix - 1 : text;
}

Elem elem_from_text(const char *s, size_t n) {
    for (int e = ELEM_NONE + 1; e < ELEM_COUNT; e++) {
        const char *text = elem_infos[e].text, *name = short_name(text);
        if ((strncmp(text, s, n) == 0 && text[n] == '\0') ||
            (strncmp(name, s, n) == 0 && name[n] == '\0'))
            return n > 0 ? (Elem)e : ELEM_NONE;
    }
    return ELEM_NONE;
}

unsigned elem_int_width(Elem e) {
    if (e == ELEM_I1) return 1;
    if (e == ELEM_INDEX) return 64;
    return elem_is_int(e) ? elem_infos[e].bytes * 8u : 0;
}

Space space_from_text(const char *s, size_t n, bool tile) {
    for (int i = 0; i < SPACE_COUNT; i++)
        if (strlen(space_names[i]) == n && memcmp(space_names[i], s, n) == 0)
            return tile && i < SPACE_MAT ? SPACE_COUNT : (Space)i;
    for (int i = 0; !tile && i < SPACE_COUNT; i++)
        if (strlen(pointer_space_names[i]) == n && memcmp(pointer_space_names[i], s, n) == 0)
            return (Space)i;
    return SPACE_COUNT;
}

/* ---- canonical text ---- */

static void put_atom(StrBuf *sb, const Interner *names, Atom a) {
    sb_add(sb, atom_text(names, a), atom_len(names, a));
}

/* A text in the making: canonical, or with the aliases of parts. */
typedef struct TypePrint {
    StrBuf sb;
    const Interner *names;
    bool aliases;
} TypePrint;

static void put_type(TypePrint *p, const Type *t) {
    put_atom(&p->sb, p->names, p->aliases ? type_written(t) : t->text);
}

static void put_extent(StrBuf *sb, int64_t v) {
    if (v == DYNAMIC)
        sb_putc(sb, '?');
    else
        sb_printf(sb, "%lld", (long long)v);
}

static void put_dims(TypePrint *p, const Type *t) {
    StrBuf *sb = &p->sb;
    for (uint32_t i = 0; i < t->rank; i++) {
        put_extent(&p->sb, t->dims[i]);
        sb_putc(sb, 'x');
    }
    put_type(p, t->elem_type);
}

static void put_tile(TypePrint *p, const Type *t) {
    StrBuf *sb = &p->sb;
    static const char *const bl[] = {"row_major", "col_major"};
    static const char *const sl[] = {"none_box", "row_major", "col_major"};
    const TileInfo *i = &t->tile;
    sb_printf(sb, "%s, %lldx%lldx", space_names[i->space], (long long)i->rows, (long long)i->cols);
    put_type(p, t->elem_type);
    if (i->vrow != i->rows || i->vcol != i->cols) {
        sb_puts(sb, ", valid=");
        put_extent(&p->sb, i->vrow);
        sb_putc(sb, 'x');
        put_extent(&p->sb, i->vcol);
    }
    if (i->blayout != BL_ROW_MAJOR || (i->space == SPACE_LEFT && i->blayout_written))
        sb_printf(sb, ", blayout=%s", bl[i->blayout]);
    if (i->slayout != SL_NONE_BOX) sb_printf(sb, ", slayout=%s", sl[i->slayout]);
    if (i->fractal != 512) sb_printf(sb, ", fractal=%u", i->fractal);
    if (i->pad != PAD_NULL) sb_printf(sb, ", pad=%u", i->pad);
    if (i->compact != COMPACT_NULL) sb_printf(sb, ", compact=%u", i->compact);
}

static void put_type_list(TypePrint *p, const Type *const *types, uint32_t n) {
    StrBuf *sb = &p->sb;
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) sb_puts(sb, ", ");
        put_type(p, types[i]);
    }
}

static void put_function(TypePrint *p, const Type *t) {
    StrBuf *sb = &p->sb;
    sb_putc(sb, '(');
    put_type_list(p, t->types, t->ninputs);
    sb_puts(sb, ") -> ");
    uint32_t nres = t->ntypes - t->ninputs;
    bool bare = nres == 1 && t->types[t->ninputs]->kind != TY_FUNCTION;
    if (!bare) sb_putc(sb, '(');
    put_type_list(p, t->types + t->ninputs, nres);
    if (!bare) sb_putc(sb, ')');
}

static bool same_tile(const Type *a, const Type *b) {
    const TileInfo *s = &a->tile, *t = &b->tile;
    return type_same(a->elem_type, b->elem_type) && s->rows == t->rows && s->cols == t->cols &&
           s->vrow == t->vrow && s->vcol == t->vcol && s->space == t->space &&
           s->blayout == t->blayout && s->slayout == t->slayout && s->pad == t->pad &&
           s->compact == t->compact && s->fractal == t->fractal;
}

static void put_multi_tile(TypePrint *p, const Type *t) {
    StrBuf *sb = &p->sb;
    sb_puts(sb, "!pto.multi_tile_buf<");
    if (p->aliases && t->ntypes == 1 && same_tile(t, t->types[0])) {
        put_type(p, t->types[0]);
    } else {
        sb_puts(sb, "!pto.tile_buf<");
        put_tile(p, t);
        sb_putc(sb, '>');
    }
    sb_printf(sb, ", count=%u>", t->count);
}

static void put_layout(TypePrint *p, const Type *t) {
    if (t->layout != 0) {
        sb_puts(&p->sb, ", #pto.vmi.layout<");
        put_atom(&p->sb, p->names, t->layout);
        sb_putc(&p->sb, '>');
    }
    sb_putc(&p->sb, '>');
}

/* Opaque types are printed as written. */
static void put_text(TypePrint *p, const Type *t) {
    StrBuf *sb = &p->sb;
    switch ((TypeKind)t->kind) {
    case TY_SCALAR:
        if (t->elem == ELEM_ODD_INT)
            sb_printf(sb, "%s%u", t->sign == 'I' ? "i" : t->sign == 'S' ? "si" : "ui", t->width);
        else
            sb_puts(sb, elem_infos[t->elem].text);
        break;
    case TY_NONE:
        sb_puts(sb, "none");
        break;
    case TY_TILE:
        sb_puts(sb, t->spelling == SPELL_TILE ? "!pto.tile<" : "!pto.tile_buf<");
        put_tile(p, t);
        sb_putc(sb, '>');
        break;
    case TY_MULTI_TILE:
        put_multi_tile(p, t);
        break;
    case TY_TILE_ANY:
        sb_puts(sb, t->spelling == SPELL_TILE ? "!pto.tile<...>" : "!pto.tile_buf<...>");
        break;
    case TY_DTYPE:
        sb_puts(sb, "dtype");
        break;
    case TY_PTR:
        sb_puts(sb, "!pto.ptr<");
        put_type(p, t->elem_type);
        if (t->space != SPACE_GM) sb_printf(sb, ", %s", pointer_space_names[t->space]);
        sb_putc(sb, '>');
        break;
    case TY_TENSOR_VIEW:
    case TY_PART_VIEW:
    case TY_LOCAL_ARRAY:
        sb_puts(sb, t->kind == TY_TENSOR_VIEW ? "!pto.tensor_view<"
                    : t->kind == TY_PART_VIEW ? "!pto.partition_tensor_view<"
                                              : "!pto.local_array<");
        put_dims(p, t);
        sb_putc(sb, '>');
        break;
    case TY_FUNCTION:
        put_function(p, t);
        break;
    case TY_PIPE:
        sb_puts(sb, "!pto.pipe");
        break;
    case TY_EVENT_ARRAY:
        sb_printf(sb, "!pto.eventid_array<%u>", t->count);
        break;
    case TY_ASYNC_SESSION:
        sb_puts(sb, "!pto.async_session");
        break;
    case TY_ASYNC_EVENT:
        sb_puts(sb, "!pto.async_event");
        break;
    case TY_PREFETCH_CONTEXT:
        sb_puts(sb, "!pto.prefetch_async_context");
        break;
    case TY_VREG:
        sb_printf(sb, "!pto.vreg<%ux", t->count);
        put_type(p, t->elem_type);
        sb_putc(sb, '>');
        break;
    case TY_VECTOR:
        sb_printf(sb, "vector<%ux", t->count);
        put_type(p, t->elem_type);
        sb_putc(sb, '>');
        break;
    case TY_MASK:
        sb_printf(sb, "!pto.mask<b%u>", t->count);
        break;
    case TY_ALIGN:
        sb_puts(sb, "!pto.align");
        break;
    case TY_STRUCT:
    case TY_TUPLE:
        sb_puts(sb, t->kind == TY_STRUCT ? "!pto.struct<" : "tuple<");
        put_type_list(p, t->types, t->ntypes);
        sb_putc(sb, '>');
        break;
    case TY_LANES:
        sb_printf(sb, "!pto.vmi.vreg<%ux", t->count);
        put_type(p, t->elem_type);
        put_layout(p, t);
        break;
    case TY_LANE_MASK:
        sb_printf(sb, "!pto.vmi.mask<%ux", t->count);
        if (t->width == 0)
            sb_puts(sb, "pred");
        else
            sb_printf(sb, "b%u", t->width);
        put_layout(p, t);
        break;
    case TY_OPAQUE:
        put_atom(sb, p->names, t->text);
        break;
    }
}

/* ---- interning ---- */

TypeTable *type_table_new(Arena *arena, Interner *names) {
    TypeTable *t = ARENA_NEW(arena, TypeTable);
    t->arena = arena;
    t->names = names;
    t->mask = 255;
    t->by_text = ARENA_ARRAY(arena, const Type *, t->mask + 1);
    return t;
}

static uint32_t slot_of(const TypeTable *t, Atom shown, Atom alias) {
    uint32_t i = (shown * 2654435761u ^ alias * 40503u) & t->mask;
    while (t->by_text[i] != NULL &&
           (t->by_text[i]->shown != shown || t->by_text[i]->alias != alias))
        i = (i + 1) & t->mask;
    return i;
}

static void insert(TypeTable *t, const Type *type) {
    if (t->count > t->mask / 2) {
        const Type **old = t->by_text;
        uint32_t n = t->mask + 1;
        t->mask = n * 2 - 1;
        t->by_text = ARENA_ARRAY(t->arena, const Type *, n * 2);
        for (uint32_t i = 0; i < n; i++)
            if (old[i] != NULL) t->by_text[slot_of(t, old[i]->shown, old[i]->alias)] = old[i];
    }
    t->by_text[slot_of(t, type->shown, type->alias)] = type;
    t->count++;
}

/* True when the spelling causes a warning; such types are not in the table. */
static bool has_remarks(const Type *a) {
    return a->key_order_odd || a->deprecated_view || a->missing_bang || a->tile.blayout_written;
}

static bool is_aliased(const Type *t) {
    return t->alias != 0 || t->shown != t->text;
}

static bool has_aliased_part(const Type *t) {
    bool aliased = t->elem_type != NULL && is_aliased(t->elem_type);
    for (uint32_t i = 0; i < t->ntypes && !aliased; i++)
        aliased = is_aliased(t->types[i]);
    return aliased;
}

/* Makes the parts of a type canonical. */
static void drop_aliases(TypeTable *t, Type *type) {
    const Type **types = ARENA_ARRAY(t->arena, const Type *, type->ntypes);
    for (uint32_t i = 0; i < type->ntypes; i++)
        types[i] = type->types[i]->canon;
    type->types = types;
    if (type->elem_type != NULL) type->elem_type = type->elem_type->canon;
}

/* Returns the representative of all types with the same meaning: it is spelt `tile_buf` and has no
 * information about the spelling. */
static const Type *canonical(TypeTable *t, const Type *self) {
    bool tile = self->kind == TY_TILE || self->kind == TY_TILE_ANY;
    bool left =
        (self->kind == TY_TILE || self->kind == TY_MULTI_TILE) && self->tile.space == SPACE_LEFT;
    if (!has_remarks(self) && self->alias == 0 && self->shown == self->text &&
        !(tile && self->spelling != SPELL_BUF) && !(left && self->tile.blayout != BL_ROW_MAJOR))
        return self;
    Type proto = *self;
    if (left) /* the profile decides, not the text (decision 8) */
        proto.tile.blayout = BL_ROW_MAJOR;
    proto.spelling = tile ? SPELL_BUF : self->spelling;
    proto.key_order_odd = proto.deprecated_view = proto.missing_bang = false;
    proto.tile.blayout_written = false;
    proto.alias = 0;
    if (self->shown != self->text) drop_aliases(t, &proto);
    return type_intern(t, &proto);
}

static Atom text_of(const TypeTable *t, const Type *proto, bool aliases) {
    char small[512];
    TypePrint p = {{t->arena, small, 0, sizeof small}, t->names, aliases};
    put_text(&p, proto);
    return intern_copy(t->names, sb_text(&p.sb), p.sb.len);
}

const Type *type_intern(TypeTable *t, const Type *proto) {
    const Atom text = text_of(t, proto, false);
    const Atom shown = has_aliased_part(proto) ? text_of(t, proto, true) : text;
    const Type *found = t->by_text[slot_of(t, shown, proto->alias)];
    if (found != NULL && !has_remarks(proto)) return found;
    Type *type = ARENA_NEW(t->arena, Type);
    *type = *proto;
    type->text = text;
    type->shown = shown;
    type->kinds = type->kind == TY_NONE ? UINT32_MAX : type_kinds(type);
    if (proto->rank != 0) {
        int64_t *dims = ARENA_ARRAY(t->arena, int64_t, proto->rank);
        memcpy(dims, proto->dims, proto->rank * sizeof *dims);
        type->dims = dims;
    }
    if (proto->ntypes != 0) {
        const Type **types = ARENA_ARRAY(t->arena, const Type *, proto->ntypes);
        memcpy(types, proto->types, proto->ntypes * sizeof *types);
        type->types = types;
    }
    if (!has_remarks(proto)) insert(t, type);
    type->canon = canonical(t, type);
    return type;
}

const Type *type_scalar(TypeTable *t, Elem e) {
    if (t->scalars[e] == NULL) {
        Type proto = {.kind = TY_SCALAR, .elem = (uint8_t)e};
        t->scalars[e] = type_intern(t, &proto);
    }
    return t->scalars[e];
}

static const Type *type_odd_int(TypeTable *t, char sign, uint32_t width) {
    Type proto = {.kind = TY_SCALAR, .elem = ELEM_ODD_INT, .sign = sign, .width = width};
    return type_intern(t, &proto);
}

bool types_are_long(const TypeTable *t, const Type *const *types, uint32_t n) {
    enum { LONGEST_TEXT = 4096 };
    size_t len = 0;
    for (uint32_t i = 0; i < n; i++)
        if (types[i]->kind == TY_STRUCT || types[i]->kind == TY_FUNCTION)
            len += atom_len(t->names, types[i]->text);
    return len > LONGEST_TEXT;
}

const Type *type_function(TypeTable *t, const Type *const *inputs, uint32_t ninputs,
                          const Type *const *results, uint32_t nresults) {
    const Type **types = ARENA_ARRAY(t->arena, const Type *, (size_t)ninputs + nresults + 1);
    for (uint32_t i = 0; i < ninputs; i++)
        types[i] = inputs[i];
    for (uint32_t i = 0; i < nresults; i++)
        types[ninputs + i] = results[i];
    Type proto = {
        .kind = TY_FUNCTION, .ninputs = ninputs, .ntypes = ninputs + nresults, .types = types};
    return type_intern(t, &proto);
}

const Type *type_respell(TypeTable *t, const Type *type, TileSpelling spelling) {
    if (!type_is_tile(type) || type->spelling == spelling) return type;
    Type proto = *type;
    proto.spelling = (uint8_t)spelling;
    proto.missing_bang = false;
    return type_intern(t, &proto);
}

const Type *type_with_alias(TypeTable *t, const Type *type, Atom alias) {
    char text[256] = "!";
    size_t n = atom_len(t->names, alias);
    Type proto = *type;
    if (n > sizeof text - 1) /* too long: the type is printed in full */
        return type;
    memcpy(text + 1, atom_text(t->names, alias), n);
    proto.alias = intern_copy(t->names, text, n + 1);
    return type_intern(t, &proto);
}

static const Type *int_from_word(TypeTable *t, char sign, const char *digits, size_t n) {
    uint32_t width = 0;
    for (size_t i = 0; i < n; i++) {
        if (digits[i] < '0' || digits[i] > '9' || width > 16777215 / 10) return NULL;
        width = width * 10 + (uint32_t)(digits[i] - '0');
    }
    if (n == 0 || width == 0 || digits[0] == '0') return NULL;
    for (int e = 1; e < ELEM_COUNT; e++)
        if (e != ELEM_INDEX && elem_infos[e].cls == sign && elem_int_width((Elem)e) == width)
            return type_scalar(t, (Elem)e);
    return type_odd_int(t, sign, width);
}

const Type *type_from_word(TypeTable *t, const char *s, size_t n) {
    if (n > 1 && s[0] == 'i' && s[1] >= '0' && s[1] <= '9')
        return int_from_word(t, 'I', s + 1, n - 1);
    if (n > 2 && s[1] == 'i' && (s[0] == 's' || s[0] == 'u'))
        return int_from_word(t, s[0] == 's' ? 'S' : 'U', s + 2, n - 2);
    for (int e = 1; e < ELEM_COUNT && n > 0; e++)
        if (strlen(elem_infos[e].text) == n && memcmp(elem_infos[e].text, s, n) == 0)
            return type_scalar(t, (Elem)e);
    Type proto = {.kind = TY_NONE};
    if (n == 4 && memcmp(s, "none", 4) == 0) return type_intern(t, &proto);
    proto.kind = TY_DTYPE;
    if (n == 5 && memcmp(s, "dtype", 5) == 0) return type_intern(t, &proto);
    return NULL;
}

bool type_compatible(const Type *a, const Type *b) {
    if (type_same(a, b)) return true;
    if (a->kind == TY_TILE_ANY || b->kind == TY_TILE_ANY) return type_is_tile(a) && type_is_tile(b);
    if (a->kind == TY_DTYPE) return b->kind == TY_SCALAR;
    return b->kind == TY_DTYPE && a->kind == TY_SCALAR;
}

/* ---- layout ---- */

BLayout tile_blayout(const Type *type, Profile profile) {
    bool own = type->tile.space != SPACE_LEFT || profile_infos[profile].left == BL_AS_WRITTEN;
    return (BLayout)(own ? type->tile.blayout : profile_infos[profile].left);
}

bool tile_inner_box(const Type *type, int64_t *rows, int64_t *cols) {
    const TileInfo *i = &type->tile;
    int64_t bytes = elem_infos[type->elem].bytes;
    *rows = *cols = 1;
    if (i->slayout == SL_NONE_BOX) return true;
    bool by_rows = i->slayout == SL_ROW_MAJOR;
    int64_t major = 16, minor = 16;
    if (i->fractal == 32)
        minor = 2;
    else if (i->fractal == 512) {
        if (bytes == 0 || 32 % bytes != 0) return false;
        minor = 32 / bytes;
    }
    *rows = by_rows ? major : minor;
    *cols = by_rows ? minor : major;
    return true;
}

/* Returns the extent of a boxed tile in elements, one more than the offset of its last element.
 * This is rows * cols, or more when the rows do not fill the last boxes. */
static int64_t boxed_span(const Type *type, BLayout blayout) {
    const TileInfo *i = &type->tile;
    int64_t ir, ic, line, box;
    if (!tile_inner_box(type, &ir, &ic)) return -1;
    int64_t r = i->rows - 1, c = i->cols - 1;
    int64_t inside = i->slayout == SL_ROW_MAJOR ? (r % ir) * ic + c % ic : (c % ic) * ir + r % ir;
    bool row_major = blayout == BL_ROW_MAJOR;
    /* A line of boxes, then boxes within it. */
    if (__builtin_mul_overflow(row_major ? r / ir : c / ic, row_major ? i->cols * ir : i->rows * ic,
                               &line) ||
        __builtin_mul_overflow(row_major ? c / ic : r / ir, ir * ic, &box) ||
        __builtin_add_overflow(line, box, &line) || __builtin_add_overflow(line, inside + 1, &line))
        return -1;
    return line;
}

bool tile_is_turned(const Type *from, const Type *to) {
    const TileInfo *a = &from->tile, *b = &to->tile;
    return (a->rows == 1) != (a->cols == 1) && a->rows == b->cols && a->cols == b->rows;
}

static int64_t slot_bytes(const Type *type, Profile profile) {
    const TileInfo *i = &type->tile;
    int64_t bytes = elem_infos[type->elem].bytes, n;
    bool row_major = tile_blayout(type, profile) == BL_ROW_MAJOR;
    if (bytes == 0 || __builtin_mul_overflow(i->rows, i->cols, &n)) return -1;
    if (i->compact == COMPACT_ROW_PLUS_ONE) {
        int64_t major = row_major ? i->rows : i->cols, minor = row_major ? i->cols : i->rows;
        if (__builtin_mul_overflow(major - 1, minor + 1, &n) ||
            __builtin_add_overflow(n, minor, &n))
            return -1;
    } else if (i->slayout != SL_NONE_BOX) {
        int64_t span =
            n <= INT64_MAX / 512 ? boxed_span(type, row_major ? BL_ROW_MAJOR : BL_COL_MAJOR) : -1;
        n = span > n ? span : n;
    }
    return __builtin_mul_overflow(n, bytes, &n) ? -1 : n;
}

int64_t multi_tile_stride(const Type *multi, Profile profile) {
    int64_t bytes = slot_bytes(multi, profile), unit = space_alignment(multi->tile.space);
    return bytes < 0 || bytes > INT64_MAX - unit ? -1 : (bytes + unit - 1) / unit * unit;
}

int64_t tile_bytes(const Type *type, Profile profile) {
    int64_t n;
    if (type->kind != TY_MULTI_TILE) return slot_bytes(type, profile);
    n = multi_tile_stride(type, profile);
    return n < 0 || __builtin_mul_overflow(n, (int64_t)type->count, &n) ? -1 : n;
}
