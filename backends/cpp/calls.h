/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the vendor's C++ library that instructions become on the device (calls.def). */
#ifndef BACKENDS_CPP_CALLS_H
#define BACKENDS_CPP_CALLS_H

#include "ir/insts.h"
#include "support/arena.h"

typedef enum CallWord {
#define WORD(name, text, doc) CALL_WORD_##name,
#include "backends/cpp/words.def"
#undef WORD
    CALL_WORD_COUNT
} CallWord;

typedef enum CallPart {
    CALL_END,
    CALL_TEXT, /* C++ */
    CALL_ARG,  /* $x */
    CALL_TYPE, /* %x */
    CALL_WORD, /* @w */
    CALL_OPEN, /* the start of an optional part */
    CALL_CLOSE /* its end */
} CallPart;

/* A part of a row's text, or a name that its condition has. */
typedef struct CallToken {
    uint8_t part;               /* CallPart */
    uint8_t slot, attr, result; /* one more than the index of each that has the name; 0: none */
    uint16_t at;                /* CALL_TEXT: offset in call_texts; CALL_WORD: the CallWord */
    uint16_t n; /* CALL_TEXT: its size; CALL_OPEN: how many tokens its end is away */
} CallToken;

/* The enumerators of an enumeration of the language (enums.def). */
typedef struct CallEnum {
    uint16_t prefix; /* offset of the text before each, in call_texts */
    uint16_t first;  /* in call_enumerators, by the values of the language */
    uint8_t n;       /* 0: it has none */
    bool optional;   /* the first one is the default, which is left out */
} CallEnum;

/* A row of calls.def. */
typedef struct CallRow {
    uint16_t inst;    /* InstId */
    uint8_t profiles; /* ProfileSet */
    bool none;        /* the device has no call: `text` is the offset of the reason in call_texts */
    uint16_t when, text; /* first of call_tokens, to CALL_END */
} CallRow;

extern const CallRow call_rows[]; /* sorted by instruction, in the order of calls.def */
extern const unsigned call_row_count;
extern const CallToken call_tokens[];
extern const char call_texts[];
extern const CallEnum call_enums[EF_COUNT];
extern const uint16_t call_enumerators[]; /* offsets in call_texts */
extern const char *const call_names[];    /* of the C++ in the texts, sorted; see call_has_name() */
extern const unsigned call_name_count;

/* Returns the first row of an instruction, NULL: it has none; *n is how many follow each other. */
const CallRow *call_first(const Inst *inst, unsigned *n);
/* Returns the calls of an instruction on a device in the words of explain: alternatives separated
 * by commas, optional parts in brackets, or `none: ` and the reason; NULL: it needs no call. */
const char *call_shown(const Inst *inst, Profile profile, Arena *arena);

/* Whether the C++ of some call, on any device, has the name, not as a member and not qualified. */
bool call_has_name(const char *name);

#endif
