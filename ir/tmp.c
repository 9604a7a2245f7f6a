/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of scratch tiles (ops-elementwise section 9). */
#include "ir/tmp.h"

enum { BLOCK = 32 }; /* bytes that the vector unit accesses at a time */

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

int64_t predicate_row_bytes(int64_t vcol) {
    return most(BLOCK, round_up(ceil_div(vcol, 8), BLOCK));
}

/* f32 -> i16 uses whole repeats of 64 elements, then single blocks for the rest of each row. */
static int64_t f32_i16_bytes(const Type *src, const Type *dst) {
    enum { REPEAT = 64, REPEATS = 255 };
    int64_t rows = most(dst->tile.vrow, 1), cols = dst->tile.vcol, rest = cols % REPEAT;
    int64_t head = 256 * least(cols / REPEAT, REPEATS);
    int64_t stride = least(src->tile.cols, INT32_MAX) / 8;
    int64_t tail =
        rest == 0 ? 0 : BLOCK * ((least(rows, REPEATS) - 1) * stride + ceil_div(rest, 8));
    return most(head, tail);
}

int64_t narrowing_tmp_most(const Type *src, const Type *dst) {
    enum { REPEAT = 64 };
    Type whole = *dst, rest = *dst;
    whole.tile.vrow = rest.tile.vrow = dst->tile.rows;
    whole.tile.vcol = dst->tile.cols;
    /* the most blocks for the rest of a row */
    rest.tile.vcol = dst->tile.cols / REPEAT * REPEAT - 1;
    if (dst->tile.cols % REPEAT == REPEAT - 1 || rest.tile.vcol < 0)
        rest.tile.vcol = dst->tile.cols;
    return most(narrowing_tmp_bytes(src, &whole), narrowing_tmp_bytes(src, &rest));
}

int64_t narrowing_tmp_bytes(const Type *src, const Type *dst) {
    bool i16 = dst->elem == ELEM_I16 || dst->elem == ELEM_SI16;
    bool i8 = dst->elem == ELEM_I8 || dst->elem == ELEM_SI8;
    bool f32 = src->elem == ELEM_F32, f16 = src->elem == ELEM_F16;
    if (!(i16 && (f32 || f16)) && !(i8 && f16)) return 0;
    if (dst->tile.vrow == DYNAMIC || dst->tile.vcol == DYNAMIC) return DYNAMIC;
    if (f32) return f32_i16_bytes(src, dst);
    int64_t width = least(dst->tile.vcol, 64), bytes = BLOCK * ceil_div(width, 8);
    return i16 ? bytes : most(bytes, 128 + BLOCK * ceil_div(width, 16));
}
