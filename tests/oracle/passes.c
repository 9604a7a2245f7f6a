/* SPDX-License-Identifier: Apache-2.0 */
/* passes.c - the ways in which the call of a case is made: at every instruction-set level of this
 * machine, and in checked mode. */
#include "context.h"

#include "core/core.h"

#include <stdlib.h>

static const char *const levels[] = {
#if defined(__x86_64__)
    "v2",
    "v3",
    "v4",
#else
    "base",
#endif
};
enum { LEVELS = sizeof levels / sizeof *levels };
_Static_assert(sizeof levels / sizeof *levels < MOST_PASSES,
               "each level, and one of them in checked mode too");

static ptrt_bodies tables[LEVELS];
static ptrt_body pages[LEVELS][PTRT_KERNELS][PTRT_ANY + 1][PTRT_ANY + 1];

static void add_pass(Passes *p, int level, bool checked) {
    p->pass[p->n++] = (Pass){levels[level], &tables[level], checked};
}

void passes_make(Passes *p) {
    const char *only = getenv("PTORT_ISA");
    p->n = 0;
    for (int i = 0; i < LEVELS; i++) {
        if (only != NULL && strcmp(only, levels[i]) != 0) continue;
        tables[i].pairs = pages[i];
        if (tables[i].level == NULL && !ptrt_isa_fill(&tables[i], levels[i])) continue;
        /* Checked mode changes no result; its code is the same on every level. */
        if (p->n == 0) add_pass(p, i, true);
        add_pass(p, i, false);
    }
}

void passes_text(const Passes *p, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < p->n && used < size; i++)
        if (!p->pass[i].checked)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? "," : "",
                                     p->pass[i].level);
}

void use_pass(Context *ctx, const Pass *pass) {
    ctx->pass = pass;
    ctx->core->bodies = pass->bodies;
    ctx->core->checked = pass->checked;
}
