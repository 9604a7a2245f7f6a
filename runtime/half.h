/* SPDX-License-Identifier: Apache-2.0 */
/* half.h - converts f16 and bf16 to and from f32 by bit manipulation. Branch-free, so that loops
 * vectorise, and bit for bit what the conversion instructions give (quiet NaNs keep their
 * payload). */
#ifndef PTORT_HALF_H
#define PTORT_HALF_H

#include <stdint.h>
#include <string.h>

static inline float ptrt_half_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t ptrt_half_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline float ptrt_f16_to_f32(uint16_t h) {
    uint32_t mag = (uint32_t)(h & 0x7FFFu) << 13;
    /* Scaling by 2^112 rebiases the exponent and normalises subnormals, exactly. */
    uint32_t fin = ptrt_half_bits(ptrt_half_float(mag) * 0x1p112f);
    uint32_t special = mag | 0x7F800000u | (mag & 0x007FFFFFu ? 0x00400000u : 0u);
    uint32_t bits = mag >= 0x0F800000u ? special : fin;
    return ptrt_half_float(bits | (uint32_t)(h & 0x8000u) << 16);
}

static inline uint16_t ptrt_f32_to_f16(float f) {
    uint32_t bits = ptrt_half_bits(f);
    uint32_t mag = bits & 0x7FFFFFFFu;
    uint32_t sign = (bits >> 16) & 0x8000u;
    /* Normal results: rebias, then round half to even by adding just under half a unit, plus the
       lowest kept bit. A carry moves into the exponent, up to infinity. */
    uint32_t norm = (mag - 0x38000000u + 0xFFFu + ((mag >> 13) & 1u)) >> 13;
    /* Subnormal results: adding 0.5 makes the hardware round at 2^-24. */
    uint32_t sub = ptrt_half_bits(ptrt_half_float(mag) + 0.5f) - 0x3F000000u;
    uint32_t nan = 0x7E00u | ((mag >> 13) & 0x3FFu);
    uint32_t r = mag < 0x38800000u ? sub : norm;
    r = mag >= 0x47800000u ? 0x7C00u : r;
    r = mag > 0x7F800000u ? nan : r;
    return (uint16_t)(r | sign);
}

static inline float ptrt_bf16_to_f32(uint16_t h) {
    return ptrt_half_float((uint32_t)h << 16);
}

static inline uint16_t ptrt_f32_to_bf16(float f) {
    uint32_t bits = ptrt_half_bits(f);
    uint32_t r = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
    uint32_t nan = (bits >> 16) | 0x40u;
    return (uint16_t)((bits & 0x7FFFFFFFu) > 0x7F800000u ? nan : r);
}

#endif
