/* SPDX-License-Identifier: Apache-2.0 */
/* Warns of accumulators that are read with another pitch than they were written with. */
#ifndef VERIFIER_LINTS_ACC_PITCH_H
#define VERIFIER_LINTS_ACC_PITCH_H

#include "verifier/rules/run.h"

/* Looks at a function with matrix products, for each chip that is judged. */
void check_acc_pitch(Judge *j, Op *func);

#endif
