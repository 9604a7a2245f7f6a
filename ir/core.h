/* The kind of core that a statement runs on, found from its row: the core it names, the pipe it
 * names, the memory of its tiles, the pipe of the row, in this order. */
#ifndef IR_CORE_H
#define IR_CORE_H

#include "ir/ir.h"

/* The pipe of a statement; PIPE_BY_OPERAND when its operands decide, PIPE_NONE when it has none. */
Pipe op_pipe(const Context *ctx, const Op *op, Profile profile);
/* The number of #pto.pipe<..> that an attribute names by itself or by a class of instructions; -1
 * when it names none. */
int pipe_number(const Attr *a);
/* CORE_ANY when both kinds can run it. */
Core op_core(const Context *ctx, const Op *op);
extern const char *const core_names[3]; /* by Core; the first is empty */

#endif
