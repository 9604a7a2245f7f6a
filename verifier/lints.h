/* Findings about legal programs that are hardly meant. */
#ifndef VERIFIER_LINTS_H
#define VERIFIER_LINTS_H

#include "ir/ir.h"

/* Adds warnings to the module's context; the module is legal. */
void lint_module(Module *m);

#endif
