/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about instructions and diagnostics, derived from the tables. */
#include "explain/facts.h"
#include "backends/c/emit.h"
#include "backends/cpp/calls.h"
#include "backends/lower/kernel_table.h"
#include "explain/example_impl.h"
#include "ir/core.h"
#include "ir/epilogue.h"
#include "verifier/rules/checks/checks.h"

#include <string.h>

/* ---- profiles ---- */

/* True when a row without a guard refuses every operand. */
static bool always_refused(const Inst *inst, ProfileSet of, Profile p) {
    unsigned n;
    const RuleRow *rows = rule_rows(inst_id(inst), &n);
    for (unsigned i = 0; i < n; i++)
        if ((rows[i].where & of) != 0 && row_guard(&rows[i]) == NULL && rows[i].when == BOTH &&
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
        if (rows[i].cond == C_NOT_IN_PROFILE && rows[i].when == WARN &&
            row_guard(&rows[i]) == NULL && (rows[i].where & PROFILE_BIT(p)) != 0)
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
        int a = inst_operand_named(e->inst, row_a(&rows[i]), strlen(row_a(&rows[i])));
        int b = inst_operand_named(e->inst, row_b(&rows[i]), strlen(row_b(&rows[i])));
        if (a >= 0 && b >= 0) e->operands[a].same_as = (uint8_t)(b + 1);
    }
}

/* Leaves when memory ran out in a search or a text: what it left would be taken for the facts. */
static void check_memory(const Example *e, Arena *arena) {
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
        if (inst_table[i].alias_of != NULL && strcmp(inst_table[i].alias_of, inst->name) == 0)
            sb_printf(&out, "%s%s%s", out.len > 0 ? ", " : "", inst_table[i].name,
                      (inst_table[i].flags & IF_DEPRECATED) != 0 ? " (older)" : "");
    return out.len > 0 ? sb_text(&out) : NULL;
}

void inst_facts(InstFacts *f, const Inst *inst, Arena *arena) {
    const Inst *meant =
        inst->alias_of != NULL ? inst_find(inst->alias_of, strlen(inst->alias_of)) : NULL;
    *f = (InstFacts){.inst = meant != NULL ? meant : inst, .name = inst->name, .arena = arena};
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

/* ---- types by profile ---- */

static const uint64_t every_space = ((uint64_t)1 << SPACE_COUNT) - 1;
static const uint64_t every_layout = LAY_ROW_MAJOR | LAY_COL_MAJOR;

static bool names_operand(const char *names, const char *name) {
    for (size_t len = strlen(name); names != NULL && *names != '\0';) {
        size_t n = strcspn(names, " ");
        if (n == len && memcmp(names, name, n) == 0) return true;
        names += n + strspn(names + n, " ");
    }
    return false;
}

/* Returns the element types of these sizes in bytes, given as bits. */
static ElemSet elems_of_sizes(uint64_t sizes) {
    ElemSet set = 0;
    for (int e = 1; e < ELEM_COUNT; e++)
        if (elem_infos[e].bytes != 0 && ((uint64_t)1 << elem_infos[e].bytes & sizes) != 0)
            set |= ELEM_BIT(e);
    return set;
}

static ElemSet tile_elems(void) {
    return elems_of_sizes(UINT64_MAX);
}

static void apply_row(TypeFact *t, const RuleRow *row) {
    bool narrows = row->cond == C_ELEM_TYPE || row->cond == C_LOW_PRECISION ||
                   row->cond == C_ELEM_SIZE || row->cond == C_LOCATION || row->cond == C_LAYOUT;
    if (!narrows || !names_operand(row_a(row), t->operand)) return;
    if (row_guard(row) != NULL) {
        t->guarded = true;
        return;
    }
    if (row->cond == C_ELEM_TYPE) t->elems &= row_args(row)->set;
    if (row->cond == C_LOW_PRECISION) t->elems &= ~low_precision_elems();
    if (row->cond == C_ELEM_SIZE) t->elems &= elems_of_sizes(row_args(row)->set);
    if (row->cond == C_LOCATION) t->spaces &= row_args(row)->set;
    if (row->cond == C_LAYOUT) t->layouts &= row_args(row)->set;
}

/* Operands that must have the same element type share the restrictions of both. */
static void share_elems(TypeFact *list, unsigned n, const RuleRow *row) {
    if (row_guard(row) != NULL || (row->cond != C_ELEM_MISMATCH && row->cond != C_TYPE_MISMATCH))
        return;
    ElemSet both = tile_elems();
    for (unsigned i = 0; i < n; i++)
        if (names_operand(row_a(row), list[i].operand) || strcmp(row_b(row), list[i].operand) == 0)
            both &= list[i].elems;
    for (unsigned i = 0; i < n; i++)
        if (names_operand(row_a(row), list[i].operand) || strcmp(row_b(row), list[i].operand) == 0)
            list[i].elems = both;
}

static bool row_applies(const RuleRow *row, ProfileSet of) {
    return (row->where & of) != 0 &&
           (row->when == BOTH || row->when == PAGE || row->when == LIBRARY);
}

static TypeFact *find_fact(TypeFact *list, unsigned n, const char *operand) {
    for (unsigned i = 0; i < n; i++)
        if (strcmp(list[i].operand, operand) == 0) return &list[i];
    return NULL;
}

/* Drops left and right sides of pairs that have no partner left. */
static void apply_pairs(TypeFact *list, unsigned n, const RuleRow *row) {
    if (row_guard(row) != NULL || row->cond != C_ELEM_PAIR) return;
    TypeFact *a = find_fact(list, n, row_a(row)), *b = find_fact(list, n, row_b(row));
    ElemSet left = 0, right = 0;
    for (const uint8_t *p = row_list(row); p[0] != 0; p += 2) {
        if ((a != NULL && (a->elems & ELEM_BIT(p[0])) == 0) ||
            (b != NULL && (b->elems & ELEM_BIT(p[1])) == 0))
            continue;
        left |= ELEM_BIT(p[0]);
        right |= ELEM_BIT(p[1]);
    }
    if (a != NULL) a->elems &= left;
    if (b != NULL) b->elems &= right;
}

/* Computes the types of tile operands by the rows of one profile. */
static unsigned rows_types(const InstFacts *f, ProfileSet of, TypeFact *out) {
    unsigned nrows, n = 0;
    const Inst *inst = f->inst;
    const RuleRow *rows = rule_rows(inst_id(inst), &nrows);
    for (int i = 0; i < inst->nslots; i++)
        if ((slot_types[inst->slots[i].kind].kinds & (K_TILE | K_MULTI)) != 0)
            out[n++] =
                (TypeFact){inst->slots[i].name, of, tile_elems(), every_space, every_layout, false};
    for (unsigned i = 0; i < nrows; i++)
        for (unsigned k = 0; k < n && row_applies(&rows[i], of); k++)
            apply_row(&out[k], &rows[i]);
    for (unsigned pass = 0; pass < n; pass++) /* restrictions may pass through several operands */
        for (unsigned i = 0; i < nrows; i++)
            if (row_applies(&rows[i], of)) {
                share_elems(out, n, &rows[i]);
                apply_pairs(out, n, &rows[i]);
            }
    return n;
}

static bool same_types(const TypeFact *a, const TypeFact *b) {
    return a->elems == b->elems && a->spaces == b->spaces && a->layouts == b->layouts &&
           a->guarded == b->guarded;
}

static bool is_restricted(const TypeFact *t) {
    return t->elems != tile_elems() || t->spaces != every_space || t->layouts != every_layout;
}

const TypeFact *type_facts(const InstFacts *f, unsigned *n) {
    TypeFact by_profile[PROFILE_COUNT][INST_MOST_OPERANDS];
    TypeFact *list = ARENA_ARRAY(f->arena, TypeFact, PROFILE_COUNT * INST_MOST_OPERANDS);
    ProfileSet own = inst_profiles(inst_id(f->inst));
    unsigned operands = 0;
    *n = 0;
    for (int p = 0; p < PROFILE_COUNT; p++)
        operands = rows_types(f, PROFILE_BIT(p), by_profile[p]);
    for (unsigned i = 0; i < operands; i++) {
        unsigned first = *n;
        for (int p = 0; p < PROFILE_COUNT; p++) {
            const TypeFact *fact = &by_profile[p][i];
            bool merged = false;
            if ((own & PROFILE_BIT(p)) == 0 || always_refused(f->inst, PROFILE_BIT(p), (Profile)p))
                continue;
            for (unsigned k = first; k < *n && !merged; k++)
                if (same_types(&list[k], fact)) {
                    list[k].where |= PROFILE_BIT(p);
                    merged = true;
                }
            if (!merged && is_restricted(fact)) list[(*n)++] = *fact;
        }
    }
    return list;
}

/* Returns the types with code for some type of the second operand. */
static ElemSet elems_with_code(const Inst *inst) {
    ElemSet set = 0;
    for (const KernelRow *row = kernel_first(inst); row != NULL; row = kernel_next(inst, row))
        for (unsigned i = 0; i < row->ntypes; i++)
            for (int e = 0; e < ELEM_COUNT; e++)
                if (kernel_elem(e) == kernel_types[row->types + i].e1) set |= ELEM_BIT(e);
    return set;
}

/* True when some accepted program gives the operand this type; the facts ignore rules that apply
 * conditionally, so they may include more. */
static bool some_program_has(Arena *arena, const Inst *inst, int slot, int elem) {
    OpForm forms[4];
    Example e;
    if (slot < 0 || inst_forms(inst, forms) == 0) return true;
    for (int p = 0; p < PROFILE_COUNT; p++) {
        example_init(&e, inst, (Profile)p, forms[0]);
        e.operands[slot].elems = ELEM_BIT(elem);
        e.operands[slot].elem = (uint8_t)elem;
        e.starved = ARENA_NEW(arena, bool);
        bool found = example_find(&e);
        check_memory(&e, arena);
        if (found) return true;
    }
    return false;
}

CodeFact code_fact(const InstFacts *f) {
    CodeFact fact = {.emitted = emit_lowers(f->inst)};
    const KernelRow *row = kernel_first(f->inst);
    if (row == NULL) return fact;
    const char *operand = row->elems[0] >= 0 ? f->inst->slots[row->elems[0]].name : "";
    const ElemSet has = elems_with_code(f->inst);
    unsigned n;
    const TypeFact *types = type_facts(f, &n);
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(types[i].operand, operand) != 0) continue;
        fact.operand = types[i].operand;
        fact.has |= types[i].elems & has;
        fact.lacks |= types[i].elems & ~has;
    }
    const int slot =
        fact.operand != NULL ? inst_slot_named(f->inst, fact.operand, strlen(fact.operand)) : -1;
    for (int e = 0; e < ELEM_COUNT; e++)
        if ((fact.lacks & ELEM_BIT(e)) && !some_program_has(f->arena, f->inst, slot, e))
            fact.lacks &= ~ELEM_BIT(e);
    return fact;
}

const char *device_call(const InstFacts *f, Profile p) {
    return (f->profiles & PROFILE_BIT(p)) != 0 ? call_shown(f->inst, p, f->arena) : NULL;
}

const char *demand_text(Arena *arena, const KernelCond *d) {
    const ElemSet others = tile_elems() & ~d->elems;
    if ((d->elems & tile_elems()) == d->elems) return elems_text(arena, d->elems);
    return arena_printf(arena, "any but %s", elems_text(arena, others));
}

const char *code_text(const InstFacts *f) {
    const CodeFact fact = code_fact(f);
    if (!fact.emitted)
        return f->inst->unwritable != NULL ? arena_printf(f->arena, "no: %s", f->inst->unwritable)
                                           : "no";
    StrBuf out;
    const KernelCond *d;
    sb_init(&out, f->arena);
    if (fact.lacks != 0)
        sb_printf(&out, "where %s has %s", fact.operand, elems_text(f->arena, fact.has));
    const KernelRow *row = kernel_first(f->inst);
    for (unsigned k = 0; row != NULL && (d = kernel_type_demand(row, k)) != NULL; k++) {
        const char *before = out.len == 0 ? "where " : d->alternative ? " or " : "; ";
        const char *x = f->inst->slots[d->x].name;
        if (d->test == KTEST_SAME_TYPE)
            sb_printf(&out, "%s%s and %s have one element type", before, x,
                      f->inst->slots[d->other].name);
        else
            sb_printf(&out, "%s%s has %s", before, x, demand_text(f->arena, d));
    }
    return out.len == 0 ? "yes" : sb_text(&out);
}

const char *elems_text(Arena *arena, ElemSet set) {
    StrBuf out;
    sb_init(&out, arena);
    if (set == tile_elems()) return "any";
    if (set == (tile_elems() & ~low_precision_elems())) return "any but fp8, hif8, fp4 and packed";
    put_elem_set_short(&out, set);
    return sb_text(&out);
}

const char *spaces_text(Arena *arena, uint64_t set) {
    StrBuf out;
    sb_init(&out, arena);
    if ((set & every_space) == every_space) return "any";
    put_names(&out, set, space_names, SPACE_COUNT);
    return sb_text(&out);
}

const char *layouts_text(Arena *arena, uint64_t set) {
    StrBuf out;
    sb_init(&out, arena);
    if ((set & every_layout) == every_layout) return "any";
    put_layouts(&out, set);
    return sb_text(&out);
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

static void put_values(StrBuf *out, unsigned family) {
    const EnumInfo *e = &enum_infos[family];
    for (unsigned i = 0; i < e->nvalues; i++)
        sb_printf(out, "%s%s", i > 0 ? ", " : "", e->values[i].text);
}

static const char *epilogue_text(Arena *arena) {
    static const char *const keys[] = {"layout", "quant", "relu"};
    StrBuf out;
    sb_init(&out, arena);
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        const char *const *words = epilogue_words(keys[k], strlen(keys[k]));
        sb_printf(&out, "%s%s = ", k > 0 ? "; " : "", keys[k]);
        for (unsigned i = 0; words[i] != NULL; i++)
            sb_printf(&out, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    return sb_text(&out);
}

const char *attr_type_text(Arena *arena, const AttrInfo *a) {
    static const char *const texts[] = {[AT_ANY] = "any value",        [AT_UNIT] = "no value",
                                        [AT_BOOL] = "true or false",   [AT_INT] = "integer",
                                        [AT_I32] = "integer (i32)",    [AT_STRING] = "string",
                                        [AT_SYMBOL] = "symbol",        [AT_ENUM] = NULL,
                                        [AT_INT_LIST] = "integers",    [AT_TYPE] = "type",
                                        [AT_ANGLE] = "words in <...>", [AT_WORD] = NULL};
    if (a->type == AT_EPILOGUE) return epilogue_text(arena);
    if (texts[a->type] != NULL) return texts[a->type];
    StrBuf out;
    sb_init(&out, arena);
    put_values(&out, a->family);
    if (a->one_family) return sb_text(&out); /* other families have the same words */
    for (const uint8_t *also = a->also; also != NULL && *also != EF_NONE; also++) {
        sb_puts(&out, "; or ");
        put_values(&out, *also);
    }
    return sb_text(&out);
}

const char *enum_written_text(Arena *arena, EnumFamily family) {
    StrBuf out;
    sb_init(&out, arena);
    enum_put(&out, &enum_infos[family], "VALUE");
    return sb_text(&out);
}

/* True when the format of an instruction has the attribute, as `#name`. */
static bool is_in_format(const Inst *inst, const char *name) {
    const size_t n = strlen(name);
    for (const char *s = inst->format; s != NULL && (s = strchr(s, '#')) != NULL; s++)
        if (strncmp(s + 1, name, n) == 0 && (s[n + 1] == ' ' || s[n + 1] == '\0')) return true;
    return false;
}

const char *attr_written_text(Arena *arena, const Inst *inst, const AttrInfo *a) {
    const char *values = attr_type_text(arena, a);
    if (a->type != AT_ENUM) return values;
    const bool in_place = is_in_format(inst, a->name) && !a->full;
    return arena_printf(arena, "%s: %s",
                        in_place && enum_infos[a->family].spelling != ENUM_QUOTED
                            ? "<VALUE>"
                            : enum_written_text(arena, (EnumFamily)a->family),
                        values);
}

const char *attr_default_text(Arena *arena, const AttrInfo *a) {
    if (a->required) return NULL;
    if (a->absent != NULL) return *a->absent != '\0' ? a->absent : NULL;
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
    const Pipe pipe = inst_pipe(inst, p);
    if (pipe == PIPE_BY_OPERAND) return inst->pipe_of;
    if (pipe == PIPE_BY_ATTR) return "as an attribute says";
    return pipe == PIPE_NONE ? NULL : pipe_names[pipe] + strlen("PIPE_");
}

const char *tmp_text(const Inst *inst, Profile p) {
    static const char *const texts[] = {
        [TMP_NONE] = NULL,
#define TMP_KIND(id, text) [TMP_##id] = text,
#include "ir/tmp_kinds.def"
#undef TMP_KIND
    };
    return texts[inst_tmp(inst, p)];
}

const char *core_text(const Inst *inst) {
    static const char *const texts[] = {
        [CORE_ANY] = NULL, [CORE_CUBE] = "cube", [CORE_VECTOR] = "vector"};
    return (inst->flags & IF_CORE_BY_PIPE) != 0 ? "that of the pipe" : texts[inst->core];
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
    if (inst->alias_of != NULL)
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
