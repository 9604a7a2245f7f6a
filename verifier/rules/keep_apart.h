/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the operands of an instruction that must not overlap in memory, for the passes that place
 * tiles. */
#ifndef VERIFIER_RULES_KEEP_APART_H
#define VERIFIER_RULES_KEEP_APART_H

#include "ir/insts.h"

/* Two operands of an instruction, by slot. */
typedef struct Apart {
    uint8_t a, b;
    ProfileSet profiles; /* those whose rules forbid it */
} Apart;

enum { MOST_APART = 24 };
/* Writes each pair once, in the order of the rows, and returns their number. The guards of rows
 * are ignored. */
unsigned inst_apart(const Inst *inst, Apart out[MOST_APART]);
/* Returns the slots that must not overlap `dst` under some profile, one bit each. */
uint32_t slots_apart_from_dst(const Inst *inst);

#endif
