/* fillpad.c - tfillpad and its two forms: the data, and the pad value over the rest. */
#include "move.h"
#include "walk.h"

/* The same element addresses for the same coordinates: nothing to copy. */
static bool same_storage(const ptrt_tile *a, const ptrt_tile *b) {
    return ptrt_tile_at(a) == ptrt_tile_at(b) && a->row.outer == b->row.outer &&
           a->row.inner == b->row.inner && a->col.outer == b->col.outer &&
           a->col.inner == b->col.inner && (a->row.outer == 0 || a->row.box == b->row.box) &&
           (a->col.outer == 0 || a->col.box == b->col.box);
}

static int fillpad(ptrt_core *core, uint32_t line, const char *op, const ptrt_tile *src,
                   const ptrt_tile *dst, int pad) {
    PTRT_OPERAND(core, line, op, "src", PTRT_READ, src);
    PTRT_OPERAND(core, line, op, "dst", PTRT_WRITE, dst);
    uint32_t size = ptrt_elem_size(dst->elem);
    if (size != ptrt_elem_size(src->elem))
        return ptrt_fail(core, PTRT_E_TYPE, line, "%s: element sizes of src and dst differ", op);
    if (src->rows > dst->rows || src->cols > dst->cols)
        return ptrt_fail(
            core, PTRT_E_VALID, line, "%s: src (%lldx%lld) is larger than dst (%lldx%lld)", op,
            (long long)src->rows, (long long)src->cols, (long long)dst->rows, (long long)dst->cols);
    if (pad < PTRT_PAD_NULL || pad > PTRT_PAD_MIN)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: illegal pad value %d", op, pad);
    if (dst->vrow == 0 || dst->vcol == 0) return PTRT_OK;
    int64_t cols = src->vcol, rows = cols > 0 ? src->vrow : 0;
    if (rows > 0 && !same_storage(src, dst)) {
        ptrt_side from = ptrt_side_of_tile(src), to = ptrt_side_of_tile(dst);
        ptrt_copy(&to, &from, rows, cols, size);
    }
    ptrt_bits bits = ptrt_pad_bits(dst->elem, pad);
    ptrt_fill_region(core, dst, (ptrt_region2){0, rows, cols, dst->cols}, &bits);
    ptrt_fill_region(core, dst, (ptrt_region2){rows, dst->rows, 0, dst->cols}, &bits);
    return PTRT_OK;
}

int ptrt_tfillpad(ptrt_core *core, uint32_t line, const ptrt_tile *src, const ptrt_tile *dst,
                  int pad_value) {
    return fillpad(core, line, "pto.tfillpad", src, dst,
                   pad_value == PTRT_ABSENT ? dst->pad : pad_value);
}

int ptrt_tfillpad_expand(ptrt_core *core, uint32_t line, const ptrt_tile *src,
                         const ptrt_tile *dst) {
    return fillpad(core, line, "pto.tfillpad_expand", src, dst, dst->pad);
}

int ptrt_tfillpad_inplace(ptrt_core *core, uint32_t line, const ptrt_tile *src,
                          const ptrt_tile *dst) {
    return fillpad(core, line, "pto.tfillpad_inplace", src, dst, dst->pad);
}
