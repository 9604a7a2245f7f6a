/* SPDX-License-Identifier: Apache-2.0 */
/* sort.c - bodies that sort blocks of 32 and merge sorted lists.
 *
 * An element's place is the number of elements that come before it: all 1024 comparisons are made,
 * in vectors and without branches. */
#include "ptort_emitted.h"

#include "kern/kern.h"
#include "kern/vec.h"

enum { BLOCK = 32, VECTORS = BLOCK / N_i32 };

/* ---- keys: signed integers in the order of the values ---- */

/* Maps the bits of a float to an integer key. Zeros are equal; negative NaNs are equal and below
 * everything, positive ones above. */
PTRT_INLINE int32_t key_of_bits(uint32_t bits, uint32_t inf) {
    const uint32_t mag = bits & 0x7FFFFFFFu, capped = mag > inf ? inf + 1 : mag;
    return (bits >> 31) != 0 ? -(int32_t)capped : (int32_t)capped;
}
PTRT_INLINE int32_t key_f32(uint32_t x) {
    return key_of_bits(x, 0x7F800000u);
}
PTRT_INLINE int32_t key_f16(uint16_t x) {
    return key_of_bits((uint32_t)x << 16, 0x7C000000u);
}
PTRT_INLINE int32_t key_bf16(uint16_t x) {
    return key_of_bits((uint32_t)x << 16, 0x7F800000u);
}
PTRT_INLINE int32_t key_i16(uint16_t x) {
    return (int16_t)x;
}
PTRT_INLINE int32_t key_u16(uint16_t x) {
    return x;
}
PTRT_INLINE int32_t key_i32(uint32_t x) {
    return (int32_t)x;
}
PTRT_INLINE int32_t key_u32(uint32_t x) {
    return (int32_t)(x ^ 0x80000000u);
}

/* ---- places ---- */

/* Computes place[j], the number of keys that come before key j: larger ones, and equal ones with a
 * smaller index. All keys in earlier vectors are counted at first, and smaller ones subtracted.
 * Within its own vector, x comes before key j if x > key j, or x > key j - 1 if x has the smaller
 * index; the smallest integer, for which key j - 1 wraps, comes after all others. A true comparison
 * is -1 in its lane. All loops are unrolled, so that keys and counts stay in registers. */
PTRT_INLINE void rank(const int32_t *key, uint32_t *place) {
    v_i32 k[VECTORS], count[VECTORS], lane;
    for (int l = 0; l < N_i32; l++)
        lane[l] = l;
#pragma GCC unroll 8
    for (int v = 0; v < VECTORS; v++) {
        k[v] = ld_i32(key + v * N_i32);
        count[v] = v * N_i32 - ((v_i32)(k[v] == INT32_MIN) & -lane);
    }
#pragma GCC unroll 8
    for (int w = 0; w < VECTORS; w++) {
#pragma GCC unroll 16
        for (int l = 0; l < N_i32; l++) {
            const v_i32 x = splat_i32(key + w * N_i32 + l);
            const v_i32 after = (v_i32)(lane > l);
#pragma GCC unroll 8
            for (int v = 0; v < w; v++)
                count[v] -= (v_i32)(x > k[v]);
            count[w] -= (v_i32)(x > (v_i32)((v_u32)k[w] + (v_u32)after));
#pragma GCC unroll 8
            for (int v = w + 1; v < VECTORS; v++)
                count[v] += (v_i32)(k[v] > x);
#pragma GCC unroll 8
            for (int v = 0; v < VECTORS; v++)
                KEEP_ORDER(count[v]);
        }
    }
#pragma GCC unroll 8
    for (int v = 0; v < VECTORS; v++)
        st_i32(place + v * N_i32, count[v]);
}

/* clang-format off */

/* A record is the bits of the value, zeros up to 4 bytes, and the element of idx. */
#define SORT_BLOCKS(E, STORE, KEY)                                                                 \
    /* Sorts n <= BLOCK records; all BLOCK keys are set. */                                        \
    PTRT_INLINE void sort_records_##E(unsigned char *d, const int32_t *key, const STORE *s,        \
                                      const s_u32 *idx, size_t n) {                                \
        uint32_t place[BLOCK];                                                                     \
        uint64_t record[BLOCK];                                                                    \
        for (size_t i = 0; i < n; i++)                                                             \
            record[i] = s[i] | (uint64_t)idx[i] << 32;                                             \
        rank(key, place);                                                                          \
        for (size_t i = 0; i < n; i++)                                                             \
            memcpy(d + 8 * place[i], &record[i], sizeof record[i]);                                \
    }                                                                                              \
    static void sort_block_##E(unsigned char *d, const STORE *s, const s_u32 *idx) {               \
        int32_t key[BLOCK];                                                                        \
        for (size_t i = 0; i < BLOCK; i++)                                                         \
            key[i] = KEY(s[i]);                                                                    \
        sort_records_##E(d, key, s, idx, BLOCK);                                                   \
    }                                                                                              \
    static __attribute__((noinline)) void sort_few_##E(unsigned char *d, const STORE *s,           \
                                                       const s_u32 *idx, size_t n) {               \
        int32_t key[BLOCK];                                                                        \
        for (size_t i = 0; i < BLOCK; i++)                                                         \
            key[i] = i < n ? KEY(s[i]) : INT32_MIN;                                                \
        sort_records_##E(d, key, s, idx, n);                                                       \
    }                                                                                              \
    static void sort32_sort_##E(const ptrt_args *x) {                                              \
        const STORE *s = x->p[0];                                                                  \
        const s_u32 *idx = x->p[1];                                                                \
        unsigned char *d = x->p[2];                                                                \
        const size_t cols = x->cols;                                                               \
        const ptrdiff_t lds = x->ld[0], ldi = x->ld[1], ldd = x->ld[2] * (ptrdiff_t)sizeof *s;     \
        for (size_t rows = x->rows; rows > 0; rows--, s += lds, idx += ldi, d += ldd) {            \
            size_t c = 0;                                                                          \
            for (; c + BLOCK <= cols; c += BLOCK)                                                  \
                sort_block_##E(d + 8 * c, s + c, idx + c);                                         \
            if (c < cols) sort_few_##E(d + 8 * c, s + c, idx + c, cols - c);                       \
        }                                                                                          \
    }
SORT_BLOCKS(f32, s_u32, key_f32)
SORT_BLOCKS(f16, s_u16, key_f16)
SORT_BLOCKS(bf16, s_u16, key_bf16)
SORT_BLOCKS(i16, s_u16, key_i16)
SORT_BLOCKS(u16, s_u16, key_u16)
SORT_BLOCKS(i32, s_u32, key_i32)
SORT_BLOCKS(u32, s_u32, key_u32)

/* ---- lists ---- */

/* The type in which keys of lists are compared. */
#define NATIVE(E, T)                                                                               \
    typedef T key_of_##E;                                                                          \
    PTRT_INLINE T list_key_##E(const unsigned char *p) {                                           \
        return *(const s_##E *)(const void *)p;                                                    \
    }
NATIVE(i8, int8_t)
NATIVE(u8, uint8_t)
NATIVE(i16, int16_t)
NATIVE(u16, uint16_t)
NATIVE(i32, int32_t)
NATIVE(u32, uint32_t)
NATIVE(i64, int64_t)
NATIVE(u64, uint64_t)
NATIVE(f32, float)
NATIVE(f64, double)
#define HALF(E)                                                                                    \
    typedef float key_of_##E;                                                                      \
    PTRT_INLINE float list_key_##E(const unsigned char *p) {                                       \
        return ldn_##E(p, 1)[0];                                                                   \
    }
HALF(f16)
HALF(bf16)

#define MERGE(E)                                                                                   \
    static void merge_records_##E(const ptrt_args *x) {                                            \
        ptrt_merge_how *how = x->how;                                                              \
        const size_t count = how->count;                                                           \
        const bool exhausted = how->exhausted;                                                     \
        unsigned char *d = x->p[PTRT_LISTS];                                                       \
        const unsigned char *p[PTRT_LISTS], *end[PTRT_LISTS];                                      \
        key_of_##E key[PTRT_LISTS] = {0};                                                          \
        bool open = true;                                                                          \
        for (size_t k = 0; k < count; k++) {                                                       \
            p[k] = x->p[k];                                                                        \
            end[k] = p[k] + 8 * how->n[k];                                                         \
            open &= !exhausted || how->n[k] > 0;                                                   \
            if (how->n[k] > 0) key[k] = list_key_##E(p[k]);                                        \
        }                                                                                          \
        for (size_t room = how->room; open && room > 0; room--) {                                  \
            size_t best = count;                                                                   \
            for (size_t k = 0; k < count; k++)                                                     \
                if (p[k] != end[k] && (best == count || key[k] > key[best])) best = k;             \
            if (best == count) break;                                                              \
            memcpy(d, p[best], 8);                                                                 \
            d += 8;                                                                                \
            p[best] += 8;                                                                          \
            if (p[best] != end[best])                                                              \
                key[best] = list_key_##E(p[best]);                                                 \
            else                                                                                   \
                open = !exhausted;                                                                 \
        }                                                                                          \
        for (size_t k = 0; k < count; k++)                                                         \
            how->taken[k] = (size_t)(p[k] - (const unsigned char *)x->p[k]) / 8;                   \
    }
MERGE(i8)
MERGE(u8)
MERGE(i16)
MERGE(u16)
MERGE(i32)
MERGE(u32)
MERGE(i64)
MERGE(u64)
MERGE(f16)
MERGE(bf16)
MERGE(f32)
MERGE(f64)
/* clang-format on */
#include "kern/family.h"
