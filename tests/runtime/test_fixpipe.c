/* SPDX-License-Identifier: Apache-2.0 */
/* What leaves an accumulator reaches the vector cores that its mode names; what blocks add to
 * global memory at once is all there. The arithmetic is the oracle's (tests/oracle). */
#include "on_core.h"

enum { ROWS = 16, COLS = 16, AT = 512 };

static const ptrt_tile_type acc = {.elem = PTRT_I32,
                                   .space = PTRT_ACC,
                                   .blayout = PTRT_COL_MAJOR,
                                   .slayout = PTRT_BOX_ROW_MAJOR,
                                   .fractal = 1024,
                                   .rows = ROWS,
                                   .cols = COLS};
static const ptrt_tile_type vec = {
    .elem = PTRT_I32, .space = PTRT_VEC, .fractal = 512, .rows = ROWS, .cols = COLS};

/* One move to vec: how, and what each vector core finds in its memory afterwards. */
typedef struct Move {
    int mode;
    bool inserts;
    int64_t rows, cols; /* valid region of dst, or (insert) of src */
    int32_t seen[2][ROWS][COLS];
} Move;

/* Element (i, j) of the accumulator. */
static int32_t number(int i, int j) {
    return 1 + i * COLS + j;
}

static int look(ptrt_core *core, Move *m) {
    ptrt_tile tile;
    int code = ptrt_wait_intra_block(core, 3, 1);
    if (code == 0) code = ptrt_tile_bind(core, &vec, AT, ROWS, COLS, 4, &tile);
    if (code == 0)
        memcpy(m->seen[ptrt_subblock_idx(core)], tile.base + tile.addr, sizeof m->seen[0]);
    return code;
}

static int move_on_cores(ptrt_core *core, void *args) {
    Move *m = args;
    ptrt_tile src, dst;
    if (!ptrt_core_is_cube(core)) return look(core, m);
    const bool in = m->inserts;
    int code = ptrt_tile_bind(core, &acc, 0, in ? m->rows : ROWS, in ? m->cols : COLS, 1, &src);
    if (code == 0)
        code = ptrt_tile_bind(core, &vec, AT, in ? ROWS : m->rows, in ? COLS : m->cols, 1, &dst);
    for (int i = 0; i < ROWS * COLS && code == 0; i++) /* 16 columns are one column of boxes */
        ptrt_store_i32(src.base, i, number(i / COLS, i % COLS));
    if (code == 0)
        code =
            in ? ptrt_fix_insert(core, 2, PTRT_TINSERT_ACC, &src, 0, 0, NULL, 0, &dst, m->mode, 0)
               : ptrt_fix_move(core, 2, PTRT_TMOV_ACC, &src, 0, 0, NULL, 0, &dst, m->mode, 0);
    for (int s = 0; s < ptrt_subblock_num(core); s++) {
        int signalled = ptrt_set_intra_block(core, 2, 1 + 16 * s);
        if (code == 0) code = signalled;
    }
    return code;
}

static int run(Move *m, int subblocks) {
    ptrt_kernel kernel = {.name = "p",
                          .file = "p.pto",
                          .cube = move_on_cores,
                          .vector = move_on_cores,
                          .subblocks = subblocks,
                          .flags = PTRT_K_WAITS | PTRT_K_CHECKED};
    kernel.bytes[PTRT_VEC] = kernel.bytes[PTRT_ACC] = SPACE_BYTES;
    memset(m->seen, 0, sizeof m->seen);
    return ptrt_launch(&kernel, 1, m);
}

/* Vector core v has rows x cols numbers from (row, col) on, and zeros around them. */
static void has(const Move *m, int v, int rows, int cols, int row, int col) {
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++)
            assert_int_equal(m->seen[v][i][j], i < rows && j < cols ? number(row + i, col + j) : 0);
}

static void test_one_core(void **state) {
    (void)state;
    Move m = {.mode = PTRT_TO_VECTOR0, .rows = 13, .cols = 9};
    assert_int_equal(run(&m, 2), 0);
    has(&m, 0, 13, 9, 0, 0);
    has(&m, 1, 0, 0, 0, 0);
    m.mode = PTRT_TO_VECTOR1;
    assert_int_equal(run(&m, 2), 0);
    has(&m, 0, 0, 0, 0, 0);
    has(&m, 1, 13, 9, 0, 0);
    /* There is no other core. */
    assert_int_equal(run(&m, 1), 0);
    has(&m, 0, 13, 9, 0, 0);
}

static void test_halves(void **state) {
    (void)state;
    Move m = {.mode = PTRT_SPLIT_ROWS, .rows = 8, .cols = 16};
    assert_int_equal(run(&m, 2), 0);
    has(&m, 0, 8, 16, 0, 0);
    has(&m, 1, 8, 16, 8, 0);
    assert_int_equal(run(&m, 1), 0);
    has(&m, 0, 8, 16, 0, 0);
    m = (Move){.mode = PTRT_SPLIT_COLS, .rows = 16, .cols = 8};
    assert_int_equal(run(&m, 2), 0);
    has(&m, 0, 16, 8, 0, 0);
    has(&m, 1, 16, 8, 0, 8);
    /* Twice what dst has is more than src has. */
    m = (Move){.mode = PTRT_SPLIT_ROWS, .rows = 9, .cols = 16};
    assert_int_equal(run(&m, 2), PTRT_E_BOUNDS);
    assert_string_equal(ptrt_error(),
                        "p.pto:2: pto.tmov: 18x16 elements at (0, 0) leave the 16x16 shape of src");
}

static void test_inserted_halves(void **state) {
    (void)state;
    Move m = {.mode = PTRT_SPLIT_ROWS, .inserts = true, .rows = 13, .cols = 16};
    assert_int_equal(run(&m, 2), 0);
    has(&m, 0, 7, 16, 0, 0);
    has(&m, 1, 6, 16, 7, 0);
    m.mode = PTRT_SPLIT_COLS;
    assert_int_equal(run(&m, 2), 0);
    has(&m, 0, 13, 8, 0, 0);
    has(&m, 1, 13, 8, 0, 8);
}

/* ---- adding to global memory ---- */

enum { BLOCKS = 64, TIMES = 20 };

static int add_ones(ptrt_core *core, void *args) {
    static const int64_t shape[] = {ROWS, COLS}, stride[] = {COLS, 1};
    ptrt_tile in_acc, in_vec;
    ptrt_view view;
    int code = ptrt_tile_bind(core, &acc, 0, ROWS, COLS, 1, &in_acc);
    if (code == 0) code = ptrt_tile_bind(core, &vec, 0, ROWS, COLS, 1, &in_vec);
    if (code == 0) code = ptrt_view_make(core, 1, args, PTRT_I32, 2, shape, stride, 0, &view);
    for (int i = 0; i < ROWS * COLS && code == 0; i++) {
        ptrt_store_i32(in_acc.base, i, 1);
        ptrt_store_i32(in_vec.base, i, 2);
    }
    for (int i = 0; i < TIMES && code == 0; i++) {
        code =
            ptrt_fix_store(core, 2, PTRT_TSTORE_ACC, &in_acc, NULL, 0, &view, PTRT_ATOMIC_ADD, 0);
        if (code == 0)
            code = ptrt_store_atomic(core, 3, PTRT_TSTORE_ATOMIC, &in_vec, &view, PTRT_ATOMIC_ADD);
    }
    return code;
}

static void test_sums(void **state) {
    (void)state;
    int32_t total[ROWS * COLS] = {0};
    ptrt_kernel kernel = {.name = "p", .file = "p.pto", .vector = add_ones, .subblocks = 1};
    kernel.bytes[PTRT_VEC] = kernel.bytes[PTRT_ACC] = SPACE_BYTES;
    setenv("PTORT_THREADS", "4", 1);
    assert_int_equal(ptrt_launch(&kernel, BLOCKS, total), 0);
    unsetenv("PTORT_THREADS");
    for (int i = 0; i < ROWS * COLS; i++)
        assert_int_equal(total[i], BLOCKS * TIMES * 3);
}

/* ---- refused ---- */

static int rectify_by_table(ptrt_core *core, void *args) {
    ptrt_tile src, dst;
    (void)args;
    int code = ptrt_tile_bind(core, &acc, 0, ROWS, COLS, 1, &src);
    if (code == 0) code = ptrt_tile_bind(core, &vec, 0, ROWS, COLS, 1, &dst);
    if (code == 0)
        code = ptrt_fix_move(core, 7, PTRT_TMOV_ACC, &src, 0, 0, NULL, 0, &dst, PTRT_TO_VECTOR0, 3);
    return code;
}

/* Words without shifts give no 16-bit integers. */
static int shift_by_number(ptrt_core *core, void *args) {
    static const ptrt_tile_type numbers = {
        .elem = PTRT_F32, .space = PTRT_SCALING, .fractal = 512, .rows = 1, .cols = COLS};
    ptrt_tile_type narrow = vec;
    ptrt_tile src, fp, dst;
    (void)args;
    narrow.elem = PTRT_I16;
    int code = ptrt_tile_bind(core, &acc, 0, ROWS, COLS, 1, &src);
    if (code == 0) code = ptrt_tile_bind(core, &numbers, 0, 1, COLS, 1, &fp);
    if (code == 0) code = ptrt_tile_bind(core, &narrow, 0, ROWS, COLS, 1, &dst);
    if (code == 0) code = ptrt_fix_move(core, 7, PTRT_TMOV_VECTOR, &src, 0, 0, &fp, 0, &dst, 0, 0);
    return code;
}

static int refuse(int (*fn)(ptrt_core *, void *)) {
    ptrt_kernel kernel = {.name = "p", .file = "p.pto", .vector = fn, .subblocks = 1};
    kernel.bytes[PTRT_VEC] = kernel.bytes[PTRT_ACC] = kernel.bytes[PTRT_SCALING] = SPACE_BYTES;
    return ptrt_launch(&kernel, 1, NULL);
}

static void test_refused(void **state) {
    (void)state;
    assert_int_equal(refuse(rectify_by_table), PTRT_E_ARG);
    assert_string_equal(ptrt_error(), "p.pto:7: pto.tmov: no meaning is known of reluPreMode 3");
    assert_int_equal(refuse(shift_by_number), PTRT_E_TYPE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_core),        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_inserted_halves), cmocka_unit_test(test_sums),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
