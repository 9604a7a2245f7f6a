/* SPDX-License-Identifier: Apache-2.0 */
/* Warns of buffers that a loop overwrites although it still reads what the previous iteration left
 * there. */
#ifndef VERIFIER_LINTS_LOOP_STORAGE_H
#define VERIFIER_LINTS_LOOP_STORAGE_H

#include "verifier/rules/run.h"

void check_loop_storage(Judge *j, Op *func);

#endif
