/* SPDX-License-Identifier: Apache-2.0 */
/* checks.pto: one passing and one failing run of each condition; the text names the line. */
#include "checks.h"

#include "expect.h"

static int32_t y[256];
static int16_t z[256];

static void valid_regions(void) {
    expect_i64("equal", add(y, 3, 4, 3, 4, 7), 0);
    expect_i64("sum", y[2 * 16 + 3], 14);
    expect_i64("outside", y[2 * 16 + 4], 0);
    expect_i64("rows differ", add(y, 3, 4, 4, 4, 7), PTRT_E_VALID);
    expect_text("rows", ptrt_error(), "checks.pto:12: pto.tadds");
    expect_i64("columns differ", add(y, 3, 4, 3, 5, 7), PTRT_E_VALID);
    expect_text("columns", ptrt_error(), "checks.pto:12: pto.tadds");
    expect_i64("above the shape", add(y, 3, 17, 3, 17, 7), PTRT_E_VALID);
    expect_text("allocation", ptrt_error(), "checks.pto:9:");
    expect_i64("negative", add(y, -1, 4, -1, 4, 7), PTRT_E_VALID);
}

static void addresses(void) {
    expect_i64("apart", mask(z, 0, 512, 0x55), 0);
    expect_i64("masked", z[255], 0x55);
    expect_i64("the same", mask(z, 1024, 1024, 0x55), PTRT_E_OVERLAP);
    expect_text("text", ptrt_error(), "checks.pto:27: pto.tands");
    expect_i64("in part", mask(z, 1024, 1504, 0x55), PTRT_E_OVERLAP);
    expect_i64("after", mask(z, 1024, 1536, 0x33), 0);
    expect_i64("beyond the space", mask(z, 0, (int64_t)1 << 40, 1), PTRT_E_BOUNDS);
    expect_text("text", ptrt_error(), "checks.pto:25:");
    expect_i64("negative", mask(z, -512, 0, 1), PTRT_E_BOUNDS);
    expect_i64("not aligned", mask(z, 8, 1024, 1), PTRT_E_ALIGN);
    expect_i64("moved", moved(y, true, 2048), 0);
    expect_i64("the old place", y[0], 5);
    expect_i64("not moved", moved(y, false, 2048), 0);
    expect_i64("the old place", y[255], 5);
    expect_i64("moved onto itself", moved(y, true, 0), 0);
    expect_i64("overwritten", y[255], 6);
    expect_i64("a loop that runs", moved_in_while(y, 2, 2048), 0);
    expect_i64("the second region has the old place", y[255], 5);
    expect_i64("a loop that ends at once", moved_in_while(y, 0, 2048), 0);
    expect_i64("after it the old place", y[255], 6);
}

static void pointers(void) {
    int32_t o[1] = {0};
    y[3] = 33;
    expect_i64("no regions", peek(y, o, 3), 0);
    expect_i64("element", o[0], 33);
    expect_i64("region", ptrt_region_add(y, sizeof y), 0);
    expect_i64("region", ptrt_region_add(o, sizeof o), 0);
    expect_i64("inside", peek(y, o, 255), 0);
    expect_i64("outside", peek(y, o, 256), PTRT_E_BOUNDS);
    expect_text("text", ptrt_error(), "checks.pto:54: pto.load_scalar");
    expect_i64("before", peek(y, o, -1), PTRT_E_BOUNDS);
    ptrt_region_clear();
    expect_i64("onchip", onchip(64, o, 5, 99), 0);
    expect_i64("read back", o[0], 99);
    expect_i64("outside", onchip(64, o, 1 << 28, 99), PTRT_E_BOUNDS);
}

int main(void) {
    valid_regions();
    addresses();
    pointers();
    return wrong != 0;
}
