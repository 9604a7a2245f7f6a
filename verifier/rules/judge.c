/* Judges a statement: rows are resolved once per instruction and profile, then tried in order.
 * Operand types that passed all rules about types are remembered, so that the next statement with
 * the same types costs a few comparisons. */
#include "verifier/fixes/corrections.h"
#include "verifier/rules/conditions/condition.h"

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

/* The same as resolve_rules, but resolved only once. */
static RuleSet *rule_set(Judge *j, const Inst *inst, Profile p, Profile of) {
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
    return (g->set & (maybe ? GUARD_EMPTY : GUARD_NOT_EMPTY)) != 0;
}

Answer guard_answer(const Case *c, const Guard *g) {
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
        return empty_answer(case_tile(c, g->index), g);
    case G_ATTR:
        return op_attr(c->judge->ctx, c->op, g->index) != NULL;
    case G_NO_ATTR:
        return op_attr(c->judge->ctx, c->op, g->index) == NULL;
    case G_ATTR_IS:
        return attr_value_of(c->judge->ctx, c->op, g->index, &v) && v >= 0 && v < 64 &&
               ((uint64_t)1 << v & g->set) != 0;
    default:
        return HOLDS;
    }
}

/* A tile that may be empty counts as not empty. */
static bool guard_open(const Case *c, const Guard *g) {
    Answer a = guard_answer(c, g);
    return a == UNKNOWN ? (g->set & GUARD_NOT_EMPTY) != 0 : a == HOLDS;
}

/* Returns the first operand of a list that breaks the rule; -1 when there is none. */
static int broken_in_list(Case *c, const Rule *r) {
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

static bool rule_holds(Case *c, const Rule *r) {
    for (int i = 0; i < MAX_GUARDS && r->guard[i].kind != G_NONE; i++)
        if (!guard_open(c, &r->guard[i])) return true;
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

/* ---- reporting ---- */

/* Returns the first error of a set, or NULL. */
static const Rule *first_error(Case *c, const RuleSet *set) {
    for (unsigned i = 0; i < set->n; i++)
        if (set->rules[i].error && !rule_holds(c, &set->rules[i])) return &set->rules[i];
    return NULL;
}

/* Returns the first error under a profile, or NULL; *of is the profile whose rules accept. When
 * the rules of several profiles fail, it returns the error of the profile's own rules, else the
 * one that comes latest in its list, as that is likely what the author meant. */
static const Rule *profile_error(Case *c, Profile p, Profile *of) {
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

static void put_operand_type(const Case *c, const Rule *r, StrBuf *out) {
    if (conditions[r->row->cond]->says_type || rule_about_attribute(r->row) || r->a < 0 ||
        c->types[r->a] == NULL)
        return;
    sb_printf(out, " (%s: %.*s)", case_name(c, r->a), TYPE_TEXT(c->judge, c->types[r->a]));
}

/* Offers the newer name of the same instruction, unless its form differs too. */
static void offer_newer_name(const Case *c, Diag *d) {
    const char *newer = c->op->inst->replacement;
    bool same = !op_is(c->op, INST_SUBSET); /* the new instruction computes another valid region */
    if (newer == NULL || strchr(newer, ' ') != NULL || c->op->form == OPF_GENERIC || !same) return;
    diag_edit(&c->judge->ctx->diags, d, c->op->name_span, "%s",
              c->op->form == OPF_AS ? newer + strlen("pto.") : newer);
    d->safe_fix = true;
}

/* Returns the name of the operand or attribute that a rule is about, or NULL. */
static const char *subject(const Case *c, const Rule *r) {
    const Inst *inst = c->op->inst;
    if (r->a < 0) return NULL;
    if (rule_about_attribute(r->row)) return r->a < inst->nattrs ? inst->attrs[r->a].name : NULL;
    return r->a < c->ntypes ? case_name(c, r->a) : NULL;
}

static Diag *report(Case *c, const Rule *r, ProfileSet profiles) {
    Judge *j = c->judge;
    StrBuf out;
    sb_init(&out, &j->ctx->arena);
    Span at = case_span(c, rule_about_attribute(r->row) ? -1 : r->a);
    if (rule_about_attribute(r->row)) {
        const NamedAttr *a = rule_attr(c, r);
        if (a != NULL && a->span.len != 0) at = a->span;
    }
    const Type *first = r->a >= 0 ? c->types[r->a] : NULL;
    if (r->each) { /* find the operand of the list that fails */
        int broken = broken_in_list(c, r);
        const Operand *o = slot_operands(c->op, r->a) + (broken > 0 ? broken : 0);
        c->types[r->a] = o->value->type;
        at = o->span;
    }
    c->at = &at;
    sb_printf(&out, "%s: ", c->op->inst->name);
    if (r->row->when == VENDOR && !r->error && r->row->cond != C_NOT_IN_PTOAS)
        sb_puts(&out, "PTOAS 0.60 refuses this: ");
    if (r->row->when == LIBRARY_WARN) sb_puts(&out, "the vendor's library refuses this: ");
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
                : r->row->when == LIBRARY_WARN   ? DIAG_LIBRARY
                                                 : DIAG_PTOAS_COMPAT;
    Diag *d = diag_add_as(&j->ctx->diags, r->error ? SEV_ERROR : SEV_WARNING, id, at, "%s",
                          sb_text(&out));
    d->profiles = profiles;
    if (id == DIAG_DEPRECATED_SPELLING) offer_newer_name(c, d);
    d->operand = subject(c, r);
    d->inst = (uint16_t)inst_id(c->op->inst);
    d->form = c->op->form;
    if (row_hint(r->row) != NULL) diag_note(&j->ctx->diags, d, "%s", row_hint(r->row));
    if (r->row->when == LIBRARY)
        diag_note(&j->ctx->diags, d,
                  "the vendor's C++ library demands it; --compat=ptoas judges without it");
    c->at = NULL;
    return d;
}

/* Returns the profiles, of all there are, that accept the statement. */
static ProfileSet accepting(Case *c) {
    ProfileSet set = 0;
    Profile of;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if (profile_error(c, (Profile)p, &of) == NULL) set |= PROFILE_BIT(p);
    return set;
}

/* A program of another level than requested breaks the rule at every tile; it is reported once per
 * function, and end_level_report adds the count. */
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

static void defer_late(Judge *j, const Op *op) {
    OpList *late = ARENA_NEW(j->arena, OpList);
    *late = (OpList){j->late, op};
    j->late = late;
}

/* ---- further errors of a statement ---- */

enum { MOST_FURTHER = 3 };

/* True for rules about the place or layout of an operand alone. Wrong extents and elements of
 * several operands mostly have one cause. */
static bool is_of_one(const Rule *r) {
    return r->row->id == DIAG_LOCATION || r->row->id == DIAG_LAYOUT;
}

/* Could this rule fail for a reason of its own? It is about one operand, none of those reported,
 * which has another type than they. */
static bool is_independent(const Case *c, const Rule *r, const Rule *const *reported, unsigned n) {
    if (!r->error || r->a < 0 || r->b >= 0 || r->each || r->row->late || !is_of_one(r) ||
        case_type(c, r->a) == NULL)
        return false;
    for (unsigned i = 0; i < n; i++) {
        const int a = reported[i]->a, b = reported[i]->b;
        if (rule_about_attribute(reported[i]->row) || a < 0 || reported[i]->row->cond == C_CHECK)
            return false;
        if (r->a == a || r->a == b || c->types[r->a] == c->types[a] ||
            (b >= 0 && b < c->ntypes && c->types[r->a] == c->types[b]))
            return false;
    }
    return true;
}

/* Reports what else the profile's own rules find wrong. */
static void report_further(Case *c, const Rule *first, Profile p, ProfileSet profiles) {
    const RuleSet *set = rule_set(c->judge, c->op->inst, p, p);
    const Rule *reported[1 + MOST_FURTHER] = {first};
    unsigned n = 1;
    c->profile = p;
    if (set->none) return;
    for (unsigned i = 0; i < set->n && n <= MOST_FURTHER; i++) {
        const Rule *r = &set->rules[i];
        if (!is_independent(c, r, reported, n) || rule_holds(c, r)) continue;
        reported[n++] = r;
        offer_correction(c, r, report(c, r, profiles));
    }
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
        if (errors[first]->row->late != c->judge->judging_late) {
            if (errors[first]->row->late) defer_late(c->judge, c->op);
            continue;
        }
        c->profile = (Profile)first;
        Diag *d = report(c, errors[first], same);
        offer_correction(c, errors[first], d);
        if (!c->judge->judging_late && d->id != DIAG_LEVEL)
            report_further(c, errors[first], (Profile)first, same);
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

/* Returns the warning of a row under a profile, or NULL. Vendor rows count only for chips. */
static const Rule *warning_of(Case *c, Profile p, Profile of, const RuleRow *row, int8_t a) {
    const RuleSet *set = rule_set(c->judge, c->op->inst, p, of);
    c->profile = p;
    for (unsigned i = 0; i < set->n; i++) {
        const Rule *r = &set->rules[i];
        if (r->row == row && r->a == a)
            return !r->error && (profile_infos[p].chip || row->when != VENDOR) && !rule_holds(c, r)
                       ? r
                       : NULL;
    }
    return NULL;
}

/* Reports the warnings of an accepting profile, each with all accepting profiles that give it. */
static void report_warnings(Case *c, Profile p, const Profile of[PROFILE_COUNT],
                            ProfileSet accepted) {
    const RuleSet *set = rule_set(c->judge, c->op->inst, p, of[p]);
    for (unsigned i = 0; i < set->n; i++) {
        const Rule *r = &set->rules[i];
        if (r->error || warning_of(c, p, of[p], r->row, r->a) != r) continue;
        ProfileSet same = 0;
        for (int q = 0; q < PROFILE_COUNT; q++)
            if ((accepted & PROFILE_BIT(q)) != 0 &&
                warning_of(c, (Profile)q, of[q], r->row, r->a) != NULL)
                same |= PROFILE_BIT(q);
        if ((same & (PROFILE_BIT(p) - 1u)) != 0) continue; /* reported with an earlier profile */
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

/* Judges a statement for which something does not hold under at least one profile. */
static void judge_slowly(Case *c) {
    Judge *j = c->judge;
    const Rule *errors[PROFILE_COUNT] = {NULL};
    Profile of[PROFILE_COUNT] = {PROFILE_DEFAULT};
    ProfileSet failed = 0, accepted = 0;
    for (int p = 0; p < PROFILE_COUNT; p++) {
        if ((j->profiles & PROFILE_BIT(p)) == 0) continue;
        errors[p] = profile_error(c, (Profile)p, &of[p]);
        if (errors[p] == NULL) {
            accepted |= PROFILE_BIT(p);
            continue;
        }
        failed |= PROFILE_BIT(p);
        if (j->opt->on_broken != NULL && !j->judging_late)
            j->opt->on_broken(j->opt->user, inst_id(c->op->inst), errors[p]->row);
    }
    if (j->verdict != NULL) note_verdict(j->verdict, errors, failed);
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((accepted & PROFILE_BIT(p)) != 0 && !j->judging_late)
            report_warnings(c, (Profile)p, of, accepted);
    if (failed != 0) report_errors(c, errors, failed);
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

void judge_op(Judge *j, const Op *op) {
    Case c;
    case_init(&c, j, op);
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((j->profiles & PROFILE_BIT(p)) != 0 && !case_holds(&c, (Profile)p)) {
            judge_slowly(&c);
            return;
        }
}

void judge_late(Judge *j) {
    j->judging_late = true;
    j->verdict = NULL;
    if (j->ctx->diags.errors != 0) return;
    for (const OpList *late = j->late; late != NULL; late = late->next)
        judge_op(j, late->op);
}

/* Tries the warnings in the order of report_warnings. */
const RuleRow *first_broken_row(Judge *j, const Op *op, Profile p, bool *error) {
    Case c;
    Profile of = PROFILE_DEFAULT;
    case_init(&c, j, op);
    const Rule *r = profile_error(&c, p, &of);
    *error = r != NULL;
    if (r != NULL) return r->row;
    const RuleSet *set = rule_set(j, op->inst, p, of);
    for (unsigned i = 0; i < set->n; i++) {
        r = &set->rules[i];
        if (!r->error && warning_of(&c, p, of, r->row, r->a) == r) return r->row;
    }
    return NULL;
}
