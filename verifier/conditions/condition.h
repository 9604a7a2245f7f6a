/* The conditions of the rule vocabulary (docs/rules.md): one record for each name of
 * rules/conditions.def, with everything that anybody wants to know of it. The files beside this one
 * define them, by subject. */
#ifndef VERIFIER_CONDITIONS_CONDITION_H
#define VERIFIER_CONDITIONS_CONDITION_H

#include "verifier/describe.h"
#include "verifier/terms.h"
#include "verifier/words.h"

/* What a condition looks at. */
typedef enum ConditionKind {
    BY_TYPE,     /* types of operands alone: the answer for a combination of types is remembered */
    BY_VALUE,    /* constants, counts, storage */
    BY_ATTRIBUTE /* an attribute: the row names attributes instead of operands */
} ConditionKind;

/* A row of an instruction. */
typedef struct InstRow {
    const Inst *inst;
    const RuleRow *row;
} InstRow;

struct Condition {
    uint8_t kind;  /* ConditionKind */
    uint8_t topic; /* RuleTopic */
    uint16_t id;   /* DiagId that most of its rows report; DIAG_COUNT: none is usual */
    bool each;     /* of a list of operands each is judged by itself */
    bool has_pairs;
    bool says_type; /* the message of explain() names the types, or they do not matter */
    bool no_reason; /* messages leave the guard of the row out */
    /* Text between the message and the reason; NULL: none. */
    const char *before_reason;
    /* What a user can do about it; NULL: what the documentation of the id says. */
    const char *mend;
    /* Of something absent or a template it holds. UNKNOWN: only run time can tell. */
    Answer (*judge)(const Case *c, const Rule *r);
    /* Says of a condition that fails what was found and what was expected. */
    void (*explain)(const Case *c, const Rule *r, StrBuf *out);
    /* Says what a row demands, as a clause. */
    void (*describe)(const InstRow *r, StrBuf *out);
};

#define COND(name) extern const Condition cond_##name;
#include "verifier/rules/conditions.def"
#undef COND
extern const Condition *const conditions[C_COUNT];

static inline Answer answer(bool holds) {
    return holds ? HOLDS : FAILS;
}

#endif
