/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.c - pto.comm.tput, tget and the collectives: copies views of global memory through the
 * transport of the rank. */
#include "comm/rank.h"
#include "mem/view.h"

enum { DIMS = 5 };

/* ---- operands ---- */

/* Computes the byte range low .. high that the view covers, relative to its base. Returns false
 * when it is larger than half of the address space. */
static bool reach_of(const ptrt_view *v, int64_t *low, int64_t *high) {
    int64_t size = ptrt_elem_size(v->elem);
    *low = 0;
    *high = size;
    for (int d = 0; d < DIMS; d++) {
        int64_t span;
        if (__builtin_mul_overflow(v->shape[d] - 1, v->stride[d], &span) ||
            __builtin_mul_overflow(span, size, &span) ||
            __builtin_add_overflow(span, span < 0 ? *low : *high, span < 0 ? low : high) ||
            *high - (*low < -INT64_MAX / 2 ? 0 : *low) > INT64_MAX / 2)
            return false;
    }
    return true;
}

static bool is_empty(const ptrt_view *v) {
    return v->shape[0] == 0 || v->shape[1] == 0 || v->shape[2] == 0 || v->shape[3] == 0 ||
           v->shape[4] == 0;
}

int ptrt_comm_check(ptrt_core *core, uint32_t line, const char *op, const char *name,
                    const ptrt_view *v) {
    int64_t low, high;
    if (!v->base) return ptrt_fail(core, PTRT_E_BOUNDS, line, "%s: %s has no memory", op, name);
    for (int d = 0; d < DIMS; d++)
        if (v->shape[d] < 0)
            return ptrt_fail(core, PTRT_E_VALID, line, "%s: an extent of %s is %lld", op, name,
                             (long long)v->shape[d]);
    if (!core->checked || is_empty(v)) return PTRT_OK;
    if (reach_of(v, &low, &high) &&
        ptrt_gm_allowed(core, (uintptr_t)v->base + (uintptr_t)low, (uint64_t)(high - low)))
        return PTRT_OK;
    return ptrt_fail(core, PTRT_E_BOUNDS, line, "%s: %s reaches outside every buffer", op, name);
}

int ptrt_comm_failed(ptrt_core *core, uint32_t line, const char *op, int code) {
    if (code == PTRT_E_STOPPED)
        return ptrt_fail(core, code, line, "%s: another rank has failed", op);
    if (code == PTRT_E_BOUNDS)
        return ptrt_fail(core, code, line, "%s: what it reaches leaves the window of a rank", op);
    return ptrt_fail(core, code, line, "%s: the transport failed", op);
}

static const char *const dims[] = {"0", "1", "2", "3 (rows)", "4 (columns)"};

/* Checks that two views have equal shapes and element sizes. Rows may differ when `rows` is
 * false. */
static int check_shapes(ptrt_core *core, uint32_t line, const char *op, const char *an,
                        const ptrt_view *a, const char *bn, const ptrt_view *b, bool rows) {
    if (ptrt_elem_size(a->elem) != ptrt_elem_size(b->elem))
        return ptrt_fail(core, PTRT_E_TYPE, line, "%s: the element sizes of %s and %s differ", op,
                         an, bn);
    for (int d = 0; d < DIMS; d++)
        if (a->shape[d] != b->shape[d] && (rows || d != 3))
            return ptrt_fail(core, PTRT_E_BOUNDS, line,
                             "%s: dimension %s of 5 is %lld in %s and %lld in %s", op, dims[d],
                             (long long)a->shape[d], an, (long long)b->shape[d], bn);
    return PTRT_OK;
}

/* ---- copying views ---- */

/* Nested loops over the elements of two views, outermost first; steps are in bytes. */
typedef struct Walk {
    int n;
    int64_t extent[DIMS];
    int64_t to[DIMS], from[DIMS];
} Walk;

static int64_t size_of(int64_t step) {
    return step < 0 ? (int64_t)(0 - (uint64_t)step) : step;
}

/* Builds the loops, with the smallest steps of `to` innermost. Merges loops that together run over
 * evenly spaced elements. */
static Walk walk_of(const ptrt_view *to, const ptrt_view *from) {
    Walk w = {.n = 0};
    uint64_t size = ptrt_elem_size(to->elem);
    for (int d = 0; d < DIMS; d++) {
        if (to->shape[d] == 1) continue;
        int64_t t = (int64_t)((uint64_t)to->stride[d] * size);
        int64_t f = (int64_t)((uint64_t)from->stride[d] * size);
        int i = w.n++;
        for (; i > 0 && size_of(w.to[i - 1]) < size_of(t); i--) {
            w.extent[i] = w.extent[i - 1];
            w.to[i] = w.to[i - 1];
            w.from[i] = w.from[i - 1];
        }
        w.extent[i] = to->shape[d];
        w.to[i] = t;
        w.from[i] = f;
    }
    int last = 0;
    for (int i = 1; i < w.n; i++) {
        uint64_t n = (uint64_t)w.extent[i];
        if ((uint64_t)w.to[last] == (uint64_t)w.to[i] * n &&
            (uint64_t)w.from[last] == (uint64_t)w.from[i] * n)
            w.extent[last] = (int64_t)((uint64_t)w.extent[last] * n);
        else
            w.extent[++last] = w.extent[i];
        w.to[last] = w.to[i];
        w.from[last] = w.from[i];
    }
    if (w.n > 0) w.n = last + 1;
    return w;
}

/* How to move a run of neighbouring elements. */
typedef struct Mover {
    ptrt_core *core;
    int elem;
    bool add;
} Mover;

static int move_run(const Mover *m, uintptr_t to, uintptr_t from, int64_t n) {
    const ptrt_rank *rank = m->core->run->rank;
    void *d = (void *)to;
    const void *s = (const void *)from;
    if (m->add) return rank->transport->add(rank->self, m->core, m->elem, d, s, (uint64_t)n);
    return rank->transport->copy(rank->self, d, s, (uint64_t)n * ptrt_elem_size(m->elem));
}

static int move_level(const Mover *m, const Walk *w, int level, uintptr_t to, uintptr_t from) {
    int64_t size = ptrt_elem_size(m->elem);
    if (level == w->n || level == DIMS) return move_run(m, to, from, 1);
    int64_t n = w->extent[level];
    if (level == w->n - 1 && w->to[level] == size && w->from[level] == size)
        return move_run(m, to, from, n);
    for (int64_t i = 0; i < n; i++) {
        int code = move_level(m, w, level + 1, to, from);
        if (code != PTRT_OK) return code;
        to += (uintptr_t)w->to[level];
        from += (uintptr_t)w->from[level];
    }
    return PTRT_OK;
}

static int move_view(ptrt_core *core, uint32_t line, const char *op, const ptrt_view *to,
                     const ptrt_view *from, bool add) {
    if (is_empty(to)) return PTRT_OK;
    Walk w = walk_of(to, from);
    Mover m = {core, to->elem, add};
    int code = move_level(&m, &w, 0, (uintptr_t)to->base, (uintptr_t)from->base);
    if (code == PTRT_E_TYPE)
        return ptrt_fail(core, code, line, "%s: elements of this type cannot be added", op);
    return code == PTRT_OK ? PTRT_OK : ptrt_comm_failed(core, line, op, code);
}

/* ---- between two ranks ---- */

static int transfer(ptrt_core *core, uint32_t line, const char *op, const ptrt_view *dst,
                    const ptrt_view *src, bool add) {
    int code = ptrt_comm_check(core, line, op, "dst", dst);
    if (code == PTRT_OK) code = ptrt_comm_check(core, line, op, "src", src);
    if (code == PTRT_OK) code = check_shapes(core, line, op, "dst", dst, "src", src, true);
    return code == PTRT_OK ? move_view(core, line, op, dst, src, add) : code;
}

int ptrt_comm_put(ptrt_core *core, uint32_t line, const ptrt_view *dst, const ptrt_view *src,
                  int add) {
    return transfer(core, line, "pto.comm.tput", dst, src, add != 0);
}

int ptrt_comm_get(ptrt_core *core, uint32_t line, const ptrt_view *dst, const ptrt_view *src) {
    return transfer(core, line, "pto.comm.tget", dst, src, false);
}

/* ---- collectives ---- */

/* Checks that all members have memory and the same shape. */
static int check_group(ptrt_core *core, uint32_t line, const char *op, int n,
                       const ptrt_view *const *group) {
    for (int i = 0; i < n; i++) {
        int code = ptrt_comm_check(core, line, op, "group", group[i]);
        if (code == PTRT_OK)
            code = check_shapes(core, line, op, "the first of group", group[0], "another", group[i],
                                true);
        if (code != PTRT_OK) return code;
    }
    return PTRT_OK;
}

int ptrt_comm_broadcast(ptrt_core *core, uint32_t line, const ptrt_view *src, int n,
                        const ptrt_view *const *group) {
    static const char op[] = "pto.comm.tbroadcast";
    int code = ptrt_comm_check(core, line, op, "src", src);
    if (code == PTRT_OK) code = check_group(core, line, op, n, group);
    if (code == PTRT_OK) code = check_shapes(core, line, op, "group", group[0], "src", src, true);
    for (int i = 0; i < n && code == PTRT_OK; i++)
        code = move_view(core, line, op, group[i], src, false);
    return code;
}

/* Returns the rows of `whole` that belong to member i. */
static ptrt_view slice(const ptrt_view *whole, const ptrt_view *member, int i) {
    ptrt_view v = *whole;
    uint64_t rows = (uint64_t)member->shape[3] * (uint64_t)i;
    v.base = (unsigned char *)((uintptr_t)v.base +
                               (uintptr_t)(rows * (uint64_t)v.stride[3] * ptrt_elem_size(v.elem)));
    v.shape[3] = member->shape[3];
    return v;
}

/* Checks the rows of all members against those of `whole`. With `exact` none may be left over. */
static int check_rows(ptrt_core *core, uint32_t line, const char *op, const char *name,
                      const ptrt_view *whole, int n, const ptrt_view *const *group, bool exact) {
    int64_t rows;
    int code = ptrt_comm_check(core, line, op, name, whole);
    if (code == PTRT_OK) code = check_group(core, line, op, n, group);
    if (code == PTRT_OK) code = check_shapes(core, line, op, name, whole, "group", group[0], false);
    if (code != PTRT_OK) return code;
    if (__builtin_mul_overflow(group[0]->shape[3], n, &rows)) rows = INT64_MAX;
    if (whole->shape[3] == rows || (!exact && whole->shape[3] > rows)) return PTRT_OK;
    return ptrt_fail(core, PTRT_E_BOUNDS, line,
                     "%s: %s has %lld rows, %d members of %lld have %lld", op, name,
                     (long long)whole->shape[3], n, (long long)group[0]->shape[3], (long long)rows);
}

int ptrt_comm_gather(ptrt_core *core, uint32_t line, const ptrt_view *dst, int n,
                     const ptrt_view *const *group) {
    static const char op[] = "pto.comm.tgather";
    int code = check_rows(core, line, op, "dst", dst, n, group, false);
    for (int i = 0; i < n && code == PTRT_OK; i++) {
        ptrt_view part = slice(dst, group[i], i);
        code = move_view(core, line, op, &part, group[i], false);
    }
    return code;
}

int ptrt_comm_scatter(ptrt_core *core, uint32_t line, const ptrt_view *src, int n,
                      const ptrt_view *const *group) {
    static const char op[] = "pto.comm.tscatter";
    int code = check_rows(core, line, op, "src", src, n, group, true);
    for (int i = 0; i < n && code == PTRT_OK; i++) {
        ptrt_view part = slice(src, group[i], i);
        code = move_view(core, line, op, group[i], &part, false);
    }
    return code;
}

/* ---- reduction ---- */

enum { CHUNK = 1024 }; /* elements */

/* Moves n elements of a view, in row-major order from number `first` on, to or from the contiguous
 * memory `flat`. */
static int move_span(const Mover *m, const ptrt_view *v, int64_t first, int64_t n, void *flat,
                     bool store) {
    uint64_t size = ptrt_elem_size(v->elem);
    uintptr_t at = (uintptr_t)flat;
    while (n > 0) {
        uint64_t offset = 0;
        int64_t rest = first, place = 0;
        for (int d = 4; d >= 0; d--) {
            int64_t i = rest % v->shape[d];
            rest /= v->shape[d];
            offset += (uint64_t)i * (uint64_t)v->stride[d];
            if (d == 4) place = i;
        }
        uintptr_t p = (uintptr_t)v->base + (uintptr_t)(offset * size);
        int64_t k = v->stride[4] == 1 ? ptrt_min64(n, v->shape[4] - place) : 1;
        int code = store ? move_run(m, p, at, k) : move_run(m, at, p, k);
        if (code != PTRT_OK) return code;
        at += (uintptr_t)((uint64_t)k * size);
        first += k;
        n -= k;
    }
    return PTRT_OK;
}

typedef struct Reduction {
    Mover mover;
    ptrt_map2_fn body;
    const ptrt_view *dst;
    const ptrt_view *const *group;
    int n, root;
} Reduction;

static int reduce_chunk(const Reduction *r, int64_t first, int64_t n) {
    _Alignas(64) unsigned char sum[CHUNK * 8], next[CHUNK * 8];
    int code = move_span(&r->mover, r->group[r->root], first, n, sum, false);
    for (int i = 0; i < r->n && code == PTRT_OK; i++) {
        if (i == r->root) continue;
        code = move_span(&r->mover, r->group[i], first, n, next, false);
        if (code == PTRT_OK) code = r->body(sum, sum, next, 1, (size_t)n, ptrt_one_row);
    }
    return code == PTRT_OK ? move_span(&r->mover, r->dst, first, n, sum, true) : code;
}

int ptrt_comm_reduce(ptrt_core *core, uint32_t line, const ptrt_view *dst, int n,
                     const ptrt_view *const *group, int root, int op) {
    static const char name[] = "pto.comm.treduce";
    static const uint16_t kernels[] = {PTRT_TADD, PTRT_TMAX, PTRT_TMIN};
    int code = ptrt_comm_check(core, line, name, "dst", dst);
    if (code == PTRT_OK) code = check_group(core, line, name, n, group);
    if (code == PTRT_OK) code = check_shapes(core, line, name, "group", group[0], "dst", dst, true);
    if (code != PTRT_OK) return code;
    if (root < 0 || root >= n || op < 0 || op > PTRT_REDUCE_MIN)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: root %d of %d members, operation %d", name,
                         root, n, op);
    Reduction r = {{core, dst->elem, false},
                   (ptrt_map2_fn)core->bodies->one[kernels[op]][dst->elem],
                   dst,
                   group,
                   n,
                   root};
    if (!r.body)
        return ptrt_fail(core, PTRT_E_TYPE, line, "%s: elements of this type cannot be reduced",
                         name);
    if (is_empty(dst)) return PTRT_OK;
    int64_t all = dst->shape[0];
    for (int d = 1; d < DIMS; d++)
        if (__builtin_mul_overflow(all, dst->shape[d], &all)) all = INT64_MAX;
    for (int64_t i = 0; i < all && code == PTRT_OK; i += CHUNK)
        code = reduce_chunk(&r, i, ptrt_min64(CHUNK, all - i));
    return code == PTRT_OK ? PTRT_OK : ptrt_comm_failed(core, line, name, code);
}
