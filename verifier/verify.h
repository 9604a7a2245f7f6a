/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier: structure of the program, legal tile types, the rule table per profile, levels and
 * addresses. It adds diagnostics and does not change the module. */
#ifndef VERIFIER_VERIFY_H
#define VERIFIER_VERIFY_H

#include "ir/ir.h"

struct RuleRow;

/* The verdict on one statement. */
typedef struct OpVerdict {
    struct OpVerdict *next;
    const Op *func;     /* the function around it; the function itself for func.func; NULL: none */
    const Inst *inst;   /* NULL: the text could not be read as a statement */
    Span span;          /* of the statement without its regions */
    ProfileSet refused; /* the profiles (of those judged) that refuse it */
    uint16_t ids[PROFILE_COUNT]; /* DiagId of the first error, by refusing profile */
} OpVerdict;

/* Verdicts in the order of the walk; starts as {NULL, &first, 0}. */
typedef struct OpVerdictList {
    OpVerdict *first, **last;
    uint32_t n;
} OpVerdictList;

/* A function that is verified before the rest of its module has been read. */
typedef struct VerifyPart {
    Op *(*find)(void *user, Atom name); /* finds a function read before, or NULL */
    void *user;
    bool shared; /* set when something found concerns other functions too */
} VerifyPart;

/* Whose judgement to follow: one's own, or that of a version of the vendor's assembler. Version
 * 0.57 takes programs of level 3 without scratch tiles. */
typedef enum Vendor { VENDOR_NONE, VENDOR_060, VENDOR_057 } Vendor;

typedef struct VerifyOptions {
    ProfileSet profiles;     /* to judge for; 0 = the module's own (module_profile) */
    int level;               /* 1, 2, 3; 0 = detect (module_level) */
    Vendor compat;           /* whose judgement to follow */
    bool no_library;         /* leave out the rules of the vendor's C++ library */
    bool fragment;           /* parameters are values of other statements: their types pass */
    bool constants;          /* also report what constants decide where types say `?` */
    bool shown;              /* also check the rules for examples in the documentation */
    OpVerdictList *verdicts; /* receives a verdict per statement; NULL: not wanted */
    VerifyPart *part; /* the module holds a single function of a larger one; NULL: it is whole */
    /* For tests: called for each rule row that a statement breaks, NULL otherwise. */
    void (*on_broken)(void *user, InstId inst, const struct RuleRow *row);
    void *user;
} VerifyOptions;

/* Judges the module, adding diagnostics to its context. True when there was no error. */
bool verify_module(Module *m, const VerifyOptions *opt);

/* Returns the level that the text implies: 3 with any address or tassign, 1 with SSA tiles, else
 * 2. */
int module_level(const Module *m);
int signs_level(ModuleSigns s);
/* True when a tile is bound to an address in the text (by `addr` or tassign). */
bool module_is_manual(const Module *m);

#endif
