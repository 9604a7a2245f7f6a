/* kern.h - what a family of bodies offers the drivers: signatures, and the list of bodies of one
 * instruction-set level. Everything else in kern/ is compiled once per level. */
#ifndef PTORT_KERN_KERN_H
#define PTORT_KERN_KERN_H

#include "ptort_types.def"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* rows x cols elements; neighbours in a row touch, rows are ld elements apart (ld may be negative).
 * Destination and sources are the same memory with the same ld, or share no byte. */
typedef void (*ptrt_map1_fn)(void *d, const void *a, size_t rows, size_t cols, ptrdiff_t ldd,
                             ptrdiff_t lda);
/* ld: of the destination, of a and of b; ptrt_one_row where it does not matter. Returns PTRT_OK:
 * with its arguments in registers, the call can be the last thing that a driver does. */
typedef int (*ptrt_map2_fn)(void *d, const void *a, const void *b, size_t rows, size_t cols,
                            const ptrdiff_t *ld);
static const ptrdiff_t ptrt_one_row[3] = {0};
typedef void (*ptrt_map3_fn)(void *d, const void *a, const void *b, const void *c, size_t rows,
                             size_t cols, ptrdiff_t ldd, ptrdiff_t lda, ptrdiff_t ldb,
                             ptrdiff_t ldc);
/* k is one element per row, ldk elements apart: 0 for a scalar, other than 0 for a column. */
typedef void (*ptrt_maps_fn)(void *d, const void *a, const void *k, size_t rows, size_t cols,
                             ptrdiff_t ldd, ptrdiff_t lda, ptrdiff_t ldk);
/* All elements = *k. */
typedef void (*ptrt_fill_fn)(void *d, const void *k, size_t rows, size_t cols, ptrdiff_t ldd);
/* d[r][c] = a[r][c], or with transpose a[c][r]. */
typedef void (*ptrt_copy_fn)(void *d, const void *a, size_t rows, size_t cols, ptrdiff_t ldd,
                             ptrdiff_t lda);

/* How many rows from the first on have a block of 32 bytes whose elements are all the same. ldk
 * counts bytes. */
typedef size_t (*ptrt_uniform_fn)(const void *k, size_t rows, ptrdiff_t ldk);

/* How results that the destination's type does not have are rounded; the numbers are those of the
 * language's round modes. */
enum ptrt_round_mode {
    PTRT_RINT = 1, /* nearest, ties to even */
    PTRT_AWAY = 2, /* nearest, ties away from zero */
    PTRT_FLOOR = 3,
    PTRT_CEIL = 4,
    PTRT_TRUNC = 5,
    PTRT_ODD = 6 /* to the neighbour with an odd last bit */
};
/* Every element converted. `how`: an enum ptrt_round_mode, and PTRT_UNCLAMPED: what lies outside of
 * the destination's type keeps its low bits (integers) or becomes infinite; else it is clamped.
 * Columns count the halves of packed types; ld counts elements, pairs of packed types. Destination
 * and source share no byte; or they start at one place, each row follows the one before without a
 * gap, and an element of the destination is not larger than one of the source. */
enum { PTRT_UNCLAMPED = 8 };
typedef void (*ptrt_cvt_fn)(void *d, const void *a, size_t rows, size_t cols, ptrdiff_t ldd,
                            ptrdiff_t lda, unsigned how);
/* d = a * scale + offset narrowed, or (a - offset) * scale; every row has `width` of these, of
 * which the last one counts for all columns from there on. Destination and source share no byte. */
typedef void (*ptrt_affine_fn)(void *d, const void *a, const float *scale, const float *offset,
                               size_t rows, size_t cols, ptrdiff_t ldd, ptrdiff_t lda,
                               size_t width);
/* Groups of 32 elements of a row, or with `down` of a column, whose codes go to d. The arrays have
 * one entry a group, by rows of groups: what the body finds. Columns are a multiple of 32, or with
 * `down` rows; cols and lda count elements, ldd counts pairs where d has packed ones. */
enum { PTRT_MX_GROUP = 32 };
typedef struct ptrt_mx {
    bool down;
    bool nv;       /* the exponent is the least with which nothing is clamped */
    uint32_t *max; /* bits of f32 */
    float *scale;
    uint8_t *exp;
} ptrt_mx;
typedef void (*ptrt_mx_fn)(void *d, const void *a, size_t rows, size_t cols, ptrdiff_t ldd,
                           ptrdiff_t lda, const ptrt_mx *how);
/* What leaves an accumulator. The arrays have one entry a column, and 16 more that count for
 * nothing. Of plain moves only `relu` counts. */
typedef struct ptrt_fix {
    bool relu;         /* NaN and what is below zero become 0 */
    bool has_infinity; /* f16, bf16: infinities stay; bf16 also rounds to them */
    const float *scale;
    const float *offset, *low, *high; /* results of 8 bits: added after rounding, then clamped */
    const int32_t *shift;             /* results of 16-bit integers */
} ptrt_fix;
/* Destination and source share no byte. */
typedef void (*ptrt_fix_fn)(void *d, const void *a, size_t rows, size_t cols, ptrdiff_t ldd,
                            ptrdiff_t lda, const ptrt_fix *how);
/* Bit c % 8 of byte d[r][c / 8] = a[r][c] against b[r][c], or against the element at b: `mode` is
 * one of enum ptrt_cmp. Bits beyond the last column, in its byte, become 0. ldd counts bytes. d
 * shares no byte with a source. */
typedef void (*ptrt_cmp_fn)(void *d, const void *a, const void *b, size_t rows, size_t cols,
                            ptrdiff_t ldd, ptrdiff_t lda, ptrdiff_t ldb, int mode);
/* d[r][c] = bit c of row r of m ? a[r][c] : b[r][c], or the element at b. ldm counts bytes. */
typedef void (*ptrt_sel_fn)(void *d, const void *m, const void *a, const void *b, size_t rows,
                            size_t cols, ptrdiff_t ldd, ptrdiff_t ldm, ptrdiff_t lda,
                            ptrdiff_t ldb);

/* What indices are. As numbers they are unsigned; those of 16 signed bits count from 0 up, too: -1
 * is beyond everything. */
enum ptrt_index { PTRT_INDEX_32, PTRT_INDEX_I16, PTRT_INDEX_U16 };
/* d[r][c] = s[idx[r][c]], 0 where the index is n or more. n is at least 1. No two share a byte.
 * Returns whether all indices are below n. */
typedef bool (*ptrt_gather_fn)(void *d, const void *s, const void *idx, enum ptrt_index kind,
                               uint32_t n, size_t rows, size_t cols, ptrdiff_t ldd, ptrdiff_t ldi);
/* d[idx[r][c]] = s[r][c] row by row, where the index is below n. With `strict`, when an index is
 * not, nothing is written. Returns whether all are. */
typedef bool (*ptrt_scatter_fn)(void *d, const void *s, const void *idx, enum ptrt_index kind,
                                uint32_t n, size_t rows, size_t cols, ptrdiff_t lds, ptrdiff_t ldi,
                                bool strict);
/* step is 1, 2 or 4. Pick: d[r][c] = s[r][c * step]. Spread: d[r][c] = s[r][c / step] where c %
 * step is `at`, else 0. */
typedef void (*ptrt_pick_fn)(void *d, const void *s, size_t rows, size_t cols, ptrdiff_t ldd,
                             ptrdiff_t lds, size_t step);
typedef void (*ptrt_spread_fn)(void *d, const void *s, size_t rows, size_t cols, ptrdiff_t ldd,
                               ptrdiff_t lds, size_t step, size_t at);
/* The places in a row where elements are equal to (greater than) the one at k: first + c, packed
 * into the row of 32-bit integers d, which has `room`. Returns how many there are. Rounded: to
 * integers, ties to even, before the comparison. */
typedef uint32_t (*ptrt_where_fn)(uint32_t *d, const void *s, const void *k, size_t cols,
                                  size_t room, uint32_t first, bool greater, bool rounded);
/* d[c] = start + c * step, wrapped. */
typedef void (*ptrt_count_fn)(void *d, uint64_t start, uint64_t step, size_t cols);
/* Blocks of 32 of each row of s, descending, with their 32-bit companions: records of 8 bytes. ldd
 * counts bytes. */
typedef void (*ptrt_sort32_fn)(void *d, const void *s, const void *idx, size_t rows, size_t cols,
                               ptrdiff_t ldd, ptrdiff_t lds, ptrdiff_t ldi);

/* Sorted lists of records of 8 bytes, merged: the record with the largest key that begins a list
 * goes next, the first list's among equal ones. A key that is NaN is larger than nothing, and
 * nothing is larger than it. Ends when `room` records are written or, with `exhausted`, when a list
 * is used up. taken[k] = how many of list k were. */
enum { PTRT_LISTS = 4 };
typedef struct ptrt_list {
    const void *p;
    size_t n;
} ptrt_list;
typedef void (*ptrt_merge_fn)(void *d, size_t room, const ptrt_list *lists, size_t count,
                              bool exhausted, size_t *taken);
/* Rows of Philox words: counter of the first word of d, then of the row after the last. */
typedef struct ptrt_philox {
    uint32_t key[2], counter[4];
    unsigned rounds;
} ptrt_philox;
typedef void (*ptrt_random_fn)(void *d, ptrt_philox *state, size_t rows, size_t cols,
                               ptrdiff_t ldd);
/* d[b] = how many of s have (x & mask) == want and (x >> shift & 255) <= b, for 256 b. */
typedef void (*ptrt_histogram_fn)(uint32_t *d, const void *s, size_t cols, unsigned shift,
                                  uint32_t mask, uint32_t want);
/* Any of these; cast back by the driver, which knows the shape of its lines. */
typedef void (*ptrt_body)(void);

/* One body: line of kernels.def, element types (PTRT_ANY where the line names one operand). */
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

/* Moves of elements by size: index log2(bytes). No line of the table; all drivers share them. */
typedef struct ptrt_movers {
    ptrt_copy_fn copy[4];
    ptrt_copy_fn transpose[4];
    ptrt_fill_fn fill[4];
    ptrt_uniform_fn uniform[4];
} ptrt_movers;

/* The families, each kern/<name>.c with a list ptrt_bodies_<name>_<level>. */
#define PTRT_FAMILIES(X, ...)                                                                      \
    X(cmp, __VA_ARGS__)                                                                            \
    X(cvt, __VA_ARGS__)                                                                            \
    X(fixpipe, __VA_ARGS__)                                                                        \
    X(gather, __VA_ARGS__)                                                                         \
    X(make, __VA_ARGS__)                                                                           \
    X(map, __VA_ARGS__)                                                                            \
    X(math, __VA_ARGS__)                                                                           \
    X(matmul, __VA_ARGS__)                                                                         \
    X(move, __VA_ARGS__)                                                                           \
    X(quant, __VA_ARGS__)                                                                          \
    X(reduce, __VA_ARGS__)                                                                         \
    X(sort, __VA_ARGS__)                                                                           \
    X(sums, __VA_ARGS__)

typedef struct ptrt_level {
    const char *name;
    const ptrt_body_list *const *families;
    size_t nfamilies;
    const ptrt_movers *movers;
} ptrt_level;

#define PTRT_CAT_(a, b) a##_##b
#define PTRT_CAT(a, b) PTRT_CAT_(a, b)

/* In a family's file: the rows of a line, PTRT_TYPES_<types>(PTRT_ROW, id, shape, body). */
#define PTRT_ROW(id, shape, body, suffix, E1, E2)                                                  \
    {PTRT_##id, PTRT_##E1, PTRT_##E2, (ptrt_body)shape##_##body##_##suffix},

/* The list itself: PTRT_BODIES(map) after `rows`. */
#define PTRT_BODIES(family)                                                                        \
    extern const ptrt_body_list PTRT_CAT(ptrt_bodies_##family, PTRT_LEVEL);                        \
    const ptrt_body_list PTRT_CAT(ptrt_bodies_##family,                                            \
                                  PTRT_LEVEL) = {rows, sizeof rows / sizeof *rows};

#endif
