/* kern.h - inside libptort: the signatures of kernel bodies, by which drivers call them, and the
 * list of the bodies of one instruction-set level. The other files in kern/ are compiled once per
 * level. */
#ifndef PTORT_KERN_KERN_H
#define PTORT_KERN_KERN_H

#include "ptort_types.def"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
typedef void (*ptrt_map3_fn)(void *d, const void *a, const void *b, const void *c, size_t rows,
                             size_t cols, ptrdiff_t ldd, ptrdiff_t lda, ptrdiff_t ldb,
                             ptrdiff_t ldc);
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

/* Rounding modes, numbered as in the language. */
enum ptrt_round_mode {
    PTRT_RINT = 1, /* nearest, ties to even */
    PTRT_AWAY = 2, /* nearest, ties away from zero */
    PTRT_FLOOR = 3,
    PTRT_CEIL = 4,
    PTRT_TRUNC = 5,
    PTRT_ODD = 6 /* to the neighbour with an odd last bit, if inexact */
};
/* Converts every element. `how` is an enum ptrt_round_mode, ORed with PTRT_UNCLAMPED if values
 * outside the destination's range keep their low bits (integers) or become infinite (floats)
 * instead of being clamped. cols counts the halves of packed pairs, ld counts pairs. Destination
 * and source share no byte; or they have the same address, rows without gaps, and elements of the
 * destination are not larger. */
enum { PTRT_UNCLAMPED = 8 };
typedef void (*ptrt_cvt_fn)(void *d, const void *a, size_t rows, size_t cols, ptrdiff_t ldd,
                            ptrdiff_t lda, unsigned how);
/* Computes d = a * scale + offset, narrowed, or d = (a - offset) * scale. Every row has `width`
 * scales and offsets; the last one serves all further columns. Destination and source share no
 * byte. */
typedef void (*ptrt_affine_fn)(void *d, const void *a, const float *scale, const float *offset,
                               size_t rows, size_t cols, ptrdiff_t ldd, ptrdiff_t lda,
                               size_t width);
/* Quantises groups of 32 elements along rows, or along columns if `down` is set, and writes the
 * codes to d. The body fills the arrays, which have one entry per group, ordered by rows of groups.
 * cols (rows if `down`) is a multiple of 32. cols and lda count elements, ldd counts pairs if d is
 * packed. */
enum { PTRT_MX_GROUP = 32 };
typedef struct ptrt_mx {
    bool down;
    bool nv;       /* take the least exponent that clamps nothing */
    uint32_t *max; /* bits of f32 */
    float *scale;
    uint8_t *exp;
} ptrt_mx;
typedef void (*ptrt_mx_fn)(void *d, const void *a, size_t rows, size_t cols, ptrdiff_t ldd,
                           ptrdiff_t lda, const ptrt_mx *how);
/* How to convert what leaves an accumulator. The arrays have one entry per column, and 16 more that
 * are read but not used. Plain moves use `relu` only. */
typedef struct ptrt_fix {
    bool relu;         /* NaN and negative values become 0 */
    bool has_infinity; /* f16, bf16: keep infinities; bf16 may also round to them */
    const float *scale;
    const float *offset, *low, *high; /* 8-bit results: add after rounding, then clamp */
    const int32_t *shift;             /* 16-bit integer results */
} ptrt_fix;
/* Destination and source share no byte. */
typedef void (*ptrt_fix_fn)(void *d, const void *a, size_t rows, size_t cols, ptrdiff_t ldd,
                            ptrdiff_t lda, const ptrt_fix *how);
/* Sets bit c % 8 of byte d[r][c / 8] to a[r][c] compared with b[r][c], or with the element at b;
 * `mode` is an enum ptrt_cmp. The remaining bits of a row's last byte become 0. ldd counts bytes. d
 * shares no byte with a source. */
typedef void (*ptrt_cmp_fn)(void *d, const void *a, const void *b, size_t rows, size_t cols,
                            ptrdiff_t ldd, ptrdiff_t lda, ptrdiff_t ldb, int mode);
/* Selects d[r][c] = a[r][c] where bit c of row r of m is set, else b[r][c] or the element at b. ldm
 * counts bytes. */
typedef void (*ptrt_sel_fn)(void *d, const void *m, const void *a, const void *b, size_t rows,
                            size_t cols, ptrdiff_t ldd, ptrdiff_t ldm, ptrdiff_t lda,
                            ptrdiff_t ldb);

/* Types of indices. Indices are compared as unsigned 32-bit numbers, to which signed 16-bit ones
 * are sign-extended, so that -1 is out of range. */
enum ptrt_index { PTRT_INDEX_32, PTRT_INDEX_I16, PTRT_INDEX_U16 };
/* Gathers d[r][c] = s[idx[r][c]], or 0 where the index is n or more. n is at least 1. No two
 * operands share a byte. Returns whether all indices are below n. */
typedef bool (*ptrt_gather_fn)(void *d, const void *s, const void *idx, enum ptrt_index kind,
                               uint32_t n, size_t rows, size_t cols, ptrdiff_t ldd, ptrdiff_t ldi);
/* Scatters d[idx[r][c]] = s[r][c], row by row, where the index is below n. With `strict` it writes
 * nothing if some index is not. Returns whether all are. */
typedef bool (*ptrt_scatter_fn)(void *d, const void *s, const void *idx, enum ptrt_index kind,
                                uint32_t n, size_t rows, size_t cols, ptrdiff_t lds, ptrdiff_t ldi,
                                bool strict);
/* Pick: d[r][c] = s[r][c * step]. Spread: d[r][c] = s[r][c / step] where c % step == at, else 0.
 * step is 1, 2 or 4. */
typedef void (*ptrt_pick_fn)(void *d, const void *s, size_t rows, size_t cols, ptrdiff_t ldd,
                             ptrdiff_t lds, size_t step);
typedef void (*ptrt_spread_fn)(void *d, const void *s, size_t rows, size_t cols, ptrdiff_t ldd,
                               ptrdiff_t lds, size_t step, size_t at);
/* Stores first + c for every column c whose element is equal to (greater than) the one at k, packed
 * into d, which has room for `room` 32-bit integers. Returns how many there are. `rounded`:
 * elements are rounded to integers first, ties to even. */
typedef uint32_t (*ptrt_where_fn)(uint32_t *d, const void *s, const void *k, size_t cols,
                                  size_t room, uint32_t first, bool greater, bool rounded);
/* d[c] = start + c * step, wrapping. */
typedef void (*ptrt_count_fn)(void *d, uint64_t start, uint64_t step, size_t cols);
/* Sorts blocks of 32 elements of each row of s, descending, and writes 8-byte records of the value
 * and its 32-bit element of idx. ldd counts bytes. */
typedef void (*ptrt_sort32_fn)(void *d, const void *s, const void *idx, size_t rows, size_t cols,
                               ptrdiff_t ldd, ptrdiff_t lds, ptrdiff_t ldi);

/* Merges sorted lists of 8-byte records: takes the largest key at the front of a list, of equal
 * keys that of the first list. A NaN key is not larger than any other, and no key is larger than
 * it. Ends when `room` records are written or, with `exhausted`, when a list is used up. taken[k] =
 * records taken from list k. */
enum { PTRT_LISTS = 4 };
typedef struct ptrt_list {
    const void *p;
    size_t n;
} ptrt_list;
typedef void (*ptrt_merge_fn)(void *d, size_t room, const ptrt_list *lists, size_t count,
                              bool exhausted, size_t *taken);
/* Generates rows of Philox words. `counter` is that of the first word, and is advanced past the
 * last row. */
typedef struct ptrt_philox {
    uint32_t key[2], counter[4];
    unsigned rounds;
} ptrt_philox;
typedef void (*ptrt_random_fn)(void *d, ptrt_philox *state, size_t rows, size_t cols,
                               ptrdiff_t ldd);
/* d[b] = how many elements x of s have (x & mask) == want and (x >> shift & 255) <= b, for 0 <= b <
 * 256. */
typedef void (*ptrt_histogram_fn)(uint32_t *d, const void *s, size_t cols, unsigned shift,
                                  uint32_t mask, uint32_t want);
/* Any of these; the driver casts it back to the signature that it uses. */
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
} ptrt_level;

#define PTRT_CAT_(a, b) a##_##b
#define PTRT_CAT(a, b) PTRT_CAT_(a, b)

/* The list of the bodies of a family in one level. */
#define PTRT_LIST(family, level) PTRT_CAT(PTRT_CAT(ptrt_bodies, family), level)

#endif
