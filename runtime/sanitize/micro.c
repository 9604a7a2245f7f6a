/* SPDX-License-Identifier: Apache-2.0 */
/* micro.c - what micro-instructions tell the sanitizer: the accesses that they make, and in a
 * vector scope the order of loads after stores, which pto.mem_bar alone gives. */
#include "core/items.h"
#include "core/place.h"
#include "sanitize/sanitize.h"

#include <stdio.h>
#include <stdlib.h>

enum { GRAIN = 32 };

/* Bytes that the vector scope has stored since the last barrier, by blocks of the vector memory. */
typedef struct Stored {
    uint32_t age;   /* they count if it is that of the scope */
    uint32_t bytes; /* one bit each */
    const ptrt_site *by;
} Stored;

typedef struct san_scope {
    uint32_t age;
    bool open; /* a scope that the text has */
    size_t n;
    Stored at[];
} san_scope;

/* Returns the scope of a core; NULL: memory is exhausted. */
static san_scope *scope_of(ptrt_core *core) {
    ptrt_watch *w = core->watch;
    const size_t n = (size_t)(core->space_size[PTRT_VEC] + GRAIN - 1) / GRAIN;
    if (w->scope) return w->scope;
    w->scope = calloc(1, sizeof *w->scope + n * sizeof(Stored));
    if (!w->scope) {
        san_incomplete(w->session);
        return NULL;
    }
    w->scope->n = n;
    w->scope->age = 1;
    return w->scope;
}

void san_scope_end(ptrt_watch *w) {
    free(w->scope);
    w->scope = NULL;
}

void ptrt_see_scope(ptrt_core *core, int begins) {
    san_scope *scope = core->watch ? scope_of(core) : NULL;
    if (!scope) return;
    scope->age++;
    scope->open = begins != 0;
}

void ptrt_see_mem_bar(ptrt_core *core, int kind) {
    enum { ALL_AFTER_ALL = 0, LOADS_AFTER_STORES = 1 };
    san_scope *scope = core->watch ? core->watch->scope : NULL;
    if (scope && (kind == ALL_AFTER_ALL || kind == LOADS_AFTER_STORES)) scope->age++;
}

/* ---- loads after stores ---- */

static void report_early(ptrt_core *core, const ptrt_site *site, const Stored *s, uint64_t at) {
    const ptrt_watch *w = core->watch;
    char text[240], where[80];
    if (!san_wanted(w->session, "lane-race", site, s->by, &w->where, at)) return;
    san_put_place(&w->where, where, sizeof where);
    snprintf(text, sizeof text,
             "%s may read vec %llu before %s has written it: no pto.mem_bar is between them (%s)",
             site->op, (unsigned long long)at, s->by->op, where);
    san_report(w->session, "lane-race", site, s->by, &w->where, at, 1, text, "it is written here");
}

static uint32_t bits_of(uint64_t first, uint64_t n) {
    return (uint32_t)(((UINT64_C(1) << n) - 1) << first);
}

/* Notes bytes that a scope stores, or compares those that it loads with them. */
static void see_order(ptrt_core *core, const ptrt_site *site, uint64_t at, uint64_t bytes,
                      bool writes) {
    san_scope *scope = core->watch->scope;
    if (!scope || !scope->open) return;
    for (uint64_t end = at + bytes, next; at < end; at = next) {
        Stored *s = &scope->at[at / GRAIN];
        next = (at / GRAIN + 1) * GRAIN;
        if (next > end) next = end;
        const uint32_t bits = bits_of(at % GRAIN, next - at);
        const uint32_t stored = s->age == scope->age ? s->bytes : 0;
        if (writes)
            *s = (Stored){scope->age, stored | bits, site};
        else if ((stored & bits) != 0)
            report_early(core, site, s, at);
    }
}

/* ---- accesses ---- */

void ptrt_see_micro(ptrt_core *core, const ptrt_site *site, const ptrt_site *reads,
                    const ptrt_site *writes) {
    if (!core->watch) return;
    ptrt_see(core, site);
    core->watch->micro[0] = reads;
    core->watch->micro[1] = writes;
}

/* Work items see their stores in order: they are no vector scope. */
static bool in_scope(const ptrt_core *core, const ptrt_site *site) {
    const bool item = core->items && core->items->now;
    return site->pipe == PTRT_PIPE_V && !item && core->space[PTRT_VEC];
}

void ptrt_touch(ptrt_core *core, const void *at, uint64_t bytes, bool writes) {
    const ptrt_site *site = core->watch->micro[writes];
    const uintptr_t from = (uintptr_t)at - (uintptr_t)core->space[PTRT_VEC];
    if (!site || bytes == 0) return;
    if (in_scope(core, site) && from < core->space_size[PTRT_VEC])
        see_order(core, site, from, bytes, writes);
    san_see_run(core, site, at, bytes);
}

void ptrt_touch_copied(ptrt_core *core, const void *at, uint64_t bytes) {
    const ptrt_site *site = core->watch->micro[0];
    if (site && bytes > 0) san_see_copied(core, site, at, bytes);
}

void ptrt_touch_lanes(ptrt_core *core, const void *at, const ptrt_mask *m, unsigned width,
                      bool writes) {
    const unsigned lanes = sizeof(ptrt_vreg) / width;
    for (unsigned i = 0; i < lanes; i++) {
        const unsigned first = i;
        while (i < lanes && (m->bits[i * width / 64] >> (i * width % 64) & 1) != 0)
            i++;
        if (i > first)
            ptrt_touch(core, (const char *)at + first * width, (i - first) * width, writes);
    }
}
