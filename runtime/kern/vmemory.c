/* SPDX-License-Identifier: Apache-2.0 */
/* vmemory.c - bodies of the loads and stores of vector registers at one address. */
#include "core/bits.h"
#include "core/core.h"
#include "core/place.h"
#include "kern/micro.h"

#include "kern/kern.h"

/* How elements are arranged, by the numbers of the language. Where no source says how an address
 * is aligned, it is a multiple of 32, as one edition of the library's manual has it for all. */
enum {
    /* pto.vlds: an element in every lane, each element twice, every other one, in lanes of twice
     * the width, a block in every block, each of eight in a block, in lanes of four times the
     * width */
    BRC_B8 = 1,
    BRC_B16,
    BRC_B32,
    US_B8 = 6,
    US_B16,
    DS_B8,
    DS_B16,
    UNPK_B8 = 13,
    UNPK_B16,
    BRC_BLK,
    E2B_B16,
    E2B_B32,
    UNPK_B32,
    UNPK4 = 20,
    /* pto.vldsx2 */
    BDINTLV = 10,
    DINTLV_B8,
    DINTLV_B16,
    DINTLV_B32 = 19,
    /* pto.vsts: the first lane, the lower halves, the lowest quarters of lanes */
    ONE_B8 = 3,
    ONE_B16,
    ONE_B32,
    PK_B16,
    PK_B32,
    PK_B64 = 10,
    PK4_B32 = 12,
    /* pto.vstsx2 */
    INTLV_B8 = 8,
    INTLV_B16,
    INTLV_B32 = 11
};
enum { BLOCK = 32 };
#define SELDOM __attribute__((noinline, cold))

/* ---- a register as it is in memory ---- */

PTRT_INLINE void copy_register(void *d, const void *s) {
    for (unsigned i = 0; i < VREG; i += VB)
        st_u8((char *)d + i, ld_u8((const char *)s + i));
}

static void copy_any(ptrt_vreg *d, const ptrt_vreg *a) {
    copy_register(d, a);
}

/* The plain load and store are short enough for calls inside them to double their time: what fails
 * or is watched is elsewhere. */
static SELDOM int load_seldom(ptrt_core *core, uint32_t line, ptrt_vreg *d, int64_t at) {
    const unsigned char *p = place_read(core, PTRT_VEC, at, VREG, 32);
    if (p == NULL) return place_fail(core, line, "pto.vlds", PTRT_VEC, at, VREG, 32);
    memcpy(d, p, VREG);
    return PTRT_OK;
}

static int load_plain_any(ptrt_core *core, uint32_t line, ptrt_vreg *d, int64_t *next, int64_t base,
                          int64_t offset) {
    const int64_t at = place_step(base, offset, next);
    const unsigned char *p = place_at(core, PTRT_VEC, at, VREG, 32);
    if (p == NULL || core->watch) return load_seldom(core, line, d, at);
    copy_register(d, p);
    return PTRT_OK;
}

static int load_unaligned_any(ptrt_core *core, uint32_t line, ptrt_vreg *d, int64_t base,
                              int64_t offset, int64_t align) {
    const int64_t at = place_step(base, offset, NULL);
    const unsigned char *p = place_read(core, PTRT_VEC, at, VREG, (uint64_t)align);
    if (p == NULL) return place_fail(core, line, "pto.uvld", PTRT_VEC, at, VREG, (uint64_t)align);
    copy_register(d, p);
    return PTRT_OK;
}

static SELDOM int store_seldom(ptrt_core *core, uint32_t line, const ptrt_vreg *v, int64_t at,
                               const ptrt_mask *m, unsigned w) {
    unsigned char *p = place_lanes(core, PTRT_VEC, at, 32, m, w);
    if (p == NULL) return place_fail(core, line, "pto.vsts", PTRT_VEC, at, VREG, 32);
    for (unsigned i = 0; i < VREG; i += w)
        if (is_active(m, i / w, w)) memcpy(p + i, (const char *)v + i, w);
    return PTRT_OK;
}

#define STORE_PLAIN(E, B)                                                                          \
    static int store_plain_##E(ptrt_core *core, uint32_t line, const ptrt_vreg *v, int64_t *next,  \
                               int64_t base, int64_t offset, const ptrt_mask *m) {                 \
        const int64_t at = place_step(base, offset, next);                                         \
        unsigned char *p = place_at(core, PTRT_VEC, at, VREG, 32);                                 \
        if (p == NULL || core->watch) return store_seldom(core, line, v, at, m, S_##E);            \
        if (all_active(m, S_##E))                                                                  \
            copy_register(p, v);                                                                   \
        else                                                                                       \
            merge_lanes(p, v, p, m, S_##E);                                                        \
        return PTRT_OK;                                                                            \
    }
#define BY_WIDTH(X) X(u8, 8) X(u16, 16) X(u32, 32) X(u64, 64)
BY_WIDTH(STORE_PLAIN)

/* ---- elements moved ---- */

/* Sets n elements at `to` from one element x of memory each. */
#define EACH(TO, FROM, name, expr)                                                                 \
    PTRT_INLINE void name##_##FROM(void *to, const void *from, unsigned n) {                       \
        s_##TO *restrict d = (s_##TO *)to;                                                         \
        const s_##FROM *restrict s = (const s_##FROM *)from;                                       \
        for (unsigned i = 0; i < n; i++) {                                                         \
            const s_##FROM x = s[i];                                                               \
            d[i] = (s_##TO)(expr);                                                                 \
        }                                                                                          \
    }
EACH(u16, u8, extend, x)
EACH(u32, u16, extend, x)
EACH(u64, u32, extend, x)
EACH(u32, u8, quarter, x)
EACH(u16, u8, twice, x * 0x0101u)
EACH(u32, u16, twice, x * 0x00010001u)
EACH(u8, u16, low, x)
EACH(u16, u32, low, x)
EACH(u32, u64, low, x)
EACH(u8, u32, lowest, x)
EACH(u8, u16, high, x >> 8)
EACH(u16, u32, high, x >> 16)
EACH(u32, u64, high, x >> 32)

/* Fills n bytes, a multiple of a compute vector or a block, with an element. */
#define FILL(E)                                                                                    \
    PTRT_INLINE void fill_##E(void *to, const void *from, unsigned n) {                            \
        const c_##E x = splat_##E(from);                                                           \
        for (unsigned i = 0; i < n; i += VB)                                                       \
            memcpy((char *)to + i, &x, n < VB ? n : VB);                                           \
    }
FILL(u8)
FILL(u16)
FILL(u32)

PTRT_INLINE void fill_blocks(void *to, const void *from) {
    unsigned char block[BLOCK];
    memcpy(block, from, BLOCK);
    for (unsigned i = 0; i < VREG; i += BLOCK)
        memcpy((char *)to + i, block, BLOCK);
}

/* Elements of two registers in turn. */
#define IN_TURN(NARROW, WIDE, B)                                                                   \
    PTRT_INLINE void in_turn_##NARROW(void *to, const void *low, const void *high) {               \
        s_##WIDE *restrict d = (s_##WIDE *)to;                                                     \
        const s_##NARROW *restrict x = (const s_##NARROW *)low;                                    \
        const s_##NARROW *restrict y = (const s_##NARROW *)high;                                   \
        for (unsigned i = 0; i < VREG / S_##NARROW; i++)                                           \
            d[i] = (s_##WIDE)(x[i] | (s_##WIDE)((s_##WIDE)y[i] << B));                             \
    }
IN_TURN(u8, u16, 8)
IN_TURN(u16, u32, 16)
IN_TURN(u32, u64, 32)

/* ---- pto.vlds ---- */

/* What an arrangement reads. */
typedef struct footprint {
    uint16_t bytes, align;
} footprint;

static const footprint loads[] = {
    [BRC_B8] = {1, 1},      [BRC_B16] = {2, 2},   [BRC_B32] = {4, 4},   [US_B8] = {128, 32},
    [US_B16] = {128, 32},   [DS_B8] = {512, 32},  [DS_B16] = {512, 32}, [UNPK_B8] = {128, 32},
    [UNPK_B16] = {128, 32}, [BRC_BLK] = {32, 32}, [E2B_B16] = {16, 16}, [E2B_B32] = {32, 32},
    [UNPK_B32] = {128, 32}, [UNPK4] = {64, 32}};

static void arrange(void *d, const unsigned char *p, int dist) {
    switch (dist) {
    case BRC_B8:
        fill_u8(d, p, VREG);
        break;
    case BRC_B16:
        fill_u16(d, p, VREG);
        break;
    case BRC_B32:
        fill_u32(d, p, VREG);
        break;
    case BRC_BLK:
        fill_blocks(d, p);
        break;
    case US_B8:
        twice_u8(d, p, 128);
        break;
    case US_B16:
        twice_u16(d, p, 64);
        break;
    case DS_B8:
        low_u16(d, p, 256);
        break;
    case DS_B16:
        low_u32(d, p, 128);
        break;
    case UNPK_B8:
        extend_u8(d, p, 128);
        break;
    case UNPK_B16:
        extend_u16(d, p, 64);
        break;
    case UNPK_B32:
        extend_u32(d, p, 32);
        break;
    case UNPK4:
        quarter_u8(d, p, 64);
        break;
    case E2B_B16:
        for (unsigned b = 0; b < 8; b++)
            fill_u16((char *)d + b * BLOCK, p + b * 2, BLOCK);
        break;
    case E2B_B32:
        for (unsigned b = 0; b < 8; b++)
            fill_u32((char *)d + b * BLOCK, p + b * 4, BLOCK);
        break;
    }
}

static int load_as_any(ptrt_core *core, uint32_t line, ptrt_vreg *d, int64_t *next, int64_t base,
                       int64_t offset, int dist) {
    const int64_t at = place_step(base, offset, next);
    const footprint f = loads[dist];
    const unsigned char *p = place_read(core, PTRT_VEC, at, f.bytes, f.align);
    if (p == NULL) return place_fail(core, line, "pto.vlds", PTRT_VEC, at, f.bytes, f.align);
    arrange(d, p, dist);
    return PTRT_OK;
}

/* ---- pto.vsts ---- */

/* Of a register that is packed: its bytes and the width of its lanes. Bit 2k or 4k of the mask
 * becomes bit k. */
typedef struct packing {
    uint8_t bytes, width, steps;
} packing;

static packing pack(void *t, const ptrt_vreg *v, int dist) {
    switch (dist) {
    case PK_B16:
        low_u16(t, v, 128);
        return (packing){128, 1, 1};
    case PK_B32:
        low_u32(t, v, 64);
        return (packing){128, 2, 1};
    case PK_B64:
        low_u64(t, v, 32);
        return (packing){128, 4, 1};
    default:
        lowest_u32(t, v, 64);
        return (packing){64, 1, 2};
    }
}

static ptrt_mask packed_mask(const ptrt_mask *m, unsigned steps) {
    ptrt_mask k = *m;
    for (unsigned i = 0; i < steps; i++)
        k = (ptrt_mask){{even_bits(k.bits[0]) | even_bits(k.bits[1]) << 32,
                         even_bits(k.bits[2]) | even_bits(k.bits[3]) << 32, 0, 0}};
    return k;
}

/* The mask has no say. */
static SELDOM int store_first(ptrt_core *core, uint32_t line, const ptrt_vreg *v, int64_t at,
                              int dist) {
    const unsigned bytes = 1u << (dist - ONE_B8);
    unsigned char *p = place_write(core, PTRT_VEC, at, bytes, bytes);
    if (p == NULL) return place_fail(core, line, "pto.vsts", PTRT_VEC, at, bytes, bytes);
    memcpy(p, v, bytes);
    return PTRT_OK;
}

/* Apart from the store of one lane, which is short. */
static __attribute__((noinline)) int store_packed(ptrt_core *core, uint32_t line,
                                                  const ptrt_vreg *v, int64_t at,
                                                  const ptrt_mask *m, int dist) {
    vreg t;
    const packing k = pack(&t, v, dist);
    const ptrt_mask packed = packed_mask(m, k.steps);
    unsigned char *p = place_first_lanes(core, PTRT_VEC, at, k.bytes, 32, &packed, k.width);
    if (p == NULL) return place_fail(core, line, "pto.vsts", PTRT_VEC, at, k.bytes, 32);
    for (unsigned i = 0; i < k.bytes; i += VB)
        st_u8(p + i, pick_8(bytes_at(&packed, i, k.width), ld_u8(t.at + i), ld_u8(p + i)));
    return PTRT_OK;
}

static int store_as_any(ptrt_core *core, uint32_t line, const ptrt_vreg *v, int64_t *next,
                        int64_t base, int64_t offset, const ptrt_mask *m, int dist) {
    const int64_t at = place_step(base, offset, next);
    if (dist > ONE_B32) return store_packed(core, line, v, at, m, dist);
    unsigned char *p = dist == ONE_B32 ? place_at(core, PTRT_VEC, at, 4, 4) : NULL;
    if (p == NULL || core->watch) return store_first(core, line, v, at, dist);
    memcpy(p, v, 4);
    return PTRT_OK;
}

/* ---- two registers ---- */

static void separate_blocks(ptrt_vreg *low, ptrt_vreg *high, const unsigned char *p) {
    for (unsigned i = 0; i < VREG; i += BLOCK) {
        memcpy((char *)low + i, p + 2 * i, BLOCK);
        memcpy((char *)high + i, p + 2 * i + BLOCK, BLOCK);
    }
}

static int load_two_any(ptrt_core *core, uint32_t line, ptrt_vreg *low, ptrt_vreg *high,
                        int64_t *next, int64_t base, int64_t offset, int dist) {
    const int64_t at = place_step(base, offset, next);
    const unsigned char *p = place_read(core, PTRT_VEC, at, 2 * VREG, 32);
    if (p == NULL) return place_fail(core, line, "pto.vldsx2", PTRT_VEC, at, 2 * VREG, 32);
    switch (dist) {
    case DINTLV_B8:
        low_u16(low, p, 256);
        high_u16(high, p, 256);
        break;
    case DINTLV_B16:
        low_u32(low, p, 128);
        high_u32(high, p, 128);
        break;
    case DINTLV_B32:
        low_u64(low, p, 64);
        high_u64(high, p, 64);
        break;
    default:
        separate_blocks(low, high, p);
    }
    return PTRT_OK;
}

static int store_two_any(ptrt_core *core, uint32_t line, const ptrt_vreg *low,
                         const ptrt_vreg *high, int64_t base, int64_t offset, int dist) {
    const int64_t at = place_step(base, offset, NULL);
    unsigned char *p = place_write(core, PTRT_VEC, at, 2 * VREG, 32);
    if (p == NULL) return place_fail(core, line, "pto.vstsx2", PTRT_VEC, at, 2 * VREG, 32);
    if (dist == INTLV_B8) in_turn_u8(p, low, high);
    if (dist == INTLV_B16) in_turn_u16(p, low, high);
    if (dist == INTLV_B32) in_turn_u32(p, low, high);
    return PTRT_OK;
}

/* ---- pto.vldus ---- */

/* The state that follows has the block of the next load, as it is now. */
static void prime(const ptrt_core *core, ptrt_align *out, int64_t at) {
    out->at = at & -BLOCK;
    const unsigned char *p = place_at(core, PTRT_VEC, out->at, BLOCK, BLOCK);
    out->n = p != NULL ? BLOCK : 0;
    if (p != NULL) memcpy(out->bytes, p, BLOCK);
}

/* A load that does not begin in the block of the state has all its bytes from memory. */
static int load_stream_any(ptrt_core *core, uint32_t line, ptrt_vreg *d, ptrt_align *out,
                           int64_t *next, int64_t at, const ptrt_align *a, int64_t step,
                           int64_t align) {
    const unsigned char *p = place_read(core, PTRT_VEC, at, VREG, (uint64_t)align);
    if (p == NULL) return place_fail(core, line, "pto.vldus", PTRT_VEC, at, VREG, (uint64_t)align);
    copy_register(d, p);
    const uint64_t skip = (uint64_t)at - (uint64_t)a->at;
    if (skip < a->n) memcpy(d, a->bytes + skip, (size_t)(a->n - skip));
    int64_t after = place_step(at, VREG, NULL);
    if (next != NULL) after = *next = place_step(at, step, NULL);
    prime(core, out, after);
    return PTRT_OK;
}
#include "kern/family.h"
