/* SPDX-License-Identifier: Apache-2.0 */
/* vreduce.c - bodies that reduce the lanes of a register. An inactive lane counts as the neutral
 * element. Sums of floats are trees: lane i and lane i + n / 2 first, down to neighbours, the same
 * on every level; those of f16 are added in f32 and rounded once. */
#include "kern/compare.h"

#include "kern/arith.h"
#include "kern/fold.h"
#include "kern/kern.h"

/* clang-format off */

/* Returns the register with `idle` in its inactive lanes, in t if it has some. */
PTRT_INLINE const char *idle_as(vreg *t, const ptrt_vreg *a, v_u8 idle, const ptrt_mask *m, unsigned w) {
    if (all_active(m, w)) return (const char *)a;
    fill_idle(t, a, idle, m, w);
    return (const char *)t->at;
}

/* Sets the first lane of w bytes; the others become 0. What is put together from parts is passed in
 * a word: a load of bytes that several stores have just written waits for them. */
PTRT_INLINE void only_first(ptrt_vreg *d, uint64_t lane, unsigned w) {
    fill_lanes(d, (v_u8){0});
    memcpy(d, &lane, w);
}
/* The same for the first lane of a vector. */
PTRT_INLINE void only_first_of(ptrt_vreg *d, v_u8 v, unsigned w) {
    v_u8 keep = {0};
    for (unsigned i = 0; i < w; i++)
        keep[i] = 0xFF;
    st_u8(d, v & keep);
    for (unsigned i = VB; i < VREG; i += VB)
        st_u8((char *)d + i, (v_u8){0});
}

/* Defines NAME_E(p), which combines `bytes` bytes from p on into the first lane; if that is less
 * than a vector, the bytes behind them into the lane behind as many. */
#define FOLDED(NAME, OP, E, bytes)                                                                 \
    PTRT_INLINE c_##E NAME##_##OP##_##E(const char *p) {                                           \
        enum { HELD = N_##E * S_##E, N = HELD >= (bytes) ? 1 : (bytes) / HELD };                   \
        c_##E s[N];                                                                                \
        _Pragma("GCC unroll 32") for (int i = 0; i < N; i++)                                       \
            s[i] = ld_##E(p + i * HELD);                                                           \
        _Pragma("GCC unroll 8") for (int n = N / 2; n >= 1; n /= 2)                                \
            _Pragma("GCC unroll 16") for (int i = 0; i < n; i++)                                   \
                s[i] = OP##_##E(s[i], s[i + n]);                                                   \
        c_##E v = s[0];                                                                            \
        FOLD_LANES(E, OP, (bytes) / S_##E)                                                         \
        return v;                                                                                  \
    }

/* ---- sums of all lanes ---- */

#define SUM(E)                                                                                     \
    FOLDED(whole, add, E, VREG)                                                                    \
    static void sum_##E(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_mask *m) {                    \
        vreg t;                                                                                    \
        FIRST_OF_##E(d, whole_add_##E(idle_as(&t, a, (v_u8){0}, m, S_##E)));                       \
    }
#define FIRST_OF_u32(d, v) only_first_of(d, (v_u8)(v), 4)
#define FIRST_OF_f32(d, v) only_first_of(d, (v_u8)(v), 4)
#define FIRST_OF_f16(d, v)                                                                         \
    vreg lanes = {{0}};                                                                            \
    st_f16(&lanes, v);                                                                             \
    only_first_of(d, ld_u8(&lanes), 2);
SUM(u32)
SUM(f16)
SUM(f32)

/* Sums of pairs first; they fit the wider type, as does the sum of all. */
#define WIDE_SUM(E, W, LOW, HIGH)                                                                  \
    static void sum_##E(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_mask *m) {                    \
        vreg t;                                                                                    \
        const char *p = idle_as(&t, a, (v_u8){0}, m, S_##E);                                       \
        c_##W v = {0};                                                                             \
        for (unsigned i = 0; i < VREG; i += VB) {                                                  \
            const c_##W x = ld_##W(p + i);                                                         \
            v += (c_##W)(LOW) + (c_##W)(HIGH);                                                     \
        }                                                                                          \
        FOLD_LANES(W, add, N_##W)                                                                  \
        only_first_of(d, (v_u8)v, S_##W);                                                          \
    }
WIDE_SUM(u8, u16, x & 0xFF, x >> 8)
WIDE_SUM(i8, u16, (v_i16)(x << 8) >> 8, (v_i16)x >> 8)
WIDE_SUM(u16, u32, x & 0xFFFF, x >> 16)
WIDE_SUM(i16, u32, (v_i32)(x << 16) >> 16, (v_i32)x >> 16)

/* ---- extremes ---- */

#define EACH_COMPARABLE(X, ...)                                                                    \
    X(__VA_ARGS__, u8, 0, 0xFF) X(__VA_ARGS__, i8, 0x80, 0x7F)                                     \
    X(__VA_ARGS__, u16, 0, 0xFFFF) X(__VA_ARGS__, i16, 0x8000, 0x7FFF)                             \
    X(__VA_ARGS__, u32, 0, 0xFFFFFFFF) X(__VA_ARGS__, i32, 0x80000000, 0x7FFFFFFF)                 \
    X(__VA_ARGS__, f16, 0xFC00, 0x7C00) X(__VA_ARGS__, bf16, 0xFF80, 0x7F80)                       \
    X(__VA_ARGS__, f32, 0xFF800000, 0x7F800000)
#define NEUTRAL_lane_max(least, most) least
#define NEUTRAL_lane_min(least, most) most

/* Looked for beside the tree, each level of which NaN would make longer. */
#define HAS_NAN(unused, E, least, most)                                                            \
    PTRT_INLINE bool has_nan_##E(const char *p) {                                                  \
        v_u32 nan = {0};                                                                           \
        for (unsigned i = 0; i < VREG; i += N_##E * S_##E) {                                       \
            const c_##E x = ld_##E(p + i);                                                         \
            nan |= (v_u32)(x != x);                                                                \
        }                                                                                          \
        return !all_lanes(~nan);                                                                   \
    }
EACH_COMPARABLE(HAS_NAN, )

/* Stores the lanes that have the extreme, which are those of NaN if a lane is NaN, and its bits: of
 * zeros of both signs the first. Returns the number of the first of the lanes, or 0 if none is
 * active and the bits are the neutral element's. */
#define EXTREME(OP, NUMBERS, E, least, most)                                                       \
    FOLDED(whole, NUMBERS, E, VREG)                                                                \
    PTRT_INLINE unsigned search_##OP##_##E(ptrt_mask *found, uint64_t *bits, const ptrt_vreg *a,       \
                                           const ptrt_mask *m) {                                   \
        vreg t;                                                                                    \
        const v_u8 neutral = all_##E(NEUTRAL_##OP(least, most));                                   \
        const char *p = idle_as(&t, a, neutral, m, S_##E);                                         \
        if (has_nan_##E(p)) {                                                                      \
            compare_##E(found, a, a, true, m, UNEQUAL);                                            \
        } else {                                                                                   \
            const c_##E v = whole_##NUMBERS##_##E(p);                                              \
            uint64_t one = 0;                                                                      \
            unsigned char lanes[VB];                                                               \
            st_##E(lanes, v);                                                                      \
            memcpy(&one, lanes, S_##E);                                                            \
            const v_u8 all = all_##E(one);                                                         \
            compare_##E(found, a, &all, false, m, EQUAL);                                          \
        }                                                                                          \
        *bits = (uint64_t)NEUTRAL_##OP(least, most);                                               \
        for (unsigned i = 0; i < 4; i++) {                                                         \
            if (found->bits[i] == 0) continue;                                                     \
            const unsigned at = 64 * i + (unsigned)__builtin_ctzll(found->bits[i]);                \
            *bits = 0;                                                                             \
            memcpy(bits, (const char *)a + at, S_##E);                                             \
            return at / S_##E;                                                                     \
        }                                                                                          \
        return 0;                                                                                  \
    }                                                                                              \
    /* The extreme, and the number of its lane as an integer of the width. */                      \
    static void extreme_##OP##_##E(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_mask *m) {         \
        ptrt_mask found;                                                                           \
        uint64_t bits;                                                                             \
        const uint64_t lane = search_##OP##_##E(&found, &bits, a, m);                              \
        only_first(d, bits | lane << (8 * S_##E), 2 * S_##E);                                      \
    }                                                                                              \
    static void find_##OP##_##E(ptrt_vreg *d, ptrt_mask *found, const ptrt_vreg *a,                \
                                const ptrt_mask *m) {                                              \
        uint64_t bits;                                                                             \
        search_##OP##_##E(found, &bits, a, m);                                                     \
        only_first(d, bits, S_##E);                                                                \
    }
EACH_COMPARABLE(EXTREME, lane_max, max)
EACH_COMPARABLE(EXTREME, lane_min, min)

/* ---- groups of 32 bytes, whose results are the first lanes ---- */

enum { GROUP = 32, GROUPS = VREG / GROUP };
/* A vector of 64 bytes has two groups. */
#define GROUPED(NAME, OP, E, NEUTRAL)                                                              \
    FOLDED(one, OP, E, GROUP)                                                                      \
    static void group_##NAME##_##E(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_mask *m) {         \
        enum { BYTES = N_##E * S_##E > GROUP ? N_##E * S_##E : GROUP, HALF = GROUP / S_##E };      \
        vreg t;                                                                                    \
        const char *p = idle_as(&t, a, all_##E(NEUTRAL), m, S_##E);                                \
        __typeof__(((c_##E){0})[0]) result[N_##E + GROUPS] = {0};                                   \
        for (int g = 0; g < GROUPS; g += BYTES / GROUP, p += BYTES) {                              \
            const c_##E v = one_##OP##_##E(p);                                                     \
            result[g] = v[0];                                                                      \
            if ((int)BYTES > GROUP) result[g + 1] = v[HALF % N_##E];                               \
        }                                                                                          \
        fill_lanes(d, (v_u8){0});                                                                  \
        for (int i = 0; i < GROUPS; i += N_##E) {                                                  \
            c_##E v;                                                                               \
            memcpy(&v, result + i, sizeof v);                                                      \
            st_##E((char *)d + i * S_##E, v);                                                      \
        }                                                                                          \
    }
#define GROUP_SUM(NAME, E) GROUPED(NAME, add, E, 0)
GROUP_SUM(add, u8)
GROUP_SUM(add, u16)
GROUP_SUM(add, u32)
GROUP_SUM(add, f16)
GROUP_SUM(add, f32)

/* Of zeros of both signs, the largest is +0 and the smallest -0. */
#define PLAIN(TOP, OP, E) OP2(TOP, OP##_##E(x, y), E)
INTEGERS(PLAIN, top, lane_max)
INTEGERS(PLAIN, bottom, lane_min)
#define SIGNED_ZERO(E)                                                                             \
    OP2(top, SELECT(X_TYPE, x == y, AS(f32, AS(u32, x) & AS(u32, y)), lane_max_##E(x, y)), E)         \
    OP2(bottom, SELECT(X_TYPE, x == y, AS(f32, AS(u32, x) | AS(u32, y)), lane_min_##E(x, y)), E)
SIGNED_ZERO(f16)
SIGNED_ZERO(bf16)
SIGNED_ZERO(f32)
#define GROUP_MOST(NAME, E, least, most) GROUPED(NAME, top, E, least)
#define GROUP_LEAST(NAME, E, least, most) GROUPED(NAME, bottom, E, most)
EACH_COMPARABLE(GROUP_MOST, most)
EACH_COMPARABLE(GROUP_LEAST, least)
/* clang-format on */

/* ---- sums of neighbours, in the lower half ---- */

static void pairs_f32(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_mask *m) {
    vreg t, sums = {{0}};
    const s_f32 *p = (const s_f32 *)(const void *)idle_as(&t, a, (v_u8){0}, m, 4);
    for (unsigned i = 0; i < VREG / 8; i++)
        ((s_f32 *)sums.at)[i] = p[2 * i] + p[2 * i + 1];
    memcpy(d, &sums, VREG);
}
static void pairs_f16(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_mask *m) {
    vreg t;
    const char *p = idle_as(&t, a, (v_u8){0}, m, 2);
    fill_lanes(d, (v_u8){0});
    for (unsigned i = 0; i < VREG; i += VB) {
        const v_u32 x = ld_u32(p + i);
        st_f16((char *)d + i / 2,
               f16_widen(narrow_u32(x & 0xFFFF)) + f16_widen(narrow_u32(x >> 16)));
    }
}

/* ---- histograms: 128 counts of values from 128 * bin on, or also of all smaller ones ---- */

static void histogram_u8(ptrt_vreg *d, const ptrt_vreg *acc, const ptrt_vreg *source,
                         const ptrt_mask *m, int64_t bin, int cumulative) {
    enum { BINS = 128, VALUES = 256 };
    const unsigned char *x = (const unsigned char *)source;
    uint16_t count[VALUES] = {0};
    const bool is_known = bin >= 0 && bin < VALUES / BINS;
    unsigned below = 0;
    for (unsigned i = 0; i < VREG; i++)
        count[x[i]] = (uint16_t)(count[x[i]] + is_active(m, i, 1));
    const uint16_t *from = count + (is_known ? bin * BINS : 0);
    if (is_known || bin > 0)
        for (const uint16_t *c = count; cumulative && c < (is_known ? from : count + VALUES); c++)
            below += *c;
    for (unsigned b = 0; b < BINS; b++) {
        if (!cumulative) below = 0;
        if (is_known) below += from[b];
        ((s_u16 *)d)[b] = (uint16_t)(((const s_u16 *)acc)[b] + below);
    }
}
#include "kern/family.h"
