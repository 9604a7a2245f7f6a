/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of `dense<..>`: which texts have how many, and what each is as an element of a type.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/dense.h"
#include "parser/parse.h"

enum { NO_LIST = -1 };

/* Returns a context for names; it has a jump buffer for the end of memory. */
static Context *start(void) {
    static const Source none = {.name = "none", .data = ""};
    Context *ctx = calloc(1, sizeof *ctx);
    if (ctx == NULL || setjmp(ctx->oom) != 0) abort();
    context_init(ctx, &none, 1);
    return ctx;
}

static void end(Context *ctx) {
    context_free(ctx);
    free(ctx);
}

static Attr opaque(Context *ctx, const char *text) {
    return (Attr){.kind = ATTR_OPAQUE, .text = intern_copy(&ctx->names, text, strlen(text))};
}

/* Which texts are lists, and of how many elements. */
static void lists(void **state) {
    static const struct {
        const char *text;
        int n; /* of a list; 0: one for all */
        bool raw;
    } rows[] = {
        {"dense<1>", 0, false},
        {"dense< 1 >", 0, false},
        {"dense<[1]>", 1, false},
        {"dense<[1, 2,3]>", 3, false},
        {"dense<[\n1,\t2]>", 2, false},
        {"dense<[]>", 0, false},
        {"dense<\"0xFF\">", 1, true},
        {"dense<>", NO_LIST, false},
        {"dense<\"0xF\">", NO_LIST, false},
        {"dense<\"0x\">", NO_LIST, false},
        {"dense<\"FFFF\">", NO_LIST, false},
        {"dense<\"0xFG\">", NO_LIST, false},
        {"dense<\"0xFF>", NO_LIST, false},
        {"dense<\">", NO_LIST, false},
        {"dense<", NO_LIST, false},
        {"dense", NO_LIST, false},
        {"dense<1", NO_LIST, false},
        {"dense<[1>", NO_LIST, false},
        {"sparse<1>", NO_LIST, false},
        {"dense<[>", NO_LIST, false},
    };
    (void)state;
    Context *ctx = start();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Attr a = opaque(ctx, rows[i].text);
        Dense d;
        const bool is = dense_open(&d, &ctx->names, &a);
        if (is != (rows[i].n != NO_LIST)) fail_msg("%s", rows[i].text);
        if (!is) continue;
        if ((int)d.n != rows[i].n || d.raw != rows[i].raw) fail_msg("%s: %u", rows[i].text, d.n);
        assert_true(dense_has(&d, ELEM_I8, d.n));
        assert_true(dense_has(&d, ELEM_I8, 77) == (!d.list || d.n == 77));
    }
    const Attr number = {.kind = ATTR_INT, .i = 1};
    Dense d;
    assert_false(dense_open(&d, &ctx->names, &number));
    end(ctx);
}

/* One element for all; `fine` false: the type has no such element. */
static const struct {
    const char *text;
    Elem e;
    bool fine;
    int64_t i; /* the integer, or the bits of a hexadecimal float */
    double d;
} elements[] = {
    {"true", ELEM_I1, true, 1, 0},
    {"false", ELEM_I1, true, 0, 0},
    {"1", ELEM_I1, true, 1, 0},
    {"-1", ELEM_I1, true, -1, 0},
    {"2", ELEM_I1, false, 0, 0},
    {"\"0xFF\"", ELEM_I1, true, 1, 0},
    {"\"0x00\"", ELEM_I1, true, 0, 0},
    {"\"0xFF\"", ELEM_I8, true, 255, 0},
    {"\"0xFF\"", ELEM_UI8, true, 255, 0},
    {"\"0xFF\"", ELEM_SI8, true, -1, 0},
    {"\"0x0180\"", ELEM_SI16, true, -32767, 0},
    {"\"0x0102030405060788\"", ELEM_I64, true, (int64_t)0x8807060504030201, 0},
    {"\"0x4523C17f\"", ELEM_F32, true, 0x7FC12345, 0},
    {"\"0x003C\"", ELEM_F16, true, 0x3C00, 0},
    {"\"0x00\"", ELEM_F16, false, 0, 0},
    {"\"0x00\"", ELEM_INDEX, false, 0, 0},
    {"tru", ELEM_I1, false, 0, 0},
    {"true", ELEM_I8, false, 0, 0},
    {"255", ELEM_I8, true, 255, 0},
    {"-128", ELEM_I8, true, -128, 0},
    {"256", ELEM_I8, false, 0, 0},
    {"-129", ELEM_I8, false, 0, 0},
    {"0xfF", ELEM_I8, true, 255, 0},
    {"0x100", ELEM_I8, false, 0, 0},
    {"0x", ELEM_I8, false, 0, 0},
    {"0xG", ELEM_I8, false, 0, 0},
    {"127", ELEM_SI8, true, 127, 0},
    {"128", ELEM_SI8, false, 0, 0},
    {"255", ELEM_UI8, true, 255, 0},
    {"-1", ELEM_UI8, false, 0, 0},
    {"1e3", ELEM_I32, false, 0, 0},
    {"1.0", ELEM_I32, false, 0, 0},
    {"+1", ELEM_I32, false, 0, 0},
    {"-", ELEM_I32, false, 0, 0},
    {"4294967295", ELEM_I32, true, 4294967295, 0},
    {"4294967296", ELEM_I32, false, 0, 0},
    {"18446744073709551615", ELEM_I64, true, -1, 0},
    {"18446744073709551616", ELEM_I64, false, 0, 0},
    {"-9223372036854775808", ELEM_I64, true, INT64_MIN, 0},
    {"-9223372036854775809", ELEM_I64, false, 0, 0},
    {"1.5", ELEM_F32, true, 0, 1.5},
    {"-1.", ELEM_F16, true, 0, -1},
    {"2.5e-1", ELEM_F32, true, 0, 0.25},
    {"1", ELEM_F32, false, 0, 0},
    {"1e3", ELEM_F32, false, 0, 0},
    {".5", ELEM_F32, false, 0, 0},
    {"1.5e", ELEM_F32, false, 0, 0},
    {"1.5f", ELEM_F32, false, 0, 0},
    {"nan", ELEM_F32, false, 0, 0},
    {"0x7FC00000", ELEM_F32, true, 0x7FC00000, 0},
    {"0x7FC00000", ELEM_F16, false, 0, 0},
    {"-0x1", ELEM_F32, false, 0, 0},
    {"[1]", ELEM_I32, false, 0, 0},
};

static void one_for_all(void **state) {
    (void)state;
    Context *ctx = start();
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        char text[64];
        snprintf(text, sizeof text, "dense< %s >", elements[i].text);
        if (elements[i].text[0] == '[')
            snprintf(text, sizeof text, "dense<[%s]>", elements[i].text);
        const Attr a = opaque(ctx, text);
        Dense d;
        Attr one;
        assert_true(dense_open(&d, &ctx->names, &a));
        for (int again = 0; again < 2; again++) {
            const bool fine = dense_next(&d, elements[i].e, &one);
            if (fine != elements[i].fine)
                fail_msg("%s of %s: %d", text, elem_infos[elements[i].e].text, fine);
            if (!fine) continue;
            assert_int_equal(one.kind, elem_is_float(elements[i].e) ? ATTR_FLOAT : ATTR_INT);
            if (one.kind == ATTR_FLOAT && !one.hex)
                assert_true(one.d == elements[i].d);
            else
                assert_true(one.i == elements[i].i);
        }
    }
    end(ctx);
}

/* Each element in turn, none after the last, and no empty one. */
static void in_turn(void **state) {
    (void)state;
    Context *ctx = start();
    const Attr a = opaque(ctx, "dense<[1,  -2 ,\n3]>"), hole = opaque(ctx, "dense<[1, , 3]>");
    Dense d;
    Attr one;
    assert_true(dense_open(&d, &ctx->names, &a) && d.n == 3);
    assert_true(dense_next(&d, ELEM_I8, &one) && one.i == 1);
    assert_true(dense_next(&d, ELEM_I8, &one) && one.i == -2);
    assert_true(dense_next(&d, ELEM_I8, &one) && one.i == 3);
    assert_false(dense_next(&d, ELEM_I8, &one));
    assert_true(dense_open(&d, &ctx->names, &hole) && dense_next(&d, ELEM_I8, &one));
    assert_false(dense_next(&d, ELEM_I8, &one));
    end(ctx);
}

/* The bytes of a string are elements in turn; which numbers of lanes it has. */
static void of_bytes(void **state) {
    (void)state;
    Context *ctx = start();
    const Attr a = opaque(ctx, "dense<\"0x01800280FF7F\">"),
               mask = opaque(ctx, "dense<\"0x0580\">"), few = opaque(ctx, "dense<\"0x05\">");
    Dense d;
    Attr one;
    assert_true(dense_open(&d, &ctx->names, &a) && d.n == 6);
    assert_true(dense_has(&d, ELEM_I16, 3) && dense_has(&d, ELEM_UI8, 6));
    assert_false(dense_has(&d, ELEM_I16, 6) || dense_has(&d, ELEM_I32, 1) ||
                 dense_has(&d, ELEM_I32, 2) || dense_has(&d, ELEM_I1, 6) ||
                 dense_has(&d, ELEM_I16, UINT32_MAX));
    assert_true(dense_has(&d, ELEM_I1, 41) && dense_has(&d, ELEM_I1, 48));
    assert_true(dense_next(&d, ELEM_SI16, &one) && one.i == -32767);
    assert_true(dense_next(&d, ELEM_SI16, &one) && one.i == -32766);
    assert_true(dense_next(&d, ELEM_SI16, &one) && one.i == 32767);
    assert_false(dense_next(&d, ELEM_SI16, &one));
    assert_true(dense_open(&d, &ctx->names, &mask));
    for (int i = 0; i < 16; i++)
        assert_true(dense_next(&d, ELEM_I1, &one) && one.i == (i == 0 || i == 2 || i == 15));
    assert_false(dense_next(&d, ELEM_I1, &one));
    assert_true(dense_open(&d, &ctx->names, &few));
    assert_true(dense_has(&d, ELEM_I1, 3) && !dense_has(&d, ELEM_I1, 9));
    end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),
        cmocka_unit_test(one_for_all),
        cmocka_unit_test(in_turn),
        cmocka_unit_test(of_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
