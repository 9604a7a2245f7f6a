/* SPDX-License-Identifier: Apache-2.0 */
/* C for `ptoasm run --trap=nan`: finds the statement that makes NaN or infinity. */
#ifndef BACKENDS_C_TRAP_H
#define BACKENDS_C_TRAP_H

#include "backends/c/emitter.h"

/* Before a statement: tests its inputs. Returns false when it computes no float tile of any. */
bool trap_before(Emitter *e, const LowerStmt *s);
/* After it: fails if they were finite, and what it wrote is not. */
void trap_after(Emitter *e, const LowerStmt *s);

#endif
