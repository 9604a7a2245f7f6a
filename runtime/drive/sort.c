/* SPDX-License-Identifier: Apache-2.0 */
/* sort.c - drivers of sorts: sort32 (tsort32), merge and merge_blocks (tmrgsort). */
#include "drive/rows.h"

/* Bytes of a record: a value and the element of idx that belongs to it. */
enum { RECORD = 8 };

/* Returns the rows of idx that are needed: one serves all rows. */
static int64_t companion_rows(const ptrt_tile *idx, int64_t rows) {
    return idx->rows == 1 ? ptrt_min64(rows, 1) : rows;
}

static int check_sort(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *s,
                      const ptrt_tile *i, const ptrt_tile *d, ptrt_body *body) {
    const ptrt_tile *const tiles[] = {s, i, d};
    int code = ptrt_check_tiles(core, line, kernel, tiles, "rrw");
    if (code != PTRT_OK) return code;
    *body = ptrt_body_one(core, kernel, s);
    if (!*body || d->elem != s->elem || (i->elem != PTRT_I32 && i->elem != PTRT_U32))
        return ptrt_no_body(core, line, kernel, 3, tiles);
    const int64_t wide = s->vcol * (int64_t)(RECORD / ptrt_elem_size(s->elem));
    code = ptrt_check_reach(core, line, kernel, 1, i, companion_rows(i, s->vrow), s->vcol);
    return code != PTRT_OK ? code : ptrt_check_reach(core, line, kernel, 2, d, s->vrow, wide);
}

static __attribute__((noinline)) int sort32_long(ptrt_core *core, uint32_t line, int kernel,
                                                 const ptrt_tile *src, const ptrt_tile *idx,
                                                 const ptrt_tile *dst) {
    ptrt_body body = NULL;
    const int64_t rows = src->vrow, cols = src->vcol;
    int code = check_sort(core, line, kernel, src, idx, dst, &body);
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    const int64_t wide = cols * RECORD / (int64_t)ptrt_elem_size(dst->elem);
    ptrt_operand part[] = {ptrt_source(src, rows, cols),
                           ptrt_source(idx, companion_rows(idx, rows), cols),
                           ptrt_operand_of(dst, rows, wide, PTRT_TARGET)};
    ptrt_args x;
    ptrt_args_init(&x, rows, cols, NULL, NULL);
    code = ptrt_operands_open(core, line, kernel, 3, part, &x);
    if (idx->rows == 1) x.ld[1] = 0;
    if (code == PTRT_OK) ((ptrt_args_fn)body)(&x);
    return ptrt_operands_close(core, 3, part, code);
}

/* Whether the tile has plain rows and shares no byte with d. */
static inline bool is_beside(const ptrt_tile *t, const ptrt_tile *d) {
    return (ptrt_directions(t) & 1) != 0 && !ptrt_tiles_meet(t, d);
}

int ptrt_sort32(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                const ptrt_tile *idx, const ptrt_tile *dst) {
    const int64_t rows = src->vrow, cols = src->vcol;
    if (core->hook || (unsigned)kernel >= PTRT_KERNELS || rows <= 0 || cols <= 0 ||
        !ptrt_operand_fits(src) || !ptrt_operand_fits(idx) || !ptrt_operand_fits(dst) ||
        src->elem != dst->elem || (idx->elem != PTRT_U32 && idx->elem != PTRT_I32) ||
        idx->cols < cols || (idx->rows < rows && idx->rows != 1) || dst->rows < rows ||
        !is_beside(src, dst) || !is_beside(idx, dst) || (ptrt_directions(dst) & 1) == 0)
        return sort32_long(core, line, kernel, src, idx, dst);
    ptrt_args_fn body = (ptrt_args_fn)ptrt_body_one(core, kernel, src);
    if (!body || dst->cols < cols * RECORD / (int64_t)ptrt_elem_size(dst->elem))
        return sort32_long(core, line, kernel, src, idx, dst);
    ptrt_args x;
    ptrt_args_init(&x, rows, cols, NULL, NULL);
    ptrt_args_operand(&x, 0, src, src->row.inner);
    ptrt_args_operand(&x, 1, idx, idx->rows == 1 ? 0 : idx->row.inner);
    ptrt_args_operand(&x, 2, dst, dst->row.inner);
    body(&x);
    return PTRT_OK;
}

/* ---- merging ---- */

/* Returns how many records that many elements hold. */
static int64_t records(const ptrt_tile *t, int64_t elements) {
    return elements * (int64_t)ptrt_elem_size(t->elem) / RECORD;
}

int ptrt_merge(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
               const ptrt_tile *src1, const ptrt_tile *src2, const ptrt_tile *src3,
               const ptrt_tile *dst, ptrt_i16x4 *executed, int exhausted) {
    const ptrt_tile *const tiles[] = {src0, src1, src2, src3, dst};
    ptrt_operand part[PTRT_LISTS + 1];
    ptrt_merge_how how;
    ptrt_args x;
    ptrt_body body = NULL;
    int code = ptrt_find_body(core, line, kernel, 5, tiles, &body);
    if (code != PTRT_OK) return code;
    const int64_t room = dst->vrow > 0 ? dst->vcol : 0;
    how.count = 0;
    for (int k = 0; k < PTRT_LISTS; k++) {
        const ptrt_tile *t = tiles[k];
        const int64_t n = t && t->vrow > 0 ? t->vcol : 0;
        ptrt_set_operand(&part[k], t, 1, n, PTRT_SOURCE, 0);
        how.n[k] = (size_t)records(dst, n);
        how.taken[k] = 0;
        if (t && how.count == (size_t)k) how.count++;
    }
    ptrt_set_operand(&part[PTRT_LISTS], dst, 1, room, PTRT_UPDATED, 0);
    how.room = (size_t)records(dst, room);
    how.exhausted = exhausted != 0;
    ptrt_args_init(&x, 1, room, NULL, &how);
    code = ptrt_operands_run(core, line, kernel, PTRT_LISTS + 1, part, body, &x);
    for (size_t k = 0; code == PTRT_OK && k < PTRT_LISTS && executed; k++)
        executed->at[k] = (int16_t)how.taken[k];
    return code;
}

/* Merges every four blocks. */
static void merge_groups(ptrt_args_fn body, const ptrt_args *opened, int64_t groups, size_t block) {
    ptrt_merge_how how = {
        .count = PTRT_LISTS, .n = {block, block, block, block}, .room = PTRT_LISTS * block};
    unsigned char *s = opened->p[0], *d = opened->p[1];
    for (; groups > 0; groups--, d += RECORD * PTRT_LISTS * block) {
        ptrt_args x;
        ptrt_args_init(&x, 1, 0, NULL, &how);
        x.p[PTRT_LISTS] = d;
        for (size_t k = 0; k < PTRT_LISTS; k++, s += RECORD * block)
            x.p[k] = s;
        body(&x);
    }
}

int ptrt_merge_blocks(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                      int64_t length, const ptrt_tile *dst) {
    const ptrt_tile *const tiles[] = {src, dst};
    ptrt_body body = NULL;
    int code = ptrt_find_body(core, line, kernel, 2, tiles, &body);
    if (code != PTRT_OK) return code;
    const int64_t per = RECORD / (int64_t)ptrt_elem_size(dst->elem);
    const int64_t all = dst->vrow > 0 ? dst->vcol : 0;
    if (length <= 0 || length % per != 0 || length > all / PTRT_LISTS) return PTRT_OK;
    const int64_t groups = all / (PTRT_LISTS * length), n = groups * PTRT_LISTS * length;
    code = ptrt_check_reach(core, line, kernel, 0, src, 1, n);
    if (code != PTRT_OK) return code;
    ptrt_operand part[] = {ptrt_source(src, 1, n), ptrt_operand_of(dst, 1, n, PTRT_TARGET)};
    ptrt_args x;
    ptrt_args_init(&x, 1, n, NULL, NULL);
    code = ptrt_operands_open(core, line, kernel, 2, part, &x);
    if (code == PTRT_OK) merge_groups((ptrt_args_fn)body, &x, groups, (size_t)(length / per));
    return ptrt_operands_close(core, 2, part, code);
}
