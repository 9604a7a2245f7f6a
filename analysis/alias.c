/* SPDX-License-Identifier: Apache-2.0 */
/* Alias analysis: propagates places along the edges of a graph of values until nothing changes. A
 * statement that moves a tile to another address has its own node, which the uses that it dominates
 * see. */
#include "analysis/alias.h"
#include "analysis/handover.h"
#include "analysis/reach.h"
#include "ir/number.h"
#include "support/ptrmap.h"

#include <string.h>

typedef struct Node Node;

typedef struct Edge {
    struct Edge *next;
    Node *to;
    const Op *view;     /* view that changes the place, or NULL */
    const Region *loop; /* loop that carries the value, or NULL */
    uint32_t depth;     /* of that loop */
} Edge;

/* A statement that moves the tile of a value. */
typedef struct Move {
    const Op *op;
    Node *node;
} Move;

/* The moves of one value in one block, in order. */
typedef struct BlockMoves {
    Move *list;
    uint32_t n, cap;
    struct BlockMoves *next; /* same value, another block */
} BlockMoves;

typedef struct Moves {
    PtrMap by_block; /* const Block * -> BlockMoves * */
    BlockMoves *first;
    const Op *bound;       /* the first tassign with a constant address, or NULL */
    const Block *unscoped; /* a block with moves that outlive its region, or NULL */
    bool several;          /* there is more than one such block */
    Node *any;             /* node for all places of the value and its moves; NULL: not needed */
    Node *next;
} Moves;

struct Node {
    Place *places;
    const Value *value; /* NULL: the tile of a move */
    uint8_t n, cap;
    bool waiting;
    bool wide; /* it may be anywhere in the base of its place */
    Node *next_waiting;
    Edge *edges;
    Moves *moves; /* NULL: none */
};

typedef struct Carried {
    struct Carried *next;
    Op *op;
    const Value *from;
    Value *to;
} Carried;

struct Alias {
    Arena *arena;
    const Context *ctx;
    const Plan *plan; /* or NULL */
    Numbers *numbers;
    bool memory;   /* pointers and views have places, too */
    PtrMap nodes;  /* const Value *, const Op * of a move -> Node * */
    PtrMap order;  /* when there are moves: const Op * -> its number */
    PtrMap blocks; /* where a region has several: const Block * -> its number */
    Node *waiting;
    Carried *carried;
    Node *moved; /* nodes with moves */
    Op *op;      /* current operation of the walk */
    uintptr_t count;
};

static bool is_tile(const Value *v) {
    return v != NULL && v->type != NULL && is_tile_type(v->type);
}

/* True for a value of which the places are computed. */
static bool has_places(const Alias *a, const Value *v) {
    return is_tile(v) || (a->memory && v != NULL && v->type != NULL && is_memory(v->type));
}

static Node *node_of(Alias *a, const void *key) {
    void **at = ptrmap_at(&a->nodes, key);
    if (*at == NULL) *at = ARENA_NEW(a->arena, Node);
    return *at;
}

static Node *node_of_value(Alias *a, const Value *v) {
    Node *n = node_of(a, v);
    n->value = v;
    return n;
}

/* ---- places of a node ---- */

static void wait(Alias *a, Node *n) {
    if (n->waiting) return;
    n->waiting = true;
    n->next_waiting = a->waiting;
    a->waiting = n;
}

static void put_place(Alias *a, Node *n, Place p) {
    if (n->n == n->cap) {
        uint8_t cap = n->cap == 0 ? 1 : (uint8_t)(n->cap * 2);
        Place *more = ARENA_ARRAY(a->arena, Place, cap);
        if (n->n > 0) memcpy(more, n->places, n->n * sizeof *more);
        n->places = more;
        n->cap = cap;
    }
    n->places[n->n++] = p;
    wait(a, n);
}

/* With too many places, a pointer or view may be anywhere in the memory that all of them are in. */
static Place widened(Alias *a, const Node *n, Place p) {
    bool same = n->value != NULL && place_is_memory(&p);
    for (unsigned i = 0; i < n->n && same; i++)
        same = n->places[i].base == p.base && n->places[i].of == p.of;
    p.base = same ? p.base : BASE_ANY;
    p = place_somewhere(a->numbers, &p, n->value);
    p.low = INT64_MIN;
    p.end = INT64_MAX;
    p.fresh = UINT32_MAX;
    p.past = false;
    return p;
}

/* Adds a place; with too many of them, the node may be anywhere. */
static void add_place(Alias *a, Node *n, Place p) {
    if (n->n == 1 && n->places[0].base == BASE_ANY) return;
    if (n->wide && n->places[0].base == p.base && n->places[0].of == p.of) return;
    for (unsigned i = 0; i < n->n; i++)
        if (place_same(&n->places[i], &p)) return;
    if (n->n == ALIAS_PLACES || n->wide) {
        p = widened(a, n, p);
        n->wide = true;
        n->n = 0;
    }
    if (p.base == BASE_ANY) n->n = 0; /* BASE_ANY covers the others */
    put_place(a, n, p);
}

/* ---- addresses ---- */

static const Value *address_value(const Op *op) {
    int slot = inst_slot(op->inst, OPERAND_addr);
    return slot >= 0 ? slot_value(op, slot) : NULL;
}

static const NamedAttr *address_attr(const Op *op) {
    const NamedAttr *attr = op_is(op, INST_TASSIGN) ? op_attr(op, 0) : NULL;
    return attr != NULL && attr->value->kind == ATTR_INT ? attr : NULL;
}

bool given_address(const Op *op, int64_t *address) {
    const Value *v = address_value(op);
    if (v != NULL) return number_written(v, address);
    const NamedAttr *attr = address_attr(op);
    if (attr != NULL) *address = attr->value->i;
    return attr != NULL;
}

static Place place_at(const Alias *a, const Op *op, const Type *type) {
    int64_t n = 0;
    const Value *v = address_value(op);
    if (given_address(op, &n)) return place_of(type, BASE_ADDRESS, NULL, n);
    return v != NULL ? place_at_address(a->numbers, type, v) : place_of(type, BASE_ANY, NULL, 0);
}

/* ---- definitions ---- */

/* False for a statement of which only a part could be read. */
static bool is_whole(const Op *op) {
    unsigned n = 0;
    for (int i = 0; i < op->inst->nslots; i++)
        n += slot_count(op, i);
    for (unsigned i = 0; i < op->noperands; i++)
        if (op->operands[i].value == NULL) return false;
    return n == op->noperands;
}

/* Returns the place of an SSA result; a later tassign binds it from the start. */
static Place result_place(const Node *n, const Op *op, const Value *v) {
    int64_t address;
    if (n->moves != NULL && n->moves->bound != NULL && given_address(n->moves->bound, &address))
        return place_of(v->type, BASE_ADDRESS, NULL, address);
    Place p = place_of(v->type, BASE_VALUE, v, 0);
    p.home = op->block;
    return p;
}

static bool has_address(const Op *op) {
    return address_value(op) != NULL || address_attr(op) != NULL;
}

/* Returns the place of a tile that the plan has an address for, else the place that is given. */
static Place planned_place(const Alias *a, const Value *v, Place otherwise) {
    const PlanSlot *slot = a->plan != NULL ? plan_value(a->plan, v) : NULL;
    return slot != NULL ? place_of(v->type, BASE_ADDRESS, NULL, slot->addr) : otherwise;
}

/* A view that is bound to an entry of a pipe between cores. */
static bool is_entry_view(const Op *op) {
    return op_is(op, INST_DECLARE_GLOBAL) || op->inst->entry == ENTRY_POP ||
           op->inst->entry == ENTRY_ALLOC;
}

/* True for a statement that makes a pointer or view of its first operand. */
static bool is_derived(const Op *op) {
    if (op->noperands == 0 || op->operands[0].value == NULL) return false;
    return op_is(op, INST_ADDPTR) || op_is(op, INST_MAKE_TENSOR_VIEW) ||
           op_is(op, INST_PARTITION_VIEW) || reach_moved(op) != NULL ||
           (op_is(op, INST_CASTPTR) && op->operands[0].value->type->kind == TY_PTR);
}

/* The same as made_place() for pointers and views. */
static bool made_memory(const Alias *a, const Op *op, const Value *v, Place *out) {
    if (is_entry_view(op)) {
        *out = place_of(v->type, BASE_BOUND, v, 0);
        out->home = op->block;
    } else if (op_is(op, INST_CASTPTR) && op->noperands == 1 && !is_derived(op) &&
               number_width(op->operands[0].value->type) != 0) {
        *out = place_at_address(a->numbers, v->type, op->operands[0].value);
    } else if (is_derived(op) || op->nregions > 0 || op_is(op, INST_SELECT) ||
               op_is(op, INST_UNREALIZED_CAST) || (op->inst->flags & IF_VIEW) != 0) {
        return false;
    } else {
        *out = place_of(v->type, BASE_ANY, NULL, 0);
    }
    return true;
}

/* Computes the place of a result that has its own; false when it comes from operands. */
static bool made_place(const Alias *a, const Node *n, const Op *op, unsigned result, Place *out) {
    const Value *v = &op->results[result];
    bool binds = op_is(op, INST_DECLARE_TILE) || op_is(op, INST_TGET_SCALE_ADDR) ||
                 op_is(op, INST_TPOP_FROM_AIC) || op_is(op, INST_TPOP_FROM_AIV);
    bool alloc = op_is(op, INST_ALLOC_TILE) || op_is(op, INST_ALLOC_MULTI_TILE);
    bool assign = op_is(op, INST_TASSIGN);
    if (is_memory(v->type)) return made_memory(a, op, v, out);
    if (assign || (alloc && has_address(op))) {
        *out = place_at(a, op, v->type);
    } else if (alloc) {
        *out = planned_place(a, v, place_of(v->type, BASE_BUFFER, v, 0));
    } else if (binds) {
        *out = place_of(v->type, BASE_BOUND, v, 0);
        out->home = op->block;
    } else if (result < op_new_tiles(op) || op_is(op, INST_CALL)) {
        *out = planned_place(a, v, result_place(n, op, v));
    } else if (op->nregions > 0 || (op->inst->flags & IF_VIEW) != 0 || op_is(op, INST_SELECT) ||
               op_is(op, INST_MULTI_TILE_GET) || op_is(op, INST_UNREALIZED_CAST)) {
        return false;
    } else {
        *out = place_of(v->type, BASE_ANY, NULL, 0);
    }
    return true;
}

static void make_results(Alias *a, Op *op) {
    for (unsigned i = 0; i < op->nresults; i++) {
        if (!has_places(a, &op->results[i])) continue;
        Node *n = node_of_value(a, &op->results[i]);
        Place p = place_of(op->results[i].type, BASE_ANY, NULL, 0);
        if (!is_whole(op) || made_place(a, n, op, i, &p)) add_place(a, n, p);
    }
}

static void make_parameters(Alias *a, const Op *func) {
    const Block *b = func->nregions > 0 ? op_regions(func)[0].first : NULL;
    for (uint32_t i = 0; b != NULL && i < b->nargs; i++)
        if (has_places(a, &b->args[i]))
            add_place(a, node_of_value(a, &b->args[i]),
                      place_of(b->args[i].type, BASE_PARAMETER, &b->args[i], 0));
}

/* ---- moves ---- */

static Moves *moves_of(Alias *a, Node *n) {
    if (n->moves != NULL) return n->moves;
    n->moves = ARENA_NEW(a->arena, Moves);
    n->moves->by_block.arena = a->arena;
    n->moves->next = a->moved;
    a->moved = n;
    return n->moves;
}

static void add_move(Alias *a, Moves *all, const Op *op, Node *node) {
    void **at = ptrmap_at(&all->by_block, op->block);
    BlockMoves *b = *at;
    if (b == NULL) {
        b = *at = ARENA_NEW(a->arena, BlockMoves);
        b->next = all->first;
        all->first = b;
    }
    if (b->n == b->cap) {
        uint32_t cap = b->cap == 0 ? 2 : b->cap * 2;
        Move *more = ARENA_ARRAY(a->arena, Move, cap);
        if (b->n > 0) memcpy(more, b->list, b->n * sizeof *more);
        b->list = more;
        b->cap = cap;
    }
    b->list[b->n++] = (Move){op, node};
    if (handover_ends(op)) return;
    all->several |= all->unscoped != NULL && all->unscoped != op->block;
    all->unscoped = op->block;
}

static void note_move(Alias *a, Op *op, Value *v) {
    int64_t address;
    Node *node = node_of(a, op);
    Moves *all = moves_of(a, node_of(a, v));
    add_move(a, all, op, node);
    if (op_is(op, INST_TASSIGN)) {
        add_place(a, node, place_at(a, op, v->type));
        if (all->bound == NULL && given_address(op, &address)) all->bound = op;
    } else if ((op->inst->flags & IF_VIEW) == 0) { /* views get their place along an edge */
        Place p = place_of(v->type, BASE_BOUND, op, 0);
        p.home = op->block;
        add_place(a, node, p);
    }
}

/* Notes the tiles of which a statement may change the valid region. */
static void note_reshaping(Numbers *t, const Op *op) {
    if (!op_is(op, INST_SET_VALIDSHAPE) && !op_is(op, INST_CALL)) return;
    for (unsigned i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i].value;
        if (v == NULL || v->type->kind != TY_TILE ||
            (v->type->tile.vrow != DYNAMIC && v->type->tile.vcol != DYNAMIC))
            continue;
        t->any_reshaped |= v->def == NULL || !op_is(v->def, INST_ALLOC_TILE);
        Reshaping *r = ARENA_NEW(t->arena, Reshaping);
        void **at = ptrmap_at(&t->reshaped, v);
        *r = (Reshaping){*at, op};
        *at = r;
    }
}

static bool find_move(Op *op, void *arg) {
    Alias *a = arg;
    if (a->memory) note_reshaping(a->numbers, op);
    Value *v = is_whole(op) ? handover_rebinds(op) : NULL;
    if (is_tile(v)) note_move(a, op, v);
    return true;
}

static bool number_op(Op *op, void *arg) {
    Alias *a = arg;
    *ptrmap_at(&a->order, op) = (void *)++a->count;
    return true;
}

static void add_edge(Alias *a, Node *from, Edge edge) {
    Edge *e = ARENA_NEW(a->arena, Edge);
    *e = edge;
    e->next = from->edges;
    from->edges = e;
    wait(a, from);
}

/* True when the text order tells which move a use sees. Moves in the entry block of a function,
 * which runs once, do not need to end with their region. */
static bool order_decides(const Moves *all) {
    const Block *b = all->unscoped;
    return b == NULL ||
           (!all->several && b == b->region->first && op_is(b->region->owner, INST_FUNC));
}

/* Joins all places for uses when it is unknown which move they see. */
static void join_moves(Alias *a, Node *n) {
    if (order_decides(n->moves)) return;
    Node *any = n->moves->any = ARENA_NEW(a->arena, Node);
    add_edge(a, n, (Edge){.to = any});
    for (const BlockMoves *b = n->moves->first; b != NULL; b = b->next)
        for (uint32_t i = 0; i < b->n; i++)
            add_edge(a, b->list[i].node, (Edge){.to = any});
}

/* Returns the last move in a block before `op`, which is in the block. */
static const Move *move_before(const Alias *a, const BlockMoves *b, const Op *op) {
    uintptr_t at = (uintptr_t)ptrmap_get(&a->order, op);
    uint32_t lo = 0, hi = b != NULL ? b->n : 0;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if ((uintptr_t)ptrmap_get(&a->order, b->list[mid].op) < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo > 0 ? &b->list[lo - 1] : NULL;
}

/* Returns the node of the value that `op` sees: that of the move that dominates it as far as the
 * structure tells. Of several blocks, the first dominates the others. */
static Node *seen_node(const Alias *a, Node *n, const Op *op) {
    if (n->moves == NULL) return n;
    if (n->moves->any != NULL) return n->moves->any;
    for (const Op *at = op; at != NULL && at->block != NULL; at = region_owner(at->block)) {
        const Block *first = at->block->region->first;
        const Move *m = move_before(a, ptrmap_get(&n->moves->by_block, at->block), at);
        const BlockMoves *b = first != at->block ? ptrmap_get(&n->moves->by_block, first) : NULL;
        if (m == NULL && b != NULL) m = &b->list[b->n - 1];
        if (m != NULL) return m->node;
    }
    return n;
}

/* ---- edges ---- */

static bool goes_back(const Alias *a, const Block *from, const Block *to) {
    return (uintptr_t)ptrmap_get(&a->blocks, to) <= (uintptr_t)ptrmap_get(&a->blocks, from);
}

static void add_carried(Alias *a, const Value *from, Value *to) {
    Carried *r = ARENA_NEW(a->arena, Carried);
    *r = (Carried){.next = a->carried, .op = a->op, .from = from, .to = to};
    a->carried = r;
}

static void note_handover(void *arg, const Handover *h) {
    Alias *a = arg;
    if (!has_places(a, h->from->value) || !has_places(a, h->to)) return;
    Node *from = seen_node(a, node_of_value(a, h->from->value), a->op);
    bool moves = h->kind == HAND_VIEW && handover_rebinds(a->op) == h->to;
    Edge e = {.to = moves ? node_of(a, a->op) : node_of_value(a, h->to)};
    if (h->kind == HAND_VIEW) e.view = a->op;
    if (h->kind == HAND_NEXT) e.loop = a->op->block->region;
    if (h->kind == HAND_BRANCH && goes_back(a, a->op->block, value_block(h->to)))
        e.loop = value_block(h->to)->region;
    if (e.loop != NULL) e.depth = loops_around(value_block(h->to));
    if (e.loop != NULL && is_tile(h->to)) add_carried(a, h->from->value, h->to);
    add_edge(a, from, e);
}

static void number_blocks(Alias *a, const Op *op) {
    for (unsigned i = 0; i < op->nregions; i++) {
        const Region *r = &op_regions(op)[i];
        uintptr_t n = 0;
        for (const Block *b = r->first; r->first != r->last && b != NULL; b = b->next)
            *ptrmap_at(&a->blocks, b) = (void *)++n;
    }
}

static bool note_op(Op *op, void *arg) {
    Alias *a = arg;
    a->op = op;
    if (op->nregions > 0) number_blocks(a, op);
    if (op->nresults > 0) make_results(a, op);
    if (is_whole(op)) handover_each(op, note_handover, a);
    if (!a->memory || !is_whole(op) || !is_derived(op)) return true;
    const Operand *moved = reach_moved(op);
    const Value *from = moved != NULL ? moved->value : op->operands[0].value;
    if ((moved != NULL || op->nresults == 1) && has_places(a, from))
        add_edge(a, seen_node(a, node_of_value(a, from), op),
                 (Edge){.to = node_of_value(a, &op->results[op->nresults - 1]), .view = op});
    return true;
}

/* ---- propagation ---- */

static const Number *number_in(Alias *a, const Op *op, int slot, unsigned i) {
    const Operand *o = slot >= 0 && i < slot_count(op, slot) ? slot_operands(op, slot) : NULL;
    return o != NULL ? number_of(a->numbers, o[i].value) : NULL;
}

static Place window_place(Alias *a, const Op *op, const Place *p, const Value *v) {
    const int offsets = inst_slot(op->inst, OPERAND_offsets);
    const Number *row =
        number_in(a, op, offsets >= 0 ? offsets : inst_slot(op->inst, OPERAND_rowIdx), 0);
    const Number *col = offsets >= 0 ? number_in(a, op, offsets, 1)
                                     : number_in(a, op, inst_slot(op->inst, OPERAND_colIdx), 0);
    return place_window(a->numbers, p, v->type, row, col, v);
}

static Place view_place(Alias *a, const Op *op, const Place *p) {
    int dst = inst_slot(op->inst, OPERAND_dst);
    const Value *v = dst >= 0 ? slot_value(op, dst) : &op->results[0];
    if (op_is(op, INST_ADDPTR)) return place_moved(a->numbers, p, op);
    if (reach_moved(op) != NULL) return reach_next(a->numbers, op, p);
    if (op_is(op, INST_MAKE_TENSOR_VIEW)) return place_view(a->numbers, p, op);
    if (op_is(op, INST_PARTITION_VIEW)) return place_part(a->numbers, p, op);
    if (op_is(op, INST_SUBVIEW) || op_is(op, INST_SUBSET) || op_is(op, INST_TSUBVIEW))
        return window_place(a, op, p, v);
    if (!op_is(op, INST_MULTI_TILE_GET) || op->noperands < 2) return place_recast(p, v->type);
    return place_slot(a->numbers, p, v->type, number_of(a->numbers, op->operands[1].value), v);
}

static bool is_inside(const Block *b, const Region *r) {
    while (b != NULL && b->region != r) {
        const Op *owner = region_owner(b);
        b = owner != NULL ? owner->block : NULL;
    }
    return b != NULL;
}

static void deepen(uint32_t *depth, const Affine *f) {
    const uint32_t own = affine_depth(f);
    if (own > *depth) *depth = own;
}

/* Returns how deep the deepest variable is that the place depends on. */
static uint32_t place_depth(const Place *p) {
    uint32_t depth = affine_depth(&p->start);
    for (uint32_t i = 0; p->window != NULL && i < p->window->n; i++) {
        const ViewDim *d = &p->window->dims[i];
        deepen(&depth, &d->offset);
        deepen(&depth, &d->size);
        deepen(&depth, &d->extent);
        deepen(&depth, &d->stride);
    }
    return depth;
}

/* A place that a loop carries is of an earlier iteration if it was made inside the loop. */
static void propagate(Alias *a, const Edge *e, const Place *from) {
    Place p = e->view != NULL ? view_place(a, e->view, from) : *from;
    if (e->loop != NULL) {
        if ((p.base == BASE_VALUE || p.base == BASE_BOUND) && is_inside(p.home, e->loop))
            p.past = true;
        if (e->depth < p.fresh && place_depth(&p) >= e->depth) p.fresh = e->depth;
    }
    add_place(a, e->to, p);
}

static void propagate_all(Alias *a) {
    while (a->waiting != NULL) {
        Node *n = a->waiting;
        a->waiting = n->next_waiting;
        n->waiting = false;
        Place places[ALIAS_PLACES]; /* copied, as an edge may lead back to this node */
        unsigned count = n->n;
        if (count > 0) memcpy(places, n->places, count * sizeof *places);
        for (const Edge *e = n->edges; e != NULL; e = e->next)
            for (unsigned i = 0; i < count; i++)
                propagate(a, e, &places[i]);
    }
}

/* ---- entry points ---- */

static Alias *analyse(Alias *a, Op *func) {
    a->nodes.arena = a->order.arena = a->blocks.arena = a->arena;
    op_walk(func, find_move, a);
    if (a->moved != NULL) op_walk(func, number_op, a);
    for (Node *n = a->moved; n != NULL; n = n->moves->next)
        join_moves(a, n);
    make_parameters(a, func);
    op_walk(func, note_op, a);
    propagate_all(a);
    return a;
}

Alias *alias_function(Arena *arena, const Context *ctx, Op *func) {
    return alias_planned(arena, ctx, func, NULL);
}

Alias *alias_planned(Arena *arena, const Context *ctx, Op *func, const Plan *plan) {
    Alias *a = ARENA_NEW(arena, Alias);
    Numbers *numbers = ARENA_NEW(arena, Numbers);
    *numbers = numbers_in(arena);
    *a = (Alias){.arena = arena, .ctx = ctx, .plan = plan, .numbers = numbers};
    return analyse(a, func);
}

Alias *alias_numbered(Arena *arena, Numbers *numbers, const Context *ctx, Op *func) {
    Alias *a = ARENA_NEW(arena, Alias);
    *a = (Alias){.arena = arena, .ctx = ctx, .numbers = numbers};
    return analyse(a, func);
}

Alias *alias_memory(Numbers *numbers, const Context *ctx, Op *func) {
    Alias *a = ARENA_NEW(numbers->arena, Alias);
    *a = (Alias){.arena = numbers->arena, .ctx = ctx, .numbers = numbers, .memory = true};
    return analyse(a, func);
}

AliasSet alias_places(const Alias *a, const Op *op, const Value *v) {
    static const Place nowhere = {.base = BASE_ANY,
                                  .space = SPACE_COUNT,
                                  .bytes = INT64_MAX,
                                  .low = INT64_MIN,
                                  .end = INT64_MAX,
                                  .fresh = UINT32_MAX};
    static const Place memory = {.base = BASE_ANY,
                                 .space = SPACE_GM,
                                 .bytes = INT64_MAX,
                                 .low = INT64_MIN,
                                 .end = INT64_MAX,
                                 .fresh = UINT32_MAX};
    Node *n = ptrmap_get(&a->nodes, v);
    if (n != NULL) n = seen_node(a, n, op);
    if (n != NULL) return (AliasSet){n->places, n->n};
    return (AliasSet){is_memory(v->type) ? &memory : &nowhere, 1};
}

Overlap alias_sets_overlap(AliasSet a, AliasSet b) {
    unsigned seen[3] = {0, 0, 0};
    for (unsigned i = 0; i < a.n; i++)
        for (unsigned k = 0; k < b.n; k++)
            seen[place_overlap(&a.places[i], &b.places[k])]++;
    unsigned pairs = a.n * b.n;
    return pairs == 0                   ? OVERLAP_MAYBE
           : seen[OVERLAP_NO] == pairs  ? OVERLAP_NO
           : seen[OVERLAP_YES] == pairs ? OVERLAP_YES
                                        : OVERLAP_MAYBE;
}

/* A new value is distinct from everything that exists before. */
static bool is_new(const Op *op, const Value *v, AliasSet s) {
    return v->def == op && s.n == 1 && s.places[0].base == BASE_VALUE;
}

Overlap alias_overlap(const Alias *a, const Op *op, const Value *v, const Value *w) {
    if (v == w) return OVERLAP_YES;
    AliasSet s = alias_places(a, op, v), t = alias_places(a, op, w);
    if (is_new(op, v, s) || is_new(op, w, t)) return OVERLAP_NO;
    return alias_sets_overlap(s, t);
}

void alias_each_carried(const Alias *a,
                        void (*see)(void *arg, Op *op, const Value *from, Value *to), void *arg) {
    for (const Carried *r = a->carried; r != NULL; r = r->next)
        see(arg, r->op, r->from, r->to);
}
