/* SPDX-License-Identifier: Apache-2.0 */
/* bits.h - inside libptort: groups of bits of masks, moved apart and together. A group has 1, 2 or
 * 4 bits. */
#ifndef PTORT_BITS_H
#define PTORT_BITS_H

#include <stdint.h>

/* Moves the groups of the lower half to the even ones; the odd ones are 0. */
static inline uint64_t spread_groups(uint64_t x, int group) {
    x &= UINT64_C(0xFFFFFFFF);
    x = (x | x << 16) & UINT64_C(0x0000FFFF0000FFFF);
    x = (x | x << 8) & UINT64_C(0x00FF00FF00FF00FF);
    x = (x | x << 4) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    if (group <= 2) x = (x | x << 2) & UINT64_C(0x3333333333333333);
    if (group <= 1) x = (x | x << 1) & UINT64_C(0x5555555555555555);
    return x;
}

/* Moves the even groups to the lower half; the upper one is 0. */
static inline uint64_t even_groups(uint64_t x, int group) {
    if (group <= 1) {
        x &= UINT64_C(0x5555555555555555);
        x |= x >> 1;
    }
    if (group <= 2) {
        x &= UINT64_C(0x3333333333333333);
        x |= x >> 2;
    }
    x &= UINT64_C(0x0F0F0F0F0F0F0F0F);
    x = (x | x >> 4) & UINT64_C(0x00FF00FF00FF00FF);
    x = (x | x >> 8) & UINT64_C(0x0000FFFF0000FFFF);
    return (x | x >> 16) & UINT64_C(0xFFFFFFFF);
}

static inline uint64_t spread_bits(uint64_t x) {
    return spread_groups(x, 1);
}
static inline uint64_t even_bits(uint64_t x) {
    return even_groups(x, 1);
}

#endif
