/* move.c - copies between layouts: both sides are cut into blocks with constant steps. */
#include "move.h"

#define UNALIGNED __attribute__((may_alias, aligned(1)))
typedef uint16_t UNALIGNED unaligned_u16;
typedef uint32_t UNALIGNED unaligned_u32;
typedef uint64_t UNALIGNED unaligned_u64;

/* Drops digits that are always 0 and joins digits that continue each other, so that runs are long.
 */
void ptrt_map_add(ptrt_map *m, uint64_t ext, uint64_t step) {
    if (m->n > 0) {
        int last = m->n - 1;
        if (m->ext[last] == 1) {
            m->ext[last] = ext;
            m->step[last] = step;
            return;
        }
        if (m->ext[last] * m->step[last] == step) {
            m->ext[last] = ext > UINT64_MAX / m->ext[last] ? UINT64_MAX : m->ext[last] * ext;
            return;
        }
    }
    m->ext[m->n] = ext;
    m->step[m->n] = step;
    m->n++;
}

uint64_t ptrt_map_at(const ptrt_map *m, uint64_t i, uint64_t *count, uint64_t *step) {
    *step = m->step[0];
    if (m->n == 1) {
        *count = UINT64_MAX;
        return i * m->step[0];
    }
    uint64_t offset = i % m->ext[0] * m->step[0];
    *count = m->ext[0] - i % m->ext[0];
    i /= m->ext[0];
    for (int l = 1; l < m->n - 1; l++) {
        offset += i % m->ext[l] * m->step[l];
        i /= m->ext[l];
    }
    return offset + i * m->step[m->n - 1];
}

static ptrt_map map_of_axis(const ptrt_axis *a) {
    ptrt_map m = {0};
    ptrt_map_add(&m, (uint64_t)a->box, (uint64_t)a->inner);
    if (a->outer != 0) ptrt_map_add(&m, UINT64_MAX, (uint64_t)a->outer);
    return m;
}

ptrt_side ptrt_side_of_tile(const ptrt_tile *t) {
    return (ptrt_side){ptrt_tile_at(t), map_of_axis(&t->row), map_of_axis(&t->col)};
}

/* A block: n lines of k elements, with byte steps for each side. */
typedef struct block {
    unsigned char *d;
    const unsigned char *s;
    uint64_t n, k;
    uint64_t dn, dk, sn, sk;
} block;

#define DEFINE_STRIDED(NAME, T)                                                                    \
    static void NAME(const block *b) {                                                             \
        for (uint64_t i = 0; i < b->n; i++) {                                                      \
            unsigned char *d = (unsigned char *)((uintptr_t)b->d + i * b->dn);                     \
            const unsigned char *s = (const unsigned char *)((uintptr_t)b->s + i * b->sn);         \
            for (uint64_t j = 0; j < b->k; j++) {                                                  \
                *(T *)d = *(const T *)s;                                                           \
                d = (unsigned char *)((uintptr_t)d + b->dk);                                       \
                s = (const unsigned char *)((uintptr_t)s + b->sk);                                 \
            }                                                                                      \
        }                                                                                          \
    }
DEFINE_STRIDED(strided_1, unsigned char)
DEFINE_STRIDED(strided_2, unaligned_u16)
DEFINE_STRIDED(strided_4, unaligned_u32)
DEFINE_STRIDED(strided_8, unaligned_u64)

static void copy_block(const block *b, uint32_t size) {
    if (b->dk == size && b->sk == size) {
        uint64_t line = b->k * size;
        if (b->n == 1 || (b->dn == line && b->sn == line)) {
            memmove(b->d, b->s, b->n * line);
            return;
        }
        for (uint64_t i = 0; i < b->n; i++)
            memmove((void *)((uintptr_t)b->d + i * b->dn),
                    (const void *)((uintptr_t)b->s + i * b->sn), line);
        return;
    }
    switch (size) {
    case 1:
        strided_1(b);
        break;
    case 2:
        strided_2(b);
        break;
    case 4:
        strided_4(b);
        break;
    default:
        strided_8(b);
    }
}

static uint64_t least(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t m = a < b ? a : b;
    return m < c ? m : c;
}

/* Lines (outer) by elements of a line (inner): rows and columns, or the other way round. */
static void copy_lines(const ptrt_side *dst, const ptrt_side *src, bool rows_outer, uint64_t lines,
                       uint64_t length, uint32_t size) {
    const ptrt_map *dout = rows_outer ? &dst->row : &dst->col;
    const ptrt_map *din = rows_outer ? &dst->col : &dst->row;
    const ptrt_map *sout = rows_outer ? &src->row : &src->col;
    const ptrt_map *sin = rows_outer ? &src->col : &src->row;
    block b;
    uint64_t dcount, scount;
    for (uint64_t i = 0; i < lines; i += b.n) {
        uint64_t dline = ptrt_map_at(dout, i, &dcount, &b.dn);
        uint64_t sline = ptrt_map_at(sout, i, &scount, &b.sn);
        b.n = least(lines - i, dcount, scount);
        b.dn *= size;
        b.sn *= size;
        for (uint64_t j = 0; j < length; j += b.k) {
            uint64_t d = dline + ptrt_map_at(din, j, &dcount, &b.dk);
            uint64_t s = sline + ptrt_map_at(sin, j, &scount, &b.sk);
            b.k = least(length - j, dcount, scount);
            b.dk *= size;
            b.sk *= size;
            b.d = (unsigned char *)((uintptr_t)dst->p + d * size);
            b.s = (const unsigned char *)((uintptr_t)src->p + s * size);
            copy_block(&b, size);
        }
    }
}

void ptrt_copy(const ptrt_side *dst, const ptrt_side *src, int64_t rows, int64_t cols,
               uint32_t size) {
    /* Lines run where neighbours touch on both sides; else where they do in the destination. */
    bool by_row = dst->col.step[0] == 1 && src->col.step[0] == 1;
    bool by_col = dst->row.step[0] == 1 && src->row.step[0] == 1;
    bool rows_outer = by_row || (!by_col && dst->col.step[0] == 1);
    copy_lines(dst, src, rows_outer, (uint64_t)(rows_outer ? rows : cols),
               (uint64_t)(rows_outer ? cols : rows), size);
}
