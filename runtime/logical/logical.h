/* SPDX-License-Identifier: Apache-2.0 */
/* logical.h - masks of logical vectors, which have a bit for each lane, and those of registers,
 * which have one for each byte. */
#ifndef PTORT_LOGICAL_LOGICAL_H
#define PTORT_LOGICAL_LOGICAL_H

#include "ptort_logical.h"

#include <stdbool.h>
#include <string.h>

enum { LG_REGISTER = sizeof(ptrt_vreg) };

static inline int64_t lg_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Returns the bits of at most 64 lanes from a multiple of 64 on. */
static inline uint64_t lg_word(const ptrt_vreg *mask, int64_t lane) {
    return ((const uint64_t *)mask)[lane / 64];
}
static inline bool lg_active(const ptrt_vreg *mask, int64_t lane) {
    return mask == NULL || (lg_word(mask, lane) >> (lane % 64) & 1) != 0;
}

/* Returns 64 bits of a mask of bytes: bit i of the lowest 64 / width bits of x at bit i * width. */
static inline uint64_t lg_apart(uint64_t x, int width) {
    if (width == 1) return x;
    if (width == 2) {
        x &= 0xFFFFFFFF;
        x = (x | x << 16) & 0x0000FFFF0000FFFF;
        x = (x | x << 8) & 0x00FF00FF00FF00FF;
        x = (x | x << 4) & 0x0F0F0F0F0F0F0F0F;
        x = (x | x << 2) & 0x3333333333333333;
        return (x | x << 1) & 0x5555555555555555;
    }
    x &= 0xFFFF;
    x = (x | x << 24) & 0x000000FF000000FF;
    x = (x | x << 12) & 0x000F000F000F000F;
    x = (x | x << 6) & 0x0303030303030303;
    return (x | x << 3) & 0x1111111111111111;
}
/* The reverse. */
static inline uint64_t lg_together(uint64_t x, int width) {
    if (width == 1) return x;
    if (width == 2) {
        x &= 0x5555555555555555;
        x = (x | x >> 1) & 0x3333333333333333;
        x = (x | x >> 2) & 0x0F0F0F0F0F0F0F0F;
        x = (x | x >> 4) & 0x00FF00FF00FF00FF;
        x = (x | x >> 8) & 0x0000FFFF0000FFFF;
        return (x | x >> 16) & 0xFFFFFFFF;
    }
    x &= 0x1111111111111111;
    x = (x | x >> 3) & 0x0303030303030303;
    x = (x | x >> 6) & 0x000F000F000F000F;
    x = (x | x >> 12) & 0x000000FF000000FF;
    return (x | x >> 24) & 0xFFFF;
}

/* The masks of all lanes, by width. */
extern const ptrt_mask lg_all[5];

/* Returns the mask of register k of a vector, which may be at `out`. */
static inline const ptrt_mask *lg_of_register(ptrt_mask *out, const ptrt_vreg *mask, int64_t k,
                                              int width) {
    if (mask == NULL) return &lg_all[width];
    const uint64_t *words = (const uint64_t *)mask;
    const int bits = 64 / width; /* of a word of the result */
    for (int i = 0; i < 4; i++) {
        const int64_t at = k * (LG_REGISTER / width) + (int64_t)i * bits;
        out->bits[i] = lg_apart(words[at / 64] >> (at % 64), width);
    }
    return out;
}

/* Puts a mask of register k among the bits of lanes. */
static inline void lg_to_lanes(ptrt_vreg *mask, const ptrt_mask *m, int64_t k, int width) {
    uint64_t *words = (uint64_t *)mask;
    const int bits = 64 / width;
    const uint64_t all = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    for (int i = 0; i < 4; i++) {
        const int64_t at = k * (LG_REGISTER / width) + (int64_t)i * bits;
        uint64_t *w = &words[at / 64];
        *w = (*w & ~(all << at % 64)) | lg_together(m->bits[i], width) << at % 64;
    }
}

/* Clears the bits after the last lane, up to the end of its word. */
static inline void lg_end(ptrt_vreg *mask, int64_t lanes) {
    uint64_t *words = (uint64_t *)mask;
    if (lanes % 64 != 0) words[lanes / 64] &= (UINT64_C(1) << lanes % 64) - 1;
}

/* Returns the mask, or NULL if it has all lanes. */
static inline const ptrt_vreg *lg_some(const ptrt_vreg *mask, int64_t lanes) {
    for (int64_t at = 0; mask != NULL && at < lanes; at += 64) {
        const uint64_t all = lanes - at >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (lanes - at)) - 1;
        if (lg_word(mask, at) != all) return mask;
    }
    return NULL;
}

/* Returns the registers that a vector takes. */
static inline int64_t lg_registers(int64_t lanes, int width) {
    return (lanes * width + LG_REGISTER - 1) / LG_REGISTER;
}

/* Sets the inactive lanes to 0. */
void lg_zero(ptrt_vreg *out, int64_t lanes, int width, const ptrt_vreg *mask);

#endif
