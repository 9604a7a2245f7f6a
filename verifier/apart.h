/* Operands that may not share a byte: read off the rule rows, for what places tiles. */
#ifndef VERIFIER_APART_H
#define VERIFIER_APART_H

#include "verifier/rules.h"

/* Two operands of an instruction, by slot. */
typedef struct Apart {
    uint8_t a, b;
    ProfileSet profiles; /* whose rules say so */
} Apart;

enum { MOST_APART = 24 };
/* The pairs, each once, in the order of the rows; returns how many. What holds under a guard
 * counts: tiles are kept apart then too. */
unsigned inst_apart(const Inst *inst, Apart out[MOST_APART]);
/* The slots that some profile keeps apart from `dst`, one bit each. */
uint32_t slots_apart_from_dst(const Inst *inst);

#endif
