/* Operands that may not share a byte, found from the rule rows; for passes that place tiles. */
#ifndef VERIFIER_APART_H
#define VERIFIER_APART_H

#include "verifier/rules.h"

/* Two operands of an instruction, by slot. */
typedef struct Apart {
    uint8_t a, b;
    ProfileSet profiles; /* those whose rules forbid it */
} Apart;

enum { MOST_APART = 24 };
/* The pairs, each once, in the order of the rows; returns how many. Rows with a guard are
 * included. */
unsigned inst_apart(const Inst *inst, Apart out[MOST_APART]);
/* The slots that some profile keeps apart from `dst`, one bit each. */
uint32_t slots_apart_from_dst(const Inst *inst);

#endif
