/* SPDX-License-Identifier: Apache-2.0 */
/* placed.pto: copies and several buffers at addresses of the text. */
#include "placed.h"

#include "expect.h"

int main(void) {
    int32_t y[2] = {0};
    expect_i64("copied", copied(y, 9), 0);
    expect_i64("the copy", y[0], 9);
    expect_i64("its source", y[1], 0);
    expect_i64("several", several(y, 320, 3), 0);
    expect_i64("slot 3", y[0], 320 + 3 * 32);
    expect_i64("outside", several(y, 262144 - 64, 3), PTRT_E_BOUNDS);
    expect_text("outside", ptrt_error(), "leaves vec");
    expect_i64("odd address", several(y, 33, 0), PTRT_E_ALIGN);
    return wrong != 0;
}
