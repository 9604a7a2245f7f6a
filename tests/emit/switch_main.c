/* SPDX-License-Identifier: Apache-2.0 */
/* switch.pto: one value per case, and one for the rest. */
#include "switch.h"

#include "expect.h"

int main(void) {
    static const int32_t f[] = {-1, 7, 0, 8};
    static const int64_t want[] = {10, 11, 12, 12};
    int64_t o[1];
    for (int k = 0; k < 4; k++) {
        expect_i64("branch", branch(o, f[k]), 0);
        expect_i64("value", o[0], want[k]);
    }
    return wrong != 0;
}
