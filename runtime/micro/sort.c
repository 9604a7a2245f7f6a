/* SPDX-License-Identifier: Apache-2.0 */
/* sort.c - sorts of records (score, index) in the vector memory, by the bodies of tiles. */
#include "core/place.h"

enum { RECORD = 8, BLOCK = 32, MOST_REPEAT = 255 };

/* Returns a body of a kernel for scores of `size` bytes. */
static ptrt_args_fn body_of(const ptrt_core *core, int kernel, int size) {
    return (ptrt_args_fn)core->bodies->one[kernel][size == 4 ? PTRT_F32 : PTRT_F16];
}

int ptrt_sort_scores(ptrt_core *core, uint32_t line, int64_t dst, int64_t src, int64_t idx,
                     int64_t repeat, int size) {
    static const char op[] = "pto.vbitsort";
    if (repeat < 0 || repeat > MOST_REPEAT)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: repeat is %lld, not 0 to %d", op,
                         (long long)repeat, MOST_REPEAT);
    if (repeat == 0) return PTRT_OK;
    const uint64_t n = (uint64_t)repeat * BLOCK, scores = n * (uint64_t)size;
    const unsigned char *s = place_read(core, PTRT_VEC, src, scores, (uint64_t)size);
    if (s == NULL) return place_fail(core, line, op, PTRT_VEC, src, scores, (uint64_t)size);
    const unsigned char *i = place_read(core, PTRT_VEC, idx, n * 4, 4);
    if (i == NULL) return place_fail(core, line, op, PTRT_VEC, idx, n * 4, 4);
    unsigned char *d = place_write(core, PTRT_VEC, dst, n * RECORD, RECORD);
    if (d == NULL) return place_fail(core, line, op, PTRT_VEC, dst, n * RECORD, RECORD);
    ptrt_args x = {.rows = 1, .cols = n, .p = {(void *)s, (void *)i, d}};
    body_of(core, PTRT_TSORT32, size)(&x);
    return PTRT_OK;
}

/* ---- merging ---- */

/* The lists of a merge, in the order of the operands. */
typedef struct lists {
    int64_t at[PTRT_LISTS];
    uint64_t n[PTRT_LISTS]; /* records; 0: the list takes no part */
    bool taken[PTRT_LISTS];
    uint64_t all;
    bool stops;
} lists;

/* Merges the lists to dst, and notes how many records were taken from each. */
static int merge_once(ptrt_core *core, uint32_t line, int64_t dst, const lists *l, int size) {
    static const char op[] = "pto.vmrgsort4";
    int list[PTRT_LISTS];
    ptrt_merge_how how = {.room = l->all, .exhausted = l->stops};
    ptrt_args x = {.rows = 1, .cols = l->all, .how = &how};
    for (int k = 0; k < PTRT_LISTS; k++) {
        if (!l->taken[k]) continue;
        const uint64_t bytes = l->n[k] * RECORD;
        const unsigned char *s = place_read(core, PTRT_VEC, l->at[k], bytes, RECORD);
        if (s == NULL) return place_fail(core, line, op, PTRT_VEC, l->at[k], bytes, RECORD);
        list[how.count] = k;
        how.n[how.count] = l->n[k];
        x.p[how.count++] = (void *)s;
    }
    unsigned char *d = place_at(core, PTRT_VEC, dst, l->all * RECORD, RECORD);
    if (d == NULL) return place_fail(core, line, op, PTRT_VEC, dst, l->all * RECORD, RECORD);
    x.p[PTRT_LISTS] = d;
    body_of(core, PTRT_TMRGSORT, size)(&x);
    uint64_t written = 0;
    memset(core->merged, 0, sizeof core->merged);
    for (size_t k = 0; k < how.count; k++) {
        core->merged[list[k]] = (uint16_t)how.taken[k];
        written += how.taken[k];
    }
    place_write(core, PTRT_VEC, dst, written * RECORD, RECORD);
    return PTRT_OK;
}

int ptrt_merge_scores(ptrt_core *core, uint32_t line, int64_t dst, int64_t src0, int64_t src1,
                      int64_t src2, int64_t src3, int64_t count, int64_t config, int size) {
    lists l = {.at = {src0, src1, src2, src3}, .stops = (config >> 12 & 1) != 0};
    const int repeat = (int)(config & 0xFF);
    bool alike = !l.stops;
    for (int k = 0; k < PTRT_LISTS; k++) {
        l.taken[k] = (config >> (8 + k) & 1) != 0;
        l.n[k] = l.taken[k] ? (uint64_t)count >> (16 * k) & 0xFFFF : 0;
        l.all += l.n[k];
        alike &= l.taken[k] && l.n[k] == l.n[0];
    }
    if (repeat > 1 && !alike)
        return ptrt_fail(core, PTRT_E_ARG, line,
                         "pto.vmrgsort4: a repetition needs four lists of one length, and no stop");
    const int64_t step = (int64_t)l.all * RECORD;
    for (int r = 0; r < repeat; r++, dst += step) {
        const int err = merge_once(core, line, dst, &l, size);
        if (err != PTRT_OK) return err;
        for (int k = 0; k < PTRT_LISTS; k++)
            l.at[k] += step;
    }
    return PTRT_OK;
}

int ptrt_merged_counts(ptrt_core *core, uint32_t line, int16_t *n0, int16_t *n1, int16_t *n2,
                       int16_t *n3) {
    int16_t *const to[] = {n0, n1, n2, n3};
    (void)line;
    for (int k = 0; k < PTRT_LISTS; k++)
        if (to[k] != NULL) *to[k] = (int16_t)core->merged[k];
    return PTRT_OK;
}
