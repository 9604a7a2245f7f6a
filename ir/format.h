/* Compiled format strings (Inst.format): what the binder and the printer walk along. */
#ifndef IR_FORMAT_H
#define IR_FORMAT_H

#include "ir/ir.h"

typedef enum FmtKind {
    FMT_SLOT,     /* operands of slot `index` */
    FMT_TYPE,     /* types of slot `index` */
    FMT_RESULT,   /* type of Inst.results[index] */
    FMT_ATTR,     /* attribute `index` in place */
    FMT_DICT,     /* the attribute dictionary; `strict`: attributes of the row only */
    FMT_LITERAL,  /* text: punctuation or a word */
    FMT_OPT_OPEN, /* `index` = element number of the matching close, of FMT_ELSE_OPEN too */
    FMT_OPT_CLOSE,
    FMT_ELSE_OPEN, /* read and printed when the optional part before it is not there */
    FMT_SOFT,      /* punctuation that is printed and may be missing in the input */
    FMT_NAMED      /* `name = %v : type` of slot `index`; neighbours are in any order */
} FmtKind;

typedef struct FmtElem {
    uint8_t kind;
    uint8_t index;
    uint8_t len; /* of text */
    bool word;   /* FMT_LITERAL: a word, not punctuation */
    bool strict; /* FMT_DICT */
    Atom atom;   /* of a word or a name */
    const char *text;
} FmtElem;

typedef struct Format {
    unsigned n;
    FmtElem elems[];
} Format;

/* The compiled format of a FORM_FORMAT row; compiled once per context. */
const Format *inst_format(Context *ctx, const Inst *inst);
/* True when attribute `attr` of the row is written in place by its format. */
bool inst_attr_in_place(Context *ctx, const Inst *inst, int attr);

#endif
