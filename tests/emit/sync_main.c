/* SPDX-License-Identifier: Apache-2.0 */
/* sync.pto: who waits goes on when the others have signalled, and not before; what does not come is
 * told with its line. */
#include "sync.h"

#include "expect.h"

static void asks(void) {
    int32_t y[8] = {0};
    expect_i64("ask", ask(y, 5), 0);
    expect_i64("sum", y[2], 15);
    expect_i64("vector core 0", y[3], 15);
    expect_i64("vector core 1", y[4], 15);
    expect_i64("no such event", ask(y, 16), PTRT_E_ARG);
    expect_text("no such event", ptrt_error(),
                "sync.pto:17: pto.sync.wait: must hold: event_id_dyn");
    expect_i64("another event", ask(y, 6), PTRT_E_DEADLOCK);
    expect_text("another event", ptrt_error(), "block 0 vector core 0 at line 17 (pto.sync.wait)");
    memset(y, 0, sizeof y);
    expect_i64("ask", ask_intra(y, 4), 0);
    expect_i64("sum", y[0], 14);
    expect_i64("another event", ask_intra(y, 5), PTRT_E_DEADLOCK);
}

static void blocks(void) {
    static int32_t y[64];
    for (int n = 1; n <= 32; n *= 2) {
        memset(y, 0, sizeof y);
        expect_i64("around", around_grid(n, y, 2), 0);
        for (int i = 0; i < n; i++)
            expect_i64("next", y[n + i], (i + 1) % n);
    }
    int32_t counter[16] = {0};
    expect_i64("meet", meet_grid(7, y, counter, 0), 0);
    expect_i64("arrivals", counter[0], 7);
    expect_i64("meet", meet_grid(8, y, counter, 1), 0);
    expect_i64("arrivals", counter[0], 15);
    memset(counter, 0, sizeof counter);
    expect_i64("nine of eight", meet_grid(8, y, counter, 9), PTRT_E_DEADLOCK);
    expect_text("nine of eight", ptrt_error(), "at line 89 (pto.syncall) and 7 more there");
    expect_i64("negative", meet_grid(8, y, counter, -1), PTRT_E_ARG);
}

static void inside(void) {
    expect_i64("pipes", pipes(false, 3, false), 0);
    expect_i64("set twice", pipes(true, 3, false), PTRT_E_SYNC);
    expect_text("set twice", ptrt_error(), "sync.pto:100: pto.set_flag: event 0 from PIPE_V");
    expect_i64("taken twice", pipes(false, 3, true), PTRT_E_SYNC);
    expect_text("taken twice", ptrt_error(), "pto.get_buf: PIPE_MTE2 has token 3 already");
    expect_i64("no such token", pipes(false, 32, false), PTRT_E_ARG);
}

int main(void) {
    asks();
    blocks();
    inside();
    return wrong != 0;
}
