/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime's kernel tables (runtime/ptort_kernels.def, ptort_micro.def), for backends and
 * explain: which call a statement becomes, and for which element types it has code. pack_kernels
 * reads its conditions and arguments when the program is built. */
#ifndef BACKENDS_LOWER_KERNEL_TABLE_H
#define BACKENDS_LOWER_KERNEL_TABLE_H

#include "ir/ir.h"

/* Element types, by their number in the runtime (enum ptrt_elem). */
enum { KERNEL_ANY_ELEM = 31 };
typedef struct KernelTypes {
    uint8_t e1, e2; /* e2: KERNEL_ANY_ELEM if the row names one operand */
} KernelTypes;

typedef enum KernelTest {
    KTEST_PRESENT,     /* operand x is given */
    KTEST_ABSENT,      /* it is not */
    KTEST_IN_SPACE,    /* tile or pointer x is in space `other` */
    KTEST_OUTSIDE,     /* it is in another one */
    KTEST_TYPE,        /* slot or result x has one of the element types `elems` */
    KTEST_SAME_TYPE,   /* x and operand `other` have one element type at run time */
    KTEST_SCALAR,      /* x is a scalar */
    KTEST_MASK,        /* x is a logical mask */
    KTEST_ATTR,        /* attribute x is given */
    KTEST_NO_ATTR,     /* it is not */
    KTEST_ATTR_IS_WORD /* it is the string at `word` of kernel_texts */
} KernelTest;

/* A condition of a row's `when`. */
typedef struct KernelCond {
    ElemSet elems;
    uint16_t word;
    uint8_t test;     /* KernelTest */
    bool alternative; /* it is enough that the condition before holds */
    uint8_t x;        /* slot or attribute */
    uint8_t other;    /* slot or Space */
    uint8_t elem;     /* KTEST_TYPE: the first of a short list, to choose one, or ELEM_NONE */
} KernelCond;

typedef enum KernelArgKind {
    KARG_SLOT,     /* operand `index`, else attribute `number`; -1: there is none */
    KARG_ITEM,     /* operand `number` of list `index` */
    KARG_COUNTS,   /* the address of operand `index`, a vector<4xi16> */
    KARG_PRESENT,  /* how many operands slot `index` has */
    KARG_ATTR,     /* attribute `index` */
    KARG_ATTR_OPT, /* the same; PTRT_ABSENT when it is not given */
    KARG_PROFILE,
    KARG_CORE,   /* the core and the line of the statement: the call may fail */
    KARG_RESULT, /* where result `index` goes; NULL when the text does not name it */
    KARG_LIST,   /* an array of the operands of list `index` */
    KARG_BITS,   /* operand `index`, a scalar or vector as its bits, or an address; 0 when it is not
                    given */
    KARG_ELEM,   /* the element type of slot or result `index`, of a signless integer that of an
                    unsigned one if `number`; PTRT_ABSENT when it is not given */
    KARG_SELF,   /* the core alone */
    KARG_PLACED, /* operand `index`, a pointer, as its space and its byte address */
    KARG_TYPE, /* the element type of operand `index`, or of the result after them, and how many */
    KARG_SCALED, /* operand `index`, a scalar, times `number`, or times the bytes of an element of
                    the slot or result -1 - `number` */
    KARG_KEPT,  /* the mask of the pto.vsqz that made operand `index`; NULL: it is made otherwise */
    KARG_SIZE,  /* the bytes of an element of slot or result `index` */
    KARG_LANES, /* how many lanes slot or result `index` has */
    KARG_NULL,
    KARG_NUMBER /* `number` */
} KernelArgKind;

typedef struct KernelArg {
    uint8_t kind; /* KernelArgKind */
    uint8_t index;
    int16_t number;
} KernelArg;

/* How a statement reaches the code of a row. */
typedef enum KernelWay {
    KERNEL_BY_ID, /* ptrt_<driver>(core, line, PTRT_<id>, args) */
    KERNEL_BODY,  /* its function fetches the body once: body(args) */
    KERNEL_OVER,  /* the same of another row's body: ptrt_over_<driver>(body, args) */
    KERNEL_CALL   /* ptrt_<driver>(args): the row has no bodies */
} KernelWay;

/* Which integer of its width selects the code for an element type. */
typedef enum KernelSign {
    SIGN_WRITTEN,  /* itself */
    SIGN_NONE,     /* the unsigned one for a signless integer, else itself */
    SIGN_SIGNED,   /* the signed one */
    SIGN_UNSIGNED, /* the unsigned one */
} KernelSign;

/* A row of the table. The members that name tables are indices into them. */
typedef struct KernelRow {
    uint16_t id;                 /* kernel_texts: PTRT_TADD */
    uint16_t driver;             /* kernel_texts: map2 */
    uint16_t conds, args, types; /* kernel_conds, kernel_args, kernel_types */
    uint8_t nconds, nargs;
    uint16_t ntypes;
    /* Slots, and after them results, whose element types select the code; -1: none. */
    int8_t elems[2];
    uint8_t way;           /* KernelWay */
    uint8_t signs[2];      /* KernelSign, of each of elems */
    uint32_t slots, attrs; /* bits of the operands and attributes that a call may have */
} KernelRow;

extern const KernelRow kernel_table[]; /* by instruction, in the order of the .def file */
extern const uint16_t kernel_starts[INST_COUNT + 1];
extern const KernelCond kernel_conds[];
extern const KernelArg kernel_args[];
extern const KernelTypes kernel_types[];
extern const char kernel_texts[];

static inline const char *kernel_id(const KernelRow *row) {
    return kernel_texts + row->id;
}

static inline const char *kernel_driver(const KernelRow *row) {
    return kernel_texts + row->driver;
}

/* Return the first row of an instruction, and the next one of the same; NULL when there is none. */
const KernelRow *kernel_first(const Inst *inst);
const KernelRow *kernel_next(const Inst *inst, const KernelRow *row);

/* Returns the runtime's number of an element type of the language, or -1 when it has none. */
int kernel_elem(int elem);

/* Returns the first row whose conditions hold for the statement and whose call takes all of its
 * operands and attributes, or NULL. A row KERNEL_OVER must also have code for the element types. */
const KernelRow *kernel_of(const Context *ctx, const Op *op);
/* Returns the element type (ELEM_..) of the first or second operand that selects the code, or
 * ELEM_NONE. */
int kernel_slot_elem(const KernelRow *row, const Op *op, int which);
/* Returns the bytes of an element of a slot, or of the result that a number after those of the
 * slots names; 0 when it has none. */
int64_t kernel_elem_size(const Op *op, int at);
/* Returns the element type (ELEM_..) of a slot or result, or ELEM_NONE. */
int kernel_elem_of(const Op *op, int at);
/* Returns the integer type of the sign that the code of a row has for an element type; other types
 * as they are. */
int kernel_signed_as(int elem, KernelSign sign);
/* Returns the lanes of a slot or result; 0 when it has none. */
int64_t kernel_lanes(const Op *op, int at);
/* Returns the k-th condition of a row on element types (KTEST_TYPE, KTEST_SAME_TYPE), or NULL when
 * there are no more. */
const KernelCond *kernel_type_demand(const KernelRow *row, unsigned k);
/* Whether the row has code for the element types of the statement's operands. */
bool kernel_has_types(const KernelRow *row, const Op *op);

#endif
