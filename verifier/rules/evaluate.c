/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates the rules of a statement: rows are resolved once per instruction and profile, then
 * tried in order. Operand types that passed all rules about types are remembered, so that the next
 * statement with the same types costs a few comparisons. */
#include "verifier/rules/conditions/condition.h"

#include <string.h>

/* Reuses the rules of the previous run if it kept them and the options are the same. */
static RuleSets *find_rules(const Judge *j) {
    Context *ctx = j->ctx;
    const VerifyOptions *o = j->opt;
    RuleSets *r = ctx->rule_sets;
    if (r != NULL && r->level == j->level && r->compat == o->compat &&
        r->no_library == o->no_library && r->shown == o->shown)
        return r;
    Arena *arena = o->part != NULL ? &ctx->keep : j->arena;
    r = ARENA_NEW(arena, RuleSets);
    r->arena = arena;
    r->level = j->level;
    r->compat = o->compat;
    r->no_library = o->no_library;
    r->shown = o->shown;
    if (o->part != NULL) ctx->rule_sets = r;
    return r;
}

RuleSets *judge_rules(Judge *j) {
    if (j->rules == NULL) j->rules = find_rules(j);
    return j->rules;
}

RuleSet *rule_set(Judge *j, const Inst *inst, Profile p, Profile of) {
    RuleSet **set = &judge_rules(j)->sets[p][of][inst_id(inst)];
    if (*set == NULL) *set = resolve_rules(j, j->rules->arena, inst, p, of);
    return *set;
}

RuleSet *judging_set(Judge *j, const Inst *inst, Profile p, unsigned i) {
    const ProfileInfo *info = &profile_infos[p];
    return i < info->njudged_by ? rule_set(j, inst, p, (Profile)info->judged_by[i]) : NULL;
}

/* ---- trying rules ---- */

/* Tells whether the valid region is (or is not) 0x0, as the guard wants. */
static Answer empty_answer(const Type *t, const Guard *g) {
    bool maybe = t != NULL && (t->tile.vrow == DYNAMIC || t->tile.vrow == 0) &&
                 (t->tile.vcol == DYNAMIC || t->tile.vcol == 0);
    if (maybe && (t->tile.vrow == DYNAMIC || t->tile.vcol == DYNAMIC)) return UNKNOWN;
    return answer((g->set & (maybe ? GUARD_EMPTY : GUARD_NOT_EMPTY)) != 0);
}

Answer guard_answer(const Case *c, const Guard *g) {
    const Type *t;
    int64_t v;
    switch (g->kind) {
    case G_PRESENT:
        return answer(c->types[g->index] != NULL);
    case G_ABSENT:
        return answer(c->types[g->index] == NULL);
    case G_SPACE:
        t = case_tile(c, g->index);
        return answer(t != NULL && ((uint64_t)1 << t->tile.space & g->set) != 0);
    case G_ELEM:
        t = case_type(c, g->index);
        return answer(t != NULL && (ELEM_BIT(t->elem) & g->set) != 0);
    case G_LAYOUT:
        t = case_tile(c, g->index);
        return answer(t != NULL && (tile_layout(t, c->profile) & g->set) != 0);
    case G_EMPTY:
        return empty_answer(case_tile(c, g->index), g);
    case G_ATTR:
        return answer(op_attr(c->op, g->index) != NULL);
    case G_NO_ATTR:
        return answer(op_attr(c->op, g->index) == NULL);
    case G_ATTR_IS:
        return answer(attr_value_of(c->op, g->index, &v) && v >= 0 && v < 64 &&
                      ((uint64_t)1 << v & g->set) != 0);
    default:
        return HOLDS;
    }
}

/* A tile that may be empty counts as not empty. */
static bool guard_open(const Case *c, const Guard *g) {
    Answer a = guard_answer(c, g);
    return a == UNKNOWN ? (g->set & GUARD_NOT_EMPTY) != 0 : a == HOLDS;
}

int broken_in_list(Case *c, const Rule *r) {
    const Operand *o = slot_operands(c->op, r->a);
    const Type *first = c->types[r->a];
    int broken = -1;
    for (unsigned i = 0; broken < 0 && i < slot_count(c->op, r->a); i++) {
        c->types[r->a] = o[i].value->type;
        if (r->judge(c, r) == FAILS) broken = (int)i;
    }
    c->types[r->a] = first;
    return broken;
}

bool rule_holds(Case *c, const Rule *r) {
    for (unsigned i = 0; i < r->nguards; i++)
        if (!guard_open(c, &r->guards[i])) return true;
    return r->each ? broken_in_list(c, r) < 0 : r->judge(c, r) != FAILS;
}

/* Returns where a combination of types is remembered; NULL when it cannot be. */
static Memo *memo_slot(const Case *c, RuleSet *set) {
    if (c->ntypes > MEMO_TYPES || c->op->form == OPF_AS)
        return NULL; /* the PTO-AS form admits kinds of its own */
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
    unsigned n = c->op->nresults == 0 ? set->nown : set->nvalue;
    for (unsigned i = 0; i < n; i++)
        if (!rule_holds(c, &set->rules[set->by_value[i]])) return false;
    Memo *m = memo_slot(c, set);
    if (m != NULL && memo_hit(c, m)) return true;
    for (unsigned i = 0; i < set->n; i++)
        if (!rule_holds(c, &set->rules[i])) return false;
    if (m != NULL) memcpy(*m, c->types, c->ntypes * sizeof c->types[0]);
    return true;
}

/* Counts the operands of a slot, like slot_count, but can be inlined. */
static unsigned operands_of(const Op *op, int slot) {
    if (op->segs != NULL) return op->segs[slot];
    return op->form == OPF_DPS || op->nresults == 0 || !slot_is_result(&op->inst->slots[slot]);
}

/* Fills the types by slot, then those of results. */
static void gather_types(Case *c) {
    const Op *op = c->op;
    const Inst *inst = op->inst;
    unsigned n = 0, at = 0, result = 0;
    for (int s = 0; s < inst->nslots; s++) {
        unsigned count = operands_of(op, s);
        const Type *t = NULL;
        if (count > 0 && at < op->noperands)
            t = op->operands[at].value->type;
        else if (count == 0 && slot_is_result(&inst->slots[s]) && result < op->nresults)
            t = op->results[result++].type;
        c->types[n++] = t;
        at += count;
    }
    for (int i = 0; i < inst->nresults; i++)
        c->types[n++] = result < op->nresults ? op->results[result++].type : NULL;
    c->ntypes = (uint8_t)n;
}

/* ---- the first error ---- */

/* Returns the first error of a set, or NULL. */
static const Rule *first_error(Case *c, const RuleSet *set) {
    for (unsigned i = 0; i < set->n; i++)
        if (set->rules[i].error && !rule_holds(c, &set->rules[i])) return &set->rules[i];
    return NULL;
}

const Rule *profile_error(Case *c, Profile p, Profile *of) {
    const Rule *best = NULL;
    ptrdiff_t reached = -1;
    c->profile = p;
    const RuleSet *set;
    for (unsigned i = 0; (set = judging_set(c->judge, c->op->inst, p, i)) != NULL; i++) {
        const Profile by = (Profile)profile_infos[p].judged_by[i];
        const Rule *r = first_error(c, set);
        if (r == NULL) {
            *of = by;
            return NULL;
        }
        ptrdiff_t at = set->none ? 0 : by == p ? PTRDIFF_MAX : r - set->rules + 1;
        if (at > reached) {
            reached = at;
            best = r;
        }
    }
    return best;
}

bool case_accepted_by(Case *c, const RuleSet *set) {
    return first_error(c, set) == NULL;
}

bool case_is_legal(Case *c) {
    Profile of, was = c->profile;
    bool legal = true;
    for (int p = 0; p < PROFILE_COUNT && legal; p++)
        if ((c->judge->profiles & PROFILE_BIT(p)) != 0)
            legal = profile_error(c, (Profile)p, &of) == NULL;
    c->profile = was;
    return legal;
}

bool case_holds(Case *c, Profile p) {
    RuleSet *set;
    c->profile = p;
    for (unsigned i = 0; (set = judging_set(c->judge, c->op->inst, p, i)) != NULL; i++)
        if (!set->none && all_hold(c, set)) return true;
    return false;
}

void case_init(Case *c, Judge *j, const Op *op) {
    c->judge = j;
    c->op = op;
    c->why = NULL;
    c->at = NULL;
    c->terms = NULL;
    c->left = NULL;
    c->nth = 0;
    c->fold = NULL;
    gather_types(c);
}
