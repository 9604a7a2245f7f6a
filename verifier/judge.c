/* SPDX-License-Identifier: Apache-2.0 */
/* Reports what a statement breaks: one diagnostic for the profiles that refuse it alike, with the
 * profiles that accept it and a correction. */
#include "verifier/judge.h"

#include "verifier/fixes/corrections.h"
#include "verifier/rules/conditions/condition.h"

#include <string.h>

static void put_operand_type(const Case *c, const Rule *r, StrBuf *out) {
    if (conditions[r->row->cond]->says_type || rule_about_attribute(r->row) || r->a < 0 ||
        c->types[r->a] == NULL)
        return;
    sb_printf(out, " (%s: %.*s)", case_name(c, r->a), TYPE_TEXT(c->judge, c->types[r->a]));
}

/* Offers the newer name of the same instruction, unless its form differs too. */
static void offer_newer_name(const Case *c, Diag *d) {
    const char *newer = c->op->inst->rare->replacement;
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
    if (r->error && r->row->when == PAGE && inst_is_micro(c->op->inst))
        diag_note(&j->ctx->diags, d, "the ISA page demands it; --compat=ptoas judges without it");
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
