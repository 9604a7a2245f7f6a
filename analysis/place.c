/* SPDX-License-Identifier: Apache-2.0 */
/* Makes places: the extents of types, windows, slots, and views. */
#include "analysis/place.h"

#include <string.h>

/* With sizes up to this limit, all sums in this file fit 64 bits. */
#define MOST_BYTES ((int64_t)1 << 40)

/* ---- extents ---- */

/* Memory layout of a type: `lines` along the major axis, each `pitch` after the previous one.
 * Elements come in units of 1 or of the inner box. */
typedef struct Shape {
    int64_t lines, line, pitch;     /* all but the count in bytes */
    int64_t major_unit, minor_step; /* rows or columns per line; bytes of a step along it */
    bool row_major;
} Shape;

static bool small(int64_t n) {
    return n >= 0 && n <= MOST_BYTES;
}

/* Describes a type; false for unknown sizes, partly filled boxes, and layouts that depend on the
 * profile. */
static bool shape_of(const Type *type, Shape *s) {
    const TileInfo *i = &type->tile;
    int64_t bytes = elem_infos[type->elem].bytes, ir, ic;
    if (bytes == 0 || i->rows <= 0 || i->cols <= 0 || i->rows > MOST_BYTES / 512 ||
        i->cols > MOST_BYTES / 512 / i->rows || !tile_inner_box(type, &ir, &ic))
        return false;
    if (i->rows % ir != 0 || i->cols % ic != 0) return false;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if (tile_blayout(type, (Profile)p) != (BLayout)i->blayout) return false;
    s->row_major = i->blayout == BL_ROW_MAJOR;
    int64_t major = s->row_major ? i->rows : i->cols, minor = s->row_major ? i->cols : i->rows;
    s->major_unit = s->row_major ? ir : ic;
    s->minor_step = s->major_unit * bytes;
    s->lines = major / s->major_unit;
    s->line = minor * s->minor_step;
    s->pitch = s->line;
    if (i->compact == COMPACT_ROW_PLUS_ONE) {
        if (i->slayout != SL_NONE_BOX) return false;
        s->pitch += bytes;
    }
    return true;
}

/* Returns the largest size of the type under any profile, and whether all agree; -1: unknown. */
static int64_t type_bytes(const Type *type, bool *same) {
    int64_t most = -1;
    *same = true;
    if (type == NULL || type->kind != TY_TILE) return -1;
    for (int p = 0; p < PROFILE_COUNT; p++) {
        int64_t n = tile_bytes(type, (Profile)p);
        if (!small(n)) return -1;
        if (most >= 0 && n != most) *same = false;
        if (n > most) most = n;
    }
    return most;
}

static int64_t product(int64_t a, int64_t b) {
    int64_t n;
    return __builtin_mul_overflow(a, b, &n) ? INT64_MAX : n;
}

static int64_t plus(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Sets the bytes of the place to those of a type. */
static void take_bytes(Place *p, const Type *type) {
    bool same;
    Shape s;
    const int64_t bytes = type_bytes(type, &same);
    p->lines = p->line = p->pitch = 0;
    p->bytes = bytes < 0 ? INT64_MAX : bytes;
    if (bytes > 0 && same) {
        if (shape_of(type, &s)) {
            p->lines = s.lines;
            p->line = s.line;
            p->pitch = s.pitch;
        } else {
            p->lines = 1;
            p->line = bytes;
        }
    }
}

static int64_t slot_stride(const Type *type) {
    bool same;
    int64_t bytes = type_bytes(type, &same), unit = space_alignment(type->tile.space);
    return bytes < 0 ? -1 : (bytes + unit - 1) / unit * unit;
}

/* Returns the slot type of a multi tile, in `buf`. */
static const Type *slot_type_of(const Type *multi, Type *buf) {
    *buf = *multi;
    buf->kind = TY_TILE;
    return buf;
}

int64_t element_bytes(const Type *type) {
    const Type *e = type->elem_type != NULL ? type->elem_type : type;
    const int64_t n = elem_infos[e->elem].bytes;
    return n > 0 ? n : 1;
}

/* Bounds the bytes by an interval of the start. */
static void take_bounds(Place *p) {
    int64_t last;
    affine_range(&p->start, &p->low, &last);
    p->end = last == INT64_MAX || p->bytes == INT64_MAX ? INT64_MAX : plus(last, p->bytes);
}

Place place_of(const Type *type, BaseKind base, const void *of, int64_t start) {
    Place p = {.of = of,
               .start = affine_constant(start),
               .base = (uint8_t)base,
               .bytes = INT64_MAX,
               .fresh = UINT32_MAX};
    if (type->kind == TY_TILE) {
        p.space = type->tile.space;
        take_bytes(&p, type);
    } else if (type->kind == TY_MULTI_TILE) {
        Type buf;
        int64_t stride = slot_stride(slot_type_of(type, &buf));
        p.space = type->tile.space;
        if (stride > 0 && type->count <= 4096) p.bytes = stride * (int64_t)type->count;
    } else if (type->kind == TY_PTR) {
        p.space = type->space == SPACE_ZERO ? SPACE_GM : type->space;
    } else if (type->kind == TY_TENSOR_VIEW || type->kind == TY_PART_VIEW) {
        p.space = SPACE_GM;
    } else {
        p.base = BASE_ANY;
        p.space = SPACE_COUNT; /* a template may be in any space */
    }
    take_bounds(&p);
    return p;
}

Place place_at_address(Numbers *t, const Type *type, const Value *address) {
    Place p = place_of(type, BASE_ADDRESS, NULL, 0);
    if (p.space == SPACE_GM) p.base = BASE_ANY;
    p.start = number_of(t, address)->form;
    take_bounds(&p);
    return p;
}

/* ---- parts of tiles ---- */

/* Moves the start by a number that only `by` determines. */
static void move_somewhere(Numbers *t, Place *p, const Value *by) {
    if (by == NULL || !affine_add(t->arena, &p->start, &number_of(t, by)->form, 1, &p->start)) {
        p->base = BASE_ANY;
        p->start = affine_constant(0);
    }
    p->bytes = INT64_MAX;
    p->line = p->lines = p->pitch = 0;
    p->window = NULL;
}

Place place_somewhere(Numbers *t, const Place *p, const Value *by) {
    Place out = *p;
    out.start = affine_constant(0);
    move_somewhere(t, &out, by);
    return out;
}

/* Sets the runs of a window in a tile with this pitch; false when they are unknown. */
static bool window_lines(const Place *p, const Type *type, Place *out) {
    Shape s;
    out->lines = out->line = out->pitch = 0;
    out->bytes = INT64_MAX;
    if (p->pitch == 0 || !shape_of(type, &s) || s.line > p->pitch) return false;
    out->lines = s.lines;
    out->line = s.line;
    out->pitch = p->pitch;
    out->bytes = (s.lines - 1) * p->pitch + s.line;
    return true;
}

/* Cuts a window at (row, col) where its tile ends, as only its valid region lies in the tile. False
 * when nothing is left. */
static bool cut_window(const Place *p, const Type *type, int64_t row, int64_t col, Place *out) {
    Shape s;
    if (out->lines == 0 || p->lines == 0 || !shape_of(type, &s)) return true;
    const int64_t line = (s.row_major ? row : col) / s.major_unit;
    const int64_t in_line = (s.row_major ? col : row) * s.minor_step;
    if (out->lines > p->lines - line) out->lines = p->lines - line;
    if (out->line > p->line - in_line) out->line = p->line - in_line;
    out->bytes = (out->lines - 1) * out->pitch + out->line;
    return out->lines > 0 && out->line > 0;
}

/* Divides a form by a number that divides all of it. */
static bool divide(Numbers *t, const Affine *a, int64_t by, Affine *out) {
    const Affine zero = affine_constant(0);
    for (uint32_t i = 0; i < a->n; i++)
        if (a->terms[i].by % by != 0) return false;
    if (a->c % by != 0 || !affine_add(t->arena, &zero, a, 1, out)) return false;
    if (by == 1) return true;
    AffineTerm *terms = ARENA_ARRAY(t->arena, AffineTerm, a->n + 1);
    for (uint32_t i = 0; i < a->n; i++)
        terms[i] = (AffineTerm){a->terms[i].variable, a->terms[i].by / by};
    *out = (Affine){a->c / by, a->n, a->assumed, terms};
    return true;
}

/* Computes the offset of an element of a tile; false when it is not known or outside of the tile.
 */
static bool window_offset(Numbers *t, const Place *p, const Type *type, const Number *row,
                          const Number *col, Affine *offset) {
    Shape s;
    int64_t r, c;
    *offset = affine_constant(0);
    const bool known = affine_is(&row->form, &r) && affine_is(&col->form, &c);
    if (known && r == 0 && c == 0) return true;
    if (p->pitch == 0 || !shape_of(type, &s) || !row->exact || !col->exact) return false;
    const Number *major = s.row_major ? row : col, *minor = s.row_major ? col : row;
    if (known && (r < 0 || c < 0 || r > MOST_BYTES / 512 || c > MOST_BYTES / 512)) return false;
    Affine lines;
    return divide(t, &major->form, s.major_unit, &lines) &&
           affine_add(t->arena, offset, &lines, p->pitch, offset) &&
           affine_add(t->arena, offset, &minor->form, s.minor_step, offset) &&
           (!known || small(offset->c));
}

Place place_window(Numbers *t, const Place *p, const Type *type, const Number *row,
                   const Number *col, const Value *by) {
    Place out = *p;
    Affine offset;
    int64_t r, c, start;
    if (type->kind != TY_TILE || p->base == BASE_ANY) {
        move_somewhere(t, &out, by);
        return out;
    }
    const bool known = row != NULL && col != NULL && window_offset(t, p, type, row, col, &offset) &&
                       affine_add(t->arena, &p->start, &offset, 1, &out.start);
    if (!known) move_somewhere(t, &out, by);
    window_lines(p, type, &out);
    if (!known || !affine_is(&offset, &start)) return out;
    (void)affine_is(&row->form, &r);
    (void)affine_is(&col->form, &c);
    if (!cut_window(p, type, r, c, &out)) {
        out = *p;
        move_somewhere(t, &out, by);
        return out;
    }
    if (p->start.n != 0) return out;
    out.low = out.start.c;
    if (out.lines > 0) out.end = plus(out.low, out.bytes);
    return out;
}

Place place_slot(Numbers *t, const Place *p, const Type *type, const Number *slot,
                 const Value *by) {
    const int64_t stride = type->kind == TY_TILE ? slot_stride(type) : -1;
    Place out = *p;
    int64_t n;
    const bool fixed = affine_is(&slot->form, &n);
    if (stride <= 0 || (fixed && (n < 0 || n > 4096)) ||
        !affine_add(t->arena, &p->start, &slot->form, stride, &out.start)) {
        move_somewhere(t, &out, by);
        if (type->kind != TY_TILE) return out;
    }
    take_bytes(&out, type);
    if (fixed && p->start.n == 0 && out.base != BASE_ANY && out.start.n == 0) take_bounds(&out);
    return out;
}

Place place_recast(const Place *p, const Type *type) {
    if (type->kind != TY_TILE || p->base == BASE_ANY) return *p;
    Place out = *p;
    const bool rough = p->lines == 0 || place_has_gaps(p);
    take_bytes(&out, type);
    if (rough) {
        out.lines = out.line = out.pitch = 0;
        if (p->bytes > out.bytes) out.bytes = p->bytes;
    }
    if (p->start.n == 0) take_bounds(&out);
    return out;
}

Place place_part_of_tile(const Place *p, const Type *type, int64_t rows, int64_t cols) {
    enum { BLOCK = 32 }; /* what memory is written in */
    Shape s;
    Place out = *p;
    int64_t ir, ic;
    if (p->lines == 0 || type->kind != TY_TILE || rows <= 0 || cols <= 0 || !shape_of(type, &s) ||
        s.line != p->line || s.lines != p->lines || !tile_inner_box(type, &ir, &ic))
        return out;
    const int64_t major = s.row_major ? rows : cols, minor = s.row_major ? cols : rows;
    const int64_t unit = s.row_major ? ic : ir; /* whole boxes */
    const int64_t lines = (major + s.major_unit - 1) / s.major_unit;
    const int64_t line = (minor + unit - 1) / unit * unit * s.minor_step;
    const int64_t whole = (line + BLOCK - 1) / BLOCK * BLOCK;
    if (lines < out.lines) out.lines = lines;
    if (whole < out.line) out.line = whole;
    out.bytes = (out.lines - 1) * out.pitch + out.line;
    if (out.start.n == 0) take_bounds(&out);
    return out;
}

/* ---- views ---- */

/* Describes the bytes of a window by its dimensions: as runs, if all is constant, and how many
 * bytes it spans at most. */
static void measure(Place *p, const Type *type) {
    const ViewWindow *w = p->window;
    const int64_t element = element_bytes(type);
    int64_t lines = 1, pitch = 0, low, most, stride;
    bool runs = true;
    p->line = element;
    p->bytes = element;
    p->lines = p->pitch = 0;
    for (uint32_t i = w->n; i-- > 0;) {
        const ViewDim *d = &w->dims[i];
        affine_range(&d->size, &low, &most);
        const bool fixed = affine_is(&d->stride, &stride);
        if (d->size.n == 0 && most == 1) continue;
        runs = runs && fixed && d->size.n == 0 && most > 0;
        if (!fixed || stride < 0 || most > MOST_BYTES || stride > MOST_BYTES)
            p->bytes = INT64_MAX;
        else if (p->bytes != INT64_MAX && most > 0)
            p->bytes = plus(p->bytes, product(most - 1, stride));
        if (!runs) continue;
        if (lines == 1 && stride == p->line)
            p->line *= most;
        else if (lines == 1 && stride > p->line) {
            lines = most;
            pitch = stride;
        } else if (lines > 1 && stride == lines * pitch) {
            lines *= most;
        } else {
            runs = false;
        }
    }
    if (runs && p->line <= MOST_BYTES && lines <= MOST_BYTES) {
        p->lines = lines;
        p->pitch = lines > 1 ? pitch : p->line;
    } else {
        p->line = 0;
    }
}

/* Sets what is known of the bytes of a view whose start moved to byte `offset` of its base. */
static void finish_view(Place *p, const Type *type, const ViewWindow *w) {
    p->window = w;
    measure(p, type);
    p->low = INT64_MIN;
    p->end = INT64_MAX;
    if (p->start.n == 0 && p->bytes != INT64_MAX) take_bounds(p);
}

Place place_view(Numbers *t, const Place *pointer, const Op *op) {
    const int shape = inst_slot(op->inst, OPERAND_shape),
              strides = inst_slot(op->inst, OPERAND_strides);
    const uint32_t n = slot_count(op, strides);
    const Type *type = op->results[0].type;
    Place out = *pointer;
    if (pointer->window != NULL || n == 0 || slot_count(op, shape) != n || n != type->rank)
        return place_somewhere(t, pointer, &op->results[0]);
    ViewWindow *w = ARENA_NEW(t->arena, ViewWindow);
    ViewDim *dims = ARENA_ARRAY(t->arena, ViewDim, n);
    *w = (ViewWindow){pointer->start, n, element_bytes(type), false, dims};
    for (uint32_t i = 0; i < n; i++) {
        const Affine zero = affine_constant(0);
        const Number *stride = number_of(t, slot_operands(op, strides)[i].value);
        dims[i].offset = zero;
        dims[i].size = dims[i].extent = number_of(t, slot_operands(op, shape)[i].value)->form;
        if (type->dims[i] != DYNAMIC)
            dims[i].size = dims[i].extent = affine_constant(type->dims[i]);
        if (!affine_add(t->arena, &zero, &stride->form, element_bytes(type), &dims[i].stride))
            return place_somewhere(t, pointer, &op->results[0]);
    }
    finish_view(&out, type, w);
    return out;
}

/* Whether a window is known to end beyond a dimension of its view in some iteration. Where only run
 * time knows, it is taken to lie in the dimensions of its view. */
static bool ends_beyond(const Number *offset, const Affine *size, const Affine *extent) {
    int64_t n, whole;
    if (!affine_is(size, &n) || !affine_is(extent, &whole) || n <= 0 || whole < 0) return false;
    return n > whole || (offset->hi < INT32_MAX && offset->hi > whole - n) ||
           (offset->lo > INT32_MIN && offset->lo < 0);
}

/* Returns the window of a view whose strides are not known: it begins where the view does, or
 * somewhere in it. */
static Place part_of_unknown(Numbers *t, const Place *view, const Op *op) {
    const int slot = inst_slot(op->inst, OPERAND_offsets);
    Place out = *view;
    int64_t offset;
    for (unsigned i = 0; i < slot_count(op, slot); i++)
        if (!affine_is(&number_of(t, slot_operands(op, slot)[i].value)->form, &offset) ||
            offset != 0)
            return place_somewhere(t, view, &op->results[0]);
    out.line = out.lines = out.pitch = 0;
    out.bytes = out.end = INT64_MAX;
    out.window = NULL;
    return out;
}

Place place_part(Numbers *t, const Place *view, const Op *op) {
    const Operand *offsets = slot_operands(op, inst_slot(op->inst, OPERAND_offsets));
    const Operand *sizes = slot_operands(op, inst_slot(op->inst, OPERAND_sizes));
    const uint32_t n = slot_count(op, inst_slot(op->inst, OPERAND_offsets));
    const Type *type = op->results[0].type;
    const ViewWindow *of = view->window;
    Place out = *view;
    if (of == NULL || of->n != n || slot_count(op, inst_slot(op->inst, OPERAND_sizes)) != n)
        return part_of_unknown(t, view, op);
    ViewWindow *w = ARENA_NEW(t->arena, ViewWindow);
    ViewDim *dims = ARENA_ARRAY(t->arena, ViewDim, n);
    *w = (ViewWindow){of->base, n, of->element, of->flat, dims};
    bool known = true;
    for (uint32_t i = 0; i < n; i++) {
        const Number *offset = number_of(t, offsets[i].value);
        Affine step;
        dims[i] = of->dims[i];
        dims[i].size = number_of(t, sizes[i].value)->form;
        if (!affine_add(t->arena, &dims[i].offset, &offset->form, 1, &dims[i].offset))
            return place_somewhere(t, view, &op->results[0]);
        w->flat |= ends_beyond(offset, &dims[i].size, &dims[i].extent);
        known = known && affine_times(t->arena, &offset->form, &dims[i].stride, &step) &&
                affine_add(t->arena, &out.start, &step, 1, &out.start);
    }
    if (!known) {
        out = place_somewhere(t, view, &op->results[0]);
        out.window = w;
        return out;
    }
    finish_view(&out, type, w);
    return out;
}

Place place_moved(Numbers *t, const Place *pointer, const Op *op) {
    Place out = *pointer;
    const Number *by = number_of(t, op->operands[1].value);
    if (pointer->window != NULL ||
        !affine_add(t->arena, &pointer->start, &by->form,
                    element_bytes(op->operands[0].value->type), &out.start))
        return place_somewhere(t, pointer, &op->results[0]);
    take_bounds(&out);
    return out;
}

/* Moves a place by `index` times `unit` bytes. */
static Place moved(Numbers *t, const Place *p, const Value *index, int64_t unit) {
    Place out = *p;
    out.window = NULL;
    if (p->window != NULL ||
        (index != NULL &&
         !affine_add(t->arena, &p->start, &number_of(t, index)->form, unit, &out.start)))
        move_somewhere(t, &out, index);
    return out;
}

Place place_run(Numbers *t, const Place *p, const Value *index, int64_t unit, int64_t bytes) {
    Place out = moved(t, p, index, unit);
    out.lines = 1;
    out.line = out.pitch = out.bytes = bytes;
    take_bounds(&out);
    return out;
}

Place place_lines(const Place *p, int64_t lines, int64_t line, int64_t pitch, int64_t bytes,
                  bool rough) {
    Place out = *p;
    out.rough = rough;
    out.window = NULL;
    out.lines = lines;
    out.line = lines > 0 ? line : 0;
    out.pitch = lines > 1 ? pitch : out.line;
    out.bytes = bytes;
    take_bounds(&out);
    return out;
}

Place place_element(Numbers *t, const Place *p, const Type *type, const Value *index) {
    const int64_t bytes = element_bytes(type);
    Place out = moved(t, p, index, bytes);
    out.lines = 1;
    out.line = out.pitch = out.bytes = bytes;
    if (out.start.n == 0 || type->kind == TY_PTR) take_bounds(&out);
    return out;
}

/* ---- calls ---- */

Place place_within(Numbers *t, const Place *p, const Place *argument) {
    Place out = *argument;
    const bool flat =
        place_is_memory(argument) || (argument->lines > 0 && !place_has_gaps(argument));
    out.past |= p->past;
    out.type = NULL;
    int64_t start;
    if (p->window == NULL && argument->window != NULL && affine_is(&p->start, &start) &&
        start == 0 && place_is_memory(p))
        return out; /* the view itself */
    out.line = p->line;
    out.lines = p->lines;
    out.pitch = p->pitch;
    out.bytes = p->bytes;
    out.window = NULL;
    if (flat && affine_add(t->arena, &argument->start, &p->start, 1, &out.start)) {
        if (p->start.n != 0) out.fresh = 0;
        if (out.start.n != 0) return out;
        take_bounds(&out);
        return out;
    }
    out.lines = out.line = out.pitch = 0;
    out.bytes = INT64_MAX;
    out.start = argument->start;
    if (!affine_is(&p->start, &start) || start != 0) {
        out.base = BASE_ANY;
        out.start = affine_constant(0);
    } else {
        out.bytes = argument->bytes;
    }
    return out;
}

/* ---- comparison as values ---- */

static bool same_window(const ViewWindow *a, const ViewWindow *b) {
    if (a == b) return true;
    if (a == NULL || b == NULL || a->n != b->n || a->element != b->element || a->flat != b->flat ||
        !affine_same(&a->base, &b->base))
        return false;
    for (uint32_t i = 0; i < a->n; i++) {
        const ViewDim *x = &a->dims[i], *y = &b->dims[i];
        if (!affine_same(&x->offset, &y->offset) || !affine_same(&x->size, &y->size) ||
            !affine_same(&x->extent, &y->extent) || !affine_same(&x->stride, &y->stride))
            return false;
    }
    return true;
}

bool place_same(const Place *a, const Place *b) {
    return a->of == b->of && affine_same(&a->start, &b->start) && a->line == b->line &&
           a->lines == b->lines && a->pitch == b->pitch && a->bytes == b->bytes &&
           a->low == b->low && a->end == b->end && a->base == b->base && a->space == b->space &&
           a->past == b->past && a->rough == b->rough && a->fresh == b->fresh &&
           same_window(a->window, b->window);
}

static uint32_t chain_of(const Place *p) {
    uint64_t hash = (uint64_t)p->start.c / 32 + (uintptr_t)p->of / 16;
    for (uint32_t i = 0; i < p->start.n; i++)
        hash = hash * 31 + p->start.terms[i].variable->number + (uint64_t)p->start.terms[i].by / 32;
    return (uint32_t)((hash ^ hash >> 17) % PLACE_CHAINS);
}

const Place *place_keep(Places *t, const Place *p) {
    struct PlaceChain **chain = &t->chains[chain_of(p)];
    for (struct PlaceChain *c = *chain; c != NULL; c = c->next)
        if (c->place->type == p->type && place_same(c->place, p)) return c->place;
    if (t->n == t->cap) {
        const uint32_t cap = t->cap == 0 ? 64 : t->cap * 2;
        Place **more = ARENA_ARRAY(t->arena, Place *, cap);
        if (t->n > 0) memcpy(more, t->all, t->n * sizeof *more);
        t->all = more;
        t->cap = cap;
    }
    Place *kept = ARENA_NEW(t->arena, Place);
    struct PlaceChain *link = ARENA_NEW(t->arena, struct PlaceChain);
    *kept = *p;
    kept->number = t->n;
    *link = (struct PlaceChain){*chain, kept};
    *chain = link;
    return t->all[t->n++] = kept;
}
