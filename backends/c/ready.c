/* Kernel calls in a loop on tiles that the loop does not rebind: emits the look-ups and checks of
 * such a call before the loop (ptrt_ready2 in ptort.h). */
#include "backends/c/ready.h"
#include "backends/lower/kernel_table.h"
#include "support/ptrmap.h"

#include <string.h>

typedef struct Scan {
    Emitter *e;
    const Op *loop;
    PtrMap changed; /* tiles whose handles the loop may change */
    bool any;
} Scan;

/* Kernel calls do not change the handles of their tiles; any other statement may. */
static bool see_change(Op *op, void *arg) {
    Scan *s = arg;
    if (emit_table[inst_id(op->inst)] == NULL) return true;
    for (unsigned i = 0; i < op->noperands; i++) {
        Value *v = op->operands[i].value;
        if (type_is_tile(v->type)) *ptrmap_at(&s->changed, v) = v;
    }
    return true;
}

static bool is_inside(const Op *loop, const Value *v) {
    const Block *b = v->def != NULL ? v->def->block : value_block(v);
    while (b != NULL) {
        const Op *owner = region_owner(b);
        if (owner == loop) return true;
        b = owner != NULL ? owner->block : NULL;
    }
    return false;
}

static bool is_kept(const Scan *s, const Value *v) {
    return v != NULL && type_is_tile(v->type) && !is_inside(s->loop, v) &&
           ptrmap_get(&s->changed, v) == NULL;
}

/* Returns the tile arguments, as `, &v_a, &v_b, &v_d`; NULL when one is not a tile or may
 * change. */
static const char *kept_tiles(const Scan *s, const Op *op, const KernelRow *row) {
    StrBuf text;
    sb_init(&text, s->e->arena);
    for (unsigned i = 0; i < row->nargs; i++) {
        const KernelArg *arg = &kernel_args[row->args + i];
        const Value *v = arg->kind == KARG_SLOT ? slot_value(op, arg->index) : NULL;
        if (!is_kept(s, v)) return NULL;
        sb_printf(&text, ", &%s", val(s->e, v));
    }
    return sb_text(&text);
}

static bool see_call(Op *op, void *arg) {
    Scan *s = arg;
    Emitter *e = s->e;
    if (emit_table[inst_id(op->inst)] != NULL || kernel_first(op->inst) == NULL) return true;
    const KernelRow *row = kernel_of(e->ctx, op);
    if (row == NULL || strcmp(kernel_driver(row), "map2") != 0 || !kernel_has_types(row, op))
        return true;
    const char *tiles = ready_name(e, op) == NULL ? kept_tiles(s, op, row) : NULL;
    if (tiles == NULL) return true;
    const char *name = fresh(e, "pto_ready");
    if (!s->any) open_block(e);
    s->any = true;
    ln(e, "const ptrt_ready2 %s = ptrt_map2_ready(core, %s%s);", name, kernel_id(row), tiles);
    local_entry(e, op)->name = name;
    c_of(e)->uses_core = true;
    return true;
}

bool make_ready(Emitter *e, const Op *loop) {
    Scan s = {.e = e, .loop = loop, .changed = {.arena = e->arena}};
    op_walk((Op *)loop, see_change, &s);
    op_walk((Op *)loop, see_call, &s);
    return s.any;
}

const char *ready_name(Emitter *e, const Op *op) {
    return local_entry(e, op)->name;
}
