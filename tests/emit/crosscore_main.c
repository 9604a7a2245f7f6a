/* SPDX-License-Identifier: Apache-2.0 */
/* crosscore.pto: one signal of the cube core reaches both vector cores, and it waits for both. */
#include "crosscore.h"

#include "expect.h"

int main(void) {
    int32_t y[2] = {0};
    int64_t base[1] = {0};
    expect_i64("ask", ask(y, 3, base), 0);
    expect_i64("sum", y[0], 14);
    expect_i64("another event", ask(y, 2, base), PTRT_E_DEADLOCK);
    expect_text("another event", ptrt_error(), "crosscore.pto:18: deadlock");
    expect_text("another event", ptrt_error(), "at line 14 (pto.sync.wait)");
    return wrong != 0;
}
