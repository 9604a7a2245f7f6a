/* SPDX-License-Identifier: Apache-2.0 */
/* What the rule rows allow: a search for a legal program with some operands narrowed. */
#include "spec/spec.h"

#include "verifier/rules/vocabulary.h"
#include <string.h>

unsigned long searches;

/* Programs to try. */
enum { SHORT = 14, LONG = 150, LONGEST = 600 };

uint64_t all_elems(void) {
    return E_W8 | E_W16 | E_W32 | E_W64 | E(F16) | E(BF16) | E(F32) | E(F64) | E(F8E4M3FN) |
           E(F8E5M2) | E(HIF8) | E(F8E8M0) | E(F4E1M2X2) | E(F4E2M1X2);
}

static OpForm form_of(const Inst *inst) {
    return example_has_form(inst, OPF_DPS) ? OPF_DPS : OPF_SSA;
}

bool searchable(const Inst *inst) {
    Example e;
    example_init(&e, inst, PROFILE_A2A3, form_of(inst));
    return e.text == NULL && inst->form != FORM_CUSTOM;
}

static void narrow_one(Example *e, const Narrow *n) {
    ExampleOperand *o = &e->operands[n->slot];
    if (o->count == 0) o->count = 1;
    o->fixed_count = true;
    if (n->elems != 0) {
        o->elems = n->elems;
        o->elem = (uint8_t)__builtin_ctzll(n->elems);
    }
    if (n->spaces != 0) {
        o->spaces = (uint16_t)n->spaces;
        o->space = (uint8_t)__builtin_ctzll(n->spaces);
    }
}

static bool is_kept(const Example *e, const Narrow *narrow, int n) {
    for (int i = 0; i < n; i++) {
        const ExampleOperand *o = &e->operands[narrow[i].slot];
        if (narrow[i].elems != 0 && (narrow[i].elems & ELEM_BIT(o->elem)) == 0) return false;
        if (narrow[i].spaces != 0 &&
            ((narrow[i].spaces & 1u << o->space) == 0 || (o->kind & (K_TILE | K_MULTI)) == 0))
            return false;
    }
    return true;
}

/* Whether the row counts by more than what is present and the level. */
static bool depends_on_values(const RuleRow *row) {
    const RowGuard *g = row_guard(row);
    for (unsigned i = 0; i < g->n; i++)
        if (guard_list(g)[i].set != 0) return true;
    return false;
}

/* Nothing but another element type or space would mend what the search ended with. Element types
 * that are free change in a longer search. */
static bool is_final(const Example *e, const Narrow *first) {
    const RuleRow *r = e->broken;
    if (r == NULL || depends_on_values(r)) return false;
    switch ((CondId)r->cond) {
    case C_ELEM_TYPE:
    case C_ELEM_SIZE:
    case C_ELEM_MISMATCH:
    case C_ELEM_SIZE_MISMATCH:
    case C_ELEM_PAIR:
    case C_LOW_PRECISION:
        return first->elems != 0;
    case C_LOCATION:
    case C_LOCATION_PAIR:
    case C_NOT_IN_PROFILE:
        return true;
    default:
        return false;
    }
}

/* All tiles begin with the element type of the first narrowed one; one block of columns stays one.
 */
static void guess_elems(Example *e, const Narrow *first) {
    for (int i = 0; i < e->inst->nslots + e->inst->nresults; i++) {
        ExampleOperand *o = &e->operands[i];
        bool scalar = (o->kind & (K_SCALAR | K_I64 | K_I1)) != 0;
        if (scalar || o->kind == K_PIPE) continue;
        unsigned before = elem_infos[o->elem].bytes;
        o->elem = (uint8_t)__builtin_ctzll(first->elems);
        if (before != 0 && o->vcol * before == 32 && elem_infos[o->elem].bytes != 0)
            o->vcol = 32 / elem_infos[o->elem].bytes;
    }
}

static bool search_from(const Example *start, const Narrow *narrow, int n, unsigned tries,
                        bool *settled) {
    Example e = *start;
    for (int i = 0; i < n; i++)
        narrow_one(&e, &narrow[i]);
    e.tries = 0;
    e.max_tries = tries * (e.profile == PROFILE_CPU ? 3 : 1);
    bool found = example_find(&e) && is_kept(&e, narrow, n);
    searches += e.tries;
    *settled = is_final(&e, &narrow[0]);
    return found;
}

bool exists(const Inst *inst, Profile profile) {
    unsigned n;
    const RuleRow *rows = rule_rows(inst_id(inst), &n);
    for (unsigned i = 0; i < n; i++)
        if (rows[i].cond == C_NOT_IN_PROFILE && rows[i].guard == 0 &&
            (rows[i].where & (profile == PROFILE_A2A3 ? A2A3 : A5)) != 0)
            return false;
    return true;
}

static bool has_cpu_rows(const Inst *inst) {
    unsigned n;
    const RuleRow *rows = rule_rows(inst_id(inst), &n);
    for (unsigned i = 0; i < n; i++)
        if ((rows[i].where & CPU) != 0) return true;
    return false;
}

/* The first guess, and a legal program without narrowing, of the instruction last asked about. */
typedef struct Start {
    const Inst *inst;
    bool searched, found;
    Example guess, legal;
} Start;
static Start starts[PROFILE_COUNT];

static Start *start_of(const Inst *inst, Profile profile) {
    Start *s = &starts[profile];
    if (s->inst == inst) return s;
    *s = (Start){.inst = inst};
    example_init(&s->guess, inst, profile, form_of(inst));
    s->guess.no_library = true; /* the facts do not know what the library demands */
    return s;
}

static bool find_legal(Start *s) {
    if (s->searched) return s->found;
    s->legal = s->guess;
    s->searched = true;
    s->found = example_find(&s->legal);
    searches += s->legal.tries;
    return s->found;
}

/* With every value of the attributes that have few. */
static bool search_attrs(const Example *from, const Narrow *narrow, int n) {
    const Inst *inst = from->inst;
    bool settled;
    for (int i = 0; i < inst->nattrs && i < EXAMPLE_MAX_ATTRS; i++) {
        const AttrInfo *a = &inst->attrs[i];
        unsigned values = a->type == AT_ENUM   ? enum_infos[a->family].nvalues
                          : a->type == AT_BOOL ? 2
                                               : 0;
        for (unsigned v = 0; v < values; v++) {
            Example e = *from;
            e.attrs[i] = (ExampleAttr){.present = true, .fixed = true, .value = v};
            if (search_from(&e, narrow, n, SHORT, &settled)) return true;
        }
    }
    return false;
}

/* A first short search settles most; others begin at a legal program. */
static bool find(const Inst *inst, Profile profile, const Narrow *narrow, int n) {
    Start *s = start_of(inst, profile);
    Example guess = s->guess;
    bool settled;
    if (narrow[0].elems != 0) guess_elems(&guess, &narrow[0]);
    if (search_from(&guess, narrow, n, SHORT, &settled)) return true;
    if (settled) return false;
    if (!find_legal(s)) return false;
    guess = s->legal;
    if (narrow[0].elems != 0) guess_elems(&guess, &narrow[0]);
    if (search_from(&guess, narrow, n, SHORT, &settled)) return true;
    if (search_from(&s->legal, narrow, n, SHORT, &settled)) return true;
    guess = s->guess;
    if (narrow[0].elems != 0) guess_elems(&guess, &narrow[0]);
    if (search_attrs(&guess, narrow, n)) return true;
    if (narrow[0].elems == 0)
        return search_from(&guess, narrow, n, n == 2 ? LONGEST : 2 * LONG, &settled);
    return n == 1 && (search_from(&guess, narrow, n, LONG, &settled) ||
                      search_from(&s->guess, narrow, n, LONG, &settled));
}

/* cpu takes what one of the others takes, and more only by rows of its own (decision 10). */
static bool judge(const Inst *inst, Profile profile, const Narrow *narrow, int n) {
    if (profile != PROFILE_CPU) return find(inst, profile, narrow, n);
    return allowed(inst, PROFILE_A2A3, narrow, n) || allowed(inst, PROFILE_A5, narrow, n) ||
           (has_cpu_rows(inst) && find(inst, profile, narrow, n));
}

/* Answers about one operand of the instruction that was last asked about. */
static const Inst *memo_inst;
static signed char memo[2][PROFILE_COUNT][INST_MOST_OPERANDS][64];

/* Of pairs of element types, of the operands of one instruction that have pairs. */
static const Inst *pair_inst;
static signed char pair_memo[PROFILE_COUNT][64][64];

void begin_pairs(const Inst *inst) {
    if (pair_inst != inst) memset(pair_memo, -1, sizeof pair_memo);
    pair_inst = inst;
}

bool allowed(const Inst *inst, Profile profile, const Narrow *narrow, int n) {
    uint64_t set = narrow[0].elems != 0 ? narrow[0].elems : narrow[0].spaces;
    bool both = narrow[0].elems != 0 && narrow[0].spaces != 0;
    if (n == 2 && narrow[0].elems != 0 && narrow[1].elems != 0 && pair_inst == inst) {
        signed char *m =
            &pair_memo[profile][__builtin_ctzll(set)][__builtin_ctzll(narrow[1].elems)];
        if (*m < 0) *m = judge(inst, profile, narrow, n);
        return *m == 1;
    }
    if (n != 1 || both) return judge(inst, profile, narrow, n);
    if (memo_inst != inst) memset(memo, -1, sizeof memo);
    memo_inst = inst;
    signed char *m = &memo[narrow[0].elems != 0][profile][narrow[0].slot][__builtin_ctzll(set)];
    if (*m < 0) *m = judge(inst, profile, narrow, n);
    return *m == 1;
}
