/* Pipes between functions: an imported buffer is reserved by the function it names, the two ends of
 * a pipe agree, and the pipes of a function have hardware flags. */
#include "verifier/pipes.h"

#include <stdlib.h>
#include <string.h>

enum { HARDWARE_FLAGS = 16 };

/* ---- functions by name ---- */

typedef struct FuncEntry {
    Atom name;
    const Op *scope; /* its module; of the table of siblings, what its module stands in */
    const Op *func;
} FuncEntry;

typedef struct FuncTable {
    FuncEntry *list;
    uint32_t n;
} FuncTable;

/* Functions by module, and the public ones by what their module stands in. */
typedef struct Functions {
    FuncTable own, siblings;
} Functions;

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

static bool is_private(const Context *ctx, const Op *func) {
    Atom a = func_data(func)->visibility;
    return a != 0 && atom_len(&ctx->names, a) == 7 &&
           memcmp(atom_text(&ctx->names, a), "private", 7) == 0;
}

typedef struct Collector {
    const Context *ctx;
    Functions *out;
} Collector;

static bool add_function(Op *op, void *arg) {
    Collector *c = arg;
    if (!op_is(op, INST_FUNC)) return true;
    Atom name = func_data(op)->name;
    const Op *module = module_of(op);
    c->out->own.list[c->out->own.n++] = (FuncEntry){name, module, op};
    if (module != NULL && module_of(module) != NULL && !is_private(c->ctx, op))
        c->out->siblings.list[c->out->siblings.n++] = (FuncEntry){name, module_of(module), op};
    return true;
}

static void collect_functions(const PipeProgram *p, Functions *out) {
    Context *ctx = p->v->judge.ctx;
    Collector c = {ctx, out};
    uint32_t n = 0;
    op_walk(p->v->judge.root, count_function, &n);
    out->own = (FuncTable){ARENA_ARRAY(&ctx->arena, FuncEntry, n + 1), 0};
    out->siblings = (FuncTable){ARENA_ARRAY(&ctx->arena, FuncEntry, n + 1), 0};
    op_walk(p->v->judge.root, add_function, &c);
    qsort(out->own.list, out->own.n, sizeof(FuncEntry), by_name);
    qsort(out->siblings.list, out->siblings.n, sizeof(FuncEntry), by_name);
}

/* The function of a name in a scope; NULL when there is none, or several. */
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

/* The function that an import names: of the same module, else the one of the sibling modules. */
static const Op *peer_function(const PipeProgram *p, const Functions *f, const Op *import,
                               const Op *func) {
    const NamedAttr *a = op_attr_named(p->v->judge.ctx, import, "peer_func");
    const Op *module = func != NULL ? module_of(func) : NULL;
    if (a == NULL || a->value->kind != ATTR_SYMBOL || module == NULL) return NULL;
    const Op *peer = find_function(&f->own, a->value->text, module);
    if (peer == NULL && module_of(module) != NULL)
        peer = find_function(&f->siblings, a->value->text, module_of(module));
    return peer;
}

/* ---- reserved buffers ---- */

typedef struct Buffer {
    const Op *func;
    Atom name;
} Buffer;

typedef struct Buffers {
    Buffer *list; /* reserved ones, sorted */
    uint32_t n;
    Functions functions;
} Buffers;

static int compare_buffers(const Buffer *x, const Buffer *y) {
    if (x->func != y->func) return (uintptr_t)x->func < (uintptr_t)y->func ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static int by_buffer(const void *a, const void *b) {
    return compare_buffers(a, b);
}

static Atom buffer_name(const PipeProgram *p, const Op *op) {
    const NamedAttr *a = op_attr_named(p->v->judge.ctx, op, "name");
    return a != NULL ? a->value->text : 0;
}

static bool is_reserved(const Buffers *b, const Buffer *key) {
    uint32_t lo = 0, hi = b->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (compare_buffers(&b->list[mid], key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < b->n && compare_buffers(&b->list[lo], key) == 0;
}

static void collect_buffers(const PipeProgram *p, Buffers *b) {
    uint32_t reserved = 0, imported = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        reserved += op_is(p->notes[i].op, INST_RESERVE_BUFFER);
        imported += op_is(p->notes[i].op, INST_IMPORT_RESERVED_BUFFER);
    }
    b->list = ARENA_ARRAY(&p->v->judge.ctx->arena, Buffer, reserved + 1);
    for (uint32_t i = 0; i < p->n; i++)
        if (op_is(p->notes[i].op, INST_RESERVE_BUFFER))
            b->list[b->n++] = (Buffer){p->notes[i].func, buffer_name(p, p->notes[i].op)};
    qsort(b->list, b->n, sizeof *b->list, by_buffer);
    if (imported > 0) collect_functions(p, &b->functions);
}

static void check_import(const PipeProgram *p, const Buffers *b, const PipeNote *note) {
    const Op *op = note->op;
    const Interner *names = &p->v->judge.ctx->names;
    const NamedAttr *a = op_attr_named(p->v->judge.ctx, op, "peer_func");
    Buffer key = {peer_function(p, &b->functions, op, note->func), buffer_name(p, op)};
    if (a == NULL || p->partial || (key.func != NULL && is_reserved(b, &key))) return;
    Span at = a->value->span.len != 0 ? a->value->span : op->name_span;
    int n = (int)atom_len(names, a->value->text);
    const char *text = atom_text(names, a->value->text);
    if (key.func == NULL) {
        diag_add(p->diags, DIAG_UNKNOWN_FUNCTION, at,
                 "%s: there is no function @%.*s, or more than one, in this module and its sisters",
                 op->inst->name, n, text);
        return;
    }
    Diag *d = diag_add(p->diags, DIAG_PAIRING, op->name_span,
                       "%s: @%.*s reserves no buffer \"%.*s\"", op->inst->name, n, text,
                       (int)atom_len(names, key.name), atom_text(names, key.name));
    diag_note_at(p->diags, d, func_data(key.func)->name_span, "the function");
}

/* ---- which ends belong together ---- */

/* Ends with equal keys are ends of one pipe: the same buffer for the same directions, or, without
 * buffers, the same number. */
typedef struct PeerKey {
    Buffer buffer; /* func NULL: the number of a pipe in global memory, in `name` */
    int64_t id;
    unsigned dir;
    uint32_t end;
} PeerKey;

static int by_key(const void *a, const void *b) {
    const PeerKey *x = a, *y = b;
    int c = compare_buffers(&x->buffer, &y->buffer);
    if (c != 0) return c;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    if (x->dir != y->dir) return x->dir < y->dir ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static uint32_t root_of(PipeProgram *p, uint32_t i) {
    while (p->ends[i].component != i) {
        p->ends[i].component = p->ends[p->ends[i].component].component;
        i = p->ends[i].component;
    }
    return i;
}

static void unite(PipeProgram *p, uint32_t a, uint32_t b) {
    a = root_of(p, a);
    b = root_of(p, b);
    if (a < b)
        p->ends[b].component = a;
    else
        p->ends[a].component = b;
}

/* The key of one buffer of an end; false when it has none. */
static bool buffer_key(PipeProgram *p, const Buffers *b, uint32_t i, int which, PeerKey *out) {
    PipeEnd *e = &p->ends[i];
    const Value *v = e->buffer[which];
    if (v == NULL) return false;
    *out = (PeerKey){.dir = e->dir * 4u + (unsigned)which, .end = i};
    if (v->def != NULL && op_is(v->def, INST_RESERVE_BUFFER)) {
        out->buffer = (Buffer){e->note->func, buffer_name(p, v->def)};
        return true;
    }
    if (v->def != NULL && op_is(v->def, INST_IMPORT_RESERVED_BUFFER)) {
        out->buffer = (Buffer){peer_function(p, &b->functions, v->def, e->note->func),
                               buffer_name(p, v->def)};
        bool known = out->buffer.func != NULL && is_reserved(b, &out->buffer);
        e->lost |= !known;
        return known;
    }
    /* The vendor finds this out behind its verifier, where frontend pipes are lowered. */
    bool late = !e->lowered && p->v->judge.opt->compat;
    if (e->flag_base < 0 && !e->lost && !late) {
        diag_add(p->diags, DIAG_VALUE_SOURCE, e->note->op->name_span,
                 "%s: the buffer of the consumer must come from pto.reserve_buffer or "
                 "pto.import_reserved_buffer, or the peer is unknown",
                 e->note->op->inst->name);
    }
    e->lost |= e->flag_base < 0;
    return false;
}

static void connect_ends(PipeProgram *p, const Buffers *b) {
    PeerKey *keys = ARENA_ARRAY(&p->v->judge.ctx->arena, PeerKey, (size_t)p->nends * 2 + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->nends; i++) {
        PipeEnd *e = &p->ends[i];
        e->component = i;
        if (e->global && !e->lowered) keys[n++] = (PeerKey){.id = e->id, .dir = e->dir, .end = i};
        for (int which = 0; which < 2; which++)
            n += buffer_key(p, b, i, which, &keys[n]);
    }
    qsort(keys, n, sizeof *keys, by_key);
    for (uint32_t i = 1; i < n; i++)
        if (compare_buffers(&keys[i].buffer, &keys[i - 1].buffer) == 0 &&
            keys[i].id == keys[i - 1].id && keys[i].dir == keys[i - 1].dir)
            unite(p, keys[i - 1].end, keys[i].end);
}

/* ---- a pipe: its ends together ---- */

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

/* A pipe with buffers has two ends, in two functions. */
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

/* Entries go whole everywhere, or nowhere; a written nosplit says the same. */
static void check_split(PipeProgram *p, const PipeGroup *g) {
    const Op *whole = NULL, *split = NULL;
    const PipeEnd *said = NULL;
    for (uint32_t i = 0; i < g->n; i++) {
        const PipeEnd *e = g->ends[i];
        if (whole == NULL) whole = e->whole;
        if (split == NULL) split = e->split;
        if (said != NULL && e->nosplit >= 0 && e->nosplit != said->nosplit) {
            peer_mismatch(p, g, "nosplit");
            return;
        }
        if (e->nosplit >= 0) said = e;
    }
    if (whole != NULL && split != NULL) {
        Diag *d =
            diag_add(p->diags, DIAG_PIPE_SPLIT, split->name_span,
                     "%s: an entry of this pipe is split, others go whole", split->inst->name);
        diag_note_at(p->diags, d, whole->name_span, "with split = 0");
        return;
    }
    const Op *use = said == NULL ? NULL : said->nosplit != 0 ? split : whole;
    if (use == NULL) return;
    Diag *d = diag_add(p->diags, DIAG_PIPE_SPLIT, said->note->op->name_span,
                       "%s: nosplit is %s, but entries of the pipe %s", said->note->op->inst->name,
                       said->nosplit != 0 ? "true" : "false",
                       said->nosplit != 0 ? "are split" : "go whole");
    diag_note_at(p->diags, d, use->name_span, "this entry %s",
                 said->nosplit != 0 ? "is split" : "goes whole");
}

/* ---- flags ---- */

static uint16_t flag_mask(unsigned width, int64_t base) {
    return (uint16_t)(((1u << width) - 1u) << base);
}

/* The lowest even base that is free in all functions of the pipe; -1 when there is none. */
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
    Arena *a = &p->v->judge.ctx->arena;
    uint16_t *used = ARENA_ARRAY(a, uint16_t, p->nends + 1); /* by function */
    uint32_t *func = ARENA_ARRAY(a, uint32_t, p->nends + 1); /* by end */
    for (uint32_t i = 0; i < p->nends; i++) {
        func[i] = i == 0 ? 0 : func[i - 1] + (p->ends[i].note->func != p->ends[i - 1].note->func);
        const PipeEnd *e = &p->ends[i];
        unsigned width = e->dir == 3 ? 4 : 2;
        if (e->flag_base >= 0 && e->flag_base <= (int64_t)(HARDWARE_FLAGS - width))
            used[func[i]] |= flag_mask(width, e->flag_base);
    }
    qsort(groups, n, sizeof *groups, by_order);
    bool said = false;
    for (uint32_t i = 0; i < n && !said; i++) {
        const PipeGroup *g = &groups[i];
        unsigned width = g->ends[0]->dir == 3 ? 4 : 2;
        if (g->ends[0]->flag_base >= 0) continue;
        int64_t base = free_base(p, g, used, func, width);
        for (uint32_t k = 0; k < g->n && base >= 0; k++)
            used[func[g->ends[k] - p->ends]] |= flag_mask(width, base);
        if (base >= 0) continue;
        said = true; /* the others have none either */
        const Op *op = g->ends[0]->note->op;
        diag_add(p->diags, DIAG_HARDWARE_FLAGS, op->name_span,
                 "%s: the pipe needs %u hardware flags; those of the pipes before it leave too few "
                 "of %d",
                 op->inst->name, width, HARDWARE_FLAGS);
    }
}

/* ---- entry ---- */

static bool any_lost(const PipeGroup *g) {
    for (uint32_t i = 0; i < g->n; i++)
        if (g->ends[i]->lost) return true;
    return false;
}

/* The ends by pipe. */
static uint32_t group_ends(PipeProgram *p, PipeGroup *groups) {
    Arena *a = &p->v->judge.ctx->arena;
    uint32_t n = 0, *group = ARENA_ARRAY(a, uint32_t, p->nends);
    for (uint32_t i = 0; i < p->nends; i++) {
        uint32_t root = root_of(p, i);
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
        PipeGroup *g = &groups[group[root_of(p, i)]];
        g->ends[g->n++] = &p->ends[i];
        if (!p->ends[i].lowered && p->ends[i].id < g->order) g->order = p->ends[i].id;
    }
    return n;
}

void verify_pipe_peers(PipeProgram *p) {
    Buffers b = {NULL, 0, {{NULL, 0}, {NULL, 0}}};
    collect_buffers(p, &b);
    for (uint32_t i = 0; i < p->n; i++)
        if (op_is(p->notes[i].op, INST_IMPORT_RESERVED_BUFFER) && p->notes[i].good)
            check_import(p, &b, &p->notes[i]);
    if (p->nends == 0) return;
    connect_ends(p, &b);
    PipeGroup *groups = ARENA_ARRAY(&p->v->judge.ctx->arena, PipeGroup, p->nends);
    uint32_t n = group_ends(p, groups), kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (any_lost(&groups[i])) continue;
        if (check_complete(p, &groups[i])) check_agreement(p, &groups[i]);
        check_split(p, &groups[i]);
        groups[kept++] = groups[i];
    }
    check_flags(p, groups, kept);
}
