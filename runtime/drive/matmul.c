/* SPDX-License-Identifier: Apache-2.0 */
/* matmul.c - drivers matmul and matmul_mx: matrix products, with or without scales. */
#include "drive/rows.h"
#include "kern/product.h"

/* Operands in the order of ptrt_matmul_mx; absent ones are NULL. */
enum { SUM, LEFT, LEFT_SCALE, RIGHT, RIGHT_SCALE, BIAS, DST, OPERANDS };
typedef struct operands {
    const ptrt_tile *tile[OPERANDS];
} operands;

static size_t round_up(size_t n) {
    return (n + 63) & ~(size_t)63;
}

/* ---- checks ---- */

/* Whether sum, bias and dst are i32 for integer factors, else f32, and scales are f8e8m0. */
static bool types_fit(const operands *o) {
    const int sum = o->tile[LEFT]->elem <= PTRT_U8 ? PTRT_I32 : PTRT_F32;
    for (int i = 0; i < OPERANDS; i++) {
        const ptrt_tile *t = o->tile[i];
        if (!t || i == LEFT || i == RIGHT) continue;
        if (t->elem != (i == LEFT_SCALE || i == RIGHT_SCALE ? PTRT_F8E8M0 : sum)) return false;
    }
    return true;
}

/* Checks that operand i, which is number `arg` of the kernel's operands, has at least rows x cols
 * elements. */
static int reaches(ptrt_core *core, uint32_t line, int kernel, const operands *o, int i, int arg,
                   int64_t rows, int64_t cols) {
    return o->tile[i] ? ptrt_check_reach(core, line, kernel, arg, o->tile[i], rows, cols) : PTRT_OK;
}

typedef struct extents {
    int64_t m, n, k, groups;
} extents;

static int check_reach(ptrt_core *core, uint32_t line, int kernel, const operands *o,
                       const int *arg, const extents *x) {
    const int64_t need[OPERANDS][2] = {[SUM] = {x->m, x->n},
                                       [LEFT] = {x->m, x->k},
                                       [LEFT_SCALE] = {x->m, x->groups},
                                       [RIGHT] = {x->k, x->n},
                                       [BIAS] = {1, x->n},
                                       [DST] = {x->m, x->n},
                                       [RIGHT_SCALE] = {x->groups, x->n}};
    int code = PTRT_OK;
    for (int i = 0; i < OPERANDS && code == PTRT_OK; i++)
        code = reaches(core, line, kernel, o, i, arg[i], need[i][0], need[i][1]);
    return code;
}

/* ---- operands that must be copied ---- */

static bool same_axis(const ptrt_axis *a, const ptrt_axis *b) {
    return a->inner == b->inner && a->outer == b->outer && (a->outer == 0 || a->box == b->box);
}

/* Whether dst shares bytes with a source other than as the same elements of the sum. */
static bool needs_copy(const operands *o) {
    const ptrt_tile *d = o->tile[DST], *s = o->tile[SUM];
    for (int i = 0; i < DST; i++) {
        if (!o->tile[i] || !ptrt_tiles_meet(o->tile[i], d)) continue;
        if (i == SUM && ptrt_tile_at(s) == ptrt_tile_at(d) && same_axis(&s->row, &d->row) &&
            same_axis(&s->col, &d->col))
            continue;
        return true;
    }
    return false;
}

static bool is_deep(const ptrt_axis *depth) {
    return depth->inner == 1;
}

/* Clears the low bits of the mantissa, with ties to even or away from zero: 12 of them for
 * pto.tsethf32mode, whose subnormal numbers become 0, and 13 for products of micro-instructions. */
static void round_factor(const ptrt_core *core, uint32_t *p, size_t n) {
    const bool tf32 = core->hf32 > PTRT_HF32_AWAY;
    const bool even = core->hf32 == PTRT_HF32_EVEN || core->hf32 == PTRT_TF32_EVEN;
    const unsigned bits = tf32 ? 13 : 12;
    const uint32_t half = UINT32_C(1) << (bits - 1), low = 2 * half - 1;
    for (size_t i = 0; i < n; i++) {
        const uint32_t x = p[i], magnitude = x & 0x7FFFFFFF;
        const uint32_t odd = even ? (x >> bits & 1) + half - 1 : half;
        if (magnitude >= 0x7F800000) continue;
        p[i] = magnitude < 0x00800000 && !tf32 ? x & 0x80000000 : (x + odd) & ~low;
    }
}

static bool is_rounded(const ptrt_core *core, const ptrt_tile *t) {
    return core->hf32 != PTRT_HF32_OFF && t->elem == PTRT_F32;
}

/* Makes a factor whose lines are contiguous along k. Uses the tile in place if it has them and
 * needs no rounding, else a copy at `at`. */
static ptrt_factor factor(const ptrt_core *core, const ptrt_tile *t, const ptrt_tile *scale,
                          bool left, int64_t lines, int64_t k, unsigned char *at) {
    const ptrt_axis *line = left ? &t->row : &t->col, *depth = left ? &t->col : &t->row;
    ptrt_factor f = {.p = ptrt_tile_at(t), .line = *line, .depth = *depth};
    if (is_rounded(core, t) || !is_deep(depth)) {
        ptrt_grid to = {at, {1, 0, k}, {1, 0, 1}};
        const ptrt_grid from = {ptrt_tile_at(t), *line, *depth};
        ptrt_copy(core->bodies->movers, &to, (ptrt_corner){0, 0}, &from, (ptrt_corner){0, 0}, lines,
                  k, ptrt_log_size(ptrt_elem_size(t->elem)));
        if (is_rounded(core, t)) round_factor(core, (uint32_t *)(void *)at, (size_t)(lines * k));
        f = (ptrt_factor){.p = at, .line = to.row, .depth = to.col};
    }
    if (scale) {
        f.scale = ptrt_tile_at(scale);
        f.scale_line = left ? scale->row : scale->col;
        f.scale_group = left ? scale->col : scale->row;
    }
    return f;
}

static size_t copy_bytes(const ptrt_core *core, const ptrt_tile *t, bool left, int64_t lines,
                         int64_t k) {
    if (!is_rounded(core, t) && is_deep(left ? &t->col : &t->row)) return 0;
    return round_up((size_t)lines * (size_t)k * ptrt_elem_size(t->elem));
}

/* ---- the product ---- */

static int run(ptrt_core *core, uint32_t line, const operands *o, const extents *x,
               ptrt_body body) {
    const ptrt_tile *a = o->tile[LEFT], *b = o->tile[RIGHT], *d = o->tile[DST];
    const ptrt_tile *sum = o->tile[SUM] ? o->tile[SUM] : o->tile[BIAS];
    const size_t left = copy_bytes(core, a, true, x->m, x->k);
    const size_t right = copy_bytes(core, b, false, x->n, x->k);
    const bool apart = !needs_copy(o);
    const size_t result = apart ? 0 : round_up((size_t)x->m * (size_t)x->n * 4);
    const size_t depth = ptrt_product_depth(a->elem, (size_t)x->k);
    unsigned char *memory =
        ptrt_scratch(left + right + result + ptrt_product_bytes((size_t)x->m, depth));
    if (!memory) return ptrt_fail(core, PTRT_E_NOMEM, line, "no memory for a matrix product");
    const ptrt_grid to = ptrt_grid_of_tile(d);
    ptrt_product p = {.m = (size_t)x->m,
                      .n = (size_t)x->n,
                      .k = (size_t)x->k,
                      .a = factor(core, a, o->tile[LEFT_SCALE], true, x->m, x->k, memory),
                      .b = factor(core, b, o->tile[RIGHT_SCALE], false, x->n, x->k, memory + left),
                      .d = apart ? to : ptrt_grid_rows(memory + left + right, x->n),
                      .memory = memory + left + right + result};
    if (sum) p.sum = ptrt_grid_of_tile(sum);
    if (o->tile[BIAS]) p.sum.row = (ptrt_axis){1, 0, 0};
    ptrt_args args;
    ptrt_args_init(&args, x->m, x->n, NULL, &p);
    ((ptrt_args_fn)body)(&args);
    if (!apart)
        ptrt_copy(core->bodies->movers, &to, (ptrt_corner){0, 0}, &p.d, (ptrt_corner){0, 0}, x->m,
                  x->n, 2);
    return PTRT_OK;
}

/* Checks the operands and computes the product. `tiles` are the n operands in the kernel's order;
 * arg[i] is the position of operand i in them. */
static int product(ptrt_core *core, uint32_t line, int kernel, const operands *o, int n,
                   const ptrt_tile *const *tiles, const int *arg) {
    const ptrt_tile *a = o->tile[LEFT], *b = o->tile[RIGHT];
    int code = ptrt_check_tiles(core, line, kernel, tiles, &"rrrrrrw"[OPERANDS - n]);
    if (code != PTRT_OK) return code;
    const ptrt_body body = ptrt_body_of_pair(core->bodies, kernel, a->elem, b->elem);
    if (!body || !types_fit(o)) return ptrt_no_body(core, line, kernel, n, tiles);
    const int64_t depth = (int64_t)ptrt_product_depth(a->elem, (size_t)a->vcol);
    const extents x = {a->vrow, b->vcol, a->vcol, (depth + PTRT_GROUP - 1) / PTRT_GROUP};
    code = check_reach(core, line, kernel, o, arg, &x);
    if (code != PTRT_OK || x.m == 0 || x.n == 0) return code;
    return run(core, line, o, &x, body);
}

int ptrt_matmul(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *acc_in,
                const ptrt_tile *lhs, const ptrt_tile *rhs, const ptrt_tile *bias,
                const ptrt_tile *dst) {
    static const int arg[OPERANDS] = {[SUM] = 0, [LEFT] = 1, [RIGHT] = 2, [BIAS] = 3, [DST] = 4};
    const ptrt_tile *const tiles[] = {acc_in, lhs, rhs, bias, dst};
    const operands o = {{[SUM] = acc_in, [LEFT] = lhs, [RIGHT] = rhs, [BIAS] = bias, [DST] = dst}};
    return product(core, line, kernel, &o, 5, tiles, arg);
}

int ptrt_matmul_mx(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *c_in,
                   const ptrt_tile *a, const ptrt_tile *a_scale, const ptrt_tile *b,
                   const ptrt_tile *b_scale, const ptrt_tile *bias, const ptrt_tile *dst) {
    static const int arg[OPERANDS] = {0, 1, 2, 3, 4, 5, 6};
    const operands o = {{c_in, a, a_scale, b, b_scale, bias, dst}};
    return product(core, line, kernel, &o, OPERANDS, o.tile, arg);
}

int ptrt_set_hf32(ptrt_core *core, uint32_t line, int mode) {
    if (mode < PTRT_HF32_OFF || mode > PTRT_HF32_AWAY)
        return ptrt_fail(core, PTRT_E_ARG, line, "pto.tsethf32mode: there is no mode %d", mode);
    core->hf32 = (uint8_t)mode;
    return PTRT_OK;
}
