/* SPDX-License-Identifier: Apache-2.0 */
/* views.c - views of global memory for cases: any layout, rank and strides, and their memory. */
#include "context.h"
#include "mem/view.h"

void use_view(Case *c, int k, int layout, int rank, const int64_t *shape, const int64_t *stride) {
    Arg *a = &c->arg[k];
    a->view =
        (ptrt_view){.elem = (uint8_t)a->elem, .layout = (uint8_t)layout, .rank = (uint8_t)rank};
    for (int i = 4, j = rank - 1; i >= 0; i--, j--) {
        a->view.shape[i] = j >= 0 ? shape[j] : 1;
        a->view.stride[i] = j >= 0   ? stride[j]
                            : i == 4 ? 1
                                     : a->view.shape[i + 1] * a->view.stride[i + 1];
    }
}

static int64_t up(int64_t n, int64_t step) {
    return n <= 0 ? 1 : (n + step - 1) / step;
}

/* n as a product of three or fewer extents that is at least n. */
static void split(Case *c, int64_t n, int64_t *a, int64_t *b, int64_t *rest) {
    *a = 1 + random_below(&c->random, 2);
    *b = 1 + random_below(&c->random, 3);
    *rest = up(n, *a * *b);
}

/* Strides that give every element a place of its own: the dimensions in some order, with gaps. */
static void choose_strides(Case *c, const int64_t *shape, int rank, bool plain, int64_t *stride) {
    int order[5] = {0, 1, 2, 3, 4};
    int64_t step = 1;
    for (int i = 0; i < rank; i++) {
        int64_t j = plain ? i : i + random_below(&c->random, rank - i);
        int swap = order[rank - 1 - i];
        order[rank - 1 - i] = order[rank - 1 - j];
        order[rank - 1 - j] = swap;
    }
    for (int i = rank - 1; i >= 0; i--) {
        int d = order[i];
        stride[d] = step;
        step *= shape[d];
        if (!plain || random_below(&c->random, 2)) step += random_below(&c->random, 4);
    }
    for (int d = 0; d < rank && !plain; d++)
        if (random_below(&c->random, 8) == 0) stride[d] = -stride[d];
}

void use_any_view(Case *c, int k, int64_t rows, int64_t cols) {
    int64_t shape[5] = {1, 1, 1, 1, 1}, stride[5];
    int64_t wide = 32 / (int64_t)elem_bytes(c->arg[k].elem);
    bool plain = random_below(&c->random, 2);
    int layout = (int)random_below(&c->random, 8), rank = 5;
    rows = rows < 1 ? 1 : rows;
    cols = cols < 1 ? 1 : cols;
    if (random_below(&c->random, 4) == 0) rows += 3;
    switch (layout) {
    case PTRT_VIEW_DN:
        split(c, cols, &shape[0], &shape[2], &shape[4]);
        shape[3] = rows;
        break;
    case PTRT_VIEW_NZ:
        shape[4] = wide;
        shape[3] = 16;
        shape[2] = up(rows, 16);
        shape[0] = 1 + random_below(&c->random, 2);
        shape[1] = up(cols, wide * shape[0]);
        break;
    case PTRT_VIEW_MX_A_ZZ:
        shape[1] = up(rows, 16);
        shape[2] = up(cols, 2);
        shape[3] = 16;
        shape[4] = 2;
        break;
    case PTRT_VIEW_MX_B_NN:
        shape[1] = up(cols, 16);
        shape[2] = up(rows, 2);
        shape[3] = 16;
        shape[4] = 2;
        break;
    default:
        rank = layout == PTRT_VIEW_ND ? 5 : 2;
        layout = PTRT_VIEW_ND;
        if (rank == 5) split(c, rows, &shape[0], &shape[1], &shape[3]);
        shape[rank - 2] = rank == 5 ? shape[3] : rows;
        shape[rank - 1] = cols + (random_below(&c->random, 4) == 0 ? 5 : 0);
    }
    choose_strides(c, shape, rank, plain, stride);
    use_view(c, k, layout, rank, shape, stride);
}

bool place_view(Case *c, Arg *a) {
    Memory *m = arg_memory(c, a);
    int64_t size = elem_bytes(a->elem), low = 0, high = 0;
    for (int i = 0; i < 5; i++) {
        int64_t span = (a->view.shape[i] - 1) * a->view.stride[i];
        if (span < 0)
            low += span;
        else
            high += span;
    }
    a->start = (m->used + size - 1) / size * size + size * random_below(&c->random, 9);
    a->bytes = (high - low + 1) * size;
    a->addr = a->start - low * size;
    m->used = a->start + a->bytes;
    if (m->used > m->size) return false;
    a->view.base = m->mem + a->addr;
    ptrt_view_settle(&a->view);
    return true;
}
