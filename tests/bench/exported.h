/* SPDX-License-Identifier: Apache-2.0 */
/* A text for benchmarks made of kernels that a compiler exported. */
#ifndef TESTS_BENCH_EXPORTED_H
#define TESTS_BENCH_EXPORTED_H

#include "generate.h"

/* The programs under `folder` in folders whose names begin with DeepseekV4, those of at most `most`
 * bytes a line, in the order of their paths, repeated to about `size` bytes. A line counts as a
 * statement. text is NULL when there are none. */
Program exported_program(const char *folder, size_t size, unsigned most);

#endif
