/* The rule rows name what the instruction table has: every operand, attribute and guard. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "verifier/rules.h"

#include <stdio.h>
#include <string.h>

static bool has_name(const Inst *inst, const char *s, size_t n) {
    for (int i = 0; i < inst->nslots; i++)
        if (strlen(inst->slots[i].name) == n && memcmp(inst->slots[i].name, s, n) == 0) return true;
    for (int i = 0; i < inst->nresults; i++)
        if (strlen(inst->results[i].name) == n && memcmp(inst->results[i].name, s, n) == 0)
            return true;
    return inst_attr(inst, s, n) >= 0;
}

/* Words are separated by blanks; a guard word has a mark in front or a value behind. */
static void check_words(const Inst *inst, const char *text, bool guard) {
    while (text != NULL && *text != '\0') {
        size_t n = strcspn(text, " ");
        const char *s = text;
        size_t len = n;
        if (guard) {
            s += *s == '!';
            len = strcspn(s, " @#~.=");
        }
        if (!(guard && len >= 6 && memcmp(s, "level", 5) == 0) && !has_name(inst, s, len))
            fail_msg("%s: a rule names %.*s, which the instruction does not have", inst->name,
                     (int)len, s);
        text += n + strspn(text + n, " ");
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
        assert_true(inst->nslots + inst->nresults <= RULE_MAX_SLOTS);
        for (unsigned i = 0; i < n; i++) {
            if (rows[i].cond != C_ATTR_CONFLICT) /* may forbid what the row does not have */
                check_words(inst, rows[i].a, false);
            check_words(inst, rows[i].b, false);
            check_words(inst, rows[i].guard, true);
            assert_true(rows[i].cond < C_COUNT && rows[i].id < DIAG_COUNT);
            assert_true(rows[i].where != 0 && (rows[i].where & ~ANY) == 0);
            assert_true(rows[i].cond != C_CHECK || rows[i].fn != NULL);
        }
    }
    printf("%u rule rows for %u instructions\n", total, with_rows);
}

/* `diagonal` is both an operand and an attribute of ttri: a rule about operands means the operand.
 */
static void operands_come_first(void **state) {
    (void)state;
    assert_int_equal(inst_slot(&inst_table[INST_TTRI], "diagonal"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_name_what_exists),
        cmocka_unit_test(operands_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
