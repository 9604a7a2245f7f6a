/* SPDX-License-Identifier: Apache-2.0 */
/* A row of the rule table as the .def files write it. The build tool pack.c packs the rows. */
#ifndef VERIFIER_RULES_WRITTEN_H
#define VERIFIER_RULES_WRITTEN_H

#include "verifier/rules/row.h"

/* The functions of checks.def: a row names one. */
#define CHECK_FN(name, demand) name,
typedef enum CheckId {
    CHECK_NONE,
#include "verifier/rules/checks.def"
    CHECK_COUNT
} CheckId;
#undef CHECK_FN

typedef struct WrittenRow {
    CondId cond;
    RuleWhen when;
    ProfileSet where; /* the profiles whose rules include it */
    uint8_t dims;     /* VALID_*, Dim, or kind of attribute, as the condition says */
    Relation rel;
    Dim dim_b;       /* Dim of b */
    bool types_only; /* of a CHECK: fn looks at types only */
    bool late;       /* reported only when the program has no other error */
    bool newer;      /* PTOAS 0.57 does not have it */
    DiagId id;
    const char *a; /* slot, result or attribute names separated by blanks: one rule each */
    const char *b; /* second slot, or NULL */
    /* Guard: conditions for the row to count, at most MOST_GUARDS words separated by blanks. `tmp`
     * a slot or attribute is present, `!tmp` absent; `dst@mat,vec` the tile is in one of these
     * spaces (`dst@!acc` not there); `src#int` its elements are integers (float, low, or the name
     * of an element type; `#!` for not); `dst.empty` its valid region is 0x0 (`dst.!empty`: it is
     * not, or not known to be); `dst~row` its layout (row, col, nd, dn, nz, zn, zz, nn); `mode=2`
     * or `rmode=rint,floor` the value of an attribute or else its default; `level3`, `level!3`. */
    const char *guard;
    const uint8_t *list; /* of a condition about pairs: the pairs, ended by 0, 0 */
    CheckId fn;          /* of a CHECK */
    const char *hint;    /* of another row: note added to the diagnostic, or NULL */
    uint64_t set;
    int32_t lo, hi;   /* hi: NO_LIMIT for none */
    int32_t multiple; /* of a range; of a relation the factor of b's dimension */
    int16_t div, add; /* of a relation: a rel ceil(multiple * b / div) + add */
} WrittenRow;

/* The rows of an instruction, in the order in which they are tried: its own, or those of another.
 */
typedef struct WrittenList {
    int inst;         /* InstId, or one of SchemaRows */
    int same_as;      /* INST_INVALID: rows of its own */
    ProfileSet where; /* further profiles where it exists without a row */
    unsigned n;
    const WrittenRow *rows;
} WrittenList;

/* The table of each family of rows, ended by INST_INVALID. */
#define RULE_FAMILY(name) extern const WrittenList rules_##name[];
#include "verifier/rule_families.def"
#undef RULE_FAMILY

#endif
