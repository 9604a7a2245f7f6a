/* SPDX-License-Identifier: Apache-2.0 */
/* Literals that C and C++ spell alike. */
#include "backends/text/emitter.h"

#include "ir/dense.h"

const char *int_literal(Emitter *e, int64_t i, unsigned width) {
    if (width < 64) {
        uint64_t sign = (uint64_t)1 << (width - 1), low = (uint64_t)i & ((sign << 1) - 1);
        i = (int64_t)((low ^ sign) - sign);
    }
    if (i == INT64_MIN) return "INT64_MIN";
    return i > INT32_MIN && i <= INT32_MAX ? strf(e, "%lld", (long long)i)
                                           : strf(e, "INT64_C(%lld)", (long long)i);
}

bool dense_lanes(Emitter *e, const Attr *a, int64_t lanes[4]) {
    Dense d;
    Attr one;
    if (!dense_open(&d, &e->ctx->names, a) || !dense_has(&d, ELEM_I16, 4)) return false;
    for (unsigned i = 0; i < 4; i++) {
        if (!dense_next(&d, ELEM_I16, &one)) return false;
        lanes[i] = one.i;
    }
    return true;
}
