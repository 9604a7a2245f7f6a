/* SPDX-License-Identifier: Apache-2.0 */
/* Logical vectors and masks that the text gives: tables of bytes in the emitted code. */
#include "backends/c/emitter.h"

#include <string.h>

/* Emits `from[n]` as the contents of a result. */
static void set_bytes(Emitter *e, const Value *r, const unsigned char *from, unsigned n) {
    const char *table = fresh(e, "pto_bytes");
    StrBuf text;
    sb_init(&text, e->arena);
    for (unsigned i = 0; i < n; i++)
        sb_printf(&text, "%s%u", i == 0 ? "" : i % 24 == 0 ? ",\n        " : ", ", from[i]);
    declare(e, r);
    ln(e, "static const unsigned char %s[] = {%s};", table, sb_text(&text));
    ln(e, "ptrt_logical_set(%s, %s, %u);", place_address(e, r), table, n);
    c_of(e)->micro = c_of(e)->logical = true;
    defined(e, r);
}

void emit_lane_constant(Emitter *e, const LowerStmt *s) {
    const Value *r = &s->results[0];
    const bool mask = r->type->kind == TY_LANE_MASK;
    const unsigned n = r->type->count;
    const unsigned width = mask ? 0 : elem_storage_bits((Elem)r->type->elem) / 8;
    uint64_t *bits = ARENA_ARRAY(e->arena, uint64_t, n);
    if (!dense_elements(e, stmt_attr_named(s, ATTR_value), mask ? ELEM_I1 : r->type->elem, n,
                        bits)) {
        cannot(e, s->name_span, "this value of %s has no form in C", s->inst->name);
        return;
    }
    const unsigned bytes = mask ? (n + 63) / 64 * 8 : n * width;
    unsigned char *out = ARENA_ARRAY(e->arena, unsigned char, bytes);
    memset(out, 0, bytes);
    for (unsigned i = 0; i < n; i++) {
        if (mask) out[i / 8] |= (unsigned char)((bits[i] & 1) << i % 8);
        for (unsigned k = 0; k < width; k++)
            out[i * width + k] = (unsigned char)(bits[i] >> 8 * k);
    }
    set_bytes(e, r, out, bytes);
}

void emit_shuffle(Emitter *e, const LowerStmt *s) {
    const Value *r = &s->results[0], *x = s->args[0].value;
    const NamedAttr *list = stmt_attr_named(s, ATTR_indices);
    if (list == NULL || list->value->n != r->type->count) {
        cannot(e, s->name_span, "these indices of %s have no form in C", s->inst->name);
        return;
    }
    StrBuf text;
    sb_init(&text, e->arena);
    for (unsigned i = 0; i < list->value->n; i++)
        sb_printf(&text, "%s%lld", i == 0 ? "" : ", ", (long long)list->value->items[i]->i);
    declare(e, r);
    ln(e, "ptrt_logical_shuffle(%s, %u, %u, %s, %u, (const int64_t[]){%s});", place_address(e, r),
       (unsigned)r->type->count, elem_storage_bits((Elem)r->type->elem) / 8, place_address(e, x),
       (unsigned)x->type->count, sb_text(&text));
    c_of(e)->micro = c_of(e)->logical = true;
    defined(e, r);
}
