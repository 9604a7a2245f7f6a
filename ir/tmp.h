/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of scratch tiles for planning and verification. */
#ifndef IR_TMP_H
#define IR_TMP_H

#include "ir/type.h"

static inline int64_t ceil_div(int64_t n, int64_t d) {
    return n / d + (n % d != 0);
}
static inline int64_t round_up(int64_t n, int64_t unit) {
    return ceil_div(n, unit) * unit;
}

/* Returns the bytes of scratch for narrowing `src` to `dst` on a2a3 without saturation; 0 when it
 * needs none, DYNAMIC when the valid extents of `dst` are known only at run time. */
int64_t narrowing_tmp_bytes(const Type *src, const Type *dst);
/* Returns the most bytes that `dst` may need, whatever its valid extents are. */
int64_t narrowing_tmp_most(const Type *src, const Type *dst);
/* Returns the bytes per row of the scratch predicates of pto.tprelu: one bit per element of `vcol`
 * columns. */
int64_t predicate_row_bytes(int64_t vcol);

#endif
