/* SPDX-License-Identifier: Apache-2.0 */
/* The terms of an attempt: values as all cores of a launch know them. */
#ifndef ANALYSIS_LAUNCH_VALUES_H
#define ANALYSIS_LAUNCH_VALUES_H

#include "analysis/launch/attempt.h"

const Term *term_constant(Attempt *a, int64_t c);
const Term *term_not(Attempt *a, const Term *t);
/* Returns the number of iterations of a paired loop that ended. */
const Term *term_count(Attempt *a, const Item *loop);
/* Returns the term of an integer or pointer that a core uses in `env`. */
const Term *term_of(Attempt *a, unsigned core, const Value *v, const Env *env);
/* Returns the term of what a statement decides by itself. */
const Term *term_of_op(Attempt *a, unsigned core, const Op *op, const Env *env);
/* Return what decides a branch, and how often a loop runs. */
const Term *term_condition(Attempt *a, unsigned core, const Op *branch, const Env *env);
const Term *term_trips(Attempt *a, unsigned core, const Step *loop, const Env *env);

#endif
