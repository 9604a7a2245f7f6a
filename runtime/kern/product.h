/* SPDX-License-Identifier: Apache-2.0 */
/* product.h - inside libptort: what the driver of matrix products passes to a body of the family
 * matmul. */
#ifndef PTORT_KERN_PRODUCT_H
#define PTORT_KERN_PRODUCT_H

#include "mem/copy.h"

/* A factor as lines: rows of the left factor, columns of the right one. */
typedef struct ptrt_factor {
    const unsigned char *p; /* element (0, 0) */
    ptrt_axis line;         /* distance of lines */
    ptrt_axis depth;        /* distance along k; neighbours are contiguous */
    const uint8_t *scale;   /* f8E8M0 codes, one per PTRT_GROUP numbers of a line; NULL: none */
    ptrt_axis scale_line, scale_group;
} ptrt_factor;

/* d[i][j] = the product, plus sum[i][j] if there is a sum. */
typedef struct ptrt_product {
    size_t m, n;
    size_t k; /* elements; a packed pair is one */
    ptrt_factor a, b;
    ptrt_grid sum; /* p is NULL if nothing is added */
    ptrt_grid d;
    unsigned char *memory; /* ptrt_product_bytes() bytes, aligned to 64 */
} ptrt_product;

enum {
    PTRT_PANEL = 16, /* columns computed at once */
    PTRT_GROUP = 32  /* numbers that share a scale */
};

/* How a body divides its memory. `ld` is the distance of lines in words; it has room for what
 * vectors access beyond the last number, and avoids distances that map to the same cache sets. */
typedef struct ptrt_panels {
    size_t ld, groups;
    size_t rows; /* rows of the left factor that are packed at a time */
} ptrt_panels;

/* Returns the words of a line of k elements: numbers as f32, 8-bit integers in pairs of 16 bits. */
static inline size_t ptrt_product_depth(int elem, size_t k) {
    if (elem == PTRT_I8 || elem == PTRT_U8) return (k + 1) / 2;
    return elem == PTRT_F4E1M2X2 || elem == PTRT_F4E2M1X2 ? 2 * k : k;
}

static inline ptrt_panels ptrt_product_panels(size_t m, size_t depth) {
    enum { PACKED = 512 << 10, LEAST = 16 };
    ptrt_panels s;
    s.ld = (depth + 15) / 16 * 16 + 16;
    s.groups = (depth + PTRT_GROUP - 1) / PTRT_GROUP;
    s.rows = PACKED / (s.ld * 4);
    if (s.rows < LEAST) s.rows = LEAST;
    if (s.rows > m) s.rows = m;
    return s;
}

/* Returns the bytes for the packed rows, 16 lines, a panel of words, a panel of doubles, and
 * scales. */
static inline size_t ptrt_product_bytes(size_t m, size_t depth) {
    const ptrt_panels s = ptrt_product_panels(m, depth);
    return s.ld * (s.rows * 4 + PTRT_PANEL * (4 + 4 + 8)) + (s.rows + PTRT_PANEL) * s.groups * 4;
}

#endif
