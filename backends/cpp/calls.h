/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the vendor's C++ library that instructions become on the device (calls.def), and the
 * format that their texts have. */
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

/* A row of calls.def; the texts are offsets into call_texts. */
typedef struct CallRow {
    uint16_t inst;    /* InstId */
    uint8_t profiles; /* ProfileSet */
    bool none;        /* `text` is the reason why the device has no call */
    uint16_t when, text;
} CallRow;

extern const CallRow call_rows[]; /* sorted by instruction, in the order of calls.def */
extern const unsigned call_row_count;
extern const char call_texts[];
extern const char *const call_names[]; /* of the C++ in the texts, sorted; see call_has_name() */
extern const unsigned call_name_count;

/* ---- the format ---- */

typedef enum CallPart {
    CALL_END,
    CALL_TEXT, /* C++ */
    CALL_ARG,  /* $x */
    CALL_TYPE, /* %x */
    CALL_WORD, /* @w */
    CALL_OPEN, /* the start of an optional part */
    CALL_CLOSE /* its end */
} CallPart;

typedef struct CallToken {
    CallPart part;
    const char *s; /* text, or the name without its mark */
    size_t n;
} CallToken;

/* Reads the token at *at and moves *at after it. */
CallToken call_next(const char **at);
/* Returns the word of a name, or -1. */
int call_word(const char *s, size_t n);
/* Returns what is wrong with a row's `when` and `text`; NULL: nothing. */
const char *call_fault(const Inst *inst, const char *when, const char *text);

/* ---- the rows ---- */

/* Returns the first row of an instruction, NULL: it has none; *n is how many follow each other. */
const CallRow *call_first(const Inst *inst, unsigned *n);
/* Returns the calls of an instruction on a device in the words of explain: alternatives separated
 * by commas, optional parts in brackets, or `none: ` and the reason; NULL: it needs no call. */
const char *call_shown(const Inst *inst, Profile profile, Arena *arena);

/* Whether the C++ of some call, on any device, has the name, not as a member and not qualified. */
bool call_has_name(const char *name);

#endif
