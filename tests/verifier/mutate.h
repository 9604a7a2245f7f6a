/* SPDX-License-Identifier: Apache-2.0 */
/* Legal programs in which a rule counts, and programs that break just that rule: found by the
 * search of explain/example.h. */
#ifndef TESTS_VERIFIER_MUTATE_H
#define TESTS_VERIFIER_MUTATE_H

#include "explain/example_impl.h"

/* A legal program of the instruction; false when none is found. */
bool mutate_plain(Example *e, const Inst *inst, Profile profile, ExampleBench *bench);
/* A legal program in which the guards of `row` are open: the plain one, or another; false when none
 * is found. `compat`: as the vendor's assembler judges. */
bool mutate_base(Example *e, const Example *plain, const RuleRow *row, bool compat);
/* Changes a legal program until `row` is the first rule that its statement breaks (and `check`
 * rejects it, or warns where the row is a warning); false when no change was found. */
bool mutate_break(Example *e, const RuleRow *row);

/* Level 3: tiles one after the other in each space. */
void mutate_place(Example *e);

#endif
