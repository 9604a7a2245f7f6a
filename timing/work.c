/* SPDX-License-Identifier: Apache-2.0 */
/* What a statement does when it runs: which tile decides, how large it is then, which route it
 * takes; and so its price. */
#include "timing/probe.h"

#include <string.h>

typedef struct Operands {
    const TileNow *src, *dst; /* the first tiles read and written */
    const ViewNow *from, *to; /* views */
    const TileNow *left, *right;
} Operands;

static void look_at(Operands *o, const Cell *c, bool written) {
    if (c->tile != NULL && c->tile->type != NULL) {
        const TileNow **first = written ? &o->dst : &o->src;
        const uint8_t space = c->tile->type->tile.space;
        if (*first == NULL) *first = c->tile;
        if (space == SPACE_LEFT && o->left == NULL && !written) o->left = c->tile;
        if (space == SPACE_RIGHT && o->right == NULL && !written) o->right = c->tile;
    } else if (c->view != NULL) {
        const ViewNow **first = written ? &o->to : &o->from;
        if (*first == NULL) *first = c->view;
    }
}

static Operands find_operands(const TimeRun *r, const TimeNode *n) {
    Operands o = {0};
    const LowerStmt *s = n->stmt;
    unsigned at = 0;
    for (int i = 0; i < s->inst->nslots; i++) {
        const SlotInfo *slot = &s->inst->slots[i];
        const unsigned count = stmt_count(s, i);
        for (unsigned k = 0; k < count && at < s->nargs; k++, at++)
            if (slot->role != ROLE_SCRATCH)
                look_at(&o, &r->cells[n->in[at]],
                        slot->role == ROLE_WRITE || slot->role == ROLE_READWRITE);
    }
    for (unsigned i = 0; i < s->nresults; i++)
        look_at(&o, &r->cells[n->out[i]], true);
    return o;
}

static void need_extents(TimeRun *r, const TimeNode *n, const TileNow *t) {
    const TileInfo *info = &t->type->tile;
    if (t->open != NULL && (t->vrows < 0 || t->vcols < 0))
        time_unknown(r, n->stmt, "the valid region of a tile", t->open);
    if (t->vrows < 0 || t->vcols < 0 || t->vrows > info->rows || t->vcols > info->cols)
        time_stop(
            r, n->stmt, "the valid region, %lld x %lld, does not fit in the tile, %lld x %lld",
            (long long)t->vrows, (long long)t->vcols, (long long)info->rows, (long long)info->cols);
}

static Elem tile_elem(const TileNow *t) {
    return (Elem)t->type->elem_type->elem;
}

static int elem_size(Elem e) {
    return elem_infos[e].bytes != 0 ? elem_infos[e].bytes : 4;
}

/* ---- transfers ---- */

static Route route_of(int from, int to) {
    static const struct {
        uint8_t from, to, route;
    } ways[] = {{SPACE_GM, SPACE_VEC, ROUTE_GM_UB},      {SPACE_GM, SPACE_MAT, ROUTE_GM_L1},
                {SPACE_VEC, SPACE_GM, ROUTE_UB_GM},      {SPACE_MAT, SPACE_GM, ROUTE_L1_GM},
                {SPACE_ACC, SPACE_GM, ROUTE_L0C_GM},     {SPACE_ACC, SPACE_MAT, ROUTE_L0C_L1},
                {SPACE_ACC, SPACE_VEC, ROUTE_L0C_L1},    {SPACE_MAT, SPACE_LEFT, ROUTE_L1_L0A},
                {SPACE_MAT, SPACE_RIGHT, ROUTE_L1_L0B},  {SPACE_MAT, SPACE_BIAS, ROUTE_L1_BT},
                {SPACE_MAT, SPACE_SCALING, ROUTE_L1_FB}, {SPACE_VEC, SPACE_MAT, ROUTE_UB_GM},
                {SPACE_VEC, SPACE_VEC, ROUTE_UB_UB}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (ways[i].from == from && ways[i].to == to) return (Route)ways[i].route;
    return ROUTE_COUNT;
}

/* Returns how many bytes a copy of bursts moves, or -1: it is none. */
static int64_t burst_bytes(TimeRun *r, const TimeNode *n) {
    const LowerStmt *s = n->stmt;
    if (!n->bursts) return -1;
    const int src = inst_slot(s->inst, OPERAND_src),
              loops = inst_slot(s->inst, OPERAND_loop_counts);
    const Value *count = stmt_named(s, OPERAND_count), *len = stmt_named(s, OPERAND_len);
    if (count == NULL || len == NULL) return -1;
    const int unit = s->inst->slots[src].touched.unit;
    int64_t bytes = unit > 0 ? unit : 1;
    const Value *factors[2] = {count, len};
    const unsigned nloops = loops >= 0 ? stmt_count(s, loops) : 0;
    for (unsigned i = 0; i < 2 + nloops; i++) {
        const Value *v = i < 2 ? factors[i] : stmt_items(s, loops)[i - 2].value;
        const Cell *c = &r->cells[time_cell(r, v)];
        if (!c->known) time_unknown(r, s, "the size of a copy", c->cause);
        probe_fixed(r, c);
        if (c->n < 0 || c->n > INT32_MAX || bytes > ((int64_t)1 << 40) / (c->n + 1))
            time_stop(r, s, "a copy of this size is impossible");
        bytes *= c->n;
    }
    return bytes;
}

static Space pointer_space(const LowerStmt *s, OperandName name) {
    const Value *v = stmt_named(s, name);
    return v != NULL && v->type->kind == TY_PTR ? (Space)v->type->space : SPACE_GM;
}

static Price price_bursts(TimeRun *r, const TimeNode *n, int64_t bytes, int64_t *moved) {
    const Space from = pointer_space(n->stmt, OPERAND_src),
                to = pointer_space(n->stmt, OPERAND_dst);
    const Route route = route_of((int)from, (int)to);
    if (route == ROUTE_COUNT)
        return (Price){r->params->number[TIME_GM_UB_START], ORIGIN_DEFAULT, VECTOR_FRESH};
    *moved = from == SPACE_GM || to == SPACE_GM ? bytes : 0;
    Price p = price_transfer(r->params, route, bytes, 1);
    if (r->params->profile != PROFILE_A2A3) price_borrow(&p);
    return p;
}

static Price price_route(TimeRun *r, TimeNode *n, const Operands *o, int64_t *moved) {
    const int from = o->src != NULL ? o->src->type->tile.space : SPACE_GM;
    const int to = o->dst != NULL ? o->dst->type->tile.space : SPACE_GM;
    const Route route = route_of(from, to);
    const TileNow *t = o->src != NULL ? o->src : o->dst;
    int64_t elements;
    if (route == ROUTE_COUNT || t == NULL)
        return (Price){r->params->number[TIME_GM_UB_START], ORIGIN_DEFAULT, VECTOR_FRESH};
    if (route == ROUTE_L1_L0A || route == ROUTE_L1_L0B || route == ROUTE_L1_BT ||
        route == ROUTE_L1_FB) {
        t = o->dst; /* whole fractals move */
        elements = t->type->tile.rows * t->type->tile.cols;
    } else {
        need_extents(r, n, t);
        elements = t->vrows * t->vcols;
    }
    Elem e = tile_elem(t);
    if (from == SPACE_ACC) e = o->to != NULL ? o->to->elem : o->dst != NULL ? tile_elem(o->dst) : e;
    *moved = from == SPACE_GM || to == SPACE_GM ? elements * elem_size(e) : 0;
    Price p = price_transfer(r->params, route, elements, elem_size(e));
    if (r->params->profile != PROFILE_A2A3) price_borrow(&p);
    return p;
}

/* ---- products ---- */

static Price price_cube(TimeRun *r, TimeNode *n, const Operands *o, int64_t *flops) {
    if (o->left == NULL || o->right == NULL)
        return (Price){r->params->number[TIME_MAD_HEAD], ORIGIN_DEFAULT, VECTOR_FRESH};
    need_extents(r, n, o->left);
    need_extents(r, n, o->right);
    Price p = price_product(r->params, tile_elem(o->left), o->left->vrows, o->left->vcols,
                            o->right->vcols);
    *flops = 2 * o->left->vrows * o->left->vcols * o->right->vcols;
    if (r->params->profile != PROFILE_A2A3) price_borrow(&p);
    return p;
}

/* ---- vector instructions ---- */

static bool read_decides(const PriceRow *row) {
    return row->rule == RULE_ROW_REDUCE || row->rule == RULE_COL_REDUCE ||
           row->rule == RULE_COMPARE;
}

/* A sum of columns by pairs of rows, in scratch. */
static bool is_tree(const LowerStmt *s) {
    return stmt_attr_int(s, ATTR_isBinary) != 0;
}

/* The exact algorithm of a quotient, a root or an exponential. */
static bool is_precise(const LowerStmt *s) {
    const NamedAttr *a = stmt_attr_named(s, ATTR_precisionType);
    return a != NULL && enum_number(a->value) == 1;
}

/* The elements of a run that is merged; 0: whole lists are. */
static int64_t merged_block(TimeRun *r, const TimeNode *n) {
    const Value *v = stmt_named(n->stmt, OPERAND_blockLen);
    if (v == NULL) return 0;
    const Cell *c = &r->cells[time_cell(r, v)];
    if (!c->known) time_unknown(r, n->stmt, "the length of a block", c->cause);
    probe_fixed(r, c);
    if (c->n <= 0 || c->n > INT32_MAX)
        time_stop(r, n->stmt, "a block of %lld elements is impossible", (long long)c->n);
    return c->n;
}

static bool same_tile(const Operands *o) {
    return o->src != NULL && o->src == o->dst;
}

static Price price_tiles(TimeRun *r, TimeNode *n, const Operands *o, VectorState state) {
    const PriceRow *row = price_row(n->stmt->inst);
    const TileNow *t = o->dst;
    if (t == NULL || (read_decides(row) && o->src != NULL)) t = o->src;
    if (t == NULL) {
        const MicroCost *c = params_cost(r->params, MICRO_OTHER, 4);
        return (Price){c->solo + c->slope, ORIGIN_DEFAULT, VECTOR_RUNNING};
    }
    need_extents(r, n, t);
    Work w = {.inst = inst_meant(n->stmt->inst),
              .from = tile_elem(t),
              .to = o->dst != NULL ? tile_elem(o->dst) : tile_elem(t),
              .rows = t->type->tile.rows,
              .cols = t->type->tile.cols,
              .vrows = t->vrows,
              .vcols = t->vcols,
              .variant = is_precise(n->stmt) ? "high_precision" : NULL,
              .tree = is_tree(n->stmt),
              .block = n->key[6]};
    if (row->rule == RULE_CONVERT && o->src != NULL) w.from = tile_elem(o->src);
    if (n->rounded) {
        const int64_t per = 256 / elem_size(w.from);
        w.vcols = w.cols = (w.vcols + per - 1) / per * per;
    }
    /* In place the library multiplies by the inverse. */
    if (inst_id(w.inst) == INST_TDIVS && same_tile(o)) w.inst = &inst_table[INST_TMULS];
    if (r->params->profile == PROFILE_A5) return price_curve(r->params, &w);
    return price_vector(r->params, &w, state);
}

/* ---- prices that hold until an extent changes ---- */

static void key_of(const Operands *o, int64_t bytes, int64_t block, int64_t key[PRICE_KEYS]) {
    const TileNow *t[3] = {o->dst != NULL ? o->dst : o->src, o->left != NULL ? o->left : o->src,
                           o->right};
    for (int i = 0; i < 3; i++) {
        key[2 * i] = t[i] != NULL ? t[i]->vrows : 0;
        key[2 * i + 1] = t[i] != NULL ? t[i]->vcols : 0;
    }
    key[4] = key[4] * 2 + same_tile(o);
    if (bytes >= 0) key[0] = bytes;
    key[6] = block;
}

const PriceSet *time_price(TimeRun *r, TimeNode *n) {
    const Operands o = find_operands(r, n);
    int64_t key[PRICE_KEYS];
    const int64_t bytes = burst_bytes(r, n);
    key_of(&o, bytes, merged_block(r, n), key);
    if (n->price != NULL && memcmp(key, n->key, sizeof key) == 0) return n->price;
    PriceSet *set = ARENA_NEW(r->arena, PriceSet);
    memcpy(n->key, key, sizeof key);
    n->price = set;
    if (n->pipe == PIPE_M)
        set->by[0] = price_cube(r, n, &o, &set->flops);
    else if (bytes >= 0)
        set->by[0] = set->by[1] = set->by[2] = price_bursts(r, n, bytes, &set->bytes);
    else if (n->pipe != PIPE_V)
        set->by[0] = price_route(r, n, &o, &set->bytes);
    for (int state = VECTOR_FRESH; state <= VECTOR_RUNNING && n->pipe == PIPE_V && bytes < 0;
         state++)
        set->by[state] = price_tiles(r, n, &o, (VectorState)state);
    return set;
}
