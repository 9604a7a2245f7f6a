/* SPDX-License-Identifier: Apache-2.0 */
/* vgather.c - bodies of the loads and stores of vector registers at several addresses: blocks with
 * a stride, elements and blocks that indices name. */
#include "core/core.h"
#include "core/place.h"
#include "kern/micro.h"

#include "kern/kern.h"

enum { BLOCK = 32, BLOCKS = VREG / BLOCK };

/* ---- blocks with a stride ---- */

/* Returns the address of block 0. Strides count blocks and have no sign. */
PTRT_INLINE int64_t first_block(int64_t base, int64_t stride, int64_t *next) {
    return place_step(base, (uint16_t)stride * BLOCK, next);
}

/* Returns the bits of a block in whole lanes. A block is governed by the mask bits of its own
 * lanes. */
PTRT_INLINE uint64_t block_bits(const ptrt_mask *m, unsigned block, unsigned w) {
    return bytes_at(m, block * BLOCK, w) & 0xFFFFFFFF;
}

/* Blocks without an active lane are not read. */
PTRT_INLINE int load_blocks(ptrt_core *core, uint32_t line, ptrt_vreg *d, int64_t *next,
                            int64_t base, int64_t stride, int64_t first, const ptrt_mask *m,
                            unsigned w) {
    const int64_t at = first_block(base, first, next);
    vreg t;
    for (unsigned b = 0; b < BLOCKS; b++) {
        const int64_t from = place_step(at, (int64_t)b * (uint16_t)stride * BLOCK, NULL);
        if (block_bits(m, b, w) == 0) {
            memset(t.at + b * BLOCK, 0, BLOCK);
            continue;
        }
        const unsigned char *p = place_read(core, PTRT_VEC, from, BLOCK, BLOCK);
        if (p == NULL) return place_fail(core, line, "pto.vsldb", PTRT_VEC, from, BLOCK, BLOCK);
        memcpy(t.at + b * BLOCK, p, BLOCK);
    }
    zero_lanes(d, &t, m, w);
    return PTRT_OK;
}

PTRT_INLINE void store_lanes(unsigned char *p, const char *v, uint64_t bits, unsigned w) {
    if (bits == 0xFFFFFFFF) {
        memcpy(p, v, BLOCK);
        return;
    }
    for (unsigned i = 0; i < BLOCK; i += w)
        if ((bits >> i & 1) != 0) memcpy(p + i, v + i, w);
}

/* Blocks that overlap are stored one after the other. */
PTRT_INLINE int store_blocks(ptrt_core *core, uint32_t line, const ptrt_vreg *v, int64_t *next,
                             int64_t base, int64_t stride, int64_t first, const ptrt_mask *m,
                             unsigned w) {
    const int64_t at = first_block(base, first, next);
    for (unsigned b = 0; b < BLOCKS; b++) {
        const int64_t to = place_step(at, (int64_t)b * (uint16_t)stride * BLOCK, NULL);
        const ptrt_mask bits = {{block_bits(m, b, w), 0, 0, 0}};
        if (bits.bits[0] == 0) continue;
        unsigned char *p = place_first_lanes(core, PTRT_VEC, to, BLOCK, BLOCK, &bits, w);
        if (p == NULL) return place_fail(core, line, "pto.vsstb", PTRT_VEC, to, BLOCK, BLOCK);
        store_lanes(p, (const char *)v + b * BLOCK, bits.bits[0], w);
    }
    return PTRT_OK;
}

#define IN_BLOCKS(E, B)                                                                            \
    static int load_blocks_##E(ptrt_core *core, uint32_t line, ptrt_vreg *d, int64_t *next,        \
                               int64_t base, int64_t stride, int64_t first, const ptrt_mask *m) {  \
        return load_blocks(core, line, d, next, base, stride, first, m, S_##E);                    \
    }                                                                                              \
    static int store_blocks_##E(ptrt_core *core, uint32_t line, const ptrt_vreg *v, int64_t *next, \
                                int64_t base, int64_t stride, int64_t first, const ptrt_mask *m) { \
        return store_blocks(core, line, v, next, base, stride, first, m, S_##E);                   \
    }
IN_BLOCKS(u8, 8)
IN_BLOCKS(u16, 16)
IN_BLOCKS(u32, 32)
IN_BLOCKS(u64, 64)

/* Offsets of blocks; lane b of the mask governs block b. */
static int gather_blocks_any(ptrt_core *core, uint32_t line, ptrt_vreg *d, int64_t base,
                             const ptrt_vreg *offsets, const ptrt_mask *m) {
    const s_u32 *at = (const s_u32 *)offsets;
    for (unsigned b = 0; b < BLOCKS; b++) {
        char *to = (char *)d + b * BLOCK;
        if (!is_active(m, b, 4)) {
            memset(to, 0, BLOCK);
            continue;
        }
        const int64_t from = place_step(base, at[b], NULL);
        const unsigned char *p = place_read(core, PTRT_VEC, from, BLOCK, BLOCK);
        if (p == NULL) return place_fail(core, line, "pto.vgatherb", PTRT_VEC, from, BLOCK, BLOCK);
        memcpy(to, p, BLOCK);
    }
    return PTRT_OK;
}

/* ---- elements ---- */

/* Indices of lanes of I, of which only the active ones count. The others become 0 at `kept`.
 * Returns the indices, and the largest one at `most`. */
#define INDICES(I)                                                                                 \
    PTRT_INLINE const s_##I *indices_##I(vreg *kept, const ptrt_vreg *all, const ptrt_mask *m,     \
                                         uint32_t *most) {                                         \
        const s_##I *at = (const s_##I *)all;                                                      \
        s_##I x = 0;                                                                               \
        if (!all_active(m, S_##I)) {                                                               \
            zero_lanes(kept, all, m, S_##I);                                                       \
            at = (const s_##I *)kept;                                                              \
        }                                                                                          \
        for (unsigned i = 0; i < VREG / S_##I; i++)                                                \
            x = at[i] > x ? at[i] : x;                                                             \
        *most = x;                                                                                 \
        return at;                                                                                 \
    }
INDICES(u16)
INDICES(u32)

PTRT_INLINE bool none_active(const ptrt_mask *m, unsigned w) {
    return ((m->bits[0] | m->bits[1] | m->bits[2] | m->bits[3]) & first_bits(w)) == 0;
}

static int no_element(ptrt_core *core, uint32_t line, const char *op, int64_t base, uint32_t most,
                      unsigned size) {
    return place_fail(core, line, op, PTRT_VEC, place_step(base, (int64_t)most * size, NULL), size,
                      size);
}

/* Tells the sanitizer of elements of `size` bytes. */
static void touch_elements(ptrt_core *core, const unsigned char *p, const void *at,
                           const ptrt_mask *m, unsigned w, unsigned size, bool writes) {
    for (unsigned i = 0; i < VREG / w; i++) {
        const size_t index = w == 2 ? ((const s_u16 *)at)[i] : ((const s_u32 *)at)[i];
        if (is_active(m, i, w)) ptrt_touch(core, p + index * size, size, writes);
    }
}

/* Stores the elements at 64 or 128 indices. Those of a vector are put together in registers: a
 * store of each would take longer, and what loads the vector next would wait for all. */
#define PICK(E)                                                                                    \
    PTRT_INLINE void pick_##E(s_u16 *to, const s_##E *p, const s_u16 *at) {                        \
        for (unsigned i = 0; i < VREG / 2; i++)                                                    \
            to[i] = p[at[i]];                                                                      \
    }
PICK(u8)
PICK(u16)
#define AT(k) p[at[i + (k)]]
#define AT_4(k) AT(k), AT((k) + 1), AT((k) + 2), AT((k) + 3)
#if VB == 64
#define AT_ALL AT_4(0), AT_4(4), AT_4(8), AT_4(12)
#elif VB == 32
#define AT_ALL AT_4(0), AT_4(4)
#else
#define AT_ALL AT_4(0)
#endif
PTRT_INLINE void pick_u32(s_u32 *to, const s_u32 *p, const s_u32 *at) {
    for (unsigned i = 0; i < VREG / 4; i += N_u32)
        st_u32(to + i, (v_u32){AT_ALL});
}

/* Elements of E in lanes of I, the width of their indices. Inactive lanes read nothing that is not
 * there: they read element 0, which an active lane has bounded. */
#define GATHER(name, op, E, I)                                                                     \
    static int name##_##E(ptrt_core *core, uint32_t line, ptrt_vreg *d, int64_t base,              \
                          const ptrt_vreg *indices, const ptrt_mask *m) {                          \
        vreg kept, got;                                                                            \
        uint32_t most;                                                                             \
        if (none_active(m, S_##I)) {                                                               \
            memset(d, 0, VREG);                                                                    \
            return PTRT_OK;                                                                        \
        }                                                                                          \
        const s_##I *at = indices_##I(&kept, indices, m, &most);                                   \
        const s_##E *p = (const s_##E *)(const void *)place_at(                                    \
            core, PTRT_VEC, base, ((uint64_t)most + 1) * S_##E, S_##E);                            \
        if (p == NULL) return no_element(core, line, op, base, most, S_##E);                       \
        if (core->watch)                                                                           \
            touch_elements(core, (const unsigned char *)p, at, m, S_##I, S_##E, false);            \
        s_##I *to = all_active(m, S_##I) ? (s_##I *)d : (s_##I *)(void *)got.at;                   \
        pick_##E(to, p, at);                                                                       \
        if (to != (s_##I *)d) zero_lanes(d, &got, m, S_##I);                                       \
        return PTRT_OK;                                                                            \
    }
GATHER(gather, "pto.vgather2", u8, u16)
GATHER(gather, "pto.vgather2", u16, u16)
GATHER(gather, "pto.vgather2", u32, u32)
GATHER(gather_bc, "pto.vgather2_bc", u32, u32)

/* Of lanes with one index the lowest is stored: it is the last. Lane i of I stores element i *
 * EVERY of the register. */
#define SCATTER(E, I, EVERY)                                                                       \
    static int scatter_##E(ptrt_core *core, uint32_t line, const ptrt_vreg *v, int64_t base,       \
                           const ptrt_vreg *indices, const ptrt_mask *m) {                         \
        vreg kept;                                                                                 \
        uint32_t most;                                                                             \
        if (none_active(m, S_##I)) return PTRT_OK;                                                 \
        const s_##I *at = indices_##I(&kept, indices, m, &most);                                   \
        s_##E *p =                                                                                 \
            (s_##E *)(void *)place_at(core, PTRT_VEC, base, ((uint64_t)most + 1) * S_##E, S_##E);  \
        if (p == NULL) return no_element(core, line, "pto.vscatter", base, most, S_##E);           \
        if (core->watch)                                                                           \
            touch_elements(core, (const unsigned char *)p, at, m, S_##I, S_##E, true);             \
        for (unsigned i = VREG / S_##I; i-- > 0;)                                                  \
            if (is_active(m, i, S_##I)) p[at[i]] = ((const s_##E *)v)[i * EVERY];                  \
        return PTRT_OK;                                                                            \
    }
SCATTER(u8, u16, 2)
SCATTER(u16, u16, 1)
SCATTER(u32, u32, 1)
#include "kern/family.h"
