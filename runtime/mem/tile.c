/* SPDX-License-Identifier: Apache-2.0 */
/* tile.c - makes tiles: layouts, addresses, valid regions, and the key by which drivers recognise
 * simple cases. */
#include "mem/tile.h"
#include "core/core.h"
#include "core/place.h"
#include "mem/copy.h"
#include "mem/elem.h"

#include <stdint.h>

/* With this limit all offsets and sizes fit in 64 bits. */
#define MAX_EXTENT (INT64_C(1) << 28)

bool ptrt_type_ok(const ptrt_tile_type *type) {
    return ptrt_elem_bytes(type->elem) != 0 && type->space >= PTRT_GM &&
           type->space < PTRT_SPACES && type->blayout <= PTRT_COL_MAJOR &&
           type->slayout <= PTRT_BOX_COL_MAJOR && type->pad <= PTRT_PAD_MIN &&
           type->compact <= PTRT_ROW_PLUS_ONE &&
           (type->fractal == 512 || type->fractal == 1024 || type->fractal == 32) &&
           type->rows > 0 && type->rows <= MAX_EXTENT && type->cols > 0 && type->cols <= MAX_EXTENT;
}

/* Computes the extents of the inner box. */
static void inner_box(const ptrt_tile *t, int64_t *rows, int64_t *cols) {
    int64_t other = t->fractal == 1024 ? 16 : t->fractal == 32 ? 2 : 32 / ptrt_elem_bytes(t->elem);
    bool by_row = t->slayout == PTRT_BOX_ROW_MAJOR;
    *rows = by_row ? 16 : other;
    *cols = by_row ? other : 16;
}

/* Expresses the six layouts as two axes. r and c are the extents that give the strides;
 * PTRT_ROW_PLUS_ONE makes each major line one element longer. */
static void set_axes(ptrt_tile *t) {
    bool col_major = t->blayout == PTRT_COL_MAJOR;
    int64_t extra = t->compact == PTRT_ROW_PLUS_ONE ? 1 : 0;
    int64_t r = t->srows + (col_major ? extra : 0), c = t->scols + (col_major ? 0 : extra);
    if (t->slayout == PTRT_NONE_BOX) {
        t->row = (ptrt_axis){t->srows, 0, col_major ? 1 : c};
        t->col = (ptrt_axis){t->scols, 0, col_major ? r : 1};
        return;
    }
    int64_t ir, ic;
    inner_box(t, &ir, &ic);
    bool by_row = t->slayout == PTRT_BOX_ROW_MAJOR;
    t->row = (ptrt_axis){ir, col_major ? ir * ic : c * ir, by_row ? ic : 1};
    t->col = (ptrt_axis){ic, col_major ? r * ic : ir * ic, by_row ? 1 : ir};
    /* Rows of NZ and columns of ZN continue across boxes with a constant stride. */
    if (by_row && col_major) t->row = (ptrt_axis){t->srows, 0, ic};
    if (!by_row && !col_major) t->col = (ptrt_axis){t->scols, 0, ir};
}

/* Returns the largest offset of the first n coordinates. In whole boxes it is that of the last one;
 * of a part of a box the end of the box before may come after it. */
static uint64_t farthest(const ptrt_axis *a, int64_t n) {
    const uint64_t last = (uint64_t)ptrt_axis_offset(a, n - 1);
    if (a->outer == 0 || n <= a->box || n % a->box == 0) return last;
    const uint64_t before = (uint64_t)ptrt_axis_offset(a, n / a->box * a->box - 1);
    return before > last ? before : last;
}

void ptrt_tile_measure(ptrt_tile *t) {
    t->bytes =
        (farthest(&t->row, t->rows) + farthest(&t->col, t->cols) + 1) * ptrt_elem_bytes(t->elem);
}

void ptrt_tile_shape(ptrt_tile *t, const ptrt_tile_type *type) {
    t->elem = type->elem;
    t->space = type->space;
    t->blayout = type->blayout;
    t->slayout = type->slayout;
    t->fractal = type->fractal;
    t->pad = type->pad;
    t->compact = type->compact;
    t->rows = t->srows = type->rows;
    t->cols = t->scols = type->cols;
    set_axes(t);
    ptrt_tile_measure(t);
}

/* ---- keys, for the fast paths of drivers ---- */

/* The valid region as n lines of `length` contiguous elements, `pitch` elements apart. */
typedef struct lines {
    int64_t n, length, pitch;
} lines;

static lines lines_of(const ptrt_tile *t) {
    return t->blayout == PTRT_ROW_MAJOR ? (lines){t->vrow, t->vcol, t->row.inner}
                                        : (lines){t->vcol, t->vrow, t->col.inner};
}

/* Whether the valid region is one run of memory in which layout and valid region alone determine
 * the place of every element. */
static bool is_dense(const ptrt_tile *t) {
    if (t->slayout == PTRT_NONE_BOX) {
        const lines l = lines_of(t);
        return l.n == 1 || l.length == l.pitch;
    }
    return t->vrow == t->rows && t->vcol == t->cols && t->rows == t->srows && t->cols == t->scols &&
           t->compact != PTRT_ROW_PLUS_ONE &&
           t->bytes == (uint64_t)t->rows * (uint64_t)t->cols * ptrt_elem_bytes(t->elem);
}

/* Encodes the order of elements in a dense region; 0 is row-major. A single line has the same order
 * in every layout. */
static uint64_t order_of(const ptrt_tile *t) {
    if (t->slayout == PTRT_NONE_BOX && (t->vrow == 1 || t->vcol == 1)) return 0;
    uint64_t box = t->slayout == PTRT_NONE_BOX ? 0
                   : t->fractal == 512         ? 1
                   : t->fractal == 1024        ? 2
                                               : 3;
    return (uint64_t)t->blayout | (uint64_t)t->slayout << 1 | box << 3;
}

/* A key holds, from bit 0 on: element type, element order, whether there are gaps between lines,
 * and the extents: two for a dense region; lines, length and pitch for one with gaps. */
enum { KEY_ORDER = 5, KEY_GAPS = 10, KEY_EXTENTS = 11, KEY_DENSE_BITS = 26, KEY_LINE_BITS = 17 };

static bool fits(int64_t x, unsigned bits) {
    return x > 0 && x < INT64_C(1) << bits;
}

/* Returns 0 when the extents do not fit the key. */
static uint64_t dense_key(const ptrt_tile *t) {
    if (!fits(t->vrow, KEY_DENSE_BITS) || !fits(t->vcol, KEY_DENSE_BITS)) return 0;
    return order_of(t) << KEY_ORDER | (uint64_t)t->vrow << KEY_EXTENTS |
           (uint64_t)t->vcol << (KEY_EXTENTS + KEY_DENSE_BITS);
}

static uint64_t gaps_key(const ptrt_tile *t) {
    const lines l = lines_of(t);
    if (t->slayout != PTRT_NONE_BOX || !fits(l.n, KEY_LINE_BITS) ||
        !fits(l.length, KEY_LINE_BITS) || !fits(l.pitch, KEY_LINE_BITS))
        return 0;
    return (uint64_t)t->blayout << KEY_ORDER | UINT64_C(1) << KEY_GAPS |
           (uint64_t)l.n << KEY_EXTENTS | (uint64_t)l.length << (KEY_EXTENTS + KEY_LINE_BITS) |
           (uint64_t)l.pitch << (KEY_EXTENTS + 2 * KEY_LINE_BITS);
}

void ptrt_tile_settle(ptrt_tile *t, bool watched) {
    const bool dense = is_dense(t);
    const uint64_t key = watched ? 0 : dense ? dense_key(t) : gaps_key(t);
    const lines l = dense ? (lines){1, t->vrow * t->vcol, 0} : lines_of(t);
    t->key = key != 0 ? key | t->elem : 0;
    t->n = key != 0 && dense ? l.length : 0;
    t->lines = l.n;
    t->length = l.length;
    for (int i = 0; i < 3; i++)
        t->ld[i] = (ptrdiff_t)l.pitch;
}

bool ptrt_valid_ok(const ptrt_tile *t, int64_t vrow, int64_t vcol) {
    return vrow >= 0 && vrow <= t->rows && vcol >= 0 && vcol <= t->cols;
}

bool ptrt_tile_place(ptrt_tile *t, uint64_t addr) {
    if (t->bytes > t->size || addr > t->size - t->bytes) return false;
    t->last = t->size - t->bytes;
    t->addr = addr;
    t->at = t->base + addr;
    return true;
}

int ptrt_fail_valid(ptrt_core *core, uint32_t line, const ptrt_tile *t, int64_t vrow,
                    int64_t vcol) {
    return ptrt_fail(core, PTRT_E_VALID, line, "valid region %lldx%lld of a %lldx%lld tile",
                     (long long)vrow, (long long)vcol, (long long)t->rows, (long long)t->cols);
}

int ptrt_fail_place(ptrt_core *core, uint32_t line, const ptrt_tile *t, int64_t addr) {
    return ptrt_fail(core, PTRT_E_BOUNDS, line,
                     "tile of %llu bytes at address %lld leaves %s (%llu bytes)",
                     (unsigned long long)t->bytes, (long long)addr, ptrt_space_name(t->space),
                     (unsigned long long)t->size);
}

static int check_address(ptrt_core *core, uint32_t line, const ptrt_tile *t, int64_t addr) {
    if (addr < 0) return ptrt_fail_place(core, line, t, addr);
    if (addr % PTRT_TILE_ALIGN != 0)
        return ptrt_fail(core, PTRT_E_ALIGN, line, "tile address %lld is not a multiple of %d",
                         (long long)addr, PTRT_TILE_ALIGN);
    return PTRT_OK;
}

int ptrt_tile_bind(ptrt_core *core, const ptrt_tile_type *type, int64_t addr, int64_t vrow,
                   int64_t vcol, uint32_t line, ptrt_tile *out) {
    if (!ptrt_type_ok(type)) return ptrt_fail(core, PTRT_E_TYPE, line, "illegal tile type");
    ptrt_tile_shape(out, type);
    out->base = core->space[type->space];
    out->size = core->space_size[type->space];
    int code = check_address(core, line, out, addr);
    if (code != PTRT_OK) return code;
    if (!ptrt_tile_place(out, (uint64_t)addr)) return ptrt_fail_place(core, line, out, addr);
    if (!ptrt_valid_ok(out, vrow, vcol)) return ptrt_fail_valid(core, line, out, vrow, vcol);
    out->vrow = vrow;
    out->vcol = vcol;
    ptrt_tile_settle(out, core->hook != NULL);
    return PTRT_OK;
}

int ptrt_tile_init(ptrt_tile *out, const ptrt_tile_type *type, void *mem, uint64_t bytes,
                   int64_t vrow, int64_t vcol) {
    if (!ptrt_type_ok(type)) return PTRT_E_TYPE;
    ptrt_tile_shape(out, type);
    out->base = mem;
    out->size = bytes;
    if ((uintptr_t)mem % ptrt_elem_bytes(type->elem) != 0) return PTRT_E_ALIGN;
    if (!mem || !ptrt_tile_place(out, 0)) return PTRT_E_BOUNDS;
    if (!ptrt_valid_ok(out, vrow, vcol)) return PTRT_E_VALID;
    out->vrow = vrow;
    out->vcol = vcol;
    ptrt_tile_settle(out, false);
    return PTRT_OK;
}

int ptrt_tile_assign(ptrt_core *core, uint32_t line, const ptrt_tile *tile, int64_t addr,
                     ptrt_tile *out) {
    ptrt_tile t = *tile;
    int code = check_address(core, line, &t, addr);
    if (code != PTRT_OK) return code;
    if (!ptrt_tile_place(&t, (uint64_t)addr)) return ptrt_fail_place(core, line, &t, addr);
    *out = t;
    return PTRT_OK;
}

int ptrt_tile_set_valid(ptrt_core *core, uint32_t line, ptrt_tile *tile, int64_t vrow,
                        int64_t vcol) {
    if (!ptrt_valid_ok(tile, vrow, vcol)) return ptrt_fail_valid(core, line, tile, vrow, vcol);
    tile->vrow = vrow;
    tile->vcol = vcol;
    ptrt_tile_settle(tile, core->hook != NULL);
    return PTRT_OK;
}

int ptrt_tile_expect(ptrt_core *core, uint32_t line, const ptrt_tile *tile,
                     const ptrt_tile_type *type, int64_t vrow, int64_t vcol) {
    if (!tile || !ptrt_type_ok(type))
        return ptrt_fail(core, PTRT_E_TYPE, line, "a tile argument is missing");
    ptrt_tile want;
    ptrt_tile_shape(&want, type);
    if (tile->elem != want.elem || tile->rows != want.rows || tile->cols != want.cols ||
        memcmp(&tile->row, &want.row, sizeof want.row) != 0 ||
        memcmp(&tile->col, &want.col, sizeof want.col) != 0)
        return ptrt_fail(core, PTRT_E_TYPE, line,
                         "a tile argument (%lldx%lld, element type %d) does not fit its parameter "
                         "(%lldx%lld, element type %d) or its layout",
                         (long long)tile->rows, (long long)tile->cols, tile->elem,
                         (long long)want.rows, (long long)want.cols, want.elem);
    if (!ptrt_valid_ok(tile, tile->vrow, tile->vcol) ||
        (vrow != PTRT_ABSENT && tile->vrow != vrow) || (vcol != PTRT_ABSENT && tile->vcol != vcol))
        return ptrt_fail_valid(core, line, tile, tile->vrow, tile->vcol);
    return PTRT_OK;
}
