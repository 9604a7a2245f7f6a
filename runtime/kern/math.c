/* SPDX-License-Identifier: Apache-2.0 */
/* math.c - bodies of functions that take more than a few instructions: roots, logarithms, powers
 * and remainders. */
#include "ptort_emitted.h"

#include "kern/kern.h"
#include "kern/log.h"
#include "kern/ops.h"
#include "kern/pow.h"
#include "kern/rem.h"
#include "kern/root.h"

/* clang-format off */
FLOATS(TILE_COSTLY, rsqrt)
FLOATS(TILE_COSTLY, log)
ARITHMETIC(TILES_AND_SCALAR_COSTLY, rem)
ARITHMETIC(TILES_AND_SCALAR_COSTLY, fmod)
#define POWERS(X, ...)                                                                             \
    X(__VA_ARGS__, i8) X(__VA_ARGS__, u8) X(__VA_ARGS__, i16) X(__VA_ARGS__, u16)                  \
    X(__VA_ARGS__, i32) X(__VA_ARGS__, u32) X(__VA_ARGS__, f16) X(__VA_ARGS__, bf16)               \
    X(__VA_ARGS__, f32)
POWERS(TILES_AND_SCALAR_COSTLY, pow)
/* clang-format on */
#include "kern/family.h"
