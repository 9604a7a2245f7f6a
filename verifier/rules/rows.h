/* SPDX-License-Identifier: Apache-2.0 */
/* The rule table: rows of data that say when a statement is legal (docs/rules.md has the
 * vocabulary). The .def files name operands as the instruction table does. */
#ifndef VERIFIER_RULES_ROWS_H
#define VERIFIER_RULES_ROWS_H

#include "verifier/rules/row.h"

typedef struct Case Case;
typedef struct Rule Rule;

/* Whether a rule holds for a statement. UNKNOWN: only run time can decide. */
typedef enum Answer { FAILS, HOLDS, UNKNOWN } Answer;
static inline Answer answer(bool holds) {
    return holds ? HOLDS : FAILS;
}

/* Numeric arguments of a row; rows with equal numbers share them. */
typedef struct RowArgs {
    uint64_t set;
    int32_t lo, hi;   /* hi: NO_LIMIT for none */
    int32_t multiple; /* of a range; of a relation the factor of b's dimension */
    int16_t div, add; /* of a relation: a rel ceil(multiple * b / div) + add */
} RowArgs;

/* A condition for a row to count. */
typedef struct Guard {
    uint8_t kind; /* GuardKind */
    int8_t index; /* slot or attribute */
    uint64_t set; /* spaces, element types, layouts, emptiness, or values of the attribute */
} Guard;
typedef enum GuardKind {
    G_PRESENT,
    G_ABSENT,
    G_SPACE,
    G_ELEM,
    G_LAYOUT,
    G_EMPTY,
    G_ATTR,
    G_NO_ATTR,
    G_ATTR_IS
} GuardKind;
enum { GUARD_EMPTY = 1, GUARD_NOT_EMPTY = 2 }; /* the set of G_EMPTY */

/* All conditions for a row to count. */
typedef struct RowGuard {
    uint16_t text;  /* them in words: an offset in row_texts */
    uint16_t first; /* in row_guard_list */
    uint8_t n;
    int8_t level; /* the level of the program; -3: any but 3; 0: any */
} RowGuard;

/* A row as verifier/rules/pack.c packs it for an instruction: names are indices, and texts, pairs
 * and numbers are in tables that all rows share, so that a row takes 16 bytes and holds no pointer.
 * rules/written.h says what each part means. */
typedef struct RuleRow {
    uint8_t cond;        /* CondId */
    uint8_t when;        /* RuleWhen */
    ProfileSet where;    /* whose rules it belongs to */
    uint8_t dims;        /* VALID_*, Dim, or kind of attribute, as the condition says */
    uint8_t rel : 2;     /* Relation */
    uint8_t dim_b : 2;   /* Dim of b */
    bool types_only : 1; /* of a CHECK: the function looks at types only */
    bool late : 1;       /* reported only when the program has no other error */
    bool newer : 1;      /* PTOAS 0.57 does not have it */
    uint8_t id;          /* DiagId */
    uint8_t b;           /* second operand, by its index + 1; 0: none */
    uint16_t about;      /* offset in row_names */
    uint16_t guard;      /* index in row_guards; 0: none */
    uint16_t more; /* a function's number (CHECK), an offset in row_pairs (conditions about pairs),
                      else the offset of a hint in row_texts; 0: none */
    uint16_t args; /* index in row_args_table */
} RuleRow;

/* A row of an instruction. */
typedef struct InstRow {
    const Inst *inst;
    const RuleRow *row;
} InstRow;

/* The rows of an instruction. */
typedef struct RowList {
    uint16_t first, n;
    ProfileSet profiles; /* those for which it exists */
} RowList;

/* The tables that verifier/rules/pack.c writes. */
extern const RuleRow rule_row_table[];
extern const RowList row_lists[ROW_LISTS]; /* by InstId or SchemaRows */
extern const char row_texts[];
extern const uint8_t row_names[];
extern const RowGuard row_guards[];
extern const Guard row_guard_list[];
extern const uint8_t row_pairs[];
extern const RowArgs row_args_table[];

static inline const char *row_text(uint16_t at) {
    return at != 0 ? row_texts + at : NULL;
}
/* What a row is about: a slot, a result (counted on from the slots) or an attribute of the
 * instruction, by its index; -1: the attribute `attr`, which the instruction does not have. */
typedef struct RowName {
    int index;
    AttrName attr;
} RowName;
enum { ROW_FOREIGN = UINT8_MAX }; /* in row_names, before the number of such an attribute */

static inline bool rule_about_attribute(const RuleRow *row) {
    return cond_names_attributes((CondId)row->cond);
}
/* Returns what a row is about, for row_next(). */
static inline const uint8_t *row_about(const RuleRow *row) {
    return row_names + row->about;
}
/* Reads the next name; false at the end. */
static inline bool row_next(const uint8_t **at, RowName *name) {
    if (**at == 0) return false;
    const bool foreign = **at == ROW_FOREIGN;
    *name = foreign ? (RowName){-1, (AttrName)(*at)[1]} : (RowName){**at - 1, ATTR_NONE};
    *at += foreign ? 2 : 1;
    return true;
}
/* Returns the index of the first slot or result that it is about; -1: none. */
static inline int row_a(const RuleRow *row) {
    const uint8_t *at = row_about(row);
    return *at != ROW_FOREIGN ? *at - 1 : -1;
}
/* Returns the index of the second one; -1: none. */
static inline int row_b(const RuleRow *row) {
    return row->b - 1;
}
/* Whether the row is about a slot or result. */
bool row_is_about(const RuleRow *row, int operand);
static inline const RowGuard *row_guard(const RuleRow *row) {
    return &row_guards[row->guard];
}
static inline const Guard *guard_list(const RowGuard *g) {
    return row_guard_list + g->first;
}
static inline const RowArgs *row_args(const RuleRow *row) {
    return &row_args_table[row->args];
}
/* Returns true for a row that demands a valid region that is not empty. Such a row judges what the
 * text says only: at run time an instruction with an empty region computes nothing. */
static inline bool row_is_not_empty(const RuleRow *row) {
    return row->cond == C_VALID_RANGE && row_args(row)->lo == 1 && row_args(row)->hi == NO_LIMIT;
}
/* Returns the pairs of a condition about pairs, ended by 0, 0. */
static inline const uint8_t *row_list(const RuleRow *row) {
    return row_pairs + row->more;
}
/* A named function of CHECK. */
typedef Answer CheckFn(const Case *c, const Rule *r);
extern CheckFn *const check_fns[];
static inline CheckFn *row_fn(const RuleRow *row) {
    return row->cond == C_CHECK ? check_fns[row->more] : NULL;
}

/* Returns the hint that becomes a note, or NULL. */
const char *row_hint(const RuleRow *row);
/* Says how to correct a statement that breaks the row. */
const char *row_fix(const RuleRow *row);

/* Returns the rows of an instruction or of a schema list, in the order in which they are tried; an
 * instruction may share those of another. */
static inline const RuleRow *rule_rows(unsigned id, unsigned *n) {
    *n = row_lists[id].n;
    return &rule_row_table[row_lists[id].first];
}
/* Returns the profiles that its rows name. */
static inline ProfileSet inst_profiles(InstId id) {
    return row_lists[id].profiles;
}
bool cond_is_by_type(const RuleRow *row);
/* True when a number is in the range of a row; DYNAMIC always is. */
bool in_range(const RuleRow *row, int64_t v);
/* True when (a, b) is one of the pairs of a row. */
bool in_pairs(const uint8_t *list, unsigned a, unsigned b);

#endif
