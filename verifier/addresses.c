/* Addresses that the text gives to tiles: `addr` of alloc_tile, tassign with and without a result.
 * Manual mode means that some tile has one (decision 14). */
#include "verifier/rules.h"

#include <string.h>

typedef struct Binding {
    const Value *value;
    int64_t address;
    bool known; /* false: bound to a dynamic address */
} Binding;

static uint32_t home_slot(const Bindings *b, const Value *v) {
    uint64_t h = (uint64_t)(uintptr_t)v * 0x9E3779B97F4A7C15u;
    return (uint32_t)(h >> 32) & b->mask;
}

/* The slot of a value: its own, or the free one where it would go. */
static uint32_t *find_slot(const Bindings *b, const Value *v) {
    uint32_t i = home_slot(b, v);
    while (b->slots[i] != 0 && b->list[b->slots[i] - 1].value != v)
        i = (i + 1) & b->mask;
    return &b->slots[i];
}

/* The table is rebuilt from the list, oldest first, so that the newest binding of a value wins. */
static void rebuild(Bindings *b) {
    memset(b->slots, 0, ((size_t)b->mask + 1) * sizeof *b->slots);
    for (uint32_t i = 0; i < b->n; i++)
        *find_slot(b, b->list[i].value) = i + 1;
}

static void grow(Judge *j) {
    Bindings *b = &j->bindings;
    uint32_t cap = b->cap == 0 ? 32 : b->cap * 2;
    Binding *list = ARENA_ARRAY(&j->ctx->arena, Binding, cap);
    if (b->n > 0) memcpy(list, b->list, b->n * sizeof *list);
    b->list = list;
    b->cap = cap;
    b->slots = ARENA_ARRAY(&j->ctx->arena, uint32_t, (size_t)cap * 2);
    b->mask = cap * 2 - 1;
    rebuild(b);
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
    uint32_t *slot = find_slot(b, v);
    Binding *n = &b->list[b->n];
    *n = (Binding){.value = v};
    n->known = given_address(j->ctx, op, &n->address);
    *slot = ++b->n;
}

uint32_t bindings_mark(const Judge *j) {
    return j->bindings.n;
}

void bindings_rewind(Judge *j, uint32_t mark) {
    Bindings *b = &j->bindings;
    if (b->n == mark) return;
    b->n = mark;
    rebuild(b);
}

bool tile_address(const Judge *j, const Value *v, int64_t *address) {
    if (v == NULL) return false;
    const Bindings *b = &j->bindings;
    if (b->n > 0) {
        uint32_t at = *find_slot(b, v);
        if (at != 0) {
            *address = b->list[at - 1].address;
            return b->list[at - 1].known;
        }
    }
    if (v->def == NULL || !(op_is(v->def, INST_ALLOC_TILE) || op_is(v->def, INST_TASSIGN)))
        return false;
    return given_address(j->ctx, v->def, address);
}
