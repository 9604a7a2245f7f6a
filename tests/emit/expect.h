/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons for the harnesses of emitted kernels. */
#ifndef TESTS_EMIT_EXPECT_H
#define TESTS_EMIT_EXPECT_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int wrong;

static inline void expect_i64(const char *what, int64_t got, int64_t want) {
    if (got == want) return;
    wrong++;
    printf("%s: %" PRId64 ", expected %" PRId64 "\n", what, got, want);
}

static inline void expect_text(const char *what, const char *got, const char *part) {
    if (strstr(got, part) != NULL) return;
    wrong++;
    printf("%s: '%s' does not contain '%s'\n", what, got, part);
}

#endif
