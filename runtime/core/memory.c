/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - the pools of stacks and areas. Stacks are cut from slabs, each a single mapping,
 * because the number of mappings is limited (vm.max_map_count). With light guard pages
 * (MADV_GUARD_INSTALL, Linux 6.13) a slab stays one mapping; with mprotect each stack costs two. */
#include "core/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

#define GUARD_SIZE                                                                                 \
    ((size_t)64 << 10) /* larger than the frame of any function or signal handler                  \
                        */
#define SLAB_LEAST 64  /* stacks in the smallest slab */
#define STACKS_WARM                                                                                \
    256 /* an idle slab with more stacks than this lets the system take its pages                  \
         */
#define AREA_UNIT (1u << 20) /* area sizes are multiples of this, so that areas are reused */
#define AREAS_KEPT 8

typedef struct ptrt_slab {
    struct ptrt_slab *next;
    unsigned char *base;
    size_t size;  /* bytes of a stack and its guard */
    size_t count; /* stacks that fit */
    size_t cut;   /* stacks cut off so far */
    size_t out;   /* stacks in use */
    size_t most;  /* largest `out` since the pages were last offered to the system */
    ptrt_stack stacks[];
} ptrt_slab;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ptrt_slab *slabs;        /* of PTRT_STACK_SIZE, newest first */
static ptrt_stack *free_stacks; /* cut off, not in use */
static ptrt_area *free_areas;
static size_t area_count;

void ptrt_memory_lock(void) {
    pthread_mutex_lock(&lock);
}

void ptrt_memory_unlock(void) {
    pthread_mutex_unlock(&lock);
}

/* Maps memory without huge pages: most of a mapping is never touched, and a touched byte should
 * cost a small page. */
static unsigned char *map(size_t size) {
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED) return NULL;
    (void)madvise(p, size, MADV_NOHUGEPAGE);
    return p;
}

/* ---- stacks ---- */

static ptrt_slab *slab_new(size_t count, size_t stack_size) {
    size_t size = GUARD_SIZE + stack_size;
    if (size < stack_size || count > SIZE_MAX / 2 / size) return NULL;
    ptrt_slab *s = malloc(sizeof *s + count * sizeof *s->stacks);
    if (!s) return NULL;
    *s = (ptrt_slab){.base = map(count * size), .size = size, .count = count};
    if (s->base) return s;
    free(s);
    return NULL;
}

static void slab_free(ptrt_slab *s) {
    munmap(s->base, s->count * s->size);
    free(s);
}

static bool guard(unsigned char *at) {
    return madvise(at, GUARD_SIZE, MADV_GUARD_INSTALL) == 0 ||
           mprotect(at, GUARD_SIZE, PROT_NONE) == 0;
}

static ptrt_stack *cut_stack(ptrt_slab *s) {
    unsigned char *at = s->base + s->cut * s->size;
    if (!guard(at)) return NULL;
    ptrt_stack *stack = &s->stacks[s->cut++];
    *stack = (ptrt_stack){.slab = s, .low = at + GUARD_SIZE, .size = s->size - GUARD_SIZE};
    return stack;
}

/* Cuts the next stack off the newest slab, or off a new one for at least `want` stacks. */
static ptrt_stack *new_stack(size_t want) {
    if (!slabs || slabs->cut == slabs->count) {
        ptrt_slab *s = slab_new(want > SLAB_LEAST ? want : SLAB_LEAST, PTRT_STACK_SIZE);
        if (!s) return NULL;
        s->next = slabs;
        slabs = s;
    }
    return cut_stack(slabs);
}

static void give_stack(ptrt_stack *stack) {
    stack->slab->out--;
    stack->next = free_stacks;
    free_stacks = stack;
}

/* Lets the system take the pages of large idle slabs when it needs them; until then the next launch
 * finds them in place. MADV_FREE keeps the guards. Small launches after a large one do not pay for
 * its pages again. */
static void cool_slabs(void) {
    for (ptrt_slab *s = slabs; s; s = s->next) {
        if (s->out != 0) continue;
        if (s->most > STACKS_WARM) (void)madvise(s->base, s->cut * s->size, MADV_FREE);
        s->most = 0;
    }
}

static void give_stacks(ptrt_stack *list) {
    while (list) {
        ptrt_stack *next = list->next;
        give_stack(list);
        list = next;
    }
    cool_slabs();
}

static ptrt_stack *take_stacks(size_t n) {
    ptrt_stack *list = NULL;
    for (size_t i = 0; i < n; i++) {
        ptrt_stack *stack = free_stacks;
        if (stack)
            free_stacks = stack->next;
        else
            stack = new_stack(n - i);
        if (!stack) {
            give_stacks(list);
            return NULL;
        }
        if (++stack->slab->out > stack->slab->most) stack->slab->most = stack->slab->out;
        stack->next = list;
        list = stack;
    }
    return list;
}

/* Large stacks have a slab of their own, which is unmapped with the last of them. */
static ptrt_stack *large_stacks(size_t n, size_t size) {
    ptrt_stack *list = NULL;
    ptrt_slab *s = slab_new(n, size);
    if (!s) return NULL;
    while (s->cut < n) {
        ptrt_stack *stack = cut_stack(s);
        if (!stack) {
            slab_free(s);
            return NULL;
        }
        stack->next = list;
        list = stack;
    }
    s->out = n;
    return list;
}

ptrt_stack *ptrt_stacks_take(size_t n, size_t size) {
    if (size > PTRT_STACK_SIZE) return large_stacks(n, size);
    pthread_mutex_lock(&lock);
    ptrt_stack *list = take_stacks(n);
    pthread_mutex_unlock(&lock);
    return list;
}

void ptrt_stacks_give(ptrt_stack *list) {
    if (list->size > PTRT_STACK_SIZE) { /* all of a slab are given together */
        slab_free(list->slab);
        return;
    }
    pthread_mutex_lock(&lock);
    give_stacks(list);
    pthread_mutex_unlock(&lock);
}

/* ---- areas ---- */

static void area_free(ptrt_area *area) {
    munmap(area->base, (size_t)area->size);
    free(area);
}

/* Removes the smallest area that is large enough from the list and returns it. */
static ptrt_area *find_area(uint64_t bytes) {
    ptrt_area **best = NULL;
    for (ptrt_area **at = &free_areas; *at; at = &(*at)->next)
        if ((*at)->size >= bytes && (!best || (*at)->size < (*best)->size)) best = at;
    if (!best) return NULL;
    ptrt_area *area = *best;
    *best = area->next;
    area_count--;
    return area;
}

ptrt_area *ptrt_area_take(uint64_t bytes) {
    pthread_mutex_lock(&lock);
    ptrt_area *area = find_area(bytes);
    pthread_mutex_unlock(&lock);
    if (area) return area;
    if (bytes > SIZE_MAX - AREA_UNIT) return NULL;
    uint64_t size = (bytes + AREA_UNIT - 1) / AREA_UNIT * AREA_UNIT;
    area = malloc(sizeof *area);
    if (!area) return NULL;
    *area = (ptrt_area){.base = map((size_t)size), .size = size};
    if (area->base) return area;
    free(area);
    return NULL;
}

void ptrt_area_clear(unsigned char *from, uint64_t bytes) {
    if (madvise(from, (size_t)bytes, MADV_DONTNEED) != 0) memset(from, 0, (size_t)bytes);
}

void ptrt_area_give(ptrt_area *area, bool empty) {
    area->used = !empty;
    if (empty) ptrt_area_clear(area->base, area->size);
    pthread_mutex_lock(&lock);
    bool keep = area_count < AREAS_KEPT;
    if (keep) {
        area->next = free_areas;
        free_areas = area;
        area_count++;
    }
    pthread_mutex_unlock(&lock);
    if (!keep) area_free(area);
}

/* ---- end of the library ---- */

void ptrt_memory_drop(void) {
    pthread_mutex_lock(&lock);
    while (free_areas) {
        ptrt_area *area = free_areas;
        free_areas = area->next;
        area_free(area);
    }
    area_count = 0;
    bool idle = true;
    for (const ptrt_slab *s = slabs; s; s = s->next)
        idle = idle && s->out == 0;
    while (idle && slabs) {
        ptrt_slab *s = slabs;
        slabs = s->next;
        slab_free(s);
    }
    if (idle) free_stacks = NULL;
    pthread_mutex_unlock(&lock);
}
