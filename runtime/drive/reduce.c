/* reduce.c - drivers of reductions: rowreduce and rowarg make one value per row; colreduce, colsum
 * and colarg one per column; rowpairs one for every two neighbours. */
#include "drive/rows.h"

#include <stdlib.h>

static const uint8_t roles[] = {PTRT_READ, PTRT_WRITE};

/* The shape of a reduction. */
typedef struct shape {
    bool along_rows; /* one value per row, else one per column */
    bool index;      /* values are 32-bit indices */
} shape;

/* A source as plain rows that do not overlap the destination: in place or copied. */
typedef struct source {
    const unsigned char *p;
    ptrdiff_t ld;
    void *memory; /* the copy, or NULL */
} source;

static bool meets(const ptrt_tile *a, const ptrt_tile *b) {
    uintptr_t a0 = (uintptr_t)ptrt_tile_at(a), b0 = (uintptr_t)ptrt_tile_at(b);
    return a0 < b0 + b->bytes && b0 < a0 + a->bytes;
}

static int get_source(ptrt_core *core, uint32_t line, const ptrt_tile *t, const ptrt_tile *d,
                      source *out) {
    if ((ptrt_directions(t) & 1) != 0 && !meets(t, d)) {
        *out = (source){ptrt_tile_at(t), (ptrdiff_t)t->row.inner, NULL};
        return PTRT_OK;
    }
    const unsigned log = ptrt_log_size(ptrt_elem_size(t->elem));
    void *memory = malloc((size_t)(t->vrow * t->vcol) << log);
    if (!memory) return ptrt_fail(core, PTRT_E_NOMEM, line, "no memory for a copy of src");
    const ptrt_grid from = ptrt_grid_of_tile(t), to = ptrt_grid_rows(memory, t->vcol);
    const ptrt_corner start = {0, 0};
    ptrt_copy(core->bodies->movers, &to, start, &from, start, t->vrow, t->vcol, log);
    *out = (source){memory, (ptrdiff_t)t->vcol, memory};
    return PTRT_OK;
}

/* Runs the body. Its values are a column or row of dst: written in place if that has a constant
 * stride, else through a buffer. */
static int run(ptrt_core *core, uint32_t line, ptrt_body body, const ptrt_tile *s,
               const ptrt_tile *d, shape k) {
    source src = {0};
    const size_t rows = (size_t)s->vrow, cols = (size_t)s->vcol;
    const int64_t n = k.along_rows ? s->vrow : s->vcol;
    const bool in_place =
        k.along_rows ? d->row.outer == 0 : (d->col.outer == 0 && d->col.inner == 1);
    const unsigned log = ptrt_log_size(ptrt_elem_size(d->elem));
    int code = get_source(core, line, s, d, &src);
    if (code != PTRT_OK) return code;
    void *values = in_place ? ptrt_tile_at(d) : malloc((size_t)n << log);
    if (values) {
        const ptrdiff_t step = in_place && k.along_rows ? (ptrdiff_t)d->row.inner : 1;
        ((ptrt_map1_fn)body)(values, src.p, rows, cols, step, src.ld);
    } else {
        code = ptrt_fail(core, PTRT_E_NOMEM, line, "no memory for the values of dst");
    }
    if (values && !in_place) {
        const ptrt_grid to = ptrt_grid_of_tile(d);
        const ptrt_grid from = {values, {1, 0, k.along_rows ? 1 : n}, {1, 0, 1}};
        const ptrt_corner start = {0, 0};
        ptrt_copy(core->bodies->movers, &to, start, &from, start, k.along_rows ? n : 1,
                  k.along_rows ? 1 : n, log);
        free(values);
    }
    free(src.memory);
    return code;
}

static int check_reduce(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *const *tiles,
                        shape k) {
    const ptrt_tile *s = tiles[0], *d = tiles[1];
    int code = ptrt_check_tiles(core, line, kernel, 2, tiles, roles);
    if (code != PTRT_OK) return code;
    const bool fits = k.index ? d->elem == PTRT_I32 || d->elem == PTRT_U32 : d->elem == s->elem;
    if (!ptrt_body_one(core, kernel, s) || !fits) return ptrt_no_body(core, line, kernel, 2, tiles);
    if (s->vrow == 0 || s->vcol == 0 || d->vrow == 0 || d->vcol == 0) return PTRT_OK;
    return ptrt_check_reach(core, line, kernel, 1, d, k.along_rows ? s->vrow : 1,
                            k.along_rows ? 1 : s->vcol);
}

static int reduce(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *s,
                  const ptrt_tile *d, shape k) {
    const ptrt_tile *const tiles[] = {s, d};
    int code = check_reduce(core, line, kernel, tiles, k);
    if (code != PTRT_OK || s->vrow == 0 || s->vcol == 0 || d->vrow == 0 || d->vcol == 0)
        return code;
    return run(core, line, ptrt_body_one(core, kernel, s), s, d, k);
}

/* ---- binary sums of rows ---- */

/* Adds rows in pairs until one is left. If `last`, an odd row is added to the last sum of a pass,
 * else to the first. */
static void sum_pairs(ptrt_map2_fn add, unsigned char *t, const source *src, size_t rows,
                      size_t cols, size_t size, bool last) {
    const unsigned char *from = src->p;
    ptrdiff_t ld = src->ld * (ptrdiff_t)size;
    const size_t row = cols * size;
    for (size_t n = rows; n > 1; n /= 2) {
        for (size_t k = 0; k < n / 2; k++)
            (void)add(t + k * row, from + 2 * (ptrdiff_t)k * ld, from + (2 * (ptrdiff_t)k + 1) * ld,
                      1, cols, ptrt_one_row);
        unsigned char *odd = last ? t + (n / 2 - 1) * row : t;
        if (n % 2 != 0) (void)add(odd, odd, from + (ptrdiff_t)(n - 1) * ld, 1, cols, ptrt_one_row);
        from = t;
        ld = (ptrdiff_t)row;
    }
}

/* Computes a binary column sum. The buffer has the rows that the first pass makes, and at least
 * one. */
static int run_binary(ptrt_core *core, uint32_t line, const ptrt_tile *s, const ptrt_tile *d,
                      bool last) {
    source src = {0};
    const size_t rows = (size_t)s->vrow, cols = (size_t)s->vcol, size = ptrt_elem_size(s->elem);
    int code = get_source(core, line, s, d, &src);
    if (code != PTRT_OK) return code;
    unsigned char *t = malloc((rows / 2 + 1) * cols * size);
    if (t) {
        memcpy(t, src.p, cols * size);
        sum_pairs((ptrt_map2_fn)ptrt_body_one(core, PTRT_TADD, s), t, &src, rows, cols, size, last);
        const ptrt_grid to = ptrt_grid_of_tile(d), from = ptrt_grid_rows(t, s->vcol);
        const ptrt_corner start = {0, 0};
        ptrt_copy(core->bodies->movers, &to, start, &from, start, 1, s->vcol,
                  ptrt_log_size((uint32_t)size));
    } else {
        code = ptrt_fail(core, PTRT_E_NOMEM, line, "no memory for the sums of rows");
    }
    free(t);
    free(src.memory);
    return code;
}

/* ---- the drivers ---- */

int ptrt_colsum(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                const ptrt_tile *dst, int binary, int profile) {
    const shape k = {false, false};
    const ptrt_tile *const tiles[] = {src, dst};
    if (!binary || profile == PTRT_FOR_CPU) return reduce(core, line, kernel, src, dst, k);
    int code = check_reduce(core, line, kernel, tiles, k);
    if (code != PTRT_OK || src->vrow == 0 || src->vcol == 0 || dst->vrow == 0 || dst->vcol == 0)
        return code;
    return run_binary(core, line, src, dst, profile == PTRT_FOR_A5);
}

int ptrt_rowreduce(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                   const ptrt_tile *dst) {
    return reduce(core, line, kernel, src, dst, (shape){true, false});
}

int ptrt_colreduce(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                   const ptrt_tile *dst) {
    return reduce(core, line, kernel, src, dst, (shape){false, false});
}

int ptrt_rowarg(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                const ptrt_tile *dst) {
    return reduce(core, line, kernel, src, dst, (shape){true, true});
}

int ptrt_colarg(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                const ptrt_tile *dst) {
    return reduce(core, line, kernel, src, dst, (shape){false, true});
}

int ptrt_rowpairs(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                  const ptrt_tile *dst) {
    const ptrt_tile *const tiles[] = {src, dst};
    ptrt_rows s = {0}, d = {0};
    const ptrt_bits zero = {0};
    const int64_t rows = src->vrow, cols = src->vcol;
    int code = ptrt_check_tiles(core, line, kernel, 2, tiles, roles);
    if (code != PTRT_OK) return code;
    const ptrt_body body = ptrt_body_one(core, kernel, dst);
    if (!body || src->elem != dst->elem) return ptrt_no_body(core, line, kernel, 2, tiles);
    const int64_t pairs = cols / 2 + cols % 2;
    if (rows == 0 || cols == 0) return PTRT_OK;
    code = ptrt_check_reach(core, line, kernel, 1, dst, rows, pairs);
    if (code == PTRT_OK) code = ptrt_rows_read(core, line, src, rows, cols, dst, false, &s);
    if (code == PTRT_OK) code = ptrt_rows_write(core, line, dst, rows, pairs, false, &d);
    if (code == PTRT_OK) {
        ptrt_fill_region(core, dst, (ptrt_region2){0, dst->rows, 0, dst->cols}, &zero);
        ((ptrt_map1_fn)body)(d.p, s.p, (size_t)rows, (size_t)cols, d.ld, s.ld);
        ptrt_rows_store(core, dst, rows, pairs, &d);
    }
    ptrt_rows_free(&s);
    ptrt_rows_free(&d);
    return code;
}
