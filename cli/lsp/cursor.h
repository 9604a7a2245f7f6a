/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what can be completed at a position of a text, whose statement may be incomplete. */
#ifndef CLI_LSP_CURSOR_H
#define CLI_LSP_CURSOR_H

#include "ir/insts.h"
#include <stdbool.h>
#include <stddef.h>

typedef enum CursorKind {
    CURSOR_NOTHING,    /* a comment, a string, a number */
    CURSOR_VALUE,      /* %x */
    CURSOR_FUNCTION,   /* @f */
    CURSOR_TYPE,       /* !pto.tile_buf */
    CURSOR_ATTRIBUTE,  /* #pto.layout */
    CURSOR_NAME,       /* an instruction, at the start of a statement */
    CURSOR_KEY,        /* a key in the dictionary of `inst` */
    CURSOR_KEY_VALUE,  /* the value of `attr` of `inst` */
    CURSOR_FAMILY,     /* #pto<round_mode RINT>: the first word */
    CURSOR_ENUM,       /* a word of the enumeration `family` */
    CURSOR_ENUMS,      /* a word of an enumeration attribute of `inst` */
    CURSOR_TILE_ENTRY, /* a key or space in a tile type */
    CURSOR_SPACE,      /* a memory space */
    CURSOR_ELEMENT,    /* an element type */
    CURSOR_CLAUSE      /* a word of the statement's format, or the type of a scalar */
} CursorKind;

/* The list of operands that the cursor is in. */
typedef enum Clause { CLAUSE_NONE, CLAUSE_INS, CLAUSE_OUTS } Clause;

typedef struct Cursor {
    CursorKind kind;
    size_t from;      /* start of the word at the cursor, including its marker */
    const Inst *inst; /* of the statement; NULL when unknown */
    const AttrInfo *attr;
    EnumFamily family;
    /* Of an operand in ins(...) or outs(...). */
    Clause clause;
    unsigned operand; /* how many are before it in the list */
    size_t name_end;  /* end of the name of the statement */
    size_t word;      /* start of `ins` or `outs` */
} Cursor;

Cursor cursor_find(const char *text, size_t offset);
/* Finds the operand at a position: `inst`, `clause` and `operand`. `inst` is NULL where no operand
 * can be: in another statement's name, in types, a comment or a string. */
Cursor cursor_operand(const char *text, size_t offset);
/* False in a comment or a string. */
bool cursor_in_code(const char *text, size_t offset);

#endif
