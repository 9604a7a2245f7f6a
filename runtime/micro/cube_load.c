/* SPDX-License-Identifier: Apache-2.0 */
/* cube_load.c - loads of the factors of a product from L1: blocks of 16 rows of 32 bytes, as they
 * are or transposed, and their scales. */
#include "micro/cube.h"

enum { ROWS = 16 };

static const char *const load_names[PTRT_SPACES] = {
    [PTRT_LEFT] = "pto.mte_l1_l0a", [PTRT_RIGHT] = "pto.mte_l1_l0b"};
static const char *const scale_names[PTRT_SPACES] = {
    [PTRT_LEFT] = "pto.mte_l1_l0a_mx", [PTRT_RIGHT] = "pto.mte_l1_l0b_mx"};

/* Which blocks: steps[0] of neighbours, steps[1] that are a stride apart. */
typedef struct blocks {
    int64_t start[2], steps[2], src_stride, dst_stride;
} blocks;

typedef struct load {
    ptrt_core *core;
    uint32_t line;
    int space, elem;
    int64_t src, dst;
    const blocks *b;
} load;

static const unsigned char *source_block(const load *l, int64_t m, int64_t k, int64_t *at) {
    const blocks *b = l->b;
    *at = l->src + ((b->start[1] + k) * b->src_stride + b->start[0] + m) * FRACTAL;
    return place_copied(l->core, PTRT_MAT, *at, FRACTAL, BLOCK);
}

static int no_source(const load *l, int64_t at) {
    return place_fail(l->core, l->line, load_names[l->space], PTRT_MAT, at, FRACTAL, BLOCK);
}

/* Sets p to the destination's memory from the first to the last block. */
static int destination(const load *l, int64_t across, int64_t down, unsigned char **p) {
    const uint64_t bytes = (uint64_t)(((across - 1) * l->b->dst_stride + down) * FRACTAL);
    const uint64_t size = matrix_bytes(l->core, l->space);
    *p = place_at(l->core, l->space, l->dst, bytes, FRACTAL);
    if (*p == NULL || bytes > size || (uint64_t)l->dst > size - bytes)
        return place_fail(l->core, l->line, load_names[l->space], l->space, l->dst, bytes, FRACTAL);
    return PTRT_OK;
}

static void touch_destination(const load *l, const unsigned char *p, int64_t across, int64_t down) {
    for (int64_t i = 0; l->core->watch && i < across; i++)
        ptrt_touch(l->core, p + i * l->b->dst_stride * FRACTAL, (uint64_t)(down * FRACTAL), true);
}

static int load_plain(const load *l) {
    const int64_t down = l->b->steps[0], across = l->b->steps[1];
    unsigned char *p;
    const int code = destination(l, across, down, &p);
    if (code != PTRT_OK) return code;
    touch_destination(l, p, across, down);
    for (int64_t k = 0; k < across; k++)
        for (int64_t m = 0; m < down; m++) {
            int64_t at;
            const unsigned char *s = source_block(l, m, k, &at);
            if (s == NULL) return no_source(l, at);
            memcpy(p + (k * l->b->dst_stride + m) * FRACTAL, s, FRACTAL);
        }
    return PTRT_OK;
}

/* Transposes a block of the source whose first element is (row, col). Element (r, c) is lane
 * r % lanes of row c of the destination's column r / lanes, because the rows of all its blocks
 * follow one another. */
#define TRANSPOSE(NAME, T)                                                                         \
    static void transpose_##NAME(const load *l, unsigned char *p, const unsigned char *s,          \
                                 int64_t row, int64_t col) {                                       \
        enum { LANES = BLOCK / sizeof(T), SIZE = sizeof(T) };                                      \
        for (int64_t r = row; r < row + ROWS; r++) {                                               \
            unsigned char *d =                                                                     \
                p + r / LANES * l->b->dst_stride * FRACTAL + col * BLOCK + r % LANES * SIZE;       \
            for (int c = 0; c < LANES; c++, s += SIZE)                                             \
                memcpy(d + c * BLOCK, s, SIZE);                                                    \
        }                                                                                          \
    }
TRANSPOSE(1, uint8_t)
TRANSPOSE(2, uint16_t)
TRANSPOSE(4, uint32_t)

/* The same for numbers of 4 bits. */
static void transpose_half(const load *l, unsigned char *p, const unsigned char *s, int64_t row,
                           int64_t col) {
    enum { LANES = 2 * BLOCK };
    for (int64_t r = row; r < row + ROWS; r++) {
        unsigned char *d = p + r / LANES * l->b->dst_stride * FRACTAL + col * BLOCK + r % LANES / 2;
        const unsigned shift = r % 2 ? 4 : 0;
        for (int c = 0; c < LANES; c++, d += BLOCK) {
            const unsigned x = (unsigned)s[c / 2] >> (c % 2 * 4) & 15u;
            *d = (unsigned char)((*d & (0xF0u >> shift)) | x << shift);
        }
        s += BLOCK;
    }
}

static int load_transposed(const load *l) {
    const int64_t lanes = lanes_of(l->elem), size = BLOCK / lanes;
    const int64_t rows = ROWS * l->b->steps[0], cols = lanes * l->b->steps[1];
    const int64_t across = parts_of(rows, lanes), down = cols / ROWS;
    unsigned char *p;
    const int code = destination(l, across, down, &p);
    if (code != PTRT_OK) return code;
    touch_destination(l, p, across, down);
    for (int64_t k = 0; k < l->b->steps[1]; k++)
        for (int64_t m = 0; m < l->b->steps[0]; m++) {
            int64_t at;
            const unsigned char *s = source_block(l, m, k, &at);
            if (s == NULL) return no_source(l, at);
            (size == 4   ? transpose_4
             : size == 2 ? transpose_2
             : size == 1 ? transpose_1
                         : transpose_half)(l, p, s, m * ROWS, k * lanes);
        }
    return PTRT_OK;
}

static int load_blocks(const load *l, bool transposes) {
    const blocks *b = l->b;
    const int err = CHECK_SIZES(l->core, l->line, load_names[l->space], b->start[0], b->start[1],
                                b->steps[0], b->steps[1], b->src_stride, b->dst_stride);
    if (err != 0) return err;
    if (b->steps[0] == 0 || b->steps[1] == 0) return PTRT_OK;
    return transposes ? load_transposed(l) : load_plain(l);
}

int ptrt_load_l0_blocks(ptrt_core *core, uint32_t line, int space, int elem, int64_t src,
                        int64_t dst, int64_t m_start, int64_t k_start, int64_t m_step,
                        int64_t k_step, int64_t src_stride, int64_t dst_stride, int64_t transpose) {
    const blocks b = {{m_start, k_start}, {m_step, k_step}, src_stride, dst_stride};
    const load l = {core, line, space, elem, src, dst, &b};
    return load_blocks(&l, (transpose & 1) != 0);
}

/* `lines` are rows of the left factor, columns of the right one. Transposed, L1 has the matrix with
 * its lines as columns. Starts count blocks, of pairs two. */
int ptrt_load_l0(ptrt_core *core, uint32_t line, int space, int elem, int64_t src, int64_t dst,
                 int64_t lines, int64_t depth, int64_t row, int64_t col, int transpose) {
    const int64_t lanes = lanes_of(elem), unit = lanes > ROWS ? lanes : ROWS;
    const int64_t whole_lines = up_to(lines, unit), whole_depth = up_to(depth, unit);
    blocks b = {.start = {row, is_pair(elem) ? col / 2 : col}};
    const load l = {core, line, space, elem, src, dst, &b};
    const int err = CHECK_SIZES(core, line, load_names[space], lines, depth);
    if (err != 0) return err;
    if (!transpose) {
        b.steps[0] = b.src_stride = b.dst_stride = parts_of(lines, ROWS);
        b.steps[1] = parts_of(depth, lanes);
    } else {
        b.steps[0] = b.src_stride = whole_depth / ROWS;
        b.steps[1] = parts_of(whole_lines, lanes);
        b.dst_stride = whole_lines / ROWS;
    }
    return load_blocks(&l, transpose);
}

/* ---- scales ---- */

static int load_scales(ptrt_core *core, uint32_t line, int space, int64_t src, int64_t dst,
                       const blocks *b) {
    const char *op = scale_names[space];
    const int64_t first = (int64_t)matrix_bytes(core, space);
    const uint64_t bytes = (uint64_t)b->steps[1] * BLOCK;
    const int err = CHECK_SIZES(core, line, op, b->start[0], b->start[1], b->steps[0], b->steps[1],
                                b->src_stride, b->dst_stride, dst);
    if (err != 0) return err;
    for (int64_t x = 0; x < b->steps[0] && bytes > 0; x++) {
        const int64_t from = src + ((b->start[0] + x) * b->src_stride + b->start[1]) * BLOCK;
        const int64_t to = dst + x * b->dst_stride * BLOCK;
        const unsigned char *s = place_copied(core, PTRT_MAT, from, bytes, BLOCK);
        if (s == NULL) return place_fail(core, line, op, PTRT_MAT, from, bytes, BLOCK);
        unsigned char *d = place_write(core, space, first + to, bytes, BLOCK);
        if (d == NULL) return place_fail(core, line, op, space, first + to, bytes, BLOCK);
        memcpy(d, s, bytes);
    }
    return PTRT_OK;
}

int ptrt_load_scale_blocks(ptrt_core *core, uint32_t line, int space, int64_t src, int64_t dst,
                           int64_t x_start, int64_t y_start, int64_t x_step, int64_t y_step,
                           int64_t src_stride, int64_t dst_stride, int divisor) {
    const blocks b = {{x_start, y_start}, {x_step, y_step}, src_stride, dst_stride};
    return load_scales(core, line, space, src, dst / divisor, &b);
}

int ptrt_load_scales(ptrt_core *core, uint32_t line, int space, int64_t src, int64_t dst,
                     int64_t lines, int64_t depth, int64_t row, int64_t col) {
    const int64_t groups = parts_of(parts_of(depth, 32), 2);
    const blocks b = {{row, col}, {parts_of(lines, ROWS), groups}, groups, groups};
    return load_scales(core, line, space, src, dst / PTRT_BYTES_PER_SCALE, &b);
}
