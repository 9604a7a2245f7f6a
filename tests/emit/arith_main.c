/* SPDX-License-Identifier: Apache-2.0 */
/* arith.pto against a model of its own: integers of n bits computed on wide ones. */
#include "arith.h"

#include "expect.h"

#include <math.h>

enum { RESULTS = 36 };

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

/* The value of the low n bits with their sign. */
static int64_t wrap(wide v, int n) {
    wide m = (wide)1 << n;
    v &= m - 1;
    return (int64_t)(v >= m / 2 ? v - m : v);
}

static wide floor_div(wide x, wide y) {
    wide q = x / y;
    return q * y != x && (x < 0) != (y < 0) ? q - 1 : q;
}

/* All results for signed x, y of n bits, in the order of the kernels. */
static void model(int64_t sx, int64_t sy, int n, int64_t *r) {
    wide x = sx, y = sy, m = (wide)1 << n;
    wide ux = x & (m - 1), uy = y & (m - 1);
    int shift = uy >= n ? n : (int)uy;
    wide all[RESULTS] = {x + y,
                         x - y,
                         x * y,
                         y == 0 ? 0 : x / y,
                         uy == 0 ? 0 : ux / uy,
                         y == 0 ? x : x % y,
                         uy == 0 ? ux : ux % uy,
                         y == 0 ? 0 : -floor_div(-x, y),
                         uy == 0 ? 0 : (ux + uy - 1) / uy,
                         y == 0 ? 0 : floor_div(x, y),
                         ux & uy,
                         ux | uy,
                         ux ^ uy,
                         shift == n ? 0 : (wide)((uwide)ux << shift),
                         floor_div(x, (wide)1 << shift),
                         ux >> shift,
                         x > y ? x : y,
                         x < y ? x : y,
                         ux > uy ? ux : uy,
                         ux < uy ? ux : uy,
                         x == y,
                         x != y,
                         x<y, x <= y, x>
                             y,
                         x >= y,
                         ux<uy, ux <= uy, ux>
                             uy,
                         ux >= uy,
                         ux + uy,
                         (ux + uy) >= m,
                         x * y,
                         floor_div(x * y, m),
                         (wide)((uwide)ux * (uwide)uy & (uwide)(m - 1)),
                         (wide)((uwide)ux * (uwide)uy >> n)};
    for (int i = 0; i < RESULTS; i++)
        r[i] = wrap(all[i], n);
}

static void compare(const char *what, int64_t x, int64_t y, const int64_t *got, const int64_t *want,
                    int64_t mask) {
    for (int i = 0; i < RESULTS; i++)
        if ((got[i] & mask) != (want[i] & mask) && ++wrong < 20)
            printf("%s %" PRId64 " %" PRId64 ": result %d is %" PRId64 ", expected %" PRId64 "\n",
                   what, x, y, i, got[i] & mask, want[i] & mask);
}

static void integers(void) {
    int64_t want[RESULTS], got[RESULTS];
    int8_t small[RESULTS];
    for (int x = -128; x < 128; x += x < -120 || x > 120 || (x > -6 && x < 6) ? 1 : 3)
        for (int y = -128; y < 128; y += y < -125 || y > 123 || (y > -12 && y < 12) ? 1 : 5) {
            expect_i64("bytes", bytes(small, (int8_t)x, (int8_t)y), 0);
            for (int i = 0; i < RESULTS; i++)
                got[i] = small[i];
            model(x, y, 8, want);
            compare("i8", x, y, got, want, 0xFF);
        }
    for (int x = 0; x < 2; x++)
        for (int y = 0; y < 2; y++) {
            expect_i64("bits", bits(small, x != 0, y != 0), 0);
            for (int i = 0; i < RESULTS; i++)
                got[i] = small[i];
            model(-x, -y, 1, want);
            compare("i1", x, y, got, want, -1 & 1);
        }
    static const int64_t edge[] = {0,
                                   1,
                                   -1,
                                   2,
                                   -2,
                                   3,
                                   7,
                                   63,
                                   64,
                                   65,
                                   -64,
                                   INT64_MAX,
                                   INT64_MIN,
                                   INT64_MIN + 1,
                                   0x123456789ABCDEF0,
                                   -0x123456789ABCDEF};
    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++)
        for (size_t j = 0; j < sizeof edge / sizeof *edge; j++) {
            expect_i64("words", words(got, edge[i], edge[j]), 0);
            model(edge[i], edge[j], 64, want);
            compare("i64", edge[i], edge[j], got, want, -1);
        }
}

static void conversions(void) {
    int64_t o[12];
    expect_i64("casts", casts(o, true, -1, -2, 0x1FF, 300.5f), 0);
    static const int64_t want[] = {-1, 1,          -1,  255, -1,         1,
                                   -2, 0xFFFFFFFE, 127, 300, 0x43964000, 0x1FF};
    for (int i = 0; i < 12; i++)
        expect_i64("cast", o[i], want[i]);
    expect_i64("casts", casts(o, false, 5, 7, 2, -1e30f), 0);
    static const int64_t want2[] = {0, 0, 5, 5, 2, 0, 7, 7, -128, 0};
    for (int i = 0; i < 10; i++)
        expect_i64("cast", o[i], want2[i]);
}

static void float_results(void) {
    float o[11];
    expect_i64("floats", floats(o, 3.0f, -2.0f, -1), 0);
    static const float want[] = {1, 5, -6, -1.5f, 3, -2, -3, 0, -1, 4294967296.0f, 3};
    for (int i = 0; i < 11; i++)
        expect_i64("float * 8", (int64_t)(o[i] * 8), (int64_t)(want[i] * 8));
    expect_i64("floats", floats(o, NAN, 1.0f, 0), 0);
    expect_i64("maximumf", isnan(o[4]) != 0, 1);
    expect_i64("minnumf", (int64_t)o[5], 1);
    expect_i64("olt", (int64_t)o[7], 0);
    expect_i64("floats", floats(o, 2049.9f, 1.0f, 0), 0);
    expect_i64("toward_zero", (int64_t)o[10], 2048);
}

static void constant_bits(void) {
    ptrt_f16 h[4];
    ptrt_bf16 b[4];
    float f[4];
    double d[2];
    int64_t l[2];
    int8_t c[2];
    uint32_t fb[4];
    uint64_t db[2];
    expect_i64("constants", constants(h, b, f, d, l, c), 0);
    memcpy(fb, f, sizeof fb);
    memcpy(db, d, sizeof db);
    static const int64_t want_h[] = {0x3E00, 0x7C00, 0x8001, 0x3C01};
    static const int64_t want_b[] = {0x3F80, 0x3F82, 0xFF80, 0x8000};
    static const int64_t want_f[] = {0x3DCCCCCD, 0x7F800000, 0x7FC00001, 0x80000000};
    for (int i = 0; i < 4; i++) {
        expect_i64("f16", h[i], want_h[i]);
        expect_i64("bf16", b[i], want_b[i]);
        expect_i64("f32", fb[i], want_f[i]);
    }
    expect_i64("f64", (int64_t)db[0], 0x3FB999999999999A);
    expect_i64("f64", (int64_t)db[1], (int64_t)0xFFF0000000000000);
    expect_i64("i64", l[0], INT64_MIN);
    expect_i64("i64", l[1], INT64_MAX);
    expect_i64("i8", c[0], -1);
    expect_i64("i8", c[1], -128);
}

int main(void) {
    integers();
    conversions();
    float_results();
    constant_bits();
    return wrong != 0;
}
