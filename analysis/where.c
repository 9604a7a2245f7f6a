/* Overlap of places. */
#include "analysis/where.h"

/* True for a block that a branch back may repeat. */
static bool may_repeat(const Block *b) {
    return b != b->region->first;
}

/* Returns the number of loops around a statement of a block. All blocks of a region but the first
 * count as in one loop. */
static uint32_t loops_around(const Block *b) {
    uint32_t n = 0;
    while (b != NULL && b->region != NULL && b->region->owner != NULL) {
        const Op *owner = b->region->owner;
        n += op_is(owner, INST_SCF_FOR) || op_is(owner, INST_SCF_WHILE);
        n += may_repeat(b);
        b = owner->block;
    }
    return n;
}

static uint32_t value_depth(const Value *v) {
    return loops_around(v->argument ? value_block(v) : v->def != NULL ? v->def->block : NULL);
}

/* ---- places ---- */

static Where *new_where(WhereTable *t) {
    if (t->n == t->cap) {
        uint32_t cap = t->cap == 0 ? 64 : t->cap * 2;
        Where **more = ARENA_ARRAY(t->arena, Where *, cap);
        if (t->n > 0) memcpy(more, t->all, t->n * sizeof(Where *));
        t->all = more;
        t->cap = cap;
    }
    Where *w = ARENA_NEW(t->arena, Where);
    w->number = t->n;
    return t->all[t->n++] = w;
}

/* Describes a place by its first byte and size, where these are known. */
static void read_address(WhereTable *t, Where *w, int64_t bytes) {
    const Place *p = &w->tile;
    if ((p->base != BASE_ADDRESS && p->base != BASE_COMPUTED) || p->shift != NULL ||
        p->end == INT64_MAX)
        return;
    w->bytes = p->end - p->start;
    if (bytes > 0 && bytes < w->bytes) w->bytes = bytes;
    if (p->base == BASE_COMPUTED) w->base = *affine_of(&t->numbers, p->of);
    w->computed = !__builtin_add_overflow(w->base.c, p->start, &w->base.c);
}

const Where *where_tile(WhereTable *t, Place p, const Type *type, int64_t bytes) {
    Where **chain = &t->tiles[(uint64_t)p.low / 32 % WHERE_CHAINS];
    for (Where *w = *chain; w != NULL && bytes == 0; w = w->chain)
        if (w->type == type && place_same(&w->tile, &p)) return w;
    Where *w = new_where(t);
    w->tile = p;
    w->type = type;
    if (bytes == 0) {
        w->chain = *chain;
        *chain = w;
    }
    read_address(t, w, bytes);
    return w;
}

static int64_t element_bytes(const Type *type) {
    const Type *e = type->elem_type != NULL ? type->elem_type : type;
    int64_t n = elem_infos[e->elem].bytes;
    return n > 0 ? n : 1;
}

/* Sets the bytes of a view of a pointer. */
static bool read_view(WhereTable *t, Where *w, const Op *op) {
    int strides = inst_slot(op->inst, "strides");
    const Where *from = where_global(t, op->operands[0].value);
    unsigned n = slot_count(op, strides);
    w->root = from->root;
    w->coarse = from->coarse || from->bound;
    w->base = from->base;
    w->dims = n;
    if (from->unknown || from->dims != 0 || n == 0 || n > MOST_DIMS) return false;
    for (unsigned i = 0; i < n; i++) {
        const Affine *s = affine_of(&t->numbers, slot_operands(op, strides)[i].value);
        const Affine *e =
            affine_of(&t->numbers, slot_operands(op, inst_slot(op->inst, "shape"))[i].value);
        if (!affine_add(&w->stride[i], s, element_bytes(op->results[0].type))) return false;
        w->size[i] = *e;
    }
    return true;
}

static bool ends_beyond(const Affine *offset, const Affine *size, const Affine *extent);

static bool read_window(WhereTable *t, Where *w, const Op *op) {
    const Where *from = where_global(t, op->operands[0].value);
    unsigned n = slot_count(op, inst_slot(op->inst, "offsets"));
    uint32_t number = w->number;
    *w = *from;
    w->number = number;
    w->bound = w->whole = false;
    w->coarse = from->coarse || from->bound;
    if (w->coarse && !from->unknown) return true;
    if (from->unknown || from->dims != n || slot_count(op, inst_slot(op->inst, "sizes")) != n)
        return false;
    for (unsigned i = 0; i < n; i++) {
        const Operand *o = slot_operands(op, inst_slot(op->inst, "offsets"));
        const Operand *s = slot_operands(op, inst_slot(op->inst, "sizes"));
        const Affine *first = affine_of(&t->numbers, o[i].value),
                     *size = affine_of(&t->numbers, s[i].value);
        if (!affine_add(&w->offset[i], first, 1)) return false;
        w->flat |= ends_beyond(first, size, &from->size[i]);
        w->size[i] = *size;
    }
    return true;
}

/* A view that is bound to an entry of a pipe between cores. */
static bool is_entry_view(const Op *op) {
    return op_is(op, INST_DECLARE_GLOBAL) || op->inst->entry == ENTRY_POP ||
           op->inst->entry == ENTRY_ALLOC;
}

static bool read_global(WhereTable *t, Where *w, const Value *v) {
    const Op *op = v->def;
    if (v->argument) {
        const Block *b = value_block(v);
        w->root = v;
        return b->region->owner != NULL && op_is(b->region->owner, INST_FUNC);
    }
    if (op != NULL && is_entry_view(op)) {
        w->root = v;
        w->coarse = w->whole = true;
        return true;
    }
    if (op == NULL || op->noperands == 0) return false;
    if (op_is(op, INST_MAKE_TENSOR_VIEW)) return read_view(t, w, op);
    if (op_is(op, INST_PARTITION_VIEW)) return read_window(t, w, op);
    if (!op_is(op, INST_ADDPTR) && !op_is(op, INST_CASTPTR)) return false;
    const Where *from = where_global(t, op->operands[0].value);
    if (op_is(op, INST_CASTPTR) && op->operands[0].value->type->kind != TY_PTR) return false;
    w->root = from->root;
    w->coarse = from->coarse || from->bound;
    w->base = from->base;
    if (from->unknown || from->dims != 0) return false;
    return op_is(op, INST_CASTPTR) ||
           affine_add(&w->base, affine_of(&t->numbers, op->operands[1].value),
                      element_bytes(op->operands[0].value->type));
}

const Where *where_global(WhereTable *t, const Value *v) {
    Where *w = ptrmap_get(&t->global, v);
    if (w != NULL) return w;
    w = new_where(t);
    *ptrmap_at(&t->global, v) = w;
    bool known = read_global(t, w, v);
    w->global = true;
    w->unknown = !known;
    return w;
}

void where_bind(WhereTable *t, const Value *parameter, const Where *argument) {
    Where *w = new_where(t);
    uint32_t number = w->number;
    *w = *argument;
    w->number = number;
    w->bound = true;
    *ptrmap_at(&t->global, parameter) = w;
}

const Where *where_element(WhereTable *t, const Value *pointer, const Value *index) {
    Where *w = new_where(t);
    const Where *from = where_global(t, pointer);
    uint32_t number = w->number;
    *w = *from;
    w->number = number;
    w->bound = w->whole = false;
    w->coarse = from->coarse || from->bound;
    if (w->unknown || w->dims != 0) return w;
    w->dims = 1;
    w->offset[0] = *affine_of(&t->numbers, index);
    w->size[0] = (Affine){.c = 1};
    w->stride[0] = (Affine){.c = element_bytes(pointer->type)};
    return w;
}

/* ---- overlap in global memory ---- */

static const Range anywhere = {-NUMBER_FAR, NUMBER_FAR};

/* Returns what a term adds to the difference of two expressions. */
static Range term_range(const Value *v, int64_t ca, int64_t cb, uint32_t equal, uint32_t level) {
    uint32_t depth = value_depth(v);
    const Op *loop = loop_of_variable(v);
    if (ca == cb && (ca == 0 || depth <= equal)) return (Range){0, 0};
    if (loop == NULL) return anywhere;
    int64_t far = loop_most_trips(loop) - 1;
    if (far < 0) far = 0;
    if (depth <= equal) return range_times(ca - cb, 0, far);
    if (depth == level && ca == cb) return range_times(-ca, 1, far < 1 ? 1 : far);
    return range_plus(range_times(ca, 0, far), range_times(-cb, 0, far));
}

/* Returns the interval of a - b, where b is as many iterations later as `level` says. */
static Range difference(const Affine *a, const Affine *b, uint32_t common, uint32_t level) {
    uint32_t equal = level == 0 ? common : level - 1;
    int64_t c = a->c - b->c;
    Range r = {c, c};
    for (uint32_t i = 0; i < a->n; i++)
        r = range_plus(r, term_range(a->terms[i].v, a->terms[i].by,
                                     affine_coefficient(b, a->terms[i].v), equal, level));
    for (uint32_t i = 0; i < b->n; i++)
        if (affine_coefficient(a, b->terms[i].v) == 0)
            r = range_plus(r, term_range(b->terms[i].v, 0, b->terms[i].by, equal, level));
    return r;
}

/* Whether a window is known to end beyond a dimension of `extent` elements in some iteration. Where
 * only run time knows, it is taken to lie in the dimensions of its view. */
static bool ends_beyond(const Affine *offset, const Affine *size, const Affine *extent) {
    static const Affine zero;
    int64_t n, whole;
    if (!affine_is(size, &n) || !affine_is(extent, &whole)) return false;
    const Range first = difference(offset, &zero, 0, 0);
    return n > whole || (first.hi < NUMBER_FAR && first.hi > whole - n);
}

static bool same_grid(const Where *a, const Where *b) {
    if (a->dims != b->dims || a->dims == 0 || !affine_same(&a->base, &b->base)) return false;
    for (uint32_t i = 0; i < a->dims; i++)
        if (!affine_same(&a->stride[i], &b->stride[i])) return false;
    return true;
}

/* Compares windows of one tensor, dimension by dimension. */
static Overlap windows_meet(const Where *a, const Where *b, uint32_t common, uint32_t level) {
    Overlap result = OVERLAP_YES;
    int64_t n;
    for (uint32_t i = 0; i < a->dims; i++) {
        Range r = difference(&a->offset[i], &b->offset[i], common, level);
        if (affine_is(&b->size[i], &n) && r.lo >= n) return OVERLAP_NO;
        if (affine_is(&a->size[i], &n) && r.hi <= -n) return OVERLAP_NO;
        if (r.lo != r.hi) result = OVERLAP_MAYBE;
    }
    return result;
}

/* Computes the first byte and the number of bytes of a window; INT64_MAX: unknown. */
static bool run_of(const Where *w, Affine *start, int64_t *bytes) {
    *start = w->base;
    *bytes = w->dims == 0 ? INT64_MAX : 0;
    for (uint32_t i = 0; i < w->dims; i++) {
        Affine step;
        int64_t size, stride = 0;
        if (!affine_multiply(&w->offset[i], &w->stride[i], &step) || !affine_add(start, &step, 1))
            return false;
        if (!affine_is(&w->size[i], &size) || (!affine_is(&w->stride[i], &stride) && size > 1))
            *bytes = INT64_MAX;
        else if (*bytes != INT64_MAX && size > 0)
            *bytes += (size - 1) * stride;
        if (i + 1 == w->dims && *bytes != INT64_MAX) *bytes += stride;
    }
    return true;
}

static Overlap runs_meet(const Where *a, const Where *b, uint32_t common, uint32_t level) {
    Affine x, y;
    int64_t n, m;
    if (!run_of(a, &x, &n) || !run_of(b, &y, &m)) return OVERLAP_MAYBE;
    Range r = difference(&x, &y, common, level);
    if ((m != INT64_MAX && r.lo >= m) || (n != INT64_MAX && r.hi <= -n)) return OVERLAP_NO;
    return r.lo == r.hi ? OVERLAP_YES : OVERLAP_MAYBE;
}

static Overlap global_meet(const Where *a, const Where *b, uint32_t common, uint32_t level) {
    if (a->unknown || b->unknown) return OVERLAP_MAYBE;
    if (a->root != b->root) return OVERLAP_NO;
    if ((a->whole || b->whole) && level == 0) return OVERLAP_YES;
    if (a->coarse || b->coarse) return OVERLAP_MAYBE;
    if (a->flat || b->flat || !same_grid(a, b)) return runs_meet(a, b, common, level);
    return windows_meet(a, b, common, level);
}

/* Compares tiles, one of them at an address that the program computes. */
static Overlap addresses_meet(const Where *a, const Where *b, uint32_t common, uint32_t level) {
    Range r = difference(&a->base, &b->base, common, level);
    if (r.lo >= b->bytes || r.hi <= -a->bytes) return OVERLAP_NO;
    return r.lo == r.hi ? OVERLAP_YES : OVERLAP_MAYBE;
}

static bool is_entry(const Where *w) {
    return w->tile.base == BASE_BOUND;
}

/* An entry of a pipe between cores is in memory that the pipe reserves, and apart from entries that
 * are bound to other tiles. */
static bool are_apart(const Where *a, const Where *b) {
    if (is_entry(a) && is_entry(b)) return a->tile.of != b->tile.of;
    return is_entry(a) != is_entry(b) && (a->computed || b->computed);
}

static Overlap tiles_meet(const Where *a, const Where *b, uint32_t common, uint32_t level) {
    if (a->tile.space != b->tile.space && a->tile.space != SPACE_COUNT &&
        b->tile.space != SPACE_COUNT)
        return OVERLAP_NO;
    if (are_apart(a, b)) return OVERLAP_NO;
    if (a->computed && b->computed &&
        (a->tile.base == BASE_COMPUTED || b->tile.base == BASE_COMPUTED))
        return addresses_meet(a, b, common, level);
    Place p = a->tile;
    p.past |= level > 0;
    return place_overlap(&p, &b->tile);
}

Overlap where_meet(const Where *a, const Where *b, uint32_t common, uint32_t level) {
    if (a->global != b->global) return OVERLAP_NO;
    if (a->global) return global_meet(a, b, common, level);
    return tiles_meet(a, b, common, level);
}

static bool is_constant(const Where *w) {
    Affine start;
    int64_t bytes;
    return !w->unknown && !w->coarse && run_of(w, &start, &bytes) && start.n == 0;
}

bool where_may_meet(const Where *a, const Where *b) {
    if (a->global != b->global) return false;
    if (!a->global) {
        if (are_apart(a, b)) return false;
        Place p = a->tile, q = b->tile;
        p.past = q.past = true;
        return place_overlap(&p, &q) != OVERLAP_NO;
    }
    if (a->unknown || b->unknown) return true;
    if (a->root != b->root) return false;
    return !is_constant(a) || !is_constant(b) || global_meet(a, b, 0, 0) != OVERLAP_NO;
}
