/* The named functions of the rules of matrix products. */
#include "verifier/rules.h"

/* A valid extent where it is static, else the physical one. */
static int64_t logical_dim(const Type *t, Dim d) {
    int64_t v = tile_dim(t, d);
    return v != DYNAMIC ? v : tile_dim(t, d == DIM_VROW ? DIM_ROWS : DIM_COLS);
}

bool check_logical_extent(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL) return true;
    int64_t x = logical_dim(a, (Dim)r->row->dims), y = logical_dim(b, (Dim)r->row->dim_b);
    if (x == y) return true;
    return fails(c, "%s has %lld %s, expected the %lld %s of %s", case_name(c, r->a), (long long)x,
                 r->row->dims == DIM_VROW ? "rows" : "columns", (long long)y,
                 r->row->dim_b == DIM_VROW ? "rows" : "columns", case_name(c, r->b));
}

/* The allocation behind a tile, or NULL. */
static const Value *allocation(const Value *v) {
    while (v->def != NULL && (v->def->inst->flags & IF_VIEW) != 0 && slot_value(v->def, 0) != NULL)
        v = slot_value(v->def, 0);
    return v->def != NULL && (v->def->inst->flags & IF_ALLOC) != 0 ? v : NULL;
}

/* Only what is certain is said: two addresses that differ, or two planned allocations. */
bool check_acc_storage(const Case *c, const Rule *r) {
    const Value *a = case_value(c, r->a), *b = case_value(c, r->b);
    int64_t at, bt;
    if (a == NULL || b == NULL || a == b || c->op->form != OPF_DPS) return true;
    bool has_a = tile_address(c->judge, a, &at), has_b = tile_address(c->judge, b, &bt);
    if (has_a != has_b) return true;
    if (has_a ? at == bt : c->judge->manual) return true;
    const Value *from = allocation(a), *to = allocation(b);
    if (!has_a && (from == NULL || to == NULL || from == to)) return true;
    return fails(c, "%s and %s are two tiles: on the device the product is added to %s",
                 case_name(c, r->a), case_name(c, r->b), case_name(c, r->b));
}
