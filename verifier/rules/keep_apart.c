/* SPDX-License-Identifier: Apache-2.0 */
/* Collects from the rule rows which operands must not overlap. */
#include "verifier/rules/keep_apart.h"

#include "verifier/rules/rows.h"

#include <assert.h>
#include <stdatomic.h>

/* Leaves out the rows that only the vendor refuses: there one tile as two operands is not wrong. */
static bool keeps_apart(const RuleRow *row) {
    return (row->cond == C_DISTINCT_OPERANDS || row->cond == C_OPERAND_OVERLAP) &&
           (row->when == BOTH || row->when == PAGE || row->when == KEPT);
}

/* Adds the profiles that accept what one of several accepts and so forbid only what all of these
 * forbid that have the instruction. */
static ProfileSet judged_profiles(const Inst *inst, ProfileSet where) {
    ProfileSet set = where;
    for (int p = 0; p < PROFILE_COUNT; p++) {
        const ProfileSet judges = profile_judges((Profile)p) & inst_profiles(inst_id(inst));
        if (judges != 0 && (where & judges) == judges) set |= PROFILE_BIT(p);
    }
    return set;
}

static unsigned add_pair(Apart *out, unsigned n, int a, int b, ProfileSet profiles) {
    for (unsigned i = 0; i < n; i++)
        if ((out[i].a == a && out[i].b == b) || (out[i].a == b && out[i].b == a)) {
            out[i].profiles |= profiles;
            return n;
        }
    assert(n < MOST_APART);
    out[n] = (Apart){(uint8_t)a, (uint8_t)b, profiles};
    return n + 1;
}

unsigned inst_apart(const Inst *inst, Apart out[MOST_APART]) {
    unsigned nrows, n = 0;
    RowName name;
    const RuleRow *rows = rule_rows(inst_id(inst), &nrows);
    for (unsigned i = 0; i < nrows; i++) {
        const int b = row_b(&rows[i]);
        if (!keeps_apart(&rows[i]) || b < 0 || b >= inst->nslots) continue;
        for (const uint8_t *at = row_about(&rows[i]); row_next(&at, &name);)
            if (name.index >= 0 && name.index < inst->nslots)
                n = add_pair(out, n, name.index, b, judged_profiles(inst, rows[i].where));
    }
    return n;
}

/* Computes the set once per instruction; threads that race store the same value. */
uint32_t slots_apart_from_dst(const Inst *inst) {
    static _Atomic uint32_t known[INST_COUNT]; /* 0: not computed, else set << 1 | 1 */
    uint32_t seen = atomic_load_explicit(&known[inst_id(inst)], memory_order_relaxed);
    if (seen != 0) return seen >> 1;
    Apart pairs[MOST_APART];
    uint32_t set = 0;
    int dst = inst_slot(inst, OPERAND_dst);
    unsigned n = inst_apart(inst, pairs);
    for (unsigned i = 0; i < n; i++) {
        if (pairs[i].a == dst) set |= (uint32_t)1 << pairs[i].b;
        if (pairs[i].b == dst) set |= (uint32_t)1 << pairs[i].a;
    }
    atomic_store_explicit(&known[inst_id(inst)], set << 1 | 1, memory_order_relaxed);
    return set;
}
