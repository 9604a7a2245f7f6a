/* SPDX-License-Identifier: Apache-2.0 */
/* pto.tadds, pto.tands and pto.txors: every element type that a profile allows, and every kind of
 * partial valid region, against a scalar reference over the whole tile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call.h"
#include "frame.h"
#include <stdio.h>
#include <stdlib.h>

enum { TILE = FRAME_ROWS * FRAME_COLS, NREGIONS = 8 };

static const int regions[NREGIONS][2] = {
    {FRAME_ROWS, FRAME_COLS}, {1, 1}, {1, FRAME_COLS}, {FRAME_ROWS, 1}, {3, 5}, {7, 63},
    {0, FRAME_COLS},          {5, 0},
};

typedef uint32_t (*Reference)(const ElemType *t, uint32_t a, uint32_t s);

static uint32_t ref_and(const ElemType *t, uint32_t a, uint32_t s) {
    (void)t;
    return a & s;
}

static uint32_t ref_xor(const ElemType *t, uint32_t a, uint32_t s) {
    (void)t;
    return a ^ s;
}

static void function_name(char *out, size_t size, const char *inst, const ElemType *t, int region) {
    snprintf(out, size, "%s_%s_%d", inst, t->text, region);
}

/* One function per element type and region. */
static void add_functions(Text *text, const char *inst, const char *const *types) {
    for (int i = 0; types[i] != NULL; i++) {
        const ElemType *t = elem_named(types[i]);
        for (int r = 0; r < NREGIONS; r++) {
            char name[64], params[32], statement[160];
            function_name(name, sizeof name, inst, t, r);
            snprintf(params, sizeof params, ", %%s: %s", t->scalar);
            snprintf(statement, sizeof statement,
                     "pto.%s ins(%%src, %%s : $s, %s) outs(%%dst : $d)", inst, t->scalar);
            frame_add(text, &(Frame){.name = name,
                                     .src = t,
                                     .dst = t,
                                     .src_vrow = regions[r][0],
                                     .src_vcol = regions[r][1],
                                     .dst_vrow = regions[r][0],
                                     .dst_vcol = regions[r][1],
                                     .params = params,
                                     .statement = statement});
        }
    }
}

/* Runs one function and compares every element of the destination tile; number of wrong ones. */
static int check_function(const Built *b, const char *name, const ElemType *t, int vrow, int vcol,
                          Reference ref, uint32_t scalar) {
    unsigned char *in = malloc(TILE * 4), *out = malloc(TILE * 4), *before = malloc(TILE * 4);
    fill_random(t, in, TILE, 1);
    fill_random(t, before, TILE, 2);
    memcpy(out, before, TILE * 4);
    int rc = call_pps(b, name, in, out, t, scalar), wrong = rc != 0;
    if (rc != 0) print_error("%s: %s\n", name, last_error());
    for (int i = 0; rc == 0 && i < TILE; i++) {
        bool valid = i / FRAME_COLS < vrow && i % FRAME_COLS < vcol;
        uint32_t want = elem_get(t, before, (size_t)i), got = elem_get(t, out, (size_t)i);
        if (valid) want = ref(t, elem_get(t, in, (size_t)i), scalar);
        if (elem_equal(t, got, want)) continue;
        if (wrong++ == 0)
            print_error("%s: element %d is %x, not %x\n", name, i, (unsigned)got, (unsigned)want);
    }
    free(in);
    free(out);
    free(before);
    return wrong;
}

static void check_types(const char *inst, const char *profile, const char *const *types,
                        Reference ref) {
    Text text = {0};
    add_functions(&text, inst, types);
    Built b;
    build_text(&b, inst, text.s, profile);
    int wrong = 0;
    for (int i = 0; types[i] != NULL; i++) {
        const ElemType *t = elem_named(types[i]);
        uint32_t mask = t->bytes == 4 ? UINT32_MAX : (1u << (8 * t->bytes)) - 1;
        uint32_t scalars[] = {elem_one(t), 0xA5C3965Au & mask, elem_pad(t, 3)};
        for (int r = 0; r < NREGIONS; r++)
            for (size_t s = 0; s < 3; s++) {
                char name[64];
                function_name(name, sizeof name, inst, t, r);
                wrong += check_function(&b, name, t, regions[r][0], regions[r][1], ref, scalars[s]);
            }
    }
    built_free(&b);
    text_free(&text);
    assert_int_equal(wrong, 0);
}

static const char *const a2a3_arith[] = {"f32", "f16", "i32", "i16", NULL};
static const char *const a5_arith[] = {"f32", "f16",  "bf16", "i32", "i16",
                                       "i8",  "ui32", "ui16", "ui8", NULL};
static const char *const narrow_ints[] = {"i8", "i16", "ui8", "ui16", NULL};
static const char *const all_ints[] = {"i8", "i16", "i32", "ui8", "ui16", "ui32", NULL};

static void test_tadds_types(void **state) {
    (void)state;
    check_types("tadds", "a2a3", a2a3_arith, elem_add);
    check_types("tadds", "a5", a5_arith, elem_add);
    check_types("tadds", "cpu", a5_arith, elem_add);
}

static void test_tands_types(void **state) {
    (void)state;
    check_types("tands", "a2a3", all_ints, ref_and);
    check_types("tands", "a5", all_ints, ref_and);
    check_types("tands", "cpu", all_ints, ref_and);
}

static void test_txors_types(void **state) {
    (void)state;
    check_types("txors", "a2a3", narrow_ints, ref_xor);
    check_types("txors", "a5", all_ints, ref_xor);
    check_types("txors", "cpu", all_ints, ref_xor);
}

/* Said once more on its own: what lies outside the valid region keeps its bytes. */
static void test_outside_valid_untouched(void **state) {
    (void)state;
    const ElemType *t = elem_named("i16");
    static const char *const insts[] = {"tadds", "tands", "txors"};
    for (size_t k = 0; k < 3; k++) {
        char statement[128];
        snprintf(statement, sizeof statement, "pto.%s ins(%%src, %%s : $s, i16) outs(%%dst : $d)",
                 insts[k]);
        Text text = {0};
        frame_add(&text, &(Frame){.name = "f",
                                  .src = t,
                                  .dst = t,
                                  .src_vrow = 3,
                                  .src_vcol = 21,
                                  .dst_vrow = 3,
                                  .dst_vcol = 21,
                                  .params = ", %s: i16",
                                  .statement = statement});
        Built b;
        build_text(&b, "outside", text.s, NULL);
        int16_t in[TILE], out[TILE];
        for (int i = 0; i < TILE; i++) {
            in[i] = (int16_t)i;
            out[i] = -7;
        }
        assert_int_equal(call_pps(&b, "f", in, out, t, 1), 0);
        int changed = 0;
        for (int i = 0; i < TILE; i++)
            if (i / FRAME_COLS >= 3 || i % FRAME_COLS >= 21)
                assert_int_equal(out[i], -7);
            else
                changed += out[i] != -7;
        assert_int_equal(changed, 3 * 21);
        built_free(&b);
        text_free(&text);
    }
}

/* On a5 the rows of src and dst may differ: dst decides; rows that src lacks keep their bytes. */
static void test_domain_is_destination(void **state) {
    (void)state;
    const ElemType *t = elem_named("f32");
    Text text = {0};
    frame_add(&text, &(Frame){.name = "fewer",
                              .src = t,
                              .dst = t,
                              .src_vrow = FRAME_ROWS,
                              .src_vcol = 64,
                              .dst_vrow = 3,
                              .dst_vcol = 64,
                              .params = ", %s: f32",
                              .statement = "pto.tadds ins(%src, %s : $s, f32) outs(%dst : $d)"});
    frame_add(&text, &(Frame){.name = "more",
                              .src = t,
                              .dst = t,
                              .src_vrow = 3,
                              .src_vcol = 64,
                              .dst_vrow = FRAME_ROWS,
                              .dst_vcol = 64,
                              .params = ", %s: f32",
                              .statement = "pto.tadds ins(%src, %s : $s, f32) outs(%dst : $d)"});
    Built b;
    build_text(&b, "domain", text.s, "a5");
    uint32_t half;
    memcpy(&half, &(float){0.5f}, 4);
    assert_int_equal(check_function(&b, "fewer", t, 3, 64, elem_add, half), 0);
    assert_int_equal(check_function(&b, "more", t, 3, 64, elem_add, half), 0);
    built_free(&b);
    text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tadds_types),
        cmocka_unit_test(test_tands_types),
        cmocka_unit_test(test_txors_types),
        cmocka_unit_test(test_outside_valid_untouched),
        cmocka_unit_test(test_domain_is_destination),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
