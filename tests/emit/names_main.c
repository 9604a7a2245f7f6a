/* SPDX-License-Identifier: Apache-2.0 */
/* names.pto: every kernel answers under its C name. */
#include "names.h"

#include "expect.h"

int helper(ptrt_core *core, int32_t *p, int32_t n) {
    if (n < 0) return ptrt_fail(core, PTRT_E_ARG, 7, "helper says %d", (int)n);
    p[0] += n;
    return 0;
}

int un_x20likely(ptrt_core *core, int32_t *p) {
    (void)core;
    p[0] = 77;
    return 0;
}

int main(void) {
    int32_t v[4] = {0, 0, 0, 0};
    expect_i64("exp_", exp_(v) + v[0], 1);
    expect_i64("double_", double_(v) + v[0], 2);
    expect_i64("a_x20b", a_x20b(v) + v[0], 3);
    expect_i64("main_", main_(v) + v[0], 4);
    expect_i64("ptrt_launch_", ptrt_launch_(v, 10) + v[0], 15);
    expect_i64("a failing helper", ptrt_launch_(v, -3), PTRT_E_ARG);
    expect_text("its text", ptrt_error(), "names.pto:7: helper says -3");
    expect_i64("k", k(v, 20) + v[0], 20);
    expect_i64("k_grid", k_grid(1, v, 30) + v[0], 30);
    expect_i64("k_grid_", k_grid_(v, 40) + v[0], 41);
    expect_i64("class_", class_(v) + v[0], 77);
    expect_i64("_9_x24...", _9_x24_x2d_x2e_xc3_xa9(v, 1, 20, 300) + v[0], 321);
    expect_i64("INT64_MAX_", INT64_MAX_(2, v, 9) + v[2], 9);
    expect_i64("INT64_MAX__grid", INT64_MAX__grid(4, v), 0);
    for (int i = 0; i < 4; i++)
        expect_i64("block", v[i], 4);
    return wrong != 0;
}
