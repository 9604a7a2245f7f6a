/* SPDX-License-Identifier: Apache-2.0 */
/* gather.c - bodies that select or place elements by index, by pattern or by comparison. Rows are
 * first checked for indices out of range, with vectors; a row that has none is then read or written
 * without tests. */
#include "ptort_emitted.h"

#include "kern/kern.h"
#include "kern/vec.h"

/* ---- indices ---- */

enum { CHUNK = 256 };

PTRT_INLINE v_u32 larger(v_u32 a, v_u32 b) {
#if VB == 64
    return (v_u32)_mm512_max_epu32((__m512i)a, (__m512i)b);
#elif VB == 32
    return (v_u32)_mm256_max_epu32((__m256i)a, (__m256i)b);
#else
    const v_u32 m = (v_u32)(a > b);
    return SELECT(v_u32, m, a, b);
#endif
}

/* Whether all indices are below n. */
PTRT_INLINE bool all_below(const uint32_t *idx, size_t cols, uint32_t n) {
    const v_u32 limit = splat_u32(&n);
    v_u32 most = limit ^ limit, also = most;
    size_t c = 0;
    for (; c + 2 * N_u32 <= cols; c += 2 * N_u32) {
        most = larger(most, ld_u32(idx + c));
        also = larger(also, ld_u32(idx + c + N_u32));
    }
    uint32_t rest = 0;
    for (; c < cols; c++)
        rest |= (uint32_t)(idx[c] >= n);
    return all_lanes((v_u32)(larger(most, also) < limit)) != 0 && rest == 0;
}

/* Returns up to CHUNK indices of a row, from index c on, as 32-bit numbers: in place or converted
 * into `room`. */
PTRT_INLINE const uint32_t *indices(const void *row, enum ptrt_index kind, size_t c, size_t cols,
                                    uint32_t *room) {
    if (kind == PTRT_INDEX_32) return (const uint32_t *)row + c;
    const s_u16 *p = (const s_u16 *)row + c;
    for (size_t i = 0; i < cols; i++)
        room[i] = kind == PTRT_INDEX_I16 ? (uint32_t)(int32_t)(int16_t)p[i] : p[i];
    return room;
}

PTRT_INLINE const void *next_row(const void *row, enum ptrt_index kind, ptrdiff_t ldi) {
    return (const unsigned char *)row + ldi * (kind == PTRT_INDEX_32 ? 4 : 2);
}

/* clang-format off */

/* Calls ACT(p, c, k) for each piece of the row: k indices at p, from column c on. */
#define FOR_PIECES(ACT)                                                                            \
    const size_t most = kind == PTRT_INDEX_32 ? cols : CHUNK;                                      \
    for (size_t c = 0; c < cols;) {                                                                \
        const size_t k = cols - c < most ? cols - c : most;                                        \
        const uint32_t *p = indices(idx, kind, c, k, room);                                        \
        ACT(p, c, k);                                                                              \
        c += k;                                                                                    \
    }

static bool all_rows_below(const void *idx, enum ptrt_index kind, uint32_t n, size_t rows,
                           size_t cols, ptrdiff_t ldi) {
    uint32_t room[CHUNK];
    bool all = true;
    for (; rows > 0 && all; rows--, idx = next_row(idx, kind, ldi)) {
#define ALL_AT(p, c, k) all &= all_below(p, k, n)
        FOR_PIECES(ALL_AT)
    }
    return all;
}

#define OPEN_LOOKUP                                                                                \
    ptrt_lookup *how = x->how;                                                                     \
    const void *idx = x->p[1];                                                                     \
    const enum ptrt_index kind = how->kind;                                                        \
    const uint32_t n = how->n;                                                                     \
    const ptrdiff_t ldi = x->ld[1];                                                                \
    size_t rows = x->rows, cols = x->cols;                                                         \
    uint32_t room[CHUNK];                                                                          \
    bool all = true;

/* Treats rows without gaps as one row. */
#define JOIN_ROWS(LD)                                                                              \
    if (kind == PTRT_INDEX_32 && ldi == (ptrdiff_t)cols && (LD) == (ptrdiff_t)cols) {              \
        cols *= rows;                                                                              \
        rows = 1;                                                                                  \
    }

#define GATHER_PIECE(E)                                                                            \
    static bool gather_piece_##E(s_##E *restrict d, const s_##E *restrict s,                       \
                                 const uint32_t *restrict idx, size_t cols, uint32_t n) {          \
        const bool all = all_below(idx, cols, n);                                                  \
        if (all) {                                                                                 \
            for (size_t c = 0; c < cols; c++)                                                      \
                d[c] = s[idx[c]];                                                                  \
        } else {                                                                                   \
            for (size_t c = 0; c < cols; c++)                                                      \
                d[c] = idx[c] < n ? s[idx[c]] : 0;                                                 \
        }                                                                                          \
        return all;                                                                                \
    }                                                                                              \
    static void gather_index_##E(const ptrt_args *x) {                                             \
        OPEN_LOOKUP                                                                                \
        const void *sp = x->p[0];                                                                  \
        s_##E *d = x->p[2];                                                                        \
        const ptrdiff_t ldd = x->ld[2];                                                            \
        JOIN_ROWS(ldd)                                                                             \
        for (; rows > 0; rows--, d += ldd, idx = next_row(idx, kind, ldi)) {                       \
            FOR_PIECES(GATHER_AT_##E)                                                              \
        }                                                                                          \
        how->all = all;                                                                            \
    }
#define GATHER_AT_u8(p, c, k) all &= gather_piece_u8(d + c, sp, p, k, n)
#define GATHER_AT_u16(p, c, k) all &= gather_piece_u16(d + c, sp, p, k, n)
#define GATHER_AT_u32(p, c, k) all &= gather_piece_u32(d + c, sp, p, k, n)
#define GATHER_AT_u64(p, c, k) all &= gather_piece_u64(d + c, sp, p, k, n)
GATHER_PIECE(u8)
GATHER_PIECE(u16)
GATHER_PIECE(u32)
GATHER_PIECE(u64)

#define SCATTER_PIECE(E)                                                                           \
    static bool scatter_piece_##E(s_##E *restrict d, const s_##E *restrict s,                      \
                                  const uint32_t *restrict idx, size_t cols, uint32_t n,           \
                                  bool known) {                                                    \
        const bool all = known || all_below(idx, cols, n);                                         \
        if (all) {                                                                                 \
            for (size_t c = 0; c < cols; c++)                                                      \
                d[idx[c]] = s[c];                                                                  \
        } else {                                                                                   \
            for (size_t c = 0; c < cols; c++)                                                      \
                if (idx[c] < n) d[idx[c]] = s[c];                                                  \
        }                                                                                          \
        return all;                                                                                \
    }                                                                                              \
    static void scatter_index_##E(const ptrt_args *x) {                                            \
        OPEN_LOOKUP                                                                                \
        const s_##E *s = x->p[0];                                                                  \
        s_##E *d = x->p[2];                                                                        \
        const ptrdiff_t lds = x->ld[0];                                                            \
        const bool strict = how->strict;                                                           \
        JOIN_ROWS(lds)                                                                             \
        if (strict && !all_rows_below(idx, kind, n, rows, cols, ldi)) {                            \
            how->all = false;                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (; rows > 0; rows--, s += lds, idx = next_row(idx, kind, ldi)) {                       \
            FOR_PIECES(SCATTER_AT_##E)                                                             \
        }                                                                                          \
        how->all = all;                                                                            \
    }
#define SCATTER_AT_u8(p, c, k) all &= scatter_piece_u8(d, s + c, p, k, n, strict)
#define SCATTER_AT_u16(p, c, k) all &= scatter_piece_u16(d, s + c, p, k, n, strict)
#define SCATTER_AT_u32(p, c, k) all &= scatter_piece_u32(d, s + c, p, k, n, strict)
#define SCATTER_AT_u64(p, c, k) all &= scatter_piece_u64(d, s + c, p, k, n, strict)
SCATTER_PIECE(u8)
SCATTER_PIECE(u16)
SCATTER_PIECE(u32)
SCATTER_PIECE(u64)

/* ---- patterns ---- */

/* Specialises loops for constant steps, for which compilers generate shuffles. */
#define BY_STEP(ACT)                                                                               \
    if (step == 2)                                                                                 \
        ACT(2)                                                                                     \
    else if (step == 4)                                                                            \
        ACT(4)                                                                                     \
    else                                                                                           \
        ACT(1)

#define PICK_COLS(STEP)                                                                            \
    for (size_t c = 0; c < cols; c++)                                                              \
        d[c] = s[c * STEP];
#define SPREAD_COLS(STEP)                                                                          \
    for (size_t c = 0; c < cols; c++)                                                              \
        d[c] = c % STEP == at ? s[c / STEP] : 0;

#define PATTERN(E)                                                                                 \
    static void pick_row_##E(s_##E *restrict d, const s_##E *restrict s, size_t cols,              \
                             size_t step) {                                                        \
        BY_STEP(PICK_COLS)                                                                         \
    }                                                                                              \
    static void gathermask_pick_##E(const ptrt_args *x) {                                          \
        const ptrt_pattern *how = x->how;                                                          \
        const s_##E *s = x->p[0];                                                                  \
        s_##E *d = x->p[1];                                                                        \
        const size_t cols = x->cols, step = how->step;                                             \
        const ptrdiff_t lds = x->ld[0], ldd = x->ld[1];                                            \
        for (size_t rows = x->rows; rows > 0; rows--, s += lds, d += ldd)                          \
            pick_row_##E(d, s, cols, step);                                                        \
    }                                                                                              \
    static void spread_row_##E(s_##E *restrict d, const s_##E *restrict s, size_t cols,            \
                               size_t step, size_t at) {                                           \
        BY_STEP(SPREAD_COLS)                                                                       \
    }                                                                                              \
    static void scattermask_spread_##E(const ptrt_args *x) {                                       \
        const ptrt_pattern *how = x->how;                                                          \
        const s_##E *s = x->p[0];                                                                  \
        s_##E *d = x->p[1];                                                                        \
        const size_t cols = x->cols, step = how->step, at = how->at;                               \
        const ptrdiff_t lds = x->ld[0], ldd = x->ld[1];                                            \
        for (size_t rows = x->rows; rows > 0; rows--, s += lds, d += ldd)                          \
            spread_row_##E(d, s, cols, step, at);                                                  \
    }
PATTERN(u8)
PATTERN(u16)
PATTERN(u32)
PATTERN(u64)

/* ---- comparisons ---- */

#define EXACT(E)                                                                                   \
    PTRT_INLINE c_##E rint_##E(c_##E x) {                                                          \
        return x;                                                                                  \
    }
EXACT(i16)
EXACT(u16)
EXACT(i32)
EXACT(u32)
EXACT(f16)

/* Adding and subtracting 2^23 rounds to an integer; larger numbers already are integers. */
PTRT_INLINE c_f32 rint_f32(c_f32 x) {
    const c_f32 big = splat_of_f32(0x1p23f), none = AS(f32, AS(u32, x) & 0x7FFFFFFFu);
    const c_f32 up = x + big - big, down = x - big + big;
    const c_f32 near = SELECT(c_f32, x < 0, down, up);
    return SELECT(c_f32, none < big, near, x);
}

#define WHERE(E)                                                                                   \
    static uint32_t where_row_##E(uint32_t *d, const unsigned char *s, const void *kp, size_t cols, \
                                  size_t room, uint32_t first, bool greater, bool rounded) {       \
        const c_##E k = splat_##E(kp);                                                             \
        uint32_t found = 0;                                                                        \
        for (size_t c = 0; c < cols; c += N_##E) {                                                 \
            const size_t n = cols - c < N_##E ? cols - c : N_##E;                                  \
            c_##E x = n < N_##E ? ldn_##E(s + c * S_##E, n) : ld_##E(s + c * S_##E);               \
            if (rounded) x = rint_##E(x);                                                          \
            const __typeof__(x > k) m = greater ? x > k : x == k;                                  \
            for (size_t i = 0; i < n; i++) {                                                       \
                if (m[i] == 0) continue;                                                           \
                if (found < room) d[found] = first + (uint32_t)(c + i);                            \
                found++;                                                                           \
            }                                                                                      \
        }                                                                                          \
        return found;                                                                              \
    }                                                                                              \
    static void gathercmp_where_##E(const ptrt_args *x) {                                          \
        const ptrt_search *how = x->how;                                                           \
        const unsigned char *s = x->p[0];                                                          \
        uint32_t *d = x->p[1], *count = x->p[2], first = how->first;                               \
        for (size_t r = 0; r < x->rows; r++, s += x->ld[0] * S_##E, d += x->ld[1], first += how->step) \
            count[r] = where_row_##E(d, s, x->k, x->cols, how->room, first, how->greater, how->rounded); \
    }
WHERE(i16)
WHERE(u16)
WHERE(i32)
WHERE(u32)
WHERE(f16)
WHERE(f32)
/* clang-format on */
#include "kern/family.h"
