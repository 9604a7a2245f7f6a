/* SPDX-License-Identifier: Apache-2.0 */
/* chain.c - driver of chains: statements over one region, which go through all bodies block by
 * block, so that what one writes is still in the nearest cache when the next one reads it. A chain
 * of which anything is unusual runs statement by statement. */
#include "drive/chain.h"
#include "drive/window.h"
#include "kern/chain.h"

#include <stdlib.h>

/* ---- statement by statement ---- */

static int run_step(const ptrt_chain_call *c, const ptrt_step *s, const ptrt_number *number) {
    ptrt_core *core = c->core;
    const ptrt_tile *const *tile = c->tile;
    const uint8_t *at = s->at;
    const uint32_t line = s->line;
    const int kernel = s->kernel;
    switch ((enum ptrt_step_kind)s->kind) {
    case PTRT_STEP_MAP1:
        return ptrt_map1(core, line, kernel, tile[at[0]], tile[at[1]]);
    case PTRT_STEP_MAP2:
        return ptrt_map2(core, line, kernel, tile[at[0]], tile[at[1]], tile[at[2]]);
    case PTRT_STEP_MAPS:
        return s->how[0]
                   ? ptrt_maps_f(core, line, kernel, tile[at[0]], number[s->number].f, tile[at[1]])
                   : ptrt_maps_i(core, line, kernel, tile[at[0]], number[s->number].i, tile[at[1]]);
    case PTRT_STEP_CVT:
        return ptrt_cvt(core, line, kernel, tile[at[0]], tile[at[1]], s->how[0], s->how[1],
                        s->how[2]);
    case PTRT_STEP_ROWEXPAND:
        return ptrt_rowexpand(core, line, kernel, tile[at[0]], tile[at[1]], tile[at[2]]);
    case PTRT_STEP_COLEXPAND:
        return ptrt_colexpand(core, line, kernel, tile[at[0]], tile[at[1]], tile[at[2]]);
    case PTRT_STEP_ROWREDUCE:
        return ptrt_rowreduce(core, line, kernel, tile[at[0]], tile[at[1]]);
    case PTRT_STEP_LOAD:
        return ptrt_load(core, line, kernel, c->view[at[0]], tile[at[1]]);
    case PTRT_STEP_STORE:
        return ptrt_store(core, line, kernel, tile[at[0]], c->view[at[1]]);
    }
    return PTRT_OK;
}

static __attribute__((noinline)) int run_steps(const ptrt_chain_call *c,
                                               const ptrt_number *numbers) {
    int code = PTRT_OK;
    for (unsigned i = 0; i < c->chain->nsteps && code == PTRT_OK; i++)
        code = run_step(c, &c->chain->steps[i], numbers);
    return code;
}

/* ---- block by block ---- */

/* The part of the region that a call goes over. */
typedef struct part {
    ptrdiff_t block; /* blocks before */
    size_t n;        /* rows; in a flat chain elements */
    size_t cols;     /* elements of a row; in a flat chain 1 */
    size_t from; /* the first elements, of each row or, if rows have no gaps, of all, are done */
    bool last;
} part;

static inline unsigned char *operand_at(const ptrt_chain_job *j, unsigned i, const part *w) {
    return j->at[i] + w->block * j->next[i] + w->from * j->size[i];
}

static inline void run_job(const ptrt_chain_job *j, const part *w, bool flat) {
    const size_t rows = flat | j->column ? 1 : w->n;
    const size_t cols = (j->column ? w->n + (w->last ? j->more : 0)
                         : flat    ? w->n * w->cols
                                   : w->cols) -
                        w->from;
    unsigned char *const p = operand_at(j, 0, w), *const q = operand_at(j, 1, w);
    switch ((enum ptrt_step_kind)j->kind) {
    case PTRT_STEP_MAP1:
    case PTRT_STEP_LOAD:
    case PTRT_STEP_STORE:
        ((ptrt_map1_fn)j->body)(q, p, rows, cols, j->ld[0], j->ld[1]);
        break;
    case PTRT_STEP_MAP2:
    case PTRT_STEP_COLEXPAND:
        ((ptrt_map2_fn)j->body)(operand_at(j, 2, w), p, q, rows, cols, j->ld);
        break;
    case PTRT_STEP_MAPS:
        ((ptrt_maps_fn)j->body)(q, p, &j->k, rows, cols, j->ld[0], j->ld[1], 0);
        break;
    case PTRT_STEP_ROWEXPAND:
        ((ptrt_maps_fn)j->body)(operand_at(j, 2, w), p, q, rows, cols, j->ld[0], j->ld[1],
                                j->ld[2]);
        break;
    case PTRT_STEP_CVT:
    case PTRT_STEP_ROWREDUCE: {
        ptrt_args x;
        unsigned how = j->how;
        ptrt_args_init(&x, (int64_t)rows, (int64_t)cols, NULL, &how);
        x.p[0] = p;
        x.p[1] = q;
        x.ld[0] = j->ld[1];
        x.ld[1] = j->ld[0];
        ((ptrt_args_fn)j->body)(&x);
    }
    }
}

/* Runs jobs with their values in registers, and what is left of rows one after the other. */
static void run_together(const ptrt_lanes *lanes, ptrt_chain_plan *p, const ptrt_chain_unit *u,
                         const part *w) {
    ptrt_lane *list = &p->list[u->list];
    const ptrt_chain_lane *steps = &p->lanes[u->lane];
    const size_t rows = u->flat ? 1 : w->n, cols = u->flat ? w->n * w->cols : w->cols;
    part rest = *w;
    if (w->block > 0)
        for (unsigned i = 0; i < u->nlanes; i++)
            list[i].p = steps[i].at + w->block * steps[i].next;
    rest.from = cols - cols % lanes->group;
    lanes->run(list, u->nlanes, rows, rest.from);
    if (w->last && (w->block > 0 || rows > 1)) ptrt_chain_list(p, u);
    if (rest.from == cols) return;
    for (unsigned i = u->job; i < u->job + u->n; i++)
        run_job(&p->jobs[i], &rest, u->flat);
}

static void run_units(const ptrt_core *core, ptrt_chain_plan *p) {
    const ptrt_lanes *lanes = core->bodies->level->lanes;
    const int64_t total = p->flat ? p->rows * p->cols : p->rows;
    part w = {.cols = p->flat ? 1 : (size_t)p->cols};
    for (int64_t left = total; left > 0; left -= p->step, w.block++) {
        w.last = left <= p->step;
        w.n = (size_t)(w.last ? left : p->step);
        for (unsigned i = 0; i < p->nunits; i++) {
            const ptrt_chain_unit *u = &p->units[i];
            if (u->nlanes > 0)
                run_together(lanes, p, u, &w);
            else
                run_job(&p->jobs[u->job], &w, p->jobs[u->job].flat);
        }
    }
}

/* ---- plans ---- */

/* A thread keeps the plans of its last chains. */
enum { PLANS = 16 };
struct ptrt_chains {
    ptrt_chain_plan plans[PLANS];
};

/* Returns the place for the plan of a chain; NULL: no memory. */
static ptrt_chain_plan *place_of(const ptrt_chain *chain) {
    ptrt_thread *thread = ptrt_thread_get();
    if (!thread) return NULL;
    if (!thread->chains) thread->chains = calloc(1, sizeof *thread->chains);
    const uint64_t mixed = (uint64_t)(uintptr_t)chain * UINT64_C(0x9E3779B97F4A7C15);
    return thread->chains ? &thread->chains->plans[mixed >> 60] : NULL;
}

static void set_numbers(ptrt_chain_plan *p, const ptrt_number *number) {
    for (unsigned i = 0; i < p->njobs; i++) {
        ptrt_chain_job *j = &p->jobs[i];
        if (j->kind != PTRT_STEP_MAPS) continue;
        j->k = (ptrt_bits){0};
        if (j->how != 0)
            (void)ptrt_float_bits(j->elem, number[j->number].f, &j->k);
        else
            (void)ptrt_int_bits(j->elem, number[j->number].i, &j->k);
    }
}

/* In checked mode windows must lie in registered regions. */
static int check_windows(const ptrt_chain_call *c) {
    for (unsigned i = 0; i < c->chain->nsteps; i++) {
        const ptrt_step *s = &c->chain->steps[i];
        const bool load = s->kind == PTRT_STEP_LOAD;
        if (!load && s->kind != PTRT_STEP_STORE) continue;
        const ptrt_view *v = c->view[s->at[load ? 0 : 1]];
        ptrt_window window;
        ptrt_window_of_view(v, &window);
        const int code = ptrt_check_window(c->core, s->line, s->kernel, v, &window,
                                           c->tile[s->at[load ? 1 : 0]]);
        if (code != PTRT_OK) return code;
    }
    return PTRT_OK;
}

int ptrt_chain_run(ptrt_core *core, const ptrt_chain *chain, const ptrt_tile *const *tiles,
                   const ptrt_view *const *views, const ptrt_number *numbers) {
    const ptrt_chain_call c = {core, chain, tiles, views};
    ptrt_chain_plan *plan = core->hook == NULL ? place_of(chain) : NULL;
    if (plan == NULL) return run_steps(&c, numbers);
    if (!ptrt_chain_holds(&c, plan) && !ptrt_chain_make(&c, plan)) return run_steps(&c, numbers);
    if (chain->nviews > 0 && core->checked) {
        const int code = check_windows(&c);
        if (code != PTRT_OK) return code;
    }
    if (numbers != NULL) set_numbers(plan, numbers);
    run_units(core, plan);
    return PTRT_OK;
}
