/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - presents operands as plain rows, by copying those with other layouts. */
#include "drive/rows.h"

#include <stdlib.h>

static const ptrt_corner start = {0, 0};

static bool is_target(const ptrt_operand *p) {
    return p->tile && p->use >= PTRT_TARGET;
}

static bool is_used(const ptrt_operand *p) {
    return p->tile && p->rows > 0 && p->cols > 0;
}

static bool has_rows(const ptrt_operand *p) {
    const ptrt_tile *t = p->tile;
    return ptrt_axis_run(&t->row, 0) >= p->rows &&
           (p->cols == 1 || (t->col.inner == 1 && ptrt_axis_run(&t->col, 0) >= p->cols)) &&
           (!p->flat || t->rows == 1 || t->row.inner == t->cols);
}

/* Whether the body may read an element of the source and write it in the destination. */
static bool is_same(const ptrt_operand *s, const ptrt_operand *d) {
    return s->tile->elem == d->tile->elem && ptrt_tile_at(s->tile) == ptrt_tile_at(d->tile) &&
           has_rows(d) && s->tile->row.inner == d->tile->row.inner;
}

/* Whether a source shares bytes with a destination. */
static bool is_overwritten(int n, const ptrt_operand *part, const ptrt_operand *s) {
    for (int i = 0; i < n; i++)
        if (is_target(&part[i]) && ptrt_tiles_meet(s->tile, part[i].tile) &&
            (i == 0 || i != s->same || !is_same(s, &part[i])))
            return true;
    return false;
}

/* Kept out of the loop over operands, which is short without it. */
static __attribute__((noinline, cold)) int copy(ptrt_core *core, uint32_t line, ptrt_operand *p) {
    const unsigned log = ptrt_log_size(ptrt_elem_size(p->tile->elem));
    p->memory = malloc((size_t)(p->rows * p->cols) << log);
    if (!p->memory)
        return ptrt_fail(core, PTRT_E_NOMEM, line, "no memory for a copy of an operand");
    if (p->use != PTRT_TARGET) {
        const ptrt_grid from = ptrt_grid_of_tile(p->tile), to = ptrt_grid_rows(p->memory, p->cols);
        ptrt_copy(core->bodies->movers, &to, start, &from, start, p->rows, p->cols, log);
    }
    return PTRT_OK;
}

static inline size_t scratch_elements(int kernel, const ptrt_args *x) {
    switch (kernel) {
#define SCRATCH(id, elements)                                                                      \
    case PTRT_##id:                                                                                \
        return elements;
#include "ptort_kernels.def"
    default:
        return 0;
    }
}

static __attribute__((noinline)) int make_scratch(ptrt_core *core, uint32_t line, int kernel,
                                                  size_t bytes, ptrt_args *x) {
    x->scratch = ptrt_scratch(bytes);
    if (x->scratch) return PTRT_OK;
    return ptrt_fail(core, PTRT_E_NOMEM, line, "%s: no memory for intermediate values",
                     ptrt_op_name(kernel));
}

int ptrt_operands_open(ptrt_core *core, uint32_t line, int kernel, int n, ptrt_operand *part,
                       ptrt_args *x) {
    int code = PTRT_OK;
    for (int i = 0; i < n; i++) {
        ptrt_operand *p = &part[i];
        p->memory = x->p[i] = NULL;
        x->ld[i] = (ptrdiff_t)p->cols;
        if (!is_used(p)) continue;
        if (has_rows(p) && (is_target(p) || !is_overwritten(n, part, p))) {
            x->p[i] = ptrt_tile_at(p->tile);
            if (!p->flat) x->ld[i] = (ptrdiff_t)p->tile->row.inner;
        } else if (code == PTRT_OK) {
            code = copy(core, line, p);
            x->p[i] = p->memory;
        }
    }
    const size_t own = scratch_elements(kernel, x);
    if (own > 0 && code == PTRT_OK)
        code = make_scratch(core, line, kernel, own * ptrt_elem_size(part[0].tile->elem), x);
    return code;
}

void ptrt_operands_store(ptrt_core *core, int n, ptrt_operand *part, bool done) {
    for (int i = 0; i < n; i++) {
        const ptrt_operand *p = &part[i];
        if (done && p->memory && is_target(p)) {
            const ptrt_grid to = ptrt_grid_of_tile(p->tile),
                            from = ptrt_grid_rows(p->memory, p->cols);
            ptrt_copy(core->bodies->movers, &to, start, &from, start, p->rows, p->cols,
                      ptrt_log_size(ptrt_elem_size(p->tile->elem)));
        }
        free(p->memory);
    }
}
