/* SPDX-License-Identifier: Apache-2.0 */
/* Finds whether a path leads from one statement to a use of a value, through blocks and loop
 * iterations, before the value is redefined. */
#include "analysis/live.h"

#include <string.h>

/* The position of a statement within a region around it. */
typedef struct Seen {
    const Scope *inner; /* the nested region that contains it; NULL: it is directly in the region */
    const Block *block;
    uint32_t pos;
} Seen;

static Seen seen_in(const Scope *region, const Spot *at) {
    Seen s = {NULL, at->op->block, at->pos};
    for (const Scope *x = at->scope; x != region; x = x->parent)
        s = (Seen){x, x->region->owner->block, x->start};
    return s;
}

/* ---- blocks ---- */

typedef struct Edge {
    struct Edge *next;
    const Block *from;
} Edge;

/* Notes the predecessors of each block of a region. */
static void note_branches(Live *l, const Region *r) {
    for (const Block *b = r->first; b != NULL; b = b->next)
        for (unsigned i = 0; b->last != NULL && i < b->last->nsuccs; i++) {
            Edge **at = (Edge **)ptrmap_at(&l->branches, op_succs(b->last)[i].block);
            Edge *e = ARENA_NEW(l->arena, Edge);
            *e = (Edge){*at, b};
            *at = e;
        }
}

static bool visit(Live *l, const Block *b) {
    void **at = ptrmap_at(&l->visited, b);
    if (*at == (void *)l->paths) return false;
    *at = (void *)l->paths;
    return true;
}

static void push_block(Live *l, uint32_t n, const Block *b) {
    if (n == l->cap_blocks) {
        uint32_t cap = n == 0 ? 16 : n * 2;
        const Block **more = ARENA_ARRAY(l->arena, const Block *, cap);
        if (n > 0) memcpy(more, l->blocks, n * sizeof *more);
        l->blocks = more;
        l->cap_blocks = cap;
    }
    l->blocks[n] = b;
}

/* True when a path leads from the end of `from` to the start of `to` without entering `avoid`,
 * where the value is defined. Searches backwards; in very large regions the answer is true. */
static bool block_path(Live *l, const Block *from, const Block *to, const Block *avoid) {
    enum { MOST_BLOCKS = 1 << 10, MOST_STEPS = 1 << 22 }; /* limits per question and per function */
    uint32_t n = 0, count = 0;
    if (to == avoid) return false;
    if (l->path_steps > MOST_STEPS) return true;
    if (!ptrmap_get(&l->visited, to->region)) {
        *ptrmap_at(&l->visited, to->region) = l;
        note_branches(l, to->region);
    }
    l->paths++;
    push_block(l, n++, to);
    while (n > 0) {
        const Edge *e = ptrmap_get(&l->branches, l->blocks[--n]);
        for (; e != NULL; e = e->next) {
            if (e->from == from) return true;
            if (e->from == avoid || !visit(l, e->from)) continue;
            if (++count > MOST_BLOCKS) return true;
            l->path_steps++;
            push_block(l, n++, e->from);
        }
    }
    return false;
}

/* ---- statements ---- */

static bool is_loop(const Scope *s) {
    return op_loops(s->region->owner);
}

/* Searches a path for a value defined in block `home` of `region` at `pos` (0: at the start of the
 * block). */
static bool path_to(Live *l, const Scope *region, const Block *home, uint32_t pos, const Spot *at,
                    const Spot *use) {
    for (;;) {
        Seen a = seen_in(region, at), u = seen_in(region, use);
        bool blocks = region->blocks;
        if (a.block == home && pos != 0 && a.pos <= pos)
            return false; /* the value is redefined first */
        if (a.block == u.block && a.pos < u.pos) return true;
        if (a.pos != u.pos) return blocks && block_path(l, a.block, u.block, home);
        if (blocks && block_path(l, a.block, u.block, home)) return true;
        if (a.inner == NULL) return u.inner != NULL; /* operands are read before the regions run */
        if (u.inner == NULL) return false;
        if (is_loop(a.inner)) return true; /* the next iteration reaches the use */
        if (a.inner != u.inner) return false;
        region = a.inner;
        home = NULL;
        pos = 0;
    }
}

bool live_path(Live *l, const LiveValue *lv, const Spot *from, const Spot *to) {
    const Value *v = lv->value;
    const Block *home = value_home(v);
    return scope_encloses(lv->scope, from->scope) && scope_encloses(lv->scope, to->scope) &&
           path_to(l, lv->scope, home, lv->pos, from, to);
}

bool live_needed_after(Live *l, const LiveValue *lv, const Spot *at) {
    for (const Use *u = lv->uses; u != NULL; u = u->next) {
        const Spot use = use_spot(u);
        if (live_path(l, lv, at, &use)) return true;
    }
    return false;
}
