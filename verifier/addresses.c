/* Addresses that the text gives to tiles: `addr` of alloc_tile, tassign with and without a result.
 * Manual mode means that some tile has one (decision 14). */
#include "verifier/rules.h"

#include <string.h>

typedef struct Binding {
    const Value *value;
    int64_t address;
    uint32_t next; /* older binding of the same bucket: index + 1, 0 = none */
    bool known;    /* false: bound to a dynamic address */
} Binding;

static uint32_t *bucket(const Bindings *b, const Value *v) {
    uint64_t h = (uint64_t)(uintptr_t)v * 0x9E3779B97F4A7C15u;
    return &b->buckets[(uint32_t)(h >> 32) & b->mask];
}

/* Puts a binding in front of its bucket, so that the newest of a value is found first. */
static void link_binding(Bindings *b, uint32_t index) {
    uint32_t *head = bucket(b, b->list[index].value);
    b->list[index].next = *head;
    *head = index + 1;
}

static void grow(Judge *j) {
    Bindings *b = &j->bindings;
    uint32_t cap = b->cap == 0 ? 32 : b->cap * 2;
    Binding *list = ARENA_ARRAY(&j->ctx->arena, Binding, cap);
    if (b->n > 0) memcpy(list, b->list, b->n * sizeof *list);
    b->list = list;
    b->cap = cap;
    b->buckets = ARENA_ARRAY(&j->ctx->arena, uint32_t, cap);
    b->mask = cap - 1;
    for (uint32_t i = 0; i < b->n; i++)
        link_binding(b, i);
}

bool given_address(const Context *ctx, const Op *op, int64_t *address) {
    bool assign = op_is(op, INST_TASSIGN);
    const Value *v = slot_value(op, assign ? 1 : 0);
    if (v != NULL) return value_constant(v, address);
    const NamedAttr *a = assign ? op_attr(ctx, op, 0) : NULL;
    if (a == NULL || a->value->kind != ATTR_INT) return false;
    *address = a->value->i;
    return true;
}

void bind_tassign(Judge *j, const Op *op) {
    const Value *v = slot_value(op, 0);
    if (v == NULL) return;
    Bindings *b = &j->bindings;
    if (b->n == b->cap) grow(j);
    Binding *n = &b->list[b->n];
    *n = (Binding){.value = v};
    n->known = given_address(j->ctx, op, &n->address);
    link_binding(b, b->n++);
}

uint32_t bindings_mark(const Judge *j) {
    return j->bindings.n;
}

void bindings_rewind(Judge *j, uint32_t mark) {
    Bindings *b = &j->bindings;
    while (b->n > mark) { /* the newest one heads its bucket */
        b->n--;
        *bucket(b, b->list[b->n].value) = b->list[b->n].next;
    }
}

static const Binding *find_binding(const Bindings *b, const Value *v) {
    if (b->n == 0) return NULL;
    uint32_t at = *bucket(b, v);
    while (at != 0 && b->list[at - 1].value != v)
        at = b->list[at - 1].next;
    return at != 0 ? &b->list[at - 1] : NULL;
}

/* Zero offsets: the window begins where its tile does. */
static bool begins_at_zero(const Op *op) {
    int slot = inst_slot(op->inst, "offsets");
    const Operand *o = slot_operands(op, slot);
    for (unsigned i = 0; i < slot_count(op, slot); i++) {
        int64_t n;
        if (!value_constant(o[i].value, &n) || n != 0) return false;
    }
    return true;
}

const Value *storage_of(const Value *v) {
    for (const Op *op = v->def; op != NULL && op->nresults == 1; op = v->def) {
        bool whole = op_is(op, INST_TRESHAPE) || op_is(op, INST_BITCAST) || op_is(op, INST_TALIAS);
        bool window = op_is(op, INST_SUBVIEW) || op_is(op, INST_SUBSET);
        const Value *shown = whole || (window && begins_at_zero(op)) ? slot_value(op, 0) : NULL;
        if (shown == NULL) return v;
        v = shown;
    }
    return v;
}

bool tile_address(const Judge *j, const Value *v, int64_t *address) {
    if (v == NULL) return false;
    const Binding *b = find_binding(&j->bindings, v);
    if (b != NULL) {
        *address = b->address;
        return b->known;
    }
    if (v->def == NULL || !(op_is(v->def, INST_ALLOC_TILE) || op_is(v->def, INST_TASSIGN)))
        return false;
    return given_address(j->ctx, v->def, address);
}
