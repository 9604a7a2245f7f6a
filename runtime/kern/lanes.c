/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.c - bodies of micro-instructions on the lanes of registers. Inactive lanes of a result are
 * 0. */
#include "kern/micro.h"

#include "kern/arith.h"
#include "kern/kern.h"

/* clang-format off */
WRAPPING(LANES2, add)
WRAPPING(LANES2, sub)
WRAPPING(LANES2, mul)
ARITHMETIC(LANES2, div)
/* A NaN in either operand is the result. */
INTEGERS(OP2, vmax, SELECT(X_TYPE, x < y, y, x))
FLOATS(OP2, vmax, SELECT(X_TYPE, (x < y) | (y != y), y, x))
ARITHMETIC(LANES2, vmax)
/* clang-format on */
#include "kern/family.h"
