/* SPDX-License-Identifier: Apache-2.0 */
/* The rule rows name what the instruction table has: every operand, attribute and guard. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "verifier/rules/case.h"
#include "verifier/rules/keep_apart.h"

#include <stdio.h>

/* Operands of the instruction, or attributes, of which a row may forbid foreign ones. */
static void check_names(const Inst *inst, const RuleRow *row) {
    const int operands = inst->nslots + inst->nresults,
              most = rule_about_attribute(row) ? inst->nattrs : operands;
    RowName name;
    for (const uint8_t *at = row_about(row); row_next(&at, &name);) {
        assert_true(name.index < most);
        if (name.index < 0 && row->cond != C_ATTR_CONFLICT && inst_attr(inst, name.attr) < 0)
            fail_msg("%s: a rule names %s, which the instruction does not have", inst->name,
                     attr_texts[name.attr]);
    }
    assert_true(row_b(row) < operands);
}

static void check_guard(const Inst *inst, const RuleRow *row) {
    const RowGuard *g = row_guard(row);
    assert_true((row->guard != 0) == (g->n > 0 || g->level != 0));
    for (unsigned i = 0; i < g->n; i++) {
        const Guard *part = &guard_list(g)[i];
        assert_true(part->index >= 0 &&
                    part->index <
                        (part->kind >= G_ATTR ? inst->nattrs : inst->nslots + inst->nresults));
    }
}

static void rows_name_what_exists(void **state) {
    (void)state;
    unsigned total = 0, with_rows = 0;
    for (int id = 1; id < INST_COUNT; id++) {
        const Inst *inst = &inst_table[id];
        unsigned n;
        const RuleRow *rows = rule_rows((InstId)id, &n);
        total += n;
        with_rows += n > 0;
        for (unsigned i = 0; i < n; i++) {
            check_names(inst, &rows[i]);
            check_guard(inst, &rows[i]);
            assert_true(rows[i].cond < C_COUNT && rows[i].id < DIAG_COUNT);
            assert_true(*row_fix(&rows[i]) != 0);
            assert_true(rows[i].where != 0 && (rows[i].where & ~ANY) == 0);
            assert_true(rows[i].cond != C_CHECK || row_fn(&rows[i]) != NULL);
        }
    }
    printf("%u rule rows for %u instructions\n", total, with_rows);
}

/* A profile accepts an instruction only where a row or NO_RULES names it: a further one, whose bit
 * nobody names yet, accepts none of them. Micro-instructions are of one chip. */
static void existence_is_said(void **state) {
    (void)state;
    for (int id = 1; id < INST_COUNT; id++) {
        const Inst *inst = &inst_table[id];
        if (inst->alias_of != INST_INVALID) continue;
        ProfileSet named = inst_profiles((InstId)id);
        assert_int_equal(named & ~ANY, 0);
        if (inst_is_micro(inst)) assert_int_not_equal(named & ALL, 0);
        for (int p = 0; p < PROFILE_COUNT && !inst_is_micro(inst); p++)
            if ((named & profile_judges((Profile)p)) == 0)
                fail_msg("nothing is said of %s under %s", inst->name, profile_names[p]);
    }
}

/* The rules of a profile that nobody names: one, and nothing fulfils it. */
static void unnamed_profile_refuses(void **state) {
    const VerifyOptions opt = {.profiles = PROFILES_ALL};
    Context ctx;
    Judge judge = {.ctx = &ctx, .arena = &ctx.arena, .opt = &opt};
    const Case any = {.judge = &judge};
    (void)state;
    context_init(&ctx, NULL, 0);
    for (int id = 1; id < INST_COUNT; id++) {
        const RuleSet *set =
            resolve_rules(&judge, &ctx.arena, &inst_table[id], PROFILE_CPU, PROFILE_COUNT);
        assert_true(set->none);
        assert_int_equal(set->n, 1);
        assert_int_equal(set->rules[0].row->id, DIAG_NOT_IN_PROFILE);
        assert_true(set->rules[0].error && set->rules[0].judge(&any, &set->rules[0]) == FAILS);
    }
    context_free(&ctx);
}

/* Each pair of operands that may not overlap is in rows, and is found once, in whichever order
 * and however often the rows say it. */
static void pairs_are_apart(void **state) {
    Apart pairs[MOST_APART];
    unsigned total = 0;
    (void)state;
    for (int id = 1; id < INST_COUNT; id++) {
        const Inst *inst = &inst_table[id];
        unsigned n = inst_apart(inst, pairs);
        total += n;
        for (unsigned i = 0; i < n; i++) {
            assert_true(pairs[i].a < inst->nslots && pairs[i].b < inst->nslots);
            assert_true(pairs[i].a != pairs[i].b && pairs[i].profiles != 0);
            for (unsigned k = 0; k < i; k++)
                assert_false((pairs[k].a == pairs[i].a && pairs[k].b == pairs[i].b) ||
                             (pairs[k].a == pairs[i].b && pairs[k].b == pairs[i].a));
        }
    }
    assert_true(total >= 40);
    const Inst *tsel = &inst_table[INST_TSEL], *tands = &inst_table[INST_TANDS];
    assert_int_equal(slots_apart_from_dst(tsel), 1u << inst_slot(tsel, OPERAND_mask));
    assert_int_equal(slots_apart_from_dst(tands), 1u << inst_slot(tands, OPERAND_src));
    assert_int_equal(slots_apart_from_dst(tands), 1u << inst_slot(tands, OPERAND_src));
    assert_int_equal(slots_apart_from_dst(&inst_table[INST_TADD]), 0);
}

/* A program with planned addresses is one of level 3: where that demands a scratch tile, one is
 * planned. */
static void demanded_scratch_is_planned(void **state) {
    unsigned total = 0;
    (void)state;
    for (int id = 1; id < INST_COUNT; id++) {
        unsigned n;
        const RuleRow *rows = rule_rows((InstId)id, &n);
        for (unsigned i = 0; i < n; i++)
            for (int p = 0; p < PROFILE_COUNT; p++) {
                if (rows[i].id != DIAG_TMP_REQUIRED || !profile_infos[p].chip ||
                    (rows[i].where & PROFILE_BIT(p)) == 0)
                    continue;
                total++;
                if (inst_tmp(&inst_table[id], (Profile)p) == TMP_NONE)
                    fail_msg("%s demands a scratch tile under %s, and none is planned",
                             inst_table[id].name, profile_names[p]);
            }
    }
    assert_true(total >= 20);
}

/* `diagonal` is both an operand and an attribute of ttri: a rule about operands means the operand.
 */
static void operands_come_first(void **state) {
    (void)state;
    assert_int_equal(inst_slot(&inst_table[INST_TTRI], OPERAND_diagonal), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_name_what_exists),   cmocka_unit_test(existence_is_said),
        cmocka_unit_test(unnamed_profile_refuses), cmocka_unit_test(operands_come_first),
        cmocka_unit_test(pairs_are_apart),         cmocka_unit_test(demanded_scratch_is_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
