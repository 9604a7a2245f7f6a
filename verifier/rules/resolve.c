/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves rows of the rule table for one run: one rule per operand that a row names, for an
 * instruction, a profile and the options. */
#include "verifier/rules/conditions/condition.h"

#include <string.h>

static bool row_counts(const Judge *j, const RuleRow *row, Profile p, Profile of) {
    const VerifyOptions *opt = j->opt;
    if ((row->where & PROFILE_BIT(of)) == 0) return false;
    if (opt->compat == VENDOR_057 && (row->newer || row->id == DIAG_TMP_REQUIRED)) return false;
    switch ((RuleWhen)row->when) {
    case PAGE:
    case WARN:
        return !opt->compat;
    case COMPAT:
        return opt->compat;
    case LIBRARY:
    case LIBRARY_WARN:
        return !opt->compat && !opt->no_library && profile_infos[p].chip;
    case SHOWN:
        return opt->shown;
    case KEPT:
        return false;
    default:
        return true;
    }
}

static bool is_error(const Judge *j, const RuleRow *row) {
    return j->opt->compat || row->when == BOTH || row->when == PAGE || row->when == LIBRARY ||
           row->when == SHOWN;
}

static bool about_list(const Inst *inst, const Rule *r) {
    return r->a >= 0 && r->a < inst->nslots && inst->slots[r->a].arity == ARITY_VAR;
}

static Rule make_rule(const RuleRow *row, int a) {
    return (Rule){.judge = row->cond == C_CHECK ? row_fn(row) : conditions[row->cond]->judge,
                  .row = row,
                  .a = (int8_t)a,
                  .b = -1,
                  .error = true};
}

/* Whether the program has the level that the row wants. */
static bool has_level(const Judge *j, const RuleRow *row) {
    const int level = row_guard(row)->level;
    return level == 0 || (level > 0 ? j->level == level : j->level != -level);
}

static Rule row_rule(const Judge *j, const Inst *inst, const RuleRow *row, int a) {
    const RowGuard *guard = row_guard(row);
    Rule r = make_rule(row, a);
    r.error = is_error(j, row);
    r.b = (int8_t)row_b(row);
    r.each = conditions[row->cond]->each && about_list(inst, &r);
    r.nguards = guard->n;
    r.guards = guard_list(guard);
    return r;
}

/* Makes one rule for each name that the row is about and returns their number; `out` may be NULL.
 */
static unsigned resolve_row(const Judge *j, const Inst *inst, const RuleRow *row, Rule *out) {
    unsigned k = 0;
    RowName name = {-1, ATTR_NONE};
    const uint8_t *at = row_about(row);
    if (!has_level(j, row)) return 0;
    do {
        (void)row_next(&at, &name);
        if (out != NULL) out[k] = row_rule(j, inst, row, name.index);
        k++;
        /* One rule looks for all attributes that the instruction does not have. */
    } while (*at != 0 && !(rule_about_attribute(row) && name.index < 0));
    return k;
}

static bool rule_by_type(const Inst *inst, const Rule *r) {
    /* The operands of a list are judged one by one. */
    if ((r->row->cond == C_OPERAND_KIND && about_list(inst, r)) || r->each) return false;
    for (unsigned i = 0; i < r->nguards; i++)
        if (r->guards[i].kind >= G_ATTR) return false;
    return cond_is_by_type(r->row);
}

/* Returns the only row of a schema list. */
static const RuleRow *schema_row(enum SchemaRows list) {
    unsigned n;
    return rule_rows(list, &n);
}

/* Adds the rules that follow from the schema of an instruction (rules/schema.c). */
static unsigned schema_rules(const Judge *j, const Inst *inst, Rule *out) {
    unsigned k = 0, nkinds;
    const RuleRow *kinds = rule_rows(ROWS_OF_KINDS, &nkinds);
    const RuleRow *spelling = (inst->flags & IF_DEPRECATED) != 0  ? schema_row(ROWS_DEPRECATED)
                              : (inst->flags & IF_NOT_PTOAS) != 0 ? schema_row(ROWS_NOT_IN_PTOAS)
                                                                  : NULL;
    if (spelling != NULL && (j->opt->compat || spelling->when == DEPRECATED)) {
        out[k] = make_rule(spelling, -1);
        out[k++].error = j->opt->compat;
    }
    if (j->opt->compat && (inst->form == FORM_TILE || (inst->flags & IF_BARE_FORM) != 0))
        out[k++] = make_rule(schema_row(ROWS_VENDOR_FORM), -1);
    for (int i = 0; i < inst->nattrs; i++)
        if (inst->attrs[i].required) out[k++] = make_rule(schema_row(ROWS_REQUIRED_ATTR), i);
    int n = inst->nslots + inst->nresults;
    for (int i = 0; i < n; i++) {
        unsigned kind =
            i < inst->nslots ? inst->slots[i].kind : inst->results[i - inst->nslots].kind;
        if (row_args(&kinds[kind])->set != 0) out[k++] = make_rule(&kinds[kind], i);
    }
    return k;
}

/* Without a row that names the profile, the instruction does not exist. */
static RuleSet *no_rules(Arena *a) {
    RuleSet *set = ARENA_NEW(a, RuleSet);
    Rule *rule = ARENA_NEW(a, Rule);
    *rule = make_rule(schema_row(ROWS_ABSENT), -1);
    set->rules = rule;
    set->n = 1;
    set->none = true;
    return set;
}

RuleSet *resolve_rules(Judge *j, Arena *a, const Inst *inst, Profile p, Profile of) {
    const ProfileSet has = inst_profiles(inst_id(inst));
    /* The vendor's verifier does not ask for which chip a micro-instruction is. */
    if (j->opt->compat && inst_is_micro(inst) && has != 0)
        while ((has & PROFILE_BIT(of)) == 0)
            of = (Profile)((of + 1) % PROFILE_COUNT);
    if ((has & PROFILE_BIT(of)) == 0) return no_rules(a);
    RuleSet *set = ARENA_NEW(a, RuleSet);
    unsigned nrows, nresult_rows, n = 0, k = 0, v = 0;
    const RuleRow *rows = rule_rows(inst_id(inst), &nrows);
    const RuleRow *result_rows = rule_rows(ROWS_OF_RESULTS, &nresult_rows);
    for (unsigned i = 0; i < nrows; i++)
        if (row_counts(j, &rows[i], p, of)) n += resolve_row(j, inst, &rows[i], NULL);
    Rule *out = ARENA_ARRAY(a, Rule, n + nresult_rows + INST_MOST_OPERANDS + inst->nattrs + 2u);
    k = schema_rules(j, inst, out);
    for (unsigned i = 0; i < nrows; i++)
        if (row_counts(j, &rows[i], p, of)) k += resolve_row(j, inst, &rows[i], out + k);
    unsigned own = k;
    int dst = inst_slot(inst, OPERAND_dst);
    for (unsigned i = 0; i < nresult_rows && dst >= 0 && slot_is_result(&inst->slots[dst]) &&
                         (inst->flags & IF_VIEW) == 0;
         i++)
        if (row_counts(j, &result_rows[i], p, of))
            out[k++] = row_rule(j, inst, &result_rows[i], dst);
    uint16_t *by_value = ARENA_ARRAY(a, uint16_t, k + 1);
    for (unsigned i = 0; i < k; i++) {
        if (i == own) set->nown = (uint16_t)v;
        if (!rule_by_type(inst, &out[i])) by_value[v++] = (uint16_t)i;
    }
    if (own == k) set->nown = (uint16_t)v;
    set->rules = out;
    set->n = (uint16_t)k;
    set->by_value = by_value;
    set->nvalue = (uint16_t)v;
    return set;
}
