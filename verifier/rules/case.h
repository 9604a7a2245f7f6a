/* SPDX-License-Identifier: Apache-2.0 */
/* One statement as conditions and check functions see it, and what they ask of it. */
#ifndef VERIFIER_RULES_CASE_H
#define VERIFIER_RULES_CASE_H

#include "verifier/rules/run.h"

/* One statement as the conditions see it. */
struct Case {
    struct Judge *judge;
    const Op *op;
    Profile profile; /* decides layouts: under cpu, the one that the text gives */
    uint8_t ntypes;
    const Type *types[INST_MOST_OPERANDS]; /* by slot, then results; NULL = absent */
    StrBuf *why;              /* gets what a check function found wrong; NULL: not wanted */
    Span *at;                 /* a check function may set a better position; NULL: not wanted */
    Arena *terms;             /* where terms are made (terms.h); NULL: not wanted */
    const struct Term **left; /* gets the part of a condition that only run time can decide */
    unsigned nth;             /* judges operand `nth` of the slot `list` instead of the first */
    int list;
    /* Computes a number from constants of the program (constants.c); NULL: judges the text. */
    bool (*fold)(void *fold_arg, const Value *v, int64_t *out);
    void *fold_arg;
};

void case_init(Case *c, Judge *j, const Op *op);
/* Returns the rules for profile `of` as they count under profile `p`, resolved once. */
RuleSet *rule_set(Judge *j, const Inst *inst, Profile p, Profile of);
/* Tells whether a guard holds. UNKNOWN: a valid region may be 0x0. */
Answer guard_answer(const Case *c, const Guard *g);
bool rule_holds(Case *c, const Rule *r);
/* Returns the first operand of a list that breaks the rule; -1 when there is none. */
int broken_in_list(Case *c, const Rule *r);
/* Returns the first error under a profile, or NULL; *of is the profile whose rules accept. When
 * the rules of several profiles fail, it returns the error of the profile's own rules, else the
 * one that comes latest in its list, as that is likely what the author meant. */
const Rule *profile_error(Case *c, Profile p, Profile *of);
/* True when a statement breaks no rule, under one of the sets of rules of a profile. */
bool case_holds(Case *c, Profile p);
/* True when a statement breaks no rule of a set that is an error. */
bool case_accepted_by(Case *c, const RuleSet *set);
/* True when a statement breaks no rule that is an error, under all profiles asked for. */
bool case_is_legal(Case *c);

/* Writes what was found and what was expected. */
void cond_explain(const Case *c, const Rule *r, StrBuf *out);
/* Returns the name of an operand or result by a rule's index. */
const char *case_name(const Case *c, int index);
Value *case_value(const Case *c, int index);
Span case_span(const Case *c, int index);
/* Returns the type, or NULL when it is absent, a template, or the result of an earlier error. */
static inline const Type *case_type(const Case *c, int index) {
    if (index < 0) return NULL;
    const Type *t = c->types[index];
    if (t == NULL || t->kind == TY_TILE_ANY || t->kind == TY_DTYPE || t->kind == TY_NONE)
        return NULL;
    return t;
}
/* Returns the type if it is a tile or multi tile buffer, else NULL. */
static inline const Type *case_tile(const Case *c, int index) {
    const Type *t = case_type(c, index);
    return t != NULL && (t->kind == TY_TILE || t->kind == TY_MULTI_TILE) ? t : NULL;
}
bool same_element(const Type *a, const Type *b);
uint8_t tile_layout(const Type *tile, Profile profile); /* one LAY_ bit */
int64_t tile_dim(const Type *tile, Dim d);
/* False only when both are known and differ. */
static inline bool extents_fit(int64_t a, int64_t b) {
    return a == DYNAMIC || b == DYNAMIC || a == b;
}
/* Returns the size of the inner box; false when the elements do not fit it. */
bool judged_box(const Type *t, int64_t *rows, int64_t *cols);
/* Whether rows (or columns, if they are contiguous) of a tile without boxes are whole blocks of 32
 * bytes; the words of the message when they are not. */
bool tile_is_aligned(const Type *t, Profile p);
const char *misalignment_text(const Judge *j, const Type *t, Profile p);
/* The same of the extents of a tile with boxes, which are multiples of those of a box. */
bool tile_is_boxed(const Type *t);
const char *misboxed_text(const Judge *j, const Type *t);
/* Returns the judged profiles under which no function may have a parameter of this type. */
ProfileSet profiles_refusing_param(const Judge *j, const Type *t);
/* Returns the attribute that a rule is about; NULL when the statement does not have it. */
const NamedAttr *rule_attr(const Case *c, const Rule *r);
/* Returns the value of an attribute or its default; false when there is neither. */
bool attr_value_of(const Op *op, int index, int64_t *out);
/* Returns what is known of a number: a constant or, at run time, what constants determine. */
static inline bool case_number(const Case *c, const Value *v, int64_t *out) {
    return v != NULL &&
           (number_written(v, out) || (c->fold != NULL && c->fold(c->fold_arg, v, out)));
}
/* True if the case is judged by what happens at run time, not by its text alone. */
static inline bool case_at_run_time(const Case *c) {
    return c->fold != NULL;
}
/* Returns the constant that defines an operand; false when it is not a constant. */
bool constant_operand(const Case *c, int slot, int64_t *out);
/* Writes why a check function fails to Case.why, if that is wanted. Always FAILS. */
Answer fails(const Case *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
