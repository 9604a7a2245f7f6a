/* SPDX-License-Identifier: Apache-2.0 */
/* Code of single work items: launches, sections, functions. */
#ifndef VERIFIER_STRUCTURE_SIMT_H
#define VERIFIER_STRUCTURE_SIMT_H

#include "verifier/structure/structure.h"

/* Judges pto.section.simt: where it is, and how many work items it has. */
void check_simt_section(Verifier *v, const Op *op);
/* Judges the function that pto.simt_launch names, and what is passed to it. */
void check_simt_launch(Verifier *v, const Op *op);
/* Judges a variable of work items that outlives their launch. */
void check_fragment(Verifier *v, const Op *op);
/* Judges the attributes of a function that are about work items. */
void check_simt_attrs(Verifier *v, const Op *func);

#endif
