/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled format strings (Inst.format), which the binder and the printer interpret. */
#ifndef IR_FORMAT_H
#define IR_FORMAT_H

#include "ir/ir.h"

typedef enum FmtKind {
    FMT_SLOT,     /* operands of slot `index` */
    FMT_TYPE,     /* types of slot `index` */
    FMT_RESULT,   /* type of Inst.results[index] */
    FMT_ATTR,     /* attribute `index` in place */
    FMT_DICT,     /* the attribute dictionary; `strict`: only attributes of the row */
    FMT_LITERAL,  /* text: punctuation or a word */
    FMT_OPT_OPEN, /* `index` = element number of the matching close; also for FMT_ELSE_OPEN */
    FMT_OPT_CLOSE,
    FMT_ELSE_OPEN, /* used when the preceding optional part is absent */
    FMT_SOFT,      /* punctuation that is printed but optional in the input */
    FMT_NAMED,     /* `name = %v : type` of slot `index`; adjacent ones may have any order */
    /* `word(%a, %b)` any number of times: one operand of each of `n` slots from `index` on, and
     * `, word T, U` their types. */
    FMT_GROUPS,
    FMT_GROUP_TYPES,
    /* The operands of the `n` slots from `index` on, or of the `more` slots after those; each may
     * be `name(%v)` instead. */
    FMT_CHOICE,
    FMT_CHOICE_TYPES,
    /* An optional part that begins with a word, after a comma if `comma`. Adjacent ones are the
     * clauses of the statement: each at most once, in this order. `index`: as of FMT_OPT_OPEN. */
    FMT_CLAUSE_OPEN,
    FMT_CLAUSE_END, /* after the last of them: a word here begins no clause that may follow */
    FMT_VALUE       /* the word `text`, which is the value of attribute `index`, or its name */
} FmtKind;

typedef struct FmtElem {
    uint8_t kind;
    uint8_t index;
    uint8_t len; /* of text */
    uint8_t n, more;
    bool word;   /* FMT_LITERAL: a word, not punctuation */
    bool strict; /* FMT_DICT */
    bool comma;  /* FMT_CLAUSE_OPEN */
    bool fits;   /* FMT_OPT_OPEN: if the operand after the comma is one that its slot accepts */
    Atom atom;   /* of a word or a name */
    const char *text;
} FmtElem;

typedef struct Format {
    unsigned n;
    FmtElem elems[];
} Format;

/* Returns the format of a FORM_FORMAT row; compiles it once per context. */
const Format *inst_format(Context *ctx, const Inst *inst);
/* True when attribute `attr` of the row is written in place by its format. */
bool inst_attr_in_place(Context *ctx, const Inst *inst, int attr);
/* True when the attribute of a FMT_VALUE has its value. */
bool format_has_value(const Op *op, const FmtElem *e);

#endif
