/* walk.c - regions of boxed layouts as blocks of strided rows; filling; pad values. */
#include "walk.h"

/* Indices from i to the end of the box it lies in. */
static int64_t run(const ptrt_axis *a, int64_t i) {
    return a->box - i % a->box;
}

static void place_at(int n, const ptrt_tile *const *tiles, int64_t r, int64_t c,
                     unsigned char **p) {
    for (int k = 0; k < n; k++) {
        int64_t offset = ptrt_axis_at(&tiles[k]->row, r) + ptrt_axis_at(&tiles[k]->col, c);
        p[k] = ptrt_tile_at(tiles[k]) + (uint64_t)offset * ptrt_elem_size(tiles[k]->elem);
    }
}

static void walk_elements(int n, const ptrt_tile *const *tiles, ptrt_region2 g, ptrt_block_fn fn,
                          const void *ctx) {
    unsigned char *p[PTRT_WALK_MAX];
    static const ptrdiff_t ld[PTRT_WALK_MAX] = {1, 1, 1, 1};
    for (int64_t r = g.r0; r < g.r1; r++) {
        for (int64_t c = g.c0; c < g.c1; c++) {
            place_at(n, tiles, r, c, p);
            fn(ctx, p, 1, 1, ld);
        }
    }
}

void ptrt_walk(int n, const ptrt_tile *const *tiles, ptrt_region2 g, bool safe, ptrt_block_fn fn,
               const void *ctx) {
    bool along_row = safe, along_col = safe;
    for (int k = 0; k < n; k++) {
        along_row = along_row && tiles[k]->col.inner == 1;
        along_col = along_col && tiles[k]->row.inner == 1;
    }
    if (!along_row && !along_col) {
        walk_elements(n, tiles, g, fn, ctx);
        return;
    }
    unsigned char *p[PTRT_WALK_MAX];
    ptrdiff_t ld[PTRT_WALK_MAX];
    for (int k = 0; k < n; k++)
        ld[k] = (ptrdiff_t)(along_row ? tiles[k]->row.inner : tiles[k]->col.inner);
    int64_t nr, nc;
    for (int64_t r = g.r0; r < g.r1; r += nr) {
        nr = g.r1 - r;
        for (int k = 0; k < n; k++)
            nr = ptrt_min64(nr, run(&tiles[k]->row, r));
        for (int64_t c = g.c0; c < g.c1; c += nc) {
            nc = g.c1 - c;
            for (int k = 0; k < n; k++)
                nc = ptrt_min64(nc, run(&tiles[k]->col, c));
            place_at(n, tiles, r, c, p);
            fn(ctx, p, (size_t)(along_row ? nr : nc), (size_t)(along_row ? nc : nr), ld);
        }
    }
}

bool ptrt_alias_safe_slow(const ptrt_tile *d, const ptrt_tile *s) {
    bool same = ptrt_tile_at(d) == ptrt_tile_at(s) && d->elem == s->elem &&
                memcmp(&d->row, &s->row, sizeof d->row) == 0 &&
                memcmp(&d->col, &s->col, sizeof d->col) == 0;
    /* Without boxes only the steps matter, not how far the parent reaches. */
    bool plain = ptrt_is_plain(d) && ptrt_is_plain(s) && d->row.inner == s->row.inner &&
                 ptrt_tile_at(d) == ptrt_tile_at(s);
    return same || plain || !ptrt_tiles_overlap(d, s);
}

typedef struct fill_ctx {
    ptrt_fill_fn fn;
    const void *bits;
} fill_ctx;

static void fill_block(const void *ctx, unsigned char *const *p, size_t rows, size_t cols,
                       const ptrdiff_t *ld) {
    const fill_ctx *f = ctx;
    f->fn(p[0], f->bits, rows, cols, ld[0]);
}

void ptrt_fill_region(const ptrt_core *core, const ptrt_tile *t, ptrt_region2 g, const void *bits) {
    if (g.r0 >= g.r1 || g.c0 >= g.c1) return;
    uint32_t size = ptrt_elem_size(t->elem);
    int log = size == 8 ? 3 : size == 4 ? 2 : size == 2 ? 1 : 0;
    ptrt_fill_fn fn = core->ops->fill[log];
    if (ptrt_is_plain(t)) {
        int64_t at = g.r0 * t->row.inner + g.c0;
        fn(ptrt_tile_at(t) + (uint64_t)at * size, bits, (size_t)(g.r1 - g.r0),
           (size_t)(g.c1 - g.c0), (ptrdiff_t)t->row.inner);
        return;
    }
    const fill_ctx f = {fn, bits};
    ptrt_walk(1, &t, g, true, fill_block, &f);
}

ptrt_bits ptrt_pad_bits(int elem, int pad) {
    /* Largest and smallest value, infinite where the type has infinities. */
    static const struct {
        uint64_t max, min;
    } limit[PTRT_ELEMS] = {
        [PTRT_I8] = {0x7F, 0x80},
        [PTRT_U8] = {0xFF, 0},
        [PTRT_I16] = {0x7FFF, 0x8000},
        [PTRT_U16] = {0xFFFF, 0},
        [PTRT_I32] = {0x7FFFFFFF, 0x80000000},
        [PTRT_U32] = {0xFFFFFFFF, 0},
        [PTRT_I64] = {UINT64_C(0x7FFFFFFFFFFFFFFF), UINT64_C(0x8000000000000000)},
        [PTRT_U64] = {UINT64_MAX, 0},
        [PTRT_F16] = {0x7C00, 0xFC00},
        [PTRT_BF16] = {0x7F80, 0xFF80},
        [PTRT_F32] = {0x7F800000, 0xFF800000},
        [PTRT_F64] = {UINT64_C(0x7FF0000000000000), UINT64_C(0xFFF0000000000000)},
        [PTRT_TF32] = {0x7F800000, 0xFF800000},
        [PTRT_F8E4M3] = {0x78, 0xF8},
        [PTRT_F8E4M3FN] = {0x7E, 0xFE},
        [PTRT_F8E4M3FNUZ] = {0x7F, 0xFF},
        [PTRT_F8E4M3B11FNUZ] = {0x7F, 0xFF},
        [PTRT_F8E5M2] = {0x7C, 0xFC},
        [PTRT_F8E5M2FNUZ] = {0x7F, 0xFF},
        [PTRT_HIF8] = {0x6F, 0xEF},
        [PTRT_F8E8M0] = {0xFE, 0x00},
        [PTRT_F4E1M2X2] = {0x77, 0xFF},
        [PTRT_F4E2M1X2] = {0x77, 0xFF},
        [PTRT_HIF8X2] = {0x6F6F, 0xEFEF},
        [PTRT_BF16X2] = {0x7F807F80, 0xFF80FF80},
    };
    uint64_t v = pad == PTRT_PAD_MAX ? limit[elem].max : pad == PTRT_PAD_MIN ? limit[elem].min : 0;
    ptrt_bits bits = {.u64 = 0};
    switch (ptrt_elem_size(elem)) {
    case 1:
        bits.u8 = (uint8_t)v;
        break;
    case 2:
        bits.u16 = (uint16_t)v;
        break;
    case 4:
        bits.u32 = (uint32_t)v;
        break;
    default:
        bits.u64 = v;
    }
    return bits;
}
