/* The verifier: structure of the program, legality of tile types, the rule table per profile, and
 * the rules about levels and addresses. It adds diagnostics and changes nothing. */
#ifndef VERIFIER_VERIFY_H
#define VERIFIER_VERIFY_H

#include "ir/ir.h"

struct RuleRow;

/* The verdict on one statement. */
typedef struct OpVerdict {
    struct OpVerdict *next;
    const Op *func;     /* around it; the function itself for its own statement; NULL: none */
    const Inst *inst;   /* NULL: text that became no statement */
    Span span;          /* of the statement, regions not included */
    ProfileSet refused; /* of the profiles judged for: those whose rules it breaks */
    uint16_t ids[PROFILE_COUNT]; /* DiagId of the first error, of those that refuse */
} OpVerdict;

/* In the order of the walk; starts as {NULL, &first, 0}. */
typedef struct OpVerdictList {
    OpVerdict *first, **last;
    uint32_t n;
} OpVerdictList;

/* One function that is verified alone, before the rest of its module has been read. */
typedef struct VerifyPart {
    Op *(*find)(void *user, Atom name); /* a function read before; NULL: none has the name */
    void *user;
    bool shared; /* set when what was found or noted concerns other functions too */
} VerifyPart;

typedef struct VerifyOptions {
    ProfileSet profiles;     /* judged for each; 0 = the module's own (module_profile) */
    int level;               /* 1, 2, 3; 0 = detect (module_level) */
    bool compat;             /* judge as the vendor's assembler 0.60 does */
    bool no_library;         /* leave out what only the vendor's C++ library demands */
    bool shown;              /* check the additional rules of examples in the documentation */
    OpVerdictList *verdicts; /* gets one of every statement; NULL: not wanted */
    VerifyPart *part;        /* the module is a part of one; NULL: it is whole */
    /* For tests: called for each rule row that a statement breaks, NULL otherwise. */
    void (*on_broken)(void *user, InstId inst, const struct RuleRow *row);
    void *user;
} VerifyOptions;

/* Judges the module, adding diagnostics to its context. True when there was no error. */
bool verify_module(Module *m, const VerifyOptions *opt);

/* The profile that the module's attributes name (pto.target_arch, pto.device-spec), else a2a3. */
Profile module_profile(const Module *m);
/* The level that the text shows: 3 with any address or tassign, 1 with SSA tiles, else 2. */
int module_level(const Module *m);
int signs_level(ModuleSigns s);
/* True when a tile is bound to an address in the text (by `addr` or tassign). */
bool module_is_manual(const Module *m);

#endif
