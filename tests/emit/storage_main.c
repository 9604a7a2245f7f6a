/* SPDX-License-Identifier: Apache-2.0 */
/* storage.pto: arrays, records and event ids of a core; what it prints; pto.trap. */
#include "storage.h"

#include "expect.h"

static void arrays(void) {
    int32_t sum = 0;
    for (int r = 0; r < 3; r++) {
        expect_i64("table", table(r, &sum), 0);
        expect_i64("sum", sum, 40 * r + 6);
    }
    expect_i64("row 3", table(3, &sum), PTRT_E_VALID);
    expect_text("row 3", ptrt_error(),
                "storage.pto:24: pto.local_array_get: must hold: array: indices lie inside");
    expect_i64("row -1", table(-1, &sum), PTRT_E_VALID);
    float x = 0;
    expect_i64("kinds", kinds(2.5f, &x), 0);
    expect_i64("positive", x == 2.5f, 1);
    expect_i64("kinds", kinds(-2.5f, &x), 0);
    expect_i64("negative", x == 0, 1);
}

static void records(void) {
    int64_t y[2] = {0};
    expect_i64("record", record(INT64_C(1) << 40, y), 0);
    expect_i64("first", y[0], (INT64_C(1) << 40) + 5);
    expect_i64("second", y[1], (INT64_C(1) << 40) + 5);
}

static void ids(void) {
    expect_i64("set and waited for", events(2, 5, false), 0);
    expect_i64("never set", events(2, 5, true), PTRT_E_SYNC);
    expect_text("never set", ptrt_error(), "event 5 from PIPE_MTE2 to PIPE_V was never set");
    expect_i64("no such event", events(0, 8, false), PTRT_E_ARG);
    expect_i64("no such place", events(3, 0, false), PTRT_E_VALID);
    expect_text("no such place", ptrt_error(), "storage.pto:75: pto.eventid_array_set: must hold");
}

static void printed(void) {
    static const char want[] =
        "i = -5\nfffffffb 100%   +1.500|\n1.500000 0.5 200\n1\n"
        "TPRINT 1x2\n  0.0000   1.0000\n"
        "TPRINT 1x2\n  0.000000   1.000000\n"
        "TPRINT 2x3\n      -1        1        2\n       3        4        5\n";
    static const ptrt_tile_type type = {PTRT_F32,          PTRT_VEC, PTRT_ROW_MAJOR,
                                        PTRT_NONE_BOX,     512,      PTRT_PAD_NULL,
                                        PTRT_COMPACT_NULL, 8,        32};
    static float xs[256] = {0, 1};
    static int8_t bytes[6] = {-1, 1, 2, 3, 4, 5};
    char got[sizeof want + 64] = "";
    ptrt_tile t;
    expect_i64("init", ptrt_tile_init(&t, &type, xs, sizeof xs, 1, 2), 0);
    FILE *to = freopen("printed.txt", "w", stdout);
    int code = numbers(-5, 1.5f, 0x3800, 200);
    if (code == 0) code = tiles(&t, bytes, 2);
    int many = tiles(&t, bytes, INT64_C(1) << 40);
    fclose(to);
    to = freopen("rest.txt", "w", stdout);
    FILE *from = fopen("printed.txt", "r");
    size_t n = from != NULL ? fread(got, 1, sizeof got - 1, from) : 0;
    if (from != NULL) fclose(from);
    got[n] = '\0';
    expect_i64("printed", code, 0);
    expect_text("text", got, want);
    expect_i64("too many", many, PTRT_E_ARG);
}

int main(void) {
    arrays();
    records();
    ids();
    expect_i64("no trap", trapped(false), 0);
    expect_i64("trap", trapped(true), PTRT_E_TRAP);
    expect_text("trap", ptrt_error(), "storage.pto:107: pto.trap");
    int before = wrong;
    printed();
    if (wrong != before) fprintf(stderr, "printed text differs\n");
    return wrong != 0;
}
