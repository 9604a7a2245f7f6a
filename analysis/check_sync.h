/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the synchronisation of the functions of a module, and reports what it finds. */
#ifndef ANALYSIS_CHECK_SYNC_H
#define ANALYSIS_CHECK_SYNC_H

#include "analysis/blocks.h"

typedef enum SyncState {
    SYNC_PROVED,
    SYNC_FOUND,       /* there are findings */
    SYNC_UNKNOWN,     /* something is not understood */
    SYNC_UNJUDGED,    /* no flag, event or buffer in the text */
    SYNC_WHERE_CALLED /* its statements are taken where it is called */
} SyncState;

/* What the proof says about a function. */
typedef struct SyncRow {
    struct SyncRow *next;
    const Op *func;
    SyncState state;
    unsigned findings;
    unsigned assumed;                /* ASSUMED_.. of analysis/number.h */
    bool across;                     /* it meets other cores: */
    const struct CoreLaunch *launch; /* what is proved of them; NULL: nothing was tried */
    BlocksVerdict blocks; /* of a chip on which they are not disjoint, else of the last one */
    const char *why;      /* what is not understood, or NULL */
    const Op *unknown;    /* the statement, or NULL */
} SyncRow;

/* In the order of the text; starts as {NULL, &first}. */
typedef struct SyncRows {
    SyncRow *first, **last;
} SyncRows;

typedef struct SyncOptions {
    ProfileSet profiles;
    bool all;       /* also functions that have no flag, event or buffer */
    bool strict;    /* also report what only practice promises */
    bool redundant; /* also note flags and barriers that the proof does without */
    bool between;   /* also prove what the cores of a block do to each other */
    bool waits;     /* only whether the cores of a block end; addresses may be missing */
    SyncRows *rows; /* gets a row for each function with a body; NULL: not wanted */
} SyncOptions;

/* Adds diagnostics to the context of a legal module, of level 3 unless only waits are judged; the
 * profile cpu has no pipes. True when there was no error. */
bool check_sync(Module *m, const SyncOptions *opt);

#endif
