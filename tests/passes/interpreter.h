/* SPDX-License-Identifier: Apache-2.0 */
/* Runs programs of tile instructions with hashes for contents: in the SSA form, where each
 * execution of an instruction makes storage of its own, and in the DPS form, planned, where a tile
 * is an address and reading it gives what was written there last. Each instruction notes a hash of
 * what it reads: two runs with the same notes compute the same.
 *
 * Loops and branches go where a hash of their place and of the count of decisions says, which is
 * the same in both runs; so do constants of type i1, each time that they are executed. */
#ifndef TESTS_PASSES_INTERPRETER_H
#define TESTS_PASSES_INTERPRETER_H

#include "program.h"

enum { MACHINE_ROW = 512 }; /* bytes that are looked at as one: windows begin at a multiple */

typedef struct MachineRun {
    const uint64_t *trace;
    uint32_t n;
} MachineRun;

/* Runs the first function; `plan` NULL: results have storage of their own. The notes of run number
 * `which`, 0 to 2, are kept until its next one. */
MachineRun machine_run(Program *p, const Plan *plan, Profile profile, int which);
bool machine_same(MachineRun a, MachineRun b);

#endif
