/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about instructions and diagnostics, derived from the tables. */
#include "explain/facts.h"
#include "backends/c/emit.h"
#include "verifier/rules/checks/checks.h"

#include <string.h>

/* ---- profiles ---- */

bool always_refused(const Inst *inst, ProfileSet of, Profile p) {
    unsigned n;
    const RuleRow *rows = rule_rows(inst_id(inst), &n);
    for (unsigned i = 0; i < n; i++)
        if ((rows[i].where & of) != 0 && rows[i].guard == 0 && rows[i].when == BOTH &&
            (rows[i].cond == C_NOT_IN_PROFILE ||
             (rows[i].cond == C_CHECK && row_fn(&rows[i]) == check_hardware &&
              !profile_infos[p].chip)))
            return true;
    return false;
}

/* True when the rules of at least one profile that judges it allow the instruction. */
static bool exists_under(const Inst *inst, Profile p) {
    const ProfileSet judges = profile_judges(p) & inst_profiles(inst_id(inst));
    for (int q = 0; q < PROFILE_COUNT; q++)
        if ((judges & PROFILE_BIT(q)) != 0 && !always_refused(inst, PROFILE_BIT(q), p)) return true;
    return false;
}

ProfileSet inst_existing(const Inst *inst) {
    ProfileSet set = 0;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if (exists_under(inst, (Profile)p)) set |= PROFILE_BIT(p);
    return set;
}

/* True when the profile accepts it with the warning that the instruction does not exist. */
static bool is_discouraged(const Inst *inst, Profile p) {
    unsigned n;
    const RuleRow *rows = rule_rows(inst_id(inst), &n);
    for (unsigned i = 0; i < n; i++)
        if (rows[i].cond == C_NOT_IN_PROFILE && rows[i].when == WARN && rows[i].guard == 0 &&
            (rows[i].where & PROFILE_BIT(p)) != 0)
            return true;
    return false;
}

/* An accumulating product reads the tile that it writes, so operands of one type become one tile.
 */
static void share_accumulator(Example *e) {
    unsigned n;
    const RuleRow *rows = rule_rows(inst_id(e->inst), &n);
    for (unsigned i = 0; i < n && e->text == NULL; i++) {
        if (rows[i].id != DIAG_ACC_STORAGE) continue;
        const int a = row_a(&rows[i]), b = row_b(&rows[i]);
        if (a >= 0 && b >= 0) e->operands[a].same_as = (uint8_t)(b + 1);
    }
}

void check_memory(const Example *e, Arena *arena) {
    if (*e->starved) longjmp(*arena->oom, 1);
}

/* Prefers a2a3, the default profile; every instruction has an example in some profile. */
static void find_example(InstFacts *f) {
    OpForm forms[4];
    if (inst_forms(f->inst, forms) == 0) return;
    for (unsigned i = 0; i < 2 * PROFILE_COUNT && !f->has_example; i++) {
        Profile p = (Profile)((PROFILE_DEFAULT + i) % PROFILE_COUNT);
        if ((f->profiles & PROFILE_BIT(p)) == 0) continue;
        if (i < PROFILE_COUNT && is_discouraged(f->inst, p)) continue;
        example_init(&f->example, f->inst, p, forms[0]);
        f->example.shown = true;
        f->example.starved = ARENA_NEW(f->arena, bool);
        f->has_example = example_find(&f->example);
        check_memory(&f->example, f->arena);
    }
    if (f->has_example) share_accumulator(&f->example);
}

static const char *other_spellings(const Inst *inst, Arena *arena) {
    StrBuf out;
    sb_init(&out, arena);
    for (int i = 1; i < INST_COUNT; i++)
        if (inst_table[i].alias_of == inst_id(inst))
            sb_printf(&out, "%s%s%s", out.len > 0 ? ", " : "", inst_table[i].name,
                      (inst_table[i].flags & IF_DEPRECATED) != 0 ? " (older)" : "");
    return out.len > 0 ? sb_text(&out) : NULL;
}

void inst_facts(InstFacts *f, const Inst *inst, Arena *arena) {
    *f = (InstFacts){.inst = inst_meant(inst), .name = inst->name, .arena = arena};
    f->profiles = inst_existing(f->inst);
    f->has_cpu_rules = (inst_profiles(inst_id(f->inst)) & CPU) != 0;
    f->spellings = other_spellings(f->inst, arena);
    find_example(f);
}

const char *profiles_text(Arena *arena, ProfileSet set) {
    StrBuf out;
    unsigned k = 0;
    sb_init(&out, arena);
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((set & PROFILE_BIT(p)) != 0)
            sb_printf(&out, "%s%s", k++ > 0 ? ", " : "", profile_names[p]);
    return sb_text(&out);
}

/* ---- rules ---- */

const char *where_text(const InstFacts *f, ProfileSet where) {
    /* cpu has the rules that all chips share, unless it has its own. */
    if (where == PROFILES_ALL || ((where | CPU) == PROFILES_ALL && !f->has_cpu_rules)) return "all";
    return profiles_text(f->arena, where);
}

static const char *rule_text(const InstFacts *f, const RuleRow *row) {
    StrBuf out;
    sb_init(&out, f->arena);
    rule_describe(f->inst, row, &out);
    return sb_text(&out);
}

/* Finds a rule with the same text, mode and id for another profile. */
static RuleFact *find_same(RuleFact *list, unsigned n, const RuleRow *row, const char *text) {
    for (unsigned i = 0; i < n; i++)
        if (list[i].row->when == row->when && list[i].row->id == row->id &&
            strcmp(list[i].text, text) == 0)
            return &list[i];
    return NULL;
}

const RuleFact *rule_facts(const InstFacts *f, unsigned *n) {
    unsigned nrows, k = 0;
    const RuleRow *rows = rule_rows(inst_id(f->inst), &nrows);
    RuleFact *list = ARENA_ARRAY(f->arena, RuleFact, nrows + 1);
    for (int topic = 0; topic < TOPIC_COUNT; topic++)
        for (unsigned i = 0; i < nrows; i++) {
            if (rule_topic(&rows[i]) != (RuleTopic)topic || rows[i].when == SHOWN ||
                rows[i].when == KEPT)
                continue;
            const char *text = rule_text(f, &rows[i]);
            RuleFact *same = find_same(list, k, &rows[i], text);
            if (same != NULL)
                same->where |= rows[i].where;
            else
                list[k++] = (RuleFact){(RuleTopic)topic, rows[i].where, &rows[i], text};
        }
    *n = k;
    return list;
}

/* ---- forms ---- */

unsigned inst_forms(const Inst *inst, OpForm forms[4]) {
    static const OpForm order[] = {OPF_DPS, OPF_SSA, OPF_AS, OPF_GENERIC};
    unsigned n = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (inst->form != FORM_TILE && order[i] != OPF_SSA && order[i] != OPF_GENERIC) continue;
        if (example_has_form(inst, order[i])) forms[n++] = order[i];
    }
    return n;
}

const char *form_text(OpForm form) {
    static const char *const texts[] = {
        [OPF_DPS] = "DPS", [OPF_SSA] = "SSA", [OPF_AS] = "PTO-AS", [OPF_GENERIC] = "generic"};
    return texts[form];
}

bool has_optional(const Inst *inst) {
    if (inst_has_clauses(inst)) return true;
    for (int i = 0; i < inst->nslots; i++)
        if (inst->slots[i].arity == ARITY_OPT) return true;
    return false;
}

bool has_all_optional(const Example *e) {
    for (int i = 0; i < e->inst->nslots; i++)
        if (e->inst->slots[i].arity == ARITY_OPT && (e->operands[i].count == 0 || e->text != NULL))
            return false;
    return true;
}

const char *syntax_text(const InstFacts *f, OpForm form, bool optional) {
    if (!f->has_example) return NULL;
    StrBuf out;
    Example e = f->example;
    if (optional && form == OPF_SSA && inst_has_clauses(f->inst))
        return clause_syntax(f->inst, f->arena);
    if (optional && has_all_optional(&e)) return NULL;
    e.form = form;
    if (optional) example_take_all(&e);
    sb_init(&out, f->arena);
    example_print_syntax(&e, &out);
    check_memory(&e, f->arena);
    return out.len > 0 ? sb_text(&out) : NULL;
}

const char *example_text(const InstFacts *f) {
    StrBuf out;
    sb_init(&out, f->arena);
    example_print(&f->example, &out);
    check_memory(&f->example, f->arena);
    return sb_text(&out);
}

/* ---- diagnostics ---- */

const char *severity_text(DiagId id) {
    static const char *const texts[] = {"note", "warning", "error"};
    return texts[diag_infos[id].severity];
}

static bool rows_report(const RuleRow *rows, unsigned n, DiagId id) {
    for (unsigned i = 0; i < n; i++)
        if ((rows[i].id == id && rows[i].when != SHOWN && rows[i].when != KEPT) ||
            (id == DIAG_PTOAS_COMPAT && rows[i].when == VENDOR) ||
            (id == DIAG_LIBRARY && rows[i].when == LIBRARY_WARN))
            return true;
    return false;
}

static bool kinds_report(const Inst *inst) {
    for (int i = 0; i < inst->nslots; i++)
        if (slot_types[inst->slots[i].kind].kinds != 0) return true;
    for (int i = 0; i < inst->nresults; i++)
        if (slot_types[inst->results[i].kind].kinds != 0) return true;
    return false;
}

/* True when its own rules, or those from its schema, report the id. */
static bool inst_reports(const Inst *inst, DiagId id) {
    unsigned n;
    const RuleRow *rows = rule_rows(inst_id(inst), &n);
    if (rows_report(rows, n, id)) return true;
    if (inst->alias_of != INST_INVALID)
        return id == DIAG_DEPRECATED_SPELLING && (inst->flags & IF_DEPRECATED) != 0;
    int dst = inst_slot(inst, OPERAND_dst);
    rows = rule_rows(ROWS_OF_RESULTS, &n);
    if (dst >= 0 && slot_is_result(&inst->slots[dst]) && rows_report(rows, n, id)) return true;
    return (id == DIAG_OPERAND_KIND && kinds_report(inst)) ||
           (id == DIAG_NOT_IN_PTOAS && (inst->flags & IF_NOT_PTOAS) != 0) ||
           (id == DIAG_DEPRECATED_SPELLING && (inst->flags & IF_DEPRECATED) != 0) ||
           (id == DIAG_NO_KERNEL && !emit_lowers(inst));
}

const Inst **inst_reporting(DiagId id, Arena *arena, unsigned *n) {
    const Inst **list = ARENA_ARRAY(arena, const Inst *, INST_COUNT);
    *n = 0;
    for (int i = 1; i < INST_COUNT; i++)
        if (inst_reports(&inst_table[i], id)) list[(*n)++] = &inst_table[i];
    return list;
}
