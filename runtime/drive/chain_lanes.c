/* SPDX-License-Identifier: Apache-2.0 */
/* chain_lanes.c - decides which jobs of a chain run together with their values in registers: runs
 * of elementwise jobs on f32, and conversions from and to it. A value is stored if its tile is
 * needed, or a job reads it that is not the next one. */
#include "drive/chain.h"
#include "kern/chain.h"

typedef struct lister {
    const ptrt_lanes *lanes;
    ptrt_chain_plan *plan;
    ptrt_chain_unit *unit;
    const unsigned char *held; /* what the registers hold: the f32 at this address; NULL: nothing */
    ptrdiff_t row;             /* bytes from row to row of these */
    bool full;                 /* there is no room for another step */
} lister;

static ptrt_body find(const ptrt_lanes *l, int kernel, enum ptrt_lane_form form, int elem) {
    for (size_t i = 0; i < l->nrows; i++)
        if (l->rows[i].kernel == kernel && l->rows[i].form == form && l->rows[i].elem == elem)
            return l->rows[i].fn;
    return NULL;
}

/* ---- jobs ---- */

static bool is_copy(const ptrt_chain_job *j) {
    return j->kind == PTRT_STEP_LOAD || j->kind == PTRT_STEP_STORE;
}

static enum ptrt_lane_form form_of(const ptrt_chain_job *j) {
    return j->kind == PTRT_STEP_MAP1                                     ? PTRT_LANE_ONE
           : j->kind == PTRT_STEP_MAPS || j->kind == PTRT_STEP_ROWEXPAND ? PTRT_LANE_SCALAR
                                                                         : PTRT_LANE_LEFT;
}

static enum ptrt_lane_form store_form(const ptrt_chain_job *j) {
    const bool open = j->kind == PTRT_STEP_CVT && (j->how & PTRT_UNCLAMPED) != 0;
    return open ? PTRT_LANE_STORE_OPEN : PTRT_LANE_STORE;
}

/* Whether the job can run on values in registers. */
static bool suits(const ptrt_lanes *l, const ptrt_chain_job *j) {
    if (j->column || j->kind == PTRT_STEP_ROWREDUCE) return false;
    if (is_copy(j)) return j->elem == PTRT_F32;
    if (j->kind != PTRT_STEP_CVT)
        return j->elem == PTRT_F32 && find(l, j->kernel, form_of(j), PTRT_F32) != NULL;
    if (j->to == PTRT_F32) return find(l, PTRT_NO_KERNEL, PTRT_LANE_LOAD, j->elem) != NULL;
    return j->elem == PTRT_F32 && (j->how & 7) == PTRT_RINT &&
           find(l, PTRT_NO_KERNEL, store_form(j), j->to) != NULL;
}

static bool is_narrowing(const ptrt_chain_job *j) {
    return j->kind == PTRT_STEP_CVT && j->to != PTRT_F32;
}

/* Whether what job i writes must be in memory. `end` is the end of the run of jobs. */
static bool is_needed(const ptrt_chain_plan *p, unsigned i, unsigned end) {
    const ptrt_chain_job *j = &p->jobs[i];
    const unsigned char *d = j->at[j->n - 1];
    if (!j->scratch || is_narrowing(j)) return true;
    for (unsigned k = i + 1; k < p->njobs; k++) {
        const ptrt_chain_job *other = &p->jobs[k];
        for (unsigned s = 0; s + 1u < other->n; s++)
            if (other->at[s] == d && (k != i + 1 || k >= end)) return true;
        if (other->at[other->n - 1] == d) return false;
    }
    return false;
}

/* ---- steps ---- */

static void put(lister *l, ptrt_body fn, const ptrt_chain_job *j, unsigned operand, bool memory) {
    ptrt_chain_plan *p = l->plan;
    l->full |= p->nlanes == PTRT_CHAIN_LANES || fn == NULL;
    if (l->full) return;

    p->lanes[p->nlanes++] = (ptrt_chain_lane){.fn = fn,
                                              .at = j->at[operand],
                                              .row = j->row[operand],
                                              .next = j->next[operand],
                                              .view = j->view[operand],
                                              .memory = memory};
    l->unit->nlanes++;
}

static void note_held(lister *l, const ptrt_chain_job *j, unsigned operand) {
    l->held = j->at[operand];
    l->row = j->row[operand];
}

static bool is_held(const lister *l, const ptrt_chain_job *j, unsigned operand) {
    return l->held == j->at[operand] && l->row == j->row[operand];
}

/* Makes the registers hold an operand. */
static void hold(lister *l, const ptrt_chain_job *j, unsigned operand, int elem) {
    if (elem == PTRT_F32 && is_held(l, j, operand)) return;
    put(l, find(l->lanes, PTRT_NO_KERNEL, PTRT_LANE_LOAD, elem), j, operand, true);
    l->held = NULL;
    if (elem == PTRT_F32) note_held(l, j, operand);
}

/* Adds what a job computes from one operand in registers and another one. */
static void compute(lister *l, ptrt_chain_job *j) {
    const bool both = form_of(j) == PTRT_LANE_LEFT && j->kind == PTRT_STEP_MAP2;
    const bool same = j->at[0] == j->at[1] && j->row[0] == j->row[1];
    if (both && !same && is_held(l, j, 1)) {
        put(l, find(l->lanes, j->kernel, PTRT_LANE_RIGHT, PTRT_F32), j, 0, true);
        return;
    }
    hold(l, j, 0, PTRT_F32);
    if (both && same) {
        put(l, find(l->lanes, j->kernel, PTRT_LANE_SELF, PTRT_F32), j, 0, false);
        return;
    }
    put(l, find(l->lanes, j->kernel, form_of(j), PTRT_F32), j, j->n > 2 ? 1 : 0,
        form_of(j) == PTRT_LANE_LEFT);
    if (j->kind == PTRT_STEP_MAPS && !l->full) {
        ptrt_chain_lane *lane = &l->plan->lanes[l->plan->nlanes - 1];
        *lane = (ptrt_chain_lane){.fn = lane->fn, .at = (unsigned char *)&j->k};
    }
}

static void add_job(lister *l, unsigned i, unsigned end) {
    ptrt_chain_job *j = &l->plan->jobs[i];
    const unsigned last = j->n - 1u;
    if (is_copy(j) || j->kind == PTRT_STEP_CVT)
        hold(l, j, 0, j->elem);
    else
        compute(l, j);
    if (is_needed(l->plan, i, end))
        put(l,
            find(l->lanes, PTRT_NO_KERNEL, store_form(j),
                 j->kind == PTRT_STEP_CVT ? j->to : PTRT_F32),
            j, last, true);
    l->held = NULL;
    if (!is_narrowing(j)) note_held(l, j, last);
}

/* Whether the steps take less time than the jobs. A step costs some three cycles for each group
 * beside what it does, of which it saves the loads and stores that a job would need. */
enum { STEP_COST = 3, ROW_COST = 2, VECTORS = 8 };

static bool pays(const ptrt_lanes *lanes, const ptrt_chain_plan *p, const ptrt_chain_unit *u) {
    int saved = 0;
    bool flat = true;
    for (unsigned i = u->job; i < u->job + u->n; i++) {
        const ptrt_chain_job *j = &p->jobs[i];
        saved += j->kind == PTRT_STEP_MAP2 || j->kind == PTRT_STEP_COLEXPAND ? 3 : 2;
        flat &= j->flat;
    }
    for (unsigned i = u->lane; i < u->lane + u->nlanes; i++)
        saved -= p->lanes[i].memory;
    const int groups = flat ? VECTORS : (int)((size_t)p->cols / lanes->group);
    return (saved * VECTORS - STEP_COST * (u->nlanes + 2)) * groups >
           (flat ? 0 : ROW_COST * u->nlanes);
}

static ptrt_body both(const ptrt_lanes *l, ptrt_body first, ptrt_body second) {
    for (size_t i = 0; i < l->npairs; i++)
        if (l->pairs[i].first == first && l->pairs[i].second == second) return l->pairs[i].both;
    return NULL;
}

/* Joins steps in pairs. */
static void join(const ptrt_lanes *lanes, ptrt_chain_lane *steps, unsigned n) {
    for (unsigned i = 0; i + 1 < n; i++) {
        const ptrt_body fn = both(lanes, steps[i].fn, steps[i + 1].fn);
        if (fn == NULL) continue;
        steps[i++].fn = fn;
    }
}

/* Makes the steps of the jobs of a unit; false: there is no room, or they do not pay. */
static bool make_lanes(const ptrt_lanes *lanes, ptrt_chain_plan *p, ptrt_chain_unit *u) {
    const uint8_t before = p->nlanes;
    lister l = {.lanes = lanes, .plan = p, .unit = u};
    u->lane = p->nlanes;
    u->nlanes = 0;
    for (unsigned i = u->job; i < u->job + u->n; i++)
        add_job(&l, i, u->job + u->n);
    if (!l.full && pays(lanes, p, u)) {
        join(lanes, &p->lanes[u->lane], u->nlanes);
        return true;
    }
    p->nlanes = before;
    u->nlanes = 0;
    return false;
}

void ptrt_chain_list(ptrt_chain_plan *p, const ptrt_chain_unit *u) {
    for (unsigned i = 0; i < u->nlanes; i++)
        p->list[u->list + i].p = p->lanes[u->lane + i].at;
}

static void make_list(const ptrt_lanes *lanes, ptrt_chain_plan *p) {
    ptrt_lane *to = p->list;
    for (ptrt_chain_unit *u = p->units; u < p->units + p->nunits; u++) {
        u->list = (uint8_t)(to - p->list);
        for (unsigned i = u->lane; i < (unsigned)u->lane + u->nlanes; i++)
            *to++ = (ptrt_lane){p->lanes[i].fn, p->lanes[i].at, p->lanes[i].row};
        if (u->nlanes > 0) *to++ = (ptrt_lane){lanes->end, NULL, 0};
    }
}

/* Steps that leave nothing in scratch memory take all blocks at once, if no part of a row is left
 * for the jobs. */
static void join_blocks(const ptrt_lanes *lanes, ptrt_chain_plan *p) {
    const size_t row = (size_t)(p->units[0].flat ? p->rows * p->cols : p->cols);
    if (p->nunits != 1 || p->units[0].nlanes == 0 || row % lanes->group != 0) return;
    for (unsigned i = 0; i < p->nlanes; i++)
        if (p->scratch != NULL &&
            (uintptr_t)p->lanes[i].at - (uintptr_t)p->scratch < p->scratch_bytes)
            return;
    p->step = p->flat ? p->rows * p->cols : p->rows;
}

void ptrt_chain_group(const ptrt_lanes *lanes, ptrt_chain_plan *p) {
    const size_t row = p->flat ? (size_t)p->step : (size_t)p->cols;
    p->nunits = p->nlanes = 0;
    for (unsigned i = 0; i < p->njobs;) {
        ptrt_chain_unit *u = &p->units[p->nunits++];
        unsigned n = 0;
        *u = (ptrt_chain_unit){.job = (uint8_t)i, .n = 1, .flat = true};
        while (i + n < p->njobs && row >= lanes->group && suits(lanes, &p->jobs[i + n]))
            n++;
        if (n > 1) {
            u->n = (uint8_t)n;
            if (!make_lanes(lanes, p, u)) u->n = 1;
        }
        for (unsigned k = i; k < i + u->n; k++)
            u->flat &= p->jobs[k].flat;
        i += u->n;
    }
    make_list(lanes, p);
    join_blocks(lanes, p);
}
