/* fifo.c - the bounded queue of slots behind a cube-vector pipe. */
#include "core.h"

#include <stdlib.h>

/* Places that count: the cube core, and each vector core of the block. */
enum { SIDES = 3 };

struct ptrt_fifo {
    struct ptrt_fifo *next;
    int64_t block;
    ptrt_fifo_desc desc;
    unsigned char *ring;
    bool own_ring;
    int producers, consumers;
    uint64_t pushed[SIDES]; /* by producer: entries made ready */
    uint64_t popped[SIDES]; /* by consumer: entries taken */
    uint64_t freed[SIDES];  /* by consumer: slots given back */
};

/* Cube cores count at 0; vector core s at 0 or 1. */
static int side(const ptrt_core *core) {
    return core->cube ? 0 : core->sub;
}

static bool produces(const ptrt_core *core, const ptrt_fifo *f) {
    return core->cube == (f->desc.dir == PTRT_C2V);
}

static uint64_t least(const uint64_t *count, int n) {
    uint64_t m = count[0];
    for (int i = 1; i < n; i++)
        if (count[i] < m) m = count[i];
    return m;
}

static bool slot_free(const ptrt_core *core, const void *arg) {
    const ptrt_fifo *f = arg;
    return f->pushed[side(core)] - least(f->freed, f->consumers) < (uint64_t)f->desc.slot_num;
}

static bool entry_ready(const ptrt_core *core, const void *arg) {
    const ptrt_fifo *f = arg;
    return least(f->pushed, f->producers) > f->popped[side(core)];
}

static bool same_desc(const ptrt_fifo_desc *a, const ptrt_fifo_desc *b) {
    return a->split == b->split && a->slot_num == b->slot_num && a->slot_size == b->slot_size &&
           a->consumers == b->consumers && a->auto_free == b->auto_free && a->ring == b->ring;
}

static ptrt_fifo *fifo_new(ptrt_core *core, const ptrt_fifo_desc *desc) {
    int vectors = core->run->subblocks;
    ptrt_fifo *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->block = core->block;
    f->desc = *desc;
    f->ring = desc->ring;
    if (!f->ring) {
        f->ring = calloc((size_t)desc->slot_num, (size_t)desc->slot_size);
        f->own_ring = true;
        if (!f->ring) {
            free(f);
            return NULL;
        }
    }
    bool to_vectors = desc->dir == PTRT_C2V;
    int limit = desc->consumers > 0 && desc->consumers < vectors ? desc->consumers : vectors;
    f->producers = to_vectors || desc->split == 0 ? 1 : vectors;
    f->consumers = !to_vectors ? 1 : desc->split == 0 ? limit : vectors;
    f->next = core->group->fifos;
    core->group->fifos = f;
    return f;
}

int ptrt_fifo_open(ptrt_core *core, uint32_t line, const ptrt_fifo_desc *desc, ptrt_fifo **out) {
    if ((desc->dir != PTRT_C2V && desc->dir != PTRT_V2C) || desc->split < 0 || desc->split > 4 ||
        desc->slot_num <= 0 || desc->slot_size <= 0 || desc->consumers < 0 ||
        desc->slot_size > INT64_MAX / desc->slot_num)
        return ptrt_fail(core, PTRT_E_ARG, line, "pipe %d: illegal direction, split or slots",
                         (int)desc->id);
    for (ptrt_fifo *f = core->group->fifos; f; f = f->next) {
        if (f->block != core->block || f->desc.id != desc->id || f->desc.dir != desc->dir) continue;
        if (!same_desc(&f->desc, desc))
            return ptrt_fail(core, PTRT_E_ARG, line, "pipe %d: its two ends disagree",
                             (int)desc->id);
        *out = f;
        return PTRT_OK;
    }
    *out = fifo_new(core, desc);
    return *out ? PTRT_OK
                : ptrt_fail(core, PTRT_E_NOMEM, line, "pipe %d: out of memory", (int)desc->id);
}

static void *slot_at(const ptrt_fifo *f, uint64_t entry) {
    return f->ring + entry % (uint64_t)f->desc.slot_num * (uint64_t)f->desc.slot_size;
}

/* The calling core is on the end that the operation belongs to. */
static int check_end(ptrt_core *core, uint32_t line, const ptrt_fifo *f, bool producer,
                     const char *op) {
    if (produces(core, f) == producer && (producer || side(core) < f->consumers)) return PTRT_OK;
    return ptrt_fail(core, PTRT_E_ARG, line, "%s: pipe %d has its other end in this core", op,
                     (int)f->desc.id);
}

int ptrt_fifo_alloc(ptrt_core *core, uint32_t line, ptrt_fifo *f, void **slot) {
    *slot = NULL;
    int code = check_end(core, line, f, true, "pto.talloc");
    if (code != PTRT_OK || side(core) >= f->producers) return code;
    code = ptrt_wait(core, line, "pto.tpush: no free slot", slot_free, f);
    if (code == PTRT_OK) *slot = slot_at(f, f->pushed[side(core)]);
    return code;
}

int ptrt_fifo_push(ptrt_core *core, uint32_t line, ptrt_fifo *f) {
    int code = check_end(core, line, f, true, "pto.tpush");
    if (code != PTRT_OK || side(core) >= f->producers) return code;
    if (!slot_free(core, f))
        return ptrt_fail(core, PTRT_E_BOUNDS, line, "pto.tpush: pipe %d has no free slot",
                         (int)f->desc.id);
    f->pushed[side(core)]++;
    return PTRT_OK;
}

int ptrt_fifo_pop(ptrt_core *core, uint32_t line, ptrt_fifo *f, void **slot) {
    *slot = NULL;
    int code = check_end(core, line, f, false, "pto.tpop");
    if (code != PTRT_OK) return code;
    int me = side(core);
    if (f->desc.auto_free) f->freed[me] = f->popped[me];
    code = ptrt_wait(core, line, "pto.tpop: no entry", entry_ready, f);
    if (code == PTRT_OK) *slot = slot_at(f, f->popped[me]++);
    return code;
}

int ptrt_fifo_free(ptrt_core *core, uint32_t line, ptrt_fifo *f) {
    int code = check_end(core, line, f, false, "pto.tfree");
    if (code != PTRT_OK) return code;
    int me = side(core);
    if (f->freed[me] >= f->popped[me])
        return ptrt_fail(core, PTRT_E_BOUNDS, line, "pto.tfree: pipe %d has no entry in use",
                         (int)f->desc.id);
    f->freed[me]++;
    return PTRT_OK;
}

void ptrt_fifos_free(ptrt_group *group) {
    while (group->fifos) {
        ptrt_fifo *f = group->fifos;
        group->fifos = f->next;
        if (f->own_ring) free(f->ring);
        free(f);
    }
}
