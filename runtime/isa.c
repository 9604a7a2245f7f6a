/* SPDX-License-Identifier: Apache-2.0 */
/* isa.c - chooses the instruction-set level once, at the first launch, and fills the tables in
 * which drivers look up kernel bodies. */
#include "isa.h"

#include <pthread.h>
#include <stdlib.h>

/* ---- the rows of ptort_kernels.def ---- */

const ptrt_kernel_info ptrt_kernel_infos[PTRT_KERNELS] = {
#define KERNEL(family, id, name, when, driver, args, elems, types, body)                           \
    [PTRT_##id] = {"pto." name, args},
#include "ptort_kernels.def"
};

/* Tables for kernels whose body depends on two types, enough for every kernel. The system never
 * maps the pages of unused ones. */
enum { PAIR_PAGES = PTRT_KERNELS };
static ptrt_body pair_pages[PAIR_PAGES][PTRT_ANY + 1][PTRT_ANY + 1];

/* ---- levels ---- */

#if defined(__x86_64__)
extern const ptrt_level ptrt_level_v2, ptrt_level_v3, ptrt_level_v4;

/* The levels of this machine, best first. */
static size_t levels_here(const ptrt_level **out) {
    size_t n = 0;
    __builtin_cpu_init();
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi2");
    bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl");
#ifdef PTRT_HAS_v4
    if (v4) out[n++] = &ptrt_level_v4;
#endif
#ifdef PTRT_HAS_v3
    if (v3) out[n++] = &ptrt_level_v3;
#endif
#ifdef PTRT_HAS_v2
    out[n++] = &ptrt_level_v2;
#endif
    (void)v4;
    (void)out; /* without any level */
    return n;
}
#else
extern const ptrt_level ptrt_level_base;

static size_t levels_here(const ptrt_level **out) {
    out[0] = &ptrt_level_base;
    return 1;
}
#endif

const ptrt_level *ptrt_level_find(const char *name) {
    const ptrt_level *levels[4];
    size_t n = levels_here(levels);
    for (size_t i = 0; i < n; i++)
        if (strcmp(levels[i]->name, name) == 0) return levels[i];
    return NULL;
}

/* ---- the tables ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static ptrt_bodies chosen; /* without a level until `init` has found one */

static void add_row(ptrt_bodies *b, const ptrt_body_row *row, unsigned *pages) {
    if (row->kernel >= PTRT_KERNELS) { /* the rows of one number follow each other */
        struct ptrt_micro_rows *rows = &b->micro[row->kernel - PTRT_KERNELS];
        if (rows->n++ == 0) rows->first = row;
        return;
    }
    if (row->e2 == PTRT_ANY) {
        b->one[row->kernel][row->e1] = row->body;
        return;
    }
    if (b->pair[row->kernel] == 0 && *pages < PAIR_PAGES)
        b->pair[row->kernel] = (uint16_t)++ * pages;
    if (b->pair[row->kernel] != 0) b->pairs[b->pair[row->kernel] - 1][row->e1][row->e2] = row->body;
}

static void fill(ptrt_bodies *b, const ptrt_level *level) {
    unsigned pages = 0;
    b->level = level;
    b->movers = level->movers;
    for (size_t f = 0; f < level->nfamilies; f++)
        for (size_t i = 0; i < level->families[f]->n; i++)
            add_row(b, &level->families[f]->rows[i], &pages);
}

static void init(void) {
    const ptrt_level *levels[4];
    const char *wish = getenv("PTORT_ISA");
    const ptrt_level *level = wish ? ptrt_level_find(wish) : NULL;
    size_t n = levels_here(levels);
    if (n == 0) return;
    if (!level) level = levels[0];
    chosen.pairs = pair_pages;
    fill(&chosen, level);
}

ptrt_body ptrt_micro_find(const ptrt_bodies *b, int id, int e1, int e2) {
    const struct ptrt_micro_rows *rows = &b->micro[id - PTRT_KERNELS];
    for (size_t i = 0; i < rows->n; i++)
        if (rows->first[i].e1 == e1 && rows->first[i].e2 == e2) return rows->first[i].body;
    return NULL;
}

bool ptrt_isa_fill(ptrt_bodies *b, const char *level) {
    const ptrt_level *l = ptrt_level_find(level);
    if (l) fill(b, l);
    return l != NULL;
}

const ptrt_bodies *ptrt_isa_bodies(void) {
    pthread_once(&once, init);
    return chosen.level ? &chosen : NULL;
}

const char *ptrt_isa(void) {
    const ptrt_bodies *b = ptrt_isa_bodies();
    return b ? b->level->name : "none";
}

ptrt_body ptrt_kernel_find(int kernel, int e1, int e2, const char *level) {
    const ptrt_bodies *b = level ? NULL : ptrt_isa_bodies();
    const ptrt_level *l = level ? ptrt_level_find(level) : b ? b->level : NULL;
    for (size_t f = 0; l && f < l->nfamilies; f++) {
        const ptrt_body_list *list = l->families[f];
        for (size_t i = 0; i < list->n; i++)
            if (list->rows[i].kernel == kernel && list->rows[i].e1 == e1 && list->rows[i].e2 == e2)
                return list->rows[i].body;
    }
    return NULL;
}
