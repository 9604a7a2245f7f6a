/* map.c - bodies of elementwise operations. */
#include "ptort.h"

#include "kern/exp.h"
#include "kern/kern.h"
#include "kern/ops.h"

/* clang-format off */

/* ---- arithmetic ---- */

WRAPPING(OP2, add, x + y)
WRAPPING(TILES_AND_SCALAR, add)
WRAPPING(OP2, sub, x - y)
WRAPPING(TILES_AND_SCALAR, sub)
WRAPPING(OP2, mul, x * y)
WRAPPING(TILES_AND_SCALAR, mul)
/* Returns the first operand unless it is smaller (larger), also for NaN and for zeros of both
 * signs. */
ARITHMETIC(OP2, max, SELECT(X_TYPE, x < y, y, x))
ARITHMETIC(TILES_AND_SCALAR, max)
ARITHMETIC(OP2, min, SELECT(X_TYPE, y < x, y, x))
ARITHMETIC(TILES_AND_SCALAR, min)

WRAPPING(OP1, neg, -x)
WRAPPING(TILE, neg)
/* Negates as unsigned, so that the smallest integer stays as it is. */
SIGNED(OP1, abs, (x ^ (x >> (8 * sizeof x[0] - 1))) - (x >> (8 * sizeof x[0] - 1)))
FLOATS(OP1, abs, SELECT(X_TYPE, x < NONE, -x, x))
SIGNED_OR_FLOAT(TILE, abs)
SIGNED_OR_FLOAT(OP1, relu, SELECT(X_TYPE, x < NONE, NONE, x))
SIGNED_OR_FLOAT(TILE, relu)
FLOATS(OP2, prelu, SELECT(X_TYPE, x > NONE, x, x * y))
FLOATS(TILES_AND_SCALAR, prelu)
/* The sum wraps before it is compared. */
#define OP2_SUM_RELU(OP, E) OP2(OP, relu_##E((c_##E)(x + y)), E)
OP2_SUM_RELU(addrelu, i16)
OP2_SUM_RELU(addrelu, f16)
OP2_SUM_RELU(addrelu, f32)
TILES(addrelu, i16)
TILES(addrelu, f16)
TILES(addrelu, f32)

/* f16 and bf16 divide and take roots in f32: rounding the 24-bit result again gives the correctly
 * rounded one. */
FLOATS(OP1, recip, 1.0f / x)
FLOATS(TILE_COSTLY, recip)
FLOATS(TILE_COSTLY, exp)
FLOATS(TILE_COSTLY, sqrt)

FLOATS(OP2, div, x / y)
/* Truncates. Division by 0 gives 0; the smallest integer divided by -1 wraps. Lane by lane, because
 * there is no vector instruction. */
#define IS_MINUS_1(by) ((__typeof__(by))-1 < 1 && (by) == (__typeof__(by))-1)
#define DIVIDE(OP, E)                                                                              \
    PTRT_INLINE c_##E div_##E(c_##E x, c_##E y) {                                                  \
        c_##E q;                                                                                   \
        for (int i = 0; i < N_##E; i++) {                                                          \
            const s_##E p = x[i], by = y[i];                                                       \
            q[i] = (__typeof__(q[0]))(by == 0 ? 0 : IS_MINUS_1(by) ? 0 - (uint64_t)p : (uint64_t)(p / by));   \
        }                                                                                          \
        return q;                                                                                  \
    }
INTEGERS(DIVIDE, div)
ARITHMETIC(TILES_AND_SCALAR_COSTLY, div)

/* ---- exchanged operands, for rowexpand with an expanded src0 ---- */

#define SWAPPED(OP, E) OP2(r##OP, OP##_##E(y, x), E) MAPS(LOOP, r##OP, E)
WRAPPING(SWAPPED, sub)
ARITHMETIC(SWAPPED, div)
ARITHMETIC(SWAPPED, max)
ARITHMETIC(SWAPPED, min)
/* The difference is rounded to the element type before exp. */
#define DIFFERENCE_f16(x, y) f16_widen(f16_round(x - y))
#define DIFFERENCE_bf16(x, y) bf16_widen(bf16_round(x - y))
#define DIFFERENCE_f32(x, y) (x - y)
#define DIFFERENCE_f64(x, y) (x - y)
#define EXPDIF(OP, E) OP2(OP, exp_##E(DIFFERENCE_##E(x, y)), E)
FLOATS(EXPDIF, expdif)
FLOATS(TILES_AND_SCALAR_COSTLY, expdif)
FLOATS(SWAPPED, expdif)

/* ---- bits ---- */

UNSIGNED(OP2, and, x & y)
UNSIGNED(TILES_AND_SCALAR, and)
UNSIGNED(OP2, or, x | y)
UNSIGNED(TILES_AND_SCALAR, or)
UNSIGNED(OP2, xor, x ^ y)
UNSIGNED(TILES_AND_SCALAR, xor)
UNSIGNED(OP1, not, ~x)
UNSIGNED(TILE, not)

/* Counts are taken modulo 32 (64 for 64-bit elements), and the value is shifted as if widened to 32
 * bits: a count beyond the width of a narrow element leaves 0 or the sign. */
#define WIDTH (int)(8 * sizeof x[0])
#define COUNT (y & (WIDTH == 64 ? 63 : 31))
UNSIGNED(OP2, shl, SELECT(X_TYPE, COUNT < WIDTH, x << (y & (WIDTH - 1)), NONE))
UNSIGNED(TILES_AND_SCALAR_COSTLY, shl)
UNSIGNED(OP2, shr, SELECT(X_TYPE, COUNT < WIDTH, x >> (y & (WIDTH - 1)), NONE))
SIGNED(OP2, shr, x >> SELECT(X_TYPE, COUNT < WIDTH, y & (WIDTH - 1), NONE + (WIDTH - 1)))
INTEGERS(TILES_AND_SCALAR_COSTLY, shr)

#define PTRT_SHAPE_map1 map1
#define PTRT_SHAPE_map2 map2
#define PTRT_SHAPE_maps maps
#define PTRT_SHAPE_part map2
#define PTRT_SHAPE_rowexpand maps
#define PTRT_SHAPE_colexpand map2
#define MAP(id, name, when, driver, args, elems, types, body)                                      \
    PTRT_TYPES_##types(PTRT_ROW, id, PTRT_SHAPE_##driver, body)
static const ptrt_body_row rows[] = {
#include "ptort_kernels.def"
};
/* clang-format on */
PTRT_BODIES(map)
