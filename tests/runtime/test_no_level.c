/* SPDX-License-Identifier: Apache-2.0 */
/* test_no_level.c - a library that was built without a level for this processor: linked with an
 * isa.c that knows none. A launch says so; nothing ends the process. */
#include "on_core.h"

static int never(ptrt_core *core, void *args) {
    (void)core;
    (void)args;
    return PTRT_E_TRAP;
}

static void test_launch(void **state) {
    (void)state;
    assert_int_equal(on_core(never, NULL), PTRT_E_ARG);
    assert_string_equal(ptrt_error(),
                        "this libptort was built without a level that runs on this processor");
    assert_string_equal(ptrt_isa(), "none");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_launch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
