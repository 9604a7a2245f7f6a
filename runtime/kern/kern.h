/* SPDX-License-Identifier: Apache-2.0 */
/* kern.h - inside libptort: how drivers call kernel bodies, and the list of the bodies of one
 * instruction-set level. The other files in kern/ are compiled once per level. */
#ifndef PTORT_KERN_KERN_H
#define PTORT_KERN_KERN_H

#include "ptort_types.def"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- bodies that are called often for few elements, with their arguments in registers ---- */

/* Elementwise on rows x cols elements. Elements of a row are contiguous, rows are ld elements apart
 * (ld may be negative). The destination and each source are the same memory with the same ld, or
 * share no byte. */
typedef void (*ptrt_map1_fn)(void *d, const void *a, size_t rows, size_t cols, ptrdiff_t ldd,
                             ptrdiff_t lda);
/* ld has the distances for d, a and b; callers with one row pass ptrt_one_row. Returns PTRT_OK, so
 * that a driver can end in a tail call. */
typedef int (*ptrt_map2_fn)(void *d, const void *a, const void *b, size_t rows, size_t cols,
                            const ptrdiff_t *ld);
static const ptrdiff_t ptrt_one_row[3] = {0};
/* k has one element per row, ldk elements apart; ldk is 0 for a scalar. */
typedef void (*ptrt_maps_fn)(void *d, const void *a, const void *k, size_t rows, size_t cols,
                             ptrdiff_t ldd, ptrdiff_t lda, ptrdiff_t ldk);
/* Sets all elements to *k. */
typedef void (*ptrt_fill_fn)(void *d, const void *k, size_t rows, size_t cols, ptrdiff_t ldd);
/* Copies d[r][c] = a[r][c], or transposes d[r][c] = a[c][r]. */
typedef void (*ptrt_copy_fn)(void *d, const void *a, size_t rows, size_t cols, ptrdiff_t ldd,
                             ptrdiff_t lda);

/* Returns how many leading rows have a block of 32 bytes whose elements are all equal. ldk counts
 * bytes. */
typedef size_t (*ptrt_uniform_fn)(const void *k, size_t rows, ptrdiff_t ldk);

/* ---- all other bodies ---- */

/* The arguments of a body. rows x cols is the region that it computes: that of the destination, or
 * of the source if that is the larger one (reductions, sorts, scatters). Elements of a row are
 * contiguous. A destination shares no byte with a source, unless the line of the body below says
 * so. */
enum { PTRT_MAX_OPERANDS = 7 };
typedef struct ptrt_args {
    size_t rows, cols;
    void *p[PTRT_MAX_OPERANDS];      /* element (0, 0) of the row's tiles, in the order of `args` */
    ptrdiff_t ld[PTRT_MAX_OPERANDS]; /* elements from row to row */
    const void *k;                   /* the scalar of the row, as an element */
    void *how;                       /* attributes, and what the body returns */
    void *scratch;                   /* the memory that SCRATCH gives the kernel, aligned to 64 */
} ptrt_args;
typedef void (*ptrt_args_fn)(const ptrt_args *x);

/* map3, map2s, axpy: elementwise with three inputs. As in the bodies above, the destination may be
 * the same elements as a source; that of axpy is read too. */

/* cvt: converts every element. `how` is an unsigned: an enum ptrt_round_mode, ORed with
 * PTRT_UNCLAMPED if values outside the destination's range keep their low bits (integers) or become
 * infinite (floats) instead of being clamped. cols counts the halves of packed pairs, ld counts
 * pairs. Destination and source may have the same address if rows have no gaps, and elements of the
 * destination are not larger. */
/* Rounding modes are numbered as in the language. */
enum ptrt_round_mode {
    PTRT_RINT = 1, /* nearest, ties to even */
    PTRT_AWAY = 2, /* nearest, ties away from zero */
    PTRT_FLOOR = 3,
    PTRT_CEIL = 4,
    PTRT_TRUNC = 5,
    PTRT_ODD = 6 /* to the neighbour with an odd last bit, if inexact */
};
enum { PTRT_UNCLAMPED = 8 };

/* affine (src, scale, offset, dst): dst = src * scale + offset, narrowed, or (src - offset) *
 * scale. Scales and offsets are f32; a row has ld of them, of which the last one serves all further
 * columns. */

/* mx (src, dst): quantises groups of 32 elements along rows, or along columns if `down` is set. The
 * body fills the arrays, which have one entry per group, ordered by rows of groups. cols (rows if
 * `down`) is a multiple of 32. */
enum { PTRT_MX_GROUP = 32 };
typedef struct ptrt_mx {
    bool down;
    bool nv;       /* take the least exponent that clamps nothing */
    uint32_t *max; /* bits of f32 */
    float *scale;
    uint8_t *exp;
} ptrt_mx;

/* fix (src, dst): converts what leaves an accumulator. The arrays have one entry per column, and 16
 * more that are read but not used. Plain moves use `relu` only. */
typedef struct ptrt_fix {
    bool relu;         /* NaN and negative values become 0 */
    bool has_infinity; /* f16, bf16: keep infinities; bf16 may also round to them */
    const float *scale;
    const float *offset, *low, *high; /* 8-bit results: add after rounding, then clamp */
    const int32_t *shift;             /* 16-bit integer results */
} ptrt_fix;

/* cmp, cmps: sets bit c % 8 of byte dst[r][c / 8] to src0[r][c] compared with src1[r][c] or the
 * scalar; `how` is an int, an enum ptrt_cmp. The remaining bits of a row's last byte become 0. ld
 * of dst counts bytes. */
/* sel, sels: selects src0[r][c] where bit c of row r of the mask is set, else src1[r][c] or the
 * scalar. ld of the mask counts bytes. dst may be the same elements as a source. */

/* gather (src, indices, dst): dst[r][c] = src[indices[r][c]], or 0 where the index is n or more. n
 * is at least 1. scatter (src, indexes, dst): dst[indexes[r][c]] = src[r][c], row by row, where the
 * index is below n. */
enum ptrt_index { PTRT_INDEX_32, PTRT_INDEX_I16, PTRT_INDEX_U16 };
typedef struct ptrt_lookup {
    enum ptrt_index kind; /* compared as unsigned 32-bit numbers, to which signed 16-bit ones are
                             sign-extended, so that -1 is out of range */
    uint32_t n;
    bool strict; /* scatter: write nothing if some index is out of range */
    bool all;    /* result: all indices are below n */
} ptrt_lookup;
/* pick (src, dst): dst[r][c] = src[r][c * step]. spread (src, dst): dst[r][c] = src[r][c / step]
 * where c % step == at, else 0. step is 1, 2 or 4. */
typedef struct ptrt_pattern {
    size_t step, at;
} ptrt_pattern;
/* where (src, dst, cdst): stores first + c for every column c whose element is equal to (greater
 * than) the scalar, packed into a row of dst, and their number in an element of cdst. */
typedef struct ptrt_search {
    uint32_t first, step; /* the number of column 0, and its increase per row */
    size_t room;          /* elements of a row of dst */
    bool greater;
    bool rounded; /* elements are rounded to integers before, ties to even */
} ptrt_search;

/* count (dst): dst[c] = scalar + c, or scalar - c if the int at `how` is not 0, wrapping. */
/* philox (dst): generates rows of Philox words. `counter` is that of the first word, and is
 * advanced past the last row. */
typedef struct ptrt_philox {
    uint32_t key[2], counter[4];
    unsigned rounds;
} ptrt_philox;
/* histogram (src, idx, dst): dst[r][b] = how many elements x of row r of src have (x & mask) ==
 * want and (x >> shift & 255) <= b, for 0 <= b < 256. idx is not used. */
typedef struct ptrt_bins {
    unsigned shift;
    const uint32_t *filter; /* mask and want of every row */
} ptrt_bins;

/* sort32 (src, idx, dst): sorts blocks of 32 elements of each row, descending, and writes 8-byte
 * records of the value and its 32-bit element of idx. */
/* merge (up to 4 sources, and as operand 4 dst): merges sorted lists of 8-byte records: takes the
 * largest key at the front of a list, of equal keys that of the first list. A NaN key is not larger
 * than any other, and no key is larger than it. Ends when `room` records are written or, with
 * `exhausted`, when a list is used up. */
enum { PTRT_LISTS = 4 };
typedef struct ptrt_merge_how {
    size_t count, n[PTRT_LISTS]; /* lists, and records of each */
    size_t room;
    bool exhausted;
    size_t taken[PTRT_LISTS]; /* result: records taken from each list */
} ptrt_merge_how;

/* product: `how` is a ptrt_product (kern/product.h), which has the memory too. */

/* rowreduce, rowarg: one element of dst per row; colreduce, colarg: one per column. rowpairs: one
 * for every two columns. colsum: `how` is an int, an enum ptrt_pairs. */
enum ptrt_pairs {
    PTRT_IN_ORDER,
    PTRT_ODD_TO_FIRST, /* adds rows in pairs until one is left; an odd row to the first sum */
    PTRT_ODD_TO_LAST
};

/* ---- tables of bodies ---- */

/* A body of any signature; the driver casts it back. */
typedef void (*ptrt_body)(void);

/* A body, its kernel, and its element types; e2 is PTRT_ANY for kernels whose body depends on one
 * type. */
enum { PTRT_ANY = 31 };
typedef struct ptrt_body_row {
    uint16_t kernel;
    uint8_t e1, e2;
    ptrt_body body;
} ptrt_body_row;

typedef struct ptrt_body_list {
    const ptrt_body_row *rows;
    size_t n;
} ptrt_body_list;

/* Bodies that move elements by size, indexed by log2 of it. They belong to no kernel; all drivers
 * use them. */
typedef struct ptrt_movers {
    ptrt_copy_fn copy[4];
    ptrt_copy_fn transpose[4];
    ptrt_fill_fn fill[4];
    ptrt_uniform_fn uniform[4];
} ptrt_movers;

typedef struct ptrt_level {
    const char *name;
    const ptrt_body_list *const *families;
    size_t nfamilies;
    const ptrt_movers *movers;
    const struct ptrt_lanes *lanes; /* kern/chain.h */
} ptrt_level;

#define PTRT_CAT_(a, b) a##_##b
#define PTRT_CAT(a, b) PTRT_CAT_(a, b)

/* The list of the bodies of a family in one level. */
#define PTRT_LIST(family, level) PTRT_CAT(PTRT_CAT(ptrt_bodies, family), level)

#endif
