/* SPDX-License-Identifier: Apache-2.0 */
/* faults.pto: what waits for ever ends with the lines of those who wait, and a grid is as large as
 * it can be. */
#include "faults.h"

#include "expect.h"

static float slots[8 * 256];

static void pipes(void) {
    expect_i64("as many pops as pushes", traffic(slots, 20, 20, true), 0);
    expect_i64("nothing", traffic(slots, 0, 0, true), 0);
    expect_i64("as many as there are slots", traffic(slots, 8, 0, true), 0);
    expect_i64("a full pipe that nobody drains", traffic(slots, 9, 0, true), PTRT_E_DEADLOCK);
    expect_text("a full pipe", ptrt_error(), "faults.pto:15: deadlock: every core that is left");
    expect_text("a full pipe", ptrt_error(), "block 0 cube core 0 at line 15 (pto.tpush: no free");
    expect_text("who has ended", ptrt_error(), "ended: block 0 vector core 0 and 1 more");
    expect_i64("taken and not given back", traffic(slots, 9, 9, false), PTRT_E_DEADLOCK);
    expect_i64("a peer that ends early", traffic(slots, 3, 4, true), PTRT_E_DEADLOCK);
    expect_text("a peer", ptrt_error(), "at line 25 (pto.tpop: no entry)");
    expect_text("a peer", ptrt_error(), "ended: block 0 cube core 0");
    expect_i64("another entry", mismatch(slots), PTRT_E_BOUNDS);
    expect_text("another entry", ptrt_error(), "faults.pto:43: pto.tpop: a tile of 2048 bytes");
    expect_i64("once more", traffic(slots, 20, 20, true), 0);
}

static void grids(void) {
    static int32_t y[10000];
    const int64_t huge = INT64_C(1) << 40;
    for (int i = 0; i < 2; i++)
        expect_i64("10000 blocks meet", meet_grid(10000, y, -1), 0);
    int arrived = 0;
    for (int i = 0; i < 10000; i++)
        arrived += y[i];
    expect_i64("all came", arrived, 10000);
    expect_i64("one is missing", meet_grid(1000, y, 7), PTRT_E_DEADLOCK);
    expect_text("one is missing", ptrt_error(), "at line 55 (pto.syncall) and 998 more there");
    expect_i64("too many at once", meet_grid(huge, y, -1), PTRT_E_ARG);
    expect_i64("no block", alone_grid(0, y), 0);
    expect_i64("negative", alone_grid(-1, y), PTRT_E_ARG);
    expect_text("negative", ptrt_error(), "number of blocks");
    expect_i64("most negative", alone_grid(INT64_MIN, y), PTRT_E_ARG);
    expect_i64("too many", alone_grid(huge + 1, y), PTRT_E_ARG);
    expect_i64("and no block that meets", meet_grid(0, y, -1), 0);
}

int main(void) {
    pipes();
    grids();
    return wrong != 0;
}
