/* The C backend: a verified and planned module -> plain C11 for libptort, and a header with the
 * prototypes. No I/O: the caller reads and writes files.
 *
 * ABI: every runnable kernel `@k` becomes `int k(parameters)` and `int k_grid(int64_t blocks,
 * parameters)`; both return 0 or a PTRT_E code. Bodies are static and get the ptrt_core first. */
#ifndef BACKENDS_C_EMIT_H
#define BACKENDS_C_EMIT_H

#include "backends/lower/lower.h"

struct Plan;

typedef struct EmitOptions {
    Profile profile;
    bool compat;             /* run-time conditions as the vendor's assembler 0.60 sees them */
    bool comments;           /* the source line of each statement as a comment */
    bool debug;              /* #line directives instead: a debugger steps through the .pto file */
    bool checked;            /* stop at out-of-range global accesses and at forbidden overlaps */
    const char *file_name;   /* the .pto file, for messages and #line; NULL: the source's name */
    const char *header_name; /* the include guard is made from it; NULL: from the file name */
    const struct Plan *plan; /* addresses of tiles without one; NULL: all have one in the text */
} EmitOptions;

/* Lowers the module. `header_out` may be NULL. What has no lowering is reported to `diags` with the
 * id not-lowerable; the result is then false and the texts are not complete. The texts depend on
 * the module and the options alone. */
bool emit_c(const Module *m, const EmitOptions *opt, StrBuf *c_out, StrBuf *header_out,
            DiagList *diags);

/* Whether there is C for this instruction at all. */
bool emit_lowers(const Inst *inst);

/* A function that a caller can launch. */
typedef struct EmitKernel {
    const Op *func;       /* that it is named after */
    const Launch *launch; /* what it runs, and its parameters */
    const char *name;     /* C name of the call for one block */
    const char *grid;     /* C name of the call for a grid */
    bool entry;           /* marked as an entry point */
} EmitKernel;

/* The runnable kernels in the order of the text, with the names that emit_c gives them; the array
 * lives in `arena`. */
const EmitKernel *emit_kernels(const Module *m, const EmitOptions *opt, Arena *arena, unsigned *n);
/* A function that the launches reach and the caller supplies. */
typedef struct EmitExternal {
    const Op *func;
    const char *name; /* in C */
} EmitExternal;
const EmitExternal *emit_externals(const Module *m, const EmitOptions *opt, Arena *arena,
                                   unsigned *n);
/* The C type of a parameter of a kernel (`float *`, `int64_t`, `const ptrt_tile *`); NULL when the
 * type has none. */
const char *emit_param_type(const Type *type, Arena *arena);
/* The initialiser of a tile type's ptrt_tile_type; NULL when C has none. */
const char *emit_tile_init(const Type *type, Profile profile, Arena *arena);
/* Such as PTRT_F32; NULL when there is none. */
const char *emit_elem_const(int elem);

#endif
