/* Kinds of cores: sections, pto.kernel_kind, and code that names neither. */
#ifndef VERIFIER_KERNELS_H
#define VERIFIER_KERNELS_H

#include "verifier/structure.h"

/* The kind that a module, function or section gives its body; CORE_ANY when it gives none. */
Core given_core(const Verifier *v, const Op *op);
/* Reports a statement in code for one kind of core (v->core) that only the other kind runs, and one
 * that needs code for a kind and is in code for none. */
void check_core(Verifier *v, const Op *op);
/* Remembers a statement whose pipe does not determine the core. */
void note_core(Verifier *v, const Op *op);
void check_section(Verifier *v, const Op *op);
/* After the walk: code that only the remembered statements are in. */
void verify_kernels(Verifier *v);
/* Children of a module: what is beside them, and those for several backends. */
void check_backends(Verifier *v, const Op *module);

/* ---- helpers.c ---- */

/* True when the function has pto.tileop.helper; false for NULL. */
bool is_helper(const Verifier *v, const Op *func);
/* Checks such a function and its statements. */
void verify_helper(Verifier *v, const Op *func);

#endif
