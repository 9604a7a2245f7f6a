/* SPDX-License-Identifier: Apache-2.0 */
/* flow.pto: results worked out by hand. */
#include "flow.h"

#include "expect.h"

static void loops(void) {
    int64_t o[3];
    expect_i64("loop", loop(o, 2, 11, 3), 0); /* 2 + 5 + 8, three swaps */
    expect_i64("sum", o[0], 15);
    expect_i64("a", o[1], 2);
    expect_i64("b", o[2], 1);
    expect_i64("no turn", loop(o, 5, 5, 1), 0);
    expect_i64("no sum", o[0] + o[1] * 10, 10);
    expect_i64("near the end", loop(o, INT64_MAX - 1, INT64_MAX, 5), 0);
    expect_i64("its sum", o[0], INT64_MAX - 1);
    expect_i64("step 0", loop(o, 0, 1, 0), PTRT_E_ARG);
    expect_text("step 0 text", ptrt_error(), "flow.pto:8:");
    expect_i64("step -1", loop(o, 0, 1, -1), PTRT_E_ARG);
    expect_i64("narrow", narrow(o, 32700, 32767, 50), 0);
    expect_i64("turns", o[0], 2);
    expect_i64("narrow all", narrow(o, -32768, 32767, 32767), 0);
    expect_i64("turns", o[0], 3);
}

static void regions(void) {
    int64_t o[9];
    expect_i64("nest", nest(o, 3), 0);
    for (int i = 0; i < 9; i++)
        expect_i64("o", o[i], i / 3 < i % 3 ? 1 : 2);
    for (int c = 0; c < 4; c++) {
        static const int64_t want[] = {20, 20, 20 - 30, 10 - 30};
        expect_i64("choose", choose(o, c >= 2, c % 2 != 0), 0);
        expect_i64("chosen", o[0], want[c]);
    }
    expect_i64("gcd", gcd(o, 1071, 462), 0);
    expect_i64("gcd of 1071 and 462", o[0], 21);
    expect_i64("gcd", gcd(o, 17, 0), 0);
    expect_i64("gcd of 17 and 0", o[0], 17);
}

static void blocks(void) {
    int64_t o[2];
    expect_i64("collatz", collatz(o, 27), 0);
    expect_i64("steps of 27", o[0], 111);
    expect_i64("collatz", collatz(o, 1), 0);
    expect_i64("steps of 1", o[0], 0);
    for (int n = 0; n < 4; n++) {
        expect_i64("swap", swap(o, n), 0);
        expect_i64("a and b", o[0] * 10 + o[1], n % 2 == 0 ? 56 : 65);
    }
    static const int64_t is[] = {2, 5, 3}, want[] = {10, 11, 12};
    for (int k = 0; k < 3; k++) {
        expect_i64("index_switch", index_switch(o, is[k]), 0);
        expect_i64("case", o[0], want[k]);
    }
    expect_i64("region", region(o, true), 0);
    expect_i64("first yield", o[0], 20);
    expect_i64("region", region(o, false), 0);
    expect_i64("second yield", o[0], 11);
}

static void errors(void) {
    int64_t o[1] = {0};
    expect_i64("assert", stops(o, false, 1), PTRT_E_ASSERT);
    expect_text("assert text", ptrt_error(), "no 100% \"luck\"");
    expect_i64("nothing stored", o[0], 0);
    expect_i64("assert holds", stops(o, true, 1), 0);
    expect_i64("stored", o[0], 1);
}

static void functions(void) {
    int64_t o[4];
    expect_i64("calls", calls(o, -17, 5), 0);
    expect_i64("quotient", o[0], -3);
    expect_i64("rest", o[1], -2);
    expect_i64("not even", o[2], 0);
    expect_i64("calls", calls(o, 15, 5), 0);
    expect_i64("even", o[2], 1);
    expect_i64("queries", queries_grid(4, o), 0);
    for (int i = 0; i < 4; i++)
        expect_i64("query", o[i], 401);
}

int main(void) {
    loops();
    regions();
    blocks();
    errors();
    functions();
    return wrong != 0;
}
