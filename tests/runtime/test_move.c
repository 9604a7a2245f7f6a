/* test_move.c - tload, tstore and the tfillpad forms: every pair of view and tile layout, element
 * size, partial region and pad, with every byte compared. */
#include "reference.h"

#include <stdio.h>

typedef struct context {
    unsigned char *mem, *want;
    unsigned char *gm, *gm_want;
    uint32_t seed;
    int bad;
} context;

#define GM_BYTES 66048

static bool setup(ptrt_core *core, context *x) {
    void *p;
    if (ptrt_space_at(core, 0, PTRT_VEC, 0, 0, 1, &p) != 0) return false;
    x->mem = p;
    x->want = malloc(SPACE_BYTES);
    x->gm = malloc(GM_BYTES);
    x->gm_want = malloc(GM_BYTES);
    return x->want && x->gm && x->gm_want;
}

static void teardown(context *x) {
    free(x->want);
    free(x->gm);
    free(x->gm_want);
}

static void noise(context *x) {
    ref_noise(x->mem, SPACE_BYTES, &x->seed);
    memcpy(x->want, x->mem, SPACE_BYTES);
    ref_noise(x->gm, GM_BYTES, &x->seed);
    memcpy(x->gm_want, x->gm, GM_BYTES);
}

static void compare(context *x, const char *what, const ptrt_tile_type *t, const ptrt_view *v) {
    if (memcmp(x->mem, x->want, SPACE_BYTES) == 0 && memcmp(x->gm, x->gm_want, GM_BYTES) == 0)
        return;
    if (x->bad++ == 0)
        fprintf(stderr, "%s: elem %d layout %d/%d/%d view layout %d rank %d differs\n", what,
                t->elem, t->blayout, t->slayout, t->fractal, v ? v->layout : -1, v ? v->rank : 0);
}

/* Element offset of (r, c) in a view, by the table of view layouts. */
static int64_t view_offset(const ptrt_view *v, int64_t r, int64_t c) {
    const int64_t *s = v->shape, *t = v->stride;
    int64_t i[5] = {0};
    switch (v->layout) {
    case PTRT_VIEW_ND:
        i[4] = c;
        i[3] = r % s[3];
        i[2] = r / s[3] % s[2];
        i[1] = r / (s[3] * s[2]) % s[1];
        i[0] = r / (s[3] * s[2] * s[1]);
        break;
    case PTRT_VIEW_DN:
        i[4] = c % s[4];
        i[3] = r;
        i[2] = c / s[4] % s[2];
        i[1] = c / (s[4] * s[2]) % s[1];
        i[0] = c / (s[4] * s[2] * s[1]);
        break;
    case PTRT_VIEW_NZ:
        i[4] = c % s[4];
        i[3] = r % s[3];
        i[2] = r / s[3];
        i[1] = c / s[4] % s[1];
        i[0] = c / s[4] / s[1];
        break;
    case PTRT_VIEW_MX_A_ZZ:
        i[4] = c % 2;
        i[3] = r % 16;
        i[2] = c / 2;
        i[1] = r / 16;
        break;
    default:
        i[4] = r % 2;
        i[3] = c % 16;
        i[2] = r / 2;
        i[1] = c / 16;
    }
    int64_t o = 0;
    for (int k = 0; k < 5; k++)
        o += i[k] * t[k];
    return o;
}

typedef struct view_case {
    int layout, rank;
    int64_t shape[5], stride[5];
} view_case;

/* Each covers at least 32 rows and 64 columns, except the last two. */
static const view_case views[] = {
    {PTRT_VIEW_ND, 2, {32, 64}, {64, 1}},
    {PTRT_VIEW_ND, 2, {40, 70}, {75, 1}},
    {PTRT_VIEW_ND, 2, {32, 64}, {1, 33}},
    {PTRT_VIEW_ND, 5, {2, 2, 3, 3, 64}, {2500, 1230, 400, 65, 1}},
    {PTRT_VIEW_ND, 3, {4, 8, 64}, {512, 64, 1}},
    {PTRT_VIEW_ND, 3, {8, 4, 64}, {4, 33, 128}},
    {PTRT_VIEW_DN, 2, {32, 64}, {1, 32}},
    {PTRT_VIEW_DN, 2, {32, 64}, {1, 40}},
    {PTRT_VIEW_DN, 5, {2, 2, 4, 32, 5}, {3000, 1400, 350, 2, 65}},
    {PTRT_VIEW_NZ, 5, {1, 8, 2, 16, 8}, {4096, 256, 128, 8, 1}},
    {PTRT_VIEW_NZ, 5, {2, 4, 3, 16, 8}, {2000, 400, 130, 8, 1}},
    {PTRT_VIEW_MX_A_ZZ, 5, {1, 2, 32, 16, 2}, {2048, 1024, 32, 2, 1}},
    {PTRT_VIEW_MX_B_NN, 5, {1, 4, 16, 16, 2}, {2048, 512, 32, 2, 1}},
    {PTRT_VIEW_ND, 1, {64}, {1}},
    {PTRT_VIEW_ND, 2, {32, 64}, {-64, 1}},
};
#define VIEWS (sizeof views / sizeof *views)

static const int64_t valids[][2] = {{32, 64}, {0, 0},  {0, 9},   {9, 0},   {1, 1},
                                    {1, 64},  {32, 1}, {31, 63}, {17, 33}, {13, 37}};
#define VALIDS (sizeof valids / sizeof *valids)

static const int elems[] = {PTRT_I8, PTRT_U16, PTRT_BF16, PTRT_F32, PTRT_I64, PTRT_F8E5M2};
#define ELEMS (sizeof elems / sizeof *elems)

static void want_load(context *x, const ptrt_tile_type *t, int64_t addr, const ptrt_view *v,
                      int64_t vr, int64_t vc) {
    uint32_t size = ref_size(t->elem);
    for (int64_t r = 0; r < t->rows; r++) {
        for (int64_t c = 0; c < t->cols; c++) {
            unsigned char *at = x->want + addr + ref_offset(t, r, c) * size;
            if (r < vr && c < vc)
                memcpy(at, v->base + view_offset(v, r, c) * size, size);
            else if (t->pad != PTRT_PAD_NULL)
                ref_put(at, size, ref_pad(t->elem, t->pad));
        }
    }
}

static int one_transfer(ptrt_core *core, context *x, ptrt_tile_type t, const view_case *vc,
                        const int64_t *valid, int pad) {
    t.pad = (uint8_t)pad;
    int64_t rows = valid[0] < t.rows ? valid[0] : t.rows;
    int64_t cols = valid[1] < t.cols ? valid[1] : t.cols;
    if (vc->rank == 1 && rows > 1) rows = 1;
    uint32_t size = ref_size(t.elem);
    ptrt_tile tile;
    ptrt_view v;
    int64_t start = vc->stride[0] < 0 ? 64 * 31 : 3;
    int code = ptrt_tile_bind(core, &t, 96, rows, cols, 1, &tile);
    if (code == 0)
        code = ptrt_view_make(core, 1, x->gm + start * size, t.elem, vc->rank, vc->shape,
                              vc->stride, vc->layout, &v);
    if (code != 0) return code;
    noise(x);
    want_load(x, &t, 96, &v, rows, cols);
    code = ptrt_tload(core, 1, &v, &tile);
    compare(x, "tload", &t, &v);
    if (code != 0) return code;
    noise(x);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            memcpy(x->gm_want + (start + view_offset(&v, r, c)) * size,
                   x->mem + 96 + ref_offset(&t, r, c) * size, size);
    code = ptrt_tstore(core, 1, &tile, &v);
    compare(x, "tstore", &t, &v);
    return code;
}

static int transfers(ptrt_core *core, void *arg) {
    context *x = arg;
    int code = setup(core, x) ? 0 : PTRT_E_NOMEM;
    for (size_t e = 0; e < ELEMS && code == 0; e++) {
        ptrt_tile_type types[16];
        int n = ref_types(elems[e], PTRT_VEC, types);
        for (int i = 0; i < n && code == 0; i++)
            for (size_t k = 0; k < VIEWS && code == 0; k++)
                for (size_t v = (size_t)i % 3; v < VALIDS && code == 0; v += 3)
                    code =
                        one_transfer(core, x, types[i], &views[k], valids[v], (int)((v + k) % 4));
    }
    teardown(x);
    return code;
}

static void test_transfers(void **state) {
    (void)state;
    context x = {.seed = 1};
    assert_int_equal(on_core(transfers, &x), 0);
    assert_int_equal(x.bad, 0);
    /* The same in checked mode: none of these leaves its view. */
    x.seed = 2;
    assert_int_equal(on_checked_core(transfers, &x), 0);
    assert_int_equal(x.bad, 0);
}

static void want_fill(context *x, const ptrt_tile_type *s, int64_t s0, const ptrt_tile_type *d,
                      int64_t d0, int64_t vr, int64_t vc) {
    uint32_t size = ref_size(d->elem);
    for (int64_t r = 0; r < d->rows; r++) {
        for (int64_t c = 0; c < d->cols; c++) {
            unsigned char *at = x->want + d0 + ref_offset(d, r, c) * size;
            if (r < vr && c < vc)
                memcpy(at, x->mem + s0 + ref_offset(s, r, c) * size, size);
            else
                ref_put(at, size, ref_pad(d->elem, d->pad));
        }
    }
}

enum form { NORMAL, IN_PLACE, EXPAND, FORMS };

static int one_fill(ptrt_core *core, context *x, ptrt_tile_type t, const int64_t *valid, int pad,
                    enum form form) {
    ptrt_tile_type big = t;
    if (form == EXPAND) {
        big.rows += 32;
        big.cols += 64;
    }
    big.pad = (uint8_t)pad;
    int64_t rows = valid[0] < t.rows ? valid[0] : t.rows;
    int64_t cols = valid[1] < t.cols ? valid[1] : t.cols;
    /* 64 x 128 elements of 8 bytes do not fit twice. */
    if (form == EXPAND && ref_size(t.elem) == 8) return 0;
    int64_t d0 = form == IN_PLACE ? 32 : 20480;
    ptrt_tile s, d;
    int code = ptrt_tile_bind(core, &t, 32, rows, cols, 1, &s);
    if (code == 0) code = ptrt_tile_bind(core, &big, d0, big.rows, 1, 1, &d);
    if (code != 0) return code;
    noise(x);
    want_fill(x, &t, 32, &big, d0, rows, cols);
    code = form == NORMAL     ? ptrt_tfillpad(core, 1, &s, &d, PTRT_ABSENT)
           : form == IN_PLACE ? ptrt_tfillpad_inplace(core, 1, &s, &d)
                              : ptrt_tfillpad_expand(core, 1, &s, &d);
    compare(x, "tfillpad", &t, NULL);
    return code;
}

static int fills(ptrt_core *core, void *arg) {
    context *x = arg;
    int code = setup(core, x) ? 0 : PTRT_E_NOMEM;
    for (int elem = 0; elem < 12 && code == 0; elem++) {
        ptrt_tile_type types[16];
        int n = ref_types(elem, PTRT_VEC, types);
        for (int i = 0; i < n && code == 0; i++)
            for (size_t v = 0; v < VALIDS && code == 0; v++)
                for (int form = 0; form < FORMS && code == 0; form++)
                    code = one_fill(core, x, types[i], valids[v], (int)(v + (size_t)i) % 3 + 1,
                                    (enum form)form);
    }
    teardown(x);
    return code;
}

static void test_fillpad(void **state) {
    (void)state;
    context x = {.seed = 3};
    assert_int_equal(on_core(fills, &x), 0);
    assert_int_equal(x.bad, 0);
}

/* An empty destination switches fillpad off; an explicit pad value wins over the tile's. */
static int fill_details(ptrt_core *core, void *arg) {
    context *x = arg;
    static const ptrt_tile_type type = {.elem = PTRT_U8,
                                        .space = PTRT_VEC,
                                        .fractal = 512,
                                        .pad = PTRT_PAD_MAX,
                                        .rows = 4,
                                        .cols = 32};
    ptrt_tile s, d;
    int code = setup(core, x) ? 0 : PTRT_E_NOMEM;
    if (code == 0) code = ptrt_tile_bind(core, &type, 0, 2, 2, 1, &s);
    if (code == 0) code = ptrt_tile_bind(core, &type, 1024, 0, 32, 1, &d);
    if (code == 0) {
        noise(x);
        code = ptrt_tfillpad(core, 1, &s, &d, PTRT_ABSENT);
        compare(x, "tfillpad of an empty dst", &type, NULL);
    }
    if (code == 0) code = ptrt_tile_set_valid(core, 1, &d, 4, 32);
    if (code == 0) {
        ptrt_tile_type zero = type;
        zero.pad = PTRT_PAD_ZERO;
        noise(x);
        want_fill(x, &type, 0, &zero, 1024, 2, 2);
        code = ptrt_tfillpad(core, 1, &s, &d, PTRT_PAD_ZERO);
        compare(x, "tfillpad with its own pad", &type, NULL);
    }
    teardown(x);
    return code;
}

static void test_fill_details(void **state) {
    (void)state;
    context x = {.seed = 4};
    assert_int_equal(on_core(fill_details, &x), 0);
    assert_int_equal(x.bad, 0);
}

static const ptrt_tile_type small = {
    .elem = PTRT_F32, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 8};

static int fill_smaller(ptrt_core *core, void *arg) {
    (void)arg;
    ptrt_tile_type less = small;
    less.rows = 7;
    ptrt_tile s, d;
    int code = ptrt_tile_bind(core, &small, 0, 8, 8, 1, &s);
    if (code == 0) code = ptrt_tile_bind(core, &less, 1024, 7, 8, 1, &d);
    return code ? code : ptrt_tfillpad_expand(core, 8, &s, &d);
}

static void test_fill_smaller(void **state) {
    (void)state;
    assert_int_equal(on_core(fill_smaller, NULL), PTRT_E_VALID);
    assert_string_equal(ptrt_error(),
                        "test.pto:8: pto.tfillpad_expand: src (8x8) is larger than dst (7x8)");
}

typedef struct bounds_case {
    int64_t rows, cols; /* of the view */
    bool store, wrong_size, null_base;
    float data[64];
} bounds_case;

static int out_of_view(ptrt_core *core, void *arg) {
    bounds_case *b = arg;
    ptrt_tile t;
    ptrt_view v;
    const int64_t shape[] = {b->rows, b->cols}, stride[] = {8, 1};
    int code = ptrt_tile_bind(core, &small, 0, 8, 8, 1, &t);
    if (code == 0)
        code =
            ptrt_view_make(core, 1, b->null_base ? NULL : b->data,
                           b->wrong_size ? PTRT_F16 : PTRT_F32, 2, shape, stride, PTRT_VIEW_ND, &v);
    if (code != 0) return code;
    return b->store ? ptrt_tstore(core, 5, &t, &v) : ptrt_tload(core, 5, &v, &t);
}

static void test_out_of_view(void **state) {
    (void)state;
    bounds_case b = {.rows = 7, .cols = 8};
    assert_int_equal(on_checked_core(out_of_view, &b), PTRT_E_BOUNDS);
    assert_string_equal(ptrt_error(),
                        "test.pto:5: pto.tload: 8x8 valid elements, but the view has 7x8");
    b.store = true;
    b.rows = 8;
    b.cols = 7;
    assert_int_equal(on_checked_core(out_of_view, &b), PTRT_E_BOUNDS);
    b.cols = 0;
    assert_int_equal(on_core(out_of_view, &b), PTRT_E_BOUNDS);
    assert_string_equal(ptrt_error(), "test.pto:5: pto.tstore: the view is empty");
    b.cols = 8;
    b.null_base = true;
    assert_int_equal(on_core(out_of_view, &b), PTRT_E_BOUNDS);
    b.null_base = false;
    b.wrong_size = true;
    assert_int_equal(on_core(out_of_view, &b), PTRT_E_TYPE);
    b.wrong_size = false;
    assert_int_equal(on_core(out_of_view, &b), PTRT_OK);
}

/* Registered regions bound every access of checked mode, and of it alone. */
static void test_regions(void **state) {
    (void)state;
    bounds_case b = {.rows = 8, .cols = 8};
    assert_int_equal(ptrt_region_add(b.data, sizeof b.data - 4), 0);
    assert_int_equal(on_checked_core(out_of_view, &b), PTRT_E_BOUNDS);
    assert_string_equal(ptrt_error(),
                        "test.pto:5: pto.tload: the view reaches outside every buffer");
    assert_int_equal(on_core(out_of_view, &b), PTRT_OK);
    ptrt_region_clear();
    assert_int_equal(ptrt_region_add(b.data, sizeof b.data), 0);
    assert_int_equal(on_checked_core(out_of_view, &b), PTRT_OK);
    ptrt_region_clear();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transfers),    cmocka_unit_test(test_fillpad),
        cmocka_unit_test(test_fill_details), cmocka_unit_test(test_fill_smaller),
        cmocka_unit_test(test_out_of_view),  cmocka_unit_test(test_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
