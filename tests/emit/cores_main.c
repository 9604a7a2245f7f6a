/* SPDX-License-Identifier: Apache-2.0 */
/* cores.pto: what goes through pipes arrives, every core runs its part, and what waits for nothing
 * is told with its line. */
#include "cores.h"

#include "expect.h"

#define ENTRY 256 /* elements */

static float slots[8 * ENTRY], x[8 * ENTRY], y[8 * ENTRY];

static void fill(void) {
    memset(slots, 0, sizeof slots);
    memset(y, 0, sizeof y);
    for (int i = 0; i < 8 * ENTRY; i++)
        x[i] = (float)(i + 1);
}

/* y = times * x in the first n elements, and 0 in the others. */
static void expect_y(const char *what, int n, float times) {
    int differ = 0;
    for (int i = 0; i < 8 * ENTRY; i++)
        differ += y[i] != (i < n ? times * x[i] : 0.0f);
    expect_i64(what, differ, 0);
}

static void whole_entries(void) {
    fill();
    expect_i64("more entries than slots", there(slots, x, y, 7, 0), 0);
    expect_y("doubled", 7 * ENTRY, 2);
    fill();
    expect_i64("no entry", there(slots, x, y, 0, 0), 0);
    expect_y("nothing", 0, 0);
    fill();
    expect_i64("views", views_cube(slots, x, y, 8), 0);
    expect_y("through views", 8 * ENTRY, 1);
}

static void shared_entries(void) {
    fill();
    expect_i64("both ways", both_ways(slots, x, y, 0, 0), 0);
    expect_y("there and back", ENTRY, 1);
    fill();
    expect_i64("odd rows", odd_rows(slots, 13, x, 0, slots, 13, y), 0);
    expect_y("13 rows", 13 * 16, 1);
    fill();
    expect_i64("even rows", odd_rows(slots, 12, x, 0, slots, 12, y), PTRT_E_VALID);
    expect_text("parity", ptrt_error(), "cores.pto:131: pto.tpush_to_aiv: must hold: entry");
    fill();
    expect_i64("sections", sections(slots, x, y, 0, 512), 0);
    expect_y("through a value", ENTRY, 1);
    ptrt_set_subblocks(1);
    expect_i64("one vector core", sections(slots, x, y, 0, 512), PTRT_E_ARG);
    ptrt_set_subblocks(0);
}

static void kinds(void) {
    int32_t w[12] = {0};
    expect_i64("one block", who(w, 1), 0);
    expect_i64("cube", w[3], 10);
    expect_i64("vector core 0", w[4], 10);
    expect_i64("vector core 1", w[5], 11);
    expect_i64("four blocks", who_grid(4, w), 0);
    for (int b = 0; b < 4; b++) {
        expect_i64("cube", w[3 * b], 10 * b);
        expect_i64("vector core 0", w[3 * b + 1], 10 * b);
        expect_i64("vector core 1", w[3 * b + 2], 10 * b + 1);
    }
}

static void deadlock(void) {
    expect_i64("stuck", stuck(slots), PTRT_E_DEADLOCK);
    expect_text("the cube core", ptrt_error(), "cube core 0 at line 279 (pto.tpush");
    expect_text("a vector core", ptrt_error(), "vector core 1 at line 286 (pto.tpop");
}

int main(void) {
    whole_entries();
    shared_entries();
    kinds();
    deadlock();
    return wrong != 0;
}
