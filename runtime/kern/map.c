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
FLOATS(TILE_COSTLY, exp)
FLOATS(TILE_COSTLY, sqrt)
ARITHMETIC(TILES_AND_SCALAR_COSTLY, div)

/* ---- exchanged operands, for rowexpand with an expanded src0 ---- */

#define SWAPPED(OP, E) OP2(r##OP, OP##_##E(y, x), E) MAPS(LOOP, r##OP, E)
WRAPPING(SWAPPED, sub)
ARITHMETIC(SWAPPED, div)
ARITHMETIC(SWAPPED, max)
ARITHMETIC(SWAPPED, min)
FLOATS(TILES_AND_SCALAR_COSTLY, expdif)
FLOATS(SWAPPED, expdif)

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
