/* SPDX-License-Identifier: Apache-2.0 */
/* copy.c - copies of bursts between global memory and the memories of a core. */
#include "core/place.h"
#include "ptort_micro.h"

/* Which bursts of the loops around them come next. */
typedef struct loops {
    int n;
    const int64_t *counts, *src, *dst;
    int64_t at[8];
} loops;

enum { MOST_LOOPS = 8 };

/* Goes on to the next iteration of the loops, the innermost first. Returns false after the last. */
static bool next_iteration(loops *l, int64_t *src, int64_t *dst) {
    for (int i = 0; i < l->n; i++) {
        *src += l->src[i];
        *dst += l->dst[i];
        if (++l->at[i] < l->counts[i]) return true;
        *src -= l->at[i] * l->src[i];
        *dst -= l->at[i] * l->dst[i];
        l->at[i] = 0;
    }
    return false;
}

static bool runs(const loops *l, int64_t count) {
    for (int i = 0; i < l->n; i++)
        if (l->counts[i] <= 0) return false;
    return count > 0;
}

int ptrt_copy_gm_ub(ptrt_core *core, uint32_t line, const void *src, int64_t dst, int64_t len,
                    int64_t count, int64_t src_stride, int64_t dst_stride, int nloops,
                    const int64_t *counts, const int64_t *src_strides, const int64_t *dst_strides) {
    loops l = {nloops, counts, src_strides, dst_strides, {0}};
    if (nloops > MOST_LOOPS) return ptrt_fail(core, PTRT_E_ARG, line, "too many loops");
    if (!runs(&l, count)) return PTRT_OK;
    int64_t from = 0, to = dst;
    do {
        for (int64_t r = 0; r < count; r++) {
            unsigned char *p = place_write(core, PTRT_VEC, to + r * dst_stride, (uint64_t)len, 32);
            if (p == NULL)
                return place_fail(core, line, "pto.mte_gm_ub", PTRT_VEC, to + r * dst_stride,
                                  (uint64_t)len, 32);
            const char *q = (const char *)src + from + r * src_stride;
            const int err = place_global(core, line, "pto.mte_gm_ub", q, (uint64_t)len, false);
            if (err != 0) return err;
            memcpy(p, q, (size_t)len);
        }
    } while (next_iteration(&l, &from, &to));
    return PTRT_OK;
}

int ptrt_copy_ub_gm(ptrt_core *core, uint32_t line, int64_t src, void *dst, int64_t len,
                    int64_t count, int64_t src_stride, int64_t dst_stride, int nloops,
                    const int64_t *counts, const int64_t *src_strides, const int64_t *dst_strides) {
    loops l = {nloops, counts, src_strides, dst_strides, {0}};
    if (nloops > MOST_LOOPS) return ptrt_fail(core, PTRT_E_ARG, line, "too many loops");
    if (!runs(&l, count)) return PTRT_OK;
    int64_t from = src, to = 0;
    do {
        for (int64_t r = 0; r < count; r++) {
            const unsigned char *p =
                place_read(core, PTRT_VEC, from + r * src_stride, (uint64_t)len, 32);
            if (p == NULL)
                return place_fail(core, line, "pto.mte_ub_gm", PTRT_VEC, from + r * src_stride,
                                  (uint64_t)len, 32);
            char *q = (char *)dst + to + r * dst_stride;
            const int err = place_global(core, line, "pto.mte_ub_gm", q, (uint64_t)len, true);
            if (err != 0) return err;
            memcpy(q, p, (size_t)len);
        }
    } while (next_iteration(&l, &from, &to));
    return PTRT_OK;
}
