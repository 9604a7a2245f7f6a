/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: bytes -> check -> fmt -> check. What check accepts, fmt prints in every form,
 * check accepts again, and a second print is identical, as it is in the form that it was printed
 * in. Nothing may crash, leak or hang, whatever the bytes. */
#include "tests/fuzz/round_trip.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte of the input chooses the options, so that all of them are tried. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    char *text = malloc(size);
    if (text == NULL) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    fuzz_text(data[0], text, size - 1);
    free(text);
    return 0;
}
