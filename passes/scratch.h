/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that a pass needs only while it runs. */
#ifndef PASSES_SCRATCH_H
#define PASSES_SCRATCH_H

#include "ir/ir.h"

typedef struct Scratch {
    Arena whole; /* for as long as the pass runs */
    Arena step;  /* for one function: rewound to `start` after it */
    ArenaMark start;
    Context *ctx;
    jmp_buf oom, *outer;
} Scratch;

/* Calls `run`, then frees both arenas. When memory runs out in them or in the context's arena,
 * they are freed before the caller's handler runs. */
void scratch_run(Context *ctx, void (*run)(Scratch *s, void *arg), void *arg);
/* Frees what was allocated in `step`. */
void scratch_rewind(Scratch *s);

#endif
