/* SPDX-License-Identifier: Apache-2.0 */
/* A verified module as backends need it, for one profile and without changes to it: functions and
 * their kinds of cores, launches and their parameters, pipes. */
#ifndef BACKENDS_LOWER_LOWER_H
#define BACKENDS_LOWER_LOWER_H

#include "backends/lower/pipes.h"
#include "ir/functions.h"
#include "passes/passes.h"

/* Kinds of cores. */
enum { ON_CUBE = 1, ON_VECTOR = 2, ON_BOTH = 3 };

typedef struct LowerFunc {
    const Op *op;
    const Op *module; /* the module operation it is in */
    FuncData *data;
    Span span;              /* in the text */
    struct LowerFunc *peer; /* the function at the other ends of its pipes, of the other kind */
    uint8_t kind;           /* Core: from its pto.kernel_kind, or that of its module */
    uint8_t cores;          /* ON_.. bits: kinds that it and its callees name */
    uint8_t needs;          /* NEED_.. bits of it and its callees */
    int64_t stack;          /* bound of the bytes on the stack for it and its callees */
    bool items;             /* work items run it */
    bool hidden;            /* only its module may call it */
    bool alone;             /* only the first vector core of a block runs it */
    bool entry;             /* marked as an entry point */
    bool external;          /* its pto.visibility says that other files call it */
    bool tail_stores;       /* its hint says that only stores need to end before it returns */
    bool runnable;          /* callers may launch it */
    bool reached;           /* some launch runs it */
    bool called;            /* another function may call it */
    bool listed;            /* on the work list */
    struct LowerFunc *next; /* next on the work list */
} LowerFunc;

/* How the cores of a launch depend on each other, and the work items of one of these. */
enum {
    NEED_WAITS = 1, /* some core may wait for another */
    NEED_GRID = 2,  /* blocks wait for each other */
    NEED_LANES = 4, /* work items of a warp exchange values */
    NEED_ITEMS = 8  /* all work items meet */
};

/* A parameter of a launch. */
typedef struct LaunchParam {
    const Value *value; /* the argument of the (first) function that takes it */
    const Type *type;
    const Inst *query; /* the launch query that supplies it in a grid; NULL: the caller passes it */
} LaunchParam;

/* Where an argument of a function comes from. */
typedef struct LaunchArg {
    const Inst *query; /* supplied in every launch; NULL: params[param] */
    unsigned param;
} LaunchArg;

/* The functions that one launch runs in each block. */
typedef struct Launch {
    LowerFunc *named;    /* the function it is named after */
    LowerFunc *cube;     /* what the cube core runs, or NULL */
    LowerFunc *vector;   /* what each vector core runs, or NULL; may be the same function */
    LaunchParam *params; /* of both functions; shared if their lists are the same */
    unsigned nparams;
    LaunchArg *cube_args, *vector_args; /* one for each parameter of the function */
    unsigned needs;                     /* NEED_.. */
    int64_t stack;                      /* bytes that the functions need on the stack of a core */
} Launch;

typedef struct Lower {
    const Module *m;
    const Context *ctx;
    Profile profile;
    Arena *arena;
    LowerFunc *funcs; /* in the order of the text, those of each module together */
    PtrMap by_data;   /* FuncData -> LowerFunc * */
    Functions *functions;
    unsigned nfuncs;
    Launch *launches; /* in the order of the text */
    unsigned nlaunches;
    LowerPipes pipes;
    PtrMap nz_views; /* pto.make_tensor_view -> a statement that reads or writes it as nz */
    bool ok;         /* nothing was reported */
} Lower;

/* Lowers the module; everything lives in `arena`. Reports functions that no launch can run to
 * `diags`. */
const Lower *lower_module(const Module *m, Profile profile, Arena *arena, DiagList *diags);

/* Returns the function that a func.call calls or a pto.simt_launch launches, or NULL when it is
 * unknown. */
LowerFunc *lower_callee(const Lower *l, const Op *call);
/* Returns the launch query that supplies argument `i` of a function in a grid, or NULL. */
const Inst *lower_param_query(const Context *ctx, const Op *func, unsigned i);

/* ---- storage.c ---- */

/* Returns the bytes of an array, a record or an array of event ids; INT64_MAX on overflow, -1 for
 * another type. */
int64_t lower_storage_bytes(const Type *t);
/* Returns the position of a scalar among all scalars of a record. */
int64_t lower_record_cell(const Type *record, const Attr *path);

/* ---- views.c ---- */

/* Returns the layout of the view that a statement makes and that states none (types-and-syntax
 * section 7). Constant extents and strides, right-aligned to five dimensions, decide; nd when one
 * is dynamic. nz where a boxed col_major/row_major tile is loaded from it or stored to it that fits
 * in no other reading. */
int64_t lower_view_layout(const Lower *l, const Op *op);
/* Fills Lower.nz_views. */
void lower_find_nz_views(Lower *l);

/* ---- functions.c ---- */

/* Returns the parameters of a function, as many as its type has; NULL: it has no body. */
const Value *lower_params(const LowerFunc *f);
/* Calls `see` for each statement that calls a function. */
void lower_each_callee(const Lower *l, const LowerFunc *f,
                       void (*see)(LowerFunc *callee, void *arg), void *arg);
/* Whether the function sets flags or tokens, or waits for them. */
bool lower_has_flags(const LowerFunc *f);
/* Returns the pipes, without that of scalars, on which statements run whose order only flags tell;
 * bits 1 << Pipe. */
unsigned lower_unordered_pipes(const LowerFunc *f);
/* Returns the first signal between cores, and its place, of a function that does not say where the
 * memory of signals is; NULL: there is none. */
const Inst *lower_baseless_signal(const LowerFunc *f, Span *at);

/* Whether the function leaves its flags to who inserts them. */
bool lower_relies_on_insertion(const Lower *l, const LowerFunc *f);
/* Returns what the plan says of the function; NULL: nothing. */
const PlanFunction *lower_plan(const LowerFunc *f, const Plan *plan);

/* The kinds of cores that a function and its statements name. */
typedef struct LowerKinds {
    Core given;          /* of the function */
    unsigned statements; /* bits 1 << Core */
    bool sections;       /* it has sections */
} LowerKinds;

LowerKinds lower_kinds(const Context *ctx, const LowerFunc *f);
/* Whether the function gives a tile another address. */
bool lower_moves(const LowerFunc *f, const Value *tile);
/* Returns the name in `loc("name")` of the statement that defines a value; len 0: none, or a place
 * in a file. */
Span lower_location_name(const Context *ctx, const Value *v);

/* ---- frame.c ---- */

/* Computes LowerFunc.stack. */
void lower_frames(Lower *l);

/* ---- cores.c ---- */

/* Whether only the first vector core of a block runs a section or function under this profile. */
bool lower_first_core_only(const Context *ctx, const Op *op, Profile profile);
/* Returns the NEED_.. bits of one statement. */
unsigned lower_needs(const Op *op);
/* Returns those of the statements in it, with what they call. */
unsigned lower_needs_inside(const Lower *l, const Op *op);

#endif
