/* sums.c - drivers of elementwise operations with three inputs: map3, map2s, axpy. */
#include "drive/drive.h"

static int find_body(ptrt_core *core, uint32_t line, int kernel, int n,
                     const ptrt_tile *const *tiles, ptrt_body *body) {
    const ptrt_tile *d = tiles[n - 1];
    *body = ptrt_body_one(core, kernel, d);
    for (int i = 0; i < n - 1; i++)
        if (tiles[i]->elem != d->elem) *body = NULL;
    return *body ? PTRT_OK : ptrt_no_body(core, line, kernel, n, tiles);
}

/* Checks the operands and runs the job (slow path). */
static int start_job(ptrt_core *core, uint32_t line, int kernel, ptrt_job *job,
                     const uint8_t *roles) {
    const ptrt_tile *d = job->tile[job->n - 1];
    int code = ptrt_check_tiles(core, line, kernel, job->n, job->tile, roles);
    if (code == PTRT_OK && !job->body)
        code = find_body(core, line, kernel, job->n, job->tile, &job->body);
    for (int i = 0; i < job->n - 1 && code == PTRT_OK; i++)
        code = ptrt_check_reach(core, line, kernel, i, job->tile[i], d->vrow, d->vcol);
    job->rows = d->vrow;
    job->cols = d->vcol;
    return code != PTRT_OK ? code : ptrt_job_run(core, line, job);
}

/* ---- three tiles ---- */

static void run_map3(const ptrt_job *job, void *const *p, const ptrdiff_t *ld, size_t rows,
                     size_t cols) {
    ((ptrt_map3_fn)job->body)(p[3], p[0], p[1], p[2], rows, cols, ld[3], ld[0], ld[1], ld[2]);
}

int ptrt_map3(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
              const ptrt_tile *src1, const ptrt_tile *src2, const ptrt_tile *dst) {
    static const uint8_t roles[] = {PTRT_READ, PTRT_READ, PTRT_READ, PTRT_WRITE};
    if (ptrt_alike(dst, src0) && ptrt_alike(dst, src1) && ptrt_alike(dst, src2) &&
        ptrt_is_dense(dst) && (unsigned)kernel < PTRT_KERNELS) {
        ptrt_map3_fn body = (ptrt_map3_fn)ptrt_body_one(core, kernel, dst);
        const size_t n = (size_t)dst->n;
        if (body) {
            body(ptrt_tile_at(dst), ptrt_tile_at(src0), ptrt_tile_at(src1), ptrt_tile_at(src2), 1,
                 n, 0, 0, 0, 0);
            return PTRT_OK;
        }
    }
    ptrt_job job = {.n = 4, .tile = {src0, src1, src2, dst}, .transposable = true, .run = run_map3};
    return start_job(core, line, kernel, &job, roles);
}

/* ---- a scalar between two tiles ---- */

static void run_map2s(const ptrt_job *job, void *const *p, const ptrdiff_t *ld, size_t rows,
                      size_t cols) {
    ((ptrt_map3_fn)job->body)(p[2], p[0], job->k, p[1], rows, cols, ld[2], ld[0], 0, ld[1]);
}

static int map2s(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *a, const ptrt_bits *k,
                 const ptrt_tile *b, const ptrt_tile *d) {
    static const uint8_t roles[] = {PTRT_READ, PTRT_READ, PTRT_WRITE};
    if (ptrt_alike(d, a) && ptrt_alike(d, b) && ptrt_is_dense(d) &&
        (unsigned)kernel < PTRT_KERNELS) {
        ptrt_map3_fn body = (ptrt_map3_fn)ptrt_body_one(core, kernel, d);
        const size_t n = (size_t)d->n;
        if (body) {
            body(ptrt_tile_at(d), ptrt_tile_at(a), k, ptrt_tile_at(b), 1, n, 0, 0, 0, 0);
            return PTRT_OK;
        }
    }
    ptrt_job job = {.n = 3, .tile = {a, b, d}, .transposable = true, .run = run_map2s, .k = k};
    return start_job(core, line, kernel, &job, roles);
}

int ptrt_map2s_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0, int64_t scalar,
                 const ptrt_tile *src1, const ptrt_tile *dst) {
    ptrt_bits k = {0};
    (void)ptrt_int_bits(dst->elem, scalar, &k);
    return map2s(core, line, kernel, src0, &k, src1, dst);
}

int ptrt_map2s_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0, double scalar,
                 const ptrt_tile *src1, const ptrt_tile *dst) {
    ptrt_bits k = {0};
    (void)ptrt_float_bits(dst->elem, scalar, &k);
    return map2s(core, line, kernel, src0, &k, src1, dst);
}

/* ---- adding a multiple of a tile ---- */

static void run_axpy(const ptrt_job *job, void *const *p, const ptrdiff_t *ld, size_t rows,
                     size_t cols) {
    ((ptrt_maps_fn)job->body)(p[1], p[0], job->k, rows, cols, ld[1], ld[0], 0);
}

static int axpy(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                const ptrt_bits *k, const ptrt_tile *dst) {
    static const uint8_t roles[] = {PTRT_READ, PTRT_WRITE};
    const ptrt_tile *const tiles[] = {src, dst};
    int code = ptrt_check_tiles(core, line, kernel, 2, tiles, roles);
    if (code != PTRT_OK) return code;
    ptrt_job job = {.n = 2,
                    .tile = {src, dst},
                    .rows = dst->vrow,
                    .cols = dst->vcol,
                    .transposable = true,
                    .updates = true,
                    .run = run_axpy,
                    .body = ptrt_body_of_pair(core->bodies, kernel, src->elem, dst->elem),
                    .k = k};
    if (!job.body) return ptrt_no_body(core, line, kernel, 2, tiles);
    code = ptrt_check_reach(core, line, kernel, 0, src, dst->vrow, dst->vcol);
    return code != PTRT_OK ? code : ptrt_job_run(core, line, &job);
}

int ptrt_axpy_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src, double scalar,
                const ptrt_tile *dst) {
    ptrt_bits k = {0};
    (void)ptrt_float_bits(src->elem, scalar, &k);
    return axpy(core, line, kernel, src, &k, dst);
}
