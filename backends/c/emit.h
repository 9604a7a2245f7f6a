/* SPDX-License-Identifier: Apache-2.0 */
/* The C backend: translates a verified and planned module to plain C11 for libptort, and a header
 * with the prototypes. No I/O: the caller reads and writes files.
 *
 * ABI: every runnable kernel `@k` becomes `int k(parameters)` and `int k_grid(int64_t blocks,
 * parameters)`; both return 0 or a PTRT_E code. The functions that cores run are static and take
 * the ptrt_core first. */
#ifndef BACKENDS_C_EMIT_H
#define BACKENDS_C_EMIT_H

#include "backends/text/emitter.h"

/* Lowers the module. `header_out` may be NULL. Reports what has no lowering to `diags` as
 * not-lowerable; the result is then false and the texts are incomplete. The texts depend on the
 * module and the options only. */
bool emit_c(const Module *m, const EmitOptions *opt, StrBuf *c_out, StrBuf *header_out,
            DiagList *diags);

/* Whether the instruction can be emitted at all. */
bool emit_lowers(const Inst *inst);

/* A function that a caller can launch. */
typedef struct EmitKernel {
    const Launch *launch; /* what it runs, its parameters, and the function it is named after */
    const char *name;     /* C name of the call for one block */
    const char *grid;     /* C name of the call for a grid */
    bool entry;           /* marked as an entry point */
} EmitKernel;

/* Returns the runnable kernels in the order of the text, with the names that emit_c gives them. The
 * array lives in `arena`. */
const EmitKernel *emit_kernels(const Module *m, const EmitOptions *opt, Arena *arena, unsigned *n);
/* A function without a body that launches reach and the caller must define. */
typedef struct EmitExternal {
    const LowerFunc *func;
    const char *name; /* C name */
} EmitExternal;
/* Returns the functions that the user must define, in the order of the text; the array lives in
 * `arena`. */
const EmitExternal *emit_externals(const Module *m, const EmitOptions *opt, Arena *arena,
                                   unsigned *n);
/* Returns the C type of a kernel parameter (`float *`, `int64_t`, `const ptrt_tile *`), or NULL
 * when it has none. */
const char *emit_param_type(const Type *type, Arena *arena);
/* Returns the initialiser of a ptrt_tile_type for a tile type, or NULL when it has none. */
const char *emit_tile_init(const Type *type, Profile profile, Arena *arena);
/* Returns the runtime's constant, such as PTRT_F32, or NULL when there is none. */
const char *emit_elem_const(int elem);

#endif
