/* SPDX-License-Identifier: Apache-2.0 */
/* on_core.h - runs test code on a core. */
#ifndef TESTS_RUNTIME_ON_CORE_H
#define TESTS_RUNTIME_ON_CORE_H

#include "ptort_emitted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define SPACE_BYTES 65536

/* Runs fn on one vector core with SPACE_BYTES in vec, mat and acc; returns what it returned. */
int on_core(int (*fn)(ptrt_core *, void *), void *arg);
int on_checked_core(int (*fn)(ptrt_core *, void *), void *arg);

#endif
