/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes between functions: an imported buffer is reserved by the function it names, the two ends
 * of a pipe agree, and the pipes of a function get hardware flags. */
#include "verifier/pipes/pipes.h"

#include <stdlib.h>
#include <string.h>

enum { HARDWARE_FLAGS = 16 };

static void check_import(const PipeProgram *p, const PipeNote *note) {
    const Op *op = note->op;
    const Interner *names = &p->ctx->names;
    const NamedAttr *a = op_attr_named(op, ATTR_peer_func);
    if (a == NULL || p->partial || pipe_reserve_of(p, op, note->func) != NULL) return;
    const Op *from = pipe_imported_from(p, op, note->func);
    Atom name = pipe_attr_text(op, ATTR_name);
    Span at = a->value->span.len != 0 ? a->value->span : op->name_span;
    int n = (int)atom_len(names, a->value->text);
    const char *text = atom_text(names, a->value->text);
    if (from == NULL) {
        diag_add(
            p->diags, DIAG_UNKNOWN_FUNCTION, at,
            "%s: there is no function @%.*s, or more than one, in this module and its siblings",
            op->inst->name, n, text);
        return;
    }
    Diag *d =
        diag_add(p->diags, DIAG_PAIRING, op->name_span, "%s: @%.*s reserves no buffer \"%.*s\"",
                 op->inst->name, n, text, (int)atom_len(names, name), atom_text(names, name));
    diag_note_at(p->diags, d, func_data(from)->name_span, "the function");
}

/* ---- one pipe: its ends together ---- */

typedef struct PipeGroup {
    PipeEnd **ends; /* in the order of the notes */
    uint32_t n;
    int64_t order; /* smallest number of a frontend end; INT64_MAX without one */
} PipeGroup;

static Diag *peer_mismatch(PipeProgram *p, const PipeGroup *g, const char *what) {
    const Op *op = g->ends[1]->note->op;
    Diag *d = diag_add(p->diags, DIAG_PEER_MISMATCH, op->name_span,
                       "%s: the two ends of the pipe have different %s", op->inst->name, what);
    diag_note_at(p->diags, d, g->ends[0]->note->op->name_span, "the other end");
    return d;
}

/* Checks that a pipe with buffers has two ends, in two functions. */
static bool check_complete(PipeProgram *p, const PipeGroup *g) {
    const PipeEnd *e = g->ends[0];
    for (uint32_t i = 0; i < g->n; i++)
        if (g->ends[i]->flag_base >= 0) return g->n == 2;
    if (e->global) return false;
    if (g->n == 2 && e->note->func != g->ends[1]->note->func) return true;
    if (p->partial) return false;
    const Op *op = g->n == 1 ? e->note->op : g->ends[1]->note->op;
    Diag *d = diag_add(p->diags, DIAG_PAIRING, op->name_span,
                       g->n == 1 ? "%s: nothing sets up the other end of this pipe"
                                 : "%s: a pipe has two ends, in two functions; this one has %u",
                       op->inst->name, g->n);
    if (g->n > 1) diag_note_at(p->diags, d, e->note->op->name_span, "another end");
    return false;
}

static void check_agreement(PipeProgram *p, const PipeGroup *g) {
    const PipeEnd *a = g->ends[0], *b = g->ends[1];
    const char *what = a->slot_size != b->slot_size             ? "slot_size"
                       : a->slot_num != b->slot_num             ? "slot_num"
                       : a->local_slot_num != b->local_slot_num ? "local_slot_num"
                                                                : NULL;
    if (what != NULL)
        peer_mismatch(p, g, what);
    else if (!a->lowered && !b->lowered && a->cube != b->cube)
        verify_fixpipe_pair(p, a->cube ? a : b, a->cube ? b : a);
}

/* Warns of a consumer's buffer in a space that the consumer's core does not have. */
static bool check_space(PipeProgram *p, const PipeEnd *e, const Op *reserve, bool to_vector) {
    const NamedAttr *a = op_attr_named(reserve, ATTR_location);
    const int64_t need = to_vector ? SPACE_VEC : SPACE_MAT;
    if (a == NULL || a->value->kind != ATTR_ENUM || enum_number(a->value) == need) return true;
    Diag *d = diag_add(p->diags, DIAG_PIPE_BUFFER, pipe_attr_span(reserve, ATTR_location),
                       "%s: the buffer is in %s, but %s cores take entries from %s",
                       reserve->inst->name, space_names[enum_number(a->value)],
                       to_vector ? "vector" : "cube", space_names[need]);
    diag_note_at(p->diags, d, e->note->op->name_span, "the pipe is set up here");
    return false;
}

/* Warns of a consumer's buffer that is in the wrong space, or smaller than its slots: entries would
 * overwrite what follows it. Reported where the buffer is reserved; the other end imports it, or is
 * `first` and has reported the same buffer. */
static void check_buffers(PipeProgram *p, const PipeEnd *e, const PipeEnd *first) {
    int64_t size, need;
    for (int i = 0; i < 2 && !p->compat; i++) {
        if (e != first && e->buffer[i] == first->buffer[i]) continue;
        const Op *reserve = e->buffer[i] != NULL ? e->buffer[i]->def : NULL;
        if (reserve == NULL || !op_is(reserve, INST_RESERVE_BUFFER)) continue;
        if (!check_space(p, e, reserve, i == 0)) continue;
        size = pipe_attr(reserve, ATTR_size, 0);
        if (__builtin_mul_overflow(e->slot_size, e->local_slot_num, &need) || need <= size)
            continue;
        Diag *d = diag_add(p->diags, DIAG_PIPE_BUFFER, reserve->name_span,
                           "%s: %lld bytes are reserved for %lld slots of %lld bytes",
                           reserve->inst->name, (long long)size, (long long)e->local_slot_num,
                           (long long)e->slot_size);
        diag_note_at(p->diags, d, e->note->op->name_span, "the pipe is set up here");
    }
}

/* Checks that all entries of a pipe are split or none is, and that nosplit agrees. */
static void check_split(PipeProgram *p, const PipeGroup *g) {
    const Op *whole = NULL, *split = NULL;
    const PipeEnd *declared = NULL;
    for (uint32_t i = 0; i < g->n; i++) {
        const PipeEnd *e = g->ends[i];
        if (whole == NULL) whole = e->whole;
        if (split == NULL) split = e->split;
        if (declared != NULL && e->nosplit >= 0 && e->nosplit != declared->nosplit) {
            peer_mismatch(p, g, "nosplit");
            return;
        }
        if (e->nosplit >= 0) declared = e;
    }
    if (whole != NULL && split != NULL) {
        Diag *d = diag_add(p->diags, DIAG_PIPE_SPLIT, split->name_span,
                           "%s: an entry of this pipe is split, others are not", split->inst->name);
        diag_note_at(p->diags, d, whole->name_span, "with split = 0");
        return;
    }
    const Op *use = declared == NULL ? NULL : declared->nosplit != 0 ? split : whole;
    if (use == NULL) return;
    Diag *d = diag_add(p->diags, DIAG_PIPE_SPLIT, declared->note->op->name_span,
                       "%s: nosplit is %s, but entries of the pipe %s",
                       declared->note->op->inst->name, declared->nosplit != 0 ? "true" : "false",
                       declared->nosplit != 0 ? "are split" : "are not");
    diag_note_at(p->diags, d, use->name_span, "this entry %s",
                 declared->nosplit != 0 ? "is split" : "is not");
}

/* Warns when entries of one direction are split by rows in one place and by columns in another. */
static void check_axis(PipeProgram *p, const PipeGroup *g) {
    for (int way = 0; way < 2 && !p->compat; way++) {
        const Op *rows = NULL, *columns = NULL;
        for (uint32_t i = 0; i < g->n; i++) {
            if (rows == NULL) rows = g->ends[i]->axis[way][0];
            if (columns == NULL) columns = g->ends[i]->axis[way][1];
        }
        if (rows == NULL || columns == NULL) continue;
        Diag *d = diag_add(p->diags, DIAG_SPLIT_AXIS, columns->name_span,
                           "%s: an entry of this pipe is split by columns, others by rows",
                           columns->inst->name);
        diag_note_at(p->diags, d, rows->name_span, "split by rows");
    }
}

/* ---- flags ---- */

static uint16_t flag_mask(unsigned width, int64_t base) {
    return (uint16_t)(((1u << width) - 1u) << base);
}

/* Returns the lowest even base that is free in all functions of the pipe; -1: none is. */
static int64_t free_base(const PipeProgram *p, const PipeGroup *g, const uint16_t *used,
                         const uint32_t *func, unsigned width) {
    for (int64_t base = 0; base + width <= HARDWARE_FLAGS; base += 2) {
        bool free = true;
        for (uint32_t i = 0; i < g->n && free; i++)
            free = (used[func[g->ends[i] - p->ends]] & flag_mask(width, base)) == 0;
        if (free) return base;
    }
    return -1;
}

static int by_order(const void *a, const void *b) {
    const PipeGroup *x = a, *y = b;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    if (x->ends[0]->dir != y->ends[0]->dir) return x->ends[0]->dir < y->ends[0]->dir ? -1 : 1;
    return (x->ends[0]->at > y->ends[0]->at) - (x->ends[0]->at < y->ends[0]->at);
}

static void check_flags(PipeProgram *p, PipeGroup *groups, uint32_t n) {
    Arena *a = &p->ctx->arena;
    uint16_t *used = ARENA_ARRAY(a, uint16_t, p->nends + 1); /* flags, by function */
    uint32_t *func = ARENA_ARRAY(a, uint32_t, p->nends + 1); /* function, by end */
    for (uint32_t i = 0; i < p->nends; i++) {
        func[i] = i == 0 ? 0 : func[i - 1] + (p->ends[i].note->func != p->ends[i - 1].note->func);
        const PipeEnd *e = &p->ends[i];
        unsigned width = e->dir == 3 ? 4 : 2;
        if (e->flag_base >= 0 && e->flag_base <= (int64_t)(HARDWARE_FLAGS - width))
            used[func[i]] |= flag_mask(width, e->flag_base);
    }
    qsort(groups, n, sizeof *groups, by_order);
    bool reported = false;
    for (uint32_t i = 0; i < n && !reported; i++) {
        const PipeGroup *g = &groups[i];
        unsigned width = g->ends[0]->dir == 3 ? 4 : 2;
        if (g->ends[0]->flag_base >= 0) continue;
        int64_t base = free_base(p, g, used, func, width);
        for (uint32_t k = 0; k < g->n && base >= 0; k++)
            used[func[g->ends[k] - p->ends]] |= flag_mask(width, base);
        if (base >= 0) continue;
        reported = true; /* the remaining ends have none either */
        const Op *op = g->ends[0]->note->op;
        diag_add(p->diags, DIAG_HARDWARE_FLAGS, op->name_span,
                 "%s: the pipe needs %u hardware flags; with those of the pipes before it they do "
                 "not fit within %d hardware flag ids",
                 op->inst->name, width, HARDWARE_FLAGS);
    }
}

/* ---- entry point ---- */

static bool any_peer_unknown(const PipeGroup *g) {
    for (uint32_t i = 0; i < g->n; i++)
        if (g->ends[i]->peer_unknown) return true;
    return false;
}

/* Groups the ends by pipe. */
static uint32_t group_ends(PipeProgram *p, PipeGroup *groups) {
    Arena *a = &p->ctx->arena;
    uint32_t n = 0, *group = ARENA_ARRAY(a, uint32_t, p->nends);
    for (uint32_t i = 0; i < p->nends; i++) {
        uint32_t root = pipe_root(p, i);
        if (root == i) {
            group[i] = n++;
            groups[group[i]] = (PipeGroup){NULL, 0, INT64_MAX};
        }
        groups[group[root]].n++;
    }
    PipeEnd **ends = ARENA_ARRAY(a, PipeEnd *, p->nends);
    for (uint32_t i = 0; i < n; i++) {
        groups[i].ends = ends;
        ends += groups[i].n;
        groups[i].n = 0;
    }
    for (uint32_t i = 0; i < p->nends; i++) {
        PipeGroup *g = &groups[group[pipe_root(p, i)]];
        g->ends[g->n++] = &p->ends[i];
        if (!p->ends[i].lowered && p->ends[i].id < g->order) g->order = p->ends[i].id;
    }
    return n;
}

void verify_pipe_peers(PipeProgram *p) {
    pipe_find_buffers(p);
    for (uint32_t i = 0; i < p->n; i++)
        if (op_is(p->notes[i].op, INST_IMPORT_RESERVED_BUFFER) && p->notes[i].good)
            check_import(p, &p->notes[i]);
    if (p->nends == 0) return;
    pipe_connect_ends(p);
    PipeGroup *groups = ARENA_ARRAY(&p->ctx->arena, PipeGroup, p->nends);
    uint32_t n = group_ends(p, groups), kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (any_peer_unknown(&groups[i])) continue;
        if (check_complete(p, &groups[i])) check_agreement(p, &groups[i]);
        check_split(p, &groups[i]);
        check_axis(p, &groups[i]);
        for (uint32_t k = 0; k < groups[i].n; k++)
            check_buffers(p, groups[i].ends[k], groups[i].ends[0]);
        groups[kept++] = groups[i];
    }
    check_flags(p, groups, kept);
}
