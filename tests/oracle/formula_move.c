/* SPDX-License-Identifier: Apache-2.0 */
/* formula_move.c - fills, loads, stores and padding. */
#define ORACLE_FAMILY "move"
#include "matrix.h"

DRIVER(fill, "ed", is_real(c) ? ptrt_fill_f(HEAD, F(0), T(1)) : ptrt_fill_i(HEAD, I(0), T(1)));
DRIVER(tri, "ida", ptrt_tri(HEAD, I(0), T(1), A(2)));
DRIVER(load, "vd", ptrt_load(HEAD, V(0), T(1)));
DRIVER(store, "tw", ptrt_store(HEAD, T(0), V(1)));
DRIVER(store_atomic, "twa", ptrt_store_atomic(HEAD, T(0), V(1), A(2)));
DRIVER(fillpad, "tda", ptrt_fillpad(HEAD, T(0), T(1), A(2)));

/* ---- values from nothing ---- */

/* In mat the whole shape is filled. */
static bool plan_fill(Case *c) {
    if (c->number % 5 == 0) c->arg[1].space = PTRT_MAT;
    return true;
}

static void expect_fill(Case *c) {
    const Arg *d = &c->arg[1];
    bool all = d->space == PTRT_MAT;
    for (int64_t r = 0; r < (all ? d->rows : d->vrow); r++)
        for (int64_t k = 0; k < (all ? d->cols : d->vcol); k++)
            put(c, 1, r, k, c->arg[0].value);
}

static void expect_tri(Case *c) {
    const Arg *d = &c->arg[1];
    int64_t diagonal = c->arg[0].i, far = 1 << 20;
    diagonal = diagonal > far ? far : diagonal < -far ? -far : diagonal;
    for (int64_t r = 0; r < d->vrow; r++) {
        for (int64_t k = 0; k < d->vcol; k++) {
            bool one = c->arg[2].i != 0 ? k >= r + diagonal : k <= r + diagonal;
            put(c, 1, r, k, (Num){one, one});
        }
    }
}

FORMULA(TEXPANDS, .plan = plan_fill, .expect = expect_fill);
FORMULA(
    TTRI, .expect = expect_tri,
    .ints = {
        [0] = INTS(0, 1, -1, 5, -7, 31, 63, -300, 1000, INT64_MAX, INT64_MIN), [2] = INTS(0, 1)});

/* ---- pads ---- */

static uint64_t pad_bits(int elem, int64_t pad) {
    uint64_t code = pad == PTRT_PAD_MAX ? code_max(elem) : pad == PTRT_PAD_MIN ? code_min(elem) : 0;
    uint64_t bits = 0;
    for (int lane = 0; lane < elem_lanes(elem); lane++)
        bits = lane_put(elem, bits, lane, code);
    return bits;
}

/* The shape of the destination outside rows x cols. */
static void pad_rest(Case *c, int dst, int64_t rows, int64_t cols, int64_t pad) {
    const Arg *d = &c->arg[dst];
    uint64_t bits = pad_bits(d->elem, pad);
    for (int64_t r = 0; r < d->rows; r++)
        for (int64_t k = 0; k < d->cols; k++)
            if (r >= rows || k >= cols) put_bits(c, dst, r, k, bits);
}

/* ---- loads and stores ---- */

static bool plan_load(Case *c) {
    c->arg[1].pad = (uint8_t)random_below(&c->random, 4);
    if (c->number % 7 == 0) c->arg[1].space = PTRT_MAT;
    use_any_view(c, 0, c->vrow, c->vcol);
    return true;
}

static void expect_load(Case *c) {
    const Arg *d = &c->arg[1];
    for (int64_t r = 0; r < d->vrow; r++)
        for (int64_t k = 0; k < d->vcol; k++)
            put_bits(c, 1, r, k, get_bits(c, 0, r, k));
    if (d->pad != PTRT_PAD_NULL) pad_rest(c, 1, d->vcol > 0 ? d->vrow : 0, d->vcol, d->pad);
}

static bool plan_store(Case *c) {
    if (c->number % 7 == 0) c->arg[0].space = PTRT_MAT;
    use_any_view(c, 1, c->vrow, c->vcol);
    return true;
}

static void expect_store(Case *c) {
    const Arg *s = &c->arg[0];
    for (int64_t r = 0; r < s->vrow; r++)
        for (int64_t k = 0; k < s->vcol; k++)
            put_bits(c, 1, r, k, get_bits(c, 0, r, k));
}

FORMULA(TLOAD, .plan = plan_load, .expect = expect_load, .exact = true);
/* Sums of global memory, in its element type, which the tile's need not be. */
static bool plan_atomic(Case *c) {
    static const uint8_t same_size[][2] = {
        {PTRT_U8, PTRT_I8}, {PTRT_F16, PTRT_I16}, {PTRT_I32, PTRT_F32}};
    const uint32_t size = elem_bytes(c->e1);
    c->arg[0].elem = c->number % 3 == 0 ? same_size[size / 2][c->number % 2] : c->e1;
    use_int(c, 2, PTRT_ATOMIC_ADD);
    return plan_store(c);
}

static void expect_atomic(Case *c) {
    const Arg *s = &c->arg[0];
    for (int64_t r = 0; r < s->vrow; r++)
        for (int64_t k = 0; k < s->vcol; k++) {
            const Num old = get(c, 1, r, k), added = num_of(c->e1, get_bits(c, 0, r, k));
            put(c, 1, r, k, is_real(c) ? real(single(old.f + added.f)) : wrap_add(old.i, added.i));
        }
}

FORMULA(TSTORE_ATOMIC, .plan = plan_atomic, .expect = expect_atomic);
FORMULA(TSTORE, .plan = plan_store, .expect = expect_store, .exact = true);

/* ---- tfillpad ---- */

/* The destination's shape is at least the source's, in every layout. */
static bool plan_fillpad(Case *c) {
    Arg *s = &c->arg[0], *d = &c->arg[1];
    s->align_rows = d->align_rows = 32;
    s->align_cols = d->align_cols = 32;
    s->no_window = d->keep_shape = true;
    d->rows = s->rows + 32 * random_below(&c->random, 2);
    d->cols = s->cols + 32 * random_below(&c->random, 2);
    d->vrow = random_below(&c->random, 4) == 0 ? random_below(&c->random, d->rows + 1) : d->rows;
    d->vcol = d->cols;
    d->pad = (uint8_t)random_below(&c->random, 4);
    return d->rows * d->cols <= 8192;
}

static void expect_fillpad(Case *c) {
    const Arg *s = &c->arg[0], *d = &c->arg[1];
    int64_t rows = s->vcol > 0 ? s->vrow : 0;
    if (d->vrow == 0 || d->vcol == 0) return;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < s->vcol; k++)
            put_bits(c, 1, r, k, get_bits(c, 0, r, k));
    pad_rest(c, 1, rows, s->vcol, c->arg[2].i == PTRT_ABSENT ? d->pad : c->arg[2].i);
}

#define FILLPAD(ID)                                                                                \
    FORMULA(ID, .plan = plan_fillpad, .expect = expect_fillpad, .exact = true,                     \
            .ints = {[2] = INTS(PTRT_ABSENT, 0, 1, 2, 3)})
FILLPAD(TFILLPAD);
FILLPAD(TFILLPAD_EXPAND);
FILLPAD(TFILLPAD_INPLACE);

/* ---- moves between tiles ---- */

DRIVER(move, "tiid", ptrt_move(HEAD, T(0), I(1), I(2), T(3)));
DRIVER(move_zz, "tsda", ptrt_move_zz(HEAD, T(0), T(1), T(2), A(3)));
DRIVER(transpose, "td", ptrt_transpose(HEAD, T(0), T(1)));

/* Between any two spaces. */
static void choose_spaces(Case *c, int src, int dst) {
    static const int8_t pairs[][2] = {
        {PTRT_VEC, PTRT_VEC}, {PTRT_MAT, PTRT_LEFT}, {PTRT_MAT, PTRT_RIGHT}, {PTRT_VEC, PTRT_MAT}};
    const int8_t *pair = pairs[c->number / 3 % 4];
    c->arg[src].space = pair[0];
    c->arg[dst].space = pair[1];
}

/* The window starts anywhere in the larger tile; now and then it leaves it. */
static bool plan_window(Case *c, int part, int whole_tile) {
    Arg *p = &c->arg[part], *w = &c->arg[whole_tile];
    int64_t row = random_below(&c->random, 20), col = random_below(&c->random, 40);
    choose_spaces(c, 0, 3);
    w->rows = p->rows + row;
    w->cols = p->cols + col;
    w->vrow = random_below(&c->random, w->rows + 1);
    w->vcol = random_below(&c->random, w->cols + 1);
    w->keep_shape = true;
    if (c->number % 16 == 5) row = random_below(&c->random, 3) == 0 ? -1 : w->rows + 16;
    if (c->number % 16 == 13) col = random_below(&c->random, 3) == 0 ? INT64_MIN : INT64_MAX - 2;
    use_int(c, 1, row);
    use_int(c, 2, col);
    return w->rows * w->cols <= 8192;
}

static bool plan_extract(Case *c) {
    return plan_window(c, 3, 0);
}

static bool plan_insert(Case *c) {
    return plan_window(c, 0, 3);
}

static bool plan_mov(Case *c) {
    choose_spaces(c, 0, 3);
    c->exact = elem_bytes(c->e1) == elem_bytes(c->e2);
    return true;
}

/* One element: bits, or the wider type's code for the same value. */
static void move_element(Case *c, int64_t r, int64_t k, int64_t dr, int64_t dk) {
    uint64_t bits = get_bits(c, 0, r, k);
    if (c->arg[0].size != c->arg[3].size) bits = code_of(c->arg[3].elem, get(c, 0, r, k));
    put_bits(c, 3, dr, dk, bits);
}

/* The window lies in the shape of the larger tile, or the call is refused; an empty one may be
 * anywhere. */
static bool window_fits(Case *c, const Arg *part, const Arg *whole_tile) {
    int64_t row = c->arg[1].i, col = c->arg[2].i;
    if (part->vrow == 0 || part->vcol == 0) return false; /* nothing is accessed */
    bool fits = row >= 0 && col >= 0 && row <= whole_tile->rows - part->vrow &&
                col <= whole_tile->cols - part->vcol;
    if (!fits) c->want_code = PTRT_E_BOUNDS;
    return fits;
}

static void expect_extract(Case *c) {
    const Arg *d = &c->arg[3];
    if (!window_fits(c, d, &c->arg[0])) return;
    for (int64_t r = 0; r < d->vrow; r++)
        for (int64_t k = 0; k < d->vcol; k++)
            move_element(c, c->arg[1].i + r, c->arg[2].i + k, r, k);
}

static void expect_insert(Case *c) {
    const Arg *s = &c->arg[0];
    if (!window_fits(c, s, &c->arg[3])) return;
    for (int64_t r = 0; r < s->vrow; r++)
        for (int64_t k = 0; k < s->vcol; k++)
            move_element(c, r, k, c->arg[1].i + r, c->arg[2].i + k);
}

/* The memory of dst, in the order of mx products: 16 x 2 elements after one another. Plans leave
 * dst rows without gaps, in which such an order can be said. */
static bool plan_zz(Case *c) {
    Arg *s = &c->arg[0], *t = &c->arg[1], *d = &c->arg[2];
    const bool turned = c->arg[3].i == 0;
    int64_t rows = 1 + random_below(&c->random, 40), cols = 2 + 2 * random_below(&c->random, 8);
    s->no_window = d->no_window = d->keep_shape = true;
    d->layouts = 1u << LAY_ND;
    d->cols = d->align_cols = 32;
    d->rows = (rows + 15) / 16 * 16 * cols / 32 + 1;
    d->vrow = rows;
    d->vcol = cols;
    if (d->rows < rows) d->rows = rows;
    s->rows = s->vrow = turned ? cols : rows;
    s->cols = s->vcol = turned ? rows : cols;
    if (!turned && c->number % 3 == 0) {
        s->rows = s->vrow = 1;
        s->cols = s->vcol = rows * cols;
    }
    if (c->number % 16 == 9) s->vrow -= 1;
    t->rows = t->vrow = 1;
    t->cols = t->vcol = 32;
    return true;
}

static void expect_zz(Case *c) {
    const Arg *s = &c->arg[0], *d = &c->arg[2];
    const bool turned = c->arg[3].i == 0;
    const int64_t rows = turned ? s->vcol : d->vrow, cols = turned ? s->vrow : d->vcol;
    if (cols % 2 != 0 || s->vrow * s->vcol != d->vrow * d->vcol) {
        c->want_code = PTRT_E_VALID;
        return;
    }
    for (int64_t r = 0; r < (rows + 15) / 16 * 16; r++)
        for (int64_t k = 0; k < cols; k++) {
            const int64_t i = r * cols + k;
            const int64_t at = r / 16 * 16 * cols + k / 2 * 32 + r % 16 * 2 + k % 2;
            uint64_t bits = r >= rows ? 0
                            : turned  ? get_bits(c, 0, k, r)
                                      : get_bits(c, 0, i / s->vcol, i % s->vcol);
            put_bits(c, 2, at / d->cols, at % d->cols, bits);
        }
}

FORMULA(TMOV_ZZ, .plan = plan_zz, .expect = expect_zz, .exact = true, .ints = {[3] = INTS(0, 1)});

/* The source's valid region, turned; the destination's own does not matter. */
static bool plan_transpose(Case *c) {
    Arg *s = &c->arg[0], *d = &c->arg[1];
    d->rows = s->cols;
    d->cols = s->rows;
    d->vrow = random_below(&c->random, 4) == 0 ? d->rows : s->vcol;
    d->vcol = s->vrow;
    d->keep_shape = true;
    return true;
}

static void expect_transpose(Case *c) {
    const Arg *s = &c->arg[0], *d = &c->arg[1];
    if (s->vrow == 0 || s->vcol == 0) return;
    if (s->vcol > d->rows || s->vrow > d->cols) c->want_code = PTRT_E_BOUNDS;
    for (int64_t r = 0; r < s->vrow && c->want_code == PTRT_OK; r++)
        for (int64_t k = 0; k < s->vcol; k++)
            put_bits(c, 1, k, r, get_bits(c, 0, r, k));
}

#define MOVE(ID) FORMULA(ID, .plan = plan_mov, .expect = expect_extract)
MOVE(TMOV);
MOVE(TMOV_M2L);
MOVE(TMOV_M2R);
MOVE(TMOV_M2B);
MOVE(TMOV_M2S);
MOVE(TMOV_V2V);
MOVE(TMOV_S2D);
FORMULA(TEXTRACT, .plan = plan_extract, .expect = expect_extract, .exact = true);
FORMULA(TINSERT, .plan = plan_insert, .expect = expect_insert, .exact = true);
FORMULA(TTRANS, .plan = plan_transpose, .expect = expect_transpose, .exact = true);

/* ---- side by side ---- */

DRIVER(concat, "ttd", ptrt_concat(HEAD, T(0), T(1), T(2)));
DRIVER(concatidx, "ttttd", ptrt_concatidx(HEAD, T(0), T(1), T(2), T(3), T(4)));
DRIVER(interleave, "ttdd", ptrt_interleave(HEAD, T(0), T(1), T(2), T(3)));
DRIVER(deinterleave, "ttdd", ptrt_deinterleave(HEAD, T(0), T(1), T(2), T(3)));

static bool plan_parts(Case *c, int dst) {
    Arg *b = &c->arg[1], *d = &c->arg[dst];
    b->vcol = random_below(&c->random, b->cols + 1);
    d->cols = c->arg[0].cols + b->cols;
    d->keep_shape = true;
    return d->rows * d->cols <= 8192;
}

static bool plan_concat(Case *c) {
    return plan_parts(c, 2);
}

static void expect_concat(Case *c) {
    const Arg *a = &c->arg[0], *b = &c->arg[1], *d = &c->arg[2];
    if (d->cols < a->vcol + b->vcol) {
        c->want_code = PTRT_E_VALID;
        return;
    }
    for (int64_t r = 0; r < d->vrow; r++)
        for (int64_t k = 0; k < a->vcol + b->vcol; k++)
            put_bits(c, 2, r, k,
                     k < a->vcol ? get_bits(c, 0, r, k) : get_bits(c, 1, r, k - a->vcol));
}
FORMULA(TCONCAT, .plan = plan_concat, .expect = expect_concat, .exact = true);

static bool plan_concatidx(Case *c) {
    static const int elems[] = {PTRT_I8, PTRT_I16, PTRT_I32, PTRT_U16};
    for (int k = 2; k < 4; k++) {
        c->arg[k].elem = elems[c->number % 4];
        c->arg[k].cols = 1 + random_below(&c->random, 3);
        c->arg[k].vcol = c->arg[k].cols;
    }
    if (!plan_parts(c, 4)) return false;
    c->arg[4].vcol = random_below(&c->random, c->arg[4].cols + 1);
    return true;
}

/* Counts of bytes, some of them negative or too large. */
static void fill_concatidx(Case *c) {
    for (int k = 2; k < 4; k++)
        for (int64_t r = 0; r < c->arg[k].rows; r++)
            for (int64_t j = 0; j < c->arg[k].cols; j++)
                set(c, k, r, j, whole(random_below(&c->random, 130) - 10));
}

static int64_t clipped_count(const Case *c, int k, int64_t r, int64_t room) {
    int64_t n = get(c, k, r, 0).i;
    n = n < 0 ? 0 : n / elem_bytes(c->arg[k].elem);
    if (n > c->arg[k - 2].vcol) n = c->arg[k - 2].vcol;
    return n > room ? room : n;
}

static void expect_concatidx(Case *c) {
    const Arg *d = &c->arg[4];
    for (int64_t r = 0; r < d->vrow; r++) {
        const int64_t n = clipped_count(c, 2, r, d->vcol);
        const int64_t m = clipped_count(c, 3, r, d->vcol - n);
        for (int64_t k = 0; k < n + m; k++)
            put_bits(c, 4, r, k, k < n ? get_bits(c, 0, r, k) : get_bits(c, 1, r, k - n));
    }
}
FORMULA(TCONCATIDX, .plan = plan_concatidx, .fill = fill_concatidx, .expect = expect_concatidx,
        .exact = true);

/* Both destinations apart from each other: only the first one is placed over a source. */
static bool plan_shuffle(Case *c) {
    c->arg[2].vcol = c->arg[3].vcol = c->vcol / 2 * 2;
    c->arg[2].keep_shape = c->arg[3].keep_shape = true;
    return true;
}

static bool plan_split(Case *c) {
    c->arg[0].cols = 2 * c->cols;
    c->arg[0].vcol = 2 * (c->vcol / 2 * 2);
    return plan_shuffle(c) && c->arg[0].cols * c->rows <= 8192;
}

static void expect_interleave(Case *c) {
    const Arg *d = &c->arg[2];
    for (int64_t r = 0; r < d->vrow; r++)
        for (int64_t k = 0; k < 2 * d->vcol; k++)
            put_bits(c, 2 + (k >= d->vcol), r, k % d->vcol, get_bits(c, (int)(k % 2), r, k / 2));
}

static void expect_deinterleave(Case *c) {
    const Arg *d = &c->arg[2];
    const bool one = c->arg[1].absent;
    for (int64_t r = 0; r < d->vrow; r++)
        for (int64_t k = 0; k < 2 * d->vcol; k++)
            put_bits(c, 2 + (int)(k % 2), r, k / 2,
                     one ? get_bits(c, 0, r, k) : get_bits(c, k >= d->vcol, r, k % d->vcol));
}
FORMULA(TINTERLEAVE, .plan = plan_shuffle, .expect = expect_interleave, .exact = true);
FORMULA(TDEINTERLEAVE, .plan = plan_shuffle, .expect = expect_deinterleave, .exact = true);
FORMULA(TDEINTERLEAVE_ONE, .plan = plan_split, .expect = expect_deinterleave, .exact = true);
