/* walk.h - cuts a region that several tiles share into blocks that are plain strided rows in each.
 */
#ifndef PTORT_WALK_H
#define PTORT_WALK_H

#include "core.h"

#define PTRT_WALK_MAX 4

/* One block: p[k] is its first element in tile k; ld[k] elements from row to row. */
typedef void (*ptrt_block_fn)(const void *ctx, unsigned char *const *p, size_t rows, size_t cols,
                              const ptrdiff_t *ld);

typedef struct ptrt_region2 {
    int64_t r0, r1, c0, c1;
} ptrt_region2;

/* Calls fn for blocks that together make up the region. Rows of a block may be columns of the
 * tiles. When the tiles have no common direction of neighbouring elements, or are not `safe` to be
 * processed more than one element at a time, blocks are single elements in row-major order. */
void ptrt_walk(int n, const ptrt_tile *const *tiles, ptrt_region2 region, bool safe,
               ptrt_block_fn fn, const void *ctx);

/* Row-major without boxes: one block, rows row.inner apart. */
static inline bool ptrt_is_plain(const ptrt_tile *t) {
    return ((t->row.outer | t->col.outer) == 0) & (t->col.inner == 1);
}

bool ptrt_alias_safe_slow(const ptrt_tile *d, const ptrt_tile *s);

/* dst may be written while src is read, whole rows at a time: they are the same elements, or share
 * none. */
static inline bool ptrt_alias_safe(const ptrt_tile *d, const ptrt_tile *s) {
    uintptr_t d0 = (uintptr_t)ptrt_tile_at(d), s0 = (uintptr_t)ptrt_tile_at(s);
    if (d0 + d->bytes <= s0 || s0 + s->bytes <= d0) return true;
    return ptrt_alias_safe_slow(d, s);
}

/* Writes the element at `bits` over the region. */
void ptrt_fill_region(const ptrt_core *core, const ptrt_tile *t, ptrt_region2 region,
                      const void *bits);

/* The pad value of an element type as the bytes of one element. */
typedef union ptrt_bits {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
} ptrt_bits;
ptrt_bits ptrt_pad_bits(int elem, int pad);

#endif
