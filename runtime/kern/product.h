/* product.h - what the driver of matrix products hands to a body of the family matmul. */
#ifndef PTORT_KERN_PRODUCT_H
#define PTORT_KERN_PRODUCT_H

#include "mem/copy.h"

/* A factor, line by line: a line is a row of the left factor or a column of the right one. */
typedef struct ptrt_factor {
    const unsigned char *p; /* element (0, 0) */
    ptrt_axis line;         /* from one line to the next */
    ptrt_axis depth;        /* along k; neighbours touch */
    const uint8_t *scale;   /* f8E8M0 codes, one for PTRT_GROUP numbers of a line; NULL: none */
    ptrt_axis scale_line, scale_group;
} ptrt_factor;

/* d[i][j] = the product, with sum[i][j] added at the end when there is a sum. */
typedef struct ptrt_product {
    size_t m, n;
    size_t k; /* elements: pairs of f4 have two numbers */
    ptrt_factor a, b;
    ptrt_grid sum; /* p NULL: nothing is added */
    ptrt_grid d;
    unsigned char *memory; /* of ptrt_product_bytes, aligned to 64 bytes */
} ptrt_product;

typedef void (*ptrt_product_fn)(const ptrt_product *p);

enum {
    PTRT_PANEL = 16, /* columns that are computed at once */
    PTRT_GROUP = 32  /* numbers with one scale */
};

/* How a body divides its memory: lines of `ld` words, with room for what vectors read and write
 * beyond the last number, and not at distances that fall into the same sets of the cache. */
typedef struct ptrt_panels {
    size_t ld, groups;
    size_t rows; /* of the left factor that are packed at a time */
} ptrt_panels;

/* Words of a line of k elements: numbers as f32, integers of 8 bits in pairs of 16. */
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

/* Packed rows, 16 lines and a panel of words, a panel of doubles, scales. */
static inline size_t ptrt_product_bytes(size_t m, size_t depth) {
    const ptrt_panels s = ptrt_product_panels(m, depth);
    return s.ld * (s.rows * 4 + PTRT_PANEL * (4 + 4 + 8)) + (s.rows + PTRT_PANEL) * s.groups * 4;
}

#endif
