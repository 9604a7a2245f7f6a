/* SPDX-License-Identifier: Apache-2.0 */
/* How rows are written: one macro per condition, whose arguments are WHEN and WHERE, the operands,
 * then the parameter. `.guard = ".."` and `.hint = ".."` may follow the last argument. The name of
 * a macro for several rows ends in _RULES. */
#ifndef VERIFIER_RULES_VOCABULARY_H
#define VERIFIER_RULES_VOCABULARY_H

/* The formatter would put each brace of a row on a line of its own. */
/* clang-format off */

/* Sets of element types, named by their content. A signless name admits its `si` twin (decision
 * 12); W.. is every integer of the width, which is all that the vendor's assembler looks at;
 * _8_32: of 8 to 32 bits; _32: of at most 32 bits. */
#define E(x) ELEM_BIT(ELEM_##x)
#define E_I8 (E(I8) | E(SI8))
#define E_I16 (E(I16) | E(SI16))
#define E_I32 (E(I32) | E(SI32))
#define E_I64 (E(I64) | E(SI64))
#define E_W8 (E_I8 | E(UI8))
#define E_W16 (E_I16 | E(UI16))
#define E_W32 (E_I32 | E(UI32))
#define E_W64 (E_I64 | E(UI64))
#define E_I16_32 (E_I16 | E_I32)
#define E_W16_32 (E_W16 | E_W32)
#define E_W8_32 (E_W8 | E_W16 | E_W32)
#define E_INTEGERS (E_W8_32 | E_W64)
#define E_F16_F32 (E(F16) | E(F32))
#define E_FLOATS_32 (E_F16_F32 | E(BF16))
#define E_FLOATS (E_FLOATS_32 | E(F64))
#define E_ARITHMETIC_32 (E_W8_32 | E_FLOATS_32)
#define E_ARITHMETIC (E_INTEGERS | E_FLOATS)
#define E_F4 (E(F4E1M2X2) | E(F4E2M1X2))
#define OR_FLOAT_8(id, ...) | E(id)
#define E_F8 ((ElemSet)0 PTRT_FLOATS_8(OR_FLOAT_8, ))
#define E_LOW (E_F8 | E(HIF8) | E(F8E8M0) | E_F4 | E(HIF8X2) | E(BF16X2))

/* Pairs of element types or spaces, which PAIR_LIST ends by 0, 0. */
#define TYPES(a, b) ELEM_##a, ELEM_##b
#define SPACES(a, b) SPACE_##a, SPACE_##b
#define PAIR_LIST(...) (const uint8_t[]){__VA_ARGS__, 0, 0}

/* Sets of spaces and of byte sizes. */
#define IN_VEC (1u << SPACE_VEC)
#define IN_MAT (1u << SPACE_MAT)
#define IN_ACC (1u << SPACE_ACC)
#define IN_LEFT (1u << SPACE_LEFT)
#define IN_RIGHT (1u << SPACE_RIGHT)
#define IN_BIAS (1u << SPACE_BIAS)
#define IN_SCALING (1u << SPACE_SCALING)
#define IN_GM (1u << SPACE_GM | 1u << SPACE_ZERO)
#define SIZE(n) (1u << (n))

#define ROW_(name, w, p, ...) {.cond = C_##name, .id = DIAG_##name, .when = w, .where = p, __VA_ARGS__}

#define OPERAND_KIND(w, p, x, ...) ROW_(OPERAND_KIND, w, p, .a = x, .set = __VA_ARGS__)
#define LOW_PRECISION(w, p, ...) ROW_(LOW_PRECISION, w, p, .a = __VA_ARGS__)
#define ELEM_TYPE(w, p, x, ...) ROW_(ELEM_TYPE, w, p, .a = x, .set = __VA_ARGS__)
/* A scalar of one of these element types, or a vector with one of these (VECTORS(VEC(F16, 2) ...)). */
#define VALUE_TYPE(w, p, x, scalars, ...)                                                          \
    {.cond = C_VALUE_TYPE, .id = DIAG_ELEM_TYPE, .when = w, .where = p, .a = x, .set = scalars,    \
     .list = __VA_ARGS__}
#define VEC(e, n) ELEM_##e, n
#define NO_VECTORS (const uint8_t[]){0, 0}
#define ELEM_SIZE(w, p, x, ...) ROW_(ELEM_SIZE, w, p, .a = x, .set = __VA_ARGS__)
#define ELEM_MISMATCH(w, p, x, ...) ROW_(ELEM_MISMATCH, w, p, .a = x, .b = __VA_ARGS__)
#define ELEM_SIZE_MISMATCH(w, p, x, ...) ROW_(ELEM_SIZE_MISMATCH, w, p, .a = x, .b = __VA_ARGS__)
#define ELEM_PAIR(w, p, x, y, ...) ROW_(ELEM_PAIR, w, p, .a = x, .b = y, .list = __VA_ARGS__)
#define SCALAR_MISMATCH(w, p, x, ...) ROW_(SCALAR_MISMATCH, w, p, .a = x, .b = __VA_ARGS__)
#define SCALAR_EXACT(w, p, x, ...)                                                                 \
    {.cond = C_SCALAR_EXACT, .id = DIAG_SCALAR_MISMATCH, .when = w, .where = p, .a = x,            \
     .b = __VA_ARGS__}
#define TYPE_EQUAL(w, p, x, ...) ROW_(TYPE_MISMATCH, w, p, .a = x, .b = __VA_ARGS__)
#define LOCATION(w, p, x, ...) ROW_(LOCATION, w, p, .a = x, .set = __VA_ARGS__)
#define LOCATION_PAIR(w, p, x, y, ...) ROW_(LOCATION_PAIR, w, p, .a = x, .b = y, .list = __VA_ARGS__)
#define LAYOUT(w, p, x, ...) ROW_(LAYOUT, w, p, .a = x, .set = __VA_ARGS__)
#define LAYOUT_PAIR(w, p, x, y, ...) ROW_(LAYOUT_PAIR, w, p, .a = x, .b = y, .list = __VA_ARGS__)
#define FRACTAL(w, p, x, ...) ROW_(FRACTAL, w, p, .a = x, .set = __VA_ARGS__)
#define COMPACT_MODE(w, p, x, ...) ROW_(COMPACT_MODE, w, p, .a = x, .set = __VA_ARGS__)
#define PAD_VALUE(w, p, x, ...) ROW_(PAD_VALUE, w, p, .a = x, .set = __VA_ARGS__)
#define VALID_EQUAL(w, p, x, y, ...) ROW_(VALID_MISMATCH, w, p, .a = x, .b = y, .dims = __VA_ARGS__)
#define VALID_RANGE(w, p, x, d, from, ...)                                                         \
    ROW_(VALID_RANGE, w, p, .a = x, .dims = d, .lo = from, .hi = __VA_ARGS__)
#define VALID_RELATION(w, p, x, dx, r, y, ...)                                                     \
    ROW_(VALID_RELATION, w, p, .a = x, .dims = dx, .rel = r, .b = y, .dim_b = __VA_ARGS__)
#define STATIC_EXTENTS(w, p, x, ...) ROW_(STATIC_EXTENTS, w, p, .a = x, .dims = __VA_ARGS__)
#define SHAPE_EQUAL(w, p, x, y, ...) ROW_(SHAPE_MISMATCH, w, p, .a = x, .b = y, .dims = __VA_ARGS__)
#define SHAPE_RANGE(w, p, x, d, from, ...)                                                         \
    ROW_(SHAPE_RANGE, w, p, .a = x, .dims = d, .lo = from, .hi = __VA_ARGS__)
/* Each row is a multiple of `unit` bytes, and at most `hi`. */
#define ROW_BYTES(w, p, x, unit, ...)                                                              \
    {.cond = C_ROW_BYTES, .id = DIAG_SHAPE_RANGE, .when = w, .where = p, .a = x, .lo = unit,       \
     .hi = __VA_ARGS__}
#define SHAPE_RELATION(w, p, x, dx, r, y, ...)                                                     \
    ROW_(SHAPE_RELATION, w, p, .a = x, .dims = dx, .rel = r, .b = y, .dim_b = __VA_ARGS__)
#define ELEMENT_COUNT(w, p, x, ...) ROW_(ELEMENT_COUNT, w, p, .a = x, .b = __VA_ARGS__)
#define VIEW_EXTENT(w, p, x, ...) ROW_(VIEW_EXTENT, w, p, .a = x, .lo = __VA_ARGS__)
#define VIEW_RANK_RANGE(w, p, x, from, ...)                                                        \
    {.cond = C_VIEW_RANK_RANGE, .id = DIAG_VIEW_RANK, .when = w, .where = p, .a = x, .lo = from,   \
     .hi = __VA_ARGS__}
#define POINTER_SPACE(w, p, x, ...) ROW_(POINTER_SPACE, w, p, .a = x, .set = __VA_ARGS__)
/* A mask has a bit for each byte of the lanes of register y; a mask has one of these granularities,
 * as a set of bytes. */
#define MASK_WIDTH(w, p, x, ...) ROW_(MASK_WIDTH, w, p, .a = x, .b = __VA_ARGS__)
#define MASK_IS(w, p, x, ...)                                                                      \
    {.cond = C_MASK_IS, .id = DIAG_MASK_WIDTH, .when = w, .where = p, .a = x, .set = __VA_ARGS__}
#define LANE_COUNT(w, p, x, ...) ROW_(LANE_COUNT, w, p, .a = x, .b = __VA_ARGS__)
/* What a constant address decides: `unit` divides it (0: the bytes of an element do), and `bytes`
 * from it on are in the memory; y is the slot of an offset. `.multiple`: the bytes that the offset
 * counts, other than elements. */
#define ACCESS_ALIGNMENT(w, p, x, y, ...)                                                          \
    {.cond = C_ACCESS_ALIGNMENT, .id = DIAG_ADDRESS_ALIGNMENT, .when = w, .where = p, .a = x,      \
     .b = y, .lo = __VA_ARGS__}
#define ACCESS_RANGE(w, p, x, y, ...)                                                              \
    {.cond = C_ACCESS_RANGE, .id = DIAG_ADDRESS_RANGE, .when = w, .where = p, .a = x, .b = y,      \
     .hi = __VA_ARGS__}
#define TMP_BYTES(w, p, x, ...)                                                                    \
    ROW_(TMP_CAPACITY, w, p, .a = x, .dims = VALID_BOTH, .b = __VA_ARGS__)
/* tmp has at least so many bytes. */
#define TMP_ROOM(w, p, x, ...) ROW_(TMP_CAPACITY, w, p, .a = x, .lo = __VA_ARGS__)
/* tmp has room for n rows of y. */
#define TMP_ROWS(w, p, x, y, ...)                                                                  \
    ROW_(TMP_CAPACITY, w, p, .a = x, .b = y, .dim_b = DIM_COLS, .multiple = __VA_ARGS__)
#define OPERAND_REQUIRED(w, p, ...) ROW_(OPERAND_REQUIRED, w, p, .a = __VA_ARGS__)
#define TMP_REQUIRED(w, p, x) TMP_REQUIRED_IF(w, p, x, "level3")
#define TMP_REQUIRED_IF(w, p, x, words)                                                            \
    {.cond = C_OPERAND_REQUIRED, .id = DIAG_TMP_REQUIRED, .when = w, .where = p, .a = x,           \
     .guard = words}
#define COUNT_RANGE(w, p, x, from, ...)                                                            \
    {.cond = C_COUNT_RANGE, .id = DIAG_OPERAND_COUNT, .when = w, .where = p, .a = x, .lo = from,   \
     .hi = __VA_ARGS__}
#define OPERAND_CONFLICT(w, p, ...) ROW_(OPERAND_CONFLICT, w, p, .a = __VA_ARGS__)
#define ATTR_REQUIRED(w, p, ...) ROW_(ATTR_REQUIRED, w, p, .a = __VA_ARGS__)
#define ATTR_CONFLICT(w, p, ...) ROW_(ATTR_CONFLICT, w, p, .a = __VA_ARGS__)
/* Keys of the library's fixpipe interface that pipe statements do not have. */
#define NO_FIXPIPE_ATTRS                                                                           \
    ATTR_CONFLICT(BOTH, ALL,                                                                       \
                  "stPhase st_phase atomicType atomic_type subBlockId subBlockid sub_blockid "     \
                  "clipReluMode clip_relu_mode isChannelSplit is_channel_split channelSplit "      \
                  "channel_split")
#define ATTR_VALUE(w, p, x, from, ...) ROW_(ATTR_VALUE, w, p, .a = x, .lo = from, .hi = __VA_ARGS__)
/* Values as bits: 1 << value of the enum, or of a small integer. */
#define ATTR_SET(w, p, x, ...)                                                                     \
    {.cond = C_ATTR_SET, .id = DIAG_ATTR_VALUE, .when = w, .where = p, .a = x, .set = __VA_ARGS__}
#define ATTR_KIND(w, p, x, ...) ROW_(ATTR_KIND, w, p, .a = x, .dims = __VA_ARGS__)
/* Which attributes pto.vcvt has, for its types y to x. */
#define CONVERSION_ATTRS(w, p, x, ...)                                                             \
    {.cond = C_CONVERSION_ATTRS, .id = DIAG_ATTR_MISMATCH, .when = w, .where = p, .a = x,          \
     .b = __VA_ARGS__}
#define DISTINCT(w, p, x, ...) ROW_(DISTINCT_OPERANDS, w, p, .a = x, .b = __VA_ARGS__)
#define NO_OVERLAP(w, p, x, ...) ROW_(OPERAND_OVERLAP, w, p, .a = x, .b = __VA_ARGS__)
/* The same, but only respected by passes that place tiles. */
#define KEEP_APART(p, x, ...) NO_OVERLAP(KEPT, p, x, __VA_ARGS__)
#define CONST_RANGE(w, p, x, from, ...)                                                            \
    ROW_(CONST_RANGE, w, p, .a = x, .lo = from, .hi = __VA_ARGS__)
/* Always fails: the instruction (or, with a guard, a form of it) does not exist in the profile. */
#define NOT_IN_PROFILE(w, ...)                                                                     \
    {.cond = C_NOT_IN_PROFILE, .id = DIAG_NOT_IN_PROFILE, .when = w, .a = "", .where = __VA_ARGS__}
#define NOT_IN_PTOAS(w, p, ...) ROW_(NOT_IN_PTOAS, w, p, .a = __VA_ARGS__)
/* A named function of checks.def, with the id that it reports. */
#define CHECK(w, p, name, x, ...)                                                                  \
    {.cond = C_CHECK, .id = DIAG_##name, .when = w, .where = p, .a = x, .fn = __VA_ARGS__}
/* The same when the function looks at types only. */
#define CHECK_TYPES(w, p, name, x, ...)                                                            \
    {.cond = C_CHECK, .id = DIAG_##name, .when = w, .where = p, .a = x, .types_only = true,        \
     .fn = __VA_ARGS__}

/* For every tile type: the asserts of the library's template, which has accessors of the valid
 * region for extents above 0 only, and the element types that have a name in C++. */
#define LIBRARY_TYPE_RULES(x)                                                                      \
    CHECK_TYPES(LIBRARY, ALL, TILE_BOX, x, check_plain_fractal),                                   \
        VALID_RANGE(LIBRARY_WARN, ALL, x, DIM_VROW, 1, NO_LIMIT),                                  \
        VALID_RANGE(LIBRARY_WARN, ALL, x, DIM_VCOL, 1, NO_LIMIT)
#define LIBRARY_ELEMENT_RULES(x)                                                                   \
    LOW_PRECISION(LIBRARY_WARN, A2A3, x),                                                          \
        CHECK_TYPES(LIBRARY_WARN, A5, ELEM_TYPE, x, check_named_element)

#endif
