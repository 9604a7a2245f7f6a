/* test_elementwise.c - tadd, tmul, tadds, tands, txors, texpands, ttri: every element type, layout
 * and partial valid region against the reference, with every byte of the space compared. */
#include "reference.h"

#include <stdio.h>

typedef int (*binary_fn)(ptrt_core *, uint32_t, const ptrt_tile *, const ptrt_tile *,
                         const ptrt_tile *);
/* The typed entry points behind one signature; k holds the scalar's bytes. */
typedef int (*scalar_fn)(ptrt_core *, const ptrt_tile *, const void *, const ptrt_tile *);
typedef int (*expand_fn)(ptrt_core *, const void *, const ptrt_tile *);
typedef int (*tri_fn)(ptrt_core *, uint32_t, int64_t, const ptrt_tile *, int);

#define WRAP(E, T)                                                                                 \
    static int adds_##E(ptrt_core *core, const ptrt_tile *s, const void *k, const ptrt_tile *d) {  \
        T v;                                                                                       \
        memcpy(&v, k, sizeof v);                                                                   \
        return ptrt_tadds_##E(core, 1, s, v, d);                                                   \
    }                                                                                              \
    static int expands_##E(ptrt_core *core, const void *k, const ptrt_tile *d) {                   \
        T v;                                                                                       \
        memcpy(&v, k, sizeof v);                                                                   \
        return ptrt_texpands_##E(core, 1, v, d);                                                   \
    }
PTRT_FOR_ARITH(WRAP)
#undef WRAP
#define WRAP(E, T)                                                                                 \
    static int ands_##E(ptrt_core *core, const ptrt_tile *s, const void *k, const ptrt_tile *d) {  \
        T v;                                                                                       \
        memcpy(&v, k, sizeof v);                                                                   \
        return ptrt_tands_##E(core, 1, s, v, d);                                                   \
    }                                                                                              \
    static int xors_##E(ptrt_core *core, const ptrt_tile *s, const void *k, const ptrt_tile *d) {  \
        T v;                                                                                       \
        memcpy(&v, k, sizeof v);                                                                   \
        return ptrt_txors_##E(core, 1, s, v, NULL, d);                                             \
    }
PTRT_FOR_INT(WRAP)
#undef WRAP

#define ELEMS 12
#define NAME(E, T) ptrt_tadd_##E,
static const binary_fn add_fns[ELEMS] = {PTRT_FOR_ARITH(NAME)};
#undef NAME
#define NAME(E, T) ptrt_tmul_##E,
static const binary_fn mul_fns[ELEMS] = {PTRT_FOR_ARITH(NAME)};
#undef NAME
#define NAME(E, T) adds_##E,
static const scalar_fn adds_fns[ELEMS] = {PTRT_FOR_ARITH(NAME)};
#undef NAME
#define NAME(E, T) ands_##E,
static const scalar_fn ands_fns[ELEMS] = {PTRT_FOR_INT(NAME)};
#undef NAME
#define NAME(E, T) xors_##E,
static const scalar_fn xors_fns[ELEMS] = {PTRT_FOR_INT(NAME)};
#undef NAME
#define NAME(E, T) expands_##E,
static const expand_fn expands_fns[ELEMS] = {PTRT_FOR_ARITH(NAME)};
#undef NAME
#define NAME(E, T) ptrt_ttri_##E,
static const tri_fn tri_fns[ELEMS] = {PTRT_FOR_ARITH(NAME)};
#undef NAME

static const int64_t valids[][2] = {{32, 64}, {0, 0},   {0, 9},   {9, 0},  {1, 1},  {1, 64},
                                    {32, 1},  {31, 63}, {17, 33}, {5, 16}, {16, 7}, {13, 37}};
#define VALIDS (sizeof valids / sizeof *valids)

/* Where the three tiles of a case lie: apart, in place, or overlapping by a few rows. */
enum place { APART, IN_PLACE, BOTH_IN_PLACE, PLACES };

typedef struct context {
    unsigned char *mem;  /* the vec space */
    unsigned char *want; /* what it must hold afterwards */
    uint32_t seed;
    int bad;
} context;

static bool setup(ptrt_core *core, context *x) {
    void *p;
    if (ptrt_space_at(core, 0, PTRT_VEC, 0, 0, 1, &p) != 0) return false;
    x->mem = p;
    x->want = malloc(SPACE_BYTES);
    return x->want != NULL;
}

static void compare(context *x, const ptrt_tile_type *t, int64_t addr, const char *what) {
    /* NaN payloads may differ: take over ours where both are NaN. */
    uint32_t size = ref_size(t->elem);
    for (int64_t r = 0; r < t->rows; r++) {
        for (int64_t c = 0; c < t->cols; c++) {
            int64_t at = addr + ref_offset(t, r, c) * size;
            uint64_t got = ref_get(x->mem + at, size), want = ref_get(x->want + at, size);
            if (got != want && ref_same(t->elem, got, want)) ref_put(x->want + at, size, got);
        }
    }
    if (memcmp(x->mem, x->want, SPACE_BYTES) == 0) return;
    if (x->bad++ == 0)
        fprintf(stderr, "%s: elem %d layout %d/%d/%d shape %lldx%lld differs\n", what, t->elem,
                t->blayout, t->slayout, t->fractal, (long long)t->rows, (long long)t->cols);
}

static int one_binary(ptrt_core *core, context *x, const ptrt_tile_type *t, const int64_t *v,
                      char op, enum place place) {
    int64_t a0 = 0, b0 = place == BOTH_IN_PLACE ? 0 : 20480, d0 = place == APART ? 40960 : 0;
    int64_t vr = v[0] < t->rows ? v[0] : t->rows, vc = v[1] < t->cols ? v[1] : t->cols;
    ptrt_tile a, b, d;
    int code = ptrt_tile_bind(core, t, a0, vr, vc, 1, &a);
    if (code == 0) code = ptrt_tile_bind(core, t, b0, vr, vc, 1, &b);
    if (code == 0) code = ptrt_tile_bind(core, t, d0, vr, vc, 1, &d);
    if (code != 0) return code;
    ref_noise(x->mem, SPACE_BYTES, &x->seed);
    memcpy(x->want, x->mem, SPACE_BYTES);
    uint32_t size = ref_size(t->elem);
    for (int64_t r = 0; r < vr; r++) {
        for (int64_t c = 0; c < vc; c++) {
            int64_t o = ref_offset(t, r, c) * size;
            ref_put(x->want + d0 + o, size,
                    ref_op(t->elem, op, ref_get(x->mem + a0 + o, size),
                           ref_get(x->mem + b0 + o, size)));
        }
    }
    code = (op == '+' ? add_fns : mul_fns)[t->elem](core, 1, &a, &b, &d);
    compare(x, t, d0, op == '+' ? "tadd" : "tmul");
    return code;
}

static int one_scalar(ptrt_core *core, context *x, const ptrt_tile_type *t, const int64_t *v,
                      char op, const scalar_fn *fns, enum place place) {
    int64_t d0 = place == APART ? 40960 : 0;
    int64_t vr = v[0] < t->rows ? v[0] : t->rows, vc = v[1] < t->cols ? v[1] : t->cols;
    ptrt_tile a, d;
    int code = ptrt_tile_bind(core, t, 0, vr, vc, 1, &a);
    if (code == 0) code = ptrt_tile_bind(core, t, d0, vr, vc, 1, &d);
    if (code != 0) return code;
    ref_noise(x->mem, SPACE_BYTES, &x->seed);
    memcpy(x->want, x->mem, SPACE_BYTES);
    uint32_t size = ref_size(t->elem);
    unsigned char k[8];
    ref_noise(k, sizeof k, &x->seed);
    if (ref_is_nan(t->elem, ref_get(k, size))) ref_put(k, size, ref_number(t->elem, 1));
    for (int64_t r = 0; r < vr; r++) {
        for (int64_t c = 0; c < vc; c++) {
            int64_t o = ref_offset(t, r, c) * size;
            ref_put(x->want + d0 + o, size,
                    ref_op(t->elem, op, ref_get(x->mem + o, size), ref_get(k, size)));
        }
    }
    code = fns[t->elem](core, &a, k, &d);
    compare(x, t, d0, op == '+' ? "tadds" : op == '&' ? "tands" : "txors");
    return code;
}

static int arithmetic(ptrt_core *core, void *arg) {
    context *x = arg;
    if (!setup(core, x)) return PTRT_E_NOMEM;
    int code = 0;
    for (int elem = 0; elem < ELEMS && code == 0; elem++) {
        ptrt_tile_type types[16];
        int n = ref_types(elem, PTRT_VEC, types);
        for (int i = 0; i < n && code == 0; i++) {
            for (size_t v = 0; v < VALIDS && code == 0; v++) {
                enum place p = (enum place)((v + (size_t)i) % PLACES);
                code = one_binary(core, x, &types[i], valids[v], '+', p);
                if (code == 0) code = one_binary(core, x, &types[i], valids[v], '*', p);
                if (code == 0) code = one_scalar(core, x, &types[i], valids[v], '+', adds_fns, p);
                if (elem >= 8 || code != 0) continue;
                code = one_scalar(core, x, &types[i], valids[v], '&', ands_fns, p);
                if (code == 0) code = one_scalar(core, x, &types[i], valids[v], '^', xors_fns, p);
            }
        }
    }
    free(x->want);
    return code;
}

static void test_arithmetic(void **state) {
    (void)state;
    context x = {.seed = 1};
    assert_int_equal(on_core(arithmetic, &x), 0);
    assert_int_equal(x.bad, 0);
}

/* Operands of different layouts, and windows of one parent side by side. */
static int mixed(ptrt_core *core, void *arg) {
    context *x = arg;
    if (!setup(core, x)) return PTRT_E_NOMEM;
    int code = 0;
    ptrt_tile_type types[16];
    int n = ref_types(PTRT_I32, PTRT_VEC, types);
    for (int i = 0; i < n && code == 0; i++) {
        for (int j = 0; j < n && code == 0; j++) {
            ptrt_tile a, b, d;
            code = ptrt_tile_bind(core, &types[i], 0, 13, 37, 1, &a);
            if (code == 0) code = ptrt_tile_bind(core, &types[(i + j) % n], 20480, 13, 37, 1, &b);
            if (code == 0) code = ptrt_tile_bind(core, &types[j], 40960, 13, 37, 1, &d);
            if (code != 0) break;
            ref_noise(x->mem, SPACE_BYTES, &x->seed);
            memcpy(x->want, x->mem, SPACE_BYTES);
            for (int64_t r = 0; r < 13; r++) {
                for (int64_t c = 0; c < 37; c++) {
                    uint64_t u = ref_get(x->mem + ref_offset(&types[i], r, c) * 4, 4);
                    uint64_t w =
                        ref_get(x->mem + 20480 + ref_offset(&types[(i + j) % n], r, c) * 4, 4);
                    ref_put(x->want + 40960 + ref_offset(&types[j], r, c) * 4, 4, u + w);
                }
            }
            code = ptrt_tadd_i32(core, 1, &a, &b, &d);
            compare(x, &types[j], 40960, "tadd of mixed layouts");
        }
    }
    free(x->want);
    return code;
}

static void test_mixed_layouts(void **state) {
    (void)state;
    context x = {.seed = 2};
    assert_int_equal(on_core(mixed, &x), 0);
    assert_int_equal(x.bad, 0);
}

static int windows(ptrt_core *core, void *arg) {
    context *x = arg;
    if (!setup(core, x)) return PTRT_E_NOMEM;
    static const ptrt_tile_type type = {
        .elem = PTRT_I32, .space = PTRT_VEC, .fractal = 512, .rows = 16, .cols = 64};
    ptrt_tile parent, left, right;
    int code = ptrt_tile_bind(core, &type, 0, 16, 64, 1, &parent);
    if (code == 0) code = ptrt_tile_subview(core, 1, &parent, 2, 0, 8, 24, 8, 24, &left);
    if (code == 0) code = ptrt_tile_subview(core, 1, &parent, 4, 24, 8, 24, 8, 23, &right);
    ref_noise(x->mem, SPACE_BYTES, &x->seed);
    memcpy(x->want, x->mem, SPACE_BYTES);
    for (int64_t r = 0; r < 8; r++)
        for (int64_t c = 0; c < 23; c++)
            ref_put(x->want + ((r + 4) * 64 + c + 24) * 4, 4,
                    ref_get(x->mem + ((r + 2) * 64 + c) * 4, 4) + 7);
    if (code == 0) code = ptrt_tadds_i32(core, 1, &left, 7, &right);
    compare(x, &type, 0, "tadds between windows");
    free(x->want);
    return code;
}

static void test_windows(void **state) {
    (void)state;
    context x = {.seed = 3};
    assert_int_equal(on_core(windows, &x), 0);
    assert_int_equal(x.bad, 0);
}

/* A window shifted over its source has no defined values, but stays inside dst. */
static int shifted(ptrt_core *core, void *arg) {
    context *x = arg;
    if (!setup(core, x)) return PTRT_E_NOMEM;
    static const ptrt_tile_type type = {
        .elem = PTRT_I32, .space = PTRT_VEC, .fractal = 512, .rows = 16, .cols = 64};
    ptrt_tile parent, from, to;
    int code = ptrt_tile_bind(core, &type, 0, 16, 64, 1, &parent);
    if (code == 0) code = ptrt_tile_subview(core, 1, &parent, 0, 0, 16, 60, 16, 60, &from);
    if (code == 0) code = ptrt_tile_subview(core, 1, &parent, 0, 3, 16, 60, 16, 60, &to);
    ref_noise(x->mem, SPACE_BYTES, &x->seed);
    memcpy(x->want, x->mem, SPACE_BYTES);
    /* Element by element, in row-major order, each step reads what earlier steps wrote. */
    for (int64_t r = 0; r < 16; r++)
        for (int64_t c = 0; c < 60; c++)
            ref_put(x->want + (r * 64 + c + 3) * 4, 4, ref_get(x->want + (r * 64 + c) * 4, 4) + 1);
    if (code == 0) code = ptrt_tadds_i32(core, 1, &from, 1, &to);
    compare(x, &type, 0, "tadds over a shifted window");
    free(x->want);
    return code;
}

static void test_shifted(void **state) {
    (void)state;
    context x = {.seed = 4};
    assert_int_equal(on_core(shifted, &x), 0);
    assert_int_equal(x.bad, 0);
}

static int fills(ptrt_core *core, void *arg) {
    context *x = arg;
    if (!setup(core, x)) return PTRT_E_NOMEM;
    static const int64_t diagonals[] = {0, 1, -1, 5, -7, 63, 64, -32, INT64_MAX, INT64_MIN};
    int code = 0;
    for (int elem = 0; elem < ELEMS && code == 0; elem++) {
        ptrt_tile_type types[16];
        int n = ref_types(elem, PTRT_VEC, types);
        uint32_t size = ref_size(elem);
        for (int i = 0; i < n && code == 0; i++) {
            for (size_t v = 0; v < VALIDS && code == 0; v++) {
                const ptrt_tile_type *t = &types[i];
                int64_t vr = valids[v][0] < t->rows ? valids[v][0] : t->rows;
                int64_t vc = valids[v][1] < t->cols ? valids[v][1] : t->cols;
                ptrt_tile d;
                code = ptrt_tile_bind(core, t, 64, vr, vc, 1, &d);
                if (code != 0) break;
                ref_noise(x->mem, SPACE_BYTES, &x->seed);
                memcpy(x->want, x->mem, SPACE_BYTES);
                unsigned char k[8];
                ref_noise(k, sizeof k, &x->seed);
                for (int64_t r = 0; r < vr; r++)
                    for (int64_t c = 0; c < vc; c++)
                        memcpy(x->want + 64 + ref_offset(t, r, c) * size, k, size);
                code = expands_fns[elem](core, k, &d);
                compare(x, t, 64, "texpands");
                int64_t diagonal = diagonals[(v + (size_t)i) % 10];
                int upper = (int)(v % 2);
                for (int64_t r = 0; r < vr; r++) {
                    for (int64_t c = 0; c < vc; c++) {
                        bool le = diagonal >= 64 || (diagonal > -64 && c <= r + diagonal);
                        bool lt = diagonal >= 65 || (diagonal > -64 && c < r + diagonal);
                        ref_put(x->want + 64 + ref_offset(t, r, c) * size, size,
                                ref_number(elem, upper ? !lt : le));
                    }
                }
                if (code == 0) code = tri_fns[elem](core, 1, diagonal, &d, upper);
                compare(x, t, 64, "ttri");
            }
        }
    }
    free(x->want);
    return code;
}

static void test_fills(void **state) {
    (void)state;
    context x = {.seed = 5};
    assert_int_equal(on_core(fills, &x), 0);
    assert_int_equal(x.bad, 0);
}

/* In mat the valid region does not matter to texpands. */
static int expand_mat(ptrt_core *core, void *arg) {
    (void)arg;
    static const ptrt_tile_type type = {.elem = PTRT_F16,
                                        .space = PTRT_MAT,
                                        .blayout = PTRT_COL_MAJOR,
                                        .slayout = PTRT_BOX_ROW_MAJOR,
                                        .fractal = 512,
                                        .rows = 32,
                                        .cols = 32};
    ptrt_tile d;
    int code = ptrt_tile_bind(core, &type, 0, 3, 3, 1, &d);
    memset(d.base, 0, 4096);
    if (code == 0) code = ptrt_texpands_f16(core, 1, 0x3C00, &d);
    for (int i = 0; i < 1024 && code == 0; i++)
        if (ref_get(d.base + i * 2, 2) != 0x3C00) code = PTRT_E_ASSERT;
    return code == 0 && ref_get(d.base + 2048, 2) != 0 ? PTRT_E_ASSERT : code;
}

static void test_expand_mat(void **state) {
    (void)state;
    assert_int_equal(on_core(expand_mat, NULL), 0);
}

/* tadds with fewer rows in src than in dst: the others keep their bytes. */
static int short_source(ptrt_core *core, void *arg) {
    context *x = arg;
    if (!setup(core, x)) return PTRT_E_NOMEM;
    static const ptrt_tile_type type = {
        .elem = PTRT_F32, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 8};
    ptrt_tile s, d;
    int code = ptrt_tile_bind(core, &type, 0, 3, 8, 1, &s);
    if (code == 0) code = ptrt_tile_bind(core, &type, 4096, 8, 8, 1, &d);
    memset(x->mem, 0, SPACE_BYTES);
    memset(x->want, 0, SPACE_BYTES);
    for (int i = 0; i < 24; i++)
        ref_put(x->want + 4096 + i * 4, 4, ptrt_bits_of_f32(2.5f));
    if (code == 0) code = ptrt_tadds_f32(core, 1, &s, 2.5f, &d);
    compare(x, &type, 4096, "tadds with a short source");
    free(x->want);
    return code;
}

static void test_short_source(void **state) {
    (void)state;
    context x = {.seed = 6};
    assert_int_equal(on_core(short_source, &x), 0);
    assert_int_equal(x.bad, 0);
}

static int too_small(ptrt_core *core, void *arg) {
    (void)arg;
    static const ptrt_tile_type small = {
        .elem = PTRT_F32, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 8};
    static const ptrt_tile_type large = {
        .elem = PTRT_F32, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 16};
    ptrt_tile s, d;
    int code = ptrt_tile_bind(core, &small, 0, 8, 8, 1, &s);
    if (code == 0) code = ptrt_tile_bind(core, &large, 4096, 8, 9, 1, &d);
    return code != 0 ? code : ptrt_tadd_f32(core, 31, &d, &s, &d);
}

static void test_source_too_small(void **state) {
    (void)state;
    assert_int_equal(on_core(too_small, NULL), PTRT_E_VALID);
    assert_string_equal(ptrt_error(),
                        "test.pto:31: pto.tadd: src1 has 8x8 elements, dst has 8x9 valid ones");
}

/* Every kernel refuses an operand whose bytes leave the space, wherever it stands. */
static int outside(ptrt_core *core, void *arg) {
    static const ptrt_tile_type type = {
        .elem = PTRT_I32, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 8};
    ptrt_tile t, bad;
    ptrt_view v;
    const int64_t shape[] = {8, 8}, stride[] = {8, 1};
    int32_t gm[64] = {0};
    int code = ptrt_tile_bind(core, &type, 0, 8, 8, 1, &t);
    if (code == 0) code = ptrt_view_make(core, 1, gm, PTRT_I32, 2, shape, stride, 0, &v);
    if (code != 0) return code;
    bad = t;
    bad.addr = SPACE_BYTES - 252;
    switch (*(int *)arg) {
    case 0:
        return ptrt_tadd_i32(core, 5, &bad, &t, &t);
    case 1:
        return ptrt_tmul_i32(core, 5, &t, &bad, &t);
    case 2:
        return ptrt_tadd_i32(core, 5, &t, &t, &bad);
    case 3:
        return ptrt_tadds_i32(core, 5, &bad, 1, &t);
    case 4:
        return ptrt_tadds_i32(core, 5, &t, 1, &bad);
    case 5:
        return ptrt_tands_i32(core, 5, &bad, 1, &t);
    case 6:
        return ptrt_txors_i32(core, 5, &t, 1, &bad, &t);
    case 7:
        return ptrt_texpands_i32(core, 5, 1, &bad);
    case 8:
        return ptrt_ttri_i32(core, 5, 0, &bad, 0);
    case 9:
        return ptrt_tload(core, 5, &v, &bad);
    case 10:
        return ptrt_tstore(core, 5, &bad, &v);
    case 11:
        return ptrt_tfillpad(core, 5, &bad, &t, PTRT_PAD_ZERO);
    default:
        return ptrt_tfillpad(core, 5, &t, &bad, PTRT_PAD_ZERO);
    }
}

static void test_outside(void **state) {
    (void)state;
    for (int i = 0; i <= 12; i++) {
        assert_int_equal(on_core(outside, &i), PTRT_E_BOUNDS);
        assert_non_null(strstr(ptrt_error(), "leaves its memory"));
    }
    int tmp = 6;
    on_core(outside, &tmp);
    assert_string_equal(ptrt_error(), "test.pto:5: pto.txors: tmp leaves its memory");
}

/* The scratch tile of txors keeps its bytes; an orientation that is none is refused. */
static int scratch(ptrt_core *core, void *arg) {
    context *x = arg;
    if (!setup(core, x)) return PTRT_E_NOMEM;
    static const ptrt_tile_type type = {
        .elem = PTRT_U16, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 16};
    ptrt_tile s, tmp, d;
    int code = ptrt_tile_bind(core, &type, 0, 8, 16, 1, &s);
    if (code == 0) code = ptrt_tile_bind(core, &type, 256, 8, 16, 1, &tmp);
    if (code == 0) code = ptrt_tile_bind(core, &type, 512, 8, 16, 1, &d);
    ref_noise(x->mem, SPACE_BYTES, &x->seed);
    memcpy(x->want, x->mem, SPACE_BYTES);
    for (int i = 0; i < 128; i++)
        ref_put(x->want + 512 + i * 2, 2, ref_get(x->mem + i * 2, 2) ^ 0x1234);
    if (code == 0) code = ptrt_txors_u16(core, 1, &s, 0x1234, &tmp, &d);
    compare(x, &type, 512, "txors with tmp");
    free(x->want);
    return code ? code : ptrt_ttri_u16(core, 6, 0, &d, 2);
}

static void test_scratch(void **state) {
    (void)state;
    context x = {.seed = 7};
    assert_int_equal(on_core(scratch, &x), PTRT_E_ARG);
    assert_string_equal(ptrt_error(), "test.pto:6: pto.ttri: orientation 2 is neither 0 nor 1");
    assert_int_equal(x.bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),   cmocka_unit_test(test_mixed_layouts),
        cmocka_unit_test(test_windows),      cmocka_unit_test(test_shifted),
        cmocka_unit_test(test_fills),        cmocka_unit_test(test_expand_mat),
        cmocka_unit_test(test_outside),      cmocka_unit_test(test_scratch),
        cmocka_unit_test(test_short_source), cmocka_unit_test(test_source_too_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
