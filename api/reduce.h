/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a reduction share: the text as it is now, and how a smaller one is tried. */
#ifndef API_REDUCE_H
#define API_REDUCE_H

#include "api/ptoasm.h"
#include "support/diag.h"

typedef struct Reduction {
    const char *name;
    ptoasm_options opt;
    ptoasm_interesting *interesting;
    void *arg;
    char *text; /* the smallest interesting program so far */
    size_t size;
    size_t tried;
    bool may[DIAG_COUNT + 1]; /* errors that the program had */
    bool nomem;
} Reduction;

/* Takes a text, which it frees; true when it is interesting, and now the program. */
bool reduce_attempt(Reduction *r, char *text, size_t size);

/* Remove runs of at most `most` lines; parameters that nothing uses; make numbers smaller. True
 * when something was. */
bool reduce_lines(Reduction *r, uint32_t most);
bool reduce_parameters(Reduction *r);
bool reduce_numbers(Reduction *r);

#endif
