/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves rows of the rule table for one run: one rule per operand that a row names, for an
 * instruction, a profile and the options, with names turned into indices and guards into sets. */
#include "verifier/rules/conditions/condition.h"

#include <string.h>

/* ---- resolving rows ---- */

static bool name_is(const char *name, const char *s, size_t n) {
    return strlen(name) == n && memcmp(name, s, n) == 0;
}

/* ---- guards ---- */

static uint64_t space_bit(const char *s, size_t n) {
    for (int i = 0; i < SPACE_COUNT; i++)
        if (name_is(space_names[i], s, n)) return (uint64_t)1 << i;
    return 0;
}

static uint64_t elem_bits(const char *s, size_t n) {
    uint64_t set = 0;
    char cls = name_is("float", s, n) ? 'F' : name_is("low", s, n) ? 'L' : '\0';
    bool integer = name_is("int", s, n);
    for (int e = 0; e < ELEM_COUNT; e++) {
        const char *text = elem_infos[e].text;
        if (strncmp(text, "!pto.", 5) == 0) text += 5;
        if (name_is(text, s, n) || elem_infos[e].cls == cls || (integer && elem_is_int((Elem)e)))
            set |= ELEM_BIT(e);
    }
    return set;
}

static uint64_t layout_bits(const char *s, size_t n) {
    static const struct {
        const char *name;
        uint64_t set;
    } words[] = {{"row", LAY_ROW_MAJOR}, {"col", LAY_COL_MAJOR}, {"nd", LAY_ND}, {"dn", LAY_DN},
                 {"nz", LAY_NZ},         {"zn", LAY_ZN},         {"zz", LAY_ZZ}, {"nn", LAY_NN}};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (name_is(words[i].name, s, n)) return words[i].set;
    return 0;
}

/* Returns the bit of a value: a number, true, false, or a word of the attribute's enum. */
static uint64_t value_bit(const AttrInfo *info, const char *s, size_t n) {
    if (n == 0 || name_is("false", s, n)) return 1;
    if (name_is("true", s, n)) return 2;
    int v = 0;
    size_t digits = 0;
    while (digits < n && s[digits] >= '0' && s[digits] <= '9')
        digits++;
    if (digits == n)
        for (size_t i = 0; i < n; i++)
            v = v * 10 + (s[i] - '0');
    else if (info->type == AT_ENUM || info->type == AT_WORD)
        v = enum_value_find((EnumFamily)info->family, s, n);
    return v >= 0 && v < 64 ? (uint64_t)1 << v : 0;
}

/* Unites the bits of the words between commas; `mark` says what they are. */
uint64_t guard_word_set(const AttrInfo *info, char mark, const char *s, size_t n) {
    uint64_t set = 0;
    for (;;) {
        const char *comma = memchr(s, ',', n);
        size_t len = comma != NULL ? (size_t)(comma - s) : n;
        set |= mark == '@'   ? space_bit(s, len)
               : mark == '#' ? elem_bits(s, len)
               : mark == '~' ? layout_bits(s, len)
               : mark == '.' ? (uint64_t)name_is("empty", s, len)
                             : value_bit(info, s, len);
        if (comma == NULL) return set;
        s += len + 1;
        n -= len + 1;
    }
}

/* Parses `level3` and `level!3`. */
static bool level_guard(const Judge *j, const char *s, size_t n, Guard *g) {
    if (n < 6 || memcmp(s, "level", 5) != 0) return false;
    bool outside = s[5] == '!';
    if ((j->level == s[n - 1] - '0') == outside) g->kind = G_NEVER;
    return true;
}

/* Parses one word of a guard. */
static Guard parse_guard(const Judge *j, const Inst *inst, const char *s, size_t n) {
    Guard g = {.kind = G_NONE};
    if (level_guard(j, s, n, &g)) return g;
    bool no = s[0] == '!';
    s += no;
    n -= no;
    size_t len = 0;
    while (len < n && strchr("@#~.=", s[len]) == NULL)
        len++;
    int slot = inst_operand_named(inst, s, len);
    g.index = (int8_t)(slot >= 0 ? slot : inst_attr_named(inst, s, len));
    if (len == n) {
        g.kind = slot >= 0 ? (no ? G_ABSENT : G_PRESENT) : (no ? G_NO_ATTR : G_ATTR);
        return g;
    }
    char mark = s[len];
    bool outside = len + 1 < n && s[len + 1] == '!';
    const AttrInfo *info = slot < 0 && g.index >= 0 ? &inst->attrs[g.index] : NULL;
    g.set = guard_word_set(info, mark, s + len + 1 + outside, n - len - 1 - outside);
    if (outside) g.set = ~g.set;
    g.kind = mark == '@'   ? G_SPACE
             : mark == '#' ? G_ELEM
             : mark == '~' ? G_LAYOUT
             : mark == '.' ? G_EMPTY
                           : G_ATTR_IS;
    return g;
}

/* False when the row does not count in this run. */
static bool parse_guards(const Judge *j, const Inst *inst, const char *text,
                         Guard out[MAX_GUARDS]) {
    unsigned k = 0;
    while (text != NULL && *text != '\0') {
        size_t n = strcspn(text, " ");
        Guard g = parse_guard(j, inst, text, n);
        if (g.kind == G_NEVER) return false;
        if (g.kind != G_NONE && k < MAX_GUARDS) out[k++] = g;
        text += n;
        text += strspn(text, " ");
    }
    return true;
}

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

/* Makes one rule per name in row_a(row) and returns their number; `out` may be NULL. */
static unsigned resolve_row(const Judge *j, const Inst *inst, const RuleRow *row, Rule *out) {
    unsigned k = 0;
    const char *s = row_a(row);
    bool more = true;
    while (more) {
        size_t n = strcspn(s, " ");
        if (out != NULL) {
            Rule r = make_rule(row, -1);
            r.error = is_error(j, row);
            if (n > 0)
                r.a = (int8_t)(rule_about_attribute(row) ? inst_attr_named(inst, s, n)
                                                         : inst_operand_named(inst, s, n));
            if (row_b(row) != NULL)
                r.b = (int8_t)inst_operand_named(inst, row_b(row), strlen(row_b(row)));
            r.each = conditions[row->cond]->each && about_list(inst, &r);
            if (!parse_guards(j, inst, row_guard(row), r.guard)) return k;
            out[k] = r;
        }
        k++;
        /* One rule looks for all attributes that the instruction does not have. */
        if (rule_about_attribute(row) && inst_attr_named(inst, s, n) < 0) break;
        s += n;
        s += strspn(s, " ");
        more = *s != '\0';
    }
    return k;
}

static bool rule_by_type(const Inst *inst, const Rule *r) {
    /* The operands of a list are judged one by one. */
    if ((r->row->cond == C_OPERAND_KIND && about_list(inst, r)) || r->each) return false;
    for (int i = 0; i < MAX_GUARDS; i++)
        if (r->guard[i].kind >= G_ATTR) return false;
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
            k += resolve_row(j, inst, &result_rows[i], out + k);
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
