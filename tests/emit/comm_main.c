/* SPDX-License-Identifier: Apache-2.0 */
/* comm.pto on one rank: results worked out by hand. */
#include "comm.h"

#include "expect.h"

static void points(void) {
    int32_t d[3 * 16], s[3 * 16], b[3 * 16];
    for (int i = 0; i < 48; i++) {
        d[i] = -i;
        s[i] = 100 * i;
        b[i] = 7;
    }
    expect_i64("point", point(d, s, b, 3), 0);
    for (int i = 0; i < 48; i++) {
        int c = i % 16;
        expect_i64("put twice", d[i], c >= 1 && c <= 8 ? 200 * i : -i);
        expect_i64("got", b[i], c >= 8 ? 200 * (i - 7) : 7);
    }
    expect_i64("no rows", point(d, s, b, 0), 0);
    expect_i64("rows below none", point(d, s, b, -1), PTRT_E_VALID);
    expect_text("rows below none: text", ptrt_error(),
                "comm.pto:17: pto.comm.tput: an extent of dst is -1");
}

static void signal_words(void) {
    int32_t s[2] = {3, 7}, seen[4] = {9, 9, 9, 9};
    expect_i64("signals", signals(s, seen, 10), 0);
    expect_i64("the first element counts", s[0], 10);
    expect_i64("the second stays", s[1], 7);
    expect_i64("all > 7", seen[0], 0);
    expect_i64("first < 7", seen[1], 0);
    expect_i64("first > 7, as pto.cmp", seen[2], 1);
    expect_i64("first <= 7, as pto.cmp", seen[3], 0);
    expect_i64("in vain", signals(s, seen, 11), PTRT_E_DEADLOCK);
    expect_text("in vain: text", ptrt_error(), "comm.pto:52: deadlock: every core waits:");
}

static void groups(void) {
    float w[48], m[3][16], sum[16], rows[48];
    for (int i = 0; i < 48; i++)
        w[i] = i < 16 ? 1e8F : i < 32 ? 3.0F : -1e8F;
    expect_i64("group", group(w, m[0], m[1], m[2], sum, rows), 0);
    for (int i = 0; i < 48; i++) {
        expect_i64("gathered backwards", rows[i] == w[(2 - i / 16) * 16 + i % 16], 1);
        expect_i64("broadcast", m[i / 16][i % 16] == sum[i % 16], 1);
    }
    volatile float want = 3.0F; /* the root's first */
    want = want + 1e8F;
    want = want - 1e8F;
    expect_i64("sum in order", sum[5] == want, 1);
}

static void session(void) {
    float d[64] = {0}, s[64], b[64] = {0};
    int8_t ws[64] = {0};
    int32_t done = 0;
    for (int i = 0; i < 64; i++)
        s[i] = (float)i;
    expect_i64("sessions", sessions(d, s, b, ws, &done), 0);
    expect_i64("done", done, 1);
    expect_i64("put and got", memcmp(d, s, sizeof d) | memcmp(b, s, sizeof b), 0);
}

int main(void) {
    points();
    signal_words();
    groups();
    session();
    return wrong != 0;
}
