/* SPDX-License-Identifier: Apache-2.0 */
/* Shared declarations of the printer. */
#ifndef IR_PRINT_H
#define IR_PRINT_H

#include "ir/ir.h"
#include "support/ptrmap.h"

typedef struct Printer {
    StrBuf *out;
    Context *ctx;
    PrintForm form;
    unsigned indent;
    bool header_only;     /* op_print: no regions, no trivia */
    const Region *closed; /* the region just printed: what trails its brace is not printed yet */
    bool head_printed;    /* the comments before the next region are printed */
    PtrMap named;         /* constants of literals that some operand cannot have in place */
} Printer;

/* Returns the form in which an operation is printed. */
OpForm print_form(const Printer *p, const Op *op);
/* Finds the constants of literals that cannot stay literals (print_literals.c). */
void print_find_literals(Printer *p, Op *root);
/* True for a constant that is printed in place of its operands only. */
bool print_in_place(const Printer *p, const Op *constant);
/* Prints the name of a value, or a literal. */
void print_value(Printer *p, const Value *v);
void print_operands(Printer *p, const Operand *o, unsigned n);
void print_operand_types(Printer *p, const Operand *o, unsigned n);
void print_type(Printer *p, const Type *t);
void print_atom(Printer *p, Atom a);
void print_symbol(Printer *p, Atom name);
void print_line_start(Printer *p);
/* Print comments and blank lines before a statement; comments at the end of a line. */
void print_leading(Printer *p, const Trivia *t);
void print_trailing(Printer *p, const Trivia *t);
/* Prints the attributes of `op` that its format does not have in place, after a blank; nothing
 * when there are none. `word` (`attributes`), unless NULL, precedes the dictionary. */
void print_attr_dict(Printer *p, const Op *op, const char *word);
/* Prints ` loc(..)` of an argument that has one. */
void print_argument_location(Printer *p, const Value *v);
/* Prints ` {`, the blocks and `}`. On a line of its own the region's keyword follows
 * print_region_line. */
void print_region(Printer *p, const Region *r);
/* Ends the line of the region before, and begins that of a further region. */
void print_region_line(Printer *p, const Region *r);
void print_result_types(Printer *p, const Op *op);
void print_generic(Printer *p, const Op *op);
/* Prints a FORM_CUSTOM operation after its results. */
void print_custom(Printer *p, const Op *op);

#endif
