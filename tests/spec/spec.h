/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of the instruction facts with the tables: blocks and what is read out of their
 * lines, and what the tables allow. */
#ifndef SPEC_SPEC_H
#define SPEC_SPEC_H

#include "explain/example.h"

typedef enum Key { KEY_DTYPES, KEY_LOC, KEY_PIPE, KEY_OPERANDS, KEY_ATTRS, KEY_COUNT } Key;
extern const char *const key_names[KEY_COUNT];

enum { MAX_NAME = 48, MAX_LISTS = 16, MAX_OPERANDS = 16, MAX_BLOCKS = 400 };

typedef struct Facts {
    char name[MAX_NAME];
    char variant[MAX_NAME]; /* what stands in parentheses behind the name */
    int file;
    const char *line[KEY_COUNT]; /* NULL when the block has no such line; lines joined by '\n' */
    const Inst *inst;            /* NULL when there is no row */
    bool alias;                  /* the row has another name */
    unsigned by_width;           /* bytes of integer types that name a width, whatever the sign */
} Facts;

extern Facts blocks[MAX_BLOCKS];
extern int nblocks;
const Facts *block_find(const char *name, size_t n);

/* ---- read.c ---- */

/* What a dtypes or loc line says under one profile: per operand a set of element types or spaces,
 * and pairs of two operands. */
typedef struct Lists {
    bool stated, open;  /* open: some list is not restricted */
    const char *unread; /* where reading stopped; NULL = all was read */
    struct {
        char name[MAX_NAME]; /* slot, or "" for all of them */
        uint64_t set;
        bool given; /* some set was given */
    } list[MAX_LISTS];
    int n;
    bool paired;
    char left[MAX_NAME], right[MAX_NAME]; /* slots of the pairs */
    uint64_t pairs[64];                   /* by the left one */
} Lists;

void read_dtypes(const Facts *b, Profile profile, Lists *out);
void read_loc(const Facts *b, Profile profile, Lists *out);

typedef struct OperandFact {
    char name[MAX_NAME], kind[MAX_NAME];
    bool out, optional, scratch, result;
} OperandFact;
typedef struct OperandFacts {
    OperandFact op[MAX_OPERANDS];
    int n;
    const char *unread;
} OperandFacts;
void read_operands(const Facts *b, OperandFacts *out);
/* The text of a line, through `as pto.x`. */
const char *line_text(const Facts *b, Key key);

/* ---- attrs.c ---- */

/* What differs between an attrs line and a row, in words; NULL when nothing does. */
const char *compare_attrs(const Facts *b);

/* ---- allow.c ---- */

/* The element types with which `slot` of the instruction can be legal under a hardware profile, and
 * spaces likewise; `only` narrows other operands. */
typedef struct Narrow {
    int slot;
    uint64_t elems, spaces; /* 0 = any */
} Narrow;
bool allowed(const Inst *inst, Profile profile, const Narrow *narrow, int n);
/* False when a row says that the instruction is not in the hardware profile. */
bool exists(const Inst *inst, Profile profile);
/* Pairs of element types of this instruction are asked about: the answers are kept. */
void begin_pairs(const Inst *inst);
/* False when no program of the instruction can be searched for. */
bool searchable(const Inst *inst);
extern unsigned long searches;

/* All element types and all spaces that are compared. */
#define ALL_SPACES                                                                                 \
    (1u << SPACE_VEC | 1u << SPACE_MAT | 1u << SPACE_ACC | 1u << SPACE_LEFT | 1u << SPACE_RIGHT |  \
     1u << SPACE_BIAS | 1u << SPACE_SCALING)
uint64_t all_elems(void);

#endif
