/* What the rules leave to run time: those of one list that must hold together, and of a profile
 * that has the choice between several lists what these leave together. */
#include "verifier/residual.h"

/* The rules of one profile for a statement. */
typedef struct Rest {
    Residue *first, **last;
    bool broken; /* one of them fails already */
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

/* The condition alone. */
static Test condition_test(Case *c, const Rule *r) {
    const Term *left = NULL;
    c->left = &left;
    Test t = {.answer = r->judge(c, r)};
    c->left = NULL;
    t.term = left;
    return t;
}

/* The guards that are not decided; false when one keeps the rule from counting. */
static bool guards_test(const Case *c, const Rule *r, Test *open) {
    *open = test_of(true);
    for (int i = 0; i < MAX_GUARDS && r->guard[i].kind != G_NONE; i++) {
        const Guard *g = &r->guard[i];
        Answer a = guard_answer(c, g);
        if (a == FAILS) return false;
        if (a == HOLDS) continue;
        Test empty = is_empty(c, g->index);
        *open = both(c, *open, (g->set & GUARD_EMPTY) != 0 ? empty : not_so(c, empty));
    }
    return true;
}

static void note_rule(Case *c, const Rule *r, const Test *open, Rest *rest) {
    Test t = either(c, not_so(c, *open), condition_test(c, r));
    rest->broken |= t.answer == FAILS;
    if (t.answer == UNKNOWN && t.term != NULL)
        add_residue(c->terms, rest, c->op->inst, r->row, t.term);
}

/* A rule about a list is one about each of its operands. */
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

/* What the vendor's library demands, and what examples keep, is nothing that has to hold where the
 * statement runs. */
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

/* ---- several lists ---- */

/* Everything of the list that is not in `done`, as one test. */
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

/* What all lists have must hold; of the rest, all terms of one list must hold. */
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
    case_init(&c, j, op);
    c.terms = arena;
    c.profile = p;
    for (unsigned i = 0; i < profile_infos[p].njudged_by; i++) {
        const RuleSet *set = rule_set(j, op->inst, p, (Profile)profile_infos[p].judged_by[i]);
        if (set->none) continue;
        note_rules(&c, set, &rests[n++]);
    }
    for (unsigned i = 0; i < n; i++) {
        if (rests[i].broken) continue;
        Rest r = rests[i];
        rests[i] = rests[whole];
        rests[whole++] = r;
    }
    /* The module was legal: what fails now does so by what a pass made of it. */
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
