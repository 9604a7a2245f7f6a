/* SPDX-License-Identifier: Apache-2.0 */
/* C that stops at the first statement that makes NaN or infinity of finite inputs. What only loads,
 * or pads with an infinite value as the type of its tile says, makes none. */
#include "backends/c/trap.h"
#include "backends/c/operands.h"

/* Of a destination that keeps some elements the old contents are an input. */
static bool reads(const SlotInfo *slot) {
    return slot->role == ROLE_READ || slot->role == ROLE_READWRITE ||
           (slot->role == ROLE_WRITE && slot->touched.kind != TOUCH_VALID &&
            slot->touched.kind != TOUCH_SHAPE);
}

static bool is_trapped(const Value *v) {
    return is_float_tile(v) && v->type->tile.pad == PAD_NULL;
}

static bool computes(const LowerStmt *s) {
    if ((s->inst->flags & (IF_LOADS | IF_ALLOC | IF_VIEW | IF_SYNC)) != 0) return false;
    for (int slot = 0; slot < s->inst->nslots; slot++)
        for (unsigned i = 0; writes_slot(&s->inst->slots[slot]) && i < stmt_count(s, slot); i++)
            if (is_trapped(item_value(s, slot, i))) return true;
    return false;
}

/* Emits the test of an input. Returns false when it is no float. */
static bool test_input(Emitter *e, const Value *v) {
    if (is_float_tile(v)) {
        ln(e, "pto_bad |= ptrt_nonfinite(&%s);", val(e, v));
        return true;
    }
    if (v == NULL || v->type->kind != TY_SCALAR || !elem_is_float((Elem)v->type->elem))
        return false;
    const char *x = convert_scalar(e->arena, v->type->elem, ELEM_F64, val(e, v));
    if (x != NULL) ln(e, "pto_bad |= !((%s) - (%s) == 0);", x, x);
    return true;
}

bool trap_before(Emitter *e, const LowerStmt *s) {
    bool any = false;
    if (!computes(s)) return false;
    ln(e, "pto_bad = 0;");
    for (int slot = 0; slot < s->inst->nslots; slot++) {
        const SlotInfo *row = &s->inst->slots[slot];
        for (unsigned i = 0; reads(row) && i < stmt_count(s, slot); i++)
            any |= test_input(e, item_value(s, slot, i));
    }
    return any;
}

void trap_after(Emitter *e, const LowerStmt *s) {
    c_of(e)->uses_core = true;
    open_brace(e, "if (!pto_bad)");
    for (int slot = 0; slot < s->inst->nslots; slot++)
        for (unsigned i = 0; writes_slot(&s->inst->slots[slot]) && i < stmt_count(s, slot); i++) {
            const Value *v = item_value(s, slot, i);
            if (!is_trapped(v)) continue;
            try_call(e, "ptrt_trap_nonfinite(core, %u, \"%s\", %s, &%s)", (unsigned)e->line,
                     s->inst->name, quoted_name(e, v), val(e, v));
        }
    close_brace(e);
}
