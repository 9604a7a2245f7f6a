/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c - kernels in f64: the rows of ops.def, and their shapes. A shape reads operands with the
 * numbers beside them, and says where the results will be. Operands that a kernel refuses are left
 * to its own checks. */
#include "drive/drive.h"
#include "drive/window.h"
#include "shadow/shadow.h"

#include <math.h>
#include <stdlib.h>

typedef double (*Formula)(double a, double b, double c);

typedef struct Job {
    ptrt_core *core;
    uint32_t line;
    int kernel;
    const ptrt_shadow_arg *args;
    Formula f;
    ptrt_nums *out;
} Job;

typedef ptrt_shadow_way (*Shape)(const Job *j);

/* ---- memory of one call ---- */

enum { MOST_BLOCKS = 16 };
static void *blocks[MOST_BLOCKS];
static int nblocks;

void ptrt_shadow_drop(void) {
    while (nblocks > 0)
        free(blocks[--nblocks]);
}

static void *block_of(int64_t rows, int64_t cols, size_t size) {
    if (nblocks == MOST_BLOCKS) return NULL;
    void *p = calloc((size_t)(rows * cols) + 1, size);
    if (p != NULL) blocks[nblocks++] = p;
    return p;
}

static bool make(ptrt_nums *n, int64_t rows, int64_t cols, bool target) {
    *n = (ptrt_nums){.rows = rows, .cols = cols};
    n->at = block_of(rows, cols, sizeof *n->at);
    if (target) n->to = block_of(rows, cols, sizeof *n->to);
    return n->at != NULL && (!target || n->to != NULL);
}

/* ---- operands ---- */

static const ptrt_tile *tile_arg(const Job *j, int i) {
    return j->args[i].p;
}

static unsigned char *element(const ptrt_tile *t, int64_t r, int64_t c) {
    return ptrt_tile_at(t) + (ptrt_axis_offset(&t->row, r) + ptrt_axis_offset(&t->col, c)) *
                                 (int64_t)ptrt_elem_size(t->elem);
}

/* Whether the region lies in the shape of a tile that lies in its memory. */
static bool has_region(const ptrt_tile *t, int64_t r, int64_t c, int64_t rows, int64_t cols) {
    return ptrt_operand_ok(t) && r >= 0 && c >= 0 && r <= t->rows && c <= t->cols &&
           rows <= t->rows - r && cols <= t->cols - c;
}

/* Reads a region of a tile. */
static ptrt_shadow_way read_part(const ptrt_tile *t, int64_t r0, int64_t c0, int64_t rows,
                                 int64_t cols, ptrt_nums *n) {
    if (!has_region(t, r0, c0, rows, cols) || ptrt_elem_lanes(t->elem) != 1)
        return PTRT_SHADOW_NONE;
    if (!make(n, rows, cols, false)) return PTRT_SHADOW_NOMEM;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            n->at[r * cols + c] = ptrt_shadow_get(t->elem, element(t, r0 + r, c0 + c));
    return PTRT_SHADOW_DONE;
}

static ptrt_shadow_way read_tile(const ptrt_tile *t, int64_t rows, int64_t cols, ptrt_nums *n) {
    return read_part(t, 0, 0, rows, cols, n);
}

/* Makes the results go to a region of a tile. */
static ptrt_shadow_way target_part(const ptrt_tile *t, int64_t r0, int64_t c0, int64_t rows,
                                   int64_t cols, ptrt_nums *n) {
    if (!has_region(t, r0, c0, rows, cols)) return PTRT_SHADOW_NONE;
    if (!make(n, rows, cols, true)) return PTRT_SHADOW_NOMEM;
    n->elem = t->elem;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            n->to[r * cols + c] = element(t, r0 + r, c0 + c);
    return PTRT_SHADOW_DONE;
}

static ptrt_shadow_way target_tile(const Job *j, const ptrt_tile *t) {
    return target_part(t, 0, 0, t->vrow, t->vcol, j->out);
}

/* Finds the addresses of elements of a view. */
static int piece_addresses(void *arg, const ptrt_grid *g, ptrt_corner at, int64_t rows,
                           int64_t cols) {
    ptrt_nums *n = arg;
    const int64_t size = (int64_t)ptrt_elem_size(n->elem);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            n->to[(at.r + r) * n->cols + at.c + c] =
                g->p + (ptrt_axis_offset(&g->row, r) + ptrt_axis_offset(&g->col, c)) * size;
    return PTRT_OK;
}

/* Makes the elements of a view that a load or store of the tile accesses. The call itself reports
 * those that it has not. */
static ptrt_shadow_way view_part(const Job *j, const ptrt_view *v, const ptrt_tile *t,
                                 ptrt_nums *n) {
    ptrt_window w;
    ptrt_window_of_view(v, &w);
    if (!ptrt_operand_ok(t) || ptrt_check_window(j->core, j->line, j->kernel, v, &w, t) != PTRT_OK)
        return PTRT_SHADOW_NONE;
    if (!make(n, t->vrow, t->vcol, true)) return PTRT_SHADOW_NOMEM;
    n->elem = v->elem;
    (void)ptrt_window_pieces(&w, t->vrow, t->vcol, piece_addresses, n);
    return PTRT_SHADOW_DONE;
}

/* ---- formulas ---- */

/* Returns what the formula makes of elements; `b` and `c` may be NULL. */
static ptrt_num apply(const Job *j, ptrt_num a, const ptrt_num *b, const ptrt_num *c) {
    ptrt_num n = {.err = a.err};
    n.x = j->f(a.x, b != NULL ? b->x : 0, c != NULL ? c->x : 0);
    if (b != NULL) n.err = fmax(n.err, b->err);
    if (c != NULL) n.err = fmax(n.err, c->err);
    return n;
}

static ptrt_num number_arg(const Job *j, int i) {
    return (ptrt_num){j->args[i].x, 0};
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const ptrt_shadow_way way_ = (call);                                                       \
        if (way_ != PTRT_SHADOW_DONE) return way_;                                                 \
    } while (0)

/* Applies the formula to the elements of up to three tiles or numbers. */
static ptrt_shadow_way map_rows(const Job *j, int n, const int *args, const bool *number, int dst,
                                int64_t rows) {
    const ptrt_tile *d = tile_arg(j, dst);
    ptrt_nums in[3];
    ptrt_num one[3];
    for (int i = 0; i < n; i++) {
        one[i] = number[i] ? number_arg(j, args[i]) : (ptrt_num){0, 0};
        if (!number[i]) TRY(read_tile(tile_arg(j, args[i]), rows, d->vcol, &in[i]));
    }
    TRY(target_part(d, 0, 0, rows, d->vcol, j->out));
    for (int64_t k = 0; k < rows * d->vcol; k++) {
        for (int i = 0; i < n; i++)
            if (!number[i]) one[i] = in[i].at[k];
        j->out->at[k] = apply(j, one[0], n > 1 ? &one[1] : NULL, n > 2 ? &one[2] : NULL);
    }
    return PTRT_SHADOW_DONE;
}

static ptrt_shadow_way map(const Job *j, int n, const int *args, const bool *number, int dst) {
    return map_rows(j, n, args, number, dst, tile_arg(j, dst)->vrow);
}

/* src dst */
static ptrt_shadow_way map1(const Job *j) {
    return map(j, 1, (const int[]){0}, (const bool[]){false}, 1);
}
/* src0 src1 dst */
static ptrt_shadow_way map2(const Job *j) {
    return map(j, 2, (const int[]){0, 1}, (const bool[]){false, false}, 2);
}
/* src number dst */
static ptrt_shadow_way maps(const Job *j) {
    return map(j, 2, (const int[]){0, 1}, (const bool[]){false, true}, 2);
}
/* src number dst: rows that src does not have stay as they are. */
static ptrt_shadow_way maps_short(const Job *j) {
    const int64_t have = tile_arg(j, 0)->vrow, want = tile_arg(j, 2)->vrow;
    return map_rows(j, 2, (const int[]){0, 1}, (const bool[]){false, true}, 2,
                    have < want ? have : want);
}
/* src dst: to another type; to the same one it makes whole numbers, as the run has rounded them. */
static ptrt_shadow_way convert(const Job *j) {
    return tile_arg(j, 0)->elem != tile_arg(j, 1)->elem ? map1(j) : PTRT_SHADOW_STORED;
}
/* src0 src1 src2 dst */
static ptrt_shadow_way map3(const Job *j) {
    return map(j, 3, (const int[]){0, 1, 2}, (const bool[]){false, false, false}, 3);
}
/* src0 number src1 dst */
static ptrt_shadow_way map2s(const Job *j) {
    return map(j, 3, (const int[]){0, 1, 2}, (const bool[]){false, true, false}, 3);
}
/* src number dst, which is also read */
static ptrt_shadow_way axpy(const Job *j) {
    return map(j, 3, (const int[]){0, 1, 2}, (const bool[]){false, true, false}, 2);
}

/* src0 src1 dst: where one source alone is valid it is copied, where none is dst is 0. */
static ptrt_shadow_way part(const Job *j) {
    const ptrt_tile *s[] = {tile_arg(j, 0), tile_arg(j, 1)}, *d = tile_arg(j, 2);
    ptrt_nums in[2];
    for (int i = 0; i < 2; i++)
        TRY(read_tile(s[i], s[i]->vrow, s[i]->vcol, &in[i]));
    TRY(target_tile(j, d));
    for (int64_t r = 0; r < d->vrow; r++)
        for (int64_t c = 0; c < d->vcol; c++) {
            const ptrt_num *x[2];
            for (int i = 0; i < 2; i++)
                x[i] = r < in[i].rows && c < in[i].cols ? &in[i].at[r * in[i].cols + c] : NULL;
            ptrt_num *to = &j->out->at[r * d->vcol + c];
            if (x[0] != NULL && x[1] != NULL)
                *to = apply(j, *x[0], x[1], NULL);
            else if (x[0] != NULL || x[1] != NULL)
                *to = *(x[0] != NULL ? x[0] : x[1]);
        }
    return PTRT_SHADOW_DONE;
}

/* ---- selections ---- */

/* Bytes of a mask follow each other in the elements of a row. */
static bool mask_bit(const ptrt_tile *mask, int64_t r, int64_t c) {
    const int64_t size = (int64_t)ptrt_elem_size(mask->elem), byte = c / 8;
    return (element(mask, r, byte / size)[byte % size] >> c % 8 & 1) != 0;
}

/* Selects by a mask of the run. Without a second tile a number is the other value. */
static ptrt_shadow_way select_of(const Job *j, const ptrt_tile *other, ptrt_num number,
                                 const ptrt_tile *d) {
    const ptrt_tile *mask = tile_arg(j, 0);
    const int64_t bits = (int64_t)ptrt_elem_size(mask->elem) * 8;
    ptrt_nums a, b;
    if (!has_region(mask, 0, 0, d->vrow, (d->vcol + bits - 1) / bits)) return PTRT_SHADOW_NONE;
    TRY(read_tile(tile_arg(j, 1), d->vrow, d->vcol, &a));
    if (other != NULL) TRY(read_tile(other, d->vrow, d->vcol, &b));
    TRY(target_tile(j, d));
    for (int64_t r = 0; r < d->vrow; r++)
        for (int64_t c = 0; c < d->vcol; c++) {
            const int64_t k = r * d->vcol + c;
            const ptrt_num no = other != NULL ? b.at[k] : number;
            j->out->at[k] = mask_bit(mask, r, c) ? a.at[k] : no;
        }
    return PTRT_SHADOW_DONE;
}

/* mask src0 src1 dst */
static ptrt_shadow_way sel(const Job *j) {
    return select_of(j, tile_arg(j, 2), (ptrt_num){0, 0}, tile_arg(j, 3));
}
/* mask src number dst */
static ptrt_shadow_way sels(const Job *j) {
    return select_of(j, NULL, number_arg(j, 2), tile_arg(j, 3));
}

/* ---- a row or column of another tile ---- */

static bool is_full(const ptrt_tile *t, const ptrt_tile *d) {
    return t->vrow == d->vrow && t->vcol == d->vcol;
}

/* src0 src1 dst, where one source has one number for each row, or a block of them that repeats */
static ptrt_shadow_way rowexpand(const Job *j) {
    const ptrt_tile *s[] = {tile_arg(j, 0), tile_arg(j, 1)}, *d = tile_arg(j, 2);
    const int narrow = !is_full(s[0], d) && is_full(s[1], d) ? 0 : 1;
    const int64_t lanes = s[narrow]->vcol > 0 ? s[narrow]->vcol : 1;
    ptrt_nums in[2];
    for (int i = 0; i < 2; i++)
        TRY(read_tile(s[i], d->vrow, i == narrow ? lanes : d->vcol, &in[i]));
    TRY(target_tile(j, d));
    for (int64_t r = 0; r < d->vrow; r++)
        for (int64_t c = 0; c < d->vcol; c++) {
            const ptrt_num full = in[1 - narrow].at[r * d->vcol + c];
            const ptrt_num own = in[narrow].at[r * lanes + c % lanes];
            j->out->at[r * d->vcol + c] =
                narrow == 1 ? apply(j, full, &own, NULL) : apply(j, own, &full, NULL);
        }
    return PTRT_SHADOW_DONE;
}

/* src0 src1 dst, where src1 has one number for each column */
static ptrt_shadow_way colexpand(const Job *j) {
    const ptrt_tile *d = tile_arg(j, 2);
    ptrt_nums a, b;
    TRY(read_tile(tile_arg(j, 0), d->vrow, d->vcol, &a));
    TRY(read_tile(tile_arg(j, 1), 1, d->vcol, &b));
    TRY(target_tile(j, d));
    for (int64_t k = 0; k < d->vrow * d->vcol; k++)
        j->out->at[k] = apply(j, a.at[k], &b.at[k % d->vcol], NULL);
    return PTRT_SHADOW_DONE;
}

static ptrt_shadow_way spread(const Job *j, bool row) {
    const ptrt_tile *d = tile_arg(j, 1);
    ptrt_nums a;
    TRY(read_tile(tile_arg(j, 0), row ? d->vrow : 1, row ? 1 : d->vcol, &a));
    TRY(target_tile(j, d));
    for (int64_t k = 0; k < d->vrow * d->vcol; k++)
        j->out->at[k] = a.at[row ? k / d->vcol : k % d->vcol];
    return PTRT_SHADOW_DONE;
}

/* src dst */
static ptrt_shadow_way rowspread(const Job *j) {
    return spread(j, true);
}
static ptrt_shadow_way colspread(const Job *j) {
    return spread(j, false);
}

/* ---- reductions ---- */

static ptrt_shadow_way fold(const Job *j, bool rows) {
    const ptrt_tile *s = tile_arg(j, 0), *d = tile_arg(j, 1);
    const int64_t n = rows ? s->vrow : s->vcol, length = rows ? s->vcol : s->vrow;
    ptrt_nums in;
    if (d->vrow == 0 || d->vcol == 0 || n == 0 || length == 0) return PTRT_SHADOW_STORED;
    TRY(read_tile(s, s->vrow, s->vcol, &in));
    TRY(target_part(d, 0, 0, rows ? n : 1, rows ? 1 : n, j->out));
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = rows ? i * s->vcol : i, step = rows ? 1 : s->vcol;
        ptrt_num sum = in.at[first];
        for (int64_t k = 1; k < length; k++)
            sum = apply(j, sum, &in.at[first + k * step], NULL);
        j->out->at[i] = sum;
    }
    return PTRT_SHADOW_DONE;
}

/* src dst */
static ptrt_shadow_way rowfold(const Job *j) {
    return fold(j, true);
}
static ptrt_shadow_way colfold(const Job *j) {
    return fold(j, false);
}

/* src dst: two neighbours make one element; a last one without a neighbour is copied. */
static ptrt_shadow_way pairs(const Job *j) {
    const ptrt_tile *s = tile_arg(j, 0), *d = tile_arg(j, 1);
    const int64_t cols = s->vcol / 2 + s->vcol % 2;
    ptrt_nums in;
    TRY(read_tile(s, s->vrow, s->vcol, &in));
    TRY(target_part(d, 0, 0, s->vrow, cols, j->out));
    for (int64_t r = 0; r < s->vrow; r++)
        for (int64_t c = 0; c < cols; c++) {
            const ptrt_num *p = &in.at[r * s->vcol + 2 * c];
            j->out->at[r * cols + c] = 2 * c + 1 < s->vcol ? apply(j, p[0], &p[1], NULL) : p[0];
        }
    return PTRT_SHADOW_DONE;
}

/* ---- moves ---- */

static ptrt_shadow_way stored(const Job *j) {
    (void)j;
    return PTRT_SHADOW_STORED;
}

/* Reads the elements whose addresses `from` has. */
static void read_addresses(const ptrt_nums *from, ptrt_num *to) {
    for (int64_t k = 0; k < from->rows * from->cols; k++)
        to[k] = ptrt_shadow_get(from->elem, from->to[k]);
}

static void rectify(ptrt_nums *n) {
    for (int64_t k = 0; k < n->rows * n->cols; k++)
        n->at[k].x = fmax(n->at[k].x, 0);
}

/* mem dst */
static ptrt_shadow_way load(const Job *j) {
    const ptrt_tile *d = tile_arg(j, 1);
    ptrt_nums from;
    if (d->vrow == 0 || d->vcol == 0) return PTRT_SHADOW_STORED;
    TRY(view_part(j, j->args[0].p, d, &from));
    if (from.elem != d->elem) return PTRT_SHADOW_STORED; /* its bits */
    TRY(target_tile(j, d));
    read_addresses(&from, j->out->at);
    return PTRT_SHADOW_DONE;
}

/* An element by its address. */
typedef struct Placed {
    unsigned char *to;
    int64_t k;
} Placed;

static int by_address(const void *a, const void *b) {
    const Placed *x = a, *y = b;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return x->k < y->k ? -1 : x->k > y->k;
}

/* Adds to what is there; elements of a view may lie at one address, which then gets all of them. */
static ptrt_shadow_way add_stored(ptrt_nums *out) {
    const int64_t n = out->rows * out->cols;
    Placed *list = block_of(n, 1, sizeof *list);
    if (list == NULL) return PTRT_SHADOW_NOMEM;
    for (int64_t k = 0; k < n; k++)
        list[k] = (Placed){out->to[k], k};
    qsort(list, (size_t)n, sizeof *list, by_address);
    for (int64_t i = 0, end; i < n; i = end) {
        ptrt_num sum = ptrt_shadow_get(out->elem, list[i].to);
        for (end = i; end < n && list[end].to == list[i].to; end++) {
            const ptrt_num own = out->at[list[end].k];
            sum = (ptrt_num){sum.x + own.x, fmax(sum.err, own.err)};
        }
        for (int64_t k = i; k < end; k++)
            out->at[list[k].k] = sum;
    }
    return PTRT_SHADOW_DONE;
}

/* Stores a tile; `adds`: to what is there; `converts`: numbers, else bits. */
static ptrt_shadow_way store_to(const Job *j, int mem, bool adds, bool converts, bool relu) {
    const ptrt_tile *s = tile_arg(j, 0);
    ptrt_nums in;
    if (s->vrow == 0 || s->vcol == 0) return PTRT_SHADOW_STORED;
    TRY(read_tile(s, s->vrow, s->vcol, &in));
    TRY(view_part(j, j->args[mem].p, s, j->out));
    if (!converts && s->elem != j->out->elem) return PTRT_SHADOW_STORED;
    if (relu) rectify(&in);
    memcpy(j->out->at, in.at, (size_t)(in.rows * in.cols) * sizeof *in.at);
    return adds ? add_stored(j->out) : PTRT_SHADOW_DONE;
}

/* src mem */
static ptrt_shadow_way store(const Job *j) {
    return store_to(j, 1, false, false, false);
}
/* src mem atomicType */
static ptrt_shadow_way store_atomic(const Job *j) {
    return store_to(j, 1, j->args[2].i != PTRT_ATOMIC_NONE, false, false);
}
/* src - 0 mem atomicType relu */
static ptrt_shadow_way fix_store(const Job *j) {
    return store_to(j, 3, j->args[4].i != PTRT_ATOMIC_NONE, true, j->args[5].i != PTRT_NO_RELU);
}

/* Copies a region of a tile to one of another. */
static ptrt_shadow_way copy_part(const Job *j, ptrt_corner from, const ptrt_tile *d, ptrt_corner to,
                                 int64_t rows, int64_t cols) {
    ptrt_nums in;
    TRY(read_part(tile_arg(j, 0), from.r, from.c, rows, cols, &in));
    TRY(target_part(d, to.r, to.c, rows, cols, j->out));
    memcpy(j->out->at, in.at, (size_t)(rows * cols) * sizeof *in.at);
    return PTRT_SHADOW_DONE;
}

static ptrt_corner corner_arg(const Job *j) {
    return (ptrt_corner){j->args[1].i, j->args[2].i};
}

static const ptrt_corner start = {0, 0};

/* src row col dst */
static ptrt_shadow_way extract(const Job *j) {
    const ptrt_tile *d = tile_arg(j, 3);
    return copy_part(j, corner_arg(j), d, start, d->vrow, d->vcol);
}
/* The same, which moves bits where the types differ. */
static ptrt_shadow_way bits(const Job *j) {
    return tile_arg(j, 0)->elem == tile_arg(j, 3)->elem ? extract(j) : PTRT_SHADOW_STORED;
}
static ptrt_shadow_way insert(const Job *j) {
    const ptrt_tile *s = tile_arg(j, 0);
    return copy_part(j, start, tile_arg(j, 3), corner_arg(j), s->vrow, s->vcol);
}

/* Finds the destination of an accumulator: the tile, or that in the memory of the vector core which
 * the mode names. False: it is split. */
static bool accumulator_target(const Job *j, ptrt_tile *d) {
    const ptrt_tile *t = tile_arg(j, 5);
    const int64_t mode = j->args[6].i;
    *d = *t;
    if (t->space != PTRT_VEC || !j->core->cube || t->base != j->core->space[PTRT_VEC]) return true;
    ptrt_core *v0 = ptrt_peer(j->core, false, 0), *v1 = ptrt_peer(j->core, false, 1);
    if (v0 == NULL) return true;
    if (v1 != NULL && (mode == PTRT_SPLIT_ROWS || mode == PTRT_SPLIT_COLS)) return false;
    d->base = (mode == PTRT_TO_VECTOR1 && v1 != NULL ? v1 : v0)->space[PTRT_VEC];
    d->at = d->base + d->addr;
    return true;
}

/* src row col - 0 dst mode relu */
static ptrt_shadow_way fix_move(const Job *j) {
    ptrt_tile d;
    if (!accumulator_target(j, &d)) return PTRT_SHADOW_NONE;
    TRY(copy_part(j, corner_arg(j), &d, start, d.vrow, d.vcol));
    if (j->args[7].i != PTRT_NO_RELU) rectify(j->out);
    return PTRT_SHADOW_DONE;
}
static ptrt_shadow_way fix_insert(const Job *j) {
    const ptrt_tile *s = tile_arg(j, 0);
    ptrt_tile d;
    if (!accumulator_target(j, &d)) return PTRT_SHADOW_NONE;
    TRY(copy_part(j, start, &d, corner_arg(j), s->vrow, s->vcol));
    if (j->args[7].i != PTRT_NO_RELU) rectify(j->out);
    return PTRT_SHADOW_DONE;
}

/* src dst pad: what is not valid in src is padded */
static ptrt_shadow_way fillpad(const Job *j) {
    const ptrt_tile *s = tile_arg(j, 0), *d = tile_arg(j, 1);
    if (d->vrow == 0 || d->vcol == 0) return PTRT_SHADOW_STORED;
    return copy_part(j, start, d, start, s->vcol > 0 ? s->vrow : 0, s->vcol);
}

/* src dst */
static ptrt_shadow_way transpose(const Job *j) {
    const ptrt_tile *s = tile_arg(j, 0), *d = tile_arg(j, 1);
    ptrt_nums in;
    TRY(read_tile(s, s->vrow, s->vcol, &in));
    TRY(target_part(d, 0, 0, s->vcol, s->vrow, j->out));
    for (int64_t r = 0; r < s->vrow; r++)
        for (int64_t c = 0; c < s->vcol; c++)
            j->out->at[c * s->vrow + r] = in.at[r * s->vcol + c];
    return PTRT_SHADOW_DONE;
}

/* src0 src1 dst: side by side */
static ptrt_shadow_way concat(const Job *j) {
    const ptrt_tile *s[] = {tile_arg(j, 0), tile_arg(j, 1)}, *d = tile_arg(j, 2);
    const int64_t cols = s[0]->vcol + s[1]->vcol;
    ptrt_nums in[2];
    for (int i = 0; i < 2; i++)
        TRY(read_tile(s[i], d->vrow, s[i]->vcol, &in[i]));
    TRY(target_part(d, 0, 0, d->vrow, cols, j->out));
    for (int64_t r = 0; r < d->vrow; r++)
        for (int64_t c = 0; c < cols; c++) {
            const int i = c >= s[0]->vcol;
            j->out->at[r * cols + c] = in[i].at[r * in[i].cols + c - (i ? s[0]->vcol : 0)];
        }
    return PTRT_SHADOW_DONE;
}

/* ---- gathers ---- */

/* src indices dst: elements of the shape of src, by their number in it; 0 where there is none */
static ptrt_shadow_way gather(const Job *j) {
    const ptrt_tile *s = tile_arg(j, 0), *i = tile_arg(j, 1), *d = tile_arg(j, 2);
    ptrt_nums from, at;
    TRY(read_tile(s, s->rows, s->cols, &from));
    TRY(read_tile(i, d->vrow, d->vcol, &at));
    TRY(target_tile(j, d));
    for (int64_t k = 0; k < d->vrow * d->vcol; k++) {
        const double n = at.at[k].x;
        if (n >= 0 && n < (double)(s->rows * s->cols)) j->out->at[k] = from.at[(int64_t)n];
    }
    return PTRT_SHADOW_DONE;
}

/* Whether a pattern of ptort_kernels.def selects a row or column: one bit for each of four. */
static bool is_selected(int64_t pattern, int64_t i) {
    static const unsigned char bits[] = {0, 0x5, 0xA, 0x1, 0x2, 0x4, 0x8, 0xF};
    return pattern > 0 && pattern < 8 && (bits[pattern] >> i % 4 & 1) != 0;
}

/* src dst pattern rows: the selected columns, or rows, one after the other */
static ptrt_shadow_way gather_mask(const Job *j) {
    const ptrt_tile *s = tile_arg(j, 0), *d = tile_arg(j, 1);
    const bool rows = j->args[3].i != 0;
    const int64_t all = rows ? s->vrow : s->vcol;
    int64_t n = 0;
    ptrt_nums in;
    for (int64_t i = 0; i < all; i++)
        n += is_selected(j->args[2].i, i);
    TRY(read_tile(s, s->vrow, s->vcol, &in));
    TRY(target_part(d, 0, 0, rows ? n : s->vrow, rows ? s->vcol : n, j->out));
    ptrt_num *to = j->out->at;
    for (int64_t r = 0; r < s->vrow; r++)
        for (int64_t c = 0; c < s->vcol; c++)
            if (is_selected(j->args[2].i, rows ? r : c)) *to++ = in.at[r * s->vcol + c];
    return PTRT_SHADOW_DONE;
}

/* Reads what one number for each row, or one for each column of one row, is at an element: past the
 * end, the last one. */
static ptrt_num factor_at(const ptrt_nums *n, int64_t r, int64_t c) {
    return n->at[(r < n->rows ? r : n->rows - 1) * n->cols + (c < n->cols ? c : n->cols - 1)];
}

/* src scale offset dst, with factors for columns that scale has */
static ptrt_shadow_way dequant(const Job *j) {
    const ptrt_tile *f[] = {tile_arg(j, 1), tile_arg(j, 2)}, *d = tile_arg(j, 3);
    const int64_t cols = f[0]->vcol > 0 ? f[0]->vcol : 1;
    ptrt_nums in, by[2];
    if (d->vrow == 0 || d->vcol == 0 || f[0]->vrow == 0 || f[1]->vrow == 0)
        return PTRT_SHADOW_STORED;
    TRY(read_tile(tile_arg(j, 0), d->vrow, d->vcol, &in));
    for (int i = 0; i < 2; i++)
        TRY(read_tile(f[i], f[i]->vrow, cols, &by[i]));
    TRY(target_tile(j, d));
    for (int64_t r = 0; r < d->vrow; r++)
        for (int64_t c = 0; c < d->vcol; c++) {
            const ptrt_num scale = factor_at(&by[0], r, c), offset = factor_at(&by[1], r, c);
            j->out->at[r * d->vcol + c] = apply(j, in.at[r * d->vcol + c], &scale, &offset);
        }
    return PTRT_SHADOW_DONE;
}

/* ---- matrix products ---- */

static ptrt_num product_at(const Job *j, const ptrt_nums *a, const ptrt_nums *b, int64_t r,
                           int64_t c, ptrt_num sum) {
    for (int64_t k = 0; k < a->cols; k++) {
        const ptrt_num term = apply(j, a->at[r * a->cols + k], &b->at[k * b->cols + c], NULL);
        sum = (ptrt_num){sum.x + term.x, fmax(sum.err, term.err)};
    }
    return sum;
}

/* sum lhs rhs bias dst, without sum or bias, or both */
static ptrt_shadow_way product(const Job *j) {
    const ptrt_tile *acc = tile_arg(j, 0), *a = tile_arg(j, 1), *b = tile_arg(j, 2),
                    *bias = tile_arg(j, 3);
    const int64_t m = a->vrow, n = b->vcol;
    ptrt_nums left, right, sum = {0}, row = {0};
    TRY(read_tile(a, m, a->vcol, &left));
    TRY(read_tile(b, a->vcol, n, &right));
    if (acc != NULL) TRY(read_tile(acc, m, n, &sum));
    if (bias != NULL) TRY(read_tile(bias, 1, n, &row));
    TRY(target_part(tile_arg(j, 4), 0, 0, m, n, j->out));
    for (int64_t r = 0; r < m; r++)
        for (int64_t c = 0; c < n; c++) {
            ptrt_num first = {0, 0};
            if (acc != NULL) first = sum.at[r * n + c];
            if (bias != NULL) first = row.at[c];
            j->out->at[r * n + c] = product_at(j, &left, &right, r, c, first);
        }
    return PTRT_SHADOW_DONE;
}

/* ---- rows ---- */

#define SHADOW(id, shape, formula)                                                                 \
    static double formula_##id(double a, double b, double c) {                                     \
        (void)a, (void)b, (void)c;                                                                 \
        return formula;                                                                            \
    }
#include "shadow/ops.def"

static const struct {
    Shape shape;
    Formula formula;
} ops[PTRT_KERNELS] = {
#define SHADOW(id, form, text) [PTRT_##id] = {form, formula_##id},
#include "shadow/ops.def"
};

ptrt_shadow_way ptrt_shadow_apply(ptrt_core *core, uint32_t line, int kernel,
                                  const ptrt_shadow_arg *args, ptrt_nums *out) {
    ptrt_shadow_drop();
    *out = (ptrt_nums){.rows = 0};
    if (kernel <= 0 || kernel >= PTRT_KERNELS || ops[kernel].shape == NULL) return PTRT_SHADOW_NONE;
    const Job j = {core, line, kernel, args, ops[kernel].formula, out};
    return ops[kernel].shape(&j);
}
