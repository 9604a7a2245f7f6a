/* SPDX-License-Identifier: Apache-2.0 */
/* Emitted C together with its caller at -O3 and link-time optimisation, under gcc and clang. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char program[] =
    "module {\n"
    "  func.func @bump(%x: !pto.ptr<f32>, %n: index) attributes {pto.entry} {\n"
    "    %c0 = arith.constant 0 : index\n"
    "    %c1 = arith.constant 1 : index\n"
    "    %one = arith.constant 1.0 : f32\n"
    "    scf.for %i = %c0 to %n step %c1 {\n"
    "      %v = pto.load_scalar %x[%i] : !pto.ptr<f32> -> f32\n"
    "      %w = arith.addf %v, %one : f32\n"
    "      pto.store_scalar %w, %x[%i] : !pto.ptr<f32>, f32\n"
    "    }\n"
    "    return\n"
    "  }\n"
    "  func.func @add_tiles(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {pto.entry} {\n"
    "    %c0 = arith.constant 0 : index\n"
    "    %c1 = arith.constant 1 : index\n"
    "    %rows = arith.constant 16 : index\n"
    "    %cols = arith.constant 32 : index\n"
    "    %two = arith.constant 2.0 : f32\n"
    "    %xv = pto.make_tensor_view %x, shape = [%rows, %cols], strides = [%cols, %c1] : "
    "!pto.tensor_view<16x32xf32>\n"
    "    %yv = pto.make_tensor_view %y, shape = [%rows, %cols], strides = [%cols, %c1] : "
    "!pto.tensor_view<16x32xf32>\n"
    "    %xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%rows, %cols] : "
    "!pto.tensor_view<16x32xf32> -> !pto.partition_tensor_view<16x32xf32>\n"
    "    %yp = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%rows, %cols] : "
    "!pto.tensor_view<16x32xf32> -> !pto.partition_tensor_view<16x32xf32>\n"
    "    %t = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>\n"
    "    pto.tload ins(%xp : !pto.partition_tensor_view<16x32xf32>) outs(%t : "
    "!pto.tile_buf<vec, 16x32xf32>)\n"
    "    pto.tadds ins(%t, %two : !pto.tile_buf<vec, 16x32xf32>, f32) outs(%t : "
    "!pto.tile_buf<vec, 16x32xf32>)\n"
    "    pto.tstore ins(%t : !pto.tile_buf<vec, 16x32xf32>) outs(%yp : "
    "!pto.partition_tensor_view<16x32xf32>)\n"
    "    return\n"
    "  }\n"
    "}\n";

static void check_with(const char *compiler) {
    char words[256];
    const char *driver = getenv("PTOASM_LTO_DRIVER");
    assert_non_null(driver);
    snprintf(words, sizeof words, "%s -O3 -flto %s", compiler, driver);
    Built b;
    build_text_with(&b, "lto", program, NULL, words);
    int (*drive)(void);
    void *symbol = built_function(&b, "drive");
    memcpy(&drive, &symbol, sizeof drive);
    assert_int_equal(drive(), 0);
    built_free(&b);
}

static bool installed(const char *compiler) {
    char *argv[] = {"sh", "-c", "command -v \"$0\" >/dev/null", (char *)compiler, NULL};
    bool found = run_program(argv) == 0;
    if (!found) print_message("# %s is not installed\n", compiler);
    return found;
}

static void test_gcc_lto(void **state) {
    (void)state;
    check_with("gcc");
}

static void test_clang_lto(void **state) {
    (void)state;
    check_with("clang");
}

int main(void) {
    const struct CMUnitTest with_gcc[] = {cmocka_unit_test(test_gcc_lto)};
    const struct CMUnitTest with_clang[] = {cmocka_unit_test(test_clang_lto)};
    bool gcc = installed("gcc"), clang = installed("clang");
    int failed = 0;
    if (gcc) failed += cmocka_run_group_tests(with_gcc, NULL, NULL);
    if (clang) failed += cmocka_run_group_tests(with_clang, NULL, NULL);
    return gcc || clang ? failed : 77;
}
