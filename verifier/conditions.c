/* The conditions of the rule vocabulary: for each a function that tests it and one that says what
 * was found and what was expected. A condition about something absent or a template holds. */
#include "verifier/words.h"

#include <stdarg.h>
#include <string.h>

/* ---- looking at operands ---- */

const Type *element_type(const Type *t) {
    return t->kind == TY_SCALAR ? t : t->elem_type;
}

bool same_element(const Type *a, const Type *b) {
    const Type *x = element_type(a), *y = element_type(b);
    return x == NULL || y == NULL || type_same(x, y);
}

uint8_t tile_layout(const Type *tile, Profile profile) {
    bool col = tile_blayout(tile, profile) == BL_COL_MAJOR;
    switch (tile->tile.slayout) {
    case SL_ROW_MAJOR:
        return col ? LAY_NZ : LAY_ZZ;
    case SL_COL_MAJOR:
        return col ? LAY_NN : LAY_ZN;
    default:
        return col ? LAY_DN : LAY_ND;
    }
}

int64_t tile_dim(const Type *tile, Dim d) {
    const int64_t dims[] = {tile->tile.rows, tile->tile.cols, tile->tile.vrow, tile->tile.vcol};
    return dims[d];
}

/* The element set of a type: one bit. Odd integer widths are in no set. */
static ElemSet elem_bit(const Type *t) {
    return ELEM_BIT(t->elem);
}

const char *case_name(const Case *c, int index) {
    const Inst *inst = c->op->inst;
    return index < inst->nslots ? inst->slots[index].name
                                : inst->results[index - inst->nslots].name;
}

Value *case_value(const Case *c, int index) {
    const Inst *inst = c->op->inst;
    return index < inst->nslots ? slot_value(c->op, index) : op_result(c->op, index - inst->nslots);
}

Span case_span(const Case *c, int index) {
    const Inst *inst = c->op->inst;
    if (index < 0 || index >= inst->nslots) return c->op->name_span;
    return slot_span(c->op, index);
}

bool fails(const Case *c, const char *fmt, ...) {
    if (c->why == NULL) return false;
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(c->why, fmt, ap);
    va_end(ap);
    return false;
}

/* ---- writing types ---- */

static const char *text_of(const Case *c, const Type *t, int *len) {
    const Interner *names = &c->judge->ctx->names;
    *len = (int)atom_len(names, t->text);
    return atom_text(names, t->text);
}

static const char *elem_name(const Case *c, const Type *t, int *len) {
    const Type *e = element_type(t);
    if (e == NULL) {
        *len = 4;
        return "none";
    }
    return text_of(c, e, len);
}

/* ---- kinds ---- */

static unsigned kind_of(const Type *t) {
    switch (t->kind) {
    case TY_TILE:
        return K_TILE;
    case TY_TENSOR_VIEW:
        return K_VIEW;
    case TY_PART_VIEW:
        return K_PART;
    case TY_PTR:
        return K_PTR;
    case TY_SCALAR:
        if (t->elem == ELEM_INDEX) return K_INDEX;
        if (t->elem == ELEM_I64) return K_INT | K_I64;
        if (t->elem == ELEM_I1) return K_INT | K_I1;
        if (t->elem == ELEM_ODD_INT) return t->sign == 'I' ? K_INT : K_SIGNED_INT;
        if (elem_is_int((Elem)t->elem))
            return elem_infos[t->elem].cls == 'I' ? K_INT : K_SIGNED_INT;
        return K_FLOAT;
    case TY_MULTI_TILE:
        return K_MULTI;
    case TY_PIPE:
        return K_PIPE;
    case TY_EVENT_ARRAY:
        return K_EVENTS;
    case TY_LOCAL_ARRAY:
        return K_ARRAY;
    case TY_STRUCT:
        return K_STRUCT;
    case TY_ASYNC_SESSION:
        return K_SESSION;
    case TY_ASYNC_EVENT:
        return K_ASYNC_EVENT;
    case TY_PREFETCH_CONTEXT:
        return K_PREFETCH;
    case TY_OPAQUE:
        return K_MEMREF;
    default:
        return 0;
    }
}

/* In the PTO-AS form a window is a view, a pointer or a memref with indices. A constant may be of
 * another dialect's type: nothing takes such a value. */
static bool kind_fits(const Case *c, const Rule *r, const Type *t) {
    const Inst *inst = c->op->inst;
    if ((kind_of(t) & r->row->set) != 0 || type_is_template(t) || t->kind == TY_NONE) return true;
    if (r->a >= inst->nslots && t->kind == TY_OPAQUE) return true;
    return c->op->form == OPF_AS && r->a < inst->nslots && inst->slots[r->a].kind == SLOT_SOURCE &&
           (t->kind == TY_OPAQUE || (kind_of(t) & (K_VIEW | K_PTR)) != 0);
}

/* The first operand of a slot that does not fit, or NULL. */
static const Operand *wrong_kind(const Case *c, const Rule *r) {
    const Inst *inst = c->op->inst;
    if (r->a >= inst->nslots || inst->slots[r->a].arity != ARITY_VAR) return NULL;
    unsigned n = slot_count(c->op, r->a);
    const Operand *o = slot_operands(c->op, r->a);
    for (unsigned i = 0; i < n; i++)
        if (!kind_fits(c, r, o[i].value->type)) return &o[i];
    return NULL;
}

static bool holds_OPERAND_KIND(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    return (t == NULL || kind_fits(c, r, t)) && wrong_kind(c, r) == NULL;
}

static void explain_OPERAND_KIND(const Case *c, const Rule *r, StrBuf *out) {
    const Operand *o = wrong_kind(c, r);
    if (o != NULL && c->at != NULL) *c->at = o->span;
    int n;
    const char *s = text_of(c, o != NULL ? o->value->type : c->types[r->a], &n);
    sb_printf(out, "%s has type %.*s, expected ", case_name(c, r->a), n, s);
    put_names(out, r->row->set, kind_names, KIND_NAMES);
}

/* ---- element types ---- */

static bool holds_LOW_PRECISION(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    return t == NULL || elem_infos[t->elem].cls != 'L';
}

static void explain_LOW_PRECISION(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has the low-precision element type %s, which the instruction does not take",
              case_name(c, r->a), elem_infos[c->types[r->a]->elem].text);
}

static bool holds_ELEM_TYPE(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    return t == NULL || (elem_bit(t) & r->row->set) != 0;
}

static void explain_ELEM_TYPE(const Case *c, const Rule *r, StrBuf *out) {
    int n;
    const char *s = elem_name(c, c->types[r->a], &n);
    sb_printf(out, "%s has element type %.*s, expected ", case_name(c, r->a), n, s);
    put_elem_set(out, r->row->set);
}

static bool holds_ELEM_SIZE(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    return t == NULL || ((uint64_t)1 << elem_infos[t->elem].bytes & r->row->set) != 0;
}

static void explain_ELEM_SIZE(const Case *c, const Rule *r, StrBuf *out) {
    static const char *const sizes[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
    const ElemInfo *e = &elem_infos[c->types[r->a]->elem];
    sb_printf(out, "%s has elements of %u bytes (%s), expected ", case_name(c, r->a), e->bytes,
              e->text);
    put_names(out, r->row->set, sizes, 9);
    sb_puts(out, " bytes");
}

static bool holds_ELEM_MISMATCH(const Case *c, const Rule *r) {
    const Type *a = case_type(c, r->a), *b = case_type(c, r->b);
    return a == NULL || b == NULL || same_element(a, b);
}

static void explain_ELEM_MISMATCH(const Case *c, const Rule *r, StrBuf *out) {
    int n, m;
    const char *s = elem_name(c, c->types[r->a], &n), *t = elem_name(c, c->types[r->b], &m);
    sb_printf(out, "%s has element type %.*s but %s has %.*s", case_name(c, r->a), n, s,
              case_name(c, r->b), m, t);
}

static bool holds_ELEM_SIZE_MISMATCH(const Case *c, const Rule *r) {
    const Type *a = case_type(c, r->a), *b = case_type(c, r->b);
    return a == NULL || b == NULL || elem_infos[a->elem].bytes == elem_infos[b->elem].bytes;
}

static void explain_ELEM_SIZE_MISMATCH(const Case *c, const Rule *r, StrBuf *out) {
    const ElemInfo *a = &elem_infos[c->types[r->a]->elem], *b = &elem_infos[c->types[r->b]->elem];
    sb_printf(out, "%s has elements of %u bytes (%s) but %s has %u (%s)", case_name(c, r->a),
              a->bytes, a->text, case_name(c, r->b), b->bytes, b->text);
}

/* A signless name in a list admits its `si` twin (decision 12). */
static unsigned signless(unsigned elem) {
    switch (elem) {
    case ELEM_SI8:
        return ELEM_I8;
    case ELEM_SI16:
        return ELEM_I16;
    case ELEM_SI32:
        return ELEM_I32;
    case ELEM_SI64:
        return ELEM_I64;
    default:
        return elem;
    }
}

static bool in_pairs(const uint8_t *list, unsigned a, unsigned b) {
    for (; list[0] != 0; list += 2)
        if (list[0] == a && list[1] == b) return true;
    return false;
}

static bool holds_ELEM_PAIR(const Case *c, const Rule *r) {
    const Type *a = case_type(c, r->a), *b = case_type(c, r->b);
    return a == NULL || b == NULL || in_pairs(r->row->list, a->elem, b->elem) ||
           in_pairs(r->row->list, signless(a->elem), signless(b->elem));
}

static void explain_ELEM_PAIR(const Case *c, const Rule *r, StrBuf *out) {
    unsigned from = c->types[r->a]->elem, to = c->types[r->b]->elem;
    ElemSet set = 0;
    for (const uint8_t *p = r->row->list; p[0] != 0; p += 2)
        if (p[0] == from) set |= ELEM_BIT(p[1]);
    sb_printf(out, "%s has element type %s and %s has %s", case_name(c, r->a),
              elem_infos[from].text, case_name(c, r->b), elem_infos[to].text);
    if (set == 0) return;
    sb_printf(out, "; from %s it can be ", elem_infos[from].text);
    put_elem_set(out, set);
}

/* ---- scalars ---- */

/* A signless integer stands for its signed and unsigned twins: there are no other literals. */
static bool holds_SCALAR_MISMATCH(const Case *c, const Rule *r) {
    const Type *s = case_type(c, r->a), *t = case_type(c, r->b);
    if (s == NULL || t == NULL || same_element(s, t)) return true;
    return s->kind == TY_SCALAR && elem_infos[s->elem].cls == 'I' && elem_is_int((Elem)t->elem) &&
           elem_int_width((Elem)s->elem) == elem_int_width((Elem)t->elem) &&
           s->elem != ELEM_INDEX && s->elem != ELEM_ODD_INT && t->elem != ELEM_ODD_INT;
}

static bool holds_SCALAR_EXACT(const Case *c, const Rule *r) {
    return holds_ELEM_MISMATCH(c, r);
}

static void explain_SCALAR_MISMATCH(const Case *c, const Rule *r, StrBuf *out) {
    int n, m;
    const char *s = text_of(c, c->types[r->a], &n), *t = elem_name(c, c->types[r->b], &m);
    sb_printf(out, "%s has type %.*s, but the element type of %s is %.*s", case_name(c, r->a), n, s,
              case_name(c, r->b), m, t);
}

static void explain_SCALAR_EXACT(const Case *c, const Rule *r, StrBuf *out) {
    explain_SCALAR_MISMATCH(c, r, out);
}

/* ---- whole types ---- */

static bool holds_TYPE_MISMATCH(const Case *c, const Rule *r) {
    const Type *a = case_type(c, r->a), *b = case_type(c, r->b);
    return a == NULL || b == NULL || type_same(a, b);
}

/* The components in which two tile types differ: `pad (zero and max)`. */
static void put_differences(StrBuf *out, const Type *a, const Type *b) {
    const TileInfo *x = &a->tile, *y = &b->tile;
    const char *comma = "";
#define DIFFER(name, differ, ...)                                                                  \
    if (differ) {                                                                                  \
        sb_printf(out, "%s" name " (", comma);                                                     \
        sb_printf(out, __VA_ARGS__);                                                               \
        sb_putc(out, ')');                                                                         \
        comma = ", ";                                                                              \
    }
    DIFFER("space", x->space != y->space, "%s and %s", space_names[x->space], space_names[y->space])
    DIFFER("element type", a->elem != b->elem, "%s and %s", elem_infos[a->elem].text,
           elem_infos[b->elem].text)
    DIFFER("shape", x->rows != y->rows || x->cols != y->cols, "%lldx%lld and %lldx%lld",
           (long long)x->rows, (long long)x->cols, (long long)y->rows, (long long)y->cols)
    DIFFER("valid region", x->vrow != y->vrow || x->vcol != y->vcol, "%sx%s and %sx%s",
           extent_word(x->vrow).text, extent_word(x->vcol).text, extent_word(y->vrow).text,
           extent_word(y->vcol).text)
    DIFFER("pad", x->pad != y->pad && x->pad < PAD_NAMES && y->pad < PAD_NAMES, "%s and %s",
           pad_names[x->pad], pad_names[y->pad])
#undef DIFFER
    if (*comma == '\0') sb_puts(out, "layout, fractal or compact mode");
}

static void explain_TYPE_MISMATCH(const Case *c, const Rule *r, StrBuf *out) {
    const Type *a = c->types[r->a], *b = c->types[r->b];
    if (a->kind == TY_TILE && b->kind == TY_TILE) {
        sb_printf(out, "%s and %s differ in ", case_name(c, r->a), case_name(c, r->b));
        put_differences(out, a, b);
        sb_puts(out, "; they must have one type");
        return;
    }
    int n, m;
    const char *s = text_of(c, c->types[r->a], &n), *t = text_of(c, c->types[r->b], &m);
    sb_printf(out, "%s has type %.*s but %s has %.*s", case_name(c, r->a), n, s, case_name(c, r->b),
              m, t);
}

/* ---- location and layout ---- */

static bool holds_LOCATION(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    return t == NULL || ((uint64_t)1 << t->tile.space & r->row->set) != 0;
}

static void explain_LOCATION(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s is in %s, expected ", case_name(c, r->a),
              space_names[c->types[r->a]->tile.space]);
    put_names(out, r->row->set, space_names, SPACE_COUNT);
}

static bool holds_LOCATION_PAIR(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    return a == NULL || b == NULL || in_pairs(r->row->list, a->tile.space, b->tile.space);
}

static void explain_LOCATION_PAIR(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s is in %s and %s in %s; possible are ", case_name(c, r->a),
              space_names[c->types[r->a]->tile.space], case_name(c, r->b),
              space_names[c->types[r->b]->tile.space]);
    for (const uint8_t *p = r->row->list; p[0] != 0; p += 2)
        sb_printf(out, "%s%s to %s", p == r->row->list ? "" : ", ", space_names[p[0]],
                  space_names[p[1]]);
}

static bool holds_LAYOUT(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    return t == NULL || (tile_layout(t, c->profile) & r->row->set) != 0;
}

static void explain_LAYOUT(const Case *c, const Rule *r, StrBuf *out) {
    unsigned is = tile_layout(c->types[r->a], c->profile);
    sb_printf(out, "%s has layout ", case_name(c, r->a));
    put_names(out, is, layout_names, 6);
    sb_puts(out, ", expected ");
    put_layouts(out, r->row->set);
}

static bool holds_LAYOUT_PAIR(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    return a == NULL || b == NULL ||
           in_pairs(r->row->list, tile_layout(a, c->profile), tile_layout(b, c->profile));
}

static void explain_LAYOUT_PAIR(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has layout ", case_name(c, r->a));
    put_names(out, tile_layout(c->types[r->a], c->profile), layout_names, 6);
    sb_printf(out, " and %s ", case_name(c, r->b));
    put_names(out, tile_layout(c->types[r->b], c->profile), layout_names, 6);
    sb_puts(out, "; possible are ");
    for (const uint8_t *p = r->row->list; p[0] != 0; p += 2) {
        sb_puts(out, p == r->row->list ? "" : ", ");
        put_names(out, p[0], layout_names, 6);
        sb_puts(out, " to ");
        put_names(out, p[1], layout_names, 6);
    }
}

static unsigned fractal_bit(const Type *t) {
    return t->tile.fractal == 32 ? F32 : t->tile.fractal == 512 ? F512 : F1024;
}

static bool holds_FRACTAL(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    return t == NULL || (fractal_bit(t) & r->row->set) != 0;
}

static void explain_FRACTAL(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "the fractal size of %s is %u, expected ", case_name(c, r->a),
              c->types[r->a]->tile.fractal);
    put_names(out, r->row->set, fractal_names, 3);
}

static bool holds_COMPACT_MODE(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    return t == NULL || ((uint64_t)1 << t->tile.compact & r->row->set) != 0;
}

static void explain_COMPACT_MODE(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "the compact mode of %s is %s, expected ", case_name(c, r->a),
              compact_names[c->types[r->a]->tile.compact]);
    put_names(out, r->row->set, compact_names, 3);
}

static bool holds_PAD_VALUE(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    return t == NULL || ((uint64_t)1 << t->tile.pad & r->row->set) != 0;
}

static void explain_PAD_VALUE(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "the pad value of %s is %s, expected ", case_name(c, r->a),
              pad_names[c->types[r->a]->tile.pad]);
    put_names(out, r->row->set, pad_names, 4);
}

/* ---- extents ---- */

static bool holds_VALID_MISMATCH(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL) return true;
    return ((r->row->dims & VALID_ROWS) == 0 || extents_fit(a->tile.vrow, b->tile.vrow)) &&
           ((r->row->dims & VALID_COLS) == 0 || extents_fit(a->tile.vcol, b->tile.vcol));
}

static void put_pair(StrBuf *out, int64_t r, int64_t c) {
    sb_puts(out, extent_word(r).text);
    sb_putc(out, 'x');
    sb_puts(out, extent_word(c).text);
}

static void explain_VALID_MISMATCH(const Case *c, const Rule *r, StrBuf *out) {
    const TileInfo *a = &c->types[r->a]->tile, *b = &c->types[r->b]->tile;
    sb_printf(out, "the valid region of %s is ", case_name(c, r->a));
    put_pair(out, a->vrow, a->vcol);
    sb_printf(out, ", that of %s ", case_name(c, r->b));
    put_pair(out, b->vrow, b->vcol);
    sb_puts(out, r->row->dims == VALID_ROWS   ? "; the rows must be equal"
                 : r->row->dims == VALID_COLS ? "; the columns must be equal"
                                              : "; they must be equal");
}

static bool in_range(const RuleRow *row, int64_t v) {
    return v == DYNAMIC ||
           (v >= row->lo && v <= row->hi && (row->multiple == 0 || v % row->multiple == 0));
}

static bool holds_VALID_RANGE(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    return t == NULL || in_range(r->row, tile_dim(t, (Dim)r->row->dims));
}

static void explain_VALID_RANGE(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has %lld %s, expected ", case_name(c, r->a),
              (long long)tile_dim(c->types[r->a], (Dim)r->row->dims), dim_names[r->row->dims]);
    put_range(out, r->row);
}

static bool holds_SHAPE_RANGE(const Case *c, const Rule *r) {
    return holds_VALID_RANGE(c, r);
}

static void explain_SHAPE_RANGE(const Case *c, const Rule *r, StrBuf *out) {
    explain_VALID_RANGE(c, r, out);
}

static bool holds_SHAPE_MISMATCH(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL) return true;
    return ((r->row->dims & VALID_ROWS) == 0 || a->tile.rows == b->tile.rows) &&
           ((r->row->dims & VALID_COLS) == 0 || a->tile.cols == b->tile.cols);
}

static void explain_shapes(const Case *c, const Rule *r, StrBuf *out) {
    const TileInfo *a = &c->types[r->a]->tile, *b = &c->types[r->b]->tile;
    sb_printf(out, "%s is %lldx%lld and %s %lldx%lld", case_name(c, r->a), (long long)a->rows,
              (long long)a->cols, case_name(c, r->b), (long long)b->rows, (long long)b->cols);
}

static void explain_SHAPE_MISMATCH(const Case *c, const Rule *r, StrBuf *out) {
    explain_shapes(c, r, out);
    sb_puts(out, "; the shapes must be equal");
}

static bool related(uint8_t rel, int64_t a, int64_t b) {
    return rel == REL_EQ ? a == b : rel == REL_GE ? a >= b : a <= b;
}

/* ceil(multiple * y / div) + add; false when it overflows. */
static bool related_extent(const RuleRow *row, int64_t y, int64_t *out) {
    int64_t factor = row->multiple == 0 ? 1 : row->multiple, div = row->div == 0 ? 1 : row->div;
    if (__builtin_mul_overflow(y, factor, out) || __builtin_add_overflow(*out, div - 1, out))
        return false;
    return !__builtin_add_overflow(*out / div, row->add, out);
}

static bool holds_SHAPE_RELATION(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL) return true;
    int64_t x = tile_dim(a, (Dim)r->row->dims), y = tile_dim(b, (Dim)r->row->dim_b), wanted;
    if (x == DYNAMIC || y == DYNAMIC) return true;
    return related_extent(r->row, y, &wanted) && related(r->row->rel, x, wanted);
}

static void put_relation(const Case *c, const Rule *r, StrBuf *out) {
    const RuleRow *row = r->row;
    int64_t wanted;
    sb_printf(out, "; %s of %s must be %s ", dim_names[row->dims], case_name(c, r->a),
              relation_names[row->rel]);
    if (row->div > 1) sb_puts(out, "(rounded up) ");
    if (row->multiple > 1) sb_printf(out, "%lld times ", (long long)row->multiple);
    sb_printf(out, "%s of %s", dim_names[row->dim_b], case_name(c, r->b));
    if (row->div > 1) sb_printf(out, " / %lld", (long long)row->div);
    if (row->add != 0) sb_printf(out, " + %lld", (long long)row->add);
    if ((row->div > 1 || row->multiple > 1 || row->add != 0) &&
        related_extent(row, tile_dim(c->types[r->b], (Dim)row->dim_b), &wanted))
        sb_printf(out, ", which is %lld", (long long)wanted);
}

static void explain_SHAPE_RELATION(const Case *c, const Rule *r, StrBuf *out) {
    explain_shapes(c, r, out);
    put_relation(c, r, out);
}

static bool holds_VALID_RELATION(const Case *c, const Rule *r) {
    return holds_SHAPE_RELATION(c, r);
}

static void explain_VALID_RELATION(const Case *c, const Rule *r, StrBuf *out) {
    const int index[] = {r->a, r->b};
    for (int i = 0; i < 2; i++) {
        const TileInfo *t = &c->types[index[i]]->tile;
        sb_printf(out, i == 0 ? "%s is %lldx%lld with valid region " : ", %s %lldx%lld with ",
                  case_name(c, index[i]), (long long)t->rows, (long long)t->cols);
        put_pair(out, t->vrow, t->vcol);
    }
    put_relation(c, r, out);
}

static bool holds_STATIC_EXTENTS(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    return t == NULL || (((r->row->dims & VALID_ROWS) == 0 || t->tile.vrow != DYNAMIC) &&
                         ((r->row->dims & VALID_COLS) == 0 || t->tile.vcol != DYNAMIC));
}

static void explain_STATIC_EXTENTS(const Case *c, const Rule *r, StrBuf *out) {
    const TileInfo *t = &c->types[r->a]->tile;
    sb_printf(out, "the valid region of %s is ", case_name(c, r->a));
    put_pair(out, t->vrow, t->vcol);
    sb_puts(out, "; it must be static");
}

/* Product of static positive extents; false when there is none to compare. */
static bool static_product(const int64_t *dims, unsigned n, int64_t *out) {
    *out = 1;
    for (unsigned i = 0; i < n; i++)
        if (dims[i] == DYNAMIC || dims[i] <= 0 || __builtin_mul_overflow(*out, dims[i], out))
            return false;
    return true;
}

static bool holds_ELEMENT_COUNT(const Case *c, const Rule *r) {
    const Type *tile = case_tile(c, r->a), *view = case_type(c, r->b);
    int64_t n, m;
    if (tile == NULL || view == NULL || view->kind != TY_PART_VIEW) return true;
    const int64_t valid[] = {tile->tile.vrow, tile->tile.vcol};
    return !static_product(valid, 2, &n) || !static_product(view->dims, view->rank, &m) || n == m;
}

static void explain_ELEMENT_COUNT(const Case *c, const Rule *r, StrBuf *out) {
    const Type *tile = c->types[r->a], *view = c->types[r->b];
    const int64_t valid[] = {tile->tile.vrow, tile->tile.vcol};
    int64_t n, m;
    static_product(valid, 2, &n);
    static_product(view->dims, view->rank, &m);
    sb_printf(out, "the valid region of %s has %lld elements and %s has %lld", case_name(c, r->a),
              (long long)n, case_name(c, r->b), (long long)m);
}

static bool holds_VIEW_EXTENT(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    if (t == NULL || (t->kind != TY_PART_VIEW && t->kind != TY_TENSOR_VIEW)) return true;
    for (unsigned i = 0; i < t->rank; i++)
        if (t->dims[i] != DYNAMIC && t->dims[i] < r->row->lo) return false;
    return true;
}

static void explain_VIEW_EXTENT(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "an extent of %s is below %lld", case_name(c, r->a), (long long)r->row->lo);
}

static bool holds_VIEW_RANK_RANGE(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    if (t == NULL || (t->kind != TY_PART_VIEW && t->kind != TY_TENSOR_VIEW)) return true;
    return (int64_t)t->rank >= r->row->lo && (int64_t)t->rank <= r->row->hi;
}

static void explain_VIEW_RANK_RANGE(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has %u dimensions, expected ", case_name(c, r->a), c->types[r->a]->rank);
    put_range(out, r->row);
}

static bool holds_POINTER_SPACE(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    return t == NULL || t->kind != TY_PTR || ((uint64_t)1 << t->space & r->row->set) != 0;
}

static void explain_POINTER_SPACE(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s points into %s, expected ", case_name(c, r->a),
              space_names[c->types[r->a]->space]);
    put_names(out, r->row->set, space_names, SPACE_COUNT);
}

/* `lo` bytes, or `multiple` times the bytes of b (all of it, or one dimension), fit into a. */
static int64_t wanted_bytes(const Case *c, const Rule *r) {
    const Type *b = case_tile(c, r->b);
    if (r->b < 0) return r->row->lo;
    if (b == NULL) return 0;
    int64_t factor = r->row->multiple == 0 ? 1 : r->row->multiple, bytes;
    bytes = r->row->dims == VALID_BOTH
                ? tile_bytes(b, c->profile)
                : tile_dim(b, (Dim)r->row->dim_b) * elem_infos[b->elem].bytes;
    return __builtin_mul_overflow(bytes, factor, &bytes) ? INT64_MAX : bytes;
}

static bool holds_TMP_CAPACITY(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a);
    return a == NULL || tile_bytes(a, c->profile) >= wanted_bytes(c, r);
}

static void explain_TMP_CAPACITY(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has %lld bytes, needed are %lld", case_name(c, r->a),
              (long long)tile_bytes(c->types[r->a], c->profile), (long long)wanted_bytes(c, r));
    if (r->b >= 0) sb_printf(out, " for %s", case_name(c, r->b));
}

/* ---- presence ---- */

static bool holds_OPERAND_REQUIRED(const Case *c, const Rule *r) {
    return c->types[r->a] != NULL;
}

static void explain_OPERAND_REQUIRED(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s is missing", case_name(c, r->a));
}

static bool holds_OPERAND_CONFLICT(const Case *c, const Rule *r) {
    return c->types[r->a] == NULL;
}

static void explain_OPERAND_CONFLICT(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s is not allowed", case_name(c, r->a));
}

static bool holds_COUNT_RANGE(const Case *c, const Rule *r) {
    int64_t n = slot_count(c->op, r->a);
    return n >= r->row->lo && n <= r->row->hi;
}

static void explain_COUNT_RANGE(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has %u operands, expected ", case_name(c, r->a), slot_count(c->op, r->a));
    put_range(out, r->row);
}

/* ---- constants ---- */

bool constant_operand(const Case *c, int slot, int64_t *out) {
    if (slot < 0 || slot >= c->op->inst->nslots || slot_count(c->op, slot) == 0) return false;
    return value_constant(slot_value(c->op, slot), out);
}

static bool holds_CONST_RANGE(const Case *c, const Rule *r) {
    int64_t v;
    return !constant_operand(c, r->a, &v) || v == DYNAMIC || in_range(r->row, v);
}

static void explain_CONST_RANGE(const Case *c, const Rule *r, StrBuf *out) {
    int64_t v = 0;
    constant_operand(c, r->a, &v);
    sb_printf(out, "%s is %lld, expected ", case_name(c, r->a), (long long)v);
    put_range(out, r->row);
}

/* ---- attributes: `a` is the index of the attribute in the row, or -1: then row->a names some that
 * the instruction does not have ---- */

static bool is_among(const char *words, const char *s, size_t n) {
    for (size_t len; *words != '\0'; words += len + strspn(words + len, " ")) {
        len = strcspn(words, " ");
        if (len == n && memcmp(words, s, n) == 0) return true;
    }
    return false;
}

const NamedAttr *rule_attr(const Case *c, const Rule *r) {
    if (r->a >= 0) return op_attr(c->judge->ctx, c->op, r->a);
    const Interner *names = &c->judge->ctx->names;
    for (unsigned i = 0; i < c->op->nattrs; i++) {
        Atom name = c->op->attrs[i].name;
        if (is_among(r->row->a, atom_text(names, name), atom_len(names, name)))
            return &c->op->attrs[i];
    }
    return NULL;
}

static const char *attr_name(const Case *c, const Rule *r) {
    if (r->a >= 0) return c->op->inst->attrs[r->a].name;
    const NamedAttr *a = rule_attr(c, r);
    Context *ctx = c->judge->ctx;
    return a != NULL ? arena_strndup(&ctx->arena, atom_text(&ctx->names, a->name),
                                     atom_len(&ctx->names, a->name))
                     : r->row->a;
}

bool attr_value_of(const Context *ctx, const Op *op, int index, int64_t *out) {
    if (index < 0) return false;
    const NamedAttr *a = op_attr(ctx, op, index);
    const AttrInfo *info = &op->inst->attrs[index];
    *out = a != NULL ? a->value->i : info->dflt;
    if (a == NULL)
        return !info->required && (info->type == AT_ENUM || info->type == AT_BOOL ||
                                   info->type == AT_INT || info->type == AT_I32);
    return a->value->kind == ATTR_INT || a->value->kind == ATTR_ENUM || a->value->kind == ATTR_BOOL;
}

static bool holds_ATTR_REQUIRED(const Case *c, const Rule *r) {
    return rule_attr(c, r) != NULL;
}

static void explain_ATTR_REQUIRED(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "the attribute %s is missing", attr_name(c, r));
}

static bool holds_ATTR_SET(const Case *c, const Rule *r) {
    int64_t v;
    if (!attr_value_of(c->judge->ctx, c->op, r->a, &v)) return true;
    return v >= 0 && v < 64 && ((uint64_t)1 << v & r->row->set) != 0;
}

static void explain_ATTR_SET(const Case *c, const Rule *r, StrBuf *out) {
    const AttrInfo *info = &c->op->inst->attrs[r->a];
    int64_t v = 0;
    attr_value_of(c->judge->ctx, c->op, r->a, &v);
    sb_printf(out, "the attribute %s is ", info->name);
    if (v >= 0 && v < 64)
        put_attr_values(out, info, (uint64_t)1 << v);
    else
        sb_printf(out, "%lld", (long long)v);
    sb_puts(out, ", expected ");
    put_attr_values(out, info, r->row->set);
}

static bool holds_ATTR_CONFLICT(const Case *c, const Rule *r) {
    return rule_attr(c, r) == NULL;
}

static void explain_ATTR_CONFLICT(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "the attribute %s is not allowed", attr_name(c, r));
}

static bool holds_ATTR_VALUE(const Case *c, const Rule *r) {
    const NamedAttr *a = rule_attr(c, r);
    if (a == NULL || (a->value->kind != ATTR_INT && a->value->kind != ATTR_ENUM)) return true;
    return a->value->i >= r->row->lo && a->value->i <= r->row->hi;
}

static void explain_ATTR_VALUE(const Case *c, const Rule *r, StrBuf *out) {
    const Attr *v = rule_attr(c, r)->value;
    sb_printf(out, "the attribute %s is ", attr_name(c, r));
    if (v->kind == ATTR_ENUM) {
        const EnumInfo *e = &enum_infos[v->family];
        sb_printf(out, "%s, expected ", e->values[v->i].text);
        for (int64_t i = r->row->lo; i <= r->row->hi && i < e->nvalues; i++)
            sb_printf(out, "%s%s", i == r->row->lo ? "" : " or ", e->values[i].text);
        return;
    }
    sb_printf(out, "%lld, expected ", (long long)v->i);
    put_range(out, r->row);
}

/* `dims` is the AttrType: an integer of any type, or exactly an i32. */
static bool holds_ATTR_KIND(const Case *c, const Rule *r) {
    const NamedAttr *a = rule_attr(c, r);
    if (a == NULL) return true;
    if (a->value->kind != ATTR_INT) return false;
    const Type *t = a->value->type;
    return r->row->dims != AT_I32 || (t != NULL && t->kind == TY_SCALAR && t->elem == ELEM_I32);
}

static void explain_ATTR_KIND(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "the attribute %s is not %s", attr_name(c, r),
              r->row->dims == AT_I32 ? "a 32-bit integer (write `: i32`)" : "an integer");
}

/* ---- storage ---- */

static bool holds_DISTINCT_OPERANDS(const Case *c, const Rule *r) {
    Value *a = case_value(c, r->a), *b = case_value(c, r->b);
    return a == NULL || a != b;
}

static void explain_DISTINCT_OPERANDS(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s and %s are the same tile, but may not share storage", case_name(c, r->a),
              case_name(c, r->b));
}

static bool overlap_bytes(const Case *c, const Rule *r, int64_t at[2], int64_t size[2]) {
    const int index[] = {r->a, r->b};
    const Type *t[2];
    for (int i = 0; i < 2; i++) {
        t[i] = case_tile(c, index[i]);
        if (t[i] == NULL || !tile_address(c->judge, case_value(c, index[i]), &at[i])) return false;
        size[i] = tile_bytes(t[i], c->profile);
    }
    return t[0]->tile.space == t[1]->tile.space && at[0] < at[1] + size[1] &&
           at[1] < at[0] + size[0];
}

static bool holds_OPERAND_OVERLAP(const Case *c, const Rule *r) {
    int64_t at[2], size[2];
    return !c->judge->manual || !overlap_bytes(c, r, at, size);
}

static void explain_OPERAND_OVERLAP(const Case *c, const Rule *r, StrBuf *out) {
    int64_t at[2], size[2];
    overlap_bytes(c, r, at, size);
    sb_printf(out, "%s (bytes %lld to %lld) and %s (bytes %lld to %lld) overlap in memory",
              case_name(c, r->a), (long long)at[0], (long long)(at[0] + size[0] - 1),
              case_name(c, r->b), (long long)at[1], (long long)(at[1] + size[1] - 1));
}

/* ---- the rest ---- */

static bool holds_NOT_IN_PROFILE(const Case *c, const Rule *r) {
    (void)c;
    (void)r;
    return false;
}

static void explain_NOT_IN_PROFILE(const Case *c, const Rule *r, StrBuf *out) {
    (void)r;
    sb_printf(out, "%s has no such instruction or form", profile_names[c->profile]);
}

static bool holds_NOT_IN_PTOAS(const Case *c, const Rule *r) {
    (void)c;
    (void)r;
    return false;
}

static void explain_NOT_IN_PTOAS(const Case *c, const Rule *r, StrBuf *out) {
    const Inst *inst = c->op->inst;
    if (r->row->when == DEPRECATED && inst->replacement != NULL)
        sb_printf(out, "an older spelling; the newer one is %s", inst->replacement);
    else
        sb_puts(out, "PTOAS 0.60 does not know this form");
}

static bool holds_CHECK(const Case *c, const Rule *r) {
    return r->row->fn(c, r);
}

static void explain_CHECK(const Case *c, const Rule *r, StrBuf *out) {
    Case asked = *c;
    asked.why = out;
    (void)r->row->fn(&asked, r);
}

/* ---- the table ---- */

typedef struct CondInfo {
    bool (*holds)(const Case *, const Rule *);
    void (*explain)(const Case *, const Rule *, StrBuf *);
} CondInfo;

static const CondInfo cond_infos[C_COUNT] = {
#define COND(name) {holds_##name, explain_##name},
#include "verifier/rules/conditions.def"
#undef COND
};

bool (*cond_holds(CondId c))(const Case *, const Rule *) {
    return cond_infos[c].holds;
}

/* Why a rule counts here is what the guard of its row says. A check function says it itself, an
 * overlap needs no reason, and that a valid region is not empty is none worth a word. */
static const char *reason_of(const RuleRow *row) {
    bool silent = row->cond == C_CHECK || row->cond == C_NOT_IN_PTOAS ||
                  row->cond == C_OPERAND_OVERLAP || row->guard == NULL ||
                  strstr(row->guard, ".!empty") != NULL;
    return silent ? NULL : row->guard;
}

void cond_explain(const Case *c, const Rule *r, StrBuf *out) {
    cond_infos[r->row->cond].explain(c, r, out);
    const char *reason = reason_of(r->row);
    if (reason == NULL) return;
    if (r->row->cond == C_OPERAND_REQUIRED || r->row->cond == C_ATTR_REQUIRED)
        sb_puts(out, ", needed");
    if (r->row->cond == C_ELEM_MISMATCH || r->row->cond == C_ELEM_SIZE_MISMATCH)
        sb_puts(out, "; they must be equal");
    put_guards(out, c->op->inst, reason);
}

bool cond_is_by_type(const RuleRow *row) {
    switch (row->cond) {
    case C_ATTR_REQUIRED:
    case C_ATTR_CONFLICT:
    case C_ATTR_VALUE:
    case C_ATTR_SET:
    case C_CONST_RANGE:
    case C_COUNT_RANGE:
    case C_ATTR_KIND:
    case C_DISTINCT_OPERANDS:
    case C_OPERAND_OVERLAP:
        return false;
    case C_CHECK:
        return row->types_only;
    default:
        return true;
    }
}
