/* elementwise.c - tile with tile (tadd, tmul), with scalar (tadds, tands, txors, texpands). */
#include "walk.h"

/* A source is read where dst is valid: its shape must reach that far. */
static int too_small(ptrt_core *core, uint32_t line, const char *op, const char *name,
                     const ptrt_tile *s, int64_t rows, int64_t cols) {
    return ptrt_fail(core, PTRT_E_VALID, line,
                     "%s: %s has %lldx%lld elements, dst has %lldx%lld valid ones", op, name,
                     (long long)s->rows, (long long)s->cols, (long long)rows, (long long)cols);
}

#define REACHES(s, nr, nc) (((s)->rows >= (nr)) & ((s)->cols >= (nc)))

static void binary_block(const void *ctx, unsigned char *const *p, size_t rows, size_t cols,
                         const ptrdiff_t *ld) {
    (*(const ptrt_binary_fn *)ctx)(p[2], p[0], p[1], rows, cols, ld[2], ld[0], ld[1]);
}

static inline int binary(ptrt_core *core, uint32_t line, const char *op, const ptrt_tile *a,
                         const ptrt_tile *b, const ptrt_tile *d, ptrt_binary_fn fn) {
    PTRT_OPERAND(core, line, op, "src0", PTRT_READ, a);
    PTRT_OPERAND(core, line, op, "src1", PTRT_READ, b);
    PTRT_OPERAND(core, line, op, "dst", PTRT_WRITE, d);
    int64_t rows = d->vrow, cols = d->vcol;
    if (!REACHES(a, rows, cols)) return too_small(core, line, op, "src0", a, rows, cols);
    if (!REACHES(b, rows, cols)) return too_small(core, line, op, "src1", b, rows, cols);
    if (rows == 0 || cols == 0) return PTRT_OK;
    bool safe = ptrt_alias_safe(d, a) && ptrt_alias_safe(d, b);
    if (safe && ptrt_is_plain(a) && ptrt_is_plain(b) && ptrt_is_plain(d)) {
        fn(ptrt_tile_at(d), ptrt_tile_at(a), ptrt_tile_at(b), (size_t)rows, (size_t)cols,
           d->row.inner, a->row.inner, b->row.inner);
        return PTRT_OK;
    }
    const ptrt_tile *const tiles[] = {a, b, d};
    ptrt_walk(3, tiles, (ptrt_region2){0, rows, 0, cols}, safe, binary_block, &fn);
    return PTRT_OK;
}

typedef struct scalar_ctx {
    ptrt_scalar_fn fn;
    const void *k;
} scalar_ctx;

static void scalar_block(const void *ctx, unsigned char *const *p, size_t rows, size_t cols,
                         const ptrdiff_t *ld) {
    const scalar_ctx *s = ctx;
    s->fn(p[1], p[0], s->k, rows, cols, ld[1], ld[0]);
}

/* Over rows x cols elements; the operands have been checked. */
static inline void scalar(const ptrt_tile *a, const void *k, const ptrt_tile *d, int64_t rows,
                          int64_t cols, ptrt_scalar_fn fn) {
    bool safe = ptrt_alias_safe(d, a);
    if (safe && ptrt_is_plain(a) && ptrt_is_plain(d)) {
        fn(ptrt_tile_at(d), ptrt_tile_at(a), k, (size_t)rows, (size_t)cols, d->row.inner,
           a->row.inner);
        return;
    }
    const ptrt_tile *const tiles[] = {a, d};
    const scalar_ctx ctx = {fn, k};
    ptrt_walk(2, tiles, (ptrt_region2){0, rows, 0, cols}, safe, scalar_block, &ctx);
}

static inline int tadds(ptrt_core *core, uint32_t line, const ptrt_tile *a, const void *k,
                        const ptrt_tile *d, ptrt_scalar_fn fn) {
    PTRT_OPERAND(core, line, "pto.tadds", "src", PTRT_READ, a);
    PTRT_OPERAND(core, line, "pto.tadds", "dst", PTRT_WRITE, d);
    int64_t rows = ptrt_min64(a->vrow, d->vrow), cols = d->vcol;
    if (!REACHES(a, rows, cols)) return too_small(core, line, "pto.tadds", "src", a, rows, cols);
    if (rows != 0 && cols != 0) scalar(a, k, d, rows, cols, fn);
    return PTRT_OK;
}

/* tmp, where there is one, is the scratch tile of txors: checked, never touched. */
static inline int bits(ptrt_core *core, uint32_t line, const char *op, const ptrt_tile *a,
                       const void *k, const ptrt_tile *tmp, const ptrt_tile *d, ptrt_scalar_fn fn) {
    PTRT_OPERAND(core, line, op, "src", PTRT_READ, a);
    if (tmp) PTRT_OPERAND(core, line, op, "tmp", PTRT_SCRATCH, tmp);
    PTRT_OPERAND(core, line, op, "dst", PTRT_WRITE, d);
    int64_t rows = d->vrow, cols = d->vcol;
    if (!REACHES(a, rows, cols)) return too_small(core, line, op, "src", a, rows, cols);
    if (rows != 0 && cols != 0) scalar(a, k, d, rows, cols, fn);
    return PTRT_OK;
}

static inline int texpands(ptrt_core *core, uint32_t line, const void *k, const ptrt_tile *d) {
    PTRT_OPERAND(core, line, "pto.texpands", "dst", PTRT_WRITE, d);
    bool whole = d->space == PTRT_MAT;
    ptrt_region2 region = {0, whole ? d->rows : d->vrow, 0, whole ? d->cols : d->vcol};
    ptrt_fill_region(core, d, region, k);
    return PTRT_OK;
}

/* Rows of the tables in ptrt_ops, by element name. */
enum {
    ROW_i8 = PTRT_I8,
    ROW_u8 = PTRT_U8,
    ROW_i16 = PTRT_I16,
    ROW_u16 = PTRT_U16,
    ROW_i32 = PTRT_I32,
    ROW_u32 = PTRT_U32,
    ROW_i64 = PTRT_I64,
    ROW_u64 = PTRT_U64,
    ROW_f16 = PTRT_F16,
    ROW_bf16 = PTRT_BF16,
    ROW_f32 = PTRT_F32,
    ROW_f64 = PTRT_F64
};

#define DEFINE_ARITH(E, T)                                                                         \
    int ptrt_tadd_##E(ptrt_core *core, uint32_t line, const ptrt_tile *src0,                       \
                      const ptrt_tile *src1, const ptrt_tile *dst) {                               \
        return binary(core, line, "pto.tadd", src0, src1, dst, core->ops->add[ROW_##E]);           \
    }                                                                                              \
    int ptrt_tmul_##E(ptrt_core *core, uint32_t line, const ptrt_tile *src0,                       \
                      const ptrt_tile *src1, const ptrt_tile *dst) {                               \
        return binary(core, line, "pto.tmul", src0, src1, dst, core->ops->mul[ROW_##E]);           \
    }                                                                                              \
    int ptrt_tadds_##E(ptrt_core *core, uint32_t line, const ptrt_tile *src, T value,              \
                       const ptrt_tile *dst) {                                                     \
        return tadds(core, line, src, &value, dst, core->ops->adds[ROW_##E]);                      \
    }                                                                                              \
    int ptrt_texpands_##E(ptrt_core *core, uint32_t line, T value, const ptrt_tile *dst) {         \
        return texpands(core, line, &value, dst);                                                  \
    }
PTRT_FOR_ARITH(DEFINE_ARITH)

#define DEFINE_INT(E, T)                                                                           \
    int ptrt_tands_##E(ptrt_core *core, uint32_t line, const ptrt_tile *src, T value,              \
                       const ptrt_tile *dst) {                                                     \
        return bits(core, line, "pto.tands", src, &value, NULL, dst, core->ops->ands[ROW_##E]);    \
    }                                                                                              \
    int ptrt_txors_##E(ptrt_core *core, uint32_t line, const ptrt_tile *src, T value,              \
                       const ptrt_tile *tmp, const ptrt_tile *dst) {                               \
        return bits(core, line, "pto.txors", src, &value, tmp, dst, core->ops->xors[ROW_##E]);     \
    }
PTRT_FOR_INT(DEFINE_INT)
