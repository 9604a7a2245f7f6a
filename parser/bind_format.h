/* SPDX-License-Identifier: Apache-2.0 */
/* The binder along a format string (Inst.format), which two files share: bind_format.c walks the
 * format, bind_clauses.c reads its clauses, groups and choices. */
#ifndef PARSER_BIND_FORMAT_H
#define PARSER_BIND_FORMAT_H

#include "ir/format.h"
#include "parser/bind_internal.h"

enum { FEW = 24, MOST = 65535 };

/* A literal whose type is read after it. */
typedef struct Late {
    uint32_t operand, token; /* as in Written.literal */
} Late;

typedef struct FormatBinder {
    Cursor *c;
    Op *op;
    const Format *format;
    Operand *ops; /* by slot, in the order of the text */
    unsigned n, cap;
    uint16_t first[INST_MOST_OPERANDS], count[INST_MOST_OPERANDS];
    const Type *results[4];
    const Type *written; /* the last operand type that was read */
    Late *late;          /* by operand */
    unsigned nlate, late_cap;
    bool taken;    /* the last optional part was present */
    bool brackets; /* an optional bracket was opened */
    Operand few[FEW];
} FormatBinder;

/* ---- bind_format.c ---- */
/* Reads an operand, or all of a slot. */
void read_slot_operand(FormatBinder *f, int slot);
void read_slot(FormatBinder *f, int slot);
/* Reads the type of operand `i`, which is of this slot. */
void read_type_at(FormatBinder *f, int slot, unsigned i);
/* Reads an attribute in place. */
void read_attr_element(FormatBinder *f, int attr);

/* ---- bind_clauses.c ---- */
/* True when the clause that element `open` opens follows, with its comma. */
bool clause_present(FormatBinder *f, unsigned open);
/* Reports what follows the last clause as if it were another one. */
void read_clauses_end(FormatBinder *f);
/* Reads the word of a FMT_VALUE. */
void read_value(FormatBinder *f, const FmtElem *e);
void read_groups(FormatBinder *f, const FmtElem *e);
void read_group_types(FormatBinder *f, const FmtElem *e);
void read_choice(FormatBinder *f, const FmtElem *e);
void read_choice_types(FormatBinder *f, const FmtElem *e);

#endif
