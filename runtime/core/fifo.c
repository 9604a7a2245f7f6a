/* SPDX-License-Identifier: Apache-2.0 */
/* fifo.c - the bounded queue of slots that implements one direction of a pipe. All cores of a block
 * run on one thread, so counters need no lock; each core caches how far it may go before it must
 * look at the others. */
#include "core/fifo.h"

#include <stdlib.h>

/* ---- who takes part ---- */

/* Marks which cores produce and consume. The counters of the others are UINT64_MAX, so that least()
 * ignores them. */
static void set_places(const ptrt_run *run, ptrt_fifo *f) {
    const ptrt_fifo_desc *d = &f->desc;
    bool to_vectors = d->dir == PTRT_C2V;
    int vectors = run->subblocks, some = vectors;
    if (d->consumers > 0 && d->consumers < vectors) some = d->consumers;
    for (int v = 0; v < vectors; v++) {
        f->produces[1 + v] = !to_vectors && (d->split != 0 || v == 0);
        f->consumes[1 + v] = to_vectors && (d->split != 0 || v < some);
    }
    f->produces[0] = to_vectors;
    f->consumes[0] = !to_vectors;
    for (int p = 0; p < PTRT_PLACES; p++) {
        f->pushed[p] = f->produces[p] ? 0 : UINT64_MAX;
        f->freed[p] = f->consumes[p] ? 0 : UINT64_MAX;
    }
}

static uint64_t least(const uint64_t *count) {
    uint64_t n = count[0] < count[1] ? count[0] : count[1];
    return n < count[2] ? n : count[2];
}

/* An entry is complete when all its producers have pushed. */
static bool look_for_entries(ptrt_fifo *f, int me) {
    f->ready[me] = least(f->pushed);
    return f->popped[me] < f->ready[me];
}

/* A whole entry need not be freed by a consumer that has ended, while another one still runs. */
static uint64_t least_of_running(const ptrt_fifo *f, const ptrt_block *block) {
    uint64_t n = UINT64_MAX;
    for (size_t i = 0; i < block->count; i++) {
        const ptrt_core *c = &block->cores[i];
        if (c->state != PTRT_CORE_DONE && f->freed[c->place] < n) n = f->freed[c->place];
    }
    return n;
}

/* A slot is free when all its consumers have freed it. */
static bool look_for_room(const ptrt_core *core, ptrt_fifo *f, int me) {
    uint64_t slots = (uint64_t)f->desc.slot_num, freed = least(f->freed);
    if (f->pushed[me] >= freed + slots && f->desc.split == 0) {
        uint64_t running = least_of_running(f, core->block);
        if (running != UINT64_MAX) freed = running;
    }
    f->room[me] = freed + slots;
    return f->pushed[me] < f->room[me];
}

/* ---- opening ---- */

/* Grows an array to at least `want` elements. NULL when memory is exhausted; `p` stays valid
 * then. */
static void *grown(void *p, size_t *have, size_t want, size_t each) {
    if (want <= *have) return p;
    void *more = realloc(p, want * each);
    if (more) *have = want;
    return more;
}

static bool get_slots(ptrt_fifo *f, unsigned char *const *ring) {
    size_t bytes = (size_t)f->desc.slot_num * (size_t)f->desc.slot_size;
    size_t entries = 2 * (size_t)f->desc.slot_num;
    unsigned char *one = f->desc.ring;
    ptrt_fifo_note *list = grown(f->notes, &f->notes_size, entries, sizeof *list);
    if (!list) return false;
    f->notes = list;
    for (size_t i = 0; i < entries; i++)
        list[i] = (ptrt_fifo_note){.elem = PTRT_ELEMS};
    if (!ring && !one) {
        one = grown(f->own, &f->own_size, bytes, 1);
        if (!one) return false;
        f->own = one;
        memset(one, 0, bytes);
    }
    f->on_chip = ring != NULL;
    for (int p = 0; p < PTRT_PLACES; p++)
        f->ring[p] = ring ? ring[p] : one;
    return true;
}

/* Reuses a FIFO of an earlier block of this slot, or makes a new one. */
static ptrt_fifo *fifo_new(ptrt_core *core, const ptrt_fifo_desc *desc,
                           unsigned char *const *ring) {
    ptrt_block *block = core->block;
    ptrt_fifo *f = block->spare;
    if (f) block->spare = f->next;
    if (!f) f = calloc(1, sizeof *f);
    if (!f) return NULL;
    *f = (ptrt_fifo){.desc = *desc,
                     .own = f->own,
                     .own_size = f->own_size,
                     .spill = f->spill,
                     .spill_size = f->spill_size,
                     .notes = f->notes,
                     .notes_size = f->notes_size};
    bool good = get_slots(f, ring);
    ptrt_fifo **list = good ? &block->fifos : &block->spare;
    set_places(core->run, f);
    f->next = *list;
    *list = f;
    return good ? f : NULL;
}

static bool same(const ptrt_fifo *f, const ptrt_fifo_desc *d, unsigned char *const *ring) {
    const ptrt_fifo_desc *e = &f->desc;
    if (e->split != d->split || e->slot_num != d->slot_num || e->slot_size != d->slot_size ||
        e->consumers != d->consumers || e->ring != d->ring || f->on_chip != (ring != NULL))
        return false;
    return !ring || memcmp(f->ring, ring, sizeof f->ring) == 0;
}

static int check_desc(ptrt_core *core, uint32_t line, const ptrt_fifo_desc *d) {
    if ((d->dir != PTRT_C2V && d->dir != PTRT_V2C) || d->split < 0 || d->split > 4 ||
        d->slot_num <= 0 || d->slot_size <= 0 || d->consumers < 0 ||
        d->slot_num > INT32_MAX / 2 - 1 || d->slot_size > INT64_MAX / d->slot_num)
        return ptrt_fail(core, PTRT_E_ARG, line, "pipe %d: illegal direction, split or slots",
                         (int)d->id);
    if (d->split != 0 && core->run->subblocks < 2)
        return ptrt_fail(core, PTRT_E_ARG, line,
                         "pipe %d: entries are split between two vector cores, and the blocks of "
                         "this launch have one",
                         (int)d->id);
    return PTRT_OK;
}

int ptrt_fifo_open_at(ptrt_core *core, uint32_t line, const ptrt_fifo_desc *desc,
                      unsigned char *const *ring, ptrt_fifo **out) {
    int code = check_desc(core, line, desc);
    if (code != PTRT_OK) return code;
    ptrt_fifo *f = core->block->fifos;
    while (f && (f->desc.id != desc->id || f->desc.dir != desc->dir))
        f = f->next;
    if (f && !same(f, desc, ring))
        return ptrt_fail(core, PTRT_E_ARG, line, "pipe %d: its two ends disagree", (int)desc->id);
    if (!f) f = fifo_new(core, desc, ring);
    if (!f) return ptrt_fail(core, PTRT_E_NOMEM, line, "pipe %d: out of memory", (int)desc->id);
    /* Only the consumers' function knows whether it frees. */
    if (f->consumes[core->place]) f->desc.auto_free = desc->auto_free;
    *out = f;
    return PTRT_OK;
}

int ptrt_fifo_open(ptrt_core *core, uint32_t line, const ptrt_fifo_desc *desc, ptrt_fifo **out) {
    return ptrt_fifo_open_at(core, line, desc, NULL, out);
}

unsigned char *ptrt_fifo_spill(ptrt_fifo *f, int64_t size) {
    unsigned char *spill = grown(f->spill, &f->spill_size, (size_t)size, 1);
    if (spill) f->spill = spill;
    return spill;
}

/* ---- entries ---- */

static int wrong_end(ptrt_core *core, uint32_t line, const ptrt_fifo *f, const char *op) {
    return ptrt_fail(core, PTRT_E_ARG, line, "%s: pipe %d has its other end in this core", op,
                     (int)f->desc.id);
}

/* Handles a call by a core that does not produce. Vector core 1 does nothing where entries are not
 * split; a core at the other end is an error. */
static int no_producer(ptrt_core *core, uint32_t line, const ptrt_fifo *f, const char *op) {
    bool to_vectors = f->desc.dir == PTRT_C2V;
    return core->cube == to_vectors ? PTRT_OK : wrong_end(core, line, f, op);
}

static int32_t next_slot(const ptrt_fifo *f, int32_t slot) {
    return slot + 1 < f->desc.slot_num ? slot + 1 : 0;
}

/* A cube core that writes on-chip slots is given the slot of vector core 0. */
static bool try_alloc(ptrt_core *core, void *arg, void *out) {
    ptrt_fifo *f = arg;
    int me = core->place;
    if (f->pushed[me] >= f->room[me] && !look_for_room(core, f, me)) return false;
    *(void **)out = ptrt_fifo_slot(f, me == 0 ? 1 : 0, f->push_slot[me]);
    return true;
}

int ptrt_fifo_alloc(ptrt_core *core, uint32_t line, ptrt_fifo *f, void **slot) {
    *slot = NULL;
    if (!f->produces[core->place]) return no_producer(core, line, f, "pto.talloc");
    if (try_alloc(core, f, slot)) return PTRT_OK;
    return ptrt_wait(core, line, "pto.tpush: no free slot", try_alloc, f, slot);
}

int ptrt_fifo_push(ptrt_core *core, uint32_t line, ptrt_fifo *f) {
    int me = core->place;
    if (!f->produces[me]) return no_producer(core, line, f, "pto.tpush");
    if (f->pushed[me] >= f->room[me] && !look_for_room(core, f, me))
        return ptrt_fail(core, PTRT_E_BOUNDS, line, "pto.tpush: pipe %d has no free slot",
                         (int)f->desc.id);
    f->pushed[me]++;
    f->push_slot[me] = next_slot(f, f->push_slot[me]);
    return PTRT_OK;
}

static bool try_pop(ptrt_core *core, void *arg, void *out) {
    ptrt_fifo *f = arg;
    int me = core->place;
    if (f->popped[me] >= f->ready[me] && !look_for_entries(f, me)) return false;
    *(void **)out = ptrt_fifo_slot(f, me, f->pop_slot[me]);
    f->popped[me]++;
    f->pop_slot[me] = next_slot(f, f->pop_slot[me]);
    return true;
}

int ptrt_fifo_pop(ptrt_core *core, uint32_t line, ptrt_fifo *f, void **slot) {
    int me = core->place;
    *slot = NULL;
    if (!f->consumes[me]) return wrong_end(core, line, f, "pto.tpop");
    if (f->desc.auto_free) f->freed[me] = f->popped[me];
    if (try_pop(core, f, slot)) return PTRT_OK;
    return ptrt_wait(core, line, "pto.tpop: no entry", try_pop, f, slot);
}

int ptrt_fifo_free(ptrt_core *core, uint32_t line, ptrt_fifo *f) {
    int me = core->place;
    if (!f->consumes[me]) return wrong_end(core, line, f, "pto.tfree");
    if (f->freed[me] >= f->popped[me])
        return ptrt_fail(core, PTRT_E_BOUNDS, line, "pto.tfree: pipe %d has no entry in use",
                         (int)f->desc.id);
    f->freed[me]++;
    return PTRT_OK;
}

/* ---- end of a block ---- */

void ptrt_fifos_end(ptrt_block *block) {
    while (block->fifos) {
        ptrt_fifo *f = block->fifos;
        block->fifos = f->next;
        f->next = block->spare;
        block->spare = f;
    }
}

void ptrt_fifos_free(ptrt_block *block) {
    ptrt_fifos_end(block);
    while (block->spare) {
        ptrt_fifo *f = block->spare;
        block->spare = f->next;
        free(f->own);
        free(f->spill);
        free(f->notes);
        free(f);
    }
}
