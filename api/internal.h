/* SPDX-License-Identifier: Apache-2.0 */
/* Shared declarations of the library's interface. */
#ifndef API_INTERNAL_H
#define API_INTERNAL_H

#include "analysis/check_sync.h"
#include "api/ptoasm.h"
#include "backends/c/emit.h"
#include "ir/ir.h"
#include "parser/parse.h"
#include "passes/passes.h"
#include "support/ptrmap.h"
#include "verifier/verify.h"

struct ptoasm_source {
    Source text;
    char *name;
    char *copy; /* NULL when the text is borrowed */
};

struct ptoasm_program {
    Context ctx; /* its arena owns all data */
    const ptoasm_source *source;
    Module *module;
    DiagList read;     /* diagnostics of reading */
    SourceIndex lines; /* for programs that the caller opened */
    Op **ops;          /* by position; made when a symbol is first requested */
    size_t nops;
    ptoasm_definition *definitions; /* made on first request */
    size_t ndefinitions;
};

struct ptoasm_result {
    Context *ctx;        /* of the program */
    ptoasm_program *own; /* the program, if it was read only for this result; else NULL */
    Arena aside;         /* that of the context, while a copy of the module is judged */
    bool exchanged;      /* the arena of the context is put aside */
    Module *module;
    StrBuf text, header;
    bool has_text, has_header;
    ProfileSet profiles;            /* that it was judged for */
    SourceIndex index;              /* for positions of diagnostics; empty when there are none */
    DiagList list;                  /* sorted */
    ptoasm_diagnostic *diagnostics; /* with positions */
    const Diag **diags;
    size_t ndiags;
    struct VerdictRow *verdicts; /* NULL if not requested */
    size_t nverdicts;
    ptoasm_sync_row *sync; /* NULL if not requested */
    size_t nsync;
    const EmitKernel *kernels;
    const char **kernel_names;
    unsigned nkernels;
    ptoasm_external *externals;
    size_t nexternals;
    ptoasm_param **params; /* by kernel */
    size_t *nparams;
    ptoasm_slot *slots; /* of a plan */
    size_t nslots;
    struct Described *functions; /* of C++ that was to be described */
    size_t nfunctions;
};

/* Exchanges the arenas of ptoasm_result.aside and of the context. */
void arenas_exchange(ptoasm_result *res);

/* Copies a struct that begins with its size from the caller; missing members become 0. False when
 * it is shorter than `least` or has nonzero bytes beyond `own`. */
bool struct_take(void *to, size_t own, size_t least, const void *from);
/* Copies a struct of `own` bytes to a caller that expects `size`. */
void struct_give(void *out, size_t size, const void *from, size_t own);
/* Copies the options of a call, NULL meaning the default. False when they are invalid. */
bool options_take(ptoasm_options *to, const ptoasm_options *from);

/* Reads the source into an empty program; requires a handler in ctx.oom. */
void program_read(ptoasm_program *p, const ptoasm_source *src, uint32_t max_errors);
/* The same, with a hook for functions. */
void program_read_hooked(ptoasm_program *p, const ptoasm_source *src, uint32_t max_errors,
                         const FunctionHook *hook);
/* Starts a call on a program, with the diagnostics of reading. */
void program_begin(ptoasm_program *p, uint32_t max_errors);
void program_free(ptoasm_program *p);
ptoasm_place program_place(const ptoasm_program *p, Span at);
ptoasm_place source_place(const SourceIndex *ix, Span span);

/* ---- by_function.c: checking function by function ---- */

/* Checks a long text while it is read: a function that is legal and does not affect others is
 * forgotten at once. The rest of the module is checked as usual. */
enum { CALLED_WORDS = 1024 };
typedef struct Parts {
    ptoasm_options opt;
    ProfileSet profiles;           /* from opt; 0: the module's */
    Profile profile;               /* that functions were judged for */
    ModuleSigns signs;             /* assumed for the whole text */
    bool stop;                     /* the assumption was wrong: the text must be read again */
    PtrMap functions;              /* by atom: the last function read with this name */
    const Block *block;            /* of the open module */
    Op *last;                      /* last function of it in the map */
    bool called_stay;              /* functions that may be called stay, and so do their callers */
    uint64_t called[CALLED_WORDS]; /* their names: a bit for the hash of each */
    bool whole;                    /* the text must be checked as a whole */
    bool again;                    /* the result does not count: check again */
    FunctionHook hook;
    PtrMap
        called_by_kept; /* functions that others call which stay: the atom of the name -> itself */
    bool ordered;       /* a function has flags or buffers */
    bool lost;          /* one that stays calls one that is forgotten */
} Parts;

/* Returns false when a check with these options needs the whole program. */
bool parts_begin(Parts *p, const ptoasm_options *opt);
/* Notes which functions a text may call. */
void parts_find_called(Parts *p, const char *text, size_t size);
/* True, after the check, when each function was judged as if the whole text had been known. */
bool parts_hold(const Parts *p, const Module *m, ProfileSet judged);
/* Implements ptoasm_check() for texts of any size. */
int check_in_parts(const ptoasm_source *src, const ptoasm_options *options, ptoasm_result **out);

/* Warns about comments with unknown ids, and about those that cannot be read. */
void check_allow_comments(Context *ctx);
/* Drops warnings that comments in the text allow. */
void drop_allowed(Context *ctx, const Module *m);

/* Returns the Vendor that the options ask for. */
Vendor options_vendor(const ptoasm_options *opt);

/* ---- order.c ---- */

/* Returns the offset of the end of a function; without braces, that of the text. */
uint32_t function_end(const Op *func);
/* Functions with flags, events or buffers in the text, which insertion leaves as they are. */
typedef struct OrderedFunctions {
    const Op **list;
    size_t n;
} OrderedFunctions;
OrderedFunctions ordered_functions(Module *m, Profile profile);
/* Marks all other functions as those where flags are inserted. */
void order_mark_others(Module *m, const OrderedFunctions *left);
/* Proves the order of pipes as check_sync(), and makes the errors that insertion has no part in
 * warnings, or drops all such findings: those in functions that are left as they are, and those
 * about freed entries. Their number has no limit. */
void order_prove_softly(Module *m, const SyncOptions *opt, const OrderedFunctions *left,
                        bool silent);
/* Makes what is not proved in other functions an error. */
void order_demand_proof(DiagList *list, const OrderedFunctions *left);

/* Fills slots from a plan. */
/* ---- ranges.c ---- */

/* The bytes [low, end) that micro-instructions touch through a pointer, at positions [from, to]. */
typedef struct MicroRange {
    struct MicroRange *next;
    const Value *pointer; /* of pto.castptr */
    int64_t low, end;
    uint32_t from, to;
    uint8_t space; /* Space */
} MicroRange;

/* Returns those of a function whose bytes are known, in the order of their first use. `offs`: see
 * live_positions(). */
const MicroRange *micro_ranges(Context *ctx, Op *func, Profile profile, const uint32_t *offs,
                               uint32_t noffs);

void slots_collect(ptoasm_result *res, const Plan *plan, Profile profile);

/* Fills kernels and params from an emitted module. */
void kernels_collect(ptoasm_result *res, const EmitOptions *opt);
/* Describes a parameter of a function without its memory; c_type is that of C. */
ptoasm_param param_describe(ptoasm_result *res, const Value *v, Profile profile);
/* Fills functions from a module that was emitted as C++. */
void functions_collect(ptoasm_result *res, const EmitOptions *opt);
/* Computes the array that a pointer parameter needs in a grid of one block. */
void function_buffer(ptoasm_result *res, const Op *func, uint32_t param, ptoasm_buffer *out);

/* The verdicts of a check while they are collected (verdicts.c). */
typedef struct Verdicts {
    OpVerdictList rules; /* from the verifier */
    ProfileSet profiles; /* requested */
    ProfileSet planned;  /* those for which memory was planned */
    OpVerdict **list;    /* sorted by position */
    size_t n;
    OpVerdict **funcs; /* entries of `list` for functions */
    OpVerdict *memory; /* by function */
    size_t nfuncs;
} Verdicts;
/* Sorts the verifier's verdicts, and adds errors under all profiles. */
void verdicts_take_errors(ptoasm_result *res, Verdicts *v);
/* Adds the errors of the proof of synchronisation, after those that comments allow were dropped. */
void verdicts_take_sync(ptoasm_result *res, Verdicts *v);
/* Adds the planner's errors after `since`. */
void verdicts_take_memory(Verdicts *v, const Diag *since);
/* Makes the public rows. */
void verdicts_collect(ptoasm_result *res, const Verdicts *v);

/* Adds the public rows of a proof of `m`, which may be a copy with planned addresses. */
void sync_collect(ptoasm_result *res, const Module *m, const SyncRows *rows, ProfileSet profiles,
                  bool planned);

/* Sorts the diagnostics and makes the public list. */
void diagnostics_collect(ptoasm_result *res);

#endif
