/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the generic form of cf.switch, scf.index_switch and pto.tassign. */
#include "parser/bind_internal.h"

#include "ir/dense.h"

#include <string.h>

/* ---- lists of integers ---- */

/* Reads the integers of `dense<[1, 2]>` or `dense<1>`; -1 when the text has anything else. */
static int dense_values(const Interner *names, const Attr *a, int64_t *out, uint32_t cap) {
    Dense d;
    Attr one;
    if (!dense_open(&d, names, a) || d.raw) return -1;
    const uint32_t n = d.list ? d.n : 1;
    for (uint32_t i = 0; i < n; i++) {
        if (n > cap || !dense_next(&d, ELEM_I64, &one)) return -1;
        out[i] = one.i;
    }
    return (int)n;
}

/* Converts a list in any spelling to the array of the IR; NULL after a diagnostic. */
static Attr *case_list(Cursor *c, const Op *op, const Attr *a) {
    enum { MOST = 256 };
    Context *ctx = c->b->ctx;
    Attr *list = ARENA_NEW(&ctx->arena, Attr);
    int64_t values[MOST];
    int n = 0;
    list->kind = ATTR_ARRAY;
    if (a == NULL) return list;
    list->span = a->span;
    if (a->kind == ATTR_OPAQUE) {
        n = dense_values(&ctx->names, a, values, MOST);
    } else if (a->kind == ATTR_ARRAY || a->kind == ATTR_DENSE) {
        for (; n >= 0 && n < (int)a->n && n < MOST; n++) {
            if (a->items[n]->kind != ATTR_INT) break;
            values[n] = a->items[n]->i;
        }
        if (n != (int)a->n) n = -1;
    } else {
        n = -1;
    }
    if (n < 0) {
        fail(c, DIAG_BAD_ATTRIBUTE, a->span.len != 0 ? a->span : op->name_span,
             "\"%s\": the cases must be a list of integers", op->inst->name);
        return NULL;
    }
    Attr *items = ARENA_ARRAY(&ctx->arena, Attr, (size_t)n);
    const Attr **refs = ARENA_ARRAY(&ctx->arena, const Attr *, (size_t)n);
    for (int i = 0; i < n; i++) {
        items[i] = (Attr){.kind = ATTR_INT, .i = values[i]};
        refs[i] = &items[i];
    }
    list->items = refs;
    list->n = (uint32_t)n;
    return list;
}

static void put_first(Cursor *c, Op *op, AttrName name, const Attr *value) {
    Context *ctx = c->b->ctx;
    NamedAttr *attrs = ARENA_ARRAY(&ctx->arena, NamedAttr, op->nattrs + 1u);
    if (op->nattrs > 0) memcpy(attrs + 1, op->attrs, op->nattrs * sizeof *attrs);
    attrs[0] = attr_made(ctx, name, value);
    attrs[0].span = op->name_span;
    op->attrs = attrs;
    op->nattrs++;
}

/* ---- cf.switch ---- */

/* Combines the operand counts of the flag, the default block and the case blocks into one list. */
static const Attr *switch_sizes(Cursor *c, const Op *op, const Attr *sizes, const Attr *cases) {
    Context *ctx = c->b->ctx;
    unsigned n = op->nsuccs + 1u;
    Attr *list = ARENA_NEW(&ctx->arena, Attr), *items = ARENA_ARRAY(&ctx->arena, Attr, n);
    const Attr **refs = ARENA_ARRAY(&ctx->arena, const Attr *, n);
    for (unsigned i = 0; i < n; i++) {
        items[i] = (Attr){.kind = ATTR_INT, .i = i == 0};
        if (i == 1 && sizes != NULL && sizes->n > 1) items[i] = *sizes->items[1];
        if (i > 1 && cases != NULL && i - 2 < cases->n) items[i] = *cases->items[i - 2];
        refs[i] = &items[i];
    }
    *list = (Attr){.kind = ATTR_DENSE, .items = refs, .n = n};
    return list;
}

const Attr *generic_switch(Cursor *c, Op *op, const Attr *sizes) {
    const Attr *values = take_attr(op, ATTR_case_values);
    const Attr *segments = take_attr(op, ATTR_case_operand_segments);
    if (segments != NULL && segments->kind != ATTR_DENSE && segments->kind != ATTR_ARRAY)
        segments = NULL;
    const Attr *cases = case_list(c, op, values);
    if (cases == NULL) return NULL;
    if (cases->n + 1 != op->nsuccs) {
        fail(c, DIAG_OPERAND_COUNT, op->name_span,
             "\"cf.switch\": %u value%s of cases, %d block%s after the default", cases->n,
             cases->n == 1 ? "" : "s", op->nsuccs - 1, op->nsuccs == 2 ? "" : "s");
        return NULL;
    }
    put_first(c, op, ATTR_case_values, cases);
    return switch_sizes(c, op, sizes, segments);
}

/* ---- scf.index_switch ---- */

/* Moves the default region from the first place, where the text has it, to the last. Blocks refer
 * to regions by address, so they are updated. */
static void default_last(Op *op) {
    Region first = op_regions(op)[0];
    for (unsigned i = 0; i + 1 < op->nregions; i++)
        op_regions(op)[i] = op_regions(op)[i + 1];
    op_regions(op)[op->nregions - 1] = first;
    for (unsigned i = 0; i < op->nregions; i++)
        for (Block *b = op_regions(op)[i].first; b != NULL; b = b->next)
            b->region = &op_regions(op)[i];
}

void generic_index_switch(Cursor *c, Op *op) {
    const Attr *cases = case_list(c, op, take_attr(op, ATTR_cases));
    if (cases == NULL) return;
    if (cases->n + 1 != op->nregions) {
        fail(c, DIAG_OPERAND_COUNT, op->name_span,
             "\"%s\": %u value%s of cases, %d region%s after the default", op->inst->name, cases->n,
             cases->n == 1 ? "" : "s", op->nregions - 1, op->nregions == 2 ? "" : "s");
        return;
    }
    put_first(c, op, ATTR_cases, cases);
    default_last(op);
}

/* ---- pto.tassign ---- */

/* Takes the address from the second operand or the attribute `tile_addr`. */
void generic_tassign(Cursor *c, Op *op) {
    const Attr *address = op->noperands < 2 ? take_attr(op, ATTR_tile_addr) : NULL;
    if (op->noperands > 2 || (op->noperands < 2 && address == NULL)) {
        fail(c, DIAG_OPERAND_COUNT, op->name_span,
             "\"pto.tassign\" takes a tile and its address, found %u operand%s", op->noperands,
             op->noperands == 1 ? "" : "s");
        return;
    }
    if (address != NULL) put_first(c, op, ATTR_tile_addr, address);
    if (op->nresults > 1)
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "\"pto.tassign\" has one result at most");
}
