/* SPDX-License-Identifier: Apache-2.0 */
/* Determines the kind of core that a statement runs on, from its row: the core it names, else the
 * pipe it names, else the memory of its tiles, else the pipe of the row. */
#ifndef IR_CORE_H
#define IR_CORE_H

#include "ir/ir.h"

/* The values of #pto.pipe<..>; of PIPE_NONE that of all pipes. */
extern const char *const pipe_names[PIPE_FIX + 1];
/* Returns the name of a pipe without PIPE_: MTE2; of PIPE_NONE `none`. */
static inline const char *pipe_short_name(Pipe p, const char *none) {
    return p == PIPE_NONE ? none : pipe_names[p] + sizeof "PIPE_" - 1;
}

/* Returns the pipe of a statement; PIPE_BY_OPERAND when operands decide, PIPE_NONE when it has
 * none. */
Pipe op_pipe(const Op *op, Profile profile);
/* The same; where operands decide, the pipe that they give. `other` is a second pipe where the
 * vendor's tools disagree, else PIPE_NONE. */
Pipe op_pipe_by_tiles(const Op *op, Profile profile, Pipe *other);
/* True when some statement of the instruction runs on this pipe, which no attribute names. */
bool inst_may_use_pipe(const Inst *inst, Profile profile, Pipe pipe);
/* Returns the pipe that an attribute names, directly or by a class of instructions; PIPE_NONE: all
 * pipes, or none that programs can use. */
Pipe attr_pipe(const Attr *a);
/* Returns the number of #pto.pipe<..> that an attribute names, directly or by a class of
 * instructions; -1: none. */
int pipe_number(const Attr *a);
/* Returns the kind of core that a module, function or section names; CORE_ANY when it names none.
 */
Core op_given_core(const Op *op);
/* The same for a statement, or for the innermost section, function or module around it that names
 * one. */
Core op_core_around(const Op *op);
/* Returns the pto.section.simt or the function with pto.simt_entry around a statement, if it is
 * code of single work items; else NULL. */
const Op *op_simt_around(const Op *op);
/* Returns the kind of core; CORE_ANY when both can run it. */
Core op_core(const Op *op);
extern const char *const core_names[3]; /* by Core; the first is empty */

#endif
