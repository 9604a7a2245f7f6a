/* SPDX-License-Identifier: Apache-2.0 */
/* mask_memory.c - masks in the vector memory. */
#include "core/bits.h"
#include "core/place.h"

enum { WHOLE, HALVED };     /* pto.psts: NORM, PK */
enum { DOUBLED = 1, EVEN }; /* pto.plds: US, DS; NORM as above */

int ptrt_load_mask(ptrt_core *core, uint32_t line, ptrt_mask *out, int64_t *next, int64_t base,
                   int64_t offset, int dist, int immediate) {
    const char *op = immediate != 0 ? "pto.pldi" : "pto.plds";
    const uint64_t bytes = dist == DOUBLED ? 16 : dist == EVEN ? 64 : 32;
    const uint64_t align = dist == DOUBLED ? 16 : 32;
    const int64_t at = place_step(base, offset, next);
    const unsigned char *p = place_read(core, PTRT_VEC, at, bytes, align);
    uint64_t w[8];
    if (p == NULL) return place_fail(core, line, op, PTRT_VEC, at, bytes, align);
    memcpy(w, p, (size_t)bytes);
    for (int i = 0; i < 4; i++) {
        if (dist == DOUBLED) {
            const uint64_t bits = spread_bits(w[i / 2] >> i % 2 * 32);
            out->bits[i] = bits | bits << 1;
        } else {
            out->bits[i] =
                dist == EVEN ? even_bits(w[2 * i]) | even_bits(w[2 * i + 1]) << 32 : w[i];
        }
    }
    return PTRT_OK;
}

int ptrt_store_mask(ptrt_core *core, uint32_t line, const ptrt_mask *m, int64_t *next, int64_t base,
                    int64_t offset, int dist, int immediate) {
    const char *op = immediate != 0 ? "pto.psti" : "pto.psts";
    const uint64_t bytes = dist == HALVED ? 16 : 32;
    const int64_t at = place_step(base, offset, next);
    unsigned char *p = place_write(core, PTRT_VEC, at, bytes, bytes);
    ptrt_mask image = *m;
    if (p == NULL) return place_fail(core, line, op, PTRT_VEC, at, bytes, bytes);
    if (dist == HALVED) ptrt_mask_pack(&image, m, 0);
    memcpy(p, &image, (size_t)bytes);
    return PTRT_OK;
}
