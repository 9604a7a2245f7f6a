/* SPDX-License-Identifier: Apache-2.0 */
/* The property that both fuzz targets test. */
#ifndef TESTS_FUZZ_ROUND_TRIP_H
#define TESTS_FUZZ_ROUND_TRIP_H

#include <stddef.h>
#include <stdint.h>

/* Checks the text; what is accepted is printed in every form, checked again and printed again.
 * Stops the program where that fails. `bits` choose the options. */
void fuzz_text(uint8_t bits, const char *text, size_t size);

#endif
