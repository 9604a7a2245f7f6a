/* What can be written at a place of a text that may be half a statement. */
#ifndef CLI_LSP_CURSOR_H
#define CLI_LSP_CURSOR_H

#include "ir/inst.h"
#include <stddef.h>

typedef enum CursorKind {
    CURSOR_NOTHING,    /* a comment, a string, a number */
    CURSOR_VALUE,      /* %x */
    CURSOR_FUNCTION,   /* @f */
    CURSOR_TYPE,       /* !pto.tile_buf */
    CURSOR_ATTRIBUTE,  /* #pto.layout */
    CURSOR_NAME,       /* of an instruction, at the begin of a statement */
    CURSOR_KEY,        /* of the dictionary of `inst` */
    CURSOR_KEY_VALUE,  /* the value of `attr` of `inst` */
    CURSOR_FAMILY,     /* #pto<round_mode RINT>: the first word */
    CURSOR_ENUM,       /* a word of `family` */
    CURSOR_ENUMS,      /* a word of an attribute of `inst` that is written in place */
    CURSOR_TILE_ENTRY, /* a key or a space in a tile type */
    CURSOR_SPACE,      /* a memory space */
    CURSOR_ELEMENT,    /* an element type */
    CURSOR_CLAUSE      /* a word of the statement, or the type of a scalar */
} CursorKind;

typedef struct Cursor {
    CursorKind kind;
    size_t from;      /* where the word begins that the cursor is in or after, with its marker */
    const Inst *inst; /* of the statement; NULL when it is not known */
    const AttrInfo *attr;
    EnumFamily family;
} Cursor;

Cursor cursor_find(const char *text, size_t offset);

#endif
