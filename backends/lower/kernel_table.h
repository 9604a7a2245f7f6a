/* The runtime's kernel table (runtime/ptort_kernels.def) as backends and explain read it: which
 * call a statement becomes, and for which element types there is code. */
#ifndef BACKENDS_LOWER_KERNEL_TABLE_H
#define BACKENDS_LOWER_KERNEL_TABLE_H

#include "ir/ir.h"

/* Element types by their number in the runtime (enum ptrt_elem). */
enum { KERNEL_ANY_ELEM = 31 };
typedef struct KernelTypes {
    uint8_t e1, e2; /* e2: KERNEL_ANY_ELEM where the line names one operand */
} KernelTypes;

/* One line of the table; the columns are described there. */
typedef struct KernelRow {
    const char *id;   /* "PTRT_TADD" */
    const char *inst; /* "pto.tadd" */
    const char *when, *driver, *args, *elems;
    const KernelTypes *types;
    uint16_t ntypes;
} KernelRow;

/* The lines, in the order of the table. */
const KernelRow *kernel_rows(unsigned *n);
/* The first line of an instruction, and the next one after `row`; NULL when there is none. */
const KernelRow *kernel_first(const Inst *inst);
const KernelRow *kernel_next(const KernelRow *row);

/* The runtime's number of an element type of the language; -1 when it has none. */
int kernel_elem(int elem);

/* The line whose `when` holds for the statement and that takes all of its operands and attributes;
 * NULL when there is none. */
const KernelRow *kernel_of(const Context *ctx, const Op *op);
/* The element type (ELEM_..) of the first operand that chooses the code; ELEM_NONE. */
int kernel_slot_elem(const KernelRow *row, const Op *op);
/* The k-th operand whose element type a line demands besides those that choose the code; false when
 * there are no more. */
typedef struct KernelDemand {
    const char *slot; /* `len` characters of the line */
    unsigned len;
    int elem; /* Elem */
} KernelDemand;
bool kernel_type_demand(const KernelRow *row, unsigned k, KernelDemand *out);
/* The table has code for the element types of the statement's operands. */
bool kernel_has_types(const KernelRow *row, const Op *op);

/* One word of `args`. */
typedef enum KernelArgKind {
    KARG_SLOT,     /* x, @x, $x; x0, x1, ...: of a list */
    KARG_COUNTS,   /* &x: where a vector<4xi16> is */
    KARG_PRESENT,  /* ?x: 1 when operand x is present, else 0 */
    KARG_ATTR,     /* #x */
    KARG_ATTR_OPT, /* #x?: PTRT_ABSENT when the text has none */
    KARG_PROFILE,  /* %profile */
    KARG_NULL,     /* - */
    KARG_NUMBER,   /* 3 */
    KARG_IGNORED   /* !x */
} KernelArgKind;
typedef struct KernelArg {
    KernelArgKind kind;
    int index;     /* slot or attribute; -1 */
    unsigned item; /* of a list */
    const char *text;
    unsigned len; /* without the mark */
} KernelArg;
/* Reads the word at *at and moves *at to the next one; false at the end. */
bool kernel_arg(const Inst *inst, const char **at, KernelArg *out);
/* The call of the line takes the value as an operand. */
bool kernel_takes(const Op *op, const KernelRow *row, const Value *v);

#endif
