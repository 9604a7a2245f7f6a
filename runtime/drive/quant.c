/* SPDX-License-Identifier: Apache-2.0 */
/* quant.c - drivers of quantisation: quant and dequant with parameters per row, quant_mx with
 * exponents for groups of 32 elements. */
#include "drive/rows.h"
#include "half.h"

static const unsigned char *element(const ptrt_tile *t, int64_t r, int64_t c) {
    const int64_t at = ptrt_axis_offset(&t->row, r) + ptrt_axis_offset(&t->col, c);
    return ptrt_tile_at(t) + at * (int64_t)ptrt_elem_size(t->elem);
}

/* ---- parameters per row ---- */

/* Collects `cols` parameters for each of `rows` rows. Rows beyond the valid ones repeat the last.
 * All are 0 if the tile is NULL. */
static void gather(const ptrt_tile *t, int64_t rows, int64_t cols, float *out) {
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < cols; c++, out++) {
            *out = 0;
            if (!t) continue;
            const int64_t last = t->vrow > 0 ? t->vrow - 1 : 0;
            memcpy(out, element(t, ptrt_min64(r, last), c), sizeof *out);
        }
    }
}

typedef struct affine {
    const ptrt_tile *src, *scale, *offset, *dst; /* offset may be NULL */
    int64_t width;                               /* parameters of a row */
} affine;

static int check_affine(ptrt_core *core, uint32_t line, int kernel, const affine *x,
                        ptrt_body *body) {
    const ptrt_tile *const tiles[] = {x->src, x->scale, x->offset, x->dst};
    int code = ptrt_check_tiles(core, line, kernel, tiles, "rrrw");
    if (code != PTRT_OK) return code;
    *body = ptrt_body_of_pair(core->bodies, kernel, x->src->elem, x->dst->elem);
    if (!*body || x->scale->elem != PTRT_F32 || (x->offset && x->offset->elem != PTRT_F32))
        return ptrt_no_body(core, line, kernel, 4, tiles);
    code = ptrt_check_reach(core, line, kernel, 0, x->src, x->dst->vrow, x->dst->vcol);
    if (code == PTRT_OK) code = ptrt_check_reach(core, line, kernel, 1, x->scale, 1, x->width);
    if (code == PTRT_OK && x->offset)
        code = ptrt_check_reach(core, line, kernel, 2, x->offset, 1, x->width);
    return code;
}

static int run_affine(ptrt_core *core, uint32_t line, int kernel, const affine *x) {
    ptrt_body body = NULL;
    const int64_t rows = x->dst->vrow, cols = x->dst->vcol;
    int code = check_affine(core, line, kernel, x, &body);
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    const size_t n = (size_t)rows * (size_t)x->width;
    float *numbers = ptrt_scratch(2 * n * sizeof *numbers);
    if (!numbers)
        return ptrt_fail(core, PTRT_E_NOMEM, line, "%s: no memory for the numbers of the rows",
                         ptrt_op_name(kernel));
    gather(x->scale, rows, x->width, numbers);
    gather(x->offset, rows, x->width, numbers + n);
    ptrt_operand part[] = {ptrt_source(x->src, rows, cols), ptrt_source(x->scale, 0, 0),
                           ptrt_source(x->offset, 0, 0),
                           ptrt_operand_of(x->dst, rows, cols, PTRT_TARGET)};
    ptrt_args args;
    ptrt_args_init(&args, rows, cols, NULL, NULL);
    code = ptrt_operands_open(core, line, kernel, 4, part, &args);
    args.p[1] = numbers;
    args.p[2] = numbers + n;
    args.ld[1] = args.ld[2] = (ptrdiff_t)x->width;
    if (code == PTRT_OK) ((ptrt_args_fn)body)(&args);
    return ptrt_operands_close(core, 4, part, code);
}

int ptrt_quant(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
               const ptrt_tile *fp, const ptrt_tile *offset, const ptrt_tile *dst) {
    const affine x = {src, fp, offset, dst, 1};
    return run_affine(core, line, kernel, &x);
}

int ptrt_dequant(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                 const ptrt_tile *scale, const ptrt_tile *offset, const ptrt_tile *dst) {
    const affine x = {src, scale, offset, dst, scale->vcol > 0 ? scale->vcol : 1};
    return run_affine(core, line, kernel, &x);
}

/* ---- groups of 32 ---- */

enum { DST, EXP, MAX, SCALING, EXP_ZZ, OUTPUTS };
enum { NV = 1, AXIS1 = 1, NZ = 1 };
enum { ZZ_ROWS = 16, ZZ_GROUPS = 2, ZZ_BLOCK = ZZ_ROWS * ZZ_GROUPS };

typedef struct grouping {
    const ptrt_tile *src, *out[OUTPUTS];
    int64_t rows, cols, groups; /* elements of src */
    bool down, nv, interleave, nz;
} grouping;

static bool is_byte(const ptrt_tile *t) {
    return t->elem == PTRT_U8 || t->elem == PTRT_I8;
}

static int check_mx(ptrt_core *core, uint32_t line, int kernel, const grouping *x,
                    ptrt_body *body) {
    const ptrt_tile *const *o = x->out;
    const ptrt_tile *const tiles[] = {x->src, o[DST], o[EXP], o[MAX], o[SCALING], o[EXP_ZZ]};
    const int code = ptrt_check_tiles(core, line, kernel, tiles, "rwwwww");
    if (code != PTRT_OK) return code;
    *body = ptrt_body_of_pair(core->bodies, kernel, x->src->elem, o[DST]->elem);
    const bool fit = is_byte(o[EXP]) && o[MAX]->elem == x->src->elem &&
                     o[SCALING]->elem == x->src->elem && (!o[EXP_ZZ] || is_byte(o[EXP_ZZ]));
    return *body && fit ? PTRT_OK : ptrt_no_body(core, line, kernel, 1 + OUTPUTS, tiles);
}

static int check_words(ptrt_core *core, uint32_t line, int kernel, int alg, int axis,
                       int interleave, int mode) {
    const bool known = (alg & ~1) == 0 && (axis & ~1) == 0 && (interleave & ~1) == 0 &&
                       mode >= PTRT_ABSENT && mode <= NZ && !(axis == AXIS1 && interleave);
    if (known) return PTRT_OK;
    return ptrt_fail(core, PTRT_E_ARG, line,
                     "%s: no such form: quantScaleAlg %d, grpAxis %d, interleave %d, storeMode %d",
                     ptrt_op_name(kernel), alg, axis, interleave, mode);
}

static bool has_valid(const ptrt_tile *t, int64_t rows, int64_t cols) {
    return t->vrow == rows && t->vcol == cols;
}

/* Whether output i has one element per group: in the position of the group or, for groups along
 * rows, possibly all in one row. */
static bool has_groups(const grouping *x, int i) {
    const ptrt_tile *t = x->out[i];
    if (x->down && i == EXP && x->interleave) return has_valid(t, x->rows / 64, 2 * x->cols);
    if (x->down) return has_valid(t, x->rows / PTRT_MX_GROUP, x->cols);
    return has_valid(t, x->rows, x->cols / PTRT_MX_GROUP) || has_valid(t, 1, x->groups);
}

static int refuse(ptrt_core *core, uint32_t line, int kernel, int i, const ptrt_tile *t) {
    const char *name;
    const int len = ptrt_operand_name(kernel, i, &name);
    return ptrt_fail(core, PTRT_E_VALID, line,
                     "%s: the valid region %lldx%lld of %.*s does not fit the groups",
                     ptrt_op_name(kernel), (long long)t->vrow, (long long)t->vcol, len, name);
}

static int check_extents(ptrt_core *core, uint32_t line, int kernel, const grouping *x) {
    const int64_t halves = x->out[DST]->elem == PTRT_F4E2M1X2 ? 2 : 1;
    const int64_t along = x->down ? x->rows : x->cols;
    if (along % (x->interleave ? 2 * PTRT_MX_GROUP : PTRT_MX_GROUP) != 0)
        return refuse(core, line, kernel, 0, x->src);
    if (x->out[DST]->vrow != x->rows || halves * x->out[DST]->vcol != x->cols)
        return refuse(core, line, kernel, 1, x->out[DST]);
    for (int i = EXP; i <= SCALING; i++)
        if (!has_groups(x, i)) return refuse(core, line, kernel, 1 + i, x->out[i]);
    const ptrt_tile *zz = x->out[EXP_ZZ];
    const bool blocks = x->rows % ZZ_ROWS == 0 && x->cols % (ZZ_GROUPS * PTRT_MX_GROUP) == 0;
    if (zz && (x->down || zz->vrow * zz->vcol != x->groups || (x->nz && !blocks)))
        return refuse(core, line, kernel, 1 + EXP_ZZ, zz);
    return PTRT_OK;
}

/* Returns the address of group g's element in output i. */
static unsigned char *place(const grouping *x, int i, int64_t g) {
    const ptrt_tile *t = x->out[i];
    const int64_t across = x->down ? x->cols : x->cols / PTRT_MX_GROUP;
    int64_t r = g / across, c = g % across;
    if (i == EXP && x->interleave) {
        c = 2 * c + r % 2;
        r /= 2;
    } else if (i == EXP_ZZ) {
        if (x->nz)
            g = (r / ZZ_ROWS * (across / ZZ_GROUPS) + c / ZZ_GROUPS) * ZZ_BLOCK +
                r % ZZ_ROWS * ZZ_GROUPS + c % ZZ_GROUPS;
        r = g / t->vcol;
        c = g % t->vcol;
    } else if (!x->down && t->vrow == 1) {
        r = 0;
        c = g;
    }
    return (unsigned char *)(uintptr_t)element(t, r, c);
}

static void put_bits(unsigned char *p, uint32_t bits, uint32_t half, int elem) {
    const uint16_t low = (uint16_t)half;
    if (elem == PTRT_F32)
        memcpy(p, &bits, sizeof bits);
    else
        memcpy(p, &low, sizeof low);
}

/* Writes the outputs of all groups. 16-bit scales are bf16, whatever the tile's type is: f16 cannot
 * represent all of them. */
static void put_groups(const grouping *x, const ptrt_mx *mx) {
    const int elem = x->src->elem;
    for (int64_t g = 0; g < x->groups; g++) {
        const uint32_t most = mx->max[g], scale = ptrt_half_bits(mx->scale[g]);
        const uint32_t half =
            elem == PTRT_F16 ? ptrt_f32_to_f16(ptrt_half_float(most)) : most >> 16;
        *place(x, EXP, g) = mx->exp[g];
        put_bits(place(x, MAX, g), most, half, elem);
        put_bits(place(x, SCALING, g), scale, scale >> 16, elem);
        if (x->out[EXP_ZZ]) *place(x, EXP_ZZ, g) = mx->exp[g];
    }
}

static int run_mx(ptrt_core *core, uint32_t line, int kernel, ptrt_body body, const grouping *x) {
    const ptrt_tile *dst = x->out[DST];
    const size_t n = (size_t)x->groups;
    unsigned char *memory = ptrt_scratch(n * (sizeof(uint32_t) + sizeof(float) + 1));
    if (!memory) return ptrt_fail(core, PTRT_E_NOMEM, line, "no memory for the groups");
    ptrt_mx mx = {.down = x->down,
                  .nv = x->nv,
                  .max = (uint32_t *)(void *)memory,
                  .scale = (float *)(void *)(memory + n * sizeof(uint32_t)),
                  .exp = memory + n * (sizeof(uint32_t) + sizeof(float))};
    ptrt_operand part[] = {ptrt_source(x->src, x->rows, x->cols),
                           ptrt_operand_of(dst, x->rows, dst->vcol, PTRT_TARGET)};
    ptrt_args args;
    ptrt_args_init(&args, x->rows, x->cols, NULL, &mx);
    int code = ptrt_operands_run(core, line, kernel, 2, part, body, &args);
    if (code == PTRT_OK) put_groups(x, &mx);
    return code;
}

int ptrt_quant_mx(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                  const ptrt_tile *dst, const ptrt_tile *exp, const ptrt_tile *max,
                  const ptrt_tile *scaling, const ptrt_tile *exp_zz, int alg, int axis,
                  int interleave, int mode) {
    grouping x = {.src = src,
                  .out = {dst, exp, max, scaling, exp_zz},
                  .down = axis != AXIS1,
                  .nv = alg == NV,
                  .interleave = interleave != 0,
                  .nz = mode == NZ};
    ptrt_body body = NULL;
    int code = check_mx(core, line, kernel, &x, &body);
    if (code == PTRT_OK) code = check_words(core, line, kernel, alg, axis, interleave, mode);
    if (code != PTRT_OK) return code;
    x.rows = src->vrow;
    x.cols = src->vcol;
    x.groups = x.rows * x.cols / PTRT_MX_GROUP;
    code = check_extents(core, line, kernel, &x);
    if (code != PTRT_OK || x.groups == 0) return code;
    return run_mx(core, line, kernel, body, &x);
}
