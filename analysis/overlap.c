/* Byte ranges of tiles: extents from types, windows, and overlap. */
#include "analysis/overlap.h"

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

static int64_t plus(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Sets the bytes of the place to those of a type. */
static void take_bytes(Place *p, const Type *type) {
    bool same;
    Shape s;
    int64_t bytes = type_bytes(type, &same);
    p->lines = p->line = p->pitch = 0;
    p->low = p->start;
    p->end = bytes < 0 ? INT64_MAX : plus(p->start, bytes);
    if (bytes <= 0 || !same) return;
    if (shape_of(type, &s)) {
        p->lines = s.lines;
        p->line = s.line;
        p->pitch = s.pitch;
    } else {
        p->lines = 1;
        p->line = bytes;
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

Place place_of(const Type *type, BaseKind base, const void *of, int64_t start) {
    Place p = {.of = of, .start = start, .base = (uint8_t)base, .low = start, .end = INT64_MAX};
    if (type->kind == TY_TILE) {
        p.space = type->tile.space;
        take_bytes(&p, type);
    } else if (type->kind == TY_MULTI_TILE) {
        Type buf;
        int64_t stride = slot_stride(slot_type_of(type, &buf));
        p.space = type->tile.space;
        if (stride > 0 && type->count <= 4096) p.end = plus(start, stride * (int64_t)type->count);
    } else {
        p.base = BASE_ANY;
        p.space = SPACE_COUNT; /* a template may be in any space */
    }
    return p;
}

/* ---- parts ---- */

/* Returns a place anywhere inside `around`, identified by `by`. */
static Place somewhere_in(const Place *around, const Value *by) {
    Place p = *around;
    if (by == NULL) p.base = BASE_ANY;
    p.shift = by;
    p.start = 0;
    p.line = p.lines = p.pitch = 0;
    return p;
}

/* Sets the runs of a window in a tile with this pitch; false when they are unknown. */
static bool window_lines(const Place *p, const Type *type, Place *out) {
    Shape s;
    if (p->pitch == 0 || !shape_of(type, &s)) return false;
    out->lines = s.lines;
    out->line = s.line;
    out->pitch = p->pitch;
    return s.line <= p->pitch;
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
    return out->lines > 0 && out->line > 0;
}

/* Computes the offset of an element; false when it is outside the tile. */
static bool window_offset(const Place *p, const Type *type, int64_t row, int64_t col,
                          int64_t *offset) {
    Shape s;
    if (row == 0 && col == 0) {
        *offset = 0;
        return true;
    }
    if (p->pitch == 0 || row < 0 || col < 0 || !shape_of(type, &s)) return false;
    int64_t major = s.row_major ? row : col, minor = s.row_major ? col : row;
    if (major % s.major_unit != 0 || major > MOST_BYTES || minor > MOST_BYTES / 512) return false;
    return !__builtin_mul_overflow(major / s.major_unit, p->pitch, offset) &&
           !__builtin_add_overflow(*offset, minor * s.minor_step, offset) && small(*offset);
}

Place place_window(const Place *p, const Type *type, int64_t row, int64_t col, bool known,
                   const Value *by) {
    int64_t offset = 0;
    if (type->kind != TY_TILE || p->base == BASE_ANY) return somewhere_in(p, by);
    known = known && window_offset(p, type, row, col, &offset);
    Place out = known ? *p : somewhere_in(p, by);
    if (!window_lines(p, type, &out)) out.lines = out.line = out.pitch = 0;
    if (!known) return out;
    out.start = plus(p->start, offset);
    if (p->shift != NULL) return out;
    out.low = out.start;
    if (!cut_window(p, type, row, col, &out)) return somewhere_in(p, by);
    if (out.lines > 0) out.end = plus(out.start, (out.lines - 1) * out.pitch + out.line);
    return out;
}

Place place_slot(const Place *p, const Type *type, int64_t slot) {
    int64_t stride = type->kind == TY_TILE ? slot_stride(type) : -1;
    if (stride <= 0 || slot < 0 || slot > 4096 || p->shift != NULL) return somewhere_in(p, NULL);
    Place out = *p;
    out.start = plus(p->start, slot * stride);
    take_bytes(&out, type);
    return out;
}

Place place_any_slot(const Place *p, const Type *type, const Value *by) {
    Place out = somewhere_in(p, by), one = {.start = 0};
    if (type->kind != TY_TILE) return out;
    take_bytes(&one, type);
    out.line = one.line;
    out.lines = one.lines;
    out.pitch = one.pitch;
    return out;
}

static bool has_gaps(const Place *p) {
    return p->lines > 1 && p->pitch != p->line;
}

Place place_recast(const Place *p, const Type *type) {
    if (type->kind != TY_TILE || p->base == BASE_ANY) return *p;
    Place out = *p;
    int64_t end = p->end;
    bool rough = p->lines == 0 || has_gaps(p);
    take_bytes(&out, type);
    if (p->shift != NULL) {
        out.low = p->low;
        out.end = end;
    } else if (rough && end > out.end) {
        out.end = end;
    }
    if (rough) out.lines = out.line = out.pitch = 0;
    return out;
}

Place place_within(const Place *p, const Place *base) {
    Place out = *base;
    out.past |= p->past;
    if (p->shift == NULL && base->shift == NULL && base->lines > 0 && !has_gaps(base)) {
        out.start = plus(base->start, p->start);
        out.low = plus(base->start, p->low);
        out.end = p->end == INT64_MAX ? INT64_MAX : plus(base->start, p->end);
        out.line = p->line;
        out.lines = p->lines;
        out.pitch = p->pitch;
        return out;
    }
    out.lines = out.line = out.pitch = 0;
    if (p->shift != NULL || p->start != 0) out = somewhere_in(base, p->shift);
    return out;
}

bool place_same(const Place *a, const Place *b) {
    return a->of == b->of && a->shift == b->shift && a->start == b->start && a->line == b->line &&
           a->lines == b->lines && a->pitch == b->pitch && a->low == b->low && a->end == b->end &&
           a->base == b->base && a->space == b->space && a->past == b->past;
}

bool place_varies(const Place *p) {
    return p->base == BASE_VALUE || p->base == BASE_COMPUTED || p->base == BASE_BOUND ||
           p->shift != NULL;
}

/* ---- two places ---- */

/* True when `n` bytes from `at` on overlap the runs of `p`, which starts at `start`. */
static bool meets_run(const Place *p, int64_t start, int64_t at, int64_t n) {
    int64_t from = at - start, pitch = p->pitch > 0 ? p->pitch : 1;
    if (from + n <= 0) return false;
    int64_t first = from <= 0 ? 0 : from / pitch; /* the run at or before `at` */
    if (first >= p->lines) first = p->lines - 1;
    if (from < first * pitch + p->line && from + n > first * pitch) return true;
    return first + 1 < p->lines && from + n > (first + 1) * pitch;
}

/* Compares two lists of runs; undecided when both are long. */
static Overlap runs_meet(const Place *a, const Place *b, int64_t distance) {
    enum { MOST_RUNS = 4096 };
    int64_t runs = has_gaps(a) ? a->lines : 1, run = has_gaps(a) ? a->line : a->line * a->lines;
    if (runs > MOST_RUNS) return OVERLAP_MAYBE;
    for (int64_t i = 0; i < runs; i++)
        if (meets_run(b, distance, i * a->pitch, run)) return OVERLAP_YES;
    return OVERLAP_NO;
}

/* Returns the bytes from the first to the last, gaps included. */
static int64_t span_of(const Place *p) {
    if (p->lines > 0) return (p->lines - 1) * p->pitch + p->line;
    return p->shift == NULL && p->end != INT64_MAX ? p->end - p->start : INT64_MAX;
}

/* Compares places with the same base and shift. */
static Overlap ranges_meet(const Place *a, const Place *b) {
    int64_t distance;
    if (a->start == b->start) return OVERLAP_YES; /* every tile has a first byte */
    if (a->start > b->start) return ranges_meet(b, a);
    if (__builtin_sub_overflow(b->start, a->start, &distance)) return OVERLAP_NO;
    if (distance >= span_of(a)) return OVERLAP_NO;
    if (a->lines > 0 && meets_run(a, 0, distance, 1)) return OVERLAP_YES;
    if (a->lines == 0 || b->lines == 0) return OVERLAP_MAYBE;
    return has_gaps(a) && !has_gaps(b) ? runs_meet(b, a, -distance) : runs_meet(a, b, distance);
}

/* True when every byte of the possible range is used. */
static bool fills(const Place *p) {
    return p->lines > 0 && !has_gaps(p) && p->shift == NULL;
}

/* Compares places with one base and different shifts by their ranges alone. */
static Overlap bounds_meet(const Place *a, const Place *b) {
    if (a->end <= b->low || b->end <= a->low) return OVERLAP_NO;
    bool inside = (fills(a) && a->low <= b->low && b->end <= a->end) ||
                  (fills(b) && b->low <= a->low && a->end <= b->end);
    return inside ? OVERLAP_YES : OVERLAP_MAYBE;
}

static bool is_planned(const Place *p) {
    return p->base == BASE_BUFFER || p->base == BASE_VALUE;
}

Overlap place_overlap(const Place *a, const Place *b) {
    if (a->space != b->space && a->space != SPACE_COUNT && b->space != SPACE_COUNT)
        return OVERLAP_NO;
    if (a->base == BASE_ANY || b->base == BASE_ANY) return OVERLAP_MAYBE;
    if (a->base != b->base || a->of != b->of) /* planned storage is distinct from everything else */
        return is_planned(a) || is_planned(b) ? OVERLAP_NO : OVERLAP_MAYBE;
    bool other = (a->past && place_varies(a)) || (b->past && place_varies(b));
    bool base_varies = a->base == BASE_VALUE || a->base == BASE_COMPUTED || a->base == BASE_BOUND;
    if (other && base_varies) return OVERLAP_MAYBE;
    if (other || a->shift != b->shift) return bounds_meet(a, b);
    return ranges_meet(a, b);
}
