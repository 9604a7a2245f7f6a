/* SPDX-License-Identifier: Apache-2.0 */
/* chain_plan.c - decides whether the steps of a chain may go over their operands block by block,
 * and which bodies that calls on which memory. What the emitter knows of the operands is checked
 * here again, so that nothing depends on it. */
#include "drive/chain.h"

enum {
    CACHE = 20 << 10, /* bytes of the nearest cache that all operands of a block may take */
    WHOLE_MOST = 32 << 10,
    BLOCK_LEAST = 1 << 10,
    BLOCK_MOST = 4 << 10, /* bytes of one operand */
    LINE = 64,            /* blocks of elements are so many, and scratch tiles so many bytes apart:
                             a multiple of a page apart they would share sets of the cache */
    KEY_ELEM = 31
};

const ptrt_chain_letters ptrt_chain_letters_of[] = {
#define CHAINS(id, driver, operands) [PTRT_STEP_##id] = {operands, sizeof operands - 1},
#include "ptort_kernels.def"
};

/* Where the elements of an operand are: rows of contiguous elements, ld elements apart. */
typedef struct spot {
    unsigned char *at;
    ptrdiff_t ld;
    bool moves;   /* each block has its own rows; else all use the same memory */
    uint8_t view; /* it is memory of this view, plus one */
} spot;

typedef struct maker {
    const ptrt_chain_call *c;
    ptrt_chain_plan *plan;
    spot homes[PTRT_CHAIN_TILES]; /* memory of tiles */
    spot spots[PTRT_CHAIN_TILES]; /* where their elements are after the steps before */
    uint8_t
        stores[PTRT_CHAIN_STEPS]; /* the view, plus one, that a step writes in place of a tile */
} maker;

static bool is_dead(const ptrt_chain *c, unsigned tile) {
    return (c->dead >> tile & 1) != 0;
}

/* ---- operands: all that is asked of a tile is in its key ---- */

/* Also for a single line of a tile in another order. */
static bool is_row_major(const ptrt_tile *t) {
    return (ptrt_order(t) & 1) == 0 && t->slayout == PTRT_NONE_BOX;
}

/* Returns the elements from row to row of the valid region of a tile without boxes. */
static ptrdiff_t pitch_of(const ptrt_tile *t) {
    return t->n != 0 ? (ptrdiff_t)t->vcol : t->ld[0];
}

/* Whether the tile has one element for each row of the region. */
static bool is_column(const ptrt_chain_plan *p, const ptrt_tile *t) {
    return t->slayout == PTRT_NONE_BOX && t->vcol == 1 && t->vrow >= p->rows &&
           (t->n != 0 || is_row_major(t));
}

/* The same of a step about columns, of which its tiles may have more. */
static bool is_list(const ptrt_chain_plan *p, const ptrt_tile *t) {
    return t->slayout == PTRT_NONE_BOX && t->n >= p->rows && (t->vrow == 1 || t->vcol == 1);
}

static bool is_row(const ptrt_chain_plan *p, const ptrt_tile *t) {
    return t->vcol >= p->cols && is_row_major(t);
}

static bool is_full(const ptrt_chain_plan *p, const ptrt_tile *t) {
    return t->vrow == p->rows && t->vcol == p->cols;
}

static bool suits(const ptrt_chain_plan *p, const ptrt_tile *t, uint8_t letter, bool list) {
    return list            ? is_list(p, t)
           : letter == 'f' ? is_full(p, t)
           : letter == 'r' ? is_row(p, t)
                           : is_column(p, t);
}

/* Notes how a step uses a tile. Returns false when the chain cannot use it so. */
static bool see_tile(maker *m, unsigned i, uint8_t letter, bool column, bool written) {
    const ptrt_tile *t = m->c->tile[i];
    ptrt_chain_range *r = &m->plan->tiles[i];
    const bool list = column && letter == 'f';
    const uint8_t role = list ? 'c' : letter;
    r->written |= written;
    if (t->key == 0 || !suits(m->plan, t, letter, list)) return false;
    if (r->role != 0) return r->role == role;
    const ptrdiff_t ld = role == 'r' ? 0 : list ? 1 : pitch_of(t);
    const ptrdiff_t size = (ptrdiff_t)ptrt_elem_size(t->elem);
    const uintptr_t elements =
        t->n != 0 ? (uintptr_t)t->n
                  : (uintptr_t)(t->lines - 1) * (uintptr_t)t->ld[0] + (uintptr_t)t->length;
    r->role = role;
    r->size = (uint8_t)size;
    r->low = (uintptr_t)t->at;
    r->end = r->low + elements * (uintptr_t)size;
    r->pitch = ld * size;
    m->homes[i] = m->spots[i] = (spot){t->at, ld, role != 'r', 0};
    return true;
}

/* Whether the region is in the window of the view, whose memory may be anywhere. */
static bool is_window(const ptrt_chain_plan *p, const ptrt_view *v, int elem) {
    return v->plain != 0 && v->elem == elem && v->base && v->shape[3] >= p->rows &&
           v->shape[4] >= p->cols;
}

static int64_t stride_of(const ptrt_chain_plan *p, const ptrt_view *v) {
    return p->rows > 1 ? v->stride[3] : p->cols;
}

static bool see_view(maker *m, unsigned i, const ptrt_tile *t, bool written) {
    ptrt_chain_plan *p = m->plan;
    const ptrt_view *v = m->c->view[i];
    ptrt_chain_range *r = &p->views[i];
    /* A window that is loaded and stored would be read too late. */
    if (!is_window(p, v, t->elem) || (r->role != 0 && r->written != written)) return false;
    const int64_t stride = stride_of(p, v);
    if (stride < p->cols || stride > INT64_C(1) << 40) return false;
    r->role = 'g';
    r->elem = v->elem;
    r->size = (uint8_t)(1u << (v->plain - 1));
    r->low = (uintptr_t)v->base;
    r->end = r->low + ((uintptr_t)(p->rows - 1) * (uintptr_t)stride + (uintptr_t)p->cols) * r->size;
    r->pitch = (ptrdiff_t)stride * r->size;
    r->written |= written;
    p->loads |= !written;
    return true;
}

static bool see_step(maker *m, const ptrt_step *s) {
    const ptrt_chain_letters *letters = &ptrt_chain_letters_of[s->kind];
    for (unsigned i = 0; i < letters->n; i++) {
        const bool written = i + 1 == letters->n;
        const uint8_t letter = (uint8_t)letters->text[i];
        if (letter == 'g' ? !see_view(m, s->at[i], m->c->tile[s->at[i ^ 1]], written)
                          : !see_tile(m, s->at[i], letter, s->column, written))
            return false;
    }
    return true;
}

/* Returns the tile whose valid region the first step goes over that is not about columns. */
static const ptrt_tile *region_tile(const ptrt_chain_call *c) {
    for (unsigned i = 0; i < c->chain->nsteps; i++) {
        const ptrt_step *s = &c->chain->steps[i];
        if (!s->column) return c->tile[s->at[s->kind == PTRT_STEP_LOAD ? 1 : 0]];
    }
    return NULL;
}

/* ---- apart or the same ---- */

/* Two tiles of which one is written may have the same elements at the same addresses, or share no
 * byte: then a block of one is only ever read as the same block of another. With a window in global
 * memory, which may be read or written at another step, no byte is shared. A dead tile has no
 * bytes: the emitter knows that no other one of the chain is a view of it. */
static bool clash(const ptrt_chain_range *a, const ptrt_chain_range *b, bool global) {
    const bool same =
        a->low == b->low && a->pitch == b->pitch && a->size == b->size && a->role == b->role;
    return a->low < b->end && b->low < a->end && (a->written | b->written) && (global || !same);
}

static bool tiles_clash(const ptrt_chain_plan *p, const ptrt_chain *c) {
    for (unsigned i = 0; i < c->ntiles; i++)
        for (unsigned k = i + 1; k < c->ntiles; k++)
            if (!is_dead(c, i) && !is_dead(c, k) && clash(&p->tiles[i], &p->tiles[k], false))
                return true;
    return false;
}

static bool are_same(const ptrt_chain_range *a, const ptrt_chain_range *b) {
    return a->low == b->low && a->pitch == b->pitch && a->size == b->size;
}

/* Also finds windows that are the same memory, as of a kernel that works in place. Sets bits 1 << i
 * of *shared. */
static bool views_clash(const ptrt_chain_plan *p, const ptrt_chain *c, uint8_t *shared) {
    *shared = 0;
    for (unsigned i = 0; i < c->nviews; i++) {
        for (unsigned k = i + 1; k < c->nviews; k++) {
            if (!clash(&p->views[i], &p->views[k], true)) continue;
            if (!are_same(&p->views[i], &p->views[k])) return true;
            *shared |= (uint8_t)(1u << i | 1u << k);
        }
        for (unsigned k = 0; k < c->ntiles; k++)
            if (!is_dead(c, k) && clash(&p->views[i], &p->tiles[k], true)) return true;
    }
    return false;
}

/* Whether a window may be the memory of a tile that is loaded from it or stored to it. */
static bool is_in_place(const ptrt_chain_plan *p, unsigned view) {
    return (p->shared >> view & 1) == 0;
}

/* ---- the whole region ---- */

/* Whether both tiles are one run of memory with elements in the same order. */
static bool is_one_run(const ptrt_tile *t, const ptrt_tile *first) {
    return t->n != 0 && ((t->key ^ first->key) & ~(uint64_t)KEY_ELEM) == 0 &&
           (t->slayout == PTRT_NONE_BOX || ptrt_elem_size(t->elem) == ptrt_elem_size(first->elem));
}

static bool is_flat(const ptrt_chain_call *c, const ptrt_chain_plan *p) {
    for (unsigned i = 0; i < c->chain->ntiles; i++)
        if (p->tiles[i].role != 'f' || !is_one_run(c->tile[i], c->tile[0])) return false;
    for (unsigned i = 0; i < c->chain->nviews; i++)
        if (ptrt_order(c->tile[0]) != 0 || p->views[i].pitch != p->cols * p->views[i].size)
            return false;
    return true;
}

static bool has_rows(const ptrt_chain_call *c, const ptrt_chain_plan *p) {
    for (unsigned i = 0; i < c->chain->ntiles; i++) {
        if (p->tiles[i].role == 'f' && !is_row_major(c->tile[i])) return false;
        if (p->tiles[i].role == 'r' && p->tiles[i].written) return false;
    }
    return true;
}

/* Checks what the steps do with their operands. */
static bool see_operands(maker *m) {
    const ptrt_chain_call *c = m->c;
    ptrt_chain_plan *p = m->plan;
    const ptrt_tile *t = region_tile(c);
    if (t == NULL || t->vrow <= 0 || t->vcol <= 0) return false;
    p->rows = t->vrow;
    p->cols = t->vcol;
    p->loads = false;
    for (unsigned i = 0; i < c->chain->ntiles; i++)
        p->tiles[i].role = p->tiles[i].written = 0;
    for (unsigned i = 0; i < c->chain->nviews; i++)
        p->views[i].role = p->views[i].written = 0;
    for (unsigned i = 0; i < c->chain->nsteps; i++)
        if (!see_step(m, &c->chain->steps[i])) return false;
    if (tiles_clash(p, c->chain) || views_clash(p, c->chain, &p->shared)) return false;
    p->flat = is_flat(c, p);
    return p->flat || has_rows(c, p);
}

/* ---- blocks ---- */

/* Chooses how long blocks are, and makes memory for tiles that need not be written. */
static bool cut(maker *m) {
    ptrt_chain_plan *p = m->plan;
    const ptrt_chain *c = m->c->chain;
    size_t size = 1, n = c->nviews, ndead = 0;
    for (unsigned i = 0; i < c->ntiles; i++) {
        if (p->tiles[i].role != 'f') continue;
        n++;
        ndead += is_dead(c, i);
        if (p->tiles[i].size > size) size = p->tiles[i].size;
    }
    size_t room = BLOCK_MOST;
    /* About half of the dead tiles stay in registers. */
    while (room > BLOCK_LEAST && (2 * n - ndead) * room > 2 * CACHE)
        room /= 2;
    /* What fits in the cache anyway is one block. */
    const size_t whole = (size_t)p->rows * (size_t)p->cols * size;
    if (whole <= WHOLE_MOST / n) room = whole;
    p->step = (int64_t)(room / (p->flat ? size : (size_t)p->cols * size));
    if (p->step == 0) p->step = 1;
    p->scratch = NULL;
    if (ndead == 0) return true;
    const int64_t elements = p->flat ? p->step : p->step * p->cols;
    const size_t bytes = (((size_t)elements * size + LINE - 1) & ~(size_t)(LINE - 1)) + LINE;
    p->scratch_bytes = ndead * bytes;
    unsigned char *memory = p->scratch = ptrt_scratch(p->scratch_bytes);
    for (unsigned i = 0; memory && i < c->ntiles; i++) {
        if (p->tiles[i].role != 'f' || !is_dead(c, i)) continue;
        m->homes[i] = (spot){memory, (ptrdiff_t)p->cols, false, 0};
        memory += bytes;
    }
    return memory != NULL;
}

/* ---- jobs ---- */

static unsigned written_by(const ptrt_step *s) {
    return s->at[ptrt_chain_letters_of[s->kind].n - 1];
}

static unsigned count_stores(const ptrt_chain *c, unsigned view) {
    unsigned n = 0;
    for (unsigned i = 0; i < c->nsteps; i++)
        n += c->steps[i].kind == PTRT_STEP_STORE && c->steps[i].at[1] == view;
    return n;
}

/* A dead tile that is stored is written to the window at once, if no other tile is stored there:
 * finds the steps that write it. */
static void find_stores(maker *m) {
    const ptrt_chain *c = m->c->chain;
    memset(m->stores, 0, sizeof m->stores);
    for (unsigned i = 1; i < c->nsteps; i++) {
        const unsigned tile = c->steps[i].at[0];
        if (c->steps[i].kind != PTRT_STEP_STORE || !is_dead(c, tile) ||
            count_stores(c, c->steps[i].at[1]) > 1 || !is_in_place(m->plan, c->steps[i].at[1]))
            continue;
        unsigned k = i;
        while (k-- > 0)
            if (c->steps[k].kind != PTRT_STEP_STORE && written_by(&c->steps[k]) == tile) break;
        if (k < i && c->steps[k].kind != PTRT_STEP_LOAD && m->stores[k] == 0)
            m->stores[k] = (uint8_t)(c->steps[i].at[1] + 1);
    }
}

static spot spot_of_view(const maker *m, unsigned i) {
    const ptrt_chain_range *r = &m->plan->views[i];
    return (spot){(unsigned char *)r->low, r->pitch / r->size, true, (uint8_t)(i + 1)};
}

/* Finds the body of a step. Returns false when there is none for the types. */
static bool find_body(const maker *m, const ptrt_step *s, ptrt_chain_job *j) {
    const ptrt_bodies *b = m->c->core->bodies;
    const ptrt_chain_letters *letters = &ptrt_chain_letters_of[s->kind];
    const int elem = m->c->tile[s->at[s->kind == PTRT_STEP_LOAD ? 1 : 0]]->elem;
    j->elem = (uint8_t)elem;
    j->how = (unsigned)s->how[0];
    if (s->kernel >= PTRT_KERNELS) return false;
    if (s->kind == PTRT_STEP_CVT) {
        const int to = m->c->tile[s->at[1]]->elem;
        j->body = ptrt_body_of_pair(b, s->kernel, elem, to);
        return j->body != NULL && ptrt_cvt_how(elem, to, s->how[0], s->how[1], s->how[2], &j->how);
    }
    for (unsigned i = 0; i < letters->n; i++)
        if (letters->text[i] != 'g' && m->c->tile[s->at[i]]->elem != elem) return false;
    j->body = b->one[s->kernel][elem];
    return j->body != NULL;
}

/* Returns where a step writes a tile: a dead one that is stored next in the window. */
static spot destination(maker *m, unsigned tile, unsigned store) {
    return m->spots[tile] = store != 0 ? spot_of_view(m, store - 1) : m->homes[tile];
}

/* Sets operand i of a job. */
static void put(const ptrt_chain_plan *p, ptrt_chain_job *j, unsigned i, const spot *at,
                unsigned size) {
    const int64_t elements = p->flat ? p->step : p->step * at->ld;
    j->at[i] = at->at;
    j->ld[i + 1 == j->n ? 0 : i + 1] = at->ld;
    j->next[i] = at->moves ? (ptrdiff_t)elements * (ptrdiff_t)size : 0;
    j->row[i] = at->ld * (ptrdiff_t)size;
    j->view[i] = at->view;
    j->size[i] = (uint8_t)size;
    j->flat &= p->flat || at->ld == p->cols;
}

static bool add_job(maker *m, const ptrt_step *s, unsigned store) {
    ptrt_chain_plan *p = m->plan;
    ptrt_chain_job *j = &p->jobs[p->njobs++];
    const ptrt_chain_letters *letters = &ptrt_chain_letters_of[s->kind];
    if (!find_body(m, s, j)) return false;
    j->kind = s->kind;
    j->kernel = s->kernel;
    j->to = s->kind == PTRT_STEP_CVT ? m->c->tile[s->at[1]]->elem : j->elem;
    j->scratch = letters->text[letters->n - 1] == 'f' && !s->column && store == 0 &&
                 is_dead(m->c->chain, written_by(s));
    j->number = s->number;
    j->n = letters->n;
    j->flat = strpbrk(letters->text, "cr") == NULL;
    for (unsigned i = 0; i < j->n; i++) {
        const bool view = letters->text[i] == 'g', last = i + 1 == j->n;
        const spot at = view   ? spot_of_view(m, s->at[i])
                        : last ? destination(m, s->at[i], store)
                               : m->spots[s->at[i]];
        put(p, j, i, &at, view ? p->views[s->at[i]].size : p->tiles[s->at[i]].size);
    }
    if (s->kind == PTRT_STEP_ROWEXPAND) j->size[1] = 0;
    j->column = s->column;
    j->more = s->column ? (size_t)(m->c->tile[written_by(s)]->n - p->rows) : 0;
    /* A conversion goes over its source itself only in rows without gaps. */
    return s->kind != PTRT_STEP_CVT || j->at[0] != j->at[1] || j->flat || j->column;
}

/* The window that a dead tile is loaded from is the tile until a step writes it, and that which it
 * is stored to from the step on that writes what is stored. */
static bool make_jobs(maker *m) {
    const ptrt_chain *c = m->c->chain;
    find_stores(m);
    m->plan->njobs = 0;
    for (unsigned i = 0; i < c->nsteps; i++) {
        const ptrt_step *s = &c->steps[i];
        if (s->kind == PTRT_STEP_LOAD && is_dead(c, s->at[1]) && is_in_place(m->plan, s->at[0]))
            m->spots[s->at[1]] = spot_of_view(m, s->at[0]);
        else if (s->kind == PTRT_STEP_STORE && m->spots[s->at[0]].view == s->at[1] + 1)
            continue;
        else if (!add_job(m, s, m->stores[i]))
            return false;
    }
    return true;
}

/* ---- entry points ---- */

/* A tile that is loaded must have no padding, which is not in its key. */
static bool pads(const ptrt_chain_call *c) {
    for (unsigned i = 0; i < c->chain->nsteps; i++) {
        const ptrt_step *s = &c->chain->steps[i];
        if (s->kind == PTRT_STEP_LOAD && c->tile[s->at[1]]->pad != PTRT_PAD_NULL) return true;
    }
    return false;
}

bool ptrt_chain_make(const ptrt_chain_call *c, ptrt_chain_plan *plan) {
    maker m = {.c = c, .plan = plan};
    plan->nsteps = 0;
    if (!see_operands(&m) || !cut(&m) || !make_jobs(&m) || (plan->loads && pads(c))) return false;
    for (unsigned i = 0; i < c->chain->ntiles; i++)
        plan->key[i] = c->tile[i]->key;
    memcpy(plan->steps, c->chain->steps, c->chain->nsteps * sizeof *plan->steps);
    plan->nsteps = c->chain->nsteps;
    plan->ntiles = c->chain->ntiles;
    plan->nviews = c->chain->nviews;
    plan->dead = c->chain->dead;
    ptrt_chain_group(c->core->bodies->level->lanes, plan);
    return true;
}

/* Sets the memory of the windows. Returns false when others share bytes than before. */
static bool move_windows(const ptrt_chain_call *c, ptrt_chain_plan *p) {
    for (unsigned i = 0; i < c->chain->nviews; i++) {
        ptrt_chain_range *r = &p->views[i];
        r->end += (uintptr_t)c->view[i]->base - r->low;
        r->low = (uintptr_t)c->view[i]->base;
    }
    for (unsigned i = 0; i < p->njobs; i++)
        for (unsigned k = 0; k < p->jobs[i].n; k++)
            if (p->jobs[i].view[k] != 0) p->jobs[i].at[k] = c->view[p->jobs[i].view[k] - 1]->base;
    for (unsigned i = 0; i < p->nlanes; i++)
        if (p->lanes[i].view != 0) p->lanes[i].at = c->view[p->lanes[i].view - 1]->base;
    for (unsigned i = 0; i < p->nunits; i++)
        ptrt_chain_list(p, &p->units[i]);
    uint8_t shared;
    return !views_clash(p, c->chain, &shared) && shared == p->shared;
}

/* Another chain may be where one was that is no longer in memory. */
static bool is_for(const ptrt_chain_plan *p, const ptrt_chain *c) {
    return p->nsteps == c->nsteps && p->ntiles == c->ntiles && p->nviews == c->nviews &&
           p->dead == c->dead && memcmp(p->steps, c->steps, c->nsteps * sizeof *c->steps) == 0;
}

bool ptrt_chain_holds(const ptrt_chain_call *c, ptrt_chain_plan *p) {
    bool moved = false;
    if (!is_for(p, c->chain)) return false;
    for (unsigned i = 0; i < c->chain->ntiles; i++)
        if (p->key[i] != c->tile[i]->key || p->tiles[i].low != (uintptr_t)c->tile[i]->at)
            return false;
    for (unsigned i = 0; i < c->chain->nviews; i++) {
        const ptrt_view *v = c->view[i];
        const ptrt_chain_range *r = &p->views[i];
        if (!is_window(p, v, r->elem) || stride_of(p, v) * r->size != r->pitch) return false;
        moved |= (uintptr_t)v->base != r->low;
    }
    if (p->scratch != NULL && p->scratch != ptrt_scratch(p->scratch_bytes)) return false;
    return !(p->loads && pads(c)) && (!moved || move_windows(c, p));
}
