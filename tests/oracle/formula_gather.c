/* SPDX-License-Identifier: Apache-2.0 */
/* formula_gather.c - gathers and scatters: by index, by byte offset, by pattern, by comparison. */
#define ORACLE_FAMILY "gather"
#include "context.h"

#include <math.h>

DRIVER(gather, "ttd", ptrt_gather(HEAD, T(0), T(1), T(2)));
DRIVER(gatherb, "ttd", ptrt_gatherb(HEAD, T(0), T(1), T(2)));
DRIVER(gathermask, "tdaa", ptrt_gathermask(HEAD, T(0), T(1), A(2), A(3)));
DRIVER(gathercmp, "tedRaaa",
       is_real(c) ? ptrt_gathercmp_f(HEAD, T(0), F(1), T(2), T(3), A(4), A(5), A(6))
                  : ptrt_gathercmp_i(HEAD, T(0), I(1), T(2), T(3), A(4), A(5), A(6)));
DRIVER(scatter, "ttu", ptrt_scatter(HEAD, T(0), T(1), T(2)));
DRIVER(scattermask, "tdaa", ptrt_scattermask(HEAD, T(0), T(1), A(2), A(3)));

/* ---- by index ---- */

static void choose_index_type(Case *c, int k) {
    static const int elems[] = {PTRT_I32, PTRT_U32, PTRT_I16, PTRT_U16};
    c->arg[k].elem = elems[c->number / 3 % 4];
}

/* A table of any extents. */
static void choose_table(Case *c, Arg *t) {
    t->rows = 1 + random_below(&c->random, 24);
    t->cols = 1 + random_below(&c->random, 90);
    t->vrow = random_below(&c->random, t->rows + 1);
    t->vcol = random_below(&c->random, t->cols + 1);
}

/* Most lie in the table, some rows have one that does not. */
static void fill_indices(Case *c, int k, const Arg *table) {
    const Arg *a = &c->arg[k];
    const int64_t n = table->rows * table->cols;
    const bool wild = random_below(&c->random, 3) == 0;
    for (int64_t r = 0; r < a->rows; r++) {
        for (int64_t col = 0; col < a->cols; col++) {
            int64_t v = random_below(&c->random, n);
            if (wild && random_below(&c->random, 40) == 0) {
                const int64_t far[] = {n, n - 1, -1, n + 7, INT32_MIN, INT16_MIN, INT32_MAX};
                v = far[random_below(&c->random, 7)];
            }
            set(c, k, r, col, whole(v));
        }
    }
}

/* As unsigned numbers; -1 is beyond everything where it is not. */
static int64_t index_at(const Case *c, int k, int64_t r, int64_t col) {
    const int64_t v = get(c, k, r, col).i;
    return v < 0 ? INT64_MAX : v;
}

static bool plan_gather(Case *c) {
    choose_index_type(c, 1);
    choose_table(c, &c->arg[0]);
    c->arg[0].keep_shape = true;
    return true;
}

static void fill_gather(Case *c) {
    fill_indices(c, 1, &c->arg[0]);
}

static void expect_gather(Case *c) {
    const Arg *s = &c->arg[0], *d = &c->arg[2];
    for (int64_t r = 0; r < d->vrow; r++) {
        for (int64_t k = 0; k < d->vcol; k++) {
            const int64_t i = index_at(c, 1, r, k);
            const bool inside = i < s->rows * s->cols;
            put_bits(c, 2, r, k, inside ? get_bits(c, 0, i / s->cols, i % s->cols) : 0);
            if (!inside) c->want_checked = PTRT_E_BOUNDS;
        }
    }
}
FORMULA(TGATHER, .plan = plan_gather, .fill = fill_gather, .expect = expect_gather, .exact = true);

static bool plan_scatter(Case *c) {
    choose_index_type(c, 1);
    choose_table(c, &c->arg[2]);
    c->arg[2].keep_shape = true;
    return true;
}

static void fill_scatter(Case *c) {
    fill_indices(c, 1, &c->arg[2]);
}

static int64_t unsigned_index(const Case *c, int64_t r, int64_t col) {
    const int64_t v = get(c, 1, r, col).i;
    return elem_bytes(c->arg[1].elem) == 2 ? v & 0xFFFF : v & 0xFFFFFFFF;
}

static void expect_scatter(Case *c) {
    const Arg *i = &c->arg[1], *d = &c->arg[2];
    if (i->vrow == 0 || i->vcol == 0) return;
    for (int64_t n = 0; n < d->rows * d->cols; n++)
        put_bits(c, 2, n / d->cols, n % d->cols, 0);
    for (int64_t r = 0; r < i->vrow; r++) {
        for (int64_t k = 0; k < i->vcol; k++) {
            const int64_t n = unsigned_index(c, r, k);
            if (n < d->rows * d->cols)
                put_bits(c, 2, n / d->cols, n % d->cols, get_bits(c, 0, r, k));
            else
                c->want_checked = PTRT_E_BOUNDS;
        }
    }
}
FORMULA(TSCATTER, .plan = plan_scatter, .fill = fill_scatter, .expect = expect_scatter,
        .exact = true);

/* ---- by byte offset ---- */

/* Blocks of 32 bytes are seen element by element here: rows of plain layouts. */
static bool plan_gatherb(Case *c) {
    Arg *s = &c->arg[0], *o = &c->arg[1], *d = &c->arg[2];
    const int64_t size = elem_bytes(c->e1);
    o->elem = c->number % 2 ? PTRT_U32 : PTRT_I32;
    choose_table(c, s);
    s->layouts = 1 << LAY_ND;
    s->no_window = true;
    s->keep_shape = true;
    s->cols = (s->cols + 31) / 32 * 32;
    o->cols = d->vcol * size / 32 + 1;
    o->keep_shape = true;
    o->vcol = random_below(&c->random, o->cols);
    return true;
}

static void fill_offsets(Case *c) {
    const Arg *s = &c->arg[0], *o = &c->arg[1];
    const int64_t all = s->rows * s->cols * elem_bytes(s->elem);
    for (int64_t r = 0; r < o->rows; r++)
        for (int64_t k = 0; k < o->cols; k++)
            set(c, 1, r, k,
                whole(random_below(&c->random, 8) == 0 ? all - 40 + random_below(&c->random, 80)
                                                       : random_below(&c->random, all)));
}

static void expect_gatherb(Case *c) {
    const Arg *s = &c->arg[0], *d = &c->arg[2];
    const int64_t size = elem_bytes(c->e1), per = 32 / size;
    const int64_t all = s->rows * s->cols * size;
    for (int64_t r = 0; r < d->vrow; r++) {
        for (int64_t k = 0; k < d->vcol / per * per; k++) {
            const int64_t at = (int64_t)((uint64_t)get(c, 1, r, k / per).i & 0xFFFFFFFF);
            if (at + 32 > all) {
                c->want_checked = PTRT_E_BOUNDS;
                continue;
            }
            uint64_t bits = 0;
            for (int64_t b = 0; b < size; b++) {
                const int64_t byte = at + k % per * size + b, e = byte / size;
                bits |= (get_bits(c, 0, e / s->cols, e % s->cols) >> 8 * (byte % size) & 0xFF)
                        << 8 * b;
            }
            put_bits(c, 2, r, k, bits);
        }
    }
}
FORMULA(TGATHERB, .plan = plan_gatherb, .fill = fill_offsets, .expect = expect_gatherb,
        .exact = true);

/* ---- by pattern ---- */

/* Positions of 0 .. 3 that a pattern selects, as written. */
static bool selects(int64_t pattern, int64_t position) {
    static const char *const digits[] = {"",     "0101", "1010", "0001",
                                         "0010", "0100", "1000", "1111"};
    return digits[pattern][3 - position % 4] == '1';
}

static int64_t factor_of(int64_t pattern) {
    return pattern == 7 ? 1 : pattern < 3 ? 2 : 4;
}

static bool plan_gathermask(Case *c) {
    Arg *s = &c->arg[0];
    const int64_t factor = factor_of(c->arg[2].i);
    const bool by_row = c->arg[3].i != 0;
    s->rows = c->rows * (by_row ? factor : 1);
    s->cols = c->cols * (by_row ? 1 : factor);
    s->vrow = c->vrow * (by_row ? factor : 1);
    s->vcol = c->vcol * (by_row ? 1 : factor);
    return s->rows * s->cols <= 8192;
}

static void expect_gathermask(Case *c) {
    const Arg *s = &c->arg[0];
    const bool by_row = c->arg[3].i != 0;
    int64_t n = 0;
    for (int64_t from = 0; from < (by_row ? s->vrow : s->vcol); from++) {
        if (!selects(c->arg[2].i, from)) continue;
        for (int64_t k = 0; k < (by_row ? s->vcol : s->vrow); k++)
            if (by_row)
                put_bits(c, 1, n, k, get_bits(c, 0, from, k));
            else
                put_bits(c, 1, k, n, get_bits(c, 0, k, from));
        n++;
    }
}

static bool plan_scattermask(Case *c) {
    Arg *d = &c->arg[1];
    const int64_t factor = factor_of(c->arg[2].i);
    const bool by_row = c->arg[3].i != 0;
    d->rows = c->rows * (by_row ? factor : 1);
    d->cols = c->cols * (by_row ? 1 : factor);
    d->vrow = c->vrow * (by_row ? factor : 1);
    d->vcol = c->vcol * (by_row ? 1 : factor);
    return d->rows * d->cols <= 8192;
}

static void expect_scattermask(Case *c) {
    const Arg *d = &c->arg[1];
    const bool by_row = c->arg[3].i != 0;
    int64_t n = 0;
    for (int64_t to = 0; to < (by_row ? d->vrow : d->vcol); to++) {
        const bool taken = selects(c->arg[2].i, to);
        for (int64_t k = 0; k < (by_row ? d->vcol : d->vrow); k++)
            if (by_row)
                put_bits(c, 1, to, k, taken ? get_bits(c, 0, n, k) : 0);
            else
                put_bits(c, 1, k, to, taken ? get_bits(c, 0, k, n) : 0);
        n += taken;
    }
}

#define PATTERNS INTS(1, 2, 3, 4, 5, 6, 7)
FORMULA(TGATHER_ROWS, .plan = plan_gathermask, .expect = expect_gathermask, .exact = true,
        .ints = {[2] = PATTERNS});
FORMULA(TGATHER_COLS, .plan = plan_gathermask, .expect = expect_gathermask, .exact = true,
        .ints = {[2] = PATTERNS});
FORMULA(TSCATTER_ROWS, .plan = plan_scattermask, .expect = expect_scattermask, .exact = true,
        .ints = {[2] = PATTERNS});
FORMULA(TSCATTER_COLS, .plan = plan_scattermask, .expect = expect_scattermask, .exact = true,
        .ints = {[2] = PATTERNS});

/* ---- by comparison ---- */

static bool plan_search(Case *c) {
    Arg *n = &c->arg[3];
    c->arg[2].elem = n->elem = c->number % 2 ? PTRT_U32 : PTRT_I32;
    n->cols = 1 + random_below(&c->random, 9);
    n->rows = (c->vrow + n->cols - 1) / n->cols + random_below(&c->random, 2);
    if (n->rows == 0) n->rows = 1;
    n->vrow = n->rows;
    n->vcol = n->cols;
    if (c->number % 3 == 0) c->arg[2].vcol = random_below(&c->random, c->vcol + 1);
    c->arg[2].keep_shape = n->keep_shape = true;
    return true;
}

/* Many equal to the value. */
static void fill_search(Case *c) {
    const Arg *s = &c->arg[0];
    const uint64_t bits = code_of(c->e1, c->arg[1].value);
    for (int64_t r = 0; r < s->rows; r++)
        for (int64_t k = 0; k < s->cols; k++)
            if (random_below(&c->random, 3) == 0) set_bits(c, 0, r, k, bits);
}

static bool found(const Case *c, int64_t r, int64_t k) {
    Num x = get(c, 0, r, k), y = num_of(c->e1, code_of(c->e1, c->arg[1].value));
    if (c->arg[6].i == PTRT_FOR_A5 && c->e1 == PTRT_F32) x.f = real_to_integral(x.f, TO_EVEN);
    if (c->arg[4].i == PTRT_CMP_GT) return is_less(c->e1, y, x);
    return is_real(c) ? x.f == y.f : x.i == y.i;
}

static void expect_search(Case *c) {
    const Arg *s = &c->arg[0], *d = &c->arg[2], *n = &c->arg[3];
    const int64_t whole_vector = 256 / elem_bytes(c->e1);
    const int64_t step = c->arg[6].i == PTRT_FOR_A5
                             ? (s->vcol + whole_vector - 1) / whole_vector * whole_vector
                             : s->cols;
    for (int64_t r = 0; r < s->vrow; r++) {
        int64_t count = 0;
        for (int64_t k = 0; k < s->vcol; k++) {
            if (!found(c, r, k)) continue;
            if (count < d->vcol) put(c, 2, r, count, whole(c->arg[5].i + r * step + k));
            count++;
        }
        put(c, 3, r / n->cols, r % n->cols, whole(count));
    }
}
FORMULA(TGATHER_CMP, .plan = plan_search, .fill = fill_search, .expect = expect_search,
        .ints = {[4] = INTS(PTRT_CMP_EQ, PTRT_CMP_GT),
                 [5] = INTS(0, 7, -5, INT32_MAX),
                 [6] = INTS(PTRT_FOR_CPU, PTRT_FOR_A2A3, PTRT_FOR_A5)});

/* ---- tables in global memory ---- */

DRIVER(mgather, "vtdaaa", ptrt_mgather(HEAD, V(0), T(1), T(2), A(3), A(4), A(5)));
DRIVER(mgather_view, "vvdaaa", ptrt_mgather_view(HEAD, V(0), V(1), T(2), A(3), A(4), A(5)));
DRIVER(mscatter, "ttwaaaa", ptrt_mscatter(HEAD, T(0), T(1), V(2), A(3), A(4), A(5), A(6)));

/* The table of argument k: one plain block, or several with strides of any kind. */
static void plan_table(Case *c, int k, bool by_row, int64_t cols) {
    const bool plain = random_below(&c->random, 2);
    int64_t shape[5] = {1, 1, 1, 1 + random_below(&c->random, 9), 1 + random_below(&c->random, 30)};
    int64_t stride[5], step = 1;
    if (by_row) shape[4] = cols + random_below(&c->random, 3);
    if (shape[4] < 1) shape[4] = 1;
    for (int i = 0; i < 3 && !plain; i++)
        shape[i] = 1 + random_below(&c->random, 2);
    for (int i = 4; i >= 0; i--) {
        if (!plain && random_below(&c->random, 3) == 0) step += random_below(&c->random, 4);
        stride[i] = !plain && random_below(&c->random, 6) == 0 ? -step : step;
        step *= shape[i];
    }
    use_view(c, k, PTRT_VIEW_ND, 5, shape, stride);
}

/* Columns of the indices decide where the text does not. */
static bool rows_wanted(Case *c, int coalesce, int64_t cols) {
    return c->arg[coalesce].i == PTRT_ABSENT ? cols <= 1 : c->arg[coalesce].i == 0;
}

static void plan_table_indices(Case *c, int k, int coalesce, const Arg *data) {
    Arg *i = &c->arg[k];
    const bool column = random_below(&c->random, 2);
    i->elem = c->number % 2 ? PTRT_U32 : PTRT_I32;
    i->vrow = i->rows = c->rows;
    i->vcol = i->cols = c->cols;
    i->vrow = data->vrow;
    i->vcol = data->vcol;
    if (c->arg[coalesce].i == 0 || (c->arg[coalesce].i == PTRT_ABSENT && column)) {
        i->rows = column ? c->rows : 1;
        i->cols = column ? 1 : c->rows;
        i->vrow = column ? data->vrow : 1;
        i->vcol = column ? 1 : data->vrow;
    }
    if (c->arg[coalesce].i == PTRT_ABSENT && i->vcol <= 1 && !column) i->vcol = i->cols = 2;
    i->keep_shape = true;
}

static uint64_t table_size(const Case *c, int k, bool by_row, int64_t profile) {
    const int64_t *s = c->arg[k].view.shape;
    if (!by_row) return (uint64_t)(s[0] * s[1] * s[2] * s[3] * s[4]);
    return (uint64_t)(profile == PTRT_FOR_A2A3 ? s[0] * s[1] * s[2] * s[3] : s[3]);
}

static void fill_table_indices(Case *c, int k, uint64_t n, bool wild) {
    const Arg *i = &c->arg[k];
    int64_t rows = i->rows, cols = i->cols;
    if (is_view(i)) view_extents(&i->view, &rows, &cols);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t col = 0; col < cols; col++) {
            uint64_t v = (uint64_t)random_below(&c->random, (int64_t)n);
            if (wild && random_below(&c->random, 6) == 0)
                v = random_below(&c->random, 2)
                        ? n
                        : 0xFFFFFFFF - (uint64_t)random_below(&c->random, 3);
            set_bits(c, k, r, col, v);
        }
}

/* The index of element (r, col) of the data. */
static uint64_t table_index(const Case *c, int k, bool by_row, int64_t r, int64_t col) {
    const Arg *i = &c->arg[k];
    int64_t rows = i->vrow, cols = i->vcol;
    if (is_view(i)) view_extents(&i->view, &rows, &cols);
    if (!by_row) return get_bits(c, k, r, col);
    return cols <= 1 && rows > 1 ? get_bits(c, k, r, 0) : get_bits(c, k, 0, r);
}

typedef struct Found {
    bool error, nothing;
    int64_t row, col; /* of the table's window */
} Found;

/* mode: 0 refuses, 1 the last, 2 modulo, 3 nothing. */
static Found find_in_table(const Case *c, int k, bool by_row, uint64_t i, uint64_t n, int mode,
                           int64_t col) {
    const int64_t width = c->arg[k].view.shape[4];
    Found f = {false, false, 0, 0};
    if (i >= n && mode == 0) f.error = true;
    if (i >= n && mode == 3) f.nothing = true;
    if (i >= n) i = mode == 1 ? n - 1 : i % n;
    f.row = by_row ? (int64_t)i : (int64_t)i / width;
    f.col = by_row ? col : (int64_t)i % width;
    return f;
}

static bool by_row_of(Case *c, int k, int coalesce) {
    const Arg *i = &c->arg[k];
    int64_t rows, cols = i->vcol;
    if (is_view(i)) view_extents(&i->view, &rows, &cols);
    return rows_wanted(c, coalesce, cols);
}

static bool plan_mgather(Case *c) {
    plan_table_indices(c, 1, 3, &c->arg[2]);
    plan_table(c, 0, by_row_of(c, 1, 3), c->vcol);
    if (c->rows > 100 || c->cols > 600) return false;
    return true;
}

static bool plan_mgather_view(Case *c) {
    Arg *i = &c->arg[1];
    const bool column = random_below(&c->random, 2);
    i->elem = PTRT_I32;
    c->arg[2].space = PTRT_MAT;
    if (c->vrow == 0 || c->vcol == 0) return false;
    const bool line = c->arg[3].i == 0 || (c->arg[3].i == PTRT_ABSENT && column);
    const int64_t rows = line && !column ? 1 : c->vrow, cols = !line    ? c->vcol
                                                               : column ? 1
                                                                        : c->vrow;
    const int64_t shape[] = {rows, cols}, stride[] = {cols + 2, 1};
    use_view(c, 1, PTRT_VIEW_ND, 2, shape, stride);
    plan_table(c, 0, by_row_of(c, 1, 3), c->vcol);
    return true;
}

static void fill_mgather(Case *c) {
    fill_table_indices(c, 1, table_size(c, 0, by_row_of(c, 1, 3), c->arg[5].i), c->number % 4 == 0);
}

static void expect_mgather(Case *c) {
    const Arg *d = &c->arg[2];
    const bool by_row = by_row_of(c, 1, 3);
    const uint64_t n = table_size(c, 0, by_row, c->arg[5].i);
    for (int64_t r = 0; r < d->vrow; r++) {
        for (int64_t k = 0; k < d->vcol; k++) {
            const uint64_t i = table_index(c, 1, by_row, r, k);
            const Found f = find_in_table(c, 0, by_row, i, n, (int)c->arg[4].i, k);
            if (f.error)
                c->want_code = PTRT_E_BOUNDS;
            else
                put_bits(c, 2, r, k, f.nothing ? 0 : get_bits(c, 0, f.row, f.col));
        }
    }
}

#define TABLE_PROFILES INTS(PTRT_FOR_CPU, PTRT_FOR_A2A3, PTRT_FOR_A5)
#define TABLE_INTS                                                                                 \
    { [3] = INTS(PTRT_ABSENT, 0, 1), [4] = INTS(0, 1, 2, 3), [5] = TABLE_PROFILES }
FORMULA(MGATHER, .plan = plan_mgather, .fill = fill_mgather, .expect = expect_mgather,
        .exact = true, .ints = TABLE_INTS);
FORMULA(MGATHER_MAT, .plan = plan_mgather_view, .fill = fill_mgather, .expect = expect_mgather,
        .exact = true, .ints = TABLE_INTS);

/* Combining needs arithmetic. */
static bool combines(int elem) {
    return elem <= PTRT_F64;
}

static bool plan_mscatter(Case *c) {
    plan_table_indices(c, 1, 3, &c->arg[0]);
    plan_table(c, 2, by_row_of(c, 1, 3), c->vcol);
    if (!combines(c->e1)) use_int(c, 4, 0);
    if (c->arg[4].i != 0) c->exact = false;
    if (c->rows > 100 || c->cols > 600) return false;
    return true;
}

static void fill_mscatter(Case *c) {
    fill_table_indices(c, 1, table_size(c, 2, by_row_of(c, 1, 3), c->arg[6].i), c->number % 4 == 0);
}

/* What the table has so far; refused calls leave it as it was. */
static Num so_far(const Case *c, int64_t row, int64_t col) {
    const Arg *t = &c->arg[2];
    return num_of(t->elem, bits_load(arg_memory(c, t)->want + arg_at(t, row, col), t->size));
}

static void combine(Case *c, int64_t row, int64_t col, int64_t r, int64_t k) {
    const Num a = so_far(c, row, col), b = get(c, 0, r, k);
    const int elem = c->e1;
    Num v = b;
    if (c->arg[4].i == 1) {
        v = is_real(c) ? real(elem == PTRT_F64 ? a.f + b.f : single(a.f + b.f))
                       : wrap_add(a.i, b.i);
        put(c, 2, row, col, v);
        return;
    }
    const bool take = c->arg[4].i == 2 ? is_less(elem, a, b) : is_less(elem, b, a);
    if (take) put_bits(c, 2, row, col, get_bits(c, 0, r, k));
}

static void expect_mscatter(Case *c) {
    static const int modes[] = {0, 3, 1, 2};
    const Arg *s = &c->arg[0];
    const bool by_row = by_row_of(c, 1, 3);
    const uint64_t n = table_size(c, 2, by_row, c->arg[6].i);
    const int mode = modes[c->arg[5].i];
    for (int64_t r = 0; r < s->vrow; r++)
        for (int64_t k = 0; k < s->vcol; k++)
            if (find_in_table(c, 2, by_row, table_index(c, 1, by_row, r, k), n, mode, k).error)
                c->want_code = PTRT_E_BOUNDS;
    for (int64_t r = 0; r < s->vrow && c->want_code == PTRT_OK; r++) {
        for (int64_t k = 0; k < s->vcol; k++) {
            const uint64_t i = table_index(c, 1, by_row, r, k);
            const Found f = find_in_table(c, 2, by_row, i, n, mode, k);
            if (f.nothing) continue;
            if (c->arg[4].i == 0)
                put_bits(c, 2, f.row, f.col, get_bits(c, 0, r, k));
            else
                combine(c, f.row, f.col, r, k);
        }
    }
}
FORMULA(MSCATTER, .plan = plan_mscatter, .fill = fill_mscatter, .expect = expect_mscatter,
        .exact = true,
        .ints = {[3] = INTS(PTRT_ABSENT, 0, 1),
                 [4] = INTS(0, 0, 1, 2, 3),
                 [5] = INTS(0, 1, 2, 3),
                 [6] = TABLE_PROFILES});
