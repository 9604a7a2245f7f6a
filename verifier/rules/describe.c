/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a rule as a sentence, with its guard, topic and mode. */
#include "verifier/rules/describe.h"
#include "verifier/rules/conditions/condition.h"

#include <string.h>

const char *const topic_names[TOPIC_COUNT] = {"element types", "locations", "layouts",
                                              "valid regions", "shapes",    "other rules"};

void rule_describe(const Inst *inst, const RuleRow *row, StrBuf *out) {
    conditions[row->cond]->describe(&(InstRow){inst, row}, out);
    if (row->guard == 0) return;
    sb_putc(out, ';');
    sb_puts(out, row_text(row_guard(row)->text));
}

/* Returns the topic of a named function or of a rule about types. */
static RuleTopic topic_of_id(DiagId id) {
    switch (id) {
    case DIAG_TILE_ELEMENT:
        return TOPIC_ELEMENTS;
    case DIAG_VIEW_LAYOUT:
    case DIAG_LEFT_LAYOUT:
        return TOPIC_LAYOUTS;
    case DIAG_VALID_OPERAND:
        return TOPIC_VALID;
    case DIAG_VIEW_BOUNDS:
    case DIAG_TILE_ALIGN:
    case DIAG_TILE_BOX:
    case DIAG_TILE_BYTES:
        return TOPIC_SHAPES;
    default:
        return TOPIC_OTHER;
    }
}

/* Gives a named function the topic of the condition that reports the same id. */
RuleTopic rule_topic(const RuleRow *row) {
    if (row->cond != C_CHECK) return (RuleTopic)conditions[row->cond]->topic;
    for (unsigned i = 0; i < C_COUNT; i++)
        if (conditions[i]->id == row->id) return (RuleTopic)conditions[i]->topic;
    return topic_of_id((DiagId)row->id);
}

const char *rule_mode_text(RuleWhen when) {
    static const char *const texts[] = {[BOTH] = NULL,
                                        [PAGE] = "page only",
                                        [VENDOR] = "vendor warning",
                                        [COMPAT] = "--compat=ptoas only",
                                        [DEPRECATED] = "older spelling",
                                        [WARN] = "warning",
                                        [LIBRARY] = "vendor's library",
                                        [LIBRARY_WARN] = "warning, vendor's library",
                                        [SHOWN] = "examples",
                                        [KEPT] = "planning"};
    return texts[when];
}
