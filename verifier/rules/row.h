/* SPDX-License-Identifier: Apache-2.0 */
/* What rows of the rule table are made of, both in the .def files and in the program
 * (verifier/rules/rows.h): when and for whom a row counts, sets, dimensions, conditions. */
#ifndef VERIFIER_RULES_ROW_H
#define VERIFIER_RULES_ROW_H

#include "ir/insts.h"
#include "support/diag.h"

/* When a row counts. */
typedef enum RuleWhen {
    BOTH,       /* always an error */
    PAGE,       /* demanded by the ISA page only: ignored under --compat=ptoas */
    VENDOR,     /* refused by the vendor only: a warning, an error under --compat=ptoas */
    COMPAT,     /* only under --compat=ptoas */
    DEPRECATED, /* an older spelling: a warning, an error under --compat=ptoas */
    WARN,       /* a warning of its own; ignored under --compat=ptoas */
    /* Asserted by the vendor's C++ library alone, when it compiles the emitted code: an error, or
     * the warning [library], for a chip's profile; ignored under --compat=ptoas and for a profile
     * that accepts what a chip accepts. */
    LIBRARY,
    LIBRARY_WARN,
    SHOWN, /* for examples in the documentation only: the vendor's simulator compiles those */
    KEPT   /* not checked in programs, but respected by passes that place tiles: written while still
              read */
} RuleWhen;

/* The profiles of a row: CPU, A2A3, A5, one name for each profile. Rows name models; pack.c adds
 * the profiles that are based on them. Most rows are written for the two chips; cpu accepts what
 * one of them accepts or, for instructions with rows for CPU, what those accept (decision 10). An
 * instruction does not exist under a profile whose model none of its rows names, and the sets ALL
 * and ANY do not get a further model. */
enum {
#define PROFILE(id, name, ...) id = PROFILE_BIT(PROFILE_##id),
#include "ir/profiles.def"
#undef PROFILE
    ALL = A2A3 | A5,
    ANY = ALL | CPU
};

/* Layouts of a tile as a set. */
enum {
    LAY_ND = 1,
    LAY_DN = 2,
    LAY_NZ = 4,
    LAY_ZN = 8,
    LAY_ZZ = 16,
    LAY_NN = 32,
    LAY_ROW_MAJOR = LAY_ND | LAY_ZN | LAY_ZZ,
    LAY_COL_MAJOR = LAY_DN | LAY_NZ | LAY_NN,
    LAY_PLAIN = LAY_ND | LAY_DN
};

/* Fractal sizes of a tile type as a set. */
enum { F32 = 1, F512 = 2, F1024 = 4 };

/* Values of attributes of vector instructions, as ir/enums.def counts them: roundings and parts. */
enum {
    LANES_ROUND_R,
    LANES_ROUND_A,
    LANES_ROUND_F,
    LANES_ROUND_C,
    LANES_ROUND_Z,
    LANES_ROUND_O,
    LANES_ROUND_H
};
enum { LANES_EVEN, LANES_ODD, LANES_P0, LANES_P3 = LANES_P0 + 3 };

/* No upper bound of a range. */
#define NO_LIMIT INT32_MAX

/* Dimensions of a tile, for relations and ranges. */
typedef enum Dim { DIM_ROWS, DIM_COLS, DIM_VROW, DIM_VCOL } Dim;
enum { VALID_ROWS = 1, VALID_COLS = 2, VALID_BOTH = 3 };
typedef enum Relation { REL_EQ, REL_GE, REL_LE } Relation;

#define COND(name) C_##name,
typedef enum CondId {
#include "verifier/rules/conditions.def"
    C_COUNT
} CondId;
#undef COND

/* Whether rows of the condition name attributes instead of operands. */
static inline bool cond_names_attributes(CondId cond) {
    switch (cond) {
#define COND(name)
#define COND_ATTR(name) case C_##name:
#include "verifier/rules/conditions.def"
#undef COND
        return true;
    default:
        return false;
    }
}

/* Lists of rows that belong to no single instruction; rule_rows() takes them like one. */
enum SchemaRows {
    ROWS_OF_RESULTS = INST_COUNT, /* for instructions whose `dst` is a result in the SSA forms */
    ROWS_OF_KINDS,                /* one for each SlotKind */
    ROWS_NOT_IN_PTOAS,
    ROWS_VENDOR_FORM,
    ROWS_REQUIRED_ATTR,
    ROWS_DEPRECATED,
    ROWS_ABSENT, /* for an instruction that does not exist under a profile */
    ROW_LISTS
};

#endif
