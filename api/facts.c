/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about instructions and diagnostic ids from the tables. */
#include "api/internal.h"

#include "explain/facts.h"
#include <string.h>

static const char *text_or_none(const char *s) {
    return s != NULL ? s : "";
}

bool ptoasm_instruction_get(const char *name, ptoasm_instruction *out, size_t size) {
    const Inst *inst = name != NULL ? inst_find(name, strlen(name)) : NULL;
    if (inst == NULL || out == NULL) return false;
    const Inst *meant = inst_meant(inst);
    const ptoasm_instruction facts = {.name = inst->name,
                                      .family = family_infos[meant->family].name,
                                      .summary = text_or_none(inst_doc(meant->summary)),
                                      .formula = text_or_none(inst_doc(meant->formula)),
                                      .replacement = text_or_none(inst->rare->replacement),
                                      .profiles = inst_existing(meant)};
    struct_give(out, size, &facts, sizeof facts);
    return true;
}

bool ptoasm_id_get(const char *id, ptoasm_id *out, size_t size) {
    DiagId found = id != NULL ? diag_find(id) : DIAG_COUNT;
    if (found == DIAG_COUNT || out == NULL) return false;
    const DiagDoc doc = diag_doc(found);
    const ptoasm_id facts = {.id = diag_infos[found].text,
                             .severity = (int)diag_infos[found].severity,
                             .summary = diag_summary(found),
                             .meaning = doc.meaning,
                             .why = doc.why,
                             .fix = doc.fix};
    struct_give(out, size, &facts, sizeof facts);
    return true;
}
