/* SPDX-License-Identifier: Apache-2.0 */
/* Changing the text of a program, for statements that need others around them: every single change
 * of one statement's attributes, operands and types. */
#ifndef TESTS_VERIFIER_MUTATE_TEXT_H
#define TESTS_VERIFIER_MUTATE_TEXT_H

#include "verifier/rules/rows.h"
#include "verifier/verify.h"

typedef struct TextMutation {
    const Inst *inst;
    VerifyOptions opt; /* on_broken hears what the changed programs break */
    bool (*enough)(void *user);
    void *user;
    unsigned tries;
} TextMutation;

/* Judges the program with each change of the first statement of the instruction, until it is
 * enough. */
void mutate_text(TextMutation *m, const char *text, size_t size);

#endif
