/* SPDX-License-Identifier: Apache-2.0 */
/* Warns of buffers that a loop passes to its next iteration and overwrites there while the old
 * contents are still to be read. That is legal, as a pto.alloc_tile is one storage however often
 * it is executed, but seldom intended. */
#include "verifier/lints/loop_storage.h"
#include "analysis/effects.h"
#include "analysis/handover.h"
#include "verifier/rules/sharing.h"

enum { MOST_NAMES = 16, MOST_SEEN = 1 << 22, MOST_ACCESSES = 32 };

/* One value that a loop carries. */
typedef struct Search {
    Judge *j;
    const Alias *alias;
    Effects effects;
    Op *loop;
    AliasSet kept;                  /* where the previous iteration left it */
    const Value *names[MOST_NAMES]; /* the loop argument and its aliases in the iteration */
    unsigned n;
    const Op *writer;
    int slot; /* of the writer's overwritten operand */
    const Op *reader;
    uint32_t *seen; /* statements visited in the whole function */
} Search;

static bool is_name(const Search *s, const Value *v) {
    for (unsigned i = 0; i < s->n; i++)
        if (s->names[i] == v) return true;
    return false;
}

static void add_name(void *arg, const Handover *h) {
    Search *s = arg;
    if (h->kind != HAND_NEXT && s->n < MOST_NAMES && is_name(s, h->from->value))
        s->names[s->n++] = h->to;
}

static bool find_names(Op *op, void *arg) {
    Search *s = arg;
    if (op != s->loop) handover_each(op, add_name, s);
    return ++*s->seen < MOST_SEEN;
}

/* True when the statement comes after the writer in every iteration that runs both. */
static bool follows(const Search *s, const Op *op) {
    while (op != NULL && op->block != s->writer->block)
        op = op->block != NULL ? region_owner(op->block) : NULL;
    for (const Op *o = s->writer->next; o != NULL && op != NULL; o = o->next, ++*s->seen)
        if (o == op) return true;
    return false;
}

static bool reads_name(const Search *s, const Access *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (list[i].read && is_name(s, list[i].value)) return true;
    return false;
}

/* Returns the slot by which a statement writes the kept storage under another name; -1: none. */
static int writes_kept(const Search *s, const Op *op, const Access *list, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const Value *v = list[i].value;
        if (!list[i].write || list[i].read || list[i].slot == NULL || !type_is_tile(v->type) ||
            v->def == op || is_name(s, v))
            continue;
        if (alias_sets_overlap(s->kept, alias_places(s->alias, op, v)) == OVERLAP_YES)
            return (int)(list[i].slot - op->inst->slots);
    }
    return -1;
}

static bool find_use(Op *op, void *arg) {
    Search *s = arg;
    Access list[MOST_ACCESSES];
    if (op == s->loop) return true;
    const size_t all = op_accesses(&s->effects, op, list, MOST_ACCESSES);
    const size_t n = all < MOST_ACCESSES ? all : MOST_ACCESSES;
    if (s->writer != NULL && reads_name(s, list, n) && follows(s, op)) s->reader = op;
    if (s->writer == NULL && (s->slot = writes_kept(s, op, list, n)) >= 0) s->writer = op;
    return s->reader == NULL && ++*s->seen < MOST_SEEN;
}

static void report(const Search *s) {
    Context *ctx = s->j->ctx;
    const Value *v = s->names[0];
    Diag *d = diag_add(&ctx->diags, DIAG_LOOP_STORAGE, slot_span(s->writer, s->slot),
                       "%s: %s overwrites %%%.*s of the last iteration, which is still to be read",
                       s->writer->inst->name, s->writer->inst->slots[s->slot].name,
                       (int)atom_len(&ctx->names, v->name), atom_text(&ctx->names, v->name));
    d->profiles = s->j->profiles;
    diag_note_at(&ctx->diags, d, s->reader->name_span, "read here");
}

typedef struct LoopCheck {
    Judge *j;
    const Alias *alias;
    uint32_t seen;
} LoopCheck;

/* True for one storage with a known name or address; an SSA result is a new one in each iteration.
 */
static bool is_one_storage(AliasSet s) {
    return s.n == 1 && s.places[0].start.n == 0 &&
           (s.places[0].base == BASE_BUFFER || s.places[0].base == BASE_ADDRESS);
}

static Profile first_profile(ProfileSet set) {
    int p = 0;
    while (p + 1 < PROFILE_COUNT && (set & PROFILE_BIT(p)) == 0)
        p++;
    return (Profile)p;
}

static void check_carried(void *arg, Op *op, const Value *from, Value *to) {
    LoopCheck *r = arg;
    Op *loop = op->nregions == 0 && op_end_of(op) != NULL ? region_owner(op->block) : op;
    Search s = {.j = r->j, .alias = r->alias, .loop = loop, .seen = &r->seen};
    s.effects = (Effects){.ctx = r->j->ctx, .profile = first_profile(r->j->profiles)};
    if (loop->nregions == 0 || !type_is_tile(to->type) || r->seen >= MOST_SEEN) return;
    s.kept = alias_places(r->alias, op, from);
    /* A value that is always in the same storage is just another name of the buffer. */
    if (!is_one_storage(s.kept) || alias_places(r->alias, op, to).n < 2) return;
    s.names[s.n++] = to;
    op_walk(loop, find_names, &s);
    op_walk(loop, find_use, &s);
    if (s.reader != NULL) report(&s);
}

void check_loop_storage(Judge *j, Op *func) {
    const Block *b = func->nregions > 0 ? op_regions(func)[0].first : NULL;
    const Alias *alias = b != NULL && b->first != NULL ? alias_at(j, b->first) : NULL;
    LoopCheck r = {.j = j, .alias = alias};
    if (alias != NULL && !j->opt->compat) alias_each_carried(alias, check_carried, &r);
}
