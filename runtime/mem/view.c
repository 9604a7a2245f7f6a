/* SPDX-License-Identifier: Apache-2.0 */
/* view.c - makes views of global memory and windows of them; checks accesses to global memory and
 * on-chip pointers. */
#include "mem/view.h"
#include "core/core.h"
#include "mem/copy.h"
#include "mem/elem.h"

void ptrt_view_settle(ptrt_view *v) {
    const bool rows = v->layout == PTRT_VIEW_ND && v->stride[4] == 1 && v->shape[0] == 1 &&
                      v->shape[1] == 1 && v->shape[2] == 1 && v->base != NULL;
    v->plain = rows ? (uint8_t)(1 + ptrt_log_size(ptrt_elem_bytes(v->elem))) : 0;
}

/* Stores the dimensions right-aligned. Unused leading entries get extent 1 and, as stride, the span
 * of the outermost dimension. */
static inline void set_dims(ptrt_view *v, int rank, const int64_t *shape, const int64_t *stride) {
    const int lead = 5 - rank;
    const int64_t span = rank > 0 ? (int64_t)((uint64_t)shape[0] * (uint64_t)stride[0]) : 1;
    for (int i = 0; i < 5; i++) {
        v->shape[i] = i < lead ? 1 : shape[i - lead];
        v->stride[i] = i < lead ? span : stride[i - lead];
    }
}

int ptrt_view_init(ptrt_view *out, const void *base, int elem, int rank, const int64_t *shape,
                   const int64_t *stride, int layout) {
    if (rank < 0 || rank > 5 || ptrt_elem_bytes(elem) == 0 || layout < PTRT_VIEW_ND ||
        layout > PTRT_VIEW_MX_B_NN)
        return PTRT_E_ARG;
    out->base = (unsigned char *)(uintptr_t)base;
    out->elem = (uint8_t)elem;
    out->layout = (uint8_t)layout;
    out->rank = (uint8_t)rank;
    set_dims(out, rank, shape, stride);
    ptrt_view_settle(out);
    return PTRT_OK;
}

int ptrt_view_make(ptrt_core *core, uint32_t line, const void *base, int elem, int rank,
                   const int64_t *shape, const int64_t *stride, int layout, ptrt_view *out) {
    int code = ptrt_view_init(out, base, elem, rank, shape, stride, layout);
    if (code == PTRT_OK) return PTRT_OK;
    return ptrt_fail(core, code, line, "pto.make_tensor_view: illegal rank, element or layout");
}

static int leaves_dim(ptrt_core *core, uint32_t line, const int64_t *off, const int64_t *size,
                      const int64_t *extent, int dim) {
    return ptrt_fail(core, PTRT_E_BOUNDS, line,
                     "pto.partition_view: offset %lld + size %lld leaves dimension %d (%lld)",
                     (long long)off[dim], (long long)size[dim], dim, (long long)extent[dim]);
}

/* Whether memory continues from the end of dimension k with the next element of dimension k - 1. */
static bool continues(const int64_t *extent, const int64_t *step, int k) {
    int64_t whole;
    return k > 0 && extent[k] > 0 && !__builtin_mul_overflow(extent[k], step[k], &whole) &&
           step[k - 1] == whole;
}

/* Checks that the elements of a window that has some are elements of the view. A dimension may be
 * longer than that of the view where the elements that follow are those of the next dimension, as
 * in rows of a packed array. */
static int check_elements(ptrt_core *core, uint32_t line, const ptrt_view *src, const int64_t *off,
                          const int64_t *size) {
    const int64_t *extent = src->shape + (5 - src->rank), *step = src->stride + (5 - src->rank);
    int left = 0;        /* the dimension that was left last */
    int64_t carried = 0; /* elements of dimension k that the dimension after it continues with */
    for (int k = src->rank - 1; k >= 0; k--) {
        int64_t last, end;
        if (off[k] < 0 || __builtin_add_overflow(off[k], size[k] - 1, &last) ||
            __builtin_add_overflow(last, carried, &end))
            return leaves_dim(core, line, off, size, extent, k);
        carried = 0;
        if (end < extent[k]) continue;
        if (last >= extent[k]) left = k;
        if (!continues(extent, step, k)) return leaves_dim(core, line, off, size, extent, left);
        carried = end / extent[k];
    }
    return PTRT_OK;
}

static int check_window(ptrt_core *core, uint32_t line, const ptrt_view *src, const int64_t *off,
                        const int64_t *size) {
    bool empty = false;
    for (int k = 0; k < src->rank; k++) {
        if (size[k] < 0) return leaves_dim(core, line, off, size, src->shape + (5 - src->rank), k);
        empty |= size[k] == 0;
    }
    return empty ? PTRT_OK : check_elements(core, line, src, off, size);
}

/* Sets the dimensions of a window of lower rank than its view: removes dimensions of extent 1,
 * outermost first. */
static void set_kept_dims(ptrt_view *out, const ptrt_view *src, const int64_t *size,
                          const int64_t *step) {
    int64_t shape[5], stride[5];
    int kept = 0, drop = src->rank - out->rank;
    for (int k = 0; k < src->rank; k++) {
        if (drop > 0 && size[k] == 1) {
            drop--;
            continue;
        }
        shape[kept] = size[k];
        stride[kept++] = step[k];
    }
    set_dims(out, kept, shape, stride);
}

void ptrt_view_declare(int elem, int rank, ptrt_view *out) {
    *out = (ptrt_view){.elem = (uint8_t)elem, .rank = (uint8_t)rank};
}

static bool is_some(const ptrt_view *src, const int64_t *size) {
    bool empty = false;
    for (int k = 0; k < src->rank; k++)
        empty |= size[k] <= 0;
    return !empty;
}

int ptrt_view_part(ptrt_core *core, uint32_t line, const ptrt_view *src, const int64_t *off,
                   const int64_t *size, int rank, ptrt_view *out) {
    if (rank < 0 || rank > src->rank)
        return ptrt_fail(core, PTRT_E_ARG, line, "pto.partition_view: rank %d of a view of rank %d",
                         rank, src->rank);
    if (src->base == NULL && is_some(src, size)) /* declared and not yet bound */
        return ptrt_fail(core, PTRT_E_BOUNDS, line, "pto.partition_view: the view has no memory");
    const int64_t *step = src->stride + (5 - src->rank);
    uint64_t offset = 0;
    if (core->checked) {
        const int code = check_window(core, line, src, off, size);
        if (code != PTRT_OK) return code;
    }
    for (int k = 0; k < src->rank; k++)
        offset += (uint64_t)off[k] * (uint64_t)step[k];
    const uint8_t elem = src->elem, layout = src->layout;
    const uintptr_t base = (uintptr_t)src->base + (uintptr_t)(offset * ptrt_elem_bytes(elem));
    out->base = (unsigned char *)base;
    out->elem = elem;
    out->layout = layout;
    out->rank = (uint8_t)rank;
    if (rank == src->rank)
        set_dims(out, rank, size, step);
    else
        set_kept_dims(out, src, size, step);
    ptrt_view_settle(out);
    return PTRT_OK;
}

static int dim_of(ptrt_core *core, uint32_t line, const char *op, const ptrt_view *view,
                  const int64_t *values, int64_t dim, int64_t *out) {
    *out = 0;
    if (dim >= 0 && dim < view->rank) {
        *out = values[5 - view->rank + dim];
        return PTRT_OK;
    }
    if (!core->checked) return PTRT_OK;
    return ptrt_fail(core, PTRT_E_BOUNDS, line, "%s: dimension %lld of a view of rank %d", op,
                     (long long)dim, view->rank);
}

int ptrt_view_dim(ptrt_core *core, uint32_t line, const ptrt_view *view, int64_t dim,
                  int64_t *out) {
    return dim_of(core, line, "pto.get_tensor_view_dim", view, view->shape, dim, out);
}

int ptrt_view_stride(ptrt_core *core, uint32_t line, const ptrt_view *view, int64_t dim,
                     int64_t *out) {
    return dim_of(core, line, "pto.get_tensor_view_stride", view, view->stride, dim, out);
}

bool ptrt_gm_allowed(const ptrt_core *core, uintptr_t first, uint64_t bytes) {
    const ptrt_thread *owner = core->run->owner;
    if (!core->checked || owner->region_count == 0) return true;
    for (size_t i = 0; i < owner->region_count; i++) {
        const ptrt_region *r = &owner->regions[i];
        if (first >= r->base && bytes <= r->bytes && first - r->base <= r->bytes - bytes)
            return true;
    }
    return false;
}

int ptrt_check_gm(ptrt_core *core, uint32_t line, const char *op, const void *p, int64_t i,
                  uint32_t elem_size) {
    int64_t offset;
    if (!__builtin_mul_overflow(i, (int64_t)elem_size, &offset) &&
        ptrt_gm_allowed(core, (uintptr_t)p + (uintptr_t)offset, elem_size))
        return PTRT_OK;
    return ptrt_fail(core, PTRT_E_BOUNDS, line, "%s: element %lld lies outside every buffer", op,
                     (long long)i);
}

int ptrt_space_at(ptrt_core *core, uint32_t line, int space, int64_t addr, int64_t i,
                  uint32_t elem_size, void **out) {
    *out = NULL;
    uint64_t at = (uint64_t)addr + (uint64_t)i * elem_size;
    if (space >= 0 && space < PTRT_SPACES && elem_size <= core->space_size[space] &&
        at <= core->space_size[space] - elem_size) {
        *out = core->space[space] + at;
        return PTRT_OK;
    }
    return ptrt_fail(core, PTRT_E_BOUNDS, line, "on-chip address %lld, element %lld: out of range",
                     (long long)addr, (long long)i);
}
