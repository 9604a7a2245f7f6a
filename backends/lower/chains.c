/* SPDX-License-Identifier: Apache-2.0 */
/* A pass over the statements of a function: finds chains. A chain is a run of kernels over one
 * region, elementwise, with a row or column of another tile, sums of rows, loads and stores, which
 * the runtime can run together. What else is between them happens before them. The runtime checks
 * at each call that the operands allow it (runtime/drive/chain_plan.c), so this pass may be wrong
 * about regions and addresses of operands of the chain, but not about other statements. */
#include "backends/lower/chains.h"

#include "analysis/unread.h"
#include "backends/lower/passes.h"
#include "passes/show.h"
#include "runtime/ptort.h"

#include <string.h>

/* Below so many bytes of a tile its calls take less time one by one. When all tiles fit in the
 * nearest cache, only those that need not be written save time. */
enum { LEAST_BYTES = 2048, CACHE_BYTES = 24 << 10, MOST_ACCESSES = 16 };

typedef struct ChainDriver {
    const char *driver, *kind, *letters;
} ChainDriver;

static const ChainDriver drivers[] = {
#define CHAINS(id, driver, operands) {#driver, #id, operands},
#include "runtime/ptort_kernels.def"
};

typedef struct Finder {
    const Lower *low;
    const LowerFunc *func;
    const LowerOptions *opt;
    const PtrMap *origins; /* operations of statements */
    Arena *arena;
    Effects effects;
    Alias *planned;     /* with the addresses of the plan; NULL: not needed yet */
    Unread *unread;     /* the same */
    LowerChain room;    /* with space for the most */
    LowerChain *chain;  /* that may grow: `room`; NULL: none */
    const Type *region; /* of a tile of the region; NULL: not known yet */
} Finder;

static Op *function_of(const Finder *f) {
    return (Op *)(uintptr_t)f->func->op;
}

static const Op *origin_of(const Finder *f, const LowerStmt *s) {
    return ptrmap_get(f->origins, s);
}

static const Alias *planned(Finder *f) {
    if (f->planned == NULL)
        f->planned = alias_planned(f->arena, f->low->ctx, function_of(f), f->opt->plan);
    return f->planned;
}

static Unread *unread_of(Finder *f) {
    if (f->unread == NULL)
        f->unread = unread_function(f->arena, &f->effects, function_of(f), f->func->called);
    return f->unread;
}

/* ---- the end of a chain ---- */

static int64_t bytes_of(const Type *t) {
    return t->tile.rows * t->tile.cols * elem_infos[t->elem].bytes;
}

static bool moves_data(const LowerStep *s) {
    return strcmp(s->kind, "LOAD") == 0 || strcmp(s->kind, "STORE") == 0;
}

static const char *letters_of(const LowerStep *s) {
    for (size_t i = 0;; i++)
        if (strcmp(drivers[i].kind, s->kind) == 0) return drivers[i].letters;
}

/* Whether the first step that uses a tile of the whole region only writes it. */
static bool is_written_first(const LowerChain *c, unsigned tile) {
    for (unsigned i = 0; i < c->nsteps; i++) {
        const LowerStep *s = &c->steps[i];
        const char *letters = letters_of(s);
        const size_t n = strlen(letters);
        for (size_t k = 0; k < n; k++)
            if (letters[k] != 'g' && s->at[k] == tile)
                return k + 1 == n && letters[k] == 'f' && !s->column;
    }
    return false;
}

/* Whether another tile of the chain may hold the same data. Bytes that the plan gives to one tile
 * after another do not count: a tile that is not written needs none. */
static bool is_shared(Finder *f, const LowerChain *c, unsigned tile) {
    if (unread_alone(unread_of(f), c->tiles[tile])) return false;
    for (unsigned i = 0; i < c->ntiles; i++)
        if (i != tile &&
            unread_shares(unread_of(f), origin_of(f, c->last), c->tiles[tile], c->tiles[i]))
            return true;
    return false;
}

/* Whether nothing outside the chain names a tile that is allocated in the same block. */
static bool is_private(Finder *f, const LowerChain *c, const Value *tile) {
    const Op *last = unread_last(unread_of(f), tile);
    if (last == NULL || last->block != tile->def->block) return false;
    for (unsigned i = 0; i < c->nsteps; i++)
        if (origin_of(f, c->steps[i].stmt) == last) return true;
    return false;
}

static void find_dead(Finder *f, LowerChain *c) {
    for (unsigned i = 0; i < c->ntiles; i++)
        if (is_written_first(c, i) && !is_shared(f, c, i) &&
            (is_private(f, c, c->tiles[i]) ||
             unread_after(unread_of(f), origin_of(f, c->last), c->tiles[i])))
            c->dead |= UINT32_C(1) << i;
}

static bool is_large(const LowerChain *c) {
    int64_t sum = 0;
    for (unsigned i = 0; i < c->ntiles; i++)
        sum += bytes_of(c->tiles[i]->type);
    return sum > CACHE_BYTES;
}

static void *copy_list(Arena *arena, const void *list, size_t n, size_t size) {
    void *to = arena_zalloc(arena, n + 1, size, _Alignof(max_align_t));
    return n > 0 ? memcpy(to, list, n * size) : to;
}

static const LowerChain *copy_of(const LowerChain *c, Arena *arena) {
    LowerChain *to = ARENA_NEW(arena, LowerChain);
    *to = *c;
    to->steps = copy_list(arena, c->steps, c->nsteps, sizeof *c->steps);
    to->tiles = copy_list(arena, c->tiles, c->ntiles, sizeof *c->tiles);
    to->views = copy_list(arena, c->views, c->nviews, sizeof *c->views);
    to->numbers = copy_list(arena, c->numbers, c->nnumbers, sizeof *c->numbers);
    return to;
}

static void end_chain(Finder *f) {
    LowerChain *c = f->chain;
    unsigned work = 0;
    f->chain = NULL;
    f->region = NULL;
    if (c == NULL || c->nsteps < 2) return;
    for (unsigned i = 0; i < c->nsteps; i++)
        work += !moves_data(&c->steps[i]);
    if (work == 0) return;
    find_dead(f, c);
    if (c->dead == 0 && !is_large(c)) return;
    const LowerChain *kept = copy_of(c, f->arena);
    for (unsigned i = 0; i < c->nsteps; i++)
        ((LowerStmt *)(uintptr_t)c->steps[i].stmt)->chain = kept;
}

/* ---- statements that may be steps ---- */

static const ChainDriver *driver_of(const LowerStmt *s) {
    if (s->form != STMT_KERNEL || s->call == NULL || s->call->row == NULL ||
        s->call->row->way != KERNEL_BY_ID)
        return NULL;
    const char *name = kernel_driver(s->call->row);
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        if (strcmp(drivers[i].driver, name) == 0) return &drivers[i];
    return NULL;
}

static bool is_plain_tile(const Value *v) {
    return v->type->kind == TY_TILE && v->type->tile.slayout == SL_NONE_BOX &&
           v->type->tile.compact == COMPACT_NULL && elem_infos[v->type->elem].bytes > 0;
}

/* Whether two extents may be the same number at run time. */
static bool may_agree(int64_t a, int64_t b) {
    return a == b || a == DYNAMIC || b == DYNAMIC;
}

static bool is_in_region(const Finder *f, const Type *t) {
    const TileInfo *a = &f->region->tile, *b = &t->tile;
    return may_agree(a->vrow, b->vrow) && may_agree(a->vcol, b->vcol) && a->rows == b->rows &&
           a->cols == b->cols;
}

/* Whether the tile is a list of as many elements as the region has rows. */
static bool is_list(const Finder *f, const Type *t) {
    return f->region != NULL && f->region->tile.rows > 1 && f->region->tile.cols > 1 &&
           (t->tile.rows == 1 || t->tile.cols == 1) &&
           t->tile.rows * t->tile.cols == f->region->tile.rows;
}

static int find_value(const Value **list, unsigned n, const Value *v) {
    for (unsigned i = 0; i < n; i++)
        if (list[i] == v) return (int)i;
    return -1;
}

/* Returns the number of a value in a list, to which it is added; -1: the list is full. */
static int place_in(const Value **list, uint8_t *n, unsigned most, const Value *v) {
    const int at = find_value(list, *n, v);
    if (at >= 0 || *n == most) return at;
    list[*n] = v;
    return (*n)++;
}

/* A step while its arguments are read. */
typedef struct Reading {
    Finder *f;
    LowerChain *chain;
    LowerStep step;
    const char *letters;
    unsigned operands;
    const Type *region; /* of the first tile of the whole region */
} Reading;

static bool read_tile(Reading *r, const Value *v) {
    const char letter = r->letters[r->operands];
    if (letter == '\0' || letter == 'g' || !is_plain_tile(v)) return false;
    const Type *t = v->type;
    if (letter == 'f' && !r->step.column) {
        if (r->region == NULL) r->region = t;
        if (r->f->region == NULL) r->f->region = t;
        if (!is_in_region(r->f, t) || bytes_of(t) < LEAST_BYTES / 4) return false;
    }
    if (letter == 'c' && t->tile.cols != 1 && t->tile.vcol != 1) return false;
    const int at = place_in(r->chain->tiles, &r->chain->ntiles, CHAIN_TILES, v);
    r->step.at[r->operands++] = (uint8_t)at;
    return at >= 0;
}

static bool read_view(Reading *r, const Value *v) {
    if (r->letters[r->operands] != 'g') return false;
    const int at = place_in(r->chain->views, &r->chain->nviews, CHAIN_VIEWS, v);
    r->step.at[r->operands++] = (uint8_t)at;
    return at >= 0;
}

static bool read_arg(Reading *r, const LowerArg *arg) {
    switch (arg->kind) {
    case LARG_TILE:
        return read_tile(r, arg->value);
    case LARG_VIEW:
        return read_view(r, arg->value);
    case LARG_INT:
    case LARG_FLOAT:
        r->step.is_float = arg->kind == LARG_FLOAT;
        r->step.number = r->chain->nnumbers;
        r->chain->numbers[r->chain->nnumbers++] = arg;
        return true;
    case LARG_NUMBER:
    case LARG_ABSENT:
    case LARG_PROFILE:
        if (r->step.nhow == CHAIN_HOW || (arg->kind == LARG_NUMBER && (arg->n < 0 || arg->n > 127)))
            return false;
        r->step.how[r->step.nhow++] = arg;
        return true;
    default:
        return false;
    }
}

/* Whether all tiles of the statement are lists for the rows of the region. */
static bool is_about_columns(const Finder *f, const ChainDriver *d, const LowerCall *call) {
    if (strspn(d->letters, "f") != strlen(d->letters)) return false;
    for (unsigned i = 0; i < call->nargs; i++)
        if (call->args[i].kind == LARG_TILE && !is_list(f, call->args[i].value->type)) return false;
    return true;
}

/* Adds the statement to the chain. */
static bool join(Finder *f, LowerStmt *s) {
    const ChainDriver *d = driver_of(s);
    LowerChain *c = f->chain;
    if (d == NULL || c->nsteps == CHAIN_STEPS) return false;
    const LowerChain before = *c;
    const Type *region = f->region;
    Reading r = {.f = f, .chain = c, .letters = d->letters};
    r.step.stmt = s;
    r.step.kind = d->kind;
    r.step.column = is_about_columns(f, d, s->call);
    bool fits = true;
    for (unsigned i = 0; i < s->call->nargs && fits; i++)
        fits = read_arg(&r, &s->call->args[i]);
    if (!fits || r.operands != strlen(d->letters)) {
        *c = before;
        f->region = region;
        return false;
    }
    c->steps[c->nsteps++] = r.step;
    c->last = s;
    return true;
}

/* ---- statements between ---- */

bool lower_is_idle_scalar(const LowerStmt *s) {
    return s->kind == DOES_SCALAR && s->form != STMT_LOAD && s->form != STMT_STORE &&
           s->form != STMT_GET_ELEMENT && s->form != STMT_SET_ELEMENT &&
           s->form != STMT_ARRAY_GET && s->form != STMT_ARRAY_SET && s->form != STMT_STRUCT_GET &&
           s->form != STMT_STRUCT_SET && s->form != STMT_TILE_ADDRESS;
}

/* Whether a statement has no effect on values, and none on tiles that others name. */
static bool is_idle(const LowerStmt *s) {
    switch ((StmtKind)s->kind) {
    case DOES_VIEW:
        return s->rebinds == NULL && s->form != STMT_DECLARE_VIEW;
    case DOES_BIND:
        return s->rebinds == NULL && s->nresults > 0 &&
               (s->form == STMT_ALLOC || s->form == STMT_ALLOC_MULTI || s->form == STMT_SUBVIEW ||
                s->form == STMT_SUBSET || s->form == STMT_RECAST || s->form == STMT_ALIAS ||
                s->form == STMT_MULTI_GET);
    case DOES_SCALAR:
        return lower_is_idle_scalar(s);
    case DOES_SYNC:
        return s->inst->sync == SYNC_SET || s->inst->sync == SYNC_WAIT ||
               s->inst->sync == SYNC_GET || s->inst->sync == SYNC_RELEASE ||
               s->inst->sync == SYNC_BARRIER;
    default:
        return false;
    }
}

static bool has_local_pointer(const LowerStmt *s) {
    for (unsigned i = 0; i < s->nargs; i++) {
        const Value *v = s->args[i].value;
        if (v != NULL && v->type->kind == TY_PTR && v->type->space != SPACE_GM) return true;
    }
    return false;
}

static bool conflict(Finder *f, const Op *op, const Access *a, const Op *other, const Access *b) {
    if (a->scratch || b->scratch) return false; /* see uses_scratch() */
    if (a->value == NULL || b->value == NULL) return true;
    if (!a->write && !b->write) return false;
    const bool tile = is_tile_type(a->value->type), same = is_tile_type(b->value->type);
    if (tile != same) return false;
    return !tile || alias_sets_overlap(alias_places(planned(f), op, a->value),
                                       alias_places(planned(f), other, b->value)) != OVERLAP_NO;
}

/* Whether the call gets a scratch tile. Kernels leave others alone. */
static bool uses_scratch(const LowerStmt *s) {
    for (unsigned i = 0; i < s->call->nargs; i++)
        if (s->call->args[i].kind == LARG_SCRATCH) return true;
    for (int i = 0; i < s->inst->nslots; i++)
        for (unsigned k = 0; s->inst->slots[i].role == ROLE_SCRATCH && k < s->call->nargs; k++)
            if (stmt_value(s, i) != NULL && s->call->args[k].value == stmt_value(s, i)) return true;
    return false;
}

/* Whether a kernel may run before the steps so far. */
static bool is_apart(Finder *f, const LowerStmt *s) {
    Access mine[MOST_ACCESSES], others[MOST_ACCESSES];
    if (s->form != STMT_KERNEL || s->call == NULL || s->nregions > 0 || s->inst->fifo ||
        has_local_pointer(s) || s->call->row == NULL || s->call->row->way != KERNEL_BY_ID ||
        uses_scratch(s))
        return false;
    const Op *op = origin_of(f, s);
    const size_t n = op_accesses(&f->effects, op, mine, MOST_ACCESSES);
    if (n == 0 || n > MOST_ACCESSES) return false;
    for (unsigned i = 0; i < f->chain->nsteps; i++) {
        const Op *other = origin_of(f, f->chain->steps[i].stmt);
        const size_t m = op_accesses(&f->effects, other, others, MOST_ACCESSES);
        for (size_t k = 0; k < n * m; k++)
            if (m > MOST_ACCESSES || conflict(f, op, &mine[k / m], other, &others[k % m]))
                return false;
    }
    return true;
}

/* ---- the pass ---- */

static void begin(Finder *f, LowerStmt *s) {
    if (driver_of(s) == NULL) return;
    LowerChain *c = f->chain = &f->room;
    c->nsteps = c->ntiles = c->nviews = c->nnumbers = 0;
    c->dead = 0;
    f->region = NULL;
    if (!join(f, s) || f->region == NULL || bytes_of(f->region) < LEAST_BYTES) f->chain = NULL;
}

static void look(Finder *f, LowerStmt *s) {
    if (f->chain != NULL) {
        if (join(f, s) || is_idle(s) || (f->chain->nsteps < CHAIN_STEPS && is_apart(f, s))) return;
        end_chain(f);
    }
    begin(f, s);
}

static void find_chains(Finder *f, LowerRegion *r) {
    for (LowerBlock *b = r->first; b != NULL; b = b->next) {
        for (LowerStmt *s = b->first; s != NULL; s = s->next) {
            look(f, s);
            if (s->nregions == 0) continue;
            for (unsigned i = 0; i < s->nregions; i++)
                find_chains(f, &s->regions[i]);
        }
        end_chain(f);
    }
}

static void see_shown(const LowerStmt *s, void *arg) {
    if (s->shown != NULL || s->dump >= 0) *(bool *)arg = true;
}

void lower_chains(const Lower *l, const LowerFunc *func, const LowerOptions *opt,
                  const PtrMap *origins, LowerRegion *r, Arena *arena) {
    bool shown = false;
    Finder f = {.low = l,
                .func = func,
                .opt = opt,
                .origins = origins,
                .arena = arena,
                .effects = {.ctx = l->ctx, .profile = l->profile, .plan = opt->plan}};
    LowerStep steps[CHAIN_STEPS];
    const Value *tiles[CHAIN_TILES], *views[CHAIN_VIEWS];
    const LowerArg *numbers[CHAIN_STEPS];
    f.room = (LowerChain){.steps = steps, .tiles = tiles, .views = views, .numbers = numbers};
    lower_walk(r, see_shown, &shown);
    if (shown) return;
    find_chains(&f, r);
    lower_lane_chains(r, arena);
}
