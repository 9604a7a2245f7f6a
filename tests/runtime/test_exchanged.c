/* SPDX-License-Identifier: Apache-2.0 */
/* test_exchanged.c - the rows that EXCHANGED names in ptort_kernels.def: a call whose first operand
 * is the expanded one computes what the other row computes with the operands the other way round,
 * wherever in the table the two stand; a kernel without such a row refuses the call. */
#include "on_core.h"

enum { ROWS = 5, COLS = 8 };

static const ptrt_tile_type type = {
    .elem = PTRT_F32, .space = PTRT_VEC, .fractal = 512, .rows = ROWS, .cols = COLS};

typedef struct pair {
    const char *name;
    int id, other;
} pair;

static const pair pairs[] = {
#define EXCHANGED(id, other) {#id, PTRT_##id, PTRT_##other},
#include "ptort_kernels.def"
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

typedef struct tiles {
    ptrt_tile full, column, first, second;
} tiles;

static int make(ptrt_core *core, tiles *t) {
    int code = ptrt_tile_bind(core, &type, 0, ROWS, COLS, 1, &t->full);
    if (code == 0) code = ptrt_tile_bind(core, &type, 1024, ROWS, 1, 1, &t->column);
    if (code == 0) code = ptrt_tile_bind(core, &type, 2048, ROWS, COLS, 1, &t->first);
    if (code == 0) code = ptrt_tile_bind(core, &type, 3072, ROWS, COLS, 1, &t->second);
    for (int i = 0; code == 0 && i < ROWS * COLS; i++) {
        ptrt_store_f32(t->full.at, i, (float)(i + 1) / 4);
        ptrt_store_f32(t->column.at, i, (float)(i / COLS) - 2.5f);
    }
    return code;
}

static int both_ways(ptrt_core *core, void *arg) {
    const pair *p = arg;
    tiles t;
    int code = make(core, &t);
    if (code == 0) code = ptrt_rowexpand(core, 2, p->id, &t.column, &t.full, &t.first);
    if (code == 0) code = ptrt_rowexpand(core, 3, p->other, &t.full, &t.column, &t.second);
    if (code == 0 && memcmp(t.first.at, t.second.at, ROWS * COLS * sizeof(float)) != 0)
        code = ptrt_fail(core, PTRT_E_ASSERT, 3, "%s: the results differ", p->name);
    return code;
}

static void test_pairs(void **state) {
    (void)state;
    assert_int_equal(PAIRS, 7);
    for (int i = 0; i < PAIRS; i++) {
        pair p = pairs[i];
        if (on_core(both_ways, &p) != 0) fail_msg("%s", ptrt_error());
    }
}

/* tadd is elementwise; nothing says what it is with exchanged operands. */
static int without(ptrt_core *core, void *arg) {
    (void)arg;
    tiles t;
    int code = make(core, &t);
    return code != 0 ? code : ptrt_rowexpand(core, 2, PTRT_TADD, &t.column, &t.full, &t.first);
}

static void test_no_pair(void **state) {
    (void)state;
    assert_int_equal(on_core(without, NULL), PTRT_E_TYPE);
    assert_non_null(strstr(ptrt_error(), "pto.tadd: no code for these element types"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs),
                                       cmocka_unit_test(test_no_pair)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
