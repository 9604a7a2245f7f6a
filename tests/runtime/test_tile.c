/* SPDX-License-Identifier: Apache-2.0 */
/* test_tile.c - binding, bounds, valid regions, subviews, reinterpretation, overlap, views,
 * reductions. */
#include "codec.h"
#include "layout.h"
#include "on_core.h"

static const ptrt_tile_type nd = {
    .elem = PTRT_F32, .space = PTRT_VEC, .fractal = 512, .rows = 16, .cols = 64};

typedef struct bind_case {
    ptrt_tile_type type;
    int64_t addr, vrow, vcol;
} bind_case;

static int bind(ptrt_core *core, void *arg) {
    const bind_case *b = arg;
    ptrt_tile t;
    return ptrt_tile_bind(core, &b->type, b->addr, b->vrow, b->vcol, 21, &t);
}

static int bind_code(int64_t addr, int64_t vrow, int64_t vcol) {
    bind_case b = {nd, addr, vrow, vcol};
    return on_core(bind, &b);
}

static void test_bind(void **state) {
    (void)state;
    assert_int_equal(bind_code(0, 16, 64), 0);
    assert_int_equal(bind_code(SPACE_BYTES - 4096, 0, 0), 0);
    assert_int_equal(bind_code(SPACE_BYTES - 4064, 1, 1), PTRT_E_BOUNDS);
    assert_string_equal(
        ptrt_error(), "test.pto:21: tile of 4096 bytes at address 61472 leaves vec (65536 bytes)");
    assert_int_equal(bind_code(INT64_MAX - 31, 1, 1), PTRT_E_BOUNDS);
    assert_int_equal(bind_code(-32, 1, 1), PTRT_E_BOUNDS);
    assert_int_equal(bind_code(16, 1, 1), PTRT_E_ALIGN);
    assert_string_equal(ptrt_error(), "test.pto:21: tile address 16 is not a multiple of 32");
    assert_int_equal(bind_code(0, 17, 1), PTRT_E_VALID);
    assert_string_equal(ptrt_error(), "test.pto:21: valid region 17x1 of a 16x64 tile");
    assert_int_equal(bind_code(0, 1, 65), PTRT_E_VALID);
    assert_int_equal(bind_code(0, -1, 1), PTRT_E_VALID);
    bind_case bad = {nd, 0, 1, 1};
    bad.type.elem = PTRT_ELEMS;
    assert_int_equal(on_core(bind, &bad), PTRT_E_TYPE);
    bad = (bind_case){nd, 0, 1, 1};
    bad.type.fractal = 100;
    assert_int_equal(on_core(bind, &bad), PTRT_E_TYPE);
    bad = (bind_case){nd, 0, 1, 1};
    bad.type.rows = INT64_MAX;
    assert_int_equal(on_core(bind, &bad), PTRT_E_TYPE);
    bad = (bind_case){nd, 0, 1, 1};
    bad.type.space = PTRT_LEFT; /* a space that this kernel does not use */
    assert_int_equal(on_core(bind, &bad), PTRT_E_BOUNDS);
}

/* Every layout's byte extent ends exactly after its last element. */
static int extents(ptrt_core *core, void *arg) {
    (void)arg;
    static const int elems[] = {PTRT_I8, PTRT_F16, PTRT_F32, PTRT_I64};
    for (size_t e = 0; e < 4; e++) {
        for (int layout = 0; layout < LAYOUTS; layout++) {
            ptrt_tile_type type = {
                .elem = (uint8_t)elems[e], .space = PTRT_VEC, .rows = 29, .cols = 61};
            ptrt_tile t;
            layout_set(&type, (Layout)layout);
            int code = ptrt_tile_bind(core, &type, 0, 0, 0, 1, &t);
            if (code != 0) return code;
            if (t.bytes != (uint64_t)layout_bytes(&type)) return PTRT_E_ASSERT;
        }
    }
    return 0;
}

static void test_extents(void **state) {
    (void)state;
    assert_int_equal(on_core(extents, NULL), 0);
}

static void test_caller_tile(void **state) {
    (void)state;
    _Alignas(8) unsigned char mem[4104];
    ptrt_tile t;
    assert_int_equal(ptrt_tile_init(&t, &nd, mem, 4096, 3, 4), 0);
    assert_ptr_equal(t.base + t.addr, mem);
    assert_int_equal(t.vrow, 3);
    /* Rows of boxes of 16x16, of which the shape has parts. */
    ptrt_tile_type part = nd;
    part.slayout = PTRT_BOX_ROW_MAJOR;
    part.fractal = 1024;
    part.rows = 33;
    part.cols = 4;
    assert_int_equal(ptrt_tile_init(&t, &part, mem, sizeof mem, 33, 4), 0);
    for (int64_t r = 0; r < 33; r++)
        for (int64_t c = 0; c < 4; c++)
            assert_true(((uint64_t)(r / 16 * t.row.outer + r % 16 * t.row.inner + c) + 1) * 4 <=
                        t.bytes);
    assert_int_equal(ptrt_tile_init(&t, &nd, mem, 4095, 3, 4), PTRT_E_BOUNDS);
    assert_int_equal(ptrt_tile_init(&t, &nd, NULL, 4096, 3, 4), PTRT_E_BOUNDS);
    assert_int_equal(ptrt_tile_init(&t, &nd, mem + 2, 4096, 3, 4), PTRT_E_ALIGN);
    assert_int_equal(ptrt_tile_init(&t, &nd, mem, 4096, 17, 4), PTRT_E_VALID);
}

static int change(ptrt_core *core, void *arg) {
    (void)arg;
    ptrt_tile t, s, u;
    int code = ptrt_tile_bind(core, &nd, 0, 16, 64, 1, &t);
    if (code != 0) return code;
    if (ptrt_tile_set_valid(core, 2, &t, 17, 1) != PTRT_E_VALID || t.vrow != 16) return 100;
    if (ptrt_tile_set_valid(core, 2, &t, 5, 6) != 0 || t.vrow != 5 || t.vcol != 6) return 101;
    if (ptrt_tile_assign(core, 3, &t, 33, &t) != PTRT_E_ALIGN || t.addr != 0) return 102;
    if (ptrt_tile_assign(core, 3, &t, SPACE_BYTES, &t) != PTRT_E_BOUNDS) return 103;
    if (ptrt_tile_assign(core, 3, &t, 4096, &t) != 0 || t.addr != 4096 || t.vrow != 5) return 104;
    if (ptrt_tile_subview(core, 4, &t, 1, 2, 15, 62, 15, 62, &s) != 0) return 105;
    if (s.addr != 4096 + (64 + 2) * 4 || s.bytes != (14 * 64 + 62) * 4) return 106;
    if (ptrt_tile_subview(core, 4, &t, 1, 2, 16, 62, 16, 1, &s) != PTRT_E_BOUNDS) return 107;
    if (ptrt_tile_subview(core, 4, &t, INT64_MAX, 0, 2, 2, 1, 1, &s) != PTRT_E_BOUNDS) return 108;
    /* Only the valid region must lie in the source; a window without one may be anywhere. */
    if (ptrt_tile_subview(core, 4, &t, 1, 2, 16, 64, 15, 62, &s) != 0) return 112;
    if (s.rows != 15 || s.cols != 62 || s.bytes != (14 * 64 + 62) * 4) return 113;
    if (ptrt_tile_set_valid(core, 4, &s, 16, 62) != PTRT_E_VALID) return 114;
    if (ptrt_tile_subview(core, 4, &t, 16, INT64_MIN, 2, 2, 2, 0, &s) != 0) return 115;
    if (s.bytes != 0 || ptrt_tile_set_valid(core, 4, &s, 1, 1) != PTRT_E_VALID) return 116;
    if (ptrt_overlap(&s, &t) || ptrt_overlap(&t, &s)) return 117;
    ptrt_tile_type column = nd;
    column.rows = 64 * 16;
    column.cols = 1;
    column.blayout = PTRT_COL_MAJOR;
    if (ptrt_tile_recast(core, 5, &t, &column, 1024, 1, &u) != 0) return 109;
    if (u.addr != t.addr || u.rows != 1024 || u.row.inner != 1) return 110;
    column.rows = SPACE_BYTES;
    if (ptrt_tile_recast(core, 5, &t, &column, 1, 1, &u) != PTRT_E_BOUNDS) return 111;
    return PTRT_E_ASSERT; /* the failures above are recorded: the launch fails anyway */
}

static void test_change(void **state) {
    (void)state;
    int code = on_core(change, NULL);
    assert_int_equal(code, PTRT_E_VALID);
    assert_string_equal(ptrt_error(), "test.pto:2: valid region 17x1 of a 16x64 tile");
}

static int change_result(ptrt_core *core, void *arg) {
    *(int *)arg = change(core, NULL);
    return 0;
}

static void test_change_steps(void **state) {
    (void)state;
    int step = 0;
    on_core(change_result, &step);
    assert_int_equal(step, PTRT_E_ASSERT);
}

/* The window's own offsets, from its address. */
static bool window_matches(const ptrt_tile *s, const ptrt_tile_type *parent) {
    int64_t start = layout_at(parent, 16, 32);
    if (s->addr != 64 + (uint64_t)start * 2) return false;
    for (int64_t r = 0; r < 16; r++) {
        for (int64_t c = 0; c < 32; c++) {
            int64_t own = r / s->row.box * s->row.outer + r % s->row.box * s->row.inner +
                          c / s->col.box * s->col.outer + c % s->col.box * s->col.inner;
            if (own != layout_at(parent, r + 16, c + 32) - start) return false;
        }
    }
    return true;
}

static int boxed_subview(ptrt_core *core, void *arg) {
    (void)arg;
    for (int layout = 0; layout < LAYOUTS; layout++) {
        ptrt_tile_type type = {.elem = PTRT_F16, .space = PTRT_VEC, .rows = 32, .cols = 64};
        ptrt_tile t, s;
        layout_set(&type, (Layout)layout);
        int code = ptrt_tile_bind(core, &type, 64, 32, 64, 1, &t);
        if (code == 0) code = ptrt_tile_subview(core, 1, &t, 16, 32, 16, 32, 16, 32, &s);
        if (code != 0) return code;
        if (!window_matches(&s, &type)) return PTRT_E_ASSERT;
    }
    return 0;
}

static void test_boxed_subview(void **state) {
    (void)state;
    assert_int_equal(on_core(boxed_subview, NULL), 0);
}

typedef struct overlap_case {
    int64_t row, col; /* of a second 4x16 window; the first is at (4, 16) */
    int64_t addr;     /* of its parent */
    bool boxed;
} overlap_case;

static int overlap(ptrt_core *core, void *arg) {
    const overlap_case *o = arg;
    ptrt_tile_type type = nd;
    type.cols = 63;
    type.rows = 64;
    if (o->boxed) {
        type.cols = 64;
        type.slayout = PTRT_BOX_ROW_MAJOR;
    }
    ptrt_tile p, q, a, b;
    int code = ptrt_tile_bind(core, &type, 0, 1, 1, 1, &p);
    if (code == 0) code = ptrt_tile_bind(core, &type, o->addr, 1, 1, 1, &q);
    int64_t rows = o->boxed ? 16 : 4;
    if (code == 0) code = ptrt_tile_subview(core, 1, &p, o->boxed ? 16 : 4, 16, rows, 16, 1, 1, &a);
    if (code == 0) code = ptrt_tile_subview(core, 1, &q, o->row, o->col, rows, 16, 1, 1, &b);
    if (code != 0) return code;
    return ptrt_overlap(&a, &b) ? PTRT_E_OVERLAP : 0;
}

static int overlaps(int64_t row, int64_t col, int64_t addr, bool boxed) {
    overlap_case o = {row, col, addr, boxed};
    return on_core(overlap, &o);
}

static void test_overlap(void **state) {
    (void)state;
    for (int64_t row = 0; row <= 12; row++) {
        for (int64_t col = 0; col <= 47; col++) {
            bool want = row > 0 && row < 8 && col > 0 && col < 32;
            assert_int_equal(overlaps(row, col, 0, false), want ? PTRT_E_OVERLAP : 0);
        }
    }
    assert_int_equal(overlaps(4, 16, 0, false), PTRT_E_OVERLAP);
    /* A parent 32 bytes further: 8 elements to the right, or off the grid of the first one. */
    assert_int_equal(overlaps(4, 24, 32, false), 0);
    assert_int_equal(overlaps(4, 23, 32, false), PTRT_E_OVERLAP);
    assert_int_equal(overlaps(4, 0, 32, false), PTRT_E_OVERLAP);
    assert_int_equal(overlaps(3, 47, 32, false), 0);
    /* Boxes: windows beside each other interleave, but share nothing. */
    assert_int_equal(overlaps(16, 16, 0, true), PTRT_E_OVERLAP);
    assert_int_equal(overlaps(16, 32, 0, true), 0);
    assert_int_equal(overlaps(32, 16, 0, true), 0);
    assert_int_equal(overlaps(16, 8, 0, true), PTRT_E_OVERLAP);
}

static int expect(ptrt_core *core, void *arg) {
    const bind_case *b = arg;
    static float mem[1024];
    ptrt_tile t;
    int code = ptrt_tile_init(&t, &nd, mem, sizeof mem, 7, 8);
    return code ? code : ptrt_tile_expect(core, 2, &t, &b->type, b->vrow, b->vcol);
}

static void test_expect(void **state) {
    (void)state;
    bind_case b = {nd, 0, 7, 8};
    assert_int_equal(on_core(expect, &b), 0);
    b.vrow = b.vcol = PTRT_ABSENT;
    assert_int_equal(on_core(expect, &b), 0);
    b.vrow = 6;
    assert_int_equal(on_core(expect, &b), PTRT_E_VALID);
    b.vrow = 7;
    b.type.elem = PTRT_I32;
    assert_int_equal(on_core(expect, &b), PTRT_E_TYPE);
    b.type = nd;
    b.type.blayout = PTRT_COL_MAJOR;
    assert_int_equal(on_core(expect, &b), PTRT_E_TYPE);
}

/* ---- Views ---- */

static int views(ptrt_core *core, void *arg) {
    float *data = arg;
    const int64_t shape[] = {4, 8, 16}, stride[] = {200, 20, 1};
    const int64_t off[] = {1, 2, 3}, size[] = {1, 6, 5};
    ptrt_view v, w;
    int64_t d;
    int code = ptrt_view_make(core, 1, data, PTRT_F32, 3, shape, stride, PTRT_VIEW_ND, &v);
    if (code == 0) code = ptrt_view_part(core, 2, &v, off, size, 2, &w);
    if (code != 0) return code;
    if (v.shape[1] != 1 || v.stride[1] != 800 || v.shape[2] != 4) return 100;
    if (w.base != (unsigned char *)(data + 243) || w.shape[3] != 6 || w.stride[3] != 20) return 101;
    if (ptrt_view_dim(core, 3, &v, 0, &d) != 0 || d != 4) return 102;
    if (ptrt_view_dim(core, 3, &w, 0, &d) != 0 || d != 6) return 103;
    if (ptrt_view_stride(core, 3, &w, 1, &d) != 0 || d != 1) return 104;
    return ptrt_view_dim(core, 3, &w, 2, &d) != 0 || d != 0 ? PTRT_E_BOUNDS : 0;
}

/* A result of lower rank loses dimensions of extent 1, and only those. */
static int lower_rank(ptrt_core *core, void *arg) {
    const int64_t shape[] = {3, 4, 5, 6}, stride[] = {1000, 100, 10, 1}, off[] = {2, 0, 1, 0};
    const int64_t size[] = {1, 4, 1, 6};
    ptrt_view v, w, x;
    int code = ptrt_view_make(core, 1, arg, PTRT_F32, 4, shape, stride, PTRT_VIEW_DN, &v);
    if (code == 0) code = ptrt_view_part(core, 2, &v, off, size, 2, &w);
    if (code == 0) code = ptrt_view_part(core, 2, &v, off, size, 1, &x);
    if (code != 0) return code;
    if (w.base != (unsigned char *)((float *)arg + 2010) || w.layout != PTRT_VIEW_DN) return 100;
    if (w.shape[3] != 4 || w.stride[3] != 100 || w.shape[4] != 6 || w.stride[4] != 1) return 101;
    if (w.shape[2] != 1 || w.stride[2] != 400 || w.rank != 2) return 102;
    if (x.shape[3] != 4 || x.shape[4] != 6 || x.rank != 1) return 103;
    return ptrt_view_part(core, 7, &v, off, size, 5, &v);
}

static void test_lower_rank(void **state) {
    (void)state;
    static float data[4000];
    assert_int_equal(on_core(lower_rank, data), PTRT_E_ARG);
    assert_string_equal(ptrt_error(), "test.pto:7: pto.partition_view: rank 5 of a view of rank 4");
}

static int part_outside(ptrt_core *core, void *arg) {
    const int64_t shape[] = {4}, stride[] = {1}, off[] = {2}, size[] = {3};
    ptrt_view v, w;
    int code = ptrt_view_make(core, 1, arg, PTRT_F32, 1, shape, stride, PTRT_VIEW_ND, &v);
    return code ? code : ptrt_view_part(core, 2, &v, off, size, 1, &w);
}

static int scalar_outside(ptrt_core *core, void *arg) {
    return ptrt_check_gm(core, 4, "pto.load_scalar", arg, 16, 4);
}

static void test_views(void **state) {
    (void)state;
    static float data[1000];
    assert_int_equal(on_core(views, data), 0);
    assert_int_equal(on_checked_core(views, data), PTRT_E_BOUNDS);
    assert_string_equal(ptrt_error(),
                        "test.pto:3: pto.get_tensor_view_dim: dimension 2 of a view of rank 2");
    assert_int_equal(on_core(part_outside, data), 0);
    assert_int_equal(on_checked_core(part_outside, data), PTRT_E_BOUNDS);
    assert_int_equal(ptrt_region_add(data + 1, 64), 0);
    assert_int_equal(on_checked_core(scalar_outside, data + 1), PTRT_E_BOUNDS);
    assert_string_equal(ptrt_error(),
                        "test.pto:4: pto.load_scalar: element 16 lies outside every buffer");
    assert_int_equal(on_checked_core(scalar_outside, data), 0);
    ptrt_region_clear();
}

/* A reduction writes a row of 4 elements, which are 8 apart, also where one of them is valid. */
static int reduce_into_column(ptrt_core *core, void *arg) {
    const ptrt_tile_type wide = {
        .elem = PTRT_F32, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 8};
    ptrt_tile_type high = wide;
    ptrt_tile s, d;
    (void)arg;
    high.blayout = PTRT_COL_MAJOR;
    int code = ptrt_tile_bind(core, &wide, 0, 2, 4, 1, &s);
    if (code == 0) code = ptrt_tile_bind(core, &high, 1024, 8, 1, 1, &d);
    if (code != 0) return code;
    float *from = (float *)(void *)s.at, *to = (float *)(void *)d.at;
    for (int i = 0; i < 64; i++) {
        from[i] = (float)i;
        to[i] = -1;
    }
    code = ptrt_colreduce(core, 2, PTRT_TCOLMAX, &s, &d);
    for (int i = 0; i < 64 && code == 0; i++)
        if (to[i] != (i % 8 == 0 && i < 32 ? 8 + (float)(i / 8) : -1)) code = 100 + i;
    return code;
}

static void test_reduce(void **state) {
    (void)state;
    assert_int_equal(on_core(reduce_into_column, NULL), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bind),         cmocka_unit_test(test_extents),
        cmocka_unit_test(test_caller_tile),  cmocka_unit_test(test_change),
        cmocka_unit_test(test_change_steps), cmocka_unit_test(test_boxed_subview),
        cmocka_unit_test(test_overlap),      cmocka_unit_test(test_expect),
        cmocka_unit_test(test_views),        cmocka_unit_test(test_lower_rank),
        cmocka_unit_test(test_reduce),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
