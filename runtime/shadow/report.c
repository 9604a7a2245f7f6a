/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - compares what a statement has stored with what it is in f64, and keeps by line where
 * the error has grown most. */
#include "mem/number.h"
#include "mem/tile.h"
#include "shadow/shadow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A list that is sorted by the line with which each entry begins. */
typedef struct List {
    unsigned char *at;
    size_t n, cap, size;
} List;

static List lines = {.size = sizeof(ptrt_shadow_line)};
static List gaps = {.size = sizeof(ptrt_shadow_gap)};

/* What ptrt_shadow_before has found for the statement that runs. */
static ptrt_shadow_way way;
static ptrt_nums expected;

static uint32_t line_at(const List *l, size_t i) {
    uint32_t line;
    memcpy(&line, l->at + i * l->size, sizeof line);
    return line;
}

/* Returns the entry of a line, which is zero if it is new; NULL: out of memory. */
static void *entry_of(List *l, uint32_t line) {
    size_t low = 0, high = l->n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (line_at(l, middle) < line)
            low = middle + 1;
        else
            high = middle;
    }
    unsigned char *p = l->at + low * l->size;
    if (low < l->n && line_at(l, low) == line) return p;
    if (l->n == l->cap) {
        const size_t cap = l->cap != 0 ? 2 * l->cap : 64;
        unsigned char *grown = realloc(l->at, cap * l->size);
        if (grown == NULL) return NULL;
        l->at = grown;
        l->cap = cap;
        p = grown + low * l->size;
    }
    memmove(p + l->size, p, (l->n++ - low) * l->size);
    memset(p, 0, l->size);
    memcpy(p, &line, sizeof line);
    return p;
}

static void drop(List *l) {
    free(l->at);
    *l = (List){.size = l->size};
}

bool ptrt_shadow_on;

void ptrt_shadow_end(void) {
    ptrt_shadow_on = false;
    drop(&lines);
    drop(&gaps);
    ptrt_shadow_drop();
    ptrt_shadow_forget_all();
    way = PTRT_SHADOW_NONE;
}

void ptrt_shadow_start(void) {
    ptrt_shadow_end();
    ptrt_shadow_on = true;
}

const ptrt_shadow_line *ptrt_shadow_lines(size_t *count) {
    *count = lines.n;
    return (const void *)lines.at;
}

const ptrt_shadow_gap *ptrt_shadow_gaps(size_t *count) {
    *count = gaps.n;
    return (const void *)gaps.at;
}

/* ---- one statement ---- */

static int no_memory(ptrt_core *core, uint32_t line) {
    return ptrt_fail(core, PTRT_E_NOMEM, line, "--shadow: out of memory");
}

int ptrt_shadow_before(ptrt_core *core, uint32_t line, int kernel, const ptrt_shadow_arg *args) {
    way = ptrt_shadow_apply(core, line, kernel, args, &expected);
    return way == PTRT_SHADOW_NOMEM ? no_memory(core, line) : PTRT_OK;
}

void ptrt_shadow_keep(void) {
    way = PTRT_SHADOW_KEPT;
}

static unsigned char *element(const ptrt_grid *g, ptrt_corner at, int64_t r, int64_t c,
                              int64_t size) {
    return g->p +
           (ptrt_axis_offset(&g->row, at.r + r) + ptrt_axis_offset(&g->col, at.c + c)) * size;
}

void ptrt_shadow_move(int elem, const ptrt_grid *to, ptrt_corner to_at, const ptrt_grid *from,
                      ptrt_corner from_at, int64_t rows, int64_t cols) {
    const int64_t size = (int64_t)ptrt_elem_size(elem);
    if (!ptrt_shadow_has(elem)) return;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++) {
            const ptrt_num n = ptrt_shadow_get(elem, element(from, from_at, r, c, size));
            /* Without memory the stored value is the number. */
            (void)ptrt_shadow_put(elem, element(to, to_at, r, c, size), n.x);
        }
}

/* Compares element k with its number, and notes the number. Returns false without memory. */
static bool judge(ptrt_shadow_line *l, const char *name, int64_t k) {
    const ptrt_num n = expected.at[k];
    const int elem = expected.elem;
    const double stored = ptrt_real_at(elem, expected.to[k], 0);
    const double after = ptrt_shadow_error(elem, stored, n.x);
    const double growth = after / fmax(n.err, ptrt_shadow_roundoff(elem));
    l->worst = fmax(l->worst, after);
    if (growth > l->growth || l->name == NULL) {
        l->name = name;
        l->row = k / expected.cols;
        l->col = k % expected.cols;
        l->growth = growth;
        l->before = n.err;
        l->after = after;
        l->stored = stored;
        l->reference = n.x;
        l->block = -1; /* set by the caller, who knows the core */
    }
    return ptrt_shadow_put(elem, expected.to[k], n.x);
}

static int compare(ptrt_core *core, uint32_t line, const char *op, const char *name) {
    ptrt_shadow_line *l = entry_of(&lines, line);
    if (l == NULL) return no_memory(core, line);
    l->op = op;
    l->runs++;
    for (int64_t k = 0; k < expected.rows * expected.cols; k++)
        if (!judge(l, name, k)) return no_memory(core, line);
    if (l->block < 0) {
        l->block = core->block->index;
        l->core = core->place;
    }
    return PTRT_OK;
}

int ptrt_shadow_after(ptrt_core *core, uint32_t line, const char *op, const char *name,
                      const ptrt_tile *tile) {
    const ptrt_shadow_way found = way;
    way = PTRT_SHADOW_NONE;
    if (found == PTRT_SHADOW_DONE && ptrt_shadow_has(expected.elem))
        return compare(core, line, op, name);
    if (found == PTRT_SHADOW_KEPT) return PTRT_OK;
    if (tile != NULL && ptrt_operand_ok(tile)) ptrt_shadow_forget(tile->at, tile->bytes);
    if (found != PTRT_SHADOW_NONE) return PTRT_OK;
    ptrt_shadow_gap *gap = entry_of(&gaps, line);
    if (gap == NULL) return no_memory(core, line);
    gap->op = op;
    return PTRT_OK;
}
