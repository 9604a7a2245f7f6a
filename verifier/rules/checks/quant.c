/* SPDX-License-Identifier: Apache-2.0 */
/* Named functions of the rules of pto.tquant.mx: the exponents, maxima and factors of each group,
 * and where they are stored. All use one description of the statement. */
#include "verifier/rules/checks/checks.h"

#include "ir/tmp.h"

#include <string.h>

/* elements in a group; elements of 4 and 2 bytes in a vector register */
enum { GROUP = 32, LANES_F32 = 64, LANES_B16 = 128 };

/* A quantisation as the checks see it. */
typedef struct MxForm {
    const Type *src, *exp;
    int64_t m, n;   /* valid rows and columns of src */
    int64_t pitch;  /* its physical columns */
    int64_t groups; /* m * n / 32 */
    bool columns;   /* axis0: groups go down the columns */
    bool nv;        /* quantScaleAlg */
    bool flat;      /* axis1: exp has one physical row for all groups */
    bool b16;       /* f16 or bf16 */
} MxForm;

static bool attr_set(const Case *c, AttrName name) {
    int64_t v;
    return attr_value_of(c->op, inst_attr(c->op->inst, name), &v) && v != 0;
}

static const Type *named_tile(const Case *c, OperandName name) {
    return case_tile(c, inst_slot(c->op->inst, name));
}

/* Fills `f` from the types alone; false when something is missing, dynamic or too large to matter.
 */
static bool describe_types(const Case *c, MxForm *f) {
    *f = (MxForm){.src = named_tile(c, OPERAND_src), .exp = named_tile(c, OPERAND_exp)};
    if (f->src == NULL || f->exp == NULL) return false;
    f->m = tile_dim(f->src, DIM_VROW);
    f->n = tile_dim(f->src, DIM_VCOL);
    f->pitch = tile_dim(f->src, DIM_COLS);
    f->flat = tile_dim(f->exp, DIM_ROWS) == 1;
    f->b16 = elem_infos[f->src->elem].bytes == 2;
    if (f->m == DYNAMIC || f->n == DYNAMIC || __builtin_mul_overflow(f->m, f->n, &f->groups))
        return false;
    f->groups /= GROUP;
    return true;
}

static bool describe(const Case *c, MxForm *f) {
    if (!describe_types(c, f)) return false;
    f->columns = !attr_set(c, ATTR_grpAxis);
    f->nv = attr_set(c, ATTR_quantScaleAlg);
    return true;
}

static bool valid_is(const Type *t, int64_t rows, int64_t cols) {
    return tile_dim(t, DIM_VROW) == rows && tile_dim(t, DIM_VCOL) == cols;
}

static bool is_static(const Type *t) {
    return t != NULL && tile_dim(t, DIM_VROW) != DYNAMIC && tile_dim(t, DIM_VCOL) != DYNAMIC;
}

/* Returns the number of groups of 32 elements in src. */
static Num group_count(const Case *c, int src) {
    return num_div(c, num_mul(c, tile_num(c, src, DIM_VROW), tile_num(c, src, DIM_VCOL)), GROUP);
}

static Test valid_is_num(const Case *c, int slot, Num rows, Num cols) {
    return both(c, is_equal(c, tile_num(c, slot, DIM_VROW), rows),
                is_equal(c, tile_num(c, slot, DIM_VCOL), cols));
}

Answer check_mx_count(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    int src = inst_slot(c->op->inst, OPERAND_src);
    if (t == NULL || case_tile(c, src) == NULL) return HOLDS;
    Num groups = group_count(c, src);
    Num has = num_mul(c, tile_num(c, r->a, DIM_VROW), tile_num(c, r->a, DIM_VCOL));
    Test equal = is_equal(c, has, groups);
    if (equal.answer != FAILS) return settle(c, equal);
    return fails(c, "%s has %lldx%lld valid elements, expected %lld: one for each group of 32",
                 case_name(c, r->a), (long long)tile_dim(t, DIM_VROW),
                 (long long)tile_dim(t, DIM_VCOL), (long long)groups.n);
}

/* Each group has one element: laid out like the groups or, along rows, also in one row. */
Answer check_mx_groups(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    int src = inst_slot(c->op->inst, OPERAND_src);
    bool columns = !attr_set(c, ATTR_grpAxis);
    if (t == NULL || case_tile(c, src) == NULL) return HOLDS;
    Num m = tile_num(c, src, DIM_VROW), n = tile_num(c, src, DIM_VCOL),
        groups = group_count(c, src);
    Num rows = columns ? num_div(c, m, GROUP) : m, cols = columns ? n : num_div(c, n, GROUP);
    Test fit = valid_is_num(c, r->a, rows, cols);
    if (!columns) fit = either(c, fit, valid_is_num(c, r->a, number(1), groups));
    if (fit.answer != FAILS) return settle(c, fit);
    /* The numbers can be printed only if all are known. */
    if (!rows.known || !cols.known || !groups.known || !is_static(t))
        return fails(c, "the valid region of %s is not one element for each group of 32",
                     case_name(c, r->a));
    if (columns)
        return fails(c,
                     "the valid region of %s is %lldx%lld, expected %lldx%lld: one element for "
                     "32 rows of a column",
                     case_name(c, r->a), (long long)tile_dim(t, DIM_VROW),
                     (long long)tile_dim(t, DIM_VCOL), (long long)rows.n, (long long)cols.n);
    return fails(c,
                 "the valid region of %s is %lldx%lld, expected %lldx%lld, or 1x%lld in a flat "
                 "row: one element for 32 columns of a row",
                 case_name(c, r->a), (long long)tile_dim(t, DIM_VROW),
                 (long long)tile_dim(t, DIM_VCOL), (long long)rows.n, (long long)cols.n,
                 (long long)groups.n);
}

Answer check_mx_interleaved(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    MxForm f;
    if (t == NULL || !describe_types(c, &f) || f.pitch > INT64_MAX / 4) return HOLDS;
    int64_t want = round_up(2 * f.pitch, 32);
    return tile_dim(t, DIM_COLS) == want
               ? HOLDS
               : fails(c, "%s has %lld cols, expected %lld: twice those of src, rounded up to 32",
                       case_name(c, r->a), (long long)tile_dim(t, DIM_COLS), (long long)want);
}

/* Several rows must follow one another without a gap. */
Answer check_mx_compact(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    if (!is_static(t) || tile_dim(t, DIM_VROW) <= 1 ||
        tile_dim(t, DIM_COLS) == tile_dim(t, DIM_VCOL))
        return HOLDS;
    return fails(c,
                 "the rows of %s have %lld elements of which %lld are valid; along rows they "
                 "must follow one another without a gap",
                 case_name(c, r->a), (long long)tile_dim(t, DIM_COLS),
                 (long long)tile_dim(t, DIM_VCOL));
}

Answer check_mx_flat_source(const Case *c, const Rule *r) {
    MxForm f;
    if (!describe_types(c, &f) || !f.flat || f.pitch == f.n) return HOLDS;
    return fails(c,
                 "the rows of %s have %lld elements of which %lld are valid; with exponents in "
                 "one flat row all must be",
                 case_name(c, r->a), (long long)f.pitch, (long long)f.n);
}

/* The number of physical rows of exp selects one of the two forms of its valid region. */
Answer check_mx_exp_form(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    MxForm f;
    if (!is_static(t) || !describe_types(c, &f)) return HOLDS;
    int64_t rows = f.flat ? 1 : f.m, cols = f.flat ? f.groups : f.n / GROUP;
    if (valid_is(t, rows, cols)) return HOLDS;
    return fails(c,
                 "%s has %lld physical row%s and the valid region %lldx%lld, expected %lldx%lld "
                 "(%s)",
                 case_name(c, r->a), (long long)tile_dim(t, DIM_ROWS), f.flat ? "" : "s",
                 (long long)tile_dim(t, DIM_VROW), (long long)tile_dim(t, DIM_VCOL),
                 (long long)rows, (long long)cols,
                 f.flat ? "one flat row for all groups" : "a row for each row of src");
}

/* True when the library quantises f32 in a flat row two registers at a time. */
static bool unrolled(const MxForm *f) {
    int64_t all, used;
    return !__builtin_mul_overflow(tile_dim(f->src, DIM_ROWS), f->pitch, &all) &&
           !__builtin_mul_overflow(f->m, f->pitch, &used) && all > 1024 && all % 256 == 0 &&
           used % 256 == 0;
}

/* The factors of a flat row are written in whole registers. */
Answer check_mx_scaling(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    MxForm f;
    if (t == NULL || !describe(c, &f) || !f.flat || (f.b16 && f.nv)) return HOLDS;
    if (f.groups > INT64_MAX / 16) return HOLDS;
    int64_t want = f.b16 ? round_up(f.groups, LANES_B16) * 2
                         : round_up(unrolled(&f) ? 2 * f.groups : f.groups, LANES_F32) * 4;
    int64_t has = tile_bytes(t, c->profile);
    return has < 0 || has >= want
               ? HOLDS
               : fails(c,
                       "%s has %lld bytes and needs %lld: %lld groups, written by whole registers",
                       case_name(c, r->a), (long long)has, (long long)want, (long long)f.groups);
}

Answer check_mx_flat_nv(const Case *c, const Rule *r) {
    MxForm f;
    (void)r;
    if (!describe(c, &f) || !f.flat || !f.b16 || !f.nv) return HOLDS;
    return fails(c,
                 "quantScaleAlg is nv, but %s sources with exponents in one flat row take ocp "
                 "only",
                 elem_infos[f.src->elem].text);
}

Answer check_mx_grid_source(const Case *c, const Rule *r) {
    MxForm f;
    if (!describe_types(c, &f) || f.flat || !f.b16) return HOLDS;
    return fails(c,
                 "%s has element type %s, expected f32: exponents with a row for each row of "
                 "src exist for f32 only",
                 case_name(c, r->a), elem_infos[f.src->elem].text);
}

/* For 2-byte sources the gap after the rows is cleared, a whole register at a time. */
Answer check_mx_padding(const Case *c, const Rule *r) {
    MxForm f;
    int64_t used;
    if (!describe_types(c, &f) || !f.b16 || f.n >= f.pitch || f.pitch <= 0 ||
        LANES_B16 % f.pitch != 0 || __builtin_mul_overflow(f.m, f.pitch, &used) ||
        used % LANES_B16 == 0)
        return HOLDS;
    return fails(c,
                 "%lld rows of %lld elements of %s, with a gap after the %lld valid ones, end "
                 "inside a register of %d",
                 (long long)f.m, (long long)f.pitch, case_name(c, r->a), (long long)f.n, LANES_B16);
}
