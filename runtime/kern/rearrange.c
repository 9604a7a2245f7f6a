/* SPDX-License-Identifier: Apache-2.0 */
/* rearrange.c - bodies that put the lanes of registers in another order. */
#include "core/core.h"
#include "kern/micro.h"

#include "kern/kern.h"

#define BY_WIDTH(X) X(u8) X(u16) X(u32) X(u64)
#define LANES_OF(E) (VREG / S_##E)

/* ---- two registers ---- */

#define ZIP(E)                                                                                     \
    static void zip_##E(ptrt_vreg *low, ptrt_vreg *high, const ptrt_vreg *a, const ptrt_vreg *b) { \
        const s_##E *restrict x = (const void *)a, *restrict y = (const void *)b;                  \
        s_##E *restrict r = (void *)low, *restrict q = (void *)high;                               \
        enum { HALF = LANES_OF(E) / 2 };                                                           \
        for (unsigned i = 0; i < HALF; i++) {                                                      \
            r[2 * i] = x[i];                                                                       \
            r[2 * i + 1] = y[i];                                                                   \
        }                                                                                          \
        for (unsigned i = 0; i < HALF; i++) {                                                      \
            q[2 * i] = x[HALF + i];                                                                \
            q[2 * i + 1] = y[HALF + i];                                                            \
        }                                                                                          \
    }
#define UNZIP(E)                                                                                   \
    static void unzip_##E(ptrt_vreg *low, ptrt_vreg *high, const ptrt_vreg *a,                     \
                          const ptrt_vreg *b) {                                                    \
        const s_##E *restrict x = (const void *)a, *restrict y = (const void *)b;                  \
        s_##E *restrict r = (void *)low, *restrict q = (void *)high;                               \
        enum { HALF = LANES_OF(E) / 2 };                                                           \
        for (unsigned i = 0; i < HALF; i++) {                                                      \
            r[i] = x[2 * i];                                                                       \
            q[i] = x[2 * i + 1];                                                                   \
        }                                                                                          \
        for (unsigned i = 0; i < HALF; i++) {                                                      \
            r[HALF + i] = y[2 * i];                                                                \
            q[HALF + i] = y[2 * i + 1];                                                            \
        }                                                                                          \
    }
BY_WIDTH(ZIP)
BY_WIDTH(UNZIP)

/* One of the two results: the first one if `part` is 0. */
#define HALF_OF(NAME, E)                                                                           \
    static void half_##NAME##_##E(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_vreg *b,            \
                                  int part) {                                                      \
        vreg other;                                                                                \
        ptrt_vreg *o = (ptrt_vreg *)(void *)&other;                                                \
        NAME##_##E(part == 0 ? d : o, part == 0 ? o : d, a, b);                                    \
    }
#define HALF_ZIP(E) HALF_OF(zip, E)
#define HALF_UNZIP(E) HALF_OF(unzip, E)
BY_WIDTH(HALF_ZIP)
BY_WIDTH(HALF_UNZIP)

/* ---- active lanes ---- */

/* Stores every lane and goes on by one if it is active: the next one then overwrites it. */
#define SQUEEZE(E)                                                                                 \
    static int squeeze_##E(ptrt_core *core, uint32_t line, ptrt_vreg *d, const ptrt_vreg *a,       \
                           const ptrt_mask *m) {                                                   \
        const s_##E *x = (const void *)a;                                                          \
        s_##E *r = (void *)d;                                                                      \
        unsigned n = 0;                                                                            \
        for (unsigned i = 0; i < LANES_OF(E); i++) {                                               \
            r[n] = x[i];                                                                           \
            n += is_active(m, i, S_##E);                                                           \
        }                                                                                          \
        memset(r + n, 0, VREG - n * S_##E);                                                        \
        core->squeezed = n * S_##E;                                                                \
        (void)line;                                                                                \
        return PTRT_OK;                                                                            \
    }
BY_WIDTH(SQUEEZE)

#define COUNT_BEFORE(E)                                                                            \
    static void count_before_##E(ptrt_vreg *d, const ptrt_mask *m) {                               \
        s_##E *r = (void *)d;                                                                      \
        unsigned n = 0;                                                                            \
        for (unsigned i = 0; i < LANES_OF(E); i++) {                                               \
            r[i] = (s_##E)n;                                                                       \
            n += is_active(m, i, S_##E);                                                           \
        }                                                                                          \
    }
BY_WIDTH(COUNT_BEFORE)

/* ---- lanes of half and twice the width ---- */

#define PACK(S, D)                                                                                 \
    static void pack_##S(ptrt_vreg *d, const ptrt_vreg *a, int part) {                             \
        const s_##S *restrict x = (const void *)a;                                                 \
        s_##D *restrict r = (void *)d;                                                             \
        memset((char *)d + (part == 0 ? VREG / 2 : 0), 0, VREG / 2);                               \
        if (part != 0) r += LANES_OF(S);                                                           \
        for (unsigned i = 0; i < LANES_OF(S); i++)                                                 \
            r[i] = (s_##D)x[i];                                                                    \
    }
PACK(u16, u8)
PACK(u32, u16)

/* Of `part` the lowest bit counts. */
#define UNPACK(NAME, SIZE, S, D)                                                                   \
    static void NAME##_##SIZE(ptrt_vreg *d, const ptrt_vreg *a, int64_t part) {                    \
        const s_##S *restrict x = (const void *)((const char *)a + (part & 1) * (VREG / 2));       \
        s_##D *restrict r = (void *)d;                                                             \
        for (unsigned i = 0; i < LANES_OF(D); i++)                                                 \
            r[i] = (s_##D)x[i];                                                                    \
    }
UNPACK(sign_extend, u8, i8, i16)
UNPACK(sign_extend, u16, i16, i32)
UNPACK(sign_extend, u32, i32, i64)
UNPACK(zero_extend, u8, u8, u16)
UNPACK(zero_extend, u16, u16, u32)
UNPACK(zero_extend, u32, u32, u64)
#include "kern/family.h"
