/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions of the rule vocabulary (docs/rules.md): one record for each name of
 * rules/conditions.def, with its evaluation and its texts. The other files here define the
 * records, by subject. */
#ifndef VERIFIER_RULES_CONDITIONS_CONDITION_H
#define VERIFIER_RULES_CONDITIONS_CONDITION_H

#include "verifier/rules/describe.h"
#include "verifier/rules/sharing.h"
#include "verifier/rules/terms.h"
#include "verifier/rules/words.h"

/* What a condition looks at. */
typedef enum ConditionKind {
    BY_TYPE, /* types of operands alone: the answer for a combination of types is remembered */
    BY_VALUE /* constants, counts, storage, attributes */
} ConditionKind;

typedef struct Condition {
    uint8_t kind;  /* ConditionKind */
    uint8_t topic; /* RuleTopic */
    uint16_t id;   /* DiagId that most of its rows report; DIAG_COUNT: no default */
    bool each;     /* each operand of a list is judged separately */
    bool has_pairs;
    bool says_type; /* explain() names the types, or they do not matter */
    bool no_reason; /* messages leave the guard of the row out */
    /* Text between the message and the guard as its reason; NULL: none. */
    const char *before_reason;
    /* How to correct the statement; NULL: as the documentation of the id says. */
    const char *fix;
    /* Evaluates the condition; it holds for absent operands and templates. UNKNOWN: only run time
     * can decide. */
    Answer (*judge)(const Case *c, const Rule *r);
    /* Writes what was found and what was expected, after a failure. */
    void (*explain)(const Case *c, const Rule *r, StrBuf *out);
    /* Writes what a row demands, as a clause. */
    void (*describe)(const InstRow *r, StrBuf *out);
} Condition;

/* Defines the record of a condition with functions named after it. */
#define CONDITION(name, ...)                                                                       \
    const Condition cond_##name = {.judge = judge_##name,                                          \
                                   .explain = explain_##name,                                      \
                                   .describe = describe_##name,                                    \
                                   __VA_ARGS__}

#define COND(name) extern const Condition cond_##name;
#include "verifier/rules/conditions.def"
#undef COND
extern const Condition *const conditions[C_COUNT];

#endif
