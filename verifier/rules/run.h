/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the verifier: what it was asked, and the rules resolved so far, once per instruction
 * and profile. */
#ifndef VERIFIER_RULES_RUN_H
#define VERIFIER_RULES_RUN_H

#include "analysis/alias.h"
#include "ir/number.h"
#include "support/ptrmap.h"
#include "verifier/rules/rows.h"
#include "verifier/verify.h"

/* A row resolved for one instruction, target and mode. */
struct Rule {
    Answer (*judge)(const Case *c, const Rule *r);
    const RuleRow *row;
    int8_t a, b; /* index of a slot, of a result (counted on from the slots) or of an attribute; -1:
                    none */
    bool error;  /* an error in this mode, else a warning */
    bool each;   /* a is a list, and the rule is judged for each of its operands */
    uint8_t nguards;
    const Guard *guards;
};

enum { MEMO_WAYS = 8, MEMO_TYPES = 8 };

/* A combination of operand types that passed all rules about types. */
typedef const Type *Memo[MEMO_TYPES];

/* The rules of one instruction for one profile. */
typedef struct RuleSet {
    const Rule *rules;
    uint16_t n;
    uint16_t nvalue;
    uint16_t nown;            /* how many of by_value precede the rules about tile results */
    const uint16_t *by_value; /* indices of the nvalue rules that look at more than types */
    Memo memo[MEMO_WAYS];
    bool none; /* the instruction does not exist under the profile: its only rule always fails */
} RuleSet;

/* A pair of operands of which only the callers of a function decide whether they overlap. */
typedef struct TileNeed {
    struct TileNeed *next;
    const Op *op;       /* the statement that forbids the overlap, in this function or a callee */
    int a, b;           /* indices of the operands, as in Rule */
    AliasSet places[2]; /* in terms of this function's parameters */
} TileNeed;

typedef struct OpList {
    struct OpList *next;
    const Op *op;
} OpList;

/* Rules resolved so far, and the options that they depend on. */
typedef struct RuleSets {
    Arena *arena;
    int level;
    Vendor compat;
    bool no_library, shown;
    RuleSet *sets[PROFILE_COUNT][PROFILE_COUNT]
                 [INST_COUNT]; /* by the profile and the one whose rows judge it */
    void *constants;           /* of constants.c */
} RuleSets;

/* What the fix of a diagnostic changes: the type of a value, or of all values of a type alias. */
typedef struct Repair {
    struct Repair *next;
    const Value *value; /* NULL: all values of the type */
    const Type *was, *type;
    ProfileSet profiles; /* of the diagnostic */
    Diag *d;
} Repair;

/* One run of the verifier. */
typedef struct Judge {
    Context *ctx;
    const VerifyOptions *opt;
    Op *root;
    Arena *arena; /* for what is allocated once in a run */
    ProfileSet profiles;
    int level;
    bool manual;        /* some tile is bound to an address in the text */
    bool has_tassign;   /* some tassign without a result binds tiles */
    bool partial;       /* statements are missing: the text had errors */
    bool carries;       /* some loop of the function passes tiles to its next iteration */
    bool multiplies;    /* the function has matrix products */
    bool residual;      /* the module is already verified: nothing is reported (residual.h) */
    RuleSets *rules;    /* NULL: none yet */
    OpVerdict *verdict; /* of the statement being judged; NULL: not wanted */
    /* The first diagnostic of the function about the level, and how many statements follow. */
    Diag *level_diag;
    uint32_t level_more;
    OpList *late; /* statements that break a late row, newest first */
    bool judging_late;
    uint32_t offers; /* attempts to find a correction (offers.h) */
    Repair *repairs; /* found ones that change types, newest first */
    Alias *alias;    /* of the function `alias_of`; NULL: not made yet */
    const Op *alias_of;
    Numbers numbers;         /* of the same function */
    PtrMap needs;            /* const Op * of a function -> TileNeed * */
    const TileNeed *assumed; /* a pair of operands to treat as overlapping */
    ArenaMark step_start;    /* start of the analysis in Context.step */
    const Op *micro_of;      /* function that was searched for micro-instructions; NULL: none yet */
    bool is_micro;
    const Op *signals_of; /* function that was searched for a pto.set_ffts; NULL: none yet */
    bool has_base;        /* ... and has one */
    const Op *packed_of;  /* function that was searched for uses of vectors; NULL: none yet */
    PtrMap packed;        /* ... and the vectors that are used */
} Judge;

/* Resolves the rows for profile `of` and the schema of an instruction, as they count in this run
 * under profile `p`. */
RuleSet *resolve_rules(Judge *j, Arena *a, const Inst *inst, Profile p, Profile of);
/* Returns the rules of the run. */
RuleSets *judge_rules(Judge *j);
/* Returns set number `i` of those that judge an instruction under a profile, which accepts what all
 * rules of one of them accept (decision 10): cpu those of a2a3, of a5, or its own. NULL after the
 * last. */
RuleSet *judging_set(Judge *j, const Inst *inst, Profile p, unsigned i);

/* The canonical text of a type for %.*s, whatever alias it was written as. */
#define TYPE_TEXT(j, t)                                                                            \
    (int)atom_len(&(j)->ctx->names, (t)->text), atom_text(&(j)->ctx->names, (t)->text)
/* The same for the element type of a tile, view, pointer or scalar; `none` if there is none. */
#define ELEM_TEXT(j, t)                                                                            \
    element_type(t) != NULL ? (int)atom_len(&(j)->ctx->names, element_type(t)->text) : 4,          \
        element_type(t) != NULL ? atom_text(&(j)->ctx->names, element_type(t)->text) : "none"
/* Returns the scalar type itself, or the element type of a tile, view or pointer. */
const Type *element_type(const Type *t);

#endif
