/* Judging a statement: rows are resolved once per instruction and target, then tried in order.
 * Operand types that passed all rules about types are remembered, so that the next statement of
 * the kind costs a few comparisons. */
#include "verifier/rules.h"

#include <string.h>

/* ---- the rows ---- */

#include "verifier/rules/vocabulary.h"

#define RULES(id, ...) static const RuleRow rows_##id[] = {__VA_ARGS__};
#include "verifier/rules/all.def"
#undef RULES

typedef struct RowList {
    const RuleRow *rows;
    unsigned n;
} RowList;

static const RowList row_lists[INST_COUNT] = {
#define RULES(id, ...) [INST_##id] = {rows_##id, sizeof rows_##id / sizeof rows_##id[0]},
#include "verifier/rules/all.def"
#undef RULES
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

static bool about_attribute(const RuleRow *row) {
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
        return !about_attribute(row);
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
                r.a =
                    (int8_t)(about_attribute(row) ? inst_attr(inst, s, n) : find_index(inst, s, n));
            if (row->b != NULL) r.b = (int8_t)find_index(inst, row->b, strlen(row->b));
            r.each = about_operand_of_list(row) && about_list(inst, &r);
            if (!parse_guards(j, inst, row->guard, r.guard)) return k;
            out[k] = r;
        }
        k++;
        /* Attributes that the instruction does not have are looked for together. */
        if (about_attribute(row) && inst_attr(inst, s, n) < 0) break;
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

static RuleSet *resolve(Judge *j, const Inst *inst, Target t) {
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

static RuleSet *rule_set(Judge *j, const Inst *inst, Profile p, Target t) {
    RuleSet **set = &j->sets[p][t][inst_id(inst)];
    if (*set == NULL) *set = resolve(j, inst, t); /* once per run */
    return *set;
}

/* ---- trying rules ---- */

static bool guard_open(const Case *c, const Guard *g) {
    const Type *t;
    int64_t v;
    switch (g->kind) {
    case G_PRESENT:
        return c->types[g->index] != NULL;
    case G_ABSENT:
        return c->types[g->index] == NULL;
    case G_SPACE:
        t = case_tile(c, g->index);
        return t != NULL && ((uint64_t)1 << t->tile.space & g->set) != 0;
    case G_ELEM:
        t = case_type(c, g->index);
        return t != NULL && (ELEM_BIT(t->elem) & g->set) != 0;
    case G_LAYOUT:
        t = case_tile(c, g->index);
        return t != NULL && (tile_layout(t, c->profile) & g->set) != 0;
    case G_EMPTY:
        t = case_tile(c, g->index);
        v = t != NULL && t->tile.vrow == 0 && t->tile.vcol == 0 ? 1 : 2;
        return ((uint64_t)v & g->set) != 0;
    case G_ATTR:
        return op_attr(c->judge->ctx, c->op, g->index) != NULL;
    case G_NO_ATTR:
        return op_attr(c->judge->ctx, c->op, g->index) == NULL;
    case G_ATTR_IS:
        return attr_value_of(c->judge->ctx, c->op, g->index, &v) && v >= 0 && v < 64 &&
               ((uint64_t)1 << v & g->set) != 0;
    default:
        return true;
    }
}

/* The first operand of a list for which the rule does not hold; -1 when there is none. */
static int broken_in_list(Case *c, const Rule *r) {
    const Operand *o = slot_operands(c->op, r->a);
    const Type *first = c->types[r->a];
    int broken = -1;
    for (unsigned i = 0; broken < 0 && i < slot_count(c->op, r->a); i++) {
        c->types[r->a] = o[i].value->type;
        if (!r->holds(c, r)) broken = (int)i;
    }
    c->types[r->a] = first;
    return broken;
}

static bool rule_holds(Case *c, const Rule *r) {
    for (int i = 0; i < MAX_GUARDS && r->guard[i].kind != G_NONE; i++)
        if (!guard_open(c, &r->guard[i])) return true;
    return r->each ? broken_in_list(c, r) < 0 : r->holds(c, r);
}

/* Where a combination of types is remembered; NULL when it cannot be. */
static Memo *memo_slot(const Case *c, RuleSet *set) {
    if (c->ntypes > MEMO_TYPES || c->op->form == OPF_AS)
        return NULL; /* the kinds that the PTO-AS form admits are its own */
    uintptr_t h = 0, some = 0;
    for (unsigned i = 0; i < c->ntypes; i++) {
        some |= (uintptr_t)c->types[i];
        h ^= (uintptr_t)c->types[i] >> (5 + 3 * (i & 1));
    }
    return some != 0 ? &set->memo[h % MEMO_WAYS] : NULL; /* an empty entry is all NULL */
}

static bool memo_hit(const Case *c, Memo *m) {
    for (unsigned i = 0; i < c->ntypes; i++)
        if ((*m)[i] != c->types[i]) return false;
    return true;
}

static bool all_hold(Case *c, RuleSet *set) {
    for (unsigned i = 0; i < set->nvalue; i++)
        if (!rule_holds(c, &set->rules[set->by_value[i]])) return false;
    Memo *m = memo_slot(c, set);
    if (m != NULL && memo_hit(c, m)) return true;
    for (unsigned i = 0; i < set->n; i++)
        if (!rule_holds(c, &set->rules[i])) return false;
    if (m != NULL) memcpy(*m, c->types, c->ntypes * sizeof c->types[0]);
    return true;
}

/* Number of operands of a slot (as slot_count, which cannot be inlined). */
static unsigned operands_of(const Op *op, int slot) {
    if (op->segs != NULL) return op->segs[slot];
    return op->form == OPF_DPS || op->nresults == 0 || !slot_is_result(&op->inst->slots[slot]);
}

/* The types by slot, then of the results. */
static void gather_types(Case *c) {
    const Op *op = c->op;
    const Inst *inst = op->inst;
    unsigned n = 0, at = 0, result = 0;
    for (int s = 0; s < inst->nslots && n < RULE_MAX_SLOTS; s++) {
        unsigned count = operands_of(op, s);
        const Type *t = NULL;
        if (count > 0 && at < op->noperands)
            t = op->operands[at].value->type;
        else if (count == 0 && slot_is_result(&inst->slots[s]) && result < op->nresults)
            t = op->results[result++].type;
        c->types[n++] = t;
        at += count;
    }
    for (int i = 0; i < inst->nresults && n < RULE_MAX_SLOTS; i++)
        c->types[n++] = result < op->nresults ? op->results[result++].type : NULL;
    c->ntypes = (uint8_t)n;
}

/* ---- reporting ---- */

/* The targets that stand for a profile; the first is the one whose errors are shown. */
static unsigned profile_targets(Profile p, Target out[TARGET_COUNT]) {
    if (p == PROFILE_CPU) {
        out[0] = TARGET_A2A3;
        out[1] = TARGET_A5;
        out[2] = TARGET_CPU;
        return 3;
    }
    out[0] = p == PROFILE_A5 ? TARGET_A5 : TARGET_A2A3;
    return 1;
}

/* The first error of a target, or NULL. */
static const Rule *first_error(Case *c, Target t) {
    RuleSet *set = rule_set(c->judge, c->op->inst, c->profile, t);
    for (unsigned i = 0; i < set->n; i++)
        if (set->rules[i].error && !rule_holds(c, &set->rules[i])) return &set->rules[i];
    return NULL;
}

/* The first error under a profile, or NULL; *t is the target that accepts. On the cpu profile the
 * rows for CPU speak, else the target that gets further in its list: the one the author meant. */
static const Rule *profile_error(Case *c, Profile p, Target *t) {
    Target targets[TARGET_COUNT];
    unsigned n = profile_targets(p, targets);
    const Rule *best = NULL;
    ptrdiff_t reached = -1;
    c->profile = p;
    for (unsigned i = 0; i < n; i++) {
        const RuleSet *set = rule_set(c->judge, c->op->inst, p, targets[i]);
        if (set->none) continue;
        const Rule *r = first_error(c, targets[i]);
        *t = targets[i];
        if (r == NULL) return NULL;
        ptrdiff_t at = targets[i] == TARGET_CPU ? PTRDIFF_MAX : r - set->rules;
        if (at > reached) {
            reached = at;
            best = r;
        }
    }
    return best;
}

static void put_profiles(StrBuf *out, ProfileSet set) {
    unsigned n = (unsigned)__builtin_popcount(set), k = 0;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if (set & PROFILE_BIT(p))
            sb_printf(out, "%s%s", k++ == 0 ? "" : k == n ? " and " : ", ", profile_names[p]);
}

static void put_operand_type(const Case *c, const Rule *r, StrBuf *out) {
    static const uint64_t types_said = 1u << C_OPERAND_KIND | 1u << C_SCALAR_MISMATCH |
                                       1u << C_SCALAR_EXACT | 1u << C_TYPE_MISMATCH;
    if (r->row->cond == C_CHECK || (types_said >> r->row->cond & 1) != 0 || r->a < 0 ||
        about_attribute(r->row) || c->types[r->a] == NULL)
        return;
    sb_printf(out, " (%s: %.*s)", case_name(c, r->a), TYPE_TEXT(c->judge, c->types[r->a]));
}

static Diag *report(Case *c, const Rule *r, ProfileSet profiles) {
    Judge *j = c->judge;
    StrBuf out;
    sb_init(&out, &j->ctx->arena);
    Span at = case_span(c, about_attribute(r->row) ? -1 : r->a);
    if (about_attribute(r->row)) {
        const NamedAttr *a = rule_attr(c, r);
        if (a != NULL && a->span.len != 0) at = a->span;
    }
    const Type *first = r->a >= 0 ? c->types[r->a] : NULL;
    if (r->each) { /* the operand of the list that is meant */
        int broken = broken_in_list(c, r);
        const Operand *o = slot_operands(c->op, r->a) + (broken > 0 ? broken : 0);
        c->types[r->a] = o->value->type;
        at = o->span;
    }
    c->at = &at;
    sb_printf(&out, "%s: ", c->op->inst->name);
    if (r->row->when == VENDOR && !r->error && r->row->cond != C_NOT_IN_PTOAS)
        sb_puts(&out, "PTOAS 0.60 refuses this: ");
    cond_explain(c, r, &out);
    put_operand_type(c, r, &out);
    if (r->each) c->types[r->a] = first;
    if (__builtin_popcount(j->profiles) > 1) {
        sb_puts(&out, " (");
        put_profiles(&out, profiles);
        sb_puts(&out, ")");
    }
    DiagId id = r->error || r->row->when == WARN ? (DiagId)r->row->id
                : r->row->when == DEPRECATED     ? DIAG_DEPRECATED_SPELLING
                                                 : DIAG_PTOAS_COMPAT;
    Diag *d = diag_add_as(&j->ctx->diags, r->error ? SEV_ERROR : SEV_WARNING, id, at, "%s",
                          sb_text(&out));
    d->profiles = profiles;
    if (row_hint(r->row) != NULL) diag_note(&j->ctx->diags, d, "%s", row_hint(r->row));
    c->at = NULL;
    return d;
}

/* Which of all profiles take the statement. */
static ProfileSet accepting(Case *c) {
    ProfileSet set = 0;
    Target t;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if (profile_error(c, (Profile)p, &t) == NULL) set |= PROFILE_BIT(p);
    return set;
}

/* A program that is of another level than was said breaks the rule at every tile: that is one
 * mistake, said once in a function (end_level_report adds how often). */
static bool level_was_reported(Judge *j, const Rule *r) {
    if (r->row->id != DIAG_LEVEL || j->level_diag == NULL) return false;
    j->level_more++;
    return true;
}

void end_level_report(Judge *j) {
    if (j->level_more > 0)
        diag_note(&j->ctx->diags, j->level_diag, "and %u more statement%s of this function",
                  j->level_more, j->level_more > 1 ? "s" : "");
    j->level_diag = NULL;
    j->level_more = 0;
}

static void report_errors(Case *c, const Rule *const errors[PROFILE_COUNT], ProfileSet failed) {
    ProfileSet good = accepting(c);
    while (failed != 0) {
        int first = __builtin_ctz(failed);
        ProfileSet same = 0;
        for (int p = first; p < PROFILE_COUNT; p++)
            if ((failed & PROFILE_BIT(p)) && errors[p]->row == errors[first]->row &&
                errors[p]->a == errors[first]->a)
                same |= PROFILE_BIT(p);
        failed &= (ProfileSet)~same;
        if (level_was_reported(c->judge, errors[first])) continue;
        c->profile = (Profile)first;
        Diag *d = report(c, errors[first], same);
        if (d->id == DIAG_LEVEL) c->judge->level_diag = d;
        if (good != 0) {
            StrBuf out;
            sb_init(&out, &c->judge->ctx->arena);
            put_profiles(&out, good);
            diag_note(&c->judge->ctx->diags, d, "accepted by the profile%s %s",
                      (good & (good - 1)) != 0 ? "s" : "", sb_text(&out));
        }
    }
}

/* The warning of this row under a profile, or NULL. The cpu profile has no vendor. */
static const Rule *warning_of(Case *c, Profile p, Target t, const RuleRow *row, int8_t a) {
    const RuleSet *set = rule_set(c->judge, c->op->inst, p, t);
    c->profile = p;
    for (unsigned i = 0; i < set->n; i++) {
        const Rule *r = &set->rules[i];
        if (r->row == row && r->a == a)
            return !r->error && (p != PROFILE_CPU || row->when != VENDOR) && !rule_holds(c, r)
                       ? r
                       : NULL;
    }
    return NULL;
}

/* The warnings of a profile that accepts, each with all accepting profiles that give it. */
static void report_warnings(Case *c, Profile p, const Target target[PROFILE_COUNT],
                            ProfileSet accepted) {
    const RuleSet *set = rule_set(c->judge, c->op->inst, p, target[p]);
    for (unsigned i = 0; i < set->n; i++) {
        const Rule *r = &set->rules[i];
        if (r->error || warning_of(c, p, target[p], r->row, r->a) != r) continue;
        ProfileSet same = 0;
        for (int q = 0; q < PROFILE_COUNT; q++)
            if ((accepted & PROFILE_BIT(q)) != 0 &&
                warning_of(c, (Profile)q, target[q], r->row, r->a) != NULL)
                same |= PROFILE_BIT(q);
        if ((same & (PROFILE_BIT(p) - 1u)) != 0) continue; /* an earlier profile said it */
        c->profile = p;
        report(c, r, same);
        if (c->judge->opt->on_broken != NULL)
            c->judge->opt->on_broken(c->judge->opt->user, inst_id(c->op->inst), r->row);
    }
}

static void note_verdict(OpVerdict *verdict, const Rule *const errors[PROFILE_COUNT],
                         ProfileSet failed) {
    verdict->refused = failed;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((failed & PROFILE_BIT(p)) != 0) verdict->ids[p] = errors[p]->row->id;
}

/* Something does not hold for at least one profile. */
static void judge_slowly(Case *c) {
    Judge *j = c->judge;
    const Rule *errors[PROFILE_COUNT] = {NULL};
    Target target[PROFILE_COUNT] = {TARGET_A2A3};
    ProfileSet failed = 0, accepted = 0;
    for (int p = 0; p < PROFILE_COUNT; p++) {
        if ((j->profiles & PROFILE_BIT(p)) == 0) continue;
        errors[p] = profile_error(c, (Profile)p, &target[p]);
        if (errors[p] == NULL) {
            accepted |= PROFILE_BIT(p);
            continue;
        }
        failed |= PROFILE_BIT(p);
        if (j->opt->on_broken != NULL)
            j->opt->on_broken(j->opt->user, inst_id(c->op->inst), errors[p]->row);
    }
    if (j->verdict != NULL) note_verdict(j->verdict, errors, failed);
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((accepted & PROFILE_BIT(p)) != 0) report_warnings(c, (Profile)p, target, accepted);
    if (failed != 0) report_errors(c, errors, failed);
}

static bool profile_holds(Case *c, Profile p) {
    Target targets[TARGET_COUNT];
    unsigned n = profile_targets(p, targets);
    c->profile = p;
    for (unsigned i = 0; i < n; i++) {
        RuleSet *set = rule_set(c->judge, c->op->inst, p, targets[i]);
        if (!set->none && all_hold(c, set)) return true;
    }
    return false;
}

void judge_op(Judge *j, const Op *op) {
    Case c;
    c.judge = j;
    c.op = op;
    c.why = NULL;
    c.at = NULL;
    gather_types(&c);
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((j->profiles & PROFILE_BIT(p)) != 0 && !profile_holds(&c, (Profile)p)) {
            judge_slowly(&c);
            return;
        }
}

/* The first warning is that which report_warnings gives first. */
const RuleRow *first_broken_row(Judge *j, const Op *op, Profile p, bool *error) {
    Case c = {.judge = j, .op = op};
    Target t = TARGET_A2A3;
    gather_types(&c);
    const Rule *r = profile_error(&c, p, &t);
    *error = r != NULL;
    if (r != NULL) return r->row;
    const RuleSet *set = rule_set(j, op->inst, p, t);
    for (unsigned i = 0; i < set->n; i++) {
        r = &set->rules[i];
        if (!r->error && warning_of(&c, p, t, r->row, r->a) == r) return r->row;
    }
    return NULL;
}
