/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the ids that can be warnings, by their own severity or by a row of the rule table. */
#include "verifier/rules/warnings.h"

#include "verifier/rules/rows.h"
#include <string.h>

/* Marks the ids that some row reports as a warning. */
static void find_warning_rules(bool warns[DIAG_COUNT]) {
    for (int inst = 0; inst < INST_COUNT; inst++) {
        unsigned n;
        const RuleRow *rows = rule_rows((InstId)inst, &n);
        for (unsigned i = 0; i < n; i++)
            if (rows[i].when == WARN) warns[rows[i].id] = true;
    }
}

void warning_ids(WarningIds *out) {
    bool warns[DIAG_COUNT] = {false};
    find_warning_rules(warns);
    /* A warning where only the tiles of an instruction determine its kind of core. */
    warns[DIAG_KERNEL_KIND] = true;
    out->n = 0;
    for (int id = 0; id < DIAG_COUNT; id++)
        if (warns[id] || diag_infos[id].severity != SEV_ERROR)
            out->ids[out->n++] = diag_infos[id].text;
}

bool warning_known(const WarningIds *known, const char *id, size_t n) {
    for (unsigned i = 0; i < known->n; i++)
        if (strlen(known->ids[i]) == n && memcmp(known->ids[i], id, n) == 0) return true;
    return false;
}

bool error_may_be_allowed(DiagId id) {
    static const DiagId ids[] = {DIAG_SYNC_RACE,  DIAG_SYNC_DEADLOCK, DIAG_SYNC_REUSE,
                                 DIAG_SYNC_LEAK,  DIAG_SYNC_SECTION,  DIAG_SYNC_WEAK,
                                 DIAG_SYNC_EARLY, DIAG_SYNC_FREED,    DIAG_SYNC_SIGNAL};
    for (unsigned i = 0; i < sizeof ids / sizeof ids[0]; i++)
        if (ids[i] == id) return true;
    return false;
}
