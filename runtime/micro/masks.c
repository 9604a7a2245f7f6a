/* SPDX-License-Identifier: Apache-2.0 */
/* masks.c - masks that patterns and counts make, and masks made of masks. */
#include "core/bits.h"
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

/* ---- lanes of an iteration ---- */

void ptrt_lanes_below(ptrt_mask *out, int64_t loop, int64_t bound, int width) {
    const int64_t lanes = BYTES / width, left = bound - (uint16_t)loop * lanes;
    set_first(out, left < lanes ? left : lanes, width);
}

/* ---- bits ---- */

void ptrt_mask_copy(ptrt_mask *out, const ptrt_mask *m) {
    *out = *m;
}

#define BITS(name, expr)                                                                           \
    void ptrt_mask_##name(ptrt_mask *out, const ptrt_mask *a, const ptrt_mask *b,                  \
                          const ptrt_mask *m) {                                                    \
        for (int i = 0; i < 4; i++) {                                                              \
            const uint64_t x = a->bits[i], y = b->bits[i], k = m->bits[i];                         \
            out->bits[i] = expr;                                                                   \
        }                                                                                          \
    }
BITS(and, x &y &k)
BITS(or, (x | y) & k)
BITS(xor, (x ^ y) & k)
BITS(select, (x & k) | (y & ~k))

void ptrt_mask_not(ptrt_mask *out, const ptrt_mask *a, const ptrt_mask *m) {
    for (int i = 0; i < 4; i++)
        out->bits[i] = ~a->bits[i] & m->bits[i];
}

/* ---- halves ---- */

void ptrt_mask_pack(ptrt_mask *out, const ptrt_mask *m, int upper) {
    const int half = upper != 0 ? 2 : 0;
    uint64_t packed[2];
    for (int i = 0; i < 2; i++)
        packed[i] = even_bits(m->bits[2 * i]) | even_bits(m->bits[2 * i + 1]) << 32;
    *out = (ptrt_mask){{0}};
    out->bits[half] = packed[0];
    out->bits[half + 1] = packed[1];
}

void ptrt_mask_unpack(ptrt_mask *out, const ptrt_mask *m, int upper) {
    const uint64_t *half = &m->bits[upper != 0 ? 2 : 0];
    const uint64_t low = half[0], high = half[1];
    out->bits[0] = spread_bits(low);
    out->bits[1] = spread_bits(low >> 32);
    out->bits[2] = spread_bits(high);
    out->bits[3] = spread_bits(high >> 32);
}

/* ---- lanes of two masks ---- */

void ptrt_mask_zip(ptrt_mask *low, ptrt_mask *high, const ptrt_mask *a, const ptrt_mask *b,
                   int width) {
    for (int i = 0; i < 8; i++) {
        const int half = i % 2 * 32;
        const uint64_t x = spread_groups(a->bits[i / 2] >> half, width);
        const uint64_t y = spread_groups(b->bits[i / 2] >> half, width);
        (i < 4 ? low : high)->bits[i % 4] = x | y << width;
    }
}

void ptrt_mask_unzip(ptrt_mask *low, ptrt_mask *high, const ptrt_mask *a, const ptrt_mask *b,
                     int width) {
    for (int i = 0; i < 4; i++) {
        const uint64_t *from = &(i < 2 ? a : b)->bits[i % 2 * 2];
        low->bits[i] = even_groups(from[0], width) | even_groups(from[1], width) << 32;
        high->bits[i] = even_groups(from[0] >> width, width) | even_groups(from[1] >> width, width)
                                                                   << 32;
    }
}
