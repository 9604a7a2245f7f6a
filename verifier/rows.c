/* The rows of the rule table, and what becomes of them in one run: a rule for each row that counts
 * for an instruction, a target and the mode, names turned into indices and guards into sets. */
#include "verifier/rules.h"

#include <string.h>

/* ---- the rows ---- */

#include "verifier/rules/vocabulary.h"

#define RULES(id, ...) static const RuleRow rows_##id[] = {__VA_ARGS__};
#define RULES_AS(id, other)
#include "verifier/rules/all.def"
#undef RULES
#undef RULES_AS

typedef struct RowList {
    const RuleRow *rows;
    unsigned n;
} RowList;

static const RowList row_lists[INST_COUNT] = {
#define RULES(id, ...) [INST_##id] = {rows_##id, sizeof rows_##id / sizeof rows_##id[0]},
#define RULES_AS(id, other)                                                                        \
    [INST_##id] = {rows_##other, sizeof rows_##other / sizeof rows_##other[0]},
#include "verifier/rules/all.def"
#undef RULES
#undef RULES_AS
};

/* Rows of every instruction whose `dst` is a result in the SSA forms. */
static const RuleRow result_rows[] = {
    CHECK(BOTH, ALL, TILE_ELEMENT, "dst", check_result_element),
    CHECK(BOTH, ALL, TILE_ALIGN, "dst", check_result_align),
    CHECK(BOTH, ALL, TILE_BOX, "dst", check_result_box),
};
enum { RESULT_ROWS = sizeof result_rows / sizeof result_rows[0] };

const RuleRow *rule_rows(InstId id, unsigned *n) {
    *n = row_lists[id].n;
    return row_lists[id].rows;
}

const RuleRow *result_rule_rows(unsigned *n) {
    *n = RESULT_ROWS;
    return result_rows;
}

/* ---- resolving rows ---- */

static bool name_is(const char *name, const char *s, size_t n) {
    return strlen(name) == n && memcmp(name, s, n) == 0;
}

/* Index of a slot or, behind the slots, of a result; -1 when there is none. */
static int find_index(const Inst *inst, const char *s, size_t n) {
    for (int i = 0; i < inst->nslots; i++)
        if (name_is(inst->slots[i].name, s, n)) return i;
    for (int i = 0; i < inst->nresults; i++)
        if (name_is(inst->results[i].name, s, n)) return inst->nslots + i;
    return -1;
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
    for (int e = 0; e < ELEM_COUNT; e++)
        if (name_is(elem_infos[e].text, s, n) || elem_infos[e].cls == cls ||
            (integer && elem_is_int((Elem)e)))
            set |= ELEM_BIT(e);
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

/* The bit of a value: a number, true, false, or a word of the attribute's enum. */
static uint64_t value_bit(const AttrInfo *info, const char *s, size_t n) {
    if (n == 0 || name_is("false", s, n)) return 1;
    if (name_is("true", s, n)) return 2;
    int v = 0;
    if (s[0] >= '0' && s[0] <= '9')
        for (size_t i = 0; i < n; i++)
            v = v * 10 + (s[i] - '0');
    else if (info->type == AT_ENUM)
        v = enum_value_find((EnumFamily)info->family, s, n);
    return v >= 0 && v < 64 ? (uint64_t)1 << v : 0;
}

/* The union of the bits of the words between commas; `mark` says what they are. */
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

/* `level3`, `level!3`. */
static bool level_guard(const Judge *j, const char *s, size_t n, Guard *g) {
    if (n < 6 || memcmp(s, "level", 5) != 0) return false;
    bool outside = s[5] == '!';
    if ((j->level == s[n - 1] - '0') == outside) g->kind = G_NEVER;
    return true;
}

/* One word of a guard. */
static Guard parse_guard(const Judge *j, const Inst *inst, const char *s, size_t n) {
    Guard g = {.kind = G_NONE};
    if (level_guard(j, s, n, &g)) return g;
    bool no = s[0] == '!';
    s += no;
    n -= no;
    size_t len = 0;
    while (len < n && strchr("@#~.=", s[len]) == NULL)
        len++;
    int slot = find_index(inst, s, len);
    g.index = (int8_t)(slot >= 0 ? slot : inst_attr(inst, s, len));
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

/* False: the row does not count in this run. */
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

static bool row_counts(const Judge *j, const RuleRow *row, Target t) {
    if ((row->where & (1u << t)) == 0) return false;
    return j->opt->compat ? row->when != PAGE && row->when != WARN : row->when != COMPAT;
}

bool rule_about_attribute(const RuleRow *row) {
    return row->cond == C_ATTR_REQUIRED || row->cond == C_ATTR_CONFLICT ||
           row->cond == C_ATTR_VALUE || row->cond == C_ATTR_SET || row->cond == C_ATTR_KIND;
}

static bool about_list(const Inst *inst, const Rule *r) {
    return r->a >= 0 && r->a < inst->nslots && inst->slots[r->a].arity == ARITY_VAR;
}

/* Conditions that look at their operand's type only, not at the list. */
static bool about_operand_of_list(const RuleRow *row) {
    switch (row->cond) {
    case C_OPERAND_KIND:
    case C_COUNT_RANGE:
    case C_OPERAND_REQUIRED:
    case C_OPERAND_CONFLICT:
    case C_DISTINCT_OPERANDS:
    case C_OPERAND_OVERLAP:
    case C_CHECK:
        return false;
    default:
        return !rule_about_attribute(row);
    }
}

/* One rule per name in row->a; returns how many were written to `out` (NULL: only counted). */
static unsigned resolve_row(const Judge *j, const Inst *inst, const RuleRow *row, Rule *out) {
    unsigned k = 0;
    const char *s = row->a;
    bool more = true;
    while (more) {
        size_t n = strcspn(s, " ");
        if (out != NULL) {
            Rule r = {.holds = cond_holds((CondId)row->cond), .row = row, .a = -1, .b = -1};
            r.error = j->opt->compat || row->when == BOTH || row->when == PAGE;
            if (n > 0)
                r.a = (int8_t)(rule_about_attribute(row) ? inst_attr(inst, s, n)
                                                         : find_index(inst, s, n));
            if (row->b != NULL) r.b = (int8_t)find_index(inst, row->b, strlen(row->b));
            r.each = about_operand_of_list(row) && about_list(inst, &r);
            if (!parse_guards(j, inst, row->guard, r.guard)) return k;
            out[k] = r;
        }
        k++;
        /* Attributes that the instruction does not have are looked for together. */
        if (rule_about_attribute(row) && inst_attr(inst, s, n) < 0) break;
        s += n;
        s += strspn(s, " ");
        more = *s != '\0';
    }
    return k;
}

static bool rule_by_type(const Inst *inst, const Rule *r) {
    /* The operands of a list are looked at one by one. */
    if ((r->row->cond == C_OPERAND_KIND && about_list(inst, r)) || r->each) return false;
    for (int i = 0; i < MAX_GUARDS; i++)
        if (r->guard[i].kind >= G_ATTR) return false;
    return cond_is_by_type(r->row);
}

/* What the schema of an instruction says is a rule as well: the kinds of its operands, the
 * attributes that it must have, and that the vendor's assembler does not have it. */
static const RuleRow kind_rows[SLOT_ANY + 1] = {
#define KIND_ROW(k, kinds) [SLOT_##k] = OPERAND_KIND(BOTH, ALL, "", kinds)
    KIND_ROW(TILE, K_TILE),
    KIND_ROW(SCALAR, K_SCALAR),
    KIND_ROW(INT, K_ANY_INT | K_INDEX),
    KIND_ROW(INDEX, K_INDEX),
    KIND_ROW(I64, K_I64),
    KIND_ROW(PTR, K_PTR),
    KIND_ROW(VIEW, K_VIEW),
    KIND_ROW(PART, K_PART),
    KIND_ROW(ANY_VIEW, K_VIEW | K_PART),
    KIND_ROW(SOURCE, K_PART),
    KIND_ROW(TILE_OR_SCALAR, K_TILE | K_SCALAR),
    KIND_ROW(BOOL, K_I1),
    KIND_ROW(MULTI, K_MULTI),
    KIND_ROW(PIPE, K_PIPE),
    KIND_ROW(EVENTS, K_EVENTS),
    KIND_ROW(ARRAY, K_ARRAY),
    KIND_ROW(STRUCT, K_STRUCT),
    KIND_ROW(SESSION, K_SESSION),
    KIND_ROW(ASYNC_EVENT, K_ASYNC_EVENT),
    KIND_ROW(PREFETCH, K_PREFETCH),
    KIND_ROW(ENTRY, K_TILE | K_MULTI | K_VIEW | K_PART),
    KIND_ROW(GM, K_PART | K_MEMREF),
#undef KIND_ROW
};
uint64_t slot_kinds(SlotKind kind) {
    return kind_rows[kind].set;
}

static const RuleRow not_in_ptoas_row = NOT_IN_PTOAS(COMPAT, ALL, "");
static const RuleRow form_row = CHECK(COMPAT, ALL, NOT_IN_PTOAS, "", check_vendor_form);
static const RuleRow required_row = {
    .cond = C_ATTR_REQUIRED, .id = DIAG_MISSING_ATTRIBUTE, .when = BOTH, .where = ALL, .a = ""};
static const RuleRow deprecated_row = NOT_IN_PTOAS(DEPRECATED, ALL, "");

static unsigned schema_rules(const Judge *j, const Inst *inst, Rule *out) {
    unsigned k = 0;
    const RuleRow *spelling = (inst->flags & IF_DEPRECATED) != 0  ? &deprecated_row
                              : (inst->flags & IF_NOT_PTOAS) != 0 ? &not_in_ptoas_row
                                                                  : NULL;
    if (spelling != NULL && (j->opt->compat || spelling->when == DEPRECATED))
        out[k++] = (Rule){.holds = cond_holds(C_NOT_IN_PTOAS),
                          .row = spelling,
                          .a = -1,
                          .b = -1,
                          .error = j->opt->compat};
    if (j->opt->compat && (inst->form == FORM_TILE || (inst->flags & IF_BARE_FORM) != 0))
        out[k++] =
            (Rule){.holds = cond_holds(C_CHECK), .row = &form_row, .a = -1, .b = -1, .error = true};
    for (int i = 0; i < inst->nattrs; i++)
        if (inst->attrs[i].required)
            out[k++] = (Rule){.holds = cond_holds(C_ATTR_REQUIRED),
                              .row = &required_row,
                              .a = (int8_t)i,
                              .b = -1,
                              .error = true};
    int n = inst->nslots + inst->nresults;
    for (int i = 0; i < n && i < RULE_MAX_SLOTS; i++) {
        unsigned kind =
            i < inst->nslots ? inst->slots[i].kind : inst->results[i - inst->nslots].kind;
        if (kind_rows[kind].set != 0)
            out[k++] = (Rule){.holds = cond_holds(C_OPERAND_KIND),
                              .row = &kind_rows[kind],
                              .a = (int8_t)i,
                              .b = -1,
                              .error = true};
    }
    return k;
}

bool inst_has_cpu_rows(InstId id) {
    const RowList *list = &row_lists[id];
    for (unsigned i = 0; i < list->n; i++)
        if ((list->rows[i].where & CPU) != 0) return true;
    return false;
}

RuleSet *resolve_rules(Judge *j, const Inst *inst, Target t) {
    const RowList *list = &row_lists[inst_id(inst)];
    Arena *a = &j->ctx->arena;
    RuleSet *set = ARENA_NEW(a, RuleSet);
    unsigned n = 0, k = 0, v = 0;
    for (unsigned i = 0; i < list->n; i++)
        if (row_counts(j, &list->rows[i], t)) n += resolve_row(j, inst, &list->rows[i], NULL);
    Rule *rules = ARENA_ARRAY(a, Rule, n + RESULT_ROWS + RULE_MAX_SLOTS + inst->nattrs + 2u);
    k = schema_rules(j, inst, rules);
    for (unsigned i = 0; i < list->n; i++)
        if (row_counts(j, &list->rows[i], t)) k += resolve_row(j, inst, &list->rows[i], rules + k);
    int dst = inst_slot(inst, "dst");
    for (unsigned i = 0; i < RESULT_ROWS && dst >= 0 && slot_is_result(&inst->slots[dst]) &&
                         (inst->flags & IF_VIEW) == 0;
         i++)
        k += resolve_row(j, inst, &result_rows[i], rules + k);
    uint16_t *by_value = ARENA_ARRAY(a, uint16_t, k + 1);
    for (unsigned i = 0; i < k; i++)
        if (!rule_by_type(inst, &rules[i])) by_value[v++] = (uint16_t)i;
    set->none = t == TARGET_CPU && !inst_has_cpu_rows(inst_id(inst));
    set->rules = rules;
    set->n = (uint16_t)k;
    set->by_value = by_value;
    set->nvalue = (uint16_t)v;
    return set;
}
