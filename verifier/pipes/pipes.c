/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes within one function: one set-up per number, and for each push, pop, alloc and free a
 * set-up that dominates it and has its direction. */
#include "verifier/pipes/pipes.h"
#include "verifier/fixes/corrections.h"

#include <stdlib.h>
#include <string.h>

/* ---- the walk ---- */

static void *grown(Arena *a, void *list, uint32_t n, uint32_t *cap, size_t size) {
    if (n < *cap) return list;
    *cap = *cap == 0 ? 16 : *cap * 2;
    void *more = arena_alloc(a, *cap * size, 8);
    if (n != 0) memcpy(more, list, n * size);
    return more;
}

void note_pipe_op(Verifier *v, const Op *op, bool good, bool reachable) {
    PipeNotes *p = &v->pipes;
    Arena *a = &v->judge.ctx->arena;
    p->list = grown(a, p->list, p->n, &p->cap, sizeof *p->list);
    p->open = grown(a, p->open, p->nopen, &p->open_cap, sizeof *p->open);
    p->open[p->nopen++] = p->n;
    p->list[p->n++] = (PipeNote){op, v->func, UINT32_MAX, v->core, good, reachable};
}

void close_pipe_notes(Verifier *v, uint32_t mark) {
    PipeNotes *p = &v->pipes;
    while (p->nopen > mark)
        p->list[p->open[--p->nopen]].closed = p->n;
}

/* ---- looking at statements ---- */

/* Returns the direction of a frontend statement about entries; 0 for any other statement. */
static unsigned entry_direction(const Op *op) {
    const Inst *inst = op->inst;
    if (inst->entry == ENTRY_NONE || inst->core == CORE_ANY) return 0;
    bool from = inst->entry == ENTRY_ALLOC || inst->entry == ENTRY_PUSH;
    return from == (inst->core == CORE_CUBE) ? DIR_C2V : DIR_V2C;
}

/* Returns the pipe of a lowered statement about entries; NULL for any other statement. */
static const Value *lowered_pipe(const Op *op) {
    if (op->inst->entry == ENTRY_NONE || op->inst->core != CORE_ANY) return NULL;
    return named_value(op, OPERAND_pipe_handle);
}

/* ---- one function ---- */

/* The notes and ends of one function; its frontend ends sorted by number. */
typedef struct FuncPipes {
    uint32_t first, last; /* notes [first, last) */
    PipeEnd **ends;
    uint32_t n;
} FuncPipes;

static int by_id(const void *a, const void *b) {
    const PipeEnd *x = *(PipeEnd *const *)a, *y = *(PipeEnd *const *)b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static PipeEnd *find_id(const FuncPipes *f, int64_t id, bool *several) {
    uint32_t lo = 0, hi = f->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (f->ends[mid]->id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == f->n || f->ends[lo]->id != id) return NULL;
    *several = lo + 1 < f->n && f->ends[lo + 1]->id == id;
    return f->ends[lo];
}

Span pipe_attr_span(const Op *op, AttrName name) {
    const NamedAttr *a = op_attr_named(op, name);
    return a != NULL && a->span.len != 0 ? a->span : op->name_span;
}

static void check_ids(PipeProgram *p, const FuncPipes *f) {
    const PipeEnd *first = NULL;
    for (uint32_t i = 0; i < f->n; i++)
        if (first == NULL || f->ends[i]->at < first->at) first = f->ends[i];
    for (uint32_t i = 0; i < f->n; i++) {
        const Op *op = f->ends[i]->note->op;
        Diag *d = NULL;
        if (i > 0 && f->ends[i - 1]->id == f->ends[i]->id) {
            d = diag_add(p->diags, DIAG_UNIQUE_NAME, pipe_attr_span(op, ATTR_id),
                         "%s: pipe %lld is set up twice in this function", op->inst->name,
                         (long long)f->ends[i]->id);
            diag_note_at(p->diags, d, f->ends[i - 1]->note->op->name_span, "the other set-up");
            f->ends[i]->peer_unknown = f->ends[i - 1]->peer_unknown = true;
        } else if (f->ends[i]->cube != first->cube && f->ends[i]->note->good) {
            d = diag_add(p->diags, DIAG_KERNEL_KIND, op->name_span,
                         "%s: one function has pipes of the cube side and of the vector side",
                         op->inst->name);
            diag_note_at(p->diags, d, first->note->op->name_span, "the first set-up");
            f->ends[i]->peer_unknown = true;
        }
    }
}

/* ---- entries ---- */

/* Returns the type of the entry: an operand, or the result of a pop or alloc. */
static const Type *entry_type(const Op *op) {
    int slot = inst_slot(op->inst, OPERAND_entry);
    if (slot >= 0) return slot_type(op, slot);
    return op->nresults > 0 ? op->results[0].type : NULL;
}

static bool check_view_entry(PipeProgram *p, const PipeEnd *e, const Op *op) {
    const Type *t = entry_type(op);
    if (t == NULL || t->kind != TY_TENSOR_VIEW) return true;
    if (e->slots != NULL && e->slots->kind == TY_TENSOR_VIEW && type_same(e->slots, t)) return true;
    Diag *d;
    if (e->slots == NULL)
        d = diag_add(p->diags, DIAG_PAIRING, op->name_span,
                     "%s: the entry is a view, but pipe %lld has no gm_slot_tensor", op->inst->name,
                     (long long)e->id);
    else
        d = diag_add(p->diags, DIAG_TYPE_MISMATCH, op->name_span,
                     "%s: the entry has type %.*s, the slots of pipe %lld are %.*s", op->inst->name,
                     TYPE_TEXT(p, t), (long long)e->id, TYPE_TEXT(p, e->slots));
    diag_note_at(p->diags, d, e->note->op->name_span, "the pipe is set up here");
    return false;
}

/* True when all profiles of the set allow slots in global memory without a gm_slot_tensor. */
static bool plain_slots(ProfileSet set) {
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((set & PROFILE_BIT(p)) != 0 && !profile_infos[p].plain_pipe_slots) return false;
    return true;
}

/* Only tiles from cube to vector, through global memory and a buffer of the consumer, can be split
 * at an odd extent; some profiles want the global memory as a view. */
static bool check_odd_entry(PipeProgram *p, const PipeEnd *e, const Op *op, int64_t split) {
    bool view = !plain_slots(p->profiles);
    if (split < 3 ||
        (e->dir == DIR_C2V && e->buffer[0] != NULL && (e->slots != NULL || (e->has_gm && !view))))
        return true;
    Diag *d = diag_add(p->diags, DIAG_ATTR_VALUE, pipe_attr_span(op, ATTR_split),
                       "%s: split = %lld needs a pipe from cube to vector only, with slots in "
                       "global memory%s and a c2v_consumer_buf",
                       op->inst->name, (long long)split, view ? " (gm_slot_tensor)" : "");
    diag_note_at(p->diags, d, e->note->op->name_span, "the pipe is set up here");
    return false;
}

/* `direction` may be both, as a lowered statement does not tell its own. */
static void note_use(PipeEnd *e, const Op *op, int64_t split, unsigned direction) {
    const Op **use = split == 0 ? &e->whole : &e->split;
    if (*use == NULL) *use = op;
    if (split == 0 || (direction != DIR_C2V && direction != DIR_V2C)) return;
    const Op **axis = &e->axis[direction == DIR_V2C][split % 2 == 0];
    if (*axis == NULL) *axis = op;
}

/* Offers the id of the only pipe of the function with this direction. */
static void offer_id(PipeProgram *p, const FuncPipes *f, const Op *op, unsigned direction,
                     Diag *d) {
    const NamedAttr *id = op_attr_named(op, ATTR_id);
    const PipeEnd *only = NULL;
    Span place;
    for (uint32_t i = 0; i < f->n; i++) {
        if ((f->ends[i]->dir & direction) == 0 || !f->ends[i]->note->good) continue;
        if (only != NULL) return;
        only = f->ends[i];
    }
    if (only != NULL && id != NULL && id->value->kind == ATTR_INT &&
        value_place(p->ctx, id->value, &place))
        diag_edit(p->diags, d, place, "%lld", (long long)only->id);
    d->guess |= d->edits != NULL;
}

static void check_entry_op(PipeProgram *p, const FuncPipes *f, uint32_t at, unsigned direction) {
    const PipeNote *note = &p->notes[at];
    const Op *op = note->op;
    int64_t id = pipe_attr(op, ATTR_id, 0), split = pipe_attr(op, ATTR_split, 0);
    bool several = false;
    PipeEnd *e = find_id(f, id, &several);
    if (e != NULL) e->uses = true;
    if (!note->good || several) return;
    if (e == NULL || !note_dominates(p, e->at, at)) {
        if (e == NULL && p->partial) return;
        Diag *d = diag_add(p->diags, DIAG_PAIRING, op->name_span,
                           e == NULL ? "%s: this function does not set up pipe %lld"
                                     : "%s: pipe %lld is not set up on every path to here",
                           op->inst->name, (long long)id);
        if (e != NULL)
            diag_note_at(p->diags, d, e->note->op->name_span, "it is set up here");
        else
            offer_id(p, f, op, direction, d);
        return;
    }
    if (e->dir == 0 || !e->note->good) return;
    if ((e->dir & direction) == 0) {
        Diag *d = diag_add(p->diags, DIAG_PAIRING, op->name_span,
                           "%s: pipe %lld does not go from %s", op->inst->name, (long long)id,
                           direction == DIR_C2V ? "cube to vector" : "vector to cube");
        diag_note_at(p->diags, d, e->note->op->name_span, "its dir_mask is %u", e->dir);
        return;
    }
    if (e->fixpipe && !verify_fixpipe_op(p, e, at)) return;
    note_use(e, op, split, direction);
    if (check_view_entry(p, e, op)) check_odd_entry(p, e, op, split);
}

/* The name of a lowered statement does not tell its core: the code around it must. */
static void check_lowered_op(PipeProgram *p, const PipeNote *note, const Value *pipe) {
    const Op *op = note->op;
    if (note->core == CORE_ANY && note->good)
        diag_add(p->diags, DIAG_KERNEL_KIND, op->name_span,
                 "%s: it is in no section, nor in a function with a pto.kernel_kind",
                 op->inst->name);
    PipeEnd *e = pipe->def != NULL ? pipe_end_of(p, pipe->def) : NULL;
    if (e != NULL && note->good) note_use(e, op, pipe_attr(op, ATTR_split, 0), e->dir);
}

static void check_notes(PipeProgram *p, const FuncPipes *f) {
    for (uint32_t i = f->first; i < f->last; i++) {
        const Op *op = p->notes[i].op;
        unsigned direction = entry_direction(op);
        const Value *pipe = lowered_pipe(op);
        bool several = false;
        if (direction != 0) {
            check_entry_op(p, f, i, direction);
        } else if (pipe != NULL) {
            check_lowered_op(p, &p->notes[i], pipe);
        } else if (op_sets_quant(op)) {
            PipeEnd *e = find_id(f, pipe_attr(op, ATTR_id, 0), &several);
            if (!several) verify_quant_op(p, e, i);
        }
    }
}

/* ---- names of buffers ---- */

typedef struct BufferName {
    Atom name, func;
    uint32_t at;
} BufferName;

static int by_buffer(const void *a, const void *b) {
    const BufferName *x = a, *y = b;
    if (x->name != y->name) return x->name < y->name ? -1 : 1;
    if (x->func != y->func) return x->func < y->func ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Checks that a buffer is reserved once, and imported once from each function. */
static void check_buffer_names(PipeProgram *p, const FuncPipes *f) {
    BufferName *names = ARENA_ARRAY(&p->ctx->arena, BufferName, f->last - f->first);
    uint32_t n = 0;
    for (uint32_t i = f->first; i < f->last; i++) {
        const Op *op = p->notes[i].op;
        if (op_is(op, INST_RESERVE_BUFFER) || op_is(op, INST_IMPORT_RESERVED_BUFFER))
            names[n++] =
                (BufferName){pipe_attr_text(op, ATTR_name), pipe_attr_text(op, ATTR_peer_func), i};
    }
    if (n > 1) qsort(names, n, sizeof *names, by_buffer);
    for (uint32_t i = 1; i < n; i++) {
        if (names[i].name != names[i - 1].name || names[i].func != names[i - 1].func) continue;
        const Op *op = p->notes[names[i].at].op, *first = p->notes[names[i - 1].at].op;
        Diag *d = diag_add(p->diags, DIAG_UNIQUE_NAME, pipe_attr_span(op, ATTR_name),
                           "%s: this function has the buffer already", op->inst->name);
        diag_note_at(p->diags, d, first->name_span, "the other statement");
    }
}

/* ---- entry point ---- */

static void verify_function(PipeProgram *p, uint32_t first, uint32_t last, uint32_t *end) {
    FuncPipes f = {first, last, NULL, 0};
    uint32_t from = *end;
    while (*end < p->nends && p->ends[*end].at < last)
        (*end)++;
    f.ends = ARENA_ARRAY(&p->ctx->arena, PipeEnd *, *end - from + 1);
    for (uint32_t i = from; i < *end; i++)
        if (!p->ends[i].lowered) f.ends[f.n++] = &p->ends[i];
    if (f.n > 1) qsort(f.ends, f.n, sizeof *f.ends, by_id);
    check_ids(p, &f);
    check_buffer_names(p, &f);
    check_notes(p, &f);
}

void verify_pipes(Verifier *v) {
    if (v->pipes.n == 0) return;
    PipeProgram p = {.ctx = v->judge.ctx,
                     .root = v->judge.root,
                     .profiles = v->judge.profiles,
                     .compat = v->judge.opt->compat,
                     .diags = &v->judge.ctx->diags,
                     .notes = v->pipes.list,
                     .n = v->pipes.n,
                     .partial = v->judge.partial};
    pipe_collect_ends(&p);
    uint32_t end = 0;
    for (uint32_t i = 0, k; i < p.n; i = k) {
        for (k = i + 1; k < p.n && p.notes[k].func == p.notes[i].func; k++)
            ;
        verify_function(&p, i, k, &end);
    }
    verify_pipe_peers(&p);
}
