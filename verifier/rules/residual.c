/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the conditions that rules leave to run time. Those of one profile must hold together; a
 * profile that accepts what any of several others accepts needs those of one of them. */
#include "verifier/rules/residual.h"

/* The conditions of one profile for a statement. */
typedef struct Rest {
    Residue *first, **last;
    bool broken; /* a rule fails already */
} Rest;

static void rest_init(Rest *rest) {
    *rest = (Rest){.last = &rest->first};
}

static bool has_test(const Residue *list, const Term *test) {
    for (; list != NULL; list = list->next)
        if (term_same(list->test, test)) return true;
    return false;
}

static void add_residue(Arena *a, Rest *rest, const Inst *inst, const RuleRow *row,
                        const Term *test) {
    if (has_test(rest->first, test)) return;
    Residue *r = ARENA_NEW(a, Residue);
    *r = (Residue){.inst = inst, .row = row, .test = test};
    *rest->last = r;
    rest->last = &r->next;
}

/* ---- one rule ---- */

/* Evaluates the condition without its guards. */
static Test condition_test(Case *c, const Rule *r) {
    const Term *left = NULL;
    c->left = &left;
    Test t = {.answer = r->judge(c, r)};
    c->left = NULL;
    t.term = left;
    return t;
}

/* Combines the undecided guards into *open; false when one makes the rule irrelevant. */
static bool guards_test(const Case *c, const Rule *r, Test *open) {
    *open = test_of(true);
    for (unsigned i = 0; i < r->nguards; i++) {
        const Guard *g = &r->guards[i];
        Answer a = guard_answer(c, g);
        if (a == FAILS) return false;
        if (a == HOLDS) continue;
        Test empty = is_empty(c, g->index);
        *open = both(c, *open, (g->set & GUARD_EMPTY) != 0 ? empty : not_so(c, empty));
    }
    return true;
}

/* ---- empty regions ---- */

/* Adds to `t` that the valid region of an operand is empty in dimension `d`. */
static Test and_empty(const Case *c, Test t, int index, Dim d) {
    if (case_tile(c, index) == NULL) return t;
    return both(c, t, is_equal(c, tile_num(c, index, d), number(0)));
}

/* True when each tile that the statement writes, and each that the rule names, is empty in
 * dimension `d`. */
static Test is_idle_in(const Case *c, const Rule *r, Dim d) {
    Test t = test_of(true);
    bool writes = false;
    for (int i = 0; i < c->op->inst->nslots; i++) {
        const SlotRole role = c->op->inst->slots[i].role;
        const bool written = role == ROLE_WRITE || role == ROLE_READWRITE;
        if (written || i == r->a || i == r->b) t = and_empty(c, t, i, d);
        writes |= written && case_tile(c, i) != NULL;
    }
    return writes ? t : test_of(false);
}

/* A rule that demands certain extents does not matter for a statement that writes nothing. Rules
 * about equal extents hold then. */
static Test or_idle(const Case *c, const Rule *r, Test t) {
    const uint8_t cond = r->row->cond;
    if (t.answer != UNKNOWN || t.term == NULL ||
        (cond != C_VALID_RANGE && cond != C_VALID_RELATION && cond != C_SHAPE_RELATION &&
         cond != C_CHECK))
        return t;
    return either(c, t, either(c, is_idle_in(c, r, DIM_VROW), is_idle_in(c, r, DIM_VCOL)));
}

static void note_rule(Case *c, const Rule *r, const Test *open, Rest *rest) {
    Test t = or_idle(c, r, either(c, not_so(c, *open), condition_test(c, r)));
    rest->broken |= t.answer == FAILS;
    if (t.answer == UNKNOWN && t.term != NULL && !row_is_not_empty(r->row))
        add_residue(c->terms, rest, c->op->inst, r->row, t.term);
}

/* Judges a rule about a list for each of its operands. */
static void note_list(Case *c, const Rule *r, const Test *open, Rest *rest) {
    const Operand *o = slot_operands(c->op, r->a);
    const Type *first = c->types[r->a];
    c->list = r->a;
    for (unsigned i = 0; i < slot_count(c->op, r->a); i++) {
        c->types[r->a] = o[i].value->type;
        c->nth = i;
        note_rule(c, r, open, rest);
    }
    c->types[r->a] = first;
    c->nth = 0;
}

/* Rules of the vendor's library and of examples do not matter where the statement runs. */
static bool is_for_run_time(const Rule *r) {
    return r->error && r->row->when != LIBRARY && r->row->when != SHOWN;
}

static void note_rules(Case *c, const RuleSet *set, Rest *rest) {
    rest_init(rest);
    Test open;
    for (unsigned i = 0; i < set->n; i++) {
        const Rule *r = &set->rules[i];
        if (!is_for_run_time(r) || !guards_test(c, r, &open)) continue;
        if (r->each)
            note_list(c, r, &open, rest);
        else
            note_rule(c, r, &open, rest);
    }
}

/* ---- several profiles ---- */

/* Combines everything in the list that is not in `done` into one test. */
static Test all_of(const Case *c, const Residue *list, const Residue *done) {
    Test t = test_of(true);
    for (; list != NULL; list = list->next)
        if (!has_test(done, list->test))
            t = both(c, t, (Test){.answer = UNKNOWN, .term = list->test});
    return t;
}

static bool in_all(const Rest *rests, unsigned n, const Term *test) {
    for (unsigned i = 0; i < n; i++)
        if (!has_test(rests[i].first, test)) return false;
    return true;
}

/* Requires what all lists have in common, and of the rest all terms of at least one list. */
static const Residue *join(const Case *c, const Rest *rests, unsigned n) {
    Rest out;
    rest_init(&out);
    for (const Residue *r = rests[0].first; r != NULL; r = r->next)
        if (in_all(rests, n, r->test)) add_residue(c->terms, &out, r->inst, r->row, r->test);
    Test any = test_of(false);
    for (unsigned i = 0; i < n; i++)
        any = either(c, any, all_of(c, rests[i].first, out.first));
    if (any.answer != UNKNOWN) return out.first;
    const Residue *r = rests[0].first;
    while (has_test(out.first, r->test))
        r = r->next;
    add_residue(c->terms, &out, r->inst, r->row, any.term);
    return out.first;
}

const Residue *rules_residual(Judge *j, const Op *op, Profile p, Arena *arena) {
    Case c;
    Rest rests[PROFILE_COUNT];
    unsigned n = 0, whole = 0;
    const RuleSet *set;
    case_init(&c, j, op);
    c.terms = arena;
    c.profile = p;
    for (unsigned i = 0; (set = judging_set(j, op->inst, p, i)) != NULL; i++)
        if (!set->none) note_rules(&c, set, &rests[n++]);
    for (unsigned i = 0; i < n; i++) {
        if (rests[i].broken) continue;
        Rest r = rests[i];
        rests[i] = rests[whole];
        rests[whole++] = r;
    }
    /* The module was legal: if all lists fail now, a pass caused it, and none is dropped. */
    if (whole > 0) n = whole;
    if (n <= 1) return n == 0 ? NULL : rests[0].first;
    return join(&c, rests, n);
}

void residual_init(Judge *j, Context *ctx, const VerifyOptions *opt, Op *root) {
    j->ctx = ctx;
    j->opt = opt;
    j->root = root;
    j->level = opt->level;
    j->residual = true;
}
