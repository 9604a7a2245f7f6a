/* Sizes of scratch tiles that both planning and verification need. */
#ifndef IR_TMP_H
#define IR_TMP_H

#include "ir/type.h"

static inline int64_t ceil_div(int64_t n, int64_t d) {
    return n / d + (n % d != 0);
}
static inline int64_t round_up(int64_t n, int64_t unit) {
    return ceil_div(n, unit) * unit;
}

/* Bytes of scratch that narrowing from `src` to `dst` takes on a2a3 when nothing saturates; 0 when
 * it takes none, DYNAMIC when the valid extents of `dst` are known at run time only. */
int64_t narrowing_tmp_bytes(const Type *src, const Type *dst);
/* Bytes of a row of the scratch predicates of pto.tprelu: one bit per element of `vcol` columns. */
int64_t predicate_row_bytes(int64_t vcol);

#endif
