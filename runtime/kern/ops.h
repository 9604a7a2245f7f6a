/* SPDX-License-Identifier: Apache-2.0 */
/* ops.h - macros with which the families of elementwise operations define them: lists of element
 * types, functions on compute vectors, and their bodies. */
#ifndef PTORT_KERN_OPS_H
#define PTORT_KERN_OPS_H

#include "kern/map.h"

/* ---- lists of types ---- */

#define UNSIGNED(X, ...)                                                                           \
    X(__VA_ARGS__, u8) X(__VA_ARGS__, u16) X(__VA_ARGS__, u32) X(__VA_ARGS__, u64)
#define SIGNED(X, ...)                                                                             \
    X(__VA_ARGS__, i8) X(__VA_ARGS__, i16) X(__VA_ARGS__, i32) X(__VA_ARGS__, i64)
#define FLOATS(X, ...)                                                                             \
    X(__VA_ARGS__, f16) X(__VA_ARGS__, bf16) X(__VA_ARGS__, f32) X(__VA_ARGS__, f64)
/* Types for which the bodies of unsigned integers also serve the signed ones. */
#define WRAPPING(X, ...) UNSIGNED(X, __VA_ARGS__) FLOATS(X, __VA_ARGS__)
#define ARITHMETIC(X, ...) UNSIGNED(X, __VA_ARGS__) SIGNED(X, __VA_ARGS__) FLOATS(X, __VA_ARGS__)
#define INTEGERS(X, ...) UNSIGNED(X, __VA_ARGS__) SIGNED(X, __VA_ARGS__)
#define SIGNED_OR_FLOAT(X, ...) SIGNED(X, __VA_ARGS__) FLOATS(X, __VA_ARGS__)

/* Define OP_E(x) or OP_E(x, y) = EXPR on compute vectors of type c_E. */
#define OP1(OP, EXPR, E)                                                                           \
    PTRT_INLINE c_##E OP##_##E(c_##E x) {                                                          \
        return (c_##E)(EXPR);                                                                      \
    }
#define OP2(OP, EXPR, E)                                                                           \
    PTRT_INLINE c_##E OP##_##E(c_##E x, c_##E y) {                                                 \
        return (c_##E)(EXPR);                                                                      \
    }
/* Cheap operations. Types that are converted for arithmetic use LOOP. */
#define ROW_u8 SHORT
#define ROW_u16 SHORT
#define ROW_u32 SHORT
#define ROW_u64 SHORT
#define ROW_i8 SHORT
#define ROW_i16 SHORT
#define ROW_i32 SHORT
#define ROW_i64 SHORT
#define ROW_f32 SHORT
#define ROW_f64 SHORT
#define ROW_f16 LOOP
#define ROW_bf16 LOOP
#define TILE(OP, E) MAP1(ROW_##E, OP, E)
#define TILES(OP, E) MAP2(ROW_##E, OP, E)
#define TILES_AND_SCALAR(OP, E) TWO_##E(OP, E)
#define TWO(OP, E) MAP2(ROW_##E, OP, E) MAPS(ROW_##E, OP, E)
#define TWO_u8 TWO
#define TWO_u16 TWO
#define TWO_u32 TWO
#define TWO_u64 TWO
#define TWO_i8 TWO
#define TWO_i16 TWO
#define TWO_i32 TWO
#define TWO_i64 TWO
#define TWO_f16 TWO
#define TWO_f32 TWO
#define TWO_f64 TWO
#define TWO_bf16(OP, E) MAP_PAIRS(OP)
/* Expensive operations. */
#define TILE_COSTLY(OP, E) MAP1(LOOP, OP, E)
#define TILES_COSTLY(OP, E) MAP2(LOOP, OP, E)
#define TILES_AND_SCALAR_COSTLY(OP, E) MAP2(LOOP, OP, E) MAPS(LOOP, OP, E)

/* Powers of e; those of f64 are not computed several at a time. */
#define EXPS_f16 EXPS
#define EXPS_bf16 EXPS
#define EXPS_f32 EXPS
#define EXPS_f64 LOOP

/* The type of x, and a vector of zeros of that type. */
#define X_TYPE __typeof__(x)
#define NONE ((X_TYPE){0})

#endif
