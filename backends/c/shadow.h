/* SPDX-License-Identifier: Apache-2.0 */
/* C for `ptoasm run --shadow=f64`: every statement that computes floats also does so in f64. */
#ifndef BACKENDS_C_SHADOW_H
#define BACKENDS_C_SHADOW_H

#include "backends/c/emitter.h"

/* Before the call of a kernel whose arguments are `texts`: computes in f64 what it will. */
void shadow_before(Emitter *e, const LowerStmt *s, const char *const *texts);
/* After a statement: compares what it wrote, or notes that nothing in f64 follows it. */
void shadow_after(Emitter *e, const LowerStmt *s);

#endif
