/* SPDX-License-Identifier: Apache-2.0 */
/* What pto.vcvt converts, as a list that calls X with the columns of each row:
 *
 *   from, to   element types; a signless integer is treated as signed
 *   modes      the modes of rnd, as a set of LANES_ROUND_*; NO_MODE: rnd is not given
 *   saturates  whether sat is given
 *   part       what part names: NO_PART (it is not given), PAIR (EVEN or ODD), QUARTER (P0 to P3)
 */
#ifndef VERIFIER_RULES_CONVERSIONS_H
#define VERIFIER_RULES_CONVERSIONS_H

#include "runtime/ptort_floats.def"
#include "verifier/rules/row.h"

typedef enum ConversionPart { NO_PART, PAIR, QUARTER } ConversionPart;

/* A row of the list. */
typedef struct Conversion {
    uint8_t from, to;
    uint8_t modes; /* of rnd */
    bool saturates;
    uint8_t part; /* ConversionPart */
} Conversion;

/* Returns the conversion between two element types; NULL: there is none. */
const Conversion *conversion_of(unsigned from, unsigned to);

#define MODE(x) (1u << LANES_ROUND_##x)
enum {
    NO_MODE = 0,
    ANY_MODE = MODE(R) | MODE(A) | MODE(F) | MODE(C) | MODE(Z) | MODE(O) | MODE(H),
    F8_MODES = MODE(R) | MODE(A) | MODE(H) | MODE(Z),
    HALF_F8_MODES = MODE(R) | MODE(A) | MODE(F) | MODE(C) | MODE(Z),
    HIF8_MODES = MODE(A) | MODE(H)
};
#undef MODE

#define F32_TO_F8(id, text, format, cpp, X) X(F32, id, F8_MODES, true, QUARTER)
#define F16_TO_F8(id, text, format, cpp, X) X(F16, id, HALF_F8_MODES, true, PAIR)
#define BF16_TO_F8(id, text, format, cpp, X) X(BF16, id, HALF_F8_MODES, true, PAIR)
#define F8_TO_F32(id, text, format, cpp, X) X(id, F32, NO_MODE, false, QUARTER)

#define CONVERSIONS(X)                                                                             \
    X(F32, F16, ANY_MODE, true, PAIR)                                                              \
    X(F32, BF16, ANY_MODE, true, PAIR)                                                             \
    X(F32, I16, ANY_MODE, true, PAIR)                                                              \
    X(F32, I64, ANY_MODE, true, PAIR)                                                              \
    X(F32, I32, ANY_MODE, true, NO_PART)                                                           \
    PTRT_FLOATS_8(F32_TO_F8, X)                                                                    \
    X(F32, HIF8, HIF8_MODES, true, QUARTER)                                                        \
    X(F16, F32, NO_MODE, false, PAIR)                                                              \
    X(F16, I32, ANY_MODE, false, PAIR)                                                             \
    X(F16, I16, ANY_MODE, true, NO_PART)                                                           \
    X(F16, I8, ANY_MODE, true, PAIR)                                                               \
    X(F16, UI8, ANY_MODE, true, PAIR)                                                              \
    PTRT_FLOATS_8(F16_TO_F8, X)                                                                    \
    X(F16, HIF8, HIF8_MODES, true, PAIR)                                                           \
    X(BF16, F32, NO_MODE, false, PAIR)                                                             \
    X(BF16, I32, ANY_MODE, true, PAIR)                                                             \
    X(BF16, F16, ANY_MODE, true, NO_PART)                                                          \
    PTRT_FLOATS_8(BF16_TO_F8, X)                                                                   \
    X(BF16, F4E1M2X2, HALF_F8_MODES, false, QUARTER)                                               \
    X(BF16, F4E2M1X2, HALF_F8_MODES, false, QUARTER)                                               \
    X(I8, F16, NO_MODE, false, PAIR)                                                               \
    X(I8, I16, NO_MODE, false, PAIR)                                                               \
    X(I8, I32, NO_MODE, false, QUARTER)                                                            \
    X(UI8, F16, NO_MODE, false, PAIR)                                                              \
    X(UI8, UI16, NO_MODE, false, PAIR)                                                             \
    X(UI8, UI32, NO_MODE, false, QUARTER)                                                          \
    X(I16, F16, ANY_MODE, false, NO_PART)                                                          \
    X(I16, F32, NO_MODE, false, PAIR)                                                              \
    X(I16, I32, NO_MODE, false, PAIR)                                                              \
    X(I16, UI32, NO_MODE, false, PAIR)                                                             \
    X(I16, UI8, NO_MODE, true, PAIR)                                                               \
    X(UI16, UI32, NO_MODE, false, PAIR)                                                            \
    X(UI16, UI8, NO_MODE, true, PAIR)                                                              \
    X(I32, F32, ANY_MODE, false, NO_PART)                                                          \
    X(I32, UI8, NO_MODE, true, QUARTER)                                                            \
    X(I32, I16, NO_MODE, true, PAIR)                                                               \
    X(I32, UI16, NO_MODE, true, PAIR)                                                              \
    X(I32, I64, NO_MODE, false, PAIR)                                                              \
    X(UI32, UI8, NO_MODE, true, QUARTER)                                                           \
    X(UI32, I16, NO_MODE, true, PAIR)                                                              \
    X(UI32, UI16, NO_MODE, true, PAIR)                                                             \
    X(I64, F32, ANY_MODE, false, PAIR)                                                             \
    X(I64, I32, NO_MODE, true, PAIR)                                                               \
    PTRT_FLOATS_8(F8_TO_F32, X)                                                                    \
    X(HIF8, F32, NO_MODE, false, QUARTER)                                                          \
    X(F4E1M2X2, BF16, NO_MODE, false, QUARTER)                                                     \
    X(F4E2M1X2, BF16, NO_MODE, false, QUARTER)

#endif
