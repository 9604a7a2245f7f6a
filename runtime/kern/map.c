/* SPDX-License-Identifier: Apache-2.0 */
/* map.c - bodies of elementwise operations. */
#include "ptort_emitted.h"

#include "kern/arith.h"
#include "kern/kern.h"

/* clang-format off */

/* ---- arithmetic ---- */

WRAPPING(TILES_AND_SCALAR, add)
WRAPPING(TILES_AND_SCALAR, sub)
WRAPPING(TILES_AND_SCALAR, mul)
ARITHMETIC(TILES_AND_SCALAR, max)
ARITHMETIC(TILES_AND_SCALAR, min)
WRAPPING(TILE, neg)
SIGNED_OR_FLOAT(TILE, abs)
SIGNED_OR_FLOAT(TILE, relu)
FLOATS(TILES_AND_SCALAR, prelu)
TILES(addrelu, i16)
TILES(addrelu, f16)
TILES(addrelu, f32)
FLOATS(TILE_COSTLY, recip)
#define EXP_TILE(OP, E) MAP1(EXPS_##E, OP, E)
FLOATS(EXP_TILE, exp)
FLOATS(TILE_COSTLY, sqrt)
ARITHMETIC(TILES_AND_SCALAR_COSTLY, div)

/* ---- exchanged operands, for rowexpand with an expanded src0 ---- */

#define SWAPPED(OP, E) OP2(r##OP, OP##_##E(y, x), E) MAPS(LOOP, r##OP, E)
WRAPPING(SWAPPED, sub)
ARITHMETIC(SWAPPED, div)
ARITHMETIC(SWAPPED, max)
ARITHMETIC(SWAPPED, min)
#define EXPDIFS(OP, E) MAP2(EXPS_##E, OP, E) MAPS(EXPS_##E, OP, E)
#define EXPDIFS_SWAPPED(OP, E)                                                                     \
    OP2(r##OP##_power, OP##_power_##E(y, x), E)                                                    \
    OP2(r##OP, OP##_##E(y, x), E) MAPS(EXPS_##E, r##OP, E)
FLOATS(EXPDIFS, expdif)
FLOATS(EXPDIFS_SWAPPED, expdif)

/* ---- bits ---- */

UNSIGNED(TILES_AND_SCALAR, and)
UNSIGNED(TILES_AND_SCALAR, or)
UNSIGNED(TILES_AND_SCALAR, xor)
UNSIGNED(TILE, not)
UNSIGNED(TILES_COSTLY, shl)
INTEGERS(TILES_COSTLY, shr)
#define SHIFT_SCALAR(OP, E) MAPS(LOOP, OP, E)
UNSIGNED(SHIFT_SCALAR, shls)
INTEGERS(SHIFT_SCALAR, shrs)
/* clang-format on */
#include "kern/family.h"
