/* A verified module as every backend needs it, for one profile and without changing it: functions
 * and the kinds of cores that they are for, launches and their parameters, pipes. */
#ifndef BACKENDS_LOWER_LOWER_H
#define BACKENDS_LOWER_LOWER_H

#include "backends/lower/pipes.h"
#include "passes/passes.h"

/* Kinds of cores. */
enum { ON_CUBE = 1, ON_VECTOR = 2, ON_BOTH = 3 };

typedef struct LowerFunc {
    const Op *op;
    const Op *module; /* the module operation it is in */
    FuncData *data;
    struct LowerFunc *peer; /* the function of the other kind at the other ends of its pipes */
    uint8_t kind;           /* Core: what its pto.kernel_kind, or that of its module, says */
    uint8_t cores;          /* kinds that it and what it calls name: ON_.. bits; 0: none */
    uint8_t needs;          /* NEED_.. of it and what it calls */
    bool entry;             /* marked as an entry point */
    bool runnable;          /* callers may launch it */
    bool reached;           /* some launch runs it */
    bool listed;            /* `next` is in use */
    struct LowerFunc *next; /* to be looked at */
} LowerFunc;

/* What the cores of a launch do with each other. */
enum {
    NEED_WAITS = 1, /* some core may wait for another */
    NEED_GRID = 2   /* blocks wait for each other */
};

/* A parameter of a launch. */
typedef struct LaunchParam {
    const Value *value; /* the argument of the (first) function that takes it */
    const Type *type;
    const Inst *query; /* the launch query that gives it in a grid; NULL: the caller passes it */
} LaunchParam;

/* Where a function of a launch gets an argument from. */
typedef struct LaunchArg {
    const Inst *query; /* every launch supplies it; NULL: it is params[param] */
    unsigned param;
} LaunchArg;

/* What one call of a caller runs in each block. */
typedef struct Launch {
    LowerFunc *named;    /* the function whose name it has */
    LowerFunc *cube;     /* what the cube core runs, or NULL */
    LowerFunc *vector;   /* what each vector core runs, or NULL; may be the same function */
    LaunchParam *params; /* of both functions; those of equal lists are taken once */
    unsigned nparams;
    LaunchArg *cube_args, *vector_args; /* one for each parameter of the function */
    unsigned needs;                     /* NEED_.. */
} Launch;

typedef struct Lower {
    const Module *m;
    const Context *ctx;
    Profile profile;
    Arena *arena;
    LowerFunc *funcs; /* those of a module lie together, in the order of the text */
    LowerFunc **by_name;
    unsigned nfuncs;
    Launch *launches; /* in the order of the text */
    unsigned nlaunches;
    LowerPipes pipes;
} Lower;

/* Everything lives in `arena`. What no launch can run is reported to `diags`. */
const Lower *lower_module(const Module *m, Profile profile, Arena *arena, DiagList *diags);

/* The function that a func.call calls; NULL when it is not known. */
LowerFunc *lower_callee(const Lower *l, const Op *call);
/* The launch query that supplies argument `i` of a function in a grid; NULL: none does. */
const Inst *lower_param_query(const Context *ctx, const Op *func, unsigned i);

bool lower_atom_is(const Interner *in, Atom a, const char *text);

/* ---- storage.c ---- */

/* Bytes that an array, a record or an array of event ids takes; INT64_MAX when there are too many,
 * -1 for another type. */
int64_t lower_storage_bytes(const Type *t);
/* The number of a scalar among all those of a record. */
int64_t lower_record_cell(const Type *record, const Attr *path);

/* ---- cores.c ---- */

/* The kind of core that a section, function or module names for its body; CORE_ANY. */
Core lower_given_core(const Context *ctx, const Op *op);
/* The kind that the code around a statement names: the innermost section's, else the function's. */
Core lower_core_around(const Context *ctx, const Op *op);
/* True for a section or function of vector kind that only the first vector core of a block runs
 * under this profile. */
bool lower_first_core_only(const Context *ctx, const Op *op, Profile profile);
/* NEED_.. of one statement. */
unsigned lower_needs(const Context *ctx, const Op *op);

#endif
