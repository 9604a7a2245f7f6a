/* Control flow: scf as C statements, cf as labels and goto. Values passed to a region or block are
 * assigned as if all at once. A tile is passed as its handle. */
#include "backends/text/flow.h"

#include "analysis/handover.h"
#include "ir/number.h"

#include <string.h>

/* ---- tiles that have another address in a region ---- */

static bool is_saved(const Emitter *e, const Region *r, const Value *tile) {
    for (const Restore *s = e->restores; s != NULL && s->op->block->region == r; s = s->next)
        if (s->tile == tile) return true;
    return false;
}

void save_changed_tile(Emitter *e, const Op *op) {
    const Region *r = op->block->region;
    const Value *tile = handover_rebinds(op);
    if (tile == NULL || !handover_ends(op) || op_is(r->owner, INST_FUNC)) return;
    if (value_home(tile)->region == r || is_saved(e, r, tile)) return;
    const char *saved = e->lang->save_tile(e, op, tile);
    Restore *s = ARENA_NEW(e->arena, Restore);
    *s = (Restore){.next = e->restores, .op = op, .tile = tile, .saved = saved, .line = e->line};
    e->restores = s;
}

static void restore_tiles(Emitter *e, const Region *r) {
    for (const Restore *s = e->restores; s != NULL && s->op->block->region == r; s = s->next)
        e->lang->restore_tile(e, s);
}

static void forget_tiles(Emitter *e, const Region *r) {
    while (e->restores != NULL && e->restores->op->block->region == r)
        e->restores = e->restores->next;
}

/* ---- regions and blocks ---- */

/* Returns the label of a block. Labels are unique within a region, and the region's offset makes
 * them unique in the function. */
static const char *block_label(Emitter *e, const Block *b) {
    const Interner *in = &e->ctx->names;
    const char *text = name_mangle(e->arena, atom_text(in, b->label), atom_len(in, b->label));
    return strf(e, "bb_%s_%u", text, (unsigned)b->region->open.off);
}

static void hoist(Emitter *e, const Value *v) {
    if (local_of(e, v)->hoisted) return;
    declare(e, v);
    defined(e, v);
    local_of(e, v)->hoisted = true;
}

/* Declares the values of all blocks first, so that no goto skips a declaration. */
static void hoist_region(Emitter *e, const Region *r) {
    for (const Block *b = r->first; b != NULL; b = b->next) {
        for (uint32_t i = 0; b != r->first && i < b->nargs; i++)
            hoist(e, &b->args[i]);
        for (const Op *op = b->first; op != NULL; op = op->next)
            for (unsigned i = 0; i < op->nresults; i++)
                hoist(e, &op->results[i]);
    }
}

static void emit_block(Emitter *e, const LowerBlock *b) {
    const LowerStmt *outer = e->stmt;
    for (const LowerStmt *s = b->first; s != NULL; s = s->next) {
        e->stmt = s;
        e->lang->op(e, s->op);
    }
    e->stmt = outer;
}

static bool ends_with_jump(const Region *r) {
    const Op *last = r->last != NULL ? r->last->last : NULL;
    return last != NULL && (last->nsuccs != 0 || op_is(last, INST_RETURN));
}

static void emit_label(Emitter *e, const Block *b) {
    if (!local_entry(e, b)->used) return;
    const unsigned indent = e->indent;
    e->indent = 0;
    ln(e, "%s:;", block_label(e, b));
    e->indent = indent;
}

void emit_region(Emitter *e, const LowerRegion *r) {
    const bool many = r->first != NULL && r->first->next != NULL;
    if (r->first == NULL) return;
    if (many) hoist_region(e, r->region);
    for (const LowerBlock *b = r->first; b != NULL; b = b->next) {
        const bool braces = e->lang->braced_blocks && b != r->first;
        if (many) emit_label(e, b->block);
        if (braces) open_block(e);
        emit_block(e, b);
        if (braces) close_brace(e);
    }
    if (!ends_with_jump(r->region)) restore_tiles(e, r->region);
    forget_tiles(e, r->region);
    if (e->lang->leave_region != NULL) e->lang->leave_region(e, r->region);
}

/* Emits a nested region whose scf.yield assigns to `sink`. */
static void emit_yielding(Emitter *e, const LowerRegion *r, Sink sink) {
    Sink outer = e->sink;
    e->sink = sink;
    emit_region(e, r);
    e->sink = outer;
}

static Sink sink_of(Emitter *e, const Value *values, unsigned n) {
    return (Sink){value_names(e, values, n), values, NULL};
}

static void declare_all(Emitter *e, const Value *values, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        declare(e, &values[i]);
}

static void defined_all(Emitter *e, const Value *values, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        defined(e, &values[i]);
}

void emit_yield(Emitter *e, const Op *op) {
    if (e->sink.names != NULL)
        assign_all(e, e->sink.names, e->sink.values, op->operands, op->noperands);
    if (e->sink.label != NULL) ln(e, "goto %s;", e->sink.label);
}

/* ---- scf ---- */

/* Returns the increment of a loop counter: plain if it cannot overflow, else stopping at the
 * bound. */
static const char *next_count(Emitter *e, const Op *op, const char *i) {
    int64_t upper, step;
    const char *type = e->lang->type(e, op->operands[0].value);
    bool have_step = number_known(op->operands[2].value, &step);
    bool have_upper = number_known(op->operands[1].value, &upper);
    const char *ub = val(e, op->operands[1].value), *st = val(e, op->operands[2].value);
    unsigned width = elem_int_width((Elem)op->operands[0].value->type->elem);
    int64_t most = width == 64 ? INT64_MAX : ((int64_t)1 << (width - 1)) - 1;
    if (e->lang->plain_steps || (have_step && (step == 1 || (have_upper && upper <= most - step))))
        return width >= 32 ? strf(e, "%s += %s", i, st)
                           : strf(e, "%s = (%s)(%s + %s)", i, type, i, st);
    return strf(e, "%s = (uint64_t)%s < (uint64_t)%s - (uint64_t)%s ? (%s)(%s + %s) : %s", i, st,
                ub, i, type, i, st, ub);
}

void emit_for(Emitter *e, const Op *op) {
    const Block *body = op_regions(op)[0].first;
    const Value *iv = &body->args[0], *carried = body->args + 1;
    unsigned n = op->nresults;
    const char *type = e->lang->type(e, iv);
    if (type == NULL || elem_int_width((Elem)iv->type->elem) < 8) {
        cannot(e, op->span, "a loop over '" TYPE_FMT "' has no form in %s",
               TYPE_ARG(&e->ctx->names, iv->type), e->lang->name);
        return;
    }
    int64_t step;
    const char *lb = val(e, op->operands[0].value), *ub = val(e, op->operands[1].value);
    if (!(number_known(op->operands[2].value, &step) && step > 0) && e->lang->check_step != NULL)
        e->lang->check_step(e, op);
    declare_all(e, op->results, n);
    if (n > 0) open_block(e);
    for (unsigned i = 0; i < n; i++)
        define(e, &carried[i], "%s", passed(e, op->operands[3 + i].value, &carried[i]));
    const char *i = val(e, iv);
    open_brace(e, "for (%s %s = %s; %s < %s; %s)", type, i, lb, i, ub, next_count(e, op, i));
    emit_yielding(e, &e->stmt->regions[0], sink_of(e, carried, n));
    close_brace(e);
    for (unsigned k = 0; k < n; k++)
        ln(e, "%s = %s;", name_of(e, &op->results[k]), val(e, &carried[k]));
    if (n > 0) close_brace(e);
    defined_all(e, op->results, n);
}

void emit_if(Emitter *e, const Op *op) {
    Sink sink = sink_of(e, op->results, op->nresults);
    declare_all(e, op->results, op->nresults);
    open_brace(e, "if (%s)", val(e, op->operands[0].value));
    emit_yielding(e, &e->stmt->regions[0], sink);
    if (op->nregions > 1 && op_regions(op)[1].first != NULL) {
        e->indent--;
        ln(e, "} else {");
        e->indent++;
        emit_yielding(e, &e->stmt->regions[1], sink);
    }
    close_brace(e);
    defined_all(e, op->results, op->nresults);
}

void emit_while(Emitter *e, const Op *op) {
    const Block *before = op_regions(op)[0].first, *after = op_regions(op)[1].first;
    Sink leave = e->leave;
    declare_all(e, op->results, op->nresults);
    open_block(e);
    for (uint32_t i = 0; i < before->nargs; i++)
        define(e, &before->args[i], "%s", passed(e, op->operands[i].value, &before->args[i]));
    declare_all(e, after->args, after->nargs);
    open_brace(e, "for (;;)");
    e->leave = sink_of(e, op->results, op->nresults);
    Sink next = sink_of(e, after->args, after->nargs);
    emit_yielding(e, &e->stmt->regions[0], next);
    e->leave = leave;
    defined_all(e, after->args, after->nargs);
    emit_yielding(e, &e->stmt->regions[1], sink_of(e, before->args, before->nargs));
    close_brace(e);
    close_brace(e);
    defined_all(e, op->results, op->nresults);
}

/* scf.condition: leaves the loop with the values when false, else passes them to the second
 * region. */
void emit_condition(Emitter *e, const Op *op) {
    const Operand *values = op->operands + 1;
    unsigned n = op->noperands - 1u;
    open_brace(e, "if (!%s)", val(e, op->operands[0].value));
    assign_all(e, e->leave.names, e->leave.values, values, n);
    restore_tiles(e, op->block->region);
    ln(e, "break;");
    close_brace(e);
    assign_all(e, e->sink.names, e->sink.values, values, n);
}

void emit_execute_region(Emitter *e, const Op *op) {
    const Region *r = &op_regions(op)[0];
    Sink sink = sink_of(e, op->results, op->nresults);
    bool many = r->first != r->last;
    declare_all(e, op->results, op->nresults);
    if (many) sink.label = fresh(e, "leave");
    open_block(e);
    emit_yielding(e, &e->stmt->regions[0], sink);
    close_brace(e);
    if (many) {
        ln(e, "goto %s;", sink.label); /* a use of the label, in case nothing yields */
        ln(e, "%s:;", sink.label);
    }
    defined_all(e, op->results, op->nresults);
}

/* Checks that there is a case value for each of the `n` ways except the default. */
static bool has_cases(Emitter *e, const Op *op, const NamedAttr *cases, unsigned n) {
    uint32_t values = cases != NULL ? cases->value->n : 0;
    if (n > 0 && values == n - 1) return true;
    cannot(e, op->span, "%s has %u ways and %u values", op->inst->name, n, (unsigned)values);
    return false;
}

/* Region k belongs to case value k; the last region is the default. */
void emit_index_switch(Emitter *e, const Op *op) {
    const NamedAttr *cases = op_attr_named(e->ctx, op, "cases");
    Sink sink = sink_of(e, op->results, op->nresults);
    if (!has_cases(e, op, cases, op->nregions)) return;
    declare_all(e, op->results, op->nresults);
    open_brace(e, "switch (%s)", val(e, op->operands[0].value));
    for (unsigned k = 0; k < op->nregions; k++) {
        bool last = k + 1 == op->nregions;
        if (last)
            open_brace(e, "default:");
        else
            open_brace(e, "case %s:", int_literal(e, cases->value->items[k]->i, 64));
        emit_yielding(e, &e->stmt->regions[k], sink);
        ln(e, "break;");
        close_brace(e);
    }
    close_brace(e);
    defined_all(e, op->results, op->nresults);
}

/* ---- cf ---- */

static void jump(Emitter *e, const Successor *s) {
    assign_all(e, value_names(e, s->block->args, s->nargs), s->block->args, s->args, s->nargs);
    ln(e, "goto %s;", block_label(e, s->block));
}

void emit_br(Emitter *e, const Op *op) {
    jump(e, &op_succs(op)[0]);
}

void emit_cond_br(Emitter *e, const Op *op) {
    open_brace(e, "if (%s)", val(e, op->operands[0].value));
    jump(e, &op_succs(op)[0]);
    e->indent--;
    ln(e, "} else {");
    e->indent++;
    jump(e, &op_succs(op)[1]);
    close_brace(e);
}

/* Successor 0 is the default; successor k belongs to case value k - 1. */
void emit_switch(Emitter *e, const Op *op) {
    const NamedAttr *cases = op_attr_named(e->ctx, op, "case_values");
    if (!has_cases(e, op, cases, op->nsuccs)) return;
    unsigned width = elem_int_width((Elem)op->operands[0].value->type->elem);
    open_brace(e, "switch (%s)", val(e, op->operands[0].value));
    for (unsigned k = 1; k < op->nsuccs; k++) {
        open_brace(e, "case %s:", int_literal(e, cases->value->items[k - 1]->i, width));
        jump(e, &op_succs(op)[k]);
        close_brace(e);
    }
    open_brace(e, "default:");
    jump(e, &op_succs(op)[0]);
    close_brace(e);
    close_brace(e);
}
