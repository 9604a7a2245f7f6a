/* Facts about instructions and diagnostics, taken from the tables. */
#include "backends/c/emit.h"
#include "cli/explain.h"

#include <string.h>

/* ---- profiles ---- */

static bool exists_under(const Inst *inst, unsigned target) {
    unsigned n;
    const RuleRow *rows = rule_rows(inst_id(inst), &n);
    for (unsigned i = 0; i < n; i++)
        if (rows[i].cond == C_NOT_IN_PROFILE && rows[i].guard == NULL && rows[i].when == BOTH &&
            (rows[i].where & target) != 0)
            return false;
    return true;
}

/* Some exist on the chips only. */
static bool needs_hardware(const Inst *inst) {
    unsigned n;
    const RuleRow *rows = rule_rows(inst_id(inst), &n);
    for (unsigned i = 0; i < n; i++)
        if (rows[i].fn == check_hardware && rows[i].guard == NULL && rows[i].when == BOTH)
            return true;
    return false;
}

static bool has_cpu_rows(const Inst *inst) {
    unsigned n;
    const RuleRow *rows = rule_rows(inst_id(inst), &n);
    for (unsigned i = 0; i < n; i++)
        if ((rows[i].where & CPU) != 0) return true;
    return false;
}

/* Every instruction has an example somewhere; a2a3 is what programs are judged for by default. */
static void find_example(InstFacts *f) {
    static const Profile order[] = {PROFILE_A2A3, PROFILE_A5, PROFILE_CPU};
    OpForm forms[4];
    if (inst_forms(f->inst, forms) == 0) return;
    for (unsigned i = 0; i < 3 && !f->has_example; i++) {
        if ((f->profiles & PROFILE_BIT(order[i])) == 0) continue;
        example_init(&f->example, f->inst, order[i], forms[0]);
        f->has_example = example_find(&f->example);
    }
}

static const char *other_spellings(const Inst *inst, Arena *arena) {
    StrBuf out;
    sb_init(&out, arena);
    for (int i = 1; i < INST_COUNT; i++)
        if (inst_table[i].alias_of != NULL && strcmp(inst_table[i].alias_of, inst->name) == 0)
            sb_printf(&out, "%s%s%s", out.len > 0 ? ", " : "", inst_table[i].name,
                      (inst_table[i].flags & IF_DEPRECATED) != 0 ? " (older)" : "");
    return out.len > 0 ? sb_text(&out) : NULL;
}

void inst_facts(InstFacts *f, const Inst *inst, Arena *arena) {
    const Inst *meant =
        inst->alias_of != NULL ? inst_find(inst->alias_of, strlen(inst->alias_of)) : NULL;
    *f = (InstFacts){.inst = meant != NULL ? meant : inst, .name = inst->name, .arena = arena};
    if (exists_under(f->inst, A2A3)) f->profiles |= PROFILE_BIT(PROFILE_A2A3);
    if (exists_under(f->inst, A5)) f->profiles |= PROFILE_BIT(PROFILE_A5);
    f->has_cpu_rules = has_cpu_rows(f->inst);
    if ((f->profiles != 0 || f->has_cpu_rules) && !needs_hardware(f->inst))
        f->profiles |= PROFILE_BIT(PROFILE_CPU);
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

const char *where_text(unsigned where) {
    static const char *const texts[] = {"",    "a2a3",      "a5",      "a2a3, a5",
                                        "cpu", "cpu, a2a3", "cpu, a5", "cpu, a2a3, a5"};
    return texts[where & ANY];
}

static const char *rule_text(const InstFacts *f, const RuleRow *row) {
    StrBuf out;
    sb_init(&out, f->arena);
    rule_describe(f->inst, row, &out);
    return sb_text(&out);
}

/* The same demand with the same mode and id for another profile. */
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
            if (rule_topic(&rows[i]) != (RuleTopic)topic) continue;
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
    for (int i = 0; i < inst->nslots; i++)
        if (inst->slots[i].arity == ARITY_OPT) return true;
    return false;
}

const char *syntax_text(const InstFacts *f, OpForm form, bool optional) {
    if (!f->has_example || (optional && f->example.text != NULL)) return NULL;
    StrBuf out;
    Example e = f->example;
    e.form = form;
    sb_init(&out, f->arena);
    example_print_syntax(&e, optional, &out);
    return out.len > 0 ? sb_text(&out) : NULL;
}

const char *example_text(const InstFacts *f) {
    StrBuf out;
    sb_init(&out, f->arena);
    example_print(&f->example, &out);
    return sb_text(&out);
}

/* ---- operands and attributes ---- */

const char *role_text(const SlotInfo *s) {
    static const char *const texts[] = {[ROLE_READ] = "input",
                                        [ROLE_WRITE] = "output",
                                        [ROLE_READWRITE] = "input and output",
                                        [ROLE_SCRATCH] = "scratch"};
    return texts[s->role];
}

const char *arity_text(const SlotInfo *s) {
    return s->arity == ARITY_OPT ? "optional" : s->arity == ARITY_VAR ? "list" : NULL;
}

const char *kinds_text(Arena *arena, unsigned kind) {
    StrBuf out;
    sb_init(&out, arena);
    slot_describe_kinds((SlotKind)kind, &out);
    return sb_text(&out);
}

static void put_values(StrBuf *out, unsigned family) {
    const EnumInfo *e = &enum_infos[family];
    for (unsigned i = 0; i < e->nvalues; i++)
        sb_printf(out, "%s%s", i > 0 ? ", " : "", e->values[i].text);
}

const char *attr_type_text(Arena *arena, const AttrInfo *a) {
    static const char *const texts[] = {[AT_ANY] = "any value",        [AT_UNIT] = "no value",
                                        [AT_BOOL] = "true or false",   [AT_INT] = "integer",
                                        [AT_I32] = "integer (i32)",    [AT_STRING] = "string",
                                        [AT_SYMBOL] = "symbol",        [AT_ENUM] = NULL,
                                        [AT_INT_LIST] = "integers",    [AT_TYPE] = "type",
                                        [AT_ANGLE] = "words in <...>", [AT_WORD] = NULL};
    if (texts[a->type] != NULL) return texts[a->type];
    StrBuf out;
    sb_init(&out, arena);
    put_values(&out, a->family);
    for (const uint8_t *also = a->also; also != NULL && *also != EF_NONE; also++) {
        sb_puts(&out, "; or ");
        put_values(&out, *also);
    }
    return sb_text(&out);
}

const char *attr_default_text(Arena *arena, const AttrInfo *a) {
    if (a->required) return NULL;
    switch ((AttrType)a->type) {
    case AT_ENUM:
    case AT_WORD:
        return a->dflt >= 0 && a->dflt < enum_infos[a->family].nvalues
                   ? enum_infos[a->family].values[a->dflt].text
                   : NULL;
    case AT_BOOL:
        return a->dflt != 0 ? "true" : "false";
    case AT_INT:
    case AT_I32:
        return arena_printf(arena, "%lld", (long long)a->dflt);
    default:
        return NULL;
    }
}

const char *pipe_text(const Inst *inst, Profile p) {
    static const char *const texts[] = {[PIPE_NONE] = NULL,
                                        [PIPE_S] = "S",
                                        [PIPE_V] = "V",
                                        [PIPE_M] = "M",
                                        [PIPE_MTE1] = "MTE1",
                                        [PIPE_MTE2] = "MTE2",
                                        [PIPE_MTE3] = "MTE3",
                                        [PIPE_FIX] = "FIX",
                                        [PIPE_BY_OPERAND] = "by operand",
                                        [PIPE_BY_ATTR] = "as an attribute says"};
    return texts[inst->pipe[p]];
}

const char *tmp_text(const Inst *inst, Profile p) {
    static const char *const texts[] = {
        [TMP_NONE] = NULL,
#define TMP_KIND(id, text) [TMP_##id] = text,
#include "ir/tmp_kinds.def"
#undef TMP_KIND
    };
    return texts[inst->tmp[p]];
}

const char *core_text(const Inst *inst) {
    static const char *const texts[] = {
        [CORE_ANY] = NULL, [CORE_CUBE] = "cube", [CORE_VECTOR] = "vector"};
    return (inst->flags & IF_CORE_BY_PIPE) != 0 ? "that of the pipe" : texts[inst->core];
}

/* ---- diagnostics ---- */

const char *severity_text(DiagId id) {
    return diag_infos[id].severity == SEV_ERROR ? "error" : "warning";
}

static bool rows_report(const RuleRow *rows, unsigned n, DiagId id) {
    for (unsigned i = 0; i < n; i++)
        if (rows[i].id == id || (id == DIAG_PTOAS_COMPAT && rows[i].when == VENDOR)) return true;
    return false;
}

static bool kinds_report(const Inst *inst) {
    for (int i = 0; i < inst->nslots; i++)
        if (slot_kinds((SlotKind)inst->slots[i].kind) != 0) return true;
    for (int i = 0; i < inst->nresults; i++)
        if (slot_kinds((SlotKind)inst->results[i].kind) != 0) return true;
    return false;
}

/* By its own rules, or by those that follow from its row. */
static bool inst_reports(const Inst *inst, DiagId id) {
    unsigned n;
    const RuleRow *rows = rule_rows(inst_id(inst), &n);
    if (rows_report(rows, n, id)) return true;
    if (inst->alias_of != NULL)
        return id == DIAG_DEPRECATED_SPELLING && (inst->flags & IF_DEPRECATED) != 0;
    int dst = inst_slot(inst, "dst");
    rows = result_rule_rows(&n);
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
