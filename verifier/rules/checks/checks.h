/* SPDX-License-Identifier: Apache-2.0 */
/* The named functions that rows of CHECK point to (verifier/rules/checks.def). */
#ifndef VERIFIER_RULES_CHECKS_CHECKS_H
#define VERIFIER_RULES_CHECKS_CHECKS_H

#include "verifier/rules/sharing.h"
#include "verifier/rules/terms.h"
#include "verifier/rules/words.h"

#define CHECK_FN(name, demand) CheckFn name;
#include "verifier/rules/checks.def"
#undef CHECK_FN

#endif
