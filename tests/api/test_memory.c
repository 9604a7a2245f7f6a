/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of every call fails in turn: the call says so and nothing leaks (the leak
 * checker of the sanitizer build looks). The linker sends malloc and calloc here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ptoasm.h>
#include <stdlib.h>
#include <string.h>

static long left = -1; /* allocations until one fails; negative: never */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);

static int fails_now(void) {
    return left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t n) {
    return fails_now() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size) {
    return fails_now() ? NULL : __real_calloc(n, size);
}

static const char text[] = "module {\n"
                           "  func.func @k(%p: !pto.ptr<f32>, %s: f32) attributes {pto.entry} {\n"
                           "    %a = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>\n"
                           "    %b = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>\n"
                           "    pto.tadds ins(%a, %s : !pto.tile_buf<vec, 16x16xf32>, f32)\n"
                           "              outs(%b : !pto.tile_buf<vec, 16x16xf32>)\n"
                           "    return\n"
                           "  }\n"
                           "}\n";

/* Its tiles become buffers, in copies of the module. */
static const char ssa[] =
    "func.func @k(%a: !pto.tile<16x16xf32>, %s: f32) -> !pto.tile<16x16xf32> {\n"
    "  %b = pto.tadds %a, %s : (!pto.tile<16x16xf32>, f32) -> !pto.tile<16x16xf32>\n"
    "  return %b : !pto.tile<16x16xf32>\n"
    "}\n";

enum call { CHECK, CHECK_ALL, CHECK_SSA, FORMAT, EMIT, CALLS };

/* Opens, calls, asks for the diagnostics, frees. */
static int one_run(enum call call) {
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    const char *program = call == CHECK_SSA ? ssa : text;
    int status = ptoasm_source_open("k.pto", program, strlen(program), 0, &src);
    if (status != PTOASM_OK) return status;
    const ptoasm_options all = {.size = sizeof all,
                                .profiles = PTOASM_PROFILE_ALL,
                                .verdicts = true,
                                .sync = PTOASM_SYNC_REPORT};
    const ptoasm_emit_options emit = {.size = sizeof emit, .header = true};
    switch (call) {
    case CHECK:
        status = ptoasm_check(src, NULL, &res);
        break;
    case CHECK_ALL:
    case CHECK_SSA:
        status = ptoasm_check(src, &all, &res);
        break;
    case FORMAT:
        status = ptoasm_format(src, NULL, PTOASM_FORM_DPS, &res);
        break;
    default:
        status = ptoasm_emit(src, NULL, &emit, &res);
        break;
    }
    assert_true((res == NULL) == (status == PTOASM_NOMEM));
    if (res != NULL && ptoasm_diagnostics_text(res, 0, NULL) == NULL) status = PTOASM_NOMEM;
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return status;
}

static void test_every_allocation(void **state) {
    (void)state;
    for (int call = CHECK; call < CALLS; call++) {
        left = -1;
        assert_int_equal(one_run((enum call)call), PTOASM_OK);
        long n = 0;
        for (;; n++) {
            left = n;
            int status = one_run((enum call)call);
            if (left >= 0) { /* none failed: all have had their turn */
                assert_int_equal(status, PTOASM_OK);
                break;
            }
            assert_int_equal(status, PTOASM_NOMEM);
        }
        left = -1;
        assert_true(n > 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
