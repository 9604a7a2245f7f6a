/* SPDX-License-Identifier: Apache-2.0 */
/* The C++ backend: prints a verified and planned module as C++ on the vendor's tile library, for
 * the devices a2a3 and a5. No I/O: the caller reads and writes files. */
#ifndef BACKENDS_CPP_EMIT_H
#define BACKENDS_CPP_EMIT_H

#include "backends/text/emitter.h"

/* Prints the module. Reports what the device or the library has no call for to `diags` as
 * not-on-device, and other things without a form in C++ as not-lowerable; the result is then false.
 * The text depends on the module and the options only. opt->profile must be a device. */
bool emit_cpp(const Module *m, const EmitOptions *opt, StrBuf *out, DiagList *diags);

/* A function of the C++. */
typedef struct CppSignature {
    const LowerFunc *func;
    const char *symbol;
    bool entry, internal; /* an entry point; one of the module alone */
    const char **types;   /* of the parameters */
} CppSignature;

/* Returns the functions with a body that emit_cpp() prints, in the order of the text; all is in
 * `arena`. */
const CppSignature *emit_cpp_functions(const Module *m, const EmitOptions *opt, Arena *arena,
                                       unsigned *n);

#endif
