/* SPDX-License-Identifier: Apache-2.0 */
/* masks.c - masks that patterns and counts make; registers and masks of which the type changes. */
#include "ptort_micro.h"

enum { BYTES = sizeof(ptrt_vreg) };

static void set_first(ptrt_mask *out, int64_t lanes, int width) {
    static const uint64_t first[] = {
        [1] = ~UINT64_C(0),
        [2] = UINT64_C(0x5555555555555555),
        [4] = UINT64_C(0x1111111111111111),
    };
    int64_t bits = lanes < 0 ? 0 : lanes * width;
    for (int i = 0; i < 4; i++, bits -= 64)
        out->bits[i] = bits >= 64  ? first[width]
                       : bits <= 0 ? 0
                                   : first[width] & ((UINT64_C(1) << bits) - 1);
}

void ptrt_first_lanes(ptrt_mask *out, int32_t *rest, int64_t count, int width) {
    const int64_t lanes = BYTES / width;
    set_first(out, count < lanes ? count : lanes, width);
    *rest = (int32_t)(count < lanes ? 0 : count - lanes);
}

static void set_every(ptrt_mask *out, int step, int width) {
    *out = (ptrt_mask){{0}};
    for (int bit = 0; bit < BYTES; bit += step * width)
        out->bits[bit / 64] |= UINT64_C(1) << (bit % 64);
}

void ptrt_pattern_mask(ptrt_mask *out, int pattern, int width) {
    enum { ALL = 0, THIRDS = 9, FOURTHS = 10, HALF = 11, QUARTER = 12, FIRST_128 = 13, NONE = 15 };
    static const uint8_t firsts[] = {[1] = 1, 2, 3, 4, 8, 16, 32, 64}; /* by pattern */
    const int lanes = BYTES / width;
    if (pattern == THIRDS || pattern == FOURTHS) {
        set_every(out, pattern == THIRDS ? 3 : 4, width);
        return;
    }
    const int n = pattern == ALL         ? lanes
                  : pattern == NONE      ? 0
                  : pattern == HALF      ? lanes / 2
                  : pattern == QUARTER   ? lanes / 4
                  : pattern == FIRST_128 ? 128
                                         : firsts[pattern];
    set_first(out, n < lanes ? n : lanes, width);
}

void ptrt_copy_register(ptrt_vreg *out, const ptrt_vreg *x) {
    *out = *x;
}

void ptrt_copy_mask(ptrt_mask *out, const ptrt_mask *x) {
    *out = *x;
}
