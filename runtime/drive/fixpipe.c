/* SPDX-License-Identifier: Apache-2.0 */
/* fixpipe.c - drivers fix_store, fix_move and fix_insert, which convert, scale and rectify what
 * leaves an accumulator; and store_atomic, which adds to global memory. */
#include "core/atomic.h"
#include "drive/rows.h"
#include "drive/window.h"

#include <stdlib.h>

/* Extents of a block that is converted at once. Bodies read up to SPARE entries beyond the
 * columns. */
enum { BLOCK_ROWS = 64, BLOCK_COLS = 64, SPARE = 16 };

/* How to convert every element. */
typedef struct fix {
    const ptrt_bodies *bodies;
    ptrt_args_fn body;      /* NULL: elements keep their bits */
    const ptrt_tile *words; /* quantisation words, one per column; NULL: `word` for all columns */
    int64_t word;
    uint8_t elem; /* of the destination */
    bool relu, quantises, has_infinity;
    unsigned from_log, to_log;
} fix;

/* A region to move, at its position in source and destination. */
typedef struct region {
    ptrt_corner from, to;
    int64_t rows, cols;
} region;

/* ---- quantisation words ---- */

typedef struct columns {
    float scale[BLOCK_COLS + SPARE], offset[BLOCK_COLS + SPARE];
    float low[BLOCK_COLS + SPARE], high[BLOCK_COLS + SPARE];
    int32_t shift[BLOCK_COLS + SPARE];
} columns;

static float float_of(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Decodes the scale of a word in a tile: sign, exponent, 10 bits of mantissa. Zero has only a sign
 * bit. The format has no other special values, so its largest exponent exceeds f32. */
static float short_scale(uint64_t word) {
    const uint32_t bits = (uint32_t)(word >> 13 & 0x7FFFF) << 13, sign = bits & 0x80000000;
    const uint32_t mag = bits & 0x7FFFFFFF;
    if (mag == 0) return 0;
    if (mag >= 0x7F800000) return float_of(sign | 0x7F800000);
    return mag < 0x00800000 ? float_of(bits | 0x00800000) * 0.5f : float_of(bits);
}

static bool is_word(const ptrt_tile *t) {
    return t->elem == PTRT_I64 || t->elem == PTRT_U64;
}

/* Sets the range of 8-bit results. */
static void set_bounds(const fix *f, columns *c, int64_t i, bool is_signed) {
    c->low[i] = is_signed && !f->relu ? -128 : 0;
    c->high[i] = is_signed ? 127 : 255;
}

static void set_word(const fix *f, columns *c, int64_t i, uint64_t word, float scale) {
    c->scale[i] = scale;
    c->offset[i] = (float)(word >> 37 & 0x1FF);
    c->shift[i] = (int32_t)(word >> 32 & 0xF) + 1;
    set_bounds(f, c, i, (word >> 46 & 1) != 0);
}

/* Uses a number in place of a word: no offset, and the signedness of the destination type. */
static void set_number(const fix *f, columns *c, int64_t i, const unsigned char *p) {
    uint16_t half;
    if (f->words->elem == PTRT_F32) {
        memcpy(&c->scale[i], p, 4);
    } else {
        memcpy(&half, p, 2);
        c->scale[i] =
            f->words->elem == PTRT_BF16 ? float_of((uint32_t)half << 16) : ptrt_extf_f16_f32(half);
    }
    c->offset[i] = 0;
    c->shift[i] = 0;
    set_bounds(f, c, i, f->elem == PTRT_I8);
}

/* Decodes the words of columns first .. first + n - 1. */
static void set_columns(const fix *f, columns *c, int64_t first, int64_t n) {
    if (!f->words) return;
    const ptrt_tile *t = f->words;
    for (int64_t i = 0; i < n; i++) {
        const unsigned char *p =
            ptrt_tile_at(t) + ptrt_axis_offset(&t->col, first + i) * ptrt_elem_size(t->elem);
        uint64_t word;
        if (is_word(t)) {
            memcpy(&word, p, sizeof word);
            set_word(f, c, i, word, short_scale(word));
        } else {
            set_number(f, c, i, p);
        }
    }
}

static void open_columns(const fix *f, columns *c) {
    memset(c, 0, sizeof *c);
    if (f->words || !f->quantises) return;
    for (int64_t i = 0; i < BLOCK_COLS; i++)
        set_word(f, c, i, (uint64_t)f->word, float_of((uint32_t)f->word));
}

/* ---- regions ---- */

/* The destination. */
typedef struct target {
    ptrt_grid grid;
    ptrt_core *core; /* not NULL: results are added atomically */
} target;

typedef struct stage {
    _Alignas(64) unsigned char in[BLOCK_ROWS * BLOCK_COLS * 4];
    _Alignas(64) unsigned char out[BLOCK_ROWS * BLOCK_COLS * 4];
    columns columns;
} stage;

static unsigned char *place(const ptrt_grid *g, ptrt_corner at, unsigned log) {
    const uint64_t i =
        (uint64_t)ptrt_axis_offset(&g->row, at.r) + (uint64_t)ptrt_axis_offset(&g->col, at.c);
    return (unsigned char *)((uintptr_t)g->p + ((uintptr_t)i << log));
}

static int64_t least(int64_t a, int64_t b, int64_t c, int64_t d) {
    return ptrt_min64(ptrt_min64(a, b), ptrt_min64(c, d));
}

/* Adds a block of results, whose rows are BLOCK_COLS elements apart. */
static void add_block(const fix *f, const target *t, const region *b, const unsigned char *from) {
    const bool touch = t->grid.col.inner == 1;
    for (int64_t r = 0; r < b->rows; r++)
        for (int64_t c = 0; c < b->cols; c += touch ? b->cols : 1) {
            const ptrt_corner at = {b->to.r + r, b->to.c + c};
            ptrt_gm_update(t->core, PTRT_TADD, f->elem, place(&t->grid, at, f->to_log),
                           from + ((size_t)(r * BLOCK_COLS + c) << f->to_log),
                           touch ? (size_t)b->cols : 1);
        }
}

/* Converts a block in which both sides have constant strides. */
static void fix_block(const fix *f, const target *t, const ptrt_grid *from, const region *b,
                      stage *s) {
    const ptrt_movers *m = f->bodies->movers;
    const ptrt_grid in = ptrt_grid_rows(s->in, BLOCK_COLS),
                    out = ptrt_grid_rows(s->out, BLOCK_COLS);
    const ptrt_corner start = {0, 0};
    const bool take = from->col.inner != 1 || !f->body, give = t->grid.col.inner != 1 || t->core;
    const columns *c = &s->columns;
    ptrt_fix how = {f->relu, f->has_infinity, c->scale, c->offset, c->low, c->high, c->shift};
    if (take) ptrt_copy(m, &in, start, from, b->from, b->rows, b->cols, f->from_log);
    if (f->body) {
        ptrt_args x;
        ptrt_args_init(&x, b->rows, b->cols, NULL, &how);
        x.p[0] = take ? s->in : place(from, b->from, f->from_log);
        x.ld[0] = take ? BLOCK_COLS : from->row.inner;
        x.p[1] = give ? s->out : place(&t->grid, b->to, f->to_log);
        x.ld[1] = give ? BLOCK_COLS : t->grid.row.inner;
        f->body(&x);
    }
    if (t->core)
        add_block(f, t, b, f->body ? s->out : s->in);
    else if (give)
        ptrt_copy(m, &t->grid, b->to, &out, start, b->rows, b->cols, f->to_log);
}

static __attribute__((noinline)) void fix_blocks(const fix *f, const target *t,
                                                 const ptrt_grid *from, const region *x) {
    stage s;
    region b;
    open_columns(f, &s.columns);
    for (int64_t c = 0; c < x->cols; c += b.cols) {
        b.from.c = x->from.c + c;
        b.to.c = x->to.c + c;
        b.cols = least(x->cols - c, BLOCK_COLS, ptrt_axis_run(&from->col, b.from.c),
                       ptrt_axis_run(&t->grid.col, b.to.c));
        set_columns(f, &s.columns, b.from.c, b.cols);
        for (int64_t r = 0; r < x->rows; r += b.rows) {
            b.from.r = x->from.r + r;
            b.to.r = x->to.r + r;
            b.rows = least(x->rows - r, BLOCK_ROWS, ptrt_axis_run(&from->row, b.from.r),
                           ptrt_axis_run(&t->grid.row, b.to.r));
            fix_block(f, t, from, &b, &s);
        }
    }
}

/* Converts a region; copies it when neither conversion nor addition is needed. */
static void fix_region(const fix *f, const target *t, const ptrt_grid *from, const region *x) {
    if (!f->body && !t->core)
        ptrt_copy(f->bodies->movers, &t->grid, x->to, from, x->from, x->rows, x->cols, f->to_log);
    else
        fix_blocks(f, t, from, x);
}

/* ---- operands ---- */

/* Numbers in place of words cannot be used for i16 results, which need a shift. */
static bool words_fit(const fix *f) {
    const ptrt_tile *t = f->words;
    if (!t || is_word(t)) return true;
    return (t->elem == PTRT_F16 || t->elem == PTRT_BF16 || t->elem == PTRT_F32) &&
           f->elem != PTRT_I16;
}

/* `tiles` are src, the words or NULL, and dst or NULL, in the kernel's operand order. */
static int check(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *const *tiles,
                 int64_t word, int elem, int relu, fix *f) {
    const ptrt_tile *src = tiles[0];
    int code = ptrt_check_tiles(core, line, kernel, tiles, "rrw");
    if (code != PTRT_OK) return code;
    const ptrt_body body = ptrt_body_of_pair(core->bodies, kernel, src->elem, elem);
    const ptrt_body plain = ptrt_body_of_pair(core->bodies, PTRT_TSTORE_ACC, src->elem, elem);
    *f = (fix){.bodies = core->bodies,
               .body = (ptrt_args_fn)body,
               .words = tiles[1],
               .word = word,
               .elem = (uint8_t)elem,
               .relu = relu != PTRT_NO_RELU,
               .quantises = body != plain,
               .has_infinity = !tiles[1] && src->elem == PTRT_F32,
               .from_log = ptrt_log_size(ptrt_elem_size(src->elem)),
               .to_log = ptrt_log_size(ptrt_elem_size(elem))};
    if (!body || !words_fit(f)) return ptrt_no_body(core, line, kernel, 3, tiles);
    if (relu != PTRT_NO_RELU && relu != PTRT_NORMAL_RELU)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: no meaning is known of reluPreMode %d",
                         ptrt_op_name(kernel), relu);
    if (!f->quantises && !f->relu && src->elem == elem) f->body = NULL;
    return PTRT_OK;
}

static int check_words(ptrt_core *core, uint32_t line, int kernel, const fix *f, int64_t cols) {
    return f->words ? ptrt_check_reach(core, line, kernel, 1, f->words, 1, cols) : PTRT_OK;
}

/* ---- stores to global memory ---- */

typedef struct store {
    const fix *fix;
    ptrt_grid from;
    ptrt_core *adds;
} store;

static int store_piece(void *arg, const ptrt_grid *g, ptrt_corner at, int64_t rows, int64_t cols) {
    const store *s = arg;
    const target t = {*g, s->adds};
    const region x = {.from = at, .rows = rows, .cols = cols};
    fix_region(s->fix, &t, &s->from, &x);
    return PTRT_OK;
}

static int to_view(ptrt_core *core, uint32_t line, int kernel, const fix *f, const ptrt_tile *src,
                   const ptrt_view *mem, int atomic) {
    ptrt_window w;
    ptrt_window_of_view(mem, &w);
    if (src->vrow == 0 || src->vcol == 0) return PTRT_OK;
    int code = check_words(core, line, kernel, f, src->vcol);
    if (code == PTRT_OK) code = ptrt_check_window(core, line, kernel, mem, &w, src);
    if (code != PTRT_OK) return code;
    store s = {f, ptrt_grid_of_tile(src), atomic != PTRT_ATOMIC_NONE ? core : NULL};
    return ptrt_window_pieces(&w, src->vrow, src->vcol, store_piece, &s);
}

static bool adds(const ptrt_core *core, int elem) {
    return core->bodies->one[PTRT_TSTORE_ATOMIC][elem] != NULL;
}

int ptrt_fix_store(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                   const ptrt_tile *fp, int64_t word, const ptrt_view *mem, int atomic, int relu) {
    const ptrt_tile *const tiles[] = {src, fp, NULL};
    fix f;
    int code = check(core, line, kernel, tiles, word, mem->elem, relu, &f);
    if (code != PTRT_OK) return code;
    if (atomic != PTRT_ATOMIC_NONE && !adds(core, mem->elem))
        return ptrt_no_body(core, line, kernel, 3, tiles);
    return to_view(core, line, kernel, &f, src, mem, atomic);
}

int ptrt_store_atomic(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                      const ptrt_view *mem, int atomic) {
    int code = ptrt_check_tiles(core, line, kernel, &src, "r");
    if (code != PTRT_OK) return code;
    const uint32_t size = ptrt_elem_size(mem->elem);
    if (!adds(core, mem->elem) || ptrt_elem_size(src->elem) != size)
        return ptrt_no_body(core, line, kernel, 1, &src);
    const fix f = {.bodies = core->bodies,
                   .elem = mem->elem,
                   .from_log = ptrt_log_size(size),
                   .to_log = ptrt_log_size(size)};
    return to_view(core, line, kernel, &f, src, mem, atomic);
}

/* ---- moves to tiles ---- */

/* Returns the tile in the memory of a vector core. */
static ptrt_tile tile_of(const ptrt_core *vector, const ptrt_tile *t) {
    ptrt_tile copy = *t;
    copy.base = vector->space[PTRT_VEC];
    return copy;
}

/* Finds the destinations of a cube core's move to vec: the memory of the vector core that `mode`
 * names, or of both. Returns their number. If the block has one vector core, it is the
 * destination. */
static int destinations(ptrt_core *core, int mode, const ptrt_tile *dst, ptrt_tile *to) {
    ptrt_core *v0 = ptrt_peer(core, false, 0), *v1 = ptrt_peer(core, false, 1);
    to[0] = to[1] = *dst;
    if (dst->space != PTRT_VEC || !core->cube || !v0 || dst->base != core->space[PTRT_VEC])
        return 1;
    to[0] = tile_of(mode == PTRT_TO_VECTOR1 && v1 ? v1 : v0, dst);
    if ((mode != PTRT_SPLIT_ROWS && mode != PTRT_SPLIT_COLS) || !v1) return 1;
    to[1] = tile_of(v1, dst);
    return 2;
}

/* Converts a region, from a copy of the source when it shares bytes with dst. */
static int to_tile(ptrt_core *core, uint32_t line, const fix *f, const ptrt_tile *src,
                   const ptrt_tile *dst, region x) {
    const target t = {ptrt_grid_of_tile(dst), NULL};
    ptrt_grid from = ptrt_grid_of_tile(src);
    if (!ptrt_tiles_meet(src, dst)) {
        fix_region(f, &t, &from, &x);
        return PTRT_OK;
    }
    /* The copy keeps the source's columns, because words are indexed by them. */
    const int64_t cols = x.from.c + x.cols;
    void *memory = malloc((size_t)(x.rows * cols) << f->from_log);
    if (!memory) return ptrt_fail(core, PTRT_E_NOMEM, line, "no memory for operands that overlap");
    const ptrt_grid copy = ptrt_grid_rows(memory, cols);
    const ptrt_corner first = {x.from.r, 0}, start = {0, 0};
    ptrt_copy(f->bodies->movers, &copy, start, &from, first, x.rows, cols, f->from_log);
    x.from.r = 0;
    fix_region(f, &t, &copy, &x);
    free(memory);
    return PTRT_OK;
}

/* Advances to the second half of a split region. */
static void next_half(region *x, int mode, int64_t rows, int64_t cols) {
    if (mode == PTRT_SPLIT_ROWS) {
        x->from.r += x->rows;
        x->rows = rows - x->rows;
    } else {
        x->from.c += x->cols;
        x->cols = cols - x->cols;
    }
}

typedef struct move {
    const ptrt_tile *tiles[3]; /* src, words, dst */
    int64_t row, col, word;
    int mode, relu;
    bool inserts;
} move;

/* Computes the region to move, or its first half, and the extents of the whole. When extracting,
 * each half is as large as dst; when inserting, the halves make up src. */
static region region_of(const move *m, int n, int64_t *rows, int64_t *cols) {
    const ptrt_tile *part = m->inserts ? m->tiles[0] : m->tiles[2];
    const ptrt_corner at = {m->row, m->col}, start = {0, 0};
    region x = {m->inserts ? start : at, m->inserts ? at : start, part->vrow, part->vcol};
    const bool by_rows = n == 2 && m->mode == PTRT_SPLIT_ROWS;
    const bool by_cols = n == 2 && m->mode == PTRT_SPLIT_COLS;
    *rows = by_rows && !m->inserts ? 2 * x.rows : x.rows;
    *cols = by_cols && !m->inserts ? 2 * x.cols : x.cols;
    if (by_rows) x.rows = (*rows + 1) / 2;
    if (by_cols) x.cols = (*cols + 1) / 2;
    return x;
}

static int run(ptrt_core *core, uint32_t line, int kernel, const move *m) {
    const ptrt_tile *src = m->tiles[0], *dst = m->tiles[2];
    ptrt_tile to[2];
    fix f;
    const int n = destinations(core, m->mode, dst, to);
    const ptrt_tile *const seen[] = {src, m->tiles[1], &to[0]};
    int code = check(core, line, kernel, seen, m->word, dst->elem, m->relu, &f);
    if (code != PTRT_OK) return code;
    int64_t rows, cols;
    region x = region_of(m, n, &rows, &cols);
    code = m->inserts
               ? ptrt_check_inside(core, line, kernel, dst, "dst", m->row, m->col, x.rows, x.cols)
               : ptrt_check_inside(core, line, kernel, src, "src", m->row, m->col, rows, cols);
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    code = check_words(core, line, kernel, &f, x.from.c + cols);
    for (int i = 0; i < n && code == PTRT_OK; i++) {
        code = to_tile(core, line, &f, src, &to[i], x);
        next_half(&x, m->mode, rows, cols);
    }
    return code;
}

int ptrt_fix_move(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src, int64_t row,
                  int64_t col, const ptrt_tile *fp, int64_t word, const ptrt_tile *dst, int mode,
                  int relu) {
    const move m = {{src, fp, dst}, row, col, word, mode, relu, false};
    return run(core, line, kernel, &m);
}

int ptrt_fix_insert(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src, int64_t row,
                    int64_t col, const ptrt_tile *fp, int64_t word, const ptrt_tile *dst, int mode,
                    int relu) {
    const move m = {{src, fp, dst}, row, col, word, mode, relu, true};
    return run(core, line, kernel, &m);
}
