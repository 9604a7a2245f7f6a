/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which ends of pipes belong together: the function and the buffer that an import names, and
 * the ends that share a buffer or a number. */
#include "analysis/pipe_links.h"

#include "ir/functions.h"

#include <stdlib.h>
#include <string.h>

/* ---- functions by name ---- */

typedef struct FuncEntry {
    Atom name;
    const Op *scope; /* its module; in the table of siblings, the parent of its module */
    const Op *func;
} FuncEntry;

typedef struct FuncTable {
    FuncEntry *list;
    uint32_t n;
} FuncTable;

/* FuncIndex by module, and public functions by the parent of their module. */
typedef struct FuncIndex {
    FuncTable own, siblings;
} FuncIndex;

static int by_name(const void *a, const void *b) {
    const FuncEntry *x = a, *y = b;
    if (x->name != y->name) return x->name < y->name ? -1 : 1;
    if (x->scope != y->scope) return (uintptr_t)x->scope < (uintptr_t)y->scope ? -1 : 1;
    return (x->func->span.off > y->func->span.off) - (x->func->span.off < y->func->span.off);
}

static bool count_function(Op *op, void *arg) {
    *(uint32_t *)arg += op_is(op, INST_FUNC);
    return true;
}

static const Op *module_of(const Op *op) {
    return op->block != NULL ? region_owner(op->block) : NULL;
}

typedef struct Collector {
    const Context *ctx;
    FuncIndex *out;
} Collector;

static bool add_function(Op *op, void *arg) {
    Collector *c = arg;
    if (!op_is(op, INST_FUNC)) return true;
    Atom name = func_data(op)->name;
    const Op *module = module_of(op);
    c->out->own.list[c->out->own.n++] = (FuncEntry){name, module, op};
    if (module != NULL && module_of(module) != NULL && !func_is_private(&c->ctx->names, op))
        c->out->siblings.list[c->out->siblings.n++] = (FuncEntry){name, module_of(module), op};
    return true;
}

static void collect_functions(const PipeProgram *p, FuncIndex *out) {
    Context *ctx = p->ctx;
    Collector c = {ctx, out};
    uint32_t n = 0;
    op_walk(p->root, count_function, &n);
    out->own = (FuncTable){ARENA_ARRAY(&ctx->arena, FuncEntry, n + 1), 0};
    out->siblings = (FuncTable){ARENA_ARRAY(&ctx->arena, FuncEntry, n + 1), 0};
    op_walk(p->root, add_function, &c);
    qsort(out->own.list, out->own.n, sizeof(FuncEntry), by_name);
    qsort(out->siblings.list, out->siblings.n, sizeof(FuncEntry), by_name);
}

/* Returns the function of a name in a scope; NULL when there is none, or several. */
static const Op *find_function(const FuncTable *t, Atom name, const Op *scope) {
    uint32_t lo = 0, hi = t->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        const FuncEntry *e = &t->list[mid];
        if (e->name < name || (e->name == name && (uintptr_t)e->scope < (uintptr_t)scope))
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == t->n || t->list[lo].name != name || t->list[lo].scope != scope) return NULL;
    bool several = lo + 1 < t->n && t->list[lo + 1].name == name && t->list[lo + 1].scope == scope;
    return several ? NULL : t->list[lo].func;
}

static const Op *peer_function(const FuncIndex *f, const Op *import, const Op *func) {
    const NamedAttr *a = op_attr_named(import, ATTR_peer_func);
    const Op *module = func != NULL ? module_of(func) : NULL;
    if (a == NULL || a->value->kind != ATTR_SYMBOL || module == NULL) return NULL;
    const Op *peer = find_function(&f->own, a->value->text, module);
    if (peer == NULL && module_of(module) != NULL)
        peer = find_function(&f->siblings, a->value->text, module_of(module));
    return peer;
}

/* ---- reserved buffers ---- */

/* A buffer by its name and the function that reserves it. */
typedef struct Buffer {
    const Op *func;
    Atom name;
    const Op *op; /* the statement that reserves it */
} Buffer;

struct PipeBuffers {
    Buffer *list; /* sorted */
    uint32_t n;
    FuncIndex functions;
};

static int compare_buffers(const Buffer *x, const Buffer *y) {
    if (x->func != y->func) return (uintptr_t)x->func < (uintptr_t)y->func ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static int by_buffer(const void *a, const void *b) {
    return compare_buffers(a, b);
}

static const Op *find_reserve(const struct PipeBuffers *b, const Buffer *key) {
    uint32_t lo = 0, hi = b->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (compare_buffers(&b->list[mid], key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < b->n && compare_buffers(&b->list[lo], key) == 0 ? b->list[lo].op : NULL;
}

void pipe_find_buffers(PipeProgram *p) {
    struct PipeBuffers *b = p->buffers = ARENA_NEW(&p->ctx->arena, struct PipeBuffers);
    uint32_t reserved = 0, imported = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        reserved += op_is(p->notes[i].op, INST_RESERVE_BUFFER);
        imported += op_is(p->notes[i].op, INST_IMPORT_RESERVED_BUFFER);
    }
    b->list = ARENA_ARRAY(&p->ctx->arena, Buffer, reserved + 1);
    for (uint32_t i = 0; i < p->n; i++) {
        const Op *op = p->notes[i].op;
        if (op_is(op, INST_RESERVE_BUFFER))
            b->list[b->n++] = (Buffer){p->notes[i].func, pipe_attr_text(op, ATTR_name), op};
    }
    qsort(b->list, b->n, sizeof *b->list, by_buffer);
    if (imported > 0) collect_functions(p, &b->functions);
}

const Op *pipe_imported_from(const PipeProgram *p, const Op *import, const Op *func) {
    return peer_function(&p->buffers->functions, import, func);
}

const Op *pipe_reserve_of(const PipeProgram *p, const Op *op, const Op *func) {
    if (op_is(op, INST_RESERVE_BUFFER)) return op;
    if (!op_is(op, INST_IMPORT_RESERVED_BUFFER)) return NULL;
    Buffer key = {.func = pipe_imported_from(p, op, func), .name = pipe_attr_text(op, ATTR_name)};
    return key.func != NULL ? find_reserve(p->buffers, &key) : NULL;
}

/* ---- which ends belong together ---- */

/* Ends with equal keys belong to one pipe: they share a buffer in the same directions or, without
 * buffers, the number. */
typedef struct PeerKey {
    const Op *buffer; /* the statement that reserves it; NULL: a pipe in global memory */
    int64_t id;       /* the number of such a pipe */
    unsigned dir;
    uint32_t end;
} PeerKey;

static int by_key(const void *a, const void *b) {
    const PeerKey *x = a, *y = b;
    if (x->buffer != y->buffer) return (uintptr_t)x->buffer < (uintptr_t)y->buffer ? -1 : 1;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    if (x->dir != y->dir) return x->dir < y->dir ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

uint32_t pipe_root(PipeProgram *p, uint32_t i) {
    while (p->ends[i].component != i) {
        p->ends[i].component = p->ends[p->ends[i].component].component;
        i = p->ends[i].component;
    }
    return i;
}

static void unite(PipeProgram *p, uint32_t a, uint32_t b) {
    a = pipe_root(p, a);
    b = pipe_root(p, b);
    if (a < b)
        p->ends[b].component = a;
    else
        p->ends[a].component = b;
}

/* Makes the key of one buffer of an end; false when it has no such buffer. */
static bool buffer_key(PipeProgram *p, uint32_t i, int which, PeerKey *out) {
    PipeEnd *e = &p->ends[i];
    const Value *v = e->buffer[which];
    if (v == NULL) return false;
    *out = (PeerKey){.dir = e->dir * 4u + (unsigned)which, .end = i};
    if (v->def != NULL &&
        (op_is(v->def, INST_RESERVE_BUFFER) || op_is(v->def, INST_IMPORT_RESERVED_BUFFER))) {
        out->buffer = pipe_reserve_of(p, v->def, e->note->func);
        e->peer_unknown |= out->buffer == NULL;
        return out->buffer != NULL;
    }
    /* The vendor reports this only after its verifier, when it lowers frontend pipes. */
    bool late = !e->lowered && p->compat;
    if (e->flag_base < 0 && !e->peer_unknown && !late) {
        diag_add(p->diags, DIAG_VALUE_SOURCE, e->note->op->name_span,
                 "%s: the buffer of the consumer must come from pto.reserve_buffer or "
                 "pto.import_reserved_buffer, or the peer is unknown",
                 e->note->op->inst->name);
    }
    e->peer_unknown |= e->flag_base < 0;
    return false;
}

static void unite_equal(PipeProgram *p, PeerKey *keys, uint32_t n) {
    qsort(keys, n, sizeof *keys, by_key);
    for (uint32_t i = 1; i < n; i++)
        if (keys[i].buffer == keys[i - 1].buffer && keys[i].id == keys[i - 1].id &&
            keys[i].dir == keys[i - 1].dir)
            unite(p, keys[i - 1].end, keys[i].end);
}

void pipe_connect_ends(PipeProgram *p) {
    PeerKey *keys = ARENA_ARRAY(&p->ctx->arena, PeerKey, (size_t)p->nends * 2 + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->nends; i++) {
        PipeEnd *e = &p->ends[i];
        e->component = i;
        if (e->global && !e->lowered) keys[n++] = (PeerKey){.id = e->id, .dir = e->dir, .end = i};
        for (int which = 0; which < 2; which++)
            n += buffer_key(p, i, which, &keys[n]);
    }
    unite_equal(p, keys, n);
}

/* ---- for passes and backends ---- */

/* Connects lowered ends without a common buffer by their hardware flags. */
static void connect_by_flags(PipeProgram *p) {
    PeerKey *keys = ARENA_ARRAY(&p->ctx->arena, PeerKey, p->nends + 1), ignored;
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->nends; i++) {
        const PipeEnd *e = &p->ends[i];
        if (e->lowered && e->flag_base >= 0 && !buffer_key(p, i, 0, &ignored) &&
            !buffer_key(p, i, 1, &ignored))
            keys[n++] = (PeerKey){.id = e->flag_base, .dir = e->dir, .end = i};
    }
    unite_equal(p, keys, n);
}

typedef struct NoteList {
    PipeNote *list;
    uint32_t n;
} NoteList;

static bool add_note(Op *op, void *arg) {
    NoteList *notes = arg;
    if (!op_is_about_pipes(op)) return true;
    if (notes->list != NULL)
        notes->list[notes->n] = (PipeNote){.op = op, .func = op_function(op), .good = true};
    notes->n++;
    return true;
}

PipeProgram *pipes_of_module(const Module *m) {
    Arena *a = &m->ctx->arena;
    NoteList notes = {NULL, 0};
    op_walk(m->root, add_note, &notes);
    if (notes.n == 0) return NULL;
    notes.list = ARENA_ARRAY(a, PipeNote, notes.n);
    notes.n = 0;
    op_walk(m->root, add_note, &notes);
    PipeProgram *p = ARENA_NEW(a, PipeProgram);
    *p = (PipeProgram){.ctx = m->ctx, .root = m->root, .notes = notes.list, .n = notes.n};
    p->diags = ARENA_NEW(a, DiagList); /* the verifier has reported all errors */
    diag_init(p->diags, a, 0);
    pipe_collect_ends(p);
    pipe_find_buffers(p);
    pipe_connect_ends(p);
    connect_by_flags(p);
    return p;
}
