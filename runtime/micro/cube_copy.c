/* SPDX-License-Identifier: Apache-2.0 */
/* cube_copy.c - copies to and from L1, the tables of bias and factors, and what fills L1. */
#include "micro/bursts.h"
#include "micro/cube.h"

enum { LOOPS_TO_L1 = 2 }; /* of the registers */

/* ---- what copies share ---- */

int cube_check_sizes(ptrt_core *core, uint32_t line, const char *op, int n, const int64_t *sizes) {
    for (int i = 0; i < n; i++)
        if (sizes[i] < 0 || sizes[i] > INT64_C(1) << 40)
            return ptrt_fail(core, PTRT_E_ARG, line, "%s: a size of %lld", op, (long long)sizes[i]);
    return PTRT_OK;
}

int64_t cube_extent(const columns_of_rows *m) {
    if (m->columns == 0 || m->rows == 0) return 0;
    return (m->columns - 1) * m->pitch + (m->rows - 1) * m->row + m->last;
}

void cube_touch(ptrt_core *core, const unsigned char *p, const columns_of_rows *m, bool writes) {
    for (int64_t c = 0; c < m->columns; c++, p += m->pitch) {
        if (c < m->columns - 1 || m->last == m->row) {
            ptrt_touch(core, p, (uint64_t)(m->rows * m->row), writes);
            continue;
        }
        for (int64_t r = 0; r < m->rows; r++)
            ptrt_touch(core, p + r * m->row, (uint64_t)m->last, writes);
    }
}

/* A place on the chip: the core whose memory it is, which is not always the one that runs. */
typedef struct end {
    const ptrt_core *owner;
    int space;
    int64_t at;
} end;

/* Copies a burst of `len` bytes on the chip. */
static int copy_burst(ptrt_core *core, uint32_t line, const char *op, const end *src,
                      const end *dst, uint64_t len, uint64_t align) {
    const unsigned char *s = place_copied(core, src->space, src->at, len, align);
    if (s == NULL) return place_fail(core, line, op, src->space, src->at, len, align);
    unsigned char *d = place_write_of(core, dst->owner, dst->space, dst->at, len, align);
    if (d == NULL) return place_fail(core, line, op, dst->space, dst->at, len, align);
    memmove(d, s, len);
    return PTRT_OK;
}

static int copy_bursts(ptrt_core *core, uint32_t line, const char *op, end src, end dst,
                       uint64_t len, uint64_t align, bursts *b) {
    const int64_t s = src.at, d = dst.at;
    int64_t from = 0, to = 0;
    if (b->n > MOST_LOOPS) return ptrt_fail(core, PTRT_E_ARG, line, "%s: too many loops", op);
    if (!bursts_run(b)) return PTRT_OK;
    do {
        for (int64_t r = 0; r < b->count; r++) {
            src.at = s + from + r * b->src_stride;
            dst.at = d + to + r * b->dst_stride;
            const int err = copy_burst(core, line, op, &src, &dst, len, align);
            if (err != 0) return err;
        }
    } while (bursts_next(b, &from, &to));
    return PTRT_OK;
}

/* Returns the vector core that a cube core names, or the cube core where the block has none, which
 * then has that memory itself. */
static const ptrt_core *vector_core(ptrt_core *core, int64_t sub) {
    const ptrt_core *v = core->cube ? ptrt_peer(core, false, (int32_t)sub) : NULL;
    return v != NULL ? v : core;
}

static const ptrt_core *cube_core(ptrt_core *core) {
    const ptrt_core *c = core->cube ? NULL : ptrt_peer(core, true, 0);
    return c != NULL ? c : core;
}

/* ---- global memory to L1 ---- */

static int load_bursts(ptrt_core *core, uint32_t line, const char *op, const char *src, int64_t dst,
                       int64_t len, bursts *b) {
    int64_t from = 0, to = dst;
    int err = CHECK_SIZES(core, line, op, len);
    if (err != 0) return err;
    if (b->n > MOST_LOOPS) return ptrt_fail(core, PTRT_E_ARG, line, "%s: too many loops", op);
    if (!bursts_run(b)) return PTRT_OK;
    do {
        for (int64_t r = 0; r < b->count; r++) {
            const int64_t at = to + r * b->dst_stride;
            const char *q = src + from + r * b->src_stride;
            unsigned char *p = place_write(core, PTRT_MAT, at, (uint64_t)len, BLOCK);
            if (p == NULL) return place_fail(core, line, op, PTRT_MAT, at, (uint64_t)len, BLOCK);
            err = place_global(core, line, op, q, (uint64_t)len, false);
            if (err != 0) return err;
            memcpy(p, q, (size_t)len);
        }
    } while (bursts_next(b, &from, &to));
    return PTRT_OK;
}

int ptrt_copy_gm_l1(ptrt_core *core, uint32_t line, const void *src, int64_t dst, int64_t len,
                    int64_t count, int64_t src_stride, int64_t dst_stride, int loops,
                    const int64_t *counts, const int64_t *src_strides, const int64_t *dst_strides) {
    bursts b = {count, src_stride, dst_stride, loops, counts, src_strides, dst_strides, {0}};
    if (loops > 0)
        core->registers.loops[LOOPS_TO_L1].count[0] = core->registers.loops[LOOPS_TO_L1].count[1] =
            1;
    return load_bursts(core, line, "pto.mte_gm_l1", src, dst, len, &b);
}

int ptrt_copy_gm_to_cbuf(ptrt_core *core, uint32_t line, const void *src, int64_t dst, int64_t len,
                         int64_t count, int64_t src_stride, int64_t dst_stride) {
    const ptrt_copy_loops *l = &core->registers.loops[LOOPS_TO_L1];
    bursts b = {count, src_stride, dst_stride, 2, l->count, l->src, l->dst, {0}};
    return load_bursts(core, line, "pto.copy_gm_to_cbuf", src, dst, len, &b);
}

/* ---- matrices to fractals ---- */

/* Matrices of n x d elements: element (i, j) is at i * row + j * col bytes of its matrix in global
 * memory, and matrices are `outer` bytes apart. Strides of the destination count blocks. */
typedef struct fractal_load {
    const char *op;
    const unsigned char *src;
    int64_t dst, size, n, d, row, col, outer, groups, row_step, column_step, group_step;
} fractal_load;

/* Copies columns first .. first + lanes - 1 of row i, which form a block, and clears the rest. */
static int load_block(ptrt_core *core, uint32_t line, const fractal_load *f,
                      const unsigned char *from, int64_t to, int64_t lanes) {
    const uint64_t run = (uint64_t)(f->col == f->size ? lanes * f->size : f->size);
    unsigned char *p = place_write(core, PTRT_MAT, to, BLOCK, BLOCK);
    if (p == NULL) return place_fail(core, line, f->op, PTRT_MAT, to, BLOCK, BLOCK);
    for (int64_t at = 0, k = 0; at < lanes * f->size; at += (int64_t)run, k++) {
        const int err = place_global(core, line, f->op, from + k * f->col, run, false);
        if (err != 0) return err;
        memcpy(p + at, from + k * f->col, run);
    }
    memset(p + lanes * f->size, 0, (size_t)(BLOCK - lanes * f->size));
    return PTRT_OK;
}

static int load_matrix(ptrt_core *core, uint32_t line, const fractal_load *f, int64_t g) {
    const int64_t lanes = BLOCK / f->size;
    for (int64_t c = 0; c * lanes < f->d; c++)
        for (int64_t i = 0; i < f->n; i++) {
            const int64_t left = f->d - c * lanes;
            const unsigned char *from = f->src + g * f->outer + i * f->row + c * lanes * f->col;
            const int64_t to =
                f->dst + (g * f->group_step + c * f->column_step + i * f->row_step) * BLOCK;
            const int err = load_block(core, line, f, from, to, left < lanes ? left : lanes);
            if (err != 0) return err;
        }
    return PTRT_OK;
}

/* Where a mode with few channels places them is not known. */
static int load_fractals(ptrt_core *core, uint32_t line, const fractal_load *f, int64_t small) {
    const int err = CHECK_SIZES(core, line, f->op, f->n, f->d, f->groups);
    if (err != 0) return err;
    if ((small & 1) != 0)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: no meaning is known of small_c0", f->op);
    for (int64_t g = 0; g < f->groups; g++) {
        const int code = load_matrix(core, line, f, g);
        if (code != 0) return code;
    }
    return PTRT_OK;
}

int ptrt_load_fractals(ptrt_core *core, uint32_t line, int elem, const void *src, int64_t dst,
                       int by_columns, int64_t n, int64_t d, int64_t inner, int64_t outer,
                       int64_t groups, int64_t row_step, int64_t column_step, int64_t group_step,
                       int64_t small) {
    const int64_t size = (int64_t)ptrt_elem_size(elem);
    const fractal_load f = {.op = "pto.mte_gm_l1_frac",
                            .src = src,
                            .dst = dst,
                            .size = size,
                            .n = n,
                            .d = d,
                            .row = by_columns ? size : inner,
                            .col = by_columns ? inner : size,
                            .outer = outer,
                            .groups = groups,
                            .row_step = row_step,
                            .column_step = column_step,
                            .group_step = group_step};
    return load_fractals(core, line, &f, small);
}

int ptrt_copy_gm_to_cbuf_multi(ptrt_core *core, uint32_t line, int elem, const void *src,
                               int64_t dst, int by_columns, int64_t inner, int64_t n, int64_t d,
                               int64_t outer, int64_t small) {
    const int64_t size = (int64_t)ptrt_elem_size(elem);
    const uint64_t para = core->registers.nz_para;
    const fractal_load f = {.op = by_columns ? "pto.copy_gm_to_cbuf_multi_dn2nz"
                                             : "pto.copy_gm_to_cbuf_multi_nd2nz",
                            .src = src,
                            .dst = dst,
                            .size = size,
                            .n = n,
                            .d = d,
                            .row = by_columns ? size : inner,
                            .col = by_columns ? inner : size,
                            .outer = outer,
                            .groups = para & 0xFFFF,
                            .row_step = para >> 16 & 0xFFFF,
                            .column_step = para >> 32 & 0xFFFF,
                            .group_step = (int64_t)(para >> 48)};
    return load_fractals(core, line, &f, small);
}

/* ---- between L1 and the vector memories ---- */

int ptrt_copy_l1_ub(ptrt_core *core, uint32_t line, int64_t src, int64_t dst, int64_t sub,
                    int64_t len, int64_t count, int64_t src_gap, int64_t dst_gap, int loops,
                    const int64_t *counts, const int64_t *src_strides, const int64_t *dst_strides) {
    static const char op[] = "pto.mte_l1_ub";
    bursts b = {count,
                (len + src_gap) * BLOCK,
                (len + dst_gap) * BLOCK,
                loops,
                counts,
                src_strides,
                dst_strides,
                {0}};
    const int err = CHECK_SIZES(core, line, op, len, src_gap, dst_gap);
    if (err != 0) return err;
    return copy_bursts(core, line, op, (end){core, PTRT_MAT, src},
                       (end){vector_core(core, sub & 1), PTRT_VEC, dst}, (uint64_t)len * BLOCK,
                       BLOCK, &b);
}

int ptrt_copy_ub_l1(ptrt_core *core, uint32_t line, int64_t src, int64_t dst, int64_t len,
                    int64_t count, int64_t src_gap, int64_t dst_gap) {
    static const char op[] = "pto.mte_ub_l1";
    bursts b = {.count = count,
                .src_stride = (len + src_gap) * BLOCK,
                .dst_stride = (len + dst_gap) * BLOCK};
    const int err = CHECK_SIZES(core, line, op, len, src_gap, dst_gap);
    if (err != 0) return err;
    return copy_bursts(core, line, op, (end){core, PTRT_VEC, src},
                       (end){cube_core(core), PTRT_MAT, dst}, (uint64_t)len * BLOCK, BLOCK, &b);
}

/* ---- tables ---- */

static uint32_t widened(int elem, const unsigned char *p) {
    uint16_t half;
    uint32_t word;
    memcpy(&half, p, sizeof half);
    if (elem == PTRT_BF16) return (uint32_t)half << 16;
    if (elem == PTRT_F16) {
        const float f = ptrt_extf_f16_f32(half);
        memcpy(&word, &f, sizeof word);
        return word;
    }
    memcpy(&word, p, sizeof word);
    return word;
}

/* Programs load more than the table holds: what goes beyond its end is dropped. Gaps of the
 * destination count blocks, like those of the source; no source says so. */
int ptrt_load_bias(ptrt_core *core, uint32_t line, int elem, int64_t src, int64_t dst, int64_t len,
                   int64_t count, int64_t src_gap, int64_t dst_gap) {
    static const char op[] = "pto.mte_l1_bt";
    const int64_t size = (int64_t)ptrt_elem_size(elem), n = len * BLOCK / size;
    const int err = CHECK_SIZES(core, line, op, len, src_gap, dst_gap);
    if (err != 0) return err;
    for (int64_t r = 0; r < count; r++, src += (len + src_gap) * BLOCK) {
        const uint64_t bytes = (uint64_t)len * BLOCK;
        const int64_t room = ((int64_t)core->space_size[PTRT_BIAS] - dst) / 4;
        const int64_t most = room < 0 ? 0 : n < room ? n : room;
        const unsigned char *s = place_copied(core, PTRT_MAT, src, bytes, BLOCK);
        if (s == NULL) return place_fail(core, line, op, PTRT_MAT, src, bytes, BLOCK);
        unsigned char *d = place_write(core, PTRT_BIAS, dst, (uint64_t)most * 4, BLOCK);
        if (d == NULL) return place_fail(core, line, op, PTRT_BIAS, dst, (uint64_t)most * 4, BLOCK);
        for (int64_t i = 0; i < most; i++) {
            const uint32_t word = widened(elem, s + i * size);
            memcpy(d + i * 4, &word, sizeof word);
        }
        dst += n * 4 + dst_gap * BLOCK;
    }
    return PTRT_OK;
}

int ptrt_load_factors(ptrt_core *core, uint32_t line, int64_t src, int64_t dst, int64_t len,
                      int64_t count, int64_t src_gap, int64_t dst_gap) {
    static const char op[] = "pto.mte_l1_fb";
    bursts b = {.count = count,
                .src_stride = (len + src_gap) * FACTOR_ROW,
                .dst_stride = (len + dst_gap) * FACTOR_ROW};
    const int err = CHECK_SIZES(core, line, op, len, src_gap, dst_gap);
    if (err != 0) return err;
    return copy_bursts(core, line, op, (end){core, PTRT_MAT, src}, (end){core, PTRT_SCALING, dst},
                       (uint64_t)len * FACTOR_ROW, BLOCK, &b);
}

/* ---- what fills L1 ---- */

int ptrt_fill_l1(ptrt_core *core, uint32_t line, int64_t dst, int64_t offset, int64_t value,
                 int64_t count, int64_t blocks, int64_t gap, int bits) {
    static const char op[] = "pto.raw_fill_l1";
    const int err = CHECK_SIZES(core, line, op, blocks, gap);
    if (err != 0) return err;
    for (int64_t r = 0; r < count; r++) {
        const int64_t at = dst + offset + r * (blocks + gap) * BLOCK;
        const uint64_t bytes = (uint64_t)blocks * BLOCK;
        unsigned char *p = place_write(core, PTRT_MAT, at, bytes, BLOCK);
        if (p == NULL) return place_fail(core, line, op, PTRT_MAT, at, bytes, BLOCK);
        for (uint64_t i = 0; i < bytes; i++)
            p[i] = (unsigned char)((uint64_t)value >> (8 * (i % (unsigned)(bits / 8))));
    }
    return PTRT_OK;
}

/* ---- registers ---- */

/* Strides: the source's in the low 40 bits, the destination's above. */
int ptrt_set_l1_strides(ptrt_core *core, uint32_t line, int loop, int64_t word) {
    (void)line;
    core->registers.loops[LOOPS_TO_L1].src[loop] = word & ((INT64_C(1) << 40) - 1);
    core->registers.loops[LOOPS_TO_L1].dst[loop] = (int64_t)((uint64_t)word >> 40);
    return PTRT_OK;
}

/* Counts: the inner loop's in the low 21 bits, the outer one's above. */
int ptrt_set_l1_counts(ptrt_core *core, uint32_t line, int64_t word) {
    (void)line;
    core->registers.loops[LOOPS_TO_L1].count[0] = word & 0x1FFFFF;
    core->registers.loops[LOOPS_TO_L1].count[1] = word >> 21 & 0x1FFFFF;
    return PTRT_OK;
}

int ptrt_set_cube_register(ptrt_core *core, uint32_t line, int which, int64_t word) {
    uint64_t *const registers[] = {&core->registers.nz_para, &core->registers.pad1,
                                   &core->registers.loop3,   &core->registers.channel,
                                   &core->registers.quant,   &core->registers.alpha,
                                   &core->registers.clip,    &core->registers.fpc};
    (void)line;
    *registers[which] = (uint64_t)word;
    return PTRT_OK;
}

int ptrt_set_cube_words(ptrt_core *core, uint32_t line, int which, int64_t low, int64_t high) {
    const uint64_t word = ((uint64_t)low & ((UINT64_C(1) << 40) - 1)) | (uint64_t)high << 40;
    return ptrt_set_cube_register(core, line, which, (int64_t)word);
}
