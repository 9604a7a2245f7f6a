/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of cores: sections, pto.kernel_kind, and code that names neither. */
#ifndef VERIFIER_STRUCTURE_CORE_KINDS_H
#define VERIFIER_STRUCTURE_CORE_KINDS_H

#include "verifier/structure/structure.h"

/* Reports a statement in code for one kind of core (v->core) that only the other kind runs, and a
 * pipe statement that is in code for no kind. */
void check_core(Verifier *v, const Op *op);
/* Remembers a statement whose pipe does not determine the core. */
void note_core(Verifier *v, const Op *op);
void check_section(Verifier *v, const Op *op);
/* Reports, after the walk, code whose kind of core only noted statements could determine. */
void verify_kernels(Verifier *v);
/* Reports a left tile of a product in a module for a5 that is judged for a2a3: the vendor's
 * assembler reads the layout for the one and judges it for the other. */
void check_left_of_target(Verifier *v, const Op *op);
/* Checks the child modules of `module`: with several there are no functions beside them, and
 * children for the vpto backend name their kind of core. */
void check_backends(Verifier *v, const Op *module);

/* ---- tileop_helpers.c ---- */

/* True when the function has pto.tileop.helper; false for NULL. */
bool is_helper(const Op *func);
/* Checks a function with pto.tileop.helper and its statements. */
void verify_helper(Verifier *v, const Op *func);

#endif
