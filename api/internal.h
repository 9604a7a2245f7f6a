/* What the files of the library's interface share. */
#ifndef API_INTERNAL_H
#define API_INTERNAL_H

#include "api/ptoasm.h"
#include "backends/c/emit.h"
#include "ir/ir.h"
#include "verifier/verify.h"

struct ptoasm_source {
    Source text;
    char *name;
    char *copy; /* of the text; NULL when it is borrowed */
};

struct ptoasm_result {
    Context ctx; /* everything hangs on its arena */
    /* A second reading of the source, while another profile is planned; NULL otherwise. */
    Context *other;
    Module *module;
    StrBuf text, header;
    bool has_text, has_header;
    ProfileSet profiles;            /* that it was judged for */
    SourceIndex index;              /* for the places of diagnostics; empty when there are none */
    ptoasm_diagnostic *diagnostics; /* with places */
    const Diag **diags;
    size_t ndiags;
    struct VerdictRow *verdicts; /* NULL when nobody asked */
    size_t nverdicts;
    const EmitKernel *kernels;
    const char **kernel_names;
    unsigned nkernels;
    ptoasm_param **params; /* by kernel */
    size_t *nparams;
};

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
