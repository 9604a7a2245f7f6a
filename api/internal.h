/* What the files of the library's interface share. */
#ifndef API_INTERNAL_H
#define API_INTERNAL_H

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
    char *copy; /* of the text; NULL when it is borrowed */
};

struct ptoasm_program {
    Context ctx; /* everything hangs on its arena */
    const ptoasm_source *source;
    Module *module;
    DiagList read;     /* what reading said */
    SourceIndex lines; /* of a program that the caller opened */
    Op **ops;          /* statements by place, once somebody asked for a symbol */
    size_t nops;
    ptoasm_definition *definitions; /* once somebody asked */
    size_t ndefinitions;
};

struct ptoasm_result {
    Context *ctx;        /* of the program it was made from */
    ptoasm_program *own; /* that program, when it was read for this result alone; else NULL */
    /* A second reading of the source, while another profile is planned; NULL otherwise. */
    Context *other;
    Module *module;
    StrBuf text, header;
    bool has_text, has_header;
    ProfileSet profiles;            /* that it was judged for */
    SourceIndex index;              /* for the places of diagnostics; empty when there are none */
    DiagList list;                  /* sorted */
    ptoasm_diagnostic *diagnostics; /* with places */
    const Diag **diags;
    size_t ndiags;
    struct VerdictRow *verdicts; /* NULL when not wanted */
    size_t nverdicts;
    const EmitKernel *kernels;
    const char **kernel_names;
    unsigned nkernels;
    ptoasm_external *externals;
    size_t nexternals;
    ptoasm_param **params; /* by kernel */
    size_t *nparams;
    ptoasm_slot *slots; /* of a plan */
    size_t nslots;
};

/* Copies a struct that begins with its size from the caller: what it lacks is 0. False when it is
 * shorter than `least`, or holds something beyond `own` bytes. */
bool struct_take(void *to, size_t own, size_t least, const void *from);
/* Copies a struct of `own` bytes to a caller that knows `size` of them. */
void struct_give(void *out, size_t size, const void *from, size_t own);
/* The options of a call; NULL is the default. False when they are wrong. */
bool options_take(ptoasm_options *to, const ptoasm_options *from);

/* Reads the source into an empty program; under ctx.oom. */
void program_read(ptoasm_program *p, const ptoasm_source *src, uint32_t max_errors);
/* The same, with a hook for its functions. */
void program_read_hooked(ptoasm_program *p, const ptoasm_source *src, uint32_t max_errors,
                         const FunctionHook *hook);
/* Starts a call on a program: its diagnostics are those of reading again. */
void program_begin(ptoasm_program *p, uint32_t max_errors);
void program_free(ptoasm_program *p);
ptoasm_place program_place(const ptoasm_program *p, Span at);
ptoasm_place source_place(const SourceIndex *ix, Span span);

/* ---- parts.c: a text that is checked function by function ---- */

/* A long text is checked while it is read: a function that is legal, and means nothing to others,
 * is forgotten at once. What is left of the module is checked as ever. */
typedef struct Parts {
    ptoasm_options opt;
    ProfileSet profiles; /* of opt; 0: the module's */
    Profile profile;     /* that functions were judged for */
    ModuleSigns signs;   /* that the whole text is taken to have */
    bool stop;           /* the text has others: it must be read once more */
    PtrMap functions;    /* read so far: by atom of the name, the last one of it */
    const Block *block;  /* of the module that is open */
    Op *last;            /* function of it that is in the map */
    bool whole;          /* it must be checked as a whole */
    FunctionHook hook;
} Parts;

/* False when a check with these options needs the whole program. */
bool parts_begin(Parts *p, const ptoasm_options *opt);
/* After the check: was every function judged as if all had been known? */
bool parts_hold(const Parts *p, const Module *m, ProfileSet judged);
/* ptoasm_check() for a text of any size. */
int check_in_parts(const ptoasm_source *src, const ptoasm_options *options, ptoasm_result **out);

/* Warns about comments that allow what is no warning, or cannot be read. */
void check_allow_comments(Context *ctx);
/* Drops warnings that comments of the text allow. */
void drop_allowed(Context *ctx, const Module *m);

/* Fills slots from a plan. */
void slots_collect(ptoasm_result *res, const Plan *plan, Profile profile);

/* Fills kernels and params from an emitted module. */
void kernels_collect(ptoasm_result *res, const EmitOptions *opt);

/* What a check says of the program by statement and function, while it is made (verdicts.c). */
typedef struct Verdicts {
    OpVerdictList rules; /* of the verifier */
    ProfileSet profiles; /* that were asked for */
    ProfileSet planned;  /* of those, where it was tried whether all tiles fit */
    OpVerdict **list;    /* sorted by position */
    size_t n;
    OpVerdict **funcs; /* of list: the functions themselves */
    OpVerdict *memory; /* by function */
    size_t nfuncs;
} Verdicts;
/* After the verifier: sorts, and adds the errors that hold for every profile. */
void verdicts_take_errors(ptoasm_result *res, Verdicts *v);
/* After the planner: what it found since. */
void verdicts_take_memory(Verdicts *v, const Diag *since);
/* Makes the public rows. */
void verdicts_collect(ptoasm_result *res, const Verdicts *v);

/* Sorts the diagnostics and makes the public list of them. */
void diagnostics_collect(ptoasm_result *res);

#endif
