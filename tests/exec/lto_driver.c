/* SPDX-License-Identifier: Apache-2.0 */
/* Built together with emitted C at -O3 and with link-time optimisation: the emitted functions are
 * inlined here, next to typed accesses of the same arrays. */
#include <stdint.h>

int bump(float *x, int64_t n);
int add_tiles(float *x, float *y);
int drive(void);

int drive(void) {
    static float x[512], y[512];
    for (int i = 0; i < 512; i++)
        x[i] = (float)i;
    if (bump(x, 512) != 0) return 1;
    /* A compiler that believes x unchanged would find the old values. */
    for (int i = 0; i < 512; i++)
        if (x[i] != (float)i + 1.0f) return 2;
    for (int i = 0; i < 512; i++)
        x[i] = -x[i];
    if (add_tiles(x, y) != 0) return 3;
    for (int i = 0; i < 512; i++)
        if (y[i] != -(float)i + 1.0f) return 4; /* -(i + 1) + 2 */
    /* The same array as source and destination. */
    if (add_tiles(y, y) != 0) return 5;
    for (int i = 0; i < 512; i++)
        if (y[i] != -(float)i + 3.0f) return 6;
    return 0;
}
