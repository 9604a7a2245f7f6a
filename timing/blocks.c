/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of branches between blocks: of each block the innermost loop that it is in. One depth-first
 * walk, after Wei, Mao, Zou and Chen, "A new algorithm for identifying loops in decompilation".
 * The header of a loop is the first of its blocks that the walk comes to, and its other blocks come
 * after it in the walk: so none of the blocks that dominate the header is in the loop. */
#include "timing/run.h"

#include <string.h>

/* Loops in loops beyond these belong to the loop around them. */
enum { MOST_LOOP_DEPTH = 2 * MOST_PROBES };

typedef struct Visit {
    TimeBlock *block;
    struct Visit *header; /* of the innermost loop around, or NULL */
    uint32_t at;          /* on the path that is walked, from 1 on; 0: not on it */
    uint32_t way;         /* the next successor to look at */
    bool heads;           /* it is the header of a loop */
} Visit;

typedef struct Finder {
    PtrMap visits; /* TimeBlock -> its Visit */
    Visit **order; /* of the walk */
    uint32_t n;
    Visit **path;
    uint32_t depth;
} Finder;

static Visit *enter(TimeRun *r, Finder *f, TimeBlock *b) {
    Visit *v = ARENA_NEW(r->arena, Visit);
    v->block = b;
    *ptrmap_at(&f->visits, b) = v;
    f->order[f->n++] = v;
    f->path[f->depth++] = v;
    v->at = f->depth;
    return v;
}

/* A block is in the loop of a header on the path, and in those around that one. */
static void put_in_loop(Visit *block, Visit *header) {
    if (block == header || header == NULL) return;
    while (block->header != NULL) {
        Visit *around = block->header;
        if (around == header) return;
        if (around->at < header->at) {
            block->header = header;
            block = header;
            header = around;
        } else {
            block = around;
        }
    }
    block->header = header;
}

/* A branch leads to a block that the walk has seen. */
static void see_again(Visit *from, Visit *to) {
    if (to->at > 0) {
        to->heads = true;
        put_in_loop(from, to);
        return;
    }
    Visit *header = to->header;
    while (header != NULL && header->at == 0)
        header = header->header;
    put_in_loop(from, header);
}

static void walk(TimeRun *r, Finder *f, TimeBlock *entry) {
    enter(r, f, entry);
    while (f->depth > 0) {
        Visit *v = f->path[f->depth - 1];
        const TimeNode *end = v->block->last;
        if (end == NULL || v->way == end->stmt->nways) {
            v->at = 0;
            f->depth--;
            if (f->depth > 0) put_in_loop(f->path[f->depth - 1], v->header);
            continue;
        }
        TimeBlock *to = end->ways[v->way++];
        Visit *seen = ptrmap_get(&f->visits, to);
        if (seen == NULL)
            enter(r, f, to);
        else
            see_again(v, seen);
    }
}

static void define(TimeRun *r, TimeLoop *loop, const uint32_t *cells, unsigned n) {
    for (; loop != NULL; loop = loop->outer)
        for (unsigned i = 0; i < n; i++) {
            if (loop->ndefined == loop->capdefined)
                loop->defined = ARENA_WIDEN(r->arena, uint32_t, loop->defined, &loop->capdefined,
                                            loop->ndefined, 16);
            loop->defined[loop->ndefined++] = cells[i];
        }
}

void time_find_loops(TimeRun *r, const TimeRegion *region) {
    Finder f = {.visits = {.arena = r->arena}};
    uint32_t n = 0;
    for (const TimeBlock *b = region->first; b != NULL; b = b->next)
        n++;
    f.order = ARENA_ARRAY(r->arena, Visit *, n);
    f.path = ARENA_ARRAY(r->arena, Visit *, n);
    walk(r, &f, region->first);
    for (uint32_t i = 0; i < f.n; i++) {
        const Visit *v = f.order[i];
        TimeBlock *b = v->block;
        b->loop = v->header != NULL ? v->header->block->loop : NULL;
        const unsigned depth = b->loop != NULL ? b->loop->depth : 0;
        if (v->heads && depth < MOST_LOOP_DEPTH) {
            TimeLoop *loop = ARENA_NEW(r->arena, TimeLoop);
            *loop = (TimeLoop){.outer = b->loop, .header = b, .depth = depth + 1};
            b->loop = loop;
        }
        define(r, b->loop, b->args, b->nargs);
        for (const TimeNode *node = b->first; node != NULL; node = node->next)
            define(r, b->loop, node->out, node->stmt->nresults);
    }
}
