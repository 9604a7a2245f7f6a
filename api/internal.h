/* What the files of the library's interface share. */
#ifndef API_INTERNAL_H
#define API_INTERNAL_H

#include "api/ptoasm.h"
#include "backends/c/emit.h"
#include "ir/ir.h"

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
    SourceIndex index;              /* for the places of diagnostics; empty when there are none */
    ptoasm_diagnostic *diagnostics; /* with places */
    const Diag **diags;
    size_t ndiags;
    const EmitKernel *kernels;
    const char **kernel_names;
    unsigned nkernels;
    ptoasm_param **params; /* by kernel */
    size_t *nparams;
};

/* Fills kernels and params from an emitted module. */
void kernels_collect(ptoasm_result *res, const EmitOptions *opt);
/* Sorts the diagnostics and makes the public list of them. */
void diagnostics_collect(ptoasm_result *res);

#endif
