/* irregular.c - ttri. */
#include "walk.h"

static int64_t clamp(int64_t v, int64_t lo, int64_t hi) {
    return v < lo ? lo : v > hi ? hi : v;
}

/* i + diagonal + add, without overflow for any diagonal, inside 0..cols. */
static int64_t edge(int64_t i, int64_t diagonal, int64_t add, int64_t cols) {
    int64_t far = INT64_C(1) << 60;
    return clamp(i + clamp(diagonal, -far, far) + add, 0, cols);
}

/* Each row is two runs: `left` before the edge, `right` from there on. */
static int ttri(ptrt_core *core, uint32_t line, int64_t diagonal, const ptrt_tile *d, int upper,
                const void *one, const void *zero) {
    PTRT_OPERAND(core, line, "pto.ttri", "dst", PTRT_WRITE, d);
    if (upper != 0 && upper != 1)
        return ptrt_fail(core, PTRT_E_ARG, line, "pto.ttri: orientation %d is neither 0 nor 1",
                         upper);
    for (int64_t i = 0; i < d->vrow; i++) {
        int64_t e = edge(i, diagonal, upper ? 0 : 1, d->vcol);
        ptrt_fill_region(core, d, (ptrt_region2){i, i + 1, 0, e}, upper ? zero : one);
        ptrt_fill_region(core, d, (ptrt_region2){i, i + 1, e, d->vcol}, upper ? one : zero);
    }
    return PTRT_OK;
}

#define ONE_i8 1
#define ONE_u8 1
#define ONE_i16 1
#define ONE_u16 1
#define ONE_i32 1
#define ONE_u32 1
#define ONE_i64 1
#define ONE_u64 1
#define ONE_f16 0x3C00
#define ONE_bf16 0x3F80
#define ONE_f32 1.0f
#define ONE_f64 1.0

#define DEFINE(E, T)                                                                               \
    int ptrt_ttri_##E(ptrt_core *core, uint32_t line, int64_t diagonal, const ptrt_tile *dst,      \
                      int upper) {                                                                 \
        static const T one = ONE_##E, zero = 0;                                                    \
        return ttri(core, line, diagonal, dst, upper, &one, &zero);                                \
    }
PTRT_FOR_ARITH(DEFINE)
