/* SPDX-License-Identifier: Apache-2.0 */
/* The options of MLIR that the vendor's assembler has: they print the program after a pass. */
#ifndef CLI_MLIR_H
#define CLI_MLIR_H

#include "cli/cli.h"

/* A pass of the vendor after which ptoasm has the same text. */
typedef struct MlirPass {
    const char *name, *title; /* as an option and as a dump name it */
    uint32_t rewrite;         /* bits of ptoasm_rewrite that make it */
    bool repeats;             /* the text is that of the pass before */
} MlirPass;

enum { MLIR_PASSES = 3 };
extern const MlirPass mlir_passes[MLIR_PASSES];

/* Reads an option that begins with mlir- and is word `i` of the command line: returns the number of
 * words that it takes; 0 for other words. What has no effect gets a note on standard error. */
int mlir_option(int argc, char **argv, int i, PtoasOptions *opt);
/* Writes the text after pass `p` of the program `name` to standard error, or below the folder; with
 * `several` programs to a folder of its own there. Returns FINE, or TROUBLE after a message. */
int mlir_dump(const PtoasOptions *opt, unsigned p, const char *name, bool several, const char *text,
              size_t size);

#endif
