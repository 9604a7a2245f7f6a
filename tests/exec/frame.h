/* SPDX-License-Identifier: Apache-2.0 */
/* The frame that most execution tests put around one instruction: tiles at fixed addresses, seen
 * through two types each, so that the bytes outside the valid region can be preset and read back.
 */
#ifndef TESTS_EXEC_FRAME_H
#define TESTS_EXEC_FRAME_H

#include "elem.h"
#include "harness.h"

enum { FRAME_ROWS = 8, FRAME_COLS = 64 };

typedef struct Frame {
    const char *name;    /* of the function */
    const ElemType *src; /* element type of the source tile, NULL: no source */
    const ElemType *dst;
    int src_vrow, src_vcol; /* valid regions */
    int dst_vrow, dst_vcol;
    int pad;               /* key of the destination type */
    const char *params;    /* further parameters, each with a comma in front */
    const char *statement; /* uses %src : !s and %dst : !d; TYPES are spelt out by frame_types */
} Frame;

/* Adds `func.func @name(%in: ptr, %out: ptr PARAMS)`: loads the whole source and the whole
 * destination, runs the statement on the tiles with valid regions, stores the whole destination to
 * %out. In the statement `$s` and `$d` are replaced by the types of %src and %dst. */
void frame_add(Text *t, const Frame *f);

#endif
