/* SPDX-License-Identifier: Apache-2.0 */
/* matrix.c - runs the cases of all lines on one core. */
#include "context.h"
#include "isa.h"

#include <stdlib.h>

/* Fewer cases than this of a line and its element types count as none. */
enum { LEAST_CASES = 8 };

static const int64_t space_bytes[PTRT_SPACES] = {
    [PTRT_GM] = 1 << 19,  [PTRT_MAT] = 1 << 18, [PTRT_LEFT] = 1 << 17, [PTRT_RIGHT] = 1 << 17,
    [PTRT_ACC] = 1 << 18, [PTRT_VEC] = 1 << 19, [PTRT_BIAS] = 1 << 15, [PTRT_SCALING] = 1 << 16,
};

static int run_ordinary(Case *c, const Run *run) {
    int made = 0;
    int first = run->number >= 0 ? run->number : 0;
    int last = run->number >= 0 ? run->number : run->cases - 1;
    for (int i = first; i <= last; i++) {
        c->number = (unsigned)i;
        if (!build_case(c)) continue;
        made++;
        judge_case(c);
    }
    return made;
}

static void run_exhaustive(Case *c) {
    c->number = 0;
    if (!line_args(c)) return;
    int n = exhaustive_cases(c);
    for (int i = 0; i < n; i++)
        if (build_exhaustive(c, i)) judge_case(c);
}

/* Every entry of the table must be computed, and be tested. */
static void check_entry(const Case *c, int made) {
    Run *run = c->ctx->run;
    const char *second = c->e2 >= 0 ? elem_text(c->e2) : "";
    for (int i = 0; i < run->passes.n; i++) {
        const char *level = run->passes.pass[i].level;
        if (ptrt_kernel_find(c->kernel, c->e1, c->e2 >= 0 ? c->e2 : ELEM_ANY, level) != NULL)
            continue;
        fprintf(stderr, "%s %s %s has no body at %s\n", c->line->id, elem_text(c->e1), second,
                level);
        run->bad++;
    }
    if (made >= LEAST_CASES || made == run->cases) return;
    if (!run->quiet)
        fprintf(stderr, "%s %s %s: only %d of %d cases could be made\n", c->line->id,
                elem_text(c->e1), second, made, run->cases);
    run->bad++;
}

static void run_types(Case *c) {
    const Run *run = c->ctx->run;
    int made = run_ordinary(c, run);
    if (run->number >= 0) return;
    run_hostile(c);
    if (run->exhaustive) run_exhaustive(c);
    check_entry(c, made);
}

static void run_line(Context *ctx, const Line *line) {
    const Run *run = ctx->run;
    Case *c = malloc(sizeof *c);
    for (int t = 0; c != NULL && t < line->ntypes; t++) {
        int e1 = line->types[t].e1, e2 = line->types[t].e2 == ELEM_ANY ? -1 : line->types[t].e2;
        if (run->e1 >= 0 && (run->e1 != e1 || run->e2 != e2)) continue;
        *c = (Case){.line = line, .kernel = line->kernel, .e1 = e1, .e2 = e2, .ctx = ctx};
        run_types(c);
    }
    free(c);
}

static bool wanted(const Run *run, const Line *line) {
    return run->family == NULL || strcmp(run->family, line->formula->family) == 0;
}

static int run_lines(ptrt_core *core, void *arg) {
    Context *ctx = arg;
    const Line *one = ctx->run->line;
    ctx->core = core;
    if (!memory_open(ctx)) return PTRT_E_NOMEM;
    use_pass(ctx, &ctx->run->passes.pass[0]);
    samples_make(ctx);
    if (one != NULL) run_line(ctx, one);
    for (int l = 0; l < nlines && one == NULL; l++)
        if (wanted(ctx->run, &lines[l])) run_line(ctx, &lines[l]);
    ctx->run->complete = true;
    return PTRT_OK;
}

bool run_matrix(Run *run) {
    ptrt_kernel kernel = {
        .name = "oracle", .file = "oracle.pto", .vector = run_lines, .subblocks = 1};
    Context *ctx = calloc(1, sizeof *ctx);
    if (ctx == NULL || !memory_alloc(ctx, space_bytes)) return false;
    const Memory *gm = &ctx->memory[PTRT_GM];
    ctx->run = run;
    passes_make(&run->passes);
    if (run->passes.n == 0)
        fprintf(stderr, "this machine has not the level that PTORT_ISA names\n");
    for (int s = PTRT_MAT; s < PTRT_SPACES; s++)
        kernel.bytes[s] = (uint64_t)space_bytes[s];
    /* For checked mode. */
    if (ptrt_region_add(gm->mem, (uint64_t)gm->size) != PTRT_OK) return false;
    /* Its code is that of the first refused call, which a case may want. */
    if (run->passes.n > 0) (void)ptrt_launch(&kernel, 1, ctx);
    ptrt_region_clear();
    memory_free(ctx);
    free(ctx);
    return run->complete;
}
