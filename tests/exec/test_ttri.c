/* SPDX-License-Identifier: Apache-2.0 */
/* pto.ttri: element types, orientations, diagonals and valid regions against the formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call.h"
#include "frame.h"
#include <stdio.h>
#include <stdlib.h>

enum { TILE = FRAME_ROWS * FRAME_COLS };

static uint32_t expected(const ElemType *t, bool upper, int i, int j, int64_t d) {
    bool one = upper ? !(j < i + d) : j <= i + d;
    return one ? elem_one(t) : 0;
}

static void add_function(Text *text, const char *name, const ElemType *t, int vrow, int vcol,
                         bool upper) {
    char statement[160];
    snprintf(statement, sizeof statement,
             "pto.ttri ins(%%s {upperOrLower = %d : i32} : i32) outs(%%dst : $d)", upper);
    frame_add(text, &(Frame){.name = name,
                             .dst = t,
                             .dst_vrow = vrow,
                             .dst_vcol = vcol,
                             .params = ", %s: i32",
                             .statement = statement});
}

/* One call compared over the whole tile; number of wrong elements. */
static int check_function(const Built *b, const char *name, const ElemType *t, int vrow, int vcol,
                          bool upper, int32_t diagonal) {
    unsigned char out[TILE * 4], before[TILE * 4];
    fill_random(t, before, TILE, 3);
    memcpy(out, before, sizeof out);
    int rc = call_pps(b, name, out, out, elem_named("i32"), (uint32_t)diagonal), wrong = rc != 0;
    if (rc != 0) print_error("%s: %s\n", name, last_error());
    for (int i = 0; rc == 0 && i < FRAME_ROWS; i++)
        for (int j = 0; j < FRAME_COLS; j++) {
            size_t at = (size_t)(i * FRAME_COLS + j);
            uint32_t want =
                i < vrow && j < vcol ? expected(t, upper, i, j, diagonal) : elem_get(t, before, at);
            if (elem_get(t, out, at) != want && wrong++ == 0)
                print_error("%s, diagonal %d: wrong at (%d, %d)\n", name, diagonal, i, j);
        }
    return wrong;
}

static const char *const a2a3_types[] = {"f32", "f16", "i32", "ui32", "i16", "ui16", NULL};
static const char *const a5_types[] = {"f32", "f16",  "bf16", "i32", "ui32",
                                       "i16", "ui16", "i8",   "ui8", NULL};
static const char *const cpu_types[] = {"f32", "f16", "bf16", "i32", "ui32", "i16", "ui16", NULL};

static void check_types(const char *profile, const char *const *types) {
    Text text = {0};
    char name[64];
    for (int i = 0; types[i] != NULL; i++)
        for (int upper = 0; upper < 2; upper++) {
            snprintf(name, sizeof name, "%s_%d", types[i], upper);
            add_function(&text, name, elem_named(types[i]), FRAME_ROWS, FRAME_COLS, upper != 0);
        }
    Built b;
    build_text(&b, "ttri", text.s, profile);
    int wrong = 0;
    for (int i = 0; types[i] != NULL; i++)
        for (int upper = 0; upper < 2; upper++) {
            snprintf(name, sizeof name, "%s_%d", types[i], upper);
            wrong += check_function(&b, name, elem_named(types[i]), FRAME_ROWS, FRAME_COLS,
                                    upper != 0, 1);
        }
    built_free(&b);
    text_free(&text);
    assert_int_equal(wrong, 0);
}

static void test_ttri_types(void **state) {
    (void)state;
    check_types("a2a3", a2a3_types);
    check_types("a5", a5_types);
    check_types("cpu", cpu_types);
}

static void test_ttri_diagonals(void **state) {
    (void)state;
    const ElemType *t = elem_named("f32");
    static const int32_t diagonals[] = {0,  1,  -1, 5,         -5,        FRAME_COLS - 1,
                                        62, -7, -8, INT32_MAX, INT32_MIN, FRAME_COLS};
    Text text = {0};
    add_function(&text, "lower", t, FRAME_ROWS, FRAME_COLS, false);
    add_function(&text, "upper", t, FRAME_ROWS, FRAME_COLS, true);
    Built b;
    build_text(&b, "diagonals", text.s, NULL);
    int wrong = 0;
    for (size_t d = 0; d < sizeof diagonals / sizeof *diagonals; d++) {
        wrong += check_function(&b, "lower", t, FRAME_ROWS, FRAME_COLS, false, diagonals[d]);
        wrong += check_function(&b, "upper", t, FRAME_ROWS, FRAME_COLS, true, diagonals[d]);
    }
    built_free(&b);
    text_free(&text);
    assert_int_equal(wrong, 0);
}

static void test_ttri_valid_regions(void **state) {
    (void)state;
    static const int regions[][2] = {{1, 1}, {1, 64}, {8, 1}, {5, 33}, {0, 64}, {8, 0}};
    const ElemType *t = elem_named("i16");
    Text text = {0};
    char name[64];
    for (int r = 0; r < 6; r++) {
        snprintf(name, sizeof name, "r%d", r);
        add_function(&text, name, t, regions[r][0], regions[r][1], r % 2 != 0);
    }
    Built b;
    build_text(&b, "regions", text.s, NULL);
    int wrong = 0;
    for (int r = 0; r < 6; r++) {
        snprintf(name, sizeof name, "r%d", r);
        wrong += check_function(&b, name, t, regions[r][0], regions[r][1], r % 2 != 0, 2);
        wrong += check_function(&b, name, t, regions[r][0], regions[r][1], r % 2 != 0, -2);
    }
    built_free(&b);
    text_free(&text);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ttri_types),
        cmocka_unit_test(test_ttri_diagonals),
        cmocka_unit_test(test_ttri_valid_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
