/* rows.c - presents operands as plain rows, by copying those with other layouts. */
#include "drive/rows.h"

#include <stdlib.h>

static const ptrt_corner start = {0, 0};

static bool has_rows(const ptrt_tile *t) {
    return (ptrt_directions(t) & 1) != 0;
}

static int make(ptrt_core *core, uint32_t line, const ptrt_tile *t, int64_t rows, int64_t cols,
                bool load, ptrt_rows *out) {
    const unsigned log = ptrt_log_size(ptrt_elem_size(t->elem));
    void *memory = malloc((size_t)(rows * cols) << log);
    if (!memory) return ptrt_fail(core, PTRT_E_NOMEM, line, "no memory for a copy of an operand");
    *out = (ptrt_rows){memory, (ptrdiff_t)cols, memory};
    if (load) {
        const ptrt_grid from = ptrt_grid_of_tile(t), to = ptrt_grid_rows(memory, cols);
        ptrt_copy(core->bodies->movers, &to, start, &from, start, rows, cols, log);
    }
    return PTRT_OK;
}

int ptrt_rows_read(ptrt_core *core, uint32_t line, const ptrt_tile *t, int64_t rows, int64_t cols,
                   const ptrt_tile *d, bool in_step, ptrt_rows *out) {
    const bool stays = !ptrt_tiles_meet(t, d) ||
                       (in_step && t->elem == d->elem && ptrt_tile_at(t) == ptrt_tile_at(d) &&
                        has_rows(d) && t->row.inner == d->row.inner);
    if (!has_rows(t) || !stays) return make(core, line, t, rows, cols, true, out);
    *out = (ptrt_rows){ptrt_tile_at(t), (ptrdiff_t)t->row.inner, NULL};
    return PTRT_OK;
}

int ptrt_rows_write(ptrt_core *core, uint32_t line, const ptrt_tile *t, int64_t rows, int64_t cols,
                    bool keep, ptrt_rows *out) {
    if (!has_rows(t)) return make(core, line, t, rows, cols, keep, out);
    *out = (ptrt_rows){ptrt_tile_at(t), (ptrdiff_t)t->row.inner, NULL};
    return PTRT_OK;
}

/* Whether the rows follow one another without gaps. */
static bool is_flat(const ptrt_tile *t) {
    return has_rows(t) && (t->rows == 1 || t->row.inner == t->cols);
}

int ptrt_rows_read_flat(ptrt_core *core, uint32_t line, const ptrt_tile *t, const ptrt_tile *d,
                        ptrt_rows *out) {
    if (!is_flat(t) || ptrt_tiles_meet(t, d))
        return make(core, line, t, t->rows, t->cols, true, out);
    *out = (ptrt_rows){ptrt_tile_at(t), (ptrdiff_t)t->cols, NULL};
    return PTRT_OK;
}

int ptrt_rows_write_flat(ptrt_core *core, uint32_t line, const ptrt_tile *t, bool keep,
                         ptrt_rows *out) {
    if (!is_flat(t)) return make(core, line, t, t->rows, t->cols, keep, out);
    *out = (ptrt_rows){ptrt_tile_at(t), (ptrdiff_t)t->cols, NULL};
    return PTRT_OK;
}

void ptrt_rows_store(ptrt_core *core, const ptrt_tile *t, int64_t rows, int64_t cols,
                     const ptrt_rows *r) {
    if (!r->memory) return;
    const ptrt_grid to = ptrt_grid_of_tile(t), from = ptrt_grid_rows(r->memory, cols);
    ptrt_copy(core->bodies->movers, &to, start, &from, start, rows, cols,
              ptrt_log_size(ptrt_elem_size(t->elem)));
}

void ptrt_rows_free(ptrt_rows *r) {
    free(r->memory);
}
