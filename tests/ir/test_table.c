/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction table is data: every reference in a row must name something that the row has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ir/foreign.h"
#include "ir/format.h"
#include "ir/ir.h"
#include "parser/conversions.h"

static const char *row_name(int i) {
    return inst_table[i].name;
}

static void every_row_has_a_unique_name(void **state) {
    (void)state;
    for (int i = 1; i < INST_COUNT; i++) {
        assert_non_null(inst_table[i].name);
        assert_non_null(inst_table[i].summary);
        for (int j = 1; j < i; j++)
            assert_string_not_equal(row_name(i), row_name(j));
        assert_ptr_equal(inst_find(row_name(i), strlen(row_name(i))), &inst_table[i]);
    }
}

/* Regions run in a way that the row states; what ends them is a terminator, and hands values on
 * only to what there is. */
static void regions_are_described(void **state) {
    (void)state;
    for (int i = 1; i < INST_COUNT; i++) {
        const RegionsInfo *r = inst_table[i].regions;
        assert_true((r != NULL) == (inst_table[i].nregions > 0 && i != INST_MODULE));
        if (r == NULL) continue;
        const bool two = r->runs == RUNS_IF || r->runs == RUNS_WHILE;
        assert_true(r->runs == RUNS_CASES || inst_table[i].nregions == 1u + two);
        assert_int_equal(r->runs == RUNS_TIMES, r->times > 0);
        assert_int_equal(r->init != 0, inst_slot(&inst_table[i], OPERAND_init) >= 0);
        for (int e = 0; e < 2; e++) {
            const RegionEnd *end = &r->ends[e];
            assert_true(end->by < INST_COUNT);
            assert_int_equal(end->by != INST_INVALID,
                             (inst_table[end->by].flags & IF_TERMINATOR) != 0);
            assert_true(end->by != INST_INVALID || end->to == 0);
            assert_true((end->to & TO_SECOND) == 0 || inst_table[i].nregions > 1);
            assert_true((end->to & TO_FIRST) == 0 || r->init != 0);
        }
    }
}

static void aliases_name_rows(void **state) {
    (void)state;
    for (int i = 1; i < INST_COUNT; i++) {
        const Inst *meant = inst_meant(&inst_table[i]);
        assert_true(inst_meant(meant) == meant);
    }
}

/* The numbers of names find the same slots as their texts, and none else. */
static void names_are_numbers(void **state) {
    (void)state;
    for (int i = 1; i < INST_COUNT; i++) {
        const Inst *inst = &inst_table[i];
        unsigned found = 0;
        for (int s = 0; s < inst->nslots; s++) {
            const char *name = inst->slots[s].name;
            const OperandName number = (OperandName)slot_names[slot_starts[i] + s];
            assert_int_equal(inst_slot(inst, number), inst_slot_named(inst, name, strlen(name)));
        }
        for (int number = 0; number < OPERAND_COUNT; number++)
            found += inst_slot(inst, (OperandName)number) >= 0;
        assert_int_equal(found, inst->nslots);
    }
}

/* The same of attributes, which have another spelling too; and what no row has. */
static void attributes_are_numbers(void **state) {
    (void)state;
    for (int i = 1; i < INST_COUNT; i++) {
        const Inst *inst = &inst_table[i];
        int found = 0;
        for (int a = 0; a < inst->nattrs; a++) {
            const char *name = inst->attrs[a].name, *other = inst->attrs[a].synonym;
            const AttrName number = attr_name_find(inst, name, strlen(name));
            assert_string_equal(attr_texts[number], name);
            assert_int_equal(inst_attr(inst, number), a);
            if (other != NULL) assert_int_equal(attr_name_find(inst, other, strlen(other)), number);
        }
        for (int number = 0; number < ATTR_COUNT; number++)
            found += inst_attr(inst, (AttrName)number) >= 0;
        assert_int_equal(found, inst->nattrs);
    }
    const Inst *func = &inst_table[INST_FUNC];
    assert_int_equal(attr_name_find(func, "pto.device-spec", 15), ATTR_pto_device_spec);
    assert_int_equal(attr_name_find(func, "layout", 6), ATTR_layout);
    assert_int_equal(attr_name_find(func, "layou", 5), ATTR_NONE);
    assert_int_equal(attr_name_find(func, "", 0), ATTR_NONE);
    assert_int_equal(inst_attr(func, ATTR_layout), -1);
}

static const char *slot_text(const Inst *inst, SlotRef slot) {
    return slot != 0 ? inst->slots[slot - 1].name : NULL;
}

/* What rows say by names is resolved: one word, an attribute, lists, a sum, an extent across. */
static void references_are_resolved(void **state) {
    (void)state;
    const Inst *acc = &inst_table[INST_TGEMV_MX_ACC], *load = &inst_table[INST_MGATHER];
    assert_string_equal(slot_text(acc, acc->in_place), "c_in");
    const Touched *right = &acc->slots[inst_slot(acc, OPERAND_b)].touched;
    assert_string_equal(slot_text(acc, right->rows.slot[0]), "a");
    assert_true(right->rows.across[0] && right->rows.slot[1] == 0 && right->cols.slot[0] == 0);
    assert_string_equal(load->attrs[load->rare->suffixes[0] - 1].name, "coalesce");
    assert_string_equal(load->attrs[load->rare->suffixes[1] - 1].name, "gatherOob");
    assert_int_equal(load->rare->suffixes[2], 0);
    assert_string_equal(slot_text(load, load->rare->generic[0]), "mem");
    assert_string_equal(slot_text(load, load->rare->generic[3]), "scratch");
    assert_int_equal(load->rare->generic[4], 0);
    const Inst *flag = &inst_table[INST_WAIT_FLAG];
    assert_string_equal(flag->attrs[flag->pipe_attr - 1].name, "dst_pipe");
}

static void check_touched(const Inst *inst, const Touched *t) {
    if (t->kind == TOUCH_WINDOW)
        assert_true(inst_slot(inst, OPERAND_indexRow) >= 0 &&
                    inst_slot(inst, OPERAND_indexCol) >= 0);
    if (t->kind == TOUCH_ELEMENT) assert_true(inst_slot(inst, OPERAND_offset) >= 0);
    assert_true(t->bits == 0 || t->kind == TOUCH_VALID || t->kind == TOUCH_ROW);
}

static void touched_names_slots(void **state) {
    (void)state;
    for (int i = 1; i < INST_COUNT; i++) {
        const Inst *inst = &inst_table[i];
        for (int s = 0; s < inst->nslots; s++) {
            const SlotInfo *slot = &inst->slots[s];
            check_touched(inst, &slot->touched);
            for (const TouchedWay *w = slot->rare->touched_ways; w != NULL && w->given != 0; w++)
                check_touched(inst, &w->touched);
        }
    }
}

static void references_name_slots(void **state) {
    (void)state;
    for (int i = 1; i < INST_COUNT; i++) {
        const Inst *inst = &inst_table[i];
        if (inst->in_place != 0) {
            int slot = inst->in_place - 1;
            assert_true(inst->slots[slot].role == ROLE_READ);
            assert_true(inst_slot(inst, OPERAND_dst) >= 0);
        }
        bool scratch = false;
        for (int s = 0; s < inst->nslots; s++)
            scratch |= inst->slots[s].role == ROLE_SCRATCH;
        for (int p = 0; p < PROFILE_COUNT; p++)
            assert_true(inst_tmp(inst, (Profile)p) == TMP_NONE || scratch);
    }
}

static void check_elem(const Inst *inst, const Format *f, unsigned i) {
    const FmtElem *e = &f->elems[i];
    switch ((FmtKind)e->kind) {
    case FMT_SLOT:
    case FMT_TYPE:
    case FMT_NAMED:
        assert_true(e->index < inst->nslots);
        break;
    case FMT_RESULT:
        assert_true(e->index < inst->nresults);
        break;
    case FMT_ATTR:
        assert_true(e->index < inst->nattrs);
        break;
    case FMT_OPT_OPEN:
        assert_true(e->index > i && e->index < f->n);
        assert_int_equal(f->elems[e->index].kind, FMT_OPT_CLOSE);
        break;
    case FMT_LITERAL:
        assert_null(memchr("$%#", e->text[0], 3));
        break;
    default:
        break;
    }
}

static void formats_compile(void **state) {
    (void)state;
    Source src = {"none", "", 0};
    Context ctx;
    if (setjmp(ctx.oom) != 0) fail_msg("out of memory");
    context_init(&ctx, &src, 0);
    for (int i = 1; i < INST_COUNT; i++) {
        const Inst *inst = &inst_table[i];
        assert_int_equal(inst->form == FORM_FORMAT, inst->format != NULL);
        if (inst->form != FORM_FORMAT) continue;
        const Format *f = inst_format(&ctx, inst);
        assert_int_equal(f->n == 0, inst_is_generic(inst));
        for (unsigned e = 0; e < f->n; e++)
            check_elem(inst, f, e);
    }
    context_free(&ctx);
}

/* Counts the slots that every statement has operands or results for. */
static int needed_slots(const Inst *inst) {
    int n = 0;
    for (int s = 0; s < inst->nslots; s++)
        n += inst->slots[s].arity != ARITY_OPT;
    return n;
}

/* The instructions that a row names for other types exist, and can have as many operands. */
static void other_names(void **state) {
    (void)state;
    unsigned found = 0;
    for (int id = 1; id < INST_COUNT; id++) {
        InstList others = inst_table[id].rare->others;
        for (const Inst *other; (other = next_inst(&others)) != NULL;) {
            assert_true(needed_slots(other) <= inst_table[id].nslots);
            assert_true(other->nslots >= inst_table[id].nslots);
            found++;
        }
    }
    assert_true(found > 20);
}

/* The instructions that names of other languages mean exist, and no name means two; after `pto.`
 * some are micro-instructions. */
static void foreign_names(void **state) {
    (void)state;
    Foreign row;
    for (unsigned i = 0; (row = foreign_at(i)).name != NULL; i++) {
        const Inst *inst = inst_find(row.inst, strlen(row.inst));
        assert_non_null(inst);
        assert_string_equal(inst->name, row.inst);
        assert_ptr_equal(foreign_find(row.name, strlen(row.name)).name, row.name);
        char own[64];
        snprintf(own, sizeof own, "pto.%s", row.name);
        const Inst *micro = inst_find(own, strlen(own));
        assert_true(micro == NULL || inst_is_micro(micro));
    }
    static const char *const pairs[][2] = {{"tl.sum", "pto.trowsum"},
                                           {"pto.treduce_max", "pto.trowmax"},
                                           {"__expf", "pto.texp"},
                                           {"torch.nn.functional.relu", "pto.trelu"},
                                           {"np.maximum", "pto.tmax"},
                                           {"tl.dot", "pto.tmatmul"},
                                           {"triton.cdiv", "arith.ceildivsi"},
                                           {"std.addf", "arith.addf"}};
    for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        assert_string_equal(foreign_find(pairs[i][0], strlen(pairs[i][0])).inst, pairs[i][1]);
    assert_null(foreign_find("t", 1).name);
    assert_null(foreign_find("", 0).name);
}

/* Checks that a list such as `tmul, texp (of it) and tdiv` names instructions. */
static void check_instructions(const char *list) {
    while (*list != '\0') {
        char name[64];
        const size_t n = strcspn(list, ", ");
        snprintf(name, sizeof name, "pto.%.*s", (int)n, list);
        if (strcmp(name, "pto.and") != 0 && inst_find(name, strlen(name)) == NULL)
            fail_msg("no instruction '%s'", name);
        list += n + strspn(list + n, ", ");
        if (*list == '(') list += strcspn(list, ")") + 1;
        list += strspn(list, ", ");
    }
}

/* Names that no instruction computes are none of an instruction or of another language, and say of
 * which instructions, and in which sample, they are made. */
static void composed_names(void **state) {
    (void)state;
    Composed row;
    for (unsigned i = 0; (row = composed_at(i)).name != NULL; i++) {
        char text[160];
        const size_t n = strlen(row.name);
        snprintf(text, sizeof text, "pto.t%s", row.name);
        assert_null(inst_find(text, n + 5));
        assert_null(foreign_find(row.name, n).name);
        assert_ptr_equal(composed_find(text, n + 5).name, row.name);
        assert_ptr_equal(composed_find(row.name, n).name, row.name);
        check_instructions(row.insts);
        if (row.sample == NULL) continue;
        snprintf(text, sizeof text, SAMPLES "/%s", row.sample);
        if (access(text, R_OK) != 0) fail_msg("no sample '%s'", row.sample);
    }
    assert_string_equal(composed_find("torch.nn.functional.Layer_Norm", 30).sample, "layernorm");
    assert_string_equal(composed_find("tSoftMax", 8).sample, "softmax");
    assert_null(composed_find("t", 1).name);
    assert_null(composed_find("", 0).name);
}

static void nearest_names(void **state) {
    (void)state;
    assert_string_equal(inst_nearest("pto.texpandz", 12), "pto.texpands");
    assert_string_equal(inst_nearest("tadss", 5), "tadds");
    assert_null(inst_nearest("pto.completely_else", 19));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_unique_name),
        cmocka_unit_test(aliases_name_rows),
        cmocka_unit_test(names_are_numbers),
        cmocka_unit_test(attributes_are_numbers),
        cmocka_unit_test(references_are_resolved),
        cmocka_unit_test(regions_are_described),
        cmocka_unit_test(references_name_slots),
        cmocka_unit_test(touched_names_slots),
        cmocka_unit_test(formats_compile),
        cmocka_unit_test(foreign_names),
        cmocka_unit_test(composed_names),
        cmocka_unit_test(nearest_names),
        cmocka_unit_test(other_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
