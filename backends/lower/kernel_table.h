/* The runtime's kernel table (runtime/ptort_kernels.def), for backends and explain: which call a
 * statement becomes, and for which element types it has code. */
#ifndef BACKENDS_LOWER_KERNEL_TABLE_H
#define BACKENDS_LOWER_KERNEL_TABLE_H

#include "ir/ir.h"

/* Element types, by their number in the runtime (enum ptrt_elem). */
enum { KERNEL_ANY_ELEM = 31 };
typedef struct KernelTypes {
    uint8_t e1, e2; /* e2: KERNEL_ANY_ELEM if the row names one operand */
} KernelTypes;

/* A row of the table, whose columns ptort_kernels.def describes. */
typedef struct KernelRow {
    const char *id;   /* "PTRT_TADD" */
    const char *inst; /* "pto.tadd" */
    const char *when, *driver, *args, *elems;
    const KernelTypes *types;
    uint16_t ntypes;
} KernelRow;

/* Returns all rows, in the order of the table. */
const KernelRow *kernel_rows(unsigned *n);
/* Return the first row of an instruction, and the next one of the same; NULL when there is none. */
const KernelRow *kernel_first(const Inst *inst);
const KernelRow *kernel_next(const KernelRow *row);

/* Returns the runtime's number of an element type of the language, or -1 when it has none. */
int kernel_elem(int elem);

/* Returns the first row whose `when` holds for the statement and whose `args` list all of its
 * operands and attributes, or NULL. */
const KernelRow *kernel_of(const Context *ctx, const Op *op);
/* Returns the element type (ELEM_..) of the first operand that selects the code, or ELEM_NONE. */
int kernel_slot_elem(const KernelRow *row, const Op *op);
/* A requirement of a row's `when` on element types: an operand has one of `elems` or, if `as` is
 * not NULL, the type of operand `as`. */
typedef struct KernelDemand {
    const char *slot, *as; /* point into the row; `len` and `as_len` characters */
    unsigned len, as_len;
    ElemSet elems;
    int elem;         /* Elem: the first of a short list, to choose one */
    bool alternative; /* it is enough that the requirement before holds */
} KernelDemand;
/* Stores the k-th such requirement. Returns false when there are no more. */
bool kernel_type_demand(const KernelRow *row, unsigned k, KernelDemand *out);
/* Whether the row has code for the element types of the statement's operands. */
bool kernel_has_types(const KernelRow *row, const Op *op);

/* The kinds of words in `args`. */
typedef enum KernelArgKind {
    KARG_SLOT,     /* x, @x, $x; x0, x1, ... for a list */
    KARG_COUNTS,   /* &x: the address of a vector<4xi16> */
    KARG_PRESENT,  /* ?x: 1 when operand x is present, else 0 */
    KARG_ATTR,     /* #x */
    KARG_ATTR_OPT, /* #x?: PTRT_ABSENT when the attribute is absent */
    KARG_PROFILE,  /* %profile */
    KARG_NULL,     /* - */
    KARG_NUMBER,   /* 3 */
    KARG_IGNORED   /* !x */
} KernelArgKind;
typedef struct KernelArg {
    KernelArgKind kind;
    int index;     /* slot or attribute, or -1 */
    unsigned item; /* position in a list */
    const char *text;
    unsigned len; /* of text, without the prefix */
} KernelArg;
/* Reads the word at *at and moves *at to the next one. Returns false at the end. */
bool kernel_arg(const Inst *inst, const char **at, KernelArg *out);
/* Whether the row passes the value as an argument. */
bool kernel_takes(const Op *op, const KernelRow *row, const Value *v);

#endif
