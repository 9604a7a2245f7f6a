/* SPDX-License-Identifier: Apache-2.0 */
/* Writes rules as sentences, for `ptoasm explain` and the pages made from the tables. */
#ifndef VERIFIER_RULES_DESCRIBE_H
#define VERIFIER_RULES_DESCRIBE_H

#include "verifier/rules/rows.h"

/* What a rule is about; the order in which rules are listed. */
typedef enum RuleTopic {
    TOPIC_ELEMENTS,
    TOPIC_LOCATIONS,
    TOPIC_LAYOUTS,
    TOPIC_VALID,
    TOPIC_SHAPES,
    TOPIC_OTHER,
    TOPIC_COUNT
} RuleTopic;
extern const char *const topic_names[TOPIC_COUNT];
RuleTopic rule_topic(const RuleRow *row);

/* Writes what a row demands: `src, dst: i16, i32 or f32; when dst is in vec`. */
void rule_describe(const Inst *inst, const RuleRow *row, StrBuf *out);
/* Says how a row counts (`page only`, `vendor warning` ...); NULL when it is always an error. */
const char *rule_mode_text(RuleWhen when);

#endif
