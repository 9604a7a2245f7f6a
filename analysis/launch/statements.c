/* SPDX-License-Identifier: Apache-2.0 */
/* Makes statements of steps: which queue or event each is about, and which bytes it touches that
 * other cores may touch, too. */
#include "analysis/launch/statements.h"

#include "analysis/entries.h"
#include "analysis/launch/places.h"
#include "analysis/launch/values.h"

/* ---- which steps matter ---- */

static int entry_of(const LaunchBlock *b, const void *key) {
    return key != NULL ? (int)(uintptr_t)ptrmap_get(&b->entries, key) - 1 : -1;
}

/* Returns the number of the entry that a use touches; -1: it is none. */
static int entry_used(const LaunchBlock *b, const Use *u) {
    const Place *p = u->places[0];
    if (p->base == BASE_BOUND) return entry_of(b, p->of);
    return p->base == BASE_ANY && !place_is_memory(p) ? entry_of(b, u->value) : -1;
}

/* True for global memory that a core writes and another one uses. */
static bool is_shared(const LaunchBlock *b, const Place *p) {
    if (!place_is_memory(p)) return false;
    if (p->base != BASE_PARAMETER) return true;
    const uint32_t i = ((const Value *)p->of)->index; /* of all cores: see prove_on() */
    const unsigned all = b->users[i] | b->writers[i];
    return b->any_written || (b->writers[i] != 0 && (all & (all - 1)) != 0);
}

static bool is_touch(const Attempt *a, const Use *u) {
    const LaunchBlock *b = a->block;
    if (!a->followed) return false;
    return entry_used(b, u) >= 0 || (a->judged && !u->scratch && is_shared(b, u->places[0]));
}

static bool touches(const Attempt *a, const Step *s) {
    for (uint32_t i = 0; i < s->nuses; i++)
        if (is_touch(a, &s->uses[i])) return true;
    return false;
}

unsigned statement_relevance(const Attempt *a, const Step *s) {
    const LaunchBlock *b = a->block;
    switch (s->kind) {
    case STEP_ACCESS:
        return s->op->inst->entry != ENTRY_NONE ? 3 : touches(a, s);
    case STEP_SET:
    case STEP_WAIT:
    case STEP_BARRIER:
    case STEP_BARRIER_ALL:
    case STEP_FENCE:
    case STEP_GET:
    case STEP_RELEASE:
        return a->judged || (b->ordered && !b->sequential);
    case STEP_CORES:
        return op_meets_cores(s->op) ? 3 : 0;
    default:
        return 0;
    }
}

/* ---- queues ---- */

/* Follows the handle of a pipe to the statement that opened it. */
static const Op *opening_of(const Value *pipe, const Env *env) {
    for (; pipe != NULL && pipe->argument; env = env->up) {
        while (env != NULL && env->entry == NULL)
            env = env->up;
        if (env == NULL || value_block(pipe) != env->entry) return NULL;
        pipe = env->step->op->operands[pipe->index].value;
    }
    return pipe != NULL ? pipe->def : NULL;
}

static const PipeEnd *frontend_end(const LaunchBlock *b, const Op *op, bool cube) {
    const PipeProgram *p = b->pipes;
    const int64_t id = pipe_attr(op, ATTR_id, 0);
    const PipeEnd *found = NULL;
    for (uint32_t i = 0; i < p->nends; i++) {
        const PipeEnd *e = &p->ends[i];
        if (!b->ours[i] || e->lowered || e->cube != cube || e->id != id) continue;
        if (found == NULL || e->note->func == op_function(op)) found = e;
    }
    return found;
}

static const PipeEnd *end_of(const Attempt *a, unsigned core, const Op *op, const Env *env) {
    const PipeProgram *p = a->block->pipes;
    const int slot = inst_slot(op->inst, OPERAND_pipe_handle);
    if (p == NULL) return NULL;
    if (slot < 0) return frontend_end(a->block, op, core == ON_CUBE);
    const Op *opening = opening_of(slot_value(op, slot), env);
    return opening != NULL ? pipe_end_of(p, opening) : NULL;
}

static Queue *queue_new(Attempt *a, uint32_t root, bool to_vector, const PipeEnd *e) {
    enum { MOST_SLOTS = 64 };
    PipeProgram *p = a->block->pipes;
    Queue *q = ARENA_NEW(a->arena, Queue);
    if (e->slot_num < 1 || e->slot_num > MOST_SLOTS || e->local_slot_num < 1 ||
        e->local_slot_num > MOST_SLOTS)
        return NULL;
    *q = (Queue){.next = a->queues, .number = a->nqueues++, .root = root, .to_vector = to_vector};
    q->slots = q->ring = (uint32_t)e->slot_num;
    q->opening = e->note->op;
    for (uint32_t i = 0; i < p->nends; i++) {
        if (!a->block->ours[i] || a->block->roots[i] != root) continue;
        const int64_t ring = p->ends[i].local_slot_num;
        if (p->ends[i].slot_num != e->slot_num || ring < 1 || ring > MOST_SLOTS) return NULL;
        if (ring != e->slot_num) q->ring = (uint32_t)ring;
    }
    q->period = q->slots <= 2 ? q->slots : q->slots / 2;
    q->modulus = (uint32_t)common_multiple(common_multiple(q->slots, q->ring), q->period);
    return a->queues = q;
}

/* Returns the queue of a statement about an entry; NULL when it is not understood. */
static Queue *queue_of(Attempt *a, unsigned core, const Op *op, const Env *env) {
    const PipeEnd *e = end_of(a, core, op, env);
    const bool gives = op->inst->entry == ENTRY_PUSH || op->inst->entry == ENTRY_ALLOC;
    const bool to_vector = gives == (core == ON_CUBE);
    if (e == NULL || e->dir == 0) return NULL;
    if ((e->dir & (to_vector ? DIR_C2V : DIR_V2C)) == 0) return NULL;
    const ptrdiff_t end = e - a->block->pipes->ends;
    const uint32_t root = a->block->roots[end];
    if (a->block->alone[end]) return NULL;
    for (Queue *q = a->queues; q != NULL; q = q->next)
        if (q->root == root && q->to_vector == to_vector) return q;
    return queue_new(a, root, to_vector, e);
}

/* True for a tile whose valid region has no element. */
static bool is_empty(Numbers *t, const Value *v) {
    if (!type_is_tile(v->type)) return false;
    const Op *alloc = v->def != NULL && op_is(v->def, INST_ALLOC_TILE) ? v->def : NULL;
    for (int rows = 0; rows < 2; rows++) {
        const int64_t n = rows ? v->type->tile.vrow : v->type->tile.vcol;
        const Value *given =
            alloc != NULL ? named_value(alloc, rows ? OPERAND_valid_row : OPERAND_valid_col) : NULL;
        if (n == 0) return true;
        if (n == DYNAMIC && given != NULL && !t->any_reshaped &&
            ptrmap_get(&t->reshaped, v) == NULL && number_of(t, given)->hi <= 0)
            return true;
    }
    return false;
}

static void take_entry(Attempt *a, Statement *s) {
    static const uint8_t kinds[] = {[ENTRY_ALLOC] = DO_ALLOC,
                                    [ENTRY_PUSH] = DO_PUSH,
                                    [ENTRY_POP] = DO_POP,
                                    [ENTRY_FREE] = DO_FREE};
    const Op *op = s->step->op;
    const Value *entry = entry_value(op);
    const int64_t split = pipe_attr(op, ATTR_split, 0);
    s->kind = kinds[op->inst->entry];
    s->queue = queue_of(a, s->core, op, s->env);
    if (s->queue == NULL || split < 0 || split > UINT8_MAX) {
        attempt_fails(a, op, "the pipe of an entry");
        return;
    }
    s->split = (uint8_t)split;
    if (entry != NULL && !type_is_tile(entry->type)) s->queue->views = true;
    if (s->kind == DO_POP) s->queue->copied |= !s->step->signal;
    if (s->kind == DO_PUSH && entry != NULL)
        s->empty = is_empty(&a->block->cores[s->core].steps->numbers, entry);
    if (s->kind == DO_POP || s->kind == DO_ALLOC) {
        s->entry = a->followed ? entry_of(a->block, op) : -1;
        if (s->entry >= 0) a->queue_of[s->entry] = s->queue;
    }
}

/* ---- signals between cores ---- */

static bool read_event(Attempt *a, Statement *s) {
    const Op *op = s->step->op;
    const NamedAttr *named = op_attr_named(op, ATTR_event_id);
    const NamedAttr *mode = op_attr_named(op, ATTR_ffts_mode);
    int64_t event = -1;
    if (mode != NULL && (mode->value->kind != ATTR_INT || mode->value->i != 2)) return false;
    if (named != NULL && named->value->kind == ATTR_INT) event = named->value->i;
    if (named == NULL && op->noperands == 1) {
        const Term *t = term_of(a, s->core, op->operands[0].value, s->env);
        if (t->kind == TERM_CONSTANT) event = t->c;
    }
    s->event = (uint32_t)event;
    return event >= 0 && event < (a->block->info->block_semaphores ? 32 : 16);
}

static bool is_set(const Op *op) {
    return op_is(op, INST_SYNC_SET) || op_is(op, INST_SET_INTRA_BLOCK);
}

static bool is_wait(const Op *op) {
    return op_is(op, INST_SYNC_WAIT) || op_is(op, INST_WAIT_INTRA_BLOCK);
}

/* Returns the cores that a barrier of cores waits for; 0: that is not known. */
static unsigned met_by(const Attempt *a, const Statement *s) {
    const unsigned kinds = op_syncs_all(s->step->op);
    unsigned cores = 0;
    for (unsigned c = 0; c < CORES; c++) {
        const Core kind = c == ON_CUBE ? CORE_CUBE : CORE_VECTOR;
        if (a->block->cores[c].there && (kinds >> kind & 1) != 0) cores |= 1u << c;
    }
    return (cores >> s->core & 1) != 0 ? cores : 0;
}

static void take_cores(Attempt *a, Statement *s) {
    const Op *op = s->step->op;
    if (is_set(op) || is_wait(op)) {
        s->kind = is_set(op) ? DO_SIGNAL : DO_AWAIT;
        if (!read_event(a, s)) attempt_fails(a, op, "an event between cores");
        if (s->pipe == PIPE_NONE) attempt_fails(a, op, "a pipe");
    } else if (op_is(op, INST_SYNCALL)) {
        s->kind = DO_MEET;
        s->pipe = s->core == ON_CUBE ? PIPE_FIX : PIPE_MTE3;
        s->meets = (uint8_t)met_by(a, s);
        if (s->meets == 0) attempt_fails(a, op, "a barrier of cores");
    } else {
        attempt_fails(a, op, "a signal between cores");
    }
}

/* ---- bytes ---- */

/* What a push reads of its own core, and a pop or free writes, is known from the queue. */
static bool is_own_entry(const Statement *s, const Use *u) {
    return s->kind != DO_ACCESS && s->kind != DO_PUSH && u->write;
}

/* True when an operand may be one of several entries, or something else. What is bound to one entry
 * after another is always the last. */
static bool is_one_of_several(const LaunchBlock *b, const Step *s, const Use *u) {
    const int entry = entry_used(b, u);
    for (uint32_t i = 0; i < s->nuses && u->maybe; i++)
        if (s->uses[i].value == u->value && (entry < 0 || entry_used(b, &s->uses[i]) != entry))
            return true;
    return false;
}

static void take_touches(Attempt *a, Statement *s) {
    const LaunchBlock *b = a->block;
    const Step *step = s->step;
    s->touches = ARENA_ARRAY(a->arena, Touch, step->nuses + 1);
    for (uint32_t i = 0; i < step->nuses; i++) {
        const Use *u = &step->uses[i];
        if (!is_touch(a, u) || is_own_entry(s, u)) continue;
        /* the view that a push gives away was written before */
        if (s->kind == DO_PUSH && s->queue != NULL && s->queue->views) continue;
        const int entry = entry_used(b, u);
        Touch *t = &s->touches[s->ntouches++];
        *t = (Touch){.write = u->write, .use = u, .entry = entry};
        t->maybe = is_one_of_several(b, step, u);
        if (entry < 0) t->places = places_between(a, s, u);
    }
}

/* ---- making ---- */

static void take_kind(Attempt *a, Statement *s) {
    static const uint8_t kinds[] = {[STEP_ACCESS] = DO_ACCESS,
                                    [STEP_SET] = DO_SET,
                                    [STEP_WAIT] = DO_WAIT,
                                    [STEP_BARRIER] = DO_BARRIER,
                                    [STEP_BARRIER_ALL] = DO_BARRIER_ALL,
                                    [STEP_FENCE] = DO_FENCE,
                                    [STEP_GET] = DO_GET,
                                    [STEP_RELEASE] = DO_RELEASE};
    if (s->step->kind == STEP_CORES)
        take_cores(a, s);
    else if (s->step->kind == STEP_ACCESS && s->step->op->inst->entry != ENTRY_NONE)
        take_entry(a, s);
    else
        s->kind = kinds[s->step->kind];
}

Statement *statement_new(Attempt *a, unsigned core, const Step *step, const Env *env,
                         const Item *around) {
    Statement *s = ARENA_NEW(a->arena, Statement);
    *s = (Statement){.step = step, .env = env, .around = around, .core = (uint8_t)core};
    s->number = a->nstatements++;
    s->pipe = step->pipe;
    s->entry = -1;
    take_kind(a, s);
    if (a->why == NULL) take_touches(a, s);
    if (s->pipe < PIPES) a->used[core] |= 1u << s->pipe;
    if (s->kind == DO_SET || s->kind == DO_WAIT) a->used[core] |= 1u << step->to;
    return s;
}
