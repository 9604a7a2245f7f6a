/* Checks the synchronisation of the functions of a module, and reports what it finds. */
#ifndef ANALYSIS_CHECK_SYNC_H
#define ANALYSIS_CHECK_SYNC_H

#include "ir/ir.h"

typedef struct SyncOptions {
    ProfileSet profiles;
    bool all;    /* also functions that have no flag, event or buffer */
    bool strict; /* also report what only practice promises */
} SyncOptions;

/* Adds diagnostics to the context of a legal module of level 3; the profile cpu has no pipes. True
 * when there was no error. */
bool check_sync(Module *m, const SyncOptions *opt);

#endif
