/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the entries of pipes through a function: a free releases the oldest popped entry. */
#include "analysis/freed.h"
#include "analysis/entries.h"

/* ---- pipes ---- */

/* Returns the pipe that a lowered statement names; NULL for a frontend statement. */
static const Value *pipe_of(const Op *op) {
    int slot = inst_slot(op->inst, OPERAND_pipe_handle);
    return slot >= 0 ? slot_value(op, slot) : NULL;
}

/* Returns the number of the pipe that a frontend statement names. */
static int64_t pipe_id(const Op *op) {
    const NamedAttr *id = op_attr_named(op, ATTR_id);
    return id != NULL && id->value->kind == ATTR_INT ? id->value->i : 0;
}

bool same_pipe_side(const Op *a, const Op *b) {
    return a->inst->core == b->inst->core && pipe_of(a) == pipe_of(b) && pipe_id(a) == pipe_id(b);
}

/* ---- entries ---- */

/* A popped entry, of a block whose statements are being followed. */
typedef struct Entry {
    struct Entry *next; /* popped later */
    const Op *pop;
    const Value *value; /* the tile or view; a tile that is popped again is another entry */
    const Op *freed;    /* the statement that freed it, or NULL */
    bool unsure;        /* a branch or loop may have freed it */
    bool popped_again;
} Entry;

typedef struct Follow {
    Context *ctx;
    ProfileSet profiles;
    Entry *first;
    const Op *func;
} Follow;

/* Notes that a value is bound to another entry from here on. */
static void bind_again(Follow *f, const Value *v) {
    for (Entry *e = f->first; e != NULL; e = e->next)
        e->popped_again |= e->value == v;
}

static void add_entry(Follow *f, const Op *pop) {
    Entry **last = &f->first;
    const Value *v = entry_value(pop);
    bind_again(f, v);
    while (*last != NULL)
        last = &(*last)->next;
    *last = ARENA_NEW(&f->ctx->arena, Entry);
    (*last)->pop = pop;
    (*last)->value = v;
}

static bool is_pop(const Op *op) {
    return op->inst->entry == ENTRY_POP;
}

typedef struct Pops {
    const Follow *f;
    const Op *like;
    unsigned n;
} Pops;

static bool count_pop(Op *op, void *arg) {
    Pops *p = arg;
    p->n += is_pop(op) && same_pipe_side(op, p->like);
    return true;
}

/* Returns the last entry of the pipe, if all pops of the function were followed and all of their
 * entries were freed. */
static const Entry *all_freed(const Follow *f, const Op *op) {
    Pops pops = {f, op, 0};
    const Entry *last = NULL;
    unsigned n = 0;
    for (const Entry *e = f->first; e != NULL; e = e->next) {
        if (!same_pipe_side(e->pop, op)) continue;
        if (e->freed == NULL || e->unsure) return NULL;
        last = e;
        n++;
    }
    op_walk((Op *)(uintptr_t)f->func, count_pop, &pops);
    return n == pops.n ? last : NULL;
}

/* Returns the chips on which the slot is free only after the free. */
static ProfileSet affected(const Follow *f, const Entry *e) {
    ProfileSet set = 0;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if (profile_infos[p].chip && !(profile_infos[p].pop_frees && type_is_tile(e->value->type)))
            set |= PROFILE_BIT(p);
    return set & f->profiles;
}

static void report(Follow *f, Span at, const Entry *e, const char *text) {
    DiagList *list = &f->ctx->diags;
    const ProfileSet profiles = affected(f, e);
    StrBuf out;
    if (profiles == 0) return;
    sb_init(&out, list->arena);
    sb_puts(&out, text);
    if ((f->profiles & (f->profiles - 1)) != 0) {
        sb_puts(&out, " (");
        put_profiles(&out, profiles);
        sb_putc(&out, ')');
    }
    Diag *d = diag_add(list, DIAG_SYNC_FREED, at, "%s", sb_text(&out));
    d->profiles = profiles == f->profiles ? 0 : profiles;
    diag_note_at(list, d, e->freed->name_span, "freed here");
    diag_note_at(list, d, e->pop->name_span, "popped here");
}

/* Frees the oldest entry of the pipe. */
static void free_entry(Follow *f, const Op *op, bool certain) {
    for (Entry *e = f->first; e != NULL; e = e->next) {
        if (e->freed != NULL || e->unsure || !same_pipe_side(e->pop, op)) continue;
        if (certain)
            e->freed = op;
        else
            e->unsure = true;
        return;
    }
    const Entry *e = certain ? all_freed(f, op) : NULL;
    if (e != NULL)
        report(f, op->name_span, e,
               arena_printf(&f->ctx->arena, "%s: no popped entry is left to free", op->inst->name));
}

/* Returns whether it is reported. */
static bool use_value(Follow *f, const Op *op, const Operand *o) {
    const Value *v = viewed_value(o->value);
    for (const Entry *e = f->first; e != NULL; e = e->next) {
        if (e->value != v || e->freed == NULL || e->popped_again || e->unsure) continue;
        report(f, o->span, e,
               arena_printf(&f->ctx->arena,
                            "%s uses an entry whose slot was freed: the other core may already "
                            "write the next one there",
                            op->inst->name));
        return true;
    }
    return false;
}

static void follow_region(Follow *f, const Region *r);

/* Takes the pops and frees in branches and loops as possible ones, then follows their own entries.
 */
static bool free_perhaps(Op *op, void *arg) {
    if (op->inst->entry == ENTRY_FREE) free_entry(arg, op, false);
    if (is_pop(op)) bind_again(arg, entry_value(op));
    return true;
}

static void follow_nested(Follow *f, Op *op) {
    for (unsigned i = 0; i < op->nregions; i++) {
        Follow inner = *f;
        inner.first = NULL;
        follow_region(&inner, &op_regions(op)[i]);
    }
    op_walk(op, free_perhaps, f);
}

static void follow_op(Follow *f, Op *op) {
    const bool frees = op->inst->entry == ENTRY_FREE;
    bool uses = !frees && !is_pop(op) && (op->inst->flags & IF_VIEW) == 0;
    for (unsigned i = 0; i < op->noperands && uses; i++)
        uses = !use_value(f, op, &op->operands[i]);
    if (is_pop(op))
        add_entry(f, op);
    else if (frees)
        free_entry(f, op, true);
    if (op->nregions > 0) follow_nested(f, op);
}

static void follow_region(Follow *f, const Region *r) {
    for (const Block *b = r->first; b != NULL; b = b->next) {
        f->first = NULL;
        for (Op *op = b->first; op != NULL; op = op->next)
            follow_op(f, op);
    }
}

void check_freed(Context *ctx, const Op *func, ProfileSet profiles) {
    Follow f = {.ctx = ctx, .profiles = profiles, .func = func};
    for (unsigned i = 0; i < func->nregions; i++)
        follow_region(&f, &op_regions(func)[i]);
}
