/* SPDX-License-Identifier: Apache-2.0 */
/* The format in which calls.def has its texts, for the program of the build that packs them. */
#ifndef BACKENDS_CPP_CALL_FORMAT_H
#define BACKENDS_CPP_CALL_FORMAT_H

#include "backends/cpp/calls.h"

typedef struct CallPiece {
    CallPart part;
    const char *s; /* text, or the name without its mark */
    size_t n;
} CallPiece;

/* Reads the piece of a row's text at *at and moves *at after it. */
CallPiece call_next(const char **at);
/* The same for the next name or word of a row's `when`. */
CallPiece call_next_name(const char **at);
/* Returns the word of a name, or -1. */
int call_word(const char *s, size_t n);
/* Returns what is wrong with a row's `when` and `text`; NULL: nothing. */
const char *call_fault(const Inst *inst, const char *when, const char *text);

#endif
