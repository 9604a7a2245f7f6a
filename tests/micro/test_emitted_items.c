/* SPDX-License-Identifier: Apache-2.0 */
/* test_emitted_items.c - what items.pto computes on this machine, emitted and compiled. */
#include "ptort.h"

#include <stdio.h>

int items(int32_t *out, int32_t bias);

enum { COUNT = 64, WARP = 32 };

/* The sum of the squares of the numbers in the warp of a work item. */
static int32_t squares(int n) {
    int32_t sum = 0;
    for (int i = n / WARP * WARP, end = i + WARP; i < end; i++)
        sum += i * i;
    return sum;
}

int main(void) {
    const int32_t bias = 1000;
    int32_t out[2 * COUNT] = {0};
    int failures = 0;
    if (items(out, bias) != 0) {
        printf("failed: %s\n", ptrt_error());
        return 1;
    }
    for (int n = 0; n < COUNT; n++) {
        const int32_t odd = n % 2 != 0 ? (int32_t)0xAAAAAAAA : bias;
        failures += out[n] != squares(COUNT - 1 - n);
        failures += out[COUNT + n] != odd + 1;
    }
    if (failures > 0) printf("%d of %d numbers differ\n", failures, 2 * COUNT);
    return failures > 0;
}
